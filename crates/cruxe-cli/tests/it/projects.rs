//! What is kept on a machine, and how it goes: `cruxe projects`, `cruxe remove`, `cruxe doctor`.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Sandbox, run, sources};

#[test]
fn projects_are_listed_with_what_they_take_and_gone_ones_are_told() {
    let sandbox = Sandbox::new();
    let (here, gone) = (sandbox.repo("here", sources::SERVICE), sandbox.repo("gone", sources::SERVICE));
    here.cruxe(&["index"]).ok();
    gone.cruxe(&["index"]).ok();
    let root = gone.root.canonicalize().unwrap();
    fs::remove_dir_all(&gone.root).unwrap();
    let listed = sandbox.cruxe(&sandbox.user_home(), &["projects", "--json"]).json();
    let projects = listed["projects"].as_array().unwrap();
    assert_eq!(projects.len(), 2, "{listed}");
    let of = |root: &Value| projects.iter().find(|project| project["root"] == *root).unwrap();
    let found = of(&json!(root));
    assert_eq!((&found["gone"], &found["repository"]), (&json!(true), &json!(root.join(".git"))));
    let found = of(&json!(here.root.canonicalize().unwrap()));
    assert_eq!(found["gone"], false);
    assert!(found["size_bytes"].as_u64().unwrap() > 10_000 && found["last_used_at"].is_string(), "{found}");
    let text = sandbox.cruxe(&sandbox.user_home(), &["projects"]).ok();
    assert!(text.contains("2 projects") && text.contains("CRUXE_HOME"), "{text}");
    assert!(text.contains("1 project of a folder that is gone: `cruxe remove --gone`"), "{text}");
    assert!(here.cruxe(&["doctor"]).ok().contains("cruxe remove --gone"));

    let asked = sandbox.cruxe(&sandbox.user_home(), &["remove", "--gone"]);
    assert_eq!(asked.code, Some(4), "there is nobody to ask: {}", asked.transcript());
    let removed = sandbox.cruxe(&sandbox.user_home(), &["remove", "--gone", "--yes", "--json"]).json();
    assert_eq!(removed["removed"][0]["root"], json!(root), "{removed}");
    let listed = sandbox.cruxe(&sandbox.user_home(), &["projects", "--json"]).json();
    assert_eq!(listed["projects"].as_array().unwrap().len(), 1, "{listed}");
}

#[test]
fn a_project_that_was_removed_is_as_if_never_seen() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.cruxe(&["index"]).ok();
    let kept = repo.project_dir();
    assert_eq!(repo.cruxe(&["remove", "--yes"]).ok().lines().count(), 2);
    assert!(!kept.exists());
    assert!(repo.root.join(".git").is_dir(), "the project itself stays");
    let unknown = repo.cruxe(&["remove", "--yes"]);
    assert_eq!(unknown.code, Some(4));
    assert!(unknown.stderr.contains("`cruxe projects` lists what is"), "{}", unknown.stderr);
    repo.cruxe(&["index"]).ok();
    let id = kept.file_name().unwrap().to_str().unwrap();
    sandbox.cruxe(&sandbox.user_home(), &["remove", "--yes", id]).ok();
    assert!(!kept.exists());
}

#[test]
fn doctor_names_servers_that_run_and_a_home_that_cannot_be_written() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.cruxe(&["index"]).ok();
    assert!(!repo.cruxe(&["doctor"]).ok().contains("servers:"));
    let client = repo.server();
    let told = repo.cruxe(&["doctor"]).ok();
    assert!(told.contains(&format!("servers: {} (process ", env!("CARGO_PKG_VERSION"))), "{told}");
    assert_eq!(client.finish(), Some(0));
    assert!(!repo.cruxe(&["doctor"]).ok().contains("servers:"));
    assert_eq!(fs::read_dir(sandbox.cruxe_home().join("servers")).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn doctor_says_that_the_home_cannot_be_written() {
    use crate::hostile::{bound_by_permissions, set_mode};

    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.cruxe(&["index"]).ok();
    set_mode(&sandbox.cruxe_home().join("projects"), 0o555);
    let told = run(&mut bound_by_permissions(&sandbox, &repo.root, &["doctor"]));
    set_mode(&sandbox.cruxe_home().join("projects"), 0o755);
    assert_eq!(told.code, Some(1), "{}", told.transcript());
    assert!(told.stdout.contains("FAIL home: ") && told.stdout.contains("CRUXE_HOME"), "{}", told.stdout);
}
