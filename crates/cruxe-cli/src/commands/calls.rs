//! `cruxe calls`.

use std::process::ExitCode;

use clap::Args;
use cruxe_query::call_graph::{self, CallGraph, Direction, Edge, MAX_DEPTH, Question};
use cruxe_query::references::Confidence;
use cruxe_query::target::Wanted;
use serde_json::json;

use super::refs::not_found;
use super::search::fresh_view;
use crate::context::{CliError, Context};
use crate::output::{self, Paint};
use cruxe_server::contract::{Metadata, ToolError};

/// Show who calls a function and whom it calls
///
/// As a tree, each symbol once. What is only a guess is marked with `?`, tests with `test`. Exits with 1 when the
/// symbol is not found.
///
/// Examples:
///   cruxe calls validate_token
///   cruxe calls QuerySet.filter --callers --depth 3
///   cruxe calls main --callees --depth 2 --dot | dot -Tsvg > calls.svg
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Calls {
    /// The symbol: a plain or qualified name, or a symbol_id
    symbol: String,
    /// Only who calls it
    #[arg(long, conflicts_with = "callees")]
    callers: bool,
    /// Only whom it calls
    #[arg(long)]
    callees: bool,
    /// How many steps
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_DEPTH)))]
    depth: u32,
    /// The file that defines it, where several do
    #[arg(long, value_name = "FILE")]
    path: Option<String>,
    /// The line of the definition, where one file has several
    #[arg(long)]
    line: Option<u32>,
    /// A branch, tag or commit that is indexed [default: what is checked out]
    #[arg(long = "ref", value_name = "REF")]
    ref_name: Option<String>,
    /// At most so many edges each way
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    limit: u32,
    /// Print a graph for Graphviz
    #[arg(long)]
    dot: bool,
}

impl Calls {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let workspace = context.workspace()?;
        let view = fresh_view(&workspace, self.ref_name.as_deref())?;
        let direction = match (self.callers, self.callees) {
            (true, _) => Direction::Callers,
            (_, true) => Direction::Callees,
            _ => Direction::Both,
        };
        let wanted = Wanted { name: self.symbol.clone(), path: self.path, line: self.line };
        let question = Question { wanted, direction, depth: self.depth, limit: self.limit as usize };
        let answer = match call_graph::find(&view, &question).map_err(ToolError::from) {
            Ok(answer) => answer,
            Err(error) => return not_found(error),
        };
        if self.dot {
            print_dot(&answer);
        } else if context.options.json {
            let metadata = Metadata::of(&view.standing).truncated_if(answer.truncated);
            output::json(&json!({
                "symbol": answer.target.symbol,
                "callers": answer.callers.iter().map(shown).collect::<Vec<_>>(),
                "callees": answer.callees.iter().map(shown).collect::<Vec<_>>(),
                "total_edges": answer.total_edges,
                "truncated": answer.truncated,
                "candidates": answer.target.candidates,
                "metadata": metadata.with("unresolved_mentions", answer.unresolved),
            }));
        } else {
            print(&self.symbol, &answer, direction);
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn shown(edge: &Edge) -> serde_json::Value {
    json!({
        "symbol": edge.symbol, "call_site": { "file": edge.file, "line": edge.line },
        "confidence": edge.confidence, "depth": edge.depth, "via": edge.via,
    })
}

fn print(name: &str, answer: &CallGraph, direction: Direction) {
    let paint = Paint::stdout();
    let symbol = &answer.target.symbol;
    if let Some(warning) = answer.target.warning(name) {
        output::note(&warning);
    }
    let place = format!("{}:{}", paint.path(&symbol.path), paint.number(&symbol.line_start.to_string()));
    output::line(&format!("{} {}  {place}", symbol.kind, paint.strong(&symbol.qualified_name)));
    if direction != Direction::Callees {
        tree(paint, "callers", &answer.callers, &symbol.symbol_id);
    }
    if direction != Direction::Callers {
        tree(paint, "callees", &answer.callees, &symbol.symbol_id);
    }
    let open = match answer.unresolved {
        0 => String::new(),
        count => format!(", {count} calls unresolved"),
    };
    let cut = if answer.truncated { ", cut" } else { "" };
    output::line(&paint.faint(&format!("{} edges{cut}{open}", answer.total_edges)));
}

fn tree(paint: Paint, title: &str, edges: &[Edge], root: &str) {
    output::line(&format!("{title}:{}", if edges.is_empty() { " none" } else { "" }));
    branch(paint, edges, root, 1);
}

/// The edges one step further than a symbol, each with what follows. The depth of a graph bounds the recursion.
fn branch(paint: Paint, edges: &[Edge], from: &str, depth: u32) {
    for edge in edges.iter().filter(|edge| edge.depth == depth && edge.via == from) {
        let indent = "  ".repeat(depth as usize);
        let guess = if edge.confidence == Confidence::Heuristic { " ?" } else { "" };
        let test = if edge.symbol.is_test { " test" } else { "" };
        let place = format!("{}:{}", paint.path(&edge.file), paint.number(&edge.line.to_string()));
        let marks = paint.faint(&format!("{guess}{test}"));
        output::line(&format!("{indent}{}  {place}{marks}", paint.strong(&edge.symbol.qualified_name)));
        if edge.symbol.symbol_id != from {
            branch(paint, edges, &edge.symbol.symbol_id, depth + 1);
        }
    }
}

fn print_dot(answer: &CallGraph) {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    output::line("digraph calls {");
    output::line("  rankdir=LR; node [shape=box];");
    let root = &answer.target.symbol;
    // `\n` is Graphviz's own line break.
    let label = |id: &str, name: &str, path: &str| {
        let (name, path) = (quoted(name), quoted(path));
        let text = format!("{}\\n{}", &name[..name.len() - 1], &path[1..]);
        format!("  {} [label={text}];", quoted(id))
    };
    output::line(&label(&root.symbol_id, &root.qualified_name, &root.path));
    for (edge, caller) in
        answer.callers.iter().map(|edge| (edge, true)).chain(answer.callees.iter().map(|edge| (edge, false)))
    {
        let symbol = &edge.symbol;
        output::line(&label(&symbol.symbol_id, &symbol.qualified_name, &symbol.path));
        let (from, to) = if caller { (&symbol.symbol_id, &edge.via) } else { (&edge.via, &symbol.symbol_id) };
        let style = if edge.confidence == Confidence::Heuristic { " [style=dashed]" } else { "" };
        output::line(&format!("  {} -> {}{style};", quoted(from), quoted(to)));
    }
    output::line("}");
}
