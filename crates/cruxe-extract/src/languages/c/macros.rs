//! Macros: the names in their replacements, which are raw text for the grammar, and their uses where no C can stand.

use std::borrow::Cow;

use cruxe_model::facts::{Expr, Role, Span};

use super::comments;
use super::wrapped::{Left, Wrapper, around_field, wrapper};
use crate::languages::broad::Broad;
use crate::walk::{Cx, Walk, span};

pub(super) const KEYWORDS: &[&str] = &[
    "alignas",
    "alignof",
    "auto",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "constexpr",
    "continue",
    "decltype",
    "default",
    "defined",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "explicit",
    "extern",
    "false",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "namespace",
    "new",
    "noexcept",
    "nullptr",
    "operator",
    "private",
    "protected",
    "public",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "struct",
    "switch",
    "template",
    "this",
    "throw",
    "true",
    "try",
    "typedef",
    "typename",
    "typeof",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "while",
];

/// Notes the names in the replacement of a `#define`; other directives have free text.
pub(super) fn body(_: &Broad, cx: &mut Cx) -> Option<Walk> {
    let parent = cx.parent()?;
    let all = span(&cx.node());
    if matches!(parent.kind(), "preproc_def" | "preproc_function_def") {
        for (name, called) in names(cx.slice(all)) {
            let (start, end) = (all.start + name.start, all.start + name.end);
            let text = cx.slice(Span { start, end });
            if !KEYWORDS.contains(&text) {
                let before = cx.slice(Span { start: all.start, end: start }).trim_end();
                let member = before.ends_with('.') && !before.ends_with("..") || before.ends_with("->");
                // What a macro calls a member of is whatever it is given.
                let receiver = member.then(|| cx.expr(Expr::Unknown));
                cx.occurrence_at(text, start, if called { Role::Call } else { Role::Value }, receiver);
            }
        }
    } else if parent.child_by_field_name("directive").is_some_and(|word| cx.text_of(&word).ends_with("undef")) {
        let text = cx.slice(all);
        if let [(name, _)] = names(text)[..] {
            let (start, end) = (all.start + name.start, all.start + name.end);
            let text = cx.slice(Span { start, end });
            cx.occurrence_at(text, start, Role::Mention, None);
        }
    }
    Some(Walk::Skip)
}

/// The names in a piece of C, and whether a `(` follows.
fn names(text: &str) -> Vec<(Span, bool)> {
    let bytes = text.as_bytes();
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut names = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        at += match rest[0] {
            quote @ (b'"' | b'\'') => quoted(rest, quote),
            b'/' if rest.starts_with(b"/*") => memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2),
            b'/' if rest.starts_with(b"//") => rest.len(),
            first if word(&first) => {
                let length = rest.iter().take_while(|byte| word(byte)).count();
                if !first.is_ascii_digit() {
                    let called = rest[length..].iter().find(|byte| **byte != b' ') == Some(&b'(');
                    names.push((Span { start: at as u32, end: (at + length) as u32 }, called));
                }
                length
            }
            _ => 1,
        };
    }
    names
}

