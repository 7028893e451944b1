//! What a message says, in JSON-RPC's terms, and how one is refused.

use rmcp::model::ErrorData;
use serde_json::{Value, json};

use crate::schema::Object;
use crate::server::CallError;
use crate::tool::ToolAnswer;

/// What a client hears that has two requests with one id at once.
pub(crate) const ID_TAKEN: &str =
    "Another request with this `id` is not answered yet: give each request an id of its own.";

/// A well-formed message of the client.
#[derive(Debug, PartialEq)]
pub(crate) enum Message {
    /// Wants an answer.
    Request {
        /// A string or a number.
        id: Value,
        method: String,
        params: Option<Object>,
    },
    /// Wants none.
    Notification { method: String, params: Option<Object> },
    /// Answers something that we asked.
    Response(Value),
}

/// An error and whom to tell.
#[derive(Debug, PartialEq)]
pub(crate) struct Refusal {
    /// Null where the message does not say which request it is.
    pub(crate) id: Value,
    pub(crate) error: ErrorData,
}

impl Refusal {
    pub(crate) fn new(id: Value, error: ErrorData) -> Refusal {
        Refusal { id, error }
    }

    /// Returns the message to send.
    pub(crate) fn to_json(&self) -> Value {
        json!({"jsonrpc": "2.0", "id": self.id, "error": self.error})
    }
}

/// Reads one message. This is the only place where bytes of a client become JSON, but for what rmcp reads of HTTP.
pub(crate) fn parse(bytes: &[u8]) -> Result<Message, Refusal> {
    let value: Value = serde_json::from_slice(bytes).map_err(|problem| {
        Refusal::new(Value::Null, ErrorData::parse_error(format!("The message is no JSON: {problem}"), None))
    })?;
    let mut object = match value {
        Value::Object(object) => object,
        Value::Array(_) => {
            return Err(invalid(Value::Null, "Batches are not spoken here: send one message at a time."));
        }
        _ => return Err(invalid(Value::Null, "A message is a JSON object.")),
    };
    let given = object.get("id").cloned();
    let has_id = given.is_some();
    let id = given.filter(|id| id.is_string() || id.is_number()).unwrap_or_default();
    if object.get("jsonrpc") != Some(&json!("2.0")) {
        return Err(invalid(id, "`jsonrpc` must be \"2.0\"."));
    }
    let method = match object.remove("method") {
        Some(Value::String(method)) => method,
        Some(_) => return Err(invalid(id, "`method` must be a string.")),
        None if object.contains_key("result") || object.contains_key("error") => {
            return Ok(Message::Response(Value::Object(object)));
        }
        None => return Err(invalid(id, "A request has a `method`.")),
    };
    if has_id && id.is_null() {
        return Err(invalid(id, "`id` must be a string or a number."));
    }
    let params = match object.remove("params") {
        Some(Value::Object(params)) => Some(params),
        None | Some(Value::Null) => None,
        Some(_) if has_id => {
            return Err(Refusal::new(id, ErrorData::invalid_params("`params` must be an object.", None)));
        }
        // A notification is never answered, not even to say that it makes no sense.
        Some(_) => None,
    };
    Ok(if has_id { Message::Request { id, method, params } } else { Message::Notification { method, params } })
}

/// The answer to a bare call, a tool that was called as a method, as JSON.
pub(crate) fn bare_answer(id: Value, outcome: &Result<ToolAnswer, CallError>) -> String {
    match outcome {
        Ok(answer) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{}}}"#, answer.bare()),
        Err(error) => Refusal::new(id, error.to_rpc()).to_json().to_string(),
    }
}

/// A refusal with -32600.
pub(crate) fn invalid(id: Value, problem: impl Into<String>) -> Refusal {
    Refusal::new(id, ErrorData::invalid_request(problem.into(), None))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(line: &str) -> (Value, i32) {
        let refusal = parse(line.as_bytes()).unwrap_err();
        (refusal.id, refusal.error.code.0)
    }

    #[test]
    fn messages_are_told_apart() {
        let params = json!({"a": 1}).as_object().cloned();
        assert_eq!(
            parse(br#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}"#),
            Ok(Message::Request { id: json!(1), method: "m".into(), params })
        );
        assert_eq!(
            parse(br#"{"jsonrpc":"2.0","method":"m","params":[1]}"#),
            Ok(Message::Notification { method: "m".into(), params: None })
        );
        let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        assert_eq!(parse(answer.as_bytes()), Ok(Message::Response(serde_json::from_str(answer).unwrap())));
    }

    #[test]
    fn what_is_no_json_is_a_parse_error() {
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        for line in ["{", "not json", "{} {}", r#"{"jsonrpc":"2.0","id":1,"method":"#, &deep] {
            assert_eq!(refused(line), (Value::Null, -32700), "{}", &line[..line.len().min(40)]);
        }
        assert_eq!(parse(b"\xff\xfe{\"a\"\x80}").unwrap_err().error.code.0, -32700);
        assert_eq!(parse(b"{\"a\": \"\x80\"}").unwrap_err().error.code.0, -32700);
    }

    #[test]
    fn what_is_no_request_is_refused_with_its_id() {
        for (line, id) in [
            (r#"{"jsonrpc":"2.0","id":"odd","params":{}}"#, json!("odd")),
            (r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#, json!(7)),
            (r#"{"id":7,"method":"ping"}"#, json!(7)),
            (r#"{"method":"ping"}"#, Value::Null),
            (r#"{"jsonrpc":"2.0","id":7,"method":5}"#, json!(7)),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, Value::Null),
            (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, Value::Null),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, Value::Null),
            ("[]", Value::Null),
            ("5", Value::Null),
        ] {
            assert_eq!(refused(line), (id, -32600), "{line}");
        }
    }

    #[test]
    fn params_that_are_no_object_are_invalid_params() {
        assert_eq!(refused(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#), (json!(1), -32602));
    }
}
