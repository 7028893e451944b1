use proptest::prelude::*;

use super::*;

fn front(yaml: &str) -> FrontMatter {
    FrontMatter::parse(&format!("---\n{yaml}---\nbody\n")).unwrap().unwrap()
}

fn set(text: &str, key: &str, value: &str) -> Result<String, EditProblem> {
    edit(text, &[(key, NewValue::Text(value.to_owned()))])
}

#[test]
fn values_are_read_with_their_places() {
    let lines = "\
\u{feff}---
title: Größe  # why
assignee: '@me'
tags: [a, \"b c\"]
list:
- x
- y
empty:
note: |
  one
  two
---
body";
    let text = &lines.replace('\n', "\r\n");
    let front = FrontMatter::parse(text).unwrap().unwrap();
    let written = |key: &str| &text[front.entry(key).unwrap().value_at.clone()];
    assert_eq!(written("title"), "Größe");
    assert_eq!(written("assignee"), "'@me'");
    assert_eq!(written("tags"), "[a, \"b c\"]");
    assert_eq!(written("list"), "- x\r\n- y");
    assert_eq!(written("empty"), "");
    assert_eq!(written("note"), "|\r\n  one\r\n  two");
    assert_eq!(front.text("title"), Some("Größe"));
    assert_eq!(front.texts("tags"), Some(vec!["a", "b c"]));
    assert_eq!(front.texts("list"), Some(vec!["x", "y"]));
    assert_eq!(front.texts("title"), Some(vec!["Größe"]));
    assert_eq!(front.texts("absent"), Some(vec![]));
    assert_eq!(front.text("note"), Some("one\ntwo\n"));
    assert!(front.is_empty("empty") && front.is_empty("absent") && !front.is_empty("title"));
    assert_eq!(front.entry("tags").unwrap().line, 4);
    let items: Vec<&str> = front.entry("tags").unwrap().items_at.iter().map(|at| &text[at.clone()]).collect();
    assert_eq!(items, ["a", "\"b c\""]);
    assert_eq!(&text[front.body..], "body");
}

#[test]
fn nothing_is_nothing_and_quoted_nothing_is_text() {
    let front = front("a: null\nb: ~\nc: \"null\"\nd: ''\n");
    assert_eq!(
        (front.text("a"), front.text("b"), front.text("c"), front.text("d")),
        (None, None, Some("null"), Some(""))
    );
}

#[test]
fn anchors_stand_for_what_they_name() {
    let front = front("a: &x high\nb: *x\nc: &l [p, q]\nd: *l\n");
    assert_eq!(front.text("b"), Some("high"));
    assert_eq!(front.texts("d"), Some(vec!["p", "q"]));
}

#[test]
fn text_without_front_matter_has_none() {
    for text in ["", "no\n---\na: b\n---\n", " ---\na: b\n---\n", "---", "----\na: b\n----\n"] {
        assert!(FrontMatter::parse(text).unwrap().is_none(), "{text:?}");
    }
    assert!(FrontMatter::parse("---\n---\n").unwrap().unwrap().entries.is_empty());
    assert!(FrontMatter::parse("---\n# only a comment\n---\n").unwrap().unwrap().entries.is_empty());
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let problem = |text: &str| FrontMatter::parse(text).map(|_| ()).unwrap_err();
    let place = |text: &str| (problem(text).kind, problem(text).line);
    assert_eq!(place("---\ntitle: x\n"), (YamlProblemKind::Unclosed, 1));
    assert_eq!(place("---\ntitle: [unclosed\nstatus: todo\n---\n").0, YamlProblemKind::Syntax);
    assert_eq!(place("---\n- a\n- b\n---\n"), (YamlProblemKind::NotKeys, 2));
    assert_eq!(place("---\njust text\n---\n"), (YamlProblemKind::NotKeys, 2));
    assert_eq!(place("---\na: 1\nb: 2\na: 3\n---\n"), (YamlProblemKind::Duplicate, 4));
    assert_eq!(place("---\n? [a]\n: b\n---\n").0, YamlProblemKind::NotKeys);
    let at = problem("---\ntitle: x\nassignee: @dana\n---\n");
    assert_eq!((at.line, at.column), (3, 11));
    assert!(at.message.contains("needs quotes"), "{}", at.message);
    for deep in ["[".repeat(100), "[".repeat(100_000), "{a: ".repeat(5000), "- ".repeat(100_000)] {
        assert!(FrontMatter::parse(&format!("---\na: {deep}\n---\n")).is_err());
        assert!(FrontMatter::parse(&format!("---\na:\n  {deep}x\n---\n")).is_err());
    }
}

#[test]
fn only_the_value_changes() {
    for (before, key, value, after) in [
        ("---\na: 1 # c\nstatus: todo   # why\n---\n", "status", "done", "---\na: 1 # c\nstatus: done   # why\n---\n"),
        ("---\nstatus:  'todo'\n---\n", "status", "it's", "---\nstatus:  'it''s'\n---\n"),
        ("---\nstatus: \"todo\"\n---\n", "status", "done", "---\nstatus: \"done\"\n---\n"),
        ("---\nassignee: me\n---\n", "assignee", "@you", "---\nassignee: \"@you\"\n---\n"),
        ("---\nassignee: # nobody\nb: 1\n---\n", "assignee", "x", "---\nassignee: x # nobody\nb: 1\n---\n"),
        ("---\nassignee:\nb: 1\n---\n", "assignee", "x", "---\nassignee: x\nb: 1\n---\n"),
        ("---\nassignee: ~\n---\n", "assignee", "x", "---\nassignee: x\n---\n"),
        ("---\nstatus:\n  todo\n---\n", "status", "done", "---\nstatus:\n  done\n---\n"),
        ("---\na: &s todo\nstatus: *s\n---\n", "status", "done", "---\na: &s todo\nstatus: done\n---\n"),
        ("---\nstatus: &s todo\n---\n", "status", "done", "---\nstatus: &s done\n---\n"),
        ("---\nstatus: [a, b] # c\n---\n", "status", "done", "---\nstatus: done # c\n---\n"),
        ("---\nstatus: &s !!str\nb: 1\n---\n", "status", "done", "---\nstatus: &s !!str done\nb: 1\n---\n"),
        ("---\nstatus: !!str todo\n---\n", "status", "done", "---\nstatus: !!str done\n---\n"),
        ("---\n{a: 1, status: todo}\n---\n", "status", "a, b", "---\n{a: 1, status: \"a, b\"}\n---\n"),
        ("---\n\"status\" : todo\n---\n", "status", "done", "---\n\"status\" : done\n---\n"),
        ("---\nnotes: |\n  old\n  text\n\n# end\nb: 1\n---\n", "notes", "new", "---\nnotes: new\n\n# end\nb: 1\n---\n"),
        ("---\nnotes: >-\n  old\n  text\n---\n", "notes", "1\n\n2", "---\nnotes: |-\n  1\n\n  2\n---\n"),
        ("---\r\nnotes: old\r\n---\r\n", "notes", "a\nb", "---\r\nnotes: |-\r\n  a\r\n  b\r\n---\r\n"),
        ("---\nnotes: old # c\n---\n", "notes", "a\nb", "---\nnotes: \"a\\nb\" # c\n---\n"),
        ("---\n? status\n: todo\n---\n", "status", "done", "---\n? status\n: done\n---\n"),
    ] {
        assert_eq!(set(before, key, value).as_deref(), Ok(after), "{before:?}");
    }
}

#[test]
fn a_new_key_comes_last() {
    for (before, after) in [
        ("---\na: 1\n# end\n---\nbody", "---\na: 1\n# end\nk: v\n---\nbody"),
        ("\u{feff}---\r\na: 1\r\n---\r\nbody\r\n", "\u{feff}---\r\na: 1\r\nk: v\r\n---\r\nbody\r\n"),
        ("---\n  a: 1\n  b: 2\n---\n", "---\n  a: 1\n  b: 2\n  k: v\n---\n"),
        ("---\n---\n", "---\nk: v\n---\n"),
        ("---\n{a: 1}\n...\nx", "---\n{a: 1, k: v}\n...\nx"),
        ("---\n{}\n---\n", "---\n{k: v}\n---\n"),
        ("---\n{a: 1} # c\n---\n", "---\n{a: 1, k: v} # c\n---\n"),
        ("---\na: |\n  text\n---\n", "---\na: |\n  text\nk: v\n---\n"),
    ] {
        assert_eq!(set(before, "k", "v").as_deref(), Ok(after), "{before:?}");
    }
    let list = edit("---\ntags:\n- a\n- b\nz: 1\n---\n", &[("tags", NewValue::List(vec!["x".into(), "1".into()]))]);
    assert_eq!(list.as_deref(), Ok("---\ntags: [x, \"1\"]\nz: 1\n---\n"));
}

#[test]
fn a_value_that_others_refer_to_is_not_changed() {
    let text = "---\nstatus: &s todo\nother: *s\n---\n";
    assert_eq!(set(text, "status", "done"), Err(EditProblem::NotAlone { key: "status".to_owned() }));
    assert_eq!(set("no front matter", "status", "done"), Err(EditProblem::NoFrontMatter));
    assert!(matches!(set("---\na: [\n---\n", "a", "b"), Err(EditProblem::Yaml(_))));
}

/// A line of front matter that is sound by itself, whatever stands around it.
fn entry(number: usize) -> impl Strategy<Value = String> {
    let word = "[a-zA-Z][a-zA-Z0-9 äß日🚀.-]{0,12}[a-z]";
    let any = "[ -~äöü日🚀]{0,24}";
    let key = format!("key{number}");
    prop_oneof![
        word.prop_map(|text| format!(": {text}")),
        any.prop_map(|text| format!(": {}", write::double_quoted(&text))),
        any.prop_map(|text| format!(":   '{}'  # it's", text.replace('\'', "''"))),
        prop::collection::vec(word, 0..4).prop_map(|items| format!(": [{}] # list", items.join(", "))),
        prop::collection::vec(word, 1..4).prop_map(|items| format!(":\n- {}", items.join("\n- "))),
        prop::collection::vec(word, 1..4).prop_map(|items| format!(":\n    - {}\n# between\n", items.join("\n    - "))),
        prop::collection::vec(word, 1..4).prop_map(|lines| format!(": |\n  {}\n", lines.join("\n\n  "))),
        prop::collection::vec(word, 1..4).prop_map(|lines| format!(": >+\n  {}\n\n", lines.join("\n  "))),
        (word, word).prop_map(|(a, b)| format!(":\n  inner: {{a: {a}, b: \"{b}\"}}\n  more: [1, [2, 3]]")),
        Just(":".to_owned()),
        Just(": ~ # nothing".to_owned()),
        word.prop_map(move |text| format!(": &anchor{number} {text}")),
        (-1000i64..1000).prop_map(|value| format!(": {value}")),
    ]
    .prop_map(move |rest| format!("{key}{rest}"))
}

fn document() -> impl Strategy<Value = (String, usize)> {
    let entries = (entry(0), entry(1), entry(2), entry(3), entry(4), 0usize..6);
    (entries, prop::bool::ANY, prop::bool::ANY, "[ -~äß\n]{0,40}").prop_map(
        |((a, b, c, d, e, wanted), crlf, bom, body)| {
            let yaml = [a, b, c, d, e].join("\n").trim_end_matches('\n').to_owned();
            let text = format!("---\n{yaml}\n# last\n---\n{body}");
            let text = if crlf { text.replace('\n', "\r\n") } else { text };
            (if bom { format!("\u{feff}{text}") } else { text }, wanted)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Random YAML survives an update: the value is the new one, and every byte that is not of the value stays.
    #[test]
    fn random_front_matter_survives_an_update((text, wanted) in document(), value in "[ -~äöü日🚀\n\t]{1,30}") {
        let key = format!("key{wanted}");
        let before = FrontMatter::parse(&text).unwrap().unwrap();
        let edited = edit(&text, &[(&key, NewValue::Text(value.clone()))]).unwrap();
        let after = FrontMatter::parse(&edited).unwrap().unwrap();
        prop_assert_eq!(after.text(&key), Some(value.as_str()));
        let (key_end, value_end) = match before.entry(&key) {
            // Where there was no value, the colon stays.
            Some(entry) => (entry.key_at.end, entry.value_at.end.max(entry.key_at.end + 1)),
            None => (before.yaml.end, before.yaml.end),
        };
        prop_assert_eq!(&edited[..key_end], &text[..key_end]);
        prop_assert!(edited.ends_with(&text[value_end..]), "{:?} in {:?}", &text[value_end..], edited);
        for entry in &before.entries {
            if entry.key != key {
                prop_assert_eq!(&after.entry(&entry.key).unwrap().value, &entry.value);
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(---\n)?[ -~\n\r\tä日&*!|>'\"\\[\\]{}:#-]{0,120}(\n---\n)?") {
        if let Ok(Some(front)) = FrontMatter::parse(&text) {
            for entry in &front.entries {
                prop_assert!(text.get(entry.value_at.clone()).is_some());
            }
            let _ = set(&text, "status", "done");
        }
    }

    #[test]
    fn any_text_is_the_same_after_it_was_written(value in "\\PC{0,40}|[\u{0}-\u{ff}]{0,20}") {
        let text = format!("---\na: {}\n---\n", quoted_if_needed(&value));
        let front = FrontMatter::parse(&text).unwrap().unwrap();
        prop_assert_eq!(front.text("a").unwrap_or_default(), value);
    }
}
