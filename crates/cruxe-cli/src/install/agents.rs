//! The agents that can be set up, each with where its settings are and what an entry looks like there.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Value, json};

use super::machine::{Launch, Machine, Os};
use super::{Entry, Format};

/// An agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Agent {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    #[value(name = "vscode")]
    VsCode,
    Codex,
    Gemini,
    Zed,
    Windsurf,
    #[value(name = "opencode")]
    OpenCode,
    Copilot,
}

/// Whom settings are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Everything that the user works on.
    User,
    /// Everybody who works on the project.
    Project,
}

impl Scope {
    pub fn as_str(self) -> &'static str {
        match self {
            Scope::User => "user",
            Scope::Project => "project",
        }
    }
}

/// How an agent tells the server which folder to serve.
enum Folder {
    /// It starts the server there.
    StartedThere,
    /// It fills in a variable.
    Variable(&'static str),
    /// It does neither: the folder is written down.
    Fixed,
}

impl Agent {
    /// Every agent.
    pub const ALL: &'static [Agent] = &[
        Agent::ClaudeCode,
        Agent::ClaudeDesktop,
        Agent::Cursor,
        Agent::VsCode,
        Agent::Codex,
        Agent::Gemini,
        Agent::Zed,
        Agent::Windsurf,
        Agent::OpenCode,
        Agent::Copilot,
    ];

