//! The parameters of a function, as each kind of language writes them.

use cruxe_model::facts::{BindingKind, ScopeId};

use super::Calls;
use super::reader::{Head, Reader};
use super::tokens::Kind;
use crate::build::Builder;

impl<'s> Reader<'s> {
    /// The names of parameters.
    pub(super) fn parameters(&mut self, build: &mut Builder<'s>, head: &Head, scope: ScopeId) {
        let mut at = head.name + 1;
        match self.dialect.calls {
            Calls::Words => return self.plain_parameters(build, head, scope),
            Calls::Messages if !self.tokens.is(at, "(") => {
                let words = head.words.start + 1..head.words.end.min(head.last);
                let words = words.take_while(|at| !self.tokens.is(*at, "{"));
                let named = |at: &usize| self.tokens.is_word(*at) && self.tokens.is(*at - 1, ")");
                let found: Vec<usize> = words.filter(named).collect();
                return found.into_iter().for_each(|at| self.bind(build, at, scope, BindingKind::Param));
            }
            _ => {}
        }
        if self.tokens.is(head.name.saturating_sub(1), "(") && self.dialect.calls == Calls::Parens {
            // `function(name one two)`
            while at < head.last && self.tokens.is_word(at) {
                self.bind(build, at, scope, BindingKind::Param);
                at += 1;
            }
            return;
        }
        let skipped = |at: usize| {
            let text = self.tokens.get(at).is_some_and(|token| token.kind == Kind::Text);
            text || self.is_one(at, &["<", "=", "<-", "function", "->", "async"])
        };
        while at < head.last && skipped(at) {
            at += 1;
        }
        if !self.tokens.is(at, "(") && !self.tokens.is(at, "[") {
            return;
        }
        let end = (self.tokens.behind(at) - 1).min(head.last);
        let mut next = at + 1;
        while next < end {
            let ends = [",", ")", "]", "}", ":", "::", "=", ";"].iter().any(|sign| self.tokens.is(next + 1, sign));
            let ends = ends || self.dialect.calls == Calls::Lists;
            if self.tokens.is_word(next) && ends && self.may_be_bound(next) {
                self.bind(build, next, scope, BindingKind::Param);
            }
            // A default value, a type: up to the next parameter.
            if ["=", ":", "::"].iter().any(|sign| self.tokens.is(next, sign)) {
                while next < end && !self.tokens.is(next, ",") && !self.tokens.is(next, ";") {
                    next = self.tokens.behind(next);
                }
            }
            next += 1;
        }
    }

    /// `x y` of `let f x (y: int) = …`, and `this` of `member this.Run`.
    fn plain_parameters(&mut self, build: &mut Builder<'s>, head: &Head, scope: ScopeId) {
        if self.tokens.is(head.name.saturating_sub(1), ".") && head.name >= 2 {
            self.bind(build, head.name - 2, scope, BindingKind::Param);
        }
        let mut at = head.name + 1;
        while at < head.last && !self.tokens.is(at, "=") && !self.tokens.is(at, "->") && at < head.name + 40 {
            if self.tokens.is(at, ":") {
                while at < head.last && !self.tokens.is(at + 1, ")") && !self.tokens.is(at + 1, "=") {
                    at += 1;
                }
            } else if self.tokens.is_word(at) && self.may_be_bound(at) && !self.word(at).starts_with(char::is_uppercase)
            {
                self.bind(build, at, scope, BindingKind::Param);
            }
            at += 1;
        }
    }

    /// Whether a word can be the name of a parameter.
    fn may_be_bound(&self, at: usize) -> bool {
        let looks =
            !self.dialect.signs.begins.contains('$') || !self.dialect.ignores_case || self.word(at).starts_with('$');
        looks && !self.is_one(at, self.dialect.keywords) && !self.is_taken(at)
    }
}
