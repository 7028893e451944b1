//! C and C++: what macros, smart pointers, enumerations and files that are compiled by themselves hide.

use crate::support::check;

const FORMAT: &str = "\
#pragma once
#include <map>
#include <memory>
struct formatter {
  virtual void format(int x);
  std::unique_ptr<formatter> clone();
  void reset();
};
struct plain { void format(int x); void reset(); };
template <class T> struct handle { T* operator->(); void reset(); };
struct sink {
  std::unique_ptr<formatter> formatter_;
  std::unique_ptr<plain> plain_;
  std::map<int, std::shared_ptr<formatter>> all_;
  handle<formatter> own_;
  void run();
};
std::shared_ptr<formatter> shared();
";

#[test]
fn cpp_a_smart_pointer_has_the_members_of_what_it_points_to() {
    let user = "\
#include \"format.h\"
using formatter_ptr = std::shared_ptr<formatter>;
void sink::run() {
  formatter_->format(1); // <-
  plain_->format(1);
  shared()->format(1); // <-
  formatter_->clone()->format(1); // <-
  for (auto& one : all_) { one.second->format(1); } // <-
  all_[1]->format(1); // <-
  auto at = all_.find(1);
  at->second->format(1); // <-
  own_->format(1); // <-
  formatter_ptr p = shared();
  p->format(1); // <-
}
";
    check("format.h formatter::format", &[("format.h", FORMAT), ("sink.cc", user)]);
}

#[test]
fn cpp_what_a_smart_pointer_has_itself_is_none_of_what_it_points_to() {
    let user = "\
#include \"format.h\"
void sink::run() {
  formatter_.reset();
  own_.reset();
  formatter_.get()->reset(); // <-
}
";
    check("format.h formatter::reset", &[("format.h", FORMAT), ("sink.cc", user)]);
    let header = "#pragma once\n#include <memory>\n#include <optional>\nstruct box { int value(); };\n";
    let user = "\
#include \"box.h\"
int f(std::shared_ptr<box> p, std::optional<box> o) {
  int a = p->value(); // <-
  int b = o.value().value(); // <-
  return a + b + o.has_value();
}
box g(std::optional<box> o) { return o.value(); }
";
    check("box.h box::value", &[("box.h", header), ("box.cc", user)]);
}

#[test]
fn cpp_a_namespace_is_meant_before_colons_where_a_method_has_its_name() {
    let header = "\
#pragma once
namespace lib {
namespace level { enum level_enum { debug, off }; }
class logger {
public:
  void set_level(level::level_enum l);
  level::level_enum level() const;
  void log() { write(level::debug); }
  void write(level::level_enum l);
};
}
";
    let user = "\
#include \"lib.h\"
void lib::logger::set_level(level::level_enum l) {}
int f(lib::logger& log) { return log.level() == lib::level::debug; } // <-
";
    check("lib.h logger::level", &[("lib.h", header), ("lib.cc", user)]);
    let mark = |text: &str, line: &str| text.replace(line, &format!("{line} // <-"));
    let header = mark(header, "  void log() { write(level::debug); }");
    check("lib.h debug", &[("lib.h", &header), ("lib.cc", user)]);
}

#[test]
fn cpp_the_names_of_an_enumeration_are_those_of_the_class_around_it() {
    let header = "\
#pragma once
class Reader { public: enum Token { end, comment }; void read(); };
class Other { public: enum Token { end, comment }; void read(); };
class Last : public Reader { void more(); };
enum class Scoped { comment };
";
    let user = "\
#include \"reader.h\"
void Reader::read() { int x = comment; } // <-
void Other::read() { int x = comment; }
void Last::more() { int x = comment; } // <-
void f() { int x = Reader::comment; } // <-
void g() { auto x = Scoped::comment; }
";
    check("reader.h Reader::comment", &[("reader.h", header), ("reader.cc", user)]);
}

