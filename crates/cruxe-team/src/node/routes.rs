//! What a node says over HTTP beside MCP.
//!
//! `/team/v1/hook/…` hears of pushes; `/team/v1/repos…` and `/team/v1/blobs…` give the published state to who may see all of it, so
//! that a laptop starts from it; `/team/v1/metrics` has figures; `/ready` says whether the database answers.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use cruxe_store::SCHEMA_VERSION;
use serde_json::json;

use super::Node;
use crate::error::TeamError;
use crate::pack::Hash;
use crate::webhooks::Hook;
use crate::{jobs, publish, repos};

/// Who has not heard of the database for longer is behind it: a node looks every two seconds.
const CURRENT: Duration = Duration::from_secs(10);
/// GitHub's limit of a message.
const MOST_BYTES: usize = 25 << 20;

pub(super) fn router(node: Arc<Node>) -> Router {
    Router::new()
        .route("/team/v1/hook/{*name}", post(on_hook))
        .route("/team/v1/repos", get(on_repos))
        .route("/team/v1/manifest/{*name}", get(on_manifest))
        .route("/team/v1/blobs/{repo}/{hash}", get(on_blob))
        .route("/team/v1/metrics", get(on_metrics))
        .route("/ready", get(on_ready))
        .with_state(node)
}

/// Does what blocks on a thread for it.
async fn blocking(work: impl FnOnce() -> Result<Response, TeamError> + Send + 'static) -> Response {
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(response)) => response,
        Ok(Err(problem)) => {
            tracing::warn!("{problem}");
            (StatusCode::SERVICE_UNAVAILABLE, "It cannot be had now.\n").into_response()
        }
        Err(_) => (StatusCode::INTERNAL_SERVER_ERROR, "It failed.\n").into_response(),
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// A push was told. Who does not know the secret learns nothing, not even whether there is such a repository.
async fn on_hook(State(node): State<Arc<Node>>, Path(name): Path<String>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, MOST_BYTES).await else {
        return (StatusCode::PAYLOAD_TOO_LARGE, "The message is too long.\n").into_response();
    };
    let work = move || {
        let headers = &parts.headers;
        let signature = header(headers, "x-hub-signature-256").or_else(|| header(headers, "x-gitea-signature"));
        let hook = Hook { signature, token: header(headers, "x-gitlab-token"), body: &body };
        let repo = repos::find(&node.database, &name)?;
        let secret = repo.as_ref().map_or("no such repository", |repo| repo.hook_secret.as_str());
        let signed = hook.is_signed_with(secret);
        let Some(repo) = repo.filter(|_| signed) else {
            return Ok((StatusCode::FORBIDDEN, "The signature is not right.\n").into_response());
        };
        if hook.is_push() {
            jobs::ask_for(&node.database, repo.id, SCHEMA_VERSION)?;
            return Ok((StatusCode::ACCEPTED, "It will be indexed.\n").into_response());
        }
        Ok((StatusCode::OK, "Nothing to do.\n").into_response())
    };
    blocking(work).await
}

/// The token of a request.
fn shown(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, secret) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim().to_owned())
}

fn denied() -> Response {
    (StatusCode::UNAUTHORIZED, "A token is required: send `Authorization: Bearer TOKEN`.\n").into_response()
}

fn none() -> Response {
    (StatusCode::NOT_FOUND, "There is no such thing, or it is not yours to have.\n").into_response()
}

/// The repositories whose every ref the caller may see.
async fn on_repos(State(node): State<Arc<Node>>, headers: HeaderMap) -> Response {
    let Some(scope) = shown(&headers).and_then(|secret| node.scope_of(&secret)) else { return denied() };
    let list: Vec<_> = node
        .tables
        .repos()
        .into_iter()
        .filter(|known| scope.allows_all_refs(&node.shelf.root_of(&known.name)))
        .map(|known| {
            let url = crate::git::without_password(&known.url);
            json!({"id": known.id, "name": known.name, "url": url, "state": known.state, "waiting": known.waiting})
        })
        .collect();
    axum::Json(json!({"schema": SCHEMA_VERSION, "repos": list})).into_response()
}

