//! What people and agents read, word by word.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{DEADLINE, Repo, Sandbox, eventually, sources};

/// Leaves out what differs from run to run.
fn settings(sandbox: &Sandbox) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    let root = sandbox.path("").canonicalize().unwrap();
    settings.add_filter(&root.to_str().unwrap().replace('.', r"\."), "[TMP]");
    settings.add_filter(r"projects/[0-9a-f]{16}", "projects/[PROJECT]");
    settings.add_filter(r#""project_id": "[0-9a-f]{16}""#, r#""project_id": "[PROJECT]""#);
    settings.add_filter(r#""job_id": "[0-9a-f]{12}""#, r#""job_id": "[JOB]""#);
    settings.add_filter(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "[TIME]");
    settings.add_filter(r#"("duration_ms"|"uptime_seconds"): \d+"#, "$1: [NUMBER]");
    settings.add_filter(r"\d+\.\d\d s\b", "[SECONDS] s");
    settings.add_filter(r"code-static-256-[0-9a-f]{12}", "code-static-256-[HASH]");
    settings.add_filter(r"\b\d+ languages", "[NUMBER] languages");
    settings.add_filter(r"(projects?), [\d.]+ [kMG]B", "$1, [SIZE]");
    settings.add_filter(r"allows \d+ watches", "allows [NUMBER] watches");
    settings.add_filter(r#"("version"): "[^"]+""#, r#"$1: "[VERSION]""#);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}

fn check(sandbox: &Sandbox, name: &str, text: &str) {
    settings(sandbox).bind(|| insta::assert_snapshot!(name, text));
}

fn service(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.cruxe(&["index"]).ok();
    repo
}

#[test]
fn answers_of_the_tools() {
    let sandbox = Sandbox::new();
    let repo = service(&sandbox);
    let mut client = repo.server();
    for (tool, arguments) in [
        (
            "locate_symbol",
            json!({"name": "validate_token", "detail_level": "context", "ranking_explain_level": "full"}),
        ),
        ("search_code", json!({"query": "how is a token checked", "limit": 2, "ranking_explain_level": "basic"})),
        (
            "explain_ranking",
            json!({"query": "how is a token checked", "result_path": "src/auth/jwt.rs", "result_line_start": 14}),
        ),
        ("get_file_outline", json!({"path": "src/auth/jwt.rs"})),
        ("index_status", json!({})),
        ("health_check", json!({})),
        ("index_repo", json!({"force": true})),
    ] {
        let mut answer = eventually("nothing is being warmed", DEADLINE, || {
            Some(client.ok(tool, arguments.clone())).filter(|answer| answer["status"] != "warming")
        });
        if tool == "health_check" {
            // Languages are added now and then.
            answer["grammars"]["available"] = json!(["…"]);
        }
        check(&sandbox, &format!("tool_{tool}"), &format!("{answer:#}"));
        if tool == "index_repo" {
            client.wait_for_job(&answer["job_id"]);
        }
    }
    let answer = client.ok("sync_repo", json!({}));
    check(&sandbox, "tool_sync_repo", &format!("{answer:#}"));
}

#[test]
fn errors_of_the_tools() {
    let sandbox = Sandbox::new();
    let repo = service(&sandbox);
    let mut client = repo.server();
    let mut text = String::new();
    for (tool, arguments) in [
        ("locate_symbol", json!({})),
        ("locate_symbol", json!({"name": "x", "limit": 0})),
        ("locate_symbol", json!({"name": "x", "detail_level": "all"})),
        ("locate_symbol", json!({"name": "x", "ref": "nonesuch"})),
        ("locate_symbol", json!({"name": "x", "workspace": "/nonesuch"})),
        ("get_file_outline", json!({"path": "lib/jwt.rs"})),
        ("get_file_outline", json!({"path": "/etc/passwd"})),
    ] {
        let error: Value = client.error(tool, arguments.clone());
        text += &format!("{tool} {arguments}\n{error:#}\n\n");
    }
    check(&sandbox, "tool_errors", &text);
}

#[test]
fn help_texts() {
    let sandbox = Sandbox::new();
    let mut text = String::new();
    for arguments in
        [&["--help"][..], &["index", "--help"], &["search", "--help"], &["model", "--help"], &["serve-mcp", "--help"]]
    {
        text += &format!("$ cruxe {}\n{}\n", arguments.join(" "), sandbox.cruxe(Path::new("/"), arguments).ok());
    }
    check(&sandbox, "cli_help", &text);
}

#[test]
fn commands_and_their_output() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    for (name, arguments) in [
        ("doctor_before", &["doctor"][..]),
        ("init", &["init"]),
        ("index", &["index"]),
        ("index_json", &["index", "--json"]),
        ("sync", &["sync"]),
        ("search", &["search", "validate_token"]),
        ("search_json", &["search", "Claims", "--json"]),
        ("search_typo", &["search", "validat_tokn"]),
        ("search_nothing", &["search", "zzz_nothing"]),
        ("model_list", &["model", "list"]),
        ("model_list_json", &["model", "list", "--json"]),
        ("model_install", &["model", "install", "all-MiniLM-L6-v2"]),
        ("doctor", &["doctor"]),
        ("doctor_json", &["doctor", "--json"]),
    ] {
        check(&sandbox, &format!("cli_{name}"), &repo.cruxe(arguments).transcript());
    }
}

#[test]
fn messages_when_something_is_wrong() {
    let sandbox = Sandbox::new();
    let repo = service(&sandbox);
    repo.write("bad.toml", "[query]\nfreshness_policy = \"sometimes\"\n");
    let mut text = String::new();
    for arguments in [
        &["index", "--ref", "nonesuch"][..],
        &["search", "Claims", "--ref", "nonesuch"],
        &["index", "--workspace", "/nonesuch"],
        &["index", "--path", "Cargo.toml"],
        &["index", "--config", "missing.toml"],
        &["index", "--config", "bad.toml"],
        &["search"],
        &["search", "x", "--limit", "0"],
        &["frobnicate"],
    ] {
        text += &format!("$ cruxe {}\n{}\n", arguments.join(" "), repo.cruxe(arguments).transcript());
    }
    check(&sandbox, "cli_errors", &text);
}

#[test]
fn errors_of_commands_for_programs() {
    let sandbox = Sandbox::new();
    let repo = service(&sandbox);
    repo.write("bad.toml", "[query]\nfreshness_policy = \"sometimes\"\n");
    let mut text = String::new();
    for arguments in [
        &["refs", "validate_tokn"][..],
        &["calls", "nosuch"],
        &["search", "Claims", "--ref", "nonesuch"],
        &["index", "--workspace", "/nonesuch"],
        &["sync", "--config", "bad.toml"],
        &["model", "use", "nosuch"],
        &["search", "x", "--limit", "0"],
    ] {
        let run = repo.cruxe(&[arguments, &["--json"]].concat());
        let error: Value = serde_json::from_str(&run.stdout).unwrap();
        assert!(error["error"]["data"]["suggestion"].is_string(), "{error}");
        text += &format!("$ cruxe {} --json\nexit code: {}\n{error:#}\n\n", arguments.join(" "), run.code.unwrap());
    }
    check(&sandbox, "cli_errors_json", &text);
}

/// Whether everything that `part` says, `whole` says too.
fn has(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(key, value)| whole.get(key).is_some_and(|found| has(found, value)))
        }
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len() && whole.iter().zip(part).all(|(whole, part)| has(whole, part))
        }
        _ => whole == part,
    }
}

#[test]
fn commands_print_what_the_tools_answer() {
    let sandbox = Sandbox::new();
    let repo = service(&sandbox);
    let mut client = repo.server();
    client.ready();
    for (arguments, tool, parameters) in [
        (&["search", "how is a token checked"][..], "search_code", json!({"query": "how is a token checked"})),
        (&["search", "\"expired\""], "search_code", json!({"query": "\"expired\""})),
        (&["refs", "Claims"], "find_references", json!({"symbol_name": "Claims"})),
        (&["calls", "validate_token"], "get_call_graph", json!({"symbol_name": "validate_token"})),
    ] {
        let printed = repo.cruxe(&[arguments, &["--json"]].concat()).json();
        let answered = client.ok(tool, parameters);
        assert!(has(&printed, &answered), "{arguments:?}\n{printed:#}\n{answered:#}");
    }
}
