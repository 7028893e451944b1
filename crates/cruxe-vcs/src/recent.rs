//! What changed last: commits, and files that differ from the last one.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::path::Path;
use std::time::UNIX_EPOCH;

use cruxe_files::Root;
use cruxe_model::{ContentHash, RepoPath};
use gix::index::entry::{Mode, Stat};
use gix::objs::{CommitRefIter, Kind};

use crate::blob::hash_blob;
use crate::error::VcsError;
use crate::object::{content_hash, damaged, find, tree_of};
use crate::repo::Repo;

/// A commit as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitLine {
    /// Its id.
    pub commit: ContentHash,
    /// The first line of its message.
    pub subject: String,
}

/// A tracked file that is not as it is in the last commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Where it is.
    pub path: RepoPath,
    /// What happened to it.
    pub kind: ChangeKind,
}

/// What happened to a file since the last commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// Its content differs.
    Modified,
    /// It is gone.
    Deleted,
}

/// A file that is larger counts as modified when its size or time differ.
const LARGEST_COMPARED: u64 = 8 << 20;

impl Repo {
    /// Lists the last commits of what is checked out, newest first, along first parents.
    pub fn last_commits(&self, count: usize) -> Result<Vec<CommitLine>, VcsError> {
        let repo = self.local();
        let mut next = self.head()?.commit;
        let mut lines = Vec::new();
        while let Some(commit) = next.take_if(|_| lines.len() < count) {
            let object = match find(&repo, &commit, Kind::Commit) {
                // The end of a shallow clone.
                Err(VcsError::MissingObject { .. }) if !lines.is_empty() => break,
                object => object?,
            };
            let parts = || CommitRefIter::from_bytes(&object.data, repo.object_hash());
            let message = parts().message().map_err(|error| damaged(&commit, &error))?;
            let subject = String::from_utf8_lossy(message).lines().next().unwrap_or_default().trim().to_owned();
            next = parts().parent_ids().next().map(|id| content_hash(id.as_bytes()));
            lines.push(CommitLine { commit, subject });
        }
        Ok(lines)
    }

    /// Lists the tracked files that differ from the last commit, in path order.
    pub fn changes(&self) -> Result<Vec<Change>, VcsError> {
        let (Some(root), repo) = (self.work_tree(), self.local()) else { return Ok(Vec::new()) };
        let index = self.index()?;
        let commit = self.head()?.commit;
        // Most of the time nothing is staged, and the index knows: it keeps the id of the tree that it was made from.
        let tree = commit.as_ref().map(|commit| tree_of(&repo, commit)).transpose()?;
        let mut committed: Option<HashMap<RepoPath, ContentHash>> = match commit {
            Some(_) if index.tree.is_some() && index.tree == tree => None,
            Some(commit) => {
                Some(self.tree_files(&commit)?.files.into_iter().map(|file| (file.path, file.hash)).collect())
            }
            None => Some(HashMap::new()),
        };
        let mut changes = Vec::new();
        for entry in &index.entries {
            let path = std::str::from_utf8(&entry.path).ok().and_then(|path| RepoPath::from_walk(path).ok());
            let (Some(path), true) = (path, matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE)) else { continue };
            if entry.conflicted {
                changes.push(Change { path, kind: ChangeKind::Modified });
                continue;
            }
            let staged = entry.hash;
            let before = match &mut committed {
                Some(committed) => committed.remove(&path),
                None => Some(staged),
            };
            let kind = match (before, self.now(root, &path, &entry.stat, staged)) {
                (None, Some(_)) => Some(ChangeKind::Added),
                (Some(_), None) => Some(ChangeKind::Deleted),
                (Some(before), Some(now)) if now != Now::Content(before) => Some(ChangeKind::Modified),
                _ => None,
            };
            changes.extend(kind.map(|kind| Change { path, kind }));
        }
        // What the commit has and the index has not was removed there.
        let removed = committed.into_iter().flatten().map(|(path, _)| Change { path, kind: ChangeKind::Deleted });
        changes.extend(removed);
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        changes.dedup_by(|a, b| a.path == b.path);
        Ok(changes)
    }

    /// What a tracked file contains now; `None` when it is gone.
    fn now(&self, root: &Path, path: &RepoPath, stat: &Stat, staged: ContentHash) -> Option<Now> {
        let place = root.join(path.as_str());
        let metadata = fs::symlink_metadata(&place).ok()?;
        if !metadata.is_file() {
            return Some(Now::Unknown);
        }
        if is_same(&metadata, stat) {
            return Some(Now::Content(staged));
        }
        if metadata.len() > LARGEST_COMPARED {
            return Some(Now::Unknown);
        }
        let data = Root::open(root).and_then(|files| files.read(path.as_str(), LARGEST_COMPARED)).ok()?;
        let hash = hash_blob(self.object_format(), &data);
        if hash == staged || !data.contains(&b'\r') {
            return Some(Now::Content(hash));
        }
        // Git may have been told to store line feeds where the work tree has carriage returns too.
        let plain: Vec<u8> = String::from_utf8_lossy(&data).replace("\r\n", "\n").into_bytes();
        let plain = hash_blob(self.object_format(), &plain);
        Some(Now::Content(if plain == staged { staged } else { hash }))
    }
}

