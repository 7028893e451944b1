//! Writing and reading back, through the same doors that jobs and queries use.

use cruxe_model::VersionId;
use jiff::Timestamp;
use roaring::RoaringBitmap;

use crate::fixture::{Project, new_version};
use crate::schema::SCHEMA_VERSION;
use crate::{CompilerFacts, CompilerRole, CompilerSymbol};
use crate::{Index, Manifest, NameMatch, StoreError, Writer, WriterLock};

const NONE: [VersionId; 0] = [];

impl Project {
    fn writer(&self) -> Writer {
        Writer::open(&self.dir, WriterLock::acquire(&self.dir.lock_path()).unwrap()).unwrap()
    }

    /// Publishes a ref with these files and returns their versions.
    fn publish(&self, ref_name: &str, files: &[(&str, &str)]) -> Vec<VersionId> {
        let mut writer = self.writer();
        let ids: Vec<VersionId> = files.iter().map(|(path, text)| add(&mut writer, path, text)).collect();
        let manifest = Manifest { versions: ids.iter().copied().collect(), ..Manifest::default() };
        writer.publish(ref_name, &manifest, Timestamp::UNIX_EPOCH).unwrap();
        ids
    }

    /// Where a name is defined in a ref.
    fn paths(&self, ref_name: &str, name: &str) -> Vec<String> {
        let snapshot = Index::open(&self.dir).unwrap().snapshot().unwrap();
        let state = snapshot.ref_state(ref_name).unwrap().unwrap();
        let hits = snapshot.find_name(name, NameMatch::Exact, &state.versions).unwrap();
        hits.iter().map(|hit| snapshot.file(hit.version).unwrap().path.into()).collect()
    }

    /// Versions whose text has a word, of those in a set.
    fn text(&self, word: &str, versions: &RoaringBitmap) -> Vec<VersionId> {
        let mut hits = Index::open(&self.dir).unwrap().versions_with(&crate::tokens(word)[0]);
        hits.retain(|version| versions.contains(*version));
        hits.sort();
        hits
    }
}

/// Adds a file, or finds the version that it already has.
fn add(writer: &mut Writer, path: &str, text: &str) -> VersionId {
    let new = new_version(path, text);
    let known = writer.versions_of(&new.path, &new.module).unwrap();
    match known.iter().find(|(hash, _)| *hash == new.hash) {
        Some((_, id)) => *id,
        None => writer.add(new).unwrap(),
    }
}

#[test]
fn a_ref_shows_its_own_versions_and_no_others() {
    let project = Project::new();
    let main = project.publish("main", &[("a.rs", "fn old() {}"), ("b.rs", "fn shared() {}")]);
    let feature = project.publish("feature", &[("a.rs", "fn new() {}"), ("b.rs", "fn shared() {}")]);
    assert_eq!(main[1], feature[1], "an unchanged file is the same version");
    assert_eq!((project.paths("main", "old"), project.paths("main", "new")), (vec!["a.rs".to_owned()], vec![]));
    assert_eq!((project.paths("feature", "old"), project.paths("feature", "new")), (vec![], vec!["a.rs".to_owned()]));
    assert_eq!(project.text("old", &main.iter().copied().collect()), [main[0]]);
    assert_eq!(project.text("old", &feature.iter().copied().collect()), NONE);
}

#[test]
fn what_is_not_published_is_not_seen() {
    let project = Project::new();
    project.publish("main", &[("a.rs", "fn a() {}")]);
    let mut writer = project.writer();
    add(&mut writer, "b.rs", "fn b() {}");
    assert_eq!(project.paths("main", "b"), Vec::<String>::new());
    writer.abandon();
    assert_eq!(project.paths("main", "a"), ["a.rs"]);
    assert!(matches!(Index::open(&Project::new().dir).map(drop), Err(StoreError::NotIndexed)));
}

#[test]
fn text_of_a_killed_writer_is_removed_and_its_ids_are_not_used_again() {
    let project = Project::new();
    let first = project.publish("main", &[("a.rs", "fn a() {}")]);
    let mut writer = project.writer();
    let lost = add(&mut writer, "b.rs", "fn lostword() {}");
    writer.commit_text_only().unwrap();
    drop(writer); // the process dies between the two commits: the transaction is rolled back, the text is not
    let all: RoaringBitmap = (0..100).collect();
    assert_eq!(project.text("lostword", &all), [lost]);

    let next = project.publish("main", &[("a.rs", "fn a() {}"), ("c.rs", "fn c() {}")]);
    assert_eq!(next[0], first[0]);
    assert!(next[1] > lost, "{next:?} reuses {lost}");
    assert_eq!(project.text("lostword", &all), NONE);
    assert_eq!(project.paths("main", "c"), ["c.rs"]);
}

