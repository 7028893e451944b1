//! Cards of other branches.

use std::path::Path;

use cruxe_model::RepoPath;
use cruxe_store::{Index, RefState, Snapshot, StoreError};

use crate::card::CardId;

/// The cards of every indexed ref: one of another branch comes here with the next merge, so its id is taken.
pub struct OtherRefs {
    snapshot: Snapshot,
    refs: Vec<RefState>,
    /// Where the deck is below the root of what is indexed: empty, or a folder with a `/` behind it.
    prefix: String,
}

impl OtherRefs {
    /// Reads which refs an index has; `folder` is the deck's below the root of what is indexed.
    pub fn of(index: &std::sync::Arc<Index>, folder: &Path) -> Result<OtherRefs, StoreError> {
        let snapshot = index.snapshot()?;
        let refs = snapshot.refs()?;
        let prefix: String = folder.iter().map(|part| format!("{}/", part.to_string_lossy())).collect();
        Ok(OtherRefs { snapshot, refs, prefix })
    }

    /// Returns whether one of them has a card of this id.
    pub fn have(&self, id: &CardId) -> bool {
        let Ok(path) = RepoPath::parse(&format!("{}{}", self.prefix, id.path())) else { return false };
        self.refs.iter().any(|state| matches!(self.snapshot.file_at(&path, &state.versions), Ok(Some(_))))
    }
}
