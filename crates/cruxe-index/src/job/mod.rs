//! The life of an indexing job: it is noted as running, lists and reads a ref, publishes it, and notes how it ended.

mod extract;
mod read_ref;

use std::cell::Cell;
use std::collections::HashSet;
use std::time::{Duration, Instant};

use cruxe_model::{RepoPath, Work};
use cruxe_store::{Job, JobMode, JobStatus, Published, RunningJob, StoreError, Writer};
use cruxe_vcs::{ObjectFormat, hash_blob};
use jiff::Timestamp;

use self::read_ref::{Known, ReadRef, RefReader};
use crate::error::IndexError;
use crate::project::{Project, Source};

pub(crate) use self::extract::{Worker, embedding, open_root, syntax_error_line};

/// What to index.
#[derive(Clone, Debug, Default)]
pub struct JobRequest {
    /// The ref; the one that is checked out by default.
    pub ref_name: Option<String>,
    /// Read and extract everything anew.
    pub force: bool,
}

/// How a job ended.
#[derive(Clone, Debug)]
pub struct JobReport {
    /// The job as it stands in the history.
    pub job: Job,
    /// What was published.
    pub published: Published,
    /// What the reader should know.
    pub warnings: Vec<String>,
}

/// A job that is noted as running: no other can be until its end is noted.
pub struct PreparedJob {
    running: RunningJob,
    source: Source,
    force: bool,
    /// Files that are read whatever their `stat` says.
    pub doubted: HashSet<RepoPath>,
}

impl PreparedJob {
    /// Notes the job; [`IndexError::Busy`] when another is running.
    pub fn start(project: &Project, request: &JobRequest) -> Result<PreparedJob, IndexError> {
        project.register()?;
        let (ref_name, source) = project.resolve(request.ref_name.as_deref())?;
        let now = Timestamp::now();
        let running = project.store.start_job(job_id(&ref_name, now), ref_name, request.force, now)?;
        Ok(PreparedJob { running, source, force: request.force, doubted: HashSet::new() })
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.running.job.id
    }

    /// The ref that it indexes.
    pub fn ref_name(&self) -> &str {
        &self.running.job.ref_name
    }

    /// Whether it looks at everything.
    pub fn mode(&self) -> JobMode {
        self.running.job.mode
    }

    /// Jobs of dead processes that were found on the way.
    pub fn interrupted(&self) -> &[Job] {
        &self.running.interrupted
    }

    /// Does the work. Whatever goes wrong, what was published before stays.
    pub fn run(mut self, project: &Project, work: &Work) -> Result<JobReport, IndexError> {
        let outcome = match self.force || self.running.wants_rebuild() {
            true => self.rebuild(project, work),
            false => match self.update(project, work) {
                // The sources are all that it takes.
                Err(IndexError::Store(StoreError::Damaged { what })) => {
                    tracing::warn!("a part of the index is damaged ({what}) and it is built anew");
                    self.rebuild(project, work)
                }
                outcome => outcome,
            },
        };
        self.note(outcome)
    }

    /// Publishes what changed since the ref was last published.
    fn update(&mut self, project: &Project, work: &Work) -> Result<(ReadRef, Published), IndexError> {
        let known = match self.running.published()? {
            Some(published) => Known::of(&published, project, &self.source)?,
            None => Known::default(),
        };
        let mut writer = self.running.write()?;
        let counter = Counter::new(&self.running, work);
        let reader = RefReader { project, source: &self.source, doubted: &self.doubted, counter };
        let read = reader.read(&mut writer, &known)?;
        let published = writer.publish(self.ref_name(), &read.manifest, Timestamp::now())?;
        Ok((read, published))
    }

    /// Builds the index anew from the sources, beside the one in use, and swaps them. Nothing of the old one is trusted: of a
    /// damaged one nobody knows what else is wrong with it.
    fn rebuild(&self, project: &Project, work: &Work) -> Result<(ReadRef, Published), IndexError> {
        let mut writer = self.running.rebuild()?;
        match self.fill(project, work, &mut writer) {
            Ok(done) => {
                writer.replace()?;
                Ok(done)
            }
            Err(problem) => {
                writer.discard();
                Err(problem)
            }
        }
    }

