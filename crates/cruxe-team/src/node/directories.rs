//! What every repository has in brief: a question over many is put to those that may have something, and the others are not
//! even brought.
//!
//! As many as there is room for are kept in memory, all of them on this node's disk: a question reads those that are not in memory from
//! there, and none of them from the database.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use cruxe_store::Directory;
use parking_lot::Mutex;

use super::tables::Known;
use crate::database::Database;
use crate::error::TeamError;

/// So many are read at once.
const BATCH: usize = 64;
/// A larger one is none of ours.
const MOST_BYTES: usize = 1 << 30;

/// The directories that were read, by repository, each of the state that it is of.
pub(crate) struct Directories {
    folder: PathBuf,
    /// What those in memory may take.
    most: usize,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    in_memory: HashMap<i64, (i64, Arc<Directory>)>,
    bytes: usize,
    /// The states of those on disk.
    on_disk: HashMap<i64, i64>,
}

/// A directory as it is stored.
pub(crate) fn pack(directory: &Directory) -> Result<Vec<u8>, TeamError> {
    let refused = |problem: String| TeamError::BadManifest(problem);
    let plain = postcard::to_stdvec(directory).map_err(|problem| refused(problem.to_string()))?;
    zstd::bulk::compress(&plain, 3).map_err(|problem| refused(problem.to_string()))
}

fn unpack(packed: &[u8]) -> Option<Directory> {
    let mut plain = Vec::new();
    let decoder = zstd::stream::Decoder::new(packed).ok()?;
    std::io::Read::read_to_end(&mut std::io::Read::take(decoder, MOST_BYTES as u64), &mut plain).ok()?;
    postcard::from_bytes(&plain).ok()
}

impl Directories {
    /// Those of a node that keeps them in a folder, and so many bytes of them in memory.
    pub fn at(folder: PathBuf, most: usize) -> Directories {
        let _ = fs::create_dir_all(&folder);
        let mut kept = Kept::default();
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let known = name.to_str().and_then(|name| name.split_once('-'));
            match known.and_then(|(repo, state)| Some((repo.parse().ok()?, state.parse().ok()?))) {
                Some((repo, state)) => drop(kept.on_disk.insert(repo, state)),
                None => drop(fs::remove_file(entry.path())),
            }
        }
        Directories { folder, most, kept: Mutex::new(kept) }
    }

    /// How many bytes are in memory.
    pub fn bytes(&self) -> usize {
        self.kept.lock().bytes
    }

    /// The directory of a repository's state, read where it is not known; `None` where it cannot be had.
    pub fn of(&self, database: &Database, known: &Known) -> Option<Arc<Directory>> {
        let state = known.state?;
        self.find(known.id, state).or_else(|| {
            let packed = fetch(database, &[state]).ok()?;
            packed.into_iter().find_map(|(_, packed)| self.take_in(known.id, state, &packed))
        })
    }

    /// Reads those that are not known.
    pub fn read_ahead(&self, database: &Database, repos: &[Arc<Known>]) -> Result<(), TeamError> {
        let missing: Vec<(i64, i64)> = {
            let kept = self.kept.lock();
            let has = |repo: &i64, state: i64| {
                kept.in_memory.get(repo).is_some_and(|(known, _)| *known == state)
                    || kept.on_disk.get(repo) == Some(&state)
            };
            let missing = repos.iter().filter_map(|repo| Some((repo.state?, repo.id)));
            missing.filter(|(state, repo)| !has(repo, *state)).collect()
        };
        for batch in missing.chunks(BATCH) {
            let states: Vec<i64> = batch.iter().map(|(state, _)| *state).collect();
            for (state, packed) in fetch(database, &states)? {
                if let Some((_, repo)) = batch.iter().find(|(of, _)| *of == state) {
                    self.take_in(*repo, state, &packed);
                }
            }
        }
        Ok(())
    }

    /// Forgets those of repositories that are gone.
    pub fn retain(&self, repos: &[Arc<Known>]) {
        let there: std::collections::HashSet<i64> = repos.iter().map(|repo| repo.id).collect();
        let mut kept = self.kept.lock();
        let gone: Vec<i64> =
            kept.in_memory.keys().chain(kept.on_disk.keys()).filter(|id| !there.contains(id)).copied().collect();
        for repo in gone {
            kept.forget(repo);
            if let Some(state) = kept.on_disk.remove(&repo) {
                let _ = fs::remove_file(self.path(repo, state));
            }
        }
    }

    fn path(&self, repo: i64, state: i64) -> PathBuf {
        self.folder.join(format!("{repo}-{state}"))
    }

    /// One that is here.
    fn find(&self, repo: i64, state: i64) -> Option<Arc<Directory>> {
        {
            let kept = self.kept.lock();
            if let Some((known, directory)) = kept.in_memory.get(&repo)
                && *known == state
            {
                return Some(Arc::clone(directory));
            }
            kept.on_disk.get(&repo).filter(|known| **known == state)?;
        }
        let directory = fs::read(self.path(repo, state)).ok().and_then(|packed| unpack(&packed));
        if directory.is_none() {
            // Cut short by a crash, say. It is read anew.
            self.kept.lock().on_disk.remove(&repo);
        }
        Some(self.keep(repo, state, directory?))
    }

    /// Takes one in that came from the database; `None` where it cannot be read.
    fn take_in(&self, repo: i64, state: i64, packed: &[u8]) -> Option<Arc<Directory>> {
        let directory = unpack(packed)?;
        // A disk without room costs time and nothing else.
        if fs::write(self.path(repo, state), packed).is_ok() {
            let before = self.kept.lock().on_disk.insert(repo, state);
            if let Some(before) = before.filter(|before| *before != state) {
                let _ = fs::remove_file(self.path(repo, before));
            }
        }
        Some(self.keep(repo, state, directory))
    }

    /// Keeps one in memory where there is room. Those that are there stay: a question over all goes through all of them, and each would
    /// push out the next that is needed.
    fn keep(&self, repo: i64, state: i64, directory: Directory) -> Arc<Directory> {
        let (size, directory) = (directory.size(), Arc::new(directory));
        let mut kept = self.kept.lock();
        kept.forget(repo);
        if kept.bytes + size <= self.most {
            kept.bytes += size;
            kept.in_memory.insert(repo, (state, Arc::clone(&directory)));
        }
        directory
    }
}

