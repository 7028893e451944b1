//! What works in a workspace and what does not, in words: what `cruxe doctor` prints and the page about the index shows.
//!
//! Everything is read to the last byte, so it takes as long as that takes.

use std::collections::HashSet;

use cruxe_extract::language::FrontEnd;
use cruxe_extract::languages::LANGUAGES;
use cruxe_extract::registry;
use cruxe_index::{IndexError, Listing, Workspace};
use cruxe_model::SchemaStatus;
use cruxe_store::JobStatus;
use serde::Serialize;

/// Where Linux says how many folders a user may watch.
const WATCHES: &str = "/proc/sys/fs/inotify/max_user_watches";

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was looked at.
    pub name: &'static str,
    /// Whether it is as it should be.
    pub ok: bool,
    /// What was found.
    pub detail: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Checks a workspace.
pub fn checks(workspace: &Workspace) -> Result<Vec<Check>, IndexError> {
    let mut checks = vec![project(workspace)?];
    checks.extend(index(workspace));
    checks.extend(embeddings(workspace));
    checks.extend(compiler(workspace));
    checks.push(grammars());
    let listing = workspace.project.scan();
    checks.extend(watching(listing.as_ref().ok()));
    checks.push(ignore_rules(listing));
    checks.push(jobs(workspace)?);
    checks.extend(settings(workspace));
    Ok(checks)
}

fn project(workspace: &Workspace) -> Result<Check, IndexError> {
    let project = &workspace.project;
    let vcs = match &project.repo {
        Some(repo) => format!("git, {}", repo.head().map_err(IndexError::from)?.ref_name),
        None => "no version control".to_owned(),
    };
    Ok(Check {
        name: "project",
        ok: true,
        detail: format!("{} ({vcs}), index in {}", project.root.display(), project.store.dir().root().display()),
        next: None,
    })
}

/// SQLite and Tantivy, each read to the last byte.
fn index(workspace: &Workspace) -> Vec<Check> {
    let (status, _, message) = workspace.schema();
    let outcome = workspace.project.store.validate();
    let force = || Some("run `cruxe index --force`".to_owned());
    if workspace.is_outdated() {
        let detail = message.unwrap_or_default();
        let next = Some("run `cruxe index`, or ask something: it is rebuilt".to_owned());
        return vec![Check { name: "database (SQLite)", ok: false, detail, next }];
    }
    match (status, outcome) {
        (SchemaStatus::NotIndexed, _) => {
            let detail = "nothing is indexed yet".to_owned();
            let next = Some("run `cruxe index`".to_owned());
            vec![
                Check { name: "database (SQLite)", ok: true, detail: detail.clone(), next },
                Check { name: "full-text index (Tantivy)", ok: true, detail, next: None },
            ]
        }
        (_, Err(problem)) => {
            let text = problem.to_string();
            let of_text = text.contains("full-text");
            let check = |name, broken: bool| Check {
                name,
                ok: !broken,
                detail: if broken { text.clone() } else { "readable".to_owned() },
                next: if broken { force() } else { None },
            };
            vec![check("database (SQLite)", !of_text), check("full-text index (Tantivy)", of_text)]
        }
        (SchemaStatus::Compatible, Ok(())) => vec![
            Check { name: "database (SQLite)", ok: true, detail: "every page is sound".to_owned(), next: None },
            Check {
                name: "full-text index (Tantivy)",
                ok: true,
                detail: "every checksum holds".to_owned(),
                next: None,
            },
        ],
        (_, Ok(())) => {
            vec![Check { name: "database (SQLite)", ok: false, detail: message.unwrap_or_default(), next: force() }]
        }
    }
}

/// The embeddings, read to the last byte; nothing to say where the index itself cannot be read.
fn embeddings(workspace: &Workspace) -> Option<Check> {
    workspace.project.store.open_index().ok()?;
    let outcome = workspace.project.store.validate_vectors();
    let (ok, next) = (outcome.is_ok(), "run `cruxe sync`: it makes them anew".to_owned());
    let detail = outcome
        .map_or_else(|_| "damaged; search ranks by words alone".to_owned(), |()| "every checksum holds".to_owned());
    Some(Check { name: "embeddings", ok, detail, next: (!ok).then_some(next) })
}

