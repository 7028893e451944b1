//! `find_references`: every use of a symbol.

use std::sync::Arc;

use cruxe_model::config::FreshnessPolicy;
use cruxe_query::references::{self, Question};
use schemars::JsonSchema;
use serde::Deserialize;

use super::input;
use super::several::{SYMBOLS, several};
use crate::across::{self, Several};
use crate::answers::{Breadth, MOST_UNRESOLVED, ReferencesAnswer};
use crate::app::App;
use crate::contract::{ToolError, UseKind, names};
use crate::tool::{Tool, ToolSpec};

/// How many references are listed when nothing else is asked for, and at most.
const DEFAULT_LIMIT: u64 = 20;
const MAX_LIMIT: u64 = 1000;

/// Kinds that are no edge types of the contract.
const RELATIONS: &[&str] =
    &["subtypes", "supertypes", "overrides", "overridden", "decorates", "constructs", "reads", "writes"];

/// Which symbol, and which of its uses.
#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Plain or qualified name.
    symbol_name: String,
    /// From another answer; counts before the name.
    symbol_id: Option<String>,
    /// File of the definition.
    path: Option<String>,
    line: Option<i64>,
    kind: Option<UseKind>,
    /// One step of a relation, not all.
    direct: Option<bool>,
    #[serde(flatten)]
    places: input::Places,
    #[serde(rename = "ref")]
    ref_name: Option<String>,
    #[schemars(extend("default" = 20))]
    limit: Option<i64>,
    offset: Option<i64>,
    /// List the unresolved mentions too, each with its reason.
    include_unresolved: Option<bool>,
    #[schemars(extend("default" = "balanced"))]
    freshness_policy: Option<FreshnessPolicy>,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Every use of a symbol, told from others of the same name by scope, import and type, which grep \
                 cannot. `kind` narrows it down. No use and none unresolved means unused.";
    let spec = ToolSpec::new(names::FIND_REFERENCES, "Find references", about).beyond("kind", RELATIONS).across();
    several(spec, SYMBOLS, move |input: Input, call| {
        let question = question(&input)?;
        if let Some(several) = Several::of(call) {
            if question.relation.is_some() || question.offset > 0 || question.unresolved > 0 {
                let problem = "workspace: over several repositories there are uses alone: no relation, offset or include_unresolved";
                return Err(ToolError::invalid_input(problem).with("parameter", "workspace"));
            }
            let meant = (input.ref_name.as_deref(), input.freshness_policy);
            return across::references(&app, call, &several, &question, meant);
        }
        app.ask(call, input.ref_name, input.freshness_policy, |asked| {
            let found = references::find(&asked.view, &asked.layers(), &question)?;
            Ok(ReferencesAnswer::new(None, &asked.view, &question, found, Breadth::Brief))
        })
    })
}

fn question(input: &Input) -> Result<Question, ToolError> {
    Ok(Question {
        wanted: input::wanted(&input.symbol_name, input.symbol_id.as_deref(), input.path.clone(), input.line)?,
        edge: input.kind.and_then(UseKind::edge),
        relation: input.kind.and_then(UseKind::relation),
        direct: input.direct == Some(true),
        filter: input.places.filter(None)?,
        limit: input::limit(input.limit, DEFAULT_LIMIT, MAX_LIMIT)?,
        offset: input::number("offset", input.offset, 0, 0..=u64::from(u32::MAX))? as usize,
        unresolved: if input.include_unresolved == Some(true) { MOST_UNRESOLVED } else { 0 },
    })
}
