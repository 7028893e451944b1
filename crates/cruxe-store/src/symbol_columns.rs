//! Symbols and chunks as columns: what a compressor makes small.
//!
//! One behind the other, symbols are mostly positions that grow and names that repeat the ones around them. By column
//! and as differences most numbers are small and alike, and a qualified name is nearly always that of the owner, a
//! separator and the plain name.

use std::borrow::Cow;

use cruxe_model::SymbolKind;
use cruxe_model::facts::*;
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::rows::SymbolTable;

/// The symbols and chunks of a file with their lines: all that most questions need.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct SymbolColumns<'a> {
    names: Vec<Cow<'a, str>>,
    kinds: Vec<u8>,
    /// How far before it the parent stands; 0 for none.
    parents: Vec<u32>,
    /// What stands before the separator in the names of symbols without a parent.
    base: Cow<'a, str>,
    separators: Vec<Cow<'a, str>>,
    /// The separator between the owner's name and its own, or [`IN_FULL`].
    joined_by: Vec<u8>,
    in_full: Vec<Cow<'a, str>>,
    signatures: Vec<Cow<'a, str>>,
    visibilities: Vec<Cow<'a, str>>,
    access: Vec<Access>,
    flags: Vec<u8>,
    ordinals: Vec<u32>,
    types: Vec<i32>,
    values: Vec<i32>,
    full_starts: Vec<i32>,
    starts: Vec<i32>,
    ends: Vec<i32>,
    full_ends: Vec<i32>,
    name_starts: Vec<i32>,
    name_lengths: Vec<i32>,
    doc_starts: Vec<i32>,
    doc_lengths: Vec<i32>,
    hashes: Vec<u8>,
    first_lines: Vec<i32>,
    line_counts: Vec<i32>,
    chunk_starts: Vec<i32>,
    chunk_lengths: Vec<i32>,
    chunk_symbols: Vec<i32>,
    chunk_first_lines: Vec<i32>,
    chunk_line_counts: Vec<i32>,
}

/// Stands for a separator where a qualified name is written out.
const IN_FULL: u8 = u8::MAX;
/// A longer one is no separator.
const MAX_SEPARATOR: usize = 2;

const TEST: u8 = 1;
const DECLARATION: u8 = 2;
const ASSOCIATED: u8 = 4;
const LOCAL: u8 = 8;
const HAS_TYPE: u8 = 16;
const HAS_VALUE: u8 = 32;
const HAS_DOC: u8 = 64;

fn minus(a: u32, b: u32) -> i32 {
    a.wrapping_sub(b) as i32
}

fn plus(a: u32, difference: i32) -> u32 {
    a.wrapping_add(difference as u32)
}

