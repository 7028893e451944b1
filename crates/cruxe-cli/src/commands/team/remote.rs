//! `cruxe remote`: start from what a team's server has indexed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use cruxe_index::{JobRequest, Workspace};
use cruxe_store::{Home, SCHEMA_VERSION, StoreError};
use cruxe_team::{Remote, RemoteRepo};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::done;
use crate::context::{CliError, Context};
use crate::output::Paint;
use crate::progress::Bar;

/// Start this project's index from a team's server instead of parsing everything
///
/// Facts of known file versions come from the team; your own edits are indexed here. Nothing is asked of the server afterwards.
#[derive(Args)]
pub(crate) struct RemoteCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Note a team's server for this project, and take its index where there is none yet
    Add {
        /// The server's address, such as https://cruxe.example.org
        url: String,
        /// A file with a token that may see every ref of the repository; the variable CRUXE_TOKEN does the same
        #[arg(long, value_name = "FILE")]
        token_file: Option<PathBuf>,
        /// The repository's name there [default: the one that is fetched from where this one was cloned from]
        #[arg(long)]
        name: Option<String>,
        /// Take the team's index although there is one here
        #[arg(long)]
        force: bool,
    },
    /// List the servers that were noted
    List,
    /// Forget the server of this project; its index stays
    Remove,
}

/// What was noted of a project.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Noted {
    url: String,
    name: String,
    root: PathBuf,
}

impl RemoteCommand {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        match self.action {
            Action::Add { url, token_file, name, force } => add(context, &url, token_file.as_deref(), name, force),
            Action::List => {
                let noted = read(&context.home);
                let lines = noted.values().map(|one| format!("{}  {} on {}", one.root.display(), one.name, one.url));
                done(context, json!({"remotes": noted.values().collect::<Vec<_>>()}), || {
                    lines.collect::<Vec<_>>().join("\n")
                })
            }
            Action::Remove => {
                let project = context.project()?;
                let mut noted = read(&context.home);
                let gone = noted.remove(project.id.as_str()).is_some();
                write(&context.home, &noted)?;
                done(context, json!({"removed": gone}), || if gone { "forgotten" } else { "there was none" }.to_owned())
            }
        }
    }
}

fn add(
    context: &Context,
    url: &str,
    token_file: Option<&Path>,
    name: Option<String>,
    force: bool,
) -> Result<ExitCode, CliError> {
    let project = context.project()?;
    let remote = Remote::new(url, &token(token_file)?)?;
    let repos = remote.repos(SCHEMA_VERSION)?;
    let repo = choose(&repos, name.as_deref(), project.repo.as_ref().and_then(|repo| repo.remote_url()).as_deref())?;
    let indexed = !matches!(project.store.snapshot(), Err(StoreError::NotIndexed));
    let mut report = json!({"name": repo.name, "taken": false});
    if !indexed || force {
        project.register()?;
        let taken = remote.fill(repo, &project.store)?;
        report = json!({"name": repo.name, "taken": true, "blobs": taken.blobs, "bytes": taken.bytes});
    }
    let mut noted = read(&context.home);
    let one = Noted { url: url.to_owned(), name: repo.name.clone(), root: project.root.clone() };
    noted.insert(project.id.as_str().to_owned(), one);
    write(&context.home, &noted)?;
    let workspace = Workspace::open(project);
    let job = workspace.run_job(&JobRequest::default(), Bar::new("indexing").watches())?;
    let unchanged = job.job.outcomes.get("unchanged").and_then(serde_json::Value::as_u64).unwrap_or_default();
    let read_here = job.published.files.saturating_sub(unchanged);
    report["read_here"] = json!(read_here);
    done(context, report, || {
        let from = if !indexed || force { "started from the team's index" } else { "there is an index already" };
        format!("{} {from}; {} files were read here", Paint::stdout().good(&repo.name), read_here)
    })
}

/// The repository that is meant: by its name, else by where both were cloned from.
fn choose<'a>(repos: &'a [RemoteRepo], name: Option<&str>, origin: Option<&str>) -> Result<&'a RemoteRepo, CliError> {
    let found = match (name, origin) {
        (Some(name), _) => repos.iter().find(|repo| repo.name == name),
        (None, Some(origin)) => repos.iter().find(|repo| plain(&repo.url) == plain(origin)),
        (None, None) => None,
    };
    found.ok_or_else(|| {
        let names: Vec<&str> = repos.iter().map(|repo| repo.name.as_str()).take(20).collect();
        CliError::Usage(format!("the server has no such repository; give --name (it has: {})", names.join(", ")))
    })
}

/// Host and path of an address, however it is written: `git@host:a/b.git` is `https://host/a/b`.
fn plain(url: &str) -> String {
    let rest = url.split_once("://").map_or_else(|| url.replacen(':', "/", 1), |(_, rest)| rest.to_owned());
    let (authority, path) = rest.split_once('/').unwrap_or((&rest, ""));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let path = path.trim_matches('/');
    format!("{}/{}", host.to_ascii_lowercase(), path.strip_suffix(".git").unwrap_or(path))
}

fn token(file: Option<&Path>) -> Result<String, CliError> {
    match file {
        Some(file) => std::fs::read_to_string(file)
            .map_err(|problem| CliError::Usage(format!("--token-file {}: {problem}", file.display()))),
        None => std::env::var("CRUXE_TOKEN")
            .map_err(|_| CliError::Usage("give --token-file FILE or set CRUXE_TOKEN".to_owned())),
    }
}

fn path(home: &Home) -> PathBuf {
    home.root().join("remotes.json")
}

fn read(home: &Home) -> BTreeMap<String, Noted> {
    std::fs::read(path(home)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

fn write(home: &Home, noted: &BTreeMap<String, Noted>) -> Result<(), CliError> {
    let text = serde_json::to_vec_pretty(noted).unwrap_or_default();
    let path = path(home);
    std::fs::write(&path, text).map_err(|problem| CliError::Environment(format!("{}: {problem}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_repository_has_many_addresses() {
        let one = "h.example.org/org/app";
        for url in [
            "https://h.example.org/org/app.git",
            "https://u:p@H.example.org/org/app/",
            "git@h.example.org:org/app.git",
            "ssh://git@h.example.org/org/app",
        ] {
            assert_eq!(plain(url), one, "{url}");
        }
        assert_ne!(plain("https://h.example.org/org/other"), one);
    }
}
