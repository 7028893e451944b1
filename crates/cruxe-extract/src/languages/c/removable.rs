//! Macros that stand where no C can, and that mean nothing to the grammar: `class API Foo`, `int f() NOEXCEPT_IF(x);`.
//!
//! [`super::macros`] knows those that can be told by their place on a line alone. These are only looked for in a piece of
//! code that does not parse, one after another, and only taken out where it parses better without.

use std::ops::Range;

use super::macros::STARTS;

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

/// Tokens in the arguments of a macro.
const MAX_ARGUMENTS: usize = 2_000;

/// Where such macros may stand, with their arguments.
pub(super) fn removable(code: &str) -> Vec<Range<usize>> {
    let code = Code::new(code);
    let mut found = Vec::new();
    let mut at = 0;
    while at < code.tokens.len() {
        if !is_candidate(code.text(at)) {
            at += 1;
            continue;
        }
        let end = code.end_of_use(at).unwrap_or(at);
        let (before, after) = code.around(at, end);
        // `CHECK_THROWS(f(), error&)`: without the sign the type is a name like any other, and the rest is read as it stands.
        let is_sign = |at: &usize| matches!(code.text(*at), "&" | "*") && matches!(code.text(at + 1), ")" | ",");
        let signs = (at + 2..end).filter(|at| is_sign(at) && (is_word(code.text(at - 1)) || code.text(at - 1) == ">"));
        found.extend(signs.take(MAX_SIGNS).map(|at| code.tokens[at].clone()));
        if may_go(before, after) {
            found.push(code.range(at, end));
        }
        at = if is_word(after) || end == at { at + 1 } else { end + 1 };
    }
    found
}

/// Where such macros stand that look like attributes and like nothing else: no type, no value, no statement, no head of a
/// function. They can be taken out all at once.
pub(super) fn doubtful(code: &str) -> Vec<Range<usize>> {
    let code = Code::new(code);
    let mut found = Vec::new();
    let mut at = 0;
    while at < code.tokens.len() {
        let Some(end) = is_candidate(code.text(at)).then(|| code.end_of_use(at)).flatten() else {
            at += 1;
            continue;
        };
        let (before, after) = code.around(at, end);
        if may_go(before, after) && (WORDS.contains(&code.text(at)) || code.is_attribute(at, end)) {
            found.push(code.range(at, end));
        }
        at = end + 1;
    }
    found
}

/// Words before a value or a name.
const BEFORE_VALUES: &[&str] = &[
    "case",
    "co_return",
    "delete",
    "else",
    "enum",
    "goto",
    "namespace",
    "new",
    "operator",
    "return",
    "throw",
    "using",
];

/// Words that may stand before a type.
const BEFORE_TYPES: &[&str] = &[
    "auto",
    "const",
    "constexpr",
    "explicit",
    "extern",
    "friend",
    "inline",
    "mutable",
    "register",
    "static",
    "typedef",
    "virtual",
    "volatile",
];

/// A piece of code in tokens.
pub(super) struct Code<'c> {
    code: &'c str,
    tokens: Vec<Range<usize>>,
}

