//! What can go wrong between a push and an answer.

use std::io;
use std::path::PathBuf;

use cruxe_index::IndexError;
use cruxe_store::StoreError;

/// An error of a team's server.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    /// The database refused or is not there.
    #[error("PostgreSQL: {0}")]
    Database(String),
    /// The connection to the database broke, or could not be made: what was asked may work later.
    #[error("PostgreSQL cannot be reached: {0}")]
    Unreachable(String),
    /// The storage of blobs refused or is not there.
    #[error("storage: {0}")]
    Storage(String),
    /// A blob is not there.
    #[error("blob {0} is missing in the storage")]
    MissingBlob(String),
    /// What the storage has under a name is not what was put there.
    #[error("blob {0} is damaged in the storage")]
    DamagedBlob(String),
    /// What was put together is not what was published.
    #[error("{0} is not what was published")]
    Mismatch(String),
    /// A manifest cannot be read.
    #[error("the manifest cannot be read: {0}")]
    BadManifest(String),
    /// Somebody else has the repository by now.
    #[error("another worker has taken the repository over")]
    Fenced,
    /// Git failed.
    #[error("git: {0}")]
    Git(String),
    /// The disk refused.
    #[error("{path}: {source}", path = .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Somebody gave something that cannot be used.
    #[error("{0}")]
    Usage(String),
    /// Another team's server answered with an error, or not at all.
    #[error("{0}")]
    Remote(String),
    /// The index refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Indexing failed.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl TeamError {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> TeamError {
        let path = path.into();
        move |source| TeamError::Io { path, source }
    }

    /// Whether the same may work in a moment.
    pub fn may_pass(&self) -> bool {
        matches!(self, TeamError::Unreachable(_) | TeamError::Storage(_) | TeamError::MissingBlob(_))
    }

    /// Whether the disk has no room.
    pub fn is_full_disk(&self) -> bool {
        match self {
            TeamError::Io { source, .. } | TeamError::Store(StoreError::Io { source, .. }) => {
                matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
            }
            TeamError::Store(problem) => problem.is_of_the_disk() && problem.to_string().contains("full"),
            _ => false,
        }
    }
}

impl From<tokio_postgres::Error> for TeamError {
    fn from(problem: tokio_postgres::Error) -> TeamError {
        if let Some(told) = problem.as_db_error() {
            // 57P0x: the server is being shut down or started; 40001, 40P01: another transaction was first.
            return match told.code().code() {
                "57P01" | "57P02" | "57P03" | "40001" | "40P01" => TeamError::Unreachable(told.message().to_owned()),
                _ => TeamError::Database(told.message().to_owned()),
            };
        }
        let mut text = problem.to_string();
        let mut cause = std::error::Error::source(&problem);
        while let Some(error) = cause {
            text = format!("{text}: {error}");
            cause = error.source();
        }
        TeamError::Unreachable(text)
    }
}
