//! Many workspaces in one server: which may be asked for, how many are open, what the client's roots say.

use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Client, DEADLINE, Repo, Sandbox, eventually, places, sources};

/// A server for `here` that takes in whatever is below `allowed`.
fn auto_server(sandbox: &Sandbox, here: &Repo, allowed: &Path, settings: &[(&str, &str)]) -> Client {
    let mut command = sandbox.cruxe_in(&here.root);
    command.args(["serve-mcp", "--no-watch", "--auto-workspace", "--allowed-root"]).arg(allowed);
    command.envs(settings.iter().copied());
    Client::start(command)
}

fn members(client: &mut Client) -> usize {
    client.ok("health_check", json!({}))["workspace_warmset"]["members"].as_array().unwrap().len()
}

#[test]
fn twenty_repositories_are_answered_about_with_four_open() {
    let sandbox = Sandbox::new();
    let here = sandbox.repo("here", &[("a.py", "def here():\n    pass\n")]);
    let repos: Vec<Repo> = (0..20)
        .map(|number| {
            let text = format!("def only_in_{number}():\n    pass\n");
            sandbox.repo(&format!("repos/r{number}"), &[("lib.py", &text)])
        })
        .collect();
    let mut client = auto_server(&sandbox, &here, &sandbox.path("repos"), &[("CRUXE_SERVER_WORKSPACE_WARMSET", "4")]);
    let question = |number: usize, root: &Path| json!({"name": format!("only_in_{number}"), "workspace": root});
    let mut most = 0;
    // Twice: the second time everything is indexed and opened again; with a stride, so that neighbours differ.
    for step in 0..40 {
        let number = step * 7 % 20;
        let root = &repos[number].root;
        let answer = eventually("the workspace is indexed", DEADLINE, || {
            let answer = client.answer("locate_symbol", question(number, root));
            let answer =
                answer.or_else(
                    |error| if error["code"] == "workspace_limit_exceeded" { Ok(Value::Null) } else { Err(error) },
                );
            answer.map(|answer| (answer["metadata"]["indexing_status"] == "ready").then_some(answer)).unwrap()
        });
        assert_eq!(places(&answer), ["lib.py:1"], "r{number}");
        let other = client.ok("locate_symbol", question((number + 1) % 20, root));
        // It may offer what is spelled alike, but only its own.
        let names: Vec<&Value> = other["results"].as_array().unwrap().iter().map(|found| &found["name"]).collect();
        assert!(names.iter().all(|name| **name == format!("only_in_{number}")), "r{number} shows {names:?}");
        most = most.max(members(&mut client));
    }
    assert_eq!(most, 4);
    let health = client.ok("health_check", json!({}));
    assert_eq!(health["workspace_warmset"]["capacity"], 4);
    assert_eq!(health["workspace_warmset"]["members"][0], json!(here.root), "the server's own stays open");
    client.ready();
    assert_eq!(client.places("here"), ["a.py:1"]);
}

