//! A storage that is away, slow, or loses bytes.

use std::time::{Duration, Instant};

use crate::store::{Mood, Store};
use crate::support::{Team, until};

const SOON: Duration = Duration::from_secs(30);

/// A team whose blobs are in a storage that can be told how to behave.
fn team_with(store: &Store) -> Option<Team> {
    let team = Team::without_tables()?.with_store(&store.address);
    team.run(&["init", "--storage", "s3://bucket/team"]);
    Some(team)
}

fn source(name: &str) -> String {
    format!("def in_{name}(): pass\n")
}

#[test]
fn while_the_storage_fails_nodes_answer_about_what_they_have_and_pushes_wait() {
    let store = Store::start();
    let Some(team) = team_with(&store) else { return };
    let warm = team.repo("org/warm", &[("a.py", &source("warm"))]);
    team.repo("org/cold", &[("a.py", &source("cold"))]);
    team.work("w1");
    let token = team.token("alice", &[&["*"]]);
    let node = team.start_node("n1", &[]);
    node.locate(&token, "org/warm", "in_warm").unwrap();
    for mood in [Mood::Failing, Mood::Cutting] {
        store.set(mood);
        assert_eq!(node.locate(&token, "org/warm", "in_warm").unwrap(), ["a.py:1"], "{mood:?}");
        let error = node.locate(&token, "org/cold", "in_cold").unwrap_err();
        assert_eq!(error["data"]["code"], "internal_error", "an error and no \"no match\": {error}");
        assert!(error["message"].as_str().unwrap().contains("cannot be brought here now"), "{error}");
    }
    store.set(Mood::Failing);
    let before = (team.sql("SELECT state FROM published ORDER BY repo"), store.objects());
    warm.push(&[("b.py", "def pushed(): pass\n")]);
    team.run(&["repo", "sync", "org/warm"]);
    assert_eq!(team.work("w1"), 1);
    let status = team.run(&["status"]);
    let one = status["repos"].as_array().unwrap().iter().find(|one| one["name"] == "org/warm").unwrap();
    assert_eq!((one["waiting"].as_bool(), one["failures"].as_u64()), (Some(true), Some(1)), "{one}");
    assert!(one["problem"].as_str().unwrap().contains("the store answers 503 SlowDown"), "{one}");
    assert_eq!(
        (team.sql("SELECT state FROM published ORDER BY repo"), store.objects()),
        before,
        "nothing is half done"
    );
    store.set(Mood::Fine);
    let _worker = team.start_worker("w2");
    until("the push is answered", SOON, || node.locate(&token, "org/warm", "pushed").is_ok_and(|at| at == ["b.py:1"]));
    assert_eq!(node.locate(&token, "org/cold", "in_cold").unwrap(), ["a.py:1"]);
}

#[test]
fn a_storage_that_fails_now_and_then_is_asked_again() {
    let store = Store::start();
    store.set(Mood::Shaky);
    let Some(team) = team_with(&store) else { return };
    team.repo("org/app", &[("a.py", &source("app"))]);
    assert_eq!(team.work("w1"), 1);
    assert_eq!(team.run(&["status"])["repos"][0]["failures"], 0);
    let token = team.token("alice", &[&["*"]]);
    let node = team.start_node("n1", &[]);
    assert_eq!(node.locate(&token, "org/app", "in_app").unwrap(), ["a.py:1"]);
}

#[test]
fn a_slow_storage_makes_a_cold_repository_slow_and_nothing_else() {
    let store = Store::start();
    let Some(team) = team_with(&store) else { return };
    for name in ["warm", "cold"] {
        team.repo(&format!("org/{name}"), &[("a.py", &source(name))]);
    }
    team.work("w1");
    let token = team.token("alice", &[&["*"]]);
    let node = team.start_node("n1", &[]);
    node.locate(&token, "org/warm", "in_warm").unwrap();
    store.set(Mood::Slow(Duration::from_millis(700)));
    std::thread::scope(|scope| {
        let cold = scope.spawn(|| node.locate(&token, "org/cold", "in_cold"));
        let mut slowest = Duration::ZERO;
        while !cold.is_finished() {
            let began = Instant::now();
            assert_eq!(node.locate(&token, "org/warm", "in_warm").unwrap(), ["a.py:1"]);
            slowest = slowest.max(began.elapsed());
        }
        assert_eq!(cold.join().unwrap().unwrap(), ["a.py:1"]);
        assert!(slowest < Duration::from_millis(600), "a warm answer took {slowest:?}");
    });
}

