//! Every use of a symbol.

use std::collections::HashMap;

use cruxe_index::View;
use cruxe_model::{ResultCompleteness, SourceLayer, SymbolKind};
use cruxe_query::external::External;
use cruxe_query::references::{Confidence, EdgeType, Question, Reference, ReferenceList, Subject};
use schemars::JsonSchema;
use serde::Serialize;

use super::across::{Dependents, OfRepositories};
use super::detail::Breadth;
use super::mentions::{self, OpenMention};
use super::symbol::candidates;
use super::text::{Line, Text};
use super::{Render, SymbolEntry, left_out, noting, which_definition};
use crate::contract::{Metadata, relations};

/// The symbol and its uses.
#[derive(Serialize, JsonSchema)]
pub struct ReferencesAnswer {
    symbol: SymbolEntry,
    references: Vec<Use>,
    total_references: usize,
    /// Other definitions of the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<SymbolEntry>")]
    candidates: Option<Vec<SymbolEntry>>,
    /// With include_unresolved: what may mean it without anybody knowing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<OpenMention>")]
    unresolved: Option<Vec<OpenMention>>,
    pub(super) metadata: Metadata,
    #[serde(skip)]
    open: usize,
    #[serde(skip)]
    filtered_out: usize,
    #[serde(skip)]
    next_offset: Option<usize>,
    /// Uses of every sort were asked for, from the first on.
    #[serde(skip)]
    is_whole: bool,
    #[serde(skip)]
    noun: Option<&'static str>,
    /// The repositories, the symbol's own first, with the uses in each.
    #[serde(skip)]
    repositories: Vec<(String, usize)>,
}

/// A use.
#[derive(Serialize, JsonSchema)]
struct Use {
    /// The repository, where several were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    repository: Option<String>,
    path: String,
    line_start: u32,
    #[serde(with = "EdgeWord")]
    edge_type: EdgeType,
    #[serde(with = "ConfidenceWord")]
    confidence: Confidence,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_layer: Option<SourceLayer>,
    context: String,
    from_symbol: Holder,
    /// Of a relation: how many steps away it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    /// Of a relation: the sub-type by which it comes about.
    #[serde(skip_serializing_if = "Option::is_none")]
    through: Option<String>,
    /// What is related is a class without a name in `from_symbol`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unnamed: bool,
    /// The symbol around it by its name within the file; empty outside of every symbol.
    #[serde(skip)]
    around: String,
    /// Its line declares that symbol, and so says its name.
    #[serde(skip)]
    declares: bool,
    #[serde(skip)]
    in_test_file: bool,
}

/// What a use is.
#[derive(Serialize, JsonSchema)]
#[serde(remote = "EdgeType", rename_all = "snake_case")]
enum EdgeWord {
    Imports,
    Calls,
    Implements,
    Extends,
    References,
    Overrides,
}

/// How sure an edge is.
#[derive(Serialize, JsonSchema)]
#[serde(remote = "Confidence", rename_all = "snake_case")]
pub(super) enum ConfidenceWord {
    Exact,
    Static,
    Heuristic,
}

/// The symbol that a use stands in.
#[derive(Serialize, JsonSchema)]
struct Holder {
    symbol_id: String,
    symbol_stable_id: String,
    name: String,
    qualified_name: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_test: bool,
    /// Where its file is the use's, only a person is told.
    #[serde(flatten)]
    place: Option<HolderPlace>,
}

#[derive(Serialize, JsonSchema)]
struct HolderPlace {
    path: String,
    line_start: u32,
    line_end: u32,
}