#[test]
fn versions_that_no_ref_needs_are_swept_with_their_text() {
    let project = Project::new();
    let kept = project.publish("other", &[("kept.rs", "fn keptword() {}")]);
    let first = project.publish("main", &[("a.rs", "fn firstword() {}")]);
    for round in 0..80 {
        project.publish("main", &[("a.rs", &format!("fn round_{round}() {{}}"))]);
    }
    let all: RoaringBitmap = (0..1000).collect();
    assert_eq!(project.text("firstword", &all), NONE, "version {} is still there", first[0]);
    assert_eq!(project.text("keptword", &all), kept);
    assert_eq!(project.paths("other", "keptword"), ["kept.rs"]);
    assert_eq!(project.paths("main", "round_79"), ["a.rs"]);
    let snapshot = Index::open(&project.dir).unwrap().snapshot().unwrap();
    assert!(matches!(snapshot.file(first[0]), Err(StoreError::Corrupt { .. })));
}

#[test]
fn names_are_matched_exactly_then_by_case_then_by_prefix_then_by_similarity() {
    let project = Project::new();
    project.publish("main", &[("a.rs", "fn validate_token() {}\nfn Validate_Token() {}\nfn validate_token_now() {}")]);
    let snapshot = Index::open(&project.dir).unwrap().snapshot().unwrap();
    let state = snapshot.ref_state("main").unwrap().unwrap();
    let count = |name, how| snapshot.find_name(name, how, &state.versions).unwrap().len();
    assert_eq!(count("validate_token", NameMatch::Exact), 1);
    assert_eq!(count("validate_token", NameMatch::CaseInsensitive), 1);
    assert_eq!(count("VALIDATE_TOKEN", NameMatch::CaseInsensitive), 2);
    assert_eq!(count("validate_tok", NameMatch::Prefix), 3);
    assert_eq!(count("valdiate_tokne", NameMatch::Typo), 2);
    assert_eq!(count("nothing_like_it", NameMatch::Typo), 0);
    assert_eq!(count("validate%", NameMatch::Prefix), 0, "wildcards are just text");
}

#[test]
fn a_reader_keeps_its_view_while_a_writer_publishes() {
    let project = Project::new();
    project.publish("main", &[("a.rs", "fn before() {}")]);
    let index = Index::open(&project.dir).unwrap();
    let early = index.snapshot().unwrap();
    project.publish("main", &[("a.rs", "fn after() {}")]);
    let find = |snapshot: &crate::Snapshot, name| {
        let state = snapshot.ref_state("main").unwrap().unwrap();
        snapshot.find_name(name, NameMatch::Exact, &state.versions).unwrap().len()
    };
    assert_eq!((find(&early, "before"), find(&early, "after")), (1, 0));
    let late = index.snapshot().unwrap();
    assert_eq!((find(&late, "before"), find(&late, "after")), (0, 1));
    assert!(late.published() > early.published());
}

#[test]
fn a_rebuild_is_noticed_by_open_readers() {
    let project = Project::new();
    project.publish("main", &[("a.rs", "fn a() {}")]);
    let index = Index::open(&project.dir).unwrap();
    assert!(index.is_current(&project.dir));
    Writer::rebuild(&project.dir, WriterLock::acquire(&project.dir.lock_path()).unwrap()).unwrap().abandon();
    assert!(!index.is_current(&project.dir));
    let snapshot = Index::open(&project.dir).unwrap().snapshot().unwrap();
    assert!(snapshot.ref_state("main").unwrap().is_none());
}

/// Facts of one symbol that is defined at the start of a file.
fn compiler_facts(key: u64) -> CompilerFacts {
    CompilerFacts::new(vec![(0, CompilerSymbol { key, own: true }, CompilerRole::Definition)])
}

