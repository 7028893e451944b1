//! Jobs that index.

use cruxe_index::Workspace;
use cruxe_store::{Job, JobMode, JobStatus};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::text::{Line, Text};
use super::{Render, noting};
use crate::app::seconds;
use crate::contract::Metadata;

/// A job as answers show it while it runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ActiveJob {
    job_id: String,
    project_id: String,
    #[serde(rename = "ref")]
    ref_name: String,
    #[schemars(with = "String")]
    mode: JobMode,
    #[schemars(with = "String")]
    status: JobStatus,
    changed_files: Option<u64>,
    started_at: String,
    /// 0 to 100, of the files that are to be read.
    progress_percent: u8,
    files_done: u64,
    files_total: Option<u64>,
}

impl ActiveJob {
    /// The job of a workspace.
    pub fn new(job: &Job, workspace: &Workspace) -> ActiveJob {
        ActiveJob {
            job_id: job.id.clone(),
            project_id: workspace.project.id.as_str().to_owned(),
            ref_name: job.ref_name.clone(),
            mode: job.mode,
            status: job.status,
            changed_files: job.changed_files,
            started_at: seconds(job.created_at),
            progress_percent: job.percent(),
            files_done: job.done,
            files_total: job.total,
        }
    }

    pub(super) fn line(&self) -> Line {
        let (mode, percent) = (self.mode.as_str(), self.progress_percent);
        Line::new().plain(format!("  {mode} of ")).strong(&self.ref_name).plain(format!(" is running, {percent} %"))
    }
}

/// A job of the past, or the one that goes on.
#[derive(Serialize, JsonSchema)]
pub struct PastJob {
    job_id: String,
    #[serde(rename = "ref")]
    ref_name: String,
    #[schemars(with = "String")]
    mode: JobMode,
    #[schemars(with = "String")]
    status: JobStatus,
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
            mode: job.mode,
            status: job.status,
            changed_files: job.changed_files,
            duration_ms: job.duration_ms,
            created_at: seconds(job.created_at),
            outcomes: job.outcomes,
            error: job.error,
        }
    }
}

impl PastJob {
    pub(super) fn line(&self) -> Line {
        let line = Line::new().plain(format!("  {} ", self.created_at)).strong(&self.ref_name);
        let line = line.plain(format!(": {}, {}", self.mode.as_str(), self.status.as_str()));
        let changed = self.changed_files.map(|count| format!(", {count} files changed")).unwrap_or_default();
        let failed = self.error.as_ref().map(|error| format!(": {error}")).unwrap_or_default();
        line.faint(format!("{changed}{failed}"))
    }
}

/// A job that was started to index a ref.
#[derive(Serialize, JsonSchema)]
pub struct IndexAnswer {
    /// The job.
    pub job_id: String,
    /// How far it is.
    #[schemars(with = "String")]
    pub status: JobStatus,
    /// How much it reads.
    #[schemars(with = "String")]
    pub mode: JobMode,
    /// The ref's files, once it has ended.
    pub file_count: Option<u64>,
    /// How current the ref is.
    pub metadata: Metadata,
}

/// A job that was started to take in what changed.
#[derive(Serialize, JsonSchema)]
pub struct SyncAnswer {
    /// The job.
    pub job_id: String,
    /// How far it is.
    #[schemars(with = "String")]
    pub status: JobStatus,
    /// How much it reads.
    #[schemars(with = "String")]
    pub mode: JobMode,
    /// What changed, once it has ended.
    pub changed_files: Option<u64>,
    /// How current the ref is.
    pub metadata: Metadata,
}

impl Render for IndexAnswer {
    fn text(&self) -> Text {
        started(&self.metadata, self.mode, self.status, self.file_count.map(|count| format!("{count} files")))
    }
}

impl Render for SyncAnswer {
    fn text(&self) -> Text {
        let changed = self.changed_files.map(|count| format!("{count} files changed"));
        started(&self.metadata, self.mode, self.status, changed)
    }
}

fn started(metadata: &Metadata, mode: JobMode, status: JobStatus, outcome: Option<String>) -> Text {
    let outcome = outcome.map(|outcome| format!(", {outcome}")).unwrap_or_default();
    let line = Line::new().strong(&metadata.ref_name);
    let line = line.plain(format!(": {}, {}{outcome}", mode.as_str(), status.as_str()));
    let mut text = noting(metadata);
    text.push(line);
    text
}
