//! Types inside strings: `"Foo"`, `"list[models.User] | None"`.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Expr, NameId, Role, ScopeKind, Span, TypeId};
use tree_sitter::Node;

use super::types::without_typing;
use super::{K, MAX_STEPS, Python};
use crate::walk::{Cx, Walk, span};

/// No path of a module is longer.
const MAX_PATH: usize = 200;

impl Python {
    /// A string: a type in quotes, an entry of `__all__`, the doc of an attribute, or just text. Only the holes of
    /// f-strings are visited.
    pub(super) fn string(&self, cx: &mut Cx) -> Walk {
        let node = cx.node();
        let Some(inside) = contents(cx, &node) else { return Walk::Into };
        if self.kind_at(cx, 1) == K::ExpressionStatement {
            self.attribute_doc(cx);
        } else if self.is_quoted_type(cx) {
            let text = cx.slice(inside);
            if parse(self, cx, text, inside.start, false).is_some() {
                parse(self, cx, text, inside.start, true);
            }
        } else if self.is_exported(cx) {
            let text = cx.slice(inside);
            if is_name(text) {
                cx.occurrence_at(text, inside.start, Role::Value, None);
            }
        } else if let Some(object) = self.reflected(cx) {
            let text = cx.slice(inside);
            if is_name(text) {
                let receiver = self.expr(cx, &object, 0);
                cx.occurrence_at(text, inside.start, Role::Value, Some(receiver));
            }
        } else if !self.fixture_name(cx, inside) {
            self.dotted_path(cx, inside);
        }
        Walk::Skip
    }

    /// The object of `getattr(object, "name")` and the like, where the current string is the name.
    fn reflected<'t>(&self, cx: &Cx<'_, '_, 't>) -> Option<Node<'t>> {
        let list = cx.ancestor(1).filter(|frame| self.kinds.get(frame.kind) == K::ArgumentList)?.node;
        let call = cx.ancestor(2).filter(|frame| self.kinds.get(frame.kind) == K::Call)?.node;
        let word = cx.text_of(&call.child_by_field_id(self.function)?);
        let reflects = ["getattr", "setattr", "hasattr", "delattr"].contains(&word) || word.ends_with("patch.object");
        let second = list.named_child(1).is_some_and(|second| second.id() == cx.node().id());
        list.named_child(0).filter(|_| reflects && second)
    }

    /// `"app.middleware.Auth"`: frameworks import what such strings name.
    fn dotted_path(&self, cx: &mut Cx, inside: Span) {
        let text = cx.slice(inside);
        let Some((module, name)) = text.rsplit_once('.') else { return };
        if text.len() > MAX_PATH || !text.split('.').all(is_name) {
            return;
        }
        let mut receiver = None;
        for part in module.split('.') {
            let part = cx.name(part);
            receiver = Some(match receiver {
                None => cx.expr(Expr::Name(part)),
                Some(base) => cx.expr(Expr::Member(base, part)),
            });
        }
        cx.occurrence_at(name, inside.end - name.len() as u32, Role::Path, receiver);
    }

    /// A string that stands alone below the definition of an attribute documents it.
    fn attribute_doc(&self, cx: &mut Cx) {
        use SymbolKind::{Const, Field, Type, Variable, Variant};
        let doc = span(&cx.node());
        let outside = matches!(cx.scope_kind(cx.current_scope()), ScopeKind::File | ScopeKind::Type);
        let Some(last) = cx.last_symbol().filter(|_| outside) else { return };
        let symbol = cx.symbol_at(last);
        let between = cx.slice(Span { start: symbol.span.end, end: doc.start });
        let documents = matches!(symbol.kind, Const | Field | Type | Variable | Variant)
            && symbol.parent == cx.current_symbol()
            && symbol.doc_span.start == symbol.doc_span.end
            && between.starts_with(['\n', '\r'])
            && between.trim().is_empty();
        if documents {
            cx.amend(last, |symbol| (symbol.doc_span, symbol.full_span.end) = (doc, doc.end));
        }
    }

    /// The type that a comment behind the statement at a level gives what it assigns to: `x = {}  # type: dict[str, Foo]`.
    pub(super) fn commented_type(&self, cx: &mut Cx, level: usize) -> Option<TypeId> {
        let statement = cx.ancestor(level)?.node;
        // To find the next node takes a walk over all that come before it; the text tells whether it is worth that.
        let end = statement.end_byte() as u32;
        let behind = cx.slice(Span { start: end, end: cx.line_around(end).end });
        memchr::memmem::find(behind.as_bytes(), b"type:")?;
        let comment = statement.next_named_sibling().filter(|next| self.kind(next) == K::Comment)?;
        if comment.start_position().row != statement.end_position().row {
            return None;
        }
        let whole = span(&comment);
        let text = cx.slice(whole).strip_prefix('#')?.trim_start().strip_prefix("type:")?;
        let start = whole.end - text.len() as u32;
        let text = text.split('#').next().unwrap_or_default().trim_end();
        if text.trim_start().starts_with("ignore") {
            return None;
        }
        parse(self, cx, text, start, false)?;
        parse(self, cx, text, start, true)
    }

    pub(super) fn quoted_type(&self, cx: &mut Cx, node: &Node) -> Option<TypeId> {
        let inside = contents(cx, node)?;
        let text = cx.slice(inside);
        parse(self, cx, text, inside.start, false)
    }

    fn is_quoted_type(&self, cx: &Cx) -> bool {
        match self.kind_at(cx, 1) {
            K::Type | K::Subscript | K::List | K::Tuple | K::Binary | K::Parenthesized | K::Assignment => {
                self.is_type(cx)
            }
            // `cast("T", x)`
            K::ArgumentList => {
                let (Some(list), Some(call)) = (cx.ancestor(1), cx.ancestor(2)) else { return false };
                let function = call.node.child_by_field_id(self.function).map_or("", |node| cx.text_of(&node));
                matches!(function, "cast" | "typing.cast" | "t.cast")
                    && self.first(&list.node).is_some_and(|first| first.id() == cx.node().id())
            }
            // `TypeVar("T", bound="Base")`
            K::KeywordArgument => {
                let name = cx.parent().and_then(|parent| parent.child_by_field_id(self.name));
                name.is_some_and(|name| cx.text_of(&name) == "bound")
            }
            _ => false,
        }
    }

    /// Whether the current string is an element of what `__all__` is set to or extended by.
    fn is_exported(&self, cx: &Cx) -> bool {
        let of_all = |node: Option<Node>| node.is_some_and(|node| cx.text_of(&node) == "__all__");
        for level in 1..=4 {
            let Some(frame) = cx.ancestor(level) else { return false };
            match self.kinds.get(frame.kind) {
                K::List | K::Tuple | K::Set | K::Binary | K::Parenthesized | K::ExpressionList | K::ArgumentList => {}
                K::Assignment | K::Augmented => return of_all(frame.node.child_by_field_id(self.left)),
                K::Call => {
                    let function = frame.node.child_by_field_id(self.function);
                    return of_all(function.and_then(|function| function.child_by_field_id(self.object)));
                }
                _ => return false,
            }
        }
        false
    }
}

