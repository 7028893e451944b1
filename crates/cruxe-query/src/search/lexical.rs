//! BM25 over the chunks and files of one ref.

use std::collections::HashMap;

use cruxe_store::{Corpus, FileNumber, StoreError, TextField};

use super::places::PathWords;
use super::query::Query;

/// How fast a word's repetition stops to count, and how much long texts are held back.
#[derive(Clone, Copy)]
struct Saturation {
    k1: f32,
    b: f32,
}

const CHUNK: Saturation = Saturation { k1: 1.2, b: 0.75 };
/// A file that says a word often is about it, however long it is.
const FILE: Saturation = Saturation { k1: 1.5, b: 0.4 };
const FILE_NAMES: Saturation = Saturation { k1: 0.8, b: 0.3 };
const STEM: Saturation = Saturation { k1: 0.5, b: 0.5 };
const FOLDER: Saturation = Saturation { k1: 0.5, b: 0.3 };

/// What the words of a query weigh where.
pub(super) struct Lexical {
    /// Per chunk, its text and the name of its symbol.
    pub chunks: Vec<f32>,
    /// Per file, its whole text.
    pub files: Vec<f32>,
    /// Per file, the names of its definitions.
    pub names: Vec<f32>,
    /// Per file, the words of its own name.
    pub stems: Vec<f32>,
    /// Per file, how much of its own name the query says, 0 to 1.
    pub stem_share: Vec<f32>,
    /// Per file, the words of its folders.
    pub folders: Vec<f32>,
    /// Per file, which part of the query's words it has, by their weight: 0 to 1.
    pub coverage: Vec<f32>,
    /// Words of the query that no text of the ref has.
    pub unknown: Vec<String>,
}

struct Scorer {
    saturation: Saturation,
    documents: f32,
    average: f32,
}

impl Scorer {
    fn new(saturation: Saturation, lengths: &[u32]) -> Scorer {
        let documents = lengths.len() as f32;
        let sum: u64 = lengths.iter().map(|length| u64::from(*length)).sum();
        Scorer { saturation, documents, average: (sum as f32 / documents.max(1.0)).max(1e-6) }
    }

    fn rarity(&self, having: usize) -> f32 {
        let having = having as f32;
        (1.0 + (self.documents - having + 0.5).max(0.0) / (having + 0.5)).ln()
    }

    fn weight(&self, rarity: f32, frequency: u32, length: u32) -> f32 {
        let Saturation { k1, b } = self.saturation;
        let frequency = frequency as f32;
        rarity * frequency * (k1 + 1.0) / (frequency + k1 * (1.0 - b + b * length as f32 / self.average))
    }
}

/// Looks every word up once.
pub(super) fn score(
    corpus: &Corpus,
    query: &Query,
    stems: &PathWords,
    folders: &PathWords,
) -> Result<Lexical, StoreError> {
    let (files, chunks) = (corpus.files().len(), corpus.chunks());
    let file_lengths = |field| -> Vec<u32> {
        let mut lengths = vec![0; files];
        for (file, length) in corpus.file_of().iter().zip(corpus.lengths(field)) {
            lengths[*file as usize] += length;
        }
        lengths
    };
    let (body, name) = (corpus.lengths(TextField::Body), corpus.lengths(TextField::Name));
    let (file_body, file_name) = (file_lengths(TextField::Body), file_lengths(TextField::Name));
    let chunk_body = Scorer::new(CHUNK, body);
    let chunk_name = Scorer::new(CHUNK, name);
    let whole_files = Scorer::new(FILE, &file_body);
    let file_names = Scorer::new(FILE_NAMES, &file_name);
    let mut lexical = Lexical {
        chunks: vec![0.0; chunks],
        files: vec![0.0; files],
        names: vec![0.0; files],
        stems: vec![0.0; files],
        stem_share: vec![0.0; files],
        folders: vec![0.0; files],
        coverage: vec![0.0; files],
        unknown: Vec::new(),
    };
    let mut weight_of_all = 0.0;
    let compounds = query.compounds.iter().map(|token| (token, false));
    for (token, counts) in query.words.iter().map(|token| (token, true)).chain(compounds) {
        let postings = corpus.postings(TextField::Body, token)?;
        let rarity = chunk_body.rarity(postings.len());
        for (chunk, frequency) in &postings {
            lexical.chunks[*chunk as usize] += chunk_body.weight(rarity, *frequency, body[*chunk as usize]);
        }
        let in_files = by_file(corpus, &postings);
        let rarity = whole_files.rarity(in_files.len());
        for (file, frequency) in &in_files {
            // A compound says again what its words say; in a whole file that is no news.
            if counts {
                lexical.files[*file as usize] += whole_files.weight(rarity, *frequency, file_body[*file as usize]);
                lexical.coverage[*file as usize] += rarity;
            }
        }
        if counts {
            weight_of_all += rarity;
            if postings.is_empty() {
                lexical.unknown.push(token.clone());
            }
        }
        let postings = corpus.postings(TextField::Name, token)?;
        let rarity = chunk_name.rarity(postings.len());
        for (chunk, frequency) in &postings {
            lexical.chunks[*chunk as usize] += chunk_name.weight(rarity, *frequency, name[*chunk as usize]);
        }
        let in_files = by_file(corpus, &postings);
        let rarity = file_names.rarity(in_files.len());
        for (file, frequency) in &in_files {
            lexical.names[*file as usize] += file_names.weight(rarity, *frequency, file_name[*file as usize]);
        }
        add_path_words(&mut lexical.stems, stems, STEM, token);
        for file in stems.files.get(token).into_iter().flatten() {
            lexical.stem_share[*file as usize] += 1.0 / stems.lengths[*file as usize].max(1) as f32;
        }
        if counts {
            add_path_words(&mut lexical.folders, folders, FOLDER, token);
        }
    }
    lexical.stem_share.iter_mut().for_each(|share| *share = share.min(1.0));
    if weight_of_all > 0.0 {
        lexical.coverage.iter_mut().for_each(|covered| *covered /= weight_of_all);
    }
    Ok(lexical)
}

fn by_file(corpus: &Corpus, postings: &[(u32, u32)]) -> HashMap<FileNumber, u32, foldhash::fast::FixedState> {
    let mut files = HashMap::default();
    for (chunk, frequency) in postings {
        *files.entry(corpus.file_of()[*chunk as usize]).or_insert(0) += frequency;
    }
    files
}

fn add_path_words(scores: &mut [f32], words: &PathWords, saturation: Saturation, token: &str) {
    let Some(files) = words.files.get(token) else { return };
    let scorer = Scorer::new(saturation, &words.lengths);
    let rarity = scorer.rarity(files.len());
    for file in files {
        scores[*file as usize] += scorer.weight(rarity, 1, words.lengths[*file as usize]);
    }
}
