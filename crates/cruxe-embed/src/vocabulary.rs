//! From a word to the numbers of its pieces.

use std::ops::Range;

use crate::error::EmbedError;
use crate::words::Word;

/// Longer words that are not known as a whole are cut here before they are taken apart, as in training.
const LONGEST_WORD: usize = 40;
const CONTINUATION: &[u8] = b"##";

/// The pieces, in an open hash table over the bytes of the file: nothing is copied and no word is allocated.
pub(crate) struct Vocabulary {
    slots: Vec<Slot>,
    pieces: Vec<Piece>,
}

#[derive(Clone, Copy)]
struct Slot {
    /// The upper half of the hash: two pieces are seldom compared in vain.
    tag: u32,
    /// One more than the number of the piece; 0 is an empty slot.
    piece: u32,
}

/// A piece without its `##`, as a place in the file.
struct Piece {
    start: u32,
    length: u8,
    continues: bool,
}

impl Piece {
    fn range(&self) -> Range<usize> {
        self.start as usize..self.start as usize + usize::from(self.length)
    }
}

/// FNV-1a: it can be carried on byte by byte, so all beginnings of a word cost one pass.
#[derive(Clone, Copy)]
struct Hash(u64);

impl Hash {
    fn new(continues: bool) -> Hash {
        Hash(if continues { 0x9e37_79b9_7f4a_7c15 } else { 0xcbf2_9ce4_8422_2325 })
    }

    fn push(self, byte: u8) -> Hash {
        Hash((self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }

    fn of(bytes: &[u8], continues: bool) -> Hash {
        bytes.iter().fold(Hash::new(continues), |hash, &byte| hash.push(byte.to_ascii_lowercase()))
    }

    /// The tag and the first slot.
    fn place(self, mask: usize) -> (u32, usize) {
        let mixed = (self.0 ^ (self.0 >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed >> 32) as u32, (mixed ^ (mixed >> 32)) as usize & mask)
    }
}

impl Vocabulary {
    /// Reads `count` pieces, each a length and its text, that fill `range` of the file exactly.
    pub fn read(file: &[u8], range: Range<usize>, count: usize) -> Result<Vocabulary, EmbedError> {
        let refused = |problem: String| Err(EmbedError::Table(problem));
        let slots = (count * 2).next_power_of_two();
        let mut vocabulary =
            Vocabulary { slots: vec![Slot { tag: 0, piece: 0 }; slots], pieces: Vec::with_capacity(count) };
        let mut at = range.start;
        for number in 0..count {
            let length = file[..range.end].get(at).copied().unwrap_or_default();
            let Some(text) =
                file[..range.end].get(at + 1..at + 1 + usize::from(length)).filter(|text| !text.is_empty())
            else {
                return refused(format!("word {number} of {count} is empty or cut off"));
            };
            if std::str::from_utf8(text).is_err() {
                return refused(format!("word {number} of {count} is not UTF-8"));
            }
            let continues = text.len() > CONTINUATION.len() && text.starts_with(CONTINUATION);
            let skipped = if continues { CONTINUATION.len() } else { 0 };
            let piece = Piece { start: (at + 1 + skipped) as u32, length: length - skipped as u8, continues };
            at += 1 + text.len();
            if !vocabulary.insert(file, piece) {
                return refused(format!(
                    "word {number} of {count}, `{}`, is there twice",
                    String::from_utf8_lossy(text)
                ));
            }
        }
        match range.end - at {
            0 => Ok(vocabulary),
            rest => refused(format!("{rest} bytes are left over after the last word")),
        }
    }

    /// False if the piece was there already.
    fn insert(&mut self, file: &[u8], piece: Piece) -> bool {
        let mask = self.slots.len() - 1;
        let text = &file[piece.range()];
        let (tag, mut at) = Hash::of(text, piece.continues).place(mask);
        while self.slots[at].piece != 0 {
            if self.slots[at].tag == tag && self.is(file, self.slots[at].piece - 1, text, piece.continues) {
                return false;
            }
            at = (at + 1) & mask;
        }
        self.pieces.push(piece);
        self.slots[at] = Slot { tag, piece: self.pieces.len() as u32 };
        true
    }

    fn is(&self, file: &[u8], number: u32, text: &[u8], continues: bool) -> bool {
        let piece = &self.pieces[number as usize];
        piece.continues == continues && file[piece.range()].eq_ignore_ascii_case(text)
    }

    fn find(&self, file: &[u8], text: &[u8], continues: bool, hash: Hash) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let (tag, mut at) = hash.place(mask);
        loop {
            let slot = self.slots[at];
            if slot.piece == 0 {
                return None;
            }
            if slot.tag == tag && self.is(file, slot.piece - 1, text, continues) {
                return Some(slot.piece - 1);
            }
            at = (at + 1) & mask;
        }
    }

    /// Appends the numbers of a word's pieces; none if some part of the word has no piece.
    pub fn look_up(&self, file: &[u8], word: Word, found: &mut Vec<u32>) {
        let (Word::Ascii(text) | Word::Other(text)) = word;
        let bytes = text.as_bytes();
        if let Some(number) = self.find(file, bytes, false, Hash::of(bytes, false)) {
            return found.push(number);
        }
        match word {
            Word::Ascii(_) => self.take_apart(file, &bytes[..bytes.len().min(LONGEST_WORD)], found),
            Word::Other(_) => {
                // Without blanks between words, as in Chinese, a single character is what can still be known.
                let mut buffer = [0; 4];
                found.extend(text.chars().filter_map(|letter| {
                    let letter = letter.encode_utf8(&mut buffer).as_bytes();
                    self.find(file, letter, false, Hash::of(letter, false))
                }));
            }
        }
    }

    /// Greedy WordPiece: the longest known beginning, then the longest continuation, and so on.
    fn take_apart(&self, file: &[u8], word: &[u8], found: &mut Vec<u32>) {
        let before = found.len();
        let mut hashes = [Hash(0); LONGEST_WORD];
        let mut start = 0;
        while start < word.len() {
            let rest = &word[start..];
            let continues = start > 0;
            let mut hash = Hash::new(continues);
            for (slot, byte) in hashes.iter_mut().zip(rest) {
                hash = hash.push(byte.to_ascii_lowercase());
                *slot = hash;
            }
            let longest = (1..=rest.len())
                .rev()
                .find_map(|length| Some((length, self.find(file, &rest[..length], continues, hashes[length - 1])?)));
            let Some((length, number)) = longest else {
                return found.truncate(before);
            };
            found.push(number);
            start += length;
        }
    }
}
