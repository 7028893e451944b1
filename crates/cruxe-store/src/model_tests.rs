//! The store against a model of it: whatever is published, swept, killed or rebuilt, and in whatever order, each ref shows what
//! was published for it last, to a reader that is open all the time as to a new one, and no id ever means two contents.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use cruxe_model::{ContentHash, VersionId};
use jiff::Timestamp;
use proptest::prelude::*;

use crate::fixture::{Project, new_version};
use crate::{Embedding, Manifest, NameMatch, RefSnapshot, Store, TextField, Writer};

const REFS: [&str; 3] = ["main", "feature", "other"];
const PATHS: [&str; 4] = ["a.rs", "b.rs", "dir/c.rs", "notes.md"];
/// What a file may hold: nothing, nothing that is indexed, the same as another file, or something of its own.
const TEXTS: [&str; 8] = [
    "",
    "\n\n  \n",
    "fn shared_one() {}\n",
    "fn shared_one() {}\nfn second_two() { shared_one() }\n",
    "// only a comment_three\n",
    "fn fourth_four() { second_two(); fourth_four() }\n",
    "plain words_five and no code\n",
    "struct SixthSix;\nimpl SixthSix { fn seventh_seven(&self) {} }\n",
];
const NAMES: [&str; 5] = ["shared_one", "second_two", "fourth_four", "SixthSix", "seventh_seven"];
const WORDS: [&str; 5] = ["shared", "comment", "fourth", "words", "sixth"];

type Files = BTreeMap<&'static str, &'static str>;

#[derive(Clone, Debug)]
enum Step {
    /// A ref is published with these files.
    Publish(usize, Vec<(usize, usize)>),
    /// A ref is forgotten, and what nobody needs any more is swept.
    Forget(usize),
    /// A writer adds files and is killed, before or after its text is durable.
    Kill(Vec<(usize, usize)>, bool),
    /// Everything is built anew.
    Rebuild,
    /// Another model embeds from now on.
    Model(u8),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let files = || prop::collection::vec((0..PATHS.len(), 0..TEXTS.len()), 0..5);
    let step = prop_oneof![
        6 => (0..REFS.len(), files()).prop_map(|(at, files)| Step::Publish(at, files)),
        2 => (0..REFS.len()).prop_map(Step::Forget),
        2 => (files(), any::<bool>()).prop_map(|(files, text)| Step::Kill(files, text)),
        1 => Just(Step::Rebuild),
        1 => (0..2u8).prop_map(Step::Model),
    ];
    prop::collection::vec(step, 1..14)
}

struct World {
    project: Project,
    refs: BTreeMap<&'static str, Files>,
    model: u8,
    /// A reader that stays open as long as it may.
    reader: Option<Store>,
    /// What each id meant, by generation.
    meant: HashMap<(std::path::PathBuf, VersionId), (String, ContentHash)>,
}

impl World {
    fn embedding(&self) -> Embedding {
        Embedding { model: format!("model {}", self.model), row: 4 }
    }

    /// Adds what the files hold, or finds that it is there.
    fn add(&self, writer: &mut Writer, files: &Files) -> Manifest {
        writer.use_model(Some(&self.embedding())).unwrap();
        let mut manifest = Manifest::default();
        for (path, text) in files {
            let mut new = new_version(path, text);
            new.vectors = (0..new.facts.chunks.len() as u32).flat_map(|chunk| self.row(text, chunk)).collect();
            let known = writer.versions_of(&new.path, &new.module).unwrap();
            let known = known.iter().find(|(hash, _)| *hash == new.hash).map(|(_, id)| *id);
            let id = match known {
                None => writer.add(new).unwrap(),
                Some(id) => {
                    if !writer.without_vectors(&[id].into_iter().collect()).unwrap().is_empty() {
                        writer.add_vectors(id, &new).unwrap();
                    }
                    id
                }
            };
            manifest.add(id);
        }
        manifest
    }

    fn row(&self, text: &str, chunk: u32) -> [u8; 4] {
        (crc32fast::hash(text.as_bytes()) ^ chunk.wrapping_mul(77) ^ u32::from(self.model)).to_le_bytes()
    }

