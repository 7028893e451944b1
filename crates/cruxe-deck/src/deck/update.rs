//! Changing a card: single values, each of them checked, and everything else byte for byte as it was.

use std::sync::Arc;

use cruxe_files::Existing;
use jiff::Timestamp;

use super::{Cards, Deck, MAX_CARD, one_line, repo_path};
use crate::card::{self, Card, CardId, LONGEST_ASSIGNEE, LONGEST_NOTES, LONGEST_TITLE, Priority, Status};
use crate::dates;
use crate::error::DeckError;
use crate::frontmatter::{self, FrontMatter, NewValue};
use crate::graph::TaskGraph;
use crate::refs::Reference;
use crate::store;

/// What to change of a card; what is `None` stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// What is to be done; one line. A first heading that says the old title says the new one too.
    pub title: Option<String>,
    /// How far it is.
    pub status: Option<Status>,
    /// Who does it; empty for nobody.
    pub assignee: Option<String>,
    /// How much it matters.
    pub priority: Option<Priority>,
    /// What it has to do with.
    pub tags: Option<ListChange>,
    /// The ids of the cards that must be done before.
    pub depends_on: Option<ListChange>,
    /// Documents and symbols that belong to it.
    pub refs: Option<ListChange>,
    /// What there is to say; takes the place of what was said before.
    pub notes: Option<String>,
    /// The text below the front matter.
    pub body: Option<String>,
    /// The version of the card that whoever changes it has seen, see [`version`]. Another one is not written over.
    pub seen: Option<String>,
}

/// What becomes of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListChange {
    /// This list, whatever there was.
    Set(Vec<String>),
    /// What there was, without some and with others at its end.
    Change {
        /// What comes to it.
        add: Vec<String>,
        /// What goes.
        remove: Vec<String>,
    },
}

/// A card that was changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Updated {
    /// The card as it is now.
    pub card: Card,
    /// When.
    pub updated_at: Timestamp,
    /// The fields that were set.
    pub fields: Vec<&'static str>,
}

