//! How a workspace keeps up with its files: whether what is published is what is there, and a thread that indexes edits.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cruxe_model::config::FreshnessPolicy;
use cruxe_model::{RepoPath, Work};
use cruxe_store::{RefState, Snapshot, StatEntry};

use crate::error::IndexError;
use crate::freshness::{self, Change, Comparison};
use crate::job::JobRequest;
use crate::project::Source;
use crate::seen::{Held, Seen};
use crate::watch::Watcher;
use crate::workspace::{Workspace, lock};

/// More files than this whose `stat` cannot be believed are forgotten, and found again when they next change.
const MAX_DOUBTED: usize = 256;

/// What is known about a work tree between questions.
#[derive(Default)]
pub(crate) struct Following {
    stats: Mutex<Option<Stats>>,
    verified: Mutex<Option<Verified>>,
    watcher: Mutex<Option<Watcher>>,
    /// The edits that had been heard of when every folder was last seen to be watched.
    watched_at: Mutex<Option<u64>>,
    doubts: Mutex<Doubts>,
    /// What is published was once seen to be what this process's limits make of it. Another process may have others, and
    /// the two would undo each other's work without end if both insisted.
    limits_hold: AtomicBool,
    edited: Arc<Edited>,
}

/// The files of a published work tree.
struct Stats {
    ref_name: String,
    published: i64,
    entries: Arc<HashMap<RepoPath, StatEntry>>,
}

/// The last moment at which the work tree was seen to be what is published.
struct Verified {
    ref_name: String,
    published: i64,
    edits: Option<u64>,
    seen: Arc<Seen>,
}

/// Files that are compared by their content, whatever their `stat` says. To memory that is mapped to a file one can write
/// again and again, and only the first time shows.
#[derive(Default)]
struct Doubts {
    /// Changed once without an event: whoever did that may do it again.
    unheard: HashSet<RepoPath>,
    /// Closed by somebody who could write; not compared since.
    closed: HashSet<RepoPath>,
}

impl Doubts {
    fn all(&self) -> HashSet<RepoPath> {
        self.unheard.union(&self.closed).cloned().collect()
    }
}

/// Tells the following thread that something was edited.
#[derive(Default)]
struct Edited {
    pending: Mutex<bool>,
    news: Condvar,
}

impl Edited {
    fn wake(&self) {
        *lock(&self.pending) = true;
        self.news.notify_all();
    }

    /// Blocks until something was edited and then nothing for a while, or for long enough.
    fn wait(&self, debounce: Duration) {
        let mut pending = lock(&self.pending);
        while !*pending {
            pending = self.news.wait(pending).unwrap_or_else(PoisonError::into_inner);
        }
        let deadline = Instant::now() + debounce * 5;
        while *pending && Instant::now() < deadline {
            *pending = false;
            pending = self.news.wait_timeout(pending, debounce).unwrap_or_else(PoisonError::into_inner).0;
        }
        *pending = false;
    }
}

impl Following {
    /// Has the thread that follows edits look again, where there is one.
    pub(crate) fn wake(&self) {
        self.edited.wake();
    }
}

impl Workspace {
    /// The first difference between what is published of a ref and what it means now.
    pub(crate) fn change(
        &self,
        name: &str,
        source: &Source,
        state: &RefState,
        snapshot: &Snapshot,
    ) -> Result<Option<Change>, IndexError> {
        if let Some(change) = freshness::commit_change(source, state) {
            return Ok(Some(change));
        }
        if matches!(source, Source::Commit(_)) {
            return Ok(None);
        }
        let stats = self.stats(name, snapshot)?;
        if self.is_as_verified(name, state, snapshot, &stats)? {
            return Ok(None);
        }
        let edits = self.watch_folders();
        let doubted = self.doubted();
        let by_limit = !self.following.limits_hold.load(Ordering::Relaxed);
        let comparison =
            Comparison { project: &self.project, source, state, snapshot, stats: &stats, doubted: &doubted, by_limit };
        let outcome = comparison.run()?;
        if outcome.change.is_none() {
            self.following.limits_hold.store(true, Ordering::Relaxed);
            let doubts = &mut *lock(&self.following.doubts);
            // Who has closed a file writes to it no more.
            doubts.unheard.retain(|path| !doubts.closed.contains(path));
            doubts.closed.retain(|path| !doubted.contains(path));
            let (ref_name, published) = (name.to_owned(), snapshot.published());
            let seen = outcome.seen.map(|seen| Arc::new(seen.watched_if(edits.is_some())));
            *lock(&self.following.verified) = seen.map(|seen| Verified { ref_name, published, edits, seen });
        }
        Ok(outcome.change)
    }

