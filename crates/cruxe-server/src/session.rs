//! What the server remembers of one client.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cruxe_deck::config::RateLimit;
use parking_lot::{Mutex, MutexGuard};
use percent_encoding::percent_decode_str;
use tokio::sync::{Mutex as AsyncMutex, OwnedSemaphorePermit, Semaphore, watch};

use crate::admission::ClientSlots;
use crate::limits::{Bucket, Refused};
use crate::scope::Scope;
use crate::subscriptions::Followed;

/// How long a call waits for a client that said it has roots and has not told them yet.
const ROOTS_PATIENCE: Duration = Duration::from_secs(2);

/// Folders beyond this number are not looked at.
const MAX_ROOTS: usize = 1_000;

/// How many tell one client what changes: one each time that it introduces itself. One that tells a session that has ended
/// sees that at the next change.
const MAX_NOTIFIERS: usize = 4;

/// Streams of news that one client may have open at once.
const MAX_LISTENERS: usize = 16;

/// One client. It ends with its connection: nothing here is written to disk.
#[derive(Debug)]
pub struct Session {
    /// Unique within this process; for logs.
    pub id: String,
    default_refs: Mutex<HashMap<PathBuf, String>>,
    scope: Mutex<Scope>,
    followed: Mutex<Followed>,
    buckets: Mutex<HashMap<&'static str, Bucket>>,
    lasting: AtomicBool,
    /// A request showed whose it is.
    begun: AtomicBool,
    slots: ClientSlots,
    notifiers: Arc<Semaphore>,
    listeners: Semaphore,
    roots: watch::Sender<Roots>,
    roots_asked: RootsAsked,
}

/// Whoever asks for roots: one that asks, and one that asks after it, because the roots changed meanwhile. More would
/// learn nothing more.
#[derive(Debug)]
struct RootsAsked {
    permits: Semaphore,
    turn: AsyncMutex<()>,
}

/// The folders that the client says it works in.
#[derive(Clone, Debug, Default, PartialEq)]
enum Roots {
    /// It does not say.
    #[default]
    Unsaid,
    /// It has some and is being asked.
    Asked,
    /// It has told.
    Told(Vec<PathBuf>),
}

impl Session {
    /// A session that remembers nothing yet.
    pub fn new() -> Session {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Session {
            id: format!("session-{number}"),
            default_refs: Mutex::default(),
            scope: Mutex::default(),
            buckets: Mutex::default(),
            followed: Mutex::default(),
            lasting: AtomicBool::new(true),
            begun: AtomicBool::new(false),
            slots: ClientSlots::default(),
            notifiers: Arc::new(Semaphore::new(MAX_NOTIFIERS)),
            listeners: Semaphore::new(MAX_LISTENERS),
            roots: watch::Sender::default(),
            roots_asked: RootsAsked { permits: Semaphore::new(2), turn: AsyncMutex::default() },
        }
    }

    /// A session that ends with its request, unless [`Session::begin`] says otherwise.
    pub fn fleeting() -> Session {
        Session { lasting: AtomicBool::new(false), ..Session::new() }
    }

    /// The same for a client that may see so much.
    pub fn within(self, scope: Scope) -> Session {
        Session { scope: Mutex::new(scope), ..self }
    }

    /// What this client may see, as its last request showed.
    pub fn scope(&self) -> Scope {
        self.scope.lock().clone()
    }

    /// Notes what a request of this session may see; `false` for a request of somebody else, who has no part in it. Who begins a
    /// session is known by its first request.
    pub(crate) fn admit_scope(&self, scope: &Scope) -> bool {
        let mut own = self.scope.lock();
        let fits = own.same_holder(scope) || own.is_all() && !self.begun.swap(true, Ordering::Relaxed);
        if fits {
            *own = scope.clone();
        }
        fits
    }

    /// Notes that later calls come back to this session.
    pub fn begin(&self) {
        self.lasting.store(true, Ordering::Relaxed);
    }

    /// Whether later calls come back to this session. Where they do not, nothing can be remembered for them.
    pub fn is_lasting(&self) -> bool {
        self.lasting.load(Ordering::Relaxed)
    }

    /// Returns the ref that this client chose for calls on `workspace` that name none.
    pub fn default_ref(&self, workspace: &Path) -> Option<String> {
        self.refs().get(workspace).cloned()
    }

    /// Makes `ref_name` the ref of calls on `workspace` that name none, and returns the one before it.
    pub fn set_default_ref(&self, workspace: &Path, ref_name: &str) -> Option<String> {
        self.refs().insert(workspace.to_owned(), ref_name.to_owned())
    }

