//! The call graph and the questions around a target.

use cruxe_model::SymbolKind;
use cruxe_query::QueryError;
use cruxe_query::call_graph::{self, CallGraph, Direction, Edge, Question};
use cruxe_query::references::{Confidence, EdgeType, Subject};
use cruxe_query::target::{Target, Wanted};

use crate::support::Tree;

const CHAIN: &str = "def a():
    b()
def b():
    c()
    c()
def c():
    a()
    c()
def test_a():
    a()
a()
class K:
    def m(self):
        def inner():
            b()
        return inner
";

fn graph(tree: &Tree, name: &str, direction: Direction, depth: u32, limit: usize) -> CallGraph {
    let wanted = Wanted { name: name.to_owned(), ..Wanted::default() };
    let question = Question { wanted, direction, depth, limit, filter: Default::default() };
    call_graph::find(&tree.view(), &question).unwrap_or_else(|problem| panic!("{problem}"))
}

fn target(graph: &CallGraph) -> &Target {
    let Subject::Defined(target) = &graph.subject else { panic!("nothing defines it") };
    target
}

fn shown(edges: &[Edge]) -> Vec<String> {
    edges.iter().map(|edge| format!("{} {} :{}", edge.depth, edge.symbol.name, edge.line)).collect()
}

#[test]
fn callers_and_callees_go_step_by_step_and_a_cycle_ends() {
    let tree = Tree::new(&[("tests/chain.py", CHAIN)]);
    let answer = graph(&tree, "a", Direction::Both, 5, 20);
    assert_eq!(shown(&answer.callers), ["1 c :7", "1 test_a :10", "1 chain :11", "2 b :4", "3 a :2", "3 inner :15"]);
    assert_eq!(shown(&answer.callees), ["1 b :2", "2 c :4", "3 a :7"]);
    assert_eq!((answer.total_edges, answer.truncated), (9, false));
    assert_eq!(answer.callers[2].symbol.kind, SymbolKind::Module);
}

#[test]
fn recursion_is_shown_once() {
    let tree = Tree::new(&[("chain.py", CHAIN)]);
    let answer = graph(&tree, "c", Direction::Both, 1, 20);
    assert_eq!(shown(&answer.callers), ["1 b :4", "1 c :8"]);
    assert_eq!(shown(&answer.callees), ["1 a :7", "1 c :8"]);
}

#[test]
fn an_edge_has_all_calls_between_its_two_symbols_and_no_others() {
    let text = "def log(x): return x
def other(): log(0)
def work():
    log(1)
    log(log(2))
    other()
    def inner():
        log(3)
    log(4)
";
    let tree = Tree::new(&[("a.py", text), ("b.py", "from a import log\nlog(1)\n\nlog(2)\n")]);
    let sites = |edges: &[Edge]| -> Vec<String> {
        edges.iter().map(|edge| format!("{} {:?} {}", edge.symbol.name, edge.lines, edge.calls)).collect()
    };
    let callers = graph(&tree, "log", Direction::Callers, 1, 20).callers;
    assert_eq!(sites(&callers), ["other [2] 1", "work [4, 5, 9] 4", "inner [8] 1", "b [2, 4] 2"]);
    let callees = graph(&tree, "work", Direction::Callees, 2, 20).callees;
    assert_eq!(sites(&callees), ["log [4, 5, 9] 4", "other [6] 1"], "what `other` calls is not added to `work`");
}

#[test]
fn a_limit_cuts_each_direction_and_the_total_stays_true() {
    let tree = Tree::new(&[("chain.py", CHAIN)]);
    let answer = graph(&tree, "a", Direction::Both, 5, 1);
    assert_eq!((answer.callers.len(), answer.callees.len()), (1, 1));
    assert_eq!((answer.total_edges, answer.truncated), (9, true));
}

#[test]
fn tests_are_marked_among_callers() {
    let tree = Tree::new(&[
        ("app.py", "def go(): pass\n"),
        ("tests/test_app.py", "from app import go\ndef test_go():\n    go()\n"),
    ]);
    let answer = graph(&tree, "go", Direction::Callers, 1, 20);
    assert_eq!(answer.callers.iter().map(|edge| edge.symbol.is_test).collect::<Vec<_>>(), [true]);
}

