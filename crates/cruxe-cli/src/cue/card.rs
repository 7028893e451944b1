//! `cue card`: make, show and change cards.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use cruxe_deck::{CardId, Deck, NewCard, Priority, Status, TaskGraph, Update, dates};
use jiff::Timestamp;
use serde_json::json;

use super::error::{CueError, Kind};
use super::list::{self, List};
use super::{deck, editor};
use crate::context::Context;
use crate::output::{self, Paint};

/// As long as an agent may make one.
const LONGEST_TITLE: usize = 200;
/// As long as an agent may make one.
const LONGEST_ASSIGNEE: usize = 50;
const LONGEST_NOTES: usize = 500;

/// Make, show and change task cards
///
/// A card is a markdown file in .cuedeck/cards with YAML front matter. Its id has six letters and
/// digits.
///
/// Examples:
///   cue card new "Implement login API" --tag auth --priority high --assignee @dana --depends-on abc123
///   cue card show xyz789
///   cue card edit xyz789 --status active
///   cue card edit xyz789
///   cue card done xyz789
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Card {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    New(New),
    List(List),
    /// Show a card, what it depends on and what waits for it
    Show {
        /// The card's id
        #[arg(value_parser = id)]
        id: CardId,
    },
    Edit(Edit),
    /// Set a card to done, and tell which cards can be begun now
    Done {
        /// The card's id
        #[arg(value_parser = id)]
        id: CardId,
    },
}

/// Make a card
///
/// Examples:
///   cue card new "Fix the login"
///   cue card new "Write the docs" --tag docs --depends-on abc123 --edit
#[derive(Args)]
#[command(verbatim_doc_comment)]
struct New {
    /// What is to be done
    #[arg(required = true, value_name = "TITLE")]
    title: Vec<String>,
    /// What it has to do with; may be given several times
    #[arg(long = "tag", visible_alias = "tags", value_name = "TAG", value_delimiter = ',')]
    tags: Vec<String>,
    /// low, medium, high or critical
    #[arg(long, value_parser = list::priority, default_value = "medium")]
    priority: Priority,
    /// Who does it
    #[arg(long, value_name = "NAME")]
    assignee: Option<String>,
    /// The id of a card that must be done before; may be given several times
    #[arg(long, value_name = "ID", value_parser = id, value_delimiter = ',')]
    depends_on: Vec<CardId>,
    /// Open it in $EDITOR
    #[arg(long, short)]
    edit: bool,
}

/// Change a card; without options, open it in $EDITOR
///
/// Everything that is not changed stays byte for byte.
#[derive(Args)]
struct Edit {
    /// The card's id
    #[arg(value_parser = id)]
    id: CardId,
    /// todo, active, done or archived
    #[arg(long, value_parser = list::status)]
    status: Option<Status>,
    /// low, medium, high or critical
    #[arg(long, value_parser = list::priority)]
    priority: Option<Priority>,
    /// Who does it; "" for nobody
    #[arg(long, value_name = "NAME")]
    assignee: Option<String>,
    /// What there is to say; takes the place of what was said before
    #[arg(long, value_name = "TEXT")]
    notes: Option<String>,
}

/// Reads the id of a card.
pub(super) fn id(text: &str) -> Result<CardId, String> {
    CardId::parse(text).ok_or_else(|| "an id has six of a-z and 0-9; `cue list` shows them".to_owned())
}

