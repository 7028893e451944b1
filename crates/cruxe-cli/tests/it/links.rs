//! Repositories that were made to read, write or change what is not theirs: links wherever this program looks, git directories
//! that name other folders, configurations that lift bounds. The files of the user beside them stay what they are.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Client, HttpServer, Repo, Run, Sandbox, places, run};

const SECRET: &str = "TOPSECRET of the user\n";
const CARD: &str = "---\ntitle: T\nstatus: active\ncreated: 2026-01-01T00:00:00Z\n---\n\n# T\n";

/// A user's folder beside a repository, and what is in it.
struct Victim {
    folder: PathBuf,
    before: Vec<(PathBuf, Vec<u8>)>,
}

impl Victim {
    fn of(sandbox: &Sandbox) -> Victim {
        let folder = sandbox.path("private");
        fs::create_dir_all(folder.join("deck/cards")).unwrap();
        for name in ["file", "notes.md", "deck/config.toml", "deck/cards/abc123.md"] {
            fs::write(folder.join(name), SECRET).unwrap();
        }
        let before = contents(&folder);
        Victim { folder, before }
    }

    fn file(&self) -> PathBuf {
        self.folder.join("file")
    }

    fn is_untouched(&self, after: &str) {
        assert_eq!(contents(&self.folder), self.before, "{after}");
    }
}

fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut seen = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(path) = pending.pop() {
        match path.is_dir() {
            true => {
                seen.push((path.clone(), Vec::new()));
                pending.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            }
            false => seen.push((path.clone(), fs::read(path).unwrap())),
        }
    }
    seen.sort();
    seen
}

fn link(repo: &Repo, path: &str, target: impl AsRef<Path>) {
    let place = repo.root.join(path);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    symlink(target, place).unwrap();
}

fn cue(sandbox: &Sandbox, repo: &Repo, arguments: &[&str]) -> Run {
    run(sandbox.command(env!("CARGO_BIN_EXE_cue")).current_dir(&repo.root).args(arguments))
}

fn said(run: &Run) -> String {
    format!("{}{}", run.stdout, run.stderr)
}

/// The numeric errors of deck tools.
fn deck_error(client: &mut Client, tool: &str, arguments: Value) -> String {
    let answer = client.request("tools/call", json!({"name": tool, "arguments": arguments}));
    assert!(!answer["error"].is_null(), "{tool}: {answer}");
    answer["error"].to_string()
}

#[test]
fn a_link_in_place_of_the_lock_changes_nothing_and_is_named() {
    let sandbox = Sandbox::new();
    let victim = Victim::of(&sandbox);
    let repo = sandbox.repo("work", &[("a.py", "x = 1\n"), (".cuedeck/cards/abc123.md", CARD)]);
    let missing = sandbox.path("made-by-a-link");
    for target in [victim.file(), missing.clone()] {
        link(&repo, ".cuedeck/.cache/lock", &target);
        let mut client = repo.server();
        for (tool, arguments) in [
            ("create_task", json!({"title": "T"})),
            ("update_task", json!({"id": "abc123", "updates": {"status": "done"}})),
        ] {
            let error = deck_error(&mut client, tool, arguments);
            assert!(error.contains(".cuedeck/.cache/lock is a link"), "{error}");
        }
        let refused = cue(&sandbox, &repo, &["card", "new", "X"]);
        assert_eq!(refused.code, Some(1));
        assert!(refused.stderr.contains(".cuedeck/.cache/lock is a link"), "{}", refused.stderr);
        // What can be read is read all the same, and cleaning takes the link away.
        client.ok("get_task_dependencies", json!({"id": "abc123"}));
        cue(&sandbox, &repo, &["clean"]).ok();
        cue(&sandbox, &repo, &["card", "new", "X"]).ok();
        cue(&sandbox, &repo, &["clean"]).ok();
    }
    victim.is_untouched("the lock");
    assert!(!missing.exists());
}

