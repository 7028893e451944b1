//! What a tool is: a description of itself and a function from a call to an answer.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use cruxe_deck::Written;
use cruxe_index::Standing;
use cruxe_model::config::AnswerForm;
use cruxe_model::{FreshnessStatus, Work};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::admission::Cost;
use crate::answers::{Render, Text};
use crate::arguments;
use crate::contract::{ErrorCode, ToolError};
use crate::schema::{Object, add_property, input_schema, output_schema};
use crate::session::Session;
use crate::toolsets::Toolset;

/// A question that clients can ask.
pub trait Tool: Send + Sync {
    /// Describes the tool. The server asks once, when it is made.
    fn spec(&self) -> ToolSpec;

    /// Answers. It runs on a thread of its own and may block; its arguments fit [`ToolSpec::input_schema`].
    fn call(&self, call: &Call) -> Result<ToolAnswer, ToolError>;
}

/// What `tools/list` says of a tool.
#[derive(Clone, Debug)]
pub struct ToolSpec {
    /// The name that calls use.
    pub name: &'static str,
    /// A name for people.
    pub title: &'static str,
    /// When to use it, for models. Short: it is part of every conversation.
    pub description: Cow<'static, str>,
    /// JSON Schema of the arguments.
    pub input_schema: Object,
    /// JSON Schema of [`ToolAnswer::json`].
    pub output_schema: Object,
    /// Whether it is a look at one file or name, and need not wait for those that are more.
    pub quick: bool,
    /// Whether it leaves everything as it is.
    pub read_only: bool,
    /// Whether a second call with the same arguments changes nothing more.
    pub idempotent: bool,
    /// Whether it may destroy something that cannot be made anew.
    pub destructive: bool,
    /// Whether its errors are JSON-RPC errors with the numbers of the deck's contract, instead of results.
    pub numeric_errors: bool,
    /// What it is served with.
    pub toolset: Toolset,
    /// Parameters, each with a required one that need not be given beside it.
    pub instead: Vec<(&'static str, &'static str)>,
    /// A parameter, and those of its values that the contract's schema does not have.
    pub beyond: Option<(&'static str, &'static [&'static str])>,
    /// Whether `workspace` may be several.
    pub across: bool,
}

impl ToolSpec {
    /// A tool that only reads, and whose input and output are any objects.
    pub fn new(name: &'static str, title: &'static str, description: impl Into<Cow<'static, str>>) -> ToolSpec {
        let any = |value: Value| value.as_object().cloned().unwrap_or_default();
        ToolSpec {
            name,
            title,
            description: description.into(),
            input_schema: any(json!({"type": "object"})),
            output_schema: any(json!({"type": "object"})),
            quick: false,
            read_only: true,
            idempotent: true,
            destructive: false,
            numeric_errors: false,
            toolset: Toolset::Code,
            instead: Vec::new(),
            beyond: None,
            across: false,
        }
    }

    /// What a call of it is likely to cost.
    pub(crate) fn cost(&self) -> Cost {
        match self.read_only {
            false => Cost::Write,
            true if self.quick => Cost::Quick,
            true => Cost::Any,
        }
    }

    /// Puts it into a toolset; without this it is in [`Toolset::Code`].
    pub fn in_set(self, toolset: Toolset) -> ToolSpec {
        ToolSpec { toolset, ..self }
    }

    /// Lets a parameter stand for a required one. The schema goes on requiring that: clients that hold models to it send an
    /// empty text.
    pub fn instead(mut self, given: &'static str, required: &'static str) -> ToolSpec {
        self.instead.push((given, required));
        self
    }

    /// Fills in what need not be given.
    pub(crate) fn complete(&self, arguments: &mut Object) {
        for (given, required) in &self.instead {
            let is_given = |name: &str| arguments.get(name).is_some_and(|value| !value.is_null());
            if is_given(given) && !is_given(required) {
                arguments.insert((*required).to_owned(), json!(""));
            }
        }
    }

    /// Names values of a parameter that the contract's schema does not have. They are understood everywhere, and listed where the
    /// answers are not the contract's either.
    pub fn beyond(self, parameter: &'static str, values: &'static [&'static str]) -> ToolSpec {
        ToolSpec { beyond: Some((parameter, values)), ..self }
    }

    /// Lets `workspace` be a list, or `*` for every repository.
    pub fn across(self) -> ToolSpec {
        ToolSpec { across: true, ..self }
    }

    /// Marks it as one that looks at one file or name.
    pub fn quick(self) -> ToolSpec {
        ToolSpec { quick: true, ..self }
    }

    /// Marks it as one that changes something.
    pub fn writes(self) -> ToolSpec {
        ToolSpec { read_only: false, ..self }
    }

    /// Marks it as one whose second call changes something again.
    pub fn not_idempotent(self) -> ToolSpec {
        ToolSpec { idempotent: false, ..self }
    }

    /// Marks it as one whose errors are JSON-RPC errors with numbers.
    pub fn numeric_errors(self) -> ToolSpec {
        ToolSpec { numeric_errors: true, ..self }
    }

    /// Adds a parameter to those of its type.
    pub(crate) fn with_input(mut self, name: &str, part: Value) -> ToolSpec {
        add_property(&mut self.input_schema, name, part);
        self
    }

    /// Takes the schemas of a tool's input and output types.
    pub fn with_types<I: JsonSchema, O: JsonSchema>(self) -> ToolSpec {
        let mut schema = input_schema::<I>();
        if let Some(Value::Object(parameters)) = schema.get_mut("properties").filter(|_| self.across) {
            parameters
                .insert("workspace".to_owned(), json!({"type": ["string", "array"], "items": {"type": "string"}}));
        }
        ToolSpec { input_schema: schema, output_schema: output_schema::<O>(), ..self }
    }
}

/// One call of a tool.
#[derive(Clone, Debug)]
pub struct Call {
    /// The arguments; those that were null are left out.
    pub arguments: Object,
    /// Who calls.
    pub session: Arc<Session>,
    /// What the answer is to be.
    pub form: AnswerForm,
    /// Tells how far it is, and whether anybody still waits.
    pub work: Work,
    /// How current what the answer comes from is, once that is known.
    freshness: Arc<OnceLock<FreshnessStatus>>,
}

impl Call {
    /// A call that reports no progress and is answered with JSON.
    pub fn new(arguments: Object, session: Arc<Session>) -> Call {
        let (form, work, freshness) = (AnswerForm::Json, Work::default(), Arc::default());
        Call { arguments, session, form, work, freshness }
    }

    /// The same call, answered in another form.
    pub fn in_form(self, form: AnswerForm) -> Call {
        Call { form, ..self }
    }

    /// The same call, with another handle on its work.
    pub(crate) fn with_work(self, work: Work) -> Call {
        Call { work, ..self }
    }

    /// A part of the call, with arguments of its own.
    pub(crate) fn with_arguments(&self, arguments: Object) -> Call {
        Call { arguments, ..self.clone() }
    }

    /// Reads the arguments; a failure is `invalid_input` and names the parameter.
    pub fn input<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        arguments::read(&self.arguments)
    }

    /// Notes how current what the answer comes from is.
    pub(crate) fn note_freshness(&self, standing: &Standing) {
        let _ = self.freshness.set(standing.freshness);
    }

    /// Has an error say how current the index was. That something is not found means little while an edit is not in it.
    pub(crate) fn date(&self, error: ToolError) -> ToolError {
        use ErrorCode::{FileNotFound, ResultNotFound, SymbolNotFound};
        let Some(status) = self.freshness.get() else { return error };
        let behind = *status != FreshnessStatus::Fresh;
        let error = error.with("freshness_status", status);
        match error.data["suggestion"].as_str() {
            Some(advice) if behind && matches!(error.code, SymbolNotFound | FileNotFound | ResultNotFound) => {
                let advice = format!("Files changed since they were indexed: ask again in a moment. {advice}");
                error.suggest(advice)
            }
            _ => error,
        }
    }

    /// Returns the parameter `workspace`, which every tool has.
    pub fn workspace(&self) -> Option<&str> {
        self.arguments.get("workspace").and_then(Value::as_str)
    }
}

/// What a tool answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolAnswer {
    /// The contract's JSON.
    Json(JsonAnswer),
    /// Text to read, where that is what the call asks for.
    Text(Text),
}

/// JSON that is written once, whatever it is sent as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonAnswer {
    json: String,
    /// Where the text content and the bare form lie in it, where they are not the whole object.
    text_at: Option<Range<usize>>,
    /// The text as it stands in a JSON string, where that is known.
    escaped: Option<String>,
}

