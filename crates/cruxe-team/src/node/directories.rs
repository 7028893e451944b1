//! What every repository has in brief: a question over many is put to those that may have something, and the others are not
//! even brought.

use std::collections::HashMap;
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
#[derive(Default)]
pub(crate) struct Directories {
    known: Mutex<HashMap<i64, (i64, Arc<Directory>)>>,
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
    /// The directory of a repository's state, read where it is not known; `None` where it cannot be had.
    pub fn of(&self, database: &Database, known: &Known) -> Option<Arc<Directory>> {
        let find = || {
            let kept = self.known.lock();
            kept.get(&known.id).filter(|(state, _)| Some(*state) == known.state).map(|(_, one)| Arc::clone(one))
        };
        find().or_else(|| {
            self.read_ahead(database, std::slice::from_ref(known)).ok()?;
            find()
        })
    }

    /// Reads those that are not known, and forgets those of repositories that are gone.
    pub fn read_ahead(&self, database: &Database, repos: &[Known]) -> Result<(), TeamError> {
        let missing: Vec<(i64, i64)> = {
            let kept = self.known.lock();
            let has = |id: &i64, state: i64| kept.get(id).is_some_and(|(known, _)| *known == state);
            repos
                .iter()
                .filter_map(|repo| repo.state.filter(|state| !has(&repo.id, *state)).map(|s| (s, repo.id)))
                .collect()
        };
        for batch in missing.chunks(BATCH) {
            let states: Vec<i64> = batch.iter().map(|(state, _)| *state).collect();
            let rows = database.run(async |client| {
                Ok(client.query("SELECT state, bytes FROM directory WHERE state = ANY($1)", &[&states]).await?)
            })?;
            for row in &rows {
                let state: i64 = row.get(0);
                let repo = batch.iter().find(|(of, _)| *of == state).map(|(_, repo)| *repo);
                if let (Some(repo), Some(directory)) = (repo, unpack(row.get(1))) {
                    self.known.lock().insert(repo, (state, Arc::new(directory)));
                }
            }
        }
        Ok(())
    }

    /// Forgets those of repositories that are gone.
    pub fn retain(&self, repos: &[Known]) {
        self.known.lock().retain(|id, _| repos.iter().any(|repo| repo.id == *id));
    }
}
