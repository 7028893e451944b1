//! How one symbol changed between two refs.

use cruxe_query::compare::{Summary, SymbolComparison, SymbolStatus, Version};
use schemars::JsonSchema;
use serde::Serialize;

use super::text::{Line, Text};
use super::{Render, noting, place};
use crate::contract::Metadata;

/// How it changed.
#[derive(Clone, Serialize, JsonSchema)]
pub struct CompareAnswer {
    symbol: String,
    path: String,
    symbol_stable_id: String,
    base_version: Option<SymbolVersion>,
    head_version: Option<SymbolVersion>,
    diff_summary: DiffSummary,
    /// As `diff -u` has it; left out for an unchanged symbol.
    #[serde(skip_serializing_if = "String::is_empty")]
    diff: String,
    pub(super) metadata: Metadata,
}

/// A symbol at one commit.
#[derive(Clone, Serialize, JsonSchema)]
struct SymbolVersion {
    symbol_id: String,
    signature: String,
    line_start: u32,
    line_end: u32,
    kind: &'static str,
    language: String,
    path: String,
}

impl From<Version> for SymbolVersion {
    fn from(version: Version) -> SymbolVersion {
        SymbolVersion {
            symbol_id: version.symbol_id,
            signature: version.signature,
            line_start: version.line_start,
            line_end: version.line_end,
            kind: version.kind.as_str(),
            language: version.language,
            path: version.path,
        }
    }
}

/// A difference in figures; what does not apply is left out.
#[derive(Clone, Serialize, JsonSchema)]
struct DiffSummary {
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature_changed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body_changed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines_added: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines_removed: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line_range_shifted: Option<bool>,
}

impl From<Summary> for DiffSummary {
    fn from(summary: Summary) -> DiffSummary {
        let word = |status| match status {
            SymbolStatus::Added => "added",
            SymbolStatus::Deleted => "deleted",
            SymbolStatus::Unchanged => "unchanged",
        };
        DiffSummary {
            status: summary.status.map(word),
            signature_changed: summary.signature_changed,
            body_changed: summary.body_changed,
            lines_added: summary.lines_added,
            lines_removed: summary.lines_removed,
            line_range_shifted: summary.line_range_shifted,
        }
    }
}

impl CompareAnswer {
    /// The difference.
    pub fn new(answer: SymbolComparison) -> CompareAnswer {
        CompareAnswer {
            symbol: answer.symbol,
            path: answer.path,
            symbol_stable_id: answer.symbol_stable_id,
            base_version: answer.base.map(SymbolVersion::from),
            head_version: answer.head.map(SymbolVersion::from),
            diff_summary: answer.summary.into(),
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
        let mut text = noting(&self.metadata);
        let Some(version) = self.head_version.as_ref().or(self.base_version.as_ref()) else { return text };
        let line = Line::new().plain(format!("{} ", version.kind)).strong(&self.symbol).plain("  ");
        let what = self.diff_summary.status.unwrap_or_default();
        let line = line.join(place(&version.path, version.line_start, version.line_end));
        text.push(if what.is_empty() { line } else { line.faint(format!("  {what}")) });
        self.diff.lines().for_each(|line| text.push(Line::new().plain(line)));
        text
    }
}
