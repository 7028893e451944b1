//! How one symbol changed between two refs.

use cruxe_query::compare::{Summary, SymbolComparison, Version};
use schemars::JsonSchema;
use serde::Serialize;

use super::text::{Line, Text};
use super::{Render, place};
use crate::contract::Metadata;

/// How it changed.
#[derive(Clone, Serialize, JsonSchema)]
pub struct CompareAnswer {
    symbol: String,
    path: String,
    symbol_stable_id: String,
    base_version: Option<Version>,
    head_version: Option<Version>,
    diff_summary: Summary,
    /// As `diff -u` has it; left out for an unchanged symbol.
    #[serde(skip_serializing_if = "String::is_empty")]
    diff: String,
    metadata: Metadata,
}

impl CompareAnswer {
    /// The difference.
    pub fn new(answer: SymbolComparison) -> CompareAnswer {
        CompareAnswer {
            symbol: answer.symbol,
            path: answer.path,
            symbol_stable_id: answer.symbol_stable_id,
            base_version: answer.base,
            head_version: answer.head,
            diff_summary: answer.summary,
            diff: answer.diff,
            metadata: Metadata::of(&answer.standing),
        }
    }

    /// How many lines the difference has.
    pub fn count(&self) -> usize {
        self.diff.split_inclusive('\n').count()
    }

    /// The answer with the first so many lines of the difference.
    pub fn first(&self, count: usize) -> CompareAnswer {
        let cut = count < self.count();
        let mut answer = self.clone();
        answer.diff = self.diff.split_inclusive('\n').take(count).collect();
        answer.metadata = answer.metadata.truncated_if(cut);
        answer
    }
}

impl Render for CompareAnswer {
    fn text(&self) -> Text {
        let mut text = Text::default();
        self.metadata.warnings.iter().for_each(|warning| text.note(format!("note: {warning}")));
        let Some(version) = self.head_version.as_ref().or(self.base_version.as_ref()) else { return text };
        let line = Line::new().plain(format!("{} ", version.kind)).strong(&self.symbol).plain("  ");
        let what = self.diff_summary.status.map_or("", |status| status.as_str());
        let line = line.join(place(&version.path, version.line_start, version.line_end));
        text.push(if what.is_empty() { line } else { line.faint(format!("  {what}")) });
        self.diff.lines().for_each(|line| text.push(Line::new().plain(line)));
        text
    }
}
