//! Where two histories meet.
//!
//! This is git's own algorithm, down to the order in which equally old commits are visited, because in a criss-cross
//! history there are several best answers and users compare ours with `git merge-base`. gix's version looks only at
//! first parents when it drops answers that are ancestors of others, and so can return one that git does not.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::path::Path;

use cruxe_model::ContentHash;
use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::objs::Kind;
use gix::revwalk::graph::Commit;

use crate::error::VcsError;
use crate::guard;
use crate::object::{content_hash, damaged, full_id, header, object_id, wrong_kind};
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
        let objects = repo.objects.store_ref().path();
        let mut history = History { graph: repo.revision_graph(cache.as_ref()), objects, cut_off };
        let best = best_common(&mut history, object_id(&repo, a)?, object_id(&repo, b)?)?;
        Ok(best.map(|id| content_hash(id.as_bytes())))
    }

    /// The commits of a shallow clone whose parents were not fetched.
    fn cut_off_commits(&self) -> Result<HashSet<ObjectId>, VcsError> {
        if !self.is_shallow() {
            return Ok(HashSet::new());
        }
        let path = self.common_dir().join("shallow");
        let text = guard::read(&path, guard::LIST)?;
        let hashes = text.lines().filter_map(|line| full_id(line, self.refs().format));
        Ok(hashes.filter_map(|hash| ObjectId::try_from(hash.as_bytes()).ok()).collect())
    }
}

/// Reads commits, each once.
struct History<'repo, 'cache> {
    graph: gix::revwalk::Graph<'repo, 'cache, Commit<()>>,
    objects: &'repo Path,
    cut_off: HashSet<ObjectId>,
}

impl History<'_, '_> {
    fn date(&mut self, id: ObjectId) -> Result<i64, VcsError> {
        Ok(self.commit(id)?.commit_time)
    }

    fn parents(&mut self, id: ObjectId) -> Result<Vec<ObjectId>, VcsError> {
        if self.cut_off.contains(&id) { Ok(Vec::new()) } else { Ok(self.commit(id)?.parents.to_vec()) }
    }

    fn commit(&mut self, id: ObjectId) -> Result<&Commit<()>, VcsError> {
        let hash = content_hash(id.as_bytes());
        if !self.graph.contains(&id) {
            guard::check_loose(self.objects, &hash)?;
        }
        match self.graph.get_or_insert_full_commit(id, |_| {}) {
            Ok(Some(commit)) => Ok(commit),
            Ok(None) => Err(VcsError::MissingObject { hash }),
            Err(error) => Err(damaged(&hash, &error)),
        }
    }
}

fn best_common(history: &mut History, a: ObjectId, b: ObjectId) -> Result<Option<ObjectId>, VcsError> {
    let painted = paint(history, a, &[b])?;
    let candidates: Vec<ObjectId> = painted.common.iter().copied().filter(|id| !painted.has(id, STALE)).collect();
    // Where clocks were wrong, a candidate can be an ancestor of another.
    let mut redundant = HashSet::new();
    for (index, &one) in candidates.iter().enumerate() {
        if redundant.contains(&one) {
            continue;
        }
        let others = candidates.iter().enumerate().filter(|&(at, id)| at != index && !redundant.contains(id));
        let others: Vec<ObjectId> = others.map(|(_, id)| *id).collect();
        if others.is_empty() {
            break;
        }
        let painted = paint(history, one, &others)?;
        redundant.extend(others.into_iter().filter(|other| painted.has(other, FROM_ONE)));
        redundant.extend(painted.has(&one, FROM_OTHERS).then_some(one));
    }
    Ok(candidates.into_iter().find(|id| !redundant.contains(id)))
}

/// Reached from the first commit.
const FROM_ONE: u8 = 1;
/// Reached from one of the other commits.
const FROM_OTHERS: u8 = 2;
/// Below a common ancestor, so not interesting itself.
const STALE: u8 = 4;

/// What a walk found out.
struct Painted {
    marks: gix::hashtable::HashMap<ObjectId, Mark>,
    /// The common ancestors in the order found, newest first; some may have turned out to be stale.
    common: Vec<ObjectId>,
}

#[derive(Default, Clone, Copy)]
struct Mark {
    flags: u8,
    /// How often the commit waits in the queue.
    waiting: usize,
}

