//! Folders by their paths, for Windows: what leads elsewhere is refused at every part of a path, and the last part is opened
//! without following it. Whoever may change folders at the same moment could win a race; a repository alone cannot.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::{Entry, Kind, Meta};

/// A folder that was there when it was looked at.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

/// What a file is opened for.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    Read,
    Lock,
}

impl Folder {
    pub(crate) fn open(path: &Path) -> io::Result<Folder> {
        let path = path.canonicalize()?;
        if path.is_dir() { Ok(Folder { path }) } else { Err(io::ErrorKind::NotADirectory.into()) }
    }

    pub(crate) fn subfolder(&self, path: &Path) -> io::Result<Folder> {
        let mut at = self.path.clone();
        for part in path.iter() {
            at.push(part);
            match look(&at)?.kind {
                Kind::Folder => {}
                _ => return Err(io::ErrorKind::NotADirectory.into()),
            }
        }
        Ok(Folder { path: at })
    }

    pub(crate) fn open_file(&self, path: &Path, access: Access) -> io::Result<File> {
        let folder = self.subfolder(path.parent().unwrap_or(Path::new("")))?;
        let place = folder.path.join(path.file_name().ok_or(io::ErrorKind::InvalidInput)?);
        let mut options = OpenOptions::new();
        match access {
            Access::Read => options.read(true),
            Access::Lock => options.read(true).write(true).create(true).truncate(false),
        };
        not_through_links(&mut options);
        match look(&place) {
            Ok(meta) if meta.kind != Kind::File => return Err(io::ErrorKind::InvalidInput.into()),
            Err(problem) if problem.kind() != io::ErrorKind::NotFound => return Err(problem),
            _ => {}
        }
        let file = options.open(place)?;
        if leads_elsewhere(&file.metadata()?) { Err(io::ErrorKind::InvalidInput.into()) } else { Ok(file) }
    }

    pub(crate) fn meta(&self, name: &OsStr) -> io::Result<Meta> {
        look(&self.path.join(name))
    }

    pub(crate) fn target(&self, name: &OsStr) -> io::Result<PathBuf> {
        fs::read_link(self.path.join(name))
    }

    pub(crate) fn list(&self) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            if let Ok(meta) = look(&entry.path()) {
                entries.push(Entry { name: entry.file_name(), kind: meta.kind });
            }
        }
        Ok(entries)
    }

    pub(crate) fn create_folder(&self, name: &OsStr) -> io::Result<()> {
        fs::create_dir(self.path.join(name))
    }

    pub(crate) fn create_new(&self, name: &OsStr, _mode: Option<u32>) -> io::Result<File> {
        let mut options = OpenOptions::new();
        not_through_links(options.write(true).create_new(true));
        options.open(self.path.join(name))
    }

    pub(crate) fn rename(&self, from: &OsStr, folder: &Folder, to: &OsStr) -> io::Result<()> {
        fs::rename(self.path.join(from), folder.path.join(to))
    }

    pub(crate) fn rename_new(&self, from: &OsStr, folder: &Folder, to: &OsStr) -> io::Result<bool> {
        match fs::hard_link(self.path.join(from), folder.path.join(to)) {
            Ok(()) => {
                self.remove_file(from)?;
                Ok(true)
            }
            Err(problem) if problem.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(problem) => Err(problem),
        }
    }

    pub(crate) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_dir(self.path.join(name))
    }
}

/// Refuses names that Windows reads as something else: streams (`a:b`), devices (`NUL`), and what it cuts off at the end.
pub(crate) fn is_plain(name: &OsStr) -> bool {
    const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
    let name = name.to_string_lossy().to_lowercase();
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let numbered = ["com", "lpt"].iter().any(|port| {
        stem.strip_prefix(port).is_some_and(|rest| rest.chars().count() == 1 && !rest.chars().all(char::is_alphabetic))
    });
    !name.contains(':') && !name.ends_with(['.', ' ']) && !DEVICES.contains(&stem) && !numbered
}

fn look(path: &Path) -> io::Result<Meta> {
    let metadata = fs::symlink_metadata(path)?;
    let meta = Meta::of(&metadata);
    Ok(if leads_elsewhere(&metadata) { Meta { kind: Kind::Link, ..meta } } else { meta })
}

/// Junctions and mount points are not what `std` calls a link, but lead elsewhere all the same.
#[cfg(windows)]
fn leads_elsewhere(metadata: &fs::Metadata) -> bool {
    const REPARSE_POINT: u32 = 0x400;
    std::os::windows::fs::MetadataExt::file_attributes(metadata) & REPARSE_POINT != 0
}

#[cfg(not(windows))]
fn leads_elsewhere(metadata: &fs::Metadata) -> bool {
    metadata.is_symlink()
}

fn not_through_links(options: &mut OpenOptions) {
    #[cfg(windows)]
    {
        const OPEN_REPARSE_POINT: u32 = 0x0020_0000;
        std::os::windows::fs::OpenOptionsExt::custom_flags(options, OPEN_REPARSE_POINT);
    }
    #[cfg(not(windows))]
    let _ = options;
}
