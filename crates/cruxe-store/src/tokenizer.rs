//! Words of code: an identifier as a whole, and its parts.
//!
//! `parseHTTPResponses_v2` gives `parsehttpresponses_v2`, `pars`, `http`, `respons`, `v`, `2`, all at one position:
//! the whole as it is written but for its case, so that an identifier is found exactly; the parts, and words that have
//! none, by their stem. Dots, slashes and everything else that is no letter, digit or underscore separates.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use crate::stem::stem;

/// Longer words are data, not names.
const MAX_WORD: usize = 100;

/// The tokenizer that code and queries go through.
#[derive(Clone, Default)]
pub struct CodeTokenizer {
    token: Token,
    parts: Vec<(u32, u32)>,
}

/// The tokens of a text, as the index sees them.
pub fn tokens(text: &str) -> Vec<String> {
    let mut tokenizer = CodeTokenizer::default();
    let mut stream = tokenizer.token_stream(text);
    let mut words = Vec::new();
    while stream.advance() {
        words.push(stream.token().text.clone());
    }
    words
}

impl Tokenizer for CodeTokenizer {
    type TokenStream<'a> = CodeTokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> CodeTokens<'a> {
        self.token.reset();
        self.parts.clear();
        CodeTokens { text, at: 0, next_part: 0, ascii: true, token: &mut self.token, parts: &mut self.parts }
    }
}

/// The tokens of one text.
pub struct CodeTokens<'a> {
    text: &'a str,
    at: usize,
    next_part: usize,
    /// Whether the word that was read last is ASCII.
    ascii: bool,
    token: &'a mut Token,
    parts: &'a mut Vec<(u32, u32)>,
}

impl TokenStream for CodeTokens<'_> {
    fn advance(&mut self) -> bool {
        if let Some((start, end)) = self.parts.get(self.next_part).copied() {
            self.next_part += 1;
            self.set(start as usize, end as usize, self.ascii);
            stem(&mut self.token.text);
            return true;
        }
        while let Some((start, end, classes)) = self.next_word() {
            if end - start > MAX_WORD {
                continue;
            }
            self.parts.clear();
            self.next_part = 0;
            // Most words are of one piece, and that shows without looking at them again.
            if !classes.is_power_of_two() || classes == Class::Other as u8 {
                split(self.text, start, end, self.parts);
                if self.parts.len() == 1 && self.parts[0] == (start as u32, end as u32) {
                    self.parts.clear();
                }
            }
            self.token.position = self.token.position.wrapping_add(1);
            self.ascii = classes & Class::Other as u8 == 0;
            self.set(start, end, self.ascii);
            if self.parts.is_empty() {
                stem(&mut self.token.text);
            }
            return true;
        }
        false
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

impl CodeTokens<'_> {
    fn set(&mut self, start: usize, end: usize, ascii: bool) {
        self.token.offset_from = start;
        self.token.offset_to = end;
        self.token.text.clear();
        let word = &self.text[start..end];
        if ascii {
            self.token.text.push_str(word);
            self.token.text.make_ascii_lowercase();
        } else {
            self.token.text.extend(word.chars().flat_map(char::to_lowercase));
        }
    }

    /// The next run of letters, digits and underscores that has a letter or digit in it, and the classes of what is
    /// in it.
    fn next_word(&mut self) -> Option<(usize, usize, u8)> {
        let bytes = self.text.as_bytes();
        loop {
            while self.at < bytes.len() {
                match CLASSES[usize::from(bytes[self.at])] {
                    0 => self.at += 1,
                    class if class == Class::Other as u8 && other_length(self.text, self.at) == 0 => {
                        self.at += char_length(bytes[self.at]);
                    }
                    _ => break,
                }
            }
            let (start, mut classes) = (self.at, 0);
            while self.at < bytes.len() {
                let class = CLASSES[usize::from(bytes[self.at])];
                self.at += match class {
                    0 => break,
                    class if class == Class::Other as u8 => match other_length(self.text, self.at) {
                        0 => break,
                        length => length,
                    },
                    _ => 1,
                };
                classes |= class;
            }
            if start == self.at {
                return None;
            }
            if classes != Class::Under as u8 {
                return Some((start, self.at, classes));
            }
        }
    }
}

