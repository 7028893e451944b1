//! Finds the files of a work tree or of a commit.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::time::UNIX_EPOCH;

use cruxe_files::{FileError, Kind, Meta, Root};
use cruxe_model::{ContentHash, RepoPath, SkipReason};
use cruxe_store::FileStat;
use cruxe_vcs::{Blob, BlobReader, Repo, TreeListing};

use crate::error::IndexError;
use crate::ignore_rules;
use crate::rules::{self, EXCLUDE_FILE, GIT_IGNORE_FILE, IGNORE_FILE, OwnRules, Rules};
use crate::walk::{Walk, join};

/// A file that may be indexed.
#[derive(Clone, Debug)]
pub struct ScanFile {
    /// Where it is.
    pub path: RepoPath,
    /// What a `stat` says; for a file of a commit nothing.
    pub stat: FileStat,
    /// The disk that it is on.
    pub device: u64,
    /// It has other names, which may lie where nobody watches.
    pub is_linked: bool,
    /// Its content's name, where a commit tells it.
    pub hash: Option<ContentHash>,
}

impl ScanFile {
    pub(crate) fn new(path: RepoPath, meta: &Meta) -> ScanFile {
        ScanFile { path, stat: stat(meta), device: meta.device, is_linked: meta.names > 1, hash: None }
    }
}

/// The files of a work tree or commit, in path order.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// Files to index.
    pub files: Vec<ScanFile>,
    /// Files left out, with the reason. Ignored folders are not listed file by file.
    pub skipped: Vec<(RepoPath, SkipReason)>,
    /// Folders that were looked into, relative to the root; the root itself is the empty string.
    pub folders: Vec<String>,
    /// Ignore files, relative to the root, that decided what is listed, or would if they were there.
    pub consulted: Vec<String>,
    /// What the reader should know.
    pub warnings: Vec<String>,
}

/// Lists the files of a work tree: what a walk finds that is not ignored, and what git tracks although it is ignored.
/// `git` is the folder that has git's `info/exclude`.
///
/// Ignore files count from the root downwards only: a repository below a folder that somebody else ignores is still a
/// repository.
pub fn work_tree(
    root: &Path,
    git: Option<&Path>,
    tracked: &[RepoPath],
    max_files: usize,
) -> Result<Listing, IndexError> {
    let unreadable = |problem: FileError| IndexError::Unreadable { path: root.to_owned(), source: problem.into() };
    let opened = Root::open(root).map_err(unreadable)?;
    opened.list("").map_err(unreadable)?;
    let own = OwnRules::from_text("", &ignore_file_of_root(&opened, IGNORE_FILE)?);
    ignore_file_of_root(&opened, GIT_IGNORE_FILE)?;
    let exclude = git.and_then(|git| rules::read(&Root::open(git).ok()?, EXCLUDE_FILE).ok()).unwrap_or_default();
    let mut listing = Walk::new(&opened, &own, max_files).run(Rules::new(None, "", "", "", &exclude))?;
    sort(&mut listing);
    add_deck(&mut listing, &opened, &own, max_files)?;
    add_tracked(&mut listing, &opened, &own, tracked, max_files)?;
    Ok(listing)
}

/// Fails where a folder cannot be listed: one that may not be read is not an empty one.
pub(crate) fn check_readable(root: &Path) -> Result<(), IndexError> {
    let unreadable = |problem: FileError| IndexError::Unreadable { path: root.to_owned(), source: problem.into() };
    Root::open(root).and_then(|root| root.list("")).map(drop).map_err(unreadable)
}

/// An ignore file of the root. A pipe or a device in its place hides nobody knows what.
fn ignore_file_of_root(root: &Root, name: &str) -> Result<String, IndexError> {
    match rules::read(root, name) {
        Err(FileError::NotAFile { kind, .. }) if kind != Kind::Folder => {
            Err(IndexError::NoFile(root.path().join(name)))
        }
        text => Ok(text.unwrap_or_default()),
    }
}

/// What a file of the work tree holds, as far as an index is concerned.
pub(crate) fn content(root: &Root, path: &RepoPath, limit: u64) -> Result<Vec<u8>, SkipReason> {
    match root.read(path.as_str(), limit) {
        Ok(bytes) => ignore_rules::worth_reading(bytes),
        Err(FileError::TooLarge { .. }) if has_binary_head(root, path) => Err(SkipReason::Binary),
        Err(FileError::TooLarge { .. }) => Err(SkipReason::TooLarge),
        Err(problem) => {
            tracing::debug!("{path}: {problem}");
            Err(SkipReason::Unreadable)
        }
    }
}

