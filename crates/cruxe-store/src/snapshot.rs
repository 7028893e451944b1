//! Reading: one consistent view of everything that is published.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cruxe_model::facts::FileFacts;
use cruxe_model::{ContentHash, RepoPath, VersionId};
use rusqlite::{Connection, OptionalExtension, params};

use crate::cache::Cache;
use crate::check::unseal;
use crate::error::StoreError;
use crate::index::{Index, Tables};
use crate::manifest::RefState;
use crate::meta::REF_COUNT;
use crate::names::{self, NameMatch, SymbolHit};
use crate::ref_snapshot::RefSnapshot;
use crate::rows::{FileRow, SELECT_FILE, SELECT_REF, SymbolTable, read_file, read_ref};
use crate::text::TextIndex;
use crate::vectors::{self, Embedding};
use crate::version_set::VersionSet;
use crate::{meta, pack};

/// How many rows of files are kept in memory: some ten megabytes of them.
const MAX_KNOWN_FILES: usize = 50_000;

/// How many symbols are kept in memory: some three hundred bytes each.
const MAX_SYMBOLS: usize = 100_000;

/// How many refs are kept: with the names of the files that they leave out they have some hundred kilobytes each.
const MAX_REFS: usize = 32;

/// What is published, as of one moment.
pub struct Snapshot {
    pub(crate) index: Arc<Index>,
    connection: Option<Connection>,
    as_of: i64,
}

/// Opens what is published a second time.
pub struct Again {
    index: Arc<Index>,
    as_of: i64,
}

impl Again {
    /// The same; `None` when something else was published meanwhile.
    pub fn open(&self) -> Result<Option<Snapshot>, StoreError> {
        Ok(Some(self.index.snapshot()?).filter(|snapshot| snapshot.as_of == self.as_of))
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take()
            && connection.execute_batch("COMMIT").is_ok()
        {
            self.index.give_back(connection);
        }
    }
}

impl Snapshot {
    /// A view that lasts as long as the transaction that the connection is in.
    pub(crate) fn new(index: Arc<Index>, connection: Connection, as_of: i64) -> Snapshot {
        Snapshot { index, connection: Some(connection), as_of }
    }

    pub(crate) fn connection(&self) -> Result<&Connection, StoreError> {
        self.connection.as_ref().ok_or(StoreError::NotIndexed)
    }

    /// The full-text index, with all text of this moment.
    pub(crate) fn text(&self) -> Result<Arc<TextIndex>, StoreError> {
        self.index.text(self.connection()?, self.as_of)
    }

    /// Passes on what was read; damage is noted on the way.
    pub(crate) fn noted<T>(&self, outcome: Result<T, StoreError>) -> Result<T, StoreError> {
        outcome.inspect_err(|problem| self.index.note_damage(problem))
    }

    /// Whether a part of the index was found damaged, so that a sync should build it anew.
    pub fn wants_rebuild(&self) -> bool {
        self.index.wants_rebuild()
    }

    /// A way to open it a second time, from another thread.
    pub fn again(&self) -> Again {
        Again { index: Arc::clone(&self.index), as_of: self.as_of }
    }

    /// The publish that it is of. The number grows with each: equal numbers mean equal content.
    pub fn as_of(&self) -> i64 {
        self.as_of
    }

    /// The state of a ref; `None` when it was never published.
    pub fn ref_state(&self, name: &str) -> Result<Option<Arc<RefState>>, StoreError> {
        let known = || self.index.refs.lock();
        if let Some((as_of, state)) = known().get(name)
            && *as_of == self.as_of
        {
            return Ok(Some(Arc::clone(state)));
        }
        let state = self.noted(self.read_ref_state(name))?.map(Arc::new);
        if let Some(state) = &state {
            let mut known = known();
            if known.len() >= MAX_REFS {
                known.clear();
            }
            known.insert(name.to_owned(), (self.as_of, Arc::clone(state)));
        }
        Ok(state)
    }

    fn read_ref_state(&self, name: &str) -> Result<Option<RefState>, StoreError> {
        let sql = format!("{SELECT_REF} WHERE name = ?1");
        let mut statement = self.connection()?.prepare_cached(&sql)?;
        let state = statement.query_row(params![name], |row| Ok(read_ref(row))).optional()?.transpose()?;
        // As with files: before it is said that there is none, all are read.
        if state.is_none() && self.refs()?.iter().any(|state| state.name == name) {
            return Err(StoreError::corrupt("manifest: a ref is not where it belongs"));
        }
        Ok(state)
    }

