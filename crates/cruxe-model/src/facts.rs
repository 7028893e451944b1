//! What is known about one file version: the output of extraction, the input of everything else.
//!
//! Facts say only what the text itself says. Nothing here was looked up in another file: who a name refers to is
//! decided at query time, against the definitions of the ref that is asked about.
//!
//! Positions are byte offsets into the file; [`FileFacts::line_of`] turns them into lines. The enclosing symbol and
//! the enclosing scope of an occurrence follow from its position ([`crate::nesting`]) and are not stored.

use serde::{Deserialize, Serialize};

use crate::arguments::Arguments;
use crate::kind::SymbolKind;
use crate::names::Names;

/// Index into [`FileFacts::names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NameId(pub u32);

/// Index into [`FileFacts::symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SymbolIndex(pub u32);

/// Index into [`FileFacts::scopes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ScopeId(pub u32);

/// Index into [`FileFacts::exprs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExprId(pub u32);

/// Index into [`FileFacts::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TypeId(pub u32);

/// A half-open range of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Whether the offset lies inside.
    pub fn contains(self, offset: u32) -> bool {
        self.start <= offset && offset < self.end
    }

    /// The bytes of `text` that the span covers; empty where the span does not fit.
    pub fn of(self, text: &[u8]) -> &[u8] {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// Everything that one file version says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileFacts {
    /// Name of the language (`rust`), or `text` where no grammar applies.
    pub language: String,
    /// The module that the file's place and text give it (`auth::jwt`); empty at a crate root.
    pub module: String,
    /// Strings that other facts refer to.
    pub names: Names,
    /// Definitions, in the order of their positions; a parent stands before its children.
    pub symbols: Vec<Symbol>,
    /// Lexical scopes, in the order of their starts; the first is the file itself.
    pub scopes: Vec<Scope>,
    /// Names that a scope introduces (parameters, locals, type parameters, imported names).
    pub bindings: Vec<Binding>,
    /// Imports and re-exports.
    pub imports: Vec<Import>,
    /// Uses of names, in the order of their positions. Definitions themselves are not occurrences.
    pub occurrences: Vec<Occurrence>,
    /// What calls pass, in the order of their positions, where functions of one name are told apart by it.
    pub calls: Vec<Call>,
    /// Identifiers that are none of the above, in the order of their positions: nobody knows what they mean, and nothing
    /// that is asked about their names may leave them out.
    pub loose: Vec<Loose>,
    /// Super types, implemented traits, the type of an `impl`.
    pub heritage: Vec<Heritage>,
    /// Receiver and value expressions, as far as they help to find a type.
    pub exprs: Vec<Expr>,
    /// Types as they are written.
    pub types: Vec<TypeRef>,
    /// Pieces of text that full-text search treats as one document.
    pub chunks: Vec<Chunk>,
    /// Offset of the first byte of each line.
    pub line_starts: Vec<u32>,
    /// What could not be done; empty when the facts are complete.
    pub problems: Vec<Problem>,
}

/// A definition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Symbol {
    /// The plain name; the imported path for [`SymbolKind::Use`].
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// The symbol around it.
    pub parent: Option<SymbolIndex>,
    /// The name with module and parents, in the language's own form.
    pub qualified_name: String,
    /// The declaration without its body, on one line; empty where there is nothing to say beyond the name.
    pub signature: String,
    /// The source's own word (`pub`, `pub(crate)`, `private`, `export`); empty when none is written.
    pub visibility: String,
    /// What the visibility means.
    pub access: Access,
    /// The declaration, from its first keyword to its end; doc comments, attributes and decorators excluded.
    pub span: Span,
    /// The declaration with its doc comments, attributes and decorators.
    pub full_span: Span,
    /// Where the name stands.
    pub name_span: Span,
    /// The doc comment or docstring with its markers; empty when there is none.
    pub doc_span: Span,
    /// How many symbols of the same kind and qualified name stand before it in this file.
    pub ordinal: u32,
    /// The declared type: what a function returns, what a field, constant or alias is.
    pub ty: Option<TypeId>,
    /// What gives it a type where none is written: the value of a variable, what a function returns.
    pub value: Option<ExprId>,
    /// Hash of the text of `full_span`.
    pub content_hash: u64,
    /// See [`SymbolFlags`].
    pub flags: SymbolFlags,
}