/// Whether a file that is too large to be read is none that anybody would search.
fn has_binary_head(root: &Root, path: &RepoPath) -> bool {
    let mut head = Vec::new();
    let read = root.file(path.as_str()).is_ok_and(|file| {
        use std::io::Read;
        file.take(8 << 10).read_to_end(&mut head).is_ok()
    });
    read && ignore_rules::is_binary(&head)
}

/// The folders of cards and of the deck's own documents.
const DECK: [&str; 2] = [".cuedeck/cards", ".cuedeck/docs"];

/// Adds cards and documents of a deck that git ignores: who keeps tasks out of the repository still has them.
fn add_deck(listing: &mut Listing, root: &Root, own: &OwnRules, max_files: usize) -> Result<(), IndexError> {
    let hidden = |folder: &&str| listing.folders.binary_search_by(|known| known.as_str().cmp(folder)).is_err();
    let mut folders: Vec<String> =
        DECK.into_iter().filter(hidden).filter(|folder| root.is_folder(folder)).map(str::to_owned).collect();
    if folders.is_empty() {
        return Ok(());
    }
    while let Some(folder) = folders.pop() {
        let Ok(opened) = root.subfolder(&folder) else { continue };
        for entry in opened.list("").unwrap_or_default() {
            let Some(path) = entry.name.to_str().map(|name| join(&folder, name)) else { continue };
            match entry.kind {
                Kind::Folder => folders.push(path),
                Kind::File => {
                    if let (Ok(path), Ok(Some(meta))) = (RepoPath::from_walk(&path), opened.meta(&entry.name))
                        && !own.ignores_below(&path)
                    {
                        take(listing, own, ScanFile::new(path, &meta), max_files)?;
                    }
                }
                _ => {}
            }
        }
        listing.folders.push(folder);
    }
    sort(listing);
    Ok(())
}

/// Adds what git tracks and the walk passed over. `.cruxeignore` and the built-in rules still hold.
fn add_tracked(
    listing: &mut Listing,
    root: &Root,
    own: &OwnRules,
    tracked: &[RepoPath],
    max_files: usize,
) -> Result<(), IndexError> {
    let found: HashSet<&RepoPath> = listing.files.iter().map(|file| &file.path).collect();
    let mut missed: Vec<&RepoPath> = tracked.iter().filter(|path| !found.contains(path)).collect();
    let skipped: HashSet<&RepoPath> = listing.skipped.iter().map(|(path, _)| path).collect();
    missed.retain(|path| !skipped.contains(path));
    if missed.is_empty() {
        return Ok(());
    }
    let mut passed = PassedOver { root, rules: HashMap::new() };
    let mut folders = BTreeSet::new();
    for path in missed {
        if own.ignores_below(path) {
            continue;
        }
        if let Some(why) = left_out(own, path) {
            listing.skipped.push((path.clone(), why));
            continue;
        }
        // What is not there now may come, in any of the folders that lead to it.
        folders.extend(ancestors(path).map(str::to_owned));
        // A folder whose place a link took has no files of this repository.
        if let Ok(Some(meta)) = root.meta(path.as_str())
            && meta.kind == Kind::File
            && !passed.hide(path)
        {
            take(listing, own, ScanFile::new(path.clone(), &meta), max_files)?;
        }
    }
    listing.folders.extend(folders.into_iter().filter(|folder| root.is_folder(folder)));
    listing.consulted.extend(passed.rules.into_keys().map(|folder| join(&folder, IGNORE_FILE)));
    sort(listing);
    Ok(())
}

/// The folders that lead to a file, without the root.
fn ancestors(path: &RepoPath) -> impl Iterator<Item = &str> {
    let path = path.as_str();
    path.match_indices('/').map(move |(at, _)| &path[..at])
}

/// The rules of folders that the walk did not look into.
struct PassedOver<'a> {
    root: &'a Root,
    rules: HashMap<String, OwnRules>,
}

impl PassedOver<'_> {
    fn hide(&mut self, path: &RepoPath) -> bool {
        ancestors(path).any(|folder| {
            let rules = self.rules.entry(folder.to_owned()).or_insert_with(|| {
                let text = rules::read(self.root, &join(folder, IGNORE_FILE)).unwrap_or_default();
                OwnRules::from_text(folder, &text)
            });
            rules.ignores_below(path)
        })
    }
}

/// Lists the files of a commit.
pub fn commit(repo: &Repo, id: &ContentHash, max_files: usize) -> Result<Listing, IndexError> {
    of_tree(repo, repo.tree_files(id)?, max_files)
}