    /// Every published ref, by name.
    pub fn refs(&self) -> Result<Vec<RefState>, StoreError> {
        let sql = format!("{SELECT_REF} ORDER BY name");
        let mut statement = self.connection()?.prepare_cached(&sql)?;
        let rows = statement.query_map([], |row| Ok(read_ref(row)))?;
        let refs: Vec<RefState> = rows.map(|row| row?).collect::<Result<_, _>>()?;
        match refs.len() as i64 == meta::number(self.connection()?, REF_COUNT)? {
            true => Ok(refs),
            false => Err(StoreError::corrupt("manifest: a ref is missing")),
        }
    }

    /// A file version.
    pub fn file(&self, version: VersionId) -> Result<FileRow, StoreError> {
        let known = || self.index.files.lock();
        if let Some(row) = known().get(&version) {
            return Ok(row.clone());
        }
        let row = self.noted(self.read_file(version))?;
        let mut known = known();
        if known.len() >= MAX_KNOWN_FILES {
            known.clear();
        }
        known.insert(version, row.clone());
        Ok(row)
    }

    fn read_file(&self, version: VersionId) -> Result<FileRow, StoreError> {
        let sql = format!("{SELECT_FILE} WHERE id = ?1");
        let mut statement = self.connection()?.prepare_cached(&sql)?;
        statement
            .query_row(params![version], |row| Ok(read_file(row)))
            .optional()?
            .unwrap_or_else(|| Err(StoreError::corrupt(format!("manifest: version {version} is missing"))))
    }

    /// The version of a path that is in a set.
    pub fn file_in(&self, path: &RepoPath, versions: &VersionSet) -> Result<Option<FileRow>, StoreError> {
        let found = self.files_where("path = ?1", path.as_str(), versions)?.pop();
        if found.is_none() {
            self.confirm_none(versions, |file| file.path == *path)?;
        }
        Ok(found)
    }

    /// The version with this content at this place, whatever ref it belongs to.
    pub fn version(&self, path: &RepoPath, module: &str, hash: &ContentHash) -> Result<Option<FileRow>, StoreError> {
        let sql = format!("{SELECT_FILE} WHERE path = ?1 AND module = ?2 AND hash = ?3");
        let mut statement = self.connection()?.prepare_cached(&sql)?;
        statement
            .query_row(params![path.as_str(), module, hash.as_bytes()], |row| Ok(read_file(row)))
            .optional()?
            .transpose()
    }

    /// Makes sure that there is no such file by reading the table as it lies: what leads there may be damaged.
    pub(crate) fn confirm_none(
        &self,
        versions: &VersionSet,
        wanted: impl Fn(&FileRow) -> bool,
    ) -> Result<(), StoreError> {
        match self.files_of(versions)?.iter().any(wanted) {
            true => Err(StoreError::corrupt("database: a path is not where it belongs")),
            false => Ok(()),
        }
    }

    pub(crate) fn files_where(
        &self,
        clause: &str,
        value: &str,
        versions: &VersionSet,
    ) -> Result<Vec<FileRow>, StoreError> {
        let sql = format!("{SELECT_FILE} WHERE {clause}");
        let mut statement = self.connection()?.prepare_cached(&sql)?;
        let mut rows = statement.query(params![value])?;
        let mut files = Vec::new();
        while let Some(row) = rows.next()? {
            if versions.contains(row.get(0)?) {
                files.push(read_file(row)?);
            }
        }
        Ok(files)
    }

    /// Every file version, whatever ref it belongs to, in path order.
    pub fn all_files(&self) -> Result<Vec<FileRow>, StoreError> {
        self.files_if(|_| true)
    }

    fn files_if(&self, wanted: impl Fn(VersionId) -> bool) -> Result<Vec<FileRow>, StoreError> {
        let sql = format!("{SELECT_FILE} ORDER BY path");
        let mut statement = self.connection()?.prepare_cached(&sql)?;
        let mut rows = statement.query([])?;
        let mut files = Vec::new();
        while let Some(row) = rows.next()? {
            if wanted(row.get(0)?) {
                files.push(self.noted(read_file(row))?);
            }
        }
        Ok(files)
    }

