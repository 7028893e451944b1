//! Writing and reading back, through the same doors that jobs and queries use.

use cruxe_model::VersionId;
use jiff::Timestamp;

use crate::fixture::{Project, new_version};
use crate::schema::SCHEMA_VERSION;
use crate::{CompilerFacts, CompilerRole, CompilerSymbol};
use crate::{Manifest, NameMatch, RefSnapshot, Snapshot, StoreError, VersionSet, Writer, compiler};

const NONE: [VersionId; 0] = [];

impl Project {
    fn writer(&self) -> Writer {
        self.store().write().unwrap()
    }

    /// Publishes a ref with these files and returns their versions.
    fn publish(&self, ref_name: &str, files: &[(&str, &str)]) -> Vec<VersionId> {
        let mut writer = self.writer();
        let ids: Vec<VersionId> = files.iter().map(|(path, text)| add(&mut writer, path, text)).collect();
        writer.publish(ref_name, &manifest(&ids), Timestamp::UNIX_EPOCH).unwrap();
        ids
    }

    fn snapshot(&self) -> Snapshot {
        self.store().snapshot().unwrap()
    }

    fn at(&self, ref_name: &str) -> RefSnapshot {
        self.store().ref_snapshot(ref_name).unwrap().unwrap()
    }

    /// Where a name is defined in a ref.
    fn paths(&self, ref_name: &str, name: &str) -> Vec<String> {
        let snapshot = self.at(ref_name);
        let hits = snapshot.find_name(name, NameMatch::Exact).unwrap();
        hits.iter().map(|hit| snapshot.file(hit.version).unwrap().path.into()).collect()
    }

    /// Versions whose text has a word, of those in a set.
    fn text(&self, word: &str, versions: &VersionSet) -> Vec<VersionId> {
        let mut hits = self.snapshot().index.versions_with(&crate::tokens(word)[0]);
        hits.retain(|version| versions.contains(*version));
        hits.sort();
        hits
    }
}

fn manifest(versions: &[VersionId]) -> Manifest {
    let mut manifest = Manifest::default();
    versions.iter().for_each(|version| manifest.add(*version));
    manifest
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
    assert!(matches!(Project::new().store().snapshot().map(drop), Err(StoreError::NotIndexed)));
}

#[test]
fn text_of_a_killed_writer_is_removed_and_its_ids_are_not_used_again() {
    let project = Project::new();
    let first = project.publish("main", &[("a.rs", "fn a() {}")]);
    let mut writer = project.writer();
    let lost = add(&mut writer, "b.rs", "fn lostword() {}");
    writer.commit_text_only().unwrap();
    drop(writer); // the process dies between the two commits: the transaction is rolled back, the text is not
    let all: VersionSet = (0..100).collect();
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
    let all: VersionSet = (0..1000).collect();
    assert_eq!(project.text("firstword", &all), NONE, "version {} is still there", first[0]);
    assert_eq!(project.text("keptword", &all), kept);
    assert_eq!(project.paths("other", "keptword"), ["kept.rs"]);
    assert_eq!(project.paths("main", "round_79"), ["a.rs"]);
    assert!(matches!(project.snapshot().file(first[0]), Err(StoreError::Corrupt { .. })));
}

#[test]
fn a_list_of_text_files_that_a_loss_of_power_took_costs_nothing() {
    let project = Project::new();
    project.publish("main", &[("a.rs", "fn firstword() {}")]);
    let text = project.dir.current().unwrap().unwrap().join("text");
    let files = || std::fs::read_dir(&text).unwrap().count();
    std::fs::write(text.join(".managed.json"), "").unwrap();
    for round in 0..200 {
        project.publish("main", &[("a.rs", &format!("fn round_{round}() {{}}"))]);
    }
    let versions = project.at("main").state.versions.clone();
    assert_eq!(project.text("round_199", &versions).len(), 1);
    assert_eq!(project.text("firstword", &versions), NONE);
    // What is not needed any more is known and removed all the same.
    assert!(files() < 100, "{}", files());
}

#[test]
fn a_new_index_is_whole_before_anything_leads_to_it() {
    let project = Project::new();
    let _writer = project.writer();
    let folder = project.dir.current().unwrap().unwrap();
    // The log is not waited for: what is only there may be lost.
    let alone = folder.join("alone.db");
    std::fs::copy(folder.join("facts.db"), &alone).unwrap();
    crate::schema::check(&rusqlite::Connection::open(&alone).unwrap()).unwrap();
    crate::text::TextIndex::open(&folder.join("text")).unwrap();
}

#[test]
fn names_are_matched_exactly_then_by_case_then_by_prefix_then_by_similarity() {
    let project = Project::new();
    project.publish("main", &[("a.rs", "fn validate_token() {}\nfn Validate_Token() {}\nfn validate_token_now() {}")]);
    let snapshot = project.at("main");
    let count = |name, how| snapshot.find_name(name, how).unwrap().len();
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
    let reader = project.store();
    let early = reader.ref_snapshot("main").unwrap().unwrap();
    project.publish("main", &[("a.rs", "fn after() {}")]);
    let find = |snapshot: &RefSnapshot, name| snapshot.find_name(name, NameMatch::Exact).unwrap().len();
    assert_eq!((find(&early, "before"), find(&early, "after")), (1, 0));
    let late = reader.ref_snapshot("main").unwrap().unwrap();
    assert_eq!((find(&late, "before"), find(&late, "after")), (0, 1));
    assert!(late.as_of() > early.as_of());
}

