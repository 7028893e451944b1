//! Entries in JSON settings. Comments, order and layout of everything else stay as they are.

use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode};
use jsonc_parser::{ParseOptions, parse_to_serde_value};
use serde_json::Value;

use super::{Entry, NAME};

pub(super) fn add(text: &str, entry: &Entry) -> Result<String, String> {
    let (mark, body) = split_mark(text);
    let root = parse(body)?;
    let mut object = match root.value() {
        None => root.object_value_or_set(),
        Some(value) => value.as_object().ok_or("the settings are no JSON object")?,
    };
    for (depth, key) in entry.place.iter().enumerate() {
        object = match object.get(key).and_then(|member| member.value()) {
            None => object.object_value_or_set(key),
            Some(value) => value.as_object().ok_or_else(|| {
                format!("`{}` is no object; correct it by hand first", entry.place[..=depth].join("."))
            })?,
        };
    }
    match object.get(NAME).and_then(|member| member.value()) {
        None => {
            let members = entry.value.iter().map(|(key, value)| ((*key).to_owned(), input(value))).collect();
            object.append(NAME, CstInputValue::Object(members));
        }
        Some(existing) => {
            let Some(own) = existing.as_object() else {
                return Err(format!("`{}.{NAME}` is no object; correct it by hand first", entry.place.join(".")));
            };
            entry.value.iter().for_each(|(key, value)| set(&own, key, value));
        }
    }
    Ok(format!("{mark}{root}"))
}

/// Whether the keys lead to an object of servers; a server that happens to have the last key as its name is none.
pub(super) fn has_servers(text: &str, place: &[&str]) -> bool {
    let Ok(root) = parse(split_mark(text).1) else { return false };
    let mut object = root.object_value();
    for key in place {
        object = object.and_then(|object| object.object_value(key));
    }
    object.is_some_and(|object| object.get("type").is_none())
}

pub(super) fn remove(text: &str, entry: &Entry) -> Result<String, String> {
    let (mark, body) = split_mark(text);
    let root = parse(body)?;
    let mut holders: Vec<CstObject> = root.object_value().into_iter().collect();
    for key in entry.place {
        let inner = holders.last().and_then(|object| object.object_value(key));
        let Some(inner) = inner else { return Ok(text.to_owned()) };
        holders.push(inner);
    }
    let Some(own) = holders.last().and_then(|object| object.get(NAME)) else { return Ok(text.to_owned()) };
    own.remove();
    // An object that is empty now was made for our entry, or held nothing anybody would miss.
    for (key, pair) in entry.place.iter().rev().zip(holders.windows(2).rev()) {
        let [outer, inner] = pair else { continue };
        if !inner.properties().is_empty() || inner.children().iter().any(CstNode::is_comment) {
            break;
        }
        outer.get(key).into_iter().for_each(|member| member.remove());
    }
    Ok(format!("{mark}{root}"))
}

/// Sets a member unless it says the same already.
fn set(object: &CstObject, key: &str, value: &Value) {
    match object.get(key) {
        None => drop(object.append(key, input(value))),
        Some(member) => {
            let old = member.value().map(|old| old.to_string()).unwrap_or_default();
            if parse_to_serde_value::<Value>(&old, &ParseOptions::default()).ok().as_ref() != Some(value) {
                member.set_value(input(value));
            }
        }
    }
}

fn parse(text: &str) -> Result<CstRootNode, String> {
    // What no agent accepts is broken, however forgiving this parser could be.
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    CstRootNode::parse(text, &options).map_err(|problem| {
        format!("line {}, column {}: {}", problem.line_display(), problem.column_display(), problem.kind())
    })
}

/// The byte order mark that editors on Windows like to write, and the rest.
fn split_mark(text: &str) -> (&str, &str) {
    match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(value) => CstInputValue::Number(value.to_string()),
        Value::String(value) => CstInputValue::String(value.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(members) => {
            CstInputValue::Object(members.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry() -> Entry {
        Entry { place: &["mcpServers"], value: vec![("command", json!("cruxe")), ("args", json!(["serve-mcp"]))] }
    }

    const SETTINGS: &str = r#"// my settings
{
    "theme": "dark", // never light
    "mcpServers": {
        /* the others */
        "git": { "command": "uvx", "args": ["mcp-server-git"] },
    },
    "zoom": 1.50
}
"#;

    #[test]
    fn everything_else_stays_letter_by_letter() {
        let added = add(SETTINGS, &entry()).unwrap();
        let expected = SETTINGS.replace(
            "[\"mcp-server-git\"] },\n",
            "[\"mcp-server-git\"] },\n        \"cruxe\": {\n            \"command\": \"cruxe\",\n            \
             \"args\": [\"serve-mcp\"],\n        },\n",
        );
        assert_eq!(added, expected);
        assert_eq!(add(&added, &entry()).unwrap(), added, "a second time changes nothing");
        assert_eq!(remove(&added, &entry()).unwrap(), SETTINGS);
        assert_eq!(remove(SETTINGS, &entry()).unwrap(), SETTINGS);
    }

    #[test]
    fn a_file_that_is_empty_or_lacks_the_place_gets_it() {
        for text in ["", "  \n", "{}", "{\n}\n", "\u{feff}{\"a\": 1}"] {
            let added = add(text, &entry()).unwrap();
            let value: Value = serde_json::from_str(added.trim_start_matches('\u{feff}')).unwrap();
            assert_eq!(value["mcpServers"]["cruxe"], json!({"command": "cruxe", "args": ["serve-mcp"]}), "{text:?}");
            assert_eq!(added.starts_with('\u{feff}'), text.starts_with('\u{feff}'));
            let removed = remove(&added, &entry()).unwrap();
            assert!(!removed.contains("cruxe") && !removed.contains("mcpServers"), "{removed:?}");
        }
    }

    #[test]
    fn what_the_user_added_to_our_entry_stays() {
        let old = r#"{"mcpServers": {"cruxe": {"command": "/old/cruxe", "args": ["serve-mcp"], "env": {"A": "1"}}}}"#;
        let new = add(old, &entry()).unwrap();
        assert_eq!(new, old.replace("/old/cruxe", "cruxe"));
    }

    #[test]
    fn windows_line_ends_stay() {
        let text = "{\r\n  \"a\": 1\r\n}\r\n";
        let added = add(text, &entry()).unwrap();
        assert!(!added.replace("\r\n", "").contains('\n'), "{added:?}");
        assert_eq!(remove(&added, &entry()).unwrap(), text);
    }

    #[test]
    fn broken_settings_are_refused_with_the_place() {
        for (text, says) in [
            ("{\n  \"a\": 1\n  \"b\": 2\n}", "line 2, column 9: Expected comma"),
            ("{\n  \"a\": ", "line 2"),
            ("{'a': 1}", "line 1, column 2"),
            ("[1]", "no JSON object"),
            ("{\"mcpServers\": []}", "`mcpServers` is no object"),
            ("{\"mcpServers\": {\"cruxe\": 5}}", "`mcpServers.cruxe` is no object"),
        ] {
            let refused = add(text, &entry()).unwrap_err();
            assert!(refused.contains(says), "{text}: {refused}");
        }
        assert!(remove("{", &entry()).is_err());
    }
}
