//! Walks a work tree on several threads: nearly all of it is waiting for the system, one call after the other.
//!
//! Every folder is opened beneath the root and without following links, so a folder whose place a link takes during the
//! walk leads nowhere.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cruxe_files::{Entry, FileError, Kind, Root};
use cruxe_model::{RepoPath, SkipReason};
use parking_lot::{Condvar, Mutex};

use crate::error::IndexError;
use crate::ignore_rules;
use crate::rules::{self, EXCLUDE_FILE, GIT_IGNORE_FILE, IGNORE_FILE, OwnRules, Rules};
use crate::scan::{self, Listing, ScanFile};

/// A walk of a work tree.
pub(crate) struct Walk<'a> {
    root: &'a Root,
    /// What the project's own rules take back in.
    own: &'a OwnRules,
    max_files: usize,
    files: AtomicUsize,
    pending: Mutex<Pending>,
    news: Condvar,
}

/// Folders that nobody has looked into yet.
struct Pending {
    folders: Vec<(String, Arc<Rules>)>,
    /// Threads that may still add some.
    busy: usize,
}

/// What the names in a folder say about its rules.
struct RuleFiles {
    own: bool,
    git: bool,
    /// It is the root of another repository.
    repository: bool,
}

impl<'a> Walk<'a> {
    pub fn new(root: &'a Root, own: &'a OwnRules, max_files: usize) -> Walk<'a> {
        let pending = Mutex::new(Pending { folders: Vec::new(), busy: 0 });
        Walk { root, own, max_files, files: AtomicUsize::new(0), pending, news: Condvar::new() }
    }

    /// Lists what is below the root, as far as `rules`, the files like them on the way, and the built-in rules let it.
    pub fn run(self, rules: Arc<Rules>) -> Result<Listing, IndexError> {
        self.lock().folders.push((String::new(), rules));
        let threads = std::thread::available_parallelism().map_or(2, usize::from).min(8);
        let parts: Vec<Listing> = std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(|| self.work())).collect();
            let own = self.work();
            std::iter::once(own).chain(others.into_iter().filter_map(|other| other.join().ok())).collect()
        });
        let mut listing = Listing::default();
        for part in parts {
            listing.files.extend(part.files);
            listing.skipped.extend(part.skipped);
            listing.folders.extend(part.folders);
            listing.warnings.extend(part.warnings);
            listing.consulted.extend(part.consulted);
        }
        if listing.files.len() > self.max_files { Err(IndexError::TooManyFiles(self.max_files)) } else { Ok(listing) }
    }

    fn lock(&self) -> parking_lot::MutexGuard<'_, Pending> {
        self.pending.lock()
    }

    /// Looks into folders until there are none.
    fn work(&self) -> Listing {
        let mut listing = Listing::default();
        let mut pending = self.lock();
        loop {
            match pending.folders.pop() {
                Some((folder, rules)) => {
                    pending.busy += 1;
                    drop(pending);
                    let below = self.look_into(&folder, &rules, &mut listing);
                    pending = self.lock();
                    pending.busy -= 1;
                    if self.files.load(Ordering::Relaxed) > self.max_files {
                        pending.folders.clear();
                    } else {
                        pending.folders.extend(below);
                    }
                    self.news.notify_all();
                }
                None if pending.busy == 0 => return listing,
                None => self.news.wait(&mut pending),
            }
        }
    }

    /// Lists a folder; returns those in it that are to be looked into.
    fn look_into(&self, path: &str, above: &Arc<Rules>, listing: &mut Listing) -> Vec<(String, Arc<Rules>)> {
        let listed = self.root.subfolder(path).and_then(|folder| Ok((folder.list("")?, folder)));
        let (entries, folder) = match listed {
            Ok(listed) => listed,
            Err(problem) => {
                note_unreadable(listing, path, &problem);
                return Vec::new();
            }
        };
        let rules = match self.rules_of(path, &folder, &entries, above, listing) {
            Ok(rules) => rules,
            Err(problem) => {
                let text = format!("{problem}; what is beside it is left out");
                skip_unreadable(listing, path, text);
                return Vec::new();
            }
        };
        listing.folders.push(path.to_owned());
        let mut below = Vec::new();
        for entry in entries {
            let Some(full) = entry.name.to_str().map(|name| join(path, name)) else {
                let shown = join(path, &entry.name.to_string_lossy());
                listing.warnings.push(format!("{shown}: the path is not UTF-8; skipped"));
                continue;
            };
            match entry.kind {
                Kind::Folder if self.enters(&entry.name) && !rules.ignore(&full, true) => {
                    below.push((full, Arc::clone(&rules)));
                }
                Kind::File if !rules.ignore(&full, false) => self.take(&folder, &entry.name, &full, listing),
                _ => {} // links are not followed: their targets are walked where they are, or lie outside
            }
        }
        below
    }

    fn enters(&self, name: &OsStr) -> bool {
        let name = name.to_str().unwrap_or_default();
        ignore_rules::folder_reason(name).is_none() || self.own.may_keep(name)
    }

    fn take(&self, folder: &Root, name: &OsStr, path: &str, listing: &mut Listing) {
        let Ok(path) = RepoPath::from_walk(path) else {
            listing.warnings.push(format!("{path}: not a usable path; skipped"));
            return;
        };
        if let Some(why) = scan::left_out(self.own, &path) {
            listing.skipped.push((path, why));
            return;
        }
        // A file that went away during the walk is none.
        if let Ok(Some(meta)) = folder.meta(name)
            && meta.kind == Kind::File
        {
            self.files.fetch_add(1, Ordering::Relaxed);
            listing.files.push(ScanFile::new(path, &meta));
        }
    }

    /// The rules that hold in a folder. Fails where a pipe or a device is in an ignore file's place: what it would hide is
    /// not known.
    fn rules_of(
        &self,
        path: &str,
        folder: &Root,
        entries: &[Entry],
        above: &Arc<Rules>,
        listing: &mut Listing,
    ) -> Result<Arc<Rules>, FileError> {
        let found = RuleFiles::among(entries);
        let mut read = |is_there: bool, name: &str| -> Result<String, FileError> {
            if !is_there {
                return Ok(String::new());
            }
            listing.consulted.push(join(path, name));
            match rules::read(folder, name) {
                Err(FileError::NotAFile { kind, .. }) if kind != Kind::Folder => {
                    Err(FileError::NotAFile { path: join(path, name).into(), kind })
                }
                Err(problem) => {
                    listing.warnings.push(format!("{} is not read: {problem}", join(path, name)));
                    Ok(String::new())
                }
                text => text,
            }
        };
        let own = read(found.own, IGNORE_FILE)?;
        let git = read(found.git, GIT_IGNORE_FILE)?;
        let exclude = read(found.repository && !path.is_empty(), &format!(".git/{EXCLUDE_FILE}"))?;
        Ok(Rules::new(Some(Arc::clone(above)), path, &own, &git, &exclude))
    }
}

impl RuleFiles {
    fn among(entries: &[Entry]) -> RuleFiles {
        let mut found = RuleFiles { own: false, git: false, repository: false };
        for entry in entries {
            match entry.name.to_str() {
                Some(IGNORE_FILE) => found.own = true,
                Some(GIT_IGNORE_FILE) => found.git = true,
                Some(".git") => found.repository = entry.kind == Kind::Folder,
                _ => {}
            }
        }
        found
    }
}

pub(crate) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// A folder that may not be listed is not an empty one; one that went away during the walk is none.
fn note_unreadable(listing: &mut Listing, path: &str, problem: &FileError) {
    let gone = matches!(problem.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    if !gone && !matches!(problem, FileError::Link { .. }) {
        skip_unreadable(listing, path, format!("{path}: {problem}"));
    }
}

fn skip_unreadable(listing: &mut Listing, path: &str, problem: String) {
    // It is watched all the same: that it may be read again is a change of its own.
    listing.folders.push(path.to_owned());
    if let Ok(path) = RepoPath::from_walk(path) {
        listing.skipped.push((path, SkipReason::Unreadable));
    }
    listing.warnings.push(problem);
}
