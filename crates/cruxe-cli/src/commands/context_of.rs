//! `cruxe context`.

use std::process::ExitCode;

use clap::Args;
use cruxe_server::contract::names::READ_CONTEXT;
use serde_json::json;

use super::tool::{answer, arguments};
use crate::context::{CliError, Context};

/// Find documents, task cards and code to read before a task
///
/// Examples:
///   cruxe context how do we release
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ContextOf {
    /// Words
    #[arg(required = true, num_args = 1..)]
    query: Vec<String>,
    /// At most so many
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=50))]
    limit: u32,
}

impl ContextOf {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let given = arguments([("query", json!(self.query.join(" "))), ("limit", json!(self.limit))]);
        answer(context, READ_CONTEXT, given, None).map(|_| ExitCode::SUCCESS)
    }
}
