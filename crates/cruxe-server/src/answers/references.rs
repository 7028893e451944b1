//! Every use of a symbol.

use cruxe_index::View;
use cruxe_model::SourceLayer;
use cruxe_query::external::External;
use cruxe_query::references::{Confidence, EdgeType, Question, Reference, ReferenceList, Subject};
use schemars::JsonSchema;
use serde::Serialize;

use super::detail::Breadth;
use super::mentions::{self, OpenMention};
use super::symbol::candidates;
use super::text::{Line, Text};
use super::{Render, SymbolEntry, left_out, several_definitions};
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
    metadata: Metadata,
    #[serde(skip)]
    open: usize,
    #[serde(skip)]
    filtered_out: usize,
    #[serde(skip)]
    notes: Vec<String>,
    #[serde(skip)]
    noun: &'static str,
}

/// A use.
#[derive(Serialize, JsonSchema)]
struct Use {
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
        let (symbol, others, several): (SymbolEntry, _, _) = match answer.subject {
            Subject::Defined(target) => {
                let several = several_definitions(&target, name.unwrap_or(&target.symbol.name));
                (target.symbol.into(), target.candidates, several)
            }
            Subject::External(external) => {
                let note = not_defined(&external);
                (SymbolEntry::external(external), Vec::new(), Some(note))
            }
        };
        let mut metadata = Metadata::of(&view.standing).late_if(answer.late).truncated_if(answer.total > listed);
        metadata = metadata.filtered_out(answer.filtered_out);
        let notes: Vec<String> = several.into_iter().chain(answer.notes.iter().map(relations::note)).collect();
        metadata.warnings.extend(notes.iter().cloned());
        if let Some(open) = answer.unresolved_of_kind {
            metadata = metadata.with("unresolved_of_kind", open);
        }
        if let Some(mentions) = &answer.mentions {
            metadata = mentions::noted(metadata, symbol.plain_name(), mentions, answer.first_unparsed);
        }
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
            notes,
            noun: question.relation.map_or("references", relations::noun),
        }
    }
}

/// What to tell a reader whose name is no definition of the ref.
fn not_defined(external: &External) -> String {
    let near = match external.nearest.first() {
        Some(near) => format!("; near is {} in {}:{}", near.name, near.path, near.line),
        None => String::new(),
    };
    format!("nothing here defines `{}`; these are its uses as something from outside{near}", external.name)
}

impl Use {
    fn new(reference: Reference, breadth: Breadth) -> Use {
        let from = reference.from;
        let elsewhere = from.path != reference.path;
        let place = (breadth == Breadth::Full || elsewhere).then_some(HolderPlace {
            path: from.path,
            line_start: from.line_start,
            line_end: from.line_end,
        });
        Use {
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
        }
    }
}

impl Use {
    /// How something is related, behind its line; empty for a plain use.
    fn related(&self) -> String {
        let holder = &self.from_symbol.qualified_name;
        let whose = match (&self.through, self.depth) {
            (Some(through), _) => format!("through {through}"),
            (None, Some(depth)) if depth > 1 => format!("{holder}, {depth} steps"),
            (None, Some(_)) => holder.clone(),
            (None, None) => return String::new(),
        };
        format!("  ({whose})")
    }
}

impl ReferencesAnswer {
    fn list_unresolved(&self, text: &mut Text) {
        let mut file = "";
        for one in self.unresolved.iter().flatten() {
            if one.path != file {
                file = &one.path;
                text.push(Line::new().path(file));
            }
            let line = Line::new().number(format!("{:>6}", one.line)).plain(format!("  {}", one.context));
            text.push(line.faint(format!("  ({})", one.reason)));
        }
    }
}

impl Render for ReferencesAnswer {
    fn text(&self) -> Text {
        let mut text = Text { notes: self.notes.clone(), lines: vec![self.symbol.headline()] };
        let mut file = "";
        for one in &self.references {
            if one.path != file {
                file = &one.path;
                text.push(Line::new().path(file));
            }
            let guess = if one.confidence == Confidence::Heuristic { "?" } else { " " };
            let number = format!("{:>6}", one.line_start);
            text.push(Line::new().number(number).plain(format!("{guess} {}", one.context)).faint(one.related()));
        }
        let (shown, total) = (self.references.len(), self.total_references);
        let cut = if shown < total { format!(", {shown} shown (--limit {total})") } else { String::new() };
        let open = match (self.open, &self.unresolved) {
            (0, _) => String::new(),
            (count, None) => format!(", {count} uses of the name unresolved (--unresolved)"),
            (count, Some(_)) => format!(", {count} uses of the name unresolved"),
        };
        let hidden = left_out(self.filtered_out);
        text.push(Line::new().faint(format!("{total} {}{cut}{hidden}{open}", self.noun)));
        self.list_unresolved(&mut text);
        text
    }
}
