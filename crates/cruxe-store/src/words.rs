//! The words of a file's chunks, counted on the thread that read it.
//!
//! Most words of a program were there before, so the terms of a word as it is written are remembered, and counting is a look at a
//! small table. What is left for the writer is to put the counts of all files into a segment.

use std::sync::Arc;

use cruxe_embed::{Embedder, Table, Text, push_row, row_bytes};
use cruxe_model::RepoPath;
use cruxe_model::facts::FileFacts;
use foldhash::HashMap;
use parking_lot::Mutex;

use crate::text::TEST_CHUNK;
use crate::tokenizer::{Word, words};

/// With so many bytes in them, terms are collected anew: those that come with every file are soon together again.
const MOST_BYTES: usize = 32 << 20;
/// So many words as they are written are remembered by a thread.
const MOST_WORDS: usize = 1 << 17;

/// The number of a term among the [`Terms`] that it belongs to.
pub(crate) type TermId = u32;

/// Hands out the numbers of terms to all threads of a job.
pub struct Lexicon {
    current: Mutex<Arc<Terms>>,
    most_bytes: usize,
}

impl Default for Lexicon {
    fn default() -> Lexicon {
        Lexicon { current: Mutex::default(), most_bytes: MOST_BYTES }
    }
}

/// Terms, each with a number.
#[derive(Default)]
pub(crate) struct Terms {
    list: Mutex<TermList>,
}

/// Terms in the order of their numbers.
#[derive(Default)]
pub(crate) struct TermList {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, TermId>,
    bytes: usize,
}

impl Lexicon {
    /// The terms that files are counted in from now on.
    fn current(&self) -> Arc<Terms> {
        let mut current = self.current.lock();
        if current.list.lock().bytes > self.most_bytes {
            *current = Arc::default();
        }
        Arc::clone(&current)
    }
}

impl Terms {
    /// The texts of all terms so far, by their numbers.
    pub fn texts(&self) -> Vec<Arc<str>> {
        self.list.lock().texts.clone()
    }
}

impl TermList {
    fn number(&mut self, term: &str) -> TermId {
        if let Some(number) = self.numbers.get(term) {
            return *number;
        }
        let (text, number) = (Arc::<str>::from(term), self.texts.len() as TermId);
        self.bytes += term.len() + 2 * size_of::<Arc<str>>();
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        number
    }
}

/// How often which terms stand in the chunks of a file.
pub(crate) struct FileWords {
    pub terms: Arc<Terms>,
    pub chunks: Vec<ChunkWords>,
    /// For each chunk the [`Counts`] of its body and then those of its name.
    counts: Vec<u32>,
}

/// The counts of a chunk.
pub(crate) struct ChunkWords {
    /// Its number in the file, with [`TEST_CHUNK`] where it belongs to a test.
    pub number: u64,
    /// How many words its body has.
    pub body_length: u32,
    /// How many words its name has.
    pub name_length: u32,
    body_end: u32,
    name_end: u32,
}

impl FileWords {
    /// Roughly the memory that it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.counts.as_slice()) + size_of_val(self.chunks.as_slice())
    }

    /// Each chunk with the counts of its body and those of its name.
    pub fn chunks(&self) -> impl Iterator<Item = (&ChunkWords, Counts<'_>, Counts<'_>)> {
        let mut start = 0;
        self.chunks.iter().map(move |chunk| {
            let (body, name) = (chunk.body_end as usize, chunk.name_end as usize);
            let counts = (chunk, Counts(&self.counts[start..body]), Counts(&self.counts[body..name]));
            start = name;
            counts
        })
    }
}

/// Terms and how often each of them is there, or the documents of a term and how often it is in each.
///
/// Twice the number, and one more where how often comes behind it; elsewhere that is once.
#[derive(Clone)]
pub(crate) struct Counts<'a>(pub &'a [u32]);

impl Counts<'_> {
    /// The numbers that say how often something is there, and how many of the two they are.
    pub fn numbers(what: u32, often: u32) -> ([u32; 2], usize) {
        if often == 1 { ([what * 2, 0], 1) } else { ([what * 2 + 1, often], 2) }
    }
}

