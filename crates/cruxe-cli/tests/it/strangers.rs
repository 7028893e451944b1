//! A repository of a stranger: its configuration names programs everywhere, its names and texts hold what a terminal obeys.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Client, DEADLINE, Repo, Run, Sandbox, eventually, run};

/// A program that leaves a mark where it was run.
fn trap(at: &Path, mark: &Path) {
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    fs::write(at, format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", mark.display())).unwrap();
    fs::set_permissions(at, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A repository that names a program wherever git knows a place for one, and folders with such programs.
struct Trapped<'a> {
    repo: Repo<'a>,
    mark: PathBuf,
    path: PathBuf,
}

fn trapped(sandbox: &Sandbox) -> Trapped<'_> {
    let files = [
        (".gitattributes", "* filter=evil diff=evil merge=evil text eol=crlf\n"),
        (".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = ext::sh -c 'exit 1'\n\tupdate = !exit 1\n"),
        ("a.py", "def on_main():\n    pass\n"),
    ];
    let repo = sandbox.repo("stranger", &files);
    repo.git(&["checkout", "-q", "-b", "feat"]);
    repo.write("a.py", "def on_feat():\n    on_main()\n");
    repo.write("run.sh", "#!/bin/sh\n");
    repo.commit("feat");
    repo.git(&["checkout", "-q", "-b", "partial"]);
    repo.write("lost.py", "def lost():\n    pass\n");
    repo.commit("partial");
    let lost = repo.git(&["rev-parse", "HEAD:lost.py"]);
    repo.git(&["checkout", "-q", "main"]);
    fs::remove_file(repo.root.join(format!(".git/objects/{}/{}", &lost[..2], &lost[2..]))).unwrap();

    let (mark, evil, path) = (sandbox.path("mark"), sandbox.path("evil"), sandbox.path("bin"));
    trap(&evil, &mark);
    for name in ["git", "git-lfs", "git-remote-ext", "ssh", "sh", "less", "more", "vi", "gpg", "xclip", "wl-copy"] {
        trap(&path.join(name), &mark);
    }
    let hooks = ["post-checkout", "post-index-change", "pre-commit", "reference-transaction", "post-merge"];
    for name in hooks {
        trap(&repo.root.join(".git/hooks").join(name), &mark);
        trap(&sandbox.path("hooks").join(name), &mark);
    }
    let pipe = sandbox.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (evil, bang) = (evil.display().to_string(), format!("!{}", evil.display()));
    let ext = format!("ext::{evil}");
    let settings = [
        ("core.hooksPath", sandbox.path("hooks").display().to_string()),
        ("filter.evil.required", "true".to_owned()),
        ("protocol.ext.allow", "always".to_owned()),
        ("remote.origin.url", ext.clone()),
        ("remote.origin.promisor", "true".to_owned()),
        ("remote.origin.partialclonefilter", "blob:none".to_owned()),
        ("extensions.partialClone", "origin".to_owned()),
        (&format!("url.{ext}.insteadOf"), "https://".to_owned()),
    ];
    let named = "core.fsmonitor core.sshCommand core.pager core.editor core.askPass core.gitProxy core.alternateRefsCommand \
                 filter.evil.clean filter.evil.smudge filter.evil.process diff.external diff.evil.command \
                 diff.evil.textconv merge.evil.driver sequence.editor gpg.program gpg.ssh.program pager.diff pager.log \
                 interactive.diffFilter uploadpack.packObjectsHook remote.origin.uploadpack remote.origin.receivepack \
                 remote.origin.vcs credential.helper submodule.sub.update alias.status alias.diff alias.worktree \
                 alias.log alias.config trailer.x.command web.browser sendemail.smtpServer";
    for (key, value) in settings {
        repo.git(&["config", "--file", ".git/config", key, &value]);
    }
    for key in named.split_whitespace() {
        let shell = ["credential", "submodule", "alias"].iter().any(|section| key.starts_with(section));
        repo.git(&["config", "--file", ".git/config", key, if shell { &bang } else { &evil }]);
    }
    let mut config = fs::read_to_string(repo.root.join(".git/config")).unwrap();
    config.push_str(&format!("[include]\n\tpath = {}\n", pipe.display()));
    fs::write(repo.root.join(".git/config"), config).unwrap();
    Trapped { repo, mark, path }
}

impl Trapped<'_> {
    /// One of our programs, with nothing but traps on its `PATH`.
    fn command(&self, sandbox: &Sandbox, program: &str) -> Command {
        let program = if program == "cue" { env!("CARGO_BIN_EXE_cue") } else { env!("CARGO_BIN_EXE_cruxe") };
        let mut command = sandbox.command(program);
        command.current_dir(&self.repo.root).env("PATH", &self.path).env_remove("GIT_EDITOR");
        command
    }

    fn nothing_was_run(&self, by: &str) {
        let ran = fs::read_to_string(&self.mark).unwrap_or_default();
        assert_eq!(ran, "", "{by}");
    }
}

