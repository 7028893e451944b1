//! Definitions by name.

use std::cmp::Ordering;

use cruxe_model::facts::{Access, Symbol};
use cruxe_model::{SymbolKind, VersionId};
use roaring::RoaringBitmap;
use rusqlite::{Connection, Row, params};
use serde::{Deserialize, Serialize};

use crate::check::{Check, seal, unseal};
use crate::error::StoreError;
use crate::meta::{self, NAME_COUNT};

/// How a name was matched; the order is that of preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameMatch {
    /// Letter by letter.
    Exact,
    /// But for the case of letters.
    CaseInsensitive,
    /// As a beginning.
    Prefix,
    /// But for a typing error or two.
    Typo,
}

/// A definition that has the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolHit {
    /// The file version.
    pub version: VersionId,
    /// Which of its symbols.
    pub position: u32,
    /// What it is.
    pub kind: SymbolKind,
    /// A test, or something for tests.
    pub test: bool,
    /// Inside a function.
    pub local: bool,
    /// Its body stands elsewhere.
    pub declaration: bool,
    /// Everyone can use it.
    pub public: bool,
}

const TEST: u8 = 1;
const LOCAL: u8 = 2;
const DECLARATION: u8 = 4;
const PUBLIC: u8 = 8;

pub(crate) fn flags(symbol: &Symbol) -> u8 {
    let flags = symbol.flags;
    u8::from(flags.test) * TEST
        + u8::from(flags.local) * LOCAL
        + u8::from(flags.declaration) * DECLARATION
        + u8::from(symbol.access == Access::Public) * PUBLIC
}

/// A definition of a name as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredDefinition {
    /// The file version; in bytes, how much higher it is than the one before.
    version: VersionId,
    /// Which of its symbols, what it is, and flags: one number, so that most take two or three bytes.
    rest: u64,
}

const FLAG_BITS: u32 = 4;
const KIND_BITS: u32 = 5;
const _: () = assert!(SymbolKind::ALL.len() <= 1 << KIND_BITS);

impl StoredDefinition {
    pub fn new(version: VersionId, position: u32, symbol: &Symbol) -> StoredDefinition {
        let (kind, flags) = (u64::from(symbol.kind.code()), u64::from(flags(symbol)));
        StoredDefinition { version, rest: (((u64::from(position) << KIND_BITS) | kind) << FLAG_BITS) | flags }
    }

    /// None for a kind that this program does not know.
    fn hit(self) -> Option<SymbolHit> {
        let flags = (self.rest & ((1 << FLAG_BITS) - 1)) as u8;
        let kind = SymbolKind::from_code(((self.rest >> FLAG_BITS) & ((1 << KIND_BITS) - 1)) as u8)?;
        Some(SymbolHit {
            version: self.version,
            position: (self.rest >> (FLAG_BITS + KIND_BITS)) as u32,
            kind,
            test: flags & TEST != 0,
            local: flags & LOCAL != 0,
            declaration: flags & DECLARATION != 0,
            public: flags & PUBLIC != 0,
        })
    }
}

/// Whose places they are, for their checksum: the name letter by letter, and which of its rows.
fn owner(name: &str, number: i64) -> i64 {
    Check::default().bytes(name.as_bytes()).number(number).sum().into()
}

/// Places in the order of their versions, as bytes.
pub(crate) fn pack(name: &str, number: i64, mut places: Vec<StoredDefinition>) -> Result<Vec<u8>, StoreError> {
    let mut last = 0;
    for place in &mut places {
        let version = place.version;
        place.version = version.wrapping_sub(std::mem::replace(&mut last, version));
    }
    let bytes = postcard::to_stdvec(&places).map_err(|problem| StoreError::corrupt(format!("name: {problem}")))?;
    Ok(seal(bytes, owner(name, number)))
}

fn unpack(name: &str, number: i64, sealed: &[u8]) -> Result<Vec<StoredDefinition>, StoreError> {
    let bytes = unseal(sealed, owner(name, number), "a name's definitions")?;
    let mut places: Vec<StoredDefinition> =
        postcard::from_bytes(bytes).map_err(|problem| StoreError::corrupt(format!("name: {problem}")))?;
    let mut last: VersionId = 0;
    for place in &mut places {
        last = last.wrapping_add(place.version);
        place.version = last;
    }
    Ok(places)
}

/// Name, number and places of a row.
fn read<'a>(row: &'a Row) -> Result<(&'a str, i64, Vec<StoredDefinition>), StoreError> {
    let name = row.get_ref(0)?.as_str().map_err(|_| StoreError::checksum("a name"))?;
    let number = row.get(1)?;
    Ok((name, number, unpack(name, number, row.get_ref(2)?.as_blob().unwrap_or_default())?))
}

