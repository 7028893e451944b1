//! What a server holds after questions about many commits.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use crate::BenchError;
use crate::client::{Client, Memory};
use crate::corpus::Corpus;

/// Commits that are asked about.
pub const COMMITS: usize = 200;
/// How far apart they lie.
const APART: usize = 20;
/// After so many commits figures are taken.
const STOP: usize = 50;
/// What is asked about each commit: something else each time, as an agent would.
const QUESTIONS: [&str; 8] = [
    "where are options read from the environment",
    "how is a request parsed",
    "error message for a missing file",
    "cache of compiled templates",
    "connection is closed after a timeout",
    "order of migrations",
    "escape output",
    "run the tests in parallel",
];

/// The server's memory after so many commits.
pub struct RefFigures(Vec<(usize, Memory)>);

/// Asks a server about commits of the corpus' own history, each by `ref`: a question in words, and who uses a name.
pub fn measure(cruxe: &Path, corpus: &Corpus, home: &Path, names: &[String]) -> Result<RefFigures, BenchError> {
    let most = (COMMITS * APART).to_string();
    let mut git = Command::new("git");
    git.args(["rev-list", "--first-parent", "--max-count", &most, "HEAD"]).current_dir(&corpus.root);
    let listed = git.output().map_err(BenchError::doing("git rev-list"))?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let commits: Vec<&str> = listed.lines().step_by(APART).collect();
    let (mut client, _) = Client::start(cruxe, &corpus.root, home, false)?;
    let mut figures = Vec::new();
    for (number, commit) in commits.iter().enumerate() {
        client.call("index_repo", json!({"ref": commit}))?;
        while !client.call("index_status", json!({}))?["active_job"].is_null() {
            std::thread::sleep(Duration::from_millis(20));
        }
        let question = QUESTIONS[number % QUESTIONS.len()];
        client.call("search_code", json!({"query": question, "ref": commit, "limit": 10}))?;
        if let Some(name) = names.get(number % names.len().max(1)) {
            client.call("find_references", json!({"symbol_name": name, "ref": commit, "limit": 50}))?;
        }
        if (number + 1) % STOP == 0 || number + 1 == commits.len() {
            figures.push((number + 1, client.memory()?));
        }
    }
    Ok(RefFigures(figures))
}

/// The part of a report on one corpus.
pub fn markdown(name: &str, RefFigures(figures): &RefFigures) -> String {
    let mut text = format!(
        "### {name}: questions about many commits\n\nA search and a question about references on each, {APART} commits apart.\n\n\
         | commits | resident, MB | its own | mapped files |\n| ---: | ---: | ---: | ---: |\n"
    );
    for (commits, memory) in figures {
        let megabytes = |kilobytes: u64| kilobytes as f64 / 1e3;
        let _ = writeln!(
            text,
            "| {commits} | {:.0} | {:.0} | {:.0} |",
            megabytes(memory.own + memory.mapped),
            megabytes(memory.own),
            megabytes(memory.mapped)
        );
    }
    text
}
