//! Which files of a ref a few words are about: documents, cards and code alike.
//!
//! The search of code ranks places in code and holds documents back. Here every file is a candidate for what it says, by the
//! same postings and the same vectors, and words and meaning are mixed in a share that the caller names.

use std::sync::Arc;

use cruxe_index::View;
use cruxe_store::{ChunkNumber, Corpus, FileNumber};

use super::files::highest;
use super::lexical::{self, Lexical};
use super::places::Places;
use super::query::Query;
use super::semantic::{self, LexicalOnly};
use crate::error::QueryError;

/// A file without any word of the query must be this near in meaning, where words count too.
const NEAR: f32 = 0.3;
/// The same where only meaning counts.
const NEAR_ALONE: f32 = 0.15;

/// What a file's words count for: its text, its headings or definitions, its name, its folders.
const TEXT: f32 = 1.0;
const NAMES: f32 = 0.8;
const STEM: f32 = 1.0;
const FOLDERS: f32 = 0.2;
/// What a file keeps that has none of the words in its text.
const UNCOVERED: f32 = 0.4;

/// The files of a ref in the order of how much they have to do with a query.
pub struct Ranking {
    /// What the numbers stand for.
    pub corpus: Arc<Corpus>,
    /// The best first; what has nothing to do with the query is left out.
    pub files: Vec<RankedFile>,
    /// The words that were looked for.
    pub words: Vec<String>,
    /// Why meaning did not count although it was asked for.
    pub lexical_only: Option<LexicalOnly>,
    by_words: Vec<f32>,
    by_meaning: Vec<f32>,
    share: f32,
}

/// A file with its scores, each from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankedFile {
    /// The file.
    pub file: FileNumber,
    /// What its words count for.
    pub words: f32,
    /// How near it is in meaning.
    pub meaning: f32,
    /// Both in the share that was asked for.
    pub score: f32,
}

impl Ranking {
    /// Returns how much a chunk has to do with the query, compared with the best one.
    pub fn chunk(&self, chunk: ChunkNumber) -> f32 {
        let of = |scores: &[f32]| scores.get(chunk as usize).copied().unwrap_or(0.0);
        (1.0 - self.share) * of(&self.by_words) + self.share * of(&self.by_meaning)
    }
}

/// The name of the model that compares meanings.
pub fn model_name() -> &'static str {
    cruxe_embed::Table::builtin().version()
}

/// Ranks the files of a view; `share` is the part of meaning, 0 for words alone and 1 for meaning alone. `None` while
/// nothing is indexed.
pub fn rank(view: &View, text: &str, share: f32) -> Result<Option<Ranking>, QueryError> {
    let Some((snapshot, state)) = &view.published else { return Ok(None) };
    let corpus = snapshot.corpus(state)?;
    let places = corpus.derived(Places::of).ok_or_else(super::derived_twice)?;
    let query = Query::parse(text);
    let by_words = || lexical::score(&corpus, &query, &places, &lexical::Postings::default());
    let (meaning, lexical) = if share > 0.0 {
        semantic::score_while(&corpus, &query.text, &vec![true; corpus.files().len()], by_words)
    } else {
        (Err(LexicalOnly::Asked), by_words())
    };
    let lexical = lexical?;
    let (by_meaning, lexical_only) = match meaning {
        Ok(semantic) => (semantic.chunks, None),
        Err(why) => (Vec::new(), Some(why)),
    };
    // Who asks for meaning and can have none gets what the words say, and is told so.
    let share = if lexical_only.is_some() { 0.0 } else { share };
    let words = word_scores(&corpus, &lexical);
    let nearest: Vec<f32> = (0..corpus.files().len() as FileNumber)
        .map(|file| {
            let chunks = corpus.chunks_of(file);
            by_meaning.get(chunks.start as usize..chunks.end as usize).map_or(0.0, highest)
        })
        .collect();
    let (most_words, most_near) = (highest(&words), highest(&nearest));
    let mut files: Vec<RankedFile> = Vec::new();
    for (file, (words, near)) in words.iter().zip(&nearest).enumerate() {
        let by_words = share < 1.0 && *words > 0.0;
        let by_meaning = *near >= if share < 1.0 { NEAR } else { NEAR_ALONE };
        if by_words || (share > 0.0 && by_meaning) {
            let (words, meaning) = (part(*words, most_words), part(*near, most_near));
            let score = (1.0 - share) * words + share * meaning;
            files.push(RankedFile { file: file as FileNumber, words, meaning, score });
        }
    }
    // Files are numbered in path order, so equal scores are in path order too.
    files.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.file.cmp(&b.file)));
    let best = highest(&lexical.chunks);
    let by_words = lexical.chunks.iter().map(|score| part(*score, best)).collect();
    let by_meaning = by_meaning.iter().map(|score| part(*score, most_near)).collect();
    Ok(Some(Ranking { corpus, files, words: query.words, lexical_only, by_words, by_meaning, share }))
}

fn word_scores(corpus: &Corpus, lexical: &Lexical) -> Vec<f32> {
    let stems: Vec<f32> = lexical.stems.iter().zip(&lexical.stem_share).map(|(score, share)| score * share).collect();
    let best = [&lexical.files, &lexical.names, &stems, &lexical.folders].map(|scores| highest(scores));
    (0..corpus.files().len())
        .map(|file| {
            let parts = [lexical.files[file], lexical.names[file], stems[file], lexical.folders[file]];
            let weights = [TEXT, NAMES, STEM, FOLDERS];
            let sum: f32 =
                parts.iter().zip(best).zip(weights).map(|((score, best), weight)| weight * part(*score, best)).sum();
            sum * (UNCOVERED + (1.0 - UNCOVERED) * lexical.coverage[file])
        })
        .collect()
}

fn part(score: f32, best: f32) -> f32 {
    if best > 0.0 { score / best } else { 0.0 }
}
