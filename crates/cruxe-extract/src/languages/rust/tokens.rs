//! Code that is known only as tokens: what the parser refused inside macro calls, and the rules of macros.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{BindingKind, Expr, ExprId, Role};
use tree_sitter::Node;

use super::expr::literal;
use super::names::is_upper;
use super::{K, Rust};
use crate::walk::Cx;

/// Trees nested deeper than this are not read.
const MAX_DEPTH: u32 = 32;
/// Generic arguments longer than this are not looked behind.
const MAX_GENERICS: usize = 64;

/// What a tree of tokens holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Expressions and statements.
    Code,
    /// The fields of a struct literal.
    Literal,
    /// A pattern: what `select!` binds.
    Pattern,
    /// Items, directly or as members of an item of this kind.
    Items(Option<SymbolKind>),
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum T<'t> {
    /// A name.
    Ident,
    /// `self`, `Self`, `super`, `crate` or a primitive type: begins a path, is no name.
    Path(K),
    /// A word of the language or a punctuation mark.
    Word(&'t str),
    /// A word of the language that the grammar took for a name.
    Soft,
    /// Tokens between delimiters, with the opening one.
    Tree(u8),
    /// A string.
    Str,
    /// Any other literal.
    Literal,
    /// `$x`.
    Variable,
    /// A comment that documents.
    Doc,
}

/// One token of a tree.
#[derive(Clone, Copy)]
pub(super) struct Token<'t> {
    pub(super) node: Node<'t>,
    pub(super) t: T<'t>,
}

impl Token<'_> {
    /// Whether it is this word or mark.
    pub(super) fn is(&self, word: &str) -> bool {
        matches!(self.t, T::Word(own) if own == word)
    }
}

/// Tokens that are read one after the other.
#[derive(Clone, Copy)]
pub(super) struct Run<'a, 't> {
    pub(super) tokens: &'a [Token<'t>],
    pub(super) mode: Mode,
    pub(super) depth: u32,
}

/// The state between two tokens.
#[derive(Default)]
pub(super) struct State {
    /// The expression that ends here.
    chain: Option<ExprId>,
    /// A `.` or `::` was read behind it.
    member: bool,
    /// A type is expected.
    ty: bool,
    /// Open `<` of generic arguments.
    angles: u32,
    /// Inside `|…|` of a closure.
    closure: bool,
    /// Between `let` and `=`.
    binding: bool,
}

