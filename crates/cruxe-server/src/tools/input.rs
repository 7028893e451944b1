//! Parameters that several tools have.

use std::ops::RangeInclusive;

use cruxe_model::config::AnswerForm;
use cruxe_query::filter::{Filter, Tests};
use cruxe_query::target::Wanted;
use schemars::JsonSchema;
use serde::Deserialize;

use super::budget;
use crate::answers::{DetailLevel, Source};
use crate::ask;
use crate::contract::ToolError;
use crate::tool::Call;

/// Which places a question is about.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Places {
    /// Globs, `!` excludes.
    paths: Option<Vec<String>>,
    tests: Option<TestsWord>,
}

/// Whether tests are a part of the answer.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum TestsWord {
    Include,
    Exclude,
    Only,
}

impl Places {
    /// The filter that they make, with a kind of symbol where one is asked for.
    pub(super) fn filter(&self, kind: Option<&str>) -> Result<Filter, ToolError> {
        let tests = match self.tests {
            None | Some(TestsWord::Include) => Tests::Include,
            Some(TestsWord::Exclude) => Tests::Exclude,
            Some(TestsWord::Only) => Tests::Only,
        };
        ask::filter(self.paths.as_deref().unwrap_or_default(), tests, kind)
    }
}

/// A number of results within bounds.
pub(super) fn limit(asked: Option<i64>, default: u64, most: u64) -> Result<usize, ToolError> {
    Ok(number("limit", asked, default, 1..=most)? as usize)
}

/// A number within bounds; an error names the parameter.
pub(super) fn number(
    parameter: &str,
    given: Option<i64>,
    default: u64,
    allowed: RangeInclusive<u64>,
) -> Result<u64, ToolError> {
    let Some(given) = given else { return Ok(default) };
    u64::try_from(given).ok().filter(|number| allowed.contains(number)).ok_or_else(|| {
        let (low, high) = (allowed.start(), allowed.end());
        ToolError::invalid_input(format!("{parameter}: {given} is not in {low}..={high}")).with("parameter", parameter)
    })
}

/// A text that says something.
pub(super) fn not_empty(parameter: &str, text: &str) -> Result<(), ToolError> {
    match text.trim().is_empty() {
        true => Err(ToolError::invalid_input(format!("{parameter}: must not be empty")).with("parameter", parameter)),
        false => Ok(()),
    }
}

/// The symbol that several parameters name between them.
pub(super) fn wanted(
    name: &str,
    id: Option<&str>,
    path: Option<String>,
    line: Option<i64>,
) -> Result<Wanted, ToolError> {
    let name = Some(id.filter(|id| !id.trim().is_empty()).unwrap_or(name).trim())
        .filter(|name| !name.is_empty())
        .ok_or_else(|| {
            ToolError::invalid_input("symbol_name: give the name of a symbol, or its symbol_id")
                .with("parameter", "symbol_name")
        })?;
    let line = match line {
        None => None,
        Some(_) => Some(number("line", line, 1, 1..=u64::from(u32::MAX))? as u32),
    };
    Ok(Wanted { name: name.to_owned(), path, line })
}

/// Tokens that an answer with source has when nothing else is asked for: what fits beside a question and still shows
/// the code of several results.
const SOURCE_TOKENS: usize = 1000;

/// How much source a call wants with its results. A program that reads JSON asks for it by `detail_level`.
pub(super) fn source(call: &Call, level: Option<DetailLevel>, max_tokens: Option<i64>) -> Result<Source, ToolError> {
    let most = budget::most(max_tokens)?;
    Ok(match (call.form, level) {
        (AnswerForm::Json, _) | (_, Some(DetailLevel::Location | DetailLevel::Signature)) => Source::None,
        (AnswerForm::Text, Some(DetailLevel::Context)) => Source::of_tokens(most.unwrap_or(4 * SOURCE_TOKENS)),
        (AnswerForm::Text, None) => Source::of_tokens(most.unwrap_or(SOURCE_TOKENS)),
    })
}
