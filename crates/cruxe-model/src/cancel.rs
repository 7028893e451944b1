//! How running work hears from whoever waits for it, and tells how far it is.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::error::ToolError;

/// Tells running work that nobody waits for its outcome any more.
///
/// It is set when a client cancels its request and when the connection ends before the answer. It stays unset once the
/// answer is given, so that work which a call leaves in the background is not cancelled by its own answer. Where the
/// client wants to know, it also carries back how far the work is.
#[derive(Clone, Default)]
pub struct CancelFlag {
    set: Arc<AtomicBool>,
    listener: Option<Arc<dyn Fn(u64, u64) + Send + Sync>>,
    deadline: Option<Instant>,
}

impl CancelFlag {
    /// The same flag; `listener` hears how many steps of how many are done.
    pub fn heard_by(self, listener: impl Fn(u64, u64) + Send + Sync + 'static) -> CancelFlag {
        CancelFlag { listener: Some(Arc::new(listener)), ..self }
    }

    /// The same flag for work that should give what it has at some time.
    pub fn until(self, deadline: Instant) -> CancelFlag {
        CancelFlag { deadline: Some(deadline), ..self }
    }

    /// Whether it is time to give what has been found and say that it is not all.
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether to stop.
    pub fn is_set(&self) -> bool {
        self.set.load(Ordering::Relaxed)
    }

    /// Returns an error once nobody waits any more: loops ask it at every turn that costs something.
    pub fn check(&self) -> Result<(), ToolError> {
        if self.is_set() { Err(ToolError::internal("cancelled")) } else { Ok(()) }
    }

    /// Tells that `done` of `total` steps are done. Never 0 of them, which would tell nothing.
    pub fn tell(&self, done: u64, total: u64) {
        if let Some(listener) = self.listener.as_ref().filter(|_| done > 0) {
            listener(done, total);
        }
    }

    /// Asks the work to stop.
    pub fn set(&self) {
        self.set.store(true, Ordering::Relaxed);
    }
}

impl fmt::Debug for CancelFlag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("CancelFlag").field(&self.is_set()).finish()
    }
}
