//! What breaks, and what becomes of it.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::support::{Team, files, until};

const SOON: Duration = Duration::from_secs(30);

#[test]
fn a_damaged_blob_is_noticed_and_written_anew() {
    let Some(team) = Team::new() else { return };
    team.repo("org/app", &[("a.py", "def one(): pass\n")]);
    team.work("w1");
    let blobs = files(&team.blobs());
    for (number, blob) in blobs.iter().enumerate() {
        let mut bytes = fs::read(blob).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0xff;
        fs::write(blob, bytes).unwrap();
        let token = team.token(&format!("t{number}"), &[&["*"]]);
        let node = team.start_node(&format!("n{number}"), &[]);
        let error = node.locate(&token, "org/app", "one").unwrap_err();
        assert!(error.to_string().contains("damaged"), "an error and no wrong answer: {error}");
        assert_eq!(team.work("w1"), 1, "the node asked for it");
        until("it is answered", SOON, || node.locate(&token, "org/app", "one").is_ok_and(|found| found == ["a.py:1"]));
    }
}

#[test]
fn a_node_that_finds_its_own_files_changed_fetches_them_again() {
    let Some(team) = Team::new() else { return };
    let repo = team.repo("org/app", &[("a.py", "def one(): pass\n")]);
    team.work("w1");
    let token = team.token("alice", &[&["*"]]);
    let mut node = team.start_node("n1", &[]);
    node.locate(&token, "org/app", "one").unwrap();
    node.running.kill();
    let database = files(&team.path("n1")).into_iter().find(|path| path.ends_with("facts.db")).unwrap();
    let mut bytes = fs::read(&database).unwrap();
    bytes.iter_mut().skip(4096).step_by(97).for_each(|byte| *byte ^= 0x55);
    fs::write(&database, bytes).unwrap();
    repo.push(&[("a.py", "\n\ndef one(): pass\n")]);
    team.run(&["repo", "sync", "org/app"]);
    team.work("w1");
    let node = team.start_node("n1", &[]);
    until("it is answered", SOON, || node.locate(&token, "org/app", "one").is_ok_and(|found| found == ["a.py:3"]));
}

#[test]
fn answers_go_on_while_postgresql_restarts_and_pushes_after_it() {
    let Some(team) = Team::alone() else { return };
    let Ok(restart) = std::env::var("CRUXE_TEST_POSTGRES_RESTART") else {
        eprintln!("skipped: no CRUXE_TEST_POSTGRES_RESTART");
        return;
    };
    let repo = team.repo("org/app", &[("a.py", "def one(): pass\n")]);
    let _worker = team.start_worker("w1");
    let token = team.token("alice", &[&["*"]]);
    let node = team.start_node("n1", &[]);
    until("it is answered", SOON, || node.locate(&token, "org/app", "one").is_ok_and(|found| found == ["a.py:1"]));
    let restarting = std::thread::spawn(move || Command::new(restart).output().unwrap());
    while !restarting.is_finished() {
        assert_eq!(node.locate(&token, "org/app", "one").unwrap(), ["a.py:1"], "a warm repository needs no database");
    }
    assert!(restarting.join().unwrap().status.success());
    repo.push(&[("a.py", "def two(): pass\n")]);
    team.run(&["repo", "sync", "org/app"]);
    until("the push is answered", SOON, || {
        node.locate(&token, "org/app", "two").is_ok_and(|found| found == ["a.py:1"])
    });
}

/// Passes connections on to an address until it is told to say nothing any more; those that it had then stay silent for ever.
fn line_to(address: String) -> (u16, Arc<AtomicBool>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, silent) = (listener.local_addr().unwrap().port(), Arc::new(AtomicBool::new(false)));
    let told = Arc::clone(&silent);
    std::thread::spawn(move || {
        for near in listener.incoming().flatten() {
            let far = TcpStream::connect(&address).unwrap();
            for (mut from, mut to) in [
                (near.try_clone().unwrap(), far.try_clone().unwrap()),
                (far.try_clone().unwrap(), near.try_clone().unwrap()),
            ] {
                let told = Arc::clone(&told);
                std::thread::spawn(move || {
                    let mut buffer = vec![0; 1 << 16];
                    while let Ok(read @ 1..) = from.read(&mut buffer) {
                        if told.load(Ordering::SeqCst) {
                            // Both ends stay open, and nothing comes any more.
                            std::thread::sleep(Duration::from_secs(600));
                        }
                        if to.write_all(&buffer[..read]).is_err() {
                            return;
                        }
                    }
                });
            }
        }
    });
    (port, silent)
}

