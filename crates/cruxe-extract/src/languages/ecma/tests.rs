use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, BindingKind, Expr, FileFacts, Relation, Role, Symbol};

use super::kinds::KINDS;
use super::{JAVASCRIPT, TSX, TYPESCRIPT};
use crate::language::FrontEnd;
use crate::languages::fixture_tests::extract;
use crate::registry::named;

fn symbol<'a>(facts: &'a FileFacts, qualified: &str) -> &'a Symbol {
    let found = facts.symbols.iter().find(|symbol| symbol.qualified_name == qualified);
    found.unwrap_or_else(|| panic!("no {qualified} in {:?}", names(facts)))
}

fn names(facts: &FileFacts) -> Vec<String> {
    facts.symbols.iter().map(|symbol| format!("{} {}", symbol.kind.as_str(), symbol.qualified_name)).collect()
}

fn roles(facts: &FileFacts, name: &str) -> Vec<Role> {
    let named = facts.occurrences.iter().filter(|occurrence| facts.name(occurrence.name) == name);
    named.map(|occurrence| occurrence.role).collect()
}

fn imports(facts: &FileFacts) -> Vec<(&str, &str, &str, bool, bool)> {
    let text = |id: Option<_>| id.map_or("", |id| facts.name(id));
    let leaf = |at: &'_ cruxe_model::facts::Import| (at.module, at.name, at.alias, at.glob, at.reexport);
    let leaves = facts.imports.iter().map(leaf);
    leaves.map(|(module, name, alias, glob, re)| (facts.name(module), text(name), text(alias), glob, re)).collect()
}

#[test]
fn every_kind_of_the_table_exists_in_one_of_the_grammars() {
    let grammars = [&JAVASCRIPT, &TYPESCRIPT, &TSX].map(|def| match def.front_end {
        FrontEnd::Grammar { grammar, .. } => grammar(),
        FrontEnd::Plain(_) => unreachable!(),
    });
    for (name, _) in KINDS {
        assert!(grammars.iter().any(|grammar| grammar.id_for_node_kind(name, true) != 0), "{name}");
    }
}

#[test]
fn the_name_of_two_grammars_stands_for_the_plain_one() {
    assert_eq!(named("typescript").id, "typescript");
}

#[test]
fn overloads_are_symbols_of_their_own() {
    let facts = extract(
        "src/auth.ts",
        "export function parseToken(a: string): T;\nexport function parseToken(a: number): T;\nexport function parseToken(a: any): T { return a; }\n",
    );
    let found: Vec<_> = facts.symbols.iter().map(|at| (at.ordinal, at.flags.declaration)).collect();
    assert_eq!(found, [(0, true), (1, true), (2, false)]);
}

#[test]
fn export_belongs_to_the_declaration_and_decorators_do_not() {
    let facts = extract("src/a.ts", "/** Doc. */\n@Entity()\nexport class User {\n  @Column()\n  name!: string;\n}\n");
    let user = symbol(&facts, "a.User");
    assert_eq!(user.signature, "export class User");
    assert_eq!((facts.line_of(user.span.start), facts.line_of(user.full_span.start)), (3, 1));
    assert_eq!((user.visibility.as_str(), user.access), ("export", Access::Public));
    let name = symbol(&facts, "a.User.name");
    assert_eq!((facts.line_of(name.span.start), facts.line_of(name.full_span.start)), (5, 4));
    assert_eq!(roles(&facts, "Column"), [Role::Decorator]);
}

#[test]
fn functions_are_fn_whatever_form_they_are_written_in() {
    let text = "\
const a = () => 1;
const b = function () {};
const c = memo(() => null);
const d = React.forwardRef((p, r) => null);
const e = list.map((x) => x);
const f = lazy(() => import('./x'));
const g = memo(Component);
let h = 1;
";
    let facts = extract("src/m.ts", text);
    let expected = ["fn m.a", "fn m.b", "fn m.c", "fn m.d", "const m.e", "const m.f", "const m.g", "variable m.h"];
    assert_eq!(names(&facts), expected);
}

