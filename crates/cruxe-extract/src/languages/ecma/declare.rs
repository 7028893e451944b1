//! What every declaration shares: its place, its words, its signature; and functions.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, BindingKind, ExprId, ScopeKind, Span, SymbolFlags, TypeId};
use tree_sitter::Node;

use super::{Ecma, K};
use crate::build::Decl;
use crate::walk::{Cx, Leading, span};

/// Declarations up to this size are their own signature; longer ones are cut where the value begins.
const SHORT: usize = 160;

/// Where a declaration stands, together with what is written around it.
pub(super) struct DeclSite {
    /// From the first keyword (`export`, `declare`, `abstract`) to the end.
    pub(super) span: Span,
    /// Where its decorators begin.
    pub(super) first: u32,
    pub(super) leading: Option<Leading>,
    /// `export` stands before it.
    pub(super) exported: bool,
    /// `declare` stands before it.
    pub(super) ambient: bool,
}

/// Words before the name of a member.
#[derive(Default)]
pub(super) struct Modifiers<'s> {
    accessibility: &'s str,
    is_static: bool,
}

impl Ecma {
    /// The place of the declaration at the `level`-th ancestor, with the `export` and `declare` around it.
    pub(super) fn place(&self, cx: &Cx, level: usize) -> DeclSite {
        let (mut level, mut exported, mut ambient) = (level, false, false);
        loop {
            match self.outer(cx, level + 1) {
                K::Export => exported = true,
                K::Ambient => ambient = true,
                _ => break,
            }
            level += 1;
        }
        let node = cx.ancestor(level).map_or(cx.node(), |frame| frame.node);
        let start = self.after_decorators(&node);
        let span = Span { start, end: node.end_byte() as u32 };
        DeclSite { span, first: node.start_byte() as u32, leading: cx.leading(&node), exported, ambient }
    }

