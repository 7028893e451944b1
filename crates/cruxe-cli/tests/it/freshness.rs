//! Freshness policies, without a watcher: every question finds out by itself.

use serde_json::{Value, json};

use crate::support::{Client, DEADLINE, Sandbox, eventually, places, sources};

fn freshness(answer: &Value) -> &str {
    answer["metadata"]["freshness_status"].as_str().unwrap()
}

fn ask(client: &mut Client, name: &str, policy: &str) -> Value {
    client.ok("locate_symbol", json!({"name": name, "freshness_policy": policy}))
}

/// How many jobs there were, once none is running.
fn jobs(client: &mut Client) -> usize {
    client.ready()["recent_jobs"].as_array().unwrap().len()
}

#[test]
fn strict_refuses_a_stale_index_and_names_both_commits() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    let before = repo.git(&["rev-parse", "HEAD"]);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    assert_eq!(freshness(&ask(&mut client, "Claims", "strict")), "fresh");

    repo.write("src/new.rs", "pub fn brand_new() {}\n");
    let after = repo.commit("second");
    let error = client.error("locate_symbol", json!({"name": "Claims", "freshness_policy": "strict"}));
    assert_eq!(error["code"], "index_stale");
    assert_eq!(error["message"], "Index is stale. Last indexed commit does not match HEAD. Run sync_repo to refresh.");
    assert_eq!(
        error["data"],
        json!({
            "last_indexed_commit": before, "current_head": after, "ref": "main",
            "suggestion": "Call sync_repo to update the index before querying.",
        })
    );
    let job = client.ok("sync_repo", json!({}));
    client.wait_for_job(&job["job_id"]);
    assert_eq!(places(&ask(&mut client, "brand_new", "strict")), ["src/new.rs:1"]);
}

#[test]
fn strict_refuses_over_an_uncommitted_edit_too() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    let head = repo.git(&["rev-parse", "HEAD"]);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    repo.write("src/new.rs", "pub fn brand_new() {}\n");
    let error = client.error("locate_symbol", json!({"name": "Claims", "freshness_policy": "strict"}));
    assert_eq!(error["code"], "index_stale");
    assert_eq!((&error["data"]["last_indexed_commit"], &error["data"]["current_head"]), (&json!(head), &json!(head)));
    assert!(error["message"].as_str().unwrap().contains("src/new.rs"), "{error}");
}

#[test]
fn balanced_answers_stale_and_syncs_behind_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    repo.write("src/new.rs", "pub fn brand_new() {}\n");
    let answer = ask(&mut client, "Claims", "balanced");
    assert_eq!((freshness(&answer), places(&answer)), ("stale", vec!["src/auth/jwt.rs:4".to_owned()]));
    // Nobody asks for anything that would start another sync.
    eventually("the background sync is seen", DEADLINE, || {
        let answer = ask(&mut client, "brand_new", "best_effort");
        (freshness(&answer) == "fresh").then(|| assert_eq!(places(&answer), ["src/new.rs:1"]))
    });
    assert_eq!(jobs(&mut client), 2);
}

#[test]
fn best_effort_answers_stale_and_starts_nothing() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    repo.write("src/new.rs", "pub fn brand_new() {}\n");
    for _ in 0..20 {
        let answer = ask(&mut client, "brand_new", "best_effort");
        assert_eq!((freshness(&answer), places(&answer)), ("stale", vec![]));
    }
    assert_eq!(jobs(&mut client), 1);
    assert!(client.ok("index_status", json!({}))["active_job"].is_null());
}

#[test]
fn the_configured_policy_is_the_default() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.write(".cruxe/config.toml", "[query]\nfreshness_policy = \"strict\"\n");
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    repo.write("src/new.rs", "pub fn brand_new() {}\n");
    assert_eq!(client.error("locate_symbol", json!({"name": "Claims"}))["code"], "index_stale");
    assert_eq!(freshness(&ask(&mut client, "Claims", "best_effort")), "stale");
}

#[test]
fn a_question_right_after_an_edit_never_calls_old_content_fresh() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    for round in 0..40 {
        // The same length each time, and as soon after the publish as can be: size and coarse times do not show it.
        repo.write("src/edited.rs", format!("pub fn edited_{round:02}() {{}}\n"));
        eventually("the edit is seen", DEADLINE, || {
            let answer = ask(&mut client, &format!("edited_{round:02}"), "balanced");
            let exact = answer["metadata"].get("warnings").is_none() && !places(&answer).is_empty();
            assert!(exact || freshness(&answer) != "fresh", "round {round}: {answer}");
            (exact && freshness(&answer) == "fresh").then_some(())
        });
    }
}

#[test]
fn edits_that_change_nothing_stay_fresh() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let text = std::fs::read(repo.root.join("src/auth/jwt.rs")).unwrap();
    repo.write("src/auth/jwt.rs", text);
    repo.write(".git/unrelated", "x");
    assert_eq!(freshness(&ask(&mut client, "Claims", "strict")), "fresh");
}

