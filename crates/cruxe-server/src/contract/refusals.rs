//! What the crates below refuse, as callers of tools see it: the code, the words, and what to do next.

use std::io;

use cruxe_deck::{CardId, DeckError};
use cruxe_files::FileError;
use cruxe_index::{Change, IndexError};
use cruxe_model::{Cancelled, IndexingStatus, SchemaStatus, SkipReason};
use cruxe_query::{LeftOutFile, MissingSymbol, NearSymbol, QueryError};
use cruxe_store::StoreError;
use cruxe_vcs::VcsError;
use serde_json::{Value, json};

use super::error::{ErrorCode, ToolError};
use super::metadata::{not_indexed, notice_of_index};
use super::names::{GET_CALL_GRAPH, INDEX_REPO, INDEX_STATUS, LIST_TASKS, LOCATE_SYMBOL, READ_CONTEXT, SYNC_REPO};
use super::relations;

/// How a file that is left out is taken in.
const TAKE_IN: &str = "A line `!path` in .cruxeignore takes a file in.";

/// What to do where nothing is indexed.
fn index_first() -> String {
    format!("Call {INDEX_REPO}, wait until {INDEX_STATUS} says `ready`, then ask again.")
}

impl From<IndexError> for ToolError {
    fn from(error: IndexError) -> ToolError {
        let message = error.to_string();
        let plain = |code| ToolError::new(code, message.clone());
        match &error {
            IndexError::NoFolder(path) => plain(ErrorCode::ProjectNotFound).with("workspace", path),
            IndexError::TooBroad(path) => plain(ErrorCode::ProjectNotFound)
                .with("workspace", path)
                .suggest("Name the folder of one project inside it."),
            IndexError::Unreadable { path, .. } => plain(ErrorCode::ProjectNotFound)
                .with("workspace", path)
                .suggest("Let the user that runs the server read the folder, or name another workspace."),
            IndexError::NoFile(path) => plain(ErrorCode::InvalidInput)
                .with("path", path)
                .suggest(format!("Remove what stands there, then call {INDEX_REPO}.")),
            IndexError::TooManyFiles(limit) => plain(ErrorCode::InvalidInput).with("limit", limit),
            IndexError::Busy => plain(ErrorCode::IndexInProgress),
            IndexError::Replica => plain(ErrorCode::InvalidInput)
                .suggest("Push to the repository, or ask whoever runs the server for `cruxe team repo sync`."),
            IndexError::RefNotIndexed(name) => plain(ErrorCode::RefNotIndexed).with("ref", name).suggest(format!(
                "Call {INDEX_REPO} with ref `{name}` (or run `cruxe index --ref {name}`), then ask again."
            )),
            IndexError::Worktree { ref_name, reason } => {
                plain(ErrorCode::OverlayNotReady).with("ref", ref_name).with("reason", reason).suggest(format!(
                    "Sync the ref with {SYNC_REPO} and retry; questions with an explicit `ref` work without it."
                ))
            }
            IndexError::Vcs(VcsError::UnknownRef { spec }) => {
                plain(ErrorCode::RefNotIndexed).with("ref", spec).suggest(format!(
                    "Git knows no such ref. Check the spelling, or fetch it and call {INDEX_REPO} with it first."
                ))
            }
            IndexError::Store(StoreError::NotIndexed) => plain(ErrorCode::IndexNotReady),
            IndexError::Store(store) if store.is_outdated() => plain(ErrorCode::IndexIncompatible)
                .with("schema_status", SchemaStatus::ReindexRequired)
                .suggest(format!(
                    "It is being rebuilt in the background: wait until {INDEX_STATUS} says `ready`, then ask again. \
                     (`cruxe index --force` rebuilds it at once.)"
                )),
            IndexError::Store(store) => match store.schema_status() {
                Some(status @ (SchemaStatus::ReindexRequired | SchemaStatus::CorruptManifest)) => {
                    plain(ErrorCode::IndexIncompatible).with("schema_status", status)
                }
                _ => plain(ErrorCode::InternalError),
            },
            IndexError::BadArchive(_) | IndexError::BadScip(_) | IndexError::OtherRepository => {
                plain(ErrorCode::InvalidInput)
            }
            IndexError::Stale { ref_name, change, head } => stale(ref_name, change, head.as_deref()),
            IndexError::Io { .. } | IndexError::Vcs(_) | IndexError::Cancelled => plain(ErrorCode::InternalError),
        }
    }
}

/// The error of a `strict` question about a ref that changed since it was indexed.
fn stale(ref_name: &str, change: &Change, head: Option<&str>) -> ToolError {
    let (what, indexed, current) = match change {
        Change::Commit { indexed, current } => {
            ("Last indexed commit does not match HEAD.".to_owned(), indexed.as_deref(), current.as_deref())
        }
        Change::File(path) => (format!("{path} changed since it was indexed."), head, head),
        Change::OtherSource => (format!("`{ref_name}` was indexed from somewhere else."), None, None),
    };
    ToolError::new(ErrorCode::IndexStale, format!("Index is stale. {what} Run {SYNC_REPO} to refresh."))
        .with("last_indexed_commit", indexed)
        .with("current_head", current)
        .with("ref", ref_name)
}

