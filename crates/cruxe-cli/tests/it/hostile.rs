//! Workspaces with things in them that are no files, that may not be read, or that lead elsewhere.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Client, DEADLINE, Repo, Sandbox, eventually, places, run};

pub fn make_pipe(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Runs a command that must end.
fn ended(mut command: Command) -> (Option<i32>, String) {
    let mut child = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let code = eventually("the command ends", DEADLINE, || child.try_wait().unwrap()).code();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut text).unwrap();
    (code, text)
}

fn warnings(answer: &Value) -> String {
    answer["metadata"]["warnings"].to_string()
}

#[test]
fn pipes_devices_and_loops_in_a_workspace_block_nothing_and_hide_nothing_else() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo(
        "odd",
        &[
            ("src/plain.py", "def plain():\n    pass\n"),
            ("src/becomes_a_pipe.py", "def gone():\n    pass\n"),
            ("nested/inside.py", "def inside():\n    pass\n"),
            ("docs/guide.md", "# Guide\n"),
        ],
    );
    let root = &repo.root;
    repo.remove("src/becomes_a_pipe.py");
    for pipe in ["src/becomes_a_pipe.py", "src/pipe.py", "docs/pipe.md", ".cuedeck/cards/abc123.md", "zero/.gitignore"]
    {
        make_pipe(&root.join(pipe));
    }
    repo.write("zero/lost.py", "def lost():\n    pass\n");
    repo.write("null/kept.py", "def kept():\n    pass\n");
    symlink("/dev/zero", root.join("null/.cruxeignore")).unwrap();
    symlink("/dev/zero", root.join("src/zero.py")).unwrap();
    symlink("..", root.join("nested/up")).unwrap();
    symlink("itself", root.join("nested/itself")).unwrap();
    symlink(root.join("src"), root.join("nested/src")).unwrap();
    let _socket = UnixListener::bind(root.join("src/socket.py")).unwrap();
    let mut client = repo.server();
    let status = client.ready();
    assert_eq!(status["file_count"], 4, "{status}");
    assert_eq!(client.places("plain"), ["src/plain.py:1"]);
    // A link is no ignore file, for git neither.
    assert_eq!(client.places("kept"), ["null/kept.py:1"]);
    assert_eq!(client.places("inside"), ["nested/inside.py:1"]);
    let lost = client.ok("locate_symbol", json!({"name": "lost"}));
    assert_eq!(places(&lost), [""; 0]);
    assert!(warnings(&lost).contains("1 files cannot be read"), "{lost}");
    for path in ["src/pipe.py", "src/becomes_a_pipe.py", "src/zero.py", "src/socket.py", "nested/itself"] {
        assert_eq!(client.error("get_file_outline", json!({"path": path}))["code"], "file_not_found", "{path}");
    }
    let error = client.error("get_file_outline", json!({"path": "zero/lost.py"}));
    assert_eq!((&error["code"], &error["data"]["reason"]), (&json!("file_not_found"), &json!("unreadable")), "{error}");
    let listed = client.request("resources/list", json!({}));
    let names: Vec<&Value> =
        listed["result"]["resources"].as_array().unwrap().iter().map(|resource| &resource["name"]).collect();
    assert_eq!(names, ["docs/guide.md", "nested/inside.py", "null/kept.py", "src/plain.py"]);
    let read = client.request("resources/read", json!({"uri": "cruxe://card/abc123"}));
    assert!(read["error"]["message"].as_str().unwrap().contains("is no file"), "{read}");
    // A question looks at the tree again, and so does a sync.
    repo.write("src/late.py", "def late():\n    pass\n");
    eventually("the edit is seen", DEADLINE, || (client.places("late") == ["src/late.py:1"]).then_some(()));
}

