//! What each identifier is: a name that is introduced (see `bindings`), or a use and its role.

use cruxe_model::facts::{ExprId, Role};
use tree_sitter::Node;

use super::bindings::Origin;
use super::{Ecma, K, MAX_STEPS};
use crate::walk::Cx;

impl Ecma {
    /// The current node is a name.
    pub(super) fn name(&self, cx: &mut Cx) {
        let (node, field, f) = (cx.node(), cx.field(), &self.f);
        match self.parent(cx) {
            K::Function | K::FunctionSignature | K::FunctionExpr | K::Class | K::ClassExpr | K::Interface
                if field == f.name =>
            {
                return;
            }
            K::TypeAlias | K::Enum | K::Module | K::TypeParam | K::MappedClause | K::IndexSignature
                if field == f.name =>
            {
                return;
            }
            K::Method | K::MethodSignature | K::PropertySignature | K::EnumAssignment if field == f.name => return,
            K::Field if field == f.name || field == f.property => return,
            K::Param if field == f.name => return, // the label of a tuple's element
            K::JsxNamespace | K::Ambient => return,
            K::InferType if self.is_first(cx) => return,
            K::ImportAlias if self.is_first(cx) => return,
            K::JsxOpening | K::JsxClosing if field == f.name && is_intrinsic(cx.text_of(&node)) => {
                let elements = self.intrinsic_elements(cx);
                return cx.occurrence(&node, Role::Key, Some(elements));
            }
            K::JsxAttribute => {
                let props = self.expected_props(cx);
                return cx.occurrence(&node, Role::Key, props);
            }
            K::Pair if field == f.key => {
                let (function, owner) = self.named_pair(cx, 1);
                let expected = self.expected(cx, 2, 0);
                if function.is_none() || owner.is_none() || expected.is_some() {
                    cx.occurrence(&node, Role::Key, expected);
                }
                return;
            }
            K::PairPattern if field == f.key => return, // noted with the name that it leads to
            K::Object if self.in_exports(cx, 1) => {
                self.offer(cx, &node, cx.text_of(&node));
                return cx.occurrence(&node, Role::Import, None);
            }
            _ => {}
        }
        if self.import_type(cx) {
            return;
        }
        match self.origin(cx) {
            Origin::Introduced { level, steps } => self.introduce(cx, level, &steps),
            Origin::Written => cx.occurrence(&node, Role::Write, None),
            Origin::Use => {
                if let Some((role, receiver)) = self.role(cx) {
                    cx.occurrence(&node, role, receiver);
                }
                // `{ depth }` reads a variable and fills in a member of what is expected.
                if self.kinds.get(cx.kind()) == K::Shorthand
                    && let Some(expected) = self.expected(cx, 1, 0)
                {
                    cx.occurrence(&node, Role::Key, Some(expected));
                }
            }
        }
    }

    fn is_first(&self, cx: &Cx) -> bool {
        cx.parent().and_then(|parent| self.first(&parent)).is_some_and(|first| first.id() == cx.node().id())
    }

