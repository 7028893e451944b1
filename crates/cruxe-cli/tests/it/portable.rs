//! An index that is carried away, and one that is cut back.

use std::fs;

use serde_json::json;

use crate::support::{Repo, Sandbox, places};

fn two_refs(sandbox: &Sandbox) -> Repo<'_> {
    let repo =
        sandbox.repo("carried", &[("a.py", "def on_main():\n    pass\n"), ("b.py", "def shared():\n    pass\n")]);
    repo.git(&["checkout", "-q", "-b", "feat"]);
    repo.write("a.py", "def on_feat():\n    pass\n");
    repo.commit("feat");
    repo.git(&["checkout", "-q", "main"]);
    repo.cruxe(&["index"]).ok();
    repo.cruxe(&["index", "--ref", "feat"]).ok();
    repo
}

#[test]
fn an_exported_index_answers_the_same_in_a_clone() {
    let sandbox = Sandbox::new();
    let repo = two_refs(&sandbox);
    let (one, two) = (sandbox.path("one.tar.zst"), sandbox.path("two.tar.zst"));
    repo.cruxe(&["state", "export", one.to_str().unwrap()]).ok();
    // Another index of the same state: made in another order, with other ids.
    repo.cruxe(&["index", "--force", "--ref", "feat"]).ok();
    repo.cruxe(&["index", "--force"]).ok();
    repo.cruxe(&["state", "export", two.to_str().unwrap()]).ok();
    assert_eq!(fs::read(&one).unwrap(), fs::read(&two).unwrap(), "equal states give equal bytes");

    let clone = sandbox.path("clone");
    repo.git(&["clone", "-q", ".", clone.to_str().unwrap()]);
    let clone = sandbox.folder("clone", &[]);
    clone.git(&["branch", "-q", "feat", "origin/feat"]);
    let report = clone.cruxe(&["state", "import", one.to_str().unwrap(), "--json"]).json();
    assert_eq!((&report["refs"], &report["file_versions"]), (&json!(["feat", "main"]), &json!(3)));
    let (mut here, mut there) = (repo.server(), clone.server());
    for (name, ref_name) in [("on_feat", "feat"), ("on_main", "main"), ("shared", "feat"), ("on_main", "feat")] {
        let ask = json!({"name": name, "ref": ref_name, "freshness_policy": "strict"});
        let (one, two) = (here.ok("locate_symbol", ask.clone()), there.ok("locate_symbol", ask));
        assert_eq!(one["results"], two["results"], "{name} in {ref_name}");
    }
    let again = sandbox.path("three.tar.zst");
    clone.cruxe(&["state", "export", again.to_str().unwrap()]).ok();
    assert_eq!(fs::read(&one).unwrap(), fs::read(&again).unwrap());
}

#[test]
fn another_repository_s_state_is_refused_unless_that_is_what_is_wanted() {
    let sandbox = Sandbox::new();
    let repo = two_refs(&sandbox);
    let licence = ("LICENSE", "Do what you want.\n");
    repo.write_all(&[licence]);
    repo.commit("licence");
    repo.cruxe(&["index"]).ok();
    let archive = sandbox.path("state.tar.zst");
    let archive = archive.to_str().unwrap();
    repo.cruxe(&["state", "export", archive]).ok();

    let own: &[(&str, &str)] = &[licence, ("a.py", "def own():\n    pass\n"), ("c.py", "def more():\n    pass\n")];
    for other in [sandbox.repo("other", own), sandbox.folder("plain", own)] {
        other.cruxe(&["index"]).ok();
        let run = other.cruxe(&["state", "import", archive]);
        assert_eq!(run.code, Some(1), "{}", run.transcript());
        assert!(run.stderr.contains("of another repository") && run.stderr.contains("--force"), "{}", run.stderr);
        assert_eq!(other.server().places("own"), ["a.py:1"], "nothing was changed");
        other.cruxe(&["state", "import", archive, "--force"]).ok();
    }
    // A clone without history and behind: it knows none of the commits.
    repo.git(&["checkout", "-q", "-b", "behind", "HEAD~1"]);
    let url = format!("file://{}", repo.root.display());
    repo.git(&["clone", "-q", "--depth", "1", "--branch", "behind", &url, sandbox.path("shallow").to_str().unwrap()]);
    let shallow = sandbox.folder("shallow", &[]);
    shallow.cruxe(&["state", "import", archive]).ok();
    // A copy that is no repository any more, one that moved, and a folder with nothing to compare.
    let copy = sandbox.folder("copy", &[("a.py", "def on_main():\n    pass\n"), ("b.py", "def shared():\n    pass\n")]);
    copy.cruxe(&["state", "import", archive]).ok();
    fs::rename(&repo.root, sandbox.path("moved")).unwrap();
    sandbox.folder("moved", &[]).cruxe(&["state", "import", archive]).ok();
    sandbox.folder("empty", &[]).cruxe(&["state", "import", archive]).ok();
}

