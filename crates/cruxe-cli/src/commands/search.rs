//! `cruxe search`.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use cruxe_index::{IndexError, JobRequest, View, Workspace};
use cruxe_model::config::FreshnessPolicy;
use cruxe_query::search;
use cruxe_server::across::ALL;
use cruxe_server::answers::{Breadth, Detail, SearchAnswer, Source};
use cruxe_server::ask::{language, layers, search_question};
use cruxe_server::contract::names::SEARCH_CODE;
use serde_json::json;

use super::places::Places;
use super::tool::{Outcome, arguments, ask};
use crate::context::{CliError, Context};
use crate::output;
use crate::progress::Bar;

/// Find code: by words, by name, by path, by an error message
///
/// Registers and indexes the project first where that is needed. Exits with 1 when nothing is found.
///
/// Examples:
///   cruxe search where is rate limiting implemented
///   cruxe search QuerySet.filter --lang python
///   cruxe search src/auth/jwt.rs:87
///   cruxe search '"too many requests"' --explain
///   cruxe search TcpListener::bind --ref v1.0 --json
///   cruxe search --all retry with backoff
///   cruxe search parse headers -g 'src/**' -g '!*_gen.rs' --tests exclude --kind fn
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Search {
    /// Words, a name, a path, an error message, or a "quoted phrase"
    #[arg(required = true, num_args = 1..)]
    query: Vec<String>,
    /// A branch, tag or commit that is indexed [default: what is checked out]
    #[arg(long = "ref", value_name = "REF")]
    ref_name: Option<String>,
    /// Only this language
    #[arg(long, value_name = "LANG")]
    lang: Option<String>,
    /// Only symbols of this kind: fn, class, struct, …
    #[arg(long)]
    kind: Option<String>,
    #[command(flatten)]
    places: Places,
    /// At most so many results
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    /// So many more lines of source before and after what matches
    #[arg(short = 'C', long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    context: u32,
    /// Say why each result ranks where it does
    #[arg(long)]
    explain: bool,
    /// Search every project of `cruxe projects`, as they are indexed
    #[arg(long, conflicts_with_all = ["explain", "context"])]
    all: bool,
}

/// Lines of source that are shown with a result.
const SHOWN_LINES: usize = 3;

impl Search {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let query = self.query.join(" ");
        if query.trim().is_empty() {
            return Err(CliError::Usage("the query is empty: say what to search for".to_owned()));
        }
        if self.all {
            let given = arguments([
                ("query", json!(query)),
                ("workspace", json!(ALL)),
                ("language", json!(self.lang)),
                ("kind", json!(self.kind)),
                ("paths", json!(self.places.globs())),
                ("tests", json!(self.places.tests())),
                ("ref", json!(self.ref_name)),
                ("limit", json!(self.limit)),
            ]);
            let found = ask(context, SEARCH_CODE, given)? == Outcome::Found;
            return Ok(if found { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        let language = language(self.lang.as_deref()).map_err(|error| CliError::Usage(error.message))?;
        let filter = self.places.filter(self.kind.as_deref())?;
        let workspace = context.workspace()?;
        let view = fresh_view(&workspace, self.ref_name.as_deref())?;
        let limit = self.limit as usize;
        let (mut question, problem) = search_question(&workspace, &query, language, limit);
        question.filter = filter;
        let found = search::search(&view, &question)?;
        let detail = Detail { breadth: Breadth::Full, ..Detail::default() };
        let answer = SearchAnswer::new(&query, &view, &layers(&workspace, &view), &found, &detail)?.warn(problem);
        let source = Source::Lines(SHOWN_LINES + 2 * self.context as usize);
        let answer = if context.options.json { answer } else { answer.with_source(&view, &found, source)? };
        let answer = if self.explain { answer.with_why(&found) } else { answer };
        output::answer(&answer, context.options.json);
        Ok(if found.found.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

/// How long another process that indexes is waited for: where nothing is published there is no answer without it, and elsewhere
/// what is published is what there is.
const FIRST_INDEX: Duration = Duration::from_secs(600);
const NEXT_INDEX: Duration = Duration::from_secs(5);

/// Brings a ref up to date; `false` when another process was at it all the time.
fn sync(workspace: &Workspace, request: &JobRequest, patience: Duration) -> Result<bool, IndexError> {
    let (deadline, bar) = (Instant::now() + patience, Bar::new("indexing"));
    loop {
        match workspace.run_job(request, bar.watches()) {
            Err(IndexError::Busy) if Instant::now() < deadline => {
                // How far the other one is.
                if let Ok(Some(job)) = workspace.active_job() {
                    bar.show(job.done, job.total);
                }
                std::thread::sleep(Duration::from_millis(50));
            }
            Err(IndexError::Busy) => return Ok(false),
            outcome => return outcome.map(|_| true),
        }
    }
}

/// A view that is up to date: a person who asks at a terminal has just saved the file that the question is about, or
/// switched to another branch. It always has something published: what nobody looked at is no answer.
pub(super) fn fresh_view<'a>(workspace: &'a Arc<Workspace>, ref_name: Option<&str>) -> Result<View<'a>, CliError> {
    if ref_name.is_none() && !workspace.project.is_registered()? {
        sync(workspace, &JobRequest::default(), FIRST_INDEX)?;
    }
    let here = || workspace.project.resolve(ref_name).map(|(name, _)| name);
    let published = match workspace.view(ref_name, FreshnessPolicy::BestEffort) {
        Ok(view) if view.published.is_some() && view.standing.is_fresh() => {
            // A person is told of an index that cannot be read before anything is asked of it.
            workspace.project.store.open_index().map_err(IndexError::from)?;
            return Ok(view);
        }
        Ok(view) => view.published.is_some(),
        Err(IndexError::RefNotIndexed(_)) => false,
        Err(IndexError::Store(problem)) if problem.is_outdated() => {
            output::note("note: an earlier version made this index; it is rebuilt");
            false
        }
        Err(problem) => return Err(problem.into()),
    };
    if let Ok(name) = here() {
        let patience = if published { NEXT_INDEX } else { FIRST_INDEX };
        match sync(workspace, &JobRequest { ref_name: Some(name), force: false }, patience) {
            // A disk that is full or cannot be written: what was published before is still an answer, and says how old it is.
            Err(IndexError::Store(problem)) if published && problem.is_of_the_disk() => {
                output::note(&format!("note: the index could not be brought up to date: {problem}"));
            }
            Ok(false) if published => {
                output::note("note: another process is still indexing; this is what was indexed before");
            }
            outcome => drop(outcome?),
        }
    }
    let view = workspace.view(ref_name, FreshnessPolicy::BestEffort)?;
    if view.published.is_none() {
        return Err(IndexError::Busy.into());
    }
    Ok(view)
}
