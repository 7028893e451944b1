//! The tables, and how an older database becomes a newer one.
//!
//! Steps only add: a program of the version before goes on working while and after a newer one has migrated.

use crate::blobs::Storage;
use crate::database::Database;
use crate::error::TeamError;

/// Held while the tables are made: two programs may start at the same moment.
const LOCK: i64 = 0x6372_7578;

const STEPS: &[&str] = &[
    "
CREATE TABLE setting (key text PRIMARY KEY, value text NOT NULL);

CREATE TABLE repo (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    url text NOT NULL,
    refs text[] NOT NULL,
    depth int NOT NULL,
    poll_seconds int NOT NULL,
    hook_secret text NOT NULL,
    polled_at timestamptz NOT NULL DEFAULT '-infinity',
    created_at timestamptz NOT NULL DEFAULT now()
);

-- A blob is named by the BLAKE3 of its plain bytes. Where it is kept is said by the installation, not by the row.
CREATE TABLE blob (
    hash bytea PRIMARY KEY,
    bytes int NOT NULL,
    stored boolean NOT NULL DEFAULT false,
    touched_at timestamptz NOT NULL DEFAULT now(),
    damaged boolean NOT NULL DEFAULT false
);
-- Of installations that keep blobs here. They are compressed already.
CREATE TABLE blob_data (hash bytea PRIMARY KEY, data bytea NOT NULL);
ALTER TABLE blob_data ALTER data SET STORAGE EXTERNAL;

-- What one index run published. The references to blobs hold them: what is not referred to can be swept.
CREATE TABLE state (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    repo bigint NOT NULL REFERENCES repo ON DELETE CASCADE,
    schema int NOT NULL,
    manifest bytea NOT NULL,
    bytes bigint NOT NULL,
    source_bytes bigint NOT NULL,
    added_bytes bigint NOT NULL,
    worker text NOT NULL,
    published_at timestamptz NOT NULL DEFAULT now(),
    superseded_at timestamptz
);
CREATE INDEX state_repo ON state (repo);
-- What the state has in brief, so that a question over many repositories need not bring each.
CREATE TABLE directory (state bigint PRIMARY KEY REFERENCES state ON DELETE CASCADE, bytes bytea NOT NULL);
ALTER TABLE directory ALTER bytes SET STORAGE EXTERNAL;
CREATE TABLE state_blob (
    state bigint NOT NULL REFERENCES state ON DELETE CASCADE,
    blob bytea NOT NULL REFERENCES blob,
    PRIMARY KEY (state, blob)
);
CREATE INDEX state_blob_blob ON state_blob (blob);

-- The state in use, for each version of the index's tables: during an upgrade old and new nodes read each their own.
CREATE TABLE published (
    repo bigint NOT NULL REFERENCES repo ON DELETE CASCADE,
    schema int NOT NULL,
    state bigint NOT NULL REFERENCES state,
    refs jsonb NOT NULL,
    PRIMARY KEY (repo, schema)
);

-- One row per repository and version: pushes that come while one is indexed are one more run. `asked` counts them, `done` is the
-- count that the last run began with. A lease is a number that is never given twice, and ends by the clock of the database.
CREATE SEQUENCE lease;
CREATE TABLE job (
    repo bigint NOT NULL REFERENCES repo ON DELETE CASCADE,
    schema int NOT NULL,
    asked bigint NOT NULL DEFAULT 1,
    done bigint NOT NULL DEFAULT 0,
    asked_at timestamptz NOT NULL DEFAULT now(),
    due_at timestamptz NOT NULL DEFAULT now(),
    lease bigint,
    leased_until timestamptz,
    worker text,
    failures int NOT NULL DEFAULT 0,
    problem text,
    PRIMARY KEY (repo, schema)
);
CREATE INDEX job_due ON job (schema, due_at) WHERE asked > done;

-- Programs that were seen, so that a push is indexed for every version in use.
CREATE TABLE program (
    name text PRIMARY KEY,
    kind text NOT NULL,
    schema int NOT NULL,
    address text,
    seen_at timestamptz NOT NULL DEFAULT now()
);

-- The secret itself is nowhere: it has 256 random bits, so a plain hash cannot be undone and needs no salt.
CREATE TABLE token (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    hash bytea NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz
);
CREATE TABLE team_group (name text PRIMARY KEY);
CREATE TABLE member (
    team_group text NOT NULL REFERENCES team_group ON DELETE CASCADE,
    token bigint NOT NULL REFERENCES token ON DELETE CASCADE,
    PRIMARY KEY (team_group, token)
);
-- Of a token or of a group. `repos` and `refs` are patterns with `*`; no `refs` means every ref and any commit.
CREATE TABLE scope (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    token bigint REFERENCES token ON DELETE CASCADE,
    team_group text REFERENCES team_group ON DELETE CASCADE,
    repos text NOT NULL,
    refs text[],
    CHECK ((token IS NULL) <> (team_group IS NULL))
);

CREATE TABLE call (
    at timestamptz NOT NULL,
    token bigint,
    tool text NOT NULL,
    repo text,
    ref text,
    outcome text NOT NULL,
    milliseconds int NOT NULL,
    node text NOT NULL
);
CREATE INDEX call_at ON call USING brin (at);
",
    "
-- The transaction that last changed what nodes know of a repository, so that they read what changed since they last looked. By
-- triggers: programs of the version before know nothing of it.
ALTER TABLE repo ADD changed xid8 NOT NULL DEFAULT pg_current_xact_id();
ALTER TABLE published ADD changed xid8 NOT NULL DEFAULT pg_current_xact_id();
ALTER TABLE job ADD changed xid8 NOT NULL DEFAULT pg_current_xact_id();
CREATE INDEX repo_changed ON repo (changed);
CREATE INDEX published_changed ON published (changed);
CREATE INDEX job_changed ON job (changed);
CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN NEW.changed := pg_current_xact_id(); RETURN NEW; END $$;
CREATE TRIGGER note_change BEFORE UPDATE OF name, url ON repo FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change BEFORE UPDATE OF state ON published FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change BEFORE UPDATE OF asked, done ON job FOR EACH ROW EXECUTE FUNCTION note_change();
",
];