impl From<Cancelled> for ToolError {
    fn from(cancelled: Cancelled) -> ToolError {
        ToolError::internal(cancelled)
    }
}

impl From<QueryError> for ToolError {
    fn from(error: QueryError) -> ToolError {
        let message = error.to_string();
        let of = |code| ToolError::new(code, message.clone());
        match error {
            QueryError::NothingIndexed => of(ErrorCode::NoEdgesAvailable).suggest(index_first()),
            QueryError::BadPath(_) => of(ErrorCode::InvalidInput)
                .suggest("Give a path relative to the repository root.")
                .with("parameter", "path"),
            QueryError::NotPublished { path, standing } => {
                let why = standing.notices.first().map(|notice| notice_of_index(notice, &standing.ref_name));
                let why = why.as_deref().unwrap_or("nothing is indexed yet");
                let message = format!("{path} cannot be looked up: {why}");
                let error = ToolError::new(ErrorCode::IndexNotReady, message)
                    .with("path", path)
                    .with("indexing_status", standing.indexing);
                match standing.indexing {
                    IndexingStatus::Indexing | IndexingStatus::Ready => error,
                    IndexingStatus::NotIndexed | IndexingStatus::Failed => error.suggest(index_first()),
                }
            }
            QueryError::FileNotYetIndexed(path) => of(ErrorCode::IndexNotReady).with("path", path),
            QueryError::NoSuchFile { path, left_out, nearest } => {
                let error = of(ErrorCode::FileNotFound).with("path", &path);
                match (left_out, nearest.first()) {
                    (Some(LeftOutFile { path: by, reason }), _) => {
                        let advice = match reason {
                            SkipReason::Unreadable => {
                                format!("Let the user that runs the server read {by}, then call {SYNC_REPO}.")
                            }
                            reason => {
                                let why = reason.as_str();
                                format!("The file is left out ({why}); a line `!{path}` in .cruxeignore takes it in.")
                            }
                        };
                        error.with("reason", reason.as_str()).suggest(advice)
                    }
                    (None, Some(first)) => {
                        error.suggest(format!("Did you mean '{first}'?")).with("candidates", &nearest)
                    }
                    (None, None) => error,
                }
            }
            QueryError::NoSuchSymbol(MissingSymbol { nearest, unread, .. }) => {
                let mut error = of(ErrorCode::SymbolNotFound);
                if let Some(unread) = unread {
                    let stands = not_indexed(&unread);
                    let advice = format!("Nothing that is indexed defines it: {stands}. {TAKE_IN}");
                    error = error.with("not_indexed", stands).suggest(advice);
                } else if let Some(first) = nearest.first() {
                    let name = &first.name;
                    error =
                        error.suggest(format!("Did you mean `{name}`? Otherwise check the name with {LOCATE_SYMBOL}."));
                }
                if nearest.is_empty() {
                    error
                } else {
                    error.with("near", nearest.iter().map(near).collect::<Vec<_>>())
                }
            }
            QueryError::Unrelated { relation, name, kind, language, why } => {
                let (message, advice) = relations::refusal(relation, &name, kind, language, why);
                ToolError::new(ErrorCode::InvalidInput, message)
                    .with("parameter", "kind")
                    .with("language", language)
                    .with("relation", relations::word(relation))
                    .suggest(advice)
            }
            QueryError::InNeitherRef { name, path, freshness, .. } => {
                let error = of(ErrorCode::SymbolNotFound).with("symbol_name", name);
                let error = match path {
                    Some(path) => error
                        .with("path", path)
                        .suggest(format!("Check the path, or leave it out; {LOCATE_SYMBOL} finds the name.")),
                    None => error,
                };
                error.with("freshness_status", freshness)
            }
            QueryError::AmbiguousSymbol { candidates, freshness, .. } => {
                of(ErrorCode::AmbiguousSymbol).with("candidates", candidates).with("freshness_status", freshness)
            }
            QueryError::SameSymbol { .. } => of(ErrorCode::InvalidInput)
                .with("parameter", "to")
                .suggest(format!("Name two symbols; {GET_CALL_GRAPH} of the one, with a depth, shows its recursion.")),
            QueryError::NoSuchResult { path, in_file, .. } => {
                let error = of(ErrorCode::ResultNotFound);
                let lines: Vec<String> = in_file.iter().map(|line| format!("{path}:{line}")).collect();
                if lines.is_empty() { error } else { error.with("results_in_file", lines) }
            }
            QueryError::NotInGit => of(ErrorCode::MergeBaseFailed),
            QueryError::NoMergeBase { base, head, .. } => {
                of(ErrorCode::MergeBaseFailed).with("base_ref", base).with("head_ref", head)
            }
            QueryError::Cancelled => Cancelled.into(),
            QueryError::Index(error) => error.into(),
        }
    }
}

fn near(symbol: &NearSymbol) -> Value {
    json!({"name": symbol.name, "kind": symbol.kind, "path": symbol.path, "line": symbol.line})
}

