//! A project as a server or a command uses it: asks for views of refs, starts jobs, follows edits.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use cruxe_embed::Table;
use cruxe_embed::minilm::{MiniLm, NAME};
use cruxe_embed::models::{MINILM, Models};
use cruxe_model::config::{EmbeddingModel, FreshnessPolicy};
use cruxe_model::{
    ErrorCode, FreshnessStatus, IndexingStatus, Metadata, RepoPath, ResultCompleteness, SchemaStatus, ToolError,
};
use cruxe_store::{Index, Job, JobMode, Jobs, RefState, SCHEMA_VERSION, Snapshot, StatEntry, StoreError, WriterLock};

use crate::error::IndexError;
use crate::freshness::{self, Change, Quiet};
use crate::history::History;
use crate::job::{JobReport, JobRequest, PreparedJob, Progress};
use crate::project::{Project, Source};
use crate::view::{Listener, View};
use crate::watch::Watcher;

/// An open project.
pub struct Workspace {
    /// The project.
    pub project: Project,
    index: Mutex<Option<Arc<Index>>>,
    jobs: Mutex<Option<Jobs>>,
    stats: Mutex<Option<Stats>>,
    verified: Mutex<Option<Verified>>,
    quiet: Mutex<Option<(String, i64, Quiet)>>,
    watcher: Mutex<Option<Watcher>>,
    /// The edits that had been heard of when every folder was last seen to be watched.
    watched_at: Mutex<Option<u64>>,
    edited: Arc<Edited>,
    /// Jobs of dead processes that this one found.
    interrupted: Mutex<Vec<Job>>,
    last_failure: Mutex<Option<(String, String)>>,
    transformer: OnceLock<Result<Option<Arc<MiniLm>>, String>>,
    closing: AtomicBool,
    running: Mutex<usize>,
    /// Commits that questions looked at.
    pub(crate) history: History,
    /// When the use of a ref was last noted.
    pub(crate) touched: Mutex<HashMap<String, jiff::Timestamp>>,
    /// Who wants to hear of publishes, and the last one that they heard of.
    pub(crate) listeners: Mutex<(Vec<Listener>, i64)>,
}

/// The files of a published work tree, kept between questions.
struct Stats {
    ref_name: String,
    published: i64,
    entries: Arc<HashMap<RepoPath, StatEntry>>,
}

/// The last moment at which the work tree was seen to be what is published.
#[derive(PartialEq)]
struct Verified {
    ref_name: String,
    published: i64,
    edits: u64,
}

/// Tells the following thread that something was edited.
#[derive(Default)]
struct Edited {
    pending: Mutex<bool>,
    news: std::sync::Condvar,
}

impl Workspace {
    /// Opens a project.
    pub fn open(project: Project) -> Arc<Workspace> {
        Arc::new(Workspace {
            project,
            index: Mutex::default(),
            jobs: Mutex::default(),
            stats: Mutex::default(),
            verified: Mutex::default(),
            quiet: Mutex::default(),
            watcher: Mutex::default(),
            watched_at: Mutex::default(),
            edited: Arc::default(),
            interrupted: Mutex::default(),
            last_failure: Mutex::default(),
            transformer: OnceLock::new(),
            closing: AtomicBool::new(false),
            running: Mutex::new(0),
            history: History::default(),
            touched: Mutex::default(),
            listeners: Mutex::default(),
        })
    }

    /// The index as it is on disk now.
    pub fn index(&self) -> Result<Arc<Index>, StoreError> {
        let mut cached = lock(&self.index);
        if let Some(index) = cached.as_ref().filter(|index| index.is_current(&self.project.dir)) {
            return Ok(Arc::clone(index));
        }
        let index = Index::open(&self.project.dir)?;
        *cached = Some(Arc::clone(&index));
        Ok(index)
    }

