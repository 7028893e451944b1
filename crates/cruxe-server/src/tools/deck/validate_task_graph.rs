//! `validate_task_graph`: whether tasks wait for one another in a circle.

use std::sync::Arc;

use cruxe_deck::graph::show_cycle;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call::DeckCall;
use crate::answers::{Line, Render, Text, noting};
use crate::app::App;
use crate::contract::{Metadata, ToolError, names};
use crate::tool::{Tool, ToolSpec, typed};
use crate::toolsets::Toolset;

/// One task, or all.
#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Only this task and what it depends on.
    #[schemars(regex(pattern = r"^[a-z0-9]{6}$"))]
    id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    valid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    metadata: Metadata,
}

/// Dependencies on nothing that are listed one by one.
const MAX_WARNINGS: usize = 20;

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Check task dependencies for cycles; names the whole cycle.";
    let spec = ToolSpec::new(names::VALIDATE_TASK_GRAPH, "Check the task graph", about)
        .numeric_errors()
        .in_set(Toolset::Tasks);
    typed(spec, move |input: Input, call| -> Result<Output, ToolError> {
        let asked = DeckCall::new(&app, call, names::VALIDATE_TASK_GRAPH)?;
        let cards = asked.cards()?;
        let graph = cards.graph();
        let mut cycles = match &input.id {
            None => graph.cycles(),
            Some(id) => {
                if graph.card(id).is_none() {
                    asked.deck.read(&super::card_id(id)?)?;
                }
                graph.cycle_below([id.as_str()]).into_iter().collect()
            }
        };
        let mut metadata = asked.metadata_with_problems(&cards);
        let wanted = |card: &cruxe_deck::Card| input.id.as_ref().is_none_or(|id| card.id.as_str() == id);
        let missing: Vec<String> = graph
            .missing()
            .iter()
            .filter(|(card, _)| wanted(card))
            .map(|(card, id)| format!("{} depends on {id}, and there is no such card that can be read", card.id))
            .collect();
        metadata.warnings.extend(missing.iter().take(MAX_WARNINGS).cloned());
        if missing.len() > MAX_WARNINGS {
            metadata.warnings.push(format!("{} more dependencies are on no card", missing.len() - MAX_WARNINGS));
        }
        if cycles.len() > 1 {
            let all: Vec<String> = cycles.iter().map(|cycle| show_cycle(cycle)).collect();
            metadata = metadata.with("cycles", all);
        }
        let valid = cycles.is_empty();
        let first = (!valid).then(|| cycles.swap_remove(0));
        let message = match &input.id {
            Some(_) => "Task dependencies are valid",
            None => "All task dependencies are valid (no circular dependencies)",
        };
        Ok(Output {
            valid,
            task_id: input.id.clone(),
            message: valid.then_some(message),
            error: first.map(|cycle| format!("Circular dependency detected: {}", show_cycle(&cycle))),
            metadata,
        })
    })
}

impl Render for Output {
    fn text(&self) -> Text {
        let mut text = noting(&self.metadata);
        text.push(Line::new().plain(self.message.or(self.error.as_deref()).unwrap_or_default()));
        text
    }
}
