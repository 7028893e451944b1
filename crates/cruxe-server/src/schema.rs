//! JSON Schemas of tools, as plain as models and clients like them.
//!
//! What `schemars` writes is correct but wordy: `$schema`, titles, number formats, `anyOf` with null around everything
//! optional, `oneOf` of constants instead of `enum`. Every word of it is sent to a model in each conversation, and some
//! clients refuse `$ref` or null types in parameters. So it is put in a plainer form here.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// A JSON object.
pub type Object = Map<String, Value>;

/// Returns the schema of a tool's parameters. Optional ones have the plain type: leaving out is how to say nothing.
///
/// Every tool accepts `workspace`, so it is added where `T` does not have it; the server's instructions say what it is.
pub fn input_schema<T: JsonSchema>() -> Object {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let mut schema = root::<T>(settings, Nulls::Drop);
    add_property(&mut schema, "workspace", json!({"type": "string"}));
    schema
}

/// Returns the schema of a tool's structured answer: the lists that a program walks over, or the metadata of an answer
/// that has none.
///
/// The whole schemas of fifteen tools cost a conversation ten thousand tokens, and no model needs them to read JSON;
/// docs/tools.md describes the answers. Nothing is required: the TypeScript SDK's client compares structured content with this
/// schema even when the result is `{"error": …}`, and would show the model its own complaint instead of ours
/// (modelcontextprotocol/typescript-sdk#1943).
pub fn output_schema<T: JsonSchema>() -> Object {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let whole = root::<T>(settings, Nulls::Keep);
    let is_list = |part: &Value| part.get("type") == Some(&json!("array"));
    let mut lists = Object::new();
    if let Some(Value::Object(members)) = whole.get("properties") {
        let named = members.iter().filter(|(_, part)| is_list(part));
        lists.extend(named.map(|(name, _)| (name.clone(), json!({"type": "array"}))));
    }
    if lists.is_empty() {
        lists.insert("metadata".to_owned(), json!({"type": "object"}));
    }
    let mut schema = Object::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(lists));
    schema
}

fn root<T: JsonSchema>(settings: SchemaSettings, nulls: Nulls) -> Object {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut value = settings.into_generator().into_root_schema_for::<T>().to_value();
    tidy(&mut value, nulls);
    let mut schema = match value {
        Value::Object(schema) => schema,
        _ => Object::new(),
    };
    // The tool's description says what its input and output are about.
    schema.remove("description");
    schema.insert("type".to_owned(), json!("object"));
    schema
}

/// Adds a property unless the type has one of that name.
pub(crate) fn add_property(schema: &mut Object, name: &str, part: Value) {
    if let Value::Object(properties) = schema.entry("properties").or_insert_with(|| json!({})) {
        properties.entry(name).or_insert(part);
    }
}

/// What to do with null as a possible value.
#[derive(Clone, Copy, PartialEq)]
enum Nulls {
    /// In parameters: null means absent, so the type need not say it.
    Drop,
    /// In answers: a null that is sent must be admitted.
    Keep,
}

