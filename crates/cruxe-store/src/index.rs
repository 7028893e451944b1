//! An open generation of an index: its connections, and what readers keep in memory between questions.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cruxe_model::VersionId;
use parking_lot::Mutex;
use rusqlite::{Connection, MAIN_DB, OpenFlags};

use crate::cache::Caches;
use crate::compiler::Imported;
use crate::corpus::{Corpus, StoredVectors};
use crate::error::StoreError;
use crate::layout::ProjectDir;
use crate::manifest::RefState;
use crate::mentions::Mentions;
use crate::meta::PUBLISHED;
use crate::rows::{FileRow, SymbolTable};
use crate::snapshot::Snapshot;
use crate::text::TextIndex;
use crate::vectors::{self, SharedRows};
use crate::{meta, schema, validate};

/// An open generation of a project's index. Any number of threads and processes may have it open.
pub(crate) struct Index {
    folder: PathBuf,
    /// The full-text index, once somebody asked for words: to open it takes longer than most other questions do.
    text: Mutex<Option<OpenText>>,
    idle: Mutex<Vec<Connection>>,
    /// Rows that were read. A version never changes and its id is never used again, so they stay right.
    pub(crate) files: Mutex<HashMap<VersionId, FileRow>>,
    /// Refs as of the publish in which they were read: every change of a ref is a publish.
    pub(crate) refs: Mutex<HashMap<String, (i64, Arc<RefState>)>>,
    /// Symbols of versions that were asked for lately; they never change either.
    pub(crate) tables: Mutex<Tables>,
    /// Corpora as of the publish in which they were made, the latest last.
    pub(crate) corpora: Mutex<Vec<(String, i64, Arc<Corpus>)>>,
    /// Held while one is made: whoever wants the same waits for it.
    pub(crate) making: Mutex<()>,
    /// The embeddings, as far as they were read.
    pub(crate) vectors: SharedRows,
    /// Which names the versions use, as far as that was asked.
    pub(crate) mentions: Mentions,
    /// What compilers' indexes say, as of the import in which it was read.
    pub(crate) compiler: Mutex<(i64, Arc<Imported>)>,
    /// What questions derive from versions and keep.
    pub(crate) caches: Caches,
    /// Every name was found where it belongs.
    pub(crate) names_sound: AtomicBool,
    /// A part was found damaged.
    damaged: AtomicBool,
    /// What a thorough check found; `None` while nothing is wrong.
    damage: Mutex<Option<String>>,
}

/// An open full-text index, and the publish that its reader has seen.
struct OpenText {
    text: Arc<TextIndex>,
    seen: i64,
}

/// Symbols of versions.
#[derive(Default)]
pub(crate) struct Tables {
    pub of: HashMap<VersionId, Arc<SymbolTable>>,
    /// How many symbols all of them have.
    pub symbols: usize,
}

impl Index {
    /// Opens the generation in use.
    pub fn open(dir: &ProjectDir) -> Result<Arc<Index>, StoreError> {
        loop {
            let folder = dir.current()?.ok_or(StoreError::NotIndexed)?;
            match Index::open_folder(folder.clone()) {
                // A rebuild took its place in the meantime: that is no damage.
                Err(_) if dir.current()?.is_some_and(|current| current != folder) => {}
                outcome => return outcome,
            }
        }
    }

