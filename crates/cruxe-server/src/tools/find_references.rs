//! `find_references`: every use of a symbol.

use std::sync::Arc;

use cruxe_model::SourceLayer;
use cruxe_model::config::FreshnessPolicy;
use cruxe_query::references::{self, Confidence, EdgeType, Question, Reference};
use cruxe_query::symbol::SymbolRef;
use cruxe_query::target::Wanted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shape;
use crate::app::App;
use crate::contract::{Metadata, ToolError, names};
use crate::tool::{Tool, ToolSpec, typed};

/// How many references are listed when nothing else is asked for, and at most.
const DEFAULT_LIMIT: u64 = 20;
const MAX_LIMIT: u64 = 1000;

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
    kind: Option<EdgeType>,
    #[serde(rename = "ref")]
    ref_name: Option<String>,
    #[schemars(extend("default" = 20))]
    limit: Option<i64>,
    offset: Option<i64>,
    #[schemars(extend("default" = "balanced"))]
    freshness_policy: Option<FreshnessPolicy>,
}

/// The symbol and its uses.
#[derive(Serialize, JsonSchema)]
struct Output {
    symbol: SymbolRef,
    references: Vec<Use>,
    total_references: usize,
    /// Other definitions of the name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<SymbolRef>,
    metadata: Metadata,
}

/// A use.
#[derive(Serialize, JsonSchema)]
struct Use {
    path: String,
    line_start: u32,
    edge_type: EdgeType,
    confidence: Confidence,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_layer: Option<SourceLayer>,
    context: String,
    from_symbol: Holder,
}

/// The symbol that a use stands in; its file is the use's.
#[derive(Serialize, JsonSchema)]
struct Holder {
    symbol_id: String,
    symbol_stable_id: String,
    name: String,
    qualified_name: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_test: bool,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Every use of a symbol, resolved by scope, import and type, not by text, with the line and the symbol \
                 around it. metadata.unresolved_mentions counts uses of the name that could not be told: 0 found and \
                 0 unresolved means unused.";
    typed(ToolSpec::new(names::FIND_REFERENCES, "Find references", about), move |input: Input, call| {
        let workspace = app.workspace(call)?;
        let question = question(&input)?;
        let ref_name = App::ref_name(&workspace, call, input.ref_name.clone());
        let policy = input.freshness_policy.unwrap_or(workspace.project.config.query.freshness_policy);
        let view = App::view(&workspace, call, ref_name.as_deref(), policy)?;
        let answer = references::find(&view, &shape::layers(&workspace, &view), &question)?;
        let listed = question.offset + answer.references.len();
        let mut metadata = Metadata::of(&view.standing).late_if(answer.late).truncated_if(answer.total > listed);
        metadata.warnings.extend(answer.target.warning(&answer.target.symbol.name));
        let metadata = metadata.with("unresolved_mentions", answer.unresolved);
        let metadata = if answer.total > listed { metadata.with("next_offset", listed) } else { metadata };
        Ok(Output {
            references: answer.references.into_iter().map(shown).collect(),
            total_references: answer.total,
            candidates: answer.target.candidates,
            symbol: answer.target.symbol,
            metadata,
        })
    })
}

fn shown(reference: Reference) -> Use {
    let from = reference.from;
    Use {
        path: reference.path,
        line_start: reference.line,
        edge_type: reference.edge,
        confidence: reference.confidence,
        source_layer: reference.layer,
        context: reference.context,
        from_symbol: Holder {
            symbol_id: from.symbol_id,
            symbol_stable_id: from.symbol_stable_id,
            name: from.name,
            qualified_name: from.qualified_name,
            kind: from.kind,
            is_test: from.is_test,
        },
    }
}

fn question(input: &Input) -> Result<Question, ToolError> {
    Ok(Question {
        wanted: wanted(&input.symbol_name, input.symbol_id.as_deref(), input.path.clone(), input.line)?,
        edge: input.kind,
        limit: number("limit", input.limit, DEFAULT_LIMIT, 1..=MAX_LIMIT)? as usize,
        offset: number("offset", input.offset, 0, 0..=u64::from(u32::MAX))? as usize,
    })
}

/// The symbol that two parameters name between them.
pub(super) fn wanted(
    name: &str,
    id: Option<&str>,
    path: Option<String>,
    line: Option<i64>,
) -> Result<Wanted, ToolError> {
    let name = Some(id.unwrap_or(name).trim()).filter(|name| !name.is_empty()).ok_or_else(|| {
        ToolError::invalid_input("symbol_name: give the name of a symbol, or its symbol_id")
            .with("parameter", "symbol_name")
    })?;
    let line = match line {
        None => None,
        Some(_) => Some(number("line", line, 1, 1..=u64::from(u32::MAX))? as u32),
    };
    Ok(Wanted { name: name.to_owned(), path, line })
}

/// A number within bounds; an error names the parameter.
pub(super) fn number(
    parameter: &str,
    given: Option<i64>,
    default: u64,
    allowed: std::ops::RangeInclusive<u64>,
) -> Result<u64, ToolError> {
    let Some(given) = given else { return Ok(default) };
    u64::try_from(given).ok().filter(|number| allowed.contains(number)).ok_or_else(|| {
        let (low, high) = (allowed.start(), allowed.end());
        ToolError::invalid_input(format!("{parameter}: {given} is not in {low}..={high}")).with("parameter", parameter)
    })
}
