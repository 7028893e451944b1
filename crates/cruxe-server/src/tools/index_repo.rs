//! `index_repo`: index a ref.

use std::sync::Arc;

use cruxe_index::{IndexError, JobReport, JobRequest, Workspace};
use cruxe_model::Work;
use cruxe_store::{JobMode, JobStatus};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answers::IndexAnswer;
use crate::app::{App, RefStatus};
use crate::contract::{ErrorCode, Metadata, ToolError, names};
use crate::tool::{Call, Tool, ToolSpec, typed};

/// What to index.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// Read everything anew; repairs a damaged index.
    #[serde(default)]
    force: bool,
    #[serde(rename = "ref")]
    ref_name: Option<String>,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = format!(
        "Index another ref in the background ({} shows when it is done), or rebuild with force.",
        names::INDEX_STATUS
    );
    typed(ToolSpec::new(names::INDEX_REPO, "Index the repository", about).writes(), move |input: Input, call| {
        let started = start(&app, call, input, ErrorCode::IndexInProgress)?;
        let file_count = started.report.as_ref().map(|report| report.published.files);
        Ok(IndexAnswer {
            job_id: started.job_id,
            status: started.status,
            mode: started.mode,
            file_count,
            metadata: started.metadata,
        })
    })
}

/// A job that was just started, or, for a client that listens to progress, has ended.
pub(super) struct Started {
    pub job_id: String,
    pub status: JobStatus,
    pub mode: JobMode,
    pub report: Option<JobReport>,
    pub metadata: Metadata,
}

/// Starts a job. A client that sent a progress token hears how far it is and gets its answer at the end, because MCP
/// allows no progress after the answer; any other gets its answer at once.
pub(super) fn start(app: &App, call: &Call, input: Input, busy: ErrorCode) -> Result<Started, ToolError> {
    let workspace = app.workspace(call)?;
    let request = JobRequest { ref_name: App::ref_name(&workspace, call, input.ref_name)?, force: input.force };
    if call.work.is_heard() {
        let outcome = workspace.run_job(&request, call.work.clone());
        let report = outcome.map_err(|problem| refusal(&workspace, problem, busy))?;
        let metadata = RefStatus::of(&workspace, Some(&report.job.ref_name))?.metadata;
        return Ok(Started {
            job_id: report.job.id.clone(),
            status: report.job.status,
            mode: report.job.mode,
            report: Some(report),
            metadata,
        });
    }
    let outcome = workspace.start_job(&request, Work::default());
    let (job_id, ref_name, mode) = outcome.map_err(|problem| refusal(&workspace, problem, busy))?;
    let mut metadata = RefStatus::of(&workspace, Some(&ref_name))?.metadata;
    metadata.indexing_status = cruxe_model::IndexingStatus::Indexing;
    Ok(Started { job_id, status: JobStatus::Running, mode, report: None, metadata })
}

fn refusal(workspace: &Workspace, problem: IndexError, busy: ErrorCode) -> ToolError {
    if !matches!(problem, IndexError::Busy) {
        return problem.into();
    }
    let error = ToolError::new(busy, problem.to_string());
    match workspace.active_job() {
        Ok(Some(job)) => {
            error.with("job_id", &job.id).with("ref", &job.ref_name).with("progress_percent", job.percent())
        }
        _ => error,
    }
}
