//! The names in code that no parser has seen.

use cruxe_model::facts::Span;

use super::lexis::Lexis;

/// The names in a piece of code that the parser did not see, each with whether a `(` follows.
pub(crate) fn names<'s>(lexis: &Lexis, text: &'s str, piece: Span) -> Vec<(&'s str, u32, bool)> {
    let (mut at, end) = (piece.start as usize, (piece.end as usize).min(text.len()));
    let bytes = &text.as_bytes()[..end];
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let mut names = Vec::new();
    while at < end {
        let next = lexis.skip(bytes, at);
        if next > at || !is_word(&bytes[at]) {
            at = next.max(at + 1);
            continue;
        }
        let length = bytes[at..].iter().take_while(|byte| is_word(byte)).count();
        let called = bytes[at + length..].iter().find(|byte| **byte != b' ') == Some(&b'(');
        if let Some(word) = text.get(at..at + length).filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()))
            && !KEYWORDS.contains(&word)
        {
            names.push((word, at as u32, called));
        }
        at += length;
    }
    names
}

/// Words that are no names in any language with braces.
const KEYWORDS: &[&str] = &[
    "as",
    "auto",
    "bool",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "constexpr",
    "continue",
    "default",
    "define",
    "defined",
    "do",
    "double",
    "elif",
    "else",
    "endif",
    "enum",
    "extends",
    "extern",
    "false",
    "finally",
    "float",
    "for",
    "foreach",
    "fun",
    "func",
    "function",
    "if",
    "ifdef",
    "ifndef",
    "implements",
    "import",
    "in",
    "inline",
    "int",
    "interface",
    "is",
    "let",
    "long",
    "namespace",
    "new",
    "null",
    "nullptr",
    "object",
    "operator",
    "out",
    "override",
    "package",
    "private",
    "protected",
    "public",
    "ref",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "string",
    "struct",
    "super",
    "switch",
    "template",
    "this",
    "throw",
    "true",
    "try",
    "typedef",
    "typename",
    "union",
    "unsigned",
    "using",
    "val",
    "var",
    "virtual",
    "void",
    "volatile",
    "when",
    "while",
];
