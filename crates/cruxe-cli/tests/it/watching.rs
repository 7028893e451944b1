//! A server that follows edits. Questions here never start a sync, so what becomes visible was seen by the watcher;
//! and no answer on the way says `fresh` over old content.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Client, Repo, Sandbox, eventually, sources};

const IN_TIME: Duration = Duration::from_secs(60);

fn ask(client: &mut Client, name: &str) -> Value {
    client.ok("locate_symbol", json!({"name": name, "freshness_policy": "best_effort", "limit": 1000}))
}

/// The files in which exactly this name is defined.
fn files(answer: &Value, name: &str) -> Vec<String> {
    let results = answer["results"].as_array().unwrap().iter().filter(|found| found["name"] == name);
    results.map(|found| found["path"].as_str().unwrap().to_owned()).collect()
}

/// Waits until a name is defined in exactly these files.
fn seen(client: &mut Client, what: &str, name: &str, expected: &[&str]) {
    let started = Instant::now();
    let mut asked = 0;
    eventually(what, IN_TIME, || {
        let answer = ask(client, name);
        let new = files(&answer, name) == expected;
        let freshness = answer["metadata"]["freshness_status"].as_str().unwrap();
        assert!(new || freshness != "fresh", "{what}: old content is called fresh: {answer}");
        asked += 1;
        (new && freshness == "fresh").then_some(())
    });
    println!("watch delay: {what}: {} ms, {asked} questions", started.elapsed().as_millis());
}

fn shapes(sandbox: &Sandbox, count: usize) -> Repo<'_> {
    sandbox.repo("shapes", &sources::borrowed(&sources::shapes(count)))
}

#[test]
fn edits_of_single_files_are_followed() {
    let sandbox = Sandbox::new();
    let repo = shapes(&sandbox, 100);
    let mut client = repo.watching_server();
    client.ready();
    repo.write("src/group1/shape_001.rs", "pub fn edited_here() {}\n");
    seen(&mut client, "a file is edited", "edited_here", &["src/group1/shape_001.rs"]);
    repo.write("src/created.rs", "pub fn created_here() {}\n");
    seen(&mut client, "a file is created", "created_here", &["src/created.rs"]);
    fs::rename(repo.root.join("src/created.rs"), repo.root.join("src/renamed.rs")).unwrap();
    seen(&mut client, "a file is renamed", "created_here", &["src/renamed.rs"]);
    repo.remove("src/renamed.rs");
    seen(&mut client, "a file is deleted", "created_here", &[]);
    // As editors save: beside, then over it.
    repo.write("src/group2/.shape_002.rs.swp", "pub fn saved_by_rename() {}\n");
    fs::rename(repo.root.join("src/group2/.shape_002.rs.swp"), repo.root.join("src/group2/shape_002.rs")).unwrap();
    seen(&mut client, "a file is saved by rename", "saved_by_rename", &["src/group2/shape_002.rs"]);
    let outside = sandbox.path("moved_in.rs");
    fs::write(&outside, "pub fn moved_in() {}\n").unwrap();
    fs::rename(&outside, repo.root.join("src/moved_in.rs")).unwrap();
    seen(&mut client, "a file is moved in", "moved_in", &["src/moved_in.rs"]);
    repo.write(".gitignore", "moved_in.rs\n");
    seen(&mut client, "a file is ignored", "moved_in", &[]);
}

#[test]
fn edits_in_quick_succession_are_each_followed() {
    let sandbox = Sandbox::new();
    let repo = shapes(&sandbox, 30);
    let mut client = repo.watching_server();
    client.ready();
    let mut slowest = Duration::ZERO;
    for round in 0..30 {
        let name = format!("round_{round:02}");
        repo.write("src/edited.rs", format!("pub fn {name}() {{}}\n"));
        let started = Instant::now();
        eventually("the edit is seen", IN_TIME, || {
            let answer = ask(&mut client, &name);
            let new = files(&answer, &name) == ["src/edited.rs"];
            assert!(new || answer["metadata"]["freshness_status"] != "fresh", "round {round}: {answer}");
            new.then_some(())
        });
        slowest = slowest.max(started.elapsed());
    }
    println!("watch delay: the slowest of 30 edits in a row: {} ms", slowest.as_millis());
}

#[test]
fn folders_come_and_go() {
    let sandbox = Sandbox::new();
    let repo = shapes(&sandbox, 40);
    let mut client = repo.watching_server();
    client.ready();
    for (path, name) in [("new/a.rs", "in_a"), ("new/deep/b.rs", "in_b"), ("new/deep/deeper/c.rs", "in_c")] {
        repo.write(path, format!("pub fn {name}() {{}}\n"));
    }
    seen(&mut client, "a tree of folders is created", "in_c", &["new/deep/deeper/c.rs"]);
    repo.write("new/deep/deeper/c.rs", "pub fn in_c_again() {}\n");
    seen(&mut client, "a file in a new folder is edited", "in_c_again", &["new/deep/deeper/c.rs"]);
    fs::rename(repo.root.join("new"), repo.root.join("moved")).unwrap();
    seen(&mut client, "a folder is renamed", "in_b", &["moved/deep/b.rs"]);
    repo.write("moved/deep/b.rs", "pub fn in_b_again() {}\n");
    seen(&mut client, "a file in a renamed folder is edited", "in_b_again", &["moved/deep/b.rs"]);
    repo.remove("moved");
    seen(&mut client, "a folder is deleted", "in_b_again", &[]);
    assert_eq!(files(&ask(&mut client, "in_a"), "in_a"), Vec::<String>::new());
}

