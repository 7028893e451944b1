//! `cruxe web`, and `cue board`, which is the same at another page.

use std::process::{Command, ExitCode, Stdio};

use clap::Args;
use cruxe_model::config::AnswerForm;
use cruxe_server::app::Prewarm;
use cruxe_server::{App, Toolsets, Workspaces, tools};

use super::serve_http::{self, HttpArgs};
use super::serve_mcp::{prepare_in_background, rules, runtime};
use crate::context::{CliError, Context};
use crate::memory;

/// Look at the code base in a browser: search, symbols, graphs, branches, the board
///
/// Serves pages to this machine alone, opens the browser, and follows edits until it is ended by Ctrl-C. What was never indexed is
/// indexed meanwhile.
///
/// Examples:
///   cruxe web
///   cruxe web --port 8080 --no-open
///   cruxe serve-mcp --transport http --web    the same pages beside MCP, for other machines too
#[derive(Args, Default)]
#[command(verbatim_doc_comment)]
pub(crate) struct Web {
    /// The port; 0 for any [default: 9101, or any where that is taken]
    #[arg(long)]
    port: Option<u16>,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
}

impl Web {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        self.run_at(context, "/")
    }

    /// Serves the pages and opens one of them.
    pub fn run_at(self, context: &Context, page: &str) -> Result<ExitCode, CliError> {
        let workspace = context.workspace()?;
        let rules = rules(context, &workspace, false, Vec::new());
        let app = App::new(Workspaces::new(context.home.clone(), workspace, rules), Prewarm::Warming);
        let config = &app.own().project.config;
        let server = tools::server(&app, env!("CARGO_PKG_VERSION"), &Toolsets::default(), AnswerForm::Json);
        let runtime = runtime()?;
        memory::return_at_once();
        let prepare = |port| runtime.block_on(serve_http::prepare(HttpArgs::local(port), &config.http));
        let ready = match self.port {
            Some(port) => prepare(port)?,
            None => prepare(DEFAULT_PORT).or_else(|_| prepare(0))?,
        };
        prepare_in_background(&app, config.server.watch);
        let address = ready.address(page);
        if !self.no_open {
            open_browser(&address);
        }
        runtime.block_on(ready.serve_pages(&app, server, &address))?;
        app.workspaces().close();
        runtime.shutdown_background();
        std::process::exit(0);
    }
}

const DEFAULT_PORT: u16 = 9101;

/// Opens a page in the user's browser; where there is none, the address that is printed is all.
fn open_browser(address: &str) {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("explorer", &[])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Ok(mut browser) = command.spawn() {
        // Somebody has to hear of its end.
        std::thread::spawn(move || browser.wait());
    }
}