#[test]
fn a_deck_is_never_somewhere_else() {
    for place in [".cuedeck", ".cuedeck/cards", ".cuedeck/.cache"] {
        let sandbox = Sandbox::new();
        let victim = Victim::of(&sandbox);
        let repo = sandbox.repo("work", &[("a.py", "x = 1\n")]);
        let target = if place == ".cuedeck/cards" { "deck/cards" } else { "deck" };
        link(&repo, place, victim.folder.join(target));
        let mut client = repo.server();
        let error = deck_error(&mut client, "create_task", json!({"title": "T"}));
        assert!(error.contains(&format!("{place} is a link")), "{error}");
        for arguments in [
            &["card", "new", "X"][..],
            &["card", "edit", "abc123", "--status", "done"],
            &["scene", "--no-clipboard"],
            &["doctor", "--fix", "--yes"],
            &["list"],
            &["clean"],
            &["init", "--force"],
        ] {
            let run = cue(&sandbox, &repo, arguments);
            assert!(!said(&run).contains("TOPSECRET"), "{place} {arguments:?}: {}", said(&run));
            victim.is_untouched(&format!("{place} {arguments:?}"));
        }
        let read = client.request("resources/read", json!({"uri": "cruxe://card/abc123"}));
        assert!(!read.to_string().contains("TOPSECRET"), "{read}");
    }
}

#[test]
fn init_writes_into_no_link() {
    for (place, arguments) in [
        (".gitignore", &["init"][..]),
        (".cuedeck/config.toml", &["init", "--force"]),
        (".cuedeck/config.toml", &["init"]),
        (".cuedeck/docs", &["init"]),
    ] {
        for dangling in [false, true] {
            let sandbox = Sandbox::new();
            let victim = Victim::of(&sandbox);
            let repo = sandbox.repo("work", &[("a.py", "x = 1\n")]);
            let target = if dangling { victim.folder.join("new") } else { victim.file() };
            link(&repo, place, &target);
            let run = cue(&sandbox, &repo, arguments);
            assert_eq!(run.code, Some(1), "{place}: {}", said(&run));
            assert!(run.stderr.contains(&format!("{place} is a link")), "{}", run.stderr);
            victim.is_untouched(place);
        }
    }
}

#[test]
fn a_scene_is_written_to_no_link_and_shows_nothing_of_git_or_of_elsewhere() {
    let sandbox = Sandbox::new();
    let victim = Victim::of(&sandbox);
    let card = CARD
        .replace("created", "refs: [link.md, .git/config, inside.md, .GIT/config, folder/notes.md]\ncreated")
        + "\n[a](../../link.md) [b](../../.git/config)\n";
    let repo =
        sandbox.repo("work", &[(".cuedeck/cards/abc123.md", &card), ("docs/real.md", "# Real\n\nthe real text\n")]);
    repo.git(&["config", "remote.origin.url", "https://user:TOPSECRET@example.org/x"]);
    link(&repo, "link.md", victim.folder.join("notes.md"));
    link(&repo, "folder", &victim.folder);
    link(&repo, "inside.md", "docs/real.md");
    let shown = cue(&sandbox, &repo, &["scene", "--dry-run"]).ok();
    assert!(!shown.contains("TOPSECRET"), "{shown}");
    assert!(shown.contains("the real text"), "a link that stays inside is followed: {shown}");
    let mut client = repo.server();
    for path in ["link.md", "folder/notes.md", ".git/config", "./.git/../.git/HEAD"] {
        let error = deck_error(&mut client, "read_doc", json!({"path": path}));
        assert!(!error.contains("TOPSECRET"), "{error}");
    }
    assert_eq!(client.ok("read_doc", json!({"path": "inside.md"}))["content"], "# Real\n\nthe real text");
    link(&repo, ".cuedeck/SCENE.md", victim.file());
    let refused = cue(&sandbox, &repo, &["scene", "--no-clipboard"]);
    assert!(refused.stderr.contains(".cuedeck/SCENE.md is a link"), "{}", said(&refused));
    victim.is_untouched("the scene");
}

#[test]
fn cleaning_and_repairing_follow_no_link() {
    let sandbox = Sandbox::new();
    let victim = Victim::of(&sandbox);
    let repo = sandbox.repo("work", &[(".cuedeck/cards/abc123.md", CARD), ("docs/guide.md", "# Guide\n")]);
    fs::write(victim.folder.join("notes.md"), "[gone](old/guide.md)\n").unwrap();
    let victim = Victim { before: contents(&victim.folder), ..victim };
    link(&repo, "notes.md", victim.folder.join("notes.md"));
    link(&repo, ".cuedeck/.cache/out", &victim.folder);
    link(&repo, ".cuedeck/.cache/deep/file", victim.file());
    cue(&sandbox, &repo, &["doctor", "--fix", "--yes"]);
    cue(&sandbox, &repo, &["clean"]).ok();
    assert!(!repo.root.join(".cuedeck/.cache").exists());
    victim.is_untouched("cleaning");
}

