//! Is everything in order.

use std::sync::Arc;

use cruxe_extract::languages::LANGUAGES;
use cruxe_index::Workspace;
use cruxe_model::{FreshnessStatus, SchemaStatus};
use cruxe_store::{JobMode, SCHEMA_VERSION};
use schemars::JsonSchema;
use serde::Serialize;

use super::jobs::ActiveJob;
use super::status::{ProjectState, SyntaxError};
use super::text::{Line, Text};
use super::{Render, noting};
use crate::app::{App, Prewarm, RefStatus, seconds};
use crate::contract::Metadata;
use crate::scope::Scope;

/// The state of the server and its projects.
#[derive(Serialize, JsonSchema)]
pub struct HealthAnswer {
    status: ServerStatus,
    version: String,
    uptime_seconds: u64,
    tantivy_ok: bool,
    sqlite_ok: bool,
    grammars: Grammars,
    active_job: Option<ActiveJob>,
    interrupted_recovery_report: Option<RecoveryReport>,
    workspace_warmset: Warmset,
    prewarm_status: Prewarm,
    startup_checks: StartupChecks,
    projects: Vec<ProjectHealth>,
    metadata: Metadata,
}

/// How a server is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ServerStatus {
    /// Everything is there.
    Ready,
    /// The index is being read ahead of the first question.
    Warming,
    /// The index is being built.
    Indexing,
    /// The index cannot be read.
    Error,
}

impl ServerStatus {
    /// The word in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            ServerStatus::Ready => "ready",
            ServerStatus::Warming => "warming",
            ServerStatus::Indexing => "indexing",
            ServerStatus::Error => "error",
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct Grammars {
    available: Vec<String>,
    missing: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct RecoveryReport {
    /// How many jobs were found whose process had ended before they did.
    interrupted_jobs: usize,
    jobs: Vec<InterruptedJob>,
    message: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct InterruptedJob {
    job_id: String,
    #[serde(rename = "ref")]
    ref_name: String,
    #[schemars(with = "String")]
    mode: JobMode,
    started_at: String,
    files_done: u64,
    files_total: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
struct Warmset {
    enabled: bool,
    capacity: usize,
    members: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct StartupChecks {
    index: IndexCheck,
}

#[derive(Serialize, JsonSchema)]
struct IndexCheck {
    status: SchemaStatus,
    current_schema_version: i64,
    required_schema_version: i64,
    message: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ProjectHealth {
    #[serde(flatten)]
    project: ProjectState,
    freshness_status: FreshnessStatus,
    last_indexed_at: Option<String>,
    #[serde(rename = "ref")]
    ref_name: String,
    file_count: u64,
    symbol_count: u64,
    /// Files that a part of could not be parsed.
    syntax_error_count: usize,
    /// The first of them.
    syntax_errors: Vec<SyntaxError>,
}

impl HealthAnswer {
    /// The state of a server, and of a workspace by how its checked-out ref is doing.
    pub fn new(app: &App, workspace: &Arc<Workspace>, status: RefStatus, scope: &Scope) -> HealthAnswer {
        let message = status.message.clone();
        let sound = message.is_none();
        let of_text = message.as_deref().is_some_and(|text| text.contains("full-text"));
        // Which others are open is for who may see all of them.
        let open = if scope.is_all() { app.workspaces().open() } else { vec![Arc::clone(workspace)] };
        let active_job = status.active_job.as_ref().filter(|job| scope.allows_job(workspace, job));
        HealthAnswer {
            status: app.status_of(&status),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            uptime_seconds: app.uptime_seconds(),
            tantivy_ok: sound || !of_text,
            sqlite_ok: sound || of_text,
            grammars: Grammars { available: languages(), missing: Vec::new() },
            active_job: active_job.map(|job| ActiveJob::new(job, workspace)),
            interrupted_recovery_report: recovery(workspace, scope),
            workspace_warmset: Warmset {
                enabled: app.prewarm_status() != Prewarm::Disabled,
                capacity: app.workspaces().capacity(),
                members: open.iter().map(|open| open.project.address().to_string_lossy().into_owned()).collect(),
            },
            prewarm_status: app.prewarm_status(),
            startup_checks: StartupChecks {
                index: IndexCheck {
                    status: status.schema_status,
                    current_schema_version: status.schema_version,
                    required_schema_version: SCHEMA_VERSION,
                    message,
                },
            },
            projects: vec![ProjectHealth {
                project: ProjectState::of(workspace, &status),
                freshness_status: status.metadata.freshness_status,
                last_indexed_at: status.last_indexed_at,
                ref_name: status.metadata.ref_name.clone(),
                file_count: status.file_count,
                symbol_count: status.symbol_count,
                syntax_error_count: status.syntax_errors.len(),
                syntax_errors: SyntaxError::first(&status.syntax_errors),
            }],
            metadata: status.metadata,
        }
    }
}

fn languages() -> Vec<String> {
    let mut names: Vec<String> = LANGUAGES.iter().map(|def| def.name.to_owned()).collect();
    names.dedup();
    names
}

fn recovery(workspace: &Workspace, scope: &Scope) -> Option<RecoveryReport> {
    let mut jobs = workspace.interrupted_jobs();
    jobs.retain(|job| scope.allows_job(workspace, job));
    (!jobs.is_empty()).then(|| RecoveryReport {
        interrupted_jobs: jobs.len(),
        jobs: jobs
            .into_iter()
            .map(|job| InterruptedJob {
                job_id: job.id,
                ref_name: job.ref_name,
                mode: job.mode,
                started_at: seconds(job.created_at),
                files_done: job.done,
                files_total: job.total,
            })
            .collect(),
        message: "Nothing that was published is lost; a sync takes in the rest.",
    })
}

impl Render for HealthAnswer {
    fn text(&self) -> Text {
        let mut text = noting(&self.metadata);
        let line = Line::new().strong(self.status.as_str());
        text.push(line.plain(format!(", cruxe {}, up for {} s", self.version, self.uptime_seconds)));
        for one in &self.projects {
            text.push(one.project.line(&one.ref_name, one.file_count, one.symbol_count));
        }
        self.active_job.iter().for_each(|job| text.push(job.line()));
        let index = &self.startup_checks.index;
        index.message.iter().for_each(|message| text.push(Line::new().plain(format!("  {message}"))));
        if let Some(report) = &self.interrupted_recovery_report {
            let count = report.interrupted_jobs;
            text.push(Line::new().plain(format!("  {count} jobs were interrupted. {}", report.message)));
        }
        text
    }
}
