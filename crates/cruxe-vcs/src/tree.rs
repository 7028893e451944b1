//! What a commit contains.

use cruxe_model::{ContentHash, RepoPath};
use gix::objs::tree::EntryKind;
use gix::objs::{Kind, TreeRefIter};

use crate::error::VcsError;
use crate::object::{content_hash, damaged, find, tree_of};
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

/// Several times the largest known repositories. A few crafted trees that contain each other unfold to billions of files.
pub(crate) const MAX_FILES: usize = 2_000_000;

/// The most that the paths of a commit may have together.
const MAX_PATHS: usize = 512 << 20;

/// So many names that nothing can have are told of.
const MAX_BAD: usize = 1000;

/// The longest path that a system call takes. Trees in trees in trees cost the square of their number otherwise.
const MAX_PATH: usize = 4096;

impl Repo {
    /// Lists everything that a commit contains.
    pub fn tree_files(&self, commit: &ContentHash) -> Result<TreeListing, VcsError> {
        list(&self.local(), commit, MAX_FILES)
    }
}

/// What a tree names, wherever it is: a file, a link or another repository.
pub(crate) struct Entry {
    pub path: Vec<u8>,
    pub kind: EntryKind,
    pub hash: ContentHash,
}

fn list(repo: &gix::Repository, commit: &ContentHash, limit: usize) -> Result<TreeListing, VcsError> {
    let mut listing = TreeListing::default();
    let mut walk = Walk::new(repo, commit, limit)?;
    while let Some(entry) = walk.next()? {
        take(entry, &mut listing, &mut walk.bad_paths);
    }
    listing.bad_paths = walk.bad_paths;
    // Git writes trees so that walking them gives path order. A crafted tree may be out of order, or name a path twice.
    if !listing.files.is_sorted_by(|a, b| a.path < b.path) {
        listing.files.sort_by(|a, b| a.path.cmp(&b.path));
        listing.files.dedup_by(|a, b| a.path == b.path);
    }
    Ok(listing)
}

/// Visits what a commit contains, in the order of its trees.
pub(crate) struct Walk<'repo> {
    repo: &'repo gix::Repository,
    commit: ContentHash,
    pending: Vec<Entry>,
    /// The names that nothing can have; they are not visited.
    pub bad_paths: Vec<String>,
    seen: usize,
    path_bytes: usize,
    limit: usize,
}

impl<'repo> Walk<'repo> {
    pub fn new(repo: &'repo gix::Repository, commit: &ContentHash, limit: usize) -> Result<Self, VcsError> {
        let (pending, bad_paths) = (Vec::new(), Vec::new());
        let mut walk = Walk { repo, commit: *commit, pending, bad_paths, seen: 0, path_bytes: 0, limit };
        walk.enter(&tree_of(repo, commit)?, &[])?;
        Ok(walk)
    }

    pub fn next(&mut self) -> Result<Option<Entry>, VcsError> {
        while let Some(entry) = self.pending.pop() {
            if entry.kind != EntryKind::Tree {
                return Ok(Some(entry));
            }
            self.enter(&entry.hash, &entry.path)?;
        }
        Ok(None)
    }

    /// Takes the entries of a tree in reverse, so that they are popped in order.
    fn enter(&mut self, tree: &ContentHash, folder: &[u8]) -> Result<(), VcsError> {
        let object = find(self.repo, tree, Kind::Tree)?;
        let first = self.pending.len();
        for entry in TreeRefIter::from_bytes(&object.data, self.repo.object_hash()) {
            let entry = entry.map_err(|error| damaged(tree, &error))?;
            self.seen += 1;
            self.path_bytes += folder.len() + entry.filename.len();
            if self.seen > self.limit || self.path_bytes > MAX_PATHS {
                return Err(VcsError::TooManyFiles { hash: self.commit, limit: self.limit });
            }
            let mut path = Vec::with_capacity(folder.len() + 1 + entry.filename.len());
            path.extend_from_slice(folder);
            if !folder.is_empty() {
                path.push(b'/');
            }
            path.extend_from_slice(entry.filename);
            // A name like `..` must be caught here: in the joined path it would be resolved and stand for another file.
            if is_file_name(entry.filename) && path.len() <= MAX_PATH {
                self.pending.push(Entry { path, kind: entry.mode.kind(), hash: content_hash(entry.oid.as_bytes()) });
            } else if self.bad_paths.len() < MAX_BAD {
                path.truncate(MAX_PATH);
                self.bad_paths.push(String::from_utf8_lossy(&path).into_owned());
            }
        }
        self.pending[first..].reverse();
        Ok(())
    }
}

fn is_file_name(name: &[u8]) -> bool {
    !matches!(name, b"" | b"." | b"..") && !name.contains(&b'/')
}