/// The error as callers of a tool see it, with the `data` of the contract's examples.
impl From<DeckError> for ToolError {
    fn from(error: DeckError) -> ToolError {
        let message = error.to_string();
        let of = |code| ToolError::new(code, message.clone());
        match error {
            DeckError::Io { path, source } => {
                let advice = match source.kind() {
                    io::ErrorKind::PermissionDenied => "Check the permissions of the file and of its folder.",
                    io::ErrorKind::StorageFull => "Make room on the disk, then call again.",
                    _ => "Check that the file can be read and written, then call again.",
                };
                of(ErrorCode::InternalError).with("path", path.display().to_string()).suggest(advice)
            }
            DeckError::Locked { lock_file, holder_pid } => {
                of(ErrorCode::LockError).with("lock_file", lock_file).with("holder_pid", holder_pid)
            }
            DeckError::NoCard { id, nearest } => {
                of(ErrorCode::FileNotFound).with("id", id.as_str()).with("path", id.path().as_str()).suggest(
                    did_you_mean(nearest.as_ref().map(CardId::as_str), &format!("Call {LIST_TASKS} for the ids.")),
                )
            }
            DeckError::Malformed(problem) => of(ErrorCode::InvalidInput)
                .with("kind", "MalformedCard")
                .with("path", problem.path.as_str())
                .with("line", problem.line)
                .suggest("Repair the card by hand; nothing was changed."),
            DeckError::Edit { path, .. } => of(ErrorCode::InvalidInput)
                .with("kind", "MalformedCard")
                .with("path", path.as_str())
                .suggest("Edit the card by hand; nothing was changed."),
            DeckError::ReadOnly(path) => of(ErrorCode::InvalidInput)
                .with("kind", "ReadOnly")
                .with("path", path.as_str())
                .suggest("Make the file writable, then call again."),
            DeckError::DependencyNotFound { missing } => {
                let ids: Vec<&str> = missing.iter().map(CardId::as_str).collect();
                of(ErrorCode::FileNotFound)
                    .with("kind", "DependencyNotFound")
                    .with("path", missing.first().map(|id| id.path()))
                    .with("missing", ids)
                    .suggest(format!("Create that task first, or leave its id out; {LIST_TASKS} has the ids."))
            }
            DeckError::CircularDependency { cycle } => {
                let path: Vec<String> = cycle.iter().map(|id| format!("cards/{id}.md")).collect();
                let last = cycle.iter().rev().nth(1).or(cycle.first());
                let advice = last.map_or(String::new(), |id| format!("Remove reference from cards/{id}.md"));
                of(ErrorCode::CycleDetected).with("kind", "CircularDependency").with("cycle_path", path).suggest(advice)
            }
            DeckError::Config(problem) => ToolError::new(ErrorCode::InvalidInput, problem.without_content())
                .with("kind", "Config")
                .with("path", problem.path.display().to_string())
                .with("line", problem.line)
                .suggest("Correct the configuration, or run `cue init --force` for a new one."),
            DeckError::Refused(error) => {
                let (advice, path) = match &error {
                    FileError::Outside { path } => ("Give a path inside of the workspace.", path),
                    FileError::Link { at, .. } => ("Put the file or folder itself in place of the link.", at),
                    FileError::HardLink { path } => ("Remove the file; it is made anew.", path),
                    FileError::TooLarge { path, .. } => ("Give a smaller file.", path),
                    FileError::NotAFile { path, .. } | FileError::NotText { path } | FileError::Io { path, .. } => {
                        ("Put a file of text in its place.", path)
                    }
                };
                of(ErrorCode::InvalidInput).with("path", path.display().to_string()).suggest(advice)
            }
            DeckError::NoFile { path, nearest } => of(ErrorCode::FileNotFound)
                .with("path", path)
                .suggest(did_you_mean(nearest.as_deref(), &format!("Find the document with {READ_CONTEXT}."))),
            DeckError::NoAnchor { path, anchor, nearest } => of(ErrorCode::FileNotFound)
                .with("path", path)
                .with("anchor", anchor)
                .suggest(did_you_mean(nearest.as_deref(), "Read the document without an anchor.")),
            DeckError::Changed { path, expected, actual } => of(ErrorCode::StaleCache)
                .with("path", path.as_str())
                .with("expected_hash", expected)
                .with("actual_hash", actual)
                .suggest("Nothing was written. Look at it again, then change it."),
            DeckError::Changing { path, expected_hash, actual_hash } => of(ErrorCode::StaleCache)
                .with("path", path)
                .with("expected_hash", expected_hash)
                .with("actual_hash", actual_hash)
                .with("recovery", ErrorCode::StaleCache.suggestion())
                .suggest("Read the document again once nobody writes it."),
            DeckError::Invalid { parameter, .. } => of(ErrorCode::InvalidInput).with("parameter", parameter),
        }
    }
}

fn did_you_mean(nearest: Option<&str>, otherwise: &str) -> String {
    nearest.map_or_else(|| otherwise.to_owned(), |nearest| format!("Did you mean '{nearest}'?"))
}
