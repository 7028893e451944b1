//! A work tree as it was last looked at, so that one can see cheaply that it still is.
//!
//! A watcher tells of most edits, and not of all: none of a write through another name of the file that lies outside, none
//! of a write to memory that a file is mapped to, none of another folder in the place of one above the workspace. The
//! kernel marks all of these in the `stat` of a file or folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use cruxe_files::{Kind, Meta};
use cruxe_model::RepoPath;
use cruxe_store::FileStat;
use parking_lot::{Condvar, Mutex};

use crate::comparison::believable;
use crate::project::Project;
use crate::rules::EXCLUDE_FILE;
use crate::scan::{self, Listing};

/// Up to this many files are looked at whenever a question is asked: a microsecond or two each.
const ALWAYS: usize = 1_000;
/// In a larger tree that is watched, a look at all of it is good for so long per file: ten times what it takes.
const GOOD_FOR: Duration = Duration::from_micros(20);
/// The same for so many times what the last one took, so that looks take a twentieth of a core whatever else the machine
/// does; but no longer than a second for that.
const TIMES: u32 = 40;
const AT_MOST: Duration = Duration::from_secs(1);
/// How many entries are worth a thread.
const PER_THREAD: usize = 1_000;
/// A look that nobody waits for rests after so many entries, so that the question beside it has the processor most of the time.
const BETWEEN_RESTS: usize = 256;
const REST: Duration = Duration::from_millis(1);

/// Everything that decided what is listed and what was indexed, at a moment in which it had not changed for a while.
///
/// As long as no folder has another time of change, no file appeared or went away, and the walk with its ignore rules
/// need not be done again; as long as no file has another `stat`, none was edited.
pub struct Seen {
    /// The root, what git has, rules; then files.
    entries: Vec<Entry>,
    files_from: usize,
    /// Files with names elsewhere.
    linked: Vec<usize>,
    folders: Vec<Entry>,
    /// Somebody hears of everything that appears in a folder or goes away.
    is_watched: bool,
    looks: Mutex<Looks>,
    news: Condvar,
    /// Who waits for a look to end.
    waiting: AtomicUsize,
}

struct Entry {
    path: PathBuf,
    mark: Option<Mark>,
}

/// What a `stat` says, with what only matters while the machine runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    kind: Kind,
    device: u64,
    stat: FileStat,
}

/// Looks at all entries. Whoever asks while one goes on waits for the next, and shares it.
struct Looks {
    going_on: bool,
    done: u64,
    /// When the last one began, and what it found.
    last: Option<(Instant, Held)>,
    /// How long it took, rests aside.
    took: Duration,
}

