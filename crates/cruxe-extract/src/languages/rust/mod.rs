//! Rust: items, paths, patterns, and the code inside macro calls.
//!
//! `items` and `uses` note definitions and imports, `names` decides what an identifier is used for, `patterns` what it
//! binds, `expr` reads expressions and types. `macros` gives the arguments of macro calls to the parser once more;
//! `tokens` reads those that are no Rust.

mod attributes;
mod expr;
mod items;
mod macros;
mod module;
mod names;
mod operators;
mod patterns;
mod token_items;
mod tokens;
mod uses;

use cruxe_model::facts::ScopeKind;
use tree_sitter::{Language, Node};

use crate::language::{Depth, FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{Locals, Members, Merging, NAMING, Naming, System};
use crate::recover::{BRACES, Lexis};
use crate::registry::{Kinds, field};
use crate::walk::{Cx, Rules, Trivia, Walk};

/// Methods of the standard library's traits that operators, loops, macros and the ends of blocks call.
const RUN_BY_TRAITS: &[&str] = &[
    "add",
    "bitand",
    "bitor",
    "bitxor",
    "deref",
    "deref_mut",
    "div",
    "drop",
    "eq",
    "fmt",
    "index",
    "index_mut",
    "into_iter",
    "mul",
    "neg",
    "next",
    "not",
    "partial_cmp",
    "poll",
    "rem",
    "shl",
    "shr",
    "sub",
];

/// The Rust language.
pub static RUST: LanguageDef = LanguageDef {
    id: "rust",
    name: "rust",
    depth: Depth::Deep,
    extensions: &["rs"],
    interpreters: &["rust-script"],
    separator: "::",
    front_end: FrontEnd::Grammar { grammar: || tree_sitter_rust::LANGUAGE.into(), rules },
    module: module::module,
    role_names: &["main", "lib", "mod"],
    naming: Naming {
        operators: operators::METHODS,
        runs_unnamed: |name, _| RUN_BY_TRAITS.contains(&name) || name.ends_with("_assign"),
        system: System::Rust,
        imported: |path| path.rsplit("::").next().unwrap_or_default(),
        closed_modules: true,
        locals: Locals::Redeclared,
        members: Members::Qualified,
        merging: Merging::Never,
        open_values: false,
        own_type_everywhere: true,
        open_types: false,
        strict_bounds: true,
        dereferences: true,
        blanket_methods: true,
        associated_by_path: true,
        variants_hold: true,
        anything: &["_"],
        own_class: &["Self"],
        pointers: "Box Rc Arc Cow Pin Ref RefMut MutexGuard RwLockReadGuard RwLockWriteGuard Lazy LazyLock LazyCell \
            ManuallyDrop AssertUnwindSafe Reverse Wrapping CachePadded",
        everyday: "len is_empty push push_str extend contains contains_key to_string into from try_into try_from \
            as_str as_bytes as_path to_str to_path_buf display parse split trim lines chars bytes \
            starts_with ends_with replace find map fold collect any all count sum zip unzip position retain \
            clear truncate resize reserve capacity with_capacity sort_by sort_by_key dedup binary_search \
            windows chunks eq ne cmp partial_cmp hash fmt default new drop write_all write_str write_fmt \
            flush read_to_string read_to_end read_line seek send spawn swap store fetch_add compare_exchange \
            wait notify_one notify_all name path metadata file_name extension parent exists is_file is_dir \
            file_type status output args arg env current_dir stdout stdin stderr kill id kind source \
            description is_some is_none is_ok is_err map_or map_or_else and_then flatten filter_map flat_map \
            for_each min_by max_by partition keys index add sub mul div neg not shl shr rem finish build \
            start end as_u64 elapsed duration_since abs pow min max is_match captures size_hint type_id set \
            get deref as_any poll matches width height run call create open close append",
        ..NAMING
    },
    ..LANGUAGE
};

/// What the rules call the node kinds that they know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum K {
    #[default]
    Other,
    SourceFile,
    DeclarationList,
    LineComment,
    BlockComment,
    AttributeItem,
    Attribute,
    Visibility,
    Mod,
    Foreign,
    Struct,
    Union,
    Enum,
    Variant,
    Field,
    FieldList,
    ExternCrate,
    Const,
    Static,
    TypeItem,
    AssociatedType,
    Function,
    Impl,
    Trait,
    MacroDefinition,
    TokenPattern,
    Use,
    UseList,
    ScopedUseList,
    UseAs,
    UseWildcard,
    TypeParam,
    ConstParam,
    Params,
    Param,
    SelfParam,
    Let,
    LetCondition,
    If,
    While,
    For,
    Match,
    MatchBlock,
    MatchArm,
    MatchPattern,
    Closure,
    ClosureParams,
    Block,
    ExpressionStatement,
    EmptyStatement,
    Call,
    Arguments,
    GenericFunction,
    FieldExpr,
    StructExpr,
    FieldInitList,
    FieldInit,
    Assign,
    Await,
    Try,
    Transparent,
    BlockExpr,
    TypeCast,
    Index,
    Binary,
    Array,
    Tuple,
    MacroCall,
    TokenTree,
    TokenRepetition,
    Metavariable,
    Str,
    Int,
    Float,
    Char,
    Bool,
    Lifetime,
    ScopedPath,
    GenericType,
    TypeArguments,
    TypeBinding,
    TraitBounds,
    WherePredicate,
    ShorthandInit,
    OrderedFields,
    HigherRanked,
    BracketedType,
    QualifiedType,
    PointerType,
    TraitType,
    BoundedType,
    TupleType,
    UnitType,
    ArrayType,
    FunctionType,
    PrimitiveType,
    TuplePattern,
    TupleStructPattern,
    StructPattern,
    FieldPattern,
    SlicePattern,
    SamePattern,
    RangePattern,
    Identifier,
    TypeIdentifier,
    FieldIdentifier,
    ShorthandField,
    SelfValue,
    Super,
    Crate,
}