#[test]
fn what_decorates_or_wraps_a_function_is_called_by_the_code_around_it() {
    let text =
        "def route(p): return lambda f: f\ndef make():\n    @route('/')\n    def index(): pass\n    return index\n";
    let answer = graph(&Tree::new(&[("a.py", text)]), "route", Direction::Callers, 1, 20);
    assert_eq!(shown(&answer.callers), ["1 make :3"]);
    let text = "function memo(f: any) { return f }\nfunction App() { const on = memo(() => 1); return on }\n";
    let answer = graph(&Tree::new(&[("a.ts", text)]), "memo", Direction::Callers, 1, 20);
    assert_eq!(shown(&answer.callers), ["1 App :2"]);
}

#[test]
fn what_a_variable_is_set_to_is_called_by_the_code_around_it() {
    let text = "export function make(f: any) { return f }
export const direct = make(1)
export const inside = { run: [() => make(2)] }
export class Held { field = make(3) }
function around() { const local = make(4); return local }
";
    let answer = graph(&Tree::new(&[("a.ts", text)]), "make", Direction::Callers, 1, 20);
    assert_eq!(shown(&answer.callers), ["1 a :2", "1 inside :3", "1 field :4", "1 around :5"]);
    assert_eq!(answer.callers[0].symbol.kind, SymbolKind::Module);
    let callees = graph(&Tree::new(&[("a.ts", text)]), "direct", Direction::Callees, 1, 20).callees;
    assert_eq!(shown(&callees), ["1 make :2"], "what it takes to make it is still told");
    let text = "def make(): pass\ndirect = make()\nlater = lambda: make()\n";
    let answer = graph(&Tree::new(&[("a.py", text)]), "make", Direction::Callers, 1, 20);
    assert_eq!(shown(&answer.callers), ["1 a :2", "1 later :3"]);
}

#[test]
fn a_name_with_several_definitions_is_answered_for_one_and_names_the_others() {
    let tree = Tree::new(&[("a.py", "def go(): pass\ngo()\n"), ("b.py", "def go(): pass\n")]);
    let wanted = Wanted { name: "go".to_owned(), ..Wanted::default() };
    let answer = graph(&tree, "go", Direction::Both, 1, 20);
    let found = target(&answer);
    assert_eq!(found.symbol.path, "a.py");
    assert_eq!(found.candidates.iter().map(|other| other.path.as_str()).collect::<Vec<_>>(), ["b.py"]);
    assert_eq!((found.other_definitions, found.symbol.qualified_name.as_str()), (1, "a.go"));
    let other = graph(&tree, &found.candidates[0].symbol_id, Direction::Both, 1, 20);
    assert_eq!(target(&other).symbol.path, "b.py");
    assert_eq!(tree.uses(Wanted { path: Some("b.py".to_owned()), ..wanted.clone() }, None), Vec::<String>::new());
    assert_eq!(tree.uses(wanted, Some(EdgeType::Calls)), ["a.py:2"]);
}

#[test]
fn a_symbol_that_is_not_there_names_what_is_near() {
    let tree = Tree::new(&[("a.py", "def validate_token(): pass\n")]);
    let wanted = Wanted { name: "validate_tokne".to_owned(), ..Wanted::default() };
    let question = Question { wanted, direction: Direction::Both, depth: 1, limit: 1, filter: Default::default() };
    match call_graph::find(&tree.view(), &question) {
        Err(QueryError::NoSuchSymbol(missing)) => {
            let nearest = missing.nearest[0].name.as_str();
            assert_eq!((missing.name.as_str(), nearest), ("validate_tokne", "a.validate_token"));
            assert_eq!(missing.mentioned, Some(false));
        }
        other => panic!("{:?}", other.err()),
    }
}

