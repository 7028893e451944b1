//! Where two histories meet.
//!
//! This is git's own algorithm, down to the order in which equally old commits are visited, because in a criss-cross
//! history there are several best answers and users compare ours with `git merge-base`. gix's version looks only at
//! first parents when it drops answers that are ancestors of others, and so can return one that git does not.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::fs;

use cruxe_model::ContentHash;
use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::objs::Kind;

use crate::error::VcsError;
use crate::object::{damaged, full_id, header, object_id, wrong_kind};
use crate::repo::Repo;

impl Repo {
    /// Finds the best common ancestor of two commits, the one that `git merge-base` prints; `None` when their
    /// histories are unrelated.
    pub fn merge_base(&self, a: &ContentHash, b: &ContentHash) -> Result<Option<ContentHash>, VcsError> {
        let repo = self.local();
        for hash in [a, b] {
            match header(&repo, hash)?.0 {
                Kind::Commit => {}
                kind => return Err(wrong_kind(hash, kind, Kind::Commit)),
            }
        }
        if a == b {
            return Ok(Some(*a));
        }
        let cut_off = self.cut_off_commits()?;
        // A commit-graph that is absent or damaged only costs time. In a shallow clone it may tell of parents beyond
        // the cut, which git does not see.
        let cache = if cut_off.is_empty() { repo.commit_graph_if_enabled().ok().flatten() } else { None };
        let mut history = History { graph: repo.revision_graph(cache.as_ref()), known: HashMap::new(), cut_off };
        let best = best_common(&mut history, object_id(&repo, a)?, object_id(&repo, b)?)?;
        Ok(best.and_then(|id| ContentHash::from_bytes(id.as_bytes())))
    }

    /// The commits of a shallow clone whose parents were not fetched.
    fn cut_off_commits(&self) -> Result<HashSet<ObjectId>, VcsError> {
        if !self.is_shallow() {
            return Ok(HashSet::new());
        }
        let path = self.common_dir().join("shallow");
        let text = fs::read(&path).map_err(|error| VcsError::read(&path, &error))?;
        let hashes = text.lines().filter_map(|line| full_id(line, self.refs().format));
        Ok(hashes.filter_map(|hash| ObjectId::try_from(hash.as_bytes()).ok()).collect())
    }
}

/// The commits that were read so far.
struct History<'repo, 'cache> {
    graph: gix::revwalk::Graph<'repo, 'cache, ()>,
    known: HashMap<ObjectId, Commit>,
    cut_off: HashSet<ObjectId>,
}

#[derive(Clone)]
struct Commit {
    date: i64,
    parents: Vec<ObjectId>,
}

impl History<'_, '_> {
    fn commit(&mut self, id: ObjectId) -> Result<&Commit, VcsError> {
        todo!()
    }
}
