//! Serves one client over a pair of byte streams, one JSON message per line.
//!
//! rmcp speaks MCP, but it would end the connection over a line that is no JSON and knows nothing of calling a tool as
//! a method. So a front reads the lines: it answers what is malformed, `ping` and bare calls by itself, and passes the
//! rest on.
//!
//! Deliberately absent: a signal on the death of the parent (`PR_SET_PDEATHSIG`). On Linux it is sent when the
//! *thread* that started us ends, which kills the server under clients that start it from a thread pool. The end of
//! the input says the same and is reliable.

mod lines;
mod link;
pub(crate) mod message;

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ErrorCode};
use rmcp::serve_server;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;

use self::lines::{Line, LineReader, Out, write_lines};
pub(crate) use self::link::explain;
use self::link::{Incoming, Link, Opening, Pending, opening, to_notification, to_request};
use self::message::{Message, Refusal, invalid, parse, result_line};
use crate::schema::Object;
use crate::server::{Connection, Server};
use crate::tool::Call;

/// The longest line that is read.
const MAX_LINE: usize = 16 << 20;

/// What a connection may have in flight: so many requests, or fewer long ones. Until one of them is answered, nothing more
/// is read, so that a client that asks without end waits, and the server does not grow.
const MAX_IN_FLIGHT: u32 = 256;

/// A request counts once more for every so many bytes.
const SHARE: usize = 64 << 10;

/// How long calls in flight may go on once the input has ended: whoever pipes questions in (`echo … | cruxe serve-mcp`)
/// wants every answer, however long the first index takes.
const CALLS_GRACE: Duration = Duration::from_secs(60);

/// How long the last answers may take to be written.
const WRITE_GRACE: Duration = Duration::from_secs(5);

