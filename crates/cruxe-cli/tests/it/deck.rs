//! The tools of the deck: the contract's examples as they are written, and what they refuse.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::support::{Client, DEADLINE, Repo, Sandbox, eventually};

const DOCS: &[(&str, &str)] = &[
    (
        "docs/auth.md",
        "---\ntags: [auth, security]\npriority: High\nassignee: \"@Dana\"\n---\n# Authentication\n## Login Flow\nEnter a password.\n\
         ### Lockout\nFive wrong tries lock the account.\n## OAuth Configuration\nSet the client id.\n",
    ),
    (
        "docs/api.md",
        "# API Documentation\n\nThis document...\n\n## Error Codes\nThe following error codes are returned.\n## Versioning\nv1\n",
    ),
    (
        "docs/threads.md",
        "---\ntags: [runtime]\npriority: low\n---\n# Workers\nTasks run in parallel on several threads.\n```sh\n# not a heading\n```\n",
    ),
    ("crates/cue_core/src/auth.rs", "/// A verified token.\npub struct VerifyToken {\n    secret: String,\n}\n"),
    ("config.rs", "pub fn unrelated() {}\n"),
];

fn card(title: &str, rest: &str) -> String {
    format!("---\ntitle: {title}\n{rest}---\n\n# {title}\n")
}

/// What the user says for every deck. A workspace's own configuration may not raise a limit.
fn user_settings(sandbox: &Sandbox, text: &str) {
    std::fs::create_dir_all(sandbox.cruxe_home()).unwrap();
    std::fs::write(sandbox.cruxe_home().join("cue.toml"), text).unwrap();
}

/// A workspace with the documents and cards of the contract's examples.
fn workspace(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.folder("shop", DOCS);
    repo.write(
        ".cuedeck/cards/abc123.md",
        card("Setup auth framework", "status: done\npriority: high\ntags: [auth]\n"),
    );
    repo.write(
        ".cuedeck/cards/def456.md",
        card("Create user database", "status: active\npriority: critical\nassignee: \"@lee\"\n"),
    );
    repo.write(
        ".cuedeck/cards/xyz789.md",
        card("Implement login API", "status: todo\npriority: high\nassignee: \"@dana\"\ndepends_on: [abc123, def456]\ncreated: 2024-01-01T12:00:00Z\n"),
    );
    repo.write(".cuedeck/cards/ghi012.md", card("Add login UI", "status: todo\ndepends_on: [xyz789]\n"));
    repo
}

/// The result of a tool of the deck, as MCP has it.
fn ok(client: &mut Client, tool: &str, arguments: Value) -> Value {
    let answer = client.request("tools/call", json!({"name": tool, "arguments": arguments}));
    let content = &answer["result"]["structuredContent"];
    assert!(content.is_object(), "{tool} {arguments}: {answer}");
    assert_eq!(content["metadata"]["cruxe_protocol_version"], "1.0", "{content}");
    content.clone()
}

/// The JSON-RPC error of a tool of the deck.
fn error(client: &mut Client, tool: &str, arguments: Value) -> Value {
    let answer = client.request("tools/call", json!({"name": tool, "arguments": arguments}));
    let error = &answer["error"];
    assert!(error["data"]["suggestion"].as_str().is_some_and(|text| !text.is_empty()), "{tool} {arguments}: {answer}");
    error.clone()
}

fn paths(answer: &Value) -> Vec<String> {
    answer["results"].as_array().unwrap().iter().map(|item| item["path"].as_str().unwrap().to_owned()).collect()
}