fn tidy(value: &mut Value, nulls: Nulls) {
    if *value == Value::Bool(true) {
        // Anything goes. Not every client knows that a schema may be a boolean.
        *value = json!({});
    }
    let Value::Object(schema) = value else { return };
    if schema.get("additionalProperties") == Some(&Value::Bool(true)) {
        schema.remove("additionalProperties");
    }
    schema.remove("$schema");
    schema.remove("title");
    if schema.get("format").and_then(Value::as_str).is_some_and(is_number_format) {
        schema.remove("format");
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    for key in ["properties", "$defs"] {
        if let Some(Value::Object(parts)) = schema.get_mut(key) {
            parts.values_mut().for_each(|part| tidy(part, nulls));
        }
    }
    for key in ["items", "additionalProperties"] {
        if let Some(part) = schema.get_mut(key) {
            tidy(part, nulls);
        }
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        if let Some(Value::Array(parts)) = schema.get_mut(key) {
            parts.iter_mut().for_each(|part| tidy(part, nulls));
        }
    }
    if nulls == Nulls::Drop {
        drop_nulls(schema);
    }
    merge_only_alternative(schema);
    join_constants(schema);
}

fn is_number_format(format: &str) -> bool {
    matches!(format, "float" | "double") || format.starts_with("int") || format.starts_with("uint")
}

fn drop_nulls(schema: &mut Object) {
    if schema.get("default") == Some(&Value::Null) {
        schema.remove("default");
    }
    for key in ["type", "enum"] {
        if let Some(Value::Array(options)) = schema.get_mut(key) {
            options.retain(|option| !option.is_null() && option != "null");
        }
    }
    if let Some(Value::Array(types)) = schema.get("type")
        && let [only] = types.as_slice()
    {
        let only = only.clone();
        schema.insert("type".to_owned(), only);
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(Value::Array(options)) = schema.get_mut(key) {
            options.retain(|option| option.get("type") != Some(&json!("null")));
        }
    }
}

/// Replaces `anyOf: [T]` by T. What stands beside the `anyOf`, such as a parameter's description, wins over T's own.
fn merge_only_alternative(schema: &mut Object) {
    for key in ["anyOf", "oneOf", "allOf"] {
        let Some(Value::Array(options)) = schema.get_mut(key) else { continue };
        if options.len() == 1
            && let Some(Value::Object(only)) = options.pop()
        {
            schema.remove(key);
            for (name, part) in only {
                schema.entry(name).or_insert(part);
            }
        }
    }
}

/// Replaces `oneOf: [{const: "a"}, {const: "b"}]`, an enum whose variants have doc comments, by `enum: ["a", "b"]`.
fn join_constants(schema: &mut Object) {
    let Some(Value::Array(options)) = schema.get("oneOf") else { return };
    let mut names = Vec::new();
    for option in options {
        match (option.get("const"), option.get("enum")) {
            (Some(name @ Value::String(_)), None) => names.push(name.clone()),
            (None, Some(Value::Array(some))) if some.iter().all(Value::is_string) => names.extend(some.iter().cloned()),
            _ => return,
        }
    }
    schema.remove("oneOf");
    schema.insert("type".to_owned(), json!("string"));
    schema.insert("enum".to_owned(), Value::Array(names));
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Level {
        /// Only where.
        Location,
        /// Where and what.
        Signature,
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Plain {
        Top,
        All,
    }

    /// Not repeated in the schema.
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Input {
        /// A title:
        /// the property keeps its name.
        title: String,
        #[serde(default)]
        limit: Option<u32>,
        /// How much.
        level: Option<Level>,
        depth: Option<Plain>,
        #[serde(default)]
        compact: bool,
        #[schemars(range(min = 1, max = 5))]
        deep: Option<u8>,
        tags: Option<Vec<String>>,
        filters: Option<Filters>,
        anything: Option<Value>,
        object: Option<Object>,
        #[serde(flatten)]
        common: Common,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Common {
        plain: Option<Plain>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Filters {
        status: Option<Plain>,
    }

    #[derive(Serialize, JsonSchema)]
    struct Output {
        total: usize,
        before: Option<String>,
        level: Option<Level>,
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        rows: Vec<Row>,
    }

    #[derive(Serialize, JsonSchema)]
    struct Row {
        path: String,
        score: f64,
    }

    #[test]
    fn parameters_have_plain_types() {
        assert_eq!(
            Value::Object(input_schema::<Input>()),
            json!({
                "type": "object",
                "properties": {
                    "title": {"type": "string", "description": "A title: the property keeps its name."},
                    "limit": {"type": "integer", "minimum": 0},
                    "level": {"type": "string", "enum": ["location", "signature"], "description": "How much."},
                    "depth": {"type": "string", "enum": ["top", "all"]},
                    "compact": {"type": "boolean", "default": false},
                    "deep": {"type": "integer", "minimum": 1, "maximum": 5},
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "filters": {
                        "type": "object",
                        "properties": {"status": {"type": "string", "enum": ["top", "all"]}},
                    },
                    "anything": {},
                    "object": {"type": "object"},
                    "plain": {"type": "string", "enum": ["top", "all"]},
                    "workspace": {"type": "string"},
                },
                "required": ["title"],
            })
        );
    }

    #[test]
    fn of_an_answer_the_lists_are_named_and_nothing_is_required() {
        let lists = json!({"type": "object", "properties": {"rows": {"type": "array"}}});
        assert_eq!(Value::Object(output_schema::<Output>()), lists);
        let none = json!({"type": "object", "properties": {"metadata": {"type": "object"}}});
        assert_eq!(Value::Object(output_schema::<Row>()), none);
    }

    #[test]
    fn an_input_without_parameters_still_takes_workspace() {
        #[derive(Deserialize, JsonSchema)]
        struct Nothing {}
        let schema = input_schema::<Nothing>();
        assert_eq!(schema["type"], "object");
        assert_eq!(schema["properties"]["workspace"]["type"], "string");
        assert_eq!(schema.get("required"), None);
    }
}