/// Why serving ended early.
#[derive(Debug, thiserror::Error)]
pub enum StdioError {
    /// The input broke.
    #[error("cannot read requests: {0}")]
    Read(#[source] io::Error),
    /// The client does not take answers any more.
    #[error("cannot write answers: {0}")]
    Write(#[source] io::Error),
}

/// Serves until the input ends and everything that was read is answered, or until the output is closed.
///
/// Calls that still run a minute after the input ended, or when the output is closed, are told so by their
/// [`Work`](crate::Work) and not waited for: the caller is expected to end the process, or to shut the
/// runtime down in the background.
pub async fn serve_stdio(
    server: Arc<Server>,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
) -> Result<(), StdioError> {
    serve_stdio_within(CALLS_GRACE, server, input, output).await
}

/// [`serve_stdio`] with another time for calls that still run when the input ends.
pub async fn serve_stdio_within(
    grace: Duration,
    server: Arc<Server>,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
) -> Result<(), StdioError> {
    let (out, queue) = Out::channel();
    let mut writer = tokio::spawn(write_lines(output, queue));
    let mut lines = LineReader::new(input, MAX_LINE);
    let mut front = Front::new(server.connect().written(), out.clone());
    let in_flight = Arc::new(Semaphore::new(MAX_IN_FLIGHT as usize));
    // A line that was read and waits until there is less in flight and less to be written. It is read before that, so that
    // the end of the input is seen whatever else is waited for.
    let mut waiting: Option<Vec<u8>> = None;
    loop {
        let has_room = out.has_room();
        let share = waiting.as_ref().map_or(0, |line| share_of(line));
        tokio::select! {
            line = lines.next(), if waiting.is_none() => match line.map_err(StdioError::Read)? {
                Line::Text(line) => waiting = Some(line),
                Line::TooLong => {
                    let problem = format!("The line is longer than {} MiB.", MAX_LINE >> 20);
                    front.refuse(invalid(Value::Null, problem));
                }
                Line::End => break,
            },
            Ok(share) = Arc::clone(&in_flight).acquire_many_owned(share), if waiting.is_some() && has_room => {
                front.take(&waiting.take().unwrap_or_default(), share);
            }
            () = out.room(), if waiting.is_some() && !has_room => {}
            Some(ended) = front.tasks.join_next() => front.forget(ended.ok().flatten()),
            written = &mut writer => return outcome(written),
        }
    }
    tokio::select! {
        () = front.finish(grace) => {}
        written = &mut writer => return outcome(written),
    }
    out.end();
    // A client that closed one stream and does not read the other is not waited for.
    timeout(WRITE_GRACE, writer).await.map_or(Ok(()), outcome)
}

/// What a line counts in flight.
fn share_of(line: &[u8]) -> u32 {
    u32::try_from(1 + line.len() / SHARE).unwrap_or(u32::MAX).min(MAX_IN_FLIGHT)
}

fn outcome(written: Result<io::Result<()>, tokio::task::JoinError>) -> Result<(), StdioError> {
    written.unwrap_or_else(|failure| Err(io::Error::other(failure))).map_err(StdioError::Write)
}

/// The side of the connection that reads messages. Dropping it stops everything that it started.
struct Front {
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

impl Front {
    fn new(connection: Connection, out: Out) -> Front {
        Front { connection, out, tasks: JoinSet::new(), bare: HashMap::new(), session: None, pending: Arc::default() }
    }

    /// Takes one line of input; its share of what may be in flight is held until it is answered.
    fn take(&mut self, line: &[u8], share: OwnedSemaphorePermit) {
        if line.trim_ascii().is_empty() {
            return;
        }
        let handled = match parse(line) {
            Ok(Message::Request { id, method, params }) => self.request(id, &method, params, share),
            Ok(Message::Notification { method, params }) => {
                self.notification(&method, params, share);
                Ok(())
            }
            Ok(Message::Answer(answer)) => {
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
        let (request_id, request) = to_request(&id, method, params).map_err(|refusal| self.hint(method, refusal))?;
        let step = opening(&request);
        let open = self.session.as_ref().is_some_and(|session| session.open && !session.messages.is_closed());
        if !open && step == Opening::OutOfTurn {
            return Err(invalid(id, format!("Send `initialize` before `{method}`.")));
        }
        // rmcp would answer one of the two and forget the other.
        if self.pending.has(&request_id) {
            return Err(invalid(id, message::ID_TAKEN));
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
            if let Some(id) = id {
                let sent = match outcome {
                    Ok(answer) => out.send_bytes(result_line(&id, &answer).into_bytes()),
                    Err(error) => out.send(&Refusal::new(id, error.to_rpc()).to_json()),
                };
                if let Err(problem) = sent {
                    tracing::debug!(%problem, "an answer was not sent");
                }
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
            let link = Link { messages: receiver, out: self.out.clone(), pending: Arc::clone(&self.pending) };
            self.tasks.spawn(run_session(self.connection.clone(), link));
            McpSession { messages, open: false }
        })
    }

    /// Adds the nearest tool to a refusal of an unknown method: it may be a bare call with a slip.
    fn hint(&self, method: &str, mut refusal: Refusal) -> Refusal {
        if refusal.error.code == ErrorCode::METHOD_NOT_FOUND && !method.contains('/') {
            let nearest = self.connection.server.nearest(method).join(", ");
            refusal.error.message = format!("{} Nearest tools: {nearest}.", refusal.error.message).into();
        }
        refusal
    }

    /// Drops the handle of a bare call that has ended, unless a later call took over its id.
    fn forget(&mut self, ended: Option<String>) {
        if let Some(key) = ended
            && self.bare.get(&key).is_some_and(AbortHandle::is_finished)
        {
            self.bare.remove(&key);
        }
    }

    fn refuse(&self, refusal: Refusal) {
        self.send(&refusal.to_json());
    }

    fn send(&self, message: &Value) {
        // A failure means that the writer has ended, which ends the serving loop as well.
        let _ = self.out.send(message);
    }

    /// Takes no more messages and waits for those in flight.
    async fn finish(mut self, grace: Duration) {
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

async fn run_session(connection: Connection, link: Link) -> Option<String> {
    match serve_server(connection, link).await {
        Ok(running) => drop(running.waiting().await),
        Err(problem) => tracing::debug!(%problem, "the session ended before it was open"),
    }
    None
}
