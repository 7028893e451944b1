//! Clients that mean harm or are broken: nothing crashes, hangs, or tells what it must not.

use std::io::{Read, Write};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::{Client, DEADLINE, HttpServer, HttpSession, Repo, Sandbox, eventually, read_reply, sources};

fn http_server(sandbox: &Sandbox, repo: &Repo, settings: &[(&str, &str)]) -> HttpServer {
    let mut command = sandbox.cruxe_in(&repo.root);
    command.args(["serve-mcp", "--transport", "http", "--no-watch"]).envs(settings.iter().copied());
    HttpServer::start(command)
}

fn service(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.cruxe(&["index"]).ok();
    repo
}

/// The most memory that a process ever held, in megabytes.
fn peak_megabytes(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap() / 1024
}

fn answers(server: &HttpServer) {
    let found = server.post(r#"{"jsonrpc":"2.0","id":1,"method":"locate_symbol","params":{"name":"Claims"}}"#);
    assert_eq!(found.json()["result"]["total_candidates"], 1, "{found:?}");
}

#[test]
fn garbage_on_the_port_is_refused_and_survived() {
    let sandbox = Sandbox::new();
    let repo = service(&sandbox);
    let server = http_server(&sandbox, &repo, &[]);
    for garbage in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03garbage\r\n\r\n"[..],
        b"\0\0\0\0\0\0\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\nzz\r\n",
        b"GET /health HTTP/1.0\r\n\r\n",
    ] {
        let mut stream = server.connect();
        let _ = stream.write_all(garbage);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let status = read_reply(stream).map_or(400, |reply| reply.status);
        assert!((400..500).contains(&status), "{status} for {:?}", String::from_utf8_lossy(garbage));
    }
    let json = |body: &str| {
        let reply = server.post(body);
        (reply.status, reply.json()["error"]["code"].as_i64().unwrap_or_default())
    };
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"health_check","params":{}1{}}}"#,
        r#"{"a":"#.repeat(100_000),
        "}".repeat(100_000)
    );
    let batch = format!("[{}]", vec![r#"{"jsonrpc":"2.0","id":1,"method":"health_check"}"#; 50_000].join(","));
    assert_eq!(json("{"), (400, -32700));
    assert_eq!(json(""), (400, -32700));
    assert_eq!(json(&deep), (400, -32700));
    assert_eq!(json(&batch), (400, -32600));
    assert_eq!(json(r#"{"jsonrpc":"2.0","id":{},"method":"health_check"}"#), (400, -32600));
    assert_eq!(json(r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#), (400, -32600));
    assert_eq!(json(r#"{"jsonrpc":"1.0","id":1,"method":"health_check"}"#), (400, -32600));
    let form = server.request("POST", "/mcp", &[("content-type", "text/plain")], "{}");
    assert_eq!(form.status, 415, "a web page's form cannot ask");
    let mut session = HttpSession::start(&server, "2025-11-25");
    let odd = session.request("tools/call", json!({"name": 5}));
    assert_eq!(odd["error"]["code"], -32602, "{odd}");
    let unknown = session.request("no/such/method", json!({}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    answers(&server);
}

#[test]
fn a_message_of_a_hundred_megabytes_is_refused_in_bounded_memory() {
    let sandbox = Sandbox::new();
    let repo = service(&sandbox);
    let server = http_server(&sandbox, &repo, &[]);
    let before = peak_megabytes(server.pid());
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n";
    let part = vec![b'x'; 1 << 20];
    let sized = format!("{head}content-length: {}\r\n\r\n", 100 << 20);
    let chunked = format!("{head}transfer-encoding: chunked\r\n\r\n");
    for head in [sized, chunked] {
        let mut stream = server.connect();
        stream.write_all(head.as_bytes()).unwrap();
        for _ in 0..100 {
            let frame = if head.contains("chunked") {
                [format!("{:x}\r\n", part.len()).as_bytes(), &part, b"\r\n"].concat()
            } else {
                part.clone()
            };
            if stream.write_all(&frame).is_err() {
                break; // it has refused and closed
            }
        }
        // The system may drop the answer of a server that closed while we wrote.
        if let Some(reply) = read_reply(stream) {
            assert_eq!((reply.status, reply.body.as_str()), (413, "A message has at most 4194304 bytes.\n"));
        }
    }
    let honest = server.request("POST", "/mcp", &[("content-type", "application/json")], &"x".repeat((4 << 20) + 1));
    assert_eq!(honest.status, 413);
    assert!(peak_megabytes(server.pid()) < before + 100, "{} MB", peak_megabytes(server.pid()));
    answers(&server);
    let headers: String = (0..3000).map(|number| format!("x-{number}: {}\r\n", "y".repeat(100))).collect();
    let large = server.raw(format!("GET /health HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n").as_bytes());
    assert_eq!(large.map_or(431, |reply| reply.status), 431);
    answers(&server);
}

#[test]
fn a_line_of_a_hundred_megabytes_is_refused_in_bounded_memory() {
    let sandbox = Sandbox::new();
    let repo = service(&sandbox);
    let mut client = repo.server();
    client.ready();
    client.send_line(&"x".repeat(100 << 20));
    let answer = client.receive();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32600)), "{answer}");
    assert_eq!(answer["error"]["message"], "The line is longer than 16 MiB.");
    assert!(peak_megabytes(client.pid()) < 600, "{} MB", peak_megabytes(client.pid()));
    assert_eq!(client.places("Claims"), ["src/auth/jwt.rs:4"]);
}

#[test]
fn slow_clients_are_cut_off_and_keep_nobody_out() {
    let sandbox = Sandbox::new();
    let repo = service(&sandbox);
    let settings = [
        ("CRUXE_HTTP_HEADER_TIMEOUT_MS", "1000"),
        ("CRUXE_HTTP_BODY_TIMEOUT_MS", "1000"),
        ("CRUXE_HTTP_MAX_CONNECTIONS", "40"),
    ];
    let server = http_server(&sandbox, &repo, &settings);
    let begun = ["", "P", "PRI * HT", "GET /health HTTP/1.1\r\nhost: loc", "POST /mcp HTTP/1.1\r\nx: "];
    // Twice as many as there are places: the honest client waits for its turn and gets it.
    let slow: Vec<_> = (0..80)
        .map(|number| {
            let mut stream = server.connect();
            let _ = stream.write_all(begun[number % begun.len()].as_bytes());
            stream
        })
        .collect();
    answers(&server);
    for mut stream in slow {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest); // ends, or the read's own deadline fails the next line
        let text = String::from_utf8_lossy(&rest);
        assert!(text.is_empty() || text.starts_with("HTTP/1.1 4"), "{text}");
    }
    let body = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\nconnection: close\r\n\r\n{";
    let mut stream = server.connect();
    stream.write_all(body.as_bytes()).unwrap();
    assert_eq!(read_reply(stream).unwrap().status, 408);
    answers(&server);
}

#[test]
fn ids_that_are_used_twice_get_two_answers() {
    let sandbox = Sandbox::new();
    let repo = service(&sandbox);
    let mut client = repo.server();
    client.ready();
    for _ in 0..3 {
        client.send(&json!({"jsonrpc": "2.0", "id": "same", "method": "locate_symbol", "params": {"name": "Claims"}}));
    }
    for _ in 0..3 {
        let answer = client.receive();
        assert_eq!((&answer["id"], &answer["result"]["total_candidates"]), (&json!("same"), &json!(1)), "{answer}");
    }
    let server = http_server(&sandbox, &repo, &[]);
    let session = HttpSession::start(&server, "2025-11-25");
    for _ in 0..3 {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "health_check"}});
        assert_eq!(session.post(&message).json()["id"], 1);
    }
}

#[test]
fn paths_with_tricks_in_them_lead_nowhere() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    std::fs::write(sandbox.path("secret.py"), "def secret():\n    pass\n").unwrap();
    std::os::unix::fs::symlink(sandbox.path("secret.py"), repo.root.join("link.py")).unwrap();
    repo.commit("a link");
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let long = "a/".repeat(50_000);
    for path in [
        "../secret.py",
        "src/../../secret.py",
        "/etc/passwd",
        "link.py",
        "src/auth/../../../secret.py",
        "..\\secret.py",
        "C:\\secret.py",
        "\\\\?\\C:\\secret.py",
        "．．/secret.py",
        "..\u{2215}secret.py",
        "..%2fsecret.py",
        "%2e%2e/secret.py",
        "src/auth/jwt.rs\0.py",
        "\u{202e}yp.terces",
        "src/auth/\u{200b}jwt.rs",
        "~/secret.py",
        "file:///etc/passwd",
        "",
        ".",
        "..",
        "/",
        &long,
    ] {
        let error = client.error("get_file_outline", json!({"path": path}));
        let shown: String = path.chars().take(60).collect();
        assert!(["file_not_found", "invalid_input"].contains(&error["code"].as_str().unwrap()), "{shown:?}: {error}");
        assert!(!error.to_string().contains("def secret"), "{shown:?}: {error}");
    }
    assert_eq!(client.places("secret"), [""; 0]);
    assert_eq!(client.ok("get_file_outline", json!({"path": "src/auth/jwt.rs"}))["language"], "rust");
}

#[test]
fn a_client_that_stops_reading_ends_the_server() {
    let sandbox = Sandbox::new();
    let repo = service(&sandbox);
    let mut command: Command = sandbox.cruxe_in(&repo.root);
    command.args(["serve-mcp", "--no-watch"]);
    let mut child = command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    // The input stays open: it is the closed output that ends it.
    eventually("the server ends", DEADLINE, || child.try_wait().unwrap());
}

#[test]
fn questions_piped_in_are_all_answered_before_the_end() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(300)));
    let mut command = sandbox.cruxe_in(&repo.root);
    command.args(["serve-mcp", "--no-watch"]);
    let mut client = Client::start_silent(command);
    let hello =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "it", "version": "1"}});
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    client.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "index_repo", "arguments": {"force": true}, "_meta": {"progressToken": 1}}}));
    client.close_input();
    let last = eventually("the slow call is answered", DEADLINE, || {
        let message = client.receive();
        (message["id"] == 2).then_some(message)
    });
    let content = &last["result"]["structuredContent"];
    // The first index may be on its way already.
    assert!(content["status"] == "published" || content["error"]["code"] == "index_in_progress", "{last}");
}

