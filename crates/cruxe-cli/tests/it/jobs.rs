//! `index_repo`, `sync_repo`, `index_status`, `health_check` and progress.

use std::time::Instant;

use serde_json::{Value, json};

use crate::support::{Client, DEADLINE, Sandbox, eventually, sources};

#[test]
fn files_with_a_syntax_error_are_counted_and_listed_and_answers_that_they_touch_say_so() {
    let sandbox = Sandbox::new();
    let broken = "int first(void) { return used(1); }\nint second(void) {\n  used(2);\n  other = = used(3);\n  return 0;\n}\nint third(void) { return 3; }\n";
    let repo = sandbox
        .repo("c", &[("a.c", "int used(int x) { return x; }\nint unused(void) { return 1; }\n"), ("b.c", broken)]);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let status = client.ready();
    let listed = json!([{"path": "b.c", "line": 4}]);
    assert_eq!((&status["syntax_error_count"], &status["syntax_errors"]), (&json!(1), &listed), "{status}");
    let health = client.ok("health_check", json!({}));
    assert_eq!(health["projects"][0]["syntax_errors"], listed, "{health}");
    let outline = client.ok("get_file_outline", json!({"path": "b.c"}));
    assert_eq!(outline["metadata"]["symbol_count"], 3, "{outline}");
    for (tool, edges) in [("find_references", "references"), ("get_call_graph", "callers")] {
        let answer = client.ok(tool, json!({"symbol_name": "used"}));
        let lines: Vec<&Value> = answer[edges].as_array().unwrap().iter().collect();
        assert!(lines.len() >= 2, "{answer}");
        let clean = client.ok(tool, json!({"symbol_name": "unused"}));
        assert_eq!(clean["metadata"]["result_completeness"], "complete", "{clean}");
        assert_eq!(clean["metadata"]["warnings"], json!(null), "{clean}");
    }
}

#[test]
fn an_answer_names_the_code_that_could_not_be_parsed_where_its_name_stands() {
    let sandbox = Sandbox::new();
    let broken = "class B {\n  void first(A a) { a.go(); }\n  void second(Object b) {\n    ?? b.go ] = = 2;\n  }\n}\n";
    let files = [("A.java", "class A {\n  void go() {}\n  void rest() {}\n}\n"), ("B.java", broken)];
    let repo = sandbox.repo("java", &files);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    client.ready();
    for tool in ["find_references", "get_call_graph"] {
        let answer = client.ok(tool, json!({"symbol_name": "go"}));
        let warning = json!(["`go` also stands in code that could not be parsed: B.java:4"]);
        assert_eq!(answer["metadata"]["warnings"], warning, "{answer}");
        assert_eq!(answer["metadata"]["result_completeness"], "partial", "{answer}");
        let clean = client.ok(tool, json!({"symbol_name": "rest"}));
        assert_eq!(clean["metadata"]["result_completeness"], "complete", "{clean}");
    }
}

#[test]
fn a_name_that_code_may_define_which_could_not_be_parsed_is_not_simply_missing() {
    let sandbox = Sandbox::new();
    let broken = "int first(void) { return 1; }\n@@ int lost_one(int x) @@ (\n";
    let repo = sandbox.repo("c", &[("a.c", "int found_one(void) { return lost_one(1); }\n"), ("b.c", broken)]);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    client.ready();
    for (tool, key) in [("locate_symbol", "name"), ("search_code", "query")] {
        let answer = client.ok(tool, json!({key: "lost_one"}));
        let warning = "`lost_one` may also be defined in code that could not be parsed: b.c:2";
        let warnings = answer["metadata"]["warnings"].as_array().unwrap();
        assert!(warnings.contains(&json!(warning)), "{answer}");
        assert_eq!(answer["metadata"]["result_completeness"], "partial", "{answer}");
        let clean = client.ok(tool, json!({key: "found_one"}));
        assert_eq!(clean["metadata"]["result_completeness"], "complete", "{clean}");
    }
    let nothing = client.ok("locate_symbol", json!({"name": "lost_one"}));
    assert_eq!(nothing["results"], json!([]), "{nothing}");
}

