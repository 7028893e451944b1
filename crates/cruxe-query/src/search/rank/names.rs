//! Definitions whose name the query has: how surely each is meant.

use cruxe_model::SymbolKind;
use cruxe_model::facts::SymbolIndex;
use cruxe_store::{NameMatch, SymbolHit};

/// Definitions of one name beyond this number are not looked at one by one.
pub(crate) const MAX_DEFINITIONS: usize = 2_000;
/// Of more definitions than this the qualifiers are not compared: a table is read for each.
pub(crate) const MAX_QUALIFIED: usize = 64;
/// What a word keeps that may be a name or just a word.
const UNSURE: f32 = 0.4;
/// What the definition of a qualifier counts for: who asks for `A::b` may be content with `A`.
const QUALIFIER: f32 = 0.3;
/// What a test or something inside a function keeps.
const HIDDEN: f32 = 0.3;
/// What a declaration keeps beside its definition.
const DECLARATION: f32 = 0.8;
/// What a definition keeps that has the name and none of the qualifiers.
const OTHER_QUALIFIERS: f32 = 0.5;
/// Definitions of a file that fit so well, compared with its best, are shown too.
const ALSO_MEANT: f32 = 0.5;
/// What each word of a name takes away when names are suggested: the shorter one says the same with less.
const SUGGESTED_WORD: f64 = 0.3;

/// A definition whose name is in the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NamedDefinition {
    pub symbol: SymbolIndex,
    pub kind: SymbolKind,
    /// How surely it is meant, 0 to 1.
    pub fit: f32,
    /// How well the qualifiers fit, 0 to 1.
    pub qualifiers: f32,
    /// The name can be nothing but a name.
    pub sure: bool,
}

/// Returns what a name of the query counts for; `alone` where the query is nothing else.
pub(crate) fn of_word(sure: bool, alone: bool) -> f32 {
    if sure || alone { 1.0 } else { UNSURE }
}

/// Returns what a qualifier counts for, as a name of its own, from what its name does.
pub(crate) fn of_qualifier(word: f32) -> f32 {
    QUALIFIER * word
}

/// Returns how surely a definition is meant, by how its name was found and what the word counts for.
pub(crate) fn fit(hit: &SymbolHit, how: NameMatch, word: f32) -> f32 {
    let by_name = match how {
        NameMatch::Exact => 1.0,
        NameMatch::CaseInsensitive => 0.6,
        NameMatch::Prefix => 0.5,
        NameMatch::Typo => 0.4,
    };
    let mut fit = by_name * kind_prior(hit.kind) * word;
    fit *= if hit.test || hit.local { HIDDEN } else { 1.0 };
    fit *= if hit.declaration { DECLARATION } else { 1.0 };
    fit
}

/// Returns what a fit is worth with qualifiers that were asked for and fit so well.
pub(crate) fn qualified(fit: f32, qualifiers: f32) -> f32 {
    fit * if qualifiers > 0.0 { 1.0 } else { OTHER_QUALIFIERS }
}

/// Puts the likeliest definitions of a file first, each once.
pub(crate) fn order(definitions: &mut Vec<NamedDefinition>) {
    definitions.sort_by(|a, b| {
        let key = |it: &NamedDefinition| it.fit + it.qualifiers;
        key(b).total_cmp(&key(a)).then(a.symbol.cmp(&b.symbol))
    });
    definitions.dedup_by_key(|definition| definition.symbol);
}

/// Whether a definition is worth showing beside the best of its file.
pub(crate) fn is_also_meant(fit: f32, best: f32) -> bool {
    fit >= ALSO_MEANT * best
}

/// Returns how good a name is to suggest, by the rarity of the query's words in it and how many words it has.
pub(crate) fn suggested(rarity: f64, words: u32) -> f64 {
    rarity - SUGGESTED_WORD * f64::from(words.max(1))
}

/// How likely somebody who says a name means a definition of this kind.
pub(crate) fn kind_prior(kind: SymbolKind) -> f32 {
    use SymbolKind::*;
    match kind {
        Class | Struct | Trait | Interface | Enum | Union | Type => 1.0,
        Fn | Macro => 0.9,
        Method | Module => 0.8,
        Impl => 0.7,
        Const | Static => 0.6,
        Property => 0.5,
        Variable => 0.4,
        Field | Variant | Heading => 0.2,
        Use => 0.0,
    }
}
