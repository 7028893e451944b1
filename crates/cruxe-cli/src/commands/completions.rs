//! `cruxe completions`.

use std::process::ExitCode;

use clap::Args;
use clap_complete::Shell;

use crate::context::CliError;
use crate::output;
use crate::program::Program;

/// Print shell completions
///
/// For bash: cruxe completions bash > ~/.local/share/bash-completion/completions/cruxe
#[derive(Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
    /// The name that is completed
    #[arg(long, value_enum, default_value_t = Program::Cruxe)]
    program: Program,
}

impl Completions {
    pub fn run(self) -> Result<ExitCode, CliError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut self.program.command_line(), self.program.name(), &mut script);
        output::text(&String::from_utf8_lossy(&script));
        Ok(ExitCode::SUCCESS)
    }
}
