//! The metadata block that every answer carries (Protocol v1), and the words of its warnings.

use cruxe_index::{Notice, Standing};
use cruxe_model::{FreshnessStatus, IndexingStatus, RepoPath, ResultCompleteness, SchemaStatus, SkipReason};
use cruxe_query::by_text::ByText;
use cruxe_query::search::{self, LexicalOnly};
use cruxe_query::unparsed::Hidden;
use cruxe_query::unread::Unread;
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

    /// Metadata of several answers together: each of its states is the worst of theirs. `None` of none.
    pub fn of_all<'m>(mut parts: impl Iterator<Item = &'m Metadata>) -> Option<Metadata> {
        fn worse<T: Copy + PartialEq, const N: usize>(one: &mut T, other: T, order: [T; N]) {
            let place = |state: T| order.iter().position(|known| *known == state);
            if place(other) > place(*one) {
                *one = other;
            }
        }
        let mut whole = parts.next()?.clone();
        whole.warnings.clear();
        whole.extra.clear();
        for part in parts {
            use {FreshnessStatus as F, IndexingStatus as I, ResultCompleteness as R};
            worse(&mut whole.freshness_status, part.freshness_status, [F::Fresh, F::Syncing, F::Stale]);
            let order = [I::Ready, I::Indexing, I::NotIndexed, I::Failed];
            worse(&mut whole.indexing_status, part.indexing_status, order);
            worse(&mut whole.result_completeness, part.result_completeness, [R::Complete, R::Truncated, R::Partial]);
        }
        Some(whole)
    }

    /// Metadata of the answer to a search.
    pub fn of_search(answer: &search::SearchAnswer) -> Metadata {
        let mut metadata = Metadata::of(&answer.standing);
        let place = format!("`{}`", answer.standing.ref_name);
        metadata.warnings.extend(answer.remarks.notices.iter().map(|notice| notice_of_search(notice, &place)));
        if let Some(model) = &answer.remarks.embedding_model {
            metadata = metadata.with("embedding_model", model.as_str());
        }
        if answer
            .remarks
            .notices
            .iter()
            .any(|notice| matches!(notice, search::Notice::Unparsed(_) | search::Notice::Unread(_)))
        {
            metadata.result_completeness = ResultCompleteness::Partial;
        }
        metadata.late_if(answer.remarks.late).unread_if(answer.remarks.unread).filtered_out(answer.remarks.filtered_out)
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

    /// Notes that files were not looked at because they changed since they were indexed.
    pub(crate) fn unread_if(self, files: usize) -> Metadata {
        match files {
            0 => self,
            _ => self.partial(format!("{files} files changed since they were indexed and were not looked at")),
        }
    }

    /// Notes how much the filter of a question left out.
    pub fn filtered_out(self, count: usize) -> Metadata {
        if count > 0 { self.with("filtered_out", count) } else { self }
    }

    /// Notes that a name stands in code that could not be parsed.
    pub(crate) fn hidden(self, hidden: Option<&Hidden>) -> Metadata {
        match hidden {
            Some(hidden) => self.partial(hidden_in_unparsed(hidden)),
            None => self,
        }
    }

    /// Notes that a name stands in texts that are not indexed.
    pub(crate) fn unread(self, unread: Option<&Unread>) -> Metadata {
        match unread {
            Some(unread) => self.partial(not_indexed(unread)),
            None => self,
        }
    }

    /// Notes where a text may mean a name that nothing else uses.
    pub(crate) fn by_text(self, by_text: Option<&ByText>) -> Metadata {
        let Some(ByText { name, path, line, more }) = by_text else { return self };
        let more = and_in_more(*more);
        self.partial(format!("nothing uses `{name}` by its name, but a text may mean it: {path}:{line}{more}"))
    }

    /// Notes that what nobody names may run all the same.
    pub(crate) fn unnamed(self, name: &str, runs: bool) -> Metadata {
        match runs {
            true => self.partial(format!(
                "nothing names `{name}`, but the language may call it by itself (loops, conversions, operators on values of unknown type); such calls are not listed"
            )),
            false => self,
        }
    }

    /// Notes why the answer may lack something.
    pub fn partial(mut self, why: String) -> Metadata {
        self.result_completeness = ResultCompleteness::Partial;
        self.warnings.push(why);
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
        Notice::NothingIndexed => format!("nothing is indexed yet: call {INDEX_REPO} or run `cruxe index`"),
        Notice::Failed(why) => format!("indexing failed: {why}"),
        Notice::Unreadable(files) => format!("{files} files cannot be read and are not in the index"),
    }
}

