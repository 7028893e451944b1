//! Functions, classes, their parameters and type parameters.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{BindingKind, Expr, Relation, Role, ScopeKind, Span, SymbolFlags, SymbolIndex, TypeId};
use tree_sitter::Node;

use super::expr::one_of;
use super::{K, Python, access};
use crate::build::Decl;
use crate::walk::{Cx, span};

/// What the decorators of a function say about it.
#[derive(Default)]
struct Marks {
    property: bool,
    associated: bool,
    declaration: bool,
}

impl Python {
    pub(super) fn function(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = node.child_by_field_id(self.name) else { return cx.open_scope(ScopeKind::Function) };
        let text = cx.text_of(&name);
        let body = node.child_by_field_id(self.body);
        let result = node.child_by_field_id(self.return_type);
        let marks = self.marks(cx);
        let kind = match cx.scope_kind(cx.function_scope()) {
            ScopeKind::Type if marks.property => SymbolKind::Property,
            ScopeKind::Type => SymbolKind::Method,
            _ => SymbolKind::Fn,
        };
        let header = result.or_else(|| node.child_by_field_id(self.parameters)).unwrap_or(name);
        let declaration = marks.declaration || body.is_some_and(|body| self.is_stub(&body));
        let mut decl = Decl::new(kind, text, span(&name), span(&node));
        decl.full_span.start = self.wrapper(cx).start_byte() as u32;
        decl.doc_span = body.and_then(|body| self.docstring(cx, &body)).unwrap_or(decl.doc_span);
        decl.signature_end = Some(header.end_byte() as u32);
        decl.access = access(text);
        decl.ty = match result {
            Some(ty) if kind != SymbolKind::Fn && self.gives_itself(cx, &ty) => {
                Some(self.word_type(cx, "Self", Vec::new()))
            }
            result => result.and_then(|ty| self.type_ref(cx, &ty, 0)),
        };
        decl.flags = SymbolFlags { declaration, associated: marks.associated, ..self.flags(cx) };
        let parent = cx.current_symbol();
        let symbol = cx.declare(decl);
        cx.claim(parent, text, symbol);
        cx.open_symbol(symbol);
        cx.open_scope(ScopeKind::Function);
        self.mark_self(cx);
    }

    /// Whether the result of a method is declared like what it is called on: `def f(self: T) -> T`, `def f(cls: type[T]) -> T`.
    fn gives_itself(&self, cx: &Cx, result: &Node) -> bool {
        let list = cx.node().child_by_field_id(self.parameters);
        let first = list.and_then(|list| self.first(&list)).filter(|first| self.kind(first) == K::TypedParameter);
        let Some(declared) = first.and_then(|first| first.child_by_field_id(self.ty)) else { return false };
        let (own, result) = (cx.text_of(&declared), cx.text_of(result));
        let inner = ["type[", "Type[", "typing.Type[", "t.Type["].iter().find_map(|word| own.strip_prefix(word));
        own == result || inner.and_then(|inner| inner.strip_suffix(']')) == Some(result)
    }

    /// The values that a function without a declared result returns say what it gives; so does what a fixture or context
    /// manager yields.
    pub(super) fn returned(&self, cx: &mut Cx) {
        let node = cx.node();
        let levels = (1..).map_while(|level| Some((level, self.kinds.get(cx.ancestor(level)?.kind))));
        let around = levels.into_iter().find(|(_, kind)| matches!(kind, K::Function | K::Lambda | K::Class));
        let Some((level, K::Function)) = around else { return };
        if self.kind(&node) == K::Yield && !self.hands_out(cx, level) {
            return self.generated(cx);
        }
        let (Some(symbol), Some(value)) = (cx.current_symbol(), self.first(&node)) else { return };
        let known = cx.symbol_at(symbol);
        if known.ty.is_some() || self.kind(&value) == K::None {
            return;
        }
        let before = known.value;
        let value = self.expr(cx, &value, 0);
        if *cx.expr_at(value) != Expr::Unknown {
            let value = before.map_or(value, |before| one_of(cx, before, value));
            cx.amend(symbol, |symbol| symbol.value = Some(value));
        }
    }

