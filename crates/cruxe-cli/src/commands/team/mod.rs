//! `cruxe team …`: a team's server, for whoever runs it.

mod access;
mod remote;
mod repo;
mod serve;
mod status;
mod work;

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Subcommand};
use cruxe_team::{Blobs, Database, TeamError};
use serde_json::json;

use crate::context::{CliError, Context};
use crate::output::{self, Paint};

pub(crate) use remote::RemoteCommand;

/// Run Cruxe as a service for a team: PostgreSQL, workers, nodes
///
/// Workers fetch and index repositories, nodes answer agents over HTTP, both as many as you like. docs/team.md shows the set-up
/// in ten lines.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Team {
    /// The team's database, as postgresql://user:password@host/name
    #[arg(long, global = true, value_name = "URL", env = "CRUXE_TEAM_DATABASE", hide_env_values = true)]
    database: Option<String>,
    #[command(subcommand)]
    action: Action,
}

const EXAMPLES: &str = "\
Examples:
  export CRUXE_TEAM_DATABASE=postgresql://cruxe:secret@db.example.org/cruxe
  cruxe team init --storage s3://bucket/cruxe
  cruxe team repo add org/app https://git.example.org/org/app.git
  cruxe team work                            index what is pushed; start as many as you need
  cruxe team serve --bind 0.0.0.0            answer agents; start as many as you need
  cruxe team token create alice              prints the token once
  cruxe team grant add --token alice 'org/*'
  cruxe team status";

#[derive(Subcommand)]
enum Action {
    /// Make the tables, or add what a newer version needs; nodes and workers go on meanwhile
    Init {
        /// Where indexes are kept: postgres, file:///folder or s3://bucket/prefix [default: postgres]
        #[arg(long, value_name = "STORAGE")]
        storage: Option<String>,
    },
    Repo(repo::Repo),
    Token(access::Token),
    Grant(access::Grant),
    Group(access::Group),
    Work(work::Work),
    Serve(Box<serve::Serve>),
    Status(status::Status),
    /// Remove what no published state needs any more; workers do so by themselves every ten minutes
    Sweep {
        /// Keep what was of use in the last so many seconds
        #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
        grace: u64,
    },
}

/// What a command of a team works with.
struct Service {
    database: Arc<Database>,
}

impl Service {
    fn blobs(&self) -> Result<Arc<Blobs>, CliError> {
        let storage = cruxe_team::storage(&self.database)?;
        Ok(Arc::new(Blobs::open(&storage, &self.database)?))
    }
}

impl Team {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let address = self.database.ok_or_else(|| {
            CliError::Usage(
                "give --database URL or set CRUXE_TEAM_DATABASE (postgresql://user:password@host/name)".to_owned(),
            )
        })?;
        let service = Service { database: Arc::new(Database::at(&address)?) };
        match self.action {
            Action::Init { storage } => init(context, &service, storage.as_deref()),
            Action::Repo(command) => command.run(context, &service),
            Action::Token(command) => command.run(context, &service),
            Action::Grant(command) => command.run(context, &service),
            Action::Group(command) => command.run(context, &service),
            Action::Work(command) => command.run(context, &service),
            Action::Serve(command) => command.run(context, &service),
            Action::Status(command) => command.run(context, &service),
            Action::Sweep { grace } => sweep(context, &service, grace),
        }
    }
}

fn init(context: &Context, service: &Service, storage: Option<&str>) -> Result<ExitCode, CliError> {
    let (before, after) = cruxe_team::migrate(&service.database)?;
    if let Some(storage) = storage {
        cruxe_team::choose_storage(&service.database, storage)?;
    }
    done(context, json!({"before": before, "after": after}), || match before == after {
        true => format!("the tables are those of version {after} already"),
        false => format!("{} the tables of version {after}", Paint::stdout().good("made")),
    })
}

fn sweep(context: &Context, service: &Service, grace: u64) -> Result<ExitCode, CliError> {
    let swept = cruxe_team::sweep(&service.database, &*service.blobs()?, grace)?;
    let json = json!({"states": swept.states, "blobs": swept.blobs, "bytes": swept.bytes});
    done(context, json, || format!("removed {} states and {} blobs, {} bytes", swept.states, swept.blobs, swept.bytes))
}

/// Says what was done, to a program or to a person.
fn done(context: &Context, json: serde_json::Value, text: impl FnOnce() -> String) -> Result<ExitCode, CliError> {
    match context.options.json {
        true => output::json(&json),
        false => output::line(&text()),
    }
    Ok(ExitCode::SUCCESS)
}

impl From<TeamError> for CliError {
    fn from(error: TeamError) -> CliError {
        match error {
            TeamError::Usage(problem) => CliError::Usage(problem),
            TeamError::Index(problem) => CliError::Index(problem),
            TeamError::Store(problem) => CliError::from(problem),
            other => CliError::Environment(other.to_string()),
        }
    }
}
