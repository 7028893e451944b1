//! Why a result ranks where it does: the search is run again, and the parts of one score are put into words.

use cruxe_index::View;

use super::rank::factors::Factors;
use super::rank::{RankedFile, Score};
use super::{Question, Reasons, SearchAnswer, SearchHit, search};
use crate::error::QueryError;

/// Runs the search again and takes out the result at a place.
pub fn explain(
    view: &View,
    question: &Question,
    path: &str,
    line: u32,
) -> Result<(SearchHit, SearchAnswer), QueryError> {
    let answer = search(view, question)?;
    let at = |found: &&SearchHit| found.file.path.as_str() == path && found.lines.0 == line;
    match answer.found.iter().find(at).cloned() {
        Some(found) => Ok((found, answer)),
        None => {
            let in_file = answer.found.iter().filter(|found| found.file.path.as_str() == path).take(5);
            Err(QueryError::NoSuchResult {
                path: path.to_owned(),
                line,
                results: answer.found.len(),
                in_file: in_file.map(|found| found.lines.0).collect(),
            })
        }
    }
}

/// The words for a score that is nothing but zeros.
pub(super) fn nothing() -> Reasons {
    Reasons {
        text: "the text was not compared".to_owned(),
        exact_match: "no definition has a name of the query".to_owned(),
        qualified_name: "no name of a definition has a word of the query".to_owned(),
        path_affinity: "no word of the query is in the path".to_owned(),
        definition: "nothing is known of how much its definitions are used".to_owned(),
        kind_match: "no kind is asked for".to_owned(),
    }
}

/// What a score is made of, in words.
pub(super) fn reasons(file: &RankedFile, score: &Score, factors: Factors) -> Reasons {
    let features = &file.features;
    let percent = |part: f32| format!("{:.0} %", 100.0 * part);
    let mut reasons = nothing();
    if score.text > 0.0 {
        let meaning = if score.semantic > 0.0 {
            let share = percent(score.semantic / score.text);
            format!(", nearness in meaning {} ({share} of the part of the text)", percent(features.semantic))
        } else {
            String::new()
        };
        reasons.text = format!(
            "chunks.body+name {} and whole file {} of the best in this search{meaning}",
            percent(features.chunks),
            percent(features.file)
        );
    }
    let Factors { class, place, quality } = factors;
    for (factor, why) in [
        (class, "for the kind of file"),
        (place, "for the place in the file"),
        (quality, "for how much of the query was found at all"),
    ] {
        if factor < 1.0 {
            let digits = (f64::from(factor) * 1e3).round() / 1e3;
            reasons.text += &format!("; everything × {digits} {why}");
        }
    }
    if let Some(definition) = file.definitions.first() {
        reasons.exact_match =
            format!("defines a {} whose name is in the query (fit {:.2})", definition.kind.as_str(), definition.fit);
        if score.kind_match > 0.0 {
            reasons.kind_match = format!("a {} is what a name usually means", definition.kind.as_str());
        }
    }
    if score.qualified_name > 0.0 {
        reasons.qualified_name = if features.qualifiers > 0.0 {
            format!("the qualifiers of the query fit ({:.2})", features.qualifiers)
        } else {
            format!("names of definitions have words of the query ({} of the best)", percent(features.names))
        };
    }
    if score.path_affinity > 0.0 {
        reasons.path_affinity = format!(
            "words of the query in the file name ({}) and folders ({} of the best)",
            percent(features.stem),
            percent(features.folders)
        );
    }
    if score.definition > 0.0 {
        reasons.definition = format!(
            "what it defines is used elsewhere: {} of the most used in this search",
            percent(features.popularity)
        );
    }
    reasons
}