#[test]
fn a_workspace_outside_the_allowed_roots_is_refused_the_same_way_whether_it_exists_or_not() {
    let sandbox = Sandbox::new();
    let here = sandbox.repo("here", &[("a.py", "def here():\n    pass\n")]);
    let inside = sandbox.repo("repos/inside", &[("b.py", "def inside():\n    pass\n")]);
    let outside = sandbox.repo("outside", &[("c.py", "def outside():\n    pass\n")]);
    outside.cruxe(&["index"]).ok();
    let secret = sandbox.repo("secret/of-another", &[("d.py", "def secret():\n    pass\n")]);
    symlink(&secret.root, sandbox.path("repos/link")).unwrap();
    symlink("/", sandbox.path("repos/root")).unwrap();
    let repos = sandbox.path("repos");
    let mut client = auto_server(&sandbox, &here, &repos, &[]);
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let outsiders = [
        "/".to_owned(),
        "/root".to_owned(),
        "/home/nobody".to_owned(),
        "/etc".to_owned(),
        text(&outside.root),
        text(&sandbox.path("nonesuch")),
        text(&sandbox.path("repos/../outside")),
        text(&sandbox.path("repos/inside/../../outside")),
        text(&sandbox.path("repos/link")),
        text(&sandbox.path("repos/link/../../outside")),
        text(&sandbox.path("repos/root/etc")),
        text(&sandbox.path("reposx")),
    ];
    for asked in &outsiders {
        for tool in ["locate_symbol", "index_repo", "health_check", "get_file_outline"] {
            let error = client.error(tool, json!({"name": "outside", "path": "c.py", "workspace": asked}));
            assert_eq!(error["code"], "workspace_not_allowed", "{tool} {asked}: {error}");
            assert_eq!(error["message"], format!("workspace `{asked}` is below no allowed root"));
            assert!(!error.to_string().contains("of-another") || asked.contains("of-another"), "{error}");
        }
    }
    for (asked, code) in [
        (text(&sandbox.path("repos/nonesuch")), "workspace_not_registered"),
        ("repos/inside".to_owned(), "invalid_input"),
        ("..".to_owned(), "invalid_input"),
        ("".to_owned(), "invalid_input"),
        (format!("{}\0/etc", text(&inside.root)), "workspace_not_registered"),
        (format!("{}/\u{202e}inside", text(&repos)), "workspace_not_registered"),
        (format!("{}/ｉnside", text(&repos)), "workspace_not_registered"),
        (format!("{}/．．/outside", text(&repos)), "workspace_not_registered"),
    ] {
        assert_eq!(client.error("index_status", json!({"workspace": asked}))["code"], code, "{asked:?}");
    }
    let ready = eventually("the allowed one is indexed", DEADLINE, || {
        let answer = client.ok("locate_symbol", json!({"name": "inside", "workspace": inside.root}));
        (answer["metadata"]["indexing_status"] == "ready").then_some(answer)
    });
    assert_eq!(places(&ready), ["b.py:1"]);
    client.ready();
    assert_eq!(client.places("here"), ["a.py:1"], "the server's own needs no root");
}

#[test]
fn a_server_registers_no_more_than_its_limit() {
    let sandbox = Sandbox::new();
    let here = sandbox.repo("here", &[("a.py", "x = 1\n")]);
    let repos: Vec<Repo> =
        (0..3).map(|number| sandbox.repo(&format!("repos/r{number}"), &[("a.py", "x = 1\n")])).collect();
    let mut client = auto_server(&sandbox, &here, &sandbox.path("repos"), &[("CRUXE_SERVER_MAX_AUTO_WORKSPACES", "2")]);
    for repo in &repos[..2] {
        client.ok("index_status", json!({"workspace": repo.root}));
    }
    let error = client.error("index_status", json!({"workspace": repos[2].root}));
    assert_eq!(error["code"], "workspace_limit_exceeded", "{error}");
    repos[2].cruxe(&["index"]).ok();
    assert_eq!(client.ok("index_status", json!({"workspace": repos[2].root}))["file_count"], 1);
}

#[test]
fn auto_workspace_needs_an_allowed_root_that_is_a_folder() {
    let sandbox = Sandbox::new();
    let here = sandbox.repo("here", &[("a.py", "x = 1\n")]);
    let run = here.cruxe(&["serve-mcp", "--auto-workspace"]);
    assert!(run.code == Some(4) && run.stderr.contains("--allowed-root"), "{}", run.transcript());
    let run = here.cruxe(&["serve-mcp", "--allowed-root", "/no/such/folder"]);
    assert!(run.code == Some(4) && run.stderr.contains("give the absolute path of a folder"), "{}", run.transcript());
}

/// Shakes hands as a client that has roots, and tells them.
fn with_roots(mut client: Client, roots: &[&Path]) -> Client {
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {"roots": {}}, "clientInfo": {"name": "it", "version": "1"}});
    client.request("initialize", hello);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let asked = client.receive();
    assert_eq!(asked["method"], "roots/list", "{asked}");
    let roots: Vec<Value> = roots.iter().map(|root| json!({"uri": format!("file://{}", root.display())})).collect();
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": roots}}));
    client
}

