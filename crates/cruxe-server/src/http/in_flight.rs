//! Requests of sessions that are not answered yet.
//!
//! rmcp finds the way of an answer by the request's id. Two requests of one session with one id would make the first
//! answer go to the second request, and leave the first waiting until the session ends; so the second is refused.

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use serde_json::Value;

/// What is being answered, by session and by the JSON of the request's id.
#[derive(Default)]
pub(super) struct InFlight(Mutex<HashSet<(String, String)>>);

/// A request that is being answered; until it is dropped, no other of its session has its id.
pub(super) struct InFlightRequest {
    all: Arc<InFlight>,
    key: (String, String),
}

impl InFlight {
    /// Begins a request; `None` while another of the session has the same id.
    pub(super) fn begin(self: &Arc<Self>, session: &str, id: &Value) -> Option<Arc<InFlightRequest>> {
        let key = (session.to_owned(), id.to_string());
        let begun = self.lock().insert(key.clone());
        begun.then(|| Arc::new(InFlightRequest { all: Arc::clone(self), key }))
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<(String, String)>> {
        self.0.lock()
    }
}

impl Drop for InFlightRequest {
    fn drop(&mut self) {
        self.all.lock().remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_id_is_taken_within_its_session_until_its_request_is_over() {
        let all = Arc::new(InFlight::default());
        let first = all.begin("a", &json!(1));
        assert!(first.is_some());
        assert!(all.begin("a", &json!(1)).is_none());
        assert!(all.begin("a", &json!("1")).is_some(), "a string is another id than a number");
        assert!(all.begin("b", &json!(1)).is_some());
        drop(first);
        assert!(all.begin("a", &json!(1)).is_some());
        assert!(all.lock().is_empty());
    }
}
