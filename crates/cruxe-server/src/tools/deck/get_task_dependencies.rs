//! `get_task_dependencies`: what a task waits for, or what waits for it.

use std::sync::Arc;

use cruxe_deck::{Card, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call::DeckCall;
use crate::answers::{Line, Render, Text, noting};
use crate::app::App;
use crate::contract::{Metadata, ToolError, names};
use crate::tool::{Tool, ToolSpec, typed};
use crate::toolsets::Toolset;

/// Which task, and which way.
#[derive(Deserialize, JsonSchema)]
struct Input {
    #[schemars(regex(pattern = r"^[a-z0-9]{6}$"))]
    id: String,
    /// Tasks that depend on this one.
    #[serde(default)]
    reverse: bool,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    task_id: String,
    r#type: Direction,
    count: usize,
    tasks: Vec<Task>,
    metadata: Metadata,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Direction {
    Dependencies,
    Dependents,
}

#[derive(Serialize, JsonSchema)]
struct Task {
    id: String,
    title: String,
    status: Status,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Tasks that a task directly depends on, or that depend on it.";
    let spec = ToolSpec::new(names::GET_TASK_DEPENDENCIES, "Dependencies of a task", about)
        .quick()
        .numeric_errors()
        .in_set(Toolset::Tasks);
    typed(spec, move |input: Input, call| -> Result<Output, ToolError> {
        let asked = DeckCall::new(&app, call, names::GET_TASK_DEPENDENCIES)?;
        let cards = asked.cards()?;
        let graph = cards.graph();
        if graph.card(&input.id).is_none() {
            // Reading it says whether it is missing or malformed.
            asked.deck.read(&super::card_id(&input.id)?)?;
        }
        let (direction, found) = match input.reverse {
            false => (Direction::Dependencies, graph.dependencies(&input.id)),
            true => (Direction::Dependents, graph.dependents(&input.id)),
        };
        let mut metadata = asked.metadata();
        let missing = graph.missing().iter().filter(|(card, _)| !input.reverse && card.id.as_str() == input.id);
        metadata.warnings.extend(missing.map(|(_, id)| format!("there is no card {id} that can be read")));
        let task = |card: &Arc<Card>| Task { id: card.id.to_string(), title: card.title.clone(), status: card.status };
        let tasks: Vec<Task> = found.into_iter().map(task).collect();
        Ok(Output { task_id: input.id, r#type: direction, count: tasks.len(), tasks, metadata })
    })
}

impl Render for Output {
    fn text(&self) -> Text {
        let mut text = noting(&self.metadata);
        let what = match self.r#type {
            Direction::Dependencies => "depends on",
            Direction::Dependents => "is needed by",
        };
        let none = if self.tasks.is_empty() { " nothing" } else { "" };
        text.push(Line::new().strong(&self.task_id).plain(format!(" {what}{none}")));
        for task in &self.tasks {
            text.push(Line::new().strong(&task.id).plain(format!("  {}  {}", task.status.as_str(), task.title)));
        }
        text
    }
}