#[test]
fn an_answer_of_none_names_the_file_beside_the_index_that_has_the_name() {
    let sandbox = Sandbox::new();
    let page = "class Page {\n    void OnLoad() {}\n    void Unused() {}\n}\n";
    let generated = "partial class Page {\n    void Wire() {\n        Loaded += OnLoad;\n    }\n}\n";
    let repo = sandbox.repo("pages", &[("src/Page.cs", page), ("src/Page.g.cs", generated)]);
    repo.git(&["tag", "then"]);
    repo.cruxe(&["index"]).ok();
    repo.cruxe(&["index", "--ref", "then"]).ok();
    let mut client = repo.server();
    client.ready();
    let place = "stands in a file that is not indexed (generated): src/Page.g.cs";
    for ref_name in ["main", "then"] {
        for tool in ["find_references", "get_call_graph"] {
            let answer = client.ok(tool, json!({"symbol_name": "OnLoad", "ref": ref_name}));
            let warning = json!([format!("`OnLoad` also {place}:3")]);
            assert_eq!(answer["metadata"]["warnings"], warning, "{answer}");
            assert_eq!(answer["metadata"]["result_completeness"], "partial", "{answer}");
            let clean = client.ok(tool, json!({"symbol_name": "Unused", "ref": ref_name}));
            assert_eq!(clean["metadata"]["result_completeness"], "complete", "{clean}");
            let told = repo.cruxe(&["refs", "OnLoad", "--ref", ref_name]).ok();
            assert!(told.contains("0 uses") && !told.contains("unused"), "{told}");
            let missing = client.error(tool, json!({"symbol_name": "Wire", "ref": ref_name}));
            assert_eq!(missing["data"]["not_indexed"], json!(format!("`Wire` also {place}:2")), "{missing}");
        }
        for (tool, key) in [("locate_symbol", "name"), ("search_code", "query")] {
            let answer = client.ok(tool, json!({key: "Wire", "ref": ref_name}));
            let warnings = answer["metadata"]["warnings"].as_array().unwrap();
            assert!(warnings.contains(&json!(format!("`Wire` also {place}:2"))), "{answer}");
            assert_eq!(answer["metadata"]["result_completeness"], "partial", "{answer}");
        }
    }
}

#[test]
fn what_the_language_calls_by_itself_is_not_called_unused() {
    let sandbox = Sandbox::new();
    let python = "class Q:\n    def __or__(self, other):\n        return self\n    def __iter__(self):\n        return self\n    def idle(self):\n        return 1\n\nboth = Q() | Q()\n";
    let cpp = "struct Money {\n  Money& operator/=(int x) { return *this; }\n  bool operator()(int x) { return true; }\n  void rest() {}\n};\nvoid f(Money m) { m /= 2; m(1); }\n";
    let rust =
        "struct Guard;\nimpl Drop for Guard {\n    fn drop(&mut self) {}\n}\nimpl Guard {\n    fn spare(&self) {}\n}\n";
    let repo = sandbox.repo("operators", &[("q.py", python), ("money.cpp", cpp), ("src/lib.rs", rust)]);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    client.ready();
    for tool in ["find_references", "get_call_graph"] {
        for name in ["Q.__or__", "Money::operator/="] {
            let answer = client.ok(tool, json!({"symbol_name": name}));
            assert_eq!(answer["metadata"]["mentions"]["uses"], 1, "{name}: {answer}");
        }
        for name in ["Q.__iter__", "Money::operator()", "Guard::drop"] {
            let answer = client.ok(tool, json!({"symbol_name": name}));
            assert_eq!(answer["metadata"]["result_completeness"], "partial", "{name}: {answer}");
            let warning = answer["metadata"]["warnings"][0].as_str().unwrap();
            assert!(warning.contains("the language may call it by itself"), "{name}: {warning}");
        }
        for name in ["Q.idle", "Money::rest", "Guard::spare"] {
            let answer = client.ok(tool, json!({"symbol_name": name}));
            assert_eq!(answer["metadata"]["result_completeness"], "complete", "{name}: {answer}");
        }
    }
    assert!(repo.cruxe(&["refs", "Q.__or__"]).ok().contains("1 use\n"));
    let told = repo.cruxe(&["refs", "Q.__iter__"]).ok();
    assert!(told.contains("0 uses") && !told.contains("unused"), "{told}");
    assert!(repo.cruxe(&["refs", "Q.idle"]).ok().contains("0 uses: it is unused"));
}