const KINDS: &[(&str, K)] = &[
    ("source_file", K::SourceFile),
    ("declaration_list", K::DeclarationList),
    ("line_comment", K::LineComment),
    ("block_comment", K::BlockComment),
    ("attribute_item", K::AttributeItem),
    ("attribute", K::Attribute),
    ("visibility_modifier", K::Visibility),
    ("mod_item", K::Mod),
    ("foreign_mod_item", K::Foreign),
    ("struct_item", K::Struct),
    ("union_item", K::Union),
    ("enum_item", K::Enum),
    ("enum_variant", K::Variant),
    ("field_declaration", K::Field),
    ("field_declaration_list", K::FieldList),
    ("extern_crate_declaration", K::ExternCrate),
    ("const_item", K::Const),
    ("static_item", K::Static),
    ("type_item", K::TypeItem),
    ("associated_type", K::AssociatedType),
    ("function_item", K::Function),
    ("function_signature_item", K::Function),
    ("impl_item", K::Impl),
    ("trait_item", K::Trait),
    ("macro_definition", K::MacroDefinition),
    ("token_tree_pattern", K::TokenPattern),
    ("use_declaration", K::Use),
    ("use_list", K::UseList),
    ("scoped_use_list", K::ScopedUseList),
    ("use_as_clause", K::UseAs),
    ("use_wildcard", K::UseWildcard),
    ("type_parameter", K::TypeParam),
    ("const_parameter", K::ConstParam),
    ("parameters", K::Params),
    ("parameter", K::Param),
    ("variadic_parameter", K::Param),
    ("self_parameter", K::SelfParam),
    ("let_declaration", K::Let),
    ("let_condition", K::LetCondition),
    ("if_expression", K::If),
    ("while_expression", K::While),
    ("for_expression", K::For),
    ("match_expression", K::Match),
    ("match_block", K::MatchBlock),
    ("match_arm", K::MatchArm),
    ("match_pattern", K::MatchPattern),
    ("closure_expression", K::Closure),
    ("closure_parameters", K::ClosureParams),
    ("block", K::Block),
    ("expression_statement", K::ExpressionStatement),
    ("empty_statement", K::EmptyStatement),
    ("call_expression", K::Call),
    ("arguments", K::Arguments),
    ("generic_function", K::GenericFunction),
    ("field_expression", K::FieldExpr),
    ("struct_expression", K::StructExpr),
    ("field_initializer_list", K::FieldInitList),
    ("field_initializer", K::FieldInit),
    ("assignment_expression", K::Assign),
    ("compound_assignment_expr", K::Assign),
    ("await_expression", K::Await),
    ("try_expression", K::Try),
    ("unary_expression", K::Transparent),
    ("reference_expression", K::Transparent),
    ("parenthesized_expression", K::Transparent),
    ("unsafe_block", K::BlockExpr),
    ("const_block", K::BlockExpr),
    ("try_block", K::BlockExpr),
    ("type_cast_expression", K::TypeCast),
    ("index_expression", K::Index),
    ("binary_expression", K::Binary),
    ("array_expression", K::Array),
    ("tuple_expression", K::Tuple),
    ("macro_invocation", K::MacroCall),
    ("token_tree", K::TokenTree),
    ("token_repetition", K::TokenRepetition),
    ("metavariable", K::Metavariable),
    ("string_literal", K::Str),
    ("raw_string_literal", K::Str),
    ("integer_literal", K::Int),
    ("float_literal", K::Float),
    ("char_literal", K::Char),
    ("boolean_literal", K::Bool),
    ("lifetime", K::Lifetime),
    ("label", K::Lifetime),
    ("scoped_identifier", K::ScopedPath),
    ("scoped_type_identifier", K::ScopedPath),
    ("generic_type", K::GenericType),
    ("generic_type_with_turbofish", K::GenericType),
    ("generic_pattern", K::GenericType),
    ("type_arguments", K::TypeArguments),
    ("type_binding", K::TypeBinding),
    ("trait_bounds", K::TraitBounds),
    ("where_predicate", K::WherePredicate),
    ("shorthand_field_initializer", K::ShorthandInit),
    ("ordered_field_declaration_list", K::OrderedFields),
    ("higher_ranked_trait_bound", K::HigherRanked),
    ("bracketed_type", K::BracketedType),
    ("qualified_type", K::QualifiedType),
    ("reference_type", K::PointerType),
    ("pointer_type", K::PointerType),
    ("abstract_type", K::TraitType),
    ("dynamic_type", K::TraitType),
    ("bounded_type", K::BoundedType),
    ("removed_trait_bound", K::BoundedType),
    ("tuple_type", K::TupleType),
    ("unit_type", K::UnitType),
    ("array_type", K::ArrayType),
    ("function_type", K::FunctionType),
    ("primitive_type", K::PrimitiveType),
    ("tuple_pattern", K::TuplePattern),
    ("tuple_struct_pattern", K::TupleStructPattern),
    ("struct_pattern", K::StructPattern),
    ("field_pattern", K::FieldPattern),
    ("slice_pattern", K::SlicePattern),
    ("mut_pattern", K::SamePattern),
    ("ref_pattern", K::SamePattern),
    ("reference_pattern", K::SamePattern),
    ("captured_pattern", K::SamePattern),
    ("or_pattern", K::SamePattern),
    ("range_pattern", K::RangePattern),
    ("identifier", K::Identifier),
    ("type_identifier", K::TypeIdentifier),
    ("field_identifier", K::FieldIdentifier),
    ("shorthand_field_identifier", K::ShorthandField),
    ("self", K::SelfValue),
    ("super", K::Super),
    ("crate", K::Crate),
];

