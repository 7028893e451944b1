//! Macros that can be nothing but attributes, whatever stands elsewhere in the file: `int f(int x) NOEXCEPT;`,
//! `Mutex mu GUARDED_BY(x);`, `LUAI_FUNC int f();`.
//!
//! No C goes on like that, so the grammar would stumble over each of them, and what is taken out before the first parse need not be
//! looked for around errors ([`super::removable`]). A word that might be a name, a value, a type or a statement stays.

use std::ops::Range;

use super::macros::{KEYWORDS, STARTS};
use super::removable::{Code, is_candidate, is_upper, is_word};

/// Words that the grammars do not know and that mean nothing to a reader of names.
const WORDS: &[&str] = &["_Nullable", "_Null_unspecified", "absl_nonnull", "absl_nullability_unknown", "absl_nullable"];

/// Types without a declaration: a word behind one of them is a name.
const PRIMITIVES: &[&str] = &["auto", "bool", "char", "double", "float", "int", "long", "short", "signed", "unsigned"];

/// Words before a type that the grammars know.
const SPECIFIERS: &[&str] = &[
    "and",
    "asm",
    "co_await",
    "co_return",
    "co_yield",
    "concept",
    "consteval",
    "constinit",
    "export",
    "final",
    "friend",
    "import",
    "module",
    "mutable",
    "noreturn",
    "not",
    "or",
    "override",
    "requires",
    "thread_local",
];

/// What stands before a statement, where it is no other statement.
const STARTS_OF_STATEMENTS: &[&str] = &["", ";", "{", "}"];

/// What stands before a declaration, or before its type.
const STARTS_OF_DECLARATIONS: &[&str] =
    &["", ";", "{", "}", "constexpr", "explicit", "extern", "friend", "inline", "static", "virtual"];

/// What may follow behind the parameters of a function and its attributes.
const AFTER_PARAMETERS: &[&str] = &["const", "final", "noexcept", "override", "requires", "try", "volatile"];

/// How many attributes may stand behind each other.
const MAX_TOGETHER: usize = 8;

/// How far the word is looked for that opens a namespace: `namespace a::b::c {`.
const MAX_NAMESPACE: usize = 12;

/// How far the `<` of a template is looked for.
const MAX_ARGUMENTS: usize = 60;

/// Where they stand, with their arguments; and what is too much of a type that is an argument.
pub(super) fn attributes(code: &str) -> Vec<Range<usize>> {
    let code = Code::without_directives(code);
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut place = Place { code: &code, last: None, parameters: None, braces: Vec::new() };
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let text = code.text(at);
        match text {
            "(" => open.push(at),
            ")" => place.parameters = open.pop(),
            "{" => place.braces.push(place.brace(at, open.len())),
            "}" => drop(place.braces.pop()),
            // The grammar knows `template bool f<char>(char);` alone.
            "extern" if code.text(at + 1) == "template" => found.push(code.range(at, at)),
            _ if code.text(at + 1) == "(" && place.is_called(text) => found.extend(too_much_of_types(&code, at)),
            _ => {}
        }
        if place.is_before_primitive(at) {
            found.push(code.range(at, at));
            at += 1;
            continue;
        }
        if let Some(Brace::Enumerators(depth)) = place.braces.last()
            && *depth == open.len()
            && let Some(end) = place.end_of_entry(at)
        {
            found.push(code.range(at, at + 1));
            found.push(code.range(at + 3, end));
            place.last = Some(at + 2);
            at = end + 1;
            continue;
        }
        let candidate =
            is_candidate(text) || is_text(place.before()) && is_format(text) || place.is_beside_text(at, text);
        let end = candidate.then(|| code.end_of_use(at)).flatten();
        if let Some(end) = end.filter(|end| WORDS.contains(&text) || place.is_attribute(at, *end)) {
            found.push(code.range(at, end));
            at = end + 1;
            continue;
        }
        place.last = Some(at);
        at += 1;
    }
    found
}

