//! `cue watch`: the scene follows the files that it is made of.
//!
//! Folders are watched, not files: an editor that writes a new file and renames it over the old one, or that deletes
//! and creates, is seen all the same. After every scene the folders of its files are watched anew, since some may have
//! been removed and made again. A scene that says what the last one said is not written, so that the command cannot
//! wake itself.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use clap::Args;
use cruxe_deck::Deck;
use cruxe_model::RepoPath;
use cruxe_vcs::Repo;
use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use serde_json::json;

use super::error::{CueError, Kind};
use super::{deck, scene};
use crate::context::Context;
use crate::output;

/// So long nothing must happen before the scene is made anew.
const QUIET: Duration = Duration::from_millis(500);
/// So long it may go on happening.
const LONGEST_WAIT: Duration = Duration::from_millis(2000);
/// Beyond this many folders only those of the deck and of what it refers to are watched.
const MOST_FOLDERS: usize = 4096;

/// Keep the scene up to date while you work
///
/// Follows cards, documents, code and git, and makes the scene anew half a second after the last
/// change. Ends with Ctrl-C.
///
/// Examples:
///   cue watch
///   cue watch --no-clipboard --token-limit 8000
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Watch {
    #[command(flatten)]
    settings: scene::Settings,
}

impl Watch {
    pub fn run(self, context: &Context) -> Result<ExitCode, CueError> {
        let deck = deck::find(context)?;
        let (sender, events) = mpsc::channel();
        let cannot = |problem: notify::Error| {
            CueError::new(Kind::Io, format!("files cannot be watched here: {problem}"))
                .help("Run `cue scene` when you need one. On Linux, fs.inotify.max_user_watches may be too low.")
        };
        let mut watcher = notify::recommended_watcher(move |event| drop(sender.send(event))).map_err(cannot)?;
        let mut watched: BTreeSet<PathBuf> = BTreeSet::new();
        watch(&mut watcher, &mut watched, folders(&deck, &[]));
        if !watched.contains(&deck.folder()) {
            return Err(CueError::new(Kind::Io, format!("{} cannot be watched", deck.folder().display()))
                .help("Run `cue scene` when you need one. On Linux, fs.inotify.max_user_watches may be too low."));
        }
        output::note(&format!("watching {}; Ctrl-C ends it", deck.root().display()));
        let mut said = Said::default();
        loop {
            let mut warnings = Vec::new();
            let further = match self.update(context, &deck, &mut warnings, &mut said.clipboard) {
                Ok(inputs) => watch(&mut watcher, &mut watched, folders(&deck, &inputs)),
                // A card or the configuration in the middle of an edit: the next change may mend it.
                Err(problem) => {
                    warnings.push(problem.render(output::Paint::stderr()));
                    false
                }
            };
            warnings.extend(said.clipboard.clone());
            said.fresh(warnings).iter().for_each(|warning| output::notes(warning));
            // What changed in a folder before it was watched, nobody tells: look again.
            if !further && !wait(&events, &deck) {
                return Ok(ExitCode::SUCCESS);
            }
        }
    }

    /// Makes the scene and returns the files that it was made of.
    fn update(
        &self,
        context: &Context,
        deck: &Deck,
        warnings: &mut Vec<String>,
        clipboard: &mut Option<String>,
    ) -> Result<Vec<RepoPath>, CueError> {
        let loaded = deck::load_config(context, deck)?;
        warnings.extend(loaded.warnings.iter().map(|warning| format!("warning: {warning}\n")));
        let config = loaded.config;
        let limit = self.settings.limit(&config);
        let made = scene::compose(deck, &config, limit)?;
        if scene::write(deck, &made.text)? {
            let copied = self.settings.copy(&made.text);
            *clipboard = copied.as_ref().err().map(|warning| format!("{warning}\n"));
            let copied = copied.unwrap_or(false);
            if context.options.json {
                output::line(&json!({ "tokens": made.tokens, "limit": limit, "clipboard": copied }).to_string());
            } else {
                output::line(&scene::summary(&made, limit, copied));
            }
        }
        Ok(made.inputs)
    }
}

/// What was said and is still so: it is not said again until it has gone meanwhile.
#[derive(Default)]
struct Said {
    before: BTreeSet<String>,
    /// What was wrong with the clipboard when something was last copied.
    clipboard: Option<String>,
}

impl Said {
    /// The warnings that were not there the last time.
    fn fresh(&mut self, now: Vec<String>) -> Vec<String> {
        let before = std::mem::replace(&mut self.before, now.iter().cloned().collect());
        now.into_iter().filter(|warning| !before.contains(warning)).collect()
    }
}