/// Visibility in the words that all languages share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Access {
    /// Everyone.
    Public,
    /// The crate, package or assembly.
    Crate,
    /// Sub-classes.
    Protected,
    /// The file, module or class.
    Private,
    /// The language has no such notion, or nothing is known.
    #[default]
    Unknown,
}

impl Access {
    /// The word that search results use; `None` when nothing is known.
    pub fn as_str(self) -> Option<&'static str> {
        match self {
            Access::Public => Some("public"),
            Access::Crate => Some("crate"),
            Access::Protected => Some("protected"),
            Access::Private => Some("private"),
            Access::Unknown => None,
        }
    }
}

/// Yes-or-no facts about a symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolFlags {
    /// A test, or something that exists only for tests.
    pub test: bool,
    /// A declaration whose body stands elsewhere or nowhere (overload signature, header, abstract method).
    pub declaration: bool,
    /// Belongs to the type, not to a value of it (`static`, no `self`).
    pub associated: bool,
    /// Defined inside the body of a function.
    pub local: bool,
}

/// A lexical scope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scope {
    /// What it covers.
    pub span: Span,
    /// What opened it.
    pub kind: ScopeKind,
}

/// What a scope belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScopeKind {
    /// The whole file.
    File,
    /// A module or namespace block: names outside are not in scope by themselves in some languages.
    Module,
    /// A class, trait, impl or interface body: members are reached through the type, not by plain name.
    Type,
    /// A function with its parameters.
    Function,
    /// Any other block.
    Block,
}

/// A name that a scope introduces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Binding {
    /// The name.
    pub name: NameId,
    /// Where the name stands.
    pub start: u32,
    /// The scope it belongs to.
    pub scope: ScopeId,
    /// How it came to be.
    pub kind: BindingKind,
    /// The type that is written at it.
    pub ty: Option<TypeId>,
    /// The expression it is initialised with, where that helps to find a type.
    pub value: Option<ExprId>,
}

/// How a name was introduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BindingKind {
    /// A parameter.
    Param,
    /// A local variable, including pattern, loop, catch and `with` variables.
    Local,
    /// A type parameter.
    TypeParam,
    /// An element of what `value` iterates over (`for x in value`).
    Element,
}

/// An import or re-export of one name, of a module, or of everything in a module.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// The module as written, without the imported name: `crate::auth::jwt`, `../auth/token`, `..models`.
    pub module: NameId,
    /// The imported name; `None` when the module itself is imported.
    pub name: Option<NameId>,
    /// The name it has here, where that differs.
    pub alias: Option<NameId>,
    /// Everything that the module offers.
    pub glob: bool,
    /// Others can import it from here (`pub use`, `export … from`).
    pub reexport: bool,
    /// Where the name that it introduces stands (or the import itself, for globs and side effects).
    pub start: u32,
    /// The scope in which it is visible.
    pub scope: ScopeId,
}

/// Endings that a path to a module may have or lack.
const MODULE_ENDINGS: &[&str] = &[".js", ".ts", ".cjs", ".mjs", ".jsx", ".tsx", ".cts", ".mts"];

/// The last name of a path to a module, without its ending: `reply` of `./lib/reply.js`. Written into the index, so it must not
/// change.
pub fn module_tail(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    let tail = path.rsplit('/').next().unwrap_or_default();
    MODULE_ENDINGS.iter().find_map(|ending| tail.strip_suffix(ending)).unwrap_or(tail)
}

