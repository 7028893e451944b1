//! Texts of file versions that were read of late, so that the next answer about the same files need not read them again.
//!
//! To open a file, read it and compare its content with what was indexed takes a hundredth of a millisecond or two, and a watcher hears
//! of every file that is opened; a search looks into some forty. A version's text never changes.

use std::sync::Arc;

use cruxe_index::View;
use cruxe_model::VersionId;
use cruxe_store::{Cache, FileRow};
use parking_lot::Mutex;

use crate::resolve::FastMap;

/// How many bytes all texts may take.
const ROOM: usize = 12 << 20;
/// Longer ones are not kept: few questions are about them, and one would take the place of many.
const LONGEST: usize = 256 << 10;

static TEXTS: Cache<KeptTexts> = Cache::of("texts that were read");

#[derive(Default)]
struct KeptTexts {
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    texts: FastMap<VersionId, Kept>,
    bytes: usize,
    /// Counts what was asked for.
    clock: u64,
}

struct Kept {
    text: Arc<str>,
    /// When it was last asked for.
    asked: u64,
}

/// The text of a file version: from disk where it still has that content, else from git; `None` when it is no longer to be had.
pub(crate) fn text(view: &View, file: &FileRow) -> Option<Arc<str>> {
    let kept = view.published.as_ref().map(|published| published.kept(&TEXTS));
    if let Some(known) = kept.as_ref().and_then(|kept| kept.held.lock().get(file.id)) {
        return Some(known);
    }
    let bytes = view.project.read(file)?;
    let text: Arc<str> = cruxe_extract::as_text(&bytes).0.into();
    if let Some(kept) = kept {
        kept.held.lock().keep(file.id, &text);
    }
    Some(text)
}

impl Held {
    fn get(&mut self, version: VersionId) -> Option<Arc<str>> {
        self.clock += 1;
        let kept = self.texts.get_mut(&version)?;
        kept.asked = self.clock;
        Some(Arc::clone(&kept.text))
    }

    fn keep(&mut self, version: VersionId, text: &Arc<str>) {
        if text.len() > LONGEST {
            return;
        }
        if self.bytes + text.len() > ROOM {
            self.forget_half();
        }
        let kept = Kept { text: Arc::clone(text), asked: self.clock };
        if self.texts.insert(version, kept).is_none() {
            self.bytes += text.len();
        }
    }

    /// Lets go of the half that nobody has asked for the longest.
    fn forget_half(&mut self) {
        let mut asked: Vec<u64> = self.texts.values().map(|kept| kept.asked).collect();
        let middle = asked.len() / 2;
        let Some((_, middle, _)) = (middle < asked.len()).then(|| asked.select_nth_unstable(middle)) else { return };
        let middle = *middle;
        self.texts.retain(|_, kept| kept.asked > middle);
        self.bytes = self.texts.values().map(|kept| kept.text.len()).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_asks_for_goes_first_and_the_room_is_kept_within() {
        let mut held = Held::default();
        let text: Arc<str> = "x".repeat(LONGEST).into();
        for version in 0..(2 * ROOM / LONGEST) as VersionId {
            assert!(held.get(version).is_none());
            held.keep(version, &text);
            assert!(held.get(0).is_some(), "it is asked for all the time");
            assert!(held.bytes <= ROOM && held.bytes == held.texts.len() * LONGEST);
        }
        assert!(held.get(1).is_none());
        let longer: Arc<str> = "x".repeat(LONGEST + 1).into();
        held.keep(9999, &longer);
        assert!(held.get(9999).is_none());
    }
}
