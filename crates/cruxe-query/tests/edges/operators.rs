//! Operators: calls of functions whose names nobody writes.

use crate::support::check;

const VEC: &str = "\
#pragma once
#include <iostream>
struct Vec {
  int x, y;
  Vec operator+(const Vec& other) const;
  Vec operator-() const;
  Vec operator-(const Vec& other) const;
  Vec& operator+=(const Vec& other);
  bool operator==(const Vec& other) const;
  int operator[](int at) const;
  Vec& operator++();
  int operator*() const;
};
struct Point : Vec {};
struct Other { bool operator==(const Other& other) const; Other operator+(int by); };
enum class Flag { A, B };
Vec operator*(const Vec& a, int by);
Vec operator*(int by, const Vec& a);
Flag operator|(Flag a, Flag b);
std::ostream& operator<<(std::ostream& out, const Vec& v);
std::ostream& operator<<(std::ostream& out, const Other& v);
struct Node { Vec value; Node* next; Vec* all; Vec get() const; Vec* find() const; };
bool operator==(const Node& a, const Node& b);
";

fn check_cpp(symbol: &str, user: &str) {
    check(symbol, &[("vec.h", VEC), ("user.cc", user)]);
}

#[test]
fn cpp_members_are_found_by_the_type_on_the_left() {
    check_cpp(
        "vec.h Vec::operator+",
        "\
#include \"vec.h\"
int f(Vec a, const Vec& b, Point p, Other o, int n, Node node) {
  Vec c = a + b; // <-
  o + n;
  n + 1;
  p + a; // <-
  node.value + a; // <-
  node.get() + a; // <-
  auto d = (a + b) + c; // <-
  return c.x + c.y;
}
",
    );
    check_cpp(
        "vec.h Vec::operator==",
        "\
#include \"vec.h\"
bool f(Vec a, Vec b, Other o, Vec* p, Vec* q, Node node, Node other, Node* at) {
  bool r = a == b; // <-
  r = o == o;
  r = p == q;
  r = *p == a; // <-
  r = node == other;
  r = node.all == p;
  r = node.find() == p;
  r = node.get() == a; // <-
  r = at == node.next;
  r = at->value == a; // <-
  return r == true;
}
",
    );
    check_cpp(
        "vec.h Vec::operator[]",
        "#include \"vec.h\"\nint f(Vec v, Vec* p, Vec all[3]) {\n  p[1];\n  all[2];\n  return v[0]; // <-\n}\n",
    );
    check_cpp(
        "vec.h Vec::operator+=",
        "#include \"vec.h\"\nvoid f(Vec v, int n) {\n  v += v; // <-\n  n += 1;\n  n = n + v.x;\n}\n",
    );
    check_cpp("vec.h Vec::operator++", "#include \"vec.h\"\nvoid f(Vec v, Vec* p) {\n  ++v; // <-\n  ++p;\n}\n");
}

#[test]
fn cpp_free_functions_are_found_by_either_side() {
    check_cpp(
        "vec.h operator|",
        "#include \"vec.h\"\nFlag f(Flag a, int b, bool c) {\n  b | c;\n  return a | Flag::B; // <-\n}\n",
    );
    check_cpp(
        "vec.h operator==",
        "#include \"vec.h\"\nbool f(Node a, Node b, Vec v, Node* p) {\n  v == v;\n  p == p->next;\n  return a == b; // <-\n}\n",
    );
    check_cpp(
        "vec.h operator<<",
        "\
#include \"vec.h\"
void f(Vec v, Other o, int n) {
  std::cout << v << n; // <-
  std::cout << n << v; // <-
  std::cout << o; // <- all of one name are one symbol
  n << 2;
}
",
    );
}

const Q: &str = "\
class Q:
    def __or__(self, other) -> 'Q':
        return self
    def __len__(self):
        return 0
    def __getitem__(self, at):
        return at
    def __setitem__(self, at, value): ...
    def __contains__(self, at): ...
    def __eq__(self, other): ...
    def __add__(self, other): ...
    def __iadd__(self, other): ...
    def __neg__(self): ...
class Sub(Q): pass
class Other:
    def __or__(self, other): ...
    def __len__(self): ...
";

fn check_python(method: &str, body: &str) {
    let user = format!("from q import Q, Sub, Other\ndef use(q: Q, r: Q, o: Other, n: int, unknown):\n{body}");
    check(&format!("q.py Q.{method}"), &[("q.py", Q), ("user.py", &user)]);
}

