//! The board: cards by status.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use cruxe_deck::{Blocker, Card, Cards, Priority, Status, TaskGraph, version};
use cruxe_server::contract::ToolError;
use cruxe_server::contract::names::CREATE_TASK;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::{card, place_link};
use crate::address;
use crate::ask::{Asking, text};
use crate::layout::Look;
use crate::params::Params;
use crate::visit::Visit;

/// Cards of one column.
const MOST: usize = 200;

pub(crate) const COLUMNS: [(Status, &str); 4] =
    [(Status::Todo, "To do"), (Status::Active, "Active"), (Status::Done, "Done"), (Status::Archived, "Archived")];

pub(crate) async fn page(visit: Visit, params: Params) -> Response {
    let asked = params.clone();
    visit
        .page(&params, Look::new("Board", "Board").script("board.js").wide(), move |asking| match asked.part() {
            Some("card") => card::panel(asking, asked.get("card").unwrap_or_default()),
            Some("columns") => columns(asking, &asked),
            _ => body(asking, &asked),
        })
        .await
}

/// Makes a card.
pub(crate) async fn create(visit: Visit, axum::Json(body): axum::Json<Value>) -> Response {
    let title = text(&body, "title").to_owned();
    match visit.work(move |asking| asking.tool(CREATE_TASK, json!({"title": title}))).await {
        Ok(made) => axum::Json(json!({"id": made["id"]})).into_response(),
        Err(error) => (StatusCode::BAD_REQUEST, error.message).into_response(),
    }
}

fn body(asking: &Asking, params: &Params) -> Result<Markup, ToolError> {
    let deck = asking.visit.deck();
    if !deck.exists() {
        return Ok(
            html! { div.empty { p.empty-title { "There is no deck in this repository." } p { code { "cue init" } " starts one." } } },
        );
    }
    let cards = deck.cards()?;
    let mut people: Vec<&str> = cards.cards.iter().filter_map(|card| card.assignee.as_deref()).collect();
    let mut tags: Vec<&str> = cards.cards.iter().flat_map(|card| card.tags.iter().map(String::as_str)).collect();
    people.sort_unstable();
    people.dedup();
    tags.sort_unstable();
    tags.dedup();
    Ok(html! {
        header.head {
            h1 { "Board" }
            form #new-card.row {
                label.hidden for="new-title" { "A new card" }
                input #new-title name="title" placeholder="A new card" maxlength="200" required autocomplete="off";
                button.button.primary { "Add" }
            }
            p.row { a.button href=(address::page("/graph?tasks=1")) { "Graph" } a.button href=(address::page("/scene")) { "Scene" } a.button href=(address::page("/doc/")) { "Documents" } }
        }
        div.row.filters {
            label.hidden for="pick-card" { "Filter cards" }
            input #pick-card type="search" placeholder="Filter cards" autocomplete="off";
            (choice("is", "State", &[("ready", "ready"), ("blocked", "blocked")], params.get("is")))
            (choice("priority", "Priority", &[("critical", "critical"), ("high", "high"), ("medium", "medium"), ("low", "low")], params.get("priority")))
            (choice("who", "Who", &people.iter().map(|name| (*name, *name)).collect::<Vec<_>>(), params.get("who")))
            (choice("tag", "Tag", &tags.iter().map(|name| (*name, *name)).collect::<Vec<_>>(), params.get("tag")))
            label { input type="checkbox" data-param="archived" value="1" checked[params.get("archived").is_some()]; " archived" }
        }
        div #board.board data-live="deck" data-own="1" { (columns(asking, params)?) }
        aside #panel.panel aria-label="Card" data-card=[params.get("card")] hidden[params.get("card").is_none()] {
            @if let Some(id) = params.get("card") { (card::panel(asking, id)?) }
        }
    })
}

fn choice(name: &str, title: &str, values: &[(&str, &str)], chosen: Option<&str>) -> Markup {
    html! { label { (title) " " select data-param=(name) {
        option value="" { "any" }
        @for (value, word) in values { option value=(value) selected[chosen == Some(value)] { (word) } }
    } } }
}

fn columns(asking: &Asking, params: &Params) -> Result<Markup, ToolError> {
    let deck = asking.visit.deck();
    let cards = deck.cards()?;
    let graph = cards.graph();
    let shown = |card: &&Card| {
        let blocked = !card.is_finished() && !graph.blockers(card).is_empty();
        params.get("who").is_none_or(|name| card.is_assigned_to(name))
            && params.get("tag").is_none_or(|tag| card.has_any_tag(&[tag]))
            && params.get("priority").and_then(Priority::parse).is_none_or(|priority| card.priority == priority)
            && match params.get("is") {
                Some("ready") => card.status == Status::Todo && !blocked,
                Some("blocked") => blocked,
                _ => true,
            }
    };
    let columns = COLUMNS.iter().filter(|(status, _)| *status != Status::Archived || params.get("archived").is_some());
    Ok(html! {
        @for (status, title) in columns {
            @let own: Vec<&Card> = cards.in_turn().iter().map(|listed| &*listed.card).filter(|card| card.status == *status).filter(shown).collect();
            section.column data-status=(status.as_str()) aria-label=(title) {
                h2 { (title) " " span.n { (own.len()) } }
                ol.plain.cards {
                    @for card in own.iter().take(MOST) { (tile(asking, &graph, card)) }
                }
                @if own.len() > MOST { p.faint { (own.len() - MOST) " more" } }
            }
        }
        (problems(&cards))
    })
}

/// Files that should be cards and cannot be read.
fn problems(cards: &Cards) -> Markup {
    html! { @if !cards.problems.is_empty() {
        section.column.broken aria-label="Broken cards" {
            h2 { "Cannot be read " span.n { (cards.problems.len()) } }
            ul.plain { @for problem in cards.problems.iter().take(MOST) {
                li { (place_link(problem.path.as_str(), problem.line.unwrap_or_default().into(), 0, None)) " " (problem.message) }
            } }
        }
    } }
}

fn tile(asking: &Asking, graph: &TaskGraph, card: &Card) -> Markup {
    let id = card.id.as_str();
    let blockers = if card.is_finished() { Vec::new() } else { graph.blockers(card) };
    let seen = asking.visit.deck().text(&card.id).map(|text| version(&text)).unwrap_or_default();
    html! {
        li.tile draggable="true" data-id=(id) data-version=(seen) {
            a.tile-title href=(address::with("/board", &[("card", id)])) { (card.title) }
            p.tile-facts {
                span class={ "priority " (card.priority.as_str()) } { (card.priority.as_str()) }
                @if !blockers.is_empty() { span.blocked title=(waits_for(&blockers)) { "waits for " (blockers.len()) } }
                @else if card.status == Status::Todo { span.ready { "ready" } }
                @for tag in card.tags.iter().take(4) { span.tag { (tag) } }
                @if let Some(assignee) = &card.assignee { span.who { (assignee) } }
                span.id { (id) }
            }
        }
    }
}

fn waits_for(blockers: &[Blocker]) -> String {
    let names = blockers.iter().map(|blocker| match blocker {
        Blocker::Card(card) => card.title.clone(),
        Blocker::Missing(id) => format!("{id}, which is no card"),
    });
    names.collect::<Vec<_>>().join(", ")
}
