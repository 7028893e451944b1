//! Imports and re-exports.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Expr, Import, NameId, Role, ScopeId, Span};
use tree_sitter::Node;

use super::{K, Python};
use crate::build::Decl;
use crate::walk::{Cx, children, span};

impl Python {
    /// One symbol and one import for every imported name.
    pub(super) fn import(&self, cx: &mut Cx) {
        let node = cx.node();
        let from = match self.kind(&node) {
            K::FutureImport => {
                if let Some(word) = node.child(1) {
                    cx.occurrence(&word, Role::Import, None);
                }
                Some("__future__".to_owned())
            }
            K::ImportFrom => node.child_by_field_name("module_name").map(|module| {
                self.path_occurrences(cx, &module);
                cx.text_of(&module).split_whitespace().collect()
            }),
            _ => None,
        };
        let mut cursor = node.walk();
        let leaves: Vec<Node> = children(&node, self.name, &mut cursor).collect();
        // A statement with one name is that name's declaration; with several, each name declares itself.
        let alone = leaves.len() == 1;
        for leaf in &leaves {
            let span = span(if alone { &node } else { leaf });
            match &from {
                Some(module) => self.import_from(cx, module, leaf, span),
                None => self.import_module(cx, leaf, span),
            }
        }
        if let (true, Some(module)) = (leaves.is_empty(), from) {
            self.import_all(cx, &module);
        }
    }

    /// `import a.b.c`, `import a.b as c`.
    fn import_module(&self, cx: &mut Cx, leaf: &Node, span: Span) {
        let Some((path, alias)) = self.parts_of(leaf) else { return };
        self.path_occurrences(cx, &path);
        let text: String = cx.text_of(&path).split_whitespace().collect();
        self.use_symbol(cx, text.clone(), &path, span);
        let reexport = alias.is_some_and(|alias| cx.text_of(&alias) == text);
        let module = cx.owned_name(text);
        self.note(cx, Import { reexport, ..self.plain_import(cx, module, alias.as_ref().unwrap_or(&path)) }, alias);
    }

    /// `from module import name`, `from module import name as alias`.
    fn import_from(&self, cx: &mut Cx, module: &str, leaf: &Node, span: Span) {
        let Some((path, alias)) = self.parts_of(leaf) else { return };
        cx.occurrence(&path, Role::Import, None);
        let text = cx.text_of(&path);
        self.use_symbol(cx, join(module, text), &path, span);
        let itself = alias.is_some_and(|alias| cx.text_of(&alias) == text);
        let reexport = itself || self.is_package_export(cx, module);
        let module = cx.owned_name(module.to_owned());
        let name = Some(cx.name(text));
        let import = self.plain_import(cx, module, alias.as_ref().unwrap_or(&path));
        self.note(cx, Import { name, reexport, ..import }, alias);
    }

    /// `from module import *`.
    fn import_all(&self, cx: &mut Cx, module: &str) {
        let node = cx.node();
        let Some(star) = node.named_child(node.named_child_count().saturating_sub(1) as u32) else { return };
        self.use_symbol(cx, join(module, "*"), &star, span(&node));
        let reexport = self.is_package_export(cx, module);
        let module = cx.owned_name(module.to_owned());
        let import = self.plain_import(cx, module, &star);
        cx.import(Import { glob: true, reexport, ..import });
    }

    fn use_symbol(&self, cx: &mut Cx, name: String, name_node: &Node, whole: Span) {
        let mut decl = Decl::new(SymbolKind::Use, name, span(name_node), whole);
        decl.flags = self.flags(cx);
        cx.declare(decl);
    }

    fn plain_import(&self, cx: &Cx, module: NameId, at: &Node) -> Import {
        let (start, mut scope) = (at.start_byte() as u32, cx.function_scope());
        // `global config`, and an import of `config` that comes late: it is the module's.
        let bound = cx.text_of(at).split('.').next().unwrap_or_default().trim();
        if cx.disowns(scope, bound) {
            scope = ScopeId(0);
        }
        Import { module, name: None, alias: None, glob: false, reexport: false, start, scope }
    }

    fn note(&self, cx: &mut Cx, import: Import, alias: Option<Node>) {
        let alias = alias.map(|alias| cx.name_of(&alias));
        cx.import(Import { alias, ..import });
    }

    /// The imported path and its alias.
    fn parts_of<'t>(&self, leaf: &Node<'t>) -> Option<(Node<'t>, Option<Node<'t>>)> {
        match self.kind(leaf) {
            K::DottedName => Some((*leaf, None)),
            _ => Some((leaf.child_by_field_id(self.name)?, leaf.child_by_field_id(self.alias))),
        }
    }

    /// The parts of `a.b.c`, of `..a.b`.
    fn path_occurrences(&self, cx: &mut Cx, path: &Node) {
        let relative = self.kind(path) != K::DottedName;
        let dotted = if relative { path.named_child(1) } else { Some(*path) };
        let Some(dotted) = dotted.filter(|dotted| self.kind(dotted) == K::DottedName) else { return };
        let mut receiver = None;
        let mut cursor = dotted.walk();
        for part in dotted.named_children(&mut cursor) {
            cx.occurrence(&part, Role::Import, receiver);
            let name = cx.name_of(&part);
            receiver = Some(cx.expr(receiver.map_or(Expr::Name(name), |base| Expr::Member(base, name))));
        }
    }

    /// What the `__init__` of a package imports from its own project, others import from the package.
    fn is_package_export(&self, cx: &Cx, module: &str) -> bool {
        let file = cx.path().rsplit('/').next().unwrap_or_default();
        let top = |path: &str| path.split('.').next().unwrap_or_default().to_owned();
        matches!(file, "__init__.py" | "__init__.pyi")
            && (module.starts_with('.') || (!cx.module().is_empty() && top(module) == top(cx.module())))
    }
}

/// `.x` of `from . import x`, `..pkg.y` of `from ..pkg import y`.
fn join(module: &str, name: &str) -> String {
    if module.ends_with('.') { format!("{module}{name}") } else { format!("{module}.{name}") }
}
