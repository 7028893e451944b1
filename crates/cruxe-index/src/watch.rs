//! Hears of edits as they happen.
//!
//! Events arrive a moment after the edit they tell of, and a query in that moment must not call old content fresh. So
//! a query writes a small file of its own beside the index, in a folder that the same watcher watches, and waits for
//! the event of that file: events come in order, so every edit before the query has been heard of by then.
//!
//! What no event tells of, [`crate::seen`] sees.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cruxe_files::{Kind, Meta};
use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind, RemoveKind};
use notify::{ErrorKind, Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use parking_lot::{Condvar, Mutex};

/// How long a query waits for its own event before it looks at the disk itself.
const PATIENCE: Duration = Duration::from_millis(250);

/// So many opened files are kept in mind: a `stat` each per question.
const MAX_OPENED: usize = 128;

/// A watcher of one work tree.
pub struct Watcher {
    inner: Mutex<RecommendedWatcher>,
    /// Which folder it is that is watched under a path: another may take its place.
    watched: Mutex<HashMap<PathBuf, Identity>>,
    heard: Arc<Heard>,
    cookies: PathBuf,
    next_cookie: AtomicU64,
}

/// The disk and the number of a folder on it.
type Identity = (u64, u64);

/// What the watcher's thread tells everybody else.
struct Heard {
    /// Grows with every event that may change what is indexed.
    edits: AtomicU64,
    arrived: Mutex<HashSet<PathBuf>>,
    news: Condvar,
    /// What was removed or renamed since folders were last watched: the system forgets a folder with that, even when
    /// another of the same name takes its place.
    gone: Mutex<Vec<PathBuf>>,
    /// Events were lost, among them any of the above.
    lost: AtomicBool,
    /// Files that somebody could write to until now. Through memory mapped to a file one can do so without another event,
    /// and without another time of change.
    closed: Mutex<HashSet<PathBuf>>,
    /// The last files that somebody opened and has not written to and closed: who maps a file to memory has opened it.
    opened: Mutex<VecDeque<PathBuf>>,
    on_edit: Box<dyn Fn() + Send + Sync>,
    cookies: PathBuf,
}

impl Watcher {
    /// Starts to watch folders. `on_edit` is called from the watcher's thread for every event and must be quick.
    /// `None` where the system cannot watch, or not that many folders.
    pub fn start(
        folders: impl IntoIterator<Item = PathBuf>,
        cookies: &Path,
        on_edit: impl Fn() + Send + Sync + 'static,
    ) -> Option<Watcher> {
        fs::create_dir_all(cookies).ok()?;
        let cookies = cookies.canonicalize().ok()?;
        remove_stale(&cookies);
        let heard = Arc::new(Heard {
            edits: AtomicU64::new(0),
            arrived: Mutex::default(),
            news: Condvar::new(),
            gone: Mutex::default(),
            lost: AtomicBool::new(false),
            closed: Mutex::default(),
            opened: Mutex::default(),
            on_edit: Box::new(on_edit),
            cookies: cookies.clone(),
        });
        let listener = Arc::clone(&heard);
        let inner = notify::recommended_watcher(move |event| listener.hear(event)).ok()?;
        let watcher = Watcher {
            inner: Mutex::new(inner),
            watched: Mutex::default(),
            heard,
            cookies,
            next_cookie: AtomicU64::new(0),
        };
        watcher.watch(folders).is_some().then_some(watcher)
    }

    /// Watches further folders and tells whether there were any; `None` when one that exists cannot be watched.
    pub fn watch(&self, folders: impl IntoIterator<Item = PathBuf>) -> Option<bool> {
        let mut watched = self.watched.lock();
        let mut inner = self.inner.lock();
        for path in std::mem::take(&mut *self.heard.gone.lock()) {
            if watched.contains_key(&path) {
                watched.retain(|folder, _| !folder.starts_with(&path));
            }
        }
        if self.heard.lost.swap(false, Ordering::AcqRel) {
            watched.clear();
        }
        watched.retain(|folder, identity| identity_of(folder) == Some(*identity));
        let mut further = false;
        for folder in std::iter::once(self.cookies.clone()).chain(folders) {
            let Some(identity) = identity_of(&folder) else { continue };
            if watched.contains_key(&folder) {
                continue;
            }
            // What was watched under this path may be elsewhere by now.
            let _ = inner.unwatch(&folder);
            match inner.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    watched.insert(folder, identity);
                    further = true;
                }
                // That it may be read again is an event of the folder around it.
                Err(problem) if is_denied(&problem) || identity_of(&folder).is_none() => {}
                Err(problem) => {
                    tracing::warn!("cannot watch {}: {problem}; falling back to scans", folder.display());
                    return None;
                }
            }
        }
        Some(further)
    }

    /// Takes the files that were closed after writing since the last call.
    pub fn take_closed(&self) -> HashSet<PathBuf> {
        std::mem::take(&mut *self.heard.closed.lock())
    }

    /// The last files that somebody opened and that may still be written to.
    pub fn opened(&self) -> Vec<PathBuf> {
        self.heard.opened.lock().iter().cloned().collect()
    }

    /// The number of edits heard of so far.
    pub fn edits(&self) -> u64 {
        self.heard.edits.load(Ordering::Acquire)
    }

    /// Waits until everything that happened before this call has been heard of; `false` when that took too long.
    pub fn catch_up(&self) -> bool {
        let number = self.next_cookie.fetch_add(1, Ordering::Relaxed);
        let cookie = self.cookies.join(format!("{}{number}", own_prefix()));
        if fs::write(&cookie, b"").is_err() {
            // Somebody removed the folder; the next look at all folders watches it again.
            let _ = fs::create_dir_all(&self.cookies);
            return false;
        }
        let deadline = Instant::now() + PATIENCE;
        let mut arrived = self.heard.arrived.lock();
        let mut in_time = true;
        while in_time && !arrived.remove(&cookie) {
            let left = deadline.saturating_duration_since(Instant::now());
            in_time = !left.is_zero();
            self.heard.news.wait_for(&mut arrived, left);
        }
        drop(arrived);
        let _ = fs::remove_file(&cookie);
        in_time
    }
}

