//! The identifiers that no rule made a fact of.
//!
//! Rules know what they look for; a syntax that they do not know (or that the grammar does not) would make a use vanish
//! in silence. So every identifier of the tree that is no definition, binding, import or occurrence is noted as
//! [`Loose`], and what a question counts adds up to all identifiers of the name that stand in the text.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Loose, NameId};
use tree_sitter::{Language, Node};

use crate::build::Builder;

/// How the nodes of a kind count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    /// An identifier, where it is a leaf.
    #[default]
    Name,
    /// Text or a number: words in it name nothing.
    Quiet,
    /// Code that the grammar leaves as it is: the body of a macro.
    Raw,
    /// A keyword or the like, with everything in it.
    Word,
}

/// What there is to know of each kind of node of a grammar: asking the tree for it, node by node, took a fiftieth of an index run.
pub struct TokenKinds(Vec<Token>);

/// What there is to know of a kind of node.
struct Token {
    kind: Kind,
    named: bool,
    name: Box<str>,
}

/// The kind of what the grammar does not understand, in every grammar.
pub(crate) const ERROR: u16 = u16::MAX;

/// Parts of the names of kinds that hold text.
const QUIET: &[&str] = &[
    "comment",
    "string",
    "char",
    "regex",
    "heredoc",
    "quoted",
    "text",
    "escape",
    "number",
    "integer",
    "float",
    "literal",
    "content",
    "shebang",
    "hash_bang",
    "rune",
    "docstring",
    "pragma",
    "sigil_modifiers",
];
/// Kinds of leaves that hold code.
const RAW: &[&str] = &["preproc_arg", "cpp"];
/// Kinds of leaves that are words of the language.
const WORDS: &[&str] = &[
    "self",
    "this",
    "super",
    "true",
    "false",
    "null",
    "nil",
    "none",
    "undefined",
    "unit",
    "base",
    "wildcard",
    "primitive_type",
    "predefined_type",
    "void_type",
    "boolean_type",
    "integral_type",
    "floating_point_type",
    "bool",
    "boolean",
    "mutable_specifier",
    "storage_class_specifier",
    "type_qualifier",
    "crate",
    "metavariable",
    "modifier",
    "visibility_modifier",
    "builtin_type",
    "cast_type",
    "bottom_type",
    "auto",
    "lifetime",
    "preproc_directive",
    "cpp",
    "special_variable_name",
    "format_specifier",
    "sigil_name",
    "iota",
    "this_type",
];
/// Whether no language lets anybody define a word.
fn is_nobodys(word: &str) -> bool {
    matches!(word, "_" | "self" | "this" | "super" | "null" | "true" | "false")
}

impl TokenKinds {
    /// Looks at the names of a grammar's kinds.
    pub fn new(grammar: &Language) -> TokenKinds {
        let token = |id: u16| {
            let name = grammar.node_kind_for_id(id).unwrap_or_default();
            let named = grammar.node_kind_is_named(id);
            let kind = match name {
                _ if !named => Kind::Word,
                _ if RAW.contains(&name) => Kind::Raw,
                _ if WORDS.contains(&name) || name.ends_with("_modifier") => Kind::Word,
                // `identifier` may be a part too: `string_identifier` is none that we know of.
                _ if !name.contains("identifier") && QUIET.iter().any(|part| name.contains(part)) => Kind::Quiet,
                _ => Kind::Name,
            };
            Token { kind, named, name: name.into() }
        };
        TokenKinds((0..grammar.node_kind_count() as u16).map(token).collect())
    }

    /// Whether nodes of a kind are named.
    pub fn is_named(&self, kind: u16) -> bool {
        self.0.get(usize::from(kind)).is_none_or(|token| token.named)
    }

    fn of(&self, kind: u16) -> Kind {
        self.0.get(usize::from(kind)).map_or(Kind::default(), |token| token.kind)
    }

    fn name(&self, kind: u16) -> &str {
        self.0.get(usize::from(kind)).map_or("ERROR", |token| &token.name)
    }
}

