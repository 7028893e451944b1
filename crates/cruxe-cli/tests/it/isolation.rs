//! Whatever happened to a repository: each ref shows the symbols of a fresh checkout of it, no more and no fewer.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{Client, Random, Repo, Sandbox};

/// How many histories are tried; `CRUXE_HISTORIES` asks for more.
fn histories() -> u64 {
    std::env::var("CRUXE_HISTORIES").ok().and_then(|count| count.parse().ok()).unwrap_or(12)
}

const STEPS: u64 = 8;
const BRANCHES: [&str; 3] = ["main", "feat/one", "two"];

fn path(random: &mut Random) -> String {
    ["a.py", "b.py", "pkg/c.py", "pkg/deep/d.py"][random.below(4) as usize].to_owned()
}

/// Something that happens to a repository.
fn step(repo: &Repo<'_>, random: &mut Random, number: u64) {
    let path = path(random);
    let exists = repo.root.join(&path).exists();
    match random.below(7) {
        0 | 1 => repo.write(&path, format!("def f{}():\n    pass\n\n\ndef g{number}():\n    pass\n", random.below(6))),
        2 if exists => repo.remove(&path),
        3 if exists => {
            repo.write(&format!("moved/m{}.py", random.below(3)), std::fs::read(repo.root.join(&path)).unwrap());
            repo.remove(&path);
        }
        4 => drop(repo.commit("step")),
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
                0 => drop(repo.git(&["merge", "-q", "-X", "ours", "-m", "merge", "-s", "ort", other])),
                _ => drop(repo.git(&["checkout", "-q", other])),
            }
        }
    }
}

/// Every (path, symbol) of the files that are there.
fn truth(root: &std::path::Path) -> BTreeSet<(String, String)> {
    let (mut found, mut folders) = (BTreeSet::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten().filter(|entry| entry.file_name() != ".git") {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let path = entry.path().strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            let text = std::fs::read_to_string(entry.path()).unwrap();
            let names = text.lines().filter_map(|line| line.strip_prefix("def ")?.strip_suffix("():"));
            found.extend(names.map(|name| (path.clone(), name.to_owned())));
        }
    }
    found
}

/// Every (path, symbol) that the tools show for a ref.
fn shown(client: &mut Client, ref_name: &str, names: &BTreeSet<String>) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for name in names {
        let answer = client.ok("locate_symbol", json!({"name": name, "ref": ref_name, "freshness_policy": "strict"}));
        let results = answer["results"].as_array().unwrap();
        let exact = results.iter().filter(|result| result["name"] == Value::String(name.clone()));
        found.extend(exact.map(|result| (result["path"].as_str().unwrap().to_owned(), name.clone())));
    }
    found
}

#[test]
fn every_ref_shows_what_a_fresh_checkout_has() {
    for seed in 1..=histories() {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo("repo", &[("a.py", "def f0():\n    pass\n")]);
        let mut random = Random::new(seed);
        for round in 0..2 {
            (0..STEPS).for_each(|number| step(&repo, &mut random, round * STEPS + number));
            let current = repo.git(&["branch", "--show-current"]);
            let branches = repo.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
            let mut truths = vec![(current.clone(), truth(&repo.root))];
            for branch in branches.lines().filter(|branch| **branch != *current) {
                let fresh = sandbox.path(&format!("fresh-{round}-{}", branch.replace('/', "-")));
                repo.git(&["clone", "-q", "-b", branch, ".", fresh.to_str().unwrap()]);
                truths.push((branch.to_owned(), truth(&fresh)));
            }
            let names: BTreeSet<String> =
                truths.iter().flat_map(|(_, truth)| truth).map(|(_, name)| name.clone()).collect();
            truths.iter().for_each(|(name, _)| drop(repo.cruxe(&["index", "--ref", name]).ok()));
            let mut client = repo.server();
            client.ready();
            for (name, truth) in &truths {
                assert_eq!(shown(&mut client, name, &names), *truth, "history {seed}, round {round}, ref {name}");
            }
        }
    }
}
