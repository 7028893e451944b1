//! What the tools share: open workspaces and how they are doing.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

pub use cruxe_deck::dates::seconds;
use cruxe_deck::{Deck, context};
use cruxe_index::{View, Workspace};
use cruxe_model::config::FreshnessPolicy;
use cruxe_model::{FreshnessStatus, IndexingStatus, RepoPath, SchemaStatus};
use cruxe_query::search;
use cruxe_store::{Job, SCHEMA_VERSION};
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::Serialize;

use crate::answers::ServerStatus;
use crate::ask;
use crate::contract::{LIMITED, Metadata, ToolError, left_out};
use crate::quiet::Quiet;
use crate::tool::Call;
use crate::workspaces::Workspaces;

/// The state of a server.
pub struct App {
    workspaces: Workspaces,
    /// The decks that were asked about, by the roots of their workspaces: open once for tools, resources and prompts alike.
    decks: Mutex<HashMap<PathBuf, Arc<Deck>>>,
    started: Instant,
    prewarm: Mutex<Prewarm>,
    /// Whether anybody waits for an answer.
    pub(crate) quiet: Quiet,
}

/// Whether the index was read ahead of the first question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Prewarm {
    /// It will be or is being read.
    Warming,
    /// It was.
    Complete,
    /// The user did not want it.
    Disabled,
}

impl App {
    /// A server's state. [`Prewarm::Warming`] becomes complete with [`App::prewarm`].
    pub fn new(workspaces: Workspaces, prewarm: Prewarm) -> Arc<App> {
        let (decks, prewarm) = (Mutex::default(), Mutex::new(prewarm));
        Arc::new(App { workspaces, decks, started: Instant::now(), prewarm, quiet: Quiet::default() })
    }

    /// The workspaces that it answers about.
    pub fn workspaces(&self) -> &Workspaces {
        &self.workspaces
    }

    /// The workspace that the server was started for.
    pub fn own(&self) -> &Arc<Workspace> {
        self.workspaces.own()
    }

    /// Seconds since the server started.
    pub fn uptime_seconds(&self) -> u64 {
        self.started.elapsed().as_secs()
    }

    /// Whether the index was read ahead.
    pub fn prewarm_status(&self) -> Prewarm {
        *self.prewarm.lock()
    }

    /// Reads what the first question needs of what is published, where that is wanted: a client that has just started a
    /// server asks while its files are still being looked at.
    pub fn prewarm(&self) {
        if self.prewarm_status() != Prewarm::Warming {
            return;
        }
        let own = self.own();
        if let Ok(view) = own.as_published(None) {
            // What is wrong here is the question's to tell.
            let _ = search::read_ahead(&view);
            ask::layers(own, &view);
        }
        *self.prewarm.lock() = Prewarm::Complete;
    }

    /// Blocks until nobody has asked anything for a while, or for long enough.
    pub fn wait_until_quiet(&self) {
        self.quiet.wait();
    }

    /// Reads the whole of the server's own index with its checksums and the front matter of its deck's documents, and
    /// opens recent workspaces, unless the user did not want that.
    pub fn check(&self) {
        if self.prewarm_status() == Prewarm::Disabled {
            return;
        }
        self.workspaces.open_recent();
        let store = &self.own().project.store;
        if store.open_index().is_ok()
            && let Err(problem) = store.validate().and_then(|()| store.validate_vectors())
        {
            tracing::error!("{problem}");
        }
        let own = self.own();
        if self.deck(&own.project.root).exists()
            && let Ok(view) = own.view(None, FreshnessPolicy::BestEffort)
            && let Err(problem) = context::read_ahead(&view)
        {
            tracing::warn!("{problem}");
        }
    }

    /// The deck of a workspace; nothing is read when it is opened.
    pub fn deck(&self, root: &Path) -> Arc<Deck> {
        let mut decks = self.decks.lock();
        if let Some(known) = decks.get(root) {
            return Arc::clone(known);
        }
        let settings = self.workspaces.home().root().join("cue.toml");
        let deck = Arc::new(Deck::open(root).with_user_config(settings).with_limited(LIMITED));
        decks.insert(root.to_owned(), Arc::clone(&deck));
        deck
    }

    /// The workspace that a call is about.
    pub fn workspace(&self, call: &Call) -> Result<Arc<Workspace>, ToolError> {
        self.workspaces.find(call.workspace(), &call.session)
    }

    /// The ref that a call is about: the one it names, else the session's, else what is checked out; an error where the caller
    /// may not see it.
    pub fn ref_name(workspace: &Workspace, call: &Call, asked: Option<String>) -> Result<Option<String>, ToolError> {
        let asked = asked.or_else(|| call.session.default_ref(&workspace.project.root));
        call.session.scope().ref_of(workspace, asked)
    }

