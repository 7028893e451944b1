//! What lines have to match.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use crate::search::inner_words;

/// How large a compiled pattern may get, and what it may use while it matches.
const SIZE_LIMIT: usize = 10 << 20;
/// How deep a pattern may be nested.
const NEST_LIMIT: u32 = 100;
/// Classes with more characters are not looked into.
const MAX_CLASS: usize = 64;

/// A pattern, compiled.
#[derive(Clone, Debug)]
pub struct Pattern {
    matcher: RegexMatcher,
    /// Words that stand in every file that has a match.
    words: Vec<String>,
}

/// A pattern that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}{place}", place = .at.map_or(String::new(), |at| format!(" (at character {at})")))]
pub struct BadPattern {
    /// What is wrong with it.
    pub reason: String,
    /// At which of its characters, counted from one.
    pub at: Option<usize>,
}

impl Pattern {
    /// Compiles a regular expression, or text that stands for itself.
    pub fn new(text: &str, literal: bool, case_sensitive: bool) -> Result<Pattern, BadPattern> {
        if text.contains('\n') {
            let at = text.chars().position(|c| c == '\n').map(|at| at + 1);
            return Err(BadPattern { reason: "a pattern matches within a line".to_owned(), at });
        }
        let runs = if literal { vec![text.to_owned()] } else { required(&parse(text)?) };
        let matcher = RegexMatcherBuilder::new()
            .fixed_strings(literal)
            .case_insensitive(!case_sensitive)
            .multi_line(true)
            .crlf(true)
            .size_limit(SIZE_LIMIT)
            .dfa_size_limit(SIZE_LIMIT)
            .nest_limit(NEST_LIMIT)
            .build(text)
            .map_err(|problem| BadPattern { reason: problem.to_string().trim().to_owned(), at: None })?;
        let mut words: Vec<String> = runs.iter().flat_map(|run| words_of(run)).collect();
        // Outside of ASCII there are other letters that are `k` and `s` but for their case.
        words.retain(|word| case_sensitive || !word.contains(['k', 's']));
        words.sort_unstable();
        words.dedup();
        Ok(Pattern { matcher, words })
    }

    pub(super) fn matcher(&self) -> &RegexMatcher {
        &self.matcher
    }

    /// Words that every file with a match has, as the index knows them.
    pub(crate) fn words(&self) -> &[String] {
        &self.words
    }

    #[cfg(test)]
    pub(super) fn without_words(self) -> Pattern {
        Pattern { words: Vec::new(), ..self }
    }
}

/// Words that are whole words of any text that has this one, as the index knows them.
pub(crate) fn words_of(text: &str) -> Vec<String> {
    inner_words(text).map(str::to_ascii_lowercase).collect()
}

fn parse(text: &str) -> Result<Hir, BadPattern> {
    let parsed = regex_syntax::ParserBuilder::new().utf8(false).nest_limit(NEST_LIMIT).build().parse(text);
    parsed.map_err(|problem| {
        let (reason, offset) = match &problem {
            regex_syntax::Error::Parse(problem) => (problem.kind().to_string(), Some(problem.span().start.offset)),
            regex_syntax::Error::Translate(problem) => (problem.kind().to_string(), Some(problem.span().start.offset)),
            other => (other.to_string(), None),
        };
        let at = offset.and_then(|offset| text.get(..offset)).map(|before| before.chars().count() + 1);
        BadPattern { reason, at }
    })
}

/// Texts that every match contains. A blank stands for whatever ends a word there.
fn required(hir: &Hir) -> Vec<String> {
    let mut runs = Runs::default();
    runs.add(hir);
    runs.end();
    runs.done
}

#[derive(Default)]
struct Runs {
    done: Vec<String>,
    current: String,
}

impl Runs {
    fn end(&mut self) {
        let run = std::mem::take(&mut self.current);
        if !run.trim().is_empty() {
            self.done.push(run);
        }
    }

