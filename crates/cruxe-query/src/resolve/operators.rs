//! The function behind an operator: a member of what stands left of it, or in C++ a free one that takes what it works on.
//!
//! Only types decide. Every program has thousands of `==`, and that a class has a function for it says nothing about a value of
//! which nothing is known: such a one stays unresolved and is never guessed.

use std::sync::Arc;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Expr, ExprId, Occurrence, Role, Symbol, SymbolIndex};

use super::file::{File, Lang};
use super::overloads::is_basic;
use super::types::Ty;
use super::{Certainty, Def, Entity, Reason, Resolution, Resolver, Space, Want};
use crate::takes::parameters;

/// More functions for an operator than this nobody looks through for every use of it.
const MAX_FREE: usize = 512;
/// Base classes are looked up so far.
const MAX_HEIGHT: u32 = 8;

impl Resolver<'_> {
    /// What stands behind an operator.
    pub(super) fn resolve_operator(
        &self,
        file: &Arc<File>,
        occurrence: &Occurrence,
        name: &str,
        receiver: ExprId,
    ) -> Resolution {
        if self.is_done_in_place(file, occurrence, name) {
            return Resolution::Outside;
        }
        let signs = file.lang.naming.operators;
        let name = signs.iter().find(|(sign, _)| *sign == name).map_or(name, |(_, function)| function);
        let left = self.expr_type(file, receiver, occurrence.start);
        let call = self.overloaded(file, occurrence);
        let free = file.lang.naming.free_operators;
        let is_value = match file.lang.naming.indexes_itself {
            true => self.is_pointer(file, receiver, occurrence.start).map(|pointer| !pointer),
            false => Some(true),
        };
        if is_value == Some(false) {
            return Resolution::Outside;
        }
        let mut found: Vec<Def> =
            left.alternatives().iter().flat_map(|ty| self.operated(ty, name, file.lang)).collect();
        if let Some(call) = &call {
            found.retain(|def| self.can_take(*def, call));
        }
        if !signs.is_empty() {
            found.retain(|def| self.is_operator(*def));
        }
        let right = match &call {
            Some(call) if free && found.is_empty() => Some(self.passed(call, 0)),
            _ => None,
        };
        if found.is_empty() && free {
            let count = 1 + call.as_ref().map_or(1, |call| call.count());
            found = self.free_operators(file, name, &[&left, right.as_ref().unwrap_or(&Ty::Unknown)][..count.min(2)]);
        }
        found.sort_unstable();
        found.dedup();
        // What is found by the right side says nothing of the left, and the other way round.
        let by_left = matches!(left, Ty::Value(..) | Ty::SelfType(_) | Ty::Union(_));
        let certainty = match (is_value.is_some() || !by_left) && self.distinct(&found) == 1 {
            true => Certainty::Static,
            false => Certainty::Heuristic,
        };
        match (&left, right) {
            _ if !found.is_empty() => Resolution::Defs(found, certainty),
            (Ty::Missing, _) => Resolution::Unresolved(Reason::Missing),
            // `out << made()`: what is written may be anything.
            (Ty::Foreign(of, _), Some(Ty::Unknown)) if !is_basic(of) && self.has_free(name, file.lang) => {
                Resolution::Unresolved(Reason::Receiver)
            }
            (Ty::Value(..) | Ty::SelfType(_) | Ty::Item(_) | Ty::Module(_) | Ty::Outside | Ty::Foreign(..), _) => {
                Resolution::Outside
            }
            _ => Resolution::Unresolved(Reason::Receiver),
        }
    }

    /// Whether a type has a method for `a += b`, which goes before the one for `a + b`; it is noted one place before it.
    fn is_done_in_place(&self, file: &Arc<File>, occurrence: &Occurrence, name: &str) -> bool {
        let before = occurrence.start.checked_sub(1).and_then(|start| file.occurrence_at(start)).cloned();
        let Some((plain, before)) = name.strip_prefix("__").zip(before) else { return false };
        let in_place = file.facts.name(before.name);
        match before.receiver {
            Some(receiver) if before.role == Role::Operator && in_place.strip_prefix("__i") == Some(plain) => {
                let found = self.resolve_operator(file, &before, in_place, receiver);
                matches!(found, Resolution::Defs(..))
            }
            _ => false,
        }
    }

    /// Whether a function is one for an operator, where those have names like others: in Rust it implements a trait, in Kotlin its
    /// head says so.
    fn is_operator(&self, def: Def) -> bool {
        let is_it = |file: &Arc<File>, symbol: &Symbol| match symbol.parent.map(|parent| file.symbol(parent)) {
            Some(parent) if parent.kind == SymbolKind::Impl => parent.signature.contains(" for "),
            Some(parent) if parent.kind == SymbolKind::Trait => false,
            _ => (file.lang.naming.runs_unnamed)(&symbol.name, &symbol.signature),
        };
        self.with(def, is_it).unwrap_or(false)
    }

    /// The signs of the operators that a function stands behind, where they are not its name.
    pub fn signs_of(&self, def: Def) -> Vec<&'static str> {
        let Some(file) = self.file(def.version).filter(|file| !file.lang.naming.operators.is_empty()) else {
            return Vec::new();
        };
        let name = &file.symbol(def.symbol).name;
        let all = file.lang.naming.operators.iter().filter(|(_, function)| function == name).map(|(sign, _)| *sign);
        let all: Vec<&str> = all.collect();
        if !all.is_empty() && self.is_operator(def) { all } else { Vec::new() }
    }

    /// The members for an operator that values of a type have.
    fn operated(&self, ty: &Ty, name: &str, lang: Lang) -> Vec<Def> {
        match ty {
            ty if lang.naming.receivers => self.type_members(ty, name, lang, Want::Called),
            Ty::Value(def, _) | Ty::SelfType(def) => self.wanted_members(*def, name, Want::Called),
            _ => Vec::new(),
        }
    }

    /// The functions for an operator that take values of these types, of which one at least is of the ref.
    fn free_operators(&self, file: &Arc<File>, name: &str, operands: &[&Ty]) -> Vec<Def> {
        let named: Vec<Option<Vec<String>>> = operands.iter().map(|ty| self.names_of(ty)).collect();
        let hits = self.hits(name);
        if named.iter().all(Option::is_none) || hits.len() > MAX_FREE {
            return Vec::new();
        }
        let takes = |def: &Def| {
            let of_lang = self.lang(def.version).is_some_and(|other| other.is_kin(file.lang));
            let all = |signature: &str| {
                // Some write `operator +`.
                let signature = signature.replace("operator ", "operator");
                let list = parameters(&signature, name).filter(|list| list.len() == operands.len());
                let Some(list) = list else { return false };
                list.iter().zip(&named).all(|(parameter, names)| {
                    names.as_ref().is_none_or(|names| names.iter().any(|name| has_word(parameter, name)))
                })
            };
            of_lang && self.with(*def, |_, symbol| all(&symbol.signature)).unwrap_or(false)
        };
        let defs = hits.iter().filter(|hit| matches!(hit.kind, SymbolKind::Fn | SymbolKind::Method));
        defs.map(|hit| Def { version: hit.version, symbol: SymbolIndex(hit.position) }).filter(takes).collect()
    }

    /// The names of a type of the ref and of those that it builds on; `None` for any other.
    fn names_of(&self, ty: &Ty) -> Option<Vec<String>> {
        let Ty::Value(def, _) = ty else { return None };
        let mut names = Vec::new();
        self.collect_names(*def, 0, &mut names);
        Some(names)
    }

    fn collect_names(&self, def: Def, height: u32, names: &mut Vec<String>) {
        names.extend(self.with(def, |_, symbol| symbol.name.clone()));
        if height < MAX_HEIGHT {
            for base in self.bases(def).iter() {
                if let Ty::Value(base, _) = base {
                    self.collect_names(*base, height + 1, names);
                }
            }
        }
    }

    /// Whether a value is a pointer, which has the operators of the language, by how it is declared; `None` where that is not
    /// known. Types are known without what makes them pointers.
    fn is_pointer(&self, file: &Arc<File>, receiver: ExprId, offset: u32) -> Option<bool> {
        let declared = |defs: &[Def]| match defs {
            [] => None,
            defs => Some(defs.iter().any(|def| {
                let pointer = |_: &Arc<File>, symbol: &Symbol| {
                    let before = symbol.signature.split(symbol.name.as_str()).next().unwrap_or_default();
                    before.trim_end().ends_with('*')
                };
                self.with(*def, pointer).unwrap_or(false)
            })),
        };
        match file.facts.exprs.get(receiver.0 as usize)? {
            Expr::Name(name) => match &self.lookup(file, file.facts.name(*name), offset, Space::Value)[..] {
                [Entity::Symbol(def)] => declared(&[*def]),
                // Pointers among the locals of a file are told when it is read.
                [Entity::Local(version, at)] if *version == file.id() => file.binding(*at).ty.map(|_| false),
                _ => None,
            },
            Expr::Member(base, name) => {
                let base = self.expr_type(file, *base, offset);
                declared(&self.type_members(&base, file.facts.name(*name), file.lang, Want::Any))
            }
            Expr::Call(callee) => self.is_pointer(file, *callee, offset),
            Expr::Unwrap(_) | Expr::Typed(_) => Some(false),
            _ => None,
        }
    }
}

/// Whether a word stands in a text.
fn has_word(text: &str, word: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word))
}
