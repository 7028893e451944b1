//! Plain types that every other crate speaks: paths, ids, facts, the response envelope, errors and configuration.
//!
//! Invariant: no IO of any kind. Nothing here opens a file, reads a clock or looks at the environment.

mod cancel;
pub mod config;
pub mod envelope;
pub mod error;
pub mod facts;
pub mod ids;
pub mod kind;
pub mod nesting;
pub mod path;

pub use cancel::CancelFlag;
pub use envelope::{FreshnessStatus, IndexingStatus, Metadata, ResultCompleteness, SchemaStatus, SourceLayer};
pub use error::{ErrorCode, ToolError};
pub use ids::{ContentHash, ProjectId, StableId, SymbolId, VersionId};
pub use kind::SymbolKind;
pub use path::{PathError, RepoPath};
