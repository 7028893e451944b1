//! Whatever bytes stand in a git directory: an answer or an error, never a panic and never a wait.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use sha1::{Digest, Sha1};

use crate::Repo;
use crate::testing::Fixture;

/// Asks everything that there is to ask.
fn ask_everything(root: &Path) {
    let Ok(Some(repo)) = Repo::discover(root) else { return };
    let head = repo.head();
    let _ = (repo.default_branch(), repo.work_trees(), repo.tracked_files(), repo.changes(), repo.last_commits(9));
    for name in repo.branches().into_iter().flatten().chain(["HEAD~3".to_owned(), "v1".to_owned(), "abcd".to_owned()]) {
        let Ok(found) = repo.resolve(&name) else { continue };
        let _ = repo.add_work_tree(&root.with_file_name("tree"), &found.commit);
        let _ = fs::remove_dir_all(root.with_file_name("tree"));
        if let Ok(Some(head)) = head.as_ref().map(|head| head.commit) {
            let _ = repo.merge_base(&head, &found.commit);
        }
        let Ok(listing) = repo.tree_files(&found.commit) else { continue };
        let reader = repo.reader();
        listing.files.iter().for_each(|file| drop(reader.read(&file.hash, 1 << 20)));
    }
}

/// Runs many cases, each in its own thread, so that one that never ends is seen.
fn for_many<S: Strategy<Value: Clone + Send + 'static>>(strategy: S, root: PathBuf, set: impl Fn(&S::Value)) {
    // A few each time; `PROPTEST_CASES=1000` for a hunt.
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(8);
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 20, ..Config::default() };
    let run = TestRunner::new(config).run(&strategy, |value| {
        set(&value);
        let (send, receive) = mpsc::channel();
        let root = root.clone();
        let asked = std::thread::spawn(move || {
            ask_everything(&root);
            let _ = send.send(());
        });
        match receive.recv_timeout(Duration::from_secs(30)) {
            Ok(()) => Ok(()),
            Err(_) if asked.is_finished() => Err(TestCaseError::fail("it panicked")),
            Err(_) => Err(TestCaseError::fail("it does not end")),
        }
    });
    if let Err(problem) = run {
        panic!("{problem}");
    }
}

/// A repository with two branches, a tag, a link, and all the files by which git finds objects.
fn fixture(packed: bool) -> Fixture {
    let fixture = Fixture::new();
    fixture.write("src/a.rs", "fn a() {}\n");
    fixture.write("b.txt", &"line\n".repeat(50));
    fixture.commit("one");
    fixture.git(&["tag", "--annotate", "v1", "--message", "v1"]);
    fixture.git(&["branch", "side"]);
    fixture.write("b.txt", &"line\n".repeat(51));
    fixture.commit("two");
    if packed {
        fixture.git(&["gc", "--quiet", "--aggressive"]);
        fixture.git(&["pack-refs", "--all", "--prune"]);
        fixture.git(&["commit-graph", "write", "--reachable"]);
        fixture.git(&["multi-pack-index", "write"]);
    }
    fixture
}

/// Bytes in which some are others, or are missing, or come twice.
fn damage(good: &[u8], edits: &[(Index, u8, u8)]) -> Vec<u8> {
    let mut bytes = good.to_vec();
    for (at, how, byte) in edits {
        if bytes.is_empty() {
            break;
        }
        let at = at.index(bytes.len());
        match how % 4 {
            0 => bytes[at] = *byte,
            1 => bytes[at] ^= 1 << (byte % 8),
            2 => bytes.truncate(at),
            _ => bytes.insert(at, *byte),
        }
    }
    bytes
}

fn edits() -> impl Strategy<Value = Vec<(Index, u8, u8)>> {
    prop::collection::vec(any::<(Index, u8, u8)>(), 1..4)
}

#[test]
fn damaged_files_of_a_git_directory_never_break_the_reader() {
    let fixture = fixture(true);
    let git = fixture.root.join(".git");
    let mut files: Vec<PathBuf> =
        ["HEAD", "config", "packed-refs", "index", "objects/info/commit-graph"].map(|name| git.join(name)).to_vec();
    files.extend(fs::read_dir(git.join("objects/pack")).unwrap().map(|entry| entry.unwrap().path()));
    for file in files.iter().filter(|file| file.is_file()) {
        let good = fs::read(file).unwrap();
        let mut rights = fs::metadata(file).unwrap().permissions();
        #[allow(clippy::permissions_set_readonly_false)]
        rights.set_readonly(false);
        fs::set_permissions(file, rights).unwrap();
        for_many(edits(), fixture.root.clone(), |edits| fs::write(file, damage(&good, edits)).unwrap());
        fs::write(file, &good).unwrap();
    }
    assert_eq!(fixture.open().branches().unwrap(), ["main", "side"], "the rest is still whole");
}

