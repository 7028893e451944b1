//! Resources, prompts and completions of a node: the repository stands in the address.

use std::sync::mpsc::Receiver;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Node, Team, until};

const SOON: Duration = Duration::from_secs(30);

fn uris(list: &Value) -> Vec<&str> {
    let resources = list["resources"].as_array().unwrap();
    resources.iter().map(|one| one["uri"].as_str().unwrap()).collect()
}

fn read(node: &Node, token: &str, uri: &str) -> Result<String, Value> {
    let read = node.request(token, "resources/read", json!({"uri": uri}))?;
    assert_eq!(read["contents"][0]["uri"], uri);
    Ok(read["contents"][0]["text"].as_str().unwrap().to_owned())
}

/// Values for an argument of the template of files, or of the prompt about a symbol.
fn values(node: &Node, token: &str, argument: &str, typed: &str, known: Value) -> Vec<String> {
    let of = match argument {
        "symbol" => json!({"type": "ref/prompt", "name": "explain_symbol"}),
        _ => json!({"type": "ref/resource", "uri": "cruxe://repo/{+workspace}/-/file/{+path}{?ref}"}),
    };
    let argument = json!({"name": argument, "value": typed});
    let params = json!({"ref": of, "argument": argument, "context": {"arguments": known}});
    let answer = node.request(token, "completion/complete", params).unwrap();
    answer["completion"]["values"].as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned()).collect()
}

#[test]
fn resources_and_prompts_of_a_node_name_their_repository() {
    let Some(team) = Team::new() else { return };
    let app = team.repo("org/sub/app", &[("src/a b.py", "def one():\n    return two()\n\n\ndef two():\n    pass\n")]);
    team.repo("org/lib", &[("lib.py", "def one(): pass\n"), ("README.md", "# Lib\n")]);
    app.git(&["checkout", "--quiet", "-b", "side"]);
    let side = app.push(&[("src/a b.py", "def one():\n    return 3\n")]);
    app.git(&["checkout", "--quiet", "main"]);
    let main = app.git(&["rev-parse", "main"]);
    team.work("w1");
    let token = team.token("alice", &[&["org/*"]]);
    let node = team.start_node("n1", &[]);

    let list = node.request(&token, "resources/list", json!({})).unwrap();
    assert_eq!(uris(&list), ["cruxe://repo/org/lib", "cruxe://repo/org/sub/app"]);
    let templates = node.request(&token, "resources/templates/list", json!({})).unwrap();
    let templates: Vec<&Value> =
        templates["resourceTemplates"].as_array().unwrap().iter().map(|one| &one["uriTemplate"]).collect();
    let file = "cruxe://repo/{+workspace}/-/file/{+path}{?ref}";
    let symbol = "cruxe://repo/{+workspace}/-/symbol/{symbol}{?ref}";
    assert_eq!(templates, ["cruxe://repo/{+workspace}{?ref}", symbol, file]);

    let text = read(&node, &token, "cruxe://repo/org/sub/app").unwrap();
    let expected = format!(
        "# `org/sub/app`\n\nA file is at cruxe://repo/org/sub/app/-/file/PATH, a definition at \
         cruxe://repo/org/sub/app/-/symbol/NAME; `?ref=REF` for another ref.\n\n## Refs\n\
         - `main` at {}: 1 files, 2 symbols\n- `side` at {}: 1 files, 1 symbols\n\n## Files of `main`\n- src/a b.py\n",
        &main[..12],
        &side[..12]
    );
    assert_eq!(text, expected);
    let at = |rest: &str| read(&node, &token, &format!("cruxe://repo/org/sub/app/-/{rest}"));
    assert_eq!(at("file/src/a%20b.py").unwrap(), "def one():\n    return two()\n\n\ndef two():\n    pass\n");
    assert_eq!(at("file/src/a%20b.py?ref=side").unwrap(), "def one():\n    return 3\n");
    let two = at("symbol/two").unwrap();
    assert!(two.starts_with("# fn `a b.two`") && two.contains("## Called by\n- `a b.one` at src/a b.py:2\n"), "{two}");
    for (uri, code) in [
        ("cruxe://repo/org/sub/app/-/file/src/none.py", -32602),
        ("cruxe://repo/org/sub/app/-/file/src/a%20b.py?ref=none", -32602),
        ("cruxe://repo/org/none", -32602),
        ("cruxe://file/lib.py", -32602),
        ("cruxe://repo/org/lib/-/card/abc123", -32602),
        ("cruxe://repo/org/lib/-/doc/README.md", -32602),
    ] {
        let error = read(&node, &token, uri).unwrap_err();
        assert_eq!(error["code"], code, "{uri}: {error}");
    }

    let prompts = node.request(&token, "prompts/list", json!({})).unwrap();
    let names: Vec<&Value> = prompts["prompts"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["explain_symbol", "review_branch"], "nothing about tasks");
    assert_eq!(prompts["prompts"][0]["arguments"][0]["name"], "workspace");
    let get = |name: &str, arguments: Value| {
        let got = node.request(&token, "prompts/get", json!({"name": name, "arguments": arguments}))?;
        Ok::<_, Value>(got["messages"][0]["content"]["text"].as_str().unwrap().to_owned())
    };
    let said = "Repository `org/sub/app`: give it to every tool as `workspace`.";
    let explained = get("explain_symbol", json!({"workspace": "org/sub/app", "symbol": "two"})).unwrap();
    assert!(explained.contains(said) && explained.contains("src/a b.py:5-6"), "{explained}");
    let review = get("review_branch", json!({"workspace": "org/sub/app", "head": "side"})).unwrap();
    assert!(review.contains(said) && review.contains("- deleted fn `a b.two` src/a b.py:5"), "{review}");
    let missing = get("explain_symbol", json!({"symbol": "two"})).unwrap_err();
    assert!(missing["message"].as_str().unwrap().contains("Give `workspace`"), "{missing}");

    assert_eq!(values(&node, &token, "workspace", "org/s", json!({})), ["org/sub/app"]);
    assert_eq!(values(&node, &token, "workspace", "APP", json!({})), ["org/sub/app"]);
    let known = json!({"workspace": "org/sub/app"});
    assert_eq!(values(&node, &token, "path", "src/", known.clone()), ["src/a b.py"]);
    assert_eq!(values(&node, &token, "ref", "", known.clone()), ["main", "side"]);
    assert_eq!(values(&node, &token, "symbol", "t", known), ["a b.two"]);
    let known = json!({"workspace": "org/sub/app", "ref": "side"});
    assert_eq!(values(&node, &token, "symbol", "t", known), [] as [&str; 0]);

    let arguments = json!({"name": "two", "workspace": "org/sub/app", "detail_level": "context"});
    let call = node.request(&token, "tools/call", json!({"name": "locate_symbol", "arguments": arguments})).unwrap();
    let link = call["content"][1]["uri"].as_str().unwrap();
    assert!(link.starts_with("cruxe://repo/org/sub/app/-/symbol/sym_") && link.ends_with("?ref=main"), "{link}");
    assert_eq!(read(&node, &token, link.strip_suffix("?ref=main").unwrap()).unwrap(), two);

    let noted = || {
        team.sql("SELECT tool || ' ' || coalesce(repo, '-') || ' ' || outcome FROM call WHERE tool LIKE '%/%' ORDER BY at LIMIT 3")
    };
    let expected = "resources/list - ok\nresources/read org/sub/app ok\nresources/read org/sub/app ok";
    until("they are noted", SOON, || noted() == expected);
}

