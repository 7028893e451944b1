//! What a caller may not see is not there: whatever is asked, a server with everything answers as one that has nothing else.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::HashMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cruxe_index::{JobRequest, Project, Workspace};
use cruxe_model::config::{AnswerForm, Config, HttpConfig};
use cruxe_server::app::Prewarm;
use cruxe_server::http::{AccessPolicy, Backend, HttpOptions, listen, serve_http};
use cruxe_server::{
    App, Call, CallError, Refs, Scope, Session, ToolAnswer, Toolsets, Work, WorkspaceRules, Workspaces, tools,
};
use cruxe_store::Home;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// Repositories, each with what the others have not, and with what they share.
const REPOSITORIES: [(&str, &[(&str, &str)]); 4] = [
    (
        "kit",
        &[
            ("Cargo.toml", "[package]\nname = \"kit\"\n"),
            ("src/lib.rs", "/// Allows so many requests in a window.\npub struct Limiter;\n\npub fn open() {}\n"),
        ],
    ),
    (
        "app",
        &[
            ("Cargo.toml", "[package]\nname = \"app\"\n[dependencies]\nkit = \"1\"\n"),
            (
                "src/main.rs",
                "use kit::Limiter;\n\nfn main() {\n    let _ = Limiter;\n    kit::open();\n}\n\npub fn open() {}\n",
            ),
            ("README.md", "# App\n\nCounts requests.\n"),
        ],
    ),
    (
        "secret",
        &[
            ("Cargo.toml", "[package]\nname = \"secret\"\n[dependencies]\nkit = \"1\"\n"),
            (
                "src/lib.rs",
                "use kit::Limiter;\n\n/// The launch code of the rocket.\npub fn launch_code(_: Limiter) {}\n\npub struct Vault;\n",
            ),
        ],
    ),
    (
        "other/kit",
        &[(
            "kit.py",
            "class Limiter:\n    \"\"\"Another limiter of requests.\"\"\"\n\n\ndef launch_window():\n    return Limiter()\n",
        )],
    ),
];

/// Where everything is.
struct World {
    folder: tempfile::TempDir,
    runtime: Runtime,
    /// Servers by the repositories that they have and those that may be seen, as bits.
    servers: HashMap<(u8, u8), SocketAddr>,
}

const TOKEN: &str = "0123456789abcdef";

impl World {
    fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let world = World { folder, runtime, servers: HashMap::new() };
        for (at, (_, files)) in REPOSITORIES.iter().enumerate() {
            for (path, text) in *files {
                let path = world.root(at).join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            let project = Project::locate(&world.root(at), &world.home(0b1111), Config::default()).unwrap();
            project.register().unwrap();
            Workspace::open(project).run_job(&JobRequest::default(), Work::default()).unwrap();
        }
        world
    }

