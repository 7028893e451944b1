//! Is every mention of a name accounted for? `mentions REPO…`: for names of functions and types of real repositories, what
//! became of every identifier of the name, held against a count that knows no grammar: the words of the files outside of
//! comments and strings, told by their signs alone.
//!
//! Such a count is a little wrong itself (a regular expression, a heredoc, a nested comment), so what it has and the account
//! lacks is printed to be looked at.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use cruxe_index::{JobRequest, Layers, Project, Workspace};
use cruxe_model::config::{Config, FreshnessPolicy};
use cruxe_model::{SymbolKind, Work};
use cruxe_query::mentions::Mentions;
use cruxe_query::references::{self, Question};
use cruxe_query::target::Wanted;
use cruxe_store::Home;

/// Count what becomes of every mention of a name
#[derive(Parser)]
struct Options {
    /// Folders with source
    #[arg(required = true)]
    repos: Vec<PathBuf>,
    /// How many names of each repository
    #[arg(long, default_value_t = 100)]
    names: usize,
    /// Where indexes are kept between runs
    #[arg(long, default_value = "target/mentions-home")]
    home: PathBuf,
    /// Print what cannot be told, at most so much of each name
    #[arg(long, default_value_t = 0)]
    open: usize,
    /// Print what the other count has more, at most so much of each language
    #[arg(long, default_value_t = 5)]
    show: usize,
}

/// The figures of a language.
#[derive(Default)]
struct Row {
    names: usize,
    sum: Mentions,
    /// Words that the account lacks.
    lacking: usize,
    /// Names with nothing used, nothing open, and words elsewhere.
    zeros: usize,
    time: Duration,
    examples: Vec<String>,
}

type Problem = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let options = Options::parse();
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for repo in &options.repos {
        if let Err(problem) = measure(repo, &options, &mut rows) {
            eprintln!("error: {}: {problem}", repo.display());
            return ExitCode::FAILURE;
        }
    }
    print(&rows, options.show);
    ExitCode::SUCCESS
}

fn measure(repo: &Path, options: &Options, rows: &mut BTreeMap<String, Row>) -> Result<(), Problem> {
    let home = Home::new(std::path::absolute(&options.home)?);
    let workspace = Workspace::open(Project::locate(repo, &home, Config::default())?);
    workspace.run_job(&JobRequest::default(), Work::default())?;
    let view = workspace.view(None, FreshnessPolicy::BestEffort)?;
    let published = view.published.as_ref().ok_or("nothing is published")?;
    let mut words: HashMap<String, Vec<(String, usize)>> = HashMap::new();
    let mut names: Vec<(String, String, String)> = Vec::new();
    for file in published.files()? {
        let path = file.path.as_str().to_owned();
        let document = cruxe_extract::registry::named(&file.language).is_document();
        let text = std::fs::read(repo.join(&path)).unwrap_or_default();
        let (text, _) = cruxe_extract::as_text(&text);
        if document || text.len() > 2_000_000 {
            continue;
        }
        for (line, word) in words_of(&text, &file.language) {
            words.entry(word.to_owned()).or_default().push((path.clone(), line));
        }
        let table = published.symbols(file.id)?;
        let wanted = |kind: SymbolKind| kind.is_callable() || kind.is_container() && kind != SymbolKind::Module;
        let defined = table.symbols.iter().filter(|symbol| wanted(symbol.kind) && is_telling(&symbol.name));
        names.extend(defined.map(|symbol| (symbol.name.clone(), path.clone(), file.language.clone())));
    }
    names.sort();
    names.dedup_by(|a, b| a.0 == b.0);
    let step = (names.len() / options.names).max(1);
    for (name, path, language) in names.iter().step_by(step).take(options.names) {
        let wanted = Wanted { name: name.clone(), path: Some(path.clone()), line: None };
        let question = Question { wanted, limit: 1, unresolved: options.open, ..Question::default() };
        let begun = Instant::now();
        let Ok(answer) = references::find(&view, &Layers::None, &question) else { continue };
        let Some(mentions) = answer.mentions else { continue };
        for open in &answer.unresolved {
            println!("{language} {:?} {name} {}:{} {}", open.reason, open.path, open.line, open.context.trim());
        }
        let row = rows.entry(language.clone()).or_default();
        row.time += begun.elapsed();
        row.names += 1;
        add(&mut row.sum, &mentions);
        let counted = words.get(name).map(Vec::as_slice).unwrap_or_default();
        let lines: HashSet<&(String, usize)> = counted.iter().collect();
        let lacking = lines.len().saturating_sub(mentions.total());
        row.lacking += lacking;
        if lacking > 0 {
            row.examples.push(format!("{name}: {lacking} of {}, {path}", lines.len()));
        }
        let found = mentions.total() - mentions.definitions;
        row.zeros += usize::from(found == 0 && lines.len() > mentions.definitions);
    }
    Ok(())
}

