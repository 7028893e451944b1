//! What is wrong with a deck: configuration, front matter, links, dependencies.
//!
//! Every finding has a place. Some have a [`Repair`], where there is only one way to mend it; nothing is changed here
//! unless [`repair::write`] is called.

mod documents;
pub mod repair;

use std::collections::HashMap;
use std::ops::Range;

use cruxe_model::RepoPath;
use serde::Serialize;

use crate::card::{Card, CardId, Status};
use crate::config::{self, ConfigProblem};
use crate::deck::{Cards, Deck};
use crate::error::DeckError;
use crate::frontmatter::{FrontMatter, YamlProblemKind};
use crate::graph::show_cycle;
use crate::links;

use self::documents::Library;
pub use self::repair::Repair;

/// What was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// `.cuedeck/config.toml`.
    Config,
    /// Front matter of a card or document.
    FrontMatter,
    /// A link to a file that is not there, or to a heading or line that it has not.
    DeadLink,
    /// An entry of `refs` that leads nowhere.
    DeadReference,
    /// A dependency on a card that is not there.
    UnknownId,
    /// Cards that wait for one another.
    CircularDependency,
    /// An active card that nothing leads to and that leads to nothing.
    OrphanCard,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Something does not work.
    Error,
    /// Something may not be as it was meant.
    Warning,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Which check found it.
    pub check: Check,
    /// How bad it is.
    pub severity: Severity,
    /// The contract's number, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<u32>,
    /// The file.
    pub path: String,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Where it stands, in bytes of the file.
    #[serde(skip)]
    pub span: Option<Range<usize>>,
    /// What it is.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The one way to mend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<Repair>,
}

/// The state of a deck.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// What is wrong, by file and line.
    pub findings: Vec<Finding>,
    /// How many cards were looked at.
    pub cards: usize,
    /// How many documents were looked at.
    pub documents: usize,
}

impl Report {
    /// Returns whether nothing is wrong.
    pub fn is_healthy(&self) -> bool {
        self.findings.iter().all(|finding| finding.severity == Severity::Warning)
    }
}

impl Finding {
    fn new(check: Check, path: impl Into<String>, message: impl Into<String>) -> Finding {
        Finding {
            check,
            severity: Severity::Error,
            code: None,
            path: path.into(),
            line: None,
            span: None,
            message: message.into(),
            help: None,
            repair: None,
        }
    }

    fn code(self, code: u32) -> Finding {
        Finding { code: Some(code), ..self }
    }

    fn help(self, help: impl Into<String>) -> Finding {
        Finding { help: Some(help.into()), ..self }
    }

    fn at(self, text: &str, span: Range<usize>) -> Finding {
        let before = text.get(..span.start).unwrap_or(text);
        Finding { line: Some(before.matches('\n').count() as u32 + 1), span: Some(span), ..self }
    }

    /// Points at a line, and a column in it where that is known.
    fn at_line(self, text: &str, line: Option<u32>, column: Option<u32>) -> Finding {
        let Some(number) = line else { return self };
        let start: usize = text.split_inclusive('\n').take(number as usize - 1).map(str::len).sum();
        let whole = text.get(start..).unwrap_or_default().lines().next().unwrap_or_default();
        let skipped: usize = whole.chars().take(column.unwrap_or(1) as usize - 1).map(char::len_utf8).sum();
        let end = start + whole.trim_end().len().max(skipped);
        Finding { line, span: Some(start + skipped..end), ..self }
    }
}

/// Examines a deck. `files` is everything in the workspace that is not ignored.
pub fn examine(deck: &Deck, files: &[RepoPath]) -> Result<Report, DeckError> {
    let cards = deck.cards()?;
    let mut library = Library::new(deck, files)?;
    let mut report = Report { cards: cards.cards.len(), ..Report::default() };
    report.findings.extend(config(deck));
    report.findings.extend(card_problems(&cards, &mut library));
    let documents: Vec<&RepoPath> = library.documents().collect();
    report.documents = documents.len();
    for path in documents {
        report.findings.extend(front_matter(path, &mut library));
        report.findings.extend(library.dead_links(path));
    }
    for card in &cards.cards {
        report.findings.extend(library.dead_links_of_card(card));
        report.findings.extend(library.dead_references(card));
    }
    report.findings.extend(dependencies(&cards, &mut library));
    report.findings.extend(orphans(&cards, &mut library));
    report.findings.sort_by(|a, b| (&a.path, a.line, &a.message).cmp(&(&b.path, b.line, &b.message)));
    Ok(report)
}

fn config(deck: &Deck) -> Vec<Finding> {
    let finding = |problem: &ConfigProblem| {
        // The user's own settings for every deck are elsewhere.
        let path = match problem.path == deck.config_path() {
            true => config::FILE.to_owned(),
            false => problem.path.display().to_string(),
        };
        let found = Finding::new(Check::Config, path, problem.message.clone());
        Finding { line: Some(problem.line), span: Some(problem.span.clone()), ..found }
    };
    match deck.config() {
        Ok(loaded) => loaded
            .warnings
            .iter()
            .map(|warning| {
                let found = Finding { severity: Severity::Warning, ..finding(warning) };
                match warning.message.starts_with("unknown") {
                    true => found.help("Nothing reads this setting; check how it is written."),
                    false => found.help("Take it out, or put it where the user's own settings are."),
                }
            })
            .collect(),
        Err(DeckError::Config(problem)) => {
            vec![finding(&problem).help("Correct it, or run `cue init --force` for a new file.")]
        }
        Err(problem) => vec![Finding::new(Check::Config, config::FILE, problem.to_string())],
    }
}

