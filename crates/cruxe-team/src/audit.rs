//! Who asked what: collected, and written a batch at a time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};

use crate::database::Database;
use crate::error::TeamError;

/// Calls that wait to be written. Where the database is away for longer than it takes to make so many, the rest is counted and not
/// written: an audit must not stop answers.
const MOST_WAITING: usize = 100_000;
const BATCH: usize = 1_000;
const EVERY: Duration = Duration::from_secs(1);

/// A call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallRecord {
    pub token: Option<i64>,
    pub tool: String,
    pub repo: Option<String>,
    pub ref_name: Option<String>,
    pub outcome: String,
    pub milliseconds: i32,
    /// The row has the time by the database's clock: those of nodes may differ.
    pub ended: Instant,
}

/// Takes calls.
pub(crate) struct Audit {
    send: Sender<CallRecord>,
}

impl Audit {
    /// Writes from a thread of its own, for as long as the process is there.
    pub fn start(database: Arc<Database>, node: String) -> Audit {
        let (send, receive) = bounded(MOST_WAITING);
        std::thread::spawn(move || write_all(&database, &node, &receive));
        Audit { send }
    }

    /// Notes a call.
    pub fn note(&self, call: CallRecord) {
        if let Err(TrySendError::Full(call)) = self.send.try_send(call) {
            tracing::error!(tool = call.tool, "the audit is full: the database has been away for too long");
        }
    }
}

fn write_all(database: &Database, node: &str, calls: &Receiver<CallRecord>) {
    while let Ok(first) = calls.recv() {
        std::thread::sleep(EVERY);
        let batch: Vec<CallRecord> = std::iter::once(first).chain(calls.try_iter().take(BATCH - 1)).collect();
        while let Err(problem) = write(database, node, &batch) {
            tracing::warn!("the audit waits: {problem}");
            std::thread::sleep(EVERY);
        }
    }
}

fn write(database: &Database, node: &str, batch: &[CallRecord]) -> Result<(), TeamError> {
    let column = |of: fn(&CallRecord) -> Option<String>| batch.iter().map(of).collect::<Vec<_>>();
    let tokens: Vec<Option<i64>> = batch.iter().map(|call| call.token).collect();
    let ages: Vec<f64> = batch.iter().map(|call| call.ended.elapsed().as_secs_f64()).collect();
    let took: Vec<i32> = batch.iter().map(|call| call.milliseconds).collect();
    let (tools, repos) = (column(|call| Some(call.tool.clone())), column(|call| call.repo.clone()));
    let (refs, outcomes) = (column(|call| call.ref_name.clone()), column(|call| Some(call.outcome.clone())));
    database.run(async |client| {
        let sql = "INSERT INTO call (at, token, tool, repo, ref, outcome, milliseconds, node)
            SELECT now() - age * interval '1 second', token, tool, repo, ref, outcome, took, $8 FROM unnest($1::float8[], $2::bigint[],
                $3::text[], $4::text[], $5::text[], $6::text[], $7::int[]) AS c (age, token, tool, repo, ref, outcome, took)";
        client.execute(sql, &[&ages, &tokens, &tools, &repos, &refs, &outcomes, &took, &node]).await?;
        Ok(())
    })
}
