//! Sessions over HTTP: their ends, their ids, and what is told on the way of a long call.

use std::io::Write;
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::support::{DEADLINE, HttpServer, HttpSession, Repo, Sandbox, eventually, initialize, read_reply, sources};

fn serving(sandbox: &Sandbox, repo: &Repo, settings: &[(&str, &str)]) -> HttpServer {
    let mut command = sandbox.cruxe_in(&repo.root);
    command.args(["serve-mcp", "--transport", "http", "--no-watch"]).envs(settings.iter().copied());
    HttpServer::start(command)
}

/// Sends a message and does not wait for what comes back.
fn send(server: &HttpServer, session: &HttpSession, message: &Value) -> TcpStream {
    let body = message.to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-session-id: {}\r\ncontent-length: {}\r\n\r\n",
        session.id,
        body.len()
    );
    let mut stream = server.connect();
    stream.write_all((head + &body).as_bytes()).unwrap();
    stream
}

fn open_sessions(server: &HttpServer) -> String {
    let page = server.get("/metrics").body;
    page.lines().find_map(|line| line.strip_prefix("cruxe_sessions_open ")).unwrap().to_owned()
}

#[test]
fn two_requests_with_one_id_at_once_both_end_and_one_of_them_is_refused() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(100)));
    repo.cruxe(&["index"]).ok();
    let server = serving(&sandbox, &repo, &[]);
    let session = HttpSession::start(&server, "2025-11-25");
    let call = json!({"name": "index_repo", "arguments": {"force": true}, "_meta": {"progressToken": "p"}});
    let message = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call});
    // Whether the first is still at work when the second comes is chance, so they are sent until it was.
    eventually("two at once", DEADLINE, || {
        let streams = [send(&server, &session, &message), send(&server, &session, &message)];
        let replies = streams.map(|stream| read_reply(stream).expect("every request ends"));
        let answers = replies.each_ref().map(|reply| reply.json());
        assert!(answers.iter().all(|answer| answer["id"] == 7), "{answers:?}");
        let refused = answers.iter().position(|answer| answer["error"]["code"] == -32600)?;
        assert_eq!(replies[refused].status, 400);
        let text = answers[refused]["error"]["message"].as_str().unwrap();
        assert!(text.ends_with("give each request an id of its own."), "{text}");
        assert_eq!(answers[1 - refused]["result"]["structuredContent"]["status"], "published", "{answers:?}");
        Some(())
    });
    let again = session.post(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
        "name": "health_check"}}));
    assert_eq!((again.status, &again.json()["id"]), (200, &json!(7)), "the id is free again");
}

#[test]
fn two_requests_with_one_id_at_once_are_told_apart_over_stdio() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    client.ready();
    let params = json!({"name": "locate_symbol", "arguments": {"name": "Claims"}});
    let message = json!({"jsonrpc": "2.0", "id": "same", "method": "tools/call", "params": params});
    // Whether the first is answered before the second is read is chance, so they are sent until it was not.
    eventually("two at once", DEADLINE, || {
        client.send_line(&format!("{message}\n{message}"));
        let messages = [client.receive(), client.receive()];
        assert!(messages.iter().all(|message| message["id"] == "same"), "{messages:?}");
        let (refused, answers): (Vec<&Value>, Vec<&Value>) =
            messages.iter().partition(|message| message.get("error").is_some());
        assert!(answers.iter().all(|answer| answer["result"]["structuredContent"]["total_candidates"] == 1));
        assert!(
            !answers.is_empty() && refused.iter().all(|refusal| refusal["error"]["code"] == -32600),
            "{messages:?}"
        );
        (refused.len() == 1).then_some(())
    });
    assert_eq!(client.places("Claims"), ["src/auth/jwt.rs:4"]);
}

#[test]
fn sessions_that_clients_leave_behind_expire() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.cruxe(&["index"]).ok();
    let server = serving(&sandbox, &repo, &[("CRUXE_HTTP_SESSION_IDLE_MS", "500")]);
    let left: Vec<String> =
        (0..40).map(|_| initialize(&server, "2025-11-25").header("mcp-session-id").unwrap().to_owned()).collect();
    eventually("nobody is left", DEADLINE, || (open_sessions(&server) == "0").then_some(()));
    let message = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-session-id", left[0].as_str()),
    ];
    assert_eq!(server.request("POST", "/mcp", &headers, message).status, 404, "the client is to begin a new one");
    HttpSession::start(&server, "2025-11-25").call("health_check", json!({}));
}

#[test]
fn long_questions_tell_how_far_they_are_before_their_answer() {
    let sandbox = Sandbox::new();
    let mut files = sources::shapes(40);
    files.push(("src/lib.rs".to_owned(), "pub fn shared() {}\n".to_owned()));
    let uses = (0..30).map(|at| (format!("src/use_{at}.rs"), "pub fn go() {\n    crate::shared();\n}\n".to_owned()));
    files.extend(uses);
    let repo = sandbox.repo("shapes", &sources::borrowed(&files));
    repo.git(&["switch", "-q", "-c", "feat"]);
    for at in 0..30 {
        repo.write(&format!("src/use_{at}.rs"), "pub fn go() {\n    crate::shared();\n    crate::shared();\n}\n");
    }
    repo.commit("twice");
    repo.cruxe(&["index", "--ref", "main"]).ok();
    repo.cruxe(&["index"]).ok();
    let server = serving(&sandbox, &repo, &[]);
    let session = HttpSession::start(&server, "2025-11-25");
    for (tool, arguments, total) in [
        ("diff_context", json!({}), 90),
        ("find_references", json!({"symbol_name": "shared", "path": "src/lib.rs"}), 31),
        ("get_call_graph", json!({"symbol_name": "shared", "path": "src/lib.rs"}), 31),
    ] {
        let call = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": tool}});
        let reply = session.post(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}));
        let messages = reply.messages();
        let (answer, notes) = messages.split_last().unwrap();
        assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(1), &json!(false)), "{answer}");
        assert!(!notes.is_empty(), "{tool} tells nothing");
        for note in notes {
            assert_eq!(note["method"], "notifications/progress", "{note}");
            assert_eq!((&note["params"]["progressToken"], &note["params"]["message"]), (&json!(tool), &json!("files")));
            assert_eq!(note["params"]["total"].as_f64(), Some(f64::from(total)), "{note}");
        }
        let done: Vec<f64> = notes.iter().map(|note| note["params"]["progress"].as_f64().unwrap()).collect();
        assert!(done.is_sorted_by(|a, b| a < b) && done[0] >= 1.0, "{tool}: {done:?}");
        let silent = session.post(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": tool, "arguments": arguments}}));
        assert_eq!(silent.messages().len(), 1, "nobody asked: {silent:?}");
    }
    let prompt = json!({"name": "review_branch", "arguments": {}, "_meta": {"progressToken": "prompt"}});
    let reply = session.post(&json!({"jsonrpc": "2.0", "id": 3, "method": "prompts/get", "params": prompt}));
    assert_eq!(reply.messages()[0]["params"]["progressToken"], "prompt", "{reply:?}");
}
