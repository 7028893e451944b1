//! The current branch, the default branch, all branches.

use cruxe_model::ContentHash;
use gix::bstr::ByteSlice;

use crate::error::VcsError;
use crate::repo::Repo;

/// Where a work tree stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The short name of the branch, or the full commit id when no branch is checked out.
    pub ref_name: String,
    /// The commit; `None` on a branch that has none yet.
    pub commit: Option<ContentHash>,
    /// Whether a commit is checked out directly, without a branch.
    pub detached: bool,
}

pub(crate) const HEADS: &str = "refs/heads/";

impl Repo {
    /// Reads where the work tree stands now, whatever other processes did since the repository was opened.
    pub fn head(&self) -> Result<Head, VcsError> {
        let (name, commit) = self.refs().follow("HEAD")?;
        let name = name.as_bstr().to_str_lossy();
        Ok(match commit {
            Some(id) if name == "HEAD" => Head { ref_name: id.to_hex(), commit, detached: true },
            _ => Head { ref_name: name.strip_prefix(HEADS).unwrap_or(&name).to_owned(), commit, detached: false },
        })
    }

    /// Finds the branch that others are compared with; `None` when no branch has a commit or none stands out.
    ///
    /// In this order, the first that exists locally: the branch `origin` has as its default, `init.defaultBranch`,
    /// `main`, `master`, `trunk`, the current branch, the only branch.
    pub fn default_branch(&self) -> Result<Option<String>, VcsError> {
        self.default_branch_among(&|_| true)
    }

    /// The same where no branches exist but those that are seen.
    pub fn default_branch_among(&self, seen: &dyn Fn(&str) -> bool) -> Result<Option<String>, VcsError> {
        let (origin, _) = self.refs().follow("refs/remotes/origin/HEAD")?;
        let origin = origin.as_bstr().to_str().ok().and_then(|name| name.strip_prefix("refs/remotes/origin/"));
        let configured = self.local().config_snapshot().string("init.defaultBranch").map(|name| name.to_string());
        let head = self.head()?;
        let current = (!head.detached).then_some(head.ref_name.as_str());
        let candidates =
            [origin, configured.as_deref(), Some("main"), Some("master"), Some("trunk"), current].into_iter().flatten();
        for name in candidates {
            if seen(name) && self.refs().exists(&format!("{HEADS}{name}"))? {
                return Ok(Some(name.to_owned()));
            }
        }
        let mut branches = self.branches()?;
        branches.retain(|name| seen(name));
        Ok(if branches.len() == 1 { branches.pop() } else { None })
    }

    /// The address that the repository was cloned from, as its configuration has it.
    pub fn remote_url(&self) -> Option<String> {
        self.local().config_snapshot().string("remote.origin.url").map(|url| url.to_string())
    }

