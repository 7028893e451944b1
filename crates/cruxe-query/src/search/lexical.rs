//! BM25 over the chunks and files of one ref.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use cruxe_store::{ChunkNumber, Corpus, FileNumber, StoreError, TextField, WordPlace};

use super::among::{Among, Statistic};
use super::query::Query;
use super::rank::bm25::{Bm25, CHUNK, FILE, FILE_NAMES, FOLDER, STEM, Saturation};
use super::roots::root;
use super::stats::{CorpusStats, PathWords};

/// What the words of a query weigh where.
pub(super) struct Lexical {
    /// Per chunk, its text and the name of its symbol.
    pub chunks: Vec<f32>,
    /// Per file, its whole text.
    pub files: Vec<f32>,
    /// Per file, the names of its definitions.
    pub names: Vec<f32>,
    /// Per file, the words of its own name, by their roots and by how much of the name the query says.
    pub stems: Vec<f32>,
    /// Per file, the words of its folders.
    pub folders: Vec<f32>,
    /// Per file, which part of the query's words it has, by their weight: 0 to 1.
    pub coverage: Vec<f32>,
    /// Words of the query that no text of the ref has.
    pub unknown: Vec<String>,
}

/// Weighs every word of a query.
pub(super) fn score(
    corpus: &Corpus,
    query: &Query,
    stats: &CorpusStats,
    looked_up: &Postings,
    among: Option<&Among>,
) -> Result<Lexical, StoreError> {
    let (files, chunks) = (corpus.files().len(), corpus.chunks());
    let [of_bodies, of_names, of_files, of_file_names] = among.map_or([None; 4], |among| among.statistics().map(Some));
    let chunk_body = Bm25 { saturation: CHUNK, lengths: &stats.chunk_bodies, among: of_bodies };
    let chunk_name = Bm25 { saturation: CHUNK, lengths: &stats.chunk_names, among: of_names };
    let whole_files = Bm25 { saturation: FILE, lengths: &stats.file_bodies, among: of_files };
    let file_names = Bm25 { saturation: FILE_NAMES, lengths: &stats.file_names, among: of_file_names };
    // How many texts or files have a word: here, or in all repositories that the question is about.
    let texts = |place, token: &str, here: usize| among.map_or(here, |among| among.texts_with(place, token).max(here));
    let in_all = |place, token: &str, here: usize| among.map_or(here, |among| among.files_with(place, token).max(here));
    let (stems, folders) = (&stats.stem_roots, &stats.folders);
    let mut roots = HashSet::new();
    let mut frequencies = vec![0; files];
    let mut lexical = Lexical {
        chunks: vec![0.0; chunks],
        files: vec![0.0; files],
        names: vec![0.0; files],
        stems: vec![0.0; files],
        folders: vec![0.0; files],
        coverage: vec![0.0; files],
        unknown: Vec::new(),
    };
    let (mut weight_of_all, mut stem_share) = (0.0, vec![0.0; files]);
    let compounds = query.compounds.iter().map(|token| (token, false));
    for (token, counts) in query.words.iter().map(|token| (token, true)).chain(compounds) {
        let postings = looked_up.of(corpus, TextField::Body, token)?;
        let rarity = chunk_body.rarity(texts(WordPlace::Body, token, postings.len()));
        for (chunk, frequency) in &*postings {
            lexical.chunks[*chunk as usize] += chunk_body.weight(rarity, *frequency, *chunk);
        }
        let in_files = by_file(corpus, &postings, &mut frequencies);
        let rarity = whole_files.rarity(in_all(WordPlace::Body, token, in_files.len()));
        for (file, frequency) in &in_files {
            // A compound says again what its words say; in a whole file that is no news.
            if counts {
                lexical.files[*file as usize] += whole_files.weight(rarity, *frequency, *file);
                lexical.coverage[*file as usize] += rarity;
            }
        }
        if counts {
            weight_of_all += rarity;
            if postings.is_empty() {
                lexical.unknown.push(token.clone());
            }
        }
        let postings = looked_up.of(corpus, TextField::Name, token)?;
        let rarity = chunk_name.rarity(texts(WordPlace::Name, token, postings.len()));
        for (chunk, frequency) in &*postings {
            lexical.chunks[*chunk as usize] += chunk_name.weight(rarity, *frequency, *chunk);
        }
        let in_files = by_file(corpus, &postings, &mut frequencies);
        let rarity = file_names.rarity(in_all(WordPlace::Name, token, in_files.len()));
        for (file, frequency) in &in_files {
            lexical.names[*file as usize] += file_names.weight(rarity, *frequency, *file);
        }
        let root = root(token);
        if roots.insert(root) {
            add_path_words(&mut lexical.stems, stems, STEM, (root, token), among);
            for file in stems.files.get(root).into_iter().flatten() {
                stem_share[*file as usize] += 1.0 / stems.lengths.each[*file as usize].max(1) as f32;
            }
        }
        if counts {
            add_path_words(&mut lexical.folders, folders, FOLDER, (token, token), among);
        }
    }
    lexical.stems.iter_mut().zip(stem_share).for_each(|(score, share): (&mut f32, f32)| *score *= share.min(1.0));
    if weight_of_all > 0.0 {
        lexical.coverage.iter_mut().for_each(|covered| *covered /= weight_of_all);
    }
    Ok(lexical)
}

