//! The packages of a ref, from which languages take the modules of files: see
//! [`LanguageDef::module`](crate::language::LanguageDef::module).
//!
//! The package at the repository root adds no prefix (`auth::jwt::validate_token`), packages below it add their name
//! (`tokio_util::codec::Framed`), so that equal paths in two packages stay apart.

use std::collections::{HashMap, HashSet};

use cruxe_model::RepoPath;

use crate::language::LanguageDef;
use crate::manifest::{self, Kind};

/// What is known about the packages of one ref.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Folder of a manifest with the package's name.
    packages: HashMap<(Kind, String), String>,
    /// Folders with an `__init__.py`.
    python: HashSet<String>,
}

impl Places {
    /// Whether a file says something about packages, so that [`Places::add`] wants to see it.
    pub fn is_marker(path: &RepoPath) -> bool {
        Kind::of(path).is_some_and(|kind| kind != Kind::TsConfig)
    }

    /// Takes in a marker file. The content of an `__init__.py` does not matter.
    pub fn add(&mut self, path: &RepoPath, content: &[u8]) {
        let folder = path.parent();
        match Kind::of(path) {
            Some(Kind::PythonPackage) => {
                self.python.insert(folder.to_owned());
            }
            Some(kind) => {
                let name = manifest::package_name(kind, folder, &String::from_utf8_lossy(content));
                self.packages.extend(name.map(|name| ((kind, folder.to_owned()), name)));
            }
            None => {}
        }
    }

    /// The module of a file, in the form of its language; empty when it has none of its own.
    pub fn module_of(&self, path: &RepoPath, language: Option<&LanguageDef>) -> String {
        language.map_or(String::new(), |def| (def.module)(self, path))
    }

    /// The nearest package around a file: its folder and its prefix (empty at the repository root, and without one).
    pub fn package(&self, kind: Kind, path: &RepoPath) -> (&str, &str) {
        let mut folder = path.parent();
        loop {
            if let Some(((_, root), name)) = self.packages.get_key_value(&(kind, folder.to_owned())) {
                return (root, if root.is_empty() { "" } else { name });
            }
            if folder.is_empty() {
                return ("", "");
            }
            folder = folder.rfind('/').map_or("", |slash| &folder[..slash]);
        }
    }

    /// Whether a folder is a Python package.
    pub fn is_python_package(&self, folder: &str) -> bool {
        self.python.contains(folder)
    }
}

/// The folders of a path that stand for modules, below a folder and without a first `src`.
pub(crate) fn folders<'p>(path: &'p RepoPath, root: &str) -> Vec<&'p str> {
    let inside = strip_folder(path.parent(), root);
    let mut parts: Vec<&str> = inside.split('/').filter(|part| !part.is_empty()).collect();
    if parts.first() == Some(&"src") {
        parts.remove(0);
    }
    parts
}

/// The module of a file by its folders and its name; files with the names of `roots` stand for their folder.
pub(crate) fn by_path(path: &RepoPath, roots: &[&str], separator: &str) -> String {
    let mut parts = folders(path, "");
    if !roots.contains(&path.stem()) {
        parts.push(path.stem());
    }
    parts.join(separator)
}

/// A path below a folder.
pub(crate) fn strip_folder<'a>(path: &'a str, folder: &str) -> &'a str {
    path.strip_prefix(folder).map_or(path, |rest| rest.trim_start_matches('/'))
}

/// The parts of a module's name behind the prefix of its package.
pub(crate) fn join(prefix: &str, parts: &[&str], separator: &str) -> String {
    let prefix = (!prefix.is_empty()).then_some(prefix);
    prefix.into_iter().chain(parts.iter().copied()).collect::<Vec<_>>().join(separator)
}
