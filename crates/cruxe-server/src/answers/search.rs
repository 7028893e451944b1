//! What a search found.

use cruxe_index::{Layers, View};
use cruxe_model::config::ExplainLevel;
use cruxe_model::{SourceLayer, ids};
use cruxe_query::locate;
use cruxe_query::search::{self, ResultType, SearchHit};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::across::{self, Said, Told};
use super::code::{self, Listed, Shown};
use super::detail::{Breadth, Declaration, Detail, DetailLevel, Surroundings};
use super::text::{Line, Text};
use super::{Render, Source, noting, place, reasons, rounded};
use crate::contract::{Metadata, ToolError, names};

/// The answer.
#[derive(Clone, Serialize, JsonSchema)]
pub struct SearchAnswer {
    results: Vec<Hit>,
    query_intent: &'static str,
    total_candidates: usize,
    suggested_next_actions: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    debug: Option<Value>,
    metadata: Metadata,
    #[serde(skip)]
    query: String,
    #[serde(skip)]
    truncated: bool,
}

/// A place in the code. What is not known, or not asked for, is left out.
#[derive(Clone, Serialize, JsonSchema)]
struct Hit {
    /// The repository, where several were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    repository: Option<String>,
    result_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol_stable_id: Option<String>,
    #[serde(with = "ResultWord")]
    result_type: ResultType,
    path: String,
    line_start: u32,
    line_end: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(flatten)]
    declaration: Declaration,
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_layer: Option<SourceLayer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<String>,
    #[serde(flatten)]
    surroundings: Surroundings,
    /// Why it ranks where it does, in a line, where that is to be shown.
    #[serde(skip)]
    why: Option<String>,
    /// The name within its file.
    #[serde(skip)]
    local_name: Option<String>,
    #[serde(skip)]
    shown: Shown,
}

/// The sort of thing that a result is.
#[derive(Serialize, JsonSchema)]
#[serde(remote = "ResultType", rename_all = "snake_case")]
enum ResultWord {
    Symbol,
    Snippet,
    File,
}

impl SearchAnswer {
    /// The answer to a query.
    pub fn new(
        query: &str,
        view: &View,
        layers: &Layers,
        answer: &search::SearchAnswer,
        detail: &Detail,
    ) -> Result<SearchAnswer, ToolError> {
        let hits = answer.found.iter().map(|found| Hit::new(view, layers, found, detail));
        Ok(SearchAnswer {
            results: hits.collect::<Result<_, _>>()?,
            query_intent: answer.intent.as_str(),
            total_candidates: answer.total,
            suggested_next_actions: next_actions(answer),
            debug: None,
            metadata: Metadata::of_search(answer).truncated_if(answer.truncated),
            query: query.to_owned(),
            truncated: answer.truncated,
        })
    }

    /// Adds something that the reader should know.
    pub fn warn(mut self, warning: Option<String>) -> SearchAnswer {
        self.metadata.warnings.extend(warning);
        self
    }

    /// Says why each result ranks where it does: the components of the very score that ordered them.
    pub fn with_reasons(mut self, answer: &search::SearchAnswer, level: ExplainLevel) -> SearchAnswer {
        let reasons = answer.found.iter().enumerate().map(|(at, found)| reason(at, found, level));
        self.metadata = reasons::add(self.metadata, reasons, level);
        self
    }

    /// Says the same in the text, a line each.
    pub fn with_why(mut self, answer: &search::SearchAnswer) -> SearchAnswer {
        for (hit, found) in self.results.iter_mut().zip(&answer.found) {
            hit.why = Some(why(found));
        }
        self
    }

    /// Shows source with the results, as much as there is room for.
    pub fn with_source(
        mut self,
        view: &View,
        answer: &search::SearchAnswer,
        source: Source,
    ) -> Result<SearchAnswer, ToolError> {
        let places: Vec<Listed> = answer.found.iter().map(listed).collect();
        let shown = code::shown(view, &places, &search::telling_words(&self.query), source)?;
        self.results.iter_mut().zip(shown).for_each(|(hit, shown)| hit.shown = shown);
        Ok(self)
    }

