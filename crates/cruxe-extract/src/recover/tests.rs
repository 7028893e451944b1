//! A syntax error hides nothing else.

use cruxe_model::facts::{FileFacts, Problem, Role, Span};

use super::items::{Item, items};
use super::{BRACES, LAYOUT, Lexis, layout};
use crate::languages::fixture_tests::extract;

fn names(facts: &FileFacts) -> Vec<&str> {
    facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect()
}

fn pieces<'t>(lexis: &Lexis, text: &'t str) -> Vec<&'t str> {
    items(lexis, text.as_bytes(), 0..text.len()).into_iter().map(|item| &text[item.range]).collect()
}

#[test]
fn declarations_end_with_braces_and_semicolons_outside_of_strings_and_comments() {
    let text = "int a; /* ; */ void f() { g(\"};\"); }\nstruct s { int x; } y;\nif (a) { b; } else { c; }\n";
    let expected = ["int a;", "void f() { g(\"};\"); }", "struct s { int x; } y;", "if (a) { b; } else { c; }"];
    assert_eq!(pieces(&BRACES, text), expected);
    assert_eq!(pieces(&BRACES, "}\n}\nint a; {"), ["}", "}", "int a;", "{"]);
}

#[test]
fn lines_end_declarations_where_they_do_in_the_language() {
    let lexis = Lexis { lines: true, triple: true, ..BRACES };
    let text = "@A(1)\nfun f() =\n    1\nval x = a\n    .b()\nval y = \"\"\"\n}\n\"\"\"\n";
    assert_eq!(pieces(&lexis, text), ["@A(1)\nfun f() =\n    1", "val x = a\n    .b()", "val y = \"\"\"\n}\n\"\"\""]);
}

#[test]
fn branches_of_a_preprocessor_count_once() {
    let lexis = Lexis { directives: true, ..BRACES };
    let text = "int a;\n#ifdef X\nvoid f(int x) {\n#else\nvoid f(void) {\n#endif\n  g();\n}\nint b;\n";
    let found = items(&lexis, text.as_bytes(), 0..text.len());
    let cut: Vec<(bool, &str)> = found.iter().map(|Item { cut, range, .. }| (*cut, &text[range.clone()])).collect();
    assert_eq!(cut, [(false, "int a;"), (true, &text[7..text.len() - 8]), (false, "int b;")]);
}

/// The names that a text uses.
fn used(facts: &FileFacts) -> Vec<&str> {
    facts.occurrences.iter().map(|at| facts.name(at.name)).collect()
}

