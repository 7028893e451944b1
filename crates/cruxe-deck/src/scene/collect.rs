//! What a scene is made of, the most important first.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;

use cruxe_extract::{Extractor, Input, as_text, registry};
use cruxe_files::Root;
use cruxe_model::facts::FileFacts;
use cruxe_model::{RepoPath, SymbolKind};
use rayon::prelude::*;

use super::part::{Part, Section};
use crate::card::{CARDS, Card, CardId, Status};
use crate::deck::{Cards, Deck};
use crate::error::DeckError;
use crate::fence::{self, one_line};
use crate::graph::TaskGraph;
use crate::links::{self, Destination};
use crate::refs::Reference;

/// A larger file is named, not shown.
const LARGEST_FILE: u64 = 2 << 20;
/// Cards that are shown when nothing is active.
const MOST_NEXT: usize = 20;

/// The parts of a scene before anything is left out.
#[derive(Default)]
pub(super) struct Collected {
    pub summary: String,
    pub parts: Vec<Part>,
    pub inputs: Vec<RepoPath>,
}

/// Reads what belongs to the scene of a deck.
pub(super) fn collect(deck: &Deck) -> Result<Collected, DeckError> {
    let cards = deck.cards()?;
    let graph = cards.graph();
    let mut active = of_status(&cards, Status::Active);
    active.sort_by_key(|card| (std::cmp::Reverse(card.priority), card.id.clone()));
    let mut collected = Collected { summary: summary(&cards, active.len()), ..Collected::default() };
    let opened: Vec<Option<Opened>> = active.par_iter().map(|card| open(deck, &card.id)).collect::<Result<_, _>>()?;
    let opened: Vec<Opened> = opened.into_iter().flatten().collect();
    let mut wanted: Vec<&Reference> = Vec::new();
    let mut known = HashSet::new();
    for reference in opened.iter().flat_map(Opened::references) {
        if known.insert(reference) {
            wanted.push(reference);
        }
    }
    let files = deck.files()?;
    let slices: Slices = wanted.par_iter().map(|reference| (*reference, read_slice(&files, reference))).collect();
    for card in &opened {
        collected.parts.push(card.part(&graph, &slices));
    }
    dependencies(deck, &active, &graph, &mut collected)?;
    references(&wanted, &slices, &mut collected);
    collected.parts.extend(next(&cards, &active));
    Ok(collected)
}

fn of_status(cards: &Cards, status: Status) -> Vec<&Arc<Card>> {
    cards.cards.iter().filter(|card| card.status == status).collect()
}

fn summary(cards: &Cards, active: usize) -> String {
    let word = |count: usize, of: &str| format!("{count} {of}{}", if count == 1 { "" } else { "s" });
    let unread: HashSet<&RepoPath> =
        cards.problems.iter().filter(|problem| problem.fatal).map(|problem| &problem.path).collect();
    let mut text = format!("{} of {} in work.", active, word(cards.cards.len(), "card"));
    if !unread.is_empty() {
        let _ = write!(text, " {} cannot be read, see `cue doctor`.", word(unread.len(), "card"));
    }
    text
}

fn head(card: &Card, graph: &TaskGraph) -> String {
    let mut facts = vec![format!("status: {}", card.status), format!("priority: {}", card.priority)];
    facts.extend(card.assignee.as_ref().map(|assignee| format!("assignee: {}", one_line(assignee))));
    let mut list = |name: &str, items: Vec<String>| {
        if !items.is_empty() {
            facts.push(format!("{name}: {}", one_line(&items.join(", "))));
        }
    };
    list("tags", card.tags.clone());
    let state = |id: &String| match graph.card(id) {
        Some(other) => format!("{id} ({})", other.status),
        None => format!("{id} (no such card)"),
    };
    list("depends on", card.depends_on.iter().map(state).collect());
    let mut text = format!("### {} {}\n\n{}\n", card.id, one_line(&card.title), facts.join("; "));
    if let Some(notes) = &card.notes {
        match notes.trim() {
            notes if notes.contains(['\n', '\r']) => drop(write!(text, "notes:\n\n{}", fence::block("", notes))),
            notes => drop(writeln!(text, "notes: {}", one_line(notes))),
        }
    }
    text
}

/// What references show; `None` for those that lead nowhere.
type Slices<'a> = HashMap<&'a Reference, Option<Slice>>;

