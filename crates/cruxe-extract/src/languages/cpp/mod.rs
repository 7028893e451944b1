//! C++: namespaces, classes with access sections, members defined outside of their class, templates.

mod operators;

use std::borrow::Cow;

use cruxe_model::SymbolKind::{
    Class, Const, Enum, Field, Fn, Macro, Method, Module, Struct, Trait, Type, Union, Variable,
};
use cruxe_model::facts::BindingKind::{Element, Local, Param, TypeParam};
use cruxe_model::facts::Role::{self, Call, Make, Write};
use cruxe_model::facts::{Access, Relation, ScopeKind, Span};

use super::broad::passed::{PASSING, Passing};
use super::broad::{
    self, As, At, Broad, Find, Heritage, Imported, NODE, Shape, Site, Syntax, TABLE, Table, TypeShape, call, def,
    function, hook, inner, level_of, member, name, places, primitive, roles, scope, type_def,
};
use super::c::{C_TABLE, prototype, refine_declaration};
use crate::build::Decl;
use crate::language::{FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{ALL_RELATIONS, NAMING, Naming, Relations, Told};
use crate::walk::{Cx, Walk, span};

/// The C++ language.
pub static CPP: LanguageDef = LanguageDef {
    id: "cpp",
    name: "cpp",
    extensions: &[
        "cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "inl", "tpp", "cppm", "ixx", "cu", "cuh",
    ],
    separator: "::",
    front_end: FrontEnd::Grammar {
        grammar: || tree_sitter_cpp::LANGUAGE.into(),
        rules: |grammar| broad::rules(grammar, &CPP_TABLE),
    },
    naming: Naming {
        imported: |_| "",
        foreign: FOREIGN,
        free_members: &[cruxe_model::SymbolKind::Variant],
        methods_see_members: true,
        parts: &["extern"],
        indexes_itself: true,
        lists_operators: true,
        free_operators: true,
        elements: &["operator[]"],
        spaces_by_macro: true,
        includes: true,
        overloads: true,
        heads_outside: true,
        literals_convert: true,
        pointers: "unique_ptr shared_ptr weak_ptr auto_ptr optional scoped_ptr scoped_refptr intrusive_ptr linked_ptr \
            not_null reference_wrapper",
        pointer_members: &[
            (None, "get owner_before release reset swap unique use_count"),
            (Some("weak_ptr"), "expired lock"),
            (Some("optional"), "emplace has_value value value_or"),
        ],
        arrow: Some("operator->"),
        runs_unnamed: |name, _| name.starts_with("operator") || name.starts_with('~'),
        relations: Relations { decorators: Told::Never, ..ALL_RELATIONS },
        ..NAMING
    },
    family: Some(&super::c::C),
    ..LANGUAGE
};

/// Namespaces of everybody's libraries.
const FOREIGN: &[&str] = &["std", "boost", "absl", "testing", "Eigen", "google", "folly", "llvm", "cv", "Qt"];

pub(super) static CPP_TABLE: Table = Table {
    nodes: &[
        (&["namespace_identifier"], name()),
        (&["operator_name", "destructor_name"], name().roles(&[(At::Any, As::Nothing)])),
        (&["operator_cast"], name().roles(&[(At::Field("type"), As::Role(Role::Type)), (At::Any, As::Nothing)])),
        (
            &["parameter_declaration"],
            roles(&[(At::Field("declarator"), As::Bind(Param)), (At::Field("type"), As::Ask(taken))])
                .of_type(Find::Field("type")),
        ),
        (&["auto", "placeholder_type_specifier"], NODE),
        (&["namespace_definition"], def(Module).open(ScopeKind::Module)),
        (&["nested_namespace_specifier"], roles(&[(At::Any, As::Inherit)])),
        (&["using_declaration"], hook(using)),
        (&["namespace_alias_definition"], hook(namespace_alias)),
        (&["template_declaration"], hook(template).wraps()),
        // Types.
        (&["class_specifier"], type_def(Class).needs_body().ty(TypeShape::Inner(Find::Field("name")))),
        (&["field_declaration_list"], NODE),
        (&["access_specifier"], hook(access_section)),
        (&["base_class_clause"], roles(&[(At::Any, As::Super)]).heritage(Heritage::All(Relation::Extends))),
        (&["alias_declaration"], def(Type).body(Find::Nothing).of_type(Find::Field("type"))),
        (&["concept_definition"], def(Trait).body(Find::Nothing)),
        (
            &["type_parameter_declaration", "variadic_type_parameter_declaration"],
            roles(&[(At::Any, As::Bind(TypeParam))]),
        ),
        (&["optional_type_parameter_declaration"], roles(&[(At::Field("name"), As::Bind(TypeParam))])),
        // Functions and variables.
        (
            &["function_definition"],
            function().named(Find::Declarator("declarator")).body(Find::By(body)).of_type(Find::By(result)),
        ),
        (&["reference_declarator", "variadic_declarator", "structured_binding_declarator"], INHERIT),
        (
            &["optional_parameter_declaration", "variadic_parameter_declaration"],
            roles(&[(At::Field("declarator"), As::Bind(Param))]).of_type(Find::Field("type")),
        ),
        (&["lambda_expression"], scope(ScopeKind::Function).expr(Shape::Literal("fn"))),
        (
            &["lambda_capture_initializer"],
            roles(&[(At::Field("left"), As::Bind(Local))]).of_value(Find::Field("right")),
        ),
        (&["field_initializer"], roles(&[(At::First, As::Role(Write))])),
        (
            &["for_range_loop"],
            scope(ScopeKind::Block)
                .roles(&[(At::Field("declarator"), As::Bind(Element))])
                .of_type(Find::Field("type"))
                .of_value(Find::Field("right")),
        ),
        (&["catch_clause"], scope(ScopeKind::Block)),
        // Expressions.
        (
            &["new_expression"],
            call(Find::Nothing).expr(Shape::Typed(Find::Field("type"))).roles(&[(At::Field("type"), As::Role(Call))]),
        ),
        (&["this"], NODE.expr(Shape::SelfValue)),
        (&["binary_expression"], hook(operators::binary).expr(Shape::By(operators::value))),
        (&["unary_expression"], hook(operators::unary)),
        (&["pointer_expression"], inner(Find::Field("argument")).hook(operators::unary)),
        (&["update_expression"], roles(&[(At::Field("argument"), As::Role(Write))]).hook(operators::unary)),
        (&["assignment_expression"], roles(&[(At::Field("left"), As::Role(Write))]).hook(operators::binary)),
        (
            &["subscript_expression"],
            NODE.expr(Shape::Index(Find::Field("argument")))
                .roles(&[(At::Field("argument"), As::Ask(places::element))])
                .hook(operators::subscript),
        ),
        (&["co_await_expression"], NODE.expr(Shape::Unwrap(Find::Field("argument")))),
        (&["raw_string_literal"], broad::literal("str")),
        // Names and types as they are used.
        (
            &["qualified_identifier"],
            member("scope", "name")
                .roles(&[(At::Field("name"), As::Inherit), (At::Field("scope"), As::Role(Role::Type))])
                .ty(TypeShape::Scoped(Find::Field("scope"), Find::Field("name"))),
        ),
        (
            &["template_type", "template_function", "template_method"],
            roles(&[(At::Field("name"), As::Inherit)])
                .ty(TypeShape::Generic(Find::Field("name"), Find::Field("arguments")))
                .expr(Shape::Inner(Find::Field("name"))),
        ),
        (&["template_argument_list"], roles(&[(At::First, As::Ask(made))])),
        (&["dependent_name", "dependent_type"], inner(Find::Nth(0)).roles(&[(At::Any, As::Inherit)])),
        (&["decltype"], primitive()),
    ],
    base: Some(&C_TABLE),
    access: &[("static", Access::Private)],
    recover: &[("class", Class), ("struct", Struct), ("enum", Enum), ("union", Union), ("namespace", Module)],
    prepare: C_TABLE.prepare,
    key_of: C_TABLE.key_of,
    passing: Some(Passing { spread: &["parameter_pack_expansion"], ..PASSING }),
    lexis: C_TABLE.lexis,
    refine,
    super_words: &[],
    keywords: &["static_cast", "dynamic_cast", "reinterpret_cast", "const_cast"],
    casts: &["static_cast", "dynamic_cast", "reinterpret_cast", "const_cast", "make_unique", "make_shared"],
    ..TABLE
};

const INHERIT: broad::Node = roles(&[(At::Any, As::Inherit)]);
const SECTIONS: [(&str, Access); 3] =
    [("public", Access::Public), ("protected", Access::Protected), ("private", Access::Private)];

/// `make_unique<T>(…)` makes a value of `T`.
fn made(cx: &Cx, level: usize) -> As {
    let name = cx.ancestor(level + 1).and_then(|frame| frame.node.child_by_field_name("name"));
    let makes = name.is_some_and(|name| matches!(cx.text_of(&name), "make_unique" | "make_shared"));
    if makes { As::Role(Make) } else { As::Plain }
}

/// `Lock lock(mutex());` in a function is a variable, made of what a call gives; the grammar reads it as a function that takes one.
fn taken(cx: &Cx, level: usize) -> As {
    let at = |up: usize| cx.ancestor(level + up).map(|frame| frame.node);
    let takes = at(0).and_then(|node| node.child_by_field_name("declarator"));
    let called =
        takes.is_some_and(|takes| takes.kind() == "abstract_function_declarator" && takes.named_child_count() == 1);
    let kinds = ["parameter_list", "function_declarator", "declaration", "compound_statement"];
    let in_body = kinds.iter().zip(1..).all(|(kind, up)| at(up).is_some_and(|node| node.kind() == *kind));
    if called && in_body { As::Role(Call) } else { As::Plain }
}

/// What a function returns, also when it is written behind its parameters.
fn result<'t>(node: &Syntax<'t>) -> Option<Syntax<'t>> {
    let ty = node.child_by_field_name("type")?;
    if ty.kind() != "placeholder_type_specifier" {
        return Some(ty);
    }
    let declarator = node.child_by_field_name("declarator")?;
    Find::Kind("trailing_return_type").find(&declarator)?.named_child(0)
}