    /// Whether the index can be read, and why not.
    pub fn schema(&self) -> (SchemaStatus, i64, Option<String>) {
        let problem = match self.index().and_then(|index| index.snapshot().map(drop)) {
            Ok(()) => return (SchemaStatus::Compatible, SCHEMA_VERSION, None),
            Err(problem) => problem,
        };
        let found = match &problem {
            StoreError::Incompatible { found, .. } => *found,
            _ => 0,
        };
        let status = problem.schema_status().unwrap_or(SchemaStatus::CorruptManifest);
        (status, found, Some(problem.to_string()))
    }

    pub(crate) fn with_jobs<T>(&self, ask: impl Fn(&Jobs) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let open = || Jobs::open(&self.project.dir.jobs_path(), self.project.dir.lock_path());
        let mut jobs = lock(&self.jobs);
        if !jobs.as_ref().is_some_and(Jobs::is_lasting) {
            *jobs = Some(open()?);
        }
        match jobs.as_ref().map_or(Err(StoreError::NotIndexed), &ask) {
            // It is only history: a damaged one is opened anew, which replaces it.
            Err(StoreError::Corrupt { .. }) => {
                *jobs = None;
                ask(jobs.insert(open()?))
            }
            outcome => outcome,
        }
    }

    /// The job that is going on, in whatever process.
    pub fn active_job(&self) -> Result<Option<Job>, StoreError> {
        if !self.project.dir.jobs_path().exists() {
            return Ok(None);
        }
        self.with_jobs(Jobs::active)
    }

    /// The latest jobs, newest first.
    pub fn recent_jobs(&self, limit: usize) -> Result<Vec<Job>, StoreError> {
        if !self.project.dir.jobs_path().exists() {
            return Ok(Vec::new());
        }
        self.with_jobs(|jobs| jobs.recent(limit))
    }

    /// Notes jobs whose process ended before they did. While somebody writes there is nothing to do: that one did it.
    pub fn recover_interrupted_jobs(&self) -> Result<(), StoreError> {
        if !self.project.dir.jobs_path().exists() {
            return Ok(());
        }
        let writer = match WriterLock::acquire(&self.project.dir.lock_path()) {
            Err(StoreError::Busy) => return Ok(()),
            other => other?,
        };
        let found = self.with_jobs(|jobs| jobs.recover(&writer))?;
        lock(&self.interrupted).extend(found);
        Ok(())
    }

    /// Jobs that were found interrupted since this process looks at the project.
    pub fn interrupted_jobs(&self) -> Vec<Job> {
        lock(&self.interrupted).clone()
    }

    /// Starts a job on a thread of its own. Returns once it is certain to run, with its id, ref and mode.
    pub fn start_job(
        self: &Arc<Workspace>,
        request: &JobRequest,
        progress: Arc<dyn Progress + Send + Sync>,
    ) -> Result<(String, String, JobMode), IndexError> {
        let job = self.prepare(request)?;
        let started = (job.id().to_owned(), job.ref_name().to_owned(), job.mode());
        let this = Arc::clone(self);
        *lock(&self.running) += 1;
        std::thread::spawn(move || {
            if let Err(problem) = this.run(job, &*progress) {
                tracing::error!("indexing failed: {problem}");
            }
            *lock(&this.running) -= 1;
        });
        Ok(started)
    }

    /// Runs a job and waits for it.
    pub fn run_job(&self, request: &JobRequest, progress: &dyn Progress) -> Result<JobReport, IndexError> {
        let job = self.prepare(request)?;
        self.run(job, progress)
    }

    fn prepare(&self, request: &JobRequest) -> Result<PreparedJob, IndexError> {
        let job = PreparedJob::start(&self.project, request)?;
        lock(&self.interrupted).extend(job.interrupted.iter().cloned());
        Ok(job)
    }

    fn run(&self, job: PreparedJob, progress: &dyn Progress) -> Result<JobReport, IndexError> {
        let edits = self.watch_folders();
        let ref_name = job.ref_name().to_owned();
        let outcome = job.run(&self.project, &Closing { inner: progress, closing: &self.closing });
        match &outcome {
            Ok(report) => {
                *lock(&self.last_failure) = None;
                self.note_verified(&report.job.ref_name, edits);
                self.tell_listeners();
            }
            // Whoever asked for it thought better of it: that says nothing about the ref.
            Err(IndexError::Cancelled) => {}
            Err(problem) => *lock(&self.last_failure) = Some((ref_name, problem.to_string())),
        }
        outcome
    }

