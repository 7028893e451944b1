//! What can go wrong between a work tree and its index.

use std::path::PathBuf;

use cruxe_model::{Cancelled, SchemaStatus};
use cruxe_store::StoreError;
use cruxe_vcs::VcsError;

use crate::comparison::Change;

/// An error of indexing.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The folder does not exist or is none.
    #[error("{path}: no such folder", path = .0.display())]
    NoFolder(PathBuf),
    /// The folder is too large to be one project.
    #[error("{path} is no project: refusing to index a home folder or a whole disk", path = .0.display())]
    TooBroad(PathBuf),
    /// This process may not look into the folder.
    #[error("{path} cannot be read: {source}", path = .path.display())]
    Unreadable {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A pipe or a device where a file has to be.
    #[error("{path} is neither a file nor a folder; remove it, then index again", path = .0.display())]
    NoFile(PathBuf),
    /// More files than the limit.
    #[error("more than {0} files; raise `index.max_files` or exclude some in .cruxeignore")]
    TooManyFiles(usize),
    /// The index is filled by others.
    #[error("this index is filled by the team's workers; nothing is indexed here")]
    Replica,
    /// A job is running.
    #[error("an indexing job is already running for this project")]
    Busy,
    /// The ref is not indexed.
    #[error("ref `{0}` is not indexed")]
    RefNotIndexed(String),
    /// What is published is not what is there now, and nothing older was wanted.
    #[error("{ref_name} changed since it was indexed")]
    Stale {
        /// The ref.
        ref_name: String,
        /// What changed.
        change: Change,
        /// The commit that is checked out.
        head: Option<String>,
    },
    /// There are no files of a ref to be had.
    #[error("the work tree of `{ref_name}` is not ready: {reason}")]
    Worktree {
        /// The ref.
        ref_name: String,
        /// What is in the way.
        reason: String,
    },
    /// An archive cannot be taken in.
    #[error("the archive is refused: {0}; nothing was changed")]
    BadArchive(String),
    /// An archive is of another repository.
    #[error(
        "the archive is of another repository: none of its commits is known here, and hardly a file is the same; \
         nothing was changed"
    )]
    OtherRepository,
    /// A compiler's index cannot be taken in.
    #[error("the SCIP index is refused: {0}; nothing was changed")]
    BadScip(String),
    /// The caller does not want it any more.
    #[error("cancelled")]
    Cancelled,
    /// The disk refused.
    #[error("{path}: {source}", path = .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The store refused.
    #[error(transparent)]
    Store(StoreError),
    /// Git refused.
    #[error(transparent)]
    Vcs(#[from] VcsError),
}

impl IndexError {
    /// Whether there is nothing indexed of a ref, or no such ref.
    pub fn is_of_unindexed_ref(&self) -> bool {
        matches!(self, IndexError::RefNotIndexed(_) | IndexError::Vcs(VcsError::UnknownRef { .. }))
    }

    /// Whether the index on disk cannot be used: it is damaged or of another version.
    pub fn is_of_unreadable_index(&self) -> bool {
        let status = match self {
            IndexError::Store(problem) => problem.schema_status(),
            _ => None,
        };
        matches!(status, Some(SchemaStatus::ReindexRequired | SchemaStatus::CorruptManifest))
    }
}

impl From<StoreError> for IndexError {
    fn from(error: StoreError) -> IndexError {
        match error {
            StoreError::Busy => IndexError::Busy,
            error => IndexError::Store(error),
        }
    }
}

impl From<Cancelled> for IndexError {
    fn from(_: Cancelled) -> IndexError {
        IndexError::Cancelled
    }
}
