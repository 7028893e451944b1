//! What a commit contains.

use cruxe_model::{ContentHash, RepoPath};
use gix::objs::tree::EntryKind;
use gix::objs::{Kind, TreeRefIter};

use crate::error::VcsError;
use crate::object::{damaged, find, tree_of};
use crate::repo::Repo;

/// The files of a commit, in path order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeListing {
    /// The regular files.
    pub files: Vec<TreeFile>,
    /// How many symbolic links were left out.
    pub symlinks: usize,
    /// Where other repositories are mounted.
    pub submodules: Vec<RepoPath>,
    /// The paths that are not UTF-8 or that no work tree can hold, as readable text.
    pub bad_paths: Vec<String>,
}

/// A file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// Where it is.
    pub path: RepoPath,
    /// What it contains.
    pub hash: ContentHash,
    /// Whether it may be run.
    pub executable: bool,
}

/// Ten times the largest known repositories. A few crafted trees that contain each other unfold to billions of files.
const MAX_FILES: usize = 10_000_000;

impl Repo {
    /// Lists everything that a commit contains.
    pub fn tree_files(&self, commit: &ContentHash) -> Result<TreeListing, VcsError> {
        list(&self.local(), commit, MAX_FILES)
    }
}

struct Entry {
    path: Vec<u8>,
    kind: EntryKind,
    hash: ContentHash,
}

fn list(repo: &gix::Repository, commit: &ContentHash, limit: usize) -> Result<TreeListing, VcsError> {
    let mut listing = TreeListing::default();
    let mut pending = Vec::new();
    let root = tree_of(repo, commit)?;
    if let Some(hash) = ContentHash::from_bytes(root.as_bytes()) {
        push_entries(repo, &hash, &[], &mut pending, &mut listing.bad_paths)?;
    }
    let mut seen = 0;
    while let Some(entry) = pending.pop() {
        seen += 1;
        if seen > limit {
            return Err(VcsError::TooManyFiles { hash: *commit, limit });
        }
        if entry.kind == EntryKind::Tree {
            push_entries(repo, &entry.hash, &entry.path, &mut pending, &mut listing.bad_paths)?;
        } else {
            take(entry, &mut listing);
        }
    }
    // Git writes trees so that walking them gives path order. A crafted tree may be out of order, or name a path twice.
    if !listing.files.is_sorted_by(|a, b| a.path < b.path) {
        listing.files.sort_by(|a, b| a.path.cmp(&b.path));
        listing.files.dedup_by(|a, b| a.path == b.path);
    }
    Ok(listing)
}

/// Pushes the entries of a tree in reverse, so that they are popped in order.
fn push_entries(
    repo: &gix::Repository,
    tree: &ContentHash,
    folder: &[u8],
    pending: &mut Vec<Entry>,
    bad_paths: &mut Vec<String>,
) -> Result<(), VcsError> {
    let object = find(repo, tree, Kind::Tree)?;
    let first = pending.len();
    for entry in TreeRefIter::from_bytes(&object.data, repo.object_hash()) {
        let entry = entry.map_err(|error| damaged(tree, &error))?;
        let mut path = Vec::with_capacity(folder.len() + 1 + entry.filename.len());
        path.extend_from_slice(folder);
        if !folder.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(entry.filename);
        // A name like `..` must be caught here: in the joined path it would be resolved and stand for another file.
        let hash = ContentHash::from_bytes(entry.oid.as_bytes()).filter(|_| is_file_name(entry.filename));
        match hash {
            Some(hash) => pending.push(Entry { path, kind: entry.mode.kind(), hash }),
            None => bad_paths.push(String::from_utf8_lossy(&path).into_owned()),
        }
    }
    pending[first..].reverse();
    Ok(())
}

fn is_file_name(name: &[u8]) -> bool {
    !matches!(name, b"" | b"." | b"..") && !name.contains(&b'/')
}

fn take(entry: Entry, listing: &mut TreeListing) {
    if entry.kind == EntryKind::Link {
        listing.symlinks += 1;
        return;
    }
    let path = std::str::from_utf8(&entry.path).ok().and_then(|path| RepoPath::from_walk(path).ok());
    let Some(path) = path else {
        listing.bad_paths.push(String::from_utf8_lossy(&entry.path).into_owned());
        return;
    };
    if entry.kind == EntryKind::Commit {
        listing.submodules.push(path);
    } else {
        listing.files.push(TreeFile { path, hash: entry.hash, executable: entry.kind == EntryKind::BlobExecutable });
    }
}
