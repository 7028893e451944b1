//! One set of rules for languages that differ in the names of their nodes more than in their ideas.
//!
//! A language fills in a [`Table`]: for every node kind that matters one [`Node`], made with the builder functions
//! below ([`def`], [`scope`], [`name`], [`member`], [`roles`] …), and a [`Table::refine`] function for what a table
//! cannot say. `broad::rules(grammar, &TABLE)` is its [`Rules`].
//!
//! How it works, for a node that is entered:
//!
//! 1. [`Node::hook`] runs first and may end the matter (imports, packages, oddities).
//! 2. [`Node::def`] declares a symbol around the node: name, body, span without attributes, signature, modifiers.
//! 3. [`Node::scope`] opens a scope; [`Node::heritage`] notes super types of the definition around it.
//! 4. A node with a [`Node::name`] is a name. What it is used for is decided by the nodes around it, from the inside
//!    out: the parent's [`Node::roles`] say what a child at a place ([`At`]) is ([`As`]); [`As::Inherit`] passes the
//!    question on to the parent's own place in *its* parent. So `b` of `a.b()` is the name of a member (`Inherit`)
//!    that is the callee of a call (`Role(Call)`), and on the way [`Node::member`] gave the receiver `a`. In the same
//!    way a declarator hands its name up to the declaration ([`As::Declare`]), whose type and value it gets.
//!    Names for which nothing is said are types in a field of [`Table::type_fields`], else what their own kind is.
//!
//! Receivers and types are read by [`Node::expr`] and [`Node::ty`], see the [`expr`] module; the words of the tables are
//! in the [`table`] module. Where a grammar fails, [`Table::prepare`] may blank out what it cannot read before it parses,
//! and [`Table::recover`] finds definitions inside of what it gave up on.

mod expected;
pub mod expr;
mod names;
pub mod narrow;
pub mod operators;
pub mod passed;
pub mod places;
pub mod table;

use std::borrow::Cow;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, Expr, Import, Relation, Role, ScopeKind, Span, SymbolFlags};
use tree_sitter::Language;

pub use self::table::*;
use crate::build::Decl;
use crate::language::LanguageDef;
use crate::recover::Lexis;
use crate::registry::{Kinds, field};
use crate::walk::{Cx, Frame, Rules, Trivia, Walk, span};

/// A node of the syntax tree; [`Node`] is a table's entry for a kind of them.
pub type Syntax<'t> = tree_sitter::Node<'t>;

/// Declarator chains and type wrappers longer than this are not followed.
const MAX_STEPS: usize = 12;
/// A declaration with its value longer than this is shown without the value.
const MAX_VALUE: usize = 120;

/// The place of a declaration, for [`Table::refine`].
pub struct Site<'s, 't> {
    /// The node that declares.
    pub node: Syntax<'t>,
    /// The node of the name.
    pub name: Syntax<'t>,
    /// The node around the name, when it differs from `node`: a declarator.
    pub declarator: Option<Syntax<'t>>,
    /// The body; `None` where there is none.
    pub body: Option<Syntax<'t>>,
    /// Modifiers and keywords before the name.
    pub words: Vec<&'s str>,
    /// Attributes and annotations, as written.
    pub attributes: Vec<&'s str>,
    /// What the declaration stands in; `None` at the top.
    pub container: Option<SymbolKind>,
    /// Whether it stands directly in the body of a type.
    pub member: bool,
    /// To be set by the language: stands between the parent's qualified name and the name.
    pub qualifier: Option<String>,
    /// To be set by the language: super types, or the type that a method outside of its type belongs to.
    pub heritage: Vec<(Relation, Syntax<'t>)>,
}

impl Site<'_, '_> {
    /// Whether a modifier or keyword stands before the name.
    pub fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }
}

/// The level of a node, which is the current one (level 0) or one of its near ancestors.
pub fn level_of(cx: &Cx, node: &Syntax) -> Option<usize> {
    (0..MAX_STEPS).find(|level| cx.ancestor(*level).is_some_and(|frame| frame.node.id() == node.id()))
}

