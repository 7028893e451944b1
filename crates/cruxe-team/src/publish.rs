//! Publishing: blobs first, then one transaction that makes them the state of a repository.

use std::collections::{HashMap, HashSet};

use crossbeam_channel::bounded;
use cruxe_store::SCHEMA_VERSION;
use parking_lot::Mutex;

use crate::blobs::Blobs;
use crate::database::Database;
use crate::error::TeamError;
use crate::jobs::Lease;
use crate::notices::STATES;
use crate::pack::{Hash, Manifest, PageTable, Source, cut};
use crate::repos::PublishedRef;

/// Blobs that are put at once.
const AT_ONCE: usize = 4;

/// A published state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Its number.
    pub state: i64,
    /// Its manifest.
    pub manifest: Manifest,
    /// Blobs that were not there before.
    pub new_blobs: u64,
    /// What they take in the storage.
    pub added_bytes: u64,
}

/// What is published of a repository.
pub(crate) struct Current {
    pub state: i64,
    pub manifest: Manifest,
    pub refs: Vec<PublishedRef>,
}

/// What is published of a repository for this version of the program; `None` while nothing is.
pub(crate) fn current(database: &Database, repo: i64) -> Result<Option<Current>, TeamError> {
    let schema = SCHEMA_VERSION as i32;
    let row = database.run(async |client| {
        let sql =
            "SELECT state.id, manifest, published.refs::text FROM published JOIN state ON state.id = published.state
            WHERE published.repo = $1 AND published.schema = $2";
        Ok(client.query_opt(sql, &[&repo, &schema]).await?)
    })?;
    let Some(row) = row else { return Ok(None) };
    let manifest = Manifest::decode(row.get(1))?;
    Ok(Some(Current { state: row.get(0), manifest, refs: crate::repos::read_refs(row.get(2)) }))
}

/// What is said of a state beside its files.
pub(crate) struct What {
    pub refs: Vec<PublishedRef>,
    /// What it has in brief, packed.
    pub directory: Vec<u8>,
}

/// Cuts files, puts the blobs that are not there, and publishes.
#[allow(clippy::too_many_arguments)]
pub(crate) fn publish(
    database: &Database,
    blobs: &Blobs,
    lease: &Lease,
    worker: &str,
    sources: &[Source],
    before: Option<(&Manifest, &PageTable)>,
    what: &What,
) -> Result<(Outcome, PageTable), TeamError> {
    let damaged = match before {
        Some((manifest, _)) => damaged(database, manifest)?,
        None => HashSet::new(),
    };
    let (manifest, pages, sizes) = put_all(database, blobs, sources, before, &damaged)?;
    let outcome = Outcome { state: 0, new_blobs: sizes.len() as u64, added_bytes: sizes.values().sum(), manifest };
    let state = swap(database, lease, worker, &outcome, &sizes, what)?;
    Ok((Outcome { state, ..outcome }, pages))
}

/// The blobs of a manifest that somebody found damaged.
pub(crate) fn damaged(database: &Database, manifest: &Manifest) -> Result<HashSet<Hash>, TeamError> {
    let hashes: Vec<&[u8]> = manifest.blobs.iter().map(|(hash, _)| hash.0.as_slice()).collect();
    let rows = database.run(async |client| {
        Ok(client.query("SELECT hash FROM blob WHERE damaged AND hash = ANY($1)", &[&hashes]).await?)
    })?;
    rows.iter().map(|row| Hash::from_slice(row.get(0))).collect()
}

type Sizes = HashMap<Hash, u64>;

/// Cuts, while threads put what is cut.
fn put_all(
    database: &Database,
    blobs: &Blobs,
    sources: &[Source],
    before: Option<(&Manifest, &PageTable)>,
    damaged: &HashSet<Hash>,
) -> Result<(Manifest, PageTable, Sizes), TeamError> {
    let sizes = Mutex::new(Sizes::new());
    let failure = Mutex::new(None);
    let (send, receive) = bounded::<(Hash, Vec<u8>)>(AT_ONCE);
    let work = || {
        for (hash, plain) in receive.iter() {
            if failure.lock().is_some() {
                continue;
            }
            match put_one(database, blobs, &hash, &plain) {
                Ok(Some(size)) => drop(sizes.lock().insert(hash, size)),
                Ok(None) => {}
                Err(problem) => drop(failure.lock().get_or_insert(problem)),
            }
        }
    };
    let cut = std::thread::scope(|scope| {
        (0..AT_ONCE).for_each(|_| drop(scope.spawn(work)));
        let outcome = cut(sources, before, damaged, &mut |hash, plain| {
            send.send((hash, plain)).map_err(|_| TeamError::Storage("nobody puts blobs any more".to_owned()))
        });
        drop(send);
        outcome
    })?;
    match failure.into_inner() {
        Some(problem) => Err(problem),
        None => Ok((cut.0, cut.1, sizes.into_inner())),
    }
}

