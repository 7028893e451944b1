//! What the tables say, on a few lines of each language.

use crate::languages::fixture_tests::extract;

/// The symbols of a text, each with its kind.
fn symbols(path: &str, text: &str) -> Vec<String> {
    extract(path, text)
        .symbols
        .iter()
        .map(|symbol| format!("{} {}", symbol.kind.as_str(), symbol.qualified_name))
        .collect()
}

#[test]
fn fields_of_graphql_may_be_called_like_what_begins_a_declaration() {
    let text = "input Filter {\n  type: Kind\n  input(query: Size): Int\n}\ntype Query {\n  query: String\n}\n";
    assert_eq!(
        symbols("a.graphql", text),
        ["struct Filter", "field Filter.type", "field Filter.input", "struct Query", "field Query.query"]
    );
}
