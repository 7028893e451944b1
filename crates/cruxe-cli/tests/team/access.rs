//! Who may see what.

use std::sync::mpsc::TryRecvError;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Team, until};

const SOON: Duration = Duration::from_secs(10);

#[test]
fn what_a_token_may_not_see_is_not_there() {
    let Some(team) = Team::new() else { return };
    for name in ["org/open", "org/closed"] {
        team.repo(name, &[("a.py", "def secret_name(): pass\n")]);
    }
    team.run(&["repo", "add", "org/later", "/nowhere", "--poll", "0"]);
    team.work("w1");
    let token = team.token("alice", &[&["org/open"], &["org/later"]]);
    let node = team.start_node("n1", &[]);
    assert_eq!(node.locate(&token, "org/open", "secret_name").unwrap(), ["a.py:1"]);
    let error = |name: &str| {
        let error = node.locate(&token, name, "secret_name").unwrap_err();
        serde_json::from_str::<Value>(&error.to_string().replace(name, "NAME")).unwrap()
    };
    assert_eq!(error("org/closed"), error("org/missing"), "a forbidden repository answers like one that there is not");
    assert_eq!(error("../org/open"), error("org/missing"));
    let code = |error: &Value| error["data"]["code"].as_str().unwrap_or_default().to_owned();
    assert_eq!(code(&error("org/missing")), "workspace_not_registered", "{}", error("org/missing"));
    assert_eq!(code(&error("org/later")), "index_not_ready", "not indexed yet is told apart");
    assert_eq!(node.locate(&token, "org/open", "no_such_name").unwrap(), [] as [&str; 0], "and so is no match");
    for bad in ["", "cruxe_0000", &token[..token.len() - 1]] {
        assert_eq!(node.locate(bad, "org/open", "secret_name").unwrap_err()["status"], 401, "{bad}");
    }
}

#[test]
fn a_grant_for_some_branches_shows_no_others_and_no_commits() {
    let Some(team) = Team::new() else { return };
    let repo = team.repo("org/app", &[("a.py", "def one(): pass\n")]);
    repo.git(&["checkout", "--quiet", "-b", "side"]);
    let commit = repo.push(&[("b.py", "def hidden(): pass\n")]);
    repo.git(&["checkout", "--quiet", "main"]);
    team.work("w1");
    let some = team.token("some", &[&["org/app", "--ref", "main"]]);
    let all = team.token("all", &[&["org/app"]]);
    let node = team.start_node("n1", &[]);
    let at = |token: &str, name: &str| {
        node.ask(token, "locate_symbol", json!({"name": "hidden", "workspace": "org/app", "ref": name}))
    };
    assert_eq!(at(&all, "side").unwrap()["results"][0]["path"], "b.py");
    for name in ["side", &commit, "main~0", "nothing"] {
        assert!(at(&some, name).is_err(), "{name}");
    }
    let shown = |error: Value, name: &str| error.to_string().replace(name, "NAME");
    assert_eq!(shown(at(&some, "side").unwrap_err(), "side"), shown(at(&some, "none").unwrap_err(), "none"));
    assert!(at(&some, "main").unwrap()["results"].as_array().unwrap().is_empty());
    let refs = node.ask(&some, "list_refs", json!({"workspace": "org/app"})).unwrap().to_string();
    assert!(!refs.contains("side") && refs.contains("main"), "{refs}");
}

#[test]
fn a_revoked_token_and_a_grant_taken_back_end_within_seconds() {
    let Some(team) = Team::new() else { return };
    team.repo("org/app", &[("a.py", "def one(): pass\n")]);
    team.work("w1");
    let token = team.token("alice", &[]);
    team.run(&["group", "create", "devs"]);
    team.run(&["group", "join", "devs", "alice"]);
    let grant = team.run(&["grant", "add", "--group", "devs", "org/*"])["id"].to_string();
    let node = team.start_node("n1", &[]);
    let may = || node.locate(&token, "org/app", "one").is_ok();
    assert!(may());
    team.run(&["grant", "remove", &grant]);
    until("the grant is gone", SOON, || !may());
    team.run(&["grant", "add", "--group", "devs", "org/*"]);
    until("the grant is back", SOON, may);
    team.run(&["token", "revoke", "alice"]);
    let began = Instant::now();
    until("the token is void", SOON, || {
        node.locate(&token, "org/app", "one").is_err_and(|error| error["status"] == 401)
    });
    eprintln!("a revoked token ended after {:?}", began.elapsed());
    assert!(began.elapsed() < Duration::from_secs(4));
}

#[test]
fn streams_end_with_their_token_and_no_others_do() {
    let Some(team) = Team::new() else { return };
    team.repo("org/app", &[("a.py", "def one(): pass\n")]);
    team.work("w1");
    let (alice, bob) = (team.token("alice", &[&["org/app"]]), team.token("bob", &[&["org/app"]]));
    let node = team.start_node("n1", &[]);
    let sessions = [node.listen_in_session(&alice), node.listen_in_session(&bob)];
    let streams = [node.listen(&alice, &["cruxe://repo/org/app"]), node.listen(&bob, &["cruxe://repo/org/app"])];
    let is_open = |outcome: TryRecvError| outcome == TryRecvError::Empty;
    let open = || sessions.iter().map(|one| is_open(one.try_recv().unwrap_err())).collect::<Vec<_>>();
    assert_eq!(open(), [true, true]);
    team.run(&["token", "revoke", "alice"]);
    let began = Instant::now();
    until("the session's stream has ended", SOON, || open() == [false, true]);
    until("the stream has ended", SOON, || streams[0].try_recv() == Err(TryRecvError::Disconnected));
    eprintln!("the streams of a revoked token ended after {:?}", began.elapsed());
    assert!(began.elapsed() < Duration::from_secs(5));
    assert_eq!(streams[1].try_recv(), Err(TryRecvError::Empty));
    assert_eq!(open(), [false, true]);
}

#[test]
fn a_session_is_there_for_its_own_token_alone() {
    let Some(team) = Team::new() else { return };
    team.repo("org/app", &[("a.py", "def one(): pass\n")]);
    team.work("w1");
    let (alice, bob) = (team.token("alice", &[&["org/app"]]), team.token("bob", &[&["org/app"]]));
    let node = team.start_node("n1", &[]);
    let session = node.begin_session(&alice);
    let unknown = node.in_session(&alice, "00000000-0000-4000-8000-000000000000");
    assert_eq!(
        unknown,
        [(404, "Not Found: Session not found".to_owned()), (404, "Not Found: Session not found".to_owned())]
    );
    assert_eq!(node.in_session(&bob, &session), unknown, "another's is answered as none");
    let own: Vec<u16> = node.in_session(&alice, &session).into_iter().map(|(status, _)| status).collect();
    assert_eq!(own, [200, 202]);
}

#[test]
fn calls_are_noted_with_who_asked_what() {
    let Some(team) = Team::new() else { return };
    team.repo("org/app", &[("a.py", "def one(): pass\n")]);
    team.work("w1");
    let token = team.token("alice", &[&["org/app"]]);
    let node = team.start_node("n1", &[]);
    node.locate(&token, "org/app", "one").unwrap();
    node.locate(&token, "org/none", "one").unwrap_err();
    let noted = || {
        team.sql("SELECT token.name || ' ' || tool || ' ' || repo || ' ' || outcome || ' ' || node FROM call JOIN token ON token.id = call.token ORDER BY at")
    };
    let expected = "alice locate_symbol org/app ok n1\nalice locate_symbol org/none workspace_not_registered n1";
    until("the calls are written", SOON, || noted() == expected);
}
