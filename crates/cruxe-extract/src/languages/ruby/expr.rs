//! Ruby receivers.

use cruxe_model::facts::{Expr, ExprId};
use tree_sitter::Node;

use super::Ruby;
use crate::languages::common::{literal, member, path_type};
use crate::walk::Cx;

/// Longer chains than this are not followed.
const MAX_STEPS: u32 = 12;

impl Ruby {
    pub(super) fn expr(&self, cx: &mut Cx, node: &Node, steps: u32) -> ExprId {
        if steps > MAX_STEPS {
            return cx.expr(Expr::Unknown);
        }
        let expr = match node.kind() {
            "identifier" if !cx.is_bound(cx.text_of(node)) => {
                let name = cx.name_of(node);
                Expr::Call(cx.expr(Expr::Name(name)))
            }
            "identifier" | "constant" | "instance_variable" | "class_variable" | "global_variable" => {
                Expr::Name(cx.name_of(node))
            }
            "self" => Expr::SelfValue,
            "super" => Expr::Super,
            "scope_resolution" => {
                let base = node.child_by_field_id(self.scope).map(|scope| self.expr(cx, &scope, steps + 1));
                let name = node.child_by_field_id(self.name).map(|name| cx.name_of(&name));
                member(base, name)
            }
            "call" => self.call_expr(cx, node, steps),
            "element_reference" => match node.child_by_field_name("object") {
                Some(object) => Expr::Index(self.expr(cx, &object, steps + 1)),
                None => Expr::Unknown,
            },
            "parenthesized_statements" => match node.named_child(0) {
                Some(inner) => return self.expr(cx, &inner, steps + 1),
                None => Expr::Unknown,
            },
            "string" | "heredoc_beginning" => literal(cx, "str"),
            "integer" => literal(cx, "int"),
            "float" => literal(cx, "float"),
            "true" | "false" => literal(cx, "bool"),
            "array" | "string_array" | "symbol_array" => literal(cx, "list"),
            "hash" => literal(cx, "dict"),
            "lambda" => literal(cx, "fn"),
            _ => Expr::Unknown,
        };
        cx.expr(expr)
    }

    /// `T.new` is a value of type `T`; anything else with a name is the result of a call.
    fn call_expr(&self, cx: &mut Cx, node: &Node, steps: u32) -> Expr {
        let (receiver, method) = (node.child_by_field_id(self.receiver), node.child_by_field_id(self.method));
        let Some(method) = method else { return Expr::Unknown };
        let constant = receiver.filter(|base| matches!(base.kind(), "constant" | "scope_resolution"));
        if let (Some(base), "new") = (constant, cx.text_of(&method)) {
            return Expr::Typed(path_type(cx, &base, "::"));
        }
        if method.kind() == "super" {
            return Expr::Call(cx.expr(Expr::Super));
        }
        let mut base = receiver.map(|receiver| self.expr(cx, &receiver, steps + 1));
        if base.is_none() && cx.text_of(&method) == "new" {
            base = Some(cx.expr(Expr::SelfValue)); // of the class itself
        }
        let callee = member(base, Some(cx.name_of(&method)));
        Expr::Call(cx.expr(callee))
    }
}
