//! Lines in, lines out.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
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

/// Where whole lines go; one task writes them all. Cheap to clone.
///
/// The queue has no bound: a client may send all its requests before it reads the first answer, and a bound would make
/// both wait for each other.
#[derive(Clone)]
pub(super) struct Out(UnboundedSender<Outgoing>);

/// What the writing task takes out of the queue.
pub(super) enum Outgoing {
    /// Bytes with a line end.
    Line(Vec<u8>),
    /// Nothing of interest follows, although senders may still be alive.
    End,
}

impl Out {
    pub(super) fn channel() -> (Out, UnboundedReceiver<Outgoing>) {
        let (sender, receiver) = unbounded_channel();
        (Out(sender), receiver)
    }

    /// Queues a message as one line.
    pub(super) fn send(&self, message: &impl serde::Serialize) -> io::Result<()> {
        self.send_bytes(serde_json::to_vec(message)?)
    }

    /// Queues a line whose JSON is written already.
    pub(super) fn send_bytes(&self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        self.0.send(Outgoing::Line(line)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    /// Lets the writing task end once everything queued so far is written.
    pub(super) fn end(&self) {
        let _ = self.0.send(Outgoing::End);
    }
}

/// Writes queued lines until the end or the first failure.
pub(super) async fn write_lines(
    mut output: impl AsyncWrite + Unpin,
    mut lines: UnboundedReceiver<Outgoing>,
) -> io::Result<()> {
    while let Some(Outgoing::Line(line)) = lines.recv().await {
        output.write_all(&line).await?;
        if lines.is_empty() {
            output.flush().await?;
        }
    }
    output.flush().await
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
