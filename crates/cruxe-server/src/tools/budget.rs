//! Answers that keep to a number of tokens.

use cruxe_model::config::AnswerForm;

use crate::answers::Render;
use crate::contract::{ErrorCode, ToolError};

/// How many tokens a model reads in an answer, as the tokenizer of current OpenAI models counts them; others differ by
/// a few percent.
pub(super) fn tokens(answer: &impl Render, form: AnswerForm) -> Result<usize, ToolError> {
    let text = match form {
        AnswerForm::Json => serde_json::to_string(answer).map_err(ToolError::internal)?,
        AnswerForm::Text => answer.text().to_string(),
    };
    Ok(cruxe_tokens::count(&text))
}

/// The tokens that an answer may have, where a call says so.
pub(super) fn most(max_tokens: Option<i64>) -> Result<Option<usize>, ToolError> {
    let Some(asked) = max_tokens else { return Ok(None) };
    let most = usize::try_from(asked).ok().filter(|most| *most > 0);
    most.map(Some).ok_or_else(|| refused(format!("max_tokens: {asked} is not a positive number")))
}

fn refused(message: String) -> ToolError {
    ToolError::new(ErrorCode::InvalidMaxTokens, message).with("parameter", "max_tokens")
}

/// The answer with as many of `count` results as fit into the budget. `make` builds the answer with the first so many.
pub(super) fn fit<T: Render>(
    form: AnswerForm,
    max_tokens: Option<i64>,
    count: usize,
    make: impl Fn(usize) -> T,
) -> Result<T, ToolError> {
    let Some(most) = most(max_tokens)? else { return Ok(make(count)) };
    let tokens = |answer: &T| tokens(answer, form);
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
    use crate::answers::{Line, Text};

    #[derive(serde::Serialize)]
    struct Numbers(Vec<usize>);

    impl Render for Numbers {
        fn text(&self) -> Text {
            let mut text = Text::default();
            self.0.iter().for_each(|number| text.push(Line::new().number(number.to_string())));
            text
        }
    }

    fn numbers(count: usize) -> Numbers {
        Numbers((1000..1000 + count).collect())
    }

    #[test]
    fn as_many_results_as_fit_are_kept_and_never_more() {
        for form in [AnswerForm::Json, AnswerForm::Text] {
            let all = tokens(&numbers(50), form).unwrap();
            for most in 1..=all + 5 {
                let kept = fit(form, Some(most as i64), 50, numbers).unwrap();
                assert!(tokens(&kept, form).unwrap() <= most);
                let fuller = tokens(&numbers(kept.0.len() + 1), form).unwrap();
                assert!(kept.0.len() == 50 || fuller > most, "{most}: {} fit too", kept.0.len() + 1);
            }
            assert_eq!(fit(form, None, 50, numbers).unwrap().0.len(), 50);
        }
    }

    #[test]
    fn a_budget_that_holds_nothing_is_refused() {
        for bad in [0, -5] {
            let refused = fit(AnswerForm::Json, Some(bad), 1, numbers).err().map(|error| error.code);
            assert_eq!(refused, Some(ErrorCode::InvalidMaxTokens));
        }
        let error = fit(AnswerForm::Json, Some(3), 1, |count| numbers(count + 9)).err().unwrap();
        assert!(error.data["minimum"].as_u64().unwrap() > 3);
    }
}
