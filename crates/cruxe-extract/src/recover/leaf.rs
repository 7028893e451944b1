//! What becomes of the smallest pieces that do not parse: what can go is taken out, then what fails itself.

use std::ops::Range;

use super::items::Item;
use super::lexis::directive_end;
use super::{Around, Failure, MAX_LINES, MAX_REMOVED, Work};

impl Work<'_> {
    /// Takes out of a piece without braces what can be taken out, and what fails itself when that does not help.
    pub(super) fn leaf(&mut self, pieces: &[Range<usize>], failure: Failure, around: &Around) -> Option<()> {
        let failure = self.strip(pieces, pieces, failure, around)?;
        if failure.none() {
            return Some(());
        }
        let length: usize = pieces.iter().map(ExactSizeIterator::len).sum();
        let bad: Vec<Range<usize>> = failure.ranges.iter().flat_map(|range| place(pieces, range)).collect();
        if bad.is_empty() && !failure.beyond {
            return Some(()); // the parser only misses something, and goes on
        }
        let small = !bad.is_empty() && bad.iter().map(ExactSizeIterator::len).sum::<usize>() * 2 < length;
        // What is too much of brackets goes with the rest where they do not count.
        let whole = self.lexis.layout || bad.iter().all(|range| balanced(&self.text[range.clone()]));
        if small && whole && self.without(&bad, pieces, around, failure.bytes)?.is_some() {
            self.unparsed.extend(bad);
            return Some(());
        }
        let lists = self.lists(pieces);
        if !lists.is_empty() && self.without(&lists, pieces, around, 1)?.is_some() {
            self.unparsed.extend(lists);
            return Some(());
        }
        if self.one_line(pieces, around)? {
            return Some(());
        }
        if let [whole] = pieces
            && (around.depth > 0 || self.lexis.layout)
        {
            self.blank(pieces);
            self.unparsed.push(whole.clone());
        }
        Some(())
    }

    /// Takes out the one line of some pieces without which they make sense; tells whether there is one.
    fn one_line(&mut self, pieces: &[Range<usize>], around: &Around) -> Option<bool> {
        let mut lines: Vec<Range<usize>> = Vec::new();
        for piece in pieces {
            let mut start = piece.start;
            for line in self.text[piece.clone()].split_inclusive(|byte| *byte == b'\n') {
                if !line.trim_ascii().is_empty() {
                    lines.push(start..start + line.len());
                }
                start += line.len();
            }
        }
        if lines.len() < 2 || lines.len() > MAX_LINES {
            return Some(false);
        }
        for line in lines {
            let line = [line];
            if self.without(&line, pieces, around, 1)?.is_some() {
                self.unparsed.extend(line);
                return Some(true);
            }
        }
        Some(false)
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
    pub(super) fn strip(
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
            if let Some(next) = self.without(&ranges, whole, around, failure.bytes)? {
                failure = next;
                self.removed.extend(ranges);
            }
        }
        Some(failure)
    }

    /// Takes out the conditions that cut through an item, and all branches but one where the others cost more than they say; tells
    /// whether that helped.
    pub(super) fn without_conditions_of(&mut self, item: &Item, bytes: usize, around: &Around) -> Option<bool> {
        let whole = std::slice::from_ref(&item.range);
        let (lines, other) = branches(&self.text, item.range.clone());
        if let Some(left) = self.without(&lines, whole, around, bytes)? {
            self.removed.extend(lines);
            let said: usize = other.iter().map(ExactSizeIterator::len).sum();
            if left.bytes > said && self.without(&other, whole, around, left.bytes - said)?.is_some() {
                self.unparsed.extend(other);
            }
            return Some(true);
        }
        let all: Vec<Range<usize>> = lines.iter().chain(&other).cloned().collect();
        let helps = self.without(&all, whole, around, bytes)?.is_some();
        if helps {
            self.removed.extend(lines);
            self.unparsed.extend(other);
        }
        Some(helps)
    }

    /// Takes pieces out where fewer bytes of the whole than so many fail without them; tells what still does.
    fn without(
        &mut self,
        ranges: &[Range<usize>],
        whole: &[Range<usize>],
        around: &Around,
        bytes: usize,
    ) -> Option<Option<Failure>> {
        let kept = self.blank(ranges);
        let next = self.check(whole, around);
        match next {
            Some(failure) if failure.bytes < bytes => Some(Some(failure)),
            other => {
                self.restore(ranges, &kept);
                other.map(|_| None)
            }
        }
    }

    /// Puts spaces in place of pieces; returns what stood there.
    pub(super) fn blank(&mut self, ranges: &[Range<usize>]) -> Vec<Vec<u8>> {
        let kept = ranges.iter().map(|range| self.text[range.clone()].to_vec()).collect();
        for range in ranges {
            self.text[range.clone()]
                .iter_mut()
                .filter(|byte| !byte.is_ascii_whitespace())
                .for_each(|byte| *byte = b' ');
        }
        kept
    }

    pub(super) fn restore(&mut self, ranges: &[Range<usize>], kept: &[Vec<u8>]) {
        // Backwards, because ranges may overlap.
        for (range, kept) in ranges.iter().zip(kept).rev() {
            self.text[range.clone()].copy_from_slice(kept);
        }
    }
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

/// A condition that is open.
struct Branch {
    /// Where its code begins, where it is only for Windows or for nobody.
    rare: Option<usize>,
    /// Where the branches begin that are not read.
    other: Option<usize>,
}

/// What stands in a condition that holds on Windows alone, or nowhere: the other branch is what most people read.
const RARE: &[&[u8]] = &[b"WIN32", b"_WIN32", b"__WIN32__", b"_WIN64", b"WIN64", b"_MSC_VER", b"_WINDOWS", b"0"];

/// Whether the condition of an `#if` holds on Windows alone, or nowhere.
fn is_rare(condition: &[u8]) -> bool {
    let rest = condition.strip_prefix(b"ifdef").or_else(|| condition.strip_prefix(b"if")).unwrap_or_default();
    let rest = rest.trim_ascii();
    let rest = rest.strip_prefix(b"defined").unwrap_or(rest).trim_ascii();
    let rest = rest.strip_prefix(b"(").and_then(|rest| rest.strip_suffix(b")")).unwrap_or(rest).trim_ascii();
    RARE.contains(&rest)
}

/// The lines of conditions in a piece, and what stands in the branches that are not read: all but the first, or but the second
/// where the first is rare.
pub(super) fn branches(text: &[u8], piece: Range<usize>) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let (mut lines, mut other) = (Vec::new(), Vec::new());
    let mut open: Vec<Branch> = Vec::new();
    let mut start = piece.start;
    while start < piece.end {
        let mut end = memchr::memchr(b'\n', &text[start..piece.end]).map_or(piece.end, |at| start + at + 1);
        if let Some(word) = text[start..end].trim_ascii_start().strip_prefix(b"#").map(<[u8]>::trim_ascii_start) {
            end = (directive_end(text, start) + 1).min(piece.end);
            let condition = if word.starts_with(b"if") {
                open.push(Branch { rare: is_rare(word).then_some(end), other: None });
                true
            } else if word.starts_with(b"el") {
                if let Some(last) = open.last_mut() {
                    match last.rare.take() {
                        Some(from) => other.push(from..start),
                        None => {
                            last.other.get_or_insert(end);
                        }
                    }
                }
                true
            } else if word.starts_with(b"endif") {
                if let Some(from) = open.pop().and_then(|branch| branch.other) {
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
