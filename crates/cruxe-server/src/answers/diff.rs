//! What a branch changes, symbol by symbol.

use cruxe_query::diff::{BranchDiff, Change, ChangeType, FileChange, Rename};
use cruxe_query::past::Record;
use schemars::JsonSchema;
use serde::Serialize;

use super::text::{Line, Text};
use super::{Render, noting};
use crate::contract::{Metadata, ToolError};

/// What differs.
#[derive(Clone, Serialize, JsonSchema)]
pub struct DiffAnswer {
    base_ref: String,
    head_ref: String,
    merge_base_commit: String,
    affected_files: usize,
    total_changes: usize,
    file_changes: Vec<ChangedFile>,
    changes: Vec<ChangedSymbol>,
    metadata: Metadata,
    #[serde(skip)]
    renames: Vec<RenamedSymbol>,
}

/// A symbol that differs.
#[derive(Clone, Serialize, JsonSchema)]
struct ChangedSymbol {
    symbol: String,
    #[serde(with = "ChangeWord")]
    change_type: ChangeType,
    before: Option<SymbolSide>,
    after: Option<SymbolSide>,
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

/// How something changed.
#[derive(Serialize, JsonSchema)]
#[serde(remote = "ChangeType", rename_all = "snake_case")]
enum ChangeWord {
    Added,
    Modified,
    Deleted,
}

/// A file that differs.
#[derive(Clone, Serialize, JsonSchema)]
struct ChangedFile {
    path: String,
    #[serde(with = "ChangeWord")]
    change_type: ChangeType,
}

impl From<FileChange> for ChangedFile {
    fn from(file: FileChange) -> ChangedFile {
        ChangedFile { path: file.path, change_type: file.change_type }
    }
}

/// A symbol on one side of a comparison.
#[derive(Clone, Serialize, JsonSchema)]
struct SymbolSide {
    symbol_id: String,
    symbol_stable_id: String,
    kind: &'static str,
    qualified_name: String,
    signature: String,
    path: String,
    line_start: u32,
    line_end: u32,
}

impl From<Record> for SymbolSide {
    fn from(record: Record) -> SymbolSide {
        SymbolSide {
            symbol_id: record.symbol_id,
            symbol_stable_id: record.symbol_stable_id,
            kind: record.kind.as_str(),
            qualified_name: record.qualified_name,
            signature: record.signature,
            path: record.path,
            line_start: record.line_start,
            line_end: record.line_end,
        }
    }
}

/// A symbol under another name or in another place.
#[derive(Clone, Serialize, JsonSchema)]
struct RenamedSymbol {
    from: String,
    to: String,
    from_path: String,
    to_path: String,
    from_symbol_id: String,
    to_symbol_id: String,
}

impl From<Rename> for RenamedSymbol {
    fn from(rename: Rename) -> RenamedSymbol {
        RenamedSymbol {
            from: rename.from,
            to: rename.to,
            from_path: rename.from_path,
            to_path: rename.to_path,
            from_symbol_id: rename.from_symbol_id,
            to_symbol_id: rename.to_symbol_id,
        }
    }
}

impl DiffAnswer {
    /// What differs, with at most so many symbols.
    pub fn new(answer: BranchDiff, limit: usize) -> Result<DiffAnswer, ToolError> {
        let total = answer.changes.len();
        let (files_out, symbols_out) = answer.filtered_out;
        let mut metadata = Metadata::of(&answer.standing).truncated_if(limit < total).filtered_out(symbols_out);
        if files_out > 0 {
            metadata = metadata.with("filtered_out_files", files_out);
        }
        let renames: Vec<RenamedSymbol> = answer.renames.into_iter().map(RenamedSymbol::from).collect();
        let listed = serde_json::to_value(&renames).map_err(ToolError::internal)?;
        Ok(DiffAnswer {
            base_ref: answer.base_ref,
            head_ref: answer.head_ref,
            merge_base_commit: answer.merge_base.to_hex(),
            affected_files: answer.files.len(),
            total_changes: total,
            file_changes: answer.files.into_iter().map(ChangedFile::from).collect(),
            changes: answer.changes.into_iter().take(limit).map(ChangedSymbol::from).collect(),
            metadata: metadata.with("renames", listed),
            renames,
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
            before: change.before.map(SymbolSide::from),
            after: change.after.map(SymbolSide::from),
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
        let mut text = noting(&self.metadata);
        text.push(
            Line::new()
                .strong(&self.head_ref)
                .plain(" since ")
                .strong(&self.base_ref)
                .plain(format!(": {} files, {} symbols", self.affected_files, self.total_changes)),
        );
        let mut file = "";
        for one in &self.changes {
            if one.path != file {
                file = &one.path;
                text.push(Line::new().path(file));
            }
            let record = one.after.as_ref().or(one.before.as_ref());
            let (kind, name) =
                record.map_or(("", one.symbol.as_str()), |record| (record.kind, record.qualified_name.as_str()));
            let cosmetic = if one.cosmetic { "  layout or comments only" } else { "" };
            let line = Line::new().number(format!("{}-{}", one.lines.start, one.lines.end));
            let line = line.plain(format!("  {} {kind} ", letter(one.change_type))).strong(name);
            text.push(line.faint(cosmetic));
            if let (Some(true), Some(before), Some(after)) = (one.signature_changed, &one.before, &one.after) {
                text.push(Line::new().plain(format!("  - {}", before.signature)));
                text.push(Line::new().plain(format!("  + {}", after.signature)));
            }
        }
        let left_out = self.total_changes - self.changes.len();
        if left_out > 0 {
            text.push(Line::new().plain(format!("{left_out} more; a higher limit lists them")));
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
