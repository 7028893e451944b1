//! What the server remembers of one connection.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::subscriptions::Followed;

/// One client's connection. It ends with it: nothing here is written to disk.
#[derive(Debug)]
pub struct Session {
    /// Unique within this process; for logs.
    pub id: String,
    default_refs: Mutex<HashMap<PathBuf, String>>,
    followed: Mutex<Followed>,
}

impl Session {
    /// A session that remembers nothing yet.
    pub fn new() -> Session {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Session { id: format!("session-{number}"), default_refs: Mutex::default(), followed: Mutex::default() }
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
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A panic of another call cannot leave the map half changed, so a poisoned lock is as good as any.
    fn refs(&self) -> MutexGuard<'_, HashMap<PathBuf, String>> {
        self.default_refs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Session {
    fn default() -> Session {
        Session::new()
    }
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
}