/// A use of a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Occurrence {
    /// The name as written.
    pub name: NameId,
    /// Where it stands.
    pub start: u32,
    /// What it is used for.
    pub role: Role,
    /// What stands before the `.`, `::` or `->`; `None` for a plain name.
    pub receiver: Option<ExprId>,
}

/// What the call of a name passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Where the name stands, as in its [`Occurrence`].
    pub start: u32,
    /// What is passed.
    pub arguments: Arguments,
}

/// An identifier of which no rule says what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loose {
    /// The name as written.
    pub name: NameId,
    /// Where it stands.
    pub start: u32,
    /// It stands where the text could not be parsed.
    pub unparsed: bool,
}

/// What a name is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Role {
    /// Called: `f()`, `x.f()`, `T::f()`, `new T()`, `m!()`, `<Component/>`.
    Call,
    /// Stands where a type is expected.
    Type,
    /// Read as a value, also as a function passed by name.
    Value,
    /// Assigned to.
    Write,
    /// Named in an import or re-export.
    Import,
    /// A super class.
    Extends,
    /// An implemented trait or interface.
    Implements,
    /// A decorator, attribute or annotation.
    Decorator,
    /// The key of a struct literal or keyword argument: a field or parameter of something else, which is set.
    Key,
    /// A link of a document.
    Link,
    /// The last name of a dotted path in a string, which somebody may import by it: `"app.middleware.Auth"`. Without a receiver a
    /// word of a shell that may be a function's name: `retry load_all`.
    Path,
    /// The key of a pattern that takes a value apart: a field that is read.
    Unpack,
    /// A type of which a value is made without a call: `T { … }`, `T x;` in C++.
    Make,
    /// Named without being used: `global x`.
    Mention,
    /// A type that is called to make a value of an unnamed sub-class of it: `new T() { … }`.
    Subclass,
    /// A parameter or string whose name says what a framework fills in: a fixture of pytest. With a receiver it gives that its name.
    Provided,
    /// An operator, which a function may stand behind: `a + b`. The name is that of the function, the receiver what it works on, and
    /// the place that of the operator.
    Operator,
}

impl Role {
    /// Whether it is called.
    pub fn is_call(self) -> bool {
        matches!(self, Role::Call | Role::Subclass | Role::Operator)
    }

    /// Whether it stands where a type is expected.
    pub fn is_type(self) -> bool {
        matches!(self, Role::Type | Role::Make | Role::Extends | Role::Implements)
    }

    /// Whether it is a super type of what is declared around it.
    pub fn is_heritage(self) -> bool {
        matches!(self, Role::Extends | Role::Implements)
    }
}

/// That a type builds on another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Heritage {
    /// The class, trait, interface or `impl`.
    pub symbol: SymbolIndex,
    /// In which way.
    pub relation: Relation,
    /// The other type.
    pub ty: TypeId,
}

/// How a type builds on another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Relation {
    /// Sub-class, sub-trait, embedded struct or interface.
    Extends,
    /// Implements a trait or interface.
    Implements,
    /// The type that an `impl` or extension is for, or the type of a Go receiver.
    SelfType,
    /// The type that the unnamed class extends in which a method stands: `new T() { void m() { … } }`.
    Unnamed,
}

/// An expression, as far as it helps to find the type of a receiver.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Expr {
    /// A plain name.
    Name(NameId),
    /// `self` or `this`.
    SelfValue,
    /// `super`.
    Super,
    /// `base.name`, `base::name`, `base->name`.
    Member(ExprId, NameId),
    /// The result of calling something.
    Call(ExprId),
    /// A value of a type that the text names: `new T()`, `T { … }`, `x as T`.
    Typed(TypeId),
    /// An element: `base[i]`.
    Index(ExprId),
    /// The value inside: `base.await`, `base?`, `await base`, `*base`.
    Unwrap(ExprId),
    /// What the parameter at a place of a function takes: the type that an argument is expected to have. At [`RECEIVER`] stands
    /// what a function works on that has a receiver: `T` of `T.() -> Unit`.
    Argument(ExprId, u32),
    /// A part of a tuple, or of what a variant or structure without named fields holds.
    Part(ExprId, u32),
    /// One of two: `a or b`, what several `return`s give, what two branches assign.
    Either(ExprId, ExprId),
    /// A literal; the text is `str`, `int`, `float`, `bool`, `list`, `dict`, `fn` or the like.
    Literal(NameId),
    /// Anything else.
    Unknown,
}