    /// The end of one word and the beginning of another, with anything between.
    fn gap(&mut self) {
        self.current.push(' ');
        self.end();
        self.current.push(' ');
    }

    /// Nesting is bounded by the parser.
    fn add(&mut self, hir: &Hir) {
        match hir.kind() {
            HirKind::Empty => {}
            HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
                Ok(text) => self.current.push_str(text),
                Err(_) => self.end(),
            },
            HirKind::Look(look) => match look {
                Look::Start | Look::End | Look::StartLF | Look::EndLF | Look::StartCRLF | Look::EndCRLF => {
                    self.current.push(' ');
                }
                Look::WordUnicode | Look::WordStartUnicode | Look::WordEndUnicode => self.current.push(' '),
                _ => self.end(),
            },
            HirKind::Class(class) if separates(class) => self.gap(),
            HirKind::Class(_) | HirKind::Alternation(_) => self.end(),
            HirKind::Capture(capture) => self.add(&capture.sub),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.add(part)),
            HirKind::Repetition(repetition) => {
                let gap = matches!(repetition.sub.kind(), HirKind::Class(class) if separates(class));
                match (repetition.min, gap) {
                    (0, _) => self.end(),
                    (_, true) => self.gap(),
                    _ => {
                        self.end();
                        self.add(&repetition.sub);
                        self.end();
                    }
                }
            }
        }
    }
}

/// Whether no character of a class is part of a word.
fn separates(class: &Class) -> bool {
    let Class::Unicode(class) = class else { return false };
    let count: usize = class.iter().map(|range| range.len()).sum();
    let mut all = class.iter().flat_map(|range| range.start()..=range.end());
    count > 0 && count <= MAX_CLASS && all.all(|c| !c.is_alphanumeric() && c != '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        Pattern::new(text, false, true).unwrap().words
    }

    #[test]
    fn words_that_every_match_has_are_known() {
        assert_eq!(words(r"self\.assertEqual\("), ["assertequal"]);
        assert_eq!(words(r"\bQuerySet\b"), ["queryset"]);
        assert_eq!(words(r"^import\s+os$"), ["import", "os"]);
        assert_eq!(words(r"def (\w+)\(self, cart\)"), ["cart", "self"]);
        assert_eq!(
            words(r"(?:class)\s+Cart"),
            [""; 0],
            "the first may be the end of a longer word, the last the beginning"
        );
        for open in [
            "foo",
            r"\w+foo",
            "(?i) foo ",
            " a?b ",
            "( foo | bar )",
            r"( foo )*",
            r"(?-u:\b)foo(?-u:\b)",
            " größe ",
            ".",
        ] {
            assert_eq!(words(open), [""; 0], "{open}");
        }
        assert_eq!(words("( foo )+"), ["foo"]);
    }

    #[test]
    fn case_leaves_out_words_that_other_letters_spell() {
        let words = |text| Pattern::new(text, false, false).unwrap().words;
        assert_eq!(words(" Foo Task "), ["foo"]);
    }

    #[test]
    fn a_pattern_that_is_none_says_what_and_where() {
        let bad = |text: &str| Pattern::new(text, false, true).unwrap_err().to_string();
        assert_eq!(bad("ä(b"), "unclosed group (at character 2)");
        assert_eq!(bad("a**{"), "unclosed counted repetition (at character 4)");
        assert_eq!(bad(r"\p{Nope}"), "Unicode property not found (at character 1)");
        assert_eq!(bad("a\nb"), "a pattern matches within a line (at character 2)");
        assert!(bad(r"a\nb").contains("is not allowed"), "{}", bad(r"a\nb"));
        let nested = format!("{}a{}", "(".repeat(500), ")".repeat(500));
        assert!(bad(&nested).contains("nest"), "{}", bad(&nested));
        assert!(bad(r"(?:\pL{1000}){1000}").contains("size limit"), "{}", bad(r"(?:\pL{1000}){1000}"));
        assert!(Pattern::new("a(", true, true).is_ok());
    }
}
