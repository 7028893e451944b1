//! Serves one client over a pair of byte streams, one JSON message per line.
//!
//! [`lines`] reads and writes lines of bounded length, [`dispatcher`] decides what becomes of each message, [`transport`] is
//! rmcp's end. Here is the loop that reads, and the bounds of what may be in flight.
//!
//! Deliberately absent: a signal on the death of the parent (`PR_SET_PDEATHSIG`). On Linux it is sent when the
//! *thread* that started us ends, which kills the server under clients that start it from a thread pool. The end of
//! the input says the same and is reliable.

mod dispatcher;
mod lines;
mod transport;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use self::dispatcher::Dispatcher;
use self::lines::{Line, LineReader, Out, write_lines};
use crate::rpc::invalid;
use crate::server::Server;

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
    let mut dispatcher = Dispatcher::new(server.connect().with_carried_answers(), out.clone());
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
                    dispatcher.refuse(invalid(Value::Null, problem));
                }
                Line::End => break,
            },
            Ok(share) = Arc::clone(&in_flight).acquire_many_owned(share), if waiting.is_some() && has_room => {
                dispatcher.take(&waiting.take().unwrap_or_default(), share);
            }
            () = out.room(), if waiting.is_some() && !has_room => {}
            Some(()) = dispatcher.task_ended() => {}
            written = &mut writer => return outcome(written),
        }
    }
    tokio::select! {
        () = dispatcher.finish(grace) => {}
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
