//! What the place of a value says about it: the type of a parameter, of a declared variable, of a function's result.
//!
//! It types the parameters of callbacks and leads from the keys of an object literal to the members they fill in.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Expr, ExprId};
use tree_sitter::Node;

use super::object::Target;
use super::{Ecma, K, MAX_STEPS};
use crate::walk::Cx;

impl Ecma {
    /// The type that is expected of the expression at the `level`-th ancestor, as an expression of that type.
    pub(super) fn expected(&self, cx: &mut Cx, level: usize, steps: usize) -> Option<ExprId> {
        if steps > MAX_STEPS {
            return None;
        }
        let (inner, outer) = (cx.ancestor(level)?, cx.ancestor(level + 1)?);
        let (node, field, root) = (inner.node, inner.field, outer.node);
        match self.kinds.get(outer.kind) {
            K::Paren | K::NonNull => self.expected(cx, level + 1, steps + 1),
            K::Ternary if root.child(0).is_some_and(|condition| condition.id() != node.id()) => {
                self.expected(cx, level + 1, steps + 1)
            }
            K::Binary if self.is_fallback(&root) => self.expected(cx, level + 1, steps + 1),
            K::Cast => {
                let ty = root.named_child(1).and_then(|ty| self.type_ref(cx, &ty, 0));
                match ty {
                    Some(ty) => Some(cx.expr(Expr::Typed(ty))),
                    None => self.expected(cx, level + 1, steps + 1), // `as const`
                }
            }
            K::TypeAssertion => {
                let ty = root.named_child(0).and_then(|list| list.named_child(0));
                let ty = ty.and_then(|ty| self.type_ref(cx, &ty, 0))?;
                Some(cx.expr(Expr::Typed(ty)))
            }
            K::Pair if field == self.f.value => {
                let key = self.child(&root, self.f.key).filter(|key| self.kind(key) != K::ComputedName)?;
                let whole = self.expected(cx, level + 2, steps + 1)?;
                let name = cx.slice(self.property_name(&key));
                let name = cx.name(name);
                Some(cx.expr(Expr::Member(whole, name)))
            }
            K::List => {
                let whole = self.expected(cx, level + 1, steps + 1)?;
                let at = self.position(&root, &node)?;
                Some(cx.expr(Expr::Part(whole, at)))
            }
            K::Arguments => {
                let call = cx.ancestor(level + 2)?;
                let callee = match self.kinds.get(call.kind) {
                    K::Call => self.child(&call.node, self.f.function)?,
                    K::New => self.child(&call.node, self.f.constructor)?,
                    _ => return None,
                };
                let at = self.position(&root, &node)?;
                let callee = self.expr(cx, &callee, 0);
                let known = !matches!(cx.expr_at(callee), Expr::Unknown | Expr::Literal(_));
                known.then(|| cx.expr(Expr::Argument(callee, at)))
            }
            K::Declarator | K::Field if field == self.f.value => {
                let ty = self.declared_type(cx, &root)?;
                Some(cx.expr(Expr::Typed(ty)))
            }
            K::Assign if field == self.f.right => {
                // What a module exports is defined by that, not expected.
                if matches!(self.target(cx, &root), Some(Target::Module | Target::Export(_))) {
                    return None;
                }
                let left = self.child(&root, self.f.left)?;
                Some(self.expr(cx, &left, 0))
            }
            K::Return => self.expected_result(cx, level + 2, steps),
            K::Arrow if field == self.f.body => self.expected_result(cx, level + 1, steps),
            _ => None,
        }
    }

    /// Whether an expression is the first of two values that there is: `a ?? b`, `a || b`.
    pub(super) fn is_fallback(&self, binary: &Node) -> bool {
        self.child(binary, self.f.operator).is_some_and(|operator| matches!(operator.kind(), "??" | "||"))
    }

    /// The declared result of the nearest function from the `level`-th ancestor on; without one, the result of the function that
    /// is expected there: `({ op }) => …` in `const link: Link = () => ({ op }) => …`.
    fn expected_result(&self, cx: &mut Cx, level: usize, steps: usize) -> Option<ExprId> {
        let functions = [K::Arrow, K::Function, K::FunctionExpr, K::Method];
        let at = (level..level + MAX_STEPS * 4).find(|level| functions.contains(&self.outer(cx, *level)))?;
        let function = cx.ancestor(at)?.node;
        let result = match self.return_type(cx, &function) {
            Some(ty) => Expr::Typed(ty),
            None if matches!(self.outer(cx, at), K::Arrow | K::FunctionExpr) => {
                Expr::Call(self.expected(cx, at, steps + 1)?)
            }
            None => return None,
        };
        let result = cx.expr(result);
        let is_async = function.child(0).is_some_and(|word| word.kind() == "async");
        Some(if is_async { cx.expr(Expr::Unwrap(result)) } else { result })
    }