fn ids(answer: &Value) -> Vec<String> {
    answer["tasks"].as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn create_task_answers_the_contract_s_example() {
    let sandbox = Sandbox::new();
    let repo = workspace(&sandbox);
    let mut client = repo.server();
    let request = json!({
        "title": "Implement login API", "tags": ["auth", "backend"], "priority": "high",
        "assignee": "@developer", "depends_on": ["abc123", "def456"],
    });
    let answer = ok(&mut client, "create_task", request);
    let id = answer["id"].as_str().unwrap();
    assert!(id.len() == 6 && id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()), "{id}");
    assert_eq!(answer["path"], format!(".cuedeck/cards/{id}.md"));
    for (key, value) in [
        ("title", json!("Implement login API")),
        ("status", json!("todo")),
        ("priority", json!("high")),
        ("assignee", json!("@developer")),
        ("tags", json!(["auth", "backend"])),
        ("depends_on", json!(["abc123", "def456"])),
    ] {
        assert_eq!(answer["metadata"][key], value);
    }
    let text = std::fs::read_to_string(repo.root.join(answer["path"].as_str().unwrap())).unwrap();
    assert!(text.contains("assignee: \"@developer\"\n"), "{text}");
    assert!(ids(&ok(&mut client, "list_tasks", json!({}))).contains(&id.to_owned()));
    let plain = ok(&mut client, "create_task", json!({"title": "Plain"}))["metadata"].clone();
    assert_eq!((&plain["priority"], &plain["assignee"], &plain["tags"]), (&json!("medium"), &json!(null), &json!([])));
}

#[test]
fn create_task_refuses_what_the_contract_refuses() {
    let sandbox = Sandbox::new();
    let repo = workspace(&sandbox);
    let mut client = repo.server();
    let missing = error(&mut client, "create_task", json!({"title": "x", "depends_on": ["abc123", "zzzzz9"]}));
    assert_eq!(
        (&missing["data"]["kind"], &missing["data"]["missing"]),
        (&json!("DependencyNotFound"), &json!(["zzzzz9"]))
    );
    repo.write(".cuedeck/cards/aaa111.md", card("A", "depends_on: [bbb222]\n"));
    repo.write(".cuedeck/cards/bbb222.md", card("B", "depends_on: [aaa111]\n"));
    let cycle = error(&mut client, "create_task", json!({"title": "x", "depends_on": ["aaa111"]}));
    assert_eq!(
        (&cycle["code"], &cycle["message"], &cycle["data"]["kind"]),
        (&json!(1002), &json!("Cycle Detected"), &json!("CircularDependency"))
    );
    assert_eq!(cycle["data"]["cycle_path"], json!(["cards/aaa111.md", "cards/bbb222.md", "cards/aaa111.md"]));
    assert_eq!(cycle["data"]["suggestion"], "Remove reference from cards/bbb222.md");
    for bad in [
        json!({}),
        json!({"title": ""}),
        json!({"title": "x".repeat(201)}),
        json!({"title": "two\nlines"}),
        json!({"title": "x", "priority": "urgent"}),
        json!({"title": "x", "tags": "auth"}),
        json!({"title": "x", "depends_on": ["../../x"]}),
    ] {
        assert_eq!(error(&mut client, "create_task", bad.clone())["code"], -32602, "{bad}");
    }
    assert_eq!(std::fs::read_dir(repo.root.join(".cuedeck/cards")).unwrap().count(), 6);
}

