//! The walk over a syntax tree: every named node once, in order, without recursion.
//!
//! A language's [`Rules`] see each node when it is entered, with its ancestors at hand in the [`Cx`]. Symbols and
//! scopes that a rule opens are closed when their node is left. Comments and attributes that stand before a node are
//! collected on the way, because asking a node for its previous sibling costs a walk of its own.

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

use cruxe_model::facts::{ScopeKind, Span, SymbolIndex};
use tree_sitter::{Node, Range, Tree};

use crate::build::Builder;
use crate::language::LanguageDef;
use crate::loose::{ERROR, Leaves};
use crate::recover::Lexis;
use crate::registry::Loaded;

/// Whether the children of a node are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// They are.
    Into,
    /// They are not.
    Skip,
}

/// How a node counts for the declaration that follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trivia {
    /// It is none.
    No,
    /// A comment that documents what follows.
    Doc,
    /// A comment that does not.
    Comment,
    /// An attribute, annotation or decorator.
    Attribute,
}

/// What a language knows about its syntax tree.
pub trait Rules: Send + Sync {
    /// Notes the facts of a node that was just entered: [`Cx::node`].
    fn enter(&self, cx: &mut Cx) -> Walk;

    /// The text that is parsed in place of the file's: the same length, with what the grammar cannot read (macros of a
    /// preprocessor) or does not survive blanked out. Facts are always taken from the file's own text.
    fn prepare<'s>(&self, text: &'s str) -> Cow<'s, str> {
        Cow::Borrowed(text)
    }

    /// Whether what [`Rules::prepare`] blanks out is text for people or for others, whose words name nothing here.
    fn hides_text(&self) -> bool {
        false
    }

    /// Tells comments and attributes from the rest. Called for every named node: decide by `kind` first.
    fn trivia(&self, kind: u16, text: &str) -> Trivia;

    /// The text of a file that does not parse, with what the grammar is known to stumble over replaced by something
    /// of the same length. The tree of that text is taken where it has less of an error.
    fn mend(&self, _text: &str) -> Option<String> {
        None
    }

    /// How to find declarations without the grammar, in a file that it does not understand; see [`crate::recover`].
    fn lexis(&self) -> Option<&'static Lexis> {
        None
    }

    /// A language whose grammar may know what this one's does not; tried for a file that does not parse.
    fn dialect(&self, _text: &str) -> Option<&'static LanguageDef> {
        None
    }
}

/// Comments and attributes directly before a node.
#[derive(Clone, Copy, Debug)]
pub struct Leading {
    /// Where they begin.
    pub start: u32,
    /// The doc comments among them; empty when there is none.
    pub doc: Span,
    end_row: usize,
}

/// A node on the way from the root to the current one.
#[derive(Clone, Copy)]
pub struct Frame<'t> {
    /// The node.
    pub node: Node<'t>,
    /// Its kind.
    pub kind: u16,
    /// The field it has in its parent; 0 for none.
    pub field: u16,
    /// A note of the rules about what came so far among its children (the access section of a C++ class); 0 at first.
    pub mark: u8,
    leading: Option<Leading>,
    /// The run of comments and attributes among its children so far.
    run: Option<Leading>,
    /// The last child that is no comment.
    last: Option<Node<'t>>,
    symbols: u32,
    scopes: u32,
}

impl Frame<'_> {
    /// Adds a comment or an attribute among the node's children to the run of them.
    fn collect(&mut self, trivia: Trivia, node: &Node, span: Span) {
        let (first_row, last_row) = rows(node);
        if self.last.is_some_and(|last| rows(&last).1 == first_row) {
            return; // a comment behind code on the same line says something about that code
        }
        let mut run = self.run.filter(|run| first_row <= run.end_row + 1).unwrap_or(Leading {
            start: span.start,
            doc: Span { start: span.start, end: span.start },
            end_row: last_row,
        });
        run.end_row = last_row;
        match trivia {
            Trivia::Doc if run.doc.start == run.doc.end => run.doc = span,
            Trivia::Doc => run.doc.end = span.end,
            _ => {}
        }
        self.run = Some(run);
    }
}

