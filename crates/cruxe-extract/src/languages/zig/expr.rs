//! Zig receivers and types.

use cruxe_model::facts::{Expr, ExprId, TypeId};
use tree_sitter::Node;

use super::Zig;
use crate::languages::common::{literal, member, path_type};
use crate::walk::Cx;

/// Longer chains than this are not followed.
const MAX_STEPS: u32 = 12;
/// More types than this no function takes.
const MAX_ARGS: usize = 8;

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
            "binary_expression" if node.child(1).is_some_and(|operator| operator.kind() == "orelse") => {
                match node.named_child(0) {
                    Some(inner) => return self.expr(cx, &inner, steps + 1),
                    None => Expr::Unknown,
                }
            }
            // The grammar reads `[]const a.B` as `([]const a).B`.
            "slice_type" | "array_type" | "pointer_type" | "nullable_type" | "error_union_type" => match last(node) {
                Some(inner) => return self.expr(cx, &inner, steps + 1),
                None => Expr::Unknown,
            },
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
                let text = cx.text_of(node);
                let path = text.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.').next()?;
                let before = &text[..text.len() - path.len()];
                if path.is_empty() || before.contains(['(', '{']) {
                    return None;
                }
                let path = path.split('.').filter(|part| !part.is_empty()).map(|part| cx.name(part)).collect();
                let ty = cx.ty(path, Vec::new());
                let list = cx.owned_name("[]".to_owned());
                Some(if before.contains(']') { cx.ty(vec![list], vec![ty]) } else { ty })
            }
            // A function that makes a type of others.
            "call_expression" => {
                let made = self.type_ref(cx, &node.child_by_field_id(self.function)?, steps + 1)?;
                let mut cursor = node.walk();
                let given: Vec<Node> = node.named_children(&mut cursor).skip(1).take(MAX_ARGS).collect();
                let args = given.iter().map_while(|arg| self.type_ref(cx, arg, steps + 1)).collect();
                let path = cx.type_at(made).0;
                Some(cx.ty(path, args))
            }
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
