//! How a question is put to a workspace: the ref that is meant, as current as was asked for.

use std::sync::Arc;

use cruxe_index::{Layers, View, Workspace};
use cruxe_model::config::FreshnessPolicy;
use cruxe_query::search;

use crate::app::App;
use crate::contract::ToolError;
use crate::tool::Call;

/// A ref of a workspace, ready to be asked about.
pub struct Asked<'w> {
    /// The workspace.
    pub workspace: &'w Arc<Workspace>,
    /// The ref as it is published.
    pub view: View<'w>,
}

impl App {
    /// Puts a question about the ref that a call names, else the session's, else what is checked out. Where the call
    /// names no policy, the workspace's counts. The call's errors say how current the ref was.
    pub fn ask<T>(
        &self,
        call: &Call,
        ref_name: Option<String>,
        policy: Option<FreshnessPolicy>,
        answer: impl FnOnce(&Asked) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        let workspace = self.workspace(call)?;
        let ref_name = App::ref_name(&workspace, call, ref_name);
        let policy = policy.unwrap_or(workspace.project.config.query.freshness_policy);
        let view = workspace.view(ref_name.as_deref(), policy)?.with_work(&call.work);
        call.note_freshness(&view.standing);
        answer(&Asked { workspace: &workspace, view })
    }
}

impl Asked<'_> {
    /// Which files are the ref's own.
    pub fn layers(&self) -> Layers {
        layers(self.workspace, &self.view)
    }
}

/// Which files of a view are its ref's own.
pub fn layers(workspace: &Workspace, view: &View) -> Layers {
    view.published.as_ref().map_or(Layers::None, |published| workspace.layers(&published.state))
}

/// A search as the workspace's configuration wants it, and why its transformer cannot be used, where it cannot.
pub fn search_question(
    workspace: &Workspace,
    query: &str,
    language: Option<String>,
    limit: usize,
) -> (search::Question, Option<String>) {
    let semantic = &workspace.project.config.semantic;
    let (transformer, problem) = match workspace.transformer() {
        Ok(transformer) => (transformer, None),
        Err(problem) => (None, Some(problem)),
    };
    let semantic_ratio = if semantic.enabled { semantic.ratio } else { Some(0.0) };
    let question = search::Question { query: query.to_owned(), language, limit, semantic_ratio, transformer };
    (question, problem)
}
