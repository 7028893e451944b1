//! Functions of one name that are told apart by what they take: each call goes to those that can take it, and what cannot be
//! told stays with all of them.
//!
//! `=1` in a comment marks a function, `->1` a line that uses it, `->?1` one that may.

use cruxe_query::target::Wanted;

use crate::support::Tree;

/// Checks that each marked function is used by exactly the lines that say so.
fn check(name: &str, files: &[(&str, &str)]) {
    let tree = Tree::new(files);
    let lines =
        || files.iter().flat_map(|(path, text)| text.lines().enumerate().map(move |(at, line)| (*path, at, line)));
    let has = |line: &str, mark: &str| {
        let marks = line.split_once("//").map_or("", |(_, marks)| marks);
        marks.split_whitespace().any(|word| word == mark)
    };
    let mut asked = 0;
    for function in 1..10 {
        let Some((path, at, _)) = lines().find(|(_, _, line)| has(line, &format!("={function}"))) else { break };
        let wanted = Wanted { name: name.to_owned(), path: Some(path.to_owned()), line: Some(at as u32 + 1) };
        let mut expected: Vec<String> = Vec::new();
        for (path, at, line) in lines() {
            if has(line, &format!("->{function}")) {
                expected.push(format!("{path}:{}", at + 1));
            } else if has(line, &format!("->?{function}")) {
                expected.push(format!("{path}:{}?", at + 1));
            }
        }
        expected.sort();
        assert_eq!(tree.uses(wanted, None), expected, "uses of {name}, the one marked {function}");
        asked += 1;
    }
    assert!(asked > 1, "no two functions are marked");
}

#[test]
fn java_tells_methods_apart_by_what_is_passed() {
    let text = "class Shop {
    void add(int a) {} // =1
    void add(String a) {} // =2
    void add(int a, int b) {} // =3
    void add(Item item) {} // =4
    void add(String format, Object... rest) {} // =5
    void go(Item item, String name, int n, Object any) {
        add(1); // ->1
        add(\"x\"); // ->2
        add(1, 2); // ->3
        add(item); // ->4
        add(new Special()); // ->4
        add(name); // ->2
        this.add(n, n); // ->3
        add(\"x\", 1, 2); // ->5
        add(name, item); // ->5
        add(any); // ->1 ->2 ->4 ->5
        add(make()); // ->1 ->2 ->4 ->5
    }
    Item make() { return null; }
}
class Item {}
class Special extends Item {}
";
    check("Shop.add", &[("Shop.java", text)]);
}

#[test]
fn java_finds_the_inherited_method_that_can_take_a_call() {
    let text = "class Base {
    void put(int a, int b) {} // =1
    void put(int a) {} // =2
}
class Sub extends Base {
    void put(int a) {} // =3
    void go(Sub other) {
        put(1, 2); // ->1
        put(1); // ->3
        other.put(1, 2); // ->1
        other.put(1); // ->3
    }
}
";
    let files = [("A.java", text)];
    let tree = Tree::new(&files);
    let uses = |name: &str, line| tree.uses(Wanted { name: name.to_owned(), path: None, line: Some(line) }, None);
    assert_eq!(uses("Base.put", 2), ["A.java:10", "A.java:8"]);
    assert_eq!(uses("Base.put", 3), Vec::<String>::new());
    assert_eq!(uses("Sub.put", 6), ["A.java:11", "A.java:9"]);
}

#[test]
fn without_a_line_all_functions_of_a_name_are_one_symbol() {
    let text = "class A {\n    void f(int a) {}\n    void f(int a, int b) {}\n    void go() {\n        f(1);\n        f(1, 2);\n    }\n}\n";
    let tree = Tree::new(&[("A.java", text)]);
    let wanted = Wanted { name: "A.f".to_owned(), path: None, line: None };
    assert_eq!(tree.uses(wanted, None), ["A.java:5", "A.java:6"]);
}

#[test]
fn a_call_that_no_signature_can_take_stays_with_all_of_them() {
    let text = "class A {
    void f(int a) {} // =1
    void f(int a, int b) {} // =2
    void go() {
        f(1, 2, 3); // ->1 ->2
    }
}
";
    check("A.f", &[("A.java", text)]);
}

