//! One writer of cards at a time.
//!
//! The lock is the kernel's, so that it ends with its process; the process id in the file is for messages only.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::time::{Duration, Instant};

use cruxe_files::{Meta, Root};

use crate::error::DeckError;

/// How long a writer waits for another: a change of a card takes a millisecond or two.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// Where the lock is, relative to the root of the workspace.
pub const LOCK_FILE: &str = ".cuedeck/.cache/lock";

/// The number of a process is not longer; what somebody else put there is not read to its end.
const LONGEST_SIGNATURE: u64 = 64;

/// Held by whoever changes cards.
#[derive(Debug)]
pub struct DeckLock {
    _file: File,
}

impl DeckLock {
    pub(crate) fn acquire(files: &Root, patience: Duration) -> Result<DeckLock, DeckError> {
        let deadline = Instant::now() + patience;
        loop {
            if let Some(file) = attempt(files)? {
                return Ok(DeckLock { _file: file });
            }
            if Instant::now() >= deadline {
                let signature = files.read_to_string(LOCK_FILE, LONGEST_SIGNATURE);
                let holder_pid = signature.ok().and_then(|text| text.trim().parse().ok());
                return Err(DeckError::Locked { lock_file: LOCK_FILE.to_owned(), holder_pid });
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

fn attempt(files: &Root) -> Result<Option<File>, DeckError> {
    let mut file = match files.lock_file(LOCK_FILE) {
        // Somebody cleaned the folder away while it was made.
        Err(problem) if problem.is_absent() => return Ok(None),
        file => file?,
    };
    let failed = |source| DeckError::Io { path: LOCK_FILE.into(), source };
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(source)) => return Err(failed(source)),
    }
    // Whoever cleans the cache removes the file while holding its lock: a lock on what is no longer there is none.
    let own = Meta::of(&file.metadata().map_err(failed)?);
    let there = files.meta(LOCK_FILE)?;
    if !there.is_some_and(|there| (there.device, there.inode) == (own.device, own.inode)) {
        return Ok(None);
    }
    sign(&mut file).map_err(failed)?;
    Ok(Some(file))
}

/// Writes who holds the lock, unless it stands there already.
fn sign(file: &mut File) -> std::io::Result<()> {
    let own = std::process::id().to_string();
    let mut known = Vec::new();
    file.take(LONGEST_SIGNATURE).read_to_end(&mut known)?;
    if known == own.as_bytes() {
        return Ok(());
    }
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(own.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_second_writer_is_told_who_is_first() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::open(folder.path()).unwrap();
        let held = DeckLock::acquire(&root, PATIENCE).unwrap();
        match DeckLock::acquire(&root, Duration::ZERO) {
            Err(DeckError::Locked { lock_file, holder_pid }) => {
                assert_eq!((lock_file.as_str(), holder_pid), (".cuedeck/.cache/lock", Some(std::process::id())));
            }
            other => panic!("{other:?}"),
        }
        drop(held);
        DeckLock::acquire(&root, Duration::ZERO).unwrap();
    }

    #[test]
    fn a_lock_file_that_somebody_left_behind_locks_nothing() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join(".cuedeck/.cache")).unwrap();
        fs::write(root.path().join(LOCK_FILE), "99999999 and more").unwrap();
        DeckLock::acquire(&Root::open(root.path()).unwrap(), Duration::ZERO).unwrap();
        assert_eq!(fs::read_to_string(root.path().join(LOCK_FILE)).unwrap(), std::process::id().to_string());
    }
}
