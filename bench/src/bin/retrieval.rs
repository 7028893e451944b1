//! Asks annotated questions about real repositories and tells how well `search_code` ranks, whole and with each part
//! of the ranking taken away.
//!
//! `retrieval QUESTIONS.json REPOS_DIR`: the questions are `{"repos": [{"name", "root"}], "tasks": [{"repo", "query",
//! "category", "targets": [[path, first, last]]}]}`, the repositories are folders below `REPOS_DIR`. NDCG@10 with binary
//! gain, averaged per repository and then over repositories. With `--server`, the same questions go to a server over
//! stdio, and what it returns is counted in tokens up to the first right place. With `--issues` and `--clones`, whole issues
//! are asked as well. With `--fit`, other weights are tried, each repository judged by what the others choose.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

#[path = "../client.rs"]
#[allow(dead_code, reason = "the other program uses the rest")]
mod client;
#[path = "../fit.rs"]
mod fit;
#[path = "../issues.rs"]
mod issues;

use clap::Parser;
use cruxe_index::{JobRequest, Project, Workspace};
use cruxe_model::Work;
use cruxe_model::config::{Config, FreshnessPolicy};
use cruxe_query::search::rank::Weights;
use cruxe_query::search::{Intent, Question, search_with};
use cruxe_store::Home;
use serde_json::Value;

/// Measure the quality of search_code
#[derive(Parser)]
struct Options {
    /// The questions
    questions: PathBuf,
    /// The folder with the repositories
    repos: PathBuf,
    /// Where indexes are kept between runs
    #[arg(long, default_value = "target/retrieval-home")]
    home: PathBuf,
    /// Also measure without each part
    #[arg(long)]
    ablate: bool,
    /// Also try other weights
    #[arg(long)]
    fit: bool,
    /// The `cruxe` program to ask over stdio too
    #[arg(long)]
    server: Option<PathBuf>,
    /// Issues with their fixes, a line of JSON each as SWE-bench has them
    #[arg(long, requires = "clones")]
    issues: Option<PathBuf>,
    /// The folder with their repositories, `owner__name` each
    #[arg(long)]
    clones: Option<PathBuf>,
    /// Print the questions whose answer is not the best
    #[arg(long)]
    misses: bool,
}

struct Task {
    repo: usize,
    category: String,
    query: String,
    targets: Vec<(String, Option<u64>, Option<u64>)>,
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

    fn doing<E: ToString>(what: impl ToString) -> impl FnOnce(E) -> BenchError {
        move |why| BenchError::new(what, why)
    }
}

type Problem = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Problem> {
    let data: Value = serde_json::from_slice(&std::fs::read(&options.questions)?)?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let repos: Vec<(String, String)> =
        data["repos"].as_array().into_iter().flatten().map(|repo| (text(&repo["name"]), text(&repo["root"]))).collect();
    let mut tasks = Vec::new();
    for task in data["tasks"].as_array().into_iter().flatten() {
        let Some(repo) = repos.iter().position(|(name, _)| *name == text(&task["repo"])) else { continue };
        let target = |target: &Value| (text(&target[0]), target[1].as_u64(), target[2].as_u64());
        tasks.push(Task {
            repo,
            category: text(&task["category"]),
            query: text(&task["query"]),
            targets: task["targets"].as_array().into_iter().flatten().map(target).collect(),
        });
    }
    let home = Home::new(std::path::absolute(&options.home)?);
    let workspaces: Vec<Arc<Workspace>> =
        repos.iter().map(|(name, root)| open(&options.repos.join(name).join(root), &home)).collect::<Result<_, _>>()?;
    type Change = fn(&mut Weights);
    let mut variants: Vec<(&str, Change)> = vec![("all of it", |_| {})];
    if options.ablate {
        variants.extend([
            ("without words in chunks", (|w| w.chunks = 0.0) as Change),
            ("without words in whole files", |w| w.file = 0.0),
            ("without meaning", |w| w.semantic = 0.0),
            ("without file names", |w| w.stem = 0.0),
            ("without folders", |w| w.folders = 0.0),
            ("without popularity", |w| w.popularity = 0.0),
            ("without definitions", |w| (w.definition, w.kind, w.qualifiers) = (0.0, 0.0, 0.0)),
            ("words alone", |w| {
                (w.semantic, w.stem, w.folders) = (0.0, 0.0, 0.0);
                (w.popularity, w.definition, w.kind, w.qualifiers) = (0.0, 0.0, 0.0, 0.0);
            }),
            ("meaning alone", |w| {
                (w.chunks, w.file, w.stem, w.folders) = (0.0, 0.0, 0.0, 0.0);
                (w.popularity, w.definition, w.kind, w.qualifiers) = (0.0, 0.0, 0.0, 0.0);
            }),
        ]);
    }
    let judge = |change: &dyn Fn(&mut Weights), misses: bool| -> Result<Vec<f64>, Problem> {
        let mut scores = Vec::with_capacity(tasks.len());
        for task in &tasks {
            let results = ask(&workspaces[task.repo], &task.query, &repos[task.repo].1, change)?;
            let score = ndcg(&results, &task.targets);
            if misses && score < 0.99 {
                let got: Vec<&str> = results.iter().take(4).map(|(path, ..)| path.as_str()).collect();
                println!("{score:.2} [{}] {} want {:?} got {got:?}", task.category, task.query, task.targets);
            }
            scores.push(score);
        }
        Ok(scores)
    };
    // The mean of each repository, over questions of one category or of all.
    let means = |scores: &[f64], category: Option<&str>| -> Vec<f64> {
        let of_repo = |repo: usize| {
            let counts = |task: &Task| task.repo == repo && category.is_none_or(|category| category == task.category);
            let own: Vec<f64> =
                tasks.iter().zip(scores).filter(|(task, _)| counts(task)).map(|(_, score)| *score).collect();
            (!own.is_empty()).then(|| own.iter().sum::<f64>() / own.len() as f64)
        };
        (0..repos.len()).filter_map(of_repo).collect()
    };
    println!("| ranking | NDCG@10 | architecture | semantic | symbol |\n| --- | --- | --- | --- | --- |");
    for (label, change) in variants {
        let scores = judge(&change, options.misses && label == "all of it")?;
        let mean = |category: Option<&str>| {
            let means = means(&scores, category);
            means.iter().sum::<f64>() / means.len().max(1) as f64
        };
        let [all, architecture, semantic, symbol] =
            [None, Some("architecture"), Some("semantic"), Some("symbol")].map(mean);
        println!("| {label} | {all:.3} | {architecture:.3} | {semantic:.3} | {symbol:.3} |");
    }
    if options.fit {
        fit::run(|change| Ok::<_, Problem>(means(&judge(change, false)?, None)))?;
    }
    if let Some(cruxe) = &options.server {
        thrift(cruxe, options, &repos, &tasks)?;
    }
    if let (Some(cases), Some(clones)) = (&options.issues, &options.clones) {
        issues::run(cases, clones, &home)?;
    }
    Ok(())
}

