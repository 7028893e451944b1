//! Jobs as their callers see them: the one that is running, and the history of all.

use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;

use crate::error::StoreError;
use crate::index::{self, Index};
use crate::jobs::{Job, JobMode, JobStatus, Jobs};
use crate::layout::ProjectDir;
use crate::lock::WriterLock;
use crate::ref_snapshot::RefSnapshot;
use crate::store::Store;
use crate::writer::Writer;

/// What was indexed when, and which refs were asked for.
pub struct JobHistory<'a> {
    store: &'a Store,
}

impl<'a> JobHistory<'a> {
    pub(crate) fn new(store: &'a Store) -> JobHistory<'a> {
        JobHistory { store }
    }

    fn ask<T>(&self, ask: impl Fn(&Jobs) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let dir = self.store.dir();
        let open = || Jobs::open(&dir.jobs_path(), dir.lock_path());
        let mut jobs = self.store.jobs.lock();
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

    /// Whether anything was ever noted. Questions make no history.
    fn exists(&self) -> bool {
        self.store.dir().jobs_path().exists()
    }

    /// The job that is going on, in whatever process. Where nobody writes there is none, and the history need not be opened to say so:
    /// that would take as long as most questions.
    pub fn active(&self) -> Result<Option<Job>, StoreError> {
        let written = WriterLock::is_held(&self.store.dir().lock_path())?;
        if written && self.exists() { self.ask(Jobs::active) } else { Ok(None) }
    }

    /// The latest jobs, newest first.
    pub fn recent(&self, limit: usize) -> Result<Vec<Job>, StoreError> {
        if self.exists() { self.ask(|jobs| jobs.recent(limit)) } else { Ok(Vec::new()) }
    }

    /// Notes jobs whose process ended before they did, and returns them. While somebody writes there is nothing to do: that
    /// one did it.
    pub fn recover(&self) -> Result<Vec<Job>, StoreError> {
        if !self.exists() {
            return Ok(Vec::new());
        }
        match WriterLock::acquire(&self.store.dir().lock_path()) {
            Err(StoreError::Busy) => Ok(Vec::new()),
            lock => {
                let lock = lock?;
                self.ask(|jobs| jobs.recover(&lock))
            }
        }
    }

    /// Notes that a ref was asked for.
    pub fn touch(&self, ref_name: &str, now: Timestamp) -> Result<(), StoreError> {
        self.ask(|jobs| jobs.touch(ref_name, now))
    }

    /// When a ref was last asked for.
    pub fn accessed(&self, ref_name: &str) -> Result<Option<Timestamp>, StoreError> {
        self.ask(|jobs| jobs.accessed(ref_name))
    }
}

/// A job that is noted as running and is the one writer until its end is noted: a running job without a writer counts as
/// interrupted.
pub struct RunningJob {
    dir: ProjectDir,
    lock: Arc<WriterLock>,
    jobs: Jobs,
    /// Opened once: to see whether the ref is known, and then to read what is.
    index: Option<Result<Arc<Index>, StoreError>>,
    started: Instant,
    /// The job as it stands in the history.
    pub job: Job,
    /// Jobs of dead processes that were found on the way.
    pub interrupted: Vec<Job>,
}

/// The index with its text: a job adds to both.
fn open_whole(dir: &ProjectDir) -> Result<Arc<Index>, StoreError> {
    let index = Index::open(dir)?;
    index.check_text()?;
    Ok(index)
}

impl RunningJob {
    pub(crate) fn start(
        dir: &ProjectDir,
        lock: Arc<WriterLock>,
        id: String,
        ref_name: String,
        force: bool,
        created_at: Timestamp,
    ) -> Result<RunningJob, StoreError> {
        let jobs = Jobs::open(&dir.jobs_path(), dir.lock_path())?;
        let interrupted = jobs.recover(&lock)?;
        let index = open_whole(dir);
        let state = index.as_ref().ok().and_then(|index| index.snapshot().ok()?.ref_state(&ref_name).ok()?);
        let mode = if force || state.is_none() { JobMode::Full } else { JobMode::Incremental };
        jobs.start(&id, &ref_name, mode, created_at)?;
        let job = Job {
            id,
            ref_name,
            mode,
            status: JobStatus::Running,
            changed_files: None,
            file_count: None,
            done: 0,
            total: None,
            outcomes: serde_json::Map::new(),
            error: None,
            created_at,
            duration_ms: 0,
        };
        let started = Instant::now();
        Ok(RunningJob { dir: dir.clone(), lock, jobs, index: Some(index), started, job, interrupted })
    }

    /// What is published of the job's ref; `None` where that is nothing, or in an older form that the writer brings up to date.
    pub fn published(&mut self) -> Result<Option<RefSnapshot>, StoreError> {
        match self.index.take().unwrap_or_else(|| open_whole(&self.dir)) {
            Ok(index) => index.snapshot()?.into_ref(&self.job.ref_name),
            Err(StoreError::NotIndexed) => Ok(None),
            Err(StoreError::Incompatible { found, required }) if found < required => Ok(None),
            Err(problem) => Err(problem),
        }
    }

    /// The names of the refs that the index has, whatever else is wrong with it; none where it cannot be read at all.
    pub fn ref_names(&self) -> Vec<String> {
        index::ref_names(&self.dir)
    }

    /// Whether somebody found a part of the index damaged, so that it should be built anew.
    pub fn wants_rebuild(&self) -> bool {
        index::wants_rebuild(&self.dir)
    }

    /// Opens the index for writing, or makes one. An index that cannot be read is an error.
    pub fn write(&self) -> Result<Writer, StoreError> {
        Writer::open(&self.dir, Arc::clone(&self.lock))
    }

    /// Starts with nothing: what is written takes the place of the index with [`Writer::replace`].
    pub fn rebuild(&self) -> Result<Writer, StoreError> {
        Writer::stage(&self.dir, Arc::clone(&self.lock))
    }

    /// Notes how far it is.
    pub fn progress(&self, done: u64, total: u64) -> Result<(), StoreError> {
        self.jobs.progress(&self.job.id, done, Some(total))
    }

    /// Notes how it ended, as its `job` says by now.
    pub fn finish(mut self) -> Result<Job, StoreError> {
        self.job.duration_ms = self.started.elapsed().as_millis() as u64;
        self.jobs.finish(&self.job)?;
        Ok(self.job)
    }
}
