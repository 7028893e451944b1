//! Every rule of the wire, seen by a client that knows only lines of JSON.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;

use cruxe_server::StdioError;
use serde_json::{Value, json};
use support::{Client, Gate, server};

fn connect() -> Client {
    Client::connect(server(&Arc::default()))
}

async fn initialized() -> Client {
    Client::initialized(server(&Arc::default())).await
}

/// Sends a line and returns the id and code of the error that answers it.
async fn refused(client: &mut Client, line: impl AsRef<[u8]>) -> (Value, i64) {
    client.send(line).await;
    let message = client.next().await;
    assert_eq!(message["jsonrpc"], "2.0");
    assert!(message.as_object().unwrap().contains_key("id"), "{message}");
    (message["id"].clone(), message["error"]["code"].as_i64().unwrap_or_else(|| panic!("{message}")))
}

#[tokio::test]
async fn a_known_protocol_version_is_answered_with_itself_and_others_with_the_newest() {
    for (asked, answered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"), // it has no `initialize`
        ("2099-01-01", "2025-11-25"),
        ("1.0", "2025-11-25"),
    ] {
        let result = connect().initialize(asked).await;
        assert_eq!(result["protocolVersion"], answered, "{asked}");
        assert_eq!(result["serverInfo"], json!({"name": "dummy", "version": "1.2.3"}));
        assert_eq!(result["capabilities"], json!({"tools": {}}));
        assert_eq!(result["instructions"], "Use echo.");
    }
}

#[tokio::test]
async fn a_second_initialize_is_answered_like_the_first() {
    let mut client = initialized().await;
    assert_eq!(client.initialize("2025-03-26").await["protocolVersion"], "2025-03-26");
    assert_eq!(client.call("echo", json!({"text": "x"})).await["result"]["isError"], false);
}

#[tokio::test]
async fn an_initialize_that_makes_no_sense_is_refused_and_the_next_accepted() {
    let mut client = connect();
    let answer = client.ask(1, "initialize", json!({"protocolVersion": "2025-06-18"})).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(answer["error"]["message"], "The parameters of initialize do not fit: missing field `capabilities`");
    assert_eq!(client.initialize("2025-06-18").await["protocolVersion"], "2025-06-18");
}

