//! `cue graph`: what depends on what, for eyes and for programs that draw.

use std::collections::HashSet;
use std::fmt::Write;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use cruxe_deck::{Card, CardId, Status, TaskGraph, graph};
use serde_json::json;

use super::deck;
use super::error::CueError;
use crate::context::Context;
use crate::output;

/// Show which card depends on which
///
/// Archived cards are left out unless something depends on them.
///
/// Examples:
///   cue graph
///   cue graph xyz789
///   cue graph --format mermaid
///   cue graph --format dot | dot -Tsvg > tasks.svg
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Graph {
    /// Only this card and what it depends on
    id: Option<String>,
    /// How to write it
    #[arg(long, short, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Format {
    /// A tree
    #[default]
    Text,
    /// A diagram for markdown
    Mermaid,
    /// For Graphviz
    Dot,
}

impl Graph {
    pub fn run(self, context: &Context) -> Result<ExitCode, CueError> {
        let deck = deck::find(context)?;
        let cards = deck.cards()?;
        let graph = cards.graph();
        let shown: Vec<&Arc<Card>> = match &self.id {
            Some(id) => {
                let id = deck::card_id(&deck, id)?;
                deck.read(&id)?;
                graph.card(id.as_str()).into_iter().chain(graph.all_dependencies(id.as_str())).collect()
            }
            None => {
                let needed: HashSet<&str> =
                    cards.cards.iter().flat_map(|card| &card.depends_on).map(String::as_str).collect();
                let keep = |card: &&Arc<Card>| card.status != Status::Archived || needed.contains(card.id.as_str());
                cards.cards.iter().filter(keep).collect()
            }
        };
        if context.options.json {
            output::json(&to_json(&shown, &graph));
        } else {
            let text = match self.format {
                Format::Text => tree(&shown, &graph),
                Format::Mermaid => mermaid(&shown, &graph),
                Format::Dot => dot(&shown, &graph),
            };
            output::line(text.trim_end());
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn edges<'a>(cards: &[&'a Arc<Card>], graph: &TaskGraph<'a>) -> Vec<(&'a CardId, &'a CardId)> {
    let of = |card: &&'a Arc<Card>| {
        let from = &card.id;
        graph.dependencies(from.as_str()).into_iter().map(move |to| (from, &to.id)).collect::<Vec<_>>()
    };
    cards.iter().flat_map(of).collect()
}

fn to_json(cards: &[&Arc<Card>], graph: &TaskGraph) -> serde_json::Value {
    let node = |card: &&Arc<Card>| json!({ "id": card.id, "title": card.title, "status": card.status });
    let edge = |(from, to): &(&CardId, &CardId)| json!({ "from": from, "to": to });
    json!({
        "nodes": cards.iter().map(node).collect::<Vec<_>>(),
        "edges": edges(cards, graph).iter().map(edge).collect::<Vec<_>>(),
        "cycles": graph.cycles(),
    })
}

/// Every card below the cards that wait for it. What stands there already is not shown again.
fn tree(cards: &[&Arc<Card>], graph: &TaskGraph) -> String {
    let needed: HashSet<&CardId> =
        edges(cards, graph).into_iter().filter(|(from, to)| from != to).map(|(_, to)| to).collect();
    let roots = cards.iter().filter(|card| !needed.contains(&card.id));
    let mut text = String::new();
    let mut seen: HashSet<&CardId> = HashSet::new();
    // Cards in a circle that nothing leads to are no roots; they come last.
    for root in roots.chain(cards.iter()) {
        if seen.contains(&root.id) {
            continue;
        }
        let mut pending = vec![(*root, String::new(), String::new())];
        while let Some((card, branch, indent)) = pending.pop() {
            let again = !seen.insert(&card.id);
            let below = graph.dependencies(card.id.as_str());
            let mark = if again && !below.is_empty() { "  (shown above)" } else { "" };
            let title = output::one_line(&card.title);
            let _ = writeln!(text, "{branch}{} {title} [{}]{mark}", card.id, card.status);
            if again {
                continue;
            }
            for (at, next) in below.iter().enumerate().rev() {
                let last = at + 1 == below.len();
                let branch = format!("{indent}{}", if last { "└── " } else { "├── " });
                pending.push((next, branch, format!("{indent}{}", if last { "    " } else { "│   " })));
            }
        }
    }
    for cycle in graph.cycles() {
        let _ = writeln!(text, "\ncircular: {}", graph::show_cycle(&cycle));
    }
    if text.is_empty() { "no cards".to_owned() } else { text }
}

fn mermaid(cards: &[&Arc<Card>], graph: &TaskGraph) -> String {
    let mut text = "graph TD\n".to_owned();
    for card in cards {
        let title = output::one_line(&card.title)
            .replace('&', "&amp;")
            .replace('"', "&quot;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        let _ = writeln!(text, "    {}[\"{} {title}\"]:::{}", card.id, card.id, card.status);
    }
    for (from, to) in edges(cards, graph) {
        let _ = writeln!(text, "    {from} --> {to}");
    }
    text.push_str("    classDef todo fill:#fff,stroke:#888\n    classDef active fill:#fe9,stroke:#b80\n");
    text.push_str("    classDef done fill:#cfc,stroke:#484\n    classDef archived fill:#eee,stroke:#aaa\n");
    text
}

fn dot(cards: &[&Arc<Card>], graph: &TaskGraph) -> String {
    let mut text = "digraph tasks {\n    rankdir=LR;\n    node [shape=box, style=\"rounded,filled\"];\n".to_owned();
    for card in cards {
        let colour = match card.status {
            Status::Todo => "white",
            Status::Active => "khaki",
            Status::Done => "palegreen",
            Status::Archived => "gray90",
        };
        let title = output::one_line(&card.title).replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "    \"{}\" [label=\"{}\\n{title}\", fillcolor={colour}];", card.id, card.id);
    }
    for (from, to) in edges(cards, graph) {
        let _ = writeln!(text, "    \"{from}\" -> \"{to}\";");
    }
    text.push_str("}\n");
    text
}
