//! What can go wrong with a deck, and how tools say it.

use std::io;
use std::path::PathBuf;

use cruxe_files::FileError;
use cruxe_model::{ErrorCode, RepoPath, ToolError};

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

/// The error as callers of a tool see it, with the `data` of the contract's examples.
impl From<DeckError> for ToolError {
    fn from(error: DeckError) -> ToolError {
        let message = error.to_string();
        let of = |code| ToolError::new(code, message.clone());
        match error {
            DeckError::Io { path, source } => {
                let advice = match source.kind() {
                    io::ErrorKind::PermissionDenied => "Check the permissions of the file and of its folder.",
                    io::ErrorKind::StorageFull => "Make room on the disk, then call again.",
                    _ => "Check that the file can be read and written, then call again.",
                };
                of(ErrorCode::InternalError).with("path", path.display().to_string()).suggest(advice)
            }
            DeckError::Locked { lock_file, holder_pid } => {
                of(ErrorCode::LockError).with("lock_file", lock_file).with("holder_pid", holder_pid)
            }
            DeckError::NoCard { id, nearest } => of(ErrorCode::FileNotFound)
                .with("id", id.as_str())
                .with("path", id.path().as_str())
                .suggest(did_you_mean(nearest.as_ref().map(CardId::as_str), "Call list_tasks for the ids.")),
            DeckError::Malformed(problem) => of(ErrorCode::InvalidInput)
                .with("kind", "MalformedCard")
                .with("path", problem.path.as_str())
                .with("line", problem.line)
                .suggest("Repair the card by hand; nothing was changed."),
            DeckError::Edit { path, .. } => of(ErrorCode::InvalidInput)
                .with("kind", "MalformedCard")
                .with("path", path.as_str())
                .suggest("Edit the card by hand; nothing was changed."),
            DeckError::ReadOnly(path) => of(ErrorCode::InvalidInput)
                .with("kind", "ReadOnly")
                .with("path", path.as_str())
                .suggest("Make the file writable, then call again."),
            DeckError::DependencyNotFound { missing } => {
                let ids: Vec<&str> = missing.iter().map(CardId::as_str).collect();
                of(ErrorCode::FileNotFound)
                    .with("kind", "DependencyNotFound")
                    .with("path", missing.first().map(|id| id.path()))
                    .with("missing", ids)
                    .suggest("Create that task first, or leave its id out; list_tasks has the ids.")
            }
            DeckError::CircularDependency { cycle } => {
                let path: Vec<String> = cycle.iter().map(|id| format!("cards/{id}.md")).collect();
                let last = cycle.iter().rev().nth(1).or(cycle.first());
                let advice = last.map_or(String::new(), |id| format!("Remove reference from cards/{id}.md"));
                of(ErrorCode::CycleDetected).with("kind", "CircularDependency").with("cycle_path", path).suggest(advice)
            }
            DeckError::Config(problem) => ToolError::new(ErrorCode::InvalidInput, problem.without_content())
                .with("kind", "Config")
                .with("path", problem.path.display().to_string())
                .with("line", problem.line)
                .suggest("Correct the configuration, or run `cue init --force` for a new one."),
            DeckError::Refused(error) => {
                let (advice, path) = match &error {
                    FileError::Outside { path } => ("Give a path inside of the workspace.", path),
                    FileError::Link { at, .. } => ("Put the file or folder itself in place of the link.", at),
                    FileError::HardLink { path } => ("Remove the file; it is made anew.", path),
                    FileError::TooLarge { path, .. } => ("Give a smaller file.", path),
                    FileError::NotAFile { path, .. } | FileError::NotText { path } | FileError::Io { path, .. } => {
                        ("Put a file of text in its place.", path)
                    }
                };
                of(ErrorCode::InvalidInput).with("path", path.display().to_string()).suggest(advice)
            }
            DeckError::NoFile { path, nearest } => of(ErrorCode::FileNotFound)
                .with("path", path)
                .suggest(did_you_mean(nearest.as_deref(), "Find the document with read_context.")),
            DeckError::NoAnchor { path, anchor, nearest } => of(ErrorCode::FileNotFound)
                .with("path", path)
                .with("anchor", anchor)
                .suggest(did_you_mean(nearest.as_deref(), "Read the document without an anchor.")),
            DeckError::Changing { path, expected_hash, actual_hash } => of(ErrorCode::StaleCache)
                .with("path", path)
                .with("expected_hash", expected_hash)
                .with("actual_hash", actual_hash)
                .with("recovery", ErrorCode::StaleCache.suggestion())
                .suggest("Read the document again once nobody writes it."),
            DeckError::Invalid { parameter, .. } => of(ErrorCode::InvalidInput).with("parameter", parameter),
        }
    }
}

fn did_you_mean(nearest: Option<&str>, otherwise: &str) -> String {
    nearest.map_or_else(|| otherwise.to_owned(), |nearest| format!("Did you mean '{nearest}'?"))
}
