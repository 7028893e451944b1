//! The static embedding table: a row of small integers per word piece.
//!
//! A file is `"CQSE"`, then little-endian `u32` version, dimensions, number of words, bytes of all words; the words, each
//! a length byte and UTF-8; an `f32` scale per word; the rows.

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::error::EmbedError;
use crate::simd;
use crate::vector::Vector;
use crate::vocabulary::{Hash, Vocabulary};
use crate::words::{self, Word};

static BUILTIN: &[u8] = include_bytes!("../../table/code-static-256.cqse");

const MAGIC: &[u8] = b"CQSE";
const HEADER: usize = 20;
/// More than any such table has; what is beyond is damage, and memory is not reserved for it.
const MOST_DIMS: usize = 4096;
/// As in training: what a text is about is said in its first words.
const MOST_WORDS: usize = 600;

/// An embedding table.
pub struct Table {
    bytes: Cow<'static, [u8]>,
    dims: usize,
    vocabulary: Vocabulary,
    scales: Vec<f32>,
    /// Where the rows begin in `bytes`.
    rows: usize,
    version: String,
}

impl Table {
    /// Returns the table that is part of the program.
    #[expect(clippy::expect_used, reason = "the file is compiled in, and a test reads it")]
    pub fn builtin() -> &'static Table {
        static TABLE: OnceLock<Table> = OnceLock::new();
        TABLE
            .get_or_init(|| Table::read(BUILTIN.into(), env!("CRUXE_TABLE_HASH")).expect("the built-in table is sound"))
    }

    /// Reads a table. The rows stay where they are.
    pub fn parse(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Table, EmbedError> {
        let bytes = bytes.into();
        let hash = blake3::hash(&bytes).to_hex();
        Table::read(bytes, &hash)
    }

    fn read(bytes: Cow<'static, [u8]>, hash: &str) -> Result<Table, EmbedError> {
        let refused = |problem: String| Err(EmbedError::Table(problem));
        if !bytes.starts_with(MAGIC) {
            return refused("it does not begin with `CQSE`".to_owned());
        }
        if bytes.len() < HEADER {
            return refused(format!("it ends after {} of the {HEADER} bytes of its head", bytes.len()));
        }
        let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let [version, dims, count, text] = [4, 8, 12, 16].map(number);
        if version != 1 {
            return refused(format!("it has format {version}, and this program reads format 1"));
        }
        let (dims, count, text) = (dims as usize, count as usize, text as usize);
        if dims == 0 || dims > MOST_DIMS || count == 0 {
            return refused(format!("{count} words of {dims} dimensions make no sense"));
        }
        let expected = HEADER as u128 + text as u128 + count as u128 * (4 + dims as u128);
        if bytes.len() as u128 != expected {
            return refused(format!("it should have {expected} bytes and has {}", bytes.len()));
        }
        let scales_at = HEADER + text;
        let rows = scales_at + 4 * count;
        let vocabulary = Vocabulary::read(&bytes, HEADER..scales_at, count)?;
        let scales: Vec<f32> = bytes[scales_at..rows]
            .chunks_exact(4)
            .map(|scale| f32::from_le_bytes([scale[0], scale[1], scale[2], scale[3]]))
            .collect();
        if let Some(word) = scales.iter().position(|scale| !scale.is_finite()) {
            return refused(format!("the scale of word {word} is not a number"));
        }
        Ok(Table { bytes, dims, vocabulary, scales, rows, version: format!("code-static-{dims}-{}", &hash[..12]) })
    }

    /// Returns the name of exactly this table: vectors of another one cannot be compared with its own.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the number of values of a vector.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Returns the number of word pieces.
    pub fn words(&self) -> usize {
        self.scales.len()
    }

    /// Returns the size of the file.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the vector of a text; none if no word of it is known.
    pub fn embed(&self, text: &str) -> Option<Vector> {
        self.embedder().embed(&[text])
    }

    /// Appends the word pieces of a part of a text, for [`Text::push_known`]; returns of how many words they are.
    pub fn pieces(&self, part: &str, pieces: &mut Vec<u32>) -> usize {
        let mut words = 0;
        words::split(&words::fold(part), |word, _, hash| {
            self.vocabulary.look_up(word, hash, pieces);
            words += 1;
            true
        });
        words
    }

    /// Embeds many texts.
    pub fn embedder(&self) -> Embedder<'_> {
        Embedder {
            table: self,
            beginning: 0,
            words_left: MOST_WORDS,
            tokens: Vec::with_capacity(256),
            words: Vec::with_capacity(256),
            counts: vec![0; self.words()],
            present: vec![0; self.words().div_ceil(64)],
        }
    }

    fn row(&self, token: usize) -> &[u8] {
        &self.bytes[self.rows + token * self.dims..][..self.dims]
    }
}

