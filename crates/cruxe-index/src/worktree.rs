//! Work trees that Cruxe makes, so that a ref that is not checked out can be read and built as files.
//!
//! The git program is not used: it runs what a repository's configuration names, and the repository may be a stranger's.
//!
//! They stand at the commit itself, not on the branch: git lets a branch be checked out once only, and a work tree of
//! ours must never be the reason why somebody cannot switch to their own branch.

use std::fs;
use std::path::{Path, PathBuf};

use cruxe_model::{ContentHash, ids};
use cruxe_vcs::{Blob, Repo, VcsError};
use ignore::gitignore::{Gitignore, GitignoreBuilder};

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
        let stands_at = |repo: &Repo| repo.head().ok().and_then(|head| head.commit) == Some(commit);
        let written = match linked_at(repo, &path) {
            Some(found) if stands_at(&found) => return Ok(path),
            Some(found) => found.move_work_tree(&commit),
            None => repo.add_work_tree(&path, &commit),
        };
        match written {
            // Another process may have been at it, and be done.
            Err(problem) if !linked_at(repo, &path).is_some_and(|found| stands_at(&found)) => {
                Err(failed(problem.to_string()))
            }
            _ => Ok(path),
        }
    }

    /// Removes the work tree that was made for a ref; says why it stays where it holds edits.
    pub fn remove_worktree(&self, ref_name: &str) -> Result<bool, IndexError> {
        let (Some(repo), Some(path)) = (&self.repo, self.known_worktree(ref_name)) else { return Ok(false) };
        let failed = |reason: String| IndexError::Worktree { ref_name: ref_name.to_owned(), reason };
        let linked = linked_at(repo, &path).ok_or_else(|| failed(format!("`{}` is not ours", path.display())))?;
        let ignored = Ignored::new(&linked).map_err(|problem| failed(problem.to_string()))?;
        linked
            .remove_work_tree(|path, is_folder| ignored.matches(path, is_folder))
            .map_err(|problem| failed(problem.to_string()))?;
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
        let folder = self.store.dir().worktrees();
        fs::create_dir_all(&folder)?;
        let start = &ref_name[..ref_name.floor_char_boundary(100)];
        let plain: String = start
            .chars()
            .map(|c| if c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '@') { c } else { '-' })
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
        // A registration may lead anywhere; what stands there has to be of this repository.
        let found = Repo::discover(&folder).ok().flatten().filter(|found| found.common_dir() == repo.common_dir());
        let head = found.and_then(|found| found.head().ok());
        if head.is_some_and(|head| head.ref_name == ref_name) {
            return Ok(Some(folder));
        }
    }
    Ok(None)
}

/// The linked work tree of a repository that stands in a folder of ours.
fn linked_at(repo: &Repo, folder: &Path) -> Option<Repo> {
    let found = Repo::discover(folder).ok().flatten()?;
    let ours = found.common_dir() == repo.common_dir() && found.work_tree() == folder.canonicalize().ok().as_deref();
    ours.then_some(found)
}

/// What the ignore files of a commit leave out: what a build makes, for example. They are read from the commit, not from
/// the disk, where they could be links to anything.
struct Ignored(Vec<(PathBuf, Gitignore)>);

impl Ignored {
    /// An ignore file that is larger says nothing.
    const LARGEST: u64 = 1 << 20;

    fn new(repo: &Repo) -> Result<Ignored, VcsError> {
        let Some(commit) = repo.head()?.commit else { return Ok(Ignored(Vec::new())) };
        let files = repo.tree_files(&commit)?.files.into_iter().filter(|file| file.path.file_name() == ".gitignore");
        let mut rules = Vec::new();
        for file in files {
            let Blob::Data(text) = repo.read_blob(&file.hash, Self::LARGEST)? else { continue };
            let folder = PathBuf::from(file.path.parent());
            let mut builder = GitignoreBuilder::new(&folder);
            for line in String::from_utf8_lossy(&text).lines() {
                // A line that makes no sense is left out, as git does.
                let _ = builder.add_line(None, line);
            }
            rules.extend(builder.build().ok().map(|built| (folder, built)));
        }
        // The nearest file has the last word.
        rules.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.components().count()));
        Ok(Ignored(rules))
    }

    fn matches(&self, path: &Path, is_folder: bool) -> bool {
        let around = self.0.iter().filter(|(folder, _)| path.starts_with(folder));
        let said = around.map(|(_, rules)| rules.matched(path, is_folder)).find(|said| !said.is_none());
        said.is_some_and(|said| said.is_ignore())
    }
}
