//! Names in code that could not be parsed: what such code defines is in no table, and a question about a name should say so.

use std::collections::BTreeSet;

use cruxe_index::View;
use cruxe_store::{Cache, NameMatch, StoreError, VersionSet};

use crate::code;
use crate::per_ref::PerRef;
use crate::resolve::{FILES, File};

/// A name that stands in code that could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// The name.
    pub name: String,
    /// The first file, by path, in which it does.
    pub path: String,
    /// The line.
    pub line: u32,
    /// In how many other files it does.
    pub more: usize,
}

/// More files are not looked into: what matters is that there are some.
const MAX_FILES: usize = 64;

/// The versions with problems, by ref.
static BROKEN: Cache<PerRef<VersionSet>> = Cache::of("files with problems of refs");

/// Where a name stands in code that could not be parsed and may be defined there. Of a name that is defined elsewhere only
/// what looks like a definition counts: most of what could not be parsed just uses it. Costs next to nothing where all code
/// could be parsed.
pub fn hidden(view: &View, name: &str) -> Result<Option<Hidden>, StoreError> {
    let Some(published) = &view.published else { return Ok(None) };
    let read = || Ok(published.files_with_problems()?.iter().map(|file| file.id).collect());
    let broken = published.kept(&BROKEN).get(published, read)?;
    if broken.is_empty() || name.is_empty() {
        return Ok(None);
    }
    let mut suspects = published.mentioning_among(name, &broken)?;
    suspects.truncate(MAX_FILES);
    if suspects.is_empty() {
        return Ok(None);
    }
    let known = !published.find_name(name, NameMatch::Exact)?.is_empty();
    let mut found: Vec<(String, u32)> = Vec::new();
    for version in suspects {
        let file = published.kept(&FILES).get(published, version)?;
        let lines = lines(&file, name);
        let line = match known && !lines.is_empty() {
            true => first_definition(view, &file, name, &lines),
            false => lines.first().copied(),
        };
        found.extend(line.map(|line| (file.path().to_owned(), line)));
    }
    found.sort_unstable();
    let more = found.len().saturating_sub(1);
    Ok(found.into_iter().next().map(|(path, line)| Hidden { name: name.to_owned(), path, line, more }))
}

/// The lines of a file on which a name stands in code that could not be parsed.
fn lines(file: &File, name: &str) -> BTreeSet<u32> {
    let Some(id) = file.name_id(name) else { return BTreeSet::new() };
    let loose = file.facts.loose.iter().filter(|loose| loose.name == id && loose.unparsed);
    let used = file.uses_of(id).map(|one| one.start).filter(|start| file.facts.is_unparsed(*start));
    loose.map(|loose| loose.start).chain(used).map(|start| file.facts.line_of(start)).collect()
}

/// The first of some lines that looks like a definition of a name.
fn first_definition(view: &View, file: &File, name: &str, lines: &BTreeSet<u32>) -> Option<u32> {
    let text = code::text(view, &file.row)?;
    let defines = |(at, line): (usize, &str)| {
        let at = at as u32 + 1;
        (lines.contains(&at) && looks_like_definition(line, name)).then_some(at)
    };
    text.lines().enumerate().find_map(defines)
}

/// Words that stand before a name that is defined.
const DEFINING: &[&str] = &[
    "fun",
    "func",
    "function",
    "fn",
    "def",
    "defp",
    "defmacro",
    "defmodule",
    "sub",
    "proc",
    "class",
    "struct",
    "union",
    "enum",
    "interface",
    "trait",
    "protocol",
    "object",
    "record",
    "extension",
    "module",
    "namespace",
    "package",
    "type",
    "typealias",
    "typedef",
    "data",
    "newtype",
    "val",
    "var",
    "let",
    "const",
    "static",
    "define",
    "macro",
    "concept",
];
/// Words that stand before a call.
const CALLING: &[&str] = &[
    "return", "else", "case", "throw", "new", "await", "yield", "in", "not", "and", "or", "do", "goto", "delete",
    "raise", "when",
];

/// Whether a line reads like the beginning of a definition: a word that defines stands before the name, or a type does and
/// parameters follow.
fn looks_like_definition(line: &str, name: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(name).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        if before.ends_with(word) || after.starts_with(word) {
            return false;
        }
        let last = before.trim_end_matches([' ', '\t', '*', '&']).rsplit(|c: char| !word(c)).next().unwrap_or_default();
        let typed = before.ends_with([' ', '*', '&']) && !last.is_empty() && !before.contains(['=', '(', '.', '"']);
        let head = after.trim_start().starts_with('(') && !line.trim_end().ends_with(';');
        DEFINING.contains(&last) || typed && head && !CALLING.contains(&last)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Indexed;

    #[test]
    fn a_name_in_code_that_does_not_parse_is_told_with_its_first_place() {
        let tree = Indexed::new(&[
            ("src/b.c", "int whole(void) { return 1; }\n@@ hidden_one @@ (\n"),
            ("src/a.c", "int whole2(void) { return whole(); }\n\n@@ hidden_one @@ (\n"),
            ("src/fine.c", "int fine(void) { return hidden_one(); }\n"),
        ]);
        let view = tree.view();
        let expected = Hidden { name: "hidden_one".to_owned(), path: "src/a.c".to_owned(), line: 3, more: 1 };
        assert_eq!(hidden(&view, "hidden_one").unwrap(), Some(expected));
        assert_eq!(hidden(&view, "whole").unwrap(), None);
        assert_eq!(hidden(&view, "nowhere").unwrap(), None);
    }

    #[test]
    fn a_name_that_is_defined_elsewhere_counts_where_it_seems_to_be_defined_again() {
        for (line, there) in [("@@ ( twice(1) @@", false), ("@@ ( ;\nint twice(int x) @@ {", true)] {
            let broken = format!("int go(void) {{\n{line}\n");
            let tree = Indexed::new(&[("a.c", "int twice(int x) { return x; }\n"), ("b.c", &broken)]);
            let found = hidden(&tree.view(), "twice").unwrap();
            assert_eq!(found.is_some(), there, "{line}");
        }
    }

    #[test]
    fn definitions_are_told_from_uses_by_what_stands_around_them() {
        for line in
            ["  fun find(x: Int)", "class find {", "static int *find(struct a *b)", "def find", "#define find 1"]
        {
            assert!(looks_like_definition(line, "find"), "{line}");
        }
        for line in
            ["return find(x)", "x = find(y)", "a.find(b)", "int y = find(x);", "find(x)", "class finder", "f(int find)"]
        {
            assert!(!looks_like_definition(line, "find"), "{line}");
        }
    }
}
