//! Where a name is defined.

use cruxe_index::{Layers, View};
use cruxe_model::SourceLayer;
use cruxe_model::config::ExplainLevel;
use cruxe_query::locate::{self, Definitions, Matched};
use cruxe_query::name;
use cruxe_query::unparsed::Hidden;
use cruxe_query::unread::Unread;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::across::{self, Told};
use super::code::{self, Listed, Shown};
use super::detail::{Declaration, Detail, Surroundings};
use super::text::{Line, Text};
use super::{Render, Source, inherited, noting, place, reasons, rounded};
use crate::contract::{Metadata, ToolError};

/// The answer.
#[derive(Clone, Serialize, JsonSchema)]
pub struct LocateAnswer {
    results: Vec<Definition>,
    total_candidates: usize,
    pub(super) metadata: Metadata,
    #[serde(skip)]
    name: String,
    /// How many repositories the question is about, where it is about several.
    #[serde(skip)]
    repositories: Option<usize>,
}

/// A definition. What is not known, or not asked for, is left out.
#[derive(Clone, Serialize, JsonSchema)]
struct Definition {
    /// The repository, where several were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    repository: Option<String>,
    symbol_id: String,
    symbol_stable_id: String,
    path: String,
    line_start: u32,
    line_end: u32,
    kind: &'static str,
    name: String,
    #[serde(flatten)]
    declaration: Declaration,
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_layer: Option<SourceLayer>,
    #[serde(flatten)]
    surroundings: Surroundings,
    /// The name within its file.
    #[serde(skip)]
    local_name: String,
    #[serde(skip)]
    shown: Shown,
}

impl LocateAnswer {
    /// Where `name` is defined.
    pub fn new(
        name: &str,
        view: &View,
        layers: &Layers,
        answer: &Definitions,
        detail: &Detail,
    ) -> Result<LocateAnswer, ToolError> {
        let results: Vec<Definition> = answer
            .found
            .iter()
            .map(|found| Definition::new(view, layers, found, detail))
            .collect::<Result<_, ToolError>>()?;
        let mut metadata = Metadata::of(&view.standing).truncated_if(answer.total > results.len());
        metadata = metadata.filtered_out(answer.filtered_out);
        metadata.warnings.extend(not_exact(name, answer));
        Ok(LocateAnswer {
            results,
            total_candidates: answer.total,
            metadata,
            name: name.to_owned(),
            repositories: None,
        })
    }

    /// Says that the name stands in code that could not be parsed.
    pub fn with_hidden(mut self, hidden: Option<&Hidden>) -> LocateAnswer {
        self.metadata = self.metadata.hidden(hidden);
        self
    }

    /// Says where else the last part of a qualified name is defined, where nothing is what was asked for.
    pub fn with_elsewhere(mut self, others: &Definitions) -> LocateAnswer {
        self.metadata.warnings.extend(elsewhere(&self.name, others));
        self
    }

    /// Says that the name stands in texts that are not indexed.
    pub fn with_unread(mut self, unread: Option<&Unread>) -> LocateAnswer {
        self.metadata = self.metadata.unread(unread);
        self
    }

    /// Says why each result ranks where it does: the factors of the very score that ordered them.
    pub fn with_reasons(mut self, answer: &Definitions, level: ExplainLevel) -> LocateAnswer {
        let reasons = answer.found.iter().enumerate().map(|(at, found)| reason(at, found, level));
        self.metadata = reasons::add(self.metadata, reasons, level);
        self
    }

    /// Shows source with the results, as much as there is room for.
    pub fn with_source(mut self, view: &View, answer: &Definitions, source: Source) -> Result<LocateAnswer, ToolError> {
        let places: Vec<Listed> = answer
            .found
            .iter()
            .map(|found| Listed { file: &found.file, lines: found.lines(), line: None, symbol: Some(found.clone()) })
            .collect();
        let shown = code::shown(view, &places, &[], source)?;
        self.results.iter_mut().zip(shown).for_each(|(result, shown)| result.shown = shown);
        Ok(self)
    }

    /// The answers of several repositories in one: `order` says whose result is next.
    pub fn together(
        name: &str,
        parts: Vec<(String, LocateAnswer)>,
        order: &[usize],
        Told { total, filtered_out, of }: Told,
    ) -> LocateAnswer {
        let shown: Vec<&str> = parts.iter().map(|(name, _)| name.as_str()).collect();
        let count = of.total();
        let mut metadata = of.metadata(&shown).truncated_if(total > order.len()).filtered_out(filtered_out);
        let of_first = parts.first().map(|(_, part)| part.metadata.warnings.clone()).unwrap_or_default();
        // That the name is not just so is the same everywhere.
        metadata.warnings.extend(of_first.into_iter().filter(|warning| warning.starts_with("no symbol is named")));
        metadata = reasons::together(metadata, parts.iter().map(|(_, part)| &part.metadata), order);
        let mut lists: Vec<_> = parts.into_iter().map(|(name, part)| (name, part.results.into_iter())).collect();
        let next = |of: &usize| {
            let (name, list) = lists.get_mut(*of)?;
            list.next().map(|result| Definition { repository: Some(name.clone()), ..result })
        };
        let results = order.iter().filter_map(next).collect();
        LocateAnswer { results, total_candidates: total, metadata, name: name.to_owned(), repositories: Some(count) }
    }