fn take(entry: Entry, listing: &mut TreeListing, bad_paths: &mut Vec<String>) {
    if entry.kind == EntryKind::Link {
        listing.symlinks += 1;
        return;
    }
    let path = std::str::from_utf8(&entry.path).ok().and_then(|path| RepoPath::from_walk(path).ok());
    let Some(path) = path else {
        bad_paths.push(String::from_utf8_lossy(&entry.path).into_owned());
        return;
    };
    if entry.kind == EntryKind::Commit {
        listing.submodules.push(path);
    } else {
        listing.files.push(TreeFile { path, hash: entry.hash, executable: entry.kind == EntryKind::BlobExecutable });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Fixture, commit_raw_tree, hash};
    use crate::{ObjectFormat, hash_blob};

    fn paths(listing: &TreeListing) -> Vec<&str> {
        listing.files.iter().map(|file| file.path.as_str()).collect()
    }

    fn blob(fixture: &Fixture, text: &str) -> ContentHash {
        fixture.write("blob", text);
        hash(&fixture.git(&["hash-object", "-w", "blob"]))
    }

    #[test]
    fn listing_has_files_in_path_order_and_tells_the_rest_apart() {
        let fixture = Fixture::new();
        for path in ["src/a.rs", "src.rs", "src-b/c.rs", "a/b/c/d.txt", "zürich/ß.md", "Z"] {
            fixture.write(path, path);
        }
        fixture.write("run.sh", "#!/bin/sh\n");
        fixture.git(&["add", "--all"]);
        fixture.git(&["update-index", "--chmod=+x", "run.sh"]);
        let target = fixture.git(&["hash-object", "-w", "Z"]);
        fixture.git(&["update-index", "--add", "--cacheinfo", &format!("120000,{target},link")]);
        fixture.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{target},vendor/lib")]);
        fixture.git(&["commit", "--quiet", "--message", "one"]);
        let repo = fixture.open();
        let listing = repo.tree_files(&fixture.id("HEAD")).unwrap();
        let expected = ["Z", "a/b/c/d.txt", "run.sh", "src-b/c.rs", "src.rs", "src/a.rs", "zürich/ß.md"];
        assert_eq!(paths(&listing), expected);
        assert!(listing.files.is_sorted_by(|a, b| a.path < b.path));
        for file in &listing.files {
            let is_script = file.path.as_str() == "run.sh";
            let text = if is_script { "#!/bin/sh\n" } else { file.path.as_str() };
            assert_eq!(file.hash, hash_blob(ObjectFormat::Sha1, text.as_bytes()));
            assert_eq!(file.executable, is_script);
        }
        assert_eq!(listing.symlinks, 1);
        assert_eq!(listing.submodules, [RepoPath::parse("vendor/lib").unwrap()]);
        assert_eq!(listing.bad_paths, [] as [&str; 0]);
    }

    #[test]
    fn commit_without_files_has_an_empty_listing() {
        let fixture = Fixture::new();
        let commit = fixture.commit("nothing");
        assert_eq!(fixture.open().tree_files(&commit).unwrap(), TreeListing::default());
    }

    #[test]
    fn paths_that_are_not_text_or_leave_the_work_tree_are_reported() {
        let fixture = Fixture::new();
        let file = blob(&fixture, "x");
        let inner = commit_raw_tree(&fixture, &[("100644", b"in", file), ("100644", b"latin-\xe9", file)]);
        let folder = fixture.id(&format!("{inner}^{{tree}}"));
        let commit = commit_raw_tree(
            &fixture,
            &[
                ("40000", b"..", folder),
                ("100644", b"../escape", file),
                ("100644", b".", file),
                ("40000", b"d", folder),
                ("100644", b"ok", file),
            ],
        );
        let listing = fixture.open().tree_files(&commit).unwrap();
        assert_eq!(paths(&listing), ["d/in", "ok"]);
        assert_eq!(listing.bad_paths, ["..", "../escape", ".", "d/latin-\u{fffd}"]);
    }

    #[test]
    fn crafted_tree_out_of_order_is_put_in_order_and_a_path_is_listed_once() {
        let fixture = Fixture::new();
        let (one, two) = (blob(&fixture, "1"), blob(&fixture, "2"));
        let commit = commit_raw_tree(&fixture, &[("100644", b"b", one), ("100644", b"a", one), ("100644", b"b", two)]);
        let listing = fixture.open().tree_files(&commit).unwrap();
        assert_eq!(paths(&listing), ["a", "b"]);
        assert_eq!(listing.files[1].hash, one);
    }

    #[test]
    fn trees_that_unfold_without_end_are_refused() {
        let fixture = Fixture::new();
        let file = blob(&fixture, "x");
        let mut commit = commit_raw_tree(&fixture, &[("100644", b"0", file), ("100644", b"1", file)]);
        for _ in 0..12 {
            let folder = fixture.id(&format!("{commit}^{{tree}}"));
            commit = commit_raw_tree(&fixture, &[("40000", b"0", folder), ("40000", b"1", folder)]);
        }
        let repo = fixture.open().local();
        assert_eq!(list(&repo, &commit, 20_000).unwrap().files.len(), 8192);
        assert_eq!(list(&repo, &commit, 1000).unwrap_err(), VcsError::TooManyFiles { hash: commit, limit: 1000 });
    }

    #[test]
    fn paths_that_no_system_call_takes_are_reported_and_not_followed() {
        let fixture = Fixture::new();
        let file = blob(&fixture, "x");
        let name = [b'n'; 250];
        let mut commit = commit_raw_tree(&fixture, &[("100644", &name, file)]);
        for _ in 0..17 {
            let folder = fixture.id(&format!("{commit}^{{tree}}"));
            commit = commit_raw_tree(&fixture, &[("40000", &name, folder), ("100644", b"near", file)]);
        }
        let listing = fixture.open().tree_files(&commit).unwrap();
        assert_eq!((listing.files.len(), listing.bad_paths.len()), (17, 1));
        assert_eq!(listing.bad_paths[0].len(), MAX_PATH);
    }

    #[test]
    fn what_is_not_a_commit_cannot_be_listed() {
        let fixture = Fixture::new();
        fixture.commit("one");
        let repo = fixture.open();
        let tree = fixture.id("HEAD^{tree}");
        let wrong = VcsError::WrongKind { hash: tree, found: "tree", wanted: "commit" };
        assert_eq!(repo.tree_files(&tree).unwrap_err(), wrong);
        let missing = hash("0123456789012345678901234567890123456789");
        assert_eq!(repo.tree_files(&missing).unwrap_err(), VcsError::MissingObject { hash: missing });
    }
}
