//! What a compiler's index says about file versions: which symbol stands at which offset.
//!
//! A symbol is a 64-bit key: the hash of the name that the compiler gives it. Files that were taken in at different times
//! agree on it, and nothing has to be kept, renumbered or swept beside the versions' own rows.

use std::collections::HashMap;
use std::sync::Arc;

use cruxe_model::VersionId;
use parking_lot::{Mutex, MutexGuard};
use roaring::RoaringBitmap;
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use crate::check::{seal, unseal};
use crate::error::StoreError;
use crate::manifest::RefState;
use crate::pack;

/// More versions than this are read in one go.
const MANY: u64 = 64;

/// A symbol that a compiler named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CompilerSymbol {
    /// Its key.
    pub key: u64,
    /// Whether the compiler saw its definition in the project; else it belongs to a library.
    pub own: bool,
}

/// What an occurrence does with its symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CompilerRole {
    /// Defines it.
    Definition,
    /// Imports it.
    Import,
    /// Uses it.
    Use,
}

/// A place where a symbol stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CompilerOccurrence {
    /// The offset of its first byte.
    pub start: u32,
    /// Its place in [`CompilerFacts::symbols`].
    pub symbol: u32,
    /// What is done with it.
    pub role: CompilerRole,
}

/// What a compiler says about one file version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompilerFacts {
    /// The symbols that the file names, by key.
    pub symbols: Vec<CompilerSymbol>,
    /// Where they stand, in the order of the text.
    pub occurrences: Vec<CompilerOccurrence>,
}

impl CompilerFacts {
    /// Puts occurrences in order, each with its symbol.
    pub fn new(mut found: Vec<(u32, CompilerSymbol, CompilerRole)>) -> CompilerFacts {
        found.sort_unstable();
        found.dedup();
        let mut symbols: Vec<CompilerSymbol> = found.iter().map(|(_, symbol, _)| *symbol).collect();
        symbols.sort_unstable();
        symbols.dedup_by_key(|symbol| symbol.key);
        let place = |key: u64| symbols.partition_point(|symbol| symbol.key < key) as u32;
        let occurrences = found
            .iter()
            .map(|(start, symbol, role)| CompilerOccurrence { start: *start, symbol: place(symbol.key), role: *role })
            .collect();
        CompilerFacts { symbols, occurrences }
    }

    /// What stands at an offset, with its symbol.
    pub fn at(&self, start: u32) -> impl Iterator<Item = (CompilerSymbol, CompilerRole)> + '_ {
        let from = self.occurrences.partition_point(|occurrence| occurrence.start < start);
        let here = self.occurrences[from..].iter().take_while(move |occurrence| occurrence.start == start);
        here.filter_map(|occurrence| Some((*self.symbols.get(occurrence.symbol as usize)?, occurrence.role)))
    }

    /// Where a symbol stands.
    pub fn of(&self, key: u64) -> impl Iterator<Item = CompilerOccurrence> + '_ {
        let place = self.symbols.binary_search_by_key(&key, |symbol| symbol.key).ok();
        let wanted = move |occurrence: &&CompilerOccurrence| Some(occurrence.symbol as usize) == place;
        self.occurrences.iter().filter(wanted).copied()
    }
}

/// The same by column; keys as bytes, because hashes do not shrink.
#[derive(Serialize, Deserialize)]
struct Columns {
    keys: Vec<u8>,
    own: Vec<bool>,
    starts: Vec<u32>,
    symbols: Vec<u32>,
    roles: Vec<CompilerRole>,
}

fn packed(facts: &CompilerFacts) -> Result<Vec<u8>, StoreError> {
    let occurrences = &facts.occurrences;
    pack::bytes(&Columns {
        keys: facts.symbols.iter().flat_map(|symbol| symbol.key.to_le_bytes()).collect(),
        own: facts.symbols.iter().map(|symbol| symbol.own).collect(),
        starts: pack::deltas(occurrences.iter().map(|occurrence| occurrence.start)),
        symbols: occurrences.iter().map(|occurrence| occurrence.symbol).collect(),
        roles: occurrences.iter().map(|occurrence| occurrence.role).collect(),
    })
}

const WHAT: &str = "what a compiler says about a file";

