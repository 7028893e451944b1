//! Facts as bytes: columns of small numbers, compressed.
//!
//! A row per occurrence would cost more than the source itself; packed by column and compressed, an occurrence costs
//! about three bytes.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io;
use std::sync::OnceLock;
use std::thread::LocalKey;

use cruxe_model::Names;
use cruxe_model::arguments::Arguments;
use cruxe_model::facts::*;
use serde::{Deserialize, Serialize};
use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::DecoderDictionary;
use zstd::zstd_safe::CParameter;

use crate::error::StoreError;
use crate::rows::SymbolTable;
use crate::symbol_columns::SymbolColumns;

/// The next level saves a hundredth, with a second table to look into.
const LEVEL: i32 = 2;
/// Tables of 4,096 places. Parsing has driven them out of the processor's caches by the time the next file is packed, so what a
/// larger table costs is fetching it; it would save half a hundredth.
const TABLE_LOG: u32 = 12;

/// What the facts of many files have in common, so that each of them need not say it. A part of the schema: with another one
/// nothing that is stored can be read. `train.py` beside them makes them.
static SYMBOLS: Dictionary = Dictionary::new(include_bytes!("../dictionaries/symbols.dict"));
static REST: Dictionary = Dictionary::new(include_bytes!("../dictionaries/rest.dict"));

struct Dictionary {
    bytes: &'static [u8],
    decoder: OnceLock<DecoderDictionary<'static>>,
}

impl Dictionary {
    const fn new(bytes: &'static [u8]) -> Dictionary {
        Dictionary { bytes, decoder: OnceLock::new() }
    }