struct Rust {
    kinds: Kinds<K>,
    fields: Fields,
}

/// Ids of the fields that the rules ask for.
struct Fields {
    alias: u16,
    argument: u16,
    body: u16,
    bounds: u16,
    condition: u16,
    consequence: u16,
    element: u16,
    field: u16,
    function: u16,
    left: u16,
    list: u16,
    macro_: u16,
    name: u16,
    operator: u16,
    parameters: u16,
    path: u16,
    pattern: u16,
    return_type: u16,
    right: u16,
    trait_: u16,
    ty: u16,
    type_arguments: u16,
    value: u16,
}

fn rules(grammar: &Language) -> Box<dyn Rules> {
    let id = |name| field(grammar, name);
    Box::new(Rust {
        kinds: Kinds::new(grammar, KINDS),
        fields: Fields {
            alias: id("alias"),
            argument: id("argument"),
            body: id("body"),
            bounds: id("bounds"),
            condition: id("condition"),
            consequence: id("consequence"),
            element: id("element"),
            field: id("field"),
            function: id("function"),
            left: id("left"),
            list: id("list"),
            macro_: id("macro"),
            name: id("name"),
            operator: id("operator"),
            parameters: id("parameters"),
            path: id("path"),
            pattern: id("pattern"),
            return_type: id("return_type"),
            right: id("right"),
            trait_: id("trait"),
            ty: id("type"),
            type_arguments: id("type_arguments"),
            value: id("value"),
        },
    })
}

