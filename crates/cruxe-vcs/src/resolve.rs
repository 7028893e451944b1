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
use crate::object::{content_hash, full_id, parent_of, peel_to_commit};
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
        let mut seen = HashSet::from([commit]);
        for Step { parent, times } in steps {
            for _ in 0..times {
                commit = parent_of(&repo, &commit, parent)?.ok_or_else(unknown)?;
                // What an object holds is not checked against its id, so a crafted commit may be its own parent.
                if !seen.insert(commit) {
                    let reason = "it is its own ancestor".to_owned();
                    return Err(VcsError::DamagedObject { hash: commit, reason });
                }
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
            commits.extend(peel_to_commit(repo, &content_hash(id.as_bytes()))?);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Fixture, open};

    fn resolved(name: &str, commit: ContentHash, kind: RefKind) -> Resolved {
        Resolved { name: name.into(), commit, kind }
    }

    #[test]
    fn every_spelling_of_a_ref_leads_to_one_name() {
        let fixture = Fixture::new();
        let one = fixture.commit("one");
        fixture.git(&["tag", "v1"]);
        fixture.git(&["tag", "--annotate", "v1-signed", "--message", "v1"]);
        fixture.git(&["tag", "--annotate", "v1-twice", "--message", "v1", "v1-signed"]);
        let two = fixture.commit("two");
        fixture.git(&["branch", "feat/auth", "HEAD~1"]);
        fixture.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
        let repo = fixture.open();
        for packed in [false, true] {
            if packed {
                fixture.git(&["gc", "--quiet"]);
            }
            for spec in ["main", "heads/main", "refs/heads/main", "HEAD", "@", "alias"] {
                assert_eq!(repo.resolve(spec).unwrap(), resolved("main", two, RefKind::Branch), "{spec}");
            }
            for spec in ["feat/auth", "heads/feat/auth", "refs/heads/feat/auth"] {
                assert_eq!(repo.resolve(spec).unwrap(), resolved("feat/auth", one, RefKind::Branch), "{spec}");
            }
            for spec in ["v1", "tags/v1", "refs/tags/v1"] {
                assert_eq!(repo.resolve(spec).unwrap(), resolved("v1", one, RefKind::Tag), "{spec}");
            }
            for spec in ["v1-signed", "v1-twice"] {
                assert_eq!(repo.resolve(spec).unwrap(), resolved(spec, one, RefKind::Tag));
            }
            let hex = one.to_hex();
            for spec in [hex.as_str(), &hex[..7], &hex[..4], &hex.to_uppercase(), "HEAD~1", "main^", "v1^{commit}"] {
                assert_eq!(repo.resolve(spec).unwrap(), resolved(&hex, one, RefKind::Commit), "{spec}");
            }
            let tag_object = fixture.id("refs/tags/v1-signed").to_hex();
            assert_eq!(repo.resolve(&tag_object).unwrap(), resolved(&hex, one, RefKind::Commit));
        }
    }

    #[test]
    fn remote_branches_keep_the_name_of_their_remote() {
        let fixture = Fixture::new();
        let one = fixture.commit("one");
        fixture.git(&["branch", "feat/auth"]);
        let clone = fixture.beside("clone");
        fixture.git(&["clone", "--quiet", ".", clone.to_str().unwrap()]);
        let repo = open(&clone);
        for spec in ["origin/feat/auth", "remotes/origin/feat/auth", "refs/remotes/origin/feat/auth"] {
            let expected = resolved("origin/feat/auth", one, RefKind::RemoteBranch);
            assert_eq!(repo.resolve(spec).unwrap(), expected, "{spec}");
        }
        for spec in ["origin", "origin/HEAD", "origin/main"] {
            assert_eq!(repo.resolve(spec).unwrap(), resolved("origin/main", one, RefKind::RemoteBranch), "{spec}");
        }
        assert_eq!(repo.resolve("feat/auth").unwrap_err(), VcsError::UnknownRef { spec: "feat/auth".into() });
        fixture.git_in(&clone, &["fetch", "--quiet", "origin", "feat/auth"]);
        assert_eq!(repo.resolve("FETCH_HEAD").unwrap(), resolved(&one.to_hex(), one, RefKind::Commit));
    }

    #[test]
    fn detached_head_resolves_to_its_commit_and_an_unborn_one_to_nothing() {
        let fixture = Fixture::new();
        let repo = fixture.open();
        assert_eq!(repo.resolve("HEAD").unwrap_err(), VcsError::UnknownRef { spec: "HEAD".into() });
        assert_eq!(repo.resolve("main").unwrap_err(), VcsError::UnknownRef { spec: "main".into() });
        let one = fixture.commit("one");
        fixture.git(&["checkout", "--quiet", "--detach"]);
        assert_eq!(repo.resolve("HEAD").unwrap(), resolved(&one.to_hex(), one, RefKind::Commit));
    }

    #[test]
    fn branch_wins_over_a_tag_of_the_same_name_and_both_keep_a_name_of_their_own() {
        let fixture = Fixture::new();
        let one = fixture.commit("one");
        fixture.git(&["tag", "main"]);
        let two = fixture.commit("two");
        let repo = fixture.open();
        assert_eq!(repo.resolve("main").unwrap(), resolved("main", two, RefKind::Branch));
        let tag = resolved("tags/main", one, RefKind::Tag);
        assert_eq!(repo.resolve("refs/tags/main").unwrap(), tag);
        assert_eq!(repo.resolve("tags/main").unwrap(), tag);
    }

    #[test]
    fn steps_follow_parents_as_git_does() {
        let fixture = Fixture::new();
        fixture.commit("one");
        fixture.git(&["checkout", "--quiet", "-b", "side"]);
        fixture.commit("side");
        fixture.git(&["checkout", "--quiet", "main"]);
        fixture.commit("two");
        fixture.git(&["merge", "--quiet", "--no-ff", "--message", "merge", "side"]);
        let repo = fixture.open();
        for spec in ["HEAD^", "HEAD^1", "HEAD^2", "HEAD^0", "HEAD~0", "HEAD~", "HEAD~2", "HEAD^2^", "main^2~1", "@^2"] {
            assert_eq!(repo.resolve(spec).unwrap().commit, fixture.id(spec), "{spec}");
        }
        for spec in ["HEAD^3", "HEAD~3", "HEAD~99999999999999999999999", "HEAD~18446744073709551615", "HEAD^{tree}"] {
            assert_eq!(repo.resolve(spec).unwrap_err(), VcsError::UnknownRef { spec: spec.into() }, "{spec}");
        }
    }

    #[test]
    fn short_id_of_several_commits_asks_for_more_digits() {
        let fixture = Fixture::new();
        let tree = fixture.commit("one");
        let tree = fixture.id(&format!("{tree}^{{tree}}")).to_hex();
        // Sixteen bits: among 2000 commits, two that begin alike are as good as certain.
        let script: String = (0..2000)
            .map(|n| {
                format!("commit refs/heads/c{n}\ncommitter C <c@example.com> {n} +0000\ndata 0\nM 040000 {tree} \n\n")
            })
            .collect();
        fixture.import(&script);
        let ids = fixture.git(&["rev-list", "--branches"]);
        let mut ids: Vec<&str> = ids.lines().collect();
        ids.sort_unstable();
        let pair = ids.windows(2).find(|pair| pair[0][..4] == pair[1][..4]).unwrap();
        let count = ids.iter().filter(|id| id[..4] == pair[0][..4]).count();
        let repo = fixture.open();
        let error = VcsError::AmbiguousCommit { spec: pair[0][..4].into(), count };
        assert_eq!(repo.resolve(&pair[0][..4]).unwrap_err(), error);
        assert_eq!(repo.resolve(&pair[0][..12]).unwrap().name, pair[0]);
    }

    #[test]
    fn hostile_texts_are_unknown_refs() {
        let fixture = Fixture::new();
        fixture.commit("one");
        fixture.write("a.txt", "x");
        fixture.commit("two");
        let repo = fixture.open();
        let long = "a".repeat(10_000);
        let long_path = "a/".repeat(5_000);
        let steps = "HEAD".to_owned() + &"^".repeat(10_000);
        let specs = [
            "",
            " ",
            "-",
            "--help",
            "-n1",
            "\0",
            "main\0",
            "main\n",
            "@{u}",
            "@{upstream}",
            "main@{1}",
            "@{-1}",
            "HEAD@{now}",
            "..",
            "../..",
            "refs/heads/..",
            "refs/heads/../../HEAD",
            "/etc/passwd",
            "refs",
            "refs/",
            "refs/heads",
            "refs/heads/",
            "main..HEAD",
            "^main",
            "~",
            "~1",
            "^",
            ":",
            ":/one",
            ":a.txt",
            "HEAD:a.txt",
            "HEAD^{/one}",
            "HEAD^{tree}",
            "HEAD^{",
            "HEAD~-1",
            "HEAD~é",
            "config",
            "objects",
            "*",
            "ma[i]n",
            "main.lock",
            "nul",
            "\u{202e}niam",
            "dead",
            "deadbeef",
            "0000000000000000000000000000000000000000",
            "+e69",
            &long,
            &long_path,
            &steps,
        ];
        for spec in specs {
            let error = repo.resolve(spec).unwrap_err();
            let VcsError::UnknownRef { spec: shown } = &error else { panic!("{spec:?}: {error}") };
            assert!(shown.len() <= 1000 && !shown.contains(char::is_control), "{spec:?}");
        }
        let blob = fixture.id("HEAD:a.txt").to_hex();
        for spec in [blob.as_str(), &blob[..10]] {
            assert_eq!(repo.resolve(spec).unwrap_err(), VcsError::UnknownRef { spec: spec.into() });
        }
    }
}
