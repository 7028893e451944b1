//! What becomes of each message: answered here, run as a bare call, or passed on to rmcp.
//!
//! rmcp speaks MCP, but it would end the connection over a line that is no JSON, and knows nothing of calling a tool as a
//! method. So the dispatcher answers what is malformed, `ping` and bare calls by itself, and passes on the rest.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ErrorCode, ErrorData, RequestId};
use rmcp::serve_server;
use serde_json::{Value, json};
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;

use super::lines::Out;
use super::transport::{Incoming, Opening, Pending, RmcpTransport, opening};
use crate::rpc::{ID_TAKEN, Message, Refusal, bare_answer, invalid, parse, to_notification, to_request};
use crate::schema::Object;
use crate::server::Connection;
use crate::tool::Call;

/// Takes the messages of one client. Dropping it stops everything that it started.
pub(super) struct Dispatcher {
    connection: Connection,
    out: Out,
    /// Bare calls, which give back their id, and rmcp's session.
    tasks: JoinSet<Option<String>>,
    /// Bare calls that can be cancelled, by the JSON of their id.
    bare: HashMap<String, AbortHandle>,
    session: Option<McpSession>,
    pending: Arc<Pending>,
}

/// rmcp's session, once something for it has come.
struct McpSession {
    messages: UnboundedSender<Incoming>,
    /// Whether the client has introduced itself. Before that, rmcp ends over anything that is not a request.
    open: bool,
}

impl Dispatcher {
    pub(super) fn new(connection: Connection, out: Out) -> Dispatcher {
        Dispatcher {
            connection,
            out,
            tasks: JoinSet::new(),
            bare: HashMap::new(),
            session: None,
            pending: Arc::default(),
        }
    }

    /// Takes one line of input; its share of what may be in flight is held until it is answered.
    pub(super) fn take(&mut self, line: &[u8], share: OwnedSemaphorePermit) {
        if line.trim_ascii().is_empty() {
            return;
        }
        let handled = match parse(line) {
            Ok(Message::Request { id, method, params }) => self.request(id, &method, params, share),
            Ok(Message::Notification { method, params }) => {
                self.notification(&method, params, share);
                Ok(())
            }
            Ok(Message::Response(answer)) => {
                self.answer(answer, share);
                Ok(())
            }
            Err(refusal) => Err(refusal),
        };
        if let Err(refusal) = handled {
            self.refuse(refusal);
        }
    }

    fn request(
        &mut self,
        id: Value,
        method: &str,
        params: Option<Object>,
        share: OwnedSemaphorePermit,
    ) -> Result<(), Refusal> {
        // rmcp refuses `ping` where the protocol has none any more; a sign of life costs nothing.
        if method == "ping" {
            self.send(&json!({"jsonrpc": "2.0", "id": id, "result": {}}));
            return Ok(());
        }
        if self.connection.server.has(method) {
            self.call_bare(Some(id), method, params, share);
            return Ok(());
        }
        let request_id: RequestId = serde_json::from_value(id.clone())
            .map_err(|problem| invalid(id.clone(), format!("`id` is not usable: {problem}.")))?;
        let request = to_request(method, params).map_err(|error| Refusal::new(id.clone(), self.hint(method, error)))?;
        let step = opening(&request);
        let open = self.session.as_ref().is_some_and(|session| session.open && !session.messages.is_closed());
        if !open && step == Opening::OutOfTurn {
            return Err(invalid(id, format!("Send `initialize` before `{method}`.")));
        }
        // rmcp would answer one of the two and forget the other.
        if self.pending.has(&request_id) {
            return Err(invalid(id, ID_TAKEN));
        }
        self.pending.asked(&request_id, &request, share);
        let session = self.session();
        session.open |= step == Opening::Opens;
        // It fails only if rmcp has just ended, and then the next request starts it anew.
        let _ = session.messages.send((ClientJsonRpcMessage::request(request, request_id), None));
        Ok(())
    }

