//! Paths of packages and namespaces that lead nowhere: do they begin where the ref's own begin?
//!
//! `com.acme.old.Helper` in a file of `com.acme.app` is a class that was moved, or that a build makes. `org.junit.Test` is
//! somebody else's. What tells is the beginning of the path: two names where the first is everybody's (`com`, `org`), one
//! where it is a name of the project (`App.Old`, `Company.Product`).

use std::sync::Arc;

use cruxe_model::SymbolKind;
use cruxe_model::facts::SymbolIndex;

use super::super::file::File;
use super::super::tree::join;
use super::super::{Def, Entity, Resolver};
use crate::name::segments;

/// First names that say nothing about whose a path is; so do those of two letters, which are countries.
const EVERYBODYS: &[&str] = &[
    "com",
    "org",
    "net",
    "dev",
    "edu",
    "gov",
    "info",
    "app",
    "java",
    "javax",
    "jakarta",
    "kotlin",
    "kotlinx",
    "scala",
    "android",
    "androidx",
    "System",
    "Microsoft",
    "Data",
    "Control",
    "Text",
    "Network",
    "Test",
    "Language",
    "Database",
    "Codec",
    "Web",
];

/// Definitions of one name that are compared with a path at most.
const MAX_DEFINITIONS: usize = 64;

impl Resolver<'_> {
    /// Whether the path of an import that leads nowhere begins in the ref: like the file's own, like that of a definition of
    /// its last name, or like another import of the file that leads somewhere.
    pub(super) fn is_own_import(&self, file: &Arc<File>, at: u32) -> bool {
        let path = self.import_path(file, at);
        let Some(last) = path.last() else { return false };
        self.may_be_anybodys(file, &path)
            || self.is_below_own_folder(file, at)
            || begins_like(&path, &file.facts.module)
            || modules_of(file).any(|module| begins_like(&path, module))
            || self.defined_near(file, &path, last)
            || self.has_neighbour(file, at, &path)
    }

    /// Whether a definition of a name stands where a path that leads nowhere begins.
    pub(super) fn defined_near(&self, file: &File, path: &[&str], name: &str) -> bool {
        let hits = self.hits(name);
        hits.iter().take(MAX_DEFINITIONS).filter(|hit| !hit.local).any(|hit| {
            let def = Def { version: hit.version, symbol: SymbolIndex(hit.position) };
            let near = |other: &Arc<File>, symbol: &cruxe_model::facts::Symbol| {
                other.lang.is_kin(file.lang) && begins_like(path, &symbol.qualified_name)
            };
            self.with(def, near).unwrap_or(false)
        })
    }

    /// Where nothing declares what a project depends on: whether a path is not known to lead out.
    fn may_be_anybodys(&self, file: &File, path: &[&str]) -> bool {
        let foreign = file.lang.naming.foreign;
        // A file that others install is imported with its folder.
        let whole = path.len() == 1 || !file.lang.naming.files_are_values;
        !foreign.is_empty() && whole && path.first().is_some_and(|first| !foreign.contains(first))
    }

    /// The names of an import's path.
    pub(super) fn import_path<'f>(&self, file: &'f File, at: u32) -> Vec<&'f str> {
        let name = file.import(at).name.map(|name| file.facts.name(name));
        segments(file.import_module(at)).chain(name).collect()
    }

    /// Whether another import of the file begins alike and leads to a definition.
    fn has_neighbour(&self, file: &Arc<File>, at: u32, path: &[&str]) -> bool {
        let others = (0..file.facts.imports.len() as u32).filter(|other| *other != at && !file.import(*other).glob);
        let mut alike = others.filter(|other| begins_alike(path, &self.import_path(file, *other)));
        alike.any(|other| self.import(file, other).iter().any(|entity| matches!(entity, Entity::Symbol(_))))
    }

    /// Where imports name files: whether the path names one of this language, or begins with a folder beside or around the file.
    fn is_below_own_folder(&self, file: &File, at: u32) -> bool {
        let module = file.import_module(at);
        let names = (file.lang.naming.files)(module);
        if names.is_empty() {
            return false;
        }
        let ending = |extension: &&str| module.strip_suffix(*extension).is_some_and(|rest| rest.ends_with('.'));
        if module.starts_with('.') || file.lang.extensions.iter().any(ending) {
            return true;
        }
        let mut first = names.iter().filter_map(|name| name.split_once('/')).map(|(first, _)| first);
        let Some(first) = first.next() else { return false };
        self.search_folders(file).any(|folder| self.tree.has_folder(&join(&folder, first)))
    }
}

/// The modules and namespaces that a file declares.
fn modules_of(file: &File) -> impl Iterator<Item = &str> {
    let modules = file.facts.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Module);
    modules.map(|symbol| symbol.qualified_name.as_str())
}

fn begins_like(path: &[&str], own: &str) -> bool {
    begins_alike(path, &segments(own).collect::<Vec<_>>())
}

/// Whether two paths begin with the same name of somebody.
fn begins_alike(one: &[&str], other: &[&str]) -> bool {
    let everybodys = one.first().is_some_and(|first| first.len() == 2 || EVERYBODYS.contains(first));
    let enough = if everybodys { 2 } else { 1 };
    // The last name is that of the thing itself.
    let outer = one.len().saturating_sub(1);
    one.iter().take(outer).zip(other).take_while(|(a, b)| a == b).count() >= enough
}

#[cfg(test)]
mod tests {
    use super::begins_like;

    #[test]
    fn a_path_is_told_by_the_first_name_that_is_nobody_elses() {
        let like = |path: &str, own: &str| begins_like(&path.split('.').collect::<Vec<_>>(), own);
        assert!(like("com.acme.old.Helper", "com.acme.app"));
        assert!(!like("com.google.common.Lists", "com.acme.app"));
        assert!(like("App.Old", "App.Repo.Worker"));
        assert!(!like("Other.Old", "App.Repo"));
        assert!(!like("App", "App"), "a thing is not below itself");
        assert!(like("App.Old.Helper", "App\\Fresh\\Helper"));
        assert!(!like("Data.Map.filter", "Data.Shop.price"));
        assert!(!like("", ""));
    }
}
