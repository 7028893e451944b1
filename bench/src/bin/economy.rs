//! What does an answer cost its reader? `economy REPO…`: for names of functions and types of real repositories, the bytes of
//! `find_references` as text and as JSON, beside what `grep -rnw` prints for the name and the least text that names every use:
//! a path once, then a number and a line each.
//!
//! grep's list has to be sorted out by its reader; ours is, and says what it leaves open.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use cruxe_index::{JobRequest, Layers, Project, Workspace};
use cruxe_model::config::{Config, FreshnessPolicy};
use cruxe_model::{SymbolKind, Work};
use cruxe_query::references::{self, Question};
use cruxe_query::target::Wanted;
use cruxe_server::answers::{Breadth, ReferencesAnswer, Render};
use cruxe_store::Home;

/// Count the bytes that answers about uses have
#[derive(Parser)]
struct Options {
    /// Folders with source
    #[arg(required = true)]
    repos: Vec<PathBuf>,
    /// How many names of each repository
    #[arg(long, default_value_t = 100)]
    names: usize,
    /// Where indexes are kept between runs
    #[arg(long, default_value = "target/economy-home")]
    home: PathBuf,
}

/// Sums of bytes.
#[derive(Default)]
struct Row {
    names: usize,
    uses: usize,
    text: usize,
    json: usize,
    grep: usize,
    least: usize,
}

type Problem = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let options = Options::parse();
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    for repo in &options.repos {
        if let Err(problem) = measure(repo, &options, &mut rows) {
            eprintln!("error: {}: {problem}", repo.display());
            return ExitCode::FAILURE;
        }
    }
    println!("| names | of them | uses | text, B a use | JSON | grep -rnw | least | text/grep | text/least |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (name, row) in &rows {
        let each = |bytes: usize| bytes / row.uses.max(1);
        let ratio = |other: usize| row.text as f64 / other.max(1) as f64;
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} | {:.2} | {:.2} |",
            row.names,
            row.uses,
            each(row.text),
            each(row.json),
            each(row.grep),
            each(row.least),
            ratio(row.grep),
            ratio(row.least)
        );
    }
    ExitCode::SUCCESS
}

fn measure(repo: &Path, options: &Options, rows: &mut BTreeMap<&str, Row>) -> Result<(), Problem> {
    let home = Home::new(std::path::absolute(&options.home)?);
    let workspace = Workspace::open(Project::locate(repo, &home, Config::default())?);
    workspace.run_job(&JobRequest::default(), Work::default())?;
    let view = workspace.view(None, FreshnessPolicy::BestEffort)?;
    let published = view.published.as_ref().ok_or("nothing is published")?;
    // What grep would print for each word, by the language that `--include` would narrow it to.
    let mut grepped: HashMap<(String, String), usize> = HashMap::new();
    let mut defined: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for file in published.files()? {
        let path = file.path.as_str();
        let bytes = std::fs::read(repo.join(path)).unwrap_or_default();
        let (text, _) = cruxe_extract::as_text(&bytes);
        for (at, line) in text.lines().enumerate() {
            let cost = path.len() + 4 + (at + 1).to_string().len() + line.len(); // `./path:12:line`
            let mut words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
            words.sort_unstable();
            words.dedup();
            for word in words.into_iter().filter(|word| !word.is_empty()) {
                *grepped.entry((file.language.clone(), word.to_owned())).or_default() += cost;
            }
        }
        for symbol in &published.symbols(file.id)?.symbols {
            let wanted = symbol.kind.is_callable() || symbol.kind.is_container() && symbol.kind != SymbolKind::Module;
            if wanted && symbol.kind != SymbolKind::Impl && symbol.name.len() > 2 {
                defined.entry(symbol.name.clone()).or_default().push((path.to_owned(), file.language.clone()));
            }
        }
    }
    let step = (defined.len() / options.names).max(1);
    for (name, places) in defined.iter().step_by(step).take(options.names) {
        let (path, language) = &places[0];
        let wanted = Wanted { name: name.clone(), path: Some(path.clone()), line: None };
        let question = Question { wanted, limit: 1000, ..Question::default() };
        let Ok(found) = references::find(&view, &Layers::None, &question) else { continue };
        if found.references.is_empty() {
            continue;
        }
        let row = rows.entry(if places.len() > 1 { "several definitions" } else { "one definition" }).or_default();
        row.names += 1;
        row.uses += found.references.len();
        row.least += least(&found.references);
        row.grep += grepped.get(&(language.clone(), name.clone())).copied().unwrap_or_default();
        let answer = ReferencesAnswer::new(None, &view, &question, found, Breadth::Brief);
        row.text += answer.text().to_string().len();
        row.json += serde_json::to_string(&answer)?.len();
    }
    Ok(())
}

/// The bytes of a path for each file, and a number and a line for each use.
fn least(uses: &[references::Reference]) -> usize {
    let mut paths: Vec<&str> = uses.iter().map(|one| one.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    let lines = uses.iter().map(|one| one.line.to_string().len() + 2 + one.context.len() + 1).sum::<usize>();
    paths.iter().map(|path| path.len() + 1).sum::<usize>() + lines
}
