//! Holds the symbols of every file against those of universal-ctags: which functions, methods and types does it find
//! that we do not, in files that the grammar reads and in files that it stumbles over.
//!
//! `ctags DIR …` prints the table of `RESULTS.md`; `--misses` lists what we lack, `--errors` what is still unread.
//! Needs the `ctags` program. A name counts as found when a symbol of that name begins within a few lines of it.
//! What ctags makes up is left out by rule, see [`made_up`] and [`is_inner`]; what the rules do not know counts against us.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::{fs, thread};

use clap::Parser;
use cruxe_extract::language::LanguageDef;
use cruxe_extract::{Extractor, Input, registry};
use cruxe_index::Project;
use cruxe_model::config::Config;
use cruxe_model::facts::{FileFacts, Problem};
use cruxe_store::Home;
use serde_json::Value;

/// Compare with universal-ctags
#[derive(Parser)]
struct Options {
    /// Folders with source
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Only these languages
    #[arg(long)]
    lang: Vec<String>,
    /// List what ctags finds and we do not
    #[arg(long)]
    misses: bool,
    /// List the files with a syntax error, with its line
    #[arg(long)]
    errors: bool,
}

/// Our name, the name that ctags has for the language, and the kinds of it that are compared.
const LANGUAGES: &[(&str, &str, &str)] = &[
    ("bash", "Sh", "f"),
    ("c", "C", "fsug"),
    ("cpp", "C++", "fcsug"),
    ("csharp", "C#", "cigms"),
    ("elixir", "Elixir", "mfap"),
    ("go", "Go", "fsi"),
    ("haskell", "Haskell", "tf"),
    ("java", "Java", "acgim"),
    ("javascript", "JavaScript", "fcmg"),
    ("kotlin", "Kotlin", "icom"),
    ("lua", "Lua", "f"),
    ("php", "PHP", "cfit"),
    ("python", "Python", "cfm"),
    ("ruby", "Ruby", "cfmS"),
    ("rust", "Rust", "sigfP"),
    ("typescript", "TypeScript", "fcigmG"),
];

/// How far from where ctags sees a name the symbol may begin: attributes and long signatures.
const LINES: u64 = 5;

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

/// What was found in the files of a language, apart for those that the grammar reads and those it does not.
#[derive(Default)]
struct Tally {
    files: u64,
    tags: u64,
    found: u64,
}

#[derive(Default)]
struct Row {
    plain: Tally,
    broken: Tally,
    /// Files of the second kind that have an error left.
    left: u64,
}

/// A file with our facts of it.
struct Seen {
    path: PathBuf,
    text: String,
    facts: FileFacts,
    language: &'static str,
    /// What the grammar alone makes of it.
    tree: Option<tree_sitter::Tree>,
    stumbles: bool,
}

fn run(options: &Options) -> Outcome<()> {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    for folder in &options.folders {
        let seen = extract(folder, options)?;
        for (ours, theirs, kinds) in LANGUAGES {
            let files: Vec<&Seen> = seen.iter().filter(|file| file.language == *ours).collect();
            let row = rows.entry(ours).or_default();
            let mut tags = tags(&files, theirs, kinds)?;
            for file in files {
                let tags = tags.remove(file.path.to_string_lossy().as_ref()).unwrap_or_default();
                count(file, tags, row, options);
            }
        }
    }
    println!(
        "| language | files | of them the grammar stumbles over | an error left | found of ctags' names | in the others | in those it stumbles over |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (language, row) in rows.iter().filter(|(_, row)| row.plain.tags + row.broken.tags > 0) {
        let share = |found: u64, tags: u64| format!("{:.2} % of {tags}", 100.0 * found as f64 / tags.max(1) as f64);
        println!(
            "| {language} | {} | {} | {} | {} | {} | {} |",
            row.plain.files + row.broken.files,
            row.broken.files,
            row.left,
            share(row.plain.found + row.broken.found, row.plain.tags + row.broken.tags),
            share(row.plain.found, row.plain.tags),
            share(row.broken.found, row.broken.tags),
        );
    }
    Ok(())
}

