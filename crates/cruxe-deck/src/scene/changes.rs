//! What changed last, as git tells it.

use std::fmt::Write;
use std::path::Path;

use cruxe_vcs::{ChangeKind, Repo, VcsError};

use super::part::{Part, Section};
use crate::fence::{self, one_line};

const MOST_COMMITS: usize = 8;
const MOST_FILES: usize = 40;

/// The branch, the files that are not committed and the last commits; `None` outside git.
pub(super) fn part(root: &Path) -> Option<Part> {
    let repo = Repo::discover(root).ok().flatten()?;
    let body = match describe(&repo) {
        Ok(body) => body,
        // A damaged repository is not a reason to have no scene.
        Err(problem) => format!("Git cannot be read: {problem}\n"),
    };
    let name = "recent changes".to_owned();
    Some(Part { section: Section::Changes, name, head: String::new(), body, language: None })
}

fn describe(repo: &Repo) -> Result<String, VcsError> {
    let head = repo.head()?;
    let place = if head.detached { "Detached at" } else { "Branch" };
    let mut text = format!("{place} {}.\n", fence::inline(&head.ref_name));
    let mut changes = repo.changes()?;
    changes.retain(|change| change.path.as_str() != ".cuedeck/SCENE.md");
    if !changes.is_empty() {
        text.push_str("\nNot committed:\n");
    }
    for change in changes.iter().take(MOST_FILES) {
        let word = match change.kind {
            ChangeKind::Added => "added",
            ChangeKind::Modified => "modified",
            ChangeKind::Deleted => "deleted",
        };
        let _ = writeln!(text, "- {word} {}", one_line(change.path.as_str()));
    }
    if let Some(more @ 1..) = changes.len().checked_sub(MOST_FILES) {
        let _ = writeln!(text, "- and {more} more");
    }
    let commits = repo.last_commits(MOST_COMMITS)?;
    if !commits.is_empty() {
        text.push_str("\nLast commits:\n");
    }
    for line in commits {
        let id = line.commit.to_hex();
        let _ = writeln!(text, "- {} {}", id.get(..8).unwrap_or(&id), one_line(&line.subject));
    }
    Ok(text)
}
