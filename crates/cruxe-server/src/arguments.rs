//! Checks the arguments of a call against the tool's schema.
//!
//! Serde would refuse most of what is refused here, but it says `invalid type: string "ten", expected u32` without
//! naming the parameter, and a model that reads this has to guess. So the schema is checked first, and serde reads what
//! is known to fit.

use std::collections::HashMap;
use std::sync::LazyLock;

use parking_lot::Mutex;
use regex::Regex;
use serde::de::DeserializeOwned;
use serde_json::{Number, Value};

use crate::contract::ToolError;
use crate::schema::Object;

/// A name, path or note is no longer, where its schema does not say more.
pub(crate) const MAX_LETTERS: usize = 10_000;
/// Queries may be reports or logs that somebody pasted: of those a part is used, and the answer says so. A workspace of any
/// length is one that is not registered.
const LONG: [&str; 2] = ["query", "workspace"];
/// A list has no more entries, and an object that has a schema no more members.
const MAX_ENTRIES: usize = 1_000;

/// So many unknown parameters are named.
const MAX_NAMED: usize = 5;

/// What a caller is told of parameters that the tool does not have: they are ignored. What begins with `_` belongs to the protocol.
pub fn unknown(arguments: &Object, schema: &Object) -> Vec<String> {
    let known: Vec<&str> = parameters(schema).collect();
    let strange = arguments.keys().filter(|name| !known.contains(&name.as_str()) && !name.starts_with('_'));
    let tell = |name: &String| {
        let shown: String = name.chars().take(60).collect();
        match nearest(name, known.iter().copied()) {
            Some(near) => format!("the parameter `{shown}` is unknown and ignored; did you mean `{near}`?"),
            None => format!("the parameter `{shown}` is unknown and ignored; known are: {}", known.join(", ")),
        }
    };
    strange.take(MAX_NAMED).map(tell).collect()
}

fn parameters(schema: &Object) -> impl Iterator<Item = &str> {
    schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|properties| properties.keys())
        .map(String::as_str)
}

/// The candidate that is most like a word: within a third of its letters, or one of which it is a part.
pub(crate) fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word: String = word.chars().take(60).flat_map(char::to_lowercase).collect();
    let letters = word.chars().count();
    let alike = |candidate: &'a str| {
        let distance = strsim::damerau_levenshtein(&word, &candidate.to_lowercase());
        let part = letters > 2 && candidate.split('_').any(|part| part == word)
            || word.split('_').any(|part| part == candidate);
        (distance <= letters / 3 + 1 && distance < letters || part).then_some((distance, candidate))
    };
    candidates.filter_map(alike).min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

/// Checks required parameters, types, enums, bounds, lengths and patterns; unknown parameters pass.
///
/// It also makes the arguments uniform: a null parameter is taken out, and 3.0 becomes 3 where an integer is expected.
pub fn conform(arguments: &mut Object, schema: &Object) -> Result<(), ToolError> {
    conform_object(arguments, schema, "")
}

/// Reads arguments that [`conform`] has passed.
pub fn read<T: DeserializeOwned>(arguments: &Object) -> Result<T, ToolError> {
    let parse = |arguments: Object| serde_json::from_value::<T>(Value::Object(arguments));
    let problem = match parse(arguments.clone()) {
        Ok(input) => return Ok(input),
        Err(problem) => problem.to_string(),
    };
    // Serde does not name the field. It is the one without which serde complains of something else, or not at all.
    let culprit = arguments.keys().find(|name| {
        let mut others = arguments.clone();
        others.remove(name.as_str());
        parse(others).err().is_none_or(|other| other.to_string() != problem)
    });
    Err(match culprit {
        Some(name) => refuse(name, format!("`{name}`: {problem}")),
        None => ToolError::invalid_input(format!("The arguments do not fit: {problem}")),
    })
}

