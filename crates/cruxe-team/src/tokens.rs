//! Who may see what: tokens, groups of them, and grants.
//!
//! A secret has 256 random bits and is stored as its BLAKE3. A slow hash protects what people think up; nobody guesses these.

use std::collections::BTreeMap;

use cruxe_server::http::random_secret;
use tokio_postgres::Client;

use crate::database::Database;
use crate::error::TeamError;
use crate::notices::TOKENS;
use crate::pack::Hash;

/// What every secret begins with, so that scanners for leaked ones find it.
const PREFIX: &str = "cruxe_";

/// A new token's secret. It is shown once.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenSecret(pub String);

/// A token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenInfo {
    /// Its name.
    pub name: String,
    /// When it was made.
    pub created_at: String,
    /// When it ends; `None` for never.
    pub expires_at: Option<String>,
    /// Since when it is void.
    pub revoked_at: Option<String>,
    /// The groups that it belongs to.
    pub groups: Vec<String>,
}

/// Who holds a grant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A token, by name.
    Token(String),
    /// A group, by name.
    Group(String),
}

/// The right to see repositories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Its number.
    pub id: i64,
    /// Who has it.
    pub holder: Holder,
    /// A pattern of names.
    pub repos: String,
    /// Patterns of refs; `None` for all of them and any commit.
    pub refs: Option<Vec<String>>,
}

/// The tokens that hold now, with what they were granted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    pub(crate) by_hash: BTreeMap<Hash, Held>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    pub id: i64,
    pub grants: Vec<(String, Option<Vec<String>>)>,
}

/// The hash that a secret is known by.
pub(crate) fn hash_of(secret: &str) -> Hash {
    Hash::of(secret.trim().as_bytes())
}

const TIME: &str = "'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'";

async fn tell(client: &Client) -> Result<(), TeamError> {
    client.execute("SELECT pg_notify($1, '')", &[&TOKENS]).await?;
    Ok(())
}

fn no_such(what: &str, name: &str) -> TeamError {
    TeamError::Usage(format!("there is no {what} `{name}`"))
}

/// Makes a token that holds for so many days, or for ever.
pub fn create_token(database: &Database, name: &str, days: Option<u32>) -> Result<TokenSecret, TeamError> {
    let secret = random_secret().ok_or_else(|| TeamError::Usage("the system has no random numbers".to_owned()))?;
    let secret = format!("{PREFIX}{secret}");
    let hash = hash_of(&secret);
    let days = days.map(f64::from);
    database.run(async |client| {
        let sql = "INSERT INTO token (name, hash, expires_at) VALUES ($1, $2, now() + $3 * interval '1 day')
            ON CONFLICT (name) DO NOTHING";
        if client.execute(sql, &[&name, &hash.0.as_slice(), &days]).await? == 0 {
            return Err(TeamError::Usage(format!("there is a token `{name}` already; names are not used twice")));
        }
        tell(client).await
    })?;
    Ok(TokenSecret(secret))
}

/// Makes a token void.
pub fn revoke_token(database: &Database, name: &str) -> Result<(), TeamError> {
    database.run(async |client| {
        let sql = "UPDATE token SET revoked_at = coalesce(revoked_at, now()) WHERE name = $1";
        if client.execute(sql, &[&name]).await? == 0 {
            return Err(no_such("token", name));
        }
        tell(client).await
    })
}

/// Every token, by name.
pub fn list_tokens(database: &Database) -> Result<Vec<TokenInfo>, TeamError> {
    database.run(async |client| {
        let time = |column: &str| format!("to_char({column} AT TIME ZONE 'UTC', {TIME})");
        let sql = format!(
            "SELECT name, {}, {}, {}, array(SELECT team_group FROM member WHERE member.token = token.id ORDER BY 1)
             FROM token ORDER BY name",
            time("created_at"),
            time("expires_at"),
            time("revoked_at")
        );
        let rows = client.query(&sql, &[]).await?;
        let one = |row: &tokio_postgres::Row| TokenInfo {
            name: row.get(0),
            created_at: row.get(1),
            expires_at: row.get(2),
            revoked_at: row.get(3),
            groups: row.get(4),
        };
        Ok(rows.iter().map(one).collect())
    })
}

/// Grants a token or a group the sight of repositories; the number of the grant.
pub fn grant(database: &Database, holder: &Holder, repos: &str, refs: Option<&[String]>) -> Result<i64, TeamError> {
    let refs = refs.map(<[String]>::to_vec);
    database.run(async |client| {
        let row = match holder {
            Holder::Token(name) => {
                let sql = "INSERT INTO scope (token, repos, refs) SELECT id, $2::text, $3::text[] FROM token WHERE name = $1 RETURNING id";
                client.query_opt(sql, &[name, &repos, &refs]).await?.ok_or_else(|| no_such("token", name))?
            }
            Holder::Group(name) => {
                let sql = "INSERT INTO scope (team_group, repos, refs)
                    SELECT team_group.name, $2::text, $3::text[] FROM team_group WHERE name = $1 RETURNING id";
                client.query_opt(sql, &[name, &repos, &refs]).await?.ok_or_else(|| no_such("group", name))?
            }
        };
        tell(client).await?;
        Ok(row.get(0))
    })
}