#[test]
fn cpp_constructors_outside_of_their_class_see_its_members() {
    let header = "\
#pragma once
namespace json {
class Value {
public:
  class Text { public: Text(int x); Text(char* x); int at_; };
  Value(int x);
  Value(Value&& other);
  void init(int type, bool own = false);
};
}
";
    let user = "\
#include \"value.h\"
namespace json {
Value::Text::Text(int x) : at_(x) {}
Value::Text::Text(char* x) : at_(0) {}
Value::Value(int x) { init(1); } // <-
Value::Value(Value&& other) { init(2); } // <-
void Value::init(int type, bool own) {}
}
";
    check("value.cc Value::init", &[("value.h", header), ("value.cc", user)]);
    let user = user.replace(" // <-", "").replace("(x) {}", "(x) {} // <-").replace("(0) {}", "(0) {} // <-");
    check("value.h Value::Text::at_", &[("value.h", header), ("value.cc", &user)]);
}

#[test]
fn cpp_a_header_of_the_system_is_no_type_of_its_name() {
    let header = "#pragma once\n#include <iterator>\nstruct list {\n  class iterator { int at; };\n  iterator begin(); // <-\n};\n";
    check("list.h iterator", &[("list.h", header), ("list.cc", "#include <iterator>\n#include \"list.h\"\n")]);
}

#[test]
fn cpp_a_class_with_macros_and_attributes_before_its_name_has_all_its_members() {
    let header = "\
#pragma once
class API_ [[nodiscard]] Info {
 public:
  bool reportable() const { return matches_; } // <-
 private:
  friend class Other;
  bool matches_;
};
";
    check("info.h Info::matches_", &[("info.h", header)]);
}

#[test]
fn cpp_tests_of_a_fixture_see_its_members_whatever_their_framework_is() {
    let tests = "\
struct ValueTest { void check(); };
JSONTEST_FIXTURE_LOCAL(ValueTest, Null) { check(); } // <-
BOOST_FIXTURE_TEST_CASE(null, ValueTest) { check(); } // <-
JSONTEST_FIXTURE_LOCAL(OtherTest, Null) { check(); }
struct OtherTest { void check(); };
";
    check("a_test.cc ValueTest::check", &[("a_test.cc", tests)]);
}

#[test]
fn c_what_is_static_in_a_file_is_not_meant_by_another_that_does_not_include_it() {
    let own = "#define read my_read\nstatic int helper(int x) { return x; }\nint a(void) { return helper(1); } // <-\n";
    let other = "int b(void) { return helper(1) + read(1); }\n";
    let text = "#include \"a.c\"\nint c(void) { return helper(1); } // <-\n";
    check("a.c helper", &[("a.c", own), ("b.c", other)]);
    check("a.c helper", &[("a.c", own), ("c.c", text)]);
    check("a.c read", &[("a.c", "#define read my_read\nint a(void) { return read(1); } // <-\n"), ("b.c", other)]);
    check("b.c hidden", &[("a.c", "int a(void) { return hidden; }\n"), ("b.c", "static int hidden;\n")]);
}

#[test]
fn c_a_structure_is_meant_behind_its_word_where_a_function_has_its_name() {
    check(
        "a.h info",
        &[
            ("a.h", "struct info { int x; };\nint load(struct info *i); // <-\n"),
            (
                "a.c",
                "#include \"a.h\"\nstatic int info(struct info *i) { return i->x; } // <-\nint f(struct info *i) { // <-\n  return info(i);\n}\n",
            ),
        ],
    );
}

