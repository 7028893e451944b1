//! The refs of a project: which layer a file belongs to, when a ref was last asked for.

use std::sync::Arc;

use cruxe_model::{ContentHash, RepoPath, SourceLayer};
use cruxe_store::RefState;
use jiff::{SignedDuration, Timestamp};

use crate::error::IndexError;
use crate::history::CommitTree;
use crate::workspace::Workspace;

/// Every question would otherwise write.
const TOUCH_EVERY: SignedDuration = SignedDuration::from_secs(60);

/// What a ref shares with the default branch.
#[derive(Clone)]
pub enum Layers {
    /// Outside git there are none.
    None,
    /// In git: the merge base with the default branch, where there is one.
    Git(Option<Arc<CommitTree>>),
}

impl Layers {
    /// The layer of a file with this content; `None` outside git.
    pub fn of(&self, path: &RepoPath, hash: &ContentHash) -> Option<SourceLayer> {
        match self {
            Layers::None => None,
            Layers::Git(Some(base)) if base.files.get(path) == Some(hash) => Some(SourceLayer::Base),
            Layers::Git(_) => Some(SourceLayer::Overlay),
        }
    }

    /// The merge base with the default branch.
    pub fn merge_base(&self) -> Option<ContentHash> {
        match self {
            Layers::Git(Some(base)) => Some(base.commit),
            _ => None,
        }
    }
}

impl Workspace {
    /// What a published ref shares with the default branch. A history that cannot be read shares nothing.
    pub fn layers(&self, state: &RefState) -> Layers {
        self.layers_among(state, &|_| true)
    }

    /// The same where no branches exist but those that are seen.
    pub fn layers_among(&self, state: &RefState, seen: &dyn Fn(&str) -> bool) -> Layers {
        let Some(repo) = &self.project.repo else { return Layers::None };
        let base = || -> Result<Option<Arc<CommitTree>>, IndexError> {
            let Some(commit) = state.commit.as_deref().and_then(ContentHash::from_hex) else { return Ok(None) };
            let base = match repo.default_branch_among(seen)? {
                Some(default) if default == state.name => Some(commit),
                Some(default) => self.history.merge_base(repo, &repo.resolve(&default)?.commit, &commit)?,
                None => None,
            };
            base.map(|base| self.history.tree(&self.project, &base)).transpose()
        };
        Layers::Git(base().unwrap_or_else(|problem| {
            tracing::warn!("{}: no merge base: {problem}", state.name);
            None
        }))
    }

    /// Where two commits meet, as `git merge-base` says it.
    pub fn merge_base(&self, a: &ContentHash, b: &ContentHash) -> Result<Option<ContentHash>, IndexError> {
        match &self.project.repo {
            Some(repo) => self.history.merge_base(repo, a, b),
            None => Ok(None),
        }
    }

    /// What a commit contains.
    pub fn commit_tree(&self, commit: &ContentHash) -> Result<Arc<CommitTree>, IndexError> {
        self.history.tree(&self.project, commit)
    }

    /// Notes now and then that a ref is asked for.
    pub(crate) fn touch(&self, ref_name: &str) {
        let touched = self.touched.lock();
        let recent = touched.get(ref_name).is_some_and(|last| Timestamp::now().duration_since(*last) < TOUCH_EVERY);
        drop(touched);
        if !recent {
            self.note_access(ref_name);
        }
    }

    /// Notes that a ref is asked for. That it cannot be noted is no reason to refuse an answer.
    pub fn note_access(&self, ref_name: &str) {
        let now = Timestamp::now();
        match self.project.store.jobs().touch(ref_name, now) {
            Ok(()) => {
                self.touched.lock().insert(ref_name.to_owned(), now);
            }
            Err(problem) => tracing::debug!("cannot note the use of {ref_name}: {problem}"),
        }
    }

    /// When a ref was last asked for or published, whichever is later.
    pub fn accessed_at(&self, state: &RefState) -> Timestamp {
        let noted = self.project.store.jobs().accessed(&state.name).ok().flatten();
        noted.unwrap_or(state.indexed_at).max(state.indexed_at)
    }

    /// The default branch; `None` outside git and where no branch stands out.
    pub fn default_branch(&self) -> Option<String> {
        self.default_branch_among(&|_| true)
    }

    /// The same where no branches exist but those that are seen.
    pub fn default_branch_among(&self, seen: &dyn Fn(&str) -> bool) -> Option<String> {
        self.project.repo.as_ref().and_then(|repo| repo.default_branch_among(seen).ok().flatten())
    }

    /// The refs that are checked out in any work tree of the repository.
    pub fn checked_out(&self) -> Vec<String> {
        let Some(repo) = &self.project.repo else { return self.project.current_ref().into_iter().collect() };
        let folders = repo.work_trees().unwrap_or_default();
        let heads = folders.iter().filter_map(|folder| cruxe_vcs::Repo::discover(folder).ok().flatten()?.head().ok());
        self.project.current_ref().into_iter().chain(heads.map(|head| head.ref_name)).collect()
    }
}
