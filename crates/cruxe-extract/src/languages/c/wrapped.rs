//! Macros around a part of a declaration: around its type (`API(int) f(void);`), its name (`int CALLBACK(f)(void);`) or all of
//! its head (`API(int f(void)) {`).
//!
//! The grammar takes such a macro for the function. What is inside the parentheses is what the reader means, so the macro and
//! its parentheses become blanks. Without the preprocessor only their custom tells them: upper case, and where they stand.

use cruxe_model::facts::Span;

use super::macros::{is_macro, word};

/// A macro around a part of a declaration.
pub(super) struct Wrapper {
    /// The macro with its opening parenthesis.
    pub open: Span,
    /// The closing parenthesis.
    pub close: Span,
    /// What takes its place.
    pub left: Left,
}

/// What is left of a wrapper.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// What is inside.
    Inside,
    /// A pointer: `(*name)` for `CALLBACK(name)`.
    Pointer,
    /// A number: `int name` for `BIT(name)`.
    Number,
}

/// A head of a function is not longer than this.
const MAX_HEAD: usize = 4_000;

/// Words before a value, which no declaration starts with.
const STATEMENTS: &[&str] = &["return", "else", "case", "goto", "do", "throw", "delete", "new", "co_return", "define"];

/// The wrapper in a line of code that starts at an offset of the text, where there is one. `indented` says whether
/// something other than the margin is before it.
pub(super) fn wrapper(text: &str, start: usize, line: &str, indented: bool) -> Option<Wrapper> {
    around_name(start, line, indented).or_else(|| if indented { None } else { around_type_or_head(text, start) })
}

/// `BIT(done);` among the fields of a structure, where only a declaration can stand.
pub(super) fn around_field(start: usize, line: &str) -> Option<Wrapper> {
    let name = word(line);
    let inner = word(line.get(name.len() + 1..)?);
    let behind = &line[name.len() + 1 + inner.len()..];
    let upper = name.len() > 2 && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let field = inner.starts_with(|c: char| c.is_ascii_lowercase()) && behind.starts_with(");");
    (upper && field && line[name.len()..].starts_with('(')).then(|| Wrapper {
        open: piece(start, start + name.len() + 1),
        close: piece(start + name.len() + 1 + inner.len(), start + name.len() + 2 + inner.len()),
        left: Left::Number,
    })
}

/// `API(int) f(void)` and `API(int f(void)) {`, where a declaration starts at the margin.
fn around_type_or_head(text: &str, start: usize) -> Option<Wrapper> {
    let mut at = start;
    while matches!(word(&text[at..]), "static" | "extern" | "inline") {
        at += word(&text[at..]).len();
        at += text[at..].len() - text[at..].trim_start_matches(' ').len();
    }
    let name = word(&text[at..]);
    let open = at + name.len();
    if !is_macro(name) || !text[open..].starts_with('(') {
        return None;
    }
    let end = open + closing(&text.as_bytes()[open..])?;
    let (inner, behind) = (&text[open + 1..end], text[end + 1..].trim_start());
    let around_type = is_type(inner) && {
        let function = word(behind);
        !function.is_empty() && !is_macro(function) && behind[function.len()..].trim_start().starts_with('(')
    };
    let around_head = behind.starts_with(['{', ';']) && is_head(inner);
    let wrapper = Wrapper { open: piece(at, open + 1), close: piece(end, end + 1), left: Left::Inside };
    (around_type || around_head).then_some(wrapper)
}

/// `int CALLBACK(f)(void)`.
fn around_name(start: usize, line: &str, indented: bool) -> Option<Wrapper> {
    let close = line.match_indices(")(").map(|(at, _)| at).find(|at| {
        let inner = line[..*at].rfind('(').map_or("", |open| &line[open + 1..*at]);
        !inner.is_empty() && word(inner) == inner && !inner.starts_with(|c: char| c.is_ascii_digit())
    })?;
    let open = line[..close].rfind('(')?;
    let name = line[..open].len() - line[..open].bytes().rev().take_while(|byte| is_part(*byte)).count();
    let before = line[..name].trim_end();
    let typed = before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '*')
        && before.bytes().all(|byte| is_part(byte) || b" *\t".contains(&byte))
        && !STATEMENTS.contains(&word(before));
    (typed && is_macro(&line[name..open])).then(|| Wrapper {
        open: piece(start + name, start + open + 1),
        close: piece(start + close, start + close + 1),
        left: if indented || word(before) == "typedef" { Left::Pointer } else { Left::Inside },
    })
}

/// Whether a text is a plain type: words and stars.
fn is_type(text: &str) -> bool {
    let plain = text.bytes().all(|byte| is_part(byte) || b" *".contains(&byte));
    plain && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Whether a text is the head of a function: a type, a name, parameters.
fn is_head(text: &str) -> bool {
    let Some((before, _)) = text.split_once('(').filter(|_| text.ends_with(')')) else { return false };
    is_type(before) && before.split([' ', '*']).filter(|word| !word.is_empty()).count() > 1
}

/// How far the parenthesis at the beginning of a text is from the one that closes it.
fn closing(text: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.iter().take(MAX_HEAD).enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at),
            b')' => depth -= 1,
            b'{' | b'}' | b'"' | b'#' => return None,
            _ => {}
        }
    }
    None
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn piece(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32 }
}