/// The manifest of a repository's published state.
async fn on_manifest(State(node): State<Arc<Node>>, Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some(scope) = shown(&headers).and_then(|secret| node.scope_of(&secret)) else { return denied() };
    let root = node.shelf.root_of(&name);
    let Some(known) = node.tables.repo(&root).filter(|_| scope.allows_all_refs(&root)) else { return none() };
    blocking(move || {
        let Some(current) = publish::current(&node.database, known.id)? else { return Ok(none()) };
        let headers = [("x-cruxe-state", current.state.to_string()), ("x-cruxe-schema", SCHEMA_VERSION.to_string())];
        Ok((headers, Body::from(current.manifest.encode()?)).into_response())
    })
    .await
}

/// A blob of a repository's published state, as it is kept. Whoever gets it compares it.
async fn on_blob(
    State(node): State<Arc<Node>>,
    Path((repo, hash)): Path<(i64, String)>,
    headers: HeaderMap,
) -> Response {
    let Some(scope) = shown(&headers).and_then(|secret| node.scope_of(&secret)) else { return denied() };
    let known = node.tables.repos().into_iter().find(|known| known.id == repo);
    let known = known.filter(|known| scope.allows_all_refs(&node.shelf.root_of(&known.name)));
    let (Some(known), Some(hash)) = (known, Hash::parse(&hash)) else { return none() };
    blocking(move || {
        // A hash alone is no right: the blob has to belong to this repository.
        let belongs = node.database.run(async |client| {
            let sql = "SELECT 1 FROM state_blob JOIN state ON state.id = state WHERE repo = $1 AND blob = $2 LIMIT 1";
            Ok(client.query_opt(sql, &[&known.id, &hash.0.as_slice()]).await?.is_some())
        })?;
        if !belongs {
            return Ok(none());
        }
        Ok(Body::from(node.blobs.get_packed(&hash)?).into_response())
    })
    .await
}

/// Whether this node hears of pushes and tokens: a load balancer asks without a token and learns a word. A node that does not still
/// answers about what it has, so `/health` says another thing.
async fn on_ready(State(node): State<Arc<Node>>) -> Response {
    let (status, word) = match node.tables.age() < CURRENT {
        true => (StatusCode::OK, "ready"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "database_away"),
    };
    (status, axum::Json(json!({"status": word}))).into_response()
}

/// Figures of this node, for who may see everything: they name no repository, but they count all of them.
async fn on_metrics(State(node): State<Arc<Node>>, headers: HeaderMap) -> Response {
    let Some(scope) = shown(&headers).and_then(|secret| node.scope_of(&secret)) else { return denied() };
    if !node.tables.repos().iter().all(|known| scope.allows_all_refs(&node.shelf.root_of(&known.name))) {
        return (StatusCode::FORBIDDEN, "The figures are for who may see every repository.\n").into_response();
    }
    let (repos, bytes, open) = node.shelf.figures();
    let count = |value: &std::sync::atomic::AtomicU64| value.load(Ordering::Relaxed) as f64;
    let figures = [
        ("cruxe_team_repos_known", "gauge", node.tables.repos().len() as f64),
        ("cruxe_team_repos_here", "gauge", repos as f64),
        ("cruxe_team_repos_open", "gauge", open as f64),
        ("cruxe_team_cache_bytes", "gauge", bytes as f64),
        ("cruxe_team_directory_bytes", "gauge", node.shelf.directory_bytes() as f64),
        ("cruxe_team_brought_total", "counter", count(&node.shelf.brought)),
        ("cruxe_team_fetched_bytes_total", "counter", count(&node.shelf.fetched_bytes)),
        ("cruxe_team_evicted_total", "counter", count(&node.shelf.evicted)),
        ("cruxe_team_table_age_seconds", "gauge", node.tables.age().as_secs_f64()),
    ];
    let text: String =
        figures.iter().map(|(name, kind, value)| format!("# TYPE {name} {kind}\n{name} {value}\n")).collect();
    ([(CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}
