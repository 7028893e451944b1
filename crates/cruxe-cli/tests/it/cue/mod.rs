//! The `cue` command from outside.

mod cards;
mod deck;
mod doctor;
mod help;
#[cfg(unix)]
mod release;
mod scene;
mod upgrade;
mod watch;

use std::process::Command;

use crate::support::{Repo, Run, Sandbox, run};

/// A card as a person would write it.
fn card(title: &str, status: &str, extra: &str, body: &str) -> String {
    format!(
        "---\ntitle: {title}\nstatus: {status}\npriority: medium\n{extra}created: 2024-06-01T09:00:00Z\n---\n\n# {title}\n\n{body}"
    )
}

fn cue_in(sandbox: &Sandbox, repo: &Repo) -> Command {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_cue"));
    command.current_dir(&repo.root);
    command
}

fn cue(sandbox: &Sandbox, repo: &Repo, arguments: &[&str]) -> Run {
    run(cue_in(sandbox, repo).args(arguments))
}

/// A workspace outside git with a deck and these files.
fn deck<'a>(sandbox: &'a Sandbox, files: &[(&str, &str)]) -> Repo<'a> {
    let repo = sandbox.folder("work", files);
    cue(sandbox, &repo, &["init"]).ok();
    repo
}

/// Asserts how a command failed: its exit code, and words that its report has.
fn fails(run: &Run, code: i32, words: &[&str]) {
    assert_eq!(run.code, Some(code), "{}", run.transcript());
    for word in words {
        assert!(run.stderr.contains(word), "{word:?} is missing: {}", run.transcript());
    }
}
