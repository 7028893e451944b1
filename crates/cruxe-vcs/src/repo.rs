//! Finding and opening a repository.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix::discover::upwards;
use gix::sec::Permission;

use crate::belongs;
use crate::error::{VcsError, reason};
use crate::guard;
use crate::index;
use crate::refs::Refs;

/// An opened repository; cheap to clone and to share between threads.
#[derive(Clone)]
pub struct Repo(Arc<Inner>);

struct Inner {
    gix: gix::ThreadSafeRepository,
    refs: Refs,
    index: index::Cache,
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
        guard::check_upwards(start)?;
        let trust = gix::sec::trust::Mapping { full: open_options(), reduced: open_options() };
        let found = match gix::ThreadSafeRepository::discover_opts(start, upwards::Options::default(), trust) {
            Ok(gix) => Some(Repo::new(gix, start)?),
            Err(error) if is_outside_git(&error) => None,
            Err(error) => return Err(VcsError::Open { path: path.to_owned(), reason: reason(&error) }),
        };
        refuse_dangling_git_file(start, found.as_ref())?;
        Ok(found)
    }

    fn new(gix: gix::ThreadSafeRepository, start: &Path) -> Result<Repo, VcsError> {
        let git_dir = canonical(gix.git_dir())?;
        let common_dir = gix.common_dir.as_deref().map_or_else(|| Ok(git_dir.clone()), canonical)?;
        let work_tree = gix.work_tree.as_deref().map(canonical).transpose()?;
        belongs::check(start, &git_dir, &common_dir, work_tree.as_deref())?;
        if common_dir.join("reftable").is_dir() {
            return Err(VcsError::Reftable { git_dir: common_dir });
        }
        let refs = Refs::new(git_dir, common_dir, gix.objects.object_hash());
        Ok(Repo(Arc::new(Inner { gix, refs, index: index::Cache::default(), work_tree })))
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

    /// Lists the folders that its history is read from, as canonical paths: whoever may read only some folders has to look at
    /// all of them.
    pub fn places(&self) -> Result<Vec<PathBuf>, VcsError> {
        let mut places = vec![self.git_dir().to_owned(), self.common_dir().to_owned()];
        let objects = canonical(&self.common_dir().join("objects"))?;
        let failed =
            |problem: &dyn std::error::Error| VcsError::read(&objects, &std::io::Error::other(problem.to_string()));
        let others =
            gix::odb::alternate::resolve(objects.clone(), Path::new("/")).map_err(|problem| failed(&problem))?;
        places.push(objects.clone());
        places.push(canonical(&self.common_dir().join("refs"))?);
        // One that is not there is not read either.
        places.extend(others.iter().filter_map(|place| fs::canonicalize(place).ok()));
        places.dedup();
        Ok(places)
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
        guard::check_work_trees(self.common_dir())?;
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

    pub(crate) fn index_cache(&self) -> &index::Cache {
        &self.0.index
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
        // Beyond a file system boundary the file may well be in order, but the search did not go there.
        if dot_git.is_file() && gix::discover::is_git(&dot_git).is_err() {
            return Err(VcsError::DanglingGitFile { path: dot_git });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Fixture, open};

    #[test]
    fn repo_can_be_shared_between_threads() {
        fn shared<T: Send + Sync + Clone>() {}
        shared::<Repo>();
    }

    #[test]
    fn path_outside_git_has_no_repository() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Repo::discover(dir.path()).unwrap().is_none());
    }

    #[test]
    fn path_that_does_not_exist_is_an_error_that_names_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("gone");
        let error = Repo::discover(&path).unwrap_err();
        assert!(matches!(&error, VcsError::Read { path: named, .. } if *named == path), "{error}");
    }

    #[test]
    fn folders_and_files_lead_to_the_work_tree_that_holds_them() {
        let fixture = Fixture::new();
        fixture.write("src/deep/a.rs", "");
        for path in ["", "src/deep", "src/deep/a.rs", ".git", ".git/objects"] {
            let repo = open(&fixture.root.join(path));
            assert_eq!(repo.work_tree(), Some(fixture.root.as_path()), "{path}");
            assert_eq!(repo.git_dir(), fixture.root.join(".git"));
            assert_eq!(repo.common_dir(), fixture.root.join(".git"));
            assert_eq!(repo.object_format(), ObjectFormat::Sha1);
            assert!(!repo.is_shallow());
        }
    }

    #[cfg(unix)]
    #[test]
    fn paths_through_a_symbolic_link_are_canonical() {
        let fixture = Fixture::new();
        let link = fixture.beside("link");
        std::os::unix::fs::symlink(&fixture.root, &link).unwrap();
        let repo = open(&link);
        assert_eq!(repo.work_tree(), Some(fixture.root.as_path()));
        assert_eq!(repo.common_dir(), fixture.root.join(".git"));
    }

    #[test]
    fn linked_work_tree_shares_the_common_dir_and_has_its_own_head() {
        let fixture = Fixture::new();
        fixture.commit("one");
        let linked = fixture.beside("linked");
        fixture.git(&["worktree", "add", "--quiet", "-b", "feat/x", linked.to_str().unwrap()]);
        let (main, linked_repo) = (fixture.open(), open(&linked));
        assert_eq!(linked_repo.work_tree(), Some(linked.as_path()));
        assert_eq!(linked_repo.common_dir(), main.common_dir());
        assert_eq!(linked_repo.git_dir(), fixture.root.join(".git/worktrees/linked"));
        assert_eq!(main.head().unwrap().ref_name, "main");
        assert_eq!(linked_repo.head().unwrap().ref_name, "feat/x");
        assert_eq!(linked_repo.resolve("HEAD").unwrap().name, "feat/x");
        for repo in [&main, &linked_repo] {
            assert_eq!(repo.work_trees().unwrap(), [fixture.root.clone(), linked.clone()]);
        }
        fs::remove_dir_all(&linked).unwrap();
        assert_eq!(main.work_trees().unwrap(), std::slice::from_ref(&fixture.root));
    }

    #[test]
    fn bare_repository_has_no_work_tree_but_linked_ones() {
        let fixture = Fixture::new();
        let commit = fixture.commit("one");
        let bare = fixture.beside("bare.git");
        fixture.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
        let repo = open(&bare);
        assert_eq!(repo.work_tree(), None);
        assert_eq!(repo.git_dir(), bare);
        assert_eq!(repo.head().unwrap().commit, Some(commit));
        assert_eq!(repo.work_trees().unwrap(), [] as [PathBuf; 0]);

        let linked = fixture.beside("linked");
        fixture.git_in(&bare, &["worktree", "add", "--quiet", "-b", "x", linked.to_str().unwrap()]);
        let repo = open(&linked);
        assert_eq!((repo.work_tree(), repo.common_dir()), (Some(linked.as_path()), bare.as_path()));
        assert_eq!(repo.work_trees().unwrap(), [linked]);
    }

    #[test]
    fn submodule_is_a_repository_of_its_own() {
        let library = Fixture::new();
        library.commit("library");
        let fixture = Fixture::new();
        let url = library.root.to_str().unwrap();
        fixture.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "lib"]);
        fixture.commit("with library");
        let repo = open(&fixture.root.join("lib"));
        assert_eq!(repo.work_tree(), Some(fixture.root.join("lib").as_path()));
        assert_eq!(repo.common_dir(), fixture.root.join(".git/modules/lib"));
        assert_eq!(repo.head().unwrap().commit, Some(library.id("HEAD")));
        assert_eq!(repo.work_trees().unwrap(), [fixture.root.join("lib")]);
    }

    #[test]
    fn orphaned_linked_work_tree_is_not_taken_for_a_part_of_the_repository_around_it() {
        let fixture = Fixture::new();
        fixture.commit("one");
        let linked = fixture.root.join("linked");
        fixture.git(&["worktree", "add", "--quiet", "linked"]);
        fs::remove_dir_all(fixture.root.join(".git/worktrees")).unwrap();
        let error = Repo::discover(&linked).unwrap_err();
        assert_eq!(error, VcsError::DanglingGitFile { path: linked.join(".git") });
        assert_eq!(fixture.open().work_tree(), Some(fixture.root.as_path()));
    }

    #[test]
    fn reftable_is_refused_with_the_way_out() {
        let fixture = Fixture::new();
        let other = fixture.beside("reftable");
        fs::create_dir(&other).unwrap();
        // Before 2.45, git has no reftable and nothing can go wrong.
        if fixture.try_git(&other, &["init", "--quiet", "--ref-format=reftable", "."]).0 {
            let error = Repo::discover(&other).unwrap_err();
            assert_eq!(error, VcsError::Reftable { git_dir: other.join(".git") });
        }
    }

    #[test]
    fn damaged_configuration_is_an_error_not_a_folder_outside_git() {
        let fixture = Fixture::new();
        fs::write(fixture.root.join(".git/config"), "[core\n").unwrap();
        let error = Repo::discover(&fixture.root).unwrap_err();
        assert!(matches!(&error, VcsError::Open { path, .. } if *path == fixture.root), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn repository_of_another_user_is_read() {
        let fixture = Fixture::new();
        fixture.write("large.txt", &"x".repeat(17 << 20));
        let commit = fixture.commit("one");
        let mut pending = vec![fixture.root.clone()];
        while let Some(path) = pending.pop() {
            // Only root can give files away; for others there is nothing to test.
            if std::os::unix::fs::lchown(&path, Some(12345), Some(12345)).is_err() {
                return;
            }
            if path.is_dir() && !path.is_symlink() {
                pending.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            }
        }
        assert!(!fixture.try_git(&fixture.root, &["status"]).0, "git itself refuses");
        let repo = fixture.open();
        assert_eq!(repo.work_tree(), Some(fixture.root.as_path()));
        assert_eq!(repo.head().unwrap().commit, Some(commit));
        let file = &repo.tree_files(&commit).unwrap().files[0];
        assert_eq!(repo.read_blob(&file.hash, u64::MAX).unwrap(), crate::Blob::Data(vec![b'x'; 17 << 20]));
    }

    #[test]
    fn shallow_clone_is_told_apart() {
        let fixture = Fixture::new();
        fixture.commit("one");
        let two = fixture.commit("two");
        let clone = fixture.beside("clone");
        let url = format!("file://{}", fixture.root.display());
        fixture.git(&["clone", "--quiet", "--depth=1", &url, clone.to_str().unwrap()]);
        let repo = open(&clone);
        assert!(repo.is_shallow());
        assert_eq!(repo.head().unwrap().commit, Some(two));
        assert_eq!(repo.resolve("HEAD~1").unwrap_err(), VcsError::MissingObject { hash: fixture.id("HEAD~1") });
        fixture.git_in(&clone, &["fetch", "--quiet", "--unshallow"]);
        assert!(!repo.is_shallow());
        assert_eq!(repo.resolve("HEAD~1").unwrap().commit, fixture.id("HEAD~1"));
    }

    #[test]
    fn sha256_repository_is_read_like_any_other() {
        let mut fixture = Fixture::new();
        let other = fixture.beside("sha256");
        fs::create_dir(&other).unwrap();
        let init = ["init", "--quiet", "--initial-branch=main", "--object-format=sha256", "."];
        if !fixture.try_git(&other, &init).0 {
            return;
        }
        fixture.root = other;
        fixture.write("src/a.txt", "hello\n");
        let one = fixture.commit("one");
        fixture.git(&["tag", "--annotate", "v1", "--message", "v1"]);
        let two = fixture.commit("two");
        let repo = fixture.open();
        assert_eq!(repo.object_format(), ObjectFormat::Sha256);
        assert_eq!(two.as_bytes().len(), 32);
        for packed in [false, true] {
            if packed {
                fixture.git(&["gc", "--quiet"]);
            }
            assert_eq!(repo.head().unwrap().commit, Some(two));
            assert_eq!(repo.resolve("v1").unwrap().commit, one);
            assert_eq!(repo.resolve(&one.to_hex()[..9]).unwrap().commit, one);
            assert_eq!(repo.merge_base(&one, &two).unwrap(), Some(one));
            let listing = repo.tree_files(&one).unwrap();
            let blob = crate::hash_blob(ObjectFormat::Sha256, b"hello\n");
            assert_eq!(listing.files.iter().map(|file| file.hash).collect::<Vec<_>>(), [blob]);
            assert_eq!(repo.read_blob(&blob, 6).unwrap(), crate::Blob::Data(b"hello\n".to_vec()));
        }
        let foreign = crate::hash_blob(ObjectFormat::Sha1, b"hello\n");
        assert_eq!(repo.read_blob(&foreign, 6).unwrap_err(), VcsError::MissingObject { hash: foreign });
        assert_eq!(repo.merge_base(&foreign, &two).unwrap_err(), VcsError::MissingObject { hash: foreign });
    }
}
