//! Relations between symbols, language by language: small trees with the exact rows of each.
//!
//! A row reads `line name`, with the file before it where the tree has several; behind it stands the depth where it is not 1, the
//! class through which it comes about, and a `?` where it is a guess.

mod access;
mod constructs;
mod decorates;
mod overrides;
mod refusals;
mod subtypes;

use cruxe_index::Layers;
use cruxe_query::QueryError;
use cruxe_query::references::{self, Confidence, Question, Reference, ReferenceList};
use cruxe_query::relations::Relation;
use cruxe_query::target::Wanted;

use crate::support::Tree;

fn ask(tree: &Tree, symbol: &str, relation: Relation, direct: bool) -> Result<ReferenceList, QueryError> {
    let wanted = Wanted { name: symbol.to_owned(), ..Wanted::default() };
    let question = Question { wanted, relation: Some(relation), direct, limit: 1000, ..Question::default() };
    references::find(&tree.view(), &Layers::None, &question)
}

fn row(reference: &Reference, with_path: bool) -> String {
    let place = if with_path { format!("{}:", reference.path) } else { String::new() };
    let depth = reference.depth.filter(|depth| *depth > 1).map(|depth| format!(" {depth}")).unwrap_or_default();
    let through = reference.through.as_ref().map(|through| format!(" through {through}")).unwrap_or_default();
    let unnamed = if reference.unnamed { " unnamed" } else { "" };
    let guess = if reference.confidence == Confidence::Heuristic { "?" } else { "" };
    let (line, name) = (reference.line, &reference.from.qualified_name);
    format!("{place}{line} {name}{depth}{through}{unnamed}{guess}")
}

/// The rows of a relation, in their order.
fn rows(symbol: &str, relation: Relation, files: &[(&str, &str)]) -> Vec<String> {
    let found = ask(&Tree::new(files), symbol, relation, false);
    let found = found.unwrap_or_else(|problem| panic!("{problem}"));
    found.references.iter().map(|reference| row(reference, files.len() > 1)).collect()
}
