//! `get_file_outline`: what a file contains.

use std::sync::Arc;

use cruxe_model::config::{AnswerForm, FreshnessPolicy};
use cruxe_query::outline::{self, Depth, Part};
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
    /// Only this symbol, with its fields.
    symbol: Option<String>,
    /// Imports and tests too; text answers leave them out.
    everything: Option<bool>,
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
    let about = "What a file defines, with lines and signatures; `symbol`: one type with its fields. Cheaper than \
                 reading the file.";
    let spec = ToolSpec::new(names::GET_FILE_OUTLINE, "File outline", about).quick();
    let files = Names { many: "files", one: "path", beside_one: &[], what: "file" };
    several(spec, files, move |input: Input, call| {
        let depth = match input.depth {
            Wanted::Top => Depth::Top,
            Wanted::All => Depth::All,
        };
        app.ask(call, input.ref_name, Some(FreshnessPolicy::Balanced), |asked| {
            let all = input.everything.unwrap_or(call.form == AnswerForm::Json);
            let part = Part { depth, symbol: input.symbol, imports: all, tests: all };
            Ok(OutlineAnswer::new(&asked.view, outline::outline(&asked.view, &input.path, &part)?))
        })
    })
}
