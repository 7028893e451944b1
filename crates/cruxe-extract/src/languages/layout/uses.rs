//! What a word is that declares nothing: imported, introduced, called, set, read.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{BindingKind, Expr, ExprId, Import, Relation, Role, Span, SymbolIndex};

use super::reader::Reader;
use super::tokens::{Kind, Tokens};
use super::{Blocks, Calls, Form, Holds};
use crate::build::{Builder, Decl};

/// Names of a path further back are left out.
const MAX_PATH: usize = 6;
/// Super types behind this number are left out.
const MAX_HERITAGE: usize = 32;

impl<'s> Reader<'s> {
    /// Notes an import that begins at a token; tells whether there is one.
    pub(super) fn import(&mut self, build: &mut Builder<'s>, at: usize) -> bool {
        if (self.dialect.hook)(&self.tokens, at).is_some() {
            return false; // `use constant X`
        }
        let Some(importing) = self.dialect.imports.iter().find(|one| self.is_one(at, &[one.word])) else {
            return false;
        };
        let (whole, mut path, mut glob) = (self.line(at), None, importing.glob);
        let mut alias = None;
        for next in at + 1..whole {
            match importing.form {
                Form::Quoted
                    if self.tokens.get(next).is_some_and(|token| token.kind == Kind::Text) && path.is_none() =>
                {
                    path = self.tokens.get(next).map(|token| Span { start: token.start + 1, end: token.end - 1 });
                }
                Form::Path
                    if self.tokens.is_word(next) && path.is_none() && !self.is_one(next, self.dialect.fillers) =>
                {
                    // `include struct … end` of OCaml, `use strict` of Perl.
                    if self.is_one(next, self.dialect.keywords) {
                        return false;
                    }
                    let last = self.last_of_path(next);
                    let ends = self.tokens.get(next).zip(self.tokens.get(last));
                    path = ends.map(|(first, last)| Span { start: first.start, end: last.end });
                    glob |= self.tokens.is(last + 2, "*");
                }
                _ => {}
            }
            if self.tokens.word(next) == "as" && self.tokens.is_word(next + 1) && path.is_some() {
                alias = Some(next + 1);
            }
        }
        let Some(path) = path.filter(|path| path.start < path.end) else { return false };
        let text = build.slice(path);
        let (Some(first), Some(last)) = (self.tokens.get(at), self.tokens.get(whole.saturating_sub(1).max(at))) else {
            return false;
        };
        let span = Span { start: first.start, end: last.end.max(path.end) };
        build.declare(Decl::new(SymbolKind::Use, text, path, span));
        let (module, scope) = (build.name(text), build.current_scope());
        let (start, name) = match alias {
            Some(alias) => (
                self.tokens.get(alias).map_or(path.start, |token| token.start),
                Some(build.name(self.tokens.word(alias))),
            ),
            None => (path.start, None),
        };
        let glob = glob && alias.is_none();
        build.import(Import { module, name: None, alias: name, glob, reexport: false, start, scope });
        if importing.form == Form::Path {
            let last = text.rsplit(['.', ':', '/', '\\']).next().unwrap_or(text);
            build.occurrence_at(last, path.end - last.len() as u32, Role::Import, None);
        }
        for next in at..whole {
            let inside = self.tokens.get(next).is_some_and(|token| token.start >= path.start && token.end <= path.end);
            if Some(next) == alias || inside || next == at {
                self.take(next);
            }
        }
        true
    }

    /// Notes what `[shop.money :as money :refer [add]]` imports.
    pub(super) fn listed_import(&mut self, build: &mut Builder<'s>, at: usize) {
        let is_key = |at: usize, word: &str| self.tokens.is(at, ":") && self.tokens.word(at + 1) == word;
        let listed = self.tokens.is_word(at + 1) && (is_key(at + 2, "as") || is_key(at + 2, "refer"));
        let Some(path) = self.tokens.get(at + 1).copied().filter(|_| listed) else { return };
        let (module, scope) = (build.name(self.tokens.word(at + 1)), build.current_scope());
        let import = Import { module, name: None, alias: None, glob: false, reexport: false, start: path.start, scope };
        let end = self.tokens.behind(at) - 1;
        let mut next = at + 2;
        while next < end {
            if self.tokens.is(next, ":") && self.tokens.word(next + 1) == "as" && self.tokens.is_word(next + 2) {
                let start = self.tokens.get(next + 2).map_or(0, |token| token.start);
                let alias = Some(build.name(self.tokens.word(next + 2)));
                build.import(Import { alias, start, ..import.clone() });
                self.take(next + 2);
            }
            if self.tokens.is(next, ":") && self.tokens.word(next + 1) == "refer" && self.tokens.is(next + 2, "[") {
                for name in next + 3..self.tokens.behind(next + 2) - 1 {
                    if !self.tokens.is_word(name) {
                        continue;
                    }
                    let start = self.tokens.get(name).map_or(0, |token| token.start);
                    let imported = Some(build.name(self.tokens.word(name)));
                    build.import(Import { name: imported, start, ..import.clone() });
                    build.occurrence_at(self.tokens.word(name), start, Role::Import, None);
                    self.take(name);
                }
            }
            next += 1;
        }
    }