/// Reads all rows as they lie: their checksums hold, they are in order, and none is missing. Then a question finds every name
/// that is there.
pub(crate) fn validate(connection: &Connection) -> Result<(), StoreError> {
    let misplaced = || StoreError::corrupt("database: a name is not where it belongs");
    let mut statement = connection.prepare_cached("SELECT name, number, places FROM name")?;
    let mut rows = statement.query([])?;
    let (mut last, mut count): ((String, i64), i64) = Default::default();
    while let Some(row) = rows.next()? {
        let (name, number, _) = read(row)?;
        count += 1;
        match in_order(&last.0, name).then(last.1.cmp(&number)) {
            Ordering::Less => {
                last.0.clear();
                last.0.push_str(name);
                last.1 = number;
            }
            _ => return Err(misplaced()),
        }
    }
    if count == meta::number(connection, NAME_COUNT)? { Ok(()) } else { Err(misplaced()) }
}

/// As the table sorts: by ASCII letters without their case.
pub(crate) fn in_order(one: &str, other: &str) -> Ordering {
    let folded = one.bytes().map(|byte| byte.to_ascii_lowercase());
    folded.cmp(other.bytes().map(|byte| byte.to_ascii_lowercase()))
}

/// Forgets the definitions in versions that are not kept.
pub(crate) fn keep(connection: &Connection, versions: &RoaringBitmap) -> Result<(), StoreError> {
    let mut changed: Vec<(String, i64, Vec<StoredDefinition>)> = Vec::new();
    let mut statement = connection.prepare_cached("SELECT name, number, places FROM name")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (name, number, mut places) = read(row)?;
        let before = places.len();
        places.retain(|place| versions.contains(place.version));
        if places.len() < before {
            changed.push((name.to_owned(), number, places));
        }
    }
    let mut delete = connection.prepare_cached("DELETE FROM name WHERE name = ?1 AND number = ?2")?;
    let mut update = connection.prepare_cached("UPDATE name SET places = ?3 WHERE name = ?1 AND number = ?2")?;
    let gone = changed.iter().filter(|(.., places)| places.is_empty()).count() as i64;
    meta::set(connection, NAME_COUNT, meta::number(connection, NAME_COUNT)? - gone)?;
    for (name, number, places) in changed {
        match places.is_empty() {
            true => delete.execute(params![name, number])?,
            false => update.execute(params![name, number, pack(&name, number, places)?])?,
        };
    }
    Ok(())
}

/// Calls back with every name and its definitions.
pub(crate) fn each(connection: &Connection, mut tell: impl FnMut(&str, &[SymbolHit])) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached("SELECT name, number, places FROM name")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (name, _, places) = read(row)?;
        let hits: Vec<SymbolHit> = places.into_iter().filter_map(StoredDefinition::hit).collect();
        tell(name, &hits);
    }
    Ok(())
}

/// What a definition is, without its place: the code of its kind, and flags.
pub(crate) fn sort_of(hit: &SymbolHit) -> (u8, u8) {
    let flags = u8::from(hit.test) * TEST
        + u8::from(hit.local) * LOCAL
        + u8::from(hit.declaration) * DECLARATION
        + u8::from(hit.public) * PUBLIC;
    (hit.kind.code(), flags)
}

/// A definition of a sort, at no place.
pub(crate) fn hit_of(kind: SymbolKind, flags: u8) -> SymbolHit {
    SymbolHit {
        version: 0,
        position: 0,
        kind,
        test: flags & TEST != 0,
        local: flags & LOCAL != 0,
        declaration: flags & DECLARATION != 0,
        public: flags & PUBLIC != 0,
    }
}

/// A prefix that is too common is cut here: the answer is cut far earlier anyway.
const MAX_PREFIX_NAMES: usize = 2_000;

/// The definitions in some versions whose name matches in this way.
pub(crate) fn find(
    connection: &Connection,
    name: &str,
    how: NameMatch,
    versions: &RoaringBitmap,
) -> Result<Vec<SymbolHit>, StoreError> {
    let groups = match how {
        NameMatch::Exact => vec![vec![name.to_owned()]],
        NameMatch::CaseInsensitive => {
            let sql = "SELECT DISTINCT name COLLATE BINARY FROM name WHERE name = ?1 AND name <> ?1 COLLATE BINARY";
            vec![names(connection, sql, params![name])?]
        }
        NameMatch::Prefix => vec![prefixed(connection, name)?],
        NameMatch::Typo => similar(connection, name)?,
    };
    // A name may be there for another ref alone, so whether a group has anything shows only with its definitions.
    for names in groups {
        let hits = definitions(connection, &names, versions)?;
        if !hits.is_empty() {
            return Ok(hits);
        }
    }
    Ok(Vec::new())
}

fn definitions(
    connection: &Connection,
    names: &[String],
    versions: &RoaringBitmap,
) -> Result<Vec<SymbolHit>, StoreError> {
    // Without the binary comparison, also those of names that differ in case.
    let sql = "SELECT name, number, places FROM name WHERE name = ?1 AND name = ?1 COLLATE BINARY ORDER BY number";
    let mut statement = connection.prepare_cached(sql)?;
    let mut hits = Vec::new();
    for name in names {
        let mut rows = statement.query(params![name])?;
        while let Some(row) = rows.next()? {
            let (.., places) = read(row)?;
            hits.extend(
                places.into_iter().filter(|place| versions.contains(place.version)).filter_map(StoredDefinition::hit),
            );
        }
    }
    Ok(hits)
}

