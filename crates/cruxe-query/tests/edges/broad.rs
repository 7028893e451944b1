//! The other languages: scopes, imports, packages and types.

use crate::support::check;

#[test]
fn java_members_are_found_by_import_package_and_type() {
    check(
        "TokenService.validate",
        &[
            (
                "src/auth/TokenService.java",
                "\
package auth;
public class TokenService {
  public boolean validate(String t) { return true; }
  boolean twice(String t) { return validate(t) && this.validate(t); } // <-
}
",
            ),
            (
                "src/web/Login.java",
                "package web;
import auth.TokenService;
class Login {
  private final TokenService tokens;
  private final Other other = new Other();
  Login(TokenService tokens) { this.tokens = tokens; }
  void run(String t) {
    tokens.validate(t); // <-
    new TokenService().validate(t); // <-
    other.validate(t);
  }
}
class Other { boolean validate(String t) { return false; } }
",
            ),
        ],
    );
}

#[test]
fn c_functions_are_one_with_their_declarations() {
    check(
        "src/pool.c pool_open",
        &[
            ("src/pool.h", "int pool_open(const char *name);\n"),
            ("src/pool.c", "#include \"pool.h\"\nint pool_open(const char *name) { return 0; }\n"),
            (
                "src/main.c",
                "#include \"pool.h\"\nint main(void) { return pool_open(\"x\"); } // <-\nstatic int other(int pool_open) { return pool_open; }\n",
            ),
        ],
    );
}

#[test]
fn csharp_and_kotlin_types_are_found_where_they_are_named() {
    check(
        "Order",
        &[
            ("Order.cs", "namespace Shop;\npublic class Order { }\n"),
            ("Cart.cs", "namespace Shop;\npublic class Cart { Order current = new Order(); } // <-\n"),
        ],
    );
}

#[test]
fn c_functions_are_used_by_tables_that_are_included() {
    check(
        "src/ops.c op_add",
        &[
            ("src/ops.c", "int op_add(int a) { return a; }\nint op_sub(int a) { return a; }\n#include \"ops.def\"\n"),
            ("src/ops.def", "/* name, function */\nOP(add, op_add) // <-\nOP(sub, op_sub)\n"),
            ("src/more.inc", "#define LAST op_add // <-\nstatic int (*last)(int) = op_add; // <-\n"),
        ],
    );
}

#[test]
fn where_a_type_is_expected_a_name_is_the_class_and_not_the_constructor() {
    check(
        "Outer.size",
        &[(
            "A.java",
            "class Outer {\n  Outer() { }\n  int size() { return 1; }\n  int of(Outer other) { return other.size(); } // <-\n}\nclass Bag { int size() { return 2; } }\nclass Deep extends Outer {\n  void Bag() { }\n  int in(Bag bag) { return bag.size(); }\n}\n",
        )],
    );
    check(
        "a.hpp Base::size",
        &[
            ("a.hpp", "class Base {\npublic:\n  Base();\n  int size();\n};\nclass Bag { int size(); };\n"),
            ("a.cpp", "#include \"a.hpp\"\nBase::Base() {}\nint f(Base *base) { return base->size(); } // <-\n"),
        ],
    );
}

#[test]
fn a_method_outside_of_its_class_sees_the_class_before_the_namespace() {
    let header = "\
namespace db {
class Env { public: virtual void Remove(int a); };
class Base { public: Base(); bool ready() const; int top_; };
class Store : public Base {
 public:
  void Open();
  bool ok() const { return true; }
  Env* const env_;
  Base base_;
};
bool ready();
}
";
    let source = "\
#include \"store.h\"
namespace db {
bool ok() { return false; }
void Store::Open() {
  if (!ok()) return; // ok
  env_->Remove(1); // Remove
  top_ = 1; // top
  if (ready()) return; // ready
  Base::ready(); // ready
  base_.ready(); // ready
}
bool other() { return ok() && ready(); }
void Env::Remove(int a) {}
}
";
    let marked = |mark: &str| {
        let here = format!("// {mark}\n");
        source.lines().map(|line| format!("{line}\n").replace(&here, "// <-\n")).collect::<String>()
    };
    for (symbol, mark) in
        [("Store::ok", "ok"), ("Env::Remove", "Remove"), ("Base::top_", "top"), ("Base::ready", "ready")]
    {
        check(symbol, &[("store.h", header), ("store.cc", &marked(mark))]);
    }
}

