//! From a push to an answer.

use std::time::Duration;

use serde_json::json;

use crate::support::{Team, files, until};

const SOON: Duration = Duration::from_secs(20);

#[test]
fn a_push_is_answered_on_every_node_whatever_the_storage() {
    for storage in ["folder", "postgres", "s3", "azure", "google"] {
        let Some(mut team) = Team::without_tables() else { return };
        let web = |name: &str| match std::env::var(name) {
            Ok(address) => Some(format!("{address}/{}", std::process::id())),
            Err(_) => {
                eprintln!("skipped: no {name}");
                None
            }
        };
        let address = match storage {
            "folder" => Some(format!("file://{}", team.blobs().display())),
            "postgres" => Some("postgres".to_owned()),
            "s3" => web("CRUXE_TEST_S3"),
            "azure" => web("CRUXE_TEST_AZURE"),
            // Its bucket is asked for by path, in the region `auto`, as docs/team.md says.
            _ => web("CRUXE_TEST_GOOGLE"),
        };
        let Some(mut address) = address else { continue };
        if storage == "google" {
            let (server, folder) = address.rsplit_once('/').unwrap();
            team = team.with_store(server).in_region("auto");
            address = format!("s3://cruxe-test/{folder}");
        }
        team.run(&["init", "--storage", &address]);
        let repo = team.repo("org/app", &[("a.py", "def first(): pass\n"), ("b.py", "from a import first\nfirst()\n")]);
        assert_eq!(team.work("w1"), 1);
        assert_eq!(team.work("w1"), 0, "there is nothing new");
        let token = team.token("alice", &[&["org/*"]]);
        let nodes = [team.start_node("n1", &[]), team.start_node("n2", &[])];
        for node in &nodes {
            assert_eq!(node.locate(&token, "org/app", "first").unwrap(), ["a.py:1"], "{storage}");
            let uses =
                node.ask(&token, "find_references", json!({"symbol_name": "first", "workspace": "org/app"})).unwrap();
            assert_eq!(
                uses["results"][0]["file"].as_str().or(uses["references"][0]["path"].as_str()).map(|_| ()),
                Some(()),
                "{uses}"
            );
        }
        repo.push(&[("a.py", "\ndef second(): pass\n")]);
        // Without a word to the workers nothing happens; with one it does.
        team.run(&["repo", "sync", "org/app"]);
        assert_eq!(team.work("w2"), 1, "another worker, which has nothing of it yet");
        for node in &nodes {
            until("the push is answered", SOON, || node.locate(&token, "org/app", "second").unwrap() == ["a.py:2"]);
            assert_eq!(node.locate(&token, "org/app", "first").unwrap(), [] as [&str; 0], "{storage}");
        }
        team.run(&["sweep", "--grace", "0"]);
        let fresh = team.start_node("n3", &[]);
        assert_eq!(fresh.locate(&token, "org/app", "second").unwrap(), ["a.py:2"], "{storage}, swept");
        team.run(&["repo", "remove", "org/app"]);
        assert!(team.run(&["sweep", "--grace", "0"])["blobs"].as_u64().unwrap() > 0, "{storage}");
        assert_eq!(team.sql("SELECT count(*) FROM blob"), "0", "{storage}");
    }
}

#[test]
fn a_signature_for_the_region_auto_holds() {
    let Some(team) = Team::without_tables() else { return };
    let Ok(address) = std::env::var("CRUXE_TEST_S3") else { return eprintln!("skipped: no CRUXE_TEST_S3") };
    let team = team.in_region("auto");
    team.run(&["init", "--storage", &format!("{address}/auto")]);
    let repo = team.repo("org/app", &[("a.py", "def one(): pass\n")]);
    team.work("w1");
    repo.push(&[("a.py", "\ndef one(): pass\n")]);
    team.run(&["repo", "sync", "org/app"]);
    team.work("w2");
    assert_eq!(team.run(&["status"])["repos"][0]["problem"], serde_json::Value::Null);
    let token = team.token("alice", &[&["*"]]);
    let node = team.start_node("n1", &[]);
    assert_eq!(node.locate(&token, "org/app", "one").unwrap(), ["a.py:2"]);
    team.run(&["repo", "remove", "org/app"]);
    assert!(team.run(&["sweep", "--grace", "0"])["blobs"].as_u64().unwrap() > 0);
}