impl ReferencesAnswer {
    /// The uses of a symbol that somebody named `name`; without one, the symbol's own name counts.
    pub fn new(
        name: Option<&str>,
        view: &View,
        question: &Question,
        answer: ReferenceList,
        breadth: Breadth,
    ) -> ReferencesAnswer {
        let listed = question.offset + answer.references.len();
        let (symbol, others, notes): (SymbolEntry, _, _) = match answer.subject {
            Subject::Defined(target) => {
                let notes = which_definition(&target, name.unwrap_or(&target.symbol.name));
                (target.symbol.into(), target.candidates, notes)
            }
            Subject::External(external) => {
                let note = not_defined(&external);
                (SymbolEntry::external(external), Vec::new(), vec![note])
            }
        };
        let mut metadata = Metadata::of(&view.standing).late_if(answer.late).truncated_if(answer.total > listed);
        metadata = metadata.filtered_out(answer.filtered_out);
        metadata.warnings.extend(notes.into_iter().chain(answer.notes.iter().map(relations::note)));
        if let Some(open) = answer.unresolved_of_kind {
            metadata = metadata.with("unresolved_of_kind", open);
        }
        if let Some(mentions) = &answer.mentions {
            metadata = mentions::noted(metadata, symbol.plain_name(), mentions, answer.first_unparsed);
        }
        metadata = metadata.unread(answer.unread.as_ref()).by_text(answer.by_text.as_ref());
        metadata = metadata.unnamed(symbol.plain_name(), answer.runs_unnamed);
        if answer.total > listed {
            metadata = metadata.with("next_offset", listed);
        }
        ReferencesAnswer {
            references: answer.references.into_iter().map(|one| Use::new(one, breadth)).collect(),
            total_references: answer.total,
            candidates: candidates(others, breadth),
            symbol,
            metadata,
            unresolved: (question.unresolved > 0)
                .then(|| answer.unresolved.into_iter().map(OpenMention::from).collect()),
            open: answer.unresolved_of_kind.or(answer.mentions.map(|mentions| mentions.open())).unwrap_or_default(),
            filtered_out: answer.filtered_out,
            next_offset: (answer.total > listed).then_some(listed),
            is_whole: question.edge.is_none() && question.relation.is_none() && question.offset == 0 && !answer.late,
            noun: question.relation.map(relations::noun),
            repositories: Vec::new(),
        }
    }

    /// Says whose uses they are.
    pub fn name_repository(&mut self, name: &str) {
        self.references.iter_mut().for_each(|one| one.repository = Some(name.to_owned()));
        self.repositories = vec![(name.to_owned(), self.total_references)];
    }

    /// Adds the uses in a repository that depends on the symbol's.
    pub fn add(&mut self, name: &str, part: Option<ReferencesAnswer>, limit: usize) {
        let Some(mut part) = part else { return };
        part.name_repository(name);
        part.references.truncate(limit);
        self.repositories.extend(part.repositories.into_iter().filter(|(_, uses)| *uses > 0));
        self.total_references += part.total_references;
        self.open += part.open;
        self.filtered_out += part.filtered_out;
        self.references.extend(part.references);
    }

    /// Says what there is to know of the repositories. Where there are more uses than are listed, each repository has its share.
    pub fn of_repositories(mut self, told: OfRepositories, others: Dependents, limit: usize) -> ReferencesAnswer {
        let uses: Vec<serde_json::Value> = self
            .repositories
            .iter()
            .map(|(name, uses)| serde_json::json!({"repository": name, "total_references": uses}))
            .collect();
        let mut left: Vec<usize> = self
            .repositories
            .iter()
            .map(|(name, _)| self.references.iter().filter(|one| one.repository.as_ref() == Some(name)).count())
            .collect();
        let mut kept = vec![0; left.len()];
        let mut room = limit;
        while room > 0 && left.iter().any(|left| *left > 0) {
            for (left, kept) in left.iter_mut().zip(&mut kept).filter(|(left, _)| **left > 0) {
                if room > 0 {
                    (*left, *kept, room) = (*left - 1, *kept + 1, room - 1);
                }
            }
        }
        for ((name, _), kept) in self.repositories.iter().zip(kept) {
            let mut seen = 0;
            self.references.retain(|one| {
                let own = one.repository.as_ref() == Some(name);
                seen += usize::from(own);
                !own || seen <= kept
            });
        }
        let shown: Vec<&str> = self.repositories.iter().map(|(name, _)| name.as_str()).collect();
        let mut metadata = others.note(told.metadata(&shown)).with("uses_by_repository", uses);
        let own = std::mem::replace(&mut self.metadata, Metadata::new(""));
        for (key, value) in own.extra {
            if matches!(key.as_str(), "mentions" | "unresolved_mentions") {
                metadata = metadata.with(&key, value);
            }
        }
        metadata = metadata.truncated_if(self.total_references > self.references.len()).filtered_out(self.filtered_out);
        self.next_offset = None;
        self.is_whole = false;
        ReferencesAnswer { metadata, ..self }
    }
}

