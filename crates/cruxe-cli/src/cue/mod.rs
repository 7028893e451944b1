//! The `cue` command: docs and tasks beside the code, a file per command.
//!
//! Reports go to stderr, answers to stdout. Exit codes: 0 fine, 1 the workspace, 2 the configuration, 3 disk or
//! network, 4 the way it was called.

mod card;
mod clean;
mod clipboard;
mod deck;
mod doctor;
mod editor;
mod error;
mod graph;
mod init;
mod list;
mod next;
mod open;
mod picker;
mod report;
mod scene;
mod table;
pub(crate) mod upgrade;
mod watch;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use self::error::{CueError, Kind};
use crate::commands::Command;
use crate::commands::serve_mcp::ServeMcp;
use crate::commands::web::Web;
use crate::context::{Context, Options};
use crate::output::{self, Paint};

/// Docs and tasks beside the code.
#[derive(Parser)]
#[command(name = "cue", version, propagate_version = true, max_term_width = 100, after_help = EXAMPLES)]
struct Cue {
    #[command(flatten)]
    options: Options,
    #[command(subcommand)]
    command: CueCommand,
}

const EXAMPLES: &str = "\
Examples:
  cue init                             start a deck in this repository
  cue card new \"Fix the login\"         write a task card
  cue list --status active             what is being worked on
  cue next                             what can be begun, and what waits for what
  cue scene                            a snapshot for an AI, in .cuedeck/SCENE.md and the clipboard
  cue board                            the cards in a browser
  cue doctor                           dead links, broken cards, circular dependencies
  cue mcp                              serve an agent over stdio

Exit codes: 0 fine, 1 workspace, 2 configuration, 3 disk or network, 4 usage.";

#[derive(Subcommand)]
enum CueCommand {
    Init(init::Init),
    Scene(scene::Scene),
    Open(open::Open),
    Watch(watch::Watch),
    Doctor(doctor::Doctor),
    Card(card::Card),
    List(list::List),
    Next(next::Next),
    Start(next::Start),
    Graph(graph::Graph),
    /// Look at the cards in a browser: move, edit, filter, see what waits for what
    ///
    /// The page of `cruxe web`, at the board.
    Board(Web),
    Clean(clean::Clean),
    Upgrade(upgrade::Upgrade),
    /// Serve an agent over MCP on stdin and stdout
    ///
    /// The same server as `cruxe serve-mcp`: the deck's tools and the code's. Logs go to stderr.
    Mcp,
    /// Offer what comes on stdin in the clipboard until something else is copied
    #[command(hide = true)]
    HoldClipboard,
}

/// Returns what can be typed behind `cue`.
pub(crate) fn command_line() -> clap::Command {
    Cue::command()
}

/// Runs `cue` with these arguments, the first of which is its name.
pub(crate) fn main(arguments: &[OsString]) -> ExitCode {
    let cue = match Cue::try_parse_from(arguments) {
        Ok(cue) => cue,
        Err(problem) => {
            if let Some(message) = output::usage_for_programs(&problem) {
                output::json(
                    &CueError::new(Kind::Usage, message).help("`cue --help` shows how it is called.").to_json(),
                );
            }
            output::usage(&problem);
            return ExitCode::from(if problem.use_stderr() { Kind::Usage.exit_code() } else { 0 });
        }
    };
    let json = cue.options.json;
    ended(Context::new(cue.options).map_err(CueError::from).and_then(|context| run(cue.command, &context)), json)
}

/// Runs `upgrade` for `cruxe`, which has it too: whoever installed one name looks for it there.
pub(crate) fn upgrade(command: upgrade::Upgrade, context: &Context) -> ExitCode {
    ended(command.run(context), context.options.json)
}

/// Reports what went wrong, if anything did; the exit code.
fn ended(outcome: Result<ExitCode, CueError>, json: bool) -> ExitCode {
    match outcome {
        Ok(code) => code,
        Err(problem) => {
            if json {
                output::json(&problem.to_json());
            }
            output::notes(&problem.render(Paint::stderr()));
            ExitCode::from(problem.kind.exit_code())
        }
    }
}

fn run(command: CueCommand, context: &Context) -> Result<ExitCode, CueError> {
    match command {
        CueCommand::Init(command) => command.run(context),
        CueCommand::Scene(command) => command.run(context),
        CueCommand::Open(command) => command.run(context),
        CueCommand::Watch(command) => command.run(context),
        CueCommand::Doctor(command) => command.run(context),
        CueCommand::Card(command) => command.run(context),
        CueCommand::List(command) => command.run(context),
        CueCommand::Next(command) => command.run(context),
        CueCommand::Start(command) => command.run(context),
        CueCommand::Graph(command) => command.run(context),
        CueCommand::Board(command) => Ok(command.run_at(context, "/board")?),
        CueCommand::Clean(command) => command.run(context),
        CueCommand::Upgrade(command) => command.run(context),
        CueCommand::Mcp => Ok(Command::ServeMcp(ServeMcp::default()).run(context)?),
        CueCommand::HoldClipboard => clipboard::hold(),
    }
}