fn add(sum: &mut Mentions, one: &Mentions) {
    sum.definitions += one.definitions;
    sum.uses += one.uses;
    sum.others += one.others;
    sum.locals += one.locals;
    sum.outside += one.outside;
    sum.unresolved += one.unresolved;
    sum.unparsed += one.unparsed;
}

fn print(rows: &BTreeMap<String, Row>, show: usize) {
    println!(
        "| language | names | mentions | used | others | locals | outside | unresolved | unparsed | lacking | false zeros | ms a name |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (language, row) in rows {
        let mentions = row.sum.total() - row.sum.definitions;
        let share = |count: usize| format!("{:.1} %", 100.0 * count as f64 / mentions.max(1) as f64);
        println!(
            "| {language} | {} | {mentions} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1} |",
            row.names,
            share(row.sum.uses),
            share(row.sum.others),
            share(row.sum.locals),
            share(row.sum.outside),
            share(row.sum.unresolved),
            share(row.sum.unparsed),
            row.lacking,
            row.zeros,
            row.time.as_secs_f64() * 1000.0 / row.names.max(1) as f64,
        );
    }
    for (language, row) in rows {
        row.examples.iter().take(show).for_each(|example| println!("{language}: {example}"));
    }
}

/// A name that hardly anything else has: long, of several words.
fn is_telling(name: &str) -> bool {
    let inner = name.trim_matches('_');
    let humps = inner.chars().skip(1).any(char::is_uppercase) && inner.chars().any(char::is_lowercase);
    name.len() >= 7 && (inner.contains('_') || humps) && name.chars().all(|c| c == '_' || c.is_alphanumeric())
}

/// The words of a text outside of comments and strings, with their lines.
fn words_of<'t>(text: &'t str, language: &str) -> Vec<(usize, &'t str)> {
    let (line_comments, blocks): (&[&str], &[(&str, &str)]) = match language {
        "python" => (&["#"], &[("\"\"\"", "\"\"\""), ("'''", "'''")]),
        "ruby" => (&["#"], &[("=begin", "=end")]),
        "elixir" => (&["#"], &[("\"\"\"", "\"\"\"")]),
        "bash" => (&["#"], &[]),
        "haskell" => (&["--"], &[("{-", "-}")]),
        "lua" => (&["--"], &[("--[[", "]]"), ("[[", "]]")]),
        "php" => (&["//", "#"], &[("/*", "*/")]),
        "zig" => (&["//", "\\\\"], &[]),
        _ => (&["//"], &[("/*", "*/"), ("\"\"\"", "\"\"\"")]),
    };
    let mut found = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if let Some((open, close)) = blocks.iter().find(|(open, _)| rest.starts_with(open)) {
            rest[open.len()..].find(close).map_or(rest.len(), |end| open.len() + end + close.len())
        } else if line_comments.iter().any(|comment| rest.starts_with(comment)) {
            rest.find('\n').unwrap_or(rest.len())
        } else if matches!(c, '"' | '\'' | '`') {
            quoted(rest, c)
        } else if c == '_' || c.is_alphanumeric() {
            let length = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
            found.push((line, &rest[..length]));
            length
        } else {
            c.len_utf8()
        };
        line += rest[..length].matches('\n').count();
        at += length;
    }
    found
}

/// The length of a text in quotes that ends on its line; of the quote alone where it does not.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => break,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    1
}
