//! Answers that go on for as long as the client listens, and no longer than its token holds.
//!
//! A request is let in once. What follows as a stream may last for hours, so the token that opened it is looked up again and again.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap};
use axum::response::Response;
use tokio::time::{Interval, interval};
use tokio_stream::Stream;

use super::access::AccessPolicy;

/// How often a token is looked up.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What a request showed, for as long as its answer lasts.
pub(super) struct Shown {
    access: Arc<AccessPolicy>,
    headers: HeaderMap,
}

impl Shown {
    /// The token of a request.
    pub fn by(access: &Arc<AccessPolicy>, headers: &HeaderMap) -> Shown {
        let token = headers.get_all(AUTHORIZATION).iter().map(|shown| (AUTHORIZATION, shown.clone()));
        Shown { access: Arc::clone(access), headers: token.collect() }
    }

    /// The answer, which ends with the token where it is a stream.
    pub fn holds(self, response: Response) -> Response {
        self.looked_up(response, LOOK_EVERY)
    }

    fn looked_up(self, response: Response, every: Duration) -> Response {
        let kind = response.headers().get(CONTENT_TYPE);
        let is_stream = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        if !is_stream || !self.access.needs_token() {
            return response;
        }
        response.map(|body| {
            Body::from_stream(Held { pieces: Some(body.into_data_stream()), look: interval(every), shown: self })
        })
    }
}

/// A stream that ends with its token.
struct Held {
    /// What is left of it; `None` once it has ended.
    pieces: Option<BodyDataStream>,
    look: Interval,
    shown: Shown,
}

impl Stream for Held {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        while self.pieces.is_some() && self.look.poll_tick(context).is_ready() {
            if self.shown.access.check_token(&self.shown.headers).is_err() {
                tracing::debug!("a stream ended with its token");
                self.pieces = None;
            }
        }
        let Some(pieces) = &mut self.pieces else { return Poll::Ready(None) };
        Pin::new(pieces).poll_next(context)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use axum::body::to_bytes;
    use axum::http::HeaderValue;
    use tokio::task::JoinHandle;

    use super::*;
    use crate::scope::Scope;

    /// Reads a silent answer to who showed a token that is void after so many looks; and how often it was looked up.
    fn read(kind: &'static str, void_after: usize) -> (JoinHandle<Bytes>, Arc<AtomicUsize>) {
        let looks = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&looks);
        let find = move |shown: &str| {
            let before = counter.fetch_add(1, Ordering::Relaxed);
            (shown == "a-secret-of-some-length" && before < void_after).then(Scope::default)
        };
        let access = AccessPolicy::new(IpAddr::V4(Ipv4Addr::LOCALHOST), None, &[], &[]).unwrap();
        let access = Arc::new(access.with_scopes(Box::new(find)));
        let headers =
            HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static("Bearer a-secret-of-some-length"))]);
        let mut response = Response::new(Body::from_stream(tokio_stream::pending::<Result<Bytes, axum::Error>>()));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        let response = Shown::by(&access, &headers).looked_up(response, Duration::from_millis(1));
        (tokio::spawn(async { to_bytes(response.into_body(), 100).await.unwrap() }), looks)
    }

    #[tokio::test]
    async fn a_stream_ends_at_the_first_look_that_finds_its_token_void() {
        let (reading, looks) = read("text/event-stream", 20);
        assert_eq!(reading.await.unwrap(), Bytes::new());
        assert_eq!(looks.load(Ordering::Relaxed), 21);
    }

    #[tokio::test]
    async fn an_answer_that_is_no_stream_is_left_alone() {
        let (reading, looks) = read("application/json", 0);
        let waited = tokio::time::timeout(Duration::from_millis(50), reading).await;
        assert!(waited.is_err());
        assert_eq!(looks.load(Ordering::Relaxed), 0);
    }
}
