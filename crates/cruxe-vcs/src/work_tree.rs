//! Linked work trees of our own: made, moved to another commit and removed without the git program.
//!
//! They are git's own kind: a folder whose `.git` file names a folder below `worktrees` of the git directory, which
//! holds the `HEAD` and the index of that work tree alone. `git worktree list` and `git worktree remove` know them.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use cruxe_model::ContentHash;

use crate::checkout::{self, LIMITS, Plan, Stats, is_folder, place_of};
use crate::error::VcsError;
use crate::guard;
use crate::repo::Repo;

/// How many work trees of one name there may be.
const MAX_ALIKE: usize = 1000;

impl Repo {
    /// Makes a linked work tree in `folder`, where nothing stands yet: the files of a commit, and on no branch.
    pub fn add_work_tree(&self, folder: &Path, commit: &ContentHash) -> Result<(), VcsError> {
        let plan = checkout::plan(&self.local(), commit, LIMITS)?;
        let (Some(parent), Some(name)) = (folder.parent(), folder.file_name().and_then(|name| name.to_str())) else {
            return Err(VcsError::Write { path: folder.to_owned(), reason: "it has no name".to_owned() });
        };
        // Written aside and renamed: a folder that stands at its place is whole.
        let aside = parent.join(format!(".{name}.{}", std::process::id()));
        let _ = fs::remove_dir_all(&aside);
        let made = make_folder(&aside).and_then(|()| {
            let stats = checkout::write(&self.local(), &aside, plan.iter())?;
            self.forget(folder)?;
            let record = self.new_record(name)?;
            let registered = self.register(&record, folder, commit, |index| {
                checkout::write_index(&self.local(), &plan, &stats, index)?;
                write(&aside.join(".git"), &line("gitdir: ", &record))?;
                fs::rename(&aside, folder).map_err(|error| VcsError::write(folder, &error))
            });
            registered.inspect_err(|_| drop(fs::remove_dir_all(&record)))
        });
        made.inspect_err(|_| drop(fs::remove_dir_all(&aside)))
    }

    /// Brings this linked work tree to another commit; refuses where somebody edited its files.
    pub fn move_work_tree(&self, commit: &ContentHash) -> Result<(), VcsError> {
        let (root, record) = self.linked()?;
        let (before, mut stats) = self.as_committed()?;
        let after = checkout::plan(&self.local(), commit, LIMITS)?;
        let goes = |path: &[u8]| before.get(path) != after.get(path);
        let expected = |found: &Path| {
            let path = found.strip_prefix(root).map(|path| path.as_os_str().as_encoded_bytes());
            path.is_ok_and(|path| before.contains_key(path) && goes(path))
        };
        for path in after.keys().filter(|path| !before.contains_key(*path)) {
            let place = place_of(root, path)?;
            let around = place.ancestors().skip(1).take_while(|folder| *folder != root).map(Path::to_owned);
            let mut around = around.filter(|folder| !is_folder(folder) && fs::symlink_metadata(folder).is_ok());
            let in_the_way = around.find(|found| !expected(found)).or_else(|| first_file(&place, &expected));
            in_the_way.map_or(Ok(()), |path| Err(VcsError::Edited { path }))?;
        }
        let (index, head) = (record.join("index.lock"), record.join("HEAD.lock"));
        write(&index, b"")?;
        let moved = write(&head, format!("{commit}\n").as_bytes()).and_then(|()| {
            checkout::remove(root, before.keys().filter(|path| goes(path)))?;
            stats.extend(checkout::write(&self.local(), root, after.iter().filter(|(path, _)| goes(path)))?);
            checkout::write_index(&self.local(), &after, &stats, &index)?;
            for (from, to) in [(&index, "index"), (&head, "HEAD")] {
                fs::rename(from, record.join(to)).map_err(|error| VcsError::write(from, &error))?;
            }
            Ok(())
        });
        moved.inspect_err(|_| [index, head].iter().for_each(|lock| drop(fs::remove_file(lock))))
    }

    /// Removes this linked work tree; refuses where somebody edited its files, or put others there that are not
    /// `ignored` (asked for a path in the work tree, and whether it is a folder).
    pub fn remove_work_tree(&self, ignored: impl Fn(&Path, bool) -> bool) -> Result<(), VcsError> {
        let (root, record) = self.linked()?;
        let (tracked, _) = self.as_committed()?;
        let is_ours = |found: &Path| {
            let Some(path) = found.strip_prefix(root).ok().filter(|path| *path != Path::new("")) else { return false };
            path == Path::new(".git")
                || tracked.contains_key(path.as_os_str().as_encoded_bytes())
                || ignored(path, is_folder(found))
        };
        if let Some(path) = first_file(root, &is_ours) {
            return Err(VcsError::Edited { path });
        }
        for folder in [root, &record] {
            fs::remove_dir_all(folder).map_err(|error| VcsError::write(folder, &error))?;
        }
        Ok(())
    }