/// Lists the files of a tree that are to be indexed.
pub fn of_tree(repo: &Repo, tree: TreeListing, max_files: usize) -> Result<Listing, IndexError> {
    let mut listing = Listing::default();
    let reader = repo.reader();
    let mut rules = vec![OwnRules::none()];
    for file in tree.files.iter().filter(|file| file.path.file_name() == IGNORE_FILE) {
        let of_file = OwnRules::from_text(file.path.parent(), &read_text(&reader, &file.hash)?);
        if file.path.parent().is_empty() { rules[0] = of_file } else { rules.push(of_file) }
    }
    for file in tree.files {
        if !rules.iter().any(|rules| rules.ignores_below(&file.path)) {
            let stat = FileStat { size: 0, mtime: 0, ctime: 0, inode: 0 };
            let file = ScanFile { path: file.path, stat, device: 0, is_linked: false, hash: Some(file.hash) };
            take(&mut listing, &rules[0], file, max_files)?;
        }
    }
    for path in tree.submodules {
        listing.skipped.push((path, SkipReason::Submodule));
    }
    listing.warnings.extend(tree.bad_paths.into_iter().map(|path| format!("{path}: not a usable path; skipped")));
    sort(&mut listing);
    Ok(listing)
}

fn read_text(reader: &BlobReader, hash: &ContentHash) -> Result<String, IndexError> {
    Ok(match reader.read(hash, 1 << 20)? {
        Blob::Data(data) => String::from_utf8_lossy(&data).into_owned(),
        Blob::TooLarge(_) => String::new(),
    })
}

fn take(listing: &mut Listing, rules: &OwnRules, file: ScanFile, max_files: usize) -> Result<(), IndexError> {
    match left_out(rules, &file.path) {
        Some(why) => listing.skipped.push((file.path, why)),
        None => listing.files.push(file),
    }
    if listing.files.len() > max_files { Err(IndexError::TooManyFiles(max_files)) } else { Ok(()) }
}

/// Why the built-in rules leave a file out, unless the project's own take it back in.
pub(crate) fn left_out(rules: &OwnRules, path: &RepoPath) -> Option<SkipReason> {
    ignore_rules::reason(path).filter(|_| !rules.keeps(path.as_str()))
}

fn sort(listing: &mut Listing) {
    listing.files.sort_by(|a, b| a.path.cmp(&b.path));
    listing.skipped.sort();
    for list in [&mut listing.folders, &mut listing.consulted] {
        list.sort();
        list.dedup();
    }
    listing.warnings.sort();
}

