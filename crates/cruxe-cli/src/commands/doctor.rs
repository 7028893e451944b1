//! `cruxe doctor`.

use std::process::ExitCode;

use clap::Args;
use cruxe_server::doctor::{self, Check};

use super::projects::{self, bytes, count};
use crate::context::{CliError, Context};
use crate::output::{self, Paint};

/// Check what works here: SQLite, the full-text index (Tantivy), grammars (tree-sitter), ignore rules
///
/// Exits with 1 when something is wrong.
#[derive(Args)]
pub(crate) struct Doctor {}

impl Doctor {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let mut checks = doctor::checks(&*context.workspace()?)?;
        checks.insert(1, home(context));
        checks.extend(servers(context));
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

/// The folder of all indexes: can it be written, and how much is in it?
fn home(context: &Context) -> Check {
    let all = projects::all(&context.home);
    let size: u64 = all.iter().map(|kept| kept.size).sum();
    let gone = all.iter().filter(|kept| kept.is_gone()).count();
    let path = context.home.root().display();
    match context.home.check_writable() {
        Ok(()) => Check {
            name: "home",
            ok: true,
            detail: format!("{path} can be written; {}, {}", count(all.len()), bytes(size)),
            next: (gone > 0).then(|| format!("{} of a folder that is gone: `cruxe remove --gone`", count(gone))),
        },
        Err(problem) => Check {
            name: "home",
            ok: false,
            detail: problem.to_string(),
            next: Some("let your user write there, or set CRUXE_HOME to another folder".to_owned()),
        },
    }
}

/// The servers that run, and whether they are of this version; nothing to say where there is none.
fn servers(context: &Context) -> Option<Check> {
    let servers = context.home.servers();
    if servers.is_empty() {
        return None;
    }
    let own = env!("CARGO_PKG_VERSION");
    let others = servers.iter().any(|server| server.version != own);
    let told: Vec<String> =
        servers.iter().map(|server| format!("{} (process {})", server.version, server.pid)).collect();
    let next = format!("this is {own}: restart the agents whose servers are of another version");
    Some(Check { name: "servers", ok: true, detail: told.join(", "), next: others.then_some(next) })
}
