//! `cruxe search`.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use cruxe_index::{IndexError, JobRequest, View, Workspace};
use cruxe_model::FreshnessStatus;
use cruxe_model::config::FreshnessPolicy;
use cruxe_query::locate::{self, Answer, Found, Question};
use cruxe_store::NameMatch;
use serde_json::json;

use crate::context::{CliError, Context};
use crate::output::{self, Paint};
use crate::progress::Bar;

/// Find where a symbol is defined
///
/// Takes plain and qualified names. Registers and indexes the project first where that is needed.
/// Exits with 1 when nothing is found.
///
/// Examples:
///   cruxe search validate_token
///   cruxe search QuerySet.filter --lang python
///   cruxe search TcpListener::bind --ref v1.0 --json
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Search {
    /// The symbol
    query: String,
    /// A branch, tag or commit that is indexed [default: what is checked out]
    #[arg(long = "ref", value_name = "REF")]
    ref_name: Option<String>,
    /// Only this language
    #[arg(long, value_name = "LANG")]
    lang: Option<String>,
    /// At most so many results
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
}

impl Search {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let workspace = context.workspace()?;
        let view = fresh_view(&workspace, self.ref_name.as_deref())?;
        let question =
            Question { name: self.query.clone(), kinds: Vec::new(), language: self.lang, limit: self.limit as usize };
        let answer = locate::locate(&view, &question)?;
        if context.options.json {
            print_json(&view, &answer);
        } else {
            print(&self.query, &answer);
        }
        Ok(if answer.found.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

/// A view that is up to date: a person who asks at a terminal has just saved the file that the question is about.
pub(super) fn fresh_view<'a>(workspace: &'a Arc<Workspace>, ref_name: Option<&str>) -> Result<View<'a>, CliError> {
    let sync = |request: JobRequest| match workspace.run_job(&request, &Bar::new("indexing")) {
        Err(IndexError::Busy) => Ok(()), // somebody else is at it; what is published is what there is
        outcome => outcome.map(drop),
    };
    if ref_name.is_none() && !workspace.project.is_registered()? {
        sync(JobRequest::default())?;
    }
    let here = || workspace.project.resolve(ref_name).map(|(name, _)| name);
    let view = workspace.view(ref_name, FreshnessPolicy::BestEffort)?;
    let fresh = view.published.is_some() && view.metadata.freshness_status == FreshnessStatus::Fresh;
    if fresh {
        return Ok(view);
    }
    drop(view);
    if let Ok(name) = here() {
        sync(JobRequest { ref_name: Some(name), force: false })?;
    }
    Ok(workspace.view(ref_name, FreshnessPolicy::BestEffort)?)
}

fn print(query: &str, answer: &Answer) {
    let paint = Paint::stdout();
    let how = match answer.matched {
        None => return eprintln!("no symbol named `{query}`"),
        Some(NameMatch::Exact) => None,
        Some(NameMatch::CaseInsensitive) => Some("but for its case"),
        Some(NameMatch::Prefix) => Some("as a beginning"),
        Some(NameMatch::Typo) => Some("but for a typing error"),
    };
    if let Some(how) = how {
        eprintln!("no symbol named `{query}`; matched {how}:");
    }
    for found in &answer.found {
        let symbol = found.symbol();
        let place = format!("{}:{}", paint.path(found.file.path.as_str()), paint.number(&found.lines().0.to_string()));
        output::line(&format!("{place}  {} {}", symbol.kind.as_str(), paint.strong(&symbol.qualified_name)));
        if !symbol.signature.is_empty() {
            output::line(&format!("    {}", paint.faint(&symbol.signature)));
        }
    }
    if answer.total > answer.found.len() {
        output::line(&format!("… and {} more (--limit {})", answer.total - answer.found.len(), answer.total));
    }
}

fn print_json(view: &View, answer: &Answer) {
    let results: Vec<serde_json::Value> = answer.found.iter().map(result).collect();
    let metadata = view.metadata.clone().truncated_if(answer.total > answer.found.len());
    output::json(&json!({ "results": results, "total_candidates": answer.total, "metadata": metadata }));
}

fn result(found: &Found) -> serde_json::Value {
    let (symbol, (line_start, line_end)) = (found.symbol(), found.lines());
    json!({
        "symbol_id": found.symbol_id(), "symbol_stable_id": found.stable_id(), "path": found.file.path,
        "line_start": line_start, "line_end": line_end, "kind": symbol.kind.as_str(), "name": symbol.name,
        "qualified_name": symbol.qualified_name, "signature": symbol.signature, "language": found.file.language,
        "score": found.score.total(),
    })
}
