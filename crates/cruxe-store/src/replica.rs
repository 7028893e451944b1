//! An index as files: held still while somebody copies them, and put together elsewhere from copies.
//!
//! Where the copies travel and how they are cut is the business of others; what belongs to an index, which of its files
//! change in place and when a new one is in use is ours.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;

use crate::error::StoreError;
use crate::index::Index;
use crate::layout::ProjectDir;
use crate::lock::WriterLock;
use crate::store::Store;
use crate::{index, schema};

/// An index that nobody writes as long as this is held.
pub struct Held {
    files: Vec<HeldFile>,
    _lock: Arc<WriterLock>,
}

/// A file of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldFile {
    /// Its name within the index, with `/`.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
}

/// An index that is being put together. It goes away unless it is accepted.
pub struct Incoming {
    dir: ProjectDir,
    folder: PathBuf,
    before: Option<PathBuf>,
    accepted: bool,
    _lock: Arc<WriterLock>,
}

impl Store {
    /// Holds the index still, everything that was published in its files and nothing in a log beside them.
    pub fn hold(&self) -> Result<Held, StoreError> {
        let lock = self.lock()?;
        let folder = self.dir().current()?.ok_or(StoreError::NotIndexed)?;
        empty_log(&folder)?;
        Ok(Held { files: list(&folder)?, _lock: lock })
    }

    /// Begins an index from copies of another's files.
    pub fn receive(&self) -> Result<Incoming, StoreError> {
        let lock = self.lock()?;
        let dir = self.dir().clone();
        // One that cannot be read is no help, and no hindrance.
        let before = dir.current().ok().flatten();
        dir.remove_all_but(before.as_slice())?;
        let folder = dir.new_generation()?;
        let text = folder.join("text");
        fs::create_dir(&text).map_err(StoreError::io(&text))?;
        Ok(Incoming { dir, folder, before, accepted: false, _lock: lock })
    }

    /// Removes what is left of the index before the one in use. Whoever still reads it keeps it until it looks again.
    pub fn forget_superseded(&self) -> Result<(), StoreError> {
        let lock = self.lock()?;
        let current = self.dir().current()?;
        self.dir().remove_all_but(current.as_slice())?;
        drop(lock);
        Ok(())
    }
}

impl Held {
    /// The files, by name.
    pub fn files(&self) -> &[HeldFile] {
        &self.files
    }
}

impl Incoming {
    /// Where the file of a name is to be written; an error for a name that no index has a file of.
    pub fn path(&self, name: &str) -> Result<PathBuf, StoreError> {
        match belongs(name) {
            true => Ok(self.folder.join(name)),
            false => Err(StoreError::corrupt(format!("`{name}` is no file of an index"))),
        }
    }

    /// The file of a name in the index that is in use.
    pub fn before(&self, name: &str) -> Option<PathBuf> {
        self.before.as_ref().filter(|_| belongs(name)).map(|folder| folder.join(name)).filter(|path| path.is_file())
    }

    /// Whether a file of the name is never changed once it is written, so that two indexes can share one.
    pub fn is_lasting(name: &str) -> bool {
        name.starts_with("text/") && !name.ends_with(".json")
    }

    /// Opens what was put together and makes it the index in use.
    pub fn accept(mut self) -> Result<(), StoreError> {
        drop(Index::open_folder(self.folder.clone())?);
        self.dir.switch_to(&self.folder)?;
        self.accepted = true;
        let keep: Vec<PathBuf> = self.before.iter().chain([&self.folder]).cloned().collect();
        self.dir.remove_all_but(&keep)
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        if !self.accepted {
            let _ = fs::remove_dir_all(&self.folder); // the next writer sweeps what stays
        }
    }
}

/// Moves what the log of a database holds into the database.
fn empty_log(folder: &Path) -> Result<(), StoreError> {
    let connection: Connection = index::connect(folder)?;
    schema::check(&connection)?;
    connection.pragma_update(None, "query_only", false)?;
    let busy: bool = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy { Err(StoreError::Busy) } else { Ok(()) }
}

