//! `cruxe calls`.

use std::process::ExitCode;

use clap::Args;
use cruxe_query::call_graph::{self, Direction, MAX_DEPTH, Question};
use cruxe_query::references::Confidence;
use cruxe_query::target::Wanted;
use cruxe_server::answers::{Breadth, CallGraphAnswer};

use super::names::{Defined, answer_each, not_found};
use super::places::Places;
use super::search::fresh_view;
use crate::context::{CliError, Context};
use crate::output;

/// Show who calls a function and whom it calls
///
/// As a tree, each symbol once. What is only a guess is marked with `?`, tests with `test`. Exits with 1 when a symbol
/// is not found.
///
/// Examples:
///   cruxe calls validate_token
///   cruxe calls QuerySet.filter --callers --depth 3 --tests exclude
///   cruxe calls main --callees --depth 2 --dot | dot -Tsvg > calls.svg
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Calls {
    /// The symbols: plain or qualified names, or symbol_ids
    #[arg(value_name = "SYMBOL", required = true)]
    symbols: Vec<String>,
    #[command(flatten)]
    defined: Defined,
    /// Only who calls it
    #[arg(long, conflicts_with = "callees")]
    callers: bool,
    /// Only whom it calls
    #[arg(long)]
    callees: bool,
    /// How many steps
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_DEPTH)))]
    depth: u32,
    /// Only symbols of this kind: fn, class, struct, …
    #[arg(long)]
    kind: Option<String>,
    #[command(flatten)]
    places: Places,
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
        let filter = self.places.filter(self.kind.as_deref())?;
        let wanted = self.defined.wanted(&self.symbols)?;
        let workspace = context.workspace()?;
        let view = fresh_view(&workspace, self.ref_name.as_deref())?;
        let direction = match (self.callers, self.callees) {
            (true, _) => Direction::Callers,
            (_, true) => Direction::Callees,
            _ => Direction::Both,
        };
        let ask = |wanted: Wanted| {
            let name = wanted.name.clone();
            let (depth, limit, filter) = (self.depth, self.limit as usize, filter.clone());
            let found = call_graph::find(&view, &Question { wanted, direction, depth, filter, limit })?;
            Ok(CallGraphAnswer::new(Some(&name), &view, direction, found, Breadth::Full))
        };
        if !self.dot {
            return answer_each(context, wanted, ask);
        }
        let mut graphs = Vec::new();
        for wanted in wanted {
            match ask(wanted) {
                Ok(graph) => graphs.push(graph),
                Err(error) => return not_found(context, error),
            }
        }
        print_dot(&graphs);
        Ok(ExitCode::SUCCESS)
    }
}

fn print_dot(graphs: &[CallGraphAnswer]) {
    output::line("digraph calls {");
    output::line("  rankdir=LR; node [shape=box];");
    graphs.iter().for_each(print_edges);
    output::line("}");
}

fn print_edges(answer: &CallGraphAnswer) {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let root = &answer.symbol;
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
        let (this, nearer) = (symbol.symbol_id.as_str(), answer.nearer(edge));
        let (from, to) = if caller { (this, nearer) } else { (nearer, this) };
        let style = if edge.confidence == Confidence::Heuristic { " [style=dashed]" } else { "" };
        output::line(&format!("  {} -> {}{style};", quoted(from), quoted(to)));
    }
}
