//! Measures the release binary on real source, in one run and on the same files, and writes a table.
//!
//! Every figure comes from the outside: the `cruxe` program is started as a user starts it, and a server is asked over
//! stdio as an agent asks it. Only the [`floor`] runs in this process: what reading and parsing alone cost, which is
//! what the time of an index run is held against. The two alternate, because machines have moods.
//!
//! Deliberately absent: absolute paths in the output, and anything about a machine but its kind.

mod branches;
mod client;
mod corpus;
mod edits;
mod floor;
mod index_run;
mod machine;
mod questions;
mod refs;
mod report;
mod sample;
mod server;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Parser;

use crate::corpus::Corpus;
use crate::report::Results;

/// Measure indexing, syncing and answering
///
/// Without a corpus, this repository is measured.
#[derive(Parser)]
struct Options {
    /// A folder with source; can be given several times
    #[arg(long, value_name = "DIR")]
    corpus: Vec<PathBuf>,
    /// The file to write; what it says outside of the table's marks is kept
    #[arg(long, value_name = "FILE", default_value = "bench/RESULTS.md")]
    out: PathBuf,
    /// How often each figure is taken
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// How many questions of each kind a server is asked
    #[arg(long, value_name = "N", default_value_t = 500)]
    questions: usize,
    /// Only index; ask nothing, edit nothing
    #[arg(long)]
    index_only: bool,
    /// Only branches: what each costs, and how fast they are compared; printed, not written
    #[arg(long)]
    branches: bool,
    /// Only memory: what a server holds after questions about 200 commits of the corpus; printed, not written
    #[arg(long, conflicts_with = "branches")]
    refs: bool,
}

/// Why there is no table.
#[derive(Debug, thiserror::Error)]
#[error("{what}: {why}")]
struct BenchError {
    what: String,
    why: String,
}

impl BenchError {
    fn new(what: impl ToString, why: impl ToString) -> BenchError {
        BenchError { what: what.to_string(), why: why.to_string() }
    }

    /// Says what was being done when something failed.
    fn doing<E: ToString>(what: impl ToString) -> impl FnOnce(E) -> BenchError {
        move |why| BenchError::new(what, why)
    }
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), BenchError> {
    let cruxe = program()?;
    let mut corpora = options.corpus.clone();
    if corpora.is_empty() {
        corpora.push(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    }
    let machine = machine::facts();
    let mut all = Vec::new();
    for folder in corpora {
        let corpus = Corpus::open(&folder)?;
        eprintln!("{}: {} files", corpus.name, corpus.files.len());
        if options.branches {
            println!("{}", branches::markdown(&corpus.name, &branches::measure(&cruxe, &corpus, options.runs)?));
            continue;
        }
        if options.refs {
            println!("{}", refs::markdown(&corpus.name, &measure_refs(&cruxe, &corpus)?));
            continue;
        }
        all.push(measure(&cruxe, &corpus, options)?);
        // Written after each corpus: an interrupted run keeps what it has.
        let table = report::markdown(&machine, options.runs, &all);
        let old = std::fs::read_to_string(&options.out).unwrap_or_default();
        std::fs::write(&options.out, report::put(&old, &table)).map_err(BenchError::doing(options.out.display()))?;
    }
    if !all.is_empty() {
        println!("{}", report::markdown(&machine, options.runs, &all));
    }
    Ok(())
}

fn measure(cruxe: &Path, corpus: &Corpus, options: &Options) -> Result<Results, BenchError> {
    let home = tempfile::tempdir().map_err(BenchError::doing("a temporary folder"))?;
    let index = index_run::measure(cruxe, corpus, home.path(), options.runs)?;
    let (mut edits, mut answers) = (None, None);
    if !options.index_only {
        let questions = questions::choose(corpus, home.path(), options.questions)?;
        answers = Some(server::measure(cruxe, corpus, home.path(), &questions)?);
        edits = Some(edits::measure(cruxe, corpus, options.runs)?);
    }
    Ok(Results { name: corpus.name.clone(), index, edits, answers })
}

fn measure_refs(cruxe: &Path, corpus: &Corpus) -> Result<refs::RefFigures, BenchError> {
    let home = tempfile::tempdir().map_err(BenchError::doing("a temporary folder"))?;
    index_run::measure(cruxe, corpus, home.path(), 1)?;
    let questions = questions::choose(corpus, home.path(), refs::COMMITS)?;
    refs::measure(cruxe, corpus, home.path(), &questions.names)
}

/// The program to measure: the release binary beside this one, built anew where cargo runs us.
fn program() -> Result<PathBuf, BenchError> {
    if cfg!(debug_assertions) {
        return Err(BenchError::new("not measured", "this is a debug build; use `cargo run --release -p cruxe-bench`"));
    }
    if let Ok(cargo) = std::env::var("CARGO") {
        let built = Command::new(cargo)
            .args(["build", "--release", "--package", "cruxe-cli", "--bin", "cruxe"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .map_err(BenchError::doing("cargo build"))?;
        if !built.success() {
            return Err(BenchError::new("cargo build", built));
        }
    }
    let own = std::env::current_exe().map_err(BenchError::doing("own path"))?;
    let cruxe = own.with_file_name(format!("cruxe{}", std::env::consts::EXE_SUFFIX));
    if cruxe.is_file() {
        Ok(cruxe)
    } else {
        Err(BenchError::new("cruxe", "no such program beside this one; build it with `cargo build --release`"))
    }
}
