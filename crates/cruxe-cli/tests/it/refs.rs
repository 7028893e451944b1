//! Other refs and other workspaces.

use serde_json::json;

use crate::support::{Repo, Sandbox, places, sources};

/// `main` with `newer`, branch `feat/old` and tag `v1` with `older`.
fn history(sandbox: &Sandbox) -> (Repo<'_>, String) {
    let repo = sandbox.repo("history", &[("a.py", "def older():\n    pass\n")]);
    repo.git(&["branch", "feat/old"]);
    repo.git(&["tag", "-a", "v1", "-m", "one"]);
    let old = repo.git(&["rev-parse", "HEAD"]);
    repo.write("a.py", "import os\n\ndef newer():\n    pass\n");
    repo.commit("second");
    (repo, old)
}

#[test]
fn branches_tags_and_commits_answer_once_they_are_indexed() {
    let sandbox = Sandbox::new();
    let (repo, old) = history(&sandbox);
    let mut client = repo.server();
    client.ready();
    for name in ["feat/old", "v1", &old] {
        let error = client.error("locate_symbol", json!({"name": "older", "ref": name}));
        assert_eq!((&error["code"], &error["data"]["ref"]), (&json!("ref_not_indexed"), &json!(name)));
        let status = client.ok("index_status", json!({"ref": name}));
        assert_eq!((&status["index_status"], &status["file_count"]), (&json!("not_indexed"), &json!(0)));

        let job = client.ok("index_repo", json!({"ref": name}));
        assert_eq!(
            (&job["mode"], &job["status"], &job["file_count"]),
            (&json!("full"), &json!("running"), &json!(null))
        );
        assert_eq!(client.wait_for_job(&job["job_id"])["status"], "published");
        let answer = client.ok("locate_symbol", json!({"name": "older", "ref": name}));
        assert_eq!((places(&answer), &answer["metadata"]["ref"]), (vec!["a.py:1".to_owned()], &json!(name)));
        assert_eq!(answer["metadata"]["freshness_status"], "fresh");
        let outline = client.ok("get_file_outline", json!({"path": "a.py", "ref": name}));
        assert_eq!(outline["symbols"][0]["name"], "older");
        let status = client.ok("index_status", json!({"ref": name}));
        assert_eq!((&status["file_count"], &status["last_indexed_commit"]), (&json!(1), &json!(old)));
    }
    assert_eq!(client.places("newer"), ["a.py:3"]);
    assert_eq!(places(&client.ok("locate_symbol", json!({"name": "newer", "ref": "main"}))), ["a.py:3"]);
    let older = client.ok("locate_symbol", json!({"name": "older"}));
    assert!(older["metadata"].get("warnings").is_some() || places(&older).is_empty(), "{older}");
}

#[test]
fn a_ref_that_git_does_not_know_is_said_to_be_not_indexed() {
    let sandbox = Sandbox::new();
    let (repo, _) = history(&sandbox);
    let mut client = repo.server();
    client.ready();
    for (tool, arguments) in [
        ("locate_symbol", json!({"name": "older", "ref": "nonesuch"})),
        ("get_file_outline", json!({"path": "a.py", "ref": "nonesuch"})),
        ("index_repo", json!({"ref": "nonesuch"})),
        ("sync_repo", json!({"ref": "nonesuch"})),
    ] {
        let error = client.error(tool, arguments);
        assert_eq!((&error["code"], &error["data"]["ref"]), (&json!("ref_not_indexed"), &json!("nonesuch")), "{tool}");
    }
    assert_eq!(client.ok("index_status", json!({"ref": "nonesuch"}))["index_status"], "not_indexed");
}

#[test]
fn a_branch_that_moved_is_stale_until_it_is_synced() {
    let sandbox = Sandbox::new();
    let (repo, _) = history(&sandbox);
    repo.cruxe(&["index", "--ref", "feat/old"]).ok();
    repo.git(&["branch", "-f", "feat/old", "main"]);
    let mut client = repo.server();
    client.ready();
    let ask = json!({"name": "newer", "ref": "feat/old", "freshness_policy": "best_effort"});
    let answer = client.ok("locate_symbol", ask.clone());
    assert_eq!((places(&answer), &answer["metadata"]["freshness_status"]), (vec![], &json!("stale")));
    let job = client.ok("sync_repo", json!({"ref": "feat/old"}));
    client.wait_for_job(&job["job_id"]);
    let answer = client.ok("locate_symbol", ask);
    assert_eq!(
        (places(&answer), &answer["metadata"]["freshness_status"]),
        (vec!["a.py:3".to_owned()], &json!("fresh"))
    );
}

#[test]
fn another_registered_workspace_answers_and_an_unknown_one_is_refused() {
    let sandbox = Sandbox::new();
    let here = sandbox.repo("here", &[("a.py", "def here():\n    pass\n")]);
    let there = sandbox.repo("there", sources::SERVICE);
    let nowhere = sandbox.repo("nowhere", sources::SERVICE);
    there.cruxe(&["index"]).ok();
    let mut client = here.server();
    client.ready();
    let answer = client.ok("locate_symbol", json!({"name": "Claims", "workspace": there.root}));
    assert_eq!(places(&answer), ["src/auth/jwt.rs:4"]);
    let outline = client.ok("get_file_outline", json!({"path": "src/auth/error.rs", "workspace": there.root}));
    assert_eq!(outline["symbols"][0]["name"], "TokenError");
    let inside = there.root.join("src/auth");
    assert_eq!(client.ok("health_check", json!({"workspace": inside}))["projects"][0]["repo_root"], json!(there.root));
    assert_eq!(client.ok("index_status", json!({"workspace": there.root}))["file_count"], 7);
    for tool in ["locate_symbol", "get_file_outline", "index_repo", "sync_repo", "index_status", "health_check"] {
        for unknown in [nowhere.root.clone(), sandbox.path("does/not/exist"), "/".into()] {
            let error = client.error(tool, json!({"name": "x", "path": "x", "workspace": unknown}));
            assert_eq!(error["code"], "workspace_not_registered", "{tool} {unknown:?}");
        }
    }
    assert_eq!(client.places("here"), ["a.py:1"]);
}

#[test]
fn linked_worktrees_share_an_index_and_answer_for_their_own_branch() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("main-tree", &[("a.py", "def shared():\n    pass\n")]);
    repo.git(&["worktree", "add", "-q", "-b", "side", "../side-tree"]);
    let side = sandbox.folder("side-tree", &[("b.py", "def only_on_side():\n    pass\n")]);
    repo.cruxe(&["index"]).ok();
    side.cruxe(&["index"]).ok();
    assert_eq!(repo.project_dir(), side.project_dir());
    let (mut one, mut two) = (repo.server(), side.server());
    one.ready();
    two.ready();
    let answer = two.ok("locate_symbol", json!({"name": "only_on_side"}));
    assert_eq!((places(&answer), &answer["metadata"]["ref"]), (vec!["b.py:1".to_owned()], &json!("side")));
    let answer = one.ok("locate_symbol", json!({"name": "only_on_side"}));
    assert_eq!((places(&answer), &answer["metadata"]["ref"]), (vec![], &json!("main")));
    for client in [&mut one, &mut two] {
        let answer = client.ok("locate_symbol", json!({"name": "shared", "freshness_policy": "strict"}));
        assert_eq!(places(&answer), ["a.py:1"]);
    }
}