fn unpacked(version: VersionId, sealed: &[u8]) -> Result<CompilerFacts, StoreError> {
    let columns: Columns = pack::unpack(unseal(sealed, version.into(), WHAT)?)?;
    let keys = columns.keys.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
    let symbols = keys.zip(columns.own).map(|(key, own)| CompilerSymbol { key, own }).collect();
    let occurrences = pack::sums(columns.starts).zip(columns.symbols).zip(columns.roles);
    let occurrences = occurrences.map(|((start, symbol), role)| CompilerOccurrence { start, symbol, role }).collect();
    Ok(CompilerFacts { symbols, occurrences })
}

pub(crate) fn write(connection: &Connection, version: VersionId, facts: &CompilerFacts) -> Result<(), StoreError> {
    insert(connection, version, packed(facts)?)
}

/// Gives a new version what is known of another with the same path and content: a forced index and a renamed package make
/// new versions of text that a compiler has seen.
pub(crate) fn carry_over(connection: &Connection, version: VersionId) -> Result<(), StoreError> {
    let sql = "SELECT old.id, compiler.facts FROM version AS new \
               JOIN version AS old ON old.path = new.path AND old.hash = new.hash AND old.id <> new.id \
               JOIN compiler ON compiler.version = old.id WHERE new.id = ?1 ORDER BY old.id DESC LIMIT 1";
    let mut find = connection.prepare_cached(sql)?;
    let mut rows = find.query(params![version])?;
    if let Some(row) = rows.next()? {
        let facts = unseal(row.get_ref(1)?.as_blob().unwrap_or_default(), row.get(0)?, WHAT)?.to_vec();
        insert(connection, version, facts)?;
    }
    Ok(())
}

fn insert(connection: &Connection, version: VersionId, packed: Vec<u8>) -> Result<(), StoreError> {
    let sql = "INSERT OR REPLACE INTO compiler VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute(params![version, seal(packed, version.into())])?;
    Ok(())
}

/// Gives the versions of a new index what another index knows about the same text. What is damaged there is left behind.
/// Says about how many versions something was taken over.
pub(crate) fn adopt(connection: &Connection, old: &Connection) -> Result<u64, StoreError> {
    let mut all = old.prepare(
        "SELECT version.id, version.path, version.hash, compiler.facts FROM compiler JOIN version ON id = version",
    )?;
    let mut same = connection.prepare("SELECT id FROM version WHERE path = ?1 AND hash = ?2")?;
    let (mut rows, mut adopted) = (all.query([])?, 0);
    while let Some(row) = rows.next()? {
        let (path, hash): (String, Vec<u8>) = (row.get(1)?, row.get(2)?);
        let Ok(facts) = unseal(row.get_ref(3)?.as_blob().unwrap_or_default(), row.get(0)?, WHAT) else { continue };
        let new: Vec<VersionId> = same.query_map(params![path, hash], |row| row.get(0))?.collect::<Result<_, _>>()?;
        for version in new {
            insert(connection, version, facts.to_vec())?;
            adopted += 1;
        }
    }
    Ok(adopted)
}

pub(crate) fn is_empty(connection: &Connection) -> Result<bool, StoreError> {
    let mut statement = connection.prepare_cached("SELECT NOT EXISTS (SELECT 1 FROM compiler)")?;
    Ok(statement.query_row([], |row| row.get(0))?)
}

/// The versions of a set that a compiler's index covers.
pub(crate) fn covered(connection: &Connection, versions: &RoaringBitmap) -> Result<RoaringBitmap, StoreError> {
    let mut statement = connection.prepare_cached("SELECT version FROM compiler")?;
    let all: RoaringBitmap = statement.query_map([], |row| row.get::<_, u32>(0))?.collect::<Result<_, _>>()?;
    Ok(all & versions)
}

/// What compilers' indexes say about the versions of a ref.
#[derive(Clone)]
pub struct Compiler {
    imported: Arc<Imported>,
    state: Arc<RefState>,
}