/// How many tokens a client reads until it has a right place.
fn thrift(cruxe: &Path, options: &Options, repos: &[(String, String)], tasks: &[Task]) -> Result<(), Problem> {
    let home = std::path::absolute(&options.home)?;
    let mut needed: Vec<f64> = Vec::new();
    for (at, (name, root)) in repos.iter().enumerate() {
        let (mut client, _) = client::Client::start(cruxe, &options.repos.join(name).join(root), &home, false)?;
        for task in tasks.iter().filter(|task| task.repo == at) {
            let arguments = serde_json::json!({"query": task.query, "limit": 30, "detail_level": "signature"});
            let answer = client.call("search_code", arguments)?;
            let mut read = 0;
            let mut right = None;
            for result in answer["results"].as_array().into_iter().flatten() {
                read += cruxe_tokens::count(&format!("{result},"));
                let path = result["path"].as_str().unwrap_or_default();
                let path = if root.is_empty() { path.to_owned() } else { format!("{root}/{path}") };
                let line = |key: &str| result[key].as_u64().unwrap_or_default();
                let found = [(path, line("line_start"), line("line_end"))];
                if right.is_none() && task.targets.iter().any(|target| ndcg(&found, std::slice::from_ref(target)) > 0.0)
                {
                    right = Some(read);
                }
            }
            needed.push(right.map_or(f64::INFINITY, |read| read as f64));
        }
    }
    let within =
        |tokens: f64| needed.iter().filter(|read| **read <= tokens).count() as f64 / needed.len().max(1) as f64;
    println!(
        "\nright place within 500 / 1,000 / 2,000 tokens: {:.3} / {:.3} / {:.3}",
        within(500.0),
        within(1000.0),
        within(2000.0)
    );
    Ok(())
}

fn open(folder: &Path, home: &Home) -> Result<Arc<Workspace>, Problem> {
    let project = Project::locate(folder, home, Config::default())?;
    project.register()?;
    let workspace = Workspace::open(project);
    workspace.run_job(&JobRequest::default(), Work::default())?;
    Ok(workspace)
}

fn ask(
    workspace: &Arc<Workspace>,
    query: &str,
    root: &str,
    change: &dyn Fn(&mut Weights),
) -> Result<Vec<(String, u64, u64)>, Problem> {
    let view = workspace.view(None, FreshnessPolicy::BestEffort)?;
    let question = Question { transformer: workspace.transformer()?, ..Question::new(query, 10) };
    let weights = |intent: Intent| {
        let mut weights = Weights::of(intent, None);
        change(&mut weights);
        weights
    };
    let answer = search_with(&view, &question, &weights)?;
    let path = |path: &str| if root.is_empty() { path.to_owned() } else { format!("{root}/{path}") };
    Ok(answer
        .found
        .iter()
        .map(|found| (path(found.file.path.as_str()), u64::from(found.lines.0), u64::from(found.lines.1)))
        .collect())
}

fn same_path(a: &str, b: &str) -> bool {
    a == b || a.ends_with(&format!("/{b}")) || b.ends_with(&format!("/{a}"))
}

fn ndcg(results: &[(String, u64, u64)], targets: &[(String, Option<u64>, Option<u64>)]) -> f64 {
    let gain = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    let hits = |(path, first, last): &(String, u64, u64), target: &(String, Option<u64>, Option<u64>)| {
        let overlap = match (target.1, target.2) {
            (Some(from), Some(to)) => *first <= to && *last >= from,
            _ => true,
        };
        same_path(path, &target.0) && overlap
    };
    let mut ranks: Vec<usize> =
        targets.iter().filter_map(|target| results.iter().position(|result| hits(result, target))).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let ideal: f64 = (0..targets.len().min(10)).map(gain).sum();
    ranks.into_iter().map(gain).sum::<f64>() / ideal.max(f64::MIN_POSITIVE)
}
