//! How one symbol reaches another.

use std::time::Instant;

use cruxe_model::Work;
use cruxe_query::QueryError;
use cruxe_query::call_path::{self, CallPaths, End, Gap, MAX_STEPS, Question};
use cruxe_query::filter::{Filter, Tests};
use cruxe_query::references::{Confidence, Subject};
use cruxe_query::target::Wanted;

use crate::support::Tree;

fn question(from: &str, to: &str) -> Question {
    let wanted = |name: &str| Wanted { name: name.to_owned(), ..Wanted::default() };
    Question { from: wanted(from), to: wanted(to), depth: MAX_STEPS, filter: Filter::default(), limit: 3 }
}

fn ask(tree: &Tree, question: &Question) -> CallPaths {
    call_path::find(&tree.view(), question).unwrap_or_else(|problem| panic!("{problem}"))
}

/// Each chain in a line: `a -> b :2 -> c :5?`, with the lines of the calls and a mark for guesses.
fn chains(answer: &CallPaths) -> Vec<String> {
    let line = |path: &Vec<call_path::Step>| {
        let step = |step: &call_path::Step| {
            let name = step.symbol.as_ref().map_or("outside", |symbol| symbol.qualified_name.as_str());
            match &step.call {
                None => name.to_owned(),
                Some(call) => {
                    let guess = if call.confidence == Confidence::Heuristic { "?" } else { "" };
                    format!("{name} :{}{guess}", call.line)
                }
            }
        };
        path.iter().map(step).collect::<Vec<_>>().join(" -> ")
    };
    answer.paths.iter().map(line).collect()
}

fn paths(files: &[(&str, &str)], from: &str, to: &str) -> Vec<String> {
    chains(&ask(&Tree::new(files), &question(from, to)))
}

const CHAIN: &str = "def a():
    b()
    x()
def b():
    c()
def c():
    d()
def d():
    pass
def x():
    c()
    a()
def alone():
    pass
";

#[test]
fn all_shortest_chains_are_told_with_their_call_sites_and_no_longer_ones() {
    let tree = Tree::new(&[("m.py", CHAIN)]);
    let answer = ask(&tree, &question("a", "d"));
    assert_eq!(chains(&answer), ["m.a -> m.b :2 -> m.c :5 -> m.d :7", "m.a -> m.x :3 -> m.c :11 -> m.d :7"]);
    assert_eq!((answer.end, answer.gaps.len(), answer.unresolved), (End::Found, 0, 0));
    let first = answer.paths[0][1].call.as_ref().unwrap();
    assert_eq!((first.file.as_str(), first.context.as_str(), first.confidence), ("m.py", "b()", Confidence::Static));
    assert_eq!(chains(&ask(&tree, &question("x", "b"))), ["m.x -> m.a :12 -> m.b :2"]);
    assert_eq!(chains(&ask(&tree, &Question { limit: 1, ..question("a", "d") })).len(), 1);
}

#[test]
fn a_chain_leads_one_way_only() {
    let tree = Tree::new(&[("m.py", CHAIN)]);
    let answer = ask(&tree, &question("d", "a"));
    assert_eq!((chains(&answer), answer.end), (Vec::new(), End::None));
    let answer = ask(&tree, &question("a", "alone"));
    assert_eq!((chains(&answer), answer.end), (Vec::new(), End::None));
    assert_eq!(answer.unresolved, 0);
}

#[test]
fn a_chain_of_more_calls_than_wanted_is_not_told() {
    let tree = Tree::new(&[("m.py", CHAIN)]);
    let answer = ask(&tree, &Question { depth: 2, ..question("a", "d") });
    assert_eq!((chains(&answer), answer.end), (Vec::new(), End::TooFar));
    assert_eq!(answer.looked.0 + answer.looked.1, 2);
    assert_eq!(ask(&tree, &Question { depth: 3, ..question("a", "d") }).end, End::Found);
    let long: String = (0..20).map(|at| format!("def f{at}():\n    f{}()\n", at + 1)).collect();
    let tree = Tree::new(&[("long.py", &format!("{long}def f20(): pass\n"))]);
    let last = |to: &str| ask(&tree, &question("f0", to));
    assert_eq!((last("f12").paths[0].len(), last("f12").end), (13, End::Found));
    assert_eq!((last("f13").paths.len(), last("f13").end), (0, End::TooFar));
}

