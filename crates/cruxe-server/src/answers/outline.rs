//! What a file contains.

use cruxe_index::View;
use cruxe_query::outline::{Outline, OutlineSymbol};
use schemars::JsonSchema;
use serde::Serialize;

use super::Render;
use super::text::{Line, Text};
use crate::contract::Metadata;

/// The definitions of a file.
#[derive(Serialize, JsonSchema)]
pub struct OutlineAnswer {
    file_path: String,
    language: String,
    symbols: Vec<Entry>,
    metadata: Metadata,
}

/// A definition with what it contains. The schema stops at the first level: it would have no end.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
struct Entry(#[schemars(with = "EntrySchema")] OutlineSymbol);

#[derive(JsonSchema, Serialize)]
struct EntrySchema {
    kind: String,
    name: String,
    line_start: u32,
    line_end: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    visibility: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    /// Entries of the same form.
    #[serde(skip_serializing_if = "Option::is_none")]
    children: Option<Vec<serde_json::Map<String, serde_json::Value>>>,
}

impl OutlineAnswer {
    /// The outline of a file.
    pub fn new(view: &View, outline: Outline) -> OutlineAnswer {
        let mut metadata = Metadata::of(&view.standing).with("symbol_count", outline.count);
        metadata.warnings.extend(outline.problems.map(|problem| format!("{}: {problem}", outline.path)));
        OutlineAnswer {
            file_path: outline.path.into(),
            language: outline.language,
            symbols: outline.symbols.into_iter().map(Entry).collect(),
            metadata,
        }
    }
}

impl Render for OutlineAnswer {
    fn text(&self) -> Text {
        let mut text = Text::default();
        self.metadata.warnings.iter().for_each(|warning| text.note(format!("note: {warning}")));
        text.push(Line::new().path(&self.file_path).plain(format!("  {}", self.language)));
        // What a definition contains comes right after it: a stack, because code nests as deep as it likes.
        let mut pending: Vec<(&OutlineSymbol, usize)> = self.symbols.iter().rev().map(|entry| (&entry.0, 1)).collect();
        while let Some((symbol, depth)) = pending.pop() {
            let what = match symbol.signature.lines().next() {
                Some(signature) => signature.to_owned(),
                None => format!("{} {}", symbol.kind, symbol.name),
            };
            let lines = format!("{}-{}", symbol.line_start, symbol.line_end);
            text.push(Line::new().number(format!("{lines:>11}")).plain(format!("{}{what}", "  ".repeat(depth))));
            pending.extend(symbol.children.iter().rev().map(|child| (child, depth + 1)));
        }
        text
    }
}
