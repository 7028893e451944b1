//! Kotlin that is newer than the grammar, and what can be left out of it.

use std::ops::Range;

/// Words that the grammar takes for something else where they are modifiers or names.
const MODIFIERS: &[&str] = &["actual", "expect", "internal", "private", "protected", "public"];

/// Words that are names wherever nothing is declared with them, which the grammar does not always see.
const SOFT: &[&str] =
    &["data", "dynamic", "enum", "expect", "get", "inner", "open", "set", "suspend", "value", "where"];

/// The text with such words written as plain names of the same length, lines that the grammar joins with the one before
/// kept apart, and what says nothing about names left out. Names are read from the file's own text.
pub(super) fn mend(text: &str) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    for word in SOFT {
        for (at, _) in text.match_indices(word) {
            let (before, after) = (&text[..at], &text[at + word.len()..]);
            let alone = !before.ends_with(is_name) && !after.starts_with(is_name) && !before.ends_with('`');
            if alone && is_plain_name(word, before, after) {
                bytes[at + word.len() - 1] = b'_';
            }
        }
    }
    for (at, _) in text.match_indices("in") {
        let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
        let named = text[at + 2..].starts_with(|c: char| c.is_ascii_digit() || c == '_');
        if named && at > 0 && line < at && text[line..at].bytes().all(|byte| byte == b' ') {
            bytes[at - 1] = b';';
        }
    }
    for (at, word) in text.match_indices("constructor(") {
        join_constructor(text, at, word, &mut bytes);
    }
    for (at, _) in text.match_indices("suspend {") {
        if text[..at].trim_end().ends_with(['=', '(', ',']) {
            bytes[at..at + 7].fill(b' ');
        }
    }
    for (at, _) in text.match_indices("?::") {
        bytes[at] = b' ';
    }
    let quotes = |at: usize| text[at..].bytes().take_while(|byte| *byte == b'"').count();
    for (at, _) in text.match_indices("\"\"\"\"") {
        let count = quotes(at);
        if !text[..at].ends_with('"') && count < 6 {
            bytes[at..at + count - 3].fill(b'_');
        }
    }
    if bytes == text.as_bytes() { None } else { String::from_utf8(bytes).ok() }
}

