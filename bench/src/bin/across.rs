//! One question over many repositories: how long it takes, and whether the right repository comes first.
//!
//! Every folder of a set is a repository. They are indexed into one home (again only where they are not), then a server is asked with
//! `workspace: "*"`: names that their sources define, and sentences that stand above definitions. The expected answer is the
//! repository that the name or sentence was taken from; a name is asked for only where no other repository of the set says it is its own.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{BufRead, BufReader, Error, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clap::Parser;
use serde_json::{Value, json};

/// Ask many repositories at once.
#[derive(Parser)]
struct Args {
    /// The folder whose folders are repositories
    set: PathBuf,
    /// Where their indexes are kept; a temporary folder if left out
    #[arg(long)]
    home: Option<PathBuf>,
    /// The program to measure
    #[arg(long, default_value = "target/release/cruxe")]
    cruxe: PathBuf,
    /// How many names and how many sentences are asked
    #[arg(long, default_value_t = 200)]
    samples: usize,
}

type Outcome<T> = Result<T, Error>;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Outcome<()> {
    let temporary = tempfile::tempdir()?;
    let home = args.home.clone().unwrap_or_else(|| temporary.path().to_owned());
    let mut repositories: Vec<PathBuf> =
        fs::read_dir(&args.set)?.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    repositories.sort();
    index(args, &home, &repositories)?;
    let first = repositories.first().ok_or_else(|| Error::other("the set is empty"))?;
    let samples = Samples::of(&repositories, args.samples);
    let mut server = Server::start(args, &home, first)?;
    let (made, _) = server.ask("locate_symbol", &json!({"name": "main", "workspace": "*"}))?;
    println!(
        "{} repositories; {} names, {} sentences\n",
        repositories.len(),
        samples.names.len(),
        samples.sentences.len()
    );
    println!("directories read or made, first question: {:.1} s", made.as_secs_f64());
    println!(
        "\n| question | processor, ms | p50, ms | p95, ms | slowest | right repository first | among ten |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    );
    server.measure("`locate_symbol`, a name", &samples.names, |name| {
        ("locate_symbol", json!({"name": name, "workspace": "*"}))
    })?;
    server.measure("`search_code`, a name", &samples.names, |name| {
        ("search_code", json!({"query": name, "workspace": "*"}))
    })?;
    server.measure("`search_code`, a sentence", &samples.sentences, |text| {
        ("search_code", json!({"query": text, "workspace": "*"}))
    })?;
    server.measure("`locate_symbol`, names that many have", &samples.common, |name| {
        ("locate_symbol", json!({"name": name, "workspace": "*"}))
    })?;
    println!("\nmemory of the server: {:.0} MB", server.memory()? as f64 / 1e6);
    let (directories, indexes) = sizes(&home)?;
    println!("directories: {:.1} MB, indexes {:.1} MB", directories as f64 / 1e6, indexes as f64 / 1e6);
    Ok(())
}

/// Indexes the repositories that are not, two at a time.
fn index(args: &Args, home: &Path, repositories: &[PathBuf]) -> Outcome<()> {
    let known = Command::new(&args.cruxe).arg("projects").arg("--json").env("CRUXE_HOME", home).output()?;
    let known: Value = serde_json::from_slice(&known.stdout).unwrap_or_default();
    let roots: Vec<&str> =
        known["projects"].as_array().into_iter().flatten().filter_map(|project| project["root"].as_str()).collect();
    let missing: Vec<&PathBuf> =
        repositories.iter().filter(|path| !roots.iter().any(|root| Path::new(root) == path.as_path())).collect();
    let (next, began) = (AtomicUsize::new(0), Instant::now());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(path) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = Command::new(&args.cruxe)
                        .arg("--workspace")
                        .arg(path)
                        .arg("index")
                        .env("CRUXE_HOME", home)
                        .stdout(Stdio::null())
                        .stderr(Stdio::null())
                        .status();
                    if !outcome.is_ok_and(|status| status.success()) {
                        eprintln!("not indexed: {}", path.display());
                    }
                }
            });
        }
    });
    println!("indexed {} of {} in {:.0} s", missing.len(), repositories.len(), began.elapsed().as_secs_f64());
    Ok(())
}

