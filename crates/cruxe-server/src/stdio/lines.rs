//! Lines in, lines out.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// What comes next in the input.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    /// A line without its end.
    Text(Vec<u8>),
    /// A line over the limit; it has been skipped without keeping it.
    TooLong,
    /// Nothing any more.
    End,
}

/// Splits an input into lines of bounded length.
pub(super) struct LineReader<R> {
    input: BufReader<R>,
    limit: usize,
    line: Vec<u8>,
    skipping: bool,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(super) fn new(input: R, limit: usize) -> LineReader<R> {
        LineReader { input: BufReader::with_capacity(64 << 10, input), limit, line: Vec::new(), skipping: false }
    }

    /// Returns the next line. Dropping the future loses nothing: what was read is kept for the next call.
    pub(super) async fn next(&mut self) -> io::Result<Line> {
        loop {
            let read = self.input.fill_buf().await?;
            let end = read.iter().position(|byte| *byte == b'\n');
            let part = &read[..end.unwrap_or(read.len())];
            let at_eof = read.is_empty();
            if self.line.len() + part.len() > self.limit {
                self.skipping = true;
                self.line = Vec::new();
            } else if !self.skipping {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() || at_eof {
                return Ok(self.take(at_eof));
            }
        }
    }

    fn take(&mut self, at_eof: bool) -> Line {
        if std::mem::take(&mut self.skipping) {
            return Line::TooLong;
        }
        if at_eof && self.line.is_empty() {
            return Line::End;
        }
        Line::Text(std::mem::take(&mut self.line))
    }
}

/// While more bytes than this wait to be written, nothing new is read and no news is told. A client may send many requests
/// before it reads the first answer; one that never reads must not make the server grow.
const MAX_QUEUED: usize = 32 << 20;

/// Where whole lines go; one task writes them all. Cheap to clone.
///
/// Lines are always taken: an answer that waited here would keep the memory of its call. Whoever makes new ones waits for
/// [`Out::has_room`] before it begins.
#[derive(Clone)]
pub(super) struct Out {
    lines: UnboundedSender<Outgoing>,
    queued: Arc<Queued>,
}

/// Bytes that are not written yet.
#[derive(Default)]
struct Queued {
    bytes: AtomicUsize,
    fewer: Notify,
}

/// What the writing task takes out of the queue.
pub(super) enum Outgoing {
    /// Bytes with a line end.
    Line(Vec<u8>),
    /// Nothing of interest follows, although senders may still be alive.
    End,
}

/// The other end of [`Out`].
pub(super) struct Queue {
    lines: UnboundedReceiver<Outgoing>,
    queued: Arc<Queued>,
}

impl Out {
    pub(super) fn channel() -> (Out, Queue) {
        let (sender, receiver) = unbounded_channel();
        let queued = Arc::<Queued>::default();
        (Out { lines: sender, queued: Arc::clone(&queued) }, Queue { lines: receiver, queued })
    }

    /// Whether the client has read enough of what it was sent before.
    pub(super) fn has_room(&self) -> bool {
        self.queued.bytes.load(Ordering::Relaxed) < MAX_QUEUED
    }

    /// Waits until there is room.
    pub(super) async fn room(&self) {
        loop {
            let fewer = self.queued.fewer.notified();
            if self.has_room() || self.lines.is_closed() {
                return;
            }
            fewer.await;
        }
    }

    /// Queues a message as one line.
    pub(super) fn send(&self, message: &impl serde::Serialize) -> io::Result<()> {
        self.send_bytes(serde_json::to_vec(message)?)
    }

    /// Queues a line whose JSON is written already.
    pub(super) fn send_bytes(&self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        self.queued.bytes.fetch_add(line.len(), Ordering::Relaxed);
        self.lines.send(Outgoing::Line(line)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    /// Lets the writing task end once everything queued so far is written.
    pub(super) fn end(&self) {
        let _ = self.lines.send(Outgoing::End);
    }
}

/// Writes queued lines until the end or the first failure.
pub(super) async fn write_lines(mut output: impl AsyncWrite + Unpin, mut queue: Queue) -> io::Result<()> {
    while let Some(Outgoing::Line(line)) = queue.lines.recv().await {
        output.write_all(&line).await?;
        queue.queued.bytes.fetch_sub(line.len(), Ordering::Relaxed);
        queue.queued.fewer.notify_waiters();
        if queue.lines.is_empty() {
            output.flush().await?;
        }
    }
    output.flush().await
}

/// Whoever waits for room is not left waiting for a writer that has ended.
impl Drop for Queue {
    fn drop(&mut self) {
        self.lines.close();
        self.queued.fewer.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines_of(text: &[u8], limit: usize) -> Vec<Line> {
        let mut reader = LineReader::new(text, limit);
        let mut lines = Vec::new();
        loop {
            match reader.next().await.unwrap() {
                Line::End => return lines,
                line => lines.push(line),
            }
        }
    }

    fn text(line: &str) -> Line {
        Line::Text(line.as_bytes().to_vec())
    }

    #[tokio::test]
    async fn lines_are_split_and_the_last_needs_no_end() {
        assert_eq!(lines_of(b"one\n\ntwo", 10).await, [text("one"), text(""), text("two")]);
    }

    #[tokio::test]
    async fn a_line_over_the_limit_is_skipped_and_the_next_is_read() {
        assert_eq!(lines_of(b"12345\n123456\nab\n", 5).await, [text("12345"), Line::TooLong, text("ab")]);
        let mut long = vec![b'x'; 300 << 10];
        long.extend_from_slice(b"\nab\n1234567");
        assert_eq!(lines_of(&long, 5).await, [Line::TooLong, text("ab"), Line::TooLong]);
    }
}
