//! `locate_symbol`: where a name is defined.

use std::sync::Arc;

use cruxe_index::{Layers, View};
use cruxe_model::config::{ExplainLevel, FreshnessPolicy};
use cruxe_model::{SourceLayer, SymbolKind};
use cruxe_query::locate::{self, Answer, Found, Question};
use cruxe_store::NameMatch;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::budget;
use super::shape::{self, DetailLevel, Surroundings, rounded};
use crate::app::App;
use crate::contract::{Metadata, ToolError, names};
use crate::tool::{Tool, ToolSpec, typed};

/// How many results are listed when nothing else is asked for, and at most.
const DEFAULT_LIMIT: u64 = 10;
const MAX_LIMIT: u64 = 1000;

/// What to look for.
#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Plain or qualified name (`bind`, `TcpListener::bind`), or a symbol_id.
    name: String,
    /// fn, struct, class, method, …
    kind: Option<String>,
    language: Option<String>,
    #[serde(rename = "ref")]
    ref_name: Option<String>,
    #[schemars(extend("default" = 10))]
    limit: Option<i64>,
    #[serde(default)]
    #[schemars(extend("default" = "signature"))]
    detail_level: DetailLevel,
    #[serde(default)]
    compact: bool,
    max_tokens: Option<i64>,
    #[schemars(extend("default" = "balanced"))]
    freshness_policy: Option<FreshnessPolicy>,
    #[schemars(extend("default" = "off"))]
    ranking_explain_level: Option<ExplainLevel>,
}

/// Where it is.
#[derive(Serialize, JsonSchema)]
struct Output {
    results: Vec<Result_>,
    total_candidates: usize,
    metadata: Metadata,
}

/// A definition. What is not known, or not asked for, is left out.
#[derive(Clone, Serialize, JsonSchema)]
struct Result_ {
    symbol_id: String,
    symbol_stable_id: String,
    path: String,
    line_start: u32,
    line_end: u32,
    kind: &'static str,
    name: String,
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
    #[serde(flatten)]
    surroundings: Surroundings,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Where a symbol is defined: exact path and lines, best match first. Falls back to other case, prefix, \
                 then typos, and says so.";
    typed(ToolSpec::new(names::LOCATE_SYMBOL, "Locate a symbol", about).quick(), move |input: Input, call| {
        let workspace = app.workspace(call)?;
        let question = question(&input)?;
        let ref_name = App::ref_name(&workspace, call, input.ref_name.clone());
        let config = &workspace.project.config;
        let policy = input.freshness_policy.unwrap_or(config.query.freshness_policy);
        let view = App::view(&workspace, call, ref_name.as_deref(), policy)?;
        let answer = locate::locate(&view, &question)?;
        let level = input.ranking_explain_level.unwrap_or_else(|| config.ranking_explain_level());
        let layers = shape::layers(&workspace, &view);
        let results = answer
            .found
            .iter()
            .map(|found| result(&view, &layers, found, &input))
            .collect::<Result<Vec<_>, ToolError>>()?;
        let warning = match_warning(&input.name, &answer);
        budget::fit(input.max_tokens, results.len(), |count| {
            let mut metadata = Metadata::of(&view.standing).truncated_if(answer.total > count);
            metadata.warnings.extend(warning.clone());
            if let Some(reasons) = reasons(&answer.found[..count], level) {
                metadata = metadata.with("ranking_reasons", reasons);
            }
            Output { results: results[..count].to_vec(), total_candidates: answer.total, metadata }
        })
    })
}

fn question(input: &Input) -> Result<Question, ToolError> {
    if input.name.trim().is_empty() {
        return Err(ToolError::invalid_input("name: must not be empty").with("parameter", "name"));
    }
    let kinds = match input.kind.as_deref() {
        None => Vec::new(),
        Some(word) => SymbolKind::filter(word).ok_or_else(|| {
            let known: Vec<&str> = SymbolKind::ALL.iter().map(|kind| kind.as_str()).collect();
            ToolError::invalid_input(format!("kind: `{word}` is none")).with("parameter", "kind").with("allowed", known)
        })?,
    };
    let limit = shape::limit(input.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    Ok(Question { name: input.name.clone(), kinds, language: input.language.clone(), limit })
}

fn match_warning(name: &str, answer: &Answer) -> Option<String> {
    let how = match answer.matched? {
        NameMatch::Exact => return None,
        NameMatch::CaseInsensitive => "names that differ in case",
        NameMatch::Prefix => "names that begin with it",
        NameMatch::Typo => "the most similar names",
    };
    Some(format!("no symbol is named exactly `{name}`; these are {how}"))
}

fn result(view: &View, layers: &Layers, found: &Found, input: &Input) -> Result<Result_, ToolError> {
    let (symbol, (line_start, line_end)) = (found.symbol(), found.lines());
    let more = input.detail_level != DetailLevel::Location;
    let path = found.file.path.as_str().to_owned();
    Ok(Result_ {
        symbol_id: found.symbol_id().as_str().to_owned(),
        symbol_stable_id: found.stable_id().as_str().to_owned(),
        path,
        line_start,
        line_end,
        kind: symbol.kind.as_str(),
        name: symbol.name.clone(),
        qualified_name: more.then(|| symbol.qualified_name.clone()),
        signature: more.then(|| symbol.signature.clone()).filter(|text| !text.is_empty()),
        language: more.then(|| found.file.language.clone()),
        visibility: locate::visibility(symbol).filter(|_| more),
        score: rounded(found.score.total()),
        source_layer: layers.of(&found.file.path, &found.file.hash),
        surroundings: Surroundings::of(view, found, input.detail_level, input.compact)?,
    })
}

/// Why each result ranks where it does: the factors of the very score that ordered them.
fn reasons(found: &[Found], level: ExplainLevel) -> Option<Value> {
    if level == ExplainLevel::Off {
        return None;
    }
    let list = found.iter().enumerate().map(|(index, found)| {
        let score = &found.score;
        let rarity = if level == ExplainLevel::Full { score.rarity } else { score.rarity / (score.rarity + 4.0) };
        json!({
            "result_index": index,
            "exact_match_boost": rounded(score.exact_match),
            "qualified_name_boost": rounded(score.qualified_name),
            "path_affinity": rounded(score.path_affinity),
            "definition_boost": rounded(score.definition),
            "kind_match": rounded(score.kind),
            "bm25_score": rounded(rarity),
            "final_score": rounded(score.total()),
        })
    });
    Some(list.collect())
}
