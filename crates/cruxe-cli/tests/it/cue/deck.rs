//! `init`, `clean`, `open`, and what every command has in common.

use std::fs;

use super::{card, cue, cue_in, deck, fails};
use crate::support::{Sandbox, run};

#[test]
fn init_makes_a_deck_and_a_second_one_changes_nothing() {
    let sandbox = Sandbox::new();
    let repo = sandbox.folder("work", &[(".gitignore", "target/\n*.log")]);
    let text = cue(&sandbox, &repo, &["init"]).ok();
    assert!(text.contains("wrote .cuedeck/cards, .cuedeck/docs, .cuedeck/config.toml, .gitignore"), "{text}");
    assert!(repo.root.join(".cuedeck/cards").is_dir() && repo.root.join(".cuedeck/docs").is_dir());
    let ignore = || fs::read_to_string(repo.root.join(".gitignore")).unwrap();
    assert_eq!(ignore(), "target/\n*.log\n.cuedeck/.cache/\n.cuedeck/SCENE.md\n");
    repo.write(".cuedeck/config.toml", "# mine\n");
    repo.write(".cuedeck/cards/abc123.md", card("A", "todo", "", ""));
    assert!(cue(&sandbox, &repo, &["init"]).ok().contains("complete already"));
    let config = || fs::read_to_string(repo.root.join(".cuedeck/config.toml")).unwrap();
    assert_eq!(config(), "# mine\n");
    let report = cue(&sandbox, &repo, &["init", "--force", "--json"]).json();
    assert_eq!(report["written"], serde_json::json!([".cuedeck/config.toml"]));
    assert!(config().contains("token_limit = 32000"));
    assert!(repo.root.join(".cuedeck/cards/abc123.md").is_file());
    assert_eq!(ignore().matches(".cuedeck").count(), 2);
}

#[test]
fn init_belongs_to_the_repository_and_other_commands_find_it_from_below() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work", &[("src/deep/a.rs", "fn a() {}\n")]);
    let below = repo.root.join("src/deep");
    run(cue_in(&sandbox, &repo).current_dir(&below).arg("init")).ok();
    assert!(repo.root.join(".cuedeck/cards").is_dir());
    let made = run(cue_in(&sandbox, &repo).current_dir(&below).args(["card", "new", "From below", "--json"])).json();
    assert!(repo.root.join(made["path"].as_str().unwrap()).is_file());
    let root = repo.root.to_str().unwrap();
    let listed = run(cue_in(&sandbox, &repo).current_dir("/").args(["list", "--workspace", root])).ok();
    assert!(listed.contains("From below"));
}

#[test]
fn without_a_deck_commands_say_how_to_start_one() {
    let sandbox = Sandbox::new();
    let repo = sandbox.folder("empty", &[]);
    for arguments in [
        &["scene", "-d"][..],
        &["list"],
        &["doctor"],
        &["clean"],
        &["graph"],
        &["watch"],
        &["open"],
        &["card", "new", "X"],
        &["card", "show", "abc123"],
    ] {
        fails(&cue(&sandbox, &repo, arguments), 1, &["there is no deck", "cue init"]);
    }
    let none = sandbox.path("none");
    fails(&cue(&sandbox, &repo, &["list", "--workspace", none.to_str().unwrap()]), 1, &["is no folder"]);
}

#[test]
fn exit_codes_tell_what_is_wrong() {
    let sandbox = Sandbox::new();
    let repo = deck(&sandbox, &[]);
    for wrong in [
        &["frobnicate"][..],
        &["scene", "--no-such-flag"],
        &["scene", "--token-limit", "lots"],
        &["scene", "--token-limit", "0"],
        &["card"],
        &["card", "new"],
        &["card", "juggle"],
        &["card", "show", "UPPER1"],
        &["list", "--status", "someday"],
        &["list", "--created", "yesterday"],
        &["doctor", "--yes"],
        &[],
    ] {
        let run = cue(&sandbox, &repo, wrong);
        assert_eq!((run.code, run.stdout.as_str()), (Some(4), ""), "{wrong:?}: {}", run.transcript());
        assert!(!run.stderr.is_empty());
    }
    fails(&cue(&sandbox, &repo, &["card", "show", "abc123"]), 1, &["there is no card abc123"]);
    fails(&cue(&sandbox, &repo, &["scene", "--config", "none.toml"]), 2, &["none.toml"]);
    repo.write(".cuedeck/config.toml", "[core]\ntoken_limit = \"many\"\n");
    fails(
        &cue(&sandbox, &repo, &["scene", "-d"]),
        2,
        &["config.toml:2:15", "token_limit = \"many\"", "cue init --force"],
    );
    assert_eq!(cue(&sandbox, &repo, &["--version"]).code, Some(0));
}

#[test]
fn errors_are_json_where_json_was_asked_for() {
    let sandbox = Sandbox::new();
    let repo = deck(&sandbox, &[]);
    let run = cue(&sandbox, &repo, &["card", "show", "abc123", "--json"]);
    assert_eq!(run.code, Some(1));
    let error: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(error["error"]["code"], 1001);
    assert_eq!(error["error"]["message"], "there is no card abc123");
    assert!(error["error"]["data"]["suggestion"].as_str().is_some_and(|text| !text.is_empty()));
}

#[test]
fn clean_removes_the_cache_and_nothing_else() {
    let sandbox = Sandbox::new();
    let repo = deck(&sandbox, &[(".cuedeck/.cache/junk/file.bin", "junk"), (".cuedeck/SCENE.md", "scene")]);
    repo.write(".cuedeck/cards/abc123.md", card("A", "todo", "", ""));
    assert_eq!(cue(&sandbox, &repo, &["clean"]).ok(), "removed 1 file, 4 bytes\n");
    assert!(!repo.root.join(".cuedeck/.cache").exists());
    assert!(repo.root.join(".cuedeck/cards/abc123.md").is_file() && repo.root.join(".cuedeck/SCENE.md").is_file());
    assert_eq!(cue(&sandbox, &repo, &["clean"]).ok(), "the cache is empty\n");
}

#[test]
fn open_without_a_terminal_lists_what_matches() {
    let sandbox = Sandbox::new();
    let repo =
        deck(&sandbox, &[("docs/api.md", "# API\n"), ("docs/auth.md", "# Auth\n"), ("src/api.rs", "fn api() {}\n")]);
    repo.write(".cuedeck/cards/abc123.md", card("Rework the API", "todo", "", ""));
    let found = cue(&sandbox, &repo, &["open", "api"]);
    assert!(found.stderr.contains("no terminal"));
    assert_eq!(found.ok(), ".cuedeck/cards/abc123.md  Rework the API [todo]\ndocs/api.md\n");
    let nothing = cue(&sandbox, &repo, &["open", "zebra"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (Some(1), ""));
}

#[test]
fn a_deck_that_a_link_leads_out_to_is_refused() {
    let sandbox = Sandbox::new();
    let repo = sandbox.folder("work", &[]);
    fs::create_dir_all(sandbox.path("elsewhere/cards")).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(sandbox.path("elsewhere"), repo.root.join(".cuedeck")).unwrap();
        fails(&cue(&sandbox, &repo, &["card", "new", "X"]), 1, &[".cuedeck is a link"]);
        assert_eq!(fs::read_dir(sandbox.path("elsewhere/cards")).unwrap().count(), 0);
    }
}
