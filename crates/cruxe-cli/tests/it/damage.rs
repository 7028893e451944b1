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
    assert_eq!(status["required_schema_version"], 17);
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

/// Makes it look as if an earlier version had written the index.
fn age(repo: &Repo) {
    overwrite(&database(repo), 60, &7u32.to_be_bytes());
}

#[test]
fn an_index_of_an_earlier_program_is_rebuilt_without_being_asked_for() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(FILES)));
    repo.cruxe(&["index"]).ok();
    age(&repo);
    let doctor = repo.cruxe(&["doctor"]);
    assert_eq!(doctor.code, Some(1));
    assert!(doctor.stdout.contains("run `cruxe index`, or ask something: it is rebuilt"), "{}", doctor.stdout);
    let found = repo.cruxe(&["search", "Shape042::describe"]);
    assert!(found.stderr.contains("an earlier version made this index; it is rebuilt"), "{}", found.transcript());
    assert!(found.ok().contains("src/group2/shape_042.rs"));
    repo.cruxe(&["doctor"]).ok();
    age(&repo);
    repo.cruxe(&["index"]).ok();
    repo.cruxe(&["doctor"]).ok();

    // A server answers as the contract says, says what it does about it, and does it.
    age(&repo);
    let mut client = repo.watching_server();
    let ask = json!({"name": "Shape042::describe"});
    let error = client.answer("locate_symbol", ask.clone()).unwrap_err();
    assert_eq!(
        (&error["code"], &error["data"]["schema_status"]),
        (&json!("index_incompatible"), &json!("reindex_required"))
    );
    let suggestion = error["data"]["suggestion"].as_str().unwrap();
    assert!(suggestion.contains("being rebuilt in the background"), "{suggestion}");
    eventually("the index is rebuilt", DEADLINE, || right(&client.answer("locate_symbol", ask.clone())).then_some(()));
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

/// Every file of the index, and of the history beside it.
fn index_files(repo: &Repo) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in [repo.generation(), repo.generation().join("text"), repo.project_dir()] {
        files.extend(fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()));
    }
    files.sort();
    files
}

#[test]
fn a_server_outlives_files_that_are_cut_under_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(FILES)));
    repo.cruxe(&["index"]).ok();
    let names: Vec<String> = {
        let mut client = repo.server();
        client.ready();
        index_files(&repo).iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
    };
    assert!(names.iter().any(|name| name == "facts.db-shm"), "{names:?}");
    for name in names {
        let mut client = repo.server();
        client.ready();
        let ask = json!({"query": "how does a shape grow", "freshness_policy": "best_effort"});
        let before = client.ok("search_code", ask.clone());
        let Some(path) = index_files(&repo).into_iter().find(|path| path.ends_with(&name)) else { continue };
        OpenOptions::new().write(true).open(&path).unwrap().set_len(0).unwrap();
        for _ in 0..3 {
            let search = client.answer("search_code", ask.clone());
            let refused = search.as_ref().is_err_and(|error| error["code"] == "index_incompatible");
            let found = search.as_ref().is_ok_and(|answer| {
                let by_words = answer["metadata"]["warnings"].to_string().contains("embeddings are damaged");
                answer["results"] == before["results"] || by_words
            });
            assert!(found || refused, "{name}: {search:?}");
            let located = locate(&mut client);
            let refused = located.as_ref().is_err_and(|error| error["code"] == "index_incompatible");
            assert!(right(&located) || refused, "{name}: {located:?}");
        }
        client.ok("health_check", json!({}));
        assert_eq!(client.finish(), Some(0), "{name}");
        repair(&repo);
    }
}

#[test]
fn damaged_embeddings_are_said_in_the_answer_and_made_anew_by_the_next_sync() {
    for damage in ["flipped", "cut", "gone"] {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(FILES)));
        if damage == "gone" {
            // Files whose times tell nothing are read and known by their content; they need embeddings all the same.
            let later = std::time::SystemTime::now() + std::time::Duration::from_secs(3600);
            for number in 0..FILES {
                let file = OpenOptions::new().write(true).open(repo.root.join(sources::shape_path(number))).unwrap();
                file.set_modified(later).unwrap();
            }
        }
        repo.cruxe(&["index"]).ok();
        let right = repo.cruxe(&["search", "how does a shape grow", "--json"]).json();
        let path = repo.generation().join("vectors.1");
        match damage {
            "flipped" => flip(&path, path.metadata().unwrap().len() / 2, 1),
            "cut" => OpenOptions::new().write(true).open(&path).unwrap().set_len(100).unwrap(),
            _ => fs::remove_file(&path).unwrap(),
        }
        let doctor = repo.cruxe(&["doctor"]);
        assert_eq!(doctor.code, Some(1), "{damage}: {}", doctor.transcript());
        assert!(doctor.stdout.contains("FAIL embeddings"), "{damage}: {}", doctor.stdout);
        let answer = repo.cruxe(&["search", "how does a shape grow", "--json"]).json();
        let warnings = answer["metadata"]["warnings"].to_string();
        assert!(warnings.contains("embeddings are damaged"), "{damage}: {warnings}");

        // A server makes them anew by itself; so does a sync.
        let mut client = repo.server();
        eventually("the embeddings are whole again", DEADLINE, || {
            let answer = client.ok("search_code", json!({"query": "how does a shape grow"}));
            (!answer["metadata"]["warnings"].to_string().contains("embeddings")).then_some(())
        });
        repo.cruxe(&["doctor"]).ok();
        let healed = repo.cruxe(&["search", "how does a shape grow", "--json"]).json();
        assert_eq!(healed["results"], right["results"], "{damage}: {}", healed["metadata"]);
    }
}

