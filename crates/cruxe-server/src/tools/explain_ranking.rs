//! `explain_ranking`: why a result of a search ranks where it does.

use std::sync::Arc;

use cruxe_query::search::explain;
use schemars::JsonSchema;
use serde::Deserialize;

use super::input;
use crate::answers::RankingAnswer;
use crate::app::App;
use crate::ask::{language, search_question};
use crate::contract::{ToolError, names};
use crate::tool::{Tool, ToolSpec, typed};

const DEFAULT_LIMIT: u64 = 200;
const MAX_LIMIT: u64 = 1000;

/// Which result of which search.
#[derive(Deserialize, JsonSchema)]
struct Input {
    query: String,
    result_path: String,
    result_line_start: i64,
    #[serde(rename = "ref")]
    ref_name: Option<String>,
    language: Option<String>,
    #[schemars(extend("default" = 200))]
    limit: Option<i64>,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = format!("Why one {} result ranks where it does: what each factor added.", names::SEARCH_CODE);
    typed(ToolSpec::new(names::EXPLAIN_RANKING, "Explain a rank", about), move |input: Input, call| {
        input::not_empty("query", &input.query)?;
        let line = u32::try_from(input.result_line_start).ok().filter(|line| *line > 0).ok_or_else(|| {
            ToolError::invalid_input("result_line_start: lines are counted from 1")
                .with("parameter", "result_line_start")
        })?;
        let limit = input::limit(input.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
        let language = language(input.language.as_deref())?;
        app.ask(call, input.ref_name, None, |asked| {
            let (question, _) = search_question(asked.workspace, &input.query, language, limit);
            let (found, answer) = explain::explain(&asked.view, &question, &input.result_path, line)?;
            Ok(RankingAnswer::new(input.query, &asked.layers(), &found, &answer))
        })
    })
}