#[test]
fn settings_of_a_project_are_written_to_no_link() {
    for (place, arguments) in [
        (".mcp.json", &["install", "claude-code", "--project"][..]),
        (".mcp.json.cruxe-backup", &["install", "claude-code", "--project"]),
        (".cursor", &["install", "cursor", "--project"]),
        (".codex/config.toml", &["install", "codex", "--project"]),
        ("CLAUDE.md", &["install", "claude-code", "--guide"]),
        ("AGENTS.md", &["guide", "--write", "AGENTS.md"]),
        ("AGENTS.md", &["guide", "--write", "./src/../AGENTS.md"]),
        (".claude", &["guide", "--skill", ".claude/skills"]),
    ] {
        for dangling in [false, true] {
            let sandbox = Sandbox::new();
            let victim = Victim::of(&sandbox);
            let repo = sandbox.repo("work", &[("a.py", "x = 1\n"), ("src/b.py", "x = 1\n")]);
            if place == ".mcp.json.cruxe-backup" {
                repo.write(".mcp.json", "{}\n");
            }
            let target = match (place, dangling) {
                (_, true) => victim.folder.join("new"),
                (".cursor" | ".claude", _) => victim.folder.clone(),
                _ => victim.file(),
            };
            link(&repo, place, &target);
            let run = repo.cruxe(arguments);
            assert_eq!(run.code, Some(1), "{place}: {}", said(&run));
            assert!(said(&run).contains(&format!("{place} is a link")), "{}", said(&run));
            victim.is_untouched(place);
        }
    }
}

fn auto_server(sandbox: &Sandbox, here: &Repo, allowed: &Path) -> Client {
    let mut command = sandbox.cruxe_in(&here.root);
    // Without reading ahead: a workspace that is open keeps the configuration that it was opened with.
    command.args(["serve-mcp", "--no-watch", "--no-prewarm", "--auto-workspace", "--allowed-root"]).arg(allowed);
    command.env("SECRET_OF_THE_SERVER", "TOPSECRET");
    Client::start(command)
}

#[test]
fn a_configuration_is_never_quoted_to_a_client() {
    let sandbox = Sandbox::new();
    let here = sandbox.repo("here", &[("a.py", "x = 1\n")]);
    let repo = sandbox.repo("repos/hostile", &[("b.py", "def b():\n    pass\n"), (".cuedeck/cards/abc123.md", CARD)]);
    let victim = Victim::of(&sandbox);
    let mut client = auto_server(&sandbox, &here, &sandbox.path("repos"));
    for target in [PathBuf::from("/proc/self/environ"), victim.file()] {
        link(&repo, ".cruxe/config.toml", &target);
        let error = client.error("locate_symbol", json!({"name": "b", "workspace": repo.root}));
        assert!(!error.to_string().contains("TOPSECRET"), "{error}");
        assert!(error["message"].as_str().unwrap().contains(".cruxe/config.toml is a link"), "{error}");
        let mut command = sandbox.cruxe_in(&repo.root);
        let run = run(command.arg("index").env("SECRET_OF_THE_SERVER", "TOPSECRET"));
        assert_eq!(run.code, Some(2));
        assert!(!said(&run).contains("TOPSECRET"), "{}", said(&run));
        repo.remove(".cruxe/config.toml");
        link(&repo, ".cuedeck/config.toml", &target);
        let mut own = repo.server();
        let answer = own.ok("get_task_dependencies", json!({"id": "abc123"}));
        let warnings = answer["metadata"]["warnings"].to_string();
        assert!(warnings.contains(".cuedeck/config.toml is a link") && !warnings.contains("TOPSECRET"), "{warnings}");
        repo.remove(".cuedeck/config.toml");
    }
    for (text, told) in [
        ("TOPSECRET", ":1:10: no valid TOML"),
        ("[TOPSECRET]\n", ":1:2: there is no such setting"),
        ("[index]\nmax_files = \"TOPSECRET\"\n", ":2:13: not a value of this setting"),
        ("[index]\nmax_files = 0\n", ":2:13: index.max_files is a number from 1 to 100000000"),
    ] {
        repo.write(".cruxe/config.toml", text);
        let error = client.error("locate_symbol", json!({"name": "b", "workspace": repo.root}));
        let message = error["message"].as_str().unwrap();
        assert!(message.ends_with(told) && !error.to_string().contains("TOPSECRET"), "{error}");
    }
    // The person who calls the command has the file, and is told what is wrong with it.
    repo.write(".cruxe/config.toml", "[OWN]\n");
    assert!(repo.cruxe(&["index"]).stderr.contains("unknown field `OWN`"));
    repo.write(".cruxe/config.toml", vec![b'#'; 300 << 10]);
    assert!(repo.cruxe(&["index"]).stderr.contains("larger than 262144 bytes"));
}

