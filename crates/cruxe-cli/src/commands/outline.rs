//! `cruxe outline`.

use std::process::ExitCode;

use clap::Args;
use cruxe_server::contract::names::GET_FILE_OUTLINE;
use serde_json::json;

use super::tool::{answer, arguments};
use crate::context::{CliError, Context};

/// Show what a file contains: its symbols with their lines
///
/// Examples:
///   cruxe outline src/auth.rs
///   cruxe outline src/auth.rs --symbol Session
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Outline {
    /// Files, relative to the project's root
    #[arg(required = true, num_args = 1..)]
    files: Vec<String>,
    /// Only this symbol and its members, fields too
    #[arg(long, value_name = "NAME")]
    symbol: Option<String>,
    /// Only what stands at the top
    #[arg(long)]
    top: bool,
    /// Imports and tests too
    #[arg(long)]
    all: bool,
    /// A branch, tag or commit that is indexed [default: what is checked out]
    #[arg(long = "ref", value_name = "REF")]
    ref_name: Option<String>,
}

impl Outline {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        for file in &self.files {
            let given = arguments([
                ("path", json!(file)),
                ("symbol", json!(self.symbol)),
                ("depth", json!(self.top.then_some("top"))),
                ("everything", json!(self.all.then_some(true))),
                ("ref", json!(self.ref_name)),
            ]);
            answer(context, GET_FILE_OUTLINE, given, self.ref_name.as_deref())?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
