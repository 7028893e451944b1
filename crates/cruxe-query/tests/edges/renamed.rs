//! A module was renamed, and its users still name it by its old path: what they mean is not known, and not outside.
//!
//! A line with `old` in its comment holds uses through the old path, one with `foreign` uses of something from outside.
//! Neither may be an edge; the first must be unresolved, the second must not.

use std::collections::BTreeSet;

use cruxe_index::Layers;
use cruxe_query::references::{self, Question};
use cruxe_query::target::Wanted;

use crate::support::Tree;

/// Checks that exactly the lines with the mark of a kind are open, and that what is foreign is all that is outside.
fn check(symbol: &str, files: &[(&str, &str)]) {
    let tree = Tree::new(files);
    let (path, name) = symbol.split_once(' ').map_or((None, symbol), |(path, name)| (Some(path.to_owned()), name));
    let question = Question {
        wanted: Wanted { name: name.to_owned(), path, line: None },
        limit: 100,
        unresolved: 100,
        ..Default::default()
    };
    let answer = references::find(&tree.view(), &Layers::None, &question).unwrap_or_else(|problem| panic!("{problem}"));
    let used: Vec<String> = answer.references.iter().map(|one| format!("{}:{}", one.path, one.line)).collect();
    let open: BTreeSet<String> = answer.unresolved.iter().map(|one| format!("{}:{}", one.path, one.line)).collect();
    assert_eq!(used, Vec::<String>::new(), "uses of {symbol}");
    assert_eq!(open, marked(files, "old"), "unresolved mentions of {symbol}");
    assert_eq!(answer.mentions.unwrap().outside, marked(files, "foreign").len(), "mentions of {symbol} from outside");
}

fn marked(files: &[(&str, &str)], mark: &str) -> BTreeSet<String> {
    let comment = |line: &str| line.rsplit_once(['#', '/', '-', '%']).is_some_and(|(_, said)| said.trim() == mark);
    let lines = files.iter().flat_map(|(path, text)| text.lines().enumerate().map(move |(at, line)| (path, at, line)));
    lines.filter(|(_, _, line)| comment(line)).map(|(path, at, _)| format!("{path}:{}", at + 1)).collect()
}

#[test]
fn python() {
    let files = [
        ("app/__init__.py", ""),
        ("app/fresh.py", "def find_it():\n    pass\n"),
        ("app/named.py", "from app.old import find_it # old\nfind_it() # old\n"),
        ("app/beside.py", "from .old import find_it # old\nfind_it() # old\n"),
        ("app/module.py", "from . import old\nold.find_it() # old\n"),
        ("app/again.py", "from app import old\nold.find_it() # old\n"),
        ("app/whole.py", "import app.old\napp.old.find_it() # old\n"),
        ("app/alias.py", "import app.old as o\no.find_it() # old\n"),
        ("app/all.py", "from app.old import *\nfind_it() # old\n"),
        ("app/hands_on.py", "from app.old import find_it as find_it # old\n"),
        ("app/through.py", "from app.hands_on import find_it # old\nfind_it() # old\n"),
        ("app/other.py", "from requests import find_it # foreign\nfind_it() # foreign\n"),
        ("app/others.py", "import requests\nrequests.find_it() # foreign\nrequests.old.find_it() # foreign\n"),
    ];
    check("find_it", &files);
}

#[test]
fn python_members_of_types_that_are_gone() {
    let files = [
        ("app/__init__.py", ""),
        (
            "app/fresh.py",
            "class Rack:\n    def find_it(self):\n        pass\n\nclass Box:\n    def find_it(self):\n        pass\n",
        ),
        ("app/typed.py", "from app.old import Shelf\n\ndef go(shelf: Shelf):\n    shelf.find_it() # old\n"),
        ("app/made.py", "from app.old import Shelf\n\nShelf().find_it() # old\n"),
        (
            "app/extended.py",
            "from app.old import Shelf\n\nclass More(Shelf):\n    def go(self):\n        self.find_it() # old\n\nMore().find_it() # old\n",
        ),
        ("app/all.py", "from app.old import *\n\ndef go(shelf: Shelf):\n    shelf.find_it() # old\n"),
        (
            "app/other.py",
            "from requests import Session\n\ndef go(session: Session):\n    session.find_it() # foreign\n",
        ),
        (
            "app/others.py",
            "from requests import Session\n\nclass Own(Session):\n    pass\n\nOwn().find_it() # foreign\n",
        ),
    ];
    check("app/fresh.py Rack.find_it", &files);
}

