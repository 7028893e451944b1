//! Reading and naming file contents.

use cruxe_model::ContentHash;
use gix::objs::Kind;
use sha1::Digest;

use crate::error::VcsError;
use crate::object::{find, header, wrong_kind};
use crate::repo::{ObjectFormat, Repo};

/// The content of a file version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blob {
    /// The bytes.
    Data(Vec<u8>),
    /// The blob is larger than asked for; its size in bytes.
    TooLarge(u64),
}

/// Reads many blobs from one thread, keeping what helps to decode the next one.
pub struct BlobReader(gix::Repository);

impl Repo {
    /// Reads a blob of at most `max_bytes`; a larger one is not read but measured.
    pub fn read_blob(&self, hash: &ContentHash, max_bytes: u64) -> Result<Blob, VcsError> {
        self.reader().read(hash, max_bytes)
    }

    /// Makes a reader for one thread.
    pub fn reader(&self) -> BlobReader {
        BlobReader(self.local())
    }
}

impl BlobReader {
    /// Reads a blob of at most `max_bytes`; a larger one is not read but measured.
    pub fn read(&self, hash: &ContentHash, max_bytes: u64) -> Result<Blob, VcsError> {
        let (kind, size) = header(&self.0, hash)?;
        if kind != Kind::Blob {
            return Err(wrong_kind(hash, kind, Kind::Blob));
        }
        if size > max_bytes {
            return Ok(Blob::TooLarge(size));
        }
        Ok(Blob::Data(find(&self.0, hash, Kind::Blob)?.detach().data))
    }
}

/// Computes the name that git gives to a file content.
///
/// The plain SHA-1 is used, not git's collision-detecting one: the hash is an identity here, not a security boundary,
/// and detection makes hashing several times slower.
pub fn hash_blob(format: ObjectFormat, data: &[u8]) -> ContentHash {
    let prefix = format!("blob {}\0", data.len());
    match format {
        ObjectFormat::Sha1 => digest::<sha1::Sha1>(&prefix, data),
        ObjectFormat::Sha256 => digest::<sha2::Sha256>(&prefix, data),
    }
}

fn digest<D: Digest>(prefix: &str, data: &[u8]) -> ContentHash {
    let hash = D::new().chain_update(prefix).chain_update(data).finalize();
    ContentHash::from_bytes(&hash).unwrap_or_else(|| unreachable!("both digests have the length of an object id"))
}
