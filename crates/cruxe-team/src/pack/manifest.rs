//! What a published index is made of.

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::TeamError;

/// A file is compared with the one before in pieces of this size.
pub const PAGE_BYTES: usize = 4 << 10;
/// A blob has at most so many plain bytes.
pub const BLOB_BYTES: usize = 4 << 20;
/// More than a manifest of a hundred million pages.
const MOST_BYTES: usize = 1 << 30;

/// BLAKE3 of some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    /// The hash of bytes.
    pub fn of(bytes: &[u8]) -> Hash {
        Hash(*blake3::hash(bytes).as_bytes())
    }

    /// From sixty-four hexadecimal digits.
    pub fn parse(text: &str) -> Option<Hash> {
        blake3::Hash::from_hex(text).ok().map(|hash| Hash(*hash.as_bytes()))
    }

    /// From the bytes of a row.
    pub(crate) fn from_slice(bytes: &[u8]) -> Result<Hash, TeamError> {
        let bytes = bytes.try_into().map_err(|_| TeamError::BadManifest("a hash has 32 bytes".to_owned()))?;
        Ok(Hash(bytes))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{self}")
    }
}

/// A published index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The blobs, and how many plain bytes each has.
    pub blobs: Vec<(Hash, u32)>,
    pub(crate) files: Vec<PackedFile>,
}

/// Which of the two a file belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Part {
    /// The index.
    Index,
    /// The copy of the repository, from which text is read.
    Git,
}

/// A file of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PackedFile {
    pub part: Part,
    pub name: String,
    pub bytes: u64,
    pub hash: Hash,
    pub extents: Vec<Extent>,
}

/// Some bytes of a blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Extent {
    /// Its place in [`Manifest::blobs`].
    pub blob: u32,
    pub at: u32,
    pub bytes: u32,
}

impl Manifest {
    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    pub(crate) fn file(&self, part: Part, name: &str) -> Option<&PackedFile> {
        self.files.iter().find(|file| file.part == part && file.name == name)
    }

    pub(crate) fn by_name(&self) -> HashMap<(Part, &str), &PackedFile> {
        self.files.iter().map(|file| ((file.part, file.name.as_str()), file)).collect()
    }

    /// The manifest as bytes.
    pub fn encode(&self) -> Result<Vec<u8>, TeamError> {
        let refused = |problem: String| TeamError::BadManifest(problem);
        let plain = postcard::to_stdvec(self).map_err(|problem| refused(problem.to_string()))?;
        zstd::bulk::compress(&plain, 3).map_err(|problem| refused(problem.to_string()))
    }

    /// Reads a manifest, and refuses one that contradicts itself.
    pub fn decode(bytes: &[u8]) -> Result<Manifest, TeamError> {
        let refused = |problem: String| TeamError::BadManifest(problem);
        let mut plain = Vec::new();
        let decoder = zstd::stream::Decoder::new(bytes).map_err(|problem| refused(problem.to_string()))?;
        std::io::Read::read_to_end(&mut std::io::Read::take(decoder, MOST_BYTES as u64), &mut plain)
            .map_err(|problem| refused(problem.to_string()))?;
        let manifest: Manifest = postcard::from_bytes(&plain).map_err(|problem| refused(problem.to_string()))?;
        manifest.check()?;
        Ok(manifest)
    }

    fn check(&self) -> Result<(), TeamError> {
        let refused = |problem: &str| Err(TeamError::BadManifest(problem.to_owned()));
        if self.blobs.iter().any(|(_, bytes)| *bytes as usize > BLOB_BYTES) {
            return refused("a blob is too large");
        }
        for file in &self.files {
            let mut sum = 0;
            for extent in &file.extents {
                let Some((_, bytes)) = self.blobs.get(extent.blob as usize) else {
                    return refused("a blob is named that is not listed");
                };
                if extent.at.checked_add(extent.bytes).is_none_or(|end| end > *bytes) {
                    return refused("a blob has fewer bytes than are taken from it");
                }
                sum += u64::from(extent.bytes);
            }
            if sum != file.bytes {
                return refused("the parts of a file are not all of it");
            }
        }
        Ok(())
    }
}
