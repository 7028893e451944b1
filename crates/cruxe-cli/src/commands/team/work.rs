//! `cruxe team work`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use cruxe_team::{Worker, WorkerOptions};
use serde_json::json;

use super::{Service, done};
use crate::context::{CliError, Context};
use crate::{config, output};

/// Fetch and index what was pushed, and publish it
///
/// Workers are started and killed at will: what one leaves unfinished another takes up within half a minute. Each needs a folder
/// of its own.
#[derive(Args)]
pub(super) struct Work {
    /// Where mirrors and indexes are kept between jobs [default: $CRUXE_HOME/team/work]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Its name in `cruxe team status` [default: the host and the process]
    #[arg(long)]
    name: Option<String>,
    /// How many repositories are worked on at once
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// Do what is due, then end
    #[arg(long)]
    once: bool,
    /// How long superseded states and unneeded blobs stay, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    grace: u64,
}

impl Work {
    pub fn run(self, context: &Context, service: &Service) -> Result<ExitCode, CliError> {
        let folder = self.folder.unwrap_or_else(|| context.home.root().join("team/work"));
        let name = self.name.unwrap_or_else(program_name);
        let config = config::load(&context.home, None, context.options.config.as_deref())?;
        let blobs = service.blobs()?;
        let make = |number: usize| {
            let options = WorkerOptions {
                name: if self.jobs > 1 { format!("{name}/{number}") } else { name.clone() },
                folder: folder.join(number.to_string()),
                grace: Duration::from_secs(self.grace),
                config: config.clone(),
            };
            Worker::new(Arc::clone(&service.database), Arc::clone(&blobs), options)
        };
        let workers: Vec<Worker> = (1..=self.jobs.max(1)).map(make).collect::<Result<_, _>>()?;
        if self.once {
            let jobs: usize = workers[0].run_once()?;
            return done(context, json!({"jobs": jobs}), || format!("{jobs} jobs done"));
        }
        output::note(&format!("working as {name}"));
        let stop = AtomicBool::new(false);
        // A signal ends the process where it is: that is what a kill leaves too, and another worker takes it up.
        std::thread::scope(|scope| {
            for worker in &workers {
                scope.spawn(|| worker.run(&stop));
            }
        });
        Ok(ExitCode::SUCCESS)
    }
}

/// A name that no other program has.
pub(super) fn program_name() -> String {
    let host = std::env::var("HOSTNAME").ok().filter(|name| !name.is_empty()).unwrap_or_else(|| "local".to_owned());
    format!("{host}:{}", std::process::id())
}
