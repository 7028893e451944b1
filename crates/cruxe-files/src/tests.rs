#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;

use super::*;
use crate::system::STEPWISE;

const SECRET: &str = "what nobody may read or change";

/// A workspace `w` beside a folder `out` with the user's own files.
fn place() -> (TempDir, Root) {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("w/a/b")).unwrap();
    fs::create_dir_all(folder.path().join("out/b")).unwrap();
    fs::write(folder.path().join("out/f"), SECRET).unwrap();
    fs::write(folder.path().join("out/b/f"), SECRET).unwrap();
    fs::write(folder.path().join("w/f"), "mine").unwrap();
    fs::write(folder.path().join("w/a/b/f"), "mine").unwrap();
    let root = Root::open(folder.path().join("w")).unwrap();
    (folder, root)
}

/// Runs a test as the kernel does it and as it is done where the kernel cannot.
fn both(test: impl Fn()) {
    for stepwise in [false, true] {
        STEPWISE.set(stepwise);
        test();
    }
    STEPWISE.set(false);
}

fn text(error: FileError) -> String {
    error.to_string()
}

fn pipe(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o666), 0).unwrap();
}

/// Everything below a folder, with contents and where links lead; following none.
fn picture(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut seen = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(path) = pending.pop() {
        let metadata = fs::symlink_metadata(&path).unwrap();
        let content = if metadata.is_dir() {
            pending.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            "folder".to_owned()
        } else if metadata.is_symlink() {
            format!("link to {}", fs::read_link(&path).unwrap().display())
        } else {
            fs::read_to_string(&path).unwrap()
        };
        seen.push((path, format!("{:o} {content}", metadata.permissions().mode())));
    }
    seen.sort();
    seen
}

#[test]
fn files_are_read_whole_up_to_a_bound_that_the_error_names() {
    both(|| {
        let (_folder, root) = place();
        assert_eq!(root.read("a/b/f", 4).unwrap(), b"mine");
        assert_eq!(root.read("./a//b/f", 4).unwrap(), b"mine");
        assert_eq!(
            text(root.read("a/b/f", 3).unwrap_err()),
            "a/b/f is larger than 3 bytes, which is the most that is read of it"
        );
        assert!(root.read("a/none", 9).unwrap_err().is_absent());
        assert!(root.read("none/f", 9).unwrap_err().is_absent());
        assert_eq!(text(root.read("a", 9).unwrap_err()), "a is a folder, not a file");
        assert_eq!(root.read("f/x", 9).unwrap_err().kind(), io::ErrorKind::NotADirectory);
    });
}

#[test]
fn a_file_without_a_size_is_bounded_too() {
    let root = Root::open("/proc/self").unwrap();
    if root.is_file("environ") {
        assert!(matches!(root.read("environ", 1), Err(FileError::TooLarge { limit: 1, .. })));
    }
}

#[test]
fn paths_that_are_not_below_the_root_are_refused() {
    both(|| {
        let (folder, root) = place();
        let absolute = folder.path().join("out/f");
        for path in ["", ".", "..", "../out/f", "a/../../out/f", "a/../f", "/", "a\0b", absolute.to_str().unwrap()] {
            for refused in [
                root.read(path, 100).map(drop),
                root.write(path, b"x", Existing::Replace).map(drop),
                root.lock_file(path).map(drop),
                root.remove_file(path).map(drop),
                root.remove_folder(path).map(drop),
                root.rename(path, "a/new"),
                root.rename("f", path),
                root.meta(path).map(drop),
            ] {
                assert!(matches!(refused, Err(FileError::Outside { .. })), "{path:?}: {refused:?}");
            }
        }
        assert!(matches!(root.list("../out"), Err(FileError::Outside { .. })));
        assert!(matches!(root.create_folder("a/../../new"), Err(FileError::Outside { .. })));
    });
}