#[test]
fn what_is_no_test_stands_before_tests_whatever_is_sure() {
    let tree = Tree::new(&[
        ("app.py", "class Box:\n    def open_lid(self): pass\ndef guess(x):\n    x.open_lid()\n"),
        ("tests/test_a.py", "from app import Box\ndef test_lid():\n    Box().open_lid()\nBox().open_lid()\n"),
        ("use.py", "from app import Box\ndef sure():\n    Box().open_lid()\n"),
    ]);
    let callers = graph(&tree, "open_lid", Direction::Callers, 1, 20).callers;
    let shown: Vec<_> =
        callers.iter().map(|edge| (edge.symbol.name.as_str(), edge.confidence, edge.symbol.is_test)).collect();
    use Confidence::{Heuristic, Static};
    let expected =
        [("sure", Static, false), ("guess", Heuristic, false), ("test_lid", Static, true), ("test_a", Static, true)];
    assert_eq!(shown, expected);
    let cut = graph(&tree, "open_lid", Direction::Callers, 1, 2);
    assert_eq!((cut.callers.len(), cut.callers[1].symbol.name.as_str(), cut.total_edges), (2, "guess", 4));
    let text = "from app import Box\ndef go_test():\n    helper()\n    Box()\n    sure()\nfrom use import sure\ndef helper(): pass\n";
    let tree =
        Tree::new(&[("tests/test_b.py", text), ("app.py", "class Box: pass\n"), ("use.py", "def sure(): pass\n")]);
    let callees = graph(&tree, "go_test", Direction::Callees, 1, 20).callees;
    assert_eq!(shown_names(&callees), ["Box", "sure", "helper"]);
}

fn shown_names(edges: &[Edge]) -> Vec<&str> {
    edges.iter().map(|edge| edge.symbol.name.as_str()).collect()
}

#[test]
fn a_name_from_outside_has_callers_and_no_callees() {
    let tree = Tree::new(&[
        (
            "a.py",
            "import json\nfrom json import dumps\n\ndef save(x):\n    return dumps(x)\n\ndef twice(x):\n    dumps(x)\n    return json.dumps(save(x))\n",
        ),
        ("b.py", "def dumps_all(json): pass\n"),
    ]);
    let answer = graph(&tree, "dumps", Direction::Both, 2, 20);
    let Subject::External(external) = &answer.subject else { panic!("it is defined") };
    assert_eq!((external.name.as_str(), external.qualified_name.as_str()), ("dumps", "json.dumps"));
    assert_eq!(shown(&answer.callers), ["1 save :5", "1 twice :8"]);
    assert_eq!((answer.callers[1].lines.as_slice(), answer.callees.len(), answer.total_edges), (&[8, 9][..], 0, 2));
    let missing = Wanted { name: "nothing_at_all".to_owned(), ..Wanted::default() };
    let question =
        Question { wanted: missing, direction: Direction::Both, depth: 1, limit: 1, filter: Default::default() };
    assert!(matches!(call_graph::find(&tree.view(), &question), Err(QueryError::NoSuchSymbol(_))));
}

#[test]
fn a_function_expression_calls_under_the_name_that_leads_to_it() {
    let text = "function send(x) {}
const defaults = {
  transform: [function transform(data) {
    send(data)
  }],
}
register(function plugin(app) { send(app) })
const held = function inner() { send(1) }
register(function () { send(2) })
";
    let tree = Tree::new(&[("a.js", text)]);
    let answer = graph(&tree, "send", Direction::Callers, 1, 20);
    assert_eq!(shown(&answer.callers), ["1 transform :4", "1 plugin :7", "1 held :8", "1 a :9"]);
}

#[test]
fn of_two_heads_of_a_function_that_for_windows_is_not_read() {
    let text = "void run(int x) {}
#ifdef _WIN32
int wmain(int argc) {
#else
int main(int argc) {
#endif
  run(argc);
}
#ifndef _WIN32
int first(int argc) {
#else
int second(int argc) {
#endif
  run(argc);
}
";
    let tree = Tree::new(&[("a.c", text)]);
    let answer = graph(&tree, "run", Direction::Callers, 1, 20);
    assert_eq!(shown(&answer.callers), ["1 main :7", "1 first :14"]);
}

#[test]
fn what_sets_a_field_in_a_function_is_called_by_the_function() {
    let text = "\
function make () {}
class A {
  constructor () {
    this.x = make()
    this[kOne] = make()
  }
}
function B () {
  this.x = make()
}
";
    let tree = Tree::new(&[("a.js", text)]);
    let callers = graph(&tree, "make", Direction::Callers, 1, 20).callers;
    assert_eq!(shown(&callers), ["1 constructor :4", "1 B :9"]);
    let callees = graph(&tree, "B", Direction::Callees, 1, 20).callees;
    assert_eq!(shown(&callees), ["1 make :9"]);
}
