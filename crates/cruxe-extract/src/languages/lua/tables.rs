//! What tables are made from and hand on: metatables, what functions return, names for what modules have.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Expr, Import, Relation, SymbolIndex};
use tree_sitter::Node;

use super::{K, LOOK_BACK, Lua, Target};
use crate::languages::common;
use crate::walk::Cx;

impl Lua {
    /// `local f = module.f`: another name for what an imported module has.
    pub(super) fn taken_out(&self, cx: &mut Cx, target: &Target, value: &Node) -> bool {
        let part = |id| value.child_by_field_id(id).filter(|_| self.is(value, K::Dot));
        let (Some(table), Some(field)) = (part(self.table), part(self.field)) else { return false };
        let Some(module) = cx.imported_as(cx.text_of(&table)).filter(|_| self.is(&table, K::Identifier)) else {
            return false;
        };
        let (name, alias) = (Some(cx.name_of(&field)), Some(cx.name_of(&target.name)));
        let (start, scope) = (target.name.start_byte() as u32, cx.current_scope());
        cx.import(Import { module, name, alias, glob: false, reexport: false, start, scope });
        true
    }

    /// A function gives what it returns.
    pub(super) fn returned(&self, cx: &mut Cx) {
        let node = cx.node();
        let values = node.named_child(0).filter(|values| self.is(values, K::ExpressionList));
        let Some(value) = values.and_then(|values| values.named_child(0)) else { return };
        let function = (1..).map_while(|level| cx.ancestor(level).map(|frame| frame.node));
        let function = function.into_iter().find(|at| self.is(at, K::Function) || self.is(at, K::FunctionLiteral));
        let (Some(function), Some(symbol)) = (function, cx.current_symbol()) else { return };
        let own = cx.symbol_at(symbol);
        // The function of an inner `return function() … end` is another one.
        if !own.kind.is_callable() || own.span.end != function.end_byte() as u32 {
            return;
        }
        let value = self.expr(cx, &value, 0);
        if !matches!(cx.expr_at(value), Expr::Unknown | Expr::Literal(_)) {
            cx.amend(symbol, |symbol| symbol.value = Some(value));
        }
    }

    /// What a table is made from: `setmetatable({}, { __index = Base })` builds on `Base`.
    pub(super) fn made_from(&self, cx: &mut Cx, symbol: SymbolIndex, value: &Node) {
        if let Some(base) = self.metatable(cx, value).filter(|base| cx.text_of(base) != "self") {
            let ty = common::path_type(cx, &base, ".");
            return cx.heritage(symbol, Relation::Extends, ty);
        }
        let value = match self.required(cx, value) {
            // What is required without a name of its own is called like its file.
            Some((path, None)) => {
                let last = cx.slice(path).rsplit(['.', '/']).next().unwrap_or_default();
                let name = cx.name(last);
                cx.expr(Expr::Name(name))
            }
            _ => self.expr(cx, value, 0),
        };
        if !matches!(cx.expr_at(value), Expr::Unknown | Expr::Literal(_)) {
            cx.amend(symbol, |symbol| symbol.value = Some(value));
        }
    }

    /// The table that a value is made an object of: `T` of `setmetatable({}, T)` and `setmetatable({}, { __index = T })`.
    pub(super) fn metatable<'t>(&self, cx: &Cx, call: &Node<'t>) -> Option<Node<'t>> {
        let name = call.child_by_field_id(self.name).filter(|_| self.is(call, K::Call))?;
        let arguments = call.child_by_field_name("arguments").filter(|_| cx.text_of(&name) == "setmetatable")?;
        let meta = arguments.named_child(1)?;
        let mut cursor = meta.walk();
        let fields: Vec<Node> = meta.named_children(&mut cursor).filter(|_| self.is(&meta, K::Table)).collect();
        let named =
            |field: &&Node| field.child_by_field_id(self.name).is_some_and(|name| cx.text_of(&name) == "__index");
        let index = fields.iter().find(named).and_then(|field| field.child_by_field_id(self.value));
        index.or(Some(meta)).filter(|table| self.is(table, K::Identifier) || self.is(table, K::Dot))
    }

    pub(super) fn hands_on(&self, cx: &Cx, target: &Target, value: &Node) -> bool {
        let name = cx.text_of(&target.name);
        let same = self.is(value, K::Identifier) && cx.text_of(value) == name;
        same && cx.siblings().take(LOOK_BACK).any(|at| cx.symbol_at(at).name == name)
    }

    /// `setmetatable(Class, { __index = Base })`
    pub(super) fn extended(&self, cx: &mut Cx, node: &Node) {
        let Some(base) = self.metatable(cx, node) else { return };
        let class = node.child_by_field_name("arguments").and_then(|arguments| arguments.named_child(0));
        let Some(class) = class.filter(|class| self.is(class, K::Identifier)).map(|class| cx.text_of(&class)) else {
            return;
        };
        let is_table = |at: &SymbolIndex| {
            let symbol = cx.symbol_at(*at);
            symbol.name == class && matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Const)
        };
        let known = cx.siblings().take(LOOK_BACK).find(is_table);
        if let Some(symbol) = known.filter(|_| cx.text_of(&base) != class) {
            let ty = common::path_type(cx, &base, ".");
            cx.heritage(symbol, Relation::Extends, ty);
        }
    }
}
