//! Which branches, tags and commits can be asked about.

use schemars::JsonSchema;
use serde::Serialize;

use super::text::{Line, Text};
use super::{Render, noting};
use crate::contract::Metadata;
use crate::contract::names::INDEX_REPO;

/// The refs.
#[derive(Serialize, JsonSchema)]
pub struct RefsAnswer {
    refs: Vec<RefEntry>,
    total_refs: usize,
    vcs_mode: bool,
    metadata: Metadata,
}

/// An indexed ref.
#[derive(Serialize, JsonSchema)]
pub struct RefEntry {
    /// Its name.
    #[serde(rename = "ref")]
    pub ref_name: String,
    /// Whether the others are seen against it.
    pub is_default: bool,
    /// The commit that was published.
    pub last_indexed_commit: Option<String>,
    /// Where it left the default branch.
    pub merge_base_commit: Option<String>,
    /// Of the default branch all files, of another ref those in which it differs from the merge base.
    pub file_count: u64,
    /// The symbols of those.
    pub symbol_count: u64,
    /// All files of the ref.
    pub total_file_count: u64,
    /// The symbols of those.
    pub total_symbol_count: u64,
    /// How it is doing.
    pub status: RefStatusWord,
    /// When somebody last asked about it.
    pub last_accessed_at: String,
}

/// How a ref is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefStatusWord {
    /// It is what was indexed.
    Active,
    /// It points elsewhere since.
    Stale,
    /// Git no longer has it.
    Deleted,
    /// It is being indexed.
    Indexing,
}

impl RefsAnswer {
    /// The refs, the default branch first: it is what the others are seen against.
    pub fn new(mut refs: Vec<RefEntry>, vcs_mode: bool, mut metadata: Metadata) -> RefsAnswer {
        refs.sort_by_key(|entry| (!entry.is_default, entry.ref_name.clone()));
        if refs.is_empty() {
            metadata.warnings.push(format!("nothing is indexed yet: call {INDEX_REPO} or run `cruxe index`"));
        }
        RefsAnswer { total_refs: refs.len(), refs, vcs_mode, metadata }
    }
}

impl Render for RefsAnswer {
    fn text(&self) -> Text {
        let mut text = noting(&self.metadata);
        for one in &self.refs {
            let status = match one.status {
                RefStatusWord::Active => "",
                RefStatusWord::Stale => ", moved since",
                RefStatusWord::Deleted => ", deleted since",
                RefStatusWord::Indexing => ", being indexed",
            };
            let own = match &one.merge_base_commit {
                Some(_) => format!("{} of {} files differ", one.file_count, one.total_file_count),
                None => format!("{} files", one.total_file_count),
            };
            let default = if one.is_default { " (default)" } else { "" };
            text.push(Line::new().strong(&one.ref_name).plain(format!("{default}: {own}{status}")));
        }
        text
    }
}
