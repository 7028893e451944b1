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
mod parse;
pub mod place;
pub mod recover;
pub mod registry;
pub mod walk;

#[cfg(test)]
mod robust_tests;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use cruxe_model::RepoPath;
use cruxe_model::facts::{FileFacts, Problem, Role, Span};
use tree_sitter::{Parser, Tree};

use crate::build::Builder;
use crate::language::{FrontEnd, LanguageDef};
use crate::loose::Leaves;
use crate::parse::{parse, parse_again};
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
        let rules = &parsed.loaded.rules;
        let shown = rules.hides_text().then(|| rules.prepare(text));
        let mut leaves = Leaves::of(build.text, shown.as_deref().unwrap_or(build.text), &parsed.loaded.tokens);
        walk::walk(&parsed.tree, parsed.loaded, build, &mut leaves);
        parsed.note_gaps(build);
        build.loose(leaves);
    }

    /// The tree of a text, as good as it can be had; `None` when the deadline passes first.
    fn tree(&mut self, def: &'static LanguageDef, text: &str, deadline: Instant) -> Option<Parsed> {
        let first = self.mended_tree(def, text, deadline)?;
        if !first.has_error() {
            return Some(first.into());
        }
        let other =
            first.loaded.rules.dialect(text).and_then(|other| Some((other, self.mended_tree(other, text, deadline)?)));
        // What another grammar understands at once need not be taken apart.
        let (other, second) = match other {
            None => return Some(self.recovered(def, first, deadline)),
            Some((_, second)) if !second.has_error() => return Some(second.into()),
            Some(other) => other,
        };
        let parsed = self.recovered(def, first, deadline);
        if parsed.lost() == 0 {
            return Some(parsed);
        }
        let better = Some(self.recovered(other, second, deadline)).filter(|other| other.lost() < parsed.lost());
        Some(better.unwrap_or(parsed))
    }

    /// A tree with errors confined to what is around them.
    fn recovered(&mut self, def: &'static LanguageDef, read: Read, deadline: Instant) -> Parsed {
        let lexis = read.loaded.rules.lexis().filter(|_| read.has_error());
        let parser = self.parsers.entry(def.id).or_default();
        let recovered = lexis.and_then(|lexis| recover::recover(lexis, parser, &read.input, &read.tree, deadline));
        match recovered {
            Some(Recovered { tree, removed, unparsed }) => {
                Parsed { loaded: read.loaded, tree, removed: [read.removed, removed].concat(), unparsed }
            }
            None => read.into(),
        }
    }

    /// The tree of a text and the text that was parsed for it, mended where it does not parse and that helps.
    fn mended_tree<'s>(&mut self, def: &'static LanguageDef, text: &'s str, deadline: Instant) -> Option<Read<'s>> {
        let loaded = registry::loaded(def)?;
        let parser = self.parsers.entry(def.id).or_default();
        parser.set_language(&loaded.grammar).ok()?;
        let mut input = loaded.rules.prepare(text);
        let attributes = loaded.rules.lexis().map(|lexis| (lexis.attributes)(&input)).unwrap_or_default();
        if !attributes.is_empty() {
            input = Cow::Owned(without(&input, &attributes));
        }
        let mut tree = parse(parser, &input, deadline)?;
        let mended = tree.root_node().has_error().then(|| loaded.rules.mend(&input)).flatten();
        if let Some(mended) = mended.filter(|mended| mended.len() == text.len())
            && let Some(better) = parse_again(parser, &mended, input.as_bytes(), &tree, deadline)
            // Where one error takes in everything, one less does not show.
            && walk::error_bytes(&better) <= walk::error_bytes(&tree)
        {
            (input, tree) = (Cow::Owned(mended), better);
        }
        let removed = attributes.into_iter().map(|at| Span { start: at.start as u32, end: at.end as u32 }).collect();
        Some(Read { loaded, input, tree, removed })
    }
}

/// A tree, and the text that was parsed for it.
struct Read<'s> {
    loaded: &'static Loaded,
    input: Cow<'s, str>,
    tree: Tree,
    /// What was taken out before the first parse.
    removed: Vec<Span>,
}

impl Read<'_> {
    fn has_error(&self) -> bool {
        self.tree.root_node().has_error()
    }
}

impl From<Read<'_>> for Parsed {
    fn from(read: Read) -> Parsed {
        Parsed { loaded: read.loaded, tree: read.tree, removed: read.removed, unparsed: Vec::new() }
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

/// A text with spaces in place of pieces; lines stay what they are.
fn without(text: &str, pieces: &[Range<usize>]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for piece in pieces {
        bytes[piece.clone()].iter_mut().filter(|byte| !byte.is_ascii_whitespace()).for_each(|byte| *byte = b' ');
    }
    // Pieces begin and end between characters.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// How many pieces are told apart; of more, those nearest to each other are one.
const MAX_UNPARSED: usize = 256;

/// Pieces in order, without empty ones and overlaps.
fn merged(mut pieces: Vec<Span>) -> Vec<Span> {
    pieces.retain(|piece| piece.start < piece.end);
    pieces.sort_by_key(|piece| (piece.start, piece.end));
    join(&mut pieces, 0);
    let mut gaps: Vec<u32> = pieces.windows(2).map(|two| two[1].start - two[0].end).collect();
    gaps.sort_unstable_by_key(|gap| std::cmp::Reverse(*gap));
    if let Some(near) = gaps.get(MAX_UNPARSED - 1) {
        join(&mut pieces, *near);
    }
    pieces
}

/// Joins pieces with no more than this between them.
fn join(pieces: &mut Vec<Span>, near: u32) {
    pieces.dedup_by(|next, last| {
        let joined = next.start <= last.end.saturating_add(near);
        if joined {
            last.end = last.end.max(next.end);
        }
        joined
    });
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
