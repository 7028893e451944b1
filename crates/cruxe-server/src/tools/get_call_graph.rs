//! `get_call_graph`: who calls a symbol and whom it calls.

use std::sync::Arc;

use cruxe_model::config::FreshnessPolicy;
use cruxe_query::call_graph::{self, Answer, Edge, MAX_DEPTH, Question};
use cruxe_query::references::Confidence;
use cruxe_query::symbol::SymbolRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find_references::{number, wanted};
use crate::app::App;
use crate::contract::{Metadata, ToolError, names};
use crate::tool::{Tool, ToolSpec, typed};

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

/// The symbol and its calls.
#[derive(Serialize, JsonSchema)]
struct Output {
    symbol: SymbolRef,
    callers: Vec<Call>,
    callees: Vec<Call>,
    total_edges: usize,
    truncated: bool,
    /// Other definitions of the name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<SymbolRef>,
    metadata: Metadata,
}

/// A call.
#[derive(Serialize, JsonSchema)]
struct Call {
    symbol: SymbolRef,
    call_site: Site,
    confidence: Confidence,
    depth: u32,
    /// Beyond the first step: the symbol_id one step nearer that it calls or is called by.
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<String>,
}

/// Where the call stands.
#[derive(Serialize, JsonSchema)]
struct Site {
    file: String,
    line: u32,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Who calls a function and whom it calls, with call sites, confidence and tests marked. Use it before \
                 changing a signature.";
    typed(ToolSpec::new(names::GET_CALL_GRAPH, "Call graph", about), move |input: Input, call| {
        let workspace = app.workspace(call)?;
        let (question, clamped) = question(&input)?;
        let ref_name = App::ref_name(&workspace, call, input.ref_name.clone());
        let policy = input.freshness_policy.unwrap_or(workspace.project.config.query.freshness_policy);
        let view = App::view(&workspace, call, ref_name.as_deref(), policy)?;
        let answer = call_graph::find(&view, &question)?;
        let mut metadata = Metadata::of(&view.standing).truncated_if(answer.truncated);
        metadata.warnings.extend(clamped);
        metadata.warnings.extend(answer.target.warning(&answer.target.symbol.name));
        if answer.cut {
            let warning = "the graph was too large to be followed to its end; total_edges counts what was seen. \
                           Ask for a smaller depth or one direction";
            metadata.warnings.push(warning.to_owned());
        }
        Ok(output(answer, metadata))
    })
}

fn output(answer: Answer, metadata: Metadata) -> Output {
    Output {
        callers: answer.callers.into_iter().map(shown).collect(),
        callees: answer.callees.into_iter().map(shown).collect(),
        total_edges: answer.total_edges,
        truncated: answer.truncated,
        candidates: answer.target.candidates,
        symbol: answer.target.symbol,
        metadata: metadata.with("unresolved_mentions", answer.unresolved),
    }
}

fn shown(edge: Edge) -> Call {
    Call {
        symbol: edge.symbol,
        call_site: Site { file: edge.file, line: edge.line },
        confidence: edge.confidence,
        depth: edge.depth,
        via: (edge.depth > 1).then_some(edge.via),
    }
}

/// The question, and what to tell when the depth was out of bounds.
fn question(input: &Input) -> Result<(Question, Option<String>), ToolError> {
    let asked = number("depth", input.depth, 1, 1..=u64::from(u32::MAX))?;
    let depth = asked.min(u64::from(MAX_DEPTH)) as u32;
    let clamped = (asked > u64::from(MAX_DEPTH)).then(|| format!("depth {asked} was clamped to {MAX_DEPTH}"));
    let question = Question {
        wanted: wanted(&input.symbol_name, input.symbol_id.as_deref(), input.path.clone(), input.line)?,
        direction: match input.direction {
            Direction::Callers => call_graph::Direction::Callers,
            Direction::Callees => call_graph::Direction::Callees,
            Direction::Both => call_graph::Direction::Both,
        },
        depth,
        limit: number("limit", input.limit, DEFAULT_LIMIT, 1..=MAX_LIMIT)? as usize,
    };
    Ok((question, clamped))
}
