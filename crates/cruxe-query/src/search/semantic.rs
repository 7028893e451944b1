//! Nearness in meaning, by the embeddings of chunks.

use cruxe_embed::{Table, dot};
use cruxe_model::Metadata;
use cruxe_store::{Corpus, FileNumber};

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
}

impl LexicalOnly {
    /// What to tell the reader; nothing where it was the reader's wish.
    pub fn warning(self) -> Option<&'static str> {
        match self {
            LexicalOnly::Asked => None,
            LexicalOnly::UnknownWords => Some("semantic search has no vector for this query; ranked by words alone"),
            LexicalOnly::NoVectors => {
                Some("the index has no embeddings of the current model yet; ranked by words alone until it is synced")
            }
        }
    }
}

/// Compares the query with every chunk of the files that are wanted.
pub(super) fn score(corpus: &Corpus, text: &str, wanted: impl Fn(FileNumber) -> bool) -> Result<Semantic, LexicalOnly> {
    let table = Table::builtin();
    let vectors = corpus.vectors().filter(|vectors| vectors.embedding.model == table.version());
    let vectors = vectors.ok_or(LexicalOnly::NoVectors)?;
    let query = table.embed(text).ok_or(LexicalOnly::UnknownWords)?;
    let mut chunks = vec![0.0; corpus.chunks()];
    for file in (0..corpus.files().len() as FileNumber).filter(|file| wanted(*file)) {
        let first = corpus.chunks_of(file).start as usize;
        for (at, row) in vectors.rows_of(file).chunks_exact(table.dims()).enumerate() {
            if let Some(place) = chunks.get_mut(first + at) {
                // Every vector has nearly the same length, the query's.
                *place = (dot(&query.values, row) as f32 * query.scale * query.scale).clamp(0.0, 1.0);
            }
        }
    }
    Ok(Semantic { chunks })
}

/// Says which model was used.
pub(super) fn note(metadata: Metadata, outcome: Option<LexicalOnly>) -> Metadata {
    let model = match outcome {
        None => Table::builtin().version(),
        Some(_) => "none",
    };
    let mut metadata = metadata.with("embedding_model", model);
    metadata.warnings.extend(outcome.and_then(LexicalOnly::warning).map(str::to_owned));
    metadata
}
