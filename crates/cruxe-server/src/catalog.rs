//! What a server offers beside tools: resources, prompts and completions, about its own workspace.

use std::sync::Arc;

use cruxe_deck::Deck;
use cruxe_index::{View, Workspace};
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
    pub(crate) workspace: Arc<Workspace>,
    deck: Arc<Deck>,
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
        let deck = app.deck(&workspace.project.root);
        Catalog { workspace, deck, sets, published, listed: Mutex::default() }
    }

    /// The deck of the server's own workspace.
    pub(crate) fn deck(&self) -> &Deck {
        &self.deck
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
        let own = session.default_ref(&self.workspace.project.root);
        let name = ref_name.map(str::to_owned).or(own);
        Ok(self.workspace.view(name.as_deref(), FreshnessPolicy::Balanced)?.with_work(work))
    }

    /// The same without a look at the disk; it never starts a sync.
    pub(crate) fn as_published(&self, session: &Session, ref_name: Option<&str>) -> Result<View<'_>, ToolError> {
        let own = session.default_ref(&self.workspace.project.root);
        Ok(self.workspace.as_published(ref_name.map(str::to_owned).or(own).as_deref())?)
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
