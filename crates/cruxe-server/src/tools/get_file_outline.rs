//! `get_file_outline`: what a file contains.

use std::sync::Arc;

use cruxe_model::config::FreshnessPolicy;
use cruxe_query::outline::{self, Depth};
use schemars::JsonSchema;
use serde::Deserialize;

use super::several::{Names, several};
use crate::answers::OutlineAnswer;
use crate::app::App;
use crate::contract::names;
use crate::tool::{Tool, ToolSpec};

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

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Symbol tree of a file with exact lines and signatures. Cheaper than reading the file.";
    let spec = ToolSpec::new(names::GET_FILE_OUTLINE, "File outline", about).quick();
    let files = Names { many: "files", one: "path", beside_one: &[], what: "file" };
    several(spec, files, move |input: Input, call| {
        let depth = match input.depth {
            Wanted::Top => Depth::Top,
            Wanted::All => Depth::All,
        };
        app.ask(call, input.ref_name, Some(FreshnessPolicy::Balanced), |asked| {
            Ok(OutlineAnswer::new(&asked.view, outline::outline(&asked.view, &input.path, depth)?))
        })
    })
}