fn conform_object(arguments: &mut Object, schema: &Object, at: &str) -> Result<(), ToolError> {
    arguments.retain(|_, value| !value.is_null());
    if arguments.len() > MAX_ENTRIES {
        let place = if at.is_empty() { "A call".to_owned() } else { format!("`{at}`") };
        return Err(refuse(at, format!("{place} has at most {MAX_ENTRIES} parameters.")));
    }
    for name in strings(schema.get("required")) {
        if !arguments.contains_key(name) {
            let given =
                arguments.keys().map(String::as_str).filter(|given| !parameters(schema).any(|known| known == *given));
            let instead =
                nearest(name, given).map(|given| format!(" `{given}` is none of this tool.")).unwrap_or_default();
            let name = join(at, name);
            return Err(refuse(&name, format!("The parameter `{name}` is required.{instead}")));
        }
    }
    let Some(Value::Object(properties)) = schema.get("properties") else { return Ok(()) };
    for (name, value) in arguments.iter_mut() {
        if let Some(Value::Object(part)) = properties.get(name) {
            conform_value(value, part, &join(at, name))?;
        }
    }
    Ok(())
}

fn conform_value(value: &mut Value, schema: &Object, at: &str) -> Result<(), ToolError> {
    let types: Vec<&str> = strings(schema.get("type")).collect();
    if types.contains(&"integer")
        && let Some(integer) = as_integer(value)
    {
        *value = Value::Number(integer);
    }
    if !types.is_empty() && !types.iter().any(|name| is_type(value, name)) {
        let wanted = types.iter().map(|name| with_article(name)).collect::<Vec<_>>().join(" or ");
        return Err(refuse(at, format!("`{at}` must be {wanted}, not {}.", with_article(type_name(value)))));
    }
    if let Some(Value::Array(allowed)) = schema.get("enum")
        && !allowed.contains(value)
    {
        let list = allowed.iter().map(plain).collect::<Vec<_>>().join(", ");
        let problem = format!("`{at}` must be one of: {list}; not {}.", plain(value));
        return Err(refuse(at, problem).with("allowed", allowed));
    }
    check_bounds(value, schema, at)?;
    check_size(value, schema, at)?;
    check_pattern(value, schema, at)?;
    match value {
        Value::Object(members) => {
            conform_object(members, schema, at)?;
            let least = schema.get("minProperties").and_then(Value::as_u64).unwrap_or(0);
            if (members.len() as u64) < least {
                return Err(refuse(at, format!("`{at}` must have at least {least} of its properties.")));
            }
            Ok(())
        }
        Value::Array(items) => {
            let Some(Value::Object(part)) = schema.get("items") else { return Ok(()) };
            items.iter_mut().enumerate().try_for_each(|(i, item)| conform_value(item, part, &format!("{at}[{i}]")))
        }
        _ => Ok(()),
    }
}

fn check_bounds(value: &Value, schema: &Object, at: &str) -> Result<(), ToolError> {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let (figure, least, most, what) = match value {
        Value::Number(number) => (number.as_f64(), "minimum", "maximum", ""),
        Value::String(text) => (Some(text.chars().count() as f64), "minLength", "maxLength", " characters long"),
        _ => return Ok(()),
    };
    let Some(figure) = figure else { return Ok(()) };
    match (bound(least), bound(most)) {
        (Some(least), _) if figure < least => Err(refuse(at, format!("`{at}` must be at least {least}{what}."))),
        (_, Some(most)) if figure > most => Err(refuse(at, format!("`{at}` must be at most {most}{what}."))),
        _ => Ok(()),
    }
}

/// Checks that a value is of a size that work on it ends soon.
fn check_size(value: &Value, schema: &Object, at: &str) -> Result<(), ToolError> {
    match value {
        Value::String(text) if !LONG.contains(&at) && text.len() > MAX_LETTERS && !schema.contains_key("maxLength") => {
            Err(refuse(at, format!("`{at}` must be at most {MAX_LETTERS} bytes long.")))
        }
        Value::Array(items) if items.len() > MAX_ENTRIES => {
            Err(refuse(at, format!("`{at}` must have at most {MAX_ENTRIES} entries.")))
        }
        _ => Ok(()),
    }
}

fn check_pattern(value: &Value, schema: &Object, at: &str) -> Result<(), ToolError> {
    let (Value::String(text), Some(Value::String(pattern))) = (value, schema.get("pattern")) else { return Ok(()) };
    if compiled(pattern).is_none_or(|regex| regex.is_match(text)) {
        return Ok(());
    }
    Err(refuse(at, format!("`{at}` must match {pattern}; `{}` does not.", plain(value))))
}

/// The regular expression of a schema, made once: tools have a handful of them.
fn compiled(pattern: &str) -> Option<Regex> {
    static KNOWN: LazyLock<Mutex<HashMap<String, Option<Regex>>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock();
    known.entry(pattern.to_owned()).or_insert_with(|| Regex::new(pattern).ok()).clone()
}

