//! One card: what it says, and changing it. What was changed meanwhile is never written over.

use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use cruxe_deck::refs::Reference;
use cruxe_deck::{Blocker, Card, CardId, DeckError, ListChange, Priority, Status, TaskGraph, Update, version};
use cruxe_model::RepoPath;
use cruxe_server::contract::{ErrorCode, ToolError};
use jiff::Timestamp;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::board::COLUMNS;
use crate::address;
use crate::ask::Asking;
use crate::markdown;
use crate::visit::Visit;

const PRIORITIES: [Priority; 4] = [Priority::Critical, Priority::High, Priority::Medium, Priority::Low];

/// What a page changes of a card, and the version that it showed.
#[derive(Deserialize)]
pub(crate) struct Edit {
    seen: String,
    title: Option<String>,
    status: Option<String>,
    priority: Option<String>,
    assignee: Option<String>,
    tags: Option<String>,
    depends_on: Option<String>,
    refs: Option<String>,
    notes: Option<String>,
    body: Option<String>,
}

/// Changes a card.
pub(crate) async fn update(visit: Visit, Path(id): Path<String>, axum::Json(edit): axum::Json<Edit>) -> Response {
    let outcome = visit
        .work(move |asking| {
            let id = card_id(&id)?;
            let update = edit.update()?;
            match asking.visit.deck().update(&id, &update, Timestamp::now()) {
                Ok(updated) => Ok(Ok(updated.card.id)),
                Err(DeckError::Changed { .. }) => Ok(Err(id)),
                Err(problem) => Err(ToolError::from(problem)),
            }
        })
        .await;
    match outcome {
        Ok(Ok(id)) => axum::Json(json!({"id": id.as_str()})).into_response(),
        Ok(Err(_)) => {
            let problem = "The card was changed meanwhile by somebody else. Nothing was written.";
            (StatusCode::CONFLICT, problem).into_response()
        }
        Err(error) => (StatusCode::BAD_REQUEST, error.message).into_response(),
    }
}

fn card_id(text: &str) -> Result<CardId, ToolError> {
    CardId::parse(text).ok_or_else(|| ToolError::new(ErrorCode::FileNotFound, format!("there is no card `{text}`")))
}

impl Edit {
    fn update(self) -> Result<Update, ToolError> {
        let refused = |name: &str, word: &str| ToolError::invalid_input(format!("{name}: `{word}` is none"));
        let lines =
            |text: String| text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect();
        let words = |text: String| {
            let parts = text.split(',').map(|part| part.trim().trim_start_matches('#').to_owned());
            ListChange::Set(parts.filter(|part| !part.is_empty()).collect())
        };
        Ok(Update {
            title: self.title,
            status: match self.status {
                Some(word) => Some(Status::parse(&word).ok_or_else(|| refused("status", &word))?),
                None => None,
            },
            priority: match self.priority {
                Some(word) => Some(Priority::parse(&word).ok_or_else(|| refused("priority", &word))?),
                None => None,
            },
            assignee: self.assignee,
            tags: self.tags.map(words),
            depends_on: self.depends_on.map(words),
            refs: self.refs.map(|text| ListChange::Set(lines(text))),
            notes: self.notes,
            body: self.body,
            seen: Some(self.seen),
        })
    }
}

/// The card beside the board.
pub(crate) fn panel(asking: &Asking, id: &str) -> Result<Markup, ToolError> {
    let deck = asking.visit.deck();
    let (card, text) = deck.read(&card_id(id)?)?;
    let cards = deck.cards()?;
    let graph = cards.graph();
    let body = text.get(card.body_start..).unwrap_or_default();
    let from = RepoPath::parse(&card.path()).map_err(|problem| ToolError::internal(problem.to_string()))?;
    Ok(html! {
        form #card-form data-id=(card.id.as_str()) data-version=(version(&text)) {
            header.panel-head {
                span.id { (card.id.as_str()) }
                span.row {
                    a.button href=(address::file(&card.path(), None, None)) { "File" }
                    a.button.close href=(address::page("/board")) aria-label="Close the card" { "✕" }
                }
            }
            p #card-said.note hidden role="alert" {}
            label.hidden for="card-title" { "Title" }
            textarea #card-title name="title" rows="1" maxlength="200" required { (card.title) }
            div.fields {
                label { "Status" select name="status" { @for (status, word) in COLUMNS { option value=(status.as_str()) selected[card.status == status] { (word) } } } }
                label { "Priority" select name="priority" { @for priority in PRIORITIES { option value=(priority.as_str()) selected[card.priority == priority] { (priority.as_str()) } } } }
                label { "Assignee" input name="assignee" maxlength="50" value=[card.assignee.as_deref()]; }
                label { "Tags" input name="tags" value=(card.tags.join(", ")); }
                label.wide { "Waits for (ids)" input name="depends_on" value=(card.depends_on.join(", ")); }
                label.wide { "References, one a line" textarea name="refs" rows=(card.refs.len().max(1)) { (card.refs.join("\n")) } }
                label.wide { "Notes" textarea name="notes" rows="2" maxlength="500" { (card.notes.as_deref().unwrap_or_default()) } }
            }
            (ties(&graph, &card))
            details.body open { summary { "Text" } div.prose { (markdown::render(&from, body)) } }
            details { summary { "Edit the text" } label.hidden for="card-body" { "Text" } textarea #card-body name="body" rows="12" { (body.trim_start_matches(['\n', '\r'])) } }
            p.row.right-row { button.button.primary { "Save" } span.faint #card-state {} }
        }
    })
}

/// What the card waits for, what waits for it, and where it leads.
fn ties(graph: &TaskGraph, card: &Card) -> Markup {
    let link = |card: &Card| html! { a href=(address::with("/board", &[("card", card.id.as_str())])) { (card.title) } " " span.faint { (card.status.as_str()) } };
    let (waits, dependents) = (graph.blockers(card), graph.dependents(card.id.as_str()));
    html! {
        @if !waits.is_empty() { h3 { "Waits for" } ul.plain { @for blocker in &waits { li { @match blocker {
            Blocker::Card(other) => (link(other)),
            Blocker::Missing(id) => span.bad { (id) ", which is no card" },
        } } } } }
        @if !dependents.is_empty() { h3 { "Waits for it" } ul.plain { @for other in dependents { li { (link(other)) } } } }
        @if !card.refs.is_empty() { h3 { "Leads to" } ul.plain { @for written in &card.refs { li { (reference(written)) } } } }
    }
}

fn reference(written: &str) -> Markup {
    let Ok(found) = Reference::parse(written) else { return html! { span.bad { (written) } } };
    let path = found.path.as_str();
    let to = match found.fragment.as_deref() {
        Some(fragment) if path.ends_with(".md") => {
            format!("{}#{}", markdown::document(path), cruxe_deck::document::slug(fragment))
        }
        Some(fragment) => address::with(&format!("/symbol/{}", address::part(fragment)), &[("path", path)]),
        None if path.ends_with(".md") => markdown::document(path),
        None => address::file(path, None, None),
    };
    html! { a href=(to) { (written) } }
}
