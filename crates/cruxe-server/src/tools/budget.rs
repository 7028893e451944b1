//! Answers that keep to a number of tokens.

use crate::contract::{ErrorCode, ToolError};
use serde::Serialize;

/// How many tokens a model reads in an answer, as the tokenizer of current OpenAI models counts them; others differ by
/// a few percent.
pub(super) fn tokens(answer: &impl Serialize) -> Result<usize, ToolError> {
    let text = serde_json::to_string(answer).map_err(ToolError::internal)?;
    Ok(cruxe_tokens::count(&text))
}

/// The answer with as many of `count` results as fit into the budget. `make` builds the answer with the first so many.
pub(super) fn fit<T: Serialize>(
    max_tokens: Option<i64>,
    count: usize,
    make: impl Fn(usize) -> T,
) -> Result<T, ToolError> {
    let Some(asked) = max_tokens else { return Ok(make(count)) };
    let refused =
        |message: String| ToolError::new(ErrorCode::InvalidMaxTokens, message).with("parameter", "max_tokens");
    let most = usize::try_from(asked)
        .ok()
        .filter(|most| *most > 0)
        .ok_or_else(|| refused(format!("max_tokens: {asked} is not a positive number")))?;
    let least = tokens(&make(0))?;
    if least > most {
        let message = format!("max_tokens: {most} is less than an answer without results needs ({least})");
        return Err(refused(message).with("minimum", least));
    }
    let (mut fits, mut too_many) = (0, count + 1);
    while too_many - fits > 1 {
        let middle = fits.midpoint(too_many);
        if tokens(&make(middle))? <= most { fits = middle } else { too_many = middle }
    }
    Ok(make(fits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize) -> Vec<usize> {
        (1000..1000 + count).collect()
    }

    #[test]
    fn as_many_results_as_fit_are_kept_and_never_more() {
        let all = tokens(&numbers(50)).unwrap();
        for most in 1..=all + 5 {
            let kept = fit(Some(most as i64), 50, numbers).unwrap();
            assert!(tokens(&kept).unwrap() <= most);
            let fuller = tokens(&numbers(kept.len() + 1)).unwrap();
            assert!(kept.len() == 50 || fuller > most, "{most}: {} fit too", kept.len() + 1);
        }
        assert_eq!(fit(None, 50, numbers).unwrap().len(), 50);
    }

    #[test]
    fn a_budget_that_holds_nothing_is_refused() {
        for bad in [0, -5] {
            assert_eq!(fit(Some(bad), 1, numbers).unwrap_err().code, ErrorCode::InvalidMaxTokens);
        }
        let error = fit(Some(3), 1, |count| format!("a rather long text before {count} results")).unwrap_err();
        assert!(error.data["minimum"].as_u64().unwrap() > 3);
    }
}
