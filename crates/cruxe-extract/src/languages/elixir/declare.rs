//! The calls and attributes of Elixir that declare something.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, Import, Relation, ScopeKind, Span, SymbolFlags, SymbolIndex};
use tree_sitter::Node;

use super::{Elixir, FUNCTIONS, IMPORTS, K, TESTS};
use crate::build::{Decl, signature};
use crate::languages::common::{path_type, plain_string};
use crate::walk::{Cx, span};

impl Elixir {
    pub(super) fn call(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(word) = self.word(cx, &node) else { return };
        match word {
            "defmodule" => self.module(cx, SymbolKind::Module),
            "defprotocol" => self.module(cx, SymbolKind::Interface),
            "defimpl" => self.implementation(cx),
            "defstruct" | "defexception" => self.fields(cx),
            word if FUNCTIONS.contains(&word) => self.function(cx, word),
            word if IMPORTS.contains(&word) => self.import(cx, word),
            word if TESTS.contains(&word) => self.test(cx),
            _ if self.do_block(&node).is_some() => cx.open_scope(ScopeKind::Block),
            _ => {}
        }
    }

    fn module(&self, cx: &mut Cx, kind: SymbolKind) {
        let node = cx.node();
        let name = self.arguments(&node).and_then(|list| list.named_child(0)).filter(|name| self.is(name, K::Alias));
        let Some(name) = name else { return };
        let text = cx.text_of(&name);
        let (qualifier, last) = text.rsplit_once('.').map_or((None, text), |(outer, last)| (Some(outer), last));
        let end = name.end_byte() as u32;
        let at = Span { start: end - last.len() as u32, end };
        let mut decl = Decl::new(kind, last, at, span(&node)).leading(cx.leading(&node));
        decl.signature_end = Some(end);
        decl.access = Access::Public;
        decl.qualifier = qualifier;
        let symbol = cx.declare(decl);
        cx.open_symbol(symbol);
        cx.open_scope(ScopeKind::Module);
    }

    /// `defimpl Protocol, for: Type`: named like that, without a name of its own.
    fn implementation(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(arguments) = self.arguments(&node) else { return };
        let Some(protocol) = arguments.named_child(0).filter(|name| self.is(name, K::Alias)) else { return };
        let options = arguments.named_child(1).and_then(|options| options.named_child(0));
        let ty = options.and_then(|pair| pair.child_by_field_name("value"));
        let text = cx.text_of(&protocol);
        let name = ty.map_or(text.to_owned(), |ty| format!("{text} for {}", cx.text_of(&ty)));
        let mut decl = Decl::new(SymbolKind::Impl, name, span(&protocol), span(&node)).leading(cx.leading(&node));
        decl.signature_end = Some(arguments.end_byte() as u32);
        decl.access = Access::Public;
        let symbol = cx.declare(decl);
        let protocol = path_type(cx, &protocol, ".");
        cx.heritage(symbol, Relation::Implements, protocol);
        if let Some(ty) = ty.filter(|ty| self.is(ty, K::Alias)) {
            let ty = path_type(cx, &ty, ".");
            cx.heritage(symbol, Relation::SelfType, ty);
        }
        cx.open_symbol(symbol);
        cx.open_scope(ScopeKind::Module);
    }

    /// `:name` and `items:` of `defstruct [:name, items: []]`.
    fn fields(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(list) = self.arguments(&node).and_then(|arguments| arguments.named_child(0)) else { return };
        let mut cursor = list.walk();
        let mut names: Vec<(Node, Span)> = Vec::new();
        let entries: Vec<Node> = match list.kind() {
            "keywords" => vec![list],
            _ => list.named_children(&mut cursor).collect(),
        };
        for entry in entries {
            match entry.kind() {
                "atom" => {
                    names.push((entry, Span { start: entry.start_byte() as u32 + 1, end: entry.end_byte() as u32 }))
                }
                "keywords" => {
                    let mut cursor = entry.walk();
                    for pair in entry.named_children(&mut cursor) {
                        let Some(key) = pair.child_by_field_name("key") else { continue };
                        let name = cx.text_of(&key).trim_end().trim_end_matches(':');
                        let start = key.start_byte() as u32;
                        names.push((pair, Span { start, end: start + name.len() as u32 }));
                    }
                }
                _ => {}
            }
        }
        for (entry, at) in names {
            let mut decl = Decl::new(SymbolKind::Field, cx.slice(at), at, span(&entry));
            decl.signature_end = Some(entry.end_byte() as u32);
            decl.access = Access::Public;
            cx.declare(decl);
        }
    }

