//! Python: classes, docstrings, names that exist because they are assigned to.
//!
//! The first assignment of a name in a module or a class is its definition; so is the first `self.x = …` in the
//! methods of a class. Which one is first is kept in the builder ([`crate::build::Builder::claim`]).

mod assign;
mod define;
mod expr;
mod fixtures;
mod imports;
mod module;
mod narrow;
mod operators;
mod quoted;
mod roles;
mod types;

#[cfg(test)]
mod tests;

use cruxe_model::facts::{Access, ScopeKind};
use tree_sitter::{Language, Node};

use super::common::stem;
use crate::language::{Depth, FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{Home, Locals, Members, Merging, NAMING, Naming, System};
use crate::recover::{LAYOUT, Lexis};
use crate::registry::{Kinds, field};
use crate::walk::{Cx, Rules, Trivia, Walk};

/// The Python language.
pub static PYTHON: LanguageDef = SCRIPTS;

/// The same for whoever holds Python in files of another kind.
pub(super) const SCRIPTS: LanguageDef = LanguageDef {
    id: "python",
    name: "python",
    depth: Depth::Deep,
    extensions: &["py", "pyi", "pyw"],
    file_names: &["SConscript", "SConstruct", "wscript"],
    interpreters: &["python", "python2", "python3", "pypy", "pypy3"],
    front_end: FrontEnd::Grammar { grammar: || tree_sitter_python::LANGUAGE.into(), rules },
    module: module::module,
    is_test_path,
    is_test_name: |name| stem(name) == "conftest" || stem(name).to_ascii_lowercase().starts_with("test_"),
    role_names: &["__init__"],
    naming: Naming {
        runs_unnamed: |name, _| name.starts_with("__") && name.ends_with("__"),
        system: System::Python,
        imported: |path| path.split('.').next().unwrap_or_default(),
        locals: Locals::Everywhere,
        local_types: true,
        members: Members::ClassBody,
        shown_owners: false,
        home: Home::File,
        merging: Merging::Never,
        impls: false,
        decorators_run: true,
        constructors_inherited: true,
        assignments_define: true,
        own_class: &["cls"],
        unions: &["Union", "Optional"],
        anything: &["Any", "object", "TypeVar", "ParamSpec"],
        meta_types: &["type", "Type"],
        named_arguments: true,
        class_of: Some("__class__"),
        builtin_types: &[
            "set",
            "frozenset",
            "dict",
            "list",
            "tuple",
            "str",
            "bytes",
            "bytearray",
            "int",
            "float",
            "bool",
        ],
        constructor: Some("__init__"),
        call: Some("__call__"),
        member_hooks: &["__getattr__", "__getattribute__"],
        enter: &["__enter__", "__aenter__"],
        elements: &["__iter__", "__getitem__", "__next__", "next", "Item", "Output"],
        everyday: "append extend insert remove clear index count sort reverse copy keys items values get update pop \
            popitem add discard union join split strip lower upper title format replace startswith endswith \
            encode decode find read write readline readlines close open flush seek tell name start end group \
            groups match search sub fullmatch run wait send put acquire release set is_set year month day \
            path exists mkdir parent stem suffix exit isatty fileno args kwargs code filename lineno value \
            type id data text status headers json url method execute fetchone fetchall commit rollback \
            cursor assertEqual setUp tearDown call real imag width height \
            setdefault fromkeys rstrip lstrip splitlines partition rpartition rsplit isdigit \
            debug info warning error exception critical log write_text read_text write_bytes read_bytes \
            unlink touch resolve joinpath relative_to iterdir glob rglob is_dir is_file with_suffix with_name \
            rename exec_module add_argument add_option parse_args cancel result done closed",
        ..NAMING
    },
    ..LANGUAGE
};

/// Longer chains than this are not followed.
const MAX_STEPS: u32 = 12;

/// What the rules call the node kinds that they know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum K {
    #[default]
    Other,
    ArgumentList,
    AsPattern,
    AsPatternTarget,
    Assert,
    Assignment,
    Attribute,
    Augmented,
    Await,
    Binary,
    Block,
    Boolean,
    Break,
    Call,
    CasePattern,
    Class,
    ClassPattern,
    Comment,
    Comparison,
    Concatenated,
    Conditional,
    ConstrainedType,
    Continue,
    Decorated,
    Decorator,
    DefaultParameter,
    Delete,
    Dict,
    DictComprehension,
    DictPattern,
    DictSplatPattern,
    DottedName,
    Elif,
    Else,
    Ellipsis,
    Except,
    ExpressionList,
    ExpressionStatement,
    False,
    Float,
    For,
    ForIn,
    Function,
    FutureImport,
    Generator,
    GenericType,
    Global,
    Identifier,
    If,
    Import,
    ImportFrom,
    Integer,
    KeywordArgument,
    KeywordPattern,
    Lambda,
    LambdaParameters,
    LineContinuation,
    List,
    ListComprehension,
    ListPattern,
    ListSplat,
    ListSplatPattern,
    MemberType,
    Module,
    Named,
    None,
    Not,
    Parameters,
    Parenthesized,
    PatternList,
    Raise,
    Return,
    Set,
    SetComprehension,
    SplatPattern,
    SplatType,
    String,
    Subscript,
    True,
    Try,
    Tuple,
    TuplePattern,
    Type,
    TypeAlias,
    TypeParameter,
    TypedDefaultParameter,
    TypedParameter,
    Unary,
    UnionPattern,
    UnionType,
    While,
    Yield,
}

