//! Names that patterns introduce, with what is known about their types.

use cruxe_model::facts::{BindingKind, Expr, ExprId};
use tree_sitter::Node;

use super::names::is_upper;
use super::{K, Rust};
use crate::walk::Cx;

/// Patterns nested deeper than this bind nothing.
const MAX_LEVELS: usize = 32;

/// Methods that hand the elements (or the content) of what they are called on to a closure of one parameter.
const VISITORS: &[&str] = &[
    "all",
    "and_then",
    "any",
    "filter",
    "filter_map",
    "find",
    "find_map",
    "flat_map",
    "for_each",
    "inspect",
    "is_none_or",
    "is_ok_and",
    "is_some_and",
    "map",
    "map_or",
    "map_or_else",
    "map_while",
    "max_by_key",
    "min_by_key",
    "partition",
    "position",
    "retain",
    "rposition",
    "skip_while",
    "sort_by_cached_key",
    "sort_by_key",
    "sort_unstable_by_key",
    "take_while",
    "try_for_each",
];

/// What a pattern is matched against.
#[derive(Clone, Copy)]
struct Source<'t> {
    kind: BindingKind,
    ty: Option<Node<'t>>,
    value: Option<Node<'t>>,
    expr: Option<ExprId>,
}

impl Rust {
    /// Binds the current identifier if it stands in a pattern and its case says that it is a variable; tells whether.
    pub(super) fn bind_identifier(&self, cx: &mut Cx) -> bool {
        let Some(level) = self.binder(cx) else { return false };
        let node = cx.node();
        if is_upper(cx.text_of(&node)) {
            return false;
        }
        let Some(source) = self.source(cx, level) else { return true };
        let source = (1..level).rev().fold(source, |source, level| self.narrow(cx, source, level));
        let ty = source.ty.and_then(|ty| self.type_ref(cx, &ty, 0));
        let value = source.expr.or_else(|| source.value.map(|value| self.expr(cx, &value, 0)));
        let kind =
            if source.kind == BindingKind::Element && value.is_none() { BindingKind::Local } else { source.kind };
        let scope = cx.current_scope();
        cx.bind(&node, scope, kind, ty, value);
        true
    }

    /// The level of the node whose pattern the current identifier belongs to.
    fn binder(&self, cx: &Cx) -> Option<usize> {
        let fields = &self.fields;
        for level in 1..MAX_LEVELS {
            let field = cx.ancestor(level - 1)?.field;
            match self.k_at(cx, level) {
                K::TuplePattern | K::SlicePattern | K::SamePattern | K::FieldPattern => {}
                K::TupleStructPattern | K::StructPattern if field != fields.ty => {}
                K::Let | K::Param | K::LetCondition | K::For if field == fields.pattern => return Some(level),
                K::ClosureParams => return Some(level),
                K::MatchPattern if field != fields.condition => return Some(level),
                _ => return None,
            }
        }
        None
    }

