//! The symbols that a question at the terminal is about: one, or several at once.

use std::process::ExitCode;

use clap::Args;
use cruxe_query::target::Wanted;
use cruxe_server::answers::{Answer, Part, Refused, SeveralAnswers};
use cruxe_server::contract::{ErrorCode, ToolError};

use crate::context::{CliError, Context};
use crate::output;

/// Where the symbols are.
#[derive(Args)]
pub(super) struct Defined {
    /// The file that defines it, where several do
    #[arg(long, value_name = "FILE")]
    path: Option<String>,
    /// The line of the definition, where one file has several
    #[arg(long)]
    line: Option<u32>,
}

impl Defined {
    /// The symbols of some names, each once.
    pub fn wanted(&self, names: &[String]) -> Result<Vec<Wanted>, CliError> {
        let mut wanted: Vec<Wanted> = Vec::new();
        for name in names {
            if !wanted.iter().any(|known| known.name == *name) {
                wanted.push(Wanted { name: name.clone(), path: self.path.clone(), line: self.line });
            }
        }
        if wanted.len() > 1 && self.line.is_some() {
            return Err(CliError::Usage("--line belongs to one symbol; ask for it alone".to_owned()));
        }
        Ok(wanted)
    }
}

/// Prints the answer about each symbol; fails where one is not found.
pub(super) fn answer_each<T: Answer>(
    context: &Context,
    mut wanted: Vec<Wanted>,
    ask: impl Fn(Wanted) -> Result<T, ToolError>,
) -> Result<ExitCode, CliError> {
    if wanted.len() == 1 {
        return match wanted.pop().map(ask) {
            Some(Ok(answer)) => {
                output::answer(&answer, context.options.json);
                Ok(ExitCode::SUCCESS)
            }
            Some(Err(error)) => not_found(context, error),
            None => Ok(ExitCode::FAILURE),
        };
    }
    let mut parts = Vec::new();
    for wanted in wanted {
        let name = wanted.name.clone();
        parts.push(match ask(wanted) {
            Ok(answer) => Part::Answer(Box::new(answer)),
            Err(error) if is_missing(&error) => Part::Refused(Refused { what: "symbol", name, error }),
            Err(error) => return Err(error.into()),
        });
    }
    match SeveralAnswers::new(parts, Vec::new()) {
        Ok(answers) => {
            output::answer(&answers, context.options.json);
            Ok(if answers.refused().next().is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Err(error) => not_found(context, error),
    }
}

fn is_missing(error: &ToolError) -> bool {
    error.code == ErrorCode::SymbolNotFound
}

/// A symbol that is not there is an answer, not a failure of the program.
pub(super) fn not_found(context: &Context, error: ToolError) -> Result<ExitCode, CliError> {
    if !is_missing(&error) {
        return Err(error.into());
    }
    if context.options.json {
        output::json(&error.to_json());
    }
    let all = error.data["answers"].as_array().cloned().unwrap_or_default();
    let messages = all.iter().filter_map(|one| one["error"]["message"].as_str());
    let messages: Vec<&str> = if all.is_empty() { vec![&error.message] } else { messages.collect() };
    messages.into_iter().for_each(output::note);
    if let Some(near) = error.data.get("near").and_then(|near| near.as_array()) {
        let names: Vec<&str> = near.iter().filter_map(|near| near["name"].as_str()).collect();
        output::note(&format!("  near: {}", names.join(", ")));
    }
    Ok(ExitCode::FAILURE)
}
