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

/// Indexes a ref and returns where a name is in it.
fn indexed(repo: &Repo<'_>, ref_name: &str, name: &str) -> Vec<String> {
    repo.cruxe(&["index", "--ref", ref_name]).ok();
    let found = repo.server().ok("locate_symbol", json!({"name": name, "ref": ref_name, "freshness_policy": "strict"}));
    let exact = found["metadata"].get("warnings").is_none();
    if exact { places(&found) } else { Vec::new() }
}

#[test]
fn remote_branches_short_commits_and_ancestors_can_be_indexed() {
    let sandbox = Sandbox::new();
    let (origin, old) = history(&sandbox);
    origin.git(&["clone", "-q", ".", sandbox.path("clone").to_str().unwrap()]);
    let clone = sandbox.folder("clone", &[]);
    for name in ["origin/feat/old", &old[..9], "HEAD~1", "main^"] {
        assert_eq!(indexed(&clone, name, "older"), ["a.py:1"], "{name}");
        assert_eq!(indexed(&clone, name, "newer"), [""; 0], "{name}");
    }
}

#[test]
fn a_detached_head_is_a_ref_of_its_own() {
    let sandbox = Sandbox::new();
    let (repo, old) = history(&sandbox);
    repo.git(&["checkout", "-q", "--detach", "HEAD~1"]);
    repo.write("b.py", "def uncommitted():\n    pass\n");
    repo.cruxe(&["index"]).ok();
    let answer = repo.server().ok("locate_symbol", json!({"name": "uncommitted"}));
    assert_eq!((places(&answer), &answer["metadata"]["ref"]), (vec!["b.py:1".to_owned()], &json!(old)));
}

#[test]
fn renamed_deleted_and_rewritten_branches_are_what_git_says() {
    let sandbox = Sandbox::new();
    let (repo, _) = history(&sandbox);
    assert_eq!(indexed(&repo, "feat/old", "older"), ["a.py:1"]);
    repo.git(&["branch", "-m", "feat/old", "feat/renamed"]);
    assert_eq!(indexed(&repo, "feat/renamed", "older"), ["a.py:1"]);
    let mut client = repo.server();
    let gone = json!({"name": "older", "ref": "feat/old", "freshness_policy": "best_effort"});
    assert_eq!(client.ok("locate_symbol", gone)["metadata"]["freshness_status"], "stale", "git no longer has it");
    client.ready(); // its own first index would be in the way of ours
    // As after a forced push: the branch has another history.
    repo.git(&["checkout", "-q", "feat/renamed"]);
    repo.write("a.py", "def rewritten():\n    pass\n");
    repo.git(&["commit", "-q", "-a", "--amend", "-m", "again"]);
    repo.git(&["checkout", "-q", "main"]);
    assert_eq!(indexed(&repo, "feat/renamed", "rewritten"), ["a.py:1"]);
    assert_eq!(indexed(&repo, "feat/renamed", "older"), [""; 0]);
}

#[test]
fn shallow_clones_and_bare_repositories_answer() {
    let sandbox = Sandbox::new();
    let (origin, _) = history(&sandbox);
    let url = format!("file://{}", origin.root.display());
    origin.git(&["clone", "-q", "--depth", "1", &url, sandbox.path("shallow").to_str().unwrap()]);
    let shallow = sandbox.folder("shallow", &[]);
    assert_eq!(indexed(&shallow, "main", "newer"), ["a.py:3"]);
    let error = shallow.cruxe(&["index", "--ref", "HEAD~1"]);
    assert_eq!(error.code, Some(1), "{}", error.stdout);
    let answer = shallow.server().ok("diff_context", json!({}));
    assert_eq!(answer["changes"], json!([]));

    origin.git(&["clone", "-q", "--bare", ".", sandbox.path("bare.git").to_str().unwrap()]);
    let bare = sandbox.folder("bare.git", &[]);
    assert_eq!(indexed(&bare, "main", "newer"), ["a.py:3"]);
    assert_eq!(indexed(&bare, "feat/old", "older"), ["a.py:1"]);
}

#[test]
fn submodules_are_left_out_and_said_so() {
    let sandbox = Sandbox::new();
    let library = sandbox.repo("library", &[("lib.py", "def inside():\n    pass\n")]);
    let repo = sandbox.repo("outer", &[("a.py", "def outside():\n    pass\n")]);
    let url = library.root.to_str().unwrap();
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "lib"]);
    repo.commit("with library");
    repo.git(&["branch", "copy"]);
    let report = repo.cruxe(&["index", "--ref", "copy", "--json"]).json();
    assert_eq!(report["outcomes"]["skipped: submodule"], 1, "{report}");
    assert_eq!(indexed(&repo, "copy", "outside"), ["a.py:1"]);
    assert_eq!(indexed(&repo, "copy", "inside"), [""; 0]);
}

#[test]
fn a_merge_in_progress_is_the_work_tree_as_it_is() {
    let sandbox = Sandbox::new();
    let (repo, _) = history(&sandbox);
    repo.git(&["checkout", "-q", "feat/old"]);
    repo.write("a.py", "def older():\n    return 1\n");
    repo.commit("conflict");
    repo.git(&["checkout", "-q", "main"]);
    let merge = crate::support::run(sandbox.command("git").current_dir(&repo.root).args(["merge", "-q", "feat/old"]));
    assert_eq!(merge.code, Some(1), "the two conflict");
    repo.cruxe(&["index"]).ok();
    let text = std::fs::read_to_string(repo.root.join("a.py")).unwrap();
    assert!(text.contains("<<<<<<<"));
    assert_eq!(repo.server().places("newer").len(), 1);
}

#[test]
fn repositories_with_sha256_objects_answer() {
    let sandbox = Sandbox::new();
    let repo = sandbox.folder("sha256", &[("a.py", "def first():\n    pass\n")]);
    repo.git(&["init", "-q", "-b", "main", "--object-format=sha256"]);
    repo.commit("first");
    repo.git(&["checkout", "-q", "-b", "feat"]);
    repo.write("a.py", "def second():\n    pass\n");
    repo.commit("second");
    repo.git(&["checkout", "-q", "main"]);
    assert_eq!(indexed(&repo, "main", "first"), ["a.py:1"]);
    assert_eq!(indexed(&repo, "feat", "second"), ["a.py:1"]);
    let answer = repo.server().ok("diff_context", json!({"head_ref": "feat"}));
    assert_eq!(answer["total_changes"], 2);
    assert_eq!(answer["merge_base_commit"].as_str().unwrap().len(), 64);
}