#[test]
fn a_connection_to_the_database_that_falls_silent_is_given_up() {
    let Some(mut team) = Team::new() else { return };
    let repo = team.repo("org/app", &[("a.py", "def one(): pass\n")]);
    team.work("w1");
    let token = team.token("alice", &[&["*"]]);
    let (port, silent) = line_to(team.database_at());
    team.set_database_port(port);
    let node = team.start_node("n1", &[]);
    assert_eq!(node.locate(&token, "org/app", "one").unwrap(), ["a.py:1"]);
    silent.store(true, Ordering::SeqCst);
    let age = || {
        let (_, text) = node.page("/team/v1/metrics", &[("authorization", &format!("Bearer {token}"))]);
        let line = text.lines().find_map(|line| line.strip_prefix("cruxe_team_table_age_seconds "));
        line.and_then(|age| age.parse::<f64>().ok()).unwrap_or_default()
    };
    let ready = |status: u16, word: &str| node.page("/ready", &[]) == (status, format!(r#"{{"status":"{word}"}}"#));
    assert!(ready(200, "ready"));
    until("the node hears nothing any more", SOON, || age() > 4.0);
    until("it says so without a token", SOON, || ready(503, "database_away"));
    assert_eq!(node.page("/health", &[]).0, 200);
    assert_eq!(node.locate(&token, "org/app", "one").unwrap(), ["a.py:1"], "what is here is answered");
    silent.store(false, Ordering::SeqCst);
    repo.push(&[("a.py", "def two(): pass\n")]);
    team.run(&["repo", "sync", "org/app"]);
    team.work("w1");
    until("the push is answered", 2 * SOON, || node.locate(&token, "org/app", "two").is_ok_and(|at| at == ["a.py:1"]));
    assert!(ready(200, "ready"));
}

#[test]
fn locks_that_a_killed_git_left_in_a_mirror_stop_nothing() {
    let Some(team) = Team::new() else { return };
    let repo = team.repo("org/app", &[("a.py", "def one(): pass\n")]);
    team.work("w1");
    let packed = files(&team.path("w1")).into_iter().find(|path| path.ends_with("org/app.git/packed-refs")).unwrap();
    let an_hour_ago = std::time::SystemTime::now() - Duration::from_secs(3600);
    for name in ["packed-refs.lock", "shallow.lock", "HEAD.lock"] {
        fs::File::create(packed.with_file_name(name)).unwrap().set_modified(an_hour_ago).unwrap();
    }
    repo.push(&[("a.py", "def two(): pass\n")]);
    team.run(&["repo", "sync", "org/app"]);
    team.work("w1");
    assert_eq!(team.run(&["status"])["repos"][0]["problem"], serde_json::Value::Null);
    assert_eq!(team.run(&["status"])["repos"][0]["refs"][0]["commit"], repo.git(&["rev-parse", "HEAD"]).as_str());
}

#[test]
fn a_node_with_little_room_lets_go_of_what_was_used_longest_ago() {
    let Some(team) = Team::new() else { return };
    let names = ["org/a", "org/b", "org/c"];
    for name in names {
        team.repo(name, &[("a.py", "def one(): pass\n")]);
    }
    team.work("w1");
    let token = team.token("alice", &[&["*"]]);
    // Room for about one.
    let node = team.start_node("n1", &["--max-disk", "0.00007"]);
    for _ in 0..3 {
        for name in names {
            assert_eq!(node.locate(&token, name, "one").unwrap(), ["a.py:1"], "{name}");
        }
    }
    let kept =
        files(&team.path("n1").join("repos")).iter().filter(|path| path.to_string_lossy().ends_with(".state")).count();
    assert!(kept < 3, "{kept} repositories are kept");
}

#[test]
fn a_full_disk_is_said_and_nothing_is_lost() {
    let Some(team) = Team::new() else { return };
    let small = team.path("small");
    fs::create_dir_all(&small).unwrap();
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=160k", "tmpfs"]).arg(&small).output();
    if !mount.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: a small disk cannot be mounted here");
        return;
    }
    let lines: String = (0..4000).map(|at| format!("def function_{at}(): return {}\n", at * 7919 % 4001)).collect();
    team.repo("org/app", &[("a.py", &lines)]);
    team.work("w1");
    let token = team.token("alice", &[&["*"]]);
    let node = team.start_node("small", &[]);
    let error = node.locate(&token, "org/app", "function_7").unwrap_err().to_string();
    let other = team.start_node("n2", &[]);
    let answer = other.locate(&token, "org/app", "function_7");
    drop(node);
    let _ = Command::new("umount").arg(&small).output();
    assert!(error.contains("full") || error.contains("No space"), "{error}");
    assert_eq!(answer.unwrap(), ["a.py:8"]);
}

#[test]
fn clocks_that_are_hours_off_change_nothing() {
    let Some(team) = Team::new() else { return };
    if !team.set_clock(0) {
        eprintln!("skipped: no clock can be set here; that takes Linux and a C compiler");
        return;
    }
    let repo = team.repo("org/app", &[("a.py", "def one(): pass\n")]);
    let (ahead, behind) = (5 * 3600, -5 * 3600);
    let token = team.token("alice", &[&["*"]]);
    team.set_clock(ahead);
    assert_eq!(team.work("w1"), 1);
    let mut nodes = vec![team.start_node("n1", &[])];
    team.set_clock(behind);
    nodes.push(team.start_node("n2", &[]));
    let answered = |name: &str| {
        for node in &nodes {
            until("it is answered", SOON, || {
                node.locate(&token, "org/app", name).is_ok_and(|found| found == ["a.py:1"])
            });
        }
    };
    answered("one");
    // Whichever worker is next: what was published before is older or newer by its clock, and neither matters.
    for (name, clock, worker) in [("two", behind, "w2"), ("three", ahead, "w1"), ("four", behind, "w2")] {
        team.set_clock(clock);
        repo.push(&[("a.py", &format!("def {name}(): pass\n"))]);
        team.run(&["repo", "sync", "org/app"]);
        assert_eq!(team.work(worker), 1, "{name}");
        answered(name);
    }
    assert_eq!(team.run(&["sweep"])["states"], 0, "the grace is the database's to measure");
    // An expired token is expired by the database's clock.
    team.sql("UPDATE token SET expires_at = now() - interval '1 second'");
    for node in &nodes {
        until("the token has ended", SOON, || {
            node.locate(&token, "org/app", "four").is_err_and(|error| error["status"] == 401)
        });
    }
    let late = "SELECT count(*) FROM call WHERE at > now() OR at < now() - interval '1 hour'";
    until("calls are noted", SOON, || team.sql("SELECT count(*) FROM call") != "0");
    assert_eq!(team.sql(late), "0", "the audit has the database's time");
}

#[test]
fn tables_of_a_later_version_do_not_stop_this_one() {
    let Some(team) = Team::new() else { return };
    let repo = team.repo("org/app", &[("a.py", "def one(): pass\n")]);
    team.work("w1");
    let token = team.token("alice", &[&["*"]]);
    let node = team.start_node("n1", &[]);
    node.locate(&token, "org/app", "one").unwrap();
    // As a later program would add: tables, columns with a default, a higher number.
    team.sql(
        "ALTER TABLE repo ADD later text; ALTER TABLE state ADD later int NOT NULL DEFAULT 0;
         ALTER TABLE job ADD later int NOT NULL DEFAULT 0; CREATE TABLE later (id int); UPDATE cruxe_schema SET version = 99",
    );
    repo.push(&[("a.py", "def two(): pass\n")]);
    team.run(&["repo", "sync", "org/app"]);
    assert_eq!(team.work("w1"), 1);
    until("the push is answered", SOON, || node.locate(&token, "org/app", "two").unwrap() == ["a.py:1"]);
    assert_eq!(team.run(&["init"])["after"], 99, "and it takes nothing away");
}

#[test]
fn a_state_is_published_for_each_version_of_the_index_that_somebody_uses() {
    let Some(team) = Team::new() else { return };
    let repo = team.repo("org/app", &[("a.py", "def one(): pass\n")]);
    team.work("w1");
    // A node of another version is there: its pushes are due too, for workers of that version.
    team.sql("INSERT INTO program (name, kind, schema) VALUES ('old', 'node', 1)");
    repo.push(&[("a.py", "def two(): pass\n")]);
    team.run(&["repo", "sync", "org/app"]);
    assert_eq!(team.work("w1"), 1);
    assert_eq!(team.sql("SELECT schema, asked > done FROM job ORDER BY schema LIMIT 1"), "1|t");
}

#[test]
fn a_sweep_removes_what_nothing_needs_and_nothing_else() {
    let Some(team) = Team::new() else { return };
    let repo = team.repo("org/app", &[("a.py", "def one(): pass\n")]);
    team.work("w1");
    for number in 0..5 {
        repo.push(&[("a.py", &format!("def one(): return {number}\n")), (&format!("m{number}.py"), "x = 1\n")]);
        team.run(&["repo", "sync", "org/app"]);
        team.work("w1");
    }
    assert_eq!(team.run(&["sweep"])["states"], 0, "within the grace nothing goes");
    let swept = team.run(&["sweep", "--grace", "0"]);
    assert_eq!(swept["states"], 5);
    let rows: usize = team.sql("SELECT count(*) FROM blob").parse().unwrap();
    assert_eq!(files(&team.blobs()).len(), rows, "every object has a row");
    let token = team.token("alice", &[&["*"]]);
    let node = team.start_node("n1", &[]);
    assert_eq!(node.locate(&token, "org/app", "one").unwrap(), ["a.py:1"]);
    team.run(&["repo", "remove", "org/app"]);
    team.run(&["sweep", "--grace", "0"]);
    assert_eq!(files(&team.blobs()), [] as [std::path::PathBuf; 0]);
    until("it is gone", SOON, || node.locate(&token, "org/app", "one").is_err());
}

#[test]
fn a_remote_that_cannot_be_fetched_is_told_and_tried_again_later() {
    let Some(team) = Team::new() else { return };
    team.run(&["repo", "add", "org/app", "https://u:hidden@127.0.0.1:1/a.git", "--poll", "0"]);
    assert_eq!(team.work("w1"), 1);
    let status = team.run(&["status"]);
    let one = &status["repos"][0];
    assert_eq!((&one["failures"], &one["waiting"]), (&serde_json::json!(1), &serde_json::json!(true)), "{one}");
    assert!(one["problem"].as_str().unwrap().starts_with("git: "), "{one}");
    assert!(!status.to_string().contains("hidden") && !team.run(&["repo", "list"]).to_string().contains("hidden"));
}
