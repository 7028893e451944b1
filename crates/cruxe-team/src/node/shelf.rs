//! The repositories that a node has on its disk, and how they get there and go again.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use cruxe_index::{Project, Workspace};
use cruxe_model::config::Config;
use cruxe_server::contract::{ErrorCode, ToolError};
use cruxe_server::{Scope, Shelf};
use cruxe_store::{Directory, Home};
use parking_lot::Mutex;

use super::NodeOptions;
use super::arrivals::Arrivals;
use super::directories::Directories;
use super::tables::{Known, Tables};
use crate::blobs::Blobs;
use crate::database::Database;
use crate::error::TeamError;
use crate::jobs;
use crate::local::{Local, getter};
use crate::publish;

/// Repositories that are brought at once because they were pushed to.
const BRINGERS: usize = 3;
/// How long the index before the one in use is kept for questions that have begun.
const KEPT: Duration = Duration::from_secs(30);

/// What was brought.
pub(crate) struct NodeShelf {
    database: Arc<Database>,
    blobs: Arc<Blobs>,
    tables: Arc<Tables>,
    local: Local,
    config: Config,
    max_bytes: u64,
    max_open: usize,
    here: Mutex<HashMap<String, Here>>,
    /// Repositories that are being brought: whoever wants the same waits for it.
    bringing: Mutex<HashMap<String, Arc<Mutex<()>>>>,
    /// What was brought since the start, for figures.
    pub brought: AtomicU64,
    pub fetched_bytes: AtomicU64,
    pub evicted: AtomicU64,
    directories: Directories,
    arrivals: Arc<Arrivals>,
    /// Who wants to hear that something changed.
    listeners: Mutex<Vec<Box<dyn Fn() + Send + Sync>>>,
    me: Weak<NodeShelf>,
}

/// A repository on disk.
struct Here {
    state: i64,
    bytes: u64,
    used: Instant,
    workspace: Option<Arc<Workspace>>,
    /// When the index before the one in use may go.
    tidy_at: Option<Instant>,
}

impl NodeShelf {
    pub fn new(
        database: Arc<Database>,
        blobs: Arc<Blobs>,
        tables: Arc<Tables>,
        local: Local,
        options: &NodeOptions,
    ) -> Arc<NodeShelf> {
        let known = |name: String| {
            let state = local.record(&name)?.state;
            let bytes = local.size(&name);
            Some((name, Here { state, bytes, used: Instant::now(), workspace: None, tidy_at: None }))
        };
        let here = local.names().into_iter().filter_map(known).collect();
        Arc::new_cyclic(|me| NodeShelf {
            database,
            blobs,
            tables,
            here: Mutex::new(here),
            local,
            config: options.config.clone(),
            max_bytes: options.max_bytes,
            max_open: options.max_open.max(1),
            bringing: Mutex::default(),
            brought: AtomicU64::new(0),
            fetched_bytes: AtomicU64::new(0),
            evicted: AtomicU64::new(0),
            directories: Directories::at(options.folder.join("directories"), options.directory_bytes),
            arrivals: Arc::default(),
            listeners: Mutex::default(),
            me: me.clone(),
        })
    }

    pub fn home(&self) -> Home {
        self.local.home()
    }

    /// Where the copy of a repository is, or would be.
    pub fn root_of(&self, name: &str) -> PathBuf {
        self.local.folder(name)
    }

    /// How many repositories are on disk, their bytes, and how many are open.
    pub fn figures(&self) -> (usize, u64, usize) {
        let here = self.here.lock();
        let open = here.values().filter(|one| one.workspace.is_some()).count();
        (here.len(), here.values().map(|one| one.bytes).sum(), open)
    }

    /// How many bytes of directories are in memory.
    pub fn directory_bytes(&self) -> usize {
        self.directories.bytes()
    }

    /// Tells whoever listens that something changed.
    pub fn tell(&self) {
        self.listeners.lock().iter().for_each(|tell| tell());
    }