impl<'a> SymbolColumns<'a> {
    pub fn from_facts(facts: &'a FileFacts) -> SymbolColumns<'a> {
        let mut columns = SymbolColumns { base: base(&facts.symbols).into(), ..SymbolColumns::default() };
        let (mut last_start, mut last_line, mut last_type, mut last_value) = (0, 0, 0, 0);
        for (at, symbol) in facts.symbols.iter().enumerate() {
            columns.add_name(&facts.symbols, at);
            let Symbol { span, full_span, name_span, doc_span, flags, .. } = *symbol;
            let has_doc = doc_span != Span::default();
            columns.flags.push(
                u8::from(flags.test) * TEST
                    + u8::from(flags.declaration) * DECLARATION
                    + u8::from(flags.associated) * ASSOCIATED
                    + u8::from(flags.local) * LOCAL
                    + u8::from(symbol.ty.is_some()) * HAS_TYPE
                    + u8::from(symbol.value.is_some()) * HAS_VALUE
                    + u8::from(has_doc) * HAS_DOC,
            );
            if let Some(TypeId(id)) = symbol.ty {
                columns.types.push(minus(id, std::mem::replace(&mut last_type, id)));
            }
            if let Some(ExprId(id)) = symbol.value {
                columns.values.push(minus(id, std::mem::replace(&mut last_value, id)));
            }
            columns.full_starts.push(minus(full_span.start, std::mem::replace(&mut last_start, full_span.start)));
            columns.starts.push(minus(span.start, full_span.start));
            columns.ends.push(minus(span.end, span.start));
            columns.full_ends.push(minus(full_span.end, span.end));
            columns.name_starts.push(minus(name_span.start, span.start));
            columns.name_lengths.push(minus(name_span.end, name_span.start.wrapping_add(symbol.name.len() as u32)));
            if has_doc {
                columns.doc_starts.push(minus(doc_span.start, full_span.start));
                columns.doc_lengths.push(minus(doc_span.end, doc_span.start));
            }
            columns.hashes.extend(symbol.content_hash.to_le_bytes());
            let (first, last) = facts.lines_of(span);
            columns.first_lines.push(minus(first, std::mem::replace(&mut last_line, first)));
            columns.line_counts.push(minus(last, first));
        }
        let (mut last_end, mut last_line, mut last_symbol) = (0, 0, 0);
        for chunk in &facts.chunks {
            let (first, last) = facts.lines_of(chunk.span);
            let symbol = chunk.symbol.map_or(0, |at| at.0.wrapping_add(1));
            columns.chunk_starts.push(minus(chunk.span.start, std::mem::replace(&mut last_end, chunk.span.end)));
            columns.chunk_lengths.push(minus(chunk.span.end, chunk.span.start));
            columns.chunk_symbols.push(minus(symbol, std::mem::replace(&mut last_symbol, symbol)));
            columns.chunk_first_lines.push(minus(first, std::mem::replace(&mut last_line, last)));
            columns.chunk_line_counts.push(minus(last, first));
        }
        columns
    }

    /// Everything about a symbol that is no position.
    fn add_name(&mut self, symbols: &'a [Symbol], at: usize) {
        let symbol = &symbols[at];
        let parent = symbol.parent.map(|parent| parent.0 as usize).filter(|parent| *parent < at);
        let owner = parent.map_or(&*self.base, |parent| &symbols[parent].qualified_name);
        let separator = separator(symbol, owner);
        let known = separator.and_then(|separator| self.separators.iter().position(|known| known == separator));
        let joined_by = match (separator, known) {
            (_, Some(known)) => known as u8,
            (Some(separator), None) if self.separators.len() < usize::from(IN_FULL) => {
                self.separators.push(separator.into());
                (self.separators.len() - 1) as u8
            }
            _ => {
                self.in_full.push((&*symbol.qualified_name).into());
                IN_FULL
            }
        };
        self.joined_by.push(joined_by);
        self.names.push((&*symbol.name).into());
        self.kinds.push(symbol.kind.code());
        self.parents.push(parent.map_or(0, |parent| (at - parent) as u32));
        self.signatures.push((&*symbol.signature).into());
        self.visibilities.push((&*symbol.visibility).into());
        self.access.push(symbol.access);
        self.ordinals.push(symbol.ordinal);
    }

    /// The symbols and chunks again; an error where columns do not fit each other.
    pub fn into_table(self) -> Result<SymbolTable, StoreError> {
        self.read().ok_or_else(|| StoreError::corrupt("facts: columns of symbols that do not fit each other"))
    }

    fn read(self) -> Option<SymbolTable> {
        let (mut symbols, mut lines): (Vec<Symbol>, Vec<(u32, u32)>) = Default::default();
        let (mut in_full, mut hashes) = (self.in_full.into_iter(), self.hashes.chunks_exact(8));
        let (mut types, mut values) = (self.types.into_iter(), self.values.into_iter());
        let mut docs = self.doc_starts.into_iter().zip(self.doc_lengths);
        let mut signatures = self.signatures.into_iter();
        let mut visibilities = self.visibilities.into_iter();
        let (mut full_start, mut line, mut ty, mut value) = (0, 0, 0, 0);
        for (at, name) in self.names.into_iter().enumerate() {
            let parent = match *self.parents.get(at)? as usize {
                0 => None,
                back => Some(at.checked_sub(back)?),
            };
            let qualified_name = match *self.joined_by.get(at)? {
                IN_FULL => in_full.next()?.into_owned(),
                separator => {
                    let owner = parent.map_or(&*self.base, |parent| &symbols[parent].qualified_name);
                    [owner, self.separators.get(usize::from(separator))?, &*name].concat()
                }
            };
            let flags = *self.flags.get(at)?;
            full_start = plus(full_start, *self.full_starts.get(at)?);
            let start = plus(full_start, *self.starts.get(at)?);
            let end = plus(start, *self.ends.get(at)?);
            let name_start = plus(start, *self.name_starts.get(at)?);
            let name_end = plus(name_start.wrapping_add(name.len() as u32), *self.name_lengths.get(at)?);
            let mut doc_span = Span::default();
            if flags & HAS_DOC != 0 {
                let (doc_start, length) = docs.next()?;
                doc_span.start = plus(full_start, doc_start);
                doc_span.end = plus(doc_span.start, length);
            }
            if flags & HAS_TYPE != 0 {
                ty = plus(ty, types.next()?);
            }
            if flags & HAS_VALUE != 0 {
                value = plus(value, values.next()?);
            }
            line = plus(line, *self.first_lines.get(at)?);
            lines.push((line, plus(line, *self.line_counts.get(at)?)));
            symbols.push(Symbol {
                name: name.into_owned(),
                kind: SymbolKind::from_code(*self.kinds.get(at)?)?,
                parent: parent.map(|parent| SymbolIndex(parent as u32)),
                qualified_name,
                signature: signatures.next()?.into_owned(),
                visibility: visibilities.next()?.into_owned(),
                access: *self.access.get(at)?,
                span: Span { start, end },
                full_span: Span { start: full_start, end: plus(end, *self.full_ends.get(at)?) },
                name_span: Span { start: name_start, end: name_end },
                doc_span,
                ordinal: *self.ordinals.get(at)?,
                ty: (flags & HAS_TYPE != 0).then_some(TypeId(ty)),
                value: (flags & HAS_VALUE != 0).then_some(ExprId(value)),
                content_hash: u64::from_le_bytes(hashes.next()?.try_into().ok()?),
                flags: SymbolFlags {
                    test: flags & TEST != 0,
                    declaration: flags & DECLARATION != 0,
                    associated: flags & ASSOCIATED != 0,
                    local: flags & LOCAL != 0,
                },
            });
        }
        let (mut chunks, mut chunk_lines): (Vec<Chunk>, Vec<(u32, u32)>) = Default::default();
        let (mut end, mut line, mut symbol) = (0, 0, 0);
        for (at, start) in self.chunk_starts.into_iter().enumerate() {
            let start = plus(end, start);
            end = plus(start, *self.chunk_lengths.get(at)?);
            symbol = plus(symbol, *self.chunk_symbols.get(at)?);
            chunks.push(Chunk { span: Span { start, end }, symbol: symbol.checked_sub(1).map(SymbolIndex) });
            let first = plus(line, *self.chunk_first_lines.get(at)?);
            line = plus(first, *self.chunk_line_counts.get(at)?);
            chunk_lines.push((first, line));
        }
        Some(SymbolTable { symbols, lines, chunks, chunk_lines })
    }
}

/// What stands between the owner and the plain name, where that is all that the qualified name has.
fn separator<'s>(symbol: &'s Symbol, owner: &str) -> Option<&'s str> {
    let before = symbol.qualified_name.strip_suffix(symbol.name.as_str())?;
    before.strip_prefix(owner).filter(|separator| separator.len() <= MAX_SEPARATOR)
}