#[test]
fn a_repository_cannot_change_the_bounds_of_a_server() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work", &[("a.py", "def a():\n    pass\n")]);
    for limits in [
        "max_requests = 0\nmax_connections = 0",
        "max_requests = 9223372036854775807\nmax_connections = 9223372036854775807\nmax_body_bytes = 9223372036854775807",
    ] {
        repo.write(".cruxe/config.toml", format!("[http]\n{limits}\n[index]\nmax_files = 200000000\n"));
        let mut command = sandbox.cruxe_in(&repo.root);
        command.args(["serve-mcp", "--transport", "http"]);
        let server = HttpServer::start(command);
        server.ready();
        let health = server.post(r#"{"jsonrpc":"2.0","id":1,"method":"health_check"}"#).json();
        let warnings = health["result"]["metadata"]["warnings"].to_string();
        for key in ["http.max_requests is ignored: a repository may not set it", "index.max_files is ignored"] {
            assert!(warnings.contains(key), "{health}");
        }
        let long = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"health_check","x":"{}"}}"#, "x".repeat(5 << 20));
        assert_eq!(server.post(&long).status, 413);
    }
    let doctor = repo.cruxe(&["doctor"]);
    assert!(
        doctor.stdout.contains("http.max_connections is ignored: a repository may not set it"),
        "{}",
        doctor.stdout
    );
    // The user's own word is held against the same ranges, and says no instead of hanging or dying.
    for (name, value) in [("MAX_REQUESTS", "0"), ("MAX_CONNECTIONS", "9223372036854775807"), ("MAX_BODY_BYTES", "0")] {
        let mut command = sandbox.cruxe_in(&repo.root);
        command.args(["serve-mcp", "--transport", "http", "--port", "0"]).env(format!("CRUXE_HTTP_{name}"), value);
        let run = run(&mut command);
        assert_eq!(run.code, Some(2), "{}", said(&run));
        assert!(run.stderr.contains(&format!("http.{} is a number from", name.to_lowercase())), "{}", run.stderr);
    }
}

#[test]
fn a_repository_cannot_turn_off_masks_and_limits_but_the_user_can() {
    let sandbox = Sandbox::new();
    let token = ["ghp_", "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2"].concat();
    let card = format!("{CARD}\nuse {token}\n");
    let repo = sandbox.repo("work", &[("a.py", "x = 1\n"), (".cuedeck/cards/abc123.md", &card)]);
    let asked = "[secrets]\ndefaults = false\n[rate_limits]\nlist_tasks = 0\n";
    repo.write(".cuedeck/config.toml", asked);
    let limited = |client: &mut Client| {
        let call = json!({"name": "list_tasks", "arguments": {}});
        (0..31).any(|_| !client.request("tools/call", call.clone())["error"].is_null())
    };
    let scene = cue(&sandbox, &repo, &["scene", "--dry-run"]);
    assert!(!scene.stdout.contains(&token) && scene.stderr.contains("a workspace must not unmask secrets"));
    let mut client = repo.server();
    let answer = client.ok("get_task_dependencies", json!({"id": "abc123"}));
    assert!(answer["metadata"]["warnings"].to_string().contains("rate_limits.list_tasks is ignored"), "{answer}");
    assert!(limited(&mut client));
    assert!(cue(&sandbox, &repo, &["doctor"]).stdout.contains("a workspace may lower a limit, not raise it"));
    fs::create_dir_all(sandbox.cruxe_home()).unwrap();
    fs::write(sandbox.cruxe_home().join("cue.toml"), asked).unwrap();
    assert!(cue(&sandbox, &repo, &["scene", "--dry-run"]).ok().contains(&token));
    assert!(!limited(&mut repo.server()));
}

