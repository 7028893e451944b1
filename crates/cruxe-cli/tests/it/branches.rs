//! Many refs in one index: listing, switching, layers.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, places, sources};

/// `main` with two files; `feat/auth`, checked out nowhere, changes one of them and adds a third.
fn two_branches(sandbox: &Sandbox) -> Repo<'_> {
    let repo =
        sandbox.repo("two", &[("kept.py", "def kept():\n    pass\n"), ("changed.py", "def before():\n    pass\n")]);
    repo.git(&["checkout", "-q", "-b", "feat/auth"]);
    repo.write("changed.py", "def after():\n    pass\n\n\ndef second():\n    pass\n");
    repo.write("added.py", "def added():\n    pass\n");
    repo.commit("branch");
    repo.git(&["checkout", "-q", "main"]);
    repo.cruxe(&["index"]).ok();
    repo.cruxe(&["index", "--ref", "feat/auth"]).ok();
    repo
}

fn entry<'a>(answer: &'a Value, name: &str) -> &'a Value {
    answer["refs"].as_array().unwrap().iter().find(|entry| entry["ref"] == name).unwrap()
}

#[test]
fn refs_are_listed_with_what_each_of_them_changes() {
    let sandbox = Sandbox::new();
    let repo = two_branches(&sandbox);
    let (main, feat) = (repo.git(&["rev-parse", "main"]), repo.git(&["rev-parse", "feat/auth"]));
    let mut client = repo.server();
    let answer = client.ok("list_refs", json!({}));
    assert_eq!((&answer["total_refs"], &answer["vcs_mode"]), (&json!(2), &json!(true)));
    assert_eq!(answer["refs"][0]["ref"], "main");
    let of = |name: &str, keys: &[&str]| -> Vec<Value> {
        keys.iter().map(|key| entry(&answer, name)[*key].clone()).collect()
    };
    let keys = ["is_default", "last_indexed_commit", "merge_base_commit", "file_count", "symbol_count", "status"];
    assert_eq!(json!(of("main", &keys)), json!([true, main, null, 2, 2, "active"]));
    assert_eq!(json!(of("feat/auth", &keys)), json!([false, feat, main, 2, 3, "active"]));
    assert_eq!(json!(of("feat/auth", &["total_file_count", "total_symbol_count"])), json!([3, 4]));

    repo.git(&["branch", "-f", "feat/auth", "main"]);
    assert_eq!(entry(&client.ok("list_refs", json!({})), "feat/auth")["status"], "stale");
    repo.git(&["branch", "-D", "feat/auth"]);
    assert_eq!(entry(&client.ok("list_refs", json!({})), "feat/auth")["status"], "deleted");
}

#[test]
fn a_folder_outside_git_has_one_ref() {
    let sandbox = Sandbox::new();
    let folder = sandbox.folder("plain", &[("a.py", "def alone():\n    pass\n")]);
    folder.cruxe(&["index"]).ok();
    let mut client = folder.server();
    let answer = client.ok("list_refs", json!({}));
    assert_eq!((&answer["total_refs"], &answer["vcs_mode"]), (&json!(1), &json!(false)));
    let live = entry(&answer, "live");
    assert_eq!((&live["is_default"], &live["last_indexed_commit"]), (&json!(true), &json!(null)));
    assert_eq!((&live["file_count"], &live["merge_base_commit"]), (&json!(1), &json!(null)));
    let switched = client.ok("switch_ref", json!({"ref": "live"}));
    assert_eq!(switched["worktree_path"], json!(folder.root));
    let found = client.ok("locate_symbol", json!({"name": "alone"}));
    assert_eq!(found["results"][0].get("source_layer"), None, "there are no layers outside git");
}

#[test]
fn a_result_says_whether_its_file_is_the_branchs_own() {
    let sandbox = Sandbox::new();
    let repo = two_branches(&sandbox);
    let mut client = repo.server();
    let mut layer = |tool: &str, key: &str, name: &str, ref_name: &str| {
        let answer = client.ok(tool, json!({key: name, "ref": ref_name}));
        answer["results"][0]["source_layer"].clone()
    };
    for (tool, key) in [("locate_symbol", "name"), ("search_code", "query")] {
        assert_eq!(layer(tool, key, "kept", "feat/auth"), "base", "{tool}");
        assert_eq!(layer(tool, key, "after", "feat/auth"), "overlay", "{tool}");
        assert_eq!(layer(tool, key, "added", "feat/auth"), "overlay", "{tool}");
        assert_eq!(layer(tool, key, "kept", "main"), "base", "{tool}");
    }
    let why = json!({"query": "kept", "result_path": "kept.py", "result_line_start": 1, "ref": "feat/auth"});
    assert_eq!(client.ok("explain_ranking", why)["result"]["source_layer"], "base");
    // An uncommitted edit is no part of any commit.
    repo.write("kept.py", "def kept():\n    return 1\n");
    repo.cruxe(&["sync"]).ok();
    let answer = client.ok("locate_symbol", json!({"name": "kept"}));
    assert_eq!(answer["results"][0]["source_layer"], "overlay");
}

