//! A work tree as it was last looked at, so that one can see cheaply that it still is.
//!
//! A watcher tells of most edits, and not of all: none of a write through another name of the file that lies outside, none
//! of a write to memory that a file is mapped to, none of another folder in the place of one above the workspace. The
//! kernel marks all of these in the `stat` of a file or folder.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use cruxe_files::{Kind, Meta};
use cruxe_model::RepoPath;
use cruxe_store::FileStat;

use crate::freshness::believable;
use crate::project::Project;
use crate::rules::EXCLUDE_FILE;
use crate::scan::{self, Listing};

/// Up to this many entries are looked at whenever a question is asked: some milliseconds.
const ALWAYS: usize = 5_000;
/// In a larger tree that is watched, a look at all of it is good for so long per entry: twenty times what it takes.
const GOOD_FOR: Duration = Duration::from_micros(20);
/// How many entries are worth a thread.
const PER_THREAD: usize = 1_000;

/// Everything that decided what is listed and what was indexed, at a moment in which it had not changed for a while.
///
/// As long as no folder has another time of change, no file appeared or went away, and the walk with its ignore rules
/// need not be done again; as long as no file has another `stat`, none was edited.
pub struct Seen {
    entries: Vec<Entry>,
    /// Where `files` begin among the entries.
    files_from: usize,
    /// Files with names elsewhere.
    linked: Vec<usize>,
    looks: Mutex<Looks>,
    news: Condvar,
}

struct Entry {
    path: PathBuf,
    mark: Option<Mark>,
}

/// What a `stat` says, with what only matters while the machine runs.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mark {
    kind: Kind,
    device: u64,
    mode: u32,
    stat: FileStat,
}

/// Looks at all entries. Whoever asks while one goes on waits for the next, and shares it.
#[derive(Default)]
struct Looks {
    going_on: bool,
    done: u64,
    last: Option<(Instant, Held)>,
}

/// What a look found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// Everything is as it was.
    All,
    /// A file looks different; a path relative to the root.
    NotFile(RepoPath),
    /// A folder, an ignore file or something of git does.
    NotPlace,
}

impl Seen {
    /// `None` when something changed so shortly before the walk began that a later change might not show.
    pub fn new(project: &Project, listing: &Listing, began: SystemTime) -> Option<Seen> {
        let root = &project.root;
        let folders = listing.folders.iter().chain(&listing.consulted).map(|path| root.join(path));
        let git =
            project.repo.iter().flat_map(|repo| [repo.git_dir().join("index"), repo.common_dir().join(EXCLUDE_FILE)]);
        let mut entries: Vec<Entry> = folders.chain(git).map(Entry::now).collect();
        let files_from = entries.len();
        let mut linked = Vec::new();
        for file in &listing.files {
            if file.is_linked {
                linked.push(entries.len());
            }
            let entry = Entry::now(root.join(file.path.as_str()));
            // It was compared as the walk saw it.
            if entry.mark.is_none_or(|mark| mark.stat != file.stat) {
                return None;
            }
            entries.push(entry);
        }
        let ended = SystemTime::now();
        let settled = |entry: &Entry| entry.mark.is_none_or(|mark| believable(mark.stat, began, ended).is_some());
        let settled = entries.iter().all(settled);
        settled.then(|| Seen { entries, files_from, linked, looks: Mutex::default(), news: Condvar::new() })
    }

    /// Whether everything is still as it was. Where a watcher has heard of nothing since, a look at a large tree is good
    /// for a while; files with names elsewhere are looked at each time.
    pub fn still_holds(&self, watched: bool, project: &Project) -> Held {
        let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((when, Held::All)) = &looks.last
            && watched
            && self.entries.len() > ALWAYS
            && when.elapsed() < GOOD_FOR * self.entries.len() as u32
        {
            drop(looks);
            let differs = self.linked.iter().copied().find(|at| self.entries[*at].differs());
            return self.held(differs, project);
        }
        // A look that goes on may have passed what changed since.
        let wanted = looks.done + if looks.going_on { 2 } else { 1 };
        loop {
            if looks.done >= wanted
                && let Some((_, held)) = &looks.last
            {
                return held.clone();
            }
            if looks.going_on {
                looks = self.news.wait(looks).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            looks.going_on = true;
            drop(looks);
            let held = self.held(self.first_difference(), project);
            looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
            looks.going_on = false;
            looks.done += 1;
            looks.last = Some((Instant::now(), held));
            self.news.notify_all();
        }
    }

    fn held(&self, differs: Option<usize>, project: &Project) -> Held {
        let Some(at) = differs else { return Held::All };
        let path = self.entries[at].path.strip_prefix(&project.root).ok().and_then(|path| path.to_str());
        let path = path.filter(|_| at >= self.files_from).and_then(|path| RepoPath::from_walk(path).ok());
        path.map_or(Held::NotPlace, Held::NotFile)
    }

    fn first_difference(&self) -> Option<usize> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(self.entries.len() / PER_THREAD);
        if threads < 2 {
            return self.entries.iter().position(Entry::differs);
        }
        let found = AtomicBool::new(false);
        let look = |from: usize, entries: &[Entry]| {
            let differs = |entry: &Entry| found.load(Ordering::Relaxed) || entry.differs();
            let at = entries.iter().position(differs).filter(|_| !found.swap(true, Ordering::Relaxed));
            at.map(|at| from + at)
        };
        let size = self.entries.len().div_ceil(threads);
        std::thread::scope(|scope| {
            let look = &look;
            let parts = self.entries.chunks(size).enumerate();
            let parts: Vec<_> = parts.map(|(at, part)| scope.spawn(move || look(at * size, part))).collect();
            let found: Vec<Option<usize>> = parts.into_iter().map(|part| part.join().unwrap_or(Some(0))).collect();
            found.into_iter().flatten().next()
        })
    }
}

impl Entry {
    fn now(path: PathBuf) -> Entry {
        Entry { mark: mark_of(&path), path }
    }

    fn differs(&self) -> bool {
        mark_of(&self.path) != self.mark
    }
}

fn mark_of(path: &std::path::Path) -> Option<Mark> {
    let meta = Meta::of(&fs::symlink_metadata(path).ok()?);
    let mut stat = scan::stat(&meta);
    if meta.kind == Kind::Folder {
        // Of what is in a folder its time of change tells; its size is the disk's own business.
        stat.size = 0;
    }
    Some(Mark { kind: meta.kind, device: meta.device, mode: meta.mode, stat })
}
