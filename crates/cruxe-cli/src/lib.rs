//! The command line: one file per command, thin on top of what the server uses too.
//!
//! Invariant: only this crate prints, reads the user's environment and ends the process.

mod commands;
mod config;
mod context;
mod cue;
mod download;
mod guide;
mod indexers;
mod install;
mod memory;
mod output;
mod program;
mod progress;
mod signals;
#[cfg(test)]
mod tool_list_tests;

use std::process::ExitCode;

use clap::{FromArgMatches, Parser};

pub use context::CliError;
use cruxe_server::contract::ToolError;

use program::Program;

/// Exact knowledge of a code base, for coding agents and people.
#[derive(Parser)]
#[command(version, propagate_version = true, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Cruxe {
    #[command(flatten)]
    options: context::Options,
    #[command(subcommand)]
    command: commands::Command,
}

const EXAMPLES: &str = "\
Examples:
  cruxe search QuerySet.filter         where a symbol is defined; indexes first if need be
  cruxe refs QuerySet.filter           who uses it; `cruxe calls` shows who calls whom
  cruxe index --ref feat/auth          index another branch without checking it out
  cruxe web                            look at all of it in a browser
  cruxe install                        make the agents on this machine use it
  cruxe serve-mcp                      serve an agent over stdio
  cruxe doctor                         what works here and what does not

The index lives under $CRUXE_HOME (default ~/.cruxe); nothing is written into the repository.";

/// Runs the program with the process's arguments, under the name that it was started by.
pub fn main() -> ExitCode {
    signals::survive();
    let code = run();
    memory::leave_to_the_system();
    code
}

fn run() -> ExitCode {
    let (program, arguments) = program::started(&std::env::args_os().collect::<Vec<_>>());
    if program == Program::Cue {
        return cue::main(&arguments);
    }
    let cruxe = match program
        .command_line()
        .try_get_matches_from(&arguments)
        .and_then(|matches| Cruxe::from_arg_matches(&matches))
    {
        Ok(cruxe) => cruxe,
        Err(problem) => {
            if let Some(message) = output::usage_for_programs(&problem) {
                let error = ToolError::invalid_input(message).suggest("Call it in another way; --help shows how.");
                output::json(&error.to_json());
            }
            output::usage(&problem);
            // Help is asked for, and no mistake.
            return ExitCode::from(if problem.use_stderr() { context::USAGE } else { 0 });
        }
    };
    let json = cruxe.options.json;
    match context::Context::new(cruxe.options).and_then(|context| cruxe.command.run(&context)) {
        Ok(code) => code,
        Err(problem) => {
            output::note(&format!("error: {problem}"));
            if let Some(next) = problem.next_step() {
                output::note(&format!("  {next}"));
            }
            let code = ExitCode::from(problem.exit_code());
            if json {
                output::json(&problem.into_tool_error().to_json());
            }
            code
        }
    }
}
