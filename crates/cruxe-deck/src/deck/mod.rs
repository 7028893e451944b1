//! A workspace with cards: lists, reads, makes and changes them.

mod known;
mod update;

use std::cmp::Reverse;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cruxe_files::{Existing, FileError, Kind, Meta, Root};
use cruxe_model::RepoPath;
use jiff::Timestamp;
use parking_lot::Mutex;

use crate::card::{self, CARDS, Card, CardId, Priority, Problem, Reading, Status};
use crate::config::{self, DeckConfig, Layer, Limited, LoadedConfig};
use crate::dates;
use crate::documents::Documents;
use crate::error::DeckError;
use crate::frontmatter;
use crate::graph::TaskGraph;
use crate::lock::{DeckLock, LOCK_FILE, PATIENCE};
use crate::store::{self, CACHE};
use known::Known;
pub use update::{ListChange, Update, Updated, version};

const SCENE: &str = ".cuedeck/SCENE.md";
/// A larger file is no card.
const MAX_CARD: u64 = 1 << 20;
/// Hashes that are tried for an id that nobody has. The chance to need a second is one in millions.
const MAX_ATTEMPTS: u32 = 64;

/// The deck of a workspace. Nothing is read when it is made; a server keeps one and asks it again and again.
pub struct Deck {
    root: PathBuf,
    patience: Duration,
    user_config: Option<PathBuf>,
    limited: &'static [Limited],
    known: Mutex<Known>,
    documents: Documents,
}

/// Every card, and what is wrong with files that should be cards.
#[derive(Clone, Debug, Default)]
pub struct Cards {
    /// The cards that can be read, by id.
    pub cards: Vec<Arc<Card>>,
    /// Problems by path; a card with a fatal one is not among the cards.
    pub problems: Vec<Problem>,
    in_turn: OnceLock<Vec<Listed>>,
}

/// A card in a list.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The card.
    pub card: Arc<Card>,
    written: OnceLock<Written>,
}

/// A card as JSON.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// As it is.
    pub json: String,
    /// As it stands in a JSON string.
    pub escaped: String,
}

impl Listed {
    /// Returns what `write` makes of the card. It is asked only once: long lists are put together of what was written before.
    pub fn written_once<E>(&self, write: impl FnOnce(&Card) -> Result<Written, E>) -> Result<&Written, E> {
        if let Some(written) = self.written.get() {
            return Ok(written);
        }
        let written = write(&self.card)?;
        Ok(self.written.get_or_init(|| written))
    }
}

impl Cards {
    /// Returns the cards in the order of lists: what is worked on first, what is put away last, important and older ones before
    /// others.
    pub fn in_turn(&self) -> &[Listed] {
        let turn = |status: Status| match status {
            Status::Active => 0,
            Status::Todo => 1,
            Status::Done => 2,
            Status::Archived => 3,
        };
        self.in_turn.get_or_init(|| {
            let mut cards = self.cards.clone();
            cards.sort_by_key(|card| (turn(card.status), Reverse(card.priority), card.created));
            cards.into_iter().map(|card| Listed { card, written: OnceLock::new() }).collect()
        })
    }

    /// Returns a card.
    pub fn get(&self, id: &str) -> Option<&Arc<Card>> {
        self.cards.binary_search_by(|card| card.id.as_str().cmp(id)).ok().map(|at| &self.cards[at])
    }

    /// Returns the graph of what depends on what.
    pub fn graph(&self) -> TaskGraph<'_> {
        TaskGraph::new(&self.cards)
    }
}

/// A card to make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewCard {
    /// What is to be done; one line.
    pub title: String,
    /// What it has to do with.
    pub tags: Vec<String>,
    /// How much it matters.
    pub priority: Priority,
    /// Who does it.
    pub assignee: Option<String>,
    /// What must be done before.
    pub depends_on: Vec<CardId>,
}

/// What cleaning took away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    /// Files.
    pub files: u64,
    /// Their size.
    pub bytes: u64,
}

impl Deck {
    /// The deck of a workspace; its folder need not exist.
    pub fn open(root: impl Into<PathBuf>) -> Deck {
        let root = root.into();
        let documents = Documents::new(root.clone());
        Deck { root, patience: PATIENCE, user_config: None, limited: &[], known: Mutex::default(), documents }
    }

