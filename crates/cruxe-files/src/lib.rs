//! Files of a folder that somebody else filled: a repository that was cloned is not trusted.
//!
//! A [`Root`] is an opened folder, and everything is done relative to it: a path cannot climb out of it, no link is followed at
//! any place of a path, and nothing but a regular file is opened. What is checked and what is used is the same open folder, so
//! a link that takes a folder's place between two calls leads nowhere.
//!
//! Deliberately absent: following links "when they stay inside", and any idea of what the files mean.
//! Files of the user's own (home, index) do not go through here: who links those means it.

mod error;
mod meta;
#[cfg(not(unix))]
#[path = "other.rs"]
mod system;
#[cfg(unix)]
#[path = "unix.rs"]
mod system;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write as _};
use std::ops::Deref;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

pub use error::FileError;
pub use meta::{Kind, Meta};

/// A path that leads over more links than this goes round in circles.
const MAX_LINKS: usize = 16;

/// An opened folder whose files are read and written without following links.
#[derive(Debug)]
pub struct Root {
    folder: system::Folder,
    path: PathBuf,
}

/// What is done where a file is already there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and nothing is written.
    Keep,
    /// It is replaced, and its permissions are kept.
    Replace,
}

/// What is in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: OsString,
    /// What it is; a link is a link.
    pub kind: Kind,
}

/// The folder that a file is in.
enum Above<'a> {
    Root(&'a system::Folder),
    Opened(system::Folder),
}

impl Deref for Above<'_> {
    type Target = system::Folder;
    fn deref(&self) -> &system::Folder {
        match self {
            Above::Root(folder) => folder,
            Above::Opened(folder) => folder,
        }
    }
}

impl Root {
    /// Opens a folder. Whoever names it answers for it, so the way to it may lead over links.
    pub fn open(path: impl Into<PathBuf>) -> Result<Root, FileError> {
        let path = path.into();
        let folder = system::Folder::open(&path).map_err(|source| FileError::io(&path, source))?;
        Ok(Root { folder, path })
    }

    /// Returns the folder's path as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a regular file for reading. A pipe or a device is refused without waiting for it.
    pub fn file(&self, path: impl AsRef<Path>) -> Result<File, FileError> {
        self.file_with_meta(path.as_ref()).map(|(file, _)| file)
    }

    fn file_with_meta(&self, path: &Path) -> Result<(File, Meta), FileError> {
        let path = tidy(path)?;
        let file =
            self.folder.open_file(&path, system::Access::Read).map_err(|problem| self.explain(&path, problem))?;
        let meta = only_regular(&path, &file)?;
        Ok((file, meta))
    }

    /// Reads a whole file of at most `limit` bytes. A larger one is an error, and is not read to its end.
    pub fn read(&self, path: impl AsRef<Path>, limit: u64) -> Result<Vec<u8>, FileError> {
        self.read_with_meta(path, limit).map(|(bytes, _)| bytes)
    }

