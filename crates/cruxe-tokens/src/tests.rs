use std::sync::LazyLock;

use fancy_regex::Regex;
use proptest::prelude::*;

use super::*;

/// The pattern as o200k's makers wrote it, for the engine that they wrote it for.
static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    let parts = [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ];
    Regex::new(&parts.join("|")).unwrap()
});

/// What the count has to be.
fn expected(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().count_ordinary(text)
}

fn expected_pieces(text: &str) -> Vec<&str> {
    PATTERN.find_iter(text).map(|found| found.unwrap().as_str()).collect()
}

fn pieces(text: &str) -> Vec<&str> {
    split::pieces(text).collect()
}

#[track_caller]
fn check(text: &str) {
    assert_eq!(pieces(text), expected_pieces(text), "{text:?}");
    assert_eq!(count(text), expected(text), "{text:?}");
}

#[test]
fn words_numbers_signs_and_blanks_are_cut_as_the_pattern_says() {
    assert_eq!(pieces("Don't HTTPServer2024!"), ["Don't", " HTTPServer", "202", "4", "!"]);
    assert_eq!(pieces("a  b\n\n  c  \n"), ["a", " ", " b", "\n\n", " ", " c", "  \n"]);
    assert_eq!(pieces("x.//\r\n/y  "), ["x", ".//\r\n/", "y", "  "]);
    assert_eq!(count(""), 0);
}

#[test]
fn texts_have_as_many_tokens_as_the_tokenizer_says() {
    for text in [
        "Hello, world!",
        "fn main() {\n    println!(\"{}\", 1 + 2);\n}\n",
        "I'LL we've it'ſ they'RE o'clock 's 'S '",
        "日本語ABC テスト한국어 العربية हिन्दी ไทย",
        "e\u{301}A\u{301}B \u{301}X \u{301}AB\u{301} \u{301}",
        "ǅabc ǅ ʰABC ªº 1²½Ⅷ٣٤٥٦",
        "🚀👨‍👩‍👧‍👦 ‑ — …",
        "\u{a0}\u{2003}x\u{85}y\u{2028}z \t\r\n\r\n /",
        "   \n   indented\n\n\n\ttab",
    ] {
        check(text);
    }
}

#[test]
fn every_character_has_the_class_that_the_pattern_gives_it() {
    // Between them Unicode has no characters, and will not for long.
    for letter in ('\0'..='\u{3ffff}').chain('\u{e0000}'..='\u{e0fff}').chain([char::MAX]) {
        let around = format!("aB{letter}Cd {letter}'s{letter}{letter}.\n{letter}/1{letter}");
        assert_eq!(pieces(&around), expected_pieces(&around), "{:x}", u32::from(letter));
    }
}

#[test]
fn long_pieces_and_long_texts_are_counted_exactly() {
    for unit in ["a", "ab", "aé", "Zz", "=", "-=", " ", "\n", "x\n", "word ", "/\n", ".\n\n/a", "日", "0"] {
        for times in [1, 2, 3, 40, 63, 64, 65, 66, 100, 1000, 20_000] {
            let text = unit.repeat(times);
            assert_eq!(count(&text), expected(&text), "{unit:?} {times} times");
        }
    }
    let mixed: String =
        (0..20_000).map(|line| format!("line {line}: some words, a/b\n{}", ["", "/", " ", "\n"][line % 4])).collect();
    assert_eq!(count(&mixed), expected(&mixed));
    assert_eq!(shares(&mixed).concat(), mixed);
    assert!(shares(&mixed).len() > 1);
}

proptest! {
    #[test]
    fn any_text_has_as_many_tokens_as_the_tokenizer_says(text in "[a-cA-C01 .'/\\r\\n\u{301}\u{2b0}ǅßSſſLTdmrev日\u{a0}]{0,40}|\\PC{0,60}|[a-z]{60,90}") {
        check(&text);
    }
}
