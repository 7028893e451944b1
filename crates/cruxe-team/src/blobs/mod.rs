//! Where blobs are kept: a folder, PostgreSQL itself, a store that speaks S3, or Azure's.

mod azure;
mod folder;
mod s3;
mod web;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::database::Database;
use crate::error::TeamError;
use crate::pack::{BLOB_BYTES, Hash};
use azure::Azure;
use folder::Folder;
use s3::S3;

/// How often a blob is fetched that does not come, or not as it was put there.
const TRIES: u32 = 3;

/// How blobs are kept, as an operator says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In PostgreSQL, beside everything else.
    Postgres,
    /// In a folder that every program reaches under this path.
    Folder(PathBuf),
    /// In a bucket, below a prefix.
    S3 {
        /// The bucket.
        bucket: String,
        /// What the names of all objects begin with.
        prefix: String,
    },
    /// In a container of an Azure account, below a prefix.
    Azure {
        /// The container.
        container: String,
        /// What the names of all blobs begin with.
        prefix: String,
    },
}

impl Storage {
    /// From `postgres`, `file:///folder`, `s3://bucket/prefix` or `azure://container/prefix`.
    pub fn parse(text: &str) -> Result<Storage, TeamError> {
        if text == "postgres" {
            return Ok(Storage::Postgres);
        }
        let refused = || {
            let known = "give postgres, file:///folder, s3://bucket/prefix or azure://container/prefix";
            TeamError::Usage(format!("`{text}` is no storage; {known}"))
        };
        match text.split_once("://") {
            Some(("file", path)) if path.starts_with('/') => Ok(Storage::Folder(PathBuf::from(path))),
            Some((scheme @ ("s3" | "azure"), rest)) => {
                let (place, prefix) = rest.split_once('/').unwrap_or((rest, ""));
                let plain =
                    |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._/".contains(&byte));
                if place.is_empty() || !plain(place) || !plain(prefix) {
                    return Err(refused());
                }
                let (place, prefix) = (place.to_owned(), prefix.trim_matches('/').to_owned());
                Ok(match scheme {
                    "s3" => Storage::S3 { bucket: place, prefix },
                    _ => Storage::Azure { container: place, prefix },
                })
            }
            _ => Err(refused()),
        }
    }
}

/// A place for blobs.
pub struct Blobs {
    kept: Kept,
}

enum Kept {
    Postgres(Arc<Database>),
    Folder(Folder),
    S3(Box<S3>),
    Azure(Box<Azure>),
}

impl Blobs {
    /// Opens a storage. Keys come from the environment, under the names that every tool for a store uses.
    pub fn open(storage: &Storage, database: &Arc<Database>) -> Result<Blobs, TeamError> {
        let kept = match storage {
            Storage::Postgres => Kept::Postgres(Arc::clone(database)),
            Storage::Folder(path) => Kept::Folder(Folder::new(path.clone())),
            Storage::S3 { bucket, prefix } => Kept::S3(Box::new(S3::from_environment(bucket, prefix)?)),
            Storage::Azure { container, prefix } => Kept::Azure(Box::new(Azure::from_environment(container, prefix)?)),
        };
        Ok(Blobs { kept })
    }

    /// Keeps the plain bytes of a blob; how many bytes that takes.
    pub fn put(&self, hash: &Hash, plain: &[u8]) -> Result<u64, TeamError> {
        let packed = zstd::bulk::compress(plain, 3).map_err(|problem| TeamError::Storage(problem.to_string()))?;
        again(|| match &self.kept {
            Kept::Postgres(database) => database.run(async |client| {
                let sql = "INSERT INTO blob_data VALUES ($1, $2) ON CONFLICT (hash) DO UPDATE SET data = EXCLUDED.data";
                client.execute(sql, &[&hash.0.as_slice(), &packed]).await?;
                Ok(())
            }),
            Kept::Folder(folder) => folder.put(hash, &packed),
            Kept::S3(s3) => s3.put(hash, &packed),
            Kept::Azure(azure) => azure.put(hash, &packed),
        })?;
        Ok(packed.len() as u64)
    }

