//! `compare_symbol_between_commits`: how one symbol changed.

use std::sync::Arc;

use cruxe_query::compare::{self, Question};
use schemars::JsonSchema;
use serde::Deserialize;

use super::several::{SYMBOLS, several};
use super::{budget, input};
use crate::answers::CompareAnswer;
use crate::app::App;
use crate::contract::names;
use crate::tool::{Tool, ToolSpec};

/// Which symbol, and between what.
#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Plain or qualified name.
    symbol_name: String,
    /// Its file, where the name alone is not clear.
    path: Option<String>,
    base_ref: String,
    head_ref: String,
    max_tokens: Option<i64>,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "How one symbol changed between two refs that git has, indexed or not: just its diff.";
    let spec = ToolSpec::new(names::COMPARE_SYMBOL_BETWEEN_COMMITS, "Compare a symbol", about);
    several(spec, SYMBOLS, move |input: Input, call| {
        input::not_empty("symbol_name", &input.symbol_name)?;
        input::not_empty("base_ref", &input.base_ref)?;
        input::not_empty("head_ref", &input.head_ref)?;
        let (workspace, scope) = (app.workspace(call)?, call.session.scope());
        scope.check_ref(&workspace, &input.base_ref)?;
        scope.check_ref(&workspace, &input.head_ref)?;
        let question = Question {
            name: input.symbol_name,
            path: input.path,
            base: input.base_ref,
            head: input.head_ref,
            work: call.work.clone(),
        };
        let answer = CompareAnswer::new(compare::compare(&workspace, &question)?);
        budget::fit(call.form, input.max_tokens, answer.count(), |count| answer.first(count))
    })
}
