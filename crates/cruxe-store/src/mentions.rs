//! Which versions use a name: the first question of every search for references.
//!
//! A row per name and version would be a third of the index; the full-text index knows no case and finds every word of
//! a comment. A sorted list of 24-bit fingerprints per version costs three bytes per distinct name, is read once, and
//! names a file that does not use the name one time in some hundred thousand: then its facts are read for nothing. With 16 bits
//! every question about kubernetes read 14 files for nothing, which took longer than those that it was about. In memory they
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
    /// What has a fingerprint, by its first 16 bits; empty until something is read.
    by_print: Vec<Bucket>,
}

/// The versions with a fingerprint of the same beginning, and how the fingerprint ends.
#[derive(Clone, Default)]
struct Bucket {
    versions: Vec<VersionId>,
    ends: Vec<u8>,
}

/// A fingerprint: FNV-1a, folded; its first 16 bits and its last 8. Written into the index, so it must not change.
type Fingerprint = (u16, u8);

fn fingerprint(name: &str) -> Fingerprint {
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    let folded = hash ^ hash >> 32;
    ((folded >> 8) as u16, (folded ^ folded >> 24) as u8)
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
    let mut prints: Vec<Fingerprint> =
        facts.names.iter().zip(&used).filter(|(_, used)| **used).map(|(name, _)| fingerprint(name)).collect();
    prints.extend(facts.imports.iter().map(|import| fingerprint(module_tail(facts.name(import.module)))));
    prints.sort_unstable();
    prints.dedup();
    let bytes = prints.iter().flat_map(|(start, end)| {
        let [low, high] = start.to_le_bytes();
        [low, high, *end]
    });
    seal(bytes.collect(), version.into())
}

fn unpack(version: VersionId, sealed: &[u8]) -> Result<impl Iterator<Item = Fingerprint>, StoreError> {
    let bytes = unseal(sealed, version.into(), "the names that a file uses")?;
    Ok(bytes.chunks_exact(3).map(|print| (u16::from_le_bytes([print[0], print[1]]), print[2])))
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
        let (start, end) = fingerprint(name);
        let Some(Bucket { versions: having, ends }) = known.by_print.get(usize::from(start)) else {
            return Ok(RoaringBitmap::new());
        };
        let having = having.iter().zip(ends).filter(|(_, other)| **other == end).map(|(version, _)| *version);
        Ok(having.filter(|version| versions.contains(*version)).collect())
    }
}

fn read(connection: &Connection, missing: &RoaringBitmap, known: &mut Known) -> Result<(), StoreError> {
    known.by_print.resize(1 << 16, Bucket::default());
    let mut seen = RoaringBitmap::new();
    let mut take = |version: VersionId, names: &[u8]| -> Result<(), StoreError> {
        for (start, end) in unpack(version, names)? {
            let bucket = &mut known.by_print[usize::from(start)];
            bucket.versions.push(version);
            bucket.ends.push(end);
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
        let packed = pack(3, &facts);
        let prints: Vec<Fingerprint> = unpack(3, &packed).unwrap().collect();
        assert_eq!(prints.len(), 4);
        let names = [("used", true), ("imported", true), ("used_too", true), ("path", true), ("module/path", false)];
        for (name, there) in names {
            assert_eq!(prints.binary_search(&fingerprint(name)).is_ok(), there, "{name}");
        }
    }
}
