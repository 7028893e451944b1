//! `search_code`: what the code does about something.

use std::sync::Arc;

use cruxe_model::config::{ExplainLevel, FreshnessPolicy};
use cruxe_query::search;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{budget, input};
use crate::answers::{Breadth, Detail, DetailLevel, SearchAnswer};
use crate::app::App;
use crate::ask::{language, search_question};
use crate::contract::{ToolError, names};
use crate::tool::{Tool, ToolSpec, typed};

const DEFAULT_LIMIT: u64 = 10;
const MAX_LIMIT: u64 = 1000;

/// What to look for.
#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Words, a symbol name, a path, an error message, or a "quoted phrase".
    query: String,
    #[serde(rename = "ref")]
    ref_name: Option<String>,
    language: Option<String>,
    kind: Option<String>,
    #[serde(flatten)]
    places: input::Places,
    #[schemars(extend("default" = 10))]
    limit: Option<i64>,
    #[serde(default)]
    #[schemars(extend("default" = "signature"))]
    detail_level: DetailLevel,
    #[serde(default)]
    compact: bool,
    max_tokens: Option<i64>,
    /// 0: by words alone, 1: by meaning alone.
    semantic_ratio: Option<f64>,
    #[schemars(extend("default" = "balanced"))]
    freshness_policy: Option<FreshnessPolicy>,
    #[schemars(extend("default" = "off"))]
    ranking_explain_level: Option<ExplainLevel>,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Find code by what it does: ranked symbols with exact lines, at most a few per file.";
    typed(ToolSpec::new(names::SEARCH_CODE, "Search the code", about), move |input: Input, call| {
        let limit = limit(&input)?;
        let language = language(input.language.as_deref())?;
        let filter = input.places.filter(input.kind.as_deref())?;
        let detail = Detail { level: input.detail_level, compact: input.compact, breadth: Breadth::Brief };
        app.ask(call, input.ref_name.clone(), input.freshness_policy, |asked| {
            let config = &asked.workspace.project.config;
            let (mut question, problem) = search_question(asked.workspace, &input.query, language, limit);
            question.filter = filter;
            question.semantic_ratio = input.semantic_ratio.map(|ratio| ratio as f32).or(question.semantic_ratio);
            let found = search::search(&asked.view, &question)?;
            let level = input.ranking_explain_level.unwrap_or_else(|| config.ranking_explain_level());
            let answer = SearchAnswer::new(&input.query, &asked.view, &asked.layers(), &found, &detail)?
                .warn(problem)
                .with_reasons(&found, level);
            let answer = if config.debug.enabled { answer.with_debug(&found) } else { answer };
            budget::fit(input.max_tokens, answer.count(), |count| answer.first(count))
        })
    })
}

fn limit(input: &Input) -> Result<usize, ToolError> {
    input::not_empty("query", &input.query)?;
    match input.semantic_ratio {
        Some(ratio) if !(0.0..=1.0).contains(&ratio) => {
            let message = format!("semantic_ratio: {ratio} is not in 0..=1");
            Err(ToolError::invalid_input(message).with("parameter", "semantic_ratio"))
        }
        _ => input::limit(input.limit, DEFAULT_LIMIT, MAX_LIMIT),
    }
}
