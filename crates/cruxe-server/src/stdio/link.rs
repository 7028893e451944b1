//! The way between our front and rmcp.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ClientJsonRpcMessage, ClientNotification, ClientRequest, CompleteRequestParams,
    ContentBlock, ErrorCode, ErrorData, GetMeta, GetPromptRequestParams, InitializeRequestParams, ProtocolVersion,
    ReadResourceRequestParams, RequestId, ServerResult, SubscribeRequestParams, SubscriptionsListenRequestParams,
    UnsubscribeRequestParams,
};
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{Notify, OwnedSemaphorePermit};

use super::lines::Out;
use super::message::{Refusal, invalid};
use crate::schema::Object;

/// rmcp's end of the connection.
pub(super) struct Link {
    pub(super) messages: UnboundedReceiver<Incoming>,
    pub(super) out: Out,
    pub(super) pending: Arc<Pending>,
}

/// A message on its way to rmcp. One that is not answered has its share of what may be in flight until it is taken.
pub(super) type Incoming = (ClientJsonRpcMessage, Option<OwnedSemaphorePermit>);

/// The requests that rmcp has not answered yet, each with its share of what a connection may have in flight.
#[derive(Default)]
pub(super) struct Pending {
    requests: Mutex<HashMap<RequestId, OwnedSemaphorePermit>>,
    settled: Notify,
}

impl Pending {
    /// Notes a request that will be answered.
    pub(super) fn asked(&self, id: &RequestId, request: &ClientRequest, share: OwnedSemaphorePermit) {
        // A subscription is answered when it ends, and the end of the input is its end.
        if !matches!(request, ClientRequest::SubscriptionsListenRequest(_)) {
            self.requests().insert(id.clone(), share);
        }
    }

    /// Notes that a request was answered, or never will be because the client took it back.
    pub(super) fn done(&self, id: &RequestId) {
        let mut requests = self.requests();
        requests.remove(id);
        if requests.is_empty() {
            self.settled.notify_one();
        }
    }

    /// Whether a request with this id is not answered yet.
    pub(super) fn has(&self, id: &RequestId) -> bool {
        self.requests().contains_key(id)
    }

    pub(super) fn is_settled(&self) -> bool {
        self.requests().is_empty()
    }

    /// Waits until nothing is pending.
    pub(super) async fn settled(&self) {
        while !self.is_settled() {
            self.settled.notified().await;
        }
    }

    fn requests(&self) -> MutexGuard<'_, HashMap<RequestId, OwnedSemaphorePermit>> {
        self.requests.lock()
    }
}

impl Transport<RoleServer> for Link {
    type Error = io::Error;