#[test]
fn any_bytes_in_small_files_never_break_the_reader() {
    let names = ["HEAD", "config", "packed-refs", "shallow", "commondir", "objects/info/alternates", "index"];
    let line = prop_oneof![
        Just("ref: refs/heads/main\n".to_owned()),
        Just("# pack-refs with: peeled fully-peeled sorted \n".to_owned()),
        "[0-9a-f]{40} refs/heads/[ -~]{0,9}\n",
        "\\^?[0-9a-f]{0,41}\n",
        "\\[[a-z \"\\\\]{0,9}\\]?\n",
        "\\PC{0,20}\n?",
    ];
    let text = prop_oneof![
        prop::collection::vec(line, 0..6).prop_map(|lines| lines.concat().into_bytes()),
        prop::collection::vec(any::<u8>(), 0..200),
    ];
    for name in names {
        let fixture = fixture(false);
        let path = fixture.root.join(".git").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        for_many(text.clone(), fixture.root.clone(), |bytes| fs::write(&path, bytes).unwrap());
    }
}

/// Bytes in the form that zlib has for what it does not compress.
fn stored(data: &[u8]) -> Vec<u8> {
    let (mut a, mut b) = (1u32, 0u32);
    for byte in data {
        a = (a + u32::from(*byte)) % 65521;
        b = (b + a) % 65521;
    }
    let length = u16::try_from(data.len()).unwrap();
    let head = [&[0x78, 0x01, 0x01][..], &length.to_le_bytes(), &(!length).to_le_bytes()].concat();
    [&head, data, &(b << 16 | a).to_be_bytes()].concat()
}

/// A loose object as git writes it.
fn loose(kind: &str, body: &[u8]) -> Vec<u8> {
    stored(&[format!("{kind} {}\0", body.len()).as_bytes(), body].concat())
}

/// Fails where an answer does not come.
fn in_time<T: Send + 'static>(ask: impl FnOnce() -> T + Send + 'static) -> T {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || send.send(ask()));
    receive.recv_timeout(Duration::from_secs(30)).unwrap_or_else(|_| panic!("no answer"))
}

#[test]
fn objects_that_name_themselves_are_an_error_and_not_a_wait() {
    let fixture = fixture(false);
    let at = |hex: &str| fixture.root.join(format!(".git/objects/{}/{}", &hex[..2], &hex[2..]));
    let (id, tree) = ("ab".repeat(20), fixture.id("HEAD^{tree}").to_hex());
    fs::create_dir_all(at(&id).parent().unwrap()).unwrap();
    let tag = format!("object {id}\ntype tag\ntag t\ntagger T <t@example.org> 0 +0000\n\nx\n");
    let who = "T <t@example.org> 0 +0000";
    let commit = format!("tree {tree}\nparent {id}\nparent {id}\nauthor {who}\ncommitter {who}\n\nx\n");
    let raw: Vec<u8> = (0..20).map(|_| 0xab).collect();
    let looping = [&b"40000 a\0"[..], &raw, b"40000 b\0", &raw].concat();
    fs::write(fixture.root.join(".git/refs/tags/self"), format!("{id}\n")).unwrap();
    fs::write(at(&id), loose("tag", tag.as_bytes())).unwrap();
    let repo = fixture.open();
    in_time(move || repo.resolve("self").unwrap_err());
    fs::write(at(&id), loose("commit", commit.as_bytes())).unwrap();
    let (repo, head) = (fixture.open(), fixture.id("HEAD"));
    in_time(move || {
        let found = repo.resolve("self").unwrap().commit;
        repo.resolve("self~18446744073709551615").unwrap_err();
        assert_eq!(repo.merge_base(&found, &head).unwrap(), None);
    });
    fs::write(at(&id), loose("tree", &looping)).unwrap();
    let lone = format!("tree {id}\nauthor {who}\ncommitter {who}\n\nx\n");
    let other = "cd".repeat(20);
    fs::create_dir_all(at(&other).parent().unwrap()).unwrap();
    fs::write(at(&other), loose("commit", lone.as_bytes())).unwrap();
    let repo = fixture.open();
    let commit = crate::testing::hash(&other);
    let error = in_time(move || repo.tree_files(&commit).unwrap_err());
    assert!(matches!(error, crate::VcsError::TooManyFiles { .. }), "{error}");
}