#[test]
fn a_work_tree_that_git_places_elsewhere_is_not_indexed() {
    let sandbox = Sandbox::new();
    let victim = sandbox.folder("private", &[("secret.py", "def secret():\n    pass\n")]);
    let repo = sandbox.repo("work", &[("a.py", "def here():\n    pass\n")]);
    for place in [victim.root.to_str().unwrap(), "/etc", "../../private"] {
        repo.git(&["config", "core.worktree", place]);
        for command in ["index", "init", "doctor"] {
            let run = repo.cruxe(&[command]);
            assert_eq!(run.code, Some(1), "{command}: {}", said(&run));
            assert!(run.stderr.contains("says that its work tree is"), "{}", run.stderr);
        }
    }
    fs::write(repo.root.join(".git/config"), "[core]\n\tworktree = ..\n").unwrap();
    repo.cruxe(&["index"]).ok();
    assert_eq!(repo.cruxe(&["search", "here", "--json"]).code, Some(0));
}

#[test]
fn allowed_roots_hold_for_the_git_directory_too() {
    let sandbox = Sandbox::new();
    let here = sandbox.repo("here", &[("a.py", "x = 1\n")]);
    let secret = sandbox.repo("private/secret", &[("s.py", "def secret():\n    pass\n")]);
    let git = |arguments: &[&str]| assert!(Command::new("git").args(arguments).status().unwrap().success());
    fs::create_dir_all(sandbox.path("repos/file")).unwrap();
    fs::write(sandbox.path("repos/file/.git"), format!("gitdir: {}/.git\n", secret.root.display())).unwrap();
    let separate = format!("--separate-git-dir={}", sandbox.path("private/kept").display());
    git(&["init", "-q", &separate, sandbox.path("repos/separate").to_str().unwrap()]);
    secret.git(&["worktree", "add", "-q", "-b", "linked", sandbox.path("repos/linked").to_str().unwrap()]);
    let borrowed = sandbox.repo("repos/borrowed", &[("b.py", "x = 1\n")]);
    let objects = secret.root.join(".git/objects");
    fs::create_dir_all(borrowed.root.join(".git/objects/info")).unwrap();
    fs::write(borrowed.root.join(".git/objects/info/alternates"), format!("{}\n", objects.display())).unwrap();
    let commons = sandbox.repo("repos/commons", &[("c.py", "x = 1\n")]);
    fs::write(commons.root.join(".git/commondir"), secret.root.join(".git").to_str().unwrap()).unwrap();
    let mut client = auto_server(&sandbox, &here, &sandbox.path("repos"));
    for (name, code) in [
        ("file", "workspace_not_registered"),
        ("separate", "workspace_not_allowed"),
        ("linked", "workspace_not_allowed"),
        ("borrowed", "workspace_not_allowed"),
        ("commons", "workspace_not_registered"),
    ] {
        let asked = sandbox.path("repos").join(name);
        for tool in ["index_repo", "list_refs", "locate_symbol"] {
            let error = client.error(tool, json!({"name": "secret", "workspace": asked}));
            assert_eq!(error["code"], code, "{name} {tool}: {error}");
        }
    }
    let open = sandbox.repo("repos/open", &[("o.py", "def open_one():\n    pass\n")]);
    open.git(&["worktree", "add", "-q", "-b", "other", sandbox.path("repos/tree").to_str().unwrap()]);
    for workspace in [open.root.clone(), sandbox.path("repos/tree")] {
        let found = crate::support::eventually("it is indexed", crate::support::DEADLINE, || {
            let answer = client.ok("locate_symbol", json!({"name": "open_one", "workspace": workspace}));
            (answer["metadata"]["indexing_status"] == "ready").then_some(answer)
        });
        assert_eq!(places(&found), ["o.py:1"]);
    }
}
