//! Truth by construction: for each language a small project in which every line says what it uses.
//!
//! `«Cart.total Item»` in a comment: this line uses these two. Every name that stands in a mark is asked for, and its uses must be
//! the marked lines, no more and no fewer. What is known to be missing or false is listed with each language.

use std::collections::BTreeSet;
use std::path::Path;

use cruxe_query::target::Wanted;

use crate::support::Tree;

/// The figures of a project.
#[derive(Debug, PartialEq, Eq)]
struct Truth {
    expected: usize,
    found: usize,
    missing: Vec<String>,
    wrong: Vec<String>,
}

fn files(language: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/edges/truth").join(language);
    let (mut found, mut folders) = (Vec::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
                found.push((name, std::fs::read_to_string(path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// The names that a line says it uses.
fn marks(line: &str) -> impl Iterator<Item = &str> {
    let inside = line.split_once('«').and_then(|(_, rest)| rest.split_once('»')).map_or("", |(marks, _)| marks);
    inside.split_whitespace()
}

fn truth(language: &str) -> Truth {
    let files = files(language);
    let shown: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let tree = Tree::new(&shown);
    let mut expected: BTreeSet<(String, String)> = BTreeSet::new();
    for (path, text) in &files {
        for (at, line) in text.lines().enumerate() {
            expected.extend(marks(line).map(|name| (name.to_owned(), format!("{path}:{}", at + 1))));
        }
    }
    let names: BTreeSet<&String> = expected.iter().map(|(name, _)| name).collect();
    let mut found = BTreeSet::new();
    for name in names {
        let wanted = Wanted { name: name.clone(), path: None, line: None };
        found.extend(tree.uses(wanted, None).iter().map(|line| (name.clone(), line.trim_end_matches('?').to_owned())));
    }
    let show = |(name, line): &(String, String)| format!("{name} {line}");
    Truth {
        expected: expected.len(),
        found: expected.intersection(&found).count(),
        missing: expected.difference(&found).map(show).collect(),
        wrong: found.difference(&expected).map(show).collect(),
    }
}

/// Checks a project: so many edges, and these known to be missing or wrong.
fn check(language: &str, expected: usize, missing: &[&str], wrong: &[&str]) {
    let owned = |list: &[&str]| list.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
    let truth = truth(language);
    let wanted = Truth { expected, found: expected - missing.len(), missing: owned(missing), wrong: owned(wrong) };
    assert_eq!(truth, wanted, "{language}");
}

#[test]
fn csharp() {
    check(
        "csharp",
        40,
        &[
            "Document.Describe Model/Order.Sums.cs:9",
            "Order App.cs:3",
            "Order.Total App.cs:23",
            "Shop.Model.State Model/Order.cs:17",
        ],
        &["IPriced.Total App.cs:23", "Order.State Model/Order.cs:16", "Order.State Model/Order.cs:17"],
    );
}

#[test]
fn kotlin() {
    check(
        "kotlin",
        46,
        &[
            "Line.price App.kt:25",
            "Order.LIMIT App.kt:20",
            "Order.describe App.kt:26",
            "Order.empty App.kt:12",
            "Order.lines tools/Extensions.kt:8",
        ],
        &[],
    );
}

#[test]
fn php() {
    check("php", 37, &["Order src/Model/Order.php:20"], &[]);
}

#[test]
fn ruby() {
    check(
        "ruby",
        21,
        &["Order.describe app.rb:4", "Order.state app.rb:5", "Order.state app.rb:8"],
        &["Order.sum lib/shop/order.rb:31"],
    );
}

#[test]
fn swift() {
    check(
        "swift",
        43,
        &[
            "Order.total Sources/App/main.swift:14",
            "State.closed Sources/App/main.swift:9",
            "State.closed Sources/Shop/Extensions.swift:3",
            "State.open Sources/Shop/Extensions.swift:2",
            "State.open Sources/Shop/Order.swift:14",
        ],
        &["Priced.total Sources/App/main.swift:14"],
    );
}

#[test]
fn scala() {
    check("scala", 37, &["Line.price App.scala:16", "Order.Limit App.scala:12", "OrderOps.isOpen App.scala:9"], &[]);
}

#[test]
fn elixir() {
    check("elixir", 25, &[], &[]);
}

#[test]
fn lua() {
    check("lua", 16, &["Order.describe app.lua:5", "Order.total app.lua:6"], &["price shop/line.lua:4"]);
}

#[test]
fn zig() {
    check(
        "zig",
        27,
        &[
            "Line src/order.zig:12",
            "Line src/order.zig:9",
            "Order src/main.zig:6",
            "Order.lines src/order.zig:13",
            "State.closed src/main.zig:9",
            "State.open src/order.zig:10",
        ],
        &[],
    );
}

#[test]
fn haskell() {
    check("haskell", 26, &[], &[]);
}

#[test]
fn bash() {
    check("bash", 10, &[], &[]);
}

#[test]
fn components() {
    check("components", 21, &[], &[]);
}

#[test]
fn layout() {
    check("layout", 30, &[], &[]);
}