#[test]
fn a_test_of_a_fixture_sees_the_fixture() {
    check(
        "Table::Get",
        &[
            ("table.h", "class Table { public: int Get(int k); };\nclass Map { public: int Get(int k); };\n"),
            (
                "table_test.cc",
                "\
#include \"table.h\"
class TableTest : public testing::Test {
 protected:
  Table* table_;
  Map map_;
};
TEST_F(TableTest, Finds) {
  EXPECT_EQ(table_->Get(1), 1); // <-
  EXPECT_EQ(map_.Get(1), 1);
}
TEST(Table, Other) { Map m; m.Get(2); }
",
            ),
        ],
    );
}

#[test]
fn what_is_static_in_a_header_belongs_to_whoever_includes_it() {
    check(
        "db/log_format.h kBlockSize",
        &[
            ("db/log_format.h", "namespace db {\nnamespace log {\nstatic const int kBlockSize = 32768;\n}\n}\n"),
            (
                "util/arena.cc",
                "namespace db {\nstatic const int kBlockSize = 4096;\nint arena() { return kBlockSize; }\n}\n",
            ),
            (
                "db/log_reader.cc",
                "#include \"log_format.h\"\nnamespace db {\nnamespace log {\nint read() { return kBlockSize; } // <-\n}\n}\n",
            ),
        ],
    );
}

#[test]
fn a_macro_of_a_source_file_is_its_own() {
    let source = |name: &str, mark: &str| {
        format!("#define UNUSED(V) ((void) V)\nint {name}(int d) {{ UNUSED(d); return 1; }}{mark}\n")
    };
    check(
        "a.c UNUSED",
        &[
            ("a.c", &source("f", " // <-")),
            ("b.c", &source("g", "")),
            ("all.h", "#define UNUSED(x) ((void)(x))\n"),
            ("c.c", "#include \"all.h\"\nint h(int d) { UNUSED(d); return 1; }\n"),
        ],
    );
    check(
        "all.h UNUSED",
        &[
            ("a.c", &source("f", "")),
            ("all.h", "#define UNUSED(x) ((void)(x))\n"),
            ("c.c", "#include \"all.h\"\nint h(int d) { UNUSED(d); return 1; } // <-\n"),
        ],
    );
}

#[test]
fn a_namespace_that_a_macro_opens_has_what_stands_outside() {
    check(
        "lib.h format_int",
        &[
            ("lib.h", "#define LIB_BEGIN namespace lib {\nLIB_BEGIN\nclass format_int { public: int str(); };\n}\n"),
            ("own.h", "namespace own { int swap(int x); }\nint swap(int x);\n"),
            (
                "test.cc",
                "\
#include \"lib.h\"
namespace lib { template <> struct formatter<int> {}; }
int go() { return lib::format_int(42).str(); } // <-
int other() { return std::format_int(42); }
",
            ),
        ],
    );
}

#[test]
fn an_element_of_an_array_has_the_members_of_its_type() {
    check(
        "stats.h Stats::Add",
        &[
            ("stats.h", "struct Stats { void Add(int x); };\nstruct Other { void Add(int x); };\n"),
            (
                "db.cc",
                "\
#include \"stats.h\"
class Db {
  void Go(int level) {
    stats_[level].Add(1); // <-
    others_[level].Add(1);
  }
  Stats stats_[7];
  Other others_[7];
};
",
            ),
        ],
    );
}

