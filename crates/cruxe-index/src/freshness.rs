//! Whether what is published of a work tree is what is there now, and what makes that cheap to tell: what was seen last
//! time, a watcher, and which files it cannot be trusted with.
//!
//! Nothing here starts a job: [`Workspace`](crate::Workspace) does, in answer to what is found.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cruxe_model::RepoPath;
use cruxe_store::{RefSnapshot, StatEntry};
use parking_lot::{Condvar, Mutex};

use crate::comparison::{self, Change, Comparison, Listed};
use crate::error::IndexError;
use crate::project::{Project, Source};
use crate::scan::Listing;
use crate::seen::{Held, Seen};
use crate::watch::Watcher;

/// More files than this whose `stat` cannot be believed are forgotten, and found again when they next change.
const MAX_DOUBTED: usize = 256;

/// What is known about a work tree between questions.
#[derive(Default)]
pub(crate) struct Freshness {
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
pub(crate) struct Edited {
    pending: Mutex<bool>,
    news: Condvar,
}

impl Edited {
    pub(crate) fn wake(&self) {
        *self.pending.lock() = true;
        self.news.notify_all();
    }

    /// Blocks until something was edited and then nothing for a while, or for long enough.
    pub(crate) fn wait(&self, debounce: Duration) {
        let mut pending = self.pending.lock();
        while !*pending {
            self.news.wait(&mut pending);
        }
        let deadline = Instant::now() + debounce * 5;
        while *pending && Instant::now() < deadline {
            *pending = false;
            self.news.wait_for(&mut pending, debounce);
        }
        *pending = false;
    }
}

impl Freshness {
    /// Has the thread that follows edits look again, where there is one.
    pub(crate) fn wake(&self) {
        self.edited.wake();
    }

    /// The first difference between what is published of a ref and what it means now.
    pub(crate) fn change(
        &self,
        project: &Project,
        source: &Source,
        published: &RefSnapshot,
    ) -> Result<Option<Change>, IndexError> {
        if let Some(change) = comparison::commit_change(source, &published.state) {
            return Ok(Some(change));
        }
        if matches!(source, Source::Commit(_)) {
            return Ok(None);
        }
        let stats = self.stats(published)?;
        if self.is_as_verified(project, published, &stats)? {
            return Ok(None);
        }
        let (edits, listed) = self.watch_folders(project);
        let doubted = self.doubted(project);
        let by_limit = !self.limits_hold.load(Ordering::Relaxed);
        let comparison = Comparison { project, source, published, stats: &stats, doubted: &doubted, by_limit };
        let outcome = comparison.run(listed)?;
        if outcome.change.is_none() {
            self.limits_hold.store(true, Ordering::Relaxed);
            let doubts = &mut *self.doubts.lock();
            // Who has closed a file writes to it no more.
            doubts.unheard.retain(|path| !doubts.closed.contains(path));
            doubts.closed.retain(|path| !doubted.contains(path));
            let (ref_name, published) = (published.state.name.clone(), published.as_of());
            let seen = outcome.seen.map(|seen| Arc::new(seen.watched_if(edits.is_some())));
            *self.verified.lock() = seen.map(|seen| Verified { ref_name, published, edits, seen });
        }
        Ok(outcome.change)
    }

    /// Whether nothing has moved since the work tree was last seen to be what is published.
    fn is_as_verified(
        &self,
        project: &Project,
        published: &RefSnapshot,
        stats: &HashMap<RepoPath, StatEntry>,
    ) -> Result<bool, IndexError> {
        let edits = self.edits_so_far();
        let same = |known: &&Verified| {
            known.ref_name == published.state.name && known.published == published.as_of() && known.edits == edits
        };
        let seen = self.verified.lock().as_ref().filter(same).map(|known| Arc::clone(&known.seen));
        let Some(seen) = seen else { return Ok(false) };
        let opened = self.watcher.lock().as_ref().map(Watcher::opened).unwrap_or_default();
        match seen.still_holds(&project.root, &opened) {
            Held::NotPlace => return Ok(false),
            Held::NotFile(path) => {
                let unheard = &mut self.doubts.lock().unheard;
                if edits.is_some() && unheard.len() < MAX_DOUBTED {
                    unheard.insert(path);
                }
                return Ok(false);
            }
            Held::All => {}
        }
        let doubted = self.doubted(project);
        if doubted.is_empty() {
            return Ok(true);
        }
        let source = &Source::WorkTree { commit: None };
        Comparison { project, source, published, stats, doubted: &doubted, by_limit: false }.doubted_hold()
    }

