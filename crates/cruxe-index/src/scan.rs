//! Finds the files of a work tree or of a commit.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use cruxe_model::{ContentHash, RepoPath};
use cruxe_store::FileStat;
use cruxe_vcs::{Blob, BlobReader, Repo, TreeListing};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::error::IndexError;
use crate::ignore_rules;

const GIT_IGNORE_FILE: &str = ".gitignore";

/// Read by the scan beside `.gitignore`, with the same syntax.
pub const IGNORE_FILE: &str = ".cruxeignore";

/// A file that may be indexed.
#[derive(Clone, Debug)]
pub struct ScanFile {
    /// Where it is.
    pub path: RepoPath,
    /// What a `stat` says; for a file of a commit only the size is meaningful, and 0.
    pub stat: FileStat,
    /// Its content's name, where a commit tells it.
    pub hash: Option<ContentHash>,
}

/// The files of a work tree or commit, in path order.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// Files to index.
    pub files: Vec<ScanFile>,
    /// Files left out, with the reason. Ignored folders are not listed file by file.
    pub skipped: Vec<(RepoPath, String)>,
    /// Folders that were walked, relative to the root; the root itself is the empty string.
    pub folders: Vec<String>,
    /// What the reader should know.
    pub warnings: Vec<String>,
}

/// Lists the files of a work tree: what a walk finds that is not ignored, and what git tracks although it is ignored.
///
/// Ignore files count from the root downwards only: a repository below a folder that somebody else ignores is still a
/// repository.
pub fn work_tree(root: &Path, tracked: &[RepoPath], max_files: usize) -> Result<Listing, IndexError> {
    check_readable(root)?;
    if let Some(path) = endless_ignore_file(root) {
        return Err(IndexError::NoFile(path));
    }
    let own_rules = OwnRules::of_root(root);
    let keep = own_rules.clone();
    let (sender, seen) = mpsc::channel();
    let (refused, top) = (sender.clone(), root.to_owned());
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .parents(false)
        .ignore(false)
        .git_global(false)
        .git_ignore(true)
        .git_exclude(true)
        .require_git(false)
        .follow_links(false)
        .add_custom_ignore_filename(IGNORE_FILE)
        .filter_entry(move |entry| {
            let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            let name = entry.file_name().to_str().unwrap_or_default();
            if entry.depth() == 0 || !folder {
                return true;
            }
            if ignore_rules::folder_reason(name).is_some() && !keep.may_keep(name) {
                return false;
            }
            let Some(file) = endless_ignore_file(entry.path()) else { return true };
            let problem = format!("{}: neither a file nor a folder; what is beside it is left out", file.display());
            let _ = refused.send(unreadable(&top, Some(entry.path()), problem));
            false
        })
        .build_parallel();
    // Nearly all of a walk is waiting for the system, one call after the other: more than one thread may wait.
    let files = AtomicUsize::new(0);
    walk.run(|| {
        let (sender, files, own_rules) = (sender.clone(), &files, &own_rules);
        Box::new(move |entry| {
            let seen = look(root, own_rules, entry);
            let file = matches!(seen, Some(Seen::File(_)));
            let too_many = file && files.fetch_add(1, Ordering::Relaxed) >= max_files;
            let received = seen.is_none_or(|seen| sender.send(seen).is_ok());
            if too_many || !received { WalkState::Quit } else { WalkState::Continue }
        })
    });
    drop(sender);
    let mut listing = Listing { folders: vec![String::new()], ..Listing::default() };
    for seen in seen {
        match seen {
            Seen::File(file) => listing.files.push(file),
            Seen::Skipped(path, why) => listing.skipped.push((path, why.to_owned())),
            Seen::Folder(path) => listing.folders.push(path.into()),
            Seen::Unreadable(path, problem) => {
                listing.skipped.push((path, "unreadable".to_owned()));
                listing.warnings.push(problem);
            }
            Seen::Problem(problem) => listing.warnings.push(problem),
        }
    }
    if listing.files.len() > max_files {
        return Err(IndexError::TooManyFiles(max_files));
    }
    sort(&mut listing);
    add_deck(&mut listing, root, &own_rules, max_files)?;
    add_tracked(&mut listing, root, &own_rules, tracked, max_files)?;
    Ok(listing)
}

/// Fails where a folder cannot be listed: one that may not be read is not an empty one.
pub(crate) fn check_readable(root: &Path) -> Result<(), IndexError> {
    let unreadable = |source| IndexError::Unreadable { path: root.to_owned(), source };
    fs::read_dir(root).map(drop).map_err(unreadable)
}

