//! One question about several names in one call: what a question about each would have answered, in their order.

use std::collections::HashSet;
use std::marker::PhantomData;
use std::sync::Arc;

use cruxe_model::config::AnswerForm;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::budget;
use crate::answers::{Answer, Part, Refused, Render, SeveralAnswers};
use crate::contract::{ErrorCode, ToolError};
use crate::schema::Object;
use crate::tool::{Call, Tool, ToolAnswer, ToolSpec};

/// So many names can be given at once.
pub(super) const MOST_NAMES: usize = 20;

/// The parameters of a tool that takes one name or several.
#[derive(Clone, Copy)]
pub(super) struct Names {
    /// Several.
    pub many: &'static str,
    /// One.
    pub one: &'static str,
    /// What else says which one it is, and means nothing for several.
    pub beside_one: &'static [&'static str],
    /// What they are names of.
    pub what: &'static str,
}

/// The parameters of a tool that takes one symbol or several.
pub(super) const SYMBOLS: Names =
    Names { many: "symbols", one: "symbol_name", beside_one: &["symbol_id", "line"], what: "symbol" };

/// Makes a tool of a function from `Input`, which has one name, to `Output`.
pub(super) fn several<I, O, F>(spec: ToolSpec, names: Names, run: F) -> Arc<dyn Tool>
where
    I: DeserializeOwned + JsonSchema + 'static,
    O: Answer + JsonSchema + 'static,
    F: Fn(I, &Call) -> Result<O, ToolError> + Send + Sync + 'static,
{
    Arc::new(Several { spec: spec.instead(names.many, names.one), names, run, types: PhantomData })
}

struct Several<I, O, F> {
    spec: ToolSpec,
    names: Names,
    run: F,
    types: PhantomData<fn(I) -> O>,
}

impl<I, O, F> Tool for Several<I, O, F>
where
    I: DeserializeOwned + JsonSchema,
    O: Answer + JsonSchema,
    F: Fn(I, &Call) -> Result<O, ToolError> + Send + Sync,
{
    fn spec(&self) -> ToolSpec {
        // The server's instructions say what it is for, once for all tools that have it.
        let list = json!({"type": "array", "items": {"type": "string"}});
        self.spec.clone().with_types::<I, O>().with_input(self.names.many, list)
    }

    fn call(&self, call: &Call) -> Result<ToolAnswer, ToolError> {
        match self.names.of(&call.arguments)? {
            None => ToolAnswer::of(&(self.run)(call.input()?, call)?, call),
            Some(given) => ToolAnswer::of(&self.answer_each(call, given)?, call),
        }
    }
}

impl<I: DeserializeOwned, O: Answer, F: Fn(I, &Call) -> Result<O, ToolError>> Several<I, O, F> {
    fn answer_each(&self, call: &Call, given: Given) -> Result<SeveralAnswers<O>, ToolError> {
        let count = given.each.len();
        let mut room = Room::of(call)?;
        let mut parts = Vec::new();
        for (at, (name, mut arguments)) in given.each.into_iter().enumerate() {
            room.share(count - at, &mut arguments);
            let one = call.with_arguments(arguments);
            let part = match one.input().and_then(|input| (self.run)(input, &one)) {
                Ok(answer) => Part::Answer(Box::new(answer)),
                Err(error) if self.names.is_about(&error) => {
                    Part::Refused(Refused { what: self.names.what, name, error: call.date(error) })
                }
                Err(error) => return Err(room.explain(error, count)),
            };
            room.take(&part, call.form)?;
            parts.push(part);
        }
        SeveralAnswers::new(parts, given.warnings)
    }
}

/// The names of a call, each with the arguments of a question about it alone.
struct Given {
    each: Vec<(String, Object)>,
    warnings: Vec<String>,
}

impl Names {
    /// The names that a call gives; `None` where it does not give several. A single one beside them goes first.
    fn of(&self, arguments: &Object) -> Result<Option<Given>, ToolError> {
        let Some(Value::Array(list)) = arguments.get(self.many) else { return Ok(None) };
        let refused = |message: String| ToolError::invalid_input(message).with("parameter", self.many);
        if !(1..=MOST_NAMES).contains(&list.len()) {
            let message = format!("{}: give 1 to {MOST_NAMES} names, not {}", self.many, list.len());
            return Err(refused(message));
        }
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).map_or("", str::trim);
        let mut alone = arguments.clone();
        alone.remove(self.many);
        let mut shared = alone.clone();
        self.beside_one.iter().for_each(|name| drop(shared.remove(*name)));
        let (mut each, mut warnings, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
        let by_other = self.beside_one.iter().any(|name| !text(name).is_empty());
        if by_other || !text(self.one).is_empty() {
            seen.insert(text(self.one).to_owned());
            each.push((text(self.one).to_owned(), alone));
        }
        for (at, name) in list.iter().enumerate() {
            let name = name.as_str().map_or("", str::trim);
            if name.is_empty() {
                return Err(refused(format!("{}[{at}]: must not be empty", self.many)));
            }
            if !seen.insert(name.to_owned()) {
                let warning = format!("`{name}` was given more than once and is answered once");
                // Who is made to give a single one gives it twice.
                if text(self.one) != name && !warnings.contains(&warning) {
                    warnings.push(warning);
                }
                continue;
            }
            let mut arguments = shared.clone();
            arguments.insert(self.one.to_owned(), json!(name));
            each.push((name.to_owned(), arguments));
        }
        Ok(Some(Given { each, warnings }))
    }