#[test]
fn typescript_and_javascript() {
    let files = [
        ("package.json", "{\"name\": \"@acme/app\"}"),
        ("tsconfig.json", "{\"compilerOptions\": {\"baseUrl\": \"src\", \"paths\": {\"@lib/*\": [\"lib/*\"]}}}"),
        ("src/fresh.ts", "export function findIt() {}\n"),
        ("src/util/x.ts", "export const x = 1\n"),
        ("src/named.ts", "import { findIt } from './old' // old\nfindIt() // old\n"),
        ("src/renamed.ts", "import { findIt as f } from './old' // old\nf()\n"),
        ("src/whole.ts", "import * as old from './old'\nold.findIt() // old\n"),
        ("src/default.ts", "import findIt from './old.js' // old\nfindIt() // old\n"),
        ("src/member.ts", "import old from './old'\nold.findIt() // old\n"),
        ("src/alias.ts", "import { findIt } from '@lib/old' // old\nfindIt() // old\n"),
        ("src/based.ts", "import { findIt } from 'util/old' // old\nfindIt() // old\n"),
        ("src/bundler.ts", "import { findIt } from '@/old' // old\nfindIt() // old\n"),
        ("src/package.ts", "import { findIt } from '@acme/app/old' // old\nfindIt() // old\n"),
        ("src/required.js", "const { findIt } = require('./old') // old\nfindIt() // old\n"),
        ("src/requires.js", "const old = require('./old')\nold.findIt() // old\n"),
        ("src/later.ts", "const { findIt } = await import('./old') // old\nfindIt() // old\n"),
        ("src/barrel.ts", "export { findIt } from './old' // old\n"),
        ("src/through.ts", "import { findIt } from './barrel' // old\nfindIt() // old\n"),
        ("src/picture.ts", "import findIt from './find.svg' // foreign\n"),
        ("src/other.ts", "import { findIt } from 'lodash' // foreign\nfindIt() // foreign\n"),
        ("src/others.ts", "import * as lodash from 'lodash/fp'\nlodash.findIt() // foreign\n"),
        ("src/scoped.ts", "import { findIt } from '@other/app' // foreign\nfindIt() // foreign\n"),
    ];
    check("findIt", &files);
}

#[test]
fn typescript_members_of_types_that_are_gone() {
    let files = [
        ("src/fresh.ts", "export class Rack { findIt() {} }\nexport class Box { findIt() {} }\n"),
        ("src/typed.ts", "import { Shelf } from './old'\nfunction go(shelf: Shelf) {\n  shelf.findIt() // old\n}\n"),
        ("src/made.ts", "import { Shelf } from './old'\nnew Shelf().findIt() // old\n"),
        (
            "src/extended.ts",
            "import { Shelf } from './old'\nclass More extends Shelf {\n  go() {\n    this.findIt() // old\n  }\n}\n",
        ),
        (
            "src/other.ts",
            "import { Session } from 'lib'\nfunction go(session: Session) {\n  session.findIt() // foreign\n}\n",
        ),
    ];
    check("src/fresh.ts Rack.findIt", &files);
}

