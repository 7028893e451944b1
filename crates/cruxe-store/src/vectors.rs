//! Embeddings: one row of bytes per chunk, in one flat file that only grows.
//!
//! Flat, because every question in words reads all rows of a ref: 100,000 of them are 13 MB, which the page cache gives
//! back in milliseconds and a database would copy page by page. Which rows belong to a version is a row of the
//! database, so that rows become visible with the transaction that publishes them; what a killed writer left behind
//! the last known row is cut off by the next one.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cruxe_model::VersionId;
use memmap2::Mmap;
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::StoreError;
use crate::index::meta;

/// Fewer rows than this that belong to nobody are left where they are.
const COMPACT_AT: i64 = 8192;

/// The model that made the vectors, and how long their rows are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embedding {
    /// Its name and version: vectors of two models cannot be compared.
    pub model: String,
    /// Bytes of a row.
    pub row: usize,
}

/// The model of the vectors in a database.
pub(crate) fn embedding(connection: &Connection) -> Result<Option<Embedding>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE key = 'embedding_model'")?;
    let model: Option<String> = statement.query_row([], |row| row.get(0)).optional()?;
    let row = meta(connection, "embedding_row")? as usize;
    Ok(model.filter(|_| row > 0).map(|model| Embedding { model, row }))
}

fn file_path(folder: &Path, number: i64) -> PathBuf {
    folder.join(format!("vectors.{number}"))
}

/// All rows, for reading.
#[derive(Clone)]
pub(crate) struct VectorRows {
    map: Option<Arc<Mmap>>,
    width: usize,
}

impl VectorRows {
    /// Maps the file that a snapshot's database names.
    pub fn open(folder: &Path, connection: &Connection, width: usize) -> Result<VectorRows, StoreError> {
        let path = file_path(folder, meta(connection, "vector_file")?);
        if meta(connection, "vector_rows")? == 0 {
            return Ok(VectorRows { map: None, width });
        }
        let file = File::open(&path).map_err(StoreError::io(&path))?;
        // Reading 13 MB at every start of a server would cost more than the questions that follow. The file only
        // grows while it has this name, and readers stay below the rows that their transaction knows.
        #[allow(unsafe_code)]
        let map = unsafe { Mmap::map(&file) }.map_err(StoreError::io(&path))?;
        Ok(VectorRows { map: Some(Arc::new(map)), width })
    }

    /// Rows one behind the other; empty where the file is too short.
    pub fn rows(&self, first: u64, count: u64) -> &[u8] {
        let (start, end) = (first as usize * self.width, (first + count) as usize * self.width);
        self.map.as_ref().and_then(|map| map.get(start..end)).unwrap_or_default()
    }
}

/// Appends rows.
pub(crate) struct VectorWriter {
    folder: PathBuf,
    number: i64,
    rows: i64,
    embedding: Option<Embedding>,
    file: Option<BufWriter<File>>,
}

impl VectorWriter {
    pub fn open(folder: &Path, connection: &Connection) -> Result<VectorWriter, StoreError> {
        Ok(VectorWriter {
            folder: folder.to_owned(),
            number: meta(connection, "vector_file")?,
            rows: meta(connection, "vector_rows")?,
            embedding: embedding(connection)?,
            file: None,
        })
    }

    /// Makes this the model of all vectors; those of another are forgotten. Says whether there were such.
    pub fn use_model(&mut self, connection: &Connection, wanted: Option<&Embedding>) -> Result<bool, StoreError> {
        if self.embedding.as_ref() == wanted {
            return Ok(false);
        }
        let had_some = self.rows > 0;
        connection.execute("DELETE FROM vector", [])?;
        self.start_file(connection)?;
        let mut set = connection.prepare_cached("INSERT OR REPLACE INTO meta VALUES (?1, ?2)")?;
        match wanted {
            Some(Embedding { model, row }) => {
                set.execute(params!["embedding_model", model])?;
                set.execute(params!["embedding_row", *row as i64])?;
            }
            None => {
                connection.execute("DELETE FROM meta WHERE key IN ('embedding_model', 'embedding_row')", [])?;
            }
        }
        self.embedding = wanted.cloned();
        Ok(had_some)
    }

    /// Another file from here on; readers of the old one keep it.
    fn start_file(&mut self, connection: &Connection) -> Result<(), StoreError> {
        (self.number, self.rows, self.file) = (self.number + 1, 0, None);
        let mut set = connection.prepare_cached("INSERT OR REPLACE INTO meta VALUES (?1, ?2)")?;
        set.execute(params!["vector_file", self.number])?;
        set.execute(params!["vector_rows", 0])?;
        Ok(())
    }

