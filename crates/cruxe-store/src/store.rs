//! The one door to what is kept of a project: reading it, writing it, the history of its jobs.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use parking_lot::Mutex;

use crate::error::StoreError;
use crate::index::Index;
use crate::job_history::{JobHistory, RunningJob};
use crate::jobs::Jobs;
use crate::layout::ProjectDir;
use crate::lock::WriterLock;
use crate::manifest::RefState;
use crate::ref_snapshot::RefSnapshot;
use crate::snapshot::Snapshot;
use crate::version_set::VersionSet;
use crate::writer::Writer;

/// How often a lock is tried that another holds.
const RETRY: Duration = Duration::from_millis(50);

/// The storage of a project. Any number of them may be open, in any number of processes; one at a time writes.
pub struct Store {
    dir: ProjectDir,
    index: Mutex<Option<Arc<Index>>>,
    pub(crate) jobs: Mutex<Option<Jobs>>,
}

/// Refs that were forgotten, or would be.
#[derive(Debug)]
pub struct Forgotten {
    /// The refs.
    pub refs: Vec<RefState>,
    /// File versions that no other ref needs.
    pub versions: u64,
    /// Bytes on disk that were freed; 0 where nothing was removed.
    pub freed_bytes: u64,
}

impl Store {
    /// The storage in a folder. Nothing is read before it is asked for, and nothing is made before something is written.
    pub fn open(dir: ProjectDir) -> Store {
        Store { dir, index: Mutex::default(), jobs: Mutex::default() }
    }

    /// The folder.
    pub fn dir(&self) -> &ProjectDir {
        &self.dir
    }

    /// The index in use, opened anew when a rebuild has taken its place.
    fn index(&self) -> Result<Arc<Index>, StoreError> {
        let mut cached = self.index.lock();
        if let Some(index) = cached.as_ref().filter(|index| index.is_current(&self.dir)) {
            return Ok(Arc::clone(index));
        }
        let index = Index::open(&self.dir)?;
        *cached = Some(Arc::clone(&index));
        Ok(index)
    }

    /// Opens all of the index ahead of the first question; an error when it cannot be opened.
    pub fn open_index(&self) -> Result<(), StoreError> {
        loop {
            let index = self.index()?;
            match index.check_text() {
                Err(_) if !index.is_current(&self.dir) => {}
                outcome => return outcome,
            }
        }
    }

    /// What is published now.
    pub fn snapshot(&self) -> Result<Snapshot, StoreError> {
        loop {
            let index = self.index()?;
            match index.snapshot() {
                // It was replaced by a new generation after it was looked up: that is no damage.
                Err(_) if !index.is_current(&self.dir) => {}
                outcome => return outcome,
            }
        }
    }

    /// What is published of a ref now; `None` when it was never published.
    pub fn ref_snapshot(&self, name: &str) -> Result<Option<RefSnapshot>, StoreError> {
        self.snapshot()?.into_ref(name)
    }

    /// Whether a part of the index was found damaged, so that a sync should build it anew.
    pub fn wants_rebuild(&self) -> bool {
        self.index().is_ok_and(|index| index.wants_rebuild())
    }

    /// Reads everything but embeddings and compares checksums. Damage that it finds fails every later snapshot too.
    pub fn validate(&self) -> Result<(), StoreError> {
        self.index()?.validate()
    }

    /// Reads every embedding and compares checksums. Damage that it finds is made good by the next sync.
    pub fn validate_vectors(&self) -> Result<(), StoreError> {
        self.index()?.validate_vectors()
    }

    /// Makes an empty index where there is none.
    pub fn create(&self) -> Result<(), StoreError> {
        if let Err(StoreError::NotIndexed) = self.index() {
            self.write()?.abandon();
        }
        Ok(())
    }

    /// Becomes the one writer of the index, which is made where there is none; [`StoreError::Busy`] when there is another.
    pub fn write(&self) -> Result<Writer, StoreError> {
        Writer::open(&self.dir, self.lock()?)
    }

    /// The same, but waits for another writer to be done.
    pub fn write_within(&self, patience: Duration) -> Result<Writer, StoreError> {
        let deadline = Instant::now() + patience;
        let lock = loop {
            match self.lock() {
                Err(StoreError::Busy) if Instant::now() < deadline => std::thread::sleep(RETRY),
                outcome => break outcome?,
            }
        };
        Writer::open(&self.dir, lock)
    }

    /// Becomes the one writer and starts with nothing: what is written takes the place of the index with [`Writer::replace`].
    pub fn rebuild(&self) -> Result<Writer, StoreError> {
        Writer::stage(&self.dir, self.lock()?)
    }

    pub(crate) fn lock(&self) -> Result<Arc<WriterLock>, StoreError> {
        WriterLock::acquire(&self.dir.lock_path()).map(Arc::new)
    }

