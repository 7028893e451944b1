//! A hunt for wrong answers that say `fresh`: a server that watches, random ordinary operations on a repository, and
//! questions after each. What is true is what git lists and what the files hold at that moment.
//!
//! `CRUXE_OPERATIONS` asks for more operations, `CRUXE_SEED` for the history of one seed.

mod operations;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Client, DEADLINE, Random, Repo, Sandbox};

/// A history is short enough that what went before a failure can be read.
const OPERATIONS: u64 = 100;

fn histories() -> std::ops::RangeInclusive<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    match number("CRUXE_SEED") {
        Some(seed) => seed..=seed,
        None => 1..=number("CRUXE_OPERATIONS").unwrap_or(300).div_ceil(OPERATIONS),
    }
}

/// The functions of every file that is to be indexed.
type Truth = BTreeMap<String, BTreeSet<String>>;

/// The functions that a text defines; `None` for one that is no text.
fn defined(bytes: &[u8]) -> Option<BTreeSet<String>> {
    if bytes.contains(&0) {
        return None;
    }
    let text = String::from_utf8_lossy(bytes);
    Some(text.lines().filter_map(|line| line.strip_prefix("def ")?.strip_suffix("():")).map(str::to_owned).collect())
}

/// Whether a path is a file that no link leads to.
fn is_plain(root: &Path, path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let kind = |count: usize| fs::symlink_metadata(root.join(parts[..count].join("/"))).map(|found| found.file_type());
    (1..parts.len()).all(|count| kind(count).is_ok_and(|kind| kind.is_dir()))
        && kind(parts.len()).is_ok_and(|kind| kind.is_file())
}

/// One history.
struct Hunt<'a> {
    sandbox: &'a Sandbox,
    repo: Repo<'a>,
    client: Client,
    random: Random,
    seed: u64,
    log: Vec<String>,
    next_name: u64,
    /// Every name that there ever was: what is gone must be gone.
    names: Vec<String>,
    /// How many answers said `fresh`.
    fresh: u64,
}

