//! The repositories of a team and what is published of them.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_postgres::Row;

use crate::database::Database;
use crate::error::TeamError;
use crate::git::is_allowed_url;
use crate::jobs::ask_statement;
use crate::notices::{JOBS, STATES};

/// A repository that is to be known to the team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRepo {
    /// The name that questions use, such as `org/name`.
    pub name: String,
    /// Where it is fetched from.
    pub url: String,
    /// Patterns of branches; `HEAD` is the default one.
    pub refs: Vec<String>,
    /// How many commits of history are fetched; 0 for all.
    pub depth: u32,
    /// How often the remote is asked for news, in seconds; 0 for never.
    pub poll_seconds: u32,
    /// What the senders of webhooks prove to know.
    pub hook_secret: String,
}

/// A repository of a team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repo {
    /// Its number.
    pub id: i64,
    /// The name that questions use.
    pub name: String,
    /// Where it is fetched from.
    pub url: String,
    /// Patterns of branches.
    pub refs: Vec<String>,
    /// How many commits of history are fetched; 0 for all.
    pub depth: u32,
    /// How often the remote is asked for news, in seconds.
    pub poll_seconds: u32,
    /// What the senders of webhooks prove to know.
    pub hook_secret: String,
}

/// A ref as it was published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedRef {
    /// Its name.
    pub name: String,
    /// Its commit.
    pub commit: String,
    /// Its files.
    pub files: u64,
    /// Its symbols.
    pub symbols: u64,
    /// Bytes of source.
    pub bytes: u64,
    /// Whether a question without a ref is about this one.
    pub is_default: bool,
}

/// How a repository is doing.
#[derive(Clone, Debug, PartialEq)]
pub struct RepoStatus {
    /// The repository.
    pub repo: Repo,
    /// What is published of it, for this version of the program.
    pub refs: Vec<PublishedRef>,
    /// When that was.
    pub published_at: Option<String>,
    /// Bytes of the published files.
    pub bytes: i64,
    /// Whether a push waits to be indexed.
    pub waiting: bool,
    /// Who is at it.
    pub worker: Option<String>,
    /// How often it failed since it last worked.
    pub failures: i32,
    /// Why it failed last.
    pub problem: Option<String>,
}

const COLUMNS: &str = "repo.id, repo.name, url, repo.refs, depth, poll_seconds, hook_secret";

fn read(row: &Row) -> Repo {
    Repo {
        id: row.get(0),
        name: row.get(1),
        url: row.get(2),
        refs: row.get(3),
        depth: row.get::<_, i32>(4).max(0) as u32,
        poll_seconds: row.get::<_, i32>(5).max(0) as u32,
        hook_secret: row.get(6),
    }
}

/// Whether a text can be the name of a repository: words of letters, digits, `.`, `-` and `_`, with `/` between them.
pub(crate) fn is_name(name: &str) -> bool {
    let word = |word: &str| {
        let plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        // Folders and files of our own end in these.
        let ours = [".git", ".state", ".pages"].iter().any(|end| word.ends_with(end));
        !word.is_empty() && plain && !word.starts_with(['.', '-']) && !ours
    };
    name.len() <= 200 && name.split('/').all(word)
}

/// Adds a repository and asks for its first index; one that is known already is changed.
pub fn add(database: &Database, new: &NewRepo, schema: i64) -> Result<Repo, TeamError> {
    if !is_name(&new.name) {
        let problem = "a name has words of letters, digits, `.`, `-` and `_`, with `/` between them";
        return Err(TeamError::Usage(format!("`{}`: {problem}", new.name)));
    }
    is_allowed_url(&new.url)?;
    database.run(async |client| {
        let sql = format!(
            "INSERT INTO repo (name, url, refs, depth, poll_seconds, hook_secret) VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (name) DO UPDATE SET url = EXCLUDED.url, refs = EXCLUDED.refs, depth = EXCLUDED.depth,
                 poll_seconds = EXCLUDED.poll_seconds
             RETURNING {COLUMNS}"
        );
        let transaction = client.transaction().await?;
        let (depth, poll) = (new.depth as i32, new.poll_seconds as i32);
        let row =
            transaction.query_one(&sql, &[&new.name, &new.url, &new.refs, &depth, &poll, &new.hook_secret]).await?;
        let repo = read(&row);
        transaction.execute(ask_statement(), &[&repo.id, &(schema as i32)]).await?;
        transaction.execute("SELECT pg_notify($1, '')", &[&JOBS]).await?;
        transaction.execute("SELECT pg_notify($1, '')", &[&STATES]).await?;
        transaction.commit().await?;
        Ok(repo)
    })
}

