//! Items in macro calls that are nearly Rust: `bitflags! { pub struct Flags: u32 { const A = 1; } }`.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Relation, Span, SymbolFlags};

use super::tokens::{Mode, Run, State, T, Token};
use super::{Rust, items};
use crate::build::Decl;
use crate::walk::{Cx, span};

/// The header of an `impl` is not searched further than this.
const MAX_HEADER: usize = 256;

/// What was read of an item before its keyword.
#[derive(Clone, Copy, Default)]
struct Head {
    /// Where its attributes and comments begin.
    leading: Option<u32>,
    doc: Option<Span>,
    /// The index of its first token.
    first: Option<usize>,
}

/// An item among tokens, as indices.
struct Item {
    kind: SymbolKind,
    /// Its keyword, or the name of a member.
    start: usize,
    name: usize,
    /// The tree that is its body.
    body: Option<usize>,
    /// One past its last token.
    end: usize,
}

impl Rust {
    /// Notes the items among the tokens of a tree and the names between them.
    pub(super) fn token_items(&self, cx: &mut Cx, tokens: &[Token], container: Option<SymbolKind>, depth: u32) {
        let mut state = State::default();
        let mut head = Head::default();
        let mut at = 0;
        while at < tokens.len() {
            let token = &tokens[at];
            let start = token.node.start_byte() as u32;
            let attribute = tokens.get(at + 1).filter(|next| token.is("#") && next.t == T::Tree(b'['));
            if head.first.is_some() && (attribute.is_some() || token.t == T::Doc) {
                head = Head::default(); // what came before was no item
            }
            if let Some(attribute) = attribute {
                head.leading.get_or_insert(start);
                self.attribute_tokens(cx, &attribute.node, depth + 1);
                at += 2;
            } else if token.t == T::Doc {
                head.leading.get_or_insert(start);
                let doc = span(&token.node);
                head.doc = Some(Span { start: head.doc.map_or(doc.start, |first| first.start), end: doc.end });
                at += 1;
            } else {
                let first = *head.first.get_or_insert(at);
                if let Some(item) = find(cx, tokens, at, first, container) {
                    self.declare_item(cx, tokens, &item, head, depth);
                    at = item.end;
                    head = Head::default();
                    continue;
                }
                at += self.token(cx, Run { tokens, mode: Mode::Items(container), depth }, at, &mut state);
                if tokens[..at].last().is_some_and(|last| matches!(last.t, T::Word(";" | ",") | T::Tree(b'{'))) {
                    head = Head::default();
                }
            }
        }
    }

    fn declare_item(&self, cx: &mut Cx, tokens: &[Token], item: &Item, head: Head, depth: u32) {
        let first = first_token(tokens, item, head.first.unwrap_or(item.start));
        let name = &tokens[item.name].node;
        let (Some(start), Some(end)) = (tokens.get(first), tokens.get(item.end.saturating_sub(1))) else { return };
        let whole = Span { start: span(&start.node).start, end: span(&end.node).end };
        let mut decl = Decl::new(item.kind, cx.text_of(name), span(name), whole);
        decl.full_span.start = head.leading.unwrap_or(whole.start);
        decl.doc_span = head.doc.unwrap_or(decl.doc_span);
        decl.signature_end = Some(item.body.map_or(whole.end, |body| span(&tokens[body].node).start));
        if start.is("pub") {
            let scope = tokens.get(first + 1).filter(|next| next.t == T::Tree(b'(')).unwrap_or(start);
            decl.visibility = cx.slice(Span { start: whole.start, end: span(&scope.node).end });
        }
        // The constants of `bitflags!` are as visible as their type.
        let flag = item.kind == SymbolKind::Const && cx.current_kind() == Some(SymbolKind::Struct);
        let parent = cx.current_symbol().filter(|_| flag).map(|at| cx.symbol_at(at).access);
        decl.access = parent.unwrap_or_else(|| items::access(cx, decl.visibility));
        decl.flags = SymbolFlags { test: items::in_test(cx), ..SymbolFlags::default() };
        let symbol = cx.declare(decl);
        let header = if item.kind == SymbolKind::Impl { item.start + 1 } else { item.name + 1 };
        let rest = &tokens[header..item.body.unwrap_or(item.end)];
        if item.kind == SymbolKind::Impl {
            let path = vec![cx.name_of(name)];
            let ty = cx.ty(path, Vec::new());
            cx.heritage(symbol, Relation::SelfType, ty);
        }
        let typed = rest.iter().position(|token| token.is("=")).unwrap_or(rest.len());
        cx.open_plain(symbol);
        self.type_run(cx, &rest[..typed], depth);
        self.token_run(cx, &rest[typed..], Mode::Code, depth);
        if let Some(body) = item.body {
            let tree = &tokens[body].node;
            match item.kind {
                SymbolKind::Struct | SymbolKind::Union | SymbolKind::Enum => {
                    self.tokens(cx, tree, Mode::Items(Some(item.kind)), depth + 1);
                }
                SymbolKind::Fn => self.code_tree(cx, tree, depth + 1),
                _ => self.item_tree(cx, tree, depth + 1),
            }
        }
        cx.close_symbol();
    }
}

