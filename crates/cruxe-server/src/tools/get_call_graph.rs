//! `get_call_graph`: who calls a symbol and whom it calls, and how one reaches another.

use std::sync::Arc;

use cruxe_model::config::FreshnessPolicy;
use cruxe_query::call_graph::{self, MAX_DEPTH, Question};
use cruxe_query::call_path::{self, MAX_PATHS, MAX_STEPS};
use cruxe_query::target::Wanted;
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
    /// With `to`: the shortest paths between the two.
    from: Option<String>,
    to: Option<String>,
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
    /// 1 to 5 steps; of a path up to 12.
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
    let about = "Who calls a function and whom it calls, with all call sites; `from` and `to`: how one reaches the \
                 other. Use it before changing a signature.";
    let spec = ToolSpec::new(names::GET_CALL_GRAPH, "Call graph", about);
    let spec = spec.instead("from", SYMBOLS.one).instead("to", SYMBOLS.one);
    several(spec, SYMBOLS, move |input: Input, call| {
        if let Some((from, to)) = ends(&input)? {
            let (question, depth) = path_question(&input, from, to)?;
            return app.ask(call, input.ref_name, input.freshness_policy, |asked| {
                let found = call_path::find(&asked.view, &question)?;
                let answer = CallGraphAnswer::of_paths(&asked.view, found, Breadth::Brief);
                Ok(answer.clamped(depth, MAX_STEPS))
            });
        }
        let depth = input::number("depth", input.depth, 1, 1..=u64::from(u32::MAX))?;
        let question = question(&input, depth)?;
        app.ask(call, input.ref_name, input.freshness_policy, |asked| {
            let found = call_graph::find(&asked.view, &question)?;
            let answer = CallGraphAnswer::new(None, &asked.view, question.direction, found, Breadth::Brief);
            Ok(answer.clamped(depth, MAX_DEPTH))
        })
    })
}

/// The two ends of the path that is asked for, if one is. Where only one is given, the symbol is the other.
fn ends(input: &Input) -> Result<Option<(Wanted, Wanted)>, ToolError> {
    let given = |name: &Option<String>| {
        let name = name.as_deref().map(str::trim).filter(|name| !name.is_empty())?;
        Some(Wanted { name: name.to_owned(), path: None, line: None })
    };
    let refused = |parameter: &str, why: &str| {
        Err(ToolError::invalid_input(format!("{parameter}: {why}")).with("parameter", parameter))
    };
    let is_named = input.symbol_id.is_some() || !input.symbol_name.trim().is_empty();
    let (from, to) = match (given(&input.from), given(&input.to)) {
        (None, None) => return Ok(None),
        (Some(_), None) if !is_named => return refused("to", "a path has two ends; give both `from` and `to`"),
        (None, Some(_)) if !is_named => return refused("from", "a path has two ends; give both `from` and `to`"),
        (Some(from), None) => return Ok(Some((from, named(input)?))),
        (None, Some(to)) => return Ok(Some((named(input)?, to))),
        (Some(from), Some(to)) => (from, to),
    };
    let symbol = input.symbol_id.as_deref().unwrap_or(&input.symbol_name).trim();
    if ![&from.name, &to.name, ""].contains(&symbol) {
        return refused("symbol_name", "with both `from` and `to` there is no third symbol; leave it out");
    }
    if input.path.is_some() || input.line.is_some() {
        return refused(
            "path",
            "with both `from` and `to` it is not clear whose it is; give qualified names or symbol_ids",
        );
    }
    Ok(Some((from, to)))
}

fn path_question(input: &Input, from: Wanted, to: Wanted) -> Result<(call_path::Question, u64), ToolError> {
    let depth = input::number("depth", input.depth, u64::from(MAX_STEPS), 1..=u64::from(u32::MAX))?;
    let question = call_path::Question {
        from,
        to,
        depth: depth.min(u64::from(MAX_STEPS)) as u32,
        filter: input.places.filter(input.kind.as_deref())?,
        limit: input::limit(input.limit, MAX_PATHS as u64, MAX_LIMIT)?,
    };
    Ok((question, depth))
}

/// The symbol.
fn named(input: &Input) -> Result<Wanted, ToolError> {
    input::wanted(&input.symbol_name, input.symbol_id.as_deref(), input.path.clone(), input.line)
}

fn question(input: &Input, depth: u64) -> Result<Question, ToolError> {
    Ok(Question {
        wanted: named(input)?,
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
