//! `read_context`: which documents, tasks and code files some words are about.

use std::sync::Arc;

use cruxe_deck::context::{self, Filters, Mode};
use cruxe_model::config::AnswerForm;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ArrayTool;
use super::call::DeckCall;
use crate::answers::{Line, Text, noting};
use crate::app::App;
use crate::contract::{Metadata, ToolError, lexical_only, names};
use crate::tool::{Call, JsonAnswer, Tool, ToolAnswer, ToolSpec};
use crate::toolsets::Toolset;

/// What to look for.
#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Keywords, e.g. 'auth flow'.
    #[schemars(length(min = 1, max = 200))]
    query: String,
    #[serde(default = "five")]
    #[schemars(range(min = 1, max = 50))]
    limit: usize,
    #[schemars(extend("default" = "hybrid"))]
    mode: Option<Wanted>,
    /// Deprecated: mode semantic.
    #[serde(default)]
    semantic: bool,
    /// By frontmatter.
    filters: Option<WantedFilters>,
}

fn five() -> usize {
    5
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Wanted {
    Keyword,
    Semantic,
    Hybrid,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct WantedFilters {
    /// Any of these.
    tags: Option<Vec<String>>,
    priority: Option<String>,
    assignee: Option<String>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used: the answer is written from its parts")]
struct Output {
    results: Vec<Item>,
    metadata: Metadata,
}

#[derive(Serialize, JsonSchema)]
struct Item {
    path: String,
    /// SHA256 of the content.
    hash: String,
    tokens: usize,
    anchors: Vec<String>,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = format!(
        "Find documents, task cards and code files by words and meaning. \
         Each has its size in tokens and its best headings or symbols; read them with {}.",
        names::READ_DOC
    );
    let spec = ToolSpec::new(names::READ_CONTEXT, "Find context", about)
        .numeric_errors()
        .in_set(Toolset::Context)
        .with_types::<Input, Output>();
    let run = move |call: &Call| {
        let input: Input = call.input()?;
        let asked = DeckCall::new(&app, call, names::READ_CONTEXT)?;
        if input.query.trim().is_empty() {
            return Err(ToolError::invalid_input("`query` must not be blank.").with("parameter", "query"));
        }
        let mode = match (input.mode, input.semantic) {
            (Some(Wanted::Keyword), _) => Mode::Keyword,
            (Some(Wanted::Semantic), _) | (None, true) => Mode::Semantic,
            (Some(Wanted::Hybrid), _) | (None, false) => Mode::Hybrid,
        };
        let transformer = if mode == Mode::Keyword { Ok(None) } else { asked.workspace.transformer() };
        let wanted = input.filters.unwrap_or_default();
        let filters =
            Filters { tags: wanted.tags.unwrap_or_default(), priority: wanted.priority, assignee: wanted.assignee };
        let question = context::Question {
            query: &input.query,
            limit: input.limit,
            mode,
            filters,
            transformer: transformer.clone().unwrap_or_default(),
        };
        let view = asked.view()?;
        let found = context::find(&view, &question)?;
        let mut metadata =
            Metadata::of(&view.standing).with("embedding_model", found.model).truncated_if(found.truncated);
        metadata.warnings.extend(found.lexical_only.map(|why| lexical_only(why).to_owned()));
        if found.changed > 0 {
            let changed = format!("{} files changed since they were indexed and are left out", found.changed);
            metadata.warnings.push(changed);
        }
        metadata.warnings.extend(transformer.err());
        let item = |found: context::Found| Item {
            path: found.path,
            hash: found.hash,
            tokens: found.tokens,
            anchors: found.anchors,
        };
        let results: Vec<Item> = found.found.into_iter().map(item).collect();
        match call.form {
            AnswerForm::Json => Ok(ToolAnswer::Json(JsonAnswer::array("results", &results, &metadata)?)),
            AnswerForm::Text => Ok(ToolAnswer::Text(text(&results, &metadata))),
        }
    };
    Arc::new(ArrayTool { spec, run })
}

fn text(results: &[Item], metadata: &Metadata) -> Text {
    let mut text = noting(metadata);
    if results.is_empty() {
        text.note("nothing found");
    }
    for one in results {
        let about = if one.anchors.is_empty() { String::new() } else { format!(": {}", one.anchors.join(", ")) };
        text.push(Line::new().path(&one.path).faint(format!("  {} tokens", one.tokens)).plain(about));
    }
    text
}
