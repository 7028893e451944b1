//! One writer per project.
//!
//! The lock is the kernel's, on an open file: it ends with the process, however that ends. A file with a process id
//! in it would outlive a kill.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::error::StoreError;

/// Held by the one process that writes.
#[derive(Debug)]
pub(crate) struct WriterLock {
    _file: File,
}

/// A reader that looks whether somebody writes holds the lock for an instant; a writer waits that long.
const PATIENCE: Duration = Duration::from_millis(100);

impl WriterLock {
    /// Takes the lock; [`StoreError::Busy`] when another process or thread has it.
    pub fn acquire(path: &Path) -> Result<WriterLock, StoreError> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(lock) = WriterLock::attempt(path)? {
                return Ok(lock);
            }
            if Instant::now() >= deadline {
                return Err(StoreError::Busy);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Whether somebody holds the lock now.
    pub fn is_held(path: &Path) -> Result<bool, StoreError> {
        if !path.exists() {
            return Ok(false);
        }
        // Where nothing can be written, a lock can still be looked at.
        let file = open(path).or_else(|problem| File::open(path).map_err(|_| problem))?;
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(source)) => Err(StoreError::io(path)(source)),
        }
    }

    fn attempt(path: &Path) -> Result<Option<WriterLock>, StoreError> {
        let file = open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(WriterLock { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(StoreError::io(path)(source)),
        }
    }
}

fn open(path: &Path) -> Result<File, StoreError> {
    OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path).map_err(StoreError::io(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_writer_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        assert!(!WriterLock::is_held(&path).unwrap());
        let lock = WriterLock::acquire(&path).unwrap();
        assert!(WriterLock::is_held(&path).unwrap());
        assert!(matches!(WriterLock::acquire(&path), Err(StoreError::Busy)));
        drop(lock);
        assert!(!WriterLock::is_held(&path).unwrap());
        WriterLock::acquire(&path).unwrap();
    }
}
