//! Questions over all repositories that a token may see.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Node, Team, until};

fn answer(node: &Node, token: &str, tool: &str, mut arguments: Value, workspace: Value) -> Value {
    arguments["workspace"] = workspace;
    node.ask(token, tool, arguments).unwrap()
}

/// The repositories that an answer names.
fn named(answer: &Value) -> BTreeSet<String> {
    let results = answer["results"].as_array().cloned().unwrap_or_default();
    let name = |one: &Value| one["repository"].as_str().or(one["workspace"].as_str()).map(str::to_owned);
    results.iter().filter_map(name).collect()
}

/// What may differ between two servers that know the same: times, and how long something took.
fn plain(mut answer: Value) -> Value {
    if let Some(metadata) = answer.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|name, _| !name.ends_with("_ms") && !name.ends_with("_at"));
    }
    answer
}

#[test]
fn all_means_all_that_the_token_may_see_and_nothing_else_shows() {
    let Some(team) = Team::new() else { return };
    let names = ["org/a", "org/b", "org/c", "other/d"];
    let fill = |team: &Team, names: &[&str]| {
        for name in names {
            let own = format!("def common(): pass\n\ndef only_{}(): common()\n", name.replace('/', "_"));
            team.repo(name, &[("a.py", &own), ("pyproject.toml", "[project]\nname = \"x\"\n")]);
        }
        team.work("w1");
    };
    fill(&team, &names);
    let node = team.start_node("n1", &[]);
    // Every set of grants, against a fresh server that has the allowed repositories alone.
    for bits in [0b0001usize, 0b0110, 0b1011] {
        let allowed: Vec<&str> =
            names.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, name)| *name).collect();
        let grants: Vec<[&str; 1]> = allowed.iter().map(|name| [*name]).collect();
        let grants: Vec<&[&str]> = grants.iter().map(|grant| grant.as_slice()).collect();
        let token = team.token(&format!("t{bits}"), &grants);
        // The node hears of a new grant in a moment.
        let expected: BTreeSet<String> = allowed.iter().map(|name| (*name).to_owned()).collect();
        until("the grants are known", Duration::from_secs(10), || {
            let asked = json!({"name": "common", "workspace": "*"});
            node.ask(&token, "locate_symbol", asked).is_ok_and(|found| named(&found) == expected)
        });
        let fresh = Team::new().unwrap();
        fill(&fresh, &allowed);
        let fresh_token = fresh.token("t", &[&["*"]]);
        let fresh_node = fresh.start_node("n1", &[]);
        for (tool, arguments) in [
            ("locate_symbol", json!({"name": "common"})),
            ("locate_symbol", json!({"name": "only_org_c"})),
            ("locate_symbol", json!({"name": "onl_org_"})),
            ("search_code", json!({"query": "common"})),
            ("search_code", json!({"query": "only other d"})),
        ] {
            let ours = plain(answer(&node, &token, tool, arguments.clone(), json!("*")));
            let theirs = plain(answer(&fresh_node, &fresh_token, tool, arguments.clone(), json!("*")));
            assert_eq!(ours, theirs, "{tool} {arguments} with {allowed:?}");
        }
    }
}

#[test]
fn a_list_names_repositories_and_those_that_are_not_indexed_are_told() {
    let Some(team) = Team::new() else { return };
    for name in ["org/a", "org/b"] {
        team.repo(name, &[("a.py", "def common(): pass\n")]);
    }
    team.work("w1");
    team.run(&["repo", "add", "org/later", "/nowhere", "--poll", "0"]);
    let token = team.token("alice", &[&["org/*"]]);
    let node = team.start_node("n1", &[]);
    let one = answer(&node, &token, "locate_symbol", json!({"name": "common"}), json!(["org/b"]));
    assert_eq!(named(&one), BTreeSet::from(["org/b".to_owned()]), "{one}");
    let all = answer(&node, &token, "locate_symbol", json!({"name": "common"}), json!("*"));
    assert!(all.to_string().contains("org/later"), "{all}");
}

#[test]
fn a_node_without_memory_for_directories_answers_the_same() {
    let Some(team) = Team::new() else { return };
    for name in ["org/a", "org/b", "org/c"] {
        team.repo(name, &[("a.py", &format!("def common(): pass\n\ndef in_{}(): pass\n", name.replace('/', "_")))]);
    }
    team.work("w1");
    let (token, some) = (team.token("alice", &[&["*"]]), team.token("bob", &[&["org/a"]]));
    let (roomy, tight) = (team.start_node("n1", &[]), team.start_node("n2", &["--directories", "0"]));
    for name in ["common", "in_org_b", "nothing"] {
        let ask = |node: &Node| plain(answer(node, &token, "locate_symbol", json!({"name": name}), json!("*")));
        assert_eq!(ask(&roomy), ask(&tight), "{name}");
    }
    let figure = |node: &Node, token: &str| {
        let (status, text) = node.page("/team/v1/metrics", &[("authorization", &format!("Bearer {token}"))]);
        let line = text.lines().find(|line| line.starts_with("cruxe_team_directory_bytes"));
        (status, line.map(|line| line.ends_with(" 0")))
    };
    until("they are read", Duration::from_secs(10), || figure(&roomy, &token) == (200, Some(false)));
    assert_eq!(figure(&tight, &token), (200, Some(true)));
    assert_eq!(figure(&tight, &some), (403, None), "who may not see all is not told how many there are");
}