impl Painted {
    fn has(&self, id: &ObjectId, flag: u8) -> bool {
        self.marks.get(id).is_some_and(|mark| mark.flags & flag != 0)
    }
}

/// Walks down from all the commits at once, newest first, until only ancestors of common ancestors are left.
fn paint(history: &mut History, one: ObjectId, others: &[ObjectId]) -> Result<Painted, VcsError> {
    let mut queue = Queue::default();
    queue.put(history, one, FROM_ONE)?;
    for &other in others {
        queue.put(history, other, FROM_OTHERS)?;
    }
    let mut common: Vec<(Reverse<i64>, ObjectId)> = Vec::new();
    let mut recorded = HashSet::new();
    while queue.fresh > 0 {
        let Some((id, mut flags)) = queue.take() else { break };
        if flags == FROM_ONE | FROM_OTHERS {
            if recorded.insert(id) {
                common.push((Reverse(history.date(id)?), id));
            }
            flags |= STALE;
        }
        for parent in history.parents(id)? {
            if queue.flags(&parent) & flags != flags {
                queue.put(history, parent, flags)?;
            }
        }
    }
    common.sort_by_key(|&(date, _)| date);
    Ok(Painted { marks: queue.marks, common: common.into_iter().map(|(_, id)| id).collect() })
}

/// The commits still to visit, the newest first and among equals the one that came first.
#[derive(Default)]
struct Queue {
    heap: BinaryHeap<(i64, Reverse<usize>, ObjectId)>,
    marks: gix::hashtable::HashMap<ObjectId, Mark>,
    /// How many were ever put.
    count: usize,
    /// How many of those waiting are not stale.
    fresh: usize,
}

impl Queue {
    fn flags(&self, id: &ObjectId) -> u8 {
        self.marks.get(id).map_or(0, |mark| mark.flags)
    }

    fn put(&mut self, history: &mut History, id: ObjectId, flags: u8) -> Result<(), VcsError> {
        let date = history.date(id)?;
        let mark = self.marks.entry(id).or_default();
        if mark.flags & STALE == 0 && flags & STALE != 0 {
            self.fresh -= mark.waiting;
        }
        mark.flags |= flags;
        mark.waiting += 1;
        if mark.flags & STALE == 0 {
            self.fresh += 1;
        }
        self.heap.push((date, Reverse(self.count), id));
        self.count += 1;
        Ok(())
    }

    fn take(&mut self) -> Option<(ObjectId, u8)> {
        let (_, _, id) = self.heap.pop()?;
        let mark = self.marks.entry(id).or_default();
        mark.waiting -= 1;
        if mark.flags & STALE == 0 {
            self.fresh -= 1;
        }
        Some((id, mark.flags))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Fixture, hash, open};

    /// Imports commits that are given by their dates and parents (indexes of earlier ones) and returns their ids.
    fn import(fixture: &Fixture, commits: &[(u64, Vec<usize>)]) -> Vec<ContentHash> {
        let mut script = String::new();
        for (index, (date, parents)) in commits.iter().enumerate() {
            let text = format!("c{index}");
            script += &format!("commit refs/heads/{text}\nmark :{}\n", index + 1);
            script += &format!("committer C <c@example.com> {date} +0000\ndata {}\n{text}\n", text.len());
            for (at, parent) in parents.iter().enumerate() {
                script += &format!("{} :{}\n", if at == 0 { "from" } else { "merge" }, parent + 1);
            }
            script += "\n";
        }
        fixture.import(&script);
        let ids = fixture.git(&["for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads/"]);
        let mut ids: Vec<(usize, ContentHash)> = ids
            .lines()
            .map(|line| line[1..].split_once(' ').unwrap())
            .map(|(number, id)| (number.parse().unwrap(), hash(id)))
            .collect();
        ids.sort_unstable_by_key(|&(number, _)| number);
        ids.into_iter().map(|(_, id)| id).collect()
    }

    fn by_git(fixture: &Fixture, a: &ContentHash, b: &ContentHash) -> Option<ContentHash> {
        let (found, id, _) = fixture.try_git(&fixture.root, &["merge-base", &a.to_hex(), &b.to_hex()]);
        found.then(|| hash(&id))
    }