#[test]
fn a_link_is_named_wherever_it_is() {
    both(|| {
        let (folder, root) = place();
        let out = folder.path().join("out");
        symlink(out.join("f"), root.path().join("file")).unwrap();
        symlink(&out, root.path().join("folder")).unwrap();
        symlink("f", root.path().join("inside")).unwrap();
        symlink("nowhere", root.path().join("dangling")).unwrap();
        symlink("loop", root.path().join("loop")).unwrap();
        let before = picture(folder.path());
        for (path, at) in [
            ("file", "file"),
            ("inside", "inside"),
            ("dangling", "dangling"),
            ("loop", "loop"),
            ("folder/f", "folder"),
            ("folder/b/f", "folder"),
            ("folder/new/f", "folder"),
            ("dangling/f", "dangling"),
            ("loop/f", "loop"),
        ] {
            for refused in [
                root.read(path, 100).map(drop),
                root.write(path, b"x", Existing::Replace).map(drop),
                root.write(path, b"x", Existing::Keep).map(drop),
                root.write_by("folder", "a/new", b"x", Existing::Keep).map(drop),
                root.lock_file(path).map(drop),
                root.rename(path, "a/new"),
                root.rename("f", path),
                root.list(path).map(drop),
                root.create_folder(path),
            ] {
                match refused {
                    Err(FileError::Link { at: named, .. }) => {
                        assert!(named == Path::new(at) || named == Path::new("folder"), "{path}: {named:?}");
                    }
                    other => panic!("{path}: {other:?}"),
                }
            }
        }
        assert!(root.remove_file("folder/f").is_err());
        assert_eq!(picture(folder.path()), before);
        assert_eq!(
            text(root.write("file", b"x", Existing::Replace).unwrap_err()),
            "file is a link, and links of a workspace are not followed; put the file or folder itself in its place"
        );
        assert_eq!(root.meta("file").unwrap().unwrap().kind, Kind::Link);
        assert!(!root.is_file("file") && !root.is_folder("folder") && !root.is_file("folder/f"));
        // Removing a link removes the link.
        assert!(root.remove_file("file").unwrap() && root.remove_file("folder").unwrap());
        assert_eq!(fs::read_to_string(out.join("f")).unwrap(), SECRET);
    });
}

#[test]
fn links_that_stay_inside_can_be_resolved_for_reading() {
    both(|| {
        let (folder, root) = place();
        for (link, target) in [
            ("in", "a/b/f"),
            ("a/b/up", "../../f"),
            ("a/around", "../../w/f"),
            ("chain", "./a//b/up"),
            ("folder", "a/b"),
            ("loop", "loop"),
            ("out", "../out/f"),
            ("absolute", "/etc/passwd"),
            ("top", "a/../.."),
            ("here", "."),
        ] {
            symlink(target, root.path().join(link)).unwrap();
        }
        symlink(folder.path().join("w/f"), root.path().join("mine")).unwrap();
        for (path, place) in [
            ("in", "a/b/f"),
            ("a/b/up", "f"),
            ("chain", "f"),
            ("folder/f", "a/b/f"),
            ("folder/up", "f"),
            ("a/none", "a/none"),
        ] {
            assert_eq!(root.resolve(path).unwrap(), Path::new(place), "{path}");
        }
        for path in ["loop", "loop/f", "out", "absolute", "top", "here", "mine", "a/around"] {
            assert!(root.resolve(path).is_err(), "{path}");
        }
    });
}

#[test]
fn a_folder_that_becomes_a_link_leads_nowhere() {
    both(|| {
        let (folder, root) = place();
        let deep = root.subfolder("a").unwrap();
        fs::rename(root.path().join("a"), root.path().join("moved")).unwrap();
        symlink(folder.path().join("out"), root.path().join("a")).unwrap();
        assert!(matches!(root.read("a/b/f", 100), Err(FileError::Link { .. })));
        // What was opened before stays what it was.
        deep.write("b/f", b"new", Existing::Replace).unwrap();
        assert_eq!(fs::read_to_string(root.path().join("moved/b/f")).unwrap(), "new");
        assert_eq!(fs::read_to_string(folder.path().join("out/b/f")).unwrap(), SECRET);
    });
}

#[test]
fn pipes_sockets_and_devices_are_refused_at_once() {
    both(|| {
        let (_folder, root) = place();
        pipe(&root.path().join("pipe"));
        let _listener = UnixListener::bind(root.path().join("socket")).unwrap();
        for (path, kind) in [("pipe", "a pipe"), ("socket", "a socket")] {
            for refused in [
                root.read(path, 9).map(drop),
                root.lock_file(path).map(drop),
                root.write(path, b"x", Existing::Replace).map(drop),
            ] {
                assert_eq!(text(refused.unwrap_err()), format!("{path} is {kind}, not a file"));
            }
        }
        let devices = Root::open("/dev").unwrap();
        assert_eq!(text(devices.read("zero", 9).unwrap_err()), "zero is a device, not a file");
    });
}

