//! Conditions of a preprocessor that stand inside of a statement: before `} else if`, in a list of values, in a head.
//!
//! Grammars know them around whole statements alone. They are taken out around all errors at once, as what can be told by its
//! looks is; of branches that exclude each other one stays.

use std::ops::Range;

use tree_sitter::Tree;

use super::Work;
use super::attributes::Taken;
use super::leaf::branches;
use super::lexis::{Lexis, directive_end};

/// A longer one may be around declarations, and what makes it uneven elsewhere.
const MAX_LENGTH: usize = 8 << 10;

impl Work<'_> {
    /// The tree without them, where it is a better one.
    pub(super) fn without_conditions(&mut self, tree: &Tree) -> Option<Tree> {
        if !self.lexis.directives {
            return None;
        }
        let windows = self.windows(tree);
        let near = |range: &Range<usize>| {
            let window = windows.partition_point(|window| window.end <= range.start);
            windows.get(window).is_some_and(|window| window.start < range.end)
        };
        let found = inside(self.lexis, &self.text).into_iter().filter(|one| one.surely || near(&one.range));
        let taken = found.map(|one| {
            let (out, other) = branches(&self.text, one.range);
            Taken { out, lost: if one.beside { Vec::new() } else { other } }
        });
        let taken = taken.collect();
        self.without_all(tree, taken)
    }
}

/// What is nested deeper is left alone.
const MAX_BRACES: usize = 100;

/// Conditions from the line of `#if` to that of `#endif`.
#[derive(Debug, PartialEq, Eq)]
struct Conditions {
    range: Range<usize>,
    /// They are no whole statements; others stand where they might be none.
    surely: bool,
    /// All branches are pieces of one list, or of one chain of statements, and can stand in it beside each other.
    beside: bool,
}

/// Where the text so far stands.
#[derive(Clone)]
struct Open {
    /// How many parentheses are open, by the braces around them, outermost first.
    brackets: Vec<i32>,
    /// The last byte of the code so far.
    last: u8,
}

/// Conditions that are not closed yet.
struct Begun {
    start: usize,
    before: Open,
    /// Behind the first branch, where there is another.
    first: Option<Open>,
    surely: bool,
    perhaps: bool,
    /// A branch closes what was open before and opens as much: `} else if (x) {`.
    goes_on: bool,
    beside: bool,
}

/// The outermost conditions inside of statements. Linear in the length of the text.
fn inside(lexis: &Lexis, text: &[u8]) -> Vec<Conditions> {
    let open = Open { brackets: vec![0], last: b';' };
    let mut scan = Scan { open, begun: Vec::new(), found: Vec::new() };
    let (mut at, mut line, mut blank) = (0, 0, true);
    while at < text.len() && scan.open.brackets.len() <= MAX_BRACES {
        let byte = text[at];
        if byte.is_ascii_whitespace() {
            at += 1;
            if byte == b'\n' {
                (line, blank) = (at, true);
            }
            continue;
        }
        if byte == b'#' && std::mem::replace(&mut blank, false) {
            let word = text[at + 1..].trim_ascii_start();
            at = directive_end(text, at);
            scan.directive(word, line..at);
            continue;
        }
        blank = false;
        let next = lexis.skip(text, at);
        if next == at {
            scan.see(byte);
            at += 1;
            continue;
        }
        // A comment says nothing about what follows; a string may be part of a longer one.
        if byte != b'/' {
            scan.open.last = byte;
        }
        at = next;
    }
    scan.found
}

/// What was seen of a text.
struct Scan {
    open: Open,
    begun: Vec<Begun>,
    found: Vec<Conditions>,
}

impl Scan {
    fn see(&mut self, byte: u8) {
        self.open.see(byte);
        if byte == b'}'
            && let Some(last) = self.begun.last_mut()
        {
            last.goes_on |= self.open.brackets.len() < last.before.brackets.len();
        }
    }

    fn directive(&mut self, word: &[u8], line: Range<usize>) {
        if word.starts_with(b"if") {
            let surely = self.open.parentheses() > 0 || b"=(|&+-*/?<".contains(&self.open.last);
            let (before, perhaps) = (self.open.clone(), self.open.is_in_list());
            let begun = Begun { start: line.start, before, first: None, surely, perhaps, goes_on: false, beside: true };
            self.begun.push(begun);
        } else if word.starts_with(b"el") {
            let Some(last) = self.begun.last_mut() else { return };
            last.end_branch(&self.open);
            let before = last.before.clone();
            last.first.get_or_insert(std::mem::replace(&mut self.open, before));
        } else if word.starts_with(b"endif") {
            let Some(mut last) = self.begun.pop() else { return };
            last.end_branch(&self.open);
            if let Some(first) = last.first {
                self.open = first;
            }
            let (surely, range) = (last.surely || last.goes_on, last.start..line.end);
            if (surely || last.perhaps) && range.len() <= MAX_LENGTH {
                while self.found.last().is_some_and(|inner| inner.range.start > range.start) {
                    self.found.pop();
                }
                self.found.push(Conditions { range, surely, beside: last.beside && !last.surely });
            }
        }
    }
}

impl Open {
    fn see(&mut self, byte: u8) {
        match byte {
            b'{' => self.brackets.push(0),
            b'}' if self.brackets.len() > 1 => drop(self.brackets.pop()),
            b'(' | b'[' => self.add(1),
            b')' | b']' => self.add(-1),
            _ => {}
        }
        self.last = byte;
    }

    fn add(&mut self, parentheses: i32) {
        if let Some(here) = self.brackets.last_mut() {
            *here += parentheses;
        }
    }