/// The rules of a language with a table.
pub struct Broad {
    /// The table.
    pub table: &'static Table,
    kinds: Kinds<u16>,
    rules: Vec<Compiled>,
    type_fields: Vec<u16>,
    places: Option<passed::Places>,
}

struct Compiled {
    node: Node,
    /// Roles with the ids of fields.
    roles: Vec<(ChildAt, As)>,
}

#[derive(Clone, Copy)]
enum ChildAt {
    Field(u16),
    Kind(&'static str),
    FirstKind(&'static str),
    LastKind(&'static str),
    /// The name of a definition.
    Name(u16),
    First,
    Last,
    Any,
}

/// Builds the rules of a language from its table.
pub fn rules(grammar: &Language, table: &'static Table) -> Box<dyn Rules> {
    let mut kinds = Vec::new();
    let mut rules = vec![Compiled { node: NODE, roles: Vec::new() }];
    for (names, node) in table.nodes.iter().chain(table.base.map_or(&[][..], |base| base.nodes)) {
        kinds.extend(names.iter().map(|name| (*name, rules.len() as u16)));
        let place = |at: &At| match at {
            At::Field(name) => ChildAt::Field(field(grammar, name)),
            At::Kind(kind) => ChildAt::Kind(kind),
            At::FirstKind(kind) => ChildAt::FirstKind(kind),
            At::LastKind(kind) => ChildAt::LastKind(kind),
            At::First => ChildAt::First,
            At::Last => ChildAt::Last,
            At::Any => ChildAt::Any,
        };
        let mut roles: Vec<(ChildAt, As)> = node.roles.iter().map(|(at, role)| (place(at), *role)).collect();
        if let Some(Find::Field(name) | Find::Declarator(name)) = node.def.map(|def| def.name) {
            let before_any = roles.iter().position(|(place, _)| matches!(place, ChildAt::Any)).unwrap_or(roles.len());
            roles.insert(before_any, (ChildAt::Name(field(grammar, name)), As::Nothing));
        }
        rules.push(Compiled { node: *node, roles });
    }
    let type_fields = table.type_fields.iter().map(|name| field(grammar, name)).filter(|id| *id != 0).collect();
    let places = table.passing.map(|passing| passed::Places::new(grammar, &passing));
    Box::new(Broad { table, kinds: Kinds::new(grammar, &kinds), rules, type_fields, places })
}

impl Rules for Broad {
    fn prepare<'s>(&self, text: &'s str) -> Cow<'s, str> {
        (self.table.prepare)(text)
    }

    fn mend(&self, text: &str) -> Option<String> {
        (self.table.mend)(text)
    }

    fn dialect(&self, text: &str) -> Option<&'static LanguageDef> {
        (self.table.dialect)(text)
    }

    fn lexis(&self) -> Option<&'static Lexis> {
        self.table.lexis
    }

    fn trivia(&self, kind: u16, text: &str) -> Trivia {
        match self.rule(kind).trivia {
            TriviaRule::No => Trivia::No,
            TriviaRule::Attribute => Trivia::Attribute,
            TriviaRule::Comment(doc) if doc.iter().any(|start| text.starts_with(start)) => Trivia::Doc,
            TriviaRule::Comment(_) => Trivia::Comment,
        }
    }

    fn enter(&self, cx: &mut Cx) -> Walk {
        let at = self.kinds.get(cx.kind());
        if at == 0 {
            return Walk::Into;
        }
        let rule = &self.rules[usize::from(at)].node;
        if let Some(walk) = rule.hook.and_then(|hook| hook(self, cx)) {
            return walk;
        }
        let defined = rule.def.is_none_or(|def| self.define(cx, &def));
        if let Some(kind) = rule.scope.filter(|kind| defined || *kind == ScopeKind::Function) {
            // Some grammars end a definition with the blank lines behind it. Its symbol ends before them, and so does its scope: what
            // is not inside of the symbol would be taken for what is around it.
            let mut whole = span(&cx.node());
            whole.end = whole.start + cx.slice(whole).trim_end().len() as u32;
            cx.open_scope_at(kind, whole);
        }
        if rule.type_body && self.rule(cx.parent_kind()).def.is_none() {
            cx.open_scope(ScopeKind::Type);
        }
        if let Some(heritage) = rule.heritage {
            self.note_heritage(cx, heritage);
        }
        if rule.name.is_some() {
            self.identifier(cx);
        }
        Walk::Into
    }
}

