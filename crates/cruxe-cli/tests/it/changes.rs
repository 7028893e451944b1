//! What a branch changes, symbol by symbol, and what one symbol was at another commit.

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox};

const BEFORE: &str = "pub struct Store {
    size: u32,
}

impl Store {
    pub fn get(&self, key: &str) -> u32 {
        key.len() as u32 + self.size
    }

    pub fn put(&mut self, key: &str) {
        self.size += key.len() as u32;
    }
}

pub fn legacy(creds: &str) -> bool {
    creds.is_empty()
}

pub fn checksum(text: &str) -> u32 {
    let mut sum = 0;
    for byte in text.bytes() {
        sum = sum * 31 + u32::from(byte);
    }
    sum
}

pub fn spaced(x: u32) -> u32 { x + 1 }
";

const AFTER: &str = "pub struct Store {
    size: u32,
}

impl Store {
    pub fn get(&self, key: &str) -> u32 {
        key.len() as u32 * self.size
    }

    pub fn put(&mut self, key: &str, twice: bool) {
        self.size += key.len() as u32;
    }
}

pub fn fresh() -> bool {
    true
}

pub fn digest(text: &str) -> u32 {
    let mut sum = 0;
    for byte in text.bytes() {
        sum = sum * 31 + u32::from(byte);
    }
    sum
}

pub fn spaced(x: u32) -> u32 {
    // one more
    x + 1
}
";

/// `main` with `BEFORE`; `feat` with `AFTER`, made before `main` went on.
fn branched(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.repo(
        "branched",
        &[("src/store.rs", BEFORE), ("src/other.rs", "pub fn other() {}\n"), ("data/blob", "\0\u{1}")],
    );
    repo.git(&["checkout", "-q", "-b", "feat"]);
    repo.write("src/store.rs", AFTER);
    repo.write("data/blob", "\0\u{2}");
    repo.commit("branch");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("src/other.rs", "pub fn other() { panic!() }\n");
    repo.commit("meanwhile");
    repo.cruxe(&["index"]).ok();
    repo.cruxe(&["index", "--ref", "feat"]).ok();
    repo
}

fn told(answer: &Value) -> Vec<String> {
    let changes = answer["changes"].as_array().unwrap();
    let text = |change: &Value| {
        let cosmetic = if change["cosmetic"] == true { " cosmetic" } else { "" };
        let signature = if change["signature_changed"] == true { " signature" } else { "" };
        let (how, what) = (change["change_type"].as_str().unwrap(), change["symbol"].as_str().unwrap());
        format!("{how} {what}{signature}{cosmetic}")
    };
    changes.iter().map(text).collect()
}

#[test]
fn a_branch_is_told_symbol_by_symbol_against_its_merge_base() {
    let sandbox = Sandbox::new();
    let repo = branched(&sandbox);
    let base = repo.git(&["merge-base", "main", "feat"]);
    let mut client = repo.server();
    let answer = client.ok("diff_context", json!({"head_ref": "feat"}));
    assert_eq!((&answer["base_ref"], &answer["head_ref"]), (&json!("main"), &json!("feat")));
    assert_eq!(answer["merge_base_commit"], json!(base));
    assert_eq!(
        answer["file_changes"],
        json!([{"path": "data/blob", "change_type": "modified"}, {"path": "src/store.rs", "change_type": "modified"}])
    );
    assert_eq!(answer["affected_files"], 2);
    assert_eq!(
        told(&answer),
        [
            "modified get",
            "modified put signature",
            "added fresh",
            "deleted legacy",
            "added digest",
            "deleted checksum",
            "modified spaced cosmetic",
        ]
        .map(str::to_owned),
        "{answer:#}"
    );
    let renames = answer["metadata"]["renames"].as_array().unwrap();
    assert_eq!(renames.len(), 1, "{renames:?}");
    assert_eq!((&renames[0]["from"], &renames[0]["to"]), (&json!("store::checksum"), &json!("store::digest")));
    let get = &answer["changes"][0];
    assert_eq!(get["before"]["symbol_id"], get["after"]["symbol_id"]);
    assert_eq!(get["before"]["symbol_stable_id"], get["after"]["symbol_stable_id"]);
    assert_eq!((&get["path"], &get["lines"]), (&json!("src/store.rs"), &json!({"start": 6, "end": 8})));
    let added = answer["changes"].as_array().unwrap().iter().find(|change| change["symbol"] == "fresh").unwrap();
    assert_eq!((&added["before"], &added["after"]["kind"]), (&json!(null), &json!("fn")));

    let answer = client.ok("diff_context", json!({"head_ref": "feat", "include_cosmetic": false}));
    assert!(!told(&answer).iter().any(|change| change.contains("spaced")));
    let answer = client.ok("diff_context", json!({"head_ref": "feat", "limit": 2}));
    assert_eq!((told(&answer).len(), &answer["total_changes"]), (2, &json!(7)));
    assert_eq!(answer["metadata"]["result_completeness"], "truncated");
    let answer = client.ok("diff_context", json!({"head_ref": "feat", "path_filter": "docs/"}));
    assert_eq!((told(&answer).len(), &answer["affected_files"]), (0, &json!(0)));
}

#[test]
fn uncommitted_work_is_the_head_when_none_is_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo(
        "work",
        &[("a.py", "class A:\n    def one(self):\n        return 1\n\n    def two(self):\n        return 2\n")],
    );
    repo.write("a.py", "class A:\n    def one(self):\n        return 1\n\n    def two(self):\n        return 3\n");
    repo.write("notes.txt", "plain\n");
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let answer = client.ok("diff_context", json!({}));
    assert_eq!(told(&answer), ["modified two"], "the class is not told as well: {answer:#}");
    assert_eq!(
        answer["file_changes"],
        json!([{"path": "a.py", "change_type": "modified"}, {"path": "notes.txt", "change_type": "added"}])
    );
}

