//! Embeddings: one row of bytes per chunk, in one flat file that only grows.
//!
//! Flat, because every question in words reads all rows of a ref: 100,000 of them are 13 MB, which the page cache gives
//! back in milliseconds and a database would copy page by page. Which rows belong to a version is a row of the
//! database, so that rows become visible with the transaction that publishes them; what a killed writer left behind
//! the last known row is cut off by the next one. There too stands the checksum of the rows. A search can do without
//! embeddings, so damaged ones are no damage of the index: whoever finds them leaves a mark, and the next writer starts anew.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cruxe_model::VersionId;
use parking_lot::Mutex;
use roaring::RoaringBitmap;
use rusqlite::{Connection, Row, params};

use crate::error::StoreError;
use crate::meta::{self, EMBEDDING_MODEL, EMBEDDING_ROW, VECTOR_FILE, VECTOR_ROWS};

/// Fewer rows than this that belong to nobody are left where they are.
const COMPACT_AT: i64 = 8192;

/// The model that made the vectors, and how long their rows are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embedding {
    /// Its name and version: vectors of two models cannot be compared.
    pub model: String,
    /// Bytes of a row.
    pub(crate) row: usize,
}

impl Embedding {
    /// A model whose vectors have so many values.
    pub fn new(model: impl Into<String>, dims: usize) -> Embedding {
        Embedding { model: model.into(), row: cruxe_embed::row_bytes(dims) }
    }
}

/// The model of the vectors in a database.
pub(crate) fn embedding(connection: &Connection) -> Result<Option<Embedding>, StoreError> {
    let model = meta::text(connection, EMBEDDING_MODEL)?;
    let row = meta::number(connection, EMBEDDING_ROW)? as usize;
    Ok(model.filter(|_| row > 0).map(|model| Embedding { model, row }))
}

fn file_path(folder: &Path, number: i64) -> PathBuf {
    folder.join(format!("vectors.{number}"))
}

/// What a reader leaves beside a file of vectors that is damaged, for the next writer to make them anew.
fn mark_path(folder: &Path, number: i64) -> PathBuf {
    folder.join(format!("vectors.{number}.damaged"))
}

fn damaged() -> StoreError {
    StoreError::checksum("the embeddings")
}

/// Where some of a version's rows are, with their checksum.
pub(crate) struct Run {
    pub version: VersionId,
    at: i64,
    pub first: u64,
    pub count: u64,
    checksum: u32,
}

impl Run {
    /// Compares the rows with the checksum.
    fn check(&self, rows: &VectorRows) -> Result<(), StoreError> {
        let mut check = run_check(self.version, self.at);
        let mut bytes = 0;
        for part in rows.parts(self.first, self.count) {
            bytes += part.len();
            check.update(part);
        }
        let whole = bytes as u64 == self.count * rows.width as u64;
        if whole && check.finalize() == self.checksum { Ok(()) } else { Err(damaged()) }
    }
}

/// The checksum of a run, before its rows: whose it is.
fn run_check(version: VersionId, at: i64) -> crc32fast::Hasher {
    let mut check = crc32fast::Hasher::new();
    check.update(&version.to_le_bytes());
    check.update(&at.to_le_bytes());
    check
}

/// Which rows are whose, by version and then in the order of their chunks.
pub(crate) fn runs(connection: &Connection) -> Result<Vec<Run>, StoreError> {
    let sql = "SELECT version, at, first, count, checksum FROM vector ORDER BY version, at";
    let mut list = connection.prepare_cached(sql)?;
    let read = |row: &Row| {
        let (version, at, first, count, checksum) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
        Ok(Run { version, at, first, count, checksum })
    };
    Ok(list.query_map([], read)?.collect::<Result<_, _>>()?)
}

/// Rows are read in pieces of so many, some megabytes each.
const PIECE: u64 = 1 << 16;

/// Rows of a file, in memory. Every question in words reads all of them, so they have to be there anyway; and a file that is
/// mapped instead kills its reader when somebody cuts it.
#[derive(Clone, Default)]
pub(crate) struct VectorRows {
    pieces: Vec<Arc<[u8]>>,
    width: usize,
    rows: u64,
}

impl VectorRows {
    /// Reads so many rows of a file. What was read before is not read again: rows never change.
    fn read(path: &Path, width: usize, rows: u64, before: &VectorRows) -> Result<VectorRows, StoreError> {
        let same = if before.width == width { (before.rows.min(rows) / PIECE) as usize } else { 0 };
        let mut pieces = before.pieces[..same].to_vec();
        if rows > same as u64 * PIECE {
            let mut file = File::open(path).map_err(|_| damaged())?;
            file.seek(SeekFrom::Start(same as u64 * PIECE * width as u64)).map_err(|_| damaged())?;
            let known = file.metadata().map_err(|_| damaged())?.len();
            if known < rows.saturating_mul(width as u64) {
                return Err(damaged());
            }
            while (pieces.len() as u64) * PIECE < rows {
                let count = (rows - pieces.len() as u64 * PIECE).min(PIECE);
                let mut piece = vec![0; count as usize * width];
                file.read_exact(&mut piece).map_err(|_| damaged())?;
                pieces.push(piece.into());
            }
        }
        Ok(VectorRows { pieces, width, rows })
    }