    /// Whether what came last is a piece of a list or of a string that may go on.
    fn is_in_list(&self) -> bool {
        matches!(self.last, b',' | b'"')
    }

    /// Whether another piece of a list, or another statement, may follow.
    fn may_go_on(&self) -> bool {
        self.is_in_list() || matches!(self.last, b';' | b'{' | b'}')
    }

    fn parentheses(&self) -> i32 {
        self.brackets.last().copied().unwrap_or(0)
    }
}

impl Begun {
    fn end_branch(&mut self, open: &Open) {
        // It opens or closes what it does not close or open.
        self.surely |= open.brackets != self.before.brackets;
        self.perhaps |= open.is_in_list();
        self.beside &= open.may_go_on();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recover::BRACES;

    /// The lines of `#if` that are told, each with whether it surely stands inside of a statement.
    fn told(text: &str) -> Vec<(usize, bool)> {
        let lexis = Lexis { directives: true, ..BRACES };
        let line = |at: usize| text[..at].matches('\n').count() + 1;
        let found = inside(&lexis, text.as_bytes());
        let ends = |range: &Range<usize>| text[range.clone()].ends_with("#endif");
        assert!(found.iter().all(|one| ends(&one.range)), "{found:?}");
        found.into_iter().map(|one| (line(one.range.start), one.surely)).collect()
    }

    #[test]
    fn conditions_inside_of_statements_are_told() {
        assert_eq!(told("if (a) {\n#ifdef X\n} else if (b) {\n#endif\n}\n"), [(2, true)]);
        assert_eq!(told("int x =\n#if A\n1;\n#else\n2;\n#endif\n"), [(2, true)]);
        assert_eq!(told("f(a,\n#if A\n(int)\n#endif\nb);\n"), [(2, true)]);
        assert_eq!(told("if (a)\n#if A \\\n&& B\n{ x(\n#else\n{ y(\n#endif\n); }\n"), [(2, true)]);
        assert_eq!(told("T t[] = {\n#if A\n{1},\n#endif\n{2},\n#if B\n{3},\n#endif\n};\n"), [(2, false), (6, false)]);
        assert_eq!(told("s = \"a\"\n#if A\n\"b\"\n#endif\n;\n"), [(2, false)]);
    }

    #[test]
    fn conditions_around_statements_are_not_told() {
        assert_eq!(told("#if A\nint f(int x) { return (x); }\n#else\nint g;\n#endif\n"), []);
        assert_eq!(told("void f() {\n#if A\n  g();\n#elif B\n  h(\"(\");\n#endif\n}\n"), []);
        assert_eq!(told("#if A\nint x; // (\n/* { */ char c = '(';\n#endif\n"), []);
        assert_eq!(told("x = 1; } ) {\n#if A\n  int y;\n#endif\n"), [], "what was wrong before");
        assert_eq!(told("#if A\nf(\n"), [], "no end");
        assert_eq!(told("#endif\n#else\nf(;\n"), [], "no beginning");
    }

    #[test]
    fn the_outermost_is_told_for_those_in_it_unless_it_is_around_statements() {
        assert_eq!(told("f(\n#if A\n#if B\na,\n#endif\nb,\n#endif\nc);\n"), [(2, true)]);
        assert_eq!(told("#if A\nx = 1;\n#else\nf(a,\n#if B\nb,\n#endif\nc);\n#endif\n"), [(5, true)]);
    }

    #[test]
    fn branches_that_are_pieces_of_a_list_or_a_chain_can_stand_beside_each_other() {
        let beside = |text: &str| -> Vec<bool> {
            let lexis = Lexis { directives: true, ..BRACES };
            inside(&lexis, text.as_bytes()).into_iter().map(|one| one.beside).collect()
        };
        assert_eq!(beside("T t[] = {\n#if A\n{1},\n#elif B\n{2},\n#else\n{3},\n#endif\n};\n"), [true]);
        assert_eq!(beside("s = \"a\"\n#if A\n\"b\"\n#else\n\"c\"\n#endif\n;\n"), [true]);
        let chain = "if (a) {\n#if A\nb;\n} else if (c) {\n#else\nd;\n} else if (e) {\n#endif\nf;\n}\n";
        assert_eq!(beside(chain), [true]);
        assert_eq!(beside("if (a)\n#if A\n{ b(\n#else\n{ c(\n#endif\n); }\n"), [false]);
        assert_eq!(beside("T t[] = {0,\n#if A\n1\n#else\n2\n#endif\n};\n"), [false]);
        assert_eq!(beside("f(a,\n#if A\nb,\n#else\nc,\n#endif\nd);\n"), [false], "it would pass too much");
    }

    #[test]
    fn long_rows_take_no_longer_than_they_are() {
        let deep = format!("{}{}", "{".repeat(300_000), "#if A\n".repeat(300_000));
        assert_eq!(told(&deep), []);
        let nested = format!("f(\n{}{});\n", "#if A\n".repeat(100_000), "#endif\n".repeat(100_000));
        assert!(told(&nested).len() == 1);
        let row = format!("T t[] = {{\n{}}};\n", "#if A\n1,\n#endif\n".repeat(20_000));
        let lexis = Lexis { directives: true, ..BRACES };
        assert_eq!(inside(&lexis, row.as_bytes()).len(), 20_000);
    }

    #[test]
    fn one_that_is_very_long_is_left_alone() {
        let long = format!("f(\n#if A\n{}\n#endif\n);\n", "a, ".repeat(MAX_LENGTH));
        assert_eq!(told(&long), []);
    }
}
