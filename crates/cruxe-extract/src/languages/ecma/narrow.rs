//! What a condition says about a variable, or a member of one, where it holds: `if (x instanceof T) { … }`,
//! `x.error instanceof T && …`, `if (isT(x)) { … }`, `if (typeof x === 'string') { … }`.

use cruxe_model::facts::{Binding, BindingKind, Expr, ScopeKind, TESTED};
use tree_sitter::Node;

use super::object::is_dotted_name;
use super::{Ecma, K, MAX_STEPS};
use crate::walk::Cx;

/// What a variable is compared with.
#[derive(Clone, Copy)]
enum Test<'t> {
    /// `x instanceof T`
    Class(Node<'t>),
    /// `isT(x)`: the function may say what it is a test for.
    Function(Node<'t>),
    /// `typeof x === 'string'`
    Primitive(&'static str),
}

impl Ecma {
    /// Whether the current node is code that may run under a condition and opens no scope of its own.
    pub(super) fn may_be_narrowed(&self, cx: &Cx) -> bool {
        (cx.field() == self.f.consequence || cx.field() == self.f.right)
            && matches!(
                self.kinds.get(cx.kind()),
                K::Await
                    | K::Binary
                    | K::Call
                    | K::Cast
                    | K::Member
                    | K::NonNull
                    | K::Paren
                    | K::Return
                    | K::Statement
                    | K::Subscript
                    | K::Template
                    | K::Ternary
                    | K::Unary
            )
    }

    /// Opens a scope in which more is known of variables, where a condition before the current node says so.
    pub(super) fn narrow(&self, cx: &mut Cx) -> bool {
        let Some(outer) = cx.parent() else { return false };
        let condition = match self.kind(&outer) {
            K::Binary if cx.field() == self.f.right && self.is_and(&outer) => self.child(&outer, self.f.left),
            K::Ternary | K::If if cx.field() == self.f.consequence => outer.child_by_field_name("condition"),
            _ => None,
        };
        let Some(condition) = condition else { return false };
        let mut tests = Vec::new();
        self.tests(cx, condition, &mut tests);
        tests.retain(|(name, test)| match (self.kind(name), test) {
            (K::Identifier, Test::Class(_) | Test::Primitive(_)) => cx.is_bound(cx.text_of(name)),
            (K::Identifier, Test::Function(callee)) => cx.is_bound(cx.text_of(name)) && is_test(cx.text_of(callee)),
            (_, Test::Class(_)) => self.tested_path(cx, name).is_some(),
            (_, Test::Function(_) | Test::Primitive(_)) => false,
        });
        if tests.is_empty() {
            return false;
        }
        cx.open_scope(ScopeKind::Block);
        let scope = cx.current_scope();
        for (name, test) in tests {
            let class = match test {
                Test::Class(class) => class,
                Test::Primitive(word) => {
                    let ty = self.word(cx, word, Vec::new());
                    cx.bind(&name, scope, BindingKind::Local, ty, None);
                    continue;
                }
                Test::Function(callee) => {
                    let callee = self.expr(cx, &callee, 0);
                    let call = cx.expr(Expr::Call(callee));
                    let said = cx.expr(Expr::Part(call, TESTED));
                    cx.bind(&name, scope, BindingKind::Local, None, Some(said));
                    continue;
                }
            };
            let Some(ty) = self.class_type(cx, &class, None) else { continue };
            match self.tested_path(cx, &name) {
                Some(path) => {
                    let (name, start) = (cx.owned_name(path), name.start_byte() as u32);
                    let kind = BindingKind::Local;
                    cx.rebind(Binding { name, start, scope, kind, ty: Some(ty), value: None });
                }
                None => cx.bind(&name, scope, BindingKind::Local, Some(ty), None),
            }
        }
        true
    }

    /// The path of a member that a test is about, as the name of a binding: `c.error`, `self.error` for `this.error`.
    fn tested_path(&self, cx: &Cx, node: &Node) -> Option<String> {
        if self.kind(node) != K::Member {
            return None;
        }
        let text = cx.text_of(node);
        let path = text.strip_prefix("this.").map_or_else(|| text.to_owned(), |rest| format!("self.{rest}"));
        is_dotted_name(&path).then_some(path)
    }

    /// Nothing that a test said of a member holds any more where it is assigned to.
    pub(super) fn forget(&self, cx: &mut Cx, assign: &Node) {
        let left = self.child(assign, self.f.left);
        let Some((left, path)) = left.and_then(|left| Some((left, self.tested_path(cx, &left)?))) else { return };
        if let Some(old) = cx.bound(&path) {
            cx.rebind(Binding { start: left.start_byte() as u32, ty: None, value: None, ..old });
        }
    }

    /// The variables of all tests that must hold for a condition to hold, and what they are compared with.
    fn tests<'t>(&self, cx: &Cx, condition: Node<'t>, found: &mut Vec<(Node<'t>, Test<'t>)>) {
        let mut open = vec![condition];
        for _ in 0..MAX_STEPS * 4 {
            let Some(node) = open.pop() else { return };
            match self.kind(&node) {
                K::Paren => open.extend(self.first(&node)),
                K::Binary => {
                    let (Some(left), Some(right)) = (self.child(&node, self.f.left), self.child(&node, self.f.right))
                    else {
                        continue;
                    };
                    let operator = self.child(&node, self.f.operator).map_or("", |operator| operator.kind());
                    match operator {
                        "&&" => open.extend([left, right]),
                        "instanceof" => found.push((left, Test::Class(right))),
                        "===" | "==" => found.extend(self.primitive(cx, &node)),
                        // `typeof x === 'string' || typeof x === 'number'`: what has no members of ours either way.
                        "||" => {
                            let sides = (self.primitive(cx, &left), self.primitive(cx, &right));
                            if let (Some(one), Some((other, _))) = sides
                                && cx.text_of(&one.0) == cx.text_of(&other)
                            {
                                found.push(one);
                            }
                        }
                        _ => {}
                    }
                }
                K::Call => {
                    let argument = self.child(&node, self.f.arguments).and_then(|list| self.first(&list));
                    if let (Some(callee), Some(argument)) = (self.child(&node, self.f.function), argument) {
                        found.push((argument, Test::Function(callee)));
                    }
                }
                _ => {}
            }
        }
    }

    /// The variable of `typeof x === 'string'`, and what it is then.
    fn primitive<'t>(&self, cx: &Cx, test: &Node<'t>) -> Option<(Node<'t>, Test<'t>)> {
        let (left, right) = (self.child(test, self.f.left)?, self.child(test, self.f.right)?);
        let equal = self.child(test, self.f.operator).is_some_and(|operator| matches!(operator.kind(), "===" | "=="));
        let kind_of = equal && self.kind(&left) == K::Unary && left.child(0)?.kind() == "typeof";
        let name = left.named_child(0).filter(|_| kind_of && self.kind(&right) == K::Str)?;
        let words = ["string", "number", "boolean", "bigint", "symbol"];
        let word = words.into_iter().find(|word| cx.slice(self.property_name(&right)) == *word)?;
        Some((name, Test::Primitive(word)))
    }

    fn is_and(&self, binary: &Node) -> bool {
        self.child(binary, self.f.operator).is_some_and(|operator| operator.kind() == "&&")
    }
}

/// Whether a function is called like a test: `isUser`, `types.hasName`.
fn is_test(callee: &str) -> bool {
    let name = callee.rsplit('.').next().unwrap_or_default();
    let rest = name.strip_prefix("is").or_else(|| name.strip_prefix("has"));
    rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_uppercase() || first == '_'))
}