    /// Says how many results have a symbol.
    pub fn with_debug(mut self, answer: &search::SearchAnswer) -> SearchAnswer {
        let count = |is: fn(&SearchHit) -> bool| answer.found.iter().filter(|found| is(found)).count();
        let hits = count(|found| found.symbol().is_some());
        let misses = count(|found| found.symbol().is_none() && found.target.result_type() != ResultType::File);
        self.debug = Some(json!({"join_status": {"hits": hits, "misses": misses}}));
        self
    }

    /// The answers of several repositories in one: `order` says whose result is next.
    pub fn together(
        query: &str,
        intent: search::Intent,
        parts: Vec<(String, SearchAnswer)>,
        order: &[usize],
        truncated: bool,
        Told { total, filtered_out, of }: Told,
    ) -> SearchAnswer {
        let shown: Vec<&str> = parts.iter().map(|(name, _)| name.as_str()).collect();
        let mut metadata = of.metadata(&shown).truncated_if(truncated).filtered_out(filtered_out);
        if let Some(model) = parts.iter().find_map(|(_, part)| part.metadata.extra.get("embedding_model")) {
            metadata = metadata.with("embedding_model", model.clone());
        }
        metadata = reasons::together(metadata, parts.iter().map(|(_, part)| &part.metadata), order);
        let suggested_next_actions = order
            .first()
            .and_then(|first| parts.get(*first))
            .map_or(Vec::new(), |(_, part)| part.suggested_next_actions.clone());
        let mut lists: Vec<_> = parts.into_iter().map(|(name, part)| (name, part.results.into_iter())).collect();
        let next = |of: &usize| {
            let (name, list) = lists.get_mut(*of)?;
            list.next().map(|hit| Hit { repository: Some(name.clone()), ..hit })
        };
        SearchAnswer {
            results: order.iter().filter_map(next).collect(),
            query_intent: intent.as_str(),
            total_candidates: total,
            suggested_next_actions,
            debug: None,
            metadata,
            query: query.to_owned(),
            truncated,
        }
    }

    /// How many results there are.
    pub fn count(&self) -> usize {
        self.results.len()
    }

    /// The answer with the first so many results.
    pub fn first(&self, count: usize) -> SearchAnswer {
        let mut answer = self.clone();
        answer.results.truncate(count);
        answer.metadata = reasons::keep_first(answer.metadata, count).truncated_if(count < self.results.len());
        answer
    }
}

impl Hit {
    fn new(view: &View, layers: &Layers, found: &SearchHit, detail: &Detail) -> Result<Hit, ToolError> {
        let path = found.file.path.as_str();
        let symbol = found.symbol();
        let located = found.definition();
        let result_type = found.target.result_type();
        let (is_symbol, is_file) = (result_type == ResultType::Symbol, result_type == ResultType::File);
        let surroundings = match &located {
            Some(located) if is_symbol => Surroundings::of(view, located, detail)?,
            _ => Surroundings::default(),
        };
        let lines = if detail.level == DetailLevel::Context { 20 } else { 3 };
        let snippet = result_type == ResultType::Snippet && detail.more() && !detail.compact;
        let mut declaration = Declaration::of(&found.file, symbol, detail);
        if !is_symbol && detail.breadth != Breadth::Full {
            declaration.signature = None; // of lines within a symbol it tells little: they are shown themselves
        }
        Ok(Hit {
            repository: None,
            result_id: result_id(found),
            symbol_id: located.as_ref().map(|located| located.symbol_id().as_str().to_owned()),
            symbol_stable_id: located.as_ref().map(|located| located.stable_id().as_str().to_owned()),
            result_type,
            path: path.to_owned(),
            line_start: found.lines.0,
            line_end: found.lines.1,
            kind: symbol.map(|symbol| symbol.kind.as_str()).or(is_file.then_some("file")),
            name: symbol
                .map(|symbol| symbol.name.clone())
                .or_else(|| is_file.then(|| path.rsplit('/').next().unwrap_or(path).to_owned())),
            declaration,
            score: rounded(found.confidence),
            source_layer: layers.of(&found.file.path, &found.file.hash),
            snippet: if snippet { search::snippet(view, found, lines) } else { None },
            surroundings,
            why: None,
            local_name: symbol.map(|symbol| locate::local_name(&found.table, symbol).to_owned()),
            shown: Shown::default(),
        })
    }