    /// Brings the newest state of every repository that is here, and lets go what is not needed.
    pub fn catch_up(&self) {
        let repos = self.tables.repos();
        if let Err(problem) = self.directories.read_ahead(&self.database, &repos) {
            tracing::warn!("{problem}");
        }
        self.directories.retain(&repos);
        let local: Vec<(String, i64)> =
            self.here.lock().iter().map(|(name, here)| (name.clone(), here.state)).collect();
        let mut behind = Vec::new();
        for (name, state) in local {
            match self.tables.repo(&self.local.folder(&name)) {
                None => self.forget(&name),
                Some(known) if known.state.is_some_and(|newest| newest != state) => behind.push(known),
                Some(_) => {}
            }
        }
        self.bring_all(&behind);
        self.tidy();
    }

    fn bring_all(&self, repos: &[Arc<Known>]) {
        let queue = Mutex::new(repos.iter());
        let work = || {
            while let Some(known) = { queue.lock().next() } {
                if let Err(problem) = self.bring(known) {
                    tracing::warn!("{}: {problem}", known.name);
                }
            }
        };
        std::thread::scope(|scope| (0..repos.len().min(BRINGERS)).for_each(|_| drop(scope.spawn(work))));
    }

    /// Removes indexes that were superseded a while ago.
    fn tidy(&self) {
        let due = |here: &mut Here| here.tidy_at.take_if(|at| *at <= Instant::now()).is_some();
        let names: Vec<String> =
            self.here.lock().iter_mut().filter_map(|(name, here)| due(here).then(|| name.clone())).collect();
        for name in names {
            let tidied =
                self.local.project(&name, &self.config).and_then(|project| Ok(project.store.forget_superseded()?));
            if let Err(problem) = tidied {
                tracing::debug!("{name}: {problem}");
            }
            let bytes = self.local.size(&name);
            if let Some(here) = self.here.lock().get_mut(&name) {
                here.bytes = bytes;
            }
        }
    }

    /// Brings the published state of a repository. Questions go on with what was there.
    fn bring(&self, known: &Known) -> Result<(), TeamError> {
        let turn = Arc::clone(self.bringing.lock().entry(known.name.clone()).or_default());
        let _turn = turn.lock();
        let Some(current) = publish::current(&self.database, known.id)? else {
            return Err(TeamError::Usage("nothing is published".to_owned()));
        };
        if self.here.lock().get(&known.name).is_some_and(|here| here.state == current.state) {
            return Ok(());
        }
        self.make_room(&known.name, current.manifest.bytes());
        let attempt = || self.local.bring(&known.name, current.state, &current.manifest, &getter(&self.blobs));
        let outcome = match attempt() {
            Err(problem) if problem.is_full_disk() && self.evict_half(&known.name) => attempt(),
            outcome => outcome,
        };
        let assembled = outcome.inspect_err(|problem| self.report(known, problem))?;
        self.brought.fetch_add(1, Ordering::Relaxed);
        self.fetched_bytes.fetch_add(assembled.bytes, Ordering::Relaxed);
        let bytes = self.local.size(&known.name);
        let mut here = self.here.lock();
        let entry = here.entry(known.name.clone()).or_insert_with(|| Here {
            state: 0,
            bytes,
            used: Instant::now(),
            workspace: None,
            tidy_at: None,
        });
        (entry.state, entry.bytes, entry.tidy_at) = (current.state, bytes, Some(Instant::now() + KEPT));
        Ok(())
    }

    /// Tells the workers of a blob that cannot be had, so that they write it anew.
    fn report(&self, known: &Known, problem: &TeamError) {
        let (TeamError::DamagedBlob(name) | TeamError::MissingBlob(name)) = problem else { return };
        tracing::error!("{}: {problem}", known.name);
        let Some(hash) = crate::pack::Hash::parse(name) else { return };
        let marked = self.database.run(async |client| {
            client.execute("UPDATE blob SET damaged = true WHERE hash = $1", &[&hash.0.as_slice()]).await?;
            Ok(())
        });
        let asked = marked.and_then(|()| jobs::ask_for(&self.database, known.id, cruxe_store::SCHEMA_VERSION));
        if let Err(problem) = asked {
            tracing::warn!("{problem}");
        }
    }

