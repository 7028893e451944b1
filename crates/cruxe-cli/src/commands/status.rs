//! `cruxe status`.

use std::process::ExitCode;

use clap::Args;
use cruxe_server::contract::names::INDEX_STATUS;
use serde_json::json;

use super::tool::{arguments, ask};
use crate::context::{CliError, Context};

/// Show how the index is doing
#[derive(Args)]
pub(crate) struct Status {
    /// A branch, tag or commit [default: what is checked out]
    #[arg(long = "ref", value_name = "REF")]
    ref_name: Option<String>,
}

impl Status {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        // How it is, not how it would be after a sync.
        ask(context, INDEX_STATUS, arguments([("ref", json!(self.ref_name))])).map(|_| ExitCode::SUCCESS)
    }
}
