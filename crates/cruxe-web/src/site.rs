//! What all pages share, and the routes to them.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use cruxe_server::http::{AccessPolicy, random_secret};
use cruxe_server::{App, Server};

use crate::code::Colours;
use crate::live::Live;
use crate::{assets, gate, live, pages};

/// How pages are served.
pub struct SiteOptions {
    /// Who is let in.
    pub access: Arc<AccessPolicy>,
    /// Whether browsers reach it by HTTPS.
    pub tls: bool,
    /// The program's version.
    pub version: &'static str,
    /// Whether it is the node of a team: callers with scopes, and repositories in the place of one code base.
    pub is_team: bool,
}

/// Everything behind the pages.
pub struct Site {
    pub(crate) app: Arc<App>,
    pub(crate) server: Arc<Server>,
    pub(crate) options: SiteOptions,
    /// A page shows it with everything that changes something. Another site's page cannot know it.
    pub(crate) page_token: String,
    /// What the browser of somebody who knew the server's token shows from then on.
    pub(crate) login: String,
    pub(crate) live: Live,
    pub(crate) colours: Colours,
}

impl Site {
    /// Pages about a server's own workspace; `None` where the system has no random numbers.
    pub fn new(app: Arc<App>, server: Arc<Server>, options: SiteOptions) -> Option<Arc<Site>> {
        let (page_token, login) = (random_secret()?, random_secret()?);
        let (live, colours) = (Live::new(&app), Colours::default());
        Some(Arc::new(Site { app, server, options, page_token, login, live, colours }))
    }

    /// The pages. They let nobody in whom the access policy does not.
    pub fn router(self: &Arc<Site>) -> Router {
        Router::new()
            .merge(of_code())
            .route("/branches/index", post(pages::branches::index))
            .route("/board", get(pages::board::page))
            .route("/board/new", post(pages::board::create))
            .route("/board/card/{id}", post(pages::card::update))
            .route("/doc/", get(pages::doc::list))
            .route("/doc/{*path}", get(pages::doc::page))
            .route("/scene", get(pages::doc::scene_page))
            .route("/status", get(pages::status::page))
            .route("/status/sync", post(pages::status::sync))
            .route("/status/rebuild", post(pages::status::rebuild))
            .merge(self.door())
            .layer(from_fn_with_state(Arc::clone(self), gate::admit))
    }

    /// The pages of a team's node: the repositories that a caller may see, and each with the pages that show code.
    pub fn team_router(self: &Arc<Site>) -> Router {
        let inside = get(pages::lobby::repository).with_state(of_code());
        Router::new()
            .route("/", get(pages::lobby::page))
            .nest_service("/repo", inside)
            .merge(self.door())
            .layer(from_fn_with_state(Arc::clone(self), gate::admit))
    }

    /// What every visitor needs to come in.
    fn door(self: &Arc<Site>) -> Router {
        Router::new()
            .route("/login", post(gate::log_in))
            .route("/assets/{version}/{name}", get(assets::serve))
            .route("/favicon.ico", get(assets::icon))
            .with_state(Arc::clone(self))
    }

    /// The same with an answer to every other address, for a server of pages alone.
    pub fn whole_router(self: &Arc<Site>) -> Router {
        let lost = get(pages::nothing).layer(from_fn_with_state(Arc::clone(self), gate::admit));
        self.router().fallback_service(lost)
    }

    /// Ends what pages hold open.
    pub fn end(&self) {
        self.live.end();
    }
}

/// The pages that show code and change nothing.
fn of_code() -> Router {
    Router::new()
        .route("/", get(pages::search::home))
        .route("/search", get(pages::search::page))
        .route("/file/", get(pages::folder::root))
        .route("/file/{*path}", get(pages::file::page))
        .route("/at/{*path}", get(pages::at::part))
        .route("/symbol/{name}", get(pages::symbol::page))
        .route("/branches", get(pages::branches::page))
        .route("/graph", get(pages::graph::page))
        .route("/graph.svg", get(pages::graph::file))
        .route("/live", get(live::stream))
}
