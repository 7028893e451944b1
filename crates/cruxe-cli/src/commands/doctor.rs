//! `cruxe doctor`.

use std::process::ExitCode;

use clap::Args;
use cruxe_server::doctor::{self, Check};

use crate::context::{CliError, Context};
use crate::output::{self, Paint};

/// Check what works here: SQLite, the full-text index (Tantivy), grammars (tree-sitter), ignore rules
///
/// Exits with 1 when something is wrong.
#[derive(Args)]
pub(crate) struct Doctor {}

impl Doctor {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let checks = doctor::checks(&*context.workspace()?)?;
        let healthy = checks.iter().all(|check| check.ok);
        if context.options.json {
            output::json(&serde_json::json!({ "ok": healthy, "checks": checks }));
        } else {
            checks.iter().for_each(print);
        }
        Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn print(check: &Check) {
    let paint = Paint::stdout();
    let mark = if check.ok { paint.good("ok  ") } else { paint.bad("FAIL") };
    output::line(&format!("{mark} {}: {}", check.name, check.detail));
    if let Some(next) = &check.next {
        output::line(&format!("       {next}"));
    }
}
