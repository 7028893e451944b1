//! How one symbol reaches another: chains of calls.

use cruxe_query::call_path::{CallPaths, CallSite, End, Gap, Step};
use cruxe_query::references::{Confidence, Subject};
use cruxe_query::symbol::SymbolRef;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::call_graph::Site;
use super::mentions;
use super::references::{ConfidenceWord, not_defined};
use super::text::{Line, Text};
use super::{SymbolEntry, which_definition};
use crate::contract::Metadata;

/// A symbol on the way.
#[derive(Serialize, JsonSchema)]
pub struct PathStep {
    /// The symbol.
    pub symbol: SymbolEntry,
    /// The call that leads to it from the one before; the first has none.
    #[serde(flatten)]
    call: Option<Taken>,
    depth: usize,
}

/// A call that a chain takes.
#[derive(Serialize, JsonSchema)]
struct Taken {
    call_site: Site,
    #[serde(with = "ConfidenceWord")]
    confidence: Confidence,
    /// What the call names, where the symbol overrides that.
    #[serde(skip_serializing_if = "Option::is_none")]
    overrides: Option<String>,
}

/// What may be the missing link.
#[derive(Serialize, JsonSchema)]
pub(super) struct PossibleLink {
    /// Qualified name of who calls or hands it on.
    from: String,
    call_site: Site,
    /// Why it cannot be told.
    reason: &'static str,
    /// Qualified name of what may be called.
    to: String,
}

/// An answer, taken apart.
pub(super) struct Route {
    pub from: SymbolEntry,
    pub to: SymbolEntry,
    /// Other definitions of both names.
    pub others: Vec<SymbolRef>,
    pub paths: Vec<Vec<PathStep>>,
    pub possible_links: Vec<PossibleLink>,
    pub summary: String,
    pub truncated: bool,
    pub metadata: Metadata,
}

impl Route {
    pub fn new(answer: CallPaths, metadata: Metadata) -> Route {
        let mut notes = which_definition(&answer.from, &answer.from.symbol.name);
        let mut others = answer.from.candidates;
        let from: SymbolEntry = answer.from.symbol.into();
        let to: SymbolEntry = match answer.to {
            Subject::Defined(target) => {
                notes.extend(which_definition(&target, &target.symbol.name));
                others.extend(target.candidates);
                target.symbol.into()
            }
            Subject::External(external) => {
                notes.push(not_defined(&external));
                SymbolEntry::external(external)
            }
        };
        let (ahead, behind) = answer.looked;
        let searched = json!({
            "callee_steps": ahead,
            "caller_steps": behind,
            "symbols": answer.symbols,
            "unresolved_calls": answer.unresolved,
        });
        let mut metadata = metadata.with("searched", searched);
        metadata.warnings.extend(notes);
        let looked = format!(
            "looked {} from `{}` and {behind} back from `{}`, at {} symbols{}",
            if ahead == 1 { "1 step".to_owned() } else { format!("{ahead} steps") },
            from.qualified_name,
            to.qualified_name,
            answer.symbols,
            if answer.tried_others { ", and tried the other definitions of the names" } else { "" },
        );
        let open = match answer.unresolved {
            0 => "no unresolved call was met on the way".to_owned(),
            1 => "1 unresolved call was met on the way and may be the missing link".to_owned(),
            count => format!("{count} unresolved calls were met on the way, and one may be the missing link"),
        };
        let summary = match answer.end {
            End::Found => match answer.paths.len() {
                1 => "1 path".to_owned(),
                count => format!("{count} paths"),
            },
            End::None => format!("there is no path: {looked}; {open}"),
            End::TooFar => format!("there is no path of at most {} calls: {looked}; {open}", ahead + behind),
            End::Cut => format!(
                "the search was cut before its end, so there may be a path: {looked}; {open}. Ask for a part of the way, or \
                 narrow it down with paths or tests"
            ),
        };
        match answer.end {
            End::Found => {}
            End::None | End::TooFar => metadata.warnings.push(summary.clone()),
            End::Cut => metadata = metadata.partial(summary.clone()),
        }
        let path =
            |steps: Vec<Step>| steps.into_iter().enumerate().map(|(at, step)| PathStep::new(step, at, &to)).collect();
        Route {
            paths: answer.paths.into_iter().map(path).collect(),
            possible_links: answer.gaps.into_iter().map(PossibleLink::from).collect(),
            truncated: answer.end == End::Cut,
            from,
            to,
            others,
            summary,
            metadata,
        }
    }

    /// The chains as lines.
    pub fn write(paths: &[Vec<PathStep>], to: &SymbolEntry, possible: &[PossibleLink], text: &mut Text) {
        text.push(Line::new().plain("to ").join(to.headline()));
        for (at, path) in paths.iter().enumerate() {
            if at > 0 {
                text.push(Line::new());
            }
            path.iter().for_each(|step| text.push(step.line()));
        }
        for link in possible {
            let line = Line::new().plain("  perhaps ").strong(&link.from).plain(" → ").strong(&link.to).plain("  ");
            text.push(link.call_site.write(line).faint(format!("  ({})", link.reason)));
        }
    }
}

impl PathStep {
    fn new(step: Step, depth: usize, end: &SymbolEntry) -> PathStep {
        let symbol = step.symbol.map_or_else(|| end.clone(), SymbolEntry::from);
        PathStep { symbol, call: step.call.map(Taken::from), depth }
    }

    fn line(&self) -> Line {
        let test = if self.symbol.is_test { " test" } else { "" };
        let Some(call) = &self.call else {
            return Line::new().plain("  ").strong(&self.symbol.local_name).faint(test);
        };
        let line = Line::new().plain("  → ").strong(&self.symbol.local_name).plain("  ");
        let guess = if call.confidence == Confidence::Heuristic { " ?" } else { "" };
        let overrides = call.overrides.as_ref().map(|name| format!(" overrides {name}")).unwrap_or_default();
        call.call_site.write(line).faint(format!("{guess}{overrides}{test}"))
    }
}

impl Site {
    /// Adds the place and the line's text.
    fn write(&self, line: Line) -> Line {
        let line = line.path(&self.file).plain(":").number(self.line.to_string());
        line.plain(format!(" {}", self.context.as_deref().unwrap_or_default()))
    }
}

impl From<CallSite> for Taken {
    fn from(call: CallSite) -> Taken {
        let call_site = Site { file: call.file, line: call.line, context: Some(call.context) };
        Taken { call_site, confidence: call.confidence, overrides: call.overrides }
    }
}

impl From<Gap> for PossibleLink {
    fn from(gap: Gap) -> PossibleLink {
        PossibleLink {
            from: gap.from.qualified_name,
            call_site: Site { file: gap.file, line: gap.line, context: Some(gap.context) },
            reason: gap.reason.map_or("it is handed on as a value, to be called from elsewhere", mentions::reason),
            to: gap.to.qualified_name,
        }
    }
}