impl Kept {
    fn forget(&mut self, repo: i64) {
        if let Some((_, before)) = self.in_memory.remove(&repo) {
            self.bytes = self.bytes.saturating_sub(before.size());
        }
    }
}

/// The directories of some states, as they are stored.
fn fetch(database: &Database, states: &[i64]) -> Result<Vec<(i64, Vec<u8>)>, TeamError> {
    database.run(async |client| {
        let rows = client.query("SELECT state, bytes FROM directory WHERE state = ANY($1)", &[&states]).await?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(id: i64, state: i64) -> Arc<Known> {
        Arc::new(Known { id, name: format!("r{id}"), url: String::new(), state: Some(state), waiting: false })
    }

    #[test]
    fn what_has_no_room_in_memory_is_read_from_disk_and_what_is_gone_goes_from_both() {
        let folder = tempfile::tempdir().unwrap();
        let mut one = Directory::default();
        one.offers.push("cargo:one".to_owned());
        let (packed, size) = (pack(&one).unwrap(), one.size());
        let directories = Directories::at(folder.path().to_owned(), size);
        for repo in 1..=3 {
            assert!(directories.take_in(repo, 10, &packed).is_some());
        }
        assert_eq!(directories.bytes(), size, "room for one");
        let files = || fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(files(), 3);
        assert!((1..=3).all(|repo| directories.find(repo, 10).is_some()));
        assert!(directories.find(2, 11).is_none(), "of another state");
        assert!(directories.take_in(2, 11, &packed).is_some());
        assert_eq!((files(), directories.find(2, 10).is_none()), (3, true), "the one before is gone");
        directories.retain(&[known(2, 11)]);
        assert_eq!((files(), directories.bytes()), (1, 0));
        let again = Directories::at(folder.path().to_owned(), size);
        assert!(again.find(2, 11).is_some(), "a node that is started again has it");
        fs::write(folder.path().join("2-11"), b"damaged").unwrap();
        let again = Directories::at(folder.path().to_owned(), 0);
        assert!(again.find(2, 11).is_none(), "what cannot be read is none");
    }
}
