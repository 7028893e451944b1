//! Who calls a symbol and whom it calls, and how it reaches another.

use cruxe_index::View;
use cruxe_query::call_graph::{CallGraph, Direction, Edge};
use cruxe_query::call_path::CallPaths;
use cruxe_query::references::{Confidence, Subject};
use schemars::JsonSchema;
use serde::Serialize;

use super::call_path::{PathStep, PossibleLink, Route};
use super::detail::Breadth;
use super::mentions;
use super::references::{ConfidenceWord, not_defined};
use super::symbol::candidates;
use super::text::{Line, Text};
use super::{Render, SymbolEntry, left_out, noting, which_definition};
use crate::contract::Metadata;

/// The title of the list of callers.
const CALLERS: &str = "callers";

/// The symbol and its calls.
#[derive(Serialize, JsonSchema)]
pub struct CallGraphAnswer {
    /// The symbol.
    pub symbol: SymbolEntry,
    /// Who calls it.
    pub callers: Vec<CallEdge>,
    /// Whom it calls.
    pub callees: Vec<CallEdge>,
    /// With `to`: the symbol at the other end.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<SymbolEntry>,
    /// The shortest chains of calls between the two.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Vec<PathStep>>")]
    pub paths: Option<Vec<Vec<PathStep>>>,
    /// Where there is none: what may be the missing link.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    possible_links: Vec<PossibleLink>,
    total_edges: usize,
    truncated: bool,
    /// Other definitions of the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<SymbolEntry>")]
    candidates: Option<Vec<SymbolEntry>>,
    pub(super) metadata: Metadata,
    #[serde(skip)]
    direction: Direction,
    #[serde(skip)]
    unresolved: usize,
    #[serde(skip)]
    filtered_out: usize,
    /// What a search for a path came to.
    #[serde(skip)]
    summary: String,
}

/// A call.
#[derive(Serialize, JsonSchema)]
pub struct CallEdge {
    /// Who calls, or is called.
    pub symbol: SymbolEntry,
    call_site: Site,
    /// The lines of all calls in that file where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    call_sites: Vec<u32>,
    /// Those in other files, where the symbol has parts in several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more_call_sites: Vec<Sites>,
    /// How many calls there are, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize")]
    call_count: Option<usize>,
    /// How sure it is.
    #[serde(with = "ConfidenceWord")]
    pub confidence: Confidence,
    depth: u32,
    /// The symbol_id one step nearer that it calls or is called by; at the first step that is the symbol itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<String>,
}

/// Where a call stands.
#[derive(Serialize, JsonSchema)]
pub(super) struct Site {
    pub file: String,
    pub line: u32,
    /// The line's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

/// Where calls stand in one file.
#[derive(Serialize, JsonSchema)]
struct Sites {
    file: String,
    lines: Vec<u32>,
}

impl CallGraphAnswer {
    /// The calls around a symbol that somebody named `name`; without one, the symbol's own name counts.
    pub fn new(
        name: Option<&str>,
        view: &View,
        direction: Direction,
        answer: CallGraph,
        breadth: Breadth,
    ) -> CallGraphAnswer {
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
        let mut metadata = Metadata::of(&view.standing).truncated_if(answer.truncated);
        metadata = metadata.filtered_out(answer.filtered_out);
        metadata.warnings.extend(notes);
        if answer.cut {
            let warning = "the graph was too large to be followed to its end; total_edges counts what was seen. \
                           Ask for a smaller depth or one direction";
            metadata.warnings.push(warning.to_owned());
        }
        let shown = |edges: Vec<Edge>| edges.into_iter().map(|edge| CallEdge::new(edge, breadth)).collect();
        CallGraphAnswer {
            callers: shown(answer.callers),
            callees: shown(answer.callees),
            to: None,
            paths: None,
            possible_links: Vec::new(),
            total_edges: answer.total_edges,
            truncated: answer.truncated,
            candidates: candidates(others, breadth),
            metadata: mentions::noted(metadata, symbol.plain_name(), &answer.mentions, answer.first_unparsed)
                .with("unresolved_mentions", answer.unresolved)
                .unread(answer.unread.as_ref())
                .by_text(answer.by_text.as_ref())
                .unnamed(symbol.plain_name(), answer.runs_unnamed),
            symbol,
            direction,
            unresolved: answer.unresolved,
            filtered_out: answer.filtered_out,
            summary: String::new(),
        }
    }

    /// The chains of calls from one symbol to another.
    pub fn of_paths(view: &View, answer: CallPaths, breadth: Breadth) -> CallGraphAnswer {
        let filtered_out = answer.filtered_out;
        let metadata = Metadata::of(&view.standing).filtered_out(filtered_out);
        let Route { from, to, others, paths, possible_links, summary, truncated, metadata } =
            Route::new(answer, metadata);
        CallGraphAnswer {
            total_edges: paths.iter().map(|path| path.len().saturating_sub(1)).sum(),
            symbol: from,
            callers: Vec::new(),
            callees: Vec::new(),
            to: Some(to),
            paths: Some(paths),
            possible_links,
            truncated,
            candidates: candidates(others, breadth),
            metadata,
            direction: Direction::Both,
            unresolved: 0,
            filtered_out,
            summary,
        }
    }

    /// Says that a depth was out of bounds, before anything else.
    pub fn clamped(mut self, asked: u64, to: u32) -> CallGraphAnswer {
        if asked > u64::from(to) {
            self.metadata.warnings.insert(0, format!("depth {asked} was clamped to {to}"));
        }
        self
    }

