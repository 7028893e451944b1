//! Scala 2 and 3: objects, traits, givens, extensions, import selectors.

mod hooks;

use cruxe_model::SymbolKind::{Class, Const, Enum, Field, Fn, Impl, Module, Trait, Type, Variable, Variant};
use cruxe_model::facts::BindingKind::{Element, Local, Param, TypeParam};
use cruxe_model::facts::Role::{self, Call, Decorator};
use cruxe_model::facts::{Access, Relation, ScopeKind};

use super::broad::passed::{PASSING, Passing};
use super::broad::{
    self, As, At, Find, Heritage, NODE, Shape, TABLE, Table, TypeShape, attribute, comment, def, function, hook, inner,
    literal, member, modifiers, name, places, roles, scope, type_def, type_name,
};
use super::common::{ends_with_word, has_any};
use crate::language::{FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{NAMING, Naming};
use crate::recover::{BRACES, Lexis};

/// The Scala language.
pub static SCALA: LanguageDef = LanguageDef {
    id: "scala",
    name: "scala",
    extensions: &["scala", "sc", "sbt"],
    interpreters: &["scala"],
    front_end: FrontEnd::Grammar {
        grammar: || tree_sitter_scala::LANGUAGE.into(),
        rules: |grammar| broad::rules(grammar, &SCALA_TABLE),
    },
    family: Some(&super::java::JAVA),
    is_test_path: |path| has_any(path, &["src/test/", "src/it/"]),
    is_test_name: |name| ends_with_word(name, &["Spec", "Specs"]),
    naming: Naming {
        runs_unnamed: |name, _| name == "unapply" || !name.starts_with(|c: char| c.is_alphanumeric() || c == '_'),
        lists_operators: true,
        overloads: true,
        bare_calls: true,
        call: Some("apply"),
        ..NAMING
    },
    ..LANGUAGE
};

pub(super) static SCALA_TABLE: Table = Table {
    nodes: &[
        (&["identifier"], name()),
        (&["type_identifier"], type_name()),
        (&["comment", "block_comment"], comment(&["/**"])),
        (&["modifiers"], modifiers()),
        (&["access_qualifier"], roles(&[(At::Any, As::Nothing)])),
        (&["annotation"], attribute().roles(&[(At::Field("name"), As::Role(Decorator))])),
        (&["package_clause"], def(Module).open(ScopeKind::Module).needs_body().hook(hooks::package)),
        (&["package_identifier"], roles(&[(At::Any, As::Nothing)])),
        (&["import_declaration", "export_declaration"], hook(hooks::import)),
        // Types.
        (&["class_definition"], type_def(Class)),
        (&["trait_definition"], type_def(Trait)),
        (&["object_definition", "package_object"], type_def(Module)),
        (&["enum_definition"], type_def(Enum)),
        (&["simple_enum_case", "full_enum_case"], def(Variant).body(Find::Nothing)),
        (&["template_body", "with_template_body"], NODE.type_body()),
        (&["given_definition"], type_def(Impl).named(Find::By(hooks::given_name)).roles(RETURN_TYPE)),
        (
            &["extension_definition"],
            type_def(Impl).named(Find::By(hooks::extended_type)).roles(&[(At::Any, As::Plain)]),
        ),
        (&["extends_clause"], roles(&[(At::Field("type"), As::Super)]).heritage(Heritage::By(hooks::relation))),
        (&["derives_clause"], roles(&[(At::Any, As::Super)]).heritage(Heritage::All(Relation::Implements))),
        (&["type_definition"], def(Type).body(Find::Nothing).of_type(TYPE)),
        (
            &["type_parameters", "covariant_type_parameter", "contravariant_type_parameter"],
            roles(&[(At::Field("name"), As::Bind(TypeParam))]).of_type(Find::By(hooks::bound)),
        ),
        (
            &["self_type"],
            roles(&[(At::FirstKind("identifier"), As::Bind(Local))]).of_type(Find::Last).default_role(Role::Type),
        ),
        // Members.
        (
            &["function_definition", "function_declaration"],
            function().of_type(Find::Field("return_type")).of_value(Find::Field("body")),
        ),
        (
            &["val_definition"],
            roles(&[(At::Field("pattern"), As::Declare(Const, Field))]).of_type(TYPE).of_value(VALUE),
        ),
        (&["val_declaration"], roles(&[(At::Field("name"), As::Declare(Const, Field))]).of_type(TYPE)),
        (
            &["var_definition"],
            roles(&[(At::Field("pattern"), As::Declare(Variable, Field))]).of_type(TYPE).of_value(VALUE),
        ),
        (&["var_declaration"], roles(&[(At::Field("name"), As::Declare(Variable, Field))]).of_type(TYPE)),
        (&["class_parameter"], roles(&[(At::Field("name"), As::Param)]).of_type(TYPE)),
        (&["parameter", "binding"], roles(&[(At::Field("name"), As::Bind(Param))]).of_type(TYPE)),
        // Expressions with scopes, and patterns.
        (&["block", "indented_block"], scope(ScopeKind::Block).expr(Shape::Inner(Find::Last))),
        (&["for_expression"], scope(ScopeKind::Block)),
        (&["case_clause"], scope(ScopeKind::Block).roles(&[(At::Field("pattern"), As::Ask(hooks::pattern))])),
        (&["enumerator"], roles(&[(At::First, As::Bind(Element))]).of_value(Find::Nth(1))),
        (
            &["case_class_pattern"],
            roles(&[(At::Field("pattern"), As::Inherit), (At::Field("type"), As::Role(Role::Type))]),
        ),
        (&["typed_pattern"], roles(&[(At::Field("pattern"), As::Inherit)]).of_type(TYPE)),
        (
            &["capture_pattern"],
            roles(&[(At::Field("name"), As::Bind(Local)), (At::Field("pattern"), As::Inherit)])
                .of_type(Find::By(hooks::captured)),
        ),
        (&["tuple_pattern", "alternative_pattern", "identifiers"], roles(&[(At::Any, As::Inherit)])),
        (&["infix_pattern"], roles(&[(At::Field("left"), As::Inherit), (At::Field("right"), As::Inherit)])),
        (
            &["lambda_expression"],
            scope(ScopeKind::Function).roles(&[(At::Field("parameters"), As::Bind(Param))]).expr(Shape::Literal("fn")),
        ),
        (&["colon_argument"], scope(ScopeKind::Function).roles(&[(At::Field("lambda_start"), As::Bind(Param))])),
        // Expressions.
        (
            &["call_expression"],
            NODE.expr(Shape::Generic(Find::Field("function"), Find::By(hooks::type_arguments)))
                .roles(&[(At::Field("function"), As::Role(Call))]),
        ),
        (
            &["generic_function"],
            inner(Find::Field("function")).expr(Shape::Ask(hooks::cast)).roles(&[(At::Field("function"), As::Inherit)]),
        ),
        (&["field_expression"], member("value", "field").roles(&[(At::Field("field"), As::Inherit)])),
        (
            &["infix_expression"],
            member("left", "operator")
                .hook(hooks::operator)
                .expr(Shape::Call(Find::Nothing))
                .roles(&[(At::Field("operator"), As::Role(Call)), (At::Field("left"), As::Ask(hooks::left_operand))]),
        ),
        (
            &["instance_expression"],
            NODE.expr(Shape::Typed(Find::Nth(0))).roles(&[(At::First, As::Ask(places::created))]),
        ),
        (&["assignment_expression"], roles(&[(At::Field("left"), As::Ask(hooks::assigned))])),
        (&["interpolated_string_expression"], literal("str").roles(&[(At::Field("interpolator"), As::Nothing)])),
        (&["wildcard"], NODE.expr(Shape::Placeholder)),
        (&["parenthesized_expression"], inner(Find::Nth(0))),
        (&["string"], literal("str")),
        (&["integer_literal"], literal("int")),
        (&["floating_point_literal"], literal("float")),
        (&["boolean_literal"], literal("bool")),
        // Types as they are used.
        (
            &["stable_identifier", "stable_type_identifier"],
            NODE.member(Find::Nth(0), Find::Last).roles(&[(At::Last, As::Inherit)]).ty(TypeShape::Path(Find::Nothing)),
        ),
        (&["projected_type"], roles(&[(At::Field("selector"), As::Inherit)]).ty(TypeShape::Path(Find::Nothing))),
        (
            &["generic_type"],
            roles(&[(At::Field("type"), As::Inherit)]).ty(TypeShape::Generic(TYPE, Find::Field("type_arguments"))),
        ),
        (&["applied_constructor_type"], inner(Find::Nth(0)).roles(&[(At::First, As::Inherit)])),
        (&["compound_type"], inner(Find::Field("base")).roles(&[(At::Field("base"), As::Inherit)])),
        (&["annotated_type", "singleton_type"], inner(Find::Nth(0)).roles(&[(At::First, As::Inherit)])),
        (&["lazy_parameter_type", "repeated_parameter_type"], inner(TYPE)),
        (&["function_type"], NODE.ty(TypeShape::Function(Find::Field("parameter_types"), Find::Field("return_type")))),
        (&["tuple_type"], NODE.ty(TypeShape::All("()"))),
        (
            &["infix_type"],
            NODE.ty(TypeShape::Inner(Find::Field("left"))).roles(&[(At::Field("operator"), As::Role(Role::Type))]),
        ),
    ],
    type_fields: &["type", "return_type"],
    keywords: &["_"],
    access: &[("private", Access::Private), ("protected", Access::Protected)],
    recover: &[("class", Class), ("trait", Trait), ("object", Module), ("enum", Enum), ("def", Fn)],
    refine: hooks::refine,
    arguments: &["arguments"],
    passing: Some(Passing { lists: &["arguments"], spread: &["vararg"], free_names: true, ..PASSING }),
    is_tuple: |outer, _| outer.kind() == "tuple_pattern",
    key_of: hooks::key_of,
    lexis: Some(&LEXIS),
    ..TABLE
};

static LEXIS: Lexis = Lexis {
    nested_comments: true,
    triple: true,
    lines: true,
    types: &["class", "trait", "object", "enum"],
    in_function: ("def f() = {", "}"),
    ..BRACES
};

const TYPE: Find = Find::Field("type");
const VALUE: Find = Find::Field("value");
const RETURN_TYPE: &[(At, As)] = &[(At::Field("return_type"), As::Role(Role::Implements))];

#[cfg(test)]
mod tests {
    use cruxe_model::SymbolKind;
    use cruxe_model::facts::{BindingKind, Expr, Role};

    use crate::languages::fixture_tests::extract;

    #[test]
    fn package_clauses_add_up_and_packages_with_a_body_are_symbols() {
        let facts = extract("A.scala", "package a.b\npackage c\nclass D");
        assert_eq!(facts.symbols[0].qualified_name, "a.b.c.D");
        let facts = extract("A.scala", "package a.b {\n class D\n}");
        let names: Vec<_> = facts.symbols.iter().map(|symbol| symbol.qualified_name.as_str()).collect();
        assert_eq!(names, ["a.b", "a.b.D"]);
    }

    #[test]
    fn parameters_of_case_classes_are_fields() {
        let facts = extract("A.scala", "case class A(x: Int)\nclass B(y: Int)");
        let fields: Vec<_> =
            facts.symbols.iter().filter(|at| at.kind == SymbolKind::Field).map(|at| &at.name).collect();
        assert_eq!(fields, ["x"]);
    }

    #[test]
    fn a_placeholder_takes_what_the_callee_around_it_takes_and_does_not_go_round() {
        let facts = extract("A.scala", "class A { def f(xs: List[B]) = xs.map(_.size) ++ g(_.map(_.h(_.k)), _.l(_)) }");
        let receiver = |name: &str| {
            let one = facts.occurrences.iter().find(|at| facts.name(at.name) == name).unwrap();
            facts.exprs[one.receiver.unwrap().0 as usize].clone()
        };
        assert!(matches!(receiver("size"), Expr::Argument(_, 0)));
        assert_eq!(receiver("h"), Expr::Unknown);
    }

    #[test]
    fn a_pattern_introduces_lower_case_names_only() {
        let facts = extract("A.scala", "def f(x: Any) = x match { case Max => 1; case other => g(other, name = 2) }");
        let locals: Vec<_> =
            facts.bindings.iter().filter(|at| at.kind == BindingKind::Local).map(|at| facts.name(at.name)).collect();
        assert_eq!(locals, ["other"]);
        let role = |name: &str| facts.occurrences.iter().find(|at| facts.name(at.name) == name).unwrap().role;
        assert_eq!((role("Max"), role("name")), (Role::Value, Role::Key));
    }
}