/// Who waits for a look.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waits {
    /// A question: as many threads as are worth it.
    Somebody,
    /// Nobody yet: the other cores are left to questions.
    Nobody,
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
        let git = project.repo.iter();
        let git = git.flat_map(|repo| [repo.git_dir().join("index"), repo.common_dir().join(EXCLUDE_FILE)]);
        let rules = listing.consulted.iter().map(|path| root.join(path));
        let mut entries: Vec<Entry> = std::iter::once(root.clone()).chain(git).chain(rules).map(Entry::now).collect();
        let folders: Vec<Entry> = listing.folders.iter().map(|path| Entry::now(root.join(path))).collect();
        let files_from = entries.len();
        let mut linked = Vec::new();
        for file in &listing.files {
            if file.is_linked {
                linked.push(entries.len());
            }
            // It was compared as the walk saw it.
            let mark = Mark { kind: Kind::File, device: file.device, stat: file.stat };
            entries.push(Entry { path: root.join(file.path.as_str()), mark: Some(mark) });
        }
        let ended = SystemTime::now();
        let settled = |entry: &Entry| entry.mark.is_none_or(|mark| believable(mark.stat, began, ended).is_some());
        let settled = entries.iter().chain(&folders).all(settled);
        // The walk was a look.
        let when = Instant::now().checked_sub(ended.duration_since(began).unwrap_or_default());
        let last = when.map(|when| (when, Held::All));
        let (looks, news) =
            (Mutex::new(Looks { going_on: false, done: 0, last, took: Duration::ZERO }), Condvar::new());
        let waiting = AtomicUsize::new(0);
        settled.then_some(Seen { entries, files_from, linked, folders, is_watched: false, looks, news, waiting })
    }

    /// The same, where a watcher watches every folder from before the look on.
    pub fn watched_if(self, is_watched: bool) -> Seen {
        Seen { is_watched, ..self }
    }

    /// Whether everything is still as it was. Where a watcher has heard of nothing since, a look at a large tree is good
    /// for a while; files with names elsewhere and those that were `opened` of late are looked at each time. Who asks again and
    /// again does not wait for the next look: it begins beside the questions before the last one is too old.
    pub fn still_holds(self: &Arc<Self>, root: &Path, opened: &[PathBuf]) -> Held {
        let files = self.entries.len() - self.files_from;
        let mut looks = self.looks.lock();
        let good_for = looks.took.saturating_mul(TIMES).min(AT_MOST).max(GOOD_FOR.saturating_mul(files as u32));
        if let Some((when, Held::All)) = &looks.last
            && self.is_watched
            && files > ALWAYS
            && when.elapsed() < good_for
        {
            let begins = when.elapsed() > good_for / 2 && !looks.going_on;
            looks.going_on |= begins;
            drop(looks);
            if begins {
                let (seen, root) = (Arc::clone(self), root.to_owned());
                let look =
                    std::thread::Builder::new().name("look".into()).spawn(move || seen.look_now(&root, Waits::Nobody));
                if look.is_err() {
                    self.looks.lock().going_on = false; // a later question looks
                    self.news.notify_all();
                }
            }
            let opened = opened.iter().filter_map(|path| self.position(path));
            // The root tells whether another folder took the place of one above it.
            let mut always = std::iter::once(0).chain(self.linked.iter().copied()).chain(opened);
            let differs = always.find(|at| self.entries[*at].differs());
            return self.held(differs, root);
        }
        drop(looks);
        self.look(root)
    }

    /// Looks at everything, or waits for another's look that begins after this moment.
    fn look(&self, root: &Path) -> Held {
        let mut looks = self.looks.lock();
        // A look that goes on may have passed what changed since.
        let wanted = looks.done + if looks.going_on { 2 } else { 1 };
        loop {
            if looks.done >= wanted
                && let Some((_, held)) = &looks.last
            {
                return held.clone();
            }
            if looks.going_on {
                self.waiting.fetch_add(1, Ordering::Relaxed);
                self.news.wait(&mut looks);
                self.waiting.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            looks.going_on = true;
            drop(looks);
            self.look_now(root, Waits::Somebody);
            looks = self.looks.lock();
        }
    }

    /// Looks at everything, for whoever has said that a look goes on.
    fn look_now(&self, root: &Path, waits: Waits) {
        let began = Instant::now();
        let mut rested = Duration::ZERO;
        let held = match self.is_watched || !self.folders.iter().any(Entry::differs) {
            true => self.held(self.first_difference(waits, &mut rested), root),
            false => Held::NotPlace,
        };
        let mut looks = self.looks.lock();
        looks.going_on = false;
        looks.done += 1;
        looks.last = Some((began, held));
        looks.took = began.elapsed().saturating_sub(rested);
        self.news.notify_all();
    }

    /// Where a file stands among the entries; files are in the order of their paths.
    fn position(&self, path: &Path) -> Option<usize> {
        let files = &self.entries[self.files_from..];
        let found = files.binary_search_by(|entry| entry.path.as_os_str().cmp(path.as_os_str()));
        found.ok().map(|at| self.files_from + at)
    }

    fn held(&self, differs: Option<usize>, root: &Path) -> Held {
        let Some(at) = differs else { return Held::All };
        let path = self.entries[at].path.strip_prefix(root).ok().and_then(|path| path.to_str());
        let path = path.filter(|_| at >= self.files_from).and_then(|path| RepoPath::from_walk(path).ok());
        path.map_or(Held::NotPlace, Held::NotFile)
    }

    /// Looks at all entries with rests, until somebody waits.
    fn first_at_leisure(&self, rested: &mut Duration) -> Option<usize> {
        for (number, piece) in self.entries.chunks(BETWEEN_RESTS).enumerate() {
            if let Some(at) = piece.iter().position(Entry::differs) {
                return Some(number * BETWEEN_RESTS + at);
            }
            if self.waiting.load(Ordering::Relaxed) == 0 {
                let began = Instant::now();
                std::thread::sleep(REST);
                *rested += began.elapsed();
            }
        }
        None
    }

    fn first_difference(&self, waits: Waits, rested: &mut Duration) -> Option<usize> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(self.entries.len() / PER_THREAD);
        if waits == Waits::Nobody {
            return self.first_at_leisure(rested);
        }
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

impl Mark {
    /// Whether a change after a look that began then would show.
    pub(crate) fn is_settled(&self, began: SystemTime) -> bool {
        believable(self.stat, began, SystemTime::now()).is_some()
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

/// What is at a path now, as far as its `stat` tells.
pub(crate) fn mark_of(path: &Path) -> Option<Mark> {
    let meta = Meta::of(&fs::symlink_metadata(path).ok()?);
    let mut stat = scan::stat(&meta);
    if meta.kind == Kind::Folder {
        // Of what is in a folder its time of change tells; its size is the disk's own business.
        stat.size = 0;
    }
    Some(Mark { kind: meta.kind, device: meta.device, stat })
}
