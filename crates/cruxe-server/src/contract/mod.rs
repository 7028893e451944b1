//! The contract with clients: names of tools, codes and words of errors, and the metadata of answers.
//!
//! The crates below give typed errors and plain answers; only here do they get the names, numbers and sentences that
//! clients see. The MCP tools, the commands and whatever page comes later all say things in these words.

mod error;
mod limits;
mod metadata;
pub mod names;
mod refusals;
pub(crate) mod relations;

pub use error::{ErrorCode, ToolError};
pub use limits::LIMITED;
pub use metadata::{Metadata, PROTOCOL_VERSION};
pub(crate) use metadata::{left_out, lexical_only, notice_of_search};
pub use relations::UseKind;
