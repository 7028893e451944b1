//! Reading a ref: which of its files are known, and what became of the others.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::SystemTime;

use cruxe_embed::Table;
use cruxe_extract::place::Places;
use cruxe_extract::registry;
use cruxe_model::{ContentHash, RepoPath, SkipReason, VersionId};
use cruxe_store::{Manifest, RefSnapshot, StatEntry, VersionSet, Writer};

use super::Counter;
use super::extract::{self, Reader, Unread};
use crate::comparison;
use crate::error::IndexError;
use crate::project::{Project, Source};
use crate::scan::{self, Listing, ScanFile};

/// What is published for a ref: its versions, and its files as they were.
#[derive(Default)]
pub(super) struct Known {
    versions: VersionSet,
    stats: HashMap<RepoPath, StatEntry>,
}

impl Known {
    /// What is known of a ref. Of a work tree elsewhere the files say nothing about this one.
    pub fn of(published: &RefSnapshot, project: &Project, source: &Source) -> Result<Known, IndexError> {
        let same_tree = published.state.worktree == work_tree_name(project, source);
        let stats = if same_tree { published.stats()? } else { Vec::new() };
        let stats = stats.into_iter().map(|entry| (entry.path.clone(), entry)).collect();
        Ok(Known { versions: published.state.versions.clone(), stats })
    }
}

/// A ref that was read and is not published yet.
pub(super) struct ReadRef {
    pub manifest: Manifest,
    /// How many files were read.
    pub extracted: u64,
    /// How files ended, and how many.
    pub outcomes: BTreeMap<String, u64>,
    pub warnings: Vec<String>,
}

/// A ref that is to be read.
pub(super) struct RefReader<'a> {
    pub project: &'a Project,
    pub source: &'a Source,
    /// Files that are read whatever their `stat` says.
    pub doubted: &'a HashSet<RepoPath>,
    pub counter: Counter<'a>,
}

/// A file that need not be read: its module, and the version that it has or why it has none.
type Kept = (ScanFile, String, Result<VersionId, SkipReason>);