/// The length of a quoted piece.
pub(super) fn quoted(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != quote {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// Blanks out macros that the grammar takes for something else: alone on a line between declarations
/// (`NAMESPACE_BEGIN`), before a declaration (`FOO_EXPORT int f();`), between `class` and the name. Comments in macros go too.
///
/// Without the preprocessor only their custom tells them: upper case, and what stands before and behind.
pub(super) fn blank(text: &str) -> Cow<'_, str> {
    let (found, wrappers) = uses(text);
    let comments = comments::in_macros(text);
    if found.is_empty() && wrappers.is_empty() && comments.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    comments.into_iter().for_each(|comment| comments::blank(&mut bytes[comment]));
    for span in found {
        bytes[span.start as usize..span.end as usize].fill(b' ');
    }
    for Wrapper { open, close, left } in wrappers {
        let (start, end) = (open.start as usize, open.end as usize);
        bytes[start..end].fill(b' ');
        if left == Left::Pointer {
            bytes[end - 2..end].copy_from_slice(b"(*");
            continue;
        }
        bytes[close.start as usize..close.end as usize].fill(b' ');
        if left == Left::Number {
            bytes[start..start + 3].copy_from_slice(b"int");
        }
    }
    // Only whole pieces between ASCII bytes were blanked out, so this is still UTF-8.
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Notes the uses of the macros that the parser did not see.
pub(super) fn note_uses(_: &Broad, cx: &mut Cx) -> Option<Walk> {
    let (found, wrappers) = uses(cx.text);
    for at in found.into_iter().chain(wrappers.into_iter().map(|wrapper| wrapper.open)) {
        let text = cx.slice(at);
        let name = word(text);
        let role = if name.len() < text.len() { Role::Call } else { Role::Value };
        cx.occurrence_at(name, at.start, role, None);
    }
    None
}

/// Where a declaration begins when the macro before it on its line belongs to it.
pub(super) fn start_with_macro(text: &str, start: u32) -> u32 {
    let before = text.get(..start as usize).unwrap_or_default();
    // A line of code is short; the one long line of a generated file is not searched again for every declaration.
    let near = (before.len().saturating_sub(200)..before.len()).find(|at| before.is_char_boundary(*at));
    let line = match before[near.unwrap_or_default()..].rfind('\n') {
        Some(at) => near.unwrap_or_default() + at + 1,
        None if before.len() <= 200 => 0,
        None => return start,
    };
    let code = before[line..].trim();
    let rest = code[word(code).len()..].trim_start();
    if is_macro(word(code)) && arguments(rest) == rest.len() {
        return (line + before[line..].len() - before[line..].trim_start().len()) as u32;
    }
    start
}

/// Where the macros that [`blank`] is about stand: those that say nothing, and those that have a part of a declaration inside.
fn uses(text: &str) -> (Vec<Span>, Vec<Wrapper>) {
    let mut found: Vec<Span> = Vec::new();
    let mut wrappers: Vec<Wrapper> = Vec::new();
    let mut last = b';'; // last byte of the code so far
    let mut at = 0;
    let mut continued = false;
    let mut structures = 0usize; // how deep this is in bodies that have nothing but fields
    for line in text.split_inclusive('\n') {
        let code = line.trim();
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        let inside = std::mem::replace(&mut continued, code.ends_with('\\'));
        if inside || code.is_empty() || code.starts_with(['#', '/', '*']) {
            continue; // a directive or a comment, or another line of one
        }
        let between = b";{}:>".contains(&last);
        if between && let Some(head) = type_head(code) {
            let spans = head_macros(head).into_iter().map(|(offset, length)| {
                let start = (start + code.len() - head.len() + offset) as u32;
                Span { start, end: start + length as u32 }
            });
            found.extend(spans);
        } else if let Some(wrapper) = (structures > 0 && between).then(|| around_field(start, code)).flatten() {
            wrappers.push(wrapper);
        } else if let Some(wrapper) = between.then(|| wrapper(text, start, code, start > at - line.len())).flatten() {
            wrappers.push(wrapper);
        } else if last != b'>'
            && let Some((offset, length)) = between.then(|| macro_use(code, last, &text[at..])).flatten()
        {
            let start = (start + offset) as u32;
            found.push(Span { start, end: start + length as u32 });
            if length == code.len() {
                continue; // the line says nothing about what may follow
            }
        }
        let code = super::find_pair(code.as_bytes(), *b"//").map_or(code, |at| &code[..at]).trim_end();
        let code =
            code.strip_suffix("*/").and_then(|code| code.rfind("/*").map(|at| code[..at].trim_end())).unwrap_or(code);
        last = code.bytes().last().unwrap_or(last);
        match last {
            b'{' if opens_fields(code) => structures += 1,
            b'{' => structures = 0,
            _ if code.starts_with('}') => structures = structures.saturating_sub(1),
            _ => {}
        }
    }
    (found, wrappers)
}

/// Words that start a declaration, so that an upper-case word before them is no type.
pub(super) const STARTS: &[&str] = &[
    "auto",
    "bool",
    "char",
    "class",
    "const",
    "constexpr",
    "double",
    "enum",
    "explicit",
    "extern",
    "float",
    "friend",
    "inline",
    "int",
    "long",
    "namespace",
    "private",
    "protected",
    "public",
    "short",
    "signed",
    "static",
    "std",
    "struct",
    "template",
    "typedef",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
];

/// Pieces of the names of macros that stand before a declaration.
const PREFIXES: &[&str] = &[
    "API",
    "ATTRIBUTE",
    "DECL",
    "DEPRECATED",
    "DLL",
    "EXPORT",
    "EXTERN",
    "HIDDEN",
    "IMPORT",
    "INLINE",
    "NODISCARD",
    "NORETURN",
    "PUBLIC",
    "UNUSED",
    "VISIBILITY",
];

/// Where in a line of code a macro stands that has to go: offset and length.
fn macro_use(code: &str, last: u8, rest: &str) -> Option<(usize, usize)> {
    let mut offset = 0;
    loop {
        let word = word(&code[offset..]);
        let behind = &code[offset + word.len()..];
        let next = behind.trim_start();
        match word {
            "static" | "inline" | "extern" | "virtual" | "friend" | "explicit" => {}
            _ if !is_macro(word) => return None,
            _ => {
                let arguments = arguments(next);
                let length = if arguments > 0 { code.len() - next.len() + arguments - offset } else { word.len() };
                let next = code[offset + length..].trim_start();
                if next.is_empty() {
                    return (offset == 0 && stands_alone(last, rest)).then_some((0, code.len()));
                }
                let prefix = PREFIXES.iter().any(|piece| word.contains(piece)) && !self::word(next).is_empty();
                return prefix.then_some((offset, length));
            }
        }
        if next.is_empty() || next.len() == behind.len() {
            return None;
        }
        offset = code.len() - next.len();
    }
}

/// Whether a line of code opens a body in which fields or values stand, and no statements.
fn opens_fields(code: &str) -> bool {
    let code = code.strip_prefix("typedef").map_or(code, str::trim_start);
    matches!(word(code), "struct" | "union" | "enum") && !code.contains(['(', '='])
}

/// What stands behind the `class` that a line of code declares a type with.
fn type_head(code: &str) -> Option<&str> {
    let mut rest = code;
    loop {
        let first = word(rest);
        rest = rest[first.len()..].trim_start();
        match first {
            "class" | "struct" | "union" => return Some(rest),
            "friend" | "static" | "extern" | "typedef" => {}
            _ => return None,
        }
    }
}

/// The macros between `class` and the name of a type that is defined here: `API` of `class API [[nodiscard]] Name final {`.
fn head_macros(head: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        let rest = &head[at..];
        let name = word(rest);
        let behind = rest[name.len()..].trim_start();
        if rest.starts_with("[[") {
            let Some(end) = rest.find("]]") else { return Vec::new() };
            at = head.len() - rest[end + 2..].trim_start().len();
            continue;
        }
        let arguments = arguments(behind);
        let length = if arguments > 0 { rest.len() - behind.len() + arguments } else { name.len() };
        let next = behind[arguments..].trim_start();
        let leads_on = next.starts_with("[[") || (!word(next).is_empty() && word(next) != "final");
        if !is_macro(name) || !leads_on {
            let after = behind.strip_prefix("final").map_or(behind, str::trim_start);
            let defined = after.starts_with('{') || (after.starts_with(':') && !after.starts_with("::"));
            // The body may stand on the next line; `struct FOO bar;` declares a variable.
            return if defined && !name.is_empty() { found } else { Vec::new() };
        }
        found.push((at, length));
        at = head.len() - next.len();
    }
}

/// Whether a macro that is all of its line can be one between declarations, by the code behind it. Behind a `{` it could
/// be the only value of an enumeration, before a name the type of a function.
fn stands_alone(last: u8, rest: &str) -> bool {
    let code = rest.lines().take(40).map(str::trim).find(|line| !line.is_empty() && !line.starts_with(['/', '*']));
    let Some(code) = code else { return true };
    let next = word(code);
    STARTS.contains(&next) || (last != b'{' && (code.starts_with(['#', '}']) || is_macro(next)))
}

pub(super) fn word(text: &str) -> &str {
    &text[..text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()]
}

pub(super) fn is_macro(word: &str) -> bool {
    word.len() > 3
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && word.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// The length of `(…)`; 0 when the parentheses do not close on the line.
fn arguments(text: &str) -> usize {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return if byte == b')' { at + 1 } else { 0 };
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::{blank, names};

    #[test]
    fn names_in_macros_are_found_and_strings_and_comments_are_not() {
        let text = r#"do { log_it("no(x)", 'c', 0xff); y->field /* not(z) */ = A_1; } while (0) // end"#;
        let word = |at: &cruxe_model::facts::Span| &text[at.start as usize..at.end as usize];
        let found: Vec<_> = names(text).iter().map(|(at, call)| (word(at), *call)).collect();
        let calls = [("do", false), ("log_it", true), ("y", false), ("field", false), ("A_1", false), ("while", true)];
        assert_eq!(found, calls);
        assert!(names("\"open").is_empty());
    }

    #[test]
    fn macros_between_and_before_declarations_are_blanked_out() {
        assert_eq!(blank("NAMESPACE_BEGIN\n\n/// Doc.\nclass A {};\n").trim_start(), "/// Doc.\nclass A {};\n");
        assert_eq!(blank("UV_EXTERN int f(void);"), "          int f(void);");
        assert_eq!(blank("static FORCE_INLINE int f(void);"), "static              int f(void);");
        assert_eq!(blank("class NET_EXPORT Foo : public Bar {"), "class            Foo : public Bar {");
        assert_eq!(blank("class API_ [[nodiscard]] Foo {"), "class      [[nodiscard]] Foo {");
        assert_eq!(blank("class [[nodiscard]] API_ Foo {"), "class [[nodiscard]]      Foo {");
        assert_eq!(blank("struct LOCKABLE ALIGN(8) Foo final : Bar {"), "struct                   Foo final : Bar {");
        assert_eq!(blank("template <class T>\nclass API_ Foo {"), "template <class T>\nclass      Foo {");
        assert_eq!(blank("FOO_DEPRECATED(\"x\") void f();"), "                    void f();");
        assert_eq!(blank("class A {\n  Q_OBJECT\npublic:\n"), "class A {\n          \npublic:\n");
    }

    #[test]
    fn macros_around_a_type_a_name_or_a_head_leave_what_is_inside() {
        assert_eq!(blank("API_INLINE(const char *) f(int x)\n{"), "           const char *  f(int x)\n{");
        assert_eq!(blank("static API_FUNC(int) f(int x);"), "static          int  f(int x);");
        assert_eq!(blank("HEAP_EXPORT(void f(int x,\n  int y)) {"), "            void f(int x,\n  int y)  {");
        assert_eq!(blank("typedef int API_CALL(f_cb)(int x);"), "typedef int        (*f_cb)(int x);");
        assert_eq!(blank("struct s {\n  void API_CALL(f)(int x);\n"), "struct s {\n  void        (*f)(int x);\n");
        assert_eq!(blank("static int RENAME(f)(int x) {"), "static int        f (int x) {");
    }

    #[test]
    fn macros_that_declare_a_field_leave_it_where_only_fields_stand() {
        let text =
            "struct s {\n  union {\n    BIT(a);\n  } u;\n  BIT(done); /* x */\n};\nint f(void) {\n  BIT(done);\n}\n";
        let left =
            "struct s {\n  union {\n    int a ;\n  } u;\n  int done ; /* x */\n};\nint f(void) {\n  BIT(done);\n}\n";
        assert_eq!(blank(text), left);
        let text =
            "struct s f(void) {\n  CHECK(done);\n}\nstruct s {\n  DISALLOW_COPY(Name);\n  void g() {\n    CHECK(x);\n";
        assert_eq!(blank(text), text);
    }

    #[test]
    fn upper_case_words_that_are_no_such_macros_stay() {
        for text in [
            "enum e {\n  FIRST,\n  LAST\n};\n",
            "enum e {\n  ONLY\n};\n",
            "enum e {\n  A,\n#ifdef X\n  LAST\n#endif\n};\n",
            "BOOL\nfoo(HANDLE h)\n{\n}\n",
            "struct FOO bar = {1};\nstruct FOO *baz(void);\nstruct FOO { int x; };\nclass FOO final {};\n",
            "class API_ Foo;\nx = a >\nFORCE_INLINE int f(void);\n",
            "TEST_IMPL(name) {\n}\n",
            "DWORD count;\n",
            "int f(void) {\n  CHECK(x) g(y);\n  return PICK(a)(b);\n  x = PICK(a)(b);\n}\n",
            "TEST(Suite, Name) {\n}\nSTATIC_ASSERT(sizeof(int) == 4);\nDEFINE(name) OTHER(x);\n",
            "int x =\n  SOME_VALUE\n  + 1;\n",
            "#define CHECK(x) \\\n  ASSERT_TRUE(x)\n\nstatic int y;\n",
        ] {
            assert_eq!(blank(text), text);
        }
    }
}
