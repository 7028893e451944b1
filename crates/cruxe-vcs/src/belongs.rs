//! Whether a git directory and a work tree belong together.
//!
//! What is in a `.git` that came with a folder is the word of whoever made it: `core.worktree = /etc`, a `.git` file or a
//! `commondir` that names somebody else's repository. So both sides have to say it: the work tree leads to the git directory,
//! and where that lies elsewhere, it leads back.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use cruxe_files::{Kind, Root};

use crate::error::VcsError;

/// A file with one path in it is not larger.
const LARGEST_LINK: u64 = 64 << 10;

/// Fails where the repository that was found from `start` is not that of the folder around `start`. All paths are canonical.
pub(crate) fn check(start: &Path, git_dir: &Path, common_dir: &Path, work_tree: Option<&Path>) -> Result<(), VcsError> {
    let foreign = |reason: String| Err(VcsError::Foreign { path: start.to_owned(), reason });
    let is_registered = common_dir.join("worktrees") == git_dir.parent().unwrap_or(git_dir);
    if common_dir != git_dir && !is_registered {
        return foreign(format!("`{}` uses the objects and branches of `{}`", git_dir.display(), common_dir.display()));
    }
    let Some(work_tree) = work_tree else {
        let of_folder = git_dir.file_name() == Some(OsStr::new(".git")) && start.starts_with(parent(git_dir));
        return match start.starts_with(git_dir) || of_folder {
            true => Ok(()),
            false => foreign(format!("its `.git` leads to `{}`, which has no work tree", git_dir.display())),
        };
    };
    if !start.starts_with(work_tree) && !start.starts_with(git_dir) {
        return foreign(format!("`{}` says that its work tree is `{}`", git_dir.display(), work_tree.display()));
    }
    match leads_to(work_tree) {
        Some(Way::Own) if git_dir == work_tree.join(".git") => Ok(()),
        Some(Way::Elsewhere(place)) if place == git_dir && leads_back(git_dir, work_tree) => Ok(()),
        Some(Way::Elsewhere(place)) if place == git_dir => {
            foreign(format!("its `.git` leads to `{}`, which is another work tree's", git_dir.display()))
        }
        _ => foreign(format!("`{}` says that its work tree is `{}`", git_dir.display(), work_tree.display())),
    }
}

/// Where a work tree's git directory is.
enum Way {
    /// In it.
    Own,
    /// Where its `.git` file says.
    Elsewhere(PathBuf),
}

fn leads_to(work_tree: &Path) -> Option<Way> {
    let root = Root::open(work_tree).ok()?;
    match root.meta(".git").ok()??.kind {
        Kind::Folder => Some(Way::Own),
        Kind::File => {
            let path = path_in(&root, ".git", "gitdir:")?;
            Some(Way::Elsewhere(fs::canonicalize(work_tree.join(path)).ok()?))
        }
        _ => None,
    }
}

fn leads_back(git_dir: &Path, work_tree: &Path) -> bool {
    let Ok(root) = Root::open(git_dir) else { return false };
    match root.meta("gitdir") {
        Ok(Some(_)) => path_in(&root, "gitdir", "")
            .and_then(|path| fs::canonicalize(git_dir.join(path)).ok())
            .is_some_and(|path| path == work_tree.join(".git")),
        // A submodule's says so with `core.worktree`, which was read already. One that was made with `--separate-git-dir` says
        // nothing; but what is called `.git` belongs to the folder it is in.
        _ => git_dir.file_name() != Some(OsStr::new(".git")) || parent(git_dir) == work_tree,
    }
}

fn path_in(root: &Root, name: &str, prefix: &str) -> Option<PathBuf> {
    let text = root.read_to_string(name, LARGEST_LINK).ok()?;
    let path = text.strip_prefix(prefix)?.trim();
    (!path.is_empty()).then(|| PathBuf::from(path))
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use crate::testing::{Fixture, open};
    use crate::{Repo, VcsError};
    use std::fs;
    use std::path::Path;

    fn refusal(path: &Path) -> String {
        match Repo::discover(path) {
            Err(VcsError::Foreign { reason, .. }) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_work_tree_that_lies_elsewhere_is_refused() {
        let fixture = Fixture::new();
        let other = fixture.beside("other");
        fs::create_dir(&other).unwrap();
        for place in [other.to_str().unwrap(), "/etc", "../../other", "..", "../.."] {
            fixture.git(&["config", "core.worktree", place]);
            if fs::canonicalize(fixture.root.join(".git").join(place)).unwrap() == fixture.root {
                assert_eq!(open(&fixture.root).work_tree(), Some(fixture.root.as_path()));
                continue;
            }
            for start in [fixture.root.clone(), fixture.root.join(".git")] {
                let reason = refusal(&start);
                assert!(reason.contains("says that its work tree is"), "{place}: {reason}");
            }
        }
    }

    #[test]
    fn a_git_file_that_leads_to_somebody_elses_repository_is_refused() {
        let secret = Fixture::new();
        secret.commit("one");
        secret.git(&["worktree", "add", "--quiet", "-b", "x", secret.beside("linked").to_str().unwrap()]);
        let bare = secret.beside("bare.git");
        secret.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
        let hostile = secret.beside("hostile");
        fs::create_dir(&hostile).unwrap();
        let git_dir = secret.root.join(".git");
        for target in [git_dir.clone(), git_dir.join("worktrees/linked"), bare.clone()] {
            fs::write(hostile.join(".git"), format!("gitdir: {}\n", target.display())).unwrap();
            refusal(&hostile);
        }
        #[cfg(unix)]
        {
            fs::remove_file(hostile.join(".git")).unwrap();
            std::os::unix::fs::symlink(&git_dir, hostile.join(".git")).unwrap();
            refusal(&hostile);
        }
    }

    #[test]
    fn a_common_directory_that_is_somebody_elses_is_refused() {
        let (secret, hostile) = (Fixture::new(), Fixture::new());
        secret.commit("one");
        let common = secret.root.join(".git");
        fs::write(hostile.root.join(".git/commondir"), common.to_str().unwrap()).unwrap();
        assert!(refusal(&hostile.root).contains("uses the objects and branches of"));
    }

    #[test]
    fn a_git_directory_that_was_put_elsewhere_belongs_to_its_work_tree() {
        let fixture = Fixture::new();
        let (tree, kept) = (fixture.beside("tree"), fixture.beside("kept"));
        let separate = format!("--separate-git-dir={}", kept.display());
        fixture.git(&["init", "--quiet", &separate, tree.to_str().unwrap()]);
        let repo = open(&tree);
        assert_eq!((repo.work_tree(), repo.git_dir()), (Some(tree.as_path()), kept.as_path()));
    }

    #[test]
    fn everything_that_is_read_of_a_repository_is_listed() {
        let (fixture, library) = (Fixture::new(), Fixture::new());
        let info = fixture.root.join(".git/objects/info");
        fs::create_dir_all(&info).unwrap();
        let objects = library.root.join(".git/objects");
        fs::write(info.join("alternates"), format!("{}\n", objects.display())).unwrap();
        let own = fixture.root.join(".git");
        let expected = [own.clone(), own.join("objects"), own.join("refs"), objects];
        assert_eq!(fixture.open().places().unwrap(), expected);
    }
}