    fn run(&mut self, step: &Step) {
        let named = |files: &[(usize, usize)]| -> Files {
            files.iter().map(|(path, text)| (PATHS[*path], TEXTS[*text])).collect()
        };
        match step {
            Step::Publish(at, files) => {
                let files = named(files);
                let mut writer = self.project.store().write().unwrap();
                let manifest = self.add(&mut writer, &files);
                writer.publish(REFS[*at], &manifest, Timestamp::UNIX_EPOCH).unwrap();
                self.refs.insert(REFS[*at], files);
            }
            Step::Forget(at) => {
                let writer = self.project.store().write().unwrap();
                writer.remove_refs(&[REFS[*at].to_owned()]).unwrap();
                self.refs.remove(REFS[*at]);
            }
            Step::Kill(files, text) => {
                let mut writer = self.project.store().write().unwrap();
                self.add(&mut writer, &named(files));
                if *text {
                    writer.commit_text_only().unwrap();
                }
                drop(writer);
            }
            Step::Rebuild => {
                let mut writer = self.project.store().rebuild().unwrap();
                for (name, files) in &self.refs {
                    let manifest = self.add(&mut writer, files);
                    writer.set_ref(name, &manifest, Timestamp::UNIX_EPOCH).unwrap();
                }
                writer.replace().unwrap();
            }
            Step::Model(model) => self.model = *model,
        }
    }

    fn check(&mut self) {
        let fresh = self.project.store();
        fresh.validate().unwrap();
        fresh.validate_vectors().unwrap();
        let open = self.reader.take().unwrap_or_else(|| self.project.store());
        for store in [&fresh, &open] {
            for name in REFS {
                let snapshot = store.ref_snapshot(name).unwrap();
                assert_eq!(snapshot.is_some(), self.refs.contains_key(name), "{name}");
                if let Some((snapshot, files)) = snapshot.zip(self.refs.get(name)) {
                    check_ref(&snapshot, name, files);
                }
            }
            let snapshot = store.snapshot().unwrap();
            for row in snapshot.refs().unwrap().iter().flat_map(|state| snapshot.files_of(&state.versions).unwrap()) {
                let meaning = (row.path.to_string(), row.hash);
                let before = self.meant.insert((snapshot.index.folder().to_owned(), row.id), meaning.clone());
                assert_eq!(before.as_ref().unwrap_or(&meaning), &meaning, "id {} is used again", row.id);
            }
        }
        self.reader = Some(open);
    }
}

/// A ref is exactly what was published for it.
fn check_ref(snapshot: &RefSnapshot, name: &str, files: &Files) {
    let rows = snapshot.files().unwrap();
    let shown: Vec<(&str, u64)> = rows.iter().map(|row| (row.path.as_str(), row.bytes)).collect();
    let wanted: Vec<(&str, u64)> = files.iter().map(|(path, text)| (*path, text.len() as u64)).collect();
    assert_eq!(shown, wanted, "{name}");

    let facts: BTreeMap<&str, _> = files.iter().map(|(path, text)| (*path, new_version(path, text).facts)).collect();
    for row in &rows {
        assert_eq!(snapshot.facts(row.id).unwrap(), facts[row.path.as_str()], "{name}: {}", row.path);
    }
    for symbol in NAMES {
        let hits = snapshot.find_name(symbol, NameMatch::Exact).unwrap();
        let found: BTreeSet<String> = hits.iter().map(|hit| snapshot.file(hit.version).unwrap().path.into()).collect();
        let defines = |path: &&&str| facts[**path].symbols.iter().any(|one| one.name == symbol);
        let expected: BTreeSet<String> = facts.keys().filter(defines).map(|path| (*path).to_owned()).collect();
        assert_eq!(found, expected, "{name}: who defines {symbol}");
        let users = snapshot.mentioning(symbol).unwrap();
        let uses = |row: &&crate::FileRow| {
            let facts = &facts[row.path.as_str()];
            facts.occurrences.iter().any(|one| facts.name(one.name) == symbol)
        };
        assert!(rows.iter().filter(uses).all(|row| users.contains(&row.id)), "{name}: who uses {symbol}");
    }
    let corpus = snapshot.corpus().unwrap();
    for word in WORDS {
        let chunks = corpus.postings(TextField::Body, &crate::tokens(word)[0]).unwrap();
        let found: BTreeSet<String> =
            chunks.iter().map(|(chunk, _)| corpus.files()[corpus.place(*chunk).0 as usize].path.to_string()).collect();
        let has = |(_, text): &(&&str, &&str)| text.to_lowercase().contains(word);
        let expected: BTreeSet<String> = files.iter().filter(has).map(|(path, _)| (*path).to_owned()).collect();
        assert_eq!(found, expected, "{name}: where {word} stands");
    }
    let vectors = corpus.vectors().expect("a model was in use at every publish");
    assert!(!corpus.vectors_damaged());
    for number in 0..rows.len() as u32 {
        let count: usize = vectors.rows_of(number).map(|rows| rows.len() / 4).sum();
        assert!(count == corpus.chunks_of(number).len() || count == 0, "{name}: rows of file {number}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_ref_is_what_was_published_last_and_no_id_is_used_again(steps in steps()) {
        let (project, refs) = (Project::new(), BTreeMap::new());
        let mut world = World { project, refs, model: 0, reader: None, meant: HashMap::new() };
        world.run(&Step::Publish(0, vec![(0, 2)]));
        for step in &steps {
            world.run(step);
            world.check();
        }
    }
}
