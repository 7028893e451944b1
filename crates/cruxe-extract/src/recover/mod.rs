//! What to do where a grammar does not understand a file: confine the error to the smallest piece around it.
//!
//! One construct that a grammar does not know can swallow everything behind it. So the text is cut into declarations by
//! its braces ([`items`]), and each that an error touches is parsed alone, between what stands around it. Where it fails, what can be
//! taken out without loss (an attribute-like macro) is taken out, then its parts are looked at in the same way, and what
//! still fails at the end, a statement or less, is blanked out. Everything keeps its place: what is taken out becomes
//! spaces.
//!
//! The cost is bounded: no more than [`BUDGET`] times the text is parsed again, in at most [`ROUNDS`] rounds.

mod attributes;
mod conditions;
mod items;
mod layout;
mod leaf;
mod lexis;
mod names;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::ops::Range;
use std::time::Instant;

use cruxe_model::facts::Span;
use tree_sitter::{Parser, Tree};

pub(crate) use lexis::directive_end;
pub use lexis::{BRACES, Comments, LAYOUT, Lexis, Quotes};
pub(crate) use names::names;

use self::items::{Item, items};
use crate::parse::{parse, parse_again};
use crate::walk::{error_bytes, error_ranges, only_misses_ends};

/// How often a file that does not parse is read again, in times its length.
const BUDGET: usize = 12;
/// The same for a large file, in bytes beyond twice its length.
const MAX_BYTES: usize = 4 << 20;
/// What a parse costs beyond the length of what is parsed, in bytes.
const PER_PARSE: usize = 256;
/// What a small file may cost besides.
const SMALL: usize = 64 * PER_PARSE;
const ROUNDS: usize = 3;
/// What is longer than this is taken apart without being tried.
const LARGE: usize = 3 << 10;
/// How deep braces in braces are followed.
const MAX_DEPTH: usize = 12;
/// How many functions of a file are emptied, one after another.
const MAX_EMPTIED: usize = 6;
/// A longer head is not parsed again with each of its blocks.
const LONG_HEAD: usize = 512;
/// How many lines of a head are tried one by one.
const MAX_LINES: usize = 8;
/// How many things are taken out of one item.
const MAX_REMOVED: usize = 12;

/// A tree, and what was taken out of the text before it was parsed.
pub(crate) struct Recovered {
    /// The tree of the text with spaces in place of what was taken out.
    pub tree: Tree,
    /// Pieces that mean nothing to the grammar and that nothing is lost with.
    pub removed: Vec<Span>,
    /// Code that could not be parsed.
    pub unparsed: Vec<Span>,
}

/// A better tree of a text whose own tree has errors; `None` where none was found.
pub(crate) fn recover(
    lexis: &Lexis,
    parser: &mut Parser,
    text: &str,
    tree: &Tree,
    deadline: Instant,
) -> Option<Recovered> {
    if only_misses_ends(tree) || is_slight(text, tree) {
        return None;
    }
    // The rest of the time is for what was found.
    let deadline = Instant::now() + deadline.saturating_duration_since(Instant::now()) / 4;
    let first = rounds(lexis, parser, text, tree, deadline);
    let lost = first.as_ref().map_or(error_bytes(tree), Recovered::lost);
    let another = !lexis.layout || lexis.long_strings;
    if !another || !is_much(lost, text) {
        return first;
    }
    // A bracket or a quote that is left open hides what follows; where lines begin still tells.
    let by_layout = Lexis { layout: true, long_strings: false, ..*lexis };
    let second = rounds(&by_layout, parser, text, tree, deadline);
    if second.as_ref().is_some_and(|second| second.lost() < lost) { second } else { first }
}

/// Longer files are not taken apart for a word or two.
const LONG: usize = 100 << 10;
/// A part of so many of a long file is a word or two.
const SLIGHT: usize = 4_000;

/// Whether so little of a long file is not understood that nothing else can be hidden by it: a script of a megabyte with a pattern
/// that the grammar does not know costs several parses of it.
fn is_slight(text: &str, tree: &Tree) -> bool {
    let errors = if text.len() > LONG { error_ranges(tree) } else { return false };
    let words = |range: &Range<usize>| {
        !range.is_empty() && !text.as_bytes()[range.clone()].iter().any(|byte| b"(){}[]".contains(byte))
    };
    errors.iter().all(words) && errors.iter().map(ExactSizeIterator::len).sum::<usize>() * SLIGHT < text.len()
}