#[test]
fn counts_and_history_are_exact() {
    let sandbox = Sandbox::new();
    let files = sources::shapes(20);
    let repo = sandbox.repo("shapes", &sources::borrowed(&files));
    let head = repo.git(&["rev-parse", "HEAD"]);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let status = client.ready();
    assert_eq!((&status["file_count"], &status["symbol_count"]), (&json!(20), &json!(20 * 9)), "{status}");
    assert_eq!((&status["ref"], &status["last_indexed_commit"]), (&json!("main"), &json!(head)));
    assert_eq!((&status["current_schema_version"], &status["required_schema_version"]), (&json!(17), &json!(17)));
    assert_eq!(status["repo_root"], json!(repo.root));
    assert_eq!(status["recent_jobs"].as_array().unwrap().len(), 1);
    let job = &status["recent_jobs"][0];
    assert_eq!(
        (&job["mode"], &job["status"], &job["changed_files"]),
        (&json!("full"), &json!("published"), &json!(20))
    );
    assert_eq!(job["outcomes"], json!({"indexed": 20}));

    repo.remove("src/group0/shape_000.rs");
    repo.write("src/group1/shape_001.rs", "pub struct Changed;\n");
    repo.write("src/added.rs", "pub struct Added;\n");
    let job = client.ok("sync_repo", json!({}));
    assert_eq!(
        (&job["mode"], &job["status"], &job["changed_files"]),
        (&json!("incremental"), &json!("running"), &json!(null))
    );
    let job = client.wait_for_job(&job["job_id"]);
    assert_eq!((&job["changed_files"], &job["outcomes"]), (&json!(3), &json!({"indexed": 2, "unchanged": 18})));
    let status = client.ready();
    assert_eq!((&status["file_count"], &status["symbol_count"]), (&json!(20), &json!(18 * 9 + 2)));

    let job = client.ok("index_repo", json!({"force": true}));
    assert_eq!(job["mode"], "full");
    let job = client.wait_for_job(&job["job_id"]);
    assert_eq!((&job["changed_files"], &job["outcomes"]), (&json!(20), &json!({"indexed": 20})));
    let job = client.ok("sync_repo", json!({}));
    let job = client.wait_for_job(&job["job_id"]);
    assert_eq!((&job["changed_files"], &job["outcomes"]), (&json!(0), &json!({"unchanged": 20})));
}

/// A job notes its end before it lets the writer's lock go, so nobody takes it for one whose process died.
#[test]
fn a_job_that_ends_is_never_seen_as_interrupted() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shapes", &[("src/lib.rs", "pub struct Shape;\n")]);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    client.ready();
    for _ in 0..40 {
        let job = client.ok("index_repo", json!({"force": true}));
        // Asked without a pause: the moment between the two is short.
        loop {
            let status = client.ok("index_status", json!({}));
            let latest = &status["recent_jobs"][0];
            if latest["job_id"] == job["job_id"] {
                assert_eq!(latest["status"], "published", "{latest}");
                break;
            }
        }
    }
}

