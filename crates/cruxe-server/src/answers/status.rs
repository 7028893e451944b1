//! What is indexed, and what is going on.

use cruxe_index::Workspace;
use cruxe_model::{IndexingStatus, RepoPath, SchemaStatus};
use cruxe_store::{Job, SCHEMA_VERSION};
use schemars::JsonSchema;
use serde::Serialize;

use super::jobs::{ActiveJob, PastJob};
use super::text::{Line, Text};
use super::{Render, noting};
use crate::app::RefStatus;
use crate::contract::Metadata;

/// The state of a ref.
#[derive(Serialize, JsonSchema)]
pub struct StatusAnswer {
    #[serde(flatten)]
    project: ProjectState,
    last_indexed_at: Option<String>,
    last_indexed_commit: Option<String>,
    #[serde(rename = "ref")]
    ref_name: String,
    file_count: u64,
    symbol_count: u64,
    /// Files whose references an imported compiler's index (SCIP) knows exactly.
    compiler_file_count: u64,
    /// Files that a part of could not be parsed.
    syntax_error_count: usize,
    /// The first of them.
    syntax_errors: Vec<SyntaxError>,
    active_job: Option<ActiveJob>,
    recent_jobs: Vec<PastJob>,
    metadata: Metadata,
}

/// A project and the state of its index.
#[derive(Serialize, JsonSchema)]
pub(super) struct ProjectState {
    project_id: String,
    repo_root: String,
    index_status: IndexingStatus,
    schema_status: SchemaStatus,
    current_schema_version: i64,
    required_schema_version: i64,
}

impl StatusAnswer {
    /// The state of a ref, with the latest jobs.
    pub fn new(workspace: &Workspace, status: RefStatus, recent: Vec<Job>) -> StatusAnswer {
        let project = ProjectState::of(workspace, &status);
        let mut metadata = status.metadata;
        metadata.warnings.extend(status.message);
        StatusAnswer {
            project,
            last_indexed_at: status.last_indexed_at,
            last_indexed_commit: status.last_indexed_commit,
            ref_name: metadata.ref_name.clone(),
            file_count: status.file_count,
            symbol_count: status.symbol_count,
            compiler_file_count: status.compiler_file_count,
            syntax_error_count: status.syntax_errors.len(),
            syntax_errors: SyntaxError::first(&status.syntax_errors),
            active_job: status.active_job.as_ref().map(|job| ActiveJob::new(job, workspace)),
            recent_jobs: recent.into_iter().filter(|job| !job.is_active()).map(PastJob::from).collect(),
            metadata,
        }
    }
}

/// How many files with a syntax error an answer lists.
const MAX_SYNTAX_ERRORS: usize = 20;

/// A file that a part of could not be parsed.
#[derive(Serialize, JsonSchema)]
pub(super) struct SyntaxError {
    path: String,
    /// Where the part begins.
    line: u32,
}

impl SyntaxError {
    /// The first so many as an answer lists.
    pub(super) fn first(files: &[(RepoPath, u32)]) -> Vec<SyntaxError> {
        let error = |(path, line): &(RepoPath, u32)| SyntaxError { path: path.as_str().to_owned(), line: *line };
        files.iter().take(MAX_SYNTAX_ERRORS).map(error).collect()
    }
}

impl ProjectState {
    /// The project of a workspace, by how one of its refs is doing.
    pub fn of(workspace: &Workspace, status: &RefStatus) -> ProjectState {
        ProjectState {
            project_id: workspace.project.id.as_str().to_owned(),
            repo_root: workspace.project.address().to_string_lossy().into_owned(),
            index_status: status.index_status,
            schema_status: status.schema_status,
            current_schema_version: status.schema_version,
            required_schema_version: SCHEMA_VERSION,
        }
    }

    /// The project with the ref and its size.
    pub fn line(&self, ref_name: &str, files: u64, symbols: u64) -> Line {
        let state = match self.index_status {
            IndexingStatus::NotIndexed => "not_indexed",
            IndexingStatus::Indexing => "indexing",
            IndexingStatus::Ready => "ready",
            IndexingStatus::Failed => "failed",
        };
        let line = Line::new().path(&self.repo_root).plain(" ").strong(ref_name);
        line.plain(format!(": {state}, {files} files, {symbols} symbols"))
    }
}

impl Render for StatusAnswer {
    fn text(&self) -> Text {
        let mut text = noting(&self.metadata);
        text.push(self.project.line(&self.ref_name, self.file_count, self.symbol_count));
        if self.syntax_error_count > 0 {
            let files = if self.syntax_error_count == 1 { "file has" } else { "files have" };
            text.push(
                Line::new().plain(format!("{} {files} a part that could not be parsed:", self.syntax_error_count)),
            );
            let line = |error: &SyntaxError| Line::new().plain("  ").path(format!("{}:{}", error.path, error.line));
            self.syntax_errors.iter().for_each(|error| text.push(line(error)));
        }
        self.active_job.iter().for_each(|job| text.push(job.line()));
        self.recent_jobs.iter().for_each(|job| text.push(job.line()));
        text
    }
}
