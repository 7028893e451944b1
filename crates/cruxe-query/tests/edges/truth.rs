//! Truth by construction: for each language a small project in which every line says what it uses.
//!
//! `«Cart.total Item»` in a comment: this line uses these two. Every name that stands in a mark is asked for, and its uses must be
//! the marked lines, no more and no fewer. `«!Trap.total»` asks for a name without saying that the line uses it: of a definition
//! that nobody uses, although its name is used. What is known to fail is marked where it does: `«-Cart.total»` is a use that is
//! not found, `«+Cart.total»` one that is found and is none.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use cruxe_query::target::Wanted;

use crate::support::Tree;

/// A name in a line of a project.
type Edge = (String, String);

/// What is wrong with the answers about a project.
#[derive(Debug, PartialEq, Eq)]
struct Truth {
    /// How many uses its lines name, those that are not found among them.
    edges: usize,
    missing: BTreeSet<Edge>,
    wrong: BTreeSet<Edge>,
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

/// What the marks of a project say, and what the answers say, against each other.
fn truth(language: &str) -> (Truth, Truth) {
    let files = files(language);
    let shown: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let tree = Tree::new(&shown);
    let (mut used, mut missing, mut wrong) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut names = BTreeSet::new();
    for (path, text) in &files {
        for (at, line) in text.lines().enumerate() {
            for mark in marks(line) {
                let name = mark.trim_start_matches(['!', '-', '+']).to_owned();
                names.insert(name.clone());
                let edge = (name, format!("{path}:{}", at + 1));
                match mark.as_bytes()[0] {
                    b'!' => {}
                    b'-' => drop(missing.insert(edge)),
                    b'+' => drop(wrong.insert(edge)),
                    _ => drop(used.insert(edge)),
                }
            }
        }
    }
    // A symbol may be called by more than one name: by a longer one where another has the short one too.
    let mut called: BTreeMap<(String, u32, String), String> = BTreeMap::new();
    let (mut first_names, mut found) = (BTreeMap::new(), BTreeSet::new());
    for name in names {
        let wanted = || Wanted { name: name.clone(), path: None, line: None };
        let Some(symbol) = tree.symbol(wanted()) else { continue };
        let first = called.entry(symbol).or_insert_with(|| name.clone()).clone();
        if first == name {
            let uses = tree.uses(wanted(), None);
            found.extend(uses.iter().map(|line| (name.clone(), line.trim_end_matches('?').to_owned())));
        }
        first_names.insert(name, first);
    }
    let by_first = |edges: BTreeSet<Edge>| -> BTreeSet<Edge> {
        let first = |name: String| first_names.get(&name).cloned().unwrap_or(name);
        edges.into_iter().map(|(name, line)| (first(name), line)).collect()
    };
    let (used, missing, wrong) = (by_first(used), by_first(missing), by_first(wrong));
    let all: BTreeSet<Edge> = used.union(&missing).cloned().collect();
    let answered = Truth {
        edges: all.len(),
        missing: all.difference(&found).cloned().collect(),
        wrong: found.difference(&all).cloned().collect(),
    };
    (answered, Truth { edges: all.len(), missing, wrong })
}

/// Checks a project: so many uses, and so many that are known to be missing or wrong.
fn check(language: &str, edges: usize, missing: usize, wrong: usize) {
    let (answered, marked) = truth(language);
    assert_eq!(answered, marked, "{language}");
    assert_eq!((answered.edges, answered.missing.len(), answered.wrong.len()), (edges, missing, wrong), "{language}");
}

/// Not followed: names of a tuple's parts, `global::`, the outer parts of an alias's path; a nested class with a
/// constructor is asked for as the constructor.
#[test]
fn csharp() {
    check("csharp", 304, 6, 0);
}

/// Not followed: a lambda in a file with a `fun interface` on one line, which the grammar stumbles over.
#[test]
fn kotlin() {
    check("kotlin", 397, 1, 0);
}

/// Not followed: types in comments; `new self()` does not carry the class's name.
#[test]
fn php() {
    check("php", 313, 2, 1);
}

/// Nothing declares the types of parameters, so they are taken for what they are called like; setters are not followed.
#[test]
fn ruby() {
    check("ruby", 217, 1, 0);
}

/// Not followed: key paths, literals of arrays, elements of `Self` in extensions, nested types that are extended.
#[test]
fn swift() {
    check("swift", 422, 6, 1);
}

/// Not followed: extractors, partial functions, self types, `this.type`, `apply` of a method's result, placeholders
/// without a call around them.
#[test]
fn scala() {
    check("scala", 398, 11, 0);
}

/// A local hides an attribute of its name; `unquote` and the outer parts of an aliased alias are not followed.
#[test]
fn elixir() {
    check("elixir", 276, 4, 0);
}

/// Fields that only `self.x = …` makes are not symbols, and a table that a module is as a whole is known as the module.
#[test]
fn lua() {
    check("lua", 294, 3, 0);
}

/// Not known: what the value of a `switch` is expected to be in its branches, what is assigned to `x.*`.
#[test]
fn zig() {
    check("zig", 454, 2, 0);
}

/// The name of a class's method alone is taken for that of an instance.
#[test]
fn haskell() {
    check("haskell", 487, 5, 0);
}

/// A variable that only a function sets is no symbol.
#[test]
fn bash() {
    check("bash", 282, 1, 0);
}

#[test]
fn components() {
    check("components", 21, 0, 0);
}

#[test]
fn layout() {
    check("layout", 30, 0, 0);
}
