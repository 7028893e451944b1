//! `cruxe list-refs`.

use std::process::ExitCode;

use clap::Args;
use cruxe_server::contract::names::LIST_REFS;
use serde_json::Map;

use super::tool::answer;
use crate::context::{CliError, Context};

/// List the refs that are indexed
#[derive(Args)]
pub(crate) struct ListRefs {}

impl ListRefs {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        answer(context, LIST_REFS, Map::new(), None).map(|_| ExitCode::SUCCESS)
    }
}