#[test]
fn a_search_that_was_cut_does_not_say_that_there_is_no_path() {
    let tree = Tree::new(&[("m.py", CHAIN)]);
    let late = Work::default().until(Instant::now());
    let answer = call_path::find(&tree.view().with_work(&late), &question("a", "d")).unwrap();
    assert_eq!((answer.end, answer.paths.len(), answer.looked), (End::Cut, 0, (0, 0)));
    let cancelled = Work::default();
    cancelled.cancel();
    let gone = call_path::find(&tree.view().with_work(&cancelled), &question("a", "d"));
    assert!(matches!(gone, Err(QueryError::Cancelled)));
}

#[test]
fn one_symbol_has_no_path_to_itself() {
    let tree = Tree::new(&[("m.py", CHAIN)]);
    for (from, to) in [("a", "a"), ("m.a", "a")] {
        match call_path::find(&tree.view(), &question(from, to)) {
            Err(QueryError::SameSymbol { name }) => assert_eq!(name, "m.a"),
            other => panic!("{:?}", other.err()),
        }
    }
    for (from, to, missing) in [("nobody", "a", "nobody"), ("a", "nobody", "nobody")] {
        match call_path::find(&tree.view(), &question(from, to)) {
            Err(QueryError::NoSuchSymbol(problem)) => assert_eq!(problem.name, missing),
            other => panic!("{:?}", other.err()),
        }
    }
}

const SHAPES: &str = "class Base:
    def run(self):
        self.step()
    def step(self):
        pass
class One(Base):
    def step(self):
        one()
class Two(Base):
    def step(self):
        two()
class Other:
    def step(self):
        other()
def one(): pass
def two(): pass
def other(): pass
def start(base: Base):
    base.run()
";

#[test]
fn a_call_of_a_base_method_may_reach_what_overrides_it() {
    let tree = Tree::new(&[("s.py", SHAPES)]);
    let answer = ask(&tree, &question("start", "one"));
    assert_eq!(chains(&answer), ["s.start -> s.Base.run :19 -> s.One.step :3? -> s.one :8"]);
    let step = answer.paths[0][2].call.as_ref().unwrap();
    assert_eq!(step.overrides.as_deref(), Some("s.Base.step"));
    assert_eq!(answer.paths[0][1].call.as_ref().unwrap().overrides, None);
    assert_eq!(ask(&tree, &question("start", "other")).end, End::None, "another type's method overrides nothing");
    assert_eq!(chains(&ask(&tree, &question("start", "Two.step"))), ["s.start -> s.Base.run :19 -> s.Two.step :3?"]);
    let files = [
        ("Cargo.toml", "[package]\nname = \"a\"\n"),
        (
            "src/lib.rs",
            "trait Shape { fn area(&self) -> u32; }
struct Square;
impl Square { fn name(&self) {} }
impl Shape for Square { fn area(&self) -> u32 { side() } }
struct Free;
impl Free { fn area(&self) -> u32 { free() } }
fn side() -> u32 { 1 }
fn free() -> u32 { 2 }
fn total(shapes: &[Box<dyn Shape>], one: &dyn Shape) -> u32 { one.area() }
",
        ),
    ];
    assert_eq!(paths(&files, "total", "side"), ["total -> Square::area :9? -> side :4"]);
    assert_eq!(paths(&files, "total", "free"), [""; 0]);
}

