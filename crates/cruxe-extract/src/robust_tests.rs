//! Extraction is total and says nothing false about positions, whatever the bytes: for every registered language.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use cruxe_model::facts::*;
use cruxe_model::{RepoPath, SymbolKind};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::language::LanguageDef;
use crate::languages::LANGUAGES;
use crate::walk::error_bytes;
use crate::{Extractor, Input, Limits, as_text};

/// Extracts with what is there already, so that a state that leaks from file to file shows, and once more afresh.
fn extract(extractor: &mut Extractor, language: Option<&'static LanguageDef>, bytes: &[u8]) -> FileFacts {
    let path = RepoPath::parse("src/some/file").unwrap();
    let input = Input { path: &path, module: "some", language, bytes };
    let facts = extractor.extract(&input);
    assert_eq!(facts, extractor.extract(&input), "a second extraction differs");
    if !facts.problems.contains(&Problem::TooSlow) {
        assert_eq!(facts, Extractor::default().extract(&input), "an extraction with a new extractor differs");
    }
    check(&facts, bytes);
    facts
}

/// Extracts what may be hard to parse: where nothing in it is of the language, a grammar looks for a way out for long.
fn extract_in_time(def: &'static LanguageDef, text: &str, millis: u64) {
    let limits = Limits { max_time: Duration::from_millis(millis), ..Limits::default() };
    let path = RepoPath::parse("src/some/file").unwrap();
    let input = Input { path: &path, module: "some", language: Some(def), bytes: text.as_bytes() };
    let started = Instant::now();
    let facts = Extractor::new(limits).extract(&input);
    let taken = started.elapsed();
    assert!(taken < Duration::from_secs(60), "{} took {taken:?} for {:?}", def.id, text.get(..30));
    check(&facts, text.as_bytes());
}

/// Everything that readers of facts rely on.
fn check(facts: &FileFacts, bytes: &[u8]) {
    let (text, valid) = as_text(bytes);
    assert_eq!(facts.problems.contains(&Problem::NotUtf8), !valid);
    check_lines(facts, &text);
    check_symbols(facts, &text);
    check_scopes(facts, &text);
    check_uses(facts, &text);
    check_chunks(facts, &text);
    check_unparsed(facts, &text);
}

#[test]
fn of_many_pieces_that_are_not_understood_the_nearest_are_told_as_one() {
    let piece = |start: u32| Span { start, end: start + 5 };
    assert_eq!(
        crate::merged(vec![piece(30), piece(10), piece(13), Span { start: 3, end: 3 }]),
        [Span { start: 10, end: 18 }, piece(30)]
    );
    // Pairs, 10 apart from each other and 1000 from the next.
    let pairs: Vec<Span> = (0..200).flat_map(|at| [piece(at * 1000), piece(at * 1000 + 15)]).collect();
    let joined: Vec<Span> = (0..200).map(|at| Span { start: at * 1000, end: at * 1000 + 20 }).collect();
    assert_eq!(crate::merged(pairs.clone()), joined);
    assert_eq!(crate::merged(pairs[..256].to_vec()), pairs[..256]);
    let text = "int f(int a) { return a +* 1; }\n".repeat(400) + &"int g(void);\n".repeat(50);
    let c = LANGUAGES.iter().find(|def| def.id == "c");
    let facts = extract(&mut Extractor::default(), c.copied(), text.as_bytes());
    let told: u32 = facts.unparsed().iter().map(|span| span.end - span.start).sum();
    assert!(told < text.len() as u32 / 2, "{told} of {}", text.len());
}

fn check_unparsed(facts: &FileFacts, text: &str) {
    let spans = facts.unparsed();
    assert!(spans.iter().all(|span| span.start < span.end && !slice(text, *span).is_empty()));
    assert!(spans.is_sorted_by(|a, b| a.end < b.start), "{spans:?}");
    assert!(spans.iter().all(|span| facts.is_unparsed(span.start) && facts.is_unparsed(span.end - 1)));
}

fn check_lines(facts: &FileFacts, text: &str) {
    let mut starts: Vec<u32> = vec![0];
    starts.extend(text.match_indices('\n').map(|(at, _)| at as u32 + 1).filter(|at| (*at as usize) < text.len()));
    assert_eq!(facts.line_starts, starts);
}

