//! `search_code` with a pattern, and `cruxe grep`.

use serde_json::{Value, json};

use crate::support::{Client, Repo, Sandbox};

const MAIL: &[(&str, &str)] = &[
    (
        "mail/send.py",
        "\
\"\"\"Sends mail.\"\"\"


class Sender:
    def send(self, to):
        if '@' not in to:
            raise ValueError('bad address: %s' % to)
        return self.queue.push(to)

    def retry(self, to):
        raise TimeoutError(to)
",
    ),
    ("mail/__init__.py", "from .send import Sender\n"),
    ("docs/mail.md", "# Mail\n\nA sender may raise ValueError.\n"),
    ("tests/test_send.py", "def test_send():\n    raise ValueError('never')\n"),
    ("data.bin", "raise ValueError\0\u{1}"),
    ("po/de.po", "msgid \"raise ValueError\"\n"),
    ("build/out.py", "raise ValueError('ignored')\n"),
    (".gitignore", "build/\n"),
];

fn mail(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.repo("mail", MAIL);
    repo.cruxe(&["index"]).ok();
    repo
}

fn ask(client: &mut Client, arguments: Value) -> (Vec<String>, Value) {
    let answer = client.ok("search_code", arguments);
    let place = |one: &Value| {
        format!("{}:{} {}", one["path"].as_str().unwrap(), one["line_start"], one["snippet"].as_str().unwrap_or("-"))
    };
    (answer["results"].as_array().unwrap().iter().map(place).collect(), answer)
}

#[test]
fn every_matching_line_is_listed_source_before_tests_with_the_symbol_around_it() {
    let sandbox = Sandbox::new();
    let mut client = mail(&sandbox).server();
    let (lines, answer) = ask(&mut client, json!({"pattern": r"raise \w+Error"}));
    let expected = [
        "docs/mail.md:3 A sender may raise ValueError.",
        "mail/send.py:7 raise ValueError('bad address: %s' % to)",
        "mail/send.py:11 raise TimeoutError(to)",
        "tests/test_send.py:2 raise ValueError('never')",
    ];
    assert_eq!(lines, expected, "neither what git ignores nor what is binary");
    assert_eq!((&answer["total_candidates"], &answer["total_files"]), (&json!(4), &json!(3)));
    assert_eq!(
        (&answer["query_intent"], &answer["metadata"]["result_completeness"]),
        (&json!("pattern"), &json!("complete"))
    );
    assert_eq!(answer["metadata"]["not_searched"], json!({"translations": 1}));
    let line = &answer["results"][1];
    assert_eq!((&line["kind"], &line["name"]), (&json!("method"), &json!("send")));
    assert_eq!(line["qualified_name"], "mail.send.Sender.send");
    let (same, _) = ask(&mut client, json!({"pattern": r"raise \w+Error", "query": ""}));
    assert_eq!(same, expected);
    let (_, both) = ask(&mut client, json!({"pattern": "raise", "query": "mail"}));
    assert_eq!(both["metadata"]["warnings"], json!(["`query` is not used beside `pattern`"]));
    let (none, empty) = ask(&mut client, json!({"pattern": "zebra"}));
    assert_eq!((none.len(), &empty["total_candidates"], &empty["total_files"]), (0, &json!(0), &json!(0)));
    assert_eq!(empty["metadata"]["result_completeness"], "complete");
}

#[test]
fn patterns_are_text_or_expressions_and_may_ignore_case() {
    let sandbox = Sandbox::new();
    let mut client = mail(&sandbox).server();
    let mut count = |arguments: Value| ask(&mut client, arguments).1["total_candidates"].clone();
    assert_eq!(count(json!({"pattern": "address: %s' % to)", "pattern_type": "literal"})), 1);
    assert_eq!(count(json!({"pattern": "raise.ValueError", "pattern_type": "literal"})), 0);
    assert_eq!(count(json!({"pattern": "raise.ValueError"})), 3);
    assert_eq!(count(json!({"pattern": "RAISE VALUEERROR"})), 0);
    assert_eq!(count(json!({"pattern": "RAISE VALUEERROR", "case_sensitive": false})), 3);
    assert_eq!(count(json!({"pattern": r"\braise\b", "tests": "exclude", "paths": ["*.py"]})), 2);
    assert_eq!(count(json!({"pattern": "raise", "language": "markdown"})), 1);
    assert_eq!(count(json!({"pattern": "raise|class", "kind": "class"})), 3, "lines of a class are in it");
    assert_eq!(count(json!({"pattern": "^$", "paths": ["mail"]})), 3);
}

#[test]
fn a_page_says_where_the_next_begins_and_context_shows_the_lines_around() {
    let sandbox = Sandbox::new();
    let mut client = mail(&sandbox).server();
    let (lines, page) = ask(&mut client, json!({"pattern": "raise", "limit": 2, "offset": 1}));
    assert_eq!(lines.len(), 2);
    assert_eq!((&page["total_candidates"], &page["metadata"]["next_offset"]), (&json!(4), &json!(3)));
    assert_eq!(page["metadata"]["result_completeness"], "truncated");
    let (lines, last) = ask(&mut client, json!({"pattern": "raise", "offset": 3}));
    assert_eq!((lines.len(), last["metadata"].get("next_offset")), (1, None));
    assert_eq!(last["metadata"]["result_completeness"], "complete");
    assert_eq!(ask(&mut client, json!({"pattern": "raise", "offset": 99})).0.len(), 0);
    let (_, context) = ask(&mut client, json!({"pattern": "TimeoutError", "detail_level": "context"}));
    let line = &context["results"][0];
    assert_eq!((&line["before"], &line["after"]), (&json!(["", "    def retry(self, to):"]), &Value::Null));
    assert_eq!(line["snippet"], "        raise TimeoutError(to)");
    let (_, cut) = ask(&mut client, json!({"pattern": "raise", "max_tokens": 180}));
    let kept = cut["results"].as_array().unwrap().len();
    assert!(kept < 4 && cut["metadata"]["next_offset"] == json!(kept), "{cut}");
}