    /// What was just published is what is on disk, if nothing was edited since the job began.
    fn note_verified(&self, ref_name: &str, edits: Option<u64>) {
        let published = self.index().and_then(|index| index.snapshot()).map(|snapshot| snapshot.published());
        if let (Some(edits), Ok(published)) = (edits, published) {
            *lock(&self.verified) = Some(Verified { ref_name: ref_name.to_owned(), published, edits });
        }
    }

    /// Asks running jobs to give up; they do so at the next file.
    pub fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
        let mut pending = lock(&self.edited.pending);
        *pending = true;
        self.edited.news.notify_all();
    }

    /// The ref that a question is about, as it is published, with its freshness handled as the policy says.
    pub fn view(self: &Arc<Workspace>, ref_name: Option<&str>, policy: FreshnessPolicy) -> Result<View<'_>, ToolError> {
        let (name, source) = self.meaning(ref_name)?;
        let mut metadata = Metadata::new(&name);
        let snapshot = match self.index().and_then(|index| index.snapshot()) {
            Ok(snapshot) => Some(snapshot),
            Err(StoreError::NotIndexed) => {
                metadata.schema_status = SchemaStatus::NotIndexed;
                None
            }
            Err(problem) => return Err(IndexError::from(problem).into()),
        };
        let state = match &snapshot {
            Some(snapshot) => snapshot.ref_state(&name).map_err(IndexError::from)?,
            None => None,
        };
        let Some((snapshot, state)) = snapshot.zip(state) else {
            return self.unpublished(name, source, metadata);
        };
        if ref_name.is_some() {
            self.touch(&name);
        }
        let change = match &source {
            Some(source) => self.change(&name, source, &state, &snapshot)?,
            None => Some(Change::OtherSource), // the ref is gone from git; what was indexed is all there is
        };
        let active = self.active_job().map_err(IndexError::from)?.filter(|job| job.ref_name == name);
        if active.as_ref().is_some_and(|job| job.mode == JobMode::Full) {
            metadata.indexing_status = IndexingStatus::Indexing;
        }
        let current = change.is_none();
        if let Some(change) = change {
            self.handle_stale(&name, change, active.is_some(), source.is_some(), policy, &mut metadata)?;
        }
        let here = matches!(source, Some(Source::WorkTree { .. }));
        if here && current && policy != FreshnessPolicy::BestEffort && self.lacks_embeddings(&snapshot)? {
            self.sync_in_background();
        }
        if !state.skipped.is_empty() {
            let large = state.skipped.iter().filter(|(_, why)| why == "too large" || why == "unreadable").count();
            if large > 0 {
                metadata.warnings.push(format!("{large} files are too large or unreadable and not in the index"));
            }
        }
        Ok(View::new(&self.project, Some((snapshot, state)), metadata))
    }

    /// Whether the embeddings are of another model than the one that questions are embedded with.
    fn lacks_embeddings(&self, snapshot: &Snapshot) -> Result<bool, ToolError> {
        let have = snapshot.embedding().map_err(IndexError::from)?.map(|embedding| embedding.model);
        Ok(self.project.config.semantic.enabled && have.as_deref() != Some(Table::builtin().version()))
    }

    /// The transformer, where it is chosen and installed.
    pub fn transformer(&self) -> Result<Option<Arc<MiniLm>>, String> {
        if self.project.config.semantic.model != EmbeddingModel::MiniLm || !self.project.config.semantic.enabled {
            return Ok(None);
        }
        let load = || {
            let models = Models::new(self.project.dir.home().models());
            if !models.is_installed(&MINILM) {
                return Err(format!("{NAME} is chosen and not installed: run `cruxe model install {NAME}`"));
            }
            let model = MiniLm::open(&models.folder(&MINILM)).map_err(|problem| problem.to_string())?;
            Ok(Some(Arc::new(model)))
        };
        self.transformer.get_or_init(load).clone()
    }

    /// The name of a ref and what it means; no meaning for an indexed ref that git no longer has.
    fn meaning(&self, ref_name: Option<&str>) -> Result<(String, Option<Source>), ToolError> {
        match self.project.resolve(ref_name) {
            Ok((name, source)) => Ok((name, Some(source))),
            Err(problem) => {
                let known = ref_name.filter(|name| {
                    let state = self.index().and_then(|index| index.snapshot()?.ref_state(name));
                    state.is_ok_and(|state| state.is_some())
                });
                // That the folder cannot be read says more than which of its files could not.
                let problem = || self.project.check_readable().err().unwrap_or(problem);
                known.map(|name| (name.to_owned(), None)).ok_or_else(|| problem().into())
            }
        }
    }

    fn unpublished(
        self: &Arc<Workspace>,
        name: String,
        source: Option<Source>,
        mut metadata: Metadata,
    ) -> Result<View<'_>, ToolError> {
        let active = self.active_job().map_err(IndexError::from)?;
        let here = matches!(source, Some(Source::WorkTree { .. }));
        let failed = lock(&self.last_failure).clone().filter(|(failed, _)| *failed == name);
        metadata.result_completeness = ResultCompleteness::Partial;
        metadata.freshness_status = FreshnessStatus::Stale;
        if active.as_ref().is_some_and(|job| job.ref_name == name) {
            metadata.freshness_status = FreshnessStatus::Syncing;
            metadata.indexing_status = IndexingStatus::Indexing;
            metadata.warnings.push("the first index is being built; results are missing until it is done".to_owned());
        } else if let Some((_, why)) = failed {
            metadata.indexing_status = IndexingStatus::Failed;
            metadata.warnings.push(format!("indexing failed: {why}"));
        } else if !here {
            return Err(IndexError::RefNotIndexed(name).into());
        } else if self.project.is_registered()? && self.sync_in_background() {
            metadata.freshness_status = FreshnessStatus::Syncing;
            metadata.indexing_status = IndexingStatus::Indexing;
            metadata.warnings.push(format!("`{name}` is being indexed; results are missing until it is done"));
        } else {
            metadata.indexing_status = IndexingStatus::NotIndexed;
            metadata.warnings.push("nothing is indexed yet: call index_repo".to_owned());
        }
        Ok(View::new(&self.project, None, metadata))
    }

    fn change(
        &self,
        name: &str,
        source: &Source,
        state: &RefState,
        snapshot: &Snapshot,
    ) -> Result<Option<Change>, ToolError> {
        if let Some(change) = freshness::commit_change(source, state) {
            return Ok(Some(change));
        }
        let as_of = |edits| Verified { ref_name: name.to_owned(), published: snapshot.published(), edits };
        let edits = self.edits_so_far();
        if edits.is_some() && *lock(&self.verified) == edits.map(as_of) {
            return Ok(None);
        }
        if edits.is_none() && self.is_quiet(name, snapshot) {
            return Ok(None);
        }
        let edits = self.watch_folders();
        let stats = self.stats(name, snapshot)?;
        let outcome = freshness::change(&self.project, source, state, &stats, snapshot)?;
        if outcome.change.is_none() && matches!(source, Source::WorkTree { .. }) {
            *lock(&self.verified) = edits.map(as_of);
            *lock(&self.quiet) = outcome.quiet.map(|quiet| (name.to_owned(), snapshot.published(), quiet));
        }
        Ok(outcome.change)
    }

    /// Whether nothing has moved since the work tree was last seen to be what is published.
    fn is_quiet(&self, name: &str, snapshot: &Snapshot) -> bool {
        let quiet = lock(&self.quiet);
        let same = |known: &&(String, i64, Quiet)| known.0 == name && known.1 == snapshot.published();
        quiet.as_ref().filter(same).is_some_and(|(_, _, quiet)| quiet.holds())
    }

    /// The number of edits so far, with every folder that there was by then watched: what comes later happens in a
    /// watched folder, or in one whose making is an edit itself. `None` without a watcher.
    fn watch_folders(&self) -> Option<u64> {
        let edits = self.edits_so_far();
        let mut watched_at = lock(&self.watched_at);
        if lock(&self.watcher).is_some() && (edits.is_none() || *watched_at != edits) {
            // A folder that is made between the list and the watch of the one around it is heard of by nobody; so it is
            // listed again until a list has nothing new.
            loop {
                let folders = self.folders();
                let mut watcher = lock(&self.watcher);
                match watcher.as_ref().and_then(|watcher| watcher.watch(folders)) {
                    Some(true) => {}
                    Some(false) => break,
                    None => {
                        *watcher = None;
                        return None;
                    }
                }
            }
            *watched_at = edits;
        }
        edits
    }

    /// The number of edits of the work tree that were heard of, every one before this moment included. While it stays the
    /// same, so do the files. `None` without a watcher, and after an edit until every folder is known to be watched:
    /// whoever asks about a few files has looked at them sooner than at every folder.
    pub fn edits_heard(&self) -> Option<u64> {
        let edits = self.edits_so_far();
        let watched_at = self.watched_at.try_lock().ok()?;
        edits.filter(|_| *watched_at == edits)
    }

    /// The number of edits, with every one before this moment counted; `None` without a watcher.
    fn edits_so_far(&self) -> Option<u64> {
        let watcher = lock(&self.watcher);
        let watcher = watcher.as_ref()?;
        watcher.catch_up().then(|| watcher.edits())
    }

    fn stats(&self, name: &str, snapshot: &Snapshot) -> Result<Arc<HashMap<RepoPath, StatEntry>>, IndexError> {
        let mut cached = lock(&self.stats);
        let same = |stats: &&Stats| stats.ref_name == name && stats.published == snapshot.published();
        if let Some(stats) = cached.as_ref().filter(same) {
            return Ok(Arc::clone(&stats.entries));
        }
        let entries = snapshot.stats(name)?.into_iter().map(|entry| (entry.path.clone(), entry)).collect();
        let entries = Arc::new(entries);
        let published = snapshot.published();
        *cached = Some(Stats { ref_name: name.to_owned(), published, entries: Arc::clone(&entries) });
        Ok(entries)
    }

    fn handle_stale(
        self: &Arc<Workspace>,
        name: &str,
        change: Change,
        syncing: bool,
        exists: bool,
        policy: FreshnessPolicy,
        metadata: &mut Metadata,
    ) -> Result<(), ToolError> {
        if policy == FreshnessPolicy::Strict {
            return Err(stale_error(name, &change, &self.project));
        }
        metadata.freshness_status = if syncing { FreshnessStatus::Syncing } else { FreshnessStatus::Stale };
        if policy == FreshnessPolicy::Balanced && !syncing && exists {
            let here = self.project.current_ref().is_ok_and(|current| current == name);
            if here {
                self.sync_in_background();
            } else {
                let request = JobRequest { ref_name: Some(name.to_owned()), force: false };
                let _ = self.start_job(&request, Arc::new(()));
            }
        }
        Ok(())
    }

    /// Starts a sync of what is checked out; `true` when one is running now.
    pub fn sync_in_background(self: &Arc<Workspace>) -> bool {
        match self.start_job(&JobRequest::default(), Arc::new(())) {
            Ok(_) | Err(IndexError::Busy) => true,
            Err(problem) => {
                tracing::warn!("cannot sync: {problem}");
                false
            }
        }
    }

    /// Follows edits from now on: indexes what changed a moment after it did. Without a watcher nothing happens, and
    /// freshness is found out question by question.
    pub fn follow(self: &Arc<Workspace>) {
        let this = Arc::downgrade(self);
        let (edited, debounce) =
            (Arc::clone(&self.edited), Duration::from_millis(self.project.config.server.debounce_ms));
        if !self.start_watcher() {
            return;
        }
        *lock(&edited.pending) = true; // what was edited before anybody watched counts as well
        std::thread::spawn(move || {
            loop {
                wait_for_edit(&edited, debounce);
                match this.upgrade().filter(|this| !this.closing.load(Ordering::Relaxed)) {
                    Some(this) => this.catch_up_with_edits(),
                    None => return,
                }
            }
        });
    }

    fn start_watcher(&self) -> bool {
        let edited = Arc::clone(&self.edited);
        let cookies = self.project.dir.root().join("watch");
        let watcher = Watcher::start(self.folders(), &cookies, move || {
            *lock(&edited.pending) = true;
            edited.news.notify_all();
        });
        let watching = watcher.is_some();
        *lock(&self.watcher) = watcher;
        watching
    }

    /// Everything whose change matters: the folders of the work tree, and where git keeps HEAD and branches.
    fn folders(&self) -> Vec<PathBuf> {
        let root = &self.project.root;
        let listing = self.project.scan().unwrap_or_default();
        let mut folders: Vec<PathBuf> = listing.folders.iter().map(|folder| root.join(folder)).collect();
        if let Some(repo) = &self.project.repo {
            folders.push(repo.git_dir().to_owned());
            folders.push(repo.common_dir().join("refs/heads"));
        }
        folders
    }

    fn catch_up_with_edits(self: &Arc<Workspace>) {
        self.watch_folders();
        let deadline = Instant::now() + Duration::from_secs(60);
        while Instant::now() < deadline && !self.closing.load(Ordering::Relaxed) {
            let stale = match self.view(None, FreshnessPolicy::BestEffort) {
                Ok(view) => view.metadata.freshness_status != FreshnessStatus::Fresh || view.published.is_none(),
                Err(_) => return, // a damaged index is for `index --force`, not for a sync behind the user's back
            };
            // Whoever is at it may have listed the files before the edit, so look again afterwards.
            if !stale || !matches!(self.run_job(&JobRequest::default(), &()), Err(IndexError::Busy)) {
                self.tell_listeners(); // another process may have been first
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Blocks until something was edited and then nothing for a while, or for long enough.
fn wait_for_edit(edited: &Edited, debounce: Duration) {
    let mut pending = lock(&edited.pending);
    while !*pending {
        pending = edited.news.wait(pending).unwrap_or_else(PoisonError::into_inner);
    }
    let deadline = Instant::now() + debounce * 5;
    while *pending && Instant::now() < deadline {
        *pending = false;
        pending = edited.news.wait_timeout(pending, debounce).unwrap_or_else(PoisonError::into_inner).0;
    }
    *pending = false;
}

fn stale_error(name: &str, change: &Change, project: &Project) -> ToolError {
    let head = project.repo.as_ref().and_then(|repo| repo.head().ok()).and_then(|head| head.commit);
    let (message, indexed, current) = match change {
        Change::Commit { indexed, current } => (
            "Index is stale. Last indexed commit does not match HEAD. Run sync_repo to refresh.".to_owned(),
            indexed.clone(),
            current.clone(),
        ),
        Change::File(path) => (
            format!("Index is stale. {path} changed since it was indexed. Run sync_repo to refresh."),
            head.map(|head| head.to_hex()),
            head.map(|head| head.to_hex()),
        ),
        Change::OtherSource => {
            (format!("Index is stale. `{name}` was indexed from somewhere else. Run sync_repo to refresh."), None, None)
        }
    };
    ToolError::new(ErrorCode::IndexStale, message)
        .with("last_indexed_commit", indexed)
        .with("current_head", current)
        .with("ref", name)
}

/// A listener that also stops when the workspace closes.
struct Closing<'a> {
    inner: &'a dyn Progress,
    closing: &'a AtomicBool,
}

impl Progress for Closing<'_> {
    fn files(&self, done: u64, total: u64) {
        self.inner.files(done, total);
    }

    fn cancelled(&self) -> bool {
        self.closing.load(Ordering::Relaxed) || self.inner.cancelled()
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