/// What to tell a reader whose name is no definition of the ref.
pub(super) fn not_defined(external: &External) -> String {
    let near = match external.nearest.first() {
        Some(near) => format!("; near is {} in {}:{}", near.name, near.path, near.line),
        None => String::new(),
    };
    format!("nothing here defines `{}`; these are its uses as something from outside{near}", external.name)
}

impl Use {
    fn new(reference: Reference, breadth: Breadth) -> Use {
        let from = reference.from;
        let around = match from.kind {
            SymbolKind::Module => String::new(),
            // The class around a test tells nothing.
            _ if reference.in_test => from.name.clone(),
            _ => from.local_name,
        };
        let elsewhere = from.path != reference.path;
        let declares = !elsewhere && from.line_start == reference.line && reference.context.contains(&from.name);
        let place = (breadth == Breadth::Full || elsewhere).then_some(HolderPlace {
            path: from.path,
            line_start: from.line_start,
            line_end: from.line_end,
        });
        Use {
            repository: None,
            path: reference.path,
            line_start: reference.line,
            edge_type: reference.edge,
            confidence: reference.confidence,
            source_layer: reference.layer,
            context: reference.context,
            from_symbol: Holder {
                symbol_id: from.symbol_id,
                symbol_stable_id: from.symbol_stable_id,
                name: from.name,
                qualified_name: from.qualified_name,
                kind: from.kind.as_str(),
                is_test: from.is_test,
                place,
            },
            depth: reference.depth,
            through: reference.through,
            unnamed: reference.unnamed,
            around,
            declares,
            in_test_file: reference.in_test,
        }
    }
}

impl Use {
    /// How something is related, behind its line; `None` for a plain use.
    fn related(&self) -> Option<String> {
        if self.depth.is_none() && self.through.is_none() {
            return None;
        }
        // A line that declares it says its name.
        if self.through.is_none() && self.depth == Some(1) && self.context.contains(&self.around) {
            return Some(String::new());
        }
        let through = self.through.as_ref().map(|through| format!(" through {through}")).unwrap_or_default();
        let steps = self.depth.filter(|steps| *steps > 1).map(|steps| format!(" ({steps} steps)")).unwrap_or_default();
        Some(format!(" <- {}{steps}{through}", self.around))
    }
}

impl ReferencesAnswer {
    /// Whether the uses begin with those in the symbol's own file, so that its place can be said there: always, but for a symbol of a test file that
    /// source uses.
    fn begins_at_home(&self, is_test: &HashMap<&str, bool>) -> bool {
        is_test.get(self.symbol.path.as_str()).is_some_and(|home| !home || is_test.values().all(|test| *test))
    }