#[test]
fn a_storage_that_hangs_keeps_nobody_from_what_is_here() {
    let store = Store::start();
    let Some(team) = team_with(&store) else { return };
    let cold: Vec<String> = (0..12).map(|number| format!("org/cold{number}")).collect();
    team.repo("org/warm", &[("a.py", &source("warm"))]);
    for name in &cold {
        team.repo(name, &[("a.py", &source("cold"))]);
    }
    team.work("w1");
    let token = team.token("alice", &[&["*"]]);
    let node = team.start_node("n1", &[]);
    node.locate(&token, "org/warm", "in_warm").unwrap();
    store.set(Mood::Hanging);
    // More than a server of any size here has places for.
    std::thread::scope(|scope| {
        let asked: Vec<_> =
            cold.iter().map(|name| scope.spawn(|| node.locate(&token, name, "in_cold").unwrap_err())).collect();
        let began = Instant::now();
        assert_eq!(node.locate(&token, "org/warm", "in_warm").unwrap(), ["a.py:1"]);
        assert!(began.elapsed() < Duration::from_secs(25), "{:?}", began.elapsed());
        for error in asked.into_iter().map(|one| one.join().unwrap()) {
            assert_eq!(error["data"]["code"], "index_not_ready", "told apart from \"no match\": {error}");
        }
    });
    // From then on nobody waits long.
    let began = Instant::now();
    assert_eq!(node.locate(&token, &cold[0], "in_cold").unwrap_err()["data"]["code"], "index_not_ready");
    assert_eq!(node.locate(&token, "org/warm", "in_warm").unwrap(), ["a.py:1"]);
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    store.set(Mood::Fine);
    for name in &cold {
        until("it is answered", SOON, || node.locate(&token, name, "in_cold").is_ok_and(|found| found == ["a.py:1"]));
    }
}

#[test]
fn a_blob_that_came_wrong_once_is_fetched_again_before_anybody_is_told() {
    let store = Store::start();
    let Some(team) = team_with(&store) else { return };
    team.repo("org/app", &[("a.py", &source("app"))]);
    team.work("w1");
    let token = team.token("alice", &[&["*"]]);
    let node = team.start_node("n1", &[]);
    let asked = store.asked();
    store.set(Mood::Cutting);
    std::thread::scope(|scope| {
        let answer = scope.spawn(|| node.locate(&token, "org/app", "in_app"));
        until("it was cut once", SOON, || store.asked() > asked);
        store.set(Mood::Fine);
        assert_eq!(answer.join().unwrap().unwrap(), ["a.py:1"]);
    });
    assert_eq!(team.sql("SELECT count(*) FROM blob WHERE damaged"), "0");
}

#[test]
fn a_store_that_is_as_particular_as_googles_is_used_by_path_in_the_region_auto() {
    let store = Store::like_google();
    let Some(team) = Team::without_tables() else { return };
    let team = team.with_store(&store.address).in_region("auto");
    team.run(&["init", "--storage", "s3://bucket/team"]);
    let repo = team.repo("org/app", &[("a.py", &source("app"))]);
    assert_eq!(team.work("w1"), 1);
    repo.push(&[("b.py", "def pushed(): pass\n")]);
    team.run(&["repo", "sync", "org/app"]);
    assert_eq!(team.work("w2"), 1, "another worker, which reads what the first has put");
    let token = team.token("alice", &[&["*"]]);
    let node = team.start_node("n1", &[]);
    assert_eq!(node.locate(&token, "org/app", "pushed").unwrap(), ["b.py:1"]);
    team.run(&["repo", "remove", "org/app"]);
    store.lose_all();
    let swept = team.run(&["sweep", "--grace", "0"]);
    assert!(swept["blobs"].as_u64().unwrap() > 0, "what is gone is no failure: {swept}");
    assert_eq!(team.sql("SELECT count(*) FROM blob"), "0");
    assert_eq!(store.refusals(), [] as [&str; 0]);
}