    /// The plain bytes of a blob, which are those that were put there, or an error.
    pub fn get(&self, hash: &Hash) -> Result<Vec<u8>, TeamError> {
        again(|| {
            let packed = self.get_packed(hash)?;
            unpack(hash, &packed)
        })
    }

    /// A blob as it is kept; nobody has compared it.
    pub fn get_packed(&self, hash: &Hash) -> Result<Vec<u8>, TeamError> {
        match &self.kept {
            Kept::Postgres(database) => database.run(async |client| {
                let row = client.query_opt("SELECT data FROM blob_data WHERE hash = $1", &[&hash.0.as_slice()]).await?;
                row.map(|row| row.get(0)).ok_or_else(|| TeamError::MissingBlob(hash.to_string()))
            }),
            Kept::Folder(folder) => folder.get(hash),
            Kept::S3(s3) => s3.get(hash),
            Kept::Azure(azure) => azure.get(hash),
        }
    }

    /// Removes a blob; one that is not there is removed already.
    pub fn remove(&self, hash: &Hash) -> Result<(), TeamError> {
        match &self.kept {
            Kept::Postgres(database) => database.run(async |client| {
                client.execute("DELETE FROM blob_data WHERE hash = $1", &[&hash.0.as_slice()]).await?;
                Ok(())
            }),
            Kept::Folder(folder) => folder.remove(hash),
            Kept::S3(s3) => s3.remove(hash),
            Kept::Azure(azure) => azure.remove(hash),
        }
    }
}

/// The plain bytes of what is kept under a name.
pub(crate) fn unpack(hash: &Hash, packed: &[u8]) -> Result<Vec<u8>, TeamError> {
    let damaged = || TeamError::DamagedBlob(hash.to_string());
    let plain = zstd::bulk::decompress(packed, BLOB_BYTES).map_err(|_| damaged())?;
    if Hash::of(&plain) == *hash { Ok(plain) } else { Err(damaged()) }
}

/// Tries a few times: storages fail now and then, and bytes are lost on their way.
fn again<T>(attempt: impl Fn() -> Result<T, TeamError>) -> Result<T, TeamError> {
    let mut tried = 1;
    loop {
        match attempt() {
            Err(problem) if tried < TRIES && (problem.may_pass() || matches!(problem, TeamError::DamagedBlob(_))) => {
                std::thread::sleep(Duration::from_millis(50 << tried));
                tried += 1;
            }
            outcome => return outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storages_are_told_apart_by_their_scheme() {
        assert_eq!(Storage::parse("postgres").unwrap(), Storage::Postgres);
        assert_eq!(Storage::parse("file:///srv/blobs").unwrap(), Storage::Folder("/srv/blobs".into()));
        let s3 = |bucket: &str, prefix: &str| Storage::S3 { bucket: bucket.to_owned(), prefix: prefix.to_owned() };
        assert_eq!(Storage::parse("s3://b").unwrap(), s3("b", ""));
        assert_eq!(Storage::parse("s3://b/team/a/").unwrap(), s3("b", "team/a"));
        let azure = Storage::Azure { container: "c".to_owned(), prefix: "team".to_owned() };
        assert_eq!(Storage::parse("azure://c/team").unwrap(), azure);
        for bad in ["", "azure://", "s3://", "s3://b?x", "file://relative", "http://x", "s3://b/ü"] {
            assert!(Storage::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_blob_that_is_not_what_its_name_says_is_damaged() {
        let plain = b"some bytes".repeat(100);
        let hash = Hash::of(&plain);
        let packed = zstd::bulk::compress(&plain, 3).unwrap();
        assert_eq!(unpack(&hash, &packed).unwrap(), plain);
        let other = zstd::bulk::compress(b"other bytes", 3).unwrap();
        for bad in [&packed[..packed.len() - 1], b"", &other] {
            assert!(matches!(unpack(&hash, bad), Err(TeamError::DamagedBlob(_))));
        }
    }
}