impl Iterator for Counts<'_> {
    type Item = (TermId, u32);

    fn next(&mut self) -> Option<(TermId, u32)> {
        let (once, behind) = match *self.0 {
            [] => return None,
            [term, count, ..] if term % 2 == 1 => ((term / 2, count), 2),
            [term, ..] => ((term / 2, 1), 1),
        };
        self.0 = &self.0[behind..];
        Some(once)
    }
}

/// Reads the words of one file after another: what the full-text index counts, and what vectors are made of.
pub struct WordReader {
    lexicon: Arc<Lexicon>,
    counter: Counter,
    /// Where chunks are embedded.
    embedder: Option<Embedder<'static>>,
}

impl WordReader {
    /// For a thread of a job.
    pub fn new(lexicon: &Arc<Lexicon>, table: Option<&'static Table>) -> WordReader {
        let counter = Counter { terms: lexicon.current(), table, ..Counter::default() };
        WordReader { lexicon: Arc::clone(lexicon), counter, embedder: table.map(Table::embedder) }
    }

    /// The words of a file's chunks, and a row for each where chunks are embedded: of what it says and of where it stands.
    pub(crate) fn file(&mut self, path: &RepoPath, facts: &FileFacts, text: &str) -> (FileWords, Vec<u8>) {
        self.counter.use_terms(self.lexicon.current());
        let mut words = FileWords {
            terms: Arc::clone(&self.counter.terms),
            chunks: Vec::with_capacity(facts.chunks.len()),
            counts: Vec::with_capacity(text.len() / 12),
        };
        let mut rows = Vec::new();
        if let Some(embedder) = &mut self.embedder {
            embedder.begin(path.as_str());
            rows.reserve_exact(facts.chunks.len() * row_bytes(embedder.table().dims()));
        }
        for (number, chunk) in facts.chunks.iter().enumerate() {
            let symbol = chunk.symbol.and_then(|at| facts.symbol(at));
            let mut vector = self.embedder.as_mut().map(|embedder| {
                let mut text = embedder.text();
                text.push(symbol.map_or("", |symbol| symbol.qualified_name.as_str()));
                text
            });
            if let Some(body) = text.get(chunk.span.start as usize..chunk.span.end as usize) {
                let test = if symbol.is_some_and(|symbol| symbol.flags.test) { TEST_CHUNK } else { 0 };
                let body_length = self.counter.count(body, &mut words.counts, vector.as_mut());
                let body_end = words.counts.len() as u32;
                let name_length = symbol.map_or(0, |symbol| self.counter.count(&symbol.name, &mut words.counts, None));
                let name_end = words.counts.len() as u32;
                words.chunks.push(ChunkWords {
                    number: number as u64 | test,
                    body_length,
                    name_length,
                    body_end,
                    name_end,
                });
            }
            if let Some((vector, table)) = vector.zip(self.counter.table) {
                push_row(vector.vector().as_ref(), table.dims(), &mut rows);
            }
        }
        (words, rows)
    }
}

/// Looks words up.
#[derive(Default)]
struct Counter {
    terms: Arc<Terms>,
    table: Option<&'static Table>,
    /// The words that were met. Nearly all are short, and are compared as a number.
    short: HashMap<u128, Known>,
    long: HashMap<Box<str>, Known>,
    /// The terms of each, and behind them its pieces in the table.
    lists: Vec<u32>,
    /// How often each term was seen in the text that is being read.
    seen: Vec<u32>,
    /// The terms that were.
    touched: Vec<TermId>,
}

/// What is known of a word.
#[derive(Clone, Copy)]
struct Known {
    /// Where its list begins.
    at: u32,
    terms: u16,
    pieces: u16,
    /// How many words the table takes it for.
    words: u16,
}

impl Counter {
    /// Goes on with other terms, if these are others.
    fn use_terms(&mut self, terms: Arc<Terms>) {
        if !Arc::ptr_eq(&terms, &self.terms) {
            self.terms = terms;
            self.seen.clear();
            self.forget();
        }
    }