/// All identifiers of a text, in order, as the walk over its tree meets them.
pub(crate) struct Leaves<'s, 'p> {
    kinds: &'static TokenKinds,
    found: Vec<(&'s str, u32, bool)>,
    text: &'s str,
    /// The text, with blanks where it names nothing.
    shown: &'p str,
    /// Where the last leaf ended.
    at: usize,
    /// What is around the node that was entered last, from the outside in.
    outer: Vec<Around>,
    /// Where that node begins, and what is around its children.
    start: usize,
    inside: Around,
}

/// What is around a node.
#[derive(Clone, Copy)]
struct Around {
    quiet: bool,
    unparsed: bool,
    named: bool,
    /// Where it ends.
    end: usize,
}

impl<'s, 'p> Leaves<'s, 'p> {
    /// `shown` is what the parser saw of the text, where the rest of it names nothing.
    pub fn of(text: &'s str, shown: &'p str, kinds: &'static TokenKinds) -> Leaves<'s, 'p> {
        let inside = Around { quiet: false, unparsed: false, named: true, end: text.len() };
        Leaves { kinds, found: Vec::new(), text, shown, at: 0, outer: vec![inside], start: 0, inside }
    }

    /// Looks at what stands before a node; tells whether there may be something inside it.
    pub fn enter(&mut self, node: &Node, kind: u16, named: bool) -> bool {
        let (start, end) = (node.start_byte(), node.end_byte());
        let around =
            self.outer.last().copied().unwrap_or(Around { quiet: false, unparsed: true, named, end: self.text.len() });
        self.gap(start, around);
        let unparsed = around.unparsed || kind == ERROR;
        let kind = self.kinds.of(kind);
        (self.start, self.inside) = (start, Around { quiet: kind == Kind::Quiet, unparsed, named, end });
        if kind == Kind::Word && named {
            // With everything in it.
            self.at = self.at.max(end);
            return false;
        }
        true
    }

    /// Goes on with the children of the node that was entered last.
    pub fn open(&mut self) {
        self.outer.push(self.inside);
    }

    /// Leaves the node whose children were visited, or the whole text; tells whether it is a named one.
    pub fn close(&mut self) -> bool {
        let inside = self.outer.pop().unwrap_or(self.inside);
        self.gap(inside.end, inside);
        inside.named
    }

    /// Looks at the node that was entered last, which has no children.
    pub fn leaf(&mut self, kind: u16) {
        let (start, Around { end, named, .. }) = (self.start, self.inside);
        if start < self.at {
            return;
        }
        self.at = end;
        let unparsed = self.inside.unparsed;
        match self.kinds.of(kind) {
            Kind::Name if named => {
                // `@x` of Ruby belongs to `x`, `:x` and `x:` name something by themselves.
                let text = self.text.get(start..end).unwrap_or_default().trim_start_matches('@').trim_end();
                let text = text.strip_suffix(':').unwrap_or(text);
                let (text, start) = text.strip_prefix(':').map_or((text, start), |text| (text, start + 1));
                if is_name(text) && !is_nobodys(text) && text != self.kinds.name(kind) {
                    self.found.push((text, start as u32, unparsed));
                }
            }
            Kind::Raw => self.words(start, end, unparsed),
            _ => {}
        }
    }

    /// What stands between two leaves: nothing, or what the parser skipped or was not shown.
    fn gap(&mut self, until: usize, around: Around) {
        let from = self.at;
        self.at = from.max(until);
        let Some(gap) = self.shown.as_bytes().get(from..until) else { return };
        if !around.quiet && gap.iter().any(|byte| !byte.is_ascii_whitespace()) {
            self.words(from, until, around.unparsed);
        }
    }

    /// The words of code that was not parsed; those in quotes and comments, as most languages write them, do not count.
    fn words(&mut self, from: usize, until: usize, unparsed: bool) {
        let Some(piece) = self.text.get(from..until) else { return };
        let bytes = piece.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'"' => at = after(bytes, at, b'"'),
                b'/' if bytes.get(at + 1) == Some(&b'/') => at += line_length(&bytes[at..]),
                b'/' if bytes.get(at + 1) == Some(&b'*') => {
                    let end = memchr::memmem::find(&bytes[at + 2..], b"*/");
                    at = end.map_or(bytes.len(), |end| at + end + 4);
                }
                byte if starts_name(byte) => {
                    let length = bytes[at..].iter().take_while(|byte| continues_name(**byte)).count();
                    let name = &piece[at..at + length];
                    if name.chars().all(|c| c == '_' || c.is_alphanumeric()) && !is_nobodys(name) {
                        self.found.push((name, (from + at) as u32, unparsed));
                    }
                    at += length;
                }
                byte if byte.is_ascii_digit() => {
                    at += bytes[at..].iter().take_while(|byte| continues_name(**byte)).count();
                }
                _ => at += 1,
            }
        }
    }
}