fn names(connection: &Connection, sql: &str, params: impl rusqlite::Params) -> Result<Vec<String>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params, |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Names that begin so, whatever the case.
fn prefixed(connection: &Connection, name: &str) -> Result<Vec<String>, StoreError> {
    // The upper bound is the prefix with its last character replaced by the next one; NOCASE compares ASCII letters
    // only, so any other last character works the same way.
    let Some(last) = name.chars().last() else { return Ok(Vec::new()) };
    let Some(next) = char::from_u32(last.to_ascii_lowercase() as u32 + 1) else { return Ok(Vec::new()) };
    let bound = format!("{}{next}", &name[..name.len() - last.len_utf8()]);
    let sql = "SELECT name COLLATE BINARY AS word FROM name WHERE name >= ?1 AND name < ?2 AND name <> ?1 \
               GROUP BY word ORDER BY length(word), word LIMIT ?3";
    names(connection, sql, params![name, bound, MAX_PREFIX_NAMES as i64])
}

/// Names at an edit distance of one, or two for longer ones, the nearest first.
fn similar(connection: &Connection, name: &str) -> Result<Vec<Vec<String>>, StoreError> {
    let wanted: Vec<char> = name.to_lowercase().chars().collect();
    let allowed = match wanted.len() {
        0..=2 => return Ok(Vec::new()),
        3..=5 => 1,
        _ => 2,
    };
    let sql = "SELECT name FROM name WHERE length(name) BETWEEN ?1 AND ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![wanted.len() - allowed, wanted.len() + allowed])?;
    let mut found = vec![Vec::new(); allowed + 1];
    let letters = letters(name);
    while let Some(row) = rows.next()? {
        let text = row.get_ref(0)?.as_str().unwrap_or_default();
        if (letters ^ self::letters(text)).count_ones() as usize > 2 * allowed {
            continue; // one edit takes away at most one letter and adds at most one
        }
        let distance = distance(&wanted, text, allowed);
        if let Some(near) = distance.map(|distance| &mut found[distance])
            && !near.iter().any(|known: &String| known == text)
        {
            near.push(text.to_owned());
        }
    }
    Ok(found)
}

/// The set of letters in a word, as bits: tells most words apart that are not similar.
fn letters(text: &str) -> u64 {
    text.chars().flat_map(char::to_lowercase).fold(0, |set, letter| set | 1 << (letter as u32 % 64))
}

/// Edit distance with swaps of neighbours, where it is at most `limit`.
pub(crate) fn distance(wanted: &[char], text: &str, limit: usize) -> Option<usize> {
    let other: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    if wanted.len().abs_diff(other.len()) > limit {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in wanted.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let mut cost = (last[j] + usize::from(a != b)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && wanted[i - 1] == *b {
                cost = cost.min(before[j - 1] + 1);
            }
            row.push(cost);
        }
        if row.iter().all(|cost| *cost > limit) {
            return None;
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().filter(|cost| *cost <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_survive_packing() {
        let mut places = Vec::new();
        for (at, kind) in SymbolKind::ALL.iter().enumerate() {
            let version = if at < 3 { 7 } else { u32::MAX - 40 + at as u32 };
            let rest = (((u64::from(u32::MAX) << KIND_BITS) | u64::from(kind.code())) << FLAG_BITS) | (at as u64 % 16);
            places.push(StoredDefinition { version, rest });
        }
        let unpacked = unpack("n", 1, &pack("n", 1, places.clone()).unwrap()).unwrap();
        assert_eq!(unpacked, places);
        let hits: Vec<SymbolHit> = unpacked.into_iter().filter_map(StoredDefinition::hit).collect();
        assert_eq!(hits.iter().map(|hit| hit.kind).collect::<Vec<_>>(), SymbolKind::ALL);
        assert!(hits.iter().all(|hit| hit.position == u32::MAX));
        assert_eq!((hits[5].test, hits[5].local, hits[5].declaration, hits[5].public), (true, false, true, false));
        assert_eq!(pack("n", 1, vec![StoredDefinition { version: 200, rest: 30 << 9 }]).unwrap().len(), 9);
        assert!(matches!(unpack("n", 1, &[3, 1]), Err(StoreError::Damaged { .. })));
    }

    fn between(a: &str, b: &str) -> Option<usize> {
        distance(&a.chars().collect::<Vec<_>>(), b, 2)
    }

    #[test]
    fn typing_errors_are_counted() {
        assert_eq!(between("validate_token", "validate_token"), Some(0));
        assert_eq!(between("validate_token", "valdiate_token"), Some(1));
        assert_eq!(between("validate_token", "validate_tokens"), Some(1));
        assert_eq!(between("validate_token", "validateToken"), Some(1));
        assert_eq!(between("validate_token", "validate_user"), None);
        assert_eq!(between("größe", "grösse"), Some(2));
    }
}
