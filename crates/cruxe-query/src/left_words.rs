//! The words of texts that are not indexed, kept between questions: "nobody uses it" is said of most functions that are asked
//! about, and to read thousands of vendored and generated files for each took a tenth of a second.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cruxe_index::{LeftOut, TextMark, View};
use cruxe_model::{RepoPath, SkipReason};
use cruxe_store::Cache;
use parking_lot::Mutex;

use crate::error::QueryError;
use crate::unread::is_part_of_word;

/// More bytes are not looked at.
const MAX_BYTES: usize = 96 << 20;
/// Of more words than this it is not kept which they are; their texts are read each time.
const MAX_WORDS: usize = 8 << 20;
/// Up to this many files of a work tree are looked at whenever somebody asks: a microsecond or two each.
const ALWAYS: usize = 1_000;
/// Where there are more, a look is good for so long per file: forty times what it takes. Vendored and generated files seldom change.
const GOOD_FOR: Duration = Duration::from_micros(100);
/// Bits that say whether any text may have a word: of 200,000 words one in twenty is taken for another.
const BITS: u32 = 22;

/// The last ones, of a work tree and of a commit.
pub(crate) static WORDS: Cache<Kept> = Cache::of("words of texts that are not indexed");

#[derive(Default)]
pub(crate) struct Kept {
    work_tree: Mutex<Option<Arc<LeftWords>>>,
    commit: Mutex<Option<Arc<LeftWords>>>,
}

/// The words of all texts of a ref that are not indexed.
pub(crate) struct LeftWords {
    /// The ref and its publish.
    of: (String, i64),
    looked: Mutex<Instant>,
    texts: Vec<Text>,
    /// How many texts were not looked into.
    pub unseen: usize,
    any: Box<[u64]>,
}

/// A text.
struct Text {
    path: RepoPath,
    why: SkipReason,
    mark: Option<TextMark>,
    bytes: usize,
    words: Words,
}

#[derive(Clone)]
enum Words {
    /// Their hashes, sorted.
    Known(Arc<[u32]>),
    /// Too many to be kept.
    Many,
}

impl Kept {
    /// The words of a view's texts.
    pub fn get(&self, view: &View) -> Result<Arc<LeftWords>, QueryError> {
        let is_work_tree = view.is_work_tree();
        let mut kept = if is_work_tree { self.work_tree.lock() } else { self.commit.lock() };
        let of = view.published.as_ref().map_or_else(Default::default, |of| (of.state.name.clone(), of.as_of()));
        if let Some(known) = kept.as_ref().filter(|known| known.of == of)
            && (!is_work_tree || known.is_recent() || known.still_holds(&view.left_out()))
        {
            return Ok(Arc::clone(known));
        }
        let words = Arc::new(LeftWords::read(view, of, kept.as_deref())?);
        *kept = Some(Arc::clone(&words));
        Ok(words)
    }
}

impl LeftWords {
    /// Reads what is not known from before.
    fn read(view: &View, of: (String, i64), before: Option<&LeftWords>) -> Result<LeftWords, QueryError> {
        let (looked, left) = (Mutex::new(Instant::now()), view.left_out());
        let before: HashMap<&RepoPath, &Text> =
            before.iter().flat_map(|before| &before.texts).map(|text| (&text.path, text)).collect();
        let (mut texts, mut unseen, mut bytes, mut count) = (Vec::new(), 0, 0, 0);
        for (path, why) in left.files() {
            view.work.check()?;
            if bytes > MAX_BYTES {
                unseen += 1;
                continue;
            }
            let mark = left.mark(path);
            let same = before.get(path).filter(|text| text.mark.is_some() && text.mark == mark);
            let (length, words) = match same {
                Some(text) => (text.bytes, text.words.clone()),
                None => {
                    let text = left.read(path).unwrap_or_default();
                    (text.len(), if count > MAX_WORDS { Words::Many } else { Words::Known(words_of(&text)) })
                }
            };
            bytes += length;
            count += if let Words::Known(words) = &words { words.len() } else { 0 };
            texts.push(Text { path: path.clone(), why, mark, bytes: length, words });
        }
        let mut any = vec![0u64; 1 << (BITS - 6)].into_boxed_slice();
        for text in &texts {
            match &text.words {
                Words::Known(words) => words.iter().for_each(|word| any[bit(*word).0] |= bit(*word).1),
                Words::Many => any.fill(u64::MAX),
            }
        }
        Ok(LeftWords { of, looked, texts, unseen, any })
    }

    fn is_recent(&self) -> bool {
        let files = self.texts.len();
        files > ALWAYS && self.looked.lock().elapsed() < GOOD_FOR.saturating_mul(files as u32)
    }

    /// Whether every text is the one that was read.
    fn still_holds(&self, left: &LeftOut) -> bool {
        let now = Instant::now();
        let same = |text: &Text| text.mark.is_some() && left.mark(&text.path) == text.mark;
        let same = self.texts.iter().all(same);
        if same {
            *self.looked.lock() = now;
        }
        same
    }

    /// The texts that may have a name, in their order, each with whether it surely does: two words in four billion have one hash.
    pub fn having(&self, name: &str) -> Vec<(&RepoPath, SkipReason, bool)> {
        let Some(word) = first_word(name.as_bytes()) else {
            return self.texts.iter().map(|text| (&text.path, text.why, false)).collect();
        };
        let is_whole = word.len() == name.len();
        let word = hash(word);
        let (place, mask) = bit(word);
        if self.any[place] & mask == 0 {
            return Vec::new();
        }
        let has = |text: &&Text| match &text.words {
            Words::Known(words) => words.binary_search(&word).is_ok(),
            Words::Many => true,
        };
        let is_sure = |text: &Text| is_whole && matches!(text.words, Words::Known(_));
        self.texts.iter().filter(has).map(|text| (&text.path, text.why, is_sure(text))).collect()
    }
}

/// The bit of a word: which number, and which of its bits.
fn bit(word: u32) -> (usize, u64) {
    let at = word >> (32 - BITS);
    ((at >> 6) as usize, 1 << (at & 63))
}

fn hash(word: &[u8]) -> u32 {
    foldhash::fast::FixedState::default().hash_one(word) as u32
}

/// The words that a name may be, or begin with: none is that begins with a digit.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = text.split(|byte| !is_part_of_word(*byte));
    words.filter(|word| word.first().is_some_and(|first| !first.is_ascii_digit()))
}

/// A word that every text has which has a name as a whole: of `valid?` that is `valid`; `None` of `<<` and of `2fa`.
fn first_word(name: &[u8]) -> Option<&[u8]> {
    words(name).next().filter(|_| !name.first().is_some_and(u8::is_ascii_digit))
}

fn words_of(text: &[u8]) -> Arc<[u32]> {
    let mut hashes: Vec<u32> = words(text).map(hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_words_of_every_name_in_it() {
        let known = words_of("x.valid?(a) { $scope << größe_1 } 2fa 7".as_bytes());
        let has = |name: &str| first_word(name.as_bytes()).map(|word| known.binary_search(&hash(word)).is_ok());
        for name in ["x", "valid", "valid?", "a", "scope", "$scope", "größe_1"] {
            assert_eq!(has(name), Some(true), "{name}");
        }
        for name in ["vali", "cope", "größe", "y"] {
            assert_eq!(has(name), Some(false), "{name}");
        }
        assert_eq!((has("<<"), has("2fa"), has("7"), has("")), (None, None, None, None));
    }
}
