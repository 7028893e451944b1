//! Words of code and prose: identifiers are split where their writers joined them.

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::vocabulary::Hash;

/// A word as it stands in the folded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word<'a> {
    /// Letters of one case pattern, or digits; not yet lower-cased.
    Ascii(&'a str),
    /// Letters of another script, lower-cased.
    Other(&'a str),
}

/// Writes Latin letters as ASCII, keeping their case; letters of other scripts in lower case; everything else that is
/// not ASCII as a blank.
///
/// Other scripts are not transliterated: `日` as `ri` would be looked up as a word that it is not.
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut folded = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter.is_ascii() {
            folded.push(letter);
        } else if is_combining_mark(letter) {
            // An accent of its own goes with the Latin letter before it; elsewhere it is part of the spelling.
            if folded.chars().next_back().is_some_and(|before| !before.is_ascii()) {
                folded.push(letter);
            }
        } else if let Some(plain) = without_decomposition(letter) {
            let all_capitals = letters.peek().is_some_and(|next| next.is_uppercase());
            push_in_case(plain, letter.is_uppercase(), all_capitals, &mut folded);
        } else if !decompose(letter, &mut folded) {
            match letter.is_alphabetic() {
                true => folded.extend(letter.to_lowercase()),
                false => folded.push(' '),
            }
        }
    }
    Cow::Owned(folded)
}

/// `Æ` is `Ae` in `Ærø` and `AE` in `ÆRØ`: a capital in the wrong place would split the word.
fn push_in_case(plain: &str, capital: bool, all_capitals: bool, folded: &mut String) {
    for (at, letter) in plain.chars().enumerate() {
        folded.push(if capital && (at == 0 || all_capitals) { letter.to_ascii_uppercase() } else { letter });
    }
}

/// Appends the ASCII letters or digits of which `letter` is a form; false if there are none.
fn decompose(letter: char, folded: &mut String) -> bool {
    let before = folded.len();
    for part in std::iter::once(letter).nfkd() {
        if part.is_ascii_alphanumeric() {
            folded.push(part);
        } else if !is_combining_mark(part) {
            folded.truncate(before);
            return false;
        }
    }
    folded.len() > before
}

/// The Latin letters that Unicode does not take apart, in lower case.
fn without_decomposition(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ß' | 'ẞ' => "ss",
        'æ' | 'Æ' => "ae",
        'œ' | 'Œ' => "oe",
        'ø' | 'Ø' => "o",
        'đ' | 'Đ' | 'ð' | 'Ð' => "d",
        'ł' | 'Ł' => "l",
        'þ' | 'Þ' => "th",
        'ħ' | 'Ħ' => "h",
        'ŧ' | 'Ŧ' => "t",
        'ŋ' | 'Ŋ' | 'ŉ' => "n",
        'ı' => "i",
        'ĸ' => "k",
        _ => return None,
    })
}

/// Splits folded text: `parseHTTPResponse2_ok` is `parse`, `HTTP`, `Response`, `2`, `ok`. Calls back with every word, the bytes that
/// it has in the text and its hash, until it is told to stop. One look at a byte splits and hashes.
pub(crate) fn split<'a>(folded: &'a str, mut tell: impl FnMut(Word<'a>, Range<usize>, Hash) -> bool) {
    let bytes = folded.as_bytes();
    let class = |at: usize| bytes.get(at).map_or(Class::Sign, |byte| CLASSES[usize::from(*byte)]);
    let mut at = 0;
    while at < bytes.len() {
        let (start, first) = (at, class(at));
        if first == Class::Sign {
            at += 1;
            continue;
        }
        let mut hash = Hash::new(false);
        let mut without_last = hash;
        while class(at) == first {
            (without_last, hash) = (hash, hash.push(bytes[at]));
            at += 1;
        }
        if first == Class::Upper && class(at) == Class::Lower {
            if at - start > 1 {
                // The last capital begins the next word.
                (at, hash) = (at - 1, without_last);
            } else {
                while class(at) == Class::Lower {
                    hash = hash.push(bytes[at]);
                    at += 1;
                }
            }
        }
        let text = &folded[start..at];
        let word = if first == Class::Other { Word::Other(text) } else { Word::Ascii(text) };
        if !tell(word, start..at, hash) {
            return;
        }
    }
}

/// What a byte is for the end of a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Of no word.
    Sign,
    Lower,
    Upper,
    Digit,
    /// Of another script.
    Other,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Sign; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            0x80.. => Class::Other,
            _ => Class::Sign,
        };
        byte += 1;
    }
    classes
};

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let folded = fold(text);
        let mut words = Vec::new();
        split(&folded, |word, range, hash| {
            assert_eq!(hash, Hash::of(folded[range].as_bytes(), false));
            words.push(match word {
                Word::Ascii(word) => word.to_ascii_lowercase(),
                Word::Other(word) => format!("<{word}>"),
            });
            true
        });
        words
    }

    #[test]
    fn identifiers_are_split_at_underscores_capitals_and_digits() {
        assert_eq!(words("parseHTTPResponse2_ok"), ["parse", "http", "response", "2", "ok"]);
        assert_eq!(words("XMLHttpRequest"), ["xml", "http", "request"]);
        assert_eq!(words("SHA256SUM"), ["sha", "256", "sum"]);
        assert_eq!(words("aB Ab AB ABc A a"), ["a", "b", "ab", "ab", "a", "bc", "a", "a"]);
        assert_eq!(words("x::y->z(w)"), ["x", "y", "z", "w"]);
        assert_eq!(words(""), Vec::<String>::new());
        assert_eq!(words(" _-— \u{a0}"), Vec::<String>::new());
    }

    #[test]
    fn latin_letters_lose_their_accents_and_keep_their_case() {
        assert_eq!(words("Größe naïveÉtat smørrebrød"), ["grosse", "naive", "etat", "smorrebrod"]);
        assert_eq!(words("Łódź Þór İstanbul ﬁle ＡＢＣ"), ["lodz", "thor", "istanbul", "file", "abc"]);
        assert_eq!(words("Ærø ÆRØ STRAẞE"), ["aero", "aero", "strasse"]);
        assert_eq!(words("cafe\u{301}s"), ["cafes"]);
    }

    #[test]
    fn other_scripts_are_kept_as_they_are() {
        assert_eq!(words("Привет parser日本語 ok"), ["<привет>", "parser", "<日本語>", "ok"]);
        assert_eq!(words("日本、語"), ["<日本>", "<語>"]);
        assert_eq!(words("½ € →x"), ["x"]);
    }
}