impl ToolAnswer {
    /// An answer in the form that the call asks for.
    pub fn of(output: &impl Render, call: &Call) -> Result<ToolAnswer, ToolError> {
        match call.form {
            AnswerForm::Json => Ok(ToolAnswer::Json(JsonAnswer::new(output)?)),
            AnswerForm::Text => Ok(ToolAnswer::Text(output.text())),
        }
    }

    /// The same answer with more for the reader to know, where it has a place for that.
    pub(crate) fn with_warnings(self, warnings: Vec<String>) -> ToolAnswer {
        match self {
            ToolAnswer::Json(answer) => ToolAnswer::Json(answer.with_warnings(warnings)),
            ToolAnswer::Text(mut text) => {
                warnings.into_iter().for_each(|warning| text.note(format!("note: {warning}")));
                ToolAnswer::Text(text)
            }
        }
    }

    /// What clients outside MCP's envelope get.
    pub(crate) fn bare(&self) -> String {
        match self {
            ToolAnswer::Json(answer) => answer.text().to_owned(),
            ToolAnswer::Text(text) => Value::String(text.to_string()).to_string(),
        }
    }
}

impl JsonAnswer {
    /// An answer whose text is the structured object.
    pub fn new(output: &impl Serialize) -> Result<JsonAnswer, ToolError> {
        Ok(JsonAnswer { json: written(output)?, text_at: None, escaped: None })
    }

