//! `cruxe index`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use cruxe_index::{JobReport, JobRequest, Workspace};
use serde_json::json;

use crate::context::{CliError, Context};
use crate::output::{self, Paint};
use crate::progress::Bar;

/// Index the project, or what changed since the last time
///
/// Examples:
///   cruxe index                    what is checked out, uncommitted edits included
///   cruxe index --ref v1.2         a tag, branch or commit, without checking it out
///   cruxe index --force            everything anew; repairs a damaged index
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Index {
    /// Read and parse everything anew
    #[arg(long)]
    force: bool,
    /// The project's folder (the same as --workspace)
    #[arg(long, value_name = "PATH")]
    path: Option<PathBuf>,
    /// A branch, tag or commit [default: what is checked out]
    #[arg(long = "ref", value_name = "REF")]
    ref_name: Option<String>,
}

impl Index {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let folder = self.path.or_else(|| context.options.workspace.clone());
        let workspace = Workspace::open(context.project_at(folder)?);
        run(context, &workspace, &JobRequest { ref_name: self.ref_name, force: self.force })
    }
}

/// Runs a job with a progress bar and reports how it ended.
pub(super) fn run(context: &Context, workspace: &Workspace, request: &JobRequest) -> Result<ExitCode, CliError> {
    let report = workspace.run_job(request, &Bar::new("indexing"))?;
    if context.options.json {
        output::json(&as_json(&report));
    } else {
        print(&report);
    }
    Ok(ExitCode::SUCCESS)
}

fn as_json(report: &JobReport) -> serde_json::Value {
    let (job, published) = (&report.job, &report.published);
    json!({
        "job_id": job.id, "ref": job.ref_name, "mode": job.mode.as_str(), "status": job.status.as_str(),
        "changed_files": job.changed_files, "file_count": published.files, "symbol_count": published.symbols,
        "source_bytes": published.bytes, "duration_ms": job.duration_ms, "outcomes": job.outcomes,
        "warnings": report.warnings,
    })
}

fn print(report: &JobReport) {
    let (job, published, paint) = (&report.job, &report.published, Paint::stdout());
    output::line(&format!(
        "{} {}: {} files, {} symbols, {} changed, {:.2} s",
        paint.good("indexed"),
        paint.strong(&job.ref_name),
        published.files,
        published.symbols,
        job.changed_files.unwrap_or_default(),
        job.duration_ms as f64 / 1000.0,
    ));
    for (outcome, count) in job.outcomes.iter().filter(|(outcome, _)| outcome.starts_with("skipped")) {
        output::line(&paint.faint(&format!("  {outcome}: {count} files")));
    }
    for warning in &report.warnings {
        output::line(&format!("  warning: {warning}"));
    }
}