    /// Adds the rows of a version of a file; a model must be in use. What stands at the beginning and at the end of
    /// another version of the file too is not written again.
    pub fn add(&mut self, connection: &Connection, version: VersionId, values: &[u8]) -> Result<(), StoreError> {
        let Some(Embedding { row: width, .. }) = self.embedding else { return Ok(()) };
        let count = values.len() / width;
        let row = |at: usize| &values[at * width..(at + 1) * width];
        let (known, known_values) = self.other_version(connection, version, width)?;
        let same = |known: usize, new: usize| known_values[known * width..(known + 1) * width] == *row(new);
        let most = known.len().min(count);
        let before = (0..most).take_while(|at| same(*at, *at)).count();
        let after = (1..=most - before).take_while(|back| same(known.len() - back, count - back)).count();
        let first = self.append(&values[before * width..(count - after) * width])?;
        let new = first..first + (count - before - after) as i64;
        let rows = known[..before].iter().copied().chain(new).chain(known[known.len() - after..].iter().copied());
        self.set_rows(connection, version, &rows.collect::<Vec<i64>>())
    }

    /// The rows of the newest other version of the same file, and what they are.
    fn other_version(
        &mut self,
        connection: &Connection,
        version: VersionId,
        width: usize,
    ) -> Result<(Vec<i64>, Vec<u8>), StoreError> {
        let mut find = connection.prepare_cached(
            "SELECT max(id) FROM version WHERE path = (SELECT path FROM version WHERE id = ?1) AND id <> ?1
             AND EXISTS (SELECT 1 FROM vector WHERE vector.version = id)",
        )?;
        let Some(other) = find.query_row(params![version], |row| row.get::<_, Option<VersionId>>(0))? else {
            return Ok((Vec::new(), Vec::new()));
        };
        let mut list = connection.prepare_cached("SELECT first, count FROM vector WHERE version = ?1 ORDER BY at")?;
        let runs: Vec<(i64, i64)> =
            list.query_map(params![other], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
        let path = file_path(&self.folder, self.number);
        if let Some(file) = &mut self.file {
            file.flush().map_err(StoreError::io(&path))?;
        }
        let (mut rows, mut values) = (Vec::new(), Vec::new());
        if runs.iter().any(|(_, count)| *count > 0) {
            let mut file = File::open(&path).map_err(StoreError::io(&path))?;
            for (first, count) in runs {
                rows.extend(first..first + count);
                let start = values.len();
                values.resize(start + count as usize * width, 0);
                file.seek(SeekFrom::Start(first as u64 * width as u64))
                    .and_then(|_| file.read_exact(&mut values[start..]))
                    .map_err(StoreError::io(&path))?;
            }
        }
        Ok((rows, values))
    }

    /// Notes which rows are a version's, as runs.
    fn set_rows(&self, connection: &Connection, version: VersionId, rows: &[i64]) -> Result<(), StoreError> {
        let mut insert = connection.prepare_cached("INSERT OR REPLACE INTO vector VALUES (?1, ?2, ?3, ?4)")?;
        if rows.is_empty() {
            insert.execute(params![version, 0, 0, 0])?;
        }
        let mut at = 0;
        for run in rows.chunk_by(|one, next| one + 1 == *next) {
            insert.execute(params![version, at, run[0], run.len() as i64])?;
            at += run.len() as i64;
        }
        Ok(())
    }

    fn append(&mut self, values: &[u8]) -> Result<i64, StoreError> {
        let (Some(Embedding { row: width, .. }), first) = (&self.embedding, self.rows) else { return Ok(0) };
        let path = file_path(&self.folder, self.number);
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let mut options = OpenOptions::new();
                let mut file =
                    options.create(true).write(true).truncate(false).open(&path).map_err(StoreError::io(&path))?;
                let end = first as u64 * *width as u64;
                file.set_len(end).and_then(|()| file.seek(SeekFrom::End(0))).map_err(StoreError::io(&path))?;
                self.file.insert(BufWriter::with_capacity(1 << 20, file))
            }
        };
        file.write_all(values).map_err(StoreError::io(&path))?;
        self.rows += (values.len() / width) as i64;
        Ok(first)
    }

    /// Makes the rows durable, before the transaction that names them.
    pub fn commit(&mut self, connection: &Connection) -> Result<(), StoreError> {
        if let Some(file) = &mut self.file {
            let path = file_path(&self.folder, self.number);
            file.flush().and_then(|()| file.get_ref().sync_data()).map_err(StoreError::io(&path))?;
        }
        let mut set = connection.prepare_cached("INSERT OR REPLACE INTO meta VALUES ('vector_rows', ?1)")?;
        set.execute(params![self.rows])?;
        Ok(())
    }

    /// Writes the rows in use into a new file once half of them belong to nobody. Part of the publishing transaction.
    pub fn compact(&mut self, connection: &Connection) -> Result<(), StoreError> {
        let Some(Embedding { row: width, .. }) = self.embedding.clone() else { return Ok(()) };
        let mut list = connection.prepare_cached("SELECT version, at, first, count FROM vector")?;
        let runs = list.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
        let runs: Vec<(VersionId, i64, i64, i64)> = runs.collect::<Result<_, _>>()?;
        let mut used: Vec<i64> = runs.iter().flat_map(|(_, _, first, count)| *first..first + count).collect();
        used.sort_unstable();
        used.dedup();
        if self.rows - (used.len() as i64) < COMPACT_AT.max(used.len() as i64) {
            return Ok(());
        }
        self.commit(connection)?;
        let old = VectorRows::open(&self.folder, connection, width)?;
        self.start_file(connection)?;
        for run in used.chunk_by(|one, next| one + 1 == *next) {
            self.append(old.rows(run[0] as u64, run.len() as u64))?;
        }
        // Rows keep their order, and those of a run are all in use: a run is moved as a whole.
        let mut set = connection.prepare_cached("UPDATE vector SET first = ?3 WHERE version = ?1 AND at = ?2")?;
        for (version, at, first, _) in runs {
            set.execute(params![version, at, used.partition_point(|row| *row < first) as i64])?;
        }
        Ok(())
    }

    /// Removes the files that the database no longer names.
    pub fn remove_old_files(&self) {
        let current = file_path(&self.folder, self.number);
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            let ours = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("vectors."));
            if ours && path != current {
                let _ = std::fs::remove_file(&path); // the next writer tries again
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Store {
        folder: tempfile::TempDir,
        connection: Connection,
        writer: VectorWriter,
    }

    impl Store {
        fn new() -> Store {
            let folder = tempfile::tempdir().unwrap();
            let mut connection = Connection::open_in_memory().unwrap();
            crate::schema::migrate(&mut connection).unwrap();
            let mut writer = VectorWriter::open(folder.path(), &connection).unwrap();
            writer.use_model(&connection, Some(&Embedding { model: "two".to_owned(), row: 2 })).unwrap();
            Store { folder, connection, writer }
        }

        fn add(&mut self, version: VersionId, path: &str, values: &[u8]) {
            let columns = "(id, path, path_key, hash, module, language, bytes, lines, symbols, problems)";
            let sql = format!("INSERT INTO version {columns} VALUES (?1, ?2, ?2, x'00', ?1, '', 0, 0, 0, '')");
            self.connection.execute(&sql, params![version, path]).unwrap();
            self.writer.add(&self.connection, version, values).unwrap();
        }

        fn values(&mut self, version: VersionId) -> Vec<u8> {
            self.writer.commit(&self.connection).unwrap();
            let rows = VectorRows::open(self.folder.path(), &self.connection, 2).unwrap();
            let mut list =
                self.connection.prepare("SELECT first, count FROM vector WHERE version = ?1 ORDER BY at").unwrap();
            let runs = list.query_map(params![version], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
            runs.flat_map(|run: rusqlite::Result<(u64, u64)>| {
                rows.rows(run.as_ref().unwrap().0, run.unwrap().1).to_vec()
            })
            .collect()
        }
    }

    #[test]
    fn versions_of_a_file_share_the_rows_that_they_have_in_common() {
        let mut store = Store::new();
        let versions: [(&str, &[u8]); 6] = [
            ("a", &[1, 1, 2, 2, 3, 3]),
            ("a", &[1, 1, 9, 9, 3, 3]),
            ("a", &[1, 1, 9, 9, 3, 3, 4, 4]),
            ("b", &[1, 1, 2, 2, 3, 3]),
            ("a", &[]),
            ("a", &[5, 5]),
        ];
        let rows_after = [3, 4, 5, 8, 8, 9];
        for (at, ((path, values), rows)) in versions.into_iter().zip(rows_after).enumerate() {
            store.add(at as VersionId + 1, path, values);
            assert_eq!(store.writer.rows, rows, "after version {}", at + 1);
        }
        for (at, (_, values)) in versions.into_iter().enumerate() {
            assert_eq!(store.values(at as VersionId + 1), values, "version {}", at + 1);
        }
    }

    #[test]
    fn compacting_keeps_every_row_that_somebody_has() {
        let mut store = Store::new();
        let long: Vec<u8> = (0..2 * (2 * COMPACT_AT + 10)).map(|at| (at % 120) as u8).collect();
        store.add(1, "dropped", &long);
        store.add(2, "a", &[1, 1, 2, 2, 3, 3]);
        store.add(3, "a", &[1, 1, 9, 9, 3, 3]);
        store.connection.execute("DELETE FROM vector WHERE version = 1", []).unwrap();
        store.writer.compact(&store.connection).unwrap();
        assert_eq!(store.writer.rows, 4);
        assert_eq!(store.values(2), [1, 1, 2, 2, 3, 3]);
        assert_eq!(store.values(3), [1, 1, 9, 9, 3, 3]);
        store.writer.compact(&store.connection).unwrap();
        assert_eq!(store.writer.rows, 4, "nothing to win");
    }
}
