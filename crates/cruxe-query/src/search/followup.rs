//! What to ask next when an answer was not good enough.
//!
//! Suggestions were tried here first: a name that is suggested is defined in the ref, a search that is suggested finds
//! something. Only the search for a name that nothing is called is suggested untried.

use std::collections::HashMap;

use cruxe_extract::language::TEXT;
use cruxe_index::View;
use cruxe_model::SymbolKind;
use cruxe_store::{ChunkNumber, NameMatch, TextField};

use super::query::Query;
use super::rank::names;
use super::{Intent, Question, search};
use crate::error::QueryError;
use crate::locate;

/// A query that is suggested has at most so many words.
const MAX_TERMS: usize = 32;
/// At most so many names are suggested.
const MAX_NAMES: usize = 3;
/// Names that are looked at for it.
const MAX_LOOKED_AT: usize = 40;

/// What was asked before, and what came of it.
#[derive(Clone, Debug)]
pub struct Previous {
    /// The kind of question.
    pub asked: Asked,
    /// The query, name or path that was asked for.
    pub text: String,
    /// The language that was asked for.
    pub language: Option<String>,
    /// The intent, where the answer said one.
    pub intent: Option<Intent>,
    /// How many results, references or edges there were.
    pub results: usize,
    /// The score of the best.
    pub top_score: f64,
}

/// The kinds of questions that are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// A search for code.
    Code,
    /// Where a name is defined.
    Definition,
    /// A search for documents.
    Documents,
    /// Who uses or calls a symbol.
    Uses,
    /// Anything else.
    Other,
}

impl Asked {
    /// Whether its results have scores; of others it only counts that there are some.
    fn is_scored(self) -> bool {
        matches!(self, Asked::Code | Asked::Definition | Asked::Documents)
    }
}

/// A question that may do better, about the same ref.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// A search for code.
    Code {
        /// What to search for.
        query: String,
        /// In which language.
        language: Option<String>,
    },
    /// Where a name is defined.
    Definition {
        /// The name.
        name: String,
        /// What it is, where that is known.
        kind: Option<SymbolKind>,
    },
    /// Who calls a symbol.
    Callers {
        /// The symbol.
        name: String,
    },
}

/// A question with the reason to ask it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The question.
    pub ask: Ask,
    /// Why.
    pub why: Why,
}

/// Why a question is suggested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The name is defined and has words of the query.
    NameHasWords,
    /// The words that tell most, without the others.
    TellingWords,
    /// The same, in the language that has them.
    TellingWordsInLanguage,
    /// Texts may have a name that nothing is called.
    NameAsText,
    /// The words of a name may find it under another name.
    WordsOfName,
    /// It may be known only by its calls.
    OnlyCalled,
    /// There may be several of the name.
    SeveralOfName,
}

/// Why there are no suggestions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSuggestion {
    /// The answer was good enough.
    GoodEnough,
    /// Nothing in the ref is similar to what was asked for.
    NothingSimilar,
}

/// What to ask next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Followup {
    /// The questions, the most promising first.
    pub suggestions: Vec<Suggestion>,
    /// Names that the query's words may stand for, whether they exist or not.
    pub identifiers: Vec<String>,
    /// Why there are no suggestions.
    pub none: Option<NoSuggestion>,
}

/// Suggests questions, by what was asked and what the answer was worth.
pub fn suggest(view: &View, previous: &Previous, threshold: f64) -> Result<Followup, QueryError> {
    let query = Query::parse(&previous.text);
    // Of a long text what was read of it.
    let previous = &Previous { text: query.text.clone(), ..previous.clone() };
    let mut followup = Followup { identifiers: identifiers(&query), ..Followup::default() };
    if previous.results > 0 && (previous.top_score >= threshold || !previous.asked.is_scored()) {
        followup.none = Some(NoSuggestion::GoodEnough);
        return Ok(followup);
    }
    let asker = Asker { view, previous, query: &query };
    let found = match (previous.asked, previous.intent.unwrap_or(query.intent)) {
        (Asked::Code, Intent::Symbol) => [asker.broader()?, asker.names()?].concat(),
        (Asked::Code, _) => [asker.names()?, asker.narrower()?].concat(),
        (Asked::Definition, _) => [asker.as_text(), asker.names()?, asker.broader()?, asker.callers()?].concat(),
        (Asked::Uses, _) => [asker.verify()?, asker.names()?, asker.broader()?].concat(),
        (Asked::Documents | Asked::Other, _) => [asker.names()?, asker.broader()?].concat(),
    };
    for suggestion in found {
        let is_known = followup.suggestions.iter().any(|known| known.ask == suggestion.ask);
        if !is_known && !asker.is_what_was_asked(&suggestion.ask) {
            followup.suggestions.push(suggestion);
        }
    }
    if followup.suggestions.is_empty() {
        followup.none = Some(NoSuggestion::NothingSimilar);
    }
    Ok(followup)
}