    /// Cuts a run where one piece ends and the next begins.
    pub fn cut(first: u64, count: u64) -> impl Iterator<Item = (u64, u64)> {
        let end = first + count;
        let next = move |at: u64| ((at / PIECE + 1) * PIECE).min(end);
        std::iter::successors((count > 0).then(|| (first, next(first) - first)), move |(at, count)| {
            let at = at + count;
            (at < end).then(|| (at, next(at) - at))
        })
    }

    /// Rows one behind the other, all of one piece; empty where there are none.
    pub fn rows(&self, first: u64, count: u64) -> &[u8] {
        let (piece, first) = ((first / PIECE) as usize, (first % PIECE) as usize);
        let range = first * self.width..(first + count as usize) * self.width;
        self.pieces.get(piece).and_then(|piece| piece.get(range)).unwrap_or_default()
    }

    /// Rows one behind the other, in as many parts as they are kept in.
    fn parts(&self, first: u64, count: u64) -> impl Iterator<Item = &[u8]> {
        VectorRows::cut(first, count).map(|(first, count)| self.rows(first, count))
    }
}

/// The rows that readers share.
#[derive(Default)]
pub(crate) struct SharedRows {
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    number: i64,
    rows: VectorRows,
    /// The versions whose rows were compared with their checksums.
    checked: RoaringBitmap,
    damaged: bool,
}

impl SharedRows {
    /// The rows of the file that a snapshot's database names, those of all runs compared with their checksums.
    pub fn get(
        &self,
        folder: &Path,
        connection: &Connection,
        width: usize,
        runs: &[Run],
    ) -> Result<VectorRows, StoreError> {
        let (number, rows) = (meta::number(connection, VECTOR_FILE)?, meta::number(connection, VECTOR_ROWS)? as u64);
        let mut held = self.held.lock();
        if held.number != number {
            *held = Held { number, ..Held::default() };
        }
        let path = file_path(folder, number);
        let outcome = held.update(&path, width, rows, runs);
        // A file that is gone was replaced by a writer since the snapshot was taken; a real loss is the next writer's to tell.
        if outcome.is_err() && !std::mem::replace(&mut held.damaged, true) && path.exists() {
            tracing::warn!("the embeddings are damaged; the next sync makes them anew");
            let _ = File::create(mark_path(folder, number)); // a home that cannot be written cannot be repaired either
        }
        outcome.map(|()| held.rows.clone())
    }

    /// Whether the file in use was found damaged.
    pub fn are_damaged(&self, connection: &Connection) -> Result<bool, StoreError> {
        let number = meta::number(connection, VECTOR_FILE)?;
        let held = self.held.lock();
        Ok(held.number == number && held.damaged)
    }
}

impl Held {
    fn update(&mut self, path: &Path, width: usize, rows: u64, runs: &[Run]) -> Result<(), StoreError> {
        if self.damaged {
            return Err(damaged());
        }
        if self.rows.rows < rows || self.rows.width != width {
            self.rows = VectorRows::read(path, width, rows, &self.rows)?;
        }
        let new: Vec<&Run> = runs.iter().filter(|run| !self.checked.contains(run.version)).collect();
        new.iter().try_for_each(|run| run.check(&self.rows))?;
        self.checked.extend(new.iter().map(|run| run.version));
        Ok(())
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
        let mut writer = VectorWriter {
            folder: folder.to_owned(),
            number: meta::number(connection, VECTOR_FILE)?,
            rows: meta::number(connection, VECTOR_ROWS)?,
            embedding: embedding(connection)?,
            file: None,
        };
        let width = writer.embedding.as_ref().map_or(0, |embedding| embedding.row as u64);
        let length = file_path(folder, writer.number).metadata().map_or(0, |data| data.len());
        if length < writer.rows as u64 * width || mark_path(folder, writer.number).exists() {
            tracing::warn!("the embeddings are damaged and are made anew");
            writer.forget(connection)?;
        }
        Ok(writer)
    }

    /// Starts anew: every version needs new rows.
    fn forget(&mut self, connection: &Connection) -> Result<(), StoreError> {
        connection.execute("DELETE FROM vector", [])?;
        self.start_file(connection)
    }

