//! What assignments, loops, `with`, `except` and the like introduce.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{BindingKind, Expr, ExprId, Role, ScopeId, ScopeKind, Span, SymbolIndex, TypeId};
use tree_sitter::Node;

use super::expr::one_of;
use super::{K, MAX_STEPS, Python, access};
use crate::build::Decl;
use crate::walk::{Cx, span};

/// A longer declaration is not its own signature.
const SHORT: u32 = 160;
/// Nested patterns and displays are followed this far.
const MAX_NESTING: u32 = 6;
/// Further names of a tuple than this get no type.
const MAX_TUPLE: u32 = 8;
/// A display with more elements is data, not a list of values for names.
const MAX_PARTS: usize = 64;

/// Where the value of a name comes from.
#[derive(Clone, Copy)]
enum Source<'t> {
    Unknown,
    /// `x = value`.
    Value(Node<'t>),
    /// `for x in value`.
    Element(Node<'t>),
    /// `for _, x in value.items()`.
    Item(Node<'t>),
    /// `with value as x`.
    Context(Node<'t>),
    /// The part at this place of what a value is taken apart into.
    Part(Node<'t>, u32),
}

/// Where a statement defines symbols; elsewhere its names are local.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Defines {
    /// In modules and classes: an assignment.
    Members,
    /// In modules: what loops and `with` assign to outlives them.
    Globals,
    /// Nowhere: `except` and `case`.
    Nothing,
}

/// What holds for all the names that one statement introduces.
struct Target {
    scope: ScopeId,
    /// The declaration that a new symbol covers.
    statement: Span,
    /// Where its names and type end.
    header_end: u32,
    /// Which ancestor the statement is.
    level: usize,
    defines: Defines,
    ty: Option<TypeId>,
    /// Annotated with `TypeAlias`.
    alias: bool,
}

impl Python {
    pub(super) fn assignment(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(left) = node.child_by_field_id(self.left) else { return };
        // `a = b = value` is an assignment inside an assignment.
        let outer = (0..MAX_STEPS as usize).find(|at| self.kind_at(cx, at + 1) != K::Assignment).unwrap_or_default();
        let statement = cx.ancestor(outer).map_or(node, |frame| frame.node);
        let mut value = node.child_by_field_id(self.right);
        for _ in 0..MAX_STEPS {
            match value {
                Some(inner) if self.kind(&inner) == K::Assignment => value = inner.child_by_field_id(self.right),
                _ => break,
            }
        }
        let annotation = node.child_by_field_id(self.ty);
        let alias = annotation.is_some_and(|ty| self.is_type_alias(cx, &ty));
        let ty = match (alias, annotation) {
            (true, _) => value.and_then(|value| self.type_ref(cx, &value, 0)),
            (false, Some(ty)) => self.type_ref(cx, &ty, 0),
            (false, None) => self.commented_type(cx, outer + 1),
        };
        let target = Target {
            scope: cx.function_scope(),
            statement: span(&statement),
            header_end: annotation.unwrap_or(left).end_byte() as u32,
            level: outer + 1,
            defines: Defines::Members,
            ty,
            alias,
        };
        self.introduce(cx, &left, &target, value.map_or(Source::Unknown, Source::Value), 0);
    }

    pub(super) fn is_type_alias(&self, cx: &Cx, annotation: &Node) -> bool {
        cx.text_of(annotation).trim_matches(['"', '\'']).rsplit('.').next() == Some("TypeAlias")
    }

    pub(super) fn walrus(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = node.child_by_field_id(self.name) else { return };
        let value = node.child_by_field_id(self.value).map_or(Source::Unknown, Source::Value);
        let target = self.plain(cx, span(&node), Defines::Globals, None);
        self.introduce(cx, &name, &target, value, 0);
    }

    pub(super) fn for_target(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(left) = node.child_by_field_id(self.left) else { return };
        let right = node.child_by_field_id(self.right);
        let source = right.map_or(Source::Unknown, Source::Element);
        let head = Span { start: node.start_byte() as u32, end: right.unwrap_or(left).end_byte() as u32 };
        let mut target = self.plain(cx, head, Defines::Globals, None);
        if self.kind(&node) == K::ForIn {
            target.scope = cx.current_scope(); // the comprehension
        }
        self.introduce(cx, &left, &target, source, 0);
    }

    /// `value as name` of `with` and `except`, `pattern as name` of `case`.
    pub(super) fn as_pattern(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(value) = self.first(&node) else { return };
        let (name, source, defines, ty) = match node.child_by_field_id(self.alias) {
            Some(name) if self.kind_at(cx, 1) == K::Except => {
                (Some(name), Source::Unknown, Defines::Nothing, self.exception_type(cx, &value))
            }
            Some(name) => (Some(name), Source::Context(value), Defines::Globals, self.caught(cx, &value)),
            None => {
                let class = self.first(&value).filter(|pattern| self.kind(pattern) == K::ClassPattern);
                let ty = class.and_then(|class| self.type_ref(cx, &self.first(&class)?, 0));
                let last = node.named_child_count().saturating_sub(1) as u32;
                (node.named_child(last), Source::Unknown, Defines::Nothing, ty)
            }
        };
        if let Some(name) = name {
            let target = self.plain(cx, span(&node), defines, ty);
            self.introduce(cx, &name, &target, source, 0);
        }
    }

    /// What `with pytest.raises(X) as caught` and `with self.assertRaises(X) as caught` give: something that holds an `X`.
    fn caught(&self, cx: &mut Cx, value: &Node) -> Option<TypeId> {
        let function = value.child_by_field_id(self.function).filter(|_| self.kind(value) == K::Call)?;
        let word = cx.text_of(&function).rsplit('.').next()?;
        if !matches!(word, "raises" | "assertRaises" | "assertRaisesRegex") {
            return None;
        }
        let exception = self.exception_type(cx, self.positional(value).first()?)?;
        Some(self.word_type(cx, "ExceptionInfo", vec![exception]))
    }

    pub(super) fn except(&self, cx: &mut Cx) {
        let node = cx.node();
        if let (Some(value), Some(name)) = (node.child_by_field_id(self.value), node.child_by_field_id(self.alias)) {
            let ty = self.exception_type(cx, &value);
            let target = self.plain(cx, span(&name), Defines::Nothing, ty);
            self.introduce(cx, &name, &target, Source::Unknown, 0);
        }
    }

    /// A name that a `case` pattern captures: the current node.
    pub(super) fn capture(&self, cx: &mut Cx) {
        let node = cx.node();
        let target = self.plain(cx, span(&node), Defines::Nothing, None);
        self.introduce(cx, &node, &target, Source::Unknown, 0);
    }

    pub(super) fn global(&self, cx: &mut Cx) {
        let node = cx.node();
        let scope = cx.function_scope();
        for name in self.parts(&node, &mut node.walk()) {
            let text = cx.text_of(&name);
            cx.disown(scope, text);
        }
    }

    fn plain(&self, cx: &Cx, statement: Span, defines: Defines, ty: Option<TypeId>) -> Target {
        let scope = cx.function_scope();
        Target { scope, statement, header_end: statement.end, level: 0, defines, ty, alias: false }
    }

    fn introduce<'t>(
        &self,
        cx: &mut Cx<'_, '_, 't>,
        pattern: &Node<'t>,
        target: &Target,
        source: Source<'t>,
        depth: u32,
    ) {
        if depth > MAX_NESTING {
            return;
        }
        match self.kind(pattern) {
            K::Identifier => self.introduce_name(cx, pattern, target, source),
            K::Attribute => {
                self.forget(cx, pattern);
                self.introduce_attribute(cx, pattern, target, source);
            }
            K::AsPatternTarget | K::Parenthesized => {
                if let Some(inner) = self.first(pattern) {
                    self.introduce(cx, &inner, target, source, depth + 1);
                }
            }
            K::ListSplat | K::ListSplatPattern => {
                if let Some(inner) = self.first(pattern) {
                    self.introduce(cx, &inner, target, Source::Unknown, depth + 1);
                }
            }
            K::PatternList | K::TuplePattern | K::ListPattern | K::Tuple | K::List => {
                let sources = self.split(cx, source);
                for (at, part) in self.parts(pattern, &mut pattern.walk()).enumerate() {
                    let source = sources.get(at).copied().unwrap_or(Source::Unknown);
                    self.introduce(cx, &part, target, source, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// What the names of a tuple get from one value.
    fn split<'t>(&self, cx: &Cx<'_, '_, 't>, source: Source<'t>) -> Vec<Source<'t>> {
        match source {
            Source::Value(node) => match self.kind(&node) {
                K::Tuple | K::List | K::ExpressionList | K::PatternList => {
                    let parts: Vec<_> = self.parts(&node, &mut node.walk()).take(MAX_PARTS).collect();
                    let starred = |part: &Node| matches!(self.kind(part), K::ListSplat | K::ListSplatPattern);
                    let known = parts.iter().position(starred).unwrap_or(parts.len());
                    parts[..known].iter().copied().map(Source::Value).collect()
                }
                _ => (0..MAX_TUPLE).map(|at| Source::Part(node, at)).collect(),
            },
            Source::Element(node) if self.kind(&node) == K::Call => {
                let Some(function) = node.child_by_field_id(self.function) else { return Vec::new() };
                let arguments = self.positional(&node);
                match (self.kind(&function), cx.text_of(&function)) {
                    (_, "enumerate") => {
                        let element = arguments.first().copied().map_or(Source::Unknown, Source::Element);
                        vec![Source::Unknown, element]
                    }
                    (_, "zip") => arguments.into_iter().map(Source::Element).collect(),
                    (K::Attribute, text) if text.ends_with(".items") => {
                        let base = function.child_by_field_id(self.object);
                        vec![Source::Unknown, base.map_or(Source::Unknown, Source::Item)]
                    }
                    _ => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn positional<'t>(&self, call: &Node<'t>) -> Vec<Node<'t>> {
        let Some(list) = call.child_by_field_id(self.arguments).filter(|list| self.kind(list) == K::ArgumentList)
        else {
            return Vec::new();
        };
        let mut cursor = list.walk();
        let arguments = self.parts(&list, &mut cursor).take(MAX_PARTS);
        arguments.filter(|argument| self.kind(argument) != K::KeywordArgument).collect()
    }

    /// The value of a named argument of a call.
    pub(super) fn keyword<'t>(&self, cx: &Cx, call: &Node<'t>, name: &str) -> Option<Node<'t>> {
        let list = call.child_by_field_id(self.arguments)?;
        let is_it = |argument: &Node| {
            let key = argument.child_by_field_id(self.name).filter(|_| self.kind(argument) == K::KeywordArgument);
            key.is_some_and(|key| cx.text_of(&key) == name)
        };
        let found = self.parts(&list, &mut list.walk()).take(MAX_PARTS).find(is_it);
        found.and_then(|argument| argument.child_by_field_id(self.value))
    }

    fn introduce_name<'t>(&self, cx: &mut Cx<'_, '_, 't>, name: &Node<'t>, target: &Target, source: Source<'t>) {
        let text = cx.text_of(name);
        match (cx.scope_kind(target.scope), target.defines) {
            (ScopeKind::File, Defines::Members | Defines::Globals) | (ScopeKind::Type, Defines::Members) => {
                self.define(cx, name, target, source);
            }
            _ if cx.disowns(target.scope, text) => cx.occurrence(name, Role::Write, None),
            _ => {
                let (kind, own) = self.source_expr(cx, source);
                let mut value = own;
                if let Some(other) = self.in_other_branch(cx, text, target) {
                    value = own.map(|own| one_of(cx, other, own));
                }
                // What a test said about the name is over, in the block behind the test too.
                let tested = cx.bound(text).map(|old| old.scope).filter(|scope| *scope != target.scope);
                let tested = tested.filter(|scope| cx.scope_kind(*scope) == ScopeKind::Block);
                cx.bind(name, target.scope, kind, target.ty, value);
                // In the branch itself it is what was assigned there.
                let here = Some(cx.current_scope())
                    .filter(|here| value != own && *here != target.scope && cx.scope_kind(*here) == ScopeKind::Block);
                if let Some(scope) = tested.or(here) {
                    cx.bind(name, scope, kind, target.ty, own);
                }
            }
        }
    }

    /// What another branch of a statement around the current node, before its own, assigned to a name: behind the statement it
    /// may be that too.
    fn in_other_branch(&self, cx: &Cx, name: &str, target: &Target) -> Option<ExprId> {
        let old = cx.bound_in_scope(name, target.scope).filter(|old| old.kind == BindingKind::Local)?;
        for level in 1.. {
            let frame = cx.ancestor(level)?;
            match self.kinds.get(frame.kind) {
                K::Function | K::Lambda | K::Class => return None,
                clause => {
                    let start = old.start as usize;
                    let before = |whole: &Node| whole.start_byte() < start && start < frame.node.start_byte();
                    if is_branch(clause, self.kind_at(cx, level + 1))
                        && cx.ancestor(level + 1).is_some_and(|whole| before(&whole.node))
                    {
                        return old.value;
                    }
                }
            }
        }
        None
    }

    /// The block of a branch, where one before it assigned to names: the current node.
    pub(super) fn branch(&self, cx: &mut Cx) {
        let whole = cx.ancestor(2).filter(|_| is_branch(self.kind_at(cx, 1), self.kind_at(cx, 2)));
        let Some(start) = whole.map(|whole| whole.node.start_byte() as u32) else { return };
        if cx.in_function() && cx.last_bound().is_some_and(|last| last > start) {
            cx.open_scope(ScopeKind::Block);
        }
    }

    fn source_expr<'t>(&self, cx: &mut Cx<'_, '_, 't>, source: Source<'t>) -> (BindingKind, Option<ExprId>) {
        match source {
            Source::Unknown => (BindingKind::Local, None),
            Source::Value(value) => (BindingKind::Local, Some(self.expr(cx, &value, 0))),
            Source::Context(value) => {
                let value = self.expr(cx, &value, 0);
                (BindingKind::Local, Some(cx.expr(Expr::Unwrap(value))))
            }
            Source::Part(value, at) => {
                let value = self.expr(cx, &value, 0);
                (BindingKind::Local, Some(cx.expr(Expr::Part(value, at))))
            }
            Source::Item(value) => {
                let value = self.expr(cx, &value, 0);
                (BindingKind::Local, Some(cx.expr(Expr::Index(value))))
            }
            Source::Element(value) => match self.iterated(cx, value) {
                Source::Item(value) => self.source_expr(cx, Source::Item(value)),
                Source::Element(value) => match self.listed(cx, &value) {
                    Some(one) => (BindingKind::Local, Some(one)),
                    None => (BindingKind::Element, Some(self.expr(cx, &value, 0))),
                },
                _ => (BindingKind::Element, None),
            },
        }
    }

    /// `xs` of `sorted(xs)`, and the values of `d` of `d.values()`.
    fn iterated<'t>(&self, cx: &Cx<'_, '_, 't>, mut value: Node<'t>) -> Source<'t> {
        for _ in 0..MAX_STEPS {
            let Some(function) = value.child_by_field_id(self.function) else { break };
            let first = self.positional(&value).first().copied();
            match (cx.text_of(&function), first) {
                ("sorted" | "reversed" | "list" | "tuple" | "set" | "frozenset" | "iter", Some(inner)) => value = inner,
                (text, None) if text.ends_with(".values") => {
                    return function.child_by_field_id(self.object).map_or(Source::Unknown, Source::Item);
                }
                _ => break,
            }
        }
        Source::Element(value)
    }

    /// A name of a module or class: a symbol when it is the first of its name, else a write.
    fn define<'t>(&self, cx: &mut Cx<'_, '_, 't>, name: &Node<'t>, target: &Target, source: Source<'t>) {
        let text = cx.text_of(name);
        let parent = cx.current_symbol();
        if cx.claimed(parent, text).is_some() {
            return cx.occurrence(name, Role::Write, None);
        }
        let value = if let Source::Value(value) = source { Some(value) } else { None };
        let lambda = value.filter(|value| self.kind(value) == K::Lambda);
        let in_class = cx.scope_kind(target.scope) == ScopeKind::Type;
        let kind = match in_class {
            _ if target.alias => SymbolKind::Type,
            true if lambda.is_some() => SymbolKind::Method,
            true if value.is_some() && !is_sunder(text) && self.in_enum(cx) => SymbolKind::Variant,
            true => SymbolKind::Field,
            false if lambda.is_some() => SymbolKind::Fn,
            false if is_constant(text) => SymbolKind::Const,
            false => SymbolKind::Variable,
        };
        let mut decl = self.declaration(cx, kind, name, target, source);
        if let Some(body) = lambda.and_then(|lambda| lambda.child_by_field_id(self.body)) {
            decl.signature_end = Some(body.start_byte() as u32);
        }
        let symbol = cx.declare(decl);
        cx.claim(parent, text, symbol);
        if lambda.is_some() {
            cx.open_symbol(symbol);
        }
    }

    /// `self.x = …`: a field of the class when it is the first of its name there.
    fn introduce_attribute<'t>(&self, cx: &mut Cx<'_, '_, 't>, node: &Node<'t>, target: &Target, source: Source<'t>) {
        let (Some(object), Some(name)) = (node.child_by_field_id(self.object), node.child_by_field_id(self.attribute))
        else {
            return;
        };
        if self.kind(&object) != K::Identifier || !self.is_self(cx, cx.text_of(&object)) {
            return;
        }
        let Some(class) = self.enclosing_class(cx) else { return };
        let text = cx.text_of(&name);
        if cx.is_taken(class, text) {
            return self.say_more(cx, class, text, target, source);
        }
        let mut decl = self.declaration(cx, SymbolKind::Field, &name, target, source);
        decl.parent = Some(class);
        let symbol = cx.declare(decl);
        cx.claim(Some(class), text, symbol);
    }

    /// What a field is that was `None` at first, or nothing: where it is given a value whose type can be seen.
    fn say_more<'s, 't>(
        &self,
        cx: &mut Cx<'_, 's, 't>,
        class: SymbolIndex,
        name: &'s str,
        target: &Target,
        source: Source<'t>,
    ) {
        let Some(field) = cx.claimed(Some(class), name) else { return };
        let known = cx.symbol_at(field);
        let open = known
            .value
            .is_none_or(|value| matches!(cx.expr_at(value), Expr::Literal(word) if cx.name_at(*word) == "none"));
        if known.kind != SymbolKind::Field || known.ty.is_some() || !open {
            return;
        }
        let ty = match source {
            Source::Value(value) | Source::Context(value) if target.ty.is_none() => self.inferred(cx, &value, 0),
            _ => target.ty,
        };
        if ty.is_some() {
            cx.amend(field, |field| field.ty = ty);
        } else if let Source::Value(value) = source
            && let Some(made) = self.made_by_self(cx, &value)
        {
            cx.amend(field, |field| field.value = Some(made));
        }
    }

    /// The value of `self.Inner()` and of `make()`, as it is seen from the class.
    fn made_by_self(&self, cx: &mut Cx, value: &Node) -> Option<ExprId> {
        let function = value.child_by_field_id(self.function).filter(|_| self.kind(value) == K::Call)?;
        // What the method itself calls so is not in sight there.
        if self.kind(&function) == K::Identifier && cx.bound(cx.text_of(&function)).is_none() {
            let made = self.expr(cx, value, 0);
            return Some(made).filter(|made| matches!(cx.expr_at(*made), Expr::Call(_)));
        }
        let object = function.child_by_field_id(self.object)?;
        let name = function.child_by_field_id(self.attribute)?;
        if self.kind(&object) != K::Identifier || !self.is_self(cx, cx.text_of(&object)) {
            return None;
        }
        let (own, name) = (cx.expr(Expr::SelfValue), cx.name_of(&name));
        let member = cx.expr(Expr::Member(own, name));
        Some(cx.expr(Expr::Call(member)))
    }

    fn declaration<'s, 't>(
        &self,
        cx: &mut Cx<'_, 's, 't>,
        kind: SymbolKind,
        name: &Node<'t>,
        target: &Target,
        source: Source<'t>,
    ) -> Decl<'s> {
        let text = cx.text_of(name);
        let mut decl = Decl::new(kind, text, span(name), target.statement);
        let short = target.statement.end - target.statement.start <= SHORT;
        decl.signature_end = Some(if short { target.statement.end } else { target.header_end });
        decl.access = access(text);
        decl.flags = self.flags(cx);
        decl.ty = match source {
            // What a class makes is mostly its own context.
            Source::Value(value) | Source::Context(value) if target.ty.is_none() && kind != SymbolKind::Variant => {
                self.inferred(cx, &value, 0)
            }
            _ => target.ty,
        };
        if decl.ty.is_none() && !matches!(kind, SymbolKind::Variant | SymbolKind::Fn | SymbolKind::Method) {
            let (kind, value) = self.source_expr(cx, source);
            let value = match kind {
                BindingKind::Element => value.map(|value| cx.expr(Expr::Index(value))),
                _ => value,
            };
            decl.value = value.filter(|value| *cx.expr_at(*value) != Expr::Unknown);
        }
        if target.defines == Defines::Members {
            self.document(cx, target.level, &mut decl);
        }
        decl
    }

    /// The innermost class around the current node.
    pub(super) fn enclosing_class(&self, cx: &Cx) -> Option<SymbolIndex> {
        let mut at = cx.current_symbol();
        while let Some(index) = at {
            let symbol = cx.symbol_at(index);
            if symbol.kind == SymbolKind::Class {
                return Some(index);
            }
            at = symbol.parent;
        }
        None
    }

    /// Whether the innermost class is an enumeration, by the names of its bases.
    fn in_enum(&self, cx: &Cx) -> bool {
        let class = (1..).map_while(|level| cx.ancestor(level)).find(|frame| self.kinds.get(frame.kind) == K::Class);
        let Some(bases) = class.and_then(|class| class.node.child_by_field_id(self.superclasses)) else { return false };
        self.parts(&bases, &mut bases.walk()).any(|base| {
            let name = cx.text_of(&base).rsplit('.').next().unwrap_or_default();
            name.ends_with("Enum") || matches!(name, "Flag" | "IntFlag" | "Choices" | "TextChoices" | "IntegerChoices")
        })
    }
}

/// Whether a clause of a statement runs instead of one before it.
fn is_branch(clause: K, statement: K) -> bool {
    matches!((clause, statement), (K::Elif | K::Else, K::If) | (K::Except, K::Try))
}

/// `_ignore_`, `__order__`: names that the enum machinery keeps for itself.
fn is_sunder(name: &str) -> bool {
    name.starts_with('_') && name.ends_with('_')
}

fn is_constant(name: &str) -> bool {
    name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase)
}
