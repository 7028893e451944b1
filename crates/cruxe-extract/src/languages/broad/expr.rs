//! Expressions and types as a table describes them, as far as they help to find the type of a receiver.

use cruxe_model::facts::{Expr, ExprId, NameId, TypeId};

use super::{Broad, Find, MAX_STEPS, Shape, Syntax, TypeShape};
use crate::walk::Cx;

/// More arguments than this tell nothing about a receiver.
const MAX_ARGS: usize = 8;

/// Whether a callee with type arguments makes a value of them: a constructor, `listOf`, `emptyList`.
fn makes_collection(callee: &str) -> bool {
    let last = callee.rsplit('.').next().unwrap_or(callee);
    let last = &last[..last.find(['<', '[', '(']).unwrap_or(last.len())];
    last.starts_with(char::is_uppercase) || last.ends_with("Of") || last.starts_with("empty")
}

impl Broad {
    /// The expression at a node.
    pub fn expr(&self, cx: &mut Cx, node: &Syntax) -> ExprId {
        self.expr_at(cx, node, 0)
    }

    fn expr_at(&self, cx: &mut Cx, node: &Syntax, steps: usize) -> ExprId {
        let expr = if steps > MAX_STEPS { Expr::Unknown } else { self.shape(cx, node, steps) };
        cx.expr(expr)
    }

    /// The expression at a node as a member of another.
    pub(super) fn inside(&self, cx: &mut Cx, outer: Option<ExprId>, node: &Syntax) -> ExprId {
        let expr = self.expr(cx, node);
        match (outer, cx.expr_at(expr)) {
            (Some(outer), Expr::Name(name)) => {
                let name = *name;
                cx.expr(Expr::Member(outer, name))
            }
            _ => expr,
        }
    }

    fn shape(&self, cx: &mut Cx, node: &Syntax, steps: usize) -> Expr {
        let rule = *self.rule(node.kind_id());
        let shape = if let Shape::By(shape) = rule.expr { shape(node) } else { rule.expr };
        match shape {
            Shape::SelfValue => Expr::SelfValue,
            Shape::Placeholder => self.placeholder(cx).unwrap_or(Expr::Unknown),
            Shape::Super => Expr::Super,
            Shape::Literal(word) => Expr::Literal(cx.name(word)),
            Shape::Call(Find::Nothing) => {
                let callee = self.member_shape(cx, node, None, steps);
                Expr::Call(cx.expr(callee))
            }
            Shape::Generic(find, args) => match (find.find(node), args.find(node)) {
                (Some(callee), Some(args)) if makes_collection(cx.text_of(&callee)) => {
                    let path = self.path(cx, &callee);
                    let args = self.args(cx, &args, steps);
                    Expr::Typed(cx.ty(path, args))
                }
                (Some(callee), _) => Expr::Call(self.expr_at(cx, &callee, steps + 1)),
                (None, _) => Expr::Unknown,
            },
            Shape::Call(find) => match find.find(node) {
                Some(callee) => match self.cast(cx, &callee) {
                    Some(value) => value,
                    None => Expr::Call(self.expr_at(cx, &callee, steps + 1)),
                },
                None => Expr::Unknown,
            },
            Shape::Typed(find) => {
                let ty = find.find(node).and_then(|ty| self.type_ref(cx, &ty));
                ty.map_or(Expr::Unknown, Expr::Typed)
            }
            Shape::Index(find) => match find.find(node) {
                Some(base) => Expr::Index(self.expr_at(cx, &base, steps + 1)),
                None => Expr::Unknown,
            },
            Shape::Unwrap(find) => match find.find(node) {
                Some(base) => Expr::Unwrap(self.expr_at(cx, &base, steps + 1)),
                None => Expr::Unknown,
            },
            Shape::Inner(find) => match find.find(node) {
                Some(inner) if steps < MAX_STEPS => self.shape(cx, &inner, steps + 1),
                _ => Expr::Unknown,
            },
            Shape::Unknown if rule.member.is_some() => self.member_shape(cx, node, None, steps),
            // Some grammars have `this` and `base` only as keywords.
            Shape::Unknown if rule.name.is_some() || !node.is_named() => self.word(cx, node),
            // A built-in type before a dot: `int.Parse(…)`.
            Shape::Unknown if matches!(rule.ty, TypeShape::Path(_)) && node.child_count() == 0 => self.word(cx, node),
            Shape::Ask(ask) => ask(self, cx, node),
            Shape::Unknown | Shape::By(_) => Expr::Unknown,
        }
    }