#[test]
fn a_pipe_in_place_of_the_roots_ignore_file_fails_the_index_and_says_what_to_do() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("odd", &[("a.py", "def here():\n    pass\n")]);
    make_pipe(&repo.root.join(".gitignore"));
    let mut command = sandbox.cruxe_in(&repo.root);
    command.arg("index");
    let (code, text) = ended(command);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains(".gitignore is neither a file nor a folder; remove it"), "{text}");
    let mut client = repo.server();
    let answer = eventually("the index has failed", DEADLINE, || {
        let answer = client.ok("locate_symbol", json!({"name": "here"}));
        (answer["metadata"]["indexing_status"] == "failed").then_some(answer)
    });
    assert!(warnings(&answer).contains("remove it, then index again"), "{answer}");
    let error = client.error("get_file_outline", json!({"path": "a.py"}));
    assert_eq!(error["code"], "index_not_ready", "{error}");
    repo.remove(".gitignore");
    // The server may have heard of that and be at it already.
    if let Err(error) = client.answer("index_repo", json!({})) {
        assert_eq!(error["code"], "index_in_progress", "{error}");
    }
    client.ready();
    assert_eq!(client.places("here"), ["a.py:1"]);
}

#[test]
fn a_pipe_in_place_of_the_configuration_is_an_error() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("odd", &[("a.py", "x = 1\n")]);
    make_pipe(&repo.root.join(".cruxe/config.toml"));
    let mut command = sandbox.cruxe_in(&repo.root);
    command.arg("index");
    let (code, text) = ended(command);
    assert!(code != Some(0) && text.contains(".cruxe/config.toml is no file; remove it"), "{code:?} {text}");
}

/// A server that the permissions of files hold for: the superuser's own do not, so it goes without that privilege.
pub fn bound_by_permissions(sandbox: &Sandbox, here: &Path, arguments: &[&str]) -> Command {
    let cruxe = sandbox.cruxe_in(here);
    let superuser = run(Command::new("id").arg("-u")).stdout.trim() == "0";
    let mut command = match superuser {
        true => {
            let mut command = sandbox.command("setpriv");
            command.arg("--bounding-set=-dac_override,-dac_read_search").arg(cruxe.get_program());
            command.current_dir(here);
            command
        }
        false => cruxe,
    };
    command.args(arguments);
    command
}

pub fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_folder_that_may_not_be_read_is_never_an_empty_one() {
    let sandbox = Sandbox::new();
    let here = sandbox.repo("here", &[("a.py", "def here():\n    pass\n")]);
    let closed: Repo = sandbox.repo("repos/closed", &[("b.py", "def closed():\n    pass\n")]);
    let part = sandbox.repo(
        "repos/part",
        &[("open/c.py", "def open_part():\n    pass\n"), ("locked/d.py", "def locked_part():\n    pass\n")],
    );
    let plain = sandbox.folder("repos/plain", &[("e.py", "def plain():\n    pass\n")]);
    for path in [&closed.root, &plain.root, &part.root.join("locked")] {
        set_mode(path, 0o000);
    }
    let allowed = sandbox.path("repos").to_string_lossy().into_owned();
    let arguments = ["serve-mcp", "--no-watch", "--auto-workspace", "--allowed-root", &allowed];
    let mut client = Client::start(bound_by_permissions(&sandbox, &here.root, &arguments));
    for (name, root) in [("closed", &closed.root), ("plain", &plain.root)] {
        let question = json!({"name": name, "workspace": root});
        for tool in ["locate_symbol", "index_repo", "index_status"] {
            let error = client.error(tool, question.clone());
            assert_eq!(error["code"], "project_not_found", "{tool} {error}");
            let text = error["message"].as_str().unwrap();
            assert!(text.contains("cannot be read: Permission denied"), "{text}");
            assert!(error["data"]["suggestion"].as_str().unwrap().starts_with("Let the user that runs"), "{error}");
        }
        set_mode(root, 0o700);
        let found = eventually("it is indexed", DEADLINE, || {
            let answer = client.ok("locate_symbol", question.clone());
            (answer["metadata"]["indexing_status"] == "ready").then_some(answer)
        });
        assert_eq!(places(&found).len(), 1, "{found}");
    }
    let question = json!({"name": "open_part", "workspace": part.root});
    let found = eventually("the rest is indexed", DEADLINE, || {
        let answer = client.ok("locate_symbol", question.clone());
        (answer["metadata"]["indexing_status"] == "ready").then_some(answer)
    });
    assert_eq!(places(&found), ["open/c.py:1"]);
    assert!(warnings(&found).contains("1 files cannot be read"), "{found}");
    let error = client.error("get_file_outline", json!({"path": "locked/d.py", "workspace": part.root}));
    assert_eq!(error["data"]["reason"], "unreadable", "{error}");
    assert!(error["data"]["suggestion"].as_str().unwrap().starts_with("Let the user that runs"), "{error}");
    // The server's own: what was indexed stays, and nobody takes an unreadable folder for one without files.
    client.ready();
    assert_eq!(client.places("here"), ["a.py:1"]);
    set_mode(&here.root, 0o000);
    let error = client.error("locate_symbol", json!({"name": "here"}));
    set_mode(&here.root, 0o700);
    assert_eq!(error["code"], "project_not_found", "{error}");
    assert!(error["message"].as_str().unwrap().contains("cannot be read: Permission denied"), "{error}");
    set_mode(&part.root.join("locked"), 0o700);
    client.ready();
    assert_eq!(client.places("here"), ["a.py:1"]);
}

