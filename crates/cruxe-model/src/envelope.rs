//! The metadata block that every answer carries (Protocol v1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The protocol version that answers state under both of its keys.
pub const PROTOCOL_VERSION: &str = "1.0";

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

/// The metadata of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Metadata {
    /// Always `1.0`.
    pub cruxe_protocol_version: String,
    /// Always `1.0`: the product's earlier name.
    pub codecompass_protocol_version: String,
    /// How current the answer is.
    pub freshness_status: FreshnessStatus,
    /// Whether the ref is indexed.
    pub indexing_status: IndexingStatus,
    /// Whether the answer is everything.
    pub result_completeness: ResultCompleteness,
    /// The ref that was asked about.
    #[serde(rename = "ref")]
    pub ref_name: String,
    /// Whether the index on disk is readable.
    pub schema_status: SchemaStatus,
    /// What the reader should know and no field says: a clamped limit, a skipped file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Fields of single tools.
    #[serde(flatten)]
    pub extra: serde_json::Map<String, serde_json::Value>,
}

impl Metadata {
    /// Metadata of an answer that is fresh and complete.
    pub fn new(ref_name: &str) -> Metadata {
        Metadata {
            cruxe_protocol_version: PROTOCOL_VERSION.to_owned(),
            codecompass_protocol_version: PROTOCOL_VERSION.to_owned(),
            freshness_status: FreshnessStatus::Fresh,
            indexing_status: IndexingStatus::Ready,
            result_completeness: ResultCompleteness::Complete,
            ref_name: ref_name.to_owned(),
            schema_status: SchemaStatus::Compatible,
            warnings: Vec::new(),
            extra: serde_json::Map::new(),
        }
    }

    /// Adds a field that only one tool has.
    pub fn with(mut self, key: &str, value: impl Into<serde_json::Value>) -> Metadata {
        self.extra.insert(key.to_owned(), value.into());
        self
    }

    /// Notes that the time for an answer was over before everything was looked at.
    pub fn late_if(mut self, late: bool) -> Metadata {
        if late {
            self.result_completeness = ResultCompleteness::Partial;
            self.warnings.push("the time for an answer was over before everything was looked at".to_owned());
        }
        self
    }

    /// Notes that a limit cut the answer; an answer from a partial index stays `partial`.
    pub fn truncated_if(mut self, cut: bool) -> Metadata {
        if cut && self.result_completeness == ResultCompleteness::Complete {
            self.result_completeness = ResultCompleteness::Truncated;
        }
        self
    }
}