    fn word(&self, cx: &mut Cx, node: &Syntax) -> Expr {
        match cx.text_of(node) {
            text if self.table.self_words.contains(&text) => Expr::SelfValue,
            text if self.table.super_words.contains(&text) => Expr::Super,
            _ if !node.is_named() => Expr::Unknown,
            text => Expr::Name(cx.name(text)),
        }
    }

    fn member_shape(&self, cx: &mut Cx, node: &Syntax, outer: Option<ExprId>, steps: usize) -> Expr {
        let Some((base, name)) = self.rule(node.kind_id()).member else { return Expr::Unknown };
        let Some(name) = name.find(node).map(|name| self.plain_name(&name)) else { return Expr::Unknown };
        let base = match base.find(node) {
            // `Outer.this`
            Some(base) if self.table.self_words.contains(&cx.text_of(&name)) => {
                return self.type_ref(cx, &base).map_or(Expr::SelfValue, Expr::Typed);
            }
            Some(base) if outer.is_some() => Some(self.inside(cx, outer, &base)),
            Some(base) => Some(self.expr_at(cx, &base, steps + 1)),
            None => outer,
        };
        if self.rule(name.kind_id()).member.is_some() && steps < MAX_STEPS {
            return self.member_shape(cx, &name, base, steps + 1);
        }
        let name = cx.name_of(&name);
        base.map_or(Expr::Name(name), |base| Expr::Member(base, name))
    }

    /// The value of `static_cast<T>(…)` and the like.
    fn cast(&self, cx: &mut Cx, callee: &Syntax) -> Option<Expr> {
        if self.table.casts.is_empty() {
            return None;
        }
        let mut at = *callee;
        for _ in 0..MAX_STEPS {
            match self.rule(at.kind_id()).member {
                Some((_, name)) => at = name.find(&at)?,
                None => break,
            }
        }
        let TypeShape::Generic(base, args) = self.rule(at.kind_id()).ty else { return None };
        let known = base.find(&at).is_some_and(|base| self.table.casts.contains(&cx.text_of(&base)));
        let list = args.find(&at).filter(|_| known)?;
        self.args(cx, &list, 0).first().map(|ty| Expr::Typed(*ty))
    }

