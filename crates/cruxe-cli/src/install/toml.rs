//! Entries in TOML settings. Comments, order and layout of everything else stay as they are.

use serde_json::Value;
use toml_edit::{Array, DocumentMut, Item, Table};

use super::{Entry, NAME};

pub(super) fn add(text: &str, entry: &Entry) -> Result<String, String> {
    let mut document = parse(text)?;
    let mut table: &mut dyn toml_edit::TableLike = document.as_table_mut();
    for key in entry.place {
        let inner = table.entry(key).or_insert_with(|| {
            // Only its members have a header of their own.
            let mut made = Table::new();
            made.set_implicit(true);
            Item::Table(made)
        });
        table = inner.as_table_like_mut().ok_or_else(|| format!("`{key}` is no table; correct it by hand first"))?;
    }
    let own = table.entry(NAME).or_insert_with(toml_edit::table);
    let own = own
        .as_table_like_mut()
        .ok_or_else(|| format!("`{}.{NAME}` is no table; correct it by hand first", entry.place.join(".")))?;
    for (key, value) in &entry.value {
        let value = item(value).ok_or("a value that TOML does not have")?;
        if own.get(key).map(plain) != Some(plain(&value)) {
            own.insert(key, value);
        }
    }
    Ok(document.to_string())
}

pub(super) fn remove(text: &str, entry: &Entry) -> Result<String, String> {
    let mut document = parse(text)?;
    let mut table: &mut dyn toml_edit::TableLike = document.as_table_mut();
    for key in entry.place {
        match table.get_mut(key).and_then(Item::as_table_like_mut) {
            Some(inner) => table = inner,
            None => return Ok(text.to_owned()),
        }
    }
    Ok(if table.remove(NAME).is_some() { document.to_string() } else { text.to_owned() })
}

fn parse(text: &str) -> Result<DocumentMut, String> {
    text.parse().map_err(|problem: toml_edit::TomlError| {
        let at = problem.span().map_or(0, |span| span.start);
        let before = text.get(..at).unwrap_or_default();
        let (line, column) =
            (before.matches('\n').count() + 1, before.chars().rev().take_while(|c| *c != '\n').count() + 1);
        format!("line {line}, column {column}: {}", problem.message())
    })
}

/// What an item says, whatever its layout.
fn plain(item: &Item) -> String {
    match item.as_value() {
        Some(toml_edit::Value::Array(values)) => values.iter().map(|value| format!("{:?}\n", value.as_str())).collect(),
        Some(value) => format!("{:?}", value.as_str()),
        None => String::new(),
    }
}

fn item(value: &Value) -> Option<Item> {
    match value {
        Value::String(text) => Some(toml_edit::value(text.as_str())),
        Value::Array(values) => {
            let texts: Option<Array> = values.iter().map(Value::as_str).collect();
            texts.map(toml_edit::value)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry() -> Entry {
        Entry { place: &["mcp_servers"], value: vec![("command", json!("cruxe")), ("args", json!(["serve-mcp"]))] }
    }

    const SETTINGS: &str = "\
# my settings
model = \"gpt-5\" # the good one

[mcp_servers.git]
command = 'uvx'
args = [
  \"mcp-server-git\", # by hand
]

[tui]
theme = \"dark\"
";

    #[test]
    fn everything_else_stays_letter_by_letter() {
        let added = add(SETTINGS, &entry()).unwrap();
        let own = "\n[mcp_servers.cruxe]\ncommand = \"cruxe\"\nargs = [\"serve-mcp\"]\n";
        assert_eq!(added.replace(own, ""), SETTINGS);
        assert_eq!(added.matches(own).count(), 1, "{added}");
        assert_eq!(add(&added, &entry()).unwrap(), added, "a second time changes nothing");
        assert_eq!(remove(&added, &entry()).unwrap(), SETTINGS);
        assert_eq!(remove(SETTINGS, &entry()).unwrap(), SETTINGS);
    }

    #[test]
    fn an_empty_file_gets_the_entry_and_our_own_keys_are_brought_up_to_date() {
        assert_eq!(add("", &entry()).unwrap(), "[mcp_servers.cruxe]\ncommand = \"cruxe\"\nargs = [\"serve-mcp\"]\n");
        let old = "[mcp_servers.cruxe]\ncommand = \"/old\"\nargs = ['serve-mcp']\nstartup_timeout_sec = 30\n";
        assert_eq!(add(old, &entry()).unwrap(), old.replace("/old", "cruxe"));
        let inline = "mcp_servers = { git = { command = \"x\" } }\n";
        assert!(add(inline, &entry()).unwrap().contains("git = { command = \"x\" }"));
    }

    #[test]
    fn broken_settings_are_refused_with_the_place() {
        for (text, says) in [
            ("a = 1\nb = = 2\n", "line 2, column 5"),
            ("[mcp_servers\n", "line 1"),
            ("mcp_servers = 5\n", "`mcp_servers` is no table"),
            ("[mcp_servers]\ncruxe = 5\n", "`mcp_servers.cruxe` is no table"),
        ] {
            let refused = add(text, &entry()).unwrap_err();
            assert!(refused.contains(says), "{text}: {refused}");
        }
    }
}