/// The body of a function starts with its initialisers, if it has any.
fn body<'t>(node: &Syntax<'t>) -> Option<Syntax<'t>> {
    let kinds = [
        "field_initializer_list",
        "compound_statement",
        "try_statement",
        "default_method_clause",
        "delete_method_clause",
    ];
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| kinds.contains(&child.kind()))
}

fn refine<'s, 't>(cx: &mut Cx<'_, 's, 't>, site: &mut Site<'s, 't>, decl: &mut Decl<'s>) -> bool {
    if !refine_declaration(cx, site, decl) || befriended(cx, site) || names_module(cx, site) {
        return false;
    }
    name_parts(cx, site, decl);
    let fixture = test_macro(cx, site, decl);
    let function = matches!(decl.kind, Fn | Method) || prototype(site);
    if function && site.node.kind() != "type_definition" && !through_function_pointer(site) {
        decl.kind = if site.member || !site.heritage.is_empty() { Method } else { Fn };
        decl.flags.declaration |= site.node.kind() != "function_definition";
    } else if site.member && decl.kind == Const {
        decl.kind = Field;
    }
    site.heritage.extend(fixture.map(|class| (Relation::SelfType, class)));
    if decl.kind == Field && site.has("static") && (site.has("const") || site.has("constexpr")) {
        decl.kind = Const;
    }
    if matches!(site.container, Some(Class | Struct | Union)) && site.member {
        (decl.visibility, decl.access) = section(cx, site.container == Some(Class));
    } else {
        decl.flags.associated = false;
        if decl.access == Access::Unknown {
            let hidden = (decl.kind == Macro && !in_header(cx)) || in_unnamed_namespace(cx);
            decl.access = if hidden { Access::Private } else { Access::Public };
        }
    }
    true
}

