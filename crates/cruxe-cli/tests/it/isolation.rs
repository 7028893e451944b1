//! Whatever happened to a repository: each ref shows the symbols of a fresh checkout of it, no more and no fewer.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Client, Random, Repo, Sandbox};

/// How many histories are tried; `CRUXE_HISTORIES` asks for more.
fn histories() -> u64 {
    std::env::var("CRUXE_HISTORIES").ok().and_then(|count| count.parse().ok()).unwrap_or(30)
}

const STEPS: u64 = 7;
const BRANCHES: [&str; 3] = ["main", "feat/one", "two"];

fn path(random: &mut Random) -> String {
    ["a.py", "b.py", "pkg/c.py", "pkg/deep/d.py"][random.below(4) as usize].to_owned()
}

/// Something that happens to a repository.
fn step(sandbox: &Sandbox, repo: &Repo<'_>, random: &mut Random, number: u64) {
    let path = path(random);
    let exists = repo.root.join(&path).exists();
    match random.below(16) {
        9 => repo.write(&path, ""),
        10 => repo.write(&path, "\n\n   \n"),
        11 => repo.write(&path, "def in_a_binary():\n    pass\n\0\u{1}\n"),
        // More than the limit of this home.
        12 => repo.write(&path, "# a comment and no code\n".repeat(300)),
        13 if exists => {
            repo.write(&format!("pkg/copy{}.py", random.below(2)), std::fs::read(repo.root.join(&path)).unwrap())
        }
        14 => drop(repo.cruxe(&["prune-overlays", "--older-than", "0"]).ok()),
        15 => kill_an_index_run(sandbox, repo, random),
        0 | 1 => repo.write(&path, format!("def f{}():\n    pass\n\n\ndef g{number}():\n    pass\n", random.below(6))),
        2 if exists => repo.remove(&path),
        3 if exists => {
            repo.write(&format!("moved/m{}.py", random.below(3)), std::fs::read(repo.root.join(&path)).unwrap());
            repo.remove(&path);
        }
        4 => drop(repo.commit("step")),
        7 => drop(repo.git(&["commit", "-q", "--amend", "--all", "--allow-empty", "-m", "rewritten"])),
        8 => {
            repo.commit("before it is taken back");
            repo.git(&["reset", "-q", "--hard", "HEAD~1"]);
        }
        5 => {
            repo.commit("before a switch");
            repo.git(&["checkout", "-q", "-B", BRANCHES[random.below(3) as usize]]);
        }
        _ => {
            repo.commit("before a merge or another switch");
            let other = BRANCHES[random.below(3) as usize];
            if repo.git(&["branch", "--list", other]).is_empty() {
                repo.git(&["branch", other]);
            }
            match random.below(2) {
                0 => {
                    let merge = ["merge", "-q", "-X", "ours", "-m", "merge", "-s", "ort", other];
                    let merged = sandbox.command("git").current_dir(&repo.root).args(merge).output().unwrap();
                    if !merged.status.success() {
                        repo.git(&["merge", "--abort"]); // changed here, gone there
                    }
                }
                _ => drop(repo.git(&["checkout", "-q", other])),
            }
        }
    }
}

/// Starts an index run, of what changed or of everything, and ends it as a crash would.
fn kill_an_index_run(sandbox: &Sandbox, repo: &Repo<'_>, random: &mut Random) {
    let arguments: &[&str] = if random.below(2) == 0 { &["sync"] } else { &["index", "--force"] };
    let mut command = sandbox.cruxe_in(&repo.root);
    let mut child = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // The moment of death is the point, so here it waits.
    std::thread::sleep(Duration::from_millis(random.below(120)));
    let _ = child.kill();
    child.wait().unwrap();
}

type Symbols = BTreeSet<(String, String)>;

/// The function that a line defines.
fn defined(line: &str) -> Option<String> {
    line.strip_prefix("def ")?.strip_suffix("():").map(str::to_owned)
}

/// Every (path, symbol) of the files that are there.
fn truth_on_disk(root: &std::path::Path) -> Symbols {
    let (mut found, mut folders) = (BTreeSet::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten().filter(|entry| entry.file_name() != ".git") {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let path = entry.path().strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            let text = std::fs::read_to_string(entry.path()).unwrap();
            if text.contains('\0') {
                continue; // a binary has no symbols
            }
            found.extend(text.lines().filter_map(defined).map(|name| (path.clone(), name)));
        }
    }
    found
}

