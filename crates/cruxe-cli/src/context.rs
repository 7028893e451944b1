//! What every command has: options, configuration, the project.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cruxe_embed::EmbedError;
use cruxe_index::{IndexError, Project, Workspace};
use cruxe_model::config::{Config, ConfigError};
use cruxe_store::{Home, StoreError};

use crate::{config, output};
use cruxe_server::contract::{ErrorCode, ToolError};

/// Options of every command.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Options {
    /// The project's folder [default: the one around the current folder]
    #[arg(long, global = true, value_name = "PATH")]
    pub workspace: Option<PathBuf>,
    /// A configuration file that is read after the workspace's own
    #[arg(long, global = true, value_name = "PATH")]
    pub config: Option<PathBuf>,
    /// Say more on stderr; twice for everything
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
}

/// What a command works with.
pub(crate) struct Context {
    pub options: Options,
    pub home: Home,
}

impl Context {
    pub fn new(options: Options) -> Result<Context, CliError> {
        init_logging(options.verbose);
        Ok(Context { home: Home::new(config::home()?), options })
    }

    /// The project of `--workspace`, or of the current folder.
    pub fn project(&self) -> Result<Project, CliError> {
        self.project_at(self.options.workspace.clone())
    }

    /// The project around a folder; of the current one by default.
    pub fn project_at(&self, folder: Option<PathBuf>) -> Result<Project, CliError> {
        let folder = match folder {
            Some(folder) => folder,
            None => std::env::current_dir().map_err(|problem| CliError::Environment(problem.to_string()))?,
        };
        // The first look finds the root, the second uses the configuration that stands there.
        let root = Project::locate(&folder, &self.home, Config::default())?.root;
        let config = config::load(&self.home, Some(&root), self.options.config.as_deref())?;
        Ok(Project::locate(&folder, &self.home, config)?)
    }

    /// The configuration in force: a project's where there is one, else the user's.
    pub fn config(&self) -> Result<Config, CliError> {
        match self.project() {
            // In a home folder, say.
            Err(CliError::Index(IndexError::TooBroad(_))) if self.options.workspace.is_none() => {
                config::load(&self.home, None, self.options.config.as_deref())
            }
            project => Ok(project?.config),
        }
    }

    /// The project, opened.
    pub fn workspace(&self) -> Result<Arc<Workspace>, CliError> {
        Ok(Workspace::open(self.project()?))
    }
}

