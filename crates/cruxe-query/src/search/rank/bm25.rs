//! BM25: what a word counts for in a text, by how rare it is, how often it stands there and how long the text is.

use crate::search::among::Statistic;
use crate::search::stats::Lengths;

/// How fast a word's repetition stops to count, and how much long texts are held back.
#[derive(Clone, Copy)]
pub(crate) struct Saturation {
    k1: f32,
    b: f32,
}

impl Saturation {
    pub const fn new(k1: f32, b: f32) -> Saturation {
        Saturation { k1, b }
    }

    /// Returns what a word of this rarity counts for in a text of a length, in averages.
    pub fn weight(self, rarity: f32, frequency: f32, length: f32) -> f32 {
        rarity * frequency * (self.k1 + 1.0) / (frequency + self.k1 * (1.0 - self.b + self.b * length))
    }
}

/// Chunks, by their text and by the name of their symbol.
pub(crate) const CHUNK: Saturation = Saturation { k1: 1.2, b: 0.75 };
/// A file that says a word often is about it, however long it is.
pub(crate) const FILE: Saturation = Saturation { k1: 1.5, b: 0.4 };
/// The names of a file's definitions.
pub(crate) const FILE_NAMES: Saturation = Saturation { k1: 0.8, b: 0.3 };
/// The name of a file.
pub(crate) const STEM: Saturation = Saturation { k1: 0.5, b: 0.5 };
/// The folders of a file.
pub(crate) const FOLDER: Saturation = Saturation { k1: 0.5, b: 0.3 };

/// Weighs the words of texts of one kind.
pub(crate) struct Bm25<'a> {
    pub saturation: Saturation,
    pub lengths: &'a Lengths,
    /// What is counted over several repositories, where a question is about them.
    pub among: Option<Statistic>,
}

impl Bm25<'_> {
    /// Returns what a word counts for that so many of the texts have.
    pub fn rarity(&self, having: usize) -> f32 {
        let texts = self.among.map_or(self.lengths.each.len() as f32, |among| among.texts);
        let having = having as f32;
        (1.0 + (texts - having + 0.5).max(0.0) / (having + 0.5)).ln()
    }

    /// Returns what a word counts for in one of the texts.
    pub fn weight(&self, rarity: f32, frequency: u32, text: u32) -> f32 {
        let average = self.among.map_or(self.lengths.average, |among| among.average);
        let length = self.lengths.each[text as usize] as f32 / average;
        self.saturation.weight(rarity, frequency as f32, length)
    }
}
