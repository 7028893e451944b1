//! The registry of errors that clients see.

use serde::Serialize;
use serde_json::{Value, json};

use crate::answers::{Line, Text};

use super::names::{INDEX_REPO, INDEX_STATUS, LOCATE_SYMBOL, SYNC_REPO};

macro_rules! codes {
    ($($variant:ident $text:literal $next:literal),* $(,)?) => {
        /// Every error code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorCode { $(#[doc = $text] $variant),* }

        impl ErrorCode {
            /// Every code.
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$variant),*];

            /// The code as clients see it.
            pub fn as_str(self) -> &'static str {
                match self { $(ErrorCode::$variant => $text),* }
            }

            /// What to do next, where the place that raised the error says nothing better.
            pub fn suggestion(self) -> String {
                match self { $(ErrorCode::$variant => format!($next)),* }
            }
        }
    };
}

codes! {
    InvalidInput "invalid_input" "Correct the named parameter and call again.",
    InvalidStrategy "invalid_strategy" "Use one of the listed strategies.",
    InvalidMaxTokens "invalid_max_tokens" "Give a positive number of tokens.",
    ProjectNotFound "project_not_found" "Run `cruxe init` in the workspace.",
    WorkspaceNotRegistered "workspace_not_registered" "Run `cruxe init` in that workspace, or leave `workspace` out.",
    WorkspaceNotAllowed "workspace_not_allowed" "Ask for a workspace below an allowed root.",
    WorkspaceLimitExceeded "workspace_limit_exceeded" "Use one of the workspaces that are open already.",
    IndexInProgress "index_in_progress" "Wait until `{INDEX_STATUS}` shows no active job, then call again.",
    IndexNotReady "index_not_ready" "Wait until `{INDEX_STATUS}` says `ready`, then call again.",
    SyncInProgress "sync_in_progress" "Wait until `{INDEX_STATUS}` shows no active job, then call again.",
    IndexStale "index_stale" "Call {SYNC_REPO} to update the index before querying.",
    IndexIncompatible "index_incompatible" "Run `cruxe index --force` (or call {INDEX_REPO} with force: true).",
    RefNotIndexed "ref_not_indexed" "Call {INDEX_REPO} with this ref first.",
    OverlayNotReady "overlay_not_ready" "Retry after the sync or index job has completed.",
    MergeBaseFailed "merge_base_failed" "Choose two refs that share history.",
    SymbolNotFound "symbol_not_found" "Check the name with {LOCATE_SYMBOL}.",
    AmbiguousSymbol "ambiguous_symbol" "Give `path`, a qualified name or a symbol_id.",
    FileNotFound "file_not_found" "Check the path; it is relative to the repository root.",
    ResultNotFound "result_not_found" "Search again and use the path and line of a result.",
    NoEdgesAvailable "no_edges_available" "Index the repository first.",
    CycleDetected "cycle_detected" "Remove one of the dependencies that make the cycle.",
    TokenLimitExceeded "token_limit_exceeded" "Raise the token limit, or finish and archive cards.",
    UpgradeFailed "upgrade_failed" "The program in use is unchanged; try again, or install the release by hand.",
    NetworkError "network_error" "Check the connection and the address of the release server, then try again.",
    StaleCache "stale_cache" "Run 'cue clean' to rebuild cache",
    LockError "lock_error" "Close other CueDeck instances or remove stale lock",
    OrphanCard "orphan_card" "Link the card to a document, a symbol or another card.",
    RateLimitExceeded "rate_limit_exceeded" "Wait for the given number of seconds, then call again.",
    InternalError "internal_error" "Retry; if it persists, run `cruxe doctor` and read the server's log.",
}

impl ErrorCode {
    /// The number and the message that the deck's contract gives it; `None` for an error that only code tools raise.
    pub fn numeric(self) -> Option<(i32, &'static str)> {
        Some(match self {
            ErrorCode::FileNotFound => (1001, "File Not Found"),
            ErrorCode::CycleDetected => (1002, "Cycle Detected"),
            ErrorCode::TokenLimitExceeded => (1003, "Token Limit Exceeded"),
            ErrorCode::UpgradeFailed => (1004, "Upgrade Failed"),
            ErrorCode::NetworkError => (1005, "Network Error"),
            ErrorCode::StaleCache => (1006, "Stale Cache"),
            ErrorCode::LockError => (1007, "Lock Error"),
            ErrorCode::OrphanCard => (1008, "Orphan Card"),
            ErrorCode::RateLimitExceeded => (429, "Rate Limit Exceeded"),
            _ => return None,
        })
    }
}

