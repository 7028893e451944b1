//! Kotlin: top-level functions, extension functions, properties, companion objects.

mod hooks;
mod newer;

use cruxe_model::SymbolKind::{Class, Fn, Interface, Method, Property, Type, Variable, Variant};
use cruxe_model::facts::BindingKind::{Element, Local, Param, TypeParam};
use cruxe_model::facts::Role::{self, Call, Decorator, Value, Write};
use cruxe_model::facts::{Access, ScopeKind};

use super::broad::passed::{PASSING, Passing};
use super::broad::{
    self, As, At, Find, Heritage, NODE, Shape, TABLE, Table, TypeShape, attribute, comment, def, function, hook, inner,
    literal, modifiers, name, places, roles, scope, type_def,
};
use super::common::has_any;
use crate::language::{FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{NAMING, Naming};
use crate::recover::{BRACES, Lexis};

/// The Kotlin language.
pub static KOTLIN: LanguageDef = LanguageDef {
    id: "kotlin",
    name: "kotlin",
    extensions: &["kt", "kts"],
    front_end: FrontEnd::Grammar {
        grammar: || tree_sitter_kotlin_ng::LANGUAGE.into(),
        rules: |grammar| broad::rules(grammar, &KOTLIN_TABLE),
    },
    is_test_path: |path| has_any(path, &["src/test/", "src/androidTest/", "Test/", "/test/"]),
    family: Some(&super::java::JAVA),
    naming: Naming {
        lists_operators: true,
        operators: hooks::METHODS,
        runs_unnamed: |name, signature| {
            signature.contains("operator fun") || matches!(name, "compareTo" | "equals" | "hashCode" | "toString")
        },
        constructor: Some("constructor"),
        elements: &["get", "next"],
        companion: Some("companion object"),
        receivers: true,
        parts: &["expect", "actual"],
        overloads: true,
        converts: false,
        ..NAMING
    },
    ..LANGUAGE
};

pub(super) static KOTLIN_TABLE: Table = Table {
    nodes: &[
        (&["identifier"], name()),
        (&["line_comment", "block_comment"], comment(&["/**"])),
        (&["modifiers"], modifiers()),
        (&["annotation", "file_annotation"], attribute().roles(&[(At::Any, As::Role(Decorator))])),
        (&["package_header"], hook(hooks::package)),
        (&["import"], hook(hooks::import)),
        // Types.
        (&["class_declaration"], type_def(Class).body(CLASS_BODY)),
        (&["object_declaration"], type_def(Class).body(CLASS_BODY)),
        (&["companion_object"], type_def(Class).named(Find::By(hooks::companion_name)).body(CLASS_BODY)),
        (&["enum_entry"], def(Variant).named(Find::Kind("identifier")).body(CLASS_BODY)),
        (&["class_body", "enum_class_body"], NODE.type_body()),
        (&["type_alias"], def(Type).named(Find::Field("type")).body(Find::Nothing).of_type(Find::Last)),
        (&["type_parameter"], roles(&[(At::Kind("identifier"), As::Bind(TypeParam))]).of_type(Find::Kind("user_type"))),
        (&["type_constraint"], NODE.default_role(Role::Type)),
        (
            &["delegation_specifiers"],
            inner(Find::Nth(0)).roles(&[(At::Any, As::Super)]).heritage(Heritage::By(hooks::relation)),
        ),
        (&["delegation_specifier"], inner(Find::Last).roles(&[(At::Last, As::Inherit)])),
        (&["object_literal"], NODE.expr(Shape::Typed(Find::Kind("delegation_specifiers")))),
        (&["constructor_invocation"], inner(Find::Nth(0)).roles(&[(At::First, As::Inherit)])),
        (&["explicit_delegation"], inner(Find::Nth(0)).roles(&[(At::First, As::Inherit), (At::Last, As::Role(Value))])),
        // Members.
        (
            &["function_declaration"],
            function()
                .body(Find::Kind("function_body"))
                .of_type(Find::By(hooks::result))
                .of_value(Find::By(hooks::expression_body)),
        ),
        (
            &["secondary_constructor"],
            def(Method).named(Find::By(hooks::constructor_word)).body(Find::Kind("block")).open(ScopeKind::Function),
        ),
        (&["property_declaration"], roles(PROPERTY).of_value(Find::By(hooks::value))),
        (
            &["variable_declaration"],
            roles(&[(At::FirstKind("identifier"), As::Inherit)]).of_type(Find::Kinds(hooks::TYPES)),
        ),
        (&["multi_variable_declaration"], roles(&[(At::Any, As::Inherit)])),
        (&["class_parameter"], roles(&[(At::FirstKind("identifier"), As::Param)]).of_type(Find::Kinds(hooks::TYPES))),
        (
            &["parameter"],
            roles(&[(At::Kind("identifier"), As::Inherit)])
                .of_type(Find::Kinds(hooks::TYPES))
                .ty(TypeShape::Inner(Find::Kinds(hooks::TYPES))),
        ),
        (&["function_value_parameters"], roles(&[(At::Kind("parameter"), As::Bind(Param))])),
        (&["function_type_parameters"], roles(&[(At::Kind("parameter"), As::Nothing)])),
        (&["anonymous_initializer"], scope(ScopeKind::Function)),
        (&["getter"], scope(ScopeKind::Function)),
        (&["setter"], scope(ScopeKind::Function).roles(&[(At::FirstKind("identifier"), As::Bind(Param))])),
        // Statements.
        (&["block"], scope(ScopeKind::Block).hook(hooks::tested_block)),
        (&["when_entry"], scope(ScopeKind::Block).hook(hooks::tested_entry)),
        (&["when_expression"], scope(ScopeKind::Block)),
        (&["if_expression"], hook(hooks::left_otherwise)),
        (
            &["for_statement"],
            scope(ScopeKind::Block)
                .roles(&[
                    (At::Kind("variable_declaration"), As::Bind(Element)),
                    (At::Kind("multi_variable_declaration"), As::Bind(Element)),
                ])
                .of_value(Find::Nth(1)),
        ),
        (&["when_subject"], roles(&[(At::Kind("variable_declaration"), As::Bind(Local))]).of_value(Find::Last)),
        (
            &["catch_block"],
            scope(ScopeKind::Block)
                .roles(&[(At::FirstKind("identifier"), As::Bind(Local))])
                .of_type(Find::Kind("user_type")),
        ),
        (
            &["lambda_literal", "anonymous_function"],
            scope(ScopeKind::Function).expr(Shape::Literal("fn")).hook(hooks::lambda),
        ),
        (
            &["lambda_parameters"],
            roles(&[
                (At::Kind("variable_declaration"), As::Bind(Param)),
                (At::Kind("multi_variable_declaration"), As::Bind(Param)),
            ]),
        ),
        // Expressions.
        (
            &["call_expression"],
            NODE.expr(Shape::Generic(Find::Nth(0), Find::Kind("type_arguments"))).roles(&[(At::First, As::Role(Call))]),
        ),
        (
            &["navigation_expression"],
            NODE.member(Find::Nth(0), Find::Last).roles(&[(At::First, As::Plain), (At::Last, As::Inherit)]),
        ),
        (
            &["infix_expression"],
            NODE.member(Find::Nth(0), Find::Nth(1))
                .expr(Shape::Call(Find::Nothing))
                .roles(&[(At::Any, As::Ask(hooks::infix))]),
        ),
        (&["binary_expression"], hook(hooks::operator).expr(Shape::By(hooks::either))),
        (&["property_delegate"], NODE.expr(Shape::Inner(Find::By(hooks::lazy_value)))),
        (
            &["callable_reference"],
            NODE.member(Find::By(hooks::referred), Find::Last)
                .roles(&[(At::Last, As::Role(Value))])
                .default_role(Role::Type),
        ),
        (&["assignment"], roles(&[(At::Field("left"), As::Role(Write))]).hook(hooks::operator)),
        (
            &["unary_expression"],
            inner(Find::Field("argument")).roles(&[(At::Field("argument"), As::Ask(places::operand))]),
        ),
        (&["value_argument"], roles(&[(At::First, As::Ask(hooks::argument))])),
        (&["return_expression"], roles(&[(At::Field("label"), As::Nothing)])),
        (&["this_expression"], roles(&[(At::Any, As::Ask(hooks::label))]).expr(Shape::Ask(hooks::own_value))),
        (&["super_expression"], NODE.expr(Shape::Super)),
        (
            &["index_expression"],
            NODE.expr(Shape::Index(Find::Nth(0)))
                .roles(&[(At::First, As::Ask(places::element))])
                .hook(hooks::subscript),
        ),
        (&["as_expression"], NODE.expr(Shape::Typed(Find::Field("right")))),
        (&["parenthesized_expression"], inner(Find::Nth(0))),
        (&["string_literal", "multiline_string_literal"], literal("str").hook(hooks::string)),
        (&["number_literal"], literal("int")),
        (&["float_literal"], literal("float")),
        // Types as they are used.
        (
            &["user_type"],
            roles(&[(At::LastKind("identifier"), As::Inherit)])
                .default_role(Role::Type)
                .ty(TypeShape::Path(Find::Kind("type_arguments")))
                .expr(Shape::Inner(Find::LastKind("identifier"))),
        ),
        (
            &["nullable_type", "non_nullable_type", "parenthesized_type", "type_projection"],
            inner(Find::Last).roles(&[(At::Any, As::Inherit)]),
        ),
        (
            &["function_type"],
            NODE.ty(TypeShape::Method(Find::By(hooks::worked_on), Find::Kind("function_type_parameters"), Find::Last)),
        ),
    ],
    // `true` and `false` are names for this grammar, `class` in `Foo::class` too.
    keywords: &["true", "false", "null", "class", "field", "_", "public", "private", "internal", "protected"],
    access: &[
        ("public", Access::Public),
        ("internal", Access::Crate),
        ("protected", Access::Protected),
        ("private", Access::Private),
    ],
    test_attributes: &[
        "Test",
        "ParameterizedTest",
        "Before",
        "BeforeTest",
        "BeforeEach",
        "After",
        "AfterTest",
        "AfterEach",
    ],
    recover: &[("class", Class), ("interface", Interface), ("object", Class), ("fun", Fn)],
    // `annotation class X` without a body is a chain of infix calls for this grammar when a comment follows.
    recover_in: &["infix_expression"],
    prepare: hooks::prepare,
    refine: hooks::refine,
    arguments: &["value_arguments"],
    passing: Some(PASSED),
    lambda_behind: Some("annotated_lambda"),
    key_of: hooks::key_of,
    mend: newer::mend,
    lexis: Some(&LEXIS),
    ..TABLE
};

const PASSED: Passing = Passing {
    lists: &["value_arguments"],
    lambda: Some("annotated_lambda"),
    argument: Some("value_argument"),
    spread: &["spread_expression"],
    free_names: true,
    ..PASSING
};

static LEXIS: Lexis = Lexis {
    nested_comments: true,
    triple: true,
    templates: true,
    lines: true,
    types: &["class", "interface", "object"],
    in_function: ("fun f() {", "}"),
    removable: newer::removable,
    ..BRACES
};

const CLASS_BODY: Find = Find::Kinds(&["class_body", "enum_class_body"]);
const PROPERTY: &[(At, As)] = &[
    (At::Kind("variable_declaration"), As::Declare(Variable, Property)),
    (At::Kind("multi_variable_declaration"), As::Declare(Variable, Property)),
];

#[cfg(test)]
mod tests {
    use cruxe_model::SymbolKind;
    use cruxe_model::facts::{Expr, RECEIVER, Role};

    use crate::languages::fixture_tests::extract;

    #[test]
    fn only_val_and_var_make_constructor_parameters_members() {
        let facts = extract("A.kt", "class A(val x: Int, y: Int)");
        let fields: Vec<_> =
            facts.symbols.iter().filter(|at| at.kind == SymbolKind::Field).map(|at| &at.name).collect();
        assert_eq!(fields, ["x"]);
        assert_eq!(facts.bindings.len(), 1);
    }

    #[test]
    fn an_annotation_class_that_the_grammar_takes_for_infix_calls_is_found() {
        let facts = extract(
            "A.kt",
            "@Retention\npublic annotation class Api\n\n/** Doc. */\n@Retention\npublic annotation class Other\n",
        );
        let names: Vec<_> = facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        assert_eq!(names, ["Api", "Other"]);
    }

    #[test]
    fn a_file_that_ends_within_an_annotation_is_parsed_in_finite_time() {
        for end in ["@", "@Test", "@Test(", "@Test(1, b", "@A(1) @B", "  @a.B(x)"] {
            let facts = extract("A.kt", &format!("class A\nval x: Int = 1\n{end}"));
            assert_eq!(facts.symbols.len(), 2, "{end}");
        }
    }

    #[test]
    fn an_annotated_constructor_on_its_own_line_does_not_hide_what_follows() {
        let text =
            "class A<T>\n@Api internal constructor(val x: Int) {\n    /** \"Doc\" */\n    fun f() = x\n}\nclass B\n";
        let facts = extract("A.kt", text);
        let names: Vec<_> = facts.symbols.iter().map(|symbol| symbol.qualified_name.as_str()).collect();
        assert_eq!(names, ["A", "A.x", "A.f", "B"]);
    }

    #[test]
    fn a_lambda_behind_arguments_works_on_what_the_function_says() {
        let facts = extract("A.kt", "fun f() {\n    build(1) { x() }\n    val plain = { y() }\n}");
        let receivers = facts.bindings.iter().filter(|at| facts.name(at.name) == "this");
        let values: Vec<_> = receivers.map(|at| facts.exprs[at.value.unwrap().0 as usize].clone()).collect();
        let [Expr::Argument(lambda, RECEIVER)] = values[..] else { panic!("{values:?}") };
        let Expr::Argument(callee, 1) = facts.exprs[lambda.0 as usize] else { panic!("the second argument") };
        let Expr::Name(name) = facts.exprs[callee.0 as usize] else { panic!("a plain name") };
        assert_eq!(facts.name(name), "build");
    }

    #[test]
    fn names_in_string_templates_are_uses() {
        let facts = extract("A.kt", "fun f(name: String, n: Int) = \"$name has ${n + 1} \\$not\"");
        let uses: Vec<_> =
            facts.occurrences.iter().filter(|at| at.role == Role::Value).map(|at| facts.name(at.name)).collect();
        assert_eq!(uses, ["name", "n"]);
    }
}
