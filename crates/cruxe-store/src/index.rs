//! Reading: one consistent view of everything that is published.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cruxe_model::facts::{Chunk, FileFacts, Symbol, SymbolIndex};
use cruxe_model::{ContentHash, RepoPath, VersionId, ids};
use roaring::RoaringBitmap;
use rusqlite::{Connection, MAIN_DB, OpenFlags, OptionalExtension, Row, params};

use crate::check::{Check, unseal};
use crate::compiler::{self, Compiler};
use crate::corpus::{Corpus, StoredVectors};
use crate::error::StoreError;
use crate::layout::ProjectDir;
use crate::manifest::{RefState, StatEntry, unpack_bitmap, unpack_list};
use crate::mentions::Mentions;
use crate::meta::{COMPILER_IMPORTS, PUBLISHED, REF_COUNT};
use crate::names::{self, NameMatch, SymbolHit};
use crate::text::TextIndex;
use crate::vectors::{self, Embedding, SharedRows};
use crate::{meta, pack, schema};

/// How many rows of files are kept in memory: some ten megabytes of them.
const MAX_KNOWN_FILES: usize = 50_000;

/// How many files' symbols are kept: some ten kilobytes each.
const MAX_TABLES: usize = 4_000;

/// How many refs are kept ready for questions in words: some megabytes each.
const MAX_CORPORA: usize = 4;

/// An open generation of a project's index. Any number of threads and processes may have it open.
pub struct Index {
    folder: PathBuf,
    text: TextIndex,
    idle: Mutex<Vec<Connection>>,
    /// Rows that were read. A version never changes and its id is never used again, so they stay right.
    files: Mutex<HashMap<VersionId, FileRow>>,
    /// Refs as of the publish in which they were read: every change of a ref is a publish.
    refs: Mutex<HashMap<String, (i64, Arc<RefState>)>>,
    /// Symbols of versions that were asked for lately; they never change either.
    tables: Mutex<HashMap<VersionId, Arc<SymbolTable>>>,
    /// Corpora as of the publish in which they were made, the latest last.
    corpora: Mutex<Vec<(String, i64, Arc<Corpus>)>>,
    /// The publish that the text reader has seen.
    seen: Mutex<i64>,
    /// The embeddings, as far as they were read.
    vectors: SharedRows,
    /// Which names the versions use, as far as that was asked.
    mentions: Mentions,
    /// What compilers' indexes say, as of the import in which it was read.
    compiler: Mutex<(i64, Arc<Compiler>)>,
    /// What readers derive from versions and keep between questions, by its type.
    derived: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
    /// Every name was found where it belongs.
    names_sound: AtomicBool,
    /// A part was found damaged.
    damaged: AtomicBool,
    /// What a thorough check found; `None` while nothing is wrong.
    damage: Mutex<Option<String>>,
}

/// A row of a file version.
#[derive(Clone, Debug, PartialEq)]
pub struct FileRow {
    /// Its id.
    pub id: VersionId,
    /// Where the file is.
    pub path: RepoPath,
    /// What it contains.
    pub hash: ContentHash,
    /// Its module.
    pub module: String,
    /// Its language.
    pub language: String,
    /// Its size.
    pub bytes: u64,
    /// Its lines.
    pub lines: u32,
    /// How many symbols it defines.
    pub symbols: u32,
    /// What could not be done with it, in words.
    pub problems: Option<String>,
}

impl FileRow {
    /// The checksum of its row.
    pub(crate) fn check(&self) -> Check {
        Check::default()
            .number(self.id.into())
            .bytes(self.path.as_str().as_bytes())
            .bytes(self.hash.as_bytes())
            .bytes(self.module.as_bytes())
            .bytes(self.language.as_bytes())
            .number(self.bytes as i64)
            .number(self.lines.into())
            .number(self.symbols.into())
            .optional(self.problems.as_deref())
    }
}

/// The symbols of one file.
pub struct SymbolTable {
    /// In the order of their positions.
    pub symbols: Vec<Symbol>,
    pub(crate) lines: Vec<(u32, u32)>,
    /// The pieces that full-text search treats as one document.
    pub chunks: Vec<Chunk>,
    pub(crate) chunk_lines: Vec<(u32, u32)>,
}

impl SymbolTable {
    /// First and last line of a chunk.
    pub fn chunk_lines(&self, chunk: u32) -> (u32, u32) {
        self.chunk_lines.get(chunk as usize).copied().unwrap_or((1, 1))
    }

