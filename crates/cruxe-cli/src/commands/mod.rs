//! The commands, a file each.

mod calls;
mod compare;
mod completions;
mod context_of;
mod diff;
mod doctor;
mod grep;
mod guide;
mod index;
mod init;
mod install;
mod list_refs;
mod locate;
mod man;
mod model;
mod names;
mod outline;
mod places;
mod projects;
mod prune_overlays;
mod refs;
mod remove;
mod scip_auto;
mod search;
mod serve_http;
pub(crate) mod serve_mcp;
mod state;
mod status;
mod sync;
#[cfg(feature = "team")]
mod team;
mod tool;
pub(crate) mod web;

use std::process::ExitCode;

use clap::Subcommand;

use crate::context::{CliError, Context};
use crate::cue;
use crate::cue::upgrade::Upgrade;

/// A command.
#[derive(Subcommand)]
pub(crate) enum Command {
    Init(init::Init),
    Index(index::Index),
    Sync(sync::Sync),
    Search(search::Search),
    Grep(grep::Grep),
    Model(model::Model),
    Locate(locate::Locate),
    Refs(refs::Refs),
    Calls(calls::Calls),
    Outline(outline::Outline),
    Diff(diff::Diff),
    Compare(compare::Compare),
    Context(context_of::ContextOf),
    ListRefs(list_refs::ListRefs),
    Status(status::Status),
    State(state::State),
    PruneOverlays(prune_overlays::PruneOverlays),
    Web(web::Web),
    Projects(projects::Projects),
    Remove(remove::Remove),
    ServeMcp(serve_mcp::ServeMcp),
    Install(install::Install),
    Guide(guide::Guide),
    Doctor(doctor::Doctor),
    #[cfg(feature = "team")]
    Team(Box<team::Team>),
    #[cfg(feature = "team")]
    Remote(team::RemoteCommand),
    Upgrade(Upgrade),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        match self {
            Command::Init(command) => command.run(context),
            Command::Index(command) => command.run(context),
            Command::Sync(command) => command.run(context),
            Command::Search(command) => command.run(context),
            Command::Grep(command) => command.run(context),
            Command::Model(command) => command.run(context),
            Command::Locate(command) => command.run(context),
            Command::Refs(command) => command.run(context),
            Command::Calls(command) => command.run(context),
            Command::Outline(command) => command.run(context),
            Command::Diff(command) => command.run(context),
            Command::Compare(command) => command.run(context),
            Command::Context(command) => command.run(context),
            Command::ListRefs(command) => command.run(context),
            Command::Status(command) => command.run(context),
            Command::State(command) => command.run(context),
            Command::PruneOverlays(command) => command.run(context),
            Command::Web(command) => command.run(context),
            Command::Projects(command) => command.run(context),
            Command::Remove(command) => command.run(context),
            Command::ServeMcp(command) => command.run(context),
            Command::Install(command) => command.run(context),
            Command::Guide(command) => command.run(context),
            Command::Doctor(command) => command.run(context),
            #[cfg(feature = "team")]
            Command::Team(command) => command.run(context),
            #[cfg(feature = "team")]
            Command::Remote(command) => command.run(context),
            Command::Upgrade(command) => Ok(cue::upgrade(command, context)),
            Command::Completions(command) => command.run(),
            Command::Man(command) => command.run(),
        }
    }
}