#[test]
fn hostile_archives_are_refused_and_nothing_changes() {
    let sandbox = Sandbox::new();
    let repo = two_refs(&sandbox);
    let good = sandbox.path("good.tar.zst");
    repo.cruxe(&["state", "export", good.to_str().unwrap()]).ok();
    let bytes = fs::read(&good).unwrap();
    let generation = repo.generation();
    let mut bad: Vec<(String, Vec<u8>)> = vec![
        ("empty".into(), Vec::new()),
        ("text".into(), b"this is no archive".to_vec()),
        ("cut".into(), bytes[..bytes.len() - 40].to_vec()),
        ("half".into(), bytes[..bytes.len() / 2].to_vec()),
    ];
    for at in (8..bytes.len()).step_by(bytes.len() / 12) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x10;
        bad.push((format!("bit flipped at {at}"), flipped));
    }
    for (what, bytes) in bad {
        let path = sandbox.path("bad.tar.zst");
        fs::write(&path, bytes).unwrap();
        let run = repo.cruxe(&["state", "import", path.to_str().unwrap()]);
        assert_eq!(run.code, Some(1), "{what}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains("nothing was changed"), "{what}: {}", run.stderr);
        assert_eq!(repo.generation(), generation, "{what}");
    }
    let folders = fs::read_dir(repo.project_dir()).unwrap().flatten();
    let generations = folders.filter(|entry| entry.file_name().to_string_lossy().starts_with('g')).count();
    assert_eq!(generations, 1, "what was begun is gone");
    assert_eq!(places(&repo.server().ok("locate_symbol", json!({"name": "on_feat", "ref": "feat"}))), ["a.py:1"]);
}

#[test]
fn pruning_forgets_idle_refs_and_what_only_they_had() {
    let sandbox = Sandbox::new();
    let repo = two_refs(&sandbox);
    repo.git(&["branch", "side"]);
    repo.git(&["worktree", "add", "-q", "../side-tree", "side"]);
    repo.cruxe(&["index", "--ref", "side"]).ok();
    let recent = repo.cruxe(&["prune-overlays", "--older-than", "1", "--json"]).json();
    assert_eq!((&recent["refs"], &recent["file_versions"]), (&json!([]), &json!(0)));
    let dry = repo.cruxe(&["prune-overlays", "--older-than", "0", "--dry-run", "--json"]).json();
    assert_eq!((&dry["refs"][0]["ref"], &dry["file_versions"]), (&json!("feat"), &json!(1)));
    assert_eq!(places(&repo.server().ok("locate_symbol", json!({"name": "on_feat", "ref": "feat"}))), ["a.py:1"]);
    let tree = repo.server().ok("switch_ref", json!({"ref": "feat"}))["worktree_path"].as_str().unwrap().to_owned();
    let done = repo.cruxe(&["prune-overlays", "--older-than", "0", "--json"]).json();
    assert_eq!(
        (&done["refs"][0]["ref"], &done["refs"][1], &done["file_versions"]),
        (&json!("feat"), &json!(null), &json!(1))
    );
    assert!(!std::path::Path::new(&tree).exists());
    let mut client = repo.server();
    assert_eq!(client.error("locate_symbol", json!({"name": "on_feat", "ref": "feat"}))["code"], "ref_not_indexed");
    let kept: Vec<_> = client.ok("list_refs", json!({}))["refs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["ref"].clone())
        .collect();
    assert_eq!(kept, [json!("main"), json!("side")]);
    assert_eq!(client.places("on_main"), ["a.py:1"]);
}
