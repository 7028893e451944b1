//! The other languages: a name is what the file imports under it, what the same package or namespace defines, or what
//! the only definition of that name in the language is.

use std::sync::Arc;

use cruxe_model::SymbolKind;
use cruxe_model::facts::SymbolIndex;

use super::super::file::File;
use super::super::{Def, Entity, Resolver, Space, SpaceOf};
use super::ModuleRules;
use crate::name::segments;

/// Names with more definitions than this are told apart by imports or not at all.
const MAX_DEFINITIONS: usize = 64;

/// By imports, packages and names.
pub(super) struct Broad;

impl ModuleRules for Broad {
    fn import(&self, resolver: &Resolver, file: &Arc<File>, at: u32) -> Vec<Entity> {
        resolver.broad_import(file, at)
    }

    fn beyond(&self, resolver: &Resolver, file: &Arc<File>, name: &str, offset: u32, space: Space) -> Vec<Entity> {
        resolver.broad_beyond(file, name, offset, space)
    }
}

impl Resolver<'_> {
    /// The definitions whose qualified name ends like the import's path.
    fn broad_import(&self, file: &Arc<File>, at: u32) -> Vec<Entity> {
        let import = file.import(at);
        let module = file.import_module(at);
        let path: Vec<&str> = segments(module).chain(import.name.map(|name| file.facts.name(name))).collect();
        let Some(last) = path.last() else { return Vec::new() };
        let fits = |def: &Def| {
            let agree = |_: &Arc<File>, symbol: &cruxe_model::facts::Symbol| {
                let have: Vec<&str> = segments(&symbol.qualified_name).collect();
                let shared = have.iter().rev().zip(path.iter().rev()).take_while(|(a, b)| a == b).count();
                shared == have.len().min(path.len()) && (shared > 1 || path.len() == 1)
            };
            self.with(*def, agree).unwrap_or(false)
        };
        let found: Vec<Entity> = self.language_hits(file, last).filter(fits).map(Entity::Symbol).collect();
        if found.is_empty() { vec![Entity::Foreign] } else { found }
    }

    /// Definitions of a name in the languages that a file sees.
    fn language_hits(&self, file: &Arc<File>, name: &str) -> impl Iterator<Item = Def> {
        let hits = self.hits(name);
        let few = if hits.len() > MAX_DEFINITIONS { 0 } else { hits.len() };
        let mut found = Vec::new();
        for hit in hits.iter().take(few).filter(|hit| !hit.local) {
            let def = Def { version: hit.version, symbol: SymbolIndex(hit.position) };
            if self.file(hit.version).is_some_and(|other| other.lang.is_kin(file.lang)) {
                found.push(def);
            }
        }
        found.into_iter()
    }

    /// Inherited members, the package, then the whole language.
    fn broad_beyond(&self, file: &Arc<File>, name: &str, offset: u32, space: Space) -> Vec<Entity> {
        for symbol in file.nesting.symbols_around(&file.facts, offset) {
            if file.symbol(symbol).kind.is_container() {
                let inherited = self.members_of(Def { version: file.id(), symbol }, name);
                if !inherited.is_empty() {
                    return inherited.into_iter().map(Entity::Symbol).collect();
                }
            }
        }
        let mut found: Vec<(Def, SymbolKind, bool, bool)> = Vec::new();
        for def in self.language_hits(file, name) {
            let Some(other) = self.file(def.version) else { continue };
            let symbol = other.symbol(def.symbol);
            let outer = symbol.parent.map(|at| other.symbol(at).kind);
            let free = matches!(outer, None | Some(SymbolKind::Module | SymbolKind::Heading));
            if free && symbol.kind != SymbolKind::Heading && !detached(symbol, &other.facts.module) {
                let near = other.row.path.parent() == file.row.path.parent();
                let package = !other.facts.module.is_empty() && other.facts.module == file.facts.module;
                found.push((def, symbol.kind, package, near));
            }
        }
        let kinds = |found: &Vec<(Def, SymbolKind, bool, bool)>| found.iter().any(|(_, kind, ..)| kind.fits(space));
        if kinds(&found) {
            found.retain(|(_, kind, ..)| kind.fits(space));
        }
        for closer in [|found: &(Def, SymbolKind, bool, bool)| found.2, |found: &(Def, SymbolKind, bool, bool)| found.3]
        {
            if found.iter().any(closer) {
                found.retain(closer);
            }
        }
        found.into_iter().map(|(def, ..)| Entity::Symbol(def)).collect()
    }
}

/// Whether a symbol at the top of a file is a member all the same: `void Foo::bar()` of C++.
fn detached(symbol: &cruxe_model::facts::Symbol, module: &str) -> bool {
    let depth = segments(&symbol.qualified_name).count();
    symbol.kind == SymbolKind::Method || (symbol.parent.is_none() && depth > segments(module).count() + 1)
}