/// What stands between the quotes; `None` for an f-string, whose inside is code.
pub(super) fn contents(cx: &Cx, node: &Node) -> Option<Span> {
    let whole = span(node);
    let text = cx.slice(whole);
    let prefix = text.find(['"', '\''])?;
    if text[..prefix].contains(['f', 'F', 't', 'T']) {
        return None;
    }
    let quote = &text[prefix..prefix + 1];
    let triple = text[prefix..].len() >= 6 && text[prefix..].starts_with(&quote.repeat(3));
    let width = if triple { 3 } else { 1 };
    let start = whole.start + (prefix + width) as u32;
    Some(Span { start, end: whole.end.saturating_sub(width as u32).max(start) })
}

pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c == '_' || c.is_alphanumeric())
}

/// Reads a type; `None` when the text is none. With `note`, its names become occurrences.
fn parse<'s>(python: &Python, cx: &mut Cx<'_, 's, '_>, text: &'s str, start: u32, note: bool) -> Option<TypeId> {
    let mut reader = Reader { python, text, at: 0, start, note };
    let ty = reader.union(cx, 0)?;
    reader.blank();
    (reader.at == text.len()).then_some(ty)
}

struct Reader<'r, 's> {
    python: &'r Python,
    text: &'s str,
    at: usize,
    /// Offset of the text in the file.
    start: u32,
    note: bool,
}

impl<'s> Reader<'_, 's> {
    fn blank(&mut self) {
        let rest = &self.text[self.at..];
        // Quotes inside quotes mark a type once more: `"dict[str, 'Foo']"`.
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', '\'', '"']).len();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.blank();
        let found = self.text[self.at..].starts_with(token);
        if found {
            self.at += token.len();
            self.blank();
        }
        found
    }

    fn union(&mut self, cx: &mut Cx<'_, 's, '_>, depth: u32) -> Option<TypeId> {
        if depth > MAX_STEPS {
            return None;
        }
        let mut parts = vec![self.single(cx, depth)?];
        while self.eat("|") {
            parts.push(self.single(cx, depth)?);
        }
        match parts[..] {
            [only] => Some(only),
            _ => Some(self.python.word_type(cx, "Union", parts)),
        }
    }

    fn single(&mut self, cx: &mut Cx<'_, 's, '_>, depth: u32) -> Option<TypeId> {
        if self.eat("...") {
            return Some(self.python.word_type(cx, "...", Vec::new()));
        }
        if self.eat("[") {
            let args = self.arguments(cx, depth)?;
            return Some(self.python.word_type(cx, "[]", args));
        }
        let path = self.path(cx)?;
        if !self.eat("[") {
            return Some(cx.ty(path, Vec::new()));
        }
        let args = self.arguments(cx, depth)?;
        Some(self.python.unqualified(cx, path, args))
    }

    fn arguments(&mut self, cx: &mut Cx<'_, 's, '_>, depth: u32) -> Option<Vec<TypeId>> {
        let mut args = Vec::new();
        while !self.eat("]") {
            args.push(self.union(cx, depth + 1)?);
            if !self.eat(",") {
                return self.eat("]").then_some(args);
            }
        }
        Some(args)
    }

    fn path(&mut self, cx: &mut Cx<'_, 's, '_>) -> Option<Vec<NameId>> {
        let mut path = Vec::new();
        let mut receiver = None;
        loop {
            self.blank();
            let rest = &self.text[self.at..];
            let name = &rest[..rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len())];
            if !is_name(name) {
                return None;
            }
            let offset = self.start + self.at as u32;
            self.at += name.len();
            let id = cx.name(name);
            path.push(id);
            let more = self.text[self.at..].starts_with('.') && !self.text[self.at..].starts_with("...");
            if self.note && name != "None" {
                cx.occurrence_at(name, offset, if more { Role::Value } else { Role::Type }, receiver);
            }
            if !more {
                return Some(without_typing(cx, path));
            }
            receiver = Some(cx.expr(receiver.map_or(Expr::Name(id), |base| Expr::Member(base, id))));
            self.at += 1;
        }
    }
}