/// Puts a blob that is not there; the bytes it takes, `None` where it was.
///
/// The row comes first, so that a sweep finds what a crash leaves behind; it says `stored` only afterwards.
fn put_one(database: &Database, blobs: &Blobs, hash: &Hash, plain: &[u8]) -> Result<Option<u64>, TeamError> {
    let name = hash.0.as_slice();
    let known = database.run(async |client| {
        let sql = "INSERT INTO blob (hash, bytes) VALUES ($1, $2) ON CONFLICT (hash) DO UPDATE SET touched_at = now()
            RETURNING stored AND NOT damaged";
        Ok(client.query_one(sql, &[&name, &(plain.len() as i32)]).await?.get::<_, bool>(0))
    })?;
    if known {
        return Ok(None);
    }
    let size = blobs.put(hash, plain)?;
    database.run(async |client| {
        let sql = "UPDATE blob SET stored = true, damaged = false, touched_at = now() WHERE hash = $1";
        client.execute(sql, &[&name]).await?;
        Ok(())
    })?;
    Ok(Some(size))
}

/// Makes a manifest the state of its repository, where the lease still holds.
fn swap(
    database: &Database,
    lease: &Lease,
    worker: &str,
    outcome: &Outcome,
    sizes: &Sizes,
    what: &What,
) -> Result<i64, TeamError> {
    let refs = &what.refs;
    let manifest = outcome.manifest.encode()?;
    let hashes: HashSet<&[u8]> = outcome.manifest.blobs.iter().map(|(hash, _)| hash.0.as_slice()).collect();
    let hashes: Vec<&[u8]> = hashes.into_iter().collect();
    let refs_text = serde_json::to_string(refs).map_err(|problem| TeamError::BadManifest(problem.to_string()))?;
    let source_bytes: i64 = refs.iter().map(|published| published.bytes as i64).max().unwrap_or_default();
    let (bytes, added) = (outcome.manifest.bytes() as i64, sizes.values().sum::<u64>() as i64);
    database.run(async |client| {
        let transaction = client.transaction().await?;
        let held = "SELECT 1 FROM job WHERE repo = $1 AND schema = $2 AND lease = $3 AND leased_until > now() FOR UPDATE";
        if transaction.query_opt(held, &[&lease.repo, &lease.schema, &lease.number]).await?.is_none() {
            return Err(TeamError::Fenced);
        }
        let insert = "INSERT INTO state (repo, schema, manifest, bytes, source_bytes, added_bytes, worker)
            VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id";
        let row = transaction
            .query_one(insert, &[&lease.repo, &lease.schema, &manifest, &bytes, &source_bytes, &added, &worker])
            .await?;
        let state: i64 = row.get(0);
        transaction.execute("INSERT INTO directory VALUES ($1, $2)", &[&state, &what.directory]).await?;
        // A blob that a sweep took meanwhile fails here.
        let refer = "INSERT INTO state_blob SELECT $1::bigint, hash FROM unnest($2::bytea[]) AS hash";
        transaction.execute(refer, &[&state, &hashes]).await?;
        let unstored = "SELECT count(*) FROM blob WHERE hash = ANY($1) AND NOT stored";
        let unstored: i64 = transaction.query_one(unstored, &[&hashes]).await?.get(0);
        if unstored > 0 {
            return Err(TeamError::Storage(format!("{unstored} blobs are not stored yet")));
        }
        let old = "UPDATE state SET superseded_at = now() WHERE repo = $1 AND schema = $2 AND id <> $3 AND superseded_at IS NULL";
        transaction.execute(old, &[&lease.repo, &lease.schema, &state]).await?;
        let point = "INSERT INTO published (repo, schema, state, refs) VALUES ($1, $2, $3, $4::text::jsonb)
            ON CONFLICT (repo, schema) DO UPDATE SET state = EXCLUDED.state, refs = EXCLUDED.refs";
        transaction.execute(point, &[&lease.repo, &lease.schema, &state, &refs_text]).await?;
        let done = "UPDATE job SET done = $4, lease = NULL, leased_until = NULL, failures = 0, problem = NULL
            WHERE repo = $1 AND schema = $2 AND lease = $3";
        transaction.execute(done, &[&lease.repo, &lease.schema, &lease.number, &lease.asked]).await?;
        transaction.execute("SELECT pg_notify($1, $2)", &[&STATES, &lease.repo.to_string()]).await?;
        transaction.commit().await?;
        Ok(state)
    })
}
