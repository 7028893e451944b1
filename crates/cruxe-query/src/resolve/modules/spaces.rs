//! Namespaces that no file is: what a path of names leads to by the qualified names of definitions.
//!
//! `Company.Product.Order`, `App.Repo.Worker`, `Store::Box`: whoever writes such a path may write all of it, the part below a
//! namespace that it stands in or that the file opens, or begin with a name that the file imports.

use std::sync::Arc;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Expr, ExprId, SymbolIndex};
use cruxe_store::SymbolHit;

use super::super::file::File;
use super::super::types::Ty;
use super::super::{Def, Entity, Resolver, Space, SpaceOf};
use crate::name::segments;

/// Definitions of one name that are compared with a path at most.
const MAX_DEFINITIONS: usize = 512;

impl Resolver<'_> {
    /// The definitions of a name that stand where a path of namespaces and types says.
    pub(super) fn in_space(
        &self,
        file: &Arc<File>,
        path: &[&str],
        name: &str,
        offset: u32,
        space: Space,
    ) -> Vec<Entity> {
        let hits = self.hits(name);
        if path.is_empty() || hits.len() > MAX_DEFINITIONS {
            return Vec::new();
        }
        let mut found: Vec<(Def, Vec<String>)> = Vec::new();
        let in_sight = |hit: &&SymbolHit| !self.is_of_other_unit(file, hit);
        let any_in_sight = hits.iter().any(|hit| !hit.local && hit.version != file.id() && in_sight(&hit));
        for hit in hits.iter().filter(|hit| !hit.local && (!any_in_sight || in_sight(hit))) {
            let def = Def { version: hit.version, symbol: SymbolIndex(hit.position) };
            if !self.lang(hit.version).is_some_and(|other| other.is_kin(file.lang)) {
                continue;
            }
            let Some(other) = self.file(hit.version) else { continue };
            let mut outer: Vec<String> =
                segments(&other.symbol(def.symbol).qualified_name).map(str::to_owned).collect();
            outer.pop();
            found.push((def, outer));
        }
        if found.iter().any(|(def, _)| self.kind(*def).is_some_and(|kind| kind.fits(space))) {
            found.retain(|(def, _)| self.kind(*def).is_some_and(|kind| kind.fits(space)));
        }
        let at = |wanted: &[&str]| -> Vec<Entity> {
            let same =
                |outer: &Vec<String>| outer.len() == wanted.len() && outer.iter().zip(wanted).all(|(a, b)| a == b);
            found.iter().filter(|(_, outer)| same(outer)).map(|(def, _)| Entity::Symbol(*def)).collect()
        };
        for beginning in self.beginnings(file, path[0], offset) {
            let whole: Vec<&str> = beginning.iter().copied().chain(path[1..].iter().copied()).collect();
            let there = at(&whole);
            if !there.is_empty() {
                return there;
            }
        }
        // What an import gives a name to is that, and nothing else that ends alike.
        let mut imports = (0..file.facts.imports.len() as u32).filter(|at| !file.import(*at).glob);
        if imports.any(|at| file.introduced(at) == path[0]) {
            return Vec::new();
        }
        // Of a path that begins anywhere, the end has to fit.
        let ends = |outer: &Vec<String>| {
            outer.len() > path.len() && outer.iter().rev().zip(path.iter().rev()).all(|(a, b)| a == b)
        };
        let ending: Vec<Entity> =
            found.iter().filter(|(_, outer)| ends(outer)).map(|(def, _)| Entity::Symbol(*def)).collect();
        if ending.is_empty() && self.may_be_opened_by_macro(file, path[0]) {
            return at(&path[1..]);
        }
        ending
    }

    /// What a name means behind a path that is no value: a namespace that several files fill, or one that no file is.
    pub(in crate::resolve) fn by_path(
        &self,
        file: &Arc<File>,
        receiver: ExprId,
        base: &Ty,
        name: &str,
        offset: u32,
        space: Space,
    ) -> Option<Vec<Entity>> {
        let is_space = |ty: &Ty| match ty {
            Ty::Unknown | Ty::Outside | Ty::Missing => true,
            Ty::Item(def) => self.kind(*def) == Some(SymbolKind::Module),
            _ => false,
        };
        if !base.alternatives().iter().all(is_space) {
            return None;
        }
        let path = path_of(file, receiver)?;
        let found = super::rules(file).in_space(self, file, &path, name, offset, space);
        (!found.is_empty()).then_some(found)
    }

    /// What a name means behind a namespace that is called like a variable in sight, which has no such member: `fmt::print` in a
    /// function with a parameter `fmt`.
    pub(in crate::resolve) fn behind_hidden_space(
        &self,
        file: &Arc<File>,
        receiver: ExprId,
        name: &str,
        offset: u32,
        space: Space,
    ) -> Option<Vec<Entity>> {
        let path = path_of(file, receiver).filter(|path| path.len() == 1)?;
        let found = super::rules(file).in_space(self, file, &path, name, offset, space);
        (!found.is_empty()).then_some(found)
    }

    /// Whether a namespace of the ref may have members that seem to stand outside of it, because a macro opens it there.
    fn may_be_opened_by_macro(&self, file: &File, space: &str) -> bool {
        let naming = &file.lang.naming;
        let is_space = |hit: &SymbolHit| hit.kind == SymbolKind::Module;
        naming.spaces_by_macro && !naming.foreign.contains(&space) && self.hits(space).iter().any(is_space)
    }

    /// What the first name of a path may stand for, in full: what the file imports by that name, a part of the namespaces
    /// around it, the same below a namespace that the file opens, and itself.
    fn beginnings<'f>(&self, file: &'f Arc<File>, first: &'f str, offset: u32) -> Vec<Vec<&'f str>> {
        let mut all: Vec<Vec<&str>> = Vec::new();
        let imports = 0..file.facts.imports.len() as u32;
        for at in imports.clone().filter(|at| !file.import(*at).glob && file.introduced(*at) == first) {
            let module = segments(file.import_module(at));
            all.push(module.chain(file.import(at).name.map(|name| file.facts.name(name))).collect());
        }
        let around = file.nesting.symbols_around(&file.facts, offset).filter(|at| file.symbol(*at).kind.is_container());
        let innermost = around.map(|at| file.symbol(at).qualified_name.as_str()).next().unwrap_or(&file.facts.module);
        let mut outer: Vec<&str> = segments(innermost).collect();
        while !outer.is_empty() {
            all.push(outer.iter().copied().chain([first]).collect());
            outer.pop();
        }
        all.push(vec![first]);
        // `using Company;` opens a namespace; whether it is imported as one name or as everything depends on the language.
        for at in imports.filter(|at| file.import(*at).glob || file.import(*at).name.is_none()) {
            all.push(segments(file.import_module(at)).chain([first]).collect());
        }
        all
    }
}

/// The names of a path, outermost first; `None` for an expression that is none.
pub(in crate::resolve) fn path_of(file: &File, id: ExprId) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    let mut at = id;
    loop {
        match file.facts.exprs.get(at.0 as usize)? {
            Expr::Member(base, name) => {
                names.push(file.facts.name(*name));
                at = *base;
            }
            Expr::Name(name) => {
                // The path of a module may be one name: `Data.Map`.
                names.extend(segments(file.facts.name(*name)).rev());
                names.reverse();
                return Some(names);
            }
            _ => return None,
        }
    }
}
