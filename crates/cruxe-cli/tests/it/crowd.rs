//! Many processes on one workspace.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{Client, DEADLINE, Random, Repo, Sandbox, eventually, places, sources};

const FILES: usize = 80;
const HOW_LONG: Duration = Duration::from_secs(12);

/// What nobody may ever see.
fn assert_clean(who: &str, text: &str) {
    for word in ["database is locked", "panicked", "damaged", "corrupt"] {
        assert!(!text.contains(word), "{who}: {text}");
    }
}

fn allowed(code: &str) -> bool {
    matches!(code, "index_in_progress" | "sync_in_progress")
}

/// Asks a server everything until the others are done; how often.
fn ask_until(client: &mut Client, done: &AtomicBool, seed: u64) -> usize {
    let mut random = Random::new(seed);
    let mut asked = 0;
    while !done.load(Ordering::Relaxed) {
        let number = random.below(FILES as u64);
        let (tool, arguments) = match random.below(8) {
            0 => ("sync_repo", json!({})),
            1 => ("index_status", json!({})),
            2 => ("health_check", json!({})),
            3 => ("get_file_outline", json!({"path": sources::shape_path(number as usize)})),
            _ => ("locate_symbol", json!({"name": format!("make_shape_{number:03}")})),
        };
        match client.answer(tool, arguments) {
            Ok(answer) => {
                assert_eq!(answer["metadata"]["schema_status"], "compatible", "{tool}: {answer}");
                if tool == "locate_symbol" {
                    let path = sources::shape_path(number as usize);
                    assert!(places(&answer)[0].starts_with(&path), "{answer}");
                }
            }
            Err(error) => assert!(allowed(error["code"].as_str().unwrap()), "{tool}: {error}"),
        }
        asked += 1;
    }
    asked
}

/// Runs the command line in a loop; how often it did something.
fn run_until(repo: &Repo, done: &AtomicBool) -> (usize, usize) {
    let (mut jobs, mut refused) = (0, 0);
    while !done.load(Ordering::Relaxed) {
        for arguments in [&["sync"][..], &["index", "--force"], &["index"]] {
            let run = repo.cruxe(arguments);
            assert_clean("the command line", &run.stderr);
            match run.code {
                Some(0) => jobs += 1,
                _ => {
                    assert!(run.stderr.contains("an indexing job is already running"), "{}", run.transcript());
                    refused += 1;
                }
            }
        }
    }
    (jobs, refused)
}

/// Starts servers, one after the other: each checks the whole index while others write it.
fn start_until(repo: &Repo, done: &AtomicBool) -> usize {
    let mut started = 0;
    while !done.load(Ordering::Relaxed) {
        let mut client = repo.server();
        for _ in 0..10 {
            let health = client.ok("health_check", json!({}));
            assert_ne!(health["status"], "error", "{health}");
        }
        assert_clean("a server that just started", &client.log());
        started += 1;
    }
    started
}

const SERVERS: usize = 7;
const COMMAND_LINES: usize = 2;

#[test]
fn ten_processes_on_one_workspace_stay_right() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(FILES)));
    repo.cruxe(&["index"]).ok();
    let done = AtomicBool::new(false);
    let mut servers: Vec<Client> = (0..SERVERS).map(|_| repo.watching_server()).collect();
    std::thread::scope(|scope| {
        let (repo, done) = (&repo, &done);
        let asking: Vec<_> = servers
            .iter_mut()
            .enumerate()
            .map(|(seed, client)| scope.spawn(move || ask_until(client, done, seed as u64 + 1)))
            .collect();
        let running: Vec<_> = (0..COMMAND_LINES).map(|_| scope.spawn(move || run_until(repo, done))).collect();
        let starting = scope.spawn(move || start_until(repo, done));
        let started = Instant::now();
        let mut edits = 0;
        let one_failed = || {
            asking.iter().any(|thread| thread.is_finished())
                || running.iter().any(|thread| thread.is_finished())
                || starting.is_finished()
        };
        // An edit changes the text of a file and keeps its names, so every answer has one right place.
        while (started.elapsed() < HOW_LONG || edits < FILES) && !one_failed() {
            let number = edits % FILES;
            let text = sources::shape(number) + &format!("pub fn edit_{edits}() {{}}\n");
            let (path, beside) = (repo.root.join(sources::shape_path(number)), repo.root.join("src/beside.tmp"));
            std::fs::write(&beside, text).unwrap();
            std::fs::rename(&beside, path).unwrap();
            edits += 1;
            std::thread::sleep(Duration::from_millis(20));
        }
        done.store(true, Ordering::Relaxed);
        let asked: Vec<usize> = asking.into_iter().map(|thread| thread.join().unwrap()).collect();
        let runs: Vec<(usize, usize)> = running.into_iter().map(|thread| thread.join().unwrap()).collect();
        println!("{edits} edits, questions {asked:?}, jobs of command lines and those refused {runs:?}");
        println!("{} servers started meanwhile", starting.join().unwrap());
        assert!(asked.iter().all(|count| *count > 0) && runs.iter().any(|(jobs, _)| *jobs > 0));
    });
    eventually("a last sync gets its turn", DEADLINE, || (repo.cruxe(&["sync"]).code == Some(0)).then_some(()));
    for client in &mut servers {
        let status = eventually("the server is fresh", DEADLINE, || {
            let status = client.ok("index_status", json!({}));
            (status["metadata"]["freshness_status"] == "fresh" && status["active_job"].is_null()).then_some(status)
        });
        assert_eq!((&status["file_count"], &status["symbol_count"]), (&json!(FILES), &json!(FILES * 10)), "{status}");
        assert_clean("a server", &client.log());
    }
    repo.cruxe(&["doctor"]).ok();
}

#[test]
fn servers_that_start_at_once_on_a_new_workspace_agree_on_one_index() {
    let sandbox = Sandbox::new();
    for round in 0..4 {
        let name = format!("shapes{round}");
        let repo = sandbox.repo(&name, &sources::borrowed(&sources::shapes(30)));
        let mut clients: Vec<Client> = std::thread::scope(|scope| {
            let starting: Vec<_> = (0..5).map(|_| scope.spawn(|| repo.watching_server())).collect();
            starting.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        std::thread::scope(|scope| {
            for client in &mut clients {
                scope.spawn(|| {
                    let status = client.ready();
                    assert_eq!((&status["file_count"], &status["symbol_count"]), (&json!(30), &json!(270)));
                    assert_clean("a server", &client.log());
                });
            }
        });
    }
}
