//! `cruxe init`.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::context::{CliError, Context};
use crate::output;

/// Register a project and create its index
///
/// Not needed before other commands: `index`, `search` and `serve-mcp` register by themselves.
#[derive(Args)]
pub(crate) struct Init {}

impl Init {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let project = context.project()?;
        let seen = project.is_registered()?;
        project.register()?;
        project.store.create()?;
        let vcs = if project.repo.is_some() { "git" } else { "none" };
        let ref_name = project.current_ref()?;
        if context.options.json {
            output::json(&json!({
                "project_id": project.id.as_str(), "repo_root": project.root, "vcs": vcs, "ref": ref_name,
                "index": project.store.dir().root(), "already_registered": seen,
            }));
        } else {
            let word = if seen { "already registered" } else { "registered" };
            output::line(&format!("{word} {} (version control: {vcs}, ref {ref_name})", project.root.display()));
            output::line(&format!("index: {}", project.store.dir().root().display()));
            output::line("next: cruxe index");
        }
        Ok(ExitCode::SUCCESS)
    }
}
