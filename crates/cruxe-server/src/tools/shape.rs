//! What results of several tools have in common: how much they say, and what stands around a symbol.

use crate::contract::ToolError;
use cruxe_index::{Layers, View, Workspace};
use cruxe_query::locate::{self, Definition};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much each result says.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum DetailLevel {
    Location,
    #[default]
    Signature,
    Context,
}

/// A symbol near a result.
#[derive(Clone, Serialize, JsonSchema)]
pub(super) struct Place {
    kind: &'static str,
    name: String,
    path: String,
    line: u32,
}

/// What `detail_level: context` adds to a symbol; what is not known is left out.
#[derive(Clone, Default, Serialize, JsonSchema)]
pub(super) struct Surroundings {
    #[serde(skip_serializing_if = "Option::is_none")]
    body_preview: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<Place>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_symbols: Vec<Place>,
}

impl Surroundings {
    /// What stands around a symbol; `compact` leaves the large parts out.
    pub fn of(view: &View, found: &Definition, detail: DetailLevel, compact: bool) -> Result<Surroundings, ToolError> {
        if detail != DetailLevel::Context {
            return Ok(Surroundings::default());
        }
        let path = found.file.path.as_str();
        let parent = locate::parent(found).map(|(parent, line)| Place {
            kind: parent.kind.as_str(),
            name: parent.name.clone(),
            path: path.to_owned(),
            line,
        });
        if compact {
            return Ok(Surroundings { parent, ..Surroundings::default() });
        }
        let related = locate::related(view, found, 5)?;
        let place = |near: locate::Related| Place {
            kind: near.kind.as_str(),
            name: near.name,
            path: near.path.into(),
            line: near.line,
        };
        Ok(Surroundings {
            body_preview: locate::preview(view, found),
            parent,
            related_symbols: related.into_iter().map(place).collect(),
        })
    }
}

/// Which files of a view are its ref's own.
pub(super) fn layers(workspace: &Workspace, view: &View) -> Layers {
    view.published.as_ref().map_or(Layers::None, |published| workspace.layers(&published.state))
}

/// Checks a number of results.
pub(super) fn limit(asked: Option<i64>, default: u64, most: u64) -> Result<usize, ToolError> {
    let limit = match asked {
        None => default,
        Some(limit) => u64::try_from(limit).ok().filter(|limit| (1..=most).contains(limit)).ok_or_else(|| {
            ToolError::invalid_input(format!("limit: {limit} is not in 1..={most}")).with("parameter", "limit")
        })?,
    };
    Ok(limit as usize)
}

/// Four digits are enough to compare.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}
