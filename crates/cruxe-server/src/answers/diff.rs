//! What a branch changes, symbol by symbol.

use cruxe_query::diff::{BranchDiff, Change, ChangeType, FileChange, Rename};
use cruxe_query::past::Record;
use schemars::JsonSchema;
use serde::Serialize;

use super::text::{Line, Text};
use super::{Render, place};
use crate::contract::{Metadata, ToolError};

/// What differs.
#[derive(Clone, Serialize, JsonSchema)]
pub struct DiffAnswer {
    base_ref: String,
    head_ref: String,
    merge_base_commit: String,
    affected_files: usize,
    total_changes: usize,
    file_changes: Vec<FileChange>,
    changes: Vec<ChangedSymbol>,
    metadata: Metadata,
    #[serde(skip)]
    renames: Vec<Rename>,
}

/// A symbol that differs.
#[derive(Clone, Serialize, JsonSchema)]
struct ChangedSymbol {
    symbol: String,
    change_type: ChangeType,
    before: Option<Record>,
    after: Option<Record>,
    path: String,
    lines: Lines,
    /// Of a modified symbol: whether its declaration changed, or its body alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature_changed: Option<bool>,
    /// Layout and comments are all that changed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cosmetic: bool,
}

#[derive(Clone, Serialize, JsonSchema)]
struct Lines {
    start: u32,
    end: u32,
}

impl DiffAnswer {
    /// What differs, with at most so many symbols.
    pub fn new(answer: BranchDiff, limit: usize) -> Result<DiffAnswer, ToolError> {
        let total = answer.changes.len();
        let renames = serde_json::to_value(&answer.renames).map_err(ToolError::internal)?;
        Ok(DiffAnswer {
            base_ref: answer.base_ref,
            head_ref: answer.head_ref,
            merge_base_commit: answer.merge_base.to_hex(),
            affected_files: answer.files.len(),
            total_changes: total,
            file_changes: answer.files,
            changes: answer.changes.into_iter().take(limit).map(ChangedSymbol::from).collect(),
            metadata: Metadata::of(&answer.standing).truncated_if(limit < total).with("renames", renames),
            renames: answer.renames,
        })
    }

    /// How many symbols it lists.
    pub fn count(&self) -> usize {
        self.changes.len()
    }

    /// The answer with the first so many symbols.
    pub fn first(&self, count: usize) -> DiffAnswer {
        let mut answer = self.clone();
        answer.changes.truncate(count);
        answer.metadata = answer.metadata.truncated_if(count < self.changes.len());
        answer
    }
}

impl From<Change> for ChangedSymbol {
    fn from(change: Change) -> ChangedSymbol {
        let shown = change.after.as_ref().or(change.before.as_ref());
        let (path, start, end) =
            shown.map_or((String::new(), 0, 0), |record| (record.path.clone(), record.line_start, record.line_end));
        ChangedSymbol {
            symbol: change.symbol,
            change_type: change.change_type,
            signature_changed: (change.change_type == ChangeType::Modified).then_some(change.signature_changed),
            before: change.before,
            after: change.after,
            path,
            lines: Lines { start, end },
            cosmetic: change.cosmetic,
        }
    }
}

/// What changed, in one letter, as git says it.
fn letter(change: ChangeType) -> &'static str {
    match change {
        ChangeType::Added => "A",
        ChangeType::Modified => "M",
        ChangeType::Deleted => "D",
    }
}

impl Render for DiffAnswer {
    fn text(&self) -> Text {
        let mut text = Text::default();
        self.metadata.warnings.iter().for_each(|warning| text.note(format!("note: {warning}")));
        let since: String = self.merge_base_commit.chars().take(12).collect();
        text.push(
            Line::new()
                .strong(&self.head_ref)
                .plain(" since ")
                .strong(&self.base_ref)
                .plain(format!(" ({since}): {} files, {} symbols", self.affected_files, self.total_changes)),
        );
        for one in &self.changes {
            let record = one.after.as_ref().or(one.before.as_ref());
            let (kind, name) =
                record.map_or(("", one.symbol.as_str()), |record| (record.kind, record.qualified_name.as_str()));
            let cosmetic = if one.cosmetic { "  layout or comments only" } else { "" };
            let line = Line::new().plain(format!("{} {kind} ", letter(one.change_type))).strong(name).plain("  ");
            text.push(line.join(place(&one.path, one.lines.start, one.lines.end)).faint(cosmetic));
            if let (Some(true), Some(before), Some(after)) = (one.signature_changed, &one.before, &one.after) {
                text.push(Line::new().plain(format!("    - {}", before.signature)));
                text.push(Line::new().plain(format!("    + {}", after.signature)));
            }
        }
        let left_out = self.total_changes - self.changes.len();
        if left_out > 0 {
            text.push(Line::new().plain(format!("… and {left_out} more (--limit)")));
        }
        for one in &self.renames {
            let line = Line::new().plain("R ").strong(&one.from).plain(" → ").strong(&one.to).plain("  ");
            text.push(line.path(&one.to_path));
        }
        let has_symbol = |path: &str| self.changes.iter().any(|change| change.path == path);
        for file in self.file_changes.iter().filter(|file| left_out == 0 && !has_symbol(&file.path)) {
            text.push(Line::new().plain(format!("{} ", letter(file.change_type))).path(&file.path));
        }
        text
    }
}
