//! What to do where a grammar does not understand a file: confine the error to the smallest piece around it.
//!
//! One construct that a grammar does not know can swallow everything behind it. So the text is cut into declarations by
//! its braces ([`items`]), and each that an error touches is parsed alone, between what stands around it. Where it fails, what can be
//! taken out without loss (an attribute-like macro) is taken out, then its parts are looked at in the same way, and what
//! still fails at the end, a statement or less, is blanked out. Everything keeps its place: what is taken out becomes
//! spaces.
//!
//! The cost is bounded: no more than [`BUDGET`] times the text is parsed again, in at most [`ROUNDS`] rounds.

mod items;
mod lexis;
mod names;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::time::Instant;

use cruxe_model::facts::Span;
use tree_sitter::{Parser, Tree};

pub use lexis::{BRACES, Lexis, Quotes};
pub(crate) use names::names;

use self::items::{Item, items};
use crate::walk::{error_bytes, error_ranges};

/// How often a file that does not parse is read again, in times its length.
const BUDGET: usize = 12;
/// The same for a large file, in bytes beyond twice its length.
const MAX_BYTES: usize = 4 << 20;
/// What a parse costs beyond the length of what is parsed, in bytes.
const PER_PARSE: usize = 256;
const ROUNDS: usize = 3;
/// What is longer than this is taken apart without being tried.
const LARGE: usize = 8 << 10;
/// How deep braces in braces are followed.
const MAX_DEPTH: usize = 12;
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
    let budget = (text.len() * BUDGET).min(text.len() * 2 + MAX_BYTES) + 16 * PER_PARSE;
    // The rest of the time is for what was found.
    let deadline = Instant::now() + deadline.saturating_duration_since(Instant::now()) / 4;
    let mut work = Work {
        lexis,
        parser,
        deadline,
        budget,
        text: text.as_bytes().to_vec(),
        removed: Vec::new(),
        unparsed: Vec::new(),
        separated: false,
    };
    let mut best: Option<Recovered> = None;
    for _ in 0..ROUNDS {
        let current = best.as_ref().map_or(tree, |best| &best.tree);
        let errors = error_ranges(current);
        if errors.is_empty() || !work.round(&errors) {
            break;
        }
        let Some(next) = work.parse_all() else { break };
        if error_bytes(&next) >= error_bytes(current) {
            break;
        }
        let spans = |ranges: &[Range<usize>]| {
            ranges.iter().map(|at| Span { start: at.start as u32, end: at.end as u32 }).collect()
        };
        best = Some(Recovered { tree: next, removed: spans(&work.removed), unparsed: spans(&work.unparsed) });
    }
    best
}

struct Work<'a> {
    lexis: &'a Lexis,
    parser: &'a mut Parser,
    deadline: Instant,
    budget: usize,
    text: Vec<u8>,
    removed: Vec<Range<usize>>,
    unparsed: Vec<Range<usize>>,
    separated: bool,
}

/// What stands around a piece of code while it is parsed alone.
struct Around<'a> {
    before: &'a [u8],
    after: &'a [u8],
    depth: usize,
}

