//! `cruxe state`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use cruxe_index::{JobRequest, Workspace, state};
use serde_json::json;

use crate::context::{CliError, Context};
use crate::output::{self, Paint};
use crate::progress::Bar;

/// Carry the index to another machine
#[derive(Args)]
pub(crate) struct State {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Write every indexed ref into one file (.tar.zst)
    Export {
        /// The file to write
        path: PathBuf,
    },
    /// Replace this project's index with what such a file holds
    Import {
        /// The file to read
        path: PathBuf,
        /// Also from another repository
        #[arg(long)]
        force: bool,
    },
}

impl State {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let workspace = context.workspace()?;
        match self.action {
            Action::Export { path } => {
                let done = state::export(&workspace, &path)?;
                if context.options.json {
                    output::json(&json!({
                        "path": path, "refs": done.refs, "file_versions": done.files, "bytes": done.bytes,
                        "warnings": done.warnings,
                    }));
                } else {
                    let size = done.bytes as f64 / 1e6;
                    report("exported", done.refs.len(), done.files, &format!(", {size:.1} MB: {}", path.display()));
                    done.warnings.iter().for_each(|warning| output::line(&format!("  warning: {warning}")));
                }
            }
            Action::Import { path, force } => {
                let done = state::import(&workspace.project, &path, force)?;
                let warnings = catch_up(&workspace, &done.checked_out);
                if context.options.json {
                    output::json(&json!({"refs": done.refs, "file_versions": done.files, "warnings": warnings}));
                } else {
                    report("imported", done.refs.len(), done.files, "");
                    warnings.iter().for_each(|warning| output::line(&format!("  warning: {warning}")));
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn report(verb: &str, refs: usize, files: usize, rest: &str) {
    output::line(&format!("{} {refs} refs, {files} file versions{rest}", Paint::stdout().good(verb)));
}

/// Finds out what refs mean here that were checked out where the archive was made: another work tree, or their commit.
fn catch_up(workspace: &Workspace, names: &[String]) -> Vec<String> {
    let sync = |name: &String| {
        let request = JobRequest { ref_name: Some(name.clone()), force: false };
        let known = workspace.project.resolve(Some(name)).is_ok();
        let failed = known.then(|| workspace.run_job(&request, Bar::new("indexing").watches()).err()).flatten();
        failed.map(|problem| format!("`{name}` could not be brought up to date: {problem}"))
    };
    names.iter().filter_map(sync).collect()
}
