//! Whether what is published is what is there now.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cruxe_model::{ContentHash, RepoPath};
use cruxe_store::{FileStat, RefState, Snapshot, StatEntry};
use cruxe_vcs::hash_blob;

use crate::error::IndexError;
use crate::job::RACY;
use crate::project::{Project, Source};
use crate::scan::{self, Listing, ScanFile};

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
) -> Result<Outcome, IndexError> {
    let changed = |change| Ok(Outcome { change: Some(change), quiet: None });
    if let Some(change) = commit_change(source, state) {
        return changed(change);
    }
    if matches!(source, Source::Commit(_)) {
        return Ok(Outcome { change: None, quiet: None });
    }
    if state.worktree.as_deref() != Some(&*project.root.to_string_lossy()) {
        return changed(Change::OtherSource);
    }
    let began = SystemTime::now();
    let listing = project.scan()?;
    for file in &listing.files {
        let same = match stats.get(&file.path) {
            None => false,
            Some(entry) => {
                (entry.stat == file.stat && entry.stat.mtime != 0) || same_content(project, file, entry, snapshot)?
            }
        };
        if !same {
            return changed(Change::File(file.path.clone()));
        }
    }
    if listing.files.len() == stats.len() {
        return Ok(Outcome { change: None, quiet: Quiet::new(project, &listing, began) });
    }
    let present: std::collections::HashSet<&RepoPath> = listing.files.iter().map(|file| &file.path).collect();
    let gone = stats.keys().find(|path| !present.contains(path));
    Ok(Outcome { change: gone.map(|path| Change::File(path.clone())), quiet: None })
}

/// What a comparison found.
pub struct Outcome {
    /// The first difference.
    pub change: Option<Change>,
    /// Where there is none: a cheaper way to see that it stays so.
    pub quiet: Option<Quiet>,
}

/// A work tree at a moment in which nothing had changed for a while.
///
/// As long as no folder has another time of change, no file appeared or went away, and the walk with its ignore rules
/// need not be done again; as long as no file has another `stat`, none was edited. Ignore files are files too.
pub struct Quiet {
    seen: Vec<(PathBuf, Option<FileStat>)>,
}

impl Quiet {
    /// `None` when something changed so shortly before the walk began that a later change might not show.
    fn new(project: &Project, listing: &Listing, began: SystemTime) -> Option<Quiet> {
        let limit = began.duration_since(SystemTime::UNIX_EPOCH).ok()?.saturating_sub(RACY).as_nanos() as i64;
        let folders = listing.folders.iter().map(|folder| project.root.join(folder));
        let git =
            project.repo.iter().flat_map(|repo| [repo.git_dir().join("index"), repo.common_dir().join("info/exclude")]);
        let files = listing.files.iter().map(|file| (project.root.join(file.path.as_str()), Some(file.stat)));
        let seen: Vec<_> = folders
            .chain(git)
            .map(|path| (stat_of(&path), path))
            .map(|(stat, path)| (path, stat))
            .chain(files)
            .collect();
        let settled = seen.iter().all(|(_, stat)| stat.is_none_or(|stat| stat.mtime < limit));
        settled.then_some(Quiet { seen })
    }

    /// Whether everything is still as it was.
    pub fn holds(&self) -> bool {
        self.seen.iter().all(|(path, stat)| stat_of(path) == *stat)
    }
}

fn stat_of(path: &Path) -> Option<FileStat> {
    fs::symlink_metadata(path).ok().map(|metadata| scan::stat(&metadata))
}

/// Compares commits alone: the part that is always cheap.
pub fn commit_change(source: &Source, state: &RefState) -> Option<Change> {
    let current = match source {
        Source::WorkTree { commit } => commit.as_ref().map(ContentHash::to_hex),
        Source::Commit(commit) => Some(commit.to_hex()),
    };
    if current != state.commit {
        return Some(Change::Commit { indexed: state.commit.clone(), current });
    }
    // It was indexed while it was checked out, with edits that its commit need not have.
    let elsewhere = matches!(source, Source::Commit(_)) && state.worktree.is_some();
    elsewhere.then_some(Change::OtherSource)
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