    /// First and last line of a symbol's declaration.
    pub fn lines(&self, index: SymbolIndex) -> (u32, u32) {
        self.lines.get(index.0 as usize).copied().unwrap_or((1, 1))
    }
}

impl Index {
    /// Opens the generation in use.
    pub fn open(dir: &ProjectDir) -> Result<Arc<Index>, StoreError> {
        loop {
            let folder = dir.current()?.ok_or(StoreError::NotIndexed)?;
            match Index::open_at(folder.clone()) {
                // A rebuild took its place in the meantime: that is no damage.
                Err(_) if dir.current()?.is_some_and(|current| current != folder) => {}
                outcome => return outcome,
            }
        }
    }

    fn open_at(folder: PathBuf) -> Result<Arc<Index>, StoreError> {
        let connection = connect(&folder)?;
        schema::check(&connection)?;
        let text = TextIndex::open(&folder.join("text"))?;
        text.check_age(&connection)?;
        let folder_is_marked = folder.join(DAMAGED).exists();
        let index = Arc::new(Index {
            folder,
            text,
            idle: Mutex::default(),
            files: Mutex::default(),
            refs: Mutex::default(),
            tables: Mutex::default(),
            corpora: Mutex::default(),
            seen: Mutex::new(-1),
            vectors: SharedRows::default(),
            mentions: Mentions::default(),
            compiler: Mutex::default(),
            derived: Mutex::default(),
            names_sound: AtomicBool::new(false),
            damaged: AtomicBool::new(folder_is_marked),
            damage: Mutex::new(None),
        });
        index.give_back(connection);
        Ok(index)
    }

    /// Whether this is still the generation in use.
    pub fn is_current(&self, dir: &ProjectDir) -> bool {
        dir.current().is_ok_and(|current| current.as_deref() == Some(&self.folder))
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Reads everything and compares checksums. Damage that it finds fails every later snapshot too.
    pub fn validate(&self) -> Result<(), StoreError> {
        let outcome = self.at_one_moment(validate_database).and_then(|()| self.text.validate());
        if let Err(StoreError::Corrupt { what }) = &outcome {
            *self.damage.lock().unwrap_or_else(PoisonError::into_inner) = Some(what.clone());
        }
        outcome.inspect_err(|problem| self.note_damage(problem))
    }

    /// Whether a part of it was found damaged, so that a sync should build it anew.
    pub fn wants_rebuild(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Leaves a mark beside a damaged part, for whoever writes next.
    fn note_damage(&self, problem: &StoreError) {
        if matches!(problem, StoreError::Damaged { .. }) && !self.damaged.swap(true, Ordering::Relaxed) {
            tracing::warn!("{problem}");
            let _ = std::fs::File::create(self.folder.join(DAMAGED)); // a home that cannot be written cannot be repaired
        }
    }

    /// Reads every embedding and compares checksums. Damage that it finds is made good by the next sync.
    pub fn validate_vectors(&self) -> Result<(), StoreError> {
        self.at_one_moment(|connection| self.stored_vectors(connection).map(drop))
    }

    /// Reads in one transaction, so that what is compared is of one publish, whoever writes meanwhile.
    fn at_one_moment<T>(&self, read: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let connection = self.connection()?;
        connection.execute_batch("BEGIN")?;
        let outcome = read(&connection);
        if connection.execute_batch("COMMIT").is_ok() {
            self.give_back(connection);
        }
        outcome
    }

    fn stored_vectors(&self, connection: &Connection) -> Result<Option<StoredVectors>, StoreError> {
        let Some(embedding) = vectors::embedding(connection)? else { return Ok(None) };
        let runs = vectors::runs(connection)?;
        let rows = self.vectors.get(&self.folder, connection, embedding.row, &runs)?;
        Ok(Some(StoredVectors { embedding, rows, runs }))
    }

    /// A consistent view of what is published now.
    pub fn snapshot(self: &Arc<Index>) -> Result<Snapshot, StoreError> {
        if let Some(what) = self.damage.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            return Err(StoreError::Corrupt { what });
        }
        let connection = self.connection()?;
        connection.execute_batch("BEGIN")?;
        let published = meta::number(&connection, PUBLISHED)?;
        // The text of a publish is committed before the publish itself, so a reload after the transaction began sees
        // at least the text that belongs to it.
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if *seen != published {
            self.text.reload()?;
            *seen = published;
        }
        drop(seen);
        Ok(Snapshot { index: Arc::clone(self), connection: Some(connection), published })
    }

    /// The versions whose text has a token, whatever ref they belong to.
    #[cfg(test)]
    pub(crate) fn versions_with(&self, token: &str) -> Vec<VersionId> {
        self.text.versions_with(token)
    }

    fn connection(&self) -> Result<Connection, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| connect(&self.folder), Ok)
    }

    fn give_back(&self, connection: Connection) {
        // One that takes the file as unchanging would never see a change.
        let lasting = connection.is_readonly(MAIN_DB).is_ok_and(|read_only| !read_only);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if lasting && idle.len() < 8 {
            idle.push(connection);
        }
    }
}