    /// Files whose `stat` is not believed.
    pub(crate) fn doubted(&self, project: &Project) -> HashSet<RepoPath> {
        let closed = self.watcher.lock().as_ref().map(Watcher::take_closed).unwrap_or_default();
        let below = |path: &PathBuf| RepoPath::from_walk(path.strip_prefix(&project.root).ok()?.to_str()?).ok();
        let mut doubts = self.doubts.lock();
        doubts.closed.extend(closed.iter().filter_map(below));
        doubts.all()
    }

    /// The number of edits so far, with every folder that there was by then watched: what comes later happens in a
    /// watched folder, or in one whose making is an edit itself. `None` without a watcher. Where the work tree was listed
    /// for it, the list comes along: nobody has to make it again to see what there was after those edits.
    pub(crate) fn watch_folders(&self, project: &Project) -> (Option<u64>, Option<Listed>) {
        let edits = self.edits_so_far();
        let mut last = None;
        let mut watched_at = self.watched_at.lock();
        if self.watcher.lock().is_some() && (edits.is_none() || *watched_at != edits) {
            // A folder that is made between the list and the watch of the one around it is heard of by nobody; so it is
            // listed again until a list has nothing new.
            loop {
                let listed = Listed::now(project).ok();
                let folders = folders(project, listed.as_ref().map(|listed| &listed.listing));
                last = listed;
                let mut watcher = self.watcher.lock();
                match watcher.as_ref().and_then(|watcher| watcher.watch(folders)) {
                    Some(true) => {}
                    Some(false) => break,
                    None => {
                        *watcher = None;
                        return (None, last);
                    }
                }
            }
            *watched_at = edits;
        }
        (edits, last)
    }

    /// The number of edits of the work tree that were heard of, every one before this moment included. While it stays the
    /// same, so do the files. `None` without a watcher, and after an edit until every folder is known to be watched:
    /// whoever asks about a few files has looked at them sooner than at every folder.
    pub(crate) fn edits_heard(&self) -> Option<u64> {
        let edits = self.edits_so_far();
        let watched_at = self.watched_at.try_lock()?;
        edits.filter(|_| *watched_at == edits)
    }

    /// The number of edits, with every one before this moment counted; `None` without a watcher.
    fn edits_so_far(&self) -> Option<u64> {
        let watcher = self.watcher.lock();
        let watcher = watcher.as_ref()?;
        watcher.catch_up().then(|| watcher.edits())
    }

    fn stats(&self, published: &RefSnapshot) -> Result<Arc<HashMap<RepoPath, StatEntry>>, IndexError> {
        let mut cached = self.stats.lock();
        let (name, as_of) = (&published.state.name, published.as_of());
        let same = |stats: &&Stats| stats.ref_name == *name && stats.published == as_of;
        if let Some(stats) = cached.as_ref().filter(same) {
            return Ok(Arc::clone(&stats.entries));
        }
        let entries = published.stats()?.into_iter().map(|entry| (entry.path.clone(), entry)).collect();
        let entries = Arc::new(entries);
        *cached = Some(Stats { ref_name: name.clone(), published: as_of, entries: Arc::clone(&entries) });
        Ok(entries)
    }

    /// Starts to watch; `false` where that is not possible.
    pub(crate) fn start_watching(&self, project: &Project) -> bool {
        let edited = Arc::clone(&self.edited);
        let cookies = project.store.dir().root().join("watch");
        let listing = project.scan().ok();
        let watcher = Watcher::start(folders(project, listing.as_ref()), &cookies, move || edited.wake());
        let watching = watcher.is_some();
        *self.watcher.lock() = watcher;
        watching
    }