    /// Opens the generation in a folder.
    pub fn open_folder(folder: PathBuf) -> Result<Arc<Index>, StoreError> {
        let connection = connect(&folder)?;
        schema::check(&connection)?;
        let folder_is_marked = folder.join(DAMAGED).exists();
        let index = Arc::new(Index {
            folder,
            text: Mutex::default(),
            idle: Mutex::default(),
            files: Mutex::default(),
            refs: Mutex::default(),
            tables: Mutex::default(),
            corpora: Mutex::default(),
            making: Mutex::default(),
            vectors: SharedRows::default(),
            mentions: Mentions::default(),
            compiler: Mutex::default(),
            caches: Caches::default(),
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
        let read = |connection: &Connection| {
            validate::database(connection)?;
            self.text(connection, meta::number(connection, PUBLISHED)?)
        };
        let outcome = self.at_one_moment(read).and_then(|text| text.validate());
        if let Err(StoreError::Corrupt { what }) = &outcome {
            *self.damage.lock() = Some(what.clone());
        }
        outcome.inspect_err(|problem| self.note_damage(problem))
    }

    /// Whether a part of it was found damaged, so that a sync should build it anew.
    pub fn wants_rebuild(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Leaves a mark beside a damaged part, for whoever writes next.
    pub(crate) fn note_damage(&self, problem: &StoreError) {
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

    pub(crate) fn stored_vectors(&self, connection: &Connection) -> Result<Option<StoredVectors>, StoreError> {
        let Some(embedding) = vectors::embedding(connection)? else { return Ok(None) };
        let runs = vectors::runs(connection)?;
        let rows = self.vectors.get(&self.folder, connection, embedding.row, &runs)?;
        Ok(Some(StoredVectors { embedding, rows, runs }))
    }

    /// A consistent view of what is published now.
    pub fn snapshot(self: &Arc<Index>) -> Result<Snapshot, StoreError> {
        if let Some(what) = self.damage.lock().clone() {
            return Err(StoreError::Corrupt { what });
        }
        let connection = self.connection()?;
        connection.execute_batch("BEGIN")?;
        let published = meta::number(&connection, PUBLISHED)?;
        Ok(Snapshot::new(Arc::clone(self), connection, published))
    }

    /// The full-text index, with the text of a publish whose transaction the connection is in. Text is committed before its publish, so
    /// what is read after the transaction began has at least the text that belongs to it.
    pub(crate) fn text(&self, connection: &Connection, published: i64) -> Result<Arc<TextIndex>, StoreError> {
        let mut known = self.text.lock();
        if let Some(open) = known.as_mut() {
            if open.seen != published {
                open.text.reload()?;
                open.seen = published;
            }
            return Ok(Arc::clone(&open.text));
        }
        let opened = TextIndex::open(&self.folder.join("text")).and_then(|text| {
            text.check_age(connection)?;
            Ok(Arc::new(text))
        });
        match opened {
            Ok(text) => {
                *known = Some(OpenText { text: Arc::clone(&text), seen: published });
                Ok(text)
            }
            // A rebuild took its place since the transaction began, and removed it: that is no damage.
            Err(_) if !self.folder.exists() => Err(StoreError::Busy),
            Err(problem) => {
                // Once it is known that a part is missing, nobody is told half of the truth.
                if let StoreError::Corrupt { what } = &problem {
                    *self.damage.lock() = Some(what.clone());
                }
                Err(problem)
            }
        }
    }

    /// Fails where the full-text index cannot be opened.
    pub fn check_text(&self) -> Result<(), StoreError> {
        self.at_one_moment(|connection| self.text(connection, meta::number(connection, PUBLISHED)?).map(drop))
    }

    /// The versions whose text has a token, whatever ref they belong to.
    #[cfg(test)]
    pub(crate) fn versions_with(&self, token: &str) -> Vec<VersionId> {
        self.at_one_moment(|connection| self.text(connection, -1)).unwrap().versions_with(token)
    }

    fn connection(&self) -> Result<Connection, StoreError> {
        let idle = self.idle.lock().pop();
        idle.map_or_else(|| connect(&self.folder), Ok)
    }

    pub(crate) fn give_back(&self, connection: Connection) {
        // One that takes the file as unchanging would never see a change.
        let lasting = connection.is_readonly(MAIN_DB).is_ok_and(|read_only| !read_only);
        let mut idle = self.idle.lock();
        if lasting && idle.len() < 8 {
            idle.push(connection);
        }
    }
}

/// The mark of a generation of which a part is damaged.
const DAMAGED: &str = "damaged";

/// Whether somebody found a part of the index damaged, so that it should be built anew.
pub(crate) fn wants_rebuild(dir: &ProjectDir) -> bool {
    matches!(dir.current(), Ok(Some(folder)) if folder.join(DAMAGED).exists())
}

/// The names of the refs that an index has, whatever else is wrong with it; none where it cannot be read at all.
pub(crate) fn ref_names(dir: &ProjectDir) -> Vec<String> {
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
    schema::configure(&connection, schema::Sync::AtCheckpoints)?;
    connection.pragma_update(None, "query_only", true)?;
    schema::version(&connection)?;
    Ok(connection)
}