    fn compressor(&'static self) -> io::Result<Compressor<'static>> {
        let mut compressor = Compressor::with_dictionary(LEVEL, self.bytes)?;
        compressor.set_parameter(CParameter::HashLog(TABLE_LOG))?;
        // Which dictionary it is and how long the content is are known without the frame.
        compressor.set_parameter(CParameter::DictIdFlag(false))?;
        compressor.set_parameter(CParameter::ContentSizeFlag(false))?;
        Ok(compressor)
    }

    fn decompressor(&'static self) -> io::Result<Decompressor<'static>> {
        Decompressor::with_prepared_dictionary(self.decoder.get_or_init(|| DecoderDictionary::copy(self.bytes)))
    }
}

/// Nothing that is packed is longer; what says so is not ours.
pub(crate) const MAX_UNPACKED: usize = 1 << 30;

/// Facts of one file version, ready to be stored.
pub(crate) struct PackedFacts {
    pub(crate) symbols: Vec<u8>,
    pub(crate) rest: Vec<u8>,
}

/// The compressors of a thread: making them costs as much as a small file.
struct Compressors {
    symbols: Compressor<'static>,
    rest: Compressor<'static>,
}

/// Does something with the thread's compressors.
fn with_compressors<T>(pack: impl FnOnce(&mut Compressors) -> Result<T, StoreError>) -> Result<T, StoreError> {
    thread_local!(static OWN: RefCell<Option<Compressors>> = const { RefCell::new(None) });
    let new =
        || -> io::Result<Compressors> { Ok(Compressors { symbols: SYMBOLS.compressor()?, rest: REST.compressor()? }) };
    OWN.with_borrow_mut(|own| match own {
        Some(compressors) => pack(compressors),
        None => pack(own.insert(new().map_err(StoreError::io("zstd"))?)),
    })
}

/// Packs the facts of one file.
pub(crate) fn facts(of: &FileFacts) -> Result<PackedFacts, StoreError> {
    with_compressors(|own| {
        let symbols = packed(&mut own.symbols, &SymbolColumns::from_facts(of))?;
        Ok(PackedFacts { symbols, rest: packed(&mut own.rest, &Columns::from_facts(of))? })
    })
}

/// Packs something else.
pub(crate) fn bytes(value: &impl Serialize) -> Result<Vec<u8>, StoreError> {
    with_compressors(|own| packed(&mut own.rest, value))
}

fn packed(compressor: &mut Compressor, value: &impl Serialize) -> Result<Vec<u8>, StoreError> {
    let plain = postcard::to_stdvec(value).map_err(|problem| StoreError::corrupt(format!("pack: {problem}")))?;
    let mut bytes = compressor.compress(&plain).map_err(StoreError::io("zstd"))?;
    bytes.extend((plain.len() as u32).to_le_bytes());
    Ok(bytes)
}

pub(crate) fn unpack_symbols(bytes: &[u8]) -> Result<SymbolTable, StoreError> {
    thread_local!(static OWN: OwnDecompressor = const { RefCell::new(None) });
    unpack_with::<SymbolColumns>(bytes, &SYMBOLS, &OWN)?.into_table()
}

pub(crate) fn unpack_rest(bytes: &[u8]) -> Result<FileFacts, StoreError> {
    unpack::<Columns>(bytes).map(Columns::into_facts)
}

/// Unpacks what [`bytes`] packed.
pub(crate) fn unpack<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<T, StoreError> {
    thread_local!(static OWN: OwnDecompressor = const { RefCell::new(None) });
    unpack_with(bytes, &REST, &OWN)
}

/// A decompressor of the thread's own: making one costs as much as a small file.
type OwnDecompressor = RefCell<Option<Decompressor<'static>>>;

fn unpack_with<T: for<'de> Deserialize<'de>>(
    bytes: &[u8],
    dictionary: &'static Dictionary,
    own: &'static LocalKey<OwnDecompressor>,
) -> Result<T, StoreError> {
    let damaged = |what: &dyn std::fmt::Display| StoreError::corrupt(format!("facts: {what}"));
    let (packed, len) = bytes.split_last_chunk::<4>().ok_or_else(|| damaged(&"too short"))?;
    let length = u32::from_le_bytes(*len) as usize;
    if length > MAX_UNPACKED {
        return Err(damaged(&"longer than anything that is packed"));
    }
    let decompress = |slot: &mut Option<Decompressor<'static>>| match slot {
        Some(decompressor) => decompressor.decompress(packed, length),
        None => slot.insert(dictionary.decompressor()?).decompress(packed, length),
    };
    let plain = own.with_borrow_mut(decompress).map_err(|problem| damaged(&problem))?;
    postcard::from_bytes(&plain).map_err(|problem| damaged(&problem))
}

/// Everything but symbols, one vector per column; positions as differences to the one before.
#[derive(Serialize, Deserialize)]
struct Columns<'a> {
    language: Cow<'a, str>,
    module: Cow<'a, str>,
    names: Cow<'a, Names>,
    lines: Vec<u32>,
    scope_starts: Vec<u32>,
    scope_lengths: Vec<u32>,
    scope_kinds: Vec<ScopeKind>,
    binding_names: Vec<u32>,
    binding_starts: Vec<u32>,
    binding_scopes: Vec<u32>,
    binding_kinds: Vec<BindingKind>,
    binding_types: Vec<u32>,
    binding_values: Vec<u32>,
    imports: Cow<'a, [Import]>,
    occurrence_starts: Vec<u32>,
    occurrence_names: Vec<u32>,
    occurrence_roles: Vec<Role>,
    occurrence_receivers: Vec<u32>,
    /// What calls pass, 0 where nothing is said of it; empty where that holds for all.
    call_arguments: Vec<u32>,
    loose_starts: Vec<u32>,
    /// Twice the name, and one more where the text could not be parsed.
    loose_names: Vec<u32>,
    heritage: Cow<'a, [Heritage]>,
    exprs: Vec<Expr>,
    types: Cow<'a, [TypeRef]>,
    problems: Cow<'a, [Problem]>,
}

