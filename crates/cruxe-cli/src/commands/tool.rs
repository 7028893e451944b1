//! What the commands share that answer as the tool of their name does, in the same text or JSON.

use std::sync::Arc;

use cruxe_model::config::AnswerForm;
use cruxe_server::app::Prewarm;
use cruxe_server::{App, Call, CallError, Session, ToolAnswer, Toolsets, Workspaces, tools};
use serde_json::{Map, Value};

use super::names::not_found;
use super::search::fresh_view;
use super::serve_mcp::rules;
use crate::context::{CliError, Context};
use crate::output;

/// Whether there was something to show.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Yes.
    Found,
    /// No.
    Nothing,
}

/// The arguments of a call; what was not given is left out.
pub(super) fn arguments<const N: usize>(given: [(&str, Value); N]) -> Map<String, Value> {
    let said = |value: &Value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
    given.into_iter().filter(|(_, value)| said(value)).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Answers as a tool does, once the index is up to date.
pub(super) fn answer(
    context: &Context,
    tool: &str,
    arguments: Map<String, Value>,
    ref_name: Option<&str>,
) -> Result<Outcome, CliError> {
    drop(fresh_view(&context.workspace()?, ref_name)?);
    ask(context, tool, arguments)
}

/// Answers as a tool does, from the index as it is.
pub(super) fn ask(context: &Context, tool: &str, arguments: Map<String, Value>) -> Result<Outcome, CliError> {
    let workspace = context.workspace()?;
    let rules = rules(context, &workspace, false, Vec::new());
    let app = App::new(Workspaces::new(context.home.clone(), workspace, rules), Prewarm::Disabled);
    let form = if context.options.json { AnswerForm::Json } else { AnswerForm::Text };
    let server = tools::server(&app, env!("CARGO_PKG_VERSION"), &Toolsets::default(), form);
    let call = Call::new(arguments, Arc::new(Session::new())).in_form(form);
    match server.call_here(tool, call) {
        Ok(ToolAnswer::Text(text)) => {
            let found = !text.lines.is_empty();
            output::rendered(&text);
            Ok(if found { Outcome::Found } else { Outcome::Nothing })
        }
        Ok(ToolAnswer::Json(answer)) => {
            let value: Value = serde_json::from_str(answer.json()).unwrap_or_default();
            output::json(&value);
            let empty = value["results"].as_array().is_some_and(Vec::is_empty);
            Ok(if empty { Outcome::Nothing } else { Outcome::Found })
        }
        Err(CallError::Tool(error) | CallError::Numeric(error)) => not_found(context, error).map(|_| Outcome::Nothing),
        Err(CallError::UnknownTool(problem)) => Err(CliError::Usage(problem)),
    }
}