    /// How the server is doing, by the state of a ref.
    pub fn status_of(&self, status: &RefStatus) -> ServerStatus {
        match status.index_status {
            _ if status.message.is_some() => ServerStatus::Error,
            IndexingStatus::Failed => ServerStatus::Error,
            IndexingStatus::Indexing | IndexingStatus::NotIndexed => ServerStatus::Indexing,
            IndexingStatus::Ready if self.prewarm_status() == Prewarm::Warming => ServerStatus::Warming,
            IndexingStatus::Ready => ServerStatus::Ready,
        }
    }
}

/// How a ref of a workspace is doing, whatever state its index is in.
pub struct RefStatus {
    /// The metadata of an answer about it.
    pub metadata: Metadata,
    /// Its index.
    pub index_status: IndexingStatus,
    /// Whether the index on disk can be read.
    pub schema_status: SchemaStatus,
    /// The schema version on disk; 0 when there is none.
    pub schema_version: i64,
    /// What is wrong with the index on disk.
    pub message: Option<String>,
    /// When the ref was published.
    pub last_indexed_at: Option<String>,
    /// The commit that was published.
    pub last_indexed_commit: Option<String>,
    /// Its files.
    pub file_count: u64,
    /// Its symbols.
    pub symbol_count: u64,
    /// Files that an imported compiler's index covers.
    pub compiler_file_count: u64,
    /// Files with a syntax error, each with its line.
    pub syntax_errors: Vec<(RepoPath, u32)>,
    /// The job that goes on.
    pub active_job: Option<Job>,
}

impl RefStatus {
    /// Looks at a ref.
    pub fn of(workspace: &Arc<Workspace>, ref_name: Option<&str>) -> Result<RefStatus, ToolError> {
        let (mut schema_status, found, mut message) = workspace.schema();
        let active_job = workspace.active_job().map_err(cruxe_index::IndexError::from)?;
        let mut readable = matches!(schema_status, SchemaStatus::Compatible | SchemaStatus::NotIndexed);
        let mut view = if readable { Some(workspace.view(ref_name, FreshnessPolicy::BestEffort)) } else { None };
        // Damage may show only where something is read.
        if let Some(Err(error)) = &view
            && error.is_of_unreadable_index()
        {
            (schema_status, message) = (SchemaStatus::CorruptManifest, Some(error.to_string()));
            (readable, view) = (false, None);
        }
        let mut status = match view {
            Some(Ok(view)) => RefStatus::from_view(&view),
            // A ref that is not indexed, or an index that cannot be read, is what was asked about, not a failure.
            Some(Err(error)) if !error.is_of_unindexed_ref() => return Err(error.into()),
            other => {
                let name = ref_name.map_or_else(|| workspace.project.current_ref(), |name| Ok(name.to_owned()))?;
                let mut metadata = Metadata::new(&name);
                metadata.freshness_status = FreshnessStatus::Stale;
                metadata.indexing_status =
                    if other.is_some() { IndexingStatus::NotIndexed } else { IndexingStatus::Failed };
                metadata.result_completeness = cruxe_model::ResultCompleteness::Partial;
                RefStatus::empty(metadata)
            }
        };
        status.metadata.schema_status = schema_status;
        status.schema_status = schema_status;
        status.schema_version = if schema_status == SchemaStatus::Compatible { SCHEMA_VERSION } else { found };
        status.message = if readable { None } else { message };
        let here = active_job.as_ref().is_some_and(|job| job.ref_name == status.metadata.ref_name);
        status.index_status = if here { IndexingStatus::Indexing } else { status.metadata.indexing_status };
        status.metadata.indexing_status = status.index_status;
        status.active_job = active_job;
        status.metadata.warnings.extend(workspace.project.config.ignored.iter().cloned());
        Ok(status)
    }

    /// Whether what is indexed is what is on disk.
    pub fn is_fresh(&self) -> bool {
        self.index_status == IndexingStatus::Ready && self.metadata.freshness_status == FreshnessStatus::Fresh
    }

    fn empty(metadata: Metadata) -> RefStatus {
        RefStatus {
            index_status: metadata.indexing_status,
            schema_status: metadata.schema_status,
            metadata,
            schema_version: 0,
            message: None,
            last_indexed_at: None,
            last_indexed_commit: None,
            file_count: 0,
            symbol_count: 0,
            compiler_file_count: 0,
            syntax_errors: Vec::new(),
            active_job: None,
        }
    }

    fn from_view(view: &View) -> RefStatus {
        let mut status = RefStatus::empty(Metadata::of(&view.standing));
        if let Some(published) = &view.published {
            let state = &published.state;
            // What cannot be read shows as damage where it is asked for.
            status.compiler_file_count = published.compiler_coverage().unwrap_or_default();
            status.syntax_errors = view.syntax_errors().unwrap_or_default();
            status.last_indexed_at = Some(seconds(state.indexed_at));
            status.last_indexed_commit = state.commit.clone();
            status.file_count = state.files;
            status.symbol_count = state.symbols;
            status.metadata.warnings.extend(left_out(&state.skipped));
        }
        status
    }
}
