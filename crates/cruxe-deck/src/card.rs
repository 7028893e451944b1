//! A task card: what its front matter says, and what is wrong with it.

use std::fmt;

use cruxe_model::RepoPath;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dates;
use crate::error::DeckError;
use crate::frontmatter::{FrontMatter, YamlProblemKind};

/// Where cards are, relative to the root of the workspace.
pub const CARDS: &str = ".cuedeck/cards";

/// The most characters of a title.
pub const LONGEST_TITLE: usize = 200;
/// The most characters of an assignee.
pub const LONGEST_ASSIGNEE: usize = 50;
/// The most characters of notes.
pub const LONGEST_NOTES: usize = 500;

/// The id of a card: six of `a`–`z`, `0`–`9`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct CardId(String);

impl CardId {
    /// Takes a text that is an id; `None` for any other.
    pub fn parse(text: &str) -> Option<CardId> {
        let fits = text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        fits.then(|| CardId(text.to_owned()))
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns where its card is, relative to the root of the workspace.
    pub fn path(&self) -> String {
        format!("{CARDS}/{}.md", self.0)
    }
}

impl fmt::Display for CardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for CardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::borrow::Borrow<str> for CardId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// How far a task is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Status {
    /// Not begun.
    #[default]
    Todo,
    /// Being worked on.
    Active,
    /// Finished.
    Done,
    /// Put away.
    Archived,
}

/// How much a task matters, the least first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Priority {
    /// A little.
    Low,
    /// As most do.
    #[default]
    Medium,
    /// Much.
    High,
    /// More than anything.
    Critical,
}

impl Status {
    /// Every status.
    pub const ALL: [Status; 4] = [Status::Todo, Status::Active, Status::Done, Status::Archived];

    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Todo => "todo",
            Status::Active => "active",
            Status::Done => "done",
            Status::Archived => "archived",
        }
    }

    /// Reads the word for it, in whatever case.
    pub fn parse(text: &str) -> Option<Status> {
        Status::ALL.into_iter().find(|status| status.as_str().eq_ignore_ascii_case(text.trim()))
    }
}

impl Priority {
    /// Every priority, the lowest first.
    pub const ALL: [Priority; 4] = [Priority::Low, Priority::Medium, Priority::High, Priority::Critical];

    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Priority::Low => "low",
            Priority::Medium => "medium",
            Priority::High => "high",
            Priority::Critical => "critical",
        }
    }

    /// Reads the word for it, in whatever case.
    pub fn parse(text: &str) -> Option<Priority> {
        Priority::ALL.into_iter().find(|priority| priority.as_str().eq_ignore_ascii_case(text.trim()))
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A task card.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// Its id, which is its file's name.
    pub id: CardId,
    /// What is to be done.
    pub title: String,
    /// How far it is.
    pub status: Status,
    /// How much it matters.
    pub priority: Priority,
    /// Who does it.
    pub assignee: Option<String>,
    /// What it has to do with.
    pub tags: Vec<String>,
    /// The ids of the cards that must be done before, as they are written: some may be no ids, or of no card.
    pub depends_on: Vec<String>,
    /// Documents and symbols that belong to it: `docs/api.md#Login`, `src/auth/jwt.rs#validate_token`.
    pub refs: Vec<String>,
    /// What the last one who worked on it wanted to say.
    pub notes: Option<String>,
    /// When it was made.
    pub created: Option<Timestamp>,
    /// When it was last changed by a tool or command.
    pub updated: Option<Timestamp>,
    /// The first line of the body, from 1.
    pub body_line: u32,
    /// Where the body begins, in bytes of the file.
    pub body_start: usize,
}

impl Card {
    /// Returns where the card is, relative to the root of the workspace.
    pub fn path(&self) -> String {
        self.id.path()
    }

    /// Returns the last change that is known: the making, where there was none since.
    pub fn last_change(&self) -> Option<Timestamp> {
        self.updated.or(self.created)
    }

    /// Returns whether it has one of the tags, in whatever case.
    pub fn has_any_tag<S: AsRef<str>>(&self, tags: &[S]) -> bool {
        tags.iter().any(|tag| self.tags.iter().any(|own| same_word(own, tag.as_ref())))
    }

    /// Returns whether this is who does it, in whatever case, with or without an `@`.
    pub fn is_assigned_to(&self, name: &str) -> bool {
        let bare = |name: &str| name.trim().trim_start_matches('@').to_owned();
        self.assignee.as_deref().is_some_and(|own| same_word(&bare(own), &bare(name)))
    }

    /// Returns whether nothing is left to do.
    pub fn is_finished(&self) -> bool {
        matches!(self.status, Status::Done | Status::Archived)
    }
}

/// Whether two words are the same in whatever case.
pub fn same_word(a: &str, b: &str) -> bool {
    let fold = |text: &str| text.trim().to_lowercase();
    a.eq_ignore_ascii_case(b) || fold(a) == fold(b)
}

