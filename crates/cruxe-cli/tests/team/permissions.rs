//! Whatever a token may see, by repository and by branch, a node that has everything answers it as a node that has nothing else.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Node, Random, Repo, Team, until};

const NAMES: [&str; 3] = ["org/app", "org/lib", "other/tool"];
const BRANCHES: [&str; 3] = ["main", "release/1", "side"];
/// What is granted: names, and patterns that other ways to write a name match, too.
const PATTERNS: [&str; 6] = ["main", "release/1", "side", "r*", "*/1", "s*"];

/// How many sets of grants are tried; each takes some seconds.
fn rounds() -> u64 {
    std::env::var("CRUXE_TEST_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2)
}

/// A repository whose branches have each something of their own beside what they share.
fn fill(repo: &Repo, name: &str) {
    let own = |branch: &str| format!("{name}_{branch}").replace(['/', '-'], "_");
    for branch in &BRANCHES[1..] {
        repo.git(&["checkout", "--quiet", "-b", branch, "main"]);
        let word = own(branch);
        let text = format!("from lib import common\n\n\ndef only_{word}():\n    return common()\n");
        repo.push(&[(&format!("{word}.py"), &text), ("lib.py", &format!("def common():\n    return \"{word}\"\n"))]);
    }
    repo.git(&["checkout", "--quiet", "main"]);
    let word = own("main");
    let text = format!("from lib import common\n\n\ndef only_{word}():\n    return common()\n");
    repo.push(&[("late.py", &text)]);
}

/// What a token is granted: a repository and, where not all of them, its branches.
type Grants = Vec<(&'static str, Option<Vec<&'static str>>)>;

fn some_grants(random: &mut Random) -> Grants {
    let mut grants = Grants::new();
    for name in NAMES {
        match random.below(4) {
            0 => {}
            1 => grants.push((name, None)),
            _ => {
                let some: Vec<&str> = PATTERNS.into_iter().filter(|_| random.below(4) == 0).collect();
                let some = if some.is_empty() { vec![PATTERNS[random.below(6) as usize]] } else { some };
                grants.push((name, Some(some)));
            }
        }
    }
    grants
}

fn token_with(team: &Team, holder: &str, grants: &Grants) -> String {
    let token = team.token(holder, &[]);
    for (name, refs) in grants {
        let mut arguments = vec!["grant", "add", "--token", holder, name];
        refs.iter().flatten().for_each(|branch| arguments.extend(["--ref", branch]));
        team.run(&arguments);
    }
    token
}

/// Everything that can be asked about some repositories and refs, forbidden ones and such as there are not among them.
fn questions(commits: &[String]) -> Vec<(&'static str, Value)> {
    let mut asked = Vec::new();
    let mut refs: Vec<Value> = vec![Value::Null];
    let names = [
        "HEAD",
        "refs/heads/side",
        "heads/1",
        "heads/release/1",
        "refs/heads/main",
        "side~1",
        "main:lib.py",
        "release/*",
        "@",
        "none",
    ];
    refs.extend(BRANCHES.into_iter().chain(names).map(|name| json!(name)));
    refs.extend(commits.iter().map(|commit| json!(commit)));
    refs.push(json!(&commits[0][..8]));
    let words = ["common", "only_org_app_side", "only_org_lib_release_1", "only_other_tool_main", "onl_org_lib"];
    for name in NAMES.into_iter().chain(["org/none", "org"]) {
        for tool in ["list_refs", "health_check", "index_status"] {
            asked.push((tool, json!({"workspace": name})));
        }
        for (at, of) in refs.iter().enumerate() {
            let mut ask = |tool: &'static str, mut arguments: Value| {
                arguments["workspace"] = json!(name);
                if !of.is_null() && arguments.get("head_ref").is_none() && arguments.get("base_ref").is_none() {
                    arguments["ref"] = of.clone();
                }
                asked.push((tool, arguments));
            };
            let word = words[at % words.len()];
            ask("locate_symbol", json!({"name": word}));
            ask("search_code", json!({"query": word}));
            ask("find_references", json!({"symbol_name": "common"}));
            ask("get_call_graph", json!({"symbol_name": "common"}));
            ask("get_file_outline", json!({"path": "lib.py"}));
            ask("get_file_outline", json!({"path": "org_app_side.py"}));
            ask("index_status", json!({}));
            if !of.is_null() {
                ask("diff_context", json!({"head_ref": of}));
                ask("diff_context", json!({"base_ref": of, "head_ref": "main"}));
                ask(
                    "compare_symbol_between_commits",
                    json!({"symbol_name": "common", "base_ref": "main", "head_ref": of}),
                );
            }
        }
    }
    for place in [json!("*"), json!(NAMES), json!(["org/lib", "org/none"]), Value::Null] {
        for word in words {
            asked.push(("locate_symbol", json!({"name": word, "workspace": place})));
            asked.push(("search_code", json!({"query": word, "workspace": place})));
        }
        asked.push(("locate_symbol", json!({"name": "common", "ref": "side", "workspace": place})));
        asked.push(("find_references", json!({"symbol_name": "common", "workspace": place})));
    }
    asked.iter_mut().for_each(|(_, arguments)| arguments.as_object_mut().unwrap().retain(|_, value| !value.is_null()));
    asked
}