#[test]
fn switching_changes_the_ref_of_this_session_alone() {
    let sandbox = Sandbox::new();
    let repo = two_branches(&sandbox);
    let feat = repo.git(&["rev-parse", "feat/auth"]);
    let (mut one, mut two) = (repo.server(), repo.server());
    let switched = one.ok("switch_ref", json!({"ref": "feat/auth"}));
    assert_eq!((&switched["ref"], &switched["previous_ref"]), (&json!("feat/auth"), &json!("main")));
    assert_eq!((&switched["status"], &switched["last_indexed_commit"]), (&json!("active"), &json!(feat)));
    assert_eq!(switched["metadata"]["ref"], "feat/auth");
    let answer = one.ok("locate_symbol", json!({"name": "after"}));
    assert_eq!((places(&answer), &answer["metadata"]["ref"]), (vec!["changed.py:1".to_owned()], &json!("feat/auth")));
    assert_eq!(one.ok("get_file_outline", json!({"path": "added.py"}))["symbols"][0]["name"], "added");
    assert_eq!(places(&one.ok("locate_symbol", json!({"name": "before", "ref": "main"}))), ["changed.py:1"]);
    assert_eq!(two.ok("locate_symbol", json!({"name": "before"}))["metadata"]["ref"], "main");
    let back = one.ok("switch_ref", json!({"ref": "main"}));
    assert_eq!((&back["previous_ref"], &back["worktree_path"]), (&json!("feat/auth"), &json!(repo.root)));
    assert_eq!(one.places("before"), ["changed.py:1"]);
}

#[test]
fn switching_makes_a_work_tree_that_follows_the_ref_and_leaves_the_branch_free() {
    let sandbox = Sandbox::new();
    let repo = two_branches(&sandbox);
    let mut client = repo.server();
    let switched = client.ok("switch_ref", json!({"ref": "feat/auth"}));
    let tree = switched["worktree_path"].as_str().unwrap().to_owned();
    let tree = Path::new(&tree);
    assert!(tree.starts_with(sandbox.cruxe_home().join("worktrees")) && tree.ends_with("feat-auth"), "{tree:?}");
    assert_eq!(fs::read_to_string(tree.join("added.py")).unwrap(), "def added():\n    pass\n");
    assert_eq!(client.ok("switch_ref", json!({"ref": "feat/auth"}))["worktree_path"], json!(tree));

    repo.git(&["checkout", "-q", "feat/auth"]);
    repo.write("added.py", "def moved_on():\n    pass\n");
    repo.commit("more");
    assert_eq!(client.ok("switch_ref", json!({"ref": "feat/auth"}))["worktree_path"], json!(repo.root));
    repo.git(&["checkout", "-q", "main"]);
    repo.cruxe(&["sync", "--ref", "feat/auth"]).ok();
    assert_eq!(client.ok("switch_ref", json!({"ref": "feat/auth"}))["worktree_path"], json!(tree));
    assert_eq!(fs::read_to_string(tree.join("added.py")).unwrap(), "def moved_on():\n    pass\n");

    // Two refs whose names differ in what a folder name cannot hold.
    repo.git(&["branch", "feat-auth", "main"]);
    repo.cruxe(&["index", "--ref", "feat-auth"]).ok();
    let other = client.ok("switch_ref", json!({"ref": "feat-auth"}))["worktree_path"].clone();
    assert_ne!(other, json!(tree));
    assert!(!Path::new(other.as_str().unwrap()).join("added.py").exists());
}

#[test]
fn a_ref_without_an_index_or_a_work_tree_cannot_be_switched_to() {
    let sandbox = Sandbox::new();
    let repo = two_branches(&sandbox);
    repo.git(&["branch", "unseen"]);
    let mut client = repo.server();
    for name in ["unseen", "nonesuch"] {
        let error = client.error("switch_ref", json!({"ref": name}));
        assert_eq!((&error["code"], &error["data"]["ref"]), (&json!("ref_not_indexed"), &json!(name)));
    }
    for (name, also) in [("unseen", "cruxe index --ref unseen"), ("nonesuch", "Check the spelling")] {
        let error = client.error("switch_ref", json!({"ref": name}));
        let advice = error["data"]["suggestion"].as_str().unwrap();
        assert!(advice.contains("index_repo") && advice.contains(also), "{advice}");
    }
    // Where the work tree would stand, something stands.
    let project = repo.project_dir();
    let id = project.file_name().unwrap();
    let folder = sandbox.cruxe_home().join("worktrees").join(id).join("feat-auth");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("mine.txt"), "x").unwrap();
    let error = client.error("switch_ref", json!({"ref": "feat/auth"}));
    assert_eq!(error["code"], "overlay_not_ready");
    assert_eq!(client.ok("locate_symbol", json!({"name": "before"}))["metadata"]["ref"], "main");
}

#[test]
fn a_branch_that_is_left_means_its_commit_again() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("left", &[("a.py", "def committed():\n    pass\n")]);
    repo.write("a.py", "def uncommitted():\n    pass\n");
    repo.cruxe(&["index"]).ok();
    repo.git(&["checkout", "-q", "-b", "other"]);
    let mut client = repo.server();
    client.ready();
    let ask = json!({"name": "uncommitted", "ref": "main", "freshness_policy": "best_effort"});
    assert_eq!(client.ok("locate_symbol", ask)["metadata"]["freshness_status"], "stale");
    repo.cruxe(&["sync", "--ref", "main"]).ok();
    let committed = client.ok("locate_symbol", json!({"name": "committed", "ref": "main"}));
    assert_eq!(places(&committed), ["a.py:1"]);
    assert_eq!(places(&client.ok("locate_symbol", json!({"name": "uncommitted"}))), ["a.py:1"]);
}

#[test]
fn a_person_who_switched_branches_is_answered_about_the_new_one() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(30)));
    repo.cruxe(&["index"]).ok();
    for round in 0..5 {
        repo.git(&["checkout", "-q", "-b", &format!("round{round}")]);
        repo.write("src/new.rs", format!("pub fn only_in_round_{round}() {{}}\n"));
        let answer = repo.cruxe(&["search", &format!("only_in_round_{round}")]).ok();
        assert!(answer.starts_with("src/new.rs:1  fn "), "{answer}");
    }
}
