//! Breaks files on purpose and counts what is lost: how many symbols does one unfinished line hide?
//!
//! `breaks DIR …` takes files that their grammar reads, puts a line that means nothing between two lines of each, as somebody
//! does who is still typing, and compares the symbols of the file before and after. What is lost in the declaration around
//! that line is its own; anything else was hidden. `--worst` lists the files that lose most.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, thread};

use clap::Parser;
use cruxe_extract::{Extractor, Input, registry};
use cruxe_index::Project;
use cruxe_model::RepoPath;
use cruxe_model::SymbolKind;
use cruxe_model::config::Config;
use cruxe_model::facts::{FileFacts, Problem, Symbol};
use cruxe_store::Home;

/// Break files and count what is lost
#[derive(Parser)]
struct Options {
    /// Folders with source
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Only these languages
    #[arg(long)]
    lang: Vec<String>,
    /// Files of each language and folder
    #[arg(long, default_value_t = 60)]
    files: usize,
    /// List the breaks that hide most
    #[arg(long)]
    worst: bool,
}

/// What somebody leaves behind in the middle of an edit.
const UNFINISHED: &[&str] = &["x = = 1", "foo(a b", "if (", "return foo.", "@@ ?? %%", "} ) ]", "foo(\"bar"];

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// What became of the breaks of a language.
#[derive(Default)]
struct Row {
    breaks: usize,
    symbols: usize,
    hidden: usize,
    /// Breaks that hid something.
    hiding: usize,
    /// Breaks of files that then have no syntax error: it was said of none that something may be missing.
    silent: usize,
}

struct Break {
    language: &'static str,
    symbols: usize,
    hidden: Vec<String>,
    told: bool,
    place: String,
}

fn run(options: &Options) -> Outcome<()> {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    let mut worst = Vec::new();
    for folder in &options.folders {
        for one in breaks(folder, options)? {
            let row = rows.entry(one.language).or_default();
            row.breaks += 1;
            row.symbols += one.symbols;
            row.hidden += one.hidden.len();
            row.hiding += usize::from(!one.hidden.is_empty());
            row.silent += usize::from(!one.hidden.is_empty() && !one.told);
            worst.push(one);
        }
    }
    if options.worst {
        worst.sort_by_key(|one| std::cmp::Reverse(one.hidden.len()));
        for one in worst.iter().filter(|one| !one.hidden.is_empty()).take(200) {
            let names: Vec<&str> = one.hidden.iter().take(4).map(String::as_str).collect();
            println!("{} {} of {} {}: {}", one.language, one.hidden.len(), one.symbols, one.place, names.join(" "));
        }
    }
    println!(
        "| language | breaks | symbols around them | hidden | share | breaks that hide something | of them silent |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (language, row) in rows {
        let share = 100.0 * row.hidden as f64 / row.symbols.max(1) as f64;
        let hiding = 100.0 * row.hiding as f64 / row.breaks.max(1) as f64;
        let Row { breaks, symbols, hidden, silent, .. } = row;
        println!("| {language} | {breaks} | {symbols} | {hidden} | {share:.2} % | {hiding:.1} % | {silent} |");
    }
    Ok(())
}

fn breaks(folder: &Path, options: &Options) -> Outcome<Vec<Break>> {
    let root = folder.canonicalize()?;
    let home = tempfile::tempdir()?;
    let project = Project::locate(&root, &Home::new(home.path()), Config::default())?;
    let mut chosen: Vec<RepoPath> = Vec::new();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut files: Vec<RepoPath> = project.scan()?.files.into_iter().map(|file| file.path).collect();
    files.sort_by_key(|path| scramble(path.as_str()));
    for path in files {
        let Some(def) = registry::detect(&path, b"").filter(|def| !def.is_document()) else { continue };
        let wanted = options.lang.is_empty() || options.lang.iter().any(|name| name == def.name);
        let count = counts.entry(def.name).or_default();
        if wanted && *count < options.files {
            *count += 1;
            chosen.push(path);
        }
    }
    let threads = thread::available_parallelism().map_or(2, usize::from);
    let parts = thread::scope(|scope| {
        let start = |at: usize| {
            let (root, chosen) = (&root, &chosen);
            scope.spawn(move || {
                let mut extractor = Extractor::default();
                let part = chosen.iter().skip(at).step_by(threads);
                part.flat_map(|path| in_file(&mut extractor, root, path)).collect::<Vec<Break>>()
            })
        };
        let running: Vec<_> = (0..threads).map(start).collect();
        running.into_iter().filter_map(|part| part.join().ok()).collect::<Vec<_>>()
    });
    Ok(parts.into_iter().flatten().collect())
}

