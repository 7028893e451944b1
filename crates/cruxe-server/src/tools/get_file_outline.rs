//! `get_file_outline`: what a file contains.

use std::sync::Arc;

use cruxe_model::config::FreshnessPolicy;
use cruxe_query::outline::{self, Depth, OutlineSymbol};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::contract::{Metadata, ToolError, names};
use crate::tool::{Tool, ToolSpec, typed};

/// Which file.
#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Relative to the repository root.
    path: String,
    #[serde(rename = "ref")]
    ref_name: Option<String>,
    #[serde(default)]
    #[schemars(extend("default" = "all"))]
    depth: Wanted,
    #[serde(rename = "language")]
    _language: Option<String>,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Wanted {
    Top,
    #[default]
    All,
}

/// Its definitions.
#[derive(Serialize, JsonSchema)]
struct Output {
    file_path: String,
    language: String,
    symbols: Vec<Entry>,
    metadata: Metadata,
}

/// A definition with what it contains. The schema stops at the first level: it would have no end.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
struct Entry(#[schemars(with = "EntrySchema")] OutlineSymbol);

#[derive(JsonSchema, Serialize)]
struct EntrySchema {
    kind: String,
    name: String,
    line_start: u32,
    line_end: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    visibility: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    /// Entries of the same form.
    #[serde(skip_serializing_if = "Option::is_none")]
    children: Option<Vec<serde_json::Map<String, serde_json::Value>>>,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Symbol tree of a file with exact lines and signatures. Cheaper than reading the file.";
    typed(
        ToolSpec::new(names::GET_FILE_OUTLINE, "File outline", about).quick(),
        move |input: Input, call| -> Result<Output, ToolError> {
            let workspace = app.workspace(call)?;
            let ref_name = App::ref_name(&workspace, call, input.ref_name);
            let view = App::view(&workspace, call, ref_name.as_deref(), FreshnessPolicy::Balanced)?;
            let depth = match input.depth {
                Wanted::Top => Depth::Top,
                Wanted::All => Depth::All,
            };
            let outline = outline::outline(&view, &input.path, depth)?;
            let mut metadata = Metadata::of(&view.standing).with("symbol_count", outline.count);
            metadata.warnings.extend(outline.problems.map(|problem| format!("{}: {problem}", outline.path)));
            Ok(Output {
                file_path: outline.path.into(),
                language: outline.language,
                symbols: outline.symbols.into_iter().map(Entry).collect(),
                metadata,
            })
        },
    )
}