fn list(folder: &Path) -> Result<Vec<HeldFile>, StoreError> {
    let mut files = Vec::new();
    for part in ["", "text"] {
        let part_folder = folder.join(part);
        for entry in fs::read_dir(&part_folder).map_err(StoreError::io(&part_folder))? {
            let entry = entry.map_err(StoreError::io(&part_folder))?;
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
            let name = if part.is_empty() { name } else { format!("{part}/{name}") };
            let found = entry.metadata().map_err(StoreError::io(entry.path()))?;
            if found.is_file() && belongs(&name) {
                files.push(HeldFile { name, path: entry.path(), bytes: found.len() });
            }
        }
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}

/// Whether an index has a file of this name. Logs, locks and marks are no part of it.
fn belongs(name: &str) -> bool {
    let plain =
        |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
    match name.split_once('/') {
        None if name == "facts.db" => true,
        None => name.strip_prefix("vectors.").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit())),
        // Tantivy's list of its files begins with a dot; its locks end in `.lock`.
        Some(("text", file)) => {
            (!file.starts_with('.') || file == ".managed.json") && plain(file) && !file.ends_with(".lock")
        }
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::Manifest;
    use crate::fixture::{Project, new_version};

    fn publish(store: &Store, files: &[(&str, &str)]) {
        let mut writer = store.write().unwrap();
        let mut manifest = Manifest::default();
        for (path, text) in files {
            manifest.add(writer.add(new_version(path, text)).unwrap());
        }
        writer.publish("main", &manifest, Timestamp::UNIX_EPOCH).unwrap();
    }

    fn copy(from: &Store, to: &Store) {
        let held = from.hold().unwrap();
        let incoming = to.receive().unwrap();
        for file in held.files() {
            fs::copy(&file.path, incoming.path(&file.name).unwrap()).unwrap();
        }
        incoming.accept().unwrap();
    }

    fn paths(store: &Store) -> Vec<String> {
        let files = store.ref_snapshot("main").unwrap().unwrap().files().unwrap();
        files.into_iter().map(|file| file.path.into()).collect()
    }

    #[test]
    fn a_copy_of_the_files_of_an_index_is_that_index_and_can_be_replaced_under_its_readers() {
        let (one, other) = (Project::new(), Project::new());
        let (from, to) = (one.store(), other.store());
        publish(&from, &[("a.rs", "fn a() {}")]);
        copy(&from, &to);
        let early = to.ref_snapshot("main").unwrap().unwrap();
        to.validate().unwrap();
        publish(&from, &[("a.rs", "fn a() {}"), ("b.rs", "fn b() {}")]);
        assert_eq!(paths(&to), ["a.rs"]);
        copy(&from, &to);
        assert_eq!(paths(&to), ["a.rs", "b.rs"]);
        assert_eq!(early.files().unwrap().len(), 1, "the index before stays for those who read it");
        to.forget_superseded().unwrap();
        assert_eq!(paths(&to), ["a.rs", "b.rs"]);
        // It is an index like any other: it can be written.
        publish(&to, &[("c.rs", "fn c() {}")]);
        assert_eq!(paths(&to), ["c.rs"]);
    }

    #[test]
    fn what_is_not_accepted_or_cannot_be_opened_changes_nothing() {
        let project = Project::new();
        let store = project.store();
        publish(&store, &[("a.rs", "fn a() {}")]);
        drop(store.receive().unwrap());
        let incoming = store.receive().unwrap();
        fs::write(incoming.path("facts.db").unwrap(), b"nonsense").unwrap();
        assert!(incoming.accept().is_err());
        assert_eq!(paths(&store), ["a.rs"]);
    }

    #[test]
    fn names_that_are_no_files_of_an_index_are_refused() {
        for name in ["facts.db", "vectors.1", "text/meta.json", "text/.managed.json", "text/0a1b.term"] {
            assert!(belongs(name), "{name}");
        }
        for name in [
            "",
            "CURRENT",
            "../x",
            "text/../x",
            "text/a/b",
            "facts.db-wal",
            "vectors.x",
            "damaged",
            "text/.tantivy-writer.lock",
        ] {
            assert!(!belongs(name), "{name}");
        }
    }
}
