//! `suggest_followup_queries`: what to ask next when an answer was not good enough.

use std::sync::Arc;

use cruxe_query::search::Intent;
use cruxe_query::search::followup::{self, Asked, Previous};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::answers::FollowupAnswer;
use crate::app::App;
use crate::contract::{ToolError, names};
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

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Better calls after a weak or empty answer; each was checked to find something.";
    let spec = ToolSpec::new(names::SUGGEST_FOLLOWUP_QUERIES, "Suggest what to ask next", about);
    typed(spec, move |input: Input, call| {
        let threshold = input.confidence_threshold.unwrap_or(DEFAULT_THRESHOLD);
        if !(0.0..=1.0).contains(&threshold) {
            let message = format!("confidence_threshold: {threshold} is not in 0..=1");
            return Err(ToolError::invalid_input(message).with("parameter", "confidence_threshold"));
        }
        let (previous, ref_name) = previous(&input)?;
        app.ask(call, ref_name.clone(), None, |asked| {
            let followup = followup::suggest(&asked.view, &previous, threshold)?;
            Ok(FollowupAnswer::new(&asked.view, &previous, ref_name.as_deref(), threshold, followup))
        })
    })
}

/// Reads the call before and its answer, whatever tool it was, and the ref that it named.
fn previous(input: &Input) -> Result<(Previous, Option<String>), ToolError> {
    let missing = |what: &str| {
        ToolError::invalid_input(format!("previous_query: `{what}` is missing"))
            .with("parameter", "previous_query")
            .suggest("Give previous_query as {\"tool\": NAME, \"params\": {…}} of the call before.")
    };
    let tool = input.previous_query.get("tool").and_then(Value::as_str).ok_or_else(|| missing("tool"))?;
    let params = input.previous_query.get("params").and_then(Value::as_object).ok_or_else(|| missing("params"))?;
    let text = |key: &str| params.get(key).and_then(Value::as_str).map(str::to_owned);
    let asked = ["query", "symbol_name", "name", "path", "result_path"].into_iter().find_map(text);
    let results = &input.previous_results;
    let count = |key: &str| results.get(key).and_then(Value::as_array).map(Vec::len);
    let lists = ["results", "references", "callers", "callees", "symbols", "changes", "tasks"];
    let listed: usize = lists.into_iter().filter_map(count).sum();
    let figure = |key: &str| results.get(key).and_then(Value::as_u64);
    let counted = ["total_edges", "total_references", "total_candidates"].into_iter().find_map(figure);
    let first_score = || results.get("results")?.get(0)?.get("score")?.as_f64();
    let intent = results.get("query_intent").and_then(Value::as_str);
    let previous = Previous {
        asked: asked_by(tool),
        text: asked.unwrap_or_default(),
        language: text("language"),
        intent: intent.map(|word| Intent::parse(word).unwrap_or(Intent::NaturalLanguage)),
        results: listed.max(counted.unwrap_or(0) as usize),
        top_score: results.get("top_score").and_then(Value::as_f64).or_else(first_score).unwrap_or(0.0),
    };
    Ok((previous, text("ref")))
}

/// What a tool is asked for.
fn asked_by(tool: &str) -> Asked {
    match tool {
        names::SEARCH_CODE => Asked::Code,
        names::LOCATE_SYMBOL => Asked::Definition,
        names::GET_CALL_GRAPH | names::FIND_REFERENCES => Asked::Uses,
        names::READ_CONTEXT => Asked::Documents,
        _ => Asked::Other,
    }
}
