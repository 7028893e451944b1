//! Text as lines of spans that say what they are. Who prints them may paint them.

use std::borrow::Cow;
use std::fmt;

/// What is shown: notes beside the answer, then its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// What the reader should know; a command says it on stderr.
    pub notes: Vec<String>,
    /// The answer.
    pub lines: Vec<Line>,
}

/// A line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line(pub Vec<Span>);

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// What it says.
    pub text: String,
    /// What it is.
    pub style: Style,
}

/// What a part of a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Nothing special.
    Plain,
    /// A file.
    Path,
    /// A line number.
    Number,
    /// A name, or what was asked for.
    Strong,
    /// Beside the point.
    Faint,
}

impl Text {
    /// Says something beside the answer.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Adds a line.
    pub fn push(&mut self, line: Line) {
        self.lines.push(line);
    }
}

impl Line {
    /// An empty line.
    pub fn new() -> Line {
        Line::default()
    }

    fn with(mut self, text: impl Into<String>, style: Style) -> Line {
        self.0.push(Span { text: text.into(), style });
        self
    }

    /// Adds words.
    pub fn plain(self, text: impl Into<String>) -> Line {
        self.with(text, Style::Plain)
    }

    /// Adds a file.
    pub fn path(self, text: impl Into<String>) -> Line {
        self.with(text, Style::Path)
    }

    /// Adds a line number.
    pub fn number(self, text: impl Into<String>) -> Line {
        self.with(text, Style::Number)
    }

    /// Adds a name, or what was asked for.
    pub fn strong(self, text: impl Into<String>) -> Line {
        self.with(text, Style::Strong)
    }

    /// Adds what is beside the point.
    pub fn faint(self, text: impl Into<String>) -> Line {
        self.with(text, Style::Faint)
    }

    /// Adds another line's spans.
    pub fn join(mut self, other: Line) -> Line {
        self.0.extend(other.0);
        self
    }
}

/// The lines without styles. Names come from strangers and may hold line ends, which would look like lines of ours.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for note in &self.notes {
            writeln!(f, "{}", one_line(note))?;
        }
        for line in &self.lines {
            line.0.iter().try_for_each(|span| f.write_str(&one_line(&span.text)))?;
            writeln!(f)?;
        }
        Ok(())
    }
}

fn one_line(text: &str) -> Cow<'_, str> {
    match text.contains(['\n', '\r']) {
        true => Cow::Owned(text.replace('\r', "␍").replace('\n', "␊")),
        false => Cow::Borrowed(text),
    }
}
