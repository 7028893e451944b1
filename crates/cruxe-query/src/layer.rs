//! `source_layer`: whether a file is as the default branch has it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use cruxe_index::View;
use cruxe_model::{ContentHash, RepoPath};
use cruxe_store::FileRow;
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::QueryError;

/// Where the content of a file comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SourceLayer {
    /// The merge base with the default branch has it so.
    Base,
    /// It is new or changed since.
    Overlay,
}

/// The files of a merge base by path.
type Files = HashMap<RepoPath, ContentHash>;

/// The last trees that were read: a commit never changes.
#[derive(Default)]
struct BaseCache {
    trees: Mutex<HashMap<ContentHash, Arc<Files>>>,
}

/// More trees than this are not kept.
const MAX_TREES: usize = 4;

/// What the merge base of a ref and the default branch contains.
pub struct Layers {
    base: Arc<Files>,
}

impl Layers {
    /// The layers of a view; `None` outside git and while there is no commit.
    pub fn of(view: &View) -> Result<Option<Layers>, QueryError> {
        let (Some(repo), Some((snapshot, state))) = (&view.project.repo, &view.published) else { return Ok(None) };
        let Some(commit) = state.commit.as_deref().and_then(ContentHash::from_hex) else { return Ok(None) };
        let default = repo.default_branch().ok().flatten();
        let default = default.and_then(|name| repo.resolve(&name).ok()).map(|resolved| resolved.commit);
        let base = match default {
            Some(default) if default != commit => repo.merge_base(&commit, &default).ok().flatten().unwrap_or(commit),
            _ => commit,
        };
        let cache = snapshot.derived::<BaseCache>();
        let held = || cache.trees.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(base) = held().get(&base) {
            return Ok(Some(Layers { base: Arc::clone(base) }));
        }
        // A history that cannot be read (a shallow clone) leaves everything in the overlay.
        let listing = repo.tree_files(&base).map(|listing| listing.files).unwrap_or_default();
        let files: Arc<Files> = Arc::new(listing.into_iter().map(|file| (file.path, file.hash)).collect());
        let mut held = held();
        if held.len() >= MAX_TREES {
            held.clear();
        }
        held.insert(base, Arc::clone(&files));
        Ok(Some(Layers { base: files }))
    }

    /// The layer of a file version.
    pub fn of_file(&self, row: &FileRow) -> SourceLayer {
        match self.base.get(&row.path) {
            Some(hash) if *hash == row.hash => SourceLayer::Base,
            _ => SourceLayer::Overlay,
        }
    }
}
