//! `cruxe install`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use serde_json::json;

use crate::context::{CliError, Context};
use crate::guide;
use crate::install::agents::{Agent, Scope};
use crate::install::file::Change;
use crate::install::machine::{Launch, Machine, Os};
use crate::install::{self, NAME};
use crate::output::{self, Paint};

/// Make coding agents use this program
///
/// Puts an entry into the settings of each agent, those that are installed if none is named, and leaves the rest of the
/// settings as it is. A copy of what was there stays beside each file until --uninstall, which leaves nothing behind. Settings
/// that cannot be read are never touched.
/// Exits with 1 when one of them failed or no agent was found.
///
/// Examples:
///   cruxe install                          every agent that is installed, for you
///   cruxe install claude-code --project    .mcp.json, for everybody who works on the project
///   cruxe install --dry-run                show what would change
///   cruxe install --uninstall              take the entries out again
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Install {
    /// The agents to set up [default: those that are installed]
    #[arg(value_enum, value_name = "AGENT")]
    agents: Vec<Agent>,
    /// Show what would change and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Take the entries out
    #[arg(long)]
    uninstall: bool,
    /// In the project's settings, which others share
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// In your own settings [default]
    #[arg(long)]
    user: bool,
    /// Also put the guide (`cruxe guide`) into the project's CLAUDE.md, GEMINI.md or AGENTS.md
    #[arg(long)]
    guide: bool,
    /// The program that agents start [default: this one, where the PATH or a package manager finds it; `cruxe` in a project's
    /// settings]
    #[arg(long, value_name = "PROGRAM")]
    command: Option<String>,
}

/// What was done, or would be, to one file.
#[derive(Serialize)]
struct Step {
    /// The agent, or `guide`.
    agent: &'static str,
    scope: &'static str,
    path: PathBuf,
    outcome: Outcome,
    #[serde(skip_serializing_if = "String::is_empty")]
    diff: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Added,
    Updated,
    Removed,
    Unchanged,
    Failed,
}

impl Install {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let machine = Machine::new(this_os(), |name| std::env::var_os(name))
            .ok_or_else(|| CliError::Environment("HOME is not set".to_owned()))?;
        let scope = if self.project { Scope::Project } else { Scope::User };
        let agents = self.chosen(&machine, scope)?;
        let root = self.root(context, scope, &agents)?;
        let mut steps: Vec<Step> =
            agents.iter().filter_map(|agent| self.set_up(&machine, *agent, scope, &root)).collect();
        if self.guide {
            let mut files: Vec<&'static str> = agents.iter().map(|agent| agent.guide_file()).collect();
            files.sort_unstable();
            files.dedup();
            steps.extend(files.into_iter().map(|file| self.write_guide(&root, file)));
        }
        let failed = steps.iter().any(|step| step.outcome == Outcome::Failed);
        if context.options.json {
            output::json(&json!({"dry_run": self.dry_run, "steps": steps}));
        } else {
            steps.iter().for_each(|step| self.print(step));
        }
        Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    /// The agents that were named, else those that are there.
    fn chosen(&self, machine: &Machine, scope: Scope) -> Result<Vec<Agent>, CliError> {
        let has_settings = |agent: Agent| agent.settings(machine, scope, Path::new("")).is_some();
        if let Some(agent) = self.agents.iter().find(|agent| !has_settings(**agent)) {
            let problem = format!("{} has no settings for a project: leave --project out", agent.id());
            return Err(CliError::Usage(problem));
        }
        if !self.agents.is_empty() {
            return Ok(self.agents.clone());
        }
        let there = |agent: &Agent| has_settings(*agent) && agent.is_installed(machine);
        let found: Vec<Agent> = Agent::ALL.iter().copied().filter(there).collect();
        if found.is_empty() {
            let known: Vec<&str> = Agent::ALL.iter().map(|agent| agent.id()).collect();
            let problem = format!("no agent was found here; name one: cruxe install {}", known.join(" | "));
            return Err(CliError::Environment(problem));
        }
        Ok(found)
    }

    /// The project's folder. Outside of one, agents that find the folder by themselves can be set up all the same.
    fn root(&self, context: &Context, scope: Scope, agents: &[Agent]) -> Result<PathBuf, CliError> {
        let fixed = |agent: &Agent| matches!(agent, Agent::ClaudeDesktop | Agent::Windsurf) && !self.uninstall;
        match context.project() {
            Ok(project) => Ok(project.root),
            Err(problem) if scope == Scope::Project || self.guide || agents.iter().any(fixed) => Err(problem),
            Err(_) => Ok(PathBuf::new()),
        }
    }

