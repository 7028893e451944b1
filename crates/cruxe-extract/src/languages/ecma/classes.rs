//! Classes and the members of classes.

use std::collections::HashSet;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Binding, BindingKind, Relation, Role, ScopeKind, Span, SymbolIndex, TypeId};
use tree_sitter::Node;

use super::declare::{DeclSite, Modifiers, short_end};
use super::object::Owner;
use super::variables::Value;
use super::{Ecma, K};
use crate::walk::{Cx, span};

impl Ecma {
    pub(super) fn class(&self, cx: &mut Cx) {
        let node = cx.node();
        if let Some(name) = self.child(&node, self.f.name) {
            let place = self.place(cx, 0);
            let symbol = self.class_symbol(cx, &node, cx.text_of(&name), span(&name), &place);
            self.bind_local(cx, &name, None);
            cx.open_symbol(symbol);
        }
        cx.open_scope(ScopeKind::Type);
    }

    /// A class expression is a symbol under the name it is assigned to, otherwise under its own.
    pub(super) fn class_expression(&self, cx: &mut Cx) {
        let node = cx.node();
        let name = self.child(&node, self.f.name);
        let held = self.names_its_value(cx);
        if let (Some(name), false) = (name, held) {
            let place = self.place(cx, 0);
            let symbol = self.class_symbol(cx, &node, cx.text_of(&name), span(&name), &place);
            cx.open_symbol(symbol);
        }
        cx.open_scope(ScopeKind::Type);
        if let Some(name) = name.filter(|name| !self.is_known_by(cx, cx.text_of(name))) {
            let scope = cx.current_scope();
            cx.bind(&name, scope, BindingKind::Local, None, None);
        }
    }

    pub(super) fn class_symbol(
        &self,
        cx: &mut Cx,
        class: &Node,
        name: &str,
        at: Span,
        place: &DeclSite,
    ) -> SymbolIndex {
        let mut decl = self.decl(cx, SymbolKind::Class, name, at, place);
        decl.signature_end = Some(self.head_end(class));
        decl.flags.declaration = place.ambient;
        let symbol = cx.declare(decl);
        self.class_heritage(cx, class, symbol);
        symbol
    }

    pub(super) fn class_heritage(&self, cx: &mut Cx, class: &Node, symbol: SymbolIndex) {
        let mut cursor = class.walk();
        let Some(heritage) = class.named_children(&mut cursor).find(|child| self.kind(child) == K::ClassHeritage)
        else {
            return;
        };
        let mut cursor = heritage.walk();
        for clause in heritage.named_children(&mut cursor) {
            match self.kind(&clause) {
                K::ExtendsClause => {
                    let Some(value) = self.child(&clause, self.f.value) else { continue };
                    let args = self.child(&clause, self.f.type_arguments);
                    if let Some(ty) = self.class_type(cx, &value, args) {
                        cx.heritage(symbol, Relation::Extends, ty);
                    }
                }
                K::ImplementsClause => self.super_types(cx, &clause, symbol, Relation::Implements),
                _ => {
                    if let Some(ty) = self.class_type(cx, &clause, None) {
                        cx.heritage(symbol, Relation::Extends, ty);
                    }
                }
            }
        }
    }

    pub(super) fn super_types(&self, cx: &mut Cx, clause: &Node, symbol: SymbolIndex, relation: Relation) {
        let mut cursor = clause.walk();
        for ty in clause.named_children(&mut cursor) {
            if let Some(ty) = self.type_ref(cx, &ty, 0) {
                cx.heritage(symbol, relation, ty);
            }
        }
    }

