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
pub mod highlight;
pub mod language;
pub mod languages;
mod loose;
pub mod manifest;
pub mod naming;
pub mod packages;
pub mod place;
pub mod recover;
pub mod registry;
pub mod walk;

#[cfg(test)]
mod robust_tests;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use cruxe_model::RepoPath;
use cruxe_model::facts::{FileFacts, Problem, Role, Span};
use tree_sitter::{ParseOptions, Parser, Tree};

use crate::build::Builder;
use crate::language::{FrontEnd, LanguageDef};
use crate::recover::Recovered;
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
        let Some(parsed) = self.tree(def, text, deadline) else { return build.expire() };
        walk::walk(&parsed.tree, parsed.loaded, build);
        parsed.note_gaps(build);
        let rules = &parsed.loaded.rules;
        let shown = rules.hides_text().then(|| rules.prepare(text));
        loose::note(&parsed.tree, &parsed.loaded.tokens, shown.as_deref(), build);
    }

    /// The tree of a text, as good as it can be had; `None` when the deadline passes first.
    fn tree(&mut self, def: &'static LanguageDef, text: &str, deadline: Instant) -> Option<Parsed> {
        let parsed = self.recovered_tree(def, text, deadline)?;
        let dialect = (parsed.lost() > 0).then(|| parsed.loaded.rules.dialect(text)).flatten();
        match dialect.and_then(|other| self.recovered_tree(other, text, deadline)) {
            Some(better) if better.lost() < parsed.lost() => Some(better),
            _ => Some(parsed),
        }
    }

    /// The tree of a text, with errors confined to what is around them.
    fn recovered_tree(&mut self, def: &'static LanguageDef, text: &str, deadline: Instant) -> Option<Parsed> {
        let (loaded, input, tree) = self.mended_tree(def, text, deadline)?;
        let lexis = loaded.rules.lexis().filter(|_| tree.root_node().has_error());
        let parser = self.parsers.entry(def.id).or_default();
        let recovered = lexis.and_then(|lexis| recover::recover(lexis, parser, &input, &tree, deadline));
        Some(match recovered {
            Some(Recovered { tree, removed, unparsed }) => Parsed { loaded, tree, removed, unparsed },
            None => Parsed { loaded, tree, removed: Vec::new(), unparsed: Vec::new() },
        })
    }

    /// The tree of a text and the text that was parsed for it, mended where it does not parse and that helps.
    fn mended_tree<'s>(
        &mut self,
        def: &'static LanguageDef,
        text: &'s str,
        deadline: Instant,
    ) -> Option<(&'static Loaded, Cow<'s, str>, Tree)> {
        let loaded = registry::loaded(def)?;
        let parser = self.parsers.entry(def.id).or_default();
        parser.set_language(&loaded.grammar).ok()?;
        let mut input = loaded.rules.prepare(text);
        let mut tree = parse(parser, &input, deadline)?;
        let mended = tree.root_node().has_error().then(|| loaded.rules.mend(&input)).flatten();
        if let Some(mended) = mended.filter(|mended| mended.len() == text.len())
            && let Some(better) = parse(parser, &mended, deadline)
            // Where one error takes in everything, one less does not show.
            && walk::error_bytes(&better) <= walk::error_bytes(&tree)
        {
            (input, tree) = (Cow::Owned(mended), better);
        }
        Some((loaded, input, tree))
    }
}

/// A file's tree, and the pieces of the file that it does not show.
struct Parsed {
    loaded: &'static Loaded,
    tree: Tree,
    removed: Vec<Span>,
    unparsed: Vec<Span>,
}

impl Parsed {
    /// How many bytes of the file say nothing.
    fn lost(&self) -> usize {
        let unparsed = self.unparsed.iter().map(|span| (span.end - span.start) as usize);
        walk::error_bytes(&self.tree) + unparsed.sum::<usize>()
    }

    /// Notes the names that the tree does not show, and what was not understood.
    fn note_gaps(&self, build: &mut Builder) {
        if let Some(lexis) = self.loaded.rules.lexis() {
            for (name, start, called) in
                self.removed.iter().chain(&self.unparsed).flat_map(|gap| recover::names(lexis, build.text, *gap))
            {
                build.occurrence_at(name, start, if called { Role::Call } else { Role::Value }, None);
            }
        }
        let left = walk::smallest_error(&self.tree).map(|range| range.start as u32);
        let Some(first) = left.into_iter().chain(self.unparsed.iter().map(|gap| gap.start)).min() else { return };
        let errors = walk::error_ranges(&self.tree).into_iter();
        let errors = errors.map(|range| Span { start: range.start as u32, end: range.end as u32 });
        let unparsed = merged(errors.chain(self.unparsed.iter().copied()).collect());
        build.problem(Problem::SyntaxError { line: build.line_of(first), unparsed });
    }
}

/// How many pieces are told apart; the last takes in the rest.
const MAX_UNPARSED: usize = 64;

/// Pieces in order, without empty ones and overlaps.
fn merged(mut pieces: Vec<Span>) -> Vec<Span> {
    pieces.retain(|piece| piece.start < piece.end);
    pieces.sort_by_key(|piece| (piece.start, piece.end));
    let mut merged: Vec<Span> = Vec::new();
    for piece in pieces {
        let full = merged.len() == MAX_UNPARSED;
        match merged.last_mut() {
            Some(last) if full || piece.start <= last.end => last.end = last.end.max(piece.end),
            _ => merged.push(piece),
        }
    }
    merged
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
