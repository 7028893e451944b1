//! What was indexed when, and how it ended. Kept apart from the facts: it outlives a rebuild and can be written while
//! a long transaction holds the other database. For the same reason it is where the use of a ref is noted.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::lock::WriterLock;
use crate::schema;

/// How many ended jobs are remembered.
const REMEMBERED: i64 = 50;

/// Whether a job looked at everything or only at what changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobMode {
    /// Everything.
    Full,
    /// What changed.
    Incremental,
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobStatus {
    /// Waits.
    Queued,
    /// Works.
    Running,
    /// Done; its result is what queries see.
    Published,
    /// Gave up; what was published before stays.
    Failed,
    /// Its process ended before it did.
    Interrupted,
}

impl JobStatus {
    /// The word in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            JobStatus::Queued => "queued",
            JobStatus::Running => "running",
            JobStatus::Published => "published",
            JobStatus::Failed => "failed",
            JobStatus::Interrupted => "interrupted",
        }
    }

    fn parse(text: &str) -> JobStatus {
        let all = [JobStatus::Queued, JobStatus::Running, JobStatus::Published, JobStatus::Failed];
        all.into_iter().find(|status| status.as_str() == text).unwrap_or(JobStatus::Interrupted)
    }
}

impl JobMode {
    /// The word in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            JobMode::Full => "full",
            JobMode::Incremental => "incremental",
        }
    }
}

/// A job.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its id.
    pub id: String,
    /// The ref it indexes.
    pub ref_name: String,
    /// Everything or only what changed.
    pub mode: JobMode,
    /// How far it is.
    pub status: JobStatus,
    /// Files added, changed or removed; known at the end.
    pub changed_files: Option<u64>,
    /// Files of the ref; known at the end.
    pub file_count: Option<u64>,
    /// Files done so far.
    pub done: u64,
    /// Files to do, once they are counted.
    pub total: Option<u64>,
    /// How files ended: outcome and number.
    pub outcomes: serde_json::Map<String, serde_json::Value>,
    /// What went wrong.
    pub error: Option<String>,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// How long it took, or takes so far.
    pub duration_ms: u64,
}

impl Job {
    /// Whether it still goes on.
    pub fn is_active(&self) -> bool {
        matches!(self.status, JobStatus::Queued | JobStatus::Running)
    }

    /// 0 to 100, from real counts.
    pub fn percent(&self) -> u8 {
        match (self.status, self.total) {
            (JobStatus::Published, _) => 100,
            (_, Some(total)) if total > 0 => (self.done.min(total) * 100 / total) as u8,
            _ => 0,
        }
    }
}

/// The history of jobs of one project.
pub(crate) struct Jobs {
    connection: Connection,
    lock_path: PathBuf,
    lasting: bool,
}