    /// The role of the current node, and what stands before its dot; `None` for a name that an assignment defines.
    fn role(&self, cx: &mut Cx) -> Option<(Role, Option<ExprId>)> {
        let f = &self.f;
        let mut level = 0;
        let mut receiver = None;
        if self.kinds.get(cx.kind()) == K::TypeIdentifier {
            if self.parent(cx) == K::NestedType {
                let module = cx.parent().and_then(|parent| self.child(&parent, f.module));
                receiver = module.map(|module| self.expr(cx, &module, 0));
                level = 1;
            }
            if self.outer(cx, level + 1) == K::GenericType {
                level += 1;
            }
            let role = match self.outer(cx, level + 1) {
                K::ImplementsClause => Role::Implements,
                K::InterfaceExtends => Role::Extends,
                _ => Role::Type,
            };
            return Some((role, receiver));
        }
        if matches!(self.parent(cx), K::Member | K::NestedIdentifier) && cx.field() == f.property {
            let object = cx.parent().and_then(|parent| self.child(&parent, f.object));
            receiver = object.map(|object| self.expr(cx, &object, 0));
            level = 1;
        }
        let plain = level == 0;
        for _ in 0..MAX_STEPS {
            let (Some(frame), Some(outer)) = (cx.ancestor(level), cx.ancestor(level + 1)) else { break };
            let field = frame.field;
            let role = match self.kinds.get(outer.kind) {
                K::Paren | K::NonNull | K::Cast | K::TypeAssertion | K::Instantiation => {
                    level += 1;
                    continue;
                }
                // The TypeScript grammars bind `await f<T>()` as `(await f)<T>()`, and `!f<T>()` likewise.
                K::Await | K::Unary if outer.field == f.function && self.outer(cx, level + 2) == K::Call => {
                    level += 1;
                    continue;
                }
                K::Call if field == f.function && self.outer(cx, level + 2) == K::Decorator => Role::Decorator,
                K::Call if field == f.function => Role::Call,
                K::New if field == f.constructor => Role::Call,
                K::Decorator => Role::Decorator,
                K::ExtendsClause if field == f.value => Role::Extends,
                K::ClassHeritage => Role::Extends,
                K::Assign if field == f.left && self.assigned(cx, &outer.node).is_some() => return None,
                K::Assign if field == f.left && self.offers(cx, &outer.node) => return None,
                K::Assign | K::Augmented | K::ForIn if field == f.left => Role::Write,
                K::Update | K::ArrayPattern | K::RestPattern => Role::Write,
                K::Subscript if field == f.object && self.is_set_inside(cx, level) => Role::Write,
                K::Unary if outer.node.child(0).is_some_and(|word| word.kind() == "delete") => Role::Write,
                K::PairPattern if field == f.value => Role::Write,
                K::AssignPattern if field == f.left => Role::Write,
                K::JsxOpening if field == f.name => Role::Call,
                K::Export | K::ImportAlias if plain || frame.kind != cx.kind() => Role::Import,
                K::Assign if plain && self.offers(cx, &outer.node) => Role::Import,
                K::Pair if plain && field == f.value && self.in_exports(cx, level + 2) => Role::Import,
                _ => Role::Value,
            };
            return Some((role, receiver));
        }
        Some((Role::Value, receiver))
    }

    /// Whether an element of what is `level` levels above is assigned to: `x[0] = 1`, `x[0]++`, `delete x[0]`.
    fn is_set_inside(&self, cx: &Cx, level: usize) -> bool {
        let holds = |level: &usize| {
            let (Some(inner), Some(outer)) = (cx.ancestor(*level), cx.ancestor(level + 1)) else { return false };
            self.kinds.get(outer.kind) == K::Subscript && inner.field == self.f.object
        };
        let top = (level..level + MAX_STEPS).find(|level| !holds(level)).unwrap_or(level);
        let left = cx.ancestor(top).is_some_and(|frame| frame.field == self.f.left);
        match cx.ancestor(top + 1).map(|frame| (self.kinds.get(frame.kind), frame.node)) {
            Some((K::Assign | K::Augmented, _)) => left,
            Some((K::Update, _)) => true,
            Some((K::Unary, node)) => node.child(0).is_some_and(|word| word.kind() == "delete"),
            _ => false,
        }
    }

    /// Whether an assignment only hands on a name: `exports.a = b`.
    fn offers<'t>(&self, cx: &Cx<'_, '_, 't>, assign: &Node<'t>) -> bool {
        let value = self.child(assign, self.f.right).map(|right| self.peel(right));
        value.is_some_and(|value| self.kind(&value) == K::Identifier || self.required_value(cx, &value).is_some())
            && matches!(self.target(cx, assign), Some(super::object::Target::Module | super::object::Target::Export(_)))
    }
}

/// Whether a JSX element is one of the platform's (`div`, `my-element`), not a component.
fn is_intrinsic(name: &str) -> bool {
    name.contains('-') || name.chars().next().is_some_and(|letter| letter.is_lowercase())
}
