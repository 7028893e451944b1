//! `cruxe diff`.

use std::process::ExitCode;

use clap::Args;
use cruxe_server::contract::names::DIFF_CONTEXT;
use serde_json::json;

use super::places::Places;
use super::search::fresh_view;
use super::tool::{answer, arguments};
use crate::context::{CliError, Context};

/// Show what a branch changes, symbol by symbol
///
/// Examples:
///   cruxe diff                      what is checked out, edits included, since the default branch
///   cruxe diff main feat/oauth
///   cruxe diff v1.0 -g 'src/**' --tests exclude
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Diff {
    /// Since where [default: the default branch]
    base: Option<String>,
    /// Up to where [default: what is checked out]
    head: Option<String>,
    /// Only symbols of this kind: fn, class, struct, …
    #[arg(long)]
    kind: Option<String>,
    #[command(flatten)]
    places: Places,
    /// At most so many symbols
    #[arg(long, default_value_t = 200)]
    limit: u32,
}

impl Diff {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let given = arguments([
            ("base_ref", json!(self.base)),
            ("head_ref", json!(self.head)),
            ("kind", json!(self.kind)),
            ("paths", json!(self.places.globs())),
            ("tests", json!(self.places.tests())),
            ("limit", json!(self.limit)),
        ]);
        let workspace = context.workspace()?;
        for name in [&self.base, &self.head].into_iter().flatten() {
            fresh_view(&workspace, Some(name))?;
        }
        answer(context, DIFF_CONTEXT, given, self.head.as_deref()).map(|_| ExitCode::SUCCESS)
    }
}
