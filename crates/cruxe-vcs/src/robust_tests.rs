//! Whatever bytes stand in a git directory: an answer or an error, never a panic and never a wait.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};

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

/// A loose object as git writes it, not compressed.
fn loose(kind: &str, body: &[u8]) -> Vec<u8> {
    let data = [format!("{kind} {}\0", body.len()).as_bytes(), body].concat();
    let (mut a, mut b) = (1u32, 0u32);
    for byte in &data {
        a = (a + u32::from(*byte)) % 65521;
        b = (b + a) % 65521;
    }
    let length = u16::try_from(data.len()).unwrap();
    let head = [&[0x78, 0x01, 0x01][..], &length.to_le_bytes(), &(!length).to_le_bytes()].concat();
    [head, data, (b << 16 | a).to_be_bytes().to_vec()].concat()
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
    TestRunner::new(config).run(&spec, |spec| Ok(drop(repo.resolve(&spec)))).unwrap();
}
