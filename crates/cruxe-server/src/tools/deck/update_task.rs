//! `update_task`: changes fields of a card and nothing else.

use std::sync::Arc;

use cruxe_deck::{Priority, Status, Update, dates};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call::DeckCall;
use crate::answers::{Line, Render, Text, noting};
use crate::app::App;
use crate::contract::{Metadata, ToolError, names};
use crate::tool::{Tool, ToolSpec, typed};
use crate::toolsets::Toolset;

/// Which task, and what to change.
#[derive(Deserialize, JsonSchema)]
struct Input {
    #[schemars(regex(pattern = r"^[a-z0-9]{6}$"))]
    id: String,
    updates: Updates,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("minProperties" = 1))]
struct Updates {
    status: Option<Status>,
    #[schemars(length(max = 50))]
    assignee: Option<String>,
    priority: Option<Priority>,
    /// Replaces earlier notes.
    #[schemars(length(max = 500))]
    notes: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    id: String,
    title: String,
    status: Status,
    assignee: Option<String>,
    priority: Priority,
    updated_at: String,
    updated_fields: Vec<&'static str>,
    metadata: Metadata,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Change fields of a task card; the rest of the file stays byte for byte.";
    let spec =
        ToolSpec::new(names::UPDATE_TASK, "Change a task", about).writes().numeric_errors().in_set(Toolset::Tasks);
    typed(spec, move |input: Input, call| -> Result<Output, ToolError> {
        let asked = DeckCall::new(&app, call, names::UPDATE_TASK)?;
        let Updates { status, assignee, priority, notes } = input.updates;
        let update = Update { status, assignee, priority, notes, ..Update::default() };
        let updated = asked.deck.update(&super::card_id(&input.id)?, &update, Timestamp::now())?;
        let card = updated.card;
        Ok(Output {
            id: card.id.to_string(),
            title: card.title,
            status: card.status,
            assignee: card.assignee,
            priority: card.priority,
            updated_at: dates::seconds(updated.updated_at),
            updated_fields: updated.fields,
            metadata: asked.metadata(),
        })
    })
}

impl Render for Output {
    fn text(&self) -> Text {
        let mut text = noting(&self.metadata);
        let line = Line::new().strong(&self.id).plain(format!("  {}  {}", self.status.as_str(), self.title));
        text.push(line.faint(format!("  changed: {}", self.updated_fields.join(", "))));
        text
    }
}
