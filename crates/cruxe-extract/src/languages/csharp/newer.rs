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
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("#:") {
            bytes[start..start + line.trim_end().len()].fill(b' ');
        }
        start += line.len();
    }
    if bytes == text.as_bytes() { None } else { String::from_utf8(bytes).ok() }
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
        assert_eq!(mended("*(int*)(p + 0) = *(A.B**)q;"), " (int )(p + 0) =  (A.B  )q;");
        assert_eq!(mended("x = sizeof(int*); y = a * (b);"), "");
        assert_eq!(mended("#:property A=b\nint a;"), "              \nint a;");
    }

    #[test]
    fn modifiers_and_marks_of_arrays_may_go() {
        let words = |code: &'static str| -> Vec<&str> { removable(code).into_iter().map(|at| &code[at]).collect() };
        assert_eq!(words("public ref partial struct A { }"), ["partial", "ref"]);
        assert_eq!(words("void F(object?[] a) { }"), ["?"]);
        assert!(words("int partially = a.file + refs;").is_empty());
    }
}