    /// The word on the command line.
    pub fn id(self) -> &'static str {
        match self {
            Agent::ClaudeCode => "claude-code",
            Agent::ClaudeDesktop => "claude-desktop",
            Agent::Cursor => "cursor",
            Agent::VsCode => "vscode",
            Agent::Codex => "codex",
            Agent::Gemini => "gemini",
            Agent::Zed => "zed",
            Agent::Windsurf => "windsurf",
            Agent::OpenCode => "opencode",
            Agent::Copilot => "copilot",
        }
    }

    /// How its settings are written.
    pub fn format(self) -> Format {
        if self == Agent::Codex { Format::Toml } else { Format::Json }
    }

    /// The file of its settings; `None` where it has none for a project.
    pub fn settings(self, machine: &Machine, scope: Scope, root: &Path) -> Option<PathBuf> {
        let (home, applications) = (&machine.home, &machine.applications);
        Some(match (self, scope) {
            (Agent::ClaudeCode, Scope::User) => machine.claude_home.join(".claude.json"),
            (Agent::ClaudeCode, Scope::Project) => root.join(".mcp.json"),
            (Agent::ClaudeDesktop, Scope::User) => applications.join("Claude/claude_desktop_config.json"),
            (Agent::Cursor, Scope::User) => home.join(".cursor/mcp.json"),
            (Agent::Cursor, Scope::Project) => root.join(".cursor/mcp.json"),
            (Agent::VsCode, Scope::User) => applications.join("Code/User/mcp.json"),
            (Agent::VsCode, Scope::Project) => root.join(".vscode/mcp.json"),
            (Agent::Codex, Scope::User) => machine.codex_home.join("config.toml"),
            (Agent::Codex, Scope::Project) => root.join(".codex/config.toml"),
            (Agent::Gemini, Scope::User) => home.join(".gemini/settings.json"),
            (Agent::Gemini, Scope::Project) => root.join(".gemini/settings.json"),
            (Agent::Zed, Scope::User) => self.zed_folder(machine).join("settings.json"),
            (Agent::Zed, Scope::Project) => root.join(".zed/settings.json"),
            (Agent::Windsurf, Scope::User) => home.join(".codeium/windsurf/mcp_config.json"),
            (Agent::OpenCode, Scope::User) => json_or_jsonc(&machine.xdg_config.join("opencode"), "opencode"),
            (Agent::OpenCode, Scope::Project) => json_or_jsonc(root, "opencode"),
            (Agent::Copilot, Scope::User) => machine.copilot_home.join("mcp-config.json"),
            (Agent::Copilot, Scope::Project) => root.join(".github/mcp.json"),
            (Agent::ClaudeDesktop | Agent::Windsurf, Scope::Project) => return None,
        })
    }

    /// Whether the user seems to have it: its folder, its settings or its program is there.
    pub fn is_installed(self, machine: &Machine) -> bool {
        let (home, applications) = (&machine.home, &machine.applications);
        let (program, folder) = match self {
            Agent::ClaudeCode => ("claude", home.join(".claude")),
            Agent::ClaudeDesktop => ("", applications.join("Claude")),
            Agent::Cursor => ("cursor", home.join(".cursor")),
            Agent::VsCode => ("code", applications.join("Code")),
            Agent::Codex => ("codex", machine.codex_home.clone()),
            Agent::Gemini => ("gemini", home.join(".gemini")),
            Agent::Zed => ("zed", self.zed_folder(machine)),
            Agent::Windsurf => ("windsurf", home.join(".codeium/windsurf")),
            Agent::OpenCode => ("opencode", machine.xdg_config.join("opencode")),
            Agent::Copilot => ("copilot", machine.copilot_home.clone()),
        };
        let settings = self.settings(machine, Scope::User, home);
        folder.is_dir()
            || settings.is_some_and(|file| file.is_file())
            || (!program.is_empty() && machine.has_program(program))
    }

    /// The file with instructions for the agent in a project.
    pub fn guide_file(self) -> &'static str {
        match self {
            Agent::ClaudeCode | Agent::ClaudeDesktop => "CLAUDE.md",
            Agent::Gemini => "GEMINI.md",
            _ => "AGENTS.md",
        }
    }

    /// Our entry in its settings, which say `text` so far. `root` is the folder to serve where the agent cannot tell it.
    pub fn entry(self, text: &str, launch: &Launch, scope: Scope, root: &Path) -> Entry {
        let Launch { command, before } = launch;
        let mut arguments = before.clone();
        arguments.extend(["serve-mcp", "--answers", "text"].map(str::to_owned));
        match self.folder(scope) {
            Folder::StartedThere => {}
            Folder::Variable(name) => arguments.extend(["--workspace".to_owned(), name.to_owned()]),
            Folder::Fixed => arguments.extend(["--workspace".to_owned(), root.to_string_lossy().into_owned()]),
        }
        let plain = || vec![("command", json!(command)), ("args", json!(arguments))];
        let typed = || [vec![("type", json!("stdio"))], plain()].concat();
        let (place, value): (&[&str], Vec<(&str, Value)>) = match self {
            Agent::ClaudeCode | Agent::Cursor => (&["mcpServers"], typed()),
            Agent::ClaudeDesktop | Agent::Gemini | Agent::Windsurf => (&["mcpServers"], plain()),
            Agent::VsCode => (&["servers"], typed()),
            Agent::Codex => (&["mcp_servers"], plain()),
            Agent::Zed => (&["context_servers"], plain()),
            Agent::OpenCode => {
                let all: Vec<String> = std::iter::once(command.clone()).chain(arguments).collect();
                let value = vec![("type", json!("local")), ("command", json!(all))];
                // Its second version has servers a level deeper and no `enabled`. Not every first one reads that form,
                // so it is written only where the user writes it.
                match super::jsonc::has_servers(text, &["mcp", "servers"]) {
                    true => (&["mcp", "servers"], value),
                    false => (&["mcp"], [value, vec![("enabled", json!(true))]].concat()),
                }
            }
            Agent::Copilot => (&["mcpServers"], [typed(), vec![("tools", json!(["*"]))]].concat()),
        };
        Entry { place, value }
    }

    fn folder(self, scope: Scope) -> Folder {
        match (self, scope) {
            // Settings of a user hold for windows without a folder too, where VS Code refuses the variable. The server learns
            // the folder from the client's roots.
            (Agent::VsCode, Scope::User) => Folder::StartedThere,
            (Agent::Cursor | Agent::VsCode, _) => Folder::Variable("${workspaceFolder}"),
            (Agent::ClaudeDesktop | Agent::Windsurf, _) => Folder::Fixed,
            _ => Folder::StartedThere,
        }
    }

    fn zed_folder(self, machine: &Machine) -> PathBuf {
        match machine.os {
            Os::Windows => machine.applications.join("Zed"),
            Os::Mac => machine.home.join(".config/zed"),
            Os::Linux => machine.xdg_config.join("zed"),
        }
    }
}

