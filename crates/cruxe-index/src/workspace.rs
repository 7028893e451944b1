//! A project as a server or a command uses it: asks for views of refs, starts jobs, follows edits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use cruxe_embed::Table;
use cruxe_embed::minilm::{MiniLm, NAME};
use cruxe_embed::models::{MINILM, Models};
use cruxe_model::config::{EmbeddingModel, FreshnessPolicy};
use cruxe_model::{FreshnessStatus, IndexingStatus, SchemaStatus, Work};
use cruxe_store::{Index, Job, JobMode, Jobs, SCHEMA_VERSION, Snapshot, StoreError, WriterLock};

use crate::error::IndexError;
use crate::following::Following;
use crate::freshness::Change;
use crate::history::History;
use crate::job::{JobReport, JobRequest, PreparedJob};
use crate::project::{Project, Source};
use crate::view::{Listener, Notice, Standing, View};

/// An open project.
pub struct Workspace {
    /// The project.
    pub project: Project,
    index: Mutex<Option<Arc<Index>>>,
    jobs: Mutex<Option<Jobs>>,
    pub(crate) following: Following,
    /// Jobs of dead processes that this one found.
    interrupted: Mutex<Vec<Job>>,
    last_failure: Mutex<Option<(String, String)>>,
    transformer: OnceLock<Result<Option<Arc<MiniLm>>, String>>,
    /// Cancelled when the workspace closes, and with it everything that runs.
    pub(crate) closing: Work,
    running: Mutex<usize>,
    /// Commits that questions looked at.
    pub(crate) history: History,
    /// When the use of a ref was last noted.
    pub(crate) touched: Mutex<HashMap<String, jiff::Timestamp>>,
    /// Who wants to hear of publishes, and the last one that they heard of.
    pub(crate) listeners: Mutex<(Vec<Listener>, i64)>,
}

