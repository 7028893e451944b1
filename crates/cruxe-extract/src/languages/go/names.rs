//! What a Go identifier is used for, decided at the identifier from what is around it.

use cruxe_model::facts::{Expr, ExprId, Role};
use tree_sitter::Node;

use super::{Go, K, defines};
use crate::walk::Cx;

/// Literals nested deeper than this are not followed to their type.
const MAX_LEVELS: usize = 12;

impl Go {
    pub(super) fn identifier(&self, cx: &mut Cx) {
        let node = cx.node();
        let (Some(parent), field) = (cx.parent(), cx.field()) else { return };
        let (role, receiver) = match self.kinds.get(parent.kind_id()) {
            K::Function
            | K::Method
            | K::MethodElem
            | K::TypeSpec
            | K::TypeAlias
            | K::ConstSpec
            | K::VarSpec
            | K::Field
            | K::Param
            | K::TypeParam
                if field == self.name =>
            {
                return;
            }
            K::Package | K::Import => return,
            K::ExpressionList if self.introduces(cx) => return,
            K::Call if field == self.function => (Role::Call, None),
            K::Selector if field == self.field => {
                let operand = parent.child_by_field_id(self.operand).map(|operand| self.expr(cx, &operand, 0));
                (self.role(cx, 1), operand)
            }
            K::QualifiedType if field == self.name => {
                let package = parent.child_by_field_id(self.package).map(|package| cx.text_of(&package));
                let package = package.map(|text| cx.name(text));
                (self.role(cx, 1), package.map(|name| cx.expr(Expr::Name(name))))
            }
            K::LiteralElement if cx.ancestor(1).is_some_and(|frame| frame.field == self.key) => self.key(cx),
            _ => (self.role(cx, 0), None),
        };
        cx.occurrence(&node, role, receiver);
    }

    /// The role of the current identifier, which is the last name of what is `level` levels above.
    fn role(&self, cx: &Cx, level: usize) -> Role {
        let k = |level: usize| cx.ancestor(level).map_or(K::Other, |frame| self.kinds.get(frame.kind));
        let field = cx.ancestor(level).map_or(0, |frame| frame.field);
        match k(level + 1) {
            K::Call if field == self.function => return Role::Call,
            // The grammar cannot tell `convert[T](x)` from a conversion; nearly always it is a call.
            K::GenericType if k(level + 2) == K::Conversion => return Role::Call,
            K::ExpressionList if self.assigned(cx, level + 1) => return Role::Write,
            K::IncDec => return Role::Write,
            K::Index if self.is_set_inside(cx, level) => return Role::Write,
            _ if self.is_made(cx, level) => return Role::Make,
            _ => {}
        }
        let type_name = self.kinds.get(cx.kind()) == K::TypeIdentifier;
        if type_name { Role::Type } else { Role::Value }
    }

    /// Whether an element of what is `level` levels above is assigned to: `x[0] = 1`.
    fn is_set_inside(&self, cx: &Cx, level: usize) -> bool {
        let holds = |level: &usize| {
            let (Some(inner), Some(outer)) = (cx.ancestor(*level), cx.ancestor(level + 1)) else { return false };
            self.kinds.get(outer.kind) == K::Index && inner.field == self.operand
        };
        let top = (level..level + MAX_LEVELS).find(|level| !holds(level)).unwrap_or(level);
        match cx.ancestor(top + 1).map(|frame| self.kinds.get(frame.kind)) {
            Some(K::IncDec) => true,
            Some(K::ExpressionList) => self.assigned(cx, top + 1),
            _ => false,
        }
    }