/// The place of a function's receiver, see [`Expr::Argument`]; nobody writes so many parameters.
pub const RECEIVER: u32 = 255;

/// The part of a call's result that says what its first argument is where it holds: `T` of `isT(x): x is T`, see [`Expr::Part`].
pub const TESTED: u32 = 254;

/// The word of the literal that a keyword list or a map is, as what a key is a part of.
pub const DATA: &str = "data";

/// The last name of the path of a type that only a comment gives: where nothing of its name is in sight it says nothing.
pub const MAYBE: &str = "?";

/// A type as it is written, references and qualifiers removed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TypeRef {
    /// Its path: `["fmt", "Result"]`; a single `[]`, `()` or `fn` for unnamed types, `.fn` for a function with a receiver.
    pub path: Vec<NameId>,
    /// Its arguments: `T` of `Vec<T>`, the element of `[]T`, the alternatives of a union; of a function its result, then
    /// its receiver if it has one, and its parameters where the language's types say them.
    pub args: Vec<TypeId>,
}

/// A piece of the file that full-text search treats as one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// What it covers, whole lines.
    pub span: Span,
    /// The innermost symbol that it belongs to.
    pub symbol: Option<SymbolIndex>,
}

/// What could not be done for a file, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Problem {
    /// The parser met text that the grammar does not know.
    SyntaxError {
        /// The line where it begins.
        line: u32,
        /// What was not understood, in order; names in there are known as words only. Empty where only a token lacks.
        unparsed: Vec<Span>,
    },
    /// The file is larger than the limit; it was not parsed.
    TooLarge {
        /// Its size.
        bytes: u64,
    },
    /// Parsing took longer than the limit; the file has chunks but no symbols.
    TooSlow,
    /// The bytes are not UTF-8; broken ones were replaced.
    NotUtf8,
    /// More symbols or occurrences than the limit; the rest was dropped.
    TooMany,
}

impl FileFacts {
    /// The text behind an id.
    pub fn name(&self, id: NameId) -> &str {
        self.names.get(id.0 as usize).unwrap_or_default()
    }

    /// The 1-based line of an offset.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|start| *start <= offset).max(1) as u32
    }

    /// The 1-based first and last line of a span.
    pub fn lines_of(&self, span: Span) -> (u32, u32) {
        let start = self.line_of(span.start);
        (start, self.line_of(span.end.saturating_sub(1).max(span.start)).max(start))
    }

    /// What could not be parsed, in order.
    pub fn unparsed(&self) -> &[Span] {
        let spans = self.problems.iter().find_map(|problem| match problem {
            Problem::SyntaxError { unparsed, .. } => Some(unparsed.as_slice()),
            _ => None,
        });
        spans.unwrap_or_default()
    }

    /// Whether an offset is in code that could not be parsed.
    pub fn is_unparsed(&self, offset: u32) -> bool {
        let spans = self.unparsed();
        let next = spans.partition_point(|span| span.end <= offset);
        spans.get(next).is_some_and(|span| span.start <= offset)
    }

    /// What the call of the name at an offset passes.
    pub fn arguments(&self, start: u32) -> Option<Arguments> {
        let at = self.calls.binary_search_by_key(&start, |call| call.start).ok()?;
        Some(self.calls[at].arguments)
    }

    /// The symbol at an index.
    pub fn symbol(&self, index: SymbolIndex) -> Option<&Symbol> {
        self.symbols.get(index.0 as usize)
    }
}
