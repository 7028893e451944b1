//! What can go wrong while a question is answered.

use cruxe_index::{IndexError, Standing};
use cruxe_model::{Cancelled, FreshnessStatus, PathError, RepoPath, SkipReason, SymbolKind};
use cruxe_store::StoreError;

use crate::relations::{Relation, Unfit};
use crate::unread::Unread;

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// Nothing is indexed, so nothing can be said about uses.
    #[error("nothing is indexed yet, so there are no references to look at")]
    NothingIndexed,
    /// What was given as a path is none.
    #[error("path: {0}")]
    BadPath(PathError),
    /// Nothing of the ref is published, so nobody knows whether it has the file.
    #[error("{path} cannot be looked up while nothing is indexed")]
    NotPublished {
        /// The file.
        path: RepoPath,
        /// Why nothing is.
        standing: Box<Standing>,
    },
    /// The file is on disk, and the next sync takes it in.
    #[error("{0} is on disk and not in the index yet")]
    FileNotYetIndexed(RepoPath),
    /// The ref has no such file, or the index leaves it out.
    #[error("{path} is not in the index")]
    NoSuchFile {
        /// The file.
        path: RepoPath,
        /// What stands in the way, where something does.
        left_out: Option<LeftOutFile>,
        /// Files of the same name elsewhere.
        nearest: Vec<RepoPath>,
    },
    /// No definition has the name.
    #[error("no symbol is named `{}`{}{}", .0.name, in_file(&.0.path), anywhere(&.0.mentioned))]
    NoSuchSymbol(MissingSymbol),
    /// A symbol has no such relation.
    #[error("{kind} `{name}` of {language} is not related to anything in that way", kind = .kind.as_str())]
    Unrelated {
        /// The relation.
        relation: Relation,
        /// Its qualified name.
        name: String,
        /// What it is.
        kind: SymbolKind,
        /// Its language.
        language: &'static str,
        /// Why not.
        why: Unfit,
    },
    /// Neither of two refs has the symbol.
    #[error("`{name}` is neither in `{base}` nor in `{head}`")]
    InNeitherRef {
        /// The name.
        name: String,
        /// The only file that was wanted.
        path: Option<String>,
        /// One ref.
        base: String,
        /// The other.
        head: String,
        /// How current what was looked at is.
        freshness: FreshnessStatus,
    },
    /// Several symbols have the name and none is more likely meant.
    #[error("`{name}` names several symbols")]
    AmbiguousSymbol {
        /// The name.
        name: String,
        /// Where they are.
        candidates: Vec<String>,
        /// How current what was looked at is.
        freshness: FreshnessStatus,
    },
    /// The two ends of a chain of calls are one symbol.
    #[error("`from` and `to` are the same symbol, {name}")]
    SameSymbol {
        /// Its qualified name.
        name: String,
    },
    /// A search has no result at a place.
    #[error("No result at {path}:{line} among the first {results} for this query.")]
    NoSuchResult {
        /// The file that was named.
        path: String,
        /// The line that was named.
        line: u32,
        /// How many results there are.
        results: usize,
        /// The lines of results in that file.
        in_file: Vec<u32>,
    },
    /// The project is not in git, so it has no refs to compare.
    #[error("this workspace is not in git: there are no refs to compare")]
    NotInGit,
    /// Two refs have no common history.
    #[error("`{base}` and `{head}` have no merge base: {reason}")]
    NoMergeBase {
        /// One ref.
        base: String,
        /// The other.
        head: String,
        /// Why not.
        reason: String,
    },
    /// Nobody waits for the answer any more.
    #[error("cancelled")]
    Cancelled,
    /// The project or its index refused.
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// A file or folder that the index leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOutFile {
    /// The file that was asked for, or a folder around it.
    pub path: RepoPath,
    /// Why.
    pub reason: SkipReason,
}

/// A name that no definition has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingSymbol {
    /// The name.
    pub name: String,
    /// The only file that was wanted.
    pub path: Option<String>,
    /// Whether the ref has an identifier of the name at all; `None` where nobody looked.
    pub mentioned: Option<bool>,
    /// Names that are near.
    pub nearest: Vec<NearSymbol>,
    /// The name in texts that are not indexed.
    pub unread: Option<Unread>,
}

/// A symbol whose name is near the one that was not found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearSymbol {
    /// Its qualified name.
    pub name: String,
    /// What it is.
    pub kind: &'static str,
    /// Where it is.
    pub path: String,
    /// Its line.
    pub line: u32,
}

fn in_file(path: &Option<String>) -> String {
    path.as_ref().map_or(String::new(), |path| format!(" in {path}"))
}

fn anywhere(mentioned: &Option<bool>) -> &'static str {
    match mentioned {
        None => "",
        Some(true) => "; identifiers of this name stand in the ref, but nothing there defines it",
        Some(false) => ", and no identifier of this name stands in the ref",
    }
}

impl From<StoreError> for QueryError {
    fn from(error: StoreError) -> QueryError {
        QueryError::Index(error.into())
    }
}

impl From<Cancelled> for QueryError {
    fn from(_: Cancelled) -> QueryError {
        QueryError::Cancelled
    }
}
