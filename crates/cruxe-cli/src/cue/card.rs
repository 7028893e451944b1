//! `cue card`: make, show and change cards.

use std::io::Read;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use cruxe_deck::card::LONGEST_TITLE;
use cruxe_deck::{CardId, Deck, ListChange, NewCard, Priority, Status, TaskGraph, Update, dates};
use jiff::Timestamp;
use serde_json::json;

use super::error::{CueError, Kind};
use super::list::{self, List};
use super::{deck, editor};
use crate::context::Context;
use crate::output::{self, Paint};

/// More than a card may have is not read.
const LONGEST_BODY: u64 = 1 << 20;

/// Make, show and change task cards
///
/// A card is a markdown file in .cuedeck/cards with YAML front matter. Its id has six letters and
/// digits; as many of them as no other card begins with are enough.
///
/// Examples:
///   cue card new "Implement login API" --tag auth --priority high --assignee @dana --depends-on abc123
///   cue card show xyz789
///   cue card edit xyz --status active --add-tag api --depends-on abc123
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
        /// The card's id, or how it begins
        id: String,
    },
    Edit(Box<Edit>),
    /// Set a card to done, and tell which cards can be begun now
    Done {
        /// The card's id, or how it begins
        id: String,
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
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    depends_on: Vec<String>,
    /// Open it in $EDITOR
    #[arg(long, short)]
    edit: bool,
}

/// Change a card; without options, open it in $EDITOR
///
/// Everything that is not changed stays byte for byte. Lists may be given as a,b or several times.
///
/// Examples:
///   cue card edit xyz789 --title "Login by token" --assignee @kim
///   cue card edit xyz --add-tag api --remove-tag draft --add-ref src/auth/jwt.rs#validate_token
///   cue card edit xyz --depends-on abc123,def456
///   git log -1 --format=%B | cue card edit xyz --body -
#[derive(Args)]
#[command(verbatim_doc_comment)]
struct Edit {
    /// The card's id, or how it begins
    id: String,
    /// What is to be done
    #[arg(long)]
    title: Option<String>,
    /// todo, active, done or archived
    #[arg(long, value_parser = list::status)]
    status: Option<Status>,
    /// low, medium, high or critical
    #[arg(long, value_parser = list::priority)]
    priority: Option<Priority>,
    /// Who does it; "" for nobody
    #[arg(long, value_name = "NAME")]
    assignee: Option<String>,
    /// The tags from now on; "" for none
    #[arg(long = "tag", visible_alias = "tags", value_name = "TAG", value_delimiter = ',')]
    tags: Option<Vec<String>>,
    /// One more tag
    #[arg(long, value_name = "TAG", value_delimiter = ',', conflicts_with = "tags")]
    add_tag: Vec<String>,
    /// One tag less
    #[arg(long, value_name = "TAG", value_delimiter = ',', conflicts_with = "tags")]
    remove_tag: Vec<String>,
    /// The cards that must be done before, from now on; "" for none
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    depends_on: Option<Vec<String>>,
    /// One more card that must be done before
    #[arg(long, value_name = "ID", value_delimiter = ',', conflicts_with = "depends_on")]
    add_dependency: Vec<String>,
    /// One card less that must be done before
    #[arg(long, value_name = "ID", value_delimiter = ',', conflicts_with = "depends_on")]
    remove_dependency: Vec<String>,
    /// The documents and symbols that belong to it, from now on; "" for none
    #[arg(long = "ref", visible_alias = "refs", value_name = "PATH[#NAME]", value_delimiter = ',')]
    refs: Option<Vec<String>>,
    /// One more document or symbol
    #[arg(long, value_name = "PATH[#NAME]", value_delimiter = ',', conflicts_with = "refs")]
    add_ref: Vec<String>,
    /// One document or symbol less
    #[arg(long, value_name = "PATH[#NAME]", value_delimiter = ',', conflicts_with = "refs")]
    remove_ref: Vec<String>,
    /// What there is to say; takes the place of what was said before
    #[arg(long, value_name = "TEXT")]
    notes: Option<String>,
    /// The text below the front matter; - reads it from stdin
    #[arg(long, value_name = "TEXT")]
    body: Option<String>,
}

/// What options say of a list: all of it, or what comes and goes.
fn list_change(set: Option<Vec<String>>, add: Vec<String>, remove: Vec<String>) -> Option<ListChange> {
    match set {
        Some(all) => Some(ListChange::Set(all)),
        None if add.is_empty() && remove.is_empty() => None,
        None => Some(ListChange::Change { add, remove }),
    }
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
        let depends_on = self.depends_on.iter().map(|text| deck::card_id(&deck, text)).collect::<Result<_, _>>()?;
        let new = NewCard { title, tags: self.tags, priority: self.priority, assignee: self.assignee, depends_on };
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
        let id = deck::card_id(&deck, &self.id)?;
        let update = self.update(&deck)?;
        if update.is_empty() {
            // A card with broken front matter can be opened too: that is how it gets mended.
            if !deck.files()?.is_file(id.path()) {
                deck.read(&id)?;
            }
            return editor::open(&deck.root().join(id.path()));
        }
        change(context, &deck, &id, &update)
    }

    fn update(self, deck: &Deck) -> Result<Update, CueError> {
        let ids = |texts: Vec<String>| -> Result<Vec<String>, CueError> {
            let given = texts.iter().filter(|text| !text.trim().is_empty());
            given.map(|text| deck::card_id(deck, text).map(|id| id.to_string())).collect()
        };
        let body = match self.body.as_deref() {
            Some("-") => Some(read_body()?),
            _ => self.body,
        };
        // An id that is to go may be of no card any more.
        let depends_on =
            list_change(self.depends_on.map(ids).transpose()?, ids(self.add_dependency)?, self.remove_dependency);
        Ok(Update {
            title: self.title,
            status: self.status,
            assignee: self.assignee,
            priority: self.priority,
            tags: list_change(self.tags, self.add_tag, self.remove_tag),
            depends_on,
            refs: list_change(self.refs, self.add_ref, self.remove_ref),
            notes: self.notes,
            body,
            seen: None,
        })
    }
}

fn read_body() -> Result<String, CueError> {
    let mut text = String::new();
    let read = std::io::stdin().lock().take(LONGEST_BODY + 1).read_to_string(&mut text);
    read.map(|_| text).map_err(|problem| CueError::new(Kind::Io, format!("stdin: {problem}")))
}

/// Changes a card and says what was changed.
pub(super) fn change(context: &Context, deck: &Deck, id: &CardId, update: &Update) -> Result<(), CueError> {
    let updated = deck.update(id, update, Timestamp::now())?;
    if context.options.json {
        output::json(&list::to_json(&updated.card));
    } else {
        output::line(&format!("{}  changed {}", updated.card.id, updated.fields.join(", ")));
    }
    Ok(())
}

fn done(context: &Context, id: &str) -> Result<(), CueError> {
    let deck = deck::find(context)?;
    let id = deck::card_id(&deck, id)?;
    change(context, &deck, &id, &Update { status: Some(Status::Done), ..Update::default() })?;
    let cards = deck.cards()?;
    let graph = cards.graph();
    for card in graph.dependents(id.as_str()) {
        let ready = card.status == Status::Todo && graph.blockers(card).is_empty();
        if ready && !context.options.json {
            output::line(&format!("can be begun now: {} {}", card.id, card.title));
        }
    }
    Ok(())
}

fn show(context: &Context, id: &str) -> Result<(), CueError> {
    let deck = deck::find(context)?;
    let id = deck::card_id(&deck, id)?;
    let (card, text) = deck.read(&id)?;
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