    /// The history of jobs.
    pub fn jobs(&self) -> JobHistory<'_> {
        JobHistory::new(self)
    }

    /// Becomes the one writer and notes a job for a ref as running; [`StoreError::Busy`] when another is. A forced job, and the
    /// first of a ref, looks at everything.
    pub fn start_job(
        &self,
        id: String,
        ref_name: String,
        force: bool,
        now: Timestamp,
    ) -> Result<RunningJob, StoreError> {
        RunningJob::start(&self.dir, self.lock()?, id, ref_name, force, now)
    }

    /// Forgets refs and every version that no other ref needs. A dry run only says what would go.
    pub fn forget_refs(&self, goes: impl Fn(&RefState) -> bool, dry_run: bool) -> Result<Forgotten, StoreError> {
        let lock = if dry_run { None } else { Some(self.lock()?) };
        let index = self.index()?;
        let (gone, kept): (Vec<RefState>, Vec<RefState>) =
            index.snapshot()?.refs()?.into_iter().partition(|state| goes(state));
        let [gone_versions, needed] =
            [&gone, &kept].map(|refs| VersionSet::union(refs.iter().map(|state| &state.versions)));
        let versions = (gone_versions.0 - needed.0).len();
        let mut forgotten = Forgotten { refs: gone, versions, freed_bytes: 0 };
        if let Some(lock) = lock.filter(|_| !forgotten.refs.is_empty()) {
            let names: Vec<String> = forgotten.refs.iter().map(|state| state.name.clone()).collect();
            let before = size_of(index.folder());
            forgotten.versions = Writer::open(&self.dir, lock)?.remove_refs(&names)?;
            forgotten.freed_bytes = before.saturating_sub(size_of(index.folder()));
        }
        Ok(forgotten)
    }
}

