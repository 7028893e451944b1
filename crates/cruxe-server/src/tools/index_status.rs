//! `index_status`: what is indexed, and what is going on.

use std::sync::Arc;

use cruxe_index::IndexError;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answers::StatusAnswer;
use crate::app::{App, RefStatus};
use crate::contract::names;
use crate::tool::{Tool, ToolSpec, typed};

/// How many past jobs an answer lists.
const RECENT: usize = 10;

/// Which ref.
#[derive(Deserialize, JsonSchema)]
struct Input {
    #[serde(rename = "ref")]
    ref_name: Option<String>,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Whether a ref is indexed, counts, the running job with its progress, recent jobs.";
    typed(ToolSpec::new(names::INDEX_STATUS, "Index status", about).quick(), move |input: Input, call| {
        let workspace = app.workspace(call)?;
        let ref_name = App::ref_name(&workspace, call, input.ref_name)?;
        let mut status = RefStatus::of(&workspace, ref_name.as_deref())?;
        let mut recent = workspace.recent_jobs(RECENT).map_err(IndexError::from)?;
        let scope = call.session.scope();
        status.active_job = status.active_job.filter(|job| scope.allows_job(&workspace, job));
        recent.retain(|job| scope.allows_job(&workspace, job));
        Ok(StatusAnswer::new(&workspace, status, recent))
    })
}
