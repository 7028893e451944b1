//! Every identifier of a name is accounted for, once.

use cruxe_index::Layers;
use cruxe_query::mentions::Mentions;
use cruxe_query::references::{self, Question};
use cruxe_query::resolve::Reason;
use cruxe_query::target::Wanted;

use crate::support::Tree;

/// The account of a symbol, and what stays open, as `path:line reason`.
fn account(files: &[(&str, &str)], symbol: &str) -> (Mentions, Vec<String>) {
    let tree = Tree::new(files);
    let (path, name) = symbol.split_once(' ').map_or((None, symbol), |(path, name)| (Some(path.to_owned()), name));
    let wanted = Wanted { name: name.to_owned(), path, line: None };
    let question = Question { wanted, limit: 100, unresolved: 100, ..Default::default() };
    let answer = references::find(&tree.view(), &Layers::None, &question).unwrap();
    let open = answer.unresolved.iter().map(|one| format!("{}:{} {:?}", one.path, one.line, one.reason)).collect();
    (answer.mentions.unwrap(), open)
}

#[test]
fn every_kind_of_mention_has_its_place() {
    let files = [
        ("app/core.py", "def load():\n    pass\n\ndef run():\n    load()\n"),
        ("app/other.py", "class Disk:\n    def load(self):\n        pass\n\nDisk().load()\n"),
        ("app/more.py", "class Tape:\n    def load(self):\n        pass\n"),
        ("app/local.py", "def read(load):\n    return load\n"),
        ("app/outside.py", "from yaml import load\n\nload()\n"),
        ("app/open.py", "def go(anything):\n    anything.load()\n\nload()\n"),
        ("app/user.py", "from app.core import load\n\nload()\n"),
        ("app/alias.py", "from app.core import load as fetch\nfetch()\n"),
        ("README.md", "`load` loads.\n"),
    ];
    let (mentions, open) = account(&files, "app/core.py load");
    let expected = Mentions { definitions: 3, uses: 4, others: 1, locals: 2, outside: 2, unresolved: 2, unparsed: 0 };
    assert_eq!(mentions, expected);
    assert_eq!(mentions.total(), 14);
    assert_eq!(open, ["app/open.py:2 Receiver", "app/open.py:4 NotInSight"]);
}