/// What an unnamed namespace holds is seen in its file only.
fn in_unnamed_namespace(cx: &Cx) -> bool {
    let mut around = (1..24).map_while(|level| cx.ancestor(level));
    around.any(|at| at.node.kind() == "namespace_definition" && at.node.child_by_field_name("name").is_none())
}

fn in_header(cx: &Cx) -> bool {
    cx.path().rsplit('.').next().is_some_and(|extension| extension.starts_with('h'))
}

/// Whether a function declarator belongs to a pointer: `int (*name)(int)`.
fn through_function_pointer(site: &Site) -> bool {
    site.declarator.is_some_and(|declarator| matches!(declarator.kind(), "pointer_declarator" | "reference_declarator"))
        && !matches!(site.node.kind(), "function_definition")
}

/// `import lib;` looks like the variable `lib` of a type `import`, which would be what `lib::f` means everywhere.
fn names_module(cx: &Cx, site: &Site) -> bool {
    let ty = site.node.child_by_field_name("type").filter(|_| site.node.kind() == "declaration");
    ty.is_some_and(|ty| matches!(cx.text_of(&ty), "import" | "module"))
}

/// A friend is declared elsewhere; a friend function that is defined here is not.
fn befriended(cx: &Cx, site: &Site) -> bool {
    let level = level_of(cx, &site.node).unwrap_or_default();
    let friend = cx.ancestor(level + 1).is_some_and(|frame| frame.node.kind() == "friend_declaration");
    friend && site.body.is_none()
}

