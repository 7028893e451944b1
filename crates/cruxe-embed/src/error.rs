//! What can be wrong with a model.

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The bytes are no embedding table, or a damaged one.
    #[error("this is no usable embedding table: {0}; take the file `code-static-256.cqse` as it is in the repository")]
    Table(String),
}
