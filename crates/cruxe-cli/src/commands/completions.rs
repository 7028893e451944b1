//! `cruxe completions`.

use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::context::CliError;

/// Print shell completions
///
/// For bash: cruxe completions bash > ~/.local/share/bash-completion/completions/cruxe
#[derive(Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub fn run(self) -> Result<ExitCode, CliError> {
        clap_complete::generate(self.shell, &mut crate::Cruxe::command(), "cruxe", &mut std::io::stdout());
        Ok(ExitCode::SUCCESS)
    }
}