    /// The token behind the line or statement that begins at a token.
    fn line(&self, at: usize) -> usize {
        let mut next = at + 1;
        while next < self.tokens.list.len() && next < at + 64 {
            if self.tokens.is(next, ";") || (self.tokens.is_first(next) && !self.tokens.is(next, "}")) {
                break;
            }
            next += 1;
        }
        next
    }

    /// Notes what the head of a type says that it builds on.
    pub(super) fn heritage(&mut self, build: &mut Builder<'s>, symbol: SymbolIndex, words: std::ops::Range<usize>) {
        let mut relation: Option<Relation> = None;
        let mut count = 0;
        let mut at = words.start + 1;
        let ends = |at: usize| self.tokens.is(at, "@") || (self.dialect.lines && self.tokens.is_first(at));
        let end = (at..words.end).find(|at| ends(*at)).unwrap_or(words.end);
        while at < end && count < MAX_HERITAGE {
            if let Some((_, found)) = self.dialect.heritage.iter().find(|(word, _)| self.is_one(at, &[word])) {
                relation = Some(*found);
            } else if self.tokens.is(at, "(") || self.tokens.is(at, "<") && relation.is_some() {
                at = self.tokens.behind(at).max(at + 1);
                continue;
            } else if let (Some(relation), true) = (relation, self.tokens.is_word(at)) {
                let last = self.last_of_path(at);
                let role = if relation == Relation::Implements { Role::Implements } else { Role::Extends };
                let path: Vec<_> = (at..=last).step_by(2).map(|part| build.name(self.tokens.word(part))).collect();
                let ty = build.ty(path, Vec::new());
                build.heritage(symbol, relation, ty);
                self.occurrence(build, last, role);
                count += 1;
                at = last;
            }
            at += 1;
        }
    }

    /// Notes what a word is used for.
    pub(super) fn use_of(&mut self, build: &mut Builder<'s>, at: usize) {
        if !self.tokens.is_word(at) || self.is_taken(at) {
            return;
        }
        let member = at > 0 && self.is_one(at - 1, self.dialect.members);
        if !member && self.is_one(at, self.dialect.keywords) {
            return;
        }
        let variable = !member && (self.dialect.variables)(self.tokens.word(at)) && self.in_code();
        if variable && !build.is_bound(self.tokens.word(at)) {
            let scope = build.function_scope();
            return self.bind(build, at, scope, BindingKind::Local);
        }
        if let Some(kind) = self.introduces(at).filter(|_| !member && !variable) {
            let scope = build.current_scope();
            return self.bind(build, at, scope, kind);
        }
        let role = self.role(at, member);
        self.occurrence(build, at, role);
    }

    /// Notes the uses in the code inside of a string.
    pub(super) fn uses_inside(&mut self, build: &mut Builder<'s>, at: usize) {
        for piece in self.tokens.code_inside(at, &self.dialect.signs) {
            let inner = Tokens::of_piece(build.text, &self.dialect.signs, piece);
            let outer = std::mem::replace(&mut self.tokens, inner);
            let taken = std::mem::take(&mut self.taken);
            (0..self.tokens.list.len()).for_each(|at| self.use_of(build, at));
            (self.tokens, self.taken) = (outer, taken);
        }
    }

    fn in_code(&self) -> bool {
        self.open.iter().any(|open| open.holds == Holds::Code)
    }