    /// A method of a class, interface, object type or object literal; accessors and constructors included.
    pub(super) fn method(&self, cx: &mut Cx) {
        let node = cx.node();
        let mut this = None;
        if let Some(name) = self.child(&node, self.f.name) {
            match self.parent(cx) {
                K::ObjectType if !self.belongs_to_named_type(cx) => {}
                K::Object => {
                    let expected = self.expected(cx, 1, 0);
                    let owner = self.object_owner(cx, 1);
                    // What fills in a member of the expected type is a use of that member.
                    if self.kind(&name) == K::PropertyIdentifier && (owner.is_none() || expected.is_some()) {
                        cx.occurrence(&name, Role::Key, expected);
                    }
                    if owner.is_some() {
                        self.method_symbol(cx, &name, owner);
                    }
                    this = expected;
                }
                _ => self.method_symbol(cx, &name, None),
            }
        }
        cx.open_scope(ScopeKind::Function);
        // An object literal is taken for what its place expects by its own methods too.
        if let Some(this) = this {
            let (name, scope, start) = (cx.name("this"), cx.current_scope(), node.start_byte() as u32);
            cx.rebind(Binding { name, start, scope, kind: BindingKind::Local, ty: None, value: Some(this) });
        }
    }

    fn method_symbol(&self, cx: &mut Cx, name: &Node, owner: Option<Owner>) {
        let node = cx.node();
        let place = self.place(cx, 0);
        let at = self.property_name(name);
        let modifiers = self.modifiers(cx, &node);
        let exported = owner.as_ref().is_some_and(|owner| owner.exports);
        let kind = match exported {
            _ if is_accessor(&node) => SymbolKind::Property,
            true => SymbolKind::Fn,
            false => SymbolKind::Method,
        };
        let mut decl = self.member_decl(cx, kind, cx.slice(at), at, &place, &modifiers);
        decl.signature_end = Some(self.head_end(&node));
        decl.ty = self.return_type(cx, &node);
        decl.flags.declaration = self.child(&node, self.f.body).is_none();
        let qualifier = owner.map(|owner| owner.path).filter(|path| !path.is_empty());
        decl.qualifier = qualifier.as_deref();
        let constructor = decl.name == "constructor";
        let symbol = cx.declare(decl);
        if constructor {
            self.parameter_properties(cx, &node);
            self.assigned_fields(cx, &node, cx.in_function());
        }
        cx.open_symbol(symbol);
    }

    /// `constructor(private url: string)` declares a field too. Called before the constructor is opened, so that the
    /// fields belong to the class.
    fn parameter_properties(&self, cx: &mut Cx, constructor: &Node) {
        let Some(list) = self.child(constructor, self.f.parameters) else { return };
        let mut cursor = list.walk();
        for param in list.named_children(&mut cursor) {
            let mut inner = param.walk();
            let mut words = param
                .children(&mut inner)
                .filter(|child| matches!(child.kind(), "accessibility_modifier" | "readonly" | "override_modifier"));
            let (Some(_), Some(name)) = (words.next(), self.child(&param, self.f.pattern)) else { continue };
            let modifiers = self.modifiers(cx, &param);
            let start = self.after_decorators(&param);
            let span_ = Span { start, end: param.end_byte() as u32 };
            let first = param.start_byte() as u32;
            let place = DeclSite { span: span_, first, leading: None, exported: false, ambient: false };
            let mut decl = self.member_decl(cx, SymbolKind::Field, cx.text_of(&name), span(&name), &place, &modifiers);
            decl.signature_end = Some(place.span.end);
            decl.ty = self.declared_type(cx, &param);
            cx.declare(decl);
        }
    }

    /// `this.x = …` in a constructor, or in a function that is one, is what declares a field in JavaScript.
    pub(super) fn assigned_fields(&self, cx: &mut Cx, constructor: &Node, local: bool) {
        let Some(body) = self.child(constructor, self.f.body).filter(|_| self.untyped) else { return };
        let mut seen = HashSet::new();
        let mut cursor = body.walk();
        let statements: Vec<Node> = body.named_children(&mut cursor).collect();
        for statement in statements.iter().filter(|statement| self.kind(statement) == K::Statement) {
            let outer = self.first(statement).and_then(|inner| self.inner_assignment(inner));
            // `this.a = this.b = value` declares both.
            let mut next = outer;
            while let Some(assign) = next {
                let value = self.child(&assign, self.f.right);
                next = value.map(|value| self.peel(value)).filter(|value| self.kind(value) == K::Assign);
                let said = self.doc_type(cx, statement.start_byte() as u32);
                self.assigned_field(cx, &assign, said, local, &mut seen);
            }
        }
    }

