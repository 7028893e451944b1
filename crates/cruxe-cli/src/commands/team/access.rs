//! `cruxe team token`, `grant` and `group`: who may see what.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use cruxe_team::{Holder, admin};
use serde_json::json;

use super::{Service, done};
use crate::context::{CliError, Context};
use crate::output::{self, Paint};

/// Make, list and revoke the tokens that agents show
#[derive(Args)]
pub(super) struct Token {
    #[command(subcommand)]
    action: TokenAction,
}

#[derive(Subcommand)]
enum TokenAction {
    /// Make a token and print it; it is not kept and cannot be shown again. It may see nothing until it is granted something
    Create {
        /// Whose it is; a name is not used twice
        name: String,
        /// How many days it holds [default: until it is revoked]
        #[arg(long)]
        days: Option<u32>,
    },
    /// List the tokens, without their secrets
    List,
    /// Make a token void; every node knows within seconds
    Revoke {
        /// Its name
        name: String,
    },
}

impl Token {
    pub fn run(self, context: &Context, service: &Service) -> Result<ExitCode, CliError> {
        let database = &service.database;
        match self.action {
            TokenAction::Create { name, days } => {
                let secret = admin::create_token(database, &name, days)?.0;
                done(context, json!({"name": name, "token": secret}), || secret.clone())
            }
            TokenAction::Revoke { name } => {
                admin::revoke_token(database, &name)?;
                done(context, json!({"revoked": name}), || format!("revoked {name}"))
            }
            TokenAction::List => {
                let tokens = admin::list_tokens(database)?;
                if context.options.json {
                    let one = |token: &cruxe_team::TokenInfo| {
                        json!({
                            "name": token.name, "created_at": token.created_at, "expires_at": token.expires_at,
                            "revoked_at": token.revoked_at, "groups": token.groups,
                        })
                    };
                    output::json(&json!({"tokens": tokens.iter().map(one).collect::<Vec<_>>()}));
                    return Ok(ExitCode::SUCCESS);
                }
                let paint = Paint::stdout();
                for token in &tokens {
                    let state = match (&token.revoked_at, &token.expires_at) {
                        (Some(at), _) => paint.bad(&format!("revoked {at}")),
                        (None, Some(at)) => format!("until {at}"),
                        (None, None) => String::new(),
                    };
                    let groups = token.groups.join(", ");
                    output::line(&format!("{}  {}  {groups}  {state}", paint.strong(&token.name), token.created_at));
                }
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

/// Say which repositories, and of each which branches, a token or a group may see
#[derive(Args)]
pub(super) struct Grant {
    #[command(subcommand)]
    action: GrantAction,
}

#[derive(Subcommand)]
enum GrantAction {
    /// Grant the sight of repositories
    Add {
        /// To a token
        #[arg(long, required_unless_present = "group", conflicts_with = "group")]
        token: Option<String>,
        /// To a group
        #[arg(long)]
        group: Option<String>,
        /// A name, with * for any letters: org/app, org/*, *
        repos: String,
        /// A branch, with * for any letters; repeat it for several [default: all, and any commit]
        #[arg(long = "ref", value_name = "PATTERN")]
        refs: Vec<String>,
    },
    /// List the grants
    List,
    /// Take a grant back
    Remove {
        /// Its number, as `list` shows it
        id: i64,
    },
}

impl Grant {
    pub fn run(self, context: &Context, service: &Service) -> Result<ExitCode, CliError> {
        let database = &service.database;
        match self.action {
            GrantAction::Add { token, group, repos, refs } => {
                let holder = token.map(Holder::Token).or(group.map(Holder::Group));
                let holder = holder.ok_or_else(|| CliError::Usage("give --token or --group".to_owned()))?;
                let refs = (!refs.is_empty()).then_some(refs);
                let id = admin::grant(database, &holder, &repos, refs.as_deref())?;
                done(context, json!({"id": id}), || format!("grant {id}"))
            }
            GrantAction::Remove { id } => match admin::revoke_grant(database, id)? {
                true => done(context, json!({"removed": id}), || format!("took grant {id} back")),
                false => Err(CliError::Usage(format!("there is no grant {id}"))),
            },
            GrantAction::List => {
                let grants = admin::list_grants(database)?;
                let holder = |grant: &cruxe_team::Grant| match &grant.holder {
                    Holder::Token(name) => ("token", name.clone()),
                    Holder::Group(name) => ("group", name.clone()),
                };
                if context.options.json {
                    let one = |grant: &cruxe_team::Grant| {
                        let (kind, name) = holder(grant);
                        json!({"id": grant.id, kind: name, "repos": grant.repos, "refs": grant.refs})
                    };
                    output::json(&json!({"grants": grants.iter().map(one).collect::<Vec<_>>()}));
                    return Ok(ExitCode::SUCCESS);
                }
                for grant in &grants {
                    let (kind, name) = holder(grant);
                    let refs = grant.refs.as_ref().map_or_else(|| "all refs".to_owned(), |refs| refs.join(", "));
                    output::line(&format!("{:>5}  {kind} {name}  {}  {refs}", grant.id, grant.repos));
                }
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

/// Put tokens into groups that are granted something together
#[derive(Args)]
pub(super) struct Group {
    #[command(subcommand)]
    action: GroupAction,
}

#[derive(Subcommand)]
enum GroupAction {
    /// Make a group
    Create {
        /// Its name
        name: String,
    },
    /// List the groups and who is in them
    List,
    /// Remove a group and what it was granted
    Remove {
        /// Its name
        name: String,
    },
    /// Put a token into a group
    Join {
        /// The group
        group: String,
        /// The token's name
        token: String,
    },
    /// Take a token out of a group
    Leave {
        /// The group
        group: String,
        /// The token's name
        token: String,
    },
}

impl Group {
    pub fn run(self, context: &Context, service: &Service) -> Result<ExitCode, CliError> {
        let database = &service.database;
        match self.action {
            GroupAction::Create { name } => {
                admin::create_group(database, &name)?;
                done(context, json!({"name": name}), || format!("made {name}"))
            }
            GroupAction::Remove { name } => match admin::remove_group(database, &name)? {
                true => done(context, json!({"removed": name}), || format!("removed {name}")),
                false => Err(CliError::Usage(format!("there is no group `{name}`"))),
            },
            GroupAction::Join { group, token } => {
                admin::add_member(database, &group, &token)?;
                done(context, json!({"group": group, "token": token}), || format!("{token} is in {group}"))
            }
            GroupAction::Leave { group, token } => match admin::remove_member(database, &group, &token)? {
                true => done(context, json!({"group": group, "token": token}), || format!("{token} left {group}")),
                false => Err(CliError::Usage(format!("`{token}` is not in `{group}`"))),
            },
            GroupAction::List => {
                let groups = admin::list_groups(database)?;
                let json: Vec<_> =
                    groups.iter().map(|(name, tokens)| json!({"name": name, "tokens": tokens})).collect();
                let lines = groups.iter().map(|(name, tokens)| format!("{name}  {}", tokens.join(", ")));
                done(context, json!({"groups": json}), || lines.collect::<Vec<_>>().join("\n"))
            }
        }
    }
}
