//! What a server offers beside tools: resources, prompts and completions, about its own workspace.

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
use crate::session::Session;
use crate::toolsets::{Toolset, Toolsets};

/// Resources, prompts and completions of some toolsets.
pub struct Catalog {
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
    pub fn new(app: &App, sets: Toolsets) -> Catalog {
        let workspace = Arc::clone(app.own());
        let (published, _) = watch::channel(0);
        let counter = published.clone();
        workspace.on_publish(move || counter.send_modify(|count| *count += 1));
        let nowhere = Workspace::open(Project::nowhere(app.workspaces().home(), workspace.project.config.clone()));
        let with_deck = |workspace: Arc<Workspace>| {
            let deck = app.deck(&workspace.project.root);
            (workspace, deck)
        };
        Catalog { own: with_deck(workspace), nowhere: with_deck(nowhere), sets, published, listed: Mutex::default() }
    }

    /// The server's own workspace and its deck, as far as the client may see them.
    fn seen(&self, session: &Session) -> &(Arc<Workspace>, Arc<Deck>) {
        if session.scope().allows(&self.own.0.project.root) { &self.own } else { &self.nowhere }
    }

    /// The server's own workspace; an empty one where the client may not see it.
    pub(crate) fn workspace(&self, session: &Session) -> &Arc<Workspace> {
        &self.seen(session).0
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

    /// What is published of a ref, the session's if none is named.
    pub(crate) fn view(&self, session: &Session, ref_name: Option<&str>, work: &Work) -> Result<View<'_>, ToolError> {
        let (workspace, name) = self.meant(session, ref_name)?;
        Ok(workspace.view(name.as_deref(), FreshnessPolicy::Balanced)?.with_work(work))
    }

    /// The same without a look at the disk; it never starts a sync.
    pub(crate) fn as_published(&self, session: &Session, ref_name: Option<&str>) -> Result<View<'_>, ToolError> {
        let (workspace, name) = self.meant(session, ref_name)?;
        Ok(workspace.as_published(name.as_deref())?)
    }

    /// The workspace and the ref that a request means, as far as the client may see them.
    fn meant(&self, session: &Session, ref_name: Option<&str>) -> Result<(&Arc<Workspace>, Option<String>), ToolError> {
        let workspace = self.workspace(session);
        let own = session.default_ref(&workspace.project.root);
        let name = session.scope().ref_of(workspace, ref_name.map(str::to_owned).or(own))?;
        Ok((workspace, name))
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
        ErrorCode::FileNotFound | ErrorCode::SymbolNotFound | ErrorCode::RefNotIndexed => {
            ErrorData::resource_not_found(message, Some(data))
        }
        _ => ErrorData::internal_error(message, Some(data)),
    }
}
