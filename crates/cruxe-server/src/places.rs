//! Whose turn it is: calls run on threads of their own, and there are places for so many at once.
//!
//! More at once than the processors can work on would not be answered sooner, and each thread keeps memory of its own: two
//! hundred clients took four times as much without this bound. One client has at most half of the places, and waits with
//! no more calls than that, so that another one's question is never behind all of its; and one place is kept for quick
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

/// The places of a server.
pub(crate) struct Places {
    questions: Arc<Semaphore>,
    /// Those of the places that questions of any cost may take.
    any: Arc<Semaphore>,
    writes: Arc<Semaphore>,
}

/// The places that one client may take.
#[derive(Debug)]
pub(crate) struct OwnPlaces(Arc<Semaphore>);

/// A place that a call has until this is dropped. The thread that works for the call holds it: a client that goes away
/// does not free the processor by that.
pub(crate) struct Place {
    _held: Vec<OwnedSemaphorePermit>,
}

impl Places {
    pub(crate) fn new() -> Places {
        let questions = questions_at_once();
        Places {
            questions: Arc::new(Semaphore::new(questions)),
            any: Arc::new(Semaphore::new(questions - 1)),
            writes: Arc::new(Semaphore::new(WRITES)),
        }
    }

    /// Waits for a place, in turn; `None` when the server ends.
    pub(crate) async fn take(&self, session: &Session, cost: Cost) -> Option<Place> {
        let OwnPlaces(own) = session.places();
        let gates = match cost {
            Cost::Quick => vec![own, &self.questions],
            Cost::Any => vec![own, &self.any, &self.questions],
            Cost::Write => vec![&self.writes],
        };
        let mut held = Vec::with_capacity(gates.len());
        for gate in gates {
            held.push(Arc::clone(gate).acquire_owned().await.ok()?);
        }
        Some(Place { _held: held })
    }
}

impl Default for OwnPlaces {
    fn default() -> OwnPlaces {
        OwnPlaces(Arc::new(Semaphore::new(questions_at_once() / 2)))
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

    async fn at_once(places: &Places, session: &Session, cost: Cost) -> Option<Place> {
        timeout(Duration::from_millis(1), places.take(session, cost)).await.ok().flatten()
    }

    #[tokio::test]
    async fn one_client_has_half_of_the_places_and_frees_them_with_its_calls() {
        let (places, many, other) = (Places::new(), Session::new(), Session::new());
        let mut held = Vec::new();
        while let Some(place) = at_once(&places, &many, Cost::Quick).await {
            held.push(place);
        }
        assert_eq!(held.len(), questions_at_once() / 2);
        assert!(at_once(&places, &other, Cost::Any).await.is_some());
        assert!(at_once(&places, &many, Cost::Write).await.is_some(), "what changes something waits elsewhere");
        held.pop();
        assert!(at_once(&places, &many, Cost::Any).await.is_some());
    }

    #[tokio::test]
    async fn clients_without_sessions_leave_a_place_for_quick_questions() {
        let places = Places::new();
        let mut held = Vec::new();
        while let Some(place) = at_once(&places, &Session::fleeting(), Cost::Any).await {
            held.push(place);
        }
        assert_eq!(held.len(), questions_at_once() - 1);
        let quick = at_once(&places, &Session::fleeting(), Cost::Quick).await;
        assert!(quick.is_some());
        assert!(at_once(&places, &Session::fleeting(), Cost::Quick).await.is_none());
    }
}
