//! The jobs of a workspace: those that go on, in whatever process, and how the last ones ended.

use std::sync::Mutex;

use cruxe_model::Work;
use cruxe_store::{Job, Jobs, ProjectDir, StoreError, WriterLock};

use crate::error::IndexError;
use crate::job::JobReport;
use crate::workspace::lock;

/// The jobs of a workspace.
#[derive(Default)]
pub(crate) struct RunningJobs {
    history: Mutex<Option<Jobs>>,
    /// Jobs of dead processes that this one found.
    interrupted: Mutex<Vec<Job>>,
    last_failure: Mutex<Option<Failure>>,
    /// Cancelled when the workspace closes, and with it every job that runs.
    closing: Work,
}

/// How the last job ended, where it failed.
struct Failure {
    ref_name: String,
    why: String,
}

impl RunningJobs {
    /// Asks the history of jobs. It is only history: a damaged one is opened anew, which replaces it.
    pub fn ask<T>(&self, dir: &ProjectDir, question: impl Fn(&Jobs) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let open = || Jobs::open(&dir.jobs_path(), dir.lock_path());
        let mut history = lock(&self.history);
        if !history.as_ref().is_some_and(Jobs::is_lasting) {
            *history = Some(open()?);
        }
        match history.as_ref().map_or(Err(StoreError::NotIndexed), &question) {
            Err(StoreError::Corrupt { .. }) => {
                *history = None;
                question(history.insert(open()?))
            }
            outcome => outcome,
        }
    }

    /// The job that goes on, in whatever process.
    pub fn active(&self, dir: &ProjectDir) -> Result<Option<Job>, StoreError> {
        if !dir.jobs_path().exists() {
            return Ok(None);
        }
        self.ask(dir, Jobs::active)
    }

    /// The latest jobs, newest first.
    pub fn recent(&self, dir: &ProjectDir, limit: usize) -> Result<Vec<Job>, StoreError> {
        if !dir.jobs_path().exists() {
            return Ok(Vec::new());
        }
        self.ask(dir, |jobs| jobs.recent(limit))
    }

    /// Notes jobs whose process ended before they did. While somebody writes there is nothing to do: that one did it.
    pub fn recover(&self, dir: &ProjectDir) -> Result<(), StoreError> {
        if !dir.jobs_path().exists() {
            return Ok(());
        }
        let writer = match WriterLock::acquire(&dir.lock_path()) {
            Err(StoreError::Busy) => return Ok(()),
            other => other?,
        };
        let found = self.ask(dir, |jobs| jobs.recover(&writer))?;
        self.note_interrupted(found);
        Ok(())
    }

    /// Notes jobs that were found interrupted.
    pub fn note_interrupted(&self, jobs: impl IntoIterator<Item = Job>) {
        lock(&self.interrupted).extend(jobs);
    }

    /// Jobs that were found interrupted since this process looks at the project.
    pub fn interrupted(&self) -> Vec<Job> {
        lock(&self.interrupted).clone()
    }

    /// The work of a job, which ends when the workspace closes.
    pub fn within(&self, work: Work) -> Work {
        work.within(&self.closing)
    }

    /// Asks running jobs to give up; they do so at the next file.
    pub fn close(&self) {
        self.closing.cancel();
    }

    /// Whether the workspace is closing.
    pub fn is_closing(&self) -> bool {
        self.closing.is_cancelled()
    }

    /// Notes how a job of a ref ended.
    pub fn note_end(&self, ref_name: &str, outcome: &Result<JobReport, IndexError>) {
        match outcome {
            Ok(_) => *lock(&self.last_failure) = None,
            // Whoever asked for it thought better of it: that says nothing about the ref.
            Err(IndexError::Cancelled) => {}
            Err(problem) => {
                let failure = Failure { ref_name: ref_name.to_owned(), why: problem.to_string() };
                *lock(&self.last_failure) = Some(failure);
            }
        }
    }

    /// Why the last job failed, where it was one of this ref.
    pub fn failure_of(&self, ref_name: &str) -> Option<String> {
        lock(&self.last_failure)
            .as_ref()
            .filter(|failure| failure.ref_name == ref_name)
            .map(|failure| failure.why.clone())
    }
}

#[cfg(test)]
mod tests {
    use cruxe_model::ProjectId;
    use cruxe_store::{Home, JobMode, JobStatus};
    use jiff::Timestamp;

    use super::*;

    fn dir(home: &tempfile::TempDir) -> ProjectDir {
        let dir = Home::new(home.path()).project(&ProjectId::new("p"));
        std::fs::create_dir_all(dir.root()).unwrap();
        dir
    }

    #[test]
    fn a_project_without_history_has_no_jobs_and_asking_makes_none() {
        let home = tempfile::tempdir().unwrap();
        let (dir, jobs) = (dir(&home), RunningJobs::default());
        assert!(jobs.active(&dir).unwrap().is_none());
        assert!(jobs.recent(&dir, 5).unwrap().is_empty());
        jobs.recover(&dir).unwrap();
        assert!(!dir.jobs_path().exists());
    }

    #[test]
    fn a_job_whose_process_died_is_found_once_and_counted_as_interrupted() {
        let home = tempfile::tempdir().unwrap();
        let (dir, jobs) = (dir(&home), RunningJobs::default());
        jobs.ask(&dir, |jobs| jobs.start("job1", "main", JobMode::Full, Timestamp::now())).unwrap();
        jobs.recover(&dir).unwrap();
        jobs.recover(&dir).unwrap();
        let found: Vec<(String, JobStatus)> = jobs.interrupted().into_iter().map(|job| (job.id, job.status)).collect();
        assert_eq!(found, [("job1".to_owned(), JobStatus::Interrupted)]);
    }

    #[test]
    fn nobody_is_declared_dead_while_a_writer_lives() {
        let home = tempfile::tempdir().unwrap();
        let (dir, jobs) = (dir(&home), RunningJobs::default());
        jobs.ask(&dir, |jobs| jobs.start("job1", "main", JobMode::Full, Timestamp::now())).unwrap();
        let writer = WriterLock::acquire(&dir.lock_path()).unwrap();
        jobs.recover(&dir).unwrap();
        assert!(jobs.interrupted().is_empty());
        assert_eq!(jobs.active(&dir).unwrap().unwrap().id, "job1");
        drop(writer);
    }

    #[test]
    fn a_damaged_history_is_replaced() {
        let home = tempfile::tempdir().unwrap();
        let (dir, jobs) = (dir(&home), RunningJobs::default());
        std::fs::write(dir.jobs_path(), b"no database").unwrap();
        assert!(jobs.recent(&dir, 5).unwrap().is_empty());
    }

    #[test]
    fn only_the_last_failure_of_the_same_ref_counts_and_cancelling_is_none() {
        let jobs = RunningJobs::default();
        jobs.note_end("main", &Err(IndexError::Cancelled));
        assert_eq!(jobs.failure_of("main"), None);
        jobs.note_end("main", &Err(IndexError::TooManyFiles(7)));
        assert!(jobs.failure_of("main").unwrap().starts_with("more than 7 files"));
        assert_eq!(jobs.failure_of("dev"), None);
    }

    #[test]
    fn closing_ends_the_work_of_every_job() {
        let jobs = RunningJobs::default();
        let work = jobs.within(Work::default());
        assert!(!work.is_cancelled() && !jobs.is_closing());
        jobs.close();
        assert!(work.is_cancelled() && jobs.is_closing());
    }
}
