//! `cruxe team status`.

use std::process::ExitCode;

use clap::Args;
use cruxe_store::SCHEMA_VERSION;
use cruxe_team::{RepoStatus, admin};
use serde_json::json;

use super::Service;
use crate::context::{CliError, Context};
use crate::output::{self, Paint};

/// How every repository is doing: what is published, what waits, what fails
#[derive(Args)]
pub(super) struct Status {}

impl Status {
    pub fn run(self, context: &Context, service: &Service) -> Result<ExitCode, CliError> {
        let repos = admin::status(&service.database, SCHEMA_VERSION)?;
        if context.options.json {
            let list: Vec<_> = repos.iter().map(as_json).collect();
            output::json(&json!({"schema": SCHEMA_VERSION, "repos": list}));
            return Ok(ExitCode::SUCCESS);
        }
        repos.iter().for_each(print);
        let count = |is: fn(&RepoStatus) -> bool| repos.iter().filter(|repo| is(repo)).count();
        output::line(&format!(
            "{} repositories, {} published, {} waiting, {} failing",
            repos.len(),
            count(|repo| repo.published_at.is_some()),
            count(|repo| repo.waiting),
            count(|repo| repo.failures > 0),
        ));
        Ok(ExitCode::SUCCESS)
    }
}

fn as_json(status: &RepoStatus) -> serde_json::Value {
    json!({
        "name": status.repo.name, "published_at": status.published_at, "refs": status.refs, "bytes": status.bytes,
        "waiting": status.waiting, "worker": status.worker, "failures": status.failures, "problem": status.problem,
    })
}

fn print(status: &RepoStatus) {
    let paint = Paint::stdout();
    let state = match (&status.published_at, &status.worker) {
        (_, Some(worker)) => format!("being indexed by {worker}"),
        (Some(at), None) if status.waiting => format!("{at}, a push waits"),
        (Some(at), None) => at.clone(),
        (None, None) => "not indexed yet".to_owned(),
    };
    output::line(&format!("{}  {state}", paint.strong(&status.repo.name)));
    for published in &status.refs {
        let commit: String = published.commit.chars().take(12).collect();
        let figures = format!("{} files, {} symbols", published.files, published.symbols);
        output::line(&format!("  {}  {commit}  {figures}", published.name));
    }
    if let Some(problem) = &status.problem {
        output::line(&format!("  {} ({} times)", paint.bad(&output::one_line(problem)), status.failures));
    }
}
