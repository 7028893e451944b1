//! What the place of a value says about it: what the callee takes there, the type of the variable that it becomes.
//!
//! It types the parameters of lambdas, and what is written without its type because the place names it: `.closed` of Swift.

use cruxe_model::facts::{BindingKind, Expr, ExprId};

use super::{Broad, Shape, Syntax, TypeShape};
use crate::walk::Cx;

/// Further out than this nobody looks for the call that a lambda is passed to.
const MAX_LEVELS: usize = 6;

impl Broad {
    /// What the parameter takes that is introduced at the current node, where that is a parameter of a lambda.
    pub(super) fn expected_parameter(&self, cx: &mut Cx) -> Option<ExprId> {
        let defines = |level: &usize| cx.ancestor(*level).is_some_and(|frame| self.rule(frame.kind).def.is_some());
        let inside = (1..=MAX_LEVELS).take_while(|level| !defines(level));
        let lambda = inside.into_iter().find(|level| self.is_lambda(cx, *level))?;
        let at = cx.bound_in(cx.current_scope(), BindingKind::Param);
        let expected = self.expected(cx, lambda)?;
        Some(cx.expr(Expr::Argument(expected, at as u32)))
    }

    /// What the first parameter of the lambda at the current node takes.
    pub fn expected_first(&self, cx: &mut Cx) -> Option<ExprId> {
        let expected = self.expected(cx, 0)?;
        Some(cx.expr(Expr::Argument(expected, 0)))
    }

    /// The same for the function that a placeholder makes of the argument around the current node: `_.name` of Scala.
    pub(super) fn placeholder(&self, cx: &mut Cx) -> Option<Expr> {
        let argument = (1..=MAX_LEVELS).find(|level| {
            let list = cx.ancestor(level + 1).map_or("", |frame| frame.node.kind());
            self.table.arguments.contains(&list)
        })?;
        let expected = self.expected(cx, argument)?;
        Some(Expr::Argument(expected, 0))
    }

    fn is_lambda(&self, cx: &Cx, level: usize) -> bool {
        cx.ancestor(level).is_some_and(|frame| matches!(self.rule(frame.kind).expr, Shape::Literal("fn")))
    }

    /// What is expected of the value at a level, as an expression of that type: what the call around it takes at its place, or
    /// the type of the variable that it is the value of.
    pub fn expected(&self, cx: &mut Cx, level: usize) -> Option<ExprId> {
        let mut inner = cx.ancestor(level)?.node;
        let mut before = None;
        for outer in level + 1..=level + MAX_LEVELS {
            let frame = cx.ancestor(outer)?;
            let (node, rule) = (frame.node, *self.rule(frame.kind));
            if self.table.arguments.contains(&node.kind()) {
                before = before.or_else(|| position(&node, &inner));
            } else if let Some(callee) = self.callee(&node, &inner) {
                // What a callee that begins with a placeholder takes would be asked of the placeholder again.
                if self.begins_with_placeholder(&callee) {
                    return None;
                }
                let (callee, at) = match self.called_before(&callee, &inner) {
                    Some((callee, passed)) => (callee, passed),
                    None => (callee, before.unwrap_or_else(|| self.passed_before(&node, &inner))),
                };
                let callee = self.expr(cx, &callee);
                let known = !matches!(cx.expr_at(callee), Expr::Unknown | Expr::Literal(_));
                return known.then(|| cx.expr(Expr::Argument(callee, at as u32)));
            } else if rule.def.is_some() && rule.scope.is_some() {
                return None;
            } else if let Some(ty) = rule.of_type.find(&node).filter(|ty| ty.id() != inner.id()) {
                let ty = self.type_ref(cx, &ty)?;
                return Some(cx.expr(Expr::Typed(ty)));
            } else if rule.name.is_some() || matches!(rule.ty, TypeShape::Path(_)) {
                return None;
            }
            inner = node;
        }
        None
    }

    fn begins_with_placeholder(&self, node: &Syntax) -> bool {
        let mut at = *node;
        loop {
            if matches!(self.rule(at.kind_id()).expr, Shape::Placeholder) {
                return true;
            }
            match at.named_child(0) {
                Some(first) => at = first,
                None => return false,
            }
        }
    }

    /// The callee of a call that has a node among its arguments.
    fn callee<'t>(&self, call: &Syntax<'t>, inner: &Syntax<'t>) -> Option<Syntax<'t>> {
        let rule = self.rule(call.kind_id());
        let shape = if let Shape::By(shape) = rule.expr { shape(call) } else { rule.expr };
        let (Shape::Call(find) | Shape::Generic(find, _)) = shape else { return None };
        find.find(call).filter(|callee| callee.id() != inner.id())
    }

    /// Some grammars read `f(1) { … }` as a call of `f(1)`: what is called, and how much is passed before the lambda.
    fn called_before<'t>(&self, call: &Syntax<'t>, lambda: &Syntax<'t>) -> Option<(Syntax<'t>, usize)> {
        if self.table.lambda_behind != Some(lambda.kind()) {
            return None;
        }
        let callee = self.callee(call, lambda)?;
        let mut cursor = call.walk();
        let list = call.named_children(&mut cursor).find(|list| self.table.arguments.contains(&list.kind()));
        Some((callee, list.map_or(0, |list| list.named_child_count())))
    }

    /// How many arguments stand before a lambda behind the parentheses: `f(1) { … }`.
    fn passed_before(&self, call: &Syntax, inner: &Syntax) -> usize {
        let mut cursor = call.walk();
        let mut lists: Vec<Syntax> = call.named_children(&mut cursor).collect();
        lists.extend(inner.named_children(&mut inner.walk()));
        let list = lists.iter().find(|list| self.table.arguments.contains(&list.kind()));
        list.filter(|list| list.start_byte() < inner.end_byte()).map_or(0, |list| list.named_child_count())
    }
}

/// Which of the named children of a node another is.
fn position(list: &Syntax, inner: &Syntax) -> Option<usize> {
    let mut cursor = list.walk();
    list.named_children(&mut cursor).position(|child| child.id() == inner.id())
}