    /// The uses by file, source before tests: a path once, then a line each with the symbol around it where that changes and the
    /// line does not say it.
    fn list_uses(&self, repository: Option<&str>, is_test: &HashMap<&str, bool>, text: &mut Text) {
        let home = self.symbol.path.as_str();
        let is_here = |one: &&Use| repository.is_none() || one.repository.as_deref() == repository;
        let mut uses: Vec<&Use> = self.references.iter().filter(is_here).collect();
        let begins_at_home = self.begins_at_home(is_test) && (repository.is_none() || self.is_home(repository));
        uses.sort_by_key(|one| (is_test[one.path.as_str()], one.path != home, &one.path, one.line_start));
        uses.dedup_by_key(|one| (&one.path, one.line_start));
        let (mut file, mut around) = ("", "");
        for one in uses {
            if one.path != file {
                let is_first = file.is_empty();
                (file, around) = (&one.path, "");
                let heading = Line::new().path(file);
                text.push(match is_first && begins_at_home {
                    true => heading.faint(" (def ").number(self.symbol.line_start.to_string()).faint(")"),
                    false => heading,
                });
            }
            let guess = if one.confidence == Confidence::Heuristic { "?" } else { "" };
            let mut line = Line::new().number(one.line_start.to_string()).plain(format!("{guess} {}", one.context));
            if let Some(related) = one.related() {
                line = line.faint(related);
            } else if one.around != around {
                around = &one.around;
                match around {
                    "" => line = line.faint(" <- file"),
                    _ if one.declares => {}
                    _ => line = line.faint(format!(" <- {around}")),
                }
            }
            text.push(line);
        }
    }

    /// Whether a repository is the symbol's own.
    fn is_home(&self, repository: Option<&str>) -> bool {
        self.repositories.first().map(|(name, _)| name.as_str()) == repository
    }

    fn list_unresolved(&self, text: &mut Text) {
        let mut file = "";
        for one in self.unresolved.iter().flatten() {
            if one.path != file {
                file = &one.path;
                text.push(Line::new().path(file));
            }
            let line = Line::new().number(one.line.to_string()).plain(format!(" {}", one.context));
            text.push(line.faint(format!(" ({})", one.reason)));
        }
    }

    /// What is counted: how many uses there are and are shown, and what else may be one.
    fn counts(&self) -> String {
        let (shown, total) = (self.references.len(), self.total_references);
        let uses = match (self.noun, total) {
            (Some(noun), _) => format!("{total} {noun}"),
            (None, 1) => "1 use".to_owned(),
            (None, _) => format!("{total} uses"),
        };
        let cut = match self.next_offset {
            Some(next) if next > shown => format!(", {}-{next} shown, offset {next} goes on", next - shown + 1),
            Some(next) => format!(", {shown} shown, offset {next} goes on"),
            None => String::new(),
        };
        let open = match (self.open, &self.unresolved) {
            (0, _) => String::new(),
            (count, None) => format!(", {count} unresolved (include_unresolved)"),
            (count, Some(_)) => format!(", {count} unresolved:"),
        };
        // Where a file beside the index or a text may mean it, the answer is not complete.
        let is_told = self.is_whole && self.metadata.result_completeness == ResultCompleteness::Complete;
        let unused =
            if total == 0 && self.open == 0 && self.filtered_out == 0 && is_told { ": it is unused" } else { "" };
        format!("{uses}{cut}{}{open}{unused}", left_out(self.filtered_out))
    }
}

impl Render for ReferencesAnswer {
    fn text(&self) -> Text {
        let mut text = noting(&self.metadata);
        let mut is_test: HashMap<&str, bool> = HashMap::new();
        for one in &self.references {
            *is_test.entry(&one.path).or_insert(true) &= one.from_symbol.is_test || one.in_test_file;
        }
        let headline = match self.begins_at_home(&is_test) {
            true => self.symbol.name_line(),
            false => self.symbol.headline(),
        };
        text.push(match self.unresolved {
            None => headline.faint(format!("  {}", self.counts())),
            Some(_) => headline,
        });
        match self.repositories.is_empty() {
            true => self.list_uses(None, &is_test, &mut text),
            false => {
                for (name, uses) in &self.repositories {
                    text.push(Line::new().strong(name.as_str()).faint(format!(": {uses}")));
                    self.list_uses(Some(name), &is_test, &mut text);
                }
            }
        }
        if self.unresolved.is_some() {
            text.push(Line::new().faint(self.counts()));
            self.list_unresolved(&mut text);
        }
        text
    }
}