    /// An answer for tools whose contract is an array: an object of the array and its metadata, of which the array alone
    /// is the text.
    pub fn array(member: &str, items: &[impl Serialize], metadata: &impl Serialize) -> Result<JsonAnswer, ToolError> {
        let (name, items) = (written(&member)?, written(&items)?);
        let start = name.len() + "{:".len();
        let json = format!("{{{name}:{items},\"metadata\":{}}}", written(metadata)?);
        Ok(JsonAnswer { json, text_at: Some(start..start + items.len()), escaped: None })
    }

    /// The same, of items that were written before.
    pub(crate) fn array_of_written(
        member: &str,
        items: &[&Written],
        metadata: &impl Serialize,
    ) -> Result<JsonAnswer, ToolError> {
        let (name, metadata) = (written(&member)?, written(metadata)?);
        let list = |of: fn(&Written) -> &str, before: &str, room: usize| {
            let length: usize = items.iter().map(|item| of(item).len() + 1).sum();
            let mut list = String::with_capacity(before.len() + length + room);
            list.push_str(before);
            for (at, item) in items.iter().enumerate() {
                list.push_str(if at > 0 { "," } else { "" });
                list.push_str(of(item));
            }
            list.push(']');
            list
        };
        let before = format!("{{{name}:[");
        let mut json = list(|item| &item.json, &before, metadata.len() + 32);
        let text_at = Some(before.len() - 1..json.len());
        json.extend([",\"metadata\":", &metadata, "}"]);
        Ok(JsonAnswer { json, text_at, escaped: Some(list(|item| &item.escaped, "[", 1)) })
    }

    /// The same answer with more warnings in its metadata, where it has any metadata.
    pub(crate) fn with_warnings(mut self, warnings: Vec<String>) -> JsonAnswer {
        if warnings.is_empty() {
            return self;
        }
        let Ok(Value::Object(mut object)) = serde_json::from_str(&self.json) else { return self };
        let Some(Value::Object(metadata)) = object.get_mut("metadata") else { return self };
        let list = metadata.entry("warnings").or_insert_with(|| json!([]));
        list.as_array_mut().into_iter().for_each(|list| list.extend(warnings.iter().map(|text| json!(text))));
        match &self.text_at {
            // The metadata stands behind the array.
            Some(array) => {
                let rest = format!(",\"metadata\":{}}}", Value::Object(std::mem::take(metadata)));
                self.json.truncate(array.end);
                self.json.push_str(&rest);
            }
            None => (self.json, self.escaped) = (Value::Object(object).to_string(), None),
        }
        self
    }

    /// Returns the text content, which is also what clients outside MCP's envelope get.
    pub fn text(&self) -> &str {
        self.text_at.clone().and_then(|at| self.json.get(at)).unwrap_or(&self.json)
    }

    /// Takes the text as it stands in a JSON string, and the structured content.
    pub(crate) fn into_written(mut self) -> (String, String) {
        (self.escaped.take().unwrap_or_else(|| escaped(self.text())), self.json)
    }

    /// Returns the structured content, an object, as JSON.
    pub fn json(&self) -> &str {
        &self.json
    }
}

