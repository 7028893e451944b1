//! `diff_context`: what a branch changes, symbol by symbol.

use std::sync::Arc;

use cruxe_model::config::FreshnessPolicy;
use cruxe_query::diff::{self, Question};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{budget, input};
use crate::answers::DiffAnswer;
use crate::app::App;
use crate::contract::names;
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
    kind: Option<String>,
    #[serde(flatten)]
    places: input::Places,
    #[schemars(extend("default" = 50))]
    limit: Option<i64>,
    /// `false`: no changes of layout and comments alone.
    #[schemars(extend("default" = true))]
    include_cosmetic: Option<bool>,
    max_tokens: Option<i64>,
    #[schemars(extend("default" = "balanced"))]
    freshness_policy: Option<FreshnessPolicy>,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "What a branch or the uncommitted work changes, symbol by symbol, with signatures before and after. \
                 Cheaper than a diff.";
    typed(ToolSpec::new(names::DIFF_CONTEXT, "Symbol diff", about), move |input: Input, call| {
        let limit = input::limit(input.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
        let filter = input.places.filter(input.kind.as_deref())?;
        let workspace = app.workspace(call)?;
        let question = Question {
            base: call.session.scope().base_of(&workspace, input.base_ref)?,
            head: App::ref_name(&workspace, call, input.head_ref)?,
            path_filter: input.path_filter,
            filter,
            include_cosmetic: input.include_cosmetic.unwrap_or(true),
            policy: input.freshness_policy.unwrap_or(workspace.project.config.query.freshness_policy),
            work: call.work.clone(),
        };
        let answer = DiffAnswer::new(diff::diff(&workspace, &question)?, limit)?;
        budget::fit(call.form, input.max_tokens, answer.count(), |count| answer.first(count))
    })
}
