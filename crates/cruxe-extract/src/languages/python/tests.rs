use cruxe_model::facts::{Access, FileFacts, Role, Symbol};
use cruxe_model::nesting::Nesting;

use crate::languages::fixture_tests::extract;
use crate::registry::{self, Kinds};

fn facts(text: &str) -> FileFacts {
    extract("pkg/mod.py", text)
}

fn symbols(facts: &FileFacts) -> Vec<String> {
    facts.symbols.iter().map(|symbol| format!("{} {}", symbol.kind.as_str(), symbol.qualified_name)).collect()
}

fn symbol<'f>(facts: &'f FileFacts, name: &str) -> &'f Symbol {
    facts.symbols.iter().find(|symbol| symbol.name == name).unwrap()
}

fn uses(facts: &FileFacts) -> Vec<(Role, &str)> {
    facts.occurrences.iter().map(|occurrence| (occurrence.role, facts.name(occurrence.name))).collect()
}

fn bound(facts: &FileFacts) -> Vec<&str> {
    facts.bindings.iter().map(|binding| facts.name(binding.name)).collect()
}

fn ty(facts: &FileFacts, name: &str) -> Option<String> {
    let ty = &facts.types[symbol(facts, name).ty?.0 as usize];
    Some(ty.path.iter().map(|part| facts.name(*part)).collect::<Vec<_>>().join("."))
}

#[test]
fn every_kind_of_node_that_the_rules_name_is_in_the_grammar() {
    let grammar = tree_sitter_python::LANGUAGE.into();
    for (name, kind) in super::KINDS {
        let kinds = Kinds::new(&grammar, &[(name, *kind)]);
        let found = (0..grammar.node_kind_count() as u16).any(|id| kinds.get(id) == *kind);
        assert!(found, "{name}");
    }
}

#[test]
fn scripts_are_known_by_their_interpreter() {
    let language = |path: &str, text: &str| {
        let path = cruxe_model::RepoPath::parse(path).unwrap();
        registry::detect(&path, text.as_bytes()).map(|def| def.id)
    };
    assert_eq!(language("bin/run", "#!/usr/bin/env python3.11\n"), Some("python"));
    assert_eq!(language("bin/run", "#!/usr/bin/pypy3 -u\n"), Some("python"));
    assert_eq!(language("site/SConstruct", ""), Some("python"));
    assert_eq!(language("bin/run", "#!/bin/pythonic\n"), None);
}

#[test]
fn only_the_first_assignment_of_a_name_defines_it() {
    let facts = facts("x = 1\nx = 2\nif x:\n    y = 3\nelse:\n    y = 4\ndef f():\n    x = 5\nf = wrap(f)\n");
    assert_eq!(symbols(&facts), ["variable pkg.mod.x", "variable pkg.mod.y", "fn pkg.mod.f"]);
    let writes: Vec<_> = uses(&facts).into_iter().filter(|(role, _)| *role == Role::Write).collect();
    assert_eq!(writes, [(Role::Write, "x"), (Role::Write, "y"), (Role::Write, "f")]);
    assert_eq!(bound(&facts), ["x"]);
}

#[test]
fn a_global_statement_makes_assignments_writes() {
    let facts = facts("n = 0\ndef f():\n    global n\n    n = 1\n    m = 2\n");
    assert_eq!(uses(&facts), [(Role::Mention, "n"), (Role::Write, "n")]);
    assert_eq!(bound(&facts), ["m"]);
}

#[test]
fn fields_of_self_belong_to_the_class_and_calls_in_them_to_the_method() {
    let facts = facts("class A:\n    def __init__(self):\n        self.x = make()\n        self.x = None\n");
    assert_eq!(symbols(&facts), ["class pkg.mod.A", "method pkg.mod.A.__init__", "field pkg.mod.A.x"]);
    assert!(!symbol(&facts, "x").flags.local);
    let call = facts.occurrences.iter().find(|occurrence| occurrence.role == Role::Call).unwrap();
    let holder = Nesting::of(&facts).enclosing_symbol(&facts, call.start).and_then(|at| facts.symbol(at)).unwrap();
    assert_eq!(holder.name, "__init__");
    assert_eq!(uses(&facts), [(Role::Call, "make"), (Role::Write, "x")]);
}

#[test]
fn writing_to_a_property_that_follows_makes_no_field() {
    let text = "class A:\n    def __init__(self):\n        self.x = 1\n    @property\n    def x(self): return 1\n";
    assert_eq!(symbols(&facts(text)), ["class pkg.mod.A", "method pkg.mod.A.__init__", "property pkg.mod.A.x"]);
}

