//! Which files of a ref a few words are about: documents, cards and code alike.
//!
//! A search ranks places in code and holds documents back. Here every file is a candidate for what it says, by the same
//! postings and the same vectors, and words and meaning are mixed in a share that the caller names. What each counts for
//! is said in [`super::rank::documents`].

use std::sync::Arc;

use cruxe_index::View;
use cruxe_store::{ChunkNumber, Corpus, FileNumber};

use super::lexical::{self, Lexical};
use super::query::Query;
use super::rank::{documents, highest, part};
use super::semantic::{self, LexicalOnly};
use super::stats::{CorpusStats, STATS};
use crate::error::QueryError;

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
        documents::mix(of(&self.by_words), of(&self.by_meaning), self.share)
    }
}

/// The name of the model that compares meanings.
pub fn model_name() -> &'static str {
    cruxe_embed::Table::builtin().version()
}

/// Ranks the files of a view; `share` is the part of meaning, 0 for words alone and 1 for meaning alone. `None` while
/// nothing is indexed.
pub fn rank(view: &View, text: &str, share: f32) -> Result<Option<Ranking>, QueryError> {
    let Some(snapshot) = &view.published else { return Ok(None) };
    let corpus = snapshot.corpus()?;
    let stats = corpus.kept(&STATS, CorpusStats::of);
    let query = Query::parse(text);
    let by_words = || lexical::score(&corpus, &query, &stats, &lexical::Postings::default(), None);
    let (meaning, lexical) = if share > 0.0 {
        semantic::score_while(&corpus, [&query.text], &vec![true; corpus.files().len()], by_words)
    } else {
        (Err(LexicalOnly::Asked), by_words())
    };
    let lexical = lexical?;
    let (by_meaning, lexical_only) = match meaning {
        Ok([semantic]) => (semantic.chunks, None),
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
        if documents::is_candidate(*words, *near, share) {
            let (words, meaning) = (part(*words, most_words), part(*near, most_near));
            let score = documents::mix(words, meaning, share);
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
    let best = [&lexical.files, &lexical.names, &lexical.stems, &lexical.folders].map(|scores| highest(scores));
    (0..corpus.files().len())
        .map(|file| {
            let scores = [lexical.files[file], lexical.names[file], lexical.stems[file], lexical.folders[file]];
            documents::words(scores, best, lexical.coverage[file])
        })
        .collect()
}
