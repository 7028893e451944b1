//! Where a machine keeps the settings of programs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The systems that keep settings in different places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Os {
    Linux,
    Mac,
    Windows,
}

/// The folders of one user on one machine.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub os: Os,
    /// The user's home.
    pub home: PathBuf,
    /// `$XDG_CONFIG_HOME`, else `~/.config`.
    pub xdg_config: PathBuf,
    /// `%APPDATA%` on Windows, `~/Library/Application Support` on a Mac, else the same as `xdg_config`.
    pub applications: PathBuf,
    /// Where Codex keeps its settings.
    pub codex_home: PathBuf,
    /// Where Claude Code keeps `.claude.json`.
    pub claude_home: PathBuf,
    /// Where GitHub's Copilot CLI keeps its settings.
    pub copilot_home: PathBuf,
    /// Folders of programs.
    pub path: Vec<PathBuf>,
}

impl Machine {
    /// A machine as its environment describes it; `None` without a home.
    pub fn new(os: Os, get: impl Fn(&str) -> Option<OsString>) -> Option<Machine> {
        let folder = |name: &str| get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = match os {
            Os::Windows => folder("USERPROFILE").or_else(|| folder("HOME")),
            _ => folder("HOME"),
        }?;
        let xdg_config = folder("XDG_CONFIG_HOME").filter(|path| path.is_absolute()).unwrap_or(home.join(".config"));
        let applications = match os {
            Os::Linux => xdg_config.clone(),
            Os::Mac => home.join("Library/Application Support"),
            Os::Windows => folder("APPDATA").unwrap_or(home.join("AppData/Roaming")),
        };
        Some(Machine {
            os,
            xdg_config,
            applications,
            codex_home: folder("CODEX_HOME").unwrap_or(home.join(".codex")),
            claude_home: folder("CLAUDE_CONFIG_DIR").unwrap_or(home.clone()),
            copilot_home: folder("COPILOT_HOME").unwrap_or(home.join(".copilot")),
            path: get("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default(),
            home,
        })
    }

    /// Whether a program can be started by its name.
    pub fn has_program(&self, name: &str) -> bool {
        let names: &[&str] = if self.os == Os::Windows { &[".exe", ".cmd", ""] } else { &[""] };
        let is_there = |folder: &Path| names.iter().any(|end| folder.join(format!("{name}{end}")).is_file());
        self.path.iter().any(|folder| is_there(folder))
    }
}
