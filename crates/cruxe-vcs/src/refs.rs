//! Reading refs from disk: loose files first, then `packed-refs`.
//!
//! Not gix's own ref store, for two reasons that both matter to a process that stays open while others commit. It
//! loads `packed-refs` before it looks for the loose file, so a `git pack-refs` in between makes a branch vanish; and
//! it takes `packed-refs` as unchanged while its modification time is the same, which on many file systems covers
//! several milliseconds.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use cruxe_model::ContentHash;
use gix::bstr::ByteSlice;
use gix::refs::{FullName, FullNameRef, packed};
use parking_lot::Mutex;

use crate::error::{VcsError, reason};
use crate::guard::{self, is_absent};
use crate::object::full_id;

pub(crate) struct Refs {
    pub git_dir: PathBuf,
    pub common_dir: PathBuf,
    pub format: gix::hash::Kind,
    packed: Mutex<Option<Packed>>,
}

struct Packed {
    stamp: Stamp,
    refs: Arc<packed::Buffer>,
    /// Kept open so that the system cannot give the file's number to the file that replaces it.
    #[cfg(unix)]
    _file: File,
}

enum Target {
    Object(ContentHash),
    Ref(FullName),
}

/// Symbolic refs that point at symbolic refs are followed this far, as in git.
const MAX_DEPTH: usize = 5;

/// A loose ref is an id or a name; whatever is longer than this is not a ref.
const MAX_REF_BYTES: u64 = 8 * 1024;

impl Refs {
    pub fn new(git_dir: PathBuf, common_dir: PathBuf, format: gix::hash::Kind) -> Refs {
        Refs { git_dir, common_dir, format, packed: Mutex::new(None) }
    }

    /// Follows `name` to the ref at the end of the chain and the object that it names; no object when that ref does
    /// not exist, which for `HEAD` means a branch without a commit.
    pub fn follow(&self, name: &str) -> Result<(FullName, Option<ContentHash>), VcsError> {
        let mut name = FullName::try_from(name).map_err(|error| self.damaged(name, error.to_string()))?;
        for _ in 0..MAX_DEPTH {
            match self.read(name.as_ref())? {
                None => return Ok((name, None)),
                Some(Target::Object(id)) => return Ok((name, Some(id))),
                Some(Target::Ref(next)) => name = next,
            }
        }
        Err(self.damaged(&name.as_bstr().to_str_lossy(), format!("more than {MAX_DEPTH} symbolic refs in a row")))
    }

    /// Whether the ref leads to an object.
    pub fn exists(&self, name: &str) -> Result<bool, VcsError> {
        Ok(FullName::try_from(name).is_ok() && self.follow(name)?.1.is_some())
    }