#[test]
fn a_typedef_that_repeats_the_tag_is_the_structure() {
    check(
        "c.cc options_t",
        &[
            ("c.h", "typedef struct options_t options_t; // <-\nvoid open_it(const options_t* options); // <-\n"),
            ("c.cc", "#include \"c.h\"\nstruct options_t { int x; };\noptions_t* make() { return 0; } // <-\n"),
        ],
    );
}

#[test]
fn scala_functions_are_seen_behind_the_blank_lines_that_end_them() {
    let text = "object A {
  def run(): Int = {
    def inner(n: Int): Int =
      n + 1

    inner(2)  // <-
  }

  def outer(n: Int): Int =
    inner(n)
}
";
    check("A.run.inner", &[("A.scala", text)]);
}

#[test]
fn cpp_members_outside_of_a_nested_class_are_not_those_of_another_of_its_name() {
    let list = "namespace db {
template <typename K> class List {
 public:
  class Iterator {
   public:
    void next();
  };
};
template <typename K>
inline void List<K>::Iterator::next() {}
}
";
    let plain = "namespace db {\nclass Iterator {\n public:\n  virtual void next() = 0;\n};\n}\n";
    let user = "namespace db {
void go(Iterator* one) {
  one->next();  // <-
}
void walk(List<int>::Iterator& one) {
  one.next();
}
}
";
    check("iterator.h Iterator::next", &[("list.h", list), ("iterator.h", plain), ("go.cc", user)]);
}

#[test]
fn cpp_tests_hide_no_type_of_their_name() {
    let header = "namespace db {\nclass Snapshot {};\n}\n";
    let tests = "#include \"db.h\"
namespace db {
class DBTest {
  void get(Snapshot* one);  // <-
};
TEST_F(DBTest, Snapshot) {
  const Snapshot* one = nullptr;  // <-
}
TEST_F(DBTest, Further) {
  const Snapshot* one = nullptr;  // <-
}
TEST(Suite, Other) {
  Snapshot two;  // <-
}
}
";
    check("db.h Snapshot", &[("db.h", header), ("db_test.cc", tests)]);
}

#[test]
fn cpp_a_namespace_is_meant_before_colons_where_a_parameter_has_its_name() {
    let header = "namespace fmt {
struct text { int size(); };
void show(int a) {}
void go(text fmt) {
  fmt::show(1);  // <-
  fmt.size();
}
}
";
    check("show", &[("fmt.h", header)]);
}

#[test]
fn elixir_modules_have_what_the_modules_that_they_use_define_in_them() {
    let files = [
        (
            "lib/socket.ex",
            "defmodule Socket do
  defmacro __using__(opts) do
    quote do
      unquote(defs(opts))
      def connect(x), do: drain(x) # uses Socket.defs.drain
    end
  end

  defp defs(_) do
    quote do
      def drain(x), do: Socket.__drain__(__MODULE__, x) # uses Socket.__drain__
    end
  end

  def __drain__(_, x), do: x
end
",
        ),
        (
            "lib/user.ex",
            "defmodule UserSocket do
  use Socket
  def all(x), do: drain(x) # uses Socket.defs.drain
end

defmodule Plain do
  import Socket
  def drain(x), do: x
  def all(x), do: {drain(x), &__MODULE__.drain/1} # uses Plain.drain
  def other(x), do: UserSocket.drain(x) # uses Socket.defs.drain
end
",
        ),
    ];
    for name in ["Socket.defs.drain", "Socket.__drain__", "Plain.drain"] {
        let marked: Vec<(&str, String)> =
            files.iter().map(|(path, text)| (*path, text.replace(&format!("uses {name}\n"), "<-\n"))).collect();
        let marked: Vec<(&str, &str)> = marked.iter().map(|(path, text)| (*path, text.as_str())).collect();
        check(name, &marked);
    }
}

