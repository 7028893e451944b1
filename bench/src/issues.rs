//! From the text of an issue to the files and functions that its fix changed.
//!
//! Cases are lines of JSON as SWE-bench has them: `repo`, `base_commit`, `problem_statement`, `patch`. Each is asked at the
//! commit before the fix. All that the fix changes has to be within the first k, whatever else is there; cases whose fix
//! changes no function that exists are left out.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use cruxe_index::{JobRequest, Project, View, Workspace};
use cruxe_model::config::{Config, FreshnessPolicy};
use cruxe_model::{RepoPath, Work};
use cruxe_query::search::{Question, Target, search};
use cruxe_store::{Home, SymbolTable};
use serde_json::Value;

/// Results that are asked for.
const LIMIT: usize = 50;

/// A function by its file and its place there; nested ones are their outermost.
type Function = (String, usize);

/// At which rank the last of what a fix changes was found.
struct Ranks {
    file: Option<usize>,
    function: Option<usize>,
}

/// Asks every case and prints a row for each repository and one for all.
pub fn run(cases: &Path, clones: &Path, home: &Home) -> Result<(), Box<dyn Error>> {
    let mut by_repo: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in std::fs::read_to_string(cases)?.lines() {
        let case: Value = serde_json::from_str(line)?;
        by_repo.entry(text(&case["repo"]).to_owned()).or_default().push(case);
    }
    println!(
        "\n| issues | cases | files@1 | @5 | @10 | functions@5 | @10 |\n| --- | --- | --- | --- | --- | --- | --- |"
    );
    let mut all = Vec::new();
    for (repo, cases) in by_repo {
        let folder = clones.join(repo.replace('/', "__"));
        if !folder.is_dir() {
            continue;
        }
        let project = Project::locate(&folder, home, Config::default())?;
        project.register()?;
        let workspace = Workspace::open(project);
        let mut ranks = Vec::new();
        for case in &cases {
            let commit = text(&case["base_commit"]);
            workspace.run_job(&JobRequest { ref_name: Some(commit.to_owned()), force: false }, Work::default())?;
            let view = workspace.view(Some(commit), FreshnessPolicy::BestEffort)?;
            ranks.extend(ask(&view, text(&case["problem_statement"]), text(&case["patch"]))?);
        }
        show(&repo, &ranks);
        all.extend(ranks);
    }
    show("all", &all);
    Ok(())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn show(label: &str, ranks: &[Ranks]) {
    let part = |rank: &dyn Fn(&Ranks) -> Option<usize>, k: usize| {
        let found = ranks.iter().filter(|case| rank(case).is_some_and(|rank| rank <= k)).count();
        100.0 * found as f64 / ranks.len().max(1) as f64
    };
    let (file, function) = (|case: &Ranks| case.file, |case: &Ranks| case.function);
    let [f1, f5, f10] = [1, 5, 10].map(|k| part(&file, k));
    let [u5, u10] = [5, 10].map(|k| part(&function, k));
    println!("| {label} | {} | {f1:.1} | {f5:.1} | {f10:.1} | {u5:.1} | {u10:.1} |", ranks.len());
}

/// Where an issue's answer has what its fix changed; nothing where that is no function.
fn ask(view: &View, issue: &str, patch: &str) -> Result<Option<Ranks>, Box<dyn Error>> {
    let Some(published) = &view.published else { return Ok(None) };
    let (mut files, mut functions): (Vec<String>, Vec<Function>) = (Vec::new(), Vec::new());
    for (path, lines) in changed(patch) {
        let Some(file) = published.file_at(&RepoPath::parse(&path)?)? else { continue };
        let table = published.symbol_table(file.id)?;
        for function in lines.iter().filter_map(|lines| outermost(&table, *lines)) {
            let function = (path.clone(), function);
            if !functions.contains(&function) {
                functions.push(function);
            }
        }
        files.push(path);
    }
    if functions.is_empty() {
        return Ok(None);
    }
    let (mut seen_files, mut seen_functions): (Vec<String>, Vec<Function>) = (Vec::new(), Vec::new());
    for found in search(view, &Question::new(issue, LIMIT))?.found {
        let path = found.file.path.as_str().to_owned();
        let function = match found.target {
            Target::Symbol(_) => outermost(&found.table, (found.lines.0, found.lines.0)).map(|at| (path.clone(), at)),
            _ => None,
        };
        seen_functions.extend(function.filter(|function| !seen_functions.contains(function)));
        if !seen_files.contains(&path) {
            seen_files.push(path);
        }
    }
    let file = last(&files, &seen_files);
    Ok(Some(Ranks { file, function: last(&functions, &seen_functions) }))
}

/// The rank from 1 of the last of what is wanted.
fn last<T: PartialEq>(wanted: &[T], found: &[T]) -> Option<usize> {
    let ranks: Option<Vec<usize>> = wanted.iter().map(|one| found.iter().position(|other| other == one)).collect();
    ranks?.into_iter().max().map(|rank| rank + 1)
}

/// The function around lines that no other function is around.
fn outermost(table: &SymbolTable, (from, to): (u32, u32)) -> Option<usize> {
    let around = |at: &usize| {
        let (first, last) = table.lines(cruxe_model::facts::SymbolIndex(*at as u32));
        table.symbols[*at].kind.is_callable() && first <= from && to <= last
    };
    (0..table.symbols.len()).find(around)
}

/// Per file that a patch changes, the lines that go, and the two that something is put between.
fn changed(patch: &str) -> BTreeMap<String, Vec<(u32, u32)>> {
    let (mut files, mut path, mut line) = (BTreeMap::<String, Vec<(u32, u32)>>::new(), None, 0);
    for text in patch.lines() {
        if let Some(old) = text.strip_prefix("--- ") {
            path = old.strip_prefix("a/").map(|path| path.split('\t').next().unwrap_or(path).to_owned());
        } else if let Some(at) = text.strip_prefix("@@ -") {
            let first = at.split([',', ' ']).next().and_then(|number| number.parse().ok());
            line = first.map_or(0, |first: u32| first.saturating_sub(1));
        } else if let Some(path) = path.as_ref().filter(|_| !text.starts_with("+++ ")) {
            let lines = files.entry(path.clone()).or_default();
            match text.bytes().next() {
                Some(b'-') => {
                    line += 1;
                    lines.push((line, line));
                }
                Some(b'+') => lines.push((line, line + 1)),
                Some(b' ') | None => line += 1,
                _ => {}
            }
        }
    }
    files
}