/// Breaks a file in a few places.
fn in_file(extractor: &mut Extractor, root: &Path, path: &RepoPath) -> Vec<Break> {
    let Ok(text) = fs::read_to_string(root.join(path.as_str())) else { return Vec::new() };
    let Some(def) = registry::detect(path, &text.as_bytes()[..text.len().min(8 << 10)]) else { return Vec::new() };
    let mut extract =
        |text: &str| extractor.extract(&Input { path, module: "", language: Some(def), bytes: text.as_bytes() });
    let whole = extract(&text);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    if whole.problems.iter().any(is_syntax_error) || lines.len() < 12 || text.len() > 200_000 {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (at, broken) in UNFINISHED.iter().enumerate() {
        let line = 4 + scramble(&format!("{path}{at}")) as usize % (lines.len() - 6);
        let Some(code) = lines[line..].iter().find(|line| !line.trim().is_empty()) else { continue };
        let indent: String = code.chars().take_while(|c| c.is_whitespace() && *c != '\n').collect();
        let before: String = lines[..line].concat();
        let after: String = lines[line..].concat();
        let facts = extract(&format!("{before}{indent}{broken}\n{after}"));
        let offset = before.len() as u32;
        let own = around(&whole, offset);
        let mut have: HashMap<&str, usize> = HashMap::new();
        facts.symbols.iter().for_each(|symbol| *have.entry(symbol.name.as_str()).or_default() += 1);
        let (mut hidden, mut symbols) = (Vec::new(), 0);
        for symbol in whole.symbols.iter().filter(|symbol| counts(symbol)) {
            symbols += 1;
            match have.get_mut(symbol.name.as_str()).filter(|count| **count > 0) {
                Some(count) => *count -= 1,
                None if own
                    .is_some_and(|own| own.span.start <= symbol.span.start && symbol.span.end <= own.span.end) => {}
                None => hidden.push(symbol.name.clone()),
            }
        }
        let told = facts.problems.iter().any(is_syntax_error);
        let place = format!("{path}:{} `{broken}`", line + 1);
        found.push(Break { language: def.name, symbols, hidden, told, place });
    }
    found
}

fn is_syntax_error(problem: &Problem) -> bool {
    matches!(problem, Problem::SyntaxError { .. })
}

/// Functions, methods and types; what is local or a field may come and go with the line around it.
fn counts(symbol: &Symbol) -> bool {
    use SymbolKind::{Class, Enum, Fn, Interface, Method, Struct, Trait, Union};
    matches!(symbol.kind, Class | Enum | Fn | Interface | Method | Struct | Trait | Union) && !symbol.flags.local
}

/// The outermost function around an offset: what it holds is its own.
fn around(facts: &FileFacts, offset: u32) -> Option<&Symbol> {
    let contains = |symbol: &&Symbol| symbol.full_span.start <= offset && offset <= symbol.full_span.end;
    let inner = facts.symbols.iter().filter(contains);
    let types = |symbol: &&Symbol| symbol.kind.is_container();
    let functions = inner.filter(|symbol| !types(symbol));
    functions.min_by_key(|symbol| symbol.span.start)
}

/// A number that looks like chance and is the same on every machine.
fn scramble(text: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash ^ hash >> 29
}