/// `TEST_F(Suite, Name) { … }`: a macro that makes a function, and a member of a class where the suite is one.
fn test_macro<'s, 't>(cx: &Cx<'_, 's, 't>, site: &mut Site<'s, 't>, decl: &mut Decl<'s>) -> Option<Syntax<'t>> {
    let makes_test = ["TEST", "FIXTURE", "BENCHMARK"].iter().any(|word| decl.name.contains(word));
    if !makes_test || decl.name.contains(|c: char| c.is_lowercase()) || site.node.child_by_field_name("type").is_some()
    {
        return None;
    }
    let of_class = ["_F", "_P"].iter().any(|ending| decl.name.ends_with(ending))
        || ["FIXTURE", "TYPED_TEST"].iter().any(|word| decl.name.contains(word));
    let list = site.declarator.or_else(|| site.node.child_by_field_name("declarator"));
    let list = list.and_then(|at| at.child_by_field_name("parameters"))?;
    let mut cursor = list.walk();
    let names: Vec<Syntax> =
        list.named_children(&mut cursor).filter(|at| at.kind() == "parameter_declaration").collect();
    // `BOOST_FIXTURE_TEST_CASE(name, Fixture)` has the name first.
    let (name, outer) = if decl.name.ends_with("TEST_CASE") { names.split_first() } else { names.split_last() }?;
    site.qualifier = outer.first().map(|suite| cx.text_of(suite).to_owned());
    decl.name = Cow::Borrowed(cx.text_of(name));
    decl.name_span = span(name);
    decl.flags.test = true;
    outer.first().filter(|_| of_class)?.child_by_field_name("type")
}

