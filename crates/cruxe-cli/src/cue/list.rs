//! `cue list`: the cards as a table.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use cruxe_deck::dates::{self, DateFilter};
use cruxe_deck::{Card, Cards, Priority, Status};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::error::{CueError, Kind};
use super::{deck, table};
use crate::context::Context;
use crate::output::{self, Paint};

/// List cards
///
/// Active ones first, then by priority. Archived cards are left out unless they are asked for.
///
/// Examples:
///   cue list
///   cue list --status active --assignee @dana
///   cue list --tag auth --tag api --priority high
///   cue list --created ">2w" --updated "<3d"
///   cue list --created 2024-01-01..2024-02-01 --json
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct List {
    /// Only cards of this status
    #[arg(long, value_parser = status)]
    status: Option<Status>,
    /// Only cards of this person, in whatever case
    #[arg(long, value_name = "NAME")]
    assignee: Option<String>,
    /// Only cards with this tag; given several times, with any of them
    #[arg(long = "tag", visible_alias = "tags", value_name = "TAG", value_delimiter = ',')]
    tags: Vec<String>,
    /// Only cards of this priority
    #[arg(long, value_parser = priority)]
    priority: Option<Priority>,
    /// Only cards made then: 2024-01-01, ">2w" (longer ago), "<3d" (since), a..b
    #[arg(long, value_name = "DATE")]
    created: Option<String>,
    /// Only cards last changed then
    #[arg(long, value_name = "DATE")]
    updated: Option<String>,
    /// Archived cards too
    #[arg(long)]
    all: bool,
}

/// Reads a status, in whatever case.
pub(super) fn status(text: &str) -> Result<Status, String> {
    Status::parse(text).ok_or_else(|| "not one of todo, active, done, archived".to_owned())
}

/// Reads a priority, in whatever case.
pub(super) fn priority(text: &str) -> Result<Priority, String> {
    Priority::parse(text).ok_or_else(|| "not one of low, medium, high, critical".to_owned())
}

impl List {
    pub fn run(self, context: &Context) -> Result<ExitCode, CueError> {
        let deck = deck::find(context)?;
        let cards = deck.cards()?;
        let found = self.select(&cards, Timestamp::now())?;
        if context.options.json {
            let tasks: Vec<Value> = found.iter().map(|card| to_json(card)).collect();
            output::json(&json!({ "tasks": tasks, "problems": cards.problems }));
            return Ok(ExitCode::SUCCESS);
        }
        if found.is_empty() {
            output::line(if cards.cards.is_empty() {
                "no cards yet; `cue card new TITLE` makes one"
            } else {
                "no card is like that"
            });
        } else {
            print(&found);
        }
        let unread = cards.problems.iter().filter(|problem| problem.fatal).count();
        if unread > 0 {
            let word = if unread == 1 { "1 card cannot".to_owned() } else { format!("{unread} cards cannot") };
            output::note(&format!("warning: {word} be read; `cue doctor` says why"));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn select<'a>(&self, cards: &'a Cards, now: Timestamp) -> Result<Vec<&'a Arc<Card>>, CueError> {
        let filter = |flag: &str, text: &Option<String>| {
            let parsed = text.as_ref().map(|text| DateFilter::parse(text, now)).transpose();
            parsed.map_err(|problem| CueError::new(Kind::Usage, format!("--{flag}: {problem}")))
        };
        let (created, updated) = (filter("created", &self.created)?, filter("updated", &self.updated)?);
        let on = |filter: &Option<DateFilter>, time: Option<Timestamp>| {
            filter.is_none_or(|filter| time.is_some_and(|time| filter.matches(time)))
        };
        let mut found: Vec<&Arc<Card>> = cards
            .cards
            .iter()
            .filter(|card| match self.status {
                Some(status) => card.status == status,
                None => self.all || card.status != Status::Archived,
            })
            .filter(|card| self.priority.is_none_or(|priority| card.priority == priority))
            .filter(|card| self.assignee.as_ref().is_none_or(|name| card.is_assigned_to(name)))
            .filter(|card| self.tags.is_empty() || card.has_any_tag(&self.tags))
            .filter(|card| on(&created, card.created) && on(&updated, card.last_change()))
            .collect();
        let place = |status: Status| match status {
            Status::Active => 0,
            Status::Todo => 1,
            Status::Done => 2,
            Status::Archived => 3,
        };
        found.sort_by_key(|card| (place(card.status), std::cmp::Reverse(card.priority), card.id.clone()));
        Ok(found)
    }
}

fn print(cards: &[&Arc<Card>]) {
    let rows: Vec<Vec<String>> = cards
        .iter()
        .map(|card| {
            let assignee = card.assignee.clone().unwrap_or_default();
            let tags = if card.tags.is_empty() { String::new() } else { format!("  #{}", card.tags.join(" #")) };
            let title = format!("{}{tags}", card.title);
            vec![card.id.to_string(), card.status.to_string(), card.priority.to_string(), assignee, title]
        })
        .collect();
    let paint = Paint::stdout();
    let mut lines = table::lay_out(&["ID", "STATUS", "PRIORITY", "ASSIGNEE", "TITLE"], &rows).into_iter();
    let heading = lines.next().map(|heading| paint.faint(&heading));
    let body = lines.zip(cards).map(|(line, card)| match card.status {
        Status::Active => paint.strong(&line),
        Status::Todo => line,
        Status::Done | Status::Archived => paint.faint(&line),
    });
    output::line(&heading.into_iter().chain(body).collect::<Vec<_>>().join("\n"));
}

/// A card for programs.
pub(super) fn to_json(card: &Card) -> Value {
    json!({
        "id": card.id,
        "title": card.title,
        "status": card.status,
        "priority": card.priority,
        "assignee": card.assignee,
        "tags": card.tags,
        "depends_on": card.depends_on,
        "refs": card.refs,
        "created": card.created.map(dates::seconds),
        "updated": card.updated.map(dates::seconds),
        "path": card.path(),
    })
}