impl Card {
    pub fn run(self, context: &Context) -> Result<ExitCode, CueError> {
        match self.action {
            Action::List(list) => return list.run(context),
            Action::New(new) => new.run(context)?,
            Action::Show { id } => show(context, &id)?,
            Action::Edit(edit) => edit.run(context)?,
            Action::Done { id } => done(context, &id)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn at_most(name: &str, text: &str, most: usize) -> Result<(), CueError> {
    match text.chars().count() {
        count if count > most => {
            Err(CueError::new(Kind::Usage, format!("{name} has {count} characters; it may have {most}")))
        }
        _ => Ok(()),
    }
}

impl New {
    fn run(self, context: &Context) -> Result<(), CueError> {
        let deck = deck::find(context)?;
        let title = self.title.join(" ").trim().to_owned();
        at_most("the title", &title, LONGEST_TITLE)?;
        let new = NewCard {
            title,
            tags: self.tags,
            priority: self.priority,
            assignee: self.assignee,
            depends_on: self.depends_on,
        };
        let card = deck.create(&new, Timestamp::now(), &deck::is_taken_elsewhere(context, &deck))?;
        if context.options.json {
            output::json(&list::to_json(&card));
        } else {
            output::line(&format!("{}  {}", Paint::stdout().strong(card.id.as_str()), card.path()));
        }
        if self.edit { editor::open(&deck.root().join(card.path())) } else { Ok(()) }
    }
}

impl Edit {
    fn run(self, context: &Context) -> Result<(), CueError> {
        let deck = deck::find(context)?;
        self.assignee.iter().try_for_each(|text| at_most("the assignee", text, LONGEST_ASSIGNEE))?;
        self.notes.iter().try_for_each(|text| at_most("notes", text, LONGEST_NOTES))?;
        let update =
            Update { status: self.status, assignee: self.assignee, priority: self.priority, notes: self.notes };
        if update == Update::default() {
            // A card with broken front matter can be opened too: that is how it gets mended.
            if !deck.files()?.is_file(self.id.path()) {
                deck.read(&self.id)?;
            }
            return editor::open(&deck.root().join(self.id.path()));
        }
        change(context, &deck, &self.id, &update)
    }
}

fn change(context: &Context, deck: &Deck, id: &CardId, update: &Update) -> Result<(), CueError> {
    let updated = deck.update(id, update, Timestamp::now())?;
    if context.options.json {
        output::json(&list::to_json(&updated.card));
    } else {
        output::line(&format!("{}  changed {}", updated.card.id, updated.fields.join(", ")));
    }
    Ok(())
}

fn done(context: &Context, id: &CardId) -> Result<(), CueError> {
    let deck = deck::find(context)?;
    change(context, &deck, id, &Update { status: Some(Status::Done), ..Update::default() })?;
    let cards = deck.cards()?;
    let graph = cards.graph();
    let finished = |id: &str| graph.card(id).is_some_and(|card| matches!(card.status, Status::Done | Status::Archived));
    for card in graph.dependents(id.as_str()) {
        let ready = card.status == Status::Todo && card.depends_on.iter().all(|id| finished(id));
        if ready && !context.options.json {
            output::line(&format!("can be begun now: {} {}", card.id, card.title));
        }
    }
    Ok(())
}

fn show(context: &Context, id: &CardId) -> Result<(), CueError> {
    let deck = deck::find(context)?;
    let (card, text) = deck.read(id)?;
    let body = text.get(card.body_start..).unwrap_or_default().trim();
    let cards = deck.cards()?;
    let graph = cards.graph();
    if context.options.json {
        let mut value = list::to_json(&card);
        value["notes"] = json!(card.notes);
        value["body"] = json!(body);
        value["dependents"] = json!(graph.dependents(id.as_str()).iter().map(|card| &card.id).collect::<Vec<_>>());
        output::json(&value);
        return Ok(());
    }
    let paint = Paint::stdout();
    output::line(&format!("{}  {}", paint.number(card.id.as_str()), paint.strong(&card.title)));
    let line = |name: &str, text: &str| output::line(&format!("{}{text}", paint.faint(&format!("{name:12}"))));
    line("status", card.status.as_str());
    line("priority", card.priority.as_str());
    card.assignee.iter().for_each(|assignee| line("assignee", assignee));
    if !card.tags.is_empty() {
        line("tags", &card.tags.join(", "));
    }
    card.depends_on.iter().for_each(|id| line("depends on", &describe(&graph, id)));
    graph.dependents(id.as_str()).iter().for_each(|card| line("needed by", &describe(&graph, card.id.as_str())));
    card.refs.iter().for_each(|reference| line("refers to", reference));
    card.created.iter().for_each(|time| line("created", &dates::seconds(*time)));
    card.updated.iter().for_each(|time| line("updated", &dates::seconds(*time)));
    card.notes.iter().for_each(|notes| line("notes", notes.trim()));
    line("file", &card.path());
    if !body.is_empty() {
        output::line(&format!("\n{body}"));
    }
    Ok(())
}

fn describe(graph: &TaskGraph, id: &str) -> String {
    match graph.card(id) {
        Some(card) => format!("{id} {} ({})", card.title, card.status),
        None => format!("{id} (no such card)"),
    }
}
