//! What is done once a file was walked: everything is put in the order that readers rely on.

use cruxe_model::SymbolKind;
use cruxe_model::facts::*;

use super::{Builder, HashMap, HashSet};
use crate::chunk;

impl Builder<'_> {
    /// The facts, in order.
    pub(crate) fn finish(mut self) -> FileFacts {
        if self.cut {
            self.problem(Problem::TooMany);
        }
        if self.expired {
            self.problem(Problem::TooSlow);
            self.facts = FileFacts {
                language: self.facts.language,
                module: self.facts.module,
                scopes: self.facts.scopes.drain(..1).collect(),
                line_starts: self.facts.line_starts,
                problems: self.facts.problems,
                ..FileFacts::default()
            };
        }
        let exported = |symbol: &Symbol| symbol.parent.is_none() && self.exported.contains(symbol.name.as_str());
        for symbol in self.facts.symbols.iter_mut().filter(|symbol| exported(symbol)) {
            if symbol.access == Access::Private {
                symbol.access = Access::Public;
            }
        }
        sort_symbols(&mut self.facts);
        sort_scopes(&mut self.facts);
        number(&mut self.facts);
        let bytes = self.text.as_bytes();
        for symbol in &mut self.facts.symbols {
            let hash = blake3::hash(symbol.full_span.of(bytes));
            symbol.content_hash = u64::from_le_bytes(hash.as_bytes()[..8].try_into().unwrap_or_default());
        }
        self.drop_definitions();
        self.facts.occurrences.sort_by_key(|occurrence| occurrence.start);
        // A name that is read and fills in a member at once is two uses: `{ depth }`.
        let both = |first: &Occurrence, next: &Occurrence| {
            first.role == Role::Value && next.role == Role::Key && next.receiver.is_some()
        };
        self.facts.occurrences.dedup_by(|next, first| next.start == first.start && !both(first, next));
        self.facts.calls.sort_by_key(|call| call.start);
        self.facts.calls.dedup_by_key(|call| call.start);
        self.facts.bindings.sort_by_key(|binding| binding.start);
        self.facts.chunks = chunk::chunks(&self.facts, bytes, self.cut_by_symbols);
        self.facts
    }

    /// What defines a name does not also write it (`this.x = …` in a constructor).
    fn drop_definitions(&mut self) {
        let definitions = self.facts.symbols.iter().filter(|symbol| symbol.kind != SymbolKind::Use);
        let names: HashSet<u32> = definitions.map(|symbol| symbol.name_span.start).collect();
        self.facts.occurrences.retain(|at| at.role != Role::Write || !names.contains(&at.start));
    }
}

/// Rules declare symbols in the order of the text with few exceptions (a header's name found late, a re-parsed macro);
/// readers rely on the order, so the exceptions are put in their place here. A symbol without a name, which the parser
/// makes up where it misses a token, leaves its children to its own parent.
fn sort_symbols(facts: &mut FileFacts) {
    let named = |symbol: &Symbol| !symbol.name.is_empty();
    if facts.symbols.is_sorted_by_key(|symbol| symbol.full_span.start) && facts.symbols.iter().all(named) {
        return;
    }
    let mut order: Vec<u32> = (0..facts.symbols.len() as u32).collect();
    order.retain(|at| named(&facts.symbols[*at as usize]));
    order.sort_by_key(|at| facts.symbols[*at as usize].full_span.start);
    let mut moved = vec![None; facts.symbols.len()];
    for (new, old) in order.iter().enumerate() {
        moved[*old as usize] = Some(SymbolIndex(new as u32));
    }
    // A parent was declared before its children, so what becomes of it is known when they are met.
    for (at, symbol) in facts.symbols.iter().enumerate().filter(|(_, symbol)| !named(symbol)) {
        moved[at] = symbol.parent.and_then(|parent| moved[parent.0 as usize]);
    }
    facts.heritage.retain(|heritage| named(&facts.symbols[heritage.symbol.0 as usize]));
    let renumber = |index: SymbolIndex| moved[index.0 as usize];
    facts
        .heritage
        .iter_mut()
        .for_each(|heritage| heritage.symbol = renumber(heritage.symbol).unwrap_or(heritage.symbol));
    let mut sorted: Vec<Symbol> = order.iter().map(|at| facts.symbols[*at as usize].clone()).collect();
    sorted.iter_mut().for_each(|symbol| symbol.parent = symbol.parent.and_then(renumber));
    facts.symbols = sorted;
}

/// A scope that begins behind its node (the body of a loop, for its variable) is opened before the scopes that stand
/// between; readers rely on the order here too.
fn sort_scopes(facts: &mut FileFacts) {
    let key = |scope: &Scope| (scope.span.start, std::cmp::Reverse(scope.span.end));
    if facts.scopes.is_sorted_by_key(key) {
        return;
    }
    let mut order: Vec<u32> = (0..facts.scopes.len() as u32).collect();
    order.sort_by_key(|at| key(&facts.scopes[*at as usize]));
    let mut moved = vec![0; order.len()];
    for (new, old) in order.iter().enumerate() {
        moved[*old as usize] = new as u32;
    }
    let renumber = |scope: &mut ScopeId| scope.0 = moved[scope.0 as usize];
    facts.bindings.iter_mut().for_each(|binding| renumber(&mut binding.scope));
    facts.imports.iter_mut().for_each(|import| renumber(&mut import.scope));
    facts.scopes = order.iter().map(|at| facts.scopes[*at as usize].clone()).collect();
}

/// Tells symbols of the same kind and qualified name apart, once their order is final.
fn number(facts: &mut FileFacts) {
    let mut seen: HashMap<(SymbolKind, &str), u32> = HashMap::default();
    let ordinals: Vec<u32> = facts
        .symbols
        .iter()
        .map(|symbol| {
            let next = seen.entry((symbol.kind, &symbol.qualified_name)).or_insert(0);
            *next += 1;
            *next - 1
        })
        .collect();
    facts.symbols.iter_mut().zip(ordinals).for_each(|(symbol, ordinal)| symbol.ordinal = ordinal);
}
