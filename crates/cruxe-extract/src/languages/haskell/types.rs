//! Haskell types: data, classes, instances, and what a signature returns.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, Relation, ScopeKind, SymbolFlags, TypeId};
use tree_sitter::Node;

use super::{Haskell, K, between};
use crate::build::Decl;
use crate::languages::common::path_type;
use crate::walk::{Cx, span};

/// Types nested deeper than this are not looked into.
const MAX_STEPS: u32 = 12;

impl Haskell {
    pub(super) fn type_declaration(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = node.child_by_field_id(self.name) else { return };
        let name = if self.is(&name, K::PrefixId) { name.named_child(0).unwrap_or(name) } else { name };
        let constructors = node.child_by_field_name("constructors");
        let kind = match self.kinds.get(node.kind_id()) {
            K::Class => SymbolKind::Trait,
            K::TypeAlias => SymbolKind::Type,
            K::Newtype => SymbolKind::Struct,
            _ if constructors.is_some_and(|all| all.named_child_count() == 1) => SymbolKind::Struct,
            _ => SymbolKind::Enum,
        };
        let text = cx.text_of(&name);
        let mut decl = self.with_leading(cx, &node, Decl::new(kind, text, span(&name), span(&node)));
        let head = node.child_by_field_id(self.patterns).unwrap_or(name).end_byte();
        decl.signature_end = Some(if kind == SymbolKind::Type { node.end_byte() } else { head } as u32);
        decl.access = self.access(cx, text);
        if kind == SymbolKind::Type {
            decl.ty = node.child_by_field_id(self.ty).and_then(|ty| self.type_ref(cx, &ty, 0));
        }
        let symbol = cx.declare(decl);
        cx.open_symbol(symbol);
        cx.open_scope(ScopeKind::Type);
    }

    /// `instance Priced Item`: named like that, without a name of its own.
    pub(super) fn instance(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(class) = node.child_by_field_id(self.name) else { return };
        let patterns = node.child_by_field_id(self.patterns);
        let whole = between(&class, &patterns.unwrap_or(class));
        let name = cx.slice(whole).split_whitespace().collect::<Vec<_>>().join(" ");
        let mut decl = self.with_leading(cx, &node, Decl::new(SymbolKind::Impl, name, whole, span(&node)));
        decl.signature_end = Some(whole.end);
        decl.access = Access::Public;
        decl.flags = SymbolFlags { declaration: self.is(&node, K::DerivingInstance), ..SymbolFlags::default() };
        let symbol = cx.declare(decl);
        if let Some(ty) = self.type_ref(cx, &class, 0) {
            cx.heritage(symbol, Relation::Implements, ty);
        }
        if let Some(ty) = patterns.and_then(|all| all.named_child(0)).and_then(|ty| self.type_ref(cx, &ty, 0)) {
            cx.heritage(symbol, Relation::SelfType, ty);
        }
        cx.open_symbol(symbol);
        cx.open_scope(ScopeKind::Type);
    }

    pub(super) fn constructor(&self, cx: &mut Cx) {
        let node = cx.node();
        let form = node.child_by_field_name("constructor").unwrap_or(node);
        let name = form.child_by_field_id(self.name).or_else(|| form.child_by_field_id(self.operator));
        let Some(name) = name else { return };
        let name = if self.is(&name, K::PrefixId) { name.named_child(0).unwrap_or(name) } else { name };
        let mut decl = Decl::new(SymbolKind::Variant, cx.text_of(&name), span(&name), span(&node));
        decl = decl.leading(cx.leading(&node));
        let long = node.end_byte() - node.start_byte() > 120;
        decl.signature_end = Some(if long { name.end_byte() } else { node.end_byte() } as u32);
        decl.access = self.inherited(cx);
        cx.declare(decl);
    }

    fn inherited(&self, cx: &Cx) -> Access {
        cx.current_symbol().map_or(Access::Unknown, |at| cx.symbol_at(at).access)
    }

    pub(super) fn field_declaration(&self, cx: &mut Cx) {
        let node = cx.node();
        let ty = node.child_by_field_id(self.ty).and_then(|ty| self.type_ref(cx, &ty, 0));
        let access = self.inherited(cx);
        let mut cursor = node.walk();
        for part in node.named_children(&mut cursor).filter(|part| self.is(part, K::FieldName)) {
            let Some(name) = part.named_child(0) else { continue };
            let mut decl = Decl::new(SymbolKind::Field, cx.text_of(&name), span(&name), span(&node));
            decl = decl.leading(cx.leading(&node));
            decl.signature_end = Some(node.end_byte() as u32);
            decl.access = access;
            decl.ty = ty;
            cx.declare(decl);
        }
    }

    pub(super) fn deriving(&self, cx: &mut Cx) {
        let Some(symbol) = cx.current_symbol() else { return };
        let Some(classes) = cx.node().child_by_field_name("classes") else { return };
        let mut cursor = classes.walk();
        let list: Vec<Node> = match self.kinds.get(classes.kind_id()) {
            K::Name | K::Qualified | K::Apply => vec![classes],
            _ => classes.named_children(&mut cursor).collect(),
        };
        for class in list {
            if let Some(ty) = self.type_ref(cx, &class, 0) {
                cx.heritage(symbol, Relation::Implements, ty);
            }
        }
    }

    /// Whether a type takes arguments: `a -> b`, below any `forall` and context.
    pub(super) fn is_function_type(&self, ty: &Node) -> bool {
        let mut ty = *ty;
        for _ in 0..MAX_STEPS {
            match ty.kind() {
                "function" | "linear_function" => return true,
                "forall" | "context" | "parens" => match last(&ty) {
                    Some(inner) => ty = inner,
                    None => return false,
                },
                _ => return false,
            }
        }
        false
    }

    /// What remains after all arguments.
    pub(super) fn result_type(&self, cx: &mut Cx, ty: &Node) -> Option<TypeId> {
        let mut ty = *ty;
        for _ in 0..64 {
            match ty.kind() {
                "function" | "linear_function" => ty = ty.child_by_field_name("result")?,
                "forall" | "context" => ty = last(&ty)?,
                _ => break,
            }
        }
        self.type_ref(cx, &ty, 0)
    }

    pub(super) fn type_ref(&self, cx: &mut Cx, node: &Node, steps: u32) -> Option<TypeId> {
        if steps > MAX_STEPS {
            return None;
        }
        match node.kind() {
            "name" | "qualified" => Some(path_type(cx, node, ".")),
            "apply" => {
                let head = node.child_by_field_name("constructor")?;
                let argument = node.child_by_field_name("argument");
                let argument = argument.and_then(|argument| self.type_ref(cx, &argument, steps + 1));
                let head = self.type_ref(cx, &head, steps + 1)?;
                let (path, mut args) = cx.type_at(head);
                args.extend(argument);
                Some(cx.ty(path, args))
            }
            "parens" | "strict_field" | "lazy_field" => self.type_ref(cx, &last(node)?, steps + 1),
            "list" => {
                let inner = node.named_child(0).and_then(|inner| self.type_ref(cx, &inner, steps + 1));
                let name = cx.owned_name("[]".to_owned());
                Some(cx.ty(vec![name], inner.into_iter().collect()))
            }
            _ => None,
        }
    }
}

fn last<'t>(node: &Node<'t>) -> Option<Node<'t>> {
    node.named_child(node.named_child_count().checked_sub(1)? as u32)
}
