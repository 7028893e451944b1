//! Cuts a text into pieces as o200k's pattern does. In the pattern's words, the first of these that fits:
//!
//! ```text
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! \p{N}{1,3}
//!  ?[^\s\p{L}\p{N}]+[\r\n/]*
//! \s*[\r\n]+
//! \s+(?!\S)
//! \s+
//! ```
//!
//! An engine for patterns takes milliseconds to compile this one; by hand it costs nothing to begin.

use std::cmp::Ordering;

/// What the pattern tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// Lu and Lt: begins a word.
    Upper,
    /// Ll: goes on with a word.
    Lower,
    /// Lm and Lo: does both.
    Letter,
    /// M: does both, and is no letter.
    Mark,
    Number,
    Blank,
    Other,
}

// Sorted ranges of characters that are not `Other`.
include!(concat!(env!("OUT_DIR"), "/classes.rs"));

fn class(letter: char) -> Class {
    match letter {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Number,
        '\t'..='\r' | ' ' => Class::Blank,
        '\0'..='\x7f' => Class::Other,
        letter => {
            let place = |(first, last, _): &(char, char, Class)| match letter {
                letter if *last < letter => Ordering::Less,
                letter if *first > letter => Ordering::Greater,
                _ => Ordering::Equal,
            };
            CLASSES.binary_search_by(place).map_or(Class::Other, |at| CLASSES[at].2)
        }
    }
}

/// Returns the pieces of a text; together they are the text.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        // Every text that is not empty has a piece; a character alone would be one.
        let (piece, behind) = rest.split_at(piece_end(rest, first).max(first.len_utf8()));
        rest = behind;
        Some(piece)
    })
}

fn piece_end(text: &str, first: char) -> usize {
    let kind = class(first);
    let is_letter = matches!(kind, Class::Upper | Class::Lower | Class::Letter);
    let may_lead = !is_letter && kind != Class::Number && !matches!(first, '\r' | '\n');
    let behind = first.len_utf8();
    let word = if may_lead { word_end(text, behind, kind == Class::Mark) } else { word_end(text, 0, false) };
    if let Some(end) = word.or((kind == Class::Mark).then_some(behind)) {
        return end + contraction(&text[end..]);
    }
    if kind == Class::Number {
        return run(text, 0, 3, |letter| class(letter) == Class::Number);
    }
    let is_sign = |letter: char| matches!(class(letter), Class::Other | Class::Mark);
    let signs = if first == ' ' { behind } else { 0 };
    let end = run(text, signs, usize::MAX, is_sign);
    if end > signs {
        return run(text, end, usize::MAX, |letter| matches!(letter, '\r' | '\n' | '/'));
    }
    blank_end(text)
}

/// Where a word ends that begins at `start`; `None` where there is none. After a mark that may itself be a word, one of
/// capitals alone does not count: the pattern's first line goes before its second.
fn word_end(text: &str, start: usize, after_mark: bool) -> Option<usize> {
    let heads = |letter: char| matches!(class(letter), Class::Upper | Class::Letter | Class::Mark);
    let goes_on = |letter: char| matches!(class(letter), Class::Lower | Class::Letter | Class::Mark);
    let head = run(text, start, usize::MAX, heads);
    if text[head..].starts_with(goes_on) {
        return Some(run(text, head, usize::MAX, goes_on));
    }
    // The head gives back what the tail needs: one letter that may be either.
    let last = text[start..head].char_indices().rev().find(|(_, letter)| goes_on(*letter));
    match last {
        Some((at, letter)) => Some(start + at + letter.len_utf8()),
        None => (head > start && !after_mark).then_some(head),
    }
}

/// The length of `'s`, `'re` and the like at the start of a text.
fn contraction(text: &str) -> usize {
    let Some(ending) = text.strip_prefix('\'') else { return 0 };
    let mut letters = ending.chars();
    let (one, two) = (letters.next(), letters.next());
    let is = |letter: Option<char>, wanted: char| letter.is_some_and(|letter| letter.eq_ignore_ascii_case(&wanted));
    // The long s is an s without regard to case.
    if ['s', 't', 'm', 'd'].iter().any(|wanted| is(one, *wanted)) || one == Some('ſ') {
        return 1 + one.map_or(0, char::len_utf8);
    }
    let pairs = [('r', 'e'), ('v', 'e'), ('l', 'l')];
    if pairs.iter().any(|(first, second)| is(one, *first) && is(two, *second)) { 3 } else { 0 }
}

/// Where a piece of blanks ends: with its last line end; at the end of the text; else before its last blank, which
/// belongs to what follows.
fn blank_end(text: &str) -> usize {
    let end = run(text, 0, usize::MAX, char::is_whitespace);
    if let Some(line_end) = text[..end].rfind(['\r', '\n']) {
        return line_end + 1;
    }
    if end == text.len() {
        return end;
    }
    let last = text[..end].chars().next_back().map_or(0, char::len_utf8);
    if end > last { end - last } else { end }
}

/// Where a run of at most so many characters ends.
fn run(text: &str, start: usize, most: usize, belongs: impl Fn(char) -> bool) -> usize {
    let letters = text[start..].chars().take(most).take_while(|letter| belongs(*letter));
    start + letters.map(char::len_utf8).sum::<usize>()
}
