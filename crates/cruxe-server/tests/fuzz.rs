//! Whatever bytes come in: every parser of what somebody else wrote answers or refuses, and soon.
//!
//! Each target takes something good, changes bytes of it, and hands it to the same door that a client, a repository or a
//! file from elsewhere comes through. More cases: `PROPTEST_CASES=100000 cargo test -p cruxe-server --test fuzz`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cruxe_deck::config::DeckConfig;
use cruxe_deck::frontmatter::{FrontMatter, NewValue, edit};
use cruxe_index::{IndexError, JobRequest, Project, ScipFile, Workspace, state};
use cruxe_model::Work;
use cruxe_model::config::{Config, Layer};
use cruxe_server::contract::LIMITED;
use cruxe_store::Home;
use proptest::prelude::*;
use protobuf::Message as _;
use scip::types::{Document, Index, Metadata, Occurrence};
use serde_json::{Value, json};
use support::{Client, server};

/// So many cases unless the environment says more.
fn cases(usual: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { cases: asked.unwrap_or(usual), failure_persistence: None, ..ProptestConfig::default() }
}

/// A change of some bytes.
#[derive(Clone, Debug)]
enum Change {
    Set(usize, u8),
    Insert(usize, Vec<u8>),
    Remove(usize, usize),
    Repeat(usize, usize),
    CutAt(usize),
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let at = |place: &usize, bytes: &[u8]| place % (bytes.len() + 1);
        match self {
            Change::Set(place, byte) if !bytes.is_empty() => {
                let place = place % bytes.len();
                bytes[place] = *byte;
            }
            Change::Set(..) => {}
            Change::Insert(place, new) => {
                let place = at(place, bytes);
                bytes.splice(place..place, new.iter().copied());
            }
            Change::Remove(place, length) => {
                let place = at(place, bytes);
                bytes.drain(place..(place + length).min(bytes.len()));
            }
            Change::Repeat(place, length) => {
                let place = at(place, bytes);
                let part = bytes[place..(place + length).min(bytes.len())].to_vec();
                bytes.splice(place..place, part);
            }
            Change::CutAt(place) => bytes.truncate(at(place, bytes)),
        }
    }
}

fn change() -> impl Strategy<Value = Change> {
    // What parsers treat as special, and anything else.
    let byte = prop_oneof![any::<u8>(), prop::sample::select(&b"{}[]\":,\\\n\r\t \0-#&*!|>'%@`=.\xff\x80"[..])];
    prop_oneof![
        (any::<usize>(), byte).prop_map(|(at, byte)| Change::Set(at, byte)),
        (any::<usize>(), prop::collection::vec(any::<u8>(), 1..8)).prop_map(|(at, new)| Change::Insert(at, new)),
        (any::<usize>(), 1..40_usize).prop_map(|(at, length)| Change::Remove(at, length)),
        (any::<usize>(), 1..40_usize).prop_map(|(at, length)| Change::Repeat(at, length)),
        any::<usize>().prop_map(Change::CutAt),
    ]
}

fn changed(good: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut bytes = good.to_vec();
    changes.iter().for_each(|change| change.apply(&mut bytes));
    bytes
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    prop::collection::vec(change(), 1..6)
}

/// Runs something that must not take long, whatever it is given.
fn soon<T>(what: &str, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let outcome = run();
    assert!(start.elapsed() < Duration::from_secs(20), "{what} took {:?}", start.elapsed());
    outcome
}

// JSON-RPC

