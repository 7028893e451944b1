//! What a module takes from others and what it offers: `import`, `export`, `require`.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, Import, Role, ScopeId, Span};
use tree_sitter::Node;

use super::declare::{DeclSite, short_end};
use super::variables::Value;
use super::{Ecma, K};
use crate::build::Decl;
use crate::walk::{Cx, Walk, span};

/// One imported or exported name.
#[derive(Clone, Copy, Default)]
struct Leaf<'s> {
    module: &'s str,
    name: Option<&'s str>,
    alias: Option<&'s str>,
    glob: bool,
    reexport: bool,
    start: u32,
}

impl Ecma {
    fn note(&self, cx: &mut Cx, leaf: Leaf) {
        let scope = cx.current_scope();
        self.note_in(cx, scope, leaf);
    }

    fn note_in(&self, cx: &mut Cx, scope: ScopeId, leaf: Leaf) {
        let id = |cx: &mut Cx, text: &str| cx.owned_name(text.to_owned());
        let module = id(cx, leaf.module);
        let name = leaf.name.map(|name| id(cx, name));
        let alias = leaf.alias.filter(|alias| Some(*alias) != leaf.name).map(|alias| id(cx, alias));
        let Leaf { glob, reexport, start, .. } = leaf;
        cx.import(Import { module, name, alias, glob, reexport, start, scope });
    }

    /// Notes that a module's member, or the module itself, has a name here, or is handed on under it.
    pub(super) fn note_import(
        &self,
        cx: &mut Cx,
        scope: ScopeId,
        (module, name, alias): (&str, Option<&str>, &str),
        reexport: bool,
        start: u32,
    ) {
        self.note_in(cx, scope, Leaf { module, name, alias: Some(alias), reexport, start, ..Leaf::default() });
    }

    /// Notes the symbol of an import statement.
    fn use_symbol(&self, cx: &mut Cx, name: Span, span: Span, exported: bool) {
        let mut decl = Decl::new(SymbolKind::Use, cx.slice(name), name, span);
        decl.signature_end = Some(span.end);
        if exported {
            (decl.visibility, decl.access) = ("export", Access::Public);
        }
        decl.flags.local = cx.in_function();
        cx.declare(decl);
    }

    pub(super) fn import(&self, cx: &mut Cx) -> Walk {
        let node = cx.node();
        let mut cursor = node.walk();
        let clause = node
            .named_children(&mut cursor)
            .find(|child| matches!(self.kind(child), K::ImportClause | K::ImportRequire));
        let source = self.child(&node, self.f.source).or_else(|| self.child(&clause?, self.f.source));
        let Some(source) = source else { return Walk::Skip };
        let at = self.property_name(&source);
        self.use_symbol(cx, at, span(&node), false);
        let base = Leaf { module: cx.slice(at), start: at.start, ..Leaf::default() };
        let Some(clause) = clause else {
            self.note(cx, base);
            return Walk::Skip;
        };
        let whole = self.kind(&clause) == K::ImportRequire;
        let mut cursor = clause.walk();
        for child in clause.named_children(&mut cursor) {
            match self.kind(&child) {
                K::Identifier if whole => self.module_import(cx, base, &child),
                K::Identifier => {
                    let (alias, start) = (Some(cx.text_of(&child)), child.start_byte() as u32);
                    self.note(cx, Leaf { name: Some("default"), alias, start, ..base });
                    cx.occurrence(&child, Role::Import, None);
                }
                K::NamespaceImport => {
                    if let Some(name) = self.first(&child) {
                        self.module_import(cx, base, &name);
                    }
                }
                K::NamedImports => self.specifiers(cx, base, &child),
                _ => {}
            }
        }
        Walk::Skip
    }

    fn module_import(&self, cx: &mut Cx, base: Leaf, name: &Node) {
        let (alias, start) = (Some(cx.text_of(name)), name.start_byte() as u32);
        self.note(cx, Leaf { alias, start, ..base });
    }

