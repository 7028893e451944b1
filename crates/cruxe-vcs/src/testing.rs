//! Real repositories for tests, made with the `git` program.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cruxe_model::ContentHash;
use tempfile::TempDir;

use crate::Repo;

/// A repository in a temporary folder. Each commit is a minute younger than the one before.
pub(crate) struct Fixture {
    dir: TempDir,
    pub root: PathBuf,
    minutes: Cell<u64>,
}

impl Fixture {
    pub fn new() -> Fixture {
        Fixture::with(&["init", "--quiet", "--initial-branch=main", "."])
    }

    /// A temporary folder with a subfolder in which one git command was run.
    pub fn with(args: &[&str]) -> Fixture {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap().join("repo");
        fs::create_dir(&root).unwrap();
        let fixture = Fixture { dir, root, minutes: Cell::new(0) };
        fixture.git(args);
        fixture
    }

    /// A path beside the repository.
    pub fn beside(&self, name: &str) -> PathBuf {
        fs::canonicalize(self.dir.path()).unwrap().join(name)
    }

    pub fn open(&self) -> Repo {
        open(&self.root)
    }

    pub fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.root, args)
    }

    pub fn git_in(&self, folder: &Path, args: &[&str]) -> String {
        let (ok, stdout, stderr) = self.try_git(folder, args);
        assert!(ok, "git {args:?}: {stderr}");
        stdout
    }

    /// What a command prints, byte by byte.
    pub fn git_bytes(&self, args: &[&str]) -> Vec<u8> {
        self.command(&self.root, args).output().unwrap().stdout
    }

    pub fn try_git(&self, folder: &Path, args: &[&str]) -> (bool, String, String) {
        let output = self.command(folder, args).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        (output.status.success(), text(&output.stdout), text(&output.stderr))
    }

    /// Creates commits from a script for `git fast-import`, which is much faster than one command for each.
    pub fn import(&self, script: &str) {
        let path = self.beside("script");
        fs::write(&path, script).unwrap();
        let mut command = self.command(&self.root, &["fast-import", "--quiet", "--force"]);
        assert!(command.stdin(fs::File::open(path).unwrap()).status().unwrap().success());
    }

    fn command(&self, folder: &Path, args: &[&str]) -> Command {
        let date = format!("{} +0000", 1_700_000_000 + 60 * self.minutes.get());
        let mut command = Command::new("git");
        command
            .args(args)
            .current_dir(folder)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.dir.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.com"), ("GIT_AUTHOR_DATE", &date)])
            .envs([
                ("GIT_COMMITTER_NAME", "C"),
                ("GIT_COMMITTER_EMAIL", "c@example.com"),
                ("GIT_COMMITTER_DATE", &date),
            ]);
        command
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Commits all files, changed or not.
    pub fn commit(&self, message: &str) -> ContentHash {
        self.minutes.set(self.minutes.get() + 1);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.id("HEAD")
    }

    /// What git resolves a text to.
    pub fn id(&self, spec: &str) -> ContentHash {
        hash(&self.git(&["rev-parse", "--verify", spec]))
    }
}

pub(crate) fn open(path: &Path) -> Repo {
    Repo::discover(path).unwrap().unwrap()
}

pub(crate) fn hash(hex: &str) -> ContentHash {
    ContentHash::from_hex(hex).unwrap()
}

/// Writes a tree object byte by byte, as no git command would, and commits it.
pub(crate) fn commit_raw_tree(fixture: &Fixture, entries: &[(&str, &[u8], ContentHash)]) -> ContentHash {
    let mut raw = Vec::new();
    for (mode, name, hash) in entries {
        raw.extend_from_slice(mode.as_bytes());
        raw.push(b' ');
        raw.extend_from_slice(name);
        raw.push(0);
        raw.extend_from_slice(hash.as_bytes());
    }
    let file = fixture.beside("raw");
    fs::write(&file, raw).unwrap();
    let tree = fixture.git(&["hash-object", "-w", "--literally", "-t", "tree", file.to_str().unwrap()]);
    hash(&fixture.git(&["commit-tree", &tree, "-m", "raw"]))
}
