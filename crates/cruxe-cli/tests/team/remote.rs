//! A laptop that starts from what the team has indexed.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::Team;

#[test]
fn a_clone_starts_from_the_teams_index_and_reads_its_own_edits_alone() {
    let Some(team) = Team::new() else { return };
    let repo = team.repo("org/app", &[("a.py", "def one(): pass\n"), ("b.py", "def two(): pass\n")]);
    team.work("w1");
    let clone = team.path("clone");
    repo.git(&["clone", "--quiet", repo.folder.to_str().unwrap(), clone.to_str().unwrap()]);
    std::fs::write(clone.join("b.py"), "def mine(): pass\n").unwrap();
    let node = team.start_node("n1", &[]);
    let run = |token: &str, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cruxe"));
        command.args(arguments).arg("--json").current_dir(&clone);
        command.env("CRUXE_HOME", team.path("laptop")).env("CRUXE_TOKEN", token);
        let output = command.output().unwrap();
        let value: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        (output.status.success(), value)
    };
    let some = team.token("some", &[&["org/app", "--ref", "main"]]);
    assert!(!run(&some, &["remote", "add", &node.address]).0, "a token for some refs may not have the whole index");
    let all = team.token("all", &[&["org/app"]]);
    let (ok, report) = run(&all, &["remote", "add", &node.address]);
    assert!(ok, "{report}");
    assert_eq!((&report["taken"], &report["read_here"]), (&json!(true), &json!(1)), "{report}");
    let located = |name: &str| run(&all, &["locate", name]).1["results"][0]["path"].as_str().map(str::to_owned);
    assert_eq!(
        (located("one").as_deref(), located("mine").as_deref(), located("two")),
        (Some("a.py"), Some("b.py"), None)
    );
    assert_eq!(run(&all, &["remote", "list"]).1["remotes"][0]["name"], "org/app");
}
