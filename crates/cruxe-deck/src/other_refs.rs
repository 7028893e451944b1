//! Cards of other branches.

use std::path::Path;

use cruxe_model::RepoPath;
use cruxe_store::{Snapshot, Store, StoreError, VersionSet};

use crate::card::CardId;

/// The cards of every indexed ref: one of another branch comes here with the next merge, so its id is taken.
pub struct OtherRefs {
    snapshot: Snapshot,
    /// What any of the refs has.
    versions: VersionSet,
    /// Where the deck is below the root of what is indexed: empty, or a folder with a `/` behind it.
    prefix: String,
}

impl OtherRefs {
    /// Reads which refs are indexed; `folder` is the deck's below the root of what is indexed.
    pub fn of(store: &Store, folder: &Path) -> Result<OtherRefs, StoreError> {
        let snapshot = store.snapshot()?;
        let versions = VersionSet::union(snapshot.refs()?.iter().map(|state| &state.versions));
        let prefix: String = folder.iter().map(|part| format!("{}/", part.to_string_lossy())).collect();
        Ok(OtherRefs { snapshot, versions, prefix })
    }

    /// Returns whether one of them has a card of this id.
    pub fn have(&self, id: &CardId) -> bool {
        let Ok(path) = RepoPath::parse(&format!("{}{}", self.prefix, id.path())) else { return false };
        matches!(self.snapshot.file_in(&path, &self.versions), Ok(Some(_)))
    }
}
