//! Expressions, as far as they help to find the type of a receiver.

use cruxe_model::facts::{Expr, ExprId};
use tree_sitter::Node;

use super::{K, MAX_STEPS, Python};
use crate::walk::Cx;

/// Further parameters than these are not asked whether they are called `self`.
const MAX_PARAMETERS: usize = 256;
/// Of a value that may be one of more than these nothing more is noted.
const MAX_LISTED: usize = 6;

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
            K::Boolean => {
                let (one, other) = (inner(self.left), inner(self.right));
                // What stands before `and` is mostly a test of what stands behind it.
                return match self.is_and(cx, node) {
                    true => self.better(cx, other, one, steps),
                    false => self.either(cx, one, other, steps),
                };
            }
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
            // `type(x)` is the class of `x`; with more arguments it makes one.
            "type" if self.positional(node).len() == 1 => match self.positional(node).first() {
                Some(of) => {
                    let of = self.expr(cx, of, steps + 1);
                    Expr::Member(of, cx.name("__class__"))
                }
                None => Expr::Unknown,
            },
            "cast" | "typing.cast" | "t.cast" => {
                let ty = self.positional(node).first().copied();
                ty.and_then(|ty| self.type_ref(cx, &ty, steps + 1)).map_or(Expr::Unknown, Expr::Typed)
            }
            _ => Expr::Call(self.expr(cx, &function, steps + 1)),
        }
    }

    /// `x or Default()`, `a if c else b`: one of both, where both may be objects; a literal is mostly no more than what is
    /// there when nothing else is.
    fn either(&self, cx: &mut Cx, one: Option<Node>, other: Option<Node>, steps: u32) -> ExprId {
        let open = |node: &Node| literal_word(self.kind(node)).is_none();
        match (one, other) {
            (Some(one), Some(other)) if open(&one) && open(&other) => {
                let (one, other) = (self.expr(cx, &one, steps + 1), self.expr(cx, &other, steps + 1));
                one_of(cx, one, other)
            }
            _ => self.better(cx, one, other, steps),
        }
    }

    /// The values of a display, where all of them may be objects: what `for x in (a, b)` goes through.
    pub(super) fn listed(&self, cx: &mut Cx, display: &Node) -> Option<ExprId> {
        if !matches!(self.kind(display), K::Tuple | K::List | K::Set | K::ExpressionList) {
            return None;
        }
        let parts: Vec<_> = self.parts(display, &mut display.walk()).take(MAX_LISTED + 1).collect();
        let open = |part: &Node| literal_word(self.kind(part)).is_none() && self.kind(part) != K::ListSplat;
        if parts.len() > MAX_LISTED || !parts.iter().all(open) {
            return None;
        }
        let values: Vec<_> = parts.iter().map(|part| self.expr(cx, part, 0)).collect();
        if values.iter().any(|value| *cx.expr_at(*value) == Expr::Unknown) {
            return None;
        }
        values.into_iter().reduce(|all, value| one_of(cx, all, value))
    }

    /// The part that says more: not `None`, not a bare name when the other is a call.
    fn better(&self, cx: &mut Cx, one: Option<Node>, other: Option<Node>, steps: u32) -> ExprId {
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

/// One of two values, as far as they are different and known. More than a few say too little.
pub(super) fn one_of(cx: &mut Cx, one: ExprId, other: ExprId) -> ExprId {
    let (mut alternatives, mut open) = (0, vec![one]);
    while let Some(at) = open.pop() {
        match *cx.expr_at(at) {
            _ if at == other => return one,
            Expr::Either(left, right) => open.extend([left, right]),
            Expr::Unknown if at == one => return other,
            _ => alternatives += 1,
        }
    }
    match cx.expr_at(other) {
        Expr::Unknown => one,
        _ if alternatives >= MAX_LISTED => one,
        _ => cx.expr(Expr::Either(one, other)),
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
