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
fn everything_can_be_changed_after_creation() {
    let sandbox = Sandbox::new();
    let repo = tasks(&sandbox);
    let edit = |arguments: &[&str]| cue(&sandbox, &repo, &[&["card", "edit", "ccc"], arguments].concat());
    let said = edit(&["--title", "Login", "--add-tag", "new", "--remove-tag", "API", "--add-ref", "src/a.rs#run"]).ok();
    assert_eq!(said, "ccc333  changed title, tags, refs\n");
    edit(&["--assignee", "kim", "--remove-dependency", "aaa111", "--body", "Other text."]).ok();
    let now = cue(&sandbox, &repo, &["card", "show", "ccc333", "--json"]).json();
    assert_eq!(
        (&now["title"], &now["tags"], &now["refs"], &now["depends_on"], &now["body"]),
        (&json!("Login"), &json!(["auth", "new"]), &json!(["src/a.rs#run"]), &json!(["bbb222"]), &json!("Other text."))
    );
    for name in ["kim", "@kim", "@KIM"] {
        assert_eq!(ids(&sandbox, &repo, &["--assignee", name]), ["ccc333"], "{name}");
    }
    edit(&["--tag", "", "--depends-on", "a,d"]).ok();
    let now = cue(&sandbox, &repo, &["card", "show", "c", "--json"]).json();
    assert_eq!((&now["tags"], &now["depends_on"]), (&json!([]), &json!(["aaa111", "ddd444"])));
    fails(&edit(&["--depends-on", "ccc333"]), 1, &["ccc333 → ccc333", "1002"]);
    fails(&edit(&["--tag", "x", "--add-tag", "y"]), 4, &["cannot be used with"]);
    repo.write("../body", "From\nstdin\n");
    let stdin = fs::File::open(sandbox.path("body")).unwrap();
    let said = run(cue_in(&sandbox, &repo).args(["card", "edit", "ccc", "--body", "-"]).stdin(stdin)).ok();
    assert_eq!(said, "ccc333  changed body\n");
    assert!(cue(&sandbox, &repo, &["card", "show", "ccc"]).ok().ends_with("\nFrom\nstdin\n"));
}

#[test]
fn the_beginning_of_an_id_is_enough_while_only_one_card_has_it() {
    let sandbox = Sandbox::new();
    let repo = tasks(&sandbox);
    repo.write(".cuedeck/cards/ccc999.md", "---\ntitle: [broken\n---\n");
    assert!(cue(&sandbox, &repo, &["card", "show", "b"]).ok().starts_with("bbb222  Database"));
    fails(
        &cue(&sandbox, &repo, &["card", "show", "ccc"]),
        4,
        &["2 cards begin with ccc: ccc333 Login \"API\", ccc999"],
    );
    fails(&cue(&sandbox, &repo, &["card", "show", "zz"]), 1, &["no card's id begins with zz", "cue list"]);
    for wrong in ["", "a-b", "B", "abcdefg", "../x"] {
        fails(&cue(&sandbox, &repo, &["card", "show", wrong]), 4, &["is no id of a card"]);
    }
    assert!(cue(&sandbox, &repo, &["graph", "bb"]).ok().starts_with("bbb222 Database"));
}

#[test]
fn next_says_what_can_be_begun_and_what_waits_for_what() {
    let sandbox = Sandbox::new();
    let repo = tasks(&sandbox);
    repo.write(".cuedeck/cards/eee555.md", card("Docs", "todo", "assignee: kim\n", ""));
    assert_eq!(
        cue(&sandbox, &repo, &["next"]).ok(),
        "active\n  bbb222  medium    Database\nready\n  eee555  medium    Docs  kim\nblocked\n  ccc333  medium    Login \"API\"\n          \
         waits for bbb222 Database (active)\n"
    );
    let json = cue(&sandbox, &repo, &["next", "--json", "--tag", "auth"]).json();
    assert_eq!((&json["active"], &json["ready"]), (&json!([]), &json!([])));
    assert_eq!((&json["blocked"][0]["id"], &json["blocked"][0]["waits_for"]), (&json!("ccc333"), &json!(["bbb222"])));
    fails(&cue(&sandbox, &repo, &["start", "ccc"]), 1, &["ccc333 waits for bbb222 Database (active)", "--anyway"]);
    assert_eq!(
        cue(&sandbox, &repo, &["start", "eee", "--assignee", "@dana"]).ok(),
        "eee555  changed status, assignee\n"
    );
    assert_eq!(ids(&sandbox, &repo, &["--status", "active"]), ["bbb222", "eee555"]);
    cue(&sandbox, &repo, &["start", "ccc", "--anyway"]).ok();
    assert_eq!(ids(&sandbox, &repo, &["--status", "active"]).len(), 3);
    let other = sandbox.repo("empty", &[]);
    cue(&sandbox, &other, &["init"]).ok();
    assert!(cue(&sandbox, &other, &["next"]).ok().contains("nothing is to be done"));
}

#[test]
fn open_lists_cards_that_cannot_be_read_too() {
    let sandbox = Sandbox::new();
    let repo = tasks(&sandbox);
    repo.write(".cuedeck/cards/bad001.md", "---\ntitle: [unclosed\n---\n");
    let found = cue(&sandbox, &repo, &["open", "bad001"]).ok();
    assert!(found.starts_with(".cuedeck/cards/bad001.md  cannot be read: "), "{found}");
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