/// How often each file has a word that these chunks have. `frequencies` is scratch, all zero before and after.
pub(super) fn by_file(
    corpus: &Corpus,
    postings: &[(ChunkNumber, u32)],
    frequencies: &mut [u32],
) -> Vec<(FileNumber, u32)> {
    let mut having = Vec::new();
    for (chunk, frequency) in postings {
        let file = corpus.file_of()[*chunk as usize];
        if frequencies[file as usize] == 0 {
            having.push((file, 0));
        }
        frequencies[file as usize] += frequency;
    }
    for (file, frequency) in &mut having {
        *frequency = std::mem::take(&mut frequencies[*file as usize]);
    }
    having
}

/// Weighs a word of paths, which they may have under another form than the one that is counted over several repositories.
pub(super) fn add_path_words(
    scores: &mut [f32],
    words: &PathWords,
    saturation: Saturation,
    (word, token): (&str, &str),
    among: Option<&Among>,
) {
    let Some(files) = words.files.get(word) else { return };
    let of_paths = among.map(|among| Statistic { average: words.lengths.average, ..among.statistics()[2] });
    let scorer = Bm25 { saturation, lengths: &words.lengths, among: of_paths };
    let rarity =
        scorer.rarity(among.map_or(files.len(), |among| among.texts_with(WordPlace::Path, token).max(files.len())));
    for file in files {
        scores[*file as usize] += scorer.weight(rarity, 1, *file);
    }
}

/// The chunks that have a word, and how often.
pub(super) type Having = Rc<Vec<(ChunkNumber, u32)>>;

/// The postings that a question has looked up: several parts of a search ask for the same words.
#[derive(Default)]
pub(super) struct Postings {
    known: RefCell<HashMap<(TextField, String), Having>>,
}

impl Postings {
    /// The chunks that have a token, and how often.
    pub fn of(&self, corpus: &Corpus, field: TextField, token: &str) -> Result<Having, StoreError> {
        let key = (field, token.to_owned());
        if let Some(known) = self.known.borrow().get(&key) {
            return Ok(Rc::clone(known));
        }
        let found = Rc::new(corpus.postings(field, token)?);
        self.known.borrow_mut().insert(key, Rc::clone(&found));
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Indexed;

    /// Chunks and files are numbered in path order; each of these files is one chunk.
    const FILES: &[(&str, &str)] = &[
        ("cart.py", "def total(prices):\n    return sum(prices)\n"),
        ("quota.py", "def check_quota(client):\n    return client.quota > 0\n"),
    ];

    fn lexical(query: &str) -> Lexical {
        let indexed = Indexed::new(FILES);
        let view = indexed.view();
        let corpus = view.published.as_ref().unwrap().corpus().unwrap();
        score(&corpus, &Query::parse(query), &CorpusStats::of(&corpus), &Postings::default(), None).unwrap()
    }

    #[test]
    fn a_word_counts_where_it_stands_and_nowhere_else() {
        let lexical = lexical("quota");
        assert_eq!(lexical.coverage, [0.0, 1.0]);
        assert_eq!(lexical.stems, [0.0, 2.0f32.ln()], "one of two files has it, and the query is its whole name");
        assert_eq!(lexical.folders, [0.0, 0.0]);
        for scores in [&lexical.chunks, &lexical.files, &lexical.names] {
            assert!(scores[0] == 0.0 && scores[1] > 0.0, "{scores:?}");
        }
        assert_eq!(lexical.unknown, [""; 0]);
    }

    #[test]
    fn a_text_covers_the_part_of_the_words_that_it_has_by_their_weight() {
        let lexical = lexical("sum of a zebra");
        let (sum, zebra) = (2.0f32.ln(), 6.0f32.ln());
        assert_eq!(lexical.coverage, [sum / (sum + zebra), 0.0]);
        assert_eq!(lexical.unknown, ["zebra"]);
    }

    #[test]
    fn a_file_is_known_by_what_is_made_of_the_words_of_its_name() {
        let files = [("carter.py", "x = 1\n"), ("validator.py", "y = 2\n"), ("validator_cart.py", "z = 3\n")];
        let indexed = Indexed::new(&files);
        let view = indexed.view();
        let corpus = view.published.as_ref().unwrap().corpus().unwrap();
        let stats = CorpusStats::of(&corpus);
        let stems =
            |query: &str| score(&corpus, &Query::parse(query), &stats, &Postings::default(), None).unwrap().stems;
        let validated = stems("how is it validated");
        assert!(validated[0] == 0.0 && validated[1] > 2.0 * validated[2] && validated[2] > 0.0, "{validated:?}");
        assert_eq!(stems("validation, validators and what validates"), validated, "a root counts once");
        assert_eq!(stems("zebra"), [0.0; 3]);
    }

    #[test]
    fn a_compound_counts_in_chunks_and_names_but_not_twice_in_whole_files() {
        let (words, compound) = (lexical("quota client"), lexical("check quota"));
        assert_eq!(words.coverage, [0.0, 1.0]);
        assert_eq!(compound.coverage, [0.0, 1.0], "`check_quota` is one word of the text and two of the query");
        assert_eq!(lexical("zebra").files, [0.0, 0.0]);
    }
}