#[test]
fn a_rebuild_is_noticed_by_open_readers() {
    let project = Project::new();
    project.publish("main", &[("a.rs", "fn a() {}")]);
    let reader = project.store();
    let before = reader.snapshot().unwrap();
    assert!(before.index.is_current(&project.dir));
    project.store().rebuild().unwrap().replace().unwrap();
    assert!(!before.index.is_current(&project.dir));
    assert!(reader.snapshot().unwrap().ref_state("main").unwrap().is_none());
}

#[test]
fn a_publish_counts_the_files_that_differ_from_the_one_before() {
    let project = Project::new();
    let publish = |files: &[(&str, &str)]| {
        let mut writer = project.writer();
        let ids: Vec<VersionId> = files.iter().map(|(path, text)| add(&mut writer, path, text)).collect();
        writer.publish("main", &manifest(&ids), Timestamp::UNIX_EPOCH).unwrap().changed
    };
    assert_eq!(publish(&[("a.rs", "fn a() {}"), ("b.rs", "fn b() {}")]), 2);
    assert_eq!(publish(&[("a.rs", "fn a() {}"), ("b.rs", "fn b() {}")]), 0);
    assert_eq!(publish(&[("a.rs", "fn other() {}"), ("c.rs", "fn c() {}")]), 3, "changed, removed, added");
}

/// Facts of one symbol that is defined at the start of a file.
fn compiler_facts(key: u64) -> CompilerFacts {
    CompilerFacts::new(vec![(0, CompilerSymbol { key, own: true }, CompilerRole::Definition)])
}

#[test]
fn what_a_compiler_says_goes_with_its_version_and_stays_with_its_text() {
    let project = Project::new();
    let old = project.publish("main", &[("a.py", "def a(): pass"), ("b.py", "def b(): pass")]);
    project.publish("part", &[("b.py", "def b(): pass")]);
    assert!(project.at("main").compiler().unwrap().is_none());
    let mut writer = project.writer();
    old.iter().for_each(|version| writer.set_compiler_facts(*version, &compiler_facts(7)).unwrap());
    writer.publish_compiler_facts().unwrap();
    let compiler = project.at("main").compiler().unwrap().unwrap();
    assert_eq!(compiler.definitions(7), [(old[0], 0), (old[1], 0)]);
    assert_eq!(compiler.users(8), NONE);
    assert_eq!(project.at("part").compiler().unwrap().unwrap().users(7), [old[1]]);

    // The same text as another version, beside a text that nobody has seen.
    let mut writer = project.writer();
    let again = writer.add(new_version("a.py", "def a(): pass")).unwrap();
    let edited = writer.add(new_version("b.py", "def b(): edited")).unwrap();
    writer.publish("main", &manifest(&[again, edited]), Timestamp::UNIX_EPOCH).unwrap();
    let main = project.at("main");
    let compiler = main.compiler().unwrap().unwrap();
    assert_eq!(compiler.facts(again).as_deref(), Some(&compiler_facts(7)));
    assert_eq!(compiler.facts(edited), None);
    assert_eq!(main.compiler_coverage().unwrap(), 1);
    drop(main);
    let covered = || {
        let all: VersionSet = (0..100).collect();
        compiler::covered(project.snapshot().connection().unwrap(), &all.0).unwrap().len()
    };
    assert_eq!(covered(), 3);
    project.writer().remove_refs(&["part".to_owned()]).unwrap();
    assert_eq!(covered(), 1, "versions that no ref has take it with them");
}

#[test]
fn a_later_import_is_seen_by_an_open_index() {
    let project = Project::new();
    let version = project.publish("main", &[("a.py", "def a(): pass")])[0];
    let import = |key| {
        let mut writer = project.writer();
        writer.set_compiler_facts(version, &compiler_facts(key)).unwrap();
        writer.publish_compiler_facts().unwrap();
    };
    import(7);
    let reader = project.store();
    let users = |key| reader.ref_snapshot("main").unwrap().unwrap().compiler().unwrap().unwrap().users(key);
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
    assert!(refused(project.store().snapshot().err()));
    assert!(refused(project.store().write().err()));
    set(SCHEMA_VERSION);
    assert_eq!(project.paths("main", "a"), ["a.py"]);
}

#[test]
fn a_name_loses_the_definitions_of_removed_versions_and_no_others() {
    let project = Project::new();
    project.publish("main", &[("a.rs", "fn same() {}"), ("c.rs", "fn same() {}")]);
    project.publish("other", &[("b.rs", "fn same() {}\nfn Same() {}\nfn only() {}")]);
    let all: VersionSet = (0..100).collect();
    let counts = || {
        let snapshot = project.snapshot();
        ["same", "Same", "only"].map(|name| snapshot.find_name_in(name, NameMatch::Exact, &all).unwrap().len())
    };
    assert_eq!(counts(), [3, 1, 1]);
    project.writer().remove_refs(&["other".to_owned()]).unwrap();
    assert_eq!(counts(), [2, 0, 0]);
    let database = rusqlite::Connection::open(project.dir.current().unwrap().unwrap().join("facts.db")).unwrap();
    let rows: i64 = database.query_row("SELECT count(*) FROM name", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 1);
}
