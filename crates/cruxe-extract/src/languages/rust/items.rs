//! Definitions: what becomes a symbol, under which name, how visible.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, BindingKind, Relation, ScopeKind, Span, SymbolFlags, TypeId};
use tree_sitter::Node;

use super::{K, Rust, attributes};
use crate::build::Decl;
use crate::walk::{Cx, children, span};

/// A constant's value is part of the signature up to this many bytes of the whole.
const SHORT: u32 = 160;

impl Rust {
    /// What all definitions have in common.
    fn decl<'s, 't>(&self, cx: &Cx<'_, 's, 't>, kind: SymbolKind, name: &Node<'t>) -> Decl<'s> {
        let node = cx.node();
        let leading = cx.leading(&node);
        // The `;` of the last item of a macro call can be borrowed from behind the call.
        let whole = Span { start: span(&node).start, end: span(&node).end.min(cx.limit()) };
        let mut decl = Decl::new(kind, cx.text_of(name), span(name), whole).leading(leading);
        let above = cx.slice(Span { start: decl.full_span.start, end: whole.start });
        decl.signature_end = Some(whole.end);
        (decl.visibility, decl.access) = self.visibility(cx, &node);
        decl.flags = SymbolFlags { test: in_test(cx) || attributes::mark_test(above), ..SymbolFlags::default() };
        decl
    }

    /// The written visibility of an item and what it, or its absence, means at this place.
    pub(super) fn visibility<'s>(&self, cx: &Cx<'_, 's, '_>, node: &Node) -> (&'s str, Access) {
        let written = node.child(0).filter(|first| self.k(first) == K::Visibility);
        let written = written.map_or("", |modifier| cx.text_of(&modifier));
        (written, access(cx, written))
    }

    pub(super) fn function(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = node.child_by_field_id(self.fields.name) else { return };
        let body = node.child_by_field_id(self.fields.body);
        let result = node.child_by_field_id(self.fields.return_type).and_then(|ty| self.type_ref(cx, &ty, 0));
        let member = matches!(cx.current_kind(), Some(SymbolKind::Impl | SymbolKind::Trait));
        if self.k(&name) == K::Identifier {
            let mut decl = self.decl(cx, SymbolKind::Fn, &name);
            decl.signature_end = Some(body.map_or(decl.span.end, |body| body.start_byte() as u32));
            decl.ty = result;
            decl.flags.declaration = body.is_none();
            decl.flags.associated = member && !self.takes_self(cx, &node);
            let symbol = cx.declare(decl);
            cx.open_symbol(symbol);
        }
        cx.open_scope(ScopeKind::Function);
    }

    /// Whether the first parameter is `self`, `&mut self` or `self: Box<Self>`.
    fn takes_self(&self, cx: &Cx, function: &Node) -> bool {
        let Some(list) = function.child_by_field_id(self.fields.parameters) else { return false };
        let mut cursor = list.walk();
        let first = list.named_children(&mut cursor).find(|child| matches!(self.k(child), K::Param | K::SelfParam));
        first.is_some_and(|first| match self.k(&first) {
            K::SelfParam => true,
            _ => first.child_by_field_id(self.fields.pattern).is_some_and(|pattern| cx.text_of(&pattern) == "self"),
        })
    }

    /// `struct`, `union`, `enum`, `trait`.
    pub(super) fn type_definition(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = node.child_by_field_id(self.fields.name) else { return };
        let kind = match self.k(&node) {
            K::Union => SymbolKind::Union,
            K::Enum => SymbolKind::Enum,
            K::Trait => SymbolKind::Trait,
            _ => SymbolKind::Struct,
        };
        let body = node.child_by_field_id(self.fields.body);
        let parts = body.and_then(|body| self.parts_type(cx, &body));
        let mut decl = self.decl(cx, kind, &name);
        decl.ty = parts;
        if let Some(body) = body.filter(|body| cx.text_of(body).starts_with('{')) {
            decl.signature_end = Some(body.start_byte() as u32);
        }
        let symbol = cx.declare(decl);
        if let Some(bounds) = node.child_by_field_id(self.fields.bounds) {
            let mut cursor = bounds.walk();
            for bound in bounds.named_children(&mut cursor) {
                if let Some(ty) = self.type_ref(cx, &bound, 0) {
                    cx.heritage(symbol, Relation::Extends, ty);
                }
            }
        }
        cx.open_symbol(symbol);
        cx.open_scope(ScopeKind::Type);
    }

    /// The impl is named after its type, so that its functions are `module::Type::function`.
    pub(super) fn implementation(&self, cx: &mut Cx) {
        cx.open_scope(ScopeKind::Type);
        let node = cx.node();
        let Some(ty) = node.child_by_field_id(self.fields.ty) else { return };
        let name = self.type_name(&ty);
        let body = node.child_by_field_id(self.fields.body);
        let implemented = node.child_by_field_id(self.fields.trait_);
        let mut decl = self.decl(cx, SymbolKind::Impl, &name);
        decl.signature_end = Some(body.map_or(decl.span.end, |body| body.start_byte() as u32));
        // What implements a trait is as visible as the trait; functions of the impl ask for this.
        decl.access = if implemented.is_some() { Access::Public } else { Access::Unknown };
        let symbol = cx.declare(decl);
        if let Some(ty) = self.type_ref(cx, &ty, 0) {
            cx.heritage(symbol, Relation::SelfType, ty);
        }
        if let Some(ty) = implemented.and_then(|ty| self.type_ref(cx, &ty, 0)) {
            cx.heritage(symbol, Relation::Implements, ty);
        }
        cx.open_symbol(symbol);
    }

    /// What `Pair(u8, Seed)` holds, as a tuple.
    fn parts_type(&self, cx: &mut Cx, body: &Node) -> Option<TypeId> {
        if self.k(body) != K::OrderedFields {
            return None;
        }
        let mut cursor = body.walk();
        let fields: Vec<Node> = children(body, self.fields.ty, &mut cursor).collect();
        let unknown = cx.owned_name("_".to_owned());
        let parts =
            fields.iter().map(|ty| self.type_ref(cx, ty, 0).unwrap_or_else(|| cx.ty(vec![unknown], Vec::new())));
        let parts: Vec<TypeId> = parts.collect();
        let tuple = cx.owned_name("()".to_owned());
        Some(cx.ty(vec![tuple], parts))
    }

    pub(super) fn variant(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = node.child_by_field_id(self.fields.name) else { return };
        let parts = node.child_by_field_id(self.fields.body).and_then(|body| self.parts_type(cx, &body));
        let mut decl = self.decl(cx, SymbolKind::Variant, &name);
        decl.ty = parts;
        let symbol = cx.declare(decl);
        cx.open_symbol(symbol);
    }

    pub(super) fn field_declaration(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = node.child_by_field_id(self.fields.name) else { return };
        let ty = node.child_by_field_id(self.fields.ty).and_then(|ty| self.type_ref(cx, &ty, 0));
        let mut decl = self.decl(cx, SymbolKind::Field, &name);
        decl.ty = ty;
        cx.declare(decl);
    }

    /// `const` and `static`; `const _` has no name to be found by.
    pub(super) fn constant(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = node.child_by_field_id(self.fields.name) else { return };
        if cx.text_of(&name) == "_" {
            return;
        }
        let kind = if self.k(&node) == K::Static { SymbolKind::Static } else { SymbolKind::Const };
        let ty = node.child_by_field_id(self.fields.ty).and_then(|ty| self.type_ref(cx, &ty, 0));
        let value = node.child_by_field_id(self.fields.value);
        let mut decl = self.decl(cx, kind, &name);
        if let Some(value) = value.filter(|_| decl.span.end - decl.span.start > SHORT) {
            decl.signature_end = Some(value.start_byte() as u32);
        }
        decl.ty = ty;
        decl.flags.declaration = value.is_none() && cx.current_kind() == Some(SymbolKind::Trait);
        cx.declare(decl);
    }

    pub(super) fn type_alias(&self, cx: &mut Cx) {
        cx.open_scope(ScopeKind::Type);
        let node = cx.node();
        let Some(name) = node.child_by_field_id(self.fields.name) else { return };
        let ty = node.child_by_field_id(self.fields.ty).and_then(|ty| self.type_ref(cx, &ty, 0));
        let mut decl = self.decl(cx, SymbolKind::Type, &name);
        decl.ty = ty;
        decl.flags.declaration = self.k(&node) == K::AssociatedType;
        cx.declare(decl);
    }

    pub(super) fn module(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = node.child_by_field_id(self.fields.name) else { return };
        let body = node.child_by_field_id(self.fields.body);
        let mut decl = self.decl(cx, SymbolKind::Module, &name);
        decl.signature_end = Some(name.end_byte() as u32);
        decl.flags.declaration = body.is_none();
        let symbol = cx.declare(decl);
        if body.is_some() {
            cx.open_symbol(symbol);
            cx.open_scope(ScopeKind::Module);
        }
    }

    pub(super) fn macro_definition(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = node.child_by_field_id(self.fields.name) else { return };
        let mut decl = self.decl(cx, SymbolKind::Macro, &name);
        let above = cx.slice(Span { start: decl.full_span.start, end: decl.span.start });
        decl.signature_end = Some(name.end_byte() as u32);
        decl.access = if attributes::mention(above, "macro_export") { Access::Public } else { Access::Private };
        cx.declare(decl);
    }

    /// `where T: Bound` says about `T` what `<T: Bound>` would.
    pub(super) fn where_predicate(&self, cx: &mut Cx) {
        let node = cx.node();
        let (Some(name), Some(bounds)) =
            (node.child_by_field_id(self.fields.left), node.child_by_field_id(self.fields.bounds))
        else {
            return;
        };
        if self.k(&name) != K::TypeIdentifier {
            return;
        }
        let mut cursor = bounds.walk();
        let bound = bounds.named_children(&mut cursor).find(|bound| self.k(bound) != K::Lifetime);
        if let Some(ty) = bound.and_then(|ty| self.type_ref(cx, &ty, 0)) {
            let scope = cx.current_scope();
            cx.bind(&name, scope, BindingKind::TypeParam, Some(ty), None);
        }
    }

    pub(super) fn type_parameter(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = node.child_by_field_id(self.fields.name) else { return };
        let bound = match node.child_by_field_id(self.fields.bounds) {
            Some(bounds) => {
                let mut cursor = bounds.walk();
                bounds.named_children(&mut cursor).find(|bound| self.k(bound) != K::Lifetime)
            }
            None => node.child_by_field_id(self.fields.ty),
        };
        let ty = bound.and_then(|ty| self.type_ref(cx, &ty, 0));
        let scope = cx.current_scope();
        cx.bind(&name, scope, BindingKind::TypeParam, ty, None);
    }
}

/// Whether the innermost open symbol exists only for tests.
pub(super) fn in_test(cx: &Cx) -> bool {
    cx.current_symbol().is_some_and(|at| cx.symbol_at(at).flags.test)
}

/// What a written visibility means below the innermost open symbol.
pub(super) fn access(cx: &Cx, written: &str) -> Access {
    if written.is_empty() {
        let Some(parent) = cx.current_symbol().map(|at| cx.symbol_at(at)) else { return Access::Private };
        return match parent.kind {
            SymbolKind::Trait | SymbolKind::Enum | SymbolKind::Variant => parent.access,
            SymbolKind::Impl if parent.access == Access::Public => Access::Public,
            _ => Access::Private,
        };
    }
    match written.strip_prefix("pub").map(|rest| rest.trim_matches(|c: char| "() ".contains(c))) {
        Some("") => Access::Public,
        Some("self" | "in self") => Access::Private,
        _ => Access::Crate,
    }
}