/// An error as the caller of a tool sees it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// Which one.
    pub code: ErrorCode,
    /// What happened, to what.
    pub message: String,
    /// Details for programs; always says what to do next.
    pub data: Value,
}

impl ToolError {
    /// An error with the registry's advice.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> ToolError {
        ToolError { code, message: message.into(), data: json!({ "suggestion": code.suggestion() }) }
    }

    /// Adds a detail.
    pub fn with(mut self, key: &str, value: impl Serialize) -> ToolError {
        if let (Value::Object(data), Ok(value)) = (&mut self.data, serde_json::to_value(value)) {
            data.insert(key.to_owned(), value);
        }
        self
    }

    /// Replaces the advice.
    pub fn suggest(self, text: impl Into<String>) -> ToolError {
        self.with("suggestion", text.into())
    }

    /// `{"error": {"code", "message", "data"}}`.
    pub fn to_json(&self) -> Value {
        json!({ "error": { "code": self.code.as_str(), "message": self.message, "data": self.data } })
    }

    /// What is wrong and what to do next, for a reader.
    pub fn text(&self) -> Text {
        let mut text = Text::default();
        text.push(Line::new().plain("error: ").plain(&self.message));
        for word in ["near", "candidates", "allowed"] {
            let entries = self.data[word].as_array().into_iter().flatten().map(entry);
            let listed = entries.collect::<Vec<_>>().join(", ");
            if !listed.is_empty() && !self.message.contains(&listed) {
                text.push(Line::new().plain(format!("{word}: {listed}")));
            }
        }
        if let Some(next) = self.data["suggestion"].as_str() {
            text.push(Line::new().plain(next));
        }
        text
    }

    /// Shorthand for [`ErrorCode::InvalidInput`].
    pub fn invalid_input(message: impl Into<String>) -> ToolError {
        ToolError::new(ErrorCode::InvalidInput, message)
    }

    /// Shorthand for [`ErrorCode::InternalError`].
    pub fn internal(problem: impl std::fmt::Display) -> ToolError {
        ToolError::new(ErrorCode::InternalError, problem.to_string())
    }
}

/// A symbol, path or word of a list in an error's details.
fn entry(value: &Value) -> String {
    let part = |name: &str| value[name].as_str().unwrap_or_default();
    match value {
        Value::Object(near) => {
            let name = near.get("qualified_name").or(near.get("name")).and_then(Value::as_str).unwrap_or_default();
            let line = near.get("line").or(near.get("line_start")).map(|line| format!(":{line}")).unwrap_or_default();
            format!("{} {name} ({}{line})", part("kind"), part("path"))
        }
        other => other.as_str().map_or_else(|| other.to_string(), str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_says_what_to_do_next() {
        for code in ErrorCode::ALL {
            let error = ToolError::new(*code, "x");
            let next = error.to_json()["error"]["data"]["suggestion"].as_str().unwrap().to_owned();
            // Two sentences are the contract's own, which has them without a full stop.
            let of_contract = matches!(code, ErrorCode::StaleCache | ErrorCode::LockError);
            assert!(next.len() > 10 && (of_contract || next.ends_with('.')), "{}: {next}", code.as_str());
        }
    }

    #[test]
    fn the_deck_s_errors_have_the_numbers_of_the_contract() {
        let mut numbers: Vec<i32> =
            ErrorCode::ALL.iter().filter_map(|code| code.numeric()).map(|(number, _)| number).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, [429, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008]);
        assert_eq!(ErrorCode::FileNotFound.numeric(), Some((1001, "File Not Found")));
        assert_eq!(ErrorCode::SymbolNotFound.numeric(), None);
    }

    #[test]
    fn the_stale_error_has_the_form_of_the_contract() {
        let error = ToolError::new(ErrorCode::IndexStale, "Index is stale.").with("last_indexed_commit", "abc");
        assert_eq!(
            error.to_json(),
            json!({"error": {"code": "index_stale", "message": "Index is stale.", "data": {
                "last_indexed_commit": "abc", "suggestion": "Call sync_repo to update the index before querying."}}})
        );
    }
}