    /// Appends the counts of a text and adds it to what is embedded; returns how many words it has.
    fn count(&mut self, text: &str, counts: &mut Vec<u32>, mut vector: Option<&mut Text>) -> u32 {
        if !text.is_ascii() {
            // An accent that stands for itself joins what are two words here.
            vector.take().into_iter().for_each(|vector| vector.push(text));
        }
        let mut length = 0;
        for word in words(text) {
            if word.is_data() {
                vector.iter_mut().for_each(|vector| vector.push(word.text()));
                continue;
            }
            let known = match word.as_number() {
                Some(number) => self.short.get(&number),
                None => self.long.get(word.text()),
            };
            let known = match known {
                Some(known) => *known,
                None => self.learn(word),
            };
            let (terms, pieces) = self.lists[known.at as usize..].split_at(known.terms.into());
            for term in terms {
                let seen = &mut self.seen[*term as usize];
                if *seen == 0 {
                    self.touched.push(*term);
                }
                *seen += 1;
            }
            length += u32::from(known.terms);
            if let Some(vector) = &mut vector {
                vector.push_known(word.text(), &pieces[..known.pieces.into()], known.words.into());
            }
        }
        for term in self.touched.drain(..) {
            let (numbers, room) = Counts::numbers(term, std::mem::take(&mut self.seen[term as usize]));
            counts.extend_from_slice(&numbers[..room]);
        }
        length
    }

    /// Remembers a word.
    #[cold]
    fn learn(&mut self, word: Word) -> Known {
        if self.short.len() + self.long.len() == MOST_WORDS {
            self.forget();
        }
        let at = self.lists.len();
        {
            let mut list = self.terms.list.lock();
            word.tokens(|token| self.lists.push(list.number(token)));
            self.seen.resize(self.seen.len().max(list.texts.len()), 0);
        }
        let pieces_at = self.lists.len();
        let words = self.table.map_or(0, |table| table.pieces(word.text(), &mut self.lists));
        // A word has no more of anything than letters, and those are few.
        let (terms, pieces) = ((pieces_at - at) as u16, (self.lists.len() - pieces_at) as u16);
        let known = Known { at: at as u32, terms, pieces, words: words as u16 };
        match word.as_number() {
            Some(number) => self.short.insert(number, known),
            None => self.long.insert(word.text().into(), known),
        };
        known
    }