/// A pack of objects that are differences of each other, with its index.
fn write_cyclic_pack(folder: &Path) {
    let ids = [[0x11; 20], [0x22; 20]];
    let mut pack = [&b"PACK"[..], &2u32.to_be_bytes(), &2u32.to_be_bytes()].concat();
    let mut offsets = Vec::new();
    for other in [ids[1], ids[0]] {
        offsets.push(pack.len() as u32);
        // A difference of three bytes that makes one byte of one byte.
        let delta = [1, 1, 0x90, 1];
        pack.push(0x70 | delta.len() as u8);
        pack.extend(other);
        pack.extend(stored(&delta));
    }
    pack.extend(Sha1::digest(&pack));
    let mut index = [&[0xff, b't', b'O', b'c'][..], &2u32.to_be_bytes()].concat();
    for byte in 0..256 {
        let below = ids.iter().filter(|id| usize::from(id[0]) <= byte).count() as u32;
        index.extend(below.to_be_bytes());
    }
    ids.iter().for_each(|id| index.extend(id));
    index.extend([0; 8]);
    offsets.iter().for_each(|offset| index.extend(offset.to_be_bytes()));
    index.extend(&pack[pack.len() - 20..]);
    index.extend(Sha1::digest(&index));
    fs::create_dir_all(folder).unwrap();
    let name = "pack-0123456789012345678901234567890123456789";
    fs::write(folder.join(format!("{name}.pack")), pack).unwrap();
    fs::write(folder.join(format!("{name}.idx")), index).unwrap();
}

#[test]
fn differences_that_lean_on_each_other_are_an_error_and_not_a_wait() {
    let fixture = fixture(false);
    write_cyclic_pack(&fixture.root.join(".git/objects/pack"));
    let repo = fixture.open();
    let hash = crate::testing::hash(&"11".repeat(20));
    in_time(move || repo.read_blob(&hash, 100).unwrap_err());
}

#[test]
fn damaged_and_made_up_objects_never_break_the_reader() {
    let fixture = fixture(false);
    for (spec, kind) in [("HEAD", "commit"), ("HEAD^{tree}", "tree"), ("v1", "tag"), ("HEAD:b.txt", "blob")] {
        let hex = fixture.id(&format!("refs/tags/{spec}").replace("refs/tags/HEAD", "HEAD")).to_hex();
        let path = fixture.root.join(format!(".git/objects/{}/{}", &hex[..2], &hex[2..]));
        let (good, raw) = (fs::read(&path).unwrap(), fixture.git_bytes(&["cat-file", kind, &hex]));
        fs::remove_file(&path).unwrap();
        // The bytes on disk, what is in them, and another kind altogether.
        for_many(edits(), fixture.root.clone(), |edits| fs::write(&path, damage(&good, edits)).unwrap());
        for_many(edits(), fixture.root.clone(), |edits| {
            fs::write(&path, loose(kind, &damage(&raw, edits))).unwrap();
        });
        let any = (
            prop::sample::select(vec!["commit", "tree", "tag", "blob", "x"]),
            prop::collection::vec(any::<u8>(), 0..99),
        );
        for_many(any, fixture.root.clone(), |(kind, body)| fs::write(&path, loose(kind, body)).unwrap());
        let _ = fs::remove_file(&path);
        fs::write(&path, &good).unwrap();
    }
    assert_eq!(fixture.open().branches().unwrap(), ["main", "side"]);
}

#[test]
fn any_text_is_a_ref_or_none() {
    let fixture = fixture(false);
    let repo = fixture.open();
    let spec = prop_oneof!["\\PC{0,40}", "[~^0-9{}a-zA-Z/.@]{0,20}", "HEAD[~^0-9]{0,12}"];
    let config = Config { cases: 500, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&spec, |spec| {
            let _ = repo.resolve(&spec);
            Ok(())
        })
        .unwrap();
}