#[derive(PartialEq)]
enum Now {
    Content(ContentHash),
    /// Certainly not what it was.
    Unknown,
}

pub(crate) fn is_same(metadata: &Metadata, stat: &Stat) -> bool {
    let time = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    time.is_some_and(|time| {
        time.as_secs() as u32 == stat.mtime.secs
            && (stat.mtime.nsecs == 0 || time.subsec_nanos() == stat.mtime.nsecs)
            && metadata.len() as u32 == stat.size
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Fixture;

    fn changes(fixture: &Fixture) -> Vec<(String, ChangeKind)> {
        let changes = fixture.open().changes().unwrap();
        changes.into_iter().map(|change| (change.path.to_string(), change.kind)).collect()
    }

    #[test]
    fn the_last_commits_come_newest_first_with_their_subjects() {
        let fixture = Fixture::new();
        assert_eq!(fixture.open().last_commits(3).unwrap(), []);
        for message in ["first", "second\n\nbody", "third"] {
            fixture.write("a", message);
            fixture.commit(message);
        }
        let subjects = |count| -> Vec<String> {
            fixture.open().last_commits(count).unwrap().into_iter().map(|line| line.subject).collect()
        };
        assert_eq!(subjects(2), ["third", "second"]);
        assert_eq!(subjects(9), ["third", "second", "first"]);
        assert_eq!(fixture.open().last_commits(1).unwrap()[0].commit, fixture.id("HEAD"));
    }

    #[test]
    fn edited_added_and_removed_files_are_changes_and_untracked_ones_are_not() {
        let fixture = Fixture::new();
        for name in ["edited", "same", "gone", "staged-gone", "staged", "long"] {
            fixture.write(name, "one\n");
        }
        fixture.commit("first");
        assert_eq!(changes(&fixture), []);
        fixture.write("edited", "two, longer\n");
        fixture.write("same", "one\n");
        fixture.write("new", "new\n");
        fixture.write("untracked", "x\n");
        fs::remove_file(fixture.root.join("gone")).unwrap();
        assert_eq!(
            changes(&fixture),
            [("edited".to_owned(), ChangeKind::Modified), ("gone".to_owned(), ChangeKind::Deleted)]
        );
        fixture.write("staged", "staged\n");
        fixture.git(&["rm", "-q", "staged-gone"]);
        fixture.git(&["add", "new", "staged"]);
        let kinds: Vec<_> = changes(&fixture);
        let expected = [
            ("edited", ChangeKind::Modified),
            ("gone", ChangeKind::Deleted),
            ("new", ChangeKind::Added),
            ("staged", ChangeKind::Modified),
            ("staged-gone", ChangeKind::Deleted),
        ];
        assert_eq!(kinds, expected.map(|(name, kind)| (name.to_owned(), kind)));
    }

    #[test]
    fn a_branch_without_a_commit_has_only_additions() {
        let fixture = Fixture::new();
        fixture.write("a", "x\n");
        assert_eq!(changes(&fixture), []);
        fixture.git(&["add", "a"]);
        assert_eq!(changes(&fixture), [("a".to_owned(), ChangeKind::Added)]);
    }
}