fn init_logging(verbose: u8) {
    let level = match verbose {
        0 => "warn",
        1 => "info,tantivy=warn",
        _ => "debug,tantivy=info",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_env("CRUXE_LOG").unwrap_or_else(|_| level.into());
    let _ = tracing_subscriber::fmt().with_env_filter(filter).with_writer(|| output::Log).with_ansi(false).try_init();
    tracing::info!("cruxe {} starts", env!("CARGO_PKG_VERSION"));
}

/// The exit code of a command that was called in a way that cannot work.
pub const USAGE: u8 = 4;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The configuration cannot be read.
    #[error("configuration: {0}")]
    Config(String),
    /// The environment lacks something.
    #[error("{0}")]
    Environment(String),
    /// The command was called in a way that cannot work.
    #[error("{0}")]
    Usage(String),
    /// A model cannot be installed or used.
    #[error(transparent)]
    Model(#[from] EmbedError),
    /// Indexing failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A question failed.
    #[error(transparent)]
    Tool(#[from] ToolError),
}

impl CliError {
    /// 1 for the project, 2 for the configuration, 3 for the disk, 4 for a wrong call: the same for `cue`.
    pub fn exit_code(&self) -> u8 {
        match self {
            CliError::Config(_) => 2,
            CliError::Usage(_) => USAGE,
            CliError::Model(EmbedError::Io { .. }) | CliError::Index(IndexError::Io { .. }) => 3,
            CliError::Index(IndexError::Store(problem)) if problem.is_of_the_disk() => 3,
            _ => 1,
        }
    }

    /// The error as a program reads it, with the contract's codes.
    pub fn into_tool_error(self) -> ToolError {
        let (message, next) = (self.to_string(), self.next_step());
        let error = match self {
            CliError::Tool(error) => error,
            CliError::Index(error) => error.into(),
            CliError::Model(EmbedError::Io { .. }) | CliError::Environment(_) => ToolError::internal(message),
            CliError::Config(_) => {
                ToolError::invalid_input(message).suggest("Correct the configuration, then run it again.")
            }
            CliError::Usage(_) | CliError::Model(_) => {
                ToolError::invalid_input(message).suggest("Call it in another way; --help shows how.")
            }
        };
        match next {
            Some(next) => error.suggest(next),
            None => error,
        }
    }

    /// What to do about it, where the message does not say.
    pub fn next_step(&self) -> Option<String> {
        match self {
            CliError::Index(error) => next_for_index(error),
            CliError::Config(message) if message.contains("Permission denied") => of_home(),
            CliError::Tool(error) => next_for_tool(error),
            _ => None,
        }
    }
}

fn next_for_index(error: &IndexError) -> Option<String> {
    match error {
        IndexError::NoFolder(_) => Some("Give an existing folder.".to_owned()),
        IndexError::Busy => Some("Wait for it: `cruxe doctor` shows how far it is.".to_owned()),
        IndexError::RefNotIndexed(name) => Some(format!("Run `cruxe index --ref {name}`, then ask again.")),
        IndexError::OtherRepository => {
            Some("Run it where that repository is, or give --force if this is what you want.".to_owned())
        }
        IndexError::Store(problem) if problem.is_denied() => of_home(),
        // It could not even be made.
        IndexError::Store(_) if config::home().is_ok_and(|home| !home.is_dir()) => of_home(),
        _ => None,
    }
}

/// What to do about an error that clients of a server get too, in words for a person at a terminal.
fn next_for_tool(error: &ToolError) -> Option<String> {
    Some(match error.code {
        ErrorCode::IndexNotReady | ErrorCode::NoEdgesAvailable => "Run `cruxe index`, then ask again.".to_owned(),
        ErrorCode::IndexStale => "Run `cruxe sync`, then ask again.".to_owned(),
        ErrorCode::IndexIncompatible => "Run `cruxe index --force`.".to_owned(),
        ErrorCode::IndexInProgress | ErrorCode::SyncInProgress => {
            "Wait for it: `cruxe doctor` shows how far it is.".to_owned()
        }
        ErrorCode::AmbiguousSymbol => "Give --path, a qualified name or a symbol_id.".to_owned(),
        ErrorCode::SymbolNotFound => "Look for it with `cruxe search`.".to_owned(),
        _ => return error.data.get("suggestion").and_then(|text| text.as_str()).map(str::to_owned),
    })
}

/// What to do where the folder of the indexes refuses us.
fn of_home() -> Option<String> {
    let home = config::home().ok()?;
    let shown = home.display();
    Some(match is_of_another_user(&home) {
        true => format!("{shown} belongs to another user; set CRUXE_HOME to a folder of your own."),
        false => format!("Indexes are kept below {shown}; set CRUXE_HOME to a folder that you can read and write."),
    })
}

#[cfg(unix)]
fn is_of_another_user(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let me = rustix::process::geteuid().as_raw();
    folder.metadata().is_ok_and(|found| found.uid() != me)
}

#[cfg(not(unix))]
fn is_of_another_user(_folder: &Path) -> bool {
    false
}

impl From<ConfigError> for CliError {
    fn from(error: ConfigError) -> CliError {
        CliError::Config(error.to_string())
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> CliError {
        CliError::Index(error.into())
    }
}

impl From<cruxe_query::QueryError> for CliError {
    fn from(error: cruxe_query::QueryError) -> CliError {
        CliError::Tool(error.into())
    }
}
