//! The HTTP transport: sessions, no sessions, bare calls, health, figures, who is let in, the end.

use std::io::{BufRead, BufReader, Write};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{DEADLINE, HttpServer, HttpSession, Repo, Sandbox, eventually, initialize, sessionless, sources};

const TOKEN: &str = "correct-horse-battery-staple";

/// A command that serves a repository over HTTP.
fn serving(sandbox: &Sandbox, repo: &Repo) -> Command {
    let mut command = sandbox.cruxe_in(&repo.root);
    command.args(["serve-mcp", "--transport", "http", "--no-watch"]);
    command
}

fn indexed<'a>(sandbox: &'a Sandbox) -> Repo<'a> {
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.cruxe(&["index"]).ok();
    repo
}

#[test]
fn every_revision_of_the_protocol_lists_and_calls_tools() {
    let sandbox = Sandbox::new();
    let repo = indexed(&sandbox);
    let server = HttpServer::start(serving(&sandbox, &repo));
    let names = |answer: &Value| answer["result"]["tools"].as_array().unwrap().len();
    let mut counts = Vec::new();
    for version in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut session = HttpSession::start(&server, version);
        counts.push(names(&session.request("tools/list", json!({}))));
        let answer = session.call("locate_symbol", json!({"name": "Claims"}));
        assert_eq!(answer["results"][0]["path"], "src/auth/jwt.rs", "{answer}");
        let deleted = server.request("DELETE", "/mcp", &[("mcp-session-id", &session.id)], "");
        assert_eq!(deleted.status / 100, 2, "{deleted:?}");
        let late = session.post(&json!({"jsonrpc": "2.0", "id": 9, "method": "tools/list"}));
        assert_eq!(late.status, 404, "a session that was ended is gone: {late:?}");
    }
    let listed = sessionless(&server, "tools/list", None, json!({}));
    assert_eq!((listed.status, listed.header("mcp-session-id")), (200, None));
    counts.push(names(&listed.json()));
    assert!(counts[0] >= 15 && counts.iter().all(|count| *count == counts[0]), "{counts:?}");
    let found = sessionless(
        &server,
        "tools/call",
        Some("locate_symbol"),
        json!({"name": "locate_symbol", "arguments": {"name": "Claims"}}),
    );
    assert_eq!(found.json()["result"]["structuredContent"]["results"][0]["line_start"], 4, "{found:?}");
    let unknown = sessionless(&server, "tools/call", Some("locate_symbol"), json!({"name": "other", "arguments": {}}));
    assert_eq!(unknown.status, 400, "the header names another tool: {unknown:?}");
}