#[test]
fn members_of_a_class_have_their_own_words_for_visibility() {
    let text = "\
class A {
  private a = 1;
  protected b() {}
  #c = 2;
  static d = () => 3;
  constructor(private e: E, f: F) {}
  get g() { return 1; }
}
";
    let facts = extract("src/m.ts", text);
    let found: Vec<_> = facts.symbols[1..].iter().map(|at| (at.kind.as_str(), at.name.as_str(), at.access)).collect();
    assert_eq!(
        found,
        [
            ("field", "a", Access::Private),
            ("method", "b", Access::Protected),
            ("field", "#c", Access::Private),
            ("method", "d", Access::Public),
            ("method", "constructor", Access::Public),
            ("field", "e", Access::Private),
            ("property", "g", Access::Public),
        ]
    );
    assert!(symbol(&facts, "m.A.d").flags.associated);
    assert_eq!(symbol(&facts, "m.A.e").parent.map(|at| at.0), Some(0));
}

#[test]
fn locals_are_bindings_and_local_functions_are_both() {
    let facts = extract("src/m.ts", "function f() {\n  const x = 1;\n  const g = () => x;\n  function h() {}\n}\n");
    assert_eq!(names(&facts), ["fn m.f", "fn m.f.g", "fn m.f.h"]);
    assert!(symbol(&facts, "m.f.g").flags.local);
    let bound: Vec<_> = facts.bindings.iter().map(|at| facts.name(at.name)).collect();
    assert_eq!(bound, ["x", "g", "h"]);
}

#[test]
fn a_function_in_a_callback_is_local_though_the_callback_is_no_symbol() {
    let facts = extract("src/a.test.ts", "describe('a', () => {\n  function helper() {}\n});\n");
    let helper = symbol(&facts, "a.test.helper");
    assert!(helper.flags.local && helper.flags.test);
}

#[test]
fn var_lives_in_the_function_and_let_in_the_block() {
    let facts = extract("src/m.js", "if (a) {\n  var b = 1;\n  let c = 2;\n}\nfunction f() {\n  { var d = 3; }\n}\n");
    assert_eq!(names(&facts), ["variable m.b", "fn m.f"]);
    let scope = |name: &str| facts.bindings.iter().find(|at| facts.name(at.name) == name).map(|at| at.scope);
    let kind = |name: &str| scope(name).map(|at| facts.scopes[at.0 as usize].kind);
    assert_eq!(kind("c"), Some(cruxe_model::facts::ScopeKind::Block));
    assert_eq!(kind("d"), Some(cruxe_model::facts::ScopeKind::Function));
}

#[test]
fn imports_and_exports_are_noted_leaf_by_leaf() {
    let text = "\
import d, { a as b, type T } from './x';
import * as ns from './y';
import './z';
export * from './p';
export { q as r } from './q';
function own() {}
export { own as mine };
export default own;
";
    let facts = extract("src/m.ts", text);
    assert_eq!(
        imports(&facts),
        [
            ("./x", "default", "d", false, false),
            ("./x", "a", "b", false, false),
            ("./x", "T", "", false, false),
            ("./y", "", "ns", false, false),
            ("./z", "", "", false, false),
            ("./p", "", "", true, true),
            ("./q", "q", "r", false, true),
            ("", "own", "mine", false, true),
            ("", "own", "default", false, true),
        ]
    );
    assert_eq!(facts.symbols.iter().filter(|at| at.kind == SymbolKind::Use).count(), 5);
    assert_eq!(symbol(&facts, "m.own").access, Access::Public);
    assert_eq!(roles(&facts, "own"), [Role::Import, Role::Import]);
}

#[test]
fn required_modules_are_imports_and_not_constants() {
    let text = "\
const a = require('a');
const { b, c: d } = require('./b');
const e = require('e').f;
function g() { return import('./h').then(({ i }) => i()); }
";
    let facts = extract("src/m.js", text);
    assert_eq!(names(&facts), ["use a", "use ./b", "use e", "fn m.g"]);
    assert_eq!(
        imports(&facts),
        [
            ("a", "", "a", false, false),
            ("./b", "b", "", false, false),
            ("./b", "c", "d", false, false),
            ("e", "f", "e", false, false),
            ("./h", "", "import(./h)", false, false),
            ("./h", "i", "", false, false),
        ]
    );
    assert!(facts.bindings.is_empty());
}

