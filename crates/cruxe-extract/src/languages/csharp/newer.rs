//! C# that the grammar does not know, and what can be left out of it.

use std::ops::Range;

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
    use super::removable;

    #[test]
    fn modifiers_and_marks_of_arrays_may_go() {
        let words = |code: &'static str| -> Vec<&str> { removable(code).into_iter().map(|at| &code[at]).collect() };
        assert_eq!(words("public ref partial struct A { }"), ["partial", "ref"]);
        assert_eq!(words("void F(object?[] a) { }"), ["?"]);
        assert!(words("int partially = a.file + refs;").is_empty());
    }
}
