//! Which versions use a name: the first question of every search for references.
//!
//! A row per name and version would be a third of the index; the full-text index knows no case and finds every word of
//! a comment. A sorted list of 16-bit fingerprints per version costs two bytes per distinct name, is read once, and
//! names a file that does not use the name one time in a few hundred: then its facts are read for nothing. In memory they
//! lie the other way round, versions by fingerprint: a graph of calls asks for hundreds of names, and looking into the list of
//! every version for each was most of its time.

use cruxe_model::VersionId;
use cruxe_model::facts::{FileFacts, module_tail};
use parking_lot::Mutex;
use roaring::RoaringBitmap;
use rusqlite::{Connection, params};

use crate::check::{seal, unseal};
use crate::error::StoreError;

/// More new versions than this are read in one go.
const MANY: u64 = 64;

/// The fingerprints of versions, kept between questions.
#[derive(Default)]
pub(crate) struct Mentions {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    versions: RoaringBitmap,
    /// The versions that have each fingerprint; empty until something is read.
    by_print: Vec<RoaringBitmap>,
}

/// A fingerprint: FNV-1a, folded. Written into the index, so it must not change.
fn fingerprint(name: &str) -> u16 {
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash >> 16) as u16 ^ hash as u16
}

/// The names that stand in a file, and the last names of the modules that it imports: who requires a module may call it as they
/// like. Names of definitions are in a table of their own.
pub(crate) fn pack(version: VersionId, facts: &FileFacts) -> Vec<u8> {
    let mut used = vec![false; facts.names.len()];
    let mut mark = |id: u32| {
        if let Some(slot) = used.get_mut(id as usize) {
            *slot = true;
        }
    };
    facts.occurrences.iter().for_each(|occurrence| mark(occurrence.name.0));
    facts.imports.iter().flat_map(|import| [import.name, import.alias]).flatten().for_each(|name| mark(name.0));
    facts.bindings.iter().for_each(|binding| mark(binding.name.0));
    facts.loose.iter().for_each(|loose| mark(loose.name.0));
    let mut prints: Vec<u16> =
        facts.names.iter().zip(&used).filter(|(_, used)| **used).map(|(name, _)| fingerprint(name)).collect();
    prints.extend(facts.imports.iter().map(|import| fingerprint(module_tail(facts.name(import.module)))));
    prints.sort_unstable();
    prints.dedup();
    seal(prints.iter().flat_map(|print| print.to_le_bytes()).collect(), version.into())
}

fn unpack(version: VersionId, sealed: &[u8]) -> Result<Vec<u16>, StoreError> {
    let bytes = unseal(sealed, version.into(), "the names that a file uses")?;
    Ok(bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect())
}

impl Mentions {
    /// The versions of a set whose fingerprints have the name's.
    pub fn find(
        &self,
        connection: &Connection,
        name: &str,
        versions: &RoaringBitmap,
    ) -> Result<RoaringBitmap, StoreError> {
        let mut known = self.known.lock();
        let missing = versions - &known.versions;
        if !missing.is_empty() {
            read(connection, &missing, &mut known)?;
        }
        Ok(known
            .by_print
            .get(usize::from(fingerprint(name)))
            .map_or_else(RoaringBitmap::new, |having| having & versions))
    }
}

fn read(connection: &Connection, missing: &RoaringBitmap, known: &mut Known) -> Result<(), StoreError> {
    known.by_print.resize(1 << 16, RoaringBitmap::new());
    let mut seen = RoaringBitmap::new();
    let mut take = |version: VersionId, names: &[u8]| -> Result<(), StoreError> {
        for print in unpack(version, names)? {
            known.by_print[usize::from(print)].insert(version);
        }
        seen.insert(version);
        Ok(())
    };
    if missing.len() > MANY {
        let mut statement = connection.prepare_cached("SELECT version, names FROM mention")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let version: VersionId = row.get(0)?;
            if missing.contains(version) {
                take(version, row.get_ref(1)?.as_blob().unwrap_or_default())?;
            }
        }
    } else {
        let mut statement = connection.prepare_cached("SELECT names FROM mention WHERE version = ?1")?;
        for version in missing {
            let mut rows = statement.query(params![version])?;
            if let Some(row) = rows.next()? {
                take(version, row.get_ref(0)?.as_blob().unwrap_or_default())?;
            }
        }
    }
    // Every version has a row: without it a use could be missing from an answer, and nothing would say so.
    if let Some(version) = (missing - &seen).min() {
        return Err(StoreError::corrupt(format!("the names that version {version} uses are missing")));
    }
    known.versions |= missing;
    Ok(())
}

#[cfg(test)]
mod tests {
    use cruxe_model::facts::{Import, NameId, Occurrence, Role, ScopeId};

    use super::*;

    #[test]
    fn uses_and_imports_are_mentioned_and_other_strings_are_not() {
        let occurrence = |name| Occurrence { name: NameId(name), start: 0, role: Role::Call, receiver: None };
        let facts = FileFacts {
            names: ["used", "imported", "module/path", "used_too"].into_iter().collect(),
            occurrences: vec![occurrence(0), occurrence(3), occurrence(0)],
            imports: vec![Import {
                module: NameId(2),
                name: Some(NameId(1)),
                alias: None,
                glob: false,
                reexport: false,
                start: 0,
                scope: ScopeId(0),
            }],
            ..FileFacts::default()
        };
        let prints = unpack(3, &pack(3, &facts)).unwrap();
        assert_eq!(prints.len(), 4);
        let names = [("used", true), ("imported", true), ("used_too", true), ("path", true), ("module/path", false)];
        for (name, there) in names {
            assert_eq!(prints.binary_search(&fingerprint(name)).is_ok(), there, "{name}");
        }
    }
}
