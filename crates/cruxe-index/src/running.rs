//! What a workspace knows about jobs beside their history: how its own last ones ended, and that it closes.

use cruxe_model::Work;
use cruxe_store::Job;
use parking_lot::Mutex;

use crate::error::IndexError;
use crate::job::JobReport;

/// The jobs of a workspace.
#[derive(Default)]
pub(crate) struct RunningJobs {
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
    /// Notes jobs that were found interrupted.
    pub fn note_interrupted(&self, jobs: impl IntoIterator<Item = Job>) {
        self.interrupted.lock().extend(jobs);
    }

    /// Jobs that were found interrupted since this process looks at the project.
    pub fn interrupted(&self) -> Vec<Job> {
        self.interrupted.lock().clone()
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
            Ok(_) => *self.last_failure.lock() = None,
            // Whoever asked for it thought better of it: that says nothing about the ref.
            Err(IndexError::Cancelled) => {}
            Err(problem) => {
                let failure = Failure { ref_name: ref_name.to_owned(), why: problem.to_string() };
                *self.last_failure.lock() = Some(failure);
            }
        }
    }

    /// Why the last job failed, where it was one of this ref.
    pub fn failure_of(&self, ref_name: &str) -> Option<String> {
        self.last_failure
            .lock()
            .as_ref()
            .filter(|failure| failure.ref_name == ref_name)
            .map(|failure| failure.why.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
