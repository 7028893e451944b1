//! What is given the members of something else by code: `util.inherits(A, B)`, `A.prototype = Object.create(B.prototype)`,
//! `Object.assign(A.prototype, mixin)`, `mixin(app, proto)`.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Relation, SymbolIndex};
use tree_sitter::Node;

use super::object::is_dotted_name;
use super::{Ecma, K};
use crate::walk::Cx;

/// Functions whose first argument gets what the others have, by their last name: Node's, the language's, and what libraries for it
/// are usually called.
const GIVING: &[&str] = &["inherits", "setPrototypeOf", "assign", "extend", "mixin", "merge"];

impl Ecma {
    /// A call that gives its first argument the members of the others.
    pub(super) fn given_members(&self, cx: &mut Cx) {
        let node = cx.node();
        let (Some(callee), Some(arguments)) = (self.child(&node, self.f.function), self.child(&node, self.f.arguments))
        else {
            return;
        };
        let name = cx.text_of(&callee).rsplit('.').next().unwrap_or_default();
        if !GIVING.contains(&name) {
            return;
        }
        let mut cursor = arguments.walk();
        let mut arguments = arguments.named_children(&mut cursor).filter(|child| self.kind(child) != K::Comment);
        let Some(symbol) = arguments.next().and_then(|first| self.receiving(cx, &first)) else { return };
        let sources: Vec<Node> = arguments.collect();
        for source in sources {
            self.build_on(cx, symbol, &source);
        }
    }

    /// `A.prototype = …`, where that is made of the prototype of something else.
    pub(super) fn assigned_prototype(&self, cx: &mut Cx, assign: &Node, value: &Node) {
        let target = self.child(assign, self.f.left).filter(|left| self.without_prototype(cx, left).is_some());
        let Some(symbol) = target.and_then(|target| self.receiving(cx, &target)) else { return };
        let made_of = match self.kind(value) {
            K::Call => {
                let created = self.child(value, self.f.function).is_some_and(|of| cx.text_of(&of) == "Object.create");
                self.child(value, self.f.arguments).filter(|_| created).and_then(|arguments| self.first(&arguments))
            }
            K::New => self.child(value, self.f.constructor),
            _ => Some(*value),
        };
        if let Some(made_of) = made_of {
            self.build_on(cx, symbol, &made_of);
        }
    }

    /// The symbol beside the code that `A` or `A.prototype` means.
    fn receiving(&self, cx: &Cx, node: &Node) -> Option<SymbolIndex> {
        let name = self.without_prototype(cx, node).unwrap_or_else(|| cx.text_of(node));
        let fits = |at: &SymbolIndex| {
            use SymbolKind::{Class, Const, Fn, Variable};
            let symbol = cx.symbol_at(*at);
            symbol.name == name && matches!(symbol.kind, Class | Const | Fn | Variable)
        };
        cx.siblings().find(fits)
    }

    fn build_on(&self, cx: &mut Cx, symbol: SymbolIndex, source: &Node) {
        let path = self.without_prototype(cx, source).unwrap_or_else(|| cx.text_of(source));
        if !matches!(self.kind(source), K::Identifier | K::Member) || !is_dotted_name(path) {
            return;
        }
        let path = path.split('.').map(|name| cx.name(name)).collect();
        let ty = cx.ty(path, Vec::new());
        cx.heritage(symbol, Relation::Extends, ty);
    }

    /// `A` of `A.prototype`.
    fn without_prototype<'s>(&self, cx: &Cx<'_, 's, '_>, node: &Node) -> Option<&'s str> {
        cx.text_of(node).strip_suffix(".prototype")
    }
}