    fn send(
        &mut self,
        mut message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let is_news = matches!(message, TxJsonRpcMessage::<RoleServer>::Notification(_));
        let (mut sent, mut news) = (Ok(()), None);
        match write(&mut message) {
            // Whoever tells news waits for a client that does not read, and has the newest to tell when it does.
            Ok(line) if is_news && !self.out.has_room() => news = Some((self.out.clone(), line)),
            // All else is queued here and now, in the order in which rmcp gives it.
            Ok(line) => sent = self.out.send_bytes(line),
            Err(problem) => sent = Err(problem),
        }
        match &message {
            TxJsonRpcMessage::<RoleServer>::Response(response) => self.pending.done(&response.id),
            TxJsonRpcMessage::<RoleServer>::Error(error) => error.id.iter().for_each(|id| self.pending.done(id)),
            _ => {}
        }
        async move {
            if let Some((out, line)) = news {
                out.room().await;
                sent = out.send_bytes(line);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.messages.recv().await.map(|(message, _)| message)
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a message. Structured content that is a string holds JSON ([`Connection::written`]); it takes its place as
/// the last member of the result, which is the last member of the message. The text is then escaped already, and put in too.
///
/// [`Connection::written`]: crate::server::Connection::written
fn write(message: &mut TxJsonRpcMessage<RoleServer>) -> io::Result<Vec<u8>> {
    let Some((text, json)) = take_answer(message) else { return Ok(serde_json::to_vec(message)?) };
    let around = serde_json::to_vec(message)?;
    let at = around.windows(NO_TEXT.len()).position(|part| part == NO_TEXT).map(|at| at + NO_TEXT.len() - 1);
    let end = around.strip_suffix(b"}}").map(<[u8]>::len);
    let (Some(at), Some(end)) = (at, end) else { return Err(io::Error::other("a result without content")) };
    let mut line = Vec::with_capacity(around.len() + text.len() + json.len() + 32);
    line.extend_from_slice(&around[..at]);
    line.extend_from_slice(text.as_bytes());
    line.extend_from_slice(&around[at..end]);
    line.extend_from_slice(b",\"structuredContent\":");
    line.extend_from_slice(json.as_bytes());
    line.extend_from_slice(b"}}");
    Ok(line)
}

/// An empty text in JSON. Within a string its quotes would be escaped, so the first one is that of the first content.
const NO_TEXT: &[u8] = b"\"text\":\"\"";

/// Takes the text and the structured content out of an answer whose structured content is written already.
fn take_answer(message: &mut TxJsonRpcMessage<RoleServer>) -> Option<(String, String)> {
    let TxJsonRpcMessage::<RoleServer>::Response(response) = message else { return None };
    let ServerResult::CallToolResult(result) = &mut response.result else { return None };
    let (Some(Value::String(json)), Some(ContentBlock::Text(content))) =
        (&mut result.structured_content, result.content.first_mut())
    else {
        return None;
    };
    let taken = (std::mem::take(&mut content.text), std::mem::take(json));
    result.structured_content = None;
    Some(taken)
}

/// What rmcp does with a request that comes before the session is open.
#[derive(Debug, PartialEq)]
pub(super) enum Opening {
    /// It opens the session.
    Opens,
    /// It is answered, and the session stays as it is.
    Answers,
    /// It is out of turn.
    OutOfTurn,
}

/// Says what a request would do before the session is open.
///
/// Up to protocol 2025-11-25 a session begins with `initialize`. From 2026-07-28 on there is none: each request says of
/// itself what `initialize` said, and `server/discover` may come before.
pub(super) fn opening(request: &ClientRequest) -> Opening {
    if matches!(request, ClientRequest::InitializeRequest(_)) {
        return Opening::Opens;
    }
    let meta = request.get_meta();
    if !meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty() {
        return Opening::OutOfTurn;
    }
    let known = meta.protocol_version().is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version));
    if known && !matches!(request, ClientRequest::DiscoverRequest(_)) { Opening::Opens } else { Opening::Answers }
}

/// Reads a request in rmcp's types.
pub(super) fn to_request(
    id: &Value,
    method: &str,
    params: Option<Object>,
) -> Result<(RequestId, ClientRequest), Refusal> {
    let refuse = |error: ErrorData| Refusal::new(id.clone(), error);
    let request_id: RequestId = serde_json::from_value(id.clone())
        .map_err(|problem| invalid(id.clone(), format!("`id` is not usable: {problem}.")))?;
    let request = serde_json::from_value(envelope(method, params.clone()))
        .map_err(|problem| refuse(ErrorData::invalid_params(problem.to_string(), None)))?;
    match request {
        // rmcp takes what it cannot read for a method that it does not know.
        ClientRequest::CustomRequest(_) => Err(refuse(explain(method, params))),
        request => Ok((request_id, request)),
    }
}

/// Reads a notification in rmcp's types.
pub(super) fn to_notification(method: &str, params: Option<Object>) -> Option<ClientNotification> {
    serde_json::from_value(envelope(method, params)).ok()
}

fn envelope(method: &str, params: Option<Object>) -> Value {
    match params {
        Some(params) => json!({"method": method, "params": params}),
        None => json!({"method": method}),
    }
}

/// Says why rmcp cannot read a request: its parameters, or the method as a whole.
pub(crate) fn explain(method: &str, params: Option<Object>) -> ErrorData {
    let params = Value::Object(params.unwrap_or_default());
    let problem = match method {
        "initialize" => serde_json::from_value::<InitializeRequestParams>(params).err(),
        "tools/call" => serde_json::from_value::<CallToolRequestParams>(params).err(),
        "prompts/get" => serde_json::from_value::<GetPromptRequestParams>(params).err(),
        "resources/read" => serde_json::from_value::<ReadResourceRequestParams>(params).err(),
        "resources/subscribe" => serde_json::from_value::<SubscribeRequestParams>(params).err(),
        "resources/unsubscribe" => serde_json::from_value::<UnsubscribeRequestParams>(params).err(),
        "subscriptions/listen" => serde_json::from_value::<SubscriptionsListenRequestParams>(params).err(),
        "completion/complete" => serde_json::from_value::<CompleteRequestParams>(params).err(),
        "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list" | "server/discover" => {
            return ErrorData::invalid_params(format!("The parameters of {method} do not fit."), None);
        }
        _ => {
            let shown: String = method.chars().take(80).collect();
            return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("Unknown method `{shown}`."), None);
        }
    };
    let problem = problem.map(|problem| problem.to_string()).unwrap_or_default();
    ErrorData::invalid_params(format!("The parameters of {method} do not fit: {problem}"), None)
}

#[cfg(test)]
mod tests {
    use rmcp::model::CallToolResult;

    use super::*;
    use crate::tool::escaped;

    #[test]
    fn an_answer_that_is_written_already_takes_its_place() {
        let json = r#"{"a":"\"text\":\"\" \\ é\n","b":[]}"#;
        let mut result = CallToolResult::success(vec![ContentBlock::text(escaped(json)), ContentBlock::text("")]);
        result.structured_content = Some(json.into());
        let id = RequestId::String(r#""text":"""#.into());
        let mut message = TxJsonRpcMessage::<RoleServer>::response(ServerResult::CallToolResult(result), id);
        let written: Value = serde_json::from_slice(&write(&mut message).unwrap()).unwrap();
        assert_eq!(written["id"], r#""text":"""#);
        assert_eq!(written["result"]["content"][0]["text"], json);
        assert_eq!(written["result"]["content"][1]["text"], "");
        assert_eq!(written["result"]["structuredContent"], serde_json::from_str::<Value>(json).unwrap());
    }
}