/// Names that the words may stand for.
fn identifiers(query: &Query) -> Vec<String> {
    let sure = query.names.iter().filter(|name| name.sure).map(|name| name.wanted.plain.clone());
    let compounds = query.compounds.iter().filter(|word| word.contains('_')).cloned();
    let mut names: Vec<String> = sure.chain(compounds).collect();
    if names.is_empty() {
        names = query.names.iter().map(|name| name.wanted.plain.clone()).collect();
    }
    names.truncate(8);
    names
}

struct Asker<'a> {
    view: &'a View<'a>,
    previous: &'a Previous,
    query: &'a Query,
}

impl Asker<'_> {
    fn is_what_was_asked(&self, ask: &Ask) -> bool {
        let (asked, text, language) = match ask {
            Ask::Code { query, language } => (Asked::Code, query, language.as_deref()),
            Ask::Definition { name, .. } => (Asked::Definition, name, None),
            Ask::Callers { .. } => return false,
        };
        let Previous { asked: before, text: text_before, language: language_before, .. } = self.previous;
        asked == *before && text == text_before.trim() && language == language_before.as_deref()
    }

    /// A name that nothing is called may stand in texts; the contract has it suggested whatever comes of it.
    fn as_text(&self) -> Vec<Suggestion> {
        let query = self.previous.text.trim().to_owned();
        if self.previous.results > 0 || query.is_empty() {
            return Vec::new();
        }
        vec![Suggestion { ask: Ask::Code { query, language: None }, why: Why::NameAsText }]
    }

    /// Definitions whose names have most of the query's words.
    fn names(&self) -> Result<Vec<Suggestion>, QueryError> {
        let Some(snapshot) = &self.view.published else { return Ok(Vec::new()) };
        let corpus = snapshot.corpus()?;
        let mut scores: HashMap<ChunkNumber, (usize, f64)> = HashMap::new();
        for word in &self.query.words {
            let postings = corpus.postings(TextField::Name, word)?;
            let rarity = (1.0 + corpus.chunks() as f64 / (1.0 + postings.len() as f64)).ln();
            for (chunk, _) in postings {
                let (words, score) = scores.entry(chunk).or_default();
                (*words, *score) = (*words + 1, *score + rarity);
            }
        }
        let needed = if self.query.words.len() > 2 { 2 } else { 1 };
        let mut best: Vec<(ChunkNumber, f64)> = scores
            .into_iter()
            .filter(|(_, (words, _))| *words >= needed)
            .map(|(chunk, (_, score))| {
                (chunk, names::suggested(score, corpus.lengths(TextField::Name)[chunk as usize]))
            })
            .collect();
        best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut suggestions: Vec<Suggestion> = Vec::new();
        for (chunk, _) in best.into_iter().take(MAX_LOOKED_AT) {
            let (file, number) = corpus.place(chunk);
            let table = snapshot.symbol_table(corpus.files()[file as usize].id)?;
            let symbol = table.chunks.get(number as usize).and_then(|chunk| chunk.symbol);
            let Some(symbol) = symbol.and_then(|at| table.symbols.get(at.0 as usize)) else { continue };
            let ask = Ask::Definition { name: symbol.name.clone(), kind: Some(symbol.kind) };
            if symbol.flags.test || suggestions.iter().any(|known| known.ask == ask) {
                continue;
            }
            suggestions.push(Suggestion { ask, why: Why::NameHasWords });
            if suggestions.len() == MAX_NAMES {
                break;
            }
        }
        Ok(suggestions)
    }

    /// The query's rarest words, in the language that has them.
    fn narrower(&self) -> Result<Vec<Suggestion>, QueryError> {
        let words: Vec<&str> = self
            .previous
            .text
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !Query::parse(word).names.is_empty())
            .take(MAX_TERMS)
            .collect();
        if words.len() < 2 || words.len() == self.previous.text.split_whitespace().count() {
            return self.by_words(words.join(" "), None, Why::TellingWords);
        }
        self.by_words(words.join(" "), self.main_language()?, Why::TellingWordsInLanguage)
    }

    /// A name as words, in any language.
    fn broader(&self) -> Result<Vec<Suggestion>, QueryError> {
        let mut words: Vec<String> = Vec::new();
        for name in &self.query.names {
            let parts = name.wanted.qualifiers.iter().chain([&name.wanted.plain]);
            words.extend(parts.flat_map(|part| spoken(part)));
        }
        words.dedup();
        self.by_words(words.join(" "), None, Why::WordsOfName)
    }

    fn by_words(&self, query: String, language: Option<String>, why: Why) -> Result<Vec<Suggestion>, QueryError> {
        if query.trim().is_empty() {
            return Ok(Vec::new());
        }
        let question = Question { language: language.clone(), ..Question::new(&query, 1) };
        if search(self.view, &question)?.found.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![Suggestion { ask: Ask::Code { query, language }, why }])
    }

    fn main_language(&self) -> Result<Option<String>, QueryError> {
        let question = Question::new(&self.previous.text, 5);
        let answer = search(self.view, &question)?;
        Ok(answer.found.first().map(|found| found.file.language.clone()).filter(|language| language != TEXT.name))
    }

    /// A name that is used and not defined may be called.
    fn callers(&self) -> Result<Vec<Suggestion>, QueryError> {
        let Some(snapshot) = &self.view.published else { return Ok(Vec::new()) };
        let Some(name) = self.query.names.first() else { return Ok(Vec::new()) };
        let corpus = snapshot.corpus()?;
        let token = cruxe_store::tokens(&name.wanted.plain).into_iter().next().unwrap_or_default();
        let similar = snapshot.find_name(&name.wanted.plain, NameMatch::CaseInsensitive)?;
        let defined = similar.first().map(|hit| snapshot.symbol_table(hit.version).map(|table| (hit.position, table)));
        let Some((position, table)) = defined.transpose()? else { return Ok(Vec::new()) };
        let Some(symbol) = table.symbols.get(position as usize) else { return Ok(Vec::new()) };
        if corpus.postings(TextField::Body, &token)?.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![Suggestion { ask: Ask::Callers { name: symbol.name.clone() }, why: Why::OnlyCalled }])
    }

    /// Whether the symbol is there at all.
    fn verify(&self) -> Result<Vec<Suggestion>, QueryError> {
        let question = locate::Question::new(self.previous.text.clone(), 1);
        if locate::locate(self.view, &question)?.found.is_empty() {
            return Ok(Vec::new());
        }
        let ask = Ask::Definition { name: self.previous.text.clone(), kind: None };
        Ok(vec![Suggestion { ask, why: Why::SeveralOfName }])
    }
}

/// The words of a name, as one would say them.
fn spoken(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut last_lower = false;
    for letter in name.chars() {
        let starts = !letter.is_alphanumeric() || letter.is_uppercase() && last_lower;
        if starts {
            words.push(String::new());
        }
        last_lower = letter.is_lowercase() || letter.is_numeric();
        if letter.is_alphanumeric() {
            words.last_mut().into_iter().for_each(|word| word.extend(letter.to_lowercase()));
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_spoken_as_words() {
        assert_eq!(spoken("checkRateLimit"), ["check", "rate", "limit"]);
        assert_eq!(spoken("validate_token"), ["validate", "token"]);
        assert_eq!(spoken("HTTPServer2"), ["httpserver2"]);
        assert_eq!(spoken("_"), [""; 0]);
    }
}
