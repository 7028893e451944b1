//! `cue doctor`.

use std::io::{BufRead, IsTerminal};
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use cruxe_deck::doctor::repair::{self, RepairedFile};
use cruxe_deck::doctor::{self, Check, Finding, Report, Severity};
use cruxe_deck::{Deck, DeckConfig};
use serde_json::json;
use similar::TextDiff;

use super::error::{CueError, Kind};
use super::{deck, report};
use crate::context::Context;
use crate::output;

/// A finding in a larger file is shown without its line.
const LARGEST_SHOWN: u64 = 16 << 20;

/// Check the deck: configuration, front matter, links, references, dependencies
///
/// Looks at every card and every markdown file that is not ignored: dead links to files, headings,
/// lines and symbols, circular dependencies, unknown ids, active cards that stand alone. Exits with
/// 0 when nothing is wrong, 2 when the configuration is, else with 1.
///
/// Examples:
///   cue doctor
///   cue doctor --fix
///   cue doctor --json | jq '.findings[].path'
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Doctor {
    /// Repair what can be repaired in only one way: links and refs to files that moved; shows a diff first
    #[arg(long)]
    fix: bool,
    /// With --fix: do not ask
    #[arg(long, short, requires = "fix")]
    yes: bool,
}

impl Doctor {
    pub fn run(self, context: &Context) -> Result<ExitCode, CueError> {
        let deck = deck::find(context)?;
        if let Some(named) = &context.options.config {
            deck::must_exist(named)?;
        }
        let files = deck::files(context, &deck)?;
        let mut report = doctor::examine(&deck, &files)?;
        let mut repaired = 0;
        if self.fix {
            repaired = self.repair(context, &deck, &report)?;
            if repaired > 0 {
                report = doctor::examine(&deck, &files)?;
            }
        }
        if context.options.json {
            output::json(&json!({
                "ok": report.is_healthy(),
                "cards": report.cards,
                "documents": report.documents,
                "findings": report.findings,
                "repaired_files": repaired,
            }));
        } else {
            print(&deck, &report);
        }
        Ok(exit_code(&report))
    }

    /// Shows what would change, asks, and writes; the number of files that were changed.
    fn repair(&self, context: &Context, deck: &Deck, report: &Report) -> Result<usize, CueError> {
        let files = repair::plan(deck, &report.findings);
        if files.is_empty() {
            output::note("nothing can be repaired without asking what was meant");
            return Ok(0);
        }
        // With --json stdout is for the report alone.
        let diff: String = files.iter().map(diff).collect();
        if context.options.json {
            output::notes(&diff)
        } else {
            output::line(diff.trim_end())
        }
        let agreed = self.yes || ask(files.len())?;
        if agreed { Ok(repair::write(deck, &files)?) } else { Ok(0) }
    }
}

fn diff(file: &RepairedFile) -> String {
    let path = &file.path;
    let diff = TextDiff::from_lines(&file.before, &file.after);
    diff.unified_diff().context_radius(1).header(&format!("a/{path}"), &format!("b/{path}")).to_string()
}

fn ask(files: usize) -> Result<bool, CueError> {
    if !std::io::stdin().is_terminal() {
        return Err(CueError::new(Kind::Usage, "nothing was changed: there is no terminal to ask on")
            .help("Run `cue doctor --fix --yes` to make the changes above."));
    }
    let word = if files == 1 { "this file" } else { "these files" };
    output::notes(&format!("Change {word}? [y/N] "));
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    Ok(read.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn exit_code(report: &Report) -> ExitCode {
    let wrong = |finding: &&Finding| finding.severity == Severity::Error;
    match report.findings.iter().filter(wrong).any(|finding| finding.check == Check::Config) {
        true => ExitCode::from(Kind::Config.exit_code()),
        false if report.is_healthy() => ExitCode::SUCCESS,
        false => ExitCode::from(Kind::Workspace.exit_code()),
    }
}

/// The text that a finding points into. The user's own settings are elsewhere than the rest.
fn shown_text(deck: &Deck, path: &str) -> Option<Vec<u8>> {
    match Path::new(path).is_absolute() {
        true => DeckConfig::read_text(Path::new(path)).ok().map(String::into_bytes),
        false => deck.files().ok()?.read(path, LARGEST_SHOWN).ok(),
    }
}

fn print(deck: &Deck, report: &Report) {
    let paint = output::Paint::stdout();
    for finding in &report.findings {
        let text = finding.span.as_ref().and_then(|_| shown_text(deck, &finding.path));
        // The same length as the file, so that places stay right.
        let text = text.map(|bytes| cruxe_extract::as_text(&bytes).0.into_owned());
        output::line(report_of(finding, text.as_deref()).render(paint).trim_end_matches('\n'));
        output::line("");
    }
    let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    let warnings = report.findings.len() - errors;
    let looked = format!("{} cards and {} documents", report.cards, report.documents);
    output::line(&match (errors, warnings) {
        (0, 0) => format!("{looked}: nothing is wrong"),
        (errors, warnings) => format!("{looked}: {errors} errors, {warnings} warnings"),
    });
    let repairable = report.findings.iter().filter(|finding| finding.repair.is_some()).count();
    if repairable > 0 {
        output::line(&format!("`cue doctor --fix` can repair {repairable} of them"));
    }
}

/// A finding as a report, with the place if there is a text to show it in.
fn report_of<'a>(finding: &'a Finding, text: Option<&'a str>) -> report::Report<'a> {
    let name = match finding.check {
        Check::Config => "config",
        Check::FrontMatter => "front-matter",
        Check::DeadLink => "dead-link",
        Check::DeadReference => "dead-reference",
        Check::UnknownId => "unknown-id",
        Check::CircularDependency => "circular-dependency",
        Check::OrphanCard => "orphan-card",
    };
    let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
    let place = text.zip(finding.span.clone());
    report::Report {
        code: finding.code.map_or_else(|| name.to_owned(), |code| format!("{name} ({code})")),
        warning: finding.severity == Severity::Warning,
        message: format!("{}{line}: {}", finding.path, finding.message),
        help: finding.help.as_deref(),
        place: place.map(|(text, span)| report::MarkedText { path: &finding.path, text, span, label: "here" }),
    }
}