/// What a character is; as a number, a bit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower = 1,
    Upper = 2,
    Digit = 4,
    Under = 8,
    /// Not ASCII: a letter or digit, or none.
    Other = 16,
}

/// The class of each byte; 0 for one that separates.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' => Class::Lower as u8,
            b'A'..=b'Z' => Class::Upper as u8,
            b'0'..=b'9' => Class::Digit as u8,
            b'_' => Class::Under as u8,
            0x80.. => Class::Other as u8,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// Length of the letter or digit beyond ASCII at an offset; 0 when there is none.
fn other_length(text: &str, at: usize) -> usize {
    let next = text[at..].chars().next();
    next.filter(|c| c.is_alphanumeric()).map_or(0, char::len_utf8)
}

fn char_length(first: u8) -> usize {
    match first {
        0..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    }
}

fn class(c: char) -> Class {
    match c {
        'a'..='z' => Class::Lower,
        '_' => Class::Under,
        c if c.is_numeric() => Class::Digit,
        c if c.is_uppercase() => Class::Upper,
        _ => Class::Lower,
    }
}

/// The parts of a word at its underscores, changes of case, and digits.
fn split(text: &str, start: usize, end: usize, parts: &mut Vec<(u32, u32)>) {
    let mut push = |from: usize, to: usize| {
        if from < to {
            parts.push((from as u32, to as u32));
        }
    };
    let (mut from, mut last, mut before_last) = (start, Class::Under, start);
    for (offset, c) in text[start..end].char_indices() {
        let (at, now) = (start + offset, class(c));
        match (last, now) {
            (_, Class::Under) => {
                push(from, at);
                from = at + 1;
            }
            (Class::Under, _) => from = at,
            // `HTTPResponse`: the last capital belongs to the word that follows.
            (Class::Upper, Class::Lower) if before_last > from => {
                push(from, before_last);
                from = before_last;
            }
            (Class::Upper, Class::Lower) => {}
            (old, new) if old != new => {
                push(from, at);
                from = at;
            }
            _ => {}
        }
        (last, before_last) = (now, at);
    }
    push(from, end);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        tokens(text).join(" ")
    }

    #[test]
    fn identifiers_are_kept_whole_and_split() {
        assert_eq!(words("validate_token"), "validate_token validat token");
        assert_eq!(words("parseHTTPResponse"), "parsehttpresponse pars http respons");
        assert_eq!(words("XMLParser2"), "xmlparser2 xml parser 2");
        assert_eq!(words("MAX_RETRY_COUNT"), "max_retry_count max retry count");
        assert_eq!(words("simple"), "simpl");
        assert_eq!(words("__init__"), "__init__ init");
    }

    #[test]
    fn dots_paths_and_operators_separate() {
        assert_eq!(words("a.b::c->d/e-f"), "a b c d e f");
        assert_eq!(words("_ __ ___"), "");
        assert_eq!(words(""), "");
    }

    #[test]
    fn unicode_is_kept() {
        assert_eq!(words("größe_messen(Ünder)"), "größe_messen größe messen ünder");
        assert_eq!(words("日本語 🚀 naïve"), "日本語 naïve");
    }

    #[test]
    fn parts_share_the_position_of_their_word() {
        let mut tokenizer = CodeTokenizer::default();
        let mut stream = tokenizer.token_stream("a fooBar c");
        let mut seen = Vec::new();
        while stream.advance() {
            let token = stream.token();
            seen.push((token.text.clone(), token.position, token.offset_from, token.offset_to));
        }
        let want = [("a", 0, 0, 1), ("foobar", 1, 2, 8), ("foo", 1, 2, 5), ("bar", 1, 5, 8), ("c", 2, 9, 10)];
        assert_eq!(seen, want.map(|(text, position, from, to)| (text.to_owned(), position, from, to)));
    }

    #[test]
    fn data_is_no_word() {
        assert_eq!(words(&"x".repeat(5000)), "");
        assert_eq!(words(&format!("{} y", "x".repeat(101))), "y");
    }
}
