//! `cue scene`.

use std::fs;

use super::{card, cue, deck, fails};
use crate::support::{Repo, Run, Sandbox};

const CODE: &str = "\
/// Checks a token.
pub fn validate_token(token: &str) -> bool {
    !token.is_empty()
}

pub fn other() {
    let unrelated_body = 1;
}
";
const API: &str = "# API\n\nIntro.\n\n## Login\n\nPost the password.\n\n## Logout\n\nForget the token.\n";

fn work<'a>(sandbox: &'a Sandbox) -> Repo<'a> {
    let repo = deck(sandbox, &[("docs/api.md", API), ("docs/auth.md", "# Auth\n\nAll of it.\n"), ("src/jwt.rs", CODE)]);
    let refs = "refs: [docs/api.md#Login, src/jwt.rs#validate_token, docs/gone.md#X]\n";
    repo.write(
        ".cuedeck/cards/bbb222.md",
        card(
            "Database",
            "active",
            &format!("depends_on: [aaa111, ccc333]\n{refs}"),
            "See [auth](../../docs/auth.md).\n",
        ),
    );
    repo.write(".cuedeck/cards/aaa111.md", card("Setup", "done", "", "Long finished text.\n"));
    repo.write(".cuedeck/cards/ccc333.md", card("Schema", "todo", "", "Draw the schema.\n"));
    repo.write(".cuedeck/cards/ddd444.md", card("Elsewhere", "todo", "", "Not part of it.\n"));
    repo
}

fn dry(sandbox: &Sandbox, repo: &Repo, arguments: &[&str]) -> String {
    cue(sandbox, repo, &[&["scene", "-d"], arguments].concat()).ok()
}

fn tokens(text: &str) -> usize {
    cruxe_tokens::count(text)
}

#[test]
fn a_scene_has_active_cards_what_they_depend_on_and_what_they_refer_to() {
    let sandbox = Sandbox::new();
    let repo = work(&sandbox);
    let text = dry(&sandbox, &repo, &[]);
    insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!("cue_scene", text);
    });
    assert!(!text.contains("Forget the token") && !text.contains("unrelated_body"), "sliced, not whole: {text}");
    assert!(!text.contains("Long finished text") && !text.contains("Not part of it"), "{text}");
    assert!(text.contains("refs that lead nowhere: docs/gone.md#X"));
    assert_eq!(text, dry(&sandbox, &repo, &[]), "the same deck, the same scene");
}

#[test]
fn the_scene_is_written_and_a_missing_clipboard_is_a_warning() {
    let sandbox = Sandbox::new();
    let repo = work(&sandbox);
    let run: Run = cue(&sandbox, &repo, &["scene"]);
    assert!(run.stderr.contains("warning: nothing was copied to the clipboard: no display"), "{}", run.stderr);
    let said = run.ok();
    let text = fs::read_to_string(repo.root.join(".cuedeck/SCENE.md")).unwrap();
    assert_eq!(said, format!("wrote .cuedeck/SCENE.md: {} of 32000 tokens\n", tokens(&text)));
    assert_eq!(text, dry(&sandbox, &repo, &[]));
    let quiet = cue(&sandbox, &repo, &["scene", "--no-clipboard", "--json"]);
    assert_eq!(quiet.stderr, "");
    let report = quiet.json();
    assert_eq!((&report["clipboard"], &report["limit"]), (&serde_json::json!(false), &serde_json::json!(32000)));
    let cache: Vec<_> = fs::read_dir(repo.root.join(".cuedeck/.cache")).unwrap().collect();
    assert!(cache.is_empty(), "nothing is left behind: {cache:?}");
}

#[test]
fn no_limit_is_exceeded_and_what_was_pruned_is_said() {
    let sandbox = Sandbox::new();
    let repo = work(&sandbox);
    let long = "many words in here ".repeat(3000);
    repo.write(
        ".cuedeck/cards/zzz999.md",
        card("Big", "active", "priority: low\n", &long).replace("priority: medium\n", ""),
    );
    let mut last = 0;
    for limit in [60, 150, 600, 3000, 32000] {
        let text = dry(&sandbox, &repo, &["--token-limit", &limit.to_string()]);
        let size = tokens(&text);
        assert!(size <= limit, "{size} of {limit}");
        assert!(size > last, "{limit}: more room, more text");
        assert_eq!(text.contains("Pruned"), limit < 32000, "{limit}: {text}");
        last = size;
    }
    let report = cue(&sandbox, &repo, &["scene", "-d", "--token-limit", "600", "--json"]).json();
    let pruned = report["pruned"].as_array().unwrap();
    assert!(pruned.iter().any(|part| part["what"] == "card zzz999"), "{report}");
    assert_eq!(report["tokens"], tokens(report["scene"].as_str().unwrap()));
    let first = dry(&sandbox, &repo, &["--token-limit", "150"]);
    assert!(first.contains("bbb222 Database"), "the more important card stays: {first}");
    let refused = cue(&sandbox, &repo, &["scene", "-d", "--token-limit", "3"]);
    fails(&refused, 4, &["Token Limit Exceeded", "1003", "--token-limit"]);
}

