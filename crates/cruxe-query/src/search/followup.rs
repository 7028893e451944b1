//! `suggest_followup_queries`: what to ask next when an answer was not good enough.
//!
//! Every suggestion was tried here first: a name that is suggested is defined in the ref, a search that is suggested
//! finds something.

use std::collections::HashMap;

use cruxe_index::View;
use cruxe_store::{ChunkNumber, NameMatch, TextField};
use serde_json::{Value, json};

use super::query::Query;
use super::{Question, search};
use crate::error::QueryError;
use crate::locate;

/// A query that is suggested has at most so many words.
const MAX_TERMS: usize = 32;
/// At most so many names are suggested.
const MAX_NAMES: usize = 3;

/// What was asked before, and what came of it.
#[derive(Clone, Debug)]
pub struct Previous {
    /// The tool.
    pub tool: String,
    /// The query, name or path that was asked for.
    pub text: String,
    /// The language that was asked for.
    pub language: Option<String>,
    /// The ref that was asked about.
    pub ref_name: Option<String>,
    /// The intent, where the answer said one.
    pub intent: Option<String>,
    /// How many results, references or edges there were.
    pub results: usize,
    /// The score of the best.
    pub top_score: f64,
}

/// A call that may do better.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// The tool.
    pub tool: &'static str,
    /// Its parameters.
    pub params: Value,
    /// Why.
    pub reason: String,
}

/// What to ask next.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Followup {
    /// The calls, the most promising first.
    pub suggestions: Vec<Suggestion>,
    /// Names that the query's words may stand for, whether they exist or not.
    pub identifiers: Vec<String>,
    /// Why there are no suggestions.
    pub reason: Option<&'static str>,
}

/// Suggests calls, by the rule table of the contract.
pub fn suggest(view: &View, previous: &Previous, threshold: f64) -> Result<Followup, QueryError> {
    let query = Query::parse(&previous.text);
    // Of a long text what was read of it.
    let previous = &Previous { text: query.text.clone(), ..previous.clone() };
    let mut followup = Followup { identifiers: identifiers(&query), ..Followup::default() };
    let scored = matches!(previous.tool.as_str(), "search_code" | "locate_symbol" | "read_context");
    if previous.results > 0 && (previous.top_score >= threshold || !scored) {
        followup.reason = Some("results are above confidence threshold");
        return Ok(followup);
    }
    let asker = Asker { view, previous, query: &query };
    let intent = previous.intent.clone().unwrap_or_else(|| query.intent.as_str().to_owned());
    let found = match (previous.tool.as_str(), intent.as_str()) {
        ("search_code", "symbol") => [asker.broader()?, asker.names()?].concat(),
        ("search_code", _) => [asker.names()?, asker.narrower()?].concat(),
        ("locate_symbol", _) => [asker.names()?, asker.broader()?, asker.callee()?].concat(),
        ("get_call_graph" | "find_references", _) => [asker.verify()?, asker.names()?, asker.broader()?].concat(),
        _ => [asker.names()?, asker.broader()?].concat(),
    };
    for suggestion in found {
        let repeats = suggestion.tool == previous.tool && asker.is_what_was_asked(&suggestion);
        if !repeats && !followup.suggestions.iter().any(|known| known.params == suggestion.params) {
            followup.suggestions.push(suggestion);
        }
    }
    if followup.suggestions.is_empty() {
        followup.reason = Some("nothing in this ref is similar to what was asked for");
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
    fn is_what_was_asked(&self, suggestion: &Suggestion) -> bool {
        let asked = |key: &str| suggestion.params[key].as_str() == Some(self.previous.text.trim());
        (asked("query") || asked("name")) && suggestion.params["language"].as_str() == self.previous.language.as_deref()
    }

    fn with_ref(&self, mut params: Value) -> Value {
        if let (Some(name), Some(params)) = (&self.previous.ref_name, params.as_object_mut()) {
            params.insert("ref".to_owned(), json!(name));
        }
        params
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
            let params = self.with_ref(json!({"name": symbol.name, "kind": symbol.kind.as_str()}));
            if symbol.flags.test || suggestions.iter().any(|known| known.params == params) {
                continue;
            }
            let reason = format!(
                "`{}` is defined here and its name has words of the query. Symbol lookup may yield more precise results.",
                symbol.name
            );
            suggestions.push(Suggestion { tool: "locate_symbol", params, reason });
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
            return self.by_words(words.join(" "), None, "The words that tell most, without the others.");
        }
        let reason = "Narrowing query to specific terms and language may improve relevance.";
        self.by_words(words.join(" "), self.main_language()?, reason)
    }

    /// A name as words, in any language.
    fn broader(&self) -> Result<Vec<Suggestion>, QueryError> {
        let mut words: Vec<String> = Vec::new();
        for name in &self.query.names {
            let parts = name.wanted.qualifiers.iter().chain([&name.wanted.plain]);
            words.extend(parts.flat_map(|part| spoken(part)));
        }
        words.dedup();
        self.by_words(words.join(" "), None, "The words of the name, in any language, may find it under another name.")
    }

    fn by_words(&self, query: String, language: Option<String>, reason: &str) -> Result<Vec<Suggestion>, QueryError> {
        if query.trim().is_empty() {
            return Ok(Vec::new());
        }
        let question = Question { language: language.clone(), ..Question::new(&query, 1) };
        if search(self.view, &question)?.found.is_empty() {
            return Ok(Vec::new());
        }
        let mut params = json!({"query": query});
        if let (Some(language), Some(params)) = (language, params.as_object_mut()) {
            params.insert("language".to_owned(), json!(language));
        }
        Ok(vec![Suggestion { tool: "search_code", params: self.with_ref(params), reason: reason.to_owned() }])
    }

    fn main_language(&self) -> Result<Option<String>, QueryError> {
        let question = Question::new(&self.previous.text, 5);
        let answer = search(self.view, &question)?;
        Ok(answer.found.first().map(|found| found.file.language.clone()).filter(|language| language != "text"))
    }

    /// A name that is used and not defined may be called.
    fn callee(&self) -> Result<Vec<Suggestion>, QueryError> {
        let Some(snapshot) = &self.view.published else { return Ok(Vec::new()) };
        let Some(name) = self.query.names.first() else { return Ok(Vec::new()) };
        let corpus = snapshot.corpus()?;
        let token = cruxe_store::tokens(&name.wanted.plain).into_iter().next().unwrap_or_default();
        let similar = snapshot.find_name(&name.wanted.plain, NameMatch::CaseInsensitive)?;
        let defined = similar.first().map(|hit| snapshot.symbol_table(hit.version).map(|table| (hit.position, table)));
        match defined.transpose()? {
            Some((position, table)) if !corpus.postings(TextField::Body, &token)?.is_empty() => {
                let defined = table.symbols.get(position as usize).map(|symbol| symbol.name.clone());
                let reason = "It may be known only by its calls; the graph shows who calls it.".to_owned();
                let params = self.with_ref(json!({"symbol_name": defined, "direction": "callers"}));
                Ok(vec![Suggestion { tool: "get_call_graph", params, reason }])
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
        let params = self.with_ref(json!({"name": self.previous.text}));
        let reason = "Verifies which symbol is meant: there may be several of that name.".to_owned();
        Ok(vec![Suggestion { tool: "locate_symbol", params, reason }])
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