    /// What is checked out here, with how the index remembers it; fails where the disk has something else.
    fn as_committed(&self) -> Result<(Plan, Stats), VcsError> {
        let (root, record) = self.linked()?;
        let unborn = || VcsError::Write { path: record.clone(), reason: "it has no commit".to_owned() };
        let commit = self.head()?.commit.ok_or_else(unborn)?;
        let plan = checkout::plan(&self.local(), &commit, LIMITS)?;
        match self.compare(root, &plan)? {
            Ok(stats) => Ok((plan, stats)),
            Err(path) => Err(VcsError::Edited { path: root.join(path) }),
        }
    }

    /// The folder of this work tree and the one that git keeps of it.
    fn linked(&self) -> Result<(&Path, PathBuf), VcsError> {
        let record = self.git_dir().to_owned();
        match self.work_tree() {
            Some(root) if record.parent() == Some(&self.common_dir().join("worktrees")) => Ok((root, record)),
            _ => Err(VcsError::Write { path: record, reason: "it is not that of a linked work tree".to_owned() }),
        }
    }

    /// Removes what git keeps of a work tree that stood in `folder` and was deleted by hand.
    fn forget(&self, folder: &Path) -> Result<(), VcsError> {
        if fs::symlink_metadata(folder).is_ok() {
            return Ok(());
        }
        guard::check_work_trees(self.common_dir())?;
        let worktrees = self.common_dir().join("worktrees");
        for entry in fs::read_dir(&worktrees).into_iter().flatten().flatten().filter(|_| is_folder(&worktrees)) {
            let says = fs::read_to_string(entry.path().join("gitdir")).unwrap_or_default();
            if is_folder(&entry.path()) && Path::new(says.trim_end()) == folder.join(".git") {
                fs::remove_dir_all(entry.path()).map_err(|error| VcsError::write(&entry.path(), &error))?;
            }
        }
        Ok(())
    }

    /// Makes the folder below `worktrees` for a work tree of this name.
    fn new_record(&self, name: &str) -> Result<PathBuf, VcsError> {
        let worktrees = self.common_dir().join("worktrees");
        if !is_folder(&worktrees) {
            make_folder(&worktrees)?;
        }
        let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let names = std::iter::once(plain.clone()).chain((1..MAX_ALIKE).map(|number| format!("{plain}{number}")));
        for name in names {
            let record = worktrees.join(name);
            match fs::create_dir(&record) {
                Ok(()) => return Ok(record),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(VcsError::write(&record, &error)),
            }
        }
        Err(VcsError::Write { path: worktrees, reason: format!("there are {MAX_ALIKE} work trees named `{plain}`") })
    }

    /// Writes what git keeps of a work tree; `finish` writes its index and puts the folder in its place.
    fn register(
        &self,
        record: &Path,
        folder: &Path,
        commit: &ContentHash,
        finish: impl FnOnce(&Path) -> Result<(), VcsError>,
    ) -> Result<(), VcsError> {
        // Keeps `git worktree prune` away until the folder is there.
        let locked = record.join("locked");
        write(&locked, b"initializing\n")?;
        write(&record.join("HEAD"), format!("{commit}\n").as_bytes())?;
        write(&record.join("commondir"), b"../..\n")?;
        write(&record.join("gitdir"), &line("", &folder.join(".git")))?;
        finish(&record.join("index"))?;
        fs::remove_file(&locked).map_err(|error| VcsError::write(&locked, &error))
    }
}

