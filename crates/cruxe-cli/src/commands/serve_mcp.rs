//! `cruxe serve-mcp`.

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use cruxe_index::Workspace;
use cruxe_server::app::Prewarm;
use cruxe_server::{App, Toolset, Toolsets, serve_stdio, tools};

use crate::context::{CliError, Context};

/// Serve an agent over MCP on stdin and stdout
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
    /// Do not follow edits; freshness is then found out at each question
    #[arg(long)]
    no_watch: bool,
    /// Do not check the index ahead of the first question
    #[arg(long)]
    no_prewarm: bool,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Transport {
    /// One client, on stdin and stdout
    #[default]
    Stdio,
}

impl ServeMcp {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let Transport::Stdio = self.transport;
        let workspace = context.workspace()?;
        let prewarm = if self.no_prewarm { Prewarm::Disabled } else { Prewarm::Complete };
        let app = App::new(context.home.clone(), Arc::clone(&workspace), prewarm);
        let sets = Toolsets::new(self.toolsets);
        let server = tools::server(&app, env!("CARGO_PKG_VERSION"), &sets);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|problem| CliError::Environment(format!("cannot start: {problem}")))?;
        let watch = workspace.project.config.server.watch && !self.no_watch;
        prepare_in_background(&workspace, watch, prewarm == Prewarm::Complete);
        let outcome = runtime.block_on(serve_stdio(server, tokio::io::stdin(), tokio::io::stdout()));
        // The client is gone: nothing that still runs is worth waiting for. A job that is cut off here is what a kill
        // would leave, and the next start takes it up.
        workspace.close();
        runtime.shutdown_background();
        if let Err(problem) = outcome {
            tracing::warn!("{problem}");
        }
        std::process::exit(0);
    }
}

/// Everything that takes time happens behind the handshake.
fn prepare_in_background(workspace: &Arc<Workspace>, watch: bool, prewarm: bool) {
    let workspace = Arc::clone(workspace);
    std::thread::spawn(move || {
        if let Err(problem) = workspace.project.register() {
            tracing::error!("{problem}");
        }
        if let Err(problem) = workspace.recover_interrupted_jobs() {
            tracing::error!("{problem}");
        }
        let published = workspace.index().and_then(|index| {
            let name = workspace.project.current_ref().unwrap_or_default();
            Ok(index.snapshot()?.ref_state(&name)?.is_some())
        });
        match published {
            Ok(true) => {}
            Ok(false) | Err(cruxe_store::StoreError::NotIndexed) => {
                workspace.sync_in_background();
            }
            Err(problem) => tracing::error!("{problem}"),
        }
        if watch {
            workspace.follow();
        }
        if prewarm {
            workspace.validate_in_background();
        }
    });
}
