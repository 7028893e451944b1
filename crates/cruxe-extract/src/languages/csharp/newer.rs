//! C# that the grammar does not know, and what can be left out of it.

use std::ops::Range;

/// The text without what the grammar does not know: the stars of casts to pointers, directives of a program of one file.
pub(super) fn mend(text: &str) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    for (end, _) in text.match_indices("*)") {
        let stars = text[..=end].bytes().rev().take_while(|byte| matches!(byte, b'*' | b' ')).count();
        let written = text[..end + 1 - stars].trim_end_matches(|c: char| c.is_alphanumeric() || "_.".contains(c));
        // `(int*)`, not `f(a *)` nor `(*)`
        if written.len() < end + 1 - stars && written.ends_with('(') && !ends_with_name(&written[..written.len() - 1]) {
            bytes[end + 1 - stars..=end].fill(b' ');
            // `*(int*)p` reads what is there.
            let before = &written[..written.len() - 1];
            let operand = |code: &str| ends_with_name(code) || code.ends_with([')', ']']);
            if before.ends_with('*') && !operand(before.trim_end_matches('*').trim_end()) {
                bytes[before.len() - 1] = b' ';
            }
        }
    }
    name_targets(text, &mut bytes);
    choose_modifiers(text, &mut bytes);
    for line in lines(text).filter(|line| text[line.clone()].starts_with("#:")) {
        bytes[line].fill(b' ');
    }
    if bytes == text.as_bytes() { None } else { String::from_utf8(bytes).ok() }
}

/// How far a `(` is looked for.
const MAX_CALL: usize = 1000;

/// `Unsafe.Add(ref a, 1) = x`, `*(int*)p = x`, `*p++ = x`: the grammar knows no such targets, and elements of arrays and what a
/// plain pointer leads to instead. ([`super::hooks::element`] sees in the file's own text that a call is one.)
fn name_targets(text: &str, bytes: &mut [u8]) {
    for at in memchr::memchr_iter(b'=', text.as_bytes()) {
        let target = text[..at].trim_end();
        if target.ends_with("++") || target.ends_with("--") {
            bytes[target.len() - 2..target.len()].fill(b' ');
            continue;
        }
        let before = text[..at].trim_end_matches(['+', '-', '*', '/', '%', '&', '|', '^']);
        if text[at + 1..].starts_with(['=', '>']) || before.ends_with(['=', '!', '<', '>']) {
            continue;
        }
        let target = before.trim_end();
        if let Some(open) = target.strip_suffix(')').and_then(opening) {
            let cast = cast(&text[..open]);
            if cast.is_some() || is_called(&text[..open]) {
                bytes[cast.unwrap_or(open)..open].fill(b' ');
                (bytes[open], bytes[target.len() - 1]) = (b'[', b']');
            }
        } else {
            let name = target.trim_end_matches(|c: char| c.is_alphanumeric() || "_.".contains(c));
            if let Some(cast) = cast(name).filter(|_| name.len() < target.len()) {
                bytes[cast..name.len()].fill(b' ');
                bytes[cast] = b'*';
            }
        }
    }
}

/// Where the `(` stands that is closed behind a piece of code.
fn opening(inside: &str) -> Option<usize> {
    let mut depth = 0;
    let back = inside.bytes().rev().take(MAX_CALL).position(|byte| {
        match byte {
            b')' => depth += 1,
            b'(' if depth == 0 => return true,
            b'(' => depth -= 1,
            _ => {}
        }
        false
    })?;
    Some(inside.len() - 1 - back)
}

/// Where the star stands that begins `*(int*)`, if a piece of code ends so.
fn cast(code: &str) -> Option<usize> {
    let inside = code.trim_end().strip_suffix(')').filter(|inside| inside.ends_with('*'))?;
    let star = code[..opening(inside)?].trim_end();
    star.ends_with('*').then(|| star.len() - 1)
}

/// Whether a piece of code ends with what is called by the `(` behind it.
fn is_called(code: &str) -> bool {
    let word = &code[code.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len()..];
    let generic = code.ends_with('>') && !code.ends_with("=>");
    generic || !word.is_empty() && !["var", "if", "while", "for", "foreach", "return", "in", "await"].contains(&word)
}

/// Modifiers of which the preprocessor chooses, before one declaration: `#if A internal #else public #endif class C`. The grammar
/// wants whole declarations between directives. What holds where nothing is defined stays.
fn choose_modifiers(text: &str, bytes: &mut [u8]) {
    let mut lines = lines(text).peekable();
    while let Some(first) = lines.next() {
        if !directive(&text[first.clone()]).is_some_and(|word| word.starts_with("if")) {
            continue;
        }
        let mut branches = vec![first];
        let mut whole = false;
        while let Some(line) = lines.next_if(|line| belongs_to_modifiers(&text[line.clone()])) {
            let word = directive(&text[line.clone()]);
            branches.push(line);
            if word.is_some_and(|word| word.starts_with("endif")) {
                whole = true;
                break;
            }
        }
        let said =
            |line: &Range<usize>| directive(&text[line.clone()]).is_none() && !text[line.clone()].trim().is_empty();
        if !whole || !branches.iter().any(said) {
            continue;
        }
        let last_directive = branches.iter().rev().skip(1).find(|line| directive(&text[(*line).clone()]).is_some());
        let kept = last_directive.map_or(0, |line| line.end);
        for line in branches.iter().filter(|line| line.start < kept || !said(line)) {
            bytes[line.clone()].fill(b' ');
        }
    }
}