/// Everything that was taken in, as far as it was asked for; kept between questions until the next import.
#[derive(Default)]
pub(crate) struct Imported {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    looked_at: RoaringBitmap,
    files: HashMap<VersionId, Arc<CompilerFacts>>,
    /// Where symbols are defined.
    definitions: HashMap<u64, Vec<(VersionId, u32)>>,
    /// Which versions name a symbol.
    users: HashMap<u64, Vec<VersionId>>,
}

impl Compiler {
    pub(crate) fn new(imported: Arc<Imported>, state: Arc<RefState>) -> Compiler {
        Compiler { imported, state }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.imported.known.lock()
    }

    /// What is known about a version; `None` for one that is not covered.
    pub fn facts(&self, version: VersionId) -> Option<Arc<CompilerFacts>> {
        self.known().files.get(&version).map(Arc::clone)
    }

    /// Where a symbol is defined.
    pub fn definitions(&self, key: u64) -> Vec<(VersionId, u32)> {
        let known = self.known();
        let all = known.definitions.get(&key).map(Vec::as_slice).unwrap_or_default();
        all.iter().filter(|(version, _)| self.state.versions.contains(*version)).copied().collect()
    }

    /// The versions that name a symbol.
    pub fn users(&self, key: u64) -> Vec<VersionId> {
        let known = self.known();
        let all = known.users.get(&key).map(Vec::as_slice).unwrap_or_default();
        all.iter().filter(|version| self.state.versions.contains(**version)).copied().collect()
    }
}

impl Imported {
    /// Reads what is known about versions that were not asked for before.
    pub(crate) fn read(&self, connection: &Connection, versions: &RoaringBitmap) -> Result<(), StoreError> {
        let mut known = self.known.lock();
        let missing = versions - &known.looked_at;
        if missing.is_empty() {
            return Ok(());
        }
        if missing.len() > MANY {
            let mut statement = connection.prepare_cached("SELECT version, facts FROM compiler")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let version: VersionId = row.get(0)?;
                if missing.contains(version) {
                    known.add(version, unpacked(version, row.get_ref(1)?.as_blob().unwrap_or_default())?);
                }
            }
        } else {
            let mut statement = connection.prepare_cached("SELECT facts FROM compiler WHERE version = ?1")?;
            for version in &missing {
                let mut rows = statement.query(params![version])?;
                if let Some(row) = rows.next()? {
                    known.add(version, unpacked(version, row.get_ref(0)?.as_blob().unwrap_or_default())?);
                }
            }
        }
        known.looked_at |= missing;
        Ok(())
    }
}

impl Known {
    fn add(&mut self, version: VersionId, facts: CompilerFacts) {
        for symbol in facts.symbols.iter().filter(|symbol| symbol.own) {
            self.users.entry(symbol.key).or_default().push(version);
        }
        for occurrence in facts.occurrences.iter().filter(|occurrence| occurrence.role == CompilerRole::Definition) {
            if let Some(symbol) = facts.symbols.get(occurrence.symbol as usize) {
                self.definitions.entry(symbol.key).or_default().push((version, occurrence.start));
            }
        }
        self.files.insert(version, Arc::new(facts));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_ordered_packed_and_found_again() {
        let (own, foreign) = (CompilerSymbol { key: u64::MAX, own: true }, CompilerSymbol { key: 7, own: false });
        let facts = CompilerFacts::new(vec![
            (90, foreign, CompilerRole::Use),
            (4, own, CompilerRole::Definition),
            (40, own, CompilerRole::Import),
            (40, foreign, CompilerRole::Use),
            (40, own, CompilerRole::Import),
        ]);
        assert_eq!(facts.symbols, [foreign, own]);
        assert_eq!(unpacked(5, &seal(packed(&facts).unwrap(), 5)).unwrap(), facts);
        let here: Vec<_> = facts.at(40).collect();
        assert_eq!(here, [(foreign, CompilerRole::Use), (own, CompilerRole::Import)]);
        assert_eq!(facts.at(41).count(), 0);
        let places: Vec<u32> = facts.of(u64::MAX).map(|occurrence| occurrence.start).collect();
        assert_eq!(places, [4, 40]);
        assert_eq!(facts.of(8).count(), 0);
    }

    #[test]
    fn damaged_facts_are_an_error() {
        assert!(matches!(unpacked(5, b"x"), Err(StoreError::Damaged { .. })));
    }
}