    /// Whether an error is about a name, so that the others still have an answer.
    fn is_about(&self, error: &ToolError) -> bool {
        use ErrorCode::{AmbiguousSymbol, FileNotFound, IndexNotReady, InvalidInput, SymbolNotFound};
        let parameter = || error.data["parameter"].as_str();
        match error.code {
            SymbolNotFound | AmbiguousSymbol | FileNotFound | IndexNotReady => true,
            // `to`: it is one of the names.
            InvalidInput => parameter().is_some_and(|name| name == self.one || name == "to"),
            _ => false,
        }
    }
}

/// How many tokens are left of those that the whole answer may have.
struct Room {
    asked: i64,
    left: Option<i64>,
}

/// The parameter that bounds an answer.
const MAX_TOKENS: &str = "max_tokens";
/// About what the answer has around its parts.
const AROUND: i64 = 120;

impl Room {
    fn of(call: &Call) -> Result<Room, ToolError> {
        let asked = call.arguments.get(MAX_TOKENS).and_then(Value::as_i64);
        Ok(Room { asked: asked.unwrap_or_default(), left: asked.map(|asked| asked - AROUND) })
    }

    /// Gives the next of so many answers its part.
    fn share(&self, answers: usize, arguments: &mut Object) {
        if let Some(left) = self.left.filter(|_| self.asked > 0) {
            arguments.insert(MAX_TOKENS.to_owned(), json!((left / answers as i64).max(1)));
        }
    }

    fn take(&mut self, part: &impl Render, form: AnswerForm) -> Result<(), ToolError> {
        if let Some(left) = &mut self.left {
            *left -= budget::tokens(part, form)? as i64 + 1;
        }
        Ok(())
    }

    /// An error that speaks of the part of one answer speaks of the whole.
    fn explain(&self, error: ToolError, answers: usize) -> ToolError {
        let Some(least) = error.data["minimum"].as_i64().filter(|_| error.code == ErrorCode::InvalidMaxTokens) else {
            return error;
        };
        let message = format!("{MAX_TOKENS}: {} is less than {answers} answers without results need", self.asked);
        let minimum = AROUND + answers as i64 * (least + 1);
        ToolError::new(error.code, message).with("parameter", MAX_TOKENS).with("minimum", minimum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(arguments: Value) -> Result<(Vec<String>, Vec<String>), String> {
        let Value::Object(arguments) = arguments else { panic!("not an object") };
        let given = SYMBOLS.of(&arguments).map_err(|error| error.message)?.unwrap();
        Ok((
            given.each.iter().map(|(_, arguments)| Value::Object(arguments.clone()).to_string()).collect(),
            given.warnings,
        ))
    }

    #[test]
    fn every_name_has_the_arguments_of_a_question_about_it_alone() {
        let both = json!({"symbol_name": "a", "line": 3, "symbols": ["b", "a"], "limit": 5});
        let (each, warnings) = names(both).unwrap();
        assert_eq!(
            each,
            [r#"{"symbol_name":"a","line":3,"limit":5}"#, r#"{"symbol_name":"b","limit":5}"#],
            "the single one goes first, and what says which one it is belongs to it"
        );
        assert_eq!(warnings, [""; 0]);
        let (each, warnings) = names(json!({"symbol_name": "", "symbols": ["b", "c", " b "]})).unwrap();
        assert_eq!(each, [r#"{"symbol_name":"b"}"#, r#"{"symbol_name":"c"}"#]);
        assert_eq!(warnings, ["`b` was given more than once and is answered once"]);
        let (each, _) = names(json!({"symbol_name": "", "symbol_id": "sym_1", "symbols": ["b"]})).unwrap();
        assert_eq!(each, [r#"{"symbol_name":"","symbol_id":"sym_1"}"#, r#"{"symbol_name":"b"}"#]);
    }

    #[test]
    fn no_names_and_too_many_are_refused() {
        assert_eq!(names(json!({"symbols": []})), Err("symbols: give 1 to 20 names, not 0".to_owned()));
        let many: Vec<String> = (0..21).map(|at| format!("s{at}")).collect();
        assert_eq!(names(json!({"symbols": many})), Err("symbols: give 1 to 20 names, not 21".to_owned()));
        assert_eq!(names(json!({"symbols": many[..20]})).unwrap().0.len(), 20);
        assert_eq!(names(json!({"symbols": ["a", " "]})), Err("symbols[1]: must not be empty".to_owned()));
    }
}
