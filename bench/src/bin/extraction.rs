//! What extraction costs beyond parsing, language by language: `extraction REPO…`. Every file is parsed as the grammar does it
//! alone, and then extracted, on one thread, by the processor's time of that thread: another program beside it does not count.
//!
//! With `--facts FILE` a line per file is written: a number that changes with the file's facts, and how much of it was not
//! understood. Two programs whose lines are the same extract the same.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use std::{fs, hint};

use clap::Parser;
use cruxe_extract::{Extractor, Input, registry};
use cruxe_index::Project;
use cruxe_model::config::Config;
use cruxe_model::facts::Problem;
use cruxe_store::Home;
use rustix::time::{ClockId, clock_gettime};

/// Compare extraction with parsing alone
#[derive(Parser)]
struct Options {
    /// Folders with source
    #[arg(required = true)]
    repos: Vec<PathBuf>,
    /// Only this language
    #[arg(long)]
    language: Option<String>,
    /// Write a line per file: what its facts are, and what is lost
    #[arg(long, value_name = "FILE")]
    facts: Option<PathBuf>,
    /// Print so many files that cost the most beyond parsing
    #[arg(long, value_name = "N", default_value_t = 0)]
    slowest: usize,
    /// How often each file is read; the least time counts
    #[arg(long, default_value_t = 3)]
    runs: u32,
}

/// The figures of a language.
#[derive(Default)]
struct Row {
    files: usize,
    bytes: usize,
    /// Files that are not understood as a whole, before and after what can be done about it.
    broken: usize,
    left: usize,
    /// Bytes that say nothing.
    lost: usize,
    parsed: Duration,
    extracted: Duration,
}

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Failure> {
    let mut rows: BTreeMap<&'static str, Row> = BTreeMap::new();
    let mut lines = String::new();
    let mut slow: Vec<(Duration, Duration, String)> = Vec::new();
    for repo in &options.repos {
        look_through(repo, options, &mut rows, &mut lines, &mut slow)?;
    }
    if let Some(file) = &options.facts {
        fs::write(file, lines)?;
    }
    println!(
        "| language | files | MB | with errors, then | bytes lost | parsed, s | extracted, s | extracted / parsed |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut rows: Vec<_> = rows.into_iter().collect();
    rows.sort_by_key(|(_, row)| std::cmp::Reverse(row.extracted));
    for (language, row) in rows {
        let (parsed, extracted) = (row.parsed.as_secs_f64(), row.extracted.as_secs_f64());
        println!(
            "| {language} | {} | {:.1} | {}, {} | {} | {parsed:.3} | {extracted:.3} | {:.2} |",
            row.files,
            row.bytes as f64 / 1e6,
            row.broken,
            row.left,
            row.lost,
            extracted / parsed.max(1e-9),
        );
    }
    slow.sort_by_key(|(beyond, ..)| std::cmp::Reverse(*beyond));
    for (beyond, parsed, path) in slow.iter().take(options.slowest) {
        println!("{path}: {beyond:.1?} beyond {parsed:.1?}");
    }
    Ok(())
}

fn look_through(
    repo: &Path,
    options: &Options,
    rows: &mut BTreeMap<&'static str, Row>,
    lines: &mut String,
    slow: &mut Vec<(Duration, Duration, String)>,
) -> Result<(), Failure> {
    let home = tempfile::tempdir()?;
    let root = repo.canonicalize()?;
    let project = Project::locate(&root, &Home::new(home.path()), Config::default())?;
    let (mut extractor, mut parser) = (Extractor::default(), tree_sitter::Parser::new());
    for file in project.scan()?.files {
        let Ok(bytes) = fs::read(root.join(file.path.as_str())) else { continue };
        let Some(def) = registry::detect(&file.path, &bytes) else { continue };
        let wanted = options.language.as_ref().is_none_or(|language| def.id == language);
        let Some(loaded) = registry::loaded(def).filter(|_| wanted) else { continue };
        if bytes.len() as u64 > project.config.index.max_file_bytes || cruxe_index::ignore_rules::is_binary(&bytes) {
            continue;
        }
        parser.set_language(&loaded.grammar)?;
        let row = rows.entry(def.name).or_default();
        let (mut parsed, mut extracted) = (Duration::MAX, Duration::MAX);
        for _ in 0..options.runs.max(1) {
            let began = on_processor();
            let tree = hint::black_box(parser.parse(&bytes, None));
            let then = on_processor();
            let input = Input { path: &file.path, module: "", language: Some(def), bytes: &bytes };
            let facts = hint::black_box(extractor.extract(&input));
            let done = on_processor();
            if parsed == Duration::MAX {
                let unparsed = facts.problems.iter().find_map(|problem| match problem {
                    Problem::SyntaxError { unparsed, .. } => Some(unparsed),
                    _ => None,
                });
                let lost: u32 = unparsed.into_iter().flatten().map(|span| span.end - span.start).sum();
                row.files += 1;
                row.bytes += bytes.len();
                row.broken += usize::from(tree.is_some_and(|tree| tree.root_node().has_error()));
                row.left += usize::from(unparsed.is_some());
                row.lost += lost as usize;
                if options.facts.is_some() {
                    let mut hasher = DefaultHasher::new();
                    format!("{facts:?}").hash(&mut hasher);
                    let _ = writeln!(lines, "{} {:016x} {lost}", file.path, hasher.finish());
                }
            }
            (parsed, extracted) = (parsed.min(then - began), extracted.min(done - then));
        }
        slow.push((extracted.saturating_sub(parsed), parsed, file.path.to_string()));
        row.parsed += parsed;
        row.extracted += extracted;
    }
    Ok(())
}

/// How long this thread has had a processor.
fn on_processor() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