    /// The field that an assignment to a member of `this` declares.
    fn assigned_field<'s>(
        &self,
        cx: &mut Cx<'_, 's, '_>,
        assign: &Node,
        said: Option<TypeId>,
        local: bool,
        seen: &mut HashSet<&'s str>,
    ) {
        let Some(target) = self.child(assign, self.f.left) else { return };
        let this = self.child(&target, self.f.object).is_some_and(|object| self.kind(&object) == K::This);
        let key = self.symbol_key(cx, &target);
        let name = match key {
            Some(_) => target.child_by_field_name("index"),
            None => self.child(&target, self.f.property),
        };
        let Some(name) = name.filter(|_| this) else { return };
        let text = cx.text_of(&name);
        // A private field is declared before it is assigned.
        if text.starts_with('#') || !seen.insert(text) {
            return;
        }
        let first = assign.start_byte() as u32;
        let place = DeclSite { span: span(assign), first, leading: None, exported: false, ambient: false };
        let written = key.as_deref().unwrap_or(text);
        let mut decl = self.member_decl(cx, SymbolKind::Field, written, span(&name), &place, &Modifiers::default());
        let value = self.child(assign, self.f.right);
        decl.signature_end = Some(short_end(assign, value.as_ref()));
        decl.ty = said.or_else(|| value.and_then(|value| self.literal_type(cx, &value)));
        if decl.ty.is_none() || said.is_some() {
            decl.value = value.and_then(|value| self.value_expr(cx, &value));
        }
        let symbol = cx.declare(decl);
        // It stands in a function and is seen where its owner is.
        cx.amend(symbol, |symbol| symbol.flags.local = local);
    }

    /// The assignment of a statement: `x = y`, `z && (x = y)`.
    fn inner_assignment<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        match self.kind(&node) {
            K::Assign => Some(node),
            K::Binary => {
                let right = self.child(&node, self.f.right).filter(|right| self.kind(right) == K::Paren)?;
                self.first(&right).filter(|inner| self.kind(inner) == K::Assign)
            }
            _ => None,
        }
    }

    pub(super) fn class_field(&self, cx: &mut Cx) {
        let node = cx.node();
        let name = self.child(&node, self.f.name).or_else(|| self.child(&node, self.f.property));
        let Some(name) = name else { return };
        let place = self.place(cx, 0);
        let at = self.property_name(&name);
        let modifiers = self.modifiers(cx, &node);
        let value = self.child(&node, self.f.value);
        let mut decl = self.member_decl(cx, SymbolKind::Field, cx.slice(at), at, &place, &modifiers);
        match value.map(|value| self.value(cx, value, false)) {
            Some(Value::Function(function)) => {
                decl.kind = SymbolKind::Method;
                decl.signature_end = Some(self.head_end(&function));
                decl.ty = self.return_type(cx, &function);
            }
            _ => {
                decl.signature_end = Some(short_end(&node, value.as_ref()));
                decl.ty = self.declared_type(cx, &node).or_else(|| self.literal_type(cx, value.as_ref()?));
                if decl.ty.is_none() {
                    decl.value = value.and_then(|value| self.value_expr(cx, &value));
                }
            }
        }
        let symbol = cx.declare(decl);
        cx.open_symbol(symbol);
    }
}

/// Whether a method is read or written like a field: `get size()`, `static set size(value)`.
fn is_accessor(method: &Node) -> bool {
    let mut cursor = method.walk();
    method.children(&mut cursor).any(|child| matches!(child.kind(), "get" | "set" | "static get"))
}
