//! `suggest_followup_queries`: what to ask next when an answer was not good enough.

use std::sync::Arc;

use cruxe_query::search::Intent;
use cruxe_query::search::followup::{self, Ask, Asked, NoSuggestion, Previous};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::shape::rounded;
use crate::app::App;
use crate::contract::{Metadata, ToolError};
use crate::tool::{Tool, ToolSpec, typed};

const DEFAULT_THRESHOLD: f64 = 0.5;

/// What was asked, and what came of it.
#[derive(Deserialize, JsonSchema)]
struct Input {
    /// `{tool, params}` of the call before.
    previous_query: Map<String, Value>,
    /// Its answer.
    previous_results: Map<String, Value>,
    #[schemars(extend("default" = 0.5))]
    confidence_threshold: Option<f64>,
}

/// What to ask next.
#[derive(Serialize, JsonSchema)]
struct Output {
    suggestions: Vec<Suggestion>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    analysis: Analysis,
    metadata: Metadata,
}

/// A call that may do better.
#[derive(Serialize, JsonSchema)]
struct Suggestion {
    tool: &'static str,
    params: Value,
    reason: String,
}

/// How the answer before was read.
#[derive(Serialize, JsonSchema)]
struct Analysis {
    previous_confidence: &'static str,
    top_score: f64,
    threshold: f64,
    extracted_identifiers: Vec<String>,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Better calls after a weak or empty answer; each was checked to find something.";
    typed(ToolSpec::new("suggest_followup_queries", "Suggest what to ask next", about), move |input: Input, call| {
        let threshold = input.confidence_threshold.unwrap_or(DEFAULT_THRESHOLD);
        if !(0.0..=1.0).contains(&threshold) {
            let message = format!("confidence_threshold: {threshold} is not in 0..=1");
            return Err(ToolError::invalid_input(message).with("parameter", "confidence_threshold"));
        }
        let (previous, asked_ref) = previous(&input)?;
        let workspace = app.workspace(call)?;
        let ref_name = App::ref_name(&workspace, call, asked_ref.clone());
        let policy = workspace.project.config.query.freshness_policy;
        let view = App::view(&workspace, call, ref_name.as_deref(), policy)?;
        let followup = followup::suggest(&view, &previous, threshold)?;
        let confident = previous.results > 0 && previous.top_score >= threshold;
        Ok(Output {
            suggestions: followup.suggestions.into_iter().map(|one| suggestion(one, asked_ref.as_deref())).collect(),
            reason: followup.none.map(|none| match none {
                NoSuggestion::GoodEnough => "results are above confidence threshold",
                NoSuggestion::NothingSimilar => "nothing in this ref is similar to what was asked for",
            }),
            analysis: Analysis {
                previous_confidence: if confident { "high" } else { "low" },
                top_score: rounded(previous.top_score),
                threshold,
                extracted_identifiers: followup.identifiers,
            },
            metadata: Metadata::of(&view.standing),
        })
    })
}

/// The call that asks what is suggested, about the ref that was asked about before.
fn suggestion(suggested: followup::Suggestion, ref_name: Option<&str>) -> Suggestion {
    let (tool, mut params) = match suggested.ask {
        Ask::Code { query, language: None } => ("search_code", json!({"query": query})),
        Ask::Code { query, language } => ("search_code", json!({"query": query, "language": language})),
        Ask::Definition { name, kind: None } => ("locate_symbol", json!({"name": name})),
        Ask::Definition { name, kind: Some(kind) } => ("locate_symbol", json!({"name": name, "kind": kind.as_str()})),
        Ask::Callers { name } => ("get_call_graph", json!({"symbol_name": name, "direction": "callers"})),
    };
    if let Some(name) = ref_name {
        params["ref"] = json!(name);
    }
    Suggestion { tool, params, reason: suggested.reason }
}

/// The kind of question that a tool answers.
fn asked(tool: &str) -> Asked {
    match tool {
        "search_code" => Asked::Code,
        "locate_symbol" => Asked::Definition,
        "read_context" => Asked::Documents,
        "get_call_graph" | "find_references" => Asked::Uses,
        _ => Asked::Other,
    }
}

/// Reads the call before and its answer, whatever tool it was, and the ref that it was about.
fn previous(input: &Input) -> Result<(Previous, Option<String>), ToolError> {
    let missing = |what: &str| {
        ToolError::invalid_input(format!("previous_query: `{what}` is missing"))
            .with("parameter", "previous_query")
            .suggest("Give previous_query as {\"tool\": NAME, \"params\": {…}} of the call before.")
    };
    let tool = input.previous_query.get("tool").and_then(Value::as_str).ok_or_else(|| missing("tool"))?;
    let params = input.previous_query.get("params").and_then(Value::as_object).ok_or_else(|| missing("params"))?;
    let text = |key: &str| params.get(key).and_then(Value::as_str).map(str::to_owned);
    let subject = ["query", "symbol_name", "name", "path", "result_path"].into_iter().find_map(text);
    let results = &input.previous_results;
    let count = |key: &str| results.get(key).and_then(Value::as_array).map(Vec::len);
    let lists = ["results", "references", "callers", "callees", "symbols", "changes", "tasks"];
    let listed: usize = lists.into_iter().filter_map(count).sum();
    let figure = |key: &str| results.get(key).and_then(Value::as_u64);
    let counted = ["total_edges", "total_references", "total_candidates"].into_iter().find_map(figure);
    let first_score = || results.get("results")?.get(0)?.get("score")?.as_f64();
    let intent = results.get("query_intent").and_then(Value::as_str);
    let previous = Previous {
        asked: asked(tool),
        text: subject.unwrap_or_default(),
        language: text("language"),
        intent: intent.map(|word| Intent::parse(word).unwrap_or(Intent::NaturalLanguage)),
        results: listed.max(counted.unwrap_or(0) as usize),
        top_score: results.get("top_score").and_then(Value::as_f64).or_else(first_score).unwrap_or(0.0),
    };
    Ok((previous, text("ref")))
}
