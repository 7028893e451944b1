//! `read_doc`: a document, or a section of it.

use std::sync::Arc;

use cruxe_model::RepoPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call::DeckCall;
use crate::answers::{Line, Render, Text, noting};
use crate::app::App;
use crate::contract::{Metadata, ToolError, names};
use crate::tool::{Tool, ToolSpec, typed};
use crate::toolsets::Toolset;

/// Which document.
#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Relative path of a .md file.
    #[schemars(regex(pattern = r"^[^.][a-zA-Z0-9_/.\-]+\.md$"))]
    path: String,
    /// Heading of the section.
    #[schemars(length(max = 100))]
    anchor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    path: String,
    content: String,
    anchor: Option<String>,
    tokens: usize,
    /// SHA256.
    hash: String,
    cached: bool,
    line_range: Option<LineRange>,
    metadata: Metadata,
}

#[derive(Serialize, JsonSchema)]
struct LineRange {
    start: u32,
    end: u32,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Read a markdown document, or only the section under a heading.";
    let spec =
        ToolSpec::new(names::READ_DOC, "Read a document", about).quick().numeric_errors().in_set(Toolset::Context);
    typed(spec, move |input: Input, call| -> Result<Output, ToolError> {
        let asked = DeckCall::new(&app, call, names::READ_DOC)?;
        let refused = |problem: String| ToolError::invalid_input(problem).with("parameter", "path");
        let path = RepoPath::parse(&input.path).map_err(|problem| refused(problem.to_string()))?;
        let excerpt = asked.deck.documents().read(&path, input.anchor.as_deref(), &|| others(&asked))?;
        Ok(Output {
            path: excerpt.path,
            content: excerpt.content,
            anchor: excerpt.anchor,
            tokens: excerpt.tokens,
            hash: excerpt.hash,
            cached: excerpt.cached,
            line_range: excerpt.lines.map(|(start, end)| LineRange { start, end }),
            metadata: asked.metadata(),
        })
    })
}

/// The documents of the workspace as they are now.
fn others(asked: &DeckCall) -> Vec<String> {
    let listing = asked.workspace.project.scan().unwrap_or_default();
    let files = listing.files.into_iter().map(|file| String::from(file.path));
    files.filter(|path| path.ends_with(".md") && !path.starts_with('.')).collect()
}

impl Render for Output {
    fn text(&self) -> Text {
        let mut text = noting(&self.metadata);
        let lines = self.line_range.as_ref().map(|lines| format!(":{}-{}", lines.start, lines.end)).unwrap_or_default();
        text.push(Line::new().path(format!("{}{lines}", self.path)).faint(format!("  {} tokens", self.tokens)));
        self.content.lines().for_each(|line| text.push(Line::new().plain(line)));
        text
    }
}