    /// The resources that this client wants to hear about.
    pub(crate) fn followed(&self) -> MutexGuard<'_, Followed> {
        self.followed.lock()
    }

    /// The slots that calls of this client may take.
    pub(crate) fn slots(&self) -> &ClientSlots {
        &self.slots
    }

    /// Counts a call of a tool, or refuses it.
    pub fn admit(&self, tool: &'static str, limit: RateLimit) -> Result<(), Refused> {
        let mut buckets = self.buckets.lock();
        buckets.entry(tool).or_default().admit(limit, Instant::now())
    }

    /// The right to tell this client what changes; `None` while enough others do.
    pub(crate) fn notifier(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.notifiers).try_acquire_owned().ok()
    }

    /// How many streams of news this client may still open.
    pub(crate) fn listeners(&self) -> &Semaphore {
        &self.listeners
    }

    /// Runs `ask`, after one that is asking already. Where another waits to do so, nothing is run: it will hear the newest.
    pub(crate) async fn in_turn_for_roots(&self, ask: impl Future<Output = ()>) {
        if let Ok(_permit) = self.roots_asked.permits.try_acquire() {
            let _turn = self.roots_asked.turn.lock().await;
            ask.await;
        }
    }

    /// Notes that the client has roots and will tell them.
    pub fn expect_roots(&self) {
        self.roots.send_replace(Roots::Asked);
    }

    /// Notes the client's roots, as the URIs that it sent; `None` when it did not tell them after all.
    pub fn set_roots(&self, uris: Option<&[String]>) {
        let folders: Vec<PathBuf> =
            uris.unwrap_or_default().iter().take(MAX_ROOTS).filter_map(|uri| folder_of(uri)).collect();
        // A client with no folder open bounds nothing.
        self.roots.send_replace(if folders.is_empty() { Roots::Unsaid } else { Roots::Told(folders) });
    }

    /// Returns the folders that the client works in; `None` where it does not say.
    pub fn roots(&self) -> Option<Vec<PathBuf>> {
        match &*self.roots.borrow() {
            Roots::Told(folders) => Some(folders.clone()),
            Roots::Unsaid | Roots::Asked => None,
        }
    }

    /// Waits for roots that the client is about to tell; one that does not is not asked for them again.
    pub async fn roots_settled(&self) {
        self.roots_settled_within(ROOTS_PATIENCE).await;
    }

    async fn roots_settled_within(&self, patience: Duration) {
        let mut roots = self.roots.subscribe();
        let told = roots.wait_for(|roots| *roots != Roots::Asked);
        if tokio::time::timeout(patience, told).await.is_err() {
            self.roots.send_if_modified(|roots| {
                let waiting = *roots == Roots::Asked;
                if waiting {
                    *roots = Roots::Unsaid;
                }
                waiting
            });
        }
    }

    fn refs(&self) -> MutexGuard<'_, HashMap<PathBuf, String>> {
        self.default_refs.lock()
    }
}

impl Default for Session {
    fn default() -> Session {
        Session::new()
    }
}

/// The folder of a `file:` URI, with links resolved where it exists.
fn folder_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = PathBuf::from(percent_decode_str(path).decode_utf8().ok()?.into_owned());
    path.is_absolute().then(|| path.canonicalize().unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_refs_are_kept_per_workspace() {
        let session = Session::new();
        assert_eq!(session.set_default_ref(Path::new("/a"), "main"), None);
        assert_eq!(session.set_default_ref(Path::new("/a"), "dev"), Some("main".to_owned()));
        assert_eq!(session.default_ref(Path::new("/a")), Some("dev".to_owned()));
        assert_eq!(session.default_ref(Path::new("/b")), None);
    }

    #[test]
    fn sessions_have_different_ids() {
        assert_ne!(Session::new().id, Session::new().id);
    }

    #[test]
    fn a_session_lasts_unless_it_is_fleeting_and_was_never_begun() {
        assert!(Session::new().is_lasting());
        let fleeting = Session::fleeting();
        assert!(!fleeting.is_lasting());
        fleeting.begin();
        assert!(fleeting.is_lasting());
    }

    #[test]
    fn roots_are_the_folders_of_file_uris_and_nothing_else() {
        let session = Session::new();
        assert_eq!(session.roots(), None);
        let uris =
            ["file:///no/such%20place/%C3%BC", "file://localhost/no/b", "https://x/y", "file://host/x", "file:///%ff"];
        session.set_roots(Some(&uris.map(str::to_owned)));
        let expected = ["/no/such place/ü", "/no/b"].map(PathBuf::from);
        assert_eq!(session.roots(), Some(expected.to_vec()));
        session.set_roots(None);
        assert_eq!(session.roots(), None);
    }

    #[tokio::test]
    async fn however_often_roots_change_one_asks_and_one_waits_to_ask() {
        let (session, asked) = (Session::new(), AtomicU64::new(0));
        let ask = || {
            session.in_turn_for_roots(async {
                tokio::task::yield_now().await;
                asked.fetch_add(1, Ordering::Relaxed);
            })
        };
        tokio::join!(ask(), ask(), ask(), ask(), ask());
        assert_eq!(asked.load(Ordering::Relaxed), 2);
        ask().await;
        assert_eq!(asked.load(Ordering::Relaxed), 3);
    }

    #[tokio::test]
    async fn a_client_that_never_tells_its_roots_is_waited_for_once() {
        let session = Session::new();
        session.roots_settled().await;
        session.expect_roots();
        session.roots_settled_within(Duration::from_millis(1)).await;
        assert_eq!(*session.roots.borrow(), Roots::Unsaid);
    }
}