/// Where the modifiers before an item's keyword begin; not before `from`.
fn first_token(tokens: &[Token], item: &Item, from: usize) -> usize {
    let mut first = item.start;
    while first > from {
        let modifier = match tokens[first - 1].t {
            T::Word(word) => matches!(word, "pub" | "unsafe" | "async" | "const" | "crate"),
            T::Soft => true,
            T::Str | T::Tree(b'(') => first >= 2 && (tokens[first - 2].t == T::Soft || tokens[first - 2].is("pub")),
            _ => false,
        };
        if !modifier {
            break;
        }
        first -= 1;
    }
    first
}

/// The item whose keyword, or the member whose name, stands at `at`; `first` is the first token of the item.
fn find(cx: &Cx, tokens: &[Token], at: usize, first: usize, container: Option<SymbolKind>) -> Option<Item> {
    let is_name = |at: usize| tokens.get(at).is_some_and(|token| token.t == T::Ident);
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    if before.is_some_and(|before| before.is("*") || before.is("'") || before.is("$")) {
        return None; // `*const T`, `&'static T`
    }
    let kind = match tokens[at].t {
        T::Word("fn") => SymbolKind::Fn,
        T::Word("struct") => SymbolKind::Struct,
        T::Word("enum") => SymbolKind::Enum,
        T::Word("trait") => SymbolKind::Trait,
        T::Word("mod") => SymbolKind::Module,
        T::Word("type") => SymbolKind::Type,
        T::Word("const") => SymbolKind::Const,
        T::Word("static") => SymbolKind::Static,
        T::Word("impl") => return find_impl(tokens, at),
        T::Ident if cx.text_of(&tokens[at].node) == "union" && is_name(at + 1) => SymbolKind::Union,
        T::Ident => return find_member(tokens, at, first, container),
        _ => return None,
    };
    let modifiers = tokens[at + 1..].iter().take_while(|token| token.t == T::Soft || token.is("mutable_specifier"));
    let name = at + 1 + modifiers.count();
    if !is_name(name) {
        return None;
    }
    let valued = matches!(kind, SymbolKind::Const | SymbolKind::Static | SymbolKind::Type);
    let end = tokens[name..].iter().position(|token| token.is(";") || (token.t == T::Tree(b'{') && !valued));
    let end = end.map_or(tokens.len(), |offset| name + offset + 1);
    let body = (tokens[end - 1].t == T::Tree(b'{') && !valued).then_some(end - 1);
    Some(Item { kind, start: at, name, body, end })
}

/// `impl Flags: u8 { … }`, `impl Trait for Type { … }`: named after the last name before the body.
fn find_impl(tokens: &[Token], at: usize) -> Option<Item> {
    let body = at + tokens[at..].iter().take(MAX_HEADER).position(|token| token.t == T::Tree(b'{'))?;
    let mut angles = 0i32;
    let mut name = None;
    for (offset, token) in tokens[at + 1..body].iter().enumerate() {
        match token.t {
            T::Word("<") => angles += 1,
            T::Word(">") => angles -= 1,
            T::Word(">>") => angles -= 2,
            T::Word(":" | "where") if angles == 0 => break,
            T::Ident if angles == 0 => name = Some(at + 1 + offset),
            _ => {}
        }
    }
    Some(Item { kind: SymbolKind::Impl, start: at, name: name?, body: Some(body), end: body + 1 })
}

/// `name: Type` in a struct, `Name …` in an enum.
fn find_member(tokens: &[Token], at: usize, first: usize, container: Option<SymbolKind>) -> Option<Item> {
    let visible = tokens[first].is("pub") && tokens[first + 1..at].iter().all(|token| matches!(token.t, T::Tree(b'(')));
    let begins = at == first || visible;
    let kind = match container? {
        SymbolKind::Struct | SymbolKind::Union if tokens.get(at + 1)?.is(":") => SymbolKind::Field,
        SymbolKind::Enum => SymbolKind::Variant,
        _ => return None,
    };
    let mut angles = 0i32;
    let end = tokens[at..].iter().position(|token| {
        match token.t {
            T::Word("<") => angles += 1,
            T::Word(">") => angles -= 1,
            T::Word(">>") => angles -= 2,
            _ => {}
        }
        token.is(",") && angles <= 0
    });
    begins.then(|| Item { kind, start: at, name: at, body: None, end: end.map_or(tokens.len(), |offset| at + offset) })
}