    /// Sets where the user's own settings for every deck are; the file need not exist.
    pub fn with_user_config(self, path: PathBuf) -> Deck {
        Deck { user_config: Some(path), ..self }
    }

    /// The same deck, with what agents do that its configuration can limit.
    pub fn with_limited(self, limited: &'static [Limited]) -> Deck {
        Deck { limited, ..self }
    }

    /// Sets how long a writer waits for another one.
    pub fn with_patience(self, patience: Duration) -> Deck {
        Deck { patience, ..self }
    }

    /// Returns the root of the workspace.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the documents beside the cards.
    pub fn documents(&self) -> &Documents {
        &self.documents
    }

    /// Returns `.cuedeck`.
    pub fn folder(&self) -> PathBuf {
        self.root.join(".cuedeck")
    }

    /// Returns `.cuedeck/cards`.
    pub fn cards_folder(&self) -> PathBuf {
        self.root.join(CARDS)
    }

    /// Returns `.cuedeck/docs`.
    pub fn docs_folder(&self) -> PathBuf {
        self.root.join(".cuedeck/docs")
    }

    /// Returns `.cuedeck/.cache`, which holds nothing that cannot be made anew.
    pub fn cache_folder(&self) -> PathBuf {
        self.root.join(CACHE)
    }

    /// Returns `.cuedeck/config.toml`.
    pub fn config_path(&self) -> PathBuf {
        self.root.join(config::FILE)
    }

    /// Returns `.cuedeck/SCENE.md`.
    pub fn scene_path(&self) -> PathBuf {
        self.root.join(SCENE)
    }

    /// Returns whether there is a deck.
    pub fn exists(&self) -> bool {
        self.files().is_ok_and(|files| files.is_folder(".cuedeck"))
    }

    /// Opens the folder of the workspace, below which no link is followed. Not kept open: the folder may be moved away and made
    /// anew, and what its path says is meant.
    pub fn files(&self) -> Result<Root, DeckError> {
        Ok(Root::open(&self.root)?)
    }

    /// Reads the text of the configuration; empty where there is none.
    pub fn config_text(&self) -> Result<String, DeckError> {
        match self.files()?.read_to_string(config::FILE, config::LARGEST_FILE) {
            Err(problem) if problem.is_absent() => Ok(String::new()),
            text => Ok(text?),
        }
    }

    /// Reads the configuration; the default where there is none.
    pub fn config(&self) -> Result<LoadedConfig, DeckError> {
        self.config_with(&[])
    }

    /// The same, and what files that the user named say otherwise.
    pub fn config_with(&self, named: &[Layer]) -> Result<LoadedConfig, DeckError> {
        let (path, text) = (self.config_path(), self.config_text()?);
        let user = match &self.user_config {
            Some(path) => DeckConfig::read_text(path)?,
            None => String::new(),
        };
        let user_path = self.user_config.as_deref().unwrap_or(Path::new(""));
        let mut layers = vec![
            Layer { path: user_path, text: &user, of_workspace: false },
            Layer { path: &path, text: &text, of_workspace: true },
        ];
        layers.extend(named);
        DeckConfig::from_layers(&layers, self.limited).map_err(DeckError::Config)
    }

    /// Waits for the right to write, for as long as its patience goes.
    pub fn lock(&self) -> Result<DeckLock, DeckError> {
        DeckLock::acquire(&self.files()?, self.patience)
    }

    /// Returns every card as it is on disk now. Files that did not change are not read again.
    pub fn cards(&self) -> Result<Arc<Cards>, DeckError> {
        self.cards_as_of(None)
    }