/// `NAME.jsonc` where there is one, else `NAME.json`.
fn json_or_jsonc(folder: &Path, name: &str) -> PathBuf {
    let commented = folder.join(format!("{name}.jsonc"));
    if commented.is_file() { commented } else { folder.join(format!("{name}.json")) }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    fn machine(os: Os, variables: &[(&str, &str)]) -> Machine {
        let get =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value));
        Machine::new(os, get).unwrap()
    }

    fn file(agent: Agent, machine: &Machine, scope: Scope) -> String {
        let path = agent.settings(machine, scope, Path::new("/repo")).unwrap();
        path.to_string_lossy().replace('\\', "/")
    }

    #[test]
    fn settings_are_where_each_system_keeps_them() {
        let linux = machine(Os::Linux, &[("HOME", "/h")]);
        let mac = machine(Os::Mac, &[("HOME", "/h")]);
        let windows = machine(Os::Windows, &[("USERPROFILE", "C:/u"), ("APPDATA", "C:/u/AppData/Roaming")]);
        for (agent, on_linux, on_mac, on_windows) in [
            (Agent::ClaudeCode, "/h/.claude.json", "/h/.claude.json", "C:/u/.claude.json"),
            (
                Agent::ClaudeDesktop,
                "/h/.config/Claude/claude_desktop_config.json",
                "/h/Library/Application Support/Claude/claude_desktop_config.json",
                "C:/u/AppData/Roaming/Claude/claude_desktop_config.json",
            ),
            (Agent::Cursor, "/h/.cursor/mcp.json", "/h/.cursor/mcp.json", "C:/u/.cursor/mcp.json"),
            (
                Agent::VsCode,
                "/h/.config/Code/User/mcp.json",
                "/h/Library/Application Support/Code/User/mcp.json",
                "C:/u/AppData/Roaming/Code/User/mcp.json",
            ),
            (Agent::Codex, "/h/.codex/config.toml", "/h/.codex/config.toml", "C:/u/.codex/config.toml"),
            (Agent::Gemini, "/h/.gemini/settings.json", "/h/.gemini/settings.json", "C:/u/.gemini/settings.json"),
            (
                Agent::Zed,
                "/h/.config/zed/settings.json",
                "/h/.config/zed/settings.json",
                "C:/u/AppData/Roaming/Zed/settings.json",
            ),
            (
                Agent::Windsurf,
                "/h/.codeium/windsurf/mcp_config.json",
                "/h/.codeium/windsurf/mcp_config.json",
                "C:/u/.codeium/windsurf/mcp_config.json",
            ),
            (
                Agent::OpenCode,
                "/h/.config/opencode/opencode.json",
                "/h/.config/opencode/opencode.json",
                "C:/u/.config/opencode/opencode.json",
            ),
            (
                Agent::Copilot,
                "/h/.copilot/mcp-config.json",
                "/h/.copilot/mcp-config.json",
                "C:/u/.copilot/mcp-config.json",
            ),
        ] {
            let found = [&linux, &mac, &windows].map(|machine| file(agent, machine, Scope::User));
            assert_eq!(found, [on_linux, on_mac, on_windows]);
        }
    }

    #[test]
    fn variables_that_move_settings_are_followed() {
        let moved = machine(
            Os::Linux,
            &[
                ("HOME", "/h"),
                ("XDG_CONFIG_HOME", "/x"),
                ("CODEX_HOME", "/c"),
                ("CLAUDE_CONFIG_DIR", "/cl"),
                ("COPILOT_HOME", "/co"),
            ],
        );
        assert_eq!(file(Agent::Zed, &moved, Scope::User), "/x/zed/settings.json");
        assert_eq!(file(Agent::VsCode, &moved, Scope::User), "/x/Code/User/mcp.json");
        assert_eq!(file(Agent::Codex, &moved, Scope::User), "/c/config.toml");
        assert_eq!(file(Agent::ClaudeCode, &moved, Scope::User), "/cl/.claude.json");
        assert_eq!(file(Agent::Copilot, &moved, Scope::User), "/co/mcp-config.json");
        assert!(Machine::new(Os::Linux, |_| None).is_none());
    }

    #[test]
    fn a_projects_settings_are_below_its_root_or_nowhere() {
        let machine = machine(Os::Linux, &[("HOME", "/h")]);
        for agent in Agent::ALL {
            match agent.settings(&machine, Scope::Project, Path::new("/repo")) {
                Some(path) => assert!(path.starts_with("/repo"), "{path:?}"),
                None => assert!(matches!(agent, Agent::ClaudeDesktop | Agent::Windsurf)),
            }
        }
    }
}
