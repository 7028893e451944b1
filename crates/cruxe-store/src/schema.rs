//! The tables, and how an older file becomes a newer one.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::StoreError;

/// The version that this program writes.
pub const SCHEMA_VERSION: i64 = FIRST_VERSION + MIGRATIONS.len() as i64 - 1;

/// Indexes before this one have facts of rules that are others now; they are built anew.
const FIRST_VERSION: i64 = 17;

/// `CQXF`: tells our file from any other SQLite file.
const APPLICATION_ID: i64 = 0x4351_5846;

/// The first statements make a new database, the others bring one to the next version.
const MIGRATIONS: &[&str] = &[
    "
-- Checksums are of the row's values and of whose they are; blobs carry theirs at the end.
CREATE TABLE meta (key TEXT PRIMARY KEY, value, checksum INTEGER NOT NULL) WITHOUT ROWID;

-- A file version: what a path contained. Narrow on purpose: sums over it must not read facts.
CREATE TABLE version (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    path_key TEXT NOT NULL,
    hash BLOB NOT NULL,
    module TEXT NOT NULL,
    language TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    symbols INTEGER NOT NULL,
    problems TEXT,
    checksum INTEGER NOT NULL
);
CREATE INDEX version_path ON version (path);
CREATE INDEX version_path_key ON version (path_key);

CREATE TABLE facts (version INTEGER PRIMARY KEY, symbols BLOB NOT NULL, rest BLOB NOT NULL);

-- Where a name is defined, packed; a row for every job that added to it. Details of a symbol are in its version's facts. Names
-- that differ in case alone stand side by side: one tree answers exact and careless questions.
CREATE TABLE name (
    name TEXT NOT NULL COLLATE NOCASE,
    number INTEGER NOT NULL,
    places BLOB NOT NULL,
    PRIMARY KEY (name, number)
) WITHOUT ROWID;

CREATE TABLE ref (
    name TEXT PRIMARY KEY,
    commit_id TEXT,
    worktree TEXT,
    versions BLOB NOT NULL,
    stats BLOB,
    skipped BLOB NOT NULL,
    files INTEGER NOT NULL,
    symbols INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    indexed_at TEXT NOT NULL,
    checksum INTEGER NOT NULL
) WITHOUT ROWID;

-- Where the embeddings of a version are: its chunks from `at` on are rows of the file of vectors from `first` on. Versions of
-- one file share the rows of the chunks that they have in common.
CREATE TABLE vector (
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    first INTEGER NOT NULL,
    count INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (version, at)
) WITHOUT ROWID;

-- Versions whose facts are gone and whose text the next writer removes.
CREATE TABLE dead (version INTEGER PRIMARY KEY);

-- Which names a version uses, as sorted 24-bit fingerprints. Apart from the facts, because a question reads all of it.
CREATE TABLE mention (version INTEGER PRIMARY KEY, names BLOB NOT NULL);

-- What a compiler's index says about a version, packed; most versions have none.
CREATE TABLE compiler (version INTEGER PRIMARY KEY, facts BLOB NOT NULL);
",
];

/// How long a connection waits for another one.
const PATIENCE: Duration = Duration::from_secs(10);

/// When a connection waits for the disk.
#[derive(Clone, Copy)]
pub enum Sync {
    /// When the log is folded in: a loss of power costs the last transactions, and nothing else.
    AtCheckpoints,
    /// Never: a loss of power may cost all of it.
    Never,
}

impl Sync {
    fn set(self, connection: &Connection) -> Result<(), StoreError> {
        let level = match self {
            Sync::AtCheckpoints => "NORMAL",
            Sync::Never => "OFF",
        };
        Ok(connection.pragma_update(None, "synchronous", level)?)
    }
}

/// Settings of every connection.
pub fn configure(connection: &Connection, sync: Sync) -> Result<(), StoreError> {
    connection.busy_timeout(PATIENCE)?;
    sync.set(connection)?;
    use_log(connection)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // A mapped file that somebody cuts kills whoever reads it; a file that is read just ends.
    connection.pragma_update(None, "mmap_size", 0)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(())
}

/// Whether a database has a log with something in it.
pub fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(log).is_ok_and(|data| data.len() > 0)
}

