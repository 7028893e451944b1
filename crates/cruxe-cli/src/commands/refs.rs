//! `cruxe refs`.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use cruxe_query::references::{self, EdgeType, Question};
use cruxe_query::target::Wanted;
use cruxe_server::answers::{Breadth, ReferencesAnswer};
use cruxe_server::ask::layers;

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
    /// Only such uses
    #[arg(long, value_enum)]
    kind: Option<Kind>,
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

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    Imports,
    Calls,
    Implements,
    Extends,
    References,
}

impl From<Kind> for EdgeType {
    fn from(kind: Kind) -> EdgeType {
        match kind {
            Kind::Imports => EdgeType::Imports,
            Kind::Calls => EdgeType::Calls,
            Kind::Implements => EdgeType::Implements,
            Kind::Extends => EdgeType::Extends,
            Kind::References => EdgeType::References,
        }
    }
}

impl Refs {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let filter = self.places.filter(None)?;
        let wanted = self.defined.wanted(&self.symbols)?;
        let workspace = context.workspace()?;
        let view = fresh_view(&workspace, self.ref_name.as_deref())?;
        let edge = self.kind.map(EdgeType::from);
        let unresolved = if self.unresolved { self.limit as usize } else { 0 };
        answer_each(context, wanted, |wanted: Wanted| {
            let (name, filter) = (wanted.name.clone(), filter.clone());
            let question = Question { wanted, edge, filter, limit: self.limit as usize, offset: 0, unresolved };
            let found = references::find(&view, &layers(&workspace, &view), &question)?;
            Ok(ReferencesAnswer::new(Some(&name), &view, &question, found, Breadth::Full))
        })
    }
}