fn with_progress(client: &mut Client, tool: &str, arguments: Value) -> (Value, Vec<Value>) {
    client.notifications.clear();
    let result = client.result(json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": "token-7"}}));
    assert_ne!(result["isError"], true, "{result}");
    let mut notes = std::mem::take(&mut client.notifications);
    // The index that the server made when it started is news for its list of resources.
    notes.retain(|note| note["method"] != "notifications/resources/list_changed");
    for note in &notes {
        assert_eq!(
            (&note["method"], &note["params"]["progressToken"]),
            (&json!("notifications/progress"), &json!("token-7"))
        );
    }
    (result["structuredContent"].clone(), notes.into_iter().map(|note| note["params"].clone()).collect())
}

#[test]
fn a_client_with_a_progress_token_hears_how_far_the_job_is() {
    let sandbox = Sandbox::new();
    let files = sources::shapes(200);
    let repo = sandbox.repo("shapes", &sources::borrowed(&files));
    let mut client = repo.server();
    client.ready();
    let (answer, notes) = with_progress(&mut client, "index_repo", json!({"force": true}));
    assert_eq!((&answer["status"], &answer["file_count"]), (&json!("published"), &json!(200)));
    let figures: Vec<f64> = notes.iter().map(|note| note["progress"].as_f64().unwrap()).collect();
    assert!(figures.is_sorted_by(|a, b| a < b), "{figures:?}");
    assert_eq!(figures.last(), Some(&200.0));
    assert!(notes.iter().all(|note| note["total"].as_f64() == Some(200.0)), "{notes:?}");

    repo.write("src/added.rs", "pub struct Added;\n");
    let (answer, notes) = with_progress(&mut client, "sync_repo", json!({}));
    assert_eq!((&answer["status"], &answer["changed_files"]), (&json!("published"), &json!(1)));
    assert_eq!(notes.last().unwrap()["progress"].as_f64(), Some(201.0));
}

#[test]
fn a_second_job_is_refused_with_the_first_ones_figures() {
    let sandbox = Sandbox::new();
    let files = sources::shapes(3000);
    let repo = sandbox.folder("shapes", &sources::borrowed(&files));
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let first = client.ok("index_repo", json!({"force": true}));
    for (tool, code) in [("index_repo", "index_in_progress"), ("sync_repo", "sync_in_progress")] {
        let error = client.error(tool, json!({}));
        assert_eq!((&error["code"], &error["data"]["job_id"]), (&json!(code), &first["job_id"]), "{error}");
    }
    let health = client.ok("health_check", json!({}));
    assert_eq!(health["active_job"]["job_id"], first["job_id"], "{health}");
    assert_eq!((&health["status"], &health["active_job"]["mode"]), (&json!("indexing"), &json!("full")));
    client.wait_for_job(&first["job_id"]);
}

#[test]
fn the_handshake_does_not_wait_for_the_first_index_and_answers_say_partial() {
    let sandbox = Sandbox::new();
    let files = sources::shapes(1000);
    let repo = sandbox.repo("shapes", &sources::borrowed(&files));
    let started = Instant::now();
    let mut client = repo.server();
    let handshake = started.elapsed();
    println!("start and handshake: {handshake:?}");
    let mut partial = 0;
    eventually("the first index is there", DEADLINE, || {
        let answer = client.ok("locate_symbol", json!({"name": "Shape999"}));
        let metadata = &answer["metadata"];
        if answer["results"].as_array().unwrap().is_empty() {
            partial += 1;
            assert_eq!(
                (&metadata["result_completeness"], metadata["schema_status"] != "corrupt_manifest"),
                (&json!("partial"), true),
                "{metadata}"
            );
            assert_ne!(metadata["freshness_status"], "fresh");
            return None;
        }
        assert_eq!(metadata["result_completeness"], "complete");
        Some(())
    });
    assert!(partial > 0);
}

#[test]
fn health_of_a_sound_server() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server_with(&["--no-watch", "--no-prewarm"]);
    let health = client.ok("health_check", json!({}));
    assert_eq!((&health["status"], &health["prewarm_status"]), (&json!("ready"), &json!("disabled")));
    assert_eq!((&health["tantivy_ok"], &health["sqlite_ok"]), (&json!(true), &json!(true)));
    assert_eq!((&health["active_job"], &health["interrupted_recovery_report"]), (&json!(null), &json!(null)));
    assert_eq!(
        health["startup_checks"]["index"],
        json!({"status": "compatible", "current_schema_version": 17, "required_schema_version": 17, "message": null})
    );
    let available: Vec<&str> =
        health["grammars"]["available"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    for language in ["rust", "typescript", "python", "go"] {
        assert!(available.contains(&language), "{available:?}");
    }
    assert_eq!(health["workspace_warmset"]["members"], json!([repo.root]));
    let mut client = repo.server();
    eventually("the index is warm", DEADLINE, || {
        let health = client.ok("health_check", json!({}));
        let words = (health["status"].as_str().unwrap(), health["prewarm_status"].as_str().unwrap());
        assert!([("warming", "warming"), ("warming", "complete"), ("ready", "complete")].contains(&words), "{words:?}");
        (words == ("ready", "complete")).then_some(())
    });
}

#[test]
fn outlines_nest_and_stop_at_the_top_when_asked() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let all = client.ok("get_file_outline", json!({"path": "./src/auth/../auth/jwt.rs", "language": "rust"}));
    assert_eq!((&all["file_path"], &all["language"]), (&json!("src/auth/jwt.rs"), &json!("rust")));
    let brief = |symbol: &Value| format!("{} {}", symbol["kind"].as_str().unwrap(), symbol["name"].as_str().unwrap());
    let top: Vec<String> = all["symbols"].as_array().unwrap().iter().map(brief).collect();
    let expected = [
        "use crate::auth::error::TokenError",
        "struct Claims",
        "struct JwtValidator",
        "impl JwtValidator",
        "const MAX_AGE",
    ];
    assert_eq!(top, expected);
    assert_eq!(
        all["symbols"][3]["children"],
        json!([
            {"kind": "fn", "name": "validate_token", "line_start": 14, "line_end": 19, "visibility": "pub",
             "signature": "pub fn validate_token(&self, token: &str) -> Result<Claims, TokenError>"},
            {"kind": "fn", "name": "rotate", "line_start": 21, "line_end": 23, "signature": "fn rotate(&mut self)"},
        ])
    );
    assert_eq!(all["metadata"]["symbol_count"], 7);
    let top = client.ok("get_file_outline", json!({"path": "src/auth/jwt.rs", "depth": "top"}));
    assert_eq!(top["metadata"]["symbol_count"], 5);
    assert!(top["symbols"].as_array().unwrap().iter().all(|symbol| symbol.get("children").is_none()));

    let error = client.error("get_file_outline", json!({"path": "lib/jwt.rs"}));
    assert_eq!((&error["code"], &error["data"]["candidates"]), (&json!("file_not_found"), &json!(["src/auth/jwt.rs"])));
    for (path, code) in [("../../etc/passwd", "invalid_input"), ("/etc/passwd", "invalid_input"), ("", "invalid_input")]
    {
        assert_eq!(client.error("get_file_outline", json!({"path": path}))["code"], code, "{path}");
    }
    assert_eq!(client.error("get_file_outline", json!({}))["code"], "invalid_input");
    let error = client.error("get_file_outline", json!({"path": "src/auth/jwt.rs", "depth": "deep"}));
    assert_eq!((&error["code"], &error["data"]["parameter"]), (&json!("invalid_input"), &json!("depth")));
}
