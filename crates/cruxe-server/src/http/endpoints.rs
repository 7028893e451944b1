//! The way of a request: access, limits, then rmcp, a bare call, `/health` or `/metrics`.
//!
//! What is passed on to rmcp is parsed twice. rmcp's HTTP service takes bytes alone, and the checks of headers against the
//! message that it makes on the way to a session are private to it; so the message that is parsed here, to answer bad JSON,
//! batches and bare calls as over stdio, cannot be handed on. The second parse costs 1.4 µs for a usual call, 0.4 ms for
//! 1 MB of text, and 26 ms for 1 MB of nested values, of which rmcp's own takes more than twice as much.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{StatusCode, request};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use parking_lot::Mutex;
use rmcp::ServerHandler;
use rmcp::transport::StreamableHttpServerConfig;
use rmcp::transport::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tower_http::catch_panic::CatchPanicLayer;

use super::access::{AccessPolicy, Denied};
use super::held::Shown;
use super::in_flight::InFlight;
use super::owners::{Owners, SESSION};
use super::{Backend, HttpOptions};
use crate::metrics::Page;
use crate::rpc::{ID_TAKEN, Message, bare_answer, invalid, parse};
use crate::schema::Object;
use crate::scope::Scope;
use crate::session::Session;
use crate::tool::Call;

use cruxe_model::config::HttpConfig;

/// How long the last look at the state of the index is good enough: `/health` needs no token, and a look may walk a tree.
const HEALTH_AGE: Duration = Duration::from_secs(1);

/// How long what was sent on the way of a cancelled request can be asked for again by a client that lost its connection.
const REPLAY: Duration = Duration::from_secs(5);

/// What is read of a message takes many times its room. So messages share a bound: one share for each so many bytes.
const SHARE: usize = 64 << 10;
const SHARES: u32 = 1024;

/// Everything behind the port.
pub(super) struct Endpoints<H: ServerHandler> {
    backend: Arc<Backend<H>>,
    access: Arc<AccessPolicy>,
    pages: Option<Router>,
    limits: HttpConfig,
    sessions: Arc<LocalSessionManager>,
    /// Requests.
    calls: StreamableHttpService<H, LocalSessionManager>,
    /// Streams that clients hold open to hear news. They end first when the server ends, so they have an end of their own.
    streams: StreamableHttpService<H, LocalSessionManager>,
    requests: Semaphore,
    /// Shares of what may be read of messages at once: see [`SHARE`].
    shares: Semaphore,
    in_flight: Arc<InFlight>,
    owners: Owners,
    health: Mutex<Option<(Instant, &'static str)>>,
}

impl<H: ServerHandler> Endpoints<H> {
    pub(super) fn new(backend: Backend<H>, options: HttpOptions) -> Arc<Endpoints<H>> {
        let (backend, limits) = (Arc::new(backend), options.limits);
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(Duration::from_millis(limits.session_idle_ms));
        sessions.session_config.completed_cache_ttl = REPLAY;
        let sessions = Arc::new(sessions);
        let service = || {
            let backend = Arc::clone(&backend);
            // The access policy has checked host and origin; one place decides.
            let config = StreamableHttpServerConfig::default()
                .disable_allowed_hosts()
                .with_max_request_body_bytes(limits.max_body_bytes)
                .with_json_response(true);
            StreamableHttpService::new(move || Ok((backend.connect)()), Arc::clone(&sessions), config)
        };
        let (calls, streams) = (service(), service());
        let requests = Semaphore::new(limits.max_requests);
        Arc::new(Endpoints {
            backend,
            access: options.access,
            pages: options.pages,
            limits,
            sessions,
            calls,
            streams,
            requests,
            shares: Semaphore::new(SHARES as usize),
            in_flight: Arc::default(),
            owners: Owners::default(),
            health: Mutex::default(),
        })
    }

    /// The routes.
    pub(super) fn router(self: &Arc<Self>) -> Router {
        let mcp = post(on_post::<H>).get(on_get::<H>).delete(on_delete::<H>);
        let asked = Router::new()
            .route("/mcp", mcp)
            .route("/health", get(on_health::<H>))
            .route("/metrics", get(on_metrics::<H>))
            .fallback(|| async { refuse(StatusCode::NOT_FOUND, "There is /mcp, /health and /metrics.") })
            .layer(from_fn_with_state(Arc::clone(self), admit::<H>))
            .with_state(Arc::clone(self));
        let all = match &self.pages {
            Some(pages) => asked.merge(pages.clone()),
            None => asked,
        };
        all.layer(CatchPanicLayer::new())
    }

    /// Ends the streams that clients hold open.
    pub(super) fn end_streams(&self) {
        self.streams.config.cancellation_token.cancel();
    }

    /// Ends what is in flight.
    pub(super) fn end_calls(&self) {
        self.calls.config.cancellation_token.cancel();
    }

    /// How many calls go on, bare ones included.
    pub(super) fn running(&self) -> usize {
        self.backend.server.metrics().running()
    }