    /// How many results there are.
    pub fn count(&self) -> usize {
        self.results.len()
    }

    /// The answer with the first so many results.
    pub fn first(&self, count: usize) -> LocateAnswer {
        let mut answer = self.clone();
        answer.results.truncate(count);
        answer.metadata = reasons::keep_first(answer.metadata, count).truncated_if(count < self.results.len());
        answer
    }
}

impl Definition {
    fn new(view: &View, layers: &Layers, found: &locate::Definition, detail: &Detail) -> Result<Definition, ToolError> {
        let (symbol, (line_start, line_end)) = (found.symbol(), found.lines());
        let mut declaration = Declaration::of(&found.file, Some(symbol), detail);
        // A plain name does not tell which of several it is, however little is asked for.
        declaration.qualified_name.get_or_insert_with(|| symbol.qualified_name.clone());
        Ok(Definition {
            repository: None,
            symbol_id: found.symbol_id().as_str().to_owned(),
            symbol_stable_id: found.stable_id().as_str().to_owned(),
            path: found.file.path.as_str().to_owned(),
            line_start,
            line_end,
            kind: symbol.kind.as_str(),
            name: symbol.name.clone(),
            declaration,
            score: rounded(found.score.total()),
            source_layer: layers.of(&found.file.path, &found.file.hash),
            surroundings: Surroundings::of(view, found, detail)?,
            local_name: locate::local_name(&found.table, symbol).to_owned(),
            shown: Shown::default(),
        })
    }
}

/// What to tell when no symbol has just the name.
fn not_exact(name: &str, answer: &Definitions) -> Option<String> {
    let how = match answer.matched? {
        Matched::Exact => return None,
        Matched::Inherited => {
            let found = answer.found.first()?;
            return Some(inherited(name.trim(), &found.symbol().qualified_name));
        }
        Matched::Nearly if name::parse(name).qualifiers.is_empty() => "names that differ in case",
        Matched::Nearly => "names that differ in case, or in what they belong to",
        Matched::Prefix => "names that begin with it",
        Matched::Typo => "the most similar names",
    };
    Some(format!("no symbol is named exactly `{name}`; these are {how}"))
}

/// How many others are named.
const OTHERS_NAMED: usize = 3;

fn elsewhere(name: &str, others: &Definitions) -> Option<String> {
    let named = others.found.iter().take(OTHERS_NAMED).map(|one| {
        let (symbol, path, line) = (one.symbol(), one.file.path.as_str(), one.lines().0);
        format!("{} ({path}:{line})", symbol.qualified_name)
    });
    let named: Vec<String> = named.collect();
    let plain = &others.found.first()?.symbol().name;
    let more = match others.total - named.len() {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    Some(format!("no symbol is named `{name}`; `{plain}` is defined as {}{more}", named.join(", ")))
}

fn reason(at: usize, found: &locate::Definition, level: ExplainLevel) -> Value {
    let score = &found.score;
    let rarity = if level == ExplainLevel::Full { score.rarity } else { score.relative_rarity() };
    json!({
        "result_index": at,
        "exact_match_boost": rounded(score.exact_match),
        "qualified_name_boost": rounded(score.qualified_name),
        "path_affinity": rounded(score.path_affinity),
        "definition_boost": rounded(score.definition),
        "kind_match": rounded(score.kind),
        "bm25_score": rounded(rarity),
        "final_score": rounded(score.total()),
    })
}

impl Render for LocateAnswer {
    fn text(&self) -> Text {
        let mut text = noting(&self.metadata);
        let is_said = self.metadata.warnings.iter().any(|warning| warning.starts_with("no symbol is named"));
        if self.results.is_empty() && !is_said {
            text.note(match self.repositories {
                None => format!("no symbol is named `{}`", self.name),
                Some(count) => format!("no symbol is named `{}` in {count} repositories", self.name),
            });
        }
        let said = across::said(self.results.iter().map(|one| one.repository.as_deref()));
        for (one, said) in self.results.iter().zip(said) {
            text.lines.extend(said.heading());
            let place = said.before(place(&one.path, one.line_start, one.line_end));
            text.push(place.plain(format!("  {} ", one.kind)).strong(&one.local_name));
            one.shown.add_to(&mut text, |line| Line::new().plain(line));
            let signature = one.declaration.signature.iter().filter(|_| one.shown.is_empty());
            for line in signature.flat_map(|signature| signature.lines()) {
                text.push(Line::new().plain(format!("    {line}")));
            }
        }
        let left_out = self.total_candidates.saturating_sub(self.results.len());
        if left_out > 0 {
            text.push(Line::new().faint(format!("{left_out} more; a higher limit lists them")));
        }
        text
    }
}
