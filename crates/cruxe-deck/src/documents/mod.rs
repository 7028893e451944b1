//! Reads documents of a workspace, and keeps them as long as they stay what they are.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use cruxe_files::{FileError, Root};
use cruxe_model::RepoPath;
use parking_lot::Mutex;

use crate::context::sha256;
use crate::document::{self, Outline};
use crate::error::DeckError;
use crate::links;
use crate::store::Stamp;

/// A larger file is not read as a document.
const MAX_DOCUMENT: u64 = 16 << 20;
/// All documents that are kept together have at most so many bytes.
const MAX_KEPT: usize = 64 << 20;
/// A file that changes while it is read is read again so many times.
const READS: usize = 4;

/// The documents of a workspace.
pub struct Documents {
    root: PathBuf,
    kept: Mutex<HashMap<RepoPath, Arc<Kept>>>,
}

struct Kept {
    stamp: Stamp,
    read_at: SystemTime,
    text: String,
    hash: String,
    tokens: usize,
    outline: Outline,
    /// Hash and tokens of sections that were asked for, by their place in the outline.
    sections: Mutex<HashMap<usize, (String, usize)>>,
}

/// A document or a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// Where the document is.
    pub path: String,
    /// What it says, without blank lines around it.
    pub content: String,
    /// The heading that was asked for.
    pub anchor: Option<String>,
    /// How many tokens the content has.
    pub tokens: usize,
    /// SHA-256: of the file for a whole document, of the content for a part.
    pub hash: String,
    /// Whether the file did not have to be read for it.
    pub cached: bool,
    /// First and last line of a part, from 1.
    pub lines: Option<(u32, u32)>,
}

impl Documents {
    /// The documents below a root.
    pub fn new(root: impl Into<PathBuf>) -> Documents {
        Documents { root: root.into(), kept: Mutex::default() }
    }

    /// Reads a document, or the section below a heading. `docs/…` and `cards/…` that the workspace does not have are
    /// looked for in the deck. `others` lists paths among which a missing one may be meant.
    pub fn read(
        &self,
        path: &RepoPath,
        anchor: Option<&str>,
        others: &dyn Fn() -> Vec<String>,
    ) -> Result<Excerpt, DeckError> {
        let files = Root::open(&self.root)?;
        let Some((path, place)) = locate(&files, path)? else {
            let others = others();
            let nearest = document::nearest(path.as_str(), others.iter().map(String::as_str));
            let nearest = nearest.map(|at| others[at].clone());
            return Err(DeckError::NoFile { path: path.as_str().to_owned(), nearest });
        };
        let (kept, cached) = self.fetch(&files, &path, &place)?;
        let path = path.as_str().to_owned();
        let Some(anchor) = anchor else {
            let content = kept.text.trim_start_matches('\u{feff}').trim().to_owned();
            let (tokens, hash) = (kept.tokens, kept.hash.clone());
            return Ok(Excerpt { path, content, anchor: None, tokens, hash, cached, lines: None });
        };
        let Some(heading) = kept.outline.find(anchor) else {
            let nearest = kept.outline.nearest(anchor).map(|heading| heading.name.clone());
            return Err(DeckError::NoAnchor { path, anchor: anchor.to_owned(), nearest });
        };
        let content = kept.text[heading.span.clone()].trim().to_owned();
        let number = heading.span.start;
        let mut sections = kept.sections.lock();
        let (hash, tokens) = sections
            .entry(number)
            .or_insert_with(|| (sha256(content.as_bytes()), cruxe_tokens::count(&content)))
            .clone();
        let (anchor, lines) = (Some(anchor.to_owned()), Some(heading.lines));
        Ok(Excerpt { path, content, anchor, tokens, hash, cached, lines })
    }

    fn fetch(&self, files: &Root, path: &RepoPath, place: &Path) -> Result<(Arc<Kept>, bool), DeckError> {
        let kept = || self.kept.lock();
        let known = kept().get(path).cloned();
        let look = || files.meta(place).map(|meta| meta.as_ref().map(Stamp::of));
        if let Some(known) = &known
            && look()? == Some(known.stamp)
            && !known.stamp.is_young(known.read_at)
        {
            return Ok((Arc::clone(known), true));
        }
        let read_at = SystemTime::now();
        let (stamp, bytes) = read_whole(path, READS, || {
            let (bytes, before) = files.read_with_meta(place, MAX_DOCUMENT)?;
            let before = Stamp::of(&before);
            Ok((before, bytes, look()?.unwrap_or(before)))
        })??;
        // A file that was written a moment ago is read again, but what it says may be known all the same.
        let hash = sha256(&bytes);
        if let Some(known) = known.filter(|known| known.hash == hash) {
            return Ok((known, true));
        }
        let (text, _) = cruxe_extract::as_text(&bytes);
        let outline = Outline::of(path, &text);
        let (tokens, text) = (cruxe_tokens::count(&text), text.into_owned());
        let fresh = Arc::new(Kept { stamp, read_at, text, hash, tokens, outline, sections: Mutex::default() });
        let mut kept = kept();
        kept.insert(path.clone(), Arc::clone(&fresh));
        if kept.values().map(|kept| kept.text.len()).sum::<usize>() > MAX_KEPT {
            kept.retain(|other, _| other == path);
        }
        Ok((fresh, false))
    }
}

/// Where a document is. Links are followed as long as they stay in the workspace.
fn locate(files: &Root, path: &RepoPath) -> Result<Option<(RepoPath, PathBuf)>, DeckError> {
    let in_deck = path.as_str().starts_with("docs/") || path.as_str().starts_with("cards/");
    let in_deck = in_deck.then(|| RepoPath::parse(&format!(".cuedeck/{path}")).ok()).flatten();
    for path in [Some(path.clone()), in_deck].into_iter().flatten() {
        let place = match links::resolve_inside(files, &path) {
            Err(FileError::Io { .. }) => continue,
            place => place?,
        };
        if files.is_file(&place) {
            return Ok(Some((path, place)));
        }
    }
    Ok(None)
}

/// Reads until a file is the same before and after.
fn read_whole<S: PartialEq>(
    path: &RepoPath,
    reads: usize,
    mut read: impl FnMut() -> Result<(S, Vec<u8>, S), FileError>,
) -> Result<Result<(S, Vec<u8>), FileError>, DeckError> {
    let mut hashes: (String, String) = Default::default();
    for _ in 0..reads {
        let (before, bytes, after) = match read() {
            Ok(read) => read,
            Err(problem) => return Ok(Err(problem)),
        };
        if before == after {
            return Ok(Ok((after, bytes)));
        }
        hashes = (std::mem::take(&mut hashes.1), sha256(&bytes));
    }
    let (expected_hash, actual_hash) = hashes;
    Err(DeckError::Changing { path: path.as_str().to_owned(), expected_hash, actual_hash })
}

#[cfg(test)]
mod tests;
