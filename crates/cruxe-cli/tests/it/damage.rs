//! Indexes that something else has damaged.

use std::fs::{self, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Client, DEADLINE, Repo, Sandbox, eventually, sources};

const FILES: usize = 60;

fn locate(client: &mut Client) -> Result<Value, Value> {
    client.answer("locate_symbol", json!({"name": "Shape042::describe", "freshness_policy": "best_effort"}))
}

fn right(answer: &Result<Value, Value>) -> bool {
    answer.as_ref().is_ok_and(|answer| answer["results"][0]["path"] == "src/group2/shape_042.rs")
}

/// Which half of the index is broken.
#[derive(Clone, Copy, PartialEq)]
enum Half {
    Database,
    Text,
}

/// Damages the index under a running server, looks at it with a new one, repairs it, and asks both.
fn check(half: Half, damage: impl Fn(&Repo)) {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(FILES)));
    repo.cruxe(&["index"]).ok();
    let mut running = repo.server();
    assert!(right(&locate(&mut running)));
    damage(&repo);
    // It may still have what it needs in memory; what it may not do is answer wrongly, or die.
    let meanwhile = locate(&mut running);
    let refused = meanwhile.as_ref().is_err_and(|error| error["code"] == "index_incompatible");
    assert!(right(&meanwhile) || refused, "{meanwhile:?}");

    let mut started = repo.server();
    let health = eventually("the damage is noticed", DEADLINE, || {
        let health = started.ok("health_check", json!({}));
        (health["status"] == "error").then_some(health)
    });
    let startup = &health["startup_checks"]["index"];
    assert_eq!(
        (&startup["status"], &health["projects"][0]["schema_status"]),
        (&json!("corrupt_manifest"), &json!("corrupt_manifest"))
    );
    assert!(startup["message"].as_str().unwrap().contains("cruxe index --force"), "{startup}");
    assert_eq!(health["sqlite_ok"], half != Half::Database, "{health}");
    assert_eq!(health["tantivy_ok"], half != Half::Text, "{health}");
    let status = started.ok("index_status", json!({}));
    assert_eq!((&status["schema_status"], &status["index_status"]), (&json!("corrupt_manifest"), &json!("failed")));
    assert_eq!(status["metadata"]["schema_status"], "corrupt_manifest");
    let error = locate(&mut started).unwrap_err();
    assert_eq!(
        (&error["code"], &error["data"]["schema_status"]),
        (&json!("index_incompatible"), &json!("corrupt_manifest"))
    );
    assert!(error["data"]["suggestion"].as_str().unwrap().contains("cruxe index --force"), "{error}");
    let outline = started.error("get_file_outline", json!({"path": "src/group2/shape_042.rs"}));
    assert_eq!(outline["code"], "index_incompatible");

    let doctor = repo.cruxe(&["doctor"]);
    assert_eq!(doctor.code, Some(1), "{}", doctor.transcript());
    assert!(doctor.stdout.contains("FAIL"), "{}", doctor.stdout);
    repair(&repo);
    for (who, client) in [("started after the damage", &mut started), ("running all the time", &mut running)] {
        assert!(right(&locate(client)), "the server {who}: {:?}", locate(client));
        eventually(&format!("the server {who} is ready"), DEADLINE, || {
            (client.ok("health_check", json!({}))["status"] == "ready").then_some(())
        });
    }
}

fn repair(repo: &Repo) {
    let report = repo.cruxe(&["index", "--force", "--json"]).json();
    assert_eq!((&report["status"], &report["file_count"]), (&json!("published"), &json!(FILES)));
    repo.cruxe(&["doctor"]).ok();
}

fn database(repo: &Repo) -> PathBuf {
    repo.generation().join("facts.db")
}

/// The largest file of the full-text index with this ending.
fn segment(repo: &Repo, ending: &str) -> PathBuf {
    let files = fs::read_dir(repo.generation().join("text")).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.to_str().unwrap().ends_with(ending));
    files.max_by_key(|path| path.metadata().unwrap().len()).unwrap()
}

fn overwrite(path: &Path, at: u64, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(bytes).unwrap();
}

fn flip(path: &Path, at: u64, count: usize) {
    let mut bytes = vec![0; count];
    let mut file = fs::File::open(path).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.read_exact(&mut bytes).unwrap();
    bytes.iter_mut().for_each(|byte| *byte = !*byte);
    overwrite(path, at, &bytes);
}

/// Puts another file in its place, as a backup program would.
fn replace(path: &Path, content: &[u8]) {
    let beside = path.with_extension("replacement");
    fs::write(&beside, content).unwrap();
    fs::rename(beside, path).unwrap();
}

#[test]
fn an_overwritten_middle_of_the_database_is_noticed_and_repaired() {
    check(Half::Database, |repo| {
        let path = database(repo);
        let middle = path.metadata().unwrap().len() / 2;
        overwrite(&path, middle, &[0xA5; 64 << 10]);
    });
}