    /// Makes room for so many bytes, by what was used longest ago.
    fn make_room(&self, for_name: &str, bytes: u64) {
        while self.here.lock().values().map(|here| here.bytes).sum::<u64>() + bytes > self.max_bytes {
            if !self.evict_one(for_name) {
                return;
            }
        }
    }

    fn evict_half(&self, but: &str) -> bool {
        let half = self.here.lock().len().div_ceil(2);
        (0..half).filter(|_| self.evict_one(but)).count() > 0
    }

    /// Lets go of the repository that nobody uses and that was used longest ago; `false` where there is none.
    fn evict_one(&self, but: &str) -> bool {
        let mut here = self.here.lock();
        let idle = here.iter().filter(|(name, one)| {
            name.as_str() != but && one.workspace.as_ref().is_none_or(|workspace| Arc::strong_count(workspace) == 1)
        });
        let Some(name) = idle.min_by_key(|(_, one)| one.used).map(|(name, _)| name.clone()) else { return false };
        // Taken out before the lock goes: nobody opens what is being removed.
        here.remove(&name);
        drop(here);
        self.evicted.fetch_add(1, Ordering::Relaxed);
        if let Err(problem) = self.local.remove(&name) {
            tracing::warn!("{name}: {problem}");
        }
        true
    }

    /// Lets go of what the disk no longer has as it was written: it is brought again.
    fn drop_damaged(&self, name: &str) {
        tracing::error!("{name}: what is here is damaged; it is brought again");
        if let Some(here) = self.here.lock().get_mut(name) {
            here.state = 0;
        }
        if let Err(problem) = self.local.forget_record(name) {
            tracing::warn!("{name}: {problem}");
        }
    }

    fn forget(&self, name: &str) {
        let idle = |here: &Here| here.workspace.as_ref().is_none_or(|workspace| Arc::strong_count(workspace) == 1);
        let gone = self.here.lock().extract_if(|known, here| known == name && idle(here)).next();
        if gone.is_some()
            && let Err(problem) = self.local.remove(name)
        {
            tracing::warn!("{name}: {problem}");
        }
    }

    /// The workspace of a repository that is here.
    fn opened(&self, known: &Known) -> Result<Option<Arc<Workspace>>, TeamError> {
        let mut here = self.here.lock();
        let Some(one) = here.get_mut(&known.name) else { return Ok(None) };
        one.used = Instant::now();
        let behind = known.waiting || known.state != Some(one.state);
        if let Some(workspace) = &one.workspace {
            workspace.set_behind(behind);
            return Ok(Some(Arc::clone(workspace)));
        }
        let project = Project { replica: Some(known.name.clone()), ..self.local.project(&known.name, &self.config)? };
        let workspace = Workspace::open(project);
        workspace.set_behind(behind);
        one.workspace = Some(Arc::clone(&workspace));
        self.close_some(&mut here);
        Ok(Some(workspace))
    }

    /// Closes what was used longest ago, so that memory is bounded.
    fn close_some(&self, here: &mut HashMap<String, Here>) {
        let open = |one: &Here| one.workspace.is_some();
        let mut busy = HashSet::new();
        while here.values().filter(|one| open(one)).count() - busy.len() > self.max_open {
            let oldest =
                here.iter().filter(|(name, one)| open(one) && !busy.contains(*name)).min_by_key(|(_, one)| one.used);
            let Some(name) = oldest.map(|(name, _)| name.clone()) else { return };
            match here.get_mut(&name) {
                Some(one) if one.workspace.as_ref().is_some_and(|workspace| Arc::strong_count(workspace) == 1) => {
                    if let Some(workspace) = one.workspace.take() {
                        workspace.close();
                    }
                }
                _ => drop(busy.insert(name)),
            }
        }
    }
}