    /// The files of a set that something could not be done for, in path order.
    pub(crate) fn problems_of(&self, versions: &VersionSet) -> Result<Vec<FileRow>, StoreError> {
        let sql = format!("{SELECT_FILE} WHERE problems IS NOT NULL ORDER BY path");
        let mut statement = self.connection()?.prepare_cached(&sql)?;
        let mut rows = statement.query([])?;
        let mut files = Vec::new();
        while let Some(row) = rows.next()? {
            if versions.contains(row.get(0)?) {
                files.push(self.noted(read_file(row))?);
            }
        }
        Ok(files)
    }

    /// The files of a set, in path order.
    pub fn files_of(&self, versions: &VersionSet) -> Result<Vec<FileRow>, StoreError> {
        let files = self.files_if(|version| versions.contains(version))?;
        match files.len() as u64 == versions.len() {
            true => Ok(files),
            false => Err(StoreError::corrupt("manifest: a version is missing")),
        }
    }

    /// The symbols of a file version.
    pub fn symbols(&self, version: VersionId) -> Result<SymbolTable, StoreError> {
        let sealed = self.blob("SELECT symbols FROM facts WHERE version = ?1", version)?;
        pack::unpack_symbols(self.noted(unseal(&sealed, version.into(), "the symbols of a file"))?)
    }

    /// The same, kept for the next question.
    pub fn symbol_table(&self, version: VersionId) -> Result<Arc<SymbolTable>, StoreError> {
        let known = || self.index.tables.lock();
        if let Some(table) = known().of.get(&version) {
            return Ok(Arc::clone(table));
        }
        let table = Arc::new(self.symbols(version)?);
        let mut known = known();
        if known.symbols > MAX_SYMBOLS {
            *known = Tables::default();
        }
        if known.of.insert(version, Arc::clone(&table)).is_none() {
            known.symbols += table.symbols.len();
        }
        Ok(table)
    }

    /// Everything that a file version says.
    pub fn facts(&self, version: VersionId) -> Result<FileFacts, StoreError> {
        let sealed = self.blob("SELECT rest FROM facts WHERE version = ?1", version)?;
        let mut facts = pack::unpack_rest(self.noted(unseal(&sealed, version.into(), "the facts of a file"))?)?;
        SymbolTable { symbols: facts.symbols, chunks: facts.chunks, .. } = self.symbols(version)?;
        Ok(facts)
    }

    fn blob(&self, sql: &str, version: VersionId) -> Result<Vec<u8>, StoreError> {
        let mut statement = self.connection()?.prepare_cached(sql)?;
        statement
            .query_row(params![version], |row| row.get(0))
            .optional()?
            .ok_or_else(|| StoreError::corrupt(format!("facts of version {version} are missing")))
    }

    /// Definitions in a set of versions by name.
    pub fn find_name_in(
        &self,
        name: &str,
        how: NameMatch,
        versions: &VersionSet,
    ) -> Result<Vec<SymbolHit>, StoreError> {
        let connection = self.connection()?;
        let found = self.noted(names::find(connection, name, how, &versions.0))?;
        // Before it is said that there is none, the table is read as it lies, once: what leads there may be damaged.
        if found.is_empty() && !self.index.names_sound.load(Ordering::Relaxed) {
            self.noted(names::validate(connection))?;
            self.index.names_sound.store(true, Ordering::Relaxed);
        }
        Ok(found)
    }

    /// The model of the embeddings; `None` while there are none, or none that can be read.
    pub fn embedding(&self) -> Result<Option<Embedding>, StoreError> {
        let damaged = self.index.vectors.are_damaged(self.connection()?)?;
        if damaged { Ok(None) } else { vectors::embedding(self.connection()?) }
    }

    /// What somebody derives from versions, whose facts never change, and keeps as long as the index is open.
    pub fn kept<T: Default + Send + Sync + 'static>(&self, cache: &'static Cache<T>) -> Arc<T> {
        self.index.caches.get(cache, T::default)
    }

    /// What is published of one ref; `None` when it was never published.
    pub fn into_ref(self, name: &str) -> Result<Option<RefSnapshot>, StoreError> {
        let state = self.ref_state(name)?;
        Ok(state.map(|state| RefSnapshot::new(self, state)))
    }
}
