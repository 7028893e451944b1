//! Answers to one question about several names.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::text::{Line, Text};
use super::{CallGraphAnswer, CompareAnswer, LocateAnswer, OutlineAnswer, ReferencesAnswer, Render, noting};
use crate::contract::{Metadata, ToolError};

/// An answer that may be one of several.
pub trait Answer: Render {
    /// Returns how current and complete it is.
    fn metadata(&self) -> &Metadata;
}

macro_rules! answers {
    ($($answer:ty),*) => {
        $(impl Answer for $answer {
            fn metadata(&self) -> &Metadata {
                &self.metadata
            }
        })*
    };
}

answers!(CallGraphAnswer, CompareAnswer, LocateAnswer, OutlineAnswer, ReferencesAnswer);

/// The answers, in the order of the names.
#[derive(Serialize)]
pub struct SeveralAnswers<T> {
    answers: Vec<Part<T>>,
    metadata: Metadata,
}

/// The answer about one of the names.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Part<T> {
    /// What a question about it alone gives.
    Answer(Box<T>),
    /// There is none.
    Refused(Refused),
}

/// Why there is no answer about a name.
pub struct Refused {
    /// What it is a name of.
    pub what: &'static str,
    /// The name.
    pub name: String,
    /// Why.
    pub error: ToolError,
}

impl<T: Answer> SeveralAnswers<T> {
    /// Puts answers together; where all are refused, there is none, and the first refusal names the others.
    pub fn new(answers: Vec<Part<T>>, warnings: Vec<String>) -> Result<SeveralAnswers<T>, ToolError> {
        let given = answers.iter().filter_map(|part| match part {
            Part::Answer(answer) => Some(answer.metadata()),
            Part::Refused(_) => None,
        });
        if let Some(mut metadata) = Metadata::of_all(given) {
            metadata.warnings = warnings;
            return Ok(SeveralAnswers { answers, metadata });
        }
        let first = answers.iter().find_map(|part| match part {
            Part::Refused(refused) => Some(refused.error.clone()),
            Part::Answer(_) => None,
        });
        let error = first.unwrap_or_else(|| ToolError::invalid_input("no name was given"));
        Err(if answers.len() > 1 { error.with("answers", &answers) } else { error })
    }

    /// What was refused.
    pub fn refused(&self) -> impl Iterator<Item = &Refused> {
        self.answers.iter().filter_map(|part| match part {
            Part::Refused(refused) => Some(refused),
            Part::Answer(_) => None,
        })
    }
}

impl Serialize for Refused {
    /// `{"symbol": name, "error": {"code", "message", "data"}}`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry(self.what, &self.name)?;
        map.serialize_entry("error", &self.error.to_json()["error"])?;
        map.end()
    }
}

impl Render for Refused {
    fn text(&self) -> Text {
        let Refused { what, name, error } = self;
        Text { notes: Vec::new(), lines: vec![Line::new().plain(format!("{what} `{name}`: {error}"))] }
    }
}

impl<T: Render> Render for Part<T> {
    fn text(&self) -> Text {
        match self {
            Part::Answer(answer) => answer.text(),
            Part::Refused(refused) => refused.text(),
        }
    }
}

impl<T: Answer> Render for SeveralAnswers<T> {
    fn text(&self) -> Text {
        let mut text = noting(&self.metadata);
        for (at, part) in self.answers.iter().enumerate() {
            if at > 0 {
                text.push(Line::new());
            }
            // What is to be known of one answer stands above it.
            let Text { notes, lines } = part.text();
            text.lines.extend(notes.into_iter().map(|note| Line::new().plain(note)));
            text.lines.extend(lines);
        }
        text
    }
}
