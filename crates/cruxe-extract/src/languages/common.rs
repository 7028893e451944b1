//! What the rules of several small languages share.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Expr, ExprId, Import, NameId, Role, Span, TypeId};
use tree_sitter::Node;

use crate::build::Decl;
use crate::walk::{Cx, Leading, span};

/// An import to note, see [`import`].
pub(super) struct Imported<'t> {
    /// The whole statement.
    pub whole: Span,
    /// The module, without quotes.
    pub path: Span,
    /// The name that it has here.
    pub alias: Option<Node<'t>>,
    /// Everything in it becomes visible.
    pub glob: bool,
    /// What stands between the parts of `path`; the last part is the occurrence.
    pub separators: &'static [char],
}

/// Notes the import of a module: its symbol, the import itself, and the use of the module's name.
pub(super) fn import(cx: &mut Cx, imported: &Imported) {
    let text = cx.slice(imported.path);
    if text.is_empty() {
        return;
    }
    cx.declare(Decl::new(SymbolKind::Use, text, imported.path, imported.whole));
    let alias = imported.alias.map(|name| cx.name_of(&name));
    let start = imported.alias.map_or(imported.path.start, |name| name.start_byte() as u32);
    let (module, scope) = (cx.name(text), cx.current_scope());
    cx.import(Import { module, name: None, alias, glob: imported.glob, reexport: false, start, scope });
    let last = text.rsplit(imported.separators).next().unwrap_or(text);
    cx.occurrence_at(last, imported.path.end - last.len() as u32, Role::Import, None);
}

/// Comments before a node; before the body around it when the node is the first of the body, because some grammars put
/// the comments at the top of a body in front of it.
pub(super) fn leading<'t>(cx: &Cx<'_, '_, 't>, node: &Node<'t>, body: u16) -> Option<Leading> {
    let first = || cx.parent().filter(|parent| parent.kind_id() == body && parent.start_byte() == node.start_byte());
    cx.leading(node).or_else(|| cx.leading(&first()?))
}

/// A literal of a kind, for receivers.
pub(super) fn literal(cx: &mut Cx, word: &'static str) -> Expr {
    Expr::Literal(cx.owned_name(word.to_owned()))
}

/// An expression from its parts; unknown when the base is missing.
pub(super) fn member(base: Option<ExprId>, name: Option<NameId>) -> Expr {
    match (base, name) {
        (Some(base), Some(name)) => Expr::Member(base, name),
        (None, Some(name)) => Expr::Name(name),
        _ => Expr::Unknown,
    }
}

/// The type that a dotted or colon-separated path of the source names.
pub(super) fn path_type(cx: &mut Cx, node: &Node, separator: &str) -> TypeId {
    let text = cx.text_of(node);
    let path: Vec<NameId> =
        text.split(separator).map(str::trim).filter(|part| !part.is_empty()).map(|part| cx.name(part)).collect();
    cx.ty(path, Vec::new())
}

/// The bytes between the quotes of a string that holds nothing but plain text.
pub(super) fn plain_string(node: &Node, content: &str) -> Option<Span> {
    let inside = node.named_child(0)?;
    (node.named_child_count() == 1 && inside.kind() == content).then(|| span(&inside))
}

/// A file's name without its endings.
pub(super) fn stem(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// Whether a file's name ends with one of some words, as `AuditTest` does, and has more than it.
pub(super) fn ends_with_word(name: &str, words: &[&str]) -> bool {
    let stem = stem(name);
    words.iter().any(|word| stem.len() > word.len() && stem.ends_with(word))
}

/// Whether a path has one of some parts.
pub(super) fn has_any(path: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| path.contains(part))
}