#[test]
fn c_declarations_with_a_macro_around_their_type_name_or_head_are_what_they_say() {
    let header = "\
API_INLINE(int) size_of(const char *x)
{
  return length(x); // length
}
HEAP_EXPORT(int length(const char *x));
typedef int API_CALL(size_cb)(const char *x);
struct hooks {
  size_cb size; // size_cb
  void API_CALL(done)(int x);
};
";
    let user = "\
#include \"a.h\"
HEAP_EXPORT(int length(const char *x)) { return 1; }
int f(struct hooks *h, size_cb cb) { // size_cb
  h->done(1); // done
  return size_of(\"x\"); // size_of
}
";
    for name in ["size_of", "size_cb", "done", "length"] {
        let marked = |text: &str| text.replace(&format!("// {name}\n"), "// <-\n");
        let symbol = match name {
            "done" => "a.h hooks::done".to_owned(),
            "length" => "a.c length".to_owned(),
            name => format!("a.h {name}"),
        };
        check(&symbol, &[("a.h", &marked(header)), ("a.c", &marked(user))]);
    }
}

#[test]
fn cpp_a_test_is_no_member_of_the_class_that_its_suite_is_called_after() {
    let header = "#pragma once\nstruct Base { void make(); };\nstruct Box : Base { };\n";
    let tests = "\
#include \"box.h\"
static int make() { return 1; }
TEST(Box, Makes) { make(); } // <-
";
    check("box_test.cc make", &[("box.h", header), ("box_test.cc", tests)]);
    check("box.h Base::make", &[("box.h", header), ("box_test.cc", &tests.replace(" // <-", ""))]);
}

#[test]
fn cpp_the_type_that_an_operator_converts_to_is_used() {
    let header = "struct Empty {};\nstruct Full {\n  operator Empty() const; // <-\n  operator bool() const;\n};\n";
    check("a.h Empty", &[("a.h", &format!("#pragma once\nclass X {{}};\n{header}"))]);
}

#[test]
fn c_the_names_in_a_structure_without_a_name_are_those_of_the_one_around_it() {
    let user = "\
struct held {
  int n;
  struct { int mu; } locks[4];
  union { struct { int x; } at; int raw; } u;
};
struct unix { int time; };
struct nt { int time; };
struct parser {
  union { struct { struct unix sub; } UNIX; struct { struct nt sub; } NT; } state;
};
struct other { int mu; int x; };
int g(struct parser *p) {
  return p->state.NT.sub.time + 1; // nt
}
int h(struct parser *p) { return p->state.UNIX.sub.time; }
int f(struct held *h, struct other *o) {
  int a = h->locks[1].mu; // mu
  int b = h->u.at.x; // x
  return a + b + o->mu + o->x;
}
";
    for name in ["mu", "x"] {
        check(&format!("a.c held::{name}"), &[("a.c", &user.replace(&format!("// {name}\n"), "// <-\n"))]);
    }
    check("a.c nt::time", &[("a.c", &user.replace("// nt\n", "// <-\n"))]);
}

#[test]
fn c_a_type_that_each_platform_defines_for_itself_has_the_members_of_all() {
    let unix = "typedef struct buf_t { char *base; int len; } buf_t;\n";
    let win = "typedef struct buf_t { long len; char *base; } buf_t;\n";
    let user = "#include \"buf.h\"\nint f(buf_t *b) { return b->len; } // <-\n";
    let all = "#ifdef WIN\n#include \"win.h\"\n#else\n#include \"unix.h\"\n#endif\n";
    for path in ["inc/unix.h", "inc/win.h"] {
        let files = [("inc/unix.h", unix), ("inc/win.h", win), ("inc/buf.h", all), ("src/a.c", user)];
        check(&format!("{path} buf_t::len"), &files);
    }
}

#[test]
fn cpp_a_nested_class_sees_the_names_of_the_classes_around_it_wherever_it_is_defined() {
    let header = "\
#pragma once
namespace re {
class Filter {
public:
  class Info;
  static int make(int x);
  enum Mode { fast };
};
}
";
    let user = "\
#include \"filter.h\"
namespace re {
class Filter::Info {
public:
  class Walker;
  int inside() { return make(1); } // <-
};
class Filter::Info::Walker { int visit(); };
int Filter::Info::Walker::visit() { return make(2) + fast; } // <-
class Other { int visit(); };
int Other::visit() { return make(3); }
}
";
    check("filter.h Filter::make", &[("filter.h", header), ("filter.cc", user)]);
}

#[test]
fn c_a_test_that_a_macro_names_is_not_called_by_that_name() {
    let test = "TEST_IMPL(dlerror) {\n  return 0;\n}\n";
    let user = "const char *f(void) { return dlerror(); }\nint all[] = { TEST_ENTRY(dlerror) }; // <-\n";
    check("test-dl.c dlerror", &[("test-dl.c", test), ("dl.c", user)]);
}