/// Takes the name of `a::Foo<T>::bar` apart: `bar` of `a::Foo`.
fn name_parts<'s, 't>(cx: &mut Cx<'_, 's, 't>, site: &mut Site<'s, 't>, decl: &mut Decl<'s>) {
    let qualified = |level: &usize| cx.ancestor(*level).is_some_and(|at| at.node.kind() == "qualified_identifier");
    let outermost = (1..8).take_while(qualified).last().and_then(|level| cx.ancestor(level));
    let mut at = outermost.map_or(site.name, |frame| frame.node);
    let mut scopes: Vec<&str> = Vec::new();
    let mut owner = None;
    for _ in 0..8 {
        match at.kind() {
            "qualified_identifier" => {
                if let Some(scope) = at.child_by_field_name("scope") {
                    let text = cx.text_of(&scope);
                    scopes.push(text[..text.find('<').unwrap_or(text.len())].trim());
                    owner = Some(scope);
                }
                match at.child_by_field_name("name") {
                    Some(name) => at = name,
                    None => break,
                }
            }
            "nested_namespace_specifier" => {
                let text = cx.text_of(&at);
                let (outer, last) = text.rsplit_once("::").unwrap_or(("", text));
                let outer: Vec<&str> =
                    outer.split("::").map(|part| part.trim().trim_start_matches("inline ")).collect();
                site.qualifier = Some(outer.join("::"));
                decl.name = Cow::Borrowed(last.trim().trim_start_matches("inline "));
                decl.name_span.start = decl.name_span.end - last.trim_start().len() as u32;
                return;
            }
            "template_type" | "template_function" | "template_method" => match at.child_by_field_name("name") {
                Some(name) => at = name,
                None => break,
            },
            "pointer_type_declarator" | "pointer_declarator" | "reference_declarator" => match broad::declarator(&at) {
                Some(inner) => at = inner,
                None => break,
            },
            _ => break,
        }
    }
    let text = cx.text_of(&at);
    let text = if at.kind() == "operator_cast" { text.split('(').next().unwrap_or(text).trim_end() } else { text };
    decl.name_span = Span { start: at.start_byte() as u32, end: at.start_byte() as u32 + text.len() as u32 };
    decl.name = if text.contains(char::is_whitespace) {
        Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" "))
    } else {
        Cow::Borrowed(text)
    };
    if !scopes.is_empty() {
        site.qualifier = Some(scopes.join("::"));
    }
    if let Some(owner) = owner.filter(|_| matches!(decl.kind, Fn | Method | Variable | Const)) {
        if matches!(decl.kind, Variable | Const) {
            decl.kind = Field; // a static member that is defined outside of its class
        }
        site.heritage.push((Relation::SelfType, owner));
    }
}

/// The access section in force, and the class's own default before the first.
fn section(cx: &Cx, class: bool) -> (&'static str, Access) {
    let list = (1..12).filter_map(|level| cx.ancestor(level)).find(|at| at.node.kind() == "field_declaration_list");
    match list.map_or(0, |frame| frame.mark) {
        0 if class => ("", Access::Private),
        0 => ("", Access::Public),
        mark => SECTIONS[usize::from(mark - 1).min(2)],
    }
}

fn access_section(_: &Broad, cx: &mut Cx) -> Option<Walk> {
    let text = cx.text_of(&cx.node());
    let mark = SECTIONS.iter().position(|(word, _)| text.starts_with(word)).map_or(0, |at| at as u8 + 1);
    let list = (1..6).find(|level| cx.ancestor(*level).is_some_and(|at| at.node.kind() == "field_declaration_list"));
    if let Some(level) = list.filter(|_| cx.parent().is_some_and(|parent| parent.kind() != "base_class_clause")) {
        cx.set_mark(level, mark);
    }
    Some(Walk::Skip)
}

/// A template's parameters live in a scope of the same kind as the one around it, so that what is declared inside is
/// what it would be without the template.
fn template(_: &Broad, cx: &mut Cx) -> Option<Walk> {
    let kind = match cx.scope_kind(cx.current_scope()) {
        ScopeKind::File => ScopeKind::Module,
        kind => kind,
    };
    cx.open_scope(kind);
    None
}

/// `using a::b;`, `using namespace a::b;`, `using enum a::B;`.
fn using(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    let path = Find::Kinds(&["qualified_identifier", "identifier", "namespace_identifier"]).find(&node)?;
    let mut cursor = node.walk();
    let glob = node.children(&mut cursor).any(|child| child.kind() == "namespace" || child.kind() == "enum");
    note_using(rules, cx, &path, glob, None);
    Some(Walk::Skip)
}

fn namespace_alias(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    let alias = node.child_by_field_name("name").map(|name| cx.text_of(&name));
    let path = Find::Last.find(&node)?;
    note_using(rules, cx, &path, false, alias);
    Some(Walk::Skip)
}

