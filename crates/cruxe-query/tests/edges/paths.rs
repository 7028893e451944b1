//! Uses through the full name of a module, a namespace or a file, language by language.

use crate::support::check;

#[test]
fn elixir_modules_are_named_in_full_and_by_their_aliases() {
    let files = [
        ("lib/worker.ex", "defmodule App.Repo.Worker do\n  def all(x), do: x\n  def one, do: all(1) # <-\nend\n"),
        ("lib/other.ex", "defmodule App.Other do\n  def all(x), do: x\n  def go, do: App.Other.all(2)\nend\n"),
        (
            "lib/user.ex",
            "\
defmodule App.User do
  alias App.Repo.Worker
  alias App.Repo.Worker, as: W
  alias App.Repo
  alias App.{Other}
  def full, do: App.Repo.Worker.all(1) # <-
  def short, do: Worker.all(2) # <-
  def renamed, do: W.all(3) # <-
  def partly, do: Repo.Worker.all(4) # <-
  def captured, do: &App.Repo.Worker.all/1 # <-
  def other, do: Other.all(5)
end
",
        ),
    ];
    check("lib/worker.ex all", &files);
}

#[test]
fn ruby_constants_are_found_through_modules_that_are_reopened() {
    let files = [
        ("lib/box.rb", "module Store\n  class Box\n    def open; end\n  end\nend\n"),
        ("lib/more.rb", "module Store\n  class Crate\n    def make\n      Box.new # <-\n    end\n  end\nend\n"),
        ("lib/user.rb", "def run\n  Store::Box.new # <-\n  ::Store::Box.new # <-\n  Other::Box.new\nend\n"),
        ("lib/other.rb", "module Other\n  class Box\n  end\nend\n"),
    ];
    check("Store::Box", &files);
}

#[test]
fn csharp_types_are_named_with_their_namespace() {
    let files = [
        ("src/Order.cs", "namespace Company.Product\n{\n    public class Order { public static void Ship() { } }\n}\n"),
        ("src/Old.cs", "namespace Company.Old\n{\n    public class Order { public static void Ship() { } }\n}\n"),
        (
            "src/Use.cs",
            "\
namespace Company.App
{
    class Use
    {
        Company.Product.Order one; // <-
        Company.Old.Order two;
        void Go()
        {
            var three = new Company.Product.Order(); // <-
            Company.Product.Order.Ship(); // <-
            Product.Order.Ship(); // <-
            Company.Old.Order.Ship();
        }
    }
}
",
        ),
    ];
    check("src/Order.cs Order", &files);
}

#[test]
fn cpp_names_are_reached_through_namespaces_and_with_template_arguments() {
    let files = [
        (
            "src/fmt.h",
            "\
namespace text {
class Writer { public: void put(char c); };
template <typename T> int write_all(T value) { return 1; }
namespace detail { int width(int n); }
}
",
        ),
        (
            "src/other.h",
            "namespace other {\nclass Writer { };\ntemplate <typename T> int write_all(T value) { return 2; }\n}\n",
        ),
        (
            "src/main.cpp",
            "\
#include \"fmt.h\"
#include \"other.h\"
namespace t = text;
int main() {
  text::write_all<char>('a'); // <-
  text::write_all(1); // <-
  ::text::write_all<int>(2); // <-
  t::write_all(3); // <-
  other::write_all<char>('b');
}
",
        ),
    ];
    check("src/fmt.h write_all", &files);
}

#[test]
fn cpp_types_are_reached_through_namespaces() {
    let files = [
        ("src/fmt.h", "namespace text {\nclass Writer { public: void put(char c); };\n}\n"),
        ("src/other.h", "namespace other {\nclass Writer { };\n}\n"),
        (
            "src/main.cpp",
            "\
#include \"fmt.h\"
#include \"other.h\"
void go(text::Writer& out); // <-
void no(other::Writer& out);
using text::Writer; // <-
class Loud : public text::Writer { }; // <-
",
        ),
    ];
    check("src/fmt.h Writer", &files);
}

