//! Extracting: many threads read, hash, parse and pack, one writes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use cruxe_embed::Table;
use cruxe_extract::{Extractor, as_text};
use cruxe_files::Root;
use cruxe_model::facts::{FileFacts, Problem};
use cruxe_model::{ContentHash, RepoPath, SkipReason, VersionId};
use cruxe_store::{Embedding, ExtractedFile, Lexicon, NewVersion, VersionSet, WordReader, Writer};
use cruxe_vcs::{Blob, BlobReader, hash_blob};

use super::read_ref::RefReader;
use crate::error::IndexError;
use crate::project::{Project, Source};
use crate::scan::{self, ScanFile};
use crate::{history, ignore_rules};

/// Files in flight between the extracting threads and the writer: enough to keep both busy, few enough to bound memory.
const IN_FLIGHT: usize = 64;

/// A file that must be read.
pub(super) struct Unread {
    pub file: ScanFile,
    pub module: String,
    /// Versions of this path that are known, by content.
    pub known: Vec<(ContentHash, VersionId)>,
    /// Those of them that lack embeddings.
    pub bare: VersionSet,
}

/// A file that was read: the version that it has, or why it has none.
type Read = (ScanFile, Result<VersionId, SkipReason>);

/// What came of a file that was read.
enum Outcome {
    New(Box<NewVersion>),
    Known(VersionId),
    Embedded(VersionId, Box<NewVersion>),
    Skipped(SkipReason),
    Failed(IndexError),
}

