//! `cruxe serve-mcp`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use cruxe_index::{IndexError, Project, Workspace};
use cruxe_model::config::AnswerForm;
use cruxe_server::app::Prewarm;
use cruxe_server::{App, Lost, Server, Toolset, Toolsets, WorkspaceRules, Workspaces, serve_stdio, tools};
use tokio::runtime::Runtime;

use super::serve_http::{self, HttpArgs};
use crate::config;
use crate::context::{CliError, Context};
use crate::memory;

/// Serve agents over MCP, on stdin and stdout or over HTTP
///
/// Indexes the workspace in the background if it was never indexed, answers meanwhile, and follows edits. Logs go to
/// stderr.
#[derive(Args, Default)]
pub(crate) struct ServeMcp {
    /// How clients connect
    #[arg(long, value_enum, default_value_t)]
    transport: Transport,
    /// Which tools to serve: code, context, tasks; all if left out
    #[arg(long, value_name = "SET", value_delimiter = ',')]
    toolsets: Vec<Toolset>,
    /// What tools answer with [default: `server.answers` of the configuration, else json]
    #[arg(long, value_enum, value_name = "FORM")]
    answers: Option<Answers>,
    /// Do not follow edits; freshness is then found out at each question
    #[arg(long)]
    no_watch: bool,
    /// Do not check the index ahead of the first question
    #[arg(long)]
    no_prewarm: bool,
    /// Register and index a folder below an allowed root when a client first asks for it
    #[arg(long, requires = "allowed_root")]
    auto_workspace: bool,
    /// Where workspaces may be; repeat it for several [default: wherever they are registered]
    #[arg(long, value_name = "DIR")]
    allowed_root: Vec<PathBuf>,
    /// Serve pages for people too, at the same port
    #[arg(long)]
    web: bool,
    #[command(flatten)]
    http: HttpArgs,
}

#[derive(Clone, Copy, Default, PartialEq, ValueEnum)]
enum Transport {
    /// One client, on stdin and stdout
    #[default]
    Stdio,
    /// Many clients, over HTTP
    Http,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(super) enum Answers {
    /// Plain text, for a model that pays for what it reads
    Text,
    /// The contract's JSON, for programs
    Json,
}

impl From<Answers> for AnswerForm {
    fn from(answers: Answers) -> AnswerForm {
        match answers {
            Answers::Text => AnswerForm::Text,
            Answers::Json => AnswerForm::Json,
        }
    }
}

impl ServeMcp {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        if self.transport == Transport::Stdio && (self.web || self.http != HttpArgs::default()) {
            return Err(CliError::Usage("options of HTTP without `--transport http`".to_owned()));
        }
        self.check_roots()?;
        let (workspace, started_in) = self.found(context)?;
        let lost = started_in.is_some();
        let prewarm = if self.no_prewarm || lost { Prewarm::Disabled } else { Prewarm::Warming };
        let watch = workspace.project.config.server.watch && !self.no_watch;
        let mut rules = rules(context, &workspace, self.auto_workspace, self.allowed_root.clone());
        rules.lost = started_in.map(|started_in| Lost { started_in, watch });
        // Where nothing can be written `doctor` does not know of this server, and that is all.
        let root = if lost { Path::new("") } else { &workspace.project.root };
        let note = context.home.note_server(env!("CARGO_PKG_VERSION"), root);
        let app = App::new(Workspaces::new(context.home.clone(), Arc::clone(&workspace), rules), prewarm);
        let sets = Toolsets::new(self.toolsets);
        let form = self.answers.map_or(workspace.project.config.server.answers, AnswerForm::from);
        let server = tools::server(&app, env!("CARGO_PKG_VERSION"), &sets, form);
        let runtime = runtime()?;
        match self.transport {
            Transport::Stdio => {
                memory::return_soon();
                if !lost {
                    prepare_in_background(&app, watch);
                }
                runtime.block_on(talk(server));
            }
            Transport::Http => {
                memory::return_at_once();
                let ready = runtime.block_on(serve_http::prepare(self.http, &workspace.project.config.http))?;
                prepare_in_background(&app, watch);
                runtime.block_on(ready.serve(&app, server, self.web))?;
            }
        }
        // The clients are gone: nothing that still runs is worth waiting for. A job that is cut off here is what a kill
        // would leave, and the next start takes it up.
        app.workspaces().close();
        runtime.shutdown_background();
        drop(note);
        std::process::exit(0);
    }