/// What a compiler's index covers; nothing to say where none was taken in.
fn compiler(workspace: &Workspace) -> Option<Check> {
    let (name, _) = workspace.project.resolve(None).ok()?;
    let published = workspace.project.store.ref_snapshot(&name).ok()??;
    let covered = published.compiler_coverage().ok().filter(|covered| *covered > 0)?;
    let detail = format!("{covered} of {} files of {name} are covered", published.state.files);
    Some(Check { name: "compiler's index (SCIP)", ok: true, detail, next: None })
}

fn grammars() -> Check {
    let broken: Vec<&str> = LANGUAGES
        .iter()
        .filter(|def| matches!(def.front_end, FrontEnd::Grammar { .. }) && registry::loaded(def).is_none())
        .map(|def| def.id)
        .collect();
    Check {
        name: "grammars (tree-sitter)",
        ok: broken.is_empty(),
        detail: match broken.is_empty() {
            true => format!("{} languages", LANGUAGES.len()),
            false => format!("cannot load {}", broken.join(", ")),
        },
        next: None,
    }
}

/// Whether the system lets a server watch every folder; nothing to say where it has no such bound.
fn watching(listing: Option<&Listing>) -> Option<Check> {
    let allowed: usize = std::fs::read_to_string(WATCHES).ok()?.trim().parse().ok()?;
    let folders: HashSet<&str> = listing?
        .files
        .iter()
        .map(|file| file.path.as_str().rsplit_once('/').map_or("", |(folder, _)| folder))
        .collect();
    let (needed, ok) = (folders.len(), folders.len() < allowed);
    let next =
        "raise it with `sysctl fs.inotify.max_user_watches`; without it every question looks at the files".to_owned();
    let detail = format!("{needed} folders to watch, the system allows {allowed} watches to a user");
    Some(Check { name: "watching (inotify)", ok, detail, next: (!ok).then_some(next) })
}

fn ignore_rules(listing: Result<Listing, IndexError>) -> Check {
    match listing {
        Ok(listing) => {
            let warnings = listing.warnings.first().map(|warning| format!("; {warning}")).unwrap_or_default();
            let detail =
                format!("{} files to index, {} left out{warnings}", listing.files.len(), listing.skipped.len());
            Check { name: "ignore rules", ok: true, detail, next: None }
        }
        Err(problem) => Check { name: "ignore rules", ok: false, detail: problem.to_string(), next: None },
    }
}

/// What a repository's own configuration says and may not say; nothing to tell where there is none of that.
fn settings(workspace: &Workspace) -> Option<Check> {
    let ignored = &workspace.project.config.ignored;
    let next = Some("put it into your own configuration if you want it, see docs/configuration.md".to_owned());
    (!ignored.is_empty()).then(|| Check { name: "configuration", ok: true, detail: ignored.join("; "), next })
}

fn jobs(workspace: &Workspace) -> Result<Check, IndexError> {
    let (detail, next) = match (workspace.active_job()?, workspace.recent_jobs(1)?.first()) {
        (Some(job), _) => (format!("{} of {} is running, {} %", job.mode.as_str(), job.ref_name, job.percent()), None),
        (None, Some(job)) => {
            let last = format!("last: {} of {}, {}", job.mode.as_str(), job.ref_name, job.status.as_str());
            let again = || Some("run `cruxe index`; other commands do so by themselves".to_owned());
            match (job.status, &job.error) {
                // Also one that nobody has found interrupted yet: nothing is running, says the lock.
                (JobStatus::Interrupted | JobStatus::Queued | JobStatus::Running, _) => {
                    let last = format!("last: {} of {}, interrupted", job.mode.as_str(), job.ref_name);
                    (format!("{last}: its process ended before it did; what was indexed before stays"), again())
                }
                (JobStatus::Failed, Some(why)) => (format!("{last}: {why}"), again()),
                (JobStatus::Failed, None) => (last, again()),
                (JobStatus::Published, _) => (last, None),
            }
        }
        (None, None) => ("none yet".to_owned(), None),
    };
    Ok(Check { name: "jobs", ok: true, detail, next })
}
