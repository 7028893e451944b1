//! `cruxe search`.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use cruxe_index::{IndexError, JobRequest, View, Workspace};
use cruxe_model::config::FreshnessPolicy;
use cruxe_query::search::{self, Question, ResultType, SearchAnswer, SearchHit};
use cruxe_server::contract::{Metadata, ToolError};
use serde_json::json;

use crate::context::{CliError, Context};
use crate::output::{self, Paint};
use crate::progress::Bar;

/// Find code: by words, by name, by path, by an error message
///
/// Registers and indexes the project first where that is needed. Exits with 1 when nothing is found.
///
/// Examples:
///   cruxe search "where is rate limiting implemented"
///   cruxe search QuerySet.filter --lang python
///   cruxe search src/auth/jwt.rs:87
///   cruxe search '"too many requests"' --explain
///   cruxe search TcpListener::bind --ref v1.0 --json
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Search {
    /// Words, a name, a path, an error message, or a "quoted phrase"
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
    /// Say why each result ranks where it does
    #[arg(long)]
    explain: bool,
}

impl Search {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let workspace = context.workspace()?;
        let view = fresh_view(&workspace, self.ref_name.as_deref())?;
        let semantic = &workspace.project.config.semantic;
        let question = Question {
            query: self.query.clone(),
            language: self.lang,
            limit: self.limit as usize,
            semantic_ratio: if semantic.enabled { semantic.ratio } else { Some(0.0) },
            transformer: workspace.transformer().unwrap_or_else(|problem| {
                output::note(&format!("note: {problem}"));
                None
            }),
        };
        let answer = search::search(&view, &question)?;
        if context.options.json {
            print_json(&answer, &view);
        } else {
            print(&self.query, &answer, &view, self.explain);
        }
        Ok(if answer.found.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

/// How long another process that indexes is waited for: where nothing is published there is no answer without it, and elsewhere
/// what is published is what there is.
const FIRST_INDEX: Duration = Duration::from_secs(600);
const NEXT_INDEX: Duration = Duration::from_secs(5);

fn sync(workspace: &Workspace, request: &JobRequest, patience: Duration) -> Result<(), IndexError> {
    let deadline = Instant::now() + patience;
    loop {
        match workspace.run_job(request, Bar::new("indexing").watches()) {
            Err(IndexError::Busy) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(50)),
            Err(IndexError::Busy) => return Ok(()),
            outcome => return outcome.map(drop),
        }
    }
}

/// A view that is up to date: a person who asks at a terminal has just saved the file that the question is about.
pub(super) fn fresh_view<'a>(workspace: &'a Arc<Workspace>, ref_name: Option<&str>) -> Result<View<'a>, CliError> {
    if ref_name.is_none() && !workspace.project.is_registered()? {
        sync(workspace, &JobRequest::default(), FIRST_INDEX)?;
    }
    let here = || workspace.project.resolve(ref_name).map(|(name, _)| name);
    let view = workspace.view(ref_name, FreshnessPolicy::BestEffort).map_err(ToolError::from)?;
    let fresh = view.published.is_some() && view.standing.is_fresh();
    if fresh {
        return Ok(view);
    }
    let published = view.published.is_some();
    drop(view);
    if let Ok(name) = here() {
        let patience = if published { NEXT_INDEX } else { FIRST_INDEX };
        match sync(workspace, &JobRequest { ref_name: Some(name), force: false }, patience) {
            // A disk that is full or cannot be written: what was published before is still an answer, and says how old it is.
            Err(IndexError::Store(problem)) if published && problem.is_of_the_disk() => {
                output::note(&format!("note: the index could not be brought up to date: {problem}"));
            }
            outcome => outcome?,
        }
    }
    Ok(workspace.view(ref_name, FreshnessPolicy::BestEffort).map_err(ToolError::from)?)
}

fn print(query: &str, answer: &SearchAnswer, view: &View, explain: bool) {
    let paint = Paint::stdout();
    for warning in &Metadata::of_search(answer).warnings {
        output::note(&format!("note: {warning}"));
    }
    if answer.found.is_empty() {
        return output::note(&format!("nothing found for `{query}`"));
    }
    let words = words(query);
    for found in &answer.found {
        let (first, last) = found.lines;
        let lines = if first == last { first.to_string() } else { format!("{first}-{last}") };
        let place = format!("{}:{}", paint.path(found.file.path.as_str()), paint.number(&lines));
        match found.symbol() {
            Some(symbol) => {
                let name = paint.strong(&symbol.qualified_name);
                output::line(&format!("{place}  {} {name}", symbol.kind.as_str()));
            }
            None => output::line(&place),
        }
        let signature = found.symbol().map(|symbol| symbol.signature.clone()).filter(|text| !text.is_empty());
        let text = match found.target.result_type() {
            ResultType::Symbol => signature,
            ResultType::Snippet => search::snippet(view, found, 3),
            ResultType::File => None,
        };
        for line in text.iter().flat_map(|text| text.lines()) {
            output::line(&format!("    {}", highlight(line, &words, &paint)));
        }
        if explain {
            output::line(&format!("    {}", paint.faint(&why(found))));
        }
    }
    if answer.truncated {
        output::line("… and more (--limit)");
    }
}

