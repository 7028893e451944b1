//! Comments inside of macros: for the grammar they end the macro, and the rest of it stands in the open.

use std::ops::Range;

use memchr::memmem;

use crate::recover::directive_end;

/// Where comments stand in a `#define` with more of it behind them.
pub(super) fn in_macros(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut end = 0;
    for at in memmem::find_iter(bytes, b"define") {
        if at < end || !begins_directive(&bytes[..at]) {
            continue;
        }
        end = directive_end(bytes, at);
        if memmem::find(&bytes[at..end], b"/*").is_some() {
            found.extend(comments(&bytes[at..end]).map(|comment| at + comment.start..at + comment.end));
        }
    }
    found
}

/// Empties a comment. The ends of its lines stay: they say that the macro goes on.
pub(super) fn blank(comment: &mut [u8]) {
    for at in 0..comment.len() {
        let goes_on = comment[at] == b'\\' && comment[at + 1..].first().is_some_and(|next| b"\r\n".contains(next));
        if !goes_on && !b"\r\n".contains(&comment[at]) {
            comment[at] = b' ';
        }
    }
}

/// Whether what stands before a word makes it that of a directive: a `#` that is first in its line.
fn begins_directive(before: &[u8]) -> bool {
    let Some(line) = before.trim_ascii_end().strip_suffix(b"#") else { return false };
    line.iter().rev().find(|byte| !b" \t".contains(byte)).is_none_or(|byte| *byte == b'\n')
}

/// The comments in a directive that something follows.
fn comments(line: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < line.len() {
        at += match line[at] {
            quote @ (b'"' | b'\'') => super::macros::quoted(&line[at..], quote),
            b'/' if line[at..].starts_with(b"//") => break,
            b'/' if line[at..].starts_with(b"/*") => {
                // One with line feeds of its own ends beyond what is seen here.
                let Some(length) = memmem::find(&line[at + 2..], b"*/").map(|end| end + 4) else { break };
                found.push(at..at + length);
                length
            }
            _ => 1,
        };
    }
    let code = line.iter().rposition(|byte| !byte.is_ascii_whitespace() && *byte != b'\\').map_or(0, |last| last + 1);
    found.into_iter().filter(move |comment| comment.end < code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blanked(text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        for comment in in_macros(text) {
            blank(&mut bytes[comment]);
        }
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_comment_that_code_follows_is_blanked_out() {
        assert_eq!(blanked("#define A(x) f(/* y */ x)\n"), "#define A(x) f(        x)\n");
        assert_eq!(blanked("  # define A /* y */ \\\n  1\n/* z */\n"), "  # define A         \\\n  1\n/* z */\n");
        assert_eq!(
            blanked("#define A(x) { \\\r\n /* a \\\r\n b */ x; \\\r\n}\r\n"),
            "#define A(x) { \\\r\n      \\\r\n      x; \\\r\n}\r\n"
        );
    }

    #[test]
    fn what_ends_a_macro_or_is_no_comment_stays() {
        for text in [
            "#define A 1 /* y */\nint x; /* z */ int y;\n",
            "#define A 1 /* y\n z */\nint x;\n",
            "#define A(x) \"/* y */\" x // /* z */ u\n",
            "#define A /* y */ \\\n\n",
            "int define /* y */ x;\nx = # define /* y */ 1\n",
            "#undef A /* y */ x\n",
            "#define A '/*' \\",
            "#define",
        ] {
            assert_eq!(blanked(text), text);
        }
    }
}