/// Our facts of every file of a folder that an index run would take in.
fn extract(folder: &Path, options: &Options) -> Outcome<Vec<Seen>> {
    let root = folder.canonicalize()?;
    let home = tempfile::tempdir()?;
    let project = Project::locate(&root, &Home::new(home.path()), Config::default())?;
    let files = project.scan()?.files;
    let threads = thread::available_parallelism().map_or(2, usize::from);
    let parts = thread::scope(|scope| {
        let part = |at: usize| files.iter().skip(at).step_by(threads);
        let start = |at: usize| {
            let (root, project) = (&root, &project);
            scope.spawn(move || {
                let mut extractor = Extractor::default();
                let files = part(at).filter(|file| file.stat.size <= project.config.index.max_file_bytes);
                files.filter_map(|file| look(&mut extractor, root, &file.path, options)).collect::<Vec<Seen>>()
            })
        };
        let running: Vec<_> = (0..threads).map(start).collect();
        running.into_iter().filter_map(|part| part.join().ok()).collect::<Vec<_>>()
    });
    Ok(parts.into_iter().flatten().collect())
}

fn look(extractor: &mut Extractor, root: &Path, at: &cruxe_model::RepoPath, options: &Options) -> Option<Seen> {
    let path = root.join(at.as_str());
    let bytes = fs::read(&path).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let def = registry::detect(at, &text.as_bytes()[..text.len().min(8 << 10)])?;
    let wanted = options.lang.is_empty() || options.lang.iter().any(|name| name == def.name);
    if !wanted || !LANGUAGES.iter().any(|(ours, ..)| *ours == def.name) {
        return None;
    }
    let facts = extractor.extract(&Input { path: at, module: "", language: Some(def), bytes: text.as_bytes() });
    let tree = plain_tree(def, &text);
    let stumbles = tree.as_ref().is_none_or(|tree| tree.root_node().has_error());
    Some(Seen { path, stumbles, tree, text, facts, language: def.name })
}

/// What the grammar alone makes of a file.
fn plain_tree(def: &'static LanguageDef, text: &str) -> Option<tree_sitter::Tree> {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&registry::loaded(def)?.grammar).ok()?;
    parser.parse(text, None)
}

/// A name that ctags found.
struct Tag {
    name: String,
    kind: String,
    line: u64,
}

