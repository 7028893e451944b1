//! `cruxe grep`.

use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use cruxe_query::grep::{self, MAX_LINES, Question};
use cruxe_server::answers::{Breadth, Detail, PatternAnswer};
use cruxe_server::ask::{language, layers, pattern};

use super::places::Places;
use super::search::fresh_view;
use crate::context::{CliError, Context};
use crate::output;

/// List every line that matches a pattern, with the symbol around it
///
/// Looks through the files of a ref: what is checked out, or any branch, tag or commit that is indexed. Files that git
/// ignores and binary files are left out; source comes before tests. Exits with 1 when nothing matches.
///
/// Examples:
///   cruxe grep 'fn parse_\w+' src
///   cruxe grep -F 'a.b(c)' -i --tests exclude
///   cruxe grep TODO -g '*.py' -g '!vendor' --count
///   cruxe grep 'raise \w+Error' --ref v1.0 -C 2
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Grep {
    /// A regular expression as ripgrep reads it, matched within a line
    #[arg(allow_hyphen_values = true)]
    pattern: String,
    /// Only these files and folders
    paths: Vec<PathBuf>,
    /// A branch, tag or commit that is indexed [default: what is checked out]
    #[arg(long = "ref", value_name = "REF")]
    ref_name: Option<String>,
    /// Whatever the case of letters
    #[arg(short, long)]
    ignore_case: bool,
    /// The pattern is text that stands for itself
    #[arg(short = 'F', long)]
    fixed_strings: bool,
    /// Show so many lines before and after each
    #[arg(short = 'C', long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    context: u32,
    /// Only this language
    #[arg(long, value_name = "LANG")]
    lang: Option<String>,
    /// Only lines in symbols of this kind: fn, class, struct, …
    #[arg(long)]
    kind: Option<String>,
    #[command(flatten)]
    places: Places,
    /// At most so many lines [default: all]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Print the paths of files that have a match
    #[arg(long, conflicts_with = "count")]
    files: bool,
    /// Print how many lines of each file match
    #[arg(long)]
    count: bool,
}

impl Grep {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let usage = |error: cruxe_server::contract::ToolError| CliError::Usage(error.message);
        let pattern = pattern(&self.pattern, self.fixed_strings, !self.ignore_case).map_err(usage)?;
        let language = language(self.lang.as_deref()).map_err(usage)?;
        let workspace = context.workspace()?;
        let named = self.named(context, &workspace.project.root)?;
        let filter = self.places.filter_with(&named, self.kind.as_deref())?;
        let view = fresh_view(&workspace, self.ref_name.as_deref())?;
        let lists_files = self.files || self.count;
        let limit = if lists_files { 0 } else { self.limit.map_or(MAX_LINES, |limit| limit as usize) };
        let question = Question { pattern, language, filter, limit, offset: 0, context: self.context as usize };
        let found = grep::find(&view, &layers(&workspace, &view), &question)
            .map_err(cruxe_server::contract::ToolError::from)?;
        let any = found.total > 0;
        let answer = match lists_files {
            true => PatternAnswer::of_files(found, self.count),
            false => PatternAnswer::new(found, 0, &Detail { breadth: Breadth::Full, ..Detail::default() }),
        };
        output::answer(&answer, context.options.json);
        Ok(if any { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// The paths that were given, as globs from the root of the project.
    fn named(&self, context: &Context, root: &Path) -> Result<Vec<String>, CliError> {
        let here = match &context.options.workspace {
            Some(folder) => folder.clone(),
            None => std::env::current_dir().map_err(|problem| CliError::Environment(problem.to_string()))?,
        };
        let here = here.canonicalize().unwrap_or(here);
        let mut globs = Vec::new();
        for path in &self.paths {
            let whole = without_dots(&here.join(path));
            let inside = whole
                .strip_prefix(root)
                .map_err(|_| CliError::Usage(format!("{} is not in {}", path.display(), root.display())))?;
            let parts: Vec<String> = inside.iter().map(|part| escaped(&part.to_string_lossy())).collect();
            // The root itself is everything.
            globs.push(if parts.is_empty() { "**".to_owned() } else { format!("/{}", parts.join("/")) });
        }
        Ok(globs)
    }
}

/// A path without `.` and `..`, by its letters: in a ref it need not be on disk.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// A name as a glob that matches nothing else.
fn escaped(name: &str) -> String {
    let mut glob = String::new();
    for c in name.chars() {
        match c {
            '*' | '?' | '[' | ']' | '{' | '}' | '!' => glob.extend(['[', c, ']']),
            c => glob.push(c),
        }
    }
    glob
}