#[test]
fn tools_are_methods_over_http_too() {
    let sandbox = Sandbox::new();
    let repo = indexed(&sandbox);
    let server = HttpServer::start(serving(&sandbox, &repo));
    let found = server.post(r#"{"jsonrpc":"2.0","id":"a","method":"locate_symbol","params":{"name":"Claims"}}"#);
    assert_eq!((found.status, found.header("content-type")), (200, Some("application/json")));
    assert_eq!((&found.json()["id"], &found.json()["result"]["total_candidates"]), (&json!("a"), &json!(1)));
    let missing = server.post(r#"{"jsonrpc":"2.0","id":2,"method":"locate_symbol","params":{}}"#).json();
    assert_eq!((&missing["error"]["code"], &missing["error"]["data"]["parameter"]), (&json!(-32602), &json!("name")));
    let noted = server.post(r#"{"jsonrpc":"2.0","method":"health_check"}"#);
    assert_eq!((noted.status, noted.body.as_str()), (202, ""));
}

#[test]
fn switch_ref_lasts_for_its_session_and_without_one_the_answer_says_to_pass_ref() {
    let sandbox = Sandbox::new();
    let repo = indexed(&sandbox);
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.write("side.py", "def only_on_side():\n    pass\n");
    repo.commit("side");
    repo.git(&["checkout", "-q", "main"]);
    repo.cruxe(&["index", "--ref", "side"]).ok();
    let server = HttpServer::start(serving(&sandbox, &repo));
    let (mut one, mut two) = (HttpSession::start(&server, "2025-11-25"), HttpSession::start(&server, "2025-11-25"));
    let found = |answer: Value| answer["results"].as_array().unwrap().len();
    let question = json!({"name": "only_on_side"});
    let switched = one.call("switch_ref", json!({"ref": "side"}));
    assert_eq!((&switched["ref"], &switched["previous_ref"]), (&json!("side"), &json!("main")), "{switched}");
    assert_eq!(switched["metadata"].get("warnings"), None, "{switched}");
    assert_eq!(found(one.call("locate_symbol", question.clone())), 1);
    assert_eq!(found(two.call("locate_symbol", question.clone())), 0, "another session is where it was");
    let advice =
        "this request belongs to no session, so later calls do not remember the ref: pass `ref`: \"side\" with each";
    let params = json!({"name": "switch_ref", "arguments": {"ref": "side"}});
    let alone = sessionless(&server, "tools/call", Some("switch_ref"), params).json();
    assert_eq!(alone["result"]["structuredContent"]["metadata"]["warnings"], json!([advice]), "{alone}");
    let bare = server.post(r#"{"jsonrpc":"2.0","id":1,"method":"switch_ref","params":{"ref":"side"}}"#).json();
    assert_eq!(bare["result"]["metadata"]["warnings"], json!([advice]), "{bare}");
    let params = json!({"name": "locate_symbol", "arguments": question});
    let after = sessionless(&server, "tools/call", Some("locate_symbol"), params).json();
    assert_eq!(found(after["result"]["structuredContent"].clone()), 0);
}

#[test]
fn health_has_the_words_of_the_contract_and_figures_count_what_happened() {
    let sandbox = Sandbox::new();
    let repo = indexed(&sandbox);
    let server = HttpServer::start(serving(&sandbox, &repo));
    server.ready();
    let mut session = HttpSession::start(&server, "2025-11-25");
    session.call("locate_symbol", json!({"name": "Claims"}));
    session.call("locate_symbol", json!({"name": "Claims", "ref": "nonesuch"}));
    server.post(r#"{"jsonrpc":"2.0","id":1,"method":"health_check"}"#);
    let page = server.get("/metrics");
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/plain; version=0.0.4")));
    for line in [
        "cruxe_tool_calls_total{tool=\"locate_symbol\",outcome=\"ok\"} 1",
        "cruxe_tool_calls_total{tool=\"locate_symbol\",outcome=\"ref_not_indexed\"} 1",
        "cruxe_tool_calls_total{tool=\"health_check\",outcome=\"ok\"} 1",
        "cruxe_tool_call_seconds_count{tool=\"locate_symbol\"} 2",
        "cruxe_tool_calls_running 0",
        "cruxe_sessions_open 1",
        "cruxe_workspaces_open 1",
    ] {
        assert!(page.body.lines().any(|found| found == line), "{line} is not in\n{}", page.body);
    }
    assert!(page.body.lines().any(|line| line.starts_with("cruxe_index_fresh{project=") && line.ends_with(" 1")));
    assert!(page.body.contains("process_resident_memory_bytes "), "{}", page.body);
    assert!(!page.body.contains(&*repo.root.to_string_lossy()), "figures tell no paths");
    let nowhere = server.get("/nowhere");
    assert_eq!((nowhere.status, nowhere.body.as_str()), (404, "There is /mcp, /health and /metrics.\n"));
}

#[test]
fn a_damaged_index_is_unhealthy() {
    let sandbox = Sandbox::new();
    let repo = indexed(&sandbox);
    std::fs::write(repo.project_dir().join("CURRENT"), "nonsense").unwrap();
    let server = HttpServer::start(serving(&sandbox, &repo));
    let health = server.get("/health");
    assert_eq!((health.status, health.json()), (503, json!({"status": "error"})));
}

#[test]
fn nothing_but_health_is_told_without_the_token_and_the_token_is_never_logged() {
    let sandbox = Sandbox::new();
    let repo = indexed(&sandbox);
    std::fs::write(sandbox.path("token"), format!("{TOKEN}\n")).unwrap();
    let mut command = serving(&sandbox, &repo);
    command.args(["--bind", "0.0.0.0", "-vv", "--token-file"]).arg(sandbox.path("token"));
    let server = HttpServer::start(command);
    let question = r#"{"jsonrpc":"2.0","id":1,"method":"locate_symbol","params":{"name":"Claims"}}"#;
    let json_kind = ("content-type", "application/json");
    for shown in ["", "Bearer", "Bearer wrong-horse-battery-staple", "Basic correct-horse-battery-staple", TOKEN] {
        for (method, path) in
            [("POST", "/mcp"), ("GET", "/mcp"), ("DELETE", "/mcp"), ("GET", "/metrics"), ("GET", "/x")]
        {
            let reply = server.request(method, path, &[json_kind, ("authorization", shown)], question);
            assert_eq!(
                (reply.status, reply.header("www-authenticate")),
                (401, Some("Bearer")),
                "{method} {path} {shown}"
            );
            assert!(!reply.body.contains("jwt.rs"), "{reply:?}");
        }
    }
    assert_eq!(server.post(question).status, 401);
    assert_eq!(server.get("/health").status, 200);
    let good = format!("Bearer {TOKEN}");
    let reply = server.request("POST", "/mcp", &[json_kind, ("authorization", &good)], question);
    assert_eq!(reply.json()["result"]["total_candidates"], 1, "{reply:?}");
    let twice =
        server.request("POST", "/mcp", &[json_kind, ("authorization", &good), ("authorization", &good)], question);
    assert_eq!(twice.status, 401);
    assert!(!server.log().contains(TOKEN), "the log shows the token");
}

#[test]
fn a_server_that_others_reach_does_not_start_without_a_token() {
    let sandbox = Sandbox::new();
    let repo = indexed(&sandbox);
    let http = ["serve-mcp", "--transport", "http", "--port", "0"];
    let refusal = |more: &[&str]| {
        let run = repo.cruxe(&[&http[..], more].concat());
        assert_eq!(run.code, Some(4), "{}", run.transcript());
        run.stderr
    };
    for bind in ["0.0.0.0", "::", "192.0.2.1"] {
        let problem = refusal(&["--bind", bind]);
        assert!(problem.contains("there is no token; give `--token-file FILE` or set CRUXE_TOKEN"), "{problem}");
    }
    std::fs::write(sandbox.path("short"), "abc").unwrap();
    let short = sandbox.path("short").to_string_lossy().into_owned();
    assert!(refusal(&["--token-file", &short]).contains("fewer than 16 characters"));
    for (mode, warned) in [(0o644, true), (0o640, false), (0o600, false)] {
        let rights = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(sandbox.path("short"), rights).unwrap();
        let said = refusal(&["--token-file", &short]).contains("every user of this machine can read the token");
        assert_eq!(said, warned, "{mode:o}");
    }
    assert!(refusal(&["--token-file", "/no/such/file"]).contains("--token-file /no/such/file"));
    assert!(refusal(&["--tls-cert", &short, "--tls-key", &short]).contains("there is no certificate in it"));
    assert!(refusal(&["--allowed-origin", "nonsense"]).contains("is no origin"));
    let stdio = repo.cruxe(&["serve-mcp", "--port", "1"]);
    assert_eq!(stdio.code, Some(4), "{}", stdio.transcript());
    let taken = HttpServer::start(serving(&sandbox, &repo));
    let run = repo.cruxe(&["serve-mcp", "--transport", "http", "--port", &taken.port.to_string()]);
    assert!(run.code == Some(1) && run.stderr.contains("choose another --port"), "{}", run.transcript());
}

#[test]
fn the_environment_can_hold_the_token() {
    let sandbox = Sandbox::new();
    let repo = indexed(&sandbox);
    let mut command = serving(&sandbox, &repo);
    command.env("CRUXE_TOKEN", TOKEN);
    let server = HttpServer::start(command);
    assert_eq!(server.get("/metrics").status, 401, "also on loopback");
    let shown = format!("Bearer {TOKEN}");
    assert_eq!(server.request("GET", "/metrics", &[("authorization", &shown)], "").status, 200);
}

#[test]
fn requests_of_foreign_web_pages_are_refused() {
    let sandbox = Sandbox::new();
    let repo = indexed(&sandbox);
    let mut command = serving(&sandbox, &repo);
    command.args(["--allowed-host", "cruxe.test", "--allowed-origin", "https://app.test"]);
    let server = HttpServer::start(command);
    let status = |headers: &[(&str, &str)]| {
        let headers = [headers, &[("content-type", "application/json")]].concat();
        server.request("POST", "/mcp", &headers, r#"{"jsonrpc":"2.0","id":1,"method":"health_check"}"#).status
    };
    assert_eq!(status(&[]), 200);
    assert_eq!(status(&[("host", "cruxe.test")]), 200);
    assert_eq!(status(&[("host", "evil.test")]), 403);
    assert_eq!(status(&[("origin", "http://localhost:3000")]), 200);
    assert_eq!(status(&[("origin", "https://app.test")]), 200);
    assert_eq!(status(&[("origin", "https://evil.test")]), 403);
    assert_eq!(status(&[("origin", "null")]), 403);
    let preflight = |origin: &str| {
        let headers = [("origin", origin), ("access-control-request-method", "POST")];
        let reply = server.request("OPTIONS", "/mcp", &headers, "");
        (reply.status, reply.header("access-control-allow-origin").map(str::to_owned))
    };
    assert_eq!(preflight("https://app.test"), (204, Some("https://app.test".to_owned())));
    assert_eq!(preflight("https://evil.test"), (403, None));
}

#[test]
fn https_with_a_certificate_of_ones_own() {
    let sandbox = Sandbox::new();
    let repo = indexed(&sandbox);
    // Made for this test and trusted by nobody else; for `localhost`, until the year 4096.
    let made = include_str!("support/localhost.cert.pem");
    let (certificate, key) = (sandbox.path("cert.pem"), sandbox.path("key.pem"));
    std::fs::write(&certificate, made).unwrap();
    std::fs::write(&key, include_str!("support/localhost.key.pem")).unwrap();
    let mut command = serving(&sandbox, &repo);
    command.arg("--tls-cert").arg(&certificate).arg("--tls-key").arg(&key);
    let server = HttpServer::start(command);
    let trusted = ureq::tls::Certificate::from_pem(made.as_bytes()).unwrap();
    let tls = ureq::tls::TlsConfig::builder().root_certs(ureq::tls::RootCerts::new_with_certs(&[trusted])).build();
    let agent = ureq::Agent::new_with_config(ureq::Agent::config_builder().tls_config(tls).build());
    let text = agent.get(format!("https://localhost:{}/health", server.port)).call().unwrap();
    let text = text.into_body().read_to_string().unwrap();
    assert!(["{\"status\":\"ready\"}", "{\"status\":\"warming\"}"].contains(&text.as_str()), "{text}");
    let plain = server.raw(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n");
    assert!(plain.is_none(), "plain text gets no answer: {plain:?}");
}

#[test]
fn too_many_sessions_are_refused_and_the_others_go_on() {
    let sandbox = Sandbox::new();
    let repo = indexed(&sandbox);
    let mut command = serving(&sandbox, &repo);
    command.env("CRUXE_HTTP_MAX_SESSIONS", "2");
    let server = HttpServer::start(command);
    let mut first = HttpSession::start(&server, "2025-11-25");
    let second = HttpSession::start(&server, "2025-11-25");
    let third = initialize(&server, "2025-11-25");
    assert_eq!((third.status, third.header("retry-after")), (503, Some("1")));
    assert_eq!(first.call("health_check", json!({}))["sqlite_ok"], true);
    server.request("DELETE", "/mcp", &[("mcp-session-id", &second.id)], "");
    HttpSession::start(&server, "2025-11-25");
}

#[test]
fn requests_over_the_limit_are_refused_and_health_is_told() {
    let sandbox = Sandbox::new();
    let repo = indexed(&sandbox);
    let mut command = serving(&sandbox, &repo);
    command.env("CRUXE_HTTP_MAX_REQUESTS", "1");
    let server = HttpServer::start(command);
    // A client that has not sent all of its message keeps the only place.
    let mut waiting = Vec::new();
    let reply = eventually("the only place is taken", DEADLINE, || {
        // One that came while another request had the place was refused, so each round sends its own.
        let mut slow = server.connect();
        let host = slow.peer_addr().unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{{"
        );
        slow.write_all(head.as_bytes()).unwrap();
        waiting.push(slow);
        let reply = server.post(r#"{"jsonrpc":"2.0","id":1,"method":"health_check"}"#);
        (reply.status != 200).then_some(reply)
    });
    assert_eq!(
        (reply.status, reply.header("retry-after"), reply.body.as_str()),
        (503, Some("1"), "The server is busy.\n")
    );
    assert_eq!(server.get("/health").status, 200);
}

#[test]
fn the_server_answers_what_it_has_begun_before_it_ends() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(400)));
    repo.cruxe(&["index"]).ok();
    let server = HttpServer::start(serving(&sandbox, &repo));
    let session = HttpSession::start(&server, "2025-11-25");
    let mut news = server.connect();
    let listen = format!(
        "GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nmcp-session-id: {}\r\n\r\n",
        session.id
    );
    news.write_all(listen.as_bytes()).unwrap();
    let message = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
        "name": "index_repo", "arguments": {"force": true}, "_meta": {"progressToken": "p"}}})
    .to_string();
    let mut stream = server.connect();
    let head = format!(
        "POST /mcp HTTP/1.1\r\n\
         host: localhost\r\n\
         connection: close\r\n\
         content-type: application/json\r\n\
         accept: application/json, text/event-stream\r\n\
         mcp-session-id: {}\r\n\
         content-length: {}\r\n\
         \r\n",
        session.id,
        message.len()
    );
    stream.write_all((head + &message).as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("notifications/progress")), "the call is under way");
    server.terminate();
    assert!(lines.any(|line| line.contains("\"id\":7") && line.contains("published")), "the answer came");
    assert_eq!(server.ended(), Some(0));
}