#[test]
fn a_bad_pattern_is_refused_with_its_place() {
    let sandbox = Sandbox::new();
    let mut client = mail(&sandbox).server();
    let error = client.error("search_code", json!({"pattern": "raise ("}));
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!("invalid_input"), &json!("pattern: unclosed group (at character 7)"))
    );
    assert_eq!((&error["data"]["parameter"], &error["data"]["position"]), (&json!("pattern"), &json!(7)));
    for (arguments, parameter) in [
        (json!({"pattern": ""}), "pattern"),
        (json!({"pattern": r"(\pL{999}){999}"}), "pattern"),
        (json!({"pattern": "a", "pattern_type": "glob"}), "pattern_type"),
        (json!({"pattern": "a", "offset": -1}), "offset"),
        (json!({"pattern": 7}), "pattern"),
        (json!({}), "query"),
        (json!({"pattern": null}), "query"),
        (json!({"query": "a", "offset": 1}), "offset"),
        (json!({"query": "a", "pattern_type": "literal"}), "pattern_type"),
    ] {
        let error = client.error("search_code", arguments.clone());
        assert_eq!(
            (&error["code"], &error["data"]["parameter"]),
            (&json!("invalid_input"), &json!(parameter)),
            "{arguments}"
        );
    }
}

#[test]
fn a_ref_has_the_lines_of_its_commit_and_the_work_tree_those_of_its_edits() {
    let sandbox = Sandbox::new();
    let repo = mail(&sandbox);
    let first = repo.git(&["rev-parse", "HEAD"]).trim().to_owned();
    repo.git(&["tag", "v1"]);
    repo.write("mail/send.py", "def send():\n    raise RuntimeError('new')\n");
    repo.cruxe(&["index", "--ref", "v1"]).ok();
    repo.cruxe(&["sync"]).ok();
    let mut client = repo.server();
    let (lines, _) = ask(&mut client, json!({"pattern": "raise", "paths": ["mail"]}));
    assert_eq!(lines, ["mail/send.py:2 raise RuntimeError('new')"]);
    let (lines, answer) = ask(&mut client, json!({"pattern": "raise", "paths": ["mail"], "ref": "v1"}));
    assert_eq!(lines.len(), 2);
    assert_eq!(answer["metadata"]["ref"], "v1");
    assert_eq!(client.error("search_code", json!({"pattern": "raise", "ref": first}))["code"], "ref_not_indexed");
    let old = repo.cruxe(&["grep", "TimeoutError", "--ref", "v1"]).ok();
    assert!(old.contains("\n11 raise TimeoutError(to)"), "{old}");
    assert_eq!(repo.cruxe(&["grep", "TimeoutError"]).code, Some(1));
}

#[test]
fn people_read_a_path_once_and_lines_below_it() {
    let sandbox = Sandbox::new();
    let repo = mail(&sandbox);
    let text = repo.cruxe(&["grep", r"raise \w+Error", "mail"]).ok();
    let expected = "\
mail/send.py
7 raise ValueError('bad address: %s' % to) <- Sender.send
11 raise TimeoutError(to) <- Sender.retry
2 lines in 1 file
";
    assert_eq!(text, expected);
    let text = repo.cruxe(&["grep", "raise", "mail/send.py", "-C", "1"]).ok();
    let expected = "\
mail/send.py
6         if '@' not in to:
7             raise ValueError('bad address: %s' % to) <- Sender.send
8         return self.queue.push(to)
…
10     def retry(self, to):
11         raise TimeoutError(to) <- Sender.retry
2 lines in 1 file
";
    assert_eq!(text, expected);
    assert_eq!(
        repo.cruxe(&["grep", "-i", "VALUEERROR", "--files"]).ok(),
        "docs/mail.md\nmail/send.py\ntests/test_send.py\n"
    );
    let counts = repo.cruxe(&["grep", "raise", "--count", "-g", "*.py"]).ok();
    assert_eq!(counts, "mail/send.py:2\ntests/test_send.py:1\n");
    assert_eq!(repo.cruxe(&["grep", "-F", "%s' % to)", "--files"]).ok(), "mail/send.py\n");
    let json = repo.cruxe(&["grep", "raise", "tests", "--json"]).json();
    assert_eq!((&json["total_candidates"], &json["results"][0]["path"]), (&json!(1), &json!("tests/test_send.py")));
    assert!(json["results"][0]["symbol_id"].as_str().unwrap().starts_with("sym_"));
    let json = repo.cruxe(&["grep", "raise", "--count", "--json"]).json();
    assert_eq!(json["files"][1], json!({"path": "mail/send.py", "lines": 2}));
    let none = repo.cruxe(&["grep", "zebra"]);
    assert_eq!((none.code, none.stdout.as_str()), (Some(1), "0 lines in 0 files; not indexed: 1 translations\n"));
    assert_eq!(repo.cruxe(&["grep", "("]).code, Some(4));
    let outside = repo.cruxe(&["grep", "raise", "../elsewhere"]);
    assert_eq!(outside.code, Some(4), "{}", outside.stderr);
    assert_eq!(repo.cruxe(&["grep", "raise", ".", "--files"]).ok().lines().count(), 3);
}
