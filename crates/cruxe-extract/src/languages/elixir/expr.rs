//! Elixir receivers.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Expr, ExprId};
use tree_sitter::Node;

use super::{Elixir, K};
use crate::languages::common::{literal, member, path_type};
use crate::walk::Cx;

/// Longer chains than this are not followed.
const MAX_STEPS: u32 = 12;

/// Further out than this nobody looks for a `quote`: every `__MODULE__` asks.
const MAX_LEVELS: usize = 64;

impl Elixir {
    /// `A.B.C` as names inside names.
    pub(super) fn path_expr<'s>(&self, cx: &mut Cx<'_, 's, '_>, path: &'s str) -> ExprId {
        let mut base = None;
        for part in path.split('.').map(str::trim).take(MAX_STEPS as usize) {
            let name = cx.name(part);
            let expr = member(base, Some(name));
            base = Some(cx.expr(expr));
        }
        base.unwrap_or_else(|| cx.expr(Expr::Unknown))
    }

    /// The module that `__MODULE__` means at the current node. In a `quote` it is that of whoever uses the macro.
    fn own_module(&self, cx: &Cx) -> Option<String> {
        let quoted = (1..MAX_LEVELS)
            .map_while(|level| cx.ancestor(level))
            .any(|frame| self.kinds.get(frame.kind) == K::Call && self.word(cx, &frame.node) == Some("quote"));
        let mut at = cx.current_symbol().filter(|_| !quoted)?;
        while cx.symbol_at(at).kind != SymbolKind::Module {
            at = cx.symbol_at(at).parent?;
        }
        Some(cx.symbol_at(at).qualified_name.clone())
    }

    pub(super) fn expr(&self, cx: &mut Cx, node: &Node, steps: u32) -> ExprId {
        if steps > MAX_STEPS {
            return cx.expr(Expr::Unknown);
        }
        let expr = match node.kind() {
            "identifier" if cx.text_of(node) == "__MODULE__" => match self.own_module(cx) {
                Some(module) => {
                    let mut base = None;
                    for part in module.split('.') {
                        let name = cx.owned_name(part.to_owned());
                        let expr = member(base, Some(name));
                        base = Some(cx.expr(expr));
                    }
                    return base.unwrap_or_else(|| cx.expr(Expr::Unknown));
                }
                None => Expr::SelfValue,
            },
            "identifier" => Expr::Name(cx.name_of(node)),
            "alias" => {
                let text = cx.text_of(node);
                return self.path_expr(cx, text);
            }
            "dot" => {
                let base = node.child_by_field_id(self.left).map(|left| self.expr(cx, &left, steps + 1));
                let name = node.child_by_field_id(self.right).map(|right| cx.name_of(&right));
                member(base, name)
            }
            "call" => match node.child_by_field_id(self.target) {
                Some(target) if self.is(&target, K::Dot) && self.arguments(node).is_none() => {
                    return self.expr(cx, &target, steps + 1);
                }
                Some(target) => Expr::Call(self.expr(cx, &target, steps + 1)),
                None => Expr::Unknown,
            },
            "map" => {
                let name = node.named_child(0).filter(|first| self.is(first, K::Struct));
                let name = name.and_then(|first| first.named_child(0));
                match name.map(|name| (self.is(&name, K::Alias), name)) {
                    Some((true, name)) => Expr::Typed(path_type(cx, &name, ".")),
                    Some((false, name)) if cx.text_of(&name) == "__MODULE__" => match self.own_module(cx) {
                        Some(module) => {
                            let path = module.split('.').map(|part| cx.owned_name(part.to_owned())).collect();
                            Expr::Typed(cx.ty(path, Vec::new()))
                        }
                        None => Expr::Unknown,
                    },
                    Some(_) => Expr::Unknown,
                    None => literal(cx, "dict"),
                }
            }
            "access_call" => match node.child_by_field_id(self.target) {
                Some(target) => Expr::Index(self.expr(cx, &target, steps + 1)),
                None => Expr::Unknown,
            },
            "string" => literal(cx, "str"),
            "integer" => literal(cx, "int"),
            "float" => literal(cx, "float"),
            "boolean" => literal(cx, "bool"),
            "list" => literal(cx, "list"),
            "anonymous_function" => literal(cx, "fn"),
            _ => Expr::Unknown,
        };
        cx.expr(expr)
    }
}
