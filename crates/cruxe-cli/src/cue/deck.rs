//! The deck of a command: where it is, its configuration, the files around it.

use std::path::{Path, PathBuf};

use cruxe_deck::card::CARDS;
use cruxe_deck::config::{ConfigError, ConfigProblem, FILE, Layer};
use cruxe_deck::{CardId, Deck, DeckConfig, DeckError, LoadedConfig, OtherRefs};
use cruxe_index::Project;
use cruxe_model::RepoPath;
use cruxe_model::config::Config;

use super::error::{CueError, Kind};
use crate::context::{CliError, Context};
use cruxe_server::contract::names::LIST_TASKS;
use cruxe_server::contract::{LIMITED, ToolError};

/// Finds the deck of `--workspace`, or the nearest one around the current folder.
pub(super) fn find(context: &Context) -> Result<Deck, CueError> {
    let start = start(context)?;
    // A link is found too, and then refused by name: to look for a deck further up would be a surprise.
    let root =
        start.ancestors().find(|folder| folder.join(".cuedeck").symlink_metadata().is_ok_and(|found| !found.is_file()));
    root.map(|root| open(context, root)).ok_or_else(|| {
        CueError::new(Kind::Workspace, format!("there is no deck in {} or around it", start.display()))
            .help("Run `cue init` to start one here, or name its folder with --workspace.")
    })
}

/// A deck with the user's own settings for every deck.
pub(super) fn open(context: &Context, root: impl Into<PathBuf>) -> Deck {
    Deck::open(root).with_user_config(context.home.root().join("cue.toml")).with_limited(LIMITED)
}

/// The root of the project that a new deck belongs to: the git work tree, else the folder itself.
pub(super) fn root_for_new(context: &Context) -> Result<PathBuf, CueError> {
    Ok(project(context, &start(context)?)?.root)
}

fn start(context: &Context) -> Result<PathBuf, CueError> {
    let folder = match &context.options.workspace {
        Some(folder) => folder.clone(),
        None => std::env::current_dir()
            .map_err(|problem| CueError::new(Kind::Io, format!("the current folder: {problem}")))?,
    };
    let real = folder.canonicalize().ok().filter(|folder| folder.is_dir());
    real.ok_or_else(|| {
        CueError::new(Kind::Workspace, format!("{} is no folder", folder.display())).help("Give an existing folder.")
    })
}

/// The deck's configuration: the user's, the workspace's as far as it may say something, and what `--config` says otherwise.
pub(super) fn config(context: &Context, deck: &Deck) -> Result<DeckConfig, CueError> {
    let loaded = load_config(context, deck)?;
    loaded.warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
    Ok(loaded.config)
}

/// The same with its warnings, for who says them only once.
pub(super) fn load_config(context: &Context, deck: &Deck) -> Result<LoadedConfig, CueError> {
    let named = match &context.options.config {
        Some(path) => {
            must_exist(path)?;
            let text = DeckConfig::read_text(path).map_err(|problem| config_error(&problem))?;
            Some((path, text))
        }
        None => None,
    };
    let named = named.as_ref().map(|(path, text)| Layer { path, text, of_workspace: false });
    deck.config_with(named.as_slice()).map_err(|problem| match problem {
        DeckError::Refused(problem) => CueError::new(Kind::Config, problem.to_string()),
        problem => CueError::from(problem),
    })
}

/// A file that the user named has to be there.
pub(super) fn must_exist(path: &Path) -> Result<(), CueError> {
    match path.metadata() {
        Ok(_) => Ok(()),
        Err(problem) => Err(CueError::new(Kind::Config, format!("{}: {problem}", path.display()))
            .help("Check the path given with --config.")),
    }
}

pub(super) fn config_error(error: &ConfigError) -> CueError {
    match error {
        ConfigError::Io { path, source } => CueError::new(Kind::Config, format!("{}: {source}", path.display())),
        ConfigError::Problem(problem) => config_problem(problem),
    }
}

fn config_problem(problem: &ConfigProblem) -> CueError {
    // Whoever calls the command has the file, and sees the line. It is the one that was read: no link led to it.
    let text = match (problem.path.parent().and_then(Path::parent), problem.path.ends_with(FILE)) {
        (Some(root), true) => Deck::open(root).config_text().unwrap_or_default(),
        _ => DeckConfig::read_text(&problem.path).unwrap_or_default(),
    };
    let name = problem.path.display().to_string();
    CueError::new(Kind::Config, problem.to_string())
        .at(&name, text, problem.span.clone(), problem.message.clone())
        .help("Correct the line, or run `cue init --force` for a new configuration.")
}

