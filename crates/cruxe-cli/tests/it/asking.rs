//! Questions of a person at a terminal: what is looked at is all of it, and what cannot be answered says why.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::hostile::{bound_by_permissions, set_mode};
use crate::support::{DEADLINE, Repo, Sandbox, eventually, run, sources};

/// A repository whose first commit lacks what the second has.
fn two_commits(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.repo("two", &[("a.py", "def early():\n    pass\n\n\ndef caller():\n    early()\n")]);
    repo.write("b.py", "def late():\n    pass\n");
    repo.commit("second");
    repo
}

/// What the three commands that ask say of `early`: the place of its definition and of its only use.
fn finds_early(sandbox: &Sandbox, folder: &Path, when: &str) {
    let ask = |arguments: &[&str]| sandbox.cruxe(folder, arguments).json();
    let found = ask(&["search", "early", "--json"]);
    assert_eq!(
        (&found["results"][0]["path"], &found["results"][0]["line_start"]),
        (&json!("a.py"), &json!(1)),
        "{when}"
    );
    assert_eq!(found["metadata"]["result_completeness"], "complete", "{when}: {found}");
    assert_eq!(found["metadata"]["freshness_status"], "fresh", "{when}: {found}");
    let refs = ask(&["refs", "early", "--json"]);
    assert_eq!(refs["references"][0]["line_start"], 6, "{when}: {refs}");
    let calls = ask(&["calls", "early", "--callers", "--json"]);
    assert_eq!(calls["callers"][0]["symbol"]["name"], "caller", "{when}: {calls}");
}

#[test]
fn a_question_after_another_checkout_waits_for_its_index() {
    let sandbox = Sandbox::new();
    let repo = two_commits(&sandbox);
    for command in ["search", "refs", "calls"] {
        repo.git(&["checkout", "-q", "main"]);
        repo.cruxe(&["index"]).ok();
        repo.git(&["checkout", "-q", "-b", &format!("old-{command}"), "HEAD~1"]);
        let answer = repo.cruxe(&[command, "early"]).ok();
        assert!(answer.contains("a.py"), "{command}: {answer}");
    }
    assert_eq!(repo.cruxe(&["refs", "late"]).code, Some(1), "the other branch's file is not here");
    repo.git(&["checkout", "-q", "--detach", "main"]);
    finds_early(&sandbox, &repo.root, "on a detached HEAD");
    repo.git(&["worktree", "add", "-q", "../linked", "-b", "linked", "main~1"]);
    finds_early(&sandbox, &sandbox.path("linked"), "in another work tree");
}

#[test]
fn a_question_after_init_or_an_interrupted_index_waits_for_its_index() {
    let sandbox = Sandbox::new();
    let repo = two_commits(&sandbox);
    repo.cruxe(&["init"]).ok();
    finds_early(&sandbox, &repo.root, "after init");

    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shapes", &sources::borrowed(&sources::shapes(400)));
    let mut index = sandbox.cruxe_in(&repo.root);
    let mut child = index.arg("index").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let jobs = sandbox.cruxe_home().join("projects");
    eventually("the job has begun", DEADLINE, || {
        let folder = jobs.read_dir().ok()?.flatten().next()?.path();
        folder.join("jobs.db").exists().then_some(())
    });
    let interrupted = run(Command::new("kill").args(["-INT", &child.id().to_string()])).code == Some(0);
    let ended = child.wait().unwrap();
    // On a fast machine it may have been done before.
    if interrupted && !ended.success() {
        let report = repo.cruxe(&["doctor"]).ok();
        let jobs = report.lines().find(|line| line.contains("jobs: ")).unwrap().to_owned();
        assert!(jobs.contains("interrupted") || jobs.contains("none yet"), "{report}");
        assert!(!jobs.contains("running"), "{report}");
    }
    let answer = repo.cruxe(&["search", "Shape399"]).ok();
    assert!(answer.contains("src/group9/shape_399.rs"), "{answer}");
    let report = repo.cruxe(&["doctor"]).ok();
    assert!(report.contains("published") && !report.contains("interrupted"), "{report}");
}