impl Rust {
    /// The tokens of a tree without its delimiters and plain comments.
    pub(super) fn collect<'t>(&self, cx: &Cx, tree: &Node<'t>) -> Vec<Token<'t>> {
        let mut cursor = tree.walk();
        let mut tokens = Vec::with_capacity(tree.child_count() as usize);
        for node in tree.children(&mut cursor) {
            let t = match self.k(&node) {
                K::Identifier => match cx.text_of(&node) {
                    "else" | "in" | "ref" | "move" | "dyn" | "extern" | "yield" | "box" => T::Soft,
                    _ => T::Ident,
                },
                kind @ (K::SelfValue | K::Super | K::Crate | K::PrimitiveType) => T::Path(kind),
                K::TokenTree | K::TokenRepetition => T::Tree(opening(cx, &node)),
                K::Str => T::Str,
                K::Int | K::Float | K::Char | K::Bool => T::Literal,
                K::Metavariable => T::Variable,
                K::LineComment | K::BlockComment => match super::comment(cx.text_of(&node)) {
                    crate::walk::Trivia::Doc => T::Doc,
                    _ => continue,
                },
                // Words only in some places: `x.union(y)`, `Default::default()`.
                _ if matches!(node.kind(), "default" | "union" | "gen") => T::Ident,
                _ => T::Word(node.kind()),
            };
            tokens.push(Token { node, t });
        }
        let delimiter = |token: &Token| matches!(token.t, T::Word("(" | ")" | "[" | "]" | "{" | "}"));
        if tokens.last().is_some_and(delimiter) {
            tokens.pop();
        }
        if tokens.first().is_some_and(delimiter) {
            tokens.remove(0);
        }
        tokens
    }

    /// Notes the names of a tree.
    pub(super) fn tokens(&self, cx: &mut Cx, tree: &Node, mode: Mode, depth: u32) {
        if depth > MAX_DEPTH {
            return;
        }
        let tokens = self.collect(cx, tree);
        match mode {
            Mode::Items(container) => self.token_items(cx, &tokens, container, depth),
            _ => self.token_run(cx, &tokens, mode, depth),
        }
    }

    /// Notes the names of some tokens of a tree.
    pub(super) fn token_run(&self, cx: &mut Cx, tokens: &[Token], mode: Mode, depth: u32) {
        self.run_from(cx, Run { tokens, mode, depth }, State::default());
    }

    /// Notes the names of generic arguments, or of what stands between the name of an item and its body.
    pub(super) fn type_run(&self, cx: &mut Cx, tokens: &[Token], depth: u32) {
        let state = State { ty: true, angles: 1, ..State::default() };
        self.run_from(cx, Run { tokens, mode: Mode::Code, depth }, state);
    }

    fn run_from(&self, cx: &mut Cx, run: Run, mut state: State) {
        let mut at = 0;
        while at < run.tokens.len() {
            at += self.token(cx, run, at, &mut state);
        }
    }

    /// Notes the token at `at` and tells how many were read.
    pub(super) fn token(&self, cx: &mut Cx, run: Run, at: usize, state: &mut State) -> usize {
        let tokens = run.tokens;
        let token = tokens[at];
        let next = tokens.get(at + 1);
        match token.t {
            T::Ident => return self.token_name(cx, run, at, state),
            T::Path(kind) => {
                let value = kind == K::SelfValue && !next.is_some_and(|next| next.is("::"));
                let path = state.chain.filter(|_| state.member);
                let expr = if value { cx.expr(Expr::SelfValue) } else { self.extend(cx, path, &token.node) };
                (state.chain, state.member) = (Some(expr), false);
            }
            T::Tree(open) => self.token_subtree(cx, run, at, open, state),
            T::Str | T::Literal if state.member => {
                let name = cx.name_of(&token.node); // `x.0`
                state.chain = state.chain.map(|base| cx.expr(Expr::Member(base, name)));
                state.member = false;
            }
            T::Str | T::Literal => {
                let word = match self.k(&token.node) {
                    K::Str => "str",
                    K::Int => "int",
                    K::Float => "float",
                    K::Char => "char",
                    _ => "bool",
                };
                let expr = literal(cx, word);
                state.chain = Some(cx.expr(expr));
            }
            T::Variable => {
                let unknown = cx.expr(Expr::Unknown);
                (state.chain, state.member) = (Some(unknown), false);
            }
            T::Word(word) => self.word(cx, run, at, word, state),
            T::Soft | T::Doc => (state.chain, state.member) = (None, false),
        }
        1
    }

    fn word(&self, cx: &mut Cx, run: Run, at: usize, word: &str, state: &mut State) {
        match word {
            "." | "::" => return state.member = true,
            "?" | "await" => {
                state.chain = state.chain.map(|base| cx.expr(Expr::Unwrap(base)));
                return state.member = false;
            }
            "<" if state.ty => return state.angles += 1,
            ">" | ">>" if state.angles > 0 => {
                state.angles = state.angles.saturating_sub(word.len() as u32);
                return state.ty = state.angles > 0;
            }
            "as" | "->" => state.ty = true,
            ":" => state.ty = state.binding || state.closure || matches!(run.mode, Mode::Items(_)),
            "let" => state.binding = true,
            "|" => state.closure = !state.closure && opens_closure(run.tokens, at),
            "=" | ";" | "=>" => (state.ty, state.angles, state.binding) = (false, 0, false),
            "," if state.angles == 0 => state.ty = false,
            _ => {}
        }
        (state.chain, state.member) = (None, false);
    }

    fn token_name(&self, cx: &mut Cx, run: Run, at: usize, state: &mut State) -> usize {
        let Run { tokens, mode, depth } = run;
        let node = tokens[at].node;
        let text = cx.text_of(&node);
        let before = |back: usize| at.checked_sub(back).map(|at| &tokens[at]);
        let after = |word: &str| before(1).is_some_and(|token| token.is(word));
        if after("'") || after("$") {
            let unknown = cx.expr(Expr::Unknown);
            (state.chain, state.member) = (after("$").then_some(unknown), false);
            return 1;
        }
        let defined =
            ["fn", "struct", "enum", "trait", "type", "mod", "const", "static"].iter().any(|word| after(word))
                && !before(2).is_some_and(|token| token.is("*") || token.is("'"));
        if defined {
            state.chain = None;
            return 1;
        }
        let receiver = if state.member { state.chain } else { None };
        let plain = receiver.is_none() && !state.member;
        let next = after_generics(tokens, at + 1);
        let follows = |open: u8| tokens.get(next).is_some_and(|token| token.t == T::Tree(open));
        let next_is = |word: &str| tokens.get(at + 1).is_some_and(|token| token.is(word));
        let first = before(1).is_none_or(|token| token.is(","));
        let segment = tokens.get(next).is_some_and(|token| token.is("::"));
        let variable = plain && !is_upper(text) && !follows(b'(') && !segment;
        let pattern = (state.binding || state.closure) && !state.ty
            || mode == Mode::Pattern
            || self.is_loop_variable(cx, tokens, at)
            || (next_is("=") && binds_arm(tokens, at));
        if variable && pattern {
            let scope = cx.current_scope();
            let kind = if state.closure { BindingKind::Param } else { BindingKind::Local };
            cx.bind(&node, scope, kind, None, None);
            state.chain = None;
            return 1;
        }
        if next_is("!") && tokens.get(at + 2).is_some_and(|token| matches!(token.t, T::Tree(_))) {
            cx.occurrence(&node, Role::Call, receiver);
            let item = matches!(mode, Mode::Items(_));
            self.arguments(cx, text, &tokens[at + 2].node, item, depth + 1);
            *state = State { chain: Some(cx.expr(Expr::Unknown)), ..State::default() };
            return 3;
        }
        let role = if segment {
            if is_upper(text) { Role::Type } else { Role::Value }
        } else if follows(b'(') && !state.ty {
            Role::Call
        } else if first && ((mode == Mode::Literal && next_is(":")) || (plain && next_is("="))) {
            Role::Key
        } else if next_is("=") {
            Role::Write
        } else if !state.ty && self.names_literal(cx, tokens, at) {
            Role::Make
        } else if state.ty || text == "Self" {
            Role::Type
        } else {
            Role::Value
        };
        cx.occurrence(&node, role, receiver);
        if next > at + 1 {
            self.type_run(cx, &tokens[at + 2..next], depth);
        }
        state.chain = Some(self.extend(cx, receiver, &node));
        state.member = false;
        next - at
    }

    /// `x` of `for x in`.
    fn is_loop_variable(&self, cx: &Cx, tokens: &[Token], at: usize) -> bool {
        at > 0
            && tokens[at - 1].is("for")
            && tokens.get(at + 1).is_some_and(|next| next.t == T::Soft && cx.text_of(&next.node) == "in")
    }

    /// Whether a token names a type and the braces behind it are those of a literal: `{ a: …`, `{ a, …`, `{ ..x }`.
    fn names_literal(&self, cx: &Cx, tokens: &[Token], at: usize) -> bool {
        if tokens[at].t != T::Ident || !is_upper(cx.text_of(&tokens[at].node)) {
            return false;
        }
        let Some(tree) = tokens.get(at + 1).filter(|token| token.t == T::Tree(b'{')) else { return false };
        let inside = self.collect(cx, &tree.node);
        match inside.as_slice() {
            [] => true,
            [first, ..] if first.is("..") => true,
            [only] => only.t == T::Ident,
            [first, second, ..] => first.t == T::Ident && (second.is(":") || second.is(",")),
        }
    }

    fn token_subtree(&self, cx: &mut Cx, run: Run, at: usize, open: u8, state: &mut State) {
        let Run { tokens, mode, depth } = run;
        let before = |back: usize, word: &str| at >= back && tokens[at - back].is(word);
        let next_is = |word: &str| tokens.get(at + 1).is_some_and(|next| next.is(word));
        let tree = &tokens[at].node;
        let chain = state.chain.filter(|_| !state.member);
        let attribute = open == b'[' && (before(1, "#") || (before(1, "!") && before(2, "#")));
        let literal = open == b'{' && chain.is_some() && at > 0 && self.names_literal(cx, tokens, at - 1);
        let inner = match (open, chain) {
            _ if attribute => return self.attribute_tokens(cx, tree, depth + 1),
            _ if literal => Mode::Literal,
            _ if mode == Mode::Pattern => Mode::Pattern,
            (b'(', Some(_)) if next_is("=>") || (next_is("=") && binds_arm(tokens, at)) => Mode::Pattern,
            _ => Mode::Code,
        };
        match (open, inner, mode) {
            (b'{', Mode::Code, Mode::Items(_)) => self.item_tree(cx, tree, depth + 1),
            (b'{', Mode::Code, _) => self.code_tree(cx, tree, depth + 1),
            _ => self.tokens(cx, tree, inner, depth + 1),
        }
        let unknown = cx.expr(Expr::Unknown);
        state.chain = match (open, chain) {
            (b'(', Some(callee)) => Some(cx.expr(Expr::Call(callee))),
            (b'[', Some(base)) => Some(cx.expr(Expr::Index(base))),
            (b'{', _) if inner == Mode::Code => None,
            _ => Some(unknown),
        };
        (state.member, state.ty, state.angles) = (false, false, 0);
    }
}

