//! The pages for people, asked for without a browser: who is let in, what becomes of names that want to be markup, and that no
//! card is written over. `scripts/check-web.sh` drives the same pages in Chromium.

use std::fs;
use std::io::{BufRead, BufReader, Write};

use serde_json::{Value, json};

use crate::support::{DEADLINE, HttpServer, Reply, Repo, Sandbox, eventually, run, sources};

const TOKEN: &str = "correct-horse-battery-staple";
const EVIL: &str = "<script>alert(1)</script>";

/// The pages of a repository.
fn pages(sandbox: &Sandbox, repo: &Repo) -> HttpServer {
    let mut command = sandbox.cruxe_in(&repo.root);
    command.args(["web", "--no-open"]);
    HttpServer::start(command)
}

fn indexed<'a>(sandbox: &'a Sandbox) -> Repo<'a> {
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.cruxe(&["index"]).ok();
    repo
}

/// What a page shows with everything that changes something.
fn page_token(server: &HttpServer) -> String {
    let page = server.get("/status").body;
    let (_, rest) = page.split_once("name=\"cruxe-page\" content=\"").unwrap();
    rest.split('"').next().unwrap().to_owned()
}

fn post(server: &HttpServer, path: &str, token: &str, body: &Value) -> Reply {
    let headers = [("content-type", "application/json"), ("x-cruxe-page", token)];
    server.request("POST", path, &headers, &body.to_string())
}

fn cue(sandbox: &Sandbox, repo: &Repo, arguments: &[&str]) -> Value {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_cue"));
    run(command.current_dir(&repo.root).arg("--json").args(arguments)).json()
}

#[test]
fn every_page_answers_and_forbids_what_is_not_its_own() {
    let sandbox = Sandbox::new();
    let repo = indexed(&sandbox);
    let server = pages(&sandbox, &repo);
    for (path, word) in [
        ("/", "What are you looking for?"),
        ("/search?q=Claims", "src/auth/jwt.rs"),
        ("/file/", "src/"),
        ("/file/src", "auth/"),
        ("/file/src/auth/jwt.rs", "Outline"),
        ("/symbol/Claims", "Callers"),
        ("/symbol/Claims?part=uses", "Uses"),
        ("/branches", "main"),
        ("/graph", "The map"),
        ("/graph?symbol=Claims", "Around"),
        ("/board", "There is no deck"),
        ("/doc/", "Documents"),
        ("/status", "Symbols"),
    ] {
        let page = server.get(path);
        assert_eq!(page.status, 200, "{path}: {}", page.body);
        assert!(page.body.contains(word), "{path} lacks {word}: {}", page.body);
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(page.header("access-control-allow-origin"), None);
        assert!(!page.body.contains("<script>") && !page.body.contains(" style=") && !page.body.contains(" onclick="));
    }
    for path in ["/nothing", "/file/no/such.rs", "/symbol/no_such_symbol", "/mcp", "/doc/src/auth/jwt.rs"] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    assert_eq!(server.get("/doc/../../etc/passwd.md").status, 400);
}

