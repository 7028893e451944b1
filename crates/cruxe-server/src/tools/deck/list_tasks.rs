//! `list_tasks`: the tasks that pass a filter.

use std::cmp::Reverse;
use std::sync::Arc;

use cruxe_deck::dates::{BadFilter, DateFilter};
use cruxe_deck::{Card, Priority, Status};
use cruxe_model::{Metadata, ToolError};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ArrayTool;
use super::desk::Desks;
use crate::tool::{Answer, Call, Tool, ToolSpec};
use crate::toolsets::Toolset;

/// Which tasks.
#[derive(Deserialize, JsonSchema)]
struct Input {
    status: Option<Status>,
    assignee: Option<String>,
    /// Any of these.
    tags: Option<Vec<String>>,
    priority: Option<Priority>,
    /// 2024-01-01, >2w (older), <3d (newer), 2024-01-01..2024-02-01.
    created: Option<String>,
    /// The same.
    updated: Option<String>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used: the answer is written from its parts")]
struct Output<'a> {
    tasks: Vec<Task<'a>>,
    metadata: Metadata,
}

#[derive(Serialize, JsonSchema)]
struct Task<'a> {
    id: &'a str,
    title: &'a str,
    status: Status,
    priority: Priority,
    assignee: Option<&'a str>,
}

pub(super) fn tool(desks: Arc<Desks>) -> Arc<dyn Tool> {
    let about = "List tasks, active and important ones first. Cards that cannot be read are in metadata.problems.";
    let spec = ToolSpec::new("list_tasks", "List tasks", about)
        .numeric_errors()
        .in_set(Toolset::Tasks)
        .with_types::<Input, Output>();
    let run = move |call: &Call| {
        let input: Input = call.input()?;
        let desk = desks.enter(call, "list_tasks")?;
        let filter = Filter::new(&input)?;
        let cards = desk.cards()?;
        let mut wanted: Vec<&Arc<Card>> = cards.cards.iter().filter(|card| filter.passes(card)).collect();
        wanted.sort_by_key(|card| (turn(card.status), Reverse(card.priority), card.created));
        let tasks = wanted.into_iter().map(|card| Task {
            id: card.id.as_str(),
            title: &card.title,
            status: card.status,
            priority: card.priority,
            assignee: card.assignee.as_deref(),
        });
        Answer::array("tasks", &tasks.collect::<Vec<Task>>(), &desk.metadata_with_problems(&cards))
    };
    Arc::new(ArrayTool { spec, run })
}

/// What is worked on comes first, what is put away last.
fn turn(status: Status) -> u8 {
    match status {
        Status::Active => 0,
        Status::Todo => 1,
        Status::Done => 2,
        Status::Archived => 3,
    }
}

struct Filter<'a> {
    input: &'a Input,
    created: Option<DateFilter>,
    updated: Option<DateFilter>,
}

impl<'a> Filter<'a> {
    fn new(input: &'a Input) -> Result<Filter<'a>, ToolError> {
        let now = Timestamp::now();
        let date = |name: &str, text: &Option<String>| {
            let refused = |bad: BadFilter| ToolError::invalid_input(format!("{name}: {bad}")).with("parameter", name);
            text.as_ref().map(|text| DateFilter::parse(text, now).map_err(refused)).transpose()
        };
        let (created, updated) = (date("created", &input.created)?, date("updated", &input.updated)?);
        Ok(Filter { input, created, updated })
    }

    fn passes(&self, card: &Card) -> bool {
        let dated = |filter: &Option<DateFilter>, time: Option<Timestamp>| {
            filter.is_none_or(|filter| time.is_some_and(|time| filter.matches(time)))
        };
        self.input.status.is_none_or(|status| card.status == status)
            && self.input.priority.is_none_or(|priority| card.priority == priority)
            && self.input.assignee.as_deref().is_none_or(|name| card.is_assigned_to(name))
            && self.input.tags.as_ref().is_none_or(|tags| tags.is_empty() || card.has_any_tag(tags))
            && dated(&self.created, card.created)
            && dated(&self.updated, card.last_change())
    }
}
