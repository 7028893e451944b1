//! Zig receivers and types.

use cruxe_model::facts::{Expr, ExprId, TypeId};
use tree_sitter::Node;

use super::Zig;
use crate::languages::common::{literal, member, path_type};
use crate::walk::Cx;

/// Longer chains than this are not followed.
const MAX_STEPS: u32 = 12;

impl Zig {
    pub(super) fn expr(&self, cx: &mut Cx, node: &Node, steps: u32) -> ExprId {
        if steps > MAX_STEPS {
            return cx.expr(Expr::Unknown);
        }
        let expr = match node.kind() {
            "identifier" => Expr::Name(cx.name_of(node)),
            "field_expression" => {
                let base = node.child_by_field_id(self.object).map(|object| self.expr(cx, &object, steps + 1));
                let name = node.child_by_field_id(self.member).map(|name| cx.name_of(&name));
                member(base, name)
            }
            "call_expression" => match node.child_by_field_id(self.function) {
                Some(function) => Expr::Call(self.expr(cx, &function, steps + 1)),
                None => Expr::Unknown,
            },
            "index_expression" => match node.child_by_field_id(self.object) {
                Some(object) => Expr::Index(self.expr(cx, &object, steps + 1)),
                None => Expr::Unknown,
            },
            "try_expression" | "catch_expression" | "dereference_expression" | "null_coercion_expression" => {
                match node.named_child(0) {
                    Some(inner) => Expr::Unwrap(self.expr(cx, &inner, steps + 1)),
                    None => Expr::Unknown,
                }
            }
            "unary_expression" | "parenthesized_expression" => match node.named_child(0) {
                Some(inner) => return self.expr(cx, &inner, steps + 1),
                None => Expr::Unknown,
            },
            "struct_initializer" => {
                let ty = node.named_child(0).and_then(|ty| self.type_ref(cx, &ty, 0));
                ty.map_or(Expr::Unknown, Expr::Typed)
            }
            "string" | "multiline_string" => literal(cx, "str"),
            "integer" => literal(cx, "int"),
            "float" => literal(cx, "float"),
            "boolean" => literal(cx, "bool"),
            _ => Expr::Unknown,
        };
        cx.expr(expr)
    }

    pub(super) fn type_ref(&self, cx: &mut Cx, node: &Node, steps: u32) -> Option<TypeId> {
        if steps > MAX_STEPS {
            return None;
        }
        match node.kind() {
            "identifier" | "builtin_type" => Some(path_type(cx, node, ".")),
            "field_expression" => {
                let plain = cx.text_of(node).bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(&byte));
                plain.then(|| path_type(cx, node, "."))
            }
            "call_expression" => self.type_ref(cx, &node.child_by_field_id(self.function)?, steps + 1),
            "slice_type" | "array_type" => {
                let inner = last(node).and_then(|inner| self.type_ref(cx, &inner, steps + 1));
                let name = cx.owned_name("[]".to_owned());
                Some(cx.ty(vec![name], inner.into_iter().collect()))
            }
            "pointer_type" | "nullable_type" | "error_union_type" => self.type_ref(cx, &last(node)?, steps + 1),
            _ => None,
        }
    }
}

fn last<'t>(node: &Node<'t>) -> Option<Node<'t>> {
    node.named_child(node.named_child_count().checked_sub(1)? as u32)
}
