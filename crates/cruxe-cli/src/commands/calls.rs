//! `cruxe calls`.

use std::process::ExitCode;

use clap::Args;
use cruxe_index::View;
use cruxe_query::call_graph::{self, Direction, MAX_DEPTH, Question};
use cruxe_query::call_path::{self, MAX_PATHS, MAX_STEPS};
use cruxe_query::filter::Filter;
use cruxe_query::references::Confidence;
use cruxe_query::target::Wanted;
use cruxe_server::answers::{Breadth, CallGraphAnswer};
use cruxe_server::contract::ToolError;

use super::names::{Defined, answer_each, not_found};
use super::places::Places;
use super::search::fresh_view;
use crate::context::{CliError, Context};
use crate::output;

/// Show who calls a function and whom it calls, or how one reaches another
///
/// As a tree, each symbol once. What is only a guess is marked with `?`, tests with `test`. With --from and --to: the
/// shortest paths of calls between two symbols. Exits with 1 when a symbol or a path is not found.
///
/// Examples:
///   cruxe calls validate_token
///   cruxe calls QuerySet.filter --callers --depth 3 --tests exclude
///   cruxe calls --from main --to Connection.send
///   cruxe calls main --callees --depth 2 --dot | dot -Tsvg > calls.svg
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Calls {
    /// The symbols: plain or qualified names, or symbol_ids
    #[arg(value_name = "SYMBOL", required_unless_present = "from")]
    symbols: Vec<String>,
    #[command(flatten)]
    defined: Defined,
    /// Where a path of calls begins
    #[arg(long, value_name = "SYMBOL", requires = "to", conflicts_with_all = ["symbols", "path", "line"])]
    from: Option<String>,
    /// Where a path of calls ends
    #[arg(long, value_name = "SYMBOL", requires = "from", conflicts_with_all = ["callers", "callees"])]
    to: Option<String>,
    /// Only who calls it
    #[arg(long, conflicts_with = "callees")]
    callers: bool,
    /// Only whom it calls
    #[arg(long)]
    callees: bool,
    /// How many steps: up to 5, of a path up to 12 [default: 1, of a path 12]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_STEPS)))]
    depth: Option<u32>,
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
    #[arg(long, conflicts_with = "from")]
    dot: bool,
}

impl Calls {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let filter = self.places.filter(self.kind.as_deref())?;
        let is_path = self.from.is_some();
        if let Some(depth) = self.depth.filter(|depth| !is_path && *depth > MAX_DEPTH) {
            return Err(CliError::Usage(format!("--depth {depth} is more than {MAX_DEPTH}, the most around a symbol")));
        }
        let wanted = self.defined.wanted(&self.symbols)?;
        let workspace = context.workspace()?;
        let view = fresh_view(&workspace, self.ref_name.as_deref())?;
        if let (Some(from), Some(to)) = (&self.from, &self.to) {
            return self.print_paths(context, &view, from, to, filter);
        }
        let direction = match (self.callers, self.callees) {
            (true, _) => Direction::Callers,
            (_, true) => Direction::Callees,
            _ => Direction::Both,
        };
        let ask = |wanted: Wanted| {
            let name = wanted.name.clone();
            let (depth, limit, filter) = (self.depth.unwrap_or(1), self.limit as usize, filter.clone());
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

    fn print_paths(
        &self,
        context: &Context,
        view: &View,
        from: &str,
        to: &str,
        filter: Filter,
    ) -> Result<ExitCode, CliError> {
        let wanted = |name: &str| Wanted { name: name.to_owned(), ..Wanted::default() };
        let (depth, limit) = (self.depth.unwrap_or(MAX_STEPS), MAX_PATHS.min(self.limit as usize));
        let question = call_path::Question { from: wanted(from), to: wanted(to), depth, filter, limit };
        let answer = match call_path::find(view, &question).map_err(ToolError::from) {
            Ok(found) => CallGraphAnswer::of_paths(view, found, Breadth::Full),
            Err(error) => return not_found(context, error),
        };
        let found = answer.paths.as_ref().is_some_and(|paths| !paths.is_empty());
        output::answer(&answer, context.options.json);
        Ok(if found { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