fn size_of(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => size_of(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use cruxe_model::VersionId;

    use super::*;
    use crate::fixture::{Project, new_version};
    use crate::{JobStatus, Manifest, NameMatch};

    fn fill(writer: &mut Writer, ref_name: &str, files: &[(&str, &str)]) {
        let mut manifest = Manifest::default();
        for (path, text) in files {
            manifest.add(writer.add(new_version(path, text)).unwrap());
        }
        writer.set_ref(ref_name, &manifest, Timestamp::UNIX_EPOCH).unwrap();
    }

    fn publish(store: &Store, ref_name: &str, files: &[(&str, &str)]) {
        let mut writer = store.write().unwrap();
        let ids: Vec<VersionId> =
            files.iter().map(|(path, text)| writer.add(new_version(path, text)).unwrap()).collect();
        let mut manifest = Manifest::default();
        ids.into_iter().for_each(|id| manifest.add(id));
        writer.publish(ref_name, &manifest, Timestamp::UNIX_EPOCH).unwrap();
    }

    fn paths(store: &Store, ref_name: &str) -> Vec<String> {
        let files = store.ref_snapshot(ref_name).unwrap().unwrap().files().unwrap();
        files.into_iter().map(|file| file.path.into()).collect()
    }

    #[test]
    fn a_second_writer_is_busy_until_the_first_is_done() {
        let project = Project::new();
        let (one, other) = (project.store(), project.store());
        let writer = one.write().unwrap();
        assert!(matches!(other.write().err(), Some(StoreError::Busy)));
        assert!(matches!(other.rebuild().err(), Some(StoreError::Busy)));
        let job = other.start_job("a1".to_owned(), "main".to_owned(), false, Timestamp::UNIX_EPOCH);
        assert!(matches!(job.err(), Some(StoreError::Busy)));
        writer.abandon();
        other.write().unwrap().abandon();
        other.write_within(Duration::ZERO).unwrap().abandon();
    }

    #[test]
    fn a_reader_sees_a_publish_at_its_next_snapshot() {
        let project = Project::new();
        let (reader, writer) = (project.store(), project.store());
        assert!(matches!(reader.snapshot().err(), Some(StoreError::NotIndexed)));
        publish(&writer, "main", &[("a.rs", "fn a() {}")]);
        let early = reader.ref_snapshot("main").unwrap().unwrap();
        publish(&writer, "main", &[("a.rs", "fn a() {}"), ("b.rs", "fn b() {}")]);
        assert_eq!(early.files().unwrap().len(), 1);
        assert_eq!(paths(&reader, "main"), ["a.rs", "b.rs"]);
    }

    #[test]
    fn a_rebuilt_index_is_opened_anew() {
        let project = Project::new();
        let (reader, writer) = (project.store(), project.store());
        publish(&writer, "main", &[("a.rs", "fn a() {}")]);
        let before = reader.index().unwrap();
        assert!(Arc::ptr_eq(&before, &reader.index().unwrap()), "kept as long as it is the one in use");
        let mut rebuilding = writer.rebuild().unwrap();
        fill(&mut rebuilding, "main", &[("new.rs", "fn new() {}")]);
        assert_eq!(paths(&reader, "main"), ["a.rs"], "nobody sees it before it takes its place");
        rebuilding.replace().unwrap();
        assert_eq!(paths(&reader, "main"), ["new.rs"]);
        assert!(!Arc::ptr_eq(&before, &reader.index().unwrap()));
    }

    #[test]
    fn names_are_found_without_the_text_and_words_are_not() {
        let project = Project::new();
        let store = project.store();
        publish(&store, "main", &[("a.rs", "fn one() {}")]);
        std::fs::remove_file(store.dir().current().unwrap().unwrap().join("text/meta.json")).unwrap();
        let fresh = project.store();
        let main = fresh.ref_snapshot("main").unwrap().unwrap();
        assert_eq!(main.find_name("one", NameMatch::Exact).unwrap().len(), 1);
        assert!(main.corpus().is_err());
        assert!(fresh.open_index().is_err(), "who opens all of it is told");
        assert!(fresh.snapshot().is_err(), "and once that is known, so is everybody");
        let mut job = fresh.start_job("a1".to_owned(), "main".to_owned(), false, Timestamp::UNIX_EPOCH).unwrap();
        assert!(job.published().is_err(), "a job adds to both");
    }

    #[test]
    fn words_of_an_index_that_was_replaced_meanwhile_are_not_taken_for_damaged() {
        let project = Project::new();
        let (reader, writer) = (project.store(), project.store());
        publish(&writer, "main", &[("a.rs", "fn one() {}")]);
        let before = reader.ref_snapshot("main").unwrap().unwrap();
        let mut rebuilding = writer.rebuild().unwrap();
        fill(&mut rebuilding, "main", &[("a.rs", "fn one() {}")]);
        rebuilding.replace().unwrap();
        assert!(matches!(before.corpus().err(), Some(StoreError::Busy)));
        assert_eq!(reader.ref_snapshot("main").unwrap().unwrap().corpus().unwrap().files().len(), 1);
    }

    #[test]
    fn a_ref_sees_its_own_versions_alone() {
        let project = Project::new();
        let store = project.store();
        publish(&store, "main", &[("a.rs", "fn one() {}"), ("b.rs", "fn two() { one() }")]);
        publish(&store, "other", &[("a.rs", "fn other() {}")]);
        let other = store.ref_snapshot("other").unwrap().unwrap();
        assert_eq!((other.state.name.as_str(), other.state.files), ("other", 1));
        assert_eq!(other.files().unwrap().len(), 1);
        assert_eq!(other.find_name("other", NameMatch::Exact).unwrap().len(), 1);
        assert_eq!(other.find_name("one", NameMatch::Exact).unwrap(), []);
        assert_eq!(other.mentioning("one").unwrap(), [] as [VersionId; 0]);
        assert_eq!(other.file_at(&cruxe_model::RepoPath::parse("b.rs").unwrap()).unwrap(), None);
        assert_eq!(other.corpus().unwrap().files().len(), 1);
        assert!(store.ref_snapshot("neither").unwrap().is_none());
    }

    #[test]
    fn jobs_of_a_dead_process_are_noted_once_nobody_writes() {
        let project = Project::new();
        let store = project.store();
        assert_eq!(store.jobs().recover().unwrap(), [], "no history, and none is made");
        assert!(!store.dir().jobs_path().exists());
        let job = store.start_job("a1".to_owned(), "main".to_owned(), false, Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(store.jobs().active().unwrap().unwrap().id, "a1");
        assert_eq!(store.jobs().recover().unwrap(), [], "it is running");
        drop(job); // as if its process had died: its end was not noted
        assert_eq!(store.jobs().active().unwrap(), None);
        let found = store.jobs().recover().unwrap();
        assert_eq!(
            found.iter().map(|job| (job.id.as_str(), job.status)).collect::<Vec<_>>(),
            [("a1", JobStatus::Interrupted)]
        );
        let job = store.start_job("a2".to_owned(), "main".to_owned(), false, Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(job.interrupted, []);
        drop(job);
        let job = store.start_job("a3".to_owned(), "main".to_owned(), false, Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(job.interrupted.iter().map(|job| job.id.as_str()).collect::<Vec<_>>(), ["a2"]);
    }

    #[test]
    fn a_damaged_history_is_replaced_while_it_is_open() {
        let project = Project::new();
        let store = project.store();
        drop(store.start_job("a1".to_owned(), "main".to_owned(), false, Timestamp::UNIX_EPOCH).unwrap());
        assert_eq!(store.jobs().recent(5).unwrap().len(), 1);
        std::fs::write(store.dir().jobs_path(), "no database".repeat(400)).unwrap();
        assert_eq!(store.jobs().recent(5).unwrap(), []);
    }

    #[test]
    fn forgetting_refs_keeps_what_others_need() {
        let project = Project::new();
        let store = project.store();
        publish(&store, "main", &[("a.rs", "fn a() {}")]);
        publish(&store, "gone", &[("b.rs", "fn b() {}"), ("c.rs", "fn c() {}")]);
        let is_gone = |state: &RefState| state.name == "gone";
        let would = store.forget_refs(is_gone, true).unwrap();
        assert_eq!((would.versions, would.refs.len(), would.freed_bytes), (2, 1, 0));
        assert_eq!(paths(&store, "gone"), ["b.rs", "c.rs"]);
        assert_eq!(store.forget_refs(is_gone, false).unwrap().versions, 2);
        assert!(store.ref_snapshot("gone").unwrap().is_none());
        assert_eq!(paths(&store, "main"), ["a.rs"]);
    }
}
