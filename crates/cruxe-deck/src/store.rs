//! Files of a deck: read once as long as they stay what they are, written whole or not at all.

use std::time::{Duration, SystemTime};

use cruxe_files::{Existing, Meta, Root};

use crate::error::DeckError;

/// What can be made anew at any time. It is where files are made before they are put in their place: who watches cards sees one
/// change.
pub(crate) const CACHE: &str = ".cuedeck/.cache";

/// What tells one state of a file from the next without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    modified: Option<SystemTime>,
    size: u64,
    inode: u64,
}

/// A change within this time of another may leave a file's time as it is: clocks of file systems tick.
const TICK: Duration = Duration::from_secs(1);

impl Stamp {
    pub(crate) fn of(meta: &Meta) -> Stamp {
        Stamp { modified: meta.modified, size: meta.size, inode: meta.inode }
    }

    /// Whether a file with this stamp, read at that moment, may have changed since and kept the stamp.
    pub(crate) fn is_young(&self, read_at: SystemTime) -> bool {
        self.modified.is_none_or(|modified| modified + TICK >= read_at)
    }
}

/// Writes a file in one step. Returns whether it was written, which it is not where one that is to be kept is there.
pub(crate) fn write(files: &Root, path: &str, text: &str, existing: Existing) -> Result<bool, DeckError> {
    Ok(files.write_by(CACHE, path, text.as_bytes(), existing)?)
}
