//! `create_task`: a new card.

use std::path::Path;
use std::sync::Arc;

use cruxe_deck::{Card, CardId, DeckError, NewCard, OtherRefs, Priority, Status, dates};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call::DeckCall;
use crate::answers::{Line, Render, Text, noting};
use crate::app::App;
use crate::contract::{Metadata, ToolError, names};
use crate::tool::{Tool, ToolSpec, typed};
use crate::toolsets::Toolset;

/// What is to be done.
#[derive(Deserialize, JsonSchema)]
struct Input {
    #[schemars(length(min = 1, max = 200))]
    title: String,
    tags: Option<Vec<String>>,
    #[serde(default)]
    priority: Priority,
    assignee: Option<String>,
    /// Ids of tasks that come before.
    #[schemars(inner(regex(pattern = r"^[a-z0-9]{6}$")))]
    depends_on: Option<Vec<String>>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    id: String,
    path: String,
    metadata: Created,
}

/// The card, and the state of the index that every answer carries.
#[derive(Serialize, JsonSchema)]
struct Created {
    title: String,
    status: Status,
    priority: Priority,
    assignee: Option<String>,
    tags: Vec<String>,
    depends_on: Vec<String>,
    created: String,
    #[serde(flatten)]
    base: Metadata,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Create a task card in .cuedeck/cards.";
    let spec = ToolSpec::new(names::CREATE_TASK, "Create a task", about)
        .writes()
        .not_idempotent()
        .numeric_errors()
        .in_set(Toolset::Tasks);
    typed(spec, move |input: Input, call| -> Result<Output, ToolError> {
        let asked = DeckCall::new(&app, call, names::CREATE_TASK)?;
        let mut depends_on: Vec<CardId> = Vec::new();
        for id in input.depends_on.unwrap_or_default() {
            let id = super::card_id(&id)?;
            if !depends_on.contains(&id) {
                depends_on.push(id);
            }
        }
        let new = NewCard {
            title: input.title,
            tags: input.tags.unwrap_or_default(),
            priority: input.priority,
            assignee: input.assignee,
            depends_on,
        };
        let now = Timestamp::now();
        let card = create(&asked, &new, now)?;
        Ok(Output {
            id: card.id.to_string(),
            path: card.path(),
            metadata: Created {
                title: card.title,
                status: card.status,
                priority: card.priority,
                assignee: card.assignee,
                tags: card.tags,
                depends_on: card.depends_on,
                created: dates::seconds(now),
                base: asked.metadata(),
            },
        })
    })
}

fn create(asked: &DeckCall, new: &NewCard, now: Timestamp) -> Result<Card, DeckError> {
    // Without an index there are no other refs.
    let others = OtherRefs::of(&asked.workspace.project.store, Path::new("")).ok();
    asked.deck.create(new, now, &|id| others.as_ref().is_some_and(|others| others.have(id)))
}

impl Render for Output {
    fn text(&self) -> Text {
        let mut text = noting(&self.metadata.base);
        let line = Line::new().plain("created ").strong(&self.id).plain(format!(" {}  ", self.metadata.title));
        text.push(line.path(&self.path));
        text
    }
}
