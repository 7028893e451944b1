//! An indexing job: list, extract what is new on all cores, publish.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use cruxe_embed::{Table, push_row, row_bytes};
use cruxe_extract::place::Places;
use cruxe_extract::{Extractor, as_text, registry};
use cruxe_files::Root;
use cruxe_model::facts::{FileFacts, Problem};
use cruxe_model::{ContentHash, RepoPath, VersionId, Work};
use cruxe_store::{
    Embedding, Index, Job, JobMode, JobStatus, Jobs, LeftOut, Manifest, NewVersion, Packer, Published, StatEntry,
    StoreError, Writer, WriterLock,
};
use cruxe_vcs::{Blob, BlobReader, ObjectFormat, hash_blob};
use jiff::Timestamp;
use roaring::RoaringBitmap;

use crate::error::IndexError;
use crate::project::{Project, Source};
use crate::scan::{self, Listing, ScanFile};
use crate::{comparison, history, ignore_rules};

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

/// A job that holds the writer's lock and is noted as running.
pub struct PreparedJob {
    lock: Arc<WriterLock>,
    jobs: Jobs,
    ref_name: String,
    source: Source,
    force: bool,
    mode: JobMode,
    id: String,
    created_at: Timestamp,
    started: Instant,
    /// Jobs of dead processes that were found on the way.
    pub interrupted: Vec<Job>,
    /// Files that are read whatever their `stat` says.
    pub doubted: HashSet<RepoPath>,
}

/// Files in flight between the extracting threads and the writer: enough to keep both busy, few enough to bound memory.
const IN_FLIGHT: usize = 64;

impl PreparedJob {
    /// Takes the lock and notes the job; [`IndexError::Busy`] when another is running.
    pub fn start(project: &Project, request: &JobRequest) -> Result<PreparedJob, IndexError> {
        project.register()?;
        let (ref_name, source) = project.resolve(request.ref_name.as_deref())?;
        let lock = Arc::new(WriterLock::acquire(&project.dir.lock_path())?);
        let jobs = Jobs::open(&project.dir.jobs_path(), project.dir.lock_path())?;
        let interrupted = jobs.recover(&lock)?;
        let seen = Index::open(&project.dir)
            .and_then(|index| index.snapshot()?.ref_state(&ref_name))
            .is_ok_and(|state| state.is_some());
        let mode = if request.force || !seen { JobMode::Full } else { JobMode::Incremental };
        let created_at = Timestamp::now();
        let id = job_id(&ref_name, created_at);
        jobs.start(&id, &ref_name, mode, created_at)?;
        let (force, started) = (request.force, Instant::now());
        let doubted = HashSet::new();
        Ok(PreparedJob { lock, jobs, ref_name, source, force, mode, id, created_at, started, interrupted, doubted })
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The ref that it indexes.
    pub fn ref_name(&self) -> &str {
        &self.ref_name
    }

    /// Whether it looks at everything.
    pub fn mode(&self) -> JobMode {
        self.mode
    }

    /// Does the work. Whatever goes wrong, what was published before stays.
    pub fn run(self, project: &Project, work: &Work) -> Result<JobReport, IndexError> {
        let PreparedJob { lock, jobs, ref_name, source, force, mode, id, created_at, started, doubted, .. } = self;
        let mut job = Job {
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
        let noted = Noted { jobs: &jobs, id: &job.id, work, last: Default::default() };
        // The lock stays until the end is noted: a running job whose lock is free counts as interrupted.
        let run = Run { project, ref_name: &job.ref_name, source, report: true, doubted: &doubted, progress: &noted };
        let outcome = if force { run.rebuild(Arc::clone(&lock)) } else { run.update(Arc::clone(&lock)) };
        job.duration_ms = started.elapsed().as_millis() as u64;
        match outcome {
            Ok(done) => {
                job.status = JobStatus::Published;
                job.changed_files = Some(done.changed);
                job.file_count = Some(done.published.files);
                (job.done, job.total) = (done.extracted, Some(done.extracted));
                job.outcomes = done.outcomes.into_iter().map(|(why, count)| (why, count.into())).collect();
                jobs.finish(&job)?;
                Ok(JobReport { job, published: done.published, warnings: done.warnings })
            }
            Err(problem) => {
                job.status = JobStatus::Failed;
                job.error = Some(problem.to_string());
                // The first problem is the one to report; a full disk refuses this note too.
                let _ = jobs.finish(&job);
                Err(problem)
            }
        }
    }
}

/// Indexes and waits: [`PreparedJob::start`] and [`PreparedJob::run`] in one.
pub fn index(project: &Project, request: &JobRequest, work: &Work) -> Result<JobReport, IndexError> {
    PreparedJob::start(project, request)?.run(project, work)
}

fn job_id(ref_name: &str, created_at: Timestamp) -> String {
    let unique = format!("{ref_name}\0{}\0{}", created_at.as_nanosecond(), std::process::id());
    hash_blob(ObjectFormat::Sha1, unique.as_bytes()).to_hex()[..12].to_owned()
}

/// Passes progress on and keeps the job's row up to date, a few times a second.
struct Noted<'a> {
    jobs: &'a Jobs,
    id: &'a str,
    work: &'a Work,
    last: std::cell::Cell<Option<Instant>>,
}

impl Noted<'_> {
    fn files(&self, done: u64, total: u64) {
        self.work.tell(done, total);
        let now = Instant::now();
        if self.last.get().is_none_or(|last| now - last > Duration::from_millis(200)) {
            self.last.set(Some(now));
            // Progress that cannot be noted is no reason to stop.
            let _ = self.jobs.progress(self.id, done, Some(total));
        }
    }
}

