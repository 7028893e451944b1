//! `search_code`: what the code does about something, or every line that matches a pattern.

use std::borrow::Cow;
use std::sync::Arc;

use cruxe_model::config::{ExplainLevel, FreshnessPolicy};
use cruxe_query::grep;
use cruxe_query::search;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::{budget, input};
use crate::across::{self, Searching, Several};
use crate::answers::{Breadth, Detail, DetailLevel, PatternAnswer, Render, SearchAnswer, Text};
use crate::app::App;
use crate::ask::{Asked, language, pattern, search_question};
use crate::contract::{ToolError, names};
use crate::tool::{Call, Tool, ToolSpec, typed};

const DEFAULT_LIMIT: u64 = 10;
const MAX_LIMIT: u64 = 1000;
/// How many lines that match a pattern are listed when nothing else is asked for.
const DEFAULT_LINES: u64 = 100;
/// Lines around each where context is asked for.
const CONTEXT: usize = 2;

/// What to look for.
#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Words, a symbol name, a path, an error message, or a "quoted phrase".
    query: String,
    /// Every line that matches a regular expression, instead of `query`.
    pattern: Option<String>,
    #[schemars(extend("default" = "regex"))]
    pattern_type: Option<PatternType>,
    #[schemars(extend("default" = true))]
    case_sensitive: Option<bool>,
    #[serde(rename = "ref")]
    ref_name: Option<String>,
    language: Option<String>,
    kind: Option<String>,
    #[serde(flatten)]
    places: input::Places,
    #[schemars(extend("default" = 10))]
    limit: Option<i64>,
    /// With `pattern`.
    offset: Option<i64>,
    #[schemars(extend("default" = "signature"))]
    detail_level: Option<DetailLevel>,
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

#[derive(Clone, Copy, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum PatternType {
    Regex,
    Literal,
}

/// What was found, one way or the other.
#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Ranked(Box<SearchAnswer>),
    Lines(Box<PatternAnswer>),
}

impl Render for Answer {
    fn text(&self) -> Text {
        match self {
            Answer::Ranked(answer) => answer.text(),
            Answer::Lines(answer) => answer.text(),
        }
    }
}

/// Both are lists of results.
impl JsonSchema for Answer {
    fn schema_name() -> Cow<'static, str> {
        SearchAnswer::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        SearchAnswer::json_schema(generator)
    }
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Find code by what it does: words, a name, a pasted message or report. Ranked places, in text answers \
                 with their code, callers and callees: use it instead of grepping for guesses. With `pattern`: every \
                 matching line, like grep, with the symbol around it.";
    let spec = ToolSpec::new(names::SEARCH_CODE, "Search the code", about).instead("pattern", "query").across();
    typed(spec, move |input: Input, call| match &input.pattern {
        Some(text) => by_pattern(&app, call, &input, text),
        None => by_query(&app, call, &input),
    })
}

fn by_query(app: &App, call: &Call, input: &Input) -> Result<Answer, ToolError> {
    let limit = limit(input)?;
    let language = language(input.language.as_deref())?;
    let filter = input.places.filter(input.kind.as_deref())?;
    let detail =
        Detail { level: input.detail_level.unwrap_or_default(), compact: input.compact, breadth: Breadth::Brief };
    if let Some(several) = Several::of(call) {
        let asking = Searching {
            query: &input.query,
            language,
            filter,
            limit,
            semantic_ratio: input.semantic_ratio.map(|ratio| ratio as f32),
            ref_name: input.ref_name.as_deref(),
            policy: input.freshness_policy,
            detail: &detail,
            source: input::source(call, input.detail_level, input.max_tokens)?,
            level: input.ranking_explain_level.unwrap_or_default(),
        };
        let answer = across::search(app, call, &several, &asking)?;
        let first = |count| Answer::Ranked(Box::new(answer.first(count)));
        return budget::fit(call.form, input.max_tokens, answer.count(), first);
    }
    app.ask(call, input.ref_name.clone(), input.freshness_policy, |asked| {
        let config = &asked.workspace.project.config;
        let (mut question, problem) = search_question(asked.workspace, &input.query, language, limit);
        question.filter = filter;
        question.semantic_ratio = input.semantic_ratio.map(|ratio| ratio as f32).or(question.semantic_ratio);
        let found = search::search(&asked.view, &question)?;
        let level = input.ranking_explain_level.unwrap_or_else(|| config.ranking_explain_level());
        let answer = SearchAnswer::new(&input.query, &asked.view, &asked.layers(), &found, &detail)?
            .warn(problem)
            .with_reasons(&found, level)
            .with_source(&asked.view, &found, input::source(call, input.detail_level, input.max_tokens)?)?;
        let answer = if config.debug.enabled { answer.with_debug(&found) } else { answer };
        budget::fit(call.form, input.max_tokens, answer.count(), |count| Answer::Ranked(Box::new(answer.first(count))))
    })
}

fn by_pattern(app: &App, call: &Call, input: &Input, text: &str) -> Result<Answer, ToolError> {
    if Several::of(call).is_some() {
        let error = ToolError::invalid_input("workspace: a pattern is looked for in one repository");
        return Err(error.with("parameter", "workspace").suggest("Name one workspace, or search with `query`."));
    }
    let literal = input.pattern_type == Some(PatternType::Literal);
    let question = grep::Question {
        pattern: pattern(text, literal, input.case_sensitive.unwrap_or(true))?,
        language: language(input.language.as_deref())?,
        filter: input.places.filter(input.kind.as_deref())?,
        limit: input::limit(input.limit, DEFAULT_LINES, MAX_LIMIT)?,
        offset: input::number("offset", input.offset, 0, 0..=u64::from(u32::MAX))? as usize,
        context: if input.detail_level == Some(DetailLevel::Context) { CONTEXT } else { 0 },
    };
    let detail =
        Detail { level: input.detail_level.unwrap_or_default(), compact: input.compact, breadth: Breadth::Brief };
    let unused = (!input.query.trim().is_empty()).then_some("`query` is not used beside `pattern`");
    app.ask(call, input.ref_name.clone(), input.freshness_policy, |asked: &Asked| {
        let found = grep::find(&asked.view, &asked.layers(), &question)?;
        let answer = PatternAnswer::new(found, question.offset, &detail).warn(unused);
        budget::fit(call.form, input.max_tokens, answer.count(), |count| Answer::Lines(Box::new(answer.first(count))))
    })
}

fn limit(input: &Input) -> Result<usize, ToolError> {
    input::not_empty("query", &input.query)?;
    let of_pattern = [
        ("pattern_type", input.pattern_type.is_some()),
        ("case_sensitive", input.case_sensitive.is_some()),
        ("offset", input.offset.is_some()),
    ];
    if let Some((name, _)) = of_pattern.iter().find(|(_, given)| *given) {
        let message = format!("{name}: has a meaning only with `pattern`");
        return Err(ToolError::invalid_input(message).with("parameter", name));
    }
    match input.semantic_ratio {
        Some(ratio) if !(0.0..=1.0).contains(&ratio) => {
            let message = format!("semantic_ratio: {ratio} is not in 0..=1");
            Err(ToolError::invalid_input(message).with("parameter", "semantic_ratio"))
        }
        _ => input::limit(input.limit, DEFAULT_LIMIT, MAX_LIMIT),
    }
}