/// So many files are named for each reason.
const NAMED: usize = 10;

/// What a reader of a ref's state is told of files that one would expect in it: which are not, and why.
pub(crate) fn left_out(skipped: &[(RepoPath, SkipReason)]) -> Vec<String> {
    let told = [
        (SkipReason::TooLarge, "too large (`index.max_file_bytes` says how large a file may be)"),
        (SkipReason::Unreadable, "unreadable"),
        (SkipReason::LfsPointer, "git LFS pointers, no code (`git lfs pull` fetches the files)"),
    ];
    let mut warnings = Vec::new();
    for (reason, words) in told {
        let paths: Vec<&str> =
            skipped.iter().filter(|(_, why)| *why == reason).map(|(path, _)| path.as_str()).collect();
        let names = paths.iter().take(NAMED).map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
        match paths.len() {
            0 => {}
            1..=NAMED => warnings.push(format!("not in the index, {words}: {names}")),
            count => warnings.push(format!("not in the index, {words}: {names} and {} more", count - NAMED)),
        }
    }
    warnings
}

/// What a reader is told of a search in a place, which is a ref or several repositories.
pub(crate) fn notice_of_search(notice: &search::Notice, place: &str) -> String {
    use search::Notice;
    match notice {
        Notice::LongQuery { bytes, used } => {
            format!("the query has {bytes} bytes; its first and its last {used} were used")
        }
        Notice::LongReport { bytes, used } => format!(
            "the query has {bytes} bytes; {used} of them were read: its beginning, its end, and between them what tells of a failure"
        ),
        Notice::ManyPhrases { given, used } => {
            format!("the query has {given} phrases; the first {used} were looked for")
        }
        Notice::LongPhrase { used } => {
            format!("of a phrase of more than {used} bytes its beginning was looked for")
        }
        Notice::Mended { word, similar } => {
            format!("nothing has the word `{word}`; searched for `{similar}` instead")
        }
        Notice::NoSuchName(name) => {
            format!("`{name}` does not exist in {place}; anything found is only similar")
        }
        Notice::Unparsed(hidden) => hidden_in_unparsed(hidden),
        Notice::Unread(unread) => not_indexed(unread),
        Notice::NoSuchPath => "no file has such a path; searched for its words".to_owned(),
        Notice::NoSuchText { quoted: true } => "no text has the phrase; ranked by its words".to_owned(),
        Notice::NoSuchText { quoted: false } => "no text has the message; ranked by its words".to_owned(),
        Notice::LexicalOnly(why) => lexical_only(*why).to_owned(),
    }
}

/// What a reader is told of a name that stands in code that could not be parsed.
fn hidden_in_unparsed(hidden: &Hidden) -> String {
    let Hidden { name, path, line, more } = hidden;
    let more = and_in_more(*more);
    format!("`{name}` may also be defined in code that could not be parsed: {path}:{line}{more}")
}

/// What a reader is told of a name that stands in texts that are not indexed.
pub(crate) fn not_indexed(unread: &Unread) -> String {
    let Unread { name, first, more, unseen } = unread;
    let files = if *unseen == 1 { "file" } else { "files" };
    let Some((path, line, why)) = first else {
        return format!("{unseen} {files} that are not indexed were not looked into for `{name}`");
    };
    let more = and_in_more(*more);
    let unseen = if *unseen == 0 { String::new() } else { format!("; {unseen} more {files} were not looked into") };
    let why = why.as_str();
    format!("`{name}` also stands in a file that is not indexed ({why}): {path}:{line}{more}{unseen}")
}

fn and_in_more(files: usize) -> String {
    match files {
        0 => String::new(),
        1 => " and in 1 more file".to_owned(),
        more => format!(" and in {more} more files"),
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
