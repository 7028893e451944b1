//! What can go wrong with a deck.

use std::io;
use std::path::PathBuf;

use cruxe_files::FileError;
use cruxe_model::RepoPath;

use crate::card::{CardId, Problem};
use crate::config::{ConfigError, ConfigProblem};
use crate::frontmatter::EditProblem;

/// An error of the deck.
#[derive(Debug, thiserror::Error)]
pub enum DeckError {
    /// A disk said no.
    #[error("{}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// Another process holds the lock, and went on holding it.
    #[error("the deck is locked{}", holder_pid.map(|pid| format!(" by process {pid}")).unwrap_or_default())]
    Locked {
        /// The lock, relative to the root.
        lock_file: String,
        /// Who holds it, where it is written there.
        holder_pid: Option<u32>,
    },
    /// There is no such card.
    #[error("there is no card {id}")]
    NoCard {
        /// The id that was asked for.
        id: CardId,
        /// The most similar id that there is.
        nearest: Option<CardId>,
    },
    /// The card cannot be read, and so is not changed.
    #[error("{0}")]
    Malformed(Problem),
    /// A value of the card cannot be changed without changing something else.
    #[error("{path}: {problem}")]
    Edit {
        /// The card.
        path: RepoPath,
        /// Why.
        problem: EditProblem,
    },
    /// The card is write-protected.
    #[error("{0} is read-only")]
    ReadOnly(RepoPath),
    /// Cards that something depends on are not there.
    #[error("no such card: {}", missing.iter().map(CardId::as_str).collect::<Vec<_>>().join(", "))]
    DependencyNotFound {
        /// Their ids.
        missing: Vec<CardId>,
    },
    /// Dependencies lead back to where they began.
    #[error("Circular dependency detected: {}", crate::graph::show_cycle(cycle))]
    CircularDependency {
        /// The ids on the way; the last is the first again.
        cycle: Vec<CardId>,
    },
    /// The configuration cannot be read.
    #[error("{0}")]
    Config(ConfigProblem),
    /// A path leads out of the workspace, or over a link, or to what is no file, or to more than is read.
    #[error("{0}")]
    Refused(FileError),
    /// There is no such document.
    #[error("there is no file {path}")]
    NoFile {
        /// The path that was asked for.
        path: String,
        /// The most similar one that there is.
        nearest: Option<String>,
    },
    /// The document has no such heading.
    #[error("{path} has no heading `{anchor}`")]
    NoAnchor {
        /// The document.
        path: String,
        /// What was asked for.
        anchor: String,
        /// The most similar heading.
        nearest: Option<String>,
    },
    /// The document changed again and again while it was read.
    #[error("{path} changes while it is read")]
    Changing {
        /// The document.
        path: String,
        /// SHA-256 of one read.
        expected_hash: String,
        /// SHA-256 of the next.
        actual_hash: String,
    },
    /// The card is not the one that was seen; nothing was written.
    #[error("{path} was changed meanwhile")]
    Changed {
        /// The card.
        path: RepoPath,
        /// The version that was seen.
        expected: String,
        /// The version that is there.
        actual: String,
    },
    /// A value that cannot be stored.
    #[error("{parameter}: {problem}")]
    Invalid {
        /// Which.
        parameter: &'static str,
        /// Why.
        problem: String,
    },
}

impl From<ConfigError> for DeckError {
    fn from(error: ConfigError) -> DeckError {
        match error {
            ConfigError::Io { path, source } => DeckError::Io { path, source },
            ConfigError::Problem(problem) => DeckError::Config(problem),
        }
    }
}

impl From<FileError> for DeckError {
    fn from(error: FileError) -> DeckError {
        match error {
            FileError::Io { path, source } => DeckError::Io { path, source },
            error => DeckError::Refused(error),
        }
    }
}
