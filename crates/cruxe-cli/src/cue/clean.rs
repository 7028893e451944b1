//! `cue clean`.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::deck;
use super::error::CueError;
use crate::context::Context;
use crate::output;

/// Remove .cuedeck/.cache; everything in it is made anew when it is needed
///
/// Cards, documents, SCENE.md and the configuration stay.
#[derive(Args)]
pub(crate) struct Clean {}

impl Clean {
    pub fn run(self, context: &Context) -> Result<ExitCode, CueError> {
        let cleaned = deck::find(context)?.clean()?;
        if context.options.json {
            output::json(&json!({ "files": cleaned.files, "bytes": cleaned.bytes }));
        } else if cleaned.files == 0 {
            output::line("the cache is empty");
        } else {
            let word = if cleaned.files == 1 { "file" } else { "files" };
            output::line(&format!("removed {} {word}, {} bytes", cleaned.files, cleaned.bytes));
        }
        Ok(ExitCode::SUCCESS)
    }
}