/// What the grammar did not understand of a piece of code.
#[derive(Default)]
struct Failure {
    bytes: usize,
    /// By offsets into the piece.
    ranges: Vec<Range<usize>>,
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
        let all = items(self.lexis, &self.text, 0..self.text.len());
        let touches = |item: &Item| {
            let next = errors.partition_point(|error| error.end < item.range.start);
            errors.get(next).is_some_and(|error| error.start <= item.range.end)
        };
        let touched: Vec<bool> = all.iter().map(touches).collect();
        let around = Around { before: b"", after: b"", depth: 0 };
        for (at, item) in all.iter().enumerate() {
            // What goes wrong in one item may show only in the next.
            if (touched[at] || touched.get(at + 1) == Some(&true)) && self.item(item, &around).is_none() {
                break;
            }
        }
        self.removed.len() + self.unparsed.len() > before || std::mem::take(&mut self.separated)
    }

    fn parse_all(&mut self) -> Option<Tree> {
        let text = String::from_utf8(std::mem::take(&mut self.text)).ok()?;
        let tree = crate::parse(self.parser, &text, self.deadline);
        self.text = text.into_bytes();
        tree
    }

    /// Makes an item parse, as far as that goes; `None` when there is no time left.
    fn item(&mut self, item: &Item, around: &Around) -> Option<()> {
        let whole = [item.range.clone()];
        // A large item that holds others is not parsed whole only to learn that it has to be taken apart.
        let large = item.range.len() > LARGE && !item.blocks.is_empty() && !item.cut && around.depth < MAX_DEPTH;
        let failure = if large { Failure::default() } else { self.check(&whole, around)? };
        if failure.none() && !large {
            return Some(());
        }
        if item.cut && around.depth < MAX_DEPTH && self.one_branch(item, failure.bytes, around)? {
            let deeper = Around { depth: around.depth + 1, ..*around };
            return self.items(item.range.clone(), &deeper);
        }
        if item.blocks.is_empty() || around.depth >= MAX_DEPTH {
            return self.leaf(&whole, failure, around);
        }
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
        for (at, block) in item.blocks.iter().enumerate() {
            let (before, after) = self.frame(&head, at, understood, around);
            let inside = Around { before: &before, after: &after, depth: around.depth + 1 };
            if block.len() > LARGE || !self.check(std::slice::from_ref(block), &inside)?.none() {
                self.items(block.clone(), &inside)?;
                self.separate(block, &inside)?;
            }
        }
        Some(())
    }

    fn items(&mut self, piece: Range<usize>, around: &Around) -> Option<()> {
        let all = items(self.lexis, &self.text, piece);
        all.iter().try_for_each(|item| self.item(item, around))
    }

    /// Puts a semicolon between the items of a block that fails although none of them does, where line feeds are not
    /// always seen as what they are.
    fn separate(&mut self, block: &Range<usize>, around: &Around) -> Option<()> {
        if !self.lexis.lines {
            return Some(());
        }
        let failure = self.check(std::slice::from_ref(block), around)?;
        if failure.none() {
            return Some(());
        }
        let all = items(self.lexis, &self.text, block.clone());
        let places = all.iter().skip(1).filter_map(|item| item.range.start.checked_sub(1));
        let places: Vec<usize> = places.filter(|at| self.text[*at].is_ascii_whitespace()).collect();
        let kept: Vec<u8> = places.iter().map(|at| std::mem::replace(&mut self.text[*at], b';')).collect();
        if self.check(std::slice::from_ref(block), around)?.bytes >= failure.bytes {
            places.iter().zip(kept).for_each(|(at, byte)| self.text[*at] = byte);
        } else {
            self.separated = true;
        }
        Some(())
    }

    /// What stands around the inside of a block: the head of its item, or a stand-in for a head that is not understood.
    fn frame(&self, head: &[Range<usize>], block: usize, understood: bool, around: &Around) -> (Vec<u8>, Vec<u8>) {
        let pieces = |ranges: &[Range<usize>]| -> Vec<u8> {
            ranges.iter().flat_map(|range| self.text[range.clone()].iter().copied()).collect()
        };
        if understood {
            let before = [around.before, &pieces(&head[..=block])].concat();
            return (before, [&pieces(&head[block + 1..]), &b"\n"[..], around.after].concat());
        }
        let words = &self.text[head[block].clone()];
        let words = &words[..memchr::memchr(b'(', words).unwrap_or(words.len())];
        let types = |word: &[u8]| self.lexis.types.iter().any(|known| known.as_bytes() == word);
        let is_type = words.split(|byte| !byte.is_ascii_alphanumeric()).any(types);
        let (before, after) = if is_type { self.lexis.in_type } else { self.lexis.in_function };
        (before.into(), after.into())
    }

    /// Takes out of a piece without braces what can be taken out, and what fails itself when that does not help.
    fn leaf(&mut self, pieces: &[Range<usize>], failure: Failure, around: &Around) -> Option<()> {
        let failure = self.strip(pieces, pieces, failure, around)?;
        if failure.none() {
            return Some(());
        }
        let length: usize = pieces.iter().map(ExactSizeIterator::len).sum();
        let bad: Vec<Range<usize>> = failure.ranges.iter().flat_map(|range| place(pieces, range)).collect();
        if bad.is_empty() {
            return Some(()); // the parser only misses something, and goes on
        }
        let small = bad.iter().map(ExactSizeIterator::len).sum::<usize>() * 2 < length;
        if small && bad.iter().all(|range| balanced(&self.text[range.clone()])) {
            let kept = self.blank(&bad);
            if self.check(pieces, around)?.bytes < failure.bytes {
                self.unparsed.extend(bad);
                return Some(());
            }
            self.restore(&bad, &kept);
        }
        let lists = self.lists(pieces);
        if !lists.is_empty() {
            let kept = self.blank(&lists);
            if self.check(pieces, around)?.none() {
                self.unparsed.extend(lists);
                return Some(());
            }
            self.restore(&lists, &kept);
        }
        if let [whole] = pieces
            && around.depth > 0
        {
            self.blank(pieces);
            self.unparsed.push(whole.clone());
        }
        Some(())
    }

    /// The insides of the outermost parentheses of some pieces: what is left without them still has its name.
    fn lists(&self, pieces: &[Range<usize>]) -> Vec<Range<usize>> {
        let (mut found, mut open, mut depth) = (Vec::new(), 0, 0usize);
        for piece in pieces {
            let mut at = piece.start;
            while at < piece.end {
                let next = self.lexis.skip(&self.text[..piece.end], at);
                match self.text[at] {
                    b'(' if depth == 0 => (open, depth) = (at + 1, 1),
                    b'(' => depth += 1,
                    b')' if depth == 1 && open >= piece.start && open < at => {
                        found.push(open..at);
                        depth = 0;
                    }
                    b')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                at = next.max(at + 1);
            }
        }
        found
    }

    /// Takes out of some pieces, one after another and then together, what can go without loss, where that helps the
    /// whole.
    fn strip(
        &mut self,
        pieces: &[Range<usize>],
        whole: &[Range<usize>],
        mut failure: Failure,
        around: &Around,
    ) -> Option<Failure> {
        let code: Vec<u8> = pieces.iter().flat_map(|range| self.text[range.clone()].iter().copied()).collect();
        let Ok(code) = String::from_utf8(code) else { return Some(failure) };
        let found = (self.lexis.removable)(&code);
        let found: Vec<Vec<Range<usize>>> = found.iter().take(MAX_REMOVED).map(|range| place(pieces, range)).collect();
        let together = found.concat();
        let single = if found.len() > 1 { found } else { Vec::new() };
        for ranges in single.into_iter().chain([together]) {
            if failure.none() || ranges.is_empty() {
                break;
            }
            let kept = self.blank(&ranges);
            let next = self.check(whole, around)?;
            if next.bytes < failure.bytes {
                failure = next;
                self.removed.extend(ranges);
            } else {
                self.restore(&ranges, &kept);
            }
        }
        Some(failure)
    }

    /// Leaves one branch of the conditions that cut through an item; tells whether that helped.
    fn one_branch(&mut self, item: &Item, bytes: usize, around: &Around) -> Option<bool> {
        let (lines, other) = branches(&self.text, item.range.clone());
        let all: Vec<Range<usize>> = lines.iter().chain(&other).cloned().collect();
        let kept = self.blank(&all);
        if self.check(std::slice::from_ref(&item.range), around)?.bytes < bytes {
            self.removed.extend(lines);
            self.unparsed.extend(other);
            return Some(true);
        }
        self.restore(&all, &kept);
        Some(false)
    }

    /// Parses pieces of the text as one, between what stands around them.
    fn check(&mut self, pieces: &[Range<usize>], around: &Around) -> Option<Failure> {
        let mut code = around.before.to_vec();
        pieces.iter().for_each(|range| code.extend_from_slice(&self.text[range.clone()]));
        let end = code.len();
        code.push(b'\n');
        code.extend_from_slice(around.after);
        self.budget = self.budget.checked_sub(code.len() + PER_PARSE)?;
        let Ok(code) = String::from_utf8(code) else { return Some(Failure::default()) };
        let tree = crate::parse(self.parser, &code, self.deadline)?;
        let start = around.before.len();
        let inside = |range: Range<usize>| range.start.clamp(start, end) - start..range.end.clamp(start, end) - start;
        Some(Failure { bytes: error_bytes(&tree), ranges: error_ranges(&tree).into_iter().map(inside).collect() })
    }

    /// Puts spaces in place of pieces; returns what stood there.
    fn blank(&mut self, ranges: &[Range<usize>]) -> Vec<Vec<u8>> {
        let kept = ranges.iter().map(|range| self.text[range.clone()].to_vec()).collect();
        for range in ranges {
            self.text[range.clone()]
                .iter_mut()
                .filter(|byte| !byte.is_ascii_whitespace())
                .for_each(|byte| *byte = b' ');
        }
        kept
    }

    fn restore(&mut self, ranges: &[Range<usize>], kept: &[Vec<u8>]) {
        // Backwards, because ranges may overlap.
        for (range, kept) in ranges.iter().zip(kept).rev() {
            self.text[range.clone()].copy_from_slice(kept);
        }
    }
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

/// Where in the text a part of pieces that were put together stands.
fn place(pieces: &[Range<usize>], part: &Range<usize>) -> Vec<Range<usize>> {
    let mut offset = 0;
    let mut found = Vec::new();
    for piece in pieces {
        let (start, end) = (part.start.max(offset), part.end.min(offset + piece.len()));
        if start < end {
            found.push(piece.start + start - offset..piece.start + end - offset);
        }
        offset += piece.len();
    }
    found
}

/// Whether brackets open and close in a piece of code, so that it can be taken out.
fn balanced(code: &[u8]) -> bool {
    let count = |byte: u8| memchr::memchr_iter(byte, code).count();
    count(b'{') == count(b'}') && count(b'(') == count(b')')
}

/// The lines of conditions in a piece, and what stands in their second and further branches.
fn branches(text: &[u8], piece: Range<usize>) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let (mut lines, mut other) = (Vec::new(), Vec::new());
    let mut open: Vec<Option<usize>> = Vec::new(); // where the second branch begins
    let mut start = piece.start;
    while start < piece.end {
        let end = memchr::memchr(b'\n', &text[start..piece.end]).map_or(piece.end, |at| start + at + 1);
        if let Some(word) = text[start..end].trim_ascii_start().strip_prefix(b"#").map(<[u8]>::trim_ascii_start) {
            let condition = if word.starts_with(b"if") {
                open.push(None);
                true
            } else if word.starts_with(b"el") {
                if let Some(last) = open.last_mut() {
                    last.get_or_insert(end);
                }
                true
            } else if word.starts_with(b"endif") {
                if let Some(from) = open.pop().flatten() {
                    other.push(from..start);
                }
                true
            } else {
                false
            };
            if condition {
                lines.push(start..end);
            }
        }
        start = end;
    }
    (lines, other)
}