#[test]
fn cpp_tells_functions_apart_by_how_much_is_passed() {
    let header = "#pragma once
namespace app {
void draw(int a); // =1
void draw(int a, int b, int c = 3); // =2
template <typename... Args> void log(const char* text, Args&&... args);
class Canvas {
 public:
  void paint(int a);
  void paint(int a, int b);
};
}
";
    let source = "#include \"draw.h\"
namespace app {
void draw(int a) {}
void draw(int a, int b, int c) {}
void Canvas::paint(int a) {}
void Canvas::paint(int a, int b) {}
void go(Canvas& canvas, int n) {
  draw(1); // ->1
  draw(1, 2); // ->2
  draw(n, n, n); // ->2
  canvas.paint(1);
}
}
";
    check("draw", &[("draw.h", header), ("draw.cc", source)]);
    let tree = Tree::new(&[("draw.h", header), ("draw.cc", source)]);
    let uses = |path: &str, line| {
        tree.uses(Wanted { name: "Canvas::paint".to_owned(), path: Some(path.to_owned()), line: Some(line) }, None)
    };
    assert_eq!((uses("draw.h", 8), uses("draw.cc", 5)), (vec!["draw.cc:11".to_owned()], vec!["draw.cc:11".to_owned()]));
    assert_eq!((uses("draw.h", 9), uses("draw.cc", 6)), (Vec::new(), Vec::new()));
}

#[test]
fn cpp_finds_the_function_of_a_namespace_that_another_file_has() {
    let one = "namespace app {\nvoid show(int a) {}\nvoid here() { show(1); show(1, 2); }\n}\n";
    let two = "namespace app {\ninline void show(int a, int b) {}\n}\n";
    let tree = Tree::new(&[("one.cc", one), ("two.h", two)]);
    let uses =
        |path: &str| tree.uses(Wanted { name: "show".to_owned(), path: Some(path.to_owned()), line: None }, None);
    assert_eq!((uses("one.cc"), uses("two.h")), (vec!["one.cc:3".to_owned()], vec!["one.cc:3".to_owned()]));
    let wrong = "namespace app {\ninline void show(int a, int b, int c) {}\n}\n";
    let tree = Tree::new(&[("one.cc", one), ("two.h", wrong)]);
    let wanted = Wanted { name: "show".to_owned(), path: Some("two.h".to_owned()), line: None };
    assert_eq!(tree.uses(wanted, None), Vec::<String>::new());
}