#[test]
fn a_client_that_reads_nothing_is_not_read_from_either() {
    let sandbox = Sandbox::new();
    let repo = service(&sandbox);
    let mut command: Command = sandbox.cruxe_in(&repo.root);
    command.args(["serve-mcp", "--no-watch"]);
    let mut child = command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let written = Arc::new(AtomicUsize::new(0));
    const REQUESTS: usize = 100_000;
    let count = Arc::clone(&written);
    let hello =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "it", "version": "1"}});
    let writer = std::thread::spawn(move || {
        let hello = json!({"jsonrpc": "2.0", "id": REQUESTS, "method": "initialize", "params": hello});
        let _ = input.write_all(format!("{hello}\n").as_bytes());
        for id in 0..REQUESTS {
            let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"});
            if input.write_all(format!("{call}\n").as_bytes()).is_err() {
                return;
            }
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    let mut last = (0, std::time::Instant::now());
    eventually("the server reads no more", DEADLINE, || {
        let now = written.load(Ordering::Relaxed);
        if now != last.0 {
            last = (now, std::time::Instant::now());
        }
        (last.1.elapsed() > std::time::Duration::from_secs(3) || now == REQUESTS).then_some(())
    });
    let asked = written.load(Ordering::Relaxed);
    assert!(asked < REQUESTS, "everything was read");
    assert!(peak_megabytes(child.id()) < 300, "{} MB", peak_megabytes(child.id()));
    // Once it reads, it is answered.
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(output));
    let mut seen = std::collections::HashSet::new();
    while seen.len() <= asked {
        let answer: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert!(answer.get("result").is_some(), "{answer}");
        assert!(seen.insert(answer["id"].as_u64().unwrap()), "answered twice");
    }
    drop(lines);
    writer.join().unwrap();
    eventually("the server ends", DEADLINE, || child.try_wait().unwrap());
}

#[test]
fn arguments_of_any_size_are_answered_soon() {
    let sandbox = Sandbox::new();
    let repo = service(&sandbox);
    let mut client = repo.server();
    client.ready();
    let long = "x_".repeat(500_000);
    let names = (0..100_000).map(|at| format!("name_{at}")).collect::<Vec<_>>().join(".");
    for (tool, arguments) in [
        ("locate_symbol", json!({"name": long})),
        ("locate_symbol", json!({"name": names})),
        ("locate_symbol", json!({"name": "x", "limit": 1_000_000_000_000_i64})),
        ("locate_symbol", json!({"name": "x", "limit": u64::MAX})),
        ("find_references", json!({"symbol_name": long})),
        ("find_references", json!({"symbol_name": "Claims", "path": long})),
        ("get_call_graph", json!({"symbol_name": names})),
        ("get_call_graph", json!({"symbol_name": "Claims", "limit": 1_000_000})),
        ("diff_context", json!({"path_filter": long})),
        ("compare_symbol_between_commits", json!({"symbol_name": "x", "base_ref": long, "head_ref": "main"})),
        ("explain_ranking", json!({"query": "x", "result_path": long, "result_line_start": 1})),
        ("get_file_outline", json!({"path": long})),
        ("switch_ref", json!({"ref": long})),
    ] {
        let error = client.error(tool, arguments);
        assert_eq!(error["code"], "invalid_input", "{tool}: {error}");
        assert!(error.to_string().len() < 1_000, "what was sent is not sent back");
    }
    let mut many: serde_json::Map<String, Value> = (0..200_000).map(|at| (format!("a{at}"), json!(1))).collect();
    many.insert("limit".to_owned(), json!(u64::MAX));
    many.insert("name".to_owned(), json!("x"));
    assert_eq!(client.error("locate_symbol", Value::Object(many))["code"], "invalid_input");
    for (method, params) in [
        ("resources/read", json!({"uri": long})),
        ("resources/subscribe", json!({"uri": long})),
        ("prompts/get", json!({"name": "explain_symbol", "arguments": {"symbol": long}})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "explain_symbol"}, "argument": {"name": "symbol", "value": long}}),
        ),
    ] {
        let answer = client.request(method, params);
        assert_eq!(answer["error"]["message"], "A name, path or address has at most 10000 bytes.", "{method}");
    }
    // A query may be a report that somebody pasted: a part of it is used, and the answer says so.
    let report = format!("JwtValidator fails\n{}\nin validate_token", "at line 7 of something\n".repeat(40_000));
    for query in [report.clone(), format!("\"{report}\""), names, long] {
        let found = client.ok("search_code", json!({"query": query, "limit": 1000}));
        let said = found["metadata"]["warnings"][0].as_str().unwrap();
        let ends = ["bytes; its first and its last 8192 were used", "between them what tells of a failure"];
        assert!(ends.iter().any(|end| said.ends_with(end)), "{said}");
    }
    let found = client.ok("search_code", json!({"query": report}));
    let paths: Vec<&str> =
        found["results"].as_array().unwrap().iter().map(|hit| hit["path"].as_str().unwrap()).collect();
    assert!(paths.contains(&"src/auth/jwt.rs"), "{paths:?}");
    let before = json!({"tool": "search_code", "params": {"query": report}});
    let results = json!({"results": vec![json!({"score": 0.1}); 50_000]});
    client.ok("suggest_followup_queries", json!({"previous_query": before, "previous_results": results}));
    let deep = client.ok("get_call_graph", json!({"symbol_name": "Claims", "depth": 1_000_000}));
    assert!(deep["metadata"]["warnings"].to_string().contains("depth"), "{}", deep["metadata"]);
    for (tool, arguments) in [
        ("create_task", json!({"title": "x", "depends_on": vec!["abc123"; 100_000]})),
        ("create_task", json!({"title": "x", "tags": vec!["a"; 100_000]})),
        ("create_task", json!({"title": "x", "assignee": "x".repeat(1 << 20)})),
        ("list_tasks", json!({"tags": vec!["a"; 100_000]})),
        ("read_context", json!({"query": "x", "filters": {"tags": vec!["a"; 100_000]}})),
    ] {
        let answer = client.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(answer["error"]["code"], -32602, "{tool}: {}", answer.to_string().len());
    }
}
