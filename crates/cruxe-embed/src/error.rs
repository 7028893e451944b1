//! What can be wrong with a model.

use std::path::PathBuf;

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The bytes are no embedding table, or a damaged one.
    #[error("this is no usable embedding table: {0}; take the file `code-static-256.cqse` as it is in the repository")]
    Table(String),
    /// The files of a model do not fit together.
    #[error("the model cannot be used: {0}; remove it and install it again with `cruxe model`")]
    Model(String),
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file of a model is not what it should be.
    #[error("{}: `{file}` is not the published one: {found}; nothing was installed", origin.display())]
    Checksum {
        /// The file of the model.
        file: &'static str,
        /// Where it came from.
        origin: PathBuf,
        /// What is wrong with it.
        found: String,
    },
    /// A source lacks a file of the model.
    #[error("{}: there is no `{file}` in it", origin.display())]
    NotInSource {
        /// The file of the model.
        file: &'static str,
        /// The folder or wheel.
        origin: PathBuf,
    },
    /// A wheel cannot be read.
    #[error("{}: this is no whole wheel: {problem}; download it again", path.display())]
    Wheel {
        /// The wheel.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}