    /// What the whole pattern is matched against; `None` for the parameter names of a function type, which bind
    /// nothing.
    fn source<'t>(&self, cx: &mut Cx<'_, '_, 't>, level: usize) -> Option<Source<'t>> {
        let owner = cx.ancestor(level)?.node;
        let (ty, value) = (owner.child_by_field_id(self.fields.ty), owner.child_by_field_id(self.fields.value));
        let source = |kind, ty, value| Some(Source { kind, ty, value, expr: None });
        match self.k(&owner) {
            K::Param if self.k_at(cx, level + 2) == K::FunctionType => None,
            K::Param if self.k_at(cx, level + 1) == K::ClosureParams && ty.is_none() => self.visited(cx, level + 1),
            K::Param => source(BindingKind::Param, ty, None),
            K::ClosureParams => self.visited(cx, level),
            K::For => source(BindingKind::Element, None, value),
            K::MatchPattern => {
                let value = cx.ancestor(level + 3).and_then(|frame| frame.node.child_by_field_id(self.fields.value));
                source(BindingKind::Local, None, value)
            }
            _ => source(BindingKind::Local, ty, value),
        }
    }

    /// The parameter of a closure: an element of `xs` in `xs.map(|x| …)`.
    fn visited<'t>(&self, cx: &mut Cx<'_, '_, 't>, level: usize) -> Option<Source<'t>> {
        let unknown = Source { kind: BindingKind::Param, ty: None, value: None, expr: None };
        let (Some(list), Some(call)) = (cx.ancestor(level), cx.ancestor(level + 3)) else { return Some(unknown) };
        let alone = list.node.named_child_count() == 1 && self.k_at(cx, level + 2) == K::Arguments;
        let callee = call.node.child_by_field_id(self.fields.function).filter(|_| alone);
        let Some(callee) = callee.filter(|callee| self.k(callee) == K::FieldExpr) else { return Some(unknown) };
        let method = callee.child_by_field_id(self.fields.field).map_or("", |field| cx.text_of(&field));
        let value = callee.child_by_field_id(self.fields.value).filter(|_| VISITORS.contains(&method));
        Some(value.map_or(unknown, |value| Source { kind: BindingKind::Element, value: Some(value), ..unknown }))
    }

    /// From what a pattern is matched against to what the part of it is, one level below.
    fn narrow<'t>(&self, cx: &mut Cx<'_, '_, 't>, source: Source<'t>, level: usize) -> Source<'t> {
        let (Some(pattern), Some(part)) = (cx.ancestor(level), cx.ancestor(level - 1)) else { return source };
        let (pattern, part) = (pattern.node, part.node);
        let kind = if source.kind == BindingKind::Element { BindingKind::Local } else { source.kind };
        let nothing = Source { kind, ty: None, value: None, expr: None };
        match self.k(&pattern) {
            K::SamePattern => source,
            K::TuplePattern => self.narrow_tuple(cx, source, nothing, position(&pattern, &part)),
            K::SlicePattern => match self.value_of(cx, source) {
                Some(value) => Source { expr: Some(cx.expr(Expr::Index(value))), ..nothing },
                None => nothing,
            },
            K::TupleStructPattern => {
                let ty = pattern.child_by_field_id(self.fields.ty);
                match ty.map_or("", |ty| cx.text_of(&ty)) {
                    "Some" | "Ok" => match self.value_of(cx, source) {
                        Some(value) => Source { expr: Some(cx.expr(Expr::Unwrap(value))), ..nothing },
                        None => nothing,
                    },
                    "Err" | "None" => nothing,
                    // What a variant or a structure without named fields holds.
                    _ => match ty.and_then(|ty| self.type_ref(cx, &ty, 0)) {
                        Some(ty) => {
                            let whole = cx.expr(Expr::Typed(ty));
                            let at = position(&pattern, &part).saturating_sub(1) as u32;
                            Source { expr: Some(cx.expr(Expr::Part(whole, at))), ..nothing }
                        }
                        None => nothing,
                    },
                }
            }
            K::FieldPattern => {
                let owner = cx.ancestor(level + 1).and_then(|frame| frame.node.child_by_field_id(self.fields.ty));
                let owner = owner.and_then(|ty| self.type_ref(cx, &ty, 0));
                let (Some(owner), Some(name)) = (owner, pattern.child_by_field_id(self.fields.name)) else {
                    return nothing;
                };
                let (base, name) = (cx.expr(Expr::Typed(owner)), cx.name_of(&name));
                Source { expr: Some(cx.expr(Expr::Member(base, name))), ..nothing }
            }
            _ => nothing,
        }
    }

    /// The value as a plain one: an element of something has no expression of its own.
    fn value_of(&self, cx: &mut Cx, source: Source) -> Option<ExprId> {
        if source.kind == BindingKind::Element {
            return None;
        }
        source.expr.or_else(|| source.value.map(|value| self.expr(cx, &value, 0)))
    }

    fn narrow_tuple<'t>(&self, cx: &mut Cx, source: Source<'t>, nothing: Source<'t>, at: usize) -> Source<'t> {
        let part = |tuple: Option<Node<'t>>, kind| {
            tuple.filter(|tuple| self.k(tuple) == kind).and_then(|tuple| tuple.named_child(at as u32))
        };
        if source.kind != BindingKind::Element {
            let (ty, value) = (part(source.ty, K::TupleType), part(source.value, K::Tuple));
            if ty.is_some() || value.is_some() {
                return Source { ty, value, ..nothing };
            }
            let whole = match source.ty.and_then(|ty| self.type_ref(cx, &ty, 0)) {
                Some(ty) => Some(cx.expr(Expr::Typed(ty))),
                None => self.value_of(cx, source),
            };
            let expr = whole.map(|whole| cx.expr(Expr::Part(whole, at as u32)));
            return Source { expr, ..nothing };
        }
        // `for (i, x) in xs.iter().enumerate()`
        let call = source.value.filter(|value| self.k(value) == K::Call && at == 1);
        let callee = call.and_then(|call| call.child_by_field_id(self.fields.function));
        let callee = callee.filter(|callee| self.k(callee) == K::FieldExpr);
        let method =
            callee.and_then(|callee| callee.child_by_field_id(self.fields.field)).map(|field| cx.text_of(&field));
        match callee.and_then(|callee| callee.child_by_field_id(self.fields.value)) {
            Some(value) if method == Some("enumerate") => Source { value: Some(value), ..source },
            _ => {
                let Some(value) = source.value else { return nothing };
                let list = self.expr(cx, &value, 0);
                let element = cx.expr(Expr::Index(list));
                Source { expr: Some(cx.expr(Expr::Part(element, at as u32))), ..nothing }
            }
        }
    }
}

/// Which of the named children of a pattern a part is.
fn position(pattern: &Node, part: &Node) -> usize {
    let mut cursor = pattern.walk();
    pattern.named_children(&mut cursor).take_while(|child| child.id() != part.id()).count()
}
