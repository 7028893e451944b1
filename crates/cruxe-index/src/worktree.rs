//! Work trees that Cruxe makes, so that a ref that is not checked out can be read and built as files.
//!
//! They stand at the commit itself, not on the branch: git lets a branch be checked out once only, and a work tree of
//! ours must never be the reason why somebody cannot switch to their own branch.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cruxe_model::{ContentHash, ids};
use cruxe_vcs::Repo;

use crate::error::IndexError;
use crate::project::Project;

impl Project {
    /// The folder in which a ref's files are: the work tree that has it checked out, else one that is made for it at
    /// `commit` and brought there if it stands elsewhere.
    pub fn ensure_worktree(&self, ref_name: &str, commit: Option<&str>) -> Result<PathBuf, IndexError> {
        let Some(repo) = &self.repo else { return Ok(self.root.clone()) };
        if let Some(checked_out) = checked_out_at(repo, ref_name)? {
            return Ok(checked_out);
        }
        let failed = |reason: String| IndexError::Worktree { ref_name: ref_name.to_owned(), reason };
        let commit = commit.and_then(ContentHash::from_hex).ok_or_else(|| failed("it has no commit yet".to_owned()))?;
        let path = self.worktree_path(ref_name).map_err(|problem| failed(problem.to_string()))?;
        let at = commit.to_hex();
        let text = path.to_string_lossy();
        let stands_at = || {
            let repo = Repo::discover(&path).ok().flatten()?;
            let ours = repo.work_tree() == path.canonicalize().ok().as_deref();
            if ours { repo.head().ok()?.commit } else { None }
        };
        match stands_at() {
            Some(found) if found == commit => return Ok(path),
            // Refuses where somebody edited the files: those edits are not ours to lose.
            Some(_) => git(&path, &["checkout", "--quiet", "--detach", &at]).map_err(failed)?,
            None => {
                // A folder that was deleted by hand stays registered.
                let _ = git(repo.common_dir(), &["worktree", "prune"]);
                let made = git(repo.common_dir(), &["worktree", "add", "--quiet", "--detach", &text, &at]);
                if let Err(reason) = made
                    && stands_at() != Some(commit)
                {
                    return Err(failed(reason));
                }
            }
        }
        Ok(path)
    }

    /// Removes the work tree that was made for a ref; says why it stays where it holds edits.
    pub fn remove_worktree(&self, ref_name: &str) -> Result<bool, IndexError> {
        let (Some(repo), Some(path)) = (&self.repo, self.known_worktree(ref_name)) else { return Ok(false) };
        let text = path.to_string_lossy();
        git(repo.common_dir(), &["worktree", "remove", &text])
            .map_err(|reason| IndexError::Worktree { ref_name: ref_name.to_owned(), reason })?;
        let _ = fs::remove_file(note_of(&path));
        Ok(true)
    }

    fn known_worktree(&self, ref_name: &str) -> Option<PathBuf> {
        let path = self.worktree_path(ref_name).ok()?;
        (fs::read_to_string(note_of(&path)).ok()? == ref_name && path.is_dir()).then_some(path)
    }

    /// `worktrees/<project>/<ref with / as ->`. Two refs may have the same name then (`feat/x`, `feat-x`): a note
    /// beside the folder says whose it is, and the other one gets a name of its own.
    fn worktree_path(&self, ref_name: &str) -> std::io::Result<PathBuf> {
        let folder = self.dir.worktrees();
        fs::create_dir_all(&folder)?;
        let plain: String = ref_name
            .chars()
            .map(|c| if c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '@') { c } else { '-' })
            .take(100)
            .collect();
        let plain = if plain.starts_with('.') { format!("-{plain}") } else { plain };
        let own = format!("{plain}-{}", ids::short_hash(ref_name));
        for name in [&plain, &own] {
            let path = folder.join(name);
            match fs::read_to_string(note_of(&path)) {
                Ok(owner) if owner == ref_name => return Ok(path),
                Ok(_) => continue,
                Err(_) => {
                    fs::write(note_of(&path), ref_name)?;
                    return Ok(path);
                }
            }
        }
        Ok(folder.join(own))
    }
}

fn note_of(path: &Path) -> PathBuf {
    let mut note = path.as_os_str().to_owned();
    note.push(".ref");
    note.into()
}

/// The work tree, main or linked, that has a ref checked out.
fn checked_out_at(repo: &Repo, ref_name: &str) -> Result<Option<PathBuf>, IndexError> {
    let own = repo.work_tree().map(Path::to_owned).into_iter();
    for folder in own.chain(repo.work_trees()?) {
        let head = Repo::discover(&folder).ok().flatten().and_then(|repo| repo.head().ok());
        if head.is_some_and(|head| head.ref_name == ref_name) {
            return Ok(Some(folder));
        }
    }
    Ok(None)
}

/// Runs git without anything that the repository could make it run: no hook, no file system monitor, no prompt.
fn git(folder: &Path, arguments: &[&str]) -> Result<(), String> {
    let mut command = Command::new("git");
    command.args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "advice.detachedHead=false"]);
    command.args(arguments).current_dir(folder).env("GIT_TERMINAL_PROMPT", "0").env("GIT_LFS_SKIP_SMUDGE", "1");
    // A process started from a git hook inherits the repository of another question.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"] {
        command.env_remove(name);
    }
    let output = command.stdin(std::process::Stdio::null()).output();
    let output = output.map_err(|problem| format!("git cannot be run: {problem}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("git failed").trim().to_owned();
    Err(line)
}
