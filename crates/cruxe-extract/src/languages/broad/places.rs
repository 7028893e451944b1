//! What several tables ask about the place of a name: whether what holds it is assigned to, or makes a value.

use cruxe_model::facts::Role;

use super::{As, MAX_STEPS, Syntax};
use crate::walk::Cx;

/// What is before the brackets of an element is written where the element is: `x[0] = 1`, `x[0]++`.
pub fn element(cx: &Cx, level: usize) -> As {
    for level in level..level + MAX_STEPS {
        let (Some(inner), Some(outer)) = (cx.ancestor(level), cx.ancestor(level + 1)) else { break };
        match outer.node.kind() {
            kind if kind == inner.node.kind() => {}
            "directly_assignable_expression" => {}
            _ if sets(&outer.node, &inner.node) => return As::Role(Role::Write),
            _ => break,
        }
    }
    As::Plain
}

/// Whether an expression assigns to one of its parts.
fn sets(outer: &Syntax, inner: &Syntax) -> bool {
    match outer.kind() {
        "assignment" | "assignment_expression" | "augmented_assignment_expression" => {
            outer.named_child(0).is_some_and(|first| first.id() == inner.id())
        }
        "update_expression" | "unset_statement" => true,
        _ => counts(outer),
    }
}

/// `x++` and `--x` write, `-x` does not, and `x!` is `x`.
pub fn operand(cx: &Cx, level: usize) -> As {
    match cx.ancestor(level).map(|frame| frame.node) {
        Some(node) if counts(&node) => As::Role(Role::Write),
        Some(node) if node.kind() == "postfix_unary_expression" => As::Inherit,
        _ => As::Plain,
    }
}

/// Whether an expression is `x++`, `x--`, `++x` or `--x`.
fn counts(node: &Syntax) -> bool {
    let unary = matches!(node.kind(), "postfix_unary_expression" | "prefix_unary_expression" | "unary_expression");
    let mut cursor = node.walk();
    unary && node.children(&mut cursor).any(|child| matches!(child.kind(), "++" | "--"))
}

/// The type behind `new` is called; with a body behind it, to make a value of a class without a name.
pub fn created(cx: &Cx, level: usize) -> As {
    let bodies = ["class_body", "template_body"];
    let body = cx.ancestor(level).is_some_and(|frame| {
        let mut cursor = frame.node.walk();
        frame.node.named_children(&mut cursor).any(|child| bodies.contains(&child.kind()))
    });
    As::Role(if body { Role::Subclass } else { Role::Call })
}