    /// Whether nothing has moved since the work tree was last seen to be what is published.
    fn is_as_verified(
        &self,
        name: &str,
        state: &RefState,
        snapshot: &Snapshot,
        stats: &HashMap<RepoPath, StatEntry>,
    ) -> Result<bool, IndexError> {
        let edits = self.edits_so_far();
        let same = |known: &&Verified| {
            known.ref_name == name && known.published == snapshot.published() && known.edits == edits
        };
        let seen = lock(&self.following.verified).as_ref().filter(same).map(|known| Arc::clone(&known.seen));
        let Some(seen) = seen else { return Ok(false) };
        let opened = lock(&self.following.watcher).as_ref().map(Watcher::opened).unwrap_or_default();
        match seen.still_holds(&self.project, &opened) {
            Held::NotPlace => return Ok(false),
            Held::NotFile(path) => {
                let unheard = &mut lock(&self.following.doubts).unheard;
                if edits.is_some() && unheard.len() < MAX_DOUBTED {
                    unheard.insert(path);
                }
                return Ok(false);
            }
            Held::All => {}
        }
        let doubted = self.doubted();
        if doubted.is_empty() {
            return Ok(true);
        }
        let (project, source) = (&self.project, &Source::WorkTree { commit: None });
        Comparison { project, source, state, snapshot, stats, doubted: &doubted, by_limit: false }.doubted_hold()
    }

    /// Files whose `stat` is not believed.
    pub(crate) fn doubted(&self) -> HashSet<RepoPath> {
        let closed = lock(&self.following.watcher).as_ref().map(Watcher::take_closed).unwrap_or_default();
        let below = |path: &PathBuf| RepoPath::from_walk(path.strip_prefix(&self.project.root).ok()?.to_str()?).ok();
        let mut doubts = lock(&self.following.doubts);
        doubts.closed.extend(closed.iter().filter_map(below));
        doubts.all()
    }

    /// The number of edits so far, with every folder that there was by then watched: what comes later happens in a
    /// watched folder, or in one whose making is an edit itself. `None` without a watcher.
    fn watch_folders(&self) -> Option<u64> {
        let edits = self.edits_so_far();
        let mut watched_at = lock(&self.following.watched_at);
        if lock(&self.following.watcher).is_some() && (edits.is_none() || *watched_at != edits) {
            // A folder that is made between the list and the watch of the one around it is heard of by nobody; so it is
            // listed again until a list has nothing new.
            loop {
                let folders = self.folders();
                let mut watcher = lock(&self.following.watcher);
                match watcher.as_ref().and_then(|watcher| watcher.watch(folders)) {
                    Some(true) => {}
                    Some(false) => break,
                    None => {
                        *watcher = None;
                        return None;
                    }
                }
            }
            *watched_at = edits;
        }
        edits
    }

    /// The number of edits of the work tree that were heard of, every one before this moment included. While it stays the
    /// same, so do the files. `None` without a watcher, and after an edit until every folder is known to be watched:
    /// whoever asks about a few files has looked at them sooner than at every folder.
    pub fn edits_heard(&self) -> Option<u64> {
        let edits = self.edits_so_far();
        let watched_at = self.following.watched_at.try_lock().ok()?;
        edits.filter(|_| *watched_at == edits)
    }

