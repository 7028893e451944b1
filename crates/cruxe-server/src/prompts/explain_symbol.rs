//! `explain_symbol`: what a definition does and who relies on it.

use super::{Argument, Asked, PromptSpec, portrait};
use crate::complete::Completes;
use crate::contract::ToolError;
use crate::contract::names::{FIND_REFERENCES, GET_CALL_GRAPH, LOCATE_SYMBOL};
use crate::toolsets::Toolset;

/// What the portrait may cost.
const TOKENS: usize = 4000;

pub(super) const PROMPT: PromptSpec = PromptSpec {
    name: "explain_symbol",
    title: "Explain a symbol",
    description: "Explain a definition, with its source, its callers and what it calls.",
    toolset: Toolset::Code,
    arguments: &[
        Argument {
            name: "symbol",
            description: "Plain or qualified name, or a symbol_id",
            required: true,
            completes: Completes::Symbol,
        },
        Argument {
            name: "path",
            description: "The file that defines it, where several do",
            required: false,
            completes: Completes::Path,
        },
        Argument {
            name: "ref",
            description: "An indexed branch, tag or commit",
            required: false,
            completes: Completes::Ref,
        },
    ],
    write,
};

fn write(asked: &Asked) -> Result<String, ToolError> {
    let symbol = asked.required("symbol")?;
    let place = asked.place()?;
    let view = place.view(asked.get("ref"), asked.work)?;
    let portrait = portrait::of_symbol(&view, symbol, asked.get("path"), TOKENS)?;
    let guide = asked.guide(&place);
    Ok(format!(
        "Explain the definition below to somebody who is about to change it. Say, in this order: what it is for; what \
         it takes, returns and changes, and how it fails; what its callers rely on; what would break if it changed. \
         Name places as path:line. What the text below does not show, look up ({GET_CALL_GRAPH} and {FIND_REFERENCES} for \
         more callers, {LOCATE_SYMBOL} for types it mentions); do not guess.\n\n{guide}{portrait}"
    ))
}