#[test]
fn self_of_a_plain_function_or_static_method_makes_no_field() {
    let text = "def f(self):\n    self.x = 1\nclass A:\n    @staticmethod\n    def g(self):\n        self.y = 1\n";
    let facts = facts(text);
    assert_eq!(symbols(&facts), ["fn pkg.mod.f", "class pkg.mod.A", "method pkg.mod.A.g"]);
    assert!(uses(&facts).contains(&(Role::Value, "self")));
}

#[test]
fn a_closure_in_a_method_still_knows_self() {
    let facts = facts("class A:\n    def f(self):\n        def g():\n            self.x = 1\n        return g\n");
    assert_eq!(symbol(&facts, "x").qualified_name, "pkg.mod.A.x");
    assert!(!uses(&facts).contains(&(Role::Value, "self")));
}

#[test]
fn fields_take_the_type_of_the_class_or_parameter_that_they_are_set_to() {
    let facts = facts(
        "class A:\n    def __init__(self, log: Log, n=None):\n        self.log = log\n        self.db = core.Db(1)\n        \
         self.items = []\n        self.n = n\n        self.run = start()\n",
    );
    assert_eq!(ty(&facts, "log").as_deref(), Some("Log"));
    assert_eq!(ty(&facts, "db").as_deref(), Some("core.Db"));
    assert_eq!(ty(&facts, "items").as_deref(), Some("list"));
    assert_eq!((ty(&facts, "n"), ty(&facts, "run")), (None, None));
}

#[test]
fn names_in_init_files_are_re_exported_and_others_only_when_renamed_to_themselves() {
    let text = "from .a import b\nfrom os import sep\nfrom pkg.c import d\nfrom x import y as y\nfrom .z import *\n";
    let reexports =
        |path: &str| -> Vec<bool> { extract(path, text).imports.iter().map(|import| import.reexport).collect() };
    assert_eq!(reexports("pkg/__init__.py"), [true, false, true, true, true]);
    assert_eq!(reexports("pkg/mod.py"), [false, false, false, true, false]);
}

#[test]
fn imports_in_a_function_are_visible_there() {
    let facts = facts("def f():\n    import a.b\n");
    assert_eq!(symbols(&facts), ["fn pkg.mod.f", "use a.b"]);
    assert_eq!(facts.imports[0].scope, Nesting::of(&facts).scope_at(&facts, facts.imports[0].start));
    assert_ne!(facts.imports[0].scope.0, 0);
}

#[test]
fn types_in_quotes_are_occurrences_and_other_strings_are_not() {
    let text = "def f(a: \"m.A | None\", b: Literal[\"B\"], c: Annotated[C, \"some doc\", \"Doc\"] = \"D\", *d: \"not a type\"):\n    \
                x[\"E\"] = \"F\"\n";
    let facts = facts(text);
    let found = uses(&facts);
    assert_eq!(
        found,
        [
            (Role::Value, "m"),
            (Role::Type, "A"),
            (Role::Type, "Literal"),
            (Role::Type, "Annotated"),
            (Role::Type, "C"),
            (Role::Write, "x"),
            (Role::Operator, "__setitem__")
        ]
    );
    let at = facts.occurrences[1].start as usize;
    assert_eq!(&text[at..at + 1], "A");
}

#[test]
fn names_that_getattr_is_given_are_members() {
    let facts =
        facts("def f(shop):\n    getattr(shop, 'total')()\n    setattr(shop, name, 'total')\n    log('total')\n");
    let total = facts.occurrences.iter().filter(|one| facts.name(one.name) == "total");
    let found: Vec<_> = total.map(|one| (one.role, one.receiver.is_some())).collect();
    assert_eq!(found, [(Role::Value, true)]);
}

#[test]
fn docs_are_docstrings_and_marked_comments_but_not_plain_ones() {
    let text =
        "# plain\nx = 1\n#: doc\ny = 2\nz = 3\n\"\"\"after\"\"\"\n# plain\ndef f():\n    'doc'\ndef g():\n    f'no'\n";
    let facts = facts(text);
    let doc = |name: &str| {
        let span = symbol(&facts, name).doc_span;
        &text[span.start as usize..span.end as usize]
    };
    assert_eq!(["x", "y", "z", "f", "g"].map(doc), ["", "#: doc", "\"\"\"after\"\"\"", "'doc'", ""]);
    let f = symbol(&facts, "f");
    assert_eq!(f.full_span, f.span);
}

#[test]
fn decorators_are_in_the_full_span_only() {
    let text = "@app.route('/', methods=m)\n# why\nasync def f(a,\n      b) -> int:  # no\n    pass\n";
    let facts = facts(text);
    let f = symbol(&facts, "f");
    assert_eq!((f.full_span.start, facts.line_of(f.span.start)), (0, 3));
    assert_eq!(f.signature, "async def f(a, b) -> int");
    assert_eq!(
        uses(&facts)[..4],
        [(Role::Value, "app"), (Role::Decorator, "route"), (Role::Key, "methods"), (Role::Value, "m")]
    );
}