    fn forget(&mut self) {
        self.short.clear();
        self.long.clear();
        self.lists.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use cruxe_model::VersionId;
    use proptest::prelude::*;

    use super::*;
    use crate::fixture::{Project, facts};
    use crate::{Embedding, Manifest, tokens};

    type Frequencies = BTreeMap<String, u32>;

    fn frequencies(text: &str) -> Frequencies {
        let mut all = Frequencies::new();
        tokens(text).into_iter().for_each(|token| *all.entry(token).or_default() += 1);
        all
    }

    fn read(reader: &mut WordReader, text: &str) -> (FileWords, Vec<u8>) {
        reader.file(&RepoPath::parse("src/a.rs").unwrap(), &facts(text), text)
    }

    fn counted(words: &FileWords) -> Vec<(u32, Frequencies, u32, Frequencies)> {
        let texts = words.terms.texts();
        let named = |counts: Counts| counts.map(|(term, often)| (texts[term as usize].to_string(), often)).collect();
        words
            .chunks()
            .map(|(chunk, body, name)| (chunk.body_length, named(body), chunk.name_length, named(name)))
            .collect()
    }

    /// What stands there, without a memory of words.
    fn expected(text: &str) -> Vec<(u32, Frequencies, u32, Frequencies)> {
        let facts = facts(text);
        let chunks = facts.chunks.iter().map(|chunk| {
            let body = &text[chunk.span.start as usize..chunk.span.end as usize];
            let name = chunk.symbol.and_then(|at| facts.symbol(at)).map_or("", |symbol| &symbol.name);
            (tokens(body).len() as u32, frequencies(body), tokens(name).len() as u32, frequencies(name))
        });
        chunks.collect()
    }

    fn expected_rows(text: &str) -> Vec<u8> {
        let facts = facts(text);
        let mut embedder = Table::builtin().embedder();
        let mut rows = Vec::new();
        embedder.begin("src/a.rs");
        for chunk in &facts.chunks {
            let body = &text[chunk.span.start as usize..chunk.span.end as usize];
            let name = chunk.symbol.and_then(|at| facts.symbol(at)).map_or("", |symbol| &symbol.qualified_name);
            push_row(embedder.embed(&[name, body]).as_ref(), Table::builtin().dims(), &mut rows);
        }
        rows
    }

    #[test]
    fn a_chunk_has_the_words_of_its_body_and_those_of_its_name() {
        let text = "// see getUser, get_user\nfn getUser() { user.get(user) }";
        let (words, _) = read(&mut WordReader::new(&Arc::default(), None), text);
        let frequencies =
            |pairs: &[(&str, u32)]| pairs.iter().map(|(term, often)| (term.to_string(), *often)).collect();
        let name: Frequencies = frequencies(&[("getuser", 1), ("get", 1), ("user", 1)]);
        let head = frequencies(&[("see", 1), ("getuser", 1), ("get_user", 1), ("get", 2), ("user", 2)]);
        let body = frequencies(&[("fn", 1), ("getuser", 1), ("get", 2), ("user", 3)]);
        assert_eq!(counted(&words), [(7, head, 0, Frequencies::new()), (7, body, 3, name)]);
    }

    #[test]
    fn a_long_text_counts_and_means_what_it_would_without_a_memory_of_words() {
        // More words than a vector is made of, long ones, data, and one that is neither.
        let text: String = (0..4000).map(|at| format!("fn word{} {} ", at % 700, "x".repeat(at % 130))).collect();
        let mut reader = WordReader::new(&Arc::default(), Some(Table::builtin()));
        for _ in 0..2 {
            let (words, rows) = read(&mut reader, &text);
            assert!(counted(&words) == expected(&text));
            assert!(rows == expected_rows(&text));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_texts_count_and_mean_what_they_would_without_a_memory_of_words(
            texts in prop::collection::vec("(fn |[a-cA-C]{1,4}[_.( ]|[a-z]{14,19} |[0-9]{1,3}|[éßİ日 \u{301}_]|\\PC){0,40}", 1..4),
            most_bytes in prop::sample::select(vec![0, 200, MOST_BYTES]),
        ) {
            let lexicon = Arc::new(Lexicon { most_bytes, ..Lexicon::default() });
            let mut reader = WordReader::new(&lexicon, Some(Table::builtin()));
            for text in &texts {
                let (words, rows) = read(&mut reader, text);
                prop_assert_eq!(counted(&words), expected(text));
                prop_assert_eq!(rows, expected_rows(text));
            }
        }
    }

    /// A file version whose words were read by somebody.
    fn version(reader: &mut WordReader, path: &str, text: &str) -> crate::NewVersion {
        let file = crate::ExtractedFile {
            path: RepoPath::parse(path).unwrap(),
            hash: cruxe_model::ContentHash::from([0; 20]),
            module: String::new(),
            facts: facts(text),
            text: text.to_owned(),
            problems: None,
        };
        crate::NewVersion::prepare(file, reader).unwrap()
    }

    #[test]
    fn files_whose_terms_were_collected_anew_are_found_beside_the_others() {
        let project = Project::new();
        let lexicon = Arc::new(Lexicon { most_bytes: 0, ..Lexicon::default() });
        let mut reader = WordReader::new(&lexicon, Some(Table::builtin()));
        let mut writer = project.store().write().unwrap();
        writer.use_model(Some(&Embedding::new(Table::builtin().version(), Table::builtin().dims()))).unwrap();
        let mut manifest = Manifest::default();
        let texts = ["fn shared() { first }", "fn shared() { second }", "", "fn third() { first shared }"];
        for (number, text) in texts.iter().enumerate() {
            let version = version(&mut reader, &format!("{number}.rs"), text);
            manifest.add(writer.add(version).unwrap());
        }
        writer.publish("main", &manifest, jiff::Timestamp::UNIX_EPOCH).unwrap();
        let snapshot = project.store().snapshot().unwrap();
        let found = |token: &str| {
            let mut versions: Vec<VersionId> = snapshot.index.versions_with(&tokens(token)[0]);
            versions.sort();
            versions
        };
        assert_eq!((found("share"), found("first"), found("second")), (vec![1, 2, 4], vec![1, 4], vec![2]));
        assert_eq!(found("fifth"), Vec::<VersionId>::new());
    }
}