    /// What a function without a declared result yields, where its type can be seen: the current node.
    fn generated(&self, cx: &mut Cx) {
        let Some((symbol, value)) = cx.current_symbol().zip(self.first(&cx.node())) else { return };
        let known = cx.symbol_at(symbol);
        // `yield from x` gives what is in it.
        let delegates = cx.text_of(&cx.node())["yield".len()..].trim_start().starts_with("from");
        if delegates || known.ty.is_some() || known.value.is_some() {
            return;
        }
        if let Some(ty) = self.inferred(cx, &value, 0) {
            let ty = self.word_type(cx, "Generator", vec![ty]);
            cx.amend(symbol, |symbol| symbol.ty = Some(ty));
        }
    }

    pub(super) fn class(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = node.child_by_field_id(self.name) else { return cx.open_scope(ScopeKind::Type) };
        let text = cx.text_of(&name);
        let bases = node.child_by_field_id(self.superclasses);
        let header = bases.or_else(|| node.child_by_field_id(self.type_parameters)).unwrap_or(name);
        let body = node.child_by_field_id(self.body);
        let mut decl = Decl::new(SymbolKind::Class, text, span(&name), span(&node));
        decl.full_span.start = self.wrapper(cx).start_byte() as u32;
        decl.doc_span = body.and_then(|body| self.docstring(cx, &body)).unwrap_or(decl.doc_span);
        decl.signature_end = Some(header.end_byte() as u32);
        decl.access = access(text);
        decl.flags = self.flags(cx);
        let parent = cx.current_symbol();
        let symbol = cx.declare(decl);
        cx.claim(parent, text, symbol);
        if let Some(bases) = bases {
            for base in self.parts(&bases, &mut bases.walk()) {
                if let Some(ty) = self.type_ref(cx, &base, 0) {
                    cx.heritage(symbol, Relation::Extends, ty);
                }
            }
        }
        if let Some(body) = body {
            self.reserve_members(cx, symbol, &body);
        }
        cx.open_symbol(symbol);
        cx.open_scope(ScopeKind::Type);
    }

    /// Keeps the names that a class body defines from becoming fields at a `self.x = …` further up: that writes to a
    /// property or attribute that follows.
    fn reserve_members(&self, cx: &mut Cx, class: SymbolIndex, body: &Node) {
        for statement in self.parts(body, &mut body.walk()) {
            let name = match self.kind(&statement) {
                K::Function | K::Class => statement.child_by_field_id(self.name),
                K::Decorated => {
                    statement.child_by_field_name("definition").and_then(|inner| inner.child_by_field_id(self.name))
                }
                K::ExpressionStatement => {
                    let assignment = self.first(&statement).filter(|inner| self.kind(inner) == K::Assignment);
                    let left = assignment.and_then(|inner| inner.child_by_field_id(self.left));
                    left.filter(|left| self.kind(left) == K::Identifier)
                }
                _ => None,
            };
            if let Some(name) = name {
                let text = cx.text_of(&name);
                cx.reserve(class, text);
            }
        }
    }

    pub(super) fn flags(&self, cx: &Cx) -> SymbolFlags {
        SymbolFlags { test: cx.is_test_file(), ..SymbolFlags::default() }
    }