#[test]
fn a_ref_that_is_asked_about_is_indexed_first() {
    let sandbox = Sandbox::new();
    let repo = two_commits(&sandbox);
    for (number, command) in ["search", "refs", "calls", "locate"].into_iter().enumerate() {
        let name = format!("unseen{number}");
        repo.git(&["branch", &name, "HEAD~1"]);
        let asked = repo.cruxe(&[command, "early", "--ref", &name]).ok();
        assert!(asked.contains("a.py"), "{asked}");
        let asked = repo.cruxe(&["search", "early", "--ref", "nonesuch"]);
        assert_eq!(asked.code, Some(1), "{}", asked.transcript());
        assert!(
            asked.stderr.contains("no branch, tag or commit") && !asked.stderr.contains("index_repo"),
            "{}",
            asked.stderr
        );
    }
    let changed = repo.cruxe(&["diff", "HEAD~1"]).ok();
    assert!(changed.contains("late"), "{changed}");
    let asked = repo.cruxe(&["refs", "early", "--ref", "nonesuch", "--json"]).stdout;
    assert_eq!(serde_json::from_str::<Value>(&asked).unwrap()["error"]["code"], "ref_not_indexed");
}

#[test]
fn words_need_no_quotes_and_nothing_is_no_query() {
    let sandbox = Sandbox::new();
    let repo = two_commits(&sandbox);
    let words = repo.cruxe(&["search", "which", "one", "is", "late", "--json"]).json();
    let quoted = repo.cruxe(&["search", "which one is late", "--json"]).json();
    assert_eq!((&words["results"], &words["query_intent"]), (&quoted["results"], &json!("natural_language")));
    for empty in [&["search", ""][..], &["search", " ", "\t"], &["search"]] {
        let asked = repo.cruxe(empty);
        assert_eq!(asked.code, Some(4), "{}", asked.transcript());
        assert!(!asked.stderr.contains("nothing found") && asked.stderr.starts_with("error: "), "{}", asked.stderr);
    }
}

#[test]
fn a_language_that_nobody_knows_is_a_mistake_and_a_known_one_may_be_spelled_as_people_do() {
    let sandbox = Sandbox::new();
    let repo = two_commits(&sandbox);
    let asked = repo.cruxe(&["search", "early", "--lang", "pythn"]);
    assert_eq!(asked.code, Some(4), "{}", asked.transcript());
    assert!(asked.stderr.contains("Did you mean `python`? Known are: bash, c, cpp, "), "{}", asked.stderr);
    for known in ["python", "Python", "py"] {
        assert!(repo.cruxe(&["search", "early", "--lang", known]).ok().contains("a.py:1"), "{known}");
    }
    assert_eq!(repo.cruxe(&["search", "early", "--lang", "rust"]).code, Some(1), "known, and nothing is in it");
    let mut client = repo.server();
    client.ready();
    for (tool, arguments) in [
        ("search_code", json!({"query": "early", "language": "pythn"})),
        ("locate_symbol", json!({"name": "early", "language": "pythn"})),
    ] {
        let error = client.error(tool, arguments);
        assert_eq!((&error["code"], &error["data"]["parameter"]), (&json!("invalid_input"), &json!("language")));
    }
    let answer = client.ok("locate_symbol", json!({"name": "early", "language": "rust"}));
    assert_eq!(answer["results"], json!([]));
}

