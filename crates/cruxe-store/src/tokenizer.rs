//! Words of code: an identifier as a whole, and its parts.
//!
//! `parseHTTPResponses_v2` gives `parsehttpresponses_v2`, `pars`, `http`, `respons`, `v`, `2`:
//! the whole as it is written but for its case, so that an identifier is found exactly; the parts, and words that have
//! none, by their stem. Dots, slashes and everything else that is no letter, digit or underscore separates.

use crate::stem::stem;

/// Longer words are data, not names.
const MAX_WORD: usize = 100;
/// So many letters, digits and signs of base64 in a row are an image or a key: its pieces are no words, and a notebook has
/// hundreds of thousands of them.
const DATA: usize = 256;
/// Lines of data that is cut into lines have 64 or 76.
const FULL_LINE: usize = 60;

/// The tokens of a text, as the index has them.
pub fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    words(text).for_each(|word| word.tokens(|token| tokens.push(token.to_owned())));
    tokens
}

/// The words of a text: runs of letters, digits and underscores that have a letter or digit in them.
pub(crate) fn words(text: &str) -> Words<'_> {
    Words { text, at: 0 }
}

/// See [`words`].
pub(crate) struct Words<'a> {
    text: &'a str,
    at: usize,
}

/// A word as it is written.
#[derive(Clone, Copy)]
pub(crate) struct Word<'a> {
    text: &'a str,
    /// The text from where the word begins.
    from_here: &'a [u8],
    /// The [`Class`]es of its characters.
    classes: u8,
}

impl<'a> Word<'a> {
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The bytes of a short word as a number that is no other word's.
    pub fn as_number(&self) -> Option<u128> {
        let length = self.text.len();
        if length > size_of::<u128>() {
            return None;
        }
        let mut bytes = [0; size_of::<u128>()];
        match self.from_here.first_chunk() {
            Some(chunk) => bytes = *chunk,
            None => bytes[..length].copy_from_slice(self.text.as_bytes()),
        }
        Some(u128::from_le_bytes(bytes) << (128 - 8 * length))
    }

    /// Whether it is too long to be one: data, which has no tokens.
    pub fn is_data(&self) -> bool {
        self.text.len() > MAX_WORD
    }

    /// Calls back with the word as a whole, and then its parts where it has several.
    pub fn tokens(&self, mut tell: impl FnMut(&str)) {
        if self.is_data() {
            return;
        }
        let mut parts = Vec::new();
        // Most words are of one piece, and that shows without looking at them again.
        if !self.classes.is_power_of_two() || self.classes == Class::Other as u8 {
            split(self.text, &mut parts);
        }
        let whole = parts.is_empty() || parts == [self.text];
        let mut token = self.lower(self.text);
        if whole {
            stem(&mut token);
        }
        tell(&token);
        for part in parts.iter().filter(|_| !whole) {
            let mut token = self.lower(part);
            stem(&mut token);
            tell(&token);
        }
    }

    fn lower(&self, text: &str) -> String {
        if self.classes & Class::Other as u8 == 0 {
            text.to_ascii_lowercase()
        } else {
            text.chars().flat_map(char::to_lowercase).collect()
        }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
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
            if let Some(end) = data_end(bytes, start, self.at) {
                self.at = end;
            } else if classes != Class::Under as u8 {
                return Some(Word { text: &self.text[start..self.at], from_here: &bytes[start..], classes });
            }
        }
    }
}

/// Where data ends that begins with a word. It may stand on many lines, all but the last of them full.
fn data_end(bytes: &[u8], word: usize, word_end: usize) -> Option<usize> {
    let sign = match bytes.get(word_end)? {
        b'+' | b'/' => true,
        b'\n' | b'\\' => word_end - word >= FULL_LINE,
        _ => false,
    };
    // Most words are followed by nothing of the kind.
    if !sign {
        return None;
    }
    let is_data = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let (mut line, mut end) = (word, word);
    loop {
        let line_end = line + bytes[line..].iter().take_while(is_data).count();
        let is_full = line_end - line >= FULL_LINE;
        if is_full || line == word {
            end = line_end;
        }
        line = match &bytes[line_end..] {
            [b'\n', ..] if is_full => line_end + 1,
            [b'\\', b'n', ..] if is_full => line_end + 2, // inside of a string
            _ => break,
        };
        end = line;
    }
    (end - word >= DATA).then_some(end)
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
fn split<'a>(word: &'a str, parts: &mut Vec<&'a str>) {
    let mut push = |from: usize, to: usize| {
        if from < to {
            parts.push(&word[from..to]);
        }
    };
    let (mut from, mut last, mut before_last) = (0, Class::Under, 0);
    for (at, c) in word.char_indices() {
        let now = class(c);
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
    push(from, word.len());
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
    fn data_with_signs_in_it_is_no_word() {
        let image = format!("{}/aBc+Dd==", "iVBORw0KGgo/AAAA+".repeat(20));
        assert_eq!(words(&format!("front \"{image}\" back")), "front back");
        assert_eq!(words(&image), "");
        let line = "iVBORw0KGgo/AAAA+0123456789".repeat(3)[..76].to_owned();
        for between in ["\n", "\\n"] {
            let lines = format!("{line}{between}").repeat(4);
            assert_eq!(words(&format!("\"{lines}back\" front")), "back front", "{between:?}");
            assert_eq!(words(&format!("{lines}{}", "a".repeat(60))), "", "{between:?}");
            // Names of one line each are none.
            let names = format!("{}{between}", "name".repeat(5)).repeat(30);
            assert_eq!(words(&names).split(' ').count(), if between == "\n" { 30 } else { 31 });
        }
        // A path and a sum are no data.
        let path = "source/main/java/".repeat(8);
        assert_eq!(words(&path).split(' ').count(), 24);
        assert_eq!(words(&format!("{}x", "one+".repeat(40))).split(' ').count(), 41);
    }

    #[test]
    fn data_is_no_word() {
        assert_eq!(words(&"x".repeat(5000)), "");
        assert_eq!(words(&format!("{} y", "x".repeat(101))), "y");
    }
}
