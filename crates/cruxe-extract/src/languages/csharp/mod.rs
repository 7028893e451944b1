//! C#: namespaces, properties, records, attributes, extension methods.

mod hooks;
mod newer;

use cruxe_model::SymbolKind::{
    Class, Enum, Field, Interface, Method, Module, Property, Struct, Type, Variable, Variant,
};
use cruxe_model::facts::BindingKind::{Element, Local, Param, TypeParam};
use cruxe_model::facts::Role::{self, Call, Decorator, Key};
use cruxe_model::facts::{Access, ScopeKind};

use super::broad::passed::{PASSING, Passing};
use super::broad::{
    self, As, At, Find, Heritage, NODE, Shape, TABLE, Table, TypeShape, attribute, call, comment, def, function, hook,
    inner, literal, member, modifiers, name, places, primitive, roles, scope, type_def,
};
use super::common::has_any;
use crate::language::{FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{NAMING, Naming};
use crate::recover::{BRACES, Lexis};

/// The C# language.
pub static CSHARP: LanguageDef = LanguageDef {
    id: "csharp",
    name: "csharp",
    extensions: &["cs", "csx"],
    front_end: FrontEnd::Grammar {
        grammar: || tree_sitter_c_sharp::LANGUAGE.into(),
        rules: |grammar| broad::rules(grammar, &CSHARP_TABLE),
    },
    is_test_path: |path| has_any(path, &["Tests/", "/tests/", "/test/", ".Test/"]),
    naming: Naming {
        runs_unnamed: |name, signature| {
            signature.contains(" operator ") || matches!(name, "Dispose" | "Finalize" | "GetEnumerator" | "ToString")
        },
        lists_operators: true,
        free_operators: true,
        parts: &["partial"],
        elements: &["this", "Current"],
        overloads: true,
        attribute_ending: "Attribute",
        ..NAMING
    },
    ..LANGUAGE
};

pub(super) static CSHARP_TABLE: Table = Table {
    nodes: &[
        (&["identifier", "implicit_parameter"], name()),
        (&["comment"], comment(&["///", "/**"])),
        (&["predefined_type"], primitive()),
        (&["modifier"], modifiers()),
        (&["attribute_list"], attribute()),
        (&["attribute"], roles(&[(At::Field("name"), As::Role(Decorator))])),
        (&["attribute_argument"], roles(&[(At::Field("name"), As::Role(Key))])),
        (&["argument"], roles(&[(At::Field("name"), As::Role(Key)), (At::Any, As::Ask(hooks::passed))])),
        (&["using_directive"], hook(hooks::using)),
        (&["namespace_declaration"], def(Module).open(ScopeKind::Module)),
        (&["file_scoped_namespace_declaration"], hook(hooks::file_namespace)),
        // Types.
        (&["class_declaration", "record_declaration"], type_def(Class)),
        (&["struct_declaration"], type_def(Struct)),
        (&["interface_declaration"], type_def(Interface)),
        (&["enum_declaration"], type_def(Enum)),
        (&["enum_member_declaration"], def(Variant).body(Find::Nothing)),
        (&["base_list"], roles(&[(At::Any, As::Super)]).heritage(Heritage::By(hooks::relation))),
        (
            &["primary_constructor_base_type"],
            roles(&[(At::Field("type"), As::Inherit)]).ty(TypeShape::Inner(Find::Field("type"))),
        ),
        (&["delegate_declaration"], def(Type).body(Find::Nothing).open(ScopeKind::Function).of_type(TYPE)),
        (&["type_parameter"], roles(&[(At::Field("name"), As::Bind(TypeParam))])),
        (&["type_parameter_constraints_clause"], roles(&[(At::Any, As::Role(Role::Type))]).hook(hooks::constrained)),
        // Members.
        (&["method_declaration"], def(Method).open(ScopeKind::Function).of_type(Find::Field("returns"))),
        (&["constructor_declaration", "destructor_declaration"], def(Method).open(ScopeKind::Function)),
        (&["operator_declaration"], def(Method).named(Find::Field("operator")).open(ScopeKind::Function).of_type(TYPE)),
        (
            &["conversion_operator_declaration"],
            def(Method).named(TYPE).open(ScopeKind::Function).of_type(TYPE).roles(TYPE_ROLE),
        ),
        (&["local_function_statement"], function().of_type(TYPE)),
        (&["property_declaration"], def(Property).body(Find::By(hooks::property_body)).of_type(TYPE)),
        (
            &["indexer_declaration"],
            def(Property).named(Find::By(hooks::this_word)).body(Find::By(hooks::property_body)).of_type(TYPE),
        ),
        (&["event_declaration"], def(Field).body(Find::Field("accessors")).of_type(TYPE)),
        (&["accessor_declaration", "arrow_expression_clause"], scope(ScopeKind::Function)),
        (&["explicit_interface_specifier"], NODE.default_role(Role::Type)),
        (&["field_declaration", "event_field_declaration"], roles(&[(At::Any, As::Declare(Variable, Field))])),
        (
            &["local_declaration_statement", "for_statement", "using_statement", "fixed_statement"],
            roles(&[(At::Kind("variable_declaration"), As::Declare(Variable, Field))])
                .open(ScopeKind::Block)
                .hook(hooks::no_scope_for_declarations),
        ),
        (&["variable_declaration"], roles(&[(At::Kind("variable_declarator"), As::Inherit)]).of_type(TYPE)),
        (
            &["variable_declarator"],
            roles(&[(At::Field("name"), As::Inherit)]).of_value(Find::By(hooks::declarator_value)),
        ),
        (&["parameter"], roles(&[(At::Field("name"), As::Param)]).of_type(TYPE)),
        (&["parameter_list"], roles(&[(At::Field("name"), As::Bind(Param))]).of_type(TYPE)),
        // Statements.
        (
            &["block", "catch_clause", "switch_section", "query_expression", "switch_expression_arm"],
            scope(ScopeKind::Block),
        ),
        (
            &["foreach_statement"],
            scope(ScopeKind::Block)
                .roles(&[(At::Field("left"), As::Bind(Element))])
                .of_type(TYPE)
                .of_value(Find::Field("right")),
        ),
        (
            &["catch_declaration", "declaration_pattern", "declaration_expression", "recursive_pattern", "var_pattern"],
            roles(&[(At::Field("name"), As::Bind(Local))]).of_type(TYPE),
        ),
        (&["subpattern"], roles(&[(At::FirstKind("identifier"), As::Role(Key))])),
        (&["from_clause"], roles(&[(At::Field("name"), As::Bind(Element))]).of_type(TYPE).of_value(Find::Last)),
        (&["let_clause", "join_clause", "join_into_clause"], roles(&[(At::First, As::Bind(Local))])),
        (&["tuple_pattern", "parenthesized_variable_designation"], roles(&[(At::Field("name"), As::Bind(Local))])),
        (&["labeled_statement"], roles(&[(At::First, As::Nothing)])),
        (&["goto_statement"], roles(&[(At::Any, As::Nothing)])),
        (
            &["lambda_expression", "anonymous_method_expression"],
            scope(ScopeKind::Function).roles(&[(At::Field("parameters"), As::Bind(Param))]).expr(Shape::Literal("fn")),
        ),
        // Expressions.
        (&["invocation_expression"], call(Find::Field("function")).roles(&[(At::Field("function"), As::Role(Call))])),
        (&["member_access_expression"], member("expression", "name").roles(NAME_INHERITS)),
        (
            &["conditional_access_expression"],
            NODE.member(Find::Field("condition"), Find::Kind("member_binding_expression"))
                .roles(&[(At::Kind("member_binding_expression"), As::Inherit)]),
        ),
        (&["member_binding_expression"], inner(Find::Field("name")).roles(NAME_INHERITS)),
        (&["object_creation_expression"], NODE.expr(Shape::Typed(TYPE)).roles(&[(At::Field("type"), As::Role(Call))])),
        (&["assignment_expression"], roles(&[(At::Field("left"), As::Ask(hooks::assigned))])),
        (&["binary_expression"], hook(hooks::operator)),
        (&["with_initializer"], roles(&[(At::First, As::Role(Key))])),
        (&["postfix_unary_expression"], inner(Find::Nth(0)).roles(&[(At::Any, As::Ask(places::operand))])),
        (&["prefix_unary_expression"], roles(&[(At::Any, As::Ask(places::operand))])),
        (&["cast_expression"], NODE.expr(Shape::Typed(TYPE))),
        (&["as_expression"], NODE.expr(Shape::Typed(Find::Field("right"))).roles(RIGHT_IS_TYPE)),
        (&["is_expression"], roles(RIGHT_IS_TYPE)),
        (
            &["element_access_expression"],
            NODE.expr(Shape::Index(Find::Field("expression")))
                .roles(&[(At::Field("expression"), As::Ask(hooks::element))]),
        ),
        (&["await_expression"], NODE.expr(Shape::Unwrap(Find::Nth(0)))),
        (&["parenthesized_expression"], inner(Find::Nth(0))),
        (
            &["string_literal", "verbatim_string_literal", "raw_string_literal", "interpolated_string_expression"],
            literal("str"),
        ),
        (&["integer_literal"], literal("int")),
        (&["real_literal"], literal("float")),
        (&["boolean_literal"], literal("bool")),
        // Names and types as they are used.
        (
            &["generic_name"],
            roles(&[(At::First, As::Inherit)]).ty(TypeShape::Generic(Find::Nth(0), Find::Kind("type_argument_list"))),
        ),
        (&["type_argument_list"], NODE.default_role(Role::Type)),
        (
            &["qualified_name"],
            member("qualifier", "name")
                .roles(QUALIFIED)
                .ty(TypeShape::Scoped(Find::Field("qualifier"), Find::Field("name"))),
        ),
        (
            &["alias_qualified_name"],
            member("alias", "name")
                .roles(NAME_INHERITS)
                .ty(TypeShape::Scoped(Find::Field("alias"), Find::Field("name"))),
        ),
        (&["nullable_type", "ref_type", "scoped_type", "pointer_type"], inner(TYPE)),
        (&["array_type"], NODE.ty(TypeShape::Unnamed("[]", TYPE))),
        (&["tuple_type"], NODE.ty(TypeShape::All("()"))),
        (&["tuple_element"], inner(TYPE).roles(&[(At::Field("name"), As::Nothing)])),
    ],
    type_fields: &["type", "returns"],
    super_words: &["base"],
    keywords: &["nameof", "var", "_", "value"],
    access: &[
        ("public", Access::Public),
        ("protected", Access::Protected),
        ("internal", Access::Crate),
        ("private", Access::Private),
        ("file", Access::Private),
    ],
    test_attributes: &[
        "Fact",
        "Theory",
        "Test",
        "TestCase",
        "TestMethod",
        "DataTestMethod",
        "SetUp",
        "TearDown",
        "TestFixture",
        "TestClass",
    ],
    recover: &[("class", Class), ("struct", Struct), ("interface", Interface), ("enum", Enum), ("record", Class)],
    refine: hooks::refine,
    key_of: hooks::key_of,
    arguments: &["argument_list"],
    passing: Some(Passing { argument: Some("argument"), free_names: true, ..PASSING }),
    lexis: Some(&LEXIS),
    mend: newer::mend,
    ..TABLE
};

static LEXIS: Lexis = Lexis {
    directives: true,
    removable: newer::removable,
    triple: true,
    types: &["class", "struct", "interface", "enum", "record", "namespace"],
    ..BRACES
};

const TYPE: Find = Find::Field("type");
const TYPE_ROLE: &[(At, As)] = &[(At::Field("type"), As::Role(Role::Type))];
const NAME_INHERITS: &[(At, As)] = &[(At::Field("name"), As::Inherit)];
const QUALIFIED: &[(At, As)] = &[(At::Field("name"), As::Inherit), (At::Field("qualifier"), As::Ask(hooks::qualifier))];
const RIGHT_IS_TYPE: &[(At, As)] = &[(At::Field("right"), As::Role(Role::Type))];

#[cfg(test)]
mod tests {
    use cruxe_model::SymbolKind;
    use cruxe_model::facts::{Access, Relation, Role};

    use crate::languages::fixture_tests::extract;

    #[test]
    fn a_file_scoped_namespace_is_the_module_of_the_file() {
        let facts = extract("A.cs", "namespace Acme.Core;\n\nclass A { int x; }");
        assert_eq!(facts.module, "Acme.Core");
        assert_eq!(facts.symbols[0].qualified_name, "Acme.Core.A");
        assert_eq!(facts.symbols[0].access, Access::Crate);
        assert_eq!(facts.symbols[1].access, Access::Private);
    }

    #[test]
    fn an_extension_method_belongs_to_the_type_of_its_first_parameter() {
        let facts = extract(
            "A.cs",
            "static class E { public static int Twice(this Order o) => 2; static int F(Order o) => 1; }",
        );
        let of: Vec<_> = facts.heritage.iter().map(|at| (at.symbol.0, at.relation)).collect();
        assert_eq!(of, [(1, Relation::SelfType)]);
    }

    #[test]
    fn parameters_of_a_record_are_properties_and_of_a_class_are_not() {
        let facts = extract("A.cs", "record R(int X);\nclass C(int y) { int Z => y; }");
        let names: Vec<_> =
            facts.symbols.iter().filter(|at| at.kind == SymbolKind::Property).map(|at| at.name.as_str()).collect();
        assert_eq!(names, ["X", "Z"]);
    }

    #[test]
    fn what_the_grammar_does_not_know_costs_no_names_and_makes_no_operators() {
        let text = "#if INTERNAL\n    internal\n#else\n    public\n#endif\n    struct Writer {\n    unsafe void F(byte* p, ref int a) {\n        \
                    Unsafe.Add(ref a, Offset) = Value;\n        *(int*)(p + 4) = Other;\n        *p++ = 255;\n    }\n}\n";
        let facts = extract("src/Writer.cs", text);
        assert_eq!(facts.problems, []);
        let writer = facts.symbols.iter().find(|symbol| symbol.name == "Writer").unwrap();
        assert_eq!((writer.kind, writer.access), (SymbolKind::Struct, Access::Public));
        let used: Vec<(&str, Role)> = facts.occurrences.iter().map(|one| (facts.name(one.name), one.role)).collect();
        for name in ["Add", "Offset", "Value", "Other"] {
            assert!(used.iter().any(|(used, _)| *used == name), "{name} of {used:?}");
        }
        let operators: Vec<&str> =
            used.iter().filter(|(_, role)| *role == Role::Operator).map(|(name, _)| *name).collect();
        assert_eq!(operators, ["operator+"], "the + of p + 4 alone");
        assert!(used.contains(&("Add", Role::Call)), "{used:?}");
    }
}
