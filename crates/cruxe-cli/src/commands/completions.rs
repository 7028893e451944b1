//! `cruxe completions`.

use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::context::CliError;
use crate::output;

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
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut crate::Cruxe::command(), "cruxe", &mut script);
        output::text(&String::from_utf8_lossy(&script));
        Ok(ExitCode::SUCCESS)
    }
}