    /// Adds the place and what is shown of it.
    fn add_to(&self, text: &mut Text, words: &[String], said: &Said) {
        text.push(said.before(self.line()));
        self.shown.add_to(text, |line| highlight(line, words));
        let code = if self.result_type == ResultType::Symbol { &self.declaration.signature } else { &self.snippet };
        for line in code.iter().filter(|_| self.shown.is_empty()).flat_map(|code| code.lines()) {
            text.push(Line::new().plain("    ").join(highlight(line, words)));
        }
    }

    fn line(&self) -> Line {
        let place = place(&self.path, self.line_start, self.line_end);
        match (self.result_type, self.kind, self.local_name.as_ref()) {
            (ResultType::File, ..) | (_, None, _) | (_, _, None) => place,
            (_, Some(kind), Some(name)) => place.plain(format!("  {kind} ")).strong(name),
        }
    }
}

/// A result as a place whose source is shown; of a whole file none is.
fn listed(found: &SearchHit) -> Listed<'_> {
    let is_symbol = found.target.result_type() == ResultType::Symbol;
    Listed {
        file: &found.file,
        lines: if found.target.result_type() == ResultType::File { (1, 0) } else { found.lines },
        line: found.line.as_ref().map(|(line, _)| *line),
        symbol: found.definition().filter(|_| is_symbol),
    }
}

/// The identity of a result in this index: where it is and what it says.
fn result_id(found: &SearchHit) -> String {
    let (prefix, word) = match found.target.result_type() {
        ResultType::Symbol => ("res", "symbol"),
        ResultType::Snippet => ("snip", "snippet"),
        ResultType::File => ("file", "file"),
    };
    let (first, last) = found.lines;
    let hash = found.file.hash.to_hex();
    let place = format!("{word}\0{}\0{first}\0{last}\0{hash}", found.file.path);
    format!("{prefix}_{}", ids::short_hash(&place))
}

/// What each component adds to a score. At the `basic` level the text stands as `bm25_score`, at `full` that is the raw
/// figure of the best chunk and the text is a field of its own; either way the components add up to `final_score`.
fn reason(at: usize, found: &SearchHit, level: ExplainLevel) -> Value {
    let parts = found.confidence_parts();
    let figure = |part: f32| rounded(f64::from(part));
    let mut reason = json!({
        "result_index": at,
        "exact_match_boost": figure(parts.exact_match),
        "qualified_name_boost": figure(parts.qualified_name),
        "path_affinity": figure(parts.path_affinity),
        "definition_boost": figure(parts.definition),
        "kind_match": figure(parts.kind_match),
        "bm25_score": figure(if level == ExplainLevel::Full { found.bm25 } else { parts.text }),
    });
    if level == ExplainLevel::Full {
        reason["text_relevance"] = json!(figure(parts.text));
    }
    reason["final_score"] = json!(rounded(found.confidence));
    reason
}

/// What is worth a look after this: the first symbol by name, and its file.
fn next_actions(answer: &search::SearchAnswer) -> Vec<Value> {
    let ref_name = &answer.standing.ref_name;
    let outline =
        |found: &SearchHit| json!({"tool": names::GET_FILE_OUTLINE, "path": found.file.path, "ref": ref_name});
    let symbols = answer.found.iter().filter_map(|found| found.symbol().map(|symbol| (found, symbol)));
    match (symbols.into_iter().next(), answer.found.first()) {
        (Some((found, symbol)), _) => {
            vec![json!({"tool": names::LOCATE_SYMBOL, "name": symbol.name, "ref": ref_name}), outline(found)]
        }
        (None, Some(found)) => vec![outline(found)],
        (None, None) => Vec::new(),
    }
}