const LINES: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x","times":3}}}"#,
    r#"{"jsonrpc":"2.0","id":"a","method":"echo","params":{"text":"x","loudness":"low"}}"#,
    r#"{"jsonrpc":"2.0","id":2.5,"method":"numbers"}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"0001"}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"x"}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#,
    r#"{"jsonrpc":"2.0","id":9,"result":{"roots":[{"uri":"file:///x"}]}}"#,
    r#"{"jsonrpc":"2.0","id":4,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"b"}}}"#,
    r#"{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{}},"clientInfo":{"name":"f","version":"1"}}}"#,
];

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn a_server_answers_what_is_good_whatever_else_it_is_sent(
        lines in prop::collection::vec((0..LINES.len(), changes()), 1..24),
        noise in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(async {
            let mut client = Client::initialized(server(&Arc::default())).await;
            let one_line = |mut bytes: Vec<u8>| {
                bytes.retain(|byte| *byte != b'\n');
                bytes
            };
            client.send(one_line(noise)).await;
            let count = lines.len();
            for (number, (line, changes)) in lines.into_iter().enumerate() {
                client.send(one_line(changed(LINES[line].as_bytes(), &changes))).await;
                let good = json!({"name": "echo", "arguments": {"text": format!("{number}")}});
                client.request(format!("good {number}"), "tools/call", good).await;
            }
            for number in 0..count {
                let answer = client.answer(format!("good {number}")).await;
                assert_eq!(answer["result"]["structuredContent"]["text"], json!(format!("{number}")), "{answer}");
            }
            // Whatever else came is JSON-RPC too.
            client.request("last", "ping", json!({})).await;
            loop {
                let message = client.next().await;
                assert_eq!(message["jsonrpc"], "2.0", "{message}");
                if message["id"] == "last" {
                    break;
                }
            }
        });
    }
}

/// A folder that is indexed.
fn indexed(root: &Path, home: &Home) -> Arc<Workspace> {
    let workspace = Workspace::open(Project::locate(root, home, Config::default()).unwrap());
    workspace.run_job(&JobRequest::default(), Work::default()).unwrap();
    workspace
}

// State archives

/// A project and the archive of its state, as entries.
fn exported(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let root = folder.join("good");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("a.py"), "def a():\n    return b()\n").unwrap();
    fs::write(root.join("b.py"), "def b():\n    return 1\n").unwrap();
    let home = Home::new(folder.join("home"));
    let workspace = indexed(&root, &home);
    let path = folder.join("good.tar.zst");
    state::export(&workspace, &path).unwrap();
    let mut archive = tar::Archive::new(zstd::Decoder::new(fs::File::open(&path).unwrap()).unwrap());
    let read = |entry: std::io::Result<tar::Entry<'_, _>>| {
        let mut entry = entry.unwrap();
        let mut content = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut content).unwrap();
        (entry.path().unwrap().to_string_lossy().into_owned(), content)
    };
    archive.entries().unwrap().map(read).collect()
}

fn packed(tar: &[u8]) -> Vec<u8> {
    zstd::encode_all(tar, 1).unwrap()
}

fn tar_of(entries: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, content) in entries {
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, content.as_slice()).unwrap();
    }
    tar.into_inner().unwrap()
}

#[derive(Clone, Debug)]
enum Where {
    /// In the file as it lies on the disk.
    Packed,
    /// In the headers and contents.
    Tar,
    /// In the content of an entry, behind a good header.
    Entry(usize),
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn an_archive_is_taken_in_whole_or_refused_and_nothing_stays_of_it(
        place in prop_oneof![Just(Where::Packed), Just(Where::Tar), any::<usize>().prop_map(Where::Entry)],
        changes in changes(),
    ) {
        static GOOD: std::sync::OnceLock<Vec<(String, Vec<u8>)>> = std::sync::OnceLock::new();
        let good = GOOD.get_or_init(|| exported(tempfile::tempdir().unwrap().path()));
        let bytes = match place {
            Where::Packed => changed(&packed(&tar_of(good)), &changes),
            Where::Tar => packed(&changed(&tar_of(good), &changes)),
            Where::Entry(at) => {
                let mut entries = good.clone();
                let at = at % entries.len();
                entries[at].1 = changed(&entries[at].1, &changes);
                packed(&tar_of(&entries))
            }
        };
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        fs::create_dir(&root).unwrap();
        let project = Project::locate(&root, &Home::new(folder.path().join("home")), Config::default()).unwrap();
        let path = folder.path().join("state.tar.zst");
        fs::write(&path, bytes).unwrap();
        match soon("the import", || state::import(&project, &path, true)) {
            Ok(imported) => prop_assert_eq!(imported.files, 2, "only what changes nothing is taken in"),
            Err(problem) => {
                prop_assert!(matches!(problem, IndexError::BadArchive(_)), "{}", problem);
                prop_assert_eq!(project.store.dir().current().unwrap(), None);
                prop_assert!(!project.store.dir().root().join("g1").exists());
            }
        }
        prop_assert_eq!(fs::read_dir(&root).unwrap().count(), 0, "nothing is written into the project");
    }
}

