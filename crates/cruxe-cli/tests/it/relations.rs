//! Relations of symbols through a client, and at a terminal.

use serde_json::{Value, json};

use crate::support::{Client, Repo, Sandbox};

const FORMS: &[(&str, &str)] = &[
    (
        "forms/base.py",
        "\
def registered(name):
    return lambda x: x


class Field:
    label = None

    def __init__(self, size=1):
        self.size = size

    def clean(self):
        return self.size


class Plain(Field):
    def clean(self):
        self.size = 2
        return super().clean()
",
    ),
    (
        "forms/more.py",
        "\
from forms.base import Field, Plain, registered


@registered('email')
class Email(Plain):
    label = 'Email'


def form():
    return [Field(3), Email(4)]
",
    ),
    (
        "tests/test_forms.py",
        "from forms.base import Field\n\n\nclass Mock(Field):\n    def clean(self):\n        self.size += 1\n\n\nMock()\n",
    ),
    ("tool.go", "package tool\n\nfunc Run() {}\n"),
];

fn forms(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.repo("forms", FORMS);
    repo.cruxe(&["index"]).ok();
    repo
}

/// The rows of a relation: place, symbol, and whatever else a row says.
fn rows(client: &mut Client, symbol: &str, more: Value) -> Vec<String> {
    let mut arguments = json!({"symbol_name": symbol});
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let answer = client.ok("find_references", arguments);
    let row = |one: &Value| {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let depth = one.get("depth").map(|depth| format!(" {depth}")).unwrap_or_default();
        let through = one.get("through").map(|through| format!(" through {}", text(through))).unwrap_or_default();
        let (path, name) = (text(&one["path"]), text(&one["from_symbol"]["name"]));
        format!("{path}:{} {} {name}{depth}{through}", one["line_start"], text(&one["edge_type"]))
    };
    answer["references"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn every_relation_is_one_call() {
    let sandbox = Sandbox::new();
    let mut client = forms(&sandbox).server();
    assert_eq!(
        rows(&mut client, "Field", json!({"kind": "subtypes"})),
        ["forms/base.py:15 extends Plain 1", "forms/more.py:5 extends Email 2", "tests/test_forms.py:4 extends Mock 1"]
    );
    assert_eq!(
        rows(&mut client, "Field", json!({"kind": "subtypes", "direct": true, "paths": ["forms"]})),
        ["forms/base.py:15 extends Plain 1"]
    );
    assert_eq!(
        rows(&mut client, "Email", json!({"kind": "supertypes"})),
        ["forms/base.py:15 extends Plain 1", "forms/base.py:5 extends Field 2"]
    );
    assert_eq!(
        rows(&mut client, "Field.clean", json!({"kind": "overrides", "tests": "exclude"})),
        ["forms/base.py:16 overrides clean 1"]
    );
    assert_eq!(rows(&mut client, "Mock.clean", json!({"kind": "overridden"})), ["forms/base.py:11 overrides clean 1"]);
    assert_eq!(rows(&mut client, "registered", json!({"kind": "decorates"})), ["forms/more.py:5 calls Email"]);
    assert_eq!(
        rows(&mut client, "Field", json!({"kind": "constructs"})),
        [
            "forms/more.py:10 calls form",
            "forms/more.py:10 calls form through forms.more.Email",
            "tests/test_forms.py:9 calls test_forms through tests.test_forms.Mock"
        ]
    );
    assert_eq!(
        rows(&mut client, "Field.size", json!({"kind": "writes"})),
        ["forms/base.py:17 references clean through forms.base.Plain", "tests/test_forms.py:6 references clean"]
    );
    assert_eq!(rows(&mut client, "Field.size", json!({"kind": "reads"})), ["forms/base.py:12 references clean"]);
}

#[test]
fn a_relation_is_counted_paged_and_narrowed_like_any_answer() {
    let sandbox = Sandbox::new();
    let mut client = forms(&sandbox).server();
    let page = client
        .ok("find_references", json!({"symbol_name": "Field", "kind": "subtypes", "limit": 1, "tests": "exclude"}));
    let metadata = &page["metadata"];
    assert_eq!((&page["total_references"], &metadata["next_offset"]), (&json!(2), &json!(1)));
    assert_eq!((&metadata["filtered_out"], &metadata["result_completeness"]), (&json!(1), &json!("truncated")));
    assert_eq!((&metadata["mentions"]["uses"], &metadata["unresolved_of_kind"]), (&json!(5), &json!(0)));
    let overrides = client.ok("find_references", json!({"symbol_name": "Field.clean", "kind": "overrides"}));
    assert!(overrides["metadata"].get("mentions").is_none());
}

#[test]
fn what_does_not_fit_is_refused_with_the_language_and_the_relation() {
    let sandbox = Sandbox::new();
    let mut client = forms(&sandbox).server();
    let refused = client.error("find_references", json!({"symbol_name": "Run", "kind": "decorates"}));
    assert_eq!(refused["code"], "invalid_input");
    assert_eq!(refused["message"], "`decorates` says nothing about go: the language has no decorators.");
    assert_eq!((&refused["data"]["language"], &refused["data"]["relation"]), (&json!("go"), &json!("decorates")));
    let refused = client.error("find_references", json!({"symbol_name": "Field", "kind": "overrides"}));
    assert_eq!(refused["message"], "`overrides` does not fit `forms.base.Field` of python: it is a class.");
    assert_eq!(refused["data"]["suggestion"], "Name a member (`Type.member`), or ask for `subtypes`.");
}

#[test]
fn people_read_who_is_related_and_how() {
    let sandbox = Sandbox::new();
    let repo = forms(&sandbox);
    assert_eq!(
        repo.cruxe(&["refs", "Field", "--kind", "subtypes", "--tests", "exclude"]).ok(),
        "class Field  2 subtypes, 1 left out by the filter
forms/base.py (def 5)
15 class Plain(Field):
forms/more.py
5 class Email(Plain): <- Email (2 steps)
"
    );
    assert_eq!(
        repo.cruxe(&["refs", "Email", "--kind", "supertypes", "--direct"]).ok(),
        "class Email  forms/more.py:5  1 supertypes
forms/base.py
15 class Plain(Field):
"
    );
    let run = repo.cruxe(&["refs", "Field", "--kind", "siblings"]);
    assert!(run.transcript().contains("[possible values: imports, calls, implements, extends, references, subtypes"));
}
