//! `cruxe remove`.

use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use cruxe_index::{IndexError, Project};
use cruxe_model::config::Config;
use cruxe_store::StoreError;
use serde_json::json;

use super::projects::{self, Kept, bytes, count};
use crate::context::{CliError, Context};
use crate::output::{self, Paint};

/// Remove the index of a project; the project itself stays
///
/// Its index, the history of its jobs and the work trees that Cruxe made for it go. It asks first.
///
/// Examples:
///   cruxe remove                    of the project around the current folder
///   cruxe remove ~/old/service      of another, also where the folder is gone
///   cruxe remove --gone             of every project whose folder is gone
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Remove {
    /// The folders of the projects, or their ids [default: the project here]
    #[arg(value_name = "PROJECT", conflicts_with = "gone")]
    projects: Vec<PathBuf>,
    /// Every project whose folder and repository are there no more
    #[arg(long)]
    gone: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

impl Remove {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let chosen = self.chosen(context)?;
        if !chosen.is_empty() && !self.yes && !agreed(&chosen)? {
            output::note("nothing was removed");
            return Ok(ExitCode::FAILURE);
        }
        for kept in &chosen {
            kept.dir.remove().map_err(|problem| match problem {
                StoreError::Busy => CliError::Index(IndexError::Busy),
                problem => problem.into(),
            })?;
        }
        let freed: u64 = chosen.iter().map(|kept| kept.size).sum();
        if context.options.json {
            let removed: Vec<_> =
                chosen.iter().map(|kept| json!({"root": kept.record.root, "size_bytes": kept.size})).collect();
            output::json(&json!({"removed": removed, "freed_bytes": freed}));
        } else {
            let paint = Paint::stdout();
            for kept in &chosen {
                output::line(&format!(
                    "{} {}",
                    paint.good("removed"),
                    paint.path(&kept.record.root.display().to_string())
                ));
            }
            output::line(&format!("{} removed, {} freed", count(chosen.len()), bytes(freed)));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn chosen(&self, context: &Context) -> Result<Vec<Kept>, CliError> {
        let mut all = projects::all(&context.home);
        if self.gone {
            all.retain(Kept::is_gone);
            return Ok(all);
        }
        let named = match (&self.projects[..], context.project()) {
            ([], project) => vec![project?.root],
            (named, _) => named.to_vec(),
        };
        let mut chosen = Vec::new();
        for name in named {
            let id = id_of(&name, context);
            let Some(at) = all.iter().position(|kept| is_meant(kept, &name, id.as_deref())) else {
                let problem = format!("nothing is kept of {}; `cruxe projects` lists what is", name.display());
                return Err(CliError::Usage(problem));
            };
            chosen.push(all.swap_remove(at));
        }
        Ok(chosen)
    }
}

/// The id of the project around a folder that is there.
fn id_of(folder: &Path, context: &Context) -> Option<String> {
    Project::locate(folder, &context.home, Config::default()).ok().map(|project| project.id.as_str().to_owned())
}

/// A folder that is there means the project around it, one that is not the project that was registered so; an id means itself.
fn is_meant(kept: &Kept, name: &Path, id: Option<&str>) -> bool {
    let own = kept.record.project_id.as_str();
    let absolute = std::path::absolute(name).unwrap_or_default();
    id == Some(own) || name == Path::new(own) || kept.record.root == absolute
}

/// Asks at the terminal.
fn agreed(chosen: &[Kept]) -> Result<bool, CliError> {
    if !std::io::stdin().is_terminal() {
        return Err(CliError::Usage("nothing was removed: there is no terminal to ask on; give --yes".to_owned()));
    }
    for kept in chosen {
        output::note(&format!("{:>9}  {}", bytes(kept.size), kept.record.root.display()));
    }
    output::notes(&format!("Remove the index of {}? [y/N] ", count(chosen.len())));
    let mut answer = String::new();
    let heard = std::io::stdin().lock().read_line(&mut answer);
    Ok(heard.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
