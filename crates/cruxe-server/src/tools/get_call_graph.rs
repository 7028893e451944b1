//! `get_call_graph`: who calls a symbol and whom it calls.

use std::sync::Arc;

use cruxe_model::config::FreshnessPolicy;
use cruxe_query::call_graph::{self, MAX_DEPTH, Question};
use schemars::JsonSchema;
use serde::Deserialize;

use super::input;
use super::several::{SYMBOLS, several};
use crate::answers::{Breadth, CallGraphAnswer};
use crate::app::App;
use crate::contract::{ToolError, names};
use crate::tool::{Tool, ToolSpec};

/// How many edges are listed each way when nothing else is asked for, and at most.
const DEFAULT_LIMIT: u64 = 20;
const MAX_LIMIT: u64 = 1000;

/// Which symbol, which way and how far.
#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Plain or qualified name.
    symbol_name: String,
    /// From another answer; counts before the name.
    symbol_id: Option<String>,
    /// File of the definition.
    path: Option<String>,
    line: Option<i64>,
    kind: Option<String>,
    #[serde(flatten)]
    places: input::Places,
    #[serde(rename = "ref")]
    ref_name: Option<String>,
    #[serde(default)]
    #[schemars(extend("default" = "both"))]
    direction: Direction,
    /// 1 to 5 steps.
    #[schemars(extend("default" = 1))]
    depth: Option<i64>,
    #[schemars(extend("default" = 20))]
    limit: Option<i64>,
    #[schemars(extend("default" = "balanced"))]
    freshness_policy: Option<FreshnessPolicy>,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Direction {
    Callers,
    Callees,
    #[default]
    Both,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Who calls a function and whom it calls, with call sites, confidence and tests marked. Use it before \
                 changing a signature.";
    let spec = ToolSpec::new(names::GET_CALL_GRAPH, "Call graph", about);
    several(spec, SYMBOLS, move |input: Input, call| {
        let depth = input::number("depth", input.depth, 1, 1..=u64::from(u32::MAX))?;
        let question = question(&input, depth)?;
        app.ask(call, input.ref_name, input.freshness_policy, |asked| {
            let found = call_graph::find(&asked.view, &question)?;
            let answer = CallGraphAnswer::new(None, &asked.view, question.direction, found, Breadth::Brief);
            Ok(answer.clamped(depth, MAX_DEPTH))
        })
    })
}

fn question(input: &Input, depth: u64) -> Result<Question, ToolError> {
    Ok(Question {
        wanted: input::wanted(&input.symbol_name, input.symbol_id.as_deref(), input.path.clone(), input.line)?,
        direction: match input.direction {
            Direction::Callers => call_graph::Direction::Callers,
            Direction::Callees => call_graph::Direction::Callees,
            Direction::Both => call_graph::Direction::Both,
        },
        depth: depth.min(u64::from(MAX_DEPTH)) as u32,
        filter: input.places.filter(input.kind.as_deref())?,
        limit: input::limit(input.limit, DEFAULT_LIMIT, MAX_LIMIT)?,
    })
}
