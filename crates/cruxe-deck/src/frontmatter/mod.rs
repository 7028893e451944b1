//! YAML front matter: read with the place of every value, so that a value can be changed and nothing else.
//!
//! A parser that builds values would lose comments, order, quoting and anchors; writing them back is guessing. Here the
//! parser's events are kept with their byte ranges, [`edit()`] replaces the bytes of one value, and the result is read
//! again: every other value must be what it was, or the edit is refused.

mod edit;
mod parse;
mod write;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

pub use edit::{EditProblem, NewValue, edit};
pub use write::{list, quoted_if_needed};

/// The front matter of a text.
#[derive(Clone, Debug)]
pub struct FrontMatter {
    /// The keys at the top, in their order.
    pub entries: Vec<Entry>,
    /// Where the YAML lies between the fences, in bytes.
    pub yaml: Range<usize>,
    /// Where the body begins: behind the line of the closing fence.
    pub body: usize,
    /// Where the last brace stands, if the whole is written in braces.
    flow_end: Option<usize>,
    /// What anchors stand for.
    anchors: HashMap<usize, Node>,
}

/// A key with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub key_at: Range<usize>,
    /// The line of the key, from 1.
    pub line: u32,
    /// The value.
    pub value: Node,
    /// Where the value stands; empty where nothing is written.
    pub value_at: Range<usize>,
    /// Where the items of a list stand.
    pub items_at: Vec<Range<usize>>,
    /// How a scalar is quoted.
    style: Style,
    /// Anchors that are defined in the value.
    defines: Vec<usize>,
    /// Anchors that the value refers to.
    refers: Vec<usize>,
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Plain,
    Single,
    Double,
    /// `|` or `>`.
    Block,
    /// No scalar.
    Other,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A text, number, date … as it is written, without quotes.
    Scalar {
        /// The text.
        text: String,
        /// It stands without quotes, so that `null` is nothing.
        plain: bool,
    },
    /// A list.
    List(Vec<Node>),
    /// Keys and values.
    Map(Vec<(Node, Node)>),
    /// What an anchor stands for.
    Alias(usize),
}

/// Why there is no front matter to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlProblem {
    /// Of which kind.
    pub kind: YamlProblemKind,
    /// The line in the text, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

/// What is wrong with front matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YamlProblemKind {
    /// It is opened and never closed. In a document that may as well be a line across the page.
    Unclosed,
    /// It is no YAML.
    Syntax,
    /// It is YAML, but not keys and values.
    NotKeys,
    /// A key stands there twice.
    Duplicate,
    /// It is nested beyond all reason.
    TooDeep,
}

impl fmt::Display for YamlProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl FrontMatter {
    /// Reads the front matter of a text; `None` where there is none.
    pub fn parse(text: &str) -> Result<Option<FrontMatter>, YamlProblem> {
        parse::parse(text)
    }

    /// Returns the entry of a key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// Returns the text of a key's scalar; `None` for what is not there, empty or no scalar.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.scalar(&self.entry(key)?.value)
    }

    /// Returns the texts of a key's list; a single scalar is a list of one. `None` for what is neither.
    pub fn texts(&self, key: &str) -> Option<Vec<&str>> {
        let Some(entry) = self.entry(key) else { return Some(Vec::new()) };
        match self.resolve(&entry.value) {
            Node::List(items) => items.iter().map(|item| self.scalar(item)).collect(),
            node if node.is_null() => Some(Vec::new()),
            node => self.scalar(node).map(|text| vec![text]),
        }
    }

    /// Returns whether a key stands for nothing: it is not there, or its value is empty or null.
    pub fn is_empty(&self, key: &str) -> bool {
        self.entry(key).is_none_or(|entry| self.resolve(&entry.value).is_null())
    }

    fn scalar<'a>(&'a self, node: &'a Node) -> Option<&'a str> {
        match self.resolve(node) {
            node if node.is_null() => None,
            Node::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    fn resolve<'a>(&'a self, node: &'a Node) -> &'a Node {
        match node {
            // An anchor's value never is an alias: YAML does not allow an anchor on one.
            Node::Alias(anchor) => self.anchors.get(anchor).unwrap_or(node),
            node => node,
        }
    }
}

impl Node {
    fn is_null(&self) -> bool {
        matches!(self, Node::Scalar { text, plain: true } if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }
}