#[test]
fn pages_are_shown_to_this_machine_and_to_no_other_site() {
    let sandbox = Sandbox::new();
    let repo = indexed(&sandbox);
    let server = pages(&sandbox, &repo);
    let own = format!("http://127.0.0.1:{}", server.port);
    let status = |headers: &[(&str, &str)]| server.request("GET", "/status", headers, "").status;
    assert_eq!(status(&[]), 200);
    assert_eq!(status(&[("origin", &own)]), 200);
    assert_eq!(status(&[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")]), 200, "a link is followed");
    for bad in [
        &[("host", "evil.test")][..],
        &[("origin", "https://evil.test")],
        &[("origin", "http://localhost:3000")],
        &[("origin", "null")],
        &[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "cors")],
        &[("sec-fetch-site", "same-site"), ("sec-fetch-mode", "no-cors")],
    ] {
        assert_eq!(status(bad), 403, "{bad:?}");
    }
    // What changes something needs the token of a page, whoever asks.
    let asked = server.request("POST", "/status/sync", &[("content-type", "application/json")], "");
    assert_eq!(asked.status, 403, "{asked:?}");
    assert_eq!(post(&server, "/status/sync", "guess", &json!({})).status, 403);
    let token = page_token(&server);
    assert_eq!(post(&server, "/status/sync", &token, &json!({})).status, 202);
    let foreign = [("x-cruxe-page", token.as_str()), ("origin", "http://127.0.0.1:1")];
    assert_eq!(server.request("POST", "/status/sync", &foreign, "").status, 403);
}

#[test]
fn beside_mcp_the_server_s_token_opens_the_pages() {
    let sandbox = Sandbox::new();
    let repo = indexed(&sandbox);
    let mut command = sandbox.cruxe_in(&repo.root);
    command.args(["serve-mcp", "--transport", "http", "--web"]).env("CRUXE_TOKEN", TOKEN);
    let server = HttpServer::start(command);
    let closed = server.get("/status");
    assert_eq!(closed.status, 401);
    assert!(closed.body.contains("asks for its token") && !closed.body.contains("cruxe-page"), "{}", closed.body);
    assert_eq!(server.get("/mcp").status, 401);
    let shown = format!("Bearer {TOKEN}");
    assert_eq!(server.request("GET", "/status", &[("authorization", &shown)], "").status, 200);
    let form = [("content-type", "application/x-www-form-urlencoded")];
    assert_eq!(server.request("POST", "/login", &form, "token=wrong&next=/board").status, 401);
    let opened = server.request("POST", "/login", &form, &format!("token={TOKEN}&next=/board"));
    assert_eq!((opened.status, opened.header("location")), (303, Some("/board")));
    let elsewhere = server.request("POST", "/login", &form, &format!("token={TOKEN}&next=//evil.test"));
    assert_eq!(elsewhere.header("location"), Some("/"));
    let cookie = opened.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly; SameSite=Strict") && !cookie.contains(TOKEN), "{cookie}");
    let kept = cookie.split(';').next().unwrap();
    assert_eq!(server.request("GET", "/status", &[("cookie", kept)], "").status, 200);
    assert_eq!(server.request("GET", "/status", &[("cookie", "cruxe_page=guess")], "").status, 401);
    assert_eq!(
        server.request("GET", "/metrics", &[("cookie", kept)], "").status,
        401,
        "it opens pages and nothing else"
    );
    let refused = repo.cruxe(&["serve-mcp", "--web"]);
    assert_eq!(refused.code, Some(4), "{}", refused.transcript());
}

#[test]
fn nothing_in_a_repository_becomes_markup() {
    let sandbox = Sandbox::new();
    let code = format!("def evil():\n    return \"{EVIL}\"\n");
    let guide = format!("# {EVIL}\n\n{EVIL} [x](javascript:alert(1))\n");
    let name = "<img src=x onerror=alert(1)>.py";
    let repo = sandbox.repo("hostile", &[(name, &code), ("guide.md", &guide), ("a.py", "def a(): pass\n")]);
    repo.git(&["branch", "<script>x"]);
    repo.cruxe(&["index"]).ok();
    repo.cruxe(&["index", "--ref", "<script>x"]).ok();
    cue(&sandbox, &repo, &["init"]);
    cue(&sandbox, &repo, &["card", "new", EVIL, "--tag", EVIL]);
    let server = pages(&sandbox, &repo);
    for path in [
        "/search?q=evil",
        "/search?q=%3Cscript%3Ealert(1)%3C/script%3E",
        "/file/",
        "/file/%3Cimg%20src=x%20onerror=alert(1)%3E.py",
        "/symbol/evil",
        "/symbol/%3Cscript%3E",
        "/branches",
        "/board",
        "/graph",
        "/graph?tasks=1",
        "/graph.svg?tasks=1",
        "/doc/guide.md",
        "/search?ref=%3Cscript%3Ex",
        "/search?q=a&ref=%3Cscript%3Ey",
        "/%3Cscript%3E",
    ] {
        let page = server.get(path).body;
        for bad in ["<script>", "<img", "href=\"javascript"] {
            assert!(!page.contains(bad), "{path} has {bad}: {page}");
        }
    }
}

#[test]
fn a_card_that_was_changed_meanwhile_is_not_written_over() {
    let sandbox = Sandbox::new();
    let repo = indexed(&sandbox);
    cue(&sandbox, &repo, &["init"]);
    let server = pages(&sandbox, &repo);
    let token = page_token(&server);
    let made = post(&server, "/board/new", &token, &json!({"title": "Fix it"}));
    let id = made.json()["id"].as_str().unwrap().to_owned();
    let file = repo.root.join(format!(".cuedeck/cards/{id}.md"));
    let seen = || {
        let page = server.get(&format!("/board?part=card&card={id}")).body;
        let (_, rest) = page.split_once("data-version=\"").unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    let change = |body: Value| post(&server, &format!("/board/card/{id}"), &token, &body);
    let first = seen();
    assert_eq!(change(json!({"seen": first, "status": "active", "tags": "a, b"})).status, 200);
    assert!(fs::read_to_string(&file).unwrap().contains("status: active"));
    let late = change(json!({"seen": first, "status": "done"}));
    assert_eq!(late.status, 409, "{late:?}");
    assert!(late.body.contains("Nothing was written"), "{late:?}");
    assert!(fs::read_to_string(&file).unwrap().contains("status: active"));
    // On disk, by an editor.
    let second = seen();
    fs::OpenOptions::new().append(true).open(&file).unwrap().write_all(b"\nmore\n").unwrap();
    assert_eq!(change(json!({"seen": second, "status": "done"})).status, 409);
    assert_eq!(change(json!({"seen": seen(), "status": "nonsense"})).status, 400);
    assert_eq!(change(json!({"seen": seen(), "depends_on": "zzzzzz"})).status, 400);
    assert_eq!(change(json!({"status": "done"})).status, 422, "who does not say what was seen may not write");
    assert_eq!(change(json!({"seen": seen(), "status": "done", "body": "new text"})).status, 200);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("status: done") && text.contains("new text") && !text.contains("more"), "{text}");
}

#[test]
fn an_open_page_hears_of_edits_and_of_cards() {
    let sandbox = Sandbox::new();
    let repo = indexed(&sandbox);
    cue(&sandbox, &repo, &["init"]);
    let server = pages(&sandbox, &repo);
    let mut stream = server.connect();
    stream.write_all(format!("GET /live HTTP/1.1\r\nhost: 127.0.0.1:{}\r\n\r\n", server.port).as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines();
    let mut hears = |event: &str| {
        let wanted = format!("event: {event}");
        lines.by_ref().map(Result::unwrap).find(|line| line.trim() == wanted).unwrap()
    };
    hears("hello");
    repo.write("src/new.rs", "pub fn brand_new() {}\n");
    hears("index");
    eventually("the edit is found", DEADLINE, || {
        server.get("/search?q=brand_new").body.contains("src/new.rs").then_some(())
    });
    cue(&sandbox, &repo, &["card", "new", "Heard"]);
    hears("deck");
    server.terminate();
    assert_eq!(server.ended(), Some(0), "a page that listens does not keep the server");
}
