//! What a node knows of the database: which repositories there are, in which state, and who may see them. Questions read it from
//! memory; it is at most two seconds old.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cruxe_server::{Refs, Scope};
use cruxe_store::SCHEMA_VERSION;
use parking_lot::{Mutex, RwLock};

use crate::database::Database;
use crate::error::TeamError;
use crate::local::Local;
use crate::tokens::{Held, Tokens, hash_of};

/// A repository as the database has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub id: i64,
    pub name: String,
    pub url: String,
    /// The state that is published for this version of the program.
    pub state: Option<i64>,
    /// Whether a push waits to be indexed.
    pub waiting: bool,
}

/// The tables.
pub(crate) struct Tables {
    local: Local,
    now: RwLock<Arc<Now>>,
}

struct Now {
    /// By root.
    repos: BTreeMap<PathBuf, Known>,
    tokens: Tokens,
    /// Scopes that were asked for, by token.
    scopes: Mutex<HashMap<i64, Scope>>,
    read_at: Instant,
}

impl Tables {
    pub fn read(database: &Database, local: &Local) -> Result<Tables, TeamError> {
        let now = RwLock::new(Arc::new(Now::read(database, local)?));
        Ok(Tables { local: local.clone(), now })
    }

    /// Reads them again.
    pub fn refresh(&self, database: &Database) -> Result<(), TeamError> {
        let mut new = Now::read(database, &self.local)?;
        let old = self.now();
        if old.repos.keys().eq(new.repos.keys()) && old.tokens == new.tokens {
            new.scopes = Mutex::new(old.scopes.lock().clone());
        }
        *self.now.write() = Arc::new(new);
        Ok(())
    }

    fn now(&self) -> Arc<Now> {
        Arc::clone(&self.now.read())
    }

    /// How old they are.
    pub fn age(&self) -> Duration {
        self.now().read_at.elapsed()
    }

    pub fn repo(&self, root: &Path) -> Option<Known> {
        self.now().repos.get(root).cloned()
    }

    pub fn repos(&self) -> Vec<Known> {
        self.now().repos.values().cloned().collect()
    }

    /// What who shows a secret may see; `None` for one that does not hold.
    pub fn scope_of(&self, secret: &str) -> Option<Scope> {
        let now = self.now();
        let held = now.tokens.by_hash.get(&hash_of(secret))?;
        let mut scopes = now.scopes.lock();
        Some(scopes.entry(held.id).or_insert_with(|| now.scope(held)).clone())
    }
}

impl Now {
    fn read(database: &Database, local: &Local) -> Result<Now, TeamError> {
        let read_at = Instant::now();
        let schema = SCHEMA_VERSION as i32;
        let rows = database.run(async |client| {
            let sql = "SELECT id, name, url, published.state, coalesce(asked > done, false) FROM repo
                LEFT JOIN published ON published.repo = repo.id AND published.schema = $1
                LEFT JOIN job ON job.repo = repo.id AND job.schema = $1";
            Ok(client.query(sql, &[&schema]).await?)
        })?;
        let one = |row: &tokio_postgres::Row| {
            let name: String = row.get(1);
            let known = Known { id: row.get(0), url: row.get(2), state: row.get(3), waiting: row.get(4), name };
            (local.folder(&known.name), known)
        };
        let repos = rows.iter().map(one).collect();
        Ok(Now { repos, tokens: Tokens::read(database)?, scopes: Mutex::default(), read_at })
    }

    fn scope(&self, held: &Held) -> Scope {
        let mut scope = Scope::of(held.id.to_string());
        for (root, known) in &self.repos {
            scope = match held.refs_of(&known.name) {
                None => scope,
                Some(None) => scope.with(root, Refs::all()),
                Some(Some(patterns)) => scope.with(root, Refs::matching(patterns)),
            };
        }
        scope
    }
}
