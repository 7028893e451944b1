//! Reading a whole database to see that all of it is what was written.

use roaring::RoaringBitmap;
use rusqlite::Connection;

use crate::check::unseal;
use crate::error::StoreError;
use crate::manifest::{StatEntry, unpack_list};
use crate::rows::{SELECT_FILE, SELECT_REF, read_file, read_ref};
use crate::{meta, names};

/// Compares the checksums of everything, and every ref with the versions that it names.
pub(crate) fn database(connection: &Connection) -> Result<(), StoreError> {
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
        if !read_ref(row)?.versions.0.is_subset(&versions) {
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
