//! Parameters that several tools have.

use std::ops::RangeInclusive;

use cruxe_query::filter::{Filter, Tests};
use cruxe_query::target::Wanted;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::ask;
use crate::contract::ToolError;

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
