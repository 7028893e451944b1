//! `cruxe refs`.

use std::process::ExitCode;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use cruxe_query::references::{self, Question};
use cruxe_query::target::Wanted;
use cruxe_server::across::ALL;
use cruxe_server::answers::{Breadth, ReferencesAnswer};
use cruxe_server::ask::layers;
use cruxe_server::contract::UseKind;
use cruxe_server::contract::names::FIND_REFERENCES;
use serde_json::json;

use super::names::{Defined, answer_each};
use super::places::Places;
use super::search::fresh_view;
use super::tool::{Outcome, arguments, ask};
use crate::context::{CliError, Context};

/// List every use of a symbol
///
/// Uses are resolved by scope, import and type, not by text. What is only a guess is marked with `?`, and uses of the
/// name that could not be told are counted. Exits with 1 when the symbol is not found.
///
/// Examples:
///   cruxe refs validate_token
///   cruxe refs QuerySet.filter --kind calls
///   cruxe refs new --path src/auth.rs --line 42 --json
///   cruxe refs Model --kind subtypes
///   cruxe refs Field.get_internal_type --kind overrides
///   cruxe refs save --unresolved
///   cruxe refs Cart Order Invoice --limit 5
///   cruxe refs save --tests exclude -g 'django/db/**'
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Refs {
    /// The symbols: plain or qualified names, or symbol_ids
    #[arg(value_name = "SYMBOL", required = true)]
    symbols: Vec<String>,
    #[command(flatten)]
    defined: Defined,
    /// Only such uses, or what is related to it
    #[arg(long, value_parser = kinds())]
    kind: Option<UseKind>,
    /// Of a relation only the first step: no sub-types of sub-types
    #[arg(long)]
    direct: bool,
    #[command(flatten)]
    places: Places,
    /// A branch, tag or commit that is indexed [default: what is checked out]
    #[arg(long = "ref", value_name = "REF")]
    ref_name: Option<String>,
    /// At most so many
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    limit: u32,
    /// List what could not be told too, with the reason
    #[arg(long)]
    unresolved: bool,
    /// Look in every project of `cruxe projects` that depends on the symbol's package, as they are indexed
    #[arg(long, conflicts_with_all = ["unresolved", "direct"])]
    all: bool,
}

/// The kinds by their words.
fn kinds() -> impl TypedValueParser<Value = UseKind> {
    let words = PossibleValuesParser::new(UseKind::ALL.map(UseKind::word));
    words.try_map(|word| UseKind::ALL.into_iter().find(|kind| kind.word() == word).ok_or("no such kind"))
}

impl Refs {
    /// The uses in every project.
    fn ask_all(&self, context: &Context, wanted: &[Wanted]) -> Result<ExitCode, CliError> {
        let mut code = ExitCode::SUCCESS;
        for one in wanted {
            let given = arguments([
                ("symbol_name", json!(one.name)),
                ("path", json!(one.path)),
                ("line", json!(one.line)),
                ("workspace", json!(ALL)),
                ("kind", json!(self.kind.map(UseKind::word))),
                ("paths", json!(self.places.globs())),
                ("tests", json!(self.places.tests())),
                ("ref", json!(self.ref_name)),
                ("limit", json!(self.limit.min(1000))),
            ]);
            if ask(context, FIND_REFERENCES, given)? == Outcome::Nothing {
                code = ExitCode::FAILURE;
            }
        }
        Ok(code)
    }

    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let filter = self.places.filter(None)?;
        let wanted = self.defined.wanted(&self.symbols)?;
        if self.all {
            return self.ask_all(context, &wanted);
        }
        let workspace = context.workspace()?;
        let view = fresh_view(&workspace, self.ref_name.as_deref())?;
        answer_each(context, wanted, |wanted: Wanted| {
            let name = wanted.name.clone();
            let question = Question {
                wanted,
                edge: self.kind.and_then(UseKind::edge),
                relation: self.kind.and_then(UseKind::relation),
                direct: self.direct,
                filter: filter.clone(),
                limit: self.limit as usize,
                offset: 0,
                unresolved: if self.unresolved { self.limit as usize } else { 0 },
            };
            let found = references::find(&view, &layers(&workspace, &view), &question)?;
            Ok(ReferencesAnswer::new(Some(&name), &view, &question, found, Breadth::Full))
        })
    }
}
