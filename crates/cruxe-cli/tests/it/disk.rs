//! Disks that are full or cannot be written.

use std::path::PathBuf;
use std::process::Command;

use serde_json::json;

use crate::support::{Sandbox, run, sources};

/// A small disk in memory; unmounted at the end.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(at: PathBuf, size: &str) -> Option<SmallDisk> {
        std::fs::create_dir_all(&at).unwrap();
        mount(&at, &format!("size={size}")).then_some(SmallDisk(at))
    }

    fn resize(&self, size: &str) {
        assert!(mount(&self.0, &format!("remount,size={size}")));
    }

    fn read_only(&self, yes: bool) {
        assert!(mount(&self.0, if yes { "remount,ro" } else { "remount,rw" }));
    }
}

fn mount(at: &std::path::Path, options: &str) -> bool {
    let run = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(at).output();
    run.is_ok_and(|run| run.status.success())
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}

#[test]
fn a_full_disk_fails_the_job_with_words_and_keeps_what_is_published() {
    let place = Sandbox::new();
    let Some(disk) = SmallDisk::mount(place.path("small"), "2m") else {
        println!("skipped: mounting a tmpfs is not permitted here");
        return;
    };
    let sandbox = Sandbox::with_home(&disk.0);
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(10)));
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    client.ready();
    for number in 10..1500 {
        repo.write(&sources::shape_path(number), sources::shape(number));
    }
    let run = repo.cruxe(&["index"]);
    assert_eq!(run.code, Some(3), "{}", run.transcript());
    let words = run.stderr.to_lowercase();
    assert!(words.contains("full") || words.contains("space"), "{}", run.stderr);
    assert!(!words.contains("panicked") && !words.contains("damaged"), "{}", run.stderr);

    let ask = json!({"name": "Shape007", "freshness_policy": "best_effort"});
    for client in [&mut client, &mut repo.server()] {
        let answer = client.ok("locate_symbol", ask.clone());
        assert_eq!(answer["results"][0]["path"], "src/group7/shape_007.rs");
        assert_eq!(answer["metadata"]["freshness_status"], "stale");
    }
    // Either there is room to note the job, and it fails, or not even that.
    match client.answer("sync_repo", json!({})) {
        Ok(job) => assert_eq!(client.wait_for_job(&job["job_id"])["status"], "failed"),
        Err(error) => assert_eq!(error["message"], "database: database or disk is full"),
    }
    disk.resize("64m");
    let report = repo.cruxe(&["index", "--json"]).json();
    assert_eq!((&report["file_count"], &report["symbol_count"]), (&json!(1500), &json!(1500 * 9)));
    let answer = client.ok("locate_symbol", json!({"name": "Shape1499", "freshness_policy": "strict"}));
    assert_eq!(answer["results"][0]["path"], "src/group9/shape_1499.rs");
    repo.cruxe(&["doctor"]).ok();
}

#[test]
fn a_home_that_cannot_be_written_still_answers_and_says_why_it_does_not_sync() {
    let place = Sandbox::new();
    let Some(disk) = SmallDisk::mount(place.path("small"), "64m") else {
        println!("skipped: mounting a tmpfs is not permitted here");
        return;
    };
    let sandbox = Sandbox::with_home(&disk.0);
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(10)));
    repo.cruxe(&["index"]).ok();
    disk.read_only(true);
    let asked = [
        (&["search", "Shape007"][..], "src/group7/shape_007.rs"),
        (&["refs", "make_shape_003"], "shape_003.rs"),
        (&["calls", "make_shape_003"], "make_shape_003"),
        (&["search", "how does a shape grow"], "shape_"),
    ];
    for (arguments, expected) in asked {
        let answer = repo.cruxe(arguments).ok();
        assert!(answer.contains(expected), "{arguments:?}: {answer}");
    }
    let ask = json!({"name": "Shape007", "freshness_policy": "best_effort"});
    let mut client = repo.server();
    let answer = client.ok("locate_symbol", ask.clone());
    assert_eq!(answer["results"][0]["path"], "src/group7/shape_007.rs");
    assert_eq!(answer["metadata"]["freshness_status"], "fresh");

    repo.write("src/new.rs", "pub fn written_afterwards() {}\n");
    for arguments in [&["sync"][..], &["index"], &["index", "--force"]] {
        let run = repo.cruxe(arguments);
        assert_eq!(run.code, Some(3), "{arguments:?}: {}", run.transcript());
        assert!(run.stderr.contains("Read-only file system"), "{arguments:?}: {}", run.stderr);
    }
    let run = repo.cruxe(&["search", "Shape007"]);
    assert!(run.stdout.contains("src/group7/shape_007.rs"), "{}", run.transcript());
    assert!(run.stderr.contains("could not be brought up to date"), "{}", run.stderr);
    assert_eq!(client.ok("locate_symbol", ask)["metadata"]["freshness_status"], "stale");

    disk.read_only(false);
    repo.cruxe(&["sync"]).ok();
    let answer = client.ok("locate_symbol", json!({"name": "written_afterwards", "freshness_policy": "strict"}));
    assert_eq!(answer["results"][0]["path"], "src/new.rs");
    repo.cruxe(&["doctor"]).ok();
}

#[test]
fn files_may_be_limited_in_size() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(10)));
    repo.cruxe(&["index"]).ok();
    for number in 10..600 {
        repo.write(&sources::shape_path(number), sources::shape(number));
    }
    // Blocks of 512 bytes or of 1,024: less than the database needs either way.
    let mut limited = sandbox.command("sh");
    let program = env!("CARGO_BIN_EXE_cruxe");
    limited.current_dir(&repo.root).args(["-c", "ulimit -f 100; exec \"$0\" sync", program]);
    let run = run(&mut limited);
    assert_eq!(run.code, Some(3), "{}", run.transcript());
    assert!(!run.stderr.contains("panicked") && !run.stderr.contains("damaged"), "{}", run.stderr);
    let mut client = repo.server();
    let answer = client.ok("locate_symbol", json!({"name": "Shape007", "freshness_policy": "best_effort"}));
    assert_eq!(answer["results"][0]["path"], "src/group7/shape_007.rs");
    let report = repo.cruxe(&["sync", "--json"]).json();
    assert_eq!(report["file_count"], 600);
    repo.cruxe(&["doctor"]).ok();
}

#[test]
fn a_home_that_cannot_be_made_is_named() {
    let place = Sandbox::new();
    let file = place.path("file");
    std::fs::write(&file, "x").unwrap();
    let home = file.join("home");
    let sandbox = Sandbox::with_home(&home);
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(3)));
    for arguments in [&["index"][..], &["search", "Shape001"], &["init"], &["sync"]] {
        let run = repo.cruxe(arguments);
        assert_eq!(run.code, Some(3), "{arguments:?}: {}", run.transcript());
        assert!(run.stderr.contains(home.to_str().unwrap()), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains("Not a directory"), "{arguments:?}: {}", run.stderr);
    }
    let mut client = repo.server();
    match client.answer("locate_symbol", json!({"name": "Shape001"})) {
        Ok(answer) => assert_ne!(answer["metadata"]["indexing_status"], "ready", "{answer}"),
        Err(error) => assert!(error["message"].as_str().unwrap().contains("Not a directory"), "{error}"),
    }
    let error = client.error("index_repo", json!({}));
    assert!(error["message"].as_str().unwrap().contains(home.to_str().unwrap()), "{error}");
}