// A compiler's index

fn scip_index() -> Vec<u8> {
    let occurrence = |range: &[i32], symbol: &str, symbol_roles| Occurrence {
        range: range.to_vec(),
        symbol: symbol.to_owned(),
        symbol_roles,
        ..Occurrence::new()
    };
    let document = Document {
        relative_path: "a.py".to_owned(),
        occurrences: vec![
            occurrence(&[0, 4, 5], "s . p 1 a().", 1),
            occurrence(&[1, 11, 12], "s . p 1 b().", 0),
            occurrence(&[1, 4, 1, 10], "local 1", 1),
        ],
        ..Document::new()
    };
    let metadata = Metadata { project_root: "file:///x/y".to_owned(), ..Metadata::new() };
    let index = Index { metadata: protobuf::MessageField::some(metadata), documents: vec![document], ..Index::new() };
    index.write_to_bytes().unwrap()
}

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn a_compilers_index_is_taken_in_or_refused(changes in changes(), noise in prop::collection::vec(any::<u8>(), 0..100)) {
        static WORKSPACE: std::sync::OnceLock<(tempfile::TempDir, Arc<Workspace>)> = std::sync::OnceLock::new();
        let (folder, workspace) = WORKSPACE.get_or_init(|| {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().join("project");
            fs::create_dir(&root).unwrap();
            fs::write(root.join("a.py"), "def a():\n    return b() # é\n").unwrap();
            let workspace = indexed(&root, &Home::new(folder.path().join("home")));
            (folder, workspace)
        });
        let path = folder.path().join("index.scip");
        for bytes in [changed(&scip_index(), &changes), noise] {
            fs::write(&path, bytes).unwrap();
            let outcome = soon("the import", || ScipFile::open(&path)?.import(workspace, None));
            if let Err(problem) = outcome {
                prop_assert!(matches!(problem, IndexError::BadScip(_)), "{}", problem);
            }
        }
    }
}

// Front matter

const CARD: &str = "\
---
title: \"A card\" # why
status: active
tags: [a, 'b c']
assignee: '@me'
created: 2026-01-02T03:04:05Z
notes: |
  one
  two
more: &x {a: [1, 2]}
again: *x
---

# Body
---
status: no
";

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn a_card_is_refused_or_changed_in_one_value_alone(changes in changes(), value in "\\PC{0,20}") {
        let text = String::from_utf8_lossy(&changed(CARD.as_bytes(), &changes)).into_owned();
        let Ok(Some(before)) = soon("reading", || FrontMatter::parse(&text)) else { return Ok(()) };
        let Ok(edited) = soon("the edit", || edit(&text, &[("status", NewValue::Text(value.clone()))])) else {
            return Ok(());
        };
        let after = FrontMatter::parse(&edited).unwrap().unwrap();
        prop_assert_eq!(after.text("status").unwrap_or_default(), value);
        prop_assert_eq!(&edited[after.body..], &text[before.body..], "the body stays");
        let others = |front: &FrontMatter| -> Vec<_> {
            let others = front.entries.iter().filter(|entry| entry.key != "status");
            others.map(|entry| (entry.key.clone(), entry.value.clone())).collect()
        };
        prop_assert_eq!(others(&before), others(&after));
    }
}

