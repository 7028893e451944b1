//! What a piece of code says, whatever it looks like: the same for two texts that differ in layout and comments only.

use std::time::Instant;

use cruxe_model::facts::Span;
use tree_sitter::Node;

use crate::Extractor;
use crate::language::LanguageDef;

/// What to look at in a piece of code.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading<'a> {
    /// Parts that do not count, as offsets into the piece: doc comments, members that are looked at by themselves.
    pub without: &'a [Span],
    /// Leave out `,` and `;` too, which come and go with the members around them.
    pub without_separators: bool,
    /// A name that counts as any name: what is defined here may be called otherwise elsewhere.
    pub any_name: Option<&'a str>,
}

/// A piece of code without its looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// Equal for equal code.
    pub fingerprint: [u8; 16],
    /// How many tokens there are.
    pub tokens: usize,
    /// Where the body of the outermost definition begins.
    pub body: Option<usize>,
}

impl Extractor {
    /// Reads a piece of code: its tokens and how they nest, because in some languages layout alone changes nesting.
    /// Text without a grammar is read as words.
    pub fn code(&mut self, language: Option<&'static LanguageDef>, text: &str, reading: &Reading) -> Code {
        let prefix = language.map_or("", |def| def.opening);
        let whole = format!("{prefix}{text}");
        let deadline = Instant::now() + self.limits.max_time;
        let tree = language.and_then(|def| self.tree(def, &whole, deadline));
        let mut reader = Reader::new(&whole, prefix.len(), reading);
        match tree {
            Some(parsed) => reader.walk(parsed.tree.root_node()),
            None => reader.words(),
        }
        reader.finish()
    }
}