    /// Lists the short names of the local branches, sorted.
    pub fn branches(&self) -> Result<Vec<String>, VcsError> {
        Ok(self.refs().names_under(HEADS)?.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::{Fixture, open};

    fn on_branch(name: &str, commit: ContentHash) -> Head {
        Head { ref_name: name.into(), commit: Some(commit), detached: false }
    }

    #[test]
    fn head_without_a_commit_is_a_branch_without_one() {
        let fixture = Fixture::new();
        let head = fixture.open().head().unwrap();
        assert_eq!(head, Head { ref_name: "main".into(), commit: None, detached: false });
    }

    #[test]
    fn detached_head_is_named_by_its_commit() {
        let fixture = Fixture::new();
        let one = fixture.commit("one");
        fixture.git(&["checkout", "--quiet", "--detach"]);
        let head = fixture.open().head().unwrap();
        assert_eq!(head, Head { ref_name: one.to_hex(), commit: Some(one), detached: true });
    }

    #[test]
    fn head_sees_what_other_processes_do() {
        let fixture = Fixture::new();
        let repo = fixture.open();
        let one = fixture.commit("one");
        assert_eq!(repo.head().unwrap(), on_branch("main", one));
        let two = fixture.commit("two");
        assert_eq!(repo.head().unwrap(), on_branch("main", two));
        fixture.git(&["checkout", "--quiet", "-b", "feat/auth", "HEAD~1"]);
        assert_eq!(repo.head().unwrap(), on_branch("feat/auth", one));
        fixture.git(&["pack-refs", "--all", "--prune"]);
        assert!(!fixture.root.join(".git/refs/heads/feat/auth").exists());
        assert_eq!(repo.head().unwrap(), on_branch("feat/auth", one));
        fixture.git(&["checkout", "--quiet", "main"]);
        assert_eq!(repo.head().unwrap(), on_branch("main", two));
        let three = fixture.commit("three");
        assert_eq!(repo.head().unwrap(), on_branch("main", three));
        fixture.git(&["pack-refs", "--all", "--prune"]);
        assert_eq!(repo.head().unwrap(), on_branch("main", three));
        fixture.git(&["branch", "-m", "main", "trunk"]);
        assert_eq!(repo.head().unwrap(), on_branch("trunk", three));
    }

    #[test]
    fn replaced_packed_refs_are_seen_even_with_the_same_size_and_time() {
        let fixture = Fixture::new();
        let one = fixture.commit("one");
        let two = fixture.commit("two");
        fixture.git(&["pack-refs", "--all", "--prune"]);
        let repo = fixture.open();
        assert_eq!(repo.head().unwrap().commit, Some(two));
        let path = fixture.root.join(".git/packed-refs");
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        // As git does it: write a new file, then rename it.
        for commit in [one, two, one] {
            let old = repo.head().unwrap().commit.unwrap();
            let text = fs::read_to_string(&path).unwrap().replace(&old.to_hex(), &commit.to_hex());
            let lock = path.with_extension("lock");
            fs::write(&lock, text).unwrap();
            fs::File::open(&lock).unwrap().set_modified(modified).unwrap();
            fs::rename(&lock, &path).unwrap();
            assert_eq!(repo.head().unwrap().commit, Some(commit));
        }
        fs::remove_file(&path).unwrap();
        assert_eq!(repo.head().unwrap().commit, None);
    }

    #[test]
    fn damaged_head_is_an_error_that_names_it() {
        let fixture = Fixture::new();
        fixture.commit("one");
        let repo = fixture.open();
        for text in ["", "nonsense", "ref: refs/heads/../../../../etc/passwd", "ref: HEAD"] {
            fs::write(fixture.root.join(".git/HEAD"), text).unwrap();
            let error = repo.head().unwrap_err();
            assert!(matches!(&error, VcsError::DamagedRef { name, .. } if name == "HEAD"), "{text}: {error}");
        }
    }

    #[test]
    fn branches_are_listed_once_whether_loose_or_packed() {
        let fixture = Fixture::new();
        let repo = fixture.open();
        assert_eq!(repo.branches().unwrap(), [] as [&str; 0]);
        fixture.commit("one");
        for name in ["zeta", "feat/auth", "feat/ünï"] {
            fixture.git(&["branch", name]);
        }
        fixture.git(&["tag", "v1"]);
        fixture.git(&["pack-refs", "--all", "--prune"]);
        fixture.git(&["branch", "feat/late"]);
        fixture.git(&["branch", "--force", "zeta", "main"]);
        assert_eq!(repo.branches().unwrap(), ["feat/auth", "feat/late", "feat/ünï", "main", "zeta"]);
        fixture.git(&["branch", "--delete", "--force", "zeta", "feat/auth"]);
        assert_eq!(repo.branches().unwrap(), ["feat/late", "feat/ünï", "main"]);
    }

    #[test]
    fn default_branch_is_the_first_of_the_usual_ones_that_exists() {
        let fixture = Fixture::new();
        // The configuration of whoever runs the tests must not matter.
        fixture.git(&["config", "init.defaultBranch", "none"]);
        assert_eq!(fixture.open().default_branch().unwrap(), None);
        fixture.commit("one");
        fixture.git(&["branch", "-m", "topic"]);
        assert_eq!(fixture.open().default_branch().unwrap().as_deref(), Some("topic"));
        fixture.git(&["branch", "other"]);
        assert_eq!(fixture.open().default_branch().unwrap().as_deref(), Some("topic"));
        fixture.git(&["checkout", "--quiet", "--detach"]);
        assert_eq!(fixture.open().default_branch().unwrap(), None);
        fixture.git(&["branch", "--delete", "--force", "other"]);
        assert_eq!(fixture.open().default_branch().unwrap().as_deref(), Some("topic"));
        for name in ["trunk", "master", "main"] {
            fixture.git(&["branch", name]);
            assert_eq!(fixture.open().default_branch().unwrap().as_deref(), Some(name));
        }
        let without = |hidden: &[&str]| fixture.open().default_branch_among(&|name| !hidden.contains(&name)).unwrap();
        assert_eq!(without(&["main"]).as_deref(), Some("master"), "as if there were no main");
        assert_eq!(without(&["main", "master", "trunk"]).as_deref(), Some("topic"));
        fixture.git(&["config", "init.defaultBranch", "topic"]);
        assert_eq!(fixture.open().default_branch().unwrap().as_deref(), Some("topic"));
    }

    #[test]
    fn default_branch_of_a_clone_is_that_of_its_origin() {
        let fixture = Fixture::new();
        fixture.commit("one");
        fixture.git(&["branch", "develop"]);
        fixture.git(&["checkout", "--quiet", "develop"]);
        let clone = fixture.beside("clone");
        fixture.git(&["clone", "--quiet", ".", clone.to_str().unwrap()]);
        fixture.git_in(&clone, &["config", "init.defaultBranch", "none"]);
        fixture.git_in(&clone, &["branch", "main"]);
        let repo = open(&clone);
        assert_eq!(repo.default_branch().unwrap().as_deref(), Some("develop"));
        fixture.git_in(&clone, &["checkout", "--quiet", "main"]);
        fixture.git_in(&clone, &["branch", "--delete", "--force", "develop"]);
        assert_eq!(repo.default_branch().unwrap().as_deref(), Some("main"));
    }
}
