//! Removes what nothing leads to any more: states that were superseded a while ago, then blobs that no state refers to.
//!
//! A blob's row is locked while its object is removed. Whoever wants to put the same blob waits for that, finds no row, and puts
//! it again; whoever published with it meanwhile refers to the row, so that it cannot be removed. The order of the two does not
//! matter, and neither does a crash between them: a row whose object is gone is swept again.

use crate::blobs::Blobs;
use crate::database::Database;
use crate::error::TeamError;
use crate::pack::Hash;

/// So many blobs are swept in one transaction.
const AT_ONCE: i64 = 64;
/// Only one sweeps at a time.
const LOCK: i64 = 0x7377_6570;

/// What a sweep removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Superseded states.
    pub states: u64,
    /// Blobs.
    pub blobs: u64,
    /// Their plain bytes.
    pub bytes: u64,
}

/// Sweeps what has been of no use for so many seconds. Where somebody else is at it, nothing is done.
pub fn sweep(database: &Database, blobs: &Blobs, grace_seconds: u64) -> Result<Swept, TeamError> {
    let grace = grace_seconds as f64;
    let states = database.run(async |client| {
        let sql = "DELETE FROM state WHERE superseded_at < now() - $1 * interval '1 second'
            AND NOT EXISTS (SELECT FROM published WHERE published.state = state.id)";
        Ok(client.execute(sql, &[&grace]).await?)
    })?;
    let mut swept = Swept { states, ..Swept::default() };
    loop {
        let gone = sweep_some(database, blobs, grace)?;
        swept.blobs += gone.len() as u64;
        swept.bytes += gone.iter().sum::<u64>();
        if gone.len() < AT_ONCE as usize {
            return Ok(swept);
        }
    }
}

fn sweep_some(database: &Database, blobs: &Blobs, grace: f64) -> Result<Vec<u64>, TeamError> {
    database.run_long(async |client| {
        let transaction = client.transaction().await?;
        if !transaction.query_one("SELECT pg_try_advisory_xact_lock($1)", &[&LOCK]).await?.get::<_, bool>(0) {
            return Ok(Vec::new());
        }
        let sql = "SELECT hash, bytes FROM blob WHERE touched_at < now() - $1 * interval '1 second'
            AND NOT EXISTS (SELECT FROM state_blob WHERE blob = hash) LIMIT $2 FOR UPDATE SKIP LOCKED";
        let rows = transaction.query(sql, &[&grace, &AT_ONCE]).await?;
        let mut gone = Vec::new();
        for row in &rows {
            let hash = Hash::from_slice(row.get(0))?;
            gone.push(row.get::<_, i32>(1).max(0) as u64);
            tokio::task::block_in_place(|| blobs.remove(&hash))?;
            transaction.execute("DELETE FROM blob WHERE hash = $1", &[&hash.0.as_slice()]).await?;
        }
        transaction.commit().await?;
        Ok(gone)
    })
}
