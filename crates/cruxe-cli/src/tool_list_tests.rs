//! Every list of tools that people or agents read names the tools that there are.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use cruxe_server::contract::names;

use crate::guide::guide;

/// What stands in backticks and looks like the name of a tool.
fn quoted(text: &str) -> BTreeSet<String> {
    let parts = text.split('`').skip(1).step_by(2);
    let looks = |part: &&str| part.contains('_') && part.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    parts.filter(looks).map(str::to_owned).collect()
}

/// The names in the columns `tool` and `tools` of every table of a text.
fn in_tables(text: &str) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    let mut column = None;
    for line in text.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if cells.len() < 3 {
            column = None;
        } else if column.is_none() {
            column = Some(cells.iter().position(|cell| matches!(*cell, "tool" | "tools")));
        } else if let Some(at) = column.flatten() {
            named.extend(cells.get(at).copied().map(quoted).unwrap_or_default());
        }
    }
    named
}

/// The names in the headings of a text.
fn in_headings(text: &str) -> BTreeSet<String> {
    text.lines().filter(|line| line.starts_with("## ")).flat_map(quoted).collect()
}

fn read(path: &str) -> String {
    fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap()
}

fn all() -> BTreeSet<String> {
    names::ALL.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn the_readme_and_the_docs_name_every_tool_and_no_other() {
    assert_eq!(in_tables(&read("README.md")), all());
    assert_eq!(&in_headings(&read("docs/tools.md")) | &in_tables(&read("docs/deck.md")), all());
}

#[test]
fn no_table_of_the_docs_or_the_guide_names_a_tool_that_there_is_not() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut texts: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| (path.display().to_string(), fs::read_to_string(&path).unwrap()))
        .collect();
    texts.push(("the guide".to_owned(), guide()));
    for (name, text) in texts {
        let unknown: Vec<String> = in_tables(&text).difference(&all()).cloned().collect();
        assert_eq!(unknown, [""; 0], "{name}");
    }
}

#[test]
fn the_guide_names_what_agents_ask_with() {
    let known = in_tables(&guide());
    let left_out: Vec<String> = all().difference(&known).cloned().collect();
    // What keeps an index or a deck in order is found in the list of tools when it is needed.
    assert_eq!(
        left_out,
        [
            "explain_ranking",
            "get_task_dependencies",
            "health_check",
            "index_repo",
            "index_status",
            "list_refs",
            "switch_ref",
            "sync_repo",
            "validate_task_graph",
        ]
    );
}
