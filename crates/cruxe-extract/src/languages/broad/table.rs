//! The vocabulary of the tables: what can be said about a node kind, and the functions that say it.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, BindingKind, Expr, ExprId, Relation, Role, ScopeKind};
use tree_sitter::Language;

use super::passed::Passing;
use super::{Broad, MAX_STEPS, Site, Syntax};
use crate::build::Decl;
use crate::language::LanguageDef;
use crate::recover::Lexis;
use crate::registry::field;
use crate::walk::{Cx, Walk};

/// Everything that a language says about its syntax tree.
pub struct Table {
    /// Node kinds and what they are; the first entry for a kind counts.
    pub nodes: &'static [(&'static [&'static str], Node)],
    /// A table whose entries hold where this one has none (C for C++).
    pub base: Option<&'static Table>,
    /// Fields in which a name is a type unless the node's roles say otherwise.
    pub type_fields: &'static [&'static str],
    /// Names that mean the value whose method runs (`this`); never occurrences.
    pub self_words: &'static [&'static str],
    /// Names that mean the super class (`super`, `parent`); never occurrences.
    pub super_words: &'static [&'static str],
    /// Names that the grammar gives as names though they are words of the language (`var`); never occurrences or types.
    pub keywords: &'static [&'static str],
    /// Functions whose value has the type of their first type argument (`static_cast<T>`).
    pub casts: &'static [&'static str],
    /// Words that give a visibility, and what they mean.
    pub access: &'static [(&'static str, Access)],
    /// Symbols with one of these attributes are tests.
    pub test_attributes: &'static [&'static str],
    /// Words before the name of a definition, by which one is found where the parser gave up.
    pub recover: &'static [(&'static str, SymbolKind)],
    /// Nodes that a parser makes of definitions that it does not understand.
    pub recover_in: &'static [&'static str],
    /// Blanks out what the grammar cannot read, see [`Rules::prepare`](crate::walk::Rules::prepare).
    pub prepare: for<'s> fn(&'s str) -> Cow<'s, str>,
    /// Writes what the grammar is known to stumble over differently, see [`Rules::mend`](crate::walk::Rules::mend).
    pub mend: fn(&str) -> Option<String>,
    /// See [`Rules::dialect`](crate::walk::Rules::dialect).
    pub dialect: fn(&str) -> Option<&'static LanguageDef>,
    /// How its declarations are found where the parser gave up, see [`Rules::lexis`](crate::walk::Rules::lexis).
    pub lexis: Option<&'static Lexis>,
    /// Corrects a declaration before it is noted; `false` drops it.
    pub refine: Refine,
    /// Words that stand for the class around them where they are called: `new static()`.
    pub class_words: &'static [&'static str],
    /// Whether a node is a pattern that takes a tuple apart, and another one of its parts.
    pub is_tuple: fn(&Syntax, &Syntax) -> bool,
    /// A local is one of its whole function, whatever block it stands in.
    pub function_locals: bool,
    /// The nodes that hold the arguments of a call.
    pub arguments: &'static [&'static str],
    /// Where the arguments of calls stand, if functions of one name are told apart by them.
    pub passing: Option<Passing>,
    /// The node of a lambda behind the parentheses of a call that it is an argument of.
    pub lambda_behind: Option<&'static str>,
    /// What a name that begins with a dot is a member of, by its place; the name is the current node.
    pub implied: fn(&Broad, &mut Cx) -> Option<ExprId>,
    /// What a key is a part of; the frame at the level is the node that made it a key.
    pub key_of: fn(&Broad, &mut Cx, usize) -> Option<ExprId>,
}

/// See [`Table::refine`].
pub type Refine = for<'s, 't> fn(&mut Cx<'_, 's, 't>, &mut Site<'s, 't>, &mut Decl<'s>) -> bool;