/// Opens a database that nobody writes.
pub fn open_unchanging(path: &Path) -> Result<Connection, StoreError> {
    let mut address = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => address.push(char::from(*byte)),
            byte => address.push_str(&format!("%{byte:02x}")),
        }
    }
    address.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok(Connection::open_with_flags(address, flags)?)
}

/// Switches to a write-ahead log. Of two connections that make a new database at the same moment one is told at once that it
/// is locked, whatever its patience: SQLite does not wait for this switch.
fn use_log(connection: &Connection) -> Result<(), StoreError> {
    let started = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(problem) if is_busy(&problem) && started.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(1));
            }
            other => return Ok(other?),
        }
    }
}

fn is_busy(problem: &rusqlite::Error) -> bool {
    matches!(problem.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Makes a new database, or brings an older one up to date. A newer one is refused.
pub fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    migrate_with(connection, MIGRATIONS)
}

fn migrate_with(connection: &mut Connection, migrations: &[&str]) -> Result<(), StoreError> {
    let required = FIRST_VERSION + migrations.len() as i64 - 1;
    let found = version(connection)?;
    if found > required || (found != 0 && found < FIRST_VERSION) {
        return Err(StoreError::Incompatible { found, required });
    }
    if found == 0 {
        // Overflow pages are filled by one file's facts each: small pages waste less of the last one.
        connection.pragma_update(None, "page_size", 2048)?;
    }
    let new = found == 0;
    if new {
        // Whoever makes one waits for the disk before anything leads to it.
        Sync::Never.set(connection)?;
    } else {
        configure(connection, Sync::AtCheckpoints)?;
    }
    let done = if new { 0 } else { (found - FIRST_VERSION + 1) as usize };
    for (at, statements) in migrations.iter().enumerate().skip(done) {
        let transaction = connection.transaction()?;
        transaction.execute_batch(statements)?;
        transaction.pragma_update(None, "user_version", FIRST_VERSION + at as i64)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.commit()?;
    }
    if new {
        // Without a log so far, so that all of it is in one file.
        use_log(connection)?;
        configure(connection, Sync::AtCheckpoints)?;
    }
    Ok(())
}

/// Checks that a database can be read by this program as it is.
pub fn check(connection: &Connection) -> Result<(), StoreError> {
    let found = version(connection)?;
    let application: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if application != APPLICATION_ID {
        return Err(StoreError::corrupt("database: the file is not one of ours"));
    }
    if found != SCHEMA_VERSION {
        return Err(StoreError::Incompatible { found, required: SCHEMA_VERSION });
    }
    Ok(())
}

/// The schema version of a database; 0 for an empty one.
pub fn version(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_database_is_migrated_and_a_newer_one_refused() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection).unwrap();
        check(&connection).unwrap();
        connection.execute("INSERT INTO name VALUES ('kept', 1, '')", []).unwrap();

        let newer: Vec<&str> = MIGRATIONS.iter().copied().chain(["ALTER TABLE name ADD COLUMN extra"]).collect();
        migrate_with(&mut connection, &newer).unwrap();
        assert_eq!(version(&connection).unwrap(), SCHEMA_VERSION + 1);
        let kept: String =
            connection.query_row("SELECT name FROM name WHERE extra IS NULL", [], |row| row.get(0)).unwrap();
        assert_eq!(kept, "kept");

        assert!(matches!(
            migrate(&mut connection),
            Err(StoreError::Incompatible { found, required }) if found == required + 1
        ));
        assert!(matches!(check(&connection), Err(StoreError::Incompatible { .. })));
    }

    #[test]
    fn connections_that_make_a_database_at_once_all_get_it() {
        let folder = tempfile::tempdir().unwrap();
        for round in 0..20 {
            let path = folder.path().join(format!("{round}.db"));
            std::thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| configure(&Connection::open(&path).unwrap(), Sync::AtCheckpoints).unwrap());
                }
            });
        }
    }

    #[test]
    fn a_failed_migration_leaves_the_old_version() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection).unwrap();
        let broken: Vec<&str> = MIGRATIONS.iter().copied().chain(["DROP TABLE name; SELECT nonsense"]).collect();
        assert!(migrate_with(&mut connection, &broken).is_err());
        assert_eq!(version(&connection).unwrap(), SCHEMA_VERSION);
        check(&connection).unwrap();
        connection.execute("INSERT INTO name VALUES ('still here', 1, '')", []).unwrap();
    }
}