    /// The current definition with its decorators.
    fn wrapper<'t>(&self, cx: &Cx<'_, '_, 't>) -> Node<'t> {
        match cx.parent() {
            Some(parent) if self.kind(&parent) == K::Decorated => parent,
            _ => cx.node(),
        }
    }

    fn marks(&self, cx: &Cx) -> Marks {
        let mut marks = Marks::default();
        let Some(wrapper) = cx.parent().filter(|parent| self.kind(parent) == K::Decorated) else { return marks };
        let mut cursor = wrapper.walk();
        for decorator in wrapper.named_children(&mut cursor).filter(|child| self.kind(child) == K::Decorator) {
            match self.decorator_name(cx, &decorator) {
                "staticmethod" | "classmethod" => marks.associated = true,
                "overload" | "abstractmethod" => marks.declaration = true,
                "setter" | "getter" | "deleter" => marks.property = true,
                "abstractproperty" => (marks.property, marks.declaration) = (true, true),
                name if name.ends_with("property") => marks.property = true,
                _ => {}
            }
        }
        marks
    }

    /// `route` of `@app.route("/")`.
    pub(super) fn decorator_name<'s>(&self, cx: &Cx<'_, 's, '_>, decorator: &Node) -> &'s str {
        let Some(mut expr) = self.first(decorator) else { return "" };
        if self.kind(&expr) == K::Call {
            expr = expr.child_by_field_id(self.function).unwrap_or(expr);
        }
        if self.kind(&expr) == K::Attribute {
            expr = expr.child_by_field_id(self.attribute).unwrap_or(expr);
        }
        if self.kind(&expr) == K::Identifier { cx.text_of(&expr) } else { "" }
    }

    /// Whether the function that is the `level`-th ancestor has a decorator `@staticmethod`.
    pub(super) fn is_static(&self, cx: &Cx, level: usize) -> bool {
        let Some(wrapper) = cx.ancestor(level + 1).filter(|frame| self.kinds.get(frame.kind) == K::Decorated) else {
            return false;
        };
        let mut cursor = wrapper.node.walk();
        let decorators = wrapper.node.named_children(&mut cursor).filter(|child| self.kind(child) == K::Decorator);
        decorators.into_iter().any(|decorator| self.decorator_name(cx, &decorator) == "staticmethod")
    }

    fn docstring(&self, cx: &Cx, body: &Node) -> Option<Span> {
        let string = self.first(&self.first(body).filter(|first| self.kind(first) == K::ExpressionStatement)?)?;
        let plain = |text: &str| !text.starts_with(['f', 'F', 'b', 'B']);
        let fits = matches!(self.kind(&string), K::String | K::Concatenated) && plain(cx.text_of(&string));
        fits.then(|| span(&string))
    }

    /// Whether a body says nothing but `...`, perhaps after a docstring.
    fn is_stub(&self, body: &Node) -> bool {
        let mut cursor = body.walk();
        let mut last = None;
        for statement in self.parts(body, &mut cursor) {
            let inner = self.first(&statement).filter(|_| self.kind(&statement) == K::ExpressionStatement);
            match inner.map(|inner| self.kind(&inner)) {
                Some(kind @ (K::Ellipsis | K::String | K::Concatenated)) => last = Some(kind),
                _ => return false,
            }
        }
        last == Some(K::Ellipsis)
    }

    /// Parameters of a function or lambda.
    pub(super) fn parameters(&self, cx: &mut Cx) {
        let node = cx.node();
        for parameter in self.parts(&node, &mut node.walk()) {
            self.parameter(cx, &parameter);
        }
        self.provided(cx);
    }

    fn parameter(&self, cx: &mut Cx, node: &Node) {
        let scope = cx.current_scope();
        let ty = node.child_by_field_id(self.ty).and_then(|ty| self.type_ref(cx, &ty, 0));
        match self.kind(node) {
            K::Identifier => cx.bind(node, scope, BindingKind::Param, None, None),
            K::DefaultParameter | K::TypedDefaultParameter => {
                let Some(name) = node.child_by_field_id(self.name) else { return };
                let value = node.child_by_field_id(self.value).filter(|value| self.kind(value) != K::None);
                let value = value.map(|value| self.expr(cx, &value, 0));
                match self.kind(&name) {
                    K::Identifier => cx.bind(&name, scope, BindingKind::Param, ty, value),
                    _ => self.parameter(cx, &name),
                }
            }
            K::TypedParameter => match self.first(node) {
                Some(name) if self.kind(&name) == K::Identifier => cx.bind(&name, scope, BindingKind::Param, ty, None),
                Some(splat) => self.rest(cx, &splat, ty),
                None => {}
            },
            K::ListSplatPattern | K::DictSplatPattern => self.rest(cx, node, None),
            // Python 2: `def f(a, (b, c))`. Deeper nesting is left alone.
            K::TuplePattern => {
                for name in self.parts(node, &mut node.walk()).filter(|name| self.kind(name) == K::Identifier) {
                    cx.bind(&name, scope, BindingKind::Param, None, None);
                }
            }
            _ => {}
        }
    }

    /// `*args: T` is a tuple of `T`, `**options: T` a dictionary.
    fn rest(&self, cx: &mut Cx, splat: &Node, ty: Option<TypeId>) {
        let Some(name) = self.first(splat) else { return };
        let scope = cx.current_scope();
        let ty = ty.map(|ty| match self.kind(splat) {
            K::DictSplatPattern => {
                let key = self.word_type(cx, "str", Vec::new());
                self.word_type(cx, "dict", vec![key, ty])
            }
            _ => self.word_type(cx, "tuple", vec![ty]),
        });
        cx.bind(&name, scope, BindingKind::Param, ty, None);
    }

    /// The type parameters that a function, class or alias introduces. Type arguments have the same kind of node.
    pub(super) fn type_parameters(&self, cx: &mut Cx) {
        if !self.declares_type_parameters(cx, 0) {
            return;
        }
        let node = cx.node();
        let scope = cx.current_scope();
        for ty in self.parts(&node, &mut node.walk()) {
            let Some(inner) = self.first(&ty) else { continue };
            let (name, bound) = match self.kind(&inner) {
                K::ConstrainedType => (
                    inner.named_child(0).and_then(|ty| self.first(&ty)),
                    inner.named_child(1).and_then(|ty| self.type_ref(cx, &ty, 0)),
                ),
                K::SplatType => (self.first(&inner), None),
                _ => (Some(inner), None),
            };
            if let Some(name) = name.filter(|name| self.kind(name) == K::Identifier) {
                cx.bind(&name, scope, BindingKind::TypeParam, bound, None);
            }
        }
    }

    /// Whether the [`K::TypeParameter`] that is the `level`-th ancestor introduces names.
    pub(super) fn declares_type_parameters(&self, cx: &Cx, level: usize) -> bool {
        match self.kind_at(cx, level + 1) {
            K::Function | K::Class => true,
            K::GenericType => {
                self.kind_at(cx, level + 3) == K::TypeAlias
                    && cx.ancestor(level + 2).is_some_and(|frame| frame.field == self.left)
            }
            _ => false,
        }
    }

    /// `type X[T] = …`.
    pub(super) fn type_alias(&self, cx: &mut Cx) {
        let node = cx.node();
        if !self.is_alias_statement(cx, 0) {
            let start = node.start_byte() as u32;
            return cx.occurrence_at("type", start, Role::Call, None);
        }
        let name = node.child_by_field_id(self.left).and_then(|ty| self.first(&ty));
        let name = name.and_then(|ty| if self.kind(&ty) == K::GenericType { self.first(&ty) } else { Some(ty) });
        let Some(name) = name.filter(|name| self.kind(name) == K::Identifier) else { return };
        let text = cx.text_of(&name);
        let mut decl = Decl::new(SymbolKind::Type, text, span(&name), span(&node));
        decl.signature_end = Some(node.end_byte() as u32);
        decl.access = access(text);
        decl.ty = node.child_by_field_id(self.right).and_then(|ty| self.type_ref(cx, &ty, 0));
        decl.flags = self.flags(cx);
        self.document(cx, 0, &mut decl);
        let parent = cx.current_symbol();
        let symbol = cx.declare(decl);
        cx.claim(parent, text, symbol);
        cx.open_scope(ScopeKind::Block);
    }

    /// Takes in a `#:` comment above the statement that is the `level`-th ancestor. A comment above the first
    /// statement of a block stands before the block.
    pub(super) fn document(&self, cx: &Cx, level: usize, decl: &mut Decl) {
        let Some(statement) = cx.ancestor(level) else { return };
        let block = cx.ancestor(level + 1).filter(|frame| {
            self.kinds.get(frame.kind) == K::Block && frame.node.start_byte() == statement.node.start_byte()
        });
        let leading = cx.leading(&statement.node).or_else(|| cx.leading(&block?.node));
        if let Some(doc) = leading.map(|leading| leading.doc).filter(|doc| doc.start < doc.end) {
            decl.doc_span = doc;
            decl.full_span.start = doc.start;
        }
    }
}
