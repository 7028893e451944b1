//! One module per question: plain functions from a view of a ref to a plain answer.
//!
//! Invariant: nothing here prints, knows MCP or writes to the index.

pub mod at;
pub mod by_text;
pub mod call_graph;
pub mod call_path;
mod calls;
pub mod code;
pub mod compare;
pub mod complete;
pub mod dependencies;
pub mod diff;
mod error;
pub mod external;
pub mod filter;
pub mod grep;
mod kept_texts;
mod kept_uses;
mod left_words;
pub mod locate;
pub mod mentions;
pub mod name;
pub mod neighbours;
pub mod origin;
pub mod outline;
pub mod past;
mod per_ref;
pub mod references;
pub mod relations;
pub mod resolve;
pub mod search;
pub mod symbol;
mod takes;
pub mod target;
#[cfg(test)]
mod testing;
mod twins;
pub mod unparsed;
pub mod unread;
mod uses;

pub use error::{LeftOutFile, MissingSymbol, NearSymbol, QueryError};