/// What rules work with: the current node, its ancestors, and (through `Deref`) the [`Builder`].
pub struct Cx<'b, 's, 't> {
    build: &'b mut Builder<'s>,
    frames: Vec<Frame<'t>>,
    loaded: &'static Loaded,
    depth: u32,
    limit: u32,
}

impl<'s> Deref for Cx<'_, 's, '_> {
    type Target = Builder<'s>;
    fn deref(&self) -> &Builder<'s> {
        self.build
    }
}

impl<'s> DerefMut for Cx<'_, 's, '_> {
    fn deref_mut(&mut self) -> &mut Builder<'s> {
        self.build
    }
}

/// How deep macro bodies inside macro bodies are parsed.
const MAX_REPARSE: u32 = 6;

/// Walks a whole tree. `leaves` is shown every node too, those that the rules skip and those without a name among them: to move
/// about in a tree takes longer than to look at a node, so nobody else walks.
pub(crate) fn walk(tree: &Tree, loaded: &'static Loaded, build: &mut Builder, leaves: &mut Leaves) {
    let limit = build.text.len() as u32;
    Cx { build, frames: Vec::with_capacity(64), loaded, depth: 0, limit }.run_with(tree, leaves);
}

impl<'t> Cx<'_, '_, 't> {
    /// Visits what the rules want to see.
    fn run(&mut self, tree: &'t Tree) {
        let rules = self.loaded.rules.as_ref();
        let mut cursor = tree.walk();
        let mut visited = 0u32;
        loop {
            let node = cursor.node();
            let kind = node.kind_id();
            let named = self.loaded.tokens.is_named(kind);
            let mut into = false;
            if named {
                if !self.goes_on(&mut visited) {
                    return self.unwind();
                }
                self.push(node, kind, cursor.field_id().map_or(0, |id| id.get()));
                into = rules.enter(self) == Walk::Into;
            }
            if into && cursor.goto_first_child() {
                continue;
            }
            if named {
                self.pop();
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.pop();
            }
        }
    }

    /// Visits everything, and shows the rules what they want to see.
    fn run_with(&mut self, tree: &'t Tree, leaves: &mut Leaves) {
        let rules = self.loaded.rules.as_ref();
        let mut cursor = tree.walk();
        let mut visited = 0u32;
        // How far below a node that the rules skip this is; 0 where they see what there is.
        let mut skipped = 0u32;
        loop {
            let node = cursor.node();
            let kind = node.kind_id();
            let named = self.loaded.tokens.is_named(kind);
            debug_assert_eq!((named, kind == ERROR), (node.is_named(), node.is_error()), "{}", node.kind());
            let mut into = false;
            let seen = named && skipped == 0;
            if seen {
                if !self.goes_on(&mut visited) {
                    return self.unwind();
                }
                self.push(node, kind, cursor.field_id().map_or(0, |id| id.get()));
                into = rules.enter(self) == Walk::Into;
            }
            let open = leaves.enter(&node, kind, named);
            if (into || open) && cursor.goto_first_child() {
                leaves.open();
                if !into {
                    skipped += 1;
                }
                continue;
            }
            leaves.leaf(kind);
            if seen {
                self.pop();
            }
            while !cursor.goto_next_sibling() {
                // The tree is not asked again about a node that was seen when it was entered.
                let named = leaves.close();
                if !cursor.goto_parent() {
                    return;
                }
                skipped = skipped.saturating_sub(1);
                // What an anonymous node holds, if ever one holds anything, has no frame of its own.
                if skipped == 0 && named {
                    self.pop();
                }
            }
        }
    }

    /// Counts a node; tells whether there is time for it.
    fn goes_on(&mut self, visited: &mut u32) -> bool {
        *visited += 1;
        if visited.is_multiple_of(256) && self.build.out_of_time() {
            self.build.expire();
        }
        !self.build.has_expired()
    }

    fn unwind(&mut self) {
        while !self.frames.is_empty() {
            self.pop();
        }
    }

