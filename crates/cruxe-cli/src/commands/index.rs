//! `cruxe index`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use cruxe_index::{JobReport, JobRequest, ScipFile, Workspace};
use serde_json::json;

use super::scip_auto;
use crate::context::{CliError, Context};
use crate::output::{self, Paint};
use crate::progress::Bar;

/// Index the project, or what changed since the last time
///
/// Examples:
///   cruxe index                    what is checked out, uncommitted edits included
///   cruxe index --ref v1.2         a tag, branch or commit, without checking it out
///   cruxe index --force            everything anew; repairs a damaged index
///   scip-typescript index && cruxe index --scip index.scip
///                                  with what a compiler says: its references are `exact`
///   cruxe index --scip auto        the same with every indexer that is installed and fits: it runs their build
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
    /// Take in a compiler's index (SCIP) of the same files, made from their present content; `auto`: find and run the
    /// indexers that are installed, which run build scripts of the project
    #[arg(long, value_name = "FILE|auto")]
    scip: Option<PathBuf>,
    /// How long each indexer of `--scip auto` may take
    #[arg(long, value_name = "SECONDS", default_value_t = 1800, requires = "scip")]
    scip_time: u64,
}

impl Index {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let folder = self.path.or_else(|| context.options.workspace.clone());
        let workspace = Workspace::open(context.project_at(folder)?);
        let request = JobRequest { ref_name: self.ref_name, force: self.force };
        if self.scip.as_deref() == Some(Path::new("auto")) {
            return scip_auto::run(context, &workspace, &request, Duration::from_secs(self.scip_time));
        }
        // Read first: a damaged file must not cost an index run.
        let scip = self.scip.as_deref().map(ScipFile::open).transpose()?;
        match scip {
            None => run(context, &workspace, &request),
            Some(scip) => with_compiler(context, &workspace, &request, &scip),
        }
    }
}

/// Runs a job, then takes in what a compiler says about the same ref.
fn with_compiler(
    context: &Context,
    workspace: &Workspace,
    request: &JobRequest,
    scip: &ScipFile,
) -> Result<ExitCode, CliError> {
    let report = workspace.run_job(request, Bar::new("indexing").watches())?;
    let imported = scip.import(workspace, request.ref_name.as_deref())?;
    let warnings = imported.warnings();
    if context.options.json {
        let mut all = as_json(&report);
        all["scip"] = json!({
            "tool": imported.tool, "documents": imported.documents, "documents_taken": imported.taken,
            "files_covered": imported.covered, "file_count": imported.files, "warnings": warnings,
        });
        output::json(&all);
        return Ok(ExitCode::SUCCESS);
    }
    print(&report);
    output::line(&format!(
        "{} {} of {} documents of {}; {} of {} files are covered",
        Paint::stdout().good("imported"),
        imported.taken,
        imported.documents,
        if imported.tool.is_empty() { "an unnamed tool" } else { &imported.tool },
        imported.covered,
        imported.files,
    ));
    warnings.iter().for_each(|warning| output::line(&format!("  warning: {warning}")));
    Ok(ExitCode::SUCCESS)
}

/// Runs a job with a progress bar and reports how it ended.
pub(super) fn run(context: &Context, workspace: &Workspace, request: &JobRequest) -> Result<ExitCode, CliError> {
    let report = workspace.run_job(request, Bar::new("indexing").watches())?;
    if context.options.json {
        output::json(&as_json(&report));
    } else {
        print(&report);
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn as_json(report: &JobReport) -> serde_json::Value {
    let (job, published) = (&report.job, &report.published);
    json!({
        "job_id": job.id, "ref": job.ref_name, "mode": job.mode.as_str(), "status": job.status.as_str(),
        "changed_files": job.changed_files, "file_count": published.files, "symbol_count": published.symbols,
        "source_bytes": published.bytes, "duration_ms": job.duration_ms, "outcomes": job.outcomes,
        "warnings": report.warnings,
    })
}

pub(super) fn print(report: &JobReport) {
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
