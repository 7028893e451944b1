//! What is around a position of a file: the innermost scope and symbol, found without reading all of them.

use crate::facts::{FileFacts, ScopeId, Span, SymbolIndex};
use crate::kind::SymbolKind;

const NONE: u32 = u32::MAX;

/// For every scope and symbol of a file the one around it.
#[derive(Clone, Debug, Default)]
pub struct Nesting {
    scope_parents: Vec<u32>,
    symbol_parents: Vec<u32>,
}

impl Nesting {
    /// Reads the spans of a file once.
    pub fn of(facts: &FileFacts) -> Nesting {
        let scopes = facts.scopes.iter().map(|scope| Some(scope.span));
        // Imports hold no code.
        let symbols = facts.symbols.iter().map(|symbol| (symbol.kind != SymbolKind::Use).then_some(symbol.full_span));
        Nesting { scope_parents: parents(scopes), symbol_parents: parents(symbols) }
    }

    /// The scope around a scope.
    pub fn scope_parent(&self, scope: ScopeId) -> Option<ScopeId> {
        self.scope_parents.get(scope.0 as usize).filter(|at| **at != NONE).map(|at| ScopeId(*at))
    }

    /// The innermost scope around an offset.
    pub fn scope_at(&self, facts: &FileFacts, offset: u32) -> ScopeId {
        let after = facts.scopes.partition_point(|scope| scope.span.start <= offset);
        let mut at = after.checked_sub(1).map_or(NONE, |at| at as u32);
        while at != NONE && !facts.scopes[at as usize].span.contains(offset) {
            at = self.scope_parents[at as usize];
        }
        if at == NONE { ScopeId(0) } else { ScopeId(at) }
    }

    /// The innermost symbol around an offset, imports left out.
    ///
    /// A field that is introduced inside a function (`self.x = f()` in Python) holds no code: the function does.
    pub fn enclosing_symbol(&self, facts: &FileFacts, offset: u32) -> Option<SymbolIndex> {
        let innermost = self.symbol_at(facts, offset)?;
        let (kind, parent) = (facts.symbols[innermost as usize].kind, facts.symbols[innermost as usize].parent);
        if kind != SymbolKind::Field {
            return Some(SymbolIndex(innermost));
        }
        let mut outer = self.symbol_parents[innermost as usize];
        // The function may be what makes the field's owner: `function Foo() { this.x = f() }` of JavaScript. In Zig the fields of a
        // type that a function makes are declared, and are no code of it.
        let set = facts.symbols[innermost as usize].signature.starts_with("this");
        while outer != NONE && (set || Some(SymbolIndex(outer)) != parent) {
            let kind = facts.symbols[outer as usize].kind;
            if matches!(kind, SymbolKind::Fn | SymbolKind::Method | SymbolKind::Property) {
                return Some(SymbolIndex(outer));
            }
            if Some(SymbolIndex(outer)) == parent {
                break;
            }
            outer = self.symbol_parents[outer as usize];
        }
        Some(SymbolIndex(innermost))
    }

    /// The symbols around an offset, innermost first.
    pub fn symbols_around<'a>(&'a self, facts: &FileFacts, offset: u32) -> impl Iterator<Item = SymbolIndex> + use<'a> {
        let parent = |at: &u32| Some(self.symbol_parents[*at as usize]).filter(|at| *at != NONE);
        std::iter::successors(self.symbol_at(facts, offset), parent).map(SymbolIndex)
    }

    fn symbol_at(&self, facts: &FileFacts, offset: u32) -> Option<u32> {
        // Symbols are sorted by start and nest, so the innermost is the last one that starts before the offset, or one
        // around that.
        let after = facts.symbols.partition_point(|symbol| symbol.full_span.start <= offset);
        let mut at = (0..after).rev().find(|at| facts.symbols[*at].kind != SymbolKind::Use)? as u32;
        while at != NONE && !facts.symbols[at as usize].full_span.contains(offset) {
            at = self.symbol_parents[at as usize];
        }
        (at != NONE).then_some(at)
    }
}

/// The nearest span before each that contains its start. Spans come in the order of their starts.
fn parents(spans: impl Iterator<Item = Option<Span>>) -> Vec<u32> {
    let mut open: Vec<(u32, u32)> = Vec::new();
    let mut parents = Vec::new();
    for (at, span) in spans.enumerate() {
        let Some(span) = span else {
            parents.push(NONE);
            continue;
        };
        while open.last().is_some_and(|(_, end)| *end <= span.start) {
            open.pop();
        }
        parents.push(open.last().map_or(NONE, |(at, _)| *at));
        open.push((at as u32, span.end));
    }
    parents
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Scope, ScopeKind};

    #[test]
    fn the_innermost_scope_is_found_behind_inner_ones_too() {
        let scope = |start, end| Scope { span: Span { start, end }, kind: ScopeKind::Block };
        let facts = FileFacts {
            scopes: vec![scope(0, 100), scope(10, 50), scope(12, 20), scope(30, 40), scope(60, 70)],
            ..FileFacts::default()
        };
        let nesting = Nesting::of(&facts);
        for (offset, want) in [(5, 0), (10, 1), (15, 2), (20, 1), (25, 1), (35, 3), (45, 1), (55, 0), (65, 4), (99, 0)]
        {
            assert_eq!(nesting.scope_at(&facts, offset), ScopeId(want), "at {offset}");
        }
        assert_eq!(nesting.scope_parent(ScopeId(3)), Some(ScopeId(1)));
        assert_eq!(nesting.scope_parent(ScopeId(0)), None);
    }
}