/// What a score is made of, on one line; the parts as they are shown add up to the score as it is shown.
fn why(found: &SearchHit) -> String {
    let thousandths = |part: f64| (part * 1e3).round() as i64;
    let shown = |part: i64| format!("{:.3}", part as f64 / 1e3);
    let (score, parts) = (thousandths(found.confidence), found.confidence_parts());
    let meaning = thousandths(f64::from(parts.semantic));
    let mut parts = [
        ("text", parts.text),
        ("name", parts.exact_match),
        ("qualified", parts.qualified_name),
        ("path", parts.path_affinity),
        ("used", parts.definition),
        ("kind", parts.kind_match),
    ]
    .map(|(name, part)| (name, thousandths(f64::from(part))));
    // The largest part takes what rounding left over.
    let left_over = score - parts.iter().map(|(_, part)| part).sum::<i64>();
    parts.iter_mut().max_by_key(|(_, part)| *part).into_iter().for_each(|(_, part)| *part += left_over);
    let show = |(name, part): &(&str, i64)| match *name {
        "text" if meaning > 0 => format!("text {} (of it meaning {})", shown(*part), shown(meaning)),
        name => format!("{name} {}", shown(*part)),
    };
    let parts: Vec<String> = parts.iter().filter(|(_, part)| *part > 0).map(show).collect();
    let reason = if found.score.text > 0.0 {
        reasons::text(&found.reasons)
    } else {
        found.reasons.parts.as_ref().map(reasons::path).unwrap_or_default()
    };
    format!("score {} = {}; {reason}", shown(score), parts.join(" + "))
}

impl Render for SearchAnswer {
    fn text(&self) -> Text {
        let mut text = noting(&self.metadata);
        if self.results.is_empty() {
            text.note(format!("nothing found for `{}`", self.query));
        }
        let words = words(&self.query);
        let mut file = "";
        let said = across::said(self.results.iter().map(|hit| hit.repository.as_deref()));
        for (hit, said) in self.results.iter().zip(said) {
            if let Some(heading) = said.heading() {
                file = "";
                text.push(heading);
            }
            // Lines of a file that say what was asked for: its path once, then each with the symbol around it.
            if let Some(line) = hit.shown.only_line(hit.line_start, hit.line_end)
                && hit.result_type == ResultType::Snippet
            {
                if hit.path != file || matches!(said, Said::Before(_)) {
                    file = &hit.path;
                    text.push(said.before(Line::new().path(file)));
                }
                let line = Line::new().number(hit.line_start.to_string()).plain(" ").join(highlight(line, &words));
                let around = hit.local_name.as_ref().map(|name| format!(" <- {name}")).unwrap_or_default();
                text.push(line.faint(around));
            } else {
                file = "";
                hit.add_to(&mut text, &words, &said);
            }
            if let Some(why) = &hit.why {
                text.push(Line::new().plain("    ").faint(why));
            }
        }
        if self.truncated && !self.results.is_empty() {
            text.push(Line::new().faint("more with a higher limit"));
        }
        text
    }
}

/// The words of a query that are worth showing.
fn words(query: &str) -> Vec<String> {
    let words = query.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.len() > 2);
    words.map(str::to_lowercase).collect()
}

/// A line with the query's words set off.
fn highlight(line: &str, words: &[String]) -> Line {
    let lower = line.to_lowercase();
    if lower.len() != line.len() {
        return Line::new().plain(line); // offsets would not fit
    }
    let mut marked = vec![false; line.len()];
    for word in words {
        for (at, _) in lower.match_indices(word.as_str()) {
            let end = at + word.len();
            // Letters that take more bytes in one case than in the other may make up for each other.
            if line.is_char_boundary(at) && line.is_char_boundary(end) {
                marked[at..end].fill(true);
            }
        }
    }
    let mut out = Line::new();
    let mut rest = 0;
    while rest < line.len() {
        let end = (rest..line.len()).find(|at| marked[*at] != marked[rest]).unwrap_or(line.len());
        let part = &line[rest..end];
        out = if marked[rest] { out.strong(part) } else { out.plain(part) };
        rest = end;
    }
    out
}
