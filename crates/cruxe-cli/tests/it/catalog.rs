//! What a server offers beside tools: resources, prompts, completions, toolsets, and what its lists cost.

use serde_json::{Value, json};

use crate::support::{Client, DEADLINE, Repo, Sandbox, eventually, sources};

const CARD: &str =
    "---\nid: abc123\ntitle: Validate tokens twice\nstatus: todo\n---\n\nvalidate_token must be strict.\n";

fn with_card(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.write(".cuedeck/cards/abc123.md", CARD);
    repo.write("docs/guide.md", "# Guide\n\nHow tokens work.\n");
    repo.commit("a deck");
    repo.cruxe(&["index"]).ok();
    repo
}

/// The result of a request that must succeed.
fn result(client: &mut Client, method: &str, params: Value) -> Value {
    let answer = client.request(method, params.clone());
    assert!(answer["result"].is_object(), "{method} {params}: {answer}");
    answer["result"].clone()
}

/// The code and text of a request that must fail.
fn refused(client: &mut Client, method: &str, params: Value) -> (i64, String) {
    let answer = client.request(method, params.clone());
    let error = &answer["error"];
    assert!(error.is_object(), "{method} {params}: {answer}");
    (error["code"].as_i64().unwrap(), error["message"].as_str().unwrap().to_owned())
}

fn read(client: &mut Client, uri: &str) -> String {
    let read = result(client, "resources/read", json!({"uri": uri}));
    let contents = read["contents"].as_array().unwrap();
    assert_eq!((contents.len(), &contents[0]["uri"]), (1, &json!(uri)));
    contents[0]["text"].as_str().unwrap().to_owned()
}