#[test]
fn a_truncated_database_is_noticed_and_repaired() {
    check(Half::Database, |repo| {
        let path = database(repo);
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(path.metadata().unwrap().len() / 2).unwrap();
    });
}

#[test]
fn garbage_in_place_of_the_database_is_noticed_and_repaired() {
    check(Half::Database, |repo| replace(&database(repo), &b"no database at all ".repeat(5000)));
}

#[test]
fn an_empty_database_is_noticed_and_repaired() {
    check(Half::Database, |repo| replace(&database(repo), b""));
}

#[test]
fn a_deleted_database_is_noticed_and_repaired() {
    check(Half::Database, |repo| fs::remove_file(database(repo)).unwrap());
}

#[test]
fn garbage_in_current_is_noticed_and_repaired() {
    for text in ["g99", "nonsense", "", "\0\u{1}\u{2}", "../../elsewhere"] {
        check(Half::Database, |repo| replace(&repo.project_dir().join("CURRENT"), text.as_bytes()));
    }
}

#[test]
fn flipped_bytes_of_a_segment_are_noticed_and_repaired() {
    check(Half::Text, |repo| {
        let path = segment(repo, ".idx");
        let middle = path.metadata().unwrap().len() / 2;
        flip(&path, middle, 16);
    });
}

#[test]
fn a_deleted_segment_file_is_noticed_and_repaired() {
    check(Half::Text, |repo| fs::remove_file(segment(repo, ".term")).unwrap());
}

#[test]
fn garbage_in_the_list_of_segments_is_noticed_and_repaired() {
    check(Half::Text, |repo| replace(&repo.generation().join("text/meta.json"), b"{\"garbage\": "));
}

#[test]
fn a_deleted_list_of_segments_is_noticed_and_repaired() {
    check(Half::Text, |repo| fs::remove_file(repo.generation().join("text/meta.json")).unwrap());
}

#[test]
fn an_index_of_a_newer_program_asks_for_a_reindex() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(FILES)));
    repo.cruxe(&["index"]).ok();
    let mut running = repo.server();
    assert!(right(&locate(&mut running)));
    // `PRAGMA user_version`, where SQLite keeps it.
    overwrite(&database(&repo), 60, &99u32.to_be_bytes());

    let mut started = repo.server();
    let status = started.ok("index_status", json!({}));
    assert_eq!((&status["schema_status"], &status["current_schema_version"]), (&json!("reindex_required"), &json!(99)));
    assert_eq!(status["required_schema_version"], 6);
    let health = started.ok("health_check", json!({}));
    assert_eq!(
        (&health["status"], &health["startup_checks"]["index"]["status"]),
        (&json!("error"), &json!("reindex_required"))
    );
    let error = locate(&mut started).unwrap_err();
    assert_eq!(
        (&error["code"], &error["data"]["schema_status"]),
        (&json!("index_incompatible"), &json!("reindex_required"))
    );
    let plain = repo.cruxe(&["index"]);
    assert_eq!(plain.code, Some(1));
    assert!(plain.stderr.contains("schema version 99") && plain.stderr.contains("--force"), "{}", plain.stderr);
    assert_eq!(repo.cruxe(&["doctor"]).code, Some(1));
    repair(&repo);
    assert!(right(&locate(&mut started)) && right(&locate(&mut running)));
}

#[test]
fn a_plain_index_never_hides_damage() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(FILES)));
    repo.cruxe(&["index"]).ok();
    fs::remove_file(database(&repo)).unwrap();
    for arguments in [&["index"][..], &["sync"], &["search", "Shape001"]] {
        let run = repo.cruxe(arguments);
        assert_eq!(run.code, Some(1), "{arguments:?}: {}", run.transcript());
        assert!(run.stderr.contains("cruxe index --force"), "{arguments:?}: {}", run.stderr);
    }
    repair(&repo);
}

#[test]
fn index_repo_with_force_repairs_too() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(FILES)));
    repo.cruxe(&["index"]).ok();
    replace(&database(&repo), b"garbage");
    let mut client = repo.server();
    assert_eq!(locate(&mut client).unwrap_err()["code"], "index_incompatible");
    let job = client.ok("index_repo", json!({"force": true}));
    assert_eq!(client.wait_for_job(&job["job_id"])["status"], "published");
    assert!(right(&locate(&mut client)));
}

#[test]
fn a_damaged_history_and_record_cost_nothing_but_themselves() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(FILES)));
    repo.cruxe(&["index"]).ok();
    let project = repo.project_dir();
    replace(&project.join("jobs.db"), &b"garbage ".repeat(4096));
    replace(&project.join("project.json"), b"{");
    let mut client = repo.server();
    assert!(right(&locate(&mut client)));
    assert_eq!(client.ok("index_status", json!({}))["recent_jobs"], json!([]));
    repo.cruxe(&["sync"]).ok();
}
