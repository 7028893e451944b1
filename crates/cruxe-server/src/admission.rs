//! Whose turn it is: calls run on threads of their own, and there are slots for so many at once.
//!
//! More at once than the processors can work on would not be answered sooner, and each thread keeps memory of its own: two
//! hundred clients took four times as much without this bound. One client has at most half of the slots, and waits with
//! no more calls than that, so that another one's question is never behind all of its; and one slot is kept for quick
//! questions, for clients that cannot be told apart because they have no session.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::session::Session;

/// Calls that change something and run at once. They wait for locks and jobs, so they are more than processors, and fewer
/// than the threads that tokio makes.
const WRITES: usize = 256;

/// What a call is likely to cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cost {
    /// A look at one file or name.
    Quick,
    /// A search through everything.
    Any,
    /// It changes something, and may wait for whoever changes something else. Questions do not wait with it.
    Write,
}

/// The slots of a server, given out fairly.
pub(crate) struct Admission {
    questions: Arc<Semaphore>,
    /// Those of the slots that questions of any cost may take.
    any: Arc<Semaphore>,
    writes: Arc<Semaphore>,
}

/// The slots that one client may take.
#[derive(Debug)]
pub(crate) struct ClientSlots(Arc<Semaphore>);

/// A slot that a call has until this is dropped. The thread that works for the call holds it: a client that goes away
/// does not free the processor by that.
pub(crate) struct Slot {
    _held: Vec<OwnedSemaphorePermit>,
}

impl Admission {
    pub(crate) fn new() -> Admission {
        let questions = questions_at_once();
        Admission {
            questions: Arc::new(Semaphore::new(questions)),
            any: Arc::new(Semaphore::new(questions - 1)),
            writes: Arc::new(Semaphore::new(WRITES)),
        }
    }

    /// Waits for a slot, in turn; `None` when the server ends.
    pub(crate) async fn admit(&self, session: &Session, cost: Cost) -> Option<Slot> {
        let ClientSlots(own) = session.slots();
        let bounds = match cost {
            Cost::Quick => vec![own, &self.questions],
            Cost::Any => vec![own, &self.any, &self.questions],
            Cost::Write => vec![&self.writes],
        };
        let mut held = Vec::with_capacity(bounds.len());
        for bound in bounds {
            held.push(Arc::clone(bound).acquire_owned().await.ok()?);
        }
        Some(Slot { _held: held })
    }
}

impl Default for ClientSlots {
    fn default() -> ClientSlots {
        ClientSlots(Arc::new(Semaphore::new(questions_at_once() / 2)))
    }
}

/// Two for each processor: one may wait for the disk.
fn questions_at_once() -> usize {
    std::thread::available_parallelism().map_or(4, |processors| processors.get() * 2).max(4)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    async fn at_once(admission: &Admission, session: &Session, cost: Cost) -> Option<Slot> {
        timeout(Duration::from_millis(1), admission.admit(session, cost)).await.ok().flatten()
    }

    #[tokio::test]
    async fn one_client_has_half_of_the_slots_and_frees_them_with_its_calls() {
        let (admission, many, other) = (Admission::new(), Session::new(), Session::new());
        let mut held = Vec::new();
        while let Some(slot) = at_once(&admission, &many, Cost::Quick).await {
            held.push(slot);
        }
        assert_eq!(held.len(), questions_at_once() / 2);
        assert!(at_once(&admission, &other, Cost::Any).await.is_some());
        assert!(at_once(&admission, &many, Cost::Write).await.is_some(), "what changes something waits elsewhere");
        held.pop();
        assert!(at_once(&admission, &many, Cost::Any).await.is_some());
    }

    #[tokio::test]
    async fn clients_without_sessions_leave_a_slot_for_quick_questions() {
        let admission = Admission::new();
        let mut held = Vec::new();
        while let Some(slot) = at_once(&admission, &Session::fleeting(), Cost::Any).await {
            held.push(slot);
        }
        assert_eq!(held.len(), questions_at_once() - 1);
        let quick = at_once(&admission, &Session::fleeting(), Cost::Quick).await;
        assert!(quick.is_some());
        assert!(at_once(&admission, &Session::fleeting(), Cost::Quick).await.is_none());
    }
}