    /// Reads this ref, and then every other one that the old index had, as far as it can be read and still exists.
    fn fill(&self, project: &Project, work: &Work, writer: &mut Writer) -> Result<(ReadRef, Published), IndexError> {
        let counter = Counter::new(&self.running, work);
        let reader = RefReader { project, source: &self.source, doubted: &self.doubted, counter };
        let mut read = reader.read(writer, &Known::default())?;
        let published = writer.set_ref(self.ref_name(), &read.manifest, Timestamp::now())?;
        for name in self.running.ref_names() {
            let Ok((ref_name, source)) = project.resolve(Some(&name)) else {
                read.warnings.push(format!("`{}` is gone from git and was not indexed again", name.escape_debug()));
                continue;
            };
            if ref_name == self.ref_name() || ref_name != name {
                continue;
            }
            let counter = Counter::silent(&self.running, work);
            let other = RefReader { project, source: &source, doubted: &self.doubted, counter };
            match other.read(writer, &Known::default()) {
                Ok(other) => drop(writer.set_ref(&ref_name, &other.manifest, Timestamp::now())?),
                Err(problem @ (IndexError::Cancelled | IndexError::Store(_))) => return Err(problem),
                Err(problem) => read.warnings.push(format!("`{ref_name}` was not indexed again: {problem}")),
            }
        }
        writer.adopt_compiler_facts()?;
        Ok((read, published))
    }

    /// Notes how the job ended.
    fn note(mut self, outcome: Result<(ReadRef, Published), IndexError>) -> Result<JobReport, IndexError> {
        let job = &mut self.running.job;
        match outcome {
            Ok((ReadRef { extracted, outcomes, warnings, .. }, published)) => {
                job.status = JobStatus::Published;
                job.changed_files = Some(published.changed);
                job.file_count = Some(published.files);
                (job.done, job.total) = (extracted, Some(extracted));
                job.outcomes = outcomes.into_iter().map(|(why, count)| (why, count.into())).collect();
                Ok(JobReport { job: self.running.finish()?, published, warnings })
            }
            Err(problem) => {
                job.status = JobStatus::Failed;
                job.error = Some(problem.to_string());
                // The first problem is the one to report; a full disk refuses this note too.
                let _ = self.running.finish();
                Err(problem)
            }
        }
    }
}

fn job_id(ref_name: &str, created_at: Timestamp) -> String {
    let unique = format!("{ref_name}\0{}\0{}", created_at.as_nanosecond(), std::process::id());
    hash_blob(ObjectFormat::Sha1, unique.as_bytes()).to_hex()[..12].to_owned()
}

/// Tells whoever waits how far a job is and, a few times a second, its row in the history.
struct Counter<'a> {
    running: &'a RunningJob,
    work: &'a Work,
    /// Whether this is the ref whose files are counted for whoever waits.
    is_heard: bool,
    last: Cell<Option<Instant>>,
}

