//! From text to [`FrontMatter`].

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use super::{Entry, FrontMatter, Node, Style, YamlProblem, YamlProblemKind};

/// Deeper nesting is refused: values are dropped recursively.
const MAX_DEPTH: usize = 64;

pub(super) fn parse(text: &str) -> Result<Option<FrontMatter>, YamlProblem> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut lines = text[start..].split_inclusive('\n').scan(start, |at, line| {
        let from = *at;
        *at += line.len();
        Some((from, line))
    });
    let Some((_, first)) = lines.next().filter(|(_, line)| line.trim_end() == "---" && line.ends_with('\n')) else {
        return Ok(None);
    };
    let from = start + first.len();
    let close = lines.find(|(_, line)| matches!(line.trim_end(), "---" | "..."));
    let Some((end, fence)) = close else {
        let message = "the front matter that begins here is never closed by a line `---`".to_owned();
        return Err(YamlProblem { kind: YamlProblemKind::Unclosed, line: 1, column: 1, message });
    };
    let mut reader = Reader::new(text, from..end);
    reader.read()?;
    Ok(Some(FrontMatter {
        entries: reader.entries,
        yaml: from..end,
        body: end + fence.len(),
        flow_end: reader.flow_end,
        anchors: reader.anchors,
    }))
}

struct Reader<'a> {
    text: &'a str,
    yaml: Range<usize>,
    /// Byte offsets of characters, for text that is not ASCII.
    offsets: Option<Vec<usize>>,
    entries: Vec<Entry>,
    keys: HashSet<String>,
    flow_end: Option<usize>,
    anchors: HashMap<usize, Node>,
    /// The last key that was found, and its line.
    counted: (usize, u32),
    /// Lists and maps inside a value that are not closed yet.
    open: Vec<Open>,
    /// The key at the top whose value is being read.
    key: Option<(String, Range<usize>)>,
    current: Current,
}

/// What is known of the value that is being read.
#[derive(Default)]
struct Current {
    at: Option<Range<usize>>,
    items_at: Vec<Range<usize>>,
    style: Option<Style>,
    defines: Vec<usize>,
    refers: Vec<usize>,
}