const KINDS: &[(&str, K)] = &[
    ("argument_list", K::ArgumentList),
    ("as_pattern", K::AsPattern),
    ("as_pattern_target", K::AsPatternTarget),
    ("assert_statement", K::Assert),
    ("assignment", K::Assignment),
    ("attribute", K::Attribute),
    ("augmented_assignment", K::Augmented),
    ("await", K::Await),
    ("binary_operator", K::Binary),
    ("block", K::Block),
    ("boolean_operator", K::Boolean),
    ("break_statement", K::Break),
    ("call", K::Call),
    ("case_pattern", K::CasePattern),
    ("class_definition", K::Class),
    ("class_pattern", K::ClassPattern),
    ("comment", K::Comment),
    ("comparison_operator", K::Comparison),
    ("concatenated_string", K::Concatenated),
    ("conditional_expression", K::Conditional),
    ("constrained_type", K::ConstrainedType),
    ("continue_statement", K::Continue),
    ("decorated_definition", K::Decorated),
    ("decorator", K::Decorator),
    ("default_parameter", K::DefaultParameter),
    ("delete_statement", K::Delete),
    ("dict_pattern", K::DictPattern),
    ("dictionary", K::Dict),
    ("dictionary_comprehension", K::DictComprehension),
    ("dictionary_splat_pattern", K::DictSplatPattern),
    ("dotted_name", K::DottedName),
    ("elif_clause", K::Elif),
    ("else_clause", K::Else),
    ("ellipsis", K::Ellipsis),
    ("except_clause", K::Except),
    ("expression_list", K::ExpressionList),
    ("expression_statement", K::ExpressionStatement),
    ("false", K::False),
    ("float", K::Float),
    ("for_in_clause", K::ForIn),
    ("for_statement", K::For),
    ("function_definition", K::Function),
    ("future_import_statement", K::FutureImport),
    ("generator_expression", K::Generator),
    ("generic_type", K::GenericType),
    ("global_statement", K::Global),
    ("identifier", K::Identifier),
    ("if_statement", K::If),
    ("import_from_statement", K::ImportFrom),
    ("import_statement", K::Import),
    ("integer", K::Integer),
    ("keyword_argument", K::KeywordArgument),
    ("keyword_pattern", K::KeywordPattern),
    ("lambda", K::Lambda),
    ("lambda_parameters", K::LambdaParameters),
    ("line_continuation", K::LineContinuation),
    ("list", K::List),
    ("list_comprehension", K::ListComprehension),
    ("list_pattern", K::ListPattern),
    ("list_splat", K::ListSplat),
    ("list_splat_pattern", K::ListSplatPattern),
    ("member_type", K::MemberType),
    ("module", K::Module),
    ("named_expression", K::Named),
    ("none", K::None),
    ("nonlocal_statement", K::Global),
    ("not_operator", K::Not),
    ("parameters", K::Parameters),
    ("parenthesized_expression", K::Parenthesized),
    ("pattern_list", K::PatternList),
    ("raise_statement", K::Raise),
    ("return_statement", K::Return),
    ("set", K::Set),
    ("set_comprehension", K::SetComprehension),
    ("splat_pattern", K::SplatPattern),
    ("splat_type", K::SplatType),
    ("string", K::String),
    ("subscript", K::Subscript),
    ("true", K::True),
    ("try_statement", K::Try),
    ("tuple", K::Tuple),
    ("tuple_pattern", K::TuplePattern),
    ("type", K::Type),
    ("type_alias_statement", K::TypeAlias),
    ("type_parameter", K::TypeParameter),
    ("typed_default_parameter", K::TypedDefaultParameter),
    ("typed_parameter", K::TypedParameter),
    ("unary_operator", K::Unary),
    ("union_pattern", K::UnionPattern),
    ("union_type", K::UnionType),
    ("while_statement", K::While),
    ("yield", K::Yield),
];

struct Python {
    kinds: Kinds<K>,
    alias: u16,
    alternative: u16,
    argument: u16,
    arguments: u16,
    attribute: u16,
    body: u16,
    condition: u16,
    function: u16,
    key: u16,
    left: u16,
    name: u16,
    object: u16,
    operator: u16,
    operators: u16,
    parameters: u16,
    return_type: u16,
    right: u16,
    subscript: u16,
    superclasses: u16,
    ty: u16,
    type_parameters: u16,
    value: u16,
}