    /// The same with what the file's `stat` said before it was read.
    pub fn read_with_meta(&self, path: impl AsRef<Path>, limit: u64) -> Result<(Vec<u8>, Meta), FileError> {
        let path = path.as_ref();
        let (file, meta) = self.file_with_meta(path)?;
        let too_large = || FileError::TooLarge { path: path.to_owned(), limit };
        if meta.size > limit {
            return Err(too_large());
        }
        // The size is only a hint: files of /proc have none, and a file may grow while it is read.
        let mut bytes = Vec::with_capacity(meta.size as usize);
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|source| FileError::io(path, source))?;
        if bytes.len() as u64 > limit { Err(too_large()) } else { Ok((bytes, meta)) }
    }

    /// Reads a file as text of at most `limit` bytes.
    pub fn read_to_string(&self, path: impl AsRef<Path>, limit: u64) -> Result<String, FileError> {
        let path = path.as_ref();
        let bytes = self.read(path, limit)?;
        String::from_utf8(bytes).map_err(|_| FileError::NotText { path: path.to_owned() })
    }

    /// Returns what a path leads to. The last part may be a link, which is then what is described; `None` where nothing is.
    pub fn meta(&self, path: impl AsRef<Path>) -> Result<Option<Meta>, FileError> {
        let path = tidy(path.as_ref())?;
        let found = match path.parent() {
            // Of the folder's own entries there are many to ask about.
            Some(parent) if parent.as_os_str().is_empty() => self.folder.meta(path.as_os_str()),
            _ => match self.parent(&path) {
                Err(problem) if problem.is_absent() => return Ok(None),
                parent => parent.map(|(folder, name)| folder.meta(name))?,
            },
        };
        match found {
            Ok(meta) => Ok(Some(meta)),
            Err(problem) if problem.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(problem) => Err(FileError::io(&path, problem)),
        }
    }

    /// Returns the place that a path over links leads to, as a path without any, so that it can be read. Links that lead out of
    /// the root, that are absolute, or that go on without end are refused. For reading only: who writes writes to no link.
    pub fn resolve(&self, path: impl AsRef<Path>) -> Result<PathBuf, FileError> {
        let path = tidy(path.as_ref())?;
        let refused = |at: &Path| FileError::Link { path: path.clone(), at: at.to_owned() };
        let mut place = PathBuf::new();
        let mut rest: Vec<PathBuf> = path.iter().rev().map(PathBuf::from).collect();
        let mut links = 0;
        while let Some(part) = rest.pop() {
            if part == Path::new("..") {
                if !place.pop() {
                    return Err(FileError::Outside { path });
                }
                continue;
            }
            place.push(&part);
            if !matches!(self.meta(&place)?, Some(Meta { kind: Kind::Link, .. })) {
                continue;
            }
            links += 1;
            let (folder, name) = self.parent(&place)?;
            let target = folder.target(name).map_err(|problem| FileError::io(&place, problem))?;
            if links > MAX_LINKS || target.is_absolute() || target.has_root() {
                return Err(refused(&place));
            }
            place.pop();
            rest.extend(target.iter().rev().filter(|part| *part != ".").map(PathBuf::from));
        }
        if place.as_os_str().is_empty() { Err(FileError::Outside { path }) } else { Ok(place) }
    }

    /// Returns whether a path leads to a regular file without passing a link.
    pub fn is_file(&self, path: impl AsRef<Path>) -> bool {
        matches!(self.meta(path), Ok(Some(Meta { kind: Kind::File, .. })))
    }

    /// Returns whether a path leads to a folder without passing a link.
    pub fn is_folder(&self, path: impl AsRef<Path>) -> bool {
        matches!(self.meta(path), Ok(Some(Meta { kind: Kind::Folder, .. })))
    }

    /// Lists a folder, in no order; an empty path is the root itself.
    pub fn list(&self, path: impl AsRef<Path>) -> Result<Vec<Entry>, FileError> {
        let path = tidy_or_empty(path.as_ref())?;
        self.folder(&path)?.list().map_err(|problem| FileError::io(&path, problem))
    }

    /// Opens a folder below this one, which then is a root of its own.
    pub fn subfolder(&self, path: impl AsRef<Path>) -> Result<Root, FileError> {
        let path = tidy_or_empty(path.as_ref())?;
        Ok(Root { folder: self.folder(&path)?, path: self.path.join(&path) })
    }

    /// Makes a folder and those above it, as far as they are missing.
    pub fn create_folder(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        self.made_folder(&tidy_or_empty(path.as_ref())?).map(drop)
    }

    /// Writes a whole file in one step, making its folder where that is missing: readers see what was there before or all of
    /// the new content. Returns whether it was written, which it is not where a file exists that is to be kept.
    ///
    /// A link in the file's place is refused, neither followed nor replaced.
    pub fn write(&self, path: impl AsRef<Path>, bytes: &[u8], existing: Existing) -> Result<bool, FileError> {
        let path = tidy(path.as_ref())?;
        let folder = path.parent().unwrap_or(Path::new(""));
        self.write_by(folder, &path, bytes, existing)
    }

    /// The same, with the unfinished file in another folder of the same disk: who watches the file's own folder sees one change,
    /// and a crash leaves nothing in it.
    pub fn write_by(
        &self,
        scratch: impl AsRef<Path>,
        path: impl AsRef<Path>,
        bytes: &[u8],
        existing: Existing,
    ) -> Result<bool, FileError> {
        let (path, scratch) = (tidy(path.as_ref())?, tidy_or_empty(scratch.as_ref())?);
        let name = path.file_name().ok_or_else(|| FileError::Outside { path: path.clone() })?;
        let folder = self.made_folder(path.parent().unwrap_or(Path::new("")))?;
        let failed = |problem| FileError::io(&path, problem);
        let before = match folder.meta(name) {
            Ok(meta) => Some(meta),
            Err(problem) if problem.kind() == io::ErrorKind::NotFound => None,
            Err(problem) => return Err(failed(problem)),
        };
        match before.map(|meta| meta.kind) {
            Some(Kind::Link) => return Err(FileError::Link { path: path.clone(), at: path }),
            Some(Kind::File) if existing == Existing::Keep => return Ok(false),
            Some(Kind::File) | None => {}
            Some(kind) => return Err(FileError::NotAFile { path, kind }),
        }
        let scratch = self.made_folder(&scratch)?;
        let temporary = temporary_name();
        let mode = before.map(|meta| meta.mode);
        let made = scratch.create_new(&temporary, mode).map_err(failed)?;
        let put = write_whole(made, bytes).and_then(|()| match existing {
            Existing::Replace => scratch.rename(&temporary, &folder, name).map(|()| true),
            Existing::Keep => scratch.rename_new(&temporary, &folder, name),
        });
        if !matches!(put, Ok(true)) {
            let _ = scratch.remove_file(&temporary);
        }
        put.map_err(failed)
    }

    /// Opens a file that processes lock, making it where it is missing. Its content stays.
    pub fn lock_file(&self, path: impl AsRef<Path>) -> Result<File, FileError> {
        let path = tidy(path.as_ref())?;
        self.made_folder(path.parent().unwrap_or(Path::new("")))?;
        let file =
            self.folder.open_file(&path, system::Access::Lock).map_err(|problem| self.explain(&path, problem))?;
        let meta = only_regular(&path, &file)?;
        // Who holds a lock writes its name into the file: it must not be some other file's content.
        if meta.names > 1 { Err(FileError::HardLink { path }) } else { Ok(file) }
    }

    /// Removes a file or a link, never what a link leads to. Returns whether there was one.
    pub fn remove_file(&self, path: impl AsRef<Path>) -> Result<bool, FileError> {
        let path = tidy(path.as_ref())?;
        let (folder, name) = match self.parent(&path) {
            Err(problem) if problem.is_absent() => return Ok(false),
            parent => parent?,
        };
        gone(folder.remove_file(name)).map_err(|problem| FileError::io(&path, problem))
    }

    /// Removes an empty folder. Returns whether there was one.
    pub fn remove_folder(&self, path: impl AsRef<Path>) -> Result<bool, FileError> {
        let path = tidy(path.as_ref())?;
        let (folder, name) = match self.parent(&path) {
            Err(problem) if problem.is_absent() => return Ok(false),
            parent => parent?,
        };
        gone(folder.remove_folder(name)).map_err(|problem| FileError::io(&path, problem))
    }

    /// Gives a file or folder another name. A file with that name is replaced, a link with that name is refused.
    pub fn rename(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<(), FileError> {
        let (from, to) = (tidy(from.as_ref())?, tidy(to.as_ref())?);
        let (source, old) = self.parent(&from)?;
        let (target, new) = self.parent(&to)?;
        for (path, folder, name) in [(&from, &source, old), (&to, &target, new)] {
            if folder.meta(name).is_ok_and(|meta| meta.kind == Kind::Link) {
                return Err(FileError::Link { path: path.clone(), at: path.clone() });
            }
        }
        source.rename(old, &target, new).map_err(|problem| FileError::io(&from, problem))
    }

    fn folder(&self, path: &Path) -> Result<system::Folder, FileError> {
        self.folder.subfolder(path).map_err(|problem| self.explain(path, problem))
    }

    fn parent<'p>(&self, path: &'p Path) -> Result<(Above<'_>, &'p std::ffi::OsStr), FileError> {
        let name = path.file_name().ok_or_else(|| FileError::Outside { path: path.to_owned() })?;
        match path.parent() {
            Some(above) if !above.as_os_str().is_empty() => Ok((Above::Opened(self.folder(above)?), name)),
            _ => Ok((Above::Root(&self.folder), name)),
        }
    }

    fn made_folder(&self, path: &Path) -> Result<system::Folder, FileError> {
        match self.folder(path) {
            Err(problem) if problem.is_absent() => {}
            found => return found,
        }
        let mut above = PathBuf::new();
        for part in path.components() {
            let folder = self.folder(&above)?;
            above.push(part);
            match folder.create_folder(part.as_os_str()) {
                Err(problem) if problem.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(FileError::io(&above, problem));
                }
                _ => {}
            }
        }
        self.folder(path)
    }

    /// Says why the system did not open a path: where a link is in the way it is named.
    fn explain(&self, path: &Path, problem: io::Error) -> FileError {
        if problem.kind() == io::ErrorKind::NotFound {
            return FileError::io(path, problem);
        }
        let mut at = PathBuf::new();
        for part in path.components() {
            let Ok(folder) = self.folder.subfolder(&at) else { break };
            at.push(part);
            match folder.meta(part.as_os_str()).map(|meta| meta.kind) {
                Ok(Kind::Link) => return FileError::Link { path: path.to_owned(), at },
                Ok(kind @ (Kind::Pipe | Kind::Socket | Kind::Device)) => {
                    return FileError::NotAFile { path: path.to_owned(), kind };
                }
                _ => {}
            }
        }
        FileError::io(path, problem)
    }
}

