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

impl Work<'_> {
    /// The tree without them, where it is a better one.
    pub(super) fn without_attributes(&mut self, tree: &Tree) -> Option<Tree> {
        let found = self.attributes(tree);
        if found.is_empty() {
            return None;
        }
        let kept = self.blank(&found);
        let Some(mut next) = self.parse_all() else {
            self.restore(&found, &kept);
            return None;
        };
        let left = self.windows(&next);
        let near = |range: &Range<usize>| {
            let window = left.partition_point(|window| window.end <= range.start);
            left.get(window).is_some_and(|window| window.start < range.end)
        };
        let (mut gone, mut back, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        for (range, text) in found.into_iter().zip(kept) {
            if near(&range) {
                back.push(range);
                texts.push(text);
            } else {
                gone.push((range, text));
            }
        }
        if !back.is_empty() {
            self.restore(&back, &texts);
            next = self.parse_all()?;
        }
        if gone.is_empty() || error_bytes(&next) >= error_bytes(tree) {
            let (ranges, texts): (Vec<_>, Vec<_>) = gone.into_iter().unzip();
            self.restore(&ranges, &texts);
            return None;
        }
        self.removed.extend(gone.into_iter().map(|(range, _)| range));
        Some(next)
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
    fn windows(&self, tree: &Tree) -> Vec<Range<usize>> {
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