/// Runs a command that must end.
fn ended(command: &mut Command) -> Run {
    let mut child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let name = format!("{command:?} ends");
    // What these print fits in a pipe.
    eventually(&name, DEADLINE, || child.try_wait().unwrap());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[test]
fn nothing_that_a_repository_names_is_ever_run() {
    let sandbox = Sandbox::new();
    let trapped = trapped(&sandbox);
    let archive = sandbox.path("state.tar.zst").display().to_string();
    let commands = [
        "cruxe init",
        "cruxe index",
        "cruxe index --ref feat",
        "cruxe index --ref partial",
        "cruxe sync",
        "cruxe search on_main --explain",
        "cruxe refs on_feat --ref feat",
        "cruxe calls on_feat --ref feat",
        "cruxe doctor",
        "cruxe guide",
        "cruxe model list",
        "cruxe install --project --dry-run",
        &format!("cruxe state export {archive}"),
        "cue init",
        "cue card new Look at it",
        "cue list",
        "cue graph",
        "cue open a",
        "cue scene --no-clipboard",
        "cue doctor",
        "cue clean",
    ];
    for line in commands {
        let mut words = line.split(' ');
        let mut command = trapped.command(&sandbox, words.next().unwrap());
        let run = ended(command.args(words));
        let may_fail = line.contains("partial") || line.contains("install");
        assert!(may_fail || run.code == Some(0), "{line}: {}", run.transcript());
        trapped.nothing_was_run(line);
    }

    let mut server = trapped.command(&sandbox, "cruxe");
    server.arg("serve-mcp");
    let mut client = Client::start(server);
    client.ready();
    let tree = client.ok("switch_ref", json!({"ref": "feat"}))["worktree_path"].as_str().unwrap().to_owned();
    trapped.nothing_was_run("switch_ref");
    assert_eq!(fs::read_to_string(Path::new(&tree).join("run.sh")).unwrap(), "#!/bin/sh\n", "as it was committed");
    for (tool, arguments) in every_tool() {
        client.request("tools/call", json!({"name": tool, "arguments": arguments}));
        trapped.nothing_was_run(tool);
    }
    for (name, arguments) in [
        ("review_branch", json!({"head": "feat"})),
        ("explain_symbol", json!({"symbol": "on_main"})),
        ("plan_task", json!({"task": "rename on_main"})),
    ] {
        client.request("prompts/get", json!({"name": name, "arguments": arguments}));
    }
    client.request("resources/list", json!({}));
    trapped.nothing_was_run("prompts and resources");
    drop(client);
    let prune = ended(trapped.command(&sandbox, "cruxe").args(["prune-overlays", "--older-than", "0"]));
    assert_eq!((prune.code, Path::new(&tree).exists()), (Some(0), false), "{}", prune.transcript());
    trapped.nothing_was_run("prune-overlays");

    // The traps work: git itself walks into them.
    let config = trapped.repo.root.join(".git/config");
    let without_pipe = fs::read_to_string(&config).unwrap().replace("[include]", "[included]");
    fs::write(&config, without_pipe).unwrap();
    let git = run(sandbox.command("git").current_dir(&trapped.repo.root).args(["checkout", "-q", "feat"]));
    assert!(fs::read_to_string(&trapped.mark).is_ok_and(|mark| !mark.is_empty()), "{}", git.transcript());
}

/// A call of every tool, with something to do for each.
fn every_tool() -> Vec<(&'static str, Value)> {
    vec![
        ("index_repo", json!({"ref": "feat"})),
        ("sync_repo", json!({"ref": "feat"})),
        ("index_status", json!({})),
        ("health_check", json!({})),
        ("locate_symbol", json!({"name": "on_main"})),
        ("search_code", json!({"query": "on_main"})),
        ("get_file_outline", json!({"path": "a.py"})),
        ("find_references", json!({"symbol_name": "on_main"})),
        ("get_call_graph", json!({"symbol_name": "on_main"})),
        ("diff_context", json!({"base_ref": "main", "head_ref": "feat"})),
        ("compare_symbol_between_commits", json!({"symbol_name": "on_main", "base_ref": "main", "head_ref": "feat"})),
        ("explain_ranking", json!({"query": "on_main", "result_path": "a.py", "result_line_start": 1})),
        ("suggest_followup_queries", json!({"previous_results": {"total_candidates": 0}, "previous_query": "x"})),
        ("list_refs", json!({})),
        ("switch_ref", json!({"ref": "partial"})),
        ("read_context", json!({"query": "on_main"})),
        ("read_doc", json!({"path": ".git/config"})),
        ("list_tasks", json!({})),
        ("create_task", json!({"title": "x"})),
        ("get_task_dependencies", json!({"id": "abc123"})),
        ("validate_task_graph", json!({})),
        ("update_task", json!({"id": "abc123", "updates": {"status": "done"}})),
    ]
}

/// What a terminal would obey, and what the test looks for.
const TITLE: &str = "\x1b]0;pwned\x07";
const ODD: &str = "\x1b[41m\u{9b}41m\u{202e}\x08\x7f";

/// What is left of an output that a terminal would act on, our own colours aside.
fn obeyed(text: &str) -> Vec<char> {
    let turns = |c: &char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let acts = |c: &char| (c.is_control() && !matches!(c, '\n' | '\t')) || turns(c);
    let mut pieces = text.split('\x1b');
    let mut left: Vec<char> = pieces.next().unwrap_or_default().chars().filter(acts).collect();
    for piece in pieces {
        // No colour of ours is the one that the texts here ask for.
        let code = piece.strip_prefix('[').and_then(|piece| piece.split_once('m')).map_or("none", |(code, _)| code);
        let colour = code != "41" && code.chars().all(|c| c.is_ascii_digit() || c == ';');
        left.extend((!colour).then_some('\x1b'));
        left.extend(piece.chars().filter(acts));
    }
    left
}

#[test]
fn what_a_terminal_obeys_is_shown_by_every_command_and_never_sent() {
    let sandbox = Sandbox::new();
    let name = format!("odd{TITLE}{ODD}.py");
    let code = format!("# {TITLE}\ndef odd():\n    return \"{ODD}\"\n\ndef caller():\n    odd()  # {TITLE}{ODD}\n");
    let repo = sandbox.repo(&format!("root{TITLE}{ODD}"), &[(&name, &code), ("new\nline.py", "def other(): pass\n")]);
    let branch = "feat\u{9b}41m\u{202e}";
    repo.git(&["commit", "-q", "--allow-empty", "-m", &format!("subject {TITLE}{ODD}\rline")]);
    repo.git(&["checkout", "-q", "-b", branch]);
    let yaml = "\\e]0;pwned\\a\\e[41m\\u009b41m\\u202e\\b\\x7f";
    let card = format!(
        "---\ntitle: \"Card {yaml}\"\nstatus: active\npriority: high\nassignee: \"@dana{yaml}\"\ntags: [\"tag{yaml}\"]\n\
         depends_on: [\"no{yaml}\", def456]\nrefs: [\"odd{yaml}.py#odd\"]\nnotes: \"Notes {yaml}\"\n---\n\n# Card {TITLE}{ODD}\n\n\
         [dead](no{ODD}.md)\n"
    );
    repo.write(".cuedeck/cards/abc123.md", card);
    repo.write(".cuedeck/cards/def456.md", format!("---\ntitle: \"B {yaml}\"\nstatus: todo\npriority: high\n---\n"));
    repo.write(".cuedeck/cards/bad001.md", format!("---\ntitle: \"{TITLE}{ODD}\nstatus: [\n"));
    repo.write(&format!("docs/{TITLE}{ODD}.md"), format!("# Doc {TITLE}{ODD}\n\n[dead](gone{ODD}.md)\n"));
    let odd = format!("{TITLE}{ODD}");
    let cruxe: Vec<Vec<&str>> = vec![
        vec!["init"],
        vec!["index"],
        vec!["index", "--ref", "main"],
        vec!["sync"],
        vec!["search", "odd", "--explain"],
        vec!["search", "pwned"],
        vec!["search", &odd],
        vec!["search", "odd", "--ref", &odd],
        vec!["refs", "odd"],
        vec!["refs", &odd],
        vec!["calls", "odd"],
        vec!["calls", "odd", "--dot"],
        vec!["doctor"],
        vec!["guide"],
        vec!["model", "list"],
        vec!["model", "install", &odd],
        vec!["install", "--project", "--dry-run"],
        vec!["state", "export", "x.tar.zst"],
        vec!["state", "import", &odd],
        vec!["completions", "bash"],
        vec!["index", "--scip", &odd],
        vec!["prune-overlays", "--older-than", "0"],
        vec!["--workspace", &odd, "search", "x"],
        vec!["--config", &odd, "search", "x"],
        vec![&odd],
    ];
    let cue: Vec<Vec<&str>> = vec![
        vec!["init"],
        vec!["list", "--all"],
        vec!["list", "--created", &odd],
        vec!["card", "show", "abc123"],
        vec!["card", "show", "bad001"],
        vec!["card", "list"],
        vec!["card", "new", &odd],
        vec!["card", "edit", "def456", "--assignee", &odd],
        vec!["card", "edit", "bad001", "--status", "done"],
        vec!["card", "done", "def456"],
        vec!["graph"],
        vec!["graph", "--format", "mermaid"],
        vec!["graph", "--format", "dot"],
        vec!["open", "a"],
        vec!["scene", "--dry-run"],
        vec!["scene", "--no-clipboard"],
        vec!["doctor"],
        vec!["doctor", "--fix"],
        vec!["doctor", "--fix", "--yes"],
        vec!["clean"],
        vec!["upgrade", "--check"],
        vec![&odd],
    ];
    let programs = [(env!("CARGO_BIN_EXE_cruxe"), cruxe), (env!("CARGO_BIN_EXE_cue"), cue)];
    let mut shown = 0;
    for (program, commands) in &programs {
        for arguments in commands {
            for extra in [vec![], vec!["--json"], vec!["-vv"]] {
                for colour in ["NO_COLOR", "CLICOLOR_FORCE"] {
                    let mut command = sandbox.command(program);
                    command.current_dir(&repo.root).env(colour, "1").args(arguments).args(&extra);
                    // No request leaves this machine.
                    command.env("https_proxy", "http://127.0.0.1:9").env("http_proxy", "http://127.0.0.1:9");
                    let run = run(&mut command);
                    let text = run.transcript();
                    assert_eq!(obeyed(&text), [] as [char; 0], "{arguments:?} {extra:?} {colour}: {text:?}");
                    assert_ne!(run.code, Some(101), "{arguments:?} {extra:?}: {text}");
                    shown += usize::from(text.contains("␛]0;pwned␇"));
                }
            }
        }
    }
    assert!(shown > 60, "shown {shown} times, not left out");
}