    /// Makes this the model of all vectors; those of another are forgotten. Says whether there were such.
    pub fn use_model(&mut self, connection: &Connection, wanted: Option<&Embedding>) -> Result<bool, StoreError> {
        if self.embedding.as_ref() == wanted {
            return Ok(false);
        }
        let had_some = self.rows > 0;
        self.forget(connection)?;
        match wanted {
            Some(Embedding { model, row }) => {
                meta::set(connection, EMBEDDING_MODEL, model.clone())?;
                meta::set(connection, EMBEDDING_ROW, *row as i64)?;
            }
            None => {
                meta::remove(connection, EMBEDDING_MODEL)?;
                meta::remove(connection, EMBEDDING_ROW)?;
            }
        }
        self.embedding = wanted.cloned();
        Ok(had_some)
    }

    /// Another file from here on; readers of the old one keep it.
    fn start_file(&mut self, connection: &Connection) -> Result<(), StoreError> {
        (self.number, self.rows, self.file) = (self.number + 1, 0, None);
        meta::set(connection, VECTOR_FILE, self.number)?;
        meta::set(connection, VECTOR_ROWS, 0)
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
        set_rows(connection, version, &rows.collect::<Vec<i64>>(), values, width)
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
        let mut list = connection
            .prepare_cached("SELECT at, first, count, checksum FROM vector WHERE version = ?1 ORDER BY at")?;
        let runs: Vec<(i64, i64, i64, u32)> = list
            .query_map(params![other], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?
            .collect::<Result<_, _>>()?;
        let path = file_path(&self.folder, self.number);
        if let Some(file) = &mut self.file {
            file.flush().map_err(StoreError::io(&path))?;
        }
        let (mut rows, mut values) = (Vec::new(), Vec::new());
        if runs.iter().any(|(_, _, count, _)| *count > 0) {
            let mut file = File::open(&path).map_err(StoreError::io(&path))?;
            for (at, first, count, checksum) in runs {
                rows.extend(first..first + count);
                let start = values.len();
                values.resize(start + count as usize * width, 0);
                let read = file
                    .seek(SeekFrom::Start(first as u64 * width as u64))
                    .and_then(|_| file.read_exact(&mut values[start..]));
                let mut check = run_check(other, at);
                check.update(&values[start..]);
                if read.is_err() || check.finalize() != checksum {
                    // What is damaged is not handed on. Whoever reads it all finds it and leaves a mark.
                    return Ok((Vec::new(), Vec::new()));
                }
            }
        }
        Ok((rows, values))
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
        meta::set(connection, VECTOR_ROWS, self.rows)
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
        let path = file_path(&self.folder, self.number);
        let Ok(old) = VectorRows::read(&path, width, self.rows as u64, &VectorRows::default()) else {
            return self.forget(connection);
        };
        self.start_file(connection)?;
        for run in used.chunk_by(|one, next| one + 1 == *next) {
            for part in old.parts(run[0] as u64, run.len() as u64) {
                self.append(part)?;
            }
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

/// Notes which rows are a version's, as runs, with the checksums of what they hold.
fn set_rows(
    connection: &Connection,
    version: VersionId,
    rows: &[i64],
    values: &[u8],
    width: usize,
) -> Result<(), StoreError> {
    let mut insert = connection.prepare_cached("INSERT OR REPLACE INTO vector VALUES (?1, ?2, ?3, ?4, ?5)")?;
    let mut at = 0;
    let mut note = |first: i64, count: usize| -> Result<(), StoreError> {
        let mut check = run_check(version, at as i64);
        check.update(&values[at * width..(at + count) * width]);
        insert.execute(params![version, at as i64, first, count as i64, check.finalize()])?;
        at += count;
        Ok(())
    };
    if rows.is_empty() {
        note(0, 0)?;
    }
    rows.chunk_by(|one, next| one + 1 == *next).try_for_each(|run| note(run[0], run.len()))
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
            let columns = "(id, path, path_key, hash, module, language, bytes, lines, symbols, problems, checksum)";
            let sql = format!("INSERT INTO version {columns} VALUES (?1, ?2, ?2, x'00', ?1, '', 0, 0, 0, '', 0)");
            self.connection.execute(&sql, params![version, path]).unwrap();
            self.writer.add(&self.connection, version, values).unwrap();
        }

        fn values(&mut self, version: VersionId) -> Vec<u8> {
            self.writer.commit(&self.connection).unwrap();
            let runs = runs(&self.connection).unwrap();
            let rows = SharedRows::default().get(self.folder.path(), &self.connection, 2, &runs).unwrap();
            let own = runs.iter().filter(|run| run.version == version);
            own.flat_map(|run| rows.parts(run.first, run.count)).flatten().copied().collect()
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
