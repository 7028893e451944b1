//! Source and neighbours that are shown with the places of a list: the best in full before the tenth in a line.

use cruxe_index::View;
use cruxe_model::facts::{Symbol, SymbolIndex};
use cruxe_query::code::{self, Aim, Excerpt, Room};
use cruxe_query::locate::Definition;
use cruxe_query::neighbours::{self, Neighbour, Neighbours};
use cruxe_store::FileRow;

use super::text::{Line, Text};
use crate::contract::ToolError;

/// How much source a list shows with its places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// None.
    None,
    /// So many lines with each, the best ones.
    Lines(usize),
    /// So many bytes with all of them together, most with the first, and neighbours with the best ones.
    Bytes(usize),
}

/// Bytes that a token of code and of what stands around it has, at the least that is usual.
const TOKEN_BYTES: usize = 3;
/// The part of all the room that the best places may take; the others share the rest. What one leaves, the next has.
const SHARES: [f64; 3] = [0.26, 0.17, 0.12];
/// The least that a place further down may take.
const LEAST: usize = 120;
/// Places whose neighbours are named.
const WITH_NEIGHBOURS: usize = 2;
/// Neighbours of a sort that are named.
const NAMED: usize = 3;

impl Source {
    /// What an answer of so many tokens has room for.
    pub fn of_tokens(tokens: usize) -> Source {
        Source::Bytes(tokens * TOKEN_BYTES)
    }

    /// What the places at some positions of a list of `count` have room for together.
    pub fn share_of(self, positions: &[usize], count: usize) -> Source {
        match self {
            Source::Bytes(bytes) => Source::Bytes(positions.iter().map(|at| share(bytes, *at, count)).sum()),
            other => other,
        }
    }
}

/// What is shown with a place.
#[derive(Clone, Default)]
pub(super) struct Shown {
    code: Excerpt,
    facts: Vec<String>,
}

/// A place of a list.
pub(super) struct Listed<'a> {
    pub file: &'a FileRow,
    pub lines: (u32, u32),
    /// The line that matches, where one does.
    pub line: Option<u32>,
    /// The symbol that it is.
    pub symbol: Option<Definition>,
}

/// What to show with each place of a list, in its order.
pub(super) fn shown(view: &View, places: &[Listed], words: &[String], source: Source) -> Result<Vec<Shown>, ToolError> {
    let mut list = Vec::with_capacity(places.len());
    let mut spare = 0;
    for (at, place) in places.iter().enumerate() {
        let room = match source {
            Source::None => {
                list.push(Shown::default());
                continue;
            }
            Source::Lines(lines) => Room { bytes: usize::MAX, lines },
            Source::Bytes(bytes) => Room::bytes(share(bytes, at, places.len()) + spare),
        };
        let landmarks = place.symbol.as_ref().map(members).unwrap_or_default();
        let aim = Aim { words, line: place.line, landmarks: &landmarks };
        let text = code::text(view, place.file).unwrap_or_default();
        let code = code::excerpt(&text, place.lines, &aim, room);
        if matches!(source, Source::Bytes(_)) {
            spare = room.bytes.saturating_sub(code.cost());
        }
        let facts = match (&place.symbol, source) {
            (Some(symbol), Source::Bytes(_)) if at < WITH_NEIGHBOURS => {
                facts(&neighbours::of(view, symbol)?, place.file.path.as_str())
            }
            _ => Vec::new(),
        };
        list.push(Shown { code, facts });
    }
    Ok(list)
}

/// The lines where the members of a type begin.
fn members(definition: &Definition) -> Vec<u32> {
    let inside = |symbol: &Symbol| symbol.parent == Some(definition.index) && symbol.kind.is_callable();
    let lines = |at: usize| definition.table.lines(SymbolIndex(at as u32)).0;
    let symbols = definition.table.symbols.iter().enumerate();
    symbols.filter(|(_, symbol)| inside(symbol)).map(|(at, _)| lines(at)).collect()
}

/// The room of the place at `at` of a list of `count`.
fn share(bytes: usize, at: usize, count: usize) -> usize {
    match SHARES.get(at) {
        Some(share) => (bytes as f64 * share) as usize,
        None => {
            let rest = bytes as f64 * (1.0 - SHARES.iter().sum::<f64>());
            ((rest / (count - SHARES.len()).max(1) as f64) as usize).max(LEAST)
        }
    }
}

impl Shown {
    /// Adds its lines; `mark` sets off what was asked for.
    pub fn add_to(&self, text: &mut Text, mark: impl Fn(&str) -> Line) {
        for (number, line) in &self.code.lines {
            text.push(Line::new().number(number.to_string()).plain(" ").join(mark(line)));
        }
        for fact in &self.facts {
            text.push(Line::new().faint(fact));
        }
    }

    /// The line, where the place is one and there is nothing else to show.
    pub fn only_line(&self, first: u32, last: u32) -> Option<&str> {
        match self.code.lines.as_slice() {
            [(_, line)] if first == last && self.facts.is_empty() => Some(line.trim_start()),
            _ => None,
        }
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.code.lines.is_empty()
    }
}

/// The neighbours of a symbol, a line for each sort that there is.
fn facts(near: &Neighbours, path: &str) -> Vec<String> {
    let mut facts = Vec::new();
    let users = if near.called { "called by" } else { "used by" };
    let mut add = |title: &str, list: &[Neighbour], places: bool| {
        if list.is_empty() {
            return;
        }
        let names: Vec<String> = list.iter().take(NAMED).map(|one| named(one, path, places)).collect();
        let more = if list.len() > NAMED { format!(" +{}", list.len() - NAMED) } else { String::new() };
        facts.push(format!("{title}: {}{more}", names.join(", ")));
    };
    add(users, &near.users, true);
    add("calls", &near.callees, false);
    add("tests", &near.tests, true);
    if near.users.is_empty() && near.tests.is_empty() && near.unresolved > 0 {
        facts.push(format!("{users}: nobody for certain; {} mentions unresolved", near.unresolved));
    }
    if !near.documents.is_empty() {
        let documents: Vec<String> = near.documents.iter().map(|(path, line)| format!("{path}:{line}")).collect();
        facts.push(format!("documents: {}", documents.join(", ")));
    }
    facts
}

/// A neighbour, with the place of the call where that is to be said; of one in the same file the line is enough.
fn named(one: &Neighbour, path: &str, place: bool) -> String {
    let at = if one.path == path { format!("line {}", one.line) } else { format!("{}:{}", one.path, one.line) };
    match (one.name.is_empty(), place) {
        (true, _) => at,
        (false, true) => format!("{} ({at})", one.name),
        (false, false) => one.name.clone(),
    }
}