#[test]
fn rust() {
    let files = [
        ("Cargo.toml", "[package]\nname = \"app\"\n[dependencies]\nitertools = \"1\"\n"),
        (
            "src/lib.rs",
            "mod fresh;\nmod inner;\nmod named;\nmod path;\nmod all;\nmod other;\nmod others;\nmod hands_on;\nmod through;\n",
        ),
        ("src/fresh.rs", "pub fn find_it() {}\n"),
        ("src/named.rs", "use crate::old::find_it; // old\npub fn go() {\n    find_it(); // old\n}\n"),
        (
            "src/path.rs",
            "pub fn go() {\n    crate::old::find_it(); // old\n    super::old::find_it(); // old\n    old::find_it(); // old\n}\n",
        ),
        ("src/inner.rs", "use super::old;\npub fn go() {\n    old::find_it(); // old\n}\n"),
        ("src/all.rs", "use crate::old::*;\npub fn go() {\n    find_it(); // old\n}\n"),
        ("src/hands_on.rs", "pub use crate::old::find_it; // old\n"),
        ("src/through.rs", "pub fn go() {\n    crate::hands_on::find_it(); // old\n}\n"),
        (
            "tests/it.rs",
            "use app::old::find_it; // old\nfn go() {\n    find_it(); // old\n    app::old::find_it(); // old\n}\n",
        ),
        ("src/other.rs", "use itertools::find_it; // foreign\npub fn go() {\n    find_it(); // foreign\n}\n"),
        (
            "src/others.rs",
            "pub fn go() {\n    itertools::find_it(); // foreign\n    std::mem::find_it(); // foreign\n}\n",
        ),
    ];
    check("src/fresh.rs find_it", &files);
}

#[test]
fn rust_members_of_types_that_are_gone() {
    let files = [
        ("Cargo.toml", "[package]\nname = \"app\"\n[dependencies]\nlib = \"1\"\n"),
        ("src/lib.rs", "mod fresh;\nmod typed;\nmod all;\nmod path;\nmod other;\n"),
        (
            "src/fresh.rs",
            "pub struct Rack;\nimpl Rack {\n    pub fn find_it(&self) {}\n}\npub struct Box;\nimpl Box {\n    pub fn find_it(&self) {}\n}\n",
        ),
        (
            "src/typed.rs",
            "use crate::old::Shelf;\npub fn go(shelf: &Shelf) {\n    shelf.find_it(); // old\n    Shelf::find_it(shelf); // old\n}\n",
        ),
        ("src/all.rs", "use crate::old::*;\npub fn go(shelf: &Shelf) {\n    shelf.find_it(); // old\n}\n"),
        (
            "src/path.rs",
            "pub fn go(shelf: &crate::old::Shelf) {\n    shelf.find_it(); // old\n    crate::old::Shelf::find_it(shelf); // old\n}\n",
        ),
        (
            "src/other.rs",
            "use lib::Session;\npub fn go(session: &Session) {\n    session.find_it(); // foreign\n    Session::find_it(session); // foreign\n}\n",
        ),
    ];
    check("src/fresh.rs Rack::find_it", &files);
}

#[test]
fn go() {
    let files = [
        ("go.mod", "module example.com/app\n"),
        ("fresh/fresh.go", "package fresh\n\nfunc FindIt() {}\n"),
        ("main.go", "package main\n\nimport \"example.com/app/old\"\n\nfunc main() {\n\told.FindIt() // old\n}\n"),
        (
            "cmd/main.go",
            "package main\n\nimport o \"example.com/app/old\"\n\nfunc main() {\n\to.FindIt() // old\n\tvar _ = o.FindIt // old\n}\n",
        ),
        ("other.go", "package main\n\nimport \"example.org/lib\"\n\nfunc other() {\n\tlib.FindIt() // foreign\n}\n"),
    ];
    check("FindIt", &files);
    let members = [
        ("go.mod", "module example.com/app\n"),
        (
            "fresh/fresh.go",
            "package fresh\n\ntype Rack struct{}\n\nfunc (r Rack) FindIt() {}\n\ntype Box struct{}\n\nfunc (b Box) FindIt() {}\n",
        ),
        (
            "main.go",
            "package main\n\nimport \"example.com/app/old\"\n\nfunc main(shelf old.Shelf) {\n\tshelf.FindIt() // old\n}\n",
        ),
        (
            "other.go",
            "package main\n\nimport \"example.org/lib\"\n\nfunc other(shelf lib.Shelf) {\n\tshelf.FindIt() // foreign\n}\n",
        ),
    ];
    check("fresh/fresh.go Rack.FindIt", &members);
}

