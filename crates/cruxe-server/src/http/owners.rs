//! Whose a session is: of the token that began it, and of no other, whatever else that other may see.
//!
//! An id of a session is hard to guess, but it stands in logs of proxies and clients. Who shows another token with it is answered as if
//! there were no such session.

use std::collections::HashMap;

use axum::http::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use parking_lot::Mutex;
use subtle::ConstantTimeEq;

/// Names the session of a request.
pub(super) const SESSION: &str = "mcp-session-id";
/// A session that nobody has: ids are longer.
const NOBODYS: HeaderValue = HeaderValue::from_static("-");

/// The tokens of sessions by their ids, as they were shown.
#[derive(Default)]
pub(super) struct Owners(Mutex<HashMap<String, HeaderValue>>);

impl Owners {
    /// Makes a request that names another's session name nobody's.
    pub fn hide(&self, headers: &mut HeaderMap) {
        let Some(session) = headers.get(SESSION).and_then(|session| session.to_str().ok()) else { return };
        let shown = headers.get(AUTHORIZATION).map_or(&b""[..], HeaderValue::as_bytes);
        let is_anothers = |owner: &HeaderValue| !bool::from(owner.as_bytes().ct_eq(shown));
        if self.0.lock().get(session).is_some_and(is_anothers) {
            headers.insert(SESSION, NOBODYS);
        }
    }

    /// Notes whose a new session is. `is_open` tells which of the others have not ended.
    pub fn note(&self, session: &HeaderValue, owner: HeaderValue, is_open: impl Fn(&str) -> bool) {
        let Ok(session) = session.to_str() else { return };
        let mut owners = self.0.lock();
        owners.retain(|known, _| is_open(known));
        owners.entry(session.to_owned()).or_insert(owner);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(session: &'static str, token: Option<&'static str>) -> HeaderMap {
        let token = token.map(|token| (AUTHORIZATION, HeaderValue::from_static(token)));
        let session = (SESSION.parse().unwrap(), HeaderValue::from_static(session));
        HeaderMap::from_iter(std::iter::once(session).chain(token))
    }

    #[test]
    fn a_session_is_there_for_the_token_that_began_it_alone() {
        let owners = Owners::default();
        owners.note(&HeaderValue::from_static("one"), HeaderValue::from_static("Bearer a"), |_| true);
        owners.note(&HeaderValue::from_static("two"), HeaderValue::from_static("Bearer b"), |_| true);
        let seen = |session, token| {
            let mut headers = request(session, token);
            owners.hide(&mut headers);
            headers[SESSION].to_str().unwrap().to_owned()
        };
        assert_eq!(seen("one", Some("Bearer a")), "one");
        assert_eq!(seen("one", Some("Bearer b")), "-");
        assert_eq!(seen("one", None), "-");
        assert_eq!(seen("two", Some("Bearer b")), "two");
        assert_eq!(seen("three", Some("Bearer a")), "three", "nobody's own, and rmcp says so");
        owners.note(&HeaderValue::from_static("one"), HeaderValue::from_static("Bearer b"), |_| true);
        assert_eq!(seen("one", Some("Bearer b")), "-", "the first one's it stays");
    }

    #[test]
    fn what_has_ended_is_forgotten() {
        let owners = Owners::default();
        for session in ["a", "b", "c"] {
            owners.note(&HeaderValue::from_static(session), HeaderValue::from_static("Bearer"), |known| known == "b");
        }
        let mut left: Vec<String> = owners.0.lock().keys().cloned().collect();
        left.sort();
        assert_eq!(left, ["b", "c"]);
    }
}