/// What is asked, each with the repository that it is from.
#[derive(Default)]
struct Samples {
    names: Vec<(String, String)>,
    sentences: Vec<(String, String)>,
    common: Vec<(String, String)>,
}

/// Words before a name that a source makes public.
const BEFORE: [&str; 9] = [
    "pub fn ",
    "pub struct ",
    "pub enum ",
    "pub trait ",
    "class ",
    "export function ",
    "export class ",
    "func ",
    "public class ",
];
/// Bytes of sources that are read of a repository, and questions of each kind that are taken from it.
const READ: usize = 2 << 20;
const EACH: usize = 2;

impl Samples {
    fn of(repositories: &[PathBuf], count: usize) -> Samples {
        let mut owners: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut sentences: Vec<(String, usize)> = Vec::new();
        for (at, repository) in repositories.iter().enumerate() {
            let (mut names, mut said) = (Vec::new(), Vec::new());
            read(repository, &mut names, &mut said);
            names.sort();
            names.dedup();
            names.into_iter().for_each(|name| owners.entry(name).or_default().push(at));
            sentences.extend(spread(said, EACH).into_iter().map(|text| (text, at)));
        }
        let named = |at: usize| repositories[at].file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut of: HashMap<usize, Vec<String>> = HashMap::new();
        let mut common: Vec<(usize, String)> = Vec::new();
        for (name, having) in owners {
            match having.as_slice() {
                [only] if name.len() > 5 => of.entry(*only).or_default().push(name),
                many if many.len() > repositories.len() / 50 => common.push((many.len(), name)),
                _ => {}
            }
        }
        let mut names: Vec<(String, String)> = Vec::new();
        for at in 0..repositories.len() {
            let own = of.remove(&at).unwrap_or_default();
            names.extend(spread(own, EACH).into_iter().map(|name| (name, named(at))));
        }
        common.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        Samples {
            names: spread(names, count),
            sentences: spread(sentences, count).into_iter().map(|(text, at)| (text, named(at))).collect(),
            common: common.into_iter().take(count / 4).map(|(_, name)| (name, String::new())).collect(),
        }
    }
}

/// So many of a list, evenly.
fn spread<T>(list: Vec<T>, count: usize) -> Vec<T> {
    let step = (list.len() / count.max(1)).max(1);
    list.into_iter().step_by(step).take(count).collect()
}

/// The public names of a repository's sources, and the sentences right above definitions.
fn read(repository: &Path, names: &mut Vec<String>, sentences: &mut Vec<String>) {
    let mut folders = vec![repository.to_owned()];
    let mut left = READ;
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<PathBuf> =
            fs::read_dir(&folder).into_iter().flatten().flatten().map(|it| it.path()).collect();
        entries.sort();
        for path in entries {
            let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
            let aside = ["test", "example", "bench", "vendor", "third_party", "docs", "."];
            if path.is_dir() && !aside.iter().any(|word| name.starts_with(word)) {
                folders.push(path);
            } else if [".rs", ".py", ".ts", ".js", ".go", ".java"].iter().any(|end| name.ends_with(end))
                && !name.contains("test")
            {
                let text = fs::read_to_string(&path).unwrap_or_default();
                if text.len() > left {
                    return;
                }
                left -= text.len();
                take(&text, names, sentences);
            }
        }
    }
}

fn take(text: &str, names: &mut Vec<String>, sentences: &mut Vec<String>) {
    let mut above = "";
    for line in text.lines() {
        let plain = line.trim_start();
        let defined = BEFORE.iter().find_map(|word| plain.strip_prefix(word));
        if let Some(rest) = defined.filter(|_| plain == line) {
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if !name.is_empty() {
                names.push(name);
                let said = above.trim_start_matches(['/', '#', '*', ' ']);
                let words = said.split_whitespace().count();
                if (6..=20).contains(&words) && said.is_ascii() && !said.contains(['`', '[', '"', '<']) {
                    sentences.push(said.to_owned());
                }
            }
        }
        if plain.starts_with("///") || plain.starts_with("// ") || plain.starts_with('*') {
            above = if above.is_empty() { plain } else { above };
        } else if !plain.starts_with("#[") {
            above = "";
        }
    }
}

