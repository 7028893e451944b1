//! `cruxe index --scip auto`: the index, and what every installed compiler's indexer says about it.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use cruxe_index::{JobRequest, ScipFile, ScipReport, Source, Workspace};
use serde_json::{Value, json};

use super::index;
use crate::context::{CliError, Context};
use crate::indexers::{self, Choice, Ended, Lack};
use crate::output::{self, Paint};
use crate::progress::Bar;

/// What became of an indexer.
enum Outcome {
    /// What it wrote was taken in.
    Imported(Box<ScipReport>, Duration),
    /// It ran, and nothing came of it.
    Failed(String, Duration),
    /// It was not run.
    Left(Lack),
}

/// Indexes the work tree, then runs what is installed and takes in what it writes.
pub(super) fn run(
    context: &Context,
    workspace: &Workspace,
    request: &JobRequest,
    limit: Duration,
) -> Result<ExitCode, CliError> {
    let project = &workspace.project;
    let (name, source) = project.resolve(request.ref_name.as_deref())?;
    if !matches!(source, Source::WorkTree { .. }) {
        let why = format!("`--scip auto` runs on the files that are checked out, and `{name}` is not");
        return Err(CliError::Usage(why));
    }
    let report = workspace.run_job(request, Bar::new("indexing").watches())?;
    let rows = match project.store.ref_snapshot(&name)? {
        Some(published) => published.files()?,
        None => Vec::new(),
    };
    if !context.options.json {
        index::print(&report);
    }
    let mut all = Vec::new();
    for choice in indexers::choose(&rows, &project.root, std::env::var_os("PATH")) {
        let outcome = match &choice.found {
            Ok(program) => {
                tell_start(context, &choice, program);
                match one(workspace, request, &choice, program, limit)? {
                    Some(outcome) => outcome,
                    None => return Ok(ExitCode::from(130)), // as shells say it of what was interrupted
                }
            }
            Err(lack) => Outcome::Left(*lack),
        };
        if !context.options.json {
            output::line(&in_words(&choice, &outcome));
            warnings(&outcome).iter().for_each(|warning| output::line(&format!("  warning: {warning}")));
        }
        all.push((choice, outcome));
    }
    if context.options.json {
        let mut answer = index::as_json(&report);
        answer["scip_auto"] = all.iter().map(|(choice, outcome)| as_json(choice, outcome)).collect();
        output::json(&answer);
    } else if all.is_empty() {
        output::line("no indexer is known for the languages of this project");
    }
    let failed = all.iter().any(|(_, outcome)| matches!(outcome, Outcome::Failed(..)));
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Runs one indexer and takes in what it wrote; `None` when the user ended it.
fn one(
    workspace: &Workspace,
    request: &JobRequest,
    choice: &Choice,
    program: &std::path::Path,
    limit: Duration,
) -> Result<Option<Outcome>, CliError> {
    let folder = tempfile::Builder::new().prefix("cruxe-scip-").tempdir();
    let folder = folder.map_err(|problem| CliError::Environment(format!("no temporary folder: {problem}")))?;
    let written = folder.path().join("index.scip");
    let began = Instant::now();
    let bar = Bar::new(choice.indexer.program);
    let ended = indexers::run(choice.indexer, program, &workspace.project.root, &written, limit)?;
    drop(bar);
    let failed = |why: String| Outcome::Failed(why, began.elapsed());
    Ok(Some(match ended {
        Ended::Interrupted => return Ok(None),
        Ended::Late => failed(format!("ended after {} s, see --scip-time", limit.as_secs())),
        Ended::Failed(why) => failed(why),
        Ended::Done if !written.is_file() => failed("it ended well and wrote nothing".to_owned()),
        Ended::Done => {
            let imported = ScipFile::open(&written)
                .and_then(|scip| scip.import(workspace, request.ref_name.as_deref()))
                .map(|report| Outcome::Imported(Box::new(report), began.elapsed()));
            imported.unwrap_or_else(|problem| failed(problem.to_string()))
        }
    }))
}

fn tell_start(context: &Context, choice: &Choice, program: &std::path::Path) {
    if !context.options.json {
        let about = format!("running {} for {} files", program.display(), choice.files);
        output::line(&Paint::stdout().faint(&output::one_line(&about)));
    }
}

fn in_words(choice: &Choice, outcome: &Outcome) -> String {
    let (paint, program) = (Paint::stdout(), choice.indexer.program);
    match outcome {
        Outcome::Imported(report, took) => format!(
            "{} {} of {} documents of {}, {:.1} s; {} of {} files are covered",
            paint.good("imported"),
            report.taken,
            report.documents,
            if report.tool.is_empty() { program } else { &report.tool },
            took.as_secs_f64(),
            report.covered,
            report.files,
        ),
        Outcome::Failed(why, took) => {
            let why = output::one_line(why).into_owned();
            format!("{} {program}, {:.1} s: {why}", paint.bad("failed"), took.as_secs_f64())
        }
        Outcome::Left(Lack::Program) => {
            format!("no {program} for {} files: {}", choice.files, choice.indexer.install)
        }
        Outcome::Left(Lack::Marker) => {
            let needs = choice.indexer.needs.join(" or ");
            format!("no {program} for {} files: it needs {needs} at the root", choice.files)
        }
    }
}

fn warnings(outcome: &Outcome) -> Vec<String> {
    match outcome {
        Outcome::Imported(report, _) => report.warnings(),
        _ => Vec::new(),
    }
}

fn as_json(choice: &Choice, outcome: &Outcome) -> Value {
    let mut about = json!({ "indexer": choice.indexer.program, "files": choice.files });
    if let Ok(program) = &choice.found {
        about["program"] = json!(program.to_string_lossy());
    }
    let mut set = |key: &str, value: Value| about[key] = value;
    match outcome {
        Outcome::Imported(report, took) => {
            set("status", json!("imported"));
            set("duration_ms", json!(took.as_millis() as u64));
            set("tool", json!(report.tool));
            set("documents", json!(report.documents));
            set("documents_taken", json!(report.taken));
            set("files_covered", json!(report.covered));
            set("warnings", json!(report.warnings()));
        }
        Outcome::Failed(why, took) => {
            set("status", json!("failed"));
            set("duration_ms", json!(took.as_millis() as u64));
            set("reason", json!(why));
        }
        Outcome::Left(Lack::Program) => {
            set("status", json!("not_installed"));
            set("install", json!(choice.indexer.install));
        }
        Outcome::Left(Lack::Marker) => {
            set("status", json!("not_applicable"));
            set("needs", json!(choice.indexer.needs));
        }
    }
    about
}