    /// The name inside a name with type arguments or another wrapping.
    fn plain_name<'t>(&self, node: &Syntax<'t>) -> Syntax<'t> {
        let mut at = *node;
        for _ in 0..MAX_STEPS {
            let rule = self.rule(at.kind_id());
            let inside = match (rule.name, rule.ty, rule.expr) {
                (Some(_), ..) => None,
                (_, TypeShape::Generic(base, _), _) => base.find(&at),
                (_, TypeShape::Inner(find), _) | (.., Shape::Inner(find)) => find.find(&at),
                _ => None,
            };
            match inside {
                Some(inside) => at = inside,
                None => break,
            }
        }
        at
    }

    /// The type at a node; `None` where none is written.
    pub fn type_ref(&self, cx: &mut Cx, node: &Syntax) -> Option<TypeId> {
        self.type_at(cx, node, 0)
    }

    fn type_at(&self, cx: &mut Cx, node: &Syntax, steps: usize) -> Option<TypeId> {
        if steps > MAX_STEPS {
            return None;
        }
        match self.rule(node.kind_id()).ty {
            TypeShape::Unknown => None,
            TypeShape::Path(args) => {
                let path = self.path(cx, node);
                let args = args.find(node).map_or(Vec::new(), |list| self.args(cx, &list, steps));
                (!path.is_empty()).then(|| cx.ty(path, args))
            }
            TypeShape::Inner(find) => self.type_at(cx, &find.find(node)?, steps + 1),
            TypeShape::Generic(base, args) => {
                let base = base.find(node)?;
                let args = args.find(node).map_or(Vec::new(), |list| self.args(cx, &list, steps));
                let path = match self.rule(base.kind_id()).ty {
                    TypeShape::Path(_) => self.path(cx, &base),
                    _ => {
                        let base = self.type_at(cx, &base, steps + 1)?;
                        cx.type_at(base).0
                    }
                };
                Some(cx.ty(path, args))
            }
            TypeShape::Scoped(scope, name) => {
                let mut path = scope.find(node).map_or(Vec::new(), |scope| self.path(cx, &scope));
                let inner = self.type_at(cx, &name.find(node)?, steps + 1)?;
                let (rest, args) = cx.type_at(inner);
                path.extend(rest);
                Some(cx.ty(path, args))
            }
            TypeShape::Unnamed(word, find) => {
                let inner = find.find(node).and_then(|inner| self.type_at(cx, &inner, steps + 1));
                let name = cx.name(word);
                Some(cx.ty(vec![name], inner.into_iter().collect()))
            }
            TypeShape::Function(taken, given) => self.function_type(cx, node, [Find::Nothing, taken, given], steps),
            TypeShape::Method(receiver, taken, given) => self.function_type(cx, node, [receiver, taken, given], steps),
            TypeShape::All(word) => {
                let args = self.args(cx, node, steps);
                let name = cx.name(word);
                Some(cx.ty(vec![name], args))
            }
        }
    }

    /// The type of a function: its result, its receiver if it has one, what it takes.
    fn function_type(
        &self,
        cx: &mut Cx,
        node: &Syntax,
        [receiver, taken, given]: [Find; 3],
        steps: usize,
    ) -> Option<TypeId> {
        let given = given.find(node).and_then(|given| self.type_at(cx, &given, steps + 1));
        let receiver = receiver.find(node).and_then(|receiver| self.type_at(cx, &receiver, steps + 1));
        let taken = taken.find(node).map_or(Vec::new(), |list| self.args(cx, &list, steps));
        let name = cx.name(if receiver.is_some() { ".fn" } else { "fn" });
        let nothing = cx.name("()");
        let given = given.unwrap_or_else(|| cx.ty(vec![nothing], Vec::new()));
        Some(cx.ty(vec![name], [given].into_iter().chain(receiver).chain(taken).collect()))
    }

    fn args(&self, cx: &mut Cx, list: &Syntax, steps: usize) -> Vec<TypeId> {
        let mut cursor = list.walk();
        let list: Vec<Syntax> = list.named_children(&mut cursor).take(MAX_ARGS).collect();
        list.iter().filter_map(|arg| self.type_at(cx, arg, steps + 1)).collect()
    }

    /// `["a", "B"]` of `a.B`, `a::B` or `\a\B`, type arguments left out.
    fn path(&self, cx: &mut Cx, node: &Syntax) -> Vec<NameId> {
        // `suspend Scope`, `@Api Scope`
        let words = node.named_child(0).filter(|first| first.kind() == "type_modifiers");
        let start = words.map_or(0, |words| words.end_byte() - node.start_byte());
        let text = &cx.text_of(node)[start..];
        let text = &text[..text.find(['<', '[', '(']).unwrap_or(text.len())];
        if self.table.keywords.contains(&text.trim()) {
            return Vec::new();
        }
        let parts = text.split(['.', ':', '\\']).map(str::trim).filter(|part| !part.is_empty());
        parts.map(|part| cx.name(part)).collect()
    }
}