fn card_problems(cards: &Cards, library: &mut Library) -> Vec<Finding> {
    let finding = |problem: &crate::card::Problem| {
        let found = Finding::new(Check::FrontMatter, problem.path.as_str(), problem.message.clone());
        let text = library.text(&problem.path).unwrap_or_default();
        let help = match problem.fatal {
            true => "The card is not among the tasks until this is mended; `cue` does not change it.",
            false => "Correct the value; the rest of the card is used.",
        };
        found.at_line(text, problem.line, problem.column).help(help)
    };
    cards.problems.iter().map(finding).collect()
}

fn front_matter(path: &RepoPath, library: &mut Library) -> Option<Finding> {
    let text = library.text(path)?;
    let problem = FrontMatter::parse(text).err()?;
    // In a document these are lines across the page.
    if matches!(problem.kind, YamlProblemKind::Unclosed | YamlProblemKind::NotKeys) {
        return None;
    }
    let found = Finding::new(Check::FrontMatter, path.as_str(), problem.message);
    Some(
        found.at_line(text, Some(problem.line), Some(problem.column)).help("Correct the YAML between the `---` lines."),
    )
}

fn dependencies(cards: &Cards, library: &mut Library) -> Vec<Finding> {
    let graph = cards.graph();
    let mut findings = Vec::new();
    for (card, id) in graph.missing().iter().filter(|(_, id)| CardId::parse(id).is_some()) {
        let message = format!("depends on {id}, and there is no such card");
        let nearest = crate::document::nearest(id, cards.cards.iter().map(|card| card.id.as_str()));
        let help = match nearest.map(|at| &cards.cards[at]) {
            Some(card) => {
                format!("Did you mean {} ({})? Otherwise take the id out of depends_on.", card.id, card.title)
            }
            None => "Take the id out of depends_on, or restore the card.".to_owned(),
        };
        let found = Finding::new(Check::UnknownId, card.path(), message).code(1001).help(help);
        findings.push(at_key(found, card, "depends_on", id, library));
    }
    for cycle in graph.cycles() {
        let Some(card) = cycle.first().and_then(|id| graph.card(id.as_str())) else { continue };
        let message = format!("Circular dependency detected: {}", show_cycle(&cycle));
        let next = cycle.get(1).map_or("", |id| id.as_str());
        let help = format!(
            "None of these can be begun. Remove {next} from depends_on of {}, or break the circle elsewhere.",
            card.id
        );
        let found = Finding::new(Check::CircularDependency, card.path(), message).code(1002).help(help);
        findings.push(at_key(found, card, "depends_on", next, library));
    }
    findings
}

/// Points at a value of a card's front matter, or at its key.
fn at_key(found: Finding, card: &Card, key: &str, value: &str, library: &mut Library) -> Finding {
    let path = RepoPath::parse(&card.path()).ok();
    let Some(text) = path.and_then(|path| library.text(&path)) else { return found };
    let front = FrontMatter::parse(text).ok().flatten();
    match front.as_ref().and_then(|front| front.entry(key)) {
        Some(entry) => {
            let span = entry.value_at.clone();
            let inside = text.get(span.clone()).and_then(|written| written.find(value));
            found.at(text, inside.map_or(span.clone(), |at| span.start + at..span.start + at + value.len()))
        }
        None => found,
    }
}

/// Active cards that stand alone: nothing says what they are for, and a scene shows nothing beside them.
fn orphans(cards: &Cards, library: &mut Library) -> Vec<Finding> {
    let mut dependents: HashMap<&str, usize> = HashMap::new();
    for id in cards.cards.iter().flat_map(|card| &card.depends_on) {
        *dependents.entry(id).or_default() += 1;
    }
    let active = cards.cards.iter().filter(|card| card.status == Status::Active);
    active
        .filter(|card| card.depends_on.is_empty() && card.refs.is_empty() && !dependents.contains_key(card.id.as_str()))
        .filter_map(|card| {
            let path = RepoPath::parse(&card.path()).ok()?;
            let leads_somewhere = library.links(&path).iter().any(|link| {
                matches!(links::resolve(&path, &link.written), links::Destination::Inside(to) if to.path != path)
            });
            let message = format!("orphan card: {} is active, refers to nothing, and nothing depends on it", card.id);
            let help = match library.likely(&card.title) {
                Some(path) => format!(
                    "Perhaps it is about {path}: `cue card edit {} --add-ref {path}`. Or link its document, or name what it depends on.",
                    card.id
                ),
                None => {
                    "Link the document it is about, add `refs: [path#symbol]`, or name what it depends on.".to_owned()
                }
            };
            let found = Finding::new(Check::OrphanCard, card.path(), message).code(1008).help(help);
            (!leads_somewhere).then(|| at_key(found, card, "status", "active", library))
        })
        .collect()
}
