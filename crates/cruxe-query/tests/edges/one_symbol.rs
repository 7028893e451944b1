//! A declaration and its definition, and the parts of a definition that is spread over files, are one symbol.

use cruxe_query::call_graph::{self, Direction, Edge, Question};
use cruxe_query::target::Wanted;

use crate::support::{Tree, check};

const HEADER: &str = "#ifndef POOL_H
#define POOL_H
int pool_take(int size);
extern int pool_count;
#endif
";
const SOURCE: &str = "#include \"pool.h\"
int pool_count = 0;
int pool_take(int size) {
    pool_count++; // count
    return size;
}
static int helper(void) { return pool_take(2); } // <-
int both(void) { return helper(); }
";
const USER: &str = "#include \"pool.h\"
static int helper(void) { return 1; }
int use_pool(void) {
    return pool_take(1) + helper(); // <-
}
";
const POOL: &[(&str, &str)] = &[("include/pool.h", HEADER), ("src/pool.c", SOURCE), ("app/user.c", USER)];

#[test]
fn a_prototype_and_its_function_are_one_symbol_wherever_one_asks() {
    check("pool_take", POOL);
    check("include/pool.h pool_take", POOL);
    check("src/pool.c pool_take", POOL);
    let tree = Tree::new(POOL);
    for path in [None, Some("include/pool.h"), Some("src/pool.c")] {
        let wanted = |name: &str| Wanted { name: name.to_owned(), path: path.map(str::to_owned), line: None };
        assert_eq!(tree.uses(wanted("pool_count"), None), ["src/pool.c:4"], "{path:?}");
        assert_eq!(tree.target(wanted("pool_take")).other_definitions, 0, "{path:?}");
        assert_eq!(tree.target(wanted("pool_count")).other_definitions, 0, "{path:?}");
    }
}

#[test]
fn static_functions_of_one_name_are_different_symbols() {
    let tree = Tree::new(POOL);
    let wanted = |path: Option<&str>| Wanted { name: "helper".to_owned(), path: path.map(str::to_owned), line: None };
    assert_eq!(tree.uses(wanted(Some("src/pool.c")), None), ["src/pool.c:8"]);
    assert_eq!(tree.uses(wanted(Some("app/user.c")), None), ["app/user.c:4"]);
    assert_eq!(tree.target(wanted(None)).other_definitions, 1);
    let declared = [
        ("a.c", "static int helper(void);\nint a(void) { return helper(); }\nstatic int helper(void) { return 1; }\n"),
        ("b.c", "static int helper(void);\nint b(void) { return helper(); }\nstatic int helper(void) { return 2; }\n"),
    ];
    let tree = Tree::new(&declared);
    assert_eq!(tree.uses(wanted(Some("a.c")), None), ["a.c:2"]);
    assert_eq!(tree.target(wanted(None)).other_definitions, 1);
}

#[test]
fn a_class_of_cpp_is_one_with_its_header() {
    let files = [
        ("inc/box.hpp", "class Box {\npublic:\n    Box(int size);\n    int size() const;\n};\n"),
        ("src/box.cpp", "#include \"box.hpp\"\nBox::Box(int size) {}\nint Box::size() const { return 1; }\n"),
        ("src/use.cpp", "#include \"box.hpp\"\nint f(Box& box) {\n    return box.size(); // <-\n}\n"),
    ];
    check("inc/box.hpp Box::size", &files);
    check("src/box.cpp Box::size", &files);
    let wanted = Wanted { name: "Box::size".to_owned(), ..Wanted::default() };
    assert_eq!(Tree::new(&files).target(wanted).other_definitions, 0);
}

#[test]
fn expect_and_actual_are_one_symbol() {
    let files = [
        ("common/Clock.kt", "package app\nexpect class Clock() {\n    fun tick(): Long\n}\nexpect fun now(): Long\n"),
        (
            "jvm/Clock.kt",
            "package app\nactual class Clock {\n    actual fun tick(): Long = 1\n}\nactual fun now(): Long = 1\n",
        ),
        (
            "js/Clock.kt",
            "package app\nactual class Clock {\n    actual fun tick(): Long = 2\n}\nactual fun now(): Long = 2\n",
        ),
        ("common/Use.kt", "package app\nfun late(): Long {\n    return now() // <-\n}\n"),
    ];
    check("common/Clock.kt now", &files);
    check("jvm/Clock.kt now", &files);
    check("js/Clock.kt now", &files);
    let tree = Tree::new(&files);
    for name in ["now", "app.Clock", "Clock.tick"] {
        let wanted = Wanted { name: name.to_owned(), ..Wanted::default() };
        assert_eq!(tree.target(wanted).other_definitions, 0, "{name}");
    }
}

#[test]
fn the_parts_of_a_partial_class_are_one_symbol_and_namesakes_are_not() {
    let files = [
        ("A.cs", "namespace N;\npublic partial class Page { public void One() { } }\n"),
        ("B.cs", "namespace N;\npublic partial class Page { public void Two() { } }\n"),
        (
            "Use.cs",
            "namespace N;\nclass User {\n    void Go(Page page) { } // <-\n    Page Make() => new Page(); // <-\n}\n",
        ),
        ("Other.cs", "namespace M;\npublic class Page { }\n"),
    ];
    check("A.cs Page", &files);
    check("B.cs Page", &files);
    let wanted = Wanted { name: "Page".to_owned(), path: None, line: None };
    assert_eq!(Tree::new(&files).target(wanted).other_definitions, 1);
}