/// Returns what tells a text of a card from any other.
pub fn version(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

impl ListChange {
    /// The list that comes of one, everything in it once.
    fn of(&self, before: &[String], same: fn(&str, &str) -> bool) -> Vec<String> {
        let (kept, added): (Vec<&String>, &[String]) = match self {
            ListChange::Set(all) => (Vec::new(), all),
            ListChange::Change { add, remove } => {
                let goes = |one: &&String| remove.iter().any(|gone| same(gone.trim(), one));
                (before.iter().filter(|one| !goes(one)).collect(), add)
            }
        };
        let mut list: Vec<String> = Vec::with_capacity(kept.len() + added.len());
        for one in kept.into_iter().chain(added).map(|one| one.trim()).filter(|one| !one.is_empty()) {
            if !list.iter().any(|there| same(there, one)) {
                list.push(one.to_owned());
            }
        }
        list
    }
}

impl Update {
    /// Returns whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        *self == Update { seen: self.seen.clone(), ..Update::default() }
    }

    fn check(&self) -> Result<(), DeckError> {
        if self.is_empty() {
            return Err(DeckError::Invalid { parameter: "updates", problem: "there is nothing to change".to_owned() });
        }
        if let Some(title) = &self.title {
            card::check_title(title)?;
        }
        at_most("title", self.title.as_deref(), LONGEST_TITLE)?;
        at_most("assignee", self.assignee.as_deref(), LONGEST_ASSIGNEE)?;
        at_most("notes", self.notes.as_deref(), LONGEST_NOTES)?;
        self.assignee.iter().try_for_each(|assignee| one_line("assignee", assignee))
    }

    /// The values to write into a card's front matter.
    fn values(&self, card: &Card, cards: &Cards) -> Result<Vec<(&'static str, NewValue)>, DeckError> {
        let text = |text: &str| NewValue::Text(text.to_owned());
        let mut values: Vec<(&'static str, NewValue)> = Vec::new();
        values.extend(self.title.as_ref().map(|title| ("title", text(title.trim()))));
        values.extend(self.status.map(|status| ("status", text(status.as_str()))));
        values.extend(self.assignee.as_ref().map(|assignee| ("assignee", text(assignee.trim()))));
        values.extend(self.priority.map(|priority| ("priority", text(priority.as_str()))));
        if let Some(change) = &self.tags {
            let tags = change.of(&card.tags, card::same_word);
            tags.iter().try_for_each(|tag| one_line("tags", tag))?;
            values.push(("tags", NewValue::List(tags)));
        }
        if let Some(change) = &self.depends_on {
            let ids = change.of(&card.depends_on, |a, b| a == b);
            check_dependencies(card, &ids, cards)?;
            values.push(("depends_on", NewValue::List(ids)));
        }
        if let Some(change) = &self.refs {
            let refs = change.of(&card.refs, |a, b| a == b);
            refs.iter().filter(|one| !card.refs.contains(one)).try_for_each(|one| check_reference(one))?;
            values.push(("refs", NewValue::List(refs)));
        }
        values.extend(self.notes.as_ref().map(|notes| ("notes", text(&notes.replace("\r\n", "\n")))));
        Ok(values)
    }
}

fn at_most(parameter: &'static str, text: Option<&str>, most: usize) -> Result<(), DeckError> {
    match text.map_or(0, |text| text.chars().count()) {
        count if count > most => {
            Err(DeckError::Invalid { parameter, problem: format!("has {count} characters; it may have {most}") })
        }
        _ => Ok(()),
    }
}

fn check_reference(written: &str) -> Result<(), DeckError> {
    one_line("refs", written)?;
    let wrong = |problem| DeckError::Invalid { parameter: "refs", problem: format!("`{written}`: {problem}") };
    Reference::parse(written).map(drop).map_err(wrong)
}

/// What a card newly depends on has to be there, and must not depend on the card.
fn check_dependencies(card: &Card, ids: &[String], cards: &Cards) -> Result<(), DeckError> {
    let mut missing = Vec::new();
    for written in ids.iter().filter(|id| !card.depends_on.contains(id)) {
        let Some(id) = CardId::parse(written) else {
            let problem = format!("`{written}` is no id of a card");
            return Err(DeckError::Invalid { parameter: "depends_on", problem });
        };
        if cards.get(id.as_str()).is_none() {
            missing.push(id);
        }
    }
    if !missing.is_empty() {
        return Err(DeckError::DependencyNotFound { missing });
    }
    let changed = Arc::new(Card { depends_on: ids.to_vec(), ..card.clone() });
    let with_it = |other: &Arc<Card>| if other.id == card.id { changed.clone() } else { other.clone() };
    let all: Vec<Arc<Card>> = cards.cards.iter().map(with_it).collect();
    match TaskGraph::new(&all).cycle_below([card.id.as_str()]) {
        // Who takes a card out of a circle may do so one step at a time.
        Some(cycle) if ids.iter().any(|id| !card.depends_on.contains(id)) => {
            Err(DeckError::CircularDependency { cycle })
        }
        _ => Ok(()),
    }
}

impl Deck {
    /// Changes fields of a card and nothing else, and writes down when.
    pub fn update(&self, id: &CardId, update: &Update, now: Timestamp) -> Result<Updated, DeckError> {
        update.check()?;
        let _lock = self.lock()?;
        let (bytes, meta) = self.bytes_and_meta(id)?;
        let (card, text) = self.parse(id, &bytes)?;
        let path = repo_path(&id.path());
        if meta.is_read_only() {
            return Err(DeckError::ReadOnly(path));
        }
        let is = version(&text);
        if let Some(seen) = update.seen.as_ref().filter(|seen| **seen != is) {
            return Err(DeckError::Changed { path, expected: seen.clone(), actual: is });
        }
        let mut values = update.values(&card, &*self.cards()?)?;
        let mut fields: Vec<&'static str> = values.iter().map(|(field, _)| *field).collect();
        values.push((stamp_key(&text), NewValue::Plain(dates::seconds(now))));
        let mut edited =
            frontmatter::edit(&text, &values).map_err(|problem| DeckError::Edit { path: path.clone(), problem })?;
        if let Some(title) = &update.title {
            edited = with_heading(edited, &card.title, title.trim());
        }
        if let Some(body) = &update.body {
            edited = with_body(edited, body);
            fields.push("body");
        }
        if edited.len() as u64 > MAX_CARD {
            let problem = "is larger than a card may be (1 MiB)".to_owned();
            return Err(DeckError::Invalid { parameter: "body", problem });
        }
        let reading = card::read(id, &path, edited.as_bytes());
        let card = reading.card.ok_or_else(|| match reading.problems.into_iter().next() {
            Some(problem) => DeckError::Malformed(problem),
            None => self.no_card(id),
        })?;
        store::write(&self.files()?, &id.path(), &edited, Existing::Replace)?;
        Ok(Updated { card, updated_at: now, fields })
    }
}

/// The key under which a card says when it was changed.
fn stamp_key(text: &str) -> &'static str {
    let front = FrontMatter::parse(text).ok().flatten();
    let has = |key: &str| front.as_ref().is_some_and(|front| front.entry(key).is_some());
    if has("updated_at") && !has("updated") { "updated_at" } else { "updated" }
}

fn body_start(text: &str) -> usize {
    FrontMatter::parse(text).ok().flatten().map_or(text.len(), |front| front.body)
}

/// The text with a title in its first heading, where that says the old title.
fn with_heading(text: String, before: &str, title: &str) -> String {
    let start = body_start(&text);
    let blank = text[start..].len() - text[start..].trim_start().len();
    let at = start + blank;
    let line = text[at..].lines().next().unwrap_or_default();
    match line.strip_prefix("# ") {
        Some(heading) if heading.trim() == before => format!("{}# {title}{}", &text[..at], &text[at + line.len()..]),
        _ => text,
    }
}

/// The text with another body: a blank line after the front matter and a line end at the end, with the card's own line ends.
fn with_body(text: String, body: &str) -> String {
    let head = &text[..body_start(&text)];
    let eol = if head.contains("\r\n") { "\r\n" } else { "\n" };
    let lines = body.trim_end().lines().skip_while(|line| line.trim().is_empty());
    let body: String = lines.flat_map(|line| [line, eol]).collect();
    let fence_ends = if head.ends_with('\n') { "" } else { eol };
    if body.is_empty() { format!("{head}{fence_ends}") } else { format!("{head}{fence_ends}{eol}{body}") }
}