/// Every (path, symbol) of the files of each branch's commit, as git has them.
fn truths_in_git(repo: &Repo<'_>, branches: &[&str]) -> Vec<(String, Symbols)> {
    if branches.is_empty() {
        return Vec::new();
    }
    let found = repo.git(&[&["grep", "-I", "--threads=1", "-e", "^def "], branches, &["--"]].concat());
    let mut truths: BTreeMap<&str, Symbols> = BTreeMap::new();
    for line in found.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(branch), Some(path), Some(text)) = (parts.next(), parts.next(), parts.next()) else {
            panic!("{line}")
        };
        let name = defined(text).unwrap_or_else(|| panic!("{line}"));
        truths.entry(branch).or_default().insert((path.to_owned(), name));
    }
    assert_eq!(truths.len(), branches.len(), "one file is in every commit");
    truths.into_iter().map(|(branch, symbols)| (branch.to_owned(), symbols)).collect()
}

/// Every (path, symbol) that the tools show for a ref.
fn shown(client: &mut Client, ref_name: &str, names: &BTreeSet<String>) -> Symbols {
    let mut found = BTreeSet::new();
    for name in names {
        let answer = client.ok("locate_symbol", json!({"name": name, "ref": ref_name, "freshness_policy": "strict"}));
        let results = answer["results"].as_array().unwrap();
        let exact = results.iter().filter(|result| result["name"] == Value::String(name.clone()));
        found.extend(exact.map(|result| (result["path"].as_str().unwrap().to_owned(), name.clone())));
    }
    found
}

/// Brings a ref up to date, or builds the index anew, and waits for it.
fn sync(client: &mut Client, ref_name: &str, force: bool) {
    let tool = if force { "index_repo" } else { "sync_repo" };
    let arguments = json!({"ref": ref_name, "force": force});
    let answer = client.result(json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": ref_name}}));
    assert_ne!(answer["isError"], true, "{answer}");
}

/// Every file has the outline that its text gives it, the ones without symbols too.
fn check_outlines(client: &mut Client, root: &std::path::Path, truth: &Symbols, context: &str) {
    for path in ["a.py", "b.py", "pkg/c.py", "pkg/deep/d.py", "pkg/copy0.py", "pkg/copy1.py"] {
        let outline = client.answer("get_file_outline", json!({"path": path}));
        let Ok(text) = std::fs::read_to_string(root.join(path)) else {
            assert!(outline.is_err_and(|error| error["code"] == "file_not_found"), "{context}: {path}");
            continue;
        };
        if text.contains('\0') || text.len() > 6000 {
            assert!(outline.is_err(), "{context}: {path} is not indexed");
            continue;
        }
        let outline = outline.unwrap_or_else(|error| panic!("{context}: {path}: {error}"));
        let shown = outline["symbols"].as_array().unwrap().iter();
        let shown: BTreeSet<&str> = shown.filter_map(|symbol| symbol["name"].as_str()).collect();
        let names: BTreeSet<&str> = truth.iter().filter(|(at, _)| at == path).map(|(_, name)| name.as_str()).collect();
        assert_eq!(shown, names, "{context}: {path}");
    }
}

fn try_history(seed: u64) {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.cruxe_home()).unwrap();
    std::fs::write(sandbox.cruxe_home().join("config.toml"), "[index]\nmax_file_bytes = 6000\n").unwrap();
    // One file is never touched, so that git has something to find in every commit.
    let repo = sandbox.repo("repo", &[("a.py", "def f0():\n    pass\n"), ("kept.py", "def kept():\n    pass\n")]);
    let mut client = repo.server();
    client.ready();
    let mut random = Random::new(seed);
    let mut names = BTreeSet::new();
    for number in 0..STEPS {
        step(&sandbox, &repo, &mut random, number);
        let branches = repo.git(&["for-each-ref", "--format=%(refname:short)%(HEAD)", "refs/heads"]);
        let current = branches.lines().find_map(|branch| branch.strip_suffix('*')).unwrap();
        let others: Vec<&str> = branches.lines().filter(|branch| !branch.ends_with('*')).map(str::trim_end).collect();
        let mut truths = truths_in_git(&repo, &others);
        truths.push((current.to_owned(), truth_on_disk(&repo.root)));
        // Names of earlier steps are asked for too: what is gone must be gone.
        names.extend(truths.iter().flat_map(|(_, truth)| truth).map(|(_, name)| name.clone()));
        let force = random.below(6) == 0;
        truths.iter().for_each(|(name, _)| sync(&mut client, name, force));
        check_outlines(&mut client, &repo.root, &truths.last().unwrap().1, &format!("history {seed}, step {number}"));
        for (name, truth) in &truths {
            assert_eq!(shown(&mut client, name, &names), *truth, "history {seed}, step {number}, ref {name}");
        }
    }
}

#[test]
fn every_ref_shows_what_a_fresh_checkout_has() {
    let next = AtomicU64::new(1);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let seed = next.fetch_add(1, Ordering::Relaxed)
                    && seed <= histories()
                {
                    try_history(seed);
                }
            });
        }
    });
}
