//! Writing: file versions first, then in one transaction the manifest that makes them visible.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cruxe_model::{ContentHash, RepoPath, SymbolKind, VersionId, ids};
use jiff::Timestamp;
use roaring::RoaringBitmap;
use rusqlite::{Connection, OptionalExtension, params};

use crate::check::seal;
use crate::compiler::{self, CompilerFacts};
use crate::error::StoreError;
use crate::index::connect;
use crate::layout::{ProjectDir, generation_number};
use crate::lock::WriterLock;
use crate::manifest::{Manifest, RefState, pack_list, pack_versions, unpack_versions};
use crate::meta::{COMPILER_IMPORTS, HIGHEST_ID, PUBLISHED, REF_COUNT, TEXT_WATERMARK};
use crate::new_version::NewVersion;
use crate::rows::FileRow;
use crate::symbol_rows::SymbolRows;
use crate::text::{TextIndex, TextWriter};
use crate::vectors::{Embedding, VectorWriter};
use crate::version_set::VersionSet;
use crate::{mentions, meta, names, schema};

/// After this many bytes of source the work so far is made durable, so that a killed job need not start over.
const CHECKPOINT_BYTES: u64 = 256 << 20;
/// Fewer unreachable versions than this are not worth a sweep.
const SWEEP_AT: u64 = 64;

/// The figures of a published ref.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// Files.
    pub files: u64,
    /// Symbols, imports not counted.
    pub symbols: u64,
    /// Bytes of source.
    pub bytes: u64,
    /// Files that were added, changed or removed since the ref was last published.
    pub changed: u64,
    /// Versions that no ref needs any more and that were removed.
    pub swept: u64,
}

/// The one writer of a project; while there is one, there is no other.
pub struct Writer {
    dir: ProjectDir,
    folder: PathBuf,
    connection: Connection,
    text: TextWriter,
    index: TextIndex,
    symbols: SymbolRows,
    vectors: VectorWriter,
    next: VersionId,
    uncommitted: u64,
    /// A compiler's index was taken in, and new versions of the same text keep it.
    compiled: bool,
    /// Room that is no longer needed is given back at the end.
    vacuum: bool,
    lock: Arc<WriterLock>,
}

impl Writer {
    /// Opens the index for writing, or makes one. An index that cannot be read is an error.
    pub(crate) fn open(dir: &ProjectDir, lock: Arc<WriterLock>) -> Result<Writer, StoreError> {
        match dir.current()? {
            Some(folder) if !folder.join("facts.db").is_file() => {
                Err(StoreError::corrupt("database: the file is missing"))
            }
            Some(folder) => {
                dir.remove_others(&folder)?; // a rebuild that was killed left one behind
                Writer::at(dir, folder, lock)
            }
            None => {
                let folder = dir.new_generation()?;
                let writer = Writer::at(dir, folder.clone(), lock)?;
                writer.index.settle(&folder.join("facts.db"))?;
                dir.switch_to(&folder)?;
                dir.remove_others(&folder)?;
                Ok(writer)
            }
        }
    }

    /// Starts an empty generation that nobody sees before [`Writer::replace`].
    pub(crate) fn stage(dir: &ProjectDir, lock: Arc<WriterLock>) -> Result<Writer, StoreError> {
        if let Ok(Some(current)) = dir.current() {
            dir.remove_others(&current)?;
        }
        Writer::at(dir, dir.new_generation()?, lock)
    }

    fn at(dir: &ProjectDir, folder: PathBuf, lock: Arc<WriterLock>) -> Result<Writer, StoreError> {
        let mut connection = Connection::open(folder.join("facts.db"))?;
        schema::migrate(&mut connection)?;
        schema::check(&connection)?;
        connection.pragma_update(None, "cache_size", -(64 << 10))?;
        let index = TextIndex::open_or_create(&folder.join("text"))?;
        let (recorded, written) = (highest_id(&connection)?, index.watermark()?);
        index.check_age(&connection)?;
        let mut text = index.writer();
        // A writer that was killed between the two commits left text without facts. Its ids are not used again.
        (recorded + 1..=written).try_for_each(|version| text.remove(version))?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        let symbols = SymbolRows::new();
        let vectors = VectorWriter::open(&folder, &connection)?;
        let compiled = !compiler::is_empty(&connection)?;
        Ok(Writer {
            dir: dir.clone(),
            folder,
            connection,
            text,
            index,
            symbols,
            vectors,
            next: recorded.max(written) + 1,
            uncommitted: 0,
            compiled,
            vacuum: false,
            lock,
        })
    }