/// How declarations are found without the grammar.
static LEXIS: Lexis = Lexis {
    nested_comments: true,
    types: &["impl", "mod", "trait", "struct", "enum", "extern"],
    in_type: ("impl X {", "}"),
    in_function: ("fn f() {", "}"),
    ..BRACES
};

impl Rules for Rust {
    fn lexis(&self) -> Option<&'static Lexis> {
        Some(&LEXIS)
    }

    fn trivia(&self, kind: u16, text: &str) -> Trivia {
        match self.kinds.get(kind) {
            K::LineComment | K::BlockComment => comment(text),
            K::AttributeItem => Trivia::Attribute,
            _ => Trivia::No,
        }
    }

    fn enter(&self, cx: &mut Cx) -> Walk {
        match self.kinds.get(cx.kind()) {
            K::Identifier | K::TypeIdentifier | K::FieldIdentifier | K::ShorthandField => self.identifier(cx),
            K::Block | K::MatchArm => cx.open_scope(ScopeKind::Block),
            K::Closure => cx.open_scope(ScopeKind::Function),
            K::If | K::While | K::For => self.open_body_scope(cx),
            K::TypeParam | K::ConstParam => self.type_parameter(cx),
            K::WherePredicate => self.where_predicate(cx),
            K::Function => self.function(cx),
            K::Field => self.field_declaration(cx),
            K::Variant => self.variant(cx),
            K::Struct | K::Union | K::Enum | K::Trait => self.type_definition(cx),
            K::Impl => self.implementation(cx),
            K::Const | K::Static => self.constant(cx),
            K::TypeItem | K::AssociatedType => self.type_alias(cx),
            K::Mod => self.module(cx),
            K::MacroDefinition => self.macro_definition(cx),
            K::Use => return self.use_declaration(cx),
            K::ExternCrate => return self.extern_crate(cx),
            K::TokenTree => return self.token_tree(cx),
            K::Binary | K::Assign => self.binary(cx),
            K::Transparent => self.unary(cx),
            K::Index => self.subscript(cx),
            K::LineComment | K::BlockComment | K::Str | K::Lifetime | K::TokenPattern => return Walk::Skip,
            _ => {}
        }
        Walk::Into
    }
}

impl Rust {
    fn k(&self, node: &Node) -> K {
        self.kinds.get(node.kind_id())
    }

    /// What the rules call the `level`-th ancestor; `Other` above the root.
    fn k_at(&self, cx: &Cx, level: usize) -> K {
        cx.ancestor(level).map_or(K::Other, |frame| self.kinds.get(frame.kind))
    }
}

/// `///` and `/** */` document what follows; `//!` and `/*! */` what is around them, so that they end a run of
/// comments like code does; `////` and `/***/` are plain.
fn comment(text: &str) -> Trivia {
    match text.as_bytes() {
        [b'/', b'/', b'!', ..] | [b'/', b'*', b'!', ..] => Trivia::No,
        [b'/', b'/', b'/', b'/', ..] | [b'/', b'*', b'*', b'*' | b'/', ..] => Trivia::Comment,
        [b'/', b'/', b'/', ..] | [b'/', b'*', b'*', ..] => Trivia::Doc,
        _ => Trivia::Comment,
    }
}

#[cfg(test)]
mod tests;
