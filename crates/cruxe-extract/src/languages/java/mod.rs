//! Java: packages, nested types, records, annotations.

use cruxe_model::SymbolKind::{Class, Const, Enum, Field, Interface, Method, Module, Variable, Variant};
use cruxe_model::facts::BindingKind::{Element, Local, Param, TypeParam};
use cruxe_model::facts::Role::{self, Call, Decorator, Key, Make, Type, Value, Write};
use cruxe_model::facts::{Access, Expr, ExprId, Relation, ScopeKind, Span};

use super::broad::passed::PASSING;
use super::broad::{
    self, As, At, Broad, Find, Heritage, Imported, Shape, Site, TABLE, Table, TypeShape, attribute, call, comment, def,
    function, hook, inner, literal, member, modifiers, name, places, primitive, roles, scope, type_def, type_name,
};
use super::common::{ends_with_word, has_any};
use crate::build::Decl;
use crate::language::{FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{NAMING, Naming};
use crate::recover::{BRACES, Lexis};
use crate::walk::{Cx, Walk, span};

/// The Java language.
pub static JAVA: LanguageDef = LanguageDef {
    id: "java",
    name: "java",
    extensions: &["java"],
    front_end: FrontEnd::Grammar {
        grammar: || tree_sitter_java::LANGUAGE.into(),
        rules: |grammar| broad::rules(grammar, &JAVA_TABLE),
    },
    is_test_path: |path| has_any(path, &["src/test/", "src/androidTest/", "src/integrationTest/", "src/testFixtures/"]),
    is_test_name: |name| ends_with_word(name, &["Test", "Tests", "IT"]),
    naming: Naming {
        runs_unnamed: |name, _| matches!(name, "close" | "iterator" | "toString"),
        overloads: true,
        converts: false,
        methods_apart: true,
        heads_outside: true,
        capital_types: true,
        everyday: EVERYDAY,
        ..NAMING
    },
    ..LANGUAGE
};

const TYPES: &[&str] = &[
    "type_identifier",
    "scoped_type_identifier",
    "generic_type",
    "array_type",
    "annotated_type",
    "integral_type",
    "floating_point_type",
    "boolean_type",
];

pub(super) static JAVA_TABLE: Table = Table {
    nodes: &[
        (&["identifier"], name()),
        (&["type_identifier"], type_name()),
        (&["line_comment"], comment(&["///"])),
        (&["block_comment"], comment(&["/**"])),
        (&["integral_type", "floating_point_type", "boolean_type", "void_type"], primitive()),
        (&["modifiers"], modifiers()),
        (&["annotation", "marker_annotation"], attribute().roles(&[(At::Field("name"), As::Role(Decorator))])),
        (&["element_value_pair"], roles(&[(At::Field("key"), As::Role(Key))])),
        (&["switch_label"], roles(&[(At::Any, As::Role(Key))])),
        (&["package_declaration"], hook(package)),
        (&["import_declaration"], hook(import)),
        (&["module_declaration"], def(Module).open(ScopeKind::Module)),
        // Types.
        (&["class_declaration", "record_declaration"], type_def(Class)),
        (&["interface_declaration", "annotation_type_declaration"], type_def(Interface)),
        (&["enum_declaration"], type_def(Enum)),
        (&["enum_constant"], def(Variant)),
        (&["class_body"], broad::NODE.type_body()),
        (&["superclass"], SUPER.heritage(Heritage::All(Relation::Extends))),
        (&["super_interfaces"], SUPER.heritage(Heritage::All(Relation::Implements))),
        (&["extends_interfaces"], SUPER.heritage(Heritage::All(Relation::Extends))),
        (&["type_list"], roles(&[(At::Any, As::Inherit)]).ty(TypeShape::All("&"))),
        (&["type_parameter"], roles(&[(At::Any, As::Bind(TypeParam))]).of_type(Find::Kind("type_bound"))),
        (&["type_bound"], inner(Find::Nth(0))),
        // Members.
        (&["method_declaration"], function().of_type(Find::Field("type"))),
        (&["constructor_declaration", "compact_constructor_declaration"], def(Method).open(ScopeKind::Function)),
        (&["annotation_type_element_declaration"], def(Method).of_type(Find::Field("type"))),
        (
            &["field_declaration", "constant_declaration", "local_variable_declaration"],
            roles(&[(At::Field("declarator"), As::Declare(Variable, Field))]).of_type(Find::Field("type")),
        ),
        (&["variable_declarator"], roles(&[(At::Field("name"), As::Inherit)]).of_value(Find::Field("value"))),
        (&["formal_parameter"], roles(&[(At::Field("name"), As::Param)]).of_type(Find::Field("type"))),
        (&["spread_parameter"], roles(&[(At::Last, As::Bind(Param))]).of_type(Find::Kinds(TYPES))),
        (&["static_initializer"], scope(ScopeKind::Function)),
        // Statements.
        (&["block"], broad::NODE.hook(block)),
        (
            &[
                "for_statement",
                "try_with_resources_statement",
                "catch_clause",
                "switch_block_statement_group",
                "switch_rule",
            ],
            scope(ScopeKind::Block),
        ),
        (
            &["enhanced_for_statement"],
            scope(ScopeKind::Block)
                .roles(&[(At::Field("name"), As::Bind(Element))])
                .of_type(Find::Field("type"))
                .of_value(Find::Field("value")),
        ),
        (
            &["resource"],
            roles(&[(At::Field("name"), As::Bind(Local))]).of_type(Find::Field("type")).of_value(Find::Field("value")),
        ),
        (&["catch_formal_parameter"], roles(&[(At::Field("name"), As::Bind(Local))]).of_type(Find::Kind("catch_type"))),
        (&["catch_type"], inner(Find::Nth(0))),
        (&["lambda_expression"], scope(ScopeKind::Function).roles(LAMBDA).expr(Shape::Literal("fn"))),
        (&["inferred_parameters"], roles(&[(At::Any, As::Bind(Param))])),
        (&["labeled_statement"], roles(&[(At::First, As::Nothing)])),
        (&["break_statement", "continue_statement"], roles(&[(At::Any, As::Nothing)])),
        (
            &["instanceof_expression"],
            roles(&[(At::Field("name"), As::Bind(Local)), (At::Field("right"), As::Role(Type))])
                .of_type(Find::Field("right")),
        ),
        (&["type_pattern", "record_pattern_component"], roles(PATTERN).of_type(Find::Kinds(TYPES))),
        (&["record_pattern"], roles(&[(At::First, As::Role(Type))])),
        // Expressions.
        (
            &["method_invocation"],
            member("object", "name").expr(Shape::Call(Find::Nothing)).roles(&[(At::Field("name"), As::Role(Call))]),
        ),
        (&["field_access"], member("object", "field").roles(&[(At::Field("field"), As::Inherit)])),
        (
            &["method_reference"],
            broad::NODE
                .member(Find::Nth(0), Find::Last)
                .roles(&[(At::First, As::Ask(referred)), (At::Last, As::Role(Value))]),
        ),
        (
            &["object_creation_expression"],
            call(Find::Field("type"))
                .expr(Shape::Typed(Find::Field("type")))
                .roles(&[(At::Field("type"), As::Ask(places::created))]),
        ),
        (&["assignment_expression"], roles(&[(At::Field("left"), As::Role(Write))])),
        (&["update_expression"], roles(&[(At::Any, As::Role(Write))])),
        (
            &["array_access"],
            broad::NODE
                .expr(Shape::Index(Find::Field("array")))
                .roles(&[(At::Field("array"), As::Ask(places::element))]),
        ),
        (&["cast_expression"], broad::NODE.expr(Shape::Typed(Find::Field("type")))),
        (&["parenthesized_expression"], inner(Find::Nth(0))),
        (&["this"], broad::NODE.expr(Shape::SelfValue)),
        (&["super"], broad::NODE.expr(Shape::Super)),
        (&["string_literal"], literal("str")),
        (&["decimal_integer_literal", "hex_integer_literal"], literal("int")),
        (&["decimal_floating_point_literal"], literal("float")),
        (&["true", "false"], literal("bool")),
        // Types and paths as they are used.
        (
            &["scoped_identifier"],
            member("scope", "name").roles(&[(At::Field("name"), As::Inherit)]).ty(TypeShape::Path(Find::Nothing)),
        ),
        (
            &["scoped_type_identifier"],
            broad::NODE
                .member(Find::Nth(0), Find::Last)
                .roles(&[(At::Last, As::Inherit)])
                .ty(TypeShape::Path(Find::Nothing)),
        ),
        (
            &["generic_type"],
            roles(&[(At::First, As::Inherit)]).ty(TypeShape::Generic(Find::Nth(0), Find::Kind("type_arguments"))),
        ),
        (&["annotated_type"], inner(Find::Last).roles(&[(At::Last, As::Inherit)])),
        (&["array_type"], broad::NODE.ty(TypeShape::Unnamed("[]", Find::Field("element")))),
        (&["wildcard"], inner(Find::Last)),
    ],
    keywords: &["var"],
    access: &[("public", Access::Public), ("protected", Access::Protected), ("private", Access::Private)],
    test_attributes: &[
        "Test",
        "ParameterizedTest",
        "RepeatedTest",
        "TestFactory",
        "Before",
        "BeforeEach",
        "BeforeAll",
        "BeforeClass",
        "After",
        "AfterEach",
        "AfterAll",
        "AfterClass",
    ],
    recover: &[("class", Class), ("interface", Interface), ("enum", Enum), ("record", Class)],
    refine,
    key_of,
    lexis: Some(&LEXIS),
    arguments: &["argument_list"],
    passing: Some(PASSING),
    ..TABLE
};

/// The list of all languages, and what the classes of `java.lang` and `java.util` add.
const EVERYDAY: &str = "get set add remove put size length isEmpty contains clear toString equals hashCode name value \
    values keys next hasNext iterator stream map filter forEach collect append insert delete push \
    pop close open read write flush run start stop join split trim format begin end front back empty \
    count find first last each select type id data \
    addAll booleanValue byteValue charAt charValue compareTo computeIfAbsent containsAll containsKey containsValue \
    doubleValue endsWith entrySet floatValue getCause getClass getKey getMessage getOrDefault getSimpleName getStackTrace \
    getValue ifPresent indexOf intValue isAssignableFrom isInstance isPresent keySet lastIndexOf listIterator longValue \
    matches newInstance orElse orElseGet ordinal printStackTrace putAll putIfAbsent removeAll retainAll shortValue sleep \
    startsWith subList substring toArray toLowerCase toUpperCase valueOf";

static LEXIS: Lexis = Lexis { triple: true, ..BRACES };

const SUPER: broad::Node = roles(&[(At::Any, As::Super)]);
const LAMBDA: &[(At, As)] = &[(At::Field("parameters"), As::Bind(Param))];
const PATTERN: &[(At, As)] = &[(At::Last, As::Bind(Local)), (At::First, As::Role(Type))];

fn refine<'s, 't>(_: &mut Cx<'_, 's, 't>, site: &mut Site<'s, 't>, decl: &mut Decl<'s>) -> bool {
    let interface = site.container == Some(Interface);
    if decl.access == Access::Unknown {
        // Members of interfaces and cases of enumerations are as public as their type.
        decl.access = if interface || decl.kind == Variant { Access::Public } else { Access::Crate };
    }
    if site.node.kind() == "formal_parameter" {
        decl.access = Access::Public; // a component of a record has an accessor of the same name
    }
    if site.node.kind() == "constructor_declaration" && site.container == Some(Enum) {
        decl.access = Access::Private;
    }
    if decl.kind == Field && (interface || (site.has("static") && site.has("final"))) {
        decl.kind = Const;
    }
    true
}

/// `T::new` makes a value, `T::method` does not.
fn referred(cx: &Cx, level: usize) -> As {
    let node = cx.ancestor(level).map(|frame| frame.node);
    let last = node.and_then(|node| node.child(node.child_count().saturating_sub(1)));
    if last.is_some_and(|last| last.kind() == "new") { As::Role(Make) } else { As::Plain }
}

/// What a key is a name of: the element of an annotation, the constant of what a `switch` is about.
fn key_of(rules: &Broad, cx: &mut Cx, level: usize) -> Option<ExprId> {
    let node = cx.ancestor(level)?.node;
    if node.kind() == "element_value_pair" {
        let name = cx.ancestor(level + 2)?.node.child_by_field_name("name")?;
        let path: Vec<&str> = cx.text_of(&name).split('.').map(str::trim).collect();
        let path = path.into_iter().map(|part| cx.name(part)).collect();
        let ty = cx.ty(path, Vec::new());
        return Some(cx.expr(Expr::Typed(ty)));
    }
    let switch = (level + 1..level + 5).find_map(|level| cx.ancestor(level)?.node.child_by_field_name("condition"))?;
    let value = rules.expr(cx, &switch);
    Some(cx.expr(Expr::Unwrap(value)))
}

fn package(_: &Broad, cx: &mut Cx) -> Option<Walk> {
    let path = Find::Kinds(&["scoped_identifier", "identifier"]).find(&cx.node());
    if let Some(path) = path {
        let module: String = cx.text_of(&path).split_whitespace().collect();
        cx.set_module(module);
    }
    Some(Walk::Skip)
}

/// `import a.b.C`, `import a.b.*`, `import static a.b.C.d`.
fn import(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    let path = Find::Kinds(&["scoped_identifier", "identifier"]).find(&node)?;
    let text = cx.text_of(&path);
    let glob = Find::Kind("asterisk").find(&node).is_some();
    let (module, last) = text.rsplit_once('.').unwrap_or(("", text));
    let end = span(&path).end;
    let at = Span { start: end - last.len() as u32, end };
    rules.import(
        cx,
        Imported {
            path: if glob { format!("{text}.*").into() } else { text.into() },
            module: if glob { text } else { module }.into(),
            name: (!glob).then_some(last),
            alias: None,
            glob,
            reexport: false,
            at,
        },
    );
    // The types on the way are named too: `C` of `import static a.b.C.d`.
    let types = if glob { text } else { module };
    let mut start = span(&path).start;
    for part in types.split('.') {
        let name = part.trim();
        if name.starts_with(|c: char| c.is_uppercase()) && !(glob && start + part.len() as u32 == end) {
            cx.occurrence_at(name, start + (part.len() - part.trim_start().len()) as u32, Role::Import, None);
        }
        start += part.len() as u32 + 1;
    }
    Some(Walk::Skip)
}

/// A block of a class is an initialiser, which runs like a function.
fn block(_: &Broad, cx: &mut Cx) -> Option<Walk> {
    let initialiser = cx.parent().is_some_and(|parent| parent.kind() == "class_body");
    cx.open_scope(if initialiser { ScopeKind::Function } else { ScopeKind::Block });
    None
}

#[cfg(test)]
mod tests {
    use crate::languages::fixture_tests::extract;

    #[test]
    fn everything_under_src_test_is_for_tests_and_nothing_else_by_its_place() {
        let text = "package a; class Helper { void help() {} }";
        assert!(extract("lib/src/test/java/a/Helper.java", text).symbols.iter().all(|symbol| symbol.flags.test));
        assert!(extract("lib/src/main/java/a/Helper.java", text).symbols.iter().all(|symbol| !symbol.flags.test));
    }

    #[test]
    fn the_package_replaces_whatever_module_the_place_gives() {
        let facts = extract("odd/place/A.java", "package com . acme;\nclass A { class B { int c; } }");
        assert_eq!(facts.module, "com.acme");
        assert_eq!(facts.symbols.last().unwrap().qualified_name, "com.acme.A.B.c");
    }

    #[test]
    fn overloads_stay_apart_by_their_ordinal() {
        let facts = extract("A.java", "class A { void f(int a) {} void f(String a) {} }");
        let ordinals: Vec<_> = facts.symbols.iter().filter(|at| at.name == "f").map(|at| at.ordinal).collect();
        assert_eq!(ordinals, [0, 1]);
    }

    #[test]
    fn a_class_that_a_syntax_error_hides_is_still_found() {
        let facts = extract("A.java", "public class Broken { int f( { } ) ( class Other {");
        assert!(facts.symbols.iter().any(|symbol| symbol.name == "Broken"), "{:?}", facts.symbols);
    }

    #[test]
    fn names_in_strings_and_comments_are_no_occurrences() {
        let facts = extract("A.java", "class A { /* ghost */ String s = \"ghost()\"; // ghost\n}");
        assert!(!facts.names.iter().any(|name| name.contains("ghost")));
    }
}
