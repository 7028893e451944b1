//! The few values that are about the index as a whole.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params};

use crate::check::Check;
use crate::error::StoreError;

/// Grows with every publish.
pub(crate) const PUBLISHED: &str = "published";
/// The highest version id that was ever handed out. Every commit writes it, so it only grows.
pub(crate) const HIGHEST_ID: &str = "highest_id";
/// How far the full-text index had been written at the last commit. Versions without text do not move it.
pub(crate) const TEXT_WATERMARK: &str = "text_watermark";
/// How many refs there are.
pub(crate) const REF_COUNT: &str = "ref_count";
/// Counts imports of compilers' indexes.
pub(crate) const COMPILER_IMPORTS: &str = "compiler_imports";
/// How many rows of names were ever written, and how many there are.
pub(crate) const NAME_ROWS: &str = "name_rows";
pub(crate) const NAME_COUNT: &str = "name_count";
/// The model of the vectors, how long their rows are, the number of their file, and how many rows it has.
pub(crate) const EMBEDDING_MODEL: &str = "embedding_model";
pub(crate) const EMBEDDING_ROW: &str = "embedding_row";
pub(crate) const VECTOR_FILE: &str = "vector_file";
pub(crate) const VECTOR_ROWS: &str = "vector_rows";

fn check(key: &str, value: &Value) -> Check {
    let check = Check::default().bytes(key.as_bytes());
    match value {
        Value::Integer(number) => check.number(*number),
        Value::Text(text) => check.bytes(text.as_bytes()),
        _ => check,
    }
}

fn read(connection: &Connection, key: &str) -> Result<Option<Value>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT value, checksum FROM meta WHERE key = ?1")?;
    let row = statement.query_row(params![key], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let Some((value, sum)) = row else { return Ok(None) };
    check(key, &value).expect(sum, "a value of the index")?;
    Ok(Some(value))
}

/// A number; 0 when it is not there.
pub(crate) fn number(connection: &Connection, key: &str) -> Result<i64, StoreError> {
    match read(connection, key)? {
        Some(Value::Integer(number)) => Ok(number),
        Some(_) => Err(StoreError::checksum("a value of the index")),
        None => Ok(0),
    }
}

/// A text.
pub(crate) fn text(connection: &Connection, key: &str) -> Result<Option<String>, StoreError> {
    match read(connection, key)? {
        Some(Value::Text(text)) => Ok(Some(text)),
        Some(_) => Err(StoreError::checksum("a value of the index")),
        None => Ok(None),
    }
}

/// Sets a value.
pub(crate) fn set(connection: &Connection, key: &str, value: impl Into<Value>) -> Result<(), StoreError> {
    let value = value.into();
    let sum = check(key, &value).sum();
    connection.prepare_cached("INSERT OR REPLACE INTO meta VALUES (?1, ?2, ?3)")?.execute(params![key, value, sum])?;
    Ok(())
}

/// Forgets a value.
pub(crate) fn remove(connection: &Connection, key: &str) -> Result<(), StoreError> {
    connection.prepare_cached("DELETE FROM meta WHERE key = ?1")?.execute(params![key])?;
    Ok(())
}

/// Compares the checksums of all of them.
pub(crate) fn validate(connection: &Connection) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached("SELECT key, value, checksum FROM meta")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let key: String = row.get(0)?;
        check(&key, &row.get(1)?).expect(row.get(2)?, "a value of the index")?;
    }
    Ok(())
}