#[test]
fn what_a_compiler_says_goes_with_its_version_and_stays_with_its_text() {
    let project = Project::new();
    let old = project.publish("main", &[("a.py", "def a(): pass"), ("b.py", "def b(): pass")]);
    let all: RoaringBitmap = (0..100).collect();
    let snapshot = || Index::open(&project.dir).unwrap().snapshot().unwrap();
    assert!(snapshot().compiler(&all).unwrap().is_none());
    let mut writer = project.writer();
    old.iter().for_each(|version| writer.set_compiler_facts(*version, &compiler_facts(7)).unwrap());
    writer.publish_compiler_facts().unwrap();
    let compiler = snapshot().compiler(&all).unwrap().unwrap();
    assert_eq!(compiler.definitions(7, &all), [(old[0], 0), (old[1], 0)]);
    assert_eq!(compiler.users(7, &RoaringBitmap::from([old[1]])), [old[1]]);
    assert_eq!(compiler.users(8, &all), NONE);

    // The same text as another version, beside a text that nobody has seen.
    let mut writer = project.writer();
    let again = writer.add(new_version("a.py", "def a(): pass")).unwrap();
    let edited = writer.add(new_version("b.py", "def b(): edited")).unwrap();
    let manifest = Manifest { versions: [again, edited].into_iter().collect(), ..Manifest::default() };
    writer.publish("main", &manifest, Timestamp::UNIX_EPOCH).unwrap();
    let compiler = snapshot().compiler(&all).unwrap().unwrap();
    assert_eq!(compiler.facts(again).as_deref(), Some(&compiler_facts(7)));
    assert_eq!(compiler.facts(edited), None);
    assert_eq!(snapshot().compiler_coverage(&manifest.versions).unwrap(), 1);
    assert_eq!(snapshot().compiler_coverage(&all).unwrap(), 3);
    project.writer().remove_refs(&["none".to_owned()]).unwrap();
    assert_eq!(snapshot().compiler_coverage(&all).unwrap(), 1, "versions that no ref has take it with them");
}

#[test]
fn a_later_import_is_seen_by_an_open_index() {
    let project = Project::new();
    let version = project.publish("main", &[("a.py", "def a(): pass")])[0];
    let versions = RoaringBitmap::from([version]);
    let import = |key| {
        let mut writer = project.writer();
        writer.set_compiler_facts(version, &compiler_facts(key)).unwrap();
        writer.publish_compiler_facts().unwrap();
    };
    import(7);
    let index = Index::open(&project.dir).unwrap();
    let users = |key| index.snapshot().unwrap().compiler(&versions).unwrap().unwrap().users(key, &versions);
    assert_eq!((users(7), users(9)), (vec![version], vec![]));
    import(9);
    assert_eq!((users(7), users(9)), (vec![], vec![version]));
}

#[test]
fn an_index_of_an_earlier_schema_is_refused_and_left_alone() {
    let project = Project::new();
    project.publish("main", &[("a.py", "def a(): pass")]);
    let database = project.dir.current().unwrap().unwrap().join("facts.db");
    let set = |version: i64| {
        rusqlite::Connection::open(&database).unwrap().pragma_update(None, "user_version", version).unwrap();
    };
    set(SCHEMA_VERSION - 1);
    let refused = |problem: Option<StoreError>| matches!(problem, Some(StoreError::Incompatible { found, required: SCHEMA_VERSION }) if found == SCHEMA_VERSION - 1);
    assert!(refused(Index::open(&project.dir).err()));
    let lock = WriterLock::acquire(&project.dir.lock_path()).unwrap();
    assert!(refused(Writer::open(&project.dir, lock).err()));
    set(SCHEMA_VERSION);
    assert_eq!(project.paths("main", "a"), ["a.py"]);
}

#[test]
fn a_name_loses_the_definitions_of_removed_versions_and_no_others() {
    let project = Project::new();
    project.publish("main", &[("a.rs", "fn same() {}"), ("c.rs", "fn same() {}")]);
    project.publish("other", &[("b.rs", "fn same() {}\nfn Same() {}\nfn only() {}")]);
    let all: RoaringBitmap = (0..100).collect();
    let counts = || {
        let snapshot = Index::open(&project.dir).unwrap().snapshot().unwrap();
        ["same", "Same", "only"].map(|name| snapshot.find_name(name, NameMatch::Exact, &all).unwrap().len())
    };
    assert_eq!(counts(), [3, 1, 1]);
    project.writer().remove_refs(&["other".to_owned()]).unwrap();
    assert_eq!(counts(), [2, 0, 0]);
    let database = rusqlite::Connection::open(project.dir.current().unwrap().unwrap().join("facts.db")).unwrap();
    let rows: i64 = database.query_row("SELECT count(*) FROM name", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 1);
}