    /// The number of edits, with every one before this moment counted; `None` without a watcher.
    fn edits_so_far(&self) -> Option<u64> {
        let watcher = lock(&self.following.watcher);
        let watcher = watcher.as_ref()?;
        watcher.catch_up().then(|| watcher.edits())
    }

    fn stats(&self, name: &str, snapshot: &Snapshot) -> Result<Arc<HashMap<RepoPath, StatEntry>>, IndexError> {
        let mut cached = lock(&self.following.stats);
        let same = |stats: &&Stats| stats.ref_name == name && stats.published == snapshot.published();
        if let Some(stats) = cached.as_ref().filter(same) {
            return Ok(Arc::clone(&stats.entries));
        }
        let entries = snapshot.stats(name)?.into_iter().map(|entry| (entry.path.clone(), entry)).collect();
        let entries = Arc::new(entries);
        let published = snapshot.published();
        *cached = Some(Stats { ref_name: name.to_owned(), published, entries: Arc::clone(&entries) });
        Ok(entries)
    }

    /// Follows edits from now on: indexes what changed a moment after it did. Without a watcher nothing happens, and
    /// freshness is found out question by question.
    pub fn follow(self: &Arc<Workspace>) {
        let this = Arc::downgrade(self);
        let edited = Arc::clone(&self.following.edited);
        let debounce = Duration::from_millis(self.project.config.server.debounce_ms);
        if !self.start_watcher() {
            return;
        }
        edited.wake(); // what was edited before anybody watched counts as well
        std::thread::spawn(move || {
            loop {
                edited.wait(debounce);
                match this.upgrade().filter(|this| !this.closing.is_cancelled()) {
                    Some(this) => this.catch_up_with_edits(),
                    None => return,
                }
            }
        });
    }

    fn start_watcher(&self) -> bool {
        let edited = Arc::clone(&self.following.edited);
        let cookies = self.project.dir.root().join("watch");
        let watcher = Watcher::start(self.folders(), &cookies, move || edited.wake());
        let watching = watcher.is_some();
        *lock(&self.following.watcher) = watcher;
        watching
    }

    /// Everything whose change matters: the folders of the work tree, where rules stand that hide files of it, and where git
    /// keeps HEAD and branches.
    fn folders(&self) -> Vec<PathBuf> {
        let root = &self.project.root;
        let listing = self.project.scan().unwrap_or_default();
        let mut folders: Vec<PathBuf> = listing.folders.iter().map(|folder| root.join(folder)).collect();
        let rules = listing.consulted.iter().filter_map(|path| Path::new(path).parent());
        folders.extend(rules.map(|folder| root.join(folder)));
        if let Some(repo) = &self.project.repo {
            folders.push(repo.git_dir().to_owned());
            folders.extend(["refs/heads", "info"].map(|folder| repo.common_dir().join(folder)));
        }
        folders
    }

    fn catch_up_with_edits(self: &Arc<Workspace>) {
        self.watch_folders();
        let deadline = Instant::now() + Duration::from_secs(60);
        while Instant::now() < deadline && !self.closing.is_cancelled() {
            let stale = match self.look(None, FreshnessPolicy::BestEffort) {
                Ok(view) => !view.standing.is_fresh() || view.published.is_none(),
                Err(_) => return, // a damaged index is for `index --force`, not for a sync behind the user's back
            };
            // Whoever is at it may have listed the files before the edit, so look again afterwards.
            match stale.then(|| self.run_job(&JobRequest::default(), Work::default())) {
                None => return self.tell_listeners(), // another process may have been first
                Some(Ok(_)) => {
                    // The next question finds the work tree looked at.
                    let _ = self.look(None, FreshnessPolicy::BestEffort);
                    return self.tell_listeners();
                }
                Some(Err(IndexError::Busy)) => std::thread::sleep(Duration::from_millis(50)),
                Some(Err(_)) => return self.tell_listeners(),
            }
        }
    }
}
