//! What stands around a symbol in the graph: who calls or uses it, what it calls, which tests and documents know it.
//!
//! A question about code is rarely the last one. The next one is mostly who calls this, and a line here saves a call.

use cruxe_index::{Layers, View};
use cruxe_model::SymbolKind;

use crate::call_graph::{self, Direction, Edge};
use crate::error::QueryError;
use crate::filter::Filter;
use crate::grep::{self, Pattern};
use crate::locate::Definition;
use crate::references;
use crate::target::Wanted;
use crate::uses::is_telling;

/// Calls that are looked at each way.
const MOST_CALLS: usize = 200;
/// Documents that are named.
const MOST_DOCUMENTS: usize = 3;

/// The neighbours of a symbol, the nearest of each sort first.
#[derive(Debug, Default)]
pub struct Neighbours {
    /// Who calls it, tests left out; for what is no function, who uses it.
    pub users: Vec<Neighbour>,
    /// Whether they call it.
    pub called: bool,
    /// Tests that call or use it.
    pub tests: Vec<Neighbour>,
    /// What it calls.
    pub callees: Vec<Neighbour>,
    /// Uses of the name that may be its own or not.
    pub unresolved: usize,
    /// Documents and cards whose text has its name, with the line.
    pub documents: Vec<(String, u32)>,
}

/// A symbol next to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// Its name within its file.
    pub name: String,
    /// The file of the call or use.
    pub path: String,
    /// The line of the first.
    pub line: u32,
}

/// Finds the neighbours of a definition.
pub fn of(view: &View, definition: &Definition) -> Result<Neighbours, QueryError> {
    let symbol = definition.symbol();
    let wanted = Wanted { name: definition.symbol_id().as_str().to_owned(), path: None, line: None };
    let mut found = match symbol.kind {
        kind if kind.is_callable() => calls(view, wanted)?,
        SymbolKind::Heading | SymbolKind::Use | SymbolKind::Impl => Neighbours::default(),
        _ => uses(view, wanted)?,
    };
    found.documents = documents(view, &symbol.name)?;
    Ok(found)
}

fn calls(view: &View, wanted: Wanted) -> Result<Neighbours, QueryError> {
    let question = call_graph::Question {
        wanted,
        direction: Direction::Both,
        depth: 1,
        filter: Filter::default(),
        limit: MOST_CALLS,
    };
    let graph = call_graph::find(view, &question)?;
    let near =
        |edge: &Edge| Neighbour { name: edge.symbol.local_name.clone(), path: edge.file.clone(), line: edge.line };
    let callers = |test: bool| {
        let wanted = graph.callers.iter().filter(move |edge| edge.symbol.is_test == test);
        wanted.map(near).collect()
    };
    Ok(Neighbours {
        users: callers(false),
        called: true,
        tests: callers(true),
        callees: graph.callees.iter().map(near).collect(),
        unresolved: graph.mentions.open(),
        documents: Vec::new(),
    })
}

fn uses(view: &View, wanted: Wanted) -> Result<Neighbours, QueryError> {
    let question = references::Question { wanted, limit: MOST_CALLS, ..references::Question::default() };
    let list = references::find(view, &Layers::None, &question)?;
    let mut found = Neighbours {
        unresolved: list.mentions.as_ref().map_or(0, |mentions| mentions.open()),
        ..Neighbours::default()
    };
    for one in list.references {
        let name = if one.from.kind == SymbolKind::Module { String::new() } else { one.from.local_name };
        let near = Neighbour { name, path: one.path, line: one.line };
        let list = if one.from.is_test { &mut found.tests } else { &mut found.users };
        if !list.iter().any(|known| known.name == near.name && known.path == near.path) {
            list.push(near);
        }
    }
    Ok(found)
}

/// Documents that speak of a name. One that is an everyday word is in documents that do not mean it.
fn documents(view: &View, name: &str) -> Result<Vec<(String, u32)>, QueryError> {
    let Some(pattern) = Some(name).filter(|name| is_telling(name)).and_then(|name| Pattern::new(name, true, true).ok())
    else {
        return Ok(Vec::new());
    };
    let question = grep::Question {
        pattern,
        language: Some("markdown".to_owned()),
        filter: Filter::default(),
        limit: 50,
        offset: 0,
        context: 0,
    };
    let found = grep::find(view, &Layers::None, &question)?;
    let mut documents: Vec<(String, u32)> = Vec::new();
    for line in found.lines {
        let path = line.path.as_str();
        if documents.len() < MOST_DOCUMENTS && documents.last().is_none_or(|(last, _)| last != path) {
            documents.push((path.to_owned(), line.line));
        }
    }
    Ok(documents)
}