    fn push(&mut self, node: Node<'t>, kind: u16, field: u16) {
        let leading = self.frames.last().and_then(|parent| parent.run);
        let leading = leading.filter(|run| node.start_position().row <= run.end_row + 1);
        self.frames.push(Frame { node, kind, field, leading, run: None, last: None, symbols: 0, scopes: 0, mark: 0 });
    }

    fn pop(&mut self) {
        let Some((frame, outer)) = self.frames.split_last_mut() else { return };
        self.build.close(frame.symbols, frame.scopes);
        if let Some(parent) = outer.last_mut() {
            let span = span(&frame.node);
            match self.loaded.rules.trivia(frame.kind, self.build.slice(span)) {
                Trivia::No => (parent.run, parent.last) = (None, Some(frame.node)),
                trivia => parent.collect(trivia, &frame.node, span),
            }
        }
        self.frames.truncate(self.frames.len() - 1);
    }

    /// The current node.
    pub fn node(&self) -> Node<'t> {
        self.frame(0).node
    }

    /// The kind of the current node.
    pub fn kind(&self) -> u16 {
        self.frame(0).kind
    }

    /// The field that the current node has in its parent; 0 for none.
    pub fn field(&self) -> u16 {
        self.frame(0).field
    }

    /// The parent of the current node.
    pub fn parent(&self) -> Option<Node<'t>> {
        self.ancestor(1).map(|frame| frame.node)
    }

    /// The kind of the parent; 0 at the root.
    pub fn parent_kind(&self) -> u16 {
        self.ancestor(1).map_or(0, |frame| frame.kind)
    }

    /// The `level`-th ancestor: 0 is the current node, 1 its parent.
    pub fn ancestor(&self, level: usize) -> Option<&Frame<'t>> {
        self.frames.len().checked_sub(level + 1).and_then(|at| self.frames.get(at))
    }

    /// What the rules noted at the `level`-th ancestor with [`Cx::set_mark`]; 0 for nothing.
    pub fn mark(&self, level: usize) -> u8 {
        self.ancestor(level).map_or(0, |frame| frame.mark)
    }

    /// Notes something at an ancestor for the nodes that follow in it: `private` in the body of a class.
    pub fn set_mark(&mut self, level: usize, mark: u8) {
        let at = self.frames.len().checked_sub(level + 1);
        if let Some(frame) = at.and_then(|at| self.frames.get_mut(at)) {
            frame.mark = mark;
        }
    }

    fn frame(&self, level: usize) -> &Frame<'t> {
        &self.frames[self.frames.len() - 1 - level]
    }

    /// Comments and attributes directly before `node`, which is the current node or one of its ancestors.
    pub fn leading(&self, node: &Node<'t>) -> Option<Leading> {
        self.frames.iter().rev().find(|frame| frame.node.id() == node.id()).and_then(|frame| frame.leading)
    }

    /// Makes `symbol` the parent of everything inside the current node.
    pub fn open_symbol(&mut self, symbol: SymbolIndex) {
        self.build.push_symbol(symbol);
        if let Some(frame) = self.frames.last_mut() {
            frame.symbols += 1;
        }
    }

    /// Opens a scope that covers the current node.
    pub fn open_scope(&mut self, kind: ScopeKind) {
        let span = span(&self.node());
        self.open_scope_at(kind, span);
    }

    /// Opens a scope that ends with the current node but covers only `span`.
    pub fn open_scope_at(&mut self, kind: ScopeKind, mut span: Span) {
        span.end = span.end.min(self.limit);
        self.build.push_scope(kind, span);
        if let Some(frame) = self.frames.last_mut() {
            frame.scopes += 1;
        }
    }

    /// Where the text that is walked ends: the file, or the part of it that [`Cx::reparse`] was given. A node can reach
    /// beyond it, see [`Cx::reparse_if`].
    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// Parses the inside of a node as a source file of the same language and walks it in place: items in the braces of
    /// a macro call. Nothing happens beyond a depth that no real code has.
    pub fn reparse(&mut self, range: Range) {
        self.reparse_if(range, None, |_| true);
    }

    /// Like [`Cx::reparse`], but only where the root of the new tree is accepted; tells whether it was.
    ///
    /// `closing` is one more piece of the file, behind `range`, that the parser reads last: the `;` without which a
    /// macro's argument is no statement.
    pub fn reparse_if(&mut self, range: Range, closing: Option<Range>, accept: impl FnOnce(&Node) -> bool) -> bool {
        if self.depth >= MAX_REPARSE || range.start_byte >= range.end_byte {
            return false;
        }
        let mut parser = self.build.spare_parsers.pop().unwrap_or_default();
        let ranges: Vec<Range> = [range].into_iter().chain(closing).collect();
        let ready = parser.set_language(&self.loaded.grammar).is_ok() && parser.set_included_ranges(&ranges).is_ok();
        if !ready {
            return false;
        }
        let input = self.loaded.rules.prepare(self.build.text);
        let tree = crate::parse::parse(&mut parser, &input, self.build.deadline());
        drop(input);
        self.build.spare_parsers.push(parser);
        let Some(tree) = tree else {
            self.build.expire();
            return false;
        };
        if !accept(&tree.root_node()) {
            return false;
        }
        let limit = range.end_byte as u32;
        let (loaded, depth) = (self.loaded, self.depth + 1);
        Cx { build: self.build, frames: Vec::new(), loaded, depth, limit }.run(&tree);
        true
    }
}

