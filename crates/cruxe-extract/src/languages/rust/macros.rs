//! The arguments of macro calls. The grammar gives them as loose tokens, but nearly all of them are Rust: items between
//! braces, or, with their delimiters, a block, a tuple or an array. So the parser gets them once more, and only what it
//! refuses is read token by token.

use cruxe_model::facts::Role;
use tree_sitter::{Node, Range};

use super::tokens::{Mode, T};
use super::{K, Rust};
use crate::walk::{Cx, Walk};

/// Larger arguments are tables and the like; parsing text that is no Rust can take long.
const MAX_BYTES: usize = 64 << 10;

/// Arguments that are refused are tried again, brace by brace, down to this depth.
const MAX_TRIES: u32 = 4;

/// Macros whose arguments are the text of another program: what looks like an item there defines nothing here.
const QUOTES: &[&str] = &["quote", "quote_spanned", "parse_quote", "parse_quote_spanned", "stringify"];

impl Rust {
    /// A tree of tokens: the arguments of a macro call or an attribute, or one side of a macro's rule.
    pub(super) fn token_tree(&self, cx: &mut Cx) -> Walk {
        let (node, parent) = (cx.node(), cx.parent());
        match parent.map(|parent| (self.k(&parent), parent)) {
            Some((K::MacroCall, call)) => {
                let name = call.child_by_field_id(self.fields.macro_).map(|name| cx.text_of(&name));
                let item = match self.k_at(cx, 2) {
                    K::SourceFile | K::DeclarationList => true,
                    K::ExpressionStatement => self.k_at(cx, 3) == K::SourceFile,
                    _ => false,
                };
                self.arguments(cx, name.unwrap_or_default(), &node, item, 0);
            }
            Some((K::Attribute, attribute)) => {
                let name = attribute.named_child(0).map(|path| cx.text_of(&path)).unwrap_or_default();
                self.attribute_arguments(cx, name, &node, 0);
            }
            _ => self.tokens(cx, &node, Mode::Code, MAX_TRIES), // in a macro's rule every second name is `$x`
        }
        Walk::Skip
    }

    /// The arguments of a macro call by its name; `item` where the call stands in the place of an item.
    pub(super) fn arguments(&self, cx: &mut Cx, name: &str, tree: &Node, item: bool, depth: u32) {
        let name = name.rsplit("::").next().unwrap_or(name);
        if let Some(from) = format_argument(name) {
            self.format_string(cx, tree, from);
        }
        if item {
            self.item_tree(cx, tree, depth);
        } else if QUOTES.contains(&name) {
            self.tokens(cx, tree, Mode::Code, MAX_TRIES);
        } else {
            self.code_tree(cx, tree, depth);
        }
    }

    /// A tree that may hold items: `cfg_rt! { pub fn spawn() … }`, and one branch of `cfg_if! { if #[cfg(unix)] { … } }`.
    pub(super) fn item_tree(&self, cx: &mut Cx, tree: &Node, depth: u32) {
        let (words, calls) = self.signs_of_items(tree);
        let read = ((words || calls) && self.reparse_items(cx, tree)) || (!words && self.reparse_code(cx, tree, depth));
        if !read {
            self.tokens(cx, tree, Mode::Items(None), depth);
        }
    }

    /// A tree that may be an expression: a block, a tuple, an array.
    pub(super) fn code_tree(&self, cx: &mut Cx, tree: &Node, depth: u32) {
        if !self.reparse_code(cx, tree, depth) {
            self.tokens(cx, tree, Mode::Code, depth);
        }
    }

    /// Whether a word that begins an item, and whether another macro call, stands directly in the tree.
    fn signs_of_items(&self, tree: &Node) -> (bool, bool) {
        let mut cursor = tree.walk();
        let (mut words, mut calls) = (false, false);
        let mut before = "";
        for child in tree.children(&mut cursor) {
            calls |= before == "!" && self.k(&child) == K::TokenTree;
            before = child.kind();
            words |= matches!(
                before,
                "fn" | "struct" | "enum" | "union" | "trait" | "impl" | "mod" | "const" | "static" | "type" | "use"
            );
        }
        (words, calls)
    }