fn slice(text: &str, span: Span) -> &str {
    text.get(span.start as usize..span.end as usize).unwrap_or_else(|| panic!("{span:?} is no piece of the text"))
}

fn within(inner: Span, outer: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

fn check_symbols(facts: &FileFacts, text: &str) {
    let mut seen = HashSet::new();
    assert!(facts.symbols.is_sorted_by_key(|symbol| symbol.full_span.start), "symbols are not in order");
    for (at, symbol) in facts.symbols.iter().enumerate() {
        let told = || format!("{} {} at {:?}", symbol.kind.as_str(), symbol.qualified_name, symbol.full_span);
        slice(text, symbol.full_span);
        slice(text, symbol.span);
        slice(text, symbol.doc_span);
        let name = slice(text, symbol.name_span);
        assert!(!symbol.name.is_empty() && !symbol.qualified_name.is_empty(), "no name: {}", told());
        assert!(within(symbol.span, symbol.full_span), "span outside of full span: {}", told());
        assert!(within(symbol.name_span, symbol.full_span), "name outside of full span: {}", told());
        // What `module.exports = …` defines is imported as `default`, a name that stands nowhere.
        let derived =
            matches!(symbol.kind, SymbolKind::Heading | SymbolKind::Use | SymbolKind::Impl) || symbol.name == "default";
        // `~OrderService` stands as `OrderService` behind its mark, `"~standard"` in quotes, `Companion` as a keyword.
        let same = name.contains(&symbol.name) || symbol.name.to_lowercase().contains(&name.to_lowercase());
        assert!(derived || same, "{name:?} at the name of {}", told());
        assert!(symbol.ty.is_none_or(|ty| (ty.0 as usize) < facts.types.len()), "type: {}", told());
        assert!(seen.insert((symbol.kind, &symbol.qualified_name, symbol.ordinal)), "not unique: {}", told());
        if let Some(parent) = symbol.parent {
            assert!((parent.0 as usize) < at, "parent behind child: {}", told());
            let outer = facts.symbols[parent.0 as usize].full_span;
            assert!(within(symbol.full_span, outer), "outside of its parent {outer:?}: {}", told());
        }
    }
    for heritage in &facts.heritage {
        assert!((heritage.symbol.0 as usize) < facts.symbols.len() && (heritage.ty.0 as usize) < facts.types.len());
    }
}

fn check_scopes(facts: &FileFacts, text: &str) {
    let whole = Span { start: 0, end: text.len() as u32 };
    assert_eq!(facts.scopes.first(), Some(&Scope { span: whole, kind: ScopeKind::File }));
    let mut open: Vec<Span> = Vec::new();
    for scope in &facts.scopes {
        slice(text, scope.span);
        while open.pop_if(|outer| outer.end <= scope.span.start && scope.span.start < scope.span.end).is_some() {}
        if let Some(outer) = open.last() {
            assert!(within(scope.span, *outer), "scope {scope:?} crosses {outer:?}");
        }
        open.push(scope.span);
    }
    for binding in &facts.bindings {
        let name = facts.name(binding.name);
        // What a lambda introduces without saying so stands where the lambda begins.
        let unwritten = name == "this" || binding.kind == BindingKind::Param && ["it", "$0"].contains(&name);
        let written = text[binding.start as usize..].starts_with(name);
        assert!(written || unwritten, "binding {name} is not at {}", binding.start);
        let scope = &facts.scopes[binding.scope.0 as usize];
        // The scope of `if let Some(x) = …` is the body behind it; no binding stands behind its scope.
        assert!(binding.start <= scope.span.end, "binding {name} at {} behind its scope {scope:?}", binding.start);
        assert!(binding.ty.is_none_or(|ty| (ty.0 as usize) < facts.types.len()));
        assert!(binding.value.is_none_or(|value| (value.0 as usize) < facts.exprs.len()));
    }
}

fn check_uses(facts: &FileFacts, text: &str) {
    let named = |id: NameId| (id.0 as usize) < facts.names.len();
    // Only a short key (`{ depth }`) is two uses at one place: it reads a variable and fills in a member.
    let follows = |one: &Occurrence, next: &Occurrence| {
        one.start < next.start || one.start == next.start && one.role == Role::Value && next.role == Role::Key
    };
    assert!(facts.occurrences.is_sorted_by(follows), "two uses at one place, or not in order");
    for occurrence in &facts.occurrences {
        let name = facts.name(occurrence.name);
        assert!(named(occurrence.name) && !name.is_empty());
        // The function behind an operator is not written.
        let written = text[occurrence.start as usize..].starts_with(name) || occurrence.role == Role::Operator;
        assert!(written, "{name} is not at {}", occurrence.start);
        assert!(occurrence.receiver.is_none_or(|receiver| (receiver.0 as usize) < facts.exprs.len()));
    }
    for import in &facts.imports {
        assert!(named(import.module) && import.name.is_none_or(named) && import.alias.is_none_or(named));
        assert!(text.is_char_boundary(import.start as usize) && (import.scope.0 as usize) < facts.scopes.len());
    }
    for (at, expr) in facts.exprs.iter().enumerate() {
        let before = |id: &ExprId| (id.0 as usize) < at;
        assert!(match expr {
            Expr::Name(name) | Expr::Literal(name) => named(*name),
            Expr::Member(base, name) => before(base) && named(*name),
            Expr::Call(base) | Expr::Index(base) | Expr::Unwrap(base) => before(base),
            Expr::Argument(base, _) | Expr::Part(base, _) => before(base),
            Expr::Either(one, other) => before(one) && before(other),
            Expr::Typed(ty) => (ty.0 as usize) < facts.types.len(),
            Expr::SelfValue | Expr::Super | Expr::Unknown => true,
        });
    }
    for (at, ty) in facts.types.iter().enumerate() {
        assert!(ty.path.iter().all(|name| named(*name)) && ty.args.iter().all(|arg| (arg.0 as usize) < at));
    }
    let unique: HashSet<&str> = facts.names.iter().collect();
    assert_eq!(unique.len(), facts.names.len(), "a name has two ids");
}

fn check_chunks(facts: &FileFacts, text: &str) {
    let starts: HashSet<u32> = facts.line_starts.iter().copied().collect();
    assert!(facts.chunks.is_sorted_by_key(|chunk| chunk.span.start), "chunks are not in order");
    let mut covered = 0;
    let check_gap = |covered: u32, upto: u32| {
        let gap = slice(text, Span { start: covered.min(upto), end: upto });
        let said = |c: char| !c.is_ascii_whitespace() && !"{}()[];,".contains(c);
        assert!(!gap.contains(said), "in no chunk: {gap:?}");
    };
    for chunk in &facts.chunks {
        assert!(chunk.span.start < chunk.span.end && starts.contains(&chunk.span.start));
        assert!(chunk.span.end as usize == text.len() || starts.contains(&chunk.span.end));
        assert!(chunk.symbol.is_none_or(|symbol| (symbol.0 as usize) < facts.symbols.len()));
        check_gap(covered, chunk.span.start);
        covered = covered.max(chunk.span.end);
    }
    check_gap(covered, text.len() as u32);
    let repeated: u64 = facts.chunks.iter().map(|chunk| u64::from(chunk.span.end - chunk.span.start)).sum();
    assert!(repeated <= 2 * text.len() as u64, "the chunks repeat the text: {repeated} of {}", text.len());
}

fn fixtures(def: &LanguageDef) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(def.id);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

/// Runs a property for every language, the same cases each time.
fn for_every_language<S: Strategy>(
    cases: u32,
    strategy: impl Fn(&'static LanguageDef) -> S,
    property: impl Fn(&mut Extractor, &'static LanguageDef, S::Value),
) {
    for def in LANGUAGES {
        let config = Config { cases, failure_persistence: None, max_shrink_iters: 400, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
        let extractor = std::cell::RefCell::new(Extractor::default());
        let result = runner.run(&strategy(def), |value| {
            // A panic inside may leave the extractor borrowed while the case is being made smaller.
            let mut own = Extractor::default();
            let mut shared = extractor.try_borrow_mut();
            property(shared.as_deref_mut().unwrap_or(&mut own), def, value);
            Ok(())
        });
        if let Err(problem) = result {
            panic!("{}: {problem}", def.id);
        }
    }
}

/// A change of a text: what is done at which place (in shares of the length) with how many bytes.
#[derive(Clone, Debug)]
enum Edit {
    Delete(u16, u8),
    Insert(u16, String),
    Bytes(u16, Vec<u8>),
    Copy(u16, u16, u8),
    Swap(u16, u16, u8),
    Truncate(u16),
}

fn edit() -> impl Strategy<Value = Edit> {
    // Pieces that open, close or change the meaning of what follows in one language or another.
    let piece = prop::sample::select(vec![
        "{", "}", "(", ")", "[", "]", "<", ">", "\"", "'", "`", "/*", "*/", "//", "#", "=begin", "\"\"\"", "'''",
        "```", "\n", "\r\n", "\t", "\0", "\u{feff}", "::", ".", "->", "=>", "=", ":", ";", ",", "@", "$", "#{", "${",
        "<<EOF\n", "class ", "def ", "fn ", "struct ", "end\n", "do ", "import ", "use ", "self", "é", "🦀", "\\",
        "\u{2028}",
    ]);
    prop_oneof![
        (any::<u16>(), 1u8..).prop_map(|(at, length)| Edit::Delete(at, length)),
        (any::<u16>(), piece).prop_map(|(at, piece)| Edit::Insert(at, piece.to_owned())),
        (any::<u16>(), vec(any::<u8>(), 1..4)).prop_map(|(at, bytes)| Edit::Bytes(at, bytes)),
        (any::<u16>(), any::<u16>(), 1u8..).prop_map(|(from, to, length)| Edit::Copy(from, to, length)),
        (any::<u16>(), any::<u16>(), 1u8..).prop_map(|(one, other, length)| Edit::Swap(one, other, length)),
        any::<u16>().prop_map(Edit::Truncate),
    ]
}

fn apply(edits: &[Edit], mut bytes: Vec<u8>) -> Vec<u8> {
    for edit in edits {
        let place = |share: u16| bytes.len() * usize::from(share) / 65536;
        let end = |start: usize, length: u8| (start + usize::from(length)).min(bytes.len());
        match edit {
            Edit::Delete(at, length) => {
                let range = place(*at)..end(place(*at), *length);
                bytes.drain(range);
            }
            Edit::Insert(at, piece) => {
                let at = place(*at);
                bytes.splice(at..at, piece.bytes());
            }
            Edit::Bytes(at, new) => {
                let at = place(*at);
                bytes.splice(at..at, new.iter().copied());
            }
            Edit::Copy(from, to, length) => {
                let piece = bytes[place(*from)..end(place(*from), *length)].to_vec();
                let to = place(*to);
                bytes.splice(to..to, piece);
            }
            Edit::Swap(one, other, length) => {
                let (one, other) = (place(*one).min(place(*other)), place(*one).max(place(*other)));
                let length = usize::from(*length).min(other - one).min(bytes.len() - other);
                let (left, right) = bytes.split_at_mut(other);
                left[one..one + length].swap_with_slice(&mut right[..length]);
            }
            Edit::Truncate(at) => {
                let at = place(*at);
                bytes.truncate(at);
            }
        }
    }
    bytes
}

#[test]
fn damaged_fixtures_keep_every_promise() {
    for_every_language(
        80,
        |def| (prop::sample::select(fixtures(def)), vec(edit(), 1..6)),
        |extractor, def, (fixture, edits)| {
            extract(extractor, Some(def), &apply(&edits, fixture));
        },
    );
}

#[test]
fn recovery_never_leaves_more_that_is_not_understood() {
    for_every_language(
        60,
        |def| (prop::sample::select(fixtures(def)), vec(edit(), 1..6)),
        |extractor, def, (fixture, edits)| {
            let bytes = apply(&edits, fixture);
            let (text, _) = as_text(&bytes);
            let deadline = Instant::now() + Duration::from_secs(10);
            let Some(plain) = extractor.mended_tree(def, &text, deadline) else { return };
            let before = error_bytes(&plain.tree);
            let parsed = extractor.recovered(def, plain, deadline);
            assert!(error_bytes(&parsed.tree) <= before, "{}", def.id);
            let inside = |span: &Span| text.get(span.start as usize..span.end as usize).is_some();
            assert!(parsed.removed.iter().chain(&parsed.unparsed).all(inside), "{}", def.id);
        },
    );
}

#[test]
fn random_bytes_and_random_text_keep_every_promise() {
    let bytes = prop_oneof![
        vec(any::<u8>(), 0..400),
        vec(any::<char>(), 0..200).prop_map(|text| text.into_iter().collect::<String>().into_bytes()),
        "[ -~\n]{0,300}".prop_map(String::into_bytes),
        vec(edit(), 0..60).prop_map(|edits| apply(&edits, Vec::new())),
    ];
    let bytes = bytes.boxed();
    for_every_language(
        40,
        |_| bytes.clone(),
        |extractor, def, bytes| {
            extract(extractor, Some(def), &bytes);
        },
    );
}

#[test]
fn plain_text_has_chunks_and_nothing_else() {
    let mut extractor = Extractor::default();
    let facts = extract(&mut extractor, None, b"one\n\ntwo\r\n\xff\xfe three\0\n");
    assert_eq!((facts.language.as_str(), facts.symbols.len(), facts.occurrences.len()), ("text", 0, 0));
    assert_eq!(facts.problems, [Problem::NotUtf8]);
    assert_eq!(facts.chunks, [Chunk { span: Span { start: 0, end: 20 }, symbol: None }]);
    assert_eq!(extract(&mut extractor, None, b"").chunks, []);
    assert_eq!(extract(&mut extractor, None, b" \r\n\t\n").chunks, []);
    assert!(extract(&mut extractor, None, &b"line of text\n".repeat(10_000)).chunks.len() > 100);
}

#[test]
fn pieces_of_long_lines_do_not_repeat_the_text_many_times_over() {
    let line = format!("{}\n", "word ".repeat(400));
    let text = format!("# Title\n{}", line.repeat(200));
    let facts = extract(&mut Extractor::default(), Some(crate::registry::named("markdown")), text.as_bytes());
    let bytes: usize = facts.chunks.iter().map(|chunk| (chunk.span.end - chunk.span.start) as usize).sum();
    assert!(facts.chunks.len() > 20 && bytes < text.len() * 3 / 2, "{bytes} of {}", text.len());
}

#[test]
fn whole_fixtures_with_other_line_ends_keep_every_promise() {
    for def in LANGUAGES {
        let mut extractor = Extractor::default();
        for fixture in fixtures(def) {
            let text = String::from_utf8(fixture).unwrap();
            extract(&mut extractor, Some(def), text.replace('\n', "\r\n").as_bytes());
            extract(&mut extractor, Some(def), text.replace('\n', "\r").as_bytes());
            extract(&mut extractor, Some(def), format!("\u{feff}{text}").as_bytes());
            extract(&mut extractor, Some(def), text.trim_end().as_bytes());
        }
        for odd in ["", "\n", " ", "\t \r\n \n", "\0", "\u{feff}", "\u{feff}\n", "\r", "é", "\"", "/*", "//", "#"] {
            extract(&mut extractor, Some(def), odd.as_bytes());
        }
        for comment in ["//", "#", "--", "/*", "<!--"] {
            extract_in_time(def, &format!("{comment} {}", "word ".repeat(20_000)), 20);
            extract_in_time(def, &format!("{comment} word\n").repeat(5_000), 20);
        }
    }
}

/// What nests in a language: opening, innermost, closing.
fn nestings(id: &str) -> Vec<(&'static str, &'static str, &'static str)> {
    let mut all =
        vec![("(", "x", ")"), ("[", "1", "]"), ("{", "", "}"), ("f(", "x", ")"), ("!", "x", ""), ("a.", "b", "")];
    all.extend_from_slice(match id {
        "go" => &[("func f() { ", "", "}\n"), ("type T struct { a ", "int", "}")],
        "rust" => &[("mod m { ", "", "}"), ("fn f() { ", "", "}"), ("m! { ", "x", "}"), ("Vec<", "u8", ">")],
        "python" => &[("lambda x: ", "1", ""), ("if x: ", "y", ""), ("f'{", "x", "}'")],
        "typescript" | "tsx" => {
            &[("class A { m() { ", "", "} }"), ("A<", "B", ">"), ("namespace N { ", "", "}"), ("() => {", "", "}")]
        }
        "javascript" => {
            &[("class A { m() { ", "", "} }"), ("function f() { ", "", "}"), ("`${", "x", "}`"), ("() => ", "x", "")]
        }
        "java" | "c_sharp" | "csharp" => {
            &[("class A { ", "int x;", "}"), ("void f() { ", "", "}"), ("List<", "T", "> x;")]
        }
        "c" => &[("struct s { ", "int x;", "} a;"), ("if (x) { ", "y;", "}"), ("#if X\n", "int x;\n", "#endif\n")],
        "cpp" => &[("namespace n { ", "int x;", "}"), ("class A { ", "", "};"), ("A<", "B", ">")],
        "kotlin" | "scala" | "swift" => {
            &[("class A { ", "", "}"), ("fun f() { ", "", "}"), ("object A { ", "", "}"), ("func f() { ", "", "}")]
        }
        "php" => &[("<?php function f() { ", "", "}"), ("<?php if (x) { ", "", "}"), ("<?php ", "", "?>")],
        "ruby" => {
            &[("class A; ", "", " end;"), ("def f; ", "", " end;"), ("f do |x| ", "", " end;"), ("\"#{", "x", "}\"")]
        }
        "elixir" => &[
            ("defmodule A do\n", "", " end\n"),
            ("def f do\n", "", " end\n"),
            ("\"#{", "x", "}\""),
            ("%{a: ", "1", "}"),
        ],
        "lua" => &[("function f() ", "", " end "), ("if x then ", "", " end "), ("{a = ", "1", "}")],
        "bash" => &[("f() { ", "x", "; }"), ("$(", "x", ")"), ("if x; then ", "y", "; fi"), ("\"${", "x", "}\"")],
        "zig" => &[("const A = struct { ", "", "};"), ("fn f() void { ", "", "}")],
        "haskell" => &[("let x = ", "1", " in x"), ("\\x -> ", "y", ""), ("f $ ", "x", ""), ("do\n ", "x", "")],
        "markdown" => &[("> ", "# x", ""), ("- ", "# x", ""), ("[", "x", "](y)"), ("*", "x", "*"), ("**a ", "x", "**")],
        _ => &[],
    });
    all
}

#[test]
fn ten_thousand_levels_cost_neither_stack_nor_much_time() {
    for def in LANGUAGES {
        for (open, inner, close) in nestings(def.id) {
            extract_in_time(def, &format!("{}{inner}{}", open.repeat(10_000), close.repeat(10_000)), 80);
            extract_in_time(def, &open.repeat(10_000), 20);
        }
    }
}

#[test]
fn a_file_that_is_too_large_or_too_slow_still_has_chunks() {
    let line = vec![b'a'; 5 << 20];
    for def in LANGUAGES {
        let facts = extract(&mut Extractor::default(), Some(def), &line);
        assert_eq!(facts.problems, [Problem::TooLarge { bytes: 5 << 20 }], "{}", def.id);
        assert_eq!(facts.chunks, [Chunk { span: Span { start: 0, end: 5 << 20 }, symbol: None }]);
        let text = fixtures(def).remove(0).repeat(100);
        let limits = Limits { max_time: Duration::from_nanos(1), ..Limits::default() };
        let path = RepoPath::parse("src/some/file").unwrap();
        let input = Input { path: &path, module: "some", language: Some(def), bytes: &text };
        let facts = Extractor::new(limits).extract(&input);
        check(&facts, &text);
        assert!(facts.problems.contains(&Problem::TooSlow), "{}", def.id);
        assert!(facts.symbols.is_empty() && facts.occurrences.is_empty() && !facts.chunks.is_empty());
    }
}