impl<'c> Code<'c> {
    fn new(code: &'c str) -> Code<'c> {
        Code { code, tokens: tokens(code.as_bytes(), false) }
    }

    /// The tokens of a whole file, without those of its directives.
    pub(super) fn without_directives(code: &'c str) -> Code<'c> {
        Code { code, tokens: tokens(code.as_bytes(), true) }
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(super) fn text(&self, at: usize) -> &'c str {
        self.tokens.get(at).map_or("", |token| &self.code[token.clone()])
    }

    pub(super) fn range(&self, at: usize, end: usize) -> Range<usize> {
        self.tokens[at].start..self.tokens[end.min(self.tokens.len() - 1)].end
    }

    /// What stands before and behind some tokens.
    fn around(&self, at: usize, end: usize) -> (&'c str, &'c str) {
        (at.checked_sub(1).map_or("", |before| self.text(before)), self.text(end + 1))
    }

    /// The last token of a macro with its arguments; `None` where they do not end.
    pub(super) fn end_of_use(&self, at: usize) -> Option<usize> {
        if self.text(at + 1) != "(" {
            return Some(at);
        }
        let mut depth = 0usize;
        for end in at + 1..self.tokens.len().min(at + MAX_ARGUMENTS) {
            match self.text(end) {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(end);
            }
        }
        None
    }

    /// Whether a macro that may go can only be an attribute.
    fn is_attribute(&self, at: usize, end: usize) -> bool {
        let (before, after) = self.around(at, end);
        let starts = matches!(before, "" | ";" | "{" | "}" | ":");
        if BEFORE_VALUES.contains(&before) || matches!((before, after), ("{", "," | "}") | (":", "{" | "," | "}")) {
            return false;
        }
        if starts && end > at {
            // `CHECK(x);` is a statement and `TEST(Suite, Name) {` a function; `TEST("what it tests") {` is neither.
            return is_word(after) || (after == "{" && self.text(at + 2).starts_with('"'));
        }
        // `FOO x;`, `(FOO x, …)`, `static FOO f(…)`, `FOO x GUARDED_BY(y)`: a type.
        let typed = !starts && !matches!(before, "," | "(" | "<") && !BEFORE_TYPES.contains(&before);
        let next = self.text(end + 2);
        let goes_on = is_word(next) && !is_candidate(next) || matches!(next, "*" | "&" | "<" | ":");
        let named = is_word(after) && !STARTS.contains(&after) && !goes_on;
        match before {
            "," | "(" | "<" => is_word(after) && !named,
            _ => typed || !named,
        }
    }
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

pub(super) fn is_candidate(word: &str) -> bool {
    match word.as_bytes() {
        [b'A'..=b'Z' | b'_', ..] if is_upper(word) => true,
        [b'_' | b'a', ..] => WORDS.contains(&word),
        _ => false,
    }
}

pub(super) fn is_upper(word: &str) -> bool {
    word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

pub(super) fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
}

/// Words, strings and single other characters; those of directives too, unless they are left out.
fn tokens(code: &[u8], without_directives: bool) -> Vec<Range<usize>> {
    let mut tokens = Vec::with_capacity(code.len() / 6);
    let mut at = 0;
    while at < code.len() {
        if without_directives && code[at] == b'#' && starts_line(code, at) {
            at = end_of_directive(code, at);
            continue;
        }
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

fn starts_line(code: &[u8], at: usize) -> bool {
    let before = code[..at].iter().rposition(|byte| !matches!(byte, b' ' | b'\t'));
    before.is_none_or(|before| code[before] == b'\n')
}

/// Where the lines of a directive end.
fn end_of_directive(code: &[u8], mut at: usize) -> usize {
    while let Some(end) = memchr::memchr(b'\n', &code[at..]).map(|end| at + end) {
        if !code[at..end].trim_ascii_end().ends_with(b"\\") {
            return end;
        }
        at = end + 1;
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::{doubtful, removable};

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
    fn attributes_are_no_types_values_statements_or_heads() {
        let words = |code: &'static str| doubtful(code).into_iter().map(|range| &code[range]).collect::<Vec<_>>();
        assert_eq!(words("LUAI_FUNC int f(State *L, T* absl_nonnull p);"), ["LUAI_FUNC", "absl_nonnull"]);
        assert_eq!(words("INIT_ONCE static FOO_T x GUARDED_BY(m);"), ["INIT_ONCE", "GUARDED_BY(m)"]);
        assert_eq!(words("CONSTEXPR_F weekday get(int x) NOEXCEPT_IF(y) {"), ["CONSTEXPR_F", "NOEXCEPT_IF(y)"]);
        assert_eq!(words("void (*Yield)(int x) MODULE_ATTR;"), ["MODULE_ATTR"]);
        assert_eq!(words("TEST(\"what it tests\") {"), ["TEST(\"what it tests\")"]);
        assert_eq!(words("f(void API_UNUSED *data)"), ["API_UNUSED"]);
        for code in [
            "DWORD count; static HANDLE open(void);",
            "CHECK(x); return FOO; case BAR: TEST(Suite, Name) {",
            "enum e { FIRST, SECOND, LAST }; enum { ONLY };",
            "f(FOO, BAR); x = FOO | BAR; g(WORD x, WORD y);",
            "CHECK(unclosed",
        ] {
            assert!(doubtful(code).is_empty(), "{code}");
        }
    }

    #[test]
    fn operands_stay() {
        assert!(words("f(FOO, BAR);").is_empty());
        assert!(words("x = FOO | BAR;").is_empty());
        assert!(words("(unclosed FOO(").iter().all(|word| !word.contains('(')));
    }
}