#[test]
fn a_question_between_a_new_folder_and_its_first_file_hides_nothing() {
    let sandbox = Sandbox::new();
    let repo = shapes(&sandbox, 10);
    let mut client = repo.watching_server();
    client.ready();
    for round in 0..10 {
        fs::create_dir(repo.root.join(format!("fresh{round}"))).unwrap();
        ask(&mut client, "Shape001");
        let (path, name) = (format!("fresh{round}/a.rs"), format!("first_in_{round}"));
        repo.write(&path, format!("pub fn {name}() {{}}\n"));
        seen(&mut client, "the first file of a new folder", &name, &[&path]);
    }
}

#[test]
fn a_folder_that_was_deleted_and_made_again_is_followed() {
    let sandbox = Sandbox::new();
    let repo = shapes(&sandbox, 10);
    repo.write("again/a.rs", "pub fn made_once() {}\n");
    let mut client = repo.watching_server();
    client.ready();
    for round in 0..5 {
        repo.remove("again");
        let name = format!("made_again_{round}");
        repo.write("again/a.rs", format!("pub fn {name}() {{}}\n"));
        seen(&mut client, "a folder is made again", &name, &["again/a.rs"]);
        let name = format!("edited_again_{round}");
        repo.write("again/a.rs", format!("pub fn {name}() {{}}\n"));
        seen(&mut client, "a file in a folder made again is edited", &name, &["again/a.rs"]);
    }
}

#[test]
fn checkouts_resets_and_rebases_are_followed() {
    let sandbox = Sandbox::new();
    let repo = shapes(&sandbox, 60);
    repo.git(&["checkout", "-q", "-b", "topic"]);
    repo.write("src/topic.rs", "pub fn only_on_topic() {}\n");
    for number in 0..30 {
        repo.write(&sources::shape_path(number), format!("pub fn topic_{number}() {{}}\n"));
    }
    repo.commit("topic");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("src/onmain.rs", "pub fn later_on_main() {}\n");
    repo.commit("main moves on");
    let mut client = repo.watching_server();
    client.ready();

    repo.git(&["checkout", "-q", "topic"]);
    seen(&mut client, "another branch is checked out", "only_on_topic", &["src/topic.rs"]);
    assert_eq!(ask(&mut client, "topic_29")["metadata"]["ref"], "topic");
    repo.git(&["rebase", "-q", "main"]);
    seen(&mut client, "a branch is rebased", "later_on_main", &["src/onmain.rs"]);
    assert_eq!(files(&ask(&mut client, "only_on_topic"), "only_on_topic"), ["src/topic.rs"]);
    repo.git(&["reset", "-q", "--hard", "HEAD~1"]);
    seen(&mut client, "a branch is reset", "only_on_topic", &[]);
    repo.git(&["checkout", "-q", "main"]);
    seen(&mut client, "the first branch is checked out again", "make_shape_003", &["src/group3/shape_003.rs"]);
    let head = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["checkout", "-q", &head]);
    seen(&mut client, "a commit is checked out", "later_on_main", &["src/onmain.rs"]);
}

#[test]
fn a_change_of_500_files_is_followed_as_a_whole() {
    let sandbox = Sandbox::new();
    let repo = shapes(&sandbox, 500);
    let mut client = repo.watching_server();
    client.ready();
    let started = Instant::now();
    for number in 0..500 {
        repo.write(&sources::shape_path(number), format!("pub fn mass_change() {{}}\npub fn mass_{number}() {{}}\n"));
    }
    println!("writing 500 files took {} ms", started.elapsed().as_millis());
    let started = Instant::now();
    eventually("the mass change is seen", IN_TIME, || {
        let answer = ask(&mut client, "mass_change");
        let found = files(&answer, "mass_change").len();
        let freshness = answer["metadata"]["freshness_status"].as_str().unwrap();
        assert!(found == 500 || freshness != "fresh", "{found} files and {freshness}");
        (found == 500 && freshness == "fresh").then_some(())
    });
    println!("watch delay: 500 files: {} ms", started.elapsed().as_millis());
    let status = client.ready();
    assert_eq!((&status["file_count"], &status["symbol_count"]), (&json!(500), &json!(1000)));
}

#[test]
fn edits_made_while_no_server_ran_are_taken_in_at_the_next_start() {
    let sandbox = Sandbox::new();
    let repo = shapes(&sandbox, 20);
    repo.cruxe(&["index"]).ok();
    repo.write("src/meanwhile.rs", "pub fn meanwhile() {}\n");
    let mut client = repo.watching_server();
    seen(&mut client, "an edit before the start", "meanwhile", &["src/meanwhile.rs"]);
}

#[test]
fn a_folder_outside_git_is_followed_too() {
    let sandbox = Sandbox::new();
    let repo = sandbox.folder("plain", &sources::borrowed(&sources::shapes(10)));
    let mut client = repo.watching_server();
    assert_eq!(client.ready()["ref"], "live");
    repo.write("src/added.rs", "pub fn added_to_plain() {}\n");
    seen(&mut client, "a file is created outside git", "added_to_plain", &["src/added.rs"]);
}

#[test]
fn a_job_of_another_process_is_seen_at_the_next_question() {
    let sandbox = Sandbox::new();
    let repo = shapes(&sandbox, 10);
    let mut client = repo.server();
    client.ready();
    repo.write("src/added.rs", "pub fn added() {}\n");
    assert_eq!(files(&ask(&mut client, "added"), "added"), Vec::<String>::new());
    repo.cruxe(&["sync"]).ok();
    let answer = ask(&mut client, "added");
    assert_eq!(files(&answer, "added"), ["src/added.rs"]);
    assert_eq!(answer["metadata"]["freshness_status"], "fresh");
}
