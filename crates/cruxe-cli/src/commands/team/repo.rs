//! `cruxe team repo`.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use cruxe_server::http::random_secret;
use cruxe_store::SCHEMA_VERSION;
use cruxe_team::{NewRepo, admin, ask_for, without_password};
use serde_json::json;

use super::{Service, done};
use crate::context::{CliError, Context};
use crate::output::{self, Paint};

/// Add, list and remove the team's repositories
#[derive(Args)]
pub(super) struct Repo {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Add a repository, or change one; a worker indexes it
    Add {
        /// The name that questions use, such as org/name
        name: String,
        /// Where it is fetched from; `git` on the workers has to be allowed to
        url: String,
        /// A branch to index, with * for any letters; repeat it for several [default: HEAD, the default branch]
        #[arg(long = "ref", value_name = "PATTERN")]
        refs: Vec<String>,
        /// How many commits of history are fetched; 0 for all. Questions about the past need them
        #[arg(long, value_name = "COMMITS", default_value_t = 50)]
        depth: u32,
        /// How often the remote is asked for news, in seconds; 0 where a webhook tells
        #[arg(long, value_name = "SECONDS", default_value_t = 300)]
        poll: u32,
    },
    /// List the repositories
    List,
    /// Forget a repository; what is stored of it goes with the next sweep
    Remove {
        /// Its name
        name: String,
    },
    /// Have a worker look at the remote now
    Sync {
        /// Its name
        name: String,
    },
    /// Show where the host of a repository sends its webhook, and the secret
    Hook {
        /// Its name
        name: String,
    },
}

impl Repo {
    pub fn run(self, context: &Context, service: &Service) -> Result<ExitCode, CliError> {
        let database = &service.database;
        match self.action {
            Action::Add { name, url, mut refs, depth, poll } => {
                if refs.is_empty() {
                    refs.push("HEAD".to_owned());
                }
                let hook_secret = random_secret()
                    .ok_or_else(|| CliError::Environment("the system has no random numbers".to_owned()))?;
                let new = NewRepo { name, url, refs, depth, poll_seconds: poll, hook_secret };
                let repo = admin::add(database, &new, SCHEMA_VERSION)?;
                let json = json!({"id": repo.id, "name": repo.name, "refs": repo.refs});
                done(context, json, || format!("{} {}; a worker indexes it", Paint::stdout().good("added"), repo.name))
            }
            Action::List => list(context, service),
            Action::Remove { name } => match admin::remove(database, &name)? {
                true => done(context, json!({"removed": name}), || format!("removed {name}")),
                false => Err(no_such(&name)),
            },
            Action::Sync { name } => {
                let repo = admin::find(database, &name)?.ok_or_else(|| no_such(&name))?;
                ask_for(database, repo.id, SCHEMA_VERSION)?;
                done(context, json!({"asked": name}), || format!("a worker will look at {name}"))
            }
            Action::Hook { name } => {
                let repo = admin::find(database, &name)?.ok_or_else(|| no_such(&name))?;
                let path = format!("/team/v1/hook/{name}");
                let json = json!({"path": path, "content_type": "application/json", "secret": repo.hook_secret});
                done(context, json, || {
                    format!(
                        "https://NODE{path}\nsecret: {}\ncontent type: application/json, pushes only",
                        repo.hook_secret
                    )
                })
            }
        }
    }
}

fn no_such(name: &str) -> CliError {
    CliError::Usage(format!("there is no repository `{name}`; `cruxe team repo list` shows all"))
}

fn list(context: &Context, service: &Service) -> Result<ExitCode, CliError> {
    let repos = admin::list(&service.database)?;
    if context.options.json {
        let one = |repo: &cruxe_team::Repo| {
            json!({
                "id": repo.id, "name": repo.name, "url": without_password(&repo.url), "refs": repo.refs,
                "depth": repo.depth, "poll_seconds": repo.poll_seconds,
            })
        };
        output::json(&json!({"repos": repos.iter().map(one).collect::<Vec<_>>()}));
        return Ok(ExitCode::SUCCESS);
    }
    let paint = Paint::stdout();
    for repo in &repos {
        let refs = repo.refs.join(", ");
        output::line(&format!("{}  {refs}  {}", paint.strong(&repo.name), paint.faint(&without_password(&repo.url))));
    }
    Ok(ExitCode::SUCCESS)
}
