//! `cruxe sync`.

use std::process::ExitCode;

use clap::Args;
use cruxe_index::JobRequest;

use crate::context::{CliError, Context};

/// Take in what changed since the last time
#[derive(Args)]
pub(crate) struct Sync {
    /// Read and parse everything anew
    #[arg(long)]
    force: bool,
    /// A branch, tag or commit [default: what is checked out]
    #[arg(long = "ref", value_name = "REF")]
    ref_name: Option<String>,
}

impl Sync {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let workspace = context.workspace()?;
        super::index::run(context, &workspace, &JobRequest { ref_name: self.ref_name, force: self.force })
    }
}