/// The opening delimiter of a tree; that of the repeated part for `$( … )*`.
fn opening(cx: &Cx, tree: &Node) -> u8 {
    match cx.text_of(tree).as_bytes() {
        [b'$', b'(', ..] | [] => b'$',
        [open, ..] => *open,
    }
}

/// Where a name's generic arguments `::<…>` end; `at` itself when it has none.
fn after_generics(tokens: &[Token], at: usize) -> usize {
    let (Some(colons), Some(open)) = (tokens.get(at), tokens.get(at + 1)) else { return at };
    if !colons.is("::") || !open.is("<") {
        return at;
    }
    let mut angles = 0i32;
    for (offset, token) in tokens[at + 1..].iter().take(MAX_GENERICS).enumerate() {
        angles += match token.t {
            T::Word("<") => 1,
            T::Word(">") => -1,
            T::Word(">>") => -2,
            _ => 0,
        };
        if angles <= 0 {
            return at + 2 + offset;
        }
    }
    at
}

/// Whether what ends at `at` is the pattern of `pattern = future => handler`.
fn binds_arm(tokens: &[Token], at: usize) -> bool {
    let rest = tokens[at + 1..].iter().take(MAX_GENERICS);
    rest.take_while(|token| !token.is(",") && !token.is(";")).any(|token| token.is("=>"))
}

/// Whether a `|` begins the parameters of a closure: where a value is expected, not behind one.
fn opens_closure(tokens: &[Token], at: usize) -> bool {
    at.checked_sub(1).is_none_or(|before| match tokens[before].t {
        T::Soft => true,
        T::Word(word) => matches!(word, "," | "=" | "=>" | "(" | "return" | ";"),
        _ => false,
    })
}
