//! Why there is no answer to a call, in the forms of the contracts.
//!
//! Deliberately absent: the codes and their words ([`contract`](crate::contract)), and messages that are no call at all
//! ([`rpc`](crate::rpc)).

use std::any::Any;

use rmcp::model::{ErrorCode as RpcCode, ErrorData};
use serde_json::Value;
use tokio::task::JoinError;

use crate::contract::{ErrorCode, ToolError};

/// Why there is no answer to a call.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CallError {
    /// There is no such tool; the text names the nearest.
    #[error("{0}")]
    UnknownTool(String),
    /// The tool refused or failed, and MCP's result says so.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// A tool of the deck refused or failed: a JSON-RPC error with a number, through MCP too.
    #[error(transparent)]
    Numeric(ToolError),
}

impl CallError {
    pub(crate) fn of(error: ToolError, numeric: bool) -> CallError {
        if numeric { CallError::Numeric(error) } else { CallError::Tool(error) }
    }

    /// Returns it as a JSON-RPC error; a tool's own code stands in `data.code`, and what the contract's message does
    /// not say in `data.detail`.
    pub fn to_rpc(&self) -> ErrorData {
        let (error, numeric) = match self {
            CallError::UnknownTool(problem) => return ErrorData::invalid_params(problem.clone(), None),
            CallError::Tool(error) => (error, None),
            CallError::Numeric(error) => (error, error.code.numeric()),
        };
        let mut data = error.data.clone();
        if let Value::Object(data) = &mut data {
            data.insert("code".to_owned(), Value::from(error.code.as_str()));
            if numeric.is_some() {
                data.insert("detail".to_owned(), Value::from(error.message.as_str()));
            }
        }
        let (code, message) = match (numeric, error.code) {
            (Some((number, message)), _) => (RpcCode(number), message.to_owned()),
            (None, ErrorCode::InvalidInput) => (RpcCode::INVALID_PARAMS, error.message.clone()),
            (None, _) => (RpcCode(-32000), error.message.clone()),
        };
        ErrorData::new(code, message, Some(data))
    }
}

/// The error of work whose thread did not come to its end.
pub(super) fn describe_failure(name: &str, failure: JoinError) -> ToolError {
    let Ok(panic) = failure.try_into_panic() else {
        return ToolError::internal(format!("{name} was stopped because the server ends."));
    };
    tracing::error!(tool = name, panic = panic_text(panic.as_ref()), "a tool panicked");
    ToolError::internal(format!("{name} failed unexpectedly: {}", panic_text(panic.as_ref())))
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no reason given")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bare_errors_carry_the_string_code_beside_the_details() {
        let error = ToolError::new(ErrorCode::RefNotIndexed, "No.").with("ref", "dev");
        assert_eq!(
            serde_json::to_value(CallError::from(error).to_rpc()).unwrap(),
            json!({"code": -32000, "message": "No.", "data": {
                "code": "ref_not_indexed", "ref": "dev", "suggestion": "Call index_repo with this ref first."}})
        );
        assert_eq!(CallError::from(ToolError::invalid_input("x")).to_rpc().code.0, -32602);
    }

    #[test]
    fn errors_of_the_deck_have_the_number_and_the_message_of_the_contract() {
        let error = ToolError::new(ErrorCode::FileNotFound, "there is no file docs/missing.md")
            .with("path", "docs/missing.md")
            .suggest("Did you mean 'docs/existing.md'?");
        assert_eq!(
            serde_json::to_value(CallError::of(error, true).to_rpc()).unwrap(),
            json!({"code": 1001, "message": "File Not Found", "data": {
                "suggestion": "Did you mean 'docs/existing.md'?", "path": "docs/missing.md", "code": "file_not_found",
                "detail": "there is no file docs/missing.md"}})
        );
        let refused = CallError::of(ToolError::invalid_input("`limit` must be at least 1."), true).to_rpc();
        assert_eq!((refused.code.0, refused.message.as_ref()), (-32602, "`limit` must be at least 1."));
    }
}
