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
        let (origin, _) = self.refs().follow("refs/remotes/origin/HEAD")?;
        let origin = origin.as_bstr().to_str().ok().and_then(|name| name.strip_prefix("refs/remotes/origin/"));
        let configured = self.local().config_snapshot().string("init.defaultBranch").map(|name| name.to_string());
        let head = self.head()?;
        let current = (!head.detached).then_some(head.ref_name.as_str());
        let candidates =
            [origin, configured.as_deref(), Some("main"), Some("master"), Some("trunk"), current].into_iter().flatten();
        for name in candidates {
            if self.refs().exists(&format!("{HEADS}{name}"))? {
                return Ok(Some(name.to_owned()));
            }
        }
        let mut branches = self.branches()?;
        Ok(if branches.len() == 1 { branches.pop() } else { None })
    }

    /// Lists the short names of the local branches, sorted.
    pub fn branches(&self) -> Result<Vec<String>, VcsError> {
        Ok(self.refs().names_under(HEADS)?.into_iter().collect())
    }
}