/// Waits for a change and then for quiet; `false` when nothing can come any more.
fn wait(events: &Receiver<notify::Result<Event>>, deck: &Deck) -> bool {
    loop {
        match events.recv() {
            Ok(event) if matters(&event, deck) => break,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
    let began = Instant::now();
    let mut quiet_since = began;
    loop {
        let until = (quiet_since + QUIET).min(began + LONGEST_WAIT);
        match events.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(event) if matters(&event, deck) => quiet_since = Instant::now(),
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
}

/// Whether an event may change the scene: not what was only read, and not what the deck itself makes.
fn matters(event: &notify::Result<Event>, deck: &Deck) -> bool {
    let Ok(event) = event else { return true };
    if matches!(event.kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write)) {
        return false;
    }
    let (scene, cache) = (deck.scene_path(), deck.cache_folder());
    let own = |path: &Path| path == scene || path.starts_with(&cache) || is_lock(path);
    event.need_rescan() || event.paths.is_empty() || !event.paths.iter().all(|path| own(path))
}

/// Git makes a file of this kind for every look at its index.
fn is_lock(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "lock")
}

/// Watches these folders and no others; tells whether one is new among them.
fn watch(watcher: &mut RecommendedWatcher, watched: &mut BTreeSet<PathBuf>, folders: BTreeSet<PathBuf>) -> bool {
    for gone in watched.difference(&folders) {
        let _ = watcher.unwatch(gone);
    }
    // Again, even if it was watched: another folder of that name may stand there now.
    let now: BTreeSet<PathBuf> = folders
        .into_iter()
        .filter(|folder| match watcher.watch(folder, RecursiveMode::NonRecursive) {
            Ok(()) => true,
            Err(problem) => {
                tracing::info!("cannot watch {}: {problem}", folder.display());
                false
            }
        })
        .collect();
    let further = !now.is_subset(watched);
    *watched = now;
    further
}

/// The folders whose changes may change the scene.
fn folders(deck: &Deck, inputs: &[RepoPath]) -> BTreeSet<PathBuf> {
    let root = deck.root();
    let mut folders = BTreeSet::from([deck.folder(), deck.cards_folder(), deck.docs_folder()]);
    for path in inputs {
        let place = root.join(path.as_str());
        // A file that is not there yet may come with its folder.
        let around = place.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
        folders.extend(around.map(Path::to_owned));
    }
    if let Ok(Some(repo)) = Repo::discover(root) {
        folders.insert(repo.git_dir().to_owned());
        folders.insert(repo.common_dir().join("refs/heads"));
        let tracked = repo.tracked_files().unwrap_or_default();
        let tree = repo.work_tree().unwrap_or(root);
        let all: BTreeSet<PathBuf> = tracked.iter().map(|path| tree.join(path.parent())).collect();
        if all.len() <= MOST_FOLDERS {
            folders.extend(all);
        }
    }
    // A link of the workspace is not watched: nothing is read through it either.
    let files = deck.files().ok();
    folders.retain(|folder| match (folder.strip_prefix(root), &files) {
        (Ok(below), Some(files)) if !below.as_os_str().is_empty() => files.is_folder(below),
        _ => folder.is_dir(),
    });
    folders
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{CreateKind, ModifyKind};

    #[test]
    fn a_warning_is_said_once_and_again_when_it_comes_back() {
        let mut said = Said::default();
        let mut say = |now: &[&str]| said.fresh(now.iter().map(|text| (*text).to_owned()).collect()).join(" ");
        assert_eq!(say(&["a", "b"]), "a b");
        assert_eq!(say(&["a", "b", "c"]), "c");
        assert_eq!(say(&["b"]), "");
        assert_eq!(say(&["a", "b"]), "a");
    }

    #[test]
    fn its_own_writes_and_reads_of_others_do_not_wake_it() {
        let deck = Deck::open("/w");
        let event = |kind: EventKind, paths: &[&str]| {
            let event = paths.iter().fold(Event::new(kind), |event, path| event.add_path(path.into()));
            matters(&Ok(event), &deck)
        };
        let modify = EventKind::Modify(ModifyKind::Any);
        assert!(event(modify, &["/w/.cuedeck/cards/abc123.md"]));
        assert!(event(EventKind::Create(CreateKind::File), &["/w/docs/new.md"]));
        assert!(event(modify, &["/w/.cuedeck/.cache/scene-x", "/w/docs/a.md"]));
        assert!(!event(modify, &["/w/.cuedeck/SCENE.md"]));
        assert!(!event(modify, &["/w/.cuedeck/.cache/scene-x", "/w/.cuedeck/SCENE.md"]));
        assert!(!event(modify, &["/w/.git/index.lock"]));
        assert!(!event(EventKind::Access(AccessKind::Read), &["/w/docs/a.md"]));
        assert!(event(EventKind::Access(AccessKind::Close(AccessMode::Write)), &["/w/docs/a.md"]));
    }
}