    /// Makes this the model of all embeddings. Those of another model are forgotten, and every version needs new ones:
    /// see [`Writer::without_vectors`].
    pub fn use_model(&mut self, wanted: Option<&Embedding>) -> Result<(), StoreError> {
        self.vectors.use_model(&self.connection, wanted).map(drop)
    }

    /// The versions of a set that have no embeddings.
    pub fn without_vectors(&self, versions: &VersionSet) -> Result<VersionSet, StoreError> {
        let mut statement = self.connection.prepare_cached("SELECT DISTINCT version FROM vector")?;
        let have: RoaringBitmap = statement.query_map([], |row| row.get::<_, u32>(0))?.collect::<Result<_, _>>()?;
        Ok(VersionSet(&versions.0 - have))
    }

    /// Adds the embeddings, and nothing else, of a version that is there already.
    pub fn add_vectors(&mut self, version: VersionId, new: &NewVersion) -> Result<(), StoreError> {
        self.vectors.add(&self.connection, version, &new.vectors)
    }

    /// The versions of a path that were added before, by content.
    pub fn versions_of(&self, path: &RepoPath, module: &str) -> Result<Vec<(ContentHash, VersionId)>, StoreError> {
        if self.next == 1 {
            return Ok(Vec::new()); // a new index is asked for every file
        }
        let sql = "SELECT hash, id FROM version WHERE path = ?1 AND module = ?2 ORDER BY id DESC";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params![path.as_str(), module])?;
        let mut versions = Vec::new();
        while let Some(row) = rows.next()? {
            if let Some(hash) = ContentHash::from_bytes(row.get_ref(0)?.as_blob().unwrap_or_default()) {
                versions.push((hash, row.get(1)?));
            }
        }
        Ok(versions)
    }

    /// The modules of some versions.
    pub fn modules(&self, versions: &VersionSet) -> Result<HashMap<VersionId, String>, StoreError> {
        let mut statement = self.connection.prepare_cached("SELECT id, module FROM version")?;
        let mut rows = statement.query([])?;
        let mut modules = HashMap::with_capacity(versions.len() as usize);
        while let Some(row) = rows.next()? {
            let id: VersionId = row.get(0)?;
            if versions.contains(id) {
                modules.insert(id, row.get(1)?);
            }
        }
        Ok(modules)
    }

    /// How many paths differ between what a ref has now and what it is to have.
    fn changed_paths(&self, name: &str, new: &VersionSet) -> Result<u64, StoreError> {
        let mut find = self.connection.prepare_cached("SELECT versions FROM ref WHERE name = ?1")?;
        let old: Option<Vec<u8>> = find.query_row(params![name], |row| row.get(0)).optional()?;
        let old = old.map_or(Ok(VersionSet::default()), |old| unpack_versions(name, &old))?;
        let mut statement = self.connection.prepare_cached("SELECT path FROM version WHERE id = ?1")?;
        let mut paths = HashSet::new();
        for id in old.0 ^ &new.0 {
            paths.insert(statement.query_row(params![id], |row| row.get::<_, String>(0))?);
        }
        Ok(paths.len() as u64)
    }

    /// Adds a file version. It stays invisible until a manifest with it is published.
    pub fn add(&mut self, new: NewVersion) -> Result<VersionId, StoreError> {
        let version = self.next;
        self.next += 1;
        let row = FileRow {
            id: version,
            path: new.path,
            hash: new.hash,
            module: new.module,
            language: new.facts.language.clone(),
            bytes: new.bytes,
            lines: new.facts.line_starts.len() as u32,
            symbols: new.facts.symbols.iter().filter(|symbol| symbol.kind != SymbolKind::Use).count() as u32,
            problems: new.problems,
        };
        self.connection
            .prepare_cached("INSERT INTO version VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)")?
            .execute(params![
                version,
                row.path.as_str(),
                ids::path_key(&row.path),
                row.hash.as_bytes(),
                row.module,
                row.language,
                row.bytes,
                row.lines,
                row.symbols,
                row.problems,
                row.check().sum(),
            ])?;
        let NewVersion { facts, packed, words, vectors, .. } = new;
        self.connection.prepare_cached("INSERT INTO facts VALUES (?1, ?2, ?3)")?.execute(params![
            version,
            seal(packed.symbols, version.into()),
            seal(packed.rest, version.into()),
        ])?;
        let names = mentions::pack(version, &facts);
        self.connection.prepare_cached("INSERT INTO mention VALUES (?1, ?2)")?.execute(params![version, names])?;
        self.symbols.add(&self.connection, version, &facts.symbols)?;
        self.text.add(version, words)?;
        self.vectors.add(&self.connection, version, &vectors)?;
        if self.compiled {
            compiler::carry_over(&self.connection, version)?;
        }
        self.uncommitted += row.bytes;
        if self.uncommitted > CHECKPOINT_BYTES {
            self.checkpoint()?;
        }
        Ok(version)
    }

    /// Notes what a compiler's index says about a version, for [`Writer::publish_compiler_facts`] to make it visible.
    pub fn set_compiler_facts(&mut self, version: VersionId, facts: &CompilerFacts) -> Result<(), StoreError> {
        compiler::write(&self.connection, version, facts)
    }

    /// Makes an import of a compiler's index visible. Ends the writer.
    pub fn publish_compiler_facts(self) -> Result<(), StoreError> {
        meta::set(&self.connection, COMPILER_IMPORTS, meta::number(&self.connection, COMPILER_IMPORTS)? + 1)?;
        self.finish(SWEEP_AT).map(drop)
    }

    /// Takes over what compilers' indexes said about the same files in the index in use, as far as it is sound: nobody but
    /// the compiler can say it again.
    pub fn adopt_compiler_facts(&mut self) -> Result<(), StoreError> {
        let open = || -> Result<Connection, StoreError> {
            let old = connect(&self.dir.current()?.ok_or(StoreError::NotIndexed)?)?;
            schema::check(&old)?;
            Ok(old)
        };
        let Ok(old) = open() else { return Ok(()) };
        let imports = meta::number(&old, COMPILER_IMPORTS).unwrap_or(1);
        match compiler::adopt(&self.connection, &old) {
            Ok(0) => Ok(()),
            Ok(_) => meta::set(&self.connection, COMPILER_IMPORTS, imports.max(1)),
            Err(problem) => {
                tracing::warn!("what a compiler's index said could not be taken over: {problem}");
                Ok(())
            }
        }
    }

    /// Makes the versions so far durable without publishing them: a later job finds them with [`Writer::versions_of`].
    fn checkpoint(&mut self) -> Result<(), StoreError> {
        self.commit()?;
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        Ok(())
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        let watermark = self.next - 1;
        let Writer { text, symbols, vectors, connection, .. } = self;
        // Segments and rows take as long to write as each other, and only the last step of each needs the other's.
        std::thread::scope(|scope| {
            let text = scope.spawn(|| text.commit(watermark));
            let rows = symbols.flush(connection).and_then(|()| vectors.commit(connection));
            // What is left to write after the text is then the last page of the transaction.
            let rows = rows.and_then(|()| Ok(connection.cache_flush()?));
            text.join().unwrap_or_else(|_| Err(text_panicked()))?;
            rows
        })?;
        meta::set(&self.connection, HIGHEST_ID, i64::from(watermark))?;
        meta::set(&self.connection, TEXT_WATERMARK, i64::from(self.index.watermark()?))?;
        self.connection.execute_batch("COMMIT")?;
        self.uncommitted = 0;
        Ok(())
    }

    /// What a writer that is killed at the worst moment has done.
    #[cfg(test)]
    pub(crate) fn commit_text_only(&mut self) -> Result<(), StoreError> {
        self.text.commit(self.next - 1)
    }

    /// Swaps the manifest of a ref: from here on queries see it. Ends the writer.
    pub fn publish(mut self, name: &str, manifest: &Manifest, now: Timestamp) -> Result<Published, StoreError> {
        let published = self.set_ref(name, manifest, now)?;
        let swept = self.finish(SWEEP_AT)?;
        Ok(Published { swept, ..published })
    }

    /// Sets the manifest of a ref, for [`Writer::finish`] to make it visible.
    pub fn set_ref(&mut self, name: &str, manifest: &Manifest, now: Timestamp) -> Result<Published, StoreError> {
        let published = self.figures(name, &manifest.versions)?;
        let state = RefState {
            name: name.to_owned(),
            commit: manifest.commit.clone(),
            worktree: manifest.worktree.clone(),
            versions: VersionSet::default(), // blobs have checksums of their own
            skipped: Vec::new(),
            files: published.files,
            symbols: published.symbols,
            bytes: published.bytes,
            indexed_at: now,
        };
        let (mut stats, mut skipped) = (Vec::from_iter(&manifest.stats), Vec::from_iter(&manifest.skipped));
        stats.sort_by_key(|entry| &entry.path);
        skipped.sort();
        let stats = manifest.worktree.is_some().then(|| pack_list(name, &stats)).transpose()?;
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO ref VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)")?
            .execute(params![
                state.name,
                state.commit,
                state.worktree,
                pack_versions(name, &manifest.versions),
                stats,
                pack_list(name, &skipped)?,
                state.files,
                state.symbols,
                state.bytes,
                state.indexed_at.to_string(),
                state.check().sum(),
            ])?;
        Ok(published)
    }

    /// Forgets refs and every version that no other ref needs, and gives their room back to the disk. Ends the writer;
    /// says how many versions went.
    pub fn remove_refs(mut self, names: &[String]) -> Result<u64, StoreError> {
        for name in names {
            self.connection.execute("DELETE FROM ref WHERE name = ?1", params![name])?;
        }
        self.vacuum = true;
        self.finish(1)
    }

    /// Makes everything since the writer was opened visible, and sweeps once so many versions belong to nobody.
    fn finish(mut self, sweep_at: u64) -> Result<u64, StoreError> {
        let published = meta::number(&self.connection, PUBLISHED)?.max(generation_number(&self.folder));
        meta::set(&self.connection, PUBLISHED, published + 1)?;
        let refs: i64 = self.connection.query_row("SELECT count(*) FROM ref", [], |row| row.get(0))?;
        meta::set(&self.connection, REF_COUNT, refs)?;
        let swept = self.sweep(sweep_at)?;
        if swept > 0 {
            self.vectors.compact(&self.connection)?;
        }
        self.commit()?;
        self.vectors.remove_old_files();
        self.remove_dead_text()?;
        if self.vacuum {
            // Best effort both: a reader in the middle of something keeps its pages, and the next time does it.
            let _ = self.connection.execute_batch("VACUUM");
            let _ = self.text.compact(&self.index);
        }
        let Writer { text, connection, .. } = self;
        std::thread::scope(|scope| {
            // A merge that outlives its writer would set the list of segments back to what that writer knew.
            let text = scope.spawn(|| text.finish());
            // Best effort, and at once: a reader that is in the middle of something keeps the log from being folded in, and
            // would make every writer wait for as long as locks are waited for.
            let _ = connection.busy_timeout(Duration::ZERO);
            let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
            text.join().unwrap_or_else(|_| Err(text_panicked()))
        })?;
        Ok(swept)
    }

    /// Ends a writer that builds the index anew: what it wrote takes the place of what is in use.
    pub fn replace(self) -> Result<(), StoreError> {
        let (dir, folder, lock) = (self.dir.clone(), self.folder.clone(), Arc::clone(&self.lock));
        self.finish(SWEEP_AT)?;
        dir.switch_to(&folder)?;
        dir.remove_others(&folder)?;
        drop(lock);
        Ok(())
    }

    /// Gives up: what was not published is rolled back, what was published stays.
    pub fn abandon(self) {
        let _ = self.connection.execute_batch("ROLLBACK");
        let _ = self.text.finish();
    }

    /// Gives up building the index anew, files and all.
    pub fn discard(self) {
        let folder = self.folder.clone();
        self.abandon();
        let _ = std::fs::remove_dir_all(folder); // the next one that replaces the index tries again
    }

    fn figures(&self, name: &str, versions: &VersionSet) -> Result<Published, StoreError> {
        let changed = self.changed_paths(name, versions)?;
        let mut published = Published { files: versions.len(), symbols: 0, bytes: 0, changed, swept: 0 };
        let mut statement = self.connection.prepare_cached("SELECT id, symbols, bytes FROM version")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if versions.contains(row.get(0)?) {
                published.symbols += row.get::<_, u64>(1)?;
                published.bytes += row.get::<_, u64>(2)?;
            }
        }
        Ok(published)
    }

    /// Removes the facts of versions that no ref has, once there are enough of them. Part of the publishing
    /// transaction, so no reader ever misses a version that its manifest names.
    fn sweep(&mut self, sweep_at: u64) -> Result<u64, StoreError> {
        let mut reachable = RoaringBitmap::new();
        let mut statement = self.connection.prepare_cached("SELECT name, versions FROM ref")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            reachable |= unpack_versions(&row.get::<_, String>(0)?, &row.get::<_, Vec<u8>>(1)?)?.0;
        }
        let total: u64 = self.connection.query_row("SELECT count(*) FROM version", [], |row| row.get(0))?;
        let unreachable = total.saturating_sub(reachable.len());
        let enough = if sweep_at > 1 { sweep_at.max(reachable.len() / 50) } else { sweep_at };
        if unreachable < enough {
            return Ok(0);
        }
        self.symbols.flush(&self.connection)?;
        let mut find = self.connection.prepare_cached("SELECT id FROM version")?;
        let mut bury = self.connection.prepare_cached("INSERT OR IGNORE INTO dead VALUES (?1)")?;
        let mut rows = find.query([])?;
        while let Some(row) = rows.next()? {
            let version: VersionId = row.get(0)?;
            if !reachable.contains(version) {
                bury.execute(params![version])?;
            }
        }
        self.connection.execute_batch(
            "DELETE FROM facts WHERE version IN (SELECT version FROM dead);
             DELETE FROM vector WHERE version IN (SELECT version FROM dead);
             DELETE FROM compiler WHERE version IN (SELECT version FROM dead);
             DELETE FROM mention WHERE version IN (SELECT version FROM dead);
             DELETE FROM version WHERE id IN (SELECT version FROM dead);",
        )?;
        names::keep(&self.connection, &reachable)?;
        Ok(unreachable)
    }

    /// Text is removed after the facts: a crash in between leaves text that no manifest leads to, and the list of it.
    fn remove_dead_text(&mut self) -> Result<(), StoreError> {
        let sql = "SELECT version FROM dead WHERE version NOT IN (SELECT id FROM version)";
        let mut statement = self.connection.prepare_cached(sql)?;
        let dead: Vec<VersionId> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        drop(statement);
        if !dead.is_empty() {
            dead.iter().try_for_each(|version| self.text.remove(*version))?;
            self.text.commit(self.next - 1)?;
            self.connection.execute("DELETE FROM dead", [])?;
        }
        Ok(())
    }
}

/// The highest version id that was ever handed out, as far as the database knows. The versions themselves are asked too: an id
/// that a row has is never given to another, whatever the note says.
fn highest_id(connection: &Connection) -> Result<VersionId, StoreError> {
    let sql = "SELECT max(ifnull((SELECT max(id) FROM version), 0), ifnull((SELECT max(version) FROM dead), 0))";
    let stored: VersionId = connection.query_row(sql, [], |row| row.get(0))?;
    let noted = VersionId::try_from(meta::number(connection, HIGHEST_ID)?);
    noted.map(|noted| noted.max(stored)).map_err(|_| StoreError::corrupt("database: the highest version id is none"))
}

fn text_panicked() -> StoreError {
    StoreError::corrupt("full-text index: its writer panicked")
}
