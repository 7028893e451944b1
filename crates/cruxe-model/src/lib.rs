//! Plain types that every other crate speaks: paths, ids, facts, states, a handle on work, configuration.
//!
//! Invariant: no IO of any kind. Nothing here opens a file, reads a clock or looks at the environment.

pub mod arguments;
pub mod config;
pub mod facts;
pub mod ids;
pub mod kind;
mod names;
pub mod nesting;
pub mod path;
mod skip;
mod status;
mod work;

pub use ids::{ContentHash, ProjectId, StableId, SymbolId, VersionId};
pub use kind::SymbolKind;
pub use names::Names;
pub use path::{PathError, RepoPath};
pub use skip::SkipReason;
pub use status::{FreshnessStatus, IndexingStatus, ResultCompleteness, SchemaStatus, SourceLayer};
pub use work::{Cancelled, Work};
