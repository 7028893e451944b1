//! What a node knows of the tables: it reads what changed since it last looked, and misses nothing.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::{Node, Team, until};

const SOON: Duration = Duration::from_secs(30);

/// The repositories that a node knows, each with where it comes from.
fn known(node: &Node, token: &str) -> Vec<(String, String)> {
    let (_, text) = node.page("/team/v1/repos", &[("authorization", &format!("Bearer {token}"))]);
    let answer: Value = serde_json::from_str(&text).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    answer["repos"].as_array().unwrap().iter().map(|one| (text(&one["name"]), text(&one["url"]))).collect()
}

fn add(team: &Team, name: &str, url: &str) {
    team.run(&["repo", "add", name, url, "--poll", "0"]);
}

#[test]
fn repositories_come_go_and_move_and_a_node_knows() {
    let Some(team) = Team::new() else { return };
    add(&team, "org/a", "/a");
    let token = team.token("alice", &[&["*"]]);
    let node = team.start_node("n1", &[]);
    let pair = |name: &str, url: &str| (name.to_owned(), url.to_owned());
    assert_eq!(known(&node, &token), [pair("org/a", "/a")]);
    add(&team, "org/b", "/b");
    until("one came", SOON, || known(&node, &token) == [pair("org/a", "/a"), pair("org/b", "/b")]);
    add(&team, "org/a", "/elsewhere");
    until("one moved", SOON, || known(&node, &token) == [pair("org/a", "/elsewhere"), pair("org/b", "/b")]);
    // Nothing but the number of rows tells of the first of these, and the two together leave that as it was.
    team.sql(
        "DELETE FROM repo WHERE name = 'org/a'; INSERT INTO repo (name, url, refs, depth, poll_seconds, hook_secret)
        VALUES ('org/c', '/c', '{HEAD}', 1, 0, '')",
    );
    until("one went as another came", SOON, || known(&node, &token) == [pair("org/b", "/b"), pair("org/c", "/c")]);
    team.run(&["repo", "remove", "org/b"]);
    until("one went", SOON, || known(&node, &token) == [pair("org/c", "/c")]);
}

#[test]
fn what_a_transaction_did_that_began_before_a_look_and_ended_after_it_is_not_missed() {
    let Some(team) = Team::new() else { return };
    add(&team, "org/a", "/a");
    let token = team.token("alice", &[&["*"]]);
    let node = team.start_node("n1", &[]);
    let mut psql = Command::new("psql");
    psql.args(["-XAtq", &team.database_address()]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut late = psql.spawn().unwrap();
    let (mut input, mut output) = (late.stdin.take().unwrap(), BufReader::new(late.stdout.take().unwrap()));
    input.write_all(b"BEGIN; UPDATE repo SET url = '/late' WHERE name = 'org/a' RETURNING url;\n").unwrap();
    let mut said = String::new();
    output.read_line(&mut said).unwrap();
    assert_eq!(said, "/late\n");
    for name in ["org/b", "org/c"] {
        add(&team, name, "/later");
        until("the node looks on", SOON, || known(&node, &token).iter().any(|(known, _)| known == name));
    }
    assert_eq!(known(&node, &token)[0].1, "/a");
    input.write_all(b"COMMIT;\n").unwrap();
    drop(input);
    assert!(late.wait().unwrap().success());
    until("the node knows what it did", SOON, || known(&node, &token)[0].1 == "/late");
}