/// The first thing at or below a place that may not be there. Folders may, and nothing is looked for in one that is
/// expected itself.
fn first_file(place: &Path, expected: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    let mut pending = vec![place.to_owned()];
    while let Some(path) = pending.pop() {
        if is_folder(&path) && !expected(&path) {
            pending.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else if fs::symlink_metadata(&path).is_ok() && !expected(&path) {
            return Some(path);
        }
    }
    None
}

fn make_folder(path: &Path) -> Result<(), VcsError> {
    fs::create_dir(path).map_err(|error| VcsError::write(path, &error))
}

fn line(before: &str, path: &Path) -> Vec<u8> {
    [before.as_bytes(), path.as_os_str().as_encoded_bytes(), b"\n"].concat()
}

/// Writes a file where nothing stands, so that no link is followed.
fn write(path: &Path, bytes: &[u8]) -> Result<(), VcsError> {
    let made = fs::File::create_new(path).and_then(|mut file| file.write_all(bytes));
    made.map_err(|error| VcsError::write(path, &error))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::checkout::Limits;
    use crate::testing::{Fixture, commit_raw_tree, hash, open};

    /// A repository with a file of every kind, and the folder in which its work tree goes.
    fn fixture() -> (Fixture, PathBuf) {
        let fixture = Fixture::new();
        fixture.write("src/a.rs", "fn a() {}\n");
        fixture.write("windows.txt", "one\r\ntwo\r\n");
        fixture.write("run.sh", "#!/bin/sh\n");
        fixture.write(".gitattributes", "*.txt text eol=crlf\n*.rs filter=evil\n");
        fs::set_permissions(fixture.root.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("src/a.rs", fixture.root.join("link")).unwrap();
        symlink("/etc", fixture.root.join("out")).unwrap();
        fixture.commit("one");
        let folder = fixture.beside("tree");
        (fixture, folder)
    }

    fn add(fixture: &Fixture, folder: &Path) {
        fixture.open().add_work_tree(folder, &fixture.id("HEAD")).unwrap();
    }

    fn status(fixture: &Fixture, folder: &Path) -> String {
        fixture.git_in(folder, &["status", "--porcelain", "--ignored"])
    }

    fn never(_: &Path, _: bool) -> bool {
        false
    }

    #[test]
    fn git_takes_a_work_tree_of_ours_for_one_of_its_own() {
        let (fixture, folder) = fixture();
        let commit = fixture.id("HEAD");
        add(&fixture, &folder);
        assert_eq!(status(&fixture, &folder), "");
        assert_eq!(fixture.git_in(&folder, &["rev-parse", "HEAD"]), commit.to_hex());
        assert!(!fixture.try_git(&folder, &["symbolic-ref", "HEAD"]).0, "it is on no branch");
        let list = fixture.git(&["worktree", "list", "--porcelain"]);
        let expected = format!("worktree {}\nHEAD {commit}\ndetached", folder.display());
        assert!(list.ends_with(&expected), "{list}");
        fixture.git(&["worktree", "prune"]);
        fixture.git(&["fsck", "--strict"]);

        assert_eq!(fs::read_to_string(folder.join("src/a.rs")).unwrap(), "fn a() {}\n");
        assert_eq!(fs::read_link(folder.join("link")).unwrap(), Path::new("src/a.rs"));
        let mode = |name: &str| fs::metadata(folder.join(name)).unwrap().permissions().mode() & 0o111;
        assert_eq!((mode("run.sh") != 0, mode("src/a.rs")), (true, 0));
        let linked = open(&folder);
        assert_eq!(linked.common_dir(), fixture.open().common_dir());
        assert_eq!(linked.head().unwrap().commit, Some(commit));

        fixture.git(&["worktree", "remove", folder.to_str().unwrap()]);
        assert!(!folder.exists() && !fixture.root.join(".git/worktrees/tree").exists());
        // And one that was deleted by hand can be made again.
        add(&fixture, &folder);
        fs::remove_dir_all(&folder).unwrap();
        add(&fixture, &folder);
        assert_eq!(fixture.git(&["worktree", "list"]).lines().count(), 2);
    }

    #[test]
    fn a_work_tree_follows_to_another_commit_and_keeps_what_is_not_gits() {
        let (fixture, folder) = fixture();
        add(&fixture, &folder);
        fixture.git(&["rm", "-rq", "src", "link"]);
        fixture.write("src", "now a file\n");
        fixture.write("link/is/a/folder", "x\n");
        fixture.write("run.sh", "#!/bin/bash\n");
        let two = fixture.commit("two");
        fs::create_dir(folder.join("build")).unwrap();
        fs::write(folder.join("build/out"), "mine\n").unwrap();
        open(&folder).move_work_tree(&two).unwrap();
        assert_eq!(status(&fixture, &folder), "?? build/");
        assert_eq!(fixture.git_in(&folder, &["rev-parse", "HEAD"]), two.to_hex());
        assert_eq!(fs::read_to_string(folder.join("src")).unwrap(), "now a file\n");
        assert_eq!(fs::read_to_string(folder.join("build/out")).unwrap(), "mine\n");
        open(&folder).move_work_tree(&fixture.id("HEAD~1")).unwrap();
        assert_eq!(status(&fixture, &folder), "?? build/");
        assert_eq!(fs::read_to_string(folder.join("src/a.rs")).unwrap(), "fn a() {}\n");
    }

    #[test]
    fn edits_are_neither_overwritten_nor_removed() {
        let edits: [(&str, fn(&Path)); 6] = [
            ("run.sh", |tree| fs::write(tree.join("run.sh"), "edited\n").unwrap()),
            ("run.sh", |tree| fs::remove_file(tree.join("run.sh")).unwrap()),
            ("link", |tree| {
                fs::remove_file(tree.join("link")).unwrap();
                symlink("elsewhere", tree.join("link")).unwrap();
            }),
            ("src/a.rs", |tree| {
                fs::rename(tree.join("src"), tree.join("moved")).unwrap();
                symlink("moved", tree.join("src")).unwrap();
            }),
            ("new", |tree| fs::write(tree.join("new"), "mine\n").unwrap()),
            ("new", |tree| symlink("/nowhere", tree.join("new")).unwrap()),
        ];
        for (path, edit) in edits {
            let (fixture, folder) = fixture();
            add(&fixture, &folder);
            fixture.write("new", "theirs\n");
            let two = fixture.commit("two");
            edit(&folder);
            let before = status(&fixture, &folder);
            let edited = VcsError::Edited { path: folder.join(path) };
            assert_eq!(open(&folder).move_work_tree(&two).unwrap_err(), edited, "{path}");
            assert_eq!(open(&folder).remove_work_tree(never).unwrap_err(), edited, "{path}");
            assert_eq!(status(&fixture, &folder), before, "{path}");
        }
    }

    #[test]
    fn a_work_tree_is_removed_with_what_is_ignored() {
        let (fixture, folder) = fixture();
        add(&fixture, &folder);
        fs::create_dir(folder.join("target")).unwrap();
        fs::write(folder.join("target/out"), "").unwrap();
        let error = open(&folder).remove_work_tree(never).unwrap_err();
        assert_eq!(error, VcsError::Edited { path: folder.join("target/out") });
        let is_target = |path: &Path, is_folder: bool| path == Path::new("target") && is_folder;
        open(&folder).remove_work_tree(is_target).unwrap();
        assert!(!folder.exists());
        assert_eq!(fixture.git(&["worktree", "list"]).lines().count(), 1);
        let main = fixture.open().remove_work_tree(is_target).unwrap_err();
        assert!(matches!(main, VcsError::Write { .. }), "the main work tree is not ours to remove");
        assert!(fixture.root.join("run.sh").exists());
    }

    #[test]
    fn names_that_lead_out_or_into_a_git_directory_are_refused_before_anything_is_written() {
        let names: [&[u8]; 12] = [
            b"..",
            b".",
            b"",
            b"../escape",
            b"/etc/escape",
            b"a/b",
            b".git",
            b".GIT",
            b"git~1",
            b".git ",
            b".git::$INDEX_ALLOCATION",
            ".g\u{200c}it".as_bytes(),
        ];
        for name in names {
            let fixture = Fixture::new();
            fixture.write("blob", "x");
            let file = hash(&fixture.git(&["hash-object", "-w", "blob"]));
            let inner = commit_raw_tree(&fixture, &[("100644", b"config", file)]);
            let tree = fixture.id(&format!("{inner}^{{tree}}"));
            for (mode, target) in [("100644", file), ("40000", tree), ("120000", file)] {
                let commit = commit_raw_tree(&fixture, &[("100644", b"fine", file), (mode, name, target)]);
                let folder = fixture.beside("tree");
                let error = fixture.open().add_work_tree(&folder, &commit).unwrap_err();
                let shown = name.escape_ascii();
                assert!(matches!(error, VcsError::Checkout { .. }), "{shown} {mode}: {error}");
                assert!(!folder.exists() && !fixture.root.join(".git/worktrees").exists(), "{shown} {mode}");
            }
        }
    }

    #[test]
    fn a_path_that_is_there_twice_or_both_file_and_folder_or_behind_a_link_is_refused() {
        let fixture = Fixture::new();
        let outside = fixture.beside("outside");
        fs::create_dir(&outside).unwrap();
        fixture.write("blob", outside.to_str().unwrap());
        let file = hash(&fixture.git(&["hash-object", "-w", "blob"]));
        let inner = commit_raw_tree(&fixture, &[("100644", b"written", file)]);
        let tree = fixture.id(&format!("{inner}^{{tree}}"));
        let twice: [&[(&str, &[u8], ContentHash)]; 3] = [
            &[("100644", b"a", file), ("100644", b"a", file)],
            &[("100644", b"a", file), ("40000", b"a", tree)],
            &[("120000", b"a", file), ("40000", b"a", tree)],
        ];
        for entries in twice {
            let commit = commit_raw_tree(&fixture, entries);
            let error = fixture.open().add_work_tree(&fixture.beside("tree"), &commit).unwrap_err();
            assert!(matches!(error, VcsError::Checkout { .. }), "{error}");
        }
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
        // Brought to a commit that has a folder where this one has a link, nothing is written through the link.
        let linked = commit_raw_tree(&fixture, &[("120000", b"a", file)]);
        let folder = fixture.beside("tree");
        fixture.open().add_work_tree(&folder, &linked).unwrap();
        let with_folder = commit_raw_tree(&fixture, &[("40000", b"a", tree)]);
        open(&folder).move_work_tree(&with_folder).unwrap();
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
        assert!(folder.join("a/written").is_file() && is_folder(&folder.join("a")));
    }

    #[test]
    fn more_files_or_bytes_than_any_project_has_are_refused_before_anything_is_written() {
        let (fixture, _) = fixture();
        let (repo, commit) = (fixture.open().local(), fixture.id("HEAD"));
        let plan = |files, bytes| checkout::plan(&repo, &commit, Limits { files, bytes });
        assert_eq!(plan(8, 1000).map(|plan| plan.len()).unwrap(), 6);
        assert!(matches!(plan(3, 1000), Err(VcsError::TooManyFiles { limit: 3, .. })));
        assert!(matches!(plan(8, 20), Err(VcsError::Checkout { .. })));
    }

    #[test]
    fn nothing_is_written_through_a_link_in_the_git_directory() {
        let (fixture, folder) = fixture();
        let outside = fixture.beside("outside");
        fs::create_dir(&outside).unwrap();
        symlink(&outside, fixture.root.join(".git/worktrees")).unwrap();
        let error = fixture.open().add_work_tree(&folder, &fixture.id("HEAD")).unwrap_err();
        assert!(matches!(&error, VcsError::Write { path, .. } if path.ends_with("worktrees")), "{error}");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
        let left: Vec<_> = fs::read_dir(folder.parent().unwrap()).unwrap().flatten().map(|e| e.file_name()).collect();
        assert!(!left.iter().any(|name| name.to_string_lossy().contains("tree")), "{left:?}");
    }

    #[test]
    fn a_folder_that_stands_there_is_left_alone_and_submodules_are_empty_folders() {
        let (fixture, folder) = fixture();
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("mine"), "x").unwrap();
        let id = fixture.id("HEAD").to_hex();
        let error = fixture.open().add_work_tree(&folder, &fixture.id("HEAD")).unwrap_err();
        assert!(matches!(&error, VcsError::Write { path, .. } if *path == folder), "{error}");
        assert_eq!(fs::read_to_string(folder.join("mine")).unwrap(), "x");
        assert_eq!(fixture.git(&["worktree", "list"]).lines().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
        fixture.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{id},vendor/lib")]);
        fixture.git(&["commit", "--quiet", "--message", "with library"]);
        add(&fixture, &folder);
        assert_eq!(fs::read_dir(folder.join("vendor/lib")).unwrap().count(), 0);
        assert_eq!(status(&fixture, &folder), "");
        open(&folder).move_work_tree(&fixture.id("HEAD~1")).unwrap();
        assert!(!folder.join("vendor").exists());
    }

    #[test]
    fn an_object_that_is_not_here_is_not_fetched() {
        let (fixture, folder) = fixture();
        let (blob, marker) = (fixture.id("HEAD:run.sh").to_hex(), fixture.beside("marker"));
        fs::remove_file(fixture.root.join(format!(".git/objects/{}/{}", &blob[..2], &blob[2..]))).unwrap();
        let ext = format!("ext::sh -c 'touch {}'", marker.display());
        for (key, value) in [("remote.origin.url", ext.as_str()), ("remote.origin.promisor", "true")] {
            fixture.git(&["config", key, value]);
        }
        let error = fixture.open().add_work_tree(&folder, &fixture.id("HEAD")).unwrap_err();
        assert_eq!(error, VcsError::MissingObject { hash: hash(&blob) });
        assert!(!marker.exists() && !folder.exists());
    }
}