/// Every request for resources, prompts and completions about the same.
fn requests(commits: &[String]) -> Vec<(&'static str, Value)> {
    let mut asked: Vec<(&str, Value)> =
        ["resources/list", "resources/templates/list", "prompts/list"].map(|method| (method, json!({}))).to_vec();
    let read = |uri: String| ("resources/read", json!({"uri": uri}));
    let complete = |of: &str, argument: &str, typed: &str, known: Value| {
        let uri = format!("cruxe://repo/{{+workspace}}{of}{{?ref}}");
        let of = json!({"type": "ref/resource", "uri": uri});
        let argument = json!({"name": argument, "value": typed});
        ("completion/complete", json!({"ref": of, "argument": argument, "context": {"arguments": known}}))
    };
    let prompt = |name: &str, arguments: Value| ("prompts/get", json!({"name": name, "arguments": arguments}));
    let (file, symbol) = ("/-/file/{+path}", "/-/symbol/{symbol}");
    for typed in ["", "o", "org/", "LIB", "tool", "x"] {
        asked.push(complete("", "workspace", typed, json!({})));
        asked.push(complete(file, "workspace", typed, json!({"workspace": "org/lib"})));
    }
    asked.push(read("cruxe://file/lib.py".to_owned()));
    asked.push(prompt("explain_symbol", json!({"symbol": "common"})));
    asked.push(complete(symbol, "symbol", "only", json!({})));
    let written = ["HEAD", "refs/heads/side", "heads/release/1", "side~1", "main:lib.py", "none"];
    let mut refs: Vec<&str> = BRANCHES.into_iter().chain(written).chain([""]).collect();
    refs.extend(commits.iter().map(String::as_str));
    for name in NAMES.into_iter().chain(["org/none", "org", "org/app/-", "../org/app"]) {
        for of in &refs {
            let at = if of.is_empty() { String::new() } else { format!("?ref={of}") };
            for what in
                ["", "/-/file/lib.py", "/-/file/org_app_side.py", "/-/symbol/common", "/-/symbol/only_org_lib_side"]
            {
                asked.push(read(format!("cruxe://repo/{name}{what}{at}")));
            }
            let known = json!({"workspace": name, "ref": of});
            asked.push(complete(file, "path", "", known.clone()));
            asked.push(complete(symbol, "symbol", "only", known));
            asked.push(prompt("explain_symbol", json!({"workspace": name, "symbol": "common", "ref": of})));
            asked.push(prompt("review_branch", json!({"workspace": name, "head": of})));
            asked.push(prompt("review_branch", json!({"workspace": name, "head": "main", "base": of})));
        }
        asked.push(complete(file, "ref", "", json!({"workspace": name})));
    }
    asked
}

/// Every page about the same.
fn pages() -> Vec<String> {
    let mut pages = vec!["/".to_owned(), "/?q=common".to_owned(), "/?q=only_org_lib_release_1".to_owned()];
    for name in NAMES.into_iter().chain(["org/none"]) {
        for page in [
            "",
            "search?q=common",
            "file/",
            "file/lib.py",
            "file/org_app_side.py",
            "branches",
            "graph",
            "symbol/common",
        ] {
            pages.push(format!("/repo/{name}/-/{page}"));
        }
        for branch in BRANCHES {
            let asked = [
                format!("search?q=only_org_app_side&ref={branch}"),
                format!("file/?ref={branch}"),
                format!("file/lib.py?ref={branch}&with=side"),
                format!("file/lib.py?part=lines&from=1&to=9&ref={branch}"),
                format!("at/lib.py?line=1&col=4&ref={branch}"),
                format!("symbol/common?part=history&ref={branch}"),
                format!("symbol/common?part=uses&ref={branch}"),
                format!("branches?base=main&head={branch}"),
                format!("graph?symbol=common&ref={branch}"),
            ];
            pages.extend(asked.iter().map(|page| format!("/repo/{name}/-/{page}")));
        }
    }
    pages
}

/// A page without what every run of a server makes for itself.
fn plain_page((status, text): (u16, String)) -> String {
    let mark = "name=\"cruxe-page\" content=\"";
    match text.split_once(mark) {
        Some((before, rest)) => format!("{status} {before}{}", rest.split_once('"').map_or("", |(_, rest)| rest)),
        None => format!("{status} {text}"),
    }
}

