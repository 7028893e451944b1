//! Calls of tools: their answers, errors, progress, cancellation, and many at once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;

use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::{ClientLifecycleMode, ClientServiceExt, ServiceExt};
use serde_json::{Value, json};
use support::{Client, Gate, server};

async fn initialized() -> Client {
    Client::initialized(server(&Arc::default())).await
}

/// The JSON of a result's text content.
fn text_of(result: &Value) -> Value {
    assert_eq!(result["content"].as_array().map(Vec::len), Some(1), "{result}");
    assert_eq!(result["content"][0]["type"], "text");
    serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap()
}

#[tokio::test]
async fn the_list_describes_a_tool() {
    let answer = initialized().await.ask(1, "tools/list", json!({})).await;
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["echo", "numbers", "break", "stale", "wait", "work", "count"]);
    assert_eq!(answer["result"].get("nextCursor"), None);
    let count = &tools[6]["annotations"];
    assert_eq!(
        count,
        &json!({"readOnlyHint": false, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false})
    );
    insta::with_settings!({sort_maps => true}, { insta::assert_json_snapshot!(tools[0]) });
}

#[tokio::test]
async fn an_answer_is_structured_and_its_text_says_the_same() {
    let mut client = initialized().await;
    let answer = client.call("echo", json!({"text": "hi", "unknown": 1})).await;
    assert_eq!(answer["result"]["isError"], false);
    assert_eq!(answer["result"]["structuredContent"], json!({"text": "hi", "times": 0, "workspace": null}));
    assert_eq!(text_of(&answer["result"]), answer["result"]["structuredContent"]);
    assert_eq!(answer["result"]["content"][0]["text"], r#"{"text":"hi","times":0,"workspace":null}"#);
}

#[tokio::test]
async fn an_array_answer_is_wrapped_in_the_structured_content_and_bare_in_the_text() {
    let mut client = initialized().await;
    let result = client.ask(1, "tools/call", json!({"name": "numbers"})).await["result"].clone();
    assert_eq!(result["structuredContent"], json!({"numbers": [1, 2, 3], "metadata": {"ref": "main"}}));
    assert_eq!(text_of(&result), json!([1, 2, 3]));
}

#[tokio::test]
async fn errors_of_tools_are_results_that_say_what_to_do_next() {
    let mut client = initialized().await;
    let result = client.call("stale", json!({})).await["result"].clone();
    assert_eq!(result["isError"], true);
    assert_eq!(
        result["structuredContent"],
        json!({"error": {"code": "index_stale", "message": "Index is stale.", "data": {
            "last_indexed_commit": "abc", "suggestion": "Call sync_repo to update the index before querying."}}})
    );
    assert_eq!(text_of(&result), result["structuredContent"]);
    let result = client.call("echo", json!({"text": "x", "loudness": "bogus"})).await["result"].clone();
    let error = &result["structuredContent"]["error"];
    assert_eq!(error["code"], "invalid_input");
    assert_eq!(error["message"], "`loudness` must be one of: low, high; not bogus.");
    assert_eq!(error["data"]["parameter"], "loudness");
}

#[tokio::test]
async fn a_panic_is_an_internal_error_and_the_server_goes_on() {
    let mut client = initialized().await;
    let result = client.call("break", json!({})).await["result"].clone();
    assert_eq!(result["isError"], true);
    assert_eq!(result["structuredContent"]["error"]["code"], "internal_error");
    assert_eq!(result["structuredContent"]["error"]["message"], "break failed unexpectedly: broken: 7");
    client.assert_quiet_and_alive().await;
    assert_eq!(client.call("echo", json!({"text": "x"})).await["result"]["isError"], false);
}

#[tokio::test]
async fn calls_that_cannot_be_routed_are_json_rpc_errors() {
    let mut client = initialized().await;
    let error = client.call("ekko", json!({})).await["error"].clone();
    assert_eq!(error["code"], -32602);
    let message = error["message"].as_str().unwrap();
    assert!(message.starts_with("Unknown tool `ekko`. Nearest: echo, "), "{message}");
    let error = client.ask(1, "tools/call", json!({"arguments": {}})).await["error"].clone();
    assert_eq!(
        error,
        json!({"code": -32602, "message": "The parameters of tools/call do not fit: missing field `name`"})
    );
    let error = client.ask(2, "tools/call", json!({"name": "echo", "arguments": ["x"]})).await["error"].clone();
    assert_eq!(error["code"], -32602);
    client.assert_quiet_and_alive().await;
}

#[tokio::test]
async fn two_hundred_calls_at_once_get_their_own_answers_and_do_not_stop_a_ping() {
    let gate = Arc::<Gate>::default();
    let mut client = Client::initialized(server(&gate)).await;
    for id in 0..200 {
        let arguments = json!({"text": format!("n{id}")});
        if id % 2 == 0 {
            client.request(id, "tools/call", json!({"name": "wait", "arguments": arguments})).await;
        } else {
            client.request(id, "wait", arguments).await;
        }
    }
    gate.reached_by(200).await;
    client.assert_quiet_and_alive().await;
    gate.open();
    for id in (0..200).rev() {
        let result = client.answer(id).await["result"].clone();
        let output = if id % 2 == 0 { &result["structuredContent"] } else { &result };
        assert_eq!(output["text"], format!("n{id}"));
    }
}

#[tokio::test]
async fn a_client_with_many_slow_questions_keeps_another_one_waiting_for_none_of_them() {
    let gate = Arc::<Gate>::default();
    let server = server(&gate);
    let (mut greedy, mut other) =
        (Client::initialized(Arc::clone(&server)).await, Client::initialized(Arc::clone(&server)).await);
    for id in 0..100 {
        greedy.request(id, "tools/call", json!({"name": "work"})).await;
    }
    gate.reached_by(2).await;
    assert_eq!(other.call("echo", json!({"text": "x"})).await["result"]["structuredContent"]["text"], "x");
    // Those that are cancelled are over before their places are free, and the next begin.
    for id in 0..100 {
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        greedy.send(cancel.to_string()).await;
    }
    assert_eq!(greedy.call("echo", json!({"text": "y"})).await["result"]["structuredContent"]["text"], "y");
}

#[tokio::test]
async fn a_cancelled_request_is_told_and_not_answered() {
    let gate = Arc::<Gate>::default();
    let mut client = Client::initialized(server(&gate)).await;
    client.request("mcp", "tools/call", json!({"name": "work"})).await;
    gate.reached_by(1).await;
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"mcp"}}"#).await;
    gate.reached_by(2).await;
    client.request(7, "work", json!({})).await;
    gate.reached_by(3).await;
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"x"}}"#).await;
    gate.reached_by(4).await;
    client.assert_quiet_and_alive().await;
}

