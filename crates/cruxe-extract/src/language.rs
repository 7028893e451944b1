//! What is known about a language: one [`LanguageDef`] in its folder.
//!
//! Data and plain functions, so that nobody has to test for a language by its name. [`LANGUAGE`] has what most languages
//! have in common; a definition says what is different.

use cruxe_model::RepoPath;
use tree_sitter::Language;

use crate::build::Builder;
use crate::naming::{NAMING, Naming};
use crate::place::Places;
use crate::walk::Rules;

/// What is known about a language.
pub struct LanguageDef {
    /// Unique; differs from `name` where one language has two grammars.
    pub id: &'static str,
    /// The name that answers and filters use.
    pub name: &'static str,
    /// How much is understood.
    pub depth: Depth,
    /// File extensions, lower case, without the dot.
    pub extensions: &'static [&'static str],
    /// Whole file names.
    pub file_names: &'static [&'static str],
    /// Interpreters in a `#!` line.
    pub interpreters: &'static [&'static str],
    /// Tells a file of another language with the same extension, by that extension and the beginning of its content.
    pub otherwise: fn(&str, &[u8]) -> Option<&'static LanguageDef>,
    /// How its files are read.
    pub front_end: FrontEnd,
    /// Stands between the parts of a qualified name.
    pub separator: &'static str,
    /// Has to stand before a piece of a file, or the grammar takes the piece for something else than code.
    pub opening: &'static str,
    /// Full-text search sees a file in pieces as its symbols cut it; else as plain text, of which symbols are only marks.
    pub cut_by_symbols: bool,
    /// The module that a file's place gives it; empty when it has none of its own.
    pub module: fn(&Places, &RepoPath) -> String,
    /// Whether everything in a file exists for tests, by the file's path.
    pub is_test_path: fn(&str) -> bool,
    /// Whether a file is called what its projects call files of tests. Habits travel, so who ranks files asks all
    /// languages, see [`is_test_name`](crate::registry::is_test_name).
    pub is_test_name: fn(&str) -> bool,
    /// What its files are called, without their endings, when their folder is what says what they are about.
    pub role_names: &'static [&'static str],
    /// The language that stands for its family, `None` for itself. Languages of one family see each other's definitions
    /// by plain name.
    pub family: Option<&'static LanguageDef>,
    /// What its names mean.
    pub naming: Naming,
}

/// What most languages have in common, for `..LANGUAGE`.
pub const LANGUAGE: LanguageDef = LanguageDef {
    id: "",
    name: "",
    depth: Depth::Broad,
    extensions: &[],
    file_names: &[],
    interpreters: &[],
    otherwise: |_, _| None,
    front_end: FrontEnd::Plain(|_| {}),
    separator: ".",
    opening: "",
    cut_by_symbols: true,
    module: |_, _| String::new(),
    is_test_path: |_| false,
    is_test_name: |_| false,
    role_names: &[],
    family: None,
    naming: NAMING,
};

/// Text that is of no known language.
pub static TEXT: LanguageDef = LanguageDef { id: "text", name: "text", depth: Depth::Document, ..LANGUAGE };

/// How much of a language is understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Symbols, imports, scopes, occurrences with receivers and types: everything that a file can see is known.
    Deep,
    /// Symbols, nesting, signatures, occurrences, calls, imports where the grammar gives them.
    Broad,
    /// Structure of a document.
    Document,
}

/// How the files of a language are read.
pub enum FrontEnd {
    /// With a tree-sitter grammar and rules over its tree.
    Grammar {
        /// Gives the grammar.
        grammar: fn() -> Language,
        /// Builds the rules; looks up the ids of node kinds and fields once.
        rules: fn(&Language) -> Box<dyn Rules>,
    },
    /// By a function of its own.
    Plain(fn(&mut Builder)),
}

impl LanguageDef {
    /// Returns whether everything that a file can see is known, so that a name that is not found comes from outside.
    pub fn is_deep(&self) -> bool {
        self.depth == Depth::Deep
    }

    /// Returns whether its files are text for people, in which a word is no identifier.
    pub fn is_document(&self) -> bool {
        self.depth == Depth::Document
    }

    /// Returns whether files of two languages see each other's definitions by plain name.
    pub fn is_kin(&'static self, other: &'static LanguageDef) -> bool {
        std::ptr::eq(self.family.unwrap_or(self), other.family.unwrap_or(other))
    }

    /// Returns whether a use in a file of one language may mean a definition of the other at all, be it by a guess.
    pub fn may_mean(&self, other: &LanguageDef) -> bool {
        self.naming.system == other.naming.system
    }
}

#[cfg(test)]
mod tests {
    use crate::registry::named;

    #[test]
    fn languages_of_one_family_see_each_other_and_no_others() {
        let kin = |one: &str, other: &str| named(one).is_kin(named(other));
        assert!(kin("c", "cpp") && kin("cpp", "c") && kin("scala", "kotlin") && kin("ruby", "ruby"));
        assert!(!kin("java", "cpp") && !kin("ruby", "php") && !kin("text", "markdown"));
    }
}
