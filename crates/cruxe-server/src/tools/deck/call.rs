//! What the tools of the deck share: a call that is about the deck of a workspace.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cruxe_deck::config::{ConfigProblem, DeckConfig};
use cruxe_deck::{Cards, Deck};
use cruxe_index::{View, Workspace};
use cruxe_model::config::FreshnessPolicy;
use cruxe_model::{IndexingStatus, SchemaStatus};

use crate::app::App;
use crate::contract::{ErrorCode, LIMITED, Metadata, ToolError};
use crate::limits::WINDOW;
use crate::tool::Call;

/// How long a question waits for an edit to be indexed. An array has no place to say that it is not up to date.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long it waits for the first index.
const FIRST_PATIENCE: Duration = Duration::from_secs(8);
/// Problems that an answer lists.
const MAX_PROBLEMS: usize = 50;

/// A call that is about a deck.
pub(super) struct DeckCall {
    pub workspace: Arc<Workspace>,
    pub deck: Arc<Deck>,
    warnings: Vec<String>,
}

impl DeckCall {
    /// Opens the deck that a call is about, unless the tool was called too often.
    pub fn new(app: &App, call: &Call, tool: &'static str) -> Result<DeckCall, ToolError> {
        let workspace = app.workspace(call)?;
        call.session.scope().check_work_tree(&workspace)?;
        let deck = app.deck(&workspace.project.root);
        let (config, warnings) = match deck.config() {
            Ok(loaded) => (loaded.config, loaded.warnings.iter().map(ConfigProblem::without_content).collect()),
            // Tasks can be worked on whatever the configuration says; `cue doctor` exists to complain.
            Err(problem) => {
                let problem = ToolError::from(problem).message;
                (DeckConfig::of_defaults(LIMITED), vec![format!("{problem}; the defaults are used")])
            }
        };
        if let Some(limit) = config.rate_limit(tool)
            && let Err(refused) = call.session.admit(tool, limit)
        {
            let message = format!("{tool} was called more often than {} times a minute", limit.per_minute);
            return Err(ToolError::new(ErrorCode::RateLimitExceeded, message)
                .with("retry_after_seconds", refused.retry_after_seconds)
                .with("limit", limit.per_minute)
                .with("window_seconds", WINDOW.as_secs())
                .with("current_count", refused.current_count));
        }
        Ok(DeckCall { workspace, deck, warnings })
    }

    pub fn cards(&self) -> Result<Arc<Cards>, ToolError> {
        Ok(self.deck.cards_as_of(self.workspace.edits_heard())?)
    }

    /// The metadata of an answer that comes from files as they are now.
    pub fn metadata(&self) -> Metadata {
        let name = self.workspace.project.current_ref().unwrap_or_default();
        let mut metadata = Metadata::new(&name);
        let published = self.workspace.snapshot().and_then(|snapshot| snapshot.ref_state(&name));
        (metadata.indexing_status, metadata.schema_status) = match published {
            Ok(Some(_)) => (IndexingStatus::Ready, SchemaStatus::Compatible),
            Ok(None) => (IndexingStatus::NotIndexed, SchemaStatus::Compatible),
            Err(cruxe_store::StoreError::NotIndexed) => (IndexingStatus::NotIndexed, SchemaStatus::NotIndexed),
            Err(problem) => (IndexingStatus::Failed, problem.schema_status().unwrap_or(SchemaStatus::CorruptManifest)),
        };
        metadata.warnings.extend(self.warnings.iter().cloned());
        metadata
    }

    /// The same with what is wrong with cards.
    pub fn metadata_with_problems(&self, cards: &Cards) -> Metadata {
        let metadata = self.metadata();
        if cards.problems.is_empty() {
            return metadata;
        }
        let listed: Vec<serde_json::Value> =
            cards.problems.iter().take(MAX_PROBLEMS).filter_map(|problem| serde_json::to_value(problem).ok()).collect();
        metadata.with("problem_count", cards.problems.len()).with("problems", listed)
    }

    /// The work tree as it is indexed, once what was edited before the question is in the index, or patience ends.
    pub fn view(&self) -> Result<View<'_>, ToolError> {
        let start = Instant::now();
        loop {
            let view = self.workspace.view(None, FreshnessPolicy::Balanced)?;
            let settled = match &view.published {
                Some(_) => view.standing.is_fresh() || start.elapsed() > PATIENCE,
                None => view.standing.indexing == IndexingStatus::Failed || start.elapsed() > FIRST_PATIENCE,
            };
            if settled {
                return Ok(view);
            }
            drop(view);
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