impl Hunt<'_> {
    fn truth(&self) -> Truth {
        let listed = self.repo.git(&["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let hidden = fs::read_to_string(self.repo.root.join(".cruxeignore")).unwrap_or_default();
        let mut truth = Truth::new();
        for path in listed.split('\0').filter(|path| !path.is_empty() && is_plain(&self.repo.root, path)) {
            let is_hidden = hidden.lines().any(|line| path.rsplit('/').next() == Some(line));
            let names = fs::read(self.repo.root.join(path)).ok().and_then(|bytes| defined(&bytes));
            if let Some(names) = names.filter(|_| !is_hidden) {
                truth.insert(path.to_owned(), names);
            }
        }
        truth
    }

    fn fail(&self, what: &str, answer: &Value) -> ! {
        let log = self.log.join("\n  ");
        panic!("seed {}, after these operations:\n  {log}\n{what}\n{answer}", self.seed);
    }

    /// Asks a tool. The answer, or the error, and whether it says `fresh`.
    fn ask(&mut self, tool: &str, arguments: Value) -> (Result<Value, Value>, bool) {
        let answer = self.client.answer(tool, arguments);
        let status = match &answer {
            Ok(answer) => answer["metadata"]["freshness_status"].clone(),
            Err(error) => error["data"]["freshness_status"].clone(),
        };
        self.fresh += u64::from(status == "fresh");
        (answer, status == "fresh")
    }

    /// Asks about a name; whether the answer is right, and whether it is fresh.
    fn locate(&mut self, truth: &Truth, name: &str, policy: &str) -> (bool, bool, Value) {
        let question = json!({"name": name, "limit": 1000, "freshness_policy": policy});
        let (answer, fresh) = self.ask("locate_symbol", question);
        let answer = answer.unwrap_or_else(|error| self.fail("an error", &error));
        let results = answer["results"].as_array().unwrap().iter().filter(|found| found["name"] == name);
        let shown: BTreeSet<&str> = results.map(|found| found["path"].as_str().unwrap()).collect();
        let wanted: BTreeSet<&str> =
            truth.iter().filter(|(_, names)| names.contains(name)).map(|(path, _)| path.as_str()).collect();
        (shown == wanted, fresh, answer)
    }

    /// Asks one tool or another; a wrong answer that says `fresh` ends the hunt.
    fn question(&mut self) {
        let truth = self.truth();
        let policy = ["best_effort", "balanced"][self.random.below(2) as usize];
        // What was written last is asked for more often than what is long gone.
        let far = if self.random.below(2) == 0 { 3 } else { self.names.len() as u64 };
        let back = 1 + self.random.below(far) as usize;
        let name = self.names[self.names.len().saturating_sub(back)].clone();
        let place = || truth.iter().find(|(_, names)| names.contains(&name)).map(|(path, _)| path.clone());
        let (right, fresh, shown) = match self.random.below(8) {
            0 => {
                let (answer, fresh) = self.ask("index_status", json!({}));
                let count = answer.as_ref().map_or(Value::Null, |answer| answer["file_count"].clone());
                (count == truth.len(), fresh, json!({"shown": answer.ok(), "true": truth.keys().collect::<Vec<_>>()}))
            }
            1 => {
                let question = json!({"symbol_name": name, "freshness_policy": policy});
                let (answer, fresh) = self.ask("find_references", question);
                let found = !matches!(&answer, Err(error) if error["code"] == "symbol_not_found");
                (found == place().is_some(), fresh, json!({"name": name, "answer": format!("{answer:?}")}))
            }
            2 => {
                let known: Vec<&String> = truth.keys().collect();
                let any = || known.get(back % known.len().max(1)).map_or("none.py".to_owned(), |path| (*path).clone());
                let path = place().unwrap_or_else(any);
                let (answer, fresh) = self.ask("get_file_outline", json!({"path": path}));
                let shown = answer.as_ref().ok().map(|answer| {
                    let symbols = answer["symbols"].as_array().unwrap().iter();
                    symbols.map(|symbol| symbol["name"].as_str().unwrap().to_owned()).collect::<BTreeSet<String>>()
                });
                (shown == truth.get(&path).cloned(), fresh, json!({"path": path, "answer": format!("{answer:?}")}))
            }
            3 => {
                let question = json!({"query": name, "freshness_policy": policy});
                let (answer, fresh) = self.ask("search_code", question);
                let answer = answer.unwrap_or_else(|error| self.fail("an error", &error));
                let results = answer["results"].as_array().unwrap();
                let exists = |found: &Value| truth.contains_key(found["path"].as_str().unwrap());
                let found = results.iter().any(|found| found["name"] == name.as_str());
                (results.iter().all(exists) && found == place().is_some(), fresh, answer)
            }
            _ => self.locate(&truth, &name, policy),
        };
        if fresh && !right {
            let now = self.truth();
            self.fail(&format!("wrong and fresh; asked about {name}; true: {now:?}"), &shown);
        }
    }

    /// Waits until everything is known as it is.
    fn catch_up(&mut self) {
        let (truth, names) = (self.truth(), self.names.clone());
        let last: Vec<&String> = names.iter().rev().take(4).collect();
        for name in last {
            let started = Instant::now();
            loop {
                let (right, fresh, answer) = self.locate(&truth, name, "best_effort");
                if fresh && !right {
                    self.fail(&format!("wrong and fresh; asked about {name}; true: {truth:?}"), &answer);
                }
                if fresh {
                    break;
                }
                if started.elapsed() > DEADLINE {
                    let log = self.client.log();
                    self.fail(&format!("not fresh in time; asked about {name}; the server's log:\n{log}"), &answer);
                }
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    }
}

fn hunt(seed: u64) -> u64 {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("above/repo", &[]);
    for number in 0..30 {
        let folder = operations::FOLDERS[number % operations::FOLDERS.len()];
        repo.write(&format!("{folder}/m{number}.py"), format!("def first_{number:03}():\n    return 1\n"));
    }
    repo.commit("second");
    let mut client = repo.watching_server();
    client.ready();
    let names = (0..30).map(|number| format!("first_{number:03}")).collect();
    let random = Random::new(seed);
    let mut hunt =
        Hunt { sandbox: &sandbox, repo, client, random, seed, log: Vec::new(), next_name: 0, names, fresh: 0 };
    for _ in 0..OPERATIONS {
        hunt.operate();
        for _ in 0..1 + hunt.random.below(2) {
            hunt.question();
        }
        if hunt.random.below(5) == 0 {
            hunt.catch_up();
        }
    }
    hunt.catch_up();
    hunt.fresh
}

#[test]
fn no_answer_is_wrong_and_fresh_whatever_is_done_to_the_files() {
    let histories = histories();
    let (next, fresh) = (AtomicU64::new(*histories.start()), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let seed = next.fetch_add(1, Ordering::Relaxed)
                    && seed <= *histories.end()
                {
                    fresh.fetch_add(hunt(seed), Ordering::Relaxed);
                }
            });
        }
    });
    let operations = histories.count() as u64 * OPERATIONS;
    println!("{operations} operations; {} answers said fresh, none of them wrong", fresh.load(Ordering::Relaxed));
}
