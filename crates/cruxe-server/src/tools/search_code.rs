//! `search_code`: what the code does about something.

use std::sync::Arc;

use cruxe_index::{Layers, View};
use cruxe_model::config::{ExplainLevel, FreshnessPolicy};
use cruxe_model::{SourceLayer, ids};
use cruxe_query::locate;
use cruxe_query::search::{self, Answer, Found, Question, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::budget;
use super::shape::{self, DetailLevel, Surroundings, rounded};
use crate::app::App;
use crate::contract::{Metadata, ToolError, names};
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

/// What was found.
#[derive(Serialize, JsonSchema)]
struct Output {
    results: Vec<Value>,
    query_intent: &'static str,
    total_candidates: usize,
    suggested_next_actions: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    debug: Option<Value>,
    metadata: Metadata,
}

/// A place in the code. What is not known, or not asked for, is left out.
#[derive(Serialize)]
struct Hit {
    result_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol_stable_id: Option<String>,
    result_type: &'static str,
    path: String,
    line_start: u32,
    line_end: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    qualified_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    visibility: Option<&'static str>,
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_layer: Option<SourceLayer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<String>,
    #[serde(flatten)]
    surroundings: Surroundings,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Find code by what it does: ranked symbols with exact lines, at most a few per file.";
    typed(ToolSpec::new(names::SEARCH_CODE, "Search the code", about), move |input: Input, call| {
        let workspace = app.workspace(call)?;
        let semantic = &workspace.project.config.semantic;
        let mut question = question(&input, if semantic.enabled { semantic.ratio } else { Some(0.0) })?;
        let transformer = workspace.transformer();
        question.transformer = transformer.clone().unwrap_or_default();
        let ref_name = App::ref_name(&workspace, call, input.ref_name.clone());
        let config = &workspace.project.config;
        let policy = input.freshness_policy.unwrap_or(config.query.freshness_policy);
        let view = App::view(&workspace, call, ref_name.as_deref(), policy)?;
        let answer = search::search(&view, &question)?;
        let level = input.ranking_explain_level.unwrap_or_else(|| config.ranking_explain_level());
        let layers = shape::layers(&workspace, &view);
        let hits: Vec<Value> = answer
            .found
            .iter()
            .map(|found| {
                hit(&view, &layers, found, &input)
                    .and_then(|hit| serde_json::to_value(hit).map_err(ToolError::internal))
            })
            .collect::<Result<_, _>>()?;
        let actions = next_actions(&answer);
        let mut metadata = Metadata::of_search(&answer);
        metadata.warnings.extend(transformer.err());
        let debug = config.debug.enabled.then(|| join_status(&answer));
        budget::fit(input.max_tokens, hits.len(), |count| {
            let cut = answer.truncated || count < hits.len();
            let mut metadata = metadata.clone().truncated_if(cut);
            if let Some(reasons) = reasons(&answer.found[..count], &answer, level) {
                metadata = metadata.with("ranking_reasons", reasons);
            }
            Output {
                results: hits[..count].to_vec(),
                query_intent: answer.intent.as_str(),
                total_candidates: answer.total,
                suggested_next_actions: actions.clone(),
                debug: debug.clone(),
                metadata,
            }
        })
    })
}

fn question(input: &Input, ratio: Option<f32>) -> Result<Question, ToolError> {
    let refused = |parameter: &str, why: String| {
        ToolError::invalid_input(format!("{parameter}: {why}")).with("parameter", parameter)
    };
    if input.query.trim().is_empty() {
        return Err(refused("query", "must not be empty".to_owned()));
    }
    if let Some(ratio) = input.semantic_ratio
        && !(0.0..=1.0).contains(&ratio)
    {
        return Err(refused("semantic_ratio", format!("{ratio} is not in 0..=1")));
    }
    Ok(Question {
        query: input.query.clone(),
        language: input.language.clone(),
        limit: shape::limit(input.limit, DEFAULT_LIMIT, MAX_LIMIT)?,
        semantic_ratio: input.semantic_ratio.map(|ratio| ratio as f32).or(ratio),
        transformer: None,
    })
}

fn hit(view: &View, layers: &Layers, found: &Found, input: &Input) -> Result<Hit, ToolError> {
    let (more, context) = (input.detail_level != DetailLevel::Location, input.detail_level == DetailLevel::Context);
    let path = found.file.path.as_str();
    let at = match found.target {
        Target::Symbol(at) | Target::Snippet(Some(at)) => Some(at),
        _ => None,
    };
    let symbol = found.symbol();
    let located = at.map(|at| shape::located(found, at));
    let result_type = match found.target {
        Target::Symbol(_) => "symbol",
        Target::Snippet(_) => "snippet",
        Target::File => "file",
    };
    let is_file = found.target == Target::File;
    let surroundings = match &located {
        Some(located) if result_type == "symbol" => Surroundings::of(view, located, input.detail_level, input.compact)?,
        _ => Surroundings::default(),
    };
    let snippet = || search::snippet(view, found, if context { 20 } else { 3 });
    Ok(Hit {
        result_id: result_id(found, result_type),
        symbol_id: located.as_ref().map(|located| located.symbol_id().as_str().to_owned()),
        symbol_stable_id: located.as_ref().map(|located| located.stable_id().as_str().to_owned()),
        result_type,
        path: path.to_owned(),
        line_start: found.lines.0,
        line_end: found.lines.1,
        kind: symbol.map(|symbol| symbol.kind.as_str()).or(is_file.then_some("file")),
        name: symbol
            .map(|symbol| symbol.name.clone())
            .or_else(|| is_file.then(|| path.rsplit('/').next().unwrap_or(path).to_owned())),
        qualified_name: symbol.filter(|_| more).map(|symbol| symbol.qualified_name.clone()),
        signature: symbol
            .filter(|_| more && result_type == "symbol")
            .map(|symbol| symbol.signature.clone())
            .filter(|text| !text.is_empty()),
        language: more.then(|| found.file.language.clone()),
        visibility: symbol.filter(|_| more).and_then(locate::visibility),
        score: rounded(found.confidence),
        source_layer: layers.of(&found.file.path, &found.file.hash),
        snippet: if result_type == "snippet" && more && !input.compact { snippet() } else { None },
        surroundings,
    })
}

/// The identity of a result in this index: where it is and what it says.
fn result_id(found: &Found, result_type: &str) -> String {
    let prefix = match result_type {
        "symbol" => "res",
        "snippet" => "snip",
        _ => "file",
    };
    let (first, last) = found.lines;
    let place = format!("{result_type}\0{}\0{first}\0{last}\0{}", found.file.path, found.file.hash.to_hex());
    format!("{prefix}_{}", ids::short_hash(&place))
}

/// Why each result ranks where it does: the components of the very score that ordered them.
fn reasons(found: &[Found], answer: &Answer, level: ExplainLevel) -> Option<Value> {
    if level == ExplainLevel::Off {
        return None;
    }
    let list = found.iter().enumerate().map(|(index, found)| {
        let score = &found.score;
        // What a component could be at most in this search, for figures from 0 to 1.
        let of = |value: f32, most: f32| {
            let part = if level == ExplainLevel::Full || most <= 0.0 { value } else { (value / most).min(1.0) };
            rounded(f64::from(part))
        };
        let w = &answer.weights;
        let bm25 = if level == ExplainLevel::Full { found.bm25 } else { found.bm25 / (found.bm25 + 8.0) };
        json!({
            "result_index": index,
            "exact_match_boost": of(score.exact_match, w.definition),
            "qualified_name_boost": of(score.qualified_name, w.names + w.qualifiers),
            "path_affinity": of(score.path_affinity, w.stem + w.whole_stem + w.folders),
            "definition_boost": of(score.definition, w.popularity),
            "kind_match": of(score.kind_match, w.kind),
            "bm25_score": rounded(f64::from(bm25)),
            "final_score": rounded(found.confidence),
        })
    });
    Some(list.collect())
}

/// What is worth a look after this: the first symbol by name, its file, and the words as names.
fn next_actions(answer: &Answer) -> Vec<Value> {
    let ref_name = &answer.standing.ref_name;
    let mut actions = Vec::new();
    let symbols = answer.found.iter().filter_map(|found| found.symbol().map(|symbol| (found, symbol)));
    if let Some((found, symbol)) = symbols.into_iter().next() {
        let name = &symbol.name;
        actions.push(json!({"tool": "locate_symbol", "name": name, "ref": ref_name}));
        actions.push(json!({"tool": "get_file_outline", "path": found.file.path, "ref": ref_name}));
    } else if let Some(found) = answer.found.first() {
        actions.push(json!({"tool": "get_file_outline", "path": found.file.path, "ref": ref_name}));
    }
    actions
}

fn join_status(answer: &Answer) -> Value {
    let count = |is: fn(&Found) -> bool| answer.found.iter().filter(|found| is(found)).count();
    let hits = count(|found| found.symbol().is_some());
    let misses = count(|found| found.symbol().is_none() && found.target != Target::File);
    json!({"join_status": {"hits": hits, "misses": misses}})
}