/// Reads, hashes and extracts on all cores while this thread writes.
pub(super) fn all(
    of: &RefReader,
    mut unread: Vec<Unread>,
    total: u64,
    writer: &mut Writer,
    outcomes: &mut BTreeMap<String, u64>,
) -> Result<Vec<Read>, IndexError> {
    // Large files first: one that is begun last would keep a single core busy while the others wait.
    unread.sort_by_key(|work| std::cmp::Reverse(work.file.stat.size));
    let (project, source) = (of.project, of.source);
    let threads = match project.config.index.threads {
        0 => std::thread::available_parallelism().map_or(2, usize::from),
        threads => threads,
    };
    let (next, stopped, unread, lexicon) = (AtomicUsize::new(0), AtomicBool::new(false), &unread, Arc::default());
    let (sender, receiver) = crossbeam_channel::bounded::<(usize, Outcome)>(IN_FLIGHT);
    let mut read = Vec::with_capacity(unread.len());
    let mut done = total - unread.len() as u64;
    std::thread::scope(|scope| {
        for _ in 0..threads.min(unread.len()) {
            let (sender, next, stopped, lexicon) = (sender.clone(), &next, &stopped, &lexicon);
            scope.spawn(move || {
                let Ok(mut worker) = Worker::new(project, source, lexicon) else { return };
                while !stopped.load(Ordering::Relaxed) {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(work) = unread.get(at) else { return };
                    if sender.send((at, worker.outcome(work))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut write = || -> Result<(), IndexError> {
            for (at, outcome) in &receiver {
                let file = unread[at].file.clone();
                let (what, version) = write_one(writer, &file.path, outcome)?;
                let key = version.err().map_or(what.to_owned(), |why| format!("{what}: {}", why.as_str()));
                *outcomes.entry(key).or_default() += 1;
                read.push((file, version));
                done += 1;
                of.counter.files(done, total);
                of.counter.check()?;
            }
            Ok(())
        };
        let result = write();
        stopped.store(true, Ordering::Relaxed);
        drop(receiver);
        result
    })?;
    Ok(read)
}

fn write_one(
    writer: &mut Writer,
    path: &RepoPath,
    outcome: Outcome,
) -> Result<(&'static str, Result<VersionId, SkipReason>), IndexError> {
    Ok(match outcome {
        Outcome::New(new) => ("indexed", Ok(writer.add(*new)?)),
        Outcome::Known(id) => ("unchanged", Ok(id)),
        Outcome::Embedded(id, new) => {
            writer.add_vectors(id, &new)?;
            ("embedded anew", Ok(id))
        }
        Outcome::Skipped(why) => ("skipped", Err(why)),
        Outcome::Failed(problem) => {
            tracing::warn!("{path}: {problem}");
            ("skipped", Err(SkipReason::Unreadable))
        }
    })
}

/// The folder that the files of a project are opened beneath.
pub(crate) fn open_root(project: &Project) -> Result<Root, IndexError> {
    Root::open(&project.root).map_err(|problem| IndexError::Io { path: project.root.clone(), source: problem.into() })
}

/// Reads files of a work tree or of a commit.
pub(super) struct Reader<'a> {
    project: &'a Project,
    root: Root,
    blobs: Option<BlobReader>,
}

impl<'a> Reader<'a> {
    pub fn new(project: &'a Project, source: &Source) -> Result<Reader<'a>, IndexError> {
        let blobs = match (source, &project.repo) {
            (Source::Commit(_), Some(repo)) => Some(repo.reader()),
            _ => None,
        };
        Ok(Reader { project, root: open_root(project)?, blobs })
    }

    /// The content of a file, or why it is not indexed.
    pub fn read(&self, file: &ScanFile) -> Result<Result<Vec<u8>, SkipReason>, IndexError> {
        let limit = self.project.config.index.max_file_bytes;
        Ok(match (&self.blobs, &file.hash) {
            (Some(blobs), Some(hash)) => match blobs.read(hash, limit)? {
                Blob::Data(bytes) => ignore_rules::worth_reading(bytes),
                Blob::TooLarge(_) => Err(SkipReason::TooLarge),
            },
            _ => scan::content(&self.root, &file.path, limit),
        })
    }
}

/// One extracting thread.
pub(crate) struct Worker<'a> {
    project: &'a Project,
    reader: Reader<'a>,
    extractor: Extractor,
    words: WordReader,
}

impl<'a> Worker<'a> {
    pub fn new(project: &'a Project, source: &Source, lexicon: &Arc<Lexicon>) -> Result<Worker<'a>, IndexError> {
        Ok(Worker {
            project,
            reader: Reader::new(project, source)?,
            extractor: history::extractor(project),
            words: WordReader::new(lexicon, project.config.semantic.enabled.then(Table::builtin)),
        })
    }

    fn outcome(&mut self, work: &Unread) -> Outcome {
        let bytes = match self.reader.read(&work.file) {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(why)) => return Outcome::Skipped(why),
            Err(problem) => return Outcome::Failed(problem),
        };
        let hash = hash_blob(self.project.object_format(), &bytes);
        let known = work.known.iter().find(|(known, _)| *known == hash).map(|(_, id)| *id);
        if let Some(id) = known.filter(|id| !work.bare.contains(*id)) {
            return Outcome::Known(id);
        }
        match (self.new_version(&work.file.path, &work.module, hash, bytes), known) {
            (Ok(new), Some(id)) => Outcome::Embedded(id, Box::new(new)),
            (Ok(new), None) => Outcome::New(Box::new(new)),
            (Err(problem), _) => Outcome::Failed(problem),
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
        let text = String::from_utf8(bytes).unwrap_or_else(|broken| as_text(broken.as_bytes()).0.into_owned());
        let file = ExtractedFile {
            path: path.clone(),
            hash,
            module: module.to_owned(),
            problems: problems(&facts),
            facts,
            text,
        };
        Ok(NewVersion::prepare(file, &mut self.words)?)
    }
}

/// The model that embeds chunks, if any does.
pub(crate) fn embedding(project: &Project) -> Option<Embedding> {
    let table = project.config.semantic.enabled.then(Table::builtin);
    table.map(|table| Embedding::new(table.version(), table.dims()))
}

/// The words of a syntax error, before its line.
const SYNTAX_ERROR: &str = "syntax error at line ";

/// The line of the syntax error that the words about a file name, if they name one.
pub(crate) fn syntax_error_line(problems: &str) -> Option<u32> {
    problems.split("; ").find_map(|problem| problem.strip_prefix(SYNTAX_ERROR)?.parse().ok())
}

/// What could not be done, in words.
fn problems(facts: &FileFacts) -> Option<String> {
    let words: Vec<String> = facts
        .problems
        .iter()
        .map(|problem| match problem {
            Problem::SyntaxError { line, .. } => format!("{SYNTAX_ERROR}{line}"),
            Problem::TooLarge { bytes } => format!("too large to parse ({bytes} bytes)"),
            Problem::TooSlow => "parsing took too long".to_owned(),
            Problem::NotUtf8 => "not UTF-8".to_owned(),
            Problem::TooMany => "more symbols than the limit".to_owned(),
        })
        .collect();
    (!words.is_empty()).then(|| words.join("; "))
}
