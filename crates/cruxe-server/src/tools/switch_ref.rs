//! `switch_ref`: the ref of later questions that name none.

use std::sync::Arc;

use cruxe_index::IndexError;
use cruxe_model::config::FreshnessPolicy;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::RefStatusWord;
use crate::answers::{Line, Render, Text, noting};
use crate::app::App;
use crate::contract::{ErrorCode, Metadata, ToolError, names};
use crate::tool::{Tool, ToolSpec, typed};

/// Where to.
#[derive(Deserialize, JsonSchema)]
struct Input {
    #[serde(rename = "ref")]
    ref_name: String,
}

/// Where the session stands now.
#[derive(Serialize, JsonSchema)]
struct Output {
    #[serde(rename = "ref")]
    ref_name: String,
    previous_ref: String,
    /// A folder with the files of the ref.
    worktree_path: String,
    status: RefStatusWord,
    last_indexed_commit: Option<String>,
    metadata: Metadata,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Make an indexed ref the default of this session's later calls; answers with a folder of its files. \
                 Your work tree stays as it is.";
    typed(ToolSpec::new(names::SWITCH_REF, "Switch ref", about).writes(), move |input: Input, call| {
        let workspace = app.workspace(call)?;
        let project = &workspace.project;
        let asked = input.ref_name.trim();
        if asked.is_empty() {
            return Err(ToolError::invalid_input("ref: must not be empty").with("parameter", "ref"));
        }
        call.session.scope().check_ref(&workspace, asked)?;
        let view = workspace.view(Some(asked), FreshnessPolicy::BestEffort);
        let busy = workspace.active_job().map_err(IndexError::from)?;
        let not_ready = |name: &str| {
            ToolError::new(ErrorCode::OverlayNotReady, format!("`{name}` is being indexed")).with("ref", name)
        };
        let view = view.map_err(|error| match &busy {
            Some(job) if error.is_of_unindexed_ref() && job.ref_name == asked => not_ready(asked),
            _ => error.into(),
        })?;
        let name = view.standing.ref_name.clone();
        let Some(published) = &view.published else {
            return Err(match busy.is_some_and(|job| job.ref_name == name) {
                true => not_ready(&name),
                false => IndexError::RefNotIndexed(name).into(),
            });
        };
        let worktree = project.ensure_worktree(&name, published.state.commit.as_deref())?;
        workspace.note_access(&name);
        let before = call.session.set_default_ref(&project.root, &name);
        let previous_ref = before.map_or_else(|| project.current_ref(), Ok)?;
        let mut metadata = Metadata::of(&view.standing);
        if !call.session.is_lasting() {
            metadata.warnings.push(format!(
                "this request belongs to no session, so later calls do not remember the ref: pass `ref`: \"{name}\" with each"
            ));
        }
        Ok(Output {
            ref_name: name,
            previous_ref,
            worktree_path: worktree.to_string_lossy().into_owned(),
            status: RefStatusWord::Active,
            last_indexed_commit: published.state.commit.clone(),
            metadata,
        })
    })
}

impl Render for Output {
    fn text(&self) -> Text {
        let mut text = noting(&self.metadata);
        let line = Line::new().plain("the default ref is ").strong(&self.ref_name);
        text.push(line.plain(format!(" (it was {}); its files: ", self.previous_ref)).path(&self.worktree_path));
        text
    }
}
