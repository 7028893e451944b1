//! Why a file of a workspace was not read or written.

use std::io;
use std::path::{Path, PathBuf};

use crate::meta::Kind;

/// An error about a file below a root. Paths are relative to it; no file's content is ever in it.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The path is empty, absolute, or climbs with `..`.
    #[error("`{}` is no path inside of the workspace", path.display())]
    Outside {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// The path leads over a link.
    #[error("{} is a link, and links of a workspace are not followed; put the file or folder itself in its place", at.display())]
    Link {
        /// The path that was asked for.
        path: PathBuf,
        /// The part of it that is a link.
        at: PathBuf,
    },
    /// The file has a second name, which may be anywhere.
    #[error("{} has another name elsewhere (a hard link); remove it, it is made anew", path.display())]
    HardLink {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// Something else is where a file should be.
    #[error("{} is {kind}, not a file", path.display())]
    NotAFile {
        /// The path that was asked for.
        path: PathBuf,
        /// What it is.
        kind: Kind,
    },
    /// The file is larger than what is read of such a file.
    #[error("{} is larger than {limit} bytes, which is the most that is read of it", path.display())]
    TooLarge {
        /// The path that was asked for.
        path: PathBuf,
        /// The bound.
        limit: u64,
    },
    /// The file is no UTF-8.
    #[error("{} is not UTF-8 text", path.display())]
    NotText {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// The system said no.
    #[error("{}: {source}", path.display())]
    Io {
        /// The path that was asked for.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
}

impl FileError {
    pub(crate) fn io(path: &Path, source: io::Error) -> FileError {
        FileError::Io { path: path.to_owned(), source }
    }

    /// Returns what kind of error it is, in the words of `std`.
    pub fn kind(&self) -> io::ErrorKind {
        match self {
            FileError::Io { source, .. } => source.kind(),
            FileError::TooLarge { .. } => io::ErrorKind::FileTooLarge,
            FileError::NotText { .. } => io::ErrorKind::InvalidData,
            _ => io::ErrorKind::InvalidInput,
        }
    }

    /// Returns whether there is simply nothing at the path.
    pub fn is_absent(&self) -> bool {
        self.kind() == io::ErrorKind::NotFound
    }
}

/// For code that speaks of files in `std`'s words.
impl From<FileError> for io::Error {
    fn from(error: FileError) -> io::Error {
        match error {
            FileError::Io { source, .. } => source,
            error => io::Error::new(error.kind(), error),
        }
    }
}