/// What is lost may be as much, in bytes, without another attempt.
const FINE: usize = 200;

/// Whether so many bytes of a text are worth another attempt.
fn is_much(lost: usize, text: &str) -> bool {
    lost > FINE.max(text.len() / 20) || lost * 4 >= text.len()
}

impl Recovered {
    /// How many bytes of the text say nothing.
    fn lost(&self) -> usize {
        error_bytes(&self.tree) + self.unparsed.iter().map(|span| (span.end - span.start) as usize).sum::<usize>()
    }
}

/// Takes out what does not parse, round by round, as long as that helps.
fn rounds(lexis: &Lexis, parser: &mut Parser, text: &str, tree: &Tree, deadline: Instant) -> Option<Recovered> {
    let budget = (text.len() * BUDGET).min(text.len() * 2 + MAX_BYTES) + SMALL;
    let mut work = Work {
        lexis,
        parser,
        deadline,
        budget,
        spent: false,
        text: text.as_bytes().to_vec(),
        last: (text.as_bytes().to_vec(), tree.clone()),
        removed: Vec::new(),
        unparsed: Vec::new(),
        unseen: Vec::new(),
        separated: false,
        errors: Vec::new(),
        checked: HashMap::new(),
        hasher: foldhash::fast::FixedState::default(),
    };
    let mut best = work.without_conditions(tree).map(|tree| work.recovered(tree));
    let tree_so_far = best.as_ref().map_or(tree, |best| &best.tree).clone();
    if let Some(tree) = work.without_attributes(&tree_so_far) {
        best = Some(work.recovered(tree));
    }
    for _ in 0..ROUNDS {
        let current = best.as_ref().map_or(tree, |best| &best.tree);
        let errors = error_ranges(current);
        if errors.is_empty() || work.spent || !work.round(&errors) {
            break;
        }
        let Some(mut next) = work.parse_all() else { break };
        if !work.unseen.is_empty() {
            next = work.without_unseen(next);
        }
        if error_bytes(&next) >= error_bytes(current) {
            // What is left of a line can make sense alone and none where it stands.
            let lost = error_bytes(current) + work.blanked();
            work.whole_lines();
            let blanked = work.blanked();
            match work.parse_all().filter(|other| error_bytes(other) + blanked < lost) {
                Some(other) => next = other,
                None => break,
            }
        }
        best = Some(work.recovered(next));
    }
    let lost = best.as_ref().map_or(error_bytes(tree), Recovered::lost);
    if is_much(lost, text)
        && let Some(other) = work.one_by_one().filter(|other| other.lost() < lost)
    {
        return Some(other);
    }
    best
}

struct Work<'a> {
    lexis: &'a Lexis,
    parser: &'a mut Parser,
    deadline: Instant,
    budget: usize,
    /// There is nothing left of the budget.
    spent: bool,
    text: Vec<u8>,
    /// The text that was last parsed as a whole, and its tree.
    last: (Vec<u8>, Tree),
    removed: Vec<Range<usize>>,
    unparsed: Vec<Range<usize>>,
    /// Blocks that there was no time to look at.
    unseen: Vec<Range<usize>>,
    separated: bool,
    /// What the grammar does not understand of the text as it is.
    errors: Vec<Range<usize>>,
    /// What came of pieces that were parsed alone, by their text: a later round asks for most of them again.
    checked: HashMap<(u64, usize, usize), Failure>,
    hasher: foldhash::fast::FixedState,
}

/// What stands around a piece of code while it is parsed alone.
struct Around<'a> {
    before: &'a [u8],
    after: &'a [u8],
    depth: usize,
}

/// What the grammar did not understand of a piece of code.
#[derive(Clone, Default)]
struct Failure {
    bytes: usize,
    /// By offsets into the piece.
    ranges: Vec<Range<usize>>,
    /// It shows in what stands around the piece.
    beyond: bool,
}

impl Failure {
    fn none(&self) -> bool {
        self.bytes == 0
    }
}