    /// The names after `prefix` of all refs that start with it; `prefix` ends with a slash.
    pub fn names_under(&self, prefix: &str) -> Result<BTreeSet<String>, VcsError> {
        let mut names = BTreeSet::new();
        let mut folders = vec![prefix.to_owned()];
        while let Some(folder) = folders.pop() {
            let path = self.common_dir.join(&folder);
            let entries = match fs::read_dir(&path) {
                Ok(entries) => entries,
                Err(error) if is_absent(&error) => continue,
                Err(error) => return Err(VcsError::read(&path, &error)),
            };
            for entry in entries {
                let entry = entry.map_err(|error| VcsError::read(&path, &error))?;
                // A name that is not UTF-8 cannot be asked for either.
                let Ok(file_name) = entry.file_name().into_string() else { continue };
                let name = format!("{folder}{file_name}");
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(name + "/");
                } else if FullName::try_from(name.as_str()).is_ok() {
                    names.extend(name.strip_prefix(prefix).map(str::to_owned));
                }
            }
        }
        if let Some(packed) = self.packed()? {
            let damaged = |error| self.damaged("packed-refs", reason(&error));
            for packed_ref in packed.iter_prefixed(prefix.into()).map_err(damaged)? {
                let name = packed_ref.map_err(damaged)?.name;
                names
                    .extend(name.as_bstr().to_str().ok().and_then(|name| name.strip_prefix(prefix)).map(str::to_owned));
            }
        }
        Ok(names)
    }

    fn read(&self, name: &FullNameRef) -> Result<Option<Target>, VcsError> {
        // The loose file wins, and has to be looked for first: `git pack-refs` writes `packed-refs` before it
        // deletes the loose file, so in this order a ref is never missed.
        match self.read_loose(name)? {
            Some(target) => Ok(Some(target)),
            None => Ok(self.read_packed(name)?.map(Target::Object)),
        }
    }

    fn read_loose(&self, name: &FullNameRef) -> Result<Option<Target>, VcsError> {
        let text_name = name.as_bstr().to_str_lossy();
        let base = if is_of_one_work_tree(&text_name) { &self.git_dir } else { &self.common_dir };
        let path = base.join(name.to_path().map_err(|error| self.damaged(&text_name, reason(&error)))?);
        let bytes = match read_start(&path) {
            Ok(bytes) => bytes,
            Err(error) if is_absent(&error) || path.is_dir() => return Ok(None),
            Err(error) => return Err(VcsError::read(&path, &error)),
        };
        let damaged = |reason: &str| self.damaged(&text_name, reason.to_owned());
        if let Some(target) = bytes.strip_prefix(b"ref:") {
            let target = FullName::try_from(target.trim().as_bstr()).map_err(|error| damaged(&error.to_string()))?;
            return Ok(Some(Target::Ref(target)));
        }
        // `FETCH_HEAD` goes on after the id.
        let id = bytes.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        match full_id(id, self.format) {
            Some(id) => Ok(Some(Target::Object(id))),
            None => Err(damaged("it holds neither an object id nor the name of another ref")),
        }
    }

    fn read_packed(&self, name: &FullNameRef) -> Result<Option<ContentHash>, VcsError> {
        let Some(packed) = self.packed()?.filter(|_| name.as_bstr().starts_with(b"refs/")) else { return Ok(None) };
        let found = packed.try_find(name.as_partial_name());
        let found = found.map_err(|error: gix::Error| self.damaged("packed-refs", reason(&error)))?;
        Ok(found.and_then(|packed_ref| full_id(packed_ref.target, self.format)))
    }

    /// The current content of `packed-refs`, read again only when the file was replaced or changed.
    fn packed(&self) -> Result<Option<Arc<packed::Buffer>>, VcsError> {
        let path = self.common_dir.join("packed-refs");
        let mut cached = self.packed.lock();
        match fs::metadata(&path) {
            Ok(now) if cached.as_ref().is_some_and(|packed| packed.stamp == Stamp::of(&now)) => {}
            Ok(_) => *cached = self.load_packed(&path)?,
            Err(error) if is_absent(&error) => *cached = None,
            Err(error) => return Err(VcsError::read(&path, &error)),
        }
        Ok(cached.as_ref().map(|packed| Arc::clone(&packed.refs)))
    }

    fn load_packed(&self, path: &Path) -> Result<Option<Packed>, VcsError> {
        let mut bytes = Vec::new();
        let read = guard::open(path, guard::LIST).and_then(|file| {
            // The stamp is of the opened file and from before the read: should the file be replaced or grow now,
            // the next look sees another stamp and reads again.
            let stamp = Stamp::of(&file.metadata()?);
            (&file).take(guard::LIST).read_to_end(&mut bytes)?;
            Ok((file, stamp))
        });
        let (file, stamp) = match read {
            Ok(read) => read,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(VcsError::read(path, &error)),
        };
        let refs = packed::Buffer::from_bytes(&bytes, self.format)
            .map_err(|error| self.damaged("packed-refs", reason(&error)))?;
        #[cfg(not(unix))]
        drop(file);
        Ok(Some(Packed {
            stamp,
            refs: Arc::new(refs),
            #[cfg(unix)]
            _file: file,
        }))
    }

    fn damaged(&self, name: &str, reason: String) -> VcsError {
        VcsError::DamagedRef { name: name.to_owned(), git_dir: self.git_dir.clone(), reason }
    }
}

/// What changes when a file is replaced by another or written to.
#[derive(PartialEq, Eq)]
pub(crate) struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
    #[cfg(unix)]
    file: (u64, u64),
    #[cfg(unix)]
    changed: (i64, i64),
}

impl Stamp {
    pub fn of(metadata: &Metadata) -> Stamp {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;
        Stamp {
            len: metadata.len(),
            modified: metadata.modified().ok(),
            #[cfg(unix)]
            file: (metadata.dev(), metadata.ino()),
            #[cfg(unix)]
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// Whether each linked work tree has its own ref of this name.
fn is_of_one_work_tree(name: &str) -> bool {
    const OWN: [&str; 3] = ["refs/bisect/", "refs/worktree/", "refs/rewritten/"];
    !name.starts_with("refs/") || OWN.iter().any(|prefix| name.starts_with(prefix))
}

fn read_start(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(128);
    guard::open(path, u64::MAX)?.take(MAX_REF_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}