/// An active card, and what it refers to.
struct Opened {
    card: Card,
    text: String,
    /// The references of its front matter as they are written, with what they mean.
    refs: Vec<(String, Option<Reference>)>,
    /// What links in its text lead to.
    links: Vec<Reference>,
}

/// Opens a card. `None` when somebody took it away meanwhile.
fn open(deck: &Deck, id: &CardId) -> Result<Option<Opened>, DeckError> {
    let Some((card, text)) = read(deck, id)? else { return Ok(None) };
    let refs = card.refs.iter().map(|written| (written.clone(), Reference::parse(written).ok())).collect();
    let mut found = Vec::new();
    if let Ok(path) = RepoPath::parse(&card.path()) {
        for link in links::of_facts(&facts_of(&path, text.as_bytes())) {
            if let Destination::Inside(reference) = links::resolve(&path, &link.written)
                && reference.path != path
            {
                found.push(reference);
            }
        }
    }
    Ok(Some(Opened { card, text, refs, links: found }))
}

impl Opened {
    fn references(&self) -> impl Iterator<Item = &Reference> {
        self.refs.iter().filter_map(|(_, reference)| reference.as_ref()).chain(&self.links)
    }

    fn part(&self, graph: &TaskGraph, slices: &Slices) -> Part {
        let mut head = head(&self.card, graph);
        let leads_somewhere = |reference: &Reference| slices.get(reference).is_some_and(Option::is_some);
        let dead: Vec<&str> = self
            .refs
            .iter()
            .filter(|(_, reference)| !reference.as_ref().is_some_and(leads_somewhere))
            .map(|(written, _)| written.as_str())
            .collect();
        if !dead.is_empty() {
            let _ = writeln!(head, "refs that lead nowhere: {}", one_line(&dead.join(", ")));
        }
        card_part(Section::Active, &self.card, head, body(&self.card, &self.text))
    }
}

fn read_slice(files: &Root, reference: &Reference) -> Option<Slice> {
    slice(reference, &links::read_inside(files, &reference.path, LARGEST_FILE).ok()?)
}

fn card_part(section: Section, card: &Card, head: String, body: String) -> Part {
    Part { section, name: format!("card {}", card.id), head, body, language: Some("markdown".to_owned()) }
}

/// What a card says below its front matter, without the heading that only repeats the title.
fn body(card: &Card, text: &str) -> String {
    let body = text.get(card.body_start..).unwrap_or_default().trim();
    let first = body.lines().next().unwrap_or_default();
    let repeats = first.strip_prefix("# ").is_some_and(|heading| heading.trim() == card.title);
    if repeats { body[first.len()..].trim().to_owned() } else { body.to_owned() }
}