struct Run<'a> {
    project: &'a Project,
    ref_name: &'a str,
    source: Source,
    /// Whether this is the ref whose files are counted for whoever waits.
    report: bool,
    doubted: &'a HashSet<RepoPath>,
    progress: &'a Noted<'a>,
}

/// What is published for a ref: its versions, and its files as they were.
type Known = (RoaringBitmap, HashMap<RepoPath, StatEntry>);

/// A ref that was read and is not published yet.
struct ReadRef {
    manifest: Manifest,
    extracted: u64,
    outcomes: BTreeMap<String, u64>,
    warnings: Vec<String>,
}

struct Done {
    published: Published,
    changed: u64,
    extracted: u64,
    outcomes: BTreeMap<String, u64>,
    warnings: Vec<String>,
}

/// A file that must be read.
struct Unread {
    file: ScanFile,
    module: String,
    /// Versions of this path that are known, by content.
    known: Vec<(ContentHash, VersionId)>,
    /// Those of them that lack embeddings.
    bare: RoaringBitmap,
}

/// What came of a file that was read.
enum Outcome {
    New(Box<NewVersion>),
    Known(VersionId),
    Embedded(VersionId, Vec<u8>),
    Skipped(LeftOut),
    Failed(IndexError),
}

impl Run<'_> {
    /// Publishes what changed since the ref was last published. An index of which a part is damaged is built anew instead: the
    /// sources are all that it takes.
    fn update(&self, lock: Arc<WriterLock>) -> Result<Done, IndexError> {
        if cruxe_store::wants_rebuild(&self.project.dir) {
            return self.rebuild(lock);
        }
        match self.add_changes(Arc::clone(&lock)) {
            Err(IndexError::Store(StoreError::Damaged { what })) => {
                tracing::warn!("a part of the index is damaged ({what}) and it is built anew");
                self.rebuild(lock)
            }
            outcome => outcome,
        }
    }

    fn add_changes(&self, lock: Arc<WriterLock>) -> Result<Done, IndexError> {
        let known = self.published()?;
        let mut writer = Writer::open(&self.project.dir, lock)?;
        let read = self.read_ref(&mut writer, &known)?;
        let changed = writer.changed_paths(&known.0, &read.manifest.versions)?;
        let published = writer.publish(self.ref_name, &read.manifest, Timestamp::now())?;
        Ok(self.done(read, published, changed))
    }

    /// Builds the index anew from the sources, beside the one in use, and swaps them. Nothing of the old one is trusted: of a
    /// damaged one nobody knows what else is wrong with it.
    fn rebuild(&self, lock: Arc<WriterLock>) -> Result<Done, IndexError> {
        let dir = &self.project.dir;
        let mut writer = Writer::stage(dir, lock)?;
        match self.fill(&mut writer) {
            Ok(done) => {
                writer.replace(dir)?;
                Ok(done)
            }
            Err(problem) => {
                writer.discard();
                Err(problem)
            }
        }
    }

    /// Reads this ref, and then every other one that the old index had, as far as it can be read and still exists.
    fn fill(&self, writer: &mut Writer) -> Result<Done, IndexError> {
        let mut read = self.read_ref(writer, &Known::default())?;
        let published = writer.set_ref(self.ref_name, &read.manifest, Timestamp::now())?;
        for name in cruxe_store::ref_names(&self.project.dir) {
            let Ok((ref_name, source)) = self.project.resolve(Some(&name)) else {
                read.warnings.push(format!("`{}` is gone from git and was not indexed again", name.escape_debug()));
                continue;
            };
            if ref_name == self.ref_name || ref_name != name {
                continue;
            }
            let other = Run { ref_name: &ref_name, source, report: false, ..*self };
            match other.read_ref(writer, &Known::default()) {
                Ok(other) => drop(writer.set_ref(&ref_name, &other.manifest, Timestamp::now())?),
                Err(problem @ (IndexError::Cancelled | IndexError::Store(_))) => return Err(problem),
                Err(problem) => read.warnings.push(format!("`{ref_name}` was not indexed again: {problem}")),
            }
        }
        writer.adopt_compiler_facts(&self.project.dir)?;
        let changed = read.manifest.versions.len();
        Ok(self.done(read, published, changed))
    }

    fn done(&self, read: ReadRef, published: Published, changed: u64) -> Done {
        let ReadRef { extracted, outcomes, warnings, .. } = read;
        Done { published, changed, extracted, outcomes, warnings }
    }

    /// Lists the files of the ref, and reads and extracts those that are not known.
    fn read_ref(&self, writer: &mut Writer, (old, old_stats): &Known) -> Result<ReadRef, IndexError> {
        if self.project.config.semantic.enabled {
            // It takes a few milliseconds, in which files can be listed.
            std::thread::spawn(Table::builtin);
        }
        let scanned_at = SystemTime::now();
        let listing = self.list()?;
        let places = self.places(&listing)?;
        let embedding = embedding(self.project);
        writer.use_model(embedding.as_ref())?;
        let mut manifest = self.empty_manifest();
        let mut outcomes: BTreeMap<String, u64> = BTreeMap::new();
        for (path, why) in listing.skipped {
            *outcomes.entry(format!("skipped: {why}")).or_default() += 1;
            if !matches!(why.as_str(), "binary" | "version control") {
                manifest.skipped.push((path, why));
            }
        }
        let total = listing.files.len() as u64;
        let (mut work, mut kept) = (Vec::new(), Vec::new());
        let modules = if old_stats.is_empty() { HashMap::new() } else { writer.modules(old)? };
        for file in listing.files {
            let language = registry::detect(&file.path, b"");
            let module = language.map_or(String::new(), |def| places.module_of(&file.path, def.name));
            let limit = self.project.config.index.max_file_bytes;
            let believed = old_stats.get(&file.path).filter(|_| !self.doubted.contains(&file.path));
            let unchanged = believed.filter(|entry| comparison::is_unchanged(entry, &file, Some(limit)));
            match unchanged {
                Some(StatEntry { version: Err(why), .. }) => kept.push((file, module, Err(*why))),
                Some(StatEntry { version: Ok(id), .. }) if modules.get(id) == Some(&module) => {
                    kept.push((file, module, Ok(*id)));
                }
                _ => {
                    let known = writer.versions_of(&file.path, &module)?;
                    let by_hash = |hash| known.iter().find(|(known, _)| Some(*known) == hash).map(|(_, id)| *id);
                    match by_hash(file.hash).filter(|_| file.hash.is_some()) {
                        Some(id) => kept.push((file, module, Ok(id))),
                        None => work.push((file, module, known)),
                    }
                }
            }
        }
        *outcomes.entry("unchanged".to_owned()).or_default() += kept.len() as u64;
        let known = kept.iter().filter_map(|(.., version)| version.ok());
        let known = known.chain(work.iter().flat_map(|(.., known)| known.iter().map(|(_, id)| *id)));
        let bare = match embedding {
            Some(_) => writer.without_vectors(&known.collect())?,
            None => RoaringBitmap::new(),
        };
        for (file, module, version) in kept {
            match version.ok().filter(|version| bare.contains(*version)) {
                // Another model than the one that embedded it: its text is needed once more.
                Some(version) => {
                    let known = writer.versions_of(&file.path, &module)?;
                    let known = known.into_iter().filter(|(_, id)| *id == version).collect();
                    work.push((file, module, known));
                }
                None => note(&mut manifest, file, version, scanned_at),
            }
        }
        let with_bare = |(file, module, known): (ScanFile, String, Vec<(ContentHash, VersionId)>)| {
            let bare = known.iter().map(|(_, id)| *id).filter(|id| bare.contains(*id)).collect();
            Unread { file, module, known, bare }
        };
        let mut work: Vec<Unread> = work.into_iter().map(with_bare).collect();
        // Large files first: one that is begun last would keep a single core busy while the others wait.
        work.sort_by_key(|work| std::cmp::Reverse(work.file.stat.size));
        let extracted = work.len() as u64;
        writer.expect(work.len());
        let found = self.extract(work, total, writer, &mut outcomes)?;
        for (file, version) in found {
            note(&mut manifest, file, version, scanned_at);
        }
        manifest.stats.sort_by(|a, b| a.path.cmp(&b.path));
        manifest.skipped.sort();
        outcomes.retain(|_, count| *count > 0);
        if self.progress.work.is_cancelled() {
            return Err(IndexError::Cancelled);
        }
        self.count(total, total);
        Ok(ReadRef { manifest, extracted, outcomes, warnings: listing.warnings })
    }

    fn count(&self, done: u64, total: u64) {
        if self.report {
            self.progress.files(done, total);
        }
    }

    fn list(&self) -> Result<Listing, IndexError> {
        match (&self.source, &self.project.repo) {
            (Source::Commit(id), Some(repo)) => scan::commit(repo, id, self.project.config.index.max_files),
            _ => self.project.scan(),
        }
    }

    /// What is published for the ref now; nothing when that cannot be read, which the writer reports if it matters.
    fn published(&self) -> Result<Known, IndexError> {
        let index = match Index::open(&self.project.dir) {
            Ok(index) => index,
            Err(StoreError::NotIndexed) => return Ok(Default::default()),
            // The writer brings an older one up to date, or refuses it.
            Err(StoreError::Incompatible { found, required }) if found < required => return Ok(Default::default()),
            Err(problem) => return Err(problem.into()),
        };
        let snapshot = index.snapshot()?;
        let Some(state) = snapshot.ref_state(self.ref_name)? else { return Ok(Default::default()) };
        let same_tree = state.worktree.as_deref() == self.work_tree_name().as_deref();
        let stats = if same_tree { snapshot.stats(self.ref_name)? } else { Vec::new() };
        Ok((state.versions.clone(), stats.into_iter().map(|entry| (entry.path.clone(), entry)).collect()))
    }

    fn work_tree_name(&self) -> Option<String> {
        matches!(self.source, Source::WorkTree { .. }).then(|| self.project.root.to_string_lossy().into_owned())
    }

    fn empty_manifest(&self) -> Manifest {
        let commit = match &self.source {
            Source::WorkTree { commit } => commit.as_ref().map(ContentHash::to_hex),
            Source::Commit(commit) => Some(commit.to_hex()),
        };
        Manifest { commit, worktree: self.work_tree_name(), ..Manifest::default() }
    }

    fn places(&self, listing: &Listing) -> Result<Places, IndexError> {
        let (root, reader) = (open_root(self.project)?, blob_reader(self.project, &self.source));
        let mut places = Places::default();
        for file in listing.files.iter().filter(|file| Places::is_marker(&file.path)) {
            if let Ok(Ok(bytes)) = read(self.project, &root, reader.as_ref(), file) {
                places.add(&file.path, &bytes);
            }
        }
        Ok(places)
    }

    /// Reads, hashes and extracts on all cores while this thread writes.
    #[allow(clippy::type_complexity)]
    fn extract(
        &self,
        work: Vec<Unread>,
        total: u64,
        writer: &mut Writer,
        outcomes: &mut BTreeMap<String, u64>,
    ) -> Result<Vec<(ScanFile, Result<VersionId, LeftOut>)>, IndexError> {
        let threads = match self.project.config.index.threads {
            0 => std::thread::available_parallelism().map_or(2, usize::from),
            threads => threads,
        };
        let (next, work) = (AtomicUsize::new(0), &work);
        let (sender, receiver) = crossbeam_channel::bounded::<(usize, Outcome)>(IN_FLIGHT);
        let stopped = std::sync::atomic::AtomicBool::new(false);
        let (source, project) = (&self.source, self.project);
        let mut found = Vec::with_capacity(work.len());
        let mut done = total - work.len() as u64;
        let result = std::thread::scope(|scope| {
            for _ in 0..threads.min(work.len()) {
                let sender = sender.clone();
                let (next, stopped) = (&next, &stopped);
                scope.spawn(move || {
                    let Ok(mut worker) = Worker::new(project, source) else { return };
                    while !stopped.load(Ordering::Relaxed) {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(item) = work.get(at) else { return };
                        if sender.send((at, worker.outcome(item))).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            let mut write = || -> Result<(), IndexError> {
                for (at, outcome) in &receiver {
                    let file = work[at].file.clone();
                    let (what, version) = match outcome {
                        Outcome::New(new) => ("indexed", Ok(writer.add(*new)?)),
                        Outcome::Known(id) => ("unchanged", Ok(id)),
                        Outcome::Embedded(id, vectors) => {
                            writer.add_vectors(id, &vectors)?;
                            ("embedded anew", Ok(id))
                        }
                        Outcome::Skipped(why) => ("skipped", Err(why)),
                        Outcome::Failed(problem) => {
                            tracing::warn!("{}: {problem}", file.path);
                            ("skipped", Err(LeftOut::Unreadable))
                        }
                    };
                    let key = version.err().map_or(what.to_owned(), |why| format!("{what}: {}", why.as_str()));
                    *outcomes.entry(key).or_default() += 1;
                    found.push((file, version));
                    done += 1;
                    self.count(done, total);
                    if self.progress.work.is_cancelled() {
                        return Err(IndexError::Cancelled);
                    }
                }
                Ok(())
            };
            let result = write();
            stopped.store(true, Ordering::Relaxed);
            drop(receiver);
            result
        });
        result.map(|()| found)
    }
}

fn blob_reader(project: &Project, source: &Source) -> Option<BlobReader> {
    match (source, &project.repo) {
        (Source::Commit(_), Some(repo)) => Some(repo.reader()),
        _ => None,
    }
}

/// The content of a file, or why it is not indexed.
fn read(
    project: &Project,
    root: &Root,
    reader: Option<&BlobReader>,
    file: &ScanFile,
) -> Result<Result<Vec<u8>, LeftOut>, IndexError> {
    let limit = project.config.index.max_file_bytes;
    Ok(match (reader, &file.hash) {
        (Some(reader), Some(hash)) => match reader.read(hash, limit)? {
            Blob::Data(bytes) if ignore_rules::is_binary(&bytes) => Err(LeftOut::Binary),
            Blob::Data(bytes) => Ok(bytes),
            Blob::TooLarge(_) => Err(LeftOut::TooLarge),
        },
        _ => scan::content(root, &file.path, limit),
    })
}

/// Puts a file into the manifest.
fn note(manifest: &mut Manifest, file: ScanFile, version: Result<VersionId, LeftOut>, scanned_at: SystemTime) {
    match version {
        Ok(version) => drop(manifest.versions.insert(version)),
        Err(why) => manifest.skipped.push((file.path.clone(), why.as_str().to_owned())),
    }
    let stat = comparison::believable(file.stat, scanned_at, SystemTime::now());
    if manifest.worktree.is_some() {
        manifest.stats.push(StatEntry { path: file.path, stat, version });
    }
}

/// The folder that the files of a project are opened beneath.
pub(crate) fn open_root(project: &Project) -> Result<Root, IndexError> {
    Root::open(&project.root).map_err(|problem| IndexError::Io { path: project.root.clone(), source: problem.into() })
}

/// One extracting thread.
pub(crate) struct Worker<'a> {
    project: &'a Project,
    root: Root,
    reader: Option<BlobReader>,
    extractor: Extractor,
    packer: Packer,
}

impl<'a> Worker<'a> {
    pub fn new(project: &'a Project, source: &Source) -> Result<Worker<'a>, IndexError> {
        let reader = blob_reader(project, source);
        let root = open_root(project)?;
        Ok(Worker { project, root, reader, extractor: history::extractor(project), packer: Packer::new()? })
    }

    fn outcome(&mut self, work: &Unread) -> Outcome {
        let bytes = match read(self.project, &self.root, self.reader.as_ref(), &work.file) {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(why)) => return Outcome::Skipped(why),
            Err(problem) => return Outcome::Failed(problem),
        };
        let hash = hash_blob(self.project.object_format(), &bytes);
        if let Some((_, id)) = work.known.iter().find(|(known, _)| *known == hash) {
            let id = *id;
            if !work.bare.contains(id) {
                return Outcome::Known(id);
            }
            return match self.version(work, hash, bytes) {
                Outcome::New(new) => Outcome::Embedded(id, new.vectors),
                other => other,
            };
        }
        self.version(work, hash, bytes)
    }

    fn version(&mut self, work: &Unread, hash: ContentHash, bytes: Vec<u8>) -> Outcome {
        match self.new_version(&work.file.path, &work.module, hash, bytes) {
            Ok(new) => Outcome::New(Box::new(new)),
            Err(problem) => Outcome::Failed(problem),
        }
    }

    /// A file version, ready to be stored.
    pub fn new_version(
        &mut self,
        path: &RepoPath,
        module: &str,
        hash: ContentHash,
        bytes: Vec<u8>,
    ) -> Result<NewVersion, IndexError> {
        let facts = history::facts(&mut self.extractor, path, module, &bytes);
        let packed = self.packer.pack(&facts)?;
        let size = bytes.len() as u64;
        let text = String::from_utf8(bytes).unwrap_or_else(|broken| as_text(broken.as_bytes()).0.into_owned());
        Ok(NewVersion {
            path: path.clone(),
            hash,
            module: module.to_owned(),
            bytes: size,
            problems: problems(&facts),
            vectors: if self.project.config.semantic.enabled { embed(path, &facts, &text) } else { Vec::new() },
            facts,
            packed,
            text,
        })
    }
}

/// The model that embeds chunks, if any does.
pub(crate) fn embedding(project: &Project) -> Option<Embedding> {
    let table = project.config.semantic.enabled.then(Table::builtin);
    table.map(|table| Embedding { model: table.version().to_owned(), row: row_bytes(table.dims()) })
}

/// The embeddings of a file's chunks: each of what it says and of where it stands.
fn embed(path: &RepoPath, facts: &FileFacts, text: &str) -> Vec<u8> {
    let table = Table::builtin();
    let mut rows = Vec::with_capacity(facts.chunks.len() * row_bytes(table.dims()));
    for chunk in &facts.chunks {
        let body = text.get(chunk.span.start as usize..chunk.span.end as usize).unwrap_or_default();
        let name = chunk.symbol.and_then(|at| facts.symbol(at)).map_or("", |symbol| symbol.qualified_name.as_str());
        let vector = table.embed_parts(&[path.as_str(), name, body]);
        push_row(vector.as_ref(), table.dims(), &mut rows);
    }
    rows
}

/// What could not be done, in words.
fn problems(facts: &FileFacts) -> Option<String> {
    let words: Vec<String> = facts
        .problems
        .iter()
        .map(|problem| match problem {
            Problem::SyntaxError { line } => format!("syntax error at line {line}"),
            Problem::TooLarge { bytes } => format!("too large to parse ({bytes} bytes)"),
            Problem::TooSlow => "parsing took too long".to_owned(),
            Problem::NotUtf8 => "not UTF-8".to_owned(),
            Problem::TooMany => "more symbols than the limit".to_owned(),
        })
        .collect();
    (!words.is_empty()).then(|| words.join("; "))
}