#[test]
fn a_store_that_checks_signatures_refuses_another_key() {
    for (address, key, wrong, code) in [
        ("CRUXE_TEST_S3", "AWS_SECRET_ACCESS_KEY", "wrong", "403 SignatureDoesNotMatch"),
        ("CRUXE_TEST_AZURE", "AZURE_STORAGE_KEY", "d3Jvbmc=", "403 AuthorizationFailure"),
    ] {
        let Some(team) = Team::without_tables() else { return };
        let Ok(address) = std::env::var(address) else {
            eprintln!("skipped: no {address}");
            continue;
        };
        team.run(&["init", "--storage", &format!("{address}/wrong-key")]);
        team.repo("org/app", &[("a.py", "def one(): pass\n")]);
        let folder = team.path("w1");
        let mut work = team.command(&["work", "--once", "--folder", folder.to_str().unwrap()]);
        assert!(work.env(key, wrong).output().unwrap().status.success());
        let problem = team.run(&["status"])["repos"][0]["problem"].as_str().unwrap().to_owned();
        assert!(problem.contains(code), "{key}: {problem}");
    }
}

#[test]
fn a_push_adds_what_changed_and_no_more() {
    let Some(team) = Team::new() else { return };
    let text = |number: usize| {
        (0..40).map(|at| format!("def f{number}_{at}(value):\n    return value + {at}\n\n")).collect::<String>()
    };
    let sources: Vec<(String, String)> = (0..300).map(|number| (format!("m{number}.py"), text(number))).collect();
    let sources: Vec<(&str, &str)> = sources.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let repo = team.repo("org/app", &sources);
    team.work("w1");
    let size = || files(&team.blobs()).iter().map(|path| path.metadata().unwrap().len()).sum::<u64>();
    let first = size();
    repo.push(&[("m7.py", "def changed(): pass\n")]);
    team.run(&["repo", "sync", "org/app"]);
    team.work("w1");
    let second = size() - first;
    assert!(second * 8 < first, "{first} bytes, then {second}");
    // The same from a worker that has to bring the state first.
    repo.push(&[("m8.py", "def changed_again(): pass\n")]);
    team.run(&["repo", "sync", "org/app"]);
    team.work("w2");
    let third = size() - first - second;
    assert!(third * 8 < first, "{first} bytes, then {third}");
}

#[test]
fn branches_come_and_go_with_the_remote() {
    let Some(team) = Team::new() else { return };
    let repo = team.repo("org/app", &[("a.py", "def one(): pass\n")]);
    repo.git(&["checkout", "--quiet", "-b", "side"]);
    repo.push(&[("b.py", "def two(): pass\n")]);
    repo.git(&["checkout", "--quiet", "main"]);
    team.work("w1");
    let token = team.token("alice", &[&["*"]]);
    let node = team.start_node("n1", &[]);
    let names = || {
        let status = team.run(&["status"]);
        let refs = status["repos"][0]["refs"].as_array().unwrap().clone();
        refs.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(), ["main", "side"]);
    assert_eq!(node.locate(&token, "org/app", "two").unwrap(), [] as [&str; 0]);
    let on_side =
        node.ask(&token, "locate_symbol", json!({"name": "two", "workspace": "org/app", "ref": "side"})).unwrap();
    assert_eq!(on_side["results"][0]["path"], "b.py", "{on_side}");
    repo.git(&["branch", "--delete", "--force", "side"]);
    team.run(&["repo", "sync", "org/app"]);
    team.work("w1");
    assert_eq!(names(), ["main"]);
    until("the branch is gone", SOON, || {
        node.ask(&token, "locate_symbol", json!({"name": "two", "workspace": "org/app", "ref": "side"})).is_err()
    });
}

