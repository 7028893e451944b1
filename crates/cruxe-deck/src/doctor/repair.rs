//! Mends what can be mended in only one way.

use std::ops::Range;

use cruxe_files::Existing;
use cruxe_model::RepoPath;
use serde::Serialize;

use super::Finding;
use crate::deck::Deck;
use crate::error::DeckError;
use crate::store;

/// A larger file is not changed.
const LARGEST_FILE: u64 = 4 << 20;

/// A text to put into the place of another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Repair {
    /// The file.
    #[serde(skip)]
    pub path: RepoPath,
    /// What is replaced, in bytes.
    #[serde(skip)]
    pub span: Range<usize>,
    /// The new text.
    pub new: String,
}

/// A file before and after its repairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairedFile {
    /// The file.
    pub path: RepoPath,
    /// What it says.
    pub before: String,
    /// What it will say.
    pub after: String,
}

/// Returns the files that the repairs of these findings change. Nothing is written.
pub fn plan(deck: &Deck, findings: &[Finding]) -> Vec<RepairedFile> {
    let mut repairs: Vec<&Repair> = findings.iter().filter_map(|finding| finding.repair.as_ref()).collect();
    // From the end of a file to its beginning, so that no repair moves another.
    repairs.sort_by(|a, b| (&a.path, b.span.start).cmp(&(&b.path, a.span.start)));
    repairs.dedup_by(|a, b| a.path == b.path && a.span == b.span);
    let Ok(root) = deck.files() else { return Vec::new() };
    let mut files: Vec<RepairedFile> = Vec::new();
    for repair in repairs {
        if files.last().is_none_or(|file| file.path != repair.path) {
            // A file that is not UTF-8 is not changed: it could not be written back as it was.
            let bytes = root.read(repair.path.as_str(), LARGEST_FILE).ok();
            let Some(before) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) else { continue };
            files.push(RepairedFile { path: repair.path.clone(), after: before.clone(), before });
        }
        if let Some(file) = files.last_mut().filter(|file| file.path == repair.path)
            && file.after.get(repair.span.clone()).is_some()
        {
            file.after.replace_range(repair.span.clone(), &repair.new);
        }
    }
    files.retain(|file| file.before != file.after);
    files
}

/// Writes repaired files and returns how many; one that changed since it was read is left alone.
pub fn write(deck: &Deck, files: &[RepairedFile]) -> Result<usize, DeckError> {
    let _lock = deck.lock()?;
    let root = deck.files()?;
    let mut written = 0;
    for file in files {
        let (bytes, meta) = root.read_with_meta(file.path.as_str(), LARGEST_FILE)?;
        if meta.is_read_only() {
            return Err(DeckError::ReadOnly(file.path.clone()));
        }
        if bytes == file.before.as_bytes() {
            store::write(&root, file.path.as_str(), &file.after, Existing::Replace)?;
            written += 1;
        }
    }
    Ok(written)
}
