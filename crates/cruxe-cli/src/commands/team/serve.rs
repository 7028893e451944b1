//! `cruxe team serve`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use cruxe_team::node::{Node, NodeOptions};

use super::Service;
use super::work::program_name;
use crate::commands::serve_http::{self, HttpArgs};
use crate::commands::serve_mcp::{Answers, runtime};
use crate::context::{CliError, Context};
use crate::{config, memory};

/// Answer agents about the team's repositories, over HTTP
///
/// MCP at /mcp with a token of `cruxe team token create`; `workspace` names a repository. Pages for people at /, for the same tokens.
/// Webhooks at /team/v1/hook/NAME. Nodes are started and killed at will; what they keep on disk is a cache.
#[derive(Args)]
pub(super) struct Serve {
    /// Where repositories are kept that were asked about [default: $CRUXE_HOME/team/node]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Its name in the audit [default: the host and the process]
    #[arg(long)]
    name: Option<String>,
    /// How much of the disk they may take, in gigabytes
    #[arg(long, value_name = "GB", default_value_t = 20.0)]
    max_disk: f64,
    /// How many are open in memory
    #[arg(long, value_name = "N", default_value_t = 32)]
    max_open: usize,
    /// How much memory the directories of repositories may take, in megabytes; the rest is read from disk
    #[arg(long, value_name = "MB", default_value_t = 1024)]
    directories: usize,
    /// What tools answer with [default: `server.answers` of the configuration, else json]
    #[arg(long, value_enum, value_name = "FORM")]
    answers: Option<Answers>,
    #[command(flatten)]
    http: HttpArgs,
}

impl Serve {
    pub fn run(self, context: &Context, service: &Service) -> Result<ExitCode, CliError> {
        let config = config::load(&context.home, None, context.options.config.as_deref())?;
        let limits = config.http.clone();
        let options = NodeOptions {
            name: self.name.unwrap_or_else(program_name),
            folder: self.folder.unwrap_or_else(|| context.home.root().join("team/node")),
            max_bytes: (self.max_disk.max(0.0) * 1e9) as u64,
            max_open: self.max_open,
            directory_bytes: self.directories.saturating_mul(1_000_000),
            config,
            address: None,
        };
        let node = Node::start(Arc::clone(&service.database), service.blobs()?, options)?;
        let (app, server) = node.server(env!("CARGO_PKG_VERSION"), self.answers.map(Into::into));
        memory::return_at_once();
        let runtime = runtime()?;
        let ready = runtime.block_on(serve_http::prepare_for(self.http, &limits, Some(node.scopes())))?;
        runtime.block_on(ready.serve_team(&app, server, node.routes()))?;
        node.stop();
        runtime.shutdown_background();
        std::process::exit(0);
    }
}