    fn notification(&mut self, method: &str, params: Option<Object>, share: OwnedSemaphorePermit) {
        if self.connection.server.has(method) {
            return self.call_bare(None, method, params, share);
        }
        if method == "notifications/cancelled"
            && let Some(id) = params.as_ref().and_then(|params| params.get("requestId"))
            && let Some(call) = self.bare.remove(&id.to_string())
        {
            call.abort();
            return;
        }
        if let Some(session) = self.session.as_ref().filter(|session| session.open)
            && let Some(notification) = to_notification(method, params)
        {
            if let ClientNotification::CancelledNotification(cancelled) = &notification {
                cancelled.params.request_id.iter().for_each(|id| self.pending.done(id));
            }
            let _ = session.messages.send((ClientJsonRpcMessage::notification(notification), Some(share)));
        }
    }

    /// Passes on the answer to something that rmcp asked; one that makes no sense is dropped.
    fn answer(&mut self, answer: Value, share: OwnedSemaphorePermit) {
        if let Some(session) = self.session.as_ref().filter(|session| session.open)
            && let Ok(answer) = serde_json::from_value(answer)
        {
            let _ = session.messages.send((answer, Some(share)));
        }
    }

    /// Runs a tool that was called as a method, outside MCP.
    fn call_bare(&mut self, id: Option<Value>, tool: &str, params: Option<Object>, share: OwnedSemaphorePermit) {
        let key = id.as_ref().map(Value::to_string);
        let Connection { server, session, .. } = self.connection.clone();
        let (out, tool, done) = (self.out.clone(), tool.to_owned(), key.clone());
        let task = self.tasks.spawn(async move {
            let _share = share;
            let outcome = server.call(&tool, Call::new(params.unwrap_or_default(), session)).await;
            if let Some(id) = id
                && let Err(problem) = out.send_bytes(bare_answer(id, &outcome).into_bytes())
            {
                tracing::debug!(%problem, "an answer was not sent");
            }
            done
        });
        if let Some(key) = key {
            self.bare.insert(key, task);
        }
    }

    /// Returns rmcp's session and starts it where there is none.
    ///
    /// It is not started with the server: what comes before the first request would end it.
    fn session(&mut self) -> &mut McpSession {
        if self.session.as_ref().is_some_and(|session| session.messages.is_closed()) {
            self.session = None;
        }
        self.session.get_or_insert_with(|| {
            let (messages, receiver) = unbounded_channel();
            let pending = Arc::clone(&self.pending);
            let transport = RmcpTransport { messages: receiver, out: self.out.clone(), pending };
            self.tasks.spawn(run_session(self.connection.clone(), transport));
            McpSession { messages, open: false }
        })
    }

    /// Adds the nearest tool to a refusal of an unknown method: it may be a bare call with a slip.
    fn hint(&self, method: &str, mut error: ErrorData) -> ErrorData {
        if error.code == ErrorCode::METHOD_NOT_FOUND && !method.contains('/') {
            let nearest = self.connection.server.nearest(method).join(", ");
            error.message = format!("{} Nearest tools: {nearest}.", error.message).into();
        }
        error
    }

    /// Waits until something that it started has ended; `None` where nothing runs.
    ///
    /// The handle of a bare call that has ended is dropped, unless a later call took over its id.
    pub(super) async fn task_ended(&mut self) -> Option<()> {
        if let Ok(Some(key)) = self.tasks.join_next().await?
            && self.bare.get(&key).is_some_and(AbortHandle::is_finished)
        {
            self.bare.remove(&key);
        }
        Some(())
    }

    /// Answers with an error.
    pub(super) fn refuse(&self, refusal: Refusal) {
        self.send(&refusal.to_json());
    }

    fn send(&self, message: &Value) {
        // A failure means that the writer has ended, which ends the serving loop as well.
        let _ = self.out.send(message);
    }

    /// Takes no more messages and waits for those in flight.
    pub(super) async fn finish(mut self, grace: Duration) {
        let answered = async {
            loop {
                // rmcp gives up what it has not answered soon after its input ends; so it does not end before.
                if self.pending.is_settled() {
                    self.session = None;
                }
                tokio::select! {
                    ended = self.tasks.join_next() => if ended.is_none() { break },
                    () = self.pending.settled(), if self.session.is_some() => {}
                }
            }
        };
        let _ = timeout(grace, answered).await;
    }
}

async fn run_session(connection: Connection, transport: RmcpTransport) -> Option<String> {
    match serve_server(connection, transport).await {
        Ok(running) => drop(running.waiting().await),
        Err(problem) => tracing::debug!(%problem, "the session ended before it was open"),
    }
    None
}
