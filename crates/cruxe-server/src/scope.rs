//! What a caller may see: which repositories, and of each which refs.
//!
//! A server for one user has [`Scope::all`]. A server for many gives every request the scope of whoever sent it
//! ([`AccessPolicy::with_scopes`](crate::http::AccessPolicy::with_scopes)). What is outside of it is not there: it is left out before anything
//! is opened, ranked or counted, and a question about it is answered as one about what does not exist.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cruxe_index::{IndexError, Layers, Project, View, Workspace};
use cruxe_store::{Job, RefState};
use cruxe_vcs::VcsError;

use crate::contract::ToolError;

/// What a caller may see.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// `None`: everything.
    bounds: Option<Arc<Bounds>>,
}

#[derive(Clone, Default, PartialEq, Eq)]
struct Bounds {
    /// Whose scope it is, so that nobody takes up another's session.
    holder: String,
    /// The roots of repositories, as they are registered.
    repositories: BTreeMap<PathBuf, Refs>,
    writes: bool,
}

/// Which refs of a repository may be seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refs {
    /// `None`: all, and any commit.
    patterns: Option<Vec<String>>,
}

impl Refs {
    /// Every ref, and any commit.
    pub fn all() -> Refs {
        Refs::default()
    }

    /// Branches and tags whose names match one of some patterns, in which `*` stands for any letters.
    pub fn matching<P: Into<String>>(patterns: impl IntoIterator<Item = P>) -> Refs {
        Refs { patterns: Some(patterns.into_iter().map(Into::into).collect()) }
    }

    /// Whether a ref may be seen. Where only some may, a commit or an expression (`main~3`) names none: it may lead anywhere.
    pub fn allow(&self, name: &str) -> bool {
        let Some(patterns) = &self.patterns else { return true };
        let is_commit = name.len() >= 4 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_plain = !name.contains(['~', '^', ':', '@', '{', '\\', '?', '*', '[', ' ']) && !name.contains("..");
        is_plain && !is_commit && patterns.iter().any(|pattern| matches(pattern, name))
    }
}

/// Whether a text matches a pattern in which `*` stands for any letters.
pub fn matches(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut left) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(last)
}

impl Scope {
    /// Everything, as for the one user of a machine.
    pub fn all() -> Scope {
        Scope::default()
    }

    /// Nothing yet, for somebody; `holder` tells callers apart (a token's id). It only reads.
    pub fn of(holder: impl Into<String>) -> Scope {
        Scope { bounds: Some(Arc::new(Bounds { holder: holder.into(), ..Bounds::default() })) }
    }

    /// The same with a repository, by its root as it is registered, and the refs of it that may be seen.
    pub fn with(self, root: impl Into<PathBuf>, refs: Refs) -> Scope {
        self.changed(|bounds| drop(bounds.repositories.insert(root.into(), refs)))
    }

    /// The same for somebody who may also call tools that change something.
    pub fn writing(self) -> Scope {
        self.changed(|bounds| bounds.writes = true)
    }

    fn changed(mut self, change: impl FnOnce(&mut Bounds)) -> Scope {
        if let Some(bounds) = &mut self.bounds {
            change(Arc::make_mut(bounds));
        }
        self
    }

    /// Whose it is; `None` where nobody is told apart.
    pub fn holder(&self) -> Option<&str> {
        self.bounds.as_ref().map(|bounds| bounds.holder.as_str())
    }

    /// Whether nothing is hidden.
    pub fn is_all(&self) -> bool {
        self.bounds.is_none()
    }

    /// Whether tools that change something may be called.
    pub fn may_write(&self) -> bool {
        self.bounds.as_ref().is_none_or(|bounds| bounds.writes)
    }

    /// Whether two scopes belong to the same caller.
    pub fn same_holder(&self, other: &Scope) -> bool {
        let holder = |scope: &Scope| scope.bounds.as_ref().map(|bounds| bounds.holder.clone());
        holder(self) == holder(other)
    }

    /// Whether the repository with this root may be seen.
    pub fn allows(&self, root: &Path) -> bool {
        self.bounds.as_ref().is_none_or(|bounds| bounds.repositories.contains_key(root))
    }

    /// The one repository that may be seen; `None` where there are more, or none.
    pub fn only(&self) -> Option<PathBuf> {
        let mut roots = self.bounds.as_ref()?.repositories.keys();
        roots.next().filter(|_| roots.next().is_none()).cloned()
    }

    /// Whether a path lies in a repository that may be seen, by its letters alone: nothing is looked at.
    pub fn covers(&self, path: &Path) -> bool {
        self.is_all() || path.ancestors().any(|folder| self.allows(folder))
    }

    /// The refs of a repository that may be seen; `None` where the repository may not.
    pub fn refs(&self, root: &Path) -> Option<Refs> {
        match &self.bounds {
            None => Some(Refs::all()),
            Some(bounds) => bounds.repositories.get(root).cloned(),
        }
    }

    /// Whether a ref of a repository may be seen.
    pub fn allows_ref(&self, root: &Path, name: &str) -> bool {
        self.refs(root).is_some_and(|refs| refs.allow(name))
    }

    /// Whether every ref of a repository may be seen.
    pub fn allows_all_refs(&self, root: &Path) -> bool {
        self.refs(root).is_some_and(|refs| refs.patterns.is_none())
    }

