//! One writer of cards at a time.
//!
//! The lock is the kernel's, so that it ends with its process; the process id in the file is for messages only.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::error::DeckError;

/// How long a writer waits for another: a change of a card takes a millisecond or two.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// Where the lock is, relative to the root of the workspace.
pub const LOCK_FILE: &str = ".cuedeck/.cache/lock";

/// Held by whoever changes cards.
#[derive(Debug)]
pub struct DeckLock {
    _file: File,
}

impl DeckLock {
    pub(crate) fn acquire(root: &Path, patience: Duration) -> Result<DeckLock, DeckError> {
        let path = root.join(LOCK_FILE);
        let deadline = Instant::now() + patience;
        loop {
            if let Some(file) = attempt(&path)? {
                return Ok(DeckLock { _file: file });
            }
            if Instant::now() >= deadline {
                let holder_pid = fs::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok());
                return Err(DeckError::Locked { lock_file: LOCK_FILE.to_owned(), holder_pid });
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

fn attempt(path: &Path) -> Result<Option<File>, DeckError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(DeckError::io(folder))?;
    }
    let open = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path);
    let mut file = match open {
        // Somebody cleaned the folder away between the two lines above.
        Err(problem) if problem.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        open => open.map_err(DeckError::io(path))?,
    };
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(source)) => return Err(DeckError::Io { path: path.to_owned(), source }),
    }
    // Whoever cleans the cache removes the file while holding its lock: a lock on what is no longer there is none.
    if !is_at(&file, path) {
        return Ok(None);
    }
    sign(&mut file).map_err(DeckError::io(path))?;
    Ok(Some(file))
}

/// Writes who holds the lock, unless it stands there already.
fn sign(file: &mut File) -> std::io::Result<()> {
    let own = std::process::id().to_string();
    let mut known = String::new();
    file.read_to_string(&mut known).or_else(|_| file.set_len(0).map(|()| 0))?;
    if known == own {
        return Ok(());
    }
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(own.as_bytes())
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    file.metadata().map(id).ok() == fs::metadata(path).map(id).ok()
}

#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_writer_is_told_who_is_first() {
        let root = tempfile::tempdir().unwrap();
        let held = DeckLock::acquire(root.path(), PATIENCE).unwrap();
        match DeckLock::acquire(root.path(), Duration::ZERO) {
            Err(DeckError::Locked { lock_file, holder_pid }) => {
                assert_eq!((lock_file.as_str(), holder_pid), (".cuedeck/.cache/lock", Some(std::process::id())));
            }
            other => panic!("{other:?}"),
        }
        drop(held);
        DeckLock::acquire(root.path(), Duration::ZERO).unwrap();
    }

    #[test]
    fn a_lock_file_that_somebody_left_behind_locks_nothing() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join(".cuedeck/.cache")).unwrap();
        fs::write(root.path().join(LOCK_FILE), "99999999 and more").unwrap();
        DeckLock::acquire(root.path(), Duration::ZERO).unwrap();
        assert_eq!(fs::read_to_string(root.path().join(LOCK_FILE)).unwrap(), std::process::id().to_string());
    }
}
