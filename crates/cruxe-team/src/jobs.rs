//! What is to be indexed, and who is at it.
//!
//! A lease is a number that is handed out once. It ends by the database's clock unless it is prolonged; whoever publishes shows
//! it in the same transaction. A worker that slept for an hour, or whose clock is wrong, finds its number gone.

use std::time::Duration;

use crate::database::Database;
use crate::error::TeamError;
use crate::notices::JOBS;

/// How long a worker may be silent.
pub(crate) const LEASE: Duration = Duration::from_secs(30);
/// The longest pause after failures, in seconds.
const LONGEST_PAUSE: f64 = 3600.0;
/// The same where our own storage or database failed: all pushes wait for that, and it is no host that we would bother.
const LONGEST_PAUSE_OF_OURS: f64 = 30.0;
/// How long a failing connection is tried again.
const PATIENCE: Duration = Duration::from_secs(20);

/// The right to index and publish a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The repository.
    pub repo: i64,
    /// The version of the index's tables.
    pub schema: i32,
    /// Given once.
    pub number: i64,
    /// How often it had been asked for when the lease was taken.
    pub asked: i64,
}

/// Asks for an index of a repository in every version that somebody uses.
pub(crate) fn ask_statement() -> &'static str {
    "INSERT INTO job (repo, schema)
     SELECT $1::bigint, schema FROM program WHERE seen_at > now() - interval '1 day' UNION SELECT $1::bigint, $2::int
     ON CONFLICT (repo, schema) DO UPDATE SET asked = job.asked + 1, due_at = now(),
         asked_at = CASE WHEN job.asked > job.done THEN job.asked_at ELSE now() END"
}

/// Asks for an index of a repository; what was asked already counts once.
pub fn ask_for(database: &Database, repo: i64, schema: i64) -> Result<(), TeamError> {
    database.run(async |client| {
        let transaction = client.transaction().await?;
        transaction.execute(ask_statement(), &[&repo, &(schema as i32)]).await?;
        transaction.execute("SELECT pg_notify($1, '')", &[&JOBS]).await?;
        transaction.commit().await?;
        Ok(())
    })
}

/// Asks for those repositories whose remote was not asked for news for as long as it may be; how many there were.
pub fn ask_all_due(database: &Database, schema: i64) -> Result<usize, TeamError> {
    let due = database.run(async |client| {
        let sql = "UPDATE repo SET polled_at = now() WHERE id IN (
                SELECT id FROM repo WHERE poll_seconds > 0 AND polled_at < now() - poll_seconds * interval '1 second'
                ORDER BY polled_at LIMIT 50 FOR UPDATE SKIP LOCKED) RETURNING id";
        let rows = client.query(sql, &[]).await?;
        Ok(rows.iter().map(|row| row.get::<_, i64>(0)).collect::<Vec<_>>())
    })?;
    due.iter().try_for_each(|repo| ask_for(database, *repo, schema))?;
    Ok(due.len())
}

/// Notes that a program is there. The first of a version asks for every repository in that version.
pub(crate) fn announce(
    database: &Database,
    name: &str,
    kind: &str,
    schema: i64,
    address: Option<&str>,
) -> Result<(), TeamError> {
    database.run(async |client| {
        let transaction = client.transaction().await?;
        let schema = schema as i32;
        let sql =
            "INSERT INTO program (name, kind, schema, address) VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO UPDATE
             SET kind = EXCLUDED.kind, schema = EXCLUDED.schema, address = EXCLUDED.address, seen_at = now()";
        transaction.execute(sql, &[&name, &kind, &schema, &address]).await?;
        transaction.execute("DELETE FROM program WHERE seen_at < now() - interval '7 days'", &[]).await?;
        let missing = "INSERT INTO job (repo, schema) SELECT id, $1::int FROM repo ON CONFLICT DO NOTHING";
        if transaction.execute(missing, &[&schema]).await? > 0 {
            transaction.execute("SELECT pg_notify($1, '')", &[&JOBS]).await?;
        }
        transaction.commit().await?;
        Ok(())
    })
}

/// Takes the job that waits longest; `None` where none is due.
pub(crate) fn take(database: &Database, worker: &str, schema: i64) -> Result<Option<Lease>, TeamError> {
    let schema = schema as i32;
    database.run(async |client| {
        let sql = "WITH due AS (
                SELECT repo FROM job WHERE schema = $1 AND asked > done AND due_at <= now()
                    AND (leased_until IS NULL OR leased_until < now())
                ORDER BY asked_at LIMIT 1 FOR UPDATE SKIP LOCKED)
            UPDATE job SET lease = nextval('lease'), leased_until = now() + $3 * interval '1 second', worker = $2
            FROM due WHERE job.repo = due.repo AND job.schema = $1 RETURNING job.repo, lease, asked";
        let seconds = LEASE.as_secs_f64();
        let row = client.query_opt(sql, &[&schema, &worker, &seconds]).await?;
        Ok(row.map(|row| Lease { repo: row.get(0), schema, number: row.get(1), asked: row.get(2) }))
    })
}

impl Lease {
    /// Goes on; [`TeamError::Fenced`] where it has ended.
    pub(crate) fn prolong(&self, database: &Database) -> Result<(), TeamError> {
        let sql = "UPDATE job SET leased_until = now() + $4 * interval '1 second'
            WHERE repo = $1 AND schema = $2 AND lease = $3 AND leased_until > now()";
        let seconds = LEASE.as_secs_f64();
        let kept = database
            .run(async |client| Ok(client.execute(sql, &[&self.repo, &self.schema, &self.number, &seconds]).await?))?;
        if kept == 1 { Ok(()) } else { Err(TeamError::Fenced) }
    }

    /// Notes that there was nothing to do.
    pub(crate) fn nothing_new(&self, database: &Database) -> Result<(), TeamError> {
        let sql = "UPDATE job SET done = $4, lease = NULL, leased_until = NULL, failures = 0, problem = NULL
            WHERE repo = $1 AND schema = $2 AND lease = $3";
        database.insist(PATIENCE, async |client| {
            client.execute(sql, &[&self.repo, &self.schema, &self.number, &self.asked]).await?;
            Ok(())
        })
    }

    /// Notes that it failed. The next try comes later each time.
    pub(crate) fn failed(&self, database: &Database, problem: &TeamError) -> Result<(), TeamError> {
        let sql = "UPDATE job SET lease = NULL, leased_until = NULL, failures = failures + 1, problem = $4,
                due_at = now() + least(power(2, least(failures, 20)), $5) * interval '1 second'
            WHERE repo = $1 AND schema = $2 AND lease = $3";
        let longest = if problem.may_pass() { LONGEST_PAUSE_OF_OURS } else { LONGEST_PAUSE };
        let problem = problem.to_string();
        database.insist(PATIENCE, async |client| {
            client.execute(sql, &[&self.repo, &self.schema, &self.number, &problem, &longest]).await?;
            Ok(())
        })
    }
}