    /// `{ a, b as c }` of an import or export.
    fn specifiers<'s>(&self, cx: &mut Cx<'_, 's, '_>, base: Leaf<'s>, list: &Node) {
        let mut cursor = list.walk();
        for specifier in list.named_children(&mut cursor) {
            let Some(name) = self.child(&specifier, self.f.name) else { continue };
            let alias = self.child(&specifier, self.f.alias);
            let start = alias.unwrap_or(name).start_byte() as u32;
            let text = cx.slice(self.property_name(&name));
            let alias = alias.map(|alias| cx.slice(self.property_name(&alias)));
            self.note(cx, Leaf { name: Some(text), alias, start, ..base });
            if self.kind(&name) == K::Identifier && text != "default" {
                cx.occurrence(&name, Role::Import, None);
            }
            // What is the default elsewhere has its name here: `export { default as run } from './run'`.
            if let (Some(alias), "default") = (alias, text)
                && !base.module.is_empty()
            {
                cx.occurrence_at(alias, start, Role::Import, None);
            }
            if base.module.is_empty() {
                cx.exported(text);
            }
        }
    }

    /// `import A = B.C`; the walk goes on to the names.
    pub(super) fn import_alias(&self, cx: &mut Cx) -> Walk {
        let node = cx.node();
        let (Some(alias), Some(target)) = (node.named_child(0), node.named_child(1)) else { return Walk::Into };
        let place = self.place(cx, 0);
        self.use_symbol(cx, span(&target), place.span, place.exported);
        let text = cx.text_of(&target);
        let (module, name) = text.rsplit_once('.').unwrap_or(("", text));
        let (alias, start) = (Some(cx.text_of(&alias)), alias.start_byte() as u32);
        self.note(cx, Leaf { module, name: Some(name), alias, glob: false, reexport: place.exported, start });
        Walk::Into
    }

    pub(super) fn export(&self, cx: &mut Cx) -> Walk {
        let node = cx.node();
        let source = self.child(&node, self.f.source).map(|source| self.property_name(&source));
        let mut base = Leaf { reexport: true, start: node.start_byte() as u32, ..Leaf::default() };
        if let Some(at) = source {
            self.use_symbol(cx, at, span(&node), true);
            base.module = cx.slice(at);
        }
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match self.kind(&child) {
                K::ExportClause => {
                    self.specifiers(cx, base, &child);
                    return Walk::Skip;
                }
                K::NamespaceExport => {
                    if let Some(name) = self.first(&child) {
                        let alias = Some(cx.slice(self.property_name(&name)));
                        self.note(cx, Leaf { alias, start: name.start_byte() as u32, ..base });
                    }
                    return Walk::Skip;
                }
                _ => {}
            }
            match child.kind() {
                "*" if source.is_some() => {
                    self.note(cx, Leaf { glob: true, start: child.start_byte() as u32, ..base });
                    return Walk::Skip;
                }
                "default" => self.export_default(cx, &child),
                "=" => self.default_value(cx, &child, self.first(&node)),
                "as" => return Walk::Skip, // `export as namespace X` names the module for scripts
                _ => {}
            }
        }
        Walk::Into
    }

    fn export_default(&self, cx: &mut Cx, keyword: &Node) {
        let node = cx.node();
        match self.child(&node, self.f.declaration) {
            Some(declaration) => {
                if let Some(name) = self.child(&declaration, self.f.name) {
                    self.offer(cx, &name, "default");
                }
            }
            None => self.default_value(cx, keyword, self.child(&node, self.f.value)),
        }
    }

    /// Notes that others can import the local name `name` as `alias`.
    pub(super) fn offer(&self, cx: &mut Cx, name: &Node, alias: &str) {
        self.offer_from(cx, cx.text_of(name), alias, name.start_byte() as u32);
    }

    /// The same of a name as it is seen from an offset.
    pub(super) fn offer_from<'s>(&self, cx: &mut Cx<'_, 's, '_>, name: &'s str, alias: &str, start: u32) {
        self.note(cx, Leaf { name: Some(name), alias: Some(alias), reexport: true, start, ..Leaf::default() });
        cx.exported(name);
    }

    /// `export default …;`, `export = …;`: a name is offered, anything else is a symbol called `default`.
    fn default_value(&self, cx: &mut Cx, keyword: &Node, value: Option<Node>) {
        let Some(value) = value else { return };
        let inner = self.peel(value);
        if self.kind(&inner) == K::Identifier {
            return self.offer(cx, &inner, "default");
        }
        let mut place = self.place(cx, 0);
        place.exported = true;
        self.named_value(cx, "default", span(keyword), &place, value);
    }

    /// A symbol of the module whose kind its value decides; opened for what is inside.
    pub(super) fn named_value(&self, cx: &mut Cx, name: &str, at: Span, place: &DeclSite, value: Node) {
        let symbol = match self.value(cx, value, true) {
            Value::Class(class) => self.class_symbol(cx, &class, name, at, place),
            Value::Function(function) => {
                let mut decl = self.decl(cx, SymbolKind::Fn, name, at, place);
                decl.signature_end = Some(self.head_end(&function));
                decl.ty = self.return_type(cx, &function);
                cx.declare(decl)
            }
            Value::Other => {
                let mut decl = self.decl(cx, SymbolKind::Const, name, at, place);
                decl.signature_end = Some(short_end(&cx.node(), Some(&value)));
                decl.ty = self.literal_type(cx, &value);
                cx.declare(decl)
            }
        };
        cx.open_symbol(symbol);
    }

    /// The string of `require('x')` or `import('x')`.
    fn requested<'t>(&self, cx: &Cx, call: &Node<'t>) -> Option<Node<'t>> {
        if self.kind(call) != K::Call {
            return None;
        }
        let callee = self.child(call, self.f.function)?;
        if callee.kind() != "import" && !(self.kind(&callee) == K::Identifier && cx.text_of(&callee) == "require") {
            return None;
        }
        let source = self.first(&self.child(call, self.f.arguments)?)?;
        (self.kind(&source) == K::Str).then_some(source)
    }

    /// The name under which a module that is imported by `import('x')` is known to its file. No identifier is called so.
    pub(super) fn imported_module(&self, cx: &Cx, call: &Node) -> Option<String> {
        let source = self.requested(cx, call)?;
        Some(format!("import({})", cx.slice(self.property_name(&source))))
    }

    /// `const a = require('x')`, `const { a } = await import('x')`, `const a = require('x').b`.
    pub(super) fn required_import(&self, cx: &mut Cx, name: &Node, value: Node) -> bool {
        let mut value = self.peel(value);
        let mut member = None;
        if self.kind(&value) == K::Member {
            member = self.child(&value, self.f.property);
            let Some(object) = self.child(&value, self.f.object) else { return false };
            value = self.peel(object);
        }
        if self.kind(&value) == K::Await {
            let Some(awaited) = self.first(&value) else { return false };
            value = self.peel(awaited);
        }
        let destructured = self.kind(name) == K::ObjectPattern;
        let Some(source) = self.requested(cx, &value) else { return false };
        if (member.is_some() && destructured) || !(destructured || self.kind(name) == K::Identifier) {
            return false;
        }
        let at = self.property_name(&source);
        let place = self.declarator_place(cx);
        self.use_symbol(cx, at, place.span, place.exported);
        let start = name.start_byte() as u32;
        let base = Leaf { module: cx.slice(at), reexport: place.exported, start, ..Leaf::default() };
        match (destructured, member) {
            (true, _) => self.required_names(cx, base, name),
            (false, Some(member)) => {
                let (name, alias) = (Some(cx.text_of(&member)), Some(cx.text_of(name)));
                self.note(cx, Leaf { name, alias, ..base });
                cx.occurrence(&member, Role::Import, None);
            }
            (false, None) => {
                self.module_import(cx, base, name);
                cx.occurrence(name, Role::Import, None);
            }
        }
        true
    }

    /// `{ a, b: c, d = 1, ...rest }` of a required module.
    fn required_names<'s>(&self, cx: &mut Cx<'_, 's, '_>, base: Leaf<'s>, pattern: &Node) {
        let mut cursor = pattern.walk();
        for child in pattern.named_children(&mut cursor) {
            let (name, alias) = match self.kind(&child) {
                K::ShorthandPattern => (child, child),
                K::ObjectAssignPattern => match self.child(&child, self.f.left) {
                    Some(left) => (left, left),
                    None => continue,
                },
                K::PairPattern => match (self.child(&child, self.f.key), self.child(&child, self.f.value)) {
                    (Some(key), Some(value)) => (key, value),
                    _ => continue,
                },
                K::RestPattern => {
                    if let Some(name) = self.first(&child) {
                        self.module_import(cx, base, &name);
                    }
                    continue;
                }
                _ => continue,
            };
            let text = cx.slice(self.property_name(&name));
            let start = alias.start_byte() as u32;
            let alias = matches!(self.kind(&alias), K::Identifier | K::ShorthandPattern).then(|| cx.text_of(&alias));
            self.note(cx, Leaf { name: Some(text), alias, start, ..base });
            cx.occurrence_at(text, self.property_name(&name).start, Role::Import, None);
        }
    }

    /// The module and the member of `require('x')` and `require('x').a`, which a module may hand on.
    pub(super) fn required_value<'s, 't>(
        &self,
        cx: &Cx<'_, 's, 't>,
        value: &Node<'t>,
    ) -> Option<(&'s str, Option<&'s str>)> {
        let value = self.peel(*value);
        let (call, member) = match self.kind(&value) {
            K::Member => (self.peel(self.child(&value, self.f.object)?), self.child(&value, self.f.property)),
            _ => (value, None),
        };
        let source = self.requested(cx, &call).filter(|_| cx.text_of(&call).starts_with("require"))?;
        Some((cx.slice(self.property_name(&source)), member.map(|member| cx.text_of(&member))))
    }

    /// `exports.alias = require('x').a`: what another module offers, this one offers under a name.
    pub(super) fn hand_on_required(&self, cx: &mut Cx, value: &Node, alias: &str) -> bool {
        let Some((module, name)) = self.required_value(cx, value) else { return false };
        let start = value.start_byte() as u32;
        self.note(cx, Leaf { module, name, alias: Some(alias), reexport: true, start, ..Leaf::default() });
        true
    }

    /// `import('x')` in a type, which the mended text has the shape of a name for.
    pub(super) fn import_type(&self, cx: &mut Cx) -> bool {
        let at = span(&cx.node());
        let inside = cx.slice(at).strip_prefix("import(").and_then(|rest| rest.strip_suffix(')'));
        let Some(module) = inside.map(|text| text.trim_matches(['\'', '"'])) else { return false };
        self.note(cx, Leaf { module, start: at.start, ..Leaf::default() });
        true
    }

    /// `import('x').then((module) => …)`: the parameter at the current node is an import. `key` is the member that a
    /// pattern takes out of the module.
    pub(super) fn then_import(&self, cx: &mut Cx, call: &Node, key: Option<&Node>) -> bool {
        let Some(source) = self.requested(cx, call) else { return false };
        let node = cx.node();
        let base = Leaf { module: cx.slice(self.property_name(&source)), ..Leaf::default() };
        match key {
            None => self.module_import(cx, base, &node),
            Some(key) => {
                let (name, alias) = (cx.slice(self.property_name(key)), cx.text_of(&node));
                self.note(cx, Leaf { name: Some(name), alias: Some(alias), start: node.start_byte() as u32, ..base });
                cx.occurrence_at(name, self.property_name(key).start, Role::Import, None);
            }
        }
        true
    }

    /// A `require('x')` or `import('x')` in the middle of an expression.
    pub(super) fn inline_import(&self, cx: &mut Cx) {
        let Some(source) = self.requested(cx, &cx.node()) else { return };
        let at = self.property_name(&source);
        if self.parent(cx) == K::Statement {
            self.use_symbol(cx, at, span(&cx.node()), false);
        }
        let exports =
            self.parent(cx) == K::Assign && cx.parent().is_some_and(|outer| self.is_module_exports(cx, &outer));
        let base = Leaf { module: cx.slice(at), start: at.start, ..Leaf::default() };
        let required = cx.text_of(&cx.node()).starts_with("require");
        if exports {
            self.note(cx, Leaf { glob: true, reexport: true, ..base });
            // What the other module is as a whole, this one is too.
            self.note(cx, Leaf { name: Some("default"), alias: Some("default"), reexport: true, ..base });
        } else {
            // Whoever calls `() => import('x')` is given the module, wherever in the file that is.
            let name = self.imported_module(cx, &cx.node());
            self.note_in(cx, ScopeId(0), Leaf { alias: name.as_deref(), ..base });
        }
        // `require('x').run()`: the member is imported where it stands, and introduces no name.
        let member = cx.parent().filter(|outer| required && self.kind(outer) == K::Member);
        if let Some(name) = member.and_then(|outer| self.child(&outer, self.f.property)) {
            let start = name.start_byte() as u32;
            self.note(cx, Leaf { name: Some(cx.text_of(&name)), alias: Some(""), start, ..base });
        }
    }
}