/// The words of a query that are worth showing.
fn words(query: &str) -> Vec<String> {
    let words = query.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.len() > 2);
    words.map(str::to_lowercase).collect()
}

/// A line with the query's words set off.
fn highlight(line: &str, words: &[String], paint: &Paint) -> String {
    let lower = line.to_lowercase();
    if lower.len() != line.len() {
        return line.to_owned(); // offsets would not fit
    }
    let mut marked = vec![false; line.len()];
    for word in words {
        for (at, _) in lower.match_indices(word.as_str()) {
            let end = at + word.len();
            // Letters that take more bytes in one case than in the other may make up for each other.
            if line.is_char_boundary(at) && line.is_char_boundary(end) {
                marked[at..end].fill(true);
            }
        }
    }
    let mut out = String::new();
    let mut rest = 0;
    while rest < line.len() {
        let end = (rest..line.len()).find(|at| marked[*at] != marked[rest]).unwrap_or(line.len());
        let part = &line[rest..end];
        out.push_str(&if marked[rest] { paint.strong(part) } else { part.to_owned() });
        rest = end;
    }
    out
}

/// What a score is made of, on one line; the parts as they are shown add up to the score as it is shown.
fn why(found: &SearchHit) -> String {
    let thousandths = |part: f64| (part * 1e3).round() as i64;
    let shown = |part: i64| format!("{:.3}", part as f64 / 1e3);
    let (score, parts) = (thousandths(found.confidence), found.confidence_parts());
    let meaning = thousandths(f64::from(parts.semantic));
    let mut parts = [
        ("text", parts.text),
        ("name", parts.exact_match),
        ("qualified", parts.qualified_name),
        ("path", parts.path_affinity),
        ("used", parts.definition),
        ("kind", parts.kind_match),
    ]
    .map(|(name, part)| (name, thousandths(f64::from(part))));
    // The largest part takes what rounding left over.
    let left_over = score - parts.iter().map(|(_, part)| part).sum::<i64>();
    parts.iter_mut().max_by_key(|(_, part)| *part).into_iter().for_each(|(_, part)| *part += left_over);
    let show = |(name, part): &(&str, i64)| match *name {
        "text" if meaning > 0 => format!("text {} (of it meaning {})", shown(*part), shown(meaning)),
        name => format!("{name} {}", shown(*part)),
    };
    let parts: Vec<String> = parts.iter().filter(|(_, part)| *part > 0).map(show).collect();
    let reasons = &found.reasons;
    let reason = if found.score.text > 0.0 { &reasons.text } else { &reasons.path_affinity };
    format!("score {} = {}; {reason}", shown(score), parts.join(" + "))
}

fn print_json(answer: &SearchAnswer, view: &View) {
    let results: Vec<serde_json::Value> = answer.found.iter().map(|found| result(found, view)).collect();
    let metadata = Metadata::of_search(answer).truncated_if(answer.truncated);
    output::json(&json!({
        "results": results, "query_intent": answer.intent.as_str(), "total_candidates": answer.total,
        "metadata": metadata,
    }));
}

fn result(found: &SearchHit, view: &View) -> serde_json::Value {
    let mut result = json!({
        "path": found.file.path, "line_start": found.lines.0, "line_end": found.lines.1,
        "language": found.file.language, "score": (found.confidence * 1e4).round() / 1e4,
    });
    let extra = found.definition().map_or(json!({}), |definition| {
        let symbol = definition.symbol();
        json!({
            "symbol_id": definition.symbol_id(), "symbol_stable_id": definition.stable_id(),
            "kind": symbol.kind.as_str(), "name": symbol.name, "qualified_name": symbol.qualified_name,
            "signature": symbol.signature,
        })
    });
    let result_type = found.target.result_type();
    let mut kind = json!({"result_type": result_type.as_str()});
    if result_type == ResultType::Snippet {
        kind["snippet"] = json!(search::snippet(view, found, 3));
    }
    for more in [extra, kind] {
        if let (Some(result), serde_json::Value::Object(more)) = (result.as_object_mut(), more) {
            result.extend(more);
        }
    }
    result
}
