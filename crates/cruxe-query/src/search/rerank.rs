//! A second look at the best results, by the transformer, where one is installed.
//!
//! It reads a text in milliseconds where the table takes microseconds, so it sees twenty texts and not the ref.

use cruxe_embed::minilm::{MiniLm, NAME};

use super::files::Ranked;
use super::rank::Weights;
use super::rank::texts::{self, LOOKED_AT};
use super::reasons::SecondLook;
use super::select::select as select_by_rank;
use super::{Remarks, Search, SearchHit, snippet};
use crate::error::QueryError;

/// Lines of each that are read: more would take the transformer seconds.
const LINES: usize = 12;

/// The best results in the order that both looks give.
pub(super) fn select(
    search: &Search,
    ranked: &Ranked,
    weights: &Weights,
    transformer: &MiniLm,
) -> Result<(Vec<SearchHit>, bool), QueryError> {
    let limit = search.question.limit;
    let (mut found, more) = select_by_rank(search, ranked, weights, limit.max(LOOKED_AT))?;
    let texts: Vec<String> = found.iter().take(LOOKED_AT).map(|found| text(search, found)).collect();
    let mut all: Vec<&str> = texts.iter().map(String::as_str).collect();
    all.push(&search.query.text);
    search.view.work.check()?;
    let mut vectors = transformer.embed_batch(&all);
    let query = vectors.pop().unwrap_or_default();
    let near: Vec<f32> =
        vectors.iter().map(|vector| vector.iter().zip(&query).map(|(a, b)| a * b).sum::<f32>().max(0.0)).collect();
    let nearest = near.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    for (found, near) in found.iter_mut().zip(near) {
        let (score, added) = texts::second_look(&found.score, near, nearest, weights);
        (found.score, found.confidence) = (score, score.confidence(weights));
        found.reasons.second_look = Some(SecondLook { model: NAME, added: added / weights.sum() });
    }
    // Those beyond were not looked at and keep their place behind.
    let last = found.iter().take(LOOKED_AT).map(|found| found.score.total()).fold(f32::INFINITY, f32::min);
    for found in found.iter_mut().skip(LOOKED_AT) {
        found.score = texts::not_looked_at(&found.score, last);
        found.confidence = found.score.confidence(weights);
    }
    found.sort_by(|a, b| b.score.total().total_cmp(&a.score.total()));
    let truncated = more || found.len() > limit;
    Ok((found, truncated))
}

/// What the transformer reads of a result: where it is, what it is called, how it begins.
fn text(search: &Search, found: &SearchHit) -> String {
    let name = found.symbol().map_or("", |symbol| symbol.qualified_name.as_str());
    let body = snippet(search.view, found, LINES).unwrap_or_default();
    format!("{} {name}\n{body}", found.file.path)
}

/// Notes that both models were used.
pub(super) fn note(remarks: &mut Remarks) {
    let first = remarks.embedding_model.as_deref().unwrap_or("none");
    remarks.embedding_model = Some(format!("{first} + {NAME}"));
}
