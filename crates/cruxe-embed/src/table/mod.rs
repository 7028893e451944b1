//! The static embedding table: a row of small integers per word piece.
//!
//! A file is `"CQSE"`, then little-endian `u32` version, dimensions, number of words, bytes of all words; the words, each
//! a length byte and UTF-8; an `f32` scale per word; the rows.

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::error::EmbedError;
use crate::simd;
use crate::vector::Vector;
use crate::vocabulary::{Hashed, Vocabulary};
use crate::words;

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
        self.embed_parts(&[text])
    }

    /// Returns the vector of several pieces of text as if they stood one after the other with blanks between.
    pub fn embed_parts(&self, parts: &[&str]) -> Option<Vector> {
        let tokens = self.tokens(parts);
        if tokens.is_empty() { None } else { Vector::from_floats(&self.sum(tokens)) }
    }

    /// The rows of the tokens, the more often the heavier.
    fn sum(&self, mut tokens: Vec<u32>) -> Vec<f32> {
        // In the order of their numbers, so that equal bags of words have equal bits.
        tokens.sort_unstable();
        let row = |token: u32| &self.bytes[self.rows + token as usize * self.dims..][..self.dims];
        tokens.iter().for_each(|token| simd::prefetch(row(*token)));
        let mut sum = vec![0.0_f32; self.dims];
        for same in tokens.chunk_by(|a, b| a == b) {
            let weight = (same.len() as f32).sqrt() * self.scales[same[0] as usize];
            simd::add(&mut sum, row(same[0]), weight);
        }
        sum
    }

    /// The numbers of the word pieces, in the order of the text.
    fn tokens(&self, parts: &[&str]) -> Vec<u32> {
        let mut tokens = Vec::with_capacity(128);
        let mut left = MOST_WORDS;
        for part in parts {
            let folded = words::fold(part);
            // All hashes first: looking up is waiting for memory, and what is asked for in a row is waited for at once.
            let hashed: Vec<Hashed> = words::split(&folded).take(left).map(Hashed::new).collect();
            left -= hashed.len();
            for word in &hashed {
                self.vocabulary.look_up(word, &mut tokens);
            }
        }
        tokens
    }
}

#[cfg(test)]
mod tests;