/// What a `stat` says about a file.
pub(crate) fn stat(meta: &Meta) -> FileStat {
    let nanos = |time: std::time::SystemTime| match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |nanos| -nanos),
    };
    let mtime = meta.modified.map_or(0, nanos);
    let ctime = if meta.changed_ns == 0 { mtime } else { meta.changed_ns };
    FileStat { size: meta.size, mtime, ctime, inode: meta.inode }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    fn paths(root: &Path) -> Vec<String> {
        work_tree(root, None, &[], 1000).unwrap().files.into_iter().map(|file| file.path.into()).collect()
    }

    #[test]
    fn ignore_files_hide_and_take_back() {
        let root = tree(&[
            (".gitignore", "ignored/\n*.log\n"),
            (".cruxeignore", "secret.rs\n!vendor/ours/**\n"),
            ("src/lib.rs", ""),
            ("ignored/x.rs", ""),
            ("a.log", ""),
            ("secret.rs", ""),
            ("vendor/ours/x.go", ""),
            ("vendor/theirs/x.go", ""),
        ]);
        assert_eq!(paths(root.path()), [".cruxeignore", ".gitignore", "src/lib.rs", "vendor/ours/x.go"]);
    }

    #[test]
    fn rules_of_folders_above_do_not_count() {
        let root = tree(&[(".gitignore", "build/\n"), ("build/repo/src/lib.rs", ""), ("build/repo/build/x.rs", "")]);
        assert_eq!(paths(&root.path().join("build/repo")), ["build/x.rs", "src/lib.rs"]);
    }

    #[test]
    fn tracked_files_are_listed_although_they_are_ignored() {
        let root = tree(&[
            (".gitignore", "out/\n"),
            ("src/.cruxeignore", "*.gen.rs\n"),
            ("out/kept.rs", ""),
            ("out/untracked.rs", ""),
            ("src/a.gen.rs", ""),
            ("vendor/x.go", ""),
        ]);
        let tracked = ["out/kept.rs", "src/.cruxeignore", "src/a.gen.rs", "vendor/x.go", "gone.rs"];
        let tracked = tracked.map(|path| RepoPath::parse(path).unwrap());
        let listing = work_tree(root.path(), None, &tracked, 1000).unwrap();
        let paths: Vec<&str> = listing.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, [".gitignore", "out/kept.rs", "src/.cruxeignore"]);
        assert!(listing.folders.iter().any(|folder| folder == "out"));
    }

    #[test]
    fn cards_and_documents_of_an_ignored_deck_are_listed_and_nothing_else_of_it() {
        let deck = [
            (".cuedeck/cards/abc123.md", ""),
            (".cuedeck/docs/deep/a.md", ""),
            (".cuedeck/.cache/x.md", ""),
            (".cuedeck/SCENE.md", ""),
            (".cuedeck/config.toml", ""),
        ];
        let mut files = vec![("src/lib.rs", "")];
        files.extend(deck);
        let plain = tree(&files);
        let both = [".cuedeck/cards/abc123.md", ".cuedeck/config.toml", ".cuedeck/docs/deep/a.md", "src/lib.rs"];
        assert_eq!(paths(plain.path()), both);
        files.push((".gitignore", ".cuedeck/\n"));
        let ignored = tree(&files);
        let expected = [".cuedeck/cards/abc123.md", ".cuedeck/docs/deep/a.md", ".gitignore", "src/lib.rs"];
        assert_eq!(paths(ignored.path()), expected);
        files.push((".cruxeignore", ".cuedeck/docs/\n"));
        let hidden = tree(&files);
        let expected = [".cruxeignore", ".cuedeck/cards/abc123.md", ".gitignore", "src/lib.rs"];
        assert_eq!(paths(hidden.path()), expected);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let outside = tree(&[("secret.rs", "fn secret() {}")]);
        let root = tree(&[("src/lib.rs", "")]);
        std::os::unix::fs::symlink(outside.path(), root.path().join("out")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret.rs"), root.path().join("link.rs")).unwrap();
        assert_eq!(paths(root.path()), ["src/lib.rs"]);
    }

    #[cfg(unix)]
    #[test]
    fn tracked_files_behind_a_link_are_not_listed() {
        let outside = tree(&[("a.rs", ""), ("deep/b.rs", "")]);
        let root = tree(&[("src/lib.rs", "")]);
        std::os::unix::fs::symlink(outside.path(), root.path().join("out")).unwrap();
        let tracked = ["out/a.rs", "out/deep/b.rs", "src/lib.rs"].map(|path| RepoPath::parse(path).unwrap());
        let listing = work_tree(root.path(), None, &tracked, 1000).unwrap();
        assert_eq!(listing.files.len(), 1);
        assert_eq!(listing.folders, ["", "src"]);
    }

    #[test]
    fn everything_that_decides_what_is_listed_is_named() {
        let root = tree(&[
            (".gitignore", "out/\n"),
            ("out/deep/kept.rs", ""),
            ("sub/.cruxeignore", "*\n"),
            ("sub/hidden.rs", ""),
            ("nested/.git/info/exclude", "private.rs\n"),
            ("nested/private.rs", ""),
            ("nested/public.rs", ""),
            ("git/info/exclude", "excluded.rs\n"),
            ("excluded.rs", ""),
        ]);
        let tracked = [RepoPath::parse("out/deep/kept.rs").unwrap()];
        let listing = work_tree(root.path(), Some(&root.path().join("git")), &tracked, 1000).unwrap();
        let paths: Vec<&str> = listing.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, [".gitignore", "git/info/exclude", "nested/public.rs", "out/deep/kept.rs"]);
        let consulted =
            [".gitignore", "nested/.git/info/exclude", "out/.cruxeignore", "out/deep/.cruxeignore", "sub/.cruxeignore"];
        assert_eq!(listing.consulted, consulted);
        assert_eq!(listing.folders, ["", "git", "git/info", "nested", "out", "out/deep", "sub"]);
    }

    #[test]
    fn an_ignore_file_that_is_too_large_is_not_read() {
        let root = tree(&[(".gitignore", &format!("a.rs\n{}", "#".repeat(1 << 20))), ("a.rs", "")]);
        let listing = work_tree(root.path(), None, &[], 1000).unwrap();
        assert_eq!(listing.files.len(), 2);
        assert_eq!(listing.warnings.len(), 1);
        assert!(listing.warnings[0].starts_with(".gitignore is not read: "), "{:?}", listing.warnings);
    }

    #[test]
    fn a_walk_that_is_too_large_stops() {
        let root = tree(&[("a.rs", ""), ("b.rs", ""), ("c.rs", "")]);
        assert!(matches!(work_tree(root.path(), None, &[], 2), Err(IndexError::TooManyFiles(2))));
    }
}
