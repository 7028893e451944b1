//! Every use of a symbol.

use cruxe_index::View;
use cruxe_model::SourceLayer;
use cruxe_query::references::{Confidence, EdgeType, Question, Reference, ReferenceList};
use cruxe_query::symbol::SymbolRef;
use schemars::JsonSchema;
use serde::Serialize;

use super::detail::Breadth;
use super::text::{Line, Text};
use super::{Render, several_definitions};
use crate::contract::Metadata;

/// The symbol and its uses.
#[derive(Serialize, JsonSchema)]
pub struct ReferencesAnswer {
    symbol: SymbolRef,
    references: Vec<Use>,
    total_references: usize,
    /// Other definitions of the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<SymbolRef>")]
    candidates: Option<Vec<SymbolRef>>,
    metadata: Metadata,
    #[serde(skip)]
    unresolved: usize,
    #[serde(skip)]
    several: Option<String>,
}

/// A use.
#[derive(Serialize, JsonSchema)]
struct Use {
    path: String,
    line_start: u32,
    edge_type: EdgeType,
    confidence: Confidence,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_layer: Option<SourceLayer>,
    context: String,
    from_symbol: Holder,
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
    /// Its file is the use's.
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
        let target = answer.target;
        let listed = question.offset + answer.references.len();
        let several = several_definitions(&target, name.unwrap_or(&target.symbol.name));
        let mut metadata = Metadata::of(&view.standing).late_if(answer.late).truncated_if(answer.total > listed);
        metadata = metadata.unparsed_at(&target.symbol.name, &answer.unparsed);
        metadata.warnings.extend(several.clone());
        metadata = metadata.with("unresolved_mentions", answer.unresolved);
        if answer.total > listed {
            metadata = metadata.with("next_offset", listed);
        }
        ReferencesAnswer {
            references: answer.references.into_iter().map(|one| Use::new(one, breadth)).collect(),
            total_references: answer.total,
            candidates: Some(target.candidates).filter(|list| breadth == Breadth::Full || !list.is_empty()),
            symbol: target.symbol,
            metadata,
            unresolved: answer.unresolved,
            several,
        }
    }
}

impl Use {
    fn new(reference: Reference, breadth: Breadth) -> Use {
        let from = reference.from;
        let place = (breadth == Breadth::Full).then_some(HolderPlace {
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
                kind: from.kind,
                is_test: from.is_test,
                place,
            },
        }
    }
}

/// A definition on a line of its own, above what is said of it.
pub(super) fn headline(symbol: &SymbolRef) -> Line {
    Line::new()
        .plain(format!("{} ", symbol.kind))
        .strong(&symbol.qualified_name)
        .plain("  ")
        .path(&symbol.path)
        .plain(":")
        .number(symbol.line_start.to_string())
}

impl Render for ReferencesAnswer {
    fn text(&self) -> Text {
        let mut text = Text { notes: self.several.iter().cloned().collect(), lines: vec![headline(&self.symbol)] };
        let mut file = "";
        for one in &self.references {
            if one.path != file {
                file = &one.path;
                text.push(Line::new().path(file));
            }
            let guess = if one.confidence == Confidence::Heuristic { "?" } else { " " };
            let number = format!("{:>6}", one.line_start);
            text.push(Line::new().number(number).plain(format!("{guess} {}", one.context)));
        }
        let (shown, total) = (self.references.len(), self.total_references);
        let cut = if shown < total { format!(", {shown} shown (--limit {total})") } else { String::new() };
        let open = match self.unresolved {
            0 => String::new(),
            count => format!(", {count} uses of the name unresolved"),
        };
        text.push(Line::new().faint(format!("{total} references{cut}{open}")));
        text
    }
}