    /// What the parameter at the current node takes, where the function that it belongs to is expected to be of some
    /// type. The parameter is introduced by the `level`-th ancestor.
    pub(super) fn expected_parameter(&self, cx: &mut Cx, level: usize) -> Option<ExprId> {
        let functions = [K::Arrow, K::FunctionExpr, K::Method];
        let function = (level..level + 3).find(|level| functions.contains(&self.outer(cx, *level)))?;
        let list = (level..function).find(|level| self.outer(cx, *level) == K::Params);
        let at = match list {
            Some(list) => self.position(&cx.ancestor(list)?.node, &cx.ancestor(list - 1)?.node)?,
            None => 0,
        };
        let expected = match self.outer(cx, function) {
            // A method of an object literal fills in a member of what is expected: `{ next(value) { … } }`.
            K::Method if self.outer(cx, function + 1) == K::Object => {
                let name = self.child(&cx.ancestor(function)?.node, self.f.name)?;
                let name = (self.kind(&name) != K::ComputedName).then(|| cx.slice(self.property_name(&name)))?;
                let whole = self.expected(cx, function + 1, 0)?;
                let name = cx.name(name);
                cx.expr(Expr::Member(whole, name))
            }
            K::Method => return None,
            _ => self.expected(cx, function, 0)?,
        };
        Some(cx.expr(Expr::Argument(expected, at)))
    }

    /// The properties of the component whose attribute is at the current node.
    pub(super) fn expected_props(&self, cx: &mut Cx) -> Option<ExprId> {
        let element = cx.ancestor(2)?.node;
        let name = self.child(&element, self.f.name)?;
        let text = cx.text_of(&name);
        if !text.starts_with(char::is_uppercase) {
            let plain = self.kind(&name) == K::Identifier;
            let elements = plain.then(|| self.intrinsic_elements(cx))?;
            let tag = cx.name_of(&name);
            return Some(cx.expr(Expr::Member(elements, tag)));
        }
        let component = self.expr(cx, &name, 0);
        Some(cx.expr(Expr::Argument(component, 0)))
    }

    /// The interface whose members are the elements of the platform, by their tags.
    pub(super) fn intrinsic_elements(&self, cx: &mut Cx) -> ExprId {
        let path = ["JSX", "IntrinsicElements"].map(|name| cx.owned_name(name.to_owned()));
        let ty = cx.ty(path.to_vec(), Vec::new());
        cx.expr(Expr::Typed(ty))
    }

    pub(super) fn position(&self, list: &Node, part: &Node) -> Option<u32> {
        let mut cursor = list.walk();
        let mut parts = list.named_children(&mut cursor).filter(|child| self.kind(child) != K::Comment);
        parts.position(|child| child.id() == part.id()).map(|at| at as u32)
    }

    /// The value of a variable, where it says something about its type; an object literal is its own type.
    pub(super) fn value_expr(&self, cx: &mut Cx, value: &Node) -> Option<ExprId> {
        if self.kind(&self.peel(*value)) == K::Object {
            return None;
        }
        let value = self.expr(cx, value, 0);
        (*cx.expr_at(value) != Expr::Unknown).then_some(value)
    }

    /// What the function around the current node returns first, where its result is not declared. `level` is that of
    /// the node which the search for the function begins at.
    pub(super) fn returned(&self, cx: &mut Cx, value: Option<Node>, level: usize) {
        let (Some(value), Some(symbol)) = (value, cx.current_symbol()) else { return };
        let known = cx.symbol_at(symbol);
        let gives = known.kind.is_callable() || known.kind == SymbolKind::Property;
        // What a comment says of a function may be nothing that is known.
        if known.ty.is_some() && !self.untyped || known.value.is_some() || !gives {
            return;
        }
        let start = known.span.start;
        // The function must be the outermost one inside the symbol: what a callback returns is not its result.
        let functions = [K::Arrow, K::Function, K::FunctionExpr, K::Method];
        let around = (level..).map_while(|level| cx.ancestor(level));
        let inside = around.take_while(|frame| frame.node.start_byte() as u32 >= start);
        if inside.filter(|frame| functions.contains(&self.kinds.get(frame.kind))).count() != 1 {
            return;
        }
        let object = self.peel(value);
        let spread = |object: &Node| {
            let mut cursor = object.walk();
            object.named_children(&mut cursor).any(|member| member.kind() == "spread_element")
        };
        // An object that is made here has the members that are written here.
        let value = match self.kind(&object) == K::Object && !spread(&object) {
            true => Some(self.literal(cx, "dict")),
            false => self.value_expr(cx, &value),
        };
        if let Some(value) = value {
            cx.amend(symbol, |symbol| symbol.value = Some(value));
        }
    }
}
