//! Names that code hands on as text: `send("name")`, `handlers["name"]`, `routes#name`, a key of a configuration. What a string
//! means nobody can tell, so an answer of "none" says where one ends in the name.

use cruxe_index::View;
use cruxe_store::FileRow;
use memchr::memmem::Finder;

use crate::error::QueryError;
use crate::grep;
use crate::unread::{is_part_of_word, line_at, word_in};

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
    let Some(published) = &view.published else { return Ok(None) };
    let mut rows = grep::files_with(published, &words_of(name))?;
    rows.sort_by(|one, other| one.path.cmp(&other.path));
    let word = Finder::new(name);
    let found = match first(view, &rows, is_code, |text| quoted(&word, text))? {
        None => first(view, &rows, is_settings, |text| word_in(&word, text))?,
        found => found,
    };
    Ok(found.map(|(path, line, more)| ByText { name: name.to_owned(), path, line, more }))
}

/// Words of every file that has a name which is no part of another.
fn words_of(name: &str) -> Vec<String> {
    grep::words_of(&format!(" {name} "))
}

/// The first of some files, and its line, that a text is looked for in, and how many others have it.
fn first(
    view: &View,
    rows: &[FileRow],
    wanted: fn(&FileRow) -> bool,
    find: impl Fn(&[u8]) -> Option<usize>,
) -> Result<Option<(String, u32, usize)>, QueryError> {
    let mut found: Option<(String, u32, usize)> = None;
    for row in rows.iter().filter(|row| wanted(row)) {
        view.work.check()?;
        let Some(text) = view.project.read(row) else { continue };
        let Some(at) = find(&text) else { continue };
        match &mut found {
            Some((_, _, more)) => *more += 1,
            None => found = Some((row.path.as_str().to_owned(), line_at(&text, at), 0)),
        }
    }
    Ok(found)
}

/// Where a string that ends in a name has it. Before the name the string may have what paths are made of, up to a sign that
/// parts them. By hand: to compile a pattern took longer than everything else about a name that nobody uses.
fn quoted(name: &Finder, text: &[u8]) -> Option<usize> {
    let is_quote = |byte: u8| matches!(byte, b'"' | b'\'' | b'`');
    let parts = |byte: u8| matches!(byte, b'.' | b':' | b'/' | b'#' | b'@' | b'\\' | b'-');
    let of_path = |byte: u8| is_part_of_word(byte) || parts(byte) || byte == b'$';
    name.find_iter(text).find(|at| {
        let before = &text[..*at];
        let path = before.iter().rev().take_while(|byte| of_path(**byte)).count();
        let opens = before[..before.len() - path].last().is_some_and(|byte| is_quote(*byte));
        let parted = path == 0 || before.last().is_some_and(|byte| parts(*byte));
        opens && parted && text.get(at + name.needle().len()).is_some_and(|byte| is_quote(*byte))
    })
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
        assert_eq!(words_of("onStart"), ["onstart"]);
        assert_eq!(words_of("index_all"), ["index_all"]);
        assert_eq!(words_of("$scope"), ["scope"]);
        let tree = Indexed::new(&[("a.rb", "obj.send('valid?')\nobj.send('Shop::valid')\n")]);
        let at = |name| by_text(&tree.view(), name).unwrap().map(|found| found.line);
        assert_eq!((at("valid?"), at("valid"), at("alid")), (Some(1), Some(2), None));
    }

    #[test]
    fn a_string_ends_in_a_name_behind_a_sign_that_parts_a_path() {
        let has = |text: &str| quoted(&Finder::new("run"), text.as_bytes()).is_some();
        for text in [
            "'run'",
            "x(\"run\")",
            "`run`",
            "'a.run'",
            "'App\\Jobs\\run'",
            "'$a/b-c:run'",
            "run 'x.run'",
            "'größe#run'",
        ] {
            assert!(has(text), "{text}");
        }
        for text in
            ["run", "'run", "run'", "'to run'", "'rerun'", "'$run'", "'runs'", "'x.run()'", "'a\nb.run'", "= a.run'"]
        {
            assert!(!has(text), "{text}");
        }
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