#[test]
fn unknown_parameters_are_named_with_the_nearest_and_the_answer_is_the_same() {
    let sandbox = Sandbox::new();
    let repo = two_commits(&sandbox);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let plain = client.ok("locate_symbol", json!({"name": "early"}));
    assert!(plain["metadata"].get("warnings").is_none(), "{plain}");
    let odd = client.ok("locate_symbol", json!({"name": "early", "langauge": "rust", "_meta": {"a": 1}}));
    assert_eq!(odd["results"], plain["results"]);
    let told = "the parameter `langauge` is unknown and ignored; did you mean `language`?";
    assert_eq!(odd["metadata"]["warnings"], json!([told]));
    let far = client.ok("search_code", json!({"query": "early", "colour": "red"}));
    let warning = far["metadata"]["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("the parameter `colour` is unknown and ignored; known are: query, "), "{warning}");
    let error = client.error("search_code", json!({"qurey": "early"}));
    assert_eq!(error["message"], "The parameter `query` is required. `qurey` is none of this tool.");
    // Of an answer that is a list, the text is the list alone.
    let call = json!({"name": "read_context", "arguments": {"query": "early", "limt": 3}});
    let result = client.request("tools/call", call)["result"].clone();
    let (text, structure) = (result["content"][0]["text"].as_str().unwrap(), &result["structuredContent"]);
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), structure["results"]);
    let told = "the parameter `limt` is unknown and ignored; did you mean `limit`?";
    assert_eq!(structure["metadata"]["warnings"][0], told);
}

#[test]
fn a_home_that_may_not_be_used_is_named_with_what_chooses_another() {
    let sandbox = Sandbox::new();
    let repo = two_commits(&sandbox);
    let home = sandbox.cruxe_home();
    std::fs::create_dir(home).unwrap();
    set_mode(home, 0o555);
    for arguments in [&["search", "early"][..], &["init"], &["index"]] {
        let asked = run(&mut bound_by_permissions(&sandbox, &repo.root, arguments));
        assert_eq!(asked.code, Some(3), "{arguments:?}: {}", asked.transcript());
        let shown = home.display();
        let advice = format!("Indexes are kept below {shown}; set CRUXE_HOME to a folder that you can read and write.");
        assert!(asked.stderr.contains(&advice), "{arguments:?}: {}", asked.stderr);
    }
    set_mode(home, 0o755);
    repo.cruxe(&["index"]).ok();
    // Somebody else's files, in a folder that can be looked into.
    let text = repo.generation();
    for entry in text.read_dir().unwrap().flatten().filter(|entry| entry.path().is_dir()) {
        for file in entry.path().read_dir().unwrap().flatten() {
            set_mode(&file.path(), 0o000);
        }
    }
    let asked = run(&mut bound_by_permissions(&sandbox, &repo.root, &["search", "early"]));
    assert!(asked.stderr.contains("CRUXE_HOME") && !asked.stderr.contains("damaged"), "{}", asked.transcript());
}

#[test]
fn a_reader_that_goes_away_ends_every_command_quietly() {
    let sandbox = Sandbox::new();
    let repo = two_commits(&sandbox);
    repo.cruxe(&["index"]).ok();
    for arguments in [
        &["completions", "bash"][..],
        &["--help"],
        &["search", "--help"],
        &["search", "early"],
        &["search", "early", "--json"],
        &["refs", "early"],
        &["calls", "early", "--dot"],
        &["doctor"],
        &["guide"],
        &["index"],
    ] {
        let mut command = sandbox.cruxe_in(&repo.root);
        let mut child = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(!said.contains("panic") && !said.contains("roken pipe"), "{arguments:?}: {said}");
        assert_eq!(child.wait().unwrap().code(), Some(0), "{arguments:?}: {said}");
    }
}

#[test]
fn a_home_that_cannot_be_made_is_named_with_its_variable() {
    let sandbox = Sandbox::new();
    let repo = two_commits(&sandbox);
    repo.write("file", "");
    let home = repo.root.join("file/home");
    let asked = run(sandbox.cruxe_in(&repo.root).env("CRUXE_HOME", &home).args(["search", "early"]));
    assert_eq!(asked.code, Some(3), "{}", asked.transcript());
    assert!(asked.stderr.contains("set CRUXE_HOME to a folder"), "{}", asked.stderr);
}
