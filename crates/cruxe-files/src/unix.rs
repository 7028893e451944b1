//! Folders as open handles, through which the kernel is asked about one name at a time.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{self, AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::{Entry, Kind, Meta};

/// An open folder.
#[derive(Debug)]
pub(crate) struct Folder {
    handle: OwnedFd,
}

/// What a file is opened for.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    Read,
    Lock,
}

#[cfg(test)]
thread_local! {
    /// Whether tests of this thread see what a kernel without `openat2` does.
    pub(crate) static STEPWISE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// To be in a folder does not need the right to list it.
#[cfg(any(target_os = "linux", target_os = "android"))]
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// A pipe must not make us wait, and a terminal must not become ours.
const FILE: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);

impl Folder {
    pub(crate) fn open(path: &Path) -> io::Result<Folder> {
        Ok(Folder { handle: fs::open(path, FOLDER, Mode::empty())? })
    }

    pub(crate) fn subfolder(&self, path: &Path) -> io::Result<Folder> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        Ok(Folder { handle: self.beneath(path, FOLDER | OFlags::NOFOLLOW, Mode::empty())? })
    }

    pub(crate) fn open_file(&self, path: &Path, access: Access) -> io::Result<File> {
        let flags = match access {
            Access::Read => OFlags::RDONLY,
            Access::Lock => OFlags::RDWR | OFlags::CREATE,
        };
        Ok(File::from(self.beneath(path, flags | FILE, Mode::from_raw_mode(0o666))?))
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn beneath(&self, path: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        let resolve = fs::ResolveFlags::BENEATH | fs::ResolveFlags::NO_SYMLINKS;
        // The kernel takes a mode only where a file may be created.
        let mode = if flags.contains(OFlags::CREATE) { mode } else { Mode::empty() };
        #[cfg(test)]
        if STEPWISE.get() {
            return self.step_by_step(path, flags, mode);
        }
        match fs::openat2(&self.handle, path, flags, mode, resolve) {
            // Kernels before 5.6 do not know it, and some sandboxes forbid it.
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => self.step_by_step(path, flags, mode),
            opened => Ok(opened?),
        }
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn beneath(&self, path: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        self.step_by_step(path, flags, mode)
    }

    /// Opens one folder after the other, none of them through a link.
    fn step_by_step(&self, path: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        let mut parts = path.iter().peekable();
        let mut at: Option<OwnedFd> = None;
        while let Some(part) = parts.next() {
            let from = at.as_ref().unwrap_or(&self.handle);
            if parts.peek().is_none() {
                return Ok(fs::openat(from, part, flags | OFlags::NOFOLLOW, mode)?);
            }
            at = Some(fs::openat(from, part, FOLDER | OFlags::NOFOLLOW, Mode::empty())?);
        }
        Err(Errno::NOENT.into())
    }

    pub(crate) fn meta(&self, name: &OsStr) -> io::Result<Meta> {
        let stat = fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW)?;
        // The fields have other widths on other systems.
        #[allow(clippy::unnecessary_cast)]
        let (seconds, nanos) = (stat.st_mtime as i64, stat.st_mtime_nsec as u32);
        #[allow(clippy::unnecessary_cast)]
        let changed_ns = (stat.st_ctime as i64).saturating_mul(1_000_000_000).saturating_add(stat.st_ctime_nsec as i64);
        #[allow(clippy::unnecessary_cast)]
        Ok(Meta {
            kind: kind(FileType::from_raw_mode(stat.st_mode)),
            size: stat.st_size as u64,
            modified: moment(seconds, nanos),
            changed_ns,
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            names: stat.st_nlink as u64,
            mode: stat.st_mode as u32 & 0o7777,
        })
    }

    pub(crate) fn target(&self, name: &OsStr) -> io::Result<PathBuf> {
        let target = fs::readlinkat(&self.handle, name, Vec::new())?;
        Ok(PathBuf::from(OsStr::from_bytes(target.as_bytes())))
    }

    pub(crate) fn list(&self) -> io::Result<Vec<Entry>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let listed = Dir::new(fs::openat(&self.handle, ".", flags, Mode::empty())?)?;
        let mut entries = Vec::new();
        for entry in listed {
            let entry = entry?;
            let name: OsString = OsStr::from_bytes(entry.file_name().to_bytes()).to_owned();
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => match self.meta(&name) {
                    Ok(meta) => meta.kind,
                    Err(_) => continue, // gone since
                },
                known => kind(known),
            };
            entries.push(Entry { name, kind });
        }
        Ok(entries)
    }

    pub(crate) fn create_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::mkdirat(&self.handle, name, Mode::from_raw_mode(0o777))?)
    }

    /// Makes a file that was not there, with these permissions, or those that the user gives new files.
    pub(crate) fn create_new(&self, name: &OsStr, mode: Option<u32>) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | FILE;
        // Nobody may read it before it has the permissions of what it replaces.
        let at_first = Mode::from_raw_mode(if mode.is_some() { 0o600 } else { 0o666 });
        let file = fs::openat(&self.handle, name, flags, at_first)?;
        if let Some(mode) = mode {
            #[allow(clippy::unnecessary_cast)]
            fs::fchmod(&file, Mode::from_raw_mode(mode as fs::RawMode))?;
        }
        Ok(File::from(file))
    }

    pub(crate) fn rename(&self, from: &OsStr, folder: &Folder, to: &OsStr) -> io::Result<()> {
        Ok(fs::renameat(&self.handle, from, &folder.handle, to)?)
    }

    /// Renames where nothing has the new name yet; returns whether that was so.
    pub(crate) fn rename_new(&self, from: &OsStr, folder: &Folder, to: &OsStr) -> io::Result<bool> {
        // Every system has `link`, which never replaces; not every disk has it.
        match fs::linkat(&self.handle, from, &folder.handle, to, AtFlags::empty()) {
            Ok(()) => {
                self.remove_file(from)?;
                Ok(true)
            }
            Err(Errno::EXIST) => Ok(false),
            #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) => {
                match fs::renameat_with(&self.handle, from, &folder.handle, to, fs::RenameFlags::NOREPLACE) {
                    Err(Errno::EXIST) => Ok(false),
                    renamed => Ok(renamed.map(|()| true)?),
                }
            }
            Err(problem) => Err(problem.into()),
        }
    }

    pub(crate) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::unlinkat(&self.handle, name, AtFlags::empty())?)
    }

    pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::unlinkat(&self.handle, name, AtFlags::REMOVEDIR)?)
    }
}

/// Every name is a plain one here.
pub(crate) fn is_plain(_name: &OsStr) -> bool {
    true
}

fn moment(seconds: i64, nanos: u32) -> Option<SystemTime> {
    let whole = match u64::try_from(seconds) {
        Ok(seconds) => UNIX_EPOCH.checked_add(Duration::from_secs(seconds)),
        Err(_) => UNIX_EPOCH.checked_sub(Duration::from_secs(seconds.unsigned_abs())),
    };
    whole?.checked_add(Duration::from_nanos(nanos.into()))
}

fn kind(found: FileType) -> Kind {
    match found {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Link,
        FileType::Fifo => Kind::Pipe,
        FileType::Socket => Kind::Socket,
        _ => Kind::Device,
    }
}
