//! Values as YAML.

use super::Style;

/// Returns a text as a YAML scalar: plain where that can mean nothing else, else in double quotes.
pub fn quoted_if_needed(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { double_quoted(text) }
}

/// Returns texts as a YAML list on one line.
pub fn list<S: AsRef<str>>(items: &[S]) -> String {
    let items: Vec<String> = items.iter().map(|item| quoted_if_needed(item.as_ref())).collect();
    format!("[{}]", items.join(", "))
}

/// A text in the style of the value that it replaces, where that can hold it.
pub(super) fn like(style: Style, text: &str) -> String {
    match style {
        Style::Double => double_quoted(text),
        Style::Single if text.chars().all(|c| !is_special(c)) => format!("'{}'", text.replace('\'', "''")),
        _ => quoted_if_needed(text),
    }
}

/// A text of several lines as a literal block, indented by `indent`; `None` where a block cannot hold it.
pub(super) fn literal(text: &str, indent: &str, eol: &str) -> Option<String> {
    let fits = text.contains('\n')
        && !text.starts_with([' ', '\n', '\t'])
        && !text.ends_with(['\n', ' ', '\t'])
        && text.chars().all(|c| c == '\n' || !is_special(c));
    fits.then(|| {
        let lines = text.split('\n').map(|line| match line.is_empty() {
            true => eol.to_owned(),
            false => format!("{eol}{indent}  {line}"),
        });
        format!("|-{}", lines.collect::<String>())
    })
}

pub(super) fn double_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if is_special(c) && (c as u32) <= 0xffff => quoted.push_str(&format!("\\u{:04X}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Characters that YAML does not want to see as they are, or that somebody takes for a line break.
fn is_special(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Whether a text without quotes is that text to every reader: no sign of YAML, and no number, date or truth.
fn is_plain(text: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let Some(first) = text.chars().next() else { return false };
    if !(first.is_alphabetic() || first == '_') || text.ends_with(' ') {
        return false;
    }
    let fits = |c: char| word(c) || matches!(c, ' ' | '-' | '.' | '/' | '+' | '(' | ')');
    let reserved = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"];
    text.chars().all(fits) && !reserved.iter().any(|word| word.eq_ignore_ascii_case(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quoted_when_yaml_needs_it() {
        for plain in ["todo", "Implement login API", "abc123", "Größe", "a-b/c.d", "日本"] {
            assert_eq!(quoted_if_needed(plain), plain);
        }
        for (text, yaml) in [
            ("@developer", "\"@developer\""),
            ("12345", "\"12345\""),
            ("1e5678", "\"1e5678\""),
            ("yes", "\"yes\""),
            ("NULL", "\"NULL\""),
            ("", "\"\""),
            ("---", "\"---\""),
            ("a: b", "\"a: b\""),
            ("a #b", "\"a #b\""),
            ("say \"hi\" \\", "\"say \\\"hi\\\" \\\\\""),
            ("two\nlines", "\"two\\nlines\""),
            ("bell\u{7}\u{2028}", "\"bell\\u0007\\u2028\""),
            ("🚀", "\"🚀\""),
        ] {
            assert_eq!(quoted_if_needed(text), yaml);
        }
        assert_eq!(list(&["auth", "1", "a,b"]), "[auth, \"1\", \"a,b\"]");
        assert_eq!(list::<&str>(&[]), "[]");
    }
}
