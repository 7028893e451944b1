//! Everything that decides what is first. The other files of this folder's parent supply numbers about files and chunks;
//! what a number is worth is said here and nowhere else.
//!
//! A file has nine features, each brought to 0..1 by the best file of the question: words in its best chunks
//! ([`chunks`], by BM25 as set up in [`bm25`]), words in the whole file, nearness in meaning, words in its own name and in
//! its folders, how much the rest of the ref uses what it defines ([`popularity`]), and a definition that the query names,
//! its kind and its qualifiers ([`names`]).
//! [`weights`] says what each is worth, for questions in words and for names; the weighted sum is the score of the file.
//! [`factors`] then take their share of all of it: for a kind of file that is rarely meant, for further places of one
//! file, for copies, and for a search that found little of what was asked. The sum by the best possible one is the
//! confidence that answers show, so what they say about a rank adds up.
//!
//! Some questions are ranked otherwise: [`paths`] by how a path fits, [`texts`] by how much of a phrase or message stands
//! in a line (and what a second model adds), [`reports`] by the parts of what was pasted, [`documents`] for documents, cards
//! and code alike.

pub(crate) mod bm25;
pub(crate) mod chunks;
pub(crate) mod documents;
pub(crate) mod factors;
pub(crate) mod names;
pub(crate) mod paths;
pub(crate) mod popularity;
pub(crate) mod reports;
pub(crate) mod texts;
mod weights;

pub(crate) use weights::{Best, Features, RankedFile, order, score};
pub use weights::{Score, Weights};

/// The highest of some scores; zero where there are none.
pub(crate) fn highest(scores: &[f32]) -> f32 {
    scores.iter().copied().fold(0.0, f32::max)
}

/// A score as a part of the best one.
pub(crate) fn part(score: f32, best: f32) -> f32 {
    if best > 0.0 { score / best } else { 0.0 }
}
