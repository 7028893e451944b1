//! A project as a server or a command uses it: asks for views of refs, starts jobs, follows edits.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use cruxe_embed::minilm::{MiniLm, NAME};
use cruxe_embed::models::{MINILM, Models};
use cruxe_model::config::{EmbeddingModel, FreshnessPolicy};
use cruxe_model::{SchemaStatus, Work};
use cruxe_store::{Job, JobMode, SCHEMA_VERSION, Snapshot, StoreError};
use parking_lot::Mutex;

use crate::error::IndexError;
use crate::freshness::Freshness;
use crate::history::History;
use crate::job::{JobReport, JobRequest, PreparedJob};
use crate::project::Project;
use crate::running::RunningJobs;
use crate::view::Listener;

/// An open project.
pub struct Workspace {
    /// The project.
    pub project: Project,
    pub(crate) jobs: RunningJobs,
    pub(crate) freshness: Freshness,
    transformer: OnceLock<Result<Option<Arc<MiniLm>>, String>>,
    /// Of a replica: something newer than what is here was pushed.
    pub(crate) behind: AtomicBool,
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
            jobs: RunningJobs::default(),
            freshness: Freshness::default(),
            transformer: OnceLock::new(),
            behind: AtomicBool::new(false),
            history: History::default(),
            touched: Mutex::default(),
            listeners: Mutex::default(),
        })
    }

    /// Says of a replica whether something newer than what is here was pushed.
    pub fn set_behind(&self, behind: bool) {
        self.behind.store(behind, Ordering::Relaxed);
    }

    /// Whether something newer than what is here of a replica was pushed.
    pub fn is_behind(&self) -> bool {
        self.behind.load(Ordering::Relaxed)
    }

    /// What is published now.
    pub fn snapshot(&self) -> Result<Snapshot, StoreError> {
        self.project.store.snapshot()
    }

    /// Whether the index can be read, and why not.
    pub fn schema(&self) -> (SchemaStatus, i64, Option<String>) {
        let problem = match self.project.store.open_index() {
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

    /// Whether an earlier version of the program wrote the index: the next job, whichever it is, rebuilds it.
    pub fn is_outdated(&self) -> bool {
        self.snapshot().is_err_and(|problem| problem.is_outdated())
    }

    /// The job that is going on, in whatever process.
    pub fn active_job(&self) -> Result<Option<Job>, StoreError> {
        self.project.store.jobs().active()
    }

    /// The latest jobs, newest first.
    pub fn recent_jobs(&self, limit: usize) -> Result<Vec<Job>, StoreError> {
        self.project.store.jobs().recent(limit)
    }

    /// Notes jobs whose process ended before they did.
    pub fn recover_interrupted_jobs(&self) -> Result<(), StoreError> {
        self.jobs.note_interrupted(self.project.store.jobs().recover()?);
        Ok(())
    }

    /// Jobs that were found interrupted since this process looks at the project.
    pub fn interrupted_jobs(&self) -> Vec<Job> {
        self.jobs.interrupted()
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
        std::thread::spawn(move || {
            if let Err(problem) = this.run(job, work) {
                tracing::error!("indexing failed: {problem}");
            }
        });
        Ok(started)
    }

    /// Runs a job and waits for it.
    pub fn run_job(&self, request: &JobRequest, work: Work) -> Result<JobReport, IndexError> {
        self.run(self.prepare(request)?, work)
    }

    fn prepare(&self, request: &JobRequest) -> Result<PreparedJob, IndexError> {
        if self.project.replica.is_some() {
            return Err(IndexError::Replica);
        }
        // Nothing can be added to what an earlier version wrote.
        let force = request.force || self.is_outdated();
        let mut job = PreparedJob::start(&self.project, &JobRequest { force, ..request.clone() })?;
        job.doubted = self.freshness.doubted(&self.project);
        self.jobs.note_interrupted(job.interrupted().iter().cloned());
        Ok(job)
    }

    fn run(&self, job: PreparedJob, work: Work) -> Result<JobReport, IndexError> {
        let ref_name = job.ref_name().to_owned();
        let outcome = job.run(&self.project, &self.jobs.within(work));
        self.jobs.note_end(&ref_name, &outcome);
        if outcome.is_ok() {
            self.tell_listeners();
        }
        outcome
    }

    /// Starts a sync of what is checked out; `true` when one is running now.
    pub fn sync_in_background(self: &Arc<Workspace>) -> bool {
        match self.start_job(&JobRequest::default(), Work::default()) {
            Ok(_) | Err(IndexError::Busy) => true,
            Err(IndexError::Replica) => false,
            Err(problem) => {
                tracing::warn!("cannot sync: {problem}");
                false
            }
        }
    }

    /// Asks running jobs to give up; they do so at the next file.
    pub fn close(&self) {
        self.jobs.close();
        self.freshness.wake();
    }

    /// The number of edits of the work tree that were heard of, every one before this moment included. While it stays the
    /// same, so do the files. `None` without a watcher, and after an edit until every folder is known to be watched.
    pub fn edits_heard(&self) -> Option<u64> {
        self.freshness.edits_heard()
    }

    /// Follows edits from now on: indexes what changed a moment after it did. Without a watcher nothing happens, and
    /// freshness is found out question by question.
    pub fn follow(self: &Arc<Workspace>) {
        let this = Arc::downgrade(self);
        let edited = self.freshness.edited();
        let debounce = Duration::from_millis(self.project.config.server.debounce_ms);
        if !self.freshness.start_watching(&self.project) {
            return;
        }
        edited.wake(); // what was edited before anybody watched counts as well
        std::thread::spawn(move || {
            loop {
                edited.wait(debounce);
                match this.upgrade().filter(|this| !this.jobs.is_closing()) {
                    Some(this) => this.catch_up_with_edits(),
                    None => return,
                }
            }
        });
    }

    fn catch_up_with_edits(self: &Arc<Workspace>) {
        self.freshness.watch_folders(&self.project);
        let deadline = Instant::now() + Duration::from_secs(60);
        while Instant::now() < deadline && !self.jobs.is_closing() {
            let stale = match self.look(None, FreshnessPolicy::BestEffort) {
                Ok(view) => !view.standing.is_fresh() || view.published.is_none(),
                Err(_) => return, // a damaged index is for `index --force`, not for a sync behind the user's back
            };
            // Whoever is at it may have listed the files before the edit, so look again afterwards.
            match stale.then(|| self.run_job(&JobRequest::default(), Work::default())) {
                None => return self.tell_listeners(), // another process may have been first
                Some(Ok(_)) => {
                    // The next question finds the work tree looked at.
                    let _ = self.look(None, FreshnessPolicy::BestEffort);
                    return self.tell_listeners();
                }
                Some(Err(IndexError::Busy)) => std::thread::sleep(Duration::from_millis(50)),
                Some(Err(_)) => return self.tell_listeners(),
            }
        }
    }

    /// The transformer, where it is chosen and installed.
    pub fn transformer(&self) -> Result<Option<Arc<MiniLm>>, String> {
        if self.project.config.semantic.model != EmbeddingModel::MiniLm || !self.project.config.semantic.enabled {
            return Ok(None);
        }
        let load = || {
            let models = Models::new(self.project.store.dir().home().models());
            if !models.is_installed(&MINILM) {
                return Err(format!("{NAME} is chosen and not installed: run `cruxe model install {NAME}`"));
            }
            let model = MiniLm::open(&models.folder(&MINILM)).map_err(|problem| problem.to_string())?;
            Ok(Some(Arc::new(model)))
        };
        self.transformer.get_or_init(load).clone()
    }
}