/// The word of a directive.
fn directive(line: &str) -> Option<&str> {
    line.trim().strip_prefix('#').map(str::trim_start)
}

/// Whether a line is one of a choice between modifiers: its directives but the first, and words that are modifiers.
fn belongs_to_modifiers(line: &str) -> bool {
    const MODIFIERS: &[&str] = &[
        "abstract",
        "file",
        "internal",
        "new",
        "override",
        "partial",
        "private",
        "protected",
        "public",
        "readonly",
        "ref",
        "sealed",
        "static",
        "unsafe",
        "virtual",
    ];
    match directive(line) {
        Some(word) => ["else", "elif", "endif"].iter().any(|other| word.starts_with(other)),
        None => line.split_whitespace().all(|word| MODIFIERS.contains(&word)),
    }
}

/// Where the lines of a text are, without their ends.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut next = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = next;
        next += line.len();
        start..start + line.trim_end_matches(['\r', '\n']).len()
    })
}

fn ends_with_name(code: &str) -> bool {
    code.ends_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// What a piece of code that does not parse may parse without: words that say nothing about names.
pub(super) fn removable(code: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for word in ["partial", "scoped", "unsafe", "required", "file", "ref"] {
        for (at, _) in code.match_indices(word) {
            let apart = !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
            let next = code[at + word.len()..].trim_start();
            let spaced = next.len() < code.len() - at - word.len();
            if apart && spaced && next.starts_with(|c: char| c.is_alphabetic() || c == '_') {
                found.push(at..at + word.len());
            }
        }
    }
    // `object?[]`
    found.extend(code.match_indices("?[").map(|(at, _)| at..at + 1));
    found
}

#[cfg(test)]
mod tests {
    use super::{mend, removable};

    #[test]
    fn casts_to_pointers_lose_their_stars() {
        let mended = |code: &str| mend(code).unwrap_or_default();
        assert_eq!(mended("*(int*)(p + 0) = *(A.B**)q;"), "       [p + 0] =  (A.B  )q;");
        assert_eq!(mended("x = sizeof(int*); y = a * (b);"), "");
        assert_eq!(mended("#:property A=b\nint a;"), "              \nint a;");
    }

    #[test]
    fn what_can_be_set_is_an_element_or_what_a_pointer_leads_to() {
        let mended = |code: &str| mend(code).unwrap_or_default();
        assert_eq!(mended("Unsafe.Add(ref a, F(1)) = x;"), "Unsafe.Add[ref a, F(1)] = x;");
        assert_eq!(mended("Unsafe.As<A, B>(ref a) += x;"), "Unsafe.As<A, B>[ref a] += x;");
        assert_eq!(mended("*p++ = 1; *(byte*)q = 2; *(A*)(q + 1) = 3;"), "*p   = 1; *       q = 2;      [q + 1] = 3;");
        for fine in [
            "var (a, b) = t; (a, b) = (b, a); int P { get; } = 3; x = F(y);",
            "if (F(x) == 1 || F(x) <= 2 || F(x) >= 3 || F(x) != 4) { }",
            "int F(int x) => x; void G(int y = 1) { } var f = (int x) => x;",
            "a.b = c; a[0] = d; *p = e; x += F(); fixed (byte* p = &x) { }",
        ] {
            assert_eq!(mended(fine), "", "{fine}");
        }
    }

    #[test]
    fn of_modifiers_in_branches_the_last_stay() {
        let mended = |code: &str| mend(code).unwrap_or_default();
        assert_eq!(
            mended("#if A\n internal\n#else\n public\n#endif\n struct S { }"),
            "     \n         \n     \n public\n      \n struct S { }"
        );
        assert_eq!(mended("#if A\npublic\n#endif\nclass C { }"), "     \npublic\n      \nclass C { }");
        for other in [
            "#if A\nint x;\n#endif",
            "#if A\npublic int x;\n#else\ninternal\n#endif",
            "#if A\npublic\n",
            "#if A\n#endif",
        ] {
            assert_eq!(mended(other), "", "{other}");
        }
    }

    #[test]
    fn modifiers_and_marks_of_arrays_may_go() {
        let words = |code: &'static str| -> Vec<&str> { removable(code).into_iter().map(|at| &code[at]).collect() };
        assert_eq!(words("public ref partial struct A { }"), ["partial", "ref"]);
        assert_eq!(words("void F(object?[] a) { }"), ["?"]);
        assert!(words("int partially = a.file + refs;").is_empty());
    }
}