/// What ctags finds in files of one language, by path.
fn tags(files: &[&Seen], language: &str, kinds: &str) -> Outcome<HashMap<String, Vec<Tag>>> {
    let mut found: HashMap<String, Vec<Tag>> = HashMap::new();
    if files.is_empty() {
        return Ok(found);
    }
    let mut ctags = Command::new("ctags")
        .args(["--options=NONE", "--output-format=json", "--fields=+nKs", "--sort=no", "-L", "-"])
        .arg(format!("--language-force={language}"))
        .arg(format!("--kinds-{language}={kinds}"))
        .args(["-f", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let list: String = files.iter().map(|file| format!("{}\n", file.path.display())).collect();
    let mut input = ctags.stdin.take().ok_or("ctags takes no input")?;
    let feed = thread::spawn(move || input.write_all(list.as_bytes()));
    let output = ctags.wait_with_output()?;
    feed.join().map_err(|_| "ctags was not told its files")??;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let tag: Value = serde_json::from_str(line)?;
        let text = |key: &str| tag[key].as_str().unwrap_or_default().to_owned();
        let local = matches!(text("scopeKind").as_str(), "function" | "method" | "func" | "singletonMethod");
        if !local {
            let line = tag["line"].as_u64().unwrap_or_default();
            found.entry(text("path")).or_default().push(Tag { name: text("name"), kind: text("kind"), line });
        }
    }
    Ok(found)
}

fn count(file: &Seen, tags: Vec<Tag>, row: &mut Row, options: &Options) {
    let error = file.facts.problems.iter().find_map(|problem| match problem {
        Problem::SyntaxError { line, .. } => Some(*line),
        _ => None,
    });
    let lines: Vec<&str> = file.text.lines().collect();
    let line_at = |line: u64| (line as usize).checked_sub(1).and_then(|at| lines.get(at)).copied().unwrap_or_default();
    if let Some(line) = error.filter(|_| options.errors) {
        println!("error {} {}:{line}: {}", file.language, file.path.display(), line_at(line.into()).trim());
    }
    row.left += u64::from(error.is_some());
    let tally = if file.stumbles { &mut row.broken } else { &mut row.plain };
    tally.files += 1;
    let mut places: HashMap<String, Vec<u64>> = HashMap::new();
    for symbol in &file.facts.symbols {
        let first = file.facts.line_of(symbol.span.start);
        let name = file.facts.line_of(symbol.name_span.start);
        places.entry(bare(&symbol.name)).or_default().extend([u64::from(first), u64::from(name)]);
    }
    let mut counted = HashSet::new();
    for tag in tags {
        if made_up(&tag, line_at(tag.line), file.language) || !counted.insert((tag.name.clone(), tag.line)) {
            continue;
        }
        let places = places.get(&bare(&tag.name));
        // The clauses of a function are one symbol.
        let clauses = matches!(file.language, "elixir" | "haskell");
        let near = |at: &u64| clauses || at.abs_diff(tag.line) <= LINES;
        let found = places.is_some_and(|places| places.iter().any(near));
        if !found && is_inner(file, &tag) {
            continue;
        }
        tally.tags += 1;
        if found {
            tally.found += 1;
        } else if options.misses {
            let state = if file.stumbles { "stumbles" } else { "reads" };
            let (path, line) = (file.path.display(), tag.line);
            println!("{} {state} {path}:{line} {} {}: {}", file.language, tag.kind, tag.name, line_at(line).trim());
        }
    }
}

/// The last part of a name, without what the two write differently.
fn bare(name: &str) -> String {
    let operator = name
        .strip_prefix("operator")
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.'));
    let last = if operator { name } else { name.rsplit(['.', ':']).next().unwrap_or(name) };
    last.chars().filter(|c| !c.is_whitespace() && !matches!(c, '`' | '"' | '\'')).collect()
}

/// Words that ctags takes for names.
const KEY_WORDS: &str = " if else for while switch return catch do case default sizeof when try get set new function \
    defined typeof foreach using lock constructor def self instance deriving decltype forward skip where operator \
    class extends pattern infix infixl infixr role family _ ";

/// Whether ctags made a name up: it does not stand on its line, it is a key word, a macro that looks like a function or
/// a variable, it stands in a comment, or its language does not define names so.
fn made_up(tag: &Tag, line: &str, language: &str) -> bool {
    let name = tag.name.rsplit(['.', ':']).next().unwrap_or(&tag.name);
    let plain = name.trim_start_matches("operator").trim().trim_matches(['`', '"']);
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let whole =
        line.match_indices(plain).any(|(at, _)| !line[at + plain.len()..].starts_with(word) || !plain.ends_with(word));
    let comment = line.trim_start().starts_with("//") || line.trim_start().starts_with("* ");
    name.starts_with("__anon")
        || name.to_lowercase().starts_with("anonymous")
        || KEY_WORDS.contains(&format!(" {name} "))
        || matches!(tag.kind.as_str(), "describe" | "context")
        || comment
        || !whole
        || match language {
            "c" | "cpp" => {
                let capitals = !name.contains(|c: char| c.is_lowercase());
                capitals && (tag.kind == "function" || line.contains('('))
            }
            "csharp" => line.contains("where ") || tag.kind == "macro" || tag.kind == "method" && is_call(line, plain),
            "kotlin" => line.contains("for ("),
            "javascript" | "typescript" => is_no_declaration(tag, line, plain),
            "bash" => !is_plain(name) || !(line.trim_start().starts_with("function") || before_parenthesis(line, name)),
            "lua" => !is_plain(name) || line.contains("require"),
            "haskell" => is_no_binding(tag, line, plain),
            _ => false,
        }
}

fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || "_-.:".contains(c))
}

fn before_parenthesis(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| line[at + name.len()..].trim_start().starts_with('('))
}

