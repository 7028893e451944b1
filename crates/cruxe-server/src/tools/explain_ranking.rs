//! `explain_ranking`: why a result of a search ranks where it does.

use std::sync::Arc;

use cruxe_model::SourceLayer;
use cruxe_query::search::{Question, explain};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shape;
use crate::app::App;
use crate::contract::{Metadata, ToolError, names};
use crate::tool::{Tool, ToolSpec, typed};

const DEFAULT_LIMIT: u64 = 200;
const MAX_LIMIT: u64 = 1000;

/// Which result of which search.
#[derive(Deserialize, JsonSchema)]
struct Input {
    query: String,
    result_path: String,
    result_line_start: i64,
    #[serde(rename = "ref")]
    ref_name: Option<String>,
    language: Option<String>,
    #[schemars(extend("default" = 200))]
    limit: Option<i64>,
}

/// What its score is made of.
#[derive(Serialize, JsonSchema)]
struct Output {
    query: String,
    result: Place,
    scoring: Scoring,
    scoring_details: Details,
    metadata: Metadata,
}

/// The result.
#[derive(Serialize, JsonSchema)]
struct Place {
    path: String,
    line_start: u32,
    line_end: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    rank: usize,
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_layer: Option<SourceLayer>,
}

/// The components; `total` is their sum.
#[derive(Serialize, JsonSchema)]
struct Scoring {
    bm25: f64,
    exact_match: f64,
    qualified_name: f64,
    path_affinity: f64,
    definition_boost: f64,
    kind_match: f64,
    total: f64,
}

/// The components in words.
#[derive(Serialize, JsonSchema)]
struct Details {
    bm25_source: String,
    exact_match_reason: String,
    qualified_name_reason: String,
    path_affinity_reason: String,
    definition_boost_reason: String,
    kind_match_reason: String,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = format!("Why one {} result ranks where it does: what each factor added.", names::SEARCH_CODE);
    typed(ToolSpec::new(names::EXPLAIN_RANKING, "Explain a rank", about), move |input: Input, call| {
        let workspace = app.workspace(call)?;
        if input.query.trim().is_empty() {
            return Err(ToolError::invalid_input("query: must not be empty").with("parameter", "query"));
        }
        let line = u32::try_from(input.result_line_start).ok().filter(|line| *line > 0).ok_or_else(|| {
            ToolError::invalid_input("result_line_start: lines are counted from 1")
                .with("parameter", "result_line_start")
        })?;
        let semantic = &workspace.project.config.semantic;
        let question = Question {
            query: input.query.clone(),
            language: input.language.clone(),
            limit: shape::limit(input.limit, DEFAULT_LIMIT, MAX_LIMIT)?,
            semantic_ratio: if semantic.enabled { semantic.ratio } else { Some(0.0) },
            transformer: workspace.transformer().unwrap_or_default(),
        };
        let ref_name = App::ref_name(&workspace, call, input.ref_name.clone());
        let policy = workspace.project.config.query.freshness_policy;
        let view = App::view(&workspace, call, ref_name.as_deref(), policy)?;
        let (found, answer) = explain::explain(&view, &question, &input.result_path, line)?;
        let is_it =
            |other: &&cruxe_query::search::Found| other.file.path == found.file.path && other.lines == found.lines;
        let rank = 1 + answer.found.iter().take_while(|other| !is_it(other)).count();
        let symbol = found.symbol();
        let score = &found.score;
        let component = |value: f32| (f64::from(value) * 1e6).round() / 1e6;
        let parts = [
            component(score.text),
            component(score.exact_match),
            component(score.qualified_name),
            component(score.path_affinity),
            component(score.definition),
            component(score.kind_match),
        ];
        let [bm25, exact_match, qualified_name, path_affinity, definition_boost, kind_match] = parts;
        // The sum of what is shown, so that a reader who adds up finds the same.
        let total = (parts.iter().sum::<f64>() * 1e6).round() / 1e6;
        let reasons = found.reasons.clone();
        Ok(Output {
            query: input.query,
            result: Place {
                path: input.result_path,
                line_start: found.lines.0,
                line_end: found.lines.1,
                kind: symbol.map(|symbol| symbol.kind.as_str()),
                name: symbol.map(|symbol| symbol.name.clone()),
                rank,
                score: shape::rounded(found.confidence),
                source_layer: shape::layers(&workspace, &view).of(&found.file.path, &found.file.hash),
            },
            scoring: Scoring { bm25, exact_match, qualified_name, path_affinity, definition_boost, kind_match, total },
            scoring_details: Details {
                bm25_source: reasons.text,
                exact_match_reason: reasons.exact_match,
                qualified_name_reason: reasons.qualified_name,
                path_affinity_reason: reasons.path_affinity,
                definition_boost_reason: reasons.definition,
                kind_match_reason: reasons.kind_match,
            },
            metadata: Metadata::of_search(&answer),
        })
    })
}
