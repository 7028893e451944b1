//! What a worker that was killed leaves in its folder, and what became of a repository whose published state is no good.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::support::{Repo, Team, files, until};

/// A definition on the line that tells which push it is of.
fn source(number: usize) -> String {
    format!("{}def marker(): pass\n", "\n".repeat(number))
}

fn push(team: &Team, repo: &Repo, number: usize) {
    repo.push(&[("a.py", &source(number))]);
    team.run(&["repo", "sync", "org/app"]);
}

/// What a node that has nothing yet says, once it says what is meant.
fn is_answered(team: &Team, node: &str, line: usize) {
    let token = team.token(node, &[&["*"]]);
    let node = team.start_node(node, &[]);
    let expected = format!("a.py:{line}");
    until("the push is answered", Duration::from_secs(30), || {
        node.locate(&token, "org/app", "marker").is_ok_and(|found| found == [expected.as_str()])
    });
}

/// A folder with a `git` that ends whoever ran it once some command of it is done.
fn killing_git(team: &Team, after: &str) -> PathBuf {
    let real = Command::new("sh").args(["-c", "command -v git"]).output().unwrap();
    let real = String::from_utf8(real.stdout).unwrap();
    let folder = team.path("bin");
    fs::create_dir_all(&folder).unwrap();
    let git = folder.join("git");
    let script = format!(
        "#!/bin/sh\n{} \"$@\"\ncode=$?\ncase \" $* \" in *\" {after} \"*) kill -9 $PPID ;; esac\nexit $code\n",
        real.trim()
    );
    fs::write(&git, script).unwrap();
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

#[test]
fn what_was_fetched_before_a_kill_is_not_taken_for_what_was_published() {
    let Some(team) = Team::new() else { return };
    let repo = team.repo("org/app", &[("a.py", &source(0))]);
    team.work("w2");
    push(&team, &repo, 1);
    // This one has nothing yet: it brings the published state, fetches the push, and dies.
    let folder = team.path("w1");
    let mut command = team.command(&["work", "--once", "--name", "w1", "--folder", folder.to_str().unwrap()]);
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{}:{path}", killing_git(&team, "pack-refs").display()));
    assert_eq!(command.output().unwrap().status.signal(), Some(9), "it was killed");
    let refs = files(&folder).into_iter().find(|path| path.ends_with("org/app.git/packed-refs")).unwrap();
    let refs = fs::read_to_string(refs).unwrap();
    assert!(refs.contains(&repo.git(&["rev-parse", "HEAD"])), "after it had fetched: {refs}");
    assert_eq!(team.sql("SELECT count(*) FROM state"), "1", "and before it published");
    team.sql("UPDATE job SET leased_until = now()");
    assert_eq!(team.work("w1"), 1);
    assert_eq!(team.run(&["status"])["repos"][0]["problem"], Value::Null);
    is_answered(&team, "n1", 2);
}

#[test]
fn a_published_state_that_cannot_be_put_together_is_superseded_by_the_next_push() {
    let Some(team) = Team::new() else { return };
    let repo = team.repo("org/app", &[("a.py", &source(0))]);
    team.work("w1");
    // A state whose files are said to be in bytes of the state before: published by a worker that has the files and the pages of the second
    // state and believes that they are those of the first.
    let of_w1 =
        |end: &str| files(&team.path("w1")).into_iter().find(|path| path.ends_with(format!("org/app{end}"))).unwrap();
    let (record, state) = (fs::read(of_w1(".state")).unwrap(), team.sql("SELECT state FROM published"));
    let refs = team.sql("SELECT refs FROM published");
    push(&team, &repo, 1);
    team.work("w1");
    fs::write(of_w1(".state"), record).unwrap();
    team.sql(&format!("UPDATE published SET state = {state}, refs = '{refs}'"));
    team.run(&["repo", "sync", "org/app"]);
    team.work("w1");
    let token = team.token("alice", &[&["*"]]);
    let node = team.start_node("n1", &[]);
    let problem = node.locate(&token, "org/app", "marker").unwrap_err().to_string();
    assert!(problem.contains("is not what was published"), "{problem}");

    push(&team, &repo, 2);
    assert_eq!(team.work("w2"), 1);
    assert_eq!(team.run(&["status"])["repos"][0]["problem"], Value::Null);
    until("the node answers again", Duration::from_secs(30), || {
        node.locate(&token, "org/app", "marker").is_ok_and(|found| found == ["a.py:3"])
    });
    is_answered(&team, "n2", 3);
}