/// Something that is wrong with a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The file, relative to the root of the workspace.
    pub path: RepoPath,
    /// The line, from 1, where there is one to point at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column in characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// What it is.
    pub message: String,
    /// The card cannot be read at all because of it, and is not among the tasks.
    #[serde(skip)]
    pub fatal: bool,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(column) = self.column {
            write!(f, ":{column}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// What a file says as a card: a card or the reason why it is none, and what else is odd about it.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The card; `None` where one of the problems is fatal.
    pub card: Option<Card>,
    /// What is wrong, the fatal problem first.
    pub problems: Vec<Problem>,
}

/// Reads a card.
pub fn read(id: &CardId, path: &RepoPath, bytes: &[u8]) -> Reading {
    let mut problems = Vec::new();
    match read_card(id, path, bytes, &mut problems) {
        Ok(card) => Reading { card: Some(card), problems },
        Err(problem) => Reading { card: None, problems: vec![problem] },
    }
}

fn read_card(id: &CardId, path: &RepoPath, bytes: &[u8], problems: &mut Vec<Problem>) -> Result<Card, Problem> {
    let fatal = |line: Option<u32>, column: Option<u32>, message: String| Problem {
        path: path.clone(),
        line,
        column,
        message,
        fatal: true,
    };
    let text = std::str::from_utf8(bytes).map_err(|_| fatal(None, None, "the card is not UTF-8".to_owned()))?;
    let front = FrontMatter::parse(text)
        .map_err(|problem| fatal(Some(problem.line), Some(problem.column), problem.message))?
        .ok_or_else(|| fatal(Some(1), None, "the card has no front matter (`---` on its first line)".to_owned()))?;
    let line = |key: &str| front.entry(key).map(|entry| entry.line);
    let word = |key: &str, allowed: &str| {
        let written = front.text(key).unwrap_or("…");
        fatal(line(key), None, format!("{key}: `{written}` is none of {allowed}"))
    };
    let status = match front.is_empty("status") {
        true => Status::default(),
        false => front
            .text("status")
            .and_then(Status::parse)
            .ok_or_else(|| word("status", "todo, active, done, archived"))?,
    };
    let priority = match front.is_empty("priority") {
        true => Priority::default(),
        false => front
            .text("priority")
            .and_then(Priority::parse)
            .ok_or_else(|| word("priority", "low, medium, high, critical"))?,
    };
    let title = match front.text("title").map(str::trim).filter(|title| !title.is_empty()) {
        Some(title) => title.to_owned(),
        None => first_heading(&text[front.body..])
            .ok_or_else(|| fatal(line("title").or(Some(1)), None, "the card has no title".to_owned()))?,
    };
    let mut odd = |line: Option<u32>, message: String| {
        problems.push(Problem { path: path.clone(), line, column: None, message, fatal: false });
    };
    let mut texts = |key: &str| match front.texts(key) {
        Some(texts) => texts.into_iter().map(str::to_owned).collect(),
        None => {
            odd(line(key), format!("{key} must be a list of words"));
            Vec::new()
        }
    };
    let (tags, depends_on, refs): (Vec<String>, Vec<String>, Vec<String>) =
        (texts("tags"), texts("depends_on"), texts("refs"));
    for wrong in depends_on.iter().filter(|id| CardId::parse(id).is_none()) {
        odd(line("depends_on"), format!("depends_on: `{wrong}` is no id of a card"));
    }
    let mut time = |keys: [&str; 2]| {
        let key = keys.into_iter().find(|key| !front.is_empty(key))?;
        let time = front.text(key).and_then(dates::parse_time);
        if time.is_none() {
            odd(line(key), format!("{key}: `{}` is no date", front.text(key).unwrap_or("…")));
        }
        time
    };
    let (created, updated) = (time(["created", "created_at"]), time(["updated", "updated_at"]));
    let own = |key: &str| front.text(key).map(str::to_owned).filter(|text| !text.trim().is_empty());
    Ok(Card {
        id: id.clone(),
        title,
        status,
        priority,
        assignee: own("assignee"),
        tags,
        depends_on,
        refs,
        notes: own("notes"),
        created,
        updated,
        body_line: text[..front.body].matches('\n').count() as u32 + 1,
        body_start: front.body,
    })
}

/// Refuses what cannot be a title.
pub(crate) fn check_title(title: &str) -> Result<(), DeckError> {
    if title.trim().is_empty() {
        return Err(DeckError::Invalid { parameter: "title", problem: "must not be empty".to_owned() });
    }
    crate::deck::one_line("title", title.trim())
}

/// Whether a file that is not named as a card looks like one.
pub(crate) fn looks_like_card(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    match FrontMatter::parse(&text) {
        Ok(front) => front.is_some_and(|front| front.entry("status").is_some() || front.entry("title").is_some()),
        Err(problem) => problem.kind != YamlProblemKind::Unclosed,
    }
}

/// The first heading of a card's body, for a card that gives its title only there.
fn first_heading(body: &str) -> Option<String> {
    let first = body.lines().find(|line| !line.trim().is_empty())?;
    let title = first.strip_prefix("# ")?.trim();
    (!title.is_empty()).then(|| title.to_owned())
}