    /// Reads a body that is neither too long nor too slow.
    async fn body(&self, body: Body) -> Result<Bytes, Response> {
        let limit = self.limits.max_body_bytes;
        let too_long = || refuse(StatusCode::PAYLOAD_TOO_LARGE, format!("A message has at most {limit} bytes."));
        let patience = Duration::from_millis(self.limits.body_timeout_ms);
        match timeout(patience, to_bytes(body, limit)).await {
            Ok(Ok(bytes)) => Ok(bytes),
            Ok(Err(problem)) if is_too_long(&problem) => Err(too_long()),
            Ok(Err(_)) => Err(refuse(StatusCode::BAD_REQUEST, "The message broke off.")),
            Err(_) => Err(refuse(StatusCode::REQUEST_TIMEOUT, "The message did not arrive in time.")),
        }
    }

    async fn is_full(&self) -> bool {
        self.sessions.sessions.read().await.len() >= self.limits.max_sessions
    }

    /// Calls a tool that was named as the method. It belongs to no session.
    async fn call_bare(&self, id: Option<Value>, tool: &str, params: Option<Object>, scope: Scope) -> Response {
        let session = Session::fleeting().within(scope);
        let call = Call::new(params.unwrap_or_default(), Arc::new(session));
        let outcome = self.backend.server.call(tool, call).await;
        let Some(id) = id else { return StatusCode::ACCEPTED.into_response() };
        ([(CONTENT_TYPE, "application/json")], bare_answer(id, &outcome)).into_response()
    }

    async fn dispatch(&self, mut parts: request::Parts, bytes: Bytes) -> Response {
        let message = match parse(&bytes) {
            Ok(message) => message,
            Err(refusal) => return rpc(StatusCode::BAD_REQUEST, refusal.to_json()),
        };
        let (server, scope) = (&self.backend.server, parts.extensions.get::<Scope>().cloned().unwrap_or_default());
        // A call goes on behind an answer that has begun as a stream, so the permit of its request does not bound it.
        if matches!(message, Message::Request { .. }) && self.running() >= self.limits.max_requests {
            return busy("The server is busy.");
        }
        match message {
            Message::Request { id, method, params } if server.has(&method) => {
                return self.call_bare(Some(id), &method, params, scope).await;
            }
            Message::Notification { method, params } if server.has(&method) => {
                return self.call_bare(None, &method, params, scope).await;
            }
            Message::Request { id, .. } if !(id.is_string() || id.is_i64() || id.is_u64()) => {
                let refusal = invalid(id, "`id` must be a string or a whole number.");
                return rpc(StatusCode::BAD_REQUEST, refusal.to_json());
            }
            Message::Request { method, .. } if method == "initialize" && self.is_full().await => {
                return busy("There are as many sessions as this server takes.");
            }
            Message::Request { id, .. } => {
                if let Some(session) = parts.headers.get(SESSION).and_then(|session| session.to_str().ok()) {
                    let Some(request) = self.in_flight.begin(session, &id) else {
                        return rpc(StatusCode::BAD_REQUEST, invalid(id, ID_TAKEN).to_json());
                    };
                    // rmcp keeps these until it has called the handler to its end, whether or not the client waits.
                    parts.extensions.insert(request);
                }
            }
            _ => {}
        }
        // rmcp hands the headers on to handlers and to its log.
        parts.headers.remove(AUTHORIZATION);
        self.calls.handle(Request::from_parts(parts, Body::from(bytes))).await.map(Body::new)
    }

    /// Goes on with a request, to which nobody's session but its own token's is there.
    async fn run_as_owner(&self, mut request: Request, next: Next) -> Response {
        let Some(owner) = request.headers().get(AUTHORIZATION).filter(|_| self.access.needs_token()).cloned() else {
            return next.run(request).await;
        };
        self.owners.hide(request.headers_mut());
        let is_new = !request.headers().contains_key(SESSION);
        let response = next.run(request).await;
        if let Some(session) = response.headers().get(SESSION).filter(|_| is_new) {
            let open = self.sessions.sessions.read().await;
            self.owners.note(session, owner, |session| open.contains_key(session));
        }
        response
    }

    /// The status word, at most a second old.
    async fn health(self: &Arc<Self>) -> &'static str {
        let known = *self.health.lock();
        if let Some((_, word)) = known.filter(|(at, _)| at.elapsed() < HEALTH_AGE) {
            return word;
        }
        let this = Arc::clone(self);
        let look = move || {
            let mut known = this.health.lock();
            // Whoever waited for the lock finds what the first one has seen.
            if let Some((_, word)) = known.filter(|(at, _)| at.elapsed() < HEALTH_AGE) {
                return word;
            }
            let word = this.backend.health();
            *known = Some((Instant::now(), word));
            word
        };
        tokio::task::spawn_blocking(look).await.unwrap_or("error")
    }
}

