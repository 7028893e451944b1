//! What can be told by its looks to be no code, such as attribute-like macros, is taken out around all errors at once.
//!
//! Piece by piece, every such macro costs several parses of what is around it. Taken out together, the whole text is parsed on
//! from the tree that it had, twice at most. Those that still have an error beside them are put back.

use std::ops::Range;

use tree_sitter::Tree;

use super::Work;
use crate::walk::{error_bytes, error_ranges};

/// How much of a long error is looked at.
const MAX_ERROR: usize = 200;

/// What is taken out together.
pub(super) struct Taken {
    /// What nothing is lost with.
    pub out: Vec<Range<usize>>,
    /// What means something.
    pub lost: Vec<Range<usize>>,
}

/// What was taken out, and what stood there.
struct Gone {
    taken: Taken,
    out: Vec<Vec<u8>>,
    lost: Vec<Vec<u8>>,
}

impl Work<'_> {
    /// The tree without them, where it is a better one.
    pub(super) fn without_attributes(&mut self, tree: &Tree) -> Option<Tree> {
        let found = self.attributes(tree).into_iter().map(|range| Taken { out: vec![range], lost: Vec::new() });
        let found = found.collect();
        self.without_all(tree, found)
    }

    /// The tree without some pieces, where it is a better one; those stay that an error is beside even then.
    pub(super) fn without_all(&mut self, tree: &Tree, found: Vec<Taken>) -> Option<Tree> {
        if found.is_empty() {
            return None;
        }
        let found: Vec<Gone> = found.into_iter().map(|taken| self.take(taken)).collect();
        let Some(mut next) = self.parse_all() else {
            self.put_back(&found);
            return None;
        };
        let left = self.windows(&next);
        let near = |range: &Range<usize>| {
            let window = left.partition_point(|window| window.end <= range.start);
            left.get(window).is_some_and(|window| window.start < range.end)
        };
        let (back, gone): (Vec<_>, Vec<_>) = found.into_iter().partition(|gone| gone.taken.out.iter().any(near));
        if !back.is_empty() {
            self.put_back(&back);
            next = self.parse_all()?;
        }
        if gone.is_empty() || error_bytes(&next) >= error_bytes(tree) {
            self.put_back(&gone);
            return None;
        }
        for Gone { taken, .. } in gone {
            self.removed.extend(taken.out);
            self.unparsed.extend(taken.lost);
        }
        Some(next)
    }

    fn take(&mut self, taken: Taken) -> Gone {
        Gone { out: self.blank(&taken.out), lost: self.blank(&taken.lost), taken }
    }

    fn put_back(&mut self, gone: &[Gone]) {
        // Backwards, because ranges may overlap.
        for gone in gone.iter().rev() {
            self.restore(&gone.taken.lost, &gone.lost);
            self.restore(&gone.taken.out, &gone.out);
        }
    }

    /// Where they stand, near an error.
    fn attributes(&self, tree: &Tree) -> Vec<Range<usize>> {
        let code = |range: &Range<usize>| {
            let node = tree.root_node().descendant_for_byte_range(range.start, range.start + 1);
            let kind = node.map_or("", |node| node.kind());
            !["comment", "string", "char", "preproc", "#"].iter().any(|part| kind.contains(part))
        };
        let mut found = Vec::new();
        for window in self.windows(tree) {
            // A window may begin or end inside of anything; directives are lines of their own.
            let Ok(text) = std::str::from_utf8(&self.text[window.clone()]) else { continue };
            let here = (self.lexis.doubtful)(text).into_iter();
            let here = here.filter(|range| !self.is_directive(window.start + range.start));
            found.extend(here.map(|range| window.start + range.start..window.start + range.end).filter(code));
        }
        found
    }

    fn is_directive(&self, at: usize) -> bool {
        let start = memchr::memrchr(b'\n', &self.text[..at]).map_or(0, |at| at + 1);
        self.text[start..at].trim_ascii_start().starts_with(b"#")
    }

    /// The lines of the errors of a tree with one more before and behind, in order and apart from each other.
    pub(super) fn windows(&self, tree: &Tree) -> Vec<Range<usize>> {
        let mut windows: Vec<Range<usize>> = Vec::new();
        let line_before = |at: usize| memchr::memrchr(b'\n', &self.text[..at]).unwrap_or(0);
        let line_after =
            |at: usize| memchr::memchr(b'\n', &self.text[at..]).map_or(self.text.len(), |end| at + end + 1);
        for error in error_ranges(tree) {
            let end = error.end.min(error.start + MAX_ERROR);
            let start = line_before(line_before(error.start));
            let end = line_after(line_after(end));
            match windows.last_mut() {
                Some(last) if start <= last.end => last.end = last.end.max(end),
                _ => windows.push(start..end),
            }
        }
        windows
    }
}