/// Takes a grant back; `false` where there was none.
pub fn revoke_grant(database: &Database, id: i64) -> Result<bool, TeamError> {
    database.run(async |client| {
        let gone = client.execute("DELETE FROM scope WHERE id = $1", &[&id]).await?;
        tell(client).await?;
        Ok(gone > 0)
    })
}

/// Every grant, by number.
pub fn list_grants(database: &Database) -> Result<Vec<Grant>, TeamError> {
    database.run(async |client| {
        let sql =
            "SELECT scope.id, token.name, team_group, repos, refs FROM scope LEFT JOIN token ON token.id = scope.token
            ORDER BY scope.id";
        let rows = client.query(sql, &[]).await?;
        let one = |row: &tokio_postgres::Row| Grant {
            id: row.get(0),
            holder: match row.get::<_, Option<String>>(1) {
                Some(name) => Holder::Token(name),
                None => Holder::Group(row.get::<_, Option<String>>(2).unwrap_or_default()),
            },
            repos: row.get(3),
            refs: row.get(4),
        };
        Ok(rows.iter().map(one).collect())
    })
}

/// Makes a group.
pub fn create_group(database: &Database, name: &str) -> Result<(), TeamError> {
    database.run(async |client| {
        client.execute("INSERT INTO team_group VALUES ($1) ON CONFLICT DO NOTHING", &[&name]).await?;
        Ok(())
    })
}

/// Removes a group and what it was granted; `false` where there was none.
pub fn remove_group(database: &Database, name: &str) -> Result<bool, TeamError> {
    database.run(async |client| {
        let gone = client.execute("DELETE FROM team_group WHERE name = $1", &[&name]).await?;
        tell(client).await?;
        Ok(gone > 0)
    })
}

/// Puts a token into a group.
pub fn add_member(database: &Database, group: &str, token: &str) -> Result<(), TeamError> {
    database.run(async |client| {
        let known = client.query_opt("SELECT FROM team_group WHERE name = $1", &[&group]).await?;
        known.ok_or_else(|| no_such("group", group))?;
        let row = client.query_opt("SELECT id FROM token WHERE name = $1", &[&token]).await?;
        let id: i64 = row.ok_or_else(|| no_such("token", token))?.get(0);
        client.execute("INSERT INTO member VALUES ($1, $2) ON CONFLICT DO NOTHING", &[&group, &id]).await?;
        tell(client).await
    })
}

/// Takes a token out of a group; `false` where it was not in it.
pub fn remove_member(database: &Database, group: &str, token: &str) -> Result<bool, TeamError> {
    database.run(async |client| {
        let sql =
            "DELETE FROM member USING token WHERE token.id = member.token AND team_group = $1 AND token.name = $2";
        let gone = client.execute(sql, &[&group, &token]).await?;
        tell(client).await?;
        Ok(gone > 0)
    })
}

/// Every group with its tokens, by name.
pub fn list_groups(database: &Database) -> Result<Vec<(String, Vec<String>)>, TeamError> {
    database.run(async |client| {
        let sql = "SELECT team_group.name, array(SELECT token.name FROM member JOIN token ON token.id = member.token
            WHERE member.team_group = team_group.name ORDER BY 1) FROM team_group ORDER BY 1";
        let rows = client.query(sql, &[]).await?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    })
}

impl Tokens {
    /// The tokens that hold now. Whether one does is the database's clock to say.
    pub(crate) fn read(database: &Database) -> Result<Tokens, TeamError> {
        let rows = database.run(async |client| {
            let sql = "SELECT token.id, hash, repos, refs FROM token LEFT JOIN scope ON scope.token = token.id
                    OR scope.team_group IN (SELECT team_group FROM member WHERE member.token = token.id)
                WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) ORDER BY token.id, scope.id";
            Ok(client.query(sql, &[]).await?)
        })?;
        let mut tokens = Tokens::default();
        for row in &rows {
            let hash = Hash::from_slice(row.get(1))?;
            let held = tokens.by_hash.entry(hash).or_insert_with(|| Held { id: row.get(0), grants: Vec::new() });
            if let Some(repos) = row.get::<_, Option<String>>(2) {
                held.grants.push((repos, row.get(3)));
            }
        }
        Ok(tokens)
    }
}

impl Held {
    /// The refs of a repository that the token may see: `None` where it may not see the repository, no patterns for all of them.
    pub(crate) fn refs_of(&self, repo: &str) -> Option<Option<Vec<String>>> {
        let mut patterns = Vec::new();
        let mut granted = false;
        for (repos, refs) in &self.grants {
            if cruxe_server::scope::matches(repos, repo) {
                granted = true;
                match refs {
                    None => return Some(None),
                    Some(refs) => patterns.extend(refs.iter().cloned()),
                }
            }
        }
        granted.then_some(Some(patterns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grants_add_up_and_one_for_all_refs_says_all() {
        let refs = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        let grants = vec![
            ("org/*".to_owned(), refs(&["main"])),
            ("org/a".to_owned(), refs(&["release/*"])),
            ("org/b".to_owned(), None),
        ];
        let held = Held { id: 1, grants };
        assert_eq!(held.refs_of("org/a"), Some(refs(&["main", "release/*"])));
        assert_eq!(held.refs_of("org/b"), Some(None));
        assert_eq!(held.refs_of("org/c"), Some(refs(&["main"])));
        assert_eq!(held.refs_of("other/a"), None);
    }
}