    /// The symbol at the other end of an edge, one step nearer.
    pub fn nearer<'a>(&'a self, edge: &'a CallEdge) -> &'a str {
        edge.via.as_deref().unwrap_or(&self.symbol.symbol_id)
    }

    fn list(&self, title: &str, edges: &[CallEdge], text: &mut Text) {
        let none = if edges.is_empty() { " none" } else { "" };
        text.push(Line::new().plain(format!("{title}:{none}")));
        match edges.iter().all(|edge| edge.depth == 1) {
            true if title == CALLERS => by_file(edges, |edge| &edge.call_site.file, CallEdge::caller, text),
            true => by_file(edges, |edge| &edge.symbol.path, CallEdge::callee, text),
            false => self.branch(edges, &self.symbol.symbol_id, 1, text),
        }
    }

    /// The edges one step further than a symbol, each with what follows. The depth of a graph bounds the recursion.
    fn branch(&self, edges: &[CallEdge], from: &str, depth: u32, text: &mut Text) {
        for edge in edges.iter().filter(|edge| edge.depth == depth && self.nearer(edge) == from) {
            let line = Line::new().plain("  ".repeat(depth as usize)).strong(&edge.symbol.local_name).plain("  ");
            text.push(line.join(edge.places()).faint(edge.marks()));
            if edge.symbol.symbol_id != from {
                self.branch(edges, &edge.symbol.symbol_id, depth + 1, text);
            }
        }
    }
}

/// Lists edges by a file of theirs, source before tests: a path once, then a line each.
fn by_file(edges: &[CallEdge], file: impl Fn(&CallEdge) -> &String, line: impl Fn(&CallEdge) -> Line, text: &mut Text) {
    let mut files: Vec<&str> = Vec::new();
    for edge in edges {
        if !files.contains(&file(edge).as_str()) {
            files.push(file(edge));
        }
    }
    files.sort_by_key(|path| edges.iter().all(|edge| edge.symbol.is_test || file(edge) != path));
    for path in files {
        text.push(Line::new().path(path));
        edges.iter().filter(|edge| file(edge) == path).for_each(|edge| text.push(line(edge)));
    }
}

impl CallEdge {
    fn new(edge: Edge, breadth: Breadth) -> CallEdge {
        let more = edge.elsewhere.into_iter().map(|(file, lines)| Sites { file, lines });
        CallEdge {
            symbol: edge.symbol.into(),
            call_site: Site { file: edge.file, line: edge.line, context: None },
            call_sites: if edge.lines.len() > 1 { edge.lines } else { Vec::new() },
            more_call_sites: more.collect(),
            call_count: (edge.calls > 1).then_some(edge.calls),
            confidence: edge.confidence,
            depth: edge.depth,
            via: (edge.depth > 1 || breadth == Breadth::Full).then_some(edge.via),
        }
    }

    /// Who calls, and in which lines.
    fn caller(&self) -> Line {
        Line::new().number(self.lines()).plain(" ").strong(&self.symbol.local_name).faint(self.marks())
    }

    /// What is called: where it is defined, and which lines call it.
    fn callee(&self) -> Line {
        let line = Line::new().number(self.symbol.line_start.to_string()).plain(" ").strong(&self.symbol.local_name);
        line.faint(format!("  called at {}{}", self.lines(), self.marks()))
    }

    /// What is to be known of it besides.
    fn marks(&self) -> String {
        let guess = if self.confidence == Confidence::Heuristic { " ?" } else { "" };
        let test = if self.symbol.is_test { " test" } else { "" };
        format!("{guess}{test}")
    }

    /// The lines of its calls: `12,15,40`, and those in other files.
    fn lines(&self) -> String {
        let first = match self.call_sites.is_empty() {
            true => self.call_site.line.to_string(),
            false => numbers(&self.call_sites),
        };
        let more = self.more_call_sites.iter().map(|sites| format!(" {}:{}", sites.file, numbers(&sites.lines)));
        first + &more.collect::<String>()
    }

    /// Where its calls stand: `src/a.rs:12,15,40`.
    fn places(&self) -> Line {
        Line::new().path(&self.call_site.file).plain(":").number(self.lines())
    }
}

fn numbers(lines: &[u32]) -> String {
    lines.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

impl Render for CallGraphAnswer {
    fn text(&self) -> Text {
        let mut text = noting(&self.metadata);
        text.push(self.symbol.headline());
        let hidden = left_out(self.filtered_out);
        if let (Some(paths), Some(to)) = (&self.paths, &self.to) {
            Route::write(paths, to, &self.possible_links, &mut text);
            // That there is none is a warning too.
            if !self.metadata.warnings.contains(&self.summary) {
                text.push(Line::new().faint(format!("{}{hidden}", self.summary)));
            }
            return text;
        }
        if self.direction != Direction::Callees {
            self.list(CALLERS, &self.callers, &mut text);
        }
        if self.direction != Direction::Callers {
            self.list("callees", &self.callees, &mut text);
        }
        let open = match self.unresolved {
            0 => String::new(),
            count => format!(", {count} mentions unresolved"),
        };
        let shown = self.callers.len() + self.callees.len();
        let cut = if self.truncated { format!(", {shown} shown: a higher limit lists more") } else { String::new() };
        if !(cut.is_empty() && hidden.is_empty() && open.is_empty()) {
            text.push(Line::new().faint(format!("{} edges{cut}{hidden}{open}", self.total_edges)));
        }
        text
    }
}