/// The version of the tables that this program needs.
pub(crate) const NEEDED: i32 = STEPS.len() as i32;

/// Makes the tables or adds what is missing; the version before and after. What a later program added stays.
pub fn migrate(database: &Database) -> Result<(i32, i32), TeamError> {
    migrate_with(database, STEPS)
}

fn migrate_with(database: &Database, steps: &[&str]) -> Result<(i32, i32), TeamError> {
    database.run(async |client| {
        client.execute("SELECT pg_advisory_lock($1)", &[&LOCK]).await?;
        let outcome = async {
            client
                .batch_execute(
                    "CREATE TABLE IF NOT EXISTS cruxe_schema (one boolean PRIMARY KEY DEFAULT true CHECK (one), version int NOT NULL);
                     INSERT INTO cruxe_schema (version) VALUES (0) ON CONFLICT DO NOTHING",
                )
                .await?;
            let before: i32 = client.query_one("SELECT version FROM cruxe_schema", &[]).await?.get(0);
            for (at, step) in steps.iter().enumerate().skip(before.max(0) as usize) {
                let transaction = client.transaction().await?;
                transaction.batch_execute(step).await?;
                transaction.execute("UPDATE cruxe_schema SET version = $1", &[&(at as i32 + 1)]).await?;
                transaction.commit().await?;
            }
            Ok((before, before.max(steps.len() as i32)))
        }
        .await;
        client.execute("SELECT pg_advisory_unlock($1)", &[&LOCK]).await?;
        outcome
    })
}

/// Says where blobs are kept. It cannot be changed once there are some: they would not be found any more.
pub fn choose_storage(database: &Database, storage: &str) -> Result<(), TeamError> {
    Storage::parse(storage)?;
    database.run(async |client| {
        let sql = "INSERT INTO setting VALUES ('storage', $1) ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value
            WHERE NOT EXISTS (SELECT FROM blob) OR setting.value = EXCLUDED.value";
        match client.execute(sql, &[&storage]).await? {
            0 => Err(TeamError::Usage("there are blobs already, in another storage".to_owned())),
            _ => Ok(()),
        }
    })
}

/// Where blobs are kept.
pub fn storage(database: &Database) -> Result<Storage, TeamError> {
    check(database)?;
    let row = database
        .run(async |client| Ok(client.query_opt("SELECT value FROM setting WHERE key = 'storage'", &[]).await?))?;
    row.map_or(Ok(Storage::Postgres), |row| Storage::parse(row.get(0)))
}

/// Fails where the tables are older than this program needs.
pub(crate) fn check(database: &Database) -> Result<(), TeamError> {
    let known = database.run(async |client| {
        let exists = client.query_one("SELECT to_regclass('cruxe_schema') IS NOT NULL", &[]).await?;
        if !exists.get::<_, bool>(0) {
            return Ok(0);
        }
        Ok(client.query_one("SELECT version FROM cruxe_schema", &[]).await?.get::<_, i32>(0))
    })?;
    match known < NEEDED {
        true => Err(TeamError::Usage(format!(
            "the database has version {known} of the tables, this program needs {NEEDED}; run `cruxe team init`"
        ))),
        false => Ok(()),
    }
}
