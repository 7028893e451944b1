//! `compare_symbol_between_commits`: how one symbol changed.

use std::sync::Arc;

use cruxe_query::compare::{self, Question, Summary, Version};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::budget;
use crate::app::App;
use crate::contract::{Metadata, ToolError, names};
use crate::tool::{Tool, ToolSpec, typed};

/// Which symbol, and between what.
#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Plain or qualified name.
    symbol_name: String,
    /// Its file, where the name alone is not clear.
    path: Option<String>,
    base_ref: String,
    head_ref: String,
    max_tokens: Option<i64>,
}

/// How it changed.
#[derive(Serialize, JsonSchema)]
struct Output {
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

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "How one symbol changed between two refs (any that git has, indexed or not): both signatures and \
                 places, and the diff of just that symbol.";
    let spec = ToolSpec::new(names::COMPARE_SYMBOL_BETWEEN_COMMITS, "Compare a symbol", about);
    typed(spec, move |input: Input, call| -> Result<Output, ToolError> {
        let workspace = app.workspace(call)?;
        let asked = [("symbol_name", &input.symbol_name), ("base_ref", &input.base_ref), ("head_ref", &input.head_ref)];
        if let Some((parameter, _)) = asked.iter().find(|(_, value)| value.trim().is_empty()) {
            return Err(
                ToolError::invalid_input(format!("{parameter}: must not be empty")).with("parameter", parameter)
            );
        }
        let question = Question {
            name: input.symbol_name,
            path: input.path,
            base: input.base_ref,
            head: input.head_ref,
            work: call.work.clone(),
        };
        let answer = compare::compare(&workspace, &question)?;
        let lines: Vec<&str> = answer.diff.split_inclusive('\n').collect();
        budget::fit(input.max_tokens, lines.len(), |count| Output {
            symbol: answer.symbol.clone(),
            path: answer.path.clone(),
            symbol_stable_id: answer.symbol_stable_id.clone(),
            base_version: answer.base.clone(),
            head_version: answer.head.clone(),
            diff_summary: answer.summary.clone(),
            diff: lines[..count].concat(),
            metadata: Metadata::of(&answer.standing).truncated_if(count < lines.len()),
        })
    })
}
