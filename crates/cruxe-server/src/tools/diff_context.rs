//! `diff_context`: what a branch changes, symbol by symbol.

use std::sync::Arc;

use cruxe_model::config::FreshnessPolicy;
use cruxe_query::diff::{self, Change, ChangeType, FileChange, Question};
use cruxe_query::past::Record;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{budget, shape};
use crate::app::App;
use crate::contract::{Metadata, ToolError, names};
use crate::tool::{Tool, ToolSpec, typed};

const DEFAULT_LIMIT: u64 = 50;
const MAX_LIMIT: u64 = 10_000;

/// What to compare.
#[derive(Deserialize, JsonSchema)]
struct Input {
    /// The default branch if left out.
    base_ref: Option<String>,
    /// What is checked out, uncommitted edits included, if left out.
    head_ref: Option<String>,
    /// Only files below this path.
    path_filter: Option<String>,
    #[schemars(extend("default" = 50))]
    limit: Option<i64>,
    /// `false`: no changes of layout and comments alone.
    #[schemars(extend("default" = true))]
    include_cosmetic: Option<bool>,
    max_tokens: Option<i64>,
    #[schemars(extend("default" = "balanced"))]
    freshness_policy: Option<FreshnessPolicy>,
}

/// What differs.
#[derive(Serialize, JsonSchema)]
struct Output {
    base_ref: String,
    head_ref: String,
    merge_base_commit: String,
    affected_files: usize,
    total_changes: usize,
    file_changes: Vec<FileChange>,
    changes: Vec<Entry>,
    metadata: Metadata,
}

/// A symbol that differs.
#[derive(Clone, Serialize, JsonSchema)]
struct Entry {
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

impl From<Change> for Entry {
    fn from(change: Change) -> Entry {
        let shown = change.after.as_ref().or(change.before.as_ref());
        let (path, start, end) =
            shown.map_or((String::new(), 0, 0), |record| (record.path.clone(), record.line_start, record.line_end));
        Entry {
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

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "What a branch or the uncommitted work changes since it left another: symbols added, modified, deleted \
                 and renamed, with signatures before and after. Cheaper than a diff.";
    typed(
        ToolSpec::new(names::DIFF_CONTEXT, "Symbol diff", about),
        move |input: Input, call| -> Result<Output, ToolError> {
            let workspace = app.workspace(call)?;
            let limit = shape::limit(input.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
            let question = Question {
                base: input.base_ref,
                head: App::ref_name(&workspace, call, input.head_ref),
                path_filter: input.path_filter,
                include_cosmetic: input.include_cosmetic.unwrap_or(true),
                policy: input.freshness_policy.unwrap_or(workspace.project.config.query.freshness_policy),
                work: call.work.clone(),
            };
            let answer = diff::diff(&workspace, &question)?;
            let total = answer.changes.len();
            let entries: Vec<Entry> = answer.changes.into_iter().take(limit).map(Entry::from).collect();
            let renames = serde_json::to_value(&answer.renames).map_err(ToolError::internal)?;
            budget::fit(input.max_tokens, entries.len(), |count| Output {
                base_ref: answer.base_ref.clone(),
                head_ref: answer.head_ref.clone(),
                merge_base_commit: answer.merge_base.to_hex(),
                affected_files: answer.files.len(),
                total_changes: total,
                file_changes: answer.files.clone(),
                changes: entries[..count].to_vec(),
                metadata: Metadata::of(&answer.standing).truncated_if(count < total).with("renames", renames.clone()),
            })
        },
    )
}