#[test]
fn an_id_that_a_card_of_another_branch_has_is_not_given_again() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shop", &[("a.md", "# A\n")]);
    repo.git(&["checkout", "-qb", "other"]);
    repo.write(".cuedeck/cards/abc123.md", card("Elsewhere", ""));
    repo.commit("a card");
    repo.cruxe(&["index"]).ok();
    repo.git(&["checkout", "-q", "main"]);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let made: HashSet<String> = (0..20)
        .map(|_| ok(&mut client, "create_task", json!({"title": "Same"}))["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(made.len(), 20);
    assert!(!made.contains("abc123"));
}

#[test]
fn update_task_changes_what_it_is_told_and_nothing_else() {
    let sandbox = Sandbox::new();
    let repo = workspace(&sandbox);
    let before = "---\r\ntitle: 'By hand' # mine\r\nestimate: 3 days\r\nstatus: todo\r\n---\r\n\r\nBody without an end";
    repo.write(".cuedeck/cards/2a9f1x.md", before);
    let mut client = repo.server();
    let answer = ok(
        &mut client,
        "update_task",
        json!({"id": "2a9f1x", "updates": {"status": "active", "priority": "high", "assignee": "user"}}),
    );
    for (key, value) in [
        ("id", json!("2a9f1x")),
        ("title", json!("By hand")),
        ("status", json!("active")),
        ("assignee", json!("user")),
        ("priority", json!("high")),
        ("updated_fields", json!(["status", "assignee", "priority"])),
    ] {
        assert_eq!(answer[key], value, "{key}");
    }
    let updated_at = answer["updated_at"].as_str().unwrap();
    let added = format!("status: active\r\nassignee: user\r\npriority: high\r\nupdated: {updated_at}\r\n---");
    let after = std::fs::read_to_string(repo.root.join(".cuedeck/cards/2a9f1x.md")).unwrap();
    assert_eq!(after, before.replace("status: todo\r\n---", &added));
    let missing = error(&mut client, "update_task", json!({"id": "2a9f1y", "updates": {"status": "done"}}));
    assert_eq!((&missing["code"], &missing["data"]["suggestion"]), (&json!(1001), &json!("Did you mean '2a9f1x'?")));
    for bad in [
        json!({"id": "2a9f1x"}),
        json!({"id": "2a9f1x", "updates": {}}),
        json!({"id": "XYZ", "updates": {"status": "done"}}),
        json!({"id": "2a9f1x", "updates": {"status": "doing"}}),
        json!({"id": "2a9f1x", "updates": {"assignee": "x".repeat(51)}}),
        json!({"id": "2a9f1x", "updates": {"notes": "x".repeat(501)}}),
        json!({"id": "2a9f1x", "updates": "done"}),
    ] {
        assert_eq!(error(&mut client, "update_task", bad.clone())["code"], -32602, "{bad}");
    }
    assert_eq!(std::fs::read_to_string(repo.root.join(".cuedeck/cards/2a9f1x.md")).unwrap(), after);
}

#[test]
fn two_servers_that_update_at_once_lose_nothing() {
    let sandbox = Sandbox::new();
    let repo = workspace(&sandbox);
    user_settings(&sandbox, "[rate_limits]\nupdate_task = 0\n");
    let (mut one, mut two) = (repo.server(), repo.server());
    let last = std::thread::scope(|scope| {
        let first = scope.spawn(|| {
            (0..30).for_each(|round| {
                drop(ok(
                    &mut one,
                    "update_task",
                    json!({"id": "xyz789", "updates": {"notes": format!("round {round}")}}),
                ))
            });
        });
        for round in 0..30 {
            let status = ["active", "done"][round % 2];
            ok(&mut two, "update_task", json!({"id": "xyz789", "updates": {"status": status}}));
        }
        first.join().unwrap();
        std::fs::read_to_string(repo.root.join(".cuedeck/cards/xyz789.md")).unwrap()
    });
    assert!(last.contains("status: done\n") && last.contains("notes: round 29\n"), "{last}");
    assert!(last.contains("depends_on: [abc123, def456]\n"), "{last}");
}

#[test]
fn a_deck_that_another_process_holds_is_a_lock_error_with_its_holder() {
    let sandbox = Sandbox::new();
    let repo = workspace(&sandbox);
    let mut client = repo.server();
    ok(&mut client, "update_task", json!({"id": "xyz789", "updates": {"status": "active"}}));
    let lock = std::fs::OpenOptions::new().read(true).write(true).open(repo.root.join(".cuedeck/.cache/lock")).unwrap();
    lock.lock().unwrap();
    std::fs::write(repo.root.join(".cuedeck/.cache/lock"), "12345").unwrap();
    let error = error(&mut client, "update_task", json!({"id": "xyz789", "updates": {"status": "done"}}));
    assert_eq!((&error["code"], &error["message"]), (&json!(1007), &json!("Lock Error")));
    assert_eq!(error["data"]["lock_file"], ".cuedeck/.cache/lock");
    assert_eq!(error["data"]["holder_pid"], 12345);
    assert_eq!(error["data"]["suggestion"], "Close other CueDeck instances or remove stale lock");
    drop(lock);
    ok(&mut client, "update_task", json!({"id": "xyz789", "updates": {"status": "done"}}));
}

#[test]
fn list_tasks_filters_and_reports_what_it_cannot_read() {
    let sandbox = Sandbox::new();
    let repo = workspace(&sandbox);
    repo.write(".cuedeck/cards/bad001.md", "---\ntitle: [unclosed\nstatus: todo\n---\n");
    let mut client = repo.server();
    let all = ok(&mut client, "list_tasks", json!({}));
    assert_eq!(ids(&all), ["def456", "xyz789", "ghi012", "abc123"]);
    assert_eq!(
        all["tasks"][1],
        json!({"id": "xyz789", "title": "Implement login API", "status": "todo", "priority": "high", "assignee": "@dana"})
    );
    assert_eq!(all["tasks"][2]["assignee"], json!(null));
    assert_eq!(all["metadata"]["problem_count"], 1);
    assert_eq!(all["metadata"]["problems"][0]["path"], ".cuedeck/cards/bad001.md");
    for (filter, expected) in [
        (json!({"status": "todo"}), vec!["xyz789", "ghi012"]),
        (json!({"assignee": "@DANA"}), vec!["xyz789"]),
        (json!({"tags": ["AUTH", "none"]}), vec!["abc123"]),
        (json!({"priority": "high", "status": "done"}), vec!["abc123"]),
        (json!({"created": "2024-01-01"}), vec!["xyz789"]),
        (json!({"created": "<2w"}), vec![]),
        (json!({"updated": ">2w"}), vec!["xyz789"]),
    ] {
        assert_eq!(ids(&ok(&mut client, "list_tasks", filter.clone())), expected, "{filter}");
    }
    for bad in [json!({"status": "doing"}), json!({"tags": "auth"}), json!({"created": "next blue moon"})] {
        assert_eq!(error(&mut client, "list_tasks", bad.clone())["code"], -32602, "{bad}");
    }
}

#[test]
fn list_tasks_shows_the_disk_as_it_is_and_its_text_agrees_with_its_structure() {
    let sandbox = Sandbox::new();
    let repo = workspace(&sandbox);
    user_settings(&sandbox, "[rate_limits]\nlist_tasks = 0\n");
    for mut client in [repo.server(), repo.watching_server()] {
        let mut listed = || {
            let answer = client.request("tools/call", json!({"name": "list_tasks", "arguments": {}}));
            let text: Value = serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
            assert_eq!(text, answer["result"]["structuredContent"]["tasks"]);
            text.as_array().unwrap().iter().map(|task| task["title"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        // Edits of the same length within one tick of the file system's clock.
        for turn in 10..30 {
            repo.write(".cuedeck/cards/new001.md", card(&format!("Turn {turn} \\\"a\\\" \\\\ é"), ""));
            let titles = listed();
            assert_eq!(titles.iter().filter(|title| title.starts_with("Turn ")).count(), 1, "{titles:?}");
            assert!(titles.contains(&format!("Turn {turn} \\\"a\\\" \\\\ é")), "{titles:?}");
        }
        std::fs::remove_file(repo.root.join(".cuedeck/cards/new001.md")).unwrap();
        let titles = listed();
        assert_eq!(titles.len(), 4, "{titles:?}");
    }
}

#[test]
fn dependencies_and_cycles_are_as_in_the_contract() {
    let sandbox = Sandbox::new();
    let repo = workspace(&sandbox);
    let mut client = repo.server();
    let forth = ok(&mut client, "get_task_dependencies", json!({"id": "xyz789", "reverse": false}));
    assert_eq!(
        (&forth["task_id"], &forth["type"], &forth["count"]),
        (&json!("xyz789"), &json!("dependencies"), &json!(2))
    );
    assert_eq!(
        forth["tasks"],
        json!([
            {"id": "abc123", "title": "Setup auth framework", "status": "done"},
            {"id": "def456", "title": "Create user database", "status": "active"},
        ])
    );
    let back = ok(&mut client, "get_task_dependencies", json!({"id": "xyz789", "reverse": true}));
    assert_eq!(
        (&back["type"], &back["tasks"]),
        (&json!("dependents"), &json!([{"id": "ghi012", "title": "Add login UI", "status": "todo"}]))
    );
    let valid = ok(&mut client, "validate_task_graph", json!({}));
    assert_eq!(
        (&valid["valid"], &valid["message"]),
        (&json!(true), &json!("All task dependencies are valid (no circular dependencies)"))
    );
    let one = ok(&mut client, "validate_task_graph", json!({"id": "xyz789"}));
    assert_eq!(
        (&one["valid"], &one["task_id"], &one["message"]),
        (&json!(true), &json!("xyz789"), &json!("Task dependencies are valid"))
    );
    repo.write(".cuedeck/cards/abc123.md", card("A", "depends_on: [xyz789]\n"));
    let broken = ok(&mut client, "validate_task_graph", json!({}));
    assert_eq!(broken["valid"], false);
    assert_eq!(broken["error"], "Circular dependency detected: abc123 → xyz789 → abc123");
    assert_eq!(broken.get("message"), None);
    assert_eq!(ok(&mut client, "validate_task_graph", json!({"id": "def456"}))["valid"], true);
    assert_eq!(error(&mut client, "validate_task_graph", json!({"id": "zzzzz9"}))["code"], 1001);
    assert_eq!(error(&mut client, "get_task_dependencies", json!({"id": "NOT-AN-ID"}))["code"], -32602);
}

#[test]
fn read_doc_reads_documents_and_sections_and_never_leaves_the_workspace() {
    let sandbox = Sandbox::new();
    let repo = workspace(&sandbox);
    std::fs::write(sandbox.path("secret.md"), "TOPSECRET").unwrap();
    let mut client = repo.server();
    let whole = ok(&mut client, "read_doc", json!({"path": "docs/api.md"}));
    assert_eq!((&whole["anchor"], &whole["line_range"], &whole["cached"]), (&json!(null), &json!(null), &json!(false)));
    assert!(whole["content"].as_str().unwrap().starts_with("# API Documentation\n\nThis document..."));
    let part = ok(&mut client, "read_doc", json!({"path": "docs/api.md", "anchor": "Error Codes"}));
    assert_eq!(part["content"], "## Error Codes\nThe following error codes are returned.");
    assert_eq!((&part["line_range"], &part["cached"]), (&json!({"start": 5, "end": 6}), &json!(true)));
    let missing = error(&mut client, "read_doc", json!({"path": "docs/apii.md"}));
    assert_eq!((&missing["code"], &missing["message"]), (&json!(1001), &json!("File Not Found")));
    assert_eq!(
        (&missing["data"]["path"], &missing["data"]["suggestion"]),
        (&json!("docs/apii.md"), &json!("Did you mean 'docs/api.md'?"))
    );
    let anchor = error(&mut client, "read_doc", json!({"path": "docs/api.md", "anchor": "Error Code"}));
    assert_eq!((&anchor["code"], &anchor["data"]["suggestion"]), (&json!(1001), &json!("Did you mean 'Error Codes'?")));
    assert_eq!(
        error(&mut client, "read_doc", json!({"path": "docs/threads.md", "anchor": "not a heading"}))["code"],
        1001
    );
    for path in [
        "../secret.md",
        "docs/../../secret.md",
        "docs//../../secret.md",
        "/etc/x.md",
        "config.rs",
        ".cuedeck/config.md",
        "",
    ] {
        let refused = error(&mut client, "read_doc", json!({"path": path}));
        assert_eq!(refused["code"], -32602, "{path}");
        assert!(!refused.to_string().contains("TOPSECRET"));
    }
    assert_eq!(ok(&mut client, "read_doc", json!({"path": "cards/xyz789.md"}))["path"], ".cuedeck/cards/xyz789.md");
}

#[test]
fn read_context_finds_documents_cards_and_code_in_every_mode() {
    let sandbox = Sandbox::new();
    let repo = workspace(&sandbox);
    repo.write(".cuedeck/SCENE.md", "# Authentication login flow\n");
    repo.write(".cuedeck/.cache/login.md", "# Login flow\n");
    let mut client = repo.server();
    let mut context = |arguments: Value| ok(&mut client, "read_context", arguments);
    let keyword = context(json!({"query": "login flow", "mode": "keyword"}));
    assert_eq!(paths(&keyword)[0], "docs/auth.md");
    assert_eq!(keyword["results"][0]["anchors"][0], "Login Flow");
    assert!(paths(&keyword).contains(&".cuedeck/cards/ghi012.md".to_owned()), "{keyword}");
    assert!(paths(&keyword).iter().all(|path| !path.contains("SCENE") && !path.contains(".cache")), "{keyword}");
    let text = std::fs::read_to_string(repo.root.join("docs/auth.md")).unwrap();
    assert_eq!(keyword["results"][0]["tokens"], cruxe_tokens::count(&text));
    assert_eq!(keyword["results"][0]["hash"].as_str().unwrap().len(), 64);
    let code = context(json!({"query": "VerifyToken", "limit": 10}));
    let found = code["results"].as_array().unwrap().iter().find(|item| item["path"] == "crates/cue_core/src/auth.rs");
    assert_eq!(found.unwrap()["anchors"][0], "VerifyToken", "{code}");
    assert_eq!(context(json!({"query": "zzqqxxyy", "mode": "keyword"}))["results"], json!([]));
    let semantic = context(json!({"query": "concurrent programming", "mode": "semantic"}));
    assert!(paths(&semantic).contains(&"docs/threads.md".to_owned()), "{semantic}");
    assert_eq!(
        context(json!({"query": "login", "semantic": true}))["results"],
        context(json!({"query": "login", "mode": "semantic"}))["results"]
    );
    assert_eq!(
        context(json!({"query": "login"}))["results"],
        context(json!({"query": "login", "mode": "hybrid"}))["results"]
    );
    assert_eq!(
        context(json!({"query": "login", "mode": "keyword", "semantic": true}))["results"],
        context(json!({"query": "login", "mode": "keyword"}))["results"]
    );
}

#[test]
fn read_context_filters_by_front_matter_and_refuses_bad_parameters() {
    let sandbox = Sandbox::new();
    let repo = workspace(&sandbox);
    user_settings(&sandbox, "[rate_limits]\nread_context = 0\n");
    let mut client = repo.server();
    for (filters, expected) in [
        (json!({"tags": ["SECURITY", "none"]}), vec!["docs/auth.md"]),
        (json!({"priority": "high", "tags": ["security"]}), vec!["docs/auth.md"]),
        (json!({"assignee": "@dana", "priority": "HIGH"}), vec![".cuedeck/cards/xyz789.md", "docs/auth.md"]),
        (json!({"priority": "low"}), vec!["docs/threads.md"]),
        (json!({"tags": ["nothing"]}), vec![]),
    ] {
        let query = "authentication login workers threads implement password";
        let answer = ok(&mut client, "read_context", json!({"query": query, "limit": 50, "filters": filters}));
        let mut found = paths(&answer);
        found.sort();
        assert_eq!(found, expected, "{filters}");
    }
    ok(&mut client, "read_context", json!({"query": "ü".repeat(200)}));
    for bad in [
        json!({}),
        json!({"query": ""}),
        json!({"query": "x".repeat(201)}),
        json!({"query": "x", "limit": 0}),
        json!({"query": "x", "limit": 51}),
        json!({"query": "x", "mode": "magic"}),
        json!({"query": "x", "filters": "auth"}),
        json!({"query": "x", "filters": {"tags": "auth"}}),
    ] {
        assert_eq!(error(&mut client, "read_context", bad.clone())["code"], -32602, "{bad}");
    }
}

#[test]
fn read_context_sees_what_was_written_while_the_server_runs() {
    let sandbox = Sandbox::new();
    let repo = workspace(&sandbox);
    user_settings(&sandbox, "[rate_limits]\nread_context = 0\n");
    let mut client = repo.watching_server();
    ok(&mut client, "read_context", json!({"query": "login"}));
    repo.write("docs/zeppelin.md", "# Zeppelin\n");
    repo.write(".cuedeck/docs/balloon.md", "# Zeppelin balloons\n");
    eventually("both are found", DEADLINE, || {
        let found = paths(&ok(&mut client, "read_context", json!({"query": "zeppelin", "mode": "keyword"})));
        (found.len() == 2).then_some(())
    });
}

#[test]
fn bare_calls_answer_arrays_and_numeric_errors() {
    let sandbox = Sandbox::new();
    let repo = workspace(&sandbox);
    let mut command = sandbox.cruxe_in(&repo.root);
    command.args(["serve-mcp", "--no-watch"]);
    let mut client = Client::start_silent(command);
    let found = client.request("read_context", json!({"query": "authentication", "limit": 10}));
    assert_eq!(found["result"][0]["path"], "docs/auth.md", "{found}");
    assert_eq!(client.request("list_tasks", json!({"status": "active"}))["result"][0]["id"], "def456");
    assert_eq!(client.request("validate_task_graph", json!({}))["result"]["valid"], true);
    let missing = client.request("read_doc", json!({"path": "docs/none.md"}));
    assert_eq!(missing["error"]["code"], 1001, "{missing}");
    assert_eq!(client.request("read_doc", json!({}))["error"]["code"], -32602);
}

#[test]
fn the_text_of_an_array_tool_is_the_bare_array() {
    let sandbox = Sandbox::new();
    let mut client = workspace(&sandbox).server();
    let answer = client.request("tools/call", json!({"name": "list_tasks", "arguments": {"status": "active"}}));
    let text: Value = serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, answer["result"]["structuredContent"]["tasks"]);
}

#[test]
fn calls_beyond_the_burst_are_refused_for_this_connection_and_this_tool_alone() {
    let sandbox = Sandbox::new();
    let repo = workspace(&sandbox);
    user_settings(&sandbox, "[rate_limits]\nlist_tasks = { per_minute = 1, burst = 2 }\nread_doc = 0\n");
    let mut client = repo.server();
    ok(&mut client, "list_tasks", json!({}));
    assert_eq!(error(&mut client, "list_tasks", json!({"status": "doing"}))["code"], -32602, "not counted");
    ok(&mut client, "list_tasks", json!({}));
    let refused = error(&mut client, "list_tasks", json!({}));
    assert_eq!((&refused["code"], &refused["message"]), (&json!(429), &json!("Rate Limit Exceeded")));
    assert_eq!(
        (&refused["data"]["limit"], &refused["data"]["window_seconds"], &refused["data"]["current_count"]),
        (&json!(1), &json!(60), &json!(2))
    );
    assert!((1..=60).contains(&refused["data"]["retry_after_seconds"].as_u64().unwrap()));
    ok(&mut client, "validate_task_graph", json!({}));
    (0..60).for_each(|_| drop(ok(&mut client, "read_doc", json!({"path": "docs/api.md"}))));
    ok(&mut repo.server(), "list_tasks", json!({}));
}

#[test]
fn a_workspace_without_a_deck_has_no_tasks_and_gets_one_with_the_first() {
    let sandbox = Sandbox::new();
    let repo = sandbox.folder("plain", &[("readme.md", "# Plain\n")]);
    let mut client = repo.server();
    assert_eq!(ok(&mut client, "list_tasks", json!({}))["tasks"], json!([]));
    repo.write(".cuedeck/config.toml", "[core\nbroken");
    let listed = ok(&mut client, "list_tasks", json!({}));
    assert!(listed["metadata"]["warnings"][0].as_str().unwrap().contains("config.toml:1:6"), "{listed}");
    ok(&mut client, "create_task", json!({"title": "First"}));
    assert_eq!(ok(&mut client, "list_tasks", json!({}))["tasks"][0]["title"], "First");
}