/// See [`Node::hook`]; `None` goes on with the other rules of the node.
pub type Hook = for<'s, 't> fn(&Broad, &mut Cx<'_, 's, 't>) -> Option<Walk>;

/// A table without nodes, for `..TABLE`.
pub const TABLE: Table = Table {
    nodes: &[],
    base: None,
    type_fields: &["type"],
    self_words: &["this"],
    super_words: &["super"],
    keywords: &[],
    casts: &[],
    access: &[],
    test_attributes: &[],
    recover: &[],
    recover_in: &[],
    prepare: |text| Cow::Borrowed(text),
    mend: |_| None,
    dialect: |_| None,
    lexis: None,
    refine: |_, _, _| true,
    class_words: &[],
    is_tuple: |_, _| false,
    function_locals: false,
    arguments: &[],
    passing: None,
    lambda_behind: None,
    implied: |_, _| None,
    key_of: |_, _, _| None,
};

/// What a table says about one node kind.
#[derive(Clone, Copy)]
pub struct Node {
    /// A definition around the node.
    pub def: Option<Def>,
    /// The scope that it opens.
    pub scope: Option<ScopeKind>,
    /// The body of a type: opens a scope when the node around it is no definition (anonymous classes).
    pub type_body: bool,
    /// Its children are super types of the definition around it.
    pub heritage: Option<Heritage>,
    /// Whether it is a name, and which role the name has where nothing else is known.
    pub name: Option<Role>,
    /// The role of names in it for which nothing else is known (`Type` for a type's node in some grammars).
    pub default_role: Option<Role>,
    /// What names at its places are.
    pub roles: &'static [(At, As)],
    /// The base and the name, when it is `base.name`. A name found here has the base as its receiver.
    pub member: Option<(Find, Find)>,
    /// Where the type of what it declares or binds stands.
    pub of_type: Find,
    /// Where the value of what it declares or binds stands.
    pub of_value: Find,
    /// What it is as an expression.
    pub expr: Shape,
    /// What it is as a type.
    pub ty: TypeShape,
    /// Whether it is a comment or an attribute.
    pub trivia: TriviaRule,
    /// Its children are modifiers of a declaration.
    pub modifiers: bool,
    /// Belongs to the declaration inside it (`template <…>`).
    pub wraps: bool,
    /// Anything else.
    pub hook: Option<Hook>,
}

/// A node kind about which nothing is known.
pub const NODE: Node = Node {
    def: None,
    scope: None,
    type_body: false,
    heritage: None,
    name: None,
    default_role: None,
    roles: &[],
    member: None,
    of_type: Find::Nothing,
    of_value: Find::Nothing,
    expr: Shape::Unknown,
    ty: TypeShape::Unknown,
    trivia: TriviaRule::No,
    modifiers: false,
    wraps: false,
    hook: None,
};

/// A definition with a body or members of its own.
#[derive(Clone, Copy)]
pub struct Def {
    /// Its kind.
    pub kind: SymbolKind,
    /// Its kind in the body of a type, where that differs.
    pub member: SymbolKind,
    /// Where its name stands.
    pub name: Find,
    /// Where its body stands; the signature ends there.
    pub body: Find,
    /// Without a body it is a use of the name, not a definition (`struct x` in C).
    pub needs_body: bool,
}

/// Where a child stands.
#[derive(Clone, Copy)]
pub enum Find {
    /// Nowhere.
    Nothing,
    /// In a field.
    Field(&'static str),
    /// The first named child of a kind.
    Kind(&'static str),
    /// The first named child of one of these kinds.
    Kinds(&'static [&'static str]),
    /// The last named child of a kind.
    LastKind(&'static str),
    /// The named child at an index.
    Nth(u32),
    /// The last named child.
    Last,
    /// At the end of a chain of declarators, which starts with a field.
    Declarator(&'static str),
    /// Wherever the function says.
    By(for<'t> fn(&Syntax<'t>) -> Option<Syntax<'t>>),
}

/// A place among the children of a node.
#[derive(Clone, Copy)]
pub enum At {
    /// A field.
    Field(&'static str),
    /// A child of a kind.
    Kind(&'static str),
    /// The first child of a kind.
    FirstKind(&'static str),
    /// The last child of a kind.
    LastKind(&'static str),
    /// The first named child.
    First,
    /// The last named child.
    Last,
    /// Anywhere.
    Any,
}

/// What a name at a place is.
#[derive(Clone, Copy)]
pub enum As {
    /// A use in a role.
    Role(Role),
    /// A use in the role that its own kind gives it.
    Plain,
    /// What the node is in its own parent.
    Inherit,
    /// Neither a use nor a definition: a label, or noted elsewhere.
    Nothing,
    /// A super type, see [`Node::heritage`].
    Super,
    /// Introduced here.
    Bind(BindingKind),
    /// A parameter; in the body of a type (a record's component, a primary constructor's) a field, which
    /// [`Table::refine`] may drop and so turn back into a parameter.
    Param,
    /// As the function says; the frame at `level` is the node with the rule.
    Ask(fn(cx: &Cx, level: usize) -> As),
    /// Declared here: a local variable inside a function, else a symbol of the first kind, or in the body of a type
    /// of the second.
    Declare(SymbolKind, SymbolKind),
}

/// How super types relate to the definition.
#[derive(Clone, Copy)]
pub enum Heritage {
    /// All in the same way.
    All(Relation),
    /// As the function says, of the super type's node; the frame at `level` is the node with the rule.
    By(for<'t> fn(cx: &Cx<'_, '_, 't>, level: usize, base: &Syntax<'t>) -> Relation),
}

/// How a node is read as an expression; see [`expr`].
#[derive(Clone, Copy)]
pub enum Shape {
    /// Not at all. (A node with [`Node::name`] is a name, one with [`Node::member`] a member.)
    Unknown,
    /// `this`.
    SelfValue,
    /// `super`.
    Super,
    /// What the function takes that the argument around it is: `_` of Scala.
    Placeholder,
    /// A call of what stands in a place; of the node's own [`Node::member`] for `Find::Nothing`.
    Call(Find),
    /// The same, where type arguments in a second place make the callee a type: `ArrayList<Order>()`.
    Generic(Find, Find),
    /// A value of the type in a place.
    Typed(Find),
    /// An element of what stands in a place.
    Index(Find),
    /// The value inside what stands in a place.
    Unwrap(Find),
    /// The same as what stands in a place.
    Inner(Find),
    /// A literal.
    Literal(&'static str),
    /// As the function says.
    By(fn(&Syntax) -> Shape),
    /// The expression that the function makes.
    Ask(fn(&Broad, &mut Cx, &Syntax) -> Expr),
}

/// How a node is read as a type; see [`expr`].
#[derive(Clone, Copy)]
pub enum TypeShape {
    /// Not at all. (A node with [`Node::name`] is a name.)
    Unknown,
    /// A name or path as it is written, with the children of what stands in a place as its arguments.
    Path(Find),
    /// A base with arguments: the children of what stands in the second place.
    Generic(Find, Find),
    /// A scope before a type: `scope::Type<…>`.
    Scoped(Find, Find),
    /// The same as what stands in a place.
    Inner(Find),
    /// An unnamed type with one argument: `[]` with its element, `fn` with its result.
    Unnamed(&'static str, Find),
    /// The type of a function: what the children of the first place are, it takes; what stands in the second, it gives.
    Function(Find, Find),
    /// The same with a receiver, if there is one, in the first place: `T.() -> Unit`.
    Method(Find, Find, Find),
    /// An unnamed type whose arguments are the children: `|`, `()`.
    All(&'static str),
}

/// Whether a node is a comment or an attribute.
#[derive(Clone, Copy)]
pub enum TriviaRule {
    /// It is neither.
    No,
    /// A comment; documents what follows when it starts with one of these (`""` for any comment).
    Comment(&'static [&'static str]),
    /// An attribute, annotation or decorator.
    Attribute,
}

/// A definition of a kind, with a name in the field `name` and a body in the field `body`.
pub const fn def(kind: SymbolKind) -> Node {
    let def = Def { kind, member: kind, name: Find::Field("name"), body: Find::Field("body"), needs_body: false };
    Node { def: Some(def), ..NODE }
}

/// A function with a scope; a method in the body of a type.
pub const fn function() -> Node {
    def(SymbolKind::Fn).member_kind(SymbolKind::Method).open(ScopeKind::Function)
}

/// A type with a scope.
pub const fn type_def(kind: SymbolKind) -> Node {
    def(kind).open(ScopeKind::Type)
}

/// A node that opens a scope.
pub const fn scope(kind: ScopeKind) -> Node {
    NODE.open(kind)
}

/// A name that is a value where nothing else is known.
pub const fn name() -> Node {
    Node { name: Some(Role::Value), ty: TypeShape::Path(Find::Nothing), ..NODE }
}

/// A name that is a type where nothing else is known.
pub const fn type_name() -> Node {
    Node { name: Some(Role::Type), ty: TypeShape::Path(Find::Nothing), ..NODE }
}

/// A built-in type: no occurrence, but a type.
pub const fn primitive() -> Node {
    Node { ty: TypeShape::Path(Find::Nothing), ..NODE }
}

/// `base.name`: the base in one field, the name in another.
pub const fn member(base: &'static str, name: &'static str) -> Node {
    Node { member: Some((Find::Field(base), Find::Field(name))), ..NODE }
}

/// A call of what stands in a place.
pub const fn call(callee: Find) -> Node {
    Node { expr: Shape::Call(callee), ..NODE }
}

/// A node of which only the roles of its children are known.
pub const fn roles(roles: &'static [(At, As)]) -> Node {
    Node { roles, ..NODE }
}

/// A node that is its only part of interest: parentheses, nullable types.
pub const fn inner(find: Find) -> Node {
    Node { expr: Shape::Inner(find), ty: TypeShape::Inner(find), ..NODE }
}

/// A literal.
pub const fn literal(word: &'static str) -> Node {
    Node { expr: Shape::Literal(word), ..NODE }
}

/// A comment that documents what follows when it starts with one of these.
pub const fn comment(doc: &'static [&'static str]) -> Node {
    Node { trivia: TriviaRule::Comment(doc), ..NODE }
}

/// An attribute or annotation.
pub const fn attribute() -> Node {
    Node { trivia: TriviaRule::Attribute, ..NODE }
}

/// Modifiers of a declaration.
pub const fn modifiers() -> Node {
    Node { modifiers: true, ..NODE }
}

/// A node that a function deals with.
pub const fn hook(hook: Hook) -> Node {
    Node { hook: Some(hook), ..NODE }
}

impl Node {
    /// With a scope.
    pub const fn open(mut self, kind: ScopeKind) -> Node {
        self.scope = Some(kind);
        self
    }

    /// With roles of its children.
    pub const fn roles(mut self, roles: &'static [(At, As)]) -> Node {
        self.roles = roles;
        self
    }

    /// With another kind in the body of a type.
    pub const fn member_kind(mut self, kind: SymbolKind) -> Node {
        if let Some(def) = &mut self.def {
            def.member = kind;
        }
        self
    }

    /// With its name somewhere else than in the field `name`.
    pub const fn named(mut self, find: Find) -> Node {
        if let Some(def) = &mut self.def {
            def.name = find;
        }
        self
    }

    /// With its body somewhere else than in the field `body`.
    pub const fn body(mut self, find: Find) -> Node {
        if let Some(def) = &mut self.def {
            def.body = find;
        }
        self
    }

    /// A definition only when it has a body.
    pub const fn needs_body(mut self) -> Node {
        if let Some(def) = &mut self.def {
            def.needs_body = true;
        }
        self
    }

    /// With the type of what it declares.
    pub const fn of_type(mut self, find: Find) -> Node {
        self.of_type = find;
        self
    }

    /// With the value of what it declares.
    pub const fn of_value(mut self, find: Find) -> Node {
        self.of_value = find;
        self
    }

    /// With children that are super types.
    pub const fn heritage(mut self, heritage: Heritage) -> Node {
        self.heritage = Some(heritage);
        self
    }

    /// With a meaning as an expression.
    pub const fn expr(mut self, shape: Shape) -> Node {
        self.expr = shape;
        self
    }

    /// With a meaning as a type.
    pub const fn ty(mut self, shape: TypeShape) -> Node {
        self.ty = shape;
        self
    }

    /// With a base and a name.
    pub const fn member(mut self, base: Find, name: Find) -> Node {
        self.member = Some((base, name));
        self
    }

    /// With a function that sees it first.
    pub const fn hook(mut self, hook: Hook) -> Node {
        self.hook = Some(hook);
        self
    }

    /// Belongs to the declaration inside it.
    pub const fn wraps(mut self) -> Node {
        self.wraps = true;
        self
    }

    /// With a role of names in it for which nothing else is known.
    pub const fn default_role(mut self, role: Role) -> Node {
        self.default_role = Some(role);
        self
    }

    /// The body of a type.
    pub const fn type_body(mut self) -> Node {
        self.type_body = true;
        self
    }
}

impl Find {
    /// The child of a node.
    pub fn find<'t>(&self, node: &Syntax<'t>) -> Option<Syntax<'t>> {
        match self {
            Find::Nothing => None,
            Find::Field(name) => child_of_field(node, name),
            Find::Kind(kind) => first_of(node, &[kind]),
            Find::Kinds(kinds) => first_of(node, kinds),
            Find::LastKind(kind) => {
                let mut cursor = node.walk();
                node.named_children(&mut cursor).filter(|child| child.kind() == *kind).last()
            }
            Find::Nth(at) => node.named_child(*at),
            Find::Last => node.named_child((node.named_child_count() as u32).checked_sub(1)?),
            Find::Declarator(field) => {
                let mut at = child_of_field(node, field)?;
                for _ in 0..MAX_STEPS {
                    match declarator(&at) {
                        Some(inner) => at = inner,
                        None => break,
                    }
                }
                Some(at)
            }
            Find::By(find) => find(node),
        }
    }
}

/// The child that a node has in a field. The grammar looks a name up among all of its fields, one after another, so that what came of
/// it is kept for the next node.
fn child_of_field<'t>(node: &Syntax<'t>, name: &'static str) -> Option<Syntax<'t>> {
    type Known = (Option<Language>, HashMap<&'static str, u16, foldhash::fast::FixedState>);
    thread_local!(static KNOWN: RefCell<Known> = RefCell::default());
    let id = KNOWN.with_borrow_mut(|(of, known)| {
        let language = node.language();
        if of.as_ref() != Some(&*language) {
            (*of, *known) = (Some(language.clone()), HashMap::default());
        }
        *known.entry(name).or_insert_with(|| field(&language, name))
    });
    node.child_by_field_id(id)
}

/// The declarator inside a declarator.
pub fn declarator<'t>(node: &Syntax<'t>) -> Option<Syntax<'t>> {
    let kind = node.kind();
    if !kind.ends_with("_declarator") {
        return None;
    }
    child_of_field(node, "declarator").or_else(|| {
        let mut cursor = node.walk();
        let names = |child: &Syntax| {
            let kind = child.kind();
            kind.ends_with("_declarator") || kind.ends_with("identifier") || kind.ends_with("_name")
        };
        node.named_children(&mut cursor).find(names)
    })
}

fn first_of<'t>(node: &Syntax<'t>, kinds: &[&str]) -> Option<Syntax<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| kinds.contains(&child.kind()))
}