    /// Whether the type `level` levels above is that of a literal, or of the elements of one whose types are left out:
    /// `T{}`, `new(T)`, `[]T{{}}`, `map[string]*T{"a": {}}`.
    fn is_made(&self, cx: &Cx, level: usize) -> bool {
        let mut elements = false;
        for level in level..level + MAX_LEVELS {
            let (Some(inner), Some(outer)) = (cx.ancestor(level), cx.ancestor(level + 1)) else { return false };
            match outer.node.kind() {
                "composite_literal" if inner.field == self.ty => return !elements || self.elides(&outer.node),
                "slice_type" | "array_type" | "implicit_length_array_type" if inner.field == self.element => {
                    elements = true;
                }
                "map_type" if inner.field == self.value => elements = true,
                "argument_list" => return self.is_built_in(cx, level + 2),
                "pointer_type" | "generic_type" => {}
                _ => return false,
            }
        }
        false
    }

    /// Whether a call is `new(…)` or `make(…)`.
    fn is_built_in(&self, cx: &Cx, level: usize) -> bool {
        let function = cx.ancestor(level).and_then(|call| call.node.child_by_field_id(self.function));
        function.is_some_and(|function| matches!(cx.text_of(&function), "new" | "make"))
    }

    /// Whether the elements of a literal are literals without a type.
    fn elides(&self, literal: &Node) -> bool {
        let first = literal.child_by_field_id(self.body).and_then(|body| body.named_child(0));
        let value = match first {
            Some(pair) if pair.kind() == "keyed_element" => pair.named_child(1),
            first => first,
        };
        value.and_then(|value| value.named_child(0)).is_some_and(|inner| inner.kind() == "literal_value")
    }

    /// `Name` of `T{Name: x}` is a field of `T`; the keys of maps and arrays are values.
    fn key(&self, cx: &mut Cx) -> (Role, Option<ExprId>) {
        // The element types of `[]T{{Name: x}}` are left out inside, once per level.
        let mut elided = 0;
        let mut level = 3;
        let composite = loop {
            let Some(frame) = cx.ancestor(level).filter(|_| level < MAX_LEVELS) else { return (Role::Key, None) };
            match self.kinds.get(frame.kind) {
                K::CompositeLiteral => break frame.node,
                K::LiteralValue if level > 3 => elided += 1,
                K::LiteralValue | K::LiteralElement | K::KeyedElement => {}
                _ => return (Role::Key, None),
            }
            level += 1;
        };
        let mut ty = composite.child_by_field_id(self.ty);
        for _ in 0..elided {
            ty = ty.and_then(|ty| self.element_type(&ty));
        }
        match ty.map(|ty| (ty.kind(), ty)) {
            Some(("map_type" | "slice_type" | "array_type" | "implicit_length_array_type", _)) => (Role::Value, None),
            Some((_, ty)) => {
                let ty = self.type_ref(cx, &ty);
                (Role::Key, ty.map(|ty| cx.expr(Expr::Typed(ty))))
            }
            None => (Role::Key, None),
        }
    }

    /// Whether the expression list around the current node is the left side of a declaration.
    fn introduces(&self, cx: &Cx) -> bool {
        let (Some(list), Some(outer)) = (cx.ancestor(1), cx.ancestor(2)) else { return false };
        match self.kinds.get(outer.kind) {
            K::ShortVar => list.field == self.left,
            K::Range | K::Receive => list.field == self.left && defines(&outer.node),
            K::TypeSwitch => list.field == self.alias,
            _ => false,
        }
    }

    /// Whether the expression list `level` levels above is assigned to.
    fn assigned(&self, cx: &Cx, level: usize) -> bool {
        let (Some(list), Some(outer)) = (cx.ancestor(level), cx.ancestor(level + 1)) else { return false };
        matches!(self.kinds.get(outer.kind), K::Assignment | K::Range | K::Receive) && list.field == self.left
    }

    /// The type of the elements of a slice, array or map, pointers removed.
    fn element_type<'t>(&self, ty: &Node<'t>) -> Option<Node<'t>> {
        let element = ty.child_by_field_id(self.element).or_else(|| ty.child_by_field_id(self.value))?;
        if element.kind() == "pointer_type" { element.named_child(0) } else { Some(element) }
    }
}