/// `class A⏎@Inject⏎internal constructor(`: what stands between the name and the word says nothing about names.
fn join_constructor(text: &str, at: usize, word: &str, bytes: &mut [u8]) {
    let mut start = at;
    for _ in 0..4 {
        let line = text[..start].trim_end();
        let from = line.rfind('\n').map_or(0, |at| at + 1);
        let code = line[from..].trim_start();
        if (code.contains("class ") || code.ends_with('>')) && !code.contains(['(', '{', '=']) {
            let end = if code.contains(word) { return } else { line.len() };
            bytes[end..at].fill(b' ');
            return;
        }
        let modifiers = code.split_whitespace().all(|word| word.starts_with('@') || MODIFIERS.contains(&word));
        if !modifiers {
            return;
        }
        start = from;
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a soft key word is a name, by what stands around it.
fn is_plain_name(word: &str, before: &str, after: &str) -> bool {
    let next = after.trim_start_matches(' ');
    // `insert { … } get Tasks.id`
    let infix = after.starts_with(' ') && next.starts_with(is_name) && !next.starts_with("set");
    let previous = before.trim_end_matches(' ').rsplit(|c| !is_name(c)).next().unwrap_or_default();
    match word {
        "get" | "set" if MODIFIERS.contains(&previous) => false, // `private set`
        "get" if infix => before.trim_end_matches(' ').ends_with(|c: char| is_name(c) || matches!(c, '}' | ')' | ']')),
        "get" => !(next.starts_with("()") || next.starts_with('\n')) && next.starts_with(['(', '{', '.', '<', ',']),
        "suspend" => after.starts_with('(') || next.starts_with([',', ')', ':', '=', '.']),
        "set" if next.starts_with('(') => {
            let inside = next[1..].find(')').map_or("", |end| &next[1..=end]);
            let behind = next[1 + inside.len()..].trim_start_matches([')', ' ']);
            !(inside.trim_end_matches(')').chars().all(is_name) && behind.starts_with(['{', '=']))
        }
        _ => {
            next.starts_with(['(', ',', '.', ')', ':', '=', '{', '?', ';', '\n', '!', '+', '-', '['])
                && !(next.starts_with('\n') && before.trim_end_matches(' ').ends_with('\n'))
        }
    }
}

/// What a piece of code that does not parse may parse without.
pub(super) fn removable(code: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    context_parameters(code, &mut found);
    guards(code, &mut found);
    for (at, _) in code.match_indices("$$") {
        let dollars = code[at..].bytes().take_while(|byte| *byte == b'$').count();
        if code[at + dollars..].starts_with('"') && !code[..at].ends_with('$') {
            found.push(at..at + dollars);
        }
    }
    // `@Deprecated(…)⏎ set`
    for (at, _) in code.match_indices(")\n") {
        let next = code[at + 1..].trim_start();
        let accessor = next.strip_prefix("set").or_else(|| next.strip_prefix("get"));
        let start = code[..at].rfind('@').filter(|start| code[..*start].trim_end_matches(' ').ends_with('\n'));
        if let Some(start) = start.filter(|_| accessor.is_some_and(|rest| !rest.starts_with(is_name))) {
            found.push(start..at + 1);
        }
    }
    for word in [" set(", " get("] {
        for (at, _) in code.match_indices(word) {
            let line = code[..at].rfind('\n').map_or(0, |at| at + 1);
            let annotation = code[line..at].trim_start();
            if annotation.starts_with('@') && !annotation.contains(' ') {
                found.push(at - annotation.len()..at);
            }
        }
    }
    for (at, _) in code.match_indices("constructor") {
        let before = code[..at].trim_end();
        let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        if MODIFIERS.contains(&word) {
            found.push(before.len() - word.len()..before.len());
        }
    }
    found
}

/// `context(logger: Logger)` before a declaration.
fn context_parameters(code: &str, found: &mut Vec<Range<usize>>) {
    for (at, word) in code.match_indices("context(") {
        let alone = code[..at].chars().next_back().is_none_or(|c| c == '\n' || c == ' ');
        let open = at + word.len();
        let close = closing(&code[open..]).map(|length| open + length + 1);
        if let Some(end) = close.filter(|end| {
            alone && code[*end..].trim_start().starts_with(|c: char| c.is_alphabetic() || c == '@' || c == '(')
        }) {
            found.push(at..end);
        }
    }
}

/// `is Circle if it.radius > 1 ->` in a `when`.
fn guards(code: &str, found: &mut Vec<Range<usize>>) {
    for (at, _) in code.match_indices(" if ") {
        let line = code[..at].rfind('\n').map_or(0, |at| at + 1);
        let head = code[line..at].trim_start();
        let rest = &code[at..];
        let end = rest.find("->").filter(|end| !rest[..*end].contains(['{', ';']) && !rest[..*end].contains("else"));
        if let Some(end) =
            end.filter(|_| !head.is_empty() && !head.contains(['=', '{', '}', ';']) && !head.starts_with("return"))
        {
            found.push(at + 1..at + end);
        }
    }
}

fn closing(code: &str) -> Option<usize> {
    let mut depth = 1usize;
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{mend, removable};

    #[test]
    fn soft_words_are_names_where_nothing_is_declared_with_them() {
        let names = |code: &str| mend(code).map(|mended| mended.matches('_').count()).unwrap_or_default();
        assert_eq!(names("val a = t.insert { } get t.id"), 1);
        assert_eq!(names("where?.let { where = it }"), 2);
        assert_eq!(names("var a: Int = 1\n    private set\n"), 0);
        assert_eq!(names("val a: Int\n    get() = 1\nfun <T> f() where T : Any {}"), 0);
    }

    #[test]
    fn guards_contexts_dollars_and_modifiers_of_constructors_may_go() {
        let words =
            |code: &'static str| -> Vec<&str> { removable(code).into_iter().map(|range| &code[range]).collect() };
        assert_eq!(words("when (x) {\n  is A if x.b > 1 -> 2\n  else -> 3\n}"), ["if x.b > 1 "]);
        assert_eq!(words("context(a: A, b: (B) -> C)\nfun f() {}"), ["context(a: A, b: (B) -> C)"]);
        assert_eq!(words("val a = $$\"\"\"x\"\"\""), ["$$"]);
        assert_eq!(words("class A\nactual constructor(x: Int)"), ["actual"]);
        assert!(words("val f = if (a) b else c; context(1)").is_empty());
    }
}
