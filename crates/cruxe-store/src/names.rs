//! Definitions by name.

use cruxe_model::facts::{Access, Symbol};
use cruxe_model::{SymbolKind, VersionId};
use roaring::RoaringBitmap;
use rusqlite::{Connection, params};

use crate::error::StoreError;

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

/// The id of a name; without the binary comparison, also of those that differ in case.
pub(crate) const EXACT: &str = "SELECT id FROM name WHERE name = ?1 AND name = ?1 COLLATE BINARY";

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
        NameMatch::Exact => vec![ids(connection, EXACT, params![name])?],
        NameMatch::CaseInsensitive => {
            vec![ids(connection, "SELECT id FROM name WHERE name = ?1 AND name <> ?1 COLLATE BINARY", params![name])?]
        }
        NameMatch::Prefix => vec![prefixed(connection, name)?],
        NameMatch::Typo => similar(connection, name)?,
    };
    // A name may be there for another ref alone, so whether a group has anything shows only with its definitions.
    for ids in groups {
        let hits = definitions(connection, &ids, versions)?;
        if !hits.is_empty() {
            return Ok(hits);
        }
    }
    Ok(Vec::new())
}

fn definitions(connection: &Connection, names: &[i64], versions: &RoaringBitmap) -> Result<Vec<SymbolHit>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT version, position, kind, flags FROM symbol WHERE name = ?1")?;
    let mut hits = Vec::new();
    for id in names {
        let mut rows = statement.query(params![id])?;
        while let Some(row) = rows.next()? {
            let (version, flags): (VersionId, u8) = (row.get(0)?, row.get(3)?);
            let kind = SymbolKind::from_code(row.get(2)?);
            if let (true, Some(kind)) = (versions.contains(version), kind) {
                hits.push(SymbolHit {
                    version,
                    position: row.get(1)?,
                    kind,
                    test: flags & TEST != 0,
                    local: flags & LOCAL != 0,
                    declaration: flags & DECLARATION != 0,
                    public: flags & PUBLIC != 0,
                });
            }
        }
    }
    Ok(hits)
}

fn ids(connection: &Connection, sql: &str, params: impl rusqlite::Params) -> Result<Vec<i64>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params, |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Names that begin so, whatever the case.
fn prefixed(connection: &Connection, name: &str) -> Result<Vec<i64>, StoreError> {
    // The upper bound is the prefix with its last character replaced by the next one; NOCASE compares ASCII letters
    // only, so any other last character works the same way.
    let Some(last) = name.chars().last() else { return Ok(Vec::new()) };
    let Some(next) = char::from_u32(last.to_ascii_lowercase() as u32 + 1) else { return Ok(Vec::new()) };
    let bound = format!("{}{next}", &name[..name.len() - last.len_utf8()]);
    let sql = "SELECT id FROM name WHERE name >= ?1 AND name < ?2 AND name <> ?1 \
               ORDER BY length(name), name COLLATE BINARY LIMIT ?3";
    ids(connection, sql, params![name, bound, MAX_PREFIX_NAMES as i64])
}

/// Names at an edit distance of one, or two for longer ones, the nearest first.
fn similar(connection: &Connection, name: &str) -> Result<Vec<Vec<i64>>, StoreError> {
    let wanted: Vec<char> = name.to_lowercase().chars().collect();
    let allowed = match wanted.len() {
        0..=2 => return Ok(Vec::new()),
        3..=5 => 1,
        _ => 2,
    };
    let sql = "SELECT id, name FROM name WHERE length(name) BETWEEN ?1 AND ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![wanted.len() - allowed, wanted.len() + allowed])?;
    let mut found = vec![Vec::new(); allowed + 1];
    let letters = letters(name);
    while let Some(row) = rows.next()? {
        let text = row.get_ref(1)?.as_str().unwrap_or_default();
        if (letters ^ self::letters(text)).count_ones() as usize > 2 * allowed {
            continue; // one edit takes away at most one letter and adds at most one
        }
        if let Some(distance) = distance(&wanted, text, allowed) {
            found[distance].push(row.get(0)?);
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