#[test]
fn the_clients_roots_bound_what_it_can_ask_for() {
    let sandbox = Sandbox::new();
    let here = sandbox.repo("here", &[("a.py", "def here():\n    pass\n")]);
    let open = sandbox.repo("repos/open", &[("b.py", "def open_one():\n    pass\n")]);
    let closed = sandbox.repo("repos/closed", &[("c.py", "def closed_one():\n    pass\n")]);
    for repo in [&here, &open, &closed] {
        repo.cruxe(&["index"]).ok();
    }
    let mut command = sandbox.cruxe_in(&here.root);
    command.args(["serve-mcp", "--no-watch"]);
    let mut client = with_roots(Client::start_silent(command), &[&open.root]);
    assert_eq!(client.places("here"), ["a.py:1"], "without --auto-workspace the server's own is the default");
    let answer = client.ok("locate_symbol", json!({"name": "open_one", "workspace": open.root}));
    assert_eq!(places(&answer), ["b.py:1"]);
    let error = client.error("locate_symbol", json!({"name": "closed_one", "workspace": closed.root}));
    assert_eq!(error["code"], "workspace_not_allowed", "{error}");
    assert!(error["data"]["suggestion"].as_str().unwrap().contains("client's roots"), "{error}");

    let mut command = sandbox.cruxe_in(&here.root);
    command.args(["serve-mcp", "--no-watch", "--auto-workspace", "--allowed-root"]).arg(sandbox.path("repos"));
    let mut client = with_roots(Client::start_silent(command), &[Path::new("/etc"), &open.root]);
    assert_eq!(client.places("open_one"), ["b.py:1"], "the client's first allowed root is its default");
    assert_eq!(client.places("here"), [""; 0]);
    let answer = client.ok("locate_symbol", json!({"name": "here", "workspace": here.root}));
    assert_eq!(places(&answer), ["a.py:1"]);
}

#[test]
fn a_server_that_was_started_in_no_project_learns_it_from_the_clients_roots() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("open", sources::SERVICE);
    let started = |workspace: Option<&str>| {
        let mut command = sandbox.cruxe_in(Path::new("/"));
        command.arg("serve-mcp");
        if let Some(workspace) = workspace {
            command.args(["--workspace", workspace]);
        }
        Client::start_silent(command)
    };
    // The second is what a client leaves that does not know the variable.
    for workspace in [None, Some("${workspaceFolder}")] {
        let mut client = with_roots(started(workspace), &[&repo.root]);
        let status = client.ok("index_status", json!({}));
        assert_eq!(status["schema_status"].as_str().map(str::is_empty), Some(false), "{status}");
        eventually("the client's folder is indexed", DEADLINE, || {
            let found = client.answer("locate_symbol", json!({"name": "validate_token"}));
            found.ok().filter(|found| found["results"].as_array().is_some_and(|results| !results.is_empty()))
        });
        let elsewhere = client.answer("index_status", json!({"workspace": sandbox.path("bin")}));
        assert!(elsewhere.is_err(), "a folder that the client has not open: {elsewhere:?}");
        assert_eq!(client.finish(), Some(0));
    }
}

#[test]
fn a_server_in_no_project_and_without_roots_shakes_hands_and_says_what_it_needs() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.cruxe_in(Path::new("/"));
    command.arg("serve-mcp");
    let mut client = Client::start(command);
    assert!(client.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap().len() > 10);
    let error = client.answer("search_code", json!({"query": "anything"})).unwrap_err();
    assert_eq!(error["code"], "project_not_found");
    assert!(error["message"].as_str().unwrap().contains("was started in /, which is no project"), "{error}");
    assert!(error["data"]["suggestion"].as_str().unwrap().contains("--workspace PATH"), "{error}");
    assert_eq!(client.finish(), Some(0));
}