/// What was heard until something is.
fn heard_until(news: &Receiver<(String, String)>, last: &(String, String)) -> Vec<(String, String)> {
    let mut heard = Vec::new();
    while heard.last() != Some(last) {
        heard.push(news.recv_timeout(SOON).unwrap_or_else(|_| panic!("{last:?} was not told; told was {heard:?}")));
    }
    heard
}

#[test]
fn news_of_a_repository_reach_those_who_may_see_it_and_nobody_else() {
    let Some(team) = Team::new() else { return };
    let [open, closed] = ["org/open", "org/closed"].map(|name| team.repo(name, &[("a.py", "def one(): pass\n")]));
    team.work("w1");
    let alice = team.token("alice", &[]);
    let grant = team.run(&["grant", "add", "--token", "alice", "org/open"])["id"].to_string();
    let bob = team.token("bob", &[&["org/*"]]);
    let node = team.start_node("n1", &[]);
    let followed =
        ["cruxe://repo/org/open/-/file/a.py", "cruxe://repo/org/closed", "cruxe://repo/org/closed/-/file/a.py"];
    until("the grants are known", SOON, || node.locate(&alice, "org/open", "one").is_ok());
    let (to_alice, to_bob) = (node.listen(&alice, &followed), node.listen(&bob, &followed));
    let updated = |uri: &str| ("notifications/resources/updated".to_owned(), uri.to_owned());
    let list = || ("notifications/resources/list_changed".to_owned(), String::new());

    closed.push(&[("a.py", "def two(): pass\n")]);
    team.run(&["repo", "sync", "org/closed"]);
    team.work("w1");
    let mut told = [to_bob.recv_timeout(SOON).unwrap(), to_bob.recv_timeout(SOON).unwrap()];
    told.sort();
    assert_eq!(told, [updated(followed[1]), updated(followed[2])]);
    open.push(&[("a.py", "def three(): pass\n")]);
    team.run(&["repo", "sync", "org/open"]);
    team.work("w1");
    assert_eq!(heard_until(&to_alice, &updated(followed[0])), [updated(followed[0])], "nothing of the other");
    assert_eq!(heard_until(&to_bob, &updated(followed[0])), [updated(followed[0])]);

    // Her stream was begun with a grant that she has no more.
    team.run(&["grant", "remove", &grant]);
    assert_eq!(heard_until(&to_alice, &updated(followed[0])), [list(), updated(followed[0])], "it is gone");
    open.push(&[("a.py", "def four(): pass\n")]);
    team.run(&["repo", "sync", "org/open"]);
    team.work("w1");
    assert_eq!(heard_until(&to_bob, &updated(followed[0])), [updated(followed[0])]);
    team.repo("org/new", &[("a.py", "def one(): pass\n")]);
    team.run(&["grant", "add", "--token", "alice", "org/new"]);
    assert_eq!(heard_until(&to_alice, &list()), [list()], "and of what is pushed there she hears nothing");
}