/// The ignore file of a folder that is a pipe or a device: the walk would read it, and wait for ever.
fn endless_ignore_file(folder: &Path) -> Option<PathBuf> {
    let endless = |path: &PathBuf| fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
    [GIT_IGNORE_FILE, IGNORE_FILE].map(|name| folder.join(name)).into_iter().find(endless)
}

/// The folders of cards and of the deck's own documents.
const DECK: [&str; 2] = [".cuedeck/cards", ".cuedeck/docs"];

/// Adds cards and documents of a deck that git ignores: who keeps tasks out of the repository still has them.
fn add_deck(listing: &mut Listing, root: &Path, own_rules: &OwnRules, max_files: usize) -> Result<(), IndexError> {
    let hidden = |folder: &&str| listing.folders.binary_search_by(|known| known.as_str().cmp(folder)).is_err();
    let hidden: Vec<&str> = DECK.into_iter().filter(hidden).filter(|folder| is_plain_folder(root, folder)).collect();
    for folder in &hidden {
        let walk = WalkBuilder::new(root.join(folder)).standard_filters(false).follow_links(false).build();
        for entry in walk {
            match look(root, own_rules, entry) {
                Some(Seen::File(file)) if !own_rules.ignores_below(&file.path) => {
                    take(listing, own_rules, file, max_files)?;
                }
                Some(Seen::Folder(path)) => listing.folders.push(path.into()),
                _ => {}
            }
        }
    }
    if !hidden.is_empty() {
        sort(listing);
    }
    Ok(())
}

/// Whether a path of folders is there without a link among them.
fn is_plain_folder(root: &Path, folder: &str) -> bool {
    let ends = folder.match_indices('/').map(|(at, _)| at).chain([folder.len()]);
    ends.map(|end| root.join(&folder[..end]))
        .all(|path| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir()))
}

/// What a walk comes by.
enum Seen {
    File(ScanFile),
    Skipped(RepoPath, &'static str),
    Folder(RepoPath),
    /// A folder, as a rule, that this process may not list, with what the system said.
    Unreadable(RepoPath, String),
    Problem(String),
}

fn look(root: &Path, own_rules: &OwnRules, entry: Result<DirEntry, ignore::Error>) -> Option<Seen> {
    let entry = match entry {
        Ok(entry) => entry,
        Err(problem) => return Some(unreadable(root, path_of(&problem), problem.to_string())),
    };
    let kind = entry.file_type()?;
    let Some(path) = repo_path(root, entry.path()) else {
        let relative = entry.path().strip_prefix(root).ok()?;
        let problem = || Seen::Problem(format!("{}: the path is not UTF-8; skipped", relative.display()));
        return (entry.depth() > 0).then(problem);
    };
    if kind.is_dir() {
        return Some(Seen::Folder(path));
    }
    if !kind.is_file() {
        return None; // links are not followed: their targets are walked where they are, or lie outside
    }
    match left_out(own_rules, &path) {
        Some(why) => Some(Seen::Skipped(path, why)),
        None => Some(Seen::File(ScanFile { stat: stat(&entry.metadata().ok()?), path, hash: None })),
    }
}

fn repo_path(root: &Path, path: &Path) -> Option<RepoPath> {
    let relative = path.strip_prefix(root).ok()?.to_str()?;
    RepoPath::from_walk(&to_slashes(relative)).ok()
}

fn unreadable(root: &Path, path: Option<&Path>, problem: String) -> Seen {
    match path.and_then(|path| repo_path(root, path)) {
        Some(path) => Seen::Unreadable(path, problem),
        None => Seen::Problem(problem),
    }
}

/// What may not be read; a file that went away during the walk is another matter.
fn path_of(problem: &ignore::Error) -> Option<&Path> {
    let denied = |problem: &ignore::Error| {
        problem.io_error().is_some_and(|problem| problem.kind() == std::io::ErrorKind::PermissionDenied)
    };
    match problem {
        ignore::Error::WithPath { path, err } if denied(err) => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}

/// Adds what git tracks and the walk passed over. `.cruxeignore` and the built-in rules still hold.
fn add_tracked(
    listing: &mut Listing,
    root: &Path,
    own_rules: &OwnRules,
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
    let rules = missed_rules(root, own_rules, tracked);
    for path in missed {
        let Ok(metadata) = fs::symlink_metadata(root.join(path.as_str())) else { continue };
        if metadata.is_file() && !rules.iter().any(|rules| rules.ignores_below(path)) {
            listing.folders.push(path.parent().to_owned());
            take(listing, own_rules, ScanFile { path: path.clone(), stat: stat(&metadata), hash: None }, max_files)?;
        }
    }
    listing.folders.sort();
    listing.folders.dedup();
    sort(listing);
    Ok(())
}

/// Every `.cruxeignore` that git tracks, and the root's own whether or not it does.
fn missed_rules(root: &Path, own_rules: &OwnRules, tracked: &[RepoPath]) -> Vec<OwnRules> {
    let nested = tracked.iter().filter(|path| path.file_name() == IGNORE_FILE && !path.parent().is_empty());
    let read = |path: &RepoPath| {
        let path = root.join(path.as_str());
        if path.is_file() { fs::read_to_string(path).unwrap_or_default() } else { String::new() }
    };
    let nested = nested.map(|path| OwnRules::from_text(path.parent(), &read(path)));
    std::iter::once(own_rules.clone()).chain(nested).collect()
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
            let stat = FileStat { size: 0, mtime: 0, inode: 0 };
            take(&mut listing, &rules[0], ScanFile { path: file.path, stat, hash: Some(file.hash) }, max_files)?;
        }
    }
    for path in tree.submodules {
        listing.skipped.push((path, "submodule".to_owned()));
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
        Some(why) => listing.skipped.push((file.path, why.to_owned())),
        None => listing.files.push(file),
    }
    if listing.files.len() > max_files { Err(IndexError::TooManyFiles(max_files)) } else { Ok(()) }
}