    /// Whether a word in a function introduces a local.
    fn introduces(&self, at: usize) -> Option<BindingKind> {
        if !self.in_code() || at == 0 {
            return None;
        }
        let before = self.tokens.word(at - 1);
        let declared = self.is_one(at - 1, self.dialect.locals);
        let set = ["=", ";", "in", ":", "<-", ","].iter().any(|sign| self.tokens.word(at + 1) == *sign);
        let typed = self.dialect.typed
            && ["=", ";", "in"].contains(&self.tokens.word(at + 1))
            && (self.tokens.is_word(at - 1) && !self.is_one(at - 1, self.dialect.keywords)
                || matches!(before, ">" | "]" | "?"))
            && self.tokens.get(at).is_some_and(|token| token.apart);
        let assigned = self.tokens.is_first(at) && self.is_one(at + 1, self.dialect.assigns);
        let element = before == "(" && self.tokens.word(at + 1) == "in";
        (declared || typed && set || assigned || element).then_some(BindingKind::Local)
    }

    fn role(&self, at: usize, member: bool) -> Role {
        let next = |sign: &str| self.tokens.is(at + 1, sign);
        let before = |sign: &str| at > 0 && self.tokens.is(at - 1, sign);
        let called = match self.dialect.calls {
            Calls::Parens => next("("),
            Calls::Lists => {
                let mut first = at;
                while first >= 2 && self.is_one(first - 1, self.dialect.members) && self.tokens.is_word(first - 2) {
                    first -= 2;
                }
                first > 0 && self.tokens.is(first - 1, "(") && !self.is_one(at + 1, self.dialect.members)
            }
            Calls::Commands => {
                let begins = self.tokens.is_first(at) || ["|", ";", "=", "{", "("].iter().any(|sign| before(sign));
                let begins = begins || at > 0 && self.is_one(at - 1, &["return"]);
                !self.tokens.word(at).starts_with('$') && (next("(") || begins && !member)
            }
            Calls::Messages => {
                let sent = at > 0 && (self.tokens.is_word(at - 1) || before("]") || before(")"));
                next("(") || sent && !self.tokens.is_first(at) && (next("]") || next(":"))
            }
            Calls::Words => {
                let argument = self.tokens.get(at + 1).is_some_and(|token| {
                    !token.first && (token.kind != Kind::Sign || matches!(self.tokens.word(at + 1), "(" | "\"" | "["))
                });
                let applied = at > 0 && self.tokens.is_word(at - 1) && !self.is_one(at - 1, self.dialect.keywords);
                let argument = argument && !self.is_one(at + 1, self.dialect.keywords);
                before("|>") || (argument && (member || !applied))
            }
        };
        if called {
            return Role::Call;
        }
        if before("@") && !member {
            return Role::Decorator;
        }
        if self.dialect.calls == Calls::Lists && before(":") {
            return Role::Key;
        }
        if self.dialect.keys && next(":") && (before("(") || before(",") || before("{")) {
            return Role::Key;
        }
        let compares = self.dialect.blocks == Blocks::Statements;
        if !compares && (next("=") || next(":=") || next("<-") || next("+=")) && !before("(") && !before(",") {
            return Role::Write;
        }
        let capital = self.tokens.word(at).starts_with(char::is_uppercase);
        if capital && self.dialect.capitals && !member && !self.is_one(at + 1, self.dialect.members) {
            return Role::Type;
        }
        Role::Value
    }

    /// What stands before the dot of a member.
    pub(super) fn receiver(&self, build: &mut Builder<'s>, at: usize) -> Option<ExprId> {
        let mut start = at;
        let mut parts = Vec::new();
        while start >= 2 && self.is_one(start - 1, self.dialect.members) && parts.len() < MAX_PATH {
            if !self.tokens.is_word(start - 2) {
                return Some(build.expr(Expr::Unknown));
            }
            start -= 2;
            parts.push(start);
        }
        if parts.is_empty() {
            let dangling = at > 0 && self.is_one(at - 1, self.dialect.members) && !self.tokens.is_first(at);
            return dangling.then(|| build.expr(Expr::Unknown));
        }
        let mut base = None;
        for part in parts.into_iter().rev() {
            let text = self.tokens.word(part);
            let expr = match (base, text) {
                (None, "this" | "self" | "Self" | "$this") => Expr::SelfValue,
                (None, "super") => Expr::Super,
                (None, text) => Expr::Name(build.name(text)),
                (Some(base), text) => Expr::Member(base, build.name(text)),
            };
            base = Some(build.expr(expr));
        }
        base
    }
}
