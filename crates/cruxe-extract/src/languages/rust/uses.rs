//! `use` and `extern crate`.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, ExprId, Import, Role, Span, SymbolFlags};
use tree_sitter::Node;

use super::{K, Rust, attributes, items};
use crate::build::Decl;
use crate::walk::{Cx, Walk, span};

/// The part of a use tree's path that was read so far.
#[derive(Clone, Default)]
struct Prefix {
    path: String,
    expr: Option<ExprId>,
}

/// What a use tree brings into scope.
struct Leaf<'t> {
    prefix: Prefix,
    /// Where the imported name (or the `*`) stands.
    name: Node<'t>,
    alias: Option<Node<'t>>,
    glob: bool,
}

impl Rust {
    /// One symbol and one import per leaf of the tree.
    pub(super) fn use_declaration(&self, cx: &mut Cx) -> Walk {
        let node = cx.node();
        let Some(argument) = node.child_by_field_id(self.fields.argument) else { return Walk::Skip };
        let mut stack = vec![(argument, Prefix::default())];
        while let Some((tree, prefix)) = stack.pop() {
            let path = tree.child_by_field_id(self.fields.path);
            match self.k(&tree) {
                K::UseList => {
                    let mut cursor = tree.walk();
                    let from = stack.len();
                    stack.extend(tree.named_children(&mut cursor).map(|child| (child, prefix.clone())));
                    stack[from..].reverse();
                }
                K::ScopedUseList => {
                    let prefix = path.map_or(prefix.clone(), |path| self.use_path(cx, &path, prefix));
                    stack.extend(tree.child_by_field_id(self.fields.list).map(|list| (list, prefix)));
                }
                K::UseWildcard => {
                    let prefix = tree.named_child(0).map_or(prefix.clone(), |path| self.use_path(cx, &path, prefix));
                    let star = tree.child(tree.child_count().saturating_sub(1)).unwrap_or(tree);
                    self.leaf(cx, &node, Leaf { prefix, name: star, alias: None, glob: true });
                }
                K::UseAs => {
                    let Some(path) = path else { continue };
                    let prefix = self.use_path(cx, &path, prefix);
                    let alias = tree.child_by_field_id(self.fields.alias);
                    self.leaf(cx, &node, Leaf { prefix, name: self.last_segment(path), alias, glob: false });
                }
                K::Identifier | K::ScopedPath | K::SelfValue | K::Super | K::Crate => {
                    let prefix = self.use_path(cx, &tree, prefix);
                    self.leaf(cx, &node, Leaf { prefix, name: self.last_segment(tree), alias: None, glob: false });
                }
                _ => {}
            }
        }
        Walk::Skip
    }

    fn last_segment<'t>(&self, path: Node<'t>) -> Node<'t> {
        path.child_by_field_id(self.fields.name).unwrap_or(path)
    }

    /// Reads the segments of a path behind a prefix and notes each of them.
    fn use_path(&self, cx: &mut Cx, path: &Node, mut prefix: Prefix) -> Prefix {
        let mut segments = Vec::new();
        let mut rest = Some(*path);
        while let Some(node) = rest {
            segments.push(self.last_segment(node));
            rest = node.child_by_field_id(self.fields.path);
        }
        for segment in segments.iter().rev() {
            let text = cx.text_of(segment);
            if text == "self" && !prefix.path.is_empty() {
                continue; // `a::{self}` is `a`
            }
            if self.k(segment) == K::Identifier {
                cx.occurrence(segment, Role::Import, prefix.expr);
            }
            if !prefix.path.is_empty() {
                prefix.path.push_str("::");
            }
            prefix.path.push_str(text);
            prefix.expr = Some(self.extend(cx, prefix.expr, segment));
        }
        prefix
    }

    fn leaf(&self, cx: &mut Cx, declaration: &Node, leaf: Leaf) {
        let path = leaf.prefix.path;
        let shown = match (leaf.glob, path.is_empty()) {
            (true, true) => "*".to_owned(),
            (true, false) => format!("{path}::*"),
            _ => path.clone(),
        };
        let (visibility, access) = self.visibility(cx, declaration);
        let whole = Span { start: span(declaration).start, end: span(declaration).end.min(cx.limit()) };
        let mut decl = Decl::new(SymbolKind::Use, shown, span(&leaf.name), whole);
        (decl.visibility, decl.access) = (visibility, access);
        let above = cx.leading(&cx.node()).map_or(whole.start, |leading| leading.start);
        let above = cx.slice(Span { start: above, end: whole.start });
        let test = items::in_test(cx) || attributes::mark_test(above);
        decl.flags = SymbolFlags { test, ..SymbolFlags::default() };
        cx.declare(decl);
        let (module, name) = match path.rsplit_once("::") {
            Some((module, name)) if !leaf.glob => (module.to_owned(), Some(name.to_owned())),
            _ => (path, None),
        };
        let alias = leaf.alias.map(|alias| cx.name_of(&alias));
        let start = leaf.alias.unwrap_or(leaf.name).start_byte() as u32;
        self.note_import(cx, module, name, alias, (leaf.glob, access), start);
    }

    fn note_import(
        &self,
        cx: &mut Cx,
        module: String,
        name: Option<String>,
        alias: Option<cruxe_model::facts::NameId>,
        (glob, access): (bool, Access),
        start: u32,
    ) {
        let module = cx.owned_name(module);
        let name = name.map(|name| cx.owned_name(name));
        let scope = cx.current_scope();
        cx.import(Import { module, name, alias, glob, reexport: access != Access::Private, start, scope });
    }

    pub(super) fn extern_crate(&self, cx: &mut Cx) -> Walk {
        let node = cx.node();
        let Some(name) = node.child_by_field_id(self.fields.name) else { return Walk::Skip };
        let (visibility, access) = self.visibility(cx, &node);
        let text = cx.text_of(&name);
        let mut decl = Decl::new(SymbolKind::Use, text, span(&name), span(&node));
        (decl.visibility, decl.access) = (visibility, access);
        cx.declare(decl);
        let alias_node = node.child_by_field_id(self.fields.alias);
        let alias = alias_node.map(|alias| cx.name_of(&alias));
        let start = alias_node.unwrap_or(name).start_byte() as u32;
        self.note_import(cx, text.to_owned(), None, alias, (false, access), start);
        cx.occurrence(&name, Role::Import, None);
        Walk::Skip
    }
}
