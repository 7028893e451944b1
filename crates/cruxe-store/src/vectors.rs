//! Embeddings: one row of small integers per chunk, in one flat file that only grows.
//!
//! Flat, because every question in words reads all rows of a ref: 100,000 of them are 25 MB, which the page cache gives
//! back in milliseconds and a database would copy page by page. Which rows belong to a version is a row of the
//! database, so that rows become visible with the transaction that publishes them; what a killed writer left behind
//! the last known row is cut off by the next one.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cruxe_model::VersionId;
use memmap2::Mmap;
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::StoreError;
use crate::index::meta;

/// Fewer rows than this that belong to nobody are left where they are.
const COMPACT_AT: i64 = 8192;

/// The model that made the vectors, and how long they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embedding {
    /// Its name and version: vectors of two models cannot be compared.
    pub model: String,
    /// Values per row.
    pub dims: usize,
}

/// The model of the vectors in a database.
pub(crate) fn embedding(connection: &Connection) -> Result<Option<Embedding>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE key = 'embedding_model'")?;
    let model: Option<String> = statement.query_row([], |row| row.get(0)).optional()?;
    let dims = meta(connection, "embedding_dims")? as usize;
    Ok(model.filter(|_| dims > 0).map(|model| Embedding { model, dims }))
}

fn file_path(folder: &Path, number: i64) -> PathBuf {
    folder.join(format!("vectors.{number}"))
}

/// All rows, for reading.
#[derive(Clone)]
pub(crate) struct VectorRows {
    map: Option<Arc<Mmap>>,
    dims: usize,
}

impl VectorRows {
    /// Maps the file that a snapshot's database names.
    pub fn open(folder: &Path, connection: &Connection, dims: usize) -> Result<VectorRows, StoreError> {
        let path = file_path(folder, meta(connection, "vector_file")?);
        if meta(connection, "vector_rows")? == 0 {
            return Ok(VectorRows { map: None, dims });
        }
        let file = File::open(&path).map_err(StoreError::io(&path))?;
        // Reading 25 MB at every start of a server would cost more than the questions that follow. The file only
        // grows while it has this name, and readers stay below the rows that their transaction knows.
        #[allow(unsafe_code)]
        let map = unsafe { Mmap::map(&file) }.map_err(StoreError::io(&path))?;
        Ok(VectorRows { map: Some(Arc::new(map)), dims })
    }

    /// Rows one behind the other; empty where the file is too short.
    pub fn rows(&self, first: u64, count: u64) -> &[i8] {
        let (start, end) = (first as usize * self.dims, (first + count) as usize * self.dims);
        let bytes = self.map.as_ref().and_then(|map| map.get(start..end)).unwrap_or_default();
        bytemuck::cast_slice(bytes)
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
            Some(Embedding { model, dims }) => {
                set.execute(params!["embedding_model", model])?;
                set.execute(params!["embedding_dims", *dims as i64])?;
            }
            None => {
                connection.execute("DELETE FROM meta WHERE key IN ('embedding_model', 'embedding_dims')", [])?;
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

    /// Adds the rows of a version; a model must be in use.
    pub fn add(&mut self, connection: &Connection, version: VersionId, values: &[i8]) -> Result<(), StoreError> {
        let Some(Embedding { dims, .. }) = self.embedding else { return Ok(()) };
        let count = (values.len() / dims) as i64;
        let first = self.append(&values[..count as usize * dims])?;
        let mut insert = connection.prepare_cached("INSERT OR REPLACE INTO vector VALUES (?1, ?2, ?3)")?;
        insert.execute(params![version, first, count])?;
        Ok(())
    }

    fn append(&mut self, values: &[i8]) -> Result<i64, StoreError> {
        let (Some(Embedding { dims, .. }), first) = (&self.embedding, self.rows) else { return Ok(0) };
        let path = file_path(&self.folder, self.number);
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let mut options = OpenOptions::new();
                let mut file =
                    options.create(true).write(true).truncate(false).open(&path).map_err(StoreError::io(&path))?;
                let end = first as u64 * *dims as u64;
                file.set_len(end).and_then(|()| file.seek(SeekFrom::End(0))).map_err(StoreError::io(&path))?;
                self.file.insert(BufWriter::with_capacity(1 << 20, file))
            }
        };
        file.write_all(bytemuck::cast_slice(values)).map_err(StoreError::io(&path))?;
        self.rows += (values.len() / dims) as i64;
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
        let used: i64 = connection.query_row("SELECT coalesce(sum(count), 0) FROM vector", [], |row| row.get(0))?;
        let unused = self.rows - used;
        let Some(Embedding { dims, .. }) = self.embedding.clone() else { return Ok(()) };
        if unused < COMPACT_AT.max(used) {
            return Ok(());
        }
        self.commit(connection)?;
        let old = VectorRows::open(&self.folder, connection, dims)?;
        self.start_file(connection)?;
        let mut list = connection.prepare_cached("SELECT version, first, count FROM vector ORDER BY version")?;
        let kept: Vec<(VersionId, u64, u64)> =
            list.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect::<Result<_, _>>()?;
        for (version, first, count) in kept {
            self.add(connection, version, old.rows(first, count))?;
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
