//! What to ask next when an answer was not good enough.

use cruxe_index::View;
use cruxe_query::search::followup::{self, Ask, Followup, NoSuggestion, Previous, Why};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::text::{Line, Text};
use super::{Render, noting, rounded};
use crate::contract::{Metadata, names};

/// What to ask next.
#[derive(Serialize, JsonSchema)]
pub struct FollowupAnswer {
    suggestions: Vec<Suggestion>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    analysis: Analysis,
    metadata: Metadata,
}

/// A call that may do better.
#[derive(Serialize, JsonSchema)]
struct Suggestion {
    tool: &'static str,
    params: Map<String, Value>,
    reason: String,
}

/// How the answer before was read.
#[derive(Serialize, JsonSchema)]
struct Analysis {
    previous_confidence: AnswerConfidence,
    top_score: f64,
    threshold: f64,
    extracted_identifiers: Vec<String>,
}

/// How good the answer before was.
#[derive(Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AnswerConfidence {
    High,
    Low,
}

impl FollowupAnswer {
    /// What to ask next; calls name the ref that the one before named.
    pub fn new(
        view: &View,
        previous: &Previous,
        ref_name: Option<&str>,
        threshold: f64,
        followup: Followup,
    ) -> FollowupAnswer {
        let confident = previous.results > 0 && previous.top_score >= threshold;
        FollowupAnswer {
            suggestions: followup.suggestions.into_iter().map(|one| Suggestion::new(one, ref_name)).collect(),
            reason: followup.none.map(|why| match why {
                NoSuggestion::GoodEnough => "results are above confidence threshold",
                NoSuggestion::NothingSimilar => "nothing in this ref is similar to what was asked for",
            }),
            analysis: Analysis {
                previous_confidence: if confident { AnswerConfidence::High } else { AnswerConfidence::Low },
                top_score: rounded(previous.top_score),
                threshold,
                extracted_identifiers: followup.identifiers,
            },
            metadata: Metadata::of(&view.standing),
        }
    }
}

impl Suggestion {
    fn new(suggestion: followup::Suggestion, ref_name: Option<&str>) -> Suggestion {
        let reason = reason(&suggestion);
        let (tool, given) = match suggestion.ask {
            Ask::Definition { name, kind } => {
                (names::LOCATE_SYMBOL, [("name", json!(name)), ("kind", json!(kind.map(|kind| kind.as_str())))])
            }
            Ask::Code { query, language } => {
                (names::SEARCH_CODE, [("query", json!(query)), ("language", json!(language))])
            }
            Ask::Callers { name } => {
                (names::GET_CALL_GRAPH, [("symbol_name", json!(name)), ("direction", json!("callers"))])
            }
        };
        let given = given.into_iter().chain([("ref", json!(ref_name))]).filter(|(_, value)| !value.is_null());
        Suggestion { tool, params: given.map(|(key, value)| (key.to_owned(), value)).collect(), reason }
    }
}

fn reason(suggestion: &followup::Suggestion) -> String {
    match (suggestion.why, &suggestion.ask) {
        (Why::NameHasWords, Ask::Definition { name, .. } | Ask::Callers { name }) => format!(
            "`{name}` is defined here and its name has words of the query. Symbol lookup may yield more precise results."
        ),
        (why, _) => match why {
            Why::NameHasWords => "Its name has words of the query.",
            Why::TellingWords => "The words that tell most, without the others.",
            Why::TellingWordsInLanguage => "Narrowing query to specific terms and language may improve relevance.",
            Why::NameAsText => "Nothing is called that; texts may have it, or something similar.",
            Why::WordsOfName => "The words of the name, in any language, may find it under another name.",
            Why::OnlyCalled => "It may be known only by its calls; the graph shows who calls it.",
            Why::SeveralOfName => "Verifies which symbol is meant: there may be several of that name.",
        }
        .to_owned(),
    }
}

impl Render for FollowupAnswer {
    fn text(&self) -> Text {
        let mut text = noting(&self.metadata);
        for one in &self.suggestions {
            text.push(Line::new().strong(one.tool).plain(format!(" {}", Value::Object(one.params.clone()))));
            text.push(Line::new().plain("    ").faint(&one.reason));
        }
        self.reason.iter().for_each(|reason| text.push(Line::new().plain(*reason)));
        text
    }
}
