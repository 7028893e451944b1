//! What a file contains.

use cruxe_index::View;
use cruxe_query::outline::{Outline, OutlineSymbol};
use schemars::JsonSchema;
use serde::Serialize;

use super::text::{Line, Text};
use super::{Render, noting};
use crate::contract::Metadata;

/// The definitions of a file.
#[derive(Serialize, JsonSchema)]
pub struct OutlineAnswer {
    file_path: String,
    language: String,
    symbols: Vec<Entry>,
    pub(super) metadata: Metadata,
    #[serde(skip)]
    left_out: usize,
}

/// A definition with what it contains.
#[derive(Serialize, JsonSchema)]
struct Entry {
    kind: &'static str,
    name: String,
    line_start: u32,
    line_end: u32,
    #[serde(skip_serializing_if = "String::is_empty")]
    visibility: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    signature: String,
    /// Entries of the same form; the schema does not say which, or it would have no end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<serde_json::Map<String, serde_json::Value>>")]
    children: Vec<Entry>,
}

impl From<OutlineSymbol> for Entry {
    /// The depth of an outline bounds the recursion.
    fn from(symbol: OutlineSymbol) -> Entry {
        Entry {
            kind: symbol.kind.as_str(),
            name: symbol.name,
            line_start: symbol.line_start,
            line_end: symbol.line_end,
            visibility: symbol.visibility,
            signature: symbol.signature,
            children: symbol.children.into_iter().map(Entry::from).collect(),
        }
    }
}

impl OutlineAnswer {
    /// The outline of a file.
    pub fn new(view: &View, outline: Outline) -> OutlineAnswer {
        let mut metadata = Metadata::of(&view.standing).with("symbol_count", outline.count);
        metadata.warnings.extend(outline.problems.map(|problem| format!("{}: {problem}", outline.path)));
        OutlineAnswer {
            file_path: outline.path.into(),
            language: outline.language,
            symbols: outline.symbols.into_iter().map(Entry::from).collect(),
            metadata,
            left_out: outline.left_out,
        }
    }
}

impl Render for OutlineAnswer {
    fn text(&self) -> Text {
        let mut text = noting(&self.metadata);
        text.push(Line::new().path(&self.file_path).plain(format!("  {}", self.language)));
        // What a definition contains comes right after it: a stack, because code nests as deep as it likes.
        let mut pending: Vec<(&Entry, usize)> = self.symbols.iter().rev().map(|entry| (entry, 1)).collect();
        while let Some((symbol, depth)) = pending.pop() {
            let what = match symbol.signature.lines().next() {
                Some(signature) => signature.to_owned(),
                None => format!("{} {}", symbol.kind, symbol.name),
            };
            let lines = match symbol.line_start == symbol.line_end {
                true => symbol.line_start.to_string(),
                false => format!("{}-{}", symbol.line_start, symbol.line_end),
            };
            text.push(Line::new().number(lines).plain(format!("{}{what}", "  ".repeat(depth))));
            pending.extend(symbol.children.iter().rev().map(|child| (child, depth + 1)));
        }
        if self.left_out > 0 {
            text.push(Line::new().faint(format!("{} imports and tests left out (everything)", self.left_out)));
        }
        text
    }
}
