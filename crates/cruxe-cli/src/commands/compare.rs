//! `cruxe compare`.

use std::process::ExitCode;

use clap::Args;
use cruxe_server::contract::names::COMPARE_SYMBOL_BETWEEN_COMMITS;
use serde_json::json;

use super::tool::{Outcome, answer, arguments};
use crate::context::{CliError, Context};

/// Show how one symbol differs between two refs
///
/// Examples:
///   cruxe compare Session.save v1.0 main
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Compare {
    /// Plain or qualified name
    symbol: String,
    /// A branch, tag or commit
    base: String,
    /// Another
    head: String,
    /// The file that defines it, where several do
    #[arg(long, value_name = "FILE")]
    path: Option<String>,
}

impl Compare {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let given = arguments([
            ("symbol_name", json!(self.symbol)),
            ("base_ref", json!(self.base)),
            ("head_ref", json!(self.head)),
            ("path", json!(self.path)),
        ]);
        match answer(context, COMPARE_SYMBOL_BETWEEN_COMMITS, given, None)? {
            Outcome::Found => Ok(ExitCode::SUCCESS),
            Outcome::Nothing => Ok(ExitCode::FAILURE),
        }
    }
}
