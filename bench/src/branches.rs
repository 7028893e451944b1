//! What branches cost: their indexes, and the differences between them beside `git diff --stat`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::BenchError;
use crate::client::Client;
use crate::corpus::Corpus;
use crate::edits::{Edits, editable};
use crate::index_run::bytes_below;
use crate::sample::Sample;

/// Branches that are made, and those at which figures are taken.
const BRANCHES: usize = 50;
const STOPS: [usize; 4] = [1, 10, 20, BRANCHES];
/// Files in which a branch differs.
const FILES: usize = 50;
/// Files in which the large one differs.
const MANY: usize = 1_000;

/// Figures of branches, times in seconds.
pub struct BranchFigures {
    /// The index of the branch that the others come from.
    first: (f64, u64),
    /// After so many more branches: what the last of them took and added, and all of them together.
    stops: Vec<Stop>,
    /// The difference of a branch, asked for the first time, again, and as git counts its lines.
    small: Differences,
    /// The same for the large branch.
    large: Differences,
}

struct Stop {
    branches: usize,
    last: (f64, u64),
    all: (f64, u64),
}

#[derive(Default)]
struct Differences {
    first: Sample,
    again: Sample,
    git: Sample,
    changes: u64,
}

/// Makes branches of a copy of the corpus, indexes each, and compares them with where they come from.
pub fn measure(cruxe: &Path, corpus: &Corpus, runs: u32) -> Result<BranchFigures, BenchError> {
    let copy = corpus.scratch_copy()?;
    let root = copy.path();
    let base = git(root, &["branch", "--show-current"])?.1;
    let editable = editable(corpus);
    let mut edits = Edits::new(root);
    let mut branch = |name: &str, files: usize| -> Result<(), BenchError> {
        git(root, &["checkout", "--quiet", "-b", name, &base])?;
        edits.edit_each(&editable, files)?;
        git(root, &["commit", "--quiet", "--all", "--message=edits"])?;
        Ok(())
    };
    for number in 1..=BRANCHES {
        branch(&format!("edits-{number}"), FILES)?;
    }
    branch("many", MANY)?;
    git(root, &["checkout", "--quiet", &base])?;

    let home = tempfile::tempdir().map_err(BenchError::doing("a temporary folder"))?;
    // A file that changed in the instant of the scan is read again; let that instant pass.
    std::thread::sleep(Duration::from_millis(200));
    let index = |name: &str| -> Result<(f64, u64), BenchError> {
        let before = bytes_below(home.path());
        let took = index(cruxe, root, home.path(), name)?;
        Ok((took.as_secs_f64(), bytes_below(home.path()).saturating_sub(before)))
    };
    let first = index(&base)?;
    let (mut stops, mut all) = (Vec::new(), (0.0, 0));
    for number in 1..=BRANCHES {
        let last = index(&format!("edits-{number}"))?;
        all = (all.0 + last.0, all.1 + last.1);
        if STOPS.contains(&number) {
            stops.push(Stop { branches: number, last, all });
        }
    }
    index("many")?;

    let (mut small, mut large) = (Differences::default(), Differences::default());
    for _ in 0..runs {
        // A server that was just started knows nothing yet of any branch.
        let (mut client, _) = Client::start(cruxe, root, home.path(), true)?;
        client.call("index_status", json!({}))?;
        for number in 1..=BRANCHES {
            small.ask(&mut client, root, &base, &format!("edits-{number}"))?;
        }
        large.ask(&mut client, root, &base, "many")?;
    }
    Ok(BranchFigures { first, stops, small, large })
}

impl Differences {
    fn ask(&mut self, client: &mut Client, root: &Path, base: &str, head: &str) -> Result<(), BenchError> {
        for sample in [&mut self.first, &mut self.again] {
            let started = Instant::now();
            let answer = client.call("diff_context", json!({"base_ref": base, "head_ref": head, "limit": 50}))?;
            sample.add_time(started.elapsed());
            self.changes = answer["total_changes"].as_u64().unwrap_or_default();
        }
        self.git.add_time(git(root, &["diff", "--stat", base, head])?.0);
        Ok(())
    }
}

/// The part of a report on one corpus.
pub fn markdown(name: &str, figures: &BranchFigures) -> String {
    let BranchFigures { first, stops, small, large } = figures;
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let mut text = format!(
        "### {name}: branches that differ in {FILES} files\n\nIts first branch takes {:.2} s and {:.1} MB.\n\n\
         | branches | the last one, s | adds, % of the index | all, s | all, MB | separate indexes, s | separate, MB |\n\
         | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
        first.0,
        megabytes(first.1)
    );
    for Stop { branches, last, all } in stops {
        let separate = (first.0 * *branches as f64, first.1 * *branches as u64);
        let share = 100.0 * last.1 as f64 / first.1.max(1) as f64;
        let _ = writeln!(
            text,
            "| {branches} | {:.2} | {share:.2} | {:.2} | {:.1} | {:.1} | {:.1} |",
            last.0,
            all.0,
            megabytes(all.1),
            separate.0,
            megabytes(separate.1)
        );
    }
    text += "\nSeparate indexes are the first one times their number.\n\n\
             | `diff_context` | changes | first p50 / p95, ms | again p50 / p95, ms | `git diff --stat` p50, ms |\n\
             | --- | ---: | ---: | ---: | ---: |\n";
    for (files, difference) in [(FILES, small), (MANY, large)] {
        let times = |sample: &Sample| format!("{:.0} / {:.0}", 1e3 * sample.median(), 1e3 * sample.quantile(0.95));
        let _ = writeln!(
            text,
            "| {files} files | {} | {} | {} | {:.0} |",
            difference.changes,
            times(&difference.first),
            times(&difference.again),
            1e3 * difference.git.median()
        );
    }
    text
}

fn index(cruxe: &Path, root: &Path, home: &Path, name: &str) -> Result<Duration, BenchError> {
    let started = Instant::now();
    let done = Command::new(cruxe)
        .args(["index", "--json", "--ref", name, "--workspace"])
        .arg(root)
        .env("CRUXE_HOME", home)
        .stdin(Stdio::null())
        .output()
        .map_err(BenchError::doing("cruxe index"))?;
    let took = started.elapsed();
    if done.status.success() {
        Ok(took)
    } else {
        Err(BenchError::new("cruxe index", String::from_utf8_lossy(&done.stderr)))
    }
}

/// Runs git: how long it took, and what it said.
fn git(root: &Path, arguments: &[&str]) -> Result<(Duration, String), BenchError> {
    let started = Instant::now();
    let who = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
    let done = Command::new("git").args(who).args(arguments).current_dir(root).output();
    let done = done.map_err(BenchError::doing("git"))?;
    let took = started.elapsed();
    if done.status.success() {
        Ok((took, String::from_utf8_lossy(&done.stdout).trim().to_owned()))
    } else {
        Err(BenchError::new("git", String::from_utf8_lossy(&done.stderr)))
    }
}