impl RefReader<'_> {
    /// Lists the files of the ref, and reads and extracts those that are not known.
    pub fn read(&self, writer: &mut Writer, known: &Known) -> Result<ReadRef, IndexError> {
        if self.project.config.semantic.enabled {
            // It takes a few milliseconds, in which files can be listed.
            std::thread::spawn(Table::builtin);
        }
        let scanned_at = SystemTime::now();
        let mut listing = self.list()?;
        let warnings = std::mem::take(&mut listing.warnings);
        let total = listing.files.len() as u64;
        writer.use_model(extract::embedding(self.project).as_ref())?;
        let (mut manifest, mut outcomes) = self.manifest(&mut listing);
        let (kept, unread) = self.sort_out(listing, writer, known)?;
        *outcomes.entry("unchanged".to_owned()).or_default() += kept.len() as u64;
        let (kept, unread) = self.without_embeddings(kept, unread, writer)?;
        let mut add = |file: ScanFile, version| {
            let stat = comparison::believable(file.stat, scanned_at, SystemTime::now());
            manifest.add_file(file.path, stat, version);
        };
        kept.into_iter().for_each(|(file, _, version)| add(file, version));
        let extracted = unread.len() as u64;
        let read = extract::all(self, unread, total, writer, &mut outcomes)?;
        read.into_iter().for_each(|(file, version)| add(file, version));
        outcomes.retain(|_, count| *count > 0);
        self.counter.check()?;
        self.counter.files(total, total);
        Ok(ReadRef { manifest, extracted, outcomes, warnings })
    }

    fn list(&self) -> Result<Listing, IndexError> {
        match (self.source, &self.project.repo) {
            (Source::Commit(id), Some(repo)) => scan::commit(repo, id, self.project.config.index.max_files),
            _ => self.project.scan(),
        }
    }

    /// A manifest with nothing but the files that their paths leave out.
    fn manifest(&self, listing: &mut Listing) -> (Manifest, BTreeMap<String, u64>) {
        let commit = match self.source {
            Source::WorkTree { commit } => commit.as_ref().map(ContentHash::to_hex),
            Source::Commit(commit) => Some(commit.to_hex()),
        };
        let mut manifest = Manifest::new(commit, work_tree_name(self.project, self.source));
        let mut outcomes: BTreeMap<String, u64> = BTreeMap::new();
        for (path, why) in std::mem::take(&mut listing.skipped) {
            *outcomes.entry(format!("skipped: {}", why.as_str())).or_default() += 1;
            if !matches!(why, SkipReason::Binary | SkipReason::VersionControl) {
                manifest.skip(path, why);
            }
        }
        (manifest, outcomes)
    }

    /// Tells the files whose version is known without a look into them from those that must be read.
    fn sort_out(
        &self,
        listing: Listing,
        writer: &Writer,
        known: &Known,
    ) -> Result<(Vec<Kept>, Vec<Unread>), IndexError> {
        let places = self.places(&listing)?;
        let modules = if known.stats.is_empty() { HashMap::new() } else { writer.modules(&known.versions)? };
        let limit = self.project.config.index.max_file_bytes;
        let (mut kept, mut unread) = (Vec::new(), Vec::new());
        for file in listing.files {
            let module = places.module_of(&file.path, registry::detect(&file.path, b""));
            let believed = known.stats.get(&file.path).filter(|_| !self.doubted.contains(&file.path));
            let unchanged = believed.filter(|entry| comparison::is_unchanged(entry, &file, Some(limit)));
            match unchanged {
                Some(StatEntry { version: Err(why), .. }) => kept.push((file, module, Err(*why))),
                Some(StatEntry { version: Ok(id), .. }) if modules.get(id) == Some(&module) => {
                    kept.push((file, module, Ok(*id)));
                }
                _ => {
                    let versions = writer.versions_of(&file.path, &module)?;
                    let same = file.hash.and_then(|hash| versions.iter().find(|(known, _)| *known == hash));
                    match same.map(|(_, id)| *id) {
                        Some(id) => kept.push((file, module, Ok(id))),
                        None => unread.push(Unread { file, module, known: versions, bare: VersionSet::default() }),
                    }
                }
            }
        }
        Ok((kept, unread))
    }

    /// Adds those files to the unread ones whose version another model embedded: their texts are needed once more.
    fn without_embeddings(
        &self,
        kept: Vec<Kept>,
        mut unread: Vec<Unread>,
        writer: &Writer,
    ) -> Result<(Vec<Kept>, Vec<Unread>), IndexError> {
        if !self.project.config.semantic.enabled {
            return Ok((kept, unread));
        }
        let known = kept.iter().filter_map(|(.., version)| version.ok());
        let known = known.chain(unread.iter().flat_map(|work| work.known.iter().map(|(_, id)| *id)));
        let bare = writer.without_vectors(&known.collect())?;
        let is_bare = |version: &VersionId| bare.contains(*version);
        let mut complete = Vec::with_capacity(kept.len());
        for (file, module, version) in kept {
            match version.ok().filter(is_bare) {
                Some(version) => {
                    let mut known = writer.versions_of(&file.path, &module)?;
                    known.retain(|(_, id)| *id == version);
                    unread.push(Unread { file, module, known, bare: VersionSet::default() });
                }
                None => complete.push((file, module, version)),
            }
        }
        for work in &mut unread {
            work.bare = work.known.iter().map(|(_, id)| *id).filter(is_bare).collect();
        }
        Ok((complete, unread))
    }

    /// What the files around a file say about its module.
    fn places(&self, listing: &Listing) -> Result<Places, IndexError> {
        let reader = Reader::new(self.project, self.source)?;
        let mut places = Places::default();
        for file in listing.files.iter().filter(|file| Places::is_marker(&file.path)) {
            if let Ok(Ok(bytes)) = reader.read(file) {
                places.add(&file.path, &bytes);
            }
        }
        Ok(places)
    }
}

/// The work tree that a ref is read from; `None` for a commit.
fn work_tree_name(project: &Project, source: &Source) -> Option<String> {
    matches!(source, Source::WorkTree { .. }).then(|| project.root.to_string_lossy().into_owned())
}
