//! How much an answer says.

use cruxe_index::View;
use cruxe_model::facts::Symbol;
use cruxe_query::locate::{self, Definition};
use cruxe_store::FileRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::ToolError;

/// Whether what follows from the rest of an answer is said too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Breadth {
    /// It is left out: models pay by the word.
    #[default]
    Brief,
    /// It is said: a script takes what it needs.
    Full,
}

/// How much each result says.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum DetailLevel {
    /// Where it is.
    Location,
    /// What it is too.
    #[default]
    Signature,
    /// What stands around it too.
    Context,
}

/// How much the results of a list say.
#[derive(Clone, Copy, Debug, Default)]
pub struct Detail {
    /// How much each says.
    pub level: DetailLevel,
    /// Whether large parts are left out.
    pub compact: bool,
    /// Whether what follows from the rest is said too.
    pub breadth: Breadth,
}

impl Detail {
    /// Whether more than the place is wanted.
    pub(super) fn more(&self) -> bool {
        self.level != DetailLevel::Location
    }
}

/// What `detail_level: signature` adds to a place; what is not known is left out.
#[derive(Clone, Default, Serialize, JsonSchema)]
pub(super) struct Declaration {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qualified_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    visibility: Option<&'static str>,
}

impl Declaration {
    /// What a place in a file declares, or stands in.
    pub fn of(file: &FileRow, symbol: Option<&Symbol>, detail: &Detail) -> Declaration {
        if !detail.more() {
            return Declaration::default();
        }
        Declaration {
            qualified_name: symbol.map(|symbol| symbol.qualified_name.clone()),
            signature: symbol.map(|symbol| symbol.signature.clone()).filter(|text| !text.is_empty()),
            language: Some(file.language.clone()),
            visibility: symbol.and_then(locate::visibility),
        }
    }
}

/// A symbol near a result.
#[derive(Clone, Serialize, JsonSchema)]
struct Near {
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
    parent: Option<Near>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_symbols: Vec<Near>,
}

impl Surroundings {
    /// What stands around a symbol; `compact` leaves the large parts out.
    pub fn of(view: &View, found: &Definition, detail: &Detail) -> Result<Surroundings, ToolError> {
        if detail.level != DetailLevel::Context {
            return Ok(Surroundings::default());
        }
        let path = found.file.path.as_str();
        let parent = locate::parent(found).map(|(parent, line)| Near {
            kind: parent.kind.as_str(),
            name: parent.name.clone(),
            path: path.to_owned(),
            line,
        });
        if detail.compact {
            return Ok(Surroundings { parent, ..Surroundings::default() });
        }
        let related = locate::related(view, found, 5)?;
        let near = |near: locate::Related| Near {
            kind: near.kind.as_str(),
            name: near.name,
            path: near.path.into(),
            line: near.line,
        };
        Ok(Surroundings {
            body_preview: locate::preview(view, found),
            parent,
            related_symbols: related.into_iter().map(near).collect(),
        })
    }
}
