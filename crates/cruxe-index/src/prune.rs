//! Forgetting refs that nobody asks for.

use cruxe_store::RefState;
use jiff::{SignedDuration, Timestamp};

use crate::error::IndexError;
use crate::workspace::Workspace;

/// What was forgotten, or would be.
#[derive(Debug, Default)]
pub struct Pruned {
    /// The refs, with the time of their last use.
    pub refs: Vec<(String, Timestamp)>,
    /// File versions that no other ref needs.
    pub versions: u64,
    /// Bytes on disk that were freed; 0 for a dry run.
    pub freed_bytes: u64,
    /// What the reader should know.
    pub warnings: Vec<String>,
}

impl Workspace {
    /// Removes every ref that was not asked for in so many days; never the default branch or one that is checked out.
    pub fn prune(&self, older_than_days: u32, dry_run: bool) -> Result<Pruned, IndexError> {
        let limit = Timestamp::now() - SignedDuration::from_hours(24 * i64::from(older_than_days));
        let mut kept = self.checked_out();
        kept.extend(self.default_branch());
        let goes = |state: &RefState| !kept.contains(&state.name) && self.accessed_at(state) <= limit;
        let forgotten = self.project.store.forget_refs(goes, dry_run)?;
        let mut pruned = Pruned {
            refs: forgotten.refs.iter().map(|state| (state.name.clone(), self.accessed_at(state))).collect(),
            versions: forgotten.versions,
            freed_bytes: forgotten.freed_bytes,
            warnings: Vec::new(),
        };
        for state in forgotten.refs.iter().filter(|_| !dry_run) {
            if let Err(problem) = self.project.remove_worktree(&state.name) {
                pruned.warnings.push(problem.to_string());
            }
        }
        Ok(pruned)
    }
}
