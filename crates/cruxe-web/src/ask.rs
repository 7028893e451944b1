//! Asking the tools in this process, and what a page says when there is no answer.

use std::sync::Arc;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use cruxe_index::View;
use cruxe_model::Work;
use cruxe_model::config::{AnswerForm, FreshnessPolicy};
use cruxe_server::contract::{ErrorCode, ToolError};
use cruxe_server::{Call, CallError, ToolAnswer};
use maud::{Markup, html};
use serde_json::{Map, Value};

use crate::live::Figures;
use crate::params::Params;
use crate::visit::Visit;
use crate::{address, layout};

/// Somebody's work on a page, on a thread of its own.
pub(crate) struct Asking<'v> {
    pub visit: &'v Visit,
    pub work: Work,
}

impl Visit {
    /// Answers with a page, or the part of it that a script asks for.
    pub(crate) async fn page(
        &self,
        params: &Params,
        look: layout::Look,
        work: impl FnOnce(&Asking) -> Result<Markup, ToolError> + Send + 'static,
    ) -> Response {
        let whole = params.part().is_none();
        let outcome = self.work(move |asking| {
            // Before anything is read: what changes meanwhile is then seen as a change.
            let made_from = if whole { asking.visit.figures() } else { Figures::default() };
            Ok((made_from, work(asking)))
        });
        let (made_from, outcome) = match outcome.await {
            Ok(made) => made,
            Err(error) => (Figures::default(), Err(error)),
        };
        let status = outcome.as_ref().map_or_else(status_of, |_| StatusCode::OK);
        let page = || {
            let body = outcome.unwrap_or_else(|error| failure(&error));
            match params.part() {
                Some(_) => body,
                None => layout::page(self, params, &look, &made_from, body),
            }
        };
        (status, address::below(&self.below(), page)).into_response()
    }
}

impl Asking<'_> {
    /// Calls a tool; what is `null` or empty is not given.
    pub fn tool(&self, name: &str, arguments: Value) -> Result<Value, ToolError> {
        let given = match arguments {
            Value::Object(given) => given.into_iter().filter(|(_, value)| is_said(value)).collect(),
            _ => Map::new(),
        };
        let mut given: Map<String, Value> = given;
        if let Some(name) = self.visit.repository() {
            given.insert("workspace".to_owned(), Value::String(name.to_owned()));
        }
        let mut call = Call::new(given, Arc::new(self.visit.session())).in_form(AnswerForm::Json);
        call.work = self.work.clone();
        match self.visit.site.server.call_here(name, call) {
            Ok(ToolAnswer::Json(answer)) => serde_json::from_str(answer.json()).map_err(ToolError::internal),
            Ok(ToolAnswer::Text(_)) => Err(ToolError::internal(format!("{name} answered with text"))),
            Err(CallError::Tool(error) | CallError::Numeric(error)) => Err(error),
            Err(CallError::UnknownTool(problem)) => Err(ToolError::invalid_input(problem)),
        }
    }

    /// A ref as it is published, where it may be seen.
    pub fn view(&self, ref_name: Option<&str>) -> Result<View<'_>, ToolError> {
        let workspace = self.visit.workspace();
        let name = self.visit.scope.ref_of(workspace, ref_name.map(str::to_owned))?;
        Ok(workspace.view(name.as_deref(), FreshnessPolicy::Balanced)?.with_work(&self.work))
    }
}

fn is_said(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => true,
    }
}

/// What stands in the place of an answer that there is not.
pub(crate) fn failure(error: &ToolError) -> Markup {
    html! {
        @let waits = matches!(error.code, ErrorCode::IndexNotReady | ErrorCode::IndexIncompatible | ErrorCode::RefNotIndexed);
        div.empty role="alert" data-reload[waits] {
            p.empty-title { (error.message) }
            @if let Some(next) = error.data["suggestion"].as_str() { p { (next) } }
            @if error.code == ErrorCode::IndexIncompatible {
                p { button.button.primary type="button" data-post=(address::page("/status/rebuild")) { "Build it anew" } }
            }
            @let near = error.data["near"].as_array().into_iter().flatten();
            ul.plain { @for one in near.filter_map(|one| one["path"].as_str().or(one.as_str())) {
                li { a href=(address::file(one, None, None)) { (one) } }
            } }
        }
    }
}

fn status_of(error: &ToolError) -> StatusCode {
    match error.code {
        ErrorCode::FileNotFound | ErrorCode::SymbolNotFound | ErrorCode::RefNotIndexed => StatusCode::NOT_FOUND,
        ErrorCode::InvalidInput => StatusCode::BAD_REQUEST,
        ErrorCode::IndexNotReady => StatusCode::SERVICE_UNAVAILABLE,
        ErrorCode::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::OK,
    }
}

/// A text of an answer; empty where there is none.
pub(crate) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}

/// A number of an answer; 0 where there is none.
pub(crate) fn number(value: &Value, name: &str) -> u64 {
    value[name].as_u64().unwrap_or_default()
}

/// A list of an answer; empty where there is none.
pub(crate) fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}