#[test]
fn a_file_is_written_in_one_step_and_keeps_its_permissions() {
    both(|| {
        let (_folder, root) = place();
        fs::set_permissions(root.path().join("f"), fs::Permissions::from_mode(0o640)).unwrap();
        assert!(!root.write("f", b"new", Existing::Keep).unwrap());
        assert_eq!(root.read("f", 9).unwrap(), b"mine");
        let open = root.file("f").unwrap();
        assert!(root.write("f", b"new", Existing::Replace).unwrap());
        assert_eq!(io::read_to_string(open).unwrap(), "mine", "who reads the old file reads it to its end");
        assert_eq!(root.read("f", 9).unwrap(), b"new");
        assert_eq!(root.meta("f").unwrap().unwrap().mode, 0o640);
        assert!(root.write("x/y/z", b"deep", Existing::Keep).unwrap());
        assert!(root.write_by("cache", "x/y/z2", b"deep", Existing::Keep).unwrap());
        assert!(root.write_by("cache", "x/y/z", b"deeper", Existing::Replace).unwrap());
        assert_eq!(root.read("x/y/z", 9).unwrap(), b"deeper");
        let mut names: Vec<_> = root.list("x/y").unwrap().into_iter().map(|entry| (entry.name, entry.kind)).collect();
        names.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(names, [("z".into(), Kind::File), ("z2".into(), Kind::File)]);
        assert_eq!(root.list("cache").unwrap(), []);
        assert_eq!(text(root.write("a", b"x", Existing::Replace).unwrap_err()), "a is a folder, not a file");
    });
}

#[test]
fn a_lock_file_keeps_its_content_and_has_one_name() {
    both(|| {
        let (folder, root) = place();
        fs::write(root.path().join("a/lock"), "123").unwrap();
        assert_eq!(io::read_to_string(root.lock_file("a/lock").unwrap()).unwrap(), "123");
        root.lock_file("new/folder/lock").unwrap().try_lock().unwrap();
        fs::hard_link(folder.path().join("out/f"), root.path().join("a/hard")).unwrap();
        assert!(matches!(root.lock_file("a/hard"), Err(FileError::HardLink { .. })));
        assert_eq!(fs::read_to_string(folder.path().join("out/f")).unwrap(), SECRET);
    });
}

/// What is put at a random place of the workspace.
#[derive(Clone, Debug)]
enum Put {
    File,
    Folder,
    Pipe,
    Link(&'static str),
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "b", "b", "f", "f"])
}

fn inside() -> impl Strategy<Value = String> {
    prop::collection::vec(name(), 1..4).prop_map(|names| names.join("/"))
}

fn asked() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec!["a", "b", "f", "..", ".", "", "\0", "/", "out", "w"]);
    prop_oneof![3 => inside(), 1 => prop::collection::vec(odd, 0..5).prop_map(|names| names.join("/"))]
}

fn put() -> impl Strategy<Value = Put> {
    // Out of the workspace, in circles, nowhere.
    let target = prop::sample::select(vec!["out", "out", "out/b", "out/f", "out/new", "w/a", "w/b/f", "w", "w/none"]);
    prop_oneof![1 => Just(Put::File), 1 => Just(Put::Folder), 1 => Just(Put::Pipe), 5 => target.prop_map(Put::Link)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_outside_is_ever_read_made_or_changed(
        puts in prop::collection::vec((inside(), put()), 0..24),
        calls in prop::collection::vec((0..12u8, asked(), asked()), 1..40),
        stepwise: bool,
    ) {
        STEPWISE.set(stepwise);
        let (folder, root) = place();
        for (path, put) in puts {
            let path = root.path().join(path);
            // Some of the places are taken, or lie below a file: those tell nothing new.
            let Some(parent) = path.parent().and_then(|parent| parent.canonicalize().ok()) else { continue };
            let here = parent.is_dir() && parent.starts_with(root.path().canonicalize().unwrap());
            if !here || fs::symlink_metadata(&path).is_ok() {
                continue;
            }
            match put {
                Put::File => fs::write(path, "mine").unwrap(),
                Put::Folder => fs::create_dir(path).unwrap(),
                Put::Pipe => pipe(&path),
                Put::Link(target) => symlink(folder.path().join(target), path).unwrap(),
            }
        }
        let before = picture(&folder.path().join("out"));
        let names = |root: &Path| fs::read_dir(root).unwrap().count();
        for (call, path, other) in calls {
            match call {
                0..3 => {
                    let path = if call == 2 { root.resolve(&path).unwrap_or_default() } else { path.into() };
                    if let Ok(bytes) = root.read(&path, 100) {
                        prop_assert!(!String::from_utf8_lossy(&bytes).contains(SECRET), "{path:?}");
                    }
                }
                3 => drop(root.write(&path, b"mine", Existing::Replace)),
                4 => drop(root.write_by(&other, &path, b"mine", Existing::Keep)),
                5 => drop(root.lock_file(&path)),
                6 => drop(root.remove_file(&path)),
                7 => drop(root.remove_folder(&path)),
                8 => drop(root.rename(&path, &other)),
                9 => drop(root.create_folder(&path)),
                10 => drop(root.list(&path)),
                _ => drop(root.subfolder(&path).and_then(|below| below.write(&other, b"mine", Existing::Replace))),
            }
        }
        prop_assert_eq!(picture(&folder.path().join("out")), before);
        prop_assert_eq!(names(folder.path()), 2);
    }
}