#[tokio::test]
async fn ping_is_answered_before_and_after_initialize() {
    let mut client = connect();
    client.assert_quiet_and_alive().await;
    assert_eq!(client.ask(1, "ping", json!({})).await, json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    client.initialize("2025-11-25").await;
    assert_eq!(client.ask("abc-1", "ping", json!({})).await["result"], json!({}));
}

#[tokio::test]
async fn malformed_lines_are_answered_and_survived() {
    for mut client in [connect(), initialized().await] {
        let deep =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{}1{}}}"#, "[".repeat(500), "]".repeat(500));
        assert_eq!(refused(&mut client, r#"{"jsonrpc": "2.0", "id": 1, "method": "#).await, (Value::Null, -32700));
        assert_eq!(refused(&mut client, b"\xff\xfe{\"a\"\x80}").await, (Value::Null, -32700));
        assert_eq!(refused(&mut client, deep).await, (Value::Null, -32700));
        assert_eq!(refused(&mut client, r#"{"jsonrpc":"2.0","id":"odd","params":{}}"#).await, (json!("odd"), -32600));
        assert_eq!(refused(&mut client, r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#).await, (json!(3), -32600));
        assert_eq!(refused(&mut client, r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#).await, (Value::Null, -32600));
        assert_eq!(
            refused(&mut client, r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#).await,
            (json!(1.5), -32600)
        );
        client.send("\r").await;
        client.send("").await;
        client.assert_quiet_and_alive().await;
    }
}

#[tokio::test]
async fn a_batch_is_told_why_it_is_refused() {
    let mut client = connect();
    client.send("[]").await;
    assert_eq!(client.next().await["error"]["message"], "Batches are not spoken here: send one message at a time.");
}

#[tokio::test]
async fn a_line_over_the_limit_is_refused_and_survived() {
    let mut client = initialized().await;
    let long = vec![b'x'; (16 << 20) + 1];
    assert_eq!(refused(&mut client, &long).await, (Value::Null, -32600));
    client.assert_quiet_and_alive().await;
}

#[tokio::test]
async fn a_request_of_several_megabytes_is_answered() {
    let mut client = initialized().await;
    let text = "ü".repeat(2_000_000);
    let answer = client.call("echo", json!({"text": "short", "filler": text})).await;
    assert_eq!(answer["result"]["structuredContent"]["text"], "short");
    let refused = client.call("echo", json!({"text": text})).await;
    assert_eq!(refused["result"]["structuredContent"]["error"]["code"], "invalid_input", "a name is no such text");
}

#[tokio::test]
async fn unknown_methods_are_refused_before_and_after_initialize() {
    for mut client in [connect(), initialized().await] {
        let answer = client.ask(1, "no/such/method", json!({})).await;
        assert_eq!(answer["error"], json!({"code": -32601, "message": "Unknown method `no/such/method`."}));
        let answer = client.ask(2, "ecko", json!({"text": "x"})).await;
        assert_eq!(answer["error"]["code"], -32601);
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("Unknown method `ecko`. Nearest tools: echo, "), "{message}");
    }
}

#[tokio::test]
async fn requests_before_initialize_are_refused_and_initialize_still_works() {
    let mut client = connect();
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    client.send(r#"{"jsonrpc":"2.0","id":5,"result":{}}"#).await;
    let answer = client.ask(1, "tools/list", json!({})).await;
    assert_eq!(answer["error"], json!({"code": -32600, "message": "Send `initialize` before `tools/list`."}));
    assert_eq!(client.call("echo", json!({"text": "x"})).await["error"]["code"], -32600);
    assert_eq!(client.initialize("2025-06-18").await["protocolVersion"], "2025-06-18");
    assert_eq!(client.call("echo", json!({"text": "x"})).await["result"]["isError"], false);
}

#[tokio::test]
async fn notifications_and_stray_answers_are_never_answered() {
    for mut client in [connect(), initialized().await] {
        for line in [
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":999}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/nothing_known"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/nothing_known","params":[1]}"#,
            r#"{"jsonrpc":"2.0","method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":77,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"no"}}"#,
        ] {
            client.send(line).await;
        }
        client.assert_quiet_and_alive().await;
    }
}

#[tokio::test]
async fn a_method_that_is_a_tool_is_called_without_initialize() {
    let mut client = connect();
    assert_eq!(
        client.ask(1, "echo", json!({"text": "hi", "times": 3.0, "workspace": "/w", "loudness": null})).await,
        json!({"jsonrpc": "2.0", "id": 1, "result": {"text": "hi", "times": 3, "workspace": "/w"}})
    );
    assert_eq!(client.ask("s", "numbers", json!({})).await["result"], json!([1, 2, 3]));
    client.send(r#"{"jsonrpc":"2.0","id":3,"method":"numbers"}"#).await;
    assert_eq!(client.answer(3).await["result"], json!([1, 2, 3]));
}

#[tokio::test]
async fn bare_errors_are_json_rpc_errors() {
    let mut client = connect();
    assert_eq!(
        client.ask(1, "echo", json!({})).await["error"],
        json!({"code": -32602, "message": "The parameter `text` is required.", "data": {
            "code": "invalid_input", "parameter": "text", "suggestion": "Correct the named parameter and call again."}})
    );
    assert_eq!(
        client.ask(2, "stale", json!({})).await["error"],
        json!({"code": -32000, "message": "Index is stale.", "data": {
            "code": "index_stale", "last_indexed_commit": "abc",
            "suggestion": "Call sync_repo to update the index before querying."}})
    );
    let answer = client.ask(3, "break", json!({})).await;
    assert_eq!(answer["error"]["code"], -32000);
    assert_eq!(answer["error"]["data"]["code"], "internal_error");
    client.send(r#"{"jsonrpc":"2.0","id":4,"method":"echo","params":["x"]}"#).await;
    assert_eq!(client.answer(4).await["error"]["code"], -32602);
}

#[tokio::test]
async fn a_bare_call_without_id_is_run_and_not_answered() {
    let gate = Arc::<Gate>::default();
    gate.open();
    let mut client = Client::connect(server(&gate));
    client.send(r#"{"jsonrpc":"2.0","method":"wait","params":{"text":"x"}}"#).await;
    client.send(r#"{"jsonrpc":"2.0","method":"echo"}"#).await;
    gate.reached_by(1).await;
    client.assert_quiet_and_alive().await;
}

#[tokio::test]
async fn the_end_of_the_input_ends_serving() {
    for mut client in [connect(), initialized().await] {
        client.close_input();
        assert!(client.ended().await.is_ok());
    }
}

#[tokio::test]
async fn requests_sent_right_before_the_end_of_the_input_are_answered() {
    let mut client = initialized().await;
    client.request(1, "tools/call", json!({"name": "echo", "arguments": {"text": "mcp"}})).await;
    client.request(2, "echo", json!({"text": "bare"})).await;
    client.close_input();
    assert_eq!(client.answer(1).await["result"]["structuredContent"]["text"], "mcp");
    assert_eq!(client.answer(2).await["result"]["text"], "bare");
    assert!(client.ended().await.is_ok());
}

#[tokio::test]
async fn a_last_line_without_its_end_counts() {
    use tokio::io::AsyncWriteExt;

    let mut client = connect();
    let line = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    client.to_server.as_mut().unwrap().write_all(line).await.unwrap();
    client.close_input();
    assert_eq!(client.next().await["result"], json!({}));
}

#[tokio::test]
async fn slow_calls_are_answered_after_the_end_of_the_input() {
    let gate = Arc::<Gate>::default();
    let mut client = Client::initialized(server(&gate)).await;
    client.request(1, "tools/call", json!({"name": "wait", "arguments": {"text": "mcp"}})).await;
    client.request(2, "wait", json!({"text": "bare"})).await;
    client.close_input();
    gate.reached_by(2).await;
    gate.open();
    assert_eq!(client.answer(1).await["result"]["structuredContent"]["text"], "mcp");
    assert_eq!(client.answer(2).await["result"]["text"], "bare");
    assert!(client.ended().await.is_ok());
}

#[tokio::test]
async fn what_runs_too_long_after_the_end_of_the_input_is_cancelled_and_not_waited_for() {
    let (gate, never) = (Arc::<Gate>::default(), Arc::<Gate>::default());
    let mut client = Client::hasty(server(&gate)).await;
    client.request(1, "tools/call", json!({"name": "work"})).await;
    client.request(2, "work", json!({})).await;
    gate.reached_by(2).await;
    client.close_input();
    assert!(client.ended().await.is_ok());
    gate.reached_by(4).await;

    let mut client = Client::hasty(server(&never)).await;
    client.request(1, "tools/call", json!({"name": "wait", "arguments": {"text": "x"}})).await;
    never.reached_by(1).await;
    client.close_input();
    assert!(client.ended().await.is_ok());
    never.open(); // the runtime waits for its blocking threads
}

#[tokio::test]
async fn a_closed_output_ends_serving_and_cancels_what_runs() {
    let gate = Arc::<Gate>::default();
    let mut client = Client::initialized(server(&gate)).await;
    client.request(1, "tools/call", json!({"name": "work"})).await;
    gate.reached_by(1).await;
    client.close_output();
    client.request(2, "ping", json!({})).await;
    assert!(matches!(client.ended().await, Err(StdioError::Write(_))));
    gate.reached_by(2).await;
}

#[tokio::test]
async fn a_client_that_reads_nothing_is_not_read_from_and_gets_every_answer_once_it_reads() {
    let mut client = initialized().await;
    let text = "x".repeat(9_000);
    let mut sent = 0_u64;
    // The server stops to read: the client's writes wait, and with them whoever would fill its memory.
    loop {
        let call = json!({"name": "echo", "arguments": {"text": text}});
        let request = client.request(sent, "tools/call", call);
        if tokio::time::timeout(std::time::Duration::from_secs(2), request).await.is_err() {
            break;
        }
        sent += 1;
        assert!(sent < 20_000, "180 MB of answers were made for a client that reads nothing");
    }
    // Half a line was written at most; what comes first now ends it.
    let mut answered = std::collections::BTreeSet::new();
    while (answered.len() as u64) < sent {
        let message = client.next().await;
        answered.insert(message["id"].as_u64().unwrap_or_else(|| panic!("{message}")));
    }
    assert_eq!(answered.last(), Some(&(sent - 1)));
}

#[tokio::test]
async fn no_more_than_so_many_requests_are_in_flight() {
    let gate = Arc::<Gate>::default();
    let mut client = Client::initialized(server(&gate)).await;
    let wait = |id: u64| json!({"jsonrpc": "2.0", "id": id, "method": "wait", "params": {"text": "x"}}).to_string();
    for id in 0..256 {
        client.send(wait(id)).await;
    }
    // The next is read and waits, and so does what comes after it.
    client.send(wait(256)).await;
    client.send(r#"{"jsonrpc":"2.0","id":"alive","method":"ping"}"#).await;
    let silent = tokio::time::timeout(std::time::Duration::from_millis(300), client.next()).await;
    assert!(silent.is_err(), "{silent:?}");
    gate.open();
    for id in 0..257 {
        assert_eq!(client.answer(id).await["result"]["text"], "x");
    }
    assert_eq!(client.answer("alive").await["result"], json!({}));
}
