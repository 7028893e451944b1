//! How many tokens a text has, as the tokenizer of current OpenAI models (o200k) counts them; others differ by a few
//! percent.
//!
//! [`split`] cuts a text into pieces that no token crosses, [`merge`] counts the tokens of a piece, [`vocabulary`] knows
//! them. Nothing is loaded: the vocabulary is a table in the program.
//!
//! Deliberately absent: the tokens themselves. Nobody here asks which they are.

mod hash;
mod merge;
mod split;
mod vocabulary;

use rayon::prelude::*;

/// A shorter text is not worth another thread.
const SHARE: usize = 16 << 10;

/// Returns how many tokens a text has.
pub fn count(text: &str) -> usize {
    if text.len() < 2 * SHARE {
        return count_here(text);
    }
    shares(text).par_iter().map(|share| count_here(share)).sum()
}

fn count_here(text: &str) -> usize {
    split::pieces(text).map(|piece| merge::count(piece.as_bytes())).sum()
}

/// Cuts a text where a piece ends whatever stands before and behind: after a line end, before something that is neither
/// blank nor a slash. (Punctuation takes line ends and slashes behind it into its piece.)
fn shares(text: &str) -> Vec<&str> {
    let mut shares = Vec::new();
    let mut rest = text;
    while rest.len() > SHARE {
        let lines = rest.bytes().enumerate().skip(SHARE).filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let is_end = |at: &usize| rest[*at..].starts_with(|next: char| next != '/' && !next.is_whitespace());
        let Some(end) = lines.into_iter().find(is_end) else { break };
        let (share, behind) = rest.split_at(end);
        shares.push(share);
        rest = behind;
    }
    shares.push(rest);
    shares
}

#[cfg(test)]
mod tests;