/// Embeds one text after another: what it needs for one it has from the last.
pub struct Embedder<'t> {
    table: &'t Table,
    /// How many of the tokens are those of the common beginning.
    beginning: usize,
    words_left: usize,
    /// The numbers of the word pieces of a text, in its order.
    tokens: Vec<u32>,
    words: Vec<Found>,
    /// How often a text has each word piece; all 0 between texts.
    counts: Vec<u32>,
    /// A bit for each word piece that a text has.
    present: Vec<u64>,
}

/// A word of a text that is being read.
struct Found {
    hash: Hash,
    start: u32,
    end: u32,
    ascii: bool,
}

impl<'t> Embedder<'t> {
    /// Lets every text from now on begin with this one.
    pub fn begin(&mut self, text: &str) {
        self.tokens.clear();
        self.words_left = self.read(text, MOST_WORDS);
        self.beginning = self.tokens.len();
    }

    /// Returns the vector of several pieces of text as if they stood behind the beginning with blanks between.
    pub fn embed(&mut self, parts: &[&str]) -> Option<Vector> {
        let mut text = self.text();
        parts.iter().for_each(|part| text.push(part));
        text.vector()
    }

    /// A text behind the beginning, to which parts are added.
    pub fn text(&mut self) -> Text<'_, 't> {
        self.tokens.truncate(self.beginning);
        Text { left: self.words_left, embedder: self }
    }

    /// Returns the table that is embedded with.
    pub fn table(&self) -> &'t Table {
        self.table
    }

    /// Takes in the words of a text, as many as are left; returns how many are left then.
    fn read(&mut self, text: &str, left: usize) -> usize {
        let folded = words::fold(text);
        // All hashes first: looking up is waiting for memory, and what is asked for in a row is waited for at once.
        self.words.clear();
        words::split(&folded, |word, range, hash| {
            let go_on = self.words.len() < left;
            if go_on {
                let ascii = matches!(word, Word::Ascii(_));
                self.words.push(Found { hash, start: range.start as u32, end: range.end as u32, ascii });
            }
            go_on
        });
        for found in &self.words {
            let text = &folded[found.start as usize..found.end as usize];
            let word = if found.ascii { Word::Ascii(text) } else { Word::Other(text) };
            self.table.vocabulary.look_up(word, found.hash, &mut self.tokens);
        }
        left - self.words.len()
    }

    /// The rows of the tokens, the more often the heavier.
    fn sum(&mut self) -> Vec<f32> {
        let table = self.table;
        for token in &self.tokens {
            let token = *token as usize;
            if self.counts[token] == 0 {
                simd::prefetch(table.row(token));
                self.present[token / 64] |= 1 << (token % 64);
            }
            self.counts[token] += 1;
        }
        let mut sum = vec![0.0_f32; table.dims];
        // In the order of their numbers, so that equal bags of words have equal bits.
        for (at, bits) in self.present.iter_mut().enumerate() {
            while *bits != 0 {
                let token = at * 64 + bits.trailing_zeros() as usize;
                *bits &= *bits - 1;
                let weight = (self.counts[token] as f32).sqrt() * table.scales[token];
                self.counts[token] = 0;
                simd::add(&mut sum, table.row(token), weight);
            }
        }
        sum
    }
}

/// A text that is put together from parts, with blanks between them.
pub struct Text<'e, 't> {
    embedder: &'e mut Embedder<'t>,
    /// How many words still count.
    left: usize,
}

impl Text<'_, '_> {
    /// Adds a part.
    pub fn push(&mut self, part: &str) {
        self.left = self.embedder.read(part, self.left);
    }

    /// Adds a part of which [`Table::pieces`] told the pieces and the number of words.
    pub fn push_known(&mut self, part: &str, pieces: &[u32], words: usize) {
        match self.left.checked_sub(words) {
            Some(left) => {
                self.embedder.tokens.extend_from_slice(pieces);
                self.left = left;
            }
            None => self.push(part),
        }
    }

    /// Returns the vector of the whole; none if no word of it is known.
    pub fn vector(self) -> Option<Vector> {
        if self.embedder.tokens.is_empty() { None } else { Vector::from_floats(&self.embedder.sum()) }
    }
}

#[cfg(test)]
mod tests;