pub(super) fn rules(grammar: &Language) -> Box<dyn Rules> {
    Box::new(Python {
        kinds: Kinds::new(grammar, KINDS),
        alias: field(grammar, "alias"),
        alternative: field(grammar, "alternative"),
        argument: field(grammar, "argument"),
        arguments: field(grammar, "arguments"),
        attribute: field(grammar, "attribute"),
        body: field(grammar, "body"),
        condition: field(grammar, "condition"),
        function: field(grammar, "function"),
        key: field(grammar, "key"),
        left: field(grammar, "left"),
        name: field(grammar, "name"),
        object: field(grammar, "object"),
        operator: field(grammar, "operator"),
        operators: field(grammar, "operators"),
        parameters: field(grammar, "parameters"),
        return_type: field(grammar, "return_type"),
        right: field(grammar, "right"),
        subscript: field(grammar, "subscript"),
        superclasses: field(grammar, "superclasses"),
        ty: field(grammar, "type"),
        type_parameters: field(grammar, "type_parameters"),
        value: field(grammar, "value"),
    })
}

/// How declarations are found without the grammar.
static LEXIS: Lexis =
    Lexis { triple: true, annotations: true, in_type: ("class X:\n", ""), in_function: ("if x:\n", ""), ..LAYOUT };

impl Rules for Python {
    fn lexis(&self) -> Option<&'static Lexis> {
        Some(&LEXIS)
    }

    fn trivia(&self, kind: u16, text: &str) -> Trivia {
        match self.kinds.get(kind) {
            K::Comment if text.starts_with("#:") => Trivia::Doc,
            K::Comment => Trivia::Comment,
            _ => Trivia::No,
        }
    }

    fn enter(&self, cx: &mut Cx) -> Walk {
        match self.kinds.get(cx.kind()) {
            K::Identifier => self.identifier(cx),
            K::String => return self.string(cx),
            K::Function => self.function(cx),
            K::Class => self.class(cx),
            K::Lambda => cx.open_scope(ScopeKind::Function),
            K::ListComprehension | K::DictComprehension | K::SetComprehension | K::Generator => {
                cx.open_scope(ScopeKind::Block)
            }
            K::Parameters | K::LambdaParameters => self.parameters(cx),
            K::TypeParameter => self.type_parameters(cx),
            K::TypeAlias => self.type_alias(cx),
            K::Import | K::ImportFrom | K::FutureImport => {
                self.import(cx);
                return Walk::Skip;
            }
            K::Assignment => self.assignment(cx),
            K::Named => self.walrus(cx),
            K::For | K::ForIn => self.for_target(cx),
            K::AsPattern => self.as_pattern(cx),
            K::Except => self.except(cx),
            K::Global => self.global(cx),
            K::Return | K::Yield => self.returned(cx),
            // Where text is missing the grammar puts a block without any.
            K::Block if cx.node().start_byte() < cx.node().end_byte() => {
                self.tested_block(cx);
                self.branch(cx);
            }
            K::Boolean => self.tested_operand(cx),
            K::Binary | K::Augmented => self.binary_operator(cx),
            K::Comparison => self.comparison(cx),
            K::Unary => self.unary_operator(cx),
            K::Subscript => self.subscript(cx),
            K::Call => self.asked(cx),
            K::Conditional => self.tested_value(cx),
            K::Assert => self.asserted(cx),
            _ => {}
        }
        Walk::Into
    }
}

impl Python {
    fn kind(&self, node: &Node) -> K {
        self.kinds.get(node.kind_id())
    }

    /// The kind of the `level`-th ancestor; [`K::Other`] beyond the root.
    fn kind_at(&self, cx: &Cx, level: usize) -> K {
        cx.ancestor(level).map_or(K::Other, |frame| self.kinds.get(frame.kind))
    }

    /// The children that are code.
    fn parts<'c, 't>(
        &'c self,
        node: &Node<'t>,
        cursor: &'c mut tree_sitter::TreeCursor<'t>,
    ) -> impl Iterator<Item = Node<'t>> {
        node.named_children(cursor).filter(|child| !matches!(self.kind(child), K::Comment | K::LineContinuation))
    }

    /// The first child that is code.
    fn first<'t>(&self, node: &Node<'t>) -> Option<Node<'t>> {
        self.parts(node, &mut node.walk()).next()
    }
}

/// `_x` is private by convention, `__x` by name mangling; `__x__` belongs to the language.
fn access(name: &str) -> Access {
    let special = name.len() > 4 && name.starts_with("__") && name.ends_with("__");
    if name.starts_with('_') && !special { Access::Private } else { Access::Public }
}

/// Whether everything in a file exists for tests, by the habits of pytest, unittest and Django.
fn is_test_path(path: &str) -> bool {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    stem.starts_with("test_")
        || stem.ends_with("_test")
        || matches!(stem, "conftest" | "tests")
        || folder.split('/').any(|part| matches!(part, "test" | "tests"))
}