#[test]
fn outlines_and_status_say_stale_too() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    repo.write("src/auth/error.rs", "pub enum TokenError { Late }\n");
    assert_eq!(freshness(&client.ok("index_status", json!({}))), "stale");
    assert_eq!(client.ok("health_check", json!({}))["projects"][0]["freshness_status"], "stale");
    let outline = client.ok("get_file_outline", json!({"path": "src/auth/error.rs"}));
    assert_eq!((freshness(&outline), outline["symbols"][0]["line_end"].as_u64()), ("stale", Some(5)));
}

#[test]
fn a_file_that_is_there_and_not_indexed_yet_is_never_said_not_to_exist() {
    let path = json!({"path": "src/auth/jwt.rs"});
    for _ in 0..5 {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo("service", sources::SERVICE);
        let mut client = repo.server();
        // The first question about a workspace that nobody has ever seen; whether it is indexed by then is chance.
        let found =
            eventually("the file is indexed", DEADLINE, || match client.answer("get_file_outline", path.clone()) {
                Ok(outline) => Some(outline),
                Err(error) => {
                    assert_eq!(error["code"], "index_not_ready", "{error}");
                    assert_eq!(error["data"]["indexing_status"], "indexing", "{error}");
                    None
                }
            });
        assert_eq!(found["file_path"], "src/auth/jwt.rs");
    }
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.write(".gitignore", "ignored.py\n");
    repo.commit("rules");
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    client.ready();
    for name in ["late.py", "ignored.py"] {
        repo.write(name, "def late():\n    pass\n");
    }
    let error = client.error("get_file_outline", json!({"path": "late.py"}));
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!("index_not_ready"), &json!("late.py is on disk and not in the index yet"))
    );
    for path in ["ignored.py", "nonesuch.py"] {
        assert_eq!(client.error("get_file_outline", json!({"path": path}))["code"], "file_not_found", "{path}");
    }
    eventually("the edit is taken in", DEADLINE, || client.answer("get_file_outline", json!({"path": "late.py"})).ok());
}

#[test]
fn an_error_right_after_an_edit_says_that_the_index_is_behind() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    client.ready();
    let not_found = |name: &str, path: &str| {
        [
            ("find_references", json!({"symbol_name": name, "freshness_policy": "best_effort"}), "symbol_not_found"),
            ("get_call_graph", json!({"symbol_name": name, "freshness_policy": "best_effort"}), "symbol_not_found"),
            (
                "compare_symbol_between_commits",
                json!({"symbol_name": name, "base_ref": "main", "head_ref": "main"}),
                "symbol_not_found",
            ),
            ("get_file_outline", json!({"path": path}), "file_not_found"),
        ]
    };
    for (tool, question, code) in not_found("nonesuch", "nonesuch.rs") {
        let error = client.error(tool, question);
        assert_eq!((&error["code"], &error["data"]["freshness_status"]), (&json!(code), &json!("fresh")), "{error}");
        let advice = error["data"]["suggestion"].as_str().unwrap();
        assert!(!advice.contains("ask again"), "{advice}");
    }
    repo.write("src/new.rs", "pub fn brand_new() {}\n");
    // An outline starts a sync, so it is asked for last.
    for (tool, question, code) in not_found("brand_new", "nonesuch.rs") {
        let error = client.error(tool, question);
        assert_eq!((&error["code"], &error["data"]["freshness_status"]), (&json!(code), &json!("stale")), "{error}");
        let advice = error["data"]["suggestion"].as_str().unwrap();
        let says_so = advice.starts_with("Files changed since they were indexed: ask again in a moment. ");
        assert!(says_so || tool.starts_with("compare"), "{advice}");
    }
    eventually("the edit is taken in", DEADLINE, || {
        match client.answer("find_references", json!({"symbol_name": "brand_new"})) {
            Ok(answer) => {
                assert_eq!(freshness(&answer), "fresh");
                Some(())
            }
            Err(error) => {
                assert_ne!(error["data"]["freshness_status"], "fresh", "{error}");
                None
            }
        }
    });
    let question = json!({"symbol_name": "x", "freshness_policy": "strict"});
    repo.write("src/new.rs", "pub fn newer() {}\n");
    assert_eq!(client.error("find_references", question)["code"], "index_stale");
}

#[test]
fn a_comparison_is_as_old_as_the_older_of_its_sides() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.git(&["branch", "copy"]);
    for name in ["main", "copy"] {
        repo.cruxe(&["index", "--ref", name]).ok();
    }
    let mut client = repo.server();
    client.ready();
    let question = |base: &str, head: &str| json!({"symbol_name": "Claims", "base_ref": base, "head_ref": head});
    let sides = [("main", "copy"), ("copy", "main")];
    for (base, head) in sides {
        let answer = client.ok("compare_symbol_between_commits", question(base, head));
        assert_eq!(freshness(&answer), "fresh", "{base} {head}");
    }
    repo.write("src/new.rs", "pub fn brand_new() {}\n");
    for (base, head) in sides {
        let answer = client.ok("compare_symbol_between_commits", question(base, head));
        assert_eq!(freshness(&answer), "stale", "{base} {head}");
        let arguments = json!({"base_ref": base, "head_ref": head, "freshness_policy": "best_effort"});
        assert_eq!(freshness(&client.ok("diff_context", arguments)), "stale", "{base} {head}");
    }
}
