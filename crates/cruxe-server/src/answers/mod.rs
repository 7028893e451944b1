//! One rendering per question: what an answer looks like as JSON, which is the contract's shape, and as text.
//!
//! An answer is made from what `cruxe-query` found. The tools send its JSON, the commands print either form, and nobody
//! else says which fields or lines there are. How a question is asked is not said here.

mod across;
mod call_graph;
mod call_path;
mod code;
mod compare;
mod detail;
mod diff;
mod followup;
mod health;
mod jobs;
mod locate;
mod mentions;
mod outline;
mod pattern;
mod ranking;
mod reasons;
mod references;
mod refs;
mod search;
mod several;
mod status;
mod symbol;
#[cfg(test)]
mod tests;
mod text;

pub use across::{Dependents, OfRepositories, Told};
pub use call_graph::{CallEdge, CallGraphAnswer};
pub use call_path::PathStep;
pub use code::Source;
pub use compare::CompareAnswer;
pub use detail::{Breadth, Detail, DetailLevel};
pub use diff::DiffAnswer;
pub use followup::FollowupAnswer;
pub use health::{HealthAnswer, ServerStatus};
pub use jobs::{ActiveJob, IndexAnswer, PastJob, SyncAnswer};
pub use locate::LocateAnswer;
pub use mentions::{MOST_UNRESOLVED, reason as reason_word};
pub use outline::OutlineAnswer;
pub use pattern::PatternAnswer;
pub use ranking::RankingAnswer;
pub use references::ReferencesAnswer;
pub use refs::{RefEntry, RefStatusWord, RefsAnswer};
pub use search::SearchAnswer;
pub use several::{Answer, Part, Refused, SeveralAnswers};
pub use status::StatusAnswer;
pub use symbol::SymbolEntry;
pub use text::{Line, Span, Style, Text};

use cruxe_model::{FreshnessStatus, IndexingStatus};
use cruxe_query::target::Target;

use crate::contract::Metadata;

/// An answer that people can read too.
pub trait Render: serde::Serialize {
    /// Returns what is shown, line by line.
    fn text(&self) -> Text;
}

/// A text that begins with what its reader should know: what the metadata says and nobody would expect.
pub(crate) fn noting(metadata: &Metadata) -> Text {
    let mut text = Text::default();
    metadata.warnings.iter().for_each(|warning| text.note(format!("note: {warning}")));
    // Where nothing is published, a warning says so.
    if metadata.freshness_status != FreshnessStatus::Fresh && metadata.indexing_status == IndexingStatus::Ready {
        text.note("note: files changed since they were indexed and are being taken in: ask again in a moment");
    }
    text
}

/// Four digits are enough to compare.
fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

/// What to tell a reader whose name is that of something a type has from another.
fn inherited(name: &str, qualified_name: &str) -> String {
    format!(
        "nothing is defined as `{name}`: it stands for {qualified_name}, which the type inherits or is extended with"
    )
}

/// What to tell a reader who asked for `name` and may not expect this definition of it.
pub(crate) fn which_definition(target: &Target, name: &str) -> Vec<String> {
    let inherited = target.inherited_as.as_ref().map(|asked| inherited(asked, &target.symbol.qualified_name));
    inherited.into_iter().chain(several_definitions(target, name)).collect()
}

/// What to tell a reader whose name has several definitions.
fn several_definitions(target: &Target, name: &str) -> Option<String> {
    (target.other_definitions > 0).then(|| {
        format!(
            "{} definitions are named `{name}`; this is about {} in {}:{}. For another, pass path, line or a qualified name",
            target.other_definitions + 1,
            target.symbol.qualified_name,
            target.symbol.path,
            target.symbol.line_start
        )
    })
}

/// What is said beside a count of what a filter left out.
fn left_out(filtered_out: usize) -> String {
    if filtered_out > 0 { format!(", {filtered_out} left out by the filter") } else { String::new() }
}

/// The place of a definition: `src/auth.rs:14-20`.
fn place(path: &str, line_start: u32, line_end: u32) -> Line {
    let lines = if line_start == line_end { line_start.to_string() } else { format!("{line_start}-{line_end}") };
    Line::new().path(path).plain(":").number(lines)
}
