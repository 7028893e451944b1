//! Swift: extensions, protocols, properties, argument labels.

mod hooks;
mod newer;

use cruxe_model::SymbolKind::{Class, Enum, Fn, Interface, Method, Property, Struct, Type, Variable, Variant};
use cruxe_model::facts::BindingKind::{Element, Local, Param, TypeParam};
use cruxe_model::facts::Role::{self, Call, Decorator, Key, Write};
use cruxe_model::facts::{Access, ScopeKind};

use super::broad::passed::{PASSING, Passing};
use super::broad::{
    self, As, At, Find, Heritage, NODE, Shape, TABLE, Table, TypeShape, attribute, comment, def, function, hook, inner,
    literal, member, modifiers, name, roles, scope, type_def, type_name,
};
use super::common::has_any;
use crate::language::{FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{NAMING, Naming};
use crate::recover::{BRACES, Lexis};
use crate::walk::Walk;

/// The Swift language.
pub static SWIFT: LanguageDef = LanguageDef {
    id: "swift",
    name: "swift",
    extensions: &["swift"],
    interpreters: &["swift"],
    front_end: FrontEnd::Grammar {
        grammar: || tree_sitter_swift::LANGUAGE.into(),
        rules: |grammar| broad::rules(grammar, &SWIFT_TABLE),
    },
    naming: Naming {
        runs_unnamed: |name, _| {
            !name.starts_with(|c: char| c.is_alphanumeric() || c == '_') || matches!(name, "deinit" | "subscript")
        },
        lists_operators: true,
        free_operators: true,
        constructor: Some("init"),
        constructors_inherited: true,
        overloads: true,
        labels: true,
        makers: &["init"],
        elements: &["subscript", "next"],
        own_class: &["Self"],
        ..NAMING
    },
    is_test_path: |path| has_any(path, &["Tests/"]),
    ..LANGUAGE
};

pub(super) static SWIFT_TABLE: Table = Table {
    nodes: &[
        (&["simple_identifier"], name()),
        (&["type_identifier"], type_name()),
        (&["comment"], comment(&["///"])),
        (&["multiline_comment"], comment(&["/**"])),
        (&["modifiers", "value_binding_pattern"], modifiers()),
        (&["attribute"], attribute().roles(&[(At::Kind("user_type"), As::Role(Decorator))])),
        (&["import_declaration"], hook(hooks::import)),
        (&["directive", "availability_condition"], hook(|_, _| Some(Walk::Skip))),
        // Types.
        (&["class_declaration"], type_def(Class).named(NAME).roles(&[(At::Kind("user_type"), As::Role(Role::Type))])),
        (&["protocol_declaration"], type_def(Interface).named(NAME)),
        (&["class_body", "enum_class_body", "protocol_body"], NODE.type_body()),
        (&["inheritance_specifier"], roles(&[(At::Any, As::Super)]).heritage(Heritage::By(hooks::relation))),
        (&["enum_entry"], roles(&[(At::Field("name"), As::Declare(Variant, Variant))])),
        (&["enum_type_parameters"], roles(&[(At::Kind("simple_identifier"), As::Nothing)])),
        (&["typealias_declaration"], def(Type).named(NAME).body(Find::Nothing).of_type(Find::By(hooks::last_name))),
        (&["associatedtype_declaration"], def(Type).named(NAME).body(Find::Nothing)),
        (
            &["type_parameter"],
            roles(&[(At::Kind("type_identifier"), As::Bind(TypeParam))]).of_type(Find::Field("name")),
        ),
        (&["inheritance_constraint", "equality_constraint"], NODE.default_role(Role::Type)),
        (&["identifier"], roles(&[(At::Any, As::Inherit)])),
        // Members.
        (
            &["function_declaration", "protocol_function_declaration"],
            function().named(NAME).of_type(Find::By(hooks::last_name)),
        ),
        (&["init_declaration"], def(Method).named(NAME).open(ScopeKind::Function)),
        (&["deinit_declaration"], def(Method).named(Find::By(hooks::first_word)).open(ScopeKind::Function)),
        (
            &["subscript_declaration"],
            def(Method)
                .named(Find::By(hooks::first_word))
                .body(Find::Kind("computed_property"))
                .open(ScopeKind::Function)
                .of_type(Find::Field("name")),
        ),
        (
            &["macro_declaration"],
            def(Fn).named(Find::Kind("simple_identifier")).body(Find::Nothing).open(ScopeKind::Function),
        ),
        (
            &["property_declaration", "protocol_property_declaration"],
            roles(&[(At::Field("name"), As::Declare(Variable, Property))])
                .of_type(Find::Kind("type_annotation"))
                .of_value(Find::Field("value")),
        ),
        (&["type_annotation"], inner(Find::Field("name"))),
        (
            &["parameter", "lambda_parameter"],
            roles(&[(At::Field("external_name"), As::Nothing), (At::Kind("simple_identifier"), As::Bind(Param))])
                .of_type(Find::By(hooks::last_name)),
        ),
        (
            &[
                "computed_property",
                "computed_getter",
                "computed_modify",
                "willset_clause",
                "didset_clause",
                "computed_setter",
            ],
            scope(ScopeKind::Function).roles(&[(At::Kind("simple_identifier"), As::Bind(Param))]).hook(hooks::accessor),
        ),
        // Statements and patterns.
        (&["pattern"], roles(&[(At::Any, As::Ask(hooks::pattern))]).of_type(Find::Field("name"))),
        (&["switch_pattern"], roles(&[(At::Any, As::Bind(Local))])),
        (
            &["if_statement", "while_statement", "guard_statement", "repeat_while_statement"],
            hook(hooks::conditions)
                .roles(&[(At::Field("bound_identifier"), As::Nothing), (At::Kind("pattern"), As::Bind(Local))]),
        ),
        (
            &["for_statement"],
            scope(ScopeKind::Block)
                .roles(&[(At::Field("item"), As::Bind(Element))])
                .of_value(Find::Field("collection")),
        ),
        (&["catch_block"], scope(ScopeKind::Block).roles(&[(At::Field("error"), As::Bind(Local))])),
        (&["switch_entry", "do_statement"], scope(ScopeKind::Block)),
        (&["lambda_literal"], scope(ScopeKind::Function).expr(Shape::Literal("fn")).hook(hooks::lambda)),
        (&["value_argument_label"], roles(&[(At::Any, As::Role(Key))])),
        (&["tuple_type_item"], inner(Find::Field("type")).roles(&[(At::Kind("simple_identifier"), As::Nothing)])),
        (&["tuple_type"], NODE.ty(TypeShape::All("()"))),
        // Expressions.
        (&["call_expression"], NODE.expr(Shape::By(hooks::call_shape)).roles(&[(At::First, As::Ask(hooks::callee))])),
        (
            &["constructor_expression"],
            NODE.expr(Shape::Typed(Find::Field("constructed_type"))).roles(&[(At::First, As::Role(Call))]),
        ),
        (&["navigation_expression"], member("target", "suffix").roles(&[(At::Field("suffix"), As::Inherit)])),
        (&["navigation_suffix"], inner(Find::Field("suffix")).roles(&[(At::Field("suffix"), As::Inherit)])),
        (&["macro_invocation"], roles(&[(At::First, As::Role(Call))])),
        (&["assignment"], roles(&[(At::Field("target"), As::Role(Write))])),
        (&["directly_assignable_expression"], roles(&[(At::Any, As::Inherit)])),
        (
            &[
                "additive_expression",
                "multiplicative_expression",
                "comparison_expression",
                "equality_expression",
                "bitwise_operation",
                "infix_expression",
            ],
            hook(hooks::operator),
        ),
        (&["self_expression"], NODE.expr(Shape::SelfValue)),
        (&["super_expression"], NODE.expr(Shape::Super)),
        (&["as_expression"], NODE.expr(Shape::Typed(Find::Field("name")))),
        (&["try_expression"], inner(Find::Field("expr"))),
        (&["await_expression"], NODE.expr(Shape::Unwrap(Find::Nth(0)))),
        (&["postfix_expression"], inner(Find::Field("target"))),
        (&["tuple_expression"], inner(Find::Field("value")).roles(&[(At::Field("name"), As::Role(Key))])),
        (&["line_string_literal", "multi_line_string_literal", "raw_string_literal"], literal("str")),
        (&["integer_literal"], literal("int")),
        (&["real_literal"], literal("float")),
        (&["boolean_literal"], literal("bool")),
        (&["array_literal"], literal("list")),
        (&["dictionary_literal"], literal("dict")),
        // Types as they are used.
        (
            &["user_type"],
            roles(&[(At::LastKind("type_identifier"), As::Inherit)])
                .default_role(Role::Type)
                .ty(TypeShape::Path(Find::Kind("type_arguments"))),
        ),
        (&["optional_type"], inner(Find::Field("wrapped"))),
        (&["opaque_type", "existential_type", "metatype"], inner(Find::Nth(0))),
        (&["array_type"], NODE.ty(TypeShape::Unnamed("[]", Find::Field("name")))),
        (&["dictionary_type"], NODE.ty(TypeShape::Unnamed("[]", Find::By(hooks::last_name)))),
        (&["function_type"], NODE.ty(TypeShape::Function(Find::Field("params"), Find::Field("return_type")))),
    ],
    type_fields: &[],
    self_words: &["self"],
    keywords: &["Self", "_", "$0", "$1", "$2", "$3"],
    class_words: &["Self"],
    access: &[
        ("open", Access::Public),
        ("public", Access::Public),
        ("package", Access::Crate),
        ("internal", Access::Crate),
        ("fileprivate", Access::Private),
        ("private", Access::Private),
    ],
    test_attributes: &["Test", "Suite"],
    recover: &[
        ("class", Class),
        ("struct", Struct),
        ("enum", Enum),
        ("protocol", Interface),
        ("actor", Class),
        ("func", Fn),
    ],
    refine: hooks::refine,
    arguments: &["value_arguments"],
    passing: Some(PASSED),
    implied: hooks::implied,
    is_tuple: |outer, part| outer.kind() == "pattern" && part.kind() == "pattern",
    lexis: Some(&LEXIS),
    mend: newer::mend,
    ..TABLE
};

const PASSED: Passing = Passing {
    lists: &["value_arguments"],
    suffix: Some("call_suffix"),
    lambda: Some("lambda_literal"),
    argument: Some("value_argument"),
    ..PASSING
};

static LEXIS: Lexis = Lexis {
    nested_comments: true,
    triple: true,
    lines: true,
    types: &["class", "struct", "enum", "protocol", "extension", "actor"],
    in_function: ("func f() {", "}"),
    ..BRACES
};

/// Names and types share the field `name`; the first is the name.
const NAME: Find = Find::By(hooks::first_name);

#[cfg(test)]
mod tests {
    use cruxe_model::SymbolKind;
    use cruxe_model::facts::{Access, Expr, Role};

    use crate::languages::fixture_tests::extract;

    #[test]
    fn an_extension_is_an_impl_of_its_type() {
        let facts = extract("A.swift", "extension Foo.Bar: P { func f() {} }");
        assert_eq!((facts.symbols[0].kind, facts.symbols[0].name.as_str()), (SymbolKind::Impl, "Foo.Bar"));
        assert_eq!(facts.symbols[1].qualified_name, "Foo.Bar.f");
        assert_eq!(facts.heritage.len(), 2);
    }

    #[test]
    fn a_private_setter_does_not_make_a_property_private() {
        let facts = extract("A.swift", "public class A { private(set) var x = 1\n public private(set) var y = 2 }");
        assert_eq!(facts.symbols[1].access, Access::Crate);
        assert_eq!(facts.symbols[2].access, Access::Public);
    }

    #[test]
    fn a_subscript_is_no_call() {
        let facts = extract("A.swift", "func f(a: [B]) { a[0].run() }");
        let run = facts.occurrences.iter().find(|at| facts.name(at.name) == "run").unwrap();
        assert!(matches!(facts.exprs[run.receiver.unwrap().0 as usize], Expr::Index(_)));
        let a = facts.occurrences.iter().find(|at| facts.name(at.name) == "a").unwrap();
        assert_eq!(a.role, Role::Value);
    }
}