    /// Sets up one agent; `None` for one that has no such settings.
    fn set_up(&self, machine: &Machine, agent: Agent, scope: Scope, root: &Path) -> Option<Step> {
        let path = agent.settings(machine, scope, root)?;
        let launch = self.launch(machine, scope);
        let entry = |text: &str| agent.entry(text, &launch, scope, root);
        let format = agent.format();
        let add = |text: &str| install::add(format, text, &entry(text));
        let project = (scope == Scope::Project).then_some(root);
        Some(self.change(agent.id(), project, &path, add, |text| install::remove(format, text, &entry(text))))
    }

    fn write_guide(&self, root: &Path, file: &str) -> Step {
        self.change("guide", Some(root), &root.join(file), guide::put, guide::take_out)
    }

    fn change(
        &self,
        agent: &'static str,
        project: Option<&Path>,
        path: &Path,
        add: impl Fn(&str) -> Result<String, String>,
        remove: impl Fn(&str) -> Result<String, String>,
    ) -> Step {
        let mut step = Step {
            agent,
            scope: if project.is_some() { Scope::Project } else { Scope::User }.as_str(),
            path: path.to_owned(),
            outcome: Outcome::Unchanged,
            diff: String::new(),
            backup: None,
            error: None,
        };
        let edit = |text: &str| if self.uninstall { remove(text) } else { add(text) };
        let change = match Change::of(path, project, edit) {
            Ok(change) if change.is_empty() => return step,
            Ok(change) => change,
            Err(problem) => return Step { outcome: Outcome::Failed, error: Some(problem), ..step },
        };
        let known = change.before.as_deref().is_some_and(|text| remove(text).is_ok_and(|without| without != text));
        step.diff = change.diff();
        step.outcome = match (self.uninstall, known) {
            (true, _) => Outcome::Removed,
            (false, true) => Outcome::Updated,
            (false, false) => Outcome::Added,
        };
        if !self.dry_run {
            let written = if self.uninstall { change.clean_up().map(|()| None) } else { change.write() };
            match written {
                Ok(backup) => step.backup = backup,
                Err(problem) => (step.outcome, step.error) = (Outcome::Failed, Some(problem.to_string())),
            }
        }
        step
    }

    /// What agents start. Another machine has its programs elsewhere, so a project's settings name it only.
    fn launch(&self, machine: &Machine, scope: Scope) -> Launch {
        match (&self.command, scope, std::env::current_exe()) {
            (None, Scope::User, Ok(here)) => machine.stable(&here),
            (named, ..) => Launch::of(named.as_deref().unwrap_or(NAME)),
        }
    }

    fn print(&self, step: &Step) {
        let paint = Paint::stdout();
        let word = match (step.outcome, self.dry_run) {
            (Outcome::Added, false) => paint.good("added       "),
            (Outcome::Added, true) => paint.good("would add   "),
            (Outcome::Updated, false) => paint.good("updated     "),
            (Outcome::Updated, true) => paint.good("would update"),
            (Outcome::Removed, false) => paint.good("removed     "),
            (Outcome::Removed, true) => paint.good("would remove"),
            (Outcome::Unchanged, _) => paint.faint("unchanged   "),
            (Outcome::Failed, _) => paint.bad("FAILED      "),
        };
        output::line(&format!("{word} {:<14} {}", step.agent, paint.path(&step.path.display().to_string())));
        if let Some(error) = &step.error {
            output::line(&format!("    {error}; the file was not touched"));
        }
        for line in step.diff.lines().skip(2) {
            let line = match line.as_bytes().first() {
                Some(b'+') => paint.good(line),
                Some(b'-') => paint.bad(line),
                _ => line.to_owned(),
            };
            output::line(&format!("    {line}"));
        }
        if let Some(backup) = &step.backup {
            output::line(&paint.faint(&format!("    before: {}", backup.display())));
        }
    }
}

fn this_os() -> Os {
    match std::env::consts::OS {
        "macos" => Os::Mac,
        "windows" => Os::Windows,
        _ => Os::Linux,
    }
}
