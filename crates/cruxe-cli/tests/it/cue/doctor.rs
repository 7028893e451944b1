//! `cue doctor`.

use std::fs;

use serde_json::Value;

use super::{card, cue, deck, fails};
use crate::support::{Repo, Sandbox};

fn healthy<'a>(sandbox: &'a Sandbox, files: &[(&str, &str)]) -> Repo<'a> {
    let repo = deck(sandbox, files);
    repo.write(".cuedeck/cards/aaa111.md", card("First", "active", "", ""));
    repo.write(".cuedeck/cards/bbb222.md", card("Second", "todo", "depends_on: [aaa111]\n", ""));
    repo
}

/// Path, line, check and message of everything that was found.
fn findings(sandbox: &Sandbox, repo: &Repo) -> Vec<(String, u64, String, String)> {
    let run = cue(sandbox, repo, &["doctor", "--json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let found = report["findings"].as_array().unwrap();
    let errors = found.iter().filter(|finding| finding["severity"] == "error").count();
    assert_eq!((report["ok"] == true, run.code == Some(0)), (errors == 0, errors == 0), "{report}");
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    let row = |finding: &Value| {
        (text(finding, "path"), finding["line"].as_u64().unwrap_or(0), text(finding, "check"), text(finding, "message"))
    };
    found.iter().map(row).collect()
}

fn one(path: &str, line: u64, check: &str, message: &str) -> Vec<(String, u64, String, String)> {
    vec![(path.to_owned(), line, check.to_owned(), message.to_owned())]
}

#[test]
fn a_healthy_deck_has_no_findings() {
    let sandbox = Sandbox::new();
    let links = "---\ntags: [a]\n---\n# Links\n\n[web](https://example.com/x) [mail](mailto:a@b.c) [self](#links) \
                 [code](../src/a.rs#run) [line](../src/a.rs#L1) [dir](../src/) [root](/docs/links.md#Links) \
                 [own](#my-own) <a id=\"my-own\"></a> [top](#top)\n\n```\n[x](nowhere.md)\n```\n\n`[y](nowhere.md)`\n";
    let repo = healthy(&sandbox, &[("docs/links.md", links), ("src/a.rs", "fn run() {}\n")]);
    repo.write("docs/rules.md", "---\n\nA line across the page: twice.\n\n---\n\ntext\n");
    assert_eq!(findings(&sandbox, &repo), []);
    assert_eq!(cue(&sandbox, &repo, &["doctor"]).ok(), "2 cards and 2 documents: nothing is wrong\n");
}

#[test]
fn dead_links_are_found_with_their_lines() {
    let sandbox = Sandbox::new();
    for (text, line, message) in [
        ("# L\n\nSee [this](missing-page.md).\n", 3, "dead link: docs/missing-page.md is not there"),
        ("# L\n\n[x](#nope)\n", 3, "dead link: docs/l.md has no heading `nope`"),
        ("# L\n[x](other.md#gone)\n", 2, "dead link: docs/other.md has no heading `gone`"),
        ("# L\n[x](../src/a.rs#gone)\n", 2, "dead link: src/a.rs has no symbol `gone`"),
        ("# L\n[x](../src/a.rs#L10)\n", 2, "dead link: src/a.rs has 1 lines, not 10"),
        ("# L\n[x][r]\n\n[r]: nowhere.md\n", 4, "dead link: docs/nowhere.md is not there"),
        ("# L\n![i](pic.png)\n", 2, "dead link: docs/pic.png is not there"),
        ("# L\n[x](../../out.md)\n", 2, "`../../out.md` leads out of the workspace"),
    ] {
        let repo =
            healthy(&sandbox, &[("docs/l.md", text), ("docs/other.md", "# Other\n"), ("src/a.rs", "fn run() {}\n")]);
        assert_eq!(findings(&sandbox, &repo), one("docs/l.md", line, "dead_link", message), "{text}");
    }
}

#[test]
fn cards_are_checked_too() {
    let sandbox = Sandbox::new();
    for (text, line, check, message) in [
        (
            card("L", "todo", "", "See [x](../../docs/missing.md).\n"),
            10,
            "dead_link",
            "dead link: docs/missing.md is not there",
        ),
        (card("L", "todo", "refs: [docs/missing.md]\n", ""), 5, "dead_reference", "refs: docs/missing.md is not there"),
        (
            card("L", "todo", "refs:\n  - src/a.rs#gone\n", ""),
            6,
            "dead_reference",
            "refs: src/a.rs has no symbol `gone`",
        ),
        (card("L", "todo", "refs: [../x.md]\n", ""), 5, "dead_reference", "refs: `../x.md` leaves the workspace"),
        (
            card("L", "todo", "depends_on: [zzz999]\n", ""),
            5,
            "unknown_id",
            "depends on zzz999, and there is no such card",
        ),
        (
            card("L", "active", "", "Alone.\n"),
            3,
            "orphan_card",
            "orphan card: lnk001 is active, refers to nothing, and nothing depends on it",
        ),
        (card("L", "someday", "", ""), 3, "front_matter", "status: `someday` is none of todo, active, done, archived"),
        ("No front matter.\n".to_owned(), 1, "front_matter", "the card has no front matter (`---` on its first line)"),
    ] {
        let repo = healthy(&sandbox, &[("src/a.rs", "fn run() {}\n")]);
        repo.write(".cuedeck/cards/lnk001.md", &text);
        assert_eq!(findings(&sandbox, &repo), one(".cuedeck/cards/lnk001.md", line, check, message), "{text}");
        assert_eq!(fs::read_to_string(repo.root.join(".cuedeck/cards/lnk001.md")).unwrap(), text);
    }
}

#[test]
fn an_active_card_with_a_link_or_a_reference_is_no_orphan() {
    let sandbox = Sandbox::new();
    let repo = healthy(&sandbox, &[("docs/a.md", "# A\n")]);
    repo.write(".cuedeck/cards/ccc333.md", card("L", "active", "", "See [a](../../docs/a.md).\n"));
    repo.write(".cuedeck/cards/ddd444.md", card("R", "active", "refs: [docs/a.md#A]\n", ""));
    assert_eq!(findings(&sandbox, &repo), []);
    repo.write(".cuedeck/cards/eee555.md", card("W", "active", "", "See https://example.org and [me](eee555.md).\n"));
    assert_eq!(findings(&sandbox, &repo).len(), 1, "the web and itself do not count");
}

#[test]
fn the_tip_for_an_orphan_names_the_file_that_it_seems_to_be_about() {
    let sandbox = Sandbox::new();
    let repo = healthy(&sandbox, &[("docs/login_guide.md", "# A\n"), ("src/deep/login.rs", ""), ("src/login.rs", "")]);
    let tip = |title: &str| {
        repo.write(".cuedeck/cards/eee555.md", card(title, "active", "", ""));
        let report: Value = serde_json::from_str(&cue(&sandbox, &repo, &["doctor", "--json"]).stdout).unwrap();
        report["findings"][0]["help"].as_str().unwrap().to_owned()
    };
    assert!(tip("Login without a password").contains("--add-ref docs/login_guide.md`"));
    assert!(tip("Speed").starts_with("Link the document"));
}

#[test]
fn circles_broken_yaml_and_a_broken_configuration_are_reported_with_their_places() {
    let sandbox = Sandbox::new();
    let repo = healthy(&sandbox, &[("docs/bad.md", "---\ntags: [unclosed\n---\n# Bad\n")]);
    repo.write(".cuedeck/cards/aaa111.md", card("A", "todo", "depends_on: [bbb222]\n", ""));
    repo.write(".cuedeck/cards/bad001.md", "---\ntitle: [unclosed\nstatus: todo\n---\n");
    let run = cue(&sandbox, &repo, &["doctor"]);
    assert_eq!(run.code, Some(1));
    for word in ["aaa111 → bbb222 → aaa111", "1002", "bad001.md", "docs/bad.md", "tags: [unclosed", "3 errors"] {
        assert!(run.stdout.contains(word), "{word}: {}", run.stdout);
    }
    repo.write(".cuedeck/config.toml", "[core\nbroken");
    let run = cue(&sandbox, &repo, &["doctor"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stdout.contains(".cuedeck/config.toml:1") && run.stdout.contains("[core"), "{}", run.stdout);
    repo.write(".cuedeck/config.toml", "[core]\ntoken_limits = 5\n");
    let run = cue(&sandbox, &repo, &["doctor"]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stdout.contains("unknown setting `core.token_limits`") && run.stdout.contains("1 warnings"),
        "{}",
        run.stdout
    );
}

#[test]
fn what_moved_is_repaired_after_a_diff_and_only_when_agreed() {
    let sandbox = Sandbox::new();
    let doc = "# L\r\n\r\n[a](old/a%20b.md#A) and [twice](old/a%20b.md).\r\n[several](x/readme.md)\r\n";
    let repo = healthy(
        &sandbox,
        &[("docs/l.md", doc), ("docs/new/a b.md", "# A\n"), ("p/readme.md", "# P\n"), ("q/readme.md", "# Q\n")],
    );
    let text = card("R", "todo", "refs: [\"old/run.rs#run\", src/run.rs] # mine\n", "");
    repo.write(".cuedeck/cards/ccc333.md", &text);
    repo.write("src/run.rs", "fn run() {}\n");
    let read = |path: &str| fs::read_to_string(repo.root.join(path)).unwrap();
    let asked = cue(&sandbox, &repo, &["doctor", "--fix"]);
    fails(&asked, 4, &["no terminal to ask on", "cue doctor --fix --yes"]);
    assert!(
        asked.stdout.contains("-[a](old/a%20b.md#A)") && asked.stdout.contains("+[a](new/a%20b.md#A)"),
        "{}",
        asked.stdout
    );
    assert_eq!((read("docs/l.md").as_str(), read(".cuedeck/cards/ccc333.md")), (doc, text.clone()));
    let fixed = cue(&sandbox, &repo, &["doctor", "--fix", "--yes"]);
    assert_eq!(fixed.code, Some(1), "what is ambiguous stays: {}", fixed.stdout);
    assert!(fixed.stdout.contains("Several files have that name: p/readme.md, q/readme.md."), "{}", fixed.stdout);
    assert_eq!(read("docs/l.md"), doc.replace("old/a%20b.md", "new/a%20b.md"));
    assert_eq!(read(".cuedeck/cards/ccc333.md"), text.replace("old/run.rs", "src/run.rs"));
    let again = cue(&sandbox, &repo, &["doctor", "--fix", "--yes"]);
    assert!(again.stderr.contains("nothing can be repaired"), "{}", again.stderr);
}
