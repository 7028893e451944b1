//! Finds languages: of a file, by name; and keeps their grammars.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use cruxe_model::RepoPath;
use tree_sitter::Language;

use crate::language::{FrontEnd, LanguageDef, TEXT};
use crate::languages::LANGUAGES;
use crate::loose::TokenKinds;
use crate::walk::Rules;

/// A grammar with its rules, ready for use.
pub struct Loaded {
    /// The grammar.
    pub grammar: Language,
    /// The rules.
    pub rules: Box<dyn Rules>,
    /// Which of its nodes are identifiers.
    pub(crate) tokens: TokenKinds,
}

/// The grammar and rules of a language, loaded once; `None` for a language without a grammar.
pub fn loaded(def: &'static LanguageDef) -> Option<&'static Loaded> {
    static ALL: LazyLock<HashMap<&str, OnceLock<Loaded>>> =
        LazyLock::new(|| LANGUAGES.iter().map(|def| (def.id, OnceLock::new())).collect());
    let FrontEnd::Grammar { grammar, rules } = &def.front_end else { return None };
    let cell = ALL.get(def.id)?;
    Some(cell.get_or_init(|| {
        let grammar = grammar();
        Loaded { rules: rules(&grammar), tokens: TokenKinds::new(&grammar), grammar }
    }))
}

/// The language of a file, by its name, else its extension, else the `#!` line of its content. `head` is the content, or
/// its beginning where no more is at hand: a header is C++ when it has a class, a namespace or a template there.
pub fn detect(path: &RepoPath, head: &[u8]) -> Option<&'static LanguageDef> {
    static BY_NAME: LazyLock<HashMap<&str, &LanguageDef>> = LazyLock::new(|| index_by(|def| def.file_names));
    static BY_EXTENSION: LazyLock<HashMap<&str, &LanguageDef>> = LazyLock::new(|| index_by(|def| def.extensions));
    static BY_INTERPRETER: LazyLock<HashMap<&str, &LanguageDef>> = LazyLock::new(|| index_by(|def| def.interpreters));
    if let Some(def) = BY_NAME.get(path.file_name()) {
        return Some(def);
    }
    match path.extension() {
        Some(extension) => {
            let def = BY_EXTENSION.get(extension.as_str()).copied()?;
            Some((def.otherwise)(&extension, head).unwrap_or(def))
        }
        None => {
            let program = interpreter(head)?;
            let plain = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'); // `python3.11`
            BY_INTERPRETER.get(program).or_else(|| BY_INTERPRETER.get(plain)).copied()
        }
    }
}

fn index_by(keys: fn(&LanguageDef) -> &'static [&'static str]) -> HashMap<&'static str, &'static LanguageDef> {
    LANGUAGES.iter().flat_map(|def| keys(def).iter().map(|key| (*key, *def))).collect()
}

/// `python3` of `#!/usr/bin/env python3` and of `#!/usr/bin/python3 -u`.
fn interpreter(head: &[u8]) -> Option<&str> {
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split_whitespace();
    let program = words.next()?.rsplit('/').next()?;
    if program != "env" {
        return Some(program);
    }
    words.find(|word| !word.starts_with('-') && !word.contains('='))
}

/// The language with this name; the first where two grammars share one, [`TEXT`] where none has it.
pub fn named(name: &str) -> &'static LanguageDef {
    static BY_NAME: LazyLock<HashMap<&str, &LanguageDef>> =
        LazyLock::new(|| LANGUAGES.iter().rev().map(|def| (def.name, *def)).collect());
    BY_NAME.get(name).copied().unwrap_or(&TEXT)
}

/// Whether a file is called what projects of any language call files of tests.
pub fn is_test_name(name: &str) -> bool {
    LANGUAGES.iter().any(|def| (def.is_test_name)(name))
}

/// Whether a file with this name, without its ending and in lower case, is called for its role in any language: its folder
/// says what it is about.
pub fn is_role_name(stem: &str) -> bool {
    LANGUAGES.iter().any(|def| def.role_names.contains(&stem))
}

/// Node kinds of a grammar, looked up once and then told apart by an index.
///
/// `K` is an enum of the language's rules; kinds that the rules do not name map to `K::default()`.
pub struct Kinds<K>(Vec<K>);

impl<K: Copy + Default> Kinds<K> {
    /// Looks the named kinds up; a kind that the grammar does not have is left out (a test checks that none is).
    pub fn new(grammar: &Language, table: &[(&str, K)]) -> Kinds<K> {
        let mut kinds = vec![K::default(); grammar.node_kind_count()];
        for id in 0..grammar.node_kind_count() as u16 {
            // One name can have several ids (aliases), so the table is searched for every id.
            let name = grammar.node_kind_for_id(id).unwrap_or_default();
            if let Some((_, kind)) = table.iter().find(|(wanted, _)| grammar.node_kind_is_named(id) && *wanted == name)
            {
                kinds[usize::from(id)] = *kind;
            }
        }
        Kinds(kinds)
    }

    /// What the rules call this kind.
    pub fn get(&self, id: u16) -> K {
        self.0.get(usize::from(id)).copied().unwrap_or_default()
    }
}

/// The id of a field; 0, which no field has, when the grammar does not know it.
pub fn field(grammar: &Language, name: &str) -> u16 {
    grammar.field_id_for_name(name).map_or(0, |id| id.get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpreters_are_read_from_the_first_line() {
        assert_eq!(interpreter(b"#!/usr/bin/env python3\nx"), Some("python3"));
        assert_eq!(interpreter(b"#!/usr/bin/env -S FOO=1 bash -e\n"), Some("bash"));
        assert_eq!(interpreter(b"#!/bin/sh"), Some("sh"));
        assert_eq!(interpreter(b"plain"), None);
    }

    #[test]
    fn a_name_stands_for_the_first_language_that_has_it() {
        assert_eq!((named("typescript").id, named("c").id, named("cobol").id), ("typescript", "c", "text"));
    }

    #[test]
    fn ids_extensions_and_file_names_are_unique() {
        let mut seen = std::collections::HashSet::new();
        for def in LANGUAGES {
            assert!(seen.insert(("id", def.id)), "{}", def.id);
            for key in def.extensions.iter().chain(def.file_names) {
                assert!(seen.insert(("key", key)), "{key}");
            }
        }
    }
}