/// Forgets a repository; `false` where there was none. Its blobs go with the next sweep.
pub fn remove(database: &Database, name: &str) -> Result<bool, TeamError> {
    database.run(async |client| {
        let transaction = client.transaction().await?;
        let of_repo = "DELETE FROM published USING repo WHERE repo.id = published.repo AND repo.name = $1";
        transaction.execute(of_repo, &[&name]).await?;
        let gone = transaction.execute("DELETE FROM repo WHERE name = $1", &[&name]).await?;
        transaction.execute("SELECT pg_notify($1, '')", &[&STATES]).await?;
        transaction.commit().await?;
        Ok(gone > 0)
    })
}

/// The repository of a name.
pub fn find(database: &Database, name: &str) -> Result<Option<Repo>, TeamError> {
    database.run(async |client| {
        let row = client.query_opt(&format!("SELECT {COLUMNS} FROM repo WHERE name = $1"), &[&name]).await?;
        Ok(row.as_ref().map(read))
    })
}

pub(crate) fn by_id(database: &Database, id: i64) -> Result<Option<Repo>, TeamError> {
    database.run(async |client| {
        let row = client.query_opt(&format!("SELECT {COLUMNS} FROM repo WHERE id = $1"), &[&id]).await?;
        Ok(row.as_ref().map(read))
    })
}

/// Every repository, by name.
pub fn list(database: &Database) -> Result<Vec<Repo>, TeamError> {
    database.run(async |client| {
        let rows = client.query(&format!("SELECT {COLUMNS} FROM repo ORDER BY name"), &[]).await?;
        Ok(rows.iter().map(read).collect())
    })
}

/// How every repository is doing, by name.
pub fn status(database: &Database, schema: i64) -> Result<Vec<RepoStatus>, TeamError> {
    database.run(async |client| {
        let sql = format!(
            "SELECT {COLUMNS}, published.refs::text, to_char(published_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'),
                 coalesce(bytes, 0), coalesce(asked > done, false), CASE WHEN leased_until > now() THEN job.worker END,
                 coalesce(failures, 0), problem
             FROM repo LEFT JOIN published ON published.repo = repo.id AND published.schema = $1
             LEFT JOIN state ON state.id = published.state
             LEFT JOIN job ON job.repo = repo.id AND job.schema = $1 ORDER BY name"
        );
        let rows = client.query(&sql, &[&(schema as i32)]).await?;
        let one = |row: &Row| RepoStatus {
            repo: read(row),
            refs: row.get::<_, Option<String>>(7).map(|text| read_refs(&text)).unwrap_or_default(),
            published_at: row.get(8),
            bytes: row.get(9),
            waiting: row.get(10),
            worker: row.get(11),
            failures: row.get(12),
            problem: row.get(13),
        };
        Ok(rows.iter().map(one).collect())
    })
}

/// Refs as a row has them; what cannot be read is as good as nothing.
pub(crate) fn read_refs(text: &str) -> Vec<PublishedRef> {
    serde_json::from_str::<Value>(text).ok().and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_with_slashes_and_lead_nowhere_else() {
        for name in ["a", "org/name", "Org/sub/na.me_1-x"] {
            assert!(is_name(name), "{name}");
        }
        for name in
            ["", "/", "a/", "/a", "a//b", "..", "a/../b", ".a", "a/.b", "-a", "a b", "a.git", "a.git/b", "a.state", "ü"]
        {
            assert!(!is_name(name), "{name}");
        }
    }
}
