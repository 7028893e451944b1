//! `index_status`: what is indexed, and what is going on.

use std::sync::Arc;

use cruxe_index::IndexError;
use cruxe_model::{IndexingStatus, SchemaStatus};
use cruxe_store::{Job, SCHEMA_VERSION};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::app::{ActiveJob, App, RefStatus, seconds};
use crate::contract::{Metadata, names};
use crate::tool::{Tool, ToolSpec, typed};

/// How many past jobs an answer lists.
const RECENT: usize = 10;

/// Which ref.
#[derive(Deserialize, JsonSchema)]
struct Input {
    #[serde(rename = "ref")]
    ref_name: Option<String>,
}

/// Its state.
#[derive(Serialize, JsonSchema)]
struct Output {
    project_id: String,
    repo_root: String,
    index_status: IndexingStatus,
    schema_status: SchemaStatus,
    current_schema_version: i64,
    required_schema_version: i64,
    last_indexed_at: Option<String>,
    last_indexed_commit: Option<String>,
    #[serde(rename = "ref")]
    ref_name: String,
    file_count: u64,
    symbol_count: u64,
    /// Files whose references an imported compiler's index (SCIP) knows exactly.
    compiler_file_count: u64,
    active_job: Option<ActiveJob>,
    recent_jobs: Vec<PastJob>,
    metadata: Metadata,
}

/// A job of the past, or the one that goes on.
#[derive(Serialize, JsonSchema)]
struct PastJob {
    job_id: String,
    #[serde(rename = "ref")]
    ref_name: String,
    mode: String,
    status: String,
    changed_files: Option<u64>,
    duration_ms: u64,
    created_at: String,
    /// How files ended, with their number.
    #[serde(skip_serializing_if = "Map::is_empty")]
    outcomes: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl From<Job> for PastJob {
    fn from(job: Job) -> PastJob {
        PastJob {
            job_id: job.id,
            ref_name: job.ref_name,
            mode: job.mode.as_str().to_owned(),
            status: job.status.as_str().to_owned(),
            changed_files: job.changed_files,
            duration_ms: job.duration_ms,
            created_at: seconds(job.created_at),
            outcomes: job.outcomes,
            error: job.error,
        }
    }
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Whether a ref is indexed, counts, the running job with its progress, recent jobs.";
    typed(ToolSpec::new(names::INDEX_STATUS, "Index status", about).quick(), move |input: Input, call| {
        let workspace = app.workspace(call)?;
        let ref_name = App::ref_name(&workspace, call, input.ref_name);
        let status = RefStatus::of(&workspace, ref_name.as_deref())?;
        let mut metadata = status.metadata;
        metadata.warnings.extend(status.message);
        Ok(Output {
            project_id: workspace.project.id.as_str().to_owned(),
            repo_root: workspace.project.root.to_string_lossy().into_owned(),
            index_status: status.index_status,
            schema_status: status.schema_status,
            current_schema_version: status.schema_version,
            required_schema_version: SCHEMA_VERSION,
            last_indexed_at: status.last_indexed_at,
            last_indexed_commit: status.last_indexed_commit,
            ref_name: metadata.ref_name.clone(),
            file_count: status.file_count,
            symbol_count: status.symbol_count,
            compiler_file_count: status.compiler_file_count,
            active_job: status.active_job.as_ref().map(|job| ActiveJob::new(job, &workspace)),
            recent_jobs: workspace
                .recent_jobs(RECENT)
                .map_err(IndexError::from)?
                .into_iter()
                .filter(|job| !job.is_active())
                .map(PastJob::from)
                .collect(),
            metadata,
        })
    })
}