#[test]
fn elixir_structs_that_a_pattern_names_have_their_fields() {
    check(
        "Order.total",
        &[(
            "lib/order.ex",
            "defmodule Order do
  defstruct [:total, :name]
  def sum(%__MODULE__{total: total}), do: total # <-
  def more(%Order{} = order), do: order.total + 1 # <-
  def made(x) do
    order = %__MODULE__{total: x} # <-
    order.total # <-
  end
  def plain(x), do: x[:total]
end

defmodule Other do
  defstruct [:total]
  def sum(%Other{} = other), do: other.total
end
",
        )],
    );
}

#[test]
fn elixir_plugs_and_setups_name_functions_and_keys_of_data_do_not() {
    check(
        "Web.guard",
        &[(
            "lib/web.ex",
            "defmodule Web do
  plug :guard # <-
  plug :guard, role: :admin # <-
  setup [:other, :guard] # <-
  def guard(conn, _), do: conn
  def other(conn), do: Keyword.get(conn, :guard)
  def third(conn), do: {conn[:guard], Application.get_env(:web, :guard), other(guard: 1)}
end
",
        )],
    );
}

#[test]
fn cpp_aliases_that_a_hundred_programs_make_hide_nothing_from_each_other() {
    let mut files = vec![
        (
            "include/lib/json.hpp".to_owned(),
            "#pragma once\nnamespace lib {\nclass basic { public: static basic parse(int); int size(); };\nusing json = basic;\n}\n"
                .to_owned(),
        ),
        (
            "tests/a.cpp".to_owned(),
            "#include <lib/json.hpp>\nusing lib::json;\nint f() {\n  json j = json::parse(1);\n  return j.size(); // <-\n}\n".to_owned(),
        ),
        ("tests/b.cpp".to_owned(), "struct other { int size(); };\nusing json = other;\nint f(json j) { return j.size(); }\n".to_owned()),
    ];
    for at in 0..100 {
        let text = "#include <lib/json.hpp>\nusing json = lib::json;\nint f(json j) {\n  return j.size(); // <-\n}\n";
        files.push((format!("examples/e{at}.cpp"), text.to_owned()));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    check("basic.size", &files);
}

#[test]
fn cpp_arguments_of_a_macro_are_read_although_one_of_them_is_a_type() {
    check(
        "json::parse",
        &[
            (
                "json.hpp",
                "class json { public: static json parse(int); };\nclass other { public: static other parse(int); };\n",
            ),
            (
                "test.cpp",
                "#include \"json.hpp\"
#define CHECK_AS(what, type) try { what; } catch (type) {}
void run() {
  json j;
  CHECK_AS(j = json::parse(1), json&); // <-
  CHECK_AS(other::parse(1), other&);
  j = json::parse(2); // <-
}
",
            ),
        ],
    );
}

#[test]
fn modules_that_a_file_says_it_is_are_found_by_imports_and_calls() {
    check(
        "Shop::Cart",
        &[
            ("lib/Shop/Cart.pm", "package Shop::Cart;\nsub new { 1 }\n1;\n"),
            ("lib/Other/Cart.pm", "package Other::Cart;\nsub new { 1 }\n1;\n"),
            (
                "bin/run.pl",
                "use Shop::Cart; # <-
use Other::Cart;
my $cart = Shop::Cart->new; # <-
my $text = 'Shop::Cart';
",
            ),
        ],
    );
    check(
        "cart",
        &[
            ("src/cart.erl", "-module(cart).\n-export([new/0]).\nnew() -> [].\n"),
            ("src/run.erl", "-module(run).\nrun() ->\n    cart:new(), %% <-\n    \"cart\".\n"),
        ],
    );
    check(
        "var.region",
        &[
            ("variables.tf", "variable \"region\" {}\n"),
            (
                "main.tf",
                "locals {
  name = \"shop-${var.region}\" # <-
  text = \"region\"
  plain = \"$${var.region}\"
}
",
            ),
        ],
    );
}