impl Workspace {
    /// Opens a project.
    pub fn open(project: Project) -> Arc<Workspace> {
        Arc::new(Workspace {
            project,
            index: Mutex::default(),
            jobs: Mutex::default(),
            following: Following::default(),
            interrupted: Mutex::default(),
            last_failure: Mutex::default(),
            transformer: OnceLock::new(),
            closing: Work::default(),
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

    /// What is published now.
    pub fn snapshot(&self) -> Result<Snapshot, StoreError> {
        loop {
            let index = self.index()?;
            match index.snapshot() {
                // It was replaced by a new generation after it was looked up: that is no damage.
                Err(_) if !index.is_current(&self.project.dir) => {}
                outcome => return outcome,
            }
        }
    }

    /// Whether the index can be read, and why not.
    pub fn schema(&self) -> (SchemaStatus, i64, Option<String>) {
        let problem = match self.snapshot().map(drop) {
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
        work: Work,
    ) -> Result<(String, String, JobMode), IndexError> {
        let job = self.prepare(request)?;
        let started = (job.id().to_owned(), job.ref_name().to_owned(), job.mode());
        let this = Arc::clone(self);
        *lock(&self.running) += 1;
        std::thread::spawn(move || {
            if let Err(problem) = this.run(job, work) {
                tracing::error!("indexing failed: {problem}");
            }
            *lock(&this.running) -= 1;
        });
        Ok(started)
    }

    /// Runs a job and waits for it.
    pub fn run_job(&self, request: &JobRequest, work: Work) -> Result<JobReport, IndexError> {
        let job = self.prepare(request)?;
        self.run(job, work)
    }

    fn prepare(&self, request: &JobRequest) -> Result<PreparedJob, IndexError> {
        let mut job = PreparedJob::start(&self.project, request)?;
        job.doubted = self.doubted();
        lock(&self.interrupted).extend(job.interrupted.iter().cloned());
        Ok(job)
    }

    fn run(&self, job: PreparedJob, work: Work) -> Result<JobReport, IndexError> {
        let ref_name = job.ref_name().to_owned();
        let outcome = job.run(&self.project, &work.within(&self.closing));
        match &outcome {
            Ok(_) => {
                *lock(&self.last_failure) = None;
                self.tell_listeners();
            }
            // Whoever asked for it thought better of it: that says nothing about the ref.
            Err(IndexError::Cancelled) => {}
            Err(problem) => *lock(&self.last_failure) = Some((ref_name, problem.to_string())),
        }
        outcome
    }

    /// Asks running jobs to give up; they do so at the next file.
    pub fn close(&self) {
        self.closing.cancel();
        self.following.wake();
    }

    /// The ref that a question is about, as it is published, with its freshness handled as the policy says.
    pub fn view(
        self: &Arc<Workspace>,
        ref_name: Option<&str>,
        policy: FreshnessPolicy,
    ) -> Result<View<'_>, IndexError> {
        let outcome = self.view_of(ref_name, policy);
        // What is damaged in part is rebuilt by a sync, also where it is the part that every question needs.
        let damaged = outcome.is_err() && self.index().is_ok_and(|index| index.wants_rebuild());
        if damaged && policy != FreshnessPolicy::BestEffort {
            self.sync_in_background();
        }
        outcome
    }

    fn view_of(self: &Arc<Workspace>, ref_name: Option<&str>, policy: FreshnessPolicy) -> Result<View<'_>, IndexError> {
        let view = self.look(ref_name, policy)?;
        if !view.standing.is_fresh() {
            // No event told of it, or not yet.
            self.following.wake();
        }
        Ok(view)
    }

    /// The same without a word to the thread that follows edits.
    pub(crate) fn look(
        self: &Arc<Workspace>,
        ref_name: Option<&str>,
        policy: FreshnessPolicy,
    ) -> Result<View<'_>, IndexError> {
        let (name, source) = self.meaning(ref_name)?;
        let mut standing = Standing::fresh(&name);
        let snapshot = match self.snapshot() {
            Ok(snapshot) => Some(snapshot),
            Err(StoreError::NotIndexed) => {
                standing.schema = SchemaStatus::NotIndexed;
                None
            }
            Err(problem) => return Err(problem.into()),
        };
        let state = match &snapshot {
            Some(snapshot) => snapshot.ref_state(&name)?,
            None => None,
        };
        let Some((snapshot, state)) = snapshot.zip(state) else {
            return self.unpublished(name, source, policy, standing);
        };
        if ref_name.is_some() {
            self.touch(&name);
        }
        let change = match &source {
            Some(source) => self.change(&name, source, &state, &snapshot)?,
            None => Some(Change::OtherSource), // the ref is gone from git; what was indexed is all there is
        };
        let active = self.active_job()?.filter(|job| job.ref_name == name);
        if active.as_ref().is_some_and(|job| job.mode == JobMode::Full) {
            standing.indexing = IndexingStatus::Indexing;
        }
        let current = change.is_none();
        if let Some(change) = change {
            self.handle_stale(&name, change, active.is_some(), source.is_some(), policy, &mut standing)?;
        }
        let here = matches!(source, Some(Source::WorkTree { .. }));
        let incomplete = || Ok::<_, IndexError>(snapshot.wants_rebuild() || self.lacks_embeddings(&snapshot)?);
        if here && current && policy != FreshnessPolicy::BestEffort && incomplete()? {
            self.sync_in_background();
        }
        if !state.skipped.is_empty() {
            let large = state.skipped.iter().filter(|(_, why)| why == "too large" || why == "unreadable").count();
            if large > 0 {
                standing.notices.push(Notice::LeftOut(large));
            }
        }
        Ok(View::new(&self.project, Some((snapshot, state)), standing))
    }

    /// Whether the embeddings are of another model than the one that questions are embedded with.
    fn lacks_embeddings(&self, snapshot: &Snapshot) -> Result<bool, IndexError> {
        let have = snapshot.embedding()?.map(|embedding| embedding.model);
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
    fn meaning(&self, ref_name: Option<&str>) -> Result<(String, Option<Source>), IndexError> {
        match self.project.resolve(ref_name) {
            Ok((name, source)) => Ok((name, Some(source))),
            Err(problem) => {
                let known = ref_name.filter(|name| {
                    let state = self.snapshot().and_then(|snapshot| snapshot.ref_state(name));
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
        policy: FreshnessPolicy,
        mut standing: Standing,
    ) -> Result<View<'_>, IndexError> {
        let active = self.active_job()?;
        let here = matches!(source, Some(Source::WorkTree { .. }));
        let failed = lock(&self.last_failure).clone().filter(|(failed, _)| *failed == name);
        standing.partial = true;
        standing.freshness = FreshnessStatus::Stale;
        if active.as_ref().is_some_and(|job| job.ref_name == name) {
            standing.freshness = FreshnessStatus::Syncing;
            standing.indexing = IndexingStatus::Indexing;
            standing.notices.push(Notice::FirstIndex);
        } else if let Some((_, why)) = failed {
            standing.indexing = IndexingStatus::Failed;
            standing.notices.push(Notice::Failed(why));
        } else if !here {
            return Err(IndexError::RefNotIndexed(name));
        } else if policy != FreshnessPolicy::BestEffort && self.project.is_registered()? && self.sync_in_background() {
            standing.freshness = FreshnessStatus::Syncing;
            standing.indexing = IndexingStatus::Indexing;
            standing.notices.push(Notice::BeingIndexed);
        } else {
            standing.indexing = IndexingStatus::NotIndexed;
            standing.notices.push(Notice::NothingIndexed);
        }
        Ok(View::new(&self.project, None, standing))
    }

    fn handle_stale(
        self: &Arc<Workspace>,
        name: &str,
        change: Change,
        syncing: bool,
        exists: bool,
        policy: FreshnessPolicy,
        standing: &mut Standing,
    ) -> Result<(), IndexError> {
        if policy == FreshnessPolicy::Strict {
            let head = self.project.repo.as_ref().and_then(|repo| repo.head().ok()).and_then(|head| head.commit);
            let head = head.map(|head| head.to_hex());
            return Err(IndexError::Stale { ref_name: name.to_owned(), change, head });
        }
        standing.freshness = if syncing { FreshnessStatus::Syncing } else { FreshnessStatus::Stale };
        if policy == FreshnessPolicy::Balanced && !syncing && exists {
            let here = self.project.current_ref().is_ok_and(|current| current == name);
            if here {
                self.sync_in_background();
            } else {
                let request = JobRequest { ref_name: Some(name.to_owned()), force: false };
                let _ = self.start_job(&request, Work::default());
            }
        }
        Ok(())
    }

    /// Starts a sync of what is checked out; `true` when one is running now.
    pub fn sync_in_background(self: &Arc<Workspace>) -> bool {
        match self.start_job(&JobRequest::default(), Work::default()) {
            Ok(_) | Err(IndexError::Busy) => true,
            Err(problem) => {
                tracing::warn!("cannot sync: {problem}");
                false
            }
        }
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
