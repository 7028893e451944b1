//! What a card refers to: `docs/api.md#Login`, `src/auth/jwt.rs#validate_token`, `src/lib.rs`.
//!
//! A reference is resolved with the same facts that the index holds, extracted from what the file says now.

use cruxe_extract::{Extractor, Input, as_text, registry};
use cruxe_model::facts::{FileFacts, SymbolIndex};
use cruxe_model::{PathError, RepoPath, SymbolKind};

use crate::document::{self, Outline};

/// A reference, taken apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reference {
    /// The file.
    pub path: RepoPath,
    /// The heading or symbol in it; the whole file without one.
    pub fragment: Option<String>,
}

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The heading's text or the symbol's qualified name; empty for a whole file.
    pub name: String,
    /// First and last line, from 1.
    pub lines: (u32, u32),
    /// Where it stands, in bytes, whole lines.
    pub span: std::ops::Range<usize>,
}

/// A fragment that a file does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path} has no {what} `{fragment}`{}", nearest.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default())]
pub struct DeadReference {
    /// The file.
    pub path: RepoPath,
    /// `heading` or `symbol`.
    pub what: &'static str,
    /// What was asked for.
    pub fragment: String,
    /// The most similar one that there is.
    pub nearest: Option<String>,
}

impl Reference {
    /// Takes a reference apart. The path is relative to the root of the workspace.
    pub fn parse(text: &str) -> Result<Reference, PathError> {
        let (path, fragment) = match text.trim().split_once('#') {
            Some((path, fragment)) => (path, Some(fragment.trim()).filter(|fragment| !fragment.is_empty())),
            None => (text.trim(), None),
        };
        let path = RepoPath::parse(path)?;
        if path.is_in_git_dir() {
            return Err(PathError::GitDir(path.into()));
        }
        Ok(Reference { path, fragment: fragment.map(str::to_owned) })
    }

    /// Finds what it refers to in what its file says.
    pub fn resolve(&self, bytes: &[u8]) -> Result<Target, DeadReference> {
        let (text, _) = as_text(bytes);
        let Some(fragment) = &self.fragment else {
            let lines = (1, (text.lines().count() as u32).max(1));
            return Ok(Target { name: String::new(), lines, span: 0..text.len() });
        };
        let language = registry::detect(&self.path, bytes);
        let facts = Extractor::default().extract(&Input { path: &self.path, module: "", language, bytes });
        let dead = |what, nearest: Option<String>| DeadReference {
            path: self.path.clone(),
            what,
            fragment: fragment.clone(),
            nearest,
        };
        if language.is_some_and(|language| language.id == "markdown") {
            let outline = Outline::of_facts(&facts);
            let found = outline.find(fragment).cloned();
            let heading =
                found.ok_or_else(|| dead("heading", outline.nearest(fragment).map(|near| near.name.clone())))?;
            return Ok(Target { name: heading.name, lines: heading.lines, span: heading.span });
        }
        let Some(at) = find_symbol(&facts, fragment) else {
            let names: Vec<&str> = facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
            let nearest = document::nearest(fragment, names.iter().copied()).map(|at| names[at].to_owned());
            return Err(dead("symbol", nearest));
        };
        let symbol = &facts.symbols[at.0 as usize];
        let (start, end) = (symbol.full_span.start as usize, symbol.full_span.end as usize);
        let start = text[..start].rfind('\n').map_or(0, |feed| feed + 1);
        let end = text[end..].find('\n').map_or(text.len(), |feed| end + feed);
        Ok(Target { name: symbol.qualified_name.clone(), lines: facts.lines_of(symbol.full_span), span: start..end })
    }
}

/// The definition of a plain or qualified name; of several the first that is not inside another and defines something.
fn find_symbol(facts: &FileFacts, name: &str) -> Option<SymbolIndex> {
    let name = name.trim_end_matches("()");
    let parts: Vec<&str> = name.split(['.', ':', '#', '>']).filter(|part| !part.trim().is_empty()).collect();
    let last = parts.last()?.trim();
    let fits = |at: &usize| {
        let symbol = &facts.symbols[*at];
        let mut outer = symbol.parent;
        let mut wanted = parts[..parts.len() - 1].iter().rev().map(|part| part.trim());
        let mut next = wanted.next();
        while let (Some(at), Some(part)) = (outer, next) {
            let around = &facts.symbols[at.0 as usize];
            if around.name == part {
                next = wanted.next();
            }
            outer = around.parent;
        }
        // An `impl` says the type's name too; what is left over may be the module, which is no symbol of the file.
        let qualified = next.is_none() || symbol.qualified_name.contains(next.unwrap_or_default());
        symbol.name == last && qualified && symbol.kind != SymbolKind::Use
    };
    let rank = |at: &usize| {
        let symbol = &facts.symbols[*at];
        (symbol.kind == SymbolKind::Impl, symbol.flags.test, symbol.flags.local, symbol.parent.is_some(), *at)
    };
    (0..facts.symbols.len()).filter(fits).min_by_key(rank).map(|at| SymbolIndex(at as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "/// Checks.\npub fn validate_token() -> bool {\n    true\n}\n\nstruct Store;\nimpl Store {\n    fn get(&self) {}\n}\n";

    fn resolve(reference: &str, text: &str) -> Result<(String, (u32, u32)), String> {
        let reference = Reference::parse(reference).unwrap();
        reference.resolve(text.as_bytes()).map(|target| (target.name, target.lines)).map_err(|dead| dead.to_string())
    }

    #[test]
    fn symbols_of_code_are_found_with_their_comments() {
        assert_eq!(resolve("src/a.rs#validate_token", CODE), Ok(("validate_token".to_owned(), (1, 4))));
        assert_eq!(resolve("src/a.rs#Store::get", CODE).map(|(_, lines)| lines), Ok((8, 8)));
        assert_eq!(resolve("src/a.rs#Store", CODE).map(|(_, lines)| lines), Ok((6, 6)));
        assert_eq!(
            resolve("src/a.rs#validate_tokn", CODE),
            Err("src/a.rs has no symbol `validate_tokn`; did you mean `validate_token`?".to_owned())
        );
    }

    #[test]
    fn headings_of_documents_and_whole_files_are_found() {
        assert_eq!(resolve("docs/a.md#login-flow", "# A\n## Login Flow\nx\n"), Ok(("Login Flow".to_owned(), (2, 3))));
        assert_eq!(resolve("docs/a.md", "# A\nx\n"), Ok((String::new(), (1, 2))));
        assert_eq!(resolve("docs/a.md#", "# A\nx\n"), Ok((String::new(), (1, 2))));
        assert_eq!(resolve("docs/a.md#Zebra", "# A\n"), Err("docs/a.md has no heading `Zebra`".to_owned()));
    }

    #[test]
    fn no_reference_leaves_the_workspace_or_enters_a_git_directory() {
        assert!(Reference::parse("../secret.md#A").is_err());
        assert!(Reference::parse("/etc/passwd").is_err());
        assert!(Reference::parse("#only").is_err());
        for path in [".git/config", ".GIT/config#L1", "docs/../.git/HEAD", "vendor/lib/.git"] {
            assert!(matches!(Reference::parse(path), Err(PathError::GitDir(_))), "{path}");
        }
        assert!(Reference::parse(".gitignore").is_ok());
    }
}