#[test]
fn a_guess_does_not_lead_from_the_program_into_its_tests() {
    let tests = "from s import Base, one\nclass Fake(Base):\n    def step(self):\n        faked()\n        one()\ndef faked(): pass\ndef test_it():\n    Fake().run()\n";
    let tree = Tree::new(&[("s.py", SHAPES), ("tests/test_s.py", tests)]);
    assert_eq!(chains(&ask(&tree, &question("start", "one"))).len(), 1, "not through the stand-in");
    let from_test = chains(&ask(&tree, &question("test_it", "one")));
    assert_eq!(
        from_test,
        [
            "tests.test_s.test_it -> s.Base.run :8 -> s.One.step :3? -> s.one :8",
            "tests.test_s.test_it -> s.Base.run :8 -> tests.test_s.Fake.step :3? -> s.one :5",
        ]
    );
    assert_eq!(chains(&ask(&tree, &question("start", "faked"))).len(), 1, "one end is of the tests");
}

#[test]
fn a_chain_without_a_guess_is_told_beside_shorter_ones_with_some() {
    let text = "class Kit:
    def unpack_all(self):
        goal()
def goal(): pass
def start(x):
    x.unpack_all()
    sure()
def sure():
    kit = Kit()
    more(kit)
def more(kit: Kit):
    kit.unpack_all()
";
    assert_eq!(
        paths(&[("k.py", text)], "start", "goal"),
        [
            "k.start -> k.Kit.unpack_all :6? -> k.goal :3",
            "k.start -> k.sure :7 -> k.more :10 -> k.Kit.unpack_all :12 -> k.goal :3",
        ]
    );
}

#[test]
fn calling_a_class_runs_its_constructor_and_not_its_body() {
    let text = "def made(): pass
def listed(): pass
class Plain:
    field = listed()
    def __init__(self):
        made()
class Sub(Plain):
    pass
def direct(): Plain()
def through(): Sub()
";
    let files = [("c.py", text)];
    assert_eq!(paths(&files, "direct", "made"), ["c.direct -> c.Plain.__init__ :9 -> c.made :6"]);
    assert_eq!(paths(&files, "through", "made"), ["c.through -> c.Plain.__init__ :10 -> c.made :6"]);
    assert_eq!(paths(&files, "direct", "listed"), [""; 0]);
    assert_eq!(paths(&files, "direct", "Plain"), ["c.direct -> c.Plain :9"]);
    assert_eq!(paths(&files, "Plain", "made"), ["c.Plain.__init__ -> c.made :6"], "a class reaches what a method does");
    let java = "class Made { Made() { goal(); } static void goal() {} }\nclass Use { void go() { new Made(); } }\n";
    assert_eq!(paths(&[("Made.java", java)], "Use.go", "Made.goal").len(), 1);
}

#[test]
fn a_chain_goes_through_a_prototype_and_through_overloads() {
    let files = [
        ("log.h", "void log_line(int x);\n"),
        ("log.c", "#include \"log.h\"\nvoid write_out(int x) { }\nvoid log_line(int x) { write_out(x); }\n"),
        ("main.c", "#include \"log.h\"\nint main(void) {\n    log_line(1);\n}\n"),
    ];
    assert_eq!(paths(&files, "main", "write_out"), ["main -> log_line :3 -> write_out :3"]);
    assert_eq!(paths(&files, "main", "log_line"), ["main -> log_line :3"]);
    let java = "class A {\n    void go() { add(1); }\n    void add(int a) { }\n    void add(String a) { note(); }\n    void note() { }\n}\n";
    let answer = ask(&Tree::new(&[("A.java", java)]), &question("A.go", "A.note"));
    assert_eq!(answer.paths.len(), 1);
    let add = answer.paths[0][1].symbol.as_ref().unwrap();
    assert_eq!((add.name.as_str(), add.line_start), ("add", 4), "the overload that holds the next call");
}

#[test]
fn a_chain_may_end_outside() {
    let text = "import requests\ndef fetch(url):\n    return requests.get_page(url)\ndef main():\n    fetch('x')\n";
    let answer = ask(&Tree::new(&[("n.py", text)]), &question("main", "requests.get_page"));
    assert_eq!(chains(&answer), ["n.main -> n.fetch :5 -> outside :3"]);
    assert!(matches!(&answer.to, Subject::External(external) if external.qualified_name == "requests.get_page"));
}

