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

/// How the program is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Launch {
    pub command: String,
    /// What stands before its own arguments.
    pub before: Vec<String>,
}

impl Launch {
    /// A program by its name or path.
    pub fn of(command: &str) -> Launch {
        Launch { command: command.to_owned(), before: Vec::new() }
    }
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

    /// How to start the program that runs now so that it works after an upgrade too: by the place on the PATH that leads to it
    /// rather than by the folder of one version, and by its runner where it runs from a cache.
    pub fn stable(&self, here: &Path) -> Launch {
        let parts: Vec<_> = here.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        let has = |name: &str| parts.iter().any(|part| part == name);
        if has("_npx") {
            return Launch { command: "npx".to_owned(), before: ["-y", "cruxe"].map(str::to_owned).to_vec() };
        }
        if has("uv") && parts.iter().any(|part| part.starts_with("archive-v")) {
            return Launch { command: "uvx".to_owned(), before: vec!["cruxe".to_owned()] };
        }
        let real = here.canonicalize().unwrap_or_else(|_| here.to_owned());
        let leads_here = |path: &PathBuf| path.canonicalize().is_ok_and(|found| found == real);
        // npm puts a script onto the path that starts the program of a package.
        let of_npm = has("node_modules") && has("@cruxe");
        let on_path = self.programs("cruxe").find(|path| of_npm || leads_here(path));
        Launch::of(&on_path.unwrap_or_else(|| here.to_owned()).to_string_lossy())
    }

    /// The files that a name may mean, in the order of the PATH.
    fn programs(&self, name: &str) -> impl Iterator<Item = PathBuf> {
        let ends: &[&str] = if self.os == Os::Windows { &[".exe", ".cmd", ""] } else { &[""] };
        let files = self.path.iter().flat_map(move |folder| ends.iter().map(move |end| (folder, *end)));
        files.map(move |(folder, end)| folder.join(format!("{name}{end}"))).filter(|path| path.is_file())
    }

    /// Whether a program can be started by its name.
    pub fn has_program(&self, name: &str) -> bool {
        self.programs(name).next().is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    #[cfg(unix)]
    fn the_place_that_outlives_a_version_is_preferred() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        for path in ["Cellar/cruxe/0.1.0/bin", "bin", "lib/node_modules/@cruxe/linux-x64/bin", "node/bin"] {
            fs::create_dir_all(at(path)).unwrap();
        }
        let versioned = at("Cellar/cruxe/0.1.0/bin/cruxe");
        fs::write(&versioned, "").unwrap();
        std::os::unix::fs::symlink(&versioned, at("bin/cruxe")).unwrap();
        let machine = |path: &str| {
            let variables = |name: &str| match name {
                "HOME" => Some(at("home").into_os_string()),
                "PATH" => Some(at(path).into_os_string()),
                _ => None,
            };
            Machine::new(Os::Linux, variables).unwrap()
        };
        let shown = |path: &str| Launch::of(&at(path).to_string_lossy());
        assert_eq!(machine("bin").stable(&versioned), shown("bin/cruxe"));
        assert_eq!(machine("node/bin").stable(&versioned), shown("Cellar/cruxe/0.1.0/bin/cruxe"));
        fs::write(at("node/bin/cruxe"), "#!/usr/bin/env node").unwrap();
        assert_eq!(machine("node/bin").stable(&versioned), shown("Cellar/cruxe/0.1.0/bin/cruxe"), "another program");
        let of_npm = at("lib/node_modules/@cruxe/linux-x64/bin/cruxe");
        assert_eq!(machine("node/bin").stable(&of_npm), shown("node/bin/cruxe"));
    }

    #[test]
    fn what_runs_from_a_cache_is_started_by_its_runner() {
        let machine = Machine::new(Os::Linux, |name| (name == "HOME").then(|| "/h".into())).unwrap();
        let launched = |path: &str| {
            let Launch { command, before } = machine.stable(Path::new(path));
            format!("{command} {}", before.join(" "))
        };
        assert_eq!(launched("/h/.npm/_npx/1a2b/node_modules/@cruxe/linux-x64/bin/cruxe"), "npx -y cruxe");
        assert_eq!(launched("/h/.cache/uv/archive-v0/xyz/bin/cruxe"), "uvx cruxe");
    }
}