#[test]
fn tags_are_published_where_a_pattern_asks_for_them() {
    let Some(team) = Team::new() else { return };
    let repo = team.repo("org/app", &[("a.py", "def one(): pass\n")]);
    repo.git(&["tag", "v1.0"]);
    repo.push(&[("a.py", "def two(): pass\n")]);
    repo.git(&["tag", "--annotate", "--message", "second", "v2.0"]);
    repo.git(&["tag", "main"]);
    repo.git(&["tag", "nightly"]);
    repo.push(&[("a.py", "def three(): pass\n")]);
    let folder = repo.folder.to_str().unwrap();
    team.run(&[
        "repo",
        "add",
        "org/app",
        folder,
        "--ref",
        "main",
        "--ref",
        "tags/v*",
        "--ref",
        "tags/main",
        "--poll",
        "0",
    ]);
    team.work("w1");
    let token = team.token("alice", &[&["org/app", "--ref", "main", "--ref", "v*"]]);
    let all = team.token("all", &[&["*"]]);
    let node = team.start_node("n1", &[]);
    let at = |token: &str, ref_name: &str, name: &str| {
        let asked = json!({"name": name, "workspace": "org/app", "ref": ref_name});
        node.ask(token, "locate_symbol", asked).map(|answer| answer["results"].as_array().unwrap().len())
    };
    for (ref_name, name) in [("v1.0", "one"), ("v2.0", "two"), ("main", "three")] {
        assert_eq!(at(&token, ref_name, name), Ok(1), "{ref_name}");
    }
    assert_eq!((at(&token, "v1.0", "two"), at(&all, "tags/main", "two")), (Ok(0), Ok(1)));
    assert!(at(&all, "nightly", "two").is_err(), "nobody asked for it");
    assert!(at(&token, "tags/main", "two").is_err() && at(&token, "refs/tags/v1.0", "one").is_err());
    assert_eq!(team.run(&["repo", "sync", "org/app"]).is_object().then(|| team.work("w1")), Some(1));
    assert_eq!(team.sql("SELECT count(*) FROM state"), "1", "the same again is nothing new");
    repo.git(&["tag", "--delete", "v1.0"]);
    team.run(&["repo", "sync", "org/app"]);
    team.work("w1");
    until("the tag is gone", SOON, || at(&all, "v1.0", "one").is_err());
}

#[test]
fn a_webhook_with_the_right_signature_makes_a_push_due() {
    let Some(team) = Team::new() else { return };
    let repo = team.repo("org/app", &[("a.py", "def one(): pass\n")]);
    team.work("w1");
    repo.push(&[("a.py", "def two(): pass\n")]);
    let node = team.start_node("n1", &[]);
    let hook = team.run(&["repo", "hook", "org/app"]);
    let secret = hook["secret"].as_str().unwrap();
    let url = format!("{}{}", node.address, hook["path"].as_str().unwrap());
    let send = |url: &str, secret: &str, body: &str| {
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let sent = agent.post(url).header("x-gitlab-token", secret).send(body).unwrap();
        sent.status().as_u16()
    };
    let push = r#"{"ref": "refs/heads/main"}"#;
    assert_eq!(send(&url, "wrong", push), 403);
    assert_eq!(send(&url.replace("app", "other"), secret, push), 403, "the same as for one that there is");
    assert_eq!(team.work("w1"), 0);
    assert_eq!(send(&url, secret, r#"{"zen": "Keep it logically awesome."}"#), 200);
    assert_eq!(team.work("w1"), 0);
    assert_eq!(send(&url, secret, push), 202);
    assert_eq!(team.work("w1"), 1);
    let token = team.token("alice", &[&["*"]]);
    until("it is answered", SOON, || node.locate(&token, "org/app", "two").is_ok_and(|found| found == ["a.py:1"]));
}
