//! Regular expressions that are part of the program.

use regex::Regex;

/// Compiles a pattern of this program.
#[expect(clippy::expect_used, reason = "patterns are constants, and the tests of every user run them")]
pub(super) fn compile(text: &str) -> Regex {
    Regex::new(text).expect("a pattern of this program compiles")
}

/// The given patterns, compiled once per place in the source.
macro_rules! pattern {
    ($($text:expr),+ $(,)?) => {{
        const TEXTS: &[&str] = &[$($text),+];
        static PATTERNS: std::sync::LazyLock<[regex::Regex; TEXTS.len()]> =
            std::sync::LazyLock::new(|| std::array::from_fn(|at| $crate::search::pattern::compile(TEXTS[at])));
        &*PATTERNS
    }};
}
pub(super) use pattern;