    /// Tells when something was edited.
    pub(crate) fn edited(&self) -> Arc<Edited> {
        Arc::clone(&self.edited)
    }
}

/// Everything whose change matters: the folders of the work tree, where rules stand that hide files of it, and where git
/// keeps HEAD and branches.
fn folders(project: &Project, listing: Option<&Listing>) -> Vec<PathBuf> {
    let root = &project.root;
    let listed = listing.into_iter().flat_map(|listing| &listing.folders).map(|folder| root.join(folder));
    let consulted = listing.into_iter().flat_map(|listing| &listing.consulted);
    let rules = consulted.filter_map(|path| Path::new(path).parent()).map(|folder| root.join(folder));
    let mut folders: Vec<PathBuf> = listed.chain(rules).collect();
    if let Some(repo) = &project.repo {
        folders.push(repo.git_dir().to_owned());
        folders.extend(["refs/heads", "info"].map(|folder| repo.common_dir().join(folder)));
    }
    folders
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::Fixture;

    fn change_of(fixture: &Fixture, freshness: &Freshness) -> Option<Change> {
        let workspace = &fixture.workspace;
        let (name, source) = workspace.project.resolve(None).unwrap();
        let published = workspace.project.store.ref_snapshot(&name).unwrap().unwrap();
        freshness.change(&workspace.project, &source, &published).unwrap()
    }

    fn file(path: &str) -> Option<Change> {
        Some(Change::File(RepoPath::parse(path).unwrap()))
    }

    #[test]
    fn what_was_just_indexed_is_fresh_and_stays_so_when_asked_again() {
        let fixture = Fixture::indexed(&[("a.py", "def a(): pass\n"), ("sub/b.py", "def b(): pass\n")]);
        let freshness = Freshness::default();
        assert_eq!(change_of(&fixture, &freshness), None);
        assert_eq!(change_of(&fixture, &freshness), None);
    }

    #[test]
    fn edits_new_files_and_removed_ones_are_found_without_a_watcher() {
        let fixture = Fixture::indexed(&[("a.py", "def a(): pass\n"), ("b.py", "def b(): pass\n")]);
        let freshness = Freshness::default();
        assert_eq!(change_of(&fixture, &freshness), None);
        fixture.write("a.py", "def a(): return 1\n");
        assert_eq!(change_of(&fixture, &freshness), file("a.py"));
        fixture.index();
        assert_eq!(change_of(&fixture, &freshness), None);
        fixture.write("c.py", "def c(): pass\n");
        assert_eq!(change_of(&fixture, &freshness), file("c.py"));
        fixture.index();
        fs::remove_file(fixture.root().join("b.py")).unwrap();
        assert_eq!(change_of(&fixture, &freshness), file("b.py"));
    }

    #[test]
    fn a_doubted_file_is_compared_by_content_and_no_longer_doubted_once_it_was_closed() {
        let fixture = Fixture::indexed(&[("a.py", "def a(): pass\n")]);
        let freshness = Freshness::default();
        let path = RepoPath::parse("a.py").unwrap();
        freshness.doubts.lock().unheard.insert(path.clone());
        assert_eq!(change_of(&fixture, &freshness), None);
        assert_eq!(freshness.doubted(&fixture.workspace.project), HashSet::from([path.clone()]), "it may happen again");
        freshness.doubts.lock().closed.insert(path);
        *freshness.verified.lock() = None;
        assert_eq!(change_of(&fixture, &freshness), None);
        assert_eq!(freshness.doubted(&fixture.workspace.project), HashSet::new());
    }

    #[test]
    fn without_a_watcher_nobody_claims_to_have_heard_of_edits() {
        let fixture = Fixture::indexed(&[("a.py", "def a(): pass\n")]);
        let freshness = Freshness::default();
        assert_eq!((freshness.edits_heard(), freshness.watch_folders(&fixture.workspace.project).0), (None, None));
    }
}