impl Broad {
    /// What the table says about a node kind.
    pub fn rule(&self, kind: u16) -> &Node {
        &self.rules[usize::from(self.kinds.get(kind))].node
    }

    /// Declares the definition around the current node; `false` when there is none.
    fn define<'t>(&self, cx: &mut Cx<'_, '_, 't>, def: &Def) -> bool {
        let node = cx.node();
        let Some(name) = def.name.find(&node) else { return false };
        self.define_as(cx, def, name)
    }

    /// Declares the definition around the current node with a name from anywhere and makes it the parent of what
    /// follows inside; `false` when it was none.
    pub fn define_as<'t>(&self, cx: &mut Cx<'_, '_, 't>, def: &Def, name: Syntax<'t>) -> bool {
        let node = cx.node();
        let body = def.body.find(&node);
        if def.needs_body && body.is_none() {
            return false;
        }
        let member = cx.scope_kind(cx.current_scope()) == ScopeKind::Type;
        let kind = if member { def.member } else { def.kind };
        let ty = self.rule(node.kind_id()).of_type.find(&node);
        let site = self.site(cx, node, name, body);
        let end = body.map_or(node.end_byte(), |body| self.end_before(&node, &body));
        let callable = matches!(kind, SymbolKind::Fn | SymbolKind::Method);
        let declaration = callable && body.is_none() && !matches!(def.body, Find::Nothing);
        let Some(symbol) = self.declare(cx, site, kind, ty, end as u32, declaration) else { return false };
        // Where no result is written, the body tells.
        if ty.is_none()
            && let Some(value) = self.rule(node.kind_id()).of_value.find(&node)
        {
            let value = self.expr(cx, &value);
            if !matches!(cx.expr_at(value), Expr::Unknown) {
                cx.amend(symbol, |symbol| symbol.value = Some(value));
            }
        }
        if let Some(base) = self.unnamed_class(cx).and_then(|base| self.type_ref(cx, &base)) {
            cx.heritage(symbol, Relation::Unnamed, base);
        }
        cx.open_symbol(symbol);
        true
    }

    /// The type that the class without a name extends in whose body the current node stands: `new T() { … }`.
    fn unnamed_class<'t>(&self, cx: &Cx<'_, '_, 't>) -> Option<Syntax<'t>> {
        let (body, class) = (cx.ancestor(1)?, cx.ancestor(2)?);
        let (body, rule) = (self.rule(body.kind), self.rule(class.kind));
        match rule.expr {
            Shape::Typed(find) if body.type_body && rule.def.is_none() => find.find(&class.node),
            _ => None,
        }
    }

    /// Where the declaration ends before its body, comments between the two left out.
    fn end_before(&self, node: &Syntax, body: &Syntax) -> usize {
        let mut cursor = node.walk();
        let before = node.children(&mut cursor).take_while(|child| child.start_byte() < body.start_byte());
        let code = before.filter(|child| !matches!(self.rule(child.kind_id()).trivia, TriviaRule::Comment(_)));
        code.last().map_or(body.start_byte(), |last| last.end_byte().min(body.start_byte()))
    }

    /// Declares something inside the current node that is not the current node: a parameter that is also a field.
    pub fn declare_inside<'t>(&self, cx: &mut Cx<'_, '_, 't>, kind: SymbolKind, node: Syntax<'t>, name: Syntax<'t>) {
        let ty = self.rule(node.kind_id()).of_type.find(&node);
        let site = self.site(cx, node, name, None);
        self.declare(cx, site, kind, ty, node.end_byte() as u32, false);
    }

    /// What surrounds a declaration.
    fn site<'s, 't>(
        &self,
        cx: &Cx<'_, 's, 't>,
        node: Syntax<'t>,
        name: Syntax<'t>,
        body: Option<Syntax<'t>>,
    ) -> Site<'s, 't> {
        let mut site = Site {
            node,
            name,
            declarator: None,
            body,
            words: Vec::new(),
            attributes: Vec::new(),
            container: cx.current_kind(),
            member: cx.scope_kind(cx.current_scope()) == ScopeKind::Type,
            qualifier: None,
            heritage: Vec::new(),
        };
        self.survey(cx, &node, name.start_byte(), &mut site);
        site
    }

    /// Collects the words and attributes of a declaration before its name.
    fn survey<'s, 't>(&self, cx: &Cx<'_, 's, 't>, node: &Syntax<'t>, until: usize, site: &mut Site<'s, 't>) {
        let mut cursor = node.walk();
        for child in node.children(&mut cursor).take_while(|child| child.start_byte() < until) {
            let rule = self.rule(child.kind_id());
            match rule.trivia {
                TriviaRule::Attribute => site.attributes.push(cx.text_of(&child)),
                TriviaRule::Comment(_) => {}
                TriviaRule::No if rule.modifiers && child.child_count() > 0 => {
                    let mut inside = child.walk();
                    for word in child.children(&mut inside) {
                        match self.rule(word.kind_id()).trivia {
                            TriviaRule::Attribute => site.attributes.push(cx.text_of(&word)),
                            TriviaRule::Comment(_) => {}
                            TriviaRule::No => site.words.push(cx.text_of(&word)),
                        }
                    }
                }
                TriviaRule::No if rule.modifiers || !child.is_named() => site.words.push(cx.text_of(&child)),
                TriviaRule::No => {}
            }
        }
    }

    /// Where a declaration begins when its attributes are left out.
    fn start_of(&self, node: &Syntax) -> u32 {
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            let rule = self.rule(child.kind_id());
            if !matches!(rule.trivia, TriviaRule::No) {
                continue;
            }
            if !rule.modifiers {
                return child.start_byte() as u32;
            }
            let mut inside = child.walk();
            let word =
                child.children(&mut inside).find(|word| matches!(self.rule(word.kind_id()).trivia, TriviaRule::No));
            match word {
                Some(word) => return word.start_byte() as u32,
                None if child.child_count() == 0 => return child.start_byte() as u32,
                None => {}
            }
        }
        node.start_byte() as u32
    }

    /// Declares what stands at a site.
    fn declare<'s, 't>(
        &self,
        cx: &mut Cx<'_, 's, 't>,
        mut site: Site<'s, 't>,
        kind: SymbolKind,
        ty: Option<Syntax<'t>>,
        signature_end: u32,
        declaration: bool,
    ) -> Option<cruxe_model::facts::SymbolIndex> {
        let outer = self.outermost(cx, &site.node);
        // Some grammars end a block with the blank lines behind it.
        let end = outer.start_byte() + cx.text_of(&outer).trim_end().len();
        let whole = Span { start: self.start_of(&outer).min(end as u32), end: end as u32 };
        let name = cx.text_of(&site.name);
        let mut decl = Decl::new(kind, name, span(&site.name), whole);
        decl.full_span.start = outer.start_byte() as u32;
        let mut decl = decl.leading(cx.leading(&outer));
        decl.signature_end = Some(signature_end);
        decl.ty = ty.and_then(|ty| self.type_ref(cx, &ty));
        let test = cx.is_test_file()
            || site.attributes.iter().any(|attribute| self.table.test_attributes.contains(&attribute_name(attribute)));
        let associated = site.has("static");
        decl.flags = SymbolFlags { test, declaration, associated, local: false };
        if let Some((word, access)) = self.visibility(&site.words) {
            (decl.visibility, decl.access) = (word, access);
        }
        if !(self.table.refine)(cx, &mut site, &mut decl) {
            return None;
        }
        if decl.name.is_empty() {
            return None; // invented by the parser while it recovered from an error
        }
        let mut decl: Decl<'_> = decl;
        decl.qualifier = site.qualifier.as_deref();
        let symbol = cx.declare(decl);
        for (relation, base) in &site.heritage {
            if let Some(ty) = self.type_ref(cx, base) {
                cx.heritage(symbol, *relation, ty);
            }
        }
        Some(symbol)
    }

    fn visibility<'s>(&self, words: &[&'s str]) -> Option<(&'s str, Access)> {
        words.iter().find_map(|word| {
            let plain = word.split('[').next().unwrap_or(word);
            let known = self.table.access.iter().find(|(known, _)| *known == plain)?;
            Some((*word, known.1))
        })
    }

    /// The declaration with the nodes that belong to it from the outside.
    fn outermost<'t>(&self, cx: &Cx<'_, '_, 't>, node: &Syntax<'t>) -> Syntax<'t> {
        let mut level = level_of(cx, node);
        let mut outer = *node;
        while let Some(frame) = level.and_then(|level| cx.ancestor(level + 1)) {
            if !self.rule(frame.kind).wraps {
                break;
            }
            outer = frame.node;
            level = level.map(|level| level + 1);
        }
        outer
    }

    fn note_heritage(&self, cx: &mut Cx, heritage: Heritage) {
        let node = cx.node();
        let rule = |level| cx.ancestor(level).map_or(&NODE, |frame: &Frame| self.rule(frame.kind));
        let in_definition = rule(1).def.is_some() || (rule(1).type_body && rule(2).def.is_some());
        let Some(symbol) = cx.current_symbol().filter(|_| in_definition) else { return };
        let mut cursor = node.walk();
        let mut bases: Vec<Syntax> = Vec::new();
        for base in node.named_children(&mut cursor) {
            match self.rule(base.kind_id()).ty {
                TypeShape::All(_) => bases.extend(base.named_children(&mut base.walk())),
                _ => bases.push(base),
            }
        }
        for base in bases {
            let relation = match heritage {
                Heritage::All(relation) => relation,
                Heritage::By(relation) => relation(cx, 0, &base),
            };
            if let Some(ty) = self.type_ref(cx, &base) {
                cx.heritage(symbol, relation, ty);
            }
        }
    }

    /// Notes the import of a module or of a name of it, with its `use` symbol and the occurrence of its last part.
    ///
    /// `path` is the whole path as written and gives the symbol its name; `module` and `name` are its parts.
    pub fn import<'s>(&self, cx: &mut Cx<'_, 's, '_>, import: Imported<'s>) {
        let node = cx.node();
        let decl = Decl::new(SymbolKind::Use, import.path, import.at, span(&node));
        cx.declare(decl);
        let module = cx.owned_name(import.module.into_owned());
        let name = import.name.map(|name| cx.name(name));
        let alias = import.alias.map(|alias| cx.name(alias));
        let scope = cx.current_scope();
        let start = import.at.start;
        cx.import(Import { module, name, alias, glob: import.glob, reexport: import.reexport, start, scope });
        let last = cx.slice(import.at);
        cx.occurrence_at(last, start, Role::Import, None);
    }
}