impl Work<'_> {
    /// Looks at the items that errors touch; tells whether anything was taken out.
    fn round(&mut self, errors: &[Range<usize>]) -> bool {
        let before = self.removed.len() + self.unparsed.len();
        let all = self.cut(0..self.text.len());
        let touched = touched_items(&all, errors);
        self.errors = errors.to_vec();
        let around = Around { before: self.lexis.opening.as_bytes(), after: b"", depth: 0 };
        for (at, item) in all.iter().enumerate() {
            if !around.before.is_empty() && self.text[item.range.clone()].starts_with(around.before.trim_ascii()) {
                continue; // what makes the rest code stays
            }
            // Where brackets or quotes are left open, an error may show anywhere.
            if (touched[at] || self.lexis.layout) && self.item(item, &around).is_none() {
                break;
            }
        }
        self.removed.len() + self.unparsed.len() > before
            || !self.unseen.is_empty()
            || std::mem::take(&mut self.separated)
    }

    fn recovered(&self, tree: Tree) -> Recovered {
        let span = |at: &Range<usize>| Span { start: at.start as u32, end: at.end as u32 };
        let spans = |ranges: &[Range<usize>]| ranges.iter().map(span).collect();
        Recovered { tree, removed: spans(&self.removed), unparsed: spans(&self.unparsed) }
    }

    /// Takes out the blocks that there was no time to look at, where more is lost with them.
    fn without_unseen(&mut self, tree: Tree) -> Tree {
        let unseen = std::mem::take(&mut self.unseen);
        if error_bytes(&tree) <= unseen.iter().map(ExactSizeIterator::len).sum() {
            return tree;
        }
        let kept = self.blank(&unseen);
        match self.parse_all().filter(|other| error_bytes(other) < error_bytes(&tree)) {
            Some(other) => {
                self.unparsed.extend(unseen);
                other
            }
            None => {
                self.restore(&unseen, &kept);
                tree
            }
        }
    }

    /// Empties the functions that errors begin in, one after another, where nothing in them can be told apart.
    fn one_by_one(&mut self) -> Option<Recovered> {
        let mut tree = self.parse_all()?;
        let all = self.cut(0..self.text.len());
        let mut next = 0;
        for _ in 0..MAX_EMPTIED {
            let errors = error_ranges(&tree);
            let touched = touched_items(&all, &errors);
            let Some(at) = (next..all.len()).find(|at| touched[*at] && !all[*at].blocks.is_empty()) else { break };
            next = at + 1;
            self.empty(&all[at], 0);
            tree = self.without_unseen(tree);
        }
        Some(self.recovered(tree))
    }

    /// The items in a piece of the text.
    fn cut(&self, piece: Range<usize>) -> Vec<Item> {
        match self.lexis.layout {
            true => layout::items(self.lexis, &self.text, piece),
            false => items(self.lexis, &self.text, piece),
        }
    }

    fn parse_all(&mut self) -> Option<Tree> {
        let text = std::str::from_utf8(&self.text).ok()?;
        let (before, known) = &self.last;
        let tree = parse_again(self.parser, text, before, known, self.deadline)?;
        self.last = (self.text.clone(), tree.clone());
        Some(tree)
    }

    /// Makes an item parse, as far as that goes; `None` when there is no time left.
    fn item(&mut self, item: &Item, around: &Around) -> Option<()> {
        if !self.spent && self.mend(item, around).is_some() {
            return Some(());
        }
        if self.spent {
            self.empty(item, 0);
        }
        self.spent.then_some(())
    }

    /// Notes the insides of the functions of an item as what may go: their names stay, and nothing hides what follows.
    fn empty(&mut self, item: &Item, depth: usize) {
        let types = self.is_type(item.range.start..item.blocks.first().map_or(item.range.end, |block| block.start));
        for block in &item.blocks {
            if types && depth < MAX_DEPTH {
                self.cut(block.clone()).iter().for_each(|item| self.empty(item, depth + 1));
            } else {
                self.unseen.push(block.clone());
            }
        }
    }

    fn mend(&mut self, item: &Item, around: &Around) -> Option<()> {
        let whole = [item.range.clone()];
        // A large item that holds others is not parsed whole only to learn that it has to be taken apart.
        let large = item.range.len() > LARGE && !item.blocks.is_empty() && !item.cut && around.depth < MAX_DEPTH;
        let failure = if large { Failure::default() } else { self.check(&whole, around)? };
        if failure.none() && !large {
            return Some(());
        }
        if item.cut && around.depth < MAX_DEPTH && self.without_conditions_of(item, failure.bytes, around)? {
            let deeper = Around { depth: around.depth + 1, ..*around };
            return self.cut(item.range.clone()).iter().try_for_each(|item| self.item(item, &deeper));
        }
        if item.blocks.is_empty() || around.depth >= MAX_DEPTH {
            return self.leaf(&whole, failure, around);
        }
        let errors = self.errors_in(item.range.start, &failure);
        let head = outside(item);
        let mut understood = self.check(&head, around)?;
        if !understood.none() {
            self.leaf(&head, understood, around)?;
            understood = self.check(&head, around)?;
        } else if !large {
            // A head can make sense alone and none with what follows.
            if self.strip(&head, &whole, failure, around)?.none() {
                return Some(());
            }
        }
        let understood = understood.none();
        let touched = touched(item.blocks.iter(), &errors);
        for (at, block) in item.blocks.iter().enumerate().filter(|(at, _)| touched[*at] || !touched.contains(&true)) {
            let (before, after) = self.frame(&head, at, understood, around);
            let inside = Around { before: &before, after: &after, depth: around.depth + 1 };
            let large = block.len() > LARGE;
            let failure =
                if large { Some(Failure::default()) } else { self.check(std::slice::from_ref(block), &inside) };
            match failure {
                Some(failure) if !large && failure.none() => {}
                Some(failure) => {
                    self.items(block, &failure, &inside)?;
                    self.separate(block, &inside);
                }
                // What went before is done.
                None => self.empty(&Item { blocks: vec![block.clone()], ..item.clone() }, around.depth),
            }
        }
        Some(())
    }

    /// Looks at the items of a block: first at those that an error touches, at the others where that was not enough.
    fn items(&mut self, block: &Range<usize>, failure: &Failure, around: &Around) -> Option<()> {
        let all = self.cut(block.clone());
        let large = failure.none(); // and so was not parsed alone
        let touched = touched_items(&all, &self.errors_in(block.start, failure));
        for (item, _) in all.iter().zip(&touched).filter(|(_, touched)| **touched) {
            self.item(item, around)?;
        }
        let rest = touched.contains(&false) && !large;
        if rest && self.check(std::slice::from_ref(block), around).is_some_and(|failure| !failure.none()) {
            for (item, _) in all.iter().zip(&touched).filter(|(_, touched)| !**touched) {
                self.item(item, around)?;
            }
        }
        Some(())
    }

    /// Where errors are in a piece that begins at a place; those of the whole text, if the piece was not parsed alone.
    fn errors_in(&self, start: usize, failure: &Failure) -> Vec<Range<usize>> {
        match failure.none() {
            true => self.errors.clone(),
            false => failure.ranges.iter().map(|range| start + range.start..start + range.end).collect(),
        }
    }

    /// Puts a semicolon between the items of a block that fails although none of them does, where line feeds are not
    /// always seen as what they are.
    fn separate(&mut self, block: &Range<usize>, around: &Around) {
        if !self.lexis.lines {
            return;
        }
        let Some(failure) = self.check(std::slice::from_ref(block), around).filter(|failure| !failure.none()) else {
            return;
        };
        let all = self.cut(block.clone());
        let places = all.iter().skip(1).filter_map(|item| item.range.start.checked_sub(1));
        let places: Vec<usize> = places.filter(|at| self.text[*at].is_ascii_whitespace()).collect();
        let kept: Vec<u8> = places.iter().map(|at| std::mem::replace(&mut self.text[*at], b';')).collect();
        let next = self.check(std::slice::from_ref(block), around);
        if next.is_some_and(|next| next.bytes < failure.bytes) {
            self.separated = true;
        } else {
            places.iter().zip(kept).for_each(|(at, byte)| self.text[*at] = byte);
        }
    }

    /// What stands around the inside of a block: the head of its item, or a stand-in for a head that is not understood.
    fn frame(&mut self, head: &[Range<usize>], block: usize, understood: bool, around: &Around) -> (Vec<u8>, Vec<u8>) {
        if understood {
            let short = self.short_head(head, block, around);
            let (head, block) = short.as_ref().map_or((head, block), |short| (short.as_slice(), short.len() - 2));
            let before = [around.before, &self.pieces(&head[..=block])].concat();
            return (before, [&self.pieces(&head[block + 1..]), &b"\n"[..], around.after].concat());
        }
        let is_type = self.is_type(head[block].clone());
        let (before, after) = if is_type { self.lexis.in_type } else { self.lexis.in_function };
        (before.into(), after.into())
    }

    /// Of a long head, as that of a chain of `else if`, what stands directly around a block, where that makes sense without the rest.
    fn short_head(&mut self, head: &[Range<usize>], block: usize, around: &Around) -> Option<Vec<Range<usize>>> {
        if head.len() <= 3 || head.iter().map(ExactSizeIterator::len).sum::<usize>() <= LONG_HEAD {
            return None;
        }
        let mut short = vec![head[0].clone(), head[block].clone(), head[head.len() - 1].clone()];
        short.dedup();
        self.check(&short, around).filter(Failure::none).map(|_| short)
    }

    fn pieces(&self, ranges: &[Range<usize>]) -> Vec<u8> {
        ranges.iter().flat_map(|range| self.text[range.clone()].iter().copied()).collect()
    }

    /// Whether a head is that of something that holds declarations.
    fn is_type(&self, head: Range<usize>) -> bool {
        let words = &self.text[head];
        let words = &words[..memchr::memchr(b'(', words).unwrap_or(words.len())];
        let types = |word: &[u8]| self.lexis.types.iter().any(|known| known.as_bytes() == word);
        words.split(|byte| !byte.is_ascii_alphanumeric()).any(types)
    }

    /// How many bytes were taken out that mean something.
    fn blanked(&self) -> usize {
        self.unparsed.iter().map(ExactSizeIterator::len).sum()
    }

    /// Takes out all of the lines of which a part was taken out.
    fn whole_lines(&mut self) {
        for at in 0..self.unparsed.len() {
            let range = self.unparsed[at].clone();
            let start = memchr::memrchr(b'\n', &self.text[..range.start]).map_or(0, |at| at + 1);
            let end = memchr::memchr(b'\n', &self.text[range.end..]).map_or(self.text.len(), |at| range.end + at);
            self.unparsed[at] = start..end;
        }
        let all = self.unparsed.clone();
        self.blank(&all);
    }

    /// Parses pieces of the text as one, between what stands around them.
    fn check(&mut self, pieces: &[Range<usize>], around: &Around) -> Option<Failure> {
        let mut code = around.before.to_vec();
        pieces.iter().for_each(|range| code.extend_from_slice(&self.text[range.clone()]));
        let end = code.len();
        code.push(b'\n');
        code.extend_from_slice(around.after);
        let Some(budget) = self.budget.checked_sub(code.len() + PER_PARSE) else {
            self.spent = true;
            return None;
        };
        self.budget = budget;
        let start = around.before.len();
        let key = (self.hasher.hash_one(&code), start, end);
        if let Some(known) = self.checked.get(&key) {
            return Some(known.clone());
        }
        let Ok(code) = String::from_utf8(code) else { return Some(Failure::default()) };
        let tree = parse(self.parser, &code, self.deadline)?;
        let inside = |range: Range<usize>| range.start.clamp(start, end) - start..range.end.clamp(start, end) - start;
        let ranges = error_ranges(&tree);
        let beyond = ranges.iter().any(|range| !range.is_empty() && (range.start < start || range.end > end + 1));
        let failure = Failure { bytes: error_bytes(&tree), ranges: ranges.into_iter().map(inside).collect(), beyond };
        self.checked.insert(key, failure.clone());
        Some(failure)
    }
}

/// Which items an error touches: what goes wrong in one may show only in the next.
fn touched_items(items: &[Item], errors: &[Range<usize>]) -> Vec<bool> {
    touched(items.iter().map(|item| &item.range), errors)
}

fn touched<'r>(pieces: impl Iterator<Item = &'r Range<usize>>, errors: &[Range<usize>]) -> Vec<bool> {
    let touches = |piece: &Range<usize>| {
        let next = errors.partition_point(|error| error.end < piece.start);
        errors.get(next).is_some_and(|error| error.start <= piece.end)
    };
    let own: Vec<bool> = pieces.map(touches).collect();
    (0..own.len()).map(|at| own[at] || own.get(at + 1) == Some(&true)).collect()
}

/// An item without the insides of its braces.
fn outside(item: &Item) -> Vec<Range<usize>> {
    let mut pieces = Vec::with_capacity(item.blocks.len() + 1);
    let mut start = item.range.start;
    for block in &item.blocks {
        pieces.push(start..block.start);
        start = block.end;
    }
    pieces.push(start..item.range.end.max(start));
    pieces
}