/// A card that is gone or broken since it was listed is left out.
fn read(deck: &Deck, id: &CardId) -> Result<Option<(Card, String)>, DeckError> {
    match deck.read(id) {
        Ok(read) => Ok(Some(read)),
        Err(DeckError::NoCard { .. } | DeckError::Malformed(_)) => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// What has to be done before active cards: in full where it is next and not done, else by title.
fn dependencies(
    deck: &Deck,
    active: &[&Arc<Card>],
    graph: &TaskGraph,
    collected: &mut Collected,
) -> Result<(), DeckError> {
    let mut seen: HashSet<&CardId> = active.iter().map(|card| &card.id).collect();
    let direct: HashSet<&CardId> =
        active.iter().flat_map(|card| graph.dependencies(card.id.as_str())).map(|card| &card.id).collect();
    for card in active.iter().flat_map(|card| graph.all_dependencies(card.id.as_str())) {
        if !seen.insert(&card.id) {
            continue;
        }
        let open = matches!(card.status, Status::Todo | Status::Active) && direct.contains(&card.id);
        let body = match open {
            true => read(deck, &card.id)?.map(|(card, text)| body(&card, &text)).unwrap_or_default(),
            false => String::new(),
        };
        collected.parts.push(card_part(Section::Dependencies, card, head(card, graph), body));
    }
    Ok(())
}

/// Documents, then code, each once and in the order in which cards name them.
fn references(wanted: &[&Reference], slices: &Slices, collected: &mut Collected) {
    let whole: HashSet<&RepoPath> =
        wanted.iter().filter(|reference| reference.fragment.is_none()).map(|reference| &reference.path).collect();
    let (mut documents, mut code) = (Vec::new(), Vec::new());
    let mut shown = HashSet::new();
    for reference in wanted {
        if !collected.inputs.contains(&reference.path) {
            collected.inputs.push(reference.path.clone());
        }
        let is_card = reference.path.parent() == CARDS;
        let is_document = is_markdown(&reference.path);
        if is_card || (is_document && reference.fragment.is_some() && whole.contains(&reference.path)) {
            continue;
        }
        let Some(slice) = slices.get(reference).and_then(Option::as_ref) else { continue };
        if !shown.insert((&reference.path, slice.lines)) {
            continue;
        }
        let section = if is_document { Section::Documents } else { Section::Code };
        let name = match &reference.fragment {
            Some(fragment) => one_line(&format!("{}#{fragment}", reference.path)),
            None => one_line(reference.path.as_str()),
        };
        let lines = slice.lines.map(|(from, to)| format!(" (lines {from}–{to})")).unwrap_or_default();
        let head = format!("### {name}{lines}\n");
        let (body, language) = (slice.text.clone(), Some(slice.language.clone()));
        let part = Part { section, name, head, body, language };
        if is_document { documents.push(part) } else { code.push(part) }
    }
    collected.parts.append(&mut documents);
    collected.parts.append(&mut code);
}

fn is_markdown(path: &RepoPath) -> bool {
    path.extension().is_some_and(|extension| matches!(extension.as_str(), "md" | "markdown" | "mdx"))
}

struct Slice {
    text: String,
    /// First and last line; `None` for a whole file or an outline of it.
    lines: Option<(u32, u32)>,
    language: String,
}

/// What a reference shows: a section, a symbol, lines, a whole document, or the outline of a whole file of code.
fn slice(reference: &Reference, bytes: &[u8]) -> Option<Slice> {
    let (text, _) = as_text(bytes);
    let language = registry::detect(&reference.path, bytes).map_or("", |language| language.id).to_owned();
    if let Some((from, to)) = reference.fragment.as_deref().and_then(links::lines_of_fragment) {
        let lines: Vec<&str> = text.lines().skip(from as usize - 1).take((to - from) as usize + 1).collect();
        return (!lines.is_empty()).then(|| Slice { text: lines.join("\n"), lines: Some((from, to)), language });
    }
    if reference.fragment.is_none() && !is_markdown(&reference.path) {
        let outline = outline(&facts_of(&reference.path, bytes));
        let text = if outline.is_empty() { text.into_owned() } else { outline };
        return Some(Slice { text, lines: None, language });
    }
    let target = reference.resolve(bytes).ok()?;
    let text = text.get(target.span)?.to_owned();
    Some(Slice { text, lines: reference.fragment.as_ref().map(|_| target.lines), language })
}

/// The signatures of a file, indented by their depth.
fn outline(facts: &FileFacts) -> String {
    let mut text = String::new();
    for symbol in facts.symbols.iter().filter(|symbol| !symbol.flags.local && symbol.kind != SymbolKind::Use) {
        let mut depth = 0;
        let mut outer = symbol.parent;
        while let Some(parent) = outer.and_then(|at| facts.symbols.get(at.0 as usize)) {
            depth += 1;
            outer = parent.parent;
        }
        let line = if symbol.signature.is_empty() { &symbol.name } else { &symbol.signature };
        let _ = writeln!(text, "{}{line}", "    ".repeat(depth));
    }
    text
}

fn facts_of(path: &RepoPath, bytes: &[u8]) -> FileFacts {
    let language = registry::detect(path, bytes);
    Extractor::default().extract(&Input { path, module: "", language, bytes })
}

/// Where nothing is active: what could be begun.
fn next(cards: &Cards, active: &[&Arc<Card>]) -> Option<Part> {
    let mut todo = of_status(cards, Status::Todo);
    if !active.is_empty() || todo.is_empty() {
        return None;
    }
    todo.sort_by_key(|card| (std::cmp::Reverse(card.priority), card.id.clone()));
    let mut body: String = todo
        .iter()
        .take(MOST_NEXT)
        .map(|card| format!("- {} {} ({})\n", card.id, one_line(&card.title), card.priority))
        .collect();
    if let Some(more @ 1..) = todo.len().checked_sub(MOST_NEXT) {
        let _ = writeln!(body, "- and {more} more");
    }
    let name = "cards to do".to_owned();
    Some(Part { section: Section::Next, name, head: String::new(), body, language: None })
}