/// The mark of a generation of which a part is damaged.
const DAMAGED: &str = "damaged";

/// Whether somebody found a part of the index damaged, so that it should be built anew.
pub fn wants_rebuild(dir: &ProjectDir) -> bool {
    matches!(dir.current(), Ok(Some(folder)) if folder.join(DAMAGED).exists())
}

/// The names of the refs that an index has, whatever else is wrong with it; none where it cannot be read at all.
pub fn ref_names(dir: &ProjectDir) -> Vec<String> {
    let names = || -> Result<Vec<String>, StoreError> {
        let connection = connect(&dir.current()?.ok_or(StoreError::NotIndexed)?)?;
        schema::check(&connection)?;
        let mut statement = connection.prepare("SELECT name FROM ref ORDER BY name")?;
        Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
    };
    names().unwrap_or_default()
}

pub(crate) fn connect(folder: &Path) -> Result<Connection, StoreError> {
    let path = folder.join("facts.db");
    if !path.is_file() {
        return Err(StoreError::corrupt("database: the file is missing"));
    }
    match connect_to(&path) {
        // Readers of a database with a log write too, into the file by which they agree with writers. Where nothing can be
        // written, nobody writes: what is there can be read as it is, unless a log says that it is not all.
        Err(problem) if problem.is_read_only() && !schema::has_log(&path) => schema::open_unchanging(&path),
        other => other,
    }
}

fn connect_to(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    schema::configure(&connection)?;
    connection.pragma_update(None, "query_only", true)?;
    schema::version(&connection)?;
    Ok(connection)
}

fn validate_database(connection: &Connection) -> Result<(), StoreError> {
    let found: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if found != "ok" {
        return Err(StoreError::corrupt(format!("database: {found}")));
    }
    meta::validate(connection)?;
    names::validate(connection)?;
    let sealed = [
        ("SELECT version, symbols FROM facts", "the symbols of a file"),
        ("SELECT version, rest FROM facts", "the facts of a file"),
        ("SELECT version, names FROM mention", "the names that a file uses"),
        ("SELECT version, facts FROM compiler", "what a compiler says about a file"),
    ];
    for (sql, what) in sealed {
        let mut statement = connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            unseal(row.get_ref(1)?.as_blob().unwrap_or_default(), row.get(0)?, what)?;
        }
    }
    let mut statement = connection.prepare(SELECT_FILE)?;
    let mut rows = statement.query([])?;
    let mut versions = RoaringBitmap::new();
    while let Some(row) = rows.next()? {
        versions.insert(read_file(row)?.id);
    }
    let mut statement = connection.prepare(SELECT_REF)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if !read_ref(row)?.versions.is_subset(&versions) {
            return Err(StoreError::corrupt("manifest: a version is missing"));
        }
    }
    let mut statement = connection.prepare("SELECT name, stats FROM ref WHERE stats IS NOT NULL")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        unpack_list::<StatEntry>(&row.get::<_, String>(0)?, row.get_ref(1)?.as_blob().unwrap_or_default())?;
    }
    Ok(())
}

/// What is published, as of one moment.
pub struct Snapshot {
    index: Arc<Index>,
    connection: Option<Connection>,
    published: i64,
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
    fn connection(&self) -> Result<&Connection, StoreError> {
        self.connection.as_ref().ok_or(StoreError::NotIndexed)
    }

    /// Passes on what was read; damage is noted on the way.
    fn noted<T>(&self, outcome: Result<T, StoreError>) -> Result<T, StoreError> {
        outcome.inspect_err(|problem| self.index.note_damage(problem))
    }

    /// Whether a part of the index was found damaged, so that a sync should build it anew.
    pub fn wants_rebuild(&self) -> bool {
        self.index.wants_rebuild()
    }

    /// Grows with every publish: equal numbers mean equal content.
    pub fn published(&self) -> i64 {
        self.published
    }