impl Jobs {
    /// Opens the history; a damaged one is replaced by an empty one, because it is only history.
    pub fn open(path: &Path, lock_path: PathBuf) -> Result<Jobs, StoreError> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(StoreError::io(folder))?;
        }
        let connection = match connect(path) {
            Err(StoreError::Corrupt { .. }) => {
                tracing::warn!("the job history was damaged and starts anew");
                for suffix in ["", "-wal", "-shm"] {
                    let mut file = path.as_os_str().to_owned();
                    file.push(suffix);
                    let _ = std::fs::remove_file(file);
                }
                connect(path)?
            }
            // A home that cannot be written: what was noted is not to be had, and nothing will be.
            Err(problem) if problem.is_read_only() => {
                let connection = Connection::open_in_memory()?;
                connection.execute_batch(TABLES)?;
                return Ok(Jobs { connection, lock_path, lasting: false });
            }
            other => other?,
        };
        Ok(Jobs { connection, lock_path, lasting: true })
    }

    /// Whether what is noted stays; not where the disk cannot be written.
    pub fn is_lasting(&self) -> bool {
        self.lasting
    }

    /// Notes a new job.
    pub fn start(&self, id: &str, ref_name: &str, mode: JobMode, now: Timestamp) -> Result<(), StoreError> {
        let sql =
            "INSERT INTO job (id, ref, mode, status, done, outcomes, created_at) VALUES (?1, ?2, ?3, ?4, 0, '{}', ?5)";
        let status = JobStatus::Running.as_str();
        self.connection.execute(sql, params![id, ref_name, mode.as_str(), status, now.to_string()])?;
        let old = "DELETE FROM job WHERE status NOT IN ('queued', 'running') AND rowid NOT IN \
                   (SELECT rowid FROM job ORDER BY rowid DESC LIMIT ?1)";
        self.connection.execute(old, params![REMEMBERED])?;
        Ok(())
    }

    /// Notes how far a job is.
    pub fn progress(&self, id: &str, done: u64, total: Option<u64>) -> Result<(), StoreError> {
        self.connection.execute("UPDATE job SET done = ?2, total = ?3 WHERE id = ?1", params![id, done, total])?;
        Ok(())
    }

    /// Notes how a job ended.
    pub fn finish(&self, job: &Job) -> Result<(), StoreError> {
        let sql = "UPDATE job SET status = ?2, changed_files = ?3, file_count = ?4, done = ?5, total = ?6, \
                   outcomes = ?7, error = ?8, duration_ms = ?9, mode = ?10 WHERE id = ?1";
        let outcomes = serde_json::Value::Object(job.outcomes.clone()).to_string();
        self.connection.execute(
            sql,
            params![
                job.id,
                job.status.as_str(),
                job.changed_files,
                job.file_count,
                job.done,
                job.total,
                outcomes,
                job.error,
                job.duration_ms,
                job.mode.as_str()
            ],
        )?;
        Ok(())
    }

    /// The job that goes on now, if any.
    pub fn active(&self) -> Result<Option<Job>, StoreError> {
        let sql = format!("{SELECT} WHERE status IN ('queued', 'running') ORDER BY rowid DESC LIMIT 1");
        let job = self.connection.prepare_cached(&sql)?.query_row([], read).optional()?;
        match job {
            // A job without a process behind it is not going on; the next writer notes that it was interrupted.
            Some(_) if !WriterLock::is_held(&self.lock_path)? => Ok(None),
            job => Ok(job),
        }
    }

    /// The latest jobs, newest first, those that go on included.
    pub fn recent(&self, limit: usize) -> Result<Vec<Job>, StoreError> {
        let sql = format!("{SELECT} ORDER BY rowid DESC LIMIT ?1");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut jobs = statement.query_map(params![limit as i64], read)?.collect::<Result<Vec<_>, _>>()?;
        if jobs.iter().any(Job::is_active) && !WriterLock::is_held(&self.lock_path)? {
            for job in jobs.iter_mut().filter(|job| job.is_active()) {
                // It ended since it was read, or its process died: a job notes its end before it lets the lock go.
                if let Some(now) = self.get(&job.id)? {
                    *job = now;
                }
                if job.is_active() {
                    job.status = JobStatus::Interrupted;
                }
            }
        }
        Ok(jobs)
    }

    /// The job with this id.
    pub fn get(&self, id: &str) -> Result<Option<Job>, StoreError> {
        let sql = format!("{SELECT} WHERE id = ?1");
        Ok(self.connection.prepare_cached(&sql)?.query_row(params![id], read).optional()?)
    }

    /// Notes that a ref was asked for.
    pub fn touch(&self, ref_name: &str, now: Timestamp) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO access (ref, at) VALUES (?1, ?2)";
        self.connection.prepare_cached(sql)?.execute(params![ref_name, now.to_string()])?;
        Ok(())
    }

    /// When a ref was last asked for.
    pub fn accessed(&self, ref_name: &str) -> Result<Option<Timestamp>, StoreError> {
        let mut statement = self.connection.prepare_cached("SELECT at FROM access WHERE ref = ?1")?;
        let at: Option<String> = statement.query_row(params![ref_name], |row| row.get(0)).optional()?;
        Ok(at.and_then(|at| at.parse().ok()))
    }

    /// Notes jobs whose process ended before they did, and returns them. The caller holds the writer's lock.
    pub fn recover(&self, _lock: &WriterLock) -> Result<Vec<Job>, StoreError> {
        let sql = format!("{SELECT} WHERE status IN ('queued', 'running') ORDER BY rowid");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut jobs = statement.query_map([], read)?.collect::<Result<Vec<_>, _>>()?;
        for job in &mut jobs {
            job.status = JobStatus::Interrupted;
            job.error = Some("the process ended before the job did".to_owned());
            self.finish(job)?;
        }
        Ok(jobs)
    }
}