/// The offset behind a quoted text that ends on its line; behind the quote alone where it does not.
fn after(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return start + 1,
            byte if *byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    start + 1
}

fn line_length(bytes: &[u8]) -> usize {
    memchr::memchr(b'\n', bytes).unwrap_or(bytes.len())
}

/// Letters of other scripts are bytes above ASCII; no sign of a language is one.
fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || !byte.is_ascii()
}

fn continues_name(byte: u8) -> bool {
    starts_name(byte) || byte.is_ascii_digit()
}

/// Whether a leaf is one identifier. Some languages allow a sign at the end (`empty?`, `x'`) or the beginning (`$x`, `#x`).
fn is_name(text: &str) -> bool {
    let plain = text.trim_end_matches(['?', '!', '\'']);
    let plain = plain.strip_prefix(['$', '#']).unwrap_or(plain);
    plain.bytes().next().is_some_and(starts_name) && plain.bytes().all(continues_name)
}

impl<'s> Builder<'s> {
    /// Notes those of all identifiers of the text that are no fact yet.
    pub(crate) fn loose(&mut self, leaves: Leaves<'s, '_>) {
        let symbols = self.facts.symbols.iter().filter(|symbol| symbol.kind != SymbolKind::Use);
        // The setter `x=` is a definition that `x` does not find.
        let mut known: Vec<(u32, u32)> =
            symbols.map(|symbol| (symbol.name_span.start, symbol.name.len() as u32)).collect();
        let length = |name: NameId| self.facts.name(name).len() as u32;
        known.extend(self.facts.bindings.iter().map(|binding| (binding.start, length(binding.name))));
        known.extend(self.facts.occurrences.iter().map(|one| (one.start, length(one.name))));
        let imported = self.facts.imports.iter().filter_map(|import| Some((import.start, length(import.alias?))));
        known.extend(imported);
        // Four lists of which each is in order, or nearly: a sort that sees that.
        known.sort();
        let mut known = known.as_slice();
        for (text, start, unparsed) in leaves.found {
            // Leaves are in order too.
            let before = known.iter().take_while(|at| **at < (start, text.len() as u32)).count();
            known = &known[before..];
            if known.first() != Some(&(start, text.len() as u32)) {
                let unparsed = unparsed || self.facts.is_unparsed(start);
                let name = self.name(text);
                self.facts.loose.push(Loose { name, start, unparsed });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::Path;

    use cruxe_model::facts::FileFacts;
    use proptest::prelude::*;

    use crate::languages::LANGUAGES;
    use crate::languages::fixture_tests::extract;

    /// Where a file has identifiers by its facts, with the names.
    fn accounted(facts: &FileFacts) -> HashSet<(u32, &str)> {
        let mut all: HashSet<(u32, &str)> = HashSet::new();
        all.extend(facts.symbols.iter().map(|symbol| (symbol.name_span.start, symbol.name.as_str())));
        all.extend(facts.bindings.iter().map(|binding| (binding.start, facts.name(binding.name))));
        all.extend(facts.occurrences.iter().map(|one| (one.start, facts.name(one.name))));
        all.extend(facts.imports.iter().filter_map(|import| Some((import.start, facts.name(import.alias?)))));
        all.extend(facts.loose.iter().map(|loose| (loose.start, facts.name(loose.name))));
        all
    }

    /// The words of a text outside of comments and strings, by nothing but their signs.
    fn words<'t>(text: &'t str, comments: &[&str]) -> Vec<(u32, &'t str)> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let rest = &text[at..];
            let block = [("/*", "*/"), ("{-", "-}"), ("--[[", "]]"), ("=begin", "=end"), ("\"\"\"", "\"\"\"")];
            let block = block.iter().find(|(open, _)| rest.starts_with(open));
            if let Some((open, close)) = block.filter(|(open, _)| comments.contains(open) || *open == "\"\"\"") {
                at += open.len();
                at += text[at..].find(close).map_or(text.len() - at, |end| end + close.len());
            } else if comments.iter().any(|comment| rest.starts_with(comment)) {
                at += rest.find('\n').unwrap_or(rest.len());
            } else if c == '"' || c == '\'' || c == '`' {
                let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
                at += line[1..].find(c).map_or(1, |end| end + 2);
            } else if c == '_' || c.is_alphanumeric() {
                let length = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
                found.push((at as u32, &rest[..length]));
                at += length;
            } else {
                at += c.len_utf8();
            }
        }
        found
    }

    fn fixtures() -> Vec<(&'static str, String, String)> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        let mut found = Vec::new();
        for def in LANGUAGES.iter().filter(|def| !def.is_document()) {
            for entry in std::fs::read_dir(root.join(def.id)).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                found.push((def.name, format!("src/{name}"), std::fs::read_to_string(&path).unwrap()));
            }
        }
        found
    }