impl Shelf for NodeShelf {
    fn root(&self, name: &str) -> PathBuf {
        self.local.folder(name)
    }

    fn repositories(&self) -> Vec<(PathBuf, String)> {
        self.tables.repos().into_iter().map(|known| (self.local.folder(&known.name), known.name.clone())).collect()
    }

    fn directory(&self, root: &Path) -> Result<Option<Arc<Directory>>, String> {
        let Some(known) = self.tables.repo(root).filter(|known| known.state.is_some()) else { return Ok(None) };
        let directory = self.directories.of(&self.database, &known);
        directory.map(Some).ok_or_else(|| "it cannot be had now".to_owned())
    }

    fn published(&self, root: &Path) -> Option<i64> {
        self.tables.repo(root)?.state
    }

    fn on_change(&self, tell: Box<dyn Fn() + Send + Sync>) {
        self.listeners.lock().push(tell);
    }

    fn scope_of(&self, holder: &str) -> Option<Scope> {
        self.tables.scope_of_holder(holder.parse().ok()?)
    }

    fn open(&self, root: &Path) -> Result<Arc<Workspace>, ToolError> {
        let known = self.tables.repo(root).ok_or_else(|| unknown(root))?;
        if let Some(workspace) = self.opened(&known).map_err(|problem| unavailable(&known, &problem))? {
            if !is_damaged(&workspace) {
                return Ok(workspace);
            }
            drop(workspace);
            self.drop_damaged(&known.name);
        }
        if known.state.is_none() {
            return Err(not_yet(&known));
        }
        let (me, wanted) = (self.me.clone(), known.clone());
        let arrived = self.arrivals.wait_for(&known.name, move || {
            let brought = me.upgrade().map_or(Ok(()), |shelf| shelf.bring(&wanted));
            brought.map_err(|problem| unavailable(&wanted, &problem))
        });
        arrived.unwrap_or_else(|| Err(on_its_way(&known)))?;
        match self.opened(&known) {
            Ok(Some(workspace)) => Ok(workspace),
            Ok(None) => Err(unknown(root)),
            Err(problem) => Err(unavailable(&known, &problem)),
        }
    }
}

/// Whether the index on this disk cannot be used, or a part of it is not what was written.
fn is_damaged(workspace: &Workspace) -> bool {
    let store = &workspace.project.store;
    store.wants_rebuild() || store.open_index().is_err_and(|problem| problem.schema_status().is_some())
}

/// What is said of a repository that there is not. It was there when the caller's scope was made.
fn unknown(root: &Path) -> ToolError {
    let name = root.file_stem().unwrap_or_default().to_string_lossy();
    ToolError::new(ErrorCode::WorkspaceNotRegistered, format!("workspace `{name}` is not registered"))
}

/// "Not indexed yet" is no "no match".
fn not_yet(known: &Known) -> ToolError {
    let name = &known.name;
    let error =
        ToolError::new(ErrorCode::IndexNotReady, format!("`{name}` is not indexed yet: this is no \"no match\""));
    error.with("workspace", name).suggest("Ask again in a moment; a worker is to index it.")
}

/// It is indexed, but not here yet, and it takes long.
fn on_its_way(known: &Known) -> ToolError {
    let name = &known.name;
    let message = format!("`{name}` is on its way to this node, which takes long: this is no \"no match\"");
    let error = ToolError::new(ErrorCode::IndexNotReady, message);
    error.with("workspace", name).suggest("Ask again in a moment, or another node.")
}

fn unavailable(known: &Known, problem: &TeamError) -> ToolError {
    tracing::error!("{}: {problem}", known.name);
    let name = &known.name;
    let message = match problem.is_full_disk() {
        true => format!("`{name}` cannot be brought here: the disk of this node is full"),
        false => format!("`{name}` cannot be brought here now: {problem}"),
    };
    ToolError::internal(message).with("workspace", name).suggest("Ask again in a moment, or another node.")
}
