//! A home of its own for every test, and repositories in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::client::Client;

/// A home. Everything below it goes away with it.
pub struct Sandbox {
    dir: TempDir,
    cruxe_home: PathBuf,
}

/// How a command ended.
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// What was printed, of a command that must have succeeded.
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self.stdout
    }

    /// The printed JSON of a command that must have succeeded.
    pub fn json(self) -> Value {
        serde_json::from_str(&self.ok()).unwrap()
    }

    /// Everything a user sees, for snapshots.
    pub fn transcript(&self) -> String {
        format!("exit code: {:?}\n--- stdout\n{}--- stderr\n{}", self.code.unwrap_or(-1), self.stdout, self.stderr)
    }
}

/// Where a program is. A bare name with a `PATH` of its own would be started by a fork, which copies the tables of all the memory
/// that the tests have.
fn on_path(program: &str) -> PathBuf {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file());
    found.unwrap_or_else(|| program.into())
}

impl Sandbox {
    pub fn new() -> Sandbox {
        let dir = tempfile::Builder::new().prefix("cruxe-it-").tempdir().unwrap();
        fs::create_dir(dir.path().join("user")).unwrap();
        let cruxe_home = dir.path().join("home");
        Sandbox { dir, cruxe_home }
    }

    /// The same with another folder for indexes.
    pub fn with_home(cruxe_home: impl Into<PathBuf>) -> Sandbox {
        Sandbox { cruxe_home: cruxe_home.into(), ..Sandbox::new() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn cruxe_home(&self) -> &Path {
        &self.cruxe_home
    }

    /// The user's home folder.
    pub fn user_home(&self) -> PathBuf {
        self.path("user")
    }

    /// A program that sees this home and nothing of the machine's own settings.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(on_path(program));
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.user_home())
            .env("CRUXE_HOME", &self.cruxe_home)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "A")
            .env("GIT_AUTHOR_EMAIL", "a@example.org")
            .env("GIT_AUTHOR_DATE", "2026-01-02T03:04:05Z")
            .env("GIT_COMMITTER_NAME", "A")
            .env("GIT_COMMITTER_EMAIL", "a@example.org")
            .env("GIT_COMMITTER_DATE", "2026-01-02T03:04:05Z")
            .env("GIT_EDITOR", "true")
            .stdin(Stdio::null());
        command
    }

    /// The program under test, in a folder.
    pub fn cruxe_in(&self, folder: &Path) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_cruxe"));
        command.current_dir(folder);
        command
    }

    /// Runs the program under test.
    pub fn cruxe(&self, folder: &Path, arguments: &[&str]) -> Run {
        run(self.cruxe_in(folder).args(arguments))
    }

    /// A git repository with these files in its first commit, on `main`.
    pub fn repo(&self, name: &str, files: &[(&str, &str)]) -> Repo<'_> {
        let repo = self.folder(name, files);
        repo.git(&["init", "-q", "-b", "main"]);
        repo.git(&["config", "gc.auto", "0"]);
        repo.commit("first");
        repo
    }

    /// A folder outside git with these files.
    pub fn folder(&self, name: &str, files: &[(&str, &str)]) -> Repo<'_> {
        let root = self.path(name);
        fs::create_dir_all(&root).unwrap();
        let repo = Repo { sandbox: self, root: root.canonicalize().unwrap() };
        repo.write_all(files);
        repo
    }
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Run {
    let output = loop {
        match command.output() {
            // A process that another test is just starting has our copy of a program open for a moment.
            Err(problem) if problem.kind() == std::io::ErrorKind::ExecutableFileBusy => std::thread::yield_now(),
            output => break output.unwrap(),
        }
    };
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A work tree, or a folder outside git.
pub struct Repo<'a> {
    pub sandbox: &'a Sandbox,
    pub root: PathBuf,
}

impl<'a> Repo<'a> {
    /// Runs git, which must succeed; what it printed, trimmed.
    pub fn git(&self, arguments: &[&str]) -> String {
        let run = run(self.sandbox.command("git").current_dir(&self.root).args(arguments));
        assert_eq!(run.code, Some(0), "git {arguments:?}: {}", run.stderr);
        run.stdout.trim().to_owned()
    }

    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn write_all(&self, files: &[(&str, &str)]) {
        files.iter().for_each(|(path, text)| self.write(path, text));
    }

    pub fn remove(&self, path: &str) {
        let path = self.root.join(path);
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
    }

    /// Commits everything; the commit's id.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    pub fn cruxe(&self, arguments: &[&str]) -> Run {
        self.sandbox.cruxe(&self.root, arguments)
    }

    /// Where the program keeps this project.
    pub fn project_dir(&self) -> PathBuf {
        let report = self.cruxe(&["init", "--json"]).json();
        PathBuf::from(report["index"].as_str().unwrap())
    }

    /// Where the index in use is.
    pub fn generation(&self) -> PathBuf {
        let project = self.project_dir();
        let current = fs::read_to_string(project.join("CURRENT")).unwrap();
        project.join(current.trim())
    }

    /// A server that does not watch: what a question finds is what the question itself found out.
    pub fn server(&self) -> Client {
        self.server_with(&["--no-watch"])
    }

    /// A server that follows edits.
    pub fn watching_server(&self) -> Client {
        self.server_with(&[])
    }

    pub fn server_with(&self, arguments: &[&str]) -> Client {
        let mut command = self.sandbox.cruxe_in(&self.root);
        command.arg("serve-mcp").args(arguments);
        Client::start(command)
    }
}