    #[test]
    fn every_word_of_a_fixture_that_is_a_name_somewhere_is_accounted_for() {
        let mut lost: Vec<String> = Vec::new();
        for (language, path, text) in fixtures() {
            let comments: &[&str] = match language {
                "python" | "ruby" | "elixir" | "bash" => &["#", "=begin"],
                "haskell" => &["{-", "--"],
                "lua" => &["--[[", "--"],
                "php" | "hcl" => &["/*", "//", "#"],
                "powershell" | "graphql" | "julia" | "perl" | "r" | "cmake" | "make" | "dockerfile" => &["#"],
                "sql" => &["--"],
                "erlang" => &["%"],
                "clojure" => &[";"],
                "nix" => &["#", "/*"],
                "fsharp" => &["//"],
                _ => &["/*", "//"],
            };
            let facts = extract(&path, &text);
            // What is no code of a component or a notebook names nothing.
            let def = crate::registry::detect(&cruxe_model::RepoPath::parse(&path).unwrap(), text.as_bytes()).unwrap();
            let rules = crate::registry::loaded(def).map(|loaded| &loaded.rules).filter(|rules| rules.hides_text());
            let text = rules.map_or(text.clone(), |rules| rules.prepare(&text).into_owned());
            let names: HashSet<&str> = facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
            let accounted = accounted(&facts);
            let missing = |(start, word): &(u32, &str)| {
                let word_of_language = ["this", "This", "of", "get", "set", "open", "constructor"].contains(word);
                // `@x` and `#x` are names of their own, `:x` is a value.
                let marked = text[..*start as usize].ends_with(['@', '#', ':']);
                names.contains(word) && !accounted.contains(&(*start, *word)) && !word_of_language && !marked
            };
            let missing = words(&text, comments).into_iter().filter(missing);
            lost.extend(missing.map(|(start, word)| format!("{path}:{} {word}", facts.line_of(start))));
        }
        // Long strings, which look like code, and commands of a build, which are text.
        let text = ["src/deploy.sh:19 usage", "src/deploy.sh:22 TARGET", "src/picker.lua:65 helper"];
        let commands = ["src/Dockerfile:5 build", "src/Makefile:13 shop"];
        assert_eq!(lost, [&text[..], &commands[..]].concat());
    }

    proptest! {
        /// Whatever is cut out of a file: what is left is still accounted for, once, and where it stands.
        #[test]
        fn broken_files_are_accounted_for_too(which in any::<prop::sample::Index>(), from in any::<prop::sample::Index>(), length in 1usize..40) {
            let fixtures = fixtures();
            let (_, path, text) = which.get(&fixtures);
            let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let at = from.index(starts.len());
            let end = starts.get(at + length).copied().unwrap_or(text.len());
            let cut = format!("{}{}", &text[..starts[at]], &text[end..]);
            let facts = extract(path, &cut);
            prop_assert!(facts.loose.is_sorted_by(|a, b| a.start < b.start));
            for loose in &facts.loose {
                let name = facts.name(loose.name);
                let there = &cut[loose.start as usize..];
                prop_assert!(there.trim_start_matches('@').starts_with(name), "{name} at {}", loose.start);
            }
        }
    }
}