enum Open {
    List(Vec<Node>, usize),
    Map(Vec<(Node, Node)>, Option<Node>, usize),
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, yaml: Range<usize>) -> Reader<'a> {
        let part = &text[yaml.clone()];
        let offsets = (!part.is_ascii())
            .then(|| part.char_indices().map(|(at, _)| at).chain([part.len()]).map(|at| at + yaml.start).collect());
        Reader {
            text,
            yaml,
            offsets,
            entries: Vec::new(),
            keys: HashSet::new(),
            flow_end: None,
            anchors: HashMap::new(),
            counted: (0, 1),
            open: Vec::new(),
            key: None,
            current: Current::default(),
        }
    }

    fn read(&mut self) -> Result<(), YamlProblem> {
        let text = self.text;
        let mut at_top = false;
        let mut documents = 0;
        for event in Parser::new_from_str(&text[self.yaml.clone()]) {
            let (event, span) = event.map_err(|error| {
                let at = self.bytes(&Span::empty(*error.marker())).start;
                let message = explain(text, at, error.info());
                self.problem(YamlProblemKind::Syntax, at, message)
            })?;
            let at = self.bytes(&span);
            match event {
                Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
                Event::DocumentStart(_) => {
                    documents += 1;
                    if documents > 1 {
                        let message = "a second document begins here".to_owned();
                        return Err(self.problem(YamlProblemKind::Syntax, at.start, message));
                    }
                }
                Event::MappingStart(..) if !at_top => {
                    at_top = true;
                    self.flow_end = text[at.start..].starts_with('{').then_some(at.start);
                }
                // Nothing but comments, or nothing at all.
                Event::Scalar(value, ScalarStyle::Plain, ..) if !at_top && value.is_empty() => {}
                _ if !at_top => {
                    let message = "the front matter must be keys and values: `title: …`".to_owned();
                    return Err(self.problem(YamlProblemKind::NotKeys, at.start, message));
                }
                event => self.take(event, at)?,
            }
        }
        Ok(())
    }

    /// Takes what stands below the map at the top.
    fn take(&mut self, event: Event, at: Range<usize>) -> Result<(), YamlProblem> {
        let depth = self.open.len();
        match event {
            Event::Scalar(value, style, anchor, _) => {
                let plain = style == ScalarStyle::Plain;
                let node = Node::Scalar { text: value.into_owned(), plain };
                let style = match style {
                    ScalarStyle::Plain => Style::Plain,
                    ScalarStyle::SingleQuoted => Style::Single,
                    ScalarStyle::DoubleQuoted => Style::Double,
                    ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
                };
                self.leaf(at, style);
                self.complete(node, anchor)
            }
            Event::Alias(anchor) => {
                self.leaf(at, Style::Other);
                self.current.refers.push(anchor);
                self.complete(Node::Alias(anchor), 0)
            }
            Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) if depth == MAX_DEPTH => {
                let message = format!("the front matter is nested more than {MAX_DEPTH} levels deep (anchor {anchor})");
                Err(self.problem(YamlProblemKind::TooDeep, at.start, message))
            }
            Event::SequenceStart(anchor, _) => {
                // Of a list that is not indented the parser tells where its first item begins.
                let before = self.text[..at.start].trim_end();
                let dash = before.strip_suffix('-').map_or(at.start, str::len);
                self.begin(dash..at.end);
                self.open.push(Open::List(Vec::new(), anchor));
                Ok(())
            }
            Event::MappingStart(anchor, _) => {
                self.begin(at);
                self.open.push(Open::Map(Vec::new(), None, anchor));
                Ok(())
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::List(items, anchor)) => {
                    self.close(at);
                    self.complete(Node::List(items), anchor)
                }
                Some(Open::Map(pairs, _, anchor)) => {
                    self.close(at);
                    self.complete(Node::Map(pairs), anchor)
                }
                None => {
                    self.flow_end = self.flow_end.map(|_| at.start);
                    Ok(())
                }
            },
            _ => Ok(()),
        }
    }

    /// Notes where a scalar or alias stands, without its anchor and tag.
    fn leaf(&mut self, at: Range<usize>, style: Style) {
        let mut start = at.start;
        let written = self.text[at].trim_end();
        let end = start + written.len();
        while self.text[start..end].starts_with(['&', '!']) {
            let rest = &self.text[start..end];
            let value = rest.find(char::is_whitespace).map_or("", |blank| rest[blank..].trim_start());
            start = end - value.len();
        }
        let at = start..end;
        if self.open.is_empty() {
            self.current.style = Some(style);
        }
        if self.open.len() == 1 && matches!(self.open[0], Open::List(..)) {
            self.current.items_at.push(at.clone());
        }
        self.reach(at);
    }

    fn begin(&mut self, at: Range<usize>) {
        self.current.style.get_or_insert(Style::Other);
        if self.open.len() == 1 && matches!(self.open[0], Open::List(..)) {
            self.current.items_at.push(at.clone());
        }
        self.reach(at.start..at.start);
    }

    /// A closing bracket is part of the value, and of what the parser tells of it the first letter; the end of a block is
    /// wherever the next thing begins.
    fn close(&mut self, at: Range<usize>) {
        if self.text[at.clone()].starts_with([']', '}']) {
            self.reach(at.start..at.start + 1);
        }
    }

    fn reach(&mut self, at: Range<usize>) {
        let known = self.current.at.get_or_insert(at.clone());
        known.end = known.end.max(at.end);
    }

    /// Puts a finished value where it belongs.
    fn complete(&mut self, node: Node, anchor: usize) -> Result<(), YamlProblem> {
        if anchor > 0 {
            self.current.defines.push(anchor);
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut() {
            Some(Open::List(items, _)) => items.push(node),
            Some(Open::Map(pairs, key, _)) => match key.take() {
                None => *key = Some(node),
                Some(key) => pairs.push((key, node)),
            },
            None => match self.key.take() {
                None => return self.begin_entry(node),
                Some((key, key_at)) => self.end_entry(key, key_at, node),
            },
        }
        Ok(())
    }

    fn begin_entry(&mut self, node: Node) -> Result<(), YamlProblem> {
        let at = std::mem::take(&mut self.current).at.unwrap_or(self.yaml.start..self.yaml.start);
        let Node::Scalar { text, .. } = node else {
            let message = "a key must be a word".to_owned();
            return Err(self.problem(YamlProblemKind::NotKeys, at.start, message));
        };
        if !self.keys.insert(text.clone()) {
            let message = format!("the key `{text}` stands here a second time");
            return Err(self.problem(YamlProblemKind::Duplicate, at.start, message));
        }
        self.key = Some((text, at));
        Ok(())
    }

    fn end_entry(&mut self, key: String, key_at: Range<usize>, value: Node) {
        let Current { at, items_at, style, defines, refers } = std::mem::take(&mut self.current);
        let (last, line) = self.counted;
        let line = match self.text.as_bytes().get(last..key_at.start) {
            Some(between) => line + between.iter().filter(|byte| **byte == b'\n').count() as u32,
            None => self.position(key_at.start).0,
        };
        self.counted = (key_at.start, line);
        let mut value_at = at.unwrap_or(key_at.end..key_at.end);
        let style = style.unwrap_or(Style::Other);
        if style == Style::Block {
            // Of a block the parser tells where its text begins; it begins with its sign.
            let sign = self.text[key_at.end..value_at.start].find(':').map_or(key_at.end, |at| key_at.end + at);
            value_at.start = self.text[sign..value_at.start].find(['|', '>']).map_or(value_at.start, |at| sign + at);
        }
        self.entries.push(Entry { key, key_at, line, value, value_at, items_at, style, defines, refers });
    }

    /// The parser counts characters of the YAML; everything here counts bytes of the text.
    fn bytes(&self, span: &Span) -> Range<usize> {
        let byte = |index: usize| match &self.offsets {
            Some(offsets) => offsets.get(index).copied().unwrap_or(self.yaml.end),
            None => (self.yaml.start + index).min(self.yaml.end),
        };
        let (start, end) = (byte(span.start.index()), byte(span.end.index()));
        start..end.max(start)
    }

    fn problem(&self, kind: YamlProblemKind, at: usize, message: String) -> YamlProblem {
        let (line, column) = self.position(at);
        YamlProblem { kind, line, column, message }
    }

    fn position(&self, at: usize) -> (u32, u32) {
        position(self.text, at)
    }
}

/// Line and column of a byte, both from 1.
pub(super) fn position(text: &str, at: usize) -> (u32, u32) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() as u32 + 1;
    (line, before.rsplit('\n').next().unwrap_or_default().trim_start_matches('\u{feff}').chars().count() as u32 + 1)
}

/// The parser's words, and what people usually did.
fn explain(text: &str, at: usize, info: &str) -> String {
    match text.get(at..).and_then(|rest| rest.chars().next()) {
        Some(sign @ ('@' | '`' | '%')) => format!("{info}; a value that begins with `{sign}` needs quotes"),
        _ => info.to_owned(),
    }
}