    /// The state of a ref; `None` when it was never published.
    pub fn ref_state(&self, name: &str) -> Result<Option<Arc<RefState>>, StoreError> {
        let known = || self.index.refs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((published, state)) = known().get(name)
            && *published == self.published
        {
            return Ok(Some(Arc::clone(state)));
        }
        let state = self.noted(self.read_ref_state(name))?.map(Arc::new);
        if let Some(state) = &state {
            known().insert(name.to_owned(), (self.published, Arc::clone(state)));
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

    /// The files of a ref's work tree as they were when it was published.
    pub fn stats(&self, name: &str) -> Result<Vec<StatEntry>, StoreError> {
        let mut statement = self.connection()?.prepare_cached("SELECT stats FROM ref WHERE name = ?1")?;
        let bytes: Option<Option<Vec<u8>>> = statement.query_row(params![name], |row| row.get(0)).optional()?;
        self.noted(bytes.flatten().map_or(Ok(Vec::new()), |bytes| unpack_list(name, &bytes)))
    }

    /// A file version.
    pub fn file(&self, version: VersionId) -> Result<FileRow, StoreError> {
        let known = || self.index.files.lock().unwrap_or_else(PoisonError::into_inner);
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
    pub fn file_at(&self, path: &RepoPath, versions: &RoaringBitmap) -> Result<Option<FileRow>, StoreError> {
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

    /// The versions in a set whose path has this key (see [`cruxe_model::ids::path_key`]).
    pub fn files_by_path_key(&self, key: &str, versions: &RoaringBitmap) -> Result<Vec<FileRow>, StoreError> {
        let found = self.files_where("path_key = ?1", key, versions)?;
        if found.is_empty() {
            self.confirm_none(versions, |file| ids::path_key(&file.path) == key)?;
        }
        Ok(found)
    }

    /// Makes sure that there is no such file by reading the table as it lies: what leads there may be damaged.
    fn confirm_none(&self, versions: &RoaringBitmap, wanted: impl Fn(&FileRow) -> bool) -> Result<(), StoreError> {
        match self.files(versions)?.iter().any(wanted) {
            true => Err(StoreError::corrupt("database: a path is not where it belongs")),
            false => Ok(()),
        }
    }

    fn files_where(&self, clause: &str, value: &str, versions: &RoaringBitmap) -> Result<Vec<FileRow>, StoreError> {
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

    /// The files of a set, in path order.
    pub fn files(&self, versions: &RoaringBitmap) -> Result<Vec<FileRow>, StoreError> {
        let files = self.files_if(|version| versions.contains(version))?;
        match files.len() as u64 == versions.len() {
            true => Ok(files),
            false => Err(StoreError::corrupt("manifest: a version is missing")),
        }
    }

    /// How many files of each language are in a set.
    pub fn languages(&self, versions: &RoaringBitmap) -> Result<HashMap<String, u64>, StoreError> {
        let mut statement = self.connection()?.prepare_cached("SELECT id, language FROM version")?;
        let mut rows = statement.query([])?;
        let mut counts = HashMap::new();
        while let Some(row) = rows.next()? {
            if versions.contains(row.get(0)?) {
                *counts.entry(row.get::<_, String>(1)?).or_insert(0) += 1;
            }
        }
        Ok(counts)
    }

    /// The symbols of a file version.
    pub fn symbols(&self, version: VersionId) -> Result<SymbolTable, StoreError> {
        let sealed = self.blob("SELECT symbols FROM facts WHERE version = ?1", version)?;
        pack::unpack_symbols(self.noted(unseal(&sealed, version.into(), "the symbols of a file"))?)
    }

    /// The same, kept for the next question.
    pub fn symbol_table(&self, version: VersionId) -> Result<Arc<SymbolTable>, StoreError> {
        let known = || self.index.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = known().get(&version) {
            return Ok(Arc::clone(table));
        }
        let table = Arc::new(self.symbols(version)?);
        let mut known = known();
        if known.len() >= MAX_TABLES {
            known.clear();
        }
        known.insert(version, Arc::clone(&table));
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
    pub fn find_name(
        &self,
        name: &str,
        how: NameMatch,
        versions: &RoaringBitmap,
    ) -> Result<Vec<SymbolHit>, StoreError> {
        let connection = self.connection()?;
        let found = self.noted(names::find(connection, name, how, versions))?;
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

    /// The text of a ref, for questions in words.
    pub fn corpus(&self, state: &RefState) -> Result<Arc<Corpus>, StoreError> {
        let known = || self.index.corpora.lock().unwrap_or_else(PoisonError::into_inner);
        let same =
            |(name, published, _): &&(String, i64, Arc<Corpus>)| *name == state.name && *published == self.published;
        if let Some((.., corpus)) = known().iter().find(same) {
            return Ok(Arc::clone(corpus));
        }
        let corpus = Arc::new(self.make_corpus(state)?);
        let mut known = known();
        known.retain(|(name, ..)| *name != state.name);
        if known.len() >= MAX_CORPORA {
            known.remove(0);
        }
        known.push((state.name.clone(), self.published, Arc::clone(&corpus)));
        Ok(corpus)
    }

    fn make_corpus(&self, state: &RefState) -> Result<Corpus, StoreError> {
        let connection = self.connection()?;
        // Words alone answer too: embeddings that are damaged cost their part of the ranking and nothing else.
        let vectors = self.index.stored_vectors(connection);
        let text = &self.index.text;
        Corpus::build(text.searcher(), text.fields, self.files(&state.versions)?, vectors)
    }

    /// The versions of a set that use a name; some may not, but none that does is missing.
    pub fn mentioning(&self, name: &str, versions: &RoaringBitmap) -> Result<RoaringBitmap, StoreError> {
        self.noted(self.index.mentions.find(self.connection()?, name, versions))
    }

    /// What compilers' indexes say about a set of versions; `None` while none was taken in.
    pub fn compiler(&self, versions: &RoaringBitmap) -> Result<Option<Arc<Compiler>>, StoreError> {
        let connection = self.connection()?;
        let import = meta::number(connection, COMPILER_IMPORTS)?;
        if import == 0 {
            return Ok(None);
        }
        let compiler = {
            let mut held = self.index.compiler.lock().unwrap_or_else(PoisonError::into_inner);
            if held.0 != import {
                // An import may say something new about a version that was read before.
                *held = (import, Arc::default());
            }
            Arc::clone(&held.1)
        };
        self.noted(compiler.read(connection, versions))?;
        Ok(Some(compiler))
    }

    /// How many versions of a set a compiler's index covers.
    pub fn compiler_coverage(&self, versions: &RoaringBitmap) -> Result<u64, StoreError> {
        compiler::covered(self.connection()?, versions).map(|covered| covered.len())
    }

    /// What readers derive from versions, whose facts never change, and keep as long as the index is open.
    pub fn derived<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut derived = self.index.derived.lock().unwrap_or_else(PoisonError::into_inner);
        let value = derived.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default())).clone();
        drop(derived);
        value.downcast().unwrap_or_default()
    }
}

const SELECT_FILE: &str =
    "SELECT id, path, hash, module, language, bytes, lines, symbols, problems, checksum FROM version";

fn read_file(row: &Row) -> Result<FileRow, StoreError> {
    let (path, hash): (String, Vec<u8>) = (row.get(1)?, row.get(2)?);
    let file = FileRow {
        id: row.get(0)?,
        path: RepoPath::from_walk(&path).map_err(|problem| StoreError::corrupt(format!("version: {problem}")))?,
        hash: ContentHash::from_bytes(&hash).ok_or_else(|| StoreError::corrupt("version: malformed hash"))?,
        module: row.get(3)?,
        language: row.get(4)?,
        bytes: row.get(5)?,
        lines: row.get(6)?,
        symbols: row.get(7)?,
        problems: row.get(8)?,
    };
    file.check().expect(row.get(9)?, "the row of a file")?;
    Ok(file)
}

const SELECT_REF: &str = "SELECT name, commit_id, worktree, versions, skipped, files, symbols, bytes, indexed_at, \
                          checksum FROM ref";

fn read_ref(row: &Row) -> Result<RefState, StoreError> {
    let (name, versions, skipped): (String, Vec<u8>, Vec<u8>) = (row.get(0)?, row.get(3)?, row.get(4)?);
    let indexed_at: String = row.get(8)?;
    let state = RefState {
        commit: row.get(1)?,
        worktree: row.get(2)?,
        versions: unpack_bitmap(&name, &versions)?,
        skipped: unpack_list(&name, &skipped)?,
        files: row.get(5)?,
        symbols: row.get(6)?,
        bytes: row.get(7)?,
        indexed_at: indexed_at.parse().map_err(|_| StoreError::corrupt("manifest: malformed time"))?,
        name,
    };
    state.check().expect(row.get(9)?, "the row of a ref")?;
    Ok(state)
}