#[test]
fn python_methods_are_found_by_the_type() {
    let or = "    q | r  # <-\n    o | q\n    n | n\n    unknown | q\n    (q | r) | r  # <-\n    q |= r  # <-\n    Sub() | q  # <-\n";
    check_python("__or__", or);
    check_python("__len__", "    len(q)  # <-\n    len(o)\n    len([q])\n    len(unknown)\n    len(q | r)  # <-\n");
    check_python(
        "__getitem__",
        "    q[0]  # <-\n    q[0] = 1\n    del q[0]\n    n[q]\n    x: list[Q] = q[1:2]  # <-\n",
    );
    check_python("__setitem__", "    q[0] = 1  # <-\n    q[0]\n");
    check_python("__contains__", "    n in q  # <-\n    q in n\n    n not in q  # <-\n");
    check_python("__eq__", "    q == r  # <-\n    q is r\n    n == q\n    q != r\n");
    check_python("__add__", "    q + r  # <-\n    q += r\n");
    check_python("__iadd__", "    q + r\n    q += r  # <-\n");
    check_python("__neg__", "    -q  # <-\n    -n\n");
}

#[test]
fn other_languages_with_names_for_operators() {
    let scala = "\
class V(val x: Int) {
  def +(o: V): V = new V(x + o.x)
  def ~>(o: V): V = o
  def ::(o: V): V = o
}
class W { def +(o: W): W = o }
object Main {
  def use(a: V, b: V, w: W, n: Int): V = {
    w + w
    n + 1
    a + b // <-
  }
}
";
    check("V.scala V.+", &[("V.scala", scala)]);
    let swift = "\
struct V {
  let x: Int
  static func + (a: V, b: V) -> V { return V(x: a.x + b.x) }
}
struct W { static func + (a: W, b: W) -> W { return a } }
func use(a: V, b: V, w: W, n: Int) -> V {
  _ = w + w
  _ = n + 1
  return a + b // <-
}
";
    check("v.swift V.+", &[("v.swift", swift)]);
    let csharp = "\
namespace N {
public class V {
  public static V operator +(V a, V b) { return a; }
  public static bool operator ==(V a, V b) { return true; }
}
public class W { public static W operator +(W a, W b) { return a; } }
class U {
  V Use(V a, V b, W w, int n) {
    var x = w + w;
    var y = n + 1;
    if (a == b) return a;
    return a + b; // <-
  }
}
}
";
    check("V.cs V.operator+", &[("V.cs", csharp)]);
    let ruby = "\
class V
  def +(other)
    self
  end
  def [](at)
    at
  end
end
class W
  def +(other) = self
end
def use
  a = V.new
  b = W.new
  a + b # <-
  b + a
  a[0]
  1 + 2
  a += b # <-
end
";
    check("v.rb V#+", &[("v.rb", ruby)]);
}

#[test]
fn signs_whose_functions_are_called_like_others() {
    let rust = "\
use std::ops::{Add, AddAssign, Index, Neg};
pub struct V(i32);
pub struct W(i32);
impl Add for V { type Output = V; fn add(self, o: V) -> V { V(self.0 + o.0) } }
impl W { fn add(&mut self, o: i32) { self.0 += o } }
impl Add for W { type Output = W; fn add(self, o: W) -> W { o } }
impl Neg for V { type Output = V; fn neg(self) -> V { self } }
pub fn us(a: V, b: V, mut w: W, n: i32) -> V {
    w.add(n);
    let m = n + 1;
    let x = w + W(m);
    a + b // <-
}
pub fn at(v: &V, other: &Vec<i32>) -> i32 {
    -v; // neg
    other[0]
}
";
    let cargo = ("Cargo.toml", "[package]\nname = \"v\"\n");
    check("src/lib.rs V::add", &[cargo, ("src/lib.rs", rust)]);
    check("src/lib.rs V::neg", &[cargo, ("src/lib.rs", &rust.replace(" // <-", "").replace("// neg", "// <-"))]);
    let inherent = &rust.replace(" // <-", "").replace("w.add(n);", "w.add(n); // <-");
    let line = Some(5);
    let wanted = cruxe_query::target::Wanted { name: "W::add".into(), path: Some("src/lib.rs".into()), line };
    let uses = crate::support::Tree::new(&[cargo, ("src/lib.rs", inherent)]).uses(wanted, None);
    assert_eq!(uses, ["src/lib.rs:9"]);
    let kotlin = "\
class V(val x: Int) {
    operator fun plus(o: V): V = V(x + o.x)
    operator fun get(i: Int): Int = i
}
class W { fun plus(o: W): W = o }
operator fun V.minus(o: V): V = o
fun use(a: V, b: V, w: W, n: Int): V {
    w.plus(w)
    n + 1
    a[0] // get
    a - b // minus
    return a + b // <-
}
";
    check("v.kt V.plus", &[("v.kt", kotlin)]);
    check("v.kt V.get", &[("v.kt", &kotlin.replace("// <-", "").replace("// get", "// <-"))]);
    check("v.kt minus", &[("v.kt", &kotlin.replace("// <-", "").replace("// minus", "// <-"))]);
}