    #[test]
    fn merge_base_of_two_branches_is_where_they_parted() {
        let fixture = Fixture::new();
        let base = fixture.commit("base");
        fixture.git(&["checkout", "--quiet", "-b", "side"]);
        let side = fixture.commit("side");
        fixture.git(&["checkout", "--quiet", "main"]);
        let main = fixture.commit("main");
        let repo = fixture.open();
        assert_eq!(repo.merge_base(&main, &side).unwrap(), Some(base));
        assert_eq!(repo.merge_base(&main, &base).unwrap(), Some(base));
        assert_eq!(repo.merge_base(&main, &main).unwrap(), Some(main));
    }

    #[test]
    fn unrelated_histories_have_no_merge_base() {
        let fixture = Fixture::new();
        let main = fixture.commit("main");
        fixture.git(&["checkout", "--quiet", "--orphan", "other"]);
        let other = fixture.commit("other");
        assert_eq!(fixture.open().merge_base(&main, &other).unwrap(), None);
    }

    #[test]
    fn criss_cross_gives_the_one_that_git_gives() {
        for dates in [[1, 2, 3, 4, 5], [1, 3, 2, 4, 5], [1, 2, 2, 3, 3], [5, 4, 3, 2, 1], [1, 1, 1, 1, 1]] {
            let parents = [vec![], vec![0], vec![0], vec![1, 2], vec![2, 1]];
            let fixture = Fixture::new();
            let ids = import(&fixture, &dates.into_iter().zip(parents).collect::<Vec<_>>());
            let repo = fixture.open();
            for (a, b) in [(3, 4), (4, 3)] {
                let expected = by_git(&fixture, &ids[a], &ids[b]);
                assert!(expected == Some(ids[1]) || expected == Some(ids[2]));
                assert_eq!(repo.merge_base(&ids[a], &ids[b]).unwrap(), expected, "{dates:?}");
            }
        }
    }

    #[test]
    fn random_histories_with_wrong_clocks_agree_with_git() {
        let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut random = move |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below as u64) as usize
        };
        for round in 0..4 {
            let commits: Vec<(u64, Vec<usize>)> = (0..40)
                .map(|index: usize| {
                    let mut parents: Vec<usize> =
                        (0..random(4).min(index)).map(|_| index - 1 - random(index.min(7))).collect();
                    parents.sort_unstable();
                    parents.dedup();
                    (1000 + 10 * index as u64 + random(1 + 60 * round) as u64, parents)
                })
                .collect();
            let fixture = Fixture::new();
            let ids = import(&fixture, &commits);
            let repo = fixture.open();
            for _ in 0..40 {
                let (a, b) = (ids[20 + random(20)], ids[10 + random(30)]);
                assert_eq!(repo.merge_base(&a, &b).unwrap(), by_git(&fixture, &a, &b), "{a} {b}");
            }
            fixture.git(&["commit-graph", "write", "--reachable"]);
            let (a, b) = (ids[39], ids[38]);
            assert_eq!(repo.merge_base(&a, &b).unwrap(), by_git(&fixture, &a, &b), "with a commit-graph");
        }
    }

    #[test]
    fn history_ends_where_a_shallow_clone_was_cut() {
        let fixture = Fixture::new();
        let base = fixture.commit("base");
        fixture.git(&["checkout", "--quiet", "-b", "side"]);
        let side = fixture.commit("side");
        fixture.git(&["checkout", "--quiet", "main"]);
        let main = fixture.commit("main");
        let clone = fixture.beside("clone");
        let url = format!("file://{}", fixture.root.display());
        fixture.git(&["clone", "--quiet", "--depth=1", "--no-single-branch", &url, clone.to_str().unwrap()]);
        let repo = open(&clone);
        assert_eq!(repo.merge_base(&main, &side).unwrap(), None);
        assert_eq!(repo.merge_base(&main, &base).unwrap_err(), VcsError::MissingObject { hash: base });
    }

    #[test]
    fn what_is_not_a_commit_has_no_merge_base() {
        let fixture = Fixture::new();
        let commit = fixture.commit("one");
        let tree = fixture.id("HEAD^{tree}");
        let wrong = VcsError::WrongKind { hash: tree, found: "tree", wanted: "commit" };
        assert_eq!(fixture.open().merge_base(&commit, &tree).unwrap_err(), wrong);
    }
}
