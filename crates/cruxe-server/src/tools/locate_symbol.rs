//! `locate_symbol`: where a name is defined.

use std::sync::Arc;

use cruxe_model::config::{ExplainLevel, FreshnessPolicy};
use cruxe_query::locate::{self, Question};
use schemars::JsonSchema;
use serde::Deserialize;

use super::several::{Names, several};
use super::{budget, input};
use crate::across::{self, Locating, Several};
use crate::answers::{Breadth, Detail, DetailLevel, LocateAnswer};
use crate::app::App;
use crate::ask::language;
use crate::contract::{ToolError, names};
use crate::tool::{Tool, ToolSpec};

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
    #[serde(flatten)]
    places: input::Places,
    language: Option<String>,
    #[serde(rename = "ref")]
    ref_name: Option<String>,
    #[schemars(extend("default" = 10))]
    limit: Option<i64>,
    #[schemars(extend("default" = "signature"))]
    detail_level: Option<DetailLevel>,
    #[serde(default)]
    compact: bool,
    max_tokens: Option<i64>,
    #[schemars(extend("default" = "balanced"))]
    freshness_policy: Option<FreshnessPolicy>,
    #[schemars(extend("default" = "off"))]
    ranking_explain_level: Option<ExplainLevel>,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Where a name is defined, instead of grepping for it: best match first, other case, prefix or typo \
                 where none is exact.";
    let spec = ToolSpec::new(names::LOCATE_SYMBOL, "Locate a symbol", about).quick().across();
    let symbols = Names { many: "symbols", one: "name", beside_one: &[], what: "symbol" };
    several(spec, symbols, move |input: Input, call| {
        let question = question(&input)?;
        let detail =
            Detail { level: input.detail_level.unwrap_or_default(), compact: input.compact, breadth: Breadth::Brief };
        if let Some(several) = Several::of(call) {
            let asking = Locating {
                question: &question,
                ref_name: input.ref_name.as_deref(),
                policy: input.freshness_policy,
                detail: &detail,
                source: input::source(call, input.detail_level, input.max_tokens)?,
                level: input.ranking_explain_level.unwrap_or_default(),
            };
            let answer = across::locate(&app, call, &several, &asking)?;
            return budget::fit(call.form, input.max_tokens, answer.count(), |count| answer.first(count));
        }
        app.ask(call, input.ref_name, input.freshness_policy, |asked| {
            let config = &asked.workspace.project.config;
            let found = locate::locate(&asked.view, &question)?;
            let level = input.ranking_explain_level.unwrap_or_else(|| config.ranking_explain_level());
            let hidden = locate::hidden(&asked.view, &question)?;
            let answer = LocateAnswer::new(&input.name, &asked.view, &asked.layers(), &found, &detail)?
                .with_elsewhere(&locate::elsewhere(&asked.view, &question, &found)?)
                .with_hidden(hidden.as_ref())
                .with_unread(locate::unread(&asked.view, &question, &found)?.as_ref())
                .with_reasons(&found, level)
                .with_source(&asked.view, &found, input::source(call, input.detail_level, input.max_tokens)?)?;
            budget::fit(call.form, input.max_tokens, answer.count(), |count| answer.first(count))
        })
    })
}

fn question(input: &Input) -> Result<Question, ToolError> {
    input::not_empty("name", &input.name)?;
    let limit = input::limit(input.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let filter = input.places.filter(input.kind.as_deref())?;
    Ok(Question { name: input.name.clone(), language: language(input.language.as_deref())?, filter, limit })
}
