//! Repositories on their way to this node, and who waits for them.
//!
//! A question that waits holds one of a few places, and a storage may be slow or hang. So whoever asks about a repository that is
//! not here waits for a while and is then told that it is on its way; questions about what is here go on.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cruxe_server::contract::ToolError;
use parking_lot::{Condvar, Mutex};

/// How long a question waits.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long it waits while something has been on its way for longer than that.
const LITTLE_PATIENCE: Duration = Duration::from_millis(500);
/// More are not brought at once.
const MOST: usize = 64;

/// What is on its way, by name.
#[derive(Default)]
pub(super) struct Arrivals {
    coming: Mutex<HashMap<String, Arc<Coming>>>,
}

struct Coming {
    began: Instant,
    outcome: Mutex<Option<Result<(), ToolError>>>,
    ended: Condvar,
}

impl Arrivals {
    /// Has something brought, unless somebody is at it, and waits for it; `None` where it is still on its way after a while.
    pub fn wait_for(
        self: &Arc<Arrivals>,
        name: &str,
        bring: impl FnOnce() -> Result<(), ToolError> + Send + 'static,
    ) -> Option<Result<(), ToolError>> {
        let (one, patience) = {
            let mut coming = self.coming.lock();
            let is_slow = coming.values().any(|one| one.began.elapsed() > PATIENCE);
            let patience = if is_slow { LITTLE_PATIENCE } else { PATIENCE };
            match coming.get(name) {
                Some(one) => (Arc::clone(one), patience),
                None if coming.len() >= MOST => return None,
                None => {
                    let one =
                        Arc::new(Coming { began: Instant::now(), outcome: Mutex::default(), ended: Condvar::new() });
                    coming.insert(name.to_owned(), Arc::clone(&one));
                    let arrival = Arrival { of: Arc::clone(self), name: name.to_owned(), one: Arc::clone(&one) };
                    std::thread::spawn(move || arrival.end(bring()));
                    (one, patience)
                }
            }
        };
        let deadline = Instant::now() + patience;
        let mut outcome = one.outcome.lock();
        while outcome.is_none() && !one.ended.wait_until(&mut outcome, deadline).timed_out() {}
        outcome.clone()
    }
}

/// Somebody who brings something. Whatever becomes of it, those who wait are told.
struct Arrival {
    of: Arc<Arrivals>,
    name: String,
    one: Arc<Coming>,
}

impl Arrival {
    fn end(self, outcome: Result<(), ToolError>) {
        *self.one.outcome.lock() = Some(outcome);
    }
}

impl Drop for Arrival {
    fn drop(&mut self) {
        self.of.coming.lock().remove(&self.name);
        let failed = || Err(ToolError::internal(format!("`{}` could not be brought here", self.name)));
        self.one.outcome.lock().get_or_insert_with(failed);
        self.one.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn what_several_wait_for_is_brought_once_and_all_hear_how_it_ended() {
        let (arrivals, count) = (Arc::new(Arrivals::default()), Arc::new(AtomicU32::new(0)));
        let (go, wait) = crossbeam_channel::bounded::<()>(0);
        std::thread::scope(|scope| {
            let ask = || {
                let (count, wait) = (Arc::clone(&count), wait.clone());
                arrivals.wait_for("a", move || {
                    count.fetch_add(1, Ordering::SeqCst);
                    let _ = wait.recv();
                    Err(ToolError::internal("no"))
                })
            };
            let asked: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            // All four wait for the same one before it ends.
            while arrivals.coming.lock().get("a").is_none_or(|one| Arc::strong_count(one) < 6) {
                std::thread::yield_now();
            }
            drop(go);
            for one in asked {
                assert_eq!(one.join().unwrap(), Some(Err(ToolError::internal("no"))));
            }
        });
        assert_eq!(count.load(Ordering::SeqCst), 1);
        assert_eq!(arrivals.wait_for("a", || Ok(())), Some(Ok(())), "then it can be tried again");
    }

    #[test]
    fn who_brings_and_fails_keeps_nobody_waiting() {
        let arrivals = Arc::new(Arrivals::default());
        let outcome = arrivals.wait_for("a", || panic!("as a bug would"));
        assert_eq!(outcome, Some(Err(ToolError::internal("`a` could not be brought here"))));
    }

    #[test]
    fn while_something_hangs_others_wait_a_little() {
        let arrivals = Arc::new(Arrivals::default());
        let hanging = Coming { began: Instant::now() - 2 * PATIENCE, outcome: Mutex::default(), ended: Condvar::new() };
        arrivals.coming.lock().insert("hangs".to_owned(), Arc::new(hanging));
        let began = Instant::now();
        assert_eq!(arrivals.wait_for("hangs", || Ok(())), None, "somebody is at it already");
        assert_eq!(arrivals.wait_for("other", || Ok(())), Some(Ok(())));
        assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    }
}
