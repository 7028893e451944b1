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
fn a_move_that_was_interrupted_is_done_anew_unless_somebody_edited_files_since() {
    let (fixture, folder) = fixture();
    add(&fixture, &folder);
    fixture.git(&["rm", "-rq", "src"]);
    fixture.write("src", "now a file\n");
    fixture.write("run.sh", "#!/bin/bash\n");
    let two = fixture.commit("two");
    fixture.write("run.sh", "#!/bin/zsh\n");
    let three = fixture.commit("three");
    // Killed between removing and writing.
    let record = fixture.root.join(".git/worktrees/tree");
    fs::write(record.join("moving"), two.to_hex()).unwrap();
    fs::write(record.join("index.lock"), "").unwrap();
    fs::remove_dir_all(folder.join("src")).unwrap();
    fs::remove_file(folder.join("link")).unwrap();
    fs::write(folder.join("run.sh"), "#!/bin/bash\n").unwrap();
    let text = fs::read(folder.join("windows.txt")).unwrap();
    fs::write(folder.join("windows.txt"), "edited\n").unwrap();
    let edited = VcsError::Edited { path: folder.join("windows.txt") };
    assert_eq!(open(&folder).move_work_tree(&three).unwrap_err(), edited);
    fs::write(folder.join("windows.txt"), text).unwrap();
    open(&folder).move_work_tree(&three).unwrap();
    assert_eq!(status(&fixture, &folder), "");
    assert_eq!(fixture.git_in(&folder, &["rev-parse", "HEAD"]), three.to_hex());
    assert_eq!(fs::read_to_string(folder.join("run.sh")).unwrap(), "#!/bin/zsh\n");
    open(&folder).move_work_tree(&two).unwrap();
    assert_eq!(status(&fixture, &folder), "");
}

#[test]
fn edits_are_neither_overwritten_nor_removed() {
    type Edit = fn(&Path);
    let edits: [(&str, Edit); 6] = [
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
fn two_who_ask_at_once_get_one_work_tree_and_what_a_dead_process_left_is_removed() {
    let (fixture, folder) = fixture();
    let (old, young) = (fixture.beside(".tree.1"), fixture.beside(".tree.2"));
    for path in [&old, &young] {
        fs::create_dir(path).unwrap();
    }
    let day = std::time::SystemTime::now() - 2 * LEFT_OVER;
    fs::File::open(&old).unwrap().set_modified(day).unwrap();
    let (repo, commit) = (fixture.open(), fixture.id("HEAD"));
    let made: Vec<bool> = std::thread::scope(|scope| {
        let asked: Vec<_> = (0..4).map(|_| scope.spawn(|| repo.add_work_tree(&folder, &commit).is_ok())).collect();
        asked.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(made.iter().filter(|made| **made).count(), 1);
    assert_eq!(status(&fixture, &folder), "");
    assert_eq!(fixture.git(&["worktree", "list"]).lines().count(), 2);
    assert_eq!((old.exists(), young.exists()), (false, true));
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
