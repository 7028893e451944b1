//! Names that the ref uses and does not define.

use cruxe_index::Layers;
use cruxe_query::QueryError;
use cruxe_query::references::{self, Confidence, EdgeType, Question, ReferenceList, Subject};
use cruxe_query::target::Wanted;

use crate::support::Tree;

const WALK: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"app\"\n[dependencies]\nignore = \"0.4\"\n"),
    ("src/lib.rs", "mod alias;\nmod full;\nmod named;\nmod other;\n"),
    (
        "src/named.rs",
        "use ignore::WalkBuilder;\n\npub fn walk(root: &str) -> WalkBuilder {\n    WalkBuilder::new(root)\n}\n",
    ),
    ("src/full.rs", "pub fn walk() {\n    ignore::WalkBuilder::new(\".\");\n}\n"),
    ("src/alias.rs", "use ignore::WalkBuilder as Walk;\npub fn walk() {\n    Walk::new(\".\");\n}\n"),
    ("src/other.rs", "pub fn walk(walk_builder: u8) -> u8 {\n    let only_local = walk_builder;\n    only_local\n}\n"),
    ("README.md", "`WalkBuilder` and `readme_only`\n"),
];

fn ask(tree: &Tree, name: &str, edge: Option<EdgeType>) -> Result<ReferenceList, QueryError> {
    let wanted = Wanted { name: name.to_owned(), ..Wanted::default() };
    let question = Question { wanted, edge, limit: 100, unresolved: 100, ..Question::default() };
    references::find(&tree.view(), &Layers::None, &question)
}

/// The qualified name and the uses of something from outside.
fn external(tree: &Tree, name: &str, edge: Option<EdgeType>) -> (String, Vec<String>) {
    let answer = ask(tree, name, edge).unwrap_or_else(|problem| panic!("{problem}"));
    let Subject::External(external) = &answer.subject else { panic!("{name} is defined") };
    let shown = answer.references.iter().map(|one| {
        let guess = if one.confidence == Confidence::Heuristic { "?" } else { "" };
        format!("{}:{} {:?}{guess}", one.path, one.line, one.edge)
    });
    (external.qualified_name.clone(), shown.collect())
}

#[test]
fn a_type_of_a_dependency_has_its_imports_and_uses() {
    let tree = Tree::new(WALK);
    let (name, uses) = external(&tree, "WalkBuilder", None);
    assert_eq!(name, "ignore::WalkBuilder");
    let expected = [
        "src/alias.rs:1 Imports",
        "src/alias.rs:3 References",
        "src/full.rs:2 References",
        "src/named.rs:1 Imports",
        "src/named.rs:3 References",
        "src/named.rs:4 References",
    ];
    assert_eq!(uses, expected);
    assert_eq!(external(&tree, "ignore::WalkBuilder", None).1, expected);
    assert_eq!(external(&tree, "WalkBuilder", Some(EdgeType::Imports)).1, [expected[0], expected[3]]);
    let mentions = ask(&tree, "WalkBuilder", None).unwrap().mentions.unwrap();
    assert_eq!((mentions.total(), mentions.uses, mentions.definitions), (5, 5, 0), "{mentions:?}");
}

#[test]
fn a_member_of_a_type_from_outside_is_found_by_what_stands_before_it() {
    let tree = Tree::new(WALK);
    let (name, uses) = external(&tree, "WalkBuilder::new", None);
    assert_eq!(name, "ignore::WalkBuilder::new");
    assert_eq!(uses, ["src/alias.rs:3 Calls", "src/full.rs:2 Calls", "src/named.rs:4 Calls"]);
}

#[test]
fn what_nothing_here_or_outside_defines_is_not_found() {
    let tree = Tree::new(WALK);
    for (name, mentioned) in [
        ("walk_bilder_of_nobody", Some(false)),
        ("readme_only", Some(false)),
        ("only_local", Some(true)),
        ("Other::WalkBuilder", Some(true)),
    ] {
        match ask(&tree, name, None) {
            Err(QueryError::NoSuchSymbol(missing)) => assert_eq!(missing.mentioned, mentioned, "{name}"),
            Err(problem) => panic!("{name}: {problem}"),
            Ok(_) => panic!("{name} was found"),
        }
    }
}

#[test]
fn operators_of_the_language_are_no_uses_of_something_from_outside() {
    let tree = Tree::new(&[
        ("a.cc", "int f(A a) { return unknown << 2 | g(a) << h(a); }\n"),
        ("a.py", "def f(a, b):\n    return a | b\n"),
    ]);
    for name in ["operator<<", "__or__"] {
        let problem = ask(&tree, name, None).err().map(|problem| problem.to_string());
        assert!(problem.is_some_and(|problem| !problem.contains("identifiers of this name")), "{name}");
    }
}

#[test]
fn what_a_file_imports_from_outside_is_not_open_for_a_namesake_of_the_ref() {
    let tree = Tree::new(&[
        ("Cargo.toml", "[package]\nname = \"app\"\n"),
        ("src/lib.rs", "pub mod own;\npub mod text;\n"),
        ("src/own.rs", "pub struct Index;\n"),
        ("src/text.rs", "use tantivy::Index;\npub fn open() -> Index {\n    Index::open()\n}\n"),
    ]);
    let (name, uses) = external(&tree, "tantivy::Index", None);
    assert_eq!(name, "tantivy::Index");
    assert_eq!(uses, ["src/text.rs:1 Imports", "src/text.rs:2 References", "src/text.rs:3 References"]);
    assert_eq!(external(&tree, "Index::open", None).1, ["src/text.rs:3 Calls"]);
}

#[test]
fn imports_that_disagree_are_both_told_and_a_path_chooses() {
    let tree = Tree::new(&[
        ("a.py", "from yaml import load\nload()\n"),
        ("b.py", "from json import load\nload()\n"),
        ("c.py", "import json\njson.load()\n"),
        ("d.py", "def read(load):\n    return load\n"),
    ]);
    let (name, uses) = external(&tree, "load", None);
    assert_eq!(name, "load");
    assert_eq!(uses, ["a.py:1 Imports", "a.py:2 Calls", "b.py:1 Imports", "b.py:2 Calls", "c.py:2 Calls"]);
    let (name, uses) = external(&tree, "json.load", None);
    assert_eq!(name, "json.load");
    assert_eq!(uses, ["b.py:1 Imports", "b.py:2 Calls", "c.py:2 Calls"]);
    let mentions = ask(&tree, "json.load", None).unwrap().mentions.unwrap();
    assert_eq!((mentions.uses, mentions.outside, mentions.locals, mentions.total()), (3, 2, 2, 7), "{mentions:?}");
}

#[test]
fn broad_languages_have_what_they_import() {
    let tree = Tree::new(&[
        ("app/A.java", "package app;\nimport org.dep.Widget;\nclass A {\n    Widget one = new Widget();\n}\n"),
        ("app/B.java", "package app;\nimport org.dep.*;\nclass B {\n    Widget two;\n}\n"),
    ]);
    let (name, uses) = external(&tree, "Widget", None);
    assert_eq!(name, "org.dep.Widget");
    assert_eq!(uses, ["app/A.java:2 Imports", "app/A.java:4 References", "app/A.java:4 Calls"]);
    let open: Vec<String> = {
        let answer = ask(&tree, "Widget", None).unwrap();
        answer.unresolved.iter().map(|one| format!("{}:{}", one.path, one.line)).collect()
    };
    assert_eq!(open, ["app/B.java:4"]);
}