#[test]
fn enum_members_are_variants_and_class_attributes_are_not() {
    let facts = facts("class A(enum.IntEnum):\n    X = 1\n    y: int\nclass B(Base):\n    X = 1\n");
    assert_eq!(
        symbols(&facts)[1..],
        ["variant pkg.mod.A.X", "field pkg.mod.A.y", "class pkg.mod.B", "field pkg.mod.B.X"]
    );
}

#[test]
fn underscores_make_names_private() {
    let facts = facts("def _a(): ...\ndef __b(): ...\ndef __c__(): ...\ndef d(): ...\n");
    let access: Vec<_> = facts.symbols.iter().map(|symbol| symbol.access).collect();
    assert_eq!(access, [Access::Private, Access::Private, Access::Public, Access::Public]);
}

#[test]
fn everything_in_test_files_is_for_tests() {
    let is_test = |path: &str| extract(path, "def helper(): pass\n").symbols[0].flags.test;
    assert!(is_test("tests/helpers.py") && is_test("pkg/test_x.py") && is_test("x_test.py") && is_test("conftest.py"));
    assert!(!is_test("pkg/testing.py") && !is_test("pkg/contest.py") && !is_test("latest/x.py"));
}

#[test]
fn comprehension_variables_stay_inside_and_walrus_names_do_not() {
    let facts = facts("def f(xs):\n    return [y for x in xs if (y := x)]\n");
    let scope_of = |name: &str| {
        let binding = facts.bindings.iter().find(|binding| facts.name(binding.name) == name).unwrap();
        binding.scope.0
    };
    assert_eq!((scope_of("xs"), scope_of("y"), scope_of("x")), (1, 1, 2));
}

#[test]
fn a_default_value_is_used_and_its_parameter_bound() {
    let facts = facts("call(lambda a=b, *c, **d: a)\n");
    assert_eq!(uses(&facts), [(Role::Call, "call"), (Role::Value, "b"), (Role::Value, "a")]);
    assert_eq!(bound(&facts), ["a", "c", "d"]);
}

#[test]
fn odd_trees_of_the_grammar_are_read_as_python_does() {
    let facts = facts("def f(self, x):\n    type(x).count = y\n    return g(*x.items(), self=1)\n");
    assert_eq!(
        uses(&facts),
        [
            (Role::Call, "type"),
            (Role::Value, "x"),
            (Role::Write, "count"),
            (Role::Value, "y"),
            (Role::Call, "g"),
            (Role::Value, "x"),
            (Role::Call, "items"),
            (Role::Key, "self")
        ]
    );
    assert_eq!(symbols(&facts), ["fn pkg.mod.f"]);
}

#[test]
fn definitions_around_a_syntax_error_are_found() {
    let facts = facts(
        "class A:\n    def f(self):\n        x = = 1\n    def g(self): pass\n\ndef h(:\n    pass\n\ndef i(): pass\n",
    );
    let names: Vec<_> = facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    for name in ["A", "f", "g", "i"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    assert_eq!(facts.problems.len(), 1);
}

#[test]
fn any_text_gives_facts() {
    for text in [
        "",
        "\u{feff}x = 1",
        "def",
        "class",
        "@",
        "x = '",
        "f'{",
        "match x:\n case",
        "x: \"[\"",
        "from . import (",
        "\\",
    ] {
        facts(text);
    }
    let deep = format!("x = {}1{}\n", "(".repeat(3000), ")".repeat(3000));
    assert_eq!(symbols(&facts(&deep)), ["variable pkg.mod.x"]);
}

#[test]
fn parameters_that_pytest_fills_are_noted_in_tests_and_fixtures_only() {
    let text = "\
@pytest.fixture(name='client')
def make_client(app, port=80, *args, **more): pass
@pytest.mark.parametrize('user, role', [])
@mock.patch('a.b')
@given(number=ints())
def test_it(patched, app, user, role, number, db: Database): pass
@pytest.mark.usefixtures('db', 'not a name')
class TestAll:
    def test_two(self, app):
        request.getfixturevalue('late')
        def test_inner(app): pass
class Other:
    def test_three(self, app): pass
def helper(app): pass
lambda app: app
";
    let provided = |path: &str| -> Vec<String> {
        let facts = extract(path, text);
        let given = facts.occurrences.iter().filter(|occurrence| occurrence.role == Role::Provided);
        given.map(|occurrence| facts.name(occurrence.name).to_owned()).collect()
    };
    assert_eq!(provided("tests/test_a.py"), ["client", "app", "app", "db", "db", "app", "late"]);
    // Where pytest collects no tests, fixtures are still what their decorators say.
    assert_eq!(provided("app/views.py"), ["client", "app", "db", "late"]);
}
