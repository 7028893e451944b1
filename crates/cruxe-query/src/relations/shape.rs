//! Types that fit an interface by their methods alone, without naming it.

use std::collections::HashSet;

use cruxe_extract::naming::System;
use cruxe_model::SymbolKind;
use cruxe_model::facts::{Symbol, SymbolIndex};

use super::{Asked, Note};
use crate::resolve::{Def, File, Heights};
use crate::takes::arity;

/// An interface with more methods is not compared with others.
const MAX_METHODS: usize = 200;

/// The types that fit an interface.
#[derive(Default)]
pub(super) struct Shaped {
    pub types: Vec<Def>,
    pub note: Option<Note>,
}

/// A method of an interface: its name, and how much it takes where that is known.
type Method = (String, Option<usize>);

impl Asked<'_> {
    /// The types that have all methods of an interface, where that is what makes them fit.
    pub(super) fn shaped_like(&self, interface: Def) -> Shaped {
        let Some(methods) = self.shape(interface) else { return Shaped::default() };
        // The rarest name leads to the fewest types.
        let rarest = methods.iter().map(|(name, _)| self.resolver.members_named(name)).min_by_key(Vec::len);
        let Some(members) = rarest else { return Shaped { types: Vec::new(), note: Some(Note::FitsAll) } };
        let mut seen = HashSet::from([interface]);
        let mut types = Vec::new();
        for owner in members.into_iter().filter_map(|(_, owner)| owner) {
            if self.is_over() {
                break;
            }
            if seen.insert(owner) && self.fits(owner, &methods) {
                types.push(owner);
            }
        }
        Shaped { types, note: None }
    }

    /// The interfaces that a type fits.
    pub(super) fn shapes_of(&self, def: Def) -> Vec<Def> {
        let Some(file) = self.resolver.file(def.version).filter(|file| is_shaped(file)) else { return Vec::new() };
        let name = &file.symbol(def.symbol).name;
        let mut seen = HashSet::from([def]);
        let mut found = Vec::new();
        for method in self.method_names(def, &file, name) {
            for owner in self.resolver.members_named(&method).into_iter().filter_map(|(_, owner)| owner) {
                if self.is_over() {
                    return found;
                }
                if seen.insert(owner)
                    && let Some(methods) = self.shape(owner).filter(|methods| !methods.is_empty())
                    && self.fits(def, &methods)
                {
                    found.push(owner);
                }
            }
        }
        found
    }

    /// The methods of an interface whose shape decides who fits it; `None` for anything else.
    fn shape(&self, interface: Def) -> Option<Vec<Method>> {
        let file = self.resolver.file(interface.version).filter(|file| is_shaped(file))?;
        if file.symbol(interface.symbol).kind != SymbolKind::Interface {
            return None;
        }
        let mut methods = Vec::new();
        let above = Heights::new(self.resolver).above(interface);
        for part in [interface].into_iter().chain(above.into_iter().map(|(def, _)| def)) {
            let Some(file) = self.resolver.file(part.version) else { continue };
            methods.extend(own_methods(&file, part.symbol));
        }
        methods.truncate(MAX_METHODS);
        Some(methods)
    }

    fn fits(&self, def: Def, methods: &[Method]) -> bool {
        methods.iter().all(|(name, takes)| {
            self.resolver.members_by_name(def, name).iter().any(|member| {
                let Some(file) = self.resolver.file(member.version) else { return false };
                let symbol = file.symbol(member.symbol);
                let alike = arity(symbol).zip(*takes).is_none_or(|(one, other)| one == other);
                symbol.kind == SymbolKind::Method && alike
            })
        })
    }

    /// The names of the methods of a type.
    fn method_names(&self, def: Def, file: &File, name: &str) -> Vec<String> {
        let mut names: Vec<String> = own_methods(file, def.symbol).map(|(name, _)| name).collect();
        // Methods stand outside of their type, in any file of its package.
        for file in self.resolver.files_beside(def) {
            let owned = |symbol: &&Symbol| symbol.kind == SymbolKind::Method && owner_name(symbol) == Some(name);
            names.extend(file.facts.symbols.iter().filter(owned).map(|symbol| symbol.name.clone()));
        }
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Whether types of a file fit interfaces by their methods alone.
fn is_shaped(file: &File) -> bool {
    file.lang.naming.system == System::Go
}

fn own_methods(file: &File, owner: SymbolIndex) -> impl Iterator<Item = Method> + '_ {
    let own = move |symbol: &&Symbol| symbol.parent == Some(owner) && symbol.kind == SymbolKind::Method;
    file.facts.symbols.iter().filter(own).map(|symbol| (symbol.name.clone(), arity(symbol)))
}

/// `T` of `pkg.T.method`.
fn owner_name(symbol: &Symbol) -> Option<&str> {
    crate::name::segments(&symbol.qualified_name).rev().nth(1)
}
