//! What can go wrong with an index on disk.

use std::path::PathBuf;

use cruxe_model::SchemaStatus;

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no index yet.
    #[error("nothing is indexed yet; run `cruxe index`")]
    NotIndexed,
    /// The index was written by another version of the program.
    #[error("the index has schema version {found}, this program needs {required}; run `cruxe index --force`")]
    Incompatible {
        /// What is on disk.
        found: i64,
        /// What this program reads and writes.
        required: i64,
    },
    /// The index is damaged.
    #[error("the index is damaged ({what}); run `cruxe index --force` to rebuild it")]
    Corrupt {
        /// What was found.
        what: String,
    },
    /// A part of the index is not what was written. The rest can be read, and the next sync builds it anew.
    #[error("a part of the index is damaged ({what}); `cruxe sync` rebuilds it")]
    Damaged {
        /// What was found.
        what: String,
    },
    /// Another process is writing.
    #[error("another process is indexing this project")]
    Busy,
    /// The disk refused.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// SQLite refused.
    #[error("database: {0}")]
    Sqlite(#[source] rusqlite::Error),
    /// Tantivy refused.
    #[error("full-text index: {0}")]
    Text(#[source] tantivy::TantivyError),
}

impl StoreError {
    /// What the error means for the index as a whole; `None` when the index itself is fine.
    pub fn schema_status(&self) -> Option<SchemaStatus> {
        match self {
            StoreError::NotIndexed => Some(SchemaStatus::NotIndexed),
            StoreError::Incompatible { .. } => Some(SchemaStatus::ReindexRequired),
            StoreError::Corrupt { .. } | StoreError::Damaged { .. } => Some(SchemaStatus::CorruptManifest),
            _ => None,
        }
    }

    /// Whether an earlier version of the program wrote the index: this one can rebuild it without asking. What a later version
    /// wrote is left alone, or the two would rebuild it in turns.
    pub fn is_outdated(&self) -> bool {
        matches!(self, StoreError::Incompatible { found, required } if found < required)
    }

    /// Whether it is the disk that refuses: it is full, cannot be written, or breaks.
    pub fn is_of_the_disk(&self) -> bool {
        use rusqlite::ErrorCode::{CannotOpen, DiskFull, FileLockingProtocolFailed, ReadOnly, SystemIoFailure};
        use tantivy::TantivyError::{IoError, LockFailure, OpenWriteError};
        match self {
            StoreError::Io { .. } => true,
            StoreError::Sqlite(error) => matches!(
                error.sqlite_error_code(),
                Some(CannotOpen | DiskFull | FileLockingProtocolFailed | ReadOnly | SystemIoFailure)
            ),
            StoreError::Text(IoError(_) | OpenWriteError(_) | LockFailure(..)) => true,
            StoreError::Text(error) => error.to_string().contains("(os error "), // of its threads we hear in words alone
            _ => false,
        }
    }

    /// Whether this process may not read or write there.
    pub fn is_denied(&self) -> bool {
        use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        match self {
            StoreError::Io { source, .. } => matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem),
            StoreError::Text(tantivy::TantivyError::IoError(source)) => {
                matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem)
            }
            other => other.is_read_only(),
        }
    }

    /// Whether a database cannot be written where it is.
    pub(crate) fn is_read_only(&self) -> bool {
        use rusqlite::ErrorCode::{CannotOpen, ReadOnly};
        matches!(self, StoreError::Sqlite(error) if matches!(error.sqlite_error_code(), Some(CannotOpen | ReadOnly)))
    }

    pub(crate) fn corrupt(what: impl Into<String>) -> StoreError {
        StoreError::Corrupt { what: what.into() }
    }

    /// Something is not what was written.
    pub(crate) fn checksum(of: &str) -> StoreError {
        StoreError::Damaged { what: format!("checksum of {of}") }
    }

    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> StoreError {
        let path = path.into();
        move |source| StoreError::Io { path, source }
    }
}

impl From<rusqlite::Error> for StoreError {
    /// Damage is told from other failures here, once, so that callers cannot forget to.
    fn from(error: rusqlite::Error) -> StoreError {
        use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
        use rusqlite::ErrorCode::{ConstraintViolation, DatabaseCorrupt, NotADatabase, Unknown};
        // A page of garbage may well look like a page of rows; then its values are not what was written there.
        let garbage = matches!(
            error,
            FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..)
        );
        match error.sqlite_error_code() {
            // Our statements fit our tables, and our rows fit each other: where they do not, something else is in the file.
            Some(DatabaseCorrupt | NotADatabase | Unknown | ConstraintViolation) => {
                StoreError::corrupt(format!("database: {error}"))
            }
            None if garbage => StoreError::corrupt(format!("database: {error}")),
            _ => StoreError::Sqlite(error),
        }
    }
}

impl From<tantivy::TantivyError> for StoreError {
    fn from(error: tantivy::TantivyError) -> StoreError {
        use std::io::ErrorKind::{InvalidData, PermissionDenied, UnexpectedEof};
        use tantivy::TantivyError::{DataCorruption, IncompatibleIndex, IoError, OpenReadError, SchemaError};
        use tantivy::directory::error::OpenReadError as Unread;
        match error {
            // Somebody else's file is no damaged one.
            OpenReadError(Unread::IoError { io_error, filepath }) if io_error.kind() == PermissionDenied => {
                StoreError::Io { path: filepath, source: PermissionDenied.into() }
            }
            IoError(problem) if matches!(problem.kind(), InvalidData | UnexpectedEof) => {
                StoreError::corrupt(format!("full-text index: {problem}"))
            }
            DataCorruption(_) | IncompatibleIndex(_) | OpenReadError(_) | SchemaError(_) => {
                StoreError::corrupt(format!("full-text index: {error}"))
            }
            error => StoreError::Text(error),
        }
    }
}
