//! What can go wrong between a work tree and its index.

use std::path::PathBuf;

use cruxe_model::{ErrorCode, SchemaStatus, ToolError};
use cruxe_store::StoreError;
use cruxe_vcs::VcsError;

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
    /// A job is running.
    #[error("an indexing job is already running for this project")]
    Busy,
    /// The ref is not indexed.
    #[error("ref `{0}` is not indexed")]
    RefNotIndexed(String),
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

impl From<StoreError> for IndexError {
    fn from(error: StoreError) -> IndexError {
        match error {
            StoreError::Busy => IndexError::Busy,
            error => IndexError::Store(error),
        }
    }
}

impl From<IndexError> for ToolError {
    fn from(error: IndexError) -> ToolError {
        let message = error.to_string();
        let plain = |code| ToolError::new(code, message.clone());
        match &error {
            IndexError::NoFolder(path) => plain(ErrorCode::ProjectNotFound).with("workspace", path),
            IndexError::TooBroad(path) => plain(ErrorCode::ProjectNotFound)
                .with("workspace", path)
                .suggest("Name the folder of one project inside it."),
            IndexError::Unreadable { path, .. } => plain(ErrorCode::ProjectNotFound)
                .with("workspace", path)
                .suggest("Let the user that runs the server read the folder, or name another workspace."),
            IndexError::NoFile(path) => plain(ErrorCode::InvalidInput)
                .with("path", path)
                .suggest("Remove what stands there, then call index_repo."),
            IndexError::TooManyFiles(limit) => plain(ErrorCode::InvalidInput).with("limit", limit),
            IndexError::Busy => plain(ErrorCode::IndexInProgress),
            IndexError::RefNotIndexed(name) => plain(ErrorCode::RefNotIndexed).with("ref", name).suggest(format!(
                "Call index_repo with ref `{name}` (or run `cruxe index --ref {name}`), then ask again."
            )),
            IndexError::Worktree { ref_name, reason } => plain(ErrorCode::OverlayNotReady)
                .with("ref", ref_name)
                .with("reason", reason)
                .suggest("Sync the ref with sync_repo and retry; questions with an explicit `ref` work without it."),
            IndexError::Vcs(VcsError::UnknownRef { spec }) => plain(ErrorCode::RefNotIndexed)
                .with("ref", spec)
                .suggest("Git knows no such ref. Check the name, or fetch it first."),
            IndexError::Store(StoreError::NotIndexed) => plain(ErrorCode::IndexNotReady),
            IndexError::Store(store) => match store.schema_status() {
                Some(status @ (SchemaStatus::ReindexRequired | SchemaStatus::CorruptManifest)) => {
                    plain(ErrorCode::IndexIncompatible).with("schema_status", status)
                }
                _ => plain(ErrorCode::InternalError),
            },
            IndexError::BadArchive(_) | IndexError::BadScip(_) => plain(ErrorCode::InvalidInput),
            IndexError::Io { .. } | IndexError::Vcs(_) | IndexError::Cancelled => plain(ErrorCode::InternalError),
        }
    }
}
