//! BERT's uncased tokens: lower case, no accents, punctuation and Chinese characters apart, then greedy WordPiece.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

use crate::error::EmbedError;

/// With the two around the text; sentence-transformers cuts there too.
const MOST_TOKENS: usize = 256;
/// Words that are longer are unknown.
const LONGEST_WORD: usize = 100;
const SPECIAL: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

pub(super) struct Tokenizer {
    words: HashMap<Box<str>, u32, foldhash::fast::FixedState>,
    /// With words that are there twice.
    count: usize,
    special: [u32; SPECIAL.len()],
}

impl Tokenizer {
    /// Reads a vocabulary, a word a line.
    pub fn new(vocabulary: &str) -> Result<Tokenizer, EmbedError> {
        let words: HashMap<Box<str>, u32, _> =
            (0..).zip(vocabulary.lines()).map(|(id, word)| (word.into(), id)).collect();
        let mut special = [0; SPECIAL.len()];
        for (id, word) in special.iter_mut().zip(SPECIAL) {
            *id = *words.get(word).ok_or_else(|| EmbedError::Model(format!("the vocabulary lacks `{word}`")))?;
        }
        Ok(Tokenizer { words, count: vocabulary.lines().count(), special })
    }

    /// One more than the highest token.
    pub fn words(&self) -> usize {
        self.count
    }

    /// The tokens of a text, with the marks of its beginning and end.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let [_, _, start, end, _] = self.special;
        let mut tokens = vec![start];
        let mut rest = text;
        while !rest.is_empty() && tokens.len() < MOST_TOKENS {
            // A mark that is written out in a text is that mark, as in the original.
            let mark = (0..SPECIAL.len()).filter_map(|which| Some((rest.find(SPECIAL[which])?, which))).min();
            let (plain, after) = match mark {
                Some((at, which)) => (&rest[..at], &rest[at + SPECIAL[which].len()..]),
                None => (rest, ""),
            };
            self.encode_plain(plain, &mut tokens);
            tokens.extend(mark.map(|(_, which)| self.special[which]));
            rest = after;
        }
        tokens.truncate(MOST_TOKENS - 1);
        tokens.push(end);
        tokens
    }

    fn encode_plain(&self, text: &str, tokens: &mut Vec<u32>) {
        let clean = clean(text);
        for word in clean.split_whitespace().flat_map(split_punctuation) {
            if tokens.len() >= MOST_TOKENS {
                return;
            }
            self.take_apart(word, tokens);
        }
    }

    fn take_apart(&self, word: &str, tokens: &mut Vec<u32>) {
        let before = tokens.len();
        let [_, unknown, ..] = self.special;
        if word.chars().count() > LONGEST_WORD {
            return tokens.push(unknown);
        }
        let mut start = 0;
        let mut piece = String::new();
        while start < word.len() {
            let ends = word[start..].char_indices().map(|(at, letter)| start + at + letter.len_utf8());
            let longest = ends.rev().find_map(|end| {
                piece.clear();
                if start > 0 {
                    piece.push_str("##");
                }
                piece.push_str(&word[start..end]);
                Some((end, *self.words.get(piece.as_str())?))
            });
            let Some((end, id)) = longest else {
                tokens.truncate(before);
                return tokens.push(unknown);
            };
            tokens.push(id);
            start = end;
        }
    }
}

/// Without control characters and accents, in lower case, with blanks around Chinese characters.
fn clean(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_whitespace() {
            spaced.push(' ');
        } else if is_chinese(letter) {
            spaced.extend([' ', letter, ' ']);
        } else if letter != '\u{fffd}' && letter.general_category_group() != GeneralCategoryGroup::Other {
            spaced.push(letter);
        }
    }
    let no_accent = |letter: &char| letter.general_category() != GeneralCategory::NonspacingMark;
    spaced.nfd().filter(no_accent).flat_map(char::to_lowercase).collect()
}

fn split_punctuation(word: &str) -> impl Iterator<Item = &str> {
    word.split_inclusive(is_punctuation).flat_map(|part| {
        // The punctuation is the last character of its part, if it is there at all.
        let last = part.chars().next_back().filter(|&last| is_punctuation(last)).map_or(0, char::len_utf8);
        let (before, mark) = part.split_at(part.len() - last);
        [before, mark].into_iter().filter(|piece| !piece.is_empty())
    })
}

fn is_punctuation(letter: char) -> bool {
    letter.is_ascii_punctuation() || letter.general_category_group() == GeneralCategoryGroup::Punctuation
}

/// The blocks of CJK ideographs that BERT knows; kana and hangul are not among them.
fn is_chinese(letter: char) -> bool {
    matches!(u32::from(letter),
        0x4e00..=0x9fff | 0x3400..=0x4dbf | 0x20000..=0x2a6df | 0x2a700..=0x2b73f | 0x2b740..=0x2b81f
        | 0x2b920..=0x2ceaf | 0xf900..=0xfaff | 0x2f800..=0x2fa1f)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\nab\n##c\nstrasse\n,\n日\nuber\n##s\n—";

    fn tokens(text: &str) -> Vec<String> {
        let names: Vec<&str> = WORDS.lines().collect();
        Tokenizer::new(WORDS).unwrap().encode(text).iter().map(|&id| names[id as usize].to_owned()).collect()
    }

    #[test]
    fn text_is_taken_apart_as_bert_does() {
        assert_eq!(tokens(""), ["[CLS]", "[SEP]"]);
        assert_eq!(tokens("AB abc,a"), ["[CLS]", "ab", "ab", "##c", ",", "a", "[SEP]"]);
        assert_eq!(tokens("ÜBERs—a\u{0}b\u{fffd}"), ["[CLS]", "uber", "##s", "—", "ab", "[SEP]"]);
        assert_eq!(tokens("a日ab\u{301}"), ["[CLS]", "a", "日", "ab", "[SEP]"]);
        assert_eq!(tokens("ax Straße b"), ["[CLS]", "[UNK]", "[UNK]", "[UNK]", "[SEP]"]);
        assert_eq!(tokens("a[MASK]b [sep]"), ["[CLS]", "a", "[MASK]", "[UNK]", "[UNK]", "[UNK]", "[UNK]", "[SEP]"]);
    }

    #[test]
    fn long_texts_are_cut_and_long_words_are_unknown() {
        let long = tokens(&"a ".repeat(1000));
        assert_eq!((long.len(), long[254].as_str(), long[255].as_str()), (256, "a", "[SEP]"));
        assert_eq!(tokens(&"[MASK]".repeat(1000)).len(), 256);
        let exact = tokens(&"a ".repeat(254));
        assert_eq!((exact.len(), exact[254].as_str()), (256, "a"));
        assert_eq!(tokens(&format!("a{}", "b".repeat(99))).len(), 101);
        assert_eq!(tokens(&format!("a{}", "b".repeat(100))), ["[CLS]", "[UNK]", "[SEP]"]);
    }

    #[test]
    fn a_vocabulary_without_the_marks_is_refused() {
        let text = Tokenizer::new("[PAD]\n[UNK]\na").err().unwrap().to_string();
        assert!(text.contains("the vocabulary lacks `[CLS]`"), "{text}");
    }
}
