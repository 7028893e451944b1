//! Interfaces, aliases, enumerations and namespaces: what TypeScript adds.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, BindingKind, Expr, Relation, ScopeKind};

use super::declare::{Modifiers, is_ambient_file, short_end};
use super::{Ecma, K, MAX_STEPS};
use crate::walk::{Cx, span};

impl Ecma {
    pub(super) fn property_signature(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = self.child(&node, self.f.name) else { return };
        if !self.belongs_to_named_type(cx) {
            return;
        }
        let place = self.place(cx, 0);
        let at = self.property_name(&name);
        let modifiers = self.modifiers(cx, &node);
        let mut decl = self.member_decl(cx, SymbolKind::Field, cx.slice(at), at, &place, &modifiers);
        decl.signature_end = Some(node.end_byte() as u32);
        decl.ty = self.declared_type(cx, &node);
        let symbol = cx.declare(decl);
        cx.open_symbol(symbol);
    }

    /// Whether the current member is one of an interface or type alias. Members of unnamed types (of a parameter, a
    /// variable) have no name to be found by.
    pub(super) fn belongs_to_named_type(&self, cx: &Cx) -> bool {
        for level in 1..MAX_STEPS * 4 {
            match self.outer(cx, level) {
                K::Interface | K::TypeAlias => return true,
                K::ObjectType
                | K::PropertySignature
                | K::InnerType
                | K::ArrayType
                | K::UnionType
                | K::IntersectionType
                | K::GenericType
                | K::TypeArguments
                | K::ConditionalType
                | K::TupleType => {}
                K::Field => return true,
                _ => return false,
            }
        }
        false
    }

    pub(super) fn interface(&self, cx: &mut Cx) {
        let node = cx.node();
        if let Some(name) = self.child(&node, self.f.name) {
            let place = self.place(cx, 0);
            let mut decl = self.decl(cx, SymbolKind::Interface, cx.text_of(&name), span(&name), &place);
            decl.signature_end = Some(self.head_end(&node));
            let symbol = cx.declare(decl);
            self.bind_local(cx, &name, None);
            let mut cursor = node.walk();
            for clause in node.named_children(&mut cursor).filter(|child| self.kind(child) == K::InterfaceExtends) {
                self.super_types(cx, &clause, symbol, Relation::Extends);
            }
            cx.open_symbol(symbol);
        }
        cx.open_scope(ScopeKind::Type);
    }

    pub(super) fn type_alias(&self, cx: &mut Cx) {
        let node = cx.node();
        if let (Some(name), Some(value)) = (self.child(&node, self.f.name), self.child(&node, self.f.value)) {
            let place = self.place(cx, 0);
            let mut decl = self.decl(cx, SymbolKind::Type, cx.text_of(&name), span(&name), &place);
            let body = (self.kind(&value) == K::ObjectType).then_some(value);
            decl.signature_end = Some(short_end(&node, body.as_ref()));
            decl.ty = self.type_ref(cx, &value, 0);
            let symbol = cx.declare(decl);
            self.bind_local(cx, &name, None);
            cx.open_symbol(symbol);
        }
        cx.open_scope(ScopeKind::Type);
    }

    pub(super) fn enumeration(&self, cx: &mut Cx) {
        let node = cx.node();
        if let Some(name) = self.child(&node, self.f.name) {
            let place = self.place(cx, 0);
            let mut decl = self.decl(cx, SymbolKind::Enum, cx.text_of(&name), span(&name), &place);
            decl.signature_end = Some(self.head_end(&node));
            decl.flags.declaration = place.ambient;
            let symbol = cx.declare(decl);
            self.bind_local(cx, &name, None);
            cx.open_symbol(symbol);
        }
        cx.open_scope(ScopeKind::Type);
    }

    /// The current node is a case of an enumeration: `A = 1`, or `A` alone.
    pub(super) fn variant(&self, cx: &mut Cx) {
        let node = cx.node();
        let name = self.child(&node, self.f.name).unwrap_or(node);
        let place = self.place(cx, 0);
        let at = self.property_name(&name);
        let mut decl = self.member_decl(cx, SymbolKind::Variant, cx.slice(at), at, &place, &Modifiers::default());
        decl.signature_end = Some(node.end_byte() as u32);
        cx.declare(decl);
    }

    /// `namespace A.B { … }`, `declare module 'x' { … }`.
    pub(super) fn module(&self, cx: &mut Cx) {
        let node = cx.node();
        if let Some(name) = self.child(&node, self.f.name) {
            // As an expression statement the parser hides a namespace below one more node.
            let level = usize::from(self.parent(cx) == K::Statement);
            let place = self.place(cx, level);
            let at = self.property_name(&name);
            let mut decl = self.decl(cx, SymbolKind::Module, cx.slice(at), at, &place);
            decl.signature_end = Some(self.head_end(&node));
            decl.flags.declaration = place.ambient || is_ambient_file(cx.path());
            if self.kind(&name) == K::Str {
                decl.access = Access::Public;
            }
            let symbol = cx.declare(decl);
            cx.open_symbol(symbol);
        }
        cx.open_scope(ScopeKind::Module);
    }

    /// `declare global { … }`; what else can be declared is noted where it stands.
    pub(super) fn ambient(&self, cx: &mut Cx) {
        let node = cx.node();
        let mut cursor = node.walk();
        let mut children = node.children(&mut cursor);
        let Some(word) = children.find(|child| matches!(child.kind(), "global" | "module")) else { return };
        if word.kind() != "global" {
            return;
        }
        let Some(body) = children.find(|child| self.kind(child) == K::Block) else { return };
        let mut place = self.place(cx, 0);
        place.ambient = true;
        let mut decl = self.decl(cx, SymbolKind::Module, "global", span(&word), &place);
        decl.signature_end = Some(body.start_byte() as u32);
        decl.access = Access::Public;
        decl.flags.declaration = true;
        let symbol = cx.declare(decl);
        cx.open_symbol(symbol);
        cx.open_scope(ScopeKind::Module);
    }

    /// `T` of `<T extends U>`, `K` of `[K in T]`.
    pub(super) fn type_parameter(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = self.child(&node, self.f.name) else { return };
        let bound = self.child(&node, self.f.constraint).and_then(|bound| self.type_ref(cx, &bound, 0));
        let default = node.child_by_field_name("value").and_then(|ty| self.type_ref(cx, &ty, 0));
        let default = default.map(|ty| cx.expr(Expr::Typed(ty)));
        let scope = cx.current_scope();
        cx.bind(&name, scope, BindingKind::TypeParam, bound, default);
    }

    /// `infer X` on the right of `extends` is seen in the branch that follows, wherever on the right it stands.
    pub(super) fn conditional_type(&self, cx: &mut Cx) {
        cx.open_scope(ScopeKind::Block);
        let Some(right) = self.child(&cx.node(), self.f.right) else { return };
        let scope = cx.current_scope();
        let mut cursor = right.walk();
        loop {
            let node = cursor.node();
            let kind = self.kind(&node);
            if let (K::InferType, Some(name)) = (kind, self.first(&node)) {
                cx.bind(&name, scope, BindingKind::TypeParam, None, None);
            }
            // A conditional type further inside looks after its own.
            if kind != K::ConditionalType && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }
}
