//! `list_tasks`: the tasks that pass a filter.

use std::sync::Arc;

use cruxe_deck::dates::{BadFilter, DateFilter};
use cruxe_deck::{Card, Priority, Status, Written};
use cruxe_model::config::AnswerForm;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ArrayTool;
use super::call::DeckCall;
use crate::answers::{Line, noting};
use crate::app::App;
use crate::contract::{Metadata, ToolError, names};
use crate::tool::{Call, JsonAnswer, Tool, ToolAnswer, ToolSpec, escaped, written};
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

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "List tasks, active and important ones first. Cards that cannot be read are in metadata.problems.";
    let spec = ToolSpec::new(names::LIST_TASKS, "List tasks", about)
        .quick()
        .numeric_errors()
        .in_set(Toolset::Tasks)
        .with_types::<Input, Output>();
    let run = move |call: &Call| {
        let input: Input = call.input()?;
        let asked = DeckCall::new(&app, call, names::LIST_TASKS)?;
        let filter = Filter::new(&input)?;
        let cards = asked.cards()?;
        let wanted = cards.in_turn().iter().filter(|listed| filter.passes(&listed.card));
        let metadata = asked.metadata_with_problems(&cards);
        if call.form == AnswerForm::Text {
            let mut text = noting(&metadata);
            wanted.for_each(|listed| text.push(line(&listed.card)));
            if text.lines.is_empty() {
                text.note("no task fits");
            }
            text.lines.extend(cards.problems.iter().map(|problem| Line::new().plain(format!("unreadable: {problem}"))));
            return Ok(ToolAnswer::Text(text));
        }
        let tasks = wanted.map(|listed| listed.written_once(Task::of)).collect::<Result<Vec<&Written>, ToolError>>()?;
        Ok(ToolAnswer::Json(JsonAnswer::array_of_written("tasks", &tasks, &metadata)?))
    };
    Arc::new(ArrayTool { spec, run })
}

/// A card on a line.
fn line(card: &Card) -> Line {
    let line = Line::new().strong(card.id.as_str());
    let line = line.plain(format!("  {}  {}  {}", card.status.as_str(), card.priority.as_str(), card.title));
    match &card.assignee {
        Some(assignee) => line.faint(format!("  {assignee}")),
        None => line,
    }
}

impl Task<'_> {
    fn of(card: &Card) -> Result<Written, ToolError> {
        let json = written(&Task {
            id: card.id.as_str(),
            title: &card.title,
            status: card.status,
            priority: card.priority,
            assignee: card.assignee.as_deref(),
        })?;
        Ok(Written { escaped: escaped(&json), json })
    }
}

struct Filter<'a> {
    input: &'a Input,
    /// Nothing is asked for: then no card need be looked at.
    is_empty: bool,
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
        let Input { status, assignee, tags, priority, .. } = input;
        let is_empty = (status.is_none() && assignee.is_none() && tags.is_none() && priority.is_none())
            && created.is_none()
            && updated.is_none();
        Ok(Filter { input, is_empty, created, updated })
    }

    fn passes(&self, card: &Card) -> bool {
        if self.is_empty {
            return true;
        }
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
