//! `cruxe locate`.

use std::process::ExitCode;

use clap::Args;
use cruxe_server::across::ALL;
use cruxe_server::contract::names::LOCATE_SYMBOL;
use serde_json::json;

use super::places::Places;
use super::tool::{Outcome, answer, arguments, ask};
use crate::context::{CliError, Context};

/// Show where a name is defined, with its source
///
/// Examples:
///   cruxe locate TcpListener::bind
///   cruxe locate save --kind method -g 'django/db/**' --limit 3
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Locate {
    /// Plain or qualified names
    #[arg(required = true, num_args = 1..)]
    names: Vec<String>,
    /// Only this kind: fn, class, struct, …
    #[arg(long)]
    kind: Option<String>,
    /// Only this language
    #[arg(long, value_name = "LANG")]
    lang: Option<String>,
    #[command(flatten)]
    places: Places,
    /// A branch, tag or commit that is indexed [default: what is checked out]
    #[arg(long = "ref", value_name = "REF")]
    ref_name: Option<String>,
    /// At most so many definitions of a name
    #[arg(long, default_value_t = 10)]
    limit: u32,
    /// About so many tokens of source
    #[arg(long, value_name = "TOKENS")]
    max_tokens: Option<u32>,
    /// Look in every project of `cruxe projects`, as they are indexed
    #[arg(long)]
    all: bool,
}

impl Locate {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let mut code = ExitCode::SUCCESS;
        for name in &self.names {
            let given = arguments([
                ("name", json!(name)),
                ("kind", json!(self.kind)),
                ("language", json!(self.lang)),
                ("paths", json!(self.places.globs())),
                ("tests", json!(self.places.tests())),
                ("ref", json!(self.ref_name)),
                ("limit", json!(self.limit)),
                ("max_tokens", json!(self.max_tokens)),
                ("workspace", json!(self.all.then_some(ALL))),
            ]);
            let outcome = match self.all {
                true => ask(context, LOCATE_SYMBOL, given)?,
                false => answer(context, LOCATE_SYMBOL, given, self.ref_name.as_deref())?,
            };
            if outcome == Outcome::Nothing {
                code = ExitCode::FAILURE;
            }
        }
        Ok(code)
    }
}