#[tokio::test]
async fn bare_calls_that_share_an_id_are_all_answered_and_the_latest_is_cancelled() {
    let gate = Arc::<Gate>::default();
    let mut client = Client::connect(server(&gate));
    client.request(1, "wait", json!({"text": "first"})).await;
    gate.reached_by(1).await;
    assert_eq!(client.ask(1, "echo", json!({"text": "second"})).await["result"]["text"], "second");
    client.request(1, "work", json!({})).await;
    gate.reached_by(2).await;
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#).await;
    gate.reached_by(3).await;
    gate.open();
    assert_eq!(client.answer(1).await["result"]["text"], "first");
    client.assert_quiet_and_alive().await;
}

#[tokio::test]
async fn progress_is_sent_before_the_answer_to_who_asked_for_it() {
    let mut client = initialized().await;
    client.request(1, "tools/call", json!({"name": "count", "_meta": {"progressToken": "tok"}})).await;
    let mut seen = Vec::new();
    let answer = loop {
        let message = client.next().await;
        if message.get("id").is_some() {
            break message;
        }
        assert_eq!(message["method"], "notifications/progress");
        assert_eq!(message["params"]["progressToken"], "tok");
        assert_eq!(message["params"]["total"], 50.0);
        assert_eq!(message["params"]["message"], "files");
        seen.push(message["params"]["progress"].as_f64().unwrap());
    };
    assert_eq!(answer["result"]["structuredContent"], json!({"done": true}));
    assert_eq!((seen.first(), seen.last()), (Some(&1.0), Some(&50.0)));
    assert!(seen.is_sorted_by(|a, b| a < b), "{seen:?}");

    client.request(2, "tools/call", json!({"name": "count"})).await;
    assert_eq!(client.next().await["id"], 2);
}

#[tokio::test]
async fn rmcps_client_lists_and_calls_in_both_lifecycles() {
    let newest = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    for lifecycle in [ClientLifecycleMode::Initialize, newest] {
        let (ours, theirs) = tokio::io::duplex(4096);
        let (input, output) = tokio::io::split(theirs);
        let served = tokio::spawn(cruxe_server::serve_stdio(server(&Arc::default()), input, output));
        let client = ().serve_with_lifecycle(ours, lifecycle).await.unwrap();
        let tools = client.list_all_tools().await.unwrap();
        assert_eq!(tools.len(), 7);
        let arguments = json!({"text": "hi"}).as_object().cloned().unwrap();
        let result = client.call_tool(CallToolRequestParams::new("echo").with_arguments(arguments)).await.unwrap();
        assert_eq!(result.structured_content, Some(json!({"text": "hi", "times": 0, "workspace": null})));
        assert_eq!(result.is_error, Some(false));
        client.cancel().await.unwrap();
        served.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn the_server_can_be_served_over_any_transport_of_rmcp() {
    let (ours, theirs) = tokio::io::duplex(4096);
    let connection = server(&Arc::default()).connect();
    let serving = tokio::spawn(async move { connection.serve(theirs).await.unwrap().waiting().await });
    let client = ().serve(ours).await.unwrap();
    assert_eq!(client.peer_info().unwrap().server_info.as_ref().unwrap().name, "dummy");
    assert_eq!(client.list_all_tools().await.unwrap().len(), 7);
    client.cancel().await.unwrap();
    serving.await.unwrap().unwrap();
}