    /// The ref that a question means: the one that it names, else what is checked out, else, where that may not be seen, the
    /// first that may. `None` is what is checked out.
    pub fn ref_of(&self, workspace: &Workspace, asked: Option<String>) -> Result<Option<String>, ToolError> {
        let project = &workspace.project;
        let Some(refs) = self.refs(&project.root).filter(|refs| refs.patterns.is_some()) else { return Ok(asked) };
        if let Some(name) = asked {
            // Git reads `refs/heads/x` and `heads/x` as `x`: a pattern that matches what was written must not open what is meant.
            let is_its_name = |name: &str| project.resolve(Some(name)).is_ok_and(|(published, _)| published == name);
            let allowed = refs.allow(&name) && is_its_name(&name);
            return if allowed { Ok(Some(name)) } else { Err(unknown(project, name)) };
        }
        if project.current_ref().is_ok_and(|name| refs.allow(&name)) {
            return Ok(None);
        }
        let published = workspace.snapshot().and_then(|snapshot| snapshot.refs()).unwrap_or_default();
        let first = published.into_iter().map(|state| state.name).find(|name| refs.allow(name));
        first.map(Some).ok_or_else(|| unknown(project, "HEAD".to_owned()))
    }

    /// Fails where a ref that a question names may not be seen.
    pub(crate) fn check_ref(&self, workspace: &Workspace, name: &str) -> Result<(), ToolError> {
        self.ref_of(workspace, Some(name.to_owned())).map(drop)
    }

    /// Fails where what is checked out may not be seen: the files of the work tree belong to it.
    pub(crate) fn check_work_tree(&self, workspace: &Workspace) -> Result<(), ToolError> {
        match self.ref_of(workspace, None)? {
            None => Ok(()),
            Some(_) => Err(unknown(&workspace.project, "HEAD".to_owned())),
        }
    }

    /// The default branch of those that may be seen.
    pub(crate) fn default_branch(&self, workspace: &Workspace) -> Option<String> {
        workspace.default_branch_among(&|name| self.allows_ref(&workspace.project.root, name))
    }

    /// The branch that changes are compared with: the one that is named, else the default one.
    pub(crate) fn base_of(&self, workspace: &Workspace, asked: Option<String>) -> Result<Option<String>, ToolError> {
        match asked {
            Some(name) => self.ref_of(workspace, Some(name)),
            None if self.allows_all_refs(&workspace.project.root) => Ok(None),
            None => match self.default_branch(workspace) {
                Some(name) => Ok(Some(name)),
                None => Err(unknown(&workspace.project, "HEAD".to_owned())),
            },
        }
    }

    /// Which files of a ref are its own, compared with the default branch of those that may be seen.
    pub(crate) fn layers_of(&self, workspace: &Workspace, state: &RefState) -> Layers {
        workspace.layers_among(state, &|name| self.allows_ref(&workspace.project.root, name))
    }

    /// Which files of a view are its ref's own.
    pub(crate) fn layers(&self, workspace: &Workspace, view: &View) -> Layers {
        view.published.as_ref().map_or(Layers::None, |published| self.layers_of(workspace, &published.state))
    }

    /// Whether a job is about something that may be seen.
    pub(crate) fn allows_job(&self, workspace: &Workspace, job: &Job) -> bool {
        self.allows_ref(&workspace.project.root, &job.ref_name)
    }
}

/// The holder is nobody's business but the server's.
impl fmt::Debug for Scope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.bounds {
            None => out.write_str("Scope(all)"),
            Some(bounds) => write!(out, "Scope({} repositories)", bounds.repositories.len()),
        }
    }
}

/// What is said of a ref that there is not.
fn unknown(project: &Project, name: String) -> ToolError {
    match project.repo {
        Some(_) => IndexError::Vcs(VcsError::UnknownRef { spec: name }).into(),
        None => IndexError::RefNotIndexed(name).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_whole_names() {
        for (pattern, name, want) in [
            ("main", "main", true),
            ("main", "mainline", false),
            ("release/*", "release/1.2", true),
            ("release/*", "prerelease/1", false),
            ("*", "anything/at/all", true),
            ("v*.0", "v1.0", true),
            ("v*.0", "v1.0.1", false),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
        ] {
            assert_eq!(Refs::matching([pattern]).allow(name), want, "{pattern} {name}");
        }
    }

    #[test]
    fn where_some_refs_are_hidden_commits_and_expressions_name_none() {
        let some = Refs::matching(["*"]);
        for name in ["deadbeef", "main~3", "main^", "HEAD@{1}", "main:README.md", "a..b", "@"] {
            assert!(!some.allow(name), "{name}");
            assert!(Refs::all().allow(name), "{name}");
        }
        assert!(some.allow("feature/deadbeef"));
    }

    #[test]
    fn a_scope_has_what_it_was_given_and_nothing_else() {
        let scope = Scope::of("t1").with("/srv/a", Refs::all()).with("/srv/b", Refs::matching(["main"]));
        assert!(scope.allows(Path::new("/srv/a")) && !scope.allows(Path::new("/srv/c")));
        assert!(scope.covers(Path::new("/srv/a/src")) && !scope.covers(Path::new("/srv")));
        assert!(scope.allows_ref(Path::new("/srv/a"), "x") && !scope.allows_ref(Path::new("/srv/b"), "x"));
        assert!(!scope.allows_ref(Path::new("/srv/c"), "main"));
        assert!(!scope.may_write() && scope.clone().writing().may_write() && Scope::all().may_write());
        assert!(scope.same_holder(&Scope::of("t1")) && !scope.same_holder(&Scope::of("t2")));
        assert!(!scope.same_holder(&Scope::all()));
        assert_eq!(format!("{scope:?}"), "Scope(2 repositories)");
    }
}