#[test]
fn where_there_is_none_unresolved_calls_that_may_be_the_link_are_named() {
    let text = "class A:
    def get(self):
        goal()
class B:
    def get(self): pass
def goal(): pass
def start(x):
    middle(x)
def middle(x):
    x.get()
    x.unknown_to_all()
def register(table):
    table.append(goal)
";
    let tree = Tree::new(&[("g.py", text)]);
    let answer = ask(&tree, &question("start", "goal"));
    assert_eq!((answer.end, answer.unresolved), (End::None, 1));
    let shown = |gap: &Gap| {
        let sort = gap.reason.map_or("value".to_owned(), |reason| format!("{reason:?}"));
        format!("{} {}:{} `{}` {} {sort}", gap.from.name, gap.file, gap.line, gap.context, gap.to.qualified_name)
    };
    let gaps: Vec<String> = answer.gaps.iter().map(shown).collect();
    assert_eq!(
        gaps,
        ["middle g.py:10 `x.get()` g.A.get Receiver", "register g.py:13 `table.append(goal)` g.goal value"]
    );
    let found = ask(&tree, &question("A", "goal"));
    assert_eq!((found.end, found.gaps.len()), (End::Found, 0));
}

#[test]
fn a_filter_keeps_chains_out_of_places_but_not_their_ends() {
    let tree = Tree::new(&[
        ("a.py", "from lib.b import b\nfrom c import c\ndef a():\n    b()\n    c()\n"),
        ("lib/b.py", "from d import d\ndef b(): d()\n"),
        ("c.py", "from mid import mid\ndef c(): mid()\n"),
        ("mid.py", "from d import d\ndef mid(): d()\n"),
        ("d.py", "def d(): pass\n"),
    ]);
    assert_eq!(chains(&ask(&tree, &question("a", "d"))), ["a.a -> lib.b.b :4 -> d.d :2"]);
    let filter = |globs: &[&str]| {
        let globs: Vec<String> = globs.iter().map(|glob| (*glob).to_owned()).collect();
        Filter::new(&globs, Tests::Include, Vec::new()).unwrap()
    };
    let answer = ask(&tree, &Question { filter: filter(&["!lib"]), ..question("a", "d") });
    assert_eq!(chains(&answer), ["a.a -> c.c :5 -> mid.mid :2 -> d.d :2"]);
    assert_eq!(answer.filtered_out, 1);
    let answer = ask(&tree, &Question { filter: filter(&["!lib", "!mid.py"]), ..question("a", "d") });
    assert_eq!((answer.end, answer.filtered_out), (End::None, 2));
}

#[test]
fn a_definition_that_has_a_path_is_meant_before_one_that_has_none() {
    let tree = Tree::new(&[
        ("a/tool.py", "def main():\n    pass\n"),
        ("b/app.py", "def main():\n    goal()\n\n\ndef goal():\n    pass\n"),
        ("c/other.py", "def goal():\n    pass\n"),
    ]);
    let answer = ask(&tree, &question("main", "app.goal"));
    assert_eq!(chains(&answer), ["b.app.main -> b.app.goal :2"]);
    assert_eq!((answer.from.symbol.path.as_str(), answer.from.other_definitions), ("b/app.py", 1));
    assert_eq!(answer.from.candidates[0].path, "a/tool.py");
    assert_eq!(chains(&ask(&tree, &question("main", "goal"))), ["b.app.main -> b.app.goal :2"]);
    let none = ask(&tree, &question("main", "other.goal"));
    assert_eq!((none.end, none.from.symbol.path.as_str(), none.tried_others), (End::None, "a/tool.py", true));
    assert!(!ask(&tree, &question("app.main", "app.goal")).tried_others);
    let tree = Tree::new(&[
        ("a/tool.py", "def main():\n    pass\n"),
        ("examples/short.py", "from lib import goal\ndef main():\n    goal()\n"),
        ("core/app.py", "from lib import goal\ndef main():\n    middle()\ndef middle():\n    goal()\n"),
        ("lib.py", "def goal():\n    pass\n"),
    ]);
    let answer = ask(&tree, &question("main", "goal"));
    assert_eq!(chains(&answer), ["core.app.main -> core.app.middle :3 -> lib.goal :5"], "source ranks before examples");
}
