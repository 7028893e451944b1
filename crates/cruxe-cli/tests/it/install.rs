//! `cruxe install` and `cruxe guide` on homes as people have them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Run, Sandbox, run, sources};

/// A user with a home and a project. No program of the machine that runs the test is seen.
struct User {
    sandbox: Sandbox,
    project: PathBuf,
}

impl User {
    fn new() -> User {
        let sandbox = Sandbox::new();
        let project = sandbox.repo("service", sources::SERVICE).root;
        fs::create_dir(sandbox.path("bin")).unwrap();
        User { sandbox, project }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.cruxe_in(&self.project);
        command.env("PATH", self.sandbox.path("bin")).args(arguments);
        command
    }

    fn cruxe(&self, arguments: &[&str]) -> Run {
        run(&mut self.command(arguments))
    }

    /// Runs `install` with a program of a fixed name and returns the steps.
    fn install(&self, arguments: &[&str]) -> Value {
        let all = [&["install", "--json", "--command", "cruxe"], arguments].concat();
        self.cruxe(&all).json()["steps"].clone()
    }

    fn home(&self, path: &str) -> PathBuf {
        self.sandbox.user_home().join(path)
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.home(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }
}

fn outcomes(steps: &Value) -> Vec<(String, String)> {
    let text = |step: &Value, key: &str| step[key].as_str().unwrap().to_owned();
    steps.as_array().unwrap().iter().map(|step| (text(step, "agent"), text(step, "outcome"))).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn parsed(path: &Path) -> Value {
    serde_json::from_str(&read(path)).unwrap()
}

const CODEX: &str = "# mine\nmodel = \"gpt-5\"\n\n[mcp_servers.git]\ncommand = \"uvx\"\n";
const ZED: &str = "// Zed settings\n{\n  \"theme\": \"One Dark\", // dark\n  \"vim_mode\": true,\n}\n";

#[test]
fn the_agents_that_are_there_are_set_up_once_and_taken_out_again() {
    let user = User::new();
    let codex = user.write(".codex/config.toml", CODEX);
    let zed = user.write(".config/zed/settings.json", ZED);
    fs::create_dir(user.home(".cursor")).unwrap();
    let wanted = |word: &str| -> Vec<(String, String)> {
        ["cursor", "codex", "zed"].map(|agent| (agent.to_owned(), word.to_owned())).to_vec()
    };
    assert_eq!(outcomes(&user.install(&["--dry-run"])), wanted("added"));
    assert_eq!((read(&codex), read(&zed), user.home(".cursor/mcp.json").exists()), (CODEX.into(), ZED.into(), false));

    let steps = user.install(&[]);
    assert_eq!(outcomes(&steps), wanted("added"));
    assert!(steps[1]["diff"].as_str().unwrap().contains("+[mcp_servers.cruxe]"), "{steps}");
    assert_eq!(read(Path::new(steps[1]["backup"].as_str().unwrap())), CODEX);
    assert_eq!(
        read(&codex),
        format!("{CODEX}\n[mcp_servers.cruxe]\ncommand = \"cruxe\"\nargs = [\"serve-mcp\", \"--answers\", \"text\"]\n")
    );
    assert!(read(&zed).starts_with("// Zed settings\n{\n  \"theme\": \"One Dark\", // dark\n  \"vim_mode\": true,\n"));
    assert_eq!(
        parsed(&user.home(".cursor/mcp.json")),
        json!({"mcpServers": {"cruxe": {
            "type": "stdio", "command": "cruxe", "args": ["serve-mcp", "--answers", "text", "--workspace", "${workspaceFolder}"]}}})
    );
    let (codex_then, zed_then) = (read(&codex), read(&zed));
    assert_eq!(outcomes(&user.install(&[])), wanted("unchanged"));
    assert_eq!((read(&codex), read(&zed)), (codex_then, zed_then));

    let moved = user.cruxe(&["install", "codex", "--json", "--command", "/opt/cruxe"]).json();
    assert_eq!(outcomes(&moved["steps"]), [("codex".to_owned(), "updated".to_owned())]);
    assert_eq!(outcomes(&user.install(&["--uninstall"])), wanted("removed"));
    assert_eq!((read(&codex), read(&zed)), (CODEX.to_owned(), ZED.to_owned()));
    assert_eq!(outcomes(&user.install(&["--uninstall"])), wanted("unchanged"));
}

#[test]
fn what_was_installed_leaves_nothing_behind_when_it_goes() {
    let user = User::new();
    let codex = user.write(".codex/config.toml", CODEX);
    let names = |folder: &Path| {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let before = names(&user.project);
    user.install(&["codex", "vscode", "cursor"]);
    assert_eq!(
        parsed(&user.home(".config/Code/User/mcp.json"))["servers"]["cruxe"]["args"],
        json!(["serve-mcp", "--answers", "text"]),
        "windows without a folder have no variable for one"
    );
    assert_eq!(names(&user.home(".codex")), ["config.toml", "config.toml.cruxe-backup"]);
    user.install(&["codex", "vscode", "cursor", "--uninstall"]);
    assert_eq!(names(&user.home(".codex")), ["config.toml"]);
    assert_eq!(read(&codex), CODEX);
    assert_eq!((names(&user.home(".config/Code/User")), names(&user.home(".cursor"))), (vec![], vec![]));
    user.install(&["zed", "vscode", "claude-code", "--project", "--guide"]);
    assert_ne!(names(&user.project), before);
    user.install(&["zed", "vscode", "claude-code", "--project", "--guide", "--uninstall"]);
    assert_eq!(names(&user.project), before);
}

#[test]
fn broken_settings_are_named_and_never_touched_and_the_others_are_set_up() {
    let user = User::new();
    let broken = [
        (".cursor/mcp.json", "{\n  \"mcpServers\": {\n    \"git\": {\"command\": \"uvx\"\n  }\n}\n", "line "),
        (".gemini/settings.json", "{\"mcpServers\": []}\n", "`mcpServers` is no object"),
        (".claude.json", "{\"a\": 1,, }\n", "line 1, column 9"),
        (".codex/config.toml", "model = \"x\"\n[mcp_servers\n", "line 2"),
    ];
    for (path, text, _) in broken {
        user.write(path, text);
    }
    let good = user.write(".codeium/windsurf/mcp_config.json", "{}\n");
    let ended = user.cruxe(&["install", "--json"]);
    assert_eq!(ended.code, Some(1));
    let steps: Value = serde_json::from_str::<Value>(&ended.stdout).unwrap()["steps"].clone();
    for (path, text, says) in broken {
        assert_eq!(read(&user.home(path)), text, "{path}");
        let step =
            steps.as_array().unwrap().iter().find(|step| step["path"].as_str().unwrap().ends_with(path)).unwrap();
        assert_eq!(step["outcome"], "failed", "{step}");
        assert!(step["error"].as_str().unwrap().contains(says), "{step}");
    }
    let own = &parsed(&good)["mcpServers"]["cruxe"];
    let project = user.project.canonicalize().unwrap();
    assert_eq!(own["args"], json!(["serve-mcp", "--answers", "text", "--workspace", project.to_str().unwrap()]));
    assert!(Path::new(own["command"].as_str().unwrap()).is_absolute(), "{own}");
    let shown = user.cruxe(&["install", "claude-code"]);
    assert_eq!(shown.code, Some(1));
    assert!(shown.stdout.contains("FAILED") && shown.stdout.contains("the file was not touched"), "{}", shown.stdout);
}

#[test]
fn a_project_is_set_up_for_everybody_without_paths_of_this_machine() {
    let user = User::new();
    let all = ["claude-code", "cursor", "vscode", "codex", "gemini", "zed", "opencode", "copilot"];
    let steps = user.cruxe(&[&["install", "--project", "--json"], &all[..]].concat()).json()["steps"].clone();
    assert_eq!(outcomes(&steps), all.map(|agent| (agent.to_owned(), "added".to_owned())));
    for file in [".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json", ".gemini/settings.json", ".zed/settings.json"] {
        let text = read(&user.project.join(file));
        assert!(
            text.contains("\"command\": \"cruxe\"") && !text.contains(user.sandbox.path("").to_str().unwrap()),
            "{text}"
        );
    }
    assert_eq!(
        parsed(&user.project.join("opencode.json"))["mcp"]["cruxe"],
        json!({"type": "local", "command": ["cruxe", "serve-mcp", "--answers", "text"], "enabled": true})
    );
    assert_eq!(
        parsed(&user.project.join(".github/mcp.json"))["mcpServers"]["cruxe"],
        json!({"type": "stdio", "command": "cruxe", "args": ["serve-mcp", "--answers", "text"], "tools": ["*"]})
    );
    assert_eq!(
        parsed(&user.project.join(".vscode/mcp.json"))["servers"]["cruxe"],
        json!({"type": "stdio", "command": "cruxe", "args": ["serve-mcp", "--answers", "text", "--workspace", "${workspaceFolder}"]})
    );
    assert_eq!(fs::read_dir(user.sandbox.user_home()).unwrap().count(), 0, "the user's own settings stay out of it");
    let refused = user.cruxe(&["install", "windsurf", "--project"]);
    assert_eq!(refused.code, Some(4));
    assert!(refused.stderr.contains("windsurf has no settings for a project"), "{}", refused.stderr);
}

#[test]
fn the_newer_layout_of_opencode_is_followed_where_it_is_used() {
    let user = User::new();
    let file = user.project.join("opencode.json");
    let install = |more: &[&str]| {
        let arguments = [&["install", "opencode", "--project", "--json"], more].concat();
        outcomes(&user.cruxe(&arguments).json()["steps"])[0].1.clone()
    };
    let newer = "{\n  // ours\n  \"mcp\": {\"servers\": {\"other\": {\"type\": \"local\", \"command\": [\"x\"]}}}\n}\n";
    fs::write(&file, newer).unwrap();
    assert_eq!(install(&[]), "added");
    assert_eq!(install(&[]), "unchanged");
    let text = read(&file);
    assert!(text.contains("// ours"), "{text}");
    let servers = json!({"type": "local", "command": ["cruxe", "serve-mcp", "--answers", "text"]});
    let value: serde_json::Value = serde_json::from_str(&text.replace("// ours", "")).unwrap();
    assert_eq!((&value["mcp"]["servers"]["cruxe"], value["mcp"].get("cruxe")), (&servers, None), "{text}");
    assert_eq!(install(&["--uninstall"]), "removed");
    assert!(!read(&file).contains("cruxe"), "{}", read(&file));
    // A server of the earlier layout that is called so.
    fs::write(&file, r#"{"mcp": {"servers": {"type": "local", "command": ["x"]}}}"#).unwrap();
    assert_eq!(install(&[]), "added");
    assert_eq!(parsed(&file)["mcp"]["cruxe"]["enabled"], true, "{}", read(&file));
}

#[test]
fn where_no_agent_is_there_the_answer_says_which_can_be_named() {
    let user = User::new();
    let refused = user.cruxe(&["install"]);
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.stderr.contains("no agent was found here") && refused.stderr.contains("claude-code"),
        "{}",
        refused.stderr
    );
    let unknown = user.cruxe(&["install", "emacs"]);
    assert_eq!(unknown.code, Some(4));
}

#[test]
fn folders_that_variables_name_are_used() {
    let user = User::new();
    let elsewhere = user.sandbox.path("elsewhere");
    fs::create_dir_all(elsewhere.join("zed")).unwrap();
    let mut command = user.command(&["install", "--json"]);
    let steps = run(command.env("XDG_CONFIG_HOME", &elsewhere)).json()["steps"].clone();
    assert_eq!(outcomes(&steps), [("zed".to_owned(), "added".to_owned())]);
    assert!(elsewhere.join("zed/settings.json").is_file());
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_a_private_file_private() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let user = User::new();
    let real = user.write("dotfiles/claude.json", "{}\n");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&real, user.home(".claude.json")).unwrap();
    assert_eq!(outcomes(&user.install(&["claude-code"])), [("claude-code".to_owned(), "added".to_owned())]);
    assert!(fs::symlink_metadata(user.home(".claude.json")).unwrap().is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(parsed(&real)["mcpServers"]["cruxe"]["type"], "stdio");
}

#[test]
fn the_guide_is_printed_and_written_between_marks() {
    let user = User::new();
    assert!(user.cruxe(&["guide"]).ok().contains("| Where is X defined? | `locate_symbol`"));
    fs::write(user.project.join("AGENTS.md"), "# Rules\n\nBe kind.\n").unwrap();
    assert_eq!(user.cruxe(&["guide", "--write", "AGENTS.md"]).ok(), "wrote AGENTS.md\n");
    let once = read(&user.project.join("AGENTS.md"));
    assert!(once.starts_with("# Rules\n\nBe kind.\n\n<!-- cruxe:begin -->\n"), "{once}");
    assert_eq!(user.cruxe(&["guide", "--write", "AGENTS.md"]).ok(), "unchanged AGENTS.md\n");
    user.cruxe(&["guide", "--write", "AGENTS.md", "--remove"]).ok();
    assert_eq!(read(&user.project.join("AGENTS.md")), "# Rules\n\nBe kind.\n");
    user.cruxe(&["guide", "--skill", ".claude/skills"]).ok();
    assert!(read(&user.project.join(".claude/skills/cruxe/SKILL.md")).starts_with("---\nname: cruxe\n"));

    let steps = user.install(&["claude-code", "codex", "--guide"]);
    let wanted = [("claude-code", "added"), ("codex", "added"), ("guide", "added"), ("guide", "added")];
    assert_eq!(outcomes(&steps), wanted.map(|(agent, word)| (agent.to_owned(), word.to_owned())));
    assert!(read(&user.project.join("CLAUDE.md")).contains("cruxe:begin"));
    fs::write(user.project.join("broken.md"), "<!-- cruxe:begin -->\n").unwrap();
    let refused = user.cruxe(&["guide", "--write", "broken.md"]);
    assert_eq!(refused.code, Some(1));
    assert_eq!(read(&user.project.join("broken.md")), "<!-- cruxe:begin -->\n");
}