const SELECT: &str = "SELECT id, ref, mode, status, changed_files, file_count, done, total, outcomes, error, created_at, \
                      duration_ms FROM job";

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open(path)?;
    // It is only history, and who waits for an answer or an edit would wait for it.
    schema::configure(&connection, schema::Sync::Never)?;
    connection.execute_batch(TABLES)?;
    Ok(connection)
}

const TABLES: &str = "CREATE TABLE IF NOT EXISTS job (id TEXT UNIQUE NOT NULL, ref TEXT NOT NULL, mode TEXT NOT NULL, \
     status TEXT NOT NULL, changed_files INTEGER, file_count INTEGER, done INTEGER NOT NULL, total INTEGER, \
     outcomes TEXT NOT NULL, error TEXT, created_at TEXT NOT NULL, duration_ms INTEGER NOT NULL DEFAULT 0); \
     CREATE TABLE IF NOT EXISTS access (ref TEXT PRIMARY KEY, at TEXT NOT NULL) WITHOUT ROWID";

fn read(row: &Row) -> rusqlite::Result<Job> {
    let (mode, status, outcomes, created): (String, String, String, String) =
        (row.get(2)?, row.get(3)?, row.get(8)?, row.get(10)?);
    Ok(Job {
        id: row.get(0)?,
        ref_name: row.get(1)?,
        mode: if mode == "full" { JobMode::Full } else { JobMode::Incremental },
        status: JobStatus::parse(&status),
        changed_files: row.get(4)?,
        file_count: row.get(5)?,
        done: row.get(6)?,
        total: row.get(7)?,
        outcomes: serde_json::from_str(&outcomes).unwrap_or_default(),
        error: row.get(9)?,
        created_at: created.parse().unwrap_or(Timestamp::UNIX_EPOCH),
        duration_ms: row.get(11)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_without_a_process_is_interrupted() {
        let folder = tempfile::tempdir().unwrap();
        let (path, lock_path) = (folder.path().join("jobs.db"), folder.path().join("lock"));
        let jobs = Jobs::open(&path, lock_path.clone()).unwrap();
        let lock = WriterLock::acquire(&lock_path).unwrap();
        jobs.start("a1", "main", JobMode::Full, Timestamp::UNIX_EPOCH).unwrap();
        jobs.progress("a1", 5, Some(20)).unwrap();
        assert_eq!(jobs.active().unwrap().unwrap().percent(), 25);
        drop(lock);
        assert_eq!(jobs.active().unwrap(), None);
        assert_eq!(jobs.recent(5).unwrap()[0].status, JobStatus::Interrupted);

        let lock = WriterLock::acquire(&lock_path).unwrap();
        let found = jobs.recover(&lock).unwrap();
        assert_eq!(found.iter().map(|job| job.id.as_str()).collect::<Vec<_>>(), ["a1"]);
        assert_eq!(jobs.recover(&lock).unwrap(), []);
        assert_eq!(jobs.get("a1").unwrap().unwrap().status, JobStatus::Interrupted);
    }

    #[test]
    fn a_damaged_history_starts_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jobs.db");
        std::fs::write(&path, "this is no database, and it is long enough to be read as one".repeat(40)).unwrap();
        let jobs = Jobs::open(&path, folder.path().join("lock")).unwrap();
        assert_eq!(jobs.recent(5).unwrap(), []);
    }
}