/// A server that is asked over stdio.
struct Server {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    fn start(args: &Args, home: &Path, own: &Path) -> Outcome<Server> {
        let mut process = Command::new(&args.cruxe)
            .arg("--workspace")
            .arg(own)
            .args(["serve-mcp", "--no-watch"])
            .env("CRUXE_HOME", home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let missing = || Error::other("the server has no pipes");
        let requests = process.stdin.take().ok_or_else(missing)?;
        let answers = BufReader::new(process.stdout.take().ok_or_else(missing)?);
        Ok(Server { process, requests, answers })
    }

    fn ask(&mut self, tool: &str, arguments: &Value) -> Outcome<(Duration, Value)> {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": tool, "params": arguments});
        let began = Instant::now();
        writeln!(self.requests, "{request}")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let took = began.elapsed();
        let answer: Value = serde_json::from_str(&line).map_err(Error::other)?;
        Ok((took, answer["result"].clone()))
    }

    fn measure(
        &mut self,
        title: &str,
        samples: &[(String, String)],
        question: impl Fn(&str) -> (&'static str, Value),
    ) -> Outcome<()> {
        let (mut times, mut first, mut among) = (Vec::new(), 0, 0);
        let before = self.processor_time()?;
        for (text, repository) in samples {
            let (tool, arguments) = question(text);
            let (took, answer) = self.ask(tool, &arguments)?;
            times.push(took);
            let found: Vec<&str> = answer["results"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|one| one["repository"].as_str())
                .collect();
            first += usize::from(found.first() == Some(&repository.as_str()));
            among += usize::from(found.contains(&repository.as_str()));
            if std::env::var_os("ACROSS_MISSES").is_some() && found.first() != Some(&repository.as_str()) {
                eprintln!("{tool} {text:?}: {repository}, not {found:?}");
            }
        }
        times.sort();
        let at = |part: f64| times.get(((times.len() as f64 * part) as usize).min(times.len().saturating_sub(1)));
        let ms = |time: Option<&Duration>| time.map_or(0.0, |time| time.as_secs_f64() * 1e3);
        let percent = |count: usize| match samples.first().is_some_and(|(_, repository)| !repository.is_empty()) {
            true => format!("{:.1} %", 100.0 * count as f64 / samples.len() as f64),
            false => "–".to_owned(),
        };
        let (p50, p95, slowest) = (ms(at(0.5)), ms(at(0.95)), ms(times.last()));
        // What the clock says depends on who else is at work; this does not.
        let work = ms(Some(&(self.processor_time()? - before))) / samples.len().max(1) as f64;
        println!(
            "| {title} | {work:.1} | {p50:.1} | {p95:.1} | {slowest:.1} | {} | {} |",
            percent(first),
            percent(among)
        );
        Ok(())
    }

    /// What the server has worked, to a hundredth of a second.
    fn processor_time(&self) -> Outcome<Duration> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
        Ok(Duration::from_millis(10 * (ticks(11) + ticks(12))))
    }

    fn memory(&self) -> Outcome<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        let kilobytes: u64 = line.trim().trim_end_matches(" kB").trim().parse().unwrap_or(0);
        Ok(kilobytes * 1024)
    }
}

/// Bytes of all directories, and of everything.
fn sizes(home: &Path) -> Outcome<(u64, u64)> {
    let (mut directories, mut all, mut folders) = (0, 0, vec![home.join("projects")]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)?.flatten() {
            let found = entry.metadata()?;
            if found.is_dir() {
                folders.push(entry.path());
            } else {
                all += found.len();
                directories += if entry.file_name() == "directory" { found.len() } else { 0 };
            }
        }
    }
    Ok((directories, all))
}