    /// The workspace to serve. A client may start the server in `/` or in the user's home, or leave a variable as it stands; its
    /// roots tell then which folder it means, so the server is there all the same and says where it was started.
    fn found(&self, context: &Context) -> Result<(Arc<Workspace>, Option<PathBuf>), CliError> {
        let unfilled = |path: &PathBuf| path.to_string_lossy().starts_with("${");
        let started_in = match (context.workspace(), &context.options.workspace) {
            (Ok(workspace), _) => return Ok((workspace, None)),
            (Err(CliError::Index(IndexError::TooBroad(folder))), None) if self.transport == Transport::Stdio => folder,
            (Err(_), Some(path)) if self.transport == Transport::Stdio && unfilled(path) => {
                std::env::current_dir().unwrap_or_default()
            }
            (Err(problem), _) => return Err(problem),
        };
        tracing::warn!("{} is no project: the client's roots choose one", started_in.display());
        let config = config::load(&context.home, None, context.options.config.as_deref())?;
        Ok((Workspace::open(Project::nowhere(&context.home, config)), Some(started_in)))
    }

    fn check_roots(&self) -> Result<(), CliError> {
        for root in &self.allowed_root {
            if !root.is_absolute() || !root.is_dir() {
                let problem = format!("--allowed-root {}: give the absolute path of a folder", root.display());
                return Err(CliError::Usage(problem));
            }
        }
        Ok(())
    }
}

/// Which workspaces a server answers about.
pub(super) fn rules(
    context: &Context,
    workspace: &Workspace,
    auto: bool,
    allowed_roots: Vec<PathBuf>,
) -> WorkspaceRules {
    let (home, named) = (context.home.clone(), context.options.config.clone());
    let load_config = move |root: &Path| config::load_for_client(&home, root, named.as_deref());
    let server = &workspace.project.config.server;
    WorkspaceRules {
        warmset: server.workspace_warmset,
        auto,
        allowed_roots,
        max_registered: server.max_auto_workspaces,
        load_config: Box::new(load_config),
        lost: None,
        shelf: None,
    }
}

/// Threads for what is no question: it waits for locks, jobs and the client's pipes.
const WAITING_THREADS: usize = 8;

pub(super) fn runtime() -> Result<Runtime, CliError> {
    let processors = std::thread::available_parallelism().map_or(2, usize::from);
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        // Questions take turns, two for each processor, before they come here. More threads would not answer sooner, and
        // each keeps memory of its own.
        .max_blocking_threads(processors.max(2) * 2 + WAITING_THREADS)
        .build()
        .map_err(|problem| CliError::Environment(format!("cannot start: {problem}")))
}

/// Serves one client on stdin and stdout.
async fn talk(server: Arc<Server>) {
    tokio::select! {
        outcome = serve_stdio(server, tokio::io::stdin(), tokio::io::stdout()) => {
            if let Err(problem) = outcome {
                tracing::warn!("{problem}");
            }
        }
        () = output_closed() => tracing::info!("nobody reads the answers"),
    }
}

/// Ends when the other end of stdout is closed, where the system tells that: a client that died does not read what is
/// still being worked on.
async fn output_closed() {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;

        use tokio::io::Interest;
        use tokio::net::unix::pipe::Sender;

        // A file cannot be waited on; it is never closed either. Nothing is written here, so stdout stays as it is.
        let output = std::io::stdout().as_fd().try_clone_to_owned();
        if let Ok(output) = output.and_then(Sender::from_owned_fd_unchecked)
            && output.ready(Interest::ERROR).await.is_ok()
        {
            return;
        }
    }
    std::future::pending().await
}

/// Everything that takes time happens behind the handshake.
pub(super) fn prepare_in_background(app: &Arc<App>, watch: bool) {
    let app = Arc::clone(app);
    // Before the first question, which may come at once: it is to hear that its workspace is being indexed.
    if let Err(problem) = app.own().project.register() {
        tracing::error!("{problem}");
    }
    std::thread::spawn(move || {
        let workspace = app.own();
        if let Err(problem) = workspace.recover_interrupted_jobs() {
            tracing::error!("{problem}");
        }
        let name = workspace.project.current_ref().unwrap_or_default();
        let published = workspace.snapshot().and_then(|snapshot| Ok(snapshot.ref_state(&name)?.is_some()));
        match published {
            Ok(true) => {}
            Ok(false) | Err(cruxe_store::StoreError::NotIndexed) => {
                workspace.sync_in_background();
            }
            // The first question about it rebuilds it; it is told so.
            Err(problem) if problem.is_outdated() => tracing::warn!("{problem}"),
            Err(problem) => tracing::error!("{problem}"),
        }
        app.prewarm();
        app.wait_until_quiet();
        if watch {
            workspace.follow();
        }
        app.check();
    });
}
