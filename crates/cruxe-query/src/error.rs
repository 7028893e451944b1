//! What can go wrong while a question is answered.

use cruxe_index::IndexError;
use cruxe_model::ToolError;
use cruxe_store::StoreError;

/// An error of a question.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// The question itself is at fault, or what it asks for is not there.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The index is.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<QueryError> for ToolError {
    fn from(error: QueryError) -> ToolError {
        match error {
            QueryError::Tool(error) => error,
            QueryError::Store(error) => IndexError::from(error).into(),
        }
    }
}
