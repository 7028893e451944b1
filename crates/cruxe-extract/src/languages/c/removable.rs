//! Macros that stand where no C can, and that mean nothing to the grammar: `class API Foo`, `int f() NOEXCEPT_IF(x);`.
//!
//! [`super::macros`] knows those that can be told by their place on a line alone. These are only looked for in a piece of
//! code that does not parse, one after another, and only taken out where it parses better without.

use std::ops::Range;

/// Words of compilers that the grammars do not know.
const WORDS: &[&str] = &[
    "_Nonnull",
    "_Nullable",
    "__attribute",
    "__cdecl",
    "__extension__",
    "__fastcall",
    "__forceinline",
    "__inline",
    "__inline__",
    "__restrict",
    "__restrict__",
    "__stdcall",
    "__thiscall",
    "__thread",
    "__unaligned",
    "__vectorcall",
    "__volatile__",
    "absl_nonnull",
    "absl_nullability_unknown",
    "absl_nullable",
    "_Noreturn",
    "_Thread_local",
];

/// Signs behind types that are looked for among the arguments of a macro.
const MAX_SIGNS: usize = 4;

/// Where such macros may stand, with their arguments.
pub(super) fn removable(code: &str) -> Vec<Range<usize>> {
    let tokens = tokens(code.as_bytes());
    let text = |at: usize| tokens.get(at).map_or("", |token| &code[token.clone()]);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let word = text(at);
        if !is_candidate(word) {
            at += 1;
            continue;
        }
        let end = if text(at + 1) == "(" { closing(&tokens, code, at + 1) } else { at };
        let (before, after) = (at.checked_sub(1).map_or("", &text), text(end + 1));
        let range = tokens[at].start..tokens[end.min(tokens.len() - 1)].end;
        // `CHECK_THROWS(f(), error&)`: without the sign the type is a name like any other, and the rest is read as it stands.
        let is_sign = |at: &usize| matches!(text(*at), "&" | "*") && matches!(text(at + 1), ")" | ",");
        let signs = (at + 2..end).filter(|at| is_sign(at) && (is_word(text(at - 1)) || text(at - 1) == ">"));
        found.extend(signs.take(MAX_SIGNS).map(|at| tokens[at].clone()));
        if may_go(before, after) {
            found.push(range);
        }
        at = if is_word(after) || end == at { at + 1 } else { end + 1 };
    }
    found
}

/// Whether something between two tokens may be no part of the code: it is not an operand.
fn may_go(before: &str, after: &str) -> bool {
    let ended = before.is_empty()
        || is_word(before)
        || matches!(before, ")" | "*" | "&" | ">" | "]" | "{" | "}" | ";" | ":" | "," | "(" | "<")
        || before.starts_with('"');
    let starts = after.is_empty()
        || is_word(after)
        || matches!(after, "{" | "}" | ";" | "*" | "&" | ":" | "=" | "~" | "[" | ")" | "," | "(" | "<")
        || after.starts_with('"');
    let operand = matches!(before, "," | "(" | "<") && matches!(after, "," | ")" | ";" | ">");
    ended && starts && !operand && before != "define" && before != "#"
}

fn is_candidate(word: &str) -> bool {
    let upper = word.len() > 2
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && word.starts_with(|c: char| c.is_ascii_uppercase() || c == '_');
    upper || WORDS.contains(&word)
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
}

/// The index of the parenthesis that closes the one at an index.
fn closing(tokens: &[Range<usize>], code: &str, open: usize) -> usize {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match &code[token.clone()] {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    open - 1
}

/// Words, strings and single other characters.
fn tokens(code: &[u8]) -> Vec<Range<usize>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let skipped = super::LEXIS.skip(code, at);
        let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let end = match code[at] {
            byte if byte.is_ascii_whitespace() || (byte == b'/' && skipped > at) => {
                at = skipped.max(at + 1);
                continue;
            }
            _ if skipped > at => skipped,
            byte if word(&byte) => at + code[at..].iter().take_while(|byte| word(byte)).count(),
            byte if byte >= 0x80 => at + code[at..].iter().take_while(|byte| **byte >= 0x80).count(),
            _ => at + 1,
        };
        tokens.push(at..end);
        at = end;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::removable;

    fn words(code: &str) -> Vec<&str> {
        removable(code).into_iter().map(|range| &code[range]).collect()
    }

    #[test]
    fn macros_between_words_and_behind_parameters_may_go() {
        assert_eq!(words("class API_EXPORT Foo : Bar {}"), ["API_EXPORT"]);
        assert_eq!(words("reference at(size_t i) ABSL_BOUND(this) {}"), ["ABSL_BOUND(this)"]);
        assert_eq!(words("char* absl_nullable f(int x);"), ["absl_nullable"]);
        assert_eq!(words("TEST_CASE(\"a\", \"[b]\") {}"), ["TEST_CASE(\"a\", \"[b]\")"]);
    }

    #[test]
    fn signs_behind_types_among_arguments_go_before_the_macro() {
        assert_eq!(words("CHECK_AS(f(a & b), \"x\", error&);"), ["&", "CHECK_AS(f(a & b), \"x\", error&)"]);
        assert!(words("void f(const T&, int*);").is_empty());
    }

    #[test]
    fn operands_stay() {
        assert!(words("f(FOO, BAR);").is_empty());
        assert!(words("x = FOO | BAR;").is_empty());
        assert!(words("(unclosed FOO(").iter().all(|word| !word.contains('(')));
    }
}
