//! Cuts code into declarations and statements by its braces, where a grammar cannot.

use std::ops::Range;

use super::lexis::{Lexis, directive_end};

/// A declaration or a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    /// What it covers.
    pub range: Range<usize>,
    /// The insides of its outermost braces.
    pub blocks: Vec<Range<usize>>,
    /// Directives of a preprocessor cut through it.
    pub cut: bool,
}

/// Words that go on with what a brace ended.
const CONTINUING: &[&[u8]] = &[b"else", b"catch", b"finally", b"while", b"where"];

/// How far the next line of code is looked for.
const MAX_SPACE: usize = 4096;

/// The items in a piece of a text, in their order. Linear in the length of the piece.
pub(super) fn items(lexis: &Lexis, text: &[u8], piece: Range<usize>) -> Vec<Item> {
    let (text, at) = (&text[..piece.end], piece.start);
    let open = Open::default();
    Cutter { lexis, text, at, line: at, indent: 0, blank: true, open, conditions: Vec::new(), item: None }.run()
}

struct Condition {
    start: usize,
    depth: usize,
    /// The depth behind the first branch, when there is another.
    first: Option<usize>,
}

struct Cutter<'a> {
    lexis: &'a Lexis,
    text: &'a [u8],
    at: usize,
    /// Where the current line begins, and whether nothing but space was on it so far.
    line: usize,
    blank: bool,
    /// The column of the current item.
    indent: usize,
    open: Open,
    conditions: Vec<Condition>,
    item: Option<Item>,
}

impl Cutter<'_> {
    fn run(mut self) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        while self.at < self.text.len() {
            let byte = self.text[self.at];
            if byte == b'\n' && self.ends_with_line() {
                self.close(self.at, &mut items);
            }
            if byte.is_ascii_whitespace() {
                self.at += 1;
                if byte == b'\n' {
                    (self.line, self.blank) = (self.at, true);
                }
                continue;
            }
            if byte == b'#' && self.lexis.directives && std::mem::replace(&mut self.blank, false) {
                self.directive(&mut items);
                continue;
            }
            self.blank = false;
            let (start, next) = (self.at, self.lexis.skip(self.text, self.at));
            let comment = next > start && (byte == b'/' || byte == b'#');
            if !comment {
                if self.item.is_none() {
                    self.indent = start - self.line;
                }
                let item =
                    self.item.get_or_insert_with(|| Item { range: start..start, blocks: Vec::new(), cut: false });
                item.range.end = next.max(start + 1);
            }
            if next > start {
                if let Some(at) = memchr::memrchr(b'\n', &self.text[start..next]) {
                    self.line = start + at + 1;
                }
                self.at = next;
                continue;
            }
            self.at += 1;
            self.bracket(byte, start, &mut items);
        }
        self.close(self.text.len(), &mut items);
        items
    }

    fn bracket(&mut self, byte: u8, start: usize, items: &mut Vec<Item>) {
        match byte {
            b'(' | b'[' => self.open.push(byte),
            b'{' => {
                if let Some(item) = self.item.as_mut().filter(|_| !self.open.in_braces()) {
                    item.blocks.push(start + 1..start + 1);
                }
                self.open.push(byte);
            }
            b')' | b']' => {
                let opening = if byte == b')' { b'(' } else { b'[' };
                if self.open.brackets.last() == Some(&opening) {
                    self.open.pop();
                }
            }
            b'}' => {
                while self.open.pop().is_some_and(|open| open != b'{') {}
                let item = self.item.as_mut().filter(|_| !self.open.in_braces());
                if let Some(block) = item.and_then(|item| item.blocks.last_mut()) {
                    block.end = start.max(block.start);
                }
                if self.open.brackets.is_empty() && !self.goes_on() {
                    self.close(self.at, items);
                }
            }
            b';' if self.open.brackets.is_empty() => self.close(self.at, items),
            _ => {}
        }
    }

    fn close(&mut self, end: usize, items: &mut Vec<Item>) {
        let Some(mut item) = self.item.take() else { return };
        item.range.end = item.range.end.min(end).max(item.range.start);
        // Only the last can be open; others that are empty are `{}`.
        if let Some(block) = item.blocks.last_mut().filter(|block| block.end == block.start && self.open.in_braces()) {
            block.end = item.range.end.max(block.start);
        }
        self.open = Open::default();
        items.push(item);
    }

    /// Whether what follows a closing brace belongs to the same item.
    fn goes_on(&self) -> bool {
        let rest = &self.text[self.at..];
        let space = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let same_line = !rest[..space].contains(&b'\n');
        let next = &rest[space..];
        let Some(first) = next.first() else { return false };
        if next.starts_with(b"//") || next.starts_with(b"/*") || *first == b'}' || *first == b'#' {
            return false;
        }
        let word = |word: &&[u8]| {
            next.starts_with(word) && !next.get(word.len()).is_some_and(|byte| byte.is_ascii_alphanumeric())
        };
        same_line || b";,).=?:".contains(first) || CONTINUING.iter().any(word)
    }

    /// Whether the line feed at the current place ends an item, in a language where it may.
    fn ends_with_line(&self) -> bool {
        let Some(item) = self.item.as_ref().filter(|_| self.lexis.lines && self.open.brackets.is_empty()) else {
            return false;
        };
        let code = self.text[item.range.clone()].trim_ascii_end();
        if is_annotation(&code[..code.len().min(MAX_SPACE)]) {
            return false; // of what follows
        }
        if code.last().is_some_and(|last| b",=(+-*/&|<:".contains(last)) || code.ends_with(b"->") {
            return false;
        }
        let mut at = self.at;
        let end = self.text.len().min(at + MAX_SPACE);
        while at < end {
            let next = if self.text[at].is_ascii_whitespace() { at + 1 } else { self.lexis.skip(self.text, at) };
            if next == at || matches!(self.text[at], b'"' | b'\'') {
                break;
            }
            at = next;
        }
        let next = &self.text[at..];
        let starts = next.first().is_some_and(|byte| byte.is_ascii_alphabetic() || b"@_`\"".contains(byte));
        let word = |word: &&[u8]| next.starts_with(word);
        starts && column(self.text, at) <= self.indent && !CONTINUING.iter().any(word)
    }

    /// A line for the preprocessor: its branches count once, however many there are.
    fn directive(&mut self, items: &mut Vec<Item>) {
        let (start, depth) = (self.at, self.open.brackets.len());
        let word = self.text[start + 1..].trim_ascii_start();
        self.at = directive_end(self.text, start);
        let mut opened_before = None;
        if word.starts_with(b"if") {
            self.conditions.push(Condition { start, depth, first: None });
        } else if word.starts_with(b"el") {
            if let Some(condition) = self.conditions.last_mut() {
                condition.first.get_or_insert(depth);
                opened_before = Some((condition.start, condition.depth != depth));
                let depth = condition.depth;
                self.open.resize(depth);
            }
        } else if word.starts_with(b"endif")
            && let Some(condition) = self.conditions.pop()
        {
            opened_before = Some((condition.start, condition.depth != depth));
            self.open.resize(condition.first.unwrap_or(depth));
        }
        let Some(item) = &mut self.item else { return };
        item.range.end = self.at;
        let outside = !self.open.in_braces();
        if let Some((condition, uneven)) = opened_before {
            item.cut |= uneven || outside;
            if condition < item.range.start {
                // The condition began before the item: everything since then is one.
                item.range.start = condition;
                item.cut = true;
                items.retain(|before| before.range.end <= condition);
            }
        } else {
            item.cut |= outside;
        }
    }
}

