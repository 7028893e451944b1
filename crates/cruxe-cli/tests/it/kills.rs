//! Processes that die in the middle of a job.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Client, DEADLINE, Random, Repo, Sandbox, eventually, sources};

const FILES: usize = 300;
const KILLS: usize = 50;

fn force_index(sandbox: &Sandbox, repo: &Repo) -> Child {
    let mut command = sandbox.cruxe_in(&repo.root);
    command.args(["index", "--force"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// What is published about some symbols, without the state of the moment.
fn published(client: &mut Client) -> Vec<Value> {
    let names = ["Shape000", "Shape299::describe", "make_shape_150", "area_of_shape_007", "describe"];
    let mut ask = |name: &str| {
        let arguments = json!({"name": name, "freshness_policy": "best_effort", "detail_level": "context"});
        let answer = client.ok("locate_symbol", arguments);
        assert_eq!(answer["metadata"]["schema_status"], "compatible");
        json!([answer["results"], answer["total_candidates"]])
    };
    names.iter().map(|name| ask(name)).collect()
}

#[test]
fn nothing_published_is_lost_when_indexing_is_killed() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(FILES)));
    repo.cruxe(&["index"]).ok();
    let started = Instant::now();
    repo.cruxe(&["index", "--force"]).ok();
    let whole = started.elapsed();
    let mut client = repo.server();
    let before = published(&mut client);
    assert_eq!(before[4][1], FILES);

    let mut random = Random::new(7);
    let mut window = whole;
    let mut killed = 0;
    let mut round = 0;
    while killed < KILLS {
        let mut child = force_index(&sandbox, &repo);
        // The moment of death is the point of this test, so here it waits.
        std::thread::sleep(Duration::from_micros(random.below(window.as_micros() as u64)));
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            // The machine is faster now than when the whole job was timed: look for an earlier moment.
            window = window * 9 / 10;
        } else {
            killed += 1;
        }
        round += 1;
        assert_eq!(published(&mut client), before, "round {round}");
        if round % 10 == 0 {
            assert_eq!(published(&mut repo.server()), before, "a new server, round {round}");
        }
    }
    println!("a job took {whole:?}; {killed} of {round} were killed before they ended");

    let status = client.ok("index_status", json!({}));
    let interrupted = |status: &Value| {
        let jobs = status["recent_jobs"].as_array().unwrap().clone();
        jobs.iter().filter(|job| job["status"] == "interrupted").count()
    };
    assert!(interrupted(&status) > 0, "{status}");
    let report = repo.cruxe(&["sync", "--json"]).json();
    assert_eq!((&report["status"], &report["changed_files"]), (&json!("published"), &json!(0)));
    assert_eq!((&report["file_count"], &report["symbol_count"]), (&json!(FILES), &json!(FILES * 9)));
    assert_eq!(published(&mut client), before);
    repo.cruxe(&["doctor"]).ok();
    repo.write("src/added.rs", "pub fn added_after_all_that() {}\n");
    let report = repo.cruxe(&["sync", "--json"]).json();
    assert_eq!((&report["changed_files"], &report["file_count"]), (&json!(1), &json!(FILES + 1)));
}

#[test]
fn a_killed_first_index_leaves_nothing_that_hinders_the_next() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(FILES)));
    let started = Instant::now();
    repo.cruxe(&["index"]).ok();
    let whole = started.elapsed();
    let mut random = Random::new(11);
    for round in 0..10 {
        std::fs::remove_dir_all(sandbox.cruxe_home()).unwrap();
        let mut child = force_index(&sandbox, &repo);
        std::thread::sleep(Duration::from_micros(random.below(whole.as_micros() as u64)));
        child.kill().unwrap();
        child.wait().unwrap();
        let report = repo.cruxe(&["index", "--json"]).json();
        assert_eq!(
            (&report["file_count"], &report["symbol_count"]),
            (&json!(FILES), &json!(FILES * 9)),
            "round {round}"
        );
    }
    repo.cruxe(&["doctor"]).ok();
}

#[test]
fn a_server_reports_the_interrupted_job_that_it_found_at_its_start() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(1500)));
    repo.cruxe(&["index"]).ok();
    let mut witness = repo.server();
    // A job may end before it is killed: then the next one is tried.
    let job = eventually("a job is killed while it is under way", DEADLINE, || {
        let mut child = force_index(&sandbox, &repo);
        let job = eventually("the job is under way or done", DEADLINE, || {
            let status = witness.ok("index_status", json!({}));
            let running = status["active_job"]["job_id"].as_str().map(str::to_owned);
            let done = running.is_none() && child.try_wait().unwrap().is_some();
            (running.is_some() || done).then_some(running)
        });
        child.kill().unwrap();
        child.wait().unwrap();
        let status = witness.ok("index_status", json!({}));
        assert!(status["active_job"].is_null(), "{status}");
        let last = &status["recent_jobs"][0];
        job.filter(|job| last["job_id"] == *job && last["status"] == "interrupted")
    });

    let mut client = repo.server();
    let report = eventually("the report is there", DEADLINE, || {
        let report = client.ok("health_check", json!({}))["interrupted_recovery_report"].clone();
        (!report.is_null()).then_some(report)
    });
    assert_eq!(report["interrupted_jobs"], 1);
    assert_eq!((&report["jobs"][0]["job_id"], &report["jobs"][0]["mode"]), (&json!(job), &json!("full")));
    assert_eq!(client.ok("index_status", json!({}))["recent_jobs"][0]["status"], "interrupted");
    // Once reported and settled it is history: the next server found nothing.
    let mut next = repo.server();
    next.ready();
    assert!(next.ok("health_check", json!({}))["interrupted_recovery_report"].is_null());
}
