//! Blobs as files of a folder.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::TeamError;
use crate::pack::Hash;

pub(super) struct Folder(PathBuf);

impl Folder {
    pub fn new(path: PathBuf) -> Folder {
        Folder(path)
    }

    fn path(&self, hash: &Hash) -> PathBuf {
        let name = hash.to_string();
        self.0.join(&name[..2]).join(name)
    }

    pub fn put(&self, hash: &Hash, packed: &[u8]) -> Result<(), TeamError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let path = self.path(hash);
        let folder = path.parent().unwrap_or(&self.0);
        fs::create_dir_all(folder).map_err(TeamError::io(folder))?;
        // Two programs may put the same: each writes to a name of its own.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let temporary = path.with_extension(format!("tmp{}-{number}", std::process::id()));
        let written = fs::File::create(&temporary)
            .and_then(|mut file| file.write_all(packed).and_then(|()| file.sync_all()))
            .and_then(|()| fs::rename(&temporary, &path));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written.map_err(TeamError::io(path))
    }

    pub fn get(&self, hash: &Hash) -> Result<Vec<u8>, TeamError> {
        let path = self.path(hash);
        fs::read(&path).map_err(|problem| match problem.kind() {
            ErrorKind::NotFound => TeamError::MissingBlob(hash.to_string()),
            _ => TeamError::Storage(format!("{}: {problem}", path.display())),
        })
    }

    pub fn remove(&self, hash: &Hash) -> Result<(), TeamError> {
        let path = self.path(hash);
        match fs::remove_file(&path) {
            Err(problem) if problem.kind() != ErrorKind::NotFound => Err(TeamError::Io { path, source: problem }),
            _ => Ok(()),
        }
    }
}
