//! The words of a report, and what they weigh where.

use std::collections::{HashMap, HashSet};

use cruxe_store::{TextField, tokens};

use super::super::Search;
use super::super::lexical::{Having, add_path_words, by_file};
use super::super::query::is_stop_word;
use super::super::rank::bm25::{Bm25, CHUNK, FILE, FOLDER, STEM};
use super::super::rank::reports::{self, MAX_READ, MAX_TITLE, MAX_WORDS};
use super::read::Report;
use crate::error::QueryError;

/// A word that counts.
pub(super) struct Word {
    pub token: String,
    /// What it counts for, by how often the report says it.
    pub weight: f32,
    /// The title says it.
    pub in_title: bool,
    /// The chunks that have it.
    pub chunks: Having,
    /// How rare it is among chunks, and among their names.
    pub rarity: f32,
    pub rarity_in_names: f32,
}

/// What the words weigh where.
pub(super) struct Weighed {
    pub words: Vec<Word>,
    /// Per chunk.
    pub chunks: Vec<f32>,
    /// Per file, the words of the title in its whole text.
    pub titles: Vec<f32>,
    /// Per file, the words of its own name.
    pub stems: Vec<f32>,
    /// Per file, the words of its folders.
    pub folders: Vec<f32>,
}

/// Weighs the words of a report.
pub(super) fn weigh(search: &Search, report: &Report) -> Result<Weighed, QueryError> {
    let (corpus, stats) = (&*search.corpus, &*search.stats);
    let in_chunks = Bm25 { saturation: CHUNK, lengths: &stats.chunk_bodies, among: None };
    let in_names = Bm25 { saturation: CHUNK, lengths: &stats.chunk_names, among: None };
    let in_files = Bm25 { saturation: FILE, lengths: &stats.file_bodies, among: None };
    let files = corpus.files().len();
    let mut words = choose(search, report)?;
    let mut frequencies = vec![0; files];
    let (mut chunks, mut titles) = (vec![0.0; corpus.chunks()], vec![0.0; files]);
    let (mut stems, mut folders) = (vec![0.0; files], vec![0.0; files]);
    for word in &mut words {
        search.view.work.check()?;
        for (chunk, frequency) in &*word.chunks {
            chunks[*chunk as usize] += word.weight * in_chunks.weight(word.rarity, *frequency, *chunk);
        }
        if word.in_title {
            let having = by_file(corpus, &word.chunks, &mut frequencies);
            let rarity = in_files.rarity(having.len());
            having.iter().for_each(|(file, often)| titles[*file as usize] += in_files.weight(rarity, *often, *file));
        }
        word.rarity_in_names = in_names.rarity(search.postings.of(corpus, TextField::Name, &word.token)?.len());
        add_path_words(&mut stems, &stats.stems, STEM, (&word.token, &word.token), None);
        add_path_words(&mut folders, &stats.folders, FOLDER, (&word.token, &word.token), None);
    }
    for (score, factor) in chunks.iter_mut().zip(&stats.chunk_factors) {
        *score *= factor;
    }
    Ok(Weighed { words, chunks, titles, stems, folders })
}

/// The words that tell most: those of the title, and of the others the rarest and most repeated.
fn choose(search: &Search, report: &Report) -> Result<Vec<Word>, QueryError> {
    let mut times: HashMap<String, u32> = HashMap::new();
    let mut order: Vec<String> = Vec::new();
    for token in telling(&report.whole) {
        let known = times.entry(token.clone()).or_default();
        *known += 1;
        if *known == 1 {
            order.push(token);
        }
    }
    let title: HashSet<String> = telling(&report.title).take(MAX_TITLE).collect();
    order.retain(|token| title.contains(token) || token.len() > 1 && !IN_ALL_CODE.contains(&token.as_str()));
    let prose: HashSet<String> = telling(&report.prose).collect();
    order.sort_by_key(|token| (!title.contains(token), !prose.contains(token)));
    order.truncate(MAX_READ);
    let rarity = Bm25 { saturation: CHUNK, lengths: &search.stats.chunk_bodies, among: None };
    let mut words = Vec::with_capacity(order.len());
    for token in order {
        search.view.work.check()?;
        let chunks = search.postings.of(&search.corpus, TextField::Body, &token)?;
        let (weight, in_title) = (reports::repeated(times[&token]), title.contains(&token));
        let rarity = rarity.rarity(chunks.len());
        words.push(Word { token, weight, in_title, chunks, rarity, rarity_in_names: 0.0 });
    }
    // Words that nothing has can still be those of a path.
    let tells = |word: &Word| if word.chunks.is_empty() { 0.0 } else { word.rarity * word.weight };
    words.sort_by(|a, b| b.in_title.cmp(&a.in_title).then(tells(b).total_cmp(&tells(a))));
    let of_title = words.iter().take_while(|word| word.in_title).count();
    words.truncate(of_title + MAX_WORDS);
    Ok(words)
}