#[test]
fn common_js_exports_are_symbols_or_offers() {
    let text = "\
exports.a = function () {};
exports.b = b;
Foo.prototype.c = function () {};
Foo.d = () => 1;
module.exports = class Bar {};
function b() {}
";
    let facts = extract("src/m.js", text);
    assert_eq!(names(&facts), ["fn m.a", "method m.Foo.c", "method m.Foo.d", "class m.Bar", "fn m.b"]);
    assert_eq!(imports(&facts), [("", "b", "", false, true), ("", "Bar", "default", false, true)]);
    assert!(roles(&facts, "c").is_empty());
}

#[test]
fn the_default_export_is_found_by_its_name() {
    for (text, kind) in [
        ("export default function () {}", SymbolKind::Fn),
        ("export default class {}", SymbolKind::Class),
        ("export default { a() {} };", SymbolKind::Const),
        ("export default make(1);", SymbolKind::Const),
    ] {
        assert_eq!(symbol(&extract("src/m.ts", text), "m.default").kind, kind, "{text}");
    }
    let facts = extract("src/m.ts", "export default function named() {}");
    assert_eq!(names(&facts), ["fn m.named"]);
    assert_eq!(imports(&facts), [("", "named", "default", false, true)]);
}

#[test]
fn object_literals_name_their_functions_where_no_type_does() {
    let text = "\
const api = { get() {}, deep: { post: () => 1 }, n: 1 };
function f(): Api { return { get() {} }; }
function g() { return { put() {} }; }
call({ cb: () => 1 });
";
    let facts = extract("src/m.ts", text);
    assert_eq!(
        names(&facts),
        ["const m.api", "method m.api.get", "method m.api.deep.post", "fn m.f", "fn m.g", "method m.g.put"]
    );
    assert_eq!(roles(&facts, "get"), [Role::Key]);
    assert_eq!(roles(&facts, "cb"), [Role::Key]);
    assert!(roles(&facts, "put").is_empty());
}

#[test]
fn fields_of_a_javascript_class_are_what_its_constructor_assigns() {
    let text =
        "class A {\n  constructor(x) {\n    this.x = x;\n    this.client = new Client();\n    this.x = 2;\n  }\n}\n";
    let facts = extract("src/m.js", text);
    assert_eq!(names(&facts), ["class m.A", "method m.A.constructor", "field m.A.x", "field m.A.client"]);
    assert!(symbol(&facts, "m.A.client").ty.is_some());
    assert_eq!(roles(&facts, "x"), [Role::Value, Role::Write]);
    assert_eq!(names(&extract("src/m.ts", text)), ["class m.A", "method m.A.constructor"]);
}

#[test]
fn components_are_called_and_elements_are_members_of_a_namespace() {
    let facts = extract("src/m.tsx", "const a = <div id={x}><Row item={y} /><ui.Box>t</ui.Box></div>;\n");
    assert_eq!(roles(&facts, "Row"), [Role::Call]);
    assert_eq!(roles(&facts, "Box"), [Role::Call, Role::Value]);
    assert_eq!(roles(&facts, "item"), [Role::Key]);
    assert_eq!(roles(&facts, "div"), [Role::Key, Role::Key]);
    assert_eq!(roles(&facts, "id"), [Role::Key]);
}

#[test]
fn roles_follow_from_the_place_of_a_name() {
    let text = "a.b = c;\nd++;\n[e, f.g] = h;\nnew I<J>();\nk`t`;\nconst l = { m, n: o };\np: for (q of r) break p;\nawait s.t<U>(v);\n";
    let facts = extract("src/m.ts", text);
    let of = |name: &str| roles(&facts, name);
    assert_eq!((of("a"), of("b"), of("c")), (vec![Role::Value], vec![Role::Write], vec![Role::Value]));
    assert_eq!((of("d"), of("e"), of("g")), (vec![Role::Write], vec![Role::Write], vec![Role::Write]));
    assert_eq!((of("I"), of("J"), of("k")), (vec![Role::Call], vec![Role::Type], vec![Role::Call]));
    assert_eq!((of("m"), of("n"), of("o")), (vec![Role::Value], vec![Role::Key], vec![Role::Value]));
    assert_eq!((of("p"), of("q"), of("t")), (vec![], vec![Role::Write], vec![Role::Call]));
}