impl<'a> Counter<'a> {
    fn new(running: &'a RunningJob, work: &'a Work) -> Counter<'a> {
        Counter { running, work, is_heard: true, last: Cell::new(None) }
    }

    /// Counts nothing, but stops where it should.
    fn silent(running: &'a RunningJob, work: &'a Work) -> Counter<'a> {
        Counter { is_heard: false, ..Counter::new(running, work) }
    }

    fn files(&self, done: u64, total: u64) {
        if !self.is_heard {
            return;
        }
        self.work.tell(done, total);
        let now = Instant::now();
        if self.last.get().is_none_or(|last| now - last > Duration::from_millis(200)) {
            self.last.set(Some(now));
            // Progress that cannot be noted is no reason to stop.
            let _ = self.running.progress(done, total);
        }
    }

    fn check(&self) -> Result<(), IndexError> {
        Ok(self.work.check()?)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use cruxe_model::SkipReason;
    use cruxe_store::RefSnapshot;
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::Fixture;

    fn start(fixture: &Fixture) -> Result<PreparedJob, IndexError> {
        PreparedJob::start(&fixture.workspace.project, &JobRequest::default())
    }

    fn published(fixture: &Fixture) -> Option<RefSnapshot> {
        fixture.workspace.project.store.ref_snapshot("live").unwrap()
    }

    fn paths(fixture: &Fixture) -> Vec<String> {
        published(fixture).unwrap().files().unwrap().into_iter().map(|file| file.path.into()).collect()
    }

    #[test]
    fn the_first_job_reads_everything_and_later_ones_what_changed() {
        let fixture = Fixture::new(&[("a.rs", "fn a() {}"), ("b.rs", "fn b() {}")]);
        let first = fixture.index().job;
        assert_eq!((first.mode, first.changed_files, first.file_count), (JobMode::Full, Some(2), Some(2)));
        assert_eq!(Value::Object(first.outcomes), json!({"indexed": 2}));
        let second = fixture.index().job;
        assert_eq!((second.mode, second.changed_files, second.file_count), (JobMode::Incremental, Some(0), Some(2)));
        assert_eq!(Value::Object(second.outcomes), json!({"unchanged": 2}));
        fixture.write("a.rs", "fn other() {}");
        fs::remove_file(fixture.root().join("b.rs")).unwrap();
        let third = fixture.index().job;
        assert_eq!((third.changed_files, third.file_count), (Some(2), Some(1)));
        assert_eq!(paths(&fixture), ["a.rs"]);
    }

    #[test]
    fn files_that_are_left_out_are_published_with_their_reason() {
        let fixture = Fixture::new(&[("a.rs", "fn a() {}"), ("Cargo.lock", ""), ("logo.png", ""), ("odd.rs", "a\0b")]);
        let job = fixture.index().job;
        let outcomes = json!({"indexed": 1, "skipped: binary": 2, "skipped: lock file": 1});
        assert_eq!(Value::Object(job.outcomes), outcomes);
        let published = published(&fixture).unwrap();
        let skipped: Vec<(&str, SkipReason)> =
            published.state.skipped.iter().map(|(path, why)| (path.as_str(), *why)).collect();
        assert_eq!(skipped, [("Cargo.lock", SkipReason::LockFile), ("odd.rs", SkipReason::Binary)]);
    }

    #[test]
    fn a_second_job_is_busy_and_one_that_died_is_found_by_the_next() {
        let fixture = Fixture::new(&[("a.rs", "fn a() {}")]);
        let first = start(&fixture).unwrap();
        let id = first.id().to_owned();
        assert!(matches!(start(&fixture).err(), Some(IndexError::Busy)));
        drop(first);
        let next = start(&fixture).unwrap();
        assert_eq!(next.interrupted().iter().map(|job| job.id.as_str()).collect::<Vec<_>>(), [id]);
    }

    #[test]
    fn a_cancelled_job_is_noted_as_failed_and_publishes_nothing() {
        let fixture = Fixture::new(&[("a.rs", "fn a() {}")]);
        let work = Work::default();
        work.cancel();
        let outcome = start(&fixture).unwrap().run(&fixture.workspace.project, &work);
        assert!(matches!(outcome, Err(IndexError::Cancelled)));
        let noted = fixture.workspace.project.store.jobs().recent(1).unwrap().remove(0);
        assert_eq!((noted.status, noted.error.as_deref()), (JobStatus::Failed, Some("cancelled")));
        assert!(published(&fixture).is_none());
    }

    #[test]
    fn an_index_that_somebody_found_damaged_is_built_anew() {
        let fixture = Fixture::new(&[("a.rs", "fn a() {}")]);
        fixture.index();
        let generation = || fixture.workspace.project.store.dir().current().unwrap().unwrap();
        let before = generation();
        fs::write(before.join("damaged"), "").unwrap();
        let job = fixture.index().job;
        assert_eq!(Value::Object(job.outcomes), json!({"indexed": 1}));
        assert_ne!(generation(), before);
        assert_eq!(paths(&fixture), ["a.rs"]);
    }
}