/// The bytes of a node.
pub fn span(node: &Node) -> Span {
    Span { start: node.start_byte() as u32, end: node.end_byte() as u32 }
}

/// The children of a node that have a field. (`Node::children_by_field_id` wants a `NonZero` id and a cursor at the
/// node; this takes the ids that [`crate::registry::field`] gives.)
pub fn children<'c, 't>(
    node: &Node<'t>,
    field: u16,
    cursor: &'c mut tree_sitter::TreeCursor<'t>,
) -> impl Iterator<Item = Node<'t>> + use<'c, 't> {
    cursor.reset(*node);
    let mut more = cursor.goto_first_child();
    std::iter::from_fn(move || {
        while more {
            let found = cursor.field_id().is_some_and(|id| id.get() == field) && cursor.node().is_named();
            let node = cursor.node();
            more = cursor.goto_next_sibling();
            if found {
                return Some(node);
            }
        }
        None
    })
}

/// First and last row; a node that ends with its line feed ends on the row before.
fn rows(node: &Node) -> (usize, usize) {
    let (start, end) = (node.start_position(), node.end_position());
    (start.row, if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row })
}

/// How many bytes of a tree the grammar could not make sense of.
pub(crate) fn error_bytes(tree: &Tree) -> usize {
    error_ranges(tree).iter().map(|range| range.len().max(1)).sum()
}

/// What the grammar could not make sense of, in order; a token that it misses is an empty range.
pub(crate) fn error_ranges(tree: &Tree) -> Vec<std::ops::Range<usize>> {
    let mut cursor = tree.walk();
    let mut ranges = Vec::new();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            ranges.push(node.byte_range());
        } else if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return ranges;
            }
        }
    }
}

/// Whether nothing is wrong with a tree but that it misses the ends of statements: what stands around them is read as it is.
pub(crate) fn only_misses_ends(tree: &Tree) -> bool {
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() && node.kind() != ";" {
            return false;
        }
        if node.has_error() && !node.is_missing() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return true;
            }
        }
    }
}

/// Where the smallest error of a tree begins: what stands around it is only as large because it could not be closed.
pub(crate) fn smallest_error(tree: &Tree) -> Option<std::ops::Range<usize>> {
    let mut cursor = tree.walk();
    let mut smallest: Option<std::ops::Range<usize>> = None;
    loop {
        let node = cursor.node();
        let range = node.byte_range();
        if (node.is_error() || node.is_missing()) && smallest.as_ref().is_none_or(|best| range.len() < best.len()) {
            smallest = Some(range);
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return smallest;
            }
        }
    }
}
