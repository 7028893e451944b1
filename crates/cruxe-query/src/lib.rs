//! One module per question: plain functions from a view of a ref to a plain answer.
//!
//! Invariant: nothing here prints, knows MCP or writes to the index.

pub mod compare;
pub mod diff;
mod error;
pub mod locate;
pub mod name;
pub mod outline;
pub mod past;
pub mod search;

pub use error::QueryError;
