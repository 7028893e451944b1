//! The calls that stand in a symbol's code, and which of the definitions that are met on the way are one symbol.

use std::collections::HashMap;
use std::sync::Arc;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Occurrence, Role, SymbolIndex};

use crate::filter::is_test_file;
use crate::references::EdgeType;
use crate::resolve::{Def, File, Resolution, Resolver};
use crate::uses;
use crate::{target, twins};

/// Looks at every call in the code of one definition, with what it means; functions inside it have calls of their own.
pub(crate) fn calls_in(resolver: &Resolver, def: Def, mut each: impl FnMut(&Arc<File>, &Occurrence, Resolution)) {
    let Some(file) = resolver.file(def.version) else { return };
    let span = file.symbol(def.symbol).span;
    let from = file.facts.occurrences.partition_point(|occurrence| occurrence.start < span.start);
    for occurrence in file.facts.occurrences[from..].iter().take_while(|other| other.start < span.end) {
        let is_call = EdgeType::of(occurrence.role, file.lang) == EdgeType::Calls;
        let operator = occurrence.role == Role::Operator;
        if !is_call || operator && !file.lang.naming.lists_operators || !holds(&file, def.symbol, occurrence.start) {
            continue;
        }
        let resolution = resolver.resolve(&file, occurrence);
        // Of most operators nobody knows what they work on, and most work on numbers.
        if !operator || matches!(resolution, Resolution::Defs(..)) {
            each(&file, occurrence, resolution);
        }
    }
}

/// Whether code at an offset belongs to a symbol itself and not to a function inside it.
fn holds(file: &File, symbol: SymbolIndex, offset: u32) -> bool {
    for at in file.nesting.symbols_around(&file.facts, offset).filter(|at| uses::runs(file, *at, offset)) {
        if at == symbol {
            return true;
        }
        if matches!(file.symbol(at).kind, SymbolKind::Fn | SymbolKind::Method | SymbolKind::Property) {
            return false;
        }
    }
    false
}

/// The definition itself where it has a body, else one that has: in its own file, or in another.
pub(crate) fn with_body(resolver: &Resolver, def: Def) -> Def {
    let has_body =
        |def: &Def| resolver.file(def.version).is_some_and(|file| !file.symbol(def.symbol).flags.declaration);
    if has_body(&def) {
        return def;
    }
    let others = target::same(resolver, def).into_iter().filter(has_body);
    others.min_by_key(|other| (other.version != def.version, *other)).unwrap_or(def)
}

/// Whether a definition is a test, or exists only for tests.
pub(crate) fn is_test(resolver: &Resolver, def: Def) -> bool {
    resolver
        .file(def.version)
        .is_some_and(|file| file.symbol(def.symbol).flags.test || is_test_file(file.path(), &file.row.language))
}

/// Which of the definitions that were met are one symbol.
#[derive(Default)]
pub(crate) struct Symbols {
    /// What a definition counts as.
    known: HashMap<Def, Def>,
    /// The symbols that were met, by their qualified names.
    met: HashMap<String, Vec<Def>>,
}

impl Symbols {
    /// The definition that stands for a symbol: of those that are one, the first that was met.
    pub fn one(&mut self, resolver: &Resolver, def: Def) -> Def {
        if let Some(known) = self.known.get(&def) {
            return *known;
        }
        let Some(file) = resolver.file(def.version) else { return def };
        let symbol = file.symbol(def.symbol);
        let met = self.met.entry(symbol.qualified_name.clone()).or_default();
        let is_same = |other: &&Def| {
            let Some(kin) = resolver.file(other.version) else { return false };
            let twin = kin.symbol(other.symbol);
            match other.version == def.version {
                true => twins::are_one_here(file.lang, symbol, twin),
                false => twins::are_one((file.lang, symbol), (kin.lang, twin)),
            }
        };
        let one = met.iter().find(is_same).copied().unwrap_or(def);
        if one == def {
            met.push(def);
        }
        self.known.insert(def, one);
        one
    }
}
