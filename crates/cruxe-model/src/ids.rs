//! Identities: the same index state gives the same ids on every machine.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::kind::SymbolKind;
use crate::path::RepoPath;

/// The id of a file version inside one index; ids are never reused.
pub type VersionId = u32;

/// What a file contains, as git names it: the blob's object id (20 bytes, or 32 in a SHA-256 repository).
///
/// Using git's own name means that a tree of another branch tells which file versions are known without reading them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash {
    bytes: [u8; 32],
    len: u8,
}

impl ContentHash {
    /// Takes the raw bytes of an object id; `None` unless there are 20 or 32 of them.
    pub fn from_bytes(raw: &[u8]) -> Option<ContentHash> {
        if raw.len() != 20 && raw.len() != 32 {
            return None;
        }
        let mut bytes = [0; 32];
        bytes[..raw.len()].copy_from_slice(raw);
        Some(ContentHash { bytes, len: raw.len() as u8 })
    }

    /// The raw bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// Lower-case hexadecimal, as git prints it.
    pub fn to_hex(&self) -> String {
        hex(self.as_bytes())
    }

    /// Parses what git prints.
    pub fn from_hex(text: &str) -> Option<ContentHash> {
        if !text.len().is_multiple_of(2) || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let raw: Option<Vec<u8>> =
            (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect();
        ContentHash::from_bytes(&raw?)
    }
}

impl From<[u8; 20]> for ContentHash {
    fn from(raw: [u8; 20]) -> ContentHash {
        let mut bytes = [0; 32];
        bytes[..20].copy_from_slice(&raw);
        ContentHash { bytes, len: 20 }
    }
}

impl From<[u8; 32]> for ContentHash {
    fn from(bytes: [u8; 32]) -> ContentHash {
        ContentHash { bytes, len: 32 }
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex())
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex())
    }
}

/// `sym_` and 26 characters: one symbol at one path.
///
/// The first eight characters depend on the path alone, so a handle leads back to its file without an index of all
/// symbols (see [`SymbolId::path_key`]); the other eighteen on kind, qualified name and ordinal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SymbolId(String);

const PATH_CHARS: usize = 8;
const REST_CHARS: usize = 18;

impl SymbolId {
    /// Computes the id of a symbol.
    pub fn new(path: &RepoPath, kind: SymbolKind, qualified_name: &str, ordinal: u32) -> SymbolId {
        let mut text = String::with_capacity(30);
        text.push_str("sym_");
        text.push_str(&path_key(path));
        let rest = digest(&["symbol", kind.as_str(), qualified_name, &ordinal.to_string()]);
        push_base32(&mut text, rest.as_bytes(), REST_CHARS);
        SymbolId(text)
    }

    /// Reads a handle that a client sent back; `None` when it has not the form of one.
    pub fn parse(text: &str) -> Option<SymbolId> {
        let rest = text.strip_prefix("sym_")?;
        let formed = rest.len() == PATH_CHARS + REST_CHARS && rest.bytes().all(|b| ALPHABET.contains(&b));
        formed.then(|| SymbolId(text.to_owned()))
    }

    /// The part that all symbols of one path share.
    pub fn path_key(&self) -> &str {
        &self.0[4..4 + PATH_CHARS]
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The part of a [`SymbolId`] that depends on the path alone.
pub fn path_key(path: &RepoPath) -> String {
    let mut text = String::with_capacity(PATH_CHARS);
    push_base32(&mut text, digest(&["path", path.as_str()]).as_bytes(), PATH_CHARS);
    text
}

/// Twelve characters for a text: enough to tell the results of an index apart.
pub fn short_hash(text: &str) -> String {
    let mut short = String::with_capacity(12);
    push_base32(&mut short, digest(&["short", text]).as_bytes(), 12);
    short
}

/// `b3:` and hexadecimal: a symbol's identity wherever it stands, whatever its signature.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StableId(String);

impl StableId {
    /// Computes the identity; `ordinal` tells overloads in one file apart.
    pub fn new(language: &str, kind: SymbolKind, qualified_name: &str, ordinal: u32) -> StableId {
        let hash = digest(&["stable", language, kind.as_str(), qualified_name, &ordinal.to_string()]);
        StableId(format!("b3:{}", hex(&hash.as_bytes()[..16])))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Sixteen hexadecimal characters that name a project: its git common directory, or its root outside git.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ProjectId(String);

impl ProjectId {
    /// Computes the id from the canonical path that identifies the project.
    pub fn new(canonical_path: &str) -> ProjectId {
        ProjectId(hex(&digest(&["project", canonical_path]).as_bytes()[..8]))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Hashes parts unambiguously: each is preceded by its length.
fn digest(parts: &[&str]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize()
}

/// Crockford's base 32: no I, L, O, U, so a handle survives being read aloud or retyped.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

fn push_base32(text: &mut String, bytes: &[u8], chars: usize) {
    for index in 0..chars {
        let bit = index * 5;
        let pair = u16::from(bytes[bit / 8]) << 8 | u16::from(bytes[bit / 8 + 1]);
        let value = (pair >> (11 - bit % 8)) & 31;
        text.push(char::from(ALPHABET[usize::from(value)]));
    }
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    use fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbol_ids_share_the_part_of_their_path() {
        let path = RepoPath::parse("src/auth/jwt.rs").unwrap();
        let one = SymbolId::new(&path, SymbolKind::Fn, "auth::jwt::validate_token", 0);
        let two = SymbolId::new(&path, SymbolKind::Fn, "auth::jwt::decode", 0);
        assert_eq!(one.as_str(), "sym_ACMCDW83XZKW3XA18Q8DYVRCRS");
        assert_eq!(one.as_str().len(), 30);
        assert_ne!(one, two);
        assert_eq!(one.path_key(), two.path_key());
        assert_eq!(one.path_key(), path_key(&path));
        assert_eq!(SymbolId::parse(one.as_str()), Some(one));
    }

    #[test]
    fn malformed_handles_are_refused() {
        for text in [
            "",
            "sym_",
            "sym_01HQ6Q0F8N8N4YQKJ0Y3W6M5V",
            "sym_01HQ6Q0F8N8N4YQKJ0Y3W6M5VI",
            "SYM_01HQ6Q0F8N8N4YQKJ0Y3W6M5VN",
        ] {
            assert_eq!(SymbolId::parse(text), None, "{text}");
        }
    }

    #[test]
    fn stable_ids_depend_on_name_and_ordinal_only() {
        let id = |name: &str, ordinal| StableId::new("rust", SymbolKind::Fn, name, ordinal);
        assert_eq!(id("a::b", 0), id("a::b", 0));
        assert_ne!(id("a::b", 0), id("a::b", 1));
        assert_ne!(id("a::b", 0), id("a::bc", 0));
        assert_eq!(id("a::b", 0).as_str().len(), 3 + 32);
    }

    #[test]
    fn content_hash_round_trips_through_hex() {
        let hash = ContentHash::from_hex("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391").unwrap();
        assert_eq!(hash.as_bytes().len(), 20);
        assert_eq!(hash.to_hex(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(ContentHash::from_hex("e69d"), None);
        assert_eq!(ContentHash::from_hex("+69de29bb2d1d6434b8b29ae775ad8c2e48c5391"), None);
        assert_eq!(ContentHash::from_hex("zz9de29bb2d1d6434b8b29ae775ad8c2e48c5391"), None);
    }
}
