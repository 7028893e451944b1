//! What tests say about names: `x` is a `Foo` inside `if isinstance(x, Foo):` and behind `assert isinstance(x, Foo)`.
//!
//! Only names that the function introduced before are told more about; what is assigned inside is seen from there on. Of an
//! attribute (`isinstance(self.x, Foo)`) the whole path is the name of a binding.

use cruxe_model::facts::{Binding, BindingKind, Expr, ScopeId, ScopeKind, TESTED};
use tree_sitter::Node;

use super::quoted::is_name;
use super::{K, MAX_STEPS, Python};
use crate::walk::{Cx, span};

/// `isinstance(name, ty)`, `is_what(name)`.
struct Test<'t> {
    name: Node<'t>,
    says: Says<'t>,
}

/// Who says what a name is that was tested.
enum Says<'t> {
    /// The type that the test names.
    Type(Node<'t>),
    /// A function, by what it is declared to give: `TypeGuard[Foo]`.
    Function(Node<'t>),
}

impl Python {
    /// The block behind a condition: the current node.
    pub(super) fn tested_block(&self, cx: &mut Cx) {
        let (node, Some(statement)) = (cx.node(), cx.parent()) else { return };
        if !matches!(self.kind(&statement), K::If | K::Elif | K::While) || !cx.in_function() {
            return;
        }
        let Some(condition) = statement.child_by_field_id(self.condition) else { return };
        if condition.end_byte() > node.start_byte() || Some(node) == statement.child_by_field_id(self.alternative) {
            return;
        }
        let tests = self.tests(cx, &condition);
        if !tests.is_empty() {
            cx.open_scope(ScopeKind::Block);
            return self.narrow(cx, &tests, cx.current_scope());
        }
        // `if not isinstance(x, Foo): return`: inside it is what it was, behind it is a `Foo`.
        let negated = Some(condition).filter(|condition| self.kind(condition) == K::Not);
        let test = negated.and_then(|not| self.test(cx, &self.first(&not)?));
        let Some(test) = test.filter(|test| matches!(test.says, Says::Type(_))) else { return };
        let Some(old) = self.known_before(cx, &test).filter(|_| self.leaves(&node)) else { return };
        self.narrow(cx, &[test], cx.function_scope());
        cx.open_scope(ScopeKind::Block);
        let scope = cx.current_scope();
        cx.rebind(Binding { scope, ..old });
    }

    /// `isinstance(x, Foo) and x.bar()`: the current node.
    pub(super) fn tested_operand(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(left) = node.child_by_field_id(self.left).filter(|_| self.is_and(cx, &node)) else { return };
        let mut tests = self.tests(cx, &left);
        tests.retain(|test| matches!(test.says, Says::Type(_)));
        if !tests.is_empty() {
            cx.open_scope(ScopeKind::Block);
            self.narrow(cx, &tests, cx.current_scope());
        }
    }

    /// `x.bar() if isinstance(x, Foo) else x`: the current node.
    pub(super) fn tested_value(&self, cx: &mut Cx) {
        let node = cx.node();
        let parts: Vec<_> = self.parts(&node, &mut node.walk()).take(3).collect();
        let [value, condition, _] = parts[..] else { return };
        let tests = self.tests(cx, &condition);
        if !tests.is_empty() {
            cx.open_scope_at(ScopeKind::Block, span(&value));
            self.narrow(cx, &tests, cx.current_scope());
        }
    }

    /// `assert isinstance(x, Foo)`: the current node.
    pub(super) fn asserted(&self, cx: &mut Cx) {
        let Some(condition) = self.first(&cx.node()).filter(|_| cx.in_function()) else { return };
        let mut tests = self.tests(cx, &condition);
        tests.retain(|test| matches!(test.says, Says::Type(_)));
        self.narrow(cx, &tests, cx.current_scope());
    }

    fn narrow(&self, cx: &mut Cx, tests: &[Test], scope: ScopeId) {
        for test in tests {
            let Some(old) = self.known_before(cx, test) else { continue };
            let start = test.name.start_byte() as u32;
            match &test.says {
                Says::Type(ty) => {
                    let Some(ty) = self.exception_type(cx, ty) else { continue };
                    cx.rebind(Binding { scope, start, ty: Some(ty), ..old });
                }
                Says::Function(function) => {
                    let function = self.expr(cx, function, 0);
                    let call = cx.expr(Expr::Call(function));
                    let value = Some(cx.expr(Expr::Part(call, TESTED)));
                    cx.rebind(Binding { scope, start, kind: BindingKind::Local, ty: None, value, ..old });
                }
            }
        }
    }

    /// How a name was introduced that is not `self`; of an attribute nothing is known before.
    fn known_before(&self, cx: &mut Cx, test: &Test) -> Option<Binding> {
        let text = cx.text_of(&test.name);
        if self.kind(&test.name) != K::Attribute {
            return cx.bound(text).filter(|_| !self.is_self(cx, text));
        }
        let (name, scope, start) = (cx.name(text), cx.function_scope(), test.name.start_byte() as u32);
        Some(Binding { name, start, scope, kind: BindingKind::Local, ty: None, value: None })
    }

    /// Nothing is known any more of an attribute that is assigned to.
    pub(super) fn forget(&self, cx: &mut Cx, attribute: &Node) {
        if let Some(old) = cx.bound(cx.text_of(attribute)) {
            cx.rebind(Binding { start: attribute.start_byte() as u32, ty: None, value: None, ..old });
        }
    }

    /// The tests that all hold where a condition does.
    fn tests<'t>(&self, cx: &Cx<'_, '_, 't>, condition: &Node<'t>) -> Vec<Test<'t>> {
        let (mut found, mut open) = (Vec::new(), vec![*condition]);
        for _ in 0..MAX_STEPS {
            let Some(node) = open.pop() else { break };
            match self.kind(&node) {
                K::Parenthesized => open.extend(self.first(&node)),
                K::Boolean if self.is_and(cx, &node) => {
                    open.extend(node.child_by_field_id(self.right));
                    open.extend(node.child_by_field_id(self.left));
                }
                _ => found.extend(self.test(cx, &node)),
            }
        }
        found
    }

    fn test<'t>(&self, cx: &Cx<'_, '_, 't>, node: &Node<'t>) -> Option<Test<'t>> {
        let function = node.child_by_field_id(self.function).filter(|_| self.kind(node) == K::Call)?;
        match self.positional(node)[..] {
            [name, ty] if cx.text_of(&function) == "isinstance" && self.is_path(cx, &name) => {
                Some(Test { name, says: Says::Type(ty) })
            }
            [name] if self.is_path(cx, &function) && asks(cx.text_of(&function)) && self.is_path(cx, &name) => {
                Some(Test { name, says: Says::Function(function) })
            }
            _ => None,
        }
    }

    /// Whether an expression is a name, or names with dots between them.
    fn is_path(&self, cx: &Cx, node: &Node) -> bool {
        match self.kind(node) {
            K::Identifier => true,
            K::Attribute => cx.text_of(node).split('.').all(is_name),
            _ => false,
        }
    }

    pub(super) fn is_and(&self, cx: &Cx, node: &Node) -> bool {
        let operator = node.child_by_field_name("operator");
        self.kind(node) == K::Boolean && operator.is_some_and(|operator| cx.text_of(&operator) == "and")
    }

    /// Whether code behind a block is not reached from it.
    fn leaves(&self, block: &Node) -> bool {
        let last = self.parts(block, &mut block.walk()).last();
        last.is_some_and(|last| matches!(self.kind(&last), K::Return | K::Raise | K::Continue | K::Break))
    }
}

/// Whether a function is called like one that says what something is: `is_column`, `_is_mapped`, `prop_is_relationship`.
fn asks(function: &str) -> bool {
    let name = function.rsplit('.').next().unwrap_or_default();
    name.split('_').any(|word| word == "is") || name.starts_with("is")
}
