use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, FileFacts, Role, Symbol};

use super::KINDS;
use crate::languages::fixture_tests::extract;

fn facts(text: &str) -> FileFacts {
    extract("src/lib.rs", text)
}

/// `kind qualified_name` of every symbol.
fn symbols(facts: &FileFacts) -> Vec<String> {
    facts.symbols.iter().map(|symbol| format!("{} {}", symbol.kind.as_str(), symbol.qualified_name)).collect()
}

fn symbol<'f>(facts: &'f FileFacts, name: &str) -> &'f Symbol {
    facts.symbols.iter().find(|symbol| symbol.name == name).unwrap()
}

/// Roles of a name, in the order of its uses.
fn roles(facts: &FileFacts, name: &str) -> Vec<Role> {
    let uses = facts.occurrences.iter().filter(|occurrence| facts.name(occurrence.name) == name);
    uses.map(|occurrence| occurrence.role).collect()
}

fn bindings(facts: &FileFacts) -> Vec<&str> {
    facts.bindings.iter().map(|binding| facts.name(binding.name)).collect()
}

#[test]
fn every_node_kind_that_the_rules_name_exists() {
    let grammar: tree_sitter::Language = tree_sitter_rust::LANGUAGE.into();
    for (name, _) in KINDS {
        // Some kinds exist only as the alias of another rule, so `id_for_node_kind` alone would not find them.
        let known = (0..grammar.node_kind_count() as u16).any(|id| grammar.node_kind_for_id(id) == Some(name));
        assert!(known, "{name}");
    }
}

#[test]
fn items_in_macro_calls_have_their_lines_and_parents() {
    let facts = facts("impl X {\n    cfg_io! {\n        /// Reads.\n        pub fn read(&self) {}\n    }\n}\n");
    assert_eq!(symbols(&facts), ["impl X", "fn X::read"]);
    let read = symbol(&facts, "read");
    assert_eq!(facts.lines_of(read.span), (4, 4));
    assert_eq!(facts.lines_of(read.full_span), (3, 4));
    assert!(!read.flags.associated);
}

#[test]
fn items_survive_in_macro_calls_that_are_not_quite_rust() {
    let facts = facts(
        "mock! {\n    pub File { fn open(&self) -> Fd; }\n    impl From<Fd> for File { fn from(fd: Fd) -> Self; }\n}\n\
         quick! { pub enum Error { Io(err: io::Error) { from() } Fmt } }\n",
    );
    assert_eq!(symbols(&facts)[..2], ["fn open", "impl File"]);
    assert_eq!(symbol(&facts, "from").qualified_name, "File::from");
    assert_eq!(symbol(&facts, "Error").kind, SymbolKind::Enum);
    assert_eq!(roles(&facts, "From"), [Role::Type]);
}

#[test]
fn the_arguments_before_an_item_in_a_macro_call_are_not_part_of_it() {
    let facts = facts("link!(\"kernel32.dll\" \"system\" pub(crate) unsafe fn Beep(x: u32) -> BOOL);\n");
    let beep = symbol(&facts, "Beep");
    assert_eq!(beep.signature, "pub(crate) unsafe fn Beep(x: u32) -> BOOL");
    assert_eq!(beep.visibility, "pub(crate)");
    assert_eq!(roles(&facts, "BOOL"), [Role::Type]);
}

#[test]
fn what_a_quoted_program_defines_is_no_symbol() {
    let facts = facts("fn derive() { quote! { fn generated() { call() } }; }\n");
    assert_eq!(symbols(&facts), ["fn derive"]);
    assert_eq!(roles(&facts, "call"), [Role::Call]);
}

#[test]
fn a_semicolon_behind_a_macro_call_does_not_stretch_its_last_item() {
    let facts = facts("thread_local!(static A: Cell<u8> = Cell::new(0))\n;\nfn f() {}\n");
    let a = symbol(&facts, "A");
    assert_eq!((a.kind, facts.lines_of(a.span)), (SymbolKind::Static, (1, 1)));
}

#[test]
fn arguments_of_macros_are_code() {
    let facts = facts("fn f(x: X) { log!(target: \"t\", x.get(|y| y.go()), T::new(), A { b: c() }, d as E) }\n");
    for (name, role) in [
        ("get", Role::Call),
        ("go", Role::Call),
        ("new", Role::Call),
        ("T", Role::Type),
        ("A", Role::Make),
        ("b", Role::Key),
        ("c", Role::Call),
        ("E", Role::Type),
    ] {
        assert_eq!(roles(&facts, name), [role], "{name}");
    }
}