#[test]
fn what_is_unused_has_nothing_but_its_definition() {
    let files = [("a.py", "def unused_thing():\n    pass\n"), ("b.py", "# unused_thing\nx = 'unused_thing'\n")];
    let (mentions, open) = account(&files, "unused_thing");
    assert_eq!(mentions, Mentions { definitions: 1, ..Mentions::default() });
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn what_stands_in_code_that_does_not_parse_counts() {
    for broken in ["return @ @helper@ @;", "} } helper ) ] {", "case helper: ((", "struct { helper"] {
        let text = format!("int go(void) {{\n    {broken}\n}}\n");
        let files = [("a.c", "int helper(void) { return 1; }\n"), ("b.c", text.as_str())];
        let (mentions, open) = account(&files, "helper");
        assert_eq!((mentions.total(), mentions.definitions), (2, 1), "{broken}: {mentions:?}");
        assert_eq!(open.len(), mentions.open(), "{broken}");
    }
}

#[test]
fn names_that_are_handed_about_as_symbols_atoms_and_strings_are_mentions() {
    let ruby = [
        ("a.rb", "class Shop\n  before_action :check_all\n  def check_all\n  end\nend\n"),
        ("b.rb", "HOOKS = [:check_all]\ncall(on: %i[check_all])\n"),
    ];
    let (mentions, open) = account(&ruby, "check_all");
    assert_eq!((mentions.definitions, mentions.uses), (1, 1), "{mentions:?}");
    assert_eq!(open, ["b.rb:1 Key", "b.rb:2 Key"]);
    let elixir = [
        ("a.ex", "defmodule Shop do\n  def total_of(x), do: x\nend\n"),
        (
            "b.ex",
            "defmodule Use do\n  import Shop, only: [total_of: 1]\n  def go, do: apply(Shop, :total_of, [1])\n  def hooks, do: [:total_of]\nend\n",
        ),
    ];
    let (mentions, open) = account(&elixir, "total_of");
    assert_eq!((mentions.definitions, mentions.uses, mentions.total()), (1, 2, 4), "{mentions:?} {open:?}");
    let python = [
        ("a.py", "class Shop:\n    def total_of(self):\n        pass\n"),
        ("b.py", "from a import Shop\n\ndef go(shop: Shop, x):\n    getattr(shop, 'total_of')()\n"),
    ];
    let (mentions, open) = account(&python, "total_of");
    assert_eq!((mentions.definitions, mentions.uses, mentions.total()), (1, 1, 2), "{mentions:?} {open:?}");
}

#[test]
fn an_extension_method_of_a_foreign_type_is_used_where_it_is_called_on_one() {
    let files = [(
        "A.cs",
        "namespace N;\npublic class Own { }\npublic static class Ext {\n    public static string ToMetric(this int x) { return \"\"; }\n    public static string ToOwn(this Own x) { return \"\"; }\n}\nclass Use {\n    void F(int x, Own o) {\n        x.ToMetric();\n        5.ToMetric();\n        Ext.ToMetric(5);\n        o.ToOwn();\n        Ext.ToOwn(o);\n    }\n}\n",
    )];
    for (name, uses) in [("ToMetric", 3), ("ToOwn", 2)] {
        let (mentions, open) = account(&files, name);
        assert_eq!((mentions.uses, mentions.total()), (uses, uses + 1), "{name}: {mentions:?} {open:?}");
    }
}

#[test]
fn other_languages_count_and_are_told_apart() {
    let files =
        [("src/lib.rs", "pub fn hash_all() {}\n"), ("py/use.py", "import native\nnative.hash_all()\nhash_all()\n")];
    let (mentions, open) = account(&files, "src/lib.rs hash_all");
    assert_eq!((mentions.definitions, mentions.uses, mentions.unresolved), (1, 0, 2), "{mentions:?}");
    assert_eq!(open, [2, 3].map(|line| format!("py/use.py:{line} {:?}", Reason::Language)));
}

#[test]
fn guesses_by_an_everyday_word_do_not_flood_an_answer() {
    let calls = |name: &str| (0..12).map(|at| format!("def f{at}(x):\n    x.{name}()\n\n")).collect::<String>();
    for (name, uses, unresolved) in [("walk", 0, 12), ("walk_tree", 12, 0)] {
        let definition = format!("class Tree:\n    def {name}(self):\n        pass\n");
        let (mentions, _) = account(&[("tree.py", &definition), ("use.py", &calls(name))], name);
        assert_eq!((mentions.uses, mentions.unresolved), (uses, unresolved), "{name}");
    }
    let known = "from tree import Tree\n\nTree().walk()\n".repeat(6);
    let tree = "class Tree:\n    def walk(self):\n        pass\n";
    let (mentions, _) = account(&[("tree.py", tree), ("use.py", &calls("walk")), ("known.py", &known)], "walk");
    assert_eq!((mentions.uses, mentions.unresolved), (18, 0), "what is known carries the guesses");
}

#[test]
fn what_is_imported_from_a_crate_that_is_not_here_is_outside() {
    let files = [
        ("Cargo.toml", "[package]\nname = \"app\"\n[dependencies]\ntantivy = \"0.22\"\n"),
        ("src/lib.rs", "mod user;\npub struct Index;\n"),
        ("src/user.rs", "use tantivy::Index;\n\npub fn open() -> Index {\n    Index::new()\n}\n"),
    ];
    let (mentions, open) = account(&files, "src/lib.rs Index");
    assert_eq!((mentions.definitions, mentions.outside, mentions.total()), (1, 3, 4), "{mentions:?} {open:?}");
}

#[test]
fn what_is_imported_from_a_module_that_was_renamed_is_not_outside() {
    let files = [
        ("app/__init__.py", ""),
        ("app/renamed.py", "def find_it():\n    pass\n"),
        ("user.py", "from app.old import find_it\n\nfind_it()\n"),
    ];
    let (mentions, _) = account(&files, "find_it");
    assert_eq!((mentions.definitions, mentions.outside, mentions.unresolved), (1, 0, 2), "{mentions:?}");
}

#[test]
fn types_that_say_nothing_leave_their_values_open() {
    let python = [
        (
            "app/core.py",
            "class Disk:\n    def spin_up(self):\n        pass\n\nclass Tape:\n    def spin_up(self):\n        pass\n",
        ),
        (
            "app/use.py",
            "from typing import Any, TypeVar\n\nT = TypeVar('T')\n\ndef a(x: Any):\n    x.spin_up()\n\ndef b(x: object):\n    x.spin_up()\n\ndef c(x: T):\n    x.spin_up()\n",
        ),
    ];
    let (mentions, open) = account(&python, "app/core.py Disk.spin_up");
    assert_eq!((mentions.outside, mentions.unresolved), (0, 3), "{open:?}");
    let typescript = [
        ("src/core.ts", "export class Disk { spinUp() {} }\nexport class Tape { spinUp() {} }\n"),
        ("src/use.ts", "function a(x: any) { x.spinUp() }\nfunction b(x: unknown) { (x as any).spinUp() }\n"),
    ];
    let (mentions, open) = account(&typescript, "src/core.ts Disk.spinUp");
    assert_eq!((mentions.outside, mentions.unresolved), (0, 2), "{open:?}");
}

#[test]
fn a_value_of_a_foreign_type_may_be_of_an_own_one_that_builds_on_it() {
    let files = [
        (
            "src/core.ts",
            "export class HttpError extends Error {\n  toReply() {}\n}\nexport class Other {\n  toReply() {}\n}\n",
        ),
        (
            "src/use.ts",
            "function a(error: Error) { error.toReply() }\nfunction b(map: Map<string, string>) { map.toReply() }\n",
        ),
    ];
    let (mentions, open) = account(&files, "src/core.ts HttpError.toReply");
    assert_eq!((mentions.outside, open), (1, vec!["src/use.ts:1 NoSuchMember".to_owned()]));
}

#[test]
fn a_constructor_is_accounted_for_by_its_class() {
    let files = [
        ("src/fresh.ts", "export class Shelf {\n  constructor() {}\n}\n"),
        ("src/use.ts", "import { Shelf } from './old'\nnew Shelf()\n"),
    ];
    let (mentions, open) = account(&files, "constructor");
    assert_eq!((mentions.definitions, mentions.uses, mentions.unresolved), (2, 0, 2), "{mentions:?} {open:?}");
}

#[test]
fn a_path_of_modules_is_no_use_of_what_is_called_like_one() {
    let files = [
        ("src/Shop/Price.hs", "module Shop.Price where\n\ndata Price = Price Int\n"),
        ("src/Shop/Price/Cut.hs", "module Shop.Price.Cut where\n\nimport Shop.Price\n"),
        ("src/Main.hs", "module Main where\n\nimport Shop.Price.Cut\n"),
    ];
    let (mentions, open) = account(&files, "Shop.Price.Price");
    assert_eq!((mentions.uses, mentions.unresolved), (0, 0), "{mentions:?} {open:?}");
}

#[test]
fn keys_of_keyword_lists_are_data_unless_they_may_be_fields() {
    let elixir = [
        (
            "a.ex",
            "defmodule Shop do\n  defstruct [:price, :weight]\n  def sort_by(x), do: x\n  def price(x), do: x.price\nend\n",
        ),
        (
            "b.ex",
            "defmodule Use do\n  def go(x), do: list(x, sort_by: 1, price: 2, weight: 3)\n  def more, do: %{sort_by: [sort_by: 1]}\n  def made, do: %Shop{price: 1}\n  defoverridable go: 1\nend\n",
        ),
    ];
    let (mentions, open) = account(&elixir, "sort_by");
    assert_eq!((mentions.definitions, mentions.uses, mentions.outside), (1, 0, 3), "{mentions:?}");
    assert!(open.is_empty(), "{open:?}");
    // Of a function and a field of one name the function is asked for: no key means it, and `x.price` is guessed to be the field.
    let (mentions, open) = account(&elixir, "a.ex Shop.price");
    assert_eq!((mentions.uses, mentions.others, mentions.unresolved), (0, 3, 0), "{mentions:?}");
    assert!(open.is_empty(), "{open:?}");
    let (mentions, open) = account(&elixir, "a.ex Shop.weight");
    assert_eq!((mentions.definitions, mentions.uses, mentions.unresolved), (1, 0, 1), "{mentions:?}");
    assert_eq!(open, ["b.ex:2 Key"]);
    let (mentions, open) = account(&elixir, "Use.go");
    assert_eq!((mentions.definitions, mentions.uses, open.len()), (1, 1, 0), "{mentions:?}");
}