    /// Where a declaration begins when the decorators inside its node are left out.
    pub(super) fn after_decorators(&self, node: &Node) -> u32 {
        let mut cursor = node.walk();
        let mut decorated = false;
        if cursor.goto_first_child() {
            loop {
                match self.kind(&cursor.node()) {
                    K::Decorator => decorated = true,
                    K::Comment if decorated => {}
                    _ if decorated => return cursor.node().start_byte() as u32,
                    _ => break,
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        node.start_byte() as u32
    }

    /// A declaration at a place of a module, namespace or function.
    pub(super) fn decl<'a>(&self, cx: &Cx, kind: SymbolKind, name: &'a str, at: Span, place: &DeclSite) -> Decl<'a> {
        let mut decl = self.plain_decl(cx, kind, name, at, place);
        let inside_ambient = || {
            let outer = cx.current_symbol().map(|index| cx.symbol_at(index));
            outer.is_some_and(|outer| outer.kind == SymbolKind::Module && outer.flags.declaration)
        };
        decl.visibility = if place.exported { "export" } else { "" };
        decl.access = if place.exported || inside_ambient() || (!cx.in_function() && is_ambient_file(cx.path())) {
            Access::Public
        } else {
            Access::Private
        };
        decl
    }

    fn plain_decl<'a>(&self, cx: &Cx, kind: SymbolKind, name: &'a str, at: Span, place: &DeclSite) -> Decl<'a> {
        let mut decl = Decl::new(kind, name, at, place.span);
        decl.full_span.start = place.first;
        let mut decl = decl.leading(place.leading);
        decl.flags = SymbolFlags { test: cx.is_test_file(), local: cx.in_function(), ..SymbolFlags::default() };
        decl
    }

    /// A declaration of a class, interface or object.
    pub(super) fn member_decl<'a>(
        &self,
        cx: &Cx,
        kind: SymbolKind,
        name: &'a str,
        at: Span,
        place: &DeclSite,
        modifiers: &Modifiers<'a>,
    ) -> Decl<'a> {
        let mut decl = self.plain_decl(cx, kind, name, at, place);
        decl.visibility = modifiers.accessibility;
        decl.access = match modifiers.accessibility {
            "private" => Access::Private,
            "protected" => Access::Protected,
            _ if name.starts_with('#') => Access::Private,
            _ => Access::Public,
        };
        decl.flags.associated = modifiers.is_static;
        decl
    }

    pub(super) fn modifiers<'s>(&self, cx: &Cx<'_, 's, '_>, node: &Node) -> Modifiers<'s> {
        let mut modifiers = Modifiers::default();
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "accessibility_modifier" => modifiers.accessibility = cx.text_of(&child),
                "static" | "static get" => modifiers.is_static = true,
                "decorator" | "comment" => {}
                _ if child.is_named() => break,
                _ => {}
            }
        }
        modifiers
    }

    /// Makes a local function, class or type visible by its plain name.
    pub(super) fn bind_local(&self, cx: &mut Cx, name: &Node, value: Option<ExprId>) {
        if cx.in_function() {
            let scope = cx.current_scope();
            cx.bind(name, scope, BindingKind::Local, None, value);
        }
    }

    pub(super) fn return_type(&self, cx: &mut Cx, function: &Node) -> Option<TypeId> {
        match self.child(function, self.f.return_type) {
            Some(ty) if self.kind(&ty) == K::TypePredicate => self.predicate(cx, function, ty),
            Some(ty) => self.type_ref(cx, &ty, 0),
            None => self.doc_result(cx, function),
        }
    }

    /// `x is T`, where that is about the first parameter: the word `is` with the type. Any other test is a truth value.
    fn predicate(&self, cx: &mut Cx, function: &Node, annotation: Node) -> Option<TypeId> {
        let test = self.first(&annotation).filter(|inner| self.kind(inner) == K::TypePredicate).unwrap_or(annotation);
        let first = self.child(function, self.f.parameters).and_then(|list| self.first(&list));
        let first = first.and_then(|first| self.child(&first, self.f.pattern));
        let own = |name: &Node| first.is_some_and(|first| cx.text_of(&first) == cx.text_of(name));
        match (test.child_by_field_name("name").filter(own), test.child_by_field_name("type")) {
            (Some(_), Some(ty)) => {
                let ty = self.type_ref(cx, &ty, 0)?;
                self.word(cx, "is", vec![ty])
            }
            _ => self.word(cx, "boolean", Vec::new()),
        }
    }

    /// Where the body of a function begins; for an arrow function, its arrow.
    pub(super) fn head_end(&self, function: &Node) -> u32 {
        let body = self.child(function, self.f.body);
        if self.kind(function) == K::Arrow {
            let mut cursor = function.walk();
            if let Some(arrow) = function.children(&mut cursor).find(|child| child.kind() == "=>") {
                return arrow.start_byte() as u32;
            }
        }
        body.map_or(function.end_byte(), |body| body.start_byte()) as u32
    }

    pub(super) fn function(&self, cx: &mut Cx) {
        let node = cx.node();
        if let Some(name) = self.child(&node, self.f.name) {
            let place = self.place(cx, 0);
            let mut decl = self.decl(cx, SymbolKind::Fn, cx.text_of(&name), span(&name), &place);
            decl.signature_end = Some(self.head_end(&node));
            decl.ty = self.return_type(cx, &node);
            decl.flags.declaration = self.child(&node, self.f.body).is_none();
            let value = self.literal(cx, "fn");
            self.bind_local(cx, &name, Some(value));
            let makes_values = cx.text_of(&name).starts_with(|first: char| first.is_ascii_uppercase());
            let local = decl.flags.local;
            let symbol = cx.declare(decl);
            cx.open_symbol(symbol);
            if makes_values {
                self.assigned_fields(cx, &node, local);
            }
        }
        cx.open_scope(ScopeKind::Function);
    }

    /// A function expression is a symbol under the name it is assigned to, otherwise under its own, which is seen inside it.
    pub(super) fn function_expression(&self, cx: &mut Cx) {
        let node = cx.node();
        let name = self.child(&node, self.f.name);
        if let Some(name) = name.filter(|_| !self.is_held(cx)) {
            let place = self.place(cx, 0);
            let mut decl = self.decl(cx, SymbolKind::Fn, cx.text_of(&name), span(&name), &place);
            decl.signature_end = Some(self.head_end(&node));
            decl.ty = self.return_type(cx, &node);
            decl.flags.local = true;
            let symbol = cx.declare(decl);
            cx.open_symbol(symbol);
        }
        let own = name.filter(|name| !self.is_known_by(cx, cx.text_of(name)));
        cx.open_scope(ScopeKind::Function);
        if let Some(name) = own {
            let (scope, value) = (cx.current_scope(), self.literal(cx, "fn"));
            cx.bind(&name, scope, BindingKind::Local, None, Some(value));
        }
    }

    pub(super) fn declared_type(&self, cx: &mut Cx, node: &Node) -> Option<TypeId> {
        match node.child_by_field_name("type") {
            Some(ty) => self.type_ref(cx, &ty, 0),
            None => self.doc_declared(cx, node),
        }
    }
}

/// The end of a declaration that is short enough to be its own signature, else the start of its value.
pub(super) fn short_end(node: &Node, value: Option<&Node>) -> u32 {
    let long = |value: &Node| {
        node.end_byte() - node.start_byte() > SHORT || value.end_position().row > value.start_position().row
    };
    match value {
        Some(value) if long(value) => value.start_byte() as u32,
        _ => node.end_byte() as u32,
    }
}

/// Whether a file only declares what exists elsewhere.
pub(super) fn is_ambient_file(path: &str) -> bool {
    [".d.ts", ".d.mts", ".d.cts"].iter().any(|end| path.ends_with(end))
}
