//! Why a `cue` command failed, as a report with a place and advice, and as an exit code.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use serde_json::{Value, json};

use super::report::{self, Report};
use crate::context::CliError;
use crate::output::Paint;

/// What an error is about; decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The workspace: no deck, a broken card, a cycle.
    Workspace,
    /// A configuration file.
    Config,
    /// The disk or the network.
    Io,
    /// How the command was called.
    Usage,
}

impl Kind {
    /// The exit code: 0 is success, what `clap` refuses is [`Kind::Usage`] too.
    pub fn exit_code(self) -> u8 {
        match self {
            Kind::Workspace => 1,
            Kind::Config => 2,
            Kind::Io => 3,
            Kind::Usage => 4,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Kind::Workspace => "workspace",
            Kind::Config => "config",
            Kind::Io => "io",
            Kind::Usage => "usage",
        }
    }
}

/// A place in a text.
#[derive(Debug)]
struct OwnedMark {
    path: String,
    text: String,
    span: Range<usize>,
    label: String,
}

/// An error of a command.
#[derive(Debug)]
pub(crate) struct CueError {
    pub kind: Kind,
    /// The numeric code where the contract has one (1004, 1005 …).
    pub number: Option<i64>,
    message: String,
    help: Option<String>,
    place: Option<Box<OwnedMark>>,
    data: Value,
}

impl CueError {
    pub fn new(kind: Kind, message: impl Into<String>) -> CueError {
        CueError { kind, number: None, message: message.into(), help: None, place: None, data: json!({}) }
    }

    pub fn io(path: &Path, problem: &std::io::Error) -> CueError {
        CueError::new(Kind::Io, format!("{}: {problem}", path.display()))
    }

    /// Adds what to do about it.
    pub fn help(mut self, text: impl Into<String>) -> CueError {
        self.help = Some(text.into());
        self
    }

    /// Adds the contract's number.
    pub fn number(mut self, number: i64) -> CueError {
        self.number = Some(number);
        self
    }

    /// Adds details for programs.
    pub fn data(mut self, data: Value) -> CueError {
        self.data = data;
        self
    }

    /// Adds the place in a text that the error is about.
    pub fn at(mut self, path: &str, text: String, span: Range<usize>, label: impl Into<String>) -> CueError {
        self.place = Some(Box::new(OwnedMark { path: path.to_owned(), text, span, label: label.into() }));
        self
    }

    /// `{"error": {"code", "message", "data"}}`.
    pub fn to_json(&self) -> Value {
        let code = self.number.map_or_else(|| json!(self.kind.word()), |number| json!(number));
        let mut data = self.data.clone();
        if let (Value::Object(data), Some(help)) = (&mut data, &self.help) {
            data.insert("suggestion".to_owned(), json!(help));
        }
        json!({ "error": { "code": code, "message": self.message, "data": data } })
    }

    /// Returns the error as a report for people.
    pub fn render(&self, paint: Paint) -> String {
        let code = self.number.map_or_else(|| self.kind.word().to_owned(), |number| number.to_string());
        let place = self.place.as_deref().map(|OwnedMark { path, text, span, label }| report::MarkedText {
            path,
            text,
            span: span.clone(),
            label,
        });
        Report { code, warning: false, message: self.message.clone(), help: self.help.as_deref(), place }.render(paint)
    }
}

impl fmt::Display for CueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CueError {}

impl From<CliError> for CueError {
    fn from(error: CliError) -> CueError {
        let kind = match (&error, error.exit_code()) {
            (CliError::Usage(_), _) => Kind::Usage,
            (_, 2) => Kind::Config,
            (_, 3) => Kind::Io,
            _ => Kind::Workspace,
        };
        let next = error.next_step();
        let made = CueError::new(kind, error.to_string());
        match next {
            Some(next) => made.help(next),
            None => made,
        }
    }
}
