//! A relation that a symbol cannot have is refused, never answered with nothing.

use cruxe_query::QueryError;
use cruxe_query::relations::Relation::*;
use cruxe_query::relations::{Relation, Unfit};

use super::{Tree, ask};

fn refused(symbol: &str, relation: Relation, path: &str, text: &str) -> (&'static str, Unfit) {
    match ask(&Tree::new(&[(path, text)]), symbol, relation, false) {
        Err(QueryError::Unrelated { language, why, .. }) => (language, why),
        Err(problem) => panic!("{problem}"),
        Ok(found) => panic!("{} rows", found.total),
    }
}

#[test]
fn what_a_language_does_not_have() {
    let go = "package app\n\nfunc F() {}\n";
    assert_eq!(refused("F", Decorates, "a.go", go), ("go", Unfit::Never));
    assert_eq!(refused("box", Subtypes, "a.c", "struct box { int x; };\n"), ("c", Unfit::Never));
    assert_eq!(refused("f", Writes, "a.ex", "defmodule A do\n  def f(x), do: x\nend\n"), ("elixir", Unfit::Never));
    let outside = "package app\n\nimport \"fmt\"\n\nfunc F() { fmt.Println() }\n";
    assert_eq!(refused("Println", Decorates, "a.go", outside), ("go", Unfit::Never));
    let haskell = "module A where\ndata Box = Box { size :: Int }\n";
    assert_eq!(refused("size", Writes, "A.hs", haskell), ("haskell", Unfit::Never));
    assert_eq!(refused("Box", Constructs, "a.lua", "Box = {}\nfunction Box.new() end\n"), ("lua", Unfit::Untold));
}

#[test]
fn what_a_kind_of_symbol_does_not_have() {
    let python = "class Box:\n    def f(self): pass\n\ndef free(): pass\n";
    assert_eq!(refused("Box", Overrides, "a.py", python), ("python", Unfit::Kind));
    assert_eq!(refused("free", Overridden, "a.py", python), ("python", Unfit::NoMember));
    assert_eq!(refused("Box.f", Subtypes, "a.py", python), ("python", Unfit::Kind));
    assert_eq!(refused("Box", Writes, "a.py", python), ("python", Unfit::Kind));
    assert_eq!(refused("free", Constructs, "a.py", python), ("python", Unfit::Kind));
    let rust = "pub trait Shape {}\npub enum Kind { A, B(u8) }\n";
    assert_eq!(refused("Shape", Constructs, "src/lib.rs", rust), ("rust", Unfit::Kind));
    assert_eq!(refused("Kind", Constructs, "src/lib.rs", rust), ("rust", Unfit::Kind));
    assert_eq!(refused("Kind::A", Constructs, "src/lib.rs", rust), ("rust", Unfit::Kind));
    let kotlin = "open class Box {\n    constructor(x: Int) { }\n}\n";
    assert_eq!(refused("Box.constructor", Overrides, "a.kt", kotlin), ("kotlin", Unfit::Constructor));
}