#[test]
fn a_forced_index_repairs_whatever_is_in_the_folder() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(FILES)));
    repo.git(&["branch", "other"]);
    repo.cruxe(&["index"]).ok();
    repo.cruxe(&["index", "--ref", "other"]).ok();
    let generation = || repo.generation();
    let damages: [(&str, &dyn Fn()); 7] = [
        ("no vectors", &|| fs::remove_file(generation().join("vectors.1")).unwrap()),
        ("cut vectors", &|| fs::write(generation().join("vectors.1"), "x").unwrap()),
        ("a folder in place of vectors", &|| {
            fs::remove_file(generation().join("vectors.1")).unwrap();
            fs::create_dir_all(generation().join("vectors.1/full/of/folders")).unwrap();
        }),
        ("a file in place of the text", &|| {
            fs::remove_dir_all(generation().join("text")).unwrap();
            fs::write(generation().join("text"), "x").unwrap();
        }),
        ("no generation", &|| fs::remove_dir_all(generation()).unwrap()),
        ("a file in place of the generation", &|| {
            let path = generation();
            fs::remove_dir_all(&path).unwrap();
            fs::write(&path, "x").unwrap();
        }),
        ("folders in place of the lists", &|| {
            for name in ["CURRENT", "project.json"] {
                let path = repo.project_dir().join(name);
                fs::remove_file(&path).unwrap();
                fs::create_dir(&path).unwrap();
            }
        }),
    ];
    for (what, damage) in damages {
        damage();
        let run = repo.cruxe(&["index", "--force", "--json"]);
        assert_eq!(run.code, Some(0), "{what}: {}", run.transcript());
        assert_eq!(run.json()["file_count"], FILES, "{what}");
        repo.cruxe(&["doctor"]).ok();
        let mut client = repo.server();
        assert!(right(&locate(&mut client)), "{what}");
        let generations = fs::read_dir(repo.project_dir()).unwrap().flatten();
        let generations = generations.filter(|entry| {
            entry.file_name().to_str().unwrap().strip_prefix('g').is_some_and(|rest| rest.parse::<u64>().is_ok())
        });
        assert_eq!(generations.count(), 1, "{what}");
    }
}

#[test]
fn a_forced_index_keeps_the_other_refs() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(5)));
    repo.git(&["checkout", "-q", "-b", "other"]);
    repo.write("src/only_there.rs", "pub fn only_there() {}\n");
    repo.commit("on the other branch");
    repo.git(&["branch", "gone"]);
    repo.git(&["checkout", "-q", "main"]);
    for name in ["main", "other", "gone"] {
        repo.cruxe(&["index", "--ref", name]).ok();
    }
    repo.git(&["branch", "-q", "-D", "gone"]);
    let report = repo.cruxe(&["index", "--force", "--json"]).json();
    assert!(report["warnings"].to_string().contains("`gone` is gone from git"), "{report}");
    let mut client = repo.server();
    let refs = client.ok("list_refs", json!({}));
    let names: Vec<&str> = refs["refs"].as_array().unwrap().iter().filter_map(|one| one["ref"].as_str()).collect();
    assert_eq!(names, ["main", "other"]);
    let there = client.ok("locate_symbol", json!({"name": "only_there", "ref": "other"}));
    assert_eq!(there["results"][0]["path"], "src/only_there.rs");
    assert_eq!(client.ok("locate_symbol", json!({"name": "only_there", "ref": "main"}))["results"], json!([]));
}

/// Damages the facts of every file and leaves the shape of the database as it is.
fn damage_facts(repo: &Repo) {
    let path = database(repo);
    let mut bytes = fs::read(&path).unwrap();
    let frames: Vec<usize> = bytes
        .windows(4)
        .enumerate()
        .filter(|(at, start)| *start == [0x28, 0xb5, 0x2f, 0xfd] && at % 2048 < 2000)
        .map(|(at, _)| at)
        .collect();
    assert!(frames.len() >= FILES, "{} compressed blobs", frames.len());
    frames.iter().for_each(|at| bytes[at + 20] ^= 1);
    let mut file = OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all(&bytes).unwrap();
}

#[test]
fn damaged_facts_are_refused_and_rebuilt_from_the_source_without_being_asked() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(FILES)));
    repo.cruxe(&["index"]).ok();
    let ask = json!({"path": "src/group2/shape_042.rs"});
    let right = repo.server().ok("get_file_outline", ask.clone());

    damage_facts(&repo);
    let doctor = repo.cruxe(&["doctor"]);
    assert_eq!(doctor.code, Some(1), "{}", doctor.transcript());
    repo.cruxe(&["sync"]).ok();
    repo.cruxe(&["doctor"]).ok();

    damage_facts(&repo);
    let mut client = repo.server();
    let symbols =
        eventually("the facts are right again", DEADLINE, || match client.answer("get_file_outline", ask.clone()) {
            Ok(outline) => Some(outline["symbols"].clone()),
            Err(error) => {
                assert_eq!(error["code"], "index_incompatible", "{error}");
                None
            }
        });
    assert_eq!(symbols, right["symbols"]);
    eventually("the index is sound again", DEADLINE, || (repo.cruxe(&["doctor"]).code == Some(0)).then_some(()));
}
