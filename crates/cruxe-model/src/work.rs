//! A handle on running work: whoever waits for it can end it, and hears how far it is.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Running work, shared by the one that does it and the one that waits for it. Cheap to clone; works from any thread.
///
/// It is cancelled when a client takes its request back and when the connection ends before the answer. It stays
/// uncancelled once the answer is given, so that what a call leaves in the background is not ended by its own answer.
#[derive(Clone, Default)]
pub struct Work {
    cancelled: Arc<AtomicBool>,
    /// The work that this one is a part of.
    whole: Option<Arc<AtomicBool>>,
    listener: Option<Arc<dyn Fn(u64, u64) + Send + Sync>>,
    deadline: Option<Instant>,
}

/// Nobody waits for the outcome any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

impl Work {
    /// The same work; `listener` hears how many steps of how many are done.
    pub fn heard_by(self, listener: impl Fn(u64, u64) + Send + Sync + 'static) -> Work {
        Work { listener: Some(Arc::new(listener)), ..self }
    }

    /// The same work, which should give what it has at some time.
    pub fn until(self, deadline: Instant) -> Work {
        Work { deadline: Some(deadline), ..self }
    }

    /// The same work, which also ends when `whole` is cancelled.
    pub fn within(self, whole: &Work) -> Work {
        Work { whole: Some(Arc::clone(&whole.cancelled)), ..self }
    }

    /// Whether anybody listens to how far it is.
    pub fn is_heard(&self) -> bool {
        self.listener.is_some()
    }

    /// Whether it is time to give what has been found and say that it is not all.
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether to stop.
    pub fn is_cancelled(&self) -> bool {
        let set = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        set(&self.cancelled) || self.whole.as_ref().is_some_and(set)
    }

    /// Returns an error once nobody waits any more: loops ask it at every turn that costs something.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// Tells that `done` of `total` steps are done. Never 0 of them, which would tell nothing.
    pub fn tell(&self, done: u64, total: u64) {
        if let Some(listener) = self.listener.as_ref().filter(|_| done > 0) {
            listener(done, total);
        }
    }

    /// Asks the work to stop.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Work").field("cancelled", &self.is_cancelled()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;

    use super::*;

    #[test]
    fn cancelling_the_whole_ends_its_parts_and_not_the_other_way_round() {
        let whole = Work::default();
        let (one, other) = (Work::default().within(&whole), Work::default().within(&whole));
        one.cancel();
        assert_eq!((one.check(), other.check(), whole.check()), (Err(Cancelled), Ok(()), Ok(())));
        whole.cancel();
        assert_eq!(other.check(), Err(Cancelled));
    }

    #[test]
    fn clones_share_their_end_and_the_first_step_is_the_first_that_is_told() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&told);
        let work = Work::default().heard_by(move |done, total| heard.lock().push((done, total)));
        let clone = work.clone();
        (0..3).for_each(|done| clone.tell(done, 2));
        clone.cancel();
        assert!(work.is_cancelled() && work.is_heard() && !Work::default().is_heard());
        assert_eq!(*told.lock(), [(1, 2), (2, 2)]);
    }
}