#[test]
fn names_in_format_strings_are_uses_but_those_in_other_strings_are_not() {
    let facts = facts("fn f() { print!(\"{a} {{b}} {c:?} {0} {}\", d); assert_eq!(e, \"{g}\"); let s = \"{h}\"; }\n");
    assert_eq!(roles(&facts, "a"), [Role::Value]);
    assert_eq!(roles(&facts, "c"), [Role::Value]);
    for none in ["b", "g", "h"] {
        assert_eq!(roles(&facts, none), [], "{none}");
    }
}

#[test]
fn case_tells_constants_from_variables_in_patterns() {
    let facts = facts("fn f(v: V) { match v { NONE => 1, x => 2, Kind::Leaf => 3, Wrap(y) if z => 4 } }\n");
    assert_eq!(bindings(&facts), ["v", "x", "y"]);
    assert_eq!(roles(&facts, "NONE"), [Role::Value]);
    assert_eq!(roles(&facts, "x"), []);
    assert_eq!(roles(&facts, "z"), [Role::Value]);
}

#[test]
fn the_value_of_an_if_let_is_outside_the_scope_of_its_names() {
    let text = "fn f(x: Option<u8>) { if let Some(x) = x { x } else { x } }\n";
    let facts = facts(text);
    let inner = facts.bindings.iter().rfind(|binding| facts.name(binding.name) == "x").unwrap();
    let scope = facts.scopes[inner.scope.0 as usize].span;
    assert_eq!(&text[scope.start as usize..scope.end as usize], "{ x }");
}

#[test]
fn labels_lifetimes_and_primitives_are_no_names() {
    let facts = facts("fn f<'a>(s: &'a str) -> u8 { 'out: loop { break 'out; } u8::MAX }\n");
    for none in ["a", "out", "str", "u8"] {
        assert_eq!(roles(&facts, none), [], "{none}");
    }
    assert_eq!(roles(&facts, "MAX"), [Role::Value]);
}

#[test]
fn an_impl_is_named_after_the_last_part_of_its_type() {
    let facts = facts(
        "impl<T> a::Tr<T> for b::C<T> {}\nimpl Tr for &mut D {}\nimpl Tr for dyn E + Send {}\nimpl Tr for [F] {}",
    );
    assert_eq!(symbols(&facts), ["impl C", "impl D", "impl E", "impl [F]"]);
    assert_eq!(roles(&facts, "Tr"), [Role::Implements; 4]);
}

#[test]
fn visibility_is_what_is_written_and_access_what_it_means() {
    let facts = facts(
        "pub(super) fn a() {}\npub(self) fn b() {}\npub(in crate::x) fn c() {}\nfn d() {}\ntrait T { fn e(); }\n\
         pub trait U { fn g(); }\nimpl U for S { fn h() {} }\nimpl S { fn i() {} }\n",
    );
    let access = |name| (symbol(&facts, name).visibility.as_str(), symbol(&facts, name).access);
    assert_eq!(access("a"), ("pub(super)", Access::Crate));
    assert_eq!(access("b"), ("pub(self)", Access::Private));
    assert_eq!(access("c"), ("pub(in crate::x)", Access::Crate));
    assert_eq!(access("d"), ("", Access::Private));
    assert_eq!(access("e"), ("", Access::Private));
    assert_eq!(access("g"), ("", Access::Public));
    assert_eq!(access("h"), ("", Access::Public));
    assert_eq!(access("i"), ("", Access::Private));
}

#[test]
fn definitions_around_a_syntax_error_are_found() {
    let facts = facts("fn a() {}\nfn broken( {\nstruct S { x: }\nfn b() { c(; }\nfn d() {}\n");
    let found = symbols(&facts);
    for expected in ["fn a", "fn d"] {
        assert!(found.iter().any(|symbol| symbol == expected), "{expected} in {found:?}");
    }
    assert!(!facts.problems.is_empty());
}

#[test]
fn nesting_without_end_is_read_without_overflow() {
    let deep = |open: &str, close: &str| open.repeat(20_000) + "x" + &close.repeat(20_000);
    for text in [
        format!("fn f() {{ m!({}) }}", deep("(", ")")),
        format!("fn f() {{ {} }}", deep("(", ")")),
        format!("m! {{ {} }}", deep("{", "}")),
        format!("type A = {};", deep("Vec<", ">")),
        format!("fn f() {{ x{} }}", ".a(b)".repeat(20_000)),
        format!("use {};", deep("a::{", "}")),
    ] {
        facts(&text);
    }
}
