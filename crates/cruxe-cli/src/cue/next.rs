//! `cue next` and `cue start`: what can be begun, and beginning it.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use cruxe_deck::{Blocker, Card, Status, Update};
use serde_json::{Value, json};

use super::card::change;
use super::error::{CueError, Kind};
use super::{deck, list};
use crate::context::Context;
use crate::output::{self, Paint};

/// Show what is being done, what can be begun, and what waits for what
///
/// The most important first.
///
/// Examples:
///   cue next
///   cue next --assignee kim --tag auth
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Next {
    /// Only cards of this person and of nobody
    #[arg(long, value_name = "NAME")]
    assignee: Option<String>,
    /// Only cards with this tag; given several times, with any of them
    #[arg(long = "tag", visible_alias = "tags", value_name = "TAG", value_delimiter = ',')]
    tags: Vec<String>,
}

/// Begin a card: set it to active
///
/// A card that waits for another is not begun.
///
/// Examples:
///   cue start xyz789
///   cue start xyz --assignee @kim
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Start {
    /// The card's id, or how it begins
    id: String,
    /// Who does it
    #[arg(long, value_name = "NAME")]
    assignee: Option<String>,
    /// Even if it waits for another card
    #[arg(long)]
    anyway: bool,
}

/// A card and what it waits for.
type Waiting<'a> = (&'a Arc<Card>, Vec<Blocker<'a>>);

impl Next {
    pub fn run(self, context: &Context) -> Result<ExitCode, CueError> {
        let deck = deck::find(context)?;
        let cards = deck.cards()?;
        let graph = cards.graph();
        let wanted = |card: &Card| {
            let own = |name: &String| card.assignee.is_none() || card.is_assigned_to(name);
            self.assignee.as_ref().is_none_or(own) && (self.tags.is_empty() || card.has_any_tag(&self.tags))
        };
        let in_turn = cards.in_turn().iter().map(|listed| &listed.card);
        let open = in_turn.filter(|card| !card.is_finished() && wanted(card));
        let (active, todo): (Vec<Waiting>, Vec<Waiting>) =
            open.map(|card| (card, graph.blockers(card))).partition(|(card, _)| card.status == Status::Active);
        let (ready, blocked): (Vec<Waiting>, Vec<Waiting>) = todo.into_iter().partition(|(_, waits)| waits.is_empty());
        if context.options.json {
            let all = |cards: &[Waiting]| cards.iter().map(to_json).collect::<Vec<Value>>();
            output::json(&json!({ "active": all(&active), "ready": all(&ready), "blocked": all(&blocked) }));
            return Ok(ExitCode::SUCCESS);
        }
        print("active", &active);
        print("ready", &ready);
        print("blocked", &blocked);
        if active.is_empty() && ready.is_empty() && blocked.is_empty() {
            output::line("nothing is to be done; `cue card new TITLE` makes a card");
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Start {
    pub fn run(self, context: &Context) -> Result<ExitCode, CueError> {
        let deck = deck::find(context)?;
        let id = deck::card_id(&deck, &self.id)?;
        let (card, _) = deck.read(&id)?;
        let cards = deck.cards()?;
        let graph = cards.graph();
        let waits = graph.blockers(&card);
        if !waits.is_empty() && !self.anyway {
            let names: Vec<String> = waits.iter().map(describe).collect();
            return Err(CueError::new(Kind::Workspace, format!("{id} waits for {}", names.join(", ")))
                .data(json!({ "waits_for": waits.iter().map(id_of).collect::<Vec<_>>() }))
                .help("Do that first, or give --anyway."));
        }
        if card.status == Status::Active && self.assignee.is_none() {
            output::note(&format!("{id} is active already"));
        }
        let update = Update { status: Some(Status::Active), assignee: self.assignee, ..Update::default() };
        change(context, &deck, &id, &update)?;
        Ok(ExitCode::SUCCESS)
    }
}

fn id_of<'a>(blocker: &Blocker<'a>) -> &'a str {
    match blocker {
        Blocker::Card(card) => card.id.as_str(),
        Blocker::Missing(id) => id,
    }
}

fn describe(blocker: &Blocker) -> String {
    match blocker {
        Blocker::Card(card) => format!("{} {} ({})", card.id, card.title, card.status),
        Blocker::Missing(id) => format!("{id} (no such card)"),
    }
}

fn to_json((card, waits): &Waiting) -> Value {
    let mut value = list::to_json(card);
    value["waits_for"] = json!(waits.iter().map(id_of).collect::<Vec<_>>());
    value
}

fn print(heading: &str, cards: &[Waiting]) {
    if cards.is_empty() {
        return;
    }
    let paint = Paint::stdout();
    output::line(&paint.strong(heading));
    for (card, waits) in cards {
        let assignee = card.assignee.as_ref().map(|name| format!("  {name}")).unwrap_or_default();
        let title = format!("{}{assignee}", card.title);
        let id = paint.number(card.id.as_str());
        output::line(&format!("  {id}  {:8}  {}", card.priority, output::one_line(&title)));
        for one in waits {
            output::line(&format!("          waits for {}", output::one_line(&describe(one))));
        }
    }
}