#[test]
fn secrets_do_not_leave_the_workspace() {
    let sandbox = Sandbox::new();
    let repo = work(&sandbox);
    let key = ["AKIA", "IOSFODNN7EXAMPLE"].concat();
    repo.write(
        ".cuedeck/cards/eee555.md",
        card("Keys", "active", "refs: [docs/k.md]\n", &format!("Use {key} and ITK-77.\n")),
    );
    repo.write("docs/k.md", format!("# K\n\npassword = \"hunter2222\" {key}\n"));
    repo.write(".cuedeck/config.toml", "[[secrets.pattern]]\nname = \"internal\"\nregex = \"ITK-[0-9]+\"\n");
    let text = dry(&sandbox, &repo, &[]);
    assert!(!text.contains(&key) && !text.contains("hunter2222") && !text.contains("ITK-77"), "{text}");
    assert!(text.contains("Use [masked aws-access-key] and [masked internal]."), "{text}");
    assert_eq!(cue(&sandbox, &repo, &["scene", "-d", "--json"]).json()["masked"], 4);
    let over = sandbox.path("over.toml");
    fs::write(&over, "[secrets]\ndefaults = false\n").unwrap();
    let text = dry(&sandbox, &repo, &["--config", over.to_str().unwrap()]);
    assert!(text.contains(&key) && text.contains("[masked internal]"), "both files count: {text}");
}

#[test]
fn recent_changes_come_from_git() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work", &[("src/a.rs", "fn a() {}\n"), ("docs/b.md", "# B\n")]);
    cue(&sandbox, &repo, &["init"]).ok();
    repo.commit("Add the deck");
    repo.write("src/a.rs", "fn a() { b() }\n");
    let text = dry(&sandbox, &repo, &[]);
    let changes = text.split("## Recent changes\n").nth(1).unwrap();
    assert!(
        changes.starts_with("\nBranch `main`.\n\nNot committed:\n- modified src/a.rs\n\nLast commits:\n- "),
        "{text}"
    );
    assert!(changes.contains(" Add the deck\n") && changes.contains(" first\n"), "{text}");
    cue(&sandbox, &repo, &["scene", "--no-clipboard"]).ok();
    assert_eq!(dry(&sandbox, &repo, &[]), text, "making a scene changes nothing that is in it");
}

#[test]
fn without_active_cards_the_scene_says_what_is_next() {
    let sandbox = Sandbox::new();
    let repo = deck(&sandbox, &[]);
    assert!(dry(&sandbox, &repo, &[]).contains("0 of 0 cards in work."));
    repo.write(".cuedeck/cards/aaa111.md", card("First", "todo", "", "x\n"));
    repo.write(".cuedeck/cards/bad001.md", "no front matter\n");
    let text = dry(&sandbox, &repo, &[]);
    assert!(text.contains("## To do next\n\n- aaa111 First (medium)\n"), "{text}");
    assert!(text.contains("0 of 1 card in work. 1 card cannot be read, see `cue doctor`."), "{text}");
}

#[test]
#[cfg(unix)]
fn references_that_lead_out_of_the_workspace_are_not_followed() {
    let sandbox = Sandbox::new();
    let repo = deck(&sandbox, &[]);
    fs::write(sandbox.path("secret.md"), "# Top secret\n").unwrap();
    std::os::unix::fs::symlink(sandbox.path("secret.md"), repo.root.join("link.md")).unwrap();
    repo.write(
        ".cuedeck/cards/aaa111.md",
        card("A", "active", "refs: [../secret.md, link.md]\n", "[x](../../../secret.md)\n"),
    );
    let text = dry(&sandbox, &repo, &[]);
    assert!(!text.contains("Top secret"), "{text}");
    assert!(text.contains("refs that lead nowhere: ../secret.md, link.md"), "{text}");
}
