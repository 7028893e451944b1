//! Finding and opening a repository.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix::discover::upwards;
use gix::sec::Permission;

use crate::error::{VcsError, reason};
use crate::refs::Refs;

/// An opened repository; cheap to clone and to share between threads.
#[derive(Clone)]
pub struct Repo(Arc<Inner>);

struct Inner {
    gix: gix::ThreadSafeRepository,
    refs: Refs,
    work_tree: Option<PathBuf>,
}

/// How a repository names its objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectFormat {
    /// 20 bytes, git's default.
    Sha1,
    /// 32 bytes, `git init --object-format=sha256`.
    Sha256,
}

impl Repo {
    /// Finds the repository that `path` belongs to, searching upward; `None` outside git.
    ///
    /// Work trees, linked work trees, submodules and bare repositories are all found. As with git, the search stops
    /// at a file system boundary. Who owns the repository does not matter, because nothing in it is ever run.
    pub fn discover(path: &Path) -> Result<Option<Repo>, VcsError> {
        let start = canonical(path)?;
        let start = if start.is_dir() { start.as_path() } else { start.parent().unwrap_or(&start) };
        let trust = gix::sec::trust::Mapping { full: open_options(), reduced: open_options() };
        let found = match gix::ThreadSafeRepository::discover_opts(start, upwards::Options::default(), trust) {
            Ok(gix) => Some(Repo::new(gix)?),
            Err(error) if is_outside_git(&error) => None,
            Err(error) => return Err(VcsError::Open { path: path.to_owned(), reason: reason(&error) }),
        };
        refuse_dangling_git_file(start, found.as_ref())?;
        Ok(found)
    }

    fn new(gix: gix::ThreadSafeRepository) -> Result<Repo, VcsError> {
        let git_dir = canonical(gix.git_dir())?;
        let common_dir = gix.common_dir.as_deref().map_or_else(|| Ok(git_dir.clone()), canonical)?;
        let work_tree = gix.work_tree.as_deref().map(canonical).transpose()?;
        if common_dir.join("reftable").is_dir() {
            return Err(VcsError::Reftable { git_dir: common_dir });
        }
        let refs = Refs::new(git_dir, common_dir, gix.refs.object_hash());
        Ok(Repo(Arc::new(Inner { gix, refs, work_tree })))
    }

    /// The folder with the checked-out files, as a canonical path; `None` for a bare repository.
    pub fn work_tree(&self) -> Option<&Path> {
        self.0.work_tree.as_deref()
    }

    /// The directory that holds this work tree's `HEAD`, as a canonical path.
    pub fn git_dir(&self) -> &Path {
        &self.refs().git_dir
    }

    /// The directory that holds the objects and branches, as a canonical path; all linked work trees share it.
    pub fn common_dir(&self) -> &Path {
        &self.refs().common_dir
    }

    /// How this repository names its objects.
    pub fn object_format(&self) -> ObjectFormat {
        match self.refs().format {
            gix::hash::Kind::Sha256 => ObjectFormat::Sha256,
            _ => ObjectFormat::Sha1,
        }
    }

    /// Whether history is cut off at some depth.
    pub fn is_shallow(&self) -> bool {
        fs::metadata(self.common_dir().join("shallow")).is_ok_and(|file| file.is_file() && file.len() > 0)
    }

    /// Lists the folders of the main and the linked work trees that exist, main first, as canonical paths.
    pub fn work_trees(&self) -> Result<Vec<PathBuf>, VcsError> {
        let failed = |error: gix::Error| VcsError::Open { path: self.common_dir().to_owned(), reason: reason(&error) };
        let local = self.local();
        let main = local.main_repo().map_err(failed)?;
        let linked = local.worktrees().map_err(failed)?;
        // A linked work tree whose folder was deleted stays registered until `git worktree prune`.
        let folders = main.workdir().map(Path::to_owned).into_iter();
        let folders = folders.chain(linked.iter().filter_map(|proxy| proxy.base().ok()));
        Ok(folders.filter_map(|folder| fs::canonicalize(folder).ok()).collect())
    }

    pub(crate) fn refs(&self) -> &Refs {
        &self.0.refs
    }

    /// A handle with its own caches, for one thread.
    pub(crate) fn local(&self) -> gix::Repository {
        self.0.gix.to_thread_local()
    }
}

impl fmt::Debug for Repo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Repo").field(&self.git_dir()).finish()
    }
}

fn canonical(path: &Path) -> Result<PathBuf, VcsError> {
    fs::canonicalize(path).map_err(|error| VcsError::read(path, &error))
}

fn open_options() -> gix::open::Options {
    use gix::open::permissions::{Attributes, Config, Environment};
    let permissions = gix::open::Permissions {
        // Not `GIT_*`: a process started from a git hook inherits `GIT_DIR` and `GIT_WORK_TREE` of another question.
        env: Environment { home: Permission::Allow, xdg_config_home: Permission::Allow, ..Environment::isolated() },
        // The user's configuration is read for `init.defaultBranch`. Includes are not followed, because those of
        // the repository could name any file or pipe of this machine.
        config: Config { system: true, git: true, user: true, ..Config::isolated() },
        attributes: Attributes::isolated(),
    };
    gix::open::Options::default()
        .permissions(permissions)
        .config_overrides([
            // Facts are kept under the blob's id, so that id has to mean the blob and never its `git replace`ment.
            "core.useReplaceRefs=false",
            // An object that claims to be larger than this is an attack. The default for repositories of other users
            // is 16 MB, which real projects exceed.
            "gitoxide.objects.allocLimit=1g",
        ])
        // The number of packs that may appear while the repository stays open: a fetch can add one each time.
        .object_store_slots(gix::odb::store::init::Slots::AsNeededByDiskState { multiplier: 2.0, minimum: 256 })
}

fn is_outside_git(error: &gix::Error) -> bool {
    use upwards::Error::{NoGitRepository, NoGitRepositoryWithinCeiling, NoGitRepositoryWithinFs};
    matches!(
        error.downcast_any_ref::<upwards::Error>(),
        Some(NoGitRepository { .. } | NoGitRepositoryWithinCeiling { .. } | NoGitRepositoryWithinFs { .. })
    )
}

/// Fails when the search walked past a `.git` file that leads nowhere.
///
/// Git stops there too. Going on would attribute an orphaned linked work tree to the repository it happens to lie in.
fn refuse_dangling_git_file(start: &Path, found: Option<&Repo>) -> Result<(), VcsError> {
    for folder in start.ancestors() {
        let dot_git = folder.join(".git");
        let reached = found.is_some_and(|repo| {
            repo.work_tree() == Some(folder)
                || repo.git_dir() == folder
                || fs::canonicalize(&dot_git).is_ok_and(|path| path == repo.git_dir())
        });
        if reached {
            break;
        }
        if dot_git.is_file() {
            return Err(VcsError::DanglingGitFile { path: dot_git });
        }
    }
    Ok(())
}

