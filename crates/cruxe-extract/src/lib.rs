//! Text to facts: what one file says, and nothing that another file says.
//!
//! [`Extractor::extract`] is a pure and total function: any bytes give [`FileFacts`], the same bytes at the same place
//! the same facts, on every machine. One folder below [`languages`] holds everything about one language: which files
//! are of it, its grammar and rules, and, in its [`language::LanguageDef`], what other crates ask about it. Adding one
//! touches that folder and the list in [`languages`].
//!
//! The life of a file here: [`registry::detect`] finds its language, [`place::Places`] its module (from what [`manifest`]
//! reads), the grammar parses it, [`walk`] visits every node once and lets the language's rules note facts in a
//! [`build::Builder`], and [`chunk`] cuts the text into pieces for full-text search.
//!
//! Invariant: no file system, no SQL, no clock but the per-file time limit, no facts of other files.

pub mod build;
pub mod chunk;
pub mod code;
pub mod language;
pub mod languages;
mod loose;
pub mod manifest;
pub mod naming;
pub mod place;
pub mod registry;
pub mod walk;

#[cfg(test)]
mod robust_tests;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use cruxe_model::RepoPath;
use cruxe_model::facts::{FileFacts, Problem};
use tree_sitter::{ParseOptions, Parser, Tree};

use crate::build::Builder;
use crate::language::{FrontEnd, LanguageDef};
use crate::registry::Loaded;

/// One file to extract facts from.
pub struct Input<'a> {
    /// Where it is.
    pub path: &'a RepoPath,
    /// The module that its place gives it, see [`place::Places::module_of`].
    pub module: &'a str,
    /// Its language; `None` for plain text.
    pub language: Option<&'static LanguageDef>,
    /// Its content.
    pub bytes: &'a [u8],
}

/// What a single file may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Larger files are not parsed.
    pub max_bytes: u64,
    /// Parsing and walking stop after this time.
    pub max_time: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { max_bytes: 4 << 20, max_time: Duration::from_secs(10) }
    }
}

/// Extracts facts; holds the parsers of one thread.
#[derive(Default)]
pub struct Extractor {
    parsers: HashMap<&'static str, Parser>,
    limits: Limits,
}

impl Extractor {
    /// An extractor with limits.
    pub fn new(limits: Limits) -> Extractor {
        Extractor { parsers: HashMap::new(), limits }
    }

    /// Extracts everything that the file says.
    pub fn extract(&mut self, input: &Input) -> FileFacts {
        let (text, valid) = as_text(input.bytes);
        let mut build = Builder::new(&text, input, self.limits.max_time);
        if !valid {
            build.problem(Problem::NotUtf8);
        }
        if input.bytes.len() as u64 > self.limits.max_bytes {
            build.problem(Problem::TooLarge { bytes: input.bytes.len() as u64 });
            return build.finish();
        }
        match input.language.map(|def| (def, &def.front_end)) {
            None => {}
            Some((_, FrontEnd::Plain(extract))) => extract(&mut build),
            Some((def, FrontEnd::Grammar { .. })) => self.parse_and_walk(def, &text, &mut build),
        }
        build.finish()
    }

    fn parse_and_walk(&mut self, def: &'static LanguageDef, text: &str, build: &mut Builder) {
        let deadline = build.deadline();
        let Some((loaded, tree)) = self.tree(def, text, deadline) else { return build.expire() };
        let dialect = loaded.rules.dialect().filter(|_| tree.root_node().has_error());
        match dialect.and_then(|other| self.tree(other, text, deadline)) {
            Some((other, better)) if walk::error_bytes(&better) < walk::error_bytes(&tree) => {
                walk::walk(&better, other, build);
            }
            _ => walk::walk(&tree, loaded, build),
        }
    }

    /// The tree of a text, mended where it does not parse and that helps; `None` when the deadline passes first.
    fn tree(&mut self, def: &'static LanguageDef, text: &str, deadline: Instant) -> Option<(&'static Loaded, Tree)> {
        let loaded = registry::loaded(def)?;
        let parser = self.parsers.entry(def.id).or_default();
        parser.set_language(&loaded.grammar).ok()?;
        let tree = parse(parser, &loaded.rules.prepare(text), deadline)?;
        let mended = tree.root_node().has_error().then(|| loaded.rules.mend(text)).flatten();
        let mended = mended.filter(|mended| mended.len() == text.len());
        match mended.and_then(|mended| parse(parser, &mended, deadline)) {
            Some(better) if walk::error_bytes(&better) < walk::error_bytes(&tree) => Some((loaded, better)),
            _ => Some((loaded, tree)),
        }
    }
}

/// Parses; `None` when the deadline passes first.
pub(crate) fn parse(parser: &mut Parser, text: &str, deadline: Instant) -> Option<Tree> {
    let mut in_time = |_: &tree_sitter::ParseState| {
        if Instant::now() < deadline { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut in_time);
    let bytes = text.as_bytes();
    let tree = parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options));
    if tree.is_none() {
        parser.reset();
    }
    tree
}

/// The bytes as text of the same length: a byte that is no UTF-8 becomes `?`, so that no offset moves.
pub fn as_text(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), true),
        Err(_) => {
            let mut text = String::with_capacity(bytes.len());
            for chunk in bytes.utf8_chunks() {
                text.push_str(chunk.valid());
                text.extend(chunk.invalid().iter().map(|_| '?'));
            }
            (Cow::Owned(text), false)
        }
    }
}