/// Whether a line of C# calls a method, or has a type of that name: ctags does not know statements outside of classes, nor tuples.
fn is_call(line: &str, name: &str) -> bool {
    let places: Vec<usize> = line.match_indices(name).map(|(at, _)| at).collect();
    let after =
        |at: usize| line[at + name.len()..].starts_with(['(', '<', ' ']) && before_parenthesis(&line[at..], name);
    let alone = |at: usize| !line[..at].trim_start().contains(' ') && line.trim_end().ends_with(';');
    let chained = |at: usize| line[..at].ends_with(").");
    !places.iter().any(|at| (after(*at) || line[at + name.len()..].starts_with('<')) && !alone(*at) && !chained(*at))
}

/// Whether a name of JavaScript is only that of an object, or one that a function or class expression knows itself by.
fn is_no_declaration(tag: &Tag, line: &str, name: &str) -> bool {
    let ends = |at: usize| !line[at + name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let places: Vec<usize> = line.match_indices(name).map(|(at, _)| at).filter(|at| ends(*at)).collect();
    let itself = |at: &usize| {
        let before = line[..*at].trim_end().trim_end_matches('*').trim_end();
        let before = before.strip_suffix("function").or_else(|| before.strip_suffix("class"));
        let before = before.map(|before| before.trim_end().trim_end_matches("async").trim_end());
        before.is_some_and(|before| {
            before.ends_with(['=', '(', ',', ':', '?', '[', '&', '|', '!']) || before.ends_with("return")
        })
    };
    let owner = |at: &usize| line[*at + name.len()..].starts_with('.');
    let class = format!("class {name}");
    let function = [format!("function {name}"), format!("{name} = function"), format!("{name} = class")];
    let object = tag.kind == "class" && !line.contains(&class) && !function.iter().any(|form| line.contains(form));
    object || places.iter().any(itself) || places.iter().all(owner)
}

/// Whether a line of Haskell binds something else: a type in a signature, a splice, an operator between its operands.
fn is_no_binding(tag: &Tag, line: &str, name: &str) -> bool {
    let lower = name.starts_with(|c: char| c.is_lowercase() || c == '_' || c == '(');
    let after = line.trim_start().strip_prefix(name).map_or("", str::trim_start);
    let operator = after.starts_with(|c: char| "!#$%&*+./<>?@\\^|-~`".contains(c)) && !after.starts_with("| ");
    let splice = line.starts_with("$(") || line.contains("''");
    tag.kind == "function" && (!lower || splice || operator)
}

/// Whether a name is none of the file's own: it stands in a string or a comment, and in a file that the grammar reads, it
/// is local to a function, or only a function expression knows itself by it.
fn is_inner(file: &Seen, tag: &Tag) -> bool {
    let Some(tree) = file.tree.as_ref() else { return false };
    let start: usize = file.text.split_inclusive('\n').take(tag.line as usize - 1).map(str::len).sum();
    let line = file.text[start..].lines().next().unwrap_or_default();
    let name = tag.name.rsplit(['.', ':']).next().unwrap_or(&tag.name);
    let Some(offset) = line.find(name) else { return false };
    let at = start + offset;
    let mut node = tree.root_node().descendant_for_byte_range(at, at + 1);
    let own = node.and_then(|node| node.parent()).is_some_and(|parent| parent.kind().contains("function_expression"));
    let mut functions = 0;
    while let Some(around) = node {
        let kind = around.kind();
        let quoted = ["string", "heredoc", "comment", "template", "quoted"].iter().any(|part| kind.contains(part));
        if quoted && !around.has_error() {
            return true;
        }
        let body = around.child_by_field_name("body").is_some_and(|body| body.byte_range().contains(&at));
        functions += usize::from(body && (kind.contains("function") || kind.contains("method")) || kind == "do_block");
        node = around.parent();
    }
    if file.stumbles {
        return false;
    }
    let lambda = file.language == "python" && line.contains("lambda");
    own || functions > 0 && (lambda || matches!(file.language, "javascript" | "typescript" | "lua" | "ruby" | "bash"))
}