#[test]
fn heritage_tells_extends_from_implements() {
    let facts = extract("src/m.ts", "class A extends ns.B<C> implements D {}\ninterface E extends F, G {}\n");
    let found: Vec<_> = facts.heritage.iter().map(|at| at.relation).collect();
    assert_eq!(found, [Relation::Extends, Relation::Implements, Relation::Extends, Relation::Extends]);
    assert_eq!(roles(&facts, "B"), [Role::Extends]);
    assert_eq!(roles(&facts, "D"), [Role::Implements]);
    assert_eq!(roles(&facts, "G"), [Role::Extends]);
    assert_eq!(roles(&facts, "C"), [Role::Type]);
}

#[test]
fn destructured_parameters_know_the_type_of_their_part() {
    let facts = extract("src/m.ts", "function f({ a, b: { c } }: Props, { d }: { d: D }, ...rest: E[]) {}\n");
    let at = |name: &str| facts.bindings.iter().find(|at| facts.name(at.name) == name).unwrap();
    assert!(matches!(facts.exprs[at("a").value.unwrap().0 as usize], Expr::Member(_, _)));
    assert!(matches!(facts.exprs[at("c").value.unwrap().0 as usize], Expr::Member(_, _)));
    assert!(at("d").ty.is_some() && at("rest").ty.is_some());
    assert!(facts.bindings.iter().all(|at| at.kind == BindingKind::Param));
    assert_eq!(roles(&facts, "b"), [Role::Unpack]);
}

#[test]
fn callbacks_know_what_they_are_called_with() {
    let facts = extract("src/m.ts", "users.map((user) => user.name);\nload().then((page) => page.go());\n");
    let found: Vec<_> = facts.bindings.iter().map(|at| (at.kind, at.value.is_some())).collect();
    assert_eq!(found, [(BindingKind::Element, true), (BindingKind::Param, true)]);
}

#[test]
fn what_the_grammar_stumbles_over_costs_no_symbols() {
    let text = "\
export interface Get<in out T> {
  a(): T[K]
  <K extends keyof T>(key: K): T[K]
  b: import('./x').Y<Z>
}
export type * from './t'
export const after = 1
";
    let facts = extract("src/m.ts", text);
    assert!(facts.problems.is_empty(), "{:?}", facts.problems);
    assert_eq!(names(&facts), ["interface m.Get", "method m.Get.a", "field m.Get.b", "use ./t", "const m.after"]);
    assert_eq!(imports(&facts), [("./x", "", "", false, false), ("./t", "", "", true, true)]);
    assert_eq!(roles(&facts, "Y"), [Role::Type]);
}

#[test]
fn javascript_with_types_is_read_like_typescript() {
    let facts = extract(
        "src/m.js",
        "// @flow\nimport type { A } from './a';\nexport function f(a: ?A): number { return 1; }\n",
    );
    assert!(facts.problems.is_empty(), "{:?}", facts.problems);
    assert_eq!(facts.language, "javascript");
    assert_eq!(names(&facts), ["use ./a", "fn m.f"]);
}

#[test]
fn a_syntax_error_leaves_the_symbols_around_it() {
    let facts = extract("src/m.ts", "export function a() {}\nconst = ;\nexport function b() {}\n");
    assert!(!facts.problems.is_empty());
    assert!(names(&facts).contains(&"fn m.a".to_owned()) && names(&facts).contains(&"fn m.b".to_owned()));
}

#[test]
fn strings_and_comments_are_never_occurrences() {
    let facts = extract("src/m.js", "// foo\nconst s = 'foo' + `foo ${bar}`;\n/* foo */\n");
    assert!(roles(&facts, "foo").is_empty());
    assert_eq!(roles(&facts, "bar"), [Role::Value]);
}

#[test]
fn translations_of_qt_are_no_typescript() {
    for text in [
        "<?xml version=\"1.0\"?>\n<TS>\n",
        "\u{feff}\n<!DOCTYPE TS>\n",
        "<TS version=\"2.1\" language=\"uk\">\n<context>\n",
    ] {
        let facts = extract("src/locale/app_uk.ts", text);
        assert_eq!((facts.language.as_str(), facts.problems.len()), ("text", 0), "{text}");
    }
    assert_eq!(extract("src/m.ts", "<T>x;\n").language, "typescript");
}
