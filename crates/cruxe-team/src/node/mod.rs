//! A node: brings repositories to its disk when they are asked about, follows what is published, answers with the tools of every
//! other server.
//!
//! [`tables`] is what it knows of the database, [`shelf`] what it has on disk, [`routes`] what it says over HTTP beside MCP.

mod arrivals;
mod directories;
mod routes;
mod shelf;
mod tables;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded};
use cruxe_index::{Project, Workspace};
use cruxe_model::config::{AnswerForm, Config};
use cruxe_server::http::FindScope;
use cruxe_server::{
    App, Ended, Observer, Prewarm, Scope, Server, Toolset, Toolsets, WorkspaceRules, Workspaces, tools,
};
use cruxe_store::SCHEMA_VERSION;

use crate::audit::{Audit, CallRecord};
use crate::blobs::Blobs;
use crate::database::Database;
use crate::error::TeamError;
use crate::local::Local;
use crate::notices::{Follower, LOOK_EVERY, STATES, TOKENS};
use crate::{jobs, migrations};
pub(crate) use directories::pack as pack_directory;
use shelf::NodeShelf;
use tables::Tables;

/// What somebody asked for may be any text.
fn short(text: &str) -> String {
    text.chars().take(200).collect()
}

/// How long what was last read of the database is believed when it cannot be reached. Nobody can revoke a token in a database that
/// is away; but it may be away for this node alone.
const BELIEVED: Duration = Duration::from_secs(300);
/// How often whoever listens is told at most that something changed: each of them looks then.
const TELL_EVERY: Duration = Duration::from_secs(1);
/// How often a node says that it is there.
const ANNOUNCE_EVERY: Duration = Duration::from_secs(30);

/// What a node needs.
pub struct NodeOptions {
    /// Its name, for `cruxe team status`.
    pub name: String,
    /// Where it keeps what it brought.
    pub folder: PathBuf,
    /// How many bytes that may take.
    pub max_bytes: u64,
    /// How many repositories are open at most.
    pub max_open: usize,
    /// How much memory the directories of repositories may take, in bytes.
    pub directory_bytes: usize,
    /// How questions are answered.
    pub config: Config,
    /// What clients reach it under.
    pub address: Option<String>,
}

/// A node.
pub struct Node {
    pub(crate) database: Arc<Database>,
    pub(crate) blobs: Arc<Blobs>,
    pub(crate) tables: Arc<Tables>,
    pub(crate) shelf: Arc<NodeShelf>,
    options: NodeOptions,
    stop: AtomicBool,
}

impl Node {
    /// A node that knows what the database says now.
    pub fn start(database: Arc<Database>, blobs: Arc<Blobs>, options: NodeOptions) -> Result<Arc<Node>, TeamError> {
        migrations::check(&database)?;
        let local = Local::at(&options.folder)?;
        let tables = Arc::new(Tables::read(&database, &local)?);
        let shelf = NodeShelf::new(Arc::clone(&database), Arc::clone(&blobs), Arc::clone(&tables), local, &options);
        let node = Arc::new(Node { database, blobs, tables, shelf, options, stop: AtomicBool::new(false) });
        let following = Arc::clone(&node);
        let (wake, woken) = bounded(1);
        std::thread::spawn(move || following.follow(&wake));
        let bringing = Arc::clone(&node);
        // Apart from the former: a large repository must not keep a revoked token alive.
        std::thread::spawn(move || bringing.catch_up(&woken));
        Ok(node)
    }

    /// Ends what runs in the background.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// What a caller who shows a token may see.
    pub fn scopes(self: &Arc<Node>) -> FindScope {
        let node = Arc::clone(self);
        Box::new(move |secret| node.scope_of(secret))
    }

    fn scope_of(&self, secret: &str) -> Option<Scope> {
        if self.tables.age() > BELIEVED {
            tracing::error!("the database has been away for too long: nobody is let in");
            return None;
        }
        self.tables.scope_of(secret)
    }

    /// The tools, over what this node brings.
    pub fn server(self: &Arc<Node>, version: &str, form: Option<AnswerForm>) -> (Arc<App>, Arc<Server>) {
        let home = self.shelf.home();
        let own = Workspace::open(Project {
            replica: Some(String::new()),
            ..Project::nowhere(&home, self.options.config.clone())
        });
        let shelf: Arc<dyn cruxe_server::Shelf> = Arc::clone(&self.shelf) as _;
        let rules = WorkspaceRules {
            warmset: 2,
            auto: false,
            allowed_roots: Vec::new(),
            max_registered: 0,
            load_config: Box::new(|_| Ok(Config::default())),
            lost: None,
            shelf: Some(shelf),
        };
        let app = App::new(Workspaces::new(home, own, rules), Prewarm::Disabled);
        let form = form.unwrap_or(self.options.config.server.answers);
        // A deck lies in a work tree, and a node has none.
        let sets = Toolsets::new(vec![Toolset::Code]);
        let server = tools::observed_server(&app, version, &sets, form, self.observer());
        (app, server)
    }

    fn observer(&self) -> Observer {
        let audit = Audit::start(Arc::clone(&self.database), self.options.name.clone());
        Box::new(move |ended: &Ended| {
            audit.note(CallRecord {
                token: ended.holder.as_deref().and_then(|holder| holder.parse().ok()),
                tool: ended.tool.to_owned(),
                repo: ended.workspace.as_deref().map(short),
                ref_name: ended.ref_name.as_deref().map(short),
                outcome: ended.outcome.to_owned(),
                milliseconds: i32::try_from(ended.took.as_millis()).unwrap_or(i32::MAX),
                ended: Instant::now(),
            });
        })
    }

    /// What is served beside MCP: webhooks, packs for laptops, figures.
    pub fn routes(self: &Arc<Node>) -> axum::Router {
        routes::router(Arc::clone(self))
    }

    /// Brings what is published whenever it is woken, and tells whoever listens if that changed anything.
    fn catch_up(&self, woken: &Receiver<()>) {
        let brought = || self.shelf.brought.load(Ordering::Relaxed);
        let (mut news, mut told) = (false, Instant::now());
        for () in woken {
            let (changed, before) = (self.tables.take_changed(), brought());
            self.shelf.catch_up();
            news |= changed || brought() != before;
            // It is woken again soon: what came in between is told then.
            if news && told.elapsed() >= TELL_EVERY {
                self.shelf.tell();
                (news, told) = (false, Instant::now());
            }
        }
    }

    /// Keeps up with what is published and who may see it.
    fn follow(&self, wake: &Sender<()>) {
        let mut follower = Follower::new(Arc::clone(&self.database), &[STATES, TOKENS]);
        let mut announced: Option<Instant> = None;
        while !self.stop.load(Ordering::Relaxed) {
            if announced.is_none_or(|at| at.elapsed() > ANNOUNCE_EVERY) {
                let address = self.options.address.as_deref();
                match jobs::announce(&self.database, &self.options.name, "node", SCHEMA_VERSION, address) {
                    Ok(()) => announced = Some(Instant::now()),
                    Err(problem) => tracing::warn!("{problem}"),
                }
            }
            match self.tables.refresh(&self.database) {
                Ok(()) => drop(wake.try_send(())), // one that waits already does it too
                Err(problem) => {
                    tracing::warn!("{problem}");
                    follower.reconnect();
                }
            }
            follower.wait(LOOK_EVERY);
        }
    }
}
