//! MCP as rmcp's own client speaks it, and everything a client should not send.

use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use serde_json::{Value, json};

use crate::support::{Client, Sandbox, sources};

#[test]
fn an_independent_client_lists_and_calls_every_tool() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.cruxe(&["index"]).ok();
    let mut command = sandbox.cruxe_in(&repo.root);
    command.args(["serve-mcp", "--no-watch"]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut command = tokio::process::Command::from(command);
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let pipes = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
        let client = ().serve(pipes).await.unwrap();
        let tools = client.list_all_tools().await.unwrap();
        let mut names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
        names.sort_unstable();
        for name in ["get_file_outline", "health_check", "index_repo", "index_status", "locate_symbol", "sync_repo"] {
            let tool = tools.iter().find(|tool| tool.name == name).unwrap_or_else(|| panic!("{name}: {names:?}"));
            assert!(tool.output_schema.is_some() && tool.description.is_some(), "{name}");
            let annotations = tool.annotations.as_ref().unwrap();
            let writes = matches!(name, "index_repo" | "sync_repo");
            let destructive = writes.then_some(false); // it says nothing of a tool that only reads
            assert_eq!(
                (annotations.read_only_hint, annotations.destructive_hint),
                (Some(!writes), destructive),
                "{name}"
            );
            assert!(tool.input_schema["properties"].get("workspace").is_some(), "{name}");
        }
        for (name, arguments, field) in [
            ("locate_symbol", json!({"name": "Claims"}), "total_candidates"),
            ("get_file_outline", json!({"path": "src/auth/jwt.rs"}), "file_path"),
            ("index_status", json!({}), "project_id"),
            ("health_check", json!({}), "status"),
            ("sync_repo", json!({}), "job_id"),
        ] {
            let arguments = arguments.as_object().cloned().unwrap();
            let params = CallToolRequestParams::new(name).with_arguments(arguments);
            let result = client.call_tool(params).await.unwrap();
            assert_ne!(result.is_error, Some(true), "{name}: {result:?}");
            let structured = result.structured_content.unwrap();
            assert!(!structured[field].is_null(), "{name}: {structured}");
        }
        client.cancel().await.unwrap();
    });
}

fn server(sandbox: &Sandbox) -> Client {
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.cruxe(&["index"]).ok();
    let mut command = sandbox.cruxe_in(&repo.root);
    command.args(["serve-mcp", "--no-watch"]);
    Client::start_silent(command)
}

#[test]
fn tools_are_methods_too_without_a_handshake() {
    let sandbox = Sandbox::new();
    let mut client = server(&sandbox);
    let answer = client.request("locate_symbol", json!({"name": "Claims"}));
    assert_eq!(answer["result"]["results"][0]["path"], "src/auth/jwt.rs");
    let answer = client.request("locate_symbol", json!({}));
    assert_eq!((&answer["error"]["code"], &answer["error"]["data"]["code"]), (&json!(-32602), &json!("invalid_input")));
    let answer = client.request("get_file_outline", json!({"path": "nope.rs"}));
    assert_eq!(
        (&answer["error"]["code"], &answer["error"]["data"]["code"]),
        (&json!(-32000), &json!("file_not_found"))
    );
    let answer = client.request("locate_symbl", json!({}));
    assert_eq!(answer["error"]["code"], -32601);
    assert!(answer["error"]["message"].as_str().unwrap().contains("locate_symbol"), "{answer}");
}

#[test]
fn malformed_input_is_answered_and_never_ends_the_server() {
    let sandbox = Sandbox::new();
    let mut client = server(&sandbox);
    for (line, code) in [
        ("not json", -32700),
        ("{", -32700),
        ("[]", -32600),
        ("42", -32600),
        (r#"{"jsonrpc":"2.0","id":1}"#, -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"locate_symbol","params":[]}"#, -32602),
    ] {
        client.send_line(line);
        assert_eq!(client.receive()["error"]["code"], code, "{line}");
    }
    client.send_line("");
    client.send_line(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    client.send_line(&deep);
    assert_eq!(client.receive()["error"]["code"], -32700);
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    let answer = client.request("index_status", json!({}));
    assert_eq!(answer["result"]["index_status"], "ready");
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn the_end_of_the_input_ends_the_server_even_during_a_job() {
    let sandbox = Sandbox::new();
    let files = sources::shapes(400);
    let repo = sandbox.repo("shapes", &sources::borrowed(&files));
    let mut client = repo.watching_server();
    client.ok("index_status", json!({}));
    assert_eq!(client.finish(), Some(0));
    let mut client = repo.server();
    assert_eq!(client.ready()["file_count"], 400);
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn unknown_tools_and_parameters() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let answer = client.request("tools/call", json!({"name": "locate_symbols", "arguments": {}}));
    assert_eq!(answer["error"]["code"], -32602);
    assert!(answer["error"]["message"].as_str().unwrap().contains("locate_symbol"), "{answer}");
    let answer = client.ok("locate_symbol", json!({"name": "Claims", "unheard_of": 1}));
    assert_eq!(answer["total_candidates"], 1);
    let none: Value = client.request("tools/call", json!({"name": "health_check"}));
    assert_eq!(none["result"]["isError"], false);
    assert_eq!(none["result"]["structuredContent"]["version"], env!("CARGO_PKG_VERSION"));
}