#[test]
fn workspaces_behind_links_of_the_system_are_what_they_lead_to() {
    let sandbox = Sandbox::new();
    let here = sandbox.repo("here", &[("a.py", "def here():\n    pass\n")]);
    here.cruxe(&["index"]).ok();
    let mut client = here.server();
    client.ready();
    for (asked, code) in [
        ("/proc/self/root", "workspace_not_registered"),
        ("/proc/self/root/", "workspace_not_registered"),
        ("/", "workspace_not_registered"),
        ("/proc/self/root/etc", "workspace_not_registered"),
        ("/dev/fd/0", "workspace_not_registered"),
        ("/dev/stdin", "workspace_not_registered"),
        ("/dev/null", "workspace_not_registered"),
        ("/dev", "workspace_not_registered"),
        ("/proc/self/environ", "workspace_not_registered"),
        ("/nonesuch/%2e%2e/etc", "workspace_not_registered"),
        ("/\u{202e}cte", "workspace_not_registered"),
        ("/et\u{200b}c", "workspace_not_registered"),
        ("/etc\0/here", "workspace_not_registered"),
    ] {
        let error = client.error("locate_symbol", json!({"name": "here", "workspace": asked}));
        assert_eq!(error["code"], code, "{asked:?}: {error}");
    }
    let long = format!("/{}", "a/".repeat(100_000));
    let error = client.error("locate_symbol", json!({"name": "here", "workspace": long}));
    assert_eq!(error["code"], "workspace_not_registered");
    let through = format!("/proc/self/root{}", here.root.display());
    let answer = client.ok("locate_symbol", json!({"name": "here", "workspace": through}));
    assert_eq!(places(&answer), ["a.py:1"], "a way round to the server's own is the server's own");
}

#[test]
fn addresses_with_tricks_in_them_lead_nowhere() {
    let sandbox = Sandbox::new();
    // `é` as one letter; another file of the same look would have two.
    let repo = sandbox.repo("service", &[("caf\u{e9}.py", "def coffee():\n    pass\n")]);
    fs::write(sandbox.path("secret.py"), "def secret():\n    pass\n").unwrap();
    symlink(sandbox.path("secret.py"), repo.root.join("link.py")).unwrap();
    symlink(sandbox.path(""), repo.root.join("out")).unwrap();
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    client.ready();
    for path in [
        "..%2fsecret.py",
        "%2e%2e/secret.py",
        "%2e%2e%2fsecret.py",
        "%252e%252e%252fsecret.py",
        "%c0%ae%c0%ae/secret.py",
        "..%5csecret.py",
        "link.py",
        "out/secret.py",
        "caf%C3%A9.py%00.txt",
        "cafe%CC%81.py",
        "%E2%80%AEyp.terces",
        "/etc/passwd",
        "%2fetc%2fpasswd",
    ] {
        let answer = client.request("resources/read", json!({"uri": format!("cruxe://file/{path}")}));
        let code = answer["error"]["code"].as_i64();
        assert!(matches!(code, Some(-32002 | -32602)), "{path}: {answer}");
        assert!(!answer.to_string().contains("def secret"), "{path}: {answer}");
    }
    for path in ["cafe\u{301}.py", "out/secret.py", "link.py"] {
        assert_eq!(client.error("get_file_outline", json!({"path": path}))["code"], "file_not_found", "{path}");
    }
    let read = client.request("resources/read", json!({"uri": "cruxe://file/caf%C3%A9.py"}));
    assert_eq!(read["result"]["contents"][0]["text"], "def coffee():\n    pass\n", "{read}");
}
