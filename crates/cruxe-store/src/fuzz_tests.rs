//! Bytes that were never packed, or that were packed and then changed: reading them ends, and never in a panic.
//!
//! A checksum stands before all of these. They are held against bytes whose checksum is right too, because whoever can write
//! the index can write a checksum.

use cruxe_model::RepoPath;
use proptest::prelude::*;

use crate::fixture::new_version;
use crate::manifest::{pack_list, pack_versions, unpack_list, unpack_versions};
use crate::pack::{self, unpack_rest, unpack_symbols};

/// Some bytes of a sound blob, changed, cut or repeated.
fn changed(sound: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    let length = sound.len();
    let edits = prop::collection::vec((0..length.max(1), any::<u8>()), 0..6);
    (edits, 0..=length, any::<bool>()).prop_map(move |(edits, cut, whole)| {
        let mut bytes = sound.clone();
        for (at, byte) in edits {
            if let Some(slot) = bytes.get_mut(at) {
                *slot = byte;
            }
        }
        if !whole {
            bytes.truncate(cut);
        }
        bytes
    })
}

fn packed() -> (Vec<u8>, Vec<u8>) {
    let text = "//! Text.\nuse a::b;\npub struct Widget { part: u8 }\nimpl Widget { fn turn(&self) -> u8 { b::go(self.part) } }\n";
    let packed = pack::facts(&new_version("a.rs", text).facts).unwrap();
    (packed.symbols, packed.rest)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn facts_are_unpacked_or_refused(symbols in changed(packed().0), rest in changed(packed().1)) {
        if let Ok(table) = unpack_symbols(&symbols) {
            for at in 0..table.symbols.len() as u32 + 2 {
                table.lines(cruxe_model::facts::SymbolIndex(at));
                table.chunk_lines(at);
            }
        }
        let _ = unpack_rest(&rest);
    }

    #[test]
    fn anything_else_is_refused_too(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = unpack_symbols(&bytes);
        let _ = unpack_rest(&bytes);
        let _ = unpack_versions("main", &bytes);
        let _ = unpack_list::<(RepoPath, String)>("main", &bytes);
    }

    #[test]
    fn manifests_are_what_was_packed_or_refused(
        versions in prop::collection::btree_set(any::<u32>(), 0..50),
        at in any::<prop::sample::Index>(),
        bit in 0..8u32,
    ) {
        let bitmap = versions.iter().copied().collect();
        let mut bytes = pack_versions("main", &bitmap);
        prop_assert_eq!(unpack_versions("main", &bytes).unwrap(), bitmap);
        prop_assert!(unpack_versions("other", &bytes).is_err());
        let place = at.index(bytes.len());
        bytes[place] ^= 1 << bit;
        prop_assert!(unpack_versions("main", &bytes).is_err());

        let list: Vec<(RepoPath, String)> =
            versions.iter().map(|id| (RepoPath::parse(&format!("f{id}")).unwrap(), "why".to_owned())).collect();
        let mut bytes = pack_list("main", &list).unwrap();
        prop_assert_eq!(unpack_list::<(RepoPath, String)>("main", &bytes).unwrap(), list);
        let place = at.index(bytes.len());
        bytes[place] ^= 1 << bit;
        prop_assert!(unpack_list::<(RepoPath, String)>("main", &bytes).is_err());
    }
}