/// Why the built-in rules leave a file out, unless the project's own take it back in.
fn left_out(rules: &OwnRules, path: &RepoPath) -> Option<&'static str> {
    ignore_rules::reason(path).filter(|_| !rules.keeps(path.as_str()))
}

fn sort(listing: &mut Listing) {
    listing.files.sort_by(|a, b| a.path.cmp(&b.path));
    listing.skipped.sort();
    listing.folders.sort();
    listing.warnings.sort();
}

fn to_slashes(text: &str) -> String {
    if std::path::MAIN_SEPARATOR == '/' { text.to_owned() } else { text.replace(std::path::MAIN_SEPARATOR, "/") }
}

/// What a `stat` says about a file.
pub fn stat(metadata: &fs::Metadata) -> FileStat {
    #[cfg(unix)]
    let (mtime, inode) = {
        use std::os::unix::fs::MetadataExt;
        (metadata.mtime().saturating_mul(1_000_000_000).saturating_add(metadata.mtime_nsec()), metadata.ino())
    };
    #[cfg(not(unix))]
    let (mtime, inode) = {
        let since = metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        (since.map_or(0, |since| since.as_nanos() as i64), 0)
    };
    FileStat { size: metadata.len(), mtime, inode }
}

/// A `.cruxeignore` of the project.
#[derive(Clone)]
struct OwnRules {
    /// Where it stands; empty for the root.
    folder: String,
    rules: Gitignore,
    /// Patterns that take back in what the built-in rules leave out.
    kept: Vec<String>,
}

impl OwnRules {
    fn of_root(root: &Path) -> OwnRules {
        OwnRules::from_text("", &fs::read_to_string(root.join(IGNORE_FILE)).unwrap_or_default())
    }

    fn none() -> OwnRules {
        OwnRules { folder: String::new(), rules: Gitignore::empty(), kept: Vec::new() }
    }

    fn from_text(folder: &str, text: &str) -> OwnRules {
        let mut builder = GitignoreBuilder::new("");
        for line in text.lines() {
            // A line that is no pattern matches nothing; git does the same.
            let _ = builder.add_line(None, line);
        }
        let kept = text.lines().filter_map(|line| line.trim().strip_prefix('!')).map(str::to_owned).collect();
        OwnRules { folder: folder.to_owned(), rules: builder.build().unwrap_or_else(|_| Gitignore::empty()), kept }
    }

    fn keeps(&self, path: &str) -> bool {
        self.rules.matched_path_or_any_parents(path, false).is_whitelist()
    }

    /// Whether it hides a path of the project, which may lie outside its folder.
    fn ignores_below(&self, path: &RepoPath) -> bool {
        let inside = match self.folder.as_str() {
            "" => Some(path.as_str()),
            folder => path.as_str().strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')),
        };
        inside.is_some_and(|path| self.rules.matched_path_or_any_parents(path, false).is_ignore())
    }

    /// Whether a pattern could take something below a folder of this name back in.
    fn may_keep(&self, folder: &str) -> bool {
        self.kept.iter().any(|pattern| pattern.split('/').any(|part| part == folder))
    }
}

#[cfg(test)]
mod tests {
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
        work_tree(root, &[], 1000).unwrap().files.into_iter().map(|file| file.path.into()).collect()
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
        let listing = work_tree(root.path(), &tracked, 1000).unwrap();
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

    #[test]
    fn a_walk_that_is_too_large_stops() {
        let root = tree(&[("a.rs", ""), ("b.rs", ""), ("c.rs", "")]);
        assert!(matches!(work_tree(root.path(), &[], 2), Err(IndexError::TooManyFiles(2))));
    }
}
