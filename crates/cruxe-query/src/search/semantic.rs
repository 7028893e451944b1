//! Nearness in meaning, by the embeddings of chunks.

use cruxe_embed::Table;
use cruxe_store::{Comparison, Corpus, FileNumber};
use parking_lot::Mutex;

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

/// Compares texts with every chunk of the files that are wanted, and does something else meanwhile: a second core begins
/// with the comparisons, and this one helps when it has done the other thing. The last text says most; nothing is near
/// another that has no vector.
pub(super) fn score_while<const N: usize, R>(
    corpus: &Corpus,
    texts: [&str; N],
    wanted: &[bool],
    other: impl FnOnce() -> R,
) -> (Result<[Semantic; N], LexicalOnly>, R) {
    let queries = texts.map(|text| prepare(corpus, text));
    if let Some(Err(why)) = queries.last() {
        return (Err(*why), other());
    }
    let mut near: [Semantic; N] = std::array::from_fn(|_| Semantic { chunks: vec![0.0; corpus.chunks()] });
    let mut blocks = Vec::new();
    for (query, semantic) in queries.iter().zip(&mut near) {
        let (Ok(query), mut rest, mut first) = (query, semantic.chunks.as_mut_slice(), 0) else { continue };
        while first < corpus.files().len() {
            let last = (first + FILES_AT_A_TIME).min(corpus.files().len());
            let chunks: usize = (first..last).map(|file| corpus.chunks_of(file as FileNumber).len()).sum();
            let (block, after) = rest.split_at_mut(chunks);
            blocks.push((query, first..last, block));
            (rest, first) = (after, last);
        }
    }
    let blocks = Mutex::new(blocks);
    let next = || blocks.lock().pop();
    let compare = || {
        while let Some((query, files, mut out)) = next() {
            for file in files {
                let (own, after) = out.split_at_mut(corpus.chunks_of(file as FileNumber).len());
                if wanted[file] {
                    query.cosines(file as FileNumber, own);
                    own.iter_mut().for_each(|cosine| *cosine = cosine.clamp(0.0, 1.0));
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
    (Ok(near), done)
}

fn prepare<'c>(corpus: &'c Corpus, text: &str) -> Result<Comparison<'c>, LexicalOnly> {
    let table = Table::builtin();
    let vectors = corpus.vectors().filter(|vectors| vectors.embedding.model == table.version());
    let missing = if corpus.vectors_damaged() { LexicalOnly::Damaged } else { LexicalOnly::NoVectors };
    let vectors = vectors.ok_or(missing)?;
    let query = table.embed(text).ok_or(LexicalOnly::UnknownWords)?;
    Ok(vectors.compare(&query))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Indexed;
    use cruxe_model::config::Config;

    /// Files are numbered in path order; each of these is one chunk.
    const FILES: &[(&str, &str)] = &[
        (
            "invoice.py",
            "def make_invoice(cart):\n    \"\"\"Adds tax to the prices of a cart.\"\"\"\n    return cart.total * 1.19\n",
        ),
        (
            "network.py",
            "def connect(host):\n    \"\"\"Opens a socket to a remote host.\"\"\"\n    return socket(host)\n",
        ),
    ];

    fn cosines(indexed: &Indexed, text: &str, wanted: [bool; 2]) -> Result<Vec<f32>, LexicalOnly> {
        let view = indexed.view();
        let corpus = view.published.as_ref().unwrap().corpus().unwrap();
        let (semantic, other) = score_while(&corpus, [text], &wanted, || "done meanwhile");
        assert_eq!(other, "done meanwhile");
        semantic.map(|[semantic]| semantic.chunks)
    }

    #[test]
    fn what_means_the_same_is_nearer_than_what_does_not() {
        let indexed = Indexed::new(FILES);
        let near = cosines(&indexed, "value added tax on a bill", [true, true]).unwrap();
        assert!(near.len() == 2 && near[0] > near[1], "{near:?}");
        let near = cosines(&indexed, "tcp connection to a server", [true, true]).unwrap();
        assert!(near[1] > near[0], "{near:?}");
    }

    #[test]
    fn several_texts_are_compared_each_for_itself() {
        let indexed = Indexed::new(FILES);
        let view = indexed.view();
        let corpus = view.published.as_ref().unwrap().corpus().unwrap();
        let near = |texts: [&str; 2]| score_while(&corpus, texts, &[true, true], || ()).0;
        let [tax, socket] = near(["tax on a bill", "tcp connection"]).unwrap();
        assert_eq!(tax.chunks, cosines(&indexed, "tax on a bill", [true, true]).unwrap());
        assert_eq!(socket.chunks, cosines(&indexed, "tcp connection", [true, true]).unwrap());
        let [unknown, socket] = near(["\u{0d09}\u{0d24}", "tcp connection"]).unwrap();
        assert_eq!(unknown.chunks, [0.0, 0.0]);
        assert!(socket.chunks[1] > 0.0);
        assert_eq!(near(["tcp connection", "\u{0d09}\u{0d24}"]).err(), Some(LexicalOnly::UnknownWords));
    }

    #[test]
    fn files_that_are_not_wanted_are_not_compared() {
        let indexed = Indexed::new(FILES);
        let both = cosines(&indexed, "tax on a bill", [true, true]).unwrap();
        assert_eq!(cosines(&indexed, "tax on a bill", [true, false]).unwrap(), [both[0], 0.0]);
        assert_eq!(cosines(&indexed, "tax on a bill", [false, false]).unwrap(), [0.0, 0.0]);
    }

    #[test]
    fn without_vectors_or_known_words_the_reason_is_told() {
        assert_eq!(cosines(&Indexed::new(FILES), "\u{0d09}\u{0d24}", [true, true]), Err(LexicalOnly::UnknownWords));
        let mut config = Config::default();
        config.semantic.enabled = false;
        assert_eq!(cosines(&Indexed::with(FILES, config), "tax", [true, true]), Err(LexicalOnly::NoVectors));
    }
}