#[test]
fn java() {
    let files = [
        (
            "src/com/acme/fresh/Shelf.java",
            "package com.acme.fresh;\npublic class Shelf {\n    public static void findIt() { }\n}\n",
        ),
        (
            "src/com/acme/app/Use.java",
            "\
package com.acme.app;
import com.acme.old.Shelf; // old
class Use extends Shelf { // old
    Shelf one; // old
    void go() { Shelf.findIt(); } // old
}
",
        ),
        (
            "src/com/acme/app/Other.java",
            "package com.acme.app;\nimport org.junit.Shelf; // foreign\nclass Other {\n    Shelf one; // foreign\n}\n",
        ),
    ];
    check("Shelf", &files);
    let members = [
        (
            "src/com/acme/fresh/Rack.java",
            "package com.acme.fresh;\npublic class Rack {\n    public static void findIt() { }\n    public void take() { }\n}\n",
        ),
        (
            "src/com/acme/fresh/Box.java",
            "package com.acme.fresh;\npublic class Box {\n    public static void findIt() { }\n    public void take() { }\n}\n",
        ),
        (
            "src/com/acme/app/Use.java",
            "\
package com.acme.app;
import com.acme.old.Shelf;
import static com.acme.old.Shelf.findIt; // old
class Use {
    void go() { Shelf.findIt(); } // old
    void plain() { findIt(); } // old
}
",
        ),
        (
            "src/com/acme/app/Other.java",
            "package com.acme.app;\nimport org.junit.Shelf;\nclass Other {\n    void go() { Shelf.findIt(); } // foreign\n}\n",
        ),
    ];
    check("src/com/acme/fresh/Rack.java Rack.findIt", &members);
    let inherited = [
        members[0],
        members[1],
        (
            "src/com/acme/app/Use.java",
            "\
package com.acme.app;
import com.acme.old.Shelf;
class Use extends Shelf {
    void go() { this.take(); } // old
    void typed(Shelf shelf) { shelf.take(); } // old
}
",
        ),
    ];
    check("src/com/acme/fresh/Rack.java Rack.take", &inherited);
}

#[test]
fn kotlin_and_scala() {
    let kotlin = [
        ("src/fresh/Find.kt", "package com.acme.fresh\n\nfun findIt() {}\n"),
        (
            "src/app/Use.kt",
            "package com.acme.app\n\nimport com.acme.old.findIt // old\n\nfun go() {\n    findIt() // old\n}\n",
        ),
        (
            "src/app/Other.kt",
            "package com.acme.app\n\nimport io.ktor.findIt // foreign\n\nfun go() {\n    findIt() // foreign\n}\n",
        ),
    ];
    check("findIt", &kotlin);
    let scala = [
        ("src/fresh/Find.scala", "package shop.fresh\n\nobject Find {\n  def findIt(): Unit = ()\n}\n"),
        (
            "src/app/Use.scala",
            "package shop.app\n\nimport shop.old.Find.findIt // old\n\nobject Use {\n  def go() = findIt() // old\n}\n",
        ),
        (
            "src/app/Other.scala",
            "package shop.app\n\nimport cats.effect.findIt // foreign\n\nobject Other {\n  def go() = findIt() // foreign\n}\n",
        ),
    ];
    check("findIt", &scala);
}

#[test]
fn csharp() {
    let files = [
        (
            "src/Shelf.cs",
            "namespace Company.Fresh\n{\n    public class Shelf { public static void FindIt() { } }\n    public class Box { public static void FindIt() { } }\n}\n",
        ),
        (
            "src/Use.cs",
            "\
using S = Company.Old.Shelf;
namespace Company.App
{
    class Use
    {
        void Go() { S.FindIt(); } // old
        void Full() { Company.Old.Shelf.FindIt(); } // old
    }
}
",
        ),
        (
            "src/Other.cs",
            "using S = Newtonsoft.Shelf;\nnamespace Company.App\n{\n    class Other\n    {\n        void Go() { S.FindIt(); } // foreign\n    }\n}\n",
        ),
    ];
    check("src/Shelf.cs Shelf.FindIt", &files);
}

