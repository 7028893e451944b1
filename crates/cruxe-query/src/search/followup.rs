//! What to ask next when an answer was not good enough.
//!
//! Every question that is suggested was tried here first: a name that is suggested is defined in the ref, a search that
//! is suggested finds something.

use std::collections::HashMap;

use cruxe_index::View;
use cruxe_model::SymbolKind;
use cruxe_store::{ChunkNumber, NameMatch, TextField};

use super::query::Query;
use super::{Intent, Question, search};
use crate::error::QueryError;
use crate::locate;

/// A query that is suggested has at most so many words.
const MAX_TERMS: usize = 32;
/// At most so many names are suggested.
const MAX_NAMES: usize = 3;

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
    pub intent: Option<String>,
    /// How many results, references or edges there were.
    pub results: usize,
    /// The score of the best.
    pub top_score: f64,
}

/// A kind of question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// A search of the code.
    Search,
    /// Where a name is defined.
    Definition,
    /// Who uses or calls a symbol.
    Uses,
    /// A search of documents and code.
    Context,
    /// Anything else.
    Other,
}

/// A question that may do better.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// The question.
    pub next: Next,
    /// Why.
    pub why: Why,
}

/// A question to ask next.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Where a name is defined.
    Definition {
        /// The name.
        name: String,
        /// What is meant by it, where that is known.
        kind: Option<SymbolKind>,
    },
    /// A search of the code.
    Search {
        /// The query.
        query: String,
        /// Only this language.
        language: Option<String>,
    },
    /// Who calls a symbol.
    Callers {
        /// Its name.
        name: String,
    },
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
    /// The words of a name may find it under another name.
    WordsOfName,
    /// It may be known only by its calls.
    OnlyCalled,
    /// There may be several of the name.
    SeveralOfName,
}

/// What to ask next.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Followup {
    /// The questions, the most promising first.
    pub suggestions: Vec<Suggestion>,
    /// Names that the query's words may stand for, whether they exist or not.
    pub identifiers: Vec<String>,
    /// Why there are no suggestions.
    pub none: Option<NoSuggestion>,
}

/// Why nothing is suggested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSuggestion {
    /// The answer was good enough.
    GoodEnough,
    /// The ref has nothing of the kind.
    NothingSimilar,
}

/// Suggests questions, by the rule table of the contract.
pub fn suggest(view: &View, previous: &Previous, threshold: f64) -> Result<Followup, QueryError> {
    let query = Query::parse(&previous.text);
    // Of a long text what was read of it.
    let previous = &Previous { text: query.text.clone(), ..previous.clone() };
    let mut followup = Followup { identifiers: identifiers(&query), ..Followup::default() };
    let scored = matches!(previous.asked, Asked::Search | Asked::Definition | Asked::Context);
    if previous.results > 0 && (previous.top_score >= threshold || !scored) {
        followup.none = Some(NoSuggestion::GoodEnough);
        return Ok(followup);
    }
    let asker = Asker { view, previous, query: &query };
    let intent = previous.intent.as_deref().unwrap_or(query.intent.as_str());
    let found = match previous.asked {
        Asked::Search if intent == Intent::Symbol.as_str() => [asker.broader()?, asker.names()?].concat(),
        Asked::Search => [asker.names()?, asker.narrower()?].concat(),
        Asked::Definition => [asker.names()?, asker.broader()?, asker.callee()?].concat(),
        Asked::Uses => [asker.verify()?, asker.names()?, asker.broader()?].concat(),
        Asked::Context | Asked::Other => [asker.names()?, asker.broader()?].concat(),
    };
    for suggestion in found {
        let known = |one: &Suggestion| one.next == suggestion.next;
        if !asker.is_what_was_asked(&suggestion.next) && !followup.suggestions.iter().any(known) {
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
    fn is_what_was_asked(&self, next: &Next) -> bool {
        let (same, text, language) = match next {
            Next::Definition { name, .. } => (Asked::Definition, name, &None),
            Next::Search { query, language } => (Asked::Search, query, language),
            Next::Callers { .. } => return false,
        };
        self.previous.asked == same && text == self.previous.text.trim() && *language == self.previous.language
    }

    /// Definitions whose names have most of the query's words.
    fn names(&self) -> Result<Vec<Suggestion>, QueryError> {
        let Some((snapshot, state)) = &self.view.published else { return Ok(Vec::new()) };
        let corpus = snapshot.corpus(state)?;
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
                let length = f64::from(corpus.lengths(TextField::Name)[chunk as usize].max(1));
                (chunk, score - 0.3 * length)
            })
            .collect();
        best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut suggestions: Vec<Suggestion> = Vec::new();
        for (chunk, _) in best.into_iter().take(40) {
            let (file, number) = corpus.place(chunk);
            let table = snapshot.symbol_table(corpus.files()[file as usize].id)?;
            let symbol = table.chunks.get(number as usize).and_then(|chunk| chunk.symbol);
            let Some(symbol) = symbol.and_then(|at| table.symbols.get(at.0 as usize)) else { continue };
            let next = Next::Definition { name: symbol.name.clone(), kind: Some(symbol.kind) };
            if symbol.flags.test || suggestions.iter().any(|known| known.next == next) {
                continue;
            }
            suggestions.push(Suggestion { next, why: Why::NameHasWords });
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
        Ok(vec![Suggestion { next: Next::Search { query, language }, why }])
    }

    fn main_language(&self) -> Result<Option<String>, QueryError> {
        let question = Question::new(&self.previous.text, 5);
        let answer = search(self.view, &question)?;
        Ok(answer.found.first().map(|found| found.file.language.clone()).filter(|language| language != "text"))
    }

    /// A name that is used and not defined may be called.
    fn callee(&self) -> Result<Vec<Suggestion>, QueryError> {
        let Some((snapshot, state)) = &self.view.published else { return Ok(Vec::new()) };
        let Some(name) = self.query.names.first() else { return Ok(Vec::new()) };
        let corpus = snapshot.corpus(state)?;
        let token = cruxe_store::tokens(&name.wanted.plain).into_iter().next().unwrap_or_default();
        let similar = snapshot.find_name(&name.wanted.plain, NameMatch::CaseInsensitive, &state.versions)?;
        let defined = similar.first().map(|hit| snapshot.symbol_table(hit.version).map(|table| (hit.position, table)));
        match defined.transpose()? {
            Some((position, table)) if !corpus.postings(TextField::Body, &token)?.is_empty() => {
                let symbol = table.symbols.get(position as usize);
                let next = symbol.map(|symbol| Next::Callers { name: symbol.name.clone() });
                Ok(next.map(|next| Suggestion { next, why: Why::OnlyCalled }).into_iter().collect())
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Whether the symbol is there at all.
    fn verify(&self) -> Result<Vec<Suggestion>, QueryError> {
        let question =
            locate::Question { name: self.previous.text.clone(), kinds: Vec::new(), language: None, limit: 1 };
        if locate::locate(self.view, &question)?.found.is_empty() {
            return Ok(Vec::new());
        }
        let next = Next::Definition { name: self.previous.text.clone(), kind: None };
        Ok(vec![Suggestion { next, why: Why::SeveralOfName }])
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
