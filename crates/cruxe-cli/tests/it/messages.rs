//! A pasted message or log line that stands in the source is found first, quoted or not.

use serde_json::{Value, json};

use crate::support::{Client, Sandbox};

const DESK: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"desk\"\nversion = \"0.1.0\"\n"),
    (
        "src/lib.rs",
        "\
//! The desk counts open tickets of users and queues.

/// Counts the open tickets of a user in a queue.
pub fn open_tickets(user: &str, queue: &str) -> Result<usize, String> {
    if user.is_empty() {
        return Err(format!(\"user {} has {} open tickets in queue {}\", user, 3, queue));
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    #[test]
    fn tells() {
        assert_eq!(super::open_tickets(\"\", \"x\").unwrap_err(), \"the desk is closed today\");
    }
}
",
    ),
    (
        "aa/test_desk.py",
        "def test_desk():\n    expect('user %s has %d open tickets in queue %s')\n    expect('the desk is closed today')\n    expect('reply to %s was lost')\n",
    ),
    (
        "py/desk.py",
        "\
def close(desk):
    raise DeskError('the desk is closed today')


def lose(name, at):
    log.warning(f'reply to {name} was lost on its way at {at}')


def join(name, count):
    return 'cannot join ' + name + ' with ' + str(count) + ' other tickets'
",
    ),
    (
        "web/desk.ts",
        "export function late(user: User, n: number) {\n  throw new Error(`ticket ${user.id} is ${n} days too late`);\n}\n",
    ),
    ("docs/desk.md", "# Desk\n\nA user has open tickets in a queue. The desk is closed on Sundays, today too.\n"),
];

fn first(client: &mut Client, query: &str) -> (String, Value) {
    let answer = client.ok("search_code", json!({"query": query}));
    let results = answer["results"].as_array().unwrap();
    let scores: Vec<f64> = results.iter().map(|one| one["score"].as_f64().unwrap()).collect();
    assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]), "{query}: {scores:?}");
    let place = format!("{}:{}", results[0]["path"].as_str().unwrap(), results[0]["line_start"]);
    (place, answer)
}

#[test]
fn a_pasted_message_leads_to_the_line_that_prints_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("desk", DESK);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    for (query, expected) in [
        ("user alice has 17 open tickets in queue billing", "src/lib.rs:6"),
        ("2026-11-17 10:00:01 WARN user alice has 17 open tickets in queue billing", "src/lib.rs:6"),
        ("DeskError: the desk is closed today", "py/desk.py:2"),
        ("the desk is closed today", "py/desk.py:2"),
        ("\"the desk is closed today\"", "py/desk.py:2"),
        ("reply to bob@example.org was lost on its way at 10:31", "py/desk.py:6"),
        ("cannot join alice with 12 other tickets", "py/desk.py:10"),
        ("Error: ticket 4711 is 3 days too late", "web/desk.ts:2"),
        ("ticket 4711 is 3 days too late", "web/desk.ts:2"),
    ] {
        let (place, answer) = first(&mut client, query);
        assert_eq!(place, expected, "{query}: {answer:#}");
        assert_eq!(answer["results"][0]["result_type"], "snippet", "{query}");
    }
}

#[test]
fn a_question_about_the_same_words_is_no_message() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("desk", DESK);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    for query in ["where are open tickets of a user counted", "count open tickets of a user in a queue"] {
        let (_, answer) = first(&mut client, query);
        let results = answer["results"].as_array().unwrap();
        assert!(
            results.iter().any(|one| one["name"] == "open_tickets" && one["result_type"] == "symbol"),
            "{answer:#}"
        );
        assert!(results[0]["result_type"] != "snippet" || results[0]["path"] != "aa/test_desk.py", "{answer:#}");
    }
    let only = client.ok("search_code", json!({"query": "the desk is closed today", "tests": "only"}));
    let mut said: Vec<&str> =
        only["results"].as_array().unwrap()[..2].iter().filter_map(|one| one["path"].as_str()).collect();
    said.sort_unstable();
    assert_eq!(said, ["aa/test_desk.py", "src/lib.rs"], "the two tests that say it: {only:#}");
    assert!(!only["results"].as_array().unwrap().iter().any(|one| one["path"] == "py/desk.py"), "{only:#}");
}
