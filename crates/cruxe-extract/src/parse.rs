//! Parsing within a deadline: a text, or a text that differs in places from one whose tree is there.

use std::ops::{ControlFlow, Range};
use std::time::Instant;

use tree_sitter::{InputEdit, ParseOptions, Parser, Point, Tree};

/// Changes that are as near to each other count as one.
const NEAR: usize = 32;
/// With more changes than this, nothing is gained by what stands between them.
const MAX_CHANGES: usize = 256;

/// Parses; `None` when the deadline passes first.
pub(crate) fn parse(parser: &mut Parser, text: &str, deadline: Instant) -> Option<Tree> {
    parse_with(parser, text, None, deadline)
}

/// Parses a text that is as long as `before`, whose tree is `known`: what stands between the changes need not be parsed again.
pub(crate) fn parse_again(
    parser: &mut Parser,
    text: &str,
    before: &[u8],
    known: &Tree,
    deadline: Instant,
) -> Option<Tree> {
    let changes = changes(before, text.as_bytes());
    if before.len() != text.len() || changes.len() > MAX_CHANGES {
        return parse(parser, text, deadline);
    }
    let mut known = known.clone();
    let (mut at, mut point) = (0, Point::default());
    for change in changes {
        point = after(point, &text.as_bytes()[at..change.start]);
        let new_end = after(point, &text.as_bytes()[change.clone()]);
        known.edit(&InputEdit {
            start_byte: change.start,
            old_end_byte: change.end,
            new_end_byte: change.end,
            start_position: point,
            old_end_position: after(point, &before[change.clone()]),
            new_end_position: new_end,
        });
        (at, point) = (change.end, new_end);
    }
    parse_with(parser, text, Some(&known), deadline)
}

fn parse_with(parser: &mut Parser, text: &str, known: Option<&Tree>, deadline: Instant) -> Option<Tree> {
    let mut in_time = |_: &tree_sitter::ParseState| {
        if Instant::now() < deadline { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut in_time);
    let bytes = text.as_bytes();
    let tree = parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), known, Some(options));
    if tree.is_none() {
        parser.reset();
    }
    tree
}

/// Where two texts of one length differ.
fn changes(before: &[u8], after: &[u8]) -> Vec<Range<usize>> {
    let mut changes: Vec<Range<usize>> = Vec::new();
    for (at, _) in before.iter().zip(after).enumerate().filter(|(_, (before, after))| before != after) {
        match changes.last_mut() {
            Some(last) if at <= last.end + NEAR => last.end = at + 1,
            _ => changes.push(at..at + 1),
        }
    }
    changes
}

/// The place behind a piece of text.
fn after(point: Point, piece: &[u8]) -> Point {
    match memchr::memrchr(b'\n', piece) {
        Some(last) => {
            Point { row: point.row + memchr::memchr_iter(b'\n', piece).count(), column: piece.len() - last - 1 }
        }
        None => Point { row: point.row, column: point.column + piece.len() },
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    fn parser() -> Parser {
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_cpp::LANGUAGE.into()).unwrap();
        parser
    }

    #[test]
    fn changes_near_each_other_are_one() {
        let text = "a".repeat(100);
        let mut other = text.clone().into_bytes();
        (other[3], other[5], other[90]) = (b'b', b'b', b'b');
        assert_eq!(changes(text.as_bytes(), &other), [3..6, 90..91]);
        assert!(changes(text.as_bytes(), text.as_bytes()).is_empty());
    }

    #[test]
    fn places_are_those_of_the_new_text() {
        assert_eq!(after(Point { row: 1, column: 2 }, b"ab"), Point { row: 1, column: 4 });
        assert_eq!(after(Point { row: 1, column: 2 }, b"a\nb\ncde"), Point { row: 3, column: 3 });
    }

    proptest! {
        #[test]
        fn a_text_that_makes_sense_has_the_tree_that_it_has_alone(taken in prop::collection::vec(0..40usize, 0..6)) {
            let whole: String = (0..40).map(|at| format!("int f{at}(int x) {{ return x + {at}; }}\n")).collect();
            let line = |at: usize| whole.lines().take(at).map(|line| line.len() + 1).sum::<usize>();
            let mut other = whole.clone().into_bytes();
            for at in taken {
                let end = line(at + 1);
                // Without its line feed everything behind it moves up a row.
                other[line(at)..end].fill(b' ');
            }
            let other = String::from_utf8(other).unwrap();
            let deadline = Instant::now() + Duration::from_secs(60);
            let known = parse(&mut parser(), &whole, deadline).unwrap();
            let again = parse_again(&mut parser(), &other, whole.as_bytes(), &known, deadline).unwrap();
            let alone = parse(&mut parser(), &other, deadline).unwrap();
            prop_assert_eq!(again.root_node().to_sexp(), alone.root_node().to_sexp());
            let ends = |tree: &Tree| {
                let root = tree.root_node();
                (0..root.child_count()).filter_map(|at| root.child(at)).map(|node| node.range()).collect::<Vec<_>>()
            };
            prop_assert_eq!(ends(&again), ends(&alone));
        }
    }
}
