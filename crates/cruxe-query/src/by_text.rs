//! Names that code hands on as text: `send("name")`, `handlers["name"]`, `routes#name`, a key of a configuration. What a string
//! means nobody can tell, so an answer of "none" says where one ends in the name.

use cruxe_index::View;
use cruxe_store::FileRow;

use crate::error::QueryError;
use crate::grep::{self, FirstMatch, Pattern};

/// A name that stands in a text which may mean it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByText {
    /// The name.
    pub name: String,
    /// The first file, by path, that has it so.
    pub path: String,
    /// The line.
    pub line: u32,
    /// How many other files have it so.
    pub more: usize,
}

/// Files for readers: a name in them is no use.
const PROSE: &[&str] = &["adoc", "log", "markdown", "md", "mdx", "org", "pod", "rdoc", "rst", "tex", "textile", "txt"];

/// Where a string of code ends in a name, or else where a file that is neither code nor prose has it.
pub(crate) fn by_text(view: &View, name: &str) -> Result<Option<ByText>, QueryError> {
    let found = match first(view, &quoted(name), is_code)? {
        None => first(view, &format!(r"\b{}\b", regex_syntax::escape(name)), is_settings)?,
        found => found,
    };
    Ok(found.map(|(path, line, more)| ByText { name: name.to_owned(), path: path.as_str().to_owned(), line, more }))
}

/// The pattern of a string that ends in a name. What stands before and behind the name is no part of a word: where the pattern
/// says so, only the files are read that have the name as a word.
fn quoted(name: &str) -> String {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let before = if name.starts_with(part) { r"\b" } else { "" };
    let behind = if name.ends_with(part) { r"\b" } else { "" };
    let escaped = regex_syntax::escape(name);
    format!(r#"["'`](?:[\w.:/#@\\$-]*[.:/#@\\-])?{before}{escaped}{behind}["'`]"#)
}

fn first(view: &View, pattern: &str, wanted: fn(&FileRow) -> bool) -> Result<Option<FirstMatch>, QueryError> {
    match Pattern::new(pattern, false, true) {
        Ok(pattern) => grep::first(view, &pattern, wanted),
        Err(_) => Ok(None),
    }
}

fn is_code(row: &FileRow) -> bool {
    !cruxe_extract::registry::named(&row.language).is_document()
}

fn is_settings(row: &FileRow) -> bool {
    let prose = row.path.extension().is_none_or(|extension| PROSE.contains(&extension.as_str()));
    !is_code(row) && !prose
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Indexed;

    #[test]
    fn only_files_that_have_the_name_are_read() {
        let words = |name: &str| Pattern::new(&quoted(name), false, true).unwrap().words().to_vec();
        assert_eq!(words("onStart"), ["onstart"]);
        assert_eq!(words("index_all"), ["index_all"]);
        assert_eq!(words("$scope"), ["scope"]);
        let tree = Indexed::new(&[("a.rb", "obj.send('valid?')\nobj.send('Shop::valid')\n")]);
        let at = |name| by_text(&tree.view(), name).unwrap().map(|found| found.line);
        assert_eq!((at("valid?"), at("valid"), at("alid")), (Some(1), Some(2), None));
    }

    #[test]
    fn a_string_that_ends_in_the_name_is_told_and_prose_is_not() {
        let tree = Indexed::new(&[
            ("a.js", "const handlers = {};\nhandlers[\"onStart\"]();\nlog('the onStop handler');\n"),
            ("b.rb", "get '/posts', to: 'posts#index_all'\nobj.send(\"rename\")\n"),
            ("c.php", "<?php\narray_map([$this, 'clean'], $rows);\n$f = 'App\\Jobs\\run_all';\n"),
            ("d.yaml", "handler: src.app.handle_event\n"),
            ("notes.md", "`by_hand` is called by hand: \"by_hand\".\n"),
            ("notes.rst", "by_hand is called by hand.\n"),
        ]);
        let at = |name| by_text(&tree.view(), name).unwrap().map(|found| format!("{}:{}", found.path, found.line));
        for (name, place) in [
            ("onStart", "a.js:2"),
            ("index_all", "b.rb:1"),
            ("rename", "b.rb:2"),
            ("clean", "c.php:2"),
            ("run_all", "c.php:3"),
            ("handle_event", "d.yaml:1"),
        ] {
            assert_eq!(at(name).as_deref(), Some(place), "{name}");
        }
        for name in ["onStop", "by_hand", "Start", "handler", "nowhere"] {
            assert_eq!(at(name).filter(|place| !place.starts_with("d.yaml")), None, "{name}");
        }
    }
}