/// Words that half of all code has, by their stems: they would be read for nothing.
const IN_ALL_CODE: &[&str] = &[
    "self", "def", "return", "import", "class", "non", "null", "true", "fals", "print", "int", "str", "string", "new",
    "var", "let", "const", "function", "func", "fn", "public", "privat", "static", "void", "else", "try", "except",
    "catch", "throw", "raise", "rais", "nam", "valu", "typ", "get", "set", "init", "__init__", "lin", "fil",
];

/// The words of a text that may tell something.
fn telling(text: &str) -> impl Iterator<Item = String> {
    let says_nothing = |token: &String| is_stop_word(token) || token.bytes().all(|byte| byte.is_ascii_digit());
    tokens(text).into_iter().filter(move |token| !says_nothing(token))
}

/// How rare the words of a name are that a report says, by how many words it has.
pub(super) struct NameFit<'w> {
    words: HashMap<&'w str, &'w Word>,
}

impl<'w> NameFit<'w> {
    pub fn new(words: &'w [Word]) -> NameFit<'w> {
        NameFit { words: words.iter().map(|word| (word.token.as_str(), word)).collect() }
    }

    /// What the title and the whole report say of a name.
    pub fn of(&self, name: &str) -> (f32, f32) {
        let mut having = tokens(name);
        having.sort_unstable();
        having.dedup();
        let (mut title, mut whole) = (0.0, 0.0);
        for word in having.iter().filter_map(|token| self.words.get(token.as_str())) {
            whole += word.rarity_in_names;
            title += if word.in_title { word.rarity_in_names } else { 0.0 };
        }
        let count = having.len().max(1) as f32;
        (title / count, whole / count)
    }
}

impl Weighed {
    /// What the words weigh in a text that is so long, in averages.
    pub fn in_text(&self, text: &str, length: f32) -> f32 {
        let mut times: HashMap<String, f32> = HashMap::new();
        tokens(text).into_iter().for_each(|token| *times.entry(token).or_default() += 1.0);
        let having = self.words.iter().filter_map(|word| Some((word, times.get(&word.token)?)));
        having.map(|(word, often)| word.in_place(*often, length)).sum()
    }
}

/// A chunk that no place of the report's files has.
pub(super) const NO_PLACE: u32 = u32::MAX;

/// What the words weigh in places that are made of chunks: a function that is too long for one chunk is one text.
pub(super) fn weigh_places(words: &[Word], place_of: &[u32], lengths: &[f32]) -> Vec<f32> {
    let mut scores = vec![0.0; lengths.len()];
    let (mut times, mut touched) = (vec![0.0f32; lengths.len()], Vec::new());
    for word in words {
        for (chunk, frequency) in &*word.chunks {
            let place = place_of[*chunk as usize];
            if place != NO_PLACE {
                if times[place as usize] == 0.0 {
                    touched.push(place);
                }
                times[place as usize] += *frequency as f32;
            }
        }
        for place in touched.drain(..) {
            let often = std::mem::take(&mut times[place as usize]);
            scores[place as usize] += word.in_place(often, lengths[place as usize]);
        }
    }
    scores
}

impl Word {
    /// What it counts for in a place that has it so often and is so long, in averages.
    pub fn in_place(&self, often: f32, length: f32) -> f32 {
        self.weight * reports::FUNCTION.weight(self.rarity, often, length)
    }
}
