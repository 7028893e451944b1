//! `cruxe guide`.

use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use cruxe_index::Project;
use cruxe_model::config::Config;
use serde_json::json;

use crate::context::{CliError, Context};
use crate::guide;
use crate::install::file::Change;
use crate::output;

/// Print a short guide for agents: which tool answers which question
///
/// Examples:
///   cruxe guide                        print it
///   cruxe guide --write AGENTS.md      put it into a file, between marks; again to bring it up to date
///   cruxe guide --skill .claude/skills make a skill of it: .claude/skills/cruxe/SKILL.md
///   cruxe guide --write AGENTS.md --remove
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Guide {
    /// Put the guide into this file; what else is in it stays
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Write a skill into a folder of skills
    #[arg(long, value_name = "FOLDER")]
    skill: Option<PathBuf>,
    /// Take the guide out of the file again
    #[arg(long, requires = "write")]
    remove: bool,
}

impl Guide {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let mut written = Vec::new();
        if let Some(path) = &self.write {
            written.push(change(
                context,
                path,
                |text| if self.remove { guide::take_out(text) } else { guide::put(text) },
            )?);
        }
        if let Some(folder) = &self.skill {
            written.push(change(context, &folder.join("cruxe/SKILL.md"), |_| Ok(guide::skill()))?);
        }
        match (context.options.json, written.is_empty()) {
            (true, true) => output::json(&json!({"guide": guide::guide()})),
            (false, true) => output::line(guide::guide().trim_end()),
            (true, false) => {
                let files: Vec<_> = written.iter().map(|(path, new)| json!({"path": path, "changed": new})).collect();
                output::json(&json!({"files": files}));
            }
            (false, false) => {
                for (path, changed) in &written {
                    let word = if *changed { "wrote" } else { "unchanged" };
                    output::line(&format!("{word} {}", path.display()));
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The project that a file lies in, by the letters of its path: a link on the way must not hide that it does. A path relative to
/// the current folder is taken for a part of what was put there.
fn project_around(context: &Context, path: &Path, full: &Path) -> Option<PathBuf> {
    let around: Vec<&Path> = full.ancestors().skip(1).collect();
    let is_root = |folder: &Path| {
        let located = Project::locate(folder, &context.home, Config::default());
        folder.join(".git").exists() && located.is_ok_and(|project| Some(project.root) == folder.canonicalize().ok())
    };
    let outermost = around.into_iter().rev().find(|folder| is_root(folder)).map(Path::to_owned);
    let here = || path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    outermost.or_else(|| if here() { std::env::current_dir().ok() } else { None })
}

fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// Changes a file unless it says what it should; tells whether it did.
fn change(
    context: &Context,
    path: &Path,
    edit: impl FnOnce(&str) -> Result<String, String>,
) -> Result<(PathBuf, bool), CliError> {
    let refused = |problem: String| CliError::Environment(format!("{}: {problem}", path.display()));
    let full = without_dots(&std::path::absolute(path).map_err(|problem| refused(problem.to_string()))?);
    let change = Change::of(&full, project_around(context, path, &full).as_deref(), edit).map_err(refused)?;
    if !change.is_empty() {
        change.write_without_copy().map_err(|problem| refused(problem.to_string()))?;
    }
    Ok((path.to_owned(), !change.is_empty()))
}