/// Lets a request in or refuses it, and counts the answer.
async fn admit<H: ServerHandler>(
    State(endpoints): State<Arc<Endpoints<H>>>,
    mut request: Request,
    next: Next,
) -> Response {
    let (method, headers) = (request.method(), request.headers());
    let cors_headers = endpoints.access.cors_headers(headers);
    let checked = endpoints.access.check_source(request.uri(), headers);
    let response = if let Err(denied) = checked {
        turn_away(denied)
    } else if AccessPolicy::is_preflight(method, headers) {
        StatusCode::NO_CONTENT.into_response()
    } else {
        match check_token(&endpoints.access, request.uri().path(), headers) {
            Err(denied) => turn_away(denied),
            Ok(scope) => {
                let shown = Shown::by(&endpoints.access, headers);
                // rmcp hands it on to the handler, which holds the request to it.
                request.extensions_mut().insert(scope);
                shown.holds(endpoints.run_as_owner(request, next).await)
            }
        }
    };
    endpoints.backend.server.metrics().responded(response.status().as_u16());
    (cors_headers.into_iter().collect::<HeaderMap>(), response).into_response()
}

/// A load balancer asks `/health` without a token and learns a word.
fn check_token(access: &AccessPolicy, path: &str, headers: &HeaderMap) -> Result<Scope, Denied> {
    if path == "/health" { Ok(Scope::all()) } else { access.check_token(headers) }
}

fn turn_away(denied: Denied) -> Response {
    tracing::debug!(problem = denied.problem, "a request was turned away");
    let mut response = refuse(denied.status, denied.problem);
    if denied.status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

async fn on_post<H: ServerHandler>(State(endpoints): State<Arc<Endpoints<H>>>, request: Request) -> Response {
    let Ok(_permit) = endpoints.requests.try_acquire() else {
        return busy("The server is busy.");
    };
    let is_json =
        request.headers().get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if !is_json {
        return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Send `Content-Type: application/json`.");
    }
    let (parts, body) = request.into_parts();
    let bytes = match endpoints.body(body).await {
        Ok(bytes) => bytes,
        Err(refused) => return refused,
    };
    let patience = Duration::from_millis(endpoints.limits.request_timeout_ms);
    let shares = u32::try_from(1 + bytes.len() / SHARE).unwrap_or(SHARES).min(SHARES);
    let answer = async {
        let _shares = endpoints.shares.acquire_many(shares).await;
        endpoints.dispatch(parts, bytes).await
    };
    let answered = timeout(patience, answer).await;
    answered.unwrap_or_else(|_| refuse(StatusCode::GATEWAY_TIMEOUT, "There was no answer in time."))
}

async fn on_get<H: ServerHandler>(State(endpoints): State<Arc<Endpoints<H>>>, mut request: Request) -> Response {
    request.headers_mut().remove(AUTHORIZATION);
    endpoints.streams.handle(request).await.map(Body::new)
}

async fn on_delete<H: ServerHandler>(State(endpoints): State<Arc<Endpoints<H>>>, mut request: Request) -> Response {
    request.headers_mut().remove(AUTHORIZATION);
    endpoints.calls.handle(request).await.map(Body::new)
}

/// 200 while questions are answered, if from a partial index; 503 when they are not.
async fn on_health<H: ServerHandler>(State(endpoints): State<Arc<Endpoints<H>>>) -> Response {
    let word = endpoints.health().await;
    let status = if word == "error" { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    (status, axum::Json(json!({"status": word}))).into_response()
}

async fn on_metrics<H: ServerHandler>(State(endpoints): State<Arc<Endpoints<H>>>, request: Request) -> Response {
    // They count what others do.
    if !request.extensions().get::<Scope>().is_some_and(Scope::is_all) {
        return refuse(StatusCode::FORBIDDEN, "The figures are for who runs the server.");
    }
    let sessions = endpoints.sessions.sessions.read().await.len();
    let describe = move || {
        let mut page = Page::default();
        page.series("cruxe_sessions_open", "gauge", "MCP sessions that have not ended.");
        page.value("", sessions as f64);
        endpoints.backend.describe(&mut page);
        endpoints.backend.server.metrics().to_text() + &page.into_text()
    };
    match tokio::task::spawn_blocking(describe).await {
        Ok(text) => ([(CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response(),
        Err(_) => refuse(StatusCode::INTERNAL_SERVER_ERROR, "The figures cannot be read."),
    }
}

fn is_too_long(problem: &axum::Error) -> bool {
    let mut cause = std::error::Error::source(problem);
    while let Some(error) = cause {
        if error.to_string().contains("length limit exceeded") {
            return true;
        }
        cause = error.source();
    }
    problem.to_string().contains("length limit exceeded")
}

fn rpc(status: StatusCode, message: Value) -> Response {
    (status, axum::Json(message)).into_response()
}

fn busy(problem: &'static str) -> Response {
    let mut response = refuse(StatusCode::SERVICE_UNAVAILABLE, problem);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

fn refuse(status: StatusCode, problem: impl Into<String>) -> Response {
    (status, problem.into() + "\n").into_response()
}
