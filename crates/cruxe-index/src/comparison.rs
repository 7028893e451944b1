//! Whether what is published is what is there now.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, SystemTime};

use cruxe_files::Root;
use cruxe_model::{ContentHash, RepoPath, SkipReason};
use cruxe_store::{FileStat, RefSnapshot, RefState, StatEntry};
use cruxe_vcs::hash_blob;

use crate::error::IndexError;
use crate::job::open_root;
use crate::project::{Project, Source};
use crate::scan::{self, Listing, ScanFile};
use crate::seen::Seen;

/// A file whose time of change lies this close to a look at it may change again without its time showing it.
const RACY: Duration = Duration::from_millis(100);
/// The same where times are whole seconds: such a disk may count in steps of two.
const RACY_BY_SECONDS: Duration = Duration::from_secs(2);

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

/// What a comparison found.
pub struct Outcome {
    /// The first difference.
    pub change: Option<Change>,
    /// Where there is none: a cheaper way to see that it stays so.
    pub seen: Option<Seen>,
}

/// The files of a work tree.
pub struct Listed {
    /// When they began to be listed.
    pub began: SystemTime,
    /// The files.
    pub listing: Listing,
}

impl Listed {
    /// Lists them.
    pub fn now(project: &Project) -> Result<Listed, IndexError> {
        Ok(Listed { began: SystemTime::now(), listing: project.scan()? })
    }
}

/// A published ref and what it is compared with.
pub struct Comparison<'a> {
    /// The project.
    pub project: &'a Project,
    /// What the ref means now.
    pub source: &'a Source,
    /// What is published.
    pub published: &'a RefSnapshot,
    /// The files of the work tree that was published.
    pub stats: &'a HashMap<RepoPath, StatEntry>,
    /// Files whose `stat` is not believed.
    pub doubted: &'a HashSet<RepoPath>,
    /// Whether a file that today's limit of sizes treats otherwise counts as changed.
    pub by_limit: bool,
}

impl Comparison<'_> {
    /// Compares. Costs a walk and a `stat` per file for a work tree that is not listed yet, nothing for a commit; files
    /// whose `stat` differs are read.
    pub fn run(&self, listed: Option<Listed>) -> Result<Outcome, IndexError> {
        let changed = |change| Ok(Outcome { change: Some(change), seen: None });
        if let Some(change) = commit_change(self.source, &self.published.state) {
            return changed(change);
        }
        if matches!(self.source, Source::Commit(_)) {
            return Ok(Outcome { change: None, seen: None });
        }
        if self.published.state.worktree.as_deref() != Some(&*self.project.root.to_string_lossy()) {
            return changed(Change::OtherSource);
        }
        let Listed { began, listing } = listed.map_or_else(|| Listed::now(self.project), Ok)?;
        let root = open_root(self.project)?;
        for file in &listing.files {
            let same = match self.stats.get(&file.path) {
                None => false,
                Some(entry) => {
                    let believed = !self.doubted.contains(&file.path);
                    let limit = self.by_limit.then_some(self.project.config.index.max_file_bytes);
                    (believed && is_unchanged(entry, file, limit)) || self.has_same_content(&root, entry)?
                }
            };
            if !same {
                return changed(Change::File(file.path.clone()));
            }
        }
        if listing.files.len() == self.stats.len() {
            return Ok(Outcome { change: None, seen: Seen::new(self.project, &listing, began) });
        }
        let present: HashSet<&RepoPath> = listing.files.iter().map(|file| &file.path).collect();
        let gone = self.stats.keys().find(|path| !present.contains(path));
        Ok(Outcome { change: gone.map(|path| Change::File(path.clone())), seen: None })
    }

    /// Whether the files that are doubted have the content that was indexed.
    pub(crate) fn doubted_hold(&self) -> Result<bool, IndexError> {
        let root = open_root(self.project)?;
        for entry in self.doubted.iter().filter_map(|path| self.stats.get(path)) {
            if !self.has_same_content(&root, entry)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A `stat` that differs need not mean another content: `touch`, a fresh checkout, a file indexed in the instant in
    /// which it was written.
    fn has_same_content(&self, root: &Root, entry: &StatEntry) -> Result<bool, IndexError> {
        let now = scan::content(root, &entry.path, self.project.config.index.max_file_bytes);
        Ok(match (&entry.version, now) {
            (Ok(version), Ok(bytes)) => {
                hash_blob(self.project.object_format(), &bytes) == self.published.file(*version)?.hash
            }
            (Err(then), Err(now)) => *then == now,
            _ => false,
        })
    }
}

/// Whether a file need not be read: it looks as it did, and the limit of sizes treats it as the one of then did.
pub(crate) fn is_unchanged(entry: &StatEntry, file: &ScanFile, limit: Option<u64>) -> bool {
    let fits = limit.map(|limit| file.stat.size <= limit);
    entry.stat == Some(file.stat)
        && match entry.version {
            Ok(_) => fits != Some(false),
            Err(SkipReason::Binary | SkipReason::LfsPointer) => true,
            Err(SkipReason::TooLarge) => fits != Some(true),
            // Whether it may be read now is not in its `stat`: another user may ask, or a folder may have been opened.
            Err(_) => false,
        }
}

/// What a `stat` is worth that was taken between two moments: nothing if the file changed about then.
pub(crate) fn believable(stat: FileStat, began: SystemTime, ended: SystemTime) -> Option<FileStat> {
    const SECOND: i64 = 1_000_000_000;
    let nanos = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos() as i64;
    let by_seconds = stat.mtime % SECOND == 0 && stat.ctime % SECOND == 0;
    let around = if by_seconds { RACY_BY_SECONDS } else { RACY }.as_nanos() as i64;
    let about_then = nanos(began) - around..=nanos(ended) + around;
    // A time that lies ahead is no reason for doubt: the next change brings another.
    (!about_then.contains(&stat.mtime) && !about_then.contains(&stat.ctime)).then_some(stat)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stat_taken_about_when_the_file_changed_is_worth_nothing() {
        let second = Duration::from_secs(1);
        let began = SystemTime::UNIX_EPOCH + Duration::from_secs(1000) + Duration::from_nanos(7);
        let ended = began + second;
        let believed = |mtime: i64, ctime: i64| {
            let stat = FileStat { size: 1, mtime, ctime, inode: 1 };
            believable(stat, began, ended).is_some()
        };
        let at = |seconds: f64| (seconds * 1e9) as i64 + 1;
        for (mtime, ctime, expected) in [
            (at(900.0), at(900.0), true),
            (at(999.5), at(999.5), true),
            (at(999.95), at(999.95), false),
            (at(1000.5), at(1000.5), false),
            // A time that was set back or lies ahead says nothing; the other one does.
            (at(900.0), at(1000.5), false),
            (at(1000.5), at(900.0), false),
            (at(5000.0), at(900.0), true),
            // Whole seconds: the disk may not count in smaller steps.
            (999_000_000_000, 999_000_000_000, false),
            (990_000_000_000, 990_000_000_000, true),
        ] {
            assert_eq!(believed(mtime, ctime), expected, "{mtime} {ctime}");
        }
    }
}