fn note_using<'s>(rules: &Broad, cx: &mut Cx<'_, 's, '_>, path: &Syntax, glob: bool, alias: Option<&'s str>) {
    let text = cx.text_of(path);
    let (module, last) = text.rsplit_once("::").unwrap_or(("", text));
    let at = Span { start: span(path).end - last.len() as u32, end: span(path).end };
    let whole = glob || alias.is_some();
    rules.import(
        cx,
        Imported {
            path: text.into(),
            module: if whole { text } else { module }.into(),
            name: (!whole).then_some(last),
            alias,
            glob,
            reexport: false,
            at,
        },
    );
}

#[cfg(test)]
mod tests {
    use cruxe_model::SymbolKind;
    use cruxe_model::facts::{Access, Relation};

    use crate::languages::fixture_tests::extract;

    #[test]
    fn access_sections_hold_until_the_next_also_inside_conditions() {
        let text = "class A {\n int a;\npublic:\n int b;\n#ifdef X\n int c;\n#endif\nprivate:\n int d;\n};\nstruct B { int e; };";
        let facts = extract("a.cpp", text);
        let access = |name: &str| facts.symbols.iter().find(|at| at.name == name).unwrap().access;
        let all = ["a", "b", "c", "d", "e"].map(access);
        assert_eq!(all, [Access::Private, Access::Public, Access::Public, Access::Private, Access::Public]);
    }

    #[test]
    fn a_member_defined_outside_of_its_class_belongs_to_it() {
        let facts = extract("a.cc", "namespace n { int A::B::f() { return 1; } }");
        let symbol = facts.symbols.last().unwrap();
        assert_eq!((symbol.kind, symbol.qualified_name.as_str()), (SymbolKind::Method, "n::A::B::f"));
        assert_eq!(facts.heritage[0].relation, Relation::SelfType);
    }

    #[test]
    fn google_tests_are_called_after_their_arguments() {
        let facts = extract("a_test.cc", "TEST_F(Suite, Name) { run(); }\n");
        assert_eq!(facts.symbols[0].qualified_name, "Suite::Name");
        assert!(facts.symbols[0].flags.test);
    }

    #[test]
    fn tests_of_other_frameworks_are_called_after_their_arguments_too() {
        for (text, name, fixture) in [
            ("JSONTEST_FIXTURE_LOCAL(ValueTest, Null) { run(); }\n", "ValueTest::Null", true),
            ("BOOST_FIXTURE_TEST_CASE(parses, Lexed) { run(); }\n", "Lexed::parses", true),
            ("BENCHMARK_DEFINE_F(Store, Put) { run(); }\n", "Store::Put", true),
            ("BOOST_AUTO_TEST_CASE(parses) { run(); }\n", "parses", false),
        ] {
            let facts = extract("a_test.cc", text);
            assert_eq!(facts.symbols[0].qualified_name, name);
            assert_eq!(facts.heritage.iter().any(|own| own.relation == Relation::SelfType), fixture, "{text}");
        }
        assert_eq!(extract("a.cc", "HANDLER(Suite, name) { run(); }\n").symbols[0].name, "HANDLER");
    }

    #[test]
    fn macros_around_namespaces_do_not_hide_classes() {
        let facts =
            extract("a.hpp", "FOO_NAMESPACE_BEGIN\n\nclass FOO_EXPORT A : public B\n{\n};\n\nFOO_NAMESPACE_END\n");
        assert_eq!(facts.symbols[0].kind, SymbolKind::Class);
        assert_eq!(facts.symbols[0].name, "A");
    }

    #[test]
    fn the_import_of_a_module_is_no_variable() {
        let facts = extract("a.cc", "import lib;\nint lib2;\n");
        let names: Vec<_> = facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        assert_eq!(names, ["lib2"]);
    }

    #[test]
    fn a_friend_is_not_a_member() {
        let facts = extract("a.cpp", "class A { friend class B; friend void f(A&); };");
        assert_eq!(facts.symbols.len(), 1);
    }
}