#[test]
fn a_call_graph_shows_a_function_and_its_prototype_once() {
    let tree = Tree::new(POOL);
    for path in ["include/pool.h", "src/pool.c"] {
        let wanted = Wanted { name: "pool_take".to_owned(), path: Some(path.to_owned()), line: None };
        let question =
            Question { wanted, direction: Direction::Callers, depth: 2, limit: 20, filter: Default::default() };
        let graph = call_graph::find(&tree.view(), &question).unwrap();
        let callers: Vec<&str> = graph.callers.iter().map(|edge| edge.symbol.name.as_str()).collect();
        assert_eq!(callers, ["use_pool", "helper", "both"], "{path}");
    }
    let files = [
        ("log.h", "void log_line(int x);\n"),
        ("other.h", "void log_line(int x);\n"),
        ("log.c", "#include \"log.h\"\nvoid write_out(int x) { }\nvoid log_line(int x) { write_out(x); }\n"),
        ("main.c", "#include \"log.h\"\nint main(void) {\n    log_line(1);\n    log_line(2);\n}\n"),
    ];
    let tree = Tree::new(&files);
    let callees = |name: &str, path: Option<&str>| -> Vec<String> {
        let wanted = Wanted { name: name.to_owned(), path: path.map(str::to_owned), line: None };
        let question =
            Question { wanted, direction: Direction::Callees, depth: 1, limit: 20, filter: Default::default() };
        let graph = call_graph::find(&tree.view(), &question).unwrap();
        graph.callees.iter().map(|edge| format!("{} {} {:?}", edge.symbol.path, edge.symbol.name, edge.lines)).collect()
    };
    assert_eq!(callees("main", None), ["log.c log_line [3, 4]"]);
    assert_eq!(callees("log_line", Some("log.h")), ["log.c write_out [3]"], "the header has no calls of its own");
}

/// The callers and callees of a symbol, each with all places of its calls.
fn around(tree: &Tree, name: &str) -> (Vec<String>, Vec<String>) {
    let wanted = Wanted { name: name.to_owned(), ..Wanted::default() };
    let question = Question { wanted, direction: Direction::Both, depth: 1, limit: 20, filter: Default::default() };
    let graph = call_graph::find(&tree.view(), &question).unwrap();
    let shown = |edge: &Edge| {
        let more: String = edge.elsewhere.iter().map(|(file, lines)| format!(" {file} {lines:?}")).collect();
        format!("{} {} {:?}{more}", edge.symbol.name, edge.file, edge.lines)
    };
    (graph.callers.iter().map(shown).collect(), graph.callees.iter().map(shown).collect())
}

#[test]
fn a_call_graph_shows_expect_and_actual_once_with_the_calls_of_all() {
    let tree = Tree::new(&[
        ("common/Clock.kt", "package app\nexpect fun now(): Long\nfun raw(): Long = 1\n"),
        ("jvm/Clock.kt", "package app\nactual fun now(): Long = raw()\n"),
        ("js/Clock.kt", "package app\nactual fun now(): Long {\n    raw()\n    return raw()\n}\n"),
        ("common/Use.kt", "package app\nfun late(): Long {\n    return now()\n}\n"),
    ]);
    let (callers, callees) = around(&tree, "now");
    assert_eq!(callers, ["late common/Use.kt [3]"]);
    assert_eq!(callees, ["raw js/Clock.kt [3, 4] jvm/Clock.kt [2]"]);
    assert_eq!(around(&tree, "late").1, ["now common/Use.kt [3]"]);
    assert_eq!(around(&tree, "raw").0, ["now js/Clock.kt [3, 4] jvm/Clock.kt [2]"]);
}

#[test]
fn a_call_graph_shows_a_partial_class_once() {
    let tree = Tree::new(&[
        ("A.cs", "namespace N;\npublic partial class Page { public void One() { } }\n"),
        ("B.cs", "namespace N;\npublic partial class Page { public void Two() { } }\n"),
        ("Use.cs", "namespace N;\nclass User {\n    Page Make() { return new Page(); }\n}\n"),
    ]);
    let (callers, _) = around(&tree, "Page");
    assert_eq!(callers, ["Make Use.cs [3]"]);
    assert_eq!(around(&tree, "User.Make").1, ["Page Use.cs [3]"]);
}

#[test]
fn overloads_and_accessors_are_one_symbol_in_a_call_graph() {
    let tree = Tree::new(&[(
        "Shop.java",
        "class Shop {\n    void add(int a) { log(); }\n    void add(String a) { log(); note(); }\n    void log() {}\n    void note() {}\n    void go() { add(1); add(\"x\"); }\n}\n",
    )]);
    assert_eq!(around(&tree, "Shop.log").0, ["add Shop.java [2, 3]"]);
    assert_eq!(
        around(&tree, "Shop.add"),
        (vec!["go Shop.java [6]".to_owned()], vec!["log Shop.java [2, 3]".to_owned(), "note Shop.java [3]".to_owned()])
    );
    assert_eq!(around(&tree, "Shop.go").1, ["add Shop.java [6]"]);
    let text =
        "function f(a: string): void\nfunction f(a: number): void\nfunction f(a: any) { g() }\nfunction g() {}\n";
    assert_eq!(around(&Tree::new(&[("a.ts", text)]), "f").1, ["g a.ts [3]"]);
}

#[test]
fn functions_of_one_name_in_different_impls_are_different_callers() {
    let text = "struct A;\ntrait One { fn go(&self); }\ntrait Two { fn go(&self); }\nfn log() {}\nimpl One for A {\n    fn go(&self) { log() }\n}\nimpl Two for A {\n    fn go(&self) { log() }\n}\n";
    let tree = Tree::new(&[("Cargo.toml", "[package]\nname = \"a\"\n"), ("src/lib.rs", text)]);
    assert_eq!(around(&tree, "log").0, ["go src/lib.rs [6]", "go src/lib.rs [9]"]);
}
