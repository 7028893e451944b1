//! From a word to the numbers of its pieces.

use std::ops::Range;

use crate::error::EmbedError;
use crate::words::Word;

/// Longer words that are not known as a whole are cut here before they are taken apart, as in training.
const LONGEST_WORD: usize = 40;
const CONTINUATION: &[u8] = b"##";

/// The pieces, in an open hash table by their hashes alone. A slot has 32 bits of one and its place tells another 17, so that a
/// word that is none of the pieces is taken for one once in billions of words. With all 64 bits the table was two megabytes, and
/// looking up was waiting for memory.
pub(crate) struct Vocabulary {
    slots: Vec<Slot>,
}

#[derive(Clone, Copy)]
struct Slot {
    tag: u32,
    /// One more than the number of the piece; 0 is an empty slot.
    piece: u32,
}

/// FNV-1a: it can be carried on byte by byte, so all beginnings of a word cost one pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hash(u64);

impl Hash {
    pub fn new(continues: bool) -> Hash {
        Hash(if continues { 0x9e37_79b9_7f4a_7c15 } else { 0xcbf2_9ce4_8422_2325 })
    }

    /// Goes on with a byte, in lower case.
    #[inline]
    pub fn push(self, byte: u8) -> Hash {
        Hash((self.0 ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3))
    }

    pub fn of(bytes: &[u8], continues: bool) -> Hash {
        bytes.iter().fold(Hash::new(continues), |hash, &byte| hash.push(byte))
    }

    /// What a slot has of the hash, and the first slot.
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
        let mut vocabulary = Vocabulary { slots: vec![Slot { tag: 0, piece: 0 }; slots] };
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
            at += 1 + text.len();
            if !vocabulary.insert(Hash::of(&text[skipped..], continues), number as u32) {
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
    fn insert(&mut self, hash: Hash, number: u32) -> bool {
        let mask = self.slots.len() - 1;
        let (tag, mut at) = hash.place(mask);
        while self.slots[at].piece != 0 {
            if self.slots[at].tag == tag {
                return false;
            }
            at = (at + 1) & mask;
        }
        self.slots[at] = Slot { tag, piece: number + 1 };
        true
    }

    fn find(&self, hash: Hash) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let (tag, mut at) = hash.place(mask);
        loop {
            let slot = self.slots[at];
            if slot.piece == 0 {
                return None;
            }
            if slot.tag == tag {
                return Some(slot.piece - 1);
            }
            at = (at + 1) & mask;
        }
    }

    /// Appends the numbers of a word's pieces; none if some part of the word has no piece.
    pub fn look_up(&self, word: Word, hash: Hash, found: &mut Vec<u32>) {
        if let Some(number) = self.find(hash) {
            return found.push(number);
        }
        match word {
            Word::Ascii(text) => self.take_apart(&text.as_bytes()[..text.len().min(LONGEST_WORD)], found),
            Word::Other(text) => {
                // Without blanks between words, as in Chinese, a single character is what can still be known.
                let mut buffer = [0; 4];
                found.extend(text.chars().filter_map(|letter| {
                    let letter = letter.encode_utf8(&mut buffer).as_bytes();
                    self.find(Hash::of(letter, false))
                }));
            }
        }
    }

    /// Greedy WordPiece: the longest known beginning, then the longest continuation, and so on.
    fn take_apart(&self, word: &[u8], found: &mut Vec<u32>) {
        let before = found.len();
        let mut hashes = [Hash(0); LONGEST_WORD];
        let mut start = 0;
        while start < word.len() {
            let rest = &word[start..];
            let continues = start > 0;
            let mut hash = Hash::new(continues);
            for (slot, byte) in hashes.iter_mut().zip(rest) {
                hash = hash.push(*byte);
                *slot = hash;
            }
            let longest = (1..=rest.len()).rev().find_map(|length| Some((length, self.find(hashes[length - 1])?)));
            let Some((length, number)) = longest else {
                return found.truncate(before);
            };
            found.push(number);
            start += length;
        }
    }
}
