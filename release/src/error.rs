//! Why a release could not be made.

use std::path::Path;

/// Why a release could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    /// A file cannot be read or written.
    #[error("{path}: {problem}")]
    Io {
        /// The file.
        path: String,
        /// What the system says.
        problem: std::io::Error,
    },
    /// A program that the release needs failed.
    #[error("{0}")]
    Program(String),
    /// Something that was given does not fit.
    #[error("{0}")]
    Input(String),
}

impl ReleaseError {
    pub(crate) fn io(path: &Path) -> impl Fn(std::io::Error) -> ReleaseError + '_ {
        move |problem| ReleaseError::Io { path: path.display().to_string(), problem }
    }

    pub(crate) fn input(message: impl Into<String>) -> ReleaseError {
        ReleaseError::Input(message.into())
    }
}

/// What everything here returns.
pub type Result<T> = std::result::Result<T, ReleaseError>;
