//! `card`, `list` and `graph`.

use std::fs;

use serde_json::json;

use super::{card, cue, cue_in, deck, fails};
use crate::support::{Repo, Sandbox, run};

fn tasks<'a>(sandbox: &'a Sandbox) -> Repo<'a> {
    let repo = deck(sandbox, &[]);
    for (id, text) in [
        ("aaa111", card("Setup", "done", "tags: [Auth]\nassignee: \"@Dana\"\n", "")),
        ("bbb222", card("Database", "active", "priority_note: x\ndepends_on: [aaa111]\n", "")),
        ("ccc333", card("Login \"API\"", "todo", "depends_on: [aaa111, bbb222]\ntags: [auth, api]\n", "Body text.\n")),
        ("ddd444", card("Old", "archived", "", "")),
    ] {
        repo.write(&format!(".cuedeck/cards/{id}.md"), text);
    }
    repo
}

fn ids(sandbox: &Sandbox, repo: &Repo, arguments: &[&str]) -> Vec<String> {
    let answer = cue(sandbox, repo, &[&["list", "--json"], arguments].concat()).json();
    answer["tasks"].as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_new_card_has_what_was_said_and_is_listed() {
    let sandbox = Sandbox::new();
    let repo = tasks(&sandbox);
    let arguments = ["card", "new", "Fix: the \"login\"", "--tag", "a,b", "--priority", "HIGH", "--assignee", "@kim"];
    let more = ["--depends-on", "aaa111", "--depends-on", "bbb222", "--json"];
    let made = cue(&sandbox, &repo, &[&arguments[..], &more[..]].concat()).json();
    assert_eq!(made["title"], "Fix: the \"login\"");
    assert_eq!(
        (&made["status"], &made["priority"], &made["assignee"]),
        (&json!("todo"), &json!("high"), &json!("@kim"))
    );
    assert_eq!((&made["tags"], &made["depends_on"]), (&json!(["a", "b"]), &json!(["aaa111", "bbb222"])));
    let id = made["id"].as_str().unwrap();
    assert!(id.len() == 6 && id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()), "{id}");
    assert_eq!(ids(&sandbox, &repo, &["--priority", "high"]), [id]);
    let again = cue(&sandbox, &repo, &["card", "new", "Fix:", "the", "\"login\""]).ok();
    assert!(!again.contains(id) && again.contains(".cuedeck/cards/"), "{again}");
    fails(&cue(&sandbox, &repo, &["card", "new", "X", "--depends-on", "zzz999"]), 1, &["zzz999", "1001"]);
    fails(&cue(&sandbox, &repo, &["card", "new", &"x".repeat(201)]), 4, &["201 characters"]);
    fails(&cue(&sandbox, &repo, &["card", "new", "  "]), 4, &["title"]);
}

#[test]
fn filters_choose_cards_and_archived_ones_have_to_be_asked_for() {
    let sandbox = Sandbox::new();
    let repo = tasks(&sandbox);
    assert_eq!(ids(&sandbox, &repo, &[]), ["bbb222", "ccc333", "aaa111"]);
    assert_eq!(ids(&sandbox, &repo, &["--all"]), ["bbb222", "ccc333", "aaa111", "ddd444"]);
    assert_eq!(ids(&sandbox, &repo, &["--status", "archived"]), ["ddd444"]);
    assert_eq!(ids(&sandbox, &repo, &["--tag", "AUTH"]), ["ccc333", "aaa111"]);
    assert_eq!(ids(&sandbox, &repo, &["--tag", "api", "--tag", "none"]), ["ccc333"]);
    assert_eq!(ids(&sandbox, &repo, &["--assignee", "@dana"]), ["aaa111"]);
    assert_eq!(ids(&sandbox, &repo, &["--created", "2024-06-01", "--status", "todo"]), ["ccc333"]);
    assert_eq!(ids(&sandbox, &repo, &["--created", "<3d"]), Vec::<String>::new());
    assert_eq!(ids(&sandbox, &repo, &["--created", ">2w"]).len(), 3);
    assert_eq!(ids(&sandbox, &repo, &["--priority", "low"]), Vec::<String>::new());
}

#[test]
fn the_table_lines_up_and_names_cards_that_cannot_be_read() {
    let sandbox = Sandbox::new();
    let repo = tasks(&sandbox);
    repo.write(".cuedeck/cards/bad001.md", "---\ntitle: [unclosed\n---\n");
    let run = cue(&sandbox, &repo, &["list"]);
    assert_eq!(
        run.stdout,
        "ID      STATUS  PRIORITY  ASSIGNEE  TITLE\n\
         bbb222  active  medium              Database\n\
         ccc333  todo    medium              Login \"API\"  #auth #api\n\
         aaa111  done    medium    @Dana     Setup  #Auth\n"
    );
    assert_eq!(run.stderr, "warning: 1 card cannot be read; `cue doctor` says why\n");
    assert_eq!(cue(&sandbox, &repo, &["card", "list"]).ok(), run.stdout);
}