#[test]
fn php() {
    let files = [
        (
            "src/Fresh/Shelf.php",
            "<?php\nnamespace App\\Fresh;\nclass Shelf { public static function findIt() {} public function take() {} }\nclass Box { public static function findIt() {} public function take() {} }\n",
        ),
        (
            "src/Use.php",
            "<?php\nnamespace App;\nuse App\\Old\\Shelf;\nuse function App\\Old\\findIt; // old\nShelf::findIt(); // old\nfindIt(); // old\n",
        ),
        (
            "tests/UseTest.php",
            "<?php\nnamespace Tests;\nuse App\\Old\\Shelf;\nclass UseTest {\n    function go() { Shelf::findIt(); } // old\n}\n",
        ),
        ("src/Other.php", "<?php\nnamespace App;\nuse Symfony\\Shelf;\nShelf::findIt(); // foreign\n"),
    ];
    check("src/Fresh/Shelf.php Shelf::findIt", &files);
}

#[test]
fn elixir_and_haskell() {
    let elixir = [
        ("lib/fresh.ex", "defmodule App.Fresh do\n  def find_it(x), do: x\nend\n"),
        (
            "lib/use.ex",
            "defmodule App.Use do\n  alias App.Old\n  alias App.Old, as: O\n  def a, do: Old.find_it(1) # old\n  def b, do: O.find_it(1) # old\n  def c, do: App.Old.find_it(1) # old\nend\n",
        ),
        ("lib/other.ex", "defmodule App.Other do\n  alias Ecto.Query\n  def a, do: Query.find_it(1) # foreign\nend\n"),
    ];
    check("find_it", &elixir);
    let haskell = [
        ("src/Shop/Fresh.hs", "module Shop.Fresh where\n\nfindIt :: Int -> Int\nfindIt x = x\n"),
        ("src/Named.hs", "module Named where\n\nimport Shop.Old (findIt) -- old\n\na = findIt 1 -- old\n"),
        ("src/Whole.hs", "module Whole where\n\nimport qualified Shop.Old as O\n\na = O.findIt 1 -- old\n"),
        ("src/Other.hs", "module Other where\n\nimport Data.Map (findIt) -- foreign\n\na = findIt 1 -- foreign\n"),
    ];
    check("findIt", &haskell);
}

#[test]
fn lua_and_zig() {
    let lua = [
        ("lua/app/fresh.lua", "local M = {}\n\nfunction M.find_it(name)\n  return name\nend\n\nreturn M\n"),
        (
            "lua/app/use.lua",
            "local old = require(\"app.old\")\nold.find_it(1) -- old\nrequire(\"app.old\").find_it(2) -- old\n",
        ),
        ("lua/app/alone.lua", "local old = require(\"old\")\nold.find_it(1) -- old\n"),
        ("lua/app/json.lua", "local json = require(\"cjson\")\njson.find_it(1) -- foreign\n"),
        ("lua/app/other.lua", "local job = require(\"plenary.job\")\njob.find_it(1) -- foreign\n"),
    ];
    check("find_it", &lua);
    let zig = [
        ("src/fresh.zig", "pub fn findIt(x: u8) u8 {\n    return x;\n}\n"),
        ("src/use.zig", "const old = @import(\"old.zig\");\npub fn go() void {\n    _ = old.findIt(1); // old\n}\n"),
        ("src/package.zig", "const app = @import(\"app\");\npub fn go() void {\n    _ = app.findIt(1); // old\n}\n"),
        ("src/other.zig", "const std = @import(\"std\");\npub fn go() void {\n    _ = std.findIt(1); // foreign\n}\n"),
    ];
    check("findIt", &zig);
}

#[test]
fn cpp() {
    let files = [
        ("inc/shelf.h", "namespace fresh {\nint find_it(int x);\n}\n"),
        ("src/use.cpp", "#include \"old.h\"\nusing old::find_it; // old\n"),
        ("src/other.cpp", "#include <algorithm>\nusing std::find_it; // foreign\n"),
    ];
    check("find_it", &files);
}

#[test]
fn ruby_and_bash_and_c_name_no_modules() {
    let files = [
        ("lib/fresh.rb", "class Shelf\n  def find_it; end\nend\nclass Box\n  def find_it; end\nend\n"),
        ("lib/use.rb", "require_relative 'old'\nOld::Shelf.new.find_it # old\nOld.find_it # old\n"),
    ];
    check("lib/fresh.rb Shelf#find_it", &files);
}