fn identity_of(folder: &Path) -> Option<Identity> {
    let meta = Meta::of(&fs::symlink_metadata(folder).ok()?);
    (meta.kind == Kind::Folder).then_some((meta.device, meta.inode))
}

fn is_denied(problem: &notify::Error) -> bool {
    matches!(&problem.kind, ErrorKind::Io(problem) if problem.kind() == std::io::ErrorKind::PermissionDenied)
}

fn own_prefix() -> String {
    format!("{}-", std::process::id())
}

fn is_own(cookie: &Path) -> bool {
    cookie.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(&own_prefix()))
}

/// Removes what processes that were killed in the middle of a question left behind.
fn remove_stale(cookies: &Path) {
    for entry in fs::read_dir(cookies).into_iter().flatten().flatten() {
        let age = entry.metadata().and_then(|metadata| metadata.modified()).ok().and_then(|time| time.elapsed().ok());
        if age.is_some_and(|age| age > Duration::from_secs(60)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

impl Heard {
    fn hear(&self, event: notify::Result<Event>) {
        let Ok(event) = event else { return self.edit() };
        if event.need_rescan() {
            self.lost.store(true, Ordering::Release);
            return self.edit(); // whatever happened, somebody has to look
        }
        let reading = matches!(event.kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write));
        let closed = event.kind == EventKind::Access(AccessKind::Close(AccessMode::Write));
        let opened = matches!(event.kind, EventKind::Access(AccessKind::Open(_)));
        let gone = match event.kind {
            EventKind::Remove(kind) => kind != RemoveKind::File,
            EventKind::Modify(ModifyKind::Name(_)) => true,
            _ => false,
        };
        let mut edited = event.paths.is_empty();
        for path in &event.paths {
            if path.parent() == Some(&self.cookies) {
                // Other servers of the same project drop theirs into the same folder.
                if matches!(event.kind, EventKind::Create(_)) && is_own(path) {
                    self.arrived.lock().insert(path.clone());
                    self.news.notify_all();
                }
            } else {
                edited |= !reading;
                if closed {
                    self.closed.lock().insert(path.clone());
                }
                if opened || closed {
                    self.note_opened(path, opened);
                }
                if gone {
                    self.gone.lock().push(path.clone());
                }
            }
        }
        if edited {
            self.edit();
        }
    }

    fn note_opened(&self, path: &Path, is_open: bool) {
        let mut opened = self.opened.lock();
        // Paths are compared part by part where bytes are enough: every answer opens files, and this is told of each.
        opened.retain(|known| known.as_os_str() != path.as_os_str());
        if is_open {
            opened.push_back(path.to_owned());
        }
        if opened.len() > MAX_OPENED {
            opened.pop_front();
        }
    }

    fn edit(&self) {
        self.edits.fetch_add(1, Ordering::Release);
        (self.on_edit)();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_before_the_question_is_always_heard_of() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let Some(watcher) = Watcher::start([root.path().to_owned()], &home.path().join("watch"), || {}) else {
            return; // a system without a watcher answers by scanning
        };
        assert!(watcher.catch_up());
        for round in 0..50 {
            let before = watcher.edits();
            assert!(watcher.catch_up());
            assert_eq!(watcher.edits(), before, "a question is no edit");
            fs::write(root.path().join("a.rs"), format!("fn f{round}() {{}}")).unwrap();
            assert!(watcher.catch_up());
            assert!(watcher.edits() > before, "round {round}");
        }
    }
}
