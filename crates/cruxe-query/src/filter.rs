//! Which part of a ref a question is about: by path, by whether it is a test, by kind of symbol.
//!
//! A filter is applied before anything is counted or cut, and who applies it says how much it left out.

use cruxe_extract::registry;
use cruxe_model::SymbolKind;
use cruxe_model::facts::{Symbol, SymbolIndex};
use cruxe_store::FileRow;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// More globs than this are refused, and longer ones: each becomes a part of a regular expression.
const MAX_GLOBS: usize = 100;
const MAX_LETTERS: usize = 500;

/// Whether tests are a part of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tests {
    /// They are.
    #[default]
    Include,
    /// They are not.
    Exclude,
    /// Nothing else is.
    Only,
}

/// What a question is about; everything, unless it says less.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only paths that one of them matches.
    only: Option<GlobSet>,
    /// No path that one of them matches.
    not: Option<GlobSet>,
    /// Whether tests are wanted.
    tests: Tests,
    /// Only these kinds; empty for all.
    kinds: Vec<SymbolKind>,
}

/// A glob that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{glob}`: {reason}")]
pub struct BadGlob {
    /// What was given.
    pub glob: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Filter {
    /// A filter by globs as `.gitignore` reads them: without a slash they match names in any folder, with one they start at the
    /// root, and what is below a match matches too. Those that begin with `!` exclude.
    pub fn new(globs: &[String], tests: Tests, kinds: Vec<SymbolKind>) -> Result<Filter, BadGlob> {
        if globs.len() > MAX_GLOBS {
            let reason = format!("at most {MAX_GLOBS} globs can be given, not {}", globs.len());
            return Err(BadGlob { glob: shown(&globs[MAX_GLOBS]), reason });
        }
        let excluding = |glob: &&String| glob.trim_start().starts_with('!');
        let only = set(globs.iter().filter(|glob| !excluding(glob)))?;
        let not = set(globs.iter().filter(excluding))?;
        Ok(Filter { only, not, tests, kinds })
    }

    /// Whether everything passes.
    pub fn is_open(&self) -> bool {
        !self.by_place() && self.kinds.is_empty()
    }

    /// Whether it says something about paths or tests.
    pub fn by_place(&self) -> bool {
        self.only.is_some() || self.not.is_some() || self.tests != Tests::Include
    }

    /// Whether a file alone does not tell what of it passes.
    pub fn by_symbol(&self) -> bool {
        self.tests != Tests::Include || !self.kinds.is_empty()
    }

    /// Whether a path passes, tests or not.
    pub fn has_path(&self, path: &str) -> bool {
        let matched = |globs: &Option<GlobSet>| globs.as_ref().map(|globs| globs.is_match(path));
        matched(&self.only).unwrap_or(true) && !matched(&self.not).unwrap_or(false)
    }

    /// Whether a file may have something that passes.
    pub fn has_file(&self, file: &FileRow) -> bool {
        let all_tests = || is_test_file(file.path.as_str(), &file.language);
        self.has_path(file.path.as_str()) && (self.tests != Tests::Exclude || !all_tests())
    }

    /// Whether a place passes that is in a test, or in a file that is one.
    pub fn has_place(&self, path: &str, language: &str, in_test: bool) -> bool {
        let test = || in_test || is_test_file(path, language);
        self.has_path(path)
            && match self.tests {
                Tests::Include => true,
                Tests::Exclude => !test(),
                Tests::Only => test(),
            }
    }

    /// Whether a kind of symbol passes.
    pub fn has_kind(&self, kind: SymbolKind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }

    /// Whether a symbol of a file passes, or code outside of every symbol.
    pub fn has_symbol(&self, file: &FileRow, symbol: Option<&Symbol>) -> bool {
        let kind = symbol.map_or(self.kinds.is_empty(), |symbol| self.has_kind(symbol.kind));
        let in_test = symbol.is_some_and(|symbol| symbol.flags.test);
        kind && self.has_place(file.path.as_str(), &file.language, in_test)
    }

    /// The innermost of a symbol and those around it that is of a kind that passes.
    pub(crate) fn around(&self, symbols: &[Symbol], at: Option<SymbolIndex>) -> Option<SymbolIndex> {
        let mut here = at;
        while let Some(at) = here {
            let symbol = symbols.get(at.0 as usize)?;
            if self.has_kind(symbol.kind) {
                return Some(at);
            }
            here = symbol.parent;
        }
        None
    }
}

/// Whether everything in a file exists for tests: as its language says, else by names that projects of every language use.
pub fn is_test_file(path: &str, language: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let of_tests = |folder: &str| {
        let names = ["test", "tests", "__tests__", "spec", "specs", "testdata", "e2e"];
        names.iter().any(|name| folder.eq_ignore_ascii_case(name))
    };
    (registry::named(language).is_test_path)(path) || registry::is_test_name(name) || folders.split('/').any(of_tests)
}

fn set<'g>(globs: impl Iterator<Item = &'g String>) -> Result<Option<GlobSet>, BadGlob> {
    let mut builder = GlobSetBuilder::new();
    let mut last = None;
    for given in globs {
        let bad = |reason: String| BadGlob { glob: shown(given), reason };
        let text = given.trim().trim_start_matches('!');
        let text = text.strip_prefix("./").unwrap_or(text);
        let bare = text.trim_start_matches('/').trim_end_matches('/');
        if bare.is_empty() {
            return Err(bad("it names nothing".to_owned()));
        }
        if bare.len() > MAX_LETTERS {
            return Err(bad(format!("it has more than {MAX_LETTERS} bytes")));
        }
        let anywhere = if bare.contains('/') || text.starts_with('/') { "" } else { "**/" };
        for form in [format!("{anywhere}{bare}"), format!("{anywhere}{bare}/**")] {
            let glob = GlobBuilder::new(&form).literal_separator(true).build();
            builder.add(glob.map_err(|problem| bad(problem.kind().to_string()))?);
        }
        last = Some(given);
    }
    let Some(last) = last else { return Ok(None) };
    let problem = |problem: globset::Error| BadGlob { glob: shown(last), reason: problem.kind().to_string() };
    builder.build().map(Some).map_err(problem)
}

