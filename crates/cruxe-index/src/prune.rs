//! Forgetting refs that nobody asks for.

use cruxe_store::{RefState, Writer, WriterLock};
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
        let lock = if dry_run { None } else { Some(WriterLock::acquire(&self.project.dir.lock_path())?) };
        let index = self.index()?;
        let snapshot = index.snapshot()?;
        let states = snapshot.refs()?;
        let limit = Timestamp::now() - SignedDuration::from_hours(24 * i64::from(older_than_days));
        let mut kept = self.checked_out();
        kept.extend(self.default_branch());
        let goes = |state: &&RefState| !kept.contains(&state.name) && self.accessed_at(state) <= limit;
        let gone: Vec<&RefState> = states.iter().filter(goes).collect();
        let union = |of: &mut dyn Iterator<Item = &RefState>| {
            of.fold(roaring::RoaringBitmap::new(), |all, state| all | &state.versions)
        };
        let needed = union(&mut states.iter().filter(|state| !gone.iter().any(|gone| gone.name == state.name)));
        let mut pruned = Pruned {
            versions: (union(&mut gone.iter().copied()) - needed).len(),
            refs: gone.iter().map(|state| (state.name.clone(), self.accessed_at(state))).collect(),
            ..Pruned::default()
        };
        let names: Vec<String> = gone.iter().map(|state| state.name.clone()).collect();
        let Some(lock) = lock.filter(|_| !names.is_empty()) else { return Ok(pruned) };
        drop(snapshot);
        let before = size_of(index.folder());
        pruned.versions = Writer::open(&self.project.dir, lock)?.remove_refs(&names)?;
        pruned.freed_bytes = before.saturating_sub(size_of(index.folder()));
        for name in &names {
            if let Err(problem) = self.project.remove_worktree(name) {
                pruned.warnings.push(problem.to_string());
            }
        }
        Ok(pruned)
    }
}

fn size_of(folder: &std::path::Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => size_of(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}
