//! A ref as a set of file versions.

use cruxe_model::{RepoPath, SkipReason, VersionId};
use jiff::Timestamp;
use roaring::RoaringBitmap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::check::{Check, seal, unseal};
use crate::error::StoreError;
use crate::pack::MAX_UNPACKED;
use crate::skip::version_or_number;
use crate::version_set::VersionSet;

/// What a file looked like when it was read, as far as a `stat` tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "PackedStat", into = "PackedStat")]
pub struct FileStat {
    /// Size in bytes.
    pub size: u64,
    /// When its content was last changed, in nanoseconds. Programs set it back.
    pub mtime: i64,
    /// When anything about it was last changed, in nanoseconds. Nobody sets it back; where the system has no such time
    /// it is the other one.
    pub ctime: i64,
    /// Inode, or 0 where there is none.
    pub inode: u64,
}

/// The two times of most files are the same, and a zero takes next to no room.
#[derive(Serialize, Deserialize)]
struct PackedStat {
    size: u64,
    mtime: i64,
    ctime_after_mtime: i64,
    inode: u64,
}

impl From<PackedStat> for FileStat {
    fn from(packed: PackedStat) -> FileStat {
        let PackedStat { size, mtime, ctime_after_mtime, inode } = packed;
        FileStat { size, mtime, ctime: mtime.wrapping_add(ctime_after_mtime), inode }
    }
}

impl From<FileStat> for PackedStat {
    fn from(stat: FileStat) -> PackedStat {
        let FileStat { size, mtime, ctime, inode } = stat;
        PackedStat { size, mtime, ctime_after_mtime: ctime.wrapping_sub(mtime), inode }
    }
}

/// A file of a work tree and the version that it had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatEntry {
    /// Where it is.
    pub path: RepoPath,
    /// What it looked like; `None` when it had changed so shortly before that a later change might not show.
    pub stat: Option<FileStat>,
    /// What it contained, or why that is not indexed.
    #[serde(with = "version_or_number")]
    pub version: Result<VersionId, SkipReason>,
}

/// What is to be published for a ref.
#[derive(Debug, Default)]
pub struct Manifest {
    pub(crate) versions: VersionSet,
    /// The commit at the time, outside git none.
    pub(crate) commit: Option<String>,
    /// The work tree that was read; `None` when the commit was.
    pub(crate) worktree: Option<String>,
    /// Files of the work tree.
    pub(crate) stats: Vec<StatEntry>,
    /// Files that were left out, with the reason, as far as a reader may want to know.
    pub(crate) skipped: Vec<(RepoPath, SkipReason)>,
}

impl Manifest {
    /// A ref without files: its commit, outside git none, and the work tree that is read, or none where the commit is.
    pub fn new(commit: Option<String>, worktree: Option<String>) -> Manifest {
        Manifest { commit, worktree, ..Manifest::default() }
    }

    /// Adds a version.
    pub fn add(&mut self, version: VersionId) {
        self.versions.insert(version);
    }

    /// Adds a file that is left out.
    pub fn skip(&mut self, path: RepoPath, why: SkipReason) {
        self.skipped.push((path, why));
    }

    /// Adds a file that was looked at: the version that it has, or why it has none; and of a work tree what it looked like.
    pub fn add_file(&mut self, path: RepoPath, stat: Option<FileStat>, version: Result<VersionId, SkipReason>) {
        match version {
            Ok(version) => self.add(version),
            Err(why) => self.skip(path.clone(), why),
        }
        if self.worktree.is_some() {
            self.stats.push(StatEntry { path, stat, version });
        }
    }
}

/// A published ref, without its list of files.
#[derive(Clone, Debug)]
pub struct RefState {
    /// Its name.
    pub name: String,
    /// The commit that was indexed.
    pub commit: Option<String>,
    /// The work tree that was indexed.
    pub worktree: Option<String>,
    /// The file versions.
    pub versions: VersionSet,
    /// Files that were left out, with the reason.
    pub skipped: Vec<(RepoPath, SkipReason)>,
    /// How many files.
    pub files: u64,
    /// How many symbols, imports not counted.
    pub symbols: u64,
    /// How many bytes of source.
    pub bytes: u64,
    /// When it was published.
    pub indexed_at: Timestamp,
}

impl RefState {
    /// The checksum of its row, but for the blobs, which have their own.
    pub(crate) fn check(&self) -> Check {
        Check::default()
            .bytes(self.name.as_bytes())
            .optional(self.commit.as_deref())
            .optional(self.worktree.as_deref())
            .number(self.files as i64)
            .number(self.symbols as i64)
            .number(self.bytes as i64)
            .bytes(self.indexed_at.to_string().as_bytes())
    }
}

/// The owner of a ref's blobs, for their checksums.
fn owner(name: &str) -> i64 {
    Check::default().bytes(name.as_bytes()).sum().into()
}

/// Packs the versions of a ref.
pub(crate) fn pack_versions(name: &str, versions: &VersionSet) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(versions.0.serialized_size());
    // Writing to a vector cannot fail.
    let _ = versions.0.serialize_into(&mut bytes);
    seal(bytes, owner(name))
}

pub(crate) fn unpack_versions(name: &str, bytes: &[u8]) -> Result<VersionSet, StoreError> {
    RoaringBitmap::deserialize_from(unseal(bytes, owner(name), "a manifest")?)
        .map(VersionSet)
        .map_err(|problem| StoreError::corrupt(format!("manifest: {problem}")))
}

/// Packs a list that a ref has: of what is on disk, or of what was left out.
pub(crate) fn pack_list<T: Serialize>(name: &str, list: &[T]) -> Result<Vec<u8>, StoreError> {
    let plain = postcard::to_stdvec(list).map_err(|problem| StoreError::corrupt(format!("manifest: {problem}")))?;
    zstd::bulk::compress(&plain, 1)
        .map(|mut bytes| {
            bytes.extend((plain.len() as u32).to_le_bytes());
            seal(bytes, owner(name))
        })
        .map_err(StoreError::io("zstd"))
}

pub(crate) fn unpack_list<T: DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<Vec<T>, StoreError> {
    let damaged = |what: &dyn std::fmt::Display| StoreError::corrupt(format!("manifest: {what}"));
    let bytes = unseal(bytes, owner(name), "a manifest")?;
    let (packed, len) = bytes.split_last_chunk::<4>().ok_or_else(|| damaged(&"too short"))?;
    let length = (u32::from_le_bytes(*len) as usize).min(MAX_UNPACKED);
    let plain = zstd::bulk::decompress(packed, length).map_err(|problem| damaged(&problem))?;
    postcard::from_bytes(&plain).map_err(|problem| damaged(&problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_files_comes_back_as_it_was_packed() {
        let entry = |path: &str, ctime, version| StatEntry {
            path: RepoPath::parse(path).unwrap(),
            stat: Some(FileStat { size: 7, mtime: -5, ctime, inode: u64::MAX }),
            version,
        };
        let mut list = vec![
            entry("a.rs", -5, Ok(3)),
            entry("b.rs", i64::MAX, Err(SkipReason::TooLarge)),
            entry("c.rs", i64::MIN, Err(SkipReason::Unreadable)),
        ];
        list[0].stat = None;
        assert_eq!(unpack_list::<StatEntry>("main", &pack_list("main", &list).unwrap()).unwrap(), list);
    }
}