    /// Parses the inside of the tree as items; not so where text remains that is none.
    fn reparse_items(&self, cx: &mut Cx, tree: &Node) -> bool {
        let range = tree.range();
        let (Some(first), Some(last)) = (tree.child(0), tree.child(tree.child_count().saturating_sub(1))) else {
            return false;
        };
        let inside = Range {
            start_byte: first.end_byte(),
            start_point: first.end_position(),
            end_byte: last.start_byte(),
            end_point: last.start_position(),
        };
        let closing = semicolon(cx, &range);
        cx.reparse_if(inside, closing, |root| {
            let mut cursor = root.walk();
            let mut items = 0;
            for child in root.named_children(&mut cursor) {
                items += match self.k(&child) {
                    // An error in a body costs what is around it, one in a header says that this is no item.
                    K::Function | K::Impl | K::Mod | K::Trait | K::Foreign => 1,
                    K::Struct | K::Union | K::Enum | K::Const | K::Static | K::TypeItem | K::AssociatedType
                        if !child.has_error() =>
                    {
                        1
                    }
                    K::Use | K::ExternCrate | K::MacroDefinition | K::MacroCall => 1,
                    K::ExpressionStatement => match child.named_child(0) {
                        Some(call) if self.k(&call) == K::MacroCall => 1,
                        _ => return false,
                    },
                    K::AttributeItem | K::LineComment | K::BlockComment | K::EmptyStatement => 0,
                    _ if child.kind() == "inner_attribute_item" => 0,
                    _ => return false,
                };
            }
            items > 0
        })
    }

    /// Parses the tree with its delimiters as an expression; not so where a single error remains.
    fn reparse_code(&self, cx: &mut Cx, tree: &Node, depth: u32) -> bool {
        let range = tree.range();
        if depth >= MAX_TRIES || range.end_byte - range.start_byte > MAX_BYTES || tree.named_child_count() == 0 {
            return false;
        }
        // Only a block is a statement without a `;`.
        let block = cx.text_of(tree).starts_with('{');
        let closing = semicolon(cx, &range).filter(|_| !block);
        (block || closing.is_some()) && cx.reparse_if(range, closing, |root| !root.has_error())
    }

    /// Names inside the format string, which is the first string from the `from`-th argument on: `{name:?}`.
    fn format_string(&self, cx: &mut Cx, tree: &Node, from: usize) {
        let tokens = self.collect(cx, tree);
        let mut arguments = tokens.split(|token| token.is(",")).skip(from);
        let found = arguments.find_map(|argument| match argument {
            [only] if only.t == T::Str => Some(only.node),
            _ => None,
        });
        let Some(string) = found else { return };
        let (text, start) = (cx.text_of(&string), string.start_byte() as u32);
        let mut at = 0;
        while let Some(open) = text[at..].find('{').map(|open| at + open) {
            let rest = &text[open + 1..];
            if rest.starts_with('{') {
                at = open + 2;
                continue;
            }
            at = open + 1;
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(0);
            let name = &rest[..length];
            let named = name.starts_with(|c: char| c.is_alphabetic() || c == '_') && name != "self";
            if named && rest[length..].starts_with(['}', ':']) && !text[..open].ends_with("\\u") {
                cx.occurrence_at(name, start + at as u32, Role::Value, None);
            }
        }
    }
}

/// The first `;` behind a range, to close a statement that has none of its own.
fn semicolon(cx: &Cx, range: &Range) -> Option<Range> {
    let behind = cx.text.as_bytes().get(range.end_byte..)?;
    let at = range.end_byte + memchr::memchr(b';', behind)?;
    // Its row and column matter to no one.
    let point = range.end_point;
    Some(Range { start_byte: at, end_byte: at + 1, start_point: point, end_point: point })
}

/// The first argument of a formatting macro that can be its format string.
fn format_argument(name: &str) -> Option<usize> {
    match name {
        "format" | "format_args" | "print" | "println" | "eprint" | "eprintln" | "panic" | "todo" | "unimplemented"
        | "unreachable" | "anyhow" | "bail" | "trace" | "debug" | "info" | "warn" | "error" | "log" => Some(0),
        "write" | "writeln" | "assert" | "debug_assert" | "ensure" => Some(1),
        "assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne" => Some(2),
        _ => None,
    }
}
