//! Lua receivers.

use cruxe_model::facts::{BindingKind, Expr, ExprId};
use tree_sitter::Node;

use super::{K, Lua};
use crate::languages::common::{literal, member, path_type};
use crate::walk::Cx;

/// Longer chains than this are not followed.
const MAX_STEPS: u32 = 12;

impl Lua {
    pub(super) fn expr(&self, cx: &mut Cx, node: &Node, steps: u32) -> ExprId {
        if steps > MAX_STEPS {
            return cx.expr(Expr::Unknown);
        }
        let expr = match (self.kinds.get(node.kind_id()), node.kind()) {
            (K::Identifier, _) if cx.text_of(node) == "self" && !is_made(cx) => Expr::SelfValue,
            (K::Identifier, _) => Expr::Name(cx.name_of(node)),
            (K::Dot | K::Method, _) => {
                let base = node.child_by_field_id(self.table).map(|table| self.expr(cx, &table, steps + 1));
                let name = node.child_by_field_id(self.field).or_else(|| node.child_by_field_name("method"));
                let name = name.map(|name| cx.name_of(&name));
                member(base, name)
            }
            (K::Call, _) => match (self.metatable(cx, node), node.child_by_field_id(self.name)) {
                (Some(table), _) if cx.text_of(&table) == "self" => Expr::SelfValue,
                (Some(table), _) => Expr::Typed(path_type(cx, &table, ".")),
                (None, Some(callee)) => Expr::Call(self.expr(cx, &callee, steps + 1)),
                (None, None) => Expr::Unknown,
            },
            (_, "bracket_index_expression") => match node.child_by_field_id(self.table) {
                Some(table) => Expr::Index(self.expr(cx, &table, steps + 1)),
                None => Expr::Unknown,
            },
            (_, "parenthesized_expression") => match node.named_child(0) {
                Some(inner) => return self.expr(cx, &inner, steps + 1),
                None => Expr::Unknown,
            },
            (_, "string") => literal(cx, "str"),
            (_, "number") => literal(cx, "float"),
            (_, "true" | "false") => literal(cx, "bool"),
            (K::Table, _) => literal(cx, "dict"),
            (K::FunctionLiteral, _) => literal(cx, "fn"),
            _ => Expr::Unknown,
        };
        cx.expr(expr)
    }
}

/// Whether `self` is a variable of the function: `local self = setmetatable({}, Class)`.
fn is_made(cx: &Cx) -> bool {
    cx.bound("self").is_some_and(|binding| binding.kind == BindingKind::Local)
}