#[test]
fn front_matter_that_is_made_to_take_long_does_not() {
    let many = 20_000;
    let nested = |open: &str, close: &str| format!("a: {}{}\n", open.repeat(many), close.repeat(many));
    let aliases =
        format!("a: [{}]\nb: [{}]\n", join(many, |at| format!("&a{at} x")), join(many, |at| format!("*a{at}")));
    let bomb: String = (1..30).map(|at| format!("k{at}: &b{at} [*b{0}, *b{0}, *b{0}]\n", at - 1)).collect();
    for (what, yaml) in [
        ("lists in lists", nested("[", "]")),
        ("maps in maps", nested("{a: ", "}")),
        ("lists in lists, by dashes", format!("a:\n {}x\n", "- ".repeat(many))),
        ("questions", format!("a:\n {}x\n", "? ".repeat(many))),
        ("many keys", (0..many).map(|at| format!("k{at}: v\n")).collect()),
        ("many anchors and aliases", aliases),
        ("aliases of aliases", format!("k0: &b0 [x]\n{bomb}")),
        ("a long word", format!("a: {}\n", "x".repeat(1 << 20))),
        ("a long key", format!("{}: a\n", "x".repeat(1 << 20))),
        ("many tags", format!("a: {}x\n", "!t ".repeat(many))),
        ("blanks", format!("a: {}x\n", " ".repeat(1 << 20))),
        ("empty lines", format!("a: x\n{}", "\n".repeat(1 << 18))),
        ("escapes", format!("a: \"{}\"\n", "\\u00e9".repeat(many))),
        ("comments", "# x\n".repeat(many)),
    ] {
        let text = format!("---\n{yaml}status: new\n---\nbody\n");
        let read = soon(what, || FrontMatter::parse(&text));
        if matches!(read, Ok(Some(_))) {
            let edited = soon(what, || edit(&text, &[("status", NewValue::Text("done".to_owned()))]));
            assert!(edited.is_ok_and(|edited| edited.contains("status: done")), "{what}");
        }
    }
}

fn join(many: usize, one: impl Fn(usize) -> String) -> String {
    (0..many).map(one).collect::<Vec<_>>().join(", ")
}

// Configuration

const SETTINGS: &str = "\
[index]
max_file_bytes = 1000
[query]
freshness_policy = \"strict\"
[http]
max_requests = 10
[semantic]
enabled = true
ratio = 0.5
";
const DECK_SETTINGS: &str = "\
[core]
token_limit = 1000
[secrets]
defaults = true
[[secrets.pattern]]
name = \"x\"
regex = \"a+\"
[rate_limits]
read_context = 10
";

fn layer(text: &str) -> Layer<'_> {
    Layer { origin: "fuzz", text, of_repository: true }
}

/// Reads a configuration as every command does.
fn read_settings(text: &str) {
    let _ = Config::from_layers([layer(text)]);
    let _ = DeckConfig::parse(Path::new("config.toml"), text, LIMITED);
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn settings_are_read_or_refused(changes in changes(), of_deck in any::<bool>()) {
        let good = if of_deck { DECK_SETTINGS } else { SETTINGS };
        let text = String::from_utf8_lossy(&changed(good.as_bytes(), &changes)).into_owned();
        soon("reading", || read_settings(&text));
    }
}

#[test]
fn settings_that_are_made_to_take_long_do_not() {
    let many = 20_000;
    for (what, text) in [
        ("lists in lists", format!("a = {}{}", "[".repeat(many), "]".repeat(many))),
        ("tables in tables", format!("a = {}1{}", "{a = ".repeat(many), "}".repeat(many))),
        ("dots", format!("{}a = 1", "a.".repeat(many))),
        ("dots in a header", format!("[{}a]\nb = 1", "a.".repeat(many))),
        ("many keys", (0..many).map(|at| format!("k{at} = 1\n")).collect()),
        ("many headers", (0..many).map(|at| format!("[a.b{at}]\nx = 1\n")).collect()),
        ("many tables of a list", "[[a]]\nx = 1\n".repeat(many)),
        ("a long text", format!("a = \"{}\"", "x".repeat(1 << 20))),
        ("a pattern that explodes", "[[secrets.pattern]]\nregex = \"((a{100}){100}){100}\"\n".to_owned()),
    ] {
        soon(what, || read_settings(&text));
    }
}

/// The good ones are good: what the targets change would else be refused at its first byte.
#[test]
fn what_is_changed_is_good_before() {
    assert!(Config::from_layers([layer(SETTINGS)]).is_ok());
    DeckConfig::parse(Path::new("config.toml"), DECK_SETTINGS, LIMITED).unwrap();
    assert_eq!(FrontMatter::parse(CARD).unwrap().unwrap().text("status"), Some("active"));
    assert!(LINES.iter().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.scip");
    fs::write(&path, scip_index()).unwrap();
    assert!(ScipFile::open(&path).is_ok());
    assert_eq!(exported(folder.path()).len(), 6);
}