#[test]
fn show_edit_and_done_change_only_what_they_say() {
    let sandbox = Sandbox::new();
    let repo = tasks(&sandbox);
    let shown = cue(&sandbox, &repo, &["card", "show", "ccc333"]).ok();
    for part in ["ccc333  Login \"API\"", "aaa111 Setup (done)", "bbb222 Database (active)", "Body text."] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(cue(&sandbox, &repo, &["card", "show", "bbb222"]).ok().contains("needed by   ccc333"));
    let path = repo.root.join(".cuedeck/cards/bbb222.md");
    let before = fs::read_to_string(&path).unwrap();
    let done = cue(&sandbox, &repo, &["card", "done", "bbb222"]).ok();
    assert_eq!(done, "bbb222  changed status\ncan be begun now: ccc333 Login \"API\"\n");
    let after = fs::read_to_string(&path).unwrap();
    let kept: String = after.split_inclusive('\n').filter(|line| !line.starts_with("updated:")).collect();
    assert_eq!(kept, before.replace("status: active", "status: done"));
    cue(&sandbox, &repo, &["card", "edit", "ccc333", "--status", "active", "--assignee", "@kim"]).ok();
    assert_eq!(ids(&sandbox, &repo, &["--assignee", "@kim", "--status", "active"]), ["ccc333"]);
    fails(&cue(&sandbox, &repo, &["card", "edit", "zzz999", "--status", "done"]), 1, &["there is no card zzz999"]);
}

#[test]
#[cfg(unix)]
fn edit_without_options_opens_the_editor_with_its_arguments() {
    let sandbox = Sandbox::new();
    let repo = tasks(&sandbox);
    repo.write("../editor.sh", "#!/bin/sh\necho \"$1|$2\" > \"$(dirname \"$0\")/opened\"\n");
    let editor = format!("sh {} --wait", sandbox.path("editor.sh").display());
    let opened = || fs::read_to_string(sandbox.path("opened")).unwrap();
    run(cue_in(&sandbox, &repo).env("EDITOR", &editor).args(["card", "edit", "aaa111"])).ok();
    let path = repo.root.join(".cuedeck/cards/aaa111.md");
    assert_eq!(opened(), format!("--wait|{}\n", path.display()));
    let failed = run(cue_in(&sandbox, &repo).env("EDITOR", "false").args(["card", "edit", "aaa111"]));
    fails(&failed, 3, &["the editor `false` ended with"]);
}

#[test]
fn the_graph_is_a_tree_a_diagram_and_data() {
    let sandbox = Sandbox::new();
    let repo = tasks(&sandbox);
    assert_eq!(
        cue(&sandbox, &repo, &["graph"]).ok(),
        "ccc333 Login \"API\" [todo]\n├── aaa111 Setup [done]\n└── bbb222 Database [active]\n    └── aaa111 Setup [done]\n"
    );
    assert_eq!(cue(&sandbox, &repo, &["graph", "bbb222"]).ok(), "bbb222 Database [active]\n└── aaa111 Setup [done]\n");
    let mermaid = cue(&sandbox, &repo, &["graph", "--format", "mermaid"]).ok();
    assert!(mermaid.starts_with("graph TD\n    aaa111[\"aaa111 Setup\"]:::done\n"), "{mermaid}");
    assert!(mermaid.contains("    ccc333[\"ccc333 Login &quot;API&quot;\"]:::todo\n"), "{mermaid}");
    assert!(mermaid.contains("    ccc333 --> bbb222\n") && !mermaid.contains("ddd444"), "{mermaid}");
    let dot = cue(&sandbox, &repo, &["graph", "--format", "dot"]).ok();
    assert!(dot.contains("\"ccc333\" -> \"aaa111\";\n") && dot.contains("Login \\\"API\\\""), "{dot}");
    let data = cue(&sandbox, &repo, &["graph", "--json"]).json();
    assert_eq!(data["edges"].as_array().unwrap().len(), 3);
    assert_eq!(data["cycles"], json!([]));
    fails(&cue(&sandbox, &repo, &["graph", "zzz999"]), 1, &["there is no card zzz999"]);
}

#[test]
fn circles_are_drawn_once_and_named() {
    let sandbox = Sandbox::new();
    let repo = deck(&sandbox, &[]);
    repo.write(".cuedeck/cards/aaa111.md", card("A", "todo", "depends_on: [bbb222]\n", ""));
    repo.write(".cuedeck/cards/bbb222.md", card("B", "todo", "depends_on: [aaa111]\n", ""));
    repo.write(".cuedeck/cards/ccc333.md", card("C", "todo", "depends_on: [ccc333]\n", ""));
    let text = cue(&sandbox, &repo, &["graph"]).ok();
    assert!(text.contains("circular: aaa111 → bbb222 → aaa111\n"), "{text}");
    assert!(text.contains("circular: ccc333 → ccc333"), "{text}");
    assert_eq!(text.matches("(shown above)").count(), 2, "{text}");
}