/// The common beginning of the names of symbols without a parent: the module, in the language's own form.
fn base(symbols: &[Symbol]) -> &str {
    let first = symbols.iter().find(|symbol| symbol.parent.is_none());
    let before = first.and_then(|symbol| symbol.qualified_name.strip_suffix(symbol.name.as_str()));
    before.unwrap_or_default().trim_end_matches(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(name: &str, qualified_name: &str, parent: Option<u32>) -> Symbol {
        Symbol {
            name: name.into(),
            kind: SymbolKind::Fn,
            parent: parent.map(SymbolIndex),
            qualified_name: qualified_name.into(),
            signature: format!("fn {name}()"),
            visibility: "pub".into(),
            access: Access::Public,
            span: Span { start: 20, end: 90 },
            full_span: Span { start: 5, end: 91 },
            name_span: Span { start: 23, end: 23 + name.len() as u32 },
            doc_span: Span { start: 5, end: 19 },
            ordinal: 0,
            ty: Some(TypeId(3)),
            value: None,
            content_hash: u64::MAX - 7,
            flags: SymbolFlags { test: true, local: true, ..SymbolFlags::default() },
        }
    }

    fn facts() -> FileFacts {
        let odd = Symbol {
            span: Span { start: 9, end: 3 },
            full_span: Span { start: 70, end: 2 },
            name_span: Span { start: u32::MAX, end: 0 },
            doc_span: Span::default(),
            ty: None,
            value: Some(ExprId(9)),
            flags: SymbolFlags { declaration: true, associated: true, ..SymbolFlags::default() },
            ..symbol("", "somewhere else", Some(7))
        };
        FileFacts {
            symbols: vec![
                symbol("a", "crate::m::a", None),
                symbol("b", "crate::m::a::b", Some(0)),
                symbol("c", "crate::m::a.c", Some(0)),
                symbol("größe", "crate::m::größe", None),
                symbol("d", "d", None),
                Symbol { parent: None, ..odd },
            ],
            chunks: vec![
                Chunk { span: Span { start: 0, end: 30 }, symbol: None },
                Chunk { span: Span { start: 30, end: 90 }, symbol: Some(SymbolIndex(2)) },
                Chunk { span: Span { start: 10, end: 12 }, symbol: Some(SymbolIndex(0)) },
            ],
            line_starts: vec![0, 10, 50],
            ..FileFacts::default()
        }
    }

    #[test]
    fn symbols_and_chunks_survive_as_columns() {
        let facts = facts();
        let columns = SymbolColumns::from_facts(&facts);
        assert_eq!((&*columns.base, &columns.separators[..]), ("crate::m", &["::".into(), ".".into()][..]));
        assert_eq!(columns.in_full, ["d", "somewhere else"]);
        let table = columns.into_table().unwrap();
        assert_eq!(table.symbols, facts.symbols);
        assert_eq!(table.chunks, facts.chunks);
        for (at, symbol) in facts.symbols.iter().enumerate() {
            assert_eq!(table.lines(SymbolIndex(at as u32)), facts.lines_of(symbol.span));
        }
        for (at, chunk) in facts.chunks.iter().enumerate() {
            assert_eq!(table.chunk_lines(at as u32), facts.lines_of(chunk.span));
        }
    }

    #[test]
    fn columns_that_do_not_fit_are_an_error() {
        let facts = facts();
        let damaged = |damage: fn(&mut SymbolColumns)| {
            let mut columns = SymbolColumns::from_facts(&facts);
            damage(&mut columns);
            columns.into_table().is_err()
        };
        assert!(!damaged(|_| ()));
        assert!(damaged(|columns| columns.hashes.truncate(9)));
        assert!(damaged(|columns| columns.parents[1] = 2), "a parent before the first symbol");
        assert!(damaged(|columns| columns.joined_by[0] = 17));
        assert!(damaged(|columns| columns.kinds[2] = 250));
        assert!(damaged(|columns| columns.in_full.clear()));
        assert!(damaged(|columns| columns.chunk_lengths.truncate(1)));
    }
}