fn shown(glob: &str) -> String {
    glob.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(globs: &[&str]) -> Result<Filter, BadGlob> {
        let globs: Vec<String> = globs.iter().map(|glob| (*glob).to_owned()).collect();
        Filter::new(&globs, Tests::Include, Vec::new())
    }

    fn passes(globs: &[&str], path: &str) -> bool {
        filter(globs).unwrap().has_path(path)
    }

    #[test]
    fn globs_are_read_as_gitignore_reads_them() {
        assert!(passes(&["*.py"], "a/b/c.py") && !passes(&["*.py"], "a/b/c.rs"));
        assert!(passes(&["src/*.rs"], "src/a.rs") && !passes(&["src/*.rs"], "src/a/b.rs"));
        assert!(!passes(&["src/*.rs"], "x/src/a.rs"), "with a slash it starts at the root");
        assert!(passes(&["src/**/*.rs"], "src/a.rs") && passes(&["src/**/*.rs"], "src/a/b.rs"));
        assert!(passes(&["src"], "src/a/b.rs") && passes(&["./src/"], "src/a.rs") && passes(&["src"], "x/src/a.rs"));
        assert!(!passes(&["/src"], "x/src/a.rs") && !passes(&["src"], "srcs/a.rs"));
        assert!(passes(&["*.{ts,tsx}"], "web/a.tsx"));
    }

    #[test]
    fn exclusions_win_and_alone_leave_the_rest() {
        assert!(passes(&["!tests"], "src/a.rs") && !passes(&["!tests"], "tests/a.rs"));
        let both = ["src", "!*_gen.rs"];
        assert!(passes(&both, "src/a.rs") && !passes(&both, "src/a_gen.rs") && !passes(&both, "lib/a.rs"));
        assert!(passes(&[], "anything"));
    }

    #[test]
    fn a_glob_that_is_none_is_named() {
        let reason = |glob: &str| filter(&["src", glob]).unwrap_err();
        assert_eq!(reason("a[").glob, "a[");
        assert_eq!(reason("!").reason, "it names nothing");
        assert_eq!(reason(" / ").reason, "it names nothing");
        assert!(reason(&"x".repeat(600)).reason.contains("500 bytes"));
        assert!(filter(&["x"; 101]).unwrap_err().reason.contains("at most 100"));
    }

    #[test]
    fn test_files_are_known_by_their_language_and_by_habit() {
        for (path, language) in [
            ("pkg/test_a.py", "python"),
            ("a_test.go", "go"),
            ("web/a.spec.ts", "typescript"),
            ("tests/it/main.rs", "rust"),
            ("spec/models/user.rb", "ruby"),
            ("tests/data.json", "text"),
        ] {
            assert!(is_test_file(path, language), "{path}");
        }
        for (path, language) in
            [("src/testing.rs", "rust"), ("latest/a.py", "python"), ("contest.go", "go"), ("docs/a.md", "markdown")]
        {
            assert!(!is_test_file(path, language), "{path}");
        }
    }
}