    /// The name, and the end of the head, of `f`, `f(x)`, `f(x) when y` and `a <~> b`.
    fn head<'t>(&self, cx: &Cx, node: &Node<'t>) -> Option<Node<'t>> {
        let mut node = *node;
        for _ in 0..4 {
            node = match self.kinds.get(node.kind_id()) {
                K::Identifier => return Some(node),
                K::Call => node.child_by_field_id(self.target)?,
                K::Binary if matches!(self.operator(cx, &node), "when" | "::") => node.child_by_field_id(self.left)?,
                K::Binary => return node.child_by_field_id(self.operator),
                _ => return None,
            };
        }
        None
    }

    fn function(&self, cx: &mut Cx, word: &str) {
        let node = cx.node();
        let Some(head) = self.arguments(&node).and_then(|list| list.named_child(0)) else { return };
        let Some(name) = self.head(cx, &head) else { return cx.open_scope(ScopeKind::Function) };
        let kind = if word.starts_with("defmacro") { SymbolKind::Macro } else { SymbolKind::Fn };
        let text = cx.text_of(&name);
        let mut decl = Decl::new(kind, text, span(&name), span(&node)).leading(cx.leading(&node));
        decl.signature_end = Some(head.end_byte() as u32);
        let private = word.ends_with('p') || word == "defguardp";
        decl.access = if private { Access::Private } else { Access::Public };
        let bodiless = self.do_block(&node).is_none() && node.named_child_count() < 3;
        let in_protocol = cx.current_kind() == Some(SymbolKind::Interface);
        decl.flags = SymbolFlags { declaration: bodiless && in_protocol, ..SymbolFlags::default() };
        let arity = arity(&signature(cx.slice(Span { start: decl.span.start, end: head.end_byte() as u32 })));
        let symbol = match self.clause_before(cx, kind, text, arity) {
            Some(symbol) => {
                let end = node.end_byte() as u32;
                cx.amend(symbol, |symbol| (symbol.span.end, symbol.full_span.end) = (end, end));
                symbol
            }
            None => cx.declare(decl),
        };
        cx.open_symbol(symbol);
        cx.open_scope(ScopeKind::Function);
    }

    /// The function that the current clause goes on with: it has the same name and as many parameters.
    fn clause_before(&self, cx: &Cx, kind: SymbolKind, name: &str, count: usize) -> Option<SymbolIndex> {
        let last = cx.siblings().next()?;
        let symbol = cx.symbol_at(last);
        (symbol.kind == kind && symbol.name == name && arity(&symbol.signature) == count).then_some(last)
    }

    fn test(&self, cx: &mut Cx) {
        let node = cx.node();
        let name = self.arguments(&node).and_then(|list| list.named_child(0)).filter(|name| name.kind() == "string");
        let Some(at) = name.and_then(|name| plain_string(&name, "quoted_content")) else { return };
        let mut decl = Decl::new(SymbolKind::Fn, cx.slice(at), at, span(&node)).leading(cx.leading(&node));
        decl.signature_end = self.do_block(&node).map(|block| block.start_byte() as u32);
        decl.flags = SymbolFlags { test: true, ..SymbolFlags::default() };
        let symbol = cx.declare(decl);
        cx.open_symbol(symbol);
        cx.open_scope(ScopeKind::Function);
    }

    fn import(&self, cx: &mut Cx, word: &str) {
        let node = cx.node();
        let Some(arguments) = self.arguments(&node) else { return };
        let Some(first) = arguments.named_child(0) else { return };
        let options = arguments.named_child(1).filter(|options| options.kind() == "keywords");
        let alias = options.and_then(|options| self.option(cx, &options, "as"));
        match self.kinds.get(first.kind_id()) {
            K::Alias => {
                let text = cx.text_of(&first);
                self.one_import(cx, word, span(&first), text.to_owned(), alias);
            }
            K::Dot => {
                let (Some(left), Some(right)) =
                    (first.child_by_field_id(self.left), first.child_by_field_id(self.right))
                else {
                    return;
                };
                let base = cx.text_of(&left);
                let mut cursor = right.walk();
                for part in right.named_children(&mut cursor).filter(|part| self.is(part, K::Alias)) {
                    let text = format!("{base}.{}", cx.text_of(&part));
                    self.one_import(cx, word, span(&part), text, None);
                }
            }
            _ => {}
        }
    }

    fn option<'t>(&self, cx: &Cx, options: &Node<'t>, wanted: &str) -> Option<Node<'t>> {
        let mut cursor = options.walk();
        let pair = options.named_children(&mut cursor).find(|pair| {
            let key = pair.child_by_field_name("key");
            key.is_some_and(|key| cx.text_of(&key).trim_end().trim_end_matches(':') == wanted)
        });
        pair?.child_by_field_name("value")
    }

    /// `alias A.B` makes `B` a name; the others bring in what is inside of `A.B`.
    fn one_import(&self, cx: &mut Cx, word: &str, at: Span, path: String, alias: Option<Node>) {
        let node = cx.node();
        let decl = Decl::new(SymbolKind::Use, path.clone(), at, span(&node));
        cx.declare(decl);
        let last = path.rsplit('.').next().map_or(0, str::len) as u32;
        let start = alias.map_or(at.end - last, |alias| alias.start_byte() as u32);
        let alias = alias.map(|alias| cx.name_of(&alias));
        let (module, name) = match path.rsplit_once('.') {
            Some((module, name)) if word == "alias" => {
                let name = cx.owned_name(name.to_owned());
                (cx.owned_name(module.to_owned()), Some(name))
            }
            _ => (cx.owned_name(path), None),
        };
        let scope = cx.current_scope();
        let glob = matches!(word, "use" | "import");
        // What `use` defines in a module, others find there.
        cx.import(Import { module, name, alias, glob, reexport: word == "use", start, scope });
    }

    /// `@limit 10`, `@type t :: …`, `@callback f(x) :: y`, `@behaviour B`, `@moduledoc "…"`.
    pub(super) fn attribute(&self, cx: &mut Cx) {
        let node = cx.node();
        if self.operator(cx, &node) != "@" {
            return;
        }
        let Some(operand) = node.child_by_field_id(self.operand).filter(|operand| self.is(operand, K::Call)) else {
            return;
        };
        let Some(value) = self.arguments(&operand).and_then(|list| list.named_child(0)) else { return };
        let inside = matches!(cx.current_kind(), Some(SymbolKind::Fn | SymbolKind::Macro));
        match self.word(cx, &operand) {
            Some("moduledoc") => {
                let doc = span(&node);
                if let Some(symbol) = cx.current_symbol() {
                    cx.amend(symbol, |symbol| symbol.doc_span = doc);
                }
            }
            Some("behaviour") if self.is(&value, K::Alias) => {
                if let Some(symbol) = cx.current_symbol() {
                    let ty = path_type(cx, &value, ".");
                    cx.heritage(symbol, Relation::Implements, ty);
                }
            }
            Some("type" | "opaque") => self.named(cx, &value, SymbolKind::Type, Access::Public),
            Some("typep") => self.named(cx, &value, SymbolKind::Type, Access::Private),
            Some("callback" | "macrocallback") => self.named(cx, &value, SymbolKind::Fn, Access::Public),
            Some(
                "doc" | "typedoc" | "spec" | "impl" | "deprecated" | "since" | "tag" | "describetag" | "moduletag"
                | "dialyzer" | "derive" | "enforce_keys" | "compile" | "before_compile" | "after_compile" | "on_load"
                | "external_resource" | "optional_callbacks" | "behaviour",
            ) => {}
            Some(name) if !inside && !name.is_empty() => {
                if let Some(name) = operand.child_by_field_id(self.target) {
                    self.constant(cx, &name, &value);
                }
            }
            _ => {}
        }
    }

    fn named(&self, cx: &mut Cx, value: &Node, kind: SymbolKind, access: Access) {
        let node = cx.node();
        let Some(name) = self.head(cx, value) else { return };
        let mut decl = Decl::new(kind, cx.text_of(&name), span(&name), span(&node)).leading(cx.leading(&node));
        decl.signature_end = Some(node.end_byte() as u32);
        decl.access = access;
        decl.flags = SymbolFlags { declaration: kind == SymbolKind::Fn, ..SymbolFlags::default() };
        cx.declare(decl);
    }

    fn constant(&self, cx: &mut Cx, name: &Node, value: &Node) {
        let node = cx.node();
        let mut decl =
            Decl::new(SymbolKind::Const, cx.text_of(name), span(name), span(&node)).leading(cx.leading(&node));
        let long = node.end_byte() - node.start_byte() > 160;
        decl.signature_end = Some(if long { value.start_byte() } else { node.end_byte() } as u32);
        decl.access = Access::Private;
        cx.declare(decl);
    }
}

/// How many parameters a head has, counted by the commas that are in no inner brackets.
fn arity(head: &str) -> usize {
    let Some(open) = head.find('(') else { return 0 };
    let (mut depth, mut commas, mut any) = (0u32, 0, false);
    for c in head[open..].chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
            }
            ',' if depth == 1 => commas += 1,
            c => any |= !c.is_whitespace(),
        }
    }
    if any { commas + 1 } else { 0 }
}