/// An answer without what two servers that know the same may say differently: clocks, and ids that are made of where they keep things.
fn plain(team: &Team, answer: Result<Value, Value>) -> String {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(entries) => {
                let of_the_machine = |name: &str| {
                    name.ends_with("_ms") || name.ends_with("_at") || name == "uptime_seconds" || name == "project_id"
                };
                entries.retain(|name, _| !of_the_machine(name));
                entries.values_mut().for_each(strip);
            }
            Value::Array(entries) => entries.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut answer = answer.unwrap_or_else(|error| json!({"error": error}));
    strip(&mut answer);
    let folder = team.folder.path().canonicalize().unwrap();
    let text = answer.to_string();
    assert!(!text.contains(folder.to_str().unwrap()), "where a node keeps things is nobody's business: {text}");
    text
}

fn sees(node: &Node, token: &str, grants: &Grants) -> bool {
    grants.iter().all(|(name, _)| node.ask(token, "list_refs", json!({"workspace": name})).is_ok())
        && node.ask(token, "locate_symbol", json!({"name": "common", "workspace": "*"})).is_ok()
}

#[test]
fn no_answer_says_what_a_server_with_only_the_allowed_repositories_and_branches_would_not() {
    let Some(team) = Team::new() else { return };
    let repos: Vec<Repo> = NAMES
        .iter()
        .map(|name| {
            let repo = team.repo(name, &[("lib.py", "def common():\n    return 0\n")]);
            fill(&repo, name);
            repo
        })
        .collect();
    let commits: Vec<String> = repos.iter().map(|repo| repo.git(&["rev-parse", "side"])).collect();
    team.work("w1");
    let node = team.start_node("n1", &[]);
    let (questions, requests) = (questions(&commits), requests(&commits));
    let mut differ = Differences::default();
    let mut random = Random(std::env::var("CRUXE_TEST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7));
    for round in 0..rounds() {
        let grants = some_grants(&mut random);
        let token = token_with(&team, &format!("t{round}"), &grants);
        let fresh = Team::new().unwrap();
        for (name, refs) in &grants {
            let folder = team.path("origin").join(name);
            let mut arguments = vec!["repo", "add", name, folder.to_str().unwrap(), "--poll", "0"];
            refs.as_deref().unwrap_or(&["*"]).iter().for_each(|branch| arguments.extend(["--ref", branch]));
            fresh.run(&arguments);
        }
        fresh.work("w1");
        let fresh_token = token_with(&fresh, "t", &grants);
        let fresh_node = fresh.start_node("n1", &[]);
        // A node hears of a new grant in a moment.
        for (node, token) in [(&node, &token), (&fresh_node, &fresh_token)] {
            until("the grants are known", Duration::from_secs(10), || sees(node, token, &grants));
        }
        for (tool, arguments) in &questions {
            let with_everything = plain(&team, node.ask(&token, tool, arguments.clone()));
            let with_nothing_else = plain(&fresh, fresh_node.ask(&fresh_token, tool, arguments.clone()));
            differ.compare(&with_everything, &with_nothing_else, || format!("{tool} {arguments} with {grants:?}"));
        }
        for (method, params) in &requests {
            let with_everything = plain(&team, node.request(&token, method, params.clone()));
            let with_nothing_else = plain(&fresh, fresh_node.request(&fresh_token, method, params.clone()));
            differ.compare(&with_everything, &with_nothing_else, || format!("{method} {params} with {grants:?}"));
        }
        for page in &pages() {
            let show = |node: &Node, token: &str| {
                plain_page(node.page(page, &[("authorization", &format!("Bearer {token}"))]))
            };
            let (with_everything, with_nothing_else) = (show(&node, &token), show(&fresh_node, &fresh_token));
            differ.compare(&with_everything, &with_nothing_else, || format!("{page} with {grants:?}"));
        }
    }
    eprintln!("{} answers, resources, prompts, completions and pages were compared", differ.compared);
    assert!(differ.found.is_empty(), "{} differ, among them:\n{}", differ.found.len(), differ.shown());
}

/// Answers that were compared, and those that differ.
#[derive(Default)]
struct Differences {
    compared: usize,
    found: Vec<String>,
}

impl Differences {
    fn compare(&mut self, ours: &str, theirs: &str, what: impl FnOnce() -> String) {
        self.compared += 1;
        if ours != theirs {
            let same = ours.bytes().zip(theirs.bytes()).take_while(|(a, b)| a == b).count();
            let around = |text: &str| {
                let from = text.floor_char_boundary(same.saturating_sub(120));
                text[from..].chars().take(400).collect::<String>()
            };
            self.found.push(format!("{}\n  with everything: {}\n  alone: {}", what(), around(ours), around(theirs)));
        }
    }

    fn shown(&self) -> String {
        self.found.iter().take(12).cloned().collect::<Vec<_>>().join("\n")
    }
}