/// Brackets that are open.
#[derive(Default)]
struct Open {
    brackets: Vec<u8>,
    braces: usize,
}

impl Open {
    fn push(&mut self, bracket: u8) {
        self.braces += usize::from(bracket == b'{');
        self.brackets.push(bracket);
    }

    fn pop(&mut self) -> Option<u8> {
        let bracket = self.brackets.pop()?;
        self.braces -= usize::from(bracket == b'{');
        Some(bracket)
    }

    fn in_braces(&self) -> bool {
        self.braces > 0
    }

    /// Goes back to an earlier depth; what was closed since then is taken for braces.
    fn resize(&mut self, depth: usize) {
        while self.brackets.len() > depth {
            self.pop();
        }
        while self.brackets.len() < depth {
            self.push(b'{');
        }
    }
}

/// Whether code is annotations (and parameters of context, as Kotlin has them) and nothing else.
fn is_annotation(code: &[u8]) -> bool {
    let mut rest = code.trim_ascii_start();
    while !rest.is_empty() {
        let Some(name) =
            rest.strip_prefix(b"@").or_else(|| rest.strip_prefix(b"context").filter(|at| at.starts_with(b"(")))
        else {
            return false;
        };
        let word = name.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_.:".contains(byte)).count();
        rest = &name[word..];
        if rest.first() == Some(&b'(') {
            let mut depth = 0usize;
            let end = rest.iter().position(|byte| {
                depth += usize::from(*byte == b'(');
                depth -= usize::from(*byte == b')').min(depth);
                depth == 0
            });
            rest = end.map_or(&[][..], |end| &rest[end + 1..]);
        }
        rest = rest.trim_ascii_start();
    }
    true
}

fn column(text: &[u8], at: usize) -> usize {
    let line = memchr::memrchr(b'\n', &text[..at]).map_or(0, |at| at + 1);
    at - line
}
