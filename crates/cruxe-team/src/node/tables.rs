//! What a node knows of the database: which repositories there are, in which state, and who may see them. Questions read it from
//! memory; it is at most two seconds old.
//!
//! A look reads what changed since the one before. Rows carry the number of the transaction that last changed them, and a look notes
//! the smallest number of those in progress: whatever it did not see has a number that is no smaller.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cruxe_server::{Refs, Scope};
use cruxe_store::SCHEMA_VERSION;
use parking_lot::{Mutex, RwLock};
use tokio_postgres::{IsolationLevel, Row};

use crate::database::Database;
use crate::error::TeamError;
use crate::local::Local;
use crate::tokens::{Held, Tokens, hash_of};

/// How often all rows are read all the same: whoever restores a backup, or writes with triggers off, tells nobody.
const WHOLE_EVERY: Duration = Duration::from_secs(300);

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
    now: RwLock<Now>,
    /// Something changed that nobody has asked about yet.
    changed: AtomicBool,
}

struct Now {
    /// By root.
    repos: BTreeMap<PathBuf, Arc<Known>>,
    tokens: Tokens,
    /// Scopes that were asked for, by token.
    scopes: Mutex<HashMap<i64, Scope>>,
    read_at: Instant,
    /// Of all rows at once.
    whole_at: Instant,
    /// What transactions before this one did is known.
    from: u64,
}

impl Tables {
    pub fn read(database: &Database, local: &Local) -> Result<Tables, TeamError> {
        let read_at = Instant::now();
        let rows = Rows::read(database, None)?;
        let now = Now {
            repos: rows.repos.into_iter().map(|known| (local.folder(&known.name), known)).collect(),
            tokens: Tokens::read(database)?,
            scopes: Mutex::default(),
            read_at,
            whole_at: read_at,
            from: rows.from,
        };
        Ok(Tables { local: local.clone(), now: RwLock::new(now), changed: AtomicBool::new(true) })
    }

    /// Looks again.
    pub fn refresh(&self, database: &Database) -> Result<(), TeamError> {
        let read_at = Instant::now();
        let since = {
            let now = self.now.read();
            (now.whole_at.elapsed() < WHOLE_EVERY).then_some(now.from)
        };
        let (rows, tokens) = (Rows::read(database, since)?, Tokens::read(database)?);
        if !self.take_in(rows, tokens, read_at) {
            let (rows, tokens) = (Rows::read(database, None)?, Tokens::read(database)?);
            self.take_in(rows, tokens, read_at);
        }
        Ok(())
    }

    /// Takes in what was read; `false` where some repository must have gone and only all rows tell which.
    fn take_in(&self, rows: Rows, tokens: Tokens, read_at: Instant) -> bool {
        let mut now = self.now.write();
        let mut names_changed = false;
        let mut changed = now.tokens != tokens;
        if rows.whole {
            let repos = rows.repos.into_iter().map(|known| (self.local.folder(&known.name), known)).collect();
            let before = std::mem::replace(&mut now.repos, repos);
            names_changed = !before.keys().eq(now.repos.keys());
            changed |= before != now.repos;
            now.whole_at = read_at;
        } else {
            for known in rows.repos {
                let root = self.local.folder(&known.name);
                let before = now.repos.insert(root, Arc::clone(&known));
                names_changed |= before.is_none();
                changed |= before.as_ref() != Some(&known);
            }
        }
        if names_changed || now.tokens != tokens {
            now.scopes = Mutex::default();
        }
        (now.tokens, now.from, now.read_at) = (tokens, rows.from, read_at);
        if changed {
            self.changed.store(true, Ordering::Relaxed);
        }
        now.repos.len() == rows.count
    }

    /// Whether something changed since this was last asked.
    pub fn take_changed(&self) -> bool {
        self.changed.swap(false, Ordering::Relaxed)
    }

    /// How old they are.
    pub fn age(&self) -> Duration {
        self.now.read().read_at.elapsed()
    }

    pub fn repo(&self, root: &Path) -> Option<Arc<Known>> {
        self.now.read().repos.get(root).cloned()
    }

    pub fn repos(&self) -> Vec<Arc<Known>> {
        self.now.read().repos.values().cloned().collect()
    }

    /// What who shows a secret may see; `None` for one that does not hold.
    pub fn scope_of(&self, secret: &str) -> Option<Scope> {
        let now = self.now.read();
        now.tokens.by_hash.get(&hash_of(secret)).map(|held| now.scope(held))
    }

    /// The same by the number of the token.
    pub fn scope_of_holder(&self, id: i64) -> Option<Scope> {
        let now = self.now.read();
        now.tokens.by_hash.values().find(|held| held.id == id).map(|held| now.scope(held))
    }
}

impl Now {
    fn scope(&self, held: &Held) -> Scope {
        let mut scopes = self.scopes.lock();
        scopes.entry(held.id).or_insert_with(|| self.new_scope(held)).clone()
    }

    fn new_scope(&self, held: &Held) -> Scope {
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

/// Rows of repositories.
struct Rows {
    repos: Vec<Arc<Known>>,
    /// Whether these are all.
    whole: bool,
    /// How many there are.
    count: usize,
    /// The smallest number of a transaction that may have done something that is not in them.
    from: u64,
}

const COLUMNS: &str = "SELECT id, name, url, published.state, coalesce(asked > done, false) FROM repo
    LEFT JOIN published ON published.repo = repo.id AND published.schema = $1
    LEFT JOIN job ON job.repo = repo.id AND job.schema = $1";
const CHANGED: &str = "WHERE repo.id IN (SELECT id FROM repo WHERE changed >= $2::text::xid8
    UNION SELECT repo FROM published WHERE changed >= $2::text::xid8
    UNION SELECT repo FROM job WHERE changed >= $2::text::xid8)";

impl Rows {
    /// What transactions from one on did, or all.
    fn read(database: &Database, since: Option<u64>) -> Result<Rows, TeamError> {
        let schema = SCHEMA_VERSION as i32;
        database.run(async |client| {
            let one_look = client.build_transaction().isolation_level(IsolationLevel::RepeatableRead).read_only(true);
            let transaction = one_look.start().await?;
            let sql = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text, count(*) FROM repo";
            let row = transaction.query_one(sql, &[]).await?;
            let from = row.get::<_, String>(0).parse().unwrap_or_default();
            let count = usize::try_from(row.get::<_, i64>(1)).unwrap_or_default();
            // Another database than before counts from another number.
            let since = since.filter(|since| *since <= from);
            let rows = match since {
                Some(since) => {
                    let sql = format!("{COLUMNS} {CHANGED}");
                    transaction.query(&sql, &[&schema, &since.to_string()]).await?
                }
                None => transaction.query(COLUMNS, &[&schema]).await?,
            };
            transaction.commit().await?;
            Ok(Rows { repos: rows.iter().map(known).collect(), whole: since.is_none(), count, from })
        })
    }
}

fn known(row: &Row) -> Arc<Known> {
    Arc::new(Known { id: row.get(0), name: row.get(1), url: row.get(2), state: row.get(3), waiting: row.get(4) })
}