/// Returns JSON as it stands in a JSON string. It has a quote every few bytes, between which serde_json would copy piece by piece;
/// control characters it has none.
pub(crate) fn escaped(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len() + json.len() / 2);
    let mut rest = json;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\')) {
        let (before, after) = rest.split_at(at);
        escaped.extend([before, "\\", &after[..1]]);
        rest = &after[1..];
    }
    escaped.push_str(rest);
    escaped
}

/// Writes something as JSON.
pub(crate) fn written(value: &impl Serialize) -> Result<String, ToolError> {
    serde_json::to_string(value).map_err(ToolError::internal)
}

/// Makes a tool of a function from `Input` to `Output`; the schemas are those of the two types.
pub fn typed<I, O, F>(spec: ToolSpec, run: F) -> Arc<dyn Tool>
where
    I: DeserializeOwned + JsonSchema + 'static,
    O: Render + JsonSchema + 'static,
    F: Fn(I, &Call) -> Result<O, ToolError> + Send + Sync + 'static,
{
    Arc::new(Typed { spec, run, types: PhantomData })
}

struct Typed<I, O, F> {
    spec: ToolSpec,
    run: F,
    types: PhantomData<fn(I) -> O>,
}

impl<I, O, F> Tool for Typed<I, O, F>
where
    I: DeserializeOwned + JsonSchema,
    O: Render + JsonSchema,
    F: Fn(I, &Call) -> Result<O, ToolError> + Send + Sync,
{
    fn spec(&self) -> ToolSpec {
        self.spec.clone().with_types::<I, O>()
    }

    fn call(&self, call: &Call) -> Result<ToolAnswer, ToolError> {
        ToolAnswer::of(&(self.run)(call.input()?, call)?, call)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_text_of_an_array_is_the_array_in_the_object() {
        let answer = JsonAnswer::array("ta\"sks", &["a", "]}"], &json!({"ref": "main"})).unwrap();
        assert_eq!(answer.text(), r#"["a","]}"]"#);
        let object: Value = serde_json::from_str(answer.json()).unwrap();
        assert_eq!(object, json!({"ta\"sks": ["a", "]}"], "metadata": {"ref": "main"}}));
        let whole = JsonAnswer::new(&json!({"a": 1})).unwrap();
        assert_eq!((whole.text(), whole.json()), (r#"{"a":1}"#, r#"{"a":1}"#));
    }

    #[test]
    fn warnings_are_added_to_the_metadata_and_nothing_else_changes() {
        let warned = |answer: JsonAnswer| answer.with_warnings(vec!["odd \"one\"".to_owned()]);
        let object = warned(JsonAnswer::new(&json!({"b": 1, "metadata": {"ref": "main", "warnings": ["x"]}})).unwrap());
        assert_eq!(object.json(), r#"{"b":1,"metadata":{"ref":"main","warnings":["x","odd \"one\""]}}"#);
        let array = warned(JsonAnswer::array("tasks", &["a"], &json!({"ref": "main"})).unwrap());
        assert_eq!(array.json(), r#"{"tasks":["a"],"metadata":{"ref":"main","warnings":["odd \"one\""]}}"#);
        assert_eq!(array.text(), r#"["a"]"#);
        let bare = JsonAnswer::new(&json!({"a": 1})).unwrap();
        assert_eq!(warned(bare.clone()), bare, "there is nowhere to say it");
    }

    #[test]
    fn a_list_of_what_was_written_is_the_list_that_would_be_written() {
        let items = [json!({"id": "a", "title": "say \"hi\" \\ ü"}), json!({"id": "b"})];
        let pieces = items.each_ref().map(|item| {
            let json = item.to_string();
            Written { escaped: escaped(&json), json }
        });
        for many in 0..=2 {
            let metadata = json!({"ref": "main"});
            let whole = JsonAnswer::array("tasks", &items[..many], &metadata).unwrap();
            let pieces: Vec<&Written> = pieces[..many].iter().collect();
            let joined = JsonAnswer::array_of_written("tasks", &pieces, &metadata).unwrap();
            assert_eq!((joined.json(), joined.text()), (whole.json(), whole.text()));
            assert_eq!(joined.into_written(), whole.into_written());
        }
    }

    proptest! {
        #[test]
        fn json_is_escaped_as_serde_json_does(text in any::<String>()) {
            let json = serde_json::to_string(&json!({"text": text})).unwrap();
            prop_assert_eq!(format!("\"{}\"", escaped(&json)), serde_json::to_string(&json).unwrap());
        }
    }
}
