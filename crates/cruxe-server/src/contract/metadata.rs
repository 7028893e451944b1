//! The metadata block that every answer carries (Protocol v1), and the words of its warnings.

use cruxe_index::{Notice, Standing};
use cruxe_model::{FreshnessStatus, IndexingStatus, ResultCompleteness, SchemaStatus};
use cruxe_query::references::Place;
use cruxe_query::search::{self, LexicalOnly};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::names::INDEX_REPO;

/// The protocol version that answers state under both of its keys.
pub const PROTOCOL_VERSION: &str = "1.0";

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

    /// Metadata of an answer from an index as it stands.
    pub fn of(standing: &Standing) -> Metadata {
        let mut metadata = Metadata::new(&standing.ref_name);
        metadata.freshness_status = standing.freshness;
        metadata.indexing_status = standing.indexing;
        metadata.schema_status = standing.schema;
        if standing.partial {
            metadata.result_completeness = ResultCompleteness::Partial;
        }
        metadata.warnings.extend(standing.notices.iter().map(|notice| notice_of_index(notice, &standing.ref_name)));
        metadata
    }

    /// Metadata of the answer to a search.
    pub fn of_search(answer: &search::SearchAnswer) -> Metadata {
        let mut metadata = Metadata::of(&answer.standing);
        metadata.warnings.extend(answer.remarks.notices.iter().map(notice_of_search));
        if let Some(model) = &answer.remarks.embedding_model {
            metadata = metadata.with("embedding_model", model.as_str());
        }
        metadata.late_if(answer.remarks.late)
    }

    /// Adds a field that only one tool has.
    pub fn with(mut self, key: &str, value: impl Into<serde_json::Value>) -> Metadata {
        self.extra.insert(key.to_owned(), value.into());
        self
    }

    /// Leaves the first so many entries of a field that is a list.
    pub(crate) fn keep_first(mut self, key: &str, count: usize) -> Metadata {
        if let Some(serde_json::Value::Array(list)) = self.extra.get_mut(key) {
            list.truncate(count);
        }
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

    /// Notes that a name also stands where the code could not be parsed, so that nobody knows what it means there.
    pub fn unparsed_at(mut self, name: &str, places: &[Place]) -> Metadata {
        if !places.is_empty() {
            let shown: Vec<String> = places.iter().map(|place| format!("{}:{}", place.path, place.line)).collect();
            let shown = shown.join(", ");
            self.result_completeness = ResultCompleteness::Partial;
            self.warnings.push(format!("`{name}` also stands in code that could not be parsed: {shown}"));
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

/// What a reader is told of the index that an answer comes from.
pub(crate) fn notice_of_index(notice: &Notice, ref_name: &str) -> String {
    match notice {
        Notice::FirstIndex => "the first index is being built; results are missing until it is done".to_owned(),
        Notice::BeingIndexed => format!("`{ref_name}` is being indexed; results are missing until it is done"),
        Notice::NothingIndexed => format!("nothing is indexed yet: call {INDEX_REPO}"),
        Notice::Failed(why) => format!("indexing failed: {why}"),
        Notice::LeftOut(files) => format!("{files} files are too large or unreadable and not in the index"),
    }
}

/// What a reader is told of a search.
fn notice_of_search(notice: &search::Notice) -> String {
    use search::Notice;
    match notice {
        Notice::LongQuery { bytes, used } => {
            format!("the query has {bytes} bytes; its first and its last {used} were used")
        }
        Notice::ManyPhrases { given, used } => {
            format!("the query has {given} phrases; the first {used} were looked for")
        }
        Notice::LongPhrase { used } => {
            format!("of a phrase of more than {used} bytes its beginning was looked for")
        }
        Notice::Mended { word, similar } => {
            format!("nothing has the word `{word}`; searched for `{similar}` instead")
        }
        Notice::NoSuchPath => "no file has such a path; searched for its words".to_owned(),
        Notice::NoSuchText { quoted: true } => "no text has the phrase; ranked by its words".to_owned(),
        Notice::NoSuchText { quoted: false } => "no text has the message; ranked by its words".to_owned(),
        Notice::LexicalOnly(why) => lexical_only(*why).to_owned(),
    }
}

/// Why an answer is by words alone.
pub(crate) fn lexical_only(why: LexicalOnly) -> &'static str {
    match why {
        LexicalOnly::Asked => "ranked by words alone, as was asked",
        LexicalOnly::UnknownWords => "semantic search has no vector for this query; ranked by words alone",
        LexicalOnly::NoVectors => {
            "the index has no embeddings of the current model yet; ranked by words alone until it is synced"
        }
        LexicalOnly::Damaged => {
            "the embeddings are damaged; ranked by words alone until the next sync has made them anew"
        }
    }
}