fn only_regular(path: &Path, file: &File) -> Result<Meta, FileError> {
    let meta = Meta::of(&file.metadata().map_err(|source| FileError::io(path, source))?);
    if meta.kind == Kind::File { Ok(meta) } else { Err(FileError::NotAFile { path: path.to_owned(), kind: meta.kind }) }
}

fn write_whole(mut file: File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_data()
}

fn gone(removed: io::Result<()>) -> io::Result<bool> {
    match removed {
        Ok(()) => Ok(true),
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(problem) => Err(problem),
    }
}

/// A name that no other writer uses: it is only ever created, so one that is there already is an error and nothing worse.
fn temporary_name() -> OsString {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let time =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.subsec_nanos());
    format!(".cruxe-{}-{}-{time}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)).into()
}

/// Returns the path as plain names, one behind the other.
fn tidy(path: &Path) -> Result<PathBuf, FileError> {
    let tidied = tidy_or_empty(path)?;
    if tidied.as_os_str().is_empty() { Err(FileError::Outside { path: path.to_owned() }) } else { Ok(tidied) }
}

fn tidy_or_empty(path: &Path) -> Result<PathBuf, FileError> {
    let outside = || FileError::Outside { path: path.to_owned() };
    if path.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(outside());
    }
    let mut tidied = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::Normal(name) if system::is_plain(name) => tidied.push(name),
            _ => return Err(outside()),
        }
    }
    Ok(tidied)
}
