//! Commits as questions need them: what they contain, where they meet. A commit never changes, so it is remembered.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cruxe_extract::manifest;
use cruxe_extract::place::Places;
use cruxe_extract::{Extractor, Input, Limits, registry};
use cruxe_model::facts::FileFacts;
use cruxe_model::{ContentHash, RepoPath};
use cruxe_vcs::{Blob, BlobReader, Repo};
use parking_lot::Mutex;

use crate::error::IndexError;
use crate::ignore_rules;
use crate::project::Project;
use crate::scan;

/// How many commits are kept: some megabytes each in a large repository.
const MAX_TREES: usize = 6;
/// How many merge bases are kept.
const MAX_BASES: usize = 1024;

/// Commits and merge bases that were looked at.
#[derive(Default)]
pub struct History {
    trees: Mutex<Vec<Arc<CommitTree>>>,
    /// Held while one is read: whoever wants the same waits for it.
    reading: Mutex<()>,
    bases: Mutex<HashMap<(ContentHash, ContentHash), Option<ContentHash>>>,
}

/// What a commit contains.
pub struct CommitTree {
    /// The commit.
    pub commit: ContentHash,
    /// Every regular file with its content.
    pub files: HashMap<RepoPath, ContentHash>,
    /// Those that an index of the commit looks at.
    listed: HashMap<RepoPath, ContentHash>,
    places: OnceLock<Places>,
}

impl History {
    /// What a commit contains.
    pub fn tree(&self, project: &Project, commit: &ContentHash) -> Result<Arc<CommitTree>, IndexError> {
        let known = || self.trees.lock();
        let find = || known().iter().find(|tree| tree.commit == *commit).map(Arc::clone);
        if let Some(tree) = find() {
            return Ok(tree);
        }
        let _reading = self.reading.lock();
        if let Some(tree) = find() {
            return Ok(tree);
        }
        let repo = project.repo.as_ref().ok_or_else(|| IndexError::RefNotIndexed(commit.to_hex()))?;
        let tree = Arc::new(CommitTree::read(repo, commit, project.config.index.max_files)?);
        let mut known = known();
        if known.len() >= MAX_TREES {
            known.remove(0);
        }
        known.push(Arc::clone(&tree));
        Ok(tree)
    }

    /// The commit that `git merge-base` prints; `None` for unrelated histories.
    pub fn merge_base(&self, repo: &Repo, a: &ContentHash, b: &ContentHash) -> Result<Option<ContentHash>, IndexError> {
        let known = || self.bases.lock();
        // A shallow clone can be deepened, and then the same two commits meet elsewhere.
        let lasts = !repo.is_shallow();
        if let Some(base) = known().get(&(*a, *b)).filter(|_| lasts) {
            return Ok(*base);
        }
        let base = repo.merge_base(a, b)?;
        let mut known = known();
        if known.len() >= MAX_BASES {
            known.clear();
        }
        known.insert((*a, *b), base);
        Ok(base)
    }
}

impl CommitTree {
    fn read(repo: &Repo, commit: &ContentHash, max_files: usize) -> Result<CommitTree, IndexError> {
        let tree = repo.tree_files(commit)?;
        let files = tree.files.iter().map(|file| (file.path.clone(), file.hash)).collect();
        let listing = scan::of_tree(repo, tree, max_files)?;
        let listed = listing.files.into_iter().filter_map(|file| Some((file.path, file.hash?))).collect();
        Ok(CommitTree { commit: *commit, files, listed, places: OnceLock::new() })
    }

    /// The files that an index of the commit looks at.
    pub fn listed(&self) -> &HashMap<RepoPath, ContentHash> {
        &self.listed
    }

    /// The module that a file's place in this commit gives it.
    pub fn module_of(&self, project: &Project, path: &RepoPath) -> String {
        let places = self.places.get_or_init(|| self.read_places(project));
        places.module_of(path, registry::detect(path, b""))
    }

    fn read_places(&self, project: &Project) -> Places {
        let mut places = Places::default();
        let Some(repo) = &project.repo else { return places };
        let reader = repo.reader();
        for (path, hash) in self.listed.iter().filter(|(path, _)| Places::is_marker(path)) {
            let bytes = match manifest::Kind::of(path) {
                Some(manifest::Kind::PythonPackage) => Some(Vec::new()), // that it is there says everything
                _ => read(&reader, hash, project.config.index.max_file_bytes),
            };
            if let Some(bytes) = bytes {
                places.add(path, &bytes);
            }
        }
        places
    }
}

fn read(reader: &BlobReader, hash: &ContentHash, limit: u64) -> Option<Vec<u8>> {
    match reader.read(hash, limit) {
        Ok(Blob::Data(bytes)) => Some(bytes),
        _ => None,
    }
}

/// Reads and extracts files of the past, for one thread. Nothing of it is stored.
pub struct PastReader<'a> {
    project: &'a Project,
    blobs: Option<BlobReader>,
    extractor: Extractor,
}

impl<'a> PastReader<'a> {
    /// A reader of a project's repository.
    pub fn new(project: &'a Project) -> PastReader<'a> {
        let blobs = project.repo.as_ref().map(Repo::reader);
        PastReader { project, blobs, extractor: extractor(project) }
    }

    /// The text of a blob; `None` when git does not have it, or it is binary or too large to be indexed.
    pub fn text(&self, hash: &ContentHash) -> Option<Vec<u8>> {
        let bytes = read(self.blobs.as_ref()?, hash, self.project.config.index.max_file_bytes)?;
        (!ignore_rules::is_binary(&bytes)).then_some(bytes)
    }

    /// What a text says, exactly as an index of it would have it.
    pub fn facts(&mut self, path: &RepoPath, module: &str, bytes: &[u8]) -> FileFacts {
        facts(&mut self.extractor, path, module, bytes)
    }
}

/// An extractor with the project's limits.
pub(crate) fn extractor(project: &Project) -> Extractor {
    Extractor::new(Limits {
        max_bytes: project.config.index.max_file_bytes,
        max_time: Duration::from_millis(project.config.index.max_parse_ms),
    })
}

/// What a text says. A grammar is foreign code; one file that upsets it must not end the job.
pub(crate) fn facts(extractor: &mut Extractor, path: &RepoPath, module: &str, bytes: &[u8]) -> FileFacts {
    let language = registry::detect(path, bytes);
    let input = Input { path, module, language, bytes };
    catch_unwind(AssertUnwindSafe(|| extractor.extract(&input))).unwrap_or_else(|_| {
        tracing::error!("{path}: extraction failed; the file has text only");
        Extractor::default().extract(&Input { language: None, ..input })
    })
}