fn uris(list: &Value) -> Vec<String> {
    let resources = list["resources"].as_array().unwrap();
    resources.iter().map(|one| one["uri"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn resources_are_cards_documents_and_files_in_this_order() {
    let sandbox = Sandbox::new();
    let repo = with_card(&sandbox);
    let mut client = repo.server();
    let list = result(&mut client, "resources/list", json!({}));
    let uris = uris(&list);
    assert_eq!(uris[0], "cruxe://card/abc123");
    assert_eq!(list["resources"][0]["title"], "Validate tokens twice");
    let doc = uris.iter().position(|uri| uri == "cruxe://doc/docs/guide.md").unwrap();
    let file = uris.iter().position(|uri| uri == "cruxe://file/src/auth/jwt.rs").unwrap();
    assert!(doc < file, "{uris:?}");
    assert!(!uris.iter().any(|uri| uri.contains(".cuedeck") || uri == "cruxe://file/docs/guide.md"), "{uris:?}");
    assert_eq!(list.get("nextCursor"), None);
    let templates = result(&mut client, "resources/templates/list", json!({}));
    let templates: Vec<&str> = templates["resourceTemplates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["uriTemplate"].as_str().unwrap())
        .collect();
    let forms = [
        "cruxe://card/{id}",
        "cruxe://doc/{+path}{?ref}",
        "cruxe://file/{+path}{?ref}",
        "cruxe://symbol/{symbol}{?ref}",
    ];
    let mut sorted = templates.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, forms);
}

#[test]
fn resources_are_read_by_their_address_in_the_ref_that_it_names() {
    let sandbox = Sandbox::new();
    let repo = with_card(&sandbox);
    repo.git(&["switch", "-q", "-c", "feat"]);
    repo.write("docs/guide.md", "# Guide\n\nChanged.\n");
    repo.commit("change");
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    assert_eq!(read(&mut client, "cruxe://card/abc123"), CARD);
    assert_eq!(read(&mut client, "cruxe://doc/docs/guide.md"), "# Guide\n\nChanged.\n");
    assert_eq!(read(&mut client, "cruxe://doc/docs/guide.md?ref=main"), "# Guide\n\nHow tokens work.\n");
    assert_eq!(read(&mut client, "cruxe://file/docs/guide.md?ref=main"), "# Guide\n\nHow tokens work.\n");
    repo.write("docs/guide.md", "# Guide\n\nNot even indexed.\n");
    assert_eq!(read(&mut client, "cruxe://doc/docs/guide.md"), "# Guide\n\nNot even indexed.\n");
    let symbol = read(&mut client, "cruxe://symbol/validate_token");
    assert!(symbol.starts_with("# fn `") && symbol.contains("src/auth/jwt.rs:"), "{symbol}");
    assert!(symbol.contains("pub fn validate_token(&self, token: &str) -> Result<Claims, TokenError> {"), "{symbol}");
    let located = client.ok("locate_symbol", json!({"name": "Claims"}));
    let id = located["results"][0]["symbol_id"].as_str().unwrap();
    let claims = read(&mut client, &format!("cruxe://symbol/{id}"));
    assert!(claims.contains("pub struct Claims {") && claims.contains("## Used in "), "{claims}");
}

#[test]
fn addresses_that_lead_nowhere_are_refused_with_the_next_step() {
    let sandbox = Sandbox::new();
    let repo = with_card(&sandbox);
    repo.write("secret.txt", "key");
    repo.write(".gitignore", "secret.txt\n");
    let mut client = repo.server();
    for (uri, code) in [
        ("cruxe://file/nope.rs", -32002),
        ("cruxe://file/secret.txt", -32002),
        ("cruxe://file/../../../etc/passwd", -32602),
        ("cruxe://file//etc/passwd", -32602),
        ("cruxe://card/nope00", -32002),
        ("cruxe://card/..%2F..%2FREADME", -32002),
        ("cruxe://symbol/no_such_symbol_anywhere", -32002),
        ("cruxe://doc/src/auth/jwt.rs", -32002),
        ("cruxe://file/src/auth/jwt.rs?ref=no-such-branch", -32002),
        ("file:///etc/passwd", -32602),
        ("cruxe://thing/x", -32602),
    ] {
        let (refused_with, text) = refused(&mut client, "resources/read", json!({"uri": uri}));
        assert_eq!(refused_with, code, "{uri}: {text}");
        assert!(!text.contains("root:"), "{text}");
    }
    let (_, text) = refused(&mut client, "resources/read", json!({"uri": "cruxe://file/lib/jwt.rs"}));
    assert!(text.contains("Did you mean 'src/auth/jwt.rs'?"), "{text}");
    assert_eq!(refused(&mut client, "resources/read", json!({})).0, -32602);
    assert_eq!(refused(&mut client, "resources/subscribe", json!({"uri": "x"})).0, -32602);
}

#[test]
fn long_lists_come_in_pages_and_a_strange_cursor_is_refused() {
    let sandbox = Sandbox::new();
    let files = sources::shapes(450);
    let repo = sandbox.repo("shapes", &sources::borrowed(&files));
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let (mut all, mut params, mut pages) = (Vec::new(), json!({}), 0);
    loop {
        let list = result(&mut client, "resources/list", params);
        all.extend(uris(&list));
        pages += 1;
        match list.get("nextCursor") {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => break,
        }
    }
    assert_eq!((pages, all.len()), (3, 450));
    let unique: std::collections::BTreeSet<&String> = all.iter().collect();
    assert_eq!(unique.len(), 450);
    for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        let (code, text) = refused(&mut client, method, json!({"cursor": "bogus"}));
        assert_eq!(code, -32602, "{method}");
        assert!(text.contains("without one"), "{text}");
    }
}

fn prompt(client: &mut Client, name: &str, arguments: Value) -> String {
    let prompt = result(client, "prompts/get", json!({"name": name, "arguments": arguments}));
    let messages = prompt["messages"].as_array().unwrap();
    assert_eq!((messages.len(), &messages[0]["role"]), (1, &json!("user")));
    messages[0]["content"]["text"].as_str().unwrap().to_owned()
}

fn tokens(text: &str) -> usize {
    cruxe_tokens::count(text)
}

#[test]
fn prompts_carry_what_the_index_knows() {
    let sandbox = Sandbox::new();
    let repo = with_card(&sandbox);
    repo.git(&["switch", "-q", "-c", "feat"]);
    let before = std::fs::read_to_string(repo.root.join("src/auth/jwt.rs")).unwrap();
    repo.write(
        "src/auth/jwt.rs",
        before.replace("token: &str) -> Result<Claims", "token: &str, strict: bool) -> Result<Claims"),
    );
    repo.cruxe(&["index", "--ref", "main"]).ok();
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let list = result(&mut client, "prompts/list", json!({}));
    let names: Vec<&str> =
        list["prompts"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["explain_symbol", "plan_task", "review_branch"]);

    let explain = prompt(&mut client, "explain_symbol", json!({"symbol": "validate_token"}));
    assert!(explain.contains("strict: bool") && explain.contains("src/auth/jwt.rs:"), "{explain}");
    let review = prompt(&mut client, "review_branch", json!({}));
    assert!(review.starts_with("Review the changes of `feat` against `main` (merge base "), "{review}");
    assert!(review.contains("- modified fn `") && review.contains("strict: bool"), "{review}");
    assert!(review.contains("```diff\n"), "{review}");
    let plan = prompt(&mut client, "plan_task", json!({"task": "abc123"}));
    assert!(plan.contains("title: Validate tokens twice") && plan.contains("validate_token"), "{plan}");
    let plan = prompt(&mut client, "plan_task", json!({"task": "make token validation strict"}));
    assert!(plan.contains("make token validation strict") && plan.contains("src/auth/jwt.rs:"), "{plan}");
    for text in [explain, review, plan] {
        assert!(tokens(&text) < 10_000);
    }
    for (name, arguments, says) in [
        ("explain_symbol", json!({}), "`symbol` is missing"),
        ("explain_symbol", json!({"symbol": "validate_tokn"}), "Did you mean"),
        ("explain_symbol", json!({"name": "x"}), "it has: symbol, path, ref"),
        ("explain_symbol", json!({"symbol": 5}), "must be a string"),
        ("plan_task", json!({"task": "zzz999"}), "list_tasks"),
        ("review_branch", json!({"head": "no-such-branch"}), "no-such-branch"),
        ("no_prompt", json!({}), "There are: explain_symbol, plan_task, review_branch."),
    ] {
        let (_, text) = refused(&mut client, "prompts/get", json!({"name": name, "arguments": arguments}));
        assert!(text.contains(says), "{name} {arguments}: {text}");
    }
}

fn completed(client: &mut Client, of: Value, name: &str, value: &str) -> Vec<String> {
    let params = json!({"ref": of, "argument": {"name": name, "value": value}});
    let completion = result(client, "completion/complete", params)["completion"].clone();
    let values: Vec<String> = serde_json::from_value(completion["values"].clone()).unwrap();
    assert_eq!((&completion["total"], &completion["hasMore"]), (&json!(values.len()), &json!(false)));
    values
}

#[test]
fn arguments_are_completed_with_symbols_refs_paths_and_tasks() {
    let sandbox = Sandbox::new();
    let repo = with_card(&sandbox);
    repo.git(&["branch", "feat/auth"]);
    let mut client = repo.server();
    let explain = json!({"type": "ref/prompt", "name": "explain_symbol"});
    let symbols = completed(&mut client, explain.clone(), "symbol", "validate_t");
    assert!(symbols.iter().all(|name| name.ends_with("validate_token")) && !symbols.is_empty(), "{symbols:?}");
    assert_eq!(completed(&mut client, explain.clone(), "symbol", "no_such"), Vec::<String>::new());
    assert_eq!(completed(&mut client, explain.clone(), "symbol", ""), Vec::<String>::new());
    assert_eq!(completed(&mut client, explain.clone(), "path", "src/auth/j"), ["src/auth/jwt.rs"]);
    assert_eq!(completed(&mut client, explain.clone(), "ref", "fe"), ["feat/auth"]);
    let plan = json!({"type": "ref/prompt", "name": "plan_task"});
    assert_eq!(completed(&mut client, plan.clone(), "task", "ab"), ["abc123"]);
    assert_eq!(completed(&mut client, plan, "task", "tokens TWICE"), ["abc123"]);
    let template = |uri: &str| json!({"type": "ref/resource", "uri": uri});
    assert_eq!(completed(&mut client, template("cruxe://card/{id}"), "id", ""), ["abc123"]);
    assert_eq!(completed(&mut client, template("cruxe://doc/{+path}{?ref}"), "path", "docs/g"), ["docs/guide.md"]);
    for params in [
        json!({"ref": explain, "argument": {"name": "nope", "value": ""}}),
        json!({"ref": {"type": "ref/prompt", "name": "nope"}, "argument": {"name": "symbol", "value": ""}}),
        json!({"ref": template("cruxe://x/{y}"), "argument": {"name": "y", "value": ""}}),
        json!({"ref": {"type": "ref/nothing"}, "argument": {"name": "y", "value": ""}}),
        json!({}),
    ] {
        assert_eq!(refused(&mut client, "completion/complete", params).0, -32602);
    }
}

/// Waits for a notification of a method; what comes before it is looked at and dropped.
fn notified(client: &mut Client, method: &str) -> Value {
    eventually(method, DEADLINE, || {
        client.request("ping", json!({}));
        let at = client.notifications.iter().position(|one| one["method"] == method)?;
        Some(client.notifications.remove(at)["params"].clone())
    })
}

#[test]
fn a_client_hears_of_a_new_file_and_of_a_change_to_what_it_follows() {
    let sandbox = Sandbox::new();
    let repo = with_card(&sandbox);
    let mut client = repo.watching_server();
    client.ready();
    for uri in ["cruxe://doc/docs/guide.md", "cruxe://card/abc123", "cruxe://file/README.md"] {
        result(&mut client, "resources/subscribe", json!({"uri": uri}));
    }
    result(&mut client, "resources/unsubscribe", json!({"uri": "cruxe://file/README.md"}));
    repo.write("docs/guide.md", "# Guide\n\nNew words.\n");
    assert_eq!(notified(&mut client, "notifications/resources/updated"), json!({"uri": "cruxe://doc/docs/guide.md"}));
    assert_eq!(read(&mut client, "cruxe://doc/docs/guide.md"), "# Guide\n\nNew words.\n");
    repo.write(".cuedeck/cards/abc123.md", CARD.replace("strict", "exact"));
    assert_eq!(notified(&mut client, "notifications/resources/updated"), json!({"uri": "cruxe://card/abc123"}));
    repo.write("src/fresh.rs", "pub fn fresh() {}\n");
    notified(&mut client, "notifications/resources/list_changed");
    assert!(uris(&result(&mut client, "resources/list", json!({}))).contains(&"cruxe://file/src/fresh.rs".to_owned()));
}

#[test]
fn a_listener_of_the_newest_protocol_hears_what_it_asked_for_and_nothing_else() {
    let sandbox = Sandbox::new();
    let repo = with_card(&sandbox);
    let mut command = sandbox.cruxe_in(&repo.root);
    command.arg("serve-mcp");
    let mut client = Client::start_silent(command);
    let own = |key: &str| format!("io.modelcontextprotocol/{key}");
    let meta = json!({
        own("protocolVersion"): "2026-07-28", own("clientCapabilities"): {},
        own("clientInfo"): {"name": "it", "version": "1"},
    });
    let wanted =
        json!({"resourcesListChanged": true, "resourceSubscriptions": ["cruxe://doc/docs/guide.md", "file:///x"]});
    let params = json!({"_meta": meta, "notifications": wanted});
    client.send(&json!({"jsonrpc": "2.0", "id": "ear", "method": "subscriptions/listen", "params": params}));
    let accepted = notified(&mut client, "notifications/subscriptions/acknowledged")["notifications"].clone();
    assert_eq!(accepted, json!({"resourcesListChanged": true, "resourceSubscriptions": ["cruxe://doc/docs/guide.md"]}));
    repo.write("docs/guide.md", "# Guide\n\nNew words.\n");
    let updated = notified(&mut client, "notifications/resources/updated");
    assert_eq!(updated["uri"], "cruxe://doc/docs/guide.md");
    repo.write("src/fresh.rs", "pub fn fresh() {}\n");
    notified(&mut client, "notifications/resources/list_changed");
    assert!(!client.notifications.iter().any(|one| one["params"]["uri"] == "cruxe://card/abc123"));
}

#[test]
fn a_long_answer_links_to_its_best_result_and_others_do_not() {
    let sandbox = Sandbox::new();
    let repo = with_card(&sandbox);
    let mut client = repo.server();
    let ask = |detail: &str| json!({"name": "locate_symbol", "arguments": {"name": "Claims", "detail_level": detail}});
    let long = client.result(ask("context"));
    let id = long["structuredContent"]["results"][0]["symbol_id"].as_str().unwrap();
    let link = &long["content"][1];
    assert_eq!(
        (&link["type"], &link["uri"]),
        (&json!("resource_link"), &json!(format!("cruxe://symbol/{id}?ref=main")))
    );
    assert!(tokens(&link.to_string()) <= 60, "{link}");
    assert!(read(&mut client, link["uri"].as_str().unwrap()).contains("pub struct Claims"));
    for detail in ["location", "signature"] {
        assert_eq!(client.result(ask(detail))["content"].as_array().map(Vec::len), Some(1));
    }
}

#[test]
fn a_server_of_some_toolsets_serves_nothing_of_the_others() {
    let sandbox = Sandbox::new();
    let repo = with_card(&sandbox);
    let mut client = repo.server_with(&["--no-watch", "--toolsets", "context,tasks"]);
    let tools = result(&mut client, "tools/list", json!({}))["tools"].clone();
    let names: Vec<&str> = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(!names.contains(&"locate_symbol") && !names.contains(&"index_repo"), "{names:?}");
    let (code, text) = refused(&mut client, "tools/call", json!({"name": "locate_symbol", "arguments": {"name": "x"}}));
    assert_eq!(code, -32602);
    assert!(text.contains("the toolset `code`"), "{text}");
    assert_eq!(refused(&mut client, "locate_symbol", json!({"name": "x"})).0, -32601);
    assert_eq!(refused(&mut client, "resources/read", json!({"uri": "cruxe://symbol/Claims"})).0, -32002);
    let uris = uris(&result(&mut client, "resources/list", json!({})));
    assert!(uris.contains(&"cruxe://doc/docs/guide.md".to_owned()), "{uris:?}");
    assert!(!uris.iter().any(|uri| uri.starts_with("cruxe://file/")), "{uris:?}");
    let prompts = result(&mut client, "prompts/list", json!({}))["prompts"].clone();
    assert_eq!(
        prompts.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect::<Vec<_>>(),
        ["plan_task"]
    );

    let mut client = repo.server_with(&["--no-watch", "--toolsets", "code"]);
    let uris = self::uris(&result(&mut client, "resources/list", json!({})));
    assert!(uris.contains(&"cruxe://file/docs/guide.md".to_owned()), "{uris:?}");
    assert!(!uris.iter().any(|uri| uri.starts_with("cruxe://doc/") || uri.starts_with("cruxe://card/")), "{uris:?}");
    let refused = repo.cruxe(&["serve-mcp", "--toolsets", "code,docs"]);
    assert_eq!(refused.code, Some(4));
    assert!(refused.stderr.contains("`docs` is no toolset; there are: code, context, tasks"), "{}", refused.stderr);
}

#[test]
fn the_list_of_tools_costs_little() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    let mut client = repo.server();
    let tools = result(&mut client, "tools/list", json!({}))["tools"].clone();
    let cost = |of: &dyn Fn(&str) -> bool| -> usize {
        let named = tools.as_array().unwrap().iter().filter(|tool| of(tool["name"].as_str().unwrap()));
        named.map(|tool| tokens(&tool.to_string())).sum()
    };
    let deck = [
        "read_context",
        "read_doc",
        "list_tasks",
        "create_task",
        "get_task_dependencies",
        "validate_task_graph",
        "update_task",
    ];
    let code = cost(&|name| !deck.contains(&name));
    assert!(code < 3100, "the code tools cost {code} tokens");
    let all = cost(&|_| true);
    assert!(all < 4500, "all tools cost {all} tokens");
    for tool in tools.as_array().unwrap() {
        let workspace = match tool["name"].as_str() {
            Some("search_code" | "locate_symbol" | "find_references") => {
                json!({"type": ["string", "array"], "items": {"type": "string"}})
            }
            _ => json!({"type": "string"}),
        };
        assert_eq!(tool["inputSchema"]["properties"]["workspace"], workspace, "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object");
    }
}