/// `va_arg(list, const struct x *)`, `CHECK(unsigned long, x)`: all but the names of types, which are arguments like any other without it.
fn too_much_of_types(code: &Code, at: usize) -> Vec<Range<usize>> {
    let Some(end) = code.end_of_use(at) else { return Vec::new() };
    let mut found = Vec::new();
    let (mut start, mut depth) = (at + 2, 0usize);
    for at in at + 2..=end {
        match code.text(at) {
            "(" | "{" | "[" => depth += 1,
            ")" | "}" | "]" if at < end => depth = depth.saturating_sub(1),
            "," | ")" if depth == 0 || at == end => {
                found.extend(too_much_of_type(code, start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    found
}

fn too_much_of_type(code: &Code, argument: Range<usize>) -> Vec<Range<usize>> {
    let is_type =
        |text: &str| PRIMITIVES.contains(&text) || matches!(text, "const" | "struct" | "union" | "enum" | "void");
    let (first, last) = (code.text(argument.start), code.text(argument.end.saturating_sub(1)));
    let plain = argument.clone().all(|at| is_word(code.text(at)) || matches!(code.text(at), "*" | "&"));
    if argument.len() < 2 || !plain || !is_word(first) || !(is_type(first) || matches!(last, "*" | "&")) {
        return Vec::new();
    }
    let name = argument.clone().rev().find(|at| is_word(code.text(*at)) && code.text(*at) != "const");
    argument.filter(|at| Some(*at) != name).map(|at| code.range(at, at)).collect()
}

/// What is before a word.
struct Place<'a, 'c> {
    code: &'a Code<'c>,
    /// The last token that stays.
    last: Option<usize>,
    /// Where the parentheses were opened that were closed last.
    parameters: Option<usize>,
    /// The braces that are open.
    braces: Vec<Brace>,
}

/// What braces hold.
enum Brace {
    Namespace,
    /// With so many parentheses open around them.
    Enumerators(usize),
    Other,
}

impl Place<'_, '_> {
    fn before(&self) -> &str {
        self.last.map_or("", |last| self.code.text(last))
    }

    /// Whether the word with parentheses behind it is a call and declares nothing.
    fn is_called(&self, word: &str) -> bool {
        let before = self.before();
        let value = matches!(before, "=" | "(" | "return" | "!" | "+" | "-" | "<" | "?" | "|");
        word == "va_arg"
            || is_upper(word) && (value || STARTS_OF_STATEMENTS.contains(&before))
            || is_name(word) && value
    }

    /// Whether a word stands before `int` and the like, where a declaration begins: it is no type.
    fn is_before_primitive(&self, at: usize) -> bool {
        let (text, after) = (self.code.text(at), self.code.text(at + 1));
        let primitive = after != "auto" && (PRIMITIVES.contains(&after) || after == "void");
        primitive
            && (is_name(text) || is_upper(text))
            && !text.starts_with('_')
            && !SPECIFIERS.contains(&text)
            && (matches!(self.before(), "(" | ",") || STARTS_OF_DECLARATIONS.contains(&self.before()))
    }

    /// Whether a word with parentheses behind it may be a part of a string, as a function is not: `"a = " QUOTED(x) " b"`.
    fn is_beside_text(&self, at: usize, word: &str) -> bool {
        let before = self.before();
        let begins = matches!(before, "(" | "," | "=") || is_text(before) && !self.is_named_by_text();
        begins && self.code.text(at + 1) == "(" && is_name(word)
    }

    /// Whether the string before it is part of a name: `operator""_x(…)`, `extern "C" f(…)`.
    fn is_named_by_text(&self) -> bool {
        let before = self.last.and_then(|last| last.checked_sub(1)).map_or("", |at| self.code.text(at));
        matches!(before, "operator" | "extern")
    }

    /// Whether a macro can only be an attribute.
    fn is_attribute(&self, at: usize, end: usize) -> bool {
        let code = self.code;
        let before = self.before();
        let mut next = end + 1;
        for _ in 0..MAX_TOGETHER {
            match is_upper(code.text(next)).then(|| code.end_of_use(next)).flatten() {
                Some(end) => next = end + 1,
                None => break,
            }
        }
        let (direct, after) = (code.text(end + 1), code.text(next));
        let ends = matches!(after, ";" | "=" | "{");
        match before {
            _ if STARTS_OF_DECLARATIONS.contains(&before) => {
                // `FOO static int x`, `FOO Type f(…)`, `TEST("what it tests") {`.
                let starts = |text: &str| STARTS.contains(&text) && !matches!(text, "const" | "namespace" | "std");
                starts(after)
                    || after == "const" && (starts(code.text(next + 1)) || self.declares(next + 1))
                    || (end == at || self.braces.iter().all(|brace| matches!(brace, Brace::Namespace)))
                        && self.declares(next)
                    || (end > at && direct == "{" && code.text(at + 2).starts_with('"'))
            }
            // `"%" PRIu64 "\n"`, `QUOTED("=") " expected"`, `asm("…" LOAD(x) STORE(y) "…" : …)`.
            _ if is_text(before) => {
                [direct, after].iter().any(|text| is_text(text) || matches!(*text, "," | ")" | ";" | ":"))
            }
            "(" | "," | "=" if end > at && (is_text(direct) || is_text(after)) => true,
            ">" => self.last.is_some_and(|last| self.closes_template(last)) && end == at && self.declares(next),
            ")" => self.declares_function() && (ends || AFTER_PARAMETERS.contains(&after)),
            "]" => matches!(after, ";" | "="),
            "class" | "struct" | "union" => {
                let behind = (code.text(next + 1), code.text(next + 2));
                is_name(after) && (behind.0 == "{" || behind.0 == "final" || (behind.0 == ":" && behind.1 != ":"))
            }
            _ if is_name(before) => self.declares_variable() && (ends || matches!(after, "," | ")" | "[")),
            "*" | "&" if is_word(direct) && !KEYWORDS.contains(&direct) && !is_upper(direct) => true,
            // `f(int x) const & FOO {`
            _ => self.is_behind_parameters() && (ends || AFTER_PARAMETERS.contains(&after)),
        }
    }

    fn brace(&self, at: usize, parentheses: usize) -> Brace {
        let words = (at.saturating_sub(MAX_NAMESPACE)..at).rev().map(|at| self.code.text(at));
        let mut words = words.take_while(|text| is_word(text) || *text == ":");
        match words.any(|text| text == "enum") {
            true => Brace::Enumerators(parentheses),
            false if self.opens_namespace(at) => Brace::Namespace,
            false => Brace::Other,
        }
    }

    /// Where an entry of an enumeration ends that a macro makes of its first argument: `OPTION(URL, STRING, 2),`. One with nothing
    /// else in it may be a list (`ALL(X),`), unless others are beside it.
    fn end_of_entry(&self, at: usize) -> Option<usize> {
        let text = |at: usize| self.code.text(at);
        let is_entry = |text: &str| is_name(text) || is_upper(text);
        let begins = matches!(self.before(), "{" | ",") && is_entry(text(at)) && text(at + 1) == "(";
        if !begins || !is_entry(text(at + 2)) || !matches!(text(at + 3), "," | ")") {
            return None;
        }
        let end = self.code.end_of_use(at).filter(|end| text(end + 1) == ",")?;
        (text(at + 3) == "," || text(end + 2) == text(at)).then_some(end)
    }

    /// Whether a brace opens a namespace, in which declarations stand and no statements.
    fn opens_namespace(&self, at: usize) -> bool {
        let words = (at.saturating_sub(MAX_NAMESPACE)..at).rev().map(|at| self.code.text(at));
        let mut words = words.take_while(|text| is_word(text) || *text == ":" || text.starts_with('"'));
        words.any(|text| text == "namespace" || text.starts_with('"'))
    }

    /// Whether a type and a name stand at a token: there is no other way to go on behind a word.
    fn declares(&self, mut at: usize) -> bool {
        let code = self.code;
        if !is_name(code.text(at)) && code.text(at) != "std" {
            return false;
        }
        at += 1;
        loop {
            match code.text(at) {
                ":" if code.text(at + 1) == ":" && is_name(code.text(at + 2)) => at += 3,
                "<" => match self.end_of_arguments(at) {
                    Some(end) => at = end + 1,
                    None => return false,
                },
                "*" | "&" | "const" => at += 1,
                text => return is_name(text) || text == "operator",
            }
        }
    }

    /// The `>` of a `<`.
    fn end_of_arguments(&self, start: usize) -> Option<usize> {
        let mut depth = 0usize;
        for at in start..start + MAX_ARGUMENTS {
            match self.code.text(at) {
                "<" => depth += 1,
                ">" => depth -= 1,
                "" | ";" | "{" | "}" => return None,
                _ => {}
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    /// Whether what stands before it may only stand behind the parameters of a function.
    fn is_behind_parameters(&self) -> bool {
        let Some(mut at) = self.last else { return false };
        while AFTER_PARAMETERS.contains(&self.code.text(at)) || self.code.text(at) == "&" {
            let Some(before) = at.checked_sub(1) else { return false };
            at = before;
        }
        // Nothing in between has parentheses.
        self.code.text(at) == ")" && self.declares_function()
    }

    /// Whether the parentheses before it are the parameters of a function that is declared.
    fn declares_function(&self) -> bool {
        let Some(open) = self.parameters else { return false };
        let text = |back: usize| open.checked_sub(back).map_or("", |at| self.code.text(at));
        let (name, before) = (text(1), text(2));
        if name == "noexcept" {
            return true;
        }
        if !is_name(name) {
            // `operator==(…)`, `operator()(…)`, `(*f)(…)`
            return (2..5).any(|back| text(back) == "operator") || (name == ")" && before != "*" && is_name(before));
        }
        match before {
            // `Foo(int x) FOO {` has a constructor; `for_each(x) FOO(y);` is a statement.
            ";" | "{" | "}" | "" => name.starts_with(|c: char| c.is_ascii_uppercase()),
            "*" | "&" | "~" => true,
            ">" => true,
            ":" => text(3) == ":",
            before => {
                is_word(before) && !matches!(before, "return" | "else" | "new" | "case" | "goto" | "throw" | "do")
            }
        }
    }

    /// Whether the word before it is a name that is declared: it stands behind a type.
    fn declares_variable(&self) -> bool {
        let Some(mut before) = self.last.and_then(|last| last.checked_sub(1)) else { return false };
        let is_type = |text: &str| is_name(text) || PRIMITIVES.contains(&text);
        while matches!(self.code.text(before), "*" | "&") {
            let Some(at) = before.checked_sub(1) else { return false };
            if is_type(self.code.text(at)) || self.code.text(at) == ">" {
                return true;
            }
            before = at;
        }
        match self.code.text(before) {
            "using" => true,
            ">" => !self.closes_template(before),
            text => is_type(text),
        }
    }

    /// Whether a `>` ends the parameters of a template, behind which a type stands.
    fn closes_template(&self, end: usize) -> bool {
        let mut depth = 0usize;
        for at in (end.saturating_sub(MAX_ARGUMENTS)..=end).rev() {
            match self.code.text(at) {
                ">" => depth += 1,
                "<" => depth -= 1,
                ";" | "{" | "}" => return true,
                _ => {}
            }
            if depth == 0 {
                return at.checked_sub(1).is_none_or(|before| !is_name(self.code.text(before)));
            }
        }
        true
    }
}

/// Whether a word is a format of `<inttypes.h>`.
fn is_format(word: &str) -> bool {
    word.starts_with("PRI") || word.starts_with("SCN")
}

fn is_text(token: &str) -> bool {
    token.starts_with('"')
}

/// Whether a word is a name that is no macro by its looks.
fn is_name(word: &str) -> bool {
    is_word(word) && !word.starts_with(|c: char| c.is_ascii_digit()) && !is_upper(word) && !KEYWORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::attributes;

    fn words(code: &'static str) -> Vec<&'static str> {
        attributes(code).into_iter().map(|range| &code[range]).collect()
    }

    #[test]
    fn what_no_c_has_is_an_attribute() {
        for (code, want) in [
            ("LUAI_FUNC int f(State *L, T* absl_nonnull p);", &["LUAI_FUNC", "absl_nonnull"][..]),
            ("static Mutex mu ACQUIRED_AFTER(x) GUARDED_BY(y);", &["ACQUIRED_AFTER(x)", "GUARDED_BY(y)"]),
            ("std::vector<int> v GUARDED_BY(m) = {1};", &["GUARDED_BY(m)"]),
            ("char* p PT_GUARDED;", &["PT_GUARDED"]),
            ("weekday get(int x) NOEXCEPT_IF(y) {", &["NOEXCEPT_IF(y)"]),
            ("int f() const LOCKS_EXCLUDED(m) override;", &["LOCKS_EXCLUDED(m)"]),
            ("Foo::Foo(int x) NO_ANALYSIS {", &["NO_ANALYSIS"]),
            ("bool operator==(T a) CONST_FN;", &["CONST_FN"]),
            ("void f(int x UNUSED_ARG, char *RESTRICT_P s);", &["UNUSED_ARG", "RESTRICT_P"]),
            ("class SCOPED_CAPABILITY Lock {", &["SCOPED_CAPABILITY"]),
            ("struct LOCKABLE(\"x\") Mutex : Base {", &["LOCKABLE(\"x\")"]),
            ("TEST_CASE(\"what it tests\") {", &["TEST_CASE(\"what it tests\")"]),
            ("FORCE_INLINE(x) static int y;", &["FORCE_INLINE(x)"]),
            ("const T&& value() const&& BOUND {", &["BOUND"]),
            ("iterator end() noexcept BOUND override;", &["BOUND"]),
            ("f(U&& v BOUND, T** const w BOUND)", &["BOUND"]),
            ("inline TARGET_X Vector AesRound(const Vector& state);", &["TARGET_X"]),
            ("CONST_INIT std::atomic<Zone*> zone{nullptr};", &["CONST_INIT"]),
            ("template <class T> CONST_FN Duration operator*(T x);", &["CONST_FN"]),
            ("using conjunction DEPRECATED() = std::conjunction<T...>;", &["DEPRECATED()"]),
            ("NO_SANITIZE(address)\nsds f(int x) {}", &["NO_SANITIZE(address)"]),
            ("namespace a::b { extern \"C\" { WEAK_IN(x) sds f(); } }", &["WEAK_IN(x)"]),
            ("extern template bool f<char>(char);", &["extern"]),
            (
                "static redisAtomic int x; f(UNUSED unsigned flags, vector long y);",
                &["redisAtomic", "UNUSED", "vector"],
            ),
            ("printf(\"%\" PRIu64 \"\\n\", x); f(LUA_QL(\"=\") \" expected\");", &["PRIu64", "LUA_QL(\"=\")"]),
            (
                "f(\"a = \" quoted(X) \", \" quoted(Y)); g(Quoted(f(x)) \"b\", y); s = quoted(Z) \"c\";",
                &["quoted(X)", "quoted(Y)", "Quoted(f(x))", "quoted(Z)"],
            ),
            (
                "asm volatile (\"a\" LOAD(x) STORE(y) \"b\" LOAD(z) : \"=r\"(c)); asm (LOAD(x) STORE(y) \"c\");",
                &["LOAD(x)", "STORE(y)", "LOAD(z)", "LOAD(x)", "STORE(y)"],
            ),
            ("CHECK(const char *, x); y = cast(unsigned int, z);", &["const", "*", "unsigned"]),
            ("x = va_arg(ap, const struct sds **); y = va_arg(ap, long long);", &["const", "struct", "*", "*", "long"]),
            (
                "enum class E : std::uint8_t { OPT(A, LONG, 1), FIRST = OPT(B, x), OPT(C, f(y), \"z\"), op(D), op(E), ALL(X), LAST };",
                &["OPT(", ", LONG, 1)", "OPT(", ", f(y), \"z\")", "op(", ")"],
            ),
            ("const char padding[4] SECTION(.text) = \"\";", &["SECTION(.text)"]),
        ] {
            assert_eq!(words(code), want, "{code}");
        }
    }

    #[test]
    fn names_types_values_and_statements_stay() {
        for code in [
            "DWORD count; static HANDLE open(void); struct FOO bar; struct FOO *baz(void);",
            "CHECK(x); return FOO; case BAR: TEST(Suite, Name) {",
            "enum e { FIRST, SECOND, LAST }; enum { ONLY }; enum { ALL(X) }; enum { A = F(x, B(y, z), 1) }; int x[] = { F(A, 1), F(B, 2) };",
            "f(FOO, BAR); x = FOO | BAR; g(WORD x, WORD y); x = a * FOO; y = b & MASK; z = c > MAX;",
            "x = (long) MAX; if (x) RETURN_OK; while (y) NEXT(x); for_each(x) VISIT(x);",
            "static const int MAX = 3; int COUNTER; int FUNC(int x); const Foo BAR(x); template <class T> Foo BAR(T x);",
            "x = y ? FOO : BAR; label: FOO; f(\"a\", FOO, \"b\");",
            "int FOO(const char *, unsigned int); void f(const char *, long); x = f(a * b, c); CHECK(x, y); g(T &);",
            "friend void f(A&); thread_local int x; mutable bool y; std::integral auto z; return int(x); _Atomic int w; operator bool();",
            "typedef struct foo FOO; typedef Foo BAR; extern Foo BAZ; ns::Foo QUX;",
            "#define X(a) int a ATTR;\\\n  int b ATTR;\n",
            "// int x ATTR;\n/* int x ATTR; */ const char *s = \"int x ATTR;\";",
            "int f(a) BOOL a; {}",
            "void f() { CHECK(x) sds y = g(); } x = va_arg(ap, int); y = va_arg(ap, f(*x));",
            "FOO const x = 1; static FOO const y; inline FOO f(); static FOO x; FOO *p; FOO<int> q; FOO::f(); x[3] > FOO; return a[1] * FOO;",
            "f(\"a\", g(x), h(y)); s = g(x); t = (g)(\"x\"); Foo operator\"\"_x(unsigned long long, int); extern \"C\" f(x);",
            "bool less = a < b && c > FOO; template <class T> FOO f(T x); x = (a) & FOO;",
        ] {
            assert!(attributes(code).is_empty(), "{code}: {:?}", words(code));
        }
    }

    #[test]
    fn long_rows_of_words_take_no_longer_than_they_are() {
        let code = format!("{} {} int x;", "FOO(".repeat(100_000), "FOO ".repeat(100_000));
        assert!(attributes(&code).is_empty());
    }

    #[test]
    fn what_is_left_open_ends() {
        assert!(words("int x ATTR(").is_empty());
        assert_eq!(words(") ) int x ATTR;"), ["ATTR"]);
        assert!(words("a < b > c > > FOO").is_empty());
    }
}
