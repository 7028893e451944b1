//! Expressions, as far as they help to find the type of a receiver.

use cruxe_model::facts::{Expr, ExprId};
use tree_sitter::Node;

use super::{K, MAX_STEPS, Python};
use crate::walk::Cx;

/// Further parameters than these are not asked whether they are called `self`.
const MAX_PARAMETERS: usize = 256;

impl Python {
    pub(super) fn expr(&self, cx: &mut Cx, node: &Node, steps: u32) -> ExprId {
        if steps > MAX_STEPS {
            return cx.expr(Expr::Unknown);
        }
        let inner = |field: u16| node.child_by_field_id(field);
        let expr = match self.kind(node) {
            K::Identifier if self.is_self(cx, cx.text_of(node)) => Expr::SelfValue,
            K::Identifier => Expr::Name(cx.name_of(node)),
            K::Attribute => match (inner(self.object), inner(self.attribute)) {
                (Some(object), Some(name)) => {
                    let base = self.expr(cx, &object, steps + 1);
                    Expr::Member(base, cx.name_of(&name))
                }
                _ => Expr::Unknown,
            },
            K::Call => self.call_expr(cx, node, steps),
            K::Subscript => match inner(self.value) {
                Some(value) => Expr::Index(self.expr(cx, &value, steps + 1)),
                None => Expr::Unknown,
            },
            K::Await => match self.first(node) {
                Some(value) => Expr::Unwrap(self.expr(cx, &value, steps + 1)),
                None => Expr::Unknown,
            },
            // The left operand mostly decides the type of the whole: `path / "x"`, `"%s" % x`, `xs + ys`.
            K::Parenthesized | K::Type | K::ListSplat | K::Binary => match self.first(node) {
                Some(operand) => return self.expr(cx, &operand, steps + 1),
                None => Expr::Unknown,
            },
            K::Boolean => return self.either(cx, inner(self.left), inner(self.right), steps),
            K::Conditional => {
                let parts: Vec<_> = self.parts(node, &mut node.walk()).take(3).collect();
                return self.either(cx, parts.first().copied(), parts.get(2).copied(), steps);
            }
            K::Named => match inner(self.value) {
                Some(value) => return self.expr(cx, &value, steps + 1),
                None => Expr::Unknown,
            },
            kind => match literal_word(kind) {
                Some("str") if is_bytes(cx.text_of(node)) => literal(cx, "bytes"),
                Some(word) => literal(cx, word),
                None => Expr::Unknown,
            },
        };
        cx.expr(expr)
    }

    fn call_expr(&self, cx: &mut Cx, node: &Node, steps: u32) -> Expr {
        let Some(function) = node.child_by_field_id(self.function) else { return Expr::Unknown };
        match cx.text_of(&function) {
            "super" => Expr::Super,
            "cast" | "typing.cast" | "t.cast" => {
                let ty = self.positional(node).first().copied();
                ty.and_then(|ty| self.type_ref(cx, &ty, steps + 1)).map_or(Expr::Unknown, Expr::Typed)
            }
            _ => Expr::Call(self.expr(cx, &function, steps + 1)),
        }
    }

    /// Of `x or Default()` and `a if c else b` the part that says more: not `None`, not a bare name when the other is
    /// a call.
    fn either(&self, cx: &mut Cx, one: Option<Node>, other: Option<Node>, steps: u32) -> ExprId {
        let weight = |node: &Option<Node>| match node.map(|node| self.kind(&node)) {
            None | Some(K::None) => 0,
            Some(K::Call) => 2,
            Some(_) => 1,
        };
        let best = if weight(&other) > weight(&one) { other } else { one };
        match best {
            Some(node) => self.expr(cx, &node, steps + 1),
            None => cx.expr(Expr::Unknown),
        }
    }

    /// Notes at a method what it calls the value that it belongs to: its body asks for that again and again.
    pub(super) fn mark_self(&self, cx: &mut Cx) {
        let list = cx.node().child_by_field_id(self.parameters);
        let first = list.and_then(|list| self.first(&list));
        let word = first.and_then(|first| self_word(self.parameter_name(cx, &first)?));
        if let Some(word) = word.filter(|_| self.is_method(cx, 0)) {
            cx.set_mark(0, word);
        }
    }

    /// Whether a name is the first parameter of the method around the current node.
    pub(super) fn is_self(&self, cx: &Cx, name: &str) -> bool {
        let Some(word) = self_word(name) else { return false };
        for level in 1.. {
            let Some(frame) = cx.ancestor(level) else { return false };
            match self.kinds.get(frame.kind) {
                K::Class => return false,
                K::Function if frame.mark == word => return true,
                K::Function | K::Lambda => {
                    let list = frame.node.child_by_field_id(self.parameters);
                    match list.and_then(|list| self.parameter_at(cx, &list, name)) {
                        Some(0) => return self.is_method(cx, level),
                        Some(_) => return false,
                        None => {}
                    }
                }
                _ => {}
            }
        }
        false
    }

    /// At which place a list of parameters has a name.
    fn parameter_at(&self, cx: &Cx, list: &Node, name: &str) -> Option<usize> {
        let mut cursor = list.walk();
        let mut parameters = self.parts(list, &mut cursor).take(MAX_PARAMETERS);
        parameters.position(|parameter| self.parameter_name(cx, &parameter) == Some(name))
    }

    fn parameter_name<'s>(&self, cx: &Cx<'_, 's, '_>, parameter: &Node) -> Option<&'s str> {
        let name = match self.kind(parameter) {
            K::Identifier => Some(*parameter),
            K::TypedParameter => self.first(parameter),
            _ => parameter.child_by_field_id(self.name),
        };
        name.map(|name| cx.text_of(&name))
    }

    /// Whether the function that is the `level`-th ancestor belongs to a class.
    fn is_method(&self, cx: &Cx, level: usize) -> bool {
        let around = (level + 1..).map_while(|at| cx.ancestor(at)).map(|frame| self.kinds.get(frame.kind));
        let owner = around.into_iter().find(|kind| matches!(kind, K::Class | K::Function | K::Lambda));
        owner == Some(K::Class) && !self.is_static(cx, level)
    }
}

/// The number of a word for the value that a method belongs to.
fn self_word(name: &str) -> Option<u8> {
    let at = ["self", "cls", "mcs", "mcls", "metacls"].iter().position(|word| *word == name)?;
    Some(at as u8 + 1)
}

/// The built-in type of a display or literal.
pub(super) fn literal_word(kind: K) -> Option<&'static str> {
    Some(match kind {
        K::String | K::Concatenated => "str",
        K::Integer => "int",
        K::Float => "float",
        K::True | K::False | K::Comparison | K::Not => "bool",
        K::None => "none",
        K::List | K::ListComprehension => "list",
        K::Dict | K::DictComprehension => "dict",
        K::Set | K::SetComprehension => "set",
        K::Tuple | K::ExpressionList => "tuple",
        K::Generator => "generator",
        K::Lambda => "fn",
        _ => return None,
    })
}

pub(super) fn is_bytes(text: &str) -> bool {
    text.split(['"', '\'']).next().is_some_and(|prefix| prefix.contains(['b', 'B']))
}

fn literal(cx: &mut Cx, word: &'static str) -> Expr {
    Expr::Literal(cx.name(word))
}