    /// The same for who hears of edits: `edits` is their number as of now, and while it stays the same no file is even
    /// looked at.
    pub fn cards_as_of(&self, edits: Option<u64>) -> Result<Arc<Cards>, DeckError> {
        let mut known = self.known.lock();
        if let Some(cards) = known.as_of(edits) {
            return Ok(cards);
        }
        let folder = match self.files().and_then(|files| Ok(files.subfolder(CARDS)?)) {
            Err(DeckError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => None,
            folder => Some(folder?),
        };
        known.look(folder.as_ref(), edits)
    }

    /// Reads one card with its whole text.
    pub fn read(&self, id: &CardId) -> Result<(Card, String), DeckError> {
        self.parse(id, &self.bytes(id)?)
    }

    fn parse(&self, id: &CardId, bytes: &[u8]) -> Result<(Card, String), DeckError> {
        let Reading { card, problems } = card::read(id, &repo_path(&id.path()), bytes);
        match (card, problems.into_iter().find(|problem| problem.fatal)) {
            (Some(card), _) => Ok((card, String::from_utf8_lossy(bytes).into_owned())),
            (None, Some(problem)) => Err(DeckError::Malformed(problem)),
            (None, None) => Err(self.no_card(id)),
        }
    }

    /// Returns the text of a card as it lies there, whatever it says.
    pub fn text(&self, id: &CardId) -> Result<String, DeckError> {
        Ok(String::from_utf8_lossy(&self.bytes(id)?).into_owned())
    }

    fn bytes(&self, id: &CardId) -> Result<Vec<u8>, DeckError> {
        self.bytes_and_meta(id).map(|(bytes, _)| bytes)
    }

    fn bytes_and_meta(&self, id: &CardId) -> Result<(Vec<u8>, Meta), DeckError> {
        let path = id.path();
        match self.files()?.read_with_meta(&path, MAX_CARD) {
            Err(problem) if problem.is_absent() => Err(self.no_card(id)),
            // A folder on the way to it that is a link concerns every card.
            Err(FileError::Link { at, path }) if at != path => Err(FileError::Link { at, path }.into()),
            Err(problem) => Err(why_no_card(&repo_path(&path), &problem).map_or(problem.into(), DeckError::Malformed)),
            Ok(read) => Ok(read),
        }
    }

    /// Makes a card. Its id is a hash of time and title, and again of those and a number while a card here has it or
    /// `is_taken` says that one elsewhere does.
    pub fn create(&self, new: &NewCard, now: Timestamp, is_taken: &dyn Fn(&CardId) -> bool) -> Result<Card, DeckError> {
        let title = new.title.trim();
        card::check_title(title)?;
        new.assignee.iter().try_for_each(|assignee| one_line("assignee", assignee))?;
        new.tags.iter().try_for_each(|tag| one_line("tags", tag))?;
        let _lock = self.lock()?;
        let cards = self.cards()?;
        let missing: Vec<CardId> =
            new.depends_on.iter().filter(|id| cards.get(id.as_str()).is_none()).cloned().collect();
        if !missing.is_empty() {
            return Err(DeckError::DependencyNotFound { missing });
        }
        let graph = cards.graph();
        if let Some(cycle) = graph.cycle_below(new.depends_on.iter().map(CardId::as_str)) {
            return Err(DeckError::CircularDependency { cycle });
        }
        let files = self.files()?;
        let text = render(new, title, now);
        for attempt in 0..MAX_ATTEMPTS {
            let id = hashed_id(now, title, attempt);
            // A card that waits for one of this id must not get another one's.
            let awaited = graph.missing().iter().any(|(_, missing)| *missing == id.as_str());
            if awaited || is_taken(&id) {
                continue;
            }
            if store::write(&files, &id.path(), &text, Existing::Keep)? {
                let reading = card::read(&id, &repo_path(&id.path()), text.as_bytes());
                return reading.card.ok_or_else(|| self.no_card(&id));
            }
        }
        let source = io::Error::new(io::ErrorKind::AlreadyExists, "every id that was tried is taken");
        Err(DeckError::Io { path: CARDS.into(), source })
    }

    /// Writes `.cuedeck/SCENE.md` in one step, unless it says that already. Returns whether it was written.
    pub fn write_scene(&self, text: &str) -> Result<bool, DeckError> {
        let files = self.files()?;
        if files.read(SCENE, text.len() as u64).is_ok_and(|old| old == text.as_bytes()) {
            return Ok(false);
        }
        store::write(&files, SCENE, text, Existing::Replace)
    }

    /// Removes `.cuedeck/.cache`. It takes the lock, so that nobody writes meanwhile.
    pub fn clean(&self) -> Result<Cleaned, DeckError> {
        let files = self.files()?;
        let mut cleaned = Cleaned::default();
        match files.meta(CACHE)? {
            None => return Ok(cleaned),
            // What a link leads to is not ours; the link is.
            Some(meta) if meta.kind != Kind::Folder => {
                files.remove_file(CACHE)?;
                return Ok(Cleaned { files: 1, bytes: 0 });
            }
            Some(_) => {}
        }
        let _lock = match self.lock() {
            // A link in the lock's place is nobody's lock, and goes with the rest.
            Err(DeckError::Refused(_)) => None,
            lock => Some(lock?),
        };
        let mut folders = vec![PathBuf::from(CACHE)];
        let mut seen = 0;
        while let Some(folder) = folders.get(seen).cloned() {
            seen += 1;
            for entry in files.list(&folder)? {
                let path = folder.join(entry.name);
                if entry.kind == Kind::Folder {
                    folders.push(path);
                    continue;
                }
                if path != Path::new(LOCK_FILE) {
                    cleaned.files += 1;
                    cleaned.bytes += files.meta(&path)?.map_or(0, |meta| meta.size);
                }
                files.remove_file(&path)?;
            }
        }
        for folder in folders.iter().rev() {
            files.remove_folder(folder)?;
        }
        Ok(cleaned)
    }

    fn no_card(&self, id: &CardId) -> DeckError {
        let cards = self.cards().unwrap_or_default();
        let distance = |other: &CardId| other.as_str().chars().zip(id.as_str().chars()).filter(|(a, b)| a != b).count();
        let nearest = cards.cards.iter().map(|card| &card.id).min_by_key(|other| distance(other));
        let nearest = nearest.filter(|other| distance(other) <= 2).cloned();
        DeckError::NoCard { id: id.clone(), nearest }
    }
}

/// Links, folders and giants are no cards; `None` where the disk is at fault.
fn why_no_card(path: &RepoPath, error: &FileError) -> Option<Problem> {
    let message = match error {
        FileError::Link { .. } => "is a link; a card is a plain file",
        FileError::NotAFile { .. } => "is no file",
        FileError::TooLarge { .. } => "is larger than a card may be (1 MiB)",
        _ => return None,
    };
    Some(Problem { path: path.clone(), line: None, column: None, message: message.to_owned(), fatal: true })
}

/// A path below the deck. A name of a file cannot leave its folder, so the fallback is never seen.
fn repo_path(text: &str) -> RepoPath {
    RepoPath::from_walk(text).unwrap_or_else(|_| repo_path(CARDS))
}

pub(crate) fn one_line(parameter: &'static str, text: &str) -> Result<(), DeckError> {
    if text.chars().any(char::is_control) {
        return Err(DeckError::Invalid { parameter, problem: "must be one line of text".to_owned() });
    }
    Ok(())
}

fn hashed_id(now: Timestamp, title: &str, attempt: u32) -> CardId {
    const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let hash = blake3::hash(format!("{}\0{title}\0{attempt}", now.as_nanosecond()).as_bytes());
    let mut number = u64::from_le_bytes(hash.as_bytes()[..8].try_into().unwrap_or_default());
    let mut id = String::with_capacity(6);
    for _ in 0..6 {
        id.push(char::from(LETTERS[(number % 36) as usize]));
        number /= 36;
    }
    CardId::parse(&id).unwrap_or_else(|| hashed_id(now, title, attempt + 1))
}

fn render(new: &NewCard, title: &str, now: Timestamp) -> String {
    let quoted = frontmatter::quoted_if_needed;
    let assignee = new.assignee.as_deref().map(str::trim).filter(|assignee| !assignee.is_empty());
    let mut text = format!("---\ntitle: {}\nstatus: todo\npriority: {}\n", quoted(title), new.priority);
    if let Some(assignee) = assignee {
        text += &format!("assignee: {}\n", quoted(assignee));
    }
    let depends_on: Vec<&str> = new.depends_on.iter().map(CardId::as_str).collect();
    text += &format!("tags: {}\ndepends_on: {}\n", frontmatter::list(&new.tags), frontmatter::list(&depends_on));
    text += &format!("created: {}\n---\n\n# {title}\n", dates::seconds(now));
    text
}

#[cfg(test)]
mod tests;
