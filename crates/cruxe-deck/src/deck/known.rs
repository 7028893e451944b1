//! Cards that were read, and the files that they were read from. A file is read again only when it may have changed.

use std::collections::HashMap;
use std::io;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;
use std::time::SystemTime;

use cruxe_files::{Entry, Root};

use super::{Cards, MAX_CARD, repo_path, why_no_card};
use crate::card::{self, CARDS, Card, CardId, Problem, Reading};
use crate::error::DeckError;
use crate::store::Stamp;

/// Fewer files than these are not worth another thread.
const MIN_SHARE: usize = 32;

type Files = HashMap<String, KnownFile, foldhash::fast::FixedState>;

/// What is known of a folder of cards.
#[derive(Default)]
pub(super) struct Known {
    files: Files,
    cards: Option<Arc<Cards>>,
    /// How many edits had been heard of before the files were last looked at.
    edits: Option<u64>,
}

struct KnownFile {
    stamp: Stamp,
    read_at: SystemTime,
    /// Of every byte, to tell a young file that did change from one that did not; `None` where none could be read.
    digest: Option<blake3::Hash>,
    card: Option<Arc<Card>>,
    problems: Vec<Problem>,
}

impl KnownFile {
    fn new(stamp: Stamp, read_at: SystemTime, digest: Option<blake3::Hash>, reading: Reading) -> KnownFile {
        KnownFile { stamp, read_at, digest, card: reading.card.map(Arc::new), problems: reading.problems }
    }
}

/// What a look at a file tells.
enum Look {
    /// It is what it was.
    Same,
    /// It was read again and says what it said.
    Unchanged(Stamp, SystemTime),
    /// It says something else, or is new.
    Changed(KnownFile),
}

impl Known {
    /// The cards as of a number of edits, where they are known.
    pub(super) fn as_of(&self, edits: Option<u64>) -> Option<Arc<Cards>> {
        self.cards.clone().filter(|_| edits.is_some() && self.edits == edits)
    }

    /// Looks at every file of the folder of cards, where there is one; `edits` is the number of edits that were heard of before.
    pub(super) fn look(&mut self, folder: Option<&Root>, edits: Option<u64>) -> Result<Arc<Cards>, DeckError> {
        let looks = match folder {
            Some(folder) => look_at_all(folder, &folder.list("")?, &self.files),
            None => Vec::new(),
        };
        let changed = looks.iter().any(|(_, look)| matches!(look, Look::Changed(_)));
        let removed = looks.len() != self.files.len();
        let mut before = std::mem::take(&mut self.files);
        for (name, look) in looks {
            let known = match look {
                Look::Same => before.remove(&name),
                Look::Unchanged(stamp, read_at) => {
                    before.remove(&name).map(|known| KnownFile { stamp, read_at, ..known })
                }
                Look::Changed(file) => Some(file),
            };
            self.files.extend(known.map(|known| (name, known)));
        }
        self.edits = edits;
        if let Some(cards) = self.cards.as_ref().filter(|_| !changed && !removed) {
            return Ok(Arc::clone(cards));
        }
        Ok(Arc::clone(self.cards.insert(Arc::new(gather(&self.files)))))
    }
}

fn gather(files: &Files) -> Cards {
    let mut cards = Cards::default();
    for file in files.values() {
        cards.cards.extend(file.card.clone());
        cards.problems.extend(file.problems.iter().cloned());
    }
    cards.cards.sort_by(|a, b| a.id.cmp(&b.id));
    cards.problems.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    cards
}

/// Looks at files on all cores. The threads are its own: those of a pool take up other work while they wait, and that may
/// wait for the very lock under which this is called.
fn look_at_all(folder: &Root, entries: &[Entry], files: &Files) -> Vec<(String, Look)> {
    let look = |some: &[Entry]| some.iter().filter_map(|entry| look_at(folder, entry, files)).collect::<Vec<_>>();
    let threads = thread::available_parallelism().map_or(1, usize::from).min(entries.len() / MIN_SHARE);
    if threads < 2 {
        return look(entries);
    }
    thread::scope(|scope| {
        let shares = entries.chunks(entries.len().div_ceil(threads));
        let running: Vec<_> = shares.map(|some| scope.spawn(move || look(some))).collect();
        let looks = running.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        looks.flatten().collect()
    })
}

/// `None` for what is no card at all, and for what is gone again: another process renamed or removed it.
fn look_at(folder: &Root, entry: &Entry, files: &Files) -> Option<(String, Look)> {
    let name = entry.name.to_str()?.to_owned();
    if !name.ends_with(".md") || name.starts_with('.') {
        return None;
    }
    let known = files.get(&name);
    let is_same = |known: &KnownFile| {
        let stamp = folder.meta(&name).ok().flatten().map(|meta| Stamp::of(&meta));
        stamp.is_some_and(|stamp| known.stamp == stamp && !stamp.is_young(known.read_at))
    };
    let look = if known.is_some_and(is_same) { Look::Same } else { read_file(folder, &name, known)? };
    Some((name, look))
}

fn read_file(folder: &Root, name: &str, known: Option<&KnownFile>) -> Option<Look> {
    let read_at = SystemTime::now();
    let repo_path = repo_path(&format!("{CARDS}/{name}"));
    let fatal = |message: String| Reading {
        card: None,
        problems: vec![Problem { path: repo_path.clone(), line: None, column: None, message, fatal: true }],
    };
    let (bytes, meta) = match folder.read_with_meta(name, MAX_CARD) {
        Ok(read) => read,
        Err(problem) if problem.is_absent() => return None,
        Err(problem) => {
            let reading = match why_no_card(&repo_path, &problem) {
                Some(problem) => Reading { card: None, problems: vec![problem] },
                None => fatal(format!("cannot be read: {}", io::Error::from(problem))),
            };
            let stamp = Stamp::of(&folder.meta(name).ok()??);
            return Some(Look::Changed(KnownFile::new(stamp, read_at, None, reading)));
        }
    };
    let stamp = Stamp::of(&meta);
    let digest = Some(blake3::hash(&bytes));
    if known.is_some_and(|known| known.digest == digest) {
        return Some(Look::Unchanged(stamp, read_at));
    }
    let reading = match name.strip_suffix(".md").and_then(CardId::parse) {
        Some(id) => card::read(&id, &repo_path, &bytes),
        None if card::looks_like_card(&bytes) => {
            fatal("the file's name is no id: six of a-z and 0-9, then .md".to_owned())
        }
        None => Reading { card: None, problems: Vec::new() },
    };
    Some(Look::Changed(KnownFile::new(stamp, read_at, digest, reading)))
}