#[test]
fn branches_that_were_merged_crosswise_meet_where_git_says() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("crosswise", &[("kept.py", "def kept():\n    pass\n")]);
    for name in ["one", "two"] {
        repo.git(&["checkout", "-q", "-b", name, "main"]);
        repo.write(&format!("{name}.py"), format!("def of_{name}():\n    pass\n"));
        repo.commit(name);
    }
    repo.git(&["branch", "first", "one"]);
    repo.git(&["branch", "second", "two"]);
    repo.git(&["checkout", "-q", "one"]);
    repo.git(&["merge", "-q", "-m", "two into one", "second"]);
    repo.git(&["checkout", "-q", "two"]);
    repo.git(&["merge", "-q", "-m", "one into two", "first"]);
    repo.write("late.py", "def late():\n    pass\n");
    repo.commit("late");
    assert_eq!(repo.git(&["merge-base", "--all", "one", "two"]).lines().count(), 2);

    for name in ["one", "two"] {
        repo.cruxe(&["index", "--ref", name]).ok();
    }
    let mut client = repo.server();
    let answer = client.ok("diff_context", json!({"base_ref": "one", "head_ref": "two"}));
    let merge_base = repo.git(&["merge-base", "one", "two"]);
    assert_eq!(answer["merge_base_commit"], merge_base);
    // Seen from there the other side's function is new as well as the late one.
    let theirs = if merge_base == repo.git(&["rev-parse", "first"]) { "added of_two" } else { "added of_one" };
    assert_eq!(told(&answer), ["added late", theirs]);
}

#[test]
fn refs_that_do_not_meet_and_refs_that_are_not_indexed_are_errors() {
    let sandbox = Sandbox::new();
    let repo = branched(&sandbox);
    repo.git(&["checkout", "-q", "--orphan", "alone"]);
    repo.commit("alone");
    repo.cruxe(&["index"]).ok();
    repo.git(&["branch", "unseen", "main"]);
    let mut client = repo.server();
    let error = client.error("diff_context", json!({"base_ref": "main"}));
    assert_eq!(error["code"], "merge_base_failed");
    for arguments in [json!({"base_ref": "unseen", "head_ref": "feat"}), json!({"head_ref": "unseen"})] {
        assert_eq!(client.error("diff_context", arguments)["code"], "ref_not_indexed");
    }
    let folder = sandbox.folder("plain", &[("a.py", "def a():\n    pass\n")]);
    folder.cruxe(&["index"]).ok();
    assert_eq!(folder.server().error("diff_context", json!({}))["code"], "merge_base_failed");
}

#[test]
fn a_symbol_is_compared_between_any_two_commits() {
    let sandbox = Sandbox::new();
    let repo = branched(&sandbox);
    repo.git(&["branch", "unindexed", "feat"]);
    let first = repo.git(&["rev-parse", "--short", "main~1"]);
    let mut client = repo.server();
    let mut compare = |name: &str, base: &str, head: &str| {
        client
            .answer("compare_symbol_between_commits", json!({"symbol_name": name, "base_ref": base, "head_ref": head}))
    };
    for (base, head) in [("main", "feat"), (first.as_str(), "unindexed")] {
        let answer = compare("Store::put", base, head).unwrap();
        assert_eq!((&answer["symbol"], &answer["path"]), (&json!("put"), &json!("src/store.rs")));
        assert_eq!(answer["base_version"]["signature"], "pub fn put(&mut self, key: &str)");
        assert_eq!(answer["head_version"]["signature"], "pub fn put(&mut self, key: &str, twice: bool)");
        assert_eq!(answer["base_version"]["symbol_id"], answer["head_version"]["symbol_id"]);
        assert_eq!(
            answer["diff_summary"],
            json!({"signature_changed": true, "body_changed": false, "lines_added": 1, "lines_removed": 1,
                   "line_range_shifted": false})
        );
        let diff = answer["diff"].as_str().unwrap();
        assert!(
            diff.contains("-pub fn put(&mut self, key: &str) {\n+pub fn put(&mut self, key: &str, twice: bool) {\n"),
            "{diff}"
        );
        let answer = compare("get", base, head).unwrap();
        assert_eq!(
            (&answer["diff_summary"]["signature_changed"], &answer["diff_summary"]["body_changed"]),
            (&json!(false), &json!(true))
        );
        let added = compare("fresh", base, head).unwrap();
        assert_eq!((&added["base_version"], &added["diff_summary"]["status"]), (&json!(null), &json!("added")));
        assert_eq!(
            (&added["diff_summary"]["lines_added"], &added["diff_summary"]["lines_removed"]),
            (&json!(3), &json!(0))
        );
        let deleted = compare("legacy", base, head).unwrap();
        assert_eq!((&deleted["head_version"], &deleted["diff_summary"]["status"]), (&json!(null), &json!("deleted")));
        let same = compare("Store", base, head).unwrap();
        assert_eq!(same["diff_summary"], json!({"status": "unchanged"}), "{same:#}");
        assert_eq!(compare("nonesuch", base, head).unwrap_err()["code"], "symbol_not_found");
    }
    assert_eq!(compare("get", "main", "nonesuch").unwrap_err()["code"], "ref_not_indexed");
    let cut = json!({"symbol_name": "digest", "base_ref": "main", "head_ref": "feat", "max_tokens": 450});
    let cut = client.ok("compare_symbol_between_commits", cut);
    assert!(cut["diff"].as_str().is_none_or(|diff| !diff.contains("sum\n }")), "{cut:#}");
}
