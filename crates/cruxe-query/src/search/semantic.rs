//! Nearness in meaning, by the embeddings of chunks.

use std::sync::{Mutex, PoisonError};

use cruxe_embed::{Probe, Table};
use cruxe_store::{Corpus, FileNumber, Vectors};

use super::{Notice, Remarks};

/// The cosine of every chunk with the query.
pub(super) struct Semantic {
    pub chunks: Vec<f32>,
}

/// Why an answer is by words alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LexicalOnly {
    /// It was asked for.
    Asked,
    /// No word of the query is in the model's vocabulary.
    UnknownWords,
    /// The index has no embeddings of this program's model yet.
    NoVectors,
    /// The index's embeddings are not what was written.
    Damaged,
}

/// Files that are compared in one go.
const FILES_AT_A_TIME: usize = 64;

/// Compares the query with every chunk of the files that are wanted, and does something else meanwhile: a second core
/// begins with the comparisons, and this one helps when it has done the other thing.
pub(super) fn score_while<R>(
    corpus: &Corpus,
    text: &str,
    wanted: &[bool],
    other: impl FnOnce() -> R,
) -> (Result<Semantic, LexicalOnly>, R) {
    let (query, vectors) = match prepare(corpus, text) {
        Ok(prepared) => prepared,
        Err(why) => return (Err(why), other()),
    };
    let mut chunks = vec![0.0; corpus.chunks()];
    let mut blocks = Vec::new();
    let (mut rest, mut first) = (chunks.as_mut_slice(), 0);
    while first < corpus.files().len() {
        let last = (first + FILES_AT_A_TIME).min(corpus.files().len());
        let chunks: usize = (first..last).map(|file| corpus.chunks_of(file as FileNumber).len()).sum();
        let (block, after) = rest.split_at_mut(chunks);
        blocks.push((first..last, block));
        (rest, first) = (after, last);
    }
    let blocks = Mutex::new(blocks);
    let next = || blocks.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let compare = || {
        while let Some((files, mut out)) = next() {
            for file in files {
                let (mut own, after) = out.split_at_mut(corpus.chunks_of(file as FileNumber).len());
                for rows in vectors.rows_of(file as FileNumber).take_while(|_| wanted[file]) {
                    let (these, later) = own.split_at_mut((rows.len() / query.row_bytes()).min(own.len()));
                    query.cosines(rows, these);
                    these.iter_mut().for_each(|cosine| *cosine = cosine.clamp(0.0, 1.0));
                    own = later;
                }
                out = after;
            }
        }
    };
    let done = std::thread::scope(|scope| {
        scope.spawn(compare);
        let done = other();
        compare();
        done
    });
    (Ok(Semantic { chunks }), done)
}

fn prepare<'c>(corpus: &'c Corpus, text: &str) -> Result<(Probe, &'c Vectors), LexicalOnly> {
    let table = Table::builtin();
    let vectors = corpus.vectors().filter(|vectors| vectors.embedding.model == table.version());
    let missing = if corpus.vectors_damaged() { LexicalOnly::Damaged } else { LexicalOnly::NoVectors };
    let vectors = vectors.ok_or(missing)?;
    let query = table.embed(text).ok_or(LexicalOnly::UnknownWords)?;
    Ok((Probe::new(&query), vectors))
}

/// Notes which model was used, or why none was.
pub(super) fn note(remarks: &mut Remarks, outcome: Option<LexicalOnly>) {
    remarks.embedding_model = Some(match outcome {
        None => Table::builtin().version().to_owned(),
        Some(_) => "none".to_owned(),
    });
    // That it was asked for is no news to whoever asked.
    let news = outcome.filter(|why| *why != LexicalOnly::Asked);
    remarks.notices.extend(news.map(Notice::LexicalOnly));
}
