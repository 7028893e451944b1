//! Why a `cue` command failed, as a report with a place and advice, and as an exit code.

use std::fmt;
use std::path::Path;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};
use serde_json::{Value, json};

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

/// A place in a text, to be shown with the lines around it.
#[derive(Debug)]
struct Place {
    source: NamedSource<String>,
    label: LabeledSpan,
}

/// An error of a command.
#[derive(Debug)]
pub(crate) struct CueError {
    pub kind: Kind,
    /// The numeric code where the contract has one (1004, 1005 …).
    pub number: Option<i64>,
    message: String,
    help: Option<String>,
    place: Option<Box<Place>>,
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
    pub fn at(mut self, path: &str, text: String, span: std::ops::Range<usize>, label: impl Into<String>) -> CueError {
        let span = clamp(&text, span);
        let label = LabeledSpan::new(Some(label.into()), span.start, span.len());
        self.place = Some(Box::new(Place { source: NamedSource::new(path, text), label }));
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
}

/// A span that lies in the text, on the bounds of its characters.
pub(crate) fn clamp(text: &str, span: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let start = text.floor_char_boundary(span.start.min(text.len()));
    let end = text.ceil_char_boundary(span.end.min(text.len()));
    start..end.max(start)
}

impl fmt::Display for CueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CueError {}

impl Diagnostic for CueError {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(match self.number {
            Some(number) => Box::new(number),
            None => Box::new(self.kind.word()),
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|text| Box::new(text) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.place.as_ref().map(|place| &place.source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.place.as_ref().map(|place| Box::new(std::iter::once(place.label.clone())) as Box<_>)
    }
}

/// Renders a report for people. Lines are never broken, so that what is in it can be searched for and clicked.
pub(crate) fn render(report: &dyn Diagnostic, paint: Paint) -> String {
    let render = |theme: GraphicalTheme| {
        let handler = GraphicalReportHandler::new_themed(theme).with_links(false).with_wrap_lines(false);
        let mut text = String::new();
        match handler.render_report(&mut text, report) {
            Ok(()) => text,
            Err(_) => format!("error: {report}\n"),
        }
    };
    paint.adopt(render(GraphicalTheme::unicode_nocolor()), || render(GraphicalTheme::unicode()))
}

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
