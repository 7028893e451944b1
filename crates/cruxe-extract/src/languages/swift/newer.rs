//! Swift that the grammar does not know.

/// The text without what the grammar does not know: an empty tuple that is passed, and what is said to whoever compiles.
pub(super) fn mend(text: &str) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    for (at, _) in text.match_indices("(()") {
        let rest = &text[at + 3..];
        // `(()) -> Void` is a type.
        let is_type = rest.strip_prefix(')').is_some_and(|rest| {
            let next = rest.trim_start();
            ["->", "throws", "async"].iter().any(|word| next.starts_with(word))
        });
        if rest.starts_with([')', ',']) && !is_type {
            bytes[at + 1..at + 3].copy_from_slice(b"[]");
        }
    }
    for (at, found) in text.match_indices("return ()") {
        let end = at + found.len();
        if text[end..].starts_with(char::is_whitespace) {
            bytes[end - 2..end].copy_from_slice(b"[]");
        }
    }
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let code = line.trim();
        if (code.starts_with("#warning(\"") || code.starts_with("#error(\"")) && code.ends_with("\")") {
            bytes[start..start + line.trim_end().len()].fill(b' ');
        }
        // A case in which nothing is done.
        if code == "()" || code.starts_with("() //") {
            let at = start + line.len() - line.trim_start().len();
            bytes[at..at + 2].copy_from_slice(b"[]");
        }
        start += line.len();
    }
    if bytes == text.as_bytes() { None } else { String::from_utf8(bytes).ok() }
}

#[cfg(test)]
mod tests {
    use cruxe_model::facts::Role;

    use super::mend;
    use crate::languages::fixture_tests::extract;

    #[test]
    fn an_empty_tuple_that_is_passed_is_some_value() {
        let mended = |code: &str| mend(code).unwrap_or_default();
        assert_eq!(mended("p.succeed(()); f((), x)"), "p.succeed([]); f([], x)");
        assert_eq!(mended("return ()\n"), "return []\n");
        assert_eq!(
            mended("case .a:\n  ()\ncase .b:\n  () // nothing\n"),
            "case .a:\n  []\ncase .b:\n  [] // nothing\n"
        );
        assert_eq!(mended("let f: (()) -> Void; let g: (()) throws -> Int; f(); g(()())"), "");
        assert_eq!(mended("    #warning(\"Later\")\nf()"), "                     \nf()");
    }

    #[test]
    fn what_the_grammar_does_not_know_costs_no_names() {
        let facts = extract(
            "Sources/A.swift",
            "struct A {\n    func f(p: Promise) {\n        p.succeed(())\n        p.finish(.success(()))\n        \
             #expect(headers == [:])\n    }\n    #warning(\"Later\")\n    func g(x: X) { switch x {\n case .a:\n ()\n case .b: return ()\n } }\n}\n",
        );
        assert_eq!(facts.problems, []);
        let called: Vec<&str> =
            facts.occurrences.iter().filter(|one| one.role == Role::Call).map(|one| facts.name(one.name)).collect();
        assert_eq!(called, ["succeed", "finish", "expect"]);
        assert!(facts.occurrences.iter().any(|one| facts.name(one.name) == "success"));
        assert!(facts.symbols.iter().any(|symbol| symbol.name == "g"));
    }
}