impl<'a> Columns<'a> {
    fn from_facts(facts: &'a FileFacts) -> Columns<'a> {
        let (occurrences, bindings) = (&facts.occurrences, &facts.bindings);
        Columns {
            language: Cow::Borrowed(&facts.language),
            module: Cow::Borrowed(&facts.module),
            names: Cow::Borrowed(&facts.names),
            lines: deltas(facts.line_starts.iter().copied()),
            scope_starts: deltas(facts.scopes.iter().map(|scope| scope.span.start)),
            scope_lengths: facts.scopes.iter().map(|scope| scope.span.end.wrapping_sub(scope.span.start)).collect(),
            scope_kinds: facts.scopes.iter().map(|scope| scope.kind).collect(),
            binding_names: bindings.iter().map(|binding| binding.name.0).collect(),
            binding_starts: deltas(bindings.iter().map(|binding| binding.start)),
            binding_scopes: bindings.iter().map(|binding| binding.scope.0).collect(),
            binding_kinds: bindings.iter().map(|binding| binding.kind).collect(),
            binding_types: bindings.iter().map(|binding| binding.ty.map_or(0, |id| id.0 + 1)).collect(),
            binding_values: bindings.iter().map(|binding| binding.value.map_or(0, |id| id.0 + 1)).collect(),
            imports: Cow::Borrowed(&facts.imports),
            occurrence_starts: deltas(occurrences.iter().map(|occurrence| occurrence.start)),
            occurrence_names: occurrences.iter().map(|occurrence| occurrence.name.0).collect(),
            occurrence_roles: occurrences.iter().map(|occurrence| occurrence.role).collect(),
            occurrence_receivers: occurrences.iter().map(|o| o.receiver.map_or(0, |id| id.0 + 1)).collect(),
            call_arguments: call_arguments(facts),
            loose_starts: deltas(facts.loose.iter().map(|loose| loose.start)),
            loose_names: facts.loose.iter().map(|loose| loose.name.0 << 1 | u32::from(loose.unparsed)).collect(),
            heritage: Cow::Borrowed(&facts.heritage),
            exprs: relative(facts.exprs.iter().cloned()).collect(),
            types: Cow::Borrowed(&facts.types),
            problems: Cow::Borrowed(&facts.problems),
        }
    }

    fn into_facts(self) -> FileFacts {
        let scopes = sums(self.scope_starts).zip(self.scope_lengths).zip(self.scope_kinds);
        let occurrences = sums(self.occurrence_starts)
            .zip(self.occurrence_names)
            .zip(self.occurrence_roles)
            .zip(self.occurrence_receivers);
        let bindings = self
            .binding_names
            .into_iter()
            .zip(sums(self.binding_starts))
            .zip(self.binding_scopes)
            .zip(self.binding_kinds)
            .zip(self.binding_types)
            .zip(self.binding_values);
        let occurrences: Vec<Occurrence> = occurrences
            .map(|(((start, name), role), receiver)| Occurrence {
                name: NameId(name),
                start,
                role,
                receiver: receiver.checked_sub(1).map(ExprId),
            })
            .collect();
        let called = occurrences.iter().filter(|occurrence| occurrence.role.is_call()).zip(self.call_arguments);
        let passed = called.filter_map(|(occurrence, packed)| {
            let start = occurrence.start;
            Arguments::unpacked(packed).map(|arguments| Call { start, arguments })
        });
        FileFacts {
            language: self.language.into_owned(),
            module: self.module.into_owned(),
            names: self.names.into_owned(),
            symbols: Vec::new(),
            scopes: scopes
                .map(|((start, length), kind)| Scope { span: Span { start, end: start.wrapping_add(length) }, kind })
                .collect(),
            bindings: bindings
                .map(|(((((name, start), scope), kind), ty), value)| Binding {
                    name: NameId(name),
                    start,
                    scope: ScopeId(scope),
                    kind,
                    ty: ty.checked_sub(1).map(TypeId),
                    value: value.checked_sub(1).map(ExprId),
                })
                .collect(),
            imports: self.imports.into_owned(),
            calls: passed.collect(),
            occurrences,
            loose: sums(self.loose_starts)
                .zip(self.loose_names)
                .map(|(start, name)| Loose { name: NameId(name >> 1), start, unparsed: name & 1 == 1 })
                .collect(),
            heritage: self.heritage.into_owned(),
            exprs: relative(self.exprs.into_iter()).collect(),
            types: self.types.into_owned(),
            chunks: Vec::new(),
            line_starts: sums(self.lines).collect(),
            problems: self.problems.into_owned(),
        }
    }
}

/// What each use that is a call passes.
fn call_arguments(facts: &FileFacts) -> Vec<u32> {
    if facts.calls.is_empty() {
        return Vec::new();
    }
    let mut calls = facts.calls.iter().peekable();
    let called = facts.occurrences.iter().filter(|occurrence| occurrence.role.is_call());
    called
        .map(|occurrence| {
            while calls.next_if(|call| call.start < occurrence.start).is_some() {}
            calls.next_if(|call| call.start == occurrence.start).map_or(0, |call| call.arguments.packed())
        })
        .collect()
}

/// Expressions whose parts are told by how far before them they stand, mostly right before: small numbers, and the same for the
/// same shape. Doing it twice gives back what was there.
fn relative(exprs: impl Iterator<Item = Expr>) -> impl Iterator<Item = Expr> {
    exprs.enumerate().map(|(at, expr)| {
        let back = |base: ExprId| ExprId((at as u32).wrapping_sub(base.0));
        match expr {
            Expr::Member(base, name) => Expr::Member(back(base), name),
            Expr::Call(base) => Expr::Call(back(base)),
            Expr::Index(base) => Expr::Index(back(base)),
            Expr::Unwrap(base) => Expr::Unwrap(back(base)),
            Expr::Argument(base, place) => Expr::Argument(back(base), place),
            Expr::Part(base, place) => Expr::Part(back(base), place),
            Expr::Either(one, other) => Expr::Either(back(one), back(other)),
            Expr::Name(_) | Expr::SelfValue | Expr::Super | Expr::Typed(_) | Expr::Literal(_) | Expr::Unknown => expr,
        }
    })
}

pub(crate) fn deltas(values: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut last = 0u32;
    values.map(|value| value.wrapping_sub(std::mem::replace(&mut last, value))).collect()
}

pub(crate) fn sums(deltas: Vec<u32>) -> impl Iterator<Item = u32> {
    deltas.into_iter().scan(0u32, |last, delta| {
        *last = last.wrapping_add(delta);
        Some(*last)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::SCHEMA_VERSION;

    #[test]
    fn facts_survive_packing() {
        let name = |id| NameId(id);
        let facts = FileFacts {
            language: "rust".into(),
            module: "auth".into(),
            names: ["a", "größe"].into_iter().collect(),
            scopes: vec![
                Scope { span: Span { start: 0, end: 90 }, kind: ScopeKind::File },
                Scope { span: Span { start: 10, end: 40 }, kind: ScopeKind::Function },
            ],
            occurrences: vec![
                Occurrence { name: name(1), start: 12, role: Role::Call, receiver: Some(ExprId(0)) },
                Occurrence { name: name(0), start: 70, role: Role::Type, receiver: None },
                Occurrence { name: name(0), start: 75, role: Role::Subclass, receiver: None },
                Occurrence { name: name(1), start: 80, role: Role::Call, receiver: None },
            ],
            calls: vec![
                Call { start: 12, arguments: Arguments::unpacked(34).unwrap() },
                Call { start: 80, arguments: Arguments::unpacked(1).unwrap() },
            ],
            loose: vec![
                Loose { name: name(1), start: 3, unparsed: false },
                Loose { name: name(0), start: 90, unparsed: true },
            ],
            exprs: vec![
                Expr::Name(name(0)),
                Expr::Member(ExprId(0), name(1)),
                Expr::Call(ExprId(1)),
                Expr::Part(ExprId(7), 2),
                Expr::Either(ExprId(1), ExprId(3)),
            ],
            bindings: vec![
                Binding {
                    name: name(1),
                    start: 30,
                    scope: ScopeId(1),
                    kind: BindingKind::Param,
                    ty: Some(TypeId(4)),
                    value: None,
                },
                Binding {
                    name: name(0),
                    start: 20,
                    scope: ScopeId(0),
                    kind: BindingKind::Element,
                    ty: None,
                    value: Some(ExprId(2)),
                },
            ],
            line_starts: vec![0, 10, 50],
            problems: vec![Problem::SyntaxError { line: 2, unparsed: vec![Span { start: 4, end: 9 }] }],
            ..FileFacts::default()
        };
        let packed = super::facts(&facts).unwrap();
        assert_eq!(unpack_rest(&packed.rest).unwrap(), facts);
        assert!(unpack_symbols(&packed.symbols).unwrap().symbols.is_empty());
    }

    #[test]
    fn the_dictionaries_are_those_of_the_schema() {
        // With other ones, indexes of this schema version could not be read: raise it with them.
        let id = |dictionary: &Dictionary| {
            dictionary.bytes[4..8].iter().rev().fold(0, |id, byte| id << 8 | u64::from(*byte))
        };
        assert_eq!((SCHEMA_VERSION, id(&SYMBOLS), id(&REST)), (17, 1_376_477_505, 2_125_699_728));
    }

    #[test]
    fn damaged_bytes_are_an_error() {
        let mut packed = super::facts(&FileFacts::default()).unwrap().rest;
        let middle = packed.len() / 2;
        packed[middle] ^= 0xff;
        packed.truncate(packed.len() - 1);
        assert!(matches!(unpack_rest(&packed), Err(StoreError::Corrupt { .. })));
        assert!(matches!(unpack_rest(b"x"), Err(StoreError::Corrupt { .. })));
    }
}
