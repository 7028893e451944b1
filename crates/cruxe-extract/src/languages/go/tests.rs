use cruxe_model::facts::{FileFacts, Role};

use super::KINDS;
use crate::languages::fixture_tests::extract;

fn facts(body: &str) -> FileFacts {
    extract("p/p.go", &format!("package p\n{body}\n"))
}

fn roles(facts: &FileFacts, name: &str) -> Vec<Role> {
    let uses = facts.occurrences.iter().filter(|occurrence| facts.name(occurrence.name) == name);
    uses.map(|occurrence| occurrence.role).collect()
}

fn symbols(facts: &FileFacts) -> Vec<String> {
    facts.symbols.iter().map(|symbol| format!("{} {}", symbol.kind.as_str(), symbol.qualified_name)).collect()
}

#[test]
fn every_node_kind_that_the_rules_name_exists() {
    let grammar: tree_sitter::Language = tree_sitter_go::LANGUAGE.into();
    for (name, _) in KINDS {
        let known = (0..grammar.node_kind_count() as u16).any(|id| grammar.node_kind_for_id(id) == Some(name));
        assert!(known, "{name}");
    }
}

#[test]
fn what_is_assigned_to_is_written() {
    let facts = facts("func f() { a = 1; s.b = 2; s.c++; s.d.e = 3; for k, v = range m {} }");
    for written in ["a", "b", "c", "e", "k", "v"] {
        assert_eq!(roles(&facts, written), [Role::Write], "{written}");
    }
    assert_eq!(roles(&facts, "d"), [Role::Value]);
    assert!(facts.bindings.is_empty());
}

#[test]
fn keys_of_structs_are_keys_and_those_of_maps_are_values() {
    let facts = facts("var x = map[K]T{key: {Name: a}}\nvar y = []*T{{Other: b}}\nvar z = p.U{Third: c}");
    assert_eq!(roles(&facts, "key"), [Role::Value]);
    for key in ["Name", "Other", "Third"] {
        assert_eq!(roles(&facts, key), [Role::Key], "{key}");
    }
    assert!(facts.occurrences.iter().filter(|at| at.role == Role::Key).all(|at| at.receiver.is_some()));
}

#[test]
fn received_values_are_bound() {
    let facts = facts("func f() { select { case v, ok := <-ch: use(v, ok) } }");
    let names: Vec<&str> = facts.bindings.iter().map(|binding| facts.name(binding.name)).collect();
    assert_eq!(names, ["v", "ok"]);
}

#[test]
fn generic_functions_are_called_with_their_arguments() {
    let facts = facts("func f() { Map[int, string](xs); One[int](x); pkg.Two[T](y) }");
    for called in ["Map", "One", "Two"] {
        assert_eq!(roles(&facts, called), [Role::Call], "{called}");
    }
}

#[test]
fn functions_in_variables_are_functions_and_nested_structs_nest() {
    let facts = facts("var Hook = func(n int) error { return nil }\ntype A struct { B struct { C int } }");
    assert_eq!(symbols(&facts), ["fn p.Hook", "struct p.A", "field p.A.B", "field p.A.B.C"]);
    assert_eq!(facts.symbols[0].signature, "var Hook = func(n int) error");
}

#[test]
fn a_spec_in_parentheses_begins_at_its_own_line() {
    let facts = facts("const (\n\tA = 1\n)\nconst B = 2");
    assert_eq!(facts.lines_of(facts.symbols[0].span), (3, 3));
    assert_eq!(facts.lines_of(facts.symbols[1].span), (5, 5));
}

#[test]
fn everything_in_a_test_file_is_test_code() {
    let facts = extract("p/p_test.go", "package p\nfunc helper() {}\ntype fake struct{ n int }\n");
    assert!(facts.symbols.iter().all(|symbol| symbol.flags.test));
}

#[test]
fn nesting_without_end_is_read_without_overflow() {
    for text in [
        format!("type A {}T", "[]".repeat(50_000)),
        format!("type A struct {{ {}T }}", "*".repeat(50_000)),
        format!("func f() {{ x{} }}", ".a(b)".repeat(20_000)),
        format!("var x = {}1{}", "(".repeat(20_000), ")".repeat(20_000)),
    ] {
        facts(&text);
    }
}