#[test]
fn csharp_tells_methods_apart_by_what_is_passed() {
    let text = "class Shop
{
    void Add(int a) {} // =1
    void Add(string a, int b = 1) {} // =2
    void Add(params string[] all) {} // =3
    void Add(Item item, out int rest) { rest = 1; } // =4
    void Go(Item item, string name)
    {
        Add(1); // ->1
        Add(\"x\", 2); // ->2
        Add(\"x\", \"y\", \"z\"); // ->3
        Add(item, out var rest); // ->4 ->3 ->2
        Add(b: 2, a: name); // ->2 ->3 ->4
    }
}
class Item {}
";
    check("Shop.Add", &[("Shop.cs", text)]);
}

#[test]
fn kotlin_tells_functions_apart_by_what_is_passed() {
    let text = "class Item
class Shop {
    fun add(a: Int) {} // =1
    fun add(a: String) {} // =2
    fun add(a: Int, b: Int = 1, c: () -> Unit) {} // =3
    fun add(item: Item, then: (Int) -> Unit) {} // =4
    fun go(item: Item, name: String, n: Int) {
        add(1) // ->1
        add(name) // ->2
        add(n, 2) { } // ->3
        add(n, c = { }) // ->3
        add(item) { } // ->4
        this.add(\"x\") // ->2
    }
}
";
    check("Shop.add", &[("Shop.kt", text)]);
}

#[test]
fn scala_tells_methods_apart_by_what_is_passed() {
    let text = "class Shop {
  def add(a: Int): Unit = {} // =1
  def add(a: Int, b: Int)(implicit c: Long): Unit = {} // =2
  def add(a: String, rest: String*): Unit = {} // =3
  def go(names: Seq[String], n: Int): Unit = {
    add(n) // ->1
    add(n, 2) // ->2
    add(\"a\", \"b\", \"c\") // ->3
    add(\"a\", names: _*) // ->1 ->2 ->3
  }
}
";
    check("Shop.add", &[("Shop.scala", text)]);
}

#[test]
fn swift_tells_functions_apart_by_what_is_passed() {
    let text = "class Shop {
    func add(_ a: Int) {} // =1
    func add(_ a: String, by b: Int = 1) {} // =2
    func add(_ a: Int, _ b: Int, then: () -> Void) {} // =3
    func go(n: Int, name: String) {
        add(n, n) { } // ->3
        self.add(name, by: 2) // ->2
        add(1) // ->1
        add(\"x\") // ->2
    }
}
";
    check("Shop.add", &[("Shop.swift", text)]);
}

#[test]
fn what_was_asked_without_a_line_is_not_the_answer_with_one() {
    let text = "class A {\n    void f(int a) {}\n    void f(int a, int b) {}\n    void go() {\n        f(1);\n        f(1, 2);\n    }\n}\n";
    let tree = Tree::new(&[("A.java", text)]);
    let uses = |line| tree.uses(Wanted { name: "A.f".to_owned(), path: None, line }, None);
    assert_eq!(uses(None), ["A.java:5", "A.java:6"]);
    assert_eq!(uses(Some(2)), ["A.java:5"]);
    assert_eq!(uses(Some(3)), ["A.java:6"]);
    assert_eq!(uses(None), ["A.java:5", "A.java:6"]);
}

#[test]
fn constructors_are_told_apart_by_what_is_passed() {
    let java = "class Box {
    Box() {} // =1
    Box(int size) {} // =2
    Box(String name, int size) {} // =3
    static Object go(int n, Object any) {
        new Box(); // ->1
        new Box(n); // ->2
        return new Box(\"x\", 1); // ->3
    }
    Box other;
}
class Bag { Object o = new Box(2); } // ->2
";
    check("Box.Box", &[("Box.java", java)]);
    let csharp = "class Box {
    public Box() {} // =1
    public Box(int size, bool open = true) {} // =2
    object Go(int n) {
        var a = new Box(); // ->1
        var b = new Box(n); // ->2
        return new Box(1, false); // ->2
    }
}
";
    check("Box.Box", &[("Box.cs", csharp)]);
    let header = "class Box {
 public:
  Box(); // =1
  explicit Box(int size); // =2
  Box(int size, int rows); // =3
};
";
    let source = "#include \"box.hpp\"
void go(int n) {
  auto* a = new Box(); // ->1
  auto b = Box(n); // ->2
  auto c = Box(n, 2); // ->3
}
";
    check("Box::Box", &[("box.hpp", header), ("go.cpp", source)]);
    let kotlin = "class Box {
    constructor() { } // =1
    constructor(size: Int) { } // =2
}
fun go(n: Int) {
    Box() // ->1
    Box(n) // ->2
}
";
    check("Box.constructor", &[("Box.kt", kotlin)]);
    let swift = "class Box {
    init() { } // =1
    init(size: Int, rows: Int = 1) { } // =2
}
func go(n: Int) {
    _ = Box() // ->1
    _ = Box(size: n) // ->2
    _ = Box(size: n, rows: 2) // ->2
}
";
    check("Box.init", &[("Box.swift", swift)]);
}

#[test]
fn swift_tells_functions_apart_by_the_label_of_the_first_argument() {
    let text = "class Shop {
    func move(from a: Int) {} // =1
    func move(to a: Int) {} // =2
    func move(_ a: Int) {} // =3
    func move(slowly: Bool = true, by a: Int) {} // =4
    init(size: Int) {}
    init(name: Int) {}
    func go(n: Int) {
        move(from: n) // ->1
        self.move(to: 1) // ->2
        move(n) // ->3
        move(by: n) // ->4
        move(by: 3) // ->4
        move(slowly: true, by: 2) // ->4
        move(1) // ->1 ->2 ->3
    }
}
func make(n: Int) {
    _ = Shop(size: n)
    _ = Shop(name: 1)
}
";
    let files = [("Shop.swift", text)];
    check("Shop.move", &files);
    let tree = Tree::new(&files);
    let uses = |line| tree.uses(Wanted { name: "Shop.init".to_owned(), path: None, line: Some(line) }, None);
    assert_eq!((uses(6), uses(7)), (vec!["Shop.swift:19".to_owned()], vec!["Shop.swift:20".to_owned()]));
}
