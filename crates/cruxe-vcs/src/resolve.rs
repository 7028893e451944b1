//! From what a user writes to a commit.
//!
//! Not gix's revision parser: it also walks history for `:/text`, reads the index for `:path` and the reflog for
//! `@{1}`, none of which names a ref that can be indexed, and it takes the refs from a store that may be stale (see
//! [`crate::refs`]).

use std::collections::HashSet;

use cruxe_model::ContentHash;
use gix::ObjectId;
use gix::bstr::ByteSlice;

use crate::branch::HEADS;
use crate::error::{VcsError, reason};
use crate::object::{full_id, parent_of, peel_to_commit};
use crate::repo::Repo;

/// A ref or commit, under the one name by which an index knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// `main`, `origin/main`, `v1.0`, or a full commit id. A tag or a remote branch with the name of a local branch
    /// is told apart as git does it: `tags/main`, `remotes/main`.
    pub name: String,
    /// The commit.
    pub commit: ContentHash,
    /// What the name stands for.
    pub kind: RefKind,
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefKind {
    /// A local branch.
    Branch,
    /// A branch of a remote, as last fetched.
    RemoteBranch,
    /// A tag.
    Tag,
    /// A commit by itself.
    Commit,
}

const TAGS: &str = "refs/tags/";
const REMOTES: &str = "refs/remotes/";

/// The fewest digits that git takes for a commit id.
const MIN_DIGITS: usize = 4;

impl Repo {
    /// Finds the commit that a text names: a branch, a remote branch, a tag, a full or short commit id, `HEAD`, each
    /// optionally followed by `~n`, `^`, `^n`, `^{}` or `^{commit}`.
    ///
    /// Where git would warn that a name is ambiguous, the branch is taken, so that the name of the current branch
    /// always means the current branch.
    pub fn resolve(&self, spec: &str) -> Result<Resolved, VcsError> {
        let unknown = || VcsError::unknown_ref(spec);
        let (base, steps) = spec.split_at(spec.find(['~', '^']).unwrap_or(spec.len()));
        let steps = parse_steps(steps).ok_or_else(unknown)?;
        let repo = self.local();
        let start = self.resolve_base(&repo, base)?.ok_or_else(unknown)?;
        if steps.is_empty() {
            return Ok(start);
        }
        let mut commit = start.commit;
        for Step { parent, times } in steps {
            for _ in 0..times {
                commit = parent_of(&repo, &commit, parent)?.ok_or_else(unknown)?;
            }
        }
        // In a shallow clone the commit names a parent that is not there.
        let commit = peel_to_commit(&repo, &commit)?.ok_or_else(unknown)?;
        Ok(bare_commit(commit))
    }

    fn resolve_base(&self, repo: &gix::Repository, base: &str) -> Result<Option<Resolved>, VcsError> {
        let base = if base == "@" { "HEAD" } else { base };
        if let Some(id) = full_id(base.as_bytes(), self.refs().format) {
            match peel_to_commit(repo, &id) {
                Err(VcsError::MissingObject { hash }) if hash == id => {}
                commit => return Ok(commit?.map(bare_commit)),
            }
        }
        for name in candidates(base) {
            if gix::refs::FullName::try_from(name.as_str()).is_err() {
                continue;
            }
            if let (name, Some(id)) = self.refs().follow(&name)? {
                let Some(commit) = peel_to_commit(repo, &id)? else { return Ok(None) };
                return self.named(&name.as_bstr().to_str_lossy(), commit).map(Some);
            }
        }
        Ok(self.commit_by_prefix(repo, base)?.map(bare_commit))
    }

    fn named(&self, full_name: &str, commit: ContentHash) -> Result<Resolved, VcsError> {
        let taken = |prefix: &str, name: &str| self.refs().exists(&format!("{prefix}{name}"));
        let (name, kind) = if let Some(name) = full_name.strip_prefix(HEADS) {
            (name.to_owned(), RefKind::Branch)
        } else if let Some(name) = full_name.strip_prefix(TAGS) {
            let prefix = if taken(HEADS, name)? { "tags/" } else { "" };
            (format!("{prefix}{name}"), RefKind::Tag)
        } else if let Some(name) = full_name.strip_prefix(REMOTES) {
            let prefix = if taken(HEADS, name)? || taken(TAGS, name)? { "remotes/" } else { "" };
            (format!("{prefix}{name}"), RefKind::RemoteBranch)
        } else {
            return Ok(bare_commit(commit));
        };
        Ok(Resolved { name, commit, kind })
    }

    fn commit_by_prefix(&self, repo: &gix::Repository, digits: &str) -> Result<Option<ContentHash>, VcsError> {
        let width = self.refs().format.len_in_hex();
        if !(MIN_DIGITS..width).contains(&digits.len()) || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let padded = format!("{digits:0<width$}");
        let prefix = ObjectId::from_hex(padded.as_bytes()).ok();
        let Some(prefix) = prefix.and_then(|id| gix::hash::Prefix::new(&id, digits.len()).ok()) else {
            return Ok(None);
        };
        let mut ids = HashSet::new();
        repo.objects
            .lookup_prefix(prefix, Some(&mut ids))
            .map_err(|error| VcsError::Open { path: self.common_dir().to_owned(), reason: reason(&error) })?;
        // As in git, trees and blobs with the same beginning do not make a commit ambiguous.
        let mut commits = HashSet::new();
        for id in ids {
            if let Some(hash) = ContentHash::from_bytes(id.as_bytes()) {
                commits.extend(peel_to_commit(repo, &hash)?);
            }
        }
        match commits.len() {
            0 | 1 => Ok(commits.into_iter().next()),
            count => Err(VcsError::AmbiguousCommit { spec: digits.to_owned(), count }),
        }
    }
}

fn bare_commit(commit: ContentHash) -> Resolved {
    Resolved { name: commit.to_hex(), commit, kind: RefKind::Commit }
}

/// The full names that a short one may stand for, in the order in which they are tried.
fn candidates(base: &str) -> Vec<String> {
    if base.starts_with("refs/") {
        return vec![base.to_owned()];
    }
    // `HEAD`, `FETCH_HEAD`, `ORIG_HEAD` and their kind stand beside the refs.
    let beside = !base.is_empty() && base.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let own = beside.then(|| base.to_owned());
    let prefixed = [HEADS, TAGS, REMOTES, "refs/"].map(|prefix| format!("{prefix}{base}"));
    own.into_iter().chain(prefixed).chain([format!("{REMOTES}{base}/HEAD")]).collect()
}

/// Goes to a parent, again and again.
#[derive(Debug, PartialEq, Eq)]
struct Step {
    parent: usize,
    times: usize,
}

/// Reads what follows the name; `None` when it is not understood.
fn parse_steps(text: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        // The result is always a commit, so asking for one changes nothing but that the ref is no longer meant.
        if let Some(after) = rest.strip_prefix("^{commit}").or_else(|| rest.strip_prefix("^{}")) {
            steps.push(Step { parent: 1, times: 0 });
            rest = after;
            continue;
        }
        let (sign, after) = rest.split_at_checked(1)?;
        let (digits, after) = after.split_at(after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len()));
        let number = if digits.is_empty() { 1 } else { digits.parse().ok()? };
        steps.push(match sign {
            "~" => Step { parent: 1, times: number },
            "^" => Step { parent: number, times: usize::from(number > 0) },
            _ => return None,
        });
        rest = after;
    }
    Some(steps)
}
