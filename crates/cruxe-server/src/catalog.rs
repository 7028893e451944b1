//! What a server offers beside tools: resources, prompts and completions, about its own workspace or, where it has many
//! repositories, about the one that a request names.

use std::sync::Arc;

use cruxe_deck::Deck;
use cruxe_index::{Project, View, Workspace};
use cruxe_model::Work;
use cruxe_model::config::FreshnessPolicy;
use parking_lot::Mutex;
use rmcp::model::ErrorData;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::app::App;
use crate::contract::{ErrorCode, ToolError};
use crate::scope::Scope;
use crate::session::Session;
use crate::toolsets::{Toolset, Toolsets};
use crate::uri::Addresses;
use crate::workspaces::Shelf;

/// Resources, prompts and completions of some toolsets.
pub struct Catalog {
    app: Arc<App>,
    /// The server's own workspace and its deck.
    own: (Arc<Workspace>, Arc<Deck>),
    /// What stands for them where the client may not see them: nothing.
    nowhere: (Arc<Workspace>, Arc<Deck>),
    pub(crate) sets: Toolsets,
    /// Counts what was published; whoever follows changes waits for the next.
    published: watch::Sender<u64>,
    /// A figure of the list of files, and the ref and publish that it is of.
    pub(crate) listed: Mutex<Option<((String, i64), u64)>>,
}

impl Catalog {
    /// The catalog of a server.
    pub fn new(app: &Arc<App>, sets: Toolsets) -> Catalog {
        let workspace = Arc::clone(app.own());
        let (published, _) = watch::channel(0);
        let counter = published.clone();
        let count = move || counter.send_modify(|count| *count += 1);
        match app.workspaces().shelf() {
            Some(shelf) => shelf.on_change(Box::new(count)),
            None => workspace.on_publish(count),
        }
        let nowhere = Workspace::open(Project::nowhere(app.workspaces().home(), workspace.project.config.clone()));
        let with_deck = |workspace: Arc<Workspace>| {
            let deck = app.deck(&workspace.project.root);
            (workspace, deck)
        };
        let (own, nowhere) = (with_deck(workspace), with_deck(nowhere));
        Catalog { app: Arc::clone(app), own, nowhere, sets, published, listed: Mutex::default() }
    }

    /// Waits for a pause between questions.
    pub(crate) async fn pause(&self) {
        self.app.quiet.pause().await;
    }

    /// The repositories of a server that has many.
    pub(crate) fn shelf(&self) -> Option<&dyn Shelf> {
        self.app.workspaces().shelf()
    }

    /// What addresses begin with here.
    pub(crate) fn addresses(&self) -> Addresses {
        if self.shelf().is_some() { Addresses::OfMany } else { Addresses::OfOne }
    }

    /// The names of the repositories that a client may see, in order; none where the server has one workspace.
    pub(crate) fn repositories(&self, session: &Session) -> Vec<String> {
        self.app.workspaces().names(session)
    }

    /// The server's own workspace and its deck, as far as the client may see them.
    fn seen(&self, session: &Session) -> &(Arc<Workspace>, Arc<Deck>) {
        if session.scope().allows(&self.own.0.project.root) { &self.own } else { &self.nowhere }
    }

    /// What a request is about: the server's own workspace, an empty one where the client may not see it; of a server that has
    /// many, the repository that is named, or the only one that the client may see.
    pub(crate) fn place<'s>(&self, session: &'s Session, repo: Option<&str>) -> Result<Place<'s>, ToolError> {
        let workspace = match self.shelf() {
            Some(_) => self.app.workspaces().find(repo, session)?,
            None => Arc::clone(&self.seen(session).0),
        };
        Ok(Place { workspace, session })
    }

    /// Holds a client that listens to what it may see now: its stream outlives the request that began it.
    pub(crate) fn renew_scope(&self, session: &Session) {
        let scope = session.scope();
        if let (Some(shelf), Some(holder)) = (self.shelf(), scope.holder()) {
            session.admit_scope(&shelf.scope_of(holder).unwrap_or_else(|| Scope::of(holder)));
        }
    }

    /// The deck of the server's own workspace; none where the client may not see what is checked out there.
    pub(crate) fn deck(&self, session: &Session) -> &Deck {
        let (workspace, deck) = self.seen(session);
        if session.scope().check_work_tree(workspace).is_ok() { deck } else { &self.nowhere.1 }
    }

    /// Hears of everything that is published from now on.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.published.subscribe()
    }

    pub(crate) fn serves(&self, set: Toolset) -> bool {
        self.sets.contains(set)
    }
}

/// A repository, as a client asks about it.
pub(crate) struct Place<'s> {
    pub workspace: Arc<Workspace>,
    session: &'s Session,
}

impl Place<'_> {
    /// What is published of a ref, the session's if none is named.
    pub fn view(&self, ref_name: Option<&str>, work: &Work) -> Result<View<'_>, ToolError> {
        let name = self.meant(ref_name)?;
        Ok(self.workspace.view(name.as_deref(), FreshnessPolicy::Balanced)?.with_work(work))
    }

    /// The same without a look at the disk; it never starts a sync.
    pub fn as_published(&self, ref_name: Option<&str>) -> Result<View<'_>, ToolError> {
        Ok(self.workspace.as_published(self.meant(ref_name)?.as_deref())?)
    }

    /// The ref that a request means, as far as the client may see it.
    fn meant(&self, ref_name: Option<&str>) -> Result<Option<String>, ToolError> {
        let own = self.session.default_ref(&self.workspace.project.root);
        self.session.scope().ref_of(&self.workspace, ref_name.map(str::to_owned).or(own))
    }
}

/// A tool's error as the error of another request, with the next step in its text, where a model reads it.
pub(crate) fn refusal(error: ToolError) -> ErrorData {
    let next = error.data.get("suggestion").and_then(Value::as_str).unwrap_or_default();
    let mut message = error.message.trim_end_matches('.').to_owned();
    message.push_str(". ");
    message.push_str(next);
    let mut data = error.data.clone();
    if let Value::Object(data) = &mut data {
        data.insert("code".to_owned(), json!(error.code.as_str()));
    }
    match error.code {
        ErrorCode::InvalidInput => ErrorData::invalid_params(message, Some(data)),
        ErrorCode::FileNotFound
        | ErrorCode::SymbolNotFound
        | ErrorCode::RefNotIndexed
        | ErrorCode::WorkspaceNotRegistered
        | ErrorCode::ProjectNotFound => ErrorData::resource_not_found(message, Some(data)),
        _ => ErrorData::internal_error(message, Some(data)),
    }
}
