//! What the place of a value says about its type: of what `.x` and `.{ … }` are without naming it.

use cruxe_model::facts::{Expr, ExprId};
use tree_sitter::Node;

use super::{K, Zig};
use crate::walk::Cx;

/// Further out than this nobody looks for what a value is expected to be.
const MAX_LEVELS: usize = 8;

impl Zig {
    /// An expression of the type that is expected of the value at a level: `T` in `const x: T = .{ … }`, what the function
    /// returns, what the callee takes.
    pub(super) fn expected(&self, cx: &mut Cx, level: usize) -> Option<ExprId> {
        let mut inner = cx.ancestor(level)?.node;
        for outer in level + 1..=level + MAX_LEVELS {
            let node = cx.ancestor(outer)?.node;
            match node.kind() {
                "struct_initializer" => {
                    let ty = node.named_child(0)?;
                    let whole = self.typed(cx, Some(ty))?;
                    // `[_]T{ … }` has values of `T` inside.
                    return Some(if ty.kind() == "array_type" { cx.expr(Expr::Index(whole)) } else { whole });
                }
                // `.{ … }` is expected to be what its place says, its values what the fields of that are.
                "anonymous_struct_initializer" | "parenthesized_expression" | "unary_expression" | "try_expression" => {
                }
                "initializer_list" => {}
                "if_expression" | "switch_expression" if !self.is_condition(&node, &inner) => {}
                "switch_case" if inner.start_byte() > arrow(&node)? => {}
                "switch_case" => {
                    let subject = cx.ancestor(outer + 1)?.node.named_child(0)?;
                    return Some(self.expr(cx, &subject, 0));
                }
                "assignment_expression" | "field_initializer" => return self.assigned(cx, outer, &node, &inner),
                "binary_expression" => {
                    let left = node.child_by_field_name("left")?;
                    let other = if left.id() == inner.id() { node.child_by_field_name("right")? } else { left };
                    return Some(self.expr(cx, &other, 0));
                }
                "call_expression" => {
                    let callee = node.child_by_field_id(self.function).filter(|callee| callee.id() != inner.id())?;
                    let at = self.arguments(&node).position(|argument| argument.id() == inner.id())?;
                    let callee = self.expr(cx, &callee, 0);
                    return Some(cx.expr(Expr::Argument(callee, at as u32)));
                }
                "variable_declaration" => {
                    let ty = self.declared(&node).headers.first().and_then(|header| header.ty);
                    return self.typed(cx, ty);
                }
                "container_field" => return self.typed(cx, node.child_by_field_id(self.ty)),
                "return_expression" => return self.result(cx, outer),
                _ => return None,
            }
            inner = node;
        }
        None
    }

    /// What stands on the other side of an assignment, or the field of a literal that is set.
    fn assigned(&self, cx: &mut Cx, level: usize, node: &Node, inner: &Node) -> Option<ExprId> {
        let left = node.child_by_field_id(self.left).or_else(|| node.named_child(0))?;
        let literal = cx.ancestor(level + 1).is_some_and(|frame| self.kinds.get(frame.kind) == K::Initializer);
        if !literal {
            return (left.id() != inner.id()).then(|| self.expr(cx, &left, 0));
        }
        let whole = self.expected(cx, level + 1)?;
        if left.id() == inner.id() {
            return Some(whole);
        }
        let name = cx.name_of(&left.child_by_field_id(self.member).unwrap_or(left));
        Some(cx.expr(Expr::Member(whole, name)))
    }

    fn typed(&self, cx: &mut Cx, ty: Option<Node>) -> Option<ExprId> {
        let ty = self.type_ref(cx, &ty?, 0)?;
        Some(cx.expr(Expr::Typed(ty)))
    }

    /// What the function around a level returns.
    fn result(&self, cx: &mut Cx, level: usize) -> Option<ExprId> {
        let mut outer = (level + 1..).map_while(|level| cx.ancestor(level).map(|frame| frame.node));
        let function = outer.find(|node| self.is(node, K::Function))?;
        self.typed(cx, function.child_by_field_id(self.ty))
    }

    fn is_condition(&self, node: &Node, inner: &Node) -> bool {
        let condition = node.child_by_field_name("condition").or_else(|| node.named_child(0));
        condition.is_some_and(|condition| condition.id() == inner.id())
    }

    /// The arguments of a call.
    fn arguments<'t>(&self, call: &Node<'t>) -> impl Iterator<Item = Node<'t>> + use<'t> {
        let mut cursor = call.walk();
        let all: Vec<Node> = call.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect();
        all.into_iter().skip(1)
    }

    /// The value that a name between bars takes apart: an element of what is iterated over, what an optional holds, what a
    /// variant of a union holds. The payload is the parent of the current node.
    pub(super) fn unpacked(&self, cx: &mut Cx) -> Option<ExprId> {
        let (node, payload, outer) = (cx.node(), cx.parent()?, cx.ancestor(2)?.node);
        let mut cursor = payload.walk();
        let at = payload.named_children(&mut cursor).position(|name| name.id() == node.id())?;
        match outer.kind() {
            "for_statement" | "for_expression" => {
                let mut cursor = outer.walk();
                let before = outer.named_children(&mut cursor).take_while(|child| child.id() != payload.id());
                let iterated = before.filter(|child| child.kind() != "block_label").nth(at)?;
                let whole = self.expr(cx, &iterated, 0);
                Some(cx.expr(Expr::Index(whole)))
            }
            "if_statement" | "if_expression" | "while_statement" | "while_expression" if at == 0 => {
                let condition = outer.child_by_field_name("condition")?;
                // Behind `else` stands an error.
                let first = condition.next_named_sibling().is_some_and(|next| next.id() == payload.id());
                let whole = self.expr(cx, &condition, 0);
                first.then(|| cx.expr(Expr::Unwrap(whole)))
            }
            "switch_case" if at == 0 => {
                let variant = outer.named_child(0).filter(|case| self.is(case, K::Member))?;
                let name = cx.name_of(&variant.child_by_field_id(self.member)?);
                let subject = cx.ancestor(3)?.node.named_child(0)?;
                let whole = self.expr(cx, &subject, 0);
                Some(cx.expr(Expr::Member(whole, name)))
            }
            _ => None,
        }
    }
}

/// Where the arrow of a case stands.
fn arrow(case: &Node) -> Option<usize> {
    let mut cursor = case.walk();
    case.children(&mut cursor).find(|child| child.kind() == "=>").map(|arrow| arrow.start_byte())
}