#[test]
fn conditions_inside_of_statements_hide_nothing_of_the_branch_that_is_read() {
    let text = "void f(int a) {\n    if (a) {\n        one();\n#ifdef X\n    } else if (two()) {\n        three();\n#endif\n    } else {\n        four();\n    }\n}\n\nstatic int table[] = {\n    five,\n#ifdef Y\n    six,\n#endif\n    seven\n};\n\nint g(void) {\n    int x =\n#ifdef Z\n        eight();\n#else\n        nine();\n#endif\n    return ten(x);\n}\n";
    let facts = extract("a.c", text);
    assert_eq!(names(&facts), ["f", "table", "g"]);
    let used = used(&facts);
    let all = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let missing: Vec<_> = all.iter().filter(|name| !used.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let lost: Vec<&str> = facts.unparsed().iter().map(|span| &text[span.start as usize..span.end as usize]).collect();
    assert_eq!(
        lost,
        ["        nine();\n"],
        "one branch is read, and the names of the other are known by their looks alone"
    );
}

#[test]
fn both_branches_are_read_where_they_are_whole_statements() {
    let text = "void f(int a) {\n#ifdef X\n    one();\n#else\n    two();\n#endif\n    broken(@ $ @);\n}\n";
    let facts = extract("a.c", text);
    let used = used(&facts);
    assert!(used.contains(&"one") && used.contains(&"two"), "{used:?}");
}

#[test]
fn all_branches_stay_where_they_can_stand_beside_each_other() {
    let text = "class J : T, IList<T>\n#if A\n    , ITyped\n#endif\n    , IList\n#if B\n    , INotify\n#else\n    , IOther\n#endif\n{\n#if A\n    int x = one();\n#else\n    int y = two();\n#endif\n    int z = three();\n}\n";
    let facts = extract("a.cs", text);
    let spans: Vec<&str> = facts.unparsed().iter().map(|span| &text[span.start as usize..span.end as usize]).collect();
    assert_eq!(spans, [""; 0]);
    assert_eq!(names(&facts), ["J", "x", "y", "z"]);
    let used = used(&facts);
    assert!(["T", "ITyped", "INotify", "IOther"].iter().all(|name| used.contains(name)), "{used:?}");
}

#[test]
fn what_follows_a_guard_in_a_kotlin_when_is_found() {
    let text = "fun f(x: Any) = when (x) {\n    is String if x.isEmpty() -> helper(x)\n    else -> 2\n}\n\nclass A {\n    fun g() {}\n}\n\nfun h() = 3\n";
    let facts = extract("a.kt", text);
    assert_eq!(names(&facts), ["f", "A", "g", "h"]);
    assert_eq!(facts.problems, []);
    let uses: Vec<&str> = facts.occurrences.iter().map(|at| facts.name(at.name)).collect();
    assert!(uses.contains(&"isEmpty") && uses.contains(&"helper"), "{uses:?}");
}

#[test]
fn macros_around_names_hide_neither_a_class_nor_its_members() {
    let text = "namespace a {\nclass absl_nullable MY_OWNER(x) Foo final : public Bar {\n public:\n  int size() const MY_BOUND(this) { return n_; }\n  char* absl_nonnull next() MY_LOCKS;\n  int n_;\n};\nvoid after() {}\n}\n";
    let facts = extract("a.cc", text);
    assert_eq!(names(&facts), ["a", "Foo", "size", "next", "n_", "after"]);
    assert_eq!(facts.problems, []);
}

#[test]
fn what_stands_beside_an_attribute_like_macro_stays() {
    let text = "enum e { FIRST_ONE, LAST_ONE };\nvoid f(T* absl_nonnull p) {\n  CHECK_OK(g(p)); // MY_COMMENT here\n  HANDLE h;\n}\n// MY_API int x\nint y MY_LOCK(m);\n";
    let facts = extract("a.cc", text);
    assert_eq!(names(&facts), ["e", "FIRST_ONE", "LAST_ONE", "f", "y"]);
    assert_eq!(facts.problems, []);
    let uses: Vec<(&str, Role)> = facts.occurrences.iter().map(|one| (facts.name(one.name), one.role)).collect();
    let expected = [
        ("T", Role::Type),
        ("absl_nonnull", Role::Value),
        ("CHECK_OK", Role::Call),
        ("g", Role::Call),
        ("p", Role::Value),
        ("HANDLE", Role::Make),
        ("MY_LOCK", Role::Call),
        ("m", Role::Value),
    ];
    assert_eq!(uses, expected);
}

#[test]
fn statements_without_their_end_leave_everything_as_it_stands() {
    let text = "void f(list *l) {\n  for_each(x, l) {\n    visit(x);\n  }\n}\nint after(void) { return g(); }\n";
    let facts = extract("a.c", text);
    assert_eq!(names(&facts), ["f", "after"]);
    let called: Vec<&str> =
        facts.occurrences.iter().filter(|one| one.role.is_call()).map(|one| facts.name(one.name)).collect();
    assert_eq!(called, ["for_each", "visit", "g"]);
}

#[test]
fn a_word_in_a_long_script_is_left_where_it_is_and_told() {
    // Bash's grammar does not know the pattern, and everything around it reads well.
    let pattern = "case $x in #(\n  *\"\n\"enable_$y\"\n\"*) ;;\n  *) z=1 ;;\nesac\n";
    let rest: String = (0..6_000).map(|at| format!("f{at}() {{ echo {at}; }}\n")).collect();
    let facts = extract("configure.sh", &format!("before() {{ echo 1; }}\n{pattern}{rest}"));
    assert_eq!(facts.symbols.iter().filter(|symbol| symbol.name.starts_with('f')).count(), 6_000);
    assert!(names(&facts).contains(&"before"));
    let [Problem::SyntaxError { line, unparsed }] = &facts.problems[..] else { panic!("{:?}", facts.problems) };
    assert_eq!((*line, unparsed.iter().map(|span| span.end - span.start).sum::<u32>() < 20), (3, true));
}

#[test]
fn a_bracket_too_many_in_a_long_file_is_no_small_matter() {
    let rest: String = (0..6_000).map(|at| format!("int f{at}(int x) {{ return x; }}\n")).collect();
    let facts = extract("a.c", &format!("int broken(void) {{ if (x {{ y(); }}\n{rest}"));
    assert_eq!(facts.symbols.iter().filter(|symbol| symbol.name.starts_with('f')).count(), 6_000);
}

#[test]
fn a_header_that_turns_out_to_be_cpp_is_read_as_cpp() {
    let text = format!("/*\n{}*/\ntemplate <class T>\nstruct A {{\n  T f() const;\n}};\n", " words\n".repeat(2000));
    let path = cruxe_model::RepoPath::parse("a.h").unwrap();
    let language = Some(crate::registry::named("c"));
    let input = crate::Input { path: &path, module: "", language, bytes: text.as_bytes() };
    let facts = crate::Extractor::default().extract(&input);
    assert_eq!((names(&facts), facts.problems.len()), (vec!["A", "f"], 0));
}

/// Functions of a language around one that holds something that no grammar knows.
fn around(path: &str, before: &str, function: &str, after: &str) {
    for broken in ["x = = = 1;", "%% nonsense ?? here;", "call(a b c d);"] {
        let mut text = before.to_owned();
        for name in ["first", "second", "third"] {
            let body =
                if name == "second" { format!("start();\n{broken}\nsome_call();") } else { "other();".to_owned() };
            text.push_str(&function.replace("NAME", name).replace("BODY", &body));
        }
        text.push_str(after);
        let facts = extract(path, &text);
        let found = names(&facts);
        assert!(["first", "second", "third"].iter().all(|name| found.contains(name)), "{path} {broken} {found:?}");
        let line = text.lines().position(|line| line == broken).unwrap() as u32 + 1;
        let [Problem::SyntaxError { line: told, unparsed }] = &facts.problems[..] else {
            panic!("{path} {broken} {:?}", facts.problems)
        };
        assert_eq!(*told, line, "{path} {broken}");
        let place = text.find(broken).unwrap() as u32;
        let statement = Span { start: place, end: place + broken.len() as u32 + 1 };
        let inside = |span: &Span| statement.start <= span.start && span.end <= statement.end;
        assert!(!unparsed.is_empty() && unparsed.iter().all(inside), "{path} {broken} {unparsed:?} {statement:?}");
        let uses: Vec<&str> = facts.occurrences.iter().map(|at| facts.name(at.name)).collect();
        assert!(uses.contains(&"start") && uses.contains(&"some_call"), "{path} {broken} {uses:?}");
    }
}

#[test]
fn an_error_in_one_function_is_confined_to_its_statement() {
    around("a.c", "int a;\n", "int NAME(int x) {\nBODY\n}\n", "int b;\n");
    around("a.cc", "class A {\n public:\n", "int NAME(int x) {\nBODY\n}\n", "};\n");
    around("A.java", "class A {\n", "int NAME(int x) {\nBODY\n}\n", "}\n");
    around("A.cs", "namespace N {\nclass A {\n", "public int NAME(int x) {\nBODY\n}\n", "}\n}\n");
}

#[test]
fn the_parameters_of_a_function_that_is_not_understood_cost_only_themselves() {
    let facts = extract(
        "a.c",
        "int first(void) { return 1; }\nint second(int ??? x, = y) {\n  go();\n}\nint third(void) { return 2; }\n",
    );
    assert_eq!(names(&facts), ["first", "second", "third"]);
    assert!(matches!(&facts.problems[..], [Problem::SyntaxError { line: 2, .. }]), "{:?}", facts.problems);
}

#[test]
fn an_empty_block_before_one_that_is_left_open_is_no_part_of_it() {
    let text = "a = {} + { b;";
    let found = items(&BRACES, text.as_bytes(), 0..text.len());
    assert_eq!(found[0].blocks, [5..5, 10..13]);
    let facts = extract("a.kt", "fun f() { val a = {} + { b = = 1\n");
    assert!(names(&facts).contains(&"f"), "{:?}", names(&facts));
}

#[test]
fn lines_that_are_indented_no_more_end_a_declaration_where_there_are_no_braces() {
    let text = "@a\ndef f(\n    x,\n):\n    return 1\n\n# c\nif a:\n    b()\nelse:\n    c()\nd = [\n    1,\n]\n";
    let lexis = Lexis { annotations: true, ..LAYOUT };
    let found = layout::items(&lexis, text.as_bytes(), 0..text.len());
    let pieces: Vec<&str> = found.iter().map(|item| &text[item.range.clone()]).collect();
    let expected =
        ["@a\ndef f(\n    x,\n):\n    return 1\n\n# c", "if a:\n    b()\nelse:\n    c()", "d = [\n    1,\n]"];
    assert_eq!(pieces, expected);
    let blocks = |at: usize| -> Vec<&str> { found[at].blocks.iter().map(|block| text[block.clone()].trim()).collect() };
    assert_eq!(blocks(1), ["b()", "c()"]);
}

#[test]
fn an_unfinished_line_hides_nothing_else_without_braces() {
    for broken in ["x = = 1", "foo(a b", "if (", "return foo.", "foo(\"bar"] {
        let cases = [
            (
                "a.py",
                "class A:\n    def first(self):\n        a()\n\n    def second(self):\n        BROKEN\n        b()\n\n    def third(self):\n        c()\n\n\ndef fourth():\n    d()\n",
            ),
            (
                "a.rb",
                "class A\n  def first\n    a\n  end\n\n  def second\n    BROKEN\n    b\n  end\n\n  def third\n    c\n  end\nend\n\ndef fourth\n  d\nend\n",
            ),
            (
                "a.ex",
                "defmodule A do\n  def first do\n    a()\n  end\n\n  def second do\n    BROKEN\n    b()\n  end\n\n  def third do\n    c()\n  end\n\n  def fourth, do: d()\nend\n",
            ),
            (
                "a.lua",
                "function first()\n  a()\nend\n\nfunction second()\n  BROKEN\n  b()\nend\n\nfunction third()\n  c()\nend\n\nfunction fourth()\n  d()\nend\n",
            ),
            ("a.sh", "first() {\n  a\n}\n\nsecond() {\n  BROKEN\n  b\n}\n\nthird() {\n  c\n}\n\nfourth() {\n  d\n}\n"),
            (
                "a.rs",
                "fn first() {\n    a();\n}\n\nfn second() {\n    BROKEN\n    b();\n}\n\nfn third() {\n    c();\n}\n\nfn fourth() {\n    d();\n}\n",
            ),
            (
                "a.kt",
                "class A {\n    fun first() {\n        a()\n    }\n\n    fun second() {\n        BROKEN\n        b()\n    }\n\n    fun third() {\n        c()\n    }\n}\n\nfun fourth() {\n    d()\n}\n",
            ),
        ];
        for (path, text) in cases {
            let facts = extract(path, &text.replace("BROKEN", broken));
            let found = names(&facts);
            let lost: Vec<&&str> = ["first", "third", "fourth"].iter().filter(|name| !found.contains(name)).collect();
            assert!(lost.is_empty(), "{path} {broken}: {lost:?} of {found:?}");
        }
    }
}

#[test]
fn functions_keep_their_names_where_there_is_no_time_to_look_into_them() {
    let bad = "    a = = 1 +;\n    if (x y) { b( ; }\n".repeat(40);
    let functions: String = (0..20).map(|at| format!("void f{at}(int a) {{\n{bad}}}\n\n")).collect();
    let facts = extract("a.c", &format!("{functions}int after(void) {{ return 1; }}\n"));
    let found = names(&facts);
    let lost: Vec<String> = (0..20).map(|at| format!("f{at}")).filter(|name| !found.contains(&name.as_str())).collect();
    assert!(lost.is_empty() && found.contains(&"after"), "{lost:?} of {found:?}");
}
