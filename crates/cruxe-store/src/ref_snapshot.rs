//! Reading a ref: what is published of it at one moment.

use std::ops::Deref;
use std::sync::Arc;

use cruxe_model::{RepoPath, VersionId, ids};
use rusqlite::{OptionalExtension, params};

use crate::compiler::{self, Compiler};
use crate::corpus::Corpus;
use crate::error::StoreError;
use crate::manifest::{RefState, StatEntry, unpack_list};
use crate::meta::{self, COMPILER_IMPORTS};
use crate::names::{NameMatch, SymbolHit};
use crate::rows::FileRow;
use crate::snapshot::Snapshot;
use crate::version_set::VersionSet;

/// How many refs are kept ready for questions in words: some ten megabytes each where a repository is large. Two can be
/// compared with each other.
const MAX_CORPORA: usize = 2;

/// A ref at one moment: its state, its files and what they say, and nothing of other refs. What does not depend on a ref, such
/// as the facts of a version, is asked of the [`Snapshot`] in it.
pub struct RefSnapshot {
    snapshot: Snapshot,
    /// The ref as it was published.
    pub state: Arc<RefState>,
}

impl Deref for RefSnapshot {
    type Target = Snapshot;

    fn deref(&self) -> &Snapshot {
        &self.snapshot
    }
}

impl RefSnapshot {
    pub(crate) fn new(snapshot: Snapshot, state: Arc<RefState>) -> RefSnapshot {
        RefSnapshot { snapshot, state }
    }

    /// Everything that is published at the same moment.
    pub fn into_snapshot(self) -> Snapshot {
        self.snapshot
    }

    /// The files, in path order.
    pub fn files(&self) -> Result<Vec<FileRow>, StoreError> {
        self.files_of(&self.state.versions)
    }

    /// Its files that something could not be done for, with what, in path order.
    pub fn files_with_problems(&self) -> Result<Vec<FileRow>, StoreError> {
        self.problems_of(&self.state.versions)
    }

    /// The file at a path.
    pub fn file_at(&self, path: &RepoPath) -> Result<Option<FileRow>, StoreError> {
        self.file_in(path, &self.state.versions)
    }

    /// The files whose path has this key (see [`cruxe_model::ids::path_key`]).
    pub fn files_by_path_key(&self, key: &str) -> Result<Vec<FileRow>, StoreError> {
        let found = self.files_where("path_key = ?1", key, &self.state.versions)?;
        if found.is_empty() {
            self.confirm_none(&self.state.versions, |file| ids::path_key(&file.path) == key)?;
        }
        Ok(found)
    }

    /// The files of the work tree as they were when it was published; none of a ref whose commit was.
    pub fn stats(&self) -> Result<Vec<StatEntry>, StoreError> {
        let name = &self.state.name;
        let mut statement = self.connection()?.prepare_cached("SELECT stats FROM ref WHERE name = ?1")?;
        let bytes: Option<Option<Vec<u8>>> = statement.query_row(params![name], |row| row.get(0)).optional()?;
        self.noted(bytes.flatten().map_or(Ok(Vec::new()), |bytes| unpack_list(name, &bytes)))
    }

    /// Definitions by name.
    pub fn find_name(&self, name: &str, how: NameMatch) -> Result<Vec<SymbolHit>, StoreError> {
        self.find_name_in(name, how, &self.state.versions)
    }

    /// The versions that use a name; some may not, but none that does is missing.
    pub fn mentioning(&self, name: &str) -> Result<Vec<VersionId>, StoreError> {
        self.mentioning_among(name, &self.state.versions)
    }

    /// Those of some versions that use a name; some may not, but none that does is missing.
    pub fn mentioning_among(&self, name: &str, versions: &VersionSet) -> Result<Vec<VersionId>, StoreError> {
        let found = self.noted(self.index.mentions.find(self.connection()?, name, &versions.0))?;
        Ok(found.into_iter().collect())
    }

    /// The text, for questions in words.
    pub fn corpus(&self) -> Result<Arc<Corpus>, StoreError> {
        let known = || self.index.corpora.lock();
        let (own, as_of) = (&self.state.name, self.as_of());
        let same = |(name, published, _): &&(String, i64, Arc<Corpus>)| name == own && *published == as_of;
        let find = || known().iter().find(same).map(|(.., corpus)| Arc::clone(corpus));
        if let Some(corpus) = find() {
            return Ok(corpus);
        }
        let _making = self.index.making.lock();
        if let Some(corpus) = find() {
            return Ok(corpus);
        }
        let corpus = Arc::new(self.make_corpus()?);
        let mut known = known();
        known.retain(|(name, ..)| name != own);
        if known.len() >= MAX_CORPORA {
            known.remove(0);
        }
        known.push((own.clone(), as_of, Arc::clone(&corpus)));
        Ok(corpus)
    }

    fn make_corpus(&self) -> Result<Corpus, StoreError> {
        // Words alone answer too: embeddings that are damaged cost their part of the ranking and nothing else.
        let vectors = self.index.stored_vectors(self.connection()?);
        let text = self.text()?;
        Corpus::build(text.searcher(), text.fields, self.files()?, vectors)
    }

    /// What compilers' indexes say; `None` while none was taken in.
    pub fn compiler(&self) -> Result<Option<Compiler>, StoreError> {
        let connection = self.connection()?;
        let import = meta::number(connection, COMPILER_IMPORTS)?;
        if import == 0 {
            return Ok(None);
        }
        let imported = {
            let mut held = self.index.compiler.lock();
            if held.0 != import {
                // An import may say something new about a version that was read before.
                *held = (import, Arc::default());
            }
            Arc::clone(&held.1)
        };
        self.noted(imported.read(connection, &self.state.versions.0))?;
        Ok(Some(Compiler::new(imported, Arc::clone(&self.state))))
    }

    /// How many files a compiler's index covers.
    pub fn compiler_coverage(&self) -> Result<u64, StoreError> {
        compiler::covered(self.connection()?, &self.state.versions.0).map(|covered| covered.len())
    }
}