/// An import to note, see [`Broad::import`].
pub struct Imported<'s> {
    /// The whole path.
    pub path: Cow<'s, str>,
    /// The module.
    pub module: Cow<'s, str>,
    /// The name of the module that is imported; `None` for the module itself.
    pub name: Option<&'s str>,
    /// The name that it has here.
    pub alias: Option<&'s str>,
    /// Everything in the module.
    pub glob: bool,
    /// Others can import it from here.
    pub reexport: bool,
    /// Where the name stands.
    pub at: Span,
}

/// `Test` of `@org.junit.Test(timeout = 1)`, `Fact` of `[Fact]`.
fn attribute_name(text: &str) -> &str {
    let text = text.trim_start_matches(['@', '[', '#', '(']);
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '\\'))).unwrap_or(text.len());
    text[..end].rsplit(['.', ':', '\\']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages::{c, cpp, csharp, java, kotlin, php, scala, swift};

    /// Node kinds and fields that a table names but its grammar does not have.
    fn unknown_words(grammar: &Language, table: &Table) -> Vec<&'static str> {
        let kind = |name: &&str| grammar.id_for_node_kind(name, true) != 0;
        let mut unknown = Vec::new();
        for (kinds, node) in table.nodes {
            unknown.extend(kinds.iter().copied().filter(|name| !kind(name)));
            let shape = match node.expr {
                Shape::Call(find) | Shape::Typed(find) | Shape::Index(find) | Shape::Unwrap(find) => Some(find),
                Shape::Inner(find) | Shape::Generic(find, _) => Some(find),
                _ => None,
            };
            let def = node.def.map(|def| [def.name, def.body]).into_iter().flatten();
            let member = node.member.map(|(base, name)| [base, name]).into_iter().flatten();
            let finds = [node.of_type, node.of_value].into_iter().chain(shape).chain(def).chain(member);
            for find in finds {
                match find {
                    Find::Field(name) | Find::Declarator(name) if field(grammar, name) == 0 => unknown.push(name),
                    Find::Kind(name) | Find::LastKind(name) if !kind(&name) => unknown.push(name),
                    Find::Kinds(names) => unknown.extend(names.iter().copied().filter(|name| !kind(name))),
                    _ => {}
                }
            }
            for (at, _) in node.roles {
                match at {
                    At::Field(name) if field(grammar, name) == 0 => unknown.push(name),
                    At::Kind(name) | At::FirstKind(name) | At::LastKind(name) if !kind(name) => unknown.push(name),
                    _ => {}
                }
            }
        }
        if let Some(passing) = table.passing {
            let single = [passing.suffix, passing.lambda, passing.argument];
            let all = passing.lists.iter().chain(passing.spread).copied().chain(single.into_iter().flatten());
            unknown.extend(all.filter(|name| !kind(name)));
        }
        unknown
    }

    #[test]
    fn tables_name_only_kinds_and_fields_that_their_grammars_have() {
        let tables: [(Language, &Table); 8] = [
            (tree_sitter_c::LANGUAGE.into(), &c::C_TABLE),
            (tree_sitter_cpp::LANGUAGE.into(), &cpp::CPP_TABLE),
            (tree_sitter_c_sharp::LANGUAGE.into(), &csharp::CSHARP_TABLE),
            (tree_sitter_java::LANGUAGE.into(), &java::JAVA_TABLE),
            (tree_sitter_kotlin_ng::LANGUAGE.into(), &kotlin::KOTLIN_TABLE),
            (tree_sitter_php::LANGUAGE_PHP.into(), &php::PHP_TABLE),
            (tree_sitter_scala::LANGUAGE.into(), &scala::SCALA_TABLE),
            (tree_sitter_swift::LANGUAGE.into(), &swift::SWIFT_TABLE),
        ];
        for (grammar, table) in tables {
            assert_eq!(unknown_words(&grammar, table), Vec::<&str>::new(), "{:?}", grammar.name());
        }
    }

    #[test]
    fn attribute_names_lose_their_path_and_arguments() {
        assert_eq!(attribute_name("@org.junit.Test(timeout = 1)"), "Test");
        assert_eq!(attribute_name("[Fact]"), "Fact");
        assert_eq!(attribute_name("#[\\Foo\\Bar(1)]"), "Bar");
    }
}
