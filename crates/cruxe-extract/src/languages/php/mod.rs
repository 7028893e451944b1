//! PHP: namespaces, classes, traits, `use` in its three meanings.

mod hooks;

use cruxe_model::SymbolKind::{Class, Const, Enum, Field, Fn, Interface, Method, Module, Trait, Variant};
use cruxe_model::facts::BindingKind::{Local, Param};
use cruxe_model::facts::Role::{self, Call, Decorator, Key, Write};
use cruxe_model::facts::{Access, Relation, ScopeKind};

use super::broad::{
    self, As, At, Find, Heritage, NODE, Shape, TABLE, Table, TypeShape, attribute, call, comment, def, function, hook,
    inner, literal, member, modifiers, name, places, primitive, roles, scope, type_def,
};
use super::c::{included, is_included};
use super::common::has_any;
use crate::language::{FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{NAMING, Naming};
use crate::recover::{BRACES, Comments, Lexis, Quotes};

/// The PHP language.
pub static PHP: LanguageDef = LanguageDef {
    id: "php",
    name: "php",
    extensions: &["php", "phtml", "inc"],
    otherwise: |extension, head| {
        let plain = extension == "inc" && memchr::memmem::find(head, b"<?").is_none();
        (plain && is_included(head)).then(|| included(head))
    },
    interpreters: &["php"],
    separator: "\\",
    opening: "<?php ",
    front_end: FrontEnd::Grammar {
        grammar: || tree_sitter_php::LANGUAGE_PHP.into(),
        rules: |grammar| broad::rules(grammar, &PHP_TABLE),
    },
    is_test_path: |path| has_any(path, &["tests/", "Tests/"]),
    naming: Naming {
        runs_unnamed: |name, _| name.starts_with("__"),
        constructor: Some("__construct"),
        constructors_inherited: true,
        own_class: &["self", "static"],
        ..NAMING
    },
    ..LANGUAGE
};

pub(super) static PHP_TABLE: Table = Table {
    nodes: &[
        (&["name", "relative_scope"], name()),
        (&["variable_name"], inner(Find::Nth(0)).roles(&[(At::Any, As::Inherit)])),
        (&["comment"], comment(&["/**"])),
        (
            &[
                "visibility_modifier",
                "static_modifier",
                "abstract_modifier",
                "final_modifier",
                "readonly_modifier",
                "var_modifier",
            ],
            modifiers(),
        ),
        (&["attribute_list"], attribute()),
        (&["attribute"], roles(&[(At::First, As::Role(Decorator))])),
        (&["namespace_definition"], def(Module).open(ScopeKind::Module).needs_body().hook(hooks::namespace)),
        (&["namespace_name"], roles(&[(At::Any, As::Plain)]).ty(TypeShape::Path(Find::Nothing))),
        (&["namespace_use_declaration"], hook(hooks::import)),
        // Types.
        (&["class_declaration"], type_def(Class)),
        (&["interface_declaration"], type_def(Interface)),
        (&["trait_declaration"], type_def(Trait)),
        (&["enum_declaration"], type_def(Enum)),
        (&["enum_case"], def(Variant).body(Find::Nothing)),
        (&["declaration_list", "enum_declaration_list"], NODE.type_body()),
        (&["base_clause"], SUPER.heritage(Heritage::All(Relation::Extends))),
        (&["class_interface_clause"], SUPER.heritage(Heritage::All(Relation::Implements))),
        // A trait that a class uses.
        (&["use_declaration"], SUPER.heritage(Heritage::All(Relation::Extends))),
        // Members.
        (&["method_declaration"], def(Method).open(ScopeKind::Function).of_type(RESULT).hook(hooks::promote)),
        (&["function_definition"], function().of_type(RESULT)),
        (&["property_declaration"], roles(&[(At::Kind("property_element"), As::Declare(Field, Field))]).of_type(TYPE)),
        (&["property_element"], roles(&[(At::Field("name"), As::Inherit)]).of_value(Find::Field("default_value"))),
        (&["property_hook"], scope(ScopeKind::Function).roles(&[(At::Kind("name"), As::Nothing)])),
        (&["const_declaration"], roles(&[(At::Kind("const_element"), As::Declare(Const, Const))]).of_type(TYPE)),
        (&["const_element"], roles(&[(At::First, As::Inherit)]).of_value(Find::Nth(1))),
        (
            &["simple_parameter", "variadic_parameter", "property_promotion_parameter"],
            roles(&[(At::Field("name"), As::Bind(Param))]).of_type(TYPE),
        ),
        (&["anonymous_function", "arrow_function"], scope(ScopeKind::Function).expr(Shape::Literal("fn"))),
        // Variables.
        (
            &["assignment_expression", "reference_assignment_expression"],
            roles(&[(At::Field("left"), As::Ask(hooks::assigned))]).of_value(Find::Field("right")),
        ),
        (&["augmented_assignment_expression"], roles(&[(At::Field("left"), As::Role(Write))])),
        (&["update_expression"], roles(&[(At::Field("argument"), As::Role(Write))])),
        (
            &["foreach_statement"],
            roles(&[(At::First, As::Plain), (At::Any, As::Ask(hooks::iterated))]).of_value(Find::Nth(0)),
        ),
        (&["pair", "by_ref"], roles(&[(At::Any, As::Inherit)])),
        (
            &["list_literal"],
            roles(&[(At::Kind("variable_name"), As::Inherit), (At::Kind("list_literal"), As::Inherit)]),
        ),
        (&["compound_statement"], hook(hooks::tested_block)),
        (&["catch_clause"], roles(&[(At::Field("name"), As::Bind(Local))]).of_type(TYPE)),
        (&["type_list"], inner(Find::Nth(0))),
        (
            &["static_variable_declaration"],
            roles(&[(At::Field("name"), As::Bind(Local))]).of_value(Find::Field("value")),
        ),
        (&["global_declaration"], roles(&[(At::Any, As::Bind(Local))])),
        // Expressions.
        (
            &["function_call_expression"],
            call(Find::Field("function")).roles(&[(At::Field("function"), As::Role(Call))]).hook(hooks::define),
        ),
        (
            &["member_call_expression", "nullsafe_member_call_expression"],
            member("object", "name").expr(Shape::Call(Find::Nothing)).roles(NAME_IS_CALLED),
        ),
        (&["scoped_call_expression"], member("scope", "name").expr(Shape::Call(Find::Nothing)).roles(NAME_IS_CALLED)),
        (
            &["member_access_expression", "nullsafe_member_access_expression"],
            member("object", "name").roles(NAME_INHERITS),
        ),
        (&["scoped_property_access_expression"], member("scope", "name").roles(NAME_INHERITS)),
        (
            &["class_constant_access_expression"],
            NODE.member(Find::Nth(0), Find::Last).roles(&[(At::First, As::Plain), (At::Last, As::Inherit)]),
        ),
        (&["object_creation_expression"], NODE.expr(Shape::Typed(Find::Nth(0))).roles(&[(At::First, As::Role(Call))])),
        (&["binary_expression"], roles(&[(At::Field("right"), As::Ask(hooks::right_operand))])),
        (
            &["subscript_expression"],
            NODE.expr(Shape::Index(Find::Nth(0))).roles(&[(At::First, As::Ask(places::element))]),
        ),
        (&["unset_statement"], roles(&[(At::Any, As::Role(Write))])),
        (&["clone_expression", "parenthesized_expression"], inner(Find::Nth(0))),
        (&["argument"], roles(&[(At::Field("name"), As::Role(Key))])),
        (&["named_label_statement", "goto_statement"], roles(&[(At::Any, As::Nothing)])),
        (&["string", "encapsed_string", "heredoc", "nowdoc"], literal("str")),
        (&["integer"], literal("int")),
        (&["float"], literal("float")),
        (&["boolean"], literal("bool")),
        (&["array_creation_expression"], literal("list")),
        // Names and types as they are used.
        (
            &["qualified_name", "relative_name"],
            roles(&[(At::Kind("name"), As::Inherit)])
                .ty(TypeShape::Path(Find::Nothing))
                .expr(Shape::Inner(Find::LastKind("name"))),
        ),
        (&["named_type"], inner(Find::Nth(0)).roles(&[(At::Any, As::Inherit)]).default_role(Role::Type)),
        (&["optional_type"], inner(Find::Nth(0)).roles(&[(At::Any, As::Inherit)])),
        (&["union_type", "intersection_type", "disjunctive_normal_form_type"], NODE.ty(TypeShape::All("|"))),
        (&["primitive_type"], primitive()),
    ],
    type_fields: &["type", "return_type"],
    self_words: &["this", "self", "static"],
    super_words: &["parent"],
    keywords: &["class"],
    class_words: &["self", "static"],
    access: &[("public", Access::Public), ("protected", Access::Protected), ("private", Access::Private)],
    test_attributes: &["Test"],
    recover: &[("class", Class), ("interface", Interface), ("trait", Trait), ("enum", Enum), ("function", Fn)],
    refine: hooks::refine,
    arguments: &["arguments"],
    function_locals: true,
    key_of: hooks::key_of,
    lexis: Some(&LEXIS),
    ..TABLE
};

static LEXIS: Lexis = Lexis {
    comments: Comments::SlashesAndHash,
    quotes: Quotes::Text,
    long_strings: true,
    opening: "<?php ",
    types: &["class", "interface", "trait", "enum", "namespace"],
    in_type: ("<?php class X {", "}"),
    in_function: ("<?php class X { function f() {", "} }"),
    ..BRACES
};

const TYPE: Find = Find::Field("type");
const RESULT: Find = Find::Field("return_type");
const SUPER: broad::Node = roles(&[(At::Any, As::Super)]);
const NAME_INHERITS: &[(At, As)] = &[(At::Field("name"), As::Inherit)];
const NAME_IS_CALLED: &[(At, As)] = &[(At::Field("name"), As::Role(Call))];

#[cfg(test)]
mod tests {
    use cruxe_model::SymbolKind;
    use cruxe_model::facts::Role;

    use crate::languages::fixture_tests::extract;

    #[test]
    fn promoted_parameters_are_fields_of_the_class() {
        let facts = extract("A.php", "<?php class A { function __construct(private B $b, int $c) {} }");
        let names: Vec<_> = facts.symbols.iter().map(|at| (at.kind, at.qualified_name.as_str())).collect();
        assert_eq!(
            names,
            [(SymbolKind::Class, "A"), (SymbolKind::Method, "A\\__construct"), (SymbolKind::Field, "A\\b")]
        );
    }

    #[test]
    fn a_global_variable_is_declared_once() {
        let facts = extract("a.php", "<html><?php $a = 1; $a = 2; if ($a) { $b = 3; } ?></html>");
        let names: Vec<_> = facts.symbols.iter().map(|at| at.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    fn html_around_the_code_is_not_code() {
        let facts = extract("a.phtml", "<p>ghost()</p><?php real(); ?><b>ghost</b>");
        let calls: Vec<_> = facts.occurrences.iter().map(|at| (facts.name(at.name), at.role)).collect();
        assert_eq!(calls, [("real", Role::Call)]);
    }

    #[test]
    fn namespaces_with_a_body_are_symbols() {
        let facts = extract("a.php", "<?php namespace A\\B { class C {} } namespace D { class E {} }");
        let names: Vec<_> = facts.symbols.iter().map(|at| at.qualified_name.as_str()).collect();
        assert_eq!(names, ["A\\B", "A\\B\\C", "D", "D\\E"]);
    }
}