    fn root(&self, at: usize) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("tree").join(REPOSITORIES[at].0)
    }

    fn home(&self, set: u8) -> Home {
        Home::new(self.folder.path().join(format!("home{set:04b}")))
    }

    /// A server that has some repositories, for a caller that may see some.
    fn server(&mut self, has: u8, sees: u8) -> SocketAddr {
        if let Some(known) = self.servers.get(&(has, sees)) {
            return *known;
        }
        let home = self.home(has);
        let all = self.home(0b1111);
        for at in (0..REPOSITORIES.len()).filter(|at| has & (1 << at) != 0) {
            let of = |home: &Home| {
                Project::locate(&self.root(at), home, Config::default()).unwrap().store.dir().root().to_owned()
            };
            if has != 0b1111 && !of(&home).exists() {
                copy(&of(&all), &of(&home));
            }
        }
        let own = match has & 1 {
            1 => Project::locate(&self.root(0), &home, Config::default()).unwrap(),
            _ => Project::nowhere(&home, Config::default()),
        };
        let rules = WorkspaceRules {
            warmset: 4,
            auto: false,
            allowed_roots: Vec::new(),
            max_registered: 0,
            load_config: Box::new(|_| Ok(Config::default())),
            lost: None,
            shelf: None,
        };
        let app = App::new(Workspaces::new(home, Workspace::open(own), rules), Prewarm::Disabled);
        let server = tools::server(&app, "0", &Toolsets::default(), AnswerForm::Json);
        let seen: Vec<PathBuf> =
            (0..REPOSITORIES.len()).filter(|at| sees & (1 << at) != 0).map(|at| self.root(at)).collect();
        let scope = seen.into_iter().fold(Scope::of("t"), |scope, root| scope.with(root, Refs::all()));
        let find = move |token: &str| (token == TOKEN).then(|| scope.clone());
        let bind = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let access = AccessPolicy::new(bind, None, &[], &[]).unwrap().with_scopes(Box::new(find));
        let options = HttpOptions { access: Arc::new(access), tls: None, limits: HttpConfig::default(), pages: None };
        let listener = self.runtime.block_on(listen(bind, 0, &options.access)).unwrap();
        let address = listener.local_addr().unwrap();
        self.runtime.spawn(serve_http(listener, Backend::new(app, server), options, std::future::pending()));
        self.servers.insert((has, sees), address);
        address
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Sends a request of the revision without sessions; status and body.
fn ask(address: SocketAddr, method: &str, name: Option<&str>, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "it", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let name = name.map(|name| format!("mcp-name: {name}\r\n")).unwrap_or_default();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n{name}\
         authorization: Bearer {TOKEN}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.lines().next().unwrap_or_default();
    format!("{status}\n{}", without_clock(body))
}

/// The text without what the clock says.
fn without_clock(text: &str) -> String {
    let mut text = text.to_owned();
    for key in ["uptime_seconds", "last_accessed_at"] {
        for quoted in [format!("\"{key}\":"), format!("\\\"{key}\\\":")] {
            let mut at = 0;
            while let Some(found) = text[at..].find(&quoted) {
                let start = at + found + quoted.len();
                let end = text[start..].find([',', '}']).map_or(text.len(), |end| start + end);
                text.replace_range(start..end, "0");
                at = start;
            }
        }
    }
    text
}

/// Words that repositories know, each some.
const WORDS: [&str; 12] = [
    "Limiter",
    "open",
    "launch_code",
    "Vault",
    "launch_window",
    "kit",
    "requests in a window",
    "the launch code of the rocket",
    "main",
    "limiter",
    "Launch",
    "zebra",
];

/// A request: its method, the name in its header, its parameters.
type Request = (&'static str, Option<String>, Value);

fn requests(world: &World) -> impl Strategy<Value = Request> + use<> {
    let roots: Vec<Value> = (0..REPOSITORIES.len()).map(|at| json!(world.root(at))).collect();
    let mut places = roots.clone();
    places.extend([
        json!("*"),
        json!([roots[0], roots[2]]),
        json!(["secret", "app", "kit"]),
        json!(["other/kit"]),
        json!(roots),
        json!(world.root(2).join("src")),
        json!(world.folder.path().join("tree")),
        json!(world.root(3).join("../../secret")),
        json!("/no/such/place"),
        Value::Null,
    ]);
    let places = proptest::sample::select(places);
    let words = proptest::sample::select(WORDS.to_vec());
    let kinds = 0..16u8;
    (kinds, words, places).prop_map(|(kind, word, place)| {
        let call = |tool: &str, mut arguments: Value| -> Request {
            arguments["workspace"] = place.clone();
            ("tools/call", Some(tool.to_owned()), json!({"name": tool, "arguments": arguments}))
        };
        match kind {
            0..=2 => call("search_code", json!({"query": word})),
            3..=5 => call("locate_symbol", json!({"name": word})),
            6..=7 => call("find_references", json!({"symbol_name": word})),
            8 => call("get_file_outline", json!({"path": "src/lib.rs"})),
            9 => call("list_refs", json!({})),
            10 => call("index_status", json!({})),
            11 => call("health_check", json!({})),
            12 => call("index_repo", json!({})),
            13 => ("resources/list", None, json!({})),
            14 => {
                let uri = "cruxe://file/src/lib.rs";
                ("resources/read", Some(uri.to_owned()), json!({"uri": uri}))
            }
            _ => {
                let of = json!({"type": "ref/resource", "uri": "cruxe://symbol/{symbol}{?ref}"});
                ("completion/complete", None, json!({"ref": of, "argument": {"name": "symbol", "value": word}}))
            }
        }
    })
}

#[test]
fn no_answer_differs_from_that_of_a_server_with_only_what_may_be_seen() {
    let mut world = World::new();
    let strategy = (0..16u8, requests(&world));
    let mut runner =
        TestRunner::new(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() });
    let world = std::cell::RefCell::new(&mut world);
    let outcome = runner.run(&strategy, |(sees, (method, name, params))| {
        let (all, alone) = {
            let mut world = world.borrow_mut();
            (world.server(0b1111, sees), world.server(sees, sees))
        };
        let with_everything = ask(all, method, name.as_deref(), params.clone());
        let with_nothing_else = ask(alone, method, name.as_deref(), params.clone());
        prop_assert_eq!(with_everything, with_nothing_else, "{} {}", method, params);
        Ok(())
    });
    if let Err(problem) = outcome {
        panic!("{problem}");
    }
}

#[test]
fn a_caller_without_a_scope_is_turned_away_and_one_with_it_finds_what_is_its_own() {
    let mut world = World::new();
    let address = world.server(0b1111, 0b0101);
    let root = |at: usize| world.root(at).to_string_lossy().into_owned();
    let call = |tool: &str, arguments: Value| {
        ask(address, "tools/call", Some(tool), json!({"name": tool, "arguments": arguments}))
    };
    let found = call("locate_symbol", json!({"name": "launch_code", "workspace": "*"}));
    assert!(found.contains("\"repository\":\"secret\""), "{found}");
    let found = call("locate_symbol", json!({"name": "launch_window", "workspace": "*"}));
    assert!(found.contains("\"total_candidates\":0") && !found.contains("other/kit"), "{found}");
    let users = call("find_references", json!({"symbol_name": "Limiter", "workspace": "*"}));
    assert!(users.contains("\"repository\":\"secret\"") && !users.contains("\"repository\":\"app\""), "{users}");
    let hidden = call("locate_symbol", json!({"name": "open", "workspace": root(1)}));
    assert!(hidden.contains("workspace_not_registered"), "{hidden}");
    let refused = call("index_repo", json!({"workspace": root(2)}));
    assert!(refused.contains("only reads"), "{refused}");
}

/// Runs git in a folder, as somebody whose settings do not matter.
fn git(folder: &Path, arguments: &[&str]) {
    let status = std::process::Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(status.status.success(), "{arguments:?}");
}

#[test]
fn a_ref_that_may_not_be_seen_is_answered_as_one_that_there_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap().join("repo");
    fs::create_dir_all(&root).unwrap();
    git(&root, &["init", "-q"]);
    fs::write(root.join("a.py"), "def shown():\n    return 1\n").unwrap();
    git(&root, &["add", "."]);
    git(&root, &["commit", "-qm", "one"]);
    git(&root, &["checkout", "-qb", "secret"]);
    fs::write(root.join("b.py"), "def launch_code():\n    return 2\n").unwrap();
    git(&root, &["add", "."]);
    git(&root, &["commit", "-qm", "two"]);
    let home = Home::new(folder.path().join("home"));
    let project = Project::locate(&root, &home, Config::default()).unwrap();
    project.register().unwrap();
    let own = Workspace::open(project);
    for name in ["main", "secret"] {
        let request = JobRequest { ref_name: Some(name.to_owned()), force: false };
        own.run_job(&request, Work::default()).unwrap();
    }
    let rules = WorkspaceRules {
        warmset: 4,
        auto: false,
        allowed_roots: Vec::new(),
        max_registered: 0,
        load_config: Box::new(|_| Ok(Config::default())),
        lost: None,
        shelf: None,
    };
    let app = App::new(Workspaces::new(home, own, rules), Prewarm::Disabled);
    let server = tools::server(&app, "0", &Toolsets::default(), AnswerForm::Json);
    // The last three match other ways to write what may not be seen.
    let scope = Scope::of("t").with(&root, Refs::matching(["main", "release/*", "refs/*", "*/secret", "HE*"]));
    let ask = |tool: &str, arguments: Value| {
        let Value::Object(arguments) = arguments else { panic!("no object") };
        let session = Arc::new(Session::new().within(scope.clone()));
        match server.call_here(tool, Call::new(arguments, session)) {
            Ok(ToolAnswer::Json(answer)) => answer.json().to_owned(),
            Ok(ToolAnswer::Text(text)) => text.to_string(),
            Err(CallError::Tool(error) | CallError::Numeric(error)) => error.to_json().to_string(),
            Err(CallError::UnknownTool(problem)) => problem,
        }
    };
    let about = |ref_name: &str| {
        [
            ask("search_code", json!({"query": "launch_code", "ref": ref_name})),
            ask("locate_symbol", json!({"name": "launch_code", "ref": ref_name})),
            ask("find_references", json!({"symbol_name": "launch_code", "ref": ref_name})),
            ask("get_file_outline", json!({"path": "b.py", "ref": ref_name})),
            ask("index_status", json!({"ref": ref_name})),
            ask("diff_context", json!({"base_ref": "main", "head_ref": ref_name})),
            ask(
                "compare_symbol_between_commits",
                json!({"symbol_name": "launch_code", "base_ref": "main", "head_ref": ref_name}),
            ),
            ask("search_code", json!({"query": "launch_code", "ref": ref_name, "workspace": "*"})),
            ask("locate_symbol", json!({"name": "launch_code", "ref": ref_name, "workspace": "*"})),
        ]
    };
    let absent = about("absent").map(|answer| answer.replace("absent", "secret"));
    assert_eq!(about("secret"), absent);
    for written in ["refs/heads/secret", "heads/secret", "HEAD"] {
        let answers = about(written).map(|answer| answer.replace(written, "secret"));
        assert_eq!(answers, absent, "{written}");
    }
    // What is checked out is hidden, so the first ref that may be seen stands for it.
    for tool in ["list_refs", "index_status", "health_check"] {
        let answer = ask(tool, json!({}));
        assert!(answer.contains("\"main\"") && !answer.contains("secret"), "{tool}: {answer}");
    }
    for (tool, arguments) in [
        ("locate_symbol", json!({"name": "launch_code"})),
        ("locate_symbol", json!({"name": "launch_code", "workspace": "*"})),
        ("search_code", json!({"query": "launch_code", "workspace": "*"})),
        ("locate_symbol", json!({"name": "launch_code", "ref": "main~0"})),
    ] {
        let answer = ask(tool, arguments);
        assert!(!answer.contains("b.py"), "{answer}");
    }
    assert!(ask("locate_symbol", json!({"name": "shown", "workspace": "*"})).contains("a.py"));
}
