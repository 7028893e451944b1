//! One code base as one visitor sees it.
//!
//! A server of one user has one code base and hides nothing. A team's node has many: a visitor sees those that the token may see, each
//! below its own address (`/repo/NAME/-/…`), with the refs that the token may see, and nothing that writes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use cruxe_deck::Deck;
use cruxe_index::Workspace;
use cruxe_model::Work;
use cruxe_server::contract::ToolError;
use cruxe_server::{Ended, Scope, Session};

use crate::address;
use crate::ask::Asking;
use crate::site::Site;

/// Where somebody is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the one code base of a server.
    Own,
    /// Before the repositories of a team.
    Lobby,
    /// In a repository of a team.
    Repository(String),
}

/// Somebody, somewhere.
#[derive(Clone)]
pub(crate) struct Visit {
    pub site: Arc<Site>,
    pub place: Place,
    pub scope: Scope,
    workspace: Arc<Workspace>,
    /// The ref that is asked about, for the audit.
    ref_name: Option<String>,
}

/// The refs that can be looked at, and what a page without one is about.
pub(crate) struct Refs {
    pub names: Vec<String>,
    pub current: String,
}

impl Visit {
    /// Somebody who has just come in.
    pub fn new(site: &Arc<Site>, scope: Scope) -> Visit {
        let place = if site.options.is_team { Place::Lobby } else { Place::Own };
        Visit { site: Arc::clone(site), place, scope, workspace: Arc::clone(site.app.own()), ref_name: None }
    }

    /// The same in a repository; an error that says the same of what is forbidden and of what there is not.
    pub fn enter(&self, name: &str, ref_name: Option<String>) -> Result<Visit, ToolError> {
        let workspace = self.site.app.workspaces().find(Some(name), &self.session())?;
        Ok(Visit { place: Place::Repository(name.to_owned()), workspace, ref_name, ..self.clone() })
    }

    /// A client of the tools that may see as much.
    pub fn session(&self) -> Session {
        Session::fleeting().within(self.scope.clone())
    }

    pub fn workspace(&self) -> &Arc<Workspace> {
        &self.workspace
    }

    /// What the tools know the code base by, where it is not their own.
    pub fn repository(&self) -> Option<&str> {
        match &self.place {
            Place::Repository(name) => Some(name),
            _ => None,
        }
    }

    /// What all addresses of its pages begin with.
    pub fn below(&self) -> String {
        self.repository().map_or_else(String::new, address::repository)
    }

    /// The deck; of a team's repositories none is shown.
    pub fn deck(&self) -> Arc<Deck> {
        self.site.app.deck(&self.site.app.own().project.root)
    }

    /// What people call the code base.
    pub fn name(&self) -> String {
        let root = &self.workspace.project.root;
        let own =
            || root.file_name().map_or_else(|| root.display().to_string(), |name| name.to_string_lossy().into_owned());
        match &self.place {
            Place::Own => own(),
            Place::Lobby => "Cruxe".to_owned(),
            Place::Repository(name) => name.clone(),
        }
    }

    /// The refs that may be seen; none where nothing is indexed.
    pub fn refs(&self) -> Refs {
        let project = &self.workspace.project;
        let shown = self.scope.ref_of(&self.workspace, None).ok();
        let current = shown.and_then(|name| name.map_or_else(|| project.current_ref().ok(), Some)).unwrap_or_default();
        let states = self.workspace.snapshot().and_then(|snapshot| snapshot.refs()).unwrap_or_default();
        let mut names: Vec<String> = states.into_iter().map(|state| state.name).collect();
        names.retain(|name| self.scope.allows_ref(&project.root, name));
        names.sort_by_key(|name| (*name != current, name.clone()));
        Refs { names, current }
    }

    /// Works out something for a page, in turn with the calls of all clients.
    pub async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Asking) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let (visit, began) = (self.clone(), Instant::now());
        let run = move |started: &Work| {
            address::below(&visit.below(), || work(&Asking { visit: &visit, work: started.clone() }))
        };
        let outcome = self.site.server.in_turn(run).await;
        let outcome = outcome.unwrap_or_else(|| Err(ToolError::internal("the answer did not come to its end")));
        self.note(outcome.as_ref().map_or_else(|error| error.code.as_str(), |_| "ok"), began.elapsed());
        outcome
    }

    /// Who looked at what.
    fn note(&self, outcome: &'static str, took: Duration) {
        self.site.server.note(&Ended {
            holder: self.scope.holder().map(str::to_owned),
            tool: "page",
            workspace: self.repository().map(str::to_owned),
            ref_name: self.ref_name.clone(),
            outcome,
            took,
        });
    }
}

/// Whoever was let in: the gate says who.
impl<S: Sync> FromRequestParts<S> for Visit {
    type Rejection = axum::http::StatusCode;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Visit, Self::Rejection> {
        parts.extensions.get::<Visit>().cloned().ok_or(axum::http::StatusCode::UNAUTHORIZED)
    }
}