struct Reader<'a> {
    text: &'a str,
    shift: usize,
    reading: &'a Reading<'a>,
    hasher: blake3::Hasher,
    tokens: usize,
    body: Option<usize>,
    at: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, shift: usize, reading: &'a Reading<'a>) -> Reader<'a> {
        Reader { text, shift, reading, hasher: blake3::Hasher::new(), tokens: 0, body: None, at: shift }
    }

    fn walk(&mut self, root: Node) {
        let mut cursor = root.walk();
        let mut depth = 0u32;
        loop {
            let node = cursor.node();
            let range = node.byte_range();
            if self.body.is_none() && cursor.field_name() == Some("body") {
                self.body = range.start.checked_sub(self.shift);
            }
            let counts = !node.is_extra() || !node.kind().contains("comment");
            let counts = counts && range.end > self.shift && !self.is_left_out(range.start, range.end);
            if counts && node.child_count() > 0 {
                self.hasher.update(&node.kind_id().to_le_bytes());
                self.hasher.update(&depth.to_le_bytes());
                cursor.goto_first_child();
                depth += 1;
                continue;
            }
            self.gap(range.start);
            if counts {
                self.token(range.start, range.end, depth);
            }
            self.at = self.at.max(range.end);
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return self.gap(self.text.len());
                }
                depth -= 1;
            }
        }
    }

    fn words(&mut self) {
        let start = self.at;
        let pieces: Vec<(usize, usize)> = self.text[start..]
            .split_whitespace()
            .map(|word| word.as_ptr() as usize - self.text.as_ptr() as usize)
            .zip(self.text[start..].split_whitespace().map(str::len))
            .collect();
        for (at, length) in pieces {
            if !self.is_left_out(at, at + length) {
                self.token(at, at + length, 0);
            }
        }
    }

    fn is_left_out(&self, start: usize, end: usize) -> bool {
        let (start, end) = (start.saturating_sub(self.shift), end.saturating_sub(self.shift));
        let inside = |span: &Span| span.start as usize <= start && end <= span.end as usize;
        start < end && self.reading.without.iter().any(inside)
    }

    /// What the parser skipped counts as well: an error must not hide a change.
    fn gap(&mut self, until: usize) {
        let skipped = self.text.get(self.at..until.max(self.at)).unwrap_or_default();
        if !skipped.trim().is_empty() {
            let at = self.at;
            self.token(at, until, u32::MAX);
        }
    }

    fn token(&mut self, start: usize, end: usize, depth: u32) {
        let token = self.text.get(start..end).unwrap_or_default().trim();
        if token.is_empty() || (self.reading.without_separators && matches!(token, "," | ";")) {
            return;
        }
        let token = if self.reading.any_name == Some(token) { "\0name" } else { token };
        self.hasher.update(&depth.to_le_bytes());
        self.hasher.update(&(token.len() as u64).to_le_bytes());
        self.hasher.update(token.as_bytes());
        self.tokens += 1;
    }

    fn finish(self) -> Code {
        let mut fingerprint = [0; 16];
        fingerprint.copy_from_slice(&self.hasher.finalize().as_bytes()[..16]);
        Code { fingerprint, tokens: self.tokens, body: self.body }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;
    use cruxe_model::RepoPath;

    fn read(file: &str, text: &str, reading: &Reading) -> Code {
        let language = registry::detect(&RepoPath::parse(file).unwrap(), b"");
        Extractor::default().code(language, text, reading)
    }

    fn same(file: &str, one: &str, two: &str) -> bool {
        let read = |text| read(file, text, &Reading::default()).fingerprint;
        read(one) == read(two)
    }

    #[test]
    fn layout_and_comments_say_nothing() {
        assert!(same("a.rs", "fn a(x: u8) -> u8 { x + 1 }", "fn a(x: u8) -> u8 {\n    // one more\n    x + 1\n}"));
        assert!(same("a.py", "def a():\n    return 1", "def a():\n        # one\n        return 1"));
        assert!(same("a.go", "func a() int { return 1 }", "func a() int { /* one */\n\treturn 1\n}"));
        assert!(same("a.php", "function a() { return 1; }", "function a()\n{\n  return 1; // one\n}"));
        assert!(same("a.txt", "one two", "one\n  two"));
    }

    #[test]
    fn a_token_a_blank_in_a_string_and_pythons_nesting_say_something() {
        assert!(!same("a.rs", "fn a() -> u8 { 1 }", "fn a() -> u8 { 2 }"));
        assert!(!same("a.rs", "fn a() { b(\"x  y\") }", "fn a() { b(\"x y\") }"));
        assert!(!same(
            "a.py",
            "def a():\n    if x:\n        b()\n        c()",
            "def a():\n    if x:\n        b()\n    c()"
        ));
        assert!(!same("a.txt", "one two", "one three"));
        assert!(!same("a.rs", "fn a() { let = ; §1 }", "fn a() { let = ; §2 }"), "nor may an error hide a change");
    }

    #[test]
    fn a_name_can_count_as_any_and_members_as_none() {
        let any = |name| Reading { any_name: Some(name), ..Reading::default() };
        let one = read("a.rs", "fn fib(n: u8) -> u8 { fib(n - 1) }", &any("fib"));
        let two = read("a.rs", "fn fibonacci(n: u8) -> u8 { fibonacci(n - 1) }", &any("fibonacci"));
        assert_eq!(one.fingerprint, two.fingerprint);
        let text = "struct A { a: u8, b: u8 }";
        let members = [Span { start: 11, end: 16 }, Span { start: 18, end: 23 }];
        let without = |members| Reading { without: members, without_separators: true, any_name: None };
        let (full, short) = (read("a.rs", text, &without(&members)), "struct A { a: u8 }");
        assert_eq!(full.fingerprint, read("a.rs", short, &without(&members[..1])).fingerprint);
        assert_ne!(full.fingerprint, read("a.rs", "pub struct A { a: u8 }", &without(&[])).fingerprint);
    }

    #[test]
    fn the_body_is_told_from_the_declaration() {
        let text = "pub fn a(x: u8) -> u8 { x }";
        assert_eq!(read("a.rs", text, &Reading::default()).body, text.find('{'));
        let text = "def a(x):\n    return x";
        assert_eq!(read("a.py", text, &Reading::default()).body, text.find("return"));
    }
}