fn refuse(parameter: &str, problem: String) -> ToolError {
    ToolError::invalid_input(problem).with("parameter", parameter)
}

fn join(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

/// The strings in a value that is one or a list of them.
fn strings(value: Option<&Value>) -> impl Iterator<Item = &str> {
    let values = match value {
        Some(Value::Array(values)) => values.as_slice(),
        Some(value) => std::slice::from_ref(value),
        None => &[],
    };
    values.iter().filter_map(Value::as_str)
}

/// Returns the integer that a number written as a fraction stands for: JSON does not tell 3 from 3.0.
fn as_integer(value: &Value) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53: beyond it a fraction does not name one integer
    let number = value.as_number().filter(|number| number.is_f64())?.as_f64()?;
    (number.fract() == 0.0 && number.abs() < EXACT).then(|| Number::from(number as i64))
}

fn is_type(value: &Value, name: &str) -> bool {
    name == type_name(value) || (name == "number" && value.is_number())
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn with_article(name: &str) -> String {
    match name {
        "null" => name.to_owned(),
        "integer" | "array" | "object" => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

/// A value as people write it, cut to a length that fits a message.
fn plain(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match text.char_indices().nth(60) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::schema::input_schema;

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Input {
        name: String,
        limit: Option<u32>,
        depth: Option<Depth>,
        #[serde(default)]
        compact: bool,
        threshold: Option<f64>,
        #[schemars(length(min = 1, max = 5))]
        code: Option<String>,
        tags: Option<Vec<String>>,
        updates: Option<Updates>,
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[schemars(extend("minProperties" = 1))]
    struct Updates {
        status: Depth,
        count: Option<i64>,
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[schemars(extend("minProperties" = 1))]
    struct Changes {
        #[schemars(regex(pattern = r"^[a-z0-9]{6}$"))]
        id: Option<String>,
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct WithPattern {
        changes: Changes,
        #[schemars(inner(regex(pattern = r"^[a-z0-9]{6}$")))]
        ids: Option<Vec<String>>,
    }

    #[test]
    fn patterns_and_empty_objects_are_refused() {
        let refused = |arguments: Value| {
            let Value::Object(mut arguments) = arguments else { panic!("not an object") };
            conform(&mut arguments, &input_schema::<WithPattern>()).map_err(|error| error.message)
        };
        assert_eq!(refused(json!({"changes": {"id": "abc123"}, "ids": ["000000"]})), Ok(()));
        assert_eq!(
            refused(json!({"changes": {"id": "ABC"}})),
            Err("`changes.id` must match ^[a-z0-9]{6}$; `ABC` does not.".to_owned())
        );
        assert_eq!(
            refused(json!({"changes": {"id": "abc123"}, "ids": ["../x12"]})),
            Err("`ids[0]` must match ^[a-z0-9]{6}$; `../x12` does not.".to_owned())
        );
        for empty in [json!({"changes": {}}), json!({"changes": {"id": null}})] {
            assert_eq!(refused(empty), Err("`changes` must have at least 1 of its properties.".to_owned()));
        }
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Depth {
        Top,
        All,
    }

    fn parse(arguments: Value) -> Result<Input, String> {
        let Value::Object(mut arguments) = arguments else { panic!("not an object") };
        conform(&mut arguments, &input_schema::<Input>())
            .and_then(|()| read(&arguments))
            .map_err(|error| format!("{}: {}", error.data["parameter"].as_str().unwrap_or("-"), error.message))
    }

    fn only_name() -> Input {
        Input {
            name: "x".into(),
            limit: None,
            depth: None,
            compact: false,
            threshold: None,
            code: None,
            tags: None,
            updates: None,
        }
    }

    #[test]
    fn every_refusal_names_the_parameter() {
        for (arguments, expected) in [
            (json!({}), "name: The parameter `name` is required."),
            (json!({"name": null}), "name: The parameter `name` is required."),
            (json!({"name": 5}), "name: `name` must be a string, not an integer."),
            (json!({"name": ["x"]}), "name: `name` must be a string, not an array."),
            (json!({"name": "x", "limit": "ten"}), "limit: `limit` must be an integer, not a string."),
            (json!({"name": "x", "limit": 2.5}), "limit: `limit` must be an integer, not a number."),
            (json!({"name": "x", "limit": -1}), "limit: `limit` must be at least 0."),
            (
                json!({"name": "x", "limit": 5_000_000_000_u64}),
                "limit: `limit`: invalid value: integer `5000000000`, expected u32",
            ),
            (json!({"name": "x", "compact": "yes"}), "compact: `compact` must be a boolean, not a string."),
            (json!({"name": "x", "threshold": true}), "threshold: `threshold` must be a number, not a boolean."),
            (json!({"name": "x", "depth": "bogus"}), "depth: `depth` must be one of: top, all; not bogus."),
            (json!({"name": "x", "code": ""}), "code: `code` must be at least 1 characters long."),
            (json!({"name": "x", "code": "éééééé"}), "code: `code` must be at most 5 characters long."),
            (json!({"name": "x", "tags": ["a", 1]}), "tags[1]: `tags[1]` must be a string, not an integer."),
            (json!({"name": "x", "updates": {}}), "updates.status: The parameter `updates.status` is required."),
            (
                json!({"name": "x", "updates": {"status": "no"}}),
                "updates.status: `updates.status` must be one of: top, all; not no.",
            ),
        ] {
            assert_eq!(parse(arguments.clone()), Err(expected.to_owned()), "{arguments}");
        }
    }

    #[test]
    fn what_a_tool_does_not_know_is_named_with_the_nearest_that_it_does() {
        let told = |arguments: Value| unknown(arguments.as_object().unwrap(), &input_schema::<Input>());
        assert_eq!(told(json!({"name": "x", "limit": 3, "_meta": {}})), [""; 0]);
        assert_eq!(
            told(json!({"name": "x", "limt": 3, "max_depth": 1})),
            [
                "the parameter `limt` is unknown and ignored; did you mean `limit`?",
                "the parameter `max_depth` is unknown and ignored; did you mean `depth`?",
            ]
        );
        let far = &told(json!({"colour": 3}))[0];
        assert!(far.starts_with("the parameter `colour` is unknown and ignored; known are: name, limit, "), "{far}");
        assert_eq!(
            parse(json!({"nme": "x"})),
            Err("name: The parameter `name` is required. `nme` is none of this tool.".to_owned())
        );
    }

    #[test]
    fn what_would_take_for_ever_is_refused_and_a_long_query_is_not() {
        let long = "x".repeat(MAX_LETTERS + 1);
        assert_eq!(parse(json!({"name": long})), Err("name: `name` must be at most 10000 bytes long.".to_owned()));
        let tags = vec!["x"; MAX_ENTRIES + 1];
        let refused = parse(json!({"name": "x", "tags": tags}));
        assert_eq!(refused, Err("tags: `tags` must have at most 1000 entries.".to_owned()));
        let mut many: Object = (0..MAX_ENTRIES).map(|at| (format!("a{at}"), json!(1))).collect();
        many.insert("name".to_owned(), json!("x"));
        assert_eq!(parse(Value::Object(many)), Err(": A call has at most 1000 parameters.".to_owned()));
        let schema = json!({"properties": {"query": {"type": "string"}}});
        let Value::Object(mut query) = json!({"query": long}) else { panic!() };
        assert_eq!(conform(&mut query, schema.as_object().unwrap()), Ok(()));
    }

    #[test]
    fn an_enum_refusal_lists_what_is_allowed_for_programs() {
        let Value::Object(mut arguments) = json!({"name": "x", "depth": "x".repeat(100)}) else { panic!() };
        let error = conform(&mut arguments, &input_schema::<Input>()).unwrap_err();
        assert_eq!(error.data["allowed"], json!(["top", "all"]));
        assert!(error.message.len() < 120, "{}", error.message);
    }

    #[test]
    fn null_is_absent_and_unknown_parameters_are_ignored() {
        let arguments = json!({"name": "x", "limit": null, "depth": null, "compact": null, "unheard_of": {"a": null}});
        assert_eq!(parse(arguments), Ok(only_name()));
    }

    #[test]
    fn whole_fractions_are_integers_and_integers_are_numbers() {
        let arguments = json!({"name": "x", "limit": 3.0, "threshold": 1, "updates": {"status": "all", "count": -2.0}});
        let updates = Updates { status: Depth::All, count: Some(-2) };
        let expected = Input { limit: Some(3), threshold: Some(1.0), updates: Some(updates), ..only_name() };
        assert_eq!(parse(arguments), Ok(expected));
    }
}
