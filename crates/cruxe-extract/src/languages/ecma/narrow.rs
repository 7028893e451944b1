//! What a condition says about a variable where it holds: `if (x instanceof T) { … }`, `x instanceof T && …`.

use cruxe_model::facts::{BindingKind, ScopeKind};
use tree_sitter::Node;

use super::{Ecma, K, MAX_STEPS};
use crate::walk::Cx;

impl Ecma {
    /// Whether the current node is code that may run under a condition and opens no scope of its own.
    pub(super) fn may_be_narrowed(&self, cx: &Cx) -> bool {
        (cx.field() == self.f.consequence || cx.field() == self.f.right)
            && matches!(
                self.kinds.get(cx.kind()),
                K::Await
                    | K::Binary
                    | K::Call
                    | K::Cast
                    | K::Member
                    | K::NonNull
                    | K::Paren
                    | K::Return
                    | K::Statement
                    | K::Subscript
                    | K::Template
                    | K::Ternary
                    | K::Unary
            )
    }

    /// Opens a scope in which more is known of variables, where a condition before the current node says so.
    pub(super) fn narrow(&self, cx: &mut Cx) -> bool {
        let Some(outer) = cx.parent() else { return false };
        let condition = match self.kind(&outer) {
            K::Binary if cx.field() == self.f.right && self.is_and(&outer) => self.child(&outer, self.f.left),
            K::Ternary | K::If if cx.field() == self.f.consequence => outer.child_by_field_name("condition"),
            _ => None,
        };
        let Some(condition) = condition else { return false };
        let mut tests = Vec::new();
        self.tests(condition, &mut tests);
        let is_local = |name: &Node| self.kind(name) == K::Identifier && cx.is_bound(cx.text_of(name));
        tests.retain(|(name, _)| is_local(name));
        if tests.is_empty() {
            return false;
        }
        cx.open_scope(ScopeKind::Block);
        let scope = cx.current_scope();
        for (name, class) in tests {
            let ty = self.class_type(cx, &class, None);
            if ty.is_some() {
                cx.bind(&name, scope, BindingKind::Local, ty, None);
            }
        }
        true
    }

    /// The variables and classes of all tests that must hold for a condition to hold.
    fn tests<'t>(&self, condition: Node<'t>, found: &mut Vec<(Node<'t>, Node<'t>)>) {
        let mut open = vec![condition];
        for _ in 0..MAX_STEPS * 4 {
            let Some(node) = open.pop() else { return };
            match self.kind(&node) {
                K::Paren => open.extend(self.first(&node)),
                K::Binary => {
                    let (Some(left), Some(right)) = (self.child(&node, self.f.left), self.child(&node, self.f.right))
                    else {
                        continue;
                    };
                    let operator = self.child(&node, self.f.operator).map_or("", |operator| operator.kind());
                    match operator {
                        "&&" => open.extend([left, right]),
                        "instanceof" => found.push((left, right)),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
    }

    fn is_and(&self, binary: &Node) -> bool {
        self.child(binary, self.f.operator).is_some_and(|operator| operator.kind() == "&&")
    }
}
