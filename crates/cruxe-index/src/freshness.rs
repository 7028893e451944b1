//! Whether what is published is what is there now.

use std::collections::HashMap;
use std::fs;

use cruxe_model::{ContentHash, RepoPath};
use cruxe_store::{RefState, Snapshot, StatEntry};
use cruxe_vcs::hash_blob;

use crate::error::IndexError;
use crate::project::{Project, Source};
use crate::scan::ScanFile;

/// The first difference found between what is published and what is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The ref points to another commit.
    Commit {
        /// What was indexed.
        indexed: Option<String>,
        /// What is there.
        current: Option<String>,
    },
    /// A file was added, changed or removed.
    File(RepoPath),
    /// The ref was indexed from somewhere else: another work tree, or its commit alone.
    OtherSource,
}

/// Compares a published ref with what it means now. Costs a walk and a `stat` per file for a work tree, nothing for a
/// commit; files whose `stat` differs are read.
pub fn change(
    project: &Project,
    source: &Source,
    state: &RefState,
    stats: &HashMap<RepoPath, StatEntry>,
    snapshot: &Snapshot,
) -> Result<Option<Change>, IndexError> {
    if let Some(change) = commit_change(source, state) {
        return Ok(Some(change));
    }
    if matches!(source, Source::Commit(_)) {
        return Ok(None);
    }
    if state.worktree.as_deref() != Some(&*project.root.to_string_lossy()) {
        return Ok(Some(Change::OtherSource));
    }
    let listing = project.scan()?;
    for file in &listing.files {
        let same = match stats.get(&file.path) {
            None => false,
            Some(entry) => {
                (entry.stat == file.stat && entry.stat.mtime != 0) || same_content(project, file, entry, snapshot)?
            }
        };
        if !same {
            return Ok(Some(Change::File(file.path.clone())));
        }
    }
    if listing.files.len() == stats.len() {
        return Ok(None);
    }
    let present: std::collections::HashSet<&RepoPath> = listing.files.iter().map(|file| &file.path).collect();
    let gone = stats.keys().find(|path| !present.contains(path));
    Ok(gone.map(|path| Change::File(path.clone())))
}

/// Compares commits alone: the part that is always cheap.
pub fn commit_change(source: &Source, state: &RefState) -> Option<Change> {
    let current = match source {
        Source::WorkTree { commit } => commit.as_ref().map(ContentHash::to_hex),
        Source::Commit(commit) => Some(commit.to_hex()),
    };
    (current != state.commit).then(|| Change::Commit { indexed: state.commit.clone(), current })
}

/// A `stat` that differs need not mean another content: `touch`, a fresh checkout, a file indexed in the instant in
/// which it was written.
fn same_content(
    project: &Project,
    file: &ScanFile,
    entry: &StatEntry,
    snapshot: &Snapshot,
) -> Result<bool, IndexError> {
    let Some(version) = entry.version else {
        // Left out for its content (binary, too large): of the same size it is left out again.
        return Ok(entry.stat.size == file.stat.size && entry.stat.inode == file.stat.inode);
    };
    if entry.stat.size != file.stat.size {
        return Ok(false);
    }
    let Ok(bytes) = fs::read(project.root.join(file.path.as_str())) else { return Ok(false) };
    Ok(hash_blob(project.object_format(), &bytes) == snapshot.file(version)?.hash)
}