#[test]
fn zig_files_are_imported_as_values() {
    let files = [
        ("src/money.zig", "pub fn parse(x: u8) u8 {\n    return x;\n}\ntest \"one\" {\n    _ = parse(1); // <-\n}\n"),
        ("src/date.zig", "pub fn parse(x: u8) u8 {\n    return x;\n}\n"),
        (
            "src/main.zig",
            "\
const money = @import(\"money.zig\");
const date = @import(\"date.zig\");
const p = @import(\"money.zig\").parse; // <-
pub fn main() void {
    _ = money.parse(1); // <-
    _ = date.parse(2);
}
",
        ),
    ];
    check("src/money.zig parse", &files);
}

#[test]
fn haskell_names_are_qualified_by_their_module() {
    let files = [
        ("src/Data/Plus.hs", "module Data.Plus where\n\nplus :: Int -> Int\nplus x = x\n"),
        ("src/Data/Other.hs", "module Data.Other where\n\nplus :: Int -> Int\nplus x = x\n"),
        (
            "src/Main.hs",
            "\
module Main where

import qualified Data.Plus as M
import qualified Data.Other
import qualified Data.Plus

one = M.plus 1 -- <-
two = Data.Other.plus 2
three = Data.Plus.plus 3 -- <-
",
        ),
    ];
    check("src/Data/Plus.hs plus", &files);
}

#[test]
fn haskell_modules_hand_on_what_they_import() {
    let files = [
        (
            "lib/src/Shop/Types/Price.hs",
            "module Shop.Types.Price where\n\ndata Price = Cheap | Dear { amount :: Int }\n\nclass Priced a where\n  priceOf :: a -> Price\n\nround' :: Price -> Price\nround' p = p\n",
        ),
        ("lib/src/Shop/Price.hs", "module Shop.Price (module Shop.Types.Price) where\n\nimport Shop.Types.Price\n"),
        ("lib/src/Other.hs", "module Other where\n\npriceOf :: Int -> Int\npriceOf x = x\n"),
        (
            "app/Main.hs",
            "module Main where\n\nimport Shop.Price (Priced (..), priceOf) -- <-\nimport qualified Shop.Price as P\n\na x = priceOf x -- <-\nb x = P.priceOf x -- <-\n",
        ),
        ("app/All.hs", "module All where\n\nimport Shop.Price\n\na x = priceOf x -- <-\n"),
        ("app/Mine.hs", "module Mine where\n\nimport Other\n\na x = priceOf x\n"),
    ];
    check("lib/src/Shop/Types/Price.hs priceOf", &files);
}

#[test]
fn haskell_constructors_and_fields_are_plain_names() {
    let files = [
        (
            "src/Price.hs",
            "module Price where\n\ndata Price = Cheap | Dear { amount :: Int }\n\nf Cheap = 0\nf p = amount p -- <-\n",
        ),
        ("src/Use.hs", "module Use where\n\nimport Price\n\ng p = amount p -- <-\n"),
    ];
    check("src/Price.hs amount", &files);
}

#[test]
fn c_enumerators_are_plain_names_of_their_file_first() {
    let files = [
        (
            "src/parse.c",
            "typedef enum {\n  LITERAL,\n  SPACE\n} kind;\n\nkind of(char c) {\n  return c ? LITERAL : SPACE; // <-\n}\n",
        ),
        ("src/token.h", "#define LITERAL 262\n"),
        ("src/other.c", "#include \"token.h\"\nint go(void) { return LITERAL + 1; }\n"),
    ];
    check("src/parse.c LITERAL", &[files[0]]);
    check("src/parse.c SPACE", &[("src/parse.c", files[0].1), files[1]]);
}

#[test]
fn c_types_are_not_hidden_by_variables_of_their_name() {
    let files = [
        ("src/list.h", "typedef struct list {\n  int n;\n} list;\n"),
        ("src/list.c", "#include \"list.h\"\nint len(list *list) { // <-\n  return list->n;\n}\n"),
    ];
    check("src/list.h list", &files);
}

#[test]
fn c_functions_that_only_their_file_sees_give_way() {
    let files = [
        ("util/coding.c", "int decode(int x) { return x; }\n"),
        ("db/table.c", "static int decode(int x) { return x; }\nint a(void) { return decode(1); }\n"),
        ("db/edit.c", "int b(void) { return decode(2); } // <-\n"),
    ];
    check("util/coding.c decode", &files);
}

#[test]
fn cpp_names_are_imported_from_namespaces_that_a_macro_opens() {
    let files = [
        ("inc/os.h", "BEGIN_NAMESPACE\nclass buffered_file { public: int get(); };\nEND_NAMESPACE\n"),
        (
            "test/os.cc",
            "#include \"os.h\"\nusing text::buffered_file;\nint go(buffered_file f) {\n  return f.get(); // <-\n}\n",
        ),
    ];
    check("buffered_file::get", &files);
}

#[test]
fn swift_declarations_are_imported_from_their_module() {
    let files = [
        ("Sources/Vault/Key.swift", "public struct Key {}\n"),
        ("Tests/KeyTests.swift", "import struct Vault.Key // <-\n\nlet key = Key() // <-\n"),
        ("Tests/OtherTests.swift", "import struct Foundation.Key\n\nlet other = Key()\n"),
    ];
    check("Key", &files);
}

#[test]
fn lua_modules_are_tables() {
    let files = [
        (
            "lua/store.lua",
            "local M = {}\n\nfunction M.open(name)\n  return M.find(name)\nend\n\nM.find = function(name)\n  return name\nend\n\nreturn M\n",
        ),
        ("lua/disk.lua", "local M = {}\n\nfunction M.open(name)\n  return name\nend\n\nreturn M\n"),
        (
            "lua/main.lua",
            "\
local store = require(\"store\")
local disk = require(\"disk\")
store.open(\"a\") -- <-
disk.open(\"b\")
require(\"store\").open(\"c\") -- <-
",
        ),
    ];
    check("lua/store.lua open", &files);
}

#[test]
fn kotlin_functions_are_not_hidden_by_properties() {
    let text = "\
package app

val cancelled: Boolean = false

fun cancelled(): Boolean = true

fun go() {
    cancelled() // <-
    if (cancelled) return
}
";
    check("src/Job.kt cancelled", &[("src/Job.kt", text)]);
}

#[test]
fn a_class_of_the_sources_goes_before_one_of_a_test() {
    let files = [
        ("src/handler.h", "namespace app {\nclass Handler { public: virtual void run(); };\n}\n"),
        ("test/fake_test.cpp", "struct Handler { int x; };\nint use() { Handler h; return h.x; }\n"),
        ("src/loud.cpp", "#include \"handler.h\"\nnamespace app {\nclass Loud : public Handler { }; // <-\n}\n"),
    ];
    check("Handler", &files);
}
