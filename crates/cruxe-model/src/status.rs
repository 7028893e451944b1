//! How current, complete and readable what an answer comes from is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How current the index is for the ref that was asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum FreshnessStatus {
    /// The answer is about what is on disk or at the ref's commit now.
    Fresh,
    /// Something changed since it was indexed.
    Stale,
    /// Something changed and is being indexed.
    Syncing,
}

/// Whether the ref is indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum IndexingStatus {
    /// Never.
    NotIndexed,
    /// A job is building or rebuilding it.
    Indexing,
    /// Published.
    Ready,
    /// The last attempt failed and there is nothing to answer from.
    Failed,
}

/// Whether the answer has everything there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ResultCompleteness {
    /// Everything.
    Complete,
    /// The index was not complete when it was asked, or the time for an answer was over.
    Partial,
    /// A limit cut the answer.
    Truncated,
}

/// Whether this program can read the index that is on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SchemaStatus {
    /// It can.
    Compatible,
    /// There is none.
    NotIndexed,
    /// It was written by another version and cannot be migrated.
    ReindexRequired,
    /// It is damaged.
    CorruptManifest,
}

/// Whether a ref has a file from the default branch or of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SourceLayer {
    /// The merge base with the default branch has it with the same content.
    Base,
    /// The ref or its uncommitted edits made it what it is.
    Overlay,
}