/// The card that a person means by its id or by how that begins. One that cannot be read counts too: it can be opened.
pub(super) fn card_id(deck: &Deck, text: &str) -> Result<CardId, CueError> {
    let text = text.trim();
    if let Some(id) = CardId::parse(text) {
        return Ok(id);
    }
    let is_prefix = (1..6).contains(&text.len()) && CardId::parse(&format!("{text:a<6}")).is_some();
    if !is_prefix {
        return Err(CueError::new(Kind::Usage, format!("`{text}` is no id of a card"))
            .help("An id has six of a-z and 0-9, and its beginning is enough; `cue list` shows them."));
    }
    let cards = deck.cards()?;
    let broken = cards.problems.iter().filter(|problem| problem.fatal && problem.path.parent() == CARDS);
    let broken = broken.filter_map(|problem| CardId::parse(problem.path.stem()));
    let mut found: Vec<CardId> = cards.cards.iter().map(|card| card.id.clone()).chain(broken).collect();
    found.retain(|id| id.as_str().starts_with(text));
    match found.as_slice() {
        [id] => Ok(id.clone()),
        [] => Err(CueError::new(Kind::Workspace, format!("no card's id begins with {text}"))
            .number(1001)
            .help("`cue list` shows the cards.")),
        several => {
            let names: Vec<String> = several
                .iter()
                .take(8)
                .map(|id| cards.get(id.as_str()).map_or(id.to_string(), |card| format!("{id} {}", card.title)))
                .collect();
            let more = if several.len() > 8 { ", …" } else { "" };
            Err(CueError::new(
                Kind::Usage,
                format!("{} cards begin with {text}: {}{more}", several.len(), names.join(", ")),
            )
            .help("Give a letter more."))
        }
    }
}

/// Every file of the workspace that is not ignored, relative to the deck's root.
pub(super) fn files(context: &Context, deck: &Deck) -> Result<Vec<RepoPath>, CueError> {
    let project = project(context, deck.root())?;
    let listing = project.scan().map_err(CliError::from)?;
    let prefix = deck.root().strip_prefix(&project.root).ok().and_then(|path| path.to_str()).unwrap_or_default();
    let inside = listing.files.into_iter().filter_map(|file| match prefix {
        "" => Some(file.path),
        prefix => RepoPath::parse(file.path.as_str().strip_prefix(prefix)?.strip_prefix('/')?).ok(),
    });
    Ok(inside.collect())
}

/// Tells whether another branch that is indexed has a card of an id: it would come here with the next merge.
pub(super) fn is_taken_elsewhere(context: &Context, deck: &Deck) -> impl Fn(&CardId) -> bool + use<> {
    let others = project(context, deck.root()).ok().and_then(|project| {
        let folder = deck.root().strip_prefix(&project.root).ok()?;
        OtherRefs::of(&project.store, folder).ok()
    });
    move |id| others.as_ref().is_some_and(|others| others.have(id))
}

/// The code project around a folder. Its configuration is not the deck's, so `--config` does not count here.
fn project(context: &Context, folder: &Path) -> Result<Project, CueError> {
    Ok(Project::locate(folder, &context.home, Config::default()).map_err(CliError::from)?)
}

impl From<DeckError> for CueError {
    fn from(error: DeckError) -> CueError {
        let (kind, number) = match &error {
            DeckError::Config(problem) => return config_problem(problem),
            DeckError::Io { .. } | DeckError::ReadOnly(_) => (Kind::Io, None),
            DeckError::Locked { .. } => (Kind::Io, Some(1007)),
            DeckError::NoCard { .. } | DeckError::NoFile { .. } | DeckError::DependencyNotFound { .. } => {
                (Kind::Workspace, Some(1001))
            }
            DeckError::NoAnchor { .. } => (Kind::Workspace, Some(1001)),
            DeckError::CircularDependency { .. } => (Kind::Workspace, Some(1002)),
            DeckError::Changing { .. } | DeckError::Changed { .. } => (Kind::Io, Some(1006)),
            DeckError::Malformed(_) | DeckError::Edit { .. } | DeckError::Refused(_) => (Kind::Workspace, None),
            DeckError::Invalid { .. } => (Kind::Usage, None),
        };
        // What agents are told in `data` is right for people too.
        let told = ToolError::from(error);
        let advice = told.data.get("suggestion").and_then(|text| text.as_str()).unwrap_or_default();
        let advice = advice
            .replace(&format!("Call {LIST_TASKS}"), "Run `cue list`")
            .replace(&format!("{LIST_TASKS} has"), "`cue list` shows");
        let mut made = CueError::new(kind, told.message.clone()).data(told.data.clone());
        made.number = number;
        if advice.is_empty() { made } else { made.help(advice) }
    }
}
