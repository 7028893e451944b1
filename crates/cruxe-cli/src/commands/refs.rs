//! `cruxe refs`.

use std::process::ExitCode;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use cruxe_query::references::{self, Question};
use cruxe_query::target::Wanted;
use cruxe_server::answers::{Breadth, ReferencesAnswer};
use cruxe_server::ask::layers;
use cruxe_server::contract::UseKind;

use super::names::{Defined, answer_each};
use super::places::Places;
use super::search::fresh_view;
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
}

/// The kinds by their words.
fn kinds() -> impl TypedValueParser<Value = UseKind> {
    let words = PossibleValuesParser::new(UseKind::ALL.map(UseKind::word));
    words.try_map(|word| UseKind::ALL.into_iter().find(|kind| kind.word() == word).ok_or("no such kind"))
}

impl Refs {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let filter = self.places.filter(None)?;
        let wanted = self.defined.wanted(&self.symbols)?;
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
